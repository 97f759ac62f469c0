/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * String operations of programs, with the results of core/string.c and core/format.c. Each is a global function on
 * whole buffers, verified once; those with two nested loops are two functions, since the verifier would otherwise
 * follow the product of their passes. It also follows a loop once for each possible value of a variable that is
 * compared: positions are therefore results of functions, which it does not track. Context: a hit.
 */
#ifndef BPF_TEXT_H
#define BPF_TEXT_H

#ifdef STP_USES_TEXT  /* compiled only if used, since it takes most of the time for a short script */
#define STP_TEXT_MAX (STP_STRLEN - 1)

/* Returns a byte; 0 outside of the buffer. */
STP_INLINE u8 bpf_byte(const struct stp_text *s, u32 at)
{
	STP_HIDE(at);
	return at < STP_STRLEN ? (u8)s->b[at] : 0;
}

STP_INLINE void bpf_set_byte(struct stp_text *s, u32 at, u8 byte)
{
	STP_HIDE(at);
	if (at < STP_STRLEN)
		s->b[at] = (char)byte;
}

/* Copies n bytes starting at a position; the range may be partly outside of the string. */
STP_GLOBAL_FUNCTION int bpf_substr(struct stp_text *to, const struct stp_text *s, s64 start, s64 n)
{
	u32 i, at;
	u8 byte;

	if (!to || !s)
		return 0;
	at = start < 0 || start >= bpf_length(s) || n <= 0 ? STP_TEXT_MAX + 1 : (u32)start;
	for (i = 0; i < STP_TEXT_MAX; i++) {
		byte = i < n ? bpf_byte(s, at + i) : 0;
		bpf_set_byte(to, i, byte);
		if (!byte)
			return 0;
	}
	bpf_set_byte(to, STP_TEXT_MAX, 0);
	return 0;
}

/* Returns the number of bytes of `what` that match at a position; -1 if not all of them do. */
STP_GLOBAL_FUNCTION int bpf_match_at(const struct stp_text *s, const struct stp_text *what, u32 at)
{
	u32 i;
	u8 byte;

	if (!s || !what)
		return -1;
	for (i = 0; i < STP_STRLEN; i++) {
		byte = bpf_byte(what, i);
		if (!byte)
			return (int)i;
		if (bpf_byte(s, at + i) != byte)
			return -1;
	}
	return -1;
}

STP_GLOBAL_FUNCTION int bpf_find(const struct stp_text *s, const struct stp_text *what)
{
	u32 i;

	if (!s || !what)
		return -1;
	for (i = 0; i < STP_STRLEN; i++) {
		if (bpf_match_at(s, what, i) >= 0)
			return (int)i;
		if (!bpf_byte(s, i))
			break;
	}
	return -1;
}

/* Returns 1 if the set contains the byte, which is not 0. */
STP_GLOBAL_FUNCTION int bpf_in_set(const struct stp_text *set, u32 byte)
{
	u32 i;

	if (!set)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		if (!bpf_byte(set, i))
			return 0;
		if (bpf_byte(set, i) == (u8)byte)
			return 1;
	}
	return 0;
}

STP_GLOBAL_FUNCTION int bpf_span(const struct stp_text *s, const struct stp_text *set, u32 member)
{
	u32 i;

	if (!s || !set)
		return 0;
	for (i = 0; i < STP_STRLEN; i++)
		if (!bpf_byte(s, i) || !bpf_in_set(set, bpf_byte(s, i)) != !member)
			return (int)i;
	return STP_TEXT_MAX;
}

/* Returns the value of a digit or letter, or 99. */
STP_GLOBAL_FUNCTION u64 bpf_digit_of(u32 byte)
{
	u8 letter = (u8)byte | 32;

	return byte >= '0' && byte <= '9' ? byte - '0' : letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 99;
}

/* A function of its own, so that the verifier follows the digits once, and not for each form of the start. */
STP_GLOBAL_FUNCTION u64 bpf_digits_of(const struct stp_text *s, u32 at, s64 base)
{
	u64 n = 0, digit;
	u32 i;
	u8 byte;

	if (!s)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		byte = bpf_byte(s, at + i);
		if (!byte)             /* otherwise the verifier would go on after the end of the string */
			break;
		digit = bpf_digit_of(byte);
		if ((s64)digit >= base)
			break;
		n = n * (u64)base + digit;
	}
	return n;
}

