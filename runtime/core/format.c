/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formatted output for scripts (formats are parsed by the translator) and for C (parsed here), into a sink.
 * Context: a handler's. Numbers have 64 bits. Differences from C in scripts: %p is %#x; # prints 0
 * as 0x0; %b writes the number's bytes, %m and %M memory.
 */
#include "internal.h"
#include "string_words.h"

struct spec {
	u8 flags;                  /* enum stp_format_flag */
	s32 width, precision;      /* -1 none */
};

#define PAGE 4096                  /* maximum size of %m and %M */

static const char digit_pairs[] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

char *stp_digits(char *end, u64 n)
{
	while (n >= 100) {
		const char *pair = digit_pairs + n % 100 * 2;

		n /= 100;
		*--end = pair[1];
		*--end = pair[0];
	}
	if (n >= 10) {
		*--end = digit_pairs[n * 2 + 1];
		*--end = digit_pairs[n * 2];
	} else {
		*--end = (char)('0' + n);
	}
	return end;
}

static char *digits_shift(char *end, u64 n, u32 shift, const char *digits)
{
	do {
		*--end = digits[n & ((1u << shift) - 1)];
		n >>= shift;
	} while (n);
	return end;
}

static inline __attribute__((__always_inline__)) void put_field(struct stp_sink *k, const char *text, u64 len,
								const struct spec *f)
{
	u64 pad = f->width > 0 && (u64)f->width > len ? (u64)f->width - len : 0;

	if (pad && !(f->flags & STP_FLAG_LEFT))
		stp_sink_pad(k, ' ', pad);
	stp_sink_put(k, text, len);
	if (pad && (f->flags & STP_FLAG_LEFT))
		stp_sink_pad(k, ' ', pad);
}

static inline void put_literal(struct stp_sink *k, const char *text, u32 n)
{
	if (STP_LIKELY((u64)(k->end - k->at) >= n))
		k->at = stp_put_bytes(k->at, text, n);
	else
		stp_sink_put(k, text, n);
}

/* Writes prefix, zeros and digits as one field. */
static void put_number(struct stp_sink *k, const char *prefix, u64 zeros, const char *digits,
		       u64 n, const struct spec *f)
{
	u64 prefix_len = (u64)stp_strlen(prefix), len, pad = 0;

	if ((f->flags & (STP_FLAG_ZERO | STP_FLAG_LEFT)) == STP_FLAG_ZERO && f->precision < 0 && f->width > 0 &&
	    (u64)f->width > prefix_len + n)
		zeros = (u64)f->width - prefix_len - n;
	len = prefix_len + zeros + n;
	if (f->width > 0 && (u64)f->width > len)
		pad = (u64)f->width - len;
	if (!(f->flags & STP_FLAG_LEFT))
		stp_sink_pad(k, ' ', pad);
	stp_sink_put(k, prefix, prefix_len);
	stp_sink_pad(k, '0', zeros);
	stp_sink_put(k, digits, n);
	if (f->flags & STP_FLAG_LEFT)
		stp_sink_pad(k, ' ', pad);
}

static void put_integer(struct stp_sink *k, char conv, u64 v, const struct spec *f)
{
	char buffer[24], *end = buffer + sizeof(buffer), *p;
	const char *prefix = "";
	u64 n, zeros = 0;

	if (conv == 'x' || conv == 'p')
		p = digits_shift(end, v, 4, "0123456789abcdef");
	else if (conv == 'X')
		p = digits_shift(end, v, 4, "0123456789ABCDEF");
	else if (conv == 'o')
		p = digits_shift(end, v, 3, "01234567");
	else
		p = stp_digits(end, conv == 'u' || (s64)v >= 0 ? v : 0 - v);
	if (f->precision == 0 && v == 0)
		p = end;
	n = (u64)(end - p);
	if (f->precision > 0 && (u64)f->precision > n)
		zeros = (u64)f->precision - n;
	if (conv == 'd' || conv == 'i') {
		if ((s64)v < 0)
			prefix = "-";
		else if (f->flags & STP_FLAG_PLUS)
			prefix = "+";
		else if (f->flags & STP_FLAG_SPACE)
			prefix = " ";
	} else if (conv == 'p' || ((f->flags & STP_FLAG_ALTERNATE) && conv == 'x')) {
		prefix = "0x";
	} else if ((f->flags & STP_FLAG_ALTERNATE) && conv == 'X') {
		prefix = "0X";
	} else if ((f->flags & STP_FLAG_ALTERNATE) && conv == 'o' && !zeros && (n == 0 || *p != '0')) {
		zeros = 1;
	}
	put_number(k, prefix, zeros, p, n, f);
}

