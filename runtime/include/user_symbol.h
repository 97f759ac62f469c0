/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the symbol of a program at an offset of its file, in the table that the translator writes. */
#ifndef STP_USER_SYMBOL_H
#define STP_USER_SYMBOL_H

#include "generated.h"

/* Returns NULL if no symbol contains the offset (in bytes). Any context. */
static inline const struct stp_usym *stp_user_symbol(const struct stp_object *o, u64 offset)
{
	u32 low = 0, high = o->nsymbols;
	const struct stp_usym *s;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (o->symbols[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	s = &o->symbols[low - 1];
	return s->size && offset - s->offset >= s->size ? NULL : s;
}

#endif
