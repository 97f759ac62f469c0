/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long doubles, results in x87 registers, and structs that are returned in vector registers, printed. */
#include <stdio.h>

#define KEPT __attribute__((noipa))

struct reals { double a; float b, c; };
struct mixed { double a; long long b; };
struct other { long long a; float b[2]; };
struct shared { float a; int b; };
struct inner { struct { float f; } in; };

KEPT long double wide(long double a, int n) { return a * n; }
KEPT double plain(double a) { return a / 4; }
KEPT float narrow(float a) { return -a; }
KEPT struct reals reals(double a) { return (struct reals){ a, 2.5f, -0.125f }; }
KEPT struct mixed mixed(double a) { return (struct mixed){ a, -7 }; }
KEPT struct other other(long long a) { return (struct other){ a, { 0.5f, 1.5f } }; }
KEPT struct shared shared(float a) { return (struct shared){ a, -3 }; }
KEPT struct inner inner(float a) { return (struct inner){ { a } }; }
long double kept = -2.75L;

int main(void)
{
	wide(kept, 3);
	plain(6.5);
	narrow(0.375f);
	reals(1.25);
	mixed(-4.75);
	other(11);
	shared(9.5f);
	inner(-8.25f);
	return 0;
}
