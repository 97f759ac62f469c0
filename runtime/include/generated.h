/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that generated C sees: types, the probe context, the runtime's functions. No kernel header,
 * no libc, so that the same text compiles in a few milliseconds for a module and for a process.
 *
 * Context of everything here, unless it says otherwise: any (NMI excepted), no sleeping, no
 * allocation. A function that can fail sets c->error and returns 0 or ""; generated code looks at
 * it with STP_CHECK() after the call.
 */
#ifndef STP_GENERATED_H
#define STP_GENERATED_H

#ifndef STP_TYPES_GIVEN            /* by a runtime file's kernel headers */
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
#define STP_LIKELY(x)   __builtin_expect(!!(x), 1)
#define STP_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ------------------------------------------------------------------ context */

#define STP_ARGUMENTS 12           /* as many as a tracepoint can have */

struct stp_probe;
struct stp_syscall;

union stp_val { s64 n; const char *s; };   /* a key or a printf argument */

/*
 * One a CPU, and one for begin/end/error. Handlers don't nest on it: a hit that finds it busy is
 * skipped and counted. The part up to the line is what generated code and inlines touch.
 */
struct stp_ctx {
	const char *error;         /* soft error: its text; NULL none */
	const char *near;          /* "operator '/' at t.stp:1:5": where; set by STP_CHECK */
	s64 actions;               /* statements this hit may still execute */
	s64 work;                  /* units of work that it may still do: see work.def */
	s32 nesting;               /* script function calls it may still enter */
	u64 stack_low;             /* lowest stack pointer with which a recursive function may go on */
	bool fatal;                /* the error can't be caught: actions, abort() */
	bool next;                 /* `next` in an overloaded function: try the following one */
	const void *regs;          /* registers of the hit, laid out as the kernel's pt_regs; may be NULL */
	u64 address;               /* of the probed instruction; 0 none */
	u64 bias;                  /* of the probed program or library: address - link address */
	u64 saved_return;          /* return value in .return probes */
	s64 *entry;                /* what @entry() saved for this call */
	char *frame, *frame_end;   /* next free byte of the string frames */
	u8 *percpu;                /* this CPU's adders and statistics: struct percpu of the generated C */
	const struct stp_probe *probe;
	u64 arguments[STP_ARGUMENTS];  /* of a tracepoint: those that the handler reads; of a system call */
	const struct stp_syscall *syscall; /* of a system call's probe */
	/* ---- the runtime's own (core/context.h) */
	struct stp_ctx_private *priv;
};

#define STP_CHECK(c, where, label) do {						\
	if (STP_UNLIKELY((c)->error)) {						\
		stp_near(c, where);						\
		goto label;							\
	}									\
} while (0)

/* Where the error happened; said again on the way out: where that function was called. */
void stp_near(struct stp_ctx *c, const char *where);

/* Soft error with a printf-made text (core/error.c). Text is cut at the context's buffer. */
void stp_error(struct stp_ctx *c, const char *fmt, ...);
void stp_fatal(struct stp_ctx *c, const char *text);       /* one that no catch sees; "": abort() */
/* Entering a catch block: copies the message to `to` (may be NULL), forgets the error. False when
 * it is fatal and must go on. */
bool stp_catch(struct stp_ctx *c, char *to, u32 size);

/* A loop's back edge or a recursive call: n statements; leaves when used up. */
void stp_out_of_actions(struct stp_ctx *c);
#define STP_ACTIONS(c, n, where, label) do {					\
	if (STP_UNLIKELY(((c)->actions -= (n)) < 0)) {				\
		stp_out_of_actions(c);						\
		stp_near(c, where);						\
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
 * Work: every loop over what a script or a process sizes charges what it does, in the units of work.def, before or
 * while it does it. False: the hit's budget or its time is used up, or was before; c->error is set, no catch sees it,
 * and the caller leaves what it works on in order and returns. Handlers of begin, end and error have no budget: they
 * may be preempted here. Context: any.
 */
bool stp_charge_more(struct stp_ctx *c);
static inline bool stp_charge(struct stp_ctx *c, u64 units)
{
	return STP_LIKELY((c->work -= (s64)units) >= 0) || stp_charge_more(c);
}
/* n bytes of strings that are looked at one by one: no more of them than strings can have. */
static inline bool stp_charge_text(struct stp_ctx *c, s64 n)
{
	return stp_charge(c, (u64)n * STP_WORK_CHARACTER);
}
/* What a block of statements costs, reckoned by the translator. */
#define STP_WORK(c, n, where, label) do {					\
	if (STP_UNLIKELY(!stp_charge(c, n))) {					\
		stp_near(c, where);						\
		goto label;							\
	}									\
} while (0)

#if defined(__KERNEL__) && defined(STP_TYPES_GIVEN)
#define stp_stack_pointer current_stack_pointer    /* the kernel's; two variables in one register are a warning */
#elif defined(__x86_64__)
register unsigned long stp_stack_pointer __asm__("rsp");
#elif defined(__aarch64__)
register unsigned long stp_stack_pointer __asm__("sp");
#else
#define stp_stack_pointer ((unsigned long)__builtin_frame_address(0))
#endif