/* Writes one byte as in a C literal with this quote character; returns the number of characters, at most 4. */
static u32 escape(char *to, u8 byte, char quote)
{
	static const char named[] = "abtnvfr";     /* escapes of bytes 7 to 13 */

	to[0] = '\\';
	if (byte >= 7 && byte <= 13) {
		to[1] = named[byte - 7];
		return 2;
	}
	if (byte == '\\' || byte == (u8)quote) {
		to[1] = (char)byte;
		return 2;
	}
	if (byte >= ' ' && byte < 127) {
		to[0] = (char)byte;
		return 1;
	}
	to[1] = (char)('0' + (byte >> 6));
	to[2] = (char)('0' + (byte >> 3 & 7));
	to[3] = (char)('0' + (byte & 7));
	return 4;
}

void stp_prefixed(struct stp_ctx *c, char *to, const char *before, s64 n)
{
	struct stp_format f[] = { { before, (u16)stp_strlen(before), 0, 0, -1, -1 }, { NULL, 0, 'd', 0, -1, -1 } };
	union stp_val v = { .n = n };

	stp_sprintf(c, to, stp_module.limits.string_len, f, 2, &v);
}

void stp_quote(struct stp_ctx *c, char *to, const char *text, s64 limit, bool quoted)
{
	u64 max = stp_module.limits.string_len - 1, available, dots, len = 0, kept = 0;
	bool at_limit = limit > 0 && (u64)limit < max;
	char one[4];
	u32 n;

	stp_charge(c, stp_strlen(text) * STP_WORK_QUOTED);
	if (at_limit)
		max = !quoted || limit >= 5 ? (u64)limit : max < 5 ? max : 5;
	available = max - (quoted ? 2 : 0);
	dots = max < 5 ? 0 : 3;
	if (quoted)
		*to++ = '"';
	for (; *text; text++) {
		n = escape(one, (u8)*text, '"');
		if (len + n > available)
			break;
		plat_memcpy(to + len, one, n);
		len += n;
		if (len + dots <= available)
			kept = len;
	}
	if (quoted)
		to = stp_put_bytes(to + (*text ? kept : len), "\"...", 1 + (*text ? dots : 0));
	else
		to += len;
	*to = 0;
	if (*text && !at_limit)
		stp_cut(STP_LOSS_STRINGS, "a string was cut at MAXSTRINGLEN");
}

static void put_char(struct stp_sink *k, u8 byte, const struct spec *f)
{
	char text[4];
	u32 len = 1;

	text[0] = (char)byte;
	if (f->flags & STP_FLAG_ALTERNATE)
		len = escape(text, byte, '\'');
	put_field(k, text, len, f);
}

static void put_string(struct stp_sink *k, const char *s, const struct spec *f)
{
	u64 limit = f->precision < 0 ? ~0ull : (u64)f->precision, i, len = 0;
	char text[4];

	if (!(f->flags & STP_FLAG_ALTERNATE)) {
		len = f->precision < 0 ? (u64)stp_strlen(s) : 0;
		while (len < limit && f->precision >= 0 && s[len])
			len++;
		put_field(k, s, len, f);
		return;
	}
	for (i = 0; i < limit && s[i]; i++)
		len += escape(text, (u8)s[i], '"');
	if (!(f->flags & STP_FLAG_LEFT) && f->width > 0 && (u64)f->width > len)
		stp_sink_pad(k, ' ', (u64)f->width - len);
	for (i = 0; i < limit && s[i]; i++)
		stp_sink_put(k, text, escape(text, (u8)s[i], '"'));
	if ((f->flags & STP_FLAG_LEFT) && f->width > 0 && (u64)f->width > len)
		stp_sink_pad(k, ' ', (u64)f->width - len);
}

/* Writes the lowest bytes of a number, as many as the precision, in native order. */
static void put_binary(struct stp_sink *k, s64 v, const struct spec *f)
{
	u8 one = (u8)v;
	u16 two = (u16)v;
	u32 four = (u32)v;

	switch (f->precision) {
	case 1: put_field(k, (const char *)&one, 1, f); break;
	case 2: put_field(k, (const char *)&two, 2, f); break;
	case 4: put_field(k, (const char *)&four, 4, f); break;
	default: put_field(k, (const char *)&v, 8, f);
	}
}