STP_GLOBAL_FUNCTION u64 bpf_number_of(const struct stp_text *s, s64 base)
{
	u32 at = 0;
	bool negative;
	u64 n;

	if (!s)
		return 0;
	negative = bpf_byte(s, 0) == '-';
	at = negative;
	if ((base == 0 || base == 16) && bpf_byte(s, at) == '0' && (bpf_byte(s, at + 1) | 32) == 'x') {
		at += 2;
		base = 16;
	}
	if (base == 0)
		base = bpf_byte(s, at) == '0' ? 8 : 10;
	n = bpf_digits_of(s, at, base);
	return negative ? 0 - n : n;
}

STP_GLOBAL_FUNCTION int bpf_basename(struct stp_text *to, const struct stp_text *path)
{
	u32 i, last = 0;
	u8 byte;

	if (!to || !path)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		byte = bpf_byte(path, i);
		if (!byte)
			break;
		if (byte == '/')
			last = i + 1;
	}
	bpf_substr(to, path, last, STP_STRLEN);
	return 0;
}

/* Writes a string at a position, truncated to the buffer, and returns the position after it. */
STP_GLOBAL_FUNCTION int bpf_put_at(struct stp_text *to, u32 at, const struct stp_text *s)
{
	u32 i;
	u8 byte;

	if (!to || !s)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		byte = bpf_byte(s, i);
		if (!byte)
			break;
		if (at + i < STP_TEXT_MAX)
			bpf_set_byte(to, at + i, byte);
	}
	return (int)(at + i);
}

/* Terminates a string that may have been truncated. */
STP_INLINE void bpf_end_at(struct stp_text *to, u32 at)
{
	if (at > STP_TEXT_MAX) {
		bpf_lose(STP_LOSS_STRINGS);
		at = STP_TEXT_MAX;
	}
	bpf_set_byte(to, at, 0);
}

/* State of a replacement: positions in s and in `to`. */
#define STP_REPLACE_DONE (1ull << 63)

/* Replaces one `what`, or copies one byte; returns the new state. */
STP_GLOBAL_FUNCTION u64 bpf_replace_step(struct stp_text *to, const struct stp_text *s, const struct stp_text *what,
					 const struct stp_text *with, u64 state)
{
	u32 from = (u32)state & 0xffff, at = (u32)(state >> 32) & 0xffffff;
	int n;

	if (!to || !s || !what || !with)
		return STP_REPLACE_DONE;
	if (!bpf_byte(s, from) || at > STP_TEXT_MAX)
		return state | STP_REPLACE_DONE;
	n = bpf_match_at(s, what, from);
	if (n > 0)
		return (u64)(u32)bpf_put_at(to, at, with) << 32 | (from + (u32)n);
	if (at < STP_TEXT_MAX)
		bpf_set_byte(to, at, bpf_byte(s, from));
	return (u64)(at + 1) << 32 | (from + 1);
}

STP_GLOBAL_FUNCTION int bpf_replace(struct stp_text *to, const struct stp_text *s, const struct stp_text *what,
				    const struct stp_text *with)
{
	u64 state = 0;
	u32 i;

	if (!to || !s || !what || !with)
		return 0;
	for (i = 0; i < STP_STRLEN && !(state & STP_REPLACE_DONE); i++)
		state = bpf_replace_step(to, s, what, with, state);
	bpf_end_at(to, (u32)(state >> 32) & 0xffffff);
	return 0;
}

#define stp_substr(c, to, s, start, n) ((void)bpf_substr((struct stp_text *)(to), STP_AS_TEXT(s), start, n))
#define stp_stack_addresses(c, to, s)									\
	((void)bpf_substr((struct stp_text *)(to), STP_AS_TEXT(s),				\
			  bpf_byte(STP_AS_TEXT(s), 0) == STP_MARK ? STP_MARK_HEAD : 0, STP_STRLEN))
#define stp_find(c, s, what) ((s64)bpf_find(STP_AS_TEXT(s), STP_AS_TEXT(what)))
#define stp_span(c, s, set, member) ((s64)bpf_span(STP_AS_TEXT(s), STP_AS_TEXT(set), member))
/* Checked here instead of in bpf_number_of(), where the verifier would follow each digit for each range of the
 * base. */
