/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations on strings that the library uses (core/string.c): a part of generated.h. Context: any.
 */
#ifndef STP_TEXT_H
#define STP_TEXT_H

/* A table of names of less than `width` bytes, a multiple of 8, for stp_copy_name(). It contains no pointers, so
 * that BPF programs can use it, too. */
#ifndef STP_BPF
#define STP_LITERAL(text) text
#define STP_NAMES(table, width) static const char table[][width]
#define stp_copy_name(to, table, n) stp_copy(to, (table)[n], STP_STRLEN)
#endif
#define STP_HAS_NAME(table, n) ((u64)(n) < sizeof(table) / sizeof((table)[0]) && (table)[n][0])
/* offset of the first `what` in s, -1 if it is not found */
s64 stp_find(struct stp_ctx *c, const char *s, const char *what);
/* Writes a text with its unprintable bytes escaped, in quotes. The result has at most `limit` bytes (0:
 * MAXSTRINGLEN - 1), at least 5; it ends in three dots if it is truncated. */
void stp_quote(struct stp_ctx *c, char *to, const char *text, s64 limit, bool quoted);
/* Write a text in quotes, as JSON or as the value of a label of Prometheus. */
void stp_quote_json(struct stp_ctx *c, char *to, const char *text);
void stp_quote_label(struct stp_ctx *c, char *to, const char *text);
/*
 * Write the name of n, or `other` if it has none; and the names of the bits of n, separated by |. Tables are
 * strings: see tapsets/names.stp.
 */
void stp_name_of(struct stp_ctx *c, char *to, const char *table, u64 n, const char *other);
void stp_flag_names(struct stp_ctx *c, char *to, const char *table, u64 n);
void stp_prefixed(struct stp_ctx *c, char *to, const char *before, s64 n);    /* writes a text and a number */
/* Returns the length of the prefix of s whose characters are all in the set (member), or all outside it. */
s64 stp_span(struct stp_ctx *c, const char *s, const char *set, bool member);
/* Functions of tapsets/string.stp. `to` holds string_len bytes and is not one of the other strings. */
void stp_substr(struct stp_ctx *c, char *to, const char *s, s64 start, s64 n);
s64 stp_character(struct stp_ctx *c, const char *s, s64 at);       /* sets an error if the position is outside of
								    * the string */
s64 stp_strtol(struct stp_ctx *c, const char *s, s64 base);
void stp_basename(struct stp_ctx *c, char *to, const char *path);
void stp_replace(struct stp_ctx *c, char *to, const char *s, const char *what, const char *with);

#endif
