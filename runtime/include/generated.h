/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that generated C uses: types, the probe context, functions of the runtime. It includes neither kernel
 * headers nor libc, so that the same text compiles in a few milliseconds for a module and for a process.
 *
 * Context of each function, unless its comment says otherwise: any but NMI; it does not sleep and does not
 * allocate. A function that can fail sets c->error and returns 0 or ""; generated code checks c->error by
 * STP_CHECK() after the call.
 */
#ifndef STP_GENERATED_H
#define STP_GENERATED_H

#ifndef STP_TYPES_GIVEN            /* the kernel headers that a runtime file includes have already defined them */
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
#ifndef __cplusplus
typedef _Bool bool;
enum { false, true };
#endif
#ifndef NULL
#define NULL ((void *)0)
#endif
#endif
#include "counters.h"
#define STP_LIKELY(x)   __builtin_expect(!!(x), 1)
#define STP_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ------------------------------------------------------------------ context */

#define STP_ARGUMENTS 12           /* the largest number of arguments of a tracepoint */

struct stp_probe;
struct stp_syscall;

union stp_val { s64 n; const char *s; };   /* a key or a printf argument */

/*
 * The probe context: one for each CPU, and one for begin, end and error probes. Handlers do not nest: a hit on a
 * context in use is skipped and counted. Generated code and inline functions use only the members above the line.
 */
struct stp_ctx {
	/* The handler of a probe with adds_only uses only the first three members. */
	const void *regs;          /* registers of the hit, laid out as the kernel's pt_regs; may be NULL */
	u8 *percpu;                /* this CPU's counters and statistics: struct percpu of the generated C */
	u64 arguments[STP_ARGUMENTS];  /* arguments of a tracepoint (those that the handler reads) or of a system call */
	const char *error;         /* text of the soft error; NULL if there was no error */
	const char *error_location; /* source location of the error, "operator '/' at t.stp:1:5"; set by STP_CHECK */
	s64 actions;               /* number of statements that this hit may still execute */
	s64 work;                  /* units of work that this hit may still use: see work.def */
	s32 nesting;               /* number of nested calls of script functions that it may still enter */
	u64 stack_low;             /* lowest stack pointer with which a recursive function may continue */
	bool fatal;                /* the error cannot be caught: statement limit exceeded, abort() */
	bool next;                 /* an overloaded function executed `next`: the following one is called */
	u64 address;               /* address of the probed instruction; 0 if there is no such instruction */
	u64 bias;                  /* load bias of the probed program or library: address - link address */
	u64 saved_return;          /* return value in .return probes */
	s64 *entry;                /* values that @entry() saved for this call */
	char *frame, *frame_end;   /* next free byte of the string frames */
	const struct stp_probe *probe;
	const struct stp_syscall *syscall; /* set in probes of system calls */
	/* at the return of a system call: its argstr at the entry, "" if it was not saved; at the entry: NULL */
	char *call_text;
	u32 call_text_size;
	bool compat_call;          /* system calls whose arguments are read: it uses the 32-bit interface */
	/* private to the runtime (core/context.h) */
	struct stp_ctx_private *priv;
};
#include "part_context.h"

#define STP_CHECK(c, where, label) do {						\
	if (STP_UNLIKELY((c)->error)) {						\
		stp_error_location(c, where);					\
		goto label;							\
	}									\
} while (0)

/* Records the source location of an error. Callers repeat this with the location of the call, which builds the
 * error's backtrace. */
void stp_error_location(struct stp_ctx *c, const char *where);

/* Raises a soft error with a formatted text (core/error.c), truncated to the context's buffer. */
void stp_error(struct stp_ctx *c, const char *fmt, ...);
void stp_fatal(struct stp_ctx *c, const char *text);       /* raises an error that `catch` does not see; "": abort() */
/* Enters a catch block: copies the message to `to` (may be NULL) and clears the error. Returns false when the error
 * is fatal and has to propagate. */
bool stp_catch(struct stp_ctx *c, char *to, u32 size);

/* Counts n statements at a loop's back edge or a recursive call; ends the handler when the limit is reached. */
void stp_out_of_actions(struct stp_ctx *c);
#define STP_ACTIONS(c, n, where, label) do {					\
	if (STP_UNLIKELY(((c)->actions -= (n)) < 0)) {				\
		stp_out_of_actions(c);						\
		stp_error_location(c, where);					\
		goto label;							\
	}									\
} while (0)

#define WORK(name, units, what) STP_WORK_##name = units,
#define CALL(function, units, percent)
#define DATA(function, units, percent)
#define BY_DATA(function)
enum stp_work {
#include "work.def"
};

/*
 * Every loop over data whose size a script or a process determines charges its work, in the units of work.def,
 * before or while it runs. Returns false when the hit's budget or its time is used up, now or earlier: c->error is
 * set and cannot be caught, and the caller leaves its data consistent and returns. Handlers of begin, end and error
 * have no budget; they may be preempted here. Context: any.
 */
bool stp_charge_more(struct stp_ctx *c);
static inline bool stp_charge(struct stp_ctx *c, u64 units)
{
	return STP_LIKELY((c->work -= (s64)units) >= 0) || stp_charge_more(c);
}
/* Charges a walk over n bytes of strings. n is limited to the size of a string, since longer strings do not exist. */
static inline bool stp_charge_text(struct stp_ctx *c, s64 n)
{
	return stp_charge(c, (u64)n * STP_WORK_CHARACTER);
}
/* Charges the work of a block of statements, which the translator has computed. */
#define STP_WORK(c, n, where, label) do {					\
	if (STP_UNLIKELY(!stp_charge(c, n))) {					\
		stp_error_location(c, where);					\
		goto label;							\
	}									\
} while (0)

