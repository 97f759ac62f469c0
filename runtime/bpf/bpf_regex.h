/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of one regular expression's table in programs, as core/regex.c does it. Included once for each expression,
 * with these macros, which it undefines:
 *
 *	STP_REGEX_NAME     regex1, of the tables regex1_class, regex1_table, regex1_accept
 *	STP_REGEX_CLASSES  of bytes    STP_REGEX_CELLS  of the table    STP_REGEX_STATES
 */
#define STP_REGEX_(suffix) STP_JOIN(STP_REGEX_NAME, suffix)

/* Matching is overloaded by this type. */
struct STP_REGEX_(_type) { char none; };
static const struct STP_REGEX_(_type) STP_REGEX_NAME;

STP_INLINE u32 STP_REGEX_(_accepts)(u32 state)
{
	STP_HIDE(state);
	if (state >= STP_REGEX_STATES)
		return 0;
	STP_HIDE(state);
	return STP_REGEX_(_accept)[state];
}

STP_INLINE u32 STP_REGEX_(_next)(u32 state, u8 byte)
{
	u32 at = state * STP_REGEX_CLASSES + STP_REGEX_(_class)[byte];

	STP_HIDE(at);
	if (at >= STP_REGEX_CELLS)
		return 0;
	STP_HIDE(at);
	return STP_REGEX_(_table)[at];
}

STP_GLOBAL_FUNCTION int STP_REGEX_(_match)(const struct stp_text *s)
{
	u32 state = 0, i;
	u8 byte;

	if (!s)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		byte = bpf_byte(s, i);
		if (STP_REGEX_(_accepts)(state) & (byte ? 1 : 1 | 2))
			return 1;
		if (!byte)
			break;
		state = STP_REGEX_(_next)(state, byte);
	}
	return 0;
}

STP_INLINE __attribute__((__overloadable__)) bool bpf_regex_match(const struct STP_REGEX_(_type) *r, const char *s)
{
	return STP_REGEX_(_match)(STP_AS_TEXT(s));
}

#undef STP_REGEX_NAME
#undef STP_REGEX_CLASSES
#undef STP_REGEX_CELLS
#undef STP_REGEX_STATES