/* Stops at a fault, after the load has raised the soft error. */
static void put_memory(struct stp_sink *k, struct stp_ctx *c, u64 address, const struct spec *f, bool hex)
{
	u64 n = f->precision < 1 ? 1 : f->precision < PAGE ? (u64)f->precision : PAGE, len, i;
	char text[2];
	u8 byte;

	len = hex ? 2 * n : n;
	if (!(f->flags & STP_FLAG_LEFT) && f->width > 0 && (u64)f->width > len)
		stp_sink_pad(k, ' ', (u64)f->width - len);
	for (i = 0; i < n; i++) {
		byte = (u8)(f->flags & STP_FLAG_ALTERNATE ? stp_uload1(c, address + i) : stp_load1(c, address + i));
		if (c->error)
			return;
		text[0] = hex ? "0123456789abcdef"[byte >> 4] : (char)byte;
		text[1] = "0123456789abcdef"[byte & 15];
		stp_sink_put(k, text, hex ? 2 : 1);
	}
	if ((f->flags & STP_FLAG_LEFT) && f->width > 0 && (u64)f->width > len)
		stp_sink_pad(k, ' ', (u64)f->width - len);
}

/* Writes the text at an address as a C literal, or the address if it cannot be read. For buffers only. */
static void put_quoted(struct stp_sink *k, struct stp_ctx *c, u64 address, const struct spec *f, bool user)
{
	u64 limit = f->precision < 0 ? ~0ull : (u64)f->precision, i;
	char *start = k->at, text[4];
	u8 byte;

	user |= (s64)address >= 0;                 /* in the kernel, a char * may point to user memory */
	stp_sink_put(k, "\"", 1);
	for (i = 0; i < limit && k->at < k->end; i++) {
		byte = (u8)(user ? stp_uload1(c, address + i) : stp_load1(c, address + i));
		if (c->error && stp_catch(c, NULL, 0)) {
			k->at = start;
			put_integer(k, 'p', address, f);
			return;
		}
		if (!byte)
			break;
		stp_sink_put(k, text, escape(text, byte, '"'));
	}
	stp_sink_put(k, "\"", 1);
}

/* ------------------------------------------------------------------ floating-point numbers */

struct real { u64 m; s32 e; };         /* m * 2^e; bit 63 of m is 1 */

static struct real real_normal(unsigned __int128 m, s32 e)
{
	u64 high = (u64)(m >> 64);
	s32 shift = high ? 64 - __builtin_clzll(high) : -__builtin_clzll((u64)m);

	return (struct real){ shift >= 0 ? (u64)(m >> shift) : (u64)m << -shift, e + shift };
}

/* Multiplies or divides r by powers of 10 until its integer part has `places` digits, at most 15; returns the
 * integer part, rounded to nearest, ties to even. *power: the number is about the result * 10^*power. Each step
 * adds a relative error of 2^-63, at most 330 of them, far less than a unit of the last of 15 digits. */
static u64 real_digits(struct real r, u32 places, s32 *power)
{
	u64 low = 1, n, rest, half;
	u32 i;

	for (i = 1; i < places; i++)
		low *= 10;
	for (*power = 0; r.e >= 0 || (r.e > -64 && r.m >> -r.e >= 10 * low); ++*power)
		r = real_normal((unsigned __int128)r.m * 0xcccccccccccccccdull, r.e - 67);     /* 2^67 / 10 */
	for (; r.e <= -64 || r.m >> -r.e < low; --*power)
		r = real_normal((unsigned __int128)r.m * 10, r.e);
	n = r.m >> -r.e;
	rest = r.m << (64 + r.e);
	half = 1ull << 63;
	n += rest > half || (rest == half && (n & 1));
	if (n < 10 * low)
		return n;
	++*power;
	return n / 10;
}

/* Writes digits * 10^power as %g does: without trailing zeros, and with an exponent if it is below -4 or at
 * least `places`. */
