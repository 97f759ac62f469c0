/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing the items of include/records.h: fields, and the space for an item in the handler's record (records.c). */
#ifndef CORE_RECORD_ITEMS_H
#define CORE_RECORD_ITEMS_H

#include "internal.h"
#include "../include/records.h"

#define STP_NUMBER_MAX 10                      /* maximum size of an encoded number */
#define STP_ITEM_HEAD_MAX (1 + 3 * STP_NUMBER_MAX)
#define STP_ITEM_MAX (PLAT_RECORD_MAX - STP_ITEM_HEAD_MAX)

static inline char *stp_put_byte(char *at, u8 byte)
{
	*at = (char)byte;
	return at + 1;
}

static inline char *stp_put_number(char *at, u64 n)
{
	for (; n >= 128; n >>= 7)
		at = stp_put_byte(at, (u8)(n | 128));
	return stp_put_byte(at, (u8)n);
}

static inline char *stp_put_signed(char *at, s64 n)
{
	return stp_put_number(at, (u64)n << 1 ^ (u64)(n >> 63));
}

/* Returns the bytes of a number. */
static inline u32 stp_number_size(u64 n)
{
	u32 size = 1;

	for (; n >= 128; n >>= 7)
		size++;
	return size;
}

/* Returns the bytes of n at this index, in a list of the items that are not zero. */
static inline u32 stp_indexed_size(u32 index, s64 n)
{
	return stp_number_size(index) + stp_number_size((u64)n << 1 ^ (u64)(n >> 63));
}

/* Returns the identifier of a value that is divided among several items, never 0. No other CPU has the same number at
 * this time, and a handler on this one ends before the next one begins. */
static inline u64 stp_split_id(struct stp_ctx *c)
{
	u64 id = ((u64)stp_gettimeofday_ns() << 10) + stp_cpu(c);

	return id + !id;
}

static inline char *stp_put_text(char *at, const char *text, u64 len)
{
	at = stp_put_number(at, len);
	plat_memcpy(at, text, len);
	return at + len;
}

/* Reserves n bytes, at most STP_ITEM_MAX, for an item. Returns NULL if the record was lost. The caller sets the
 * context's `out` to the end of the item. */
char *stp_item_begin(struct stp_ctx *c, u32 n);

#endif
