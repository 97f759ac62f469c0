// SPDX-License-Identifier: GPL-2.0-or-later
// Allocates a thousand bytes five times without freeing them, and memory that it frees.
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
