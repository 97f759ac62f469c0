// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "stream.h"

// Returns a copy, in memory of malloc(), in which U+FFFD replaces each byte that is not UTF-8; *valid: none was.
struct text utf8_copy(struct text t, bool *valid);
// Writes a JSON string with its quotes; U+FFFD replaces bytes that are not UTF-8. Returns false if there were any.
// Errors are those of the file.
bool put_json_string(FILE *to, struct text t);

#endif