/* Reserves a function's strings. NULL and an error when MAXNESTING or the strings' memory is used up. */
void *stp_frame_fail(struct stp_ctx *c);
static inline void *stp_frame_enter(struct stp_ctx *c, u32 size)
{
	char *f = c->frame;

	if (STP_UNLIKELY(c->nesting-- <= 0 || (u64)(c->frame_end - f) < size))
		return stp_frame_fail(c);
	c->frame = f + size;
	return f;
}
/* The same for a recursive function, whose depth only the run determines: also an error when the machine's own stack,
 * which holds its numbers, is used up. The platform sets c->stack_low before each handler that may recurse. */
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
/* Of a variable's location: "not available here: its location divides by 0" */
s64 stp_location_div(struct stp_ctx *c, s64 a, s64 b);
s64 stp_location_mod(struct stp_ctx *c, s64 a, s64 b);
s64 stp_location_udiv(struct stp_ctx *c, u64 a, u64 b);
s64 stp_location_umod(struct stp_ctx *c, u64 a, u64 b);
s64 stp_location_absent(struct stp_ctx *c);                /* 0: "not available after this call of its function" */
s64 stp_scaled(u64 count, u64 enabled, u64 running);       /* count in `running` ns, to `enabled` ns */
static inline s64 stp_shl(s64 a, s64 b)  { return (s64)((u64)a << (b & 63)); }
static inline s64 stp_shr(s64 a, s64 b)  { return a >> (b & 63); }
static inline s64 stp_ushr(s64 a, s64 b) { return (s64)((u64)a >> (b & 63)); }

/* ------------------------------------------------------------------ strings (core/string.c) */
/* A string is terminated and shorter than stp_module.limits.string_len, the size of every buffer. */

void stp_copy(char *to, const char *from, u32 size);       /* truncates; may overlap when equal */
void stp_append(char *to, const char *from, u32 size);     /* to . from, in place */
s32 stp_compare(const char *a, const char *b);             /* bytewise */
s64 stp_strlen(const char *s);
s64 stp_find(struct stp_ctx *c, const char *s, const char *what);  /* where what first stands in s, -1: nowhere */
/* How many characters at the start of s are in the set, or are not. */
s64 stp_span(struct stp_ctx *c, const char *s, const char *set, bool member);
/* Appends an address in hexadecimal to a list of *len bytes, a space between two. False, and nothing is appended: it
 * does not fit whole, which is counted. */
bool stp_list_address(char *list, u32 size, u32 *len, u64 address);
/* A line of `line` bytes was written behind *len, or as much of it as fits: ends it. False: it does not fit whole, is
 * taken away again, and counted. */
bool stp_list_line(char *list, u32 size, u32 *len, u64 line);
void stp_frames_cut(void);                                 /* counts a call stack of more than MAXBACKTRACE frames */
void stp_string_cut(void);                                 /* counts one that embedded C of the tapsets has cut */
void stp_structure_cut(void);                              /* counts one of which $x$$ prints a part */
void stp_speculation_lost(void);                           /* counts a piece that commit() does not find any more */
struct stp_enumerator { const char *name; s64 value; };
/* The name of the first one with this value; else the number as text (core/format.c). */
void stp_enum_name(char *to, u32 size, s64 value, const struct stp_enumerator *e, u32 n);

/* ------------------------------------------------------------------ registers and memory */

/* Registers sit at fixed offsets of pt_regs; the translator knows them. */
static inline u64 stp_reg(const struct stp_ctx *c, u32 offset)
{
	return *(const u64 *)((const char *)c->regs + offset);
}
/* As the tracepoint was called: of an argument that is narrower only the low bytes mean something. */
static inline u64 stp_argument(const struct stp_ctx *c, u32 i)
{
	return c->arguments[i];
}
/* Guru scripts change what the probed code finds. */
static inline void stp_set_reg(struct stp_ctx *c, u32 offset, s64 v)
{
	*(u64 *)((char *)c->regs + offset) = (u64)v;
}
/* The script's own @kregister(), @uregister(): also where a probe has none (begin, timers). */
static inline u64 stp_any_reg(struct stp_ctx *c, u32 offset)
{
	if (STP_LIKELY(c->regs))
		return stp_reg(c, offset);
	stp_error(c, "registers are not available in this probe");
	return 0;
}
/* Fault-safe loads of size bytes, zero-extended; error "... fault at 0x..." */
u64 stp_load1(struct stp_ctx *c, u64 address);
u64 stp_load2(struct stp_ctx *c, u64 address);
u64 stp_load4(struct stp_ctx *c, u64 address);
u64 stp_load8(struct stp_ctx *c, u64 address);
u64 stp_uload1(struct stp_ctx *c, u64 address);            /* of the current process */
u64 stp_uload2(struct stp_ctx *c, u64 address);
u64 stp_uload4(struct stp_ctx *c, u64 address);
u64 stp_uload8(struct stp_ctx *c, u64 address);
/* Of a variable of the probed program, by its link address. */
static inline u64 stp_user_static(struct stp_ctx *c, u64 address)
{
	return c->bias + address;
}
/* Of a variable of a program or library that the probe isn't in: where that lies in the current process is looked
 * up by the place of its code. 0 and an error: it doesn't lie there. stp_mapped_family. */
