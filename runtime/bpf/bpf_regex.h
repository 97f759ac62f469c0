/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One step through the table of one regular expression in programs. Included once for each table, with these macros,
 * which it undefines:
 *
 *	STP_REGEX_NAME     regex1, of the tables regex1_class, regex1_table, regex1_accept
 *	STP_REGEX_CLASSES  of bytes    STP_REGEX_CELLS  of the table    STP_REGEX_STATES
 *	STP_REGEX_INNER    state in which a walk begins that does not begin at an end of the text
 */
#define STP_REGEX_(suffix) STP_JOIN(STP_REGEX_NAME, suffix)

/* Returns the next state, and from bit 16 on whether it accepts (core/regex.c). */
STP_INLINE u64 STP_REGEX_(_step)(u32 state, u32 byte)
{
	u32 at = state * STP_REGEX_CLASSES + STP_REGEX_(_class)[byte & 255];

	if (byte == STP_REGEX_AT_INNER) {
		state = STP_REGEX_INNER;
	} else if (byte == STP_REGEX_AT_END) {
		state = 0;
	} else {
		STP_HIDE(at);
		if (at >= STP_REGEX_CELLS)
			return 0;
		STP_HIDE(at);
		state = STP_REGEX_(_table)[at];
	}
	STP_HIDE(state);
	if (state >= STP_REGEX_STATES)
		return 0;
	STP_HIDE(state);
	return state | (u64)STP_REGEX_(_accept)[state] << 16;
}

#undef STP_REGEX_NAME
#undef STP_REGEX_CLASSES
#undef STP_REGEX_CELLS
#undef STP_REGEX_STATES
#undef STP_REGEX_INNER
