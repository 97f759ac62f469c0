// SPDX-License-Identifier: GPL-2.0-or-later
// Strings of the translator: collected, immutable once made; and a buffer to build them in.
#ifndef UTIL_STR_H
#define UTIL_STR_H

#include "number.h"
#include "util/mem.h"
#include "util/vec.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

struct buf {
	char *text;            // always terminated once anything was added
	size_t len, room;
};

void buf_add(struct buf *b, const char *bytes, size_t len);
void buf_puts(struct buf *b, const char *text);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_json(struct buf *b, const char *text);       // as a JSON string
char *buf_text(struct buf *b);             // "" when nothing was added

char *str_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);
char *str_vprintf(const char *fmt, va_list ap);
char *str_dup(const char *s);
char *str_ndup(const char *s, size_t len);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
bool str_is_glob(const char *s);           // has one of * ? [

typedef VEC(const char *) name_list;
// "a{b,{c,d}}e" to abe, ace, ade. Braces without a comma of their own, outside parentheses, are kept.
// So is a text of more than 1024 bytes. False, with some of them: there would be more than `most`.
bool str_braces(name_list *out, const char *text, int most);

// The text as the inside of a C or script string literal (no quotes added): octal escapes.
char *str_escape(const char *bytes, size_t len);

// The whole text as a decimal number. False: it is not a number, or not from least to most.
bool str_number(const char *text, int64_t least, int64_t most, int64_t *n);
// The same with a decimal point and an exponent.
bool str_real(const char *text, double least, double most, double *n);
enum str_long { STR_LONG, STR_NOT_A_NUMBER, STR_TOO_LARGE };
// The whole text as a script's number, as the runtime reads a global's value: decimal, 0x hexadecimal or 0 octal, with
// a sign. Hexadecimal ones are also addresses: they may have all 64 bits.
enum str_long str_long(const char *text, int64_t *n);

// How many letters differ (Levenshtein); two that changed places count once.
int str_distance(const char *a, const char *b);
// " (similar: a, b, c)": up to five of `names` that may be meant by `wanted`, the most similar first. "": none is.
const char *str_similar(const char *wanted, const char *const *names, int n);

// The whole file, terminated; *len may be NULL. NULL and errno when it can't be read.
char *str_read_file(const char *path, size_t *len);
// Stops when it has at least `most` bytes.
char *str_read_start(const char *path, size_t most, size_t *len);

#endif
