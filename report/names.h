// SPDX-License-Identifier: GPL-2.0-or-later
// A table of distinct texts, numbered from 0 in the order in which they are added.
#ifndef NAMES_H
#define NAMES_H

#include "stream.h"

struct names {
	struct text *at;                   // copies, by number
	size_t n;
	unsigned *slots;                   // 1 + number, or 0; open addressing
	size_t nslots;                     // 0, or a power of two
};

// Returns the text's number. A text that is new has the number that `names->n` was.
unsigned names_find(struct names *names, struct text t);
void names_free(struct names *names);

#endif
