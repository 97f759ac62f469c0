/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indexes in hash tables of 2^bits slots, where bits is 0 to 32. Every such table of runtime/kernel gets its size
 * and its indexes from these functions, because a table of one slot requires a shift by the whole width of the
 * operand, which C does not define.
 */
#ifndef KERNEL_HASH_INDEX_H
#define KERNEL_HASH_INDEX_H

/* Returns the minimum number of bits for n slots: 0 for none and one. n is at most 2^32. */
static inline u32 stp_hash_bits(u64 n)
{
	u32 bits = 0;

	while (bits < 32 && 1ull << bits < n)
		bits++;
	return bits;
}

/* Returns the index of a hash from its upper bits; shift is 32 - bits. */
static __always_inline u32 stp_hash_index(u32 hash, u32 shift)
{
	return (u64)hash >> shift;
}

#endif