struct stp_mapped {
	struct stp_program *program;
	u64 address, offset;       /* where its code begins: link address, place in the file */
};
extern const struct stp_family_ops stp_mapped_family;
u64 stp_mapped_static(struct stp_ctx *c, const struct stp_mapped *m, u64 address);
/* A float's image as that of the double of the same value; the kernel does no floating point. */
static inline s64 stp_widen_float(u64 f)
{
	u64 sign = (f >> 31 & 1) << 63, exponent = f >> 23 & 255, fraction = f & 0x7fffff;
	u32 shift;

	if (exponent == 255)               /* infinity, not a number */
		return (s64)(sign | 0x7ffull << 52 | fraction << 29);
	if (!exponent && fraction) {       /* subnormal: a double has room for it */
		shift = (u32)__builtin_clzll(fraction) - 40;
		fraction = fraction << shift & 0x7fffff;
		return (s64)(sign | (u64)(897 - shift) << 52 | fraction << 29);
	}
	return (s64)(exponent ? sign | (exponent + 896) << 52 | fraction << 29 : sign);
}
/* Fault-safe stores of the low size bytes; error "... fault at 0x..." */
void stp_store1(struct stp_ctx *c, u64 address, s64 v);
void stp_store2(struct stp_ctx *c, u64 address, s64 v);
void stp_store4(struct stp_ctx *c, u64 address, s64 v);
void stp_store8(struct stp_ctx *c, u64 address, s64 v);
void stp_ustore1(struct stp_ctx *c, u64 address, s64 v);   /* of the current process */
void stp_ustore2(struct stp_ctx *c, u64 address, s64 v);
void stp_ustore4(struct stp_ctx *c, u64 address, s64 v);
void stp_ustore8(struct stp_ctx *c, u64 address, s64 v);
/* Bit-fields: n bits from bit `from` of the bytes around them. */
static inline s64 stp_bits(s64 bytes, u32 from, u32 n, bool is_signed)
{
	u64 high = (u64)bytes << (64 - from - n);

	return is_signed ? (s64)high >> (64 - n) : (s64)(high >> (64 - n));
}
static inline s64 stp_with_bits(s64 bytes, u32 from, u32 n, s64 v)
{
	u64 mask = (~0ull >> (64 - n)) << from;

	return (s64)(((u64)bytes & ~mask) | ((u64)v << from & mask));
}
/* Terminated strings; cut at size. False and an error on a fault. */
bool stp_load_string(struct stp_ctx *c, char *to, u64 address, u32 size);
bool stp_uload_string(struct stp_ctx *c, char *to, u64 address, u32 size);
/* A terminated string of characters of 2 bytes (UTF-16) or 4, of the current process or the kernel, as UTF-8; an error
 * where it can't be read or is wrong. */
void stp_wide_string(struct stp_ctx *c, char *to, u32 size, u64 address, u32 bytes, bool user);

/* ------------------------------------------------------------------ statistics (core/stat.c) */

enum { STP_COUNT = 1, STP_SUM = 2, STP_MIN = 4, STP_MAX = 8, STP_AVG = 16, STP_VARIANCE = 32,
       STP_HIST_LOG = 64, STP_HIST_LINEAR = 128,
       STP_NOT_EMPTY = 256 /* with STP_SUM: of an empty one it is an error */ };
#define STP_LOG_BUCKETS 128

struct stp_stat_desc {
	u32 ops;                   /* what is kept */
	u32 buckets;               /* of the histogram, under- and overflow included */
	u32 size;                  /* of a struct stp_stat with them, bytes */
	u32 shift;                 /* of @variance */
	s64 low, high, step;       /* of @hist_linear */
};
struct stp_stat {
	s64 count, sum, min, max;
	s64 avg, m2;               /* running mean and squares, shifted: @variance */
	s64 hist[];
};
/* #64 is 0, #65 is 1, #66 2-3, #67 4-7; #63 is -1, #62 -2 to -3. */
static inline u32 stp_log_bucket(s64 v)
{
	if (v > 0)
		return 128 - (u32)__builtin_clzll((u64)v);
	return v ? (u32)__builtin_clzll(0 - (u64)v) : 64;
}
void stp_stat_add_slow(struct stp_stat *s, const struct stp_stat_desc *d, s64 v); /* histogram, variance */
static inline void stp_stat_add(struct stp_stat *s, const struct stp_stat_desc *d, s64 v)
{
	if (d->ops & (STP_MIN | STP_MAX)) {
		if (!s->count || v < s->min)
			s->min = v;
		if (!s->count || v > s->max)
			s->max = v;
	}
	s->count++;
	s->sum += v;
	if (d->ops & (STP_VARIANCE | STP_HIST_LINEAR))
		stp_stat_add_slow(s, d, v);
	else if (d->ops & STP_HIST_LOG)
		s->hist[stp_log_bucket(v)]++;
}
void stp_stat_clear(struct stp_stat *s, const struct stp_stat_desc *d);
/* Extractors of a merged statistic; s may be NULL (absent element) which is empty. min, max, avg
 * of an empty one: error "empty aggregate". op is one STP_* bit. */
s64 stp_stat_get(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, u32 op);
s64 stp_hist_get(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, s64 bucket);
/* foreach by count: the bucket that comes after `last` (-1: the first one), -1 after the last one. */
s64 stp_hist_next(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, int dir, s64 last);

/* A scalar statistic: one struct stp_stat a CPU at c->percpu + offset, and one to merge into. */
struct stp_scalar_stat {
	const char *name;
	struct stp_stat_desc desc;
	u32 offset;                /* in struct percpu */
	struct stp_stat *merged;   /* the runtime's */
};
const struct stp_stat *stp_scalar_merge(struct stp_ctx *c, struct stp_scalar_stat *g);
void stp_scalar_clear(struct stp_ctx *c, struct stp_scalar_stat *g);