#define stp_strtol(c, s, base) ({						\
	s64 base_ = (base);							\
										\
	base_ > 36 ? 0 : (s64)bpf_number_of(STP_AS_TEXT(s), base_);		\
})
#define stp_basename(c, to, path) ((void)bpf_basename((struct stp_text *)(to), STP_AS_TEXT(path)))
#define stp_replace(c, to, s, what, with)					\
	((void)bpf_replace((struct stp_text *)(to), STP_AS_TEXT(s), STP_AS_TEXT(what), STP_AS_TEXT(with)))
STP_INLINE s64 bpf_character(struct stp_ctx *c, const char *s, s64 at)
{
	if (at >= 0 && at <= stp_strlen(s))
		return bpf_byte(STP_AS_TEXT(s), (u32)at);
	bpf_error(c, STP_BPF_POSITION, (u64)at);
	return 0;
}
#define stp_character(c, s, at) bpf_character(c, s, at)

/* ------------------------------------------------------------------ formatted numbers and strings */

/*
 * A conversion with its flags, width and precision, in one word. A width that exceeds the size of a string is
 * reduced.
 */
#define STP_SPEC(conv, flags, width, precision)					\
	((u64)(u8)(conv) | (u64)(u8)(flags) << 8 | (u64)bpf_field(width) << 24 |	\
	 (u64)bpf_field(precision) << 40)
#define STP_SPEC_CONV(spec) ((u8)(spec))
#define STP_SPEC_FLAGS(spec) ((u8)((spec) >> 8))
#define STP_SPEC_WIDTH(spec) ((u32)((spec) >> 24 & 0xffff))
#define STP_SPEC_PRECISION(spec) ((u32)((spec) >> 40 & 0xffff))
#define STP_NO_PRECISION 0xffff

STP_INLINE u32 bpf_field(s64 n)
{
	return n < 0 ? STP_NO_PRECISION : n > STP_STRLEN ? STP_STRLEN : (u32)n;
}

/* Does the same as set_width() and set_precision() of core/format.c: a negative width in an argument selects left
 * alignment. */
STP_INLINE u64 bpf_spec(char conv, u8 flags, s64 width, s64 precision)
{
	flags |= width < -1 ? STP_FLAG_LEFT : 0;
	width = width < -1 ? -width : width == -1 ? 0 : width;
	return STP_SPEC(conv, flags, width, precision);
}

STP_GLOBAL_FUNCTION int bpf_pad(struct stp_text *to, u32 at, u32 byte, u32 n)
{
	u32 i;

	if (!to)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		if (i >= n)
			break;
		if (at + i < STP_TEXT_MAX)
			bpf_set_byte(to, at + i, (u8)byte);
	}
	return (int)(at + n);
}

STP_GLOBAL_FUNCTION int bpf_digits(u64 v, u32 base)
{
	u32 n = 1, i;

	for (i = 0; i < 22; i++) {
		v /= base;
		if (!v)
			break;
		n++;
	}
	return (int)n;
}

STP_INLINE u32 bpf_base(u8 conv)
{
	return conv == 'x' || conv == 'X' || conv == 'p' ? 16 : conv == 'o' ? 8 : 10;
}

/* Returns the characters before the digits, the first one in the lowest byte. */
STP_GLOBAL_FUNCTION int bpf_prefix(u64 spec, u32 negative)
{
	u8 conv = STP_SPEC_CONV(spec), flags = STP_SPEC_FLAGS(spec);

	if (conv == 'd')
		return negative ? '-' : flags & STP_FLAG_PLUS ? '+' : flags & STP_FLAG_SPACE ? ' ' : 0;
	if (conv == 'p' || ((flags & STP_FLAG_ALTERNATE) && conv == 'x'))
		return '0' | 'x' << 8;
	return (flags & STP_FLAG_ALTERNATE) && conv == 'X' ? '0' | 'X' << 8 : 0;
}

