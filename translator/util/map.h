// SPDX-License-Identifier: GPL-2.0-or-later
// A map from strings to pointers, iterated in insertion order. A zeroed map is empty and ready to use.
#ifndef UTIL_MAP_H
#define UTIL_MAP_H

struct map_entry {
	const char *key;
	void *value;
	struct map_entry *next_in_order;
};

struct map {
	struct map_entry *hash;    // private
	struct map_entry *first, *last;
	int n;
};

void *map_get(const struct map *m, const char *key);      // NULL: absent
void map_put(struct map *m, const char *key, void *value); // replaces; stores the key pointer

#define map_each(m, e) (struct map_entry *e = (m)->first; e; e = e->next_in_order)

#endif