/* A counter that is only added to outside begin/end/error: s64 a CPU at c->percpu + offset. */
s64 stp_adder_read(u32 offset, s64 base);  /* base: the global's own cell, where begin/end write */
void stp_adder_clear(u32 offset);

/* ------------------------------------------------------------------ maps (core/map.c) */

#define STP_MAX_KEYS 9
enum stp_type { STP_LONG = 1, STP_STRING = 2, STP_STATS = 3 };

struct stp_map {
	const char *name;          /* of the global, for messages */
	u8 nkeys;
	u8 value;                  /* enum stp_type */
	u8 keys[STP_MAX_KEYS];     /* enum stp_type */
	bool wrap;
	bool sized;                /* the script says how many: messages blame it, not MAXMAPENTRIES */
	bool percpu;               /* statistics: one table a CPU, merged to read */
	u32 capacity;              /* elements */
	struct stp_stat_desc stat; /* STP_STATS */
	struct stp_map_data *data; /* the runtime's; made before begin probes */
};

struct stp_elem;
/* Lookups give the value cell: s64, char[string_len] or struct stp_stat. */
void *stp_map_get(struct stp_map *m, const union stp_val *keys);            /* NULL: absent */
void *stp_map_get1(struct stp_map *m, s64 key);                             /* one number: fast */
/* The value in a cell that a lookup found, or didn't. */
static inline s64 stp_cell_long(const void *cell) { return cell ? *(const s64 *)cell : 0; }
static inline const char *stp_cell_string(const void *cell) { return cell ? cell : ""; }
/* Finds or makes; a new cell is 0 or "". NULL and "Array overflow, check ..." when full. */
void *stp_map_put(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys);
void *stp_map_put1(struct stp_ctx *c, struct stp_map *m, s64 key);
/* The same in this CPU's table of a percpu map. */
struct stp_stat *stp_pmap_put(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys);
void stp_map_delete(struct stp_map *m, const union stp_val *keys);          /* all tables */
void stp_map_clear(struct stp_ctx *c, struct stp_map *m);
/* Slices: bit k of `any` set: key k is "*" */
bool stp_map_has_slice(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys, u32 any);
void stp_map_delete_slice(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys, u32 any);
s64 stp_map_count(struct stp_map *m);      /* elements */
/* Merges the CPUs' tables of a percpu map if anything was added since; get and foreach after it
 * see the merged one. No-op for others. It empties the CPUs' tables (as stp_scalar_merge() does):
 * who reads statistics holds their lock in STP_WRITE, who only adds to them in STP_READ. */
void stp_map_merge(struct stp_ctx *c, struct stp_map *m);

/* foreach: one static struct a place. A sorted one (dir not 0) writes pointers to the elements into a table that the
 * runtime makes: it needs the map's lock in STP_WRITE. In a recursive function each depth of calls has a part of the
 * table, so that a loop goes on with its own order after a call that was in the same loop. */
struct stp_foreach {
	struct stp_map *map;
	s8 dir;                    /* 0 insertion order, 1 up, -1 down */
	u8 key;                    /* 0 by value, n by key n */
	u32 stat;                  /* STP_* when by value of statistics */
	bool recursive;            /* its function is */
	struct stp_elem **order;   /* the runtime's; NULL when dir is 0 */
};
/* First element (sorting if asked, up to limit; limit < 0: all), then the following. NULL: end. */
struct stp_iter { struct stp_ctx *c; struct stp_foreach *f; struct stp_elem **order, *elem; s64 left; u32 at; u32 any;
		  const union stp_val *slice; };
struct stp_elem *stp_foreach_first(struct stp_ctx *c, struct stp_iter *it, struct stp_foreach *f, s64 limit,
				   const union stp_val *slice, u32 any);
struct stp_elem *stp_foreach_next(struct stp_iter *it);
static inline s64 stp_limit(s64 n) { return n < 0 ? 0 : n; }  /* a script's negative limit: nothing */
s64 stp_elem_long(const struct stp_map *m, const struct stp_elem *e, u32 key);  /* key from 0 */
const char *stp_elem_string(const struct stp_map *m, const struct stp_elem *e, u32 key);
void *stp_elem_value(const struct stp_map *m, const struct stp_elem *e);

/* ------------------------------------------------------------------ printing (core/format.c, print.c) */

struct stp_format {                        /* one piece of a format: a conversion, then text */
	const char *text;
	u16 len;
	char conv;                 /* d u o x X p c s b m M; q a char * as "text", Q in user memory;
				    * 0: text only, width and precision -1 */
	char flag;                 /* 0 + - space # or 0 */
	s16 width, precision;      /* -1 none, -2 the next argument */
};
/* What a handler prints is one record; it is committed when the handler ends. */
void stp_printf(struct stp_ctx *c, const struct stp_format *f, u32 pieces, const union stp_val *args);
void stp_sprintf(struct stp_ctx *c, char *to, u32 size, const struct stp_format *f, u32 pieces,
		 const union stp_val *args);