static char *real_text(char *to, u64 digits, s32 power, s32 places)
{
	char buffer[24], *end = buffer + sizeof(buffer), *p = stp_digits(end, digits);
	s32 n = (s32)(end - p), exponent = power + n - 1, point = exponent, i;
	bool scientific = exponent < -4 || exponent >= places;

	while (n > 1 && p[n - 1] == '0')
		n--;
	if (scientific)
		point = 0;
	for (i = point; i < 0; i++) {
		*to++ = '0';
		if (i == point)
			*to++ = '.';
	}
	for (i = 0; i < n || i <= point; i++) {
		if (i == point + 1 && point >= 0)
			*to++ = '.';
		*to++ = i < n ? p[i] : '0';
	}
	if (scientific) {
		*to++ = 'e';
		*to++ = exponent < 0 ? '-' : '+';
		p = stp_digits(end, exponent < 0 ? (u64)-exponent : (u64)exponent);
		if (end - p < 2)
			*--p = '0';
		while (p < end)
			*to++ = *p++;
	}
	return to;
}

/* Writes a double, given by its bits, with as many significant digits as the precision. Not inlined: its buffers
 * would take stack in the frame of all other conversions. */
static __attribute__((__noinline__)) void put_real(struct stp_sink *k, u64 bits, const struct spec *f)
{
	u32 places = f->precision < 1 ? 1 : f->precision > 15 ? 15 : (u32)f->precision, exponent = bits >> 52 & 0x7ff;
	u64 fraction = bits & ((1ull << 52) - 1);
	char text[40], *to = text;
	s32 power;

	if (bits >> 63)
		*to++ = '-';
	if (exponent == 0x7ff) {
		to = stp_put_bytes(to, fraction ? "nan" : "inf", 3);
	} else if (!exponent && !fraction) {
		*to++ = '0';
	} else {
		fraction = exponent ? fraction | 1ull << 52 : fraction;
		fraction = real_digits(real_normal(fraction, (s32)(exponent ? exponent : 1) - 1075), places, &power);
		to = real_text(to, fraction, power, (s32)places);
	}
	put_field(k, text, (u64)(to - text), f);
}

/* Limits a width or precision that is given by the script or a caller. */
static void set_width(struct spec *f, s64 width)
{
	if (width < 0) {
		f->flags |= STP_FLAG_LEFT;
		width = width < -PLAT_RECORD_MAX ? PLAT_RECORD_MAX : -width;
	}
	f->width = width < PLAT_RECORD_MAX ? (s32)width : PLAT_RECORD_MAX;
}

static void set_precision(struct spec *f, s64 precision)
{
	f->precision = precision < 0 ? -1 :
		       precision < PLAT_RECORD_MAX ? (s32)precision : PLAT_RECORD_MAX;
}

/* Charges a piece that the fast path does not handle, for its width and for bytes that are formatted singly.
 * Returns false if the budget is used up. */
static bool charge_piece(struct stp_ctx *c, char conv, const struct spec *f, const union stp_val *arg)
{
	u64 n = f->precision < 0 ? 0 : (u64)f->precision, cost = f->width < 0 ? 0 : (u64)f->width * STP_WORK_BYTE;

	if (conv == 'm' || conv == 'M')
		n = n < PAGE ? n + 1 : PAGE;
	else if (conv == 's')
		n = f->precision < 0 || (f->flags & STP_FLAG_ALTERNATE) ? (u64)stp_strlen(arg->s) : n;
	else if (conv == 'q' || conv == 'Q')
		n = stp_module.limits.string_len;
	else if (conv == 'g')
		cost += 350;                           /* maximum number of steps of real_digits() and real_text() */
	cost += n * (conv == 's' && !(f->flags & STP_FLAG_ALTERNATE) ? 3 * STP_WORK_BYTE : STP_WORK_ESCAPE);
	return stp_charge(c, cost);
}

static void put_stack(struct stp_sink *k, struct stp_ctx *c, const char *stack, const struct spec *f)
{
	const char *line;
	u64 address;
	u32 at = 0;

	while ((line = plat_stack_line(c, stack, &at, &address)) && stp_charge(c, (u64)stp_strlen(line) * STP_WORK_ESCAPE)) {
		put_string(k, line, f);
		put_string(k, "\n", f);
	}
}

