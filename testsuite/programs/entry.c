// SPDX-License-Identifier: GPL-2.0-or-later
// Values lost by optimisation: one that was only a parameter, and a parameter that was removed.
int sink;

__attribute__((noinline, noclone)) static int step(int n)
{
	sink += n;
	__asm__ volatile("" ::: "memory");
	return sink;
}

__attribute__((noinline, noclone)) int gone(int early, int late)
{
	int sum = step(early);

	sum += step(late);
	return sum;
}

__attribute__((noinline)) static int taken(int used, int unused)
{
	int copy = unused + 1;

	sink += used;
	__asm__ volatile("" ::: "memory");
	return sink;
}

int main(int argc, char **argv)
{
	return gone(argc, 3) + taken(argc, argc * 5);
}
