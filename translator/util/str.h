// SPDX-License-Identifier: GPL-2.0-or-later
// Strings of the translator: garbage-collected, immutable once made; and a buffer to build them in.
#ifndef UTIL_STR_H
#define UTIL_STR_H

#include "number.h"
#include "util/mem.h"
#include "util/vec.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

struct buf {
	char *text;            // zero-terminated once anything was added
	size_t len, capacity;
};

void buf_add(struct buf *b, const char *bytes, size_t len);
void buf_puts(struct buf *b, const char *text);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
void buf_json(struct buf *b, const char *text);       // appends the text as a JSON string
char *buf_text(struct buf *b);             // "" if nothing was added

char *str_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);
char *str_vprintf(const char *fmt, va_list ap);
char *str_dup(const char *s);
char *str_ndup(const char *s, size_t len);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
const char *str_base_name(const char *path);           // what follows its last "/"
bool str_is_glob(const char *s);           // contains one of * ? [

typedef VEC(const char *) name_list;
bool str_in_list(const name_list *list, const char *s);
// Expands "a{b,{c,d}}e" to abe, ace, ade. Braces without a comma of their own, outside parentheses, are copied, as
// is a text of more than 1024 bytes. Returns false if there are more than `max` results; then `out` has some of
// them.
bool str_braces(name_list *out, const char *text, int max);

// Escapes the text for the inside of a C or script string literal (without quotes): octal escapes.
char *str_escape(const char *bytes, size_t len);

// Parses the whole text as a decimal number. Returns false if it is not a number, or not between min and max.
bool str_number(const char *text, int64_t min, int64_t max, int64_t *n);
// Parses the whole text as a number with an optional decimal point and exponent.
bool str_real(const char *text, double min, double max, double *n);
enum str_long { STR_LONG, STR_NOT_A_NUMBER, STR_TOO_LARGE };
// Parses the whole text as a number of a script, as the runtime parses the value of a global: decimal, 0x hexadecimal
// or 0 octal, with a sign. Hexadecimal numbers may have all 64 bits.
enum str_long str_long(const char *text, int64_t *n);

// Number of different letters (Levenshtein); transposed letters count once.
int str_distance(const char *a, const char *b);
// Returns " (similar: a, b, c)", with up to five of `names` that are similar to `wanted`, the most similar first;
// "" if there are none.
const char *str_similar(const char *wanted, const char *const *names, int n);

// Reads a whole file, zero-terminated; *len may be NULL. Returns NULL and sets errno on failure.
char *str_read_file(const char *path, size_t *len);
// Stops when at least `max` bytes are read.
char *str_read_start(const char *path, size_t max, size_t *len);

#endif