#if defined(__KERNEL__) && defined(STP_TYPES_GIVEN)
/* the kernel defines it; a second variable in the same register causes a warning */
#define stp_stack_pointer current_stack_pointer
#elif defined(__x86_64__)
register unsigned long stp_stack_pointer __asm__("rsp");
#elif defined(__aarch64__)
register unsigned long stp_stack_pointer __asm__("sp");
#else
#define stp_stack_pointer ((unsigned long)__builtin_frame_address(0))
#endif

/* Reserves the string variables of a function. Returns NULL and sets an error when MAXNESTING or the memory for
 * strings is exhausted. */
void *stp_frame_fail(struct stp_ctx *c);
static inline void *stp_frame_enter(struct stp_ctx *c, u32 size)
{
	char *f = c->frame;

	if (STP_UNLIKELY(c->nesting-- <= 0 || (u64)(c->frame_end - f) < size))
		return stp_frame_fail(c);
	c->frame = f + size;
	return f;
}
/* Does the same for a recursive function, whose depth is known only at run time: an error is also set when the
 * machine stack, which holds its numbers, is exhausted. The platform sets c->stack_low before each handler that
 * may recurse. */
void *stp_frame_no_stack(struct stp_ctx *c);
static inline void *stp_frame_enter_recursive(struct stp_ctx *c, u32 size)
{
	if (STP_UNLIKELY((u64)stp_stack_pointer < c->stack_low))
		return stp_frame_no_stack(c);
	return stp_frame_enter(c, size);
}
static inline void stp_frame_leave(struct stp_ctx *c, u32 size)
{
	c->frame -= size;
	c->nesting++;
}

/* ------------------------------------------------------------------ arithmetic (core/arith.c) */

s64 stp_div(struct stp_ctx *c, s64 a, s64 b);              /* "division by 0" */
s64 stp_mod(struct stp_ctx *c, s64 a, s64 b);
/* Division in a DWARF location expression. Error: "not available here: its location divides by 0" */
s64 stp_location_div(struct stp_ctx *c, s64 a, s64 b);
s64 stp_location_mod(struct stp_ctx *c, s64 a, s64 b);
s64 stp_location_udiv(struct stp_ctx *c, u64 a, u64 b);
s64 stp_location_umod(struct stp_ctx *c, u64 a, u64 b);
/* returns 0 and the error "not available after this call of its function" */
s64 stp_location_absent(struct stp_ctx *c);
s64 stp_scaled(u64 count, u64 enabled, u64 running);       /* scales a count over `running` ns to `enabled` ns */
static inline s64 stp_shl(s64 a, s64 b)  { return (s64)((u64)a << (b & 63)); }
static inline s64 stp_shr(s64 a, s64 b)  { return a >> (b & 63); }
static inline s64 stp_ushr(s64 a, s64 b) { return (s64)((u64)a >> (b & 63)); }

/* ------------------------------------------------------------------ strings (core/string.c) */
/* A string is terminated and shorter than stp_module.limits.string_len, the size of every buffer. */

void stp_copy(char *to, const char *from, u32 size);       /* truncates; from may be equal to `to` */
void stp_append(char *to, const char *from, u32 size);     /* appends in place */
s32 stp_compare(const char *a, const char *b);             /* compares bytes as strcmp() does */
s64 stp_strlen(const char *s);
#include "text.h"
/* Appends an address in hexadecimal to a list of *len bytes, separated by a space. If it does not fit as a whole,
 * appends nothing, counts a truncated string and returns false. */
bool stp_list_address(char *list, u32 size, u32 *len, u64 address);
/* Ends a line of `line` bytes that the caller has written after *len, as far as it fits. If it does not fit as a
 * whole, removes the line, counts a truncated string and returns false. */
bool stp_list_line(char *list, u32 size, u32 *len, u64 line);
void stp_frames_cut(void);                                 /* counts a call stack of more than MAXBACKTRACE frames */
#include "format_flags.h"
#include "stack_values.h"
void stp_structure_cut(void);                              /* counts a structure of which $x$$ prints only a part */
void stp_speculation_lost(void);                           /* counts a piece of output that commit() no longer finds */
struct stp_enumerator { const char *name; s64 value; };
/* Writes the name of the first enumerator with this value, otherwise the number (core/format.c). */
void stp_enum_name(char *to, u32 size, s64 value, const struct stp_enumerator *e, u32 n);

#include "memory.h"

/* ------------------------------------------------------------------ statistics (core/stat.c) */

enum { STP_COUNT = 1, STP_SUM = 2, STP_MIN = 4, STP_MAX = 8, STP_AVG = 16, STP_VARIANCE = 32,
       STP_HIST_LOG = 64, STP_HIST_LINEAR = 128,
       STP_NOT_EMPTY = 256 /* beside STP_SUM: an empty statistic is an error */, STP_PERCENTILE = 512 };
#define STP_LOG_BUCKETS 128

