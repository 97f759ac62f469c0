// SPDX-License-Identifier: GPL-2.0-or-later
// The table of names.h, by which writers refer to frames that many stacks share.
#include "names.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(struct text t)
{
	uint64_t h = 0xcbf29ce484222325;           // FNV-1a

	for (size_t i = 0; i < t.len; i++)
		h = (h ^ (unsigned char)t.at[i]) * 0x100000001b3;
	return h ^ h >> 32;
}

static unsigned *slot(struct names *names, struct text t)
{
	size_t i = hash(t) & (names->nslots - 1);

	for (; names->slots[i]; i = (i + 1) & (names->nslots - 1)) {
		struct text have = names->at[names->slots[i] - 1];

		if (have.len == t.len && !memcmp(have.at, t.at, t.len))
			break;
	}
	return &names->slots[i];
}

static void grow(struct names *names)
{
	free(names->slots);
	names->nslots = names->nslots ? 2 * names->nslots : 256;
	names->slots = calloc(names->nslots, sizeof(names->slots[0]));
	names->at = realloc(names->at, names->nslots / 2 * sizeof(names->at[0]));
	if (!names->slots || !names->at)
		abort();
	for (size_t i = 0; i < names->n; i++)
		*slot(names, names->at[i]) = i + 1;
}

unsigned names_find(struct names *names, struct text t)
{
	unsigned *found;
	char *copy;

	if (2 * names->n >= names->nslots)
		grow(names);
	found = slot(names, t);
	if (*found)
		return *found - 1;
	copy = malloc(t.len + 1);
	if (!copy)
		abort();
	memcpy(copy, t.at, t.len);
	names->at[names->n] = (struct text){ copy, t.len };
	*found = ++names->n;
	return *found - 1;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free((char *)names->at[i].at);
	free(names->at);
	free(names->slots);
	*names = (struct names){ 0 };
}
