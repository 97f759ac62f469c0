/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the files of core/ share and that platforms do not use. */
#ifndef CORE_INTERNAL_H
#define CORE_INTERNAL_H

#include "session.h"

typedef __builtin_va_list stp_va_list;

/* values of errno on Linux */
enum { STP_ENOENT = 2, STP_EINTR = 4, STP_E2BIG = 7, STP_ENOMEM = 12, STP_EINVAL = 22, STP_ERANGE = 34 };

static inline u64 stp_round_up(u64 n, u64 to)
{
	return (n + to - 1) / to * to;
}

static inline s64 stp_load_long(const void *cell)
{
	return *(const s64 *)cell;
}

/* Copies n bytes (not terminated). Short texts, which are typical of prints, are copied without a call: the
 * words at both ends, which overlap in the middle. */
static inline char *stp_put_bytes(char *to, const char *from, u32 n)
{
	if (n > 16) {
		plat_memcpy(to, from, n);
	} else if (n >= 8) {
		plat_memcpy(to, from, 8);
		plat_memcpy(to + n - 8, from + n - 8, 8);
	} else if (n >= 4) {
		plat_memcpy(to, from, 4);
		plat_memcpy(to + n - 4, from + n - 4, 4);
	} else if (n) {
		to[0] = from[0];
		to[n / 2] = from[n / 2];
		to[n - 1] = from[n - 1];
	}
	return to + n;
}

/* ------------------------------------------------------------------ records.c */

/* In modules with records, text that is not from stp_record_printf() is a separate item. */
struct stp_sink;
struct stp_record_ops {
	bool (*open_text)(struct stp_sink *k, struct stp_ctx *c);
	bool (*extend_text)(struct stp_ctx_private *v, u32 n);     /* makes space for n bytes */
	void (*close_text)(struct stp_ctx_private *v);
	void (*cost)(struct stp_ctx *c, u32 probe, u64 hits, u64 min_ns, u64 sum_ns, u64 max_ns);
	struct stp_probe describe, values;     /* run before begin probes and after end probes */
};

/* ------------------------------------------------------------------ print.c: output of text */

/* A buffer, whose text is truncated at its end (v is NULL), or the open record of a context. */
struct stp_sink {
	char *at, *end;
	struct stp_ctx_private *v;
};
static inline struct stp_sink stp_sink_buffer(char *to, u32 size)
{
	to[size - 1] = 0;
	return (struct stp_sink){ to, to + size - 1, NULL };
}
/* Terminates a buffer, whose last byte is not 0 if the text was truncated. */
void stp_sink_end(struct stp_sink *k);
void stp_sink_end_text(struct stp_sink *k);    /* terminates the text of an error, whose size is not MAXSTRINGLEN */
static inline void stp_sink_close(struct stp_sink *k)
{
	if (!k->v) {
		stp_sink_end(k);
		return;
	}
	k->v->out = k->at;
	if (STP_UNLIKELY(stp_module.records != NULL))
		stp_module.records->ops->close_text(k->v);
}

/* hist.c; terminal: like limits.hist_terminal */
void stp_put_hist(struct stp_ctx *c, struct stp_sink *k, const struct stp_stat *s, const struct stp_stat_desc *d,
		  u32 terminal);
/* Slow path of stp_sink_space(): makes space for n bytes; false: the buffer is too small, or the record was lost. */
bool stp_sink_more(struct stp_sink *k, u32 n);
/* Returns false if the handler's record was lost: its output is then dropped. */
static inline bool stp_sink_record(struct stp_sink *k, struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);

	*k = (struct stp_sink){ v->out, v->out_end, v };
	if (STP_UNLIKELY(v->out_lost))
		return false;
	if (STP_UNLIKELY(stp_module.records != NULL))
		return stp_module.records->ops->open_text(k, c);
	return k->at || stp_sink_more(k, 1);
}
#define STP_ADDRESS_SIZE 19                    /* bytes of the longest address in a list, with a space */

/* Makes space for n more bytes, at most PLAT_RECORD_MAX, in the record, which is opened if necessary. */
bool stp_record_extend(struct stp_ctx_private *v, u32 n);
/* Opens the handler's record if none is open; false: it was lost, and the output that follows is dropped. */
bool stp_record_open(struct stp_ctx_private *v);
static inline bool stp_sink_space(struct stp_sink *k, u32 n)
{
	return STP_LIKELY((u64)(k->end - k->at) >= n) || stp_sink_more(k, n);
}
void stp_sink_put(struct stp_sink *k, const char *text, u64 n);
void stp_sink_pad(struct stp_sink *k, char with, u64 n);

/* ------------------------------------------------------------------ format.c */

/* Writes pieces until an error; arg: the first argument. */
void stp_put_pieces(struct stp_sink *k, struct stp_ctx *c, const struct stp_format *f,
		    const struct stp_format *end, const union stp_val *arg);

/* printf formats of C: % [-+ #0] [width|*] [.prec|.*] [hh h l ll z] [d i u x X o p c s %]. */
void stp_vformat(struct stp_sink *k, const char *fmt, stp_va_list ap);
/* Writes decimal digits that end before `end`; returns the first one. */
char *stp_digits(char *end, u64 n);

/* ------------------------------------------------------------------ stat.c, hist.c */

/* Adds the values of `from` to `to`. */
void stp_stat_merge(struct stp_stat *to, const struct stp_stat *from, const struct stp_stat_desc *d);
/* Returns the value of one STP_* bit; 0 for an empty statistic. */
s64 stp_stat_value(const struct stp_stat *s, const struct stp_stat_desc *d, u32 op);

/* ------------------------------------------------------------------ error.c, session.c */

void stp_fatal_format(struct stp_ctx *c, const char *fmt, ...);
void stp_error_report(struct stp_ctx_private *v);      /* sends c->error and clears it */
void stp_session_close(void);                  /* stops new handlers */
void stp_session_skipped(void);                /* counts one more skipped hit; ends the session after MAXSKIPPED */

#endif
