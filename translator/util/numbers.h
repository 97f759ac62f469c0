// SPDX-License-Identifier: GPL-2.0-or-later
// A hash table from numbers or addresses, never 0, to numbers. A zeroed table is empty and ready to use. The
// garbage collector does not see the keys: objects whose addresses are keys must be referenced elsewhere.
#ifndef UTIL_NUMBERS_H
#define UTIL_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct numbers {
	struct number { uint64_t key; uint32_t value; } *at;
	size_t n, capacity;
};

uint64_t numbers_mix(uint64_t x);                        // spreads the bits of a key
uint32_t *numbers_at(struct numbers *t, uint64_t key);   // returns the value of the key, which the caller sets if
							 // it is 0

// Adds an object to a set. Returns whether it is new.
static inline bool numbers_add(struct numbers *set, const void *object)
{
	return !(*numbers_at(set, (uintptr_t)object))++;
}

#endif