/* Writes one conversion with modifiers; returns the argument after those that it used. */
static const union stp_val *put_piece(struct stp_sink *k, struct stp_ctx *c,
				      const struct stp_format *f, const union stp_val *arg)
{
	struct spec spec = { .flags = f->flags, .width = -1, .precision = -1 };

	if (f->width == -2)
		set_width(&spec, (arg++)->n);
	else if (f->width >= 0)
		set_width(&spec, f->width);
	if (f->precision == -2)
		set_precision(&spec, (arg++)->n);
	else if (f->precision >= 0)
		set_precision(&spec, f->precision);
	if (!charge_piece(c, f->conv, &spec, arg))
		return arg + 1;
	switch (f->conv) {
	case 's': put_string(k, arg->s, &spec); break;
	case 'k': put_stack(k, c, arg->s, &spec); break;
	case 'c': put_char(k, (u8)arg->n, &spec); break;
	case 'b': put_binary(k, arg->n, &spec); break;
	case 'm': put_memory(k, c, (u64)arg->n, &spec, false); break;
	case 'M': put_memory(k, c, (u64)arg->n, &spec, true); break;
	case 'g': put_real(k, (u64)arg->n, &spec); break;
	case 'q': case 'Q': put_quoted(k, c, (u64)arg->n, &spec, f->conv == 'Q'); break;
	default: put_integer(k, f->conv, (u64)arg->n, &spec);
	}
	return arg + 1;
}

void stp_put_pieces(struct stp_sink *k, struct stp_ctx *c, const struct stp_format *f,
		    const struct stp_format *end, const union stp_val *arg)
{
	for (; f < end; f++) {
		if (f->conv)
			arg = put_piece(k, c, f, arg);
		if (STP_UNLIKELY(c->error))
			return;
		if (f->len)
			put_literal(k, f->text, f->len);
	}
}

/* ------------------------------------------------------------------ fast path of common pieces */
/*
 * Handles %s and %d with at most a width and -, if 2 * FAST_FIELD bytes are free: this is more than these functions
 * write, including bytes that they write beyond the end of the text. %s checks the end itself.
 */
#define FAST_FIELD 64

/*
 * The members of a piece after its text as one word, so that one comparison recognises a piece without flags, width
 * and precision, and so that it is loaded at once.
 */
enum { SHAPE_CONV = 16, SHAPE_FLAGS = 24, SHAPE_WIDTH = 32, SHAPE_PRECISION = 48 };    /* the length is at bit 0 */
#define SHAPE_AT(bit, member) \
	(8 * __builtin_offsetof(struct stp_format, member) == 8 * __builtin_offsetof(struct stp_format, len) + (bit))
_Static_assert(SHAPE_AT(SHAPE_CONV, conv) && SHAPE_AT(SHAPE_FLAGS, flags) && SHAPE_AT(SHAPE_WIDTH, width) &&
	       SHAPE_AT(SHAPE_PRECISION, precision), "the bits of the members of struct stp_format");
#define SHAPE_PLAIN(c) (~0ull << SHAPE_WIDTH | (u64)(c) << SHAPE_CONV)         /* no flags, width and precision */

static inline u64 shape_of(const struct stp_format *f)
{
	return STP_WORD(((const struct stp_unaligned *)&f->len)->word);
}

/* Returns true if the piece has no precision, no flag but -, and at most a width that is not an argument. */
static inline bool shape_is_fast(u64 shape)
{
	return (s64)shape >> SHAPE_PRECISION == -1 && (u32)((s16)(shape >> SHAPE_WIDTH) + 1) <= FAST_FIELD + 1 &&
	       !((u8)(shape >> SHAPE_FLAGS) & ~STP_FLAG_LEFT);
}

/* n > 0 */
static inline char *fast_spaces(char *to, s64 n)
{
	for (; n > 0; n -= 8, to += 8)
		stp_word_store(to, 0x2020202020202020ull);
	return to + n;
}

/* Returns the number of decimal digits of n, which is not 0: log10(2) is about 1233/4096. */
static inline u32 count_digits(u64 n)
{
	static const u64 power[] = {
		1ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull, 100000000ull,
		1000000000ull, 10000000000ull, 100000000000ull, 1000000000000ull, 10000000000000ull,
		100000000000000ull, 1000000000000000ull, 10000000000000000ull, 100000000000000000ull,
		1000000000000000000ull, 10000000000000000000ull,
	};
	u32 less = (64 - (u32)__builtin_clzll(n)) * 1233 >> 12;

	return less + (n >= power[less]);
}