void stp_print(struct stp_ctx *c, const char *text, u32 len);
void stp_cprintf(struct stp_ctx *c, const char *fmt, ...); /* STAP_PRINTF: C's formats, integers and strings */
struct stp_ctx *stp_ctx_here(void);                        /* that of the handler which calls, however deep */
/* Of an empty one: error "empty aggregate". */
void stp_print_hist(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d);
void stp_sprint_hist(struct stp_ctx *c, char *to, u32 size, const struct stp_stat *s,
		     const struct stp_stat_desc *d);

/* ------------------------------------------------------------------ regular expressions (core/regex.c) */

struct stp_regex {                         /* a DFA: next = table[state * classes + class[byte]] */
	const u8 *byte_class;      /* [256] */
	const u16 *table;
	const u8 *accept;          /* [states]: bit 0 already matched, bit 1 matches at the end of text,
				    * bit 2 no byte leads on from here */
	u16 classes, start;
	u16 inner;                 /* start of a walk that doesn't begin at an end of the text */
};
bool stp_regex_match(struct stp_ctx *c, const struct stp_regex *r, const char *text);

/* Where matched() is used: how to take a match apart. Parts are numbered, 0: nothing to do. */
enum stp_regex_kind { STP_RE_NONE, STP_RE_GROUP, STP_RE_CAT, STP_RE_ALT, STP_RE_STAR };
struct stp_regex_part {
	u8 kind;
	u8 group, last;            /* GROUP: its number, and the greatest inside */
	u16 a, b;                  /* CAT: first and rest; ALT: either; GROUP, STAR: what is in it */
	const struct stp_regex *head; /* forward: where a may end */
	const struct stp_regex *tail; /* backward. CAT: where b may begin; STAR: more of a */
};
struct stp_regex_groups {
	const struct stp_regex *find;  /* backward from the end of the text: where a match may begin */
	const struct stp_regex *whole; /* forward from there */
	const struct stp_regex_part *parts;
	u16 root, groups;          /* groups: the whole match counted */
};
#define STP_MOST_GROUPS 32
struct stp_match {                         /* the last one of this hit */
	u32 groups;                /* 0: it failed, or there was none */
	u32 size;                  /* of text */
	struct { s32 from, to; } at[STP_MOST_GROUPS];  /* from -1: that group matched nothing */
	struct { s32 part, from, to; } todo[STP_MOST_GROUPS];
	char text[];               /* what was matched, then as many bytes of marks */
};
/* c->error: it takes too many steps. */
bool stp_regex_groups(struct stp_ctx *c, struct stp_match *m, u32 size, const struct stp_regex_groups *r,
		      const char *text);
void stp_matched(struct stp_ctx *c, const struct stp_match *m, char *to, u32 size, s64 group);
void stp_matched_text(struct stp_ctx *c, const struct stp_match *m, char *to, u32 size);
s64 stp_matched_groups(struct stp_ctx *c, const struct stp_match *m);

/* ------------------------------------------------------------------ what tapset functions use */
/* Numbers of the current task are those of the initial namespace. In the user runtime: of the
 * traced or own process. Names and units as in the tapset documentation. */

s64 stp_pid(struct stp_ctx *c);
s64 stp_tid(struct stp_ctx *c);
/* When the current thread began, of an unspecified clock: tells it from an earlier one with its id. */
s64 stp_thread_start(struct stp_ctx *c);
s64 stp_ppid(struct stp_ctx *c);
s64 stp_pgrp(struct stp_ctx *c);
s64 stp_sid(struct stp_ctx *c);
s64 stp_uid(struct stp_ctx *c);
s64 stp_euid(struct stp_ctx *c);
s64 stp_gid(struct stp_ctx *c);
s64 stp_egid(struct stp_ctx *c);
s64 stp_cpu(struct stp_ctx *c);
s64 stp_target(struct stp_ctx *c);         /* -c, -x */
const char *stp_execname(struct stp_ctx *c); /* stays until the handler ends; shorter than string_len */
u64 stp_current_task(struct stp_ctx *c);   /* address; 0 in the user runtime */
bool stp_task_narrow(void);                /* its program is one of 32 bits */
s64 stp_gettimeofday_ns(struct stp_ctx *c);/* since 1970, UTC */
s64 stp_ktime_ns(struct stp_ctx *c);       /* monotonic */
s64 stp_timezone_s(struct stp_ctx *c);     /* seconds east of UTC */
bool stp_own_process(void);                /* the current process is of the user who runs the script */
s64 stp_relay_pid(struct stp_ctx *c);      /* of stapio; in the user runtime the process itself */
/* Addresses of the pid and the user namespace that ids are asked in: --target-namespaces; else the relay's. 0: none. */
u64 stp_pid_namespace(struct stp_ctx *c);
u64 stp_user_namespace(struct stp_ctx *c);
s64 stp_remote_id(struct stp_ctx *c);      /* staprun -r N:URI */
const char *stp_remote_uri(struct stp_ctx *c);
const char *stp_pp(struct stp_ctx *c);     /* probe point as resolved */
const char *stp_pn(struct stp_ctx *c);     /* as written */
void stp_probefunc(struct stp_ctx *c, char *to, u32 size);   /* function of c->address; "" none */
void stp_probemod(struct stp_ctx *c, char *to, u32 size);
void stp_exit(struct stp_ctx *c);          /* the session ends after this handler */
void stp_log(struct stp_ctx *c, const char *text);           /* a line in the output */
void stp_warn(struct stp_ctx *c, const char *text);          /* WARNING: on standard error */
void stp_system(struct stp_ctx *c, const char *command);
void stp_switch_file(struct stp_ctx *c);   /* what comes now goes to the next output file */
s64 stp_random(struct stp_ctx *c, s64 below);

