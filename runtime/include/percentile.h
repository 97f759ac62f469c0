/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buckets of @percentile: each power of two is divided by 32, so that the middle of a bucket differs from its
 * values by at most 1.6 %; each size below 64 has its own bucket. The buckets of negative values follow. Included
 * by generated.h.
 */
#ifndef STP_PERCENTILE_H
#define STP_PERCENTILE_H

#define STP_FINE_SIZES 1920
#define STP_FINE_BUCKETS (2 * STP_FINE_SIZES)
static inline u32 stp_fine_size(u64 size, u32 power)       /* power: 2^power <= size, if size is 64 or more */
{
	return size < 64 ? (u32)size : (power - 5) * 32 + (u32)(size >> (power - 5));
}
s64 stp_stat_percentile(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, u32 percentage);

#endif
