// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of the language server: JSON-RPC objects, each after a header with its Content-Length.
#ifndef MESSAGE_H
#define MESSAGE_H

#include "util/str.h"

#include <json-c/json.h>

enum { MAX_MESSAGE = 64 << 20 };   // size in bytes; a longer message is skipped and reported

// Bytes from the client that were read. Zeroed at the start.
struct message_input {
	struct buf bytes;
	size_t consumed;           // number of bytes of messages that were returned
	size_t skip;               // number of bytes to discard, of a message that is too long
	struct json_tokener *tokener;
};

enum message_kind {
	MESSAGE_NONE,              // the next message is incomplete
	MESSAGE_READ,              // the message is in *out; the caller calls json_object_put()
	MESSAGE_DAMAGED            // *why is the reason, for an error response; the next message may be valid
};

void message_add(struct message_input *in, const char *bytes, size_t len);
enum message_kind message_next(struct message_input *in, struct json_object **out, const char **why);

// Writes the message and releases it. Returns false if the client has closed the connection.
bool message_write(int fd, struct json_object *message);

// Return members of objects. A member that is missing or of another type gives NULL, "" or `otherwise`.
struct json_object *json_member(struct json_object *o, const char *name);
const char *json_text(struct json_object *o, const char *name);
int json_number(struct json_object *o, const char *name, int otherwise);
// Adds a member and returns o, so that calls nest.
struct json_object *json_with(struct json_object *o, const char *name, struct json_object *value);
struct json_object *json_string(const char *text);     // replaces invalid UTF-8

#endif