/* Returns the number of zeros that precede the n digits of `value`, which is not 0, after a prefix of this length. */
STP_GLOBAL_FUNCTION int bpf_zeros(u64 spec, u32 prefix, u32 n, u64 value)
{
	u32 width = STP_SPEC_WIDTH(spec), precision = STP_SPEC_PRECISION(spec);
	u8 flags = STP_SPEC_FLAGS(spec);

	if (precision != STP_NO_PRECISION && precision > n)
		return (int)(precision - n);
	if ((flags & (STP_FLAG_ZERO | STP_FLAG_LEFT)) == STP_FLAG_ZERO && precision == STP_NO_PRECISION && width > prefix + n)
		return (int)(width - prefix - n);
	return (flags & STP_FLAG_ALTERNATE) && STP_SPEC_CONV(spec) == 'o' && (value || !n);
}

/* Writes the lowest digit, and returns the number without that digit. */
STP_GLOBAL_FUNCTION u64 bpf_put_digit(struct stp_text *to, u32 at, u64 v, u32 conv)
{
	u32 base = bpf_base((u8)conv);
	u8 digit = (u8)(v % base);

	if (!to)
		return 0;
	digit += digit < 10 ? '0' : conv == 'X' ? 'A' - 10 : 'a' - 10;
	if (at < STP_TEXT_MAX)
		bpf_set_byte(to, at, digit);
	return v / base;
}

/* Writes the lowest n digits. */
STP_INLINE int bpf_put_digits(struct stp_text *to, u32 at, u64 v, u32 n, u32 conv)
{
	u32 i;

	for (i = 0; i < 22 && i < n; i++)
		v = bpf_put_digit(to, at + n - 1 - i, v, conv);
	return (int)(at + n);
}

STP_GLOBAL_FUNCTION int bpf_put_number(struct stp_text *to, u32 at, u64 v, u64 spec)
{
	u32 width = STP_SPEC_WIDTH(spec), prefix, n, zeros, len, i;
	bool negative = STP_SPEC_CONV(spec) == 'd' && (s64)v < 0;

	if (!to)
		return 0;
	v = negative ? 0 - v : v;
	n = STP_SPEC_PRECISION(spec) == 0 && v == 0 ? 0 : (u32)bpf_digits(v, bpf_base(STP_SPEC_CONV(spec)));
	prefix = (u32)bpf_prefix(spec, negative);
	len = !prefix ? 0 : prefix >> 8 ? 2 : 1;
	zeros = (u32)bpf_zeros(spec, len, n, v);
	width = width > len + zeros + n ? width - len - zeros - n : 0;
	if (!(STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT))
		at = (u32)bpf_pad(to, at, ' ', width);
	for (i = 0; i < 2; i++)
		if (i < len && at + i < STP_TEXT_MAX)
			bpf_set_byte(to, at + i, (u8)(prefix >> 8 * i));
	at = (u32)bpf_pad(to, at + len, '0', zeros);
	at = (u32)bpf_put_digits(to, at, v, n, STP_SPEC_CONV(spec));
	return STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT ? bpf_pad(to, at, ' ', width) : (int)at;
}

/* Returns the characters of a byte in a C literal, the first one in the lowest byte; *n: their number. */
STP_INLINE u32 bpf_escape(u8 byte, u8 quote, u32 *n)
{
	u64 named = 0x7266766e746261ull;       /* "abtnvfr", the escapes of bytes 7 to 13 */

	*n = 2;
	if (byte >= 7 && byte <= 13)
		return '\\' | (u32)(named >> 8 * (byte - 7) & 255) << 8;
	if (byte == '\\' || byte == quote)
		return '\\' | (u32)byte << 8;
	*n = 1;
	if (byte >= ' ' && byte < 127)
		return byte;
	*n = 4;
	return '\\' | (u32)('0' + (byte >> 6)) << 8 | (u32)('0' + (byte >> 3 & 7)) << 16 | (u32)('0' + (byte & 7)) << 24;
}

STP_GLOBAL_FUNCTION int bpf_put_escaped(struct stp_text *to, u32 at, u32 byte, u32 quote)
{
	u32 n, text = bpf_escape((u8)byte, (u8)quote, &n), i;

	if (!to)
		return 0;
#pragma unroll
	for (i = 0; i < 4; i++)
		if (i < n && at + i < STP_TEXT_MAX)
			bpf_set_byte(to, at + i, (u8)(text >> 8 * i));
	return (int)(at + n);
}

/* Returns the number of characters of a byte. A function of its own: branches in loops over strings are limited by
 * the verifier. */
