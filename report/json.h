// SPDX-License-Identifier: GPL-2.0-or-later
// Objects of doc/json.md, for the writers that embed them. Callers own the objects.
#ifndef JSON_H
#define JSON_H

#include "stream.h"
#include "writers.h"

// Returns the object of any event but PRINT and TEXT.
struct json_object *json_event(const struct output *out, const struct session *s, const struct event *e);
// Returns a string; bytes that are not UTF-8 are replaced by U+FFFD.
struct json_object *json_text(struct text t);
struct json_object *json_base64(struct text t);
struct json_line;
// Adds the array of frames of a text that is a call stack; host: see stack_text_frames().
void json_add_stack(struct json_line *line, const struct session *s, struct text t, struct text host);
// Returns false for numbers that are written as strings.
bool json_is_number(const struct output *out, int64_t n);
// Writes the line of PRINT or TEXT. Returns 0 or -errno.
int json_print(const struct output *out, const struct session *s, const struct event *e);

#endif