/* ------------------------------------------------------------------ tables of the generated C */

enum { STP_READ = 1, STP_WRITE = 2 };
struct stp_lock {
	u32 word;                  /* a reader count or the writer's bit */
	u32 waits, timeouts;       /* hits that found it taken; of these in vain */
	u32 pad[13];
};
struct stp_lock_use { struct stp_lock *lock; u32 mode; const char *name; };

struct stp_probe {
	void (*handler)(struct stp_ctx *c);
	const char *point;         /* resolved: pp() */
	const char *written;       /* pn() */
	const char *where;         /* "t.stp:3:1" */
	const struct stp_lock_use *locks;  /* in the order to take; NULL none */
	u32 nlocks;                /* taken around the handler */
	u32 nlate;                 /* instead: by the handler, with stp_lock() */
	u32 nentry;                /* of entry_locks */
	const struct stp_lock_use *entry_locks; /* taken around what @entry() wants */
	bool needs_actions;        /* has loops or recursion: reset c->actions; or is timed (-t) */
	u32 arrival_ns;            /* what the kernel does for a hit around the handler takes a usual processor so long */
	bool (*condition)(void);   /* "if (...)": NULL always */
	const char *name;          /* $$name of a handler that several have; else NULL */
	/* A timer's or a procfs file's, which walks through data: it runs in process context, preemptible, without locks. */
	bool in_slices;
	const struct stp_probe *before;    /* then this one's handler, a hit, runs first: stp_take(), or it calls that */
	const struct stp_take *takes;      /* of stp_take() */
	u32 ntakes;
};

/* A global and the copy of it that a handler in slices works on (core/slices.c). */
enum stp_take_kind { STP_TAKE_MAP, STP_TAKE_STAT, STP_TAKE_LONG, STP_TAKE_STRING };
struct stp_take {
	u8 kind;                   /* enum stp_take_kind */
	bool clear;                /* the handler deletes or sets the global in any case: it is, at once */
	void *from, *to;           /* struct stp_map *, struct stp_scalar_stat *, s64 *, char * */
	s64 number;                /* what it is set to; */
	const char *text;          /* NULL: "" */
};
void stp_take(struct stp_ctx *c);          /* c->saved_return: 1 when all is copied */

/* For a handler with nlate locks: takes them; false: it took too long, the hit is skipped. Lets go of
 * them. Ends the handler: what it printed goes out before others can follow. */
bool stp_lock(struct stp_ctx *c);
void stp_unlock(struct stp_ctx *c);
void stp_finish(struct stp_ctx *c);

struct stp_family_ops;         /* the runtime's: { name, start(table, n), stop(table, n) } */
struct stp_family { const struct stp_family_ops *ops; void *table; u32 n; };

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
	const char *symbol;        /* function, as the kernel names it; "": the offset is the address */
	const char *module;        /* NULL: the kernel image */
	u64 base_offset;           /* of a function of the kernel: from _stext at link time; 0: look the symbol up.
				    * Of a module's: from the symbol */
	u64 offset;                /* into the function: statements, inlined functions, labels */
	u64 address;               /* the runtime's: where it is now */
};
/* The same, of very many: names are places in a text, of which "" is the first. */
struct stp_packed_site { u32 symbol, module; s32 base_offset; u32 offset; };
/* Variables that have an address of their own: struct stp_module.statics. */
u64 stp_static_unknown(struct stp_ctx *c, const struct stp_site *s);  /* 0 and an error */
static inline u64 stp_static(struct stp_ctx *c, const struct stp_site *s)
{
	return STP_LIKELY(s->address) ? s->address : stp_static_unknown(c, s);
}
u64 stp_percpu_offset(struct stp_ctx *c);  /* of this CPU's copies */
bool stp_irqs_were_on(struct stp_ctx *c);  /* at the hit: nobody below it holds locks of the scheduler or of signals */
u64 stp_thread_pointer(struct stp_ctx *c); /* of the current process: what its thread's variables are below */
/* The build-id of a module of the kernel that the script was translated for. */
#define STP_BUILD_ID_LEN 20
struct stp_module_build { const char *module; bool has_id; u8 id[STP_BUILD_ID_LEN]; };
struct stp_function {
	const struct stp_probe *probe;
	struct stp_site *sites;
	u32 nsites;
	const struct stp_packed_site *packed;      /* what the sites are filled in from; NULL: they are */
	const char *names;         /* of packed */
	bool is_return;
	bool wildcard;             /* no function was named */
	bool allowed;              /* is_return: no site is among those where the kernel allows no probe */
	bool optional;             /* "?": a site that can't be armed is no error */
	bool needs_all_regs;       /* more than arguments, stack pointer, address */
	u16 entry_size;            /* bytes that @entry() saves a call; 0 none */
	void (*entry)(struct stp_ctx *c);  /* fills c->entry at function entry; NULL none */
	bool entry_free;           /* entry looks at c->regs and c->entry only and can't fail */
	s32 maxactive;             /* 0: default */
	void *state;               /* the runtime's */
};

