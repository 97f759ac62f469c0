/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in hash tables of 2^bits, bits 0 to 32. Every such table of runtime/kernel gets its size and its places from
 * here, because a shift by the whole width of its operand, which a table of one place asks for, is not a shift in C.
 */
#ifndef KERNEL_PLACE_H
#define KERNEL_PLACE_H

/* The least bits for n places or more: 0 for none and one. n up to 2^32. */
static inline u32 stp_place_bits(u64 n)
{
	u32 bits = 0;

	while (bits < 32 && 1ull << bits < n)
		bits++;
	return bits;
}

/* The place of a hash, of which the upper bits count; shift is 32 - bits. */
static __always_inline u32 stp_place(u32 hash, u32 shift)
{
	return (u64)hash >> shift;
}

#endif
