// SPDX-License-Identifier: GPL-2.0-or-later
// UTF-8, and strings in JSON for the writers that write it piece by piece.
#include "json_text.h"

// Returns the length of the UTF-8 character at `at` in bytes; 0: invalid bytes.
static size_t utf8_character(const unsigned char *at, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe0 && *at < 0xf0 ? 3 :
		   *at >= 0xf0 && *at < 0xf5 ? 4 : 0;
	uint32_t code;

	if (n < 2 || n > len)
		return n > len ? 0 : n;
	code = *at & (0x7f >> n);
	for (size_t i = 1; i < n; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

// Returns the number of bytes before the first one that is not ASCII.
static size_t ascii_bytes(const unsigned char *at, const unsigned char *end)
{
	const unsigned char *from = at;
	uint64_t word;

	for (; end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (word & 0x8080808080808080u)
			break;
	}
	while (at < end && *at < 0x80)
		at++;
	return at - from;
}

struct text utf8_copy(struct text t, bool *valid)
{
	const unsigned char *at = (const unsigned char *)t.at, *end = at + t.len;
	size_t n = ascii_bytes(at, end);
	char *copy = malloc(3 * t.len + 1), *to = copy;

	if (!copy)
		abort();
	to = text_copy(to, (struct text){ (const char *)at, n });
	at += n;
	for (*valid = true; at < end; at += n ? n : 1) {
		n = utf8_character(at, end - at);
		memcpy(to, n ? (const char *)at : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
		*valid &= n > 0;
	}
	return (struct text){ copy, to - copy };
}

// Each byte that JSON strings contain as it is.
static const bool plain[256] = {
	[' '] = true, true, ['#' ... '['] = true, [']' ... '~'] = true,
};

// Returns 0 if all bytes of the word are plain; it may also be another number then, since borrows reach the next byte.
static inline uint64_t not_plain(uint64_t w)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
	uint64_t quote = w ^ ones * '"', backslash = w ^ ones * '\\', delete = w ^ ones * 127;

	return (w | (w - ones * ' ') | (quote - ones) | (backslash - ones) | (delete - ones)) & high;
}

// Copies bytes that are plain, a word at a time, to space for all. Returns their number.
static inline size_t copy_plain(char *to, const unsigned char *at, const unsigned char *end)
{
	const unsigned char *from = at;
	uint64_t word;

	for (; end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word), to += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (not_plain(word))
			break;
		memcpy(to, &word, sizeof(word));
	}
	while (at < end && plain[*at])
		*to++ = *at++;
	return at - from;
}

// Adds the character at `at`, which is not plain; returns its length.
static size_t add_character(struct json_line *l, const unsigned char *at, const unsigned char *end, bool *valid)
{
	size_t n = utf8_character(at, end - at);

	*valid &= n > 0;
	if (!n)
		line_add(l, "\\ufffd", 6);
	else if (*at == '\n')
		line_add(l, "\\n", 2);
	else if (*at == '"' || *at == '\\')
		line_add(l, (char[]){ '\\', *at }, 2);
	else if (*at < 32 || *at == 127)
		l->len += sprintf(line_space(l, 7), "\\u%04x", *at);
	else
		line_add(l, (const char *)at, n);
	return n ? n : 1;
}

bool line_add_string(struct json_line *l, struct text t)
{
	const unsigned char *at = (const unsigned char *)t.at, *end = at + t.len;
	bool valid = true;

	*line_space(l, t.len + 2) = '"';
	l->len++;
	while (at < end) {
		size_t n = copy_plain(line_space(l, end - at), at, end);

		l->len += n;
		at += n;
		if (at < end)
			at += add_character(l, at, end, &valid);
	}
	*line_space(l, 1) = '"';
	l->len++;
	return valid;
}

void put_json_string(FILE *to, struct text t)
{
	static struct json_line line;

	line.len = 0;
	line_add_string(&line, t);
	fwrite(line.at, 1, line.len, to);
}