struct stp_stat_desc {
	u32 ops, buckets;          /* STP_* bits of the values to compute; buckets, with underflow and overflow */
	u32 size;                  /* size in bytes of a struct stp_stat with all data that follows it */
	s64 low, high, step;       /* parameters of @hist_linear */
	const char *label, *unit;  /* a readable name, and the unit of the values ("us", "bytes"); or NULL */
};
struct stp_stat {
	s64 count, sum, min, max;
	s64 hist[];                /* buckets, then a struct stp_squares if the variance is read, then STP_FINE_BUCKETS */
};
struct stp_squares {
	s64 sum_high;              /* upper half of the sum */
	u64 word[3];               /* sum of the squares, the least significant word first */
};
/* Bucket of a value in @hist_log: #64 is 0, #65 is 1, #66 2-3, #67 4-7; #63 is -1, #62 -2 to -3. */
static inline u32 stp_log_bucket(s64 v)
{
	if (v > 0)
		return 128 - (u32)__builtin_clzll((u64)v);
	return v ? (u32)__builtin_clzll(0 - (u64)v) : 64;
}
#include "percentile.h"
void stp_stat_add_slow(struct stp_stat *s, const struct stp_stat_desc *d, s64 v); /* updates histogram and variance */
static inline void stp_stat_add(struct stp_stat *s, const struct stp_stat_desc *d, s64 v)
{
	if (d->ops & (STP_MIN | STP_MAX)) {
		if (!s->count || v < s->min)
			s->min = v;
		if (!s->count || v > s->max)
			s->max = v;
	}
	STP_ADD(s->count, 1);
	STP_ADD(s->sum, v);
	if (d->ops & (STP_VARIANCE | STP_HIST_LINEAR | STP_PERCENTILE))
		stp_stat_add_slow(s, d, v);
	else if (d->ops & STP_HIST_LOG)
		s->hist[stp_log_bucket(v)]++;
}
void stp_stat_clear(struct stp_stat *s, const struct stp_stat_desc *d);
/* Extracts a value of a merged statistic. s may be NULL (absent element), which counts as empty. min, max and avg
 * of an empty statistic set the error "empty aggregate". op is one STP_* bit. */
s64 stp_stat_get(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, u32 op);
s64 stp_stat_variance(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d);
s64 stp_hist_get(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, s64 bucket);
/* Implements foreach by count: returns the bucket that follows `last` (-1: the first one), or -1 at the end. */
s64 stp_hist_next(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, int dir, s64 last);

/* A scalar statistic: one struct stp_stat per CPU at c->percpu + offset, and one into which they are merged. */
struct stp_scalar_stat {
	const char *name;
	struct stp_stat_desc desc;
	u32 offset;                /* offset in struct percpu */
	struct stp_stat *merged;   /* owned by the runtime */
};
const struct stp_stat *stp_scalar_merge(struct stp_ctx *c, struct stp_scalar_stat *g);
void stp_scalar_clear(struct stp_ctx *c, struct stp_scalar_stat *g);

/* ------------------------------------------------------------------ maps (core/map.c) */

#define STP_MAX_KEYS 9
enum stp_type { STP_LONG = 1, STP_STRING = 2, STP_STATS = 3 };

struct stp_map {
	const char *name;          /* name of the global, for messages */
	u8 nkeys;
	u8 value;                  /* enum stp_type */
	u8 keys[STP_MAX_KEYS];     /* enum stp_type */
	bool wrap;
	bool sized;                /* the script declares the size: messages then do not refer to MAXMAPENTRIES */
	bool percpu;               /* statistics: a table per CPU; numbers: a sum per CPU; merged before reads */
	u32 capacity;              /* elements */
	struct stp_stat_desc stat; /* description of values of STP_STATS */
	struct stp_map_data *data; /* owned by the runtime; allocated before begin probes */
};

struct stp_elem;
/* Lookups return the value cell: s64, char[string_len] or struct stp_stat. */
void *stp_map_get(struct stp_map *m, const union stp_val *keys);            /* NULL: absent */
void *stp_map_get1(struct stp_map *m, s64 key);                             /* fast path for one number as the key */
/* Returns the value in a cell that a lookup returned, which may be NULL. */
static inline s64 stp_cell_long(const void *cell) { return cell ? *(const s64 *)cell : 0; }
static inline const char *stp_cell_string(const void *cell) { return cell ? cell : ""; }
/* Finds or inserts an element; a new cell is 0 or "". Returns NULL, and sets an error, when the array is full. */
void *stp_map_put(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys);
void *stp_map_put1(struct stp_ctx *c, struct stp_map *m, s64 key);
/* Does the same as stp_map_put(), but in this CPU's table of a percpu map. */
struct stp_stat *stp_pmap_put(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys);
void stp_map_delete(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys);      /* deletes from all tables */
void stp_map_clear(struct stp_ctx *c, struct stp_map *m);
s64 stp_map_count(struct stp_map *m);      /* number of elements of the merged table */
/* Operations on slices. Bit k of `any` is set if key k is "*". */
bool stp_map_has_slice(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys, u32 any);
void stp_map_delete_slice(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys, u32 any);
/* Merges the values that CPUs have added to a percpu map, and clears their parts; called before any function
 * except stp_pmap_put() and stp_map_add(). The caller holds the map's lock in STP_WRITE; code that only adds holds
 * it in STP_ADDING. */
void stp_map_merge(struct stp_ctx *c, struct stp_map *m);

/* One static struct per foreach statement. A sorted loop (dir is not 0) writes pointers to the elements into a
 * table of the runtime, for which it needs the map's lock in STP_WRITE. In a recursive function each depth has its
 * own part of the table, so that a loop continues in its own order after a call that ran the same loop. */
struct stp_foreach {
	struct stp_map *map;
	s8 dir;                    /* 0: insertion order, 1: ascending, -1: descending */
	u8 key;                    /* 0: by value, n: by key n */
	u32 stat;                  /* STP_* bit if sorted by a value of statistics */
	bool recursive;            /* the function that contains the loop is recursive */
	u32 *order;                /* positions of elements; owned by the runtime; NULL when dir is 0 */
};
/* Iterates over up to limit elements (< 0: all), sorted if dir is set. NULL is returned after the last one. */
struct stp_iter { struct stp_ctx *c; struct stp_foreach *f; u32 *order; struct stp_elem *elem; s64 left; u32 at;
		  u32 any; const union stp_val *slice; };
