// SPDX-License-Identifier: GPL-2.0-or-later
// Reads and writes messages of the language server. In: bytes in pieces of any size. Out: JSON objects. A damaged
// message is reported, and reading continues after it if its length is known, else at the next header.
#include "server/message.h"
#include "util/numbers.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_HEADER = 8192 };

void message_add(struct message_input *in, const char *bytes, size_t len)
{
	size_t skipped = len < in->skip ? len : in->skip;

	in->skip -= skipped;
	buf_add(&in->bytes, bytes + skipped, len - skipped);
}

// Discards the messages that were returned, if they are longer than the rest.
static void forget(struct message_input *in)
{
	size_t rest = in->bytes.len - in->consumed;

	if (in->consumed < rest || in->consumed < 65536)
		return;
	memmove(in->bytes.text, in->bytes.text + in->consumed, rest);
	in->bytes.len = rest;
	in->consumed = 0;
}

// Returns the Content-Length in a header, or -1.
static int64_t content_length(const char *header, size_t len)
{
	static const char name[] = "Content-Length:";
	const char *end = header + len;

	while (header < end) {
		const char *line = header, *newline = memchr(line, '\n', end - line);
		int64_t n;

		header = newline ? newline + 1 : end;
		if ((size_t)(end - line) < strlen(name) || strncasecmp(line, name, strlen(name)))
			continue;
		line += strlen(name);
		line += strspn(line, " \t");
		return str_number(str_ndup(line, strspn(line, "0123456789")), 0, INT64_MAX, &n) ? n : -1;
	}
	return -1;
}

static enum message_kind damaged(struct message_input *in, size_t len, const char **why, const char *reason)
{
	in->consumed += len;
	*why = reason;
	return MESSAGE_DAMAGED;
}

static enum message_kind parse(struct message_input *in, const char *text, size_t len, struct json_object **out,
			       const char **why)
{
	if (!in->tokener)
		in->tokener = json_tokener_new();
	json_tokener_reset(in->tokener);
	*out = json_tokener_parse_ex(in->tokener, text, (int)len);
	in->consumed += len;
	forget(in);
	if (*out)
		return MESSAGE_READ;
	return damaged(in, 0, why, str_printf("the message is not valid JSON: %s",
					      json_tokener_error_desc(json_tokener_get_error(in->tokener))));
}

enum message_kind message_next(struct message_input *in, struct json_object **out, const char **why)
{
	const char *text = in->bytes.text + in->consumed, *end;
	size_t len = in->bytes.len - in->consumed, header, rest;
	int64_t content;

	*out = NULL;
	if (!len)
		return MESSAGE_NONE;
	end = memmem(text, len, "\r\n\r\n", 4);
	if (!end)
		return len > MAX_HEADER ? damaged(in, len, why, "the header of the message is too long") : MESSAGE_NONE;
	header = end + 4 - text;
	content = content_length(text, header);
	if (content < 0)
		return damaged(in, header, why, "the header of the message lacks a valid Content-Length");
	rest = len - header;
	if (content > MAX_MESSAGE) {
		size_t have = rest < (size_t)content ? rest : (size_t)content;

		in->skip = content - have;
		return damaged(in, header + have, why, str_printf("the message is longer than %d MB", MAX_MESSAGE >> 20));
	}
	if (rest < (size_t)content)
		return MESSAGE_NONE;
	in->consumed += header;
	return parse(in, text + header, content, out, why);
}

bool message_write(int fd, struct json_object *message)
{
	const char *text = json_object_to_json_string_ext(message, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	char *all = str_printf("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
	size_t len = strlen(all);

	json_object_put(message);
	while (len) {
		ssize_t n = write(fd, all, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		all += n;
		len -= n;
	}
	return true;
}

// ---------------------------------------------------------------- members

struct json_object *json_member(struct json_object *o, const char *name)
{
	struct json_object *value = NULL;

	return json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, name, &value) ? value : NULL;
}

const char *json_text(struct json_object *o, const char *name)
{
	struct json_object *value = json_member(o, name);

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

int json_number(struct json_object *o, const char *name, int otherwise)
{
	struct json_object *value = json_member(o, name);

	return json_object_is_type(value, json_type_int) ? json_object_get_int(value) : otherwise;
}

struct json_object *json_with(struct json_object *o, const char *name, struct json_object *value)
{
	json_object_object_add(o, name, value);
	return o;
}

// Returns the length of the UTF-8 character at p, or 0 if it is invalid.
static int character(const unsigned char *p)
{
	int n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	for (int i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

struct json_object *json_string(const char *text)
{
	struct buf b = { 0 };

	while (*text) {
		int n = character((const unsigned char *)text);

		buf_add(&b, n ? text : "?", n ? n : 1);
		text += n ? n : 1;
	}
	return json_object_new_string(buf_text(&b));
}
