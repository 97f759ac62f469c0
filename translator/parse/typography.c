// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnoses scripts and command lines that were copied from a web page or mail: typographic quotes and dashes,
// characters that look like blanks, HTML entities. In: the location. Out: the character and its replacement.
#include "parse/typography.h"
#include "util/str.h"

#include <ctype.h>
#include <string.h>

// Decodes a code point of UTF-8 and its length; 0: invalid, or ASCII.
static unsigned int decoded(const char *at, int *len)
{
	const unsigned char *p = (const unsigned char *)at;
	unsigned int c;

	*len = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
	if (!*len)
		return 0;
	c = p[0] & (0x7f >> *len);
	for (int i = 1; i < *len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return c;
}

// Returns the ASCII character that a script has instead; 0: none.
static char ascii_for(unsigned int c)
{
	static const struct {
		unsigned int first, last;
		char ascii;
	} ranges[] = {
		{ 0xa0, 0xa0, ' ' }, { 0xab, 0xab, '"' }, { 0xb4, 0xb4, '"' }, { 0xbb, 0xbb, '"' }, { 0xd7, 0xd7, '*' },
		{ 0x2000, 0x200b, ' ' }, { 0x2010, 0x2015, '-' }, { 0x2018, 0x201f, '"' }, { 0x202f, 0x202f, ' ' },
		{ 0x2032, 0x2036, '"' }, { 0x2212, 0x2212, '-' }, { 0x3000, 0x3000, ' ' }, { 0x300c, 0x300f, '"' },
		{ 0xfeff, 0xfeff, ' ' },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return ranges[i].ascii;
	return c > 0xff00 && c < 0xff5f ? c - 0xfee0 : 0;      // full-width forms
}

const char *typography_character(const char *at, int *len)
{
	unsigned int c = decoded(at, len);
	char ascii = ascii_for(c);

	if (!c)
		return NULL;
	if (ascii == ' ')
		return str_printf("unexpected character U+%04X: it looks like a blank but is not one; write a space", c);
	return str_printf("unexpected character \"%.*s\" (U+%04X)%s", *len, at, c,
			  ascii ? str_printf(": write %s", ascii == '\'' || ascii == '"' ? "\"" : str_printf("\"%c\"", ascii)) : "");
}

const char *typography_option(const char *word)
{
	char *plain = NULL;
	int len;

	for (const char *p = word; *p && !plain; p++)
		if (ascii_for(decoded(p, &len)) == '-')
			plain = str_printf("%.*s%s%s", (int)(p - word), word,
					   p == word && p[2] == '\x94' && p[3] && p[4] ? "--" : "-", p + len);    // an em dash
		else if (*p != '-' && (word[0] != '-' || !isalpha((unsigned char)*p)))
			break;
	return plain;
}

// Finds the first HTML entity on a line and its length; NULL: none.
static const char *find_entity(const char *line, const char *end, int *len)
{
	static const char *const names[] = { "&quot;", "&lt;", "&gt;", "&amp;", "&apos;", "&nbsp;" };

	for (const char *p = line; p < end && *p != '\n'; p++) {
		if (*p != '&')
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (strlen(names[i]) <= (size_t)(end - p) && str_starts(p, names[i])) {
				*len = strlen(names[i]);
				return p;
			}
		for (*len = 2; p + *len < end && p[1] == '#' && isalnum((unsigned char)p[*len]); (*len)++)
			;
		if (*len > 2 && p + *len < end && p[(*len)++] == ';')
			return p;
	}
	return NULL;
}

void typography_note(struct loc loc)
{
	const struct source *src = loc.source;
	const char *line, *entity;
	int len;

	if (!src)
		return;
	line = diag_line(src, loc.line);
	entity = find_entity(line, src->text + src->len, &len);
	if (entity)
		diag_note((struct loc){ .source = src, .line = loc.line, .column = entity - line + 1 },
			  "\"%.*s\" is an HTML entity; copy the text of the page, not its source", len, entity);
}