STP_GLOBAL_FUNCTION int bpf_escaped_size(u32 byte, u32 quote)
{
	u32 n;

	bpf_escape((u8)byte, (u8)quote, &n);
	return (int)n;
}

/* Returns the length of a string with escapes, for up to `limit` of its bytes. */
STP_GLOBAL_FUNCTION int bpf_escaped_length(const struct stp_text *s, u32 limit)
{
	u32 i, len = 0;

	if (!s)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		if (i >= limit || !bpf_byte(s, i))
			break;
		len += (u32)bpf_escaped_size(bpf_byte(s, i), '"');
	}
	return (int)len;
}

STP_GLOBAL_FUNCTION int bpf_put_escaped_bytes(struct stp_text *to, u32 at, const struct stp_text *s, u32 limit)
{
	u32 i;

	if (!to || !s)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		if (i >= limit || !bpf_byte(s, i))
			break;
		at = (u32)bpf_put_escaped(to, at, bpf_byte(s, i), '"');
	}
	return (int)at;
}

STP_GLOBAL_FUNCTION int bpf_put_bytes(struct stp_text *to, u32 at, const struct stp_text *s, u32 limit)
{
	u32 i;

	if (!to || !s)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		if (i >= limit || !bpf_byte(s, i))
			break;
		if (at + i < STP_TEXT_MAX)
			bpf_set_byte(to, at + i, bpf_byte(s, i));
	}
	return (int)(at + i);
}

STP_GLOBAL_FUNCTION int bpf_put_string(struct stp_text *to, u32 at, const struct stp_text *s, u64 spec)
{
	u32 width = STP_SPEC_WIDTH(spec), limit = STP_SPEC_PRECISION(spec), len = 0;
	bool escaped = STP_SPEC_FLAGS(spec) & STP_FLAG_ALTERNATE;

	if (!to || !s)
		return 0;
	if (width) {
		len = escaped ? (u32)bpf_escaped_length(s, limit) : (u32)bpf_length(s);
		if (!escaped && len > limit)
			len = limit;
	}
	if (width > len && !(STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT))
		at = (u32)bpf_pad(to, at, ' ', width - len);
	at = (u32)(escaped ? bpf_put_escaped_bytes(to, at, s, limit) : bpf_put_bytes(to, at, s, limit));
	if (width > len && (STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT))
		at = (u32)bpf_pad(to, at, ' ', width - len);
	return (int)at;
}

STP_GLOBAL_FUNCTION int bpf_put_char(struct stp_text *to, u32 at, u32 byte, u64 spec)
{
	u32 width = STP_SPEC_WIDTH(spec), len = 1;

	if (!to)
		return 0;
	if (STP_SPEC_FLAGS(spec) & STP_FLAG_ALTERNATE)
		bpf_escape((u8)byte, '\'', &len);
	if (width > len && !(STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT))
		at = (u32)bpf_pad(to, at, ' ', width - len);
	if (STP_SPEC_FLAGS(spec) & STP_FLAG_ALTERNATE) {
		at = (u32)bpf_put_escaped(to, at, (u8)byte, '\'');
	} else {
		if (at < STP_TEXT_MAX)
			bpf_set_byte(to, at, (u8)byte);
		at++;
	}
	if (width > len && (STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT))
		at = (u32)bpf_pad(to, at, ' ', width - len);
	return (int)at;
}

/* Writes the lowest bytes of a number: 1, 2, 4 or 8 of them. */
STP_GLOBAL_FUNCTION int bpf_put_binary(struct stp_text *to, u32 at, u64 v, u64 spec)
{
	u32 precision = STP_SPEC_PRECISION(spec), width = STP_SPEC_WIDTH(spec), i;
	u32 n = precision == 1 || precision == 2 || precision == 4 ? precision : 8;

	if (!to)
		return 0;
	width = width > n ? width - n : 0;
	if (!(STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT))
		at = (u32)bpf_pad(to, at, ' ', width);
#pragma unroll
	for (i = 0; i < 8; i++)
		if (i < n && at + i < STP_TEXT_MAX)
			bpf_set_byte(to, at + i, (u8)(v >> 8 * i));
	at += n;
	return STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT ? bpf_pad(to, at, ' ', width) : (int)at;
}

/* Writes the text at an address as a C literal, or the address if it cannot be read. An address in the lower
 * half is in user memory, also for probes of the kernel. */
