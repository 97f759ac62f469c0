// SPDX-License-Identifier: GPL-2.0-or-later
// Open texts: their changes, and conversion between UTF-16 positions of the protocol and bytes of UTF-8 text.
#include "server/document.h"

#include <ctype.h>
#include <string.h>

static int hex(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10;
}

const char *uri_path(const char *uri)
{
	struct buf b = { 0 };

	if (!str_starts(uri, "file://"))
		return uri;
	for (uri += strlen("file://"); *uri; uri++) {
		if (*uri == '%' && isxdigit((unsigned char)uri[1]) && isxdigit((unsigned char)uri[2])) {
			buf_putc(&b, (char)(hex(uri[1]) << 4 | hex(uri[2])));
			uri += 2;
		} else {
			buf_putc(&b, *uri);
		}
	}
	return buf_text(&b);
}

const char *path_uri(const char *path)
{
	struct buf b = { 0 };

	buf_puts(&b, "file://");
	for (; *path; path++) {
		if (isalnum((unsigned char)*path) || strchr("/-._~+", *path))
			buf_putc(&b, *path);
		else
			buf_printf(&b, "%%%02X", (unsigned char)*path);
	}
	return buf_text(&b);
}

// ---------------------------------------------------------------- positions

// Returns the bytes of the character at p, and its number of UTF-16 code units.
static size_t step(const char *p, const char *end, int *units)
{
	size_t n = 1;

	while (p + n < end && (p[n] & 0xc0) == 0x80)
		n++;
	*units = (unsigned char)*p >= 0xf0 ? 2 : 1;
	return n;
}

static size_t offset_of(const char *text, size_t len, int line, int character)
{
	const char *p = text, *end = text + len, *newline;
	int units;

	for (; line > 0 && (newline = memchr(p, '\n', end - p)); line--)
		p = newline + 1;
	if (line > 0)
		return len;
	while (p < end && *p != '\n' && !(*p == '\r' && p + 1 < end && p[1] == '\n') && character > 0) {
		p += step(p, end, &units);
		character -= units;
	}
	return p - text;
}

size_t document_offset(const struct document *d, struct json_object *position)
{
	return offset_of(d->text, d->len, json_number(position, "line", 0), json_number(position, "character", 0));
}

struct json_object *text_position(const char *text, size_t len, size_t offset)
{
	const char *p = text, *at = text + (offset < len ? offset : len), *newline;
	int line = 0, character = 0, units;

	for (; (newline = memchr(p, '\n', at - p)); line++)
		p = newline + 1;
	while (p < at) {
		p += step(p, text + len, &units);
		character += units;
	}
	return json_with(json_with(json_object_new_object(), "line", json_object_new_int(line)), "character",
			 json_object_new_int(character));
}

struct json_object *text_range(const char *text, size_t len, size_t from, size_t to)
{
	return json_with(json_with(json_object_new_object(), "start", text_position(text, len, from)), "end",
			 text_position(text, len, to));
}

size_t loc_offset(struct loc loc)
{
	size_t offset;

	if (!loc.source)
		return 0;
	offset = diag_line(loc.source, loc.line) - loc.source->text + (loc.column > 0 ? loc.column - 1 : 0);
	return offset < loc.source->len ? offset : loc.source->len;
}

struct json_object *loc_range(struct loc loc)
{
	size_t from = loc_offset(loc), len = strlen(diag_token(loc));

	return loc.source ? text_range(loc.source->text, loc.source->len, from, from + len) : text_range("", 0, 0, 0);
}

// ---------------------------------------------------------------- changes

static void replace(struct document *d, size_t from, size_t to, const char *text)
{
	struct buf b = { 0 };

	buf_add(&b, d->text, from);
	buf_puts(&b, text);
	buf_add(&b, d->text + to, d->len - to);
	d->text = buf_text(&b);
	d->len = b.len;
}

void document_change(struct document *d, struct json_object *changes)
{
	size_t n = json_object_is_type(changes, json_type_array) ? json_object_array_length(changes) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *change = json_object_array_get_idx(changes, i), *range = json_member(change, "range");
		size_t from = 0, to = d->len;

		if (!json_object_is_type(json_member(change, "text"), json_type_string))
			continue;
		if (range) {
			from = document_offset(d, json_member(range, "start"));
			to = document_offset(d, json_member(range, "end"));
		}
		replace(d, from, to < from ? from : to, json_text(change, "text"));
	}
}
