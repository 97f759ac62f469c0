// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of strings and of other sequences of bytes, for formats that refer to them by number.
#ifndef INTERN_H
#define INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interned;

struct intern {
	struct interned *all;
	size_t size;                       // bytes of memory in use
	uint64_t next;                     // number of the next new sequence
};

// Returns the number of these bytes; *added: it is a new one. The table is emptied when it exceeds INTERN_BYTES, so
// that the same bytes may later get another number.
uint64_t intern(struct intern *table, const void *bytes, size_t len, bool *added);
void intern_free(struct intern *table);

enum { INTERN_BYTES = 16 << 20 };

#endif
