// SPDX-License-Identifier: GPL-2.0-or-later
// Static probes of dtrace(1): each is executed only if a tracer is attached.
#include <stdio.h>
struct animal {
	int legs;
};
#include "farm.h"

int main(int argc, char **argv)
{
	struct animal cow = { 4 };
	int made = 0;

	if (FARM_FED_ENABLED()) {
		FARM_FED(cow.legs, argv[0]);
		made++;
	}
	if (FARM_SLEPT_LONG_ENABLED()) {
		FARM_SLEPT_LONG(&cow, 7ul, sizeof(long));
		made++;
	}
	if (FARM_CLOSED_ENABLED()) {
		FARM_CLOSED();
		made++;
	}
	if (SHOP_SOLD_ENABLED())
		SHOP_SOLD(-5l);
	printf("made %d\n", made);
	return argc == 0;
}
