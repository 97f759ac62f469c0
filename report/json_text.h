// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "stream.h"

// Returns the length of the UTF-8 character at `at` in bytes; 0: invalid bytes.
size_t utf8_character(const unsigned char *at, size_t len);
// Writes a JSON string with its quotes; U+FFFD replaces bytes that are not UTF-8. Errors are those of the file.
void put_json_string(FILE *to, struct text t);

#endif
