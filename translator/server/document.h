// SPDX-License-Identifier: GPL-2.0-or-later
// Texts that the editor has open, and positions in them. A position of the protocol is a line and a number of UTF-16
// code units, both from 0; here a location is a byte offset.
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include "server/message.h"
#include "util/diag.h"

struct document {
	const char *uri;
	const char *path;          // path of a file: URI, otherwise the URI
	const char *text;
	size_t len;
	int version;
};

// Returns the path of a file: URI; another URI is returned unchanged.
const char *uri_path(const char *uri);
const char *path_uri(const char *path);

// Applies the changes of textDocument/didChange: an array of whole texts and replaced ranges.
void document_change(struct document *d, struct json_object *changes);

// Returns the offset of a position. A position outside of the text becomes that of the nearest character.
size_t document_offset(const struct document *d, struct json_object *position);
struct json_object *text_position(const char *text, size_t len, size_t offset);
struct json_object *text_range(const char *text, size_t len, size_t from, size_t to);
// Returns the offset of a location of the text's source.
size_t loc_offset(struct loc loc);
// Returns the range of the token at the location.
struct json_object *loc_range(struct loc loc);

#endif
