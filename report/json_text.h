// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "stream.h"

#include <stdlib.h>
#include <string.h>

// A buffer of output that is written by one call, since stdio is slow for many short pieces. A zeroed one is empty.
struct json_line { char *at; size_t len, space; };

// Returns space for n bytes at the end, whose length the caller adds to `len`.
static inline char *line_space(struct json_line *l, size_t n)
{
	if (l->space - l->len < n) {
		l->space = 2 * (l->len + n);
		l->at = realloc(l->at, l->space);
		if (!l->at)
			abort();
	}
	return l->at + l->len;
}

static inline void line_add(struct json_line *l, const char *at, size_t n)
{
	if (n)                             // an empty text may have no address
		memcpy(line_space(l, n), at, n);
	l->len += n;
}

// Adds a JSON string with its quotes; U+FFFD replaces bytes that are not UTF-8. Returns false if there were any.
bool line_add_string(struct json_line *l, struct text t);
// Returns a copy, in memory of malloc(), in which U+FFFD replaces each byte that is not UTF-8; sets *valid to true
// if there was no such byte.
struct text utf8_copy(struct text t, bool *valid);
// Writes a JSON string as line_add_string() does. The caller checks ferror().
void put_json_string(FILE *to, struct text t);

#endif
