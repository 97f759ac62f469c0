// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads compete for a lock, then the program collects garbage.
public class Stall {
	static class Queue {
		synchronized void work() throws InterruptedException {
			Thread.sleep(20);
		}
	}

	public static void main(String[] arguments) throws InterruptedException {
		Queue queue = new Queue();
		Thread[] workers = new Thread[2];

		for (int i = 0; i < 2; i++) {
			workers[i] = new Thread(() -> {
				try {
					for (int k = 0; k < 5; k++)
						queue.work();
				} catch (InterruptedException e) {
				}
			}, "worker-" + i);
			workers[i].start();
		}
		for (Thread worker : workers)
			worker.join();
		System.gc();
	}
}
