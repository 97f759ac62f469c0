/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Floating-point parameters, results and static-probe arguments in vector registers, printed. */
#include <stdio.h>
#include "sys/sdt.h"

#define KEPT __attribute__((noipa))

KEPT double mixed(double a, float b, int n, double c) { return a * b + n * c; }
KEPT float half(float a) { return a / 2; }
KEPT double many(double a, double b, double c, double d, double e, double f, double g, double h, double i, int n,
		 float j)
{
	return a + b + c + d + e + f + g + h + i + n + j;
}
struct point { double x, y; };
KEPT double sum(struct point p) { return p.x + p.y; }

int main(void)
{
	double eight = 1.5;
	float four = -0.25f;

	__asm__ volatile(STAP_PROBE_ASM(floats, mark, 8f@%[eight] 4f@%[four]) : : [eight] "x" (eight), [four] "x" (four));
	printf("mark 1.500 -0.250\n");
	printf("mixed 1.500 2.250 3 -4.125\nmixed= %.3f\n", mixed(1.5, 2.25f, 3, -4.125));
	printf("all of mixed a=1.5 b=2.25 n=0x3 c=-4.125\nall of half a=7.5\nall of sum {.x=2, .y=-3.5}\n");
	printf("half 7.500\nhalf= %.3f\n", half(7.5f));
	printf("many 1.000 8.000 9.500 10 -11.250\nmany= %.3f\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9.5, 10, -11.25f));
	printf("sum 2.000 -3.500\nsum= %.3f\n", sum((struct point){ 2, -3.5 }));
	return 0;
}
