/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations on terminated strings in buffers of a known size. Strings that exceed the size of a string variable
 * are truncated and counted. Context: any. */
#include "internal.h"
#include "string_words.h"

/* A caller with another size intends to truncate the string, so it is not counted. */
static inline void cut(u32 size)
{
	if (size == stp_module.limits.string_len)
		stp_cut(STP_LOSS_STRINGS, "a string was cut at MAXSTRINGLEN");
}

/* Returns false if the string was truncated. One index for both strings saves an instruction a word. */
static inline bool copy(char *to, const char *from, u32 size)
{
	u64 i = 0, max = size - 1, w;

	STP_CHECK_THAT(size && size <= 1u << 30);
	if (to == from)
		return true;
	/* Bytes after the terminator of `to`, within size, may be overwritten. */
	for (; i + 8 <= max; i += 8) {
		w = stp_word_load(from + i);
		stp_word_store(to + i, w);
		if (stp_word_zero(w))
			return true;
	}
	while (i < max && (to[i] = from[i]))
		i++;
	to[i] = 0;
	return STP_LIKELY(i < max) || !from[i];
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
	/* `from` may be `to` itself: its length is computed before its terminator is overwritten. */
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

void stp_frames_cut(void)
{
	stp_cut(STP_LOSS_FRAMES, "a call stack was cut at MAXBACKTRACE");
}

void stp_speculation_lost(void)
{
	stp_lose(STP_LOSS_SPECULATED, 1);
}

void stp_structure_cut(void)
{
	stp_cut(STP_LOSS_STRUCTURES, "a structure was printed only in part");
}

void stp_listing_cut(void)
{
	stp_cut(STP_LOSS_LISTING, "the text of a call stack was cut at MAXSTRINGLEN");
}

bool stp_list_line(char *list, u32 size, u32 *len, u64 line)
{
	if (*len + line + 1 >= size) {
		list[*len] = '\0';
		stp_listing_cut();
		return false;
	}
	*len += (u32)line;
	list[(*len)++] = '\n';
	list[*len] = '\0';
	return true;
}

u32 stp_stack_lines(struct stp_ctx *c, char *to, u32 size, const char *stack)
{
	u32 len = 0, at = 0;
	const char *line;
	u64 n, address;

	*to = '\0';
	while ((line = plat_stack_line(c, stack, &at, &address))) {
		n = (u64)stp_strlen(line);
		if (len + n < size)
			plat_memcpy(to + len, line, n);
		if (!stp_list_line(to, size, &len, n))
			break;
	}
	return len;
}

void stp_stack_text(struct stp_ctx *c, char *to, const char *stack)
{
	stp_stack_lines(c, to, stp_module.limits.string_len, stack);
}

u32 stp_stack_list(struct stp_ctx *c, char *to, u32 size, const char *stack)
{
	u32 len = 0, at = 0;
	u64 address;

	*to = '\0';
	while (plat_stack_address(stack, &at, &address) && stp_charge_text(c, STP_ADDRESS_SIZE) &&
	       stp_list_address(to, size, &len, address))
		;                          /* bounded: the string ends */
	return len;
}

void stp_stack_addresses(struct stp_ctx *c, char *to, const char *stack)
{
	stp_stack_list(c, to, stp_module.limits.string_len, stack);
}

/*
 * The two-way string search of Crochemore and Perrin: at most about six steps per byte of both strings, for any
 * content, without memory. Returns the start of the greatest suffix of what[0..n) in the order of bytes, or in the
 * reverse order, and its period.
 */
static s64 greatest_suffix(const char *what, s64 n, bool reverse, s64 *period)
{
	s64 best = 0, at = 1, same = 0, p = 1;

	while (at + same < n) {
		u8 a = (u8)what[at + same], b = (u8)what[best + same];

		if (a == b) {
			if (++same == p) {
				at += p;
				same = 0;
			}
		} else if ((a < b) != reverse) {
			at += same + 1;
			same = 0;
			p = at - best;
		} else {
			best = at++;
			same = 0;
			p = 1;
		}
	}
	*period = p;
	return best;
}

s64 stp_find(struct stp_ctx *c, const char *s, const char *what)
{
	s64 have = stp_strlen(s), n = stp_strlen(what), period, other, at, i, middle, reversed;
	s64 known = 0;             /* number of bytes at the start of `what` that are known to match at s + at */
	bool repeats;

	if (!stp_charge(c, (u64)n * STP_WORK_SEARCH + (u64)have))
		return -1;
	middle = greatest_suffix(what, n, false, &period);
	reversed = greatest_suffix(what, n, true, &other);
	if (reversed > middle) {
		middle = reversed;
		period = other;
	}
	for (i = 0; i < middle && i + period < n && what[i] == what[i + period]; i++)
		;
	repeats = i == middle;
	if (!repeats)
		period = (middle > n - middle ? middle : n - middle) + 1;
	for (at = 0; at + n <= have;) {
		for (i = middle > known ? middle : known; i < n && what[i] == s[at + i]; i++)
			;
		if (i < n) {
			at += i - middle + 1;
			known = 0;
			continue;
		}
		for (i = middle; i > known && what[i - 1] == s[at + i - 1]; i--)
			;
		if (i <= known)
			break;
		at += period;
		known = repeats ? n - period : 0;
	}
	stp_charge(c, (u64)(at + n) * STP_WORK_SEARCH);
	return at + n <= have ? at : -1;
}

s64 stp_span(struct stp_ctx *c, const char *s, const char *set, bool member)
{
	u64 in[4] = { 0 };
	const char *p;

	for (p = set; *p; p++)
		in[(u8)*p >> 6] |= 1ull << (*p & 63);
	if (!stp_charge_text(c, p - set))
		return 0;
	for (p = s; *p && (in[(u8)*p >> 6] >> (*p & 63) & 1) == member; p++)
		;
	stp_charge_text(c, p - s);
	return p - s;
}

void stp_substr(struct stp_ctx *c, char *to, const char *s, s64 start, s64 n)
{
	s64 have = stp_strlen(s);

	if (start < 0 || start >= have || n <= 0)
		n = 0;
	else if (n > have - start)
		n = have - start;
	stp_copy(to, n ? s + start : "", (u32)n + 1);
}

s64 stp_character(struct stp_ctx *c, const char *s, s64 at)
{
	if (at >= 0 && at <= stp_strlen(s))
		return (u8)s[at];
	stp_error(c, "position %lld is outside of the string", at);
	return 0;
}

enum { BASE_MAX = 36, NO_DIGIT = BASE_MAX };

static s64 digit_of(char c)
{
	char letter = (char)(c | 32);

	return c >= '0' && c <= '9' ? c - '0' : letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : NO_DIGIT;
}

s64 stp_strtol(struct stp_ctx *c, const char *s, s64 base)
{
	const char *p = s;
	bool negative = *p == '-';
	u64 n = 0;

	p += negative;
	if ((base == 0 || base == 16) && p[0] == '0' && (p[1] | 32) == 'x') {
		p += 2;
		base = 16;
	}
	if (base == 0)
		base = *p == '0' ? 8 : 10;
	if (base > BASE_MAX)
		return 0;
	for (; digit_of(*p) < base; p++)       /* bounded: the terminator is not a digit in any base */
		n = n * (u64)base + (u64)digit_of(*p);
	stp_charge_text(c, p - s);
	return (s64)(negative ? 0 - n : n);
}

void stp_basename(struct stp_ctx *c, char *to, const char *path)
{
	const char *p, *last = path;

	for (p = path; *p; p++)
		if (*p == '/')
			last = p + 1;
	stp_charge_text(c, p - path);
	stp_copy(to, last, stp_module.limits.string_len);
}

void stp_replace(struct stp_ctx *c, char *to, const char *s, const char *what, const char *with)
{
	s64 n = stp_strlen(what), more = stp_strlen(with), left = stp_module.limits.string_len - 1, have;
	bool found;

	do {
		have = n ? stp_find(c, s, what) : -1;
		found = have >= 0;
		if (!found)
			have = stp_strlen(s);
		stp_copy(to, s, (u32)(have < left ? have : left) + 1);
		to += have;
		left -= have;
		if (found && left >= 0)
			stp_copy(to, with, (u32)(more < left ? more : left) + 1);
		to += found ? more : 0;
		left -= found ? more : 0;
		s += have + n;
	} while (found && left >= 0 && stp_charge(c, STP_WORK_REPLACE + (u64)(have + more) * 2));
	if (left < 0)
		stp_string_cut();
}

static u64 wide_character(struct stp_ctx *c, u64 at, u32 bytes, bool user)
{
	if (bytes == 2)
		return user ? stp_uload2(c, at) : stp_load2(c, at);
	return user ? stp_uload4(c, at) : stp_load4(c, at);
}

void stp_wide_string(struct stp_ctx *c, char *to, u32 size, u64 at, u32 bytes, bool user)
{
	u32 n = 0, more;
	u64 code, low;

	for (; stp_charge(c, STP_WORK_WIDE); at += bytes) {
		code = wide_character(c, at, bytes, user);
		if (c->error || !code)
			break;
		if (bytes == 2 && code >= 0xd800 && code < 0xe000) {       /* half of a surrogate pair */
			at += bytes;
			low = wide_character(c, at, bytes, user);
			if (c->error)
				break;
			if (code >= 0xdc00 || low < 0xdc00 || low > 0xdfff) {
				stp_error(c, "%#llx %#llx is not a valid UTF-16 surrogate pair", code, low);
				break;
			}
			code = 0x10000 + ((code - 0xd800) << 10) + low - 0xdc00;
		}
		if (code > 0x10ffff) {
			stp_error(c, "invalid character %#llx: the largest code point is 0x10ffff", code);
			break;
		}
		more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
		if (n + more + 1 >= size) {
			cut(size);
			break;
		}
		to[n++] = (char)(more ? 0xff00 >> (more + 1) | code >> 6 * more : code);
		while (more-- > 0)
			to[n++] = (char)(0x80 | (code >> 6 * more & 0x3f));
	}
	to[n] = '\0';
}

bool stp_list_address(char *list, u32 size, u32 *len, u64 address)
{
	u32 digits = address ? (67 - (u32)__builtin_clzll(address)) / 4 : 1, i;
	char *at = list + *len;

	if (*len + !!*len + 2 + digits >= size) {
		stp_listing_cut();
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

/* Writes a byte of a JSON string; returns the number of bytes, up to 6. */
static u32 put_json(char *to, u8 byte)
{
	static const char hex[] = "0123456789abcdef";

	if (byte >= ' ' && byte != '"' && byte != '\\') {
		*to = (char)byte;
		return 1;
	}
	to[0] = '\\';
	to[1] = byte == '\n' ? 'n' : byte == '\t' ? 't' : byte < ' ' ? 'u' : (char)byte;
	if (to[1] != 'u')
		return 2;
	to[2] = to[3] = '0';
	to[4] = hex[byte >> 4];
	to[5] = hex[byte & 15];
	return 6;
}

/* Writes a byte of the value of a label: only \, " and newline are escaped. */
static u32 put_label(char *to, u8 byte)
{
	u32 n = 0;

	if (byte == '"' || byte == '\\' || byte == '\n')
		to[n++] = '\\';
	to[n++] = byte == '\n' ? 'n' : (char)byte;
	return n;
}

void stp_quote_json(struct stp_ctx *c, char *to, const char *text)
{
	u32 n = 0;

	to[n++] = '"';
	for (; *text && n + 8 < stp_module.limits.string_len; text++)
		n += put_json(to + n, (u8)*text);
	if (*text)
		stp_string_cut();
	to[n++] = '"';
	to[n] = 0;
	stp_charge_text(c, n);
}

void stp_quote_label(struct stp_ctx *c, char *to, const char *text)
{
	u32 n = 0;

	to[n++] = '"';
	for (; *text && n + 4 < stp_module.limits.string_len; text++)
		n += put_label(to + n, (u8)*text);
	if (*text)
		stp_string_cut();
	to[n++] = '"';
	to[n] = 0;
	stp_charge_text(c, n);
}

/* ------------------------------------------------------------------ tables of names */

struct named { const char *name; u32 len; u64 n; };

/* Reads the entry NAME=NUMBER at *p and moves *p past it. Returns false at the end, also in a truncated table. */
static bool next_name(const char **p, struct named *to)
{
	u32 base = 10;

	to->n = to->len = 0;
	for (to->name = *p; **p && **p != '='; ++*p)
		to->len++;
	if (!**p)
		return false;
	if ((*p)[1] == '0' && (*p)[2] == 'x') {
		base = 16;
		*p += 2;
	}
	for (++*p; **p && **p != ' '; ++*p)
		to->n = to->n * base + (u64)(**p <= '9' ? **p - '0' : **p - 'a' + 10);
	*p += **p == ' ';
	return true;
}

void stp_name_of(struct stp_ctx *c, char *to, const char *table, u64 n, const char *other)
{
	u32 size = stp_module.limits.string_len;
	const char *p = table;
	struct named entry;
	bool found = false;

	while (!found && next_name(&p, &entry))
		found = entry.n == n;
	stp_charge_text(c, p - table);
	if (found)
		stp_copy(to, entry.name, entry.len + 1 < size ? entry.len + 1 : size);
	else
		stp_copy(to, other, size);
}

void stp_flag_names(struct stp_ctx *c, char *to, const char *table, u64 n)
{
	static const struct stp_format rest[] = { { .conv = 'x', .flags = STP_FLAG_ALTERNATE, .width = -1, .precision = -1 } };
	u32 size = stp_module.limits.string_len, used = 0;
	union stp_val left = { .n = (s64)n };
	const char *p = table;
	struct named entry;
	bool cut = false;

	while (!cut && next_name(&p, &entry)) {
		if (!entry.n || ((u64)left.n & entry.n) != entry.n)
			continue;
		cut = used + entry.len + 2 >= size;
		if (cut)
			break;
		if (used)
			to[used++] = '|';
		stp_copy(to + used, entry.name, entry.len + 1);
		used += entry.len;
		left.n &= (s64)~entry.n;
	}
	stp_charge_text(c, p - table);
	if (left.n && used && (cut || used + 20 >= size)) {
		stp_string_cut();
	} else if (left.n) {
		if (used)
			to[used++] = '|';
		stp_sprintf(c, to + used, size - used, rest, 1, &left);
	} else if (!used) {
		stp_copy(to, "0", size);
	}
}
