// SPDX-License-Identifier: GPL-2.0-or-later
// Calls a function with a parameter and a result: the workload of the examples about programs.
#include <stdio.h>

struct order { const char *item; int count; double price; };

__attribute__((noinline)) int total(const struct order *o, int discount)
{
	int sum = o->count * (int)o->price;

	return sum - discount;
}

int main(void)
{
	struct order orders[] = { { "tea", 3, 4.0 }, { "rice", 10, 2.0 } };

	for (int i = 0; i < 2; i++)
		printf("%s %d\n", orders[i].item, total(&orders[i], i));
	return 0;
}