STP_GLOBAL_FUNCTION int bpf_put_quoted(struct stp_slot *s, struct stp_text *to, u32 at, u64 address, u64 spec)
{
	s64 n;

	if (!s || !to)
		return 0;
	if (STP_SPEC_CONV(spec) == 'Q' || (s64)address >= 0)
		n = bpf_probe_read_user_str(s->quoted.b, STP_STRLEN, (void *)address);
	else
		n = bpf_probe_read_kernel_str(s->quoted.b, STP_STRLEN, (void *)address);
	if (n < 0)
		return bpf_put_number(to, at, address, bpf_spec('p', 0, -1, -1));
	if (at < STP_TEXT_MAX)
		bpf_set_byte(to, at, '"');
	at = (u32)bpf_put_escaped_bytes(to, at + 1, &s->quoted, STP_SPEC_PRECISION(spec));
	if (at < STP_TEXT_MAX)
		bpf_set_byte(to, at, '"');
	return (int)(at + 1);
}

/* Does the same as stp_quote() of core/format.c. Bytes that are written past the end are not part of the string. */
STP_GLOBAL_FUNCTION int bpf_quote_within(struct stp_text *to, const struct stp_text *s, u32 max, u32 quoted)
{
	u32 end, dots = max < 5 ? 0 : 3, at, next, kept, i;
	u8 byte = 0;

	if (!to || !s)
		return 0;
	at = kept = (u32)bpf_pad(to, 0, '"', quoted);
	end = max - quoted;
	for (i = 0; i < STP_STRLEN; i++) {
		byte = bpf_byte(s, i);
		if (!byte)
			break;
		next = (u32)bpf_put_escaped(to, at, byte, '"');
		if (next > end)
			break;
		at = next;
		if (at + dots <= end)
			kept = at;
	}
	at = byte && quoted ? kept : at;
	if (quoted) {
		bpf_set_byte(to, at, '"');
		at++;
		if (byte)
			at = (u32)bpf_pad(to, at, '.', dots);
	}
	bpf_end_at(to, at);
	return byte != 0;
}

STP_INLINE void bpf_quote(struct stp_text *to, const struct stp_text *s, s64 limit, bool quoted)
{
	u32 max = STP_TEXT_MAX;
	bool at_limit = limit > 0 && limit < max;

	if (at_limit)
		max = !quoted || limit >= 5 ? (u32)limit : max < 5 ? max : 5;
	if (bpf_quote_within(to, s, max, quoted) && !at_limit)
		bpf_lose(STP_LOSS_STRINGS);
}
#define stp_quote(c, to, s, limit, quoted) bpf_quote((struct stp_text *)(to), STP_AS_TEXT(s), limit, quoted)

/* Writes a byte as core/string.c does: in a string of JSON, or (label) in the value of a label. */
STP_GLOBAL_FUNCTION int bpf_put_json(struct stp_text *to, u32 at, u32 byte, u32 label)
{
	u32 named = byte == '\n' ? 'n' : byte == '\t' && !label ? 't' : byte == '"' || byte == '\\' ? byte : 0;

	if (!to)
		return 0;
	if (!named && (label || byte >= ' ')) {
		bpf_set_byte(to, at, (u8)byte);
		return (int)(at + 1);
	}
	bpf_set_byte(to, at, '\\');
	bpf_set_byte(to, at + 1, named ? (u8)named : 'u');
	if (named)
		return (int)(at + 2);
	bpf_set_byte(to, at + 2, '0');
	bpf_set_byte(to, at + 3, '0');
	bpf_set_byte(to, at + 4, '0' + (byte >> 4));
	bpf_set_byte(to, at + 5, (byte & 15) + ((byte & 15) < 10 ? '0' : 'a' - 10));
	return (int)(at + 6);
}

STP_GLOBAL_FUNCTION int bpf_quote_as(struct stp_text *to, const struct stp_text *s, u32 label)
{
	u32 i, at;
	u8 byte = 0;

	if (!to || !s)
		return 0;
	at = (u32)bpf_pad(to, 0, '"', 1);
	for (i = 0; i < STP_STRLEN; i++) {
		byte = bpf_byte(s, i);
		if (!byte || at + (label ? 4 : 8) >= STP_STRLEN)
			break;
		at = (u32)bpf_put_json(to, at, byte, label);
	}
	if (byte)
		bpf_lose(STP_LOSS_STRINGS);
	bpf_set_byte(to, at, '"');
	bpf_end_at(to, at + 1);
	return 0;
}
#define stp_quote_json(c, to, s) ((void)bpf_quote_as((struct stp_text *)(to), STP_AS_TEXT(s), 0))
#define stp_quote_label(c, to, s) ((void)bpf_quote_as((struct stp_text *)(to), STP_AS_TEXT(s), 1))