struct stp_elem *stp_foreach_first(struct stp_ctx *c, struct stp_iter *it, struct stp_foreach *f, s64 limit,
				   const union stp_val *slice, u32 any);
struct stp_elem *stp_foreach_next(struct stp_iter *it);
static inline s64 stp_limit(s64 n) { return n < 0 ? 0 : n; }  /* a negative limit in a script visits no element */
s64 stp_elem_long(const struct stp_map *m, const struct stp_elem *e, u32 key);  /* key: number from 0 */
const char *stp_elem_string(const struct stp_map *m, const struct stp_elem *e, u32 key);
void *stp_elem_value(const struct stp_map *m, const struct stp_elem *e);

/* The runtime allocates and frees arrays through this table, since modules without arrays do not contain map.c and
 * foreach.c. */
struct stp_array_ops {
	u64 (*map_bytes)(const struct stp_map *m, u32 cpus);   /* bytes that map_make() allocates for these CPUs */
	int (*map_make)(struct stp_map *m);    /* 0 or -STP_ENOMEM; in both cases map_free() frees the memory */
	void (*map_free)(struct stp_map *m);
	u64 (*foreach_bytes)(const struct stp_foreach *f);     /* bytes that foreach_make() allocates */
	int (*foreach_make)(struct stp_foreach *f);
	void (*foreach_free)(struct stp_foreach *f);
};
extern const struct stp_array_ops stp_array_ops;

/* ------------------------------------------------------------------ printing (core/format.c, print.c) */

struct stp_format {                        /* one piece of a format: a conversion, then text */
	const char *text;
	u16 len;
	/* d u o x X p c s b m M; q: char * printed as "text", Q: the same in user memory; k: a stack value,
	 * printed as its lines; 0: text only, then width and precision are -1 */
	char conv;
	u8 flags;                  /* enum stp_format_flag (format_flags.h) */
	s16 width, precision;      /* -1: none, -2: the next argument */
};
/* The output of one handler is one record, which is committed when the handler ends. */
void stp_printf(struct stp_ctx *c, const struct stp_format *f, u32 pieces, const union stp_val *args);
void stp_sprintf(struct stp_ctx *c, char *to, u32 size, const struct stp_format *f, u32 pieces,
		 const union stp_val *args);
void stp_print(struct stp_ctx *c, const char *text, u32 len);
void stp_cprintf(struct stp_ctx *c, const char *fmt, ...); /* STAP_PRINTF: printf formats of C, integers and strings */
/* returns the context of the handler that calls it directly or indirectly */
struct stp_ctx *stp_ctx_here(void);
/* Prints a histogram. An empty one sets the error "empty aggregate". */
void stp_print_hist(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d);
void stp_sprint_hist(struct stp_ctx *c, char *to, u32 size, const struct stp_stat *s,
		     const struct stp_stat_desc *d);

/* ------------------------------------------------------------------ regular expressions (core/regex.c) */

struct stp_regex {                         /* a DFA: next = table[state * classes + class[byte]] */
	const u8 *byte_class;      /* [256] */
	const u16 *table;
	/* [states]: bit 0: already matched; bit 1: matches at the end of text; bit 2: no byte leads out of it */
	const u8 *accept;
	u16 classes, start;
	u16 inner;                 /* start state of a walk that does not begin at an end of the text */
};
bool stp_regex_match(struct stp_ctx *c, const struct stp_regex *r, const char *text);

/* A part of the tree that splits a match into its groups, for matched(). Parts are numbered; part 0 needs no work. */
enum stp_regex_kind { STP_RE_NONE, STP_RE_GROUP, STP_RE_CAT, STP_RE_ALT, STP_RE_STAR };
struct stp_regex_part {
	u8 kind;
	u8 group, last;            /* GROUP: its number, and the maximum number inside it */
	u16 a, b;                  /* CAT: first and rest; ALT: alternatives; GROUP, STAR: the part inside */
	const struct stp_regex *head; /* forward: finds the offsets at which a may end */
	const struct stp_regex *tail; /* backward: finds the offsets at which (CAT) b, (STAR) another a may begin */
};
struct stp_regex_groups {
	const struct stp_regex *find;  /* backward from the end of the text: finds where a match may begin */
	const struct stp_regex *whole; /* forward from there: finds the end of the match */
	const struct stp_regex_part *parts;
	u16 root, groups;          /* groups: including group 0, the whole match */
};
#define STP_MAX_GROUPS 32
struct stp_match {                         /* the last match of this hit */
	u32 groups;                /* number of groups; 0: the match failed, or there was none yet */
	u32 size;                  /* size of `text` */
	struct { s32 from, to; } at[STP_MAX_GROUPS];   /* offsets of a group; from is -1 if it matched nothing */
	struct { s32 part, from, to; } todo[STP_MAX_GROUPS];
	char text[];               /* the matched text, followed by the same number of bytes for marks */
};
/* Splits a match into its groups. Sets c->error if that takes too many steps. */
bool stp_regex_groups(struct stp_ctx *c, struct stp_match *m, u32 size, const struct stp_regex_groups *r,
		      const char *text);
void stp_matched(struct stp_ctx *c, const struct stp_match *m, char *to, u32 size, s64 group);
void stp_matched_text(struct stp_ctx *c, const struct stp_match *m, char *to, u32 size);
s64 stp_matched_groups(struct stp_ctx *c, const struct stp_match *m);

/* ------------------------------------------------------------------ functions used by tapsets */
/* IDs of the current task are those of the initial namespace; in the user runtime, those of the traced process or
 * of its own. Names and units are those of the tapset documentation. */

