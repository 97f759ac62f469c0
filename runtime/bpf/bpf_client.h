/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros of generated C that is compiled for the client of BPF programs; it also includes generated.h. */
#ifndef BPF_CLIENT_H
#define BPF_CLIENT_H

#include "messages.h"
#define STP_HASH_FACTOR stp_hash_factor
#include "bpf_shared.h"
#include "bpf_layout.h"

#define STP_PERCPU(c) ((c)->percpu)
#define STP_INLINE static

#define STP_SHARED_NUMBER(name, value) static s64 name = value
#define STP_SHARED_STRING(name, value) static char name[STP_STRLEN] = value
#define STP_LOCK(name, number) static struct stp_lock name
#define stp_lock_of(handler, c) stp_lock(c)
#define stp_unlock_of(handler, c) stp_unlock(c)
#define stp_finish_of(handler, c) stp_finish(c)

#define STP_ENTRY(c) ((c)->entry)
#define STP_TABLE_SECTION

/* The bodies of loops are functions in C that programs share (bpf_loops.h). */
#define STP_LOOP_FUNCTION(name) static int name(struct stp_ctx *c)
#define STP_LOOP_FRAME(type) type *f = (type *)(c->frame - sizeof(type))
#define STP_LOOP_DRIVER(name)
#define STP_LOOP(c, name, leave, fail) do {					\
	int loop_;								\
										\
	do {				/* bounded: each pass takes a statement of the budget */	\
		loop_ = name(c);						\
	} while (loop_ == STP_LOOP_NEXT);								\
	if (loop_ == STP_LOOP_LEAVE)						\
		goto leave;							\
	if (loop_ == STP_LOOP_FAIL)						\
		goto fail;							\
} while (0)

/* left, at: of a loop over the buckets of a histogram, as in bpf_loops.h */
struct stp_cursor { s64 left; u32 at; bool started; struct stp_iter iter; struct stp_elem *elem;
		    union stp_val slice[STP_MAX_KEYS]; };
_Static_assert(sizeof(struct stp_cursor) <= 24 * 8, "CURSOR_WORDS of the translator");

static inline void stp_cursor_begin(struct stp_ctx *c, struct stp_cursor *cursor, struct stp_foreach *f, s64 limit,
				    u32 any, const union stp_val *slice)
{
	u32 i;

	for (i = 0; slice && i < f->map->nkeys; i++)
		cursor->slice[i] = slice[i];
	cursor->elem = stp_foreach_first(c, &cursor->iter, f, limit, slice ? cursor->slice : NULL, any);
	cursor->started = false;
}
static inline struct stp_elem *stp_cursor_next(struct stp_cursor *cursor)
{
	if (cursor->started)
		cursor->elem = stp_foreach_next(&cursor->iter);
	cursor->started = true;
	return cursor->elem;
}
#define STP_WALK_BEGIN(c, loop, map, cursor, limit, any, ...)			\
	stp_cursor_begin(c, cursor, &loop, limit, any, __VA_ARGS__)
#define STP_WALK_NEXT(c, loop, map, cursor, e) struct stp_elem *e = stp_cursor_next(cursor)
#define STP_LIST_BEGIN STP_WALK_BEGIN
#define STP_LIST_NEXT STP_WALK_NEXT
#define stp_scalar_merged(c, g) ((g)->merged)
#define STP_ELEM_LONG(map, e, key, nth) stp_elem_long(&map, e, key)
#define STP_ELEM_STRING(map, e, key, nth) stp_elem_string(&map, e, key)
#define STP_ELEM_VALUE(map, e) stp_elem_value(&map, e)
#define stp_div_by(a, b) ((a) / (b))
#define stp_mod_by(a, b) ((a) % (b))
#define STP_MAP_GET(c, m, ...) stp_map_get(m, __VA_ARGS__)
#define STP_MAP_DELETE(c, m, ...) stp_map_delete(c, m, __VA_ARGS__)

/* Called only by handlers of programs; the client compiles the calls for the records of STP_STATEMENT. */
#define stp_ppfunc(c) ""
#define stp_backtrace(c, to) ((void)(to))
#define stp_stack(c, n) 0
#define stp_address(c) 0
#define stp_user_addresses(c, to, with_files) ((void)(to))
#define stp_ustack(c, n) 0
#define stp_uaddr(c) 0
#define stp_print_usyms(c, list, form, stored) stp_print_stack(c, list)      /* bpf_check.c: only for stack values */
#define stp_mark_list(c, to, list, stored) stp_stack_text(c, to, list)
#define stp_mark_stack(c, to) ((void)(to))
#define stp_mark_data(c, to, address) ((void)(to))
#define stp_mark_name(c, to, address) ((void)(to))
#define stp_mark_source(c, to, address, form) ((void)(to))
#define stp_print_usyms_lines(c, list) ((void)(list))
#define stp_syscall_name(c) ""
#define stp_syscall_kernel_name(c) ""
#define stp_syscall_string(c, to, size, address) ((void)(address))

