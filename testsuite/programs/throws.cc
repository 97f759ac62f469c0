// SPDX-License-Identifier: GPL-2.0-or-later
// Exceptions of two types, thrown, caught and thrown again.
#include <cstdio>
#include <typeinfo>

namespace zoo {
struct Escape {
	int legs;
};
}

static void let_out(int legs)
{
	if (legs > 3)
		throw zoo::Escape{legs};
	throw legs;
}

// Names of types in memory, so that handlers, which cannot wait for a page, can read them.
static volatile char touched;

int main()
{
	touched = *typeid(int).name() + *typeid(zoo::Escape).name();
	for (int legs = 2; legs < 5; legs += 2)
		try {
			try {
				let_out(legs);
			} catch (zoo::Escape &e) {
				printf("caught %d\n", e.legs);
				throw;
			}
		} catch (int n) {
			printf("caught int %d\n", n);
		} catch (...) {
			puts("caught again");
		}
	return 0;
}