s64 stp_pid(struct stp_ctx *c);
s64 stp_tid(struct stp_ctx *c);
/* Returns the start time of the current thread, of an unspecified clock. With the ID it identifies a thread. */
s64 stp_thread_start(struct stp_ctx *c);
s64 stp_ppid(struct stp_ctx *c);
s64 stp_pgrp(struct stp_ctx *c);
s64 stp_sid(struct stp_ctx *c);
s64 stp_uid(struct stp_ctx *c);
s64 stp_euid(struct stp_ctx *c);
s64 stp_gid(struct stp_ctx *c);
s64 stp_egid(struct stp_ctx *c);
s64 stp_cpu(struct stp_ctx *c);
s64 stp_target(struct stp_ctx *c);         /* process ID of -c, -x */
s64 stp_followed(struct stp_ctx *c, s64 pid);  /* it is the target or a descendant, while stp_follow_family runs */
extern const struct stp_family_ops stp_follow_family;
const char *stp_execname(struct stp_ctx *c); /* valid until the handler ends; shorter than string_len */
const char *stp_hostname(struct stp_ctx *c); /* name in the initial UTS namespace; valid until the handler ends */
u64 stp_current_task(struct stp_ctx *c);   /* its address; 0 in the user runtime */
bool stp_task_is_32bit(void);              /* it runs a 32-bit program */
s64 stp_gettimeofday_ns(void);          /* ns since 1970, UTC */
s64 stp_ktime_ns(void);                 /* monotonic */
s64 stp_timezone_s(struct stp_ctx *c);     /* seconds east of UTC */
bool stp_own_process(void);                /* the current process belongs to the user who runs the script */
s64 stp_is_users_process(struct stp_ctx *c); /* 1: as stp_own_process(), or root runs the script */
s64 stp_relay_pid(struct stp_ctx *c);      /* process ID of stapio; in the user runtime that of the process itself */
/* Addresses of the namespaces for ns_*() functions: of --target-namespaces, otherwise of the relay; 0: unknown. */
u64 stp_pid_namespace(struct stp_ctx *c), stp_user_namespace(struct stp_ctx *c);
const char *stp_script_name(void);         /* name of the module; in the user runtime that of the program */
s64 stp_remote_id(struct stp_ctx *c);      /* N of staprun -r N:URI */
const char *stp_remote_uri(struct stp_ctx *c);
const char *stp_pp(struct stp_ctx *c);     /* resolved probe point */
const char *stp_pn(struct stp_ctx *c);     /* probe point as written */
void stp_probefunc(struct stp_ctx *c, char *to, u32 size);   /* "" if unknown */
void stp_probemod(struct stp_ctx *c, char *to, u32 size);
void stp_exit(struct stp_ctx *c);          /* ends the session after this handler */
void stp_log(struct stp_ctx *c, const char *text);           /* prints a line in the output */
void stp_warn(struct stp_ctx *c, const char *text);          /* prints "WARNING: " and the text on standard error */
void stp_system(struct stp_ctx *c, const char *command);
void stp_switch_file(struct stp_ctx *c);   /* makes stapio write later output to the next output file */
s64 stp_random(struct stp_ctx *c, s64 below);

/* ------------------------------------------------------------------ tables of the generated C */

/* STP_ADDING, for data stored per CPU, excludes STP_WRITE, but writes to no memory that other CPUs write. */
enum { STP_READ = 1, STP_WRITE = 2, STP_ADDING = 4 };
struct stp_lock {
	u32 word;                  /* a reader count or the writer's bit */
	u32 waits, timeouts;       /* hits that waited for the lock; number of these that were skipped */
	u32 added;                 /* bool: some probe takes it in STP_ADDING */
	u32 pad[12];
};
struct stp_lock_use { struct stp_lock *lock; u32 mode; const char *name; };

struct stp_probe {
	void (*handler)(struct stp_ctx *c);
	const char *point;         /* resolved point: pp() */
	const char *written;       /* pn() */
	const char *where;         /* "t.stp:3:1" */
	const struct stp_lock_use *locks;  /* locks in the order in which they are taken; may be NULL */
	u32 nlocks;                /* the runtime takes them around the handler */
	u32 nlate;                 /* the handler takes them instead, by stp_lock() */
	u32 nentry;                /* number of entry_locks */
	const struct stp_lock_use *entry_locks; /* taken around the evaluation of @entry() */
	bool needs_actions;        /* it has loops or recursion, so that c->actions is reset, or it is timed */
	u32 arrival_ns;            /* kernel's time for a hit outside of the handler, on a typical processor */
	bool (*condition)(void);   /* "if (...)"; NULL if the probe has none */
	const char *name;          /* $$name of a handler with several points; else NULL */
	u8 adds_only;              /* enum stp_adds_only: the handler consists of STP_ADD() under conditions */
	/* Set for a handler of a timer or procfs file that processes much data: it runs in process context,
	 * preemptible, without locks. */
	bool in_slices;
	bool unlimited;            /* its work has no limit: it displays globals, and hits do not wait for it */
	bool displays;             /* it displays globals: too much work for a hit is a loss, not an error */
	/* if set, its handler runs before this one, as a hit: stp_take(), or a handler that calls it */
	const struct stp_probe *before;
	const struct stp_take *takes;      /* table for stp_take() */
	u32 ntakes;
};

static inline const char *stp_probe_name(const struct stp_ctx *c)
{
	return c->probe->name;
}

/* A global, and its copy that a handler in process context uses (core/slices.c). */
enum stp_take_kind { STP_TAKE_MAP, STP_TAKE_STAT, STP_TAKE_LONG, STP_TAKE_STRING, STP_TAKE_ADDER };
struct stp_take {
	u8 kind;                   /* enum stp_take_kind */
	bool clear;                /* the handler always deletes or overwrites it: it is cleared when copied */
	void *from, *to;           /* struct stp_map *, struct stp_scalar_stat *, s64 *, char * */
	s64 number;                /* the number to which the global is then set, or */
	const char *text;          /* the text; NULL: "" */
	u32 offset;                /* STP_TAKE_ADDER: see stp_adder_read() */
};
void stp_take(struct stp_ctx *c);          /* sets c->saved_return to 1 after everything is copied */

