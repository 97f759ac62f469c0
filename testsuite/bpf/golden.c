// SPDX-License-Identifier: GPL-2.0-or-later
// One function for each begin probe of the scripts in testsuite/run, called in the order of their numbers: an event
// probe of the function replaces the begin probe. golden MILLISECONDS: sleeps before it exits.
#include <stdlib.h>
#include <unistd.h>

#define ORDERS(AT) AT(m1) AT(0) AT(1) AT(2) AT(3) AT(4) AT(5) AT(6) AT(7) AT(8) AT(9) AT(98) AT(99)
#define DEFINE(n) __attribute__((noinline)) void begin_##n(void) { __asm__ volatile(""); }
#define CALL(n) begin_##n();
ORDERS(DEFINE)

int main(int argc, char **argv)
{
	ORDERS(CALL)
	if (argc > 1)
		usleep((unsigned)atoi(argv[1]) * 1000);
	return 0;
}
