// SPDX-License-Identifier: GPL-2.0-or-later
// Objects of doc/json.md, for the writers that embed them. Callers own the objects.
#ifndef JSON_H
#define JSON_H

#include "stream.h"
#include "writers.h"

struct json_object *json_event(const struct output *out, const struct session *s, const struct event *e);
// Returns a string; bytes that are not UTF-8 are replaced by U+FFFD.
struct json_object *json_text(struct text t);

#endif