/* For a handler with nlate locks. stp_lock() takes them; it returns false after a timeout, and the hit is skipped.
 * stp_unlock() releases them. stp_finish() ends the handler: its output is committed before that of later
 * handlers. */
bool stp_lock(struct stp_ctx *c);
void stp_unlock(struct stp_ctx *c);
/* Returns true if the handler holds locks of globals; those of its @entry() do not count. Any context. */
bool stp_locks_held(const struct stp_ctx *c);
void stp_finish(struct stp_ctx *c);

struct stp_family_ops;         /* defined by the runtime: { name, start(table, n), stop(table, n) } */
/* If `runs` is not NULL, it contains the table in a compact form, which the family expands before the table is used. */
struct stp_family { const struct stp_family_ops *ops; void *table; u32 n; const void *runs; u32 nruns; };
/*
 * Compact form of many probes: `n` rows that differ only in `point` and `written`. row.point has both texts of the
 * first row, followed by those of the other rows; an empty `written` is the same as in the preceding row.
 */
struct stp_probe_run { u32 n; struct stp_probe row; };

/* begin, end, error: stp_begin_family, sorted by order */
extern const struct stp_family_ops stp_begin_family, stp_end_family, stp_error_family;
struct stp_begin { const struct stp_probe *probe; s64 order; };

/* timers: stp_timer_family */
extern const struct stp_family_ops stp_timer_family;
struct stp_timer { const struct stp_probe *probe; u64 interval_ns, randomize_ns; bool jiffies;
		   void *state; };

/* functions of the kernel and its modules: stp_function_family (ftrace, kprobe, kretprobe) */
extern const struct stp_family_ops stp_function_family;
struct stp_site {
	const char *symbol;        /* name of the function in the kernel; "": the offset is the address */
	const char *module;        /* NULL: the kernel image; "": the kernel image or any module */
	/* kernel: offset of the function from _stext at link time, 0: look up the symbol; module: offset from the
	 * symbol */
	u64 base_offset;
	u64 offset;                /* offset in the function: for statements, inlined functions, labels */
	u64 address;               /* set by the runtime: the current address */
};
/* Compact form for very many sites: names are offsets in a text that begins with "". */
struct stp_packed_site { u32 symbol, module; s32 base_offset; u32 offset; };
/* Variables with a static address, listed in struct stp_module.statics. */
u64 stp_static_unknown(struct stp_ctx *c, const struct stp_site *s);  /* returns 0 and sets an error */
static inline u64 stp_static(struct stp_ctx *c, const struct stp_site *s)
{
	return STP_LIKELY(s->address) ? s->address : stp_static_unknown(c, s);
}
u64 stp_percpu_offset(struct stp_ctx *c);  /* returns the offset of this CPU's copies of per-CPU variables */
void stp_raise(struct stp_ctx *c, s64 signal);     /* sends the signal to the current task, after the handler */
u64 stp_thread_pointer(struct stp_ctx *c); /* the base of the current thread's thread-local variables */
/* The build ID of the kernel module for which the script was translated. */
#define STP_BUILD_ID_LEN 20
struct stp_module_build { const char *module; bool has_id; u8 id[STP_BUILD_ID_LEN]; };
struct stp_function {
	const struct stp_probe *probe;
	struct stp_site *sites;
	u32 nsites;
	const struct stp_packed_site *packed;      /* rows that fill the sites; NULL: the sites are complete */
	const char *names;         /* names to which `packed` refers */
	bool is_return;
	bool wildcard;             /* the point is a wildcard, so it does not name a single function */
	bool allowed;              /* is_return: the kernel blocklists none of the sites */
	bool optional;             /* "?": a site that cannot be armed is not an error */
	bool needs_all_regs;       /* it uses registers other than arguments, stack pointer and instruction pointer */
	u16 entry_size;            /* bytes per call for @entry() values; 0: none */
	void (*entry)(struct stp_ctx *c);  /* fills c->entry at function entry; may be NULL */
	int (*entry_free)(const void *regs, s64 *entry);  /* used instead of `entry`: see STP_ENTRY_FREE */
	s32 maxactive;             /* 0: default */
	u32 program;               /* number of the probe whose BPF program serves this one, */
	u32 registers;             /* and a mask of the words of struct pt_regs that it reads */
	bool trampoline;           /* BPF programs may be attached to the trampoline of the function */
	s8 parameters;             /* trampoline: number of the function's parameters by DWARF; -1: unknown */
	void *state;               /* owned by the runtime */
};
/* Compact form: `n` functions with one site each, whose probes and sites are successive. */
struct stp_function_run { u32 n; struct stp_function row; };

/* tracepoints of the kernel and its modules: stp_tracepoint_family */
extern const struct stp_family_ops stp_tracepoint_family;
struct stp_tracepoint {
	const struct stp_probe *probe;
	const char *name;
	const char *module;        /* the module that defines it, which may not be loaded yet; NULL: the kernel image */
	u32 arguments;             /* number of leading arguments that the handler reads */
	bool optional;             /* "?": a missing tracepoint is not an error */
	void *state;               /* owned by the runtime */
};

