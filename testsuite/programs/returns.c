// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that return structs: in one register, in two, in memory; and in vector registers.
struct one { int a; short b; };
struct two { long a; const char *b; };
struct three { long a, b; struct { int c[2]; } in; };
struct floating { double a; long b; };
struct __attribute__((packed)) packed { char a; long b; };

static char text[] = "tw0";

#define GIVES(type, name) __attribute__((noipa)) struct type name(long n)
GIVES(one, gives_one) { return (struct one){ n, -2 }; }
GIVES(two, gives_two) { return (struct two){ -n, text }; }
GIVES(three, gives_three) { return (struct three){ n, n + 1, { { 30, 31 } } }; }
GIVES(floating, gives_floating) { return (struct floating){ n, n }; }
GIVES(packed, gives_packed) { return (struct packed){ n, n }; }

int main(void)
{
	text[2] = 'o';
	return gives_one(1).a + gives_two(2).a + gives_three(3).a + gives_floating(4).b + gives_packed(5).b ? 0 : 1;
}
