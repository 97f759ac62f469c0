/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the generated C that describe the records of a module whose output consists of records
 * (core/records.c). Included by generated.h.
 */
#ifndef RECORD_TABLES_H
#define RECORD_TABLES_H

/* A text that is used only by the reader of the output or in a histogram; empty in BPF programs, which have no
 * pointers to text. */
#ifdef STP_BPF
#define STP_CLIENT_TEXT(text) NULL
#else
#define STP_CLIENT_TEXT(text) (text)
#endif

struct stp_described_format { const struct stp_format *pieces; u32 n; };
struct stp_described_global {
	const char *name, *label;  /* label: a readable name, or NULL */
	u8 kind;                   /* enum stp_take_kind */
	bool adder;                /* it is a number with a counter at `offset` of struct percpu */
	u16 stacks;                /* bit n: key n, or the value after the last key, is a stack value (stack_values.h) */
	u16 lists;                 /* bits of `stacks` whose text is a list of addresses */
	u32 offset;
	void *at;                  /* struct stp_map *, struct stp_scalar_stat *, s64 *, char * */
};
struct stp_record_ops;
extern const struct stp_record_ops stp_record_ops, stp_merge_ops;
struct stp_records {
	const struct stp_record_ops *ops;
	bool as_text;              /* printing statements make text, not records of their arguments */
	const char *script;        /* text of the script */
	const char *const *options; u32 noptions; /* options of the translation: -DNAME=VALUE, ... */
	const struct stp_described_format *formats; u32 nformats;
	const struct stp_described_global *globals; u32 nglobals;
};

void stp_record_printf(struct stp_ctx *c, const struct stp_format *f, u32 pieces, const union stp_val *args);
void stp_record_hist(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d);
/* --merge, on a host (core/merge.c): sends the amount that this host has added to a global, identified by its
 * number among the described globals, or the value that it assigns to an element (is_set). keys: NULL for a
 * scalar. */
void stp_send_number(struct stp_ctx *c, u32 global, const union stp_val *keys, s64 n, bool is_set);
void stp_send_text(struct stp_ctx *c, u32 global, const union stp_val *keys, const char *text);
void stp_send_stat(struct stp_ctx *c, u32 global, const union stp_val *keys, const struct stp_stat *s,
		   const struct stp_stat_desc *d);
/* --merge, on the host where stap runs (merge/hosts.c): the globals that hosts send */
extern const struct stp_described_global stp_merged_globals[];
extern const u32 stp_nmerged_globals;
void stp_record_costs(struct stp_ctx *c);  /* writes the costs of the hits of all probes so far (timing.c) */
#ifdef STP_RECORDS
#define stp_printf stp_record_printf
#define stp_print_hist stp_record_hist
#endif

#endif
