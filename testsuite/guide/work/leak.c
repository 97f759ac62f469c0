// SPDX-License-Identifier: GPL-2.0-or-later
// Allocates five times a thousand bytes that are never freed, and memory that is.
#include <stdlib.h>

static char *volatile last;

__attribute__((noinline)) static void forgets(void)
{
	last = malloc(1000);
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		forgets();
		free(malloc(500));
	}
	return 0;
}
