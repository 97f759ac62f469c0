/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Terminated strings in buffers of a known size. What a string variable can't hold is cut and counted. Context: any. */
#include "internal.h"
#include "word.h"

/* Whoever passes another size wants no more than that. */
static inline void cut(u32 size)
{
	if (size == stp_module.limits.string_len)
		stp_cut(STP_LOSS_STRINGS, "a string was cut at MAXSTRINGLEN");
}

/* False: there was more than fits. */
static inline bool copy(char *to, const char *from, u32 size)
{
	char *end = to + size - 1;
	u64 w;

	STP_CHECK_THAT(size && size <= 1u << 30);
	if (to == from)
		return true;
	/* what lies behind the terminator of `to`, within size, may be overwritten */
	while (end - to >= 8) {
		w = stp_word_load(from);
		stp_word_store(to, w);
		if (stp_word_zero(w))
			return true;
		to += 8;
		from += 8;
	}
	while (to < end && (*to = *from)) {
		to++;
		from++;
	}
	*to = 0;
	return STP_LIKELY(to < end) || !*from;
}

void stp_copy(char *to, const char *from, u32 size)
{
	if (STP_UNLIKELY(!copy(to, from, size)))
		cut(size);
}

void stp_append(char *to, const char *from, u32 size)
{
	char *end = to + size - 1;

	STP_CHECK_THAT(size && size <= 1u << 30);
	to += stp_strlen(to);
	STP_CHECK_THAT(!*to);
	/* from may be `to` itself: its length is counted before its terminator is overwritten */
	if (from <= to && to <= from + size) {
		u64 n = (u64)stp_strlen(from);

		if (n > (u64)(end - to)) {
			n = (u64)(end - to);
			cut(size);
		}
		plat_memmove(to, from, n);
		to[n] = 0;
		return;
	}
	if (STP_UNLIKELY(!copy(to, from, (u32)(end - to) + 1)))
		cut(size);
}

s32 stp_compare(const char *a, const char *b)
{
	u32 words;

	return stp_word_compare(a, b, &words);
}

s64 stp_strlen(const char *s)
{
	const char *from = s;
	u64 zero;

	while (!(zero = stp_word_zero(stp_word_load(s))))
		s += 8;
	return s - from + stp_word_length(zero);
}

void stp_string_cut(void)
{
	stp_cut(STP_LOSS_STRINGS, "a string was cut at MAXSTRINGLEN");
}

bool stp_list_line(char *list, u32 size, u32 *len, u64 line)
{
	if (*len + line + 1 >= size) {
		list[*len] = '\0';
		stp_lose(STP_LOSS_LISTING, 1);
		return false;
	}
	*len += (u32)line;
	list[(*len)++] = '\n';
	list[*len] = '\0';
	return true;
}

bool stp_list_address(char *list, u32 size, u32 *len, u64 address)
{
	u32 digits = address ? (67 - (u32)__builtin_clzll(address)) / 4 : 1, i;
	char *at = list + *len;

	if (*len + !!*len + 2 + digits >= size) {
		stp_lose(STP_LOSS_LISTING, 1);
		return false;
	}
	if (*len)
		*at++ = ' ';
	*at++ = '0';
	*at++ = 'x';
	for (i = digits; i-- > 0; address >>= 4)
		at[i] = "0123456789abcdef"[address & 15];
	at[digits] = '\0';
	*len = (u32)(at + digits - list);
	return true;
}
