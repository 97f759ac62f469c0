/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic that BPF lacks: part of bpf_program.h. Context: a hit.
 */
#ifndef BPF_ARITH_H
#define BPF_ARITH_H

/* Until its version 4, BPF has only unsigned division. */
STP_INLINE u64 bpf_size(s64 v)
{
	return v < 0 ? 0 - (u64)v : (u64)v;
}
STP_INLINE s64 stp_div_by(s64 a, s64 b)
{
	u64 q = bpf_size(a) / bpf_size(b);

	return (s64)((a ^ b) < 0 ? 0 - q : q);
}
STP_INLINE s64 stp_mod_by(s64 a, s64 b)
{
	u64 r = bpf_size(a) % bpf_size(b);

	return (s64)(a < 0 ? 0 - r : r);
}
STP_INLINE s64 bpf_div(struct stp_ctx *c, s64 a, s64 b, bool rest)
{
	if (b)
		return rest ? stp_mod_by(a, b) : stp_div_by(a, b);
	bpf_error(c, STP_BPF_DIVISION, 0);
	return 0;
}
#define stp_div(c, a, b) bpf_div(c, a, b, false)
#define stp_mod(c, a, b) bpf_div(c, a, b, true)

/* clang 14 does not translate __builtin_clzll(). Without branches, each of which the verifier would follow on both
 * ways. */
STP_INLINE u32 bpf_leading_zeros(u64 n)
{
	u32 zeros = 0, shift, bits;
	u64 high;

#pragma unroll
	for (bits = 6; bits--; ) {
		high = n >> (64 - (1 << bits));
		STP_HIDE(high);        /* otherwise the compiler would compare it */
		shift = (u32)((high - 1) >> 63) << bits;
		n <<= shift;
		zeros += shift;
	}
	return zeros;
}
#define __builtin_clzll(n) bpf_leading_zeros(n)

/* Divisions in location expressions, see core/arith.c. */
STP_INLINE bool bpf_location_divides(struct stp_ctx *c, u64 b)
{
	if (!b)
		bpf_error(c, STP_BPF_LOCATION, 0);
	return b;
}
#define stp_location_div(c, a, b) ({ s64 b_ = (b); bpf_location_divides(c, (u64)b_) ? stp_div_by(a, b_) : 0; })
#define stp_location_mod(c, a, b) ({ s64 b_ = (b); bpf_location_divides(c, (u64)b_) ? stp_mod_by(a, b_) : 0; })
#define stp_location_udiv(c, a, b) ({ u64 b_ = (b); bpf_location_divides(c, b_) ? (s64)((u64)(a) / b_) : 0; })
#define stp_location_umod(c, a, b) ({ u64 b_ = (b); bpf_location_divides(c, b_) ? (s64)((u64)(a) % b_) : 0; })
#define stp_location_absent(c) ({ bpf_error(c, STP_BPF_ABSENT, 0); (s64)0; })

#endif
