// SPDX-License-Identifier: GPL-2.0-or-later
// The language server's reader: any bytes, in pieces of any size, are split into messages; changes of texts and the
// tokens at positions stay inside of the text.
#include "fuzz.h"
#include "server/cursor.h"

#include <stdlib.h>
#include <string.h>

static void edit(struct document *d, struct json_object *message)
{
	struct json_object *params = json_member(message, "params");
	struct cursor c;
	size_t offset;

	document_change(d, json_member(params, "contentChanges"));
	offset = document_offset(d, json_member(params, "position"));
	if (offset > d->len || strlen(d->text) != d->len)
		abort();
	json_object_put(text_position(d->text, d->len, offset));
	cursor_set(&c, d, offset);
	if (c.at >= c.tokens.n || c.first > c.tokens.n || c.end > c.tokens.n)
		abort();
	for vec_each(&c.tokens, t)
		if (token_offset(&c, t) + t->len > d->len)
			abort();
	cursor_probe_point(&c);
	uri_path(json_text(params, "uri"));
}

void fuzz_one(const char *text, size_t len)
{
	struct document d = { .uri = "file:///a.stp", .path = "/a.stp", .text = "probe begin { }", .len = 15 };
	struct message_input in = { 0 };
	size_t piece = len ? (unsigned char)text[0] + 1 : 1;
	const char *header;

	if (len > 1 && text[0] & 1) {          // a message of the right length
		header = str_printf("Content-Length: %zu\r\n\r\n", len - 1);
		message_add(&in, header, strlen(header));
	}
	for (size_t at = 1; at < len; at += piece) {
		struct json_object *message;
		enum message_kind kind;
		const char *why;

		message_add(&in, text + at, len - at < piece ? len - at : piece);
		while ((kind = message_next(&in, &message, &why)) != MESSAGE_NONE) {
			if (kind == MESSAGE_DAMAGED ? message || !*why : !message)
				abort();
			if (message)
				edit(&d, message);
			json_object_put(message);
		}
	}
	if (in.tokener)
		json_tokener_free(in.tokener);
}
