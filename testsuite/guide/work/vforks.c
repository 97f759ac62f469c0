// SPDX-License-Identifier: GPL-2.0-or-later
// Waits in the kernel, uninterruptibly, for a child that sleeps for 200 milliseconds.
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	if (!vfork()) {
		usleep(200000);
		_exit(0);
	}
	return wait(NULL) < 0;
}
