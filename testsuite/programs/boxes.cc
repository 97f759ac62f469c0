// SPDX-License-Identifier: GPL-2.0-or-later
// C++: a method, a template, a function in a namespace, a reference.
#include <cstdio>

#define KEPT __attribute__((noinline))

namespace ns {
struct Box {
	int side;
	long label;
	KEPT int area(int depth);
};

KEPT int Box::area(int depth)
{
	__asm__ volatile("");
	return side * side * depth;
}

KEPT long twice(const long &v)
{
	__asm__ volatile("");
	return v * 2;
}
}

template <class T> KEPT T biggest(T a, T b)
{
	__asm__ volatile("");
	return a > b ? a : b;
}

int main(int argc, char **argv)
{
	ns::Box box = { 3 + argc, 99 };
	long twenty = 20 + argc;

	__asm__ volatile("" : "+m"(box));
	printf("%d %ld %d %ld\n", box.area(2), ns::twice(twenty), biggest(3, 9), biggest(-3l, -9l));
	return 0;
}