/* tracepoints of the kernel and its modules: stp_tracepoint_family */
extern const struct stp_family_ops stp_tracepoint_family;
struct stp_tracepoint {
	const struct stp_probe *probe;
	const char *name;
	const char *module;        /* it is in, perhaps not yet loaded; NULL: the kernel image */
	u32 arguments;             /* that the handler reads, counted from the first */
	bool optional;             /* "?": not being there is no error */
	void *state;               /* the runtime's */
};

/* places in programs and their libraries: stp_uprobe_family */
extern const struct stp_family_ops stp_uprobe_family;
struct stp_program {
	const char *path;
	const u8 *id;              /* what stands in the file that the translator looked at: */
	u64 id_offset;             /* at this offset */
	u64 summed;                /* > 0: it has no build ID; id is the checksum (checksum.h) of so many bytes there */
	u32 id_len;
	u32 users;                 /* the runtime's */
	void *state;               /* the runtime's */
};
struct stp_uprobe {
	const struct stp_probe *probe;
	struct stp_program *program;
	u64 offset;                /* of the instruction, in the file */
	u64 address;               /* its link address: what c->bias is counted from */
	u64 semaphore;             /* of a 16-bit count of who is interested, in the file; 0 none */
	const char *name;          /* for messages */
	struct stp_program *within;        /* a library: in processes that run this only; NULL any */
	s32 pid;                   /* in this process only; 0 any */
	bool is_return;
	bool optional;             /* "?": not being there is no error */
	u16 entry_size;            /* bytes that @entry() saves a call; 0 none */
	void (*entry)(struct stp_ctx *c);  /* fills c->entry at function entry; NULL none */
	s32 maxactive;             /* 0: default */
	void *state;               /* the runtime's */
};

/* files of /proc/systemtap/MODULE: stp_procfs_family. The text that a probe is about. */
extern const struct stp_family_ops stp_procfs_family;
struct stp_procfs {
	const char *path;
	const struct stp_probe *read;              /* may be NULL */
	const struct stp_probe *const *writes;
	u32 nwrites, mode, size;
};
void stp_value_get(struct stp_ctx *c, char *to, u32 size);
u32 stp_value_set(struct stp_ctx *c, const char *text, bool append);   /* 0, or: too long for so many bytes */

/* perf events, and timer.profile, which is one: stp_perf_family */
extern const struct stp_family_ops stp_perf_family;
struct stp_perf {
	const struct stp_probe *probe;
	const char *counter;       /* counts in the target process, for @perf("..."); NULL: samples every CPU */
	u32 type;                  /* as in perf_event_open(2) */
	u64 config;
	u64 period;                /* events a sample; 0: see hz */
	u64 hz;                    /* samples a second */
	bool per_second;           /* hz it is; else, of a clock, nanoseconds: a tick */
	bool in_target;            /* only the processes of -c and -x */
	bool optional;             /* "?": a machine that doesn't count such events is no error */
	bool absent;               /* the runtime's: it doesn't */
	s64 last;                  /* the runtime's: what a counter counted until the script's end */
	struct stp_program *program;       /* only processes that run it; NULL: all */
	void *state;               /* the runtime's */
};
/* Scaled to the time that the target process ran. 0 and an error: the counter is not available, or had no turn yet. */
s64 stp_perf_read(struct stp_ctx *c, const char *counter);

/* packets on their way: stp_netfilter_family. $hooknum, $skb, $in, $out are arguments 0 to 3. */
extern const struct stp_family_ops stp_netfilter_family;
struct stp_netfilter {
	const struct stp_probe *probe;
	s32 pf, hook, priority;
	void *state;               /* the runtime's */
};
void stp_netfilter_verdict(struct stp_ctx *c, s64 verdict);

/* hardware watchpoints: stp_hwbkpt_family */
extern const struct stp_family_ops stp_hwbkpt_family;
struct stp_hwbkpt {
	const struct stp_probe *probe;
	struct stp_site site;      /* what is watched, by name or, symbol NULL, at its address */
	u32 length;                /* bytes */
	bool reads;                /* reads, too */
	bool in_target;            /* of the process of -c or -x, at site.address */
	u64 start_code;            /* where the code of that program begins as it was linked, when it can be loaded
				    * anywhere; 0: its addresses are as linked */
	bool optional;             /* "?": not being there is no error */
	void *state;               /* the runtime's */
};

#include "lines.h"
#include "syscalls.h"

/* what happens to processes: stp_process_family */
extern const struct stp_family_ops stp_process_family;
enum stp_process_kind { STP_PROCESS_BEGIN, STP_PROCESS_END, STP_THREAD_BEGIN, STP_THREAD_END,
			STP_PROCESS_SYSCALL, STP_PROCESS_SYSCALL_RETURN, STP_PROCESS_KINDS };
/* System calls have arguments as those of stp_syscall_family. */
struct stp_process {
	const struct stp_probe *probe;
	u32 kind;                  /* enum stp_process_kind */
	struct stp_program *program;       /* processes that run this; NULL any */
	s32 pid;                   /* this process only; 0 any */
	bool optional;             /* "?" */
	void *state;               /* the runtime's */
};

/* what is known of programs and libraries, for usymname() and its like: stp_user_stack_family. Tables are
 * sorted by offset in the file; a row is good up to the next one's place. */
