// SPDX-License-Identifier: GPL-2.0-or-later
// Implements map.h with uthash; the table itself is in collected memory.
#include "util/map.h"
#include "util/mem.h"

#include <string.h>

#define uthash_malloc(size)     mem_alloc(size)
#define uthash_free(ptr, size)  ((void)(ptr))
#include <uthash.h>

struct node {                  // after the private part of struct map_entry
	struct map_entry entry;
	UT_hash_handle hh;
};

void *map_get(const struct map *m, const char *key)
{
	struct node *head = (struct node *)m->hash, *found;

	HASH_FIND(hh, head, key, strlen(key), found);
	return found ? found->entry.value : NULL;
}

void map_put(struct map *m, const char *key, void *value)
{
	struct node *head = (struct node *)m->hash, *n;

	HASH_FIND(hh, head, key, strlen(key), n);
	if (n) {
		n->entry.value = value;
		return;
	}
	n = NEW(struct node);
	n->entry.key = key;
	n->entry.value = value;
	HASH_ADD_KEYPTR(hh, head, n->entry.key, strlen(key), n);
	m->hash = &head->entry;
	if (m->last)
		m->last->next_in_order = &n->entry;
	else
		m->first = &n->entry;
	m->last = &n->entry;
	m->n++;
}