#define stp_user_mode(c) 0
#define stp_has_regs(c) 0
#define stp_any_regs(c, n) 0
#define stp_register_code(name) (-1)
#define stp_is_32bit(c) 0
#define stp_in_syscall(c) 0
#define stp_return_load4 stp_uload4
#define stp_return_load8 stp_uload8

/* kernel_memory.c: returns the address of the task with a thread ID, or 0 */
s64 stp_pid2task(struct stp_ctx *c, s64 id);
s64 stp_jiffies(struct stp_ctx *c);

/* call_names.c */
s64 stp_call_number(struct stp_ctx *c, const char *name);
void stp_call_name(struct stp_ctx *c, char *to, s64 number);

/* names.c */
void stp_symdata(struct stp_ctx *c, char *to, u64 address);
void stp_sprint_syms(struct stp_ctx *c, char *to, const char *list);
void stp_print_syms(struct stp_ctx *c, const char *list);
void stp_print_syms_lines(struct stp_ctx *c, const char *list);
void stp_kernel_line(struct stp_ctx *c, char *to, u64 address, char form);

/* records.c: print text; if the output consists of records, write records */
void client_printf(struct stp_ctx *c, const struct stp_format *f, u32 pieces, const union stp_val *args);
void client_print_hist(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d);

/* A statement of a handler that prints or fails. Programs refer to it by its line number, which is the same in
 * both compilations. */
#define STP_STATEMENT(...)								\
	static const struct stp_statement statement_						\
	__attribute__((__section__("stp_statements"), __used__, __aligned__(8))) = {	\
		.line = __LINE__, __VA_ARGS__ }
#define stp_printf(c, f, n, ...) do {						\
	STP_STATEMENT(.format = f, .pieces = n);					\
	client_printf(c, f, n, __VA_ARGS__);					\
} while (0)
#define STP_PRINTF(c, f, n, words, puts, ...) stp_printf(c, f, n, __VA_ARGS__)
#define stp_print(c, t, n) do {							\
	STP_STATEMENT(.text = t, .pieces = n);					\
	(stp_print)(c, t, n);							\
} while (0)
#define stp_print_hist(c, s, d) do {						\
	STP_STATEMENT(.hist = d);							\
	client_print_hist(c, s, d);						\
} while (0)
#undef STP_CHECK
#define STP_CHECK(c, location, label) do {					\
	STP_STATEMENT(.where = location);						\
	if (STP_UNLIKELY((c)->error)) {						\
		stp_error_location(c, location);				\
		goto label;							\
	}									\
} while (0)
#undef STP_ACTIONS
#define STP_ACTIONS(c, n, location, label) do {					\
	STP_STATEMENT(.where = location);						\
	if (STP_UNLIKELY(((c)->actions -= (n)) < 0)) {				\
		stp_out_of_actions(c);						\
		stp_error_location(c, location);				\
		goto label;							\
	}									\
} while (0)

/* Members of kernel types, which bpf_members.h locates. */
#define STP_MEMBER(number, where, type_, path_, ...)				\
	static const struct stp_member member_##number					\
	__attribute__((__section__("stp_members"), __used__, __aligned__(8))) = { where, #type_, #path_, number }
#define STP_TYPE(number, where, type_)						\
	static const struct stp_member member_##number					\
	__attribute__((__section__("stp_members"), __used__, __aligned__(8))) = { where, #type_, NULL, number }
#define STP_OFFSET(number, value) value
#define STP_LOAD_MEMBER(c, number, address, is_signed, plain) (plain)

#define STP_BPF_LAYOUT(table, n, bound_)					\
	_Static_assert(sizeof(struct percpu) <= STP_PERCPU_WORDS * 8, "the slot holds struct percpu");	\
	const struct stp_bpf_layout stp_bpf_layout = {				\
		.slot_size = sizeof(struct stp_slot),				\
		.percpu_offset = __builtin_offsetof(struct stp_slot, percpu),	\
		.text_size = STP_TEXT_SIZE,					\
		.shared = stp_shared, .stats = stp_shared_stats, .maps = stp_shared_maps,	\
		.taken = stp_taken, .adders = table, .nadders = n,		\
		.bound_at = bound_,						\
	}

#endif
