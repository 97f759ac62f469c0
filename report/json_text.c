// SPDX-License-Identifier: GPL-2.0-or-later
// UTF-8, and strings in JSON for the writers that write it piece by piece.
#include "json_text.h"

#include <stdlib.h>
#include <string.h>

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

struct text utf8_copy(struct text t, bool *valid)
{
	char *copy = malloc(3 * t.len + 1), *to = copy;
	const unsigned char *at = (const unsigned char *)t.at, *end = at + t.len;
	size_t n;

	if (!copy)
		abort();
	for (*valid = true; at < end; at += n ? n : 1) {
		n = utf8_character(at, end - at);
		memcpy(to, n ? (const char *)at : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
		*valid &= n > 0;
	}
	return (struct text){ copy, to - copy };
}

// Returns the length of the text at `at` that is written as it is.
static size_t plain(const unsigned char *at, const unsigned char *end)
{
	const unsigned char *from = at;

	while (at < end && *at >= 32 && *at < 127 && *at != '"' && *at != '\\')
		at++;
	return at - from;
}

bool put_json_string(FILE *to, struct text t)
{
	const unsigned char *at = (const unsigned char *)t.at, *end = at + t.len;
	bool valid = true;
	size_t n;

	putc('"', to);
	while (at < end) {
		n = plain(at, end);
		fwrite(at, 1, n, to);
		at += n;
		if (at == end)
			break;
		n = utf8_character(at, end - at);
		valid &= n > 0;
		if (!n)
			fputs("\\ufffd", to);
		else if (*at == '"' || *at == '\\')
			fprintf(to, "\\%c", *at);
		else if (*at == '\n')
			fputs("\\n", to);
		else if (*at < 32 || *at == 127)
			fprintf(to, "\\u%04x", *at);
		else
			fwrite(at, 1, n, to);
		at += n ? n : 1;
	}
	putc('"', to);
	return valid;
}
