// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of sequences of bytes. The memory is limited, since a session may have any number of different stacks.
#include "intern.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct interned {
	UT_hash_handle hh;
	uint64_t number;
	char bytes[];
};

enum { OVERHEAD = sizeof(struct interned) + 32 };      // bytes of an entry and its hash slot, without the text

uint64_t intern(struct intern *table, const void *bytes, size_t len, bool *added)
{
	struct interned *found;

	HASH_FIND(hh, table->all, bytes, len, found);
	*added = !found;
	if (found)
		return found->number;
	if (table->size > INTERN_BYTES)
		intern_free(table);
	found = malloc(sizeof(*found) + len);
	if (!found)
		abort();
	memcpy(found->bytes, bytes, len);
	found->number = table->next++;
	HASH_ADD_KEYPTR(hh, table->all, found->bytes, len, found);
	table->size += OVERHEAD + len;
	return found->number;
}

void intern_free(struct intern *table)
{
	struct interned *at, *next;

	HASH_ITER(hh, table->all, at, next) {
		HASH_DEL(table->all, at);
		free(at);
	}
	table->size = 0;
}