static inline char *fast_number(char *to, u64 shape, s64 n)
{
	u64 size = n < 0 ? 0 - (u64)n : (u64)n;
	u32 digits = size < 10 ? 1 : count_digits(size);
	s64 spaces = (s16)(shape >> SHAPE_WIDTH) - (s64)digits - (n < 0);

	if (spaces > 0 && !(u8)(shape >> SHAPE_FLAGS))
		to = fast_spaces(to, spaces);
	if (n < 0)
		*to++ = '-';
	to += digits;
	if (digits == 1)
		to[-1] = (char)('0' + size);
	else
		stp_digits(to, size);
	return spaces > 0 && (u8)(shape >> SHAPE_FLAGS) ? fast_spaces(to, spaces) : to;
}

/* Writes a string without a width. Returns NULL if it does not fit. */
static inline char *plain_text(char *to, const char *end, const char *s)
{
	u64 w, zero;

	for (; ; to += 8, s += 8) {
		if (STP_UNLIKELY(end - to < FAST_FIELD + 8))
			return NULL;
		w = stp_word_load(s);
		stp_word_store(to, w);
		zero = stp_word_zero(w);
		if (zero)
			return to + stp_word_length(zero);
	}
}

static inline char *fast_text(char *to, const char *end, u64 shape, const char *s)
{
	char *from = to;
	s64 spaces;

	if (!(u8)(shape >> SHAPE_FLAGS)) {
		spaces = (s16)(shape >> SHAPE_WIDTH) - (s64)stp_strlen(s);
		return plain_text(spaces > 0 ? fast_spaces(to, spaces) : to, end, s);
	}
	to = plain_text(to, end, s);
	spaces = (s16)(shape >> SHAPE_WIDTH) - (to - from);
	return to && spaces > 0 ? fast_spaces(to, spaces) : to;
}

/* The address sanitizer would report the bytes after a short text. */
__attribute__((no_sanitize("address")))
static inline u64 literal_word(const char *text)
{
	return STP_WORD(((const struct stp_unaligned *)text)->word);
}

/* n > 8 */
static inline char *fast_bytes(char *to, const char *text, u32 n)
{
	const char *last = text + n - 8;
	char *to_last = to + n - 8;

	for (; text < last; text += 8, to += 8)
		stp_word_store(to, literal_word(text));
	stp_word_store(to_last, literal_word(last));
	return to_last + 8;
}

/* Writes n bytes, 1 to 8, as a word, with the bytes after them, unless those are in another page. */
static inline char *fast_word(char *to, const char *text, u32 n)
{
	if (STP_UNLIKELY(((u64)text & 4095) > 4088))
		return stp_put_bytes(to, text, n);
	stp_word_store(to, literal_word(text));
	return to + n;
}

/* The part of a format that is not written yet. */
struct rest {
	const struct stp_format *f, *end;
	const union stp_val *arg;
};

/* Writes pieces until one is not handled here or does not fit; returns the end of the text. After any field, a word
 * fits. */
static inline __attribute__((__always_inline__)) char *fast_pieces(char *at, const char *end, struct rest *r)
{
	const union stp_val *arg = r->arg;
	u64 shape, plain;
	char *to;
	u32 len;

	for (; r->f < r->end && end - at >= 2 * FAST_FIELD; r->f++) {
		shape = shape_of(r->f);
		plain = shape & ~0xffffull;
		r->arg = arg;
		if (plain == SHAPE_PLAIN('s'))
			to = plain_text(at, end, arg++->s);
		else if (plain == SHAPE_PLAIN('d'))
			to = fast_number(at, SHAPE_PLAIN('d'), arg++->n);
		else if (plain == SHAPE_PLAIN(0))
			to = at;
		else if (!shape_is_fast(shape))
			return at;
		else if ((u8)(shape >> SHAPE_CONV) == 's')
			to = fast_text(at, end, shape, arg++->s);
		else if ((u8)(shape >> SHAPE_CONV) == 'd')
			to = fast_number(at, shape, arg++->n);
		else
			return at;
		if (STP_UNLIKELY(!to))
			return at;
		len = (u16)shape;
		if (STP_LIKELY(len - 1 < 8))
			at = fast_word(to, r->f->text, len);
		else if (!len)
			at = to;
		else if (end - to >= len)
			at = fast_bytes(to, r->f->text, len);
		else
			return at;
	}
	r->arg = arg;
	return at;
}

static __attribute__((__noinline__)) void print_rest(struct stp_ctx *c, const struct stp_format *f,
						     const struct stp_format *end, const union stp_val *arg)
{
	struct stp_sink k;

	if (!stp_sink_record(&k, c))
		return;
	stp_put_pieces(&k, c, f, end, arg);
	stp_sink_close(&k);
}