STP_INLINE void bpf_prefixed(struct stp_text *to, const char *before, s64 n)
{
	u32 at = (u32)bpf_put_at(to, 0, STP_AS_TEXT(before));

	bpf_end_at(to, (u32)bpf_put_number(to, at, (u64)n, bpf_spec('d', 0, -1, -1)));
}
#define stp_prefixed(c, to, before, n) bpf_prefixed((struct stp_text *)(to), before, n)

/* A truncated command is not run: see stp_system() of core/print.c. */
STP_INLINE void bpf_system(struct stp_ctx *c, const char *command)
{
	u32 most = STP_MSG_MAX - sizeof(struct stp_msg), at;
	struct stp_text *to = &STP_SLOT(c)->error_text;

	if (most > STP_STRLEN - 2)
		most = STP_STRLEN - 2;
	if (stp_strlen(command) <= most) {
		bpf_put_message(c, STP_ITEM_SYSTEM, command);
		return;
	}
	if (c->error)
		return;
	at = (u32)bpf_put_at(to, 0, STP_AS_TEXT(STP_LITERAL("system(): commands of ")));
	at = (u32)bpf_put_number(to, at, most + 1, bpf_spec('d', 0, -1, -1));
	at = (u32)bpf_put_at(to, at, STP_AS_TEXT(STP_LITERAL(" bytes or more are not run, since they may have been cut "
							     "(-DMAXSTRINGLEN=N)")));
	bpf_end_at(to, at);
	bpf_error(c, STP_BPF_TEXT, 0);
}
#define stp_system(c, command) bpf_system(c, command)

#include "bpf_names.h"

/* ------------------------------------------------------------------ strings that system calls get */

/* Writes a byte as put_escaped() of core/syscall.c: an escape has as few digits as the next byte allows. */
STP_GLOBAL_FUNCTION int bpf_put_call_byte(struct stp_text *to, u32 at, u32 byte, u32 next)
{
	u32 digits = (next >= '0' && next <= '7') || byte >= 64 ? 3 : byte >= 8 ? 2 : 1, i;

	if (!to)
		return 0;
	if ((byte >= ' ' && byte < 127) || (byte >= 9 && byte <= 13))
		return bpf_put_escaped(to, at, byte, '"');
	if (at < STP_TEXT_MAX)
		bpf_set_byte(to, at, '\\');
#pragma unroll
	for (i = 0; i < 3; i++)
		if (i < digits && at + digits - i < STP_TEXT_MAX)
			bpf_set_byte(to, at + digits - i, (u8)('0' + (byte >> 3 * i & 7)));
	return (int)(at + 1 + digits);
}

STP_GLOBAL_FUNCTION int bpf_call_string(struct stp_slot *s, struct stp_text *to, u64 address)
{
	u32 i, at = 1, byte = 0;

	if (!s || !to)
		return 0;
	if (!address) {
		bpf_copy(to, STP_AS_TEXT(STP_LITERAL("NULL")));
		return 0;
	}
	if (bpf_probe_read_user_str(s->quoted.b, STP_STRLEN, (void *)address) < 0) {
		bpf_end_at(to, (u32)bpf_put_number(to, 0, address, bpf_spec('p', 0, -1, -1)));
		return 0;
	}
	bpf_set_byte(to, 0, '"');
	for (i = 0; i < STP_STRLEN - 1; i++) {
		byte = bpf_byte(&s->quoted, i);
		if (!byte)
			break;
		at = (u32)bpf_put_call_byte(to, at, byte, bpf_byte(&s->quoted, i + 1));
		byte = bpf_byte(&s->quoted, i + 1);
		if (at + 8 > STP_TEXT_MAX)
			break;
	}
	for (i = 0; i < (byte ? 4 : 1); i++)
		if (at + i < STP_TEXT_MAX)
			bpf_set_byte(to, at + i, i ? '.' : '"');
	bpf_end_at(to, at + i);
	return 0;
}
#define stp_syscall_string(c, to, size, address)				\
	((void)bpf_call_string(STP_SLOT(c), (struct stp_text *)(to), address))