extern const struct stp_family_ops stp_user_stack_family;
struct stp_usym { u64 offset, size; const char *name; };
enum { STP_FRAME_NONE,             /* fp: as it is here; ra: nobody called */
       STP_FRAME_UNKNOWN,
       STP_FRAME_REGISTER,         /* base + offset */
       STP_FRAME_LOAD,             /* what is stored there, + plus */
       STP_FRAME_AT_CFA,           /* what is stored at cfa + offset */
       STP_FRAME_PLT };            /* stack pointer + offset, 8 more from byte `base` of 16 on */
enum { STP_FRAME_SP, STP_FRAME_FP, STP_FRAME_REGS };       /* bases; REGS + n: word n of the registers */
struct stp_frame_place { s32 offset; u8 kind, base; s16 plus; };
/* The caller's stack pointer, address, frame pointer. */
struct stp_frame_rule { struct stp_frame_place cfa, ra, fp; };
struct stp_object {
	struct stp_program *program;
	const struct stp_usym *symbols;
	const u32 *frame_places; const u16 *frame_rule; const struct stp_frame_rule *frame_rules;
	const struct stp_lines *lines;     /* by offset in the file; NULL: not known */
	u32 nsymbols, nframes;
};
/*
 * Buffers of a context, for what would be large on a kernel stack. Each holds its content until the handler calls
 * the next function that uses it.
 * stp_address_name() returns the name of an address of the kernel, "vfs_read+0x12/0x340 [module]", or without the
 * offset; the address in hexadecimal where it has no name. stp_user_place() writes the path there, too.
 */
#define STP_NAME_TEXT 768
#define STP_ADDRESSES 128
char *stp_address_name(struct stp_ctx *c, u64 address, bool with_offset);
u64 *stp_addresses(struct stp_ctx *c);                     /* STP_ADDRESSES of them */
/* What lies at an address of the current process. False, and path NULL: not known. The others may be NULL. */
struct stp_user_place {
	const char *path;          /* of the program or library */
	u64 offset, size;          /* in the file; of what of the file is mapped up to the end of this mapping */
	const struct stp_usym *symbol;
	const char *source;
	u32 line;                  /* with source */
};
bool stp_user_place(struct stp_ctx *c, u64 address, struct stp_user_place *p);
/* Addresses of the current process's chain of calls, the innermost first; returns how many. */
u32 stp_user_stack(struct stp_ctx *c, u64 *at, u32 room);
u32 stp_user_stack_from(struct stp_ctx *c, u64 pc, u64 sp, u64 fp, u64 *at, u32 room);     /* begins with these */

/* Source lines, by what lines.h calls places. False: nothing is known. Context: any. */
bool stp_lines_find(const struct stp_lines *t, u32 place, const char **file, u32 *line);
/* code of the kernel and its modules, for symfileline() and its like: stp_lines_family */
extern const struct stp_family_ops stp_lines_family;
struct stp_code {
	const struct stp_site *site;       /* something `before` bytes behind the code's begin */
	u32 before, size, place;           /* place: of the first byte */
	const struct stp_lines *lines;
};
bool stp_source_line(struct stp_ctx *c, u64 address, const char **file, u32 *line);

struct stp_global {            /* for name=value before begin, and nothing else */
	const char *name;
	u8 type;                   /* STP_LONG, STP_STRING */
	void *cell;
};

struct stp_limits {
	u32 string_len;            /* MAXSTRINGLEN: bytes of a buffer */
	s32 actions, actions_interruptible, nesting;
	u32 work;                  /* units of work, for each of `actions` */
	u32 deadline_ms;           /* MAXHANDLERTIME: of a handler with interrupts off; 0: none */
	u32 errors, skipped;
	u32 trylock, trylock_delay_us;
	u32 min_stack;
	u32 overload_interval, overload_threshold; /* nanoseconds */
	u32 buffer_kb;             /* of ring data a CPU; 0: ring.c chooses */
	u32 memory_kb;             /* STP_MAXMEMORY: of all allocations; 0: half of what is available at the start */
	u32 message_bytes;         /* STP_DEFAULT_BUFFERS * STP_CTL_BUFFER_SIZE: of messages that wait; 0: default */
	s32 hash_bias;             /* MAPHASHBIAS: hash tables of maps are so many powers of two larger */
	bool no_overload, interruptible, suppress_errors;
	bool timing;               /* -t: every probe has needs_actions, its hits are timed */
	bool bulk;                 /* -b: a file a CPU */
	s32 hist_elision;          /* HIST_ELISION */
	u32 hist_width;
};

struct stp_module {
	u32 abi;                   /* STP_GENERATED_ABI */
	struct stp_limits limits;
	const struct stp_family *families; u32 nfamilies;
	const struct stp_probe *probes; u32 nprobes;
	struct stp_map *const *maps; u32 nmaps;
	struct stp_scalar_stat *const *stats; u32 nstats;
	struct stp_foreach *const *foreachs; u32 nforeachs;
	const struct stp_global *globals; u32 nglobals;
	struct stp_site *statics; u32 nstatics;
	u32 percpu_size;           /* of struct percpu */
	u32 frame_size;            /* string frames a context needs, all nesting included */
	const u8 *build_id; u32 build_id_len;      /* of the kernel that base_offset is for */
	const struct stp_module_build *builds; u32 nbuilds;    /* of modules that sites are in */
};
#define STP_GENERATED_ABI 1
extern const struct stp_module stp_module; /* the one definition of the generated C */

#endif