/* instructions in programs and their libraries: stp_uprobe_family */
extern const struct stp_family_ops stp_uprobe_family;
struct stp_program {
	const char *path;
	const u8 *id;              /* build ID of the file that the translator read, */
	u64 id_offset;             /* and its offset in the file */
	/* > 0: the file has no build ID; id is the checksum (checksum.h) of this number of bytes at id_offset */
	u64 summed;
	u32 id_len;
	u32 users;                 /* owned by the runtime */
	void *state;               /* owned by the runtime */
};
struct stp_uprobe {
	const struct stp_probe *probe;
	struct stp_program *program;
	u64 offset;                /* offset of the instruction in the file */
	u64 address;               /* link address of the instruction, from which c->bias is computed */
	u64 semaphore;             /* file offset of the 16-bit semaphore of an SDT marker; 0: none */
	const char *name;          /* name of the probed function or marker, for messages */
	struct stp_program *within;        /* a library: only in processes that run this program; NULL: in any */
	s32 pid;                   /* only this process is probed; 0: any */
	bool is_return;
	bool optional;             /* "?": a missing file is not an error */
	u16 entry_size;            /* bytes per call for @entry() values; 0: none */
	void (*entry)(struct stp_ctx *c);  /* fills c->entry at function entry; may be NULL */
	s32 maxactive;             /* 0: default */
	void *state;               /* owned by the runtime */
};

/* files of /proc/systemtap/MODULE: stp_procfs_family. $value is the text that is read or was written. */
extern const struct stp_family_ops stp_procfs_family;
struct stp_procfs {
	const char *path;
	const struct stp_probe *read;              /* may be NULL */
	const struct stp_probe *const *writes;
	u32 nwrites, mode, size;
};
void stp_value_get(struct stp_ctx *c, char *to, u32 size);
/* returns 0, or the number of excess bytes of the text */
u32 stp_value_set(struct stp_ctx *c, const char *text, bool append);

extern const struct stp_family_ops stp_perf_family;       /* perf events, including timer.profile: stp_perf_family */
struct stp_perf {
	const struct stp_probe *probe;
	const char *counter;       /* for @perf("..."): counts in each thread of `program`, or in the target; */
				   /* NULL: it samples on every CPU */
	u32 type;                  /* type and config of perf_event_open(2) */
	u64 config;
	u64 period;                /* events per sample; 0: see hz */
	u64 hz;                    /* samples per second */
	bool per_second;           /* hz is a frequency; false: it is the nanoseconds per tick of a clock */
	bool in_target;            /* only the processes of -c and -x */
	bool optional;             /* "?": an event that the machine cannot count is not an error */
	bool absent;               /* set by the runtime: the machine cannot count this event */
	s64 last;                  /* set by the runtime: the count at the end of the session */
	struct stp_program *program;       /* only processes that run it; NULL: all */
	void *state;               /* owned by the runtime */
};
/* Returns a count, scaled to the time that the target process ran. Returns 0 and sets an error if the counter is
 * not available, or has not been scheduled yet. */
s64 stp_perf_read(struct stp_ctx *c, const char *counter);

/* packets in the network stack: stp_netfilter_family. $hooknum, $skb, $in, $out are arguments 0 to 3. */
extern const struct stp_family_ops stp_netfilter_family;
struct stp_netfilter {
	const struct stp_probe *probe;
	s32 pf, hook, priority;
	const s64 *pf_constant, *hook_constant;    /* NULL: pf, hook */
	void *state;               /* owned by the runtime */
};
void stp_netfilter_verdict(struct stp_ctx *c, s64 verdict);

extern const struct stp_family_ops stp_hwbkpt_family;     /* hardware watchpoints */
struct stp_hwbkpt {
	const struct stp_probe *probe;
	struct stp_site site;      /* the watched address, by symbol (of any module), or as a number if symbol is NULL */
	u32 length;                /* bytes */
	bool reads;                /* reads also trigger it */
	bool in_target;            /* it is in the process of -c or -x, at site.address */
	/* link address of the code of that program if it is position-independent; 0: addresses are absolute */
	u64 start_code;
	bool optional;             /* "?": a missing symbol is not an error */
	void *state;               /* owned by the runtime */
};

#include "lines.h"
#include "syscalls.h"

/* events of processes: stp_process_family */
extern const struct stp_family_ops stp_process_family;
enum stp_process_kind { STP_PROCESS_BEGIN, STP_PROCESS_END, STP_THREAD_BEGIN, STP_THREAD_END,
			STP_PROCESS_SYSCALL, STP_PROCESS_SYSCALL_RETURN, STP_PROCESS_KINDS };
/* Events of system calls provide the same arguments as those of stp_syscall_family. */
struct stp_process {
	const struct stp_probe *probe;
	u32 kind;                  /* enum stp_process_kind */
	struct stp_program *program;       /* only processes that run this program; NULL: any */
	s32 pid;                   /* only this process; 0: any */
	bool optional;             /* "?" */
	void *state;               /* owned by the runtime */
};

/* symbols and unwind tables of programs and libraries, for usymname() and the like: stp_user_stack_family. Tables
 * are sorted by offset in the file; a row is valid up to the offset of the next one. */
extern const struct stp_family_ops stp_user_stack_family;
struct stp_usym { u64 offset, size; const char *name; };
enum { STP_FRAME_NONE,             /* fp: it is unchanged; ra: the outermost frame, without a caller */
       STP_FRAME_UNKNOWN,
       STP_FRAME_REGISTER,         /* value is base + offset */
       STP_FRAME_LOAD,             /* value is loaded from base + offset, then plus is added */
       STP_FRAME_AT_CFA,           /* value is loaded from cfa + offset */
       /* cfa in a 16-byte PLT entry: stack pointer + offset, and 8 more from its byte `base` on */
       STP_FRAME_PLT };