/* ------------------------------------------------------------------ sprintf() */

/* The pieces of a sprintf(), one call each, between STP_TEXT_BEGIN and STP_TEXT_END; at_ is the current position. */
#define STP_TEXT_BEGIN(c, to) {							\
	struct stp_slot *s_ = STP_SLOT(c);					\
	struct stp_text *to_ = (struct stp_text *)(to);				\
	u32 at_ = 0
#define STP_TEXT_LITERAL(text) at_ = (u32)bpf_put_at(to_, at_, STP_AS_TEXT(text))
#define STP_TEXT_NUMBER(conv, flags, width, precision, v)			\
	at_ = (u32)bpf_put_number(to_, at_, (u64)(v), bpf_spec(conv, flags, width, precision))
#define STP_TEXT_CHAR(conv, flags, width, precision, v)				\
	at_ = (u32)bpf_put_char(to_, at_, (u32)(v), bpf_spec(conv, flags, width, precision))
#define STP_TEXT_BINARY(conv, flags, width, precision, v)			\
	at_ = (u32)bpf_put_binary(to_, at_, (u64)(v), bpf_spec(conv, flags, width, precision))
#define STP_TEXT_STRING(conv, flags, width, precision, s)			\
	at_ = (u32)bpf_put_string(to_, at_, STP_AS_TEXT(s), bpf_spec(conv, flags, width, precision))
#define STP_TEXT_QUOTED(conv, flags, width, precision, v)			\
	at_ = (u32)bpf_put_quoted(s_, to_, at_, (u64)(v), bpf_spec(conv, flags, width, precision))
#define STP_TEXT_END() bpf_end_at(to_, at_); } do { } while (0)

/* ------------------------------------------------------------------ regular expressions: see bpf_match.h */

/*
 * Section of tables of numbers. libbpf does not find them in the sections that the compiler names after the size of
 * constants.
 */
#define STP_TABLE_SECTION SEC(".rodata.tables")
/* Inputs of an automaton instead of a byte, at the start of a walk: at an end of the text, and inside the text. */
#define STP_REGEX_AT_END 256
#define STP_REGEX_AT_INNER 257
/* Replace struct stp_regex, struct stp_regex_groups and struct stp_regex_part: numbers of tables and of rows.
 * Only constants are read from the first two, so they need no memory. */
struct stp_regex_number { u32 number; };
struct stp_regex_plan { u16 find, whole, root, groups; };
struct stp_regex_row { u16 kind, group, last, a, b, head, tail, unused; };

/* ------------------------------------------------------------------ texts of errors */

/* The texts are the same as in records.c. */
STP_GLOBAL_FUNCTION int bpf_error_message(struct stp_slot *s, struct stp_text *to)
{
	u64 code = s ? (u64)s->c.error : 0;
	u32 at = 0;

	if (!s || !to)
		return 0;
#define STP_BPF_MESSAGE(error, before, conversion, after)			\
	if (code == error) {							\
		at = (u32)bpf_put_at(to, 0, STP_AS_TEXT(STP_LITERAL(before)));	\
		if (conversion)							\
			at = (u32)bpf_put_number(to, at, s->error_argument, bpf_spec(conversion, 0, -1, -1));	\
		at = (u32)bpf_put_at(to, at, STP_AS_TEXT(STP_LITERAL(after)));	\
	}
#include "bpf_errors.def"
	if (code == STP_BPF_TEXT)
		at = (u32)bpf_put_at(to, 0, &s->error_text);
	bpf_end_at(to, at);
	return 0;
}

#else
#define bpf_error_message(s, to) ((void)0)
#endif

STP_INLINE bool bpf_catch(struct stp_ctx *c, char *to)
{
	if (c->fatal)
		return false;
	if (to)
		bpf_error_message(STP_SLOT(c), (struct stp_text *)to);
	c->error = NULL;
	STP_SLOT(c)->where = STP_SLOT(c)->ncallers = 0;
	return true;
}
#define stp_catch(c, to, size) bpf_catch(c, to)

#endif
