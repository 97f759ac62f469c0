/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations on strings that the library uses (core/string.c): a part of generated.h. Context: any.
 */
#ifndef STP_TEXT_H
#define STP_TEXT_H

/* offset of the first `what` in s, -1 if it is not found */
s64 stp_find(struct stp_ctx *c, const char *s, const char *what);
/* Writes a text with its unprintable bytes escaped. The result has at most `limit` bytes (0: MAXSTRINGLEN - 1); in
 * quotes, at least 5, and it ends in three dots if it is cut. */
void stp_quote(struct stp_ctx *c, char *to, const char *text, s64 limit, bool quoted);
/* Returns the length of the prefix of s whose characters are all in the set (member), or all outside it. */
s64 stp_span(struct stp_ctx *c, const char *s, const char *set, bool member);
/* Functions of tapsets/string.stp. `to` holds string_len bytes and is not one of the other strings. */
void stp_substr(struct stp_ctx *c, char *to, const char *s, s64 start, s64 n);
s64 stp_character(struct stp_ctx *c, const char *s, s64 at);       /* error: outside of the string */
s64 stp_strtol(struct stp_ctx *c, const char *s, s64 base);
void stp_basename(struct stp_ctx *c, char *to, const char *path);
void stp_replace(struct stp_ctx *c, char *to, const char *s, const char *what, const char *with);

#endif