enum { STP_FRAME_SP, STP_FRAME_FP, STP_FRAME_REGS };       /* bases; REGS + n: word n of the registers */
struct stp_frame_location { s32 offset; u8 kind, base; s16 plus; };
/* Rules that compute the caller's stack pointer, return address and frame pointer. */
struct stp_frame_rule { struct stp_frame_location cfa, ra, fp; };
struct stp_object {
	struct stp_program *program;
	const struct stp_usym *symbols;
	const u32 *frame_offsets; const u16 *frame_rule; const struct stp_frame_rule *frame_rules;
	const struct stp_lines *lines;     /* table by offset in the file; may be NULL */
	u32 nsymbols, nframes;
};
/*
 * Buffers of a context, for data that would be large on a kernel stack. Each is valid until the handler calls the
 * next function that uses it.
 * stp_address_name() returns the name of a kernel address, "vfs_read+0x12/0x340 [module]", or without the offset;
 * the address in hexadecimal if it has no name. stp_user_location() writes the path there, too.
 */
#define STP_NAME_TEXT 768
#define STP_ADDRESSES 128
char *stp_address_name(struct stp_ctx *c, u64 address, bool with_offset);
u64 *stp_addresses(struct stp_ctx *c);                     /* STP_ADDRESSES elements */
/* Finds the file mapped at an address of the current process. Returns false, with path NULL, if it is in no file. */
struct stp_user_location {
	const char *path;          /* path of the program or library */
	/* offset in the file; number of bytes of the file from there to the end of the mapping */
	u64 offset, size;
	const struct stp_usym *symbol;      /* may be NULL */
	const char *source;                 /* may be NULL */
	u32 line;                  /* set if source lines are available */
};
bool stp_user_location(struct stp_ctx *c, u64 address, struct stp_user_location *p);
/* Writes the call stack of the current process, innermost frame first; returns the number of frames. */
u32 stp_user_stack(struct stp_ctx *c, u64 *at, u32 max);
/* Does the same as stp_user_stack(), starting at these registers. */
u32 stp_user_stack_from(struct stp_ctx *c, u64 pc, u64 sp, u64 fp, u64 *at, u32 max);

/* Looks up a source line; `code_offset` as in lines.h. Returns false if it is unknown. Context: any. */
bool stp_lines_find(const struct stp_lines *t, u32 code_offset, const char **file, u32 *line);
/* code of the kernel and its modules, for symfileline() and the like: stp_lines_family */
extern const struct stp_family_ops stp_lines_family;
struct stp_code {
	const struct stp_site *site;       /* a symbol at distance `before` from the start of the code */
	u32 before, size, code_offset;     /* code_offset: that of the first byte, see lines.h */
	const struct stp_lines *lines;
};
bool stp_source_line(struct stp_ctx *c, u64 address, const char **file, u32 *line);

struct stp_global {            /* a global that can be set with name=value before begin probes */
	const char *name;
	u8 type;                   /* STP_LONG, STP_STRING */
	void *cell;
};

#include "record_tables.h"
struct stp_limits {
	u32 string_len;            /* MAXSTRINGLEN: size of a buffer in bytes */
	s32 actions, actions_interruptible, nesting;
	u32 work;                  /* units of work that are allowed for each of `actions` */
	u32 deadline_ms;           /* MAXHANDLERTIME: limit of a handler with interrupts disabled; 0: no limit */
	u32 errors, skipped;
	u32 trylock, trylock_delay_us;
	u32 min_stack;
	u32 overload_interval, overload_threshold; /* STP_OVERLOAD_INTERVAL and _THRESHOLD, in nanoseconds */
	u32 buffer_kb;             /* size of the ring data per CPU; 0: chosen by ring.c */
	/* STP_MAXMEMORY: limit of all allocations; 0: half of the memory available at the start */
	u32 memory_kb;
	u32 message_bytes;         /* STP_DEFAULT_BUFFERS * STP_CTL_BUFFER_SIZE, of the queue; 0: default */
	s32 hash_bias;             /* MAPHASHBIAS: hash tables of maps are larger by this power of two */
	bool no_overload, interruptible, suppress_errors;
	bool timing, timing_report;     /* every probe has needs_actions and is timed; -t: times are printed */
	bool bulk;                 /* -b: one output file per CPU */
	s32 hist_elision;          /* HIST_ELISION */
	u32 hist_width;
	u32 hist_percentiles, hist_terminal;       /* HIST_PERCENTILES, HIST_TERMINAL */
};

struct stp_module {
	u32 abi;                   /* STP_GENERATED_ABI */
	struct stp_limits limits;
	const struct stp_family *families; u32 nfamilies;
	const struct stp_probe *probes; u32 nprobes;
	/* if not NULL, `probes` are at `expanded`, which the runtime fills from probe_runs */
	struct stp_probe *expanded; const struct stp_probe_run *probe_runs; u32 nprobe_runs;
	const struct stp_array_ops *arrays;        /* NULL: there are no maps */
	struct stp_map *const *maps; u32 nmaps;
	struct stp_scalar_stat *const *stats; u32 nstats;
	struct stp_foreach *const *foreachs; u32 nforeachs;
	const struct stp_global *globals; u32 nglobals;
	struct stp_site *statics; u32 nstatics;
	u32 percpu_size;           /* size of struct percpu */
	u32 frame_size;            /* string variables of a context, for the deepest nesting */
	const struct stp_records *records;         /* the output consists of records; NULL: it is text */
	const u8 *build_id; u32 build_id_len;      /* build ID of the kernel for which base_offset is valid */
	const struct stp_module_build *builds; u32 nbuilds;    /* builds of the modules that contain sites */
	bool names_addresses;      /* it prints or records names of addresses of the kernel that it may have stored */
};
#define STP_GENERATED_ABI 1
extern const struct stp_module stp_module; /* the only definition in generated C */

#endif