void stp_printf(struct stp_ctx *c, const struct stp_format *f, u32 pieces, const union stp_val *args)
{
	struct stp_ctx_private *v = stp_private(c);
	struct rest r = { f, f + pieces, args };

	if (!v->out && !stp_record_open(v))
		return;
	v->out = fast_pieces(v->out, v->out_end, &r);
	if (STP_UNLIKELY(r.f < r.end))
		print_rest(c, r.f, r.end, r.arg);
}

void stp_sprintf(struct stp_ctx *c, char *to, u32 size, const struct stp_format *f, u32 pieces,
		 const union stp_val *args)
{
	struct stp_sink k = stp_sink_buffer(to, size);
	struct rest r = { f, f + pieces, args };

	k.at = fast_pieces(k.at, k.end, &r);
	stp_put_pieces(&k, c, r.f, r.end, r.arg);
	stp_sink_close(&k);
}

void stp_enum_name(char *to, u32 size, s64 value, const struct stp_enumerator *e, u32 n)
{
	static const struct spec plain = { .width = -1, .precision = -1 };
	struct stp_sink k = stp_sink_buffer(to, size);
	u32 i;

	for (i = 0; i < n && e[i].value != value; i++)
		;
	if (i < n)
		stp_sink_put(&k, e[i].name, (u64)stp_strlen(e[i].name));
	else
		put_integer(&k, 'd', (u64)value, &plain);
	stp_sink_close(&k);
}

/* ------------------------------------------------------------------ C's formats */

/* A struct, since a va_list may be an array, which decays to a pointer as a parameter. */
struct arguments { stp_va_list ap; };

static s64 number_argument(struct arguments *a, u32 longs, bool is_signed)
{
	if (longs)
		return __builtin_va_arg(a->ap, s64);   /* long and long long are both 64 bits */
	return is_signed ? (s64)__builtin_va_arg(a->ap, s32) : (s64)__builtin_va_arg(a->ap, u32);
}

static const char *parse_number(const char *fmt, struct arguments *a, s64 *n)
{
	*n = 0;
	if (*fmt == '*') {
		*n = __builtin_va_arg(a->ap, s32);
		return fmt + 1;
	}
	while (*fmt >= '0' && *fmt <= '9')
		if (*n < PLAT_RECORD_MAX)
			*n = *n * 10 + (*fmt++ - '0');
		else
			fmt++;
	return fmt;
}

/* Writes the conversion that follows a %; returns the rest of the format. */
static const char *put_conversion(struct stp_sink *k, const char *fmt, struct arguments *a)
{
	struct spec spec = { .width = -1, .precision = -1 };
	u32 longs = 0;
	s64 n;

	for (; stp_format_flag(*fmt); fmt++)
		spec.flags |= stp_format_flag(*fmt);
	if (*fmt == '*' || (*fmt >= '1' && *fmt <= '9')) {
		fmt = parse_number(fmt, a, &n);
		set_width(&spec, n);
	}
	if (*fmt == '.') {
		fmt = parse_number(fmt + 1, a, &n);
		set_precision(&spec, n);
	}
	for (; *fmt == 'l' || *fmt == 'h' || *fmt == 'z'; fmt++)
		longs += *fmt != 'h';
	switch (*fmt) {
	case 0: return fmt;
	case '%': stp_sink_put(k, "%", 1); break;
	case 's': put_string(k, __builtin_va_arg(a->ap, const char *), &spec); break;
	case 'c': put_char(k, (u8)__builtin_va_arg(a->ap, s32), &spec); break;
	case 'p': put_integer(k, 'p', (u64)__builtin_va_arg(a->ap, void *), &spec); break;
	case 'd': case 'i': put_integer(k, 'd', (u64)number_argument(a, longs, true), &spec); break;
	default: put_integer(k, *fmt, (u64)number_argument(a, longs, false), &spec);
	}
	return fmt + 1;
}

void stp_vformat(struct stp_sink *k, const char *fmt, stp_va_list ap)
{
	struct arguments a;
	const char *from;

	__builtin_va_copy(a.ap, ap);
	while (*fmt) {
		for (from = fmt; *fmt && *fmt != '%'; fmt++)
			;
		stp_sink_put(k, from, (u64)(fmt - from));
		if (*fmt)
			fmt = put_conversion(k, fmt + 1, &a);
	}
	__builtin_va_end(a.ap);
}
