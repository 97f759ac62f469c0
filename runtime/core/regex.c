/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks a DFA made by the translator. Context: any. Time: one step a byte. */
#include "internal.h"

enum { MATCHED = 1, MATCHED_AT_END = 2 };

bool stp_regex_match(const struct stp_regex *r, const char *text)
{
	u32 state = r->start;

	for (;; text++) {
		if (r->accept[state] & MATCHED)
			return true;
		if (!*text)
			return r->accept[state] & MATCHED_AT_END;
		state = r->table[state * r->classes + r->byte_class[(u8)*text]];
	}
}
