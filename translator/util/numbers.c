// SPDX-License-Identifier: GPL-2.0-or-later
// Implements numbers.h: open addressing, at most half full.
#include "util/numbers.h"
#include "util/mem.h"

uint64_t numbers_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

static struct number *slot_of(const struct numbers *t, uint64_t key)
{
	size_t i = numbers_mix(key) & (t->capacity - 1);

	while (t->at[i].key && t->at[i].key != key)
		i = (i + 1) & (t->capacity - 1);
	return &t->at[i];
}

uint32_t *numbers_at(struct numbers *t, uint64_t key)
{
	struct number *slot;

	if (2 * t->n >= t->capacity) {
		struct numbers bigger = { .capacity = t->capacity ? 2 * t->capacity : 16, .n = t->n };

		bigger.at = mem_alloc_atomic(bigger.capacity * sizeof(bigger.at[0]));
		for (size_t i = 0; i < t->capacity; i++)
			if (t->at[i].key)
				*slot_of(&bigger, t->at[i].key) = t->at[i];
		*t = bigger;
	}
	slot = slot_of(t, key);
	t->n += !slot->key;
	slot->key = key;
	return &slot->value;
}
