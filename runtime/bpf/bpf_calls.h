/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls in progress: the data that return probes save at the entry of a function or of a system call until it
 * returns. A row is identified by the thread, by the probe and by an ID that the family chooses (the stack pointer,
 * or 0). A row is never matched with another call: its key includes the start time of the thread and the number of
 * programs that it has executed, and a call whose entry is skipped has a row that marks this, which replaces one
 * that an earlier call with the same key left (by longjmp(), or since its return was skipped).
 *
 * A hash of the key selects a set of rows. Nothing waits for a lock here, since its holder may be preempted. Only a
 * row's own thread searches for it; other threads reuse it only when all rows of the set are taken and it is the
 * oldest: they raise `busy` from 0 to 1, and clear `state` first. The thread copies the data and then checks
 * whether the row still is its own; x86 does not reorder stores, or loads, among themselves.
 */
#ifndef BPF_CALLS_H
#define BPF_CALLS_H

#define STP_CALL_WAYS 8
#define STP_CALL_TRIES 4               /* number of rows that are tried before the entry is lost */

enum { STP_ROW_FREE, STP_ROW_SAVED, STP_ROW_SKIPPED };

struct stp_call {
	u32 busy, state, probe, unused;
	u64 task, born, programs, id;
	u64 process_born;              /* start time of the process's first thread, which a thread takes over
				        * when it calls execve() */
	u64 age;
	u64 data[STP_ENTRY_WORDS];
};
struct stp_call_set {
	u64 age;
	u64 lost;                      /* number of calls in progress whose rows were reused */
	struct stp_call rows[STP_CALL_WAYS];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STP_CALL_SETS);
	__type(key, u32);
	__type(value, struct stp_call_set);
} stp_calls SEC(".maps");

/* ------------------------------------------------------------------ threads */

struct uprobe_task___call { u32 depth; } STP_KERNEL_TYPE;
struct task_struct___thread {
	u64 start_time, self_exec_id;
	int exit_state;
	struct task_struct___thread *group_leader;
	struct uprobe_task___call *utask;
} STP_KERNEL_TYPE;

struct stp_thread { u64 task, born, programs, process_born; };

STP_INLINE void bpf_this_thread(struct stp_thread *me)
{
	struct task_struct___thread *task = (void *)bpf_get_current_task(), *leader = NULL;

	__builtin_memset(me, 0, sizeof(*me));
	me->task = (u64)task;
	if (stp_reads_task) {
		task = (void *)bpf_get_current_task_btf();
		me->born = task->start_time;
		me->programs = task->self_exec_id;
		me->process_born = task->group_leader->start_time;
		return;
	}
	STP_KERNEL_READ(me->born, task->start_time);
	STP_KERNEL_READ(me->programs, task->self_exec_id);
	STP_KERNEL_READ(leader, task->group_leader);
	STP_KERNEL_READ(me->process_born, leader->start_time);
}

/*
 * Returns whether the row's call may still return: its thread is alive and runs the program that made the call. The
 * start time distinguishes the thread from a later one whose task_struct is at the same address.
 */
STP_INLINE bool bpf_is_in_progress(const struct stp_call *r)
{
	struct task_struct___thread *task = (void *)r->task;
	u64 born = 0, programs = 0;
	int ended = 1;

	STP_KERNEL_READ(born, task->start_time);
	STP_KERNEL_READ(programs, task->self_exec_id);
	STP_KERNEL_READ(ended, task->exit_state);
	return (born == r->born || born == r->process_born) && !ended && programs - r->programs <= 1;
}

/* The kernel replaces only this many return addresses per thread, for all return probes together:
 * prepare_uretprobe(), which runs after the program. */
#define STP_RETURN_DEPTH 64
STP_INLINE bool bpf_return_is_lost(void)
{
	struct task_struct___thread *task = (void *)bpf_get_current_task();
	struct uprobe_task___call *user = NULL;
	u32 depth = 0;

	STP_KERNEL_READ(user, task->utask);
	if (user)
		STP_KERNEL_READ(depth, user->depth);
	return depth >= STP_RETURN_DEPTH;
}

/* ------------------------------------------------------------------ rows */

STP_INLINE u32 bpf_call_set(const struct stp_thread *me, u32 probe, u64 id)
{
	u64 h = stp_table_hash(stp_table_mix(stp_table_mix(me->task ^ probe) ^ id));

	return STP_INDEX((u32)(h >> 16), STP_CALL_SETS);
}

/* Concurrent writers may change a row at any time. */
#define STP_NOW(value) (*(volatile __typeof__(value) *)&(value))

STP_INLINE bool bpf_is_of(const struct stp_call *r, const struct stp_thread *me, u32 probe, u64 id)
{
	return STP_NOW(r->state) != STP_ROW_FREE && STP_NOW(r->task) == me->task && STP_NOW(r->probe) == probe &&
	       STP_NOW(r->id) == id && STP_NOW(r->born) == me->born && STP_NOW(r->programs) == me->programs;
}

/*
 * Does the same as bpf_is_of(), for a call during which the thread has executed a program: de_thread() gives the
 * thread the start time of the process's first thread, then begin_new_exec() increments self_exec_id once.
 */
STP_INLINE bool bpf_is_before_exec(const struct stp_call *r, const struct stp_thread *me, u32 probe, u64 id)
{
	return STP_NOW(r->state) != STP_ROW_FREE && STP_NOW(r->task) == me->task && STP_NOW(r->probe) == probe &&
	       STP_NOW(r->id) == id && me->programs - STP_NOW(r->programs) <= 1 &&
	       STP_NOW(r->process_born) == me->born;
}

/* Returns the number of the call's row, or STP_CALL_WAYS. over_exec: see stp_calls_make() in kernel/pending_calls.h. */
STP_GLOBAL_FUNCTION int bpf_call_find(const struct stp_call_set *set, const struct stp_thread *me, u32 probe, u64 id,
				      u32 over_exec)
{
	int before = STP_CALL_WAYS;
	u32 i;

	if (!set || !me)
		return STP_CALL_WAYS;
	for (i = 0; i < STP_CALL_WAYS; i++) {
		if (bpf_is_of(&set->rows[i], me, probe, id))
			return (int)i;
		if (over_exec && bpf_is_before_exec(&set->rows[i], me, probe, id))
			before = (int)i;
	}
	return before;
}

/* Returns the number of a row for a new call: a free row, else the oldest one. */
STP_GLOBAL_FUNCTION int bpf_call_choose(const struct stp_call_set *set)
{
	u64 oldest = ~0ull;
	u32 i, best = 0;

	if (!set)
		return 0;
	for (i = 0; i < STP_CALL_WAYS; i++) {
		u64 age = STP_NOW(set->rows[i].age);

		if (STP_NOW(set->rows[i].busy))
			continue;
		if (STP_NOW(set->rows[i].state) == STP_ROW_FREE)
			return (int)i;
		if (age < oldest) {
			oldest = age;
			best = i;
		}
	}
	return (int)best;
}

STP_INLINE void bpf_call_unlock(struct stp_call *r)
{
	__sync_fetch_and_add(&r->busy, -1);
}

/* Fills a row whose `busy` is raised. s NULL: marks that the entry is skipped. */
STP_INLINE void bpf_call_fill(struct stp_call *r, const struct stp_slot *s, const struct stp_thread *me, u32 words)
{
	u32 i;

	STP_NOW(r->task) = me->task;
	STP_NOW(r->born) = me->born;
	STP_NOW(r->programs) = me->programs;
	STP_NOW(r->process_born) = me->process_born;
	for (i = 0; s && i < STP_ENTRY_WORDS && i < words; i++)
		STP_NOW(r->data[i]) = s->entry[i];
	STP_NOW(r->state) = s ? STP_ROW_SAVED : STP_ROW_SKIPPED;
}

/* Saves the values in the slot for the call's return. They replace those of an earlier call with the same key.
 * returns: every call returns, so the return of the earlier one was missed. s NULL: marks that the entry is
 * skipped. */
STP_GLOBAL_FUNCTION int bpf_call_save(struct stp_slot *s, u32 probe, u64 id, u32 words, u32 returns)
{
	struct stp_call_set *set;
	struct stp_thread me;
	u32 at, i, k;

	bpf_this_thread(&me);
	at = bpf_call_set(&me, probe, id);
	set = bpf_map_lookup_elem(&stp_calls, &at);
	if (!set)
		return 0;
	for (i = 0; i < STP_CALL_TRIES; i++) {
		struct stp_call *r;
		u64 age;
		bool own;

		k = bpf_call_find(set, &me, probe, id, false);
		own = k < STP_CALL_WAYS;
		if (!own)
			k = bpf_call_choose(set);
		r = &set->rows[STP_INDEX(k, STP_CALL_WAYS)];
		age = STP_NOW(r->age);
		if (!bpf_try_lock(&r->busy))
			continue;
		if (STP_NOW(r->age) != age || (own && !bpf_is_of(r, &me, probe, id))) {
			bpf_call_unlock(r);
			continue;
		}
		if (!own && STP_NOW(r->state) == STP_ROW_SAVED && bpf_is_in_progress(r))
			__sync_fetch_and_add(&set->lost, 1);
		if (own && returns && STP_NOW(r->state) == STP_ROW_SAVED)
			bpf_lose(STP_LOSS_RETURNS);
		STP_NOW(r->state) = STP_ROW_FREE;
		__sync_fetch_and_add(&set->age, 1);
		STP_NOW(r->age) = STP_NOW(set->age);
		STP_NOW(r->probe) = probe;
		STP_NOW(r->id) = id;
		bpf_call_fill(r, s, &me, words);
		bpf_call_unlock(r);
		return 1;
	}
	__sync_fetch_and_add(&set->lost, 1);
	return 0;
}

enum stp_call_state {
	STP_CALL_NONE,                 /* the call began before the session, or in another task, such as fork()
				        * of a child */
	STP_CALL_LOST,                 /* the call's row was reused for another call */
	STP_CALL_SKIPPED,              /* the entry was skipped, which was counted */
	STP_CALL_FOUND,
};

/* A call without a row has lost it only if a row of its set was reused. */
STP_INLINE int bpf_call_without_row(struct stp_call_set *set)
{
	if ((s64)STP_NOW(set->lost) <= 0)
		return STP_CALL_NONE;
	__sync_fetch_and_add(&set->lost, -1);
	return STP_CALL_LOST;
}

/* Copies the values that the call's entry saved to the slot, and frees the row. over_exec: the call may have
 * executed a program. */
STP_GLOBAL_FUNCTION int bpf_call_take(struct stp_slot *s, u32 probe, u64 id, u32 words, u32 over_exec)
{
	struct stp_call_set *set;
	struct stp_thread me;
	struct stp_call *r;
	u32 at, i, k, state;
	u64 age;

	if (!s)
		return STP_CALL_NONE;
	bpf_this_thread(&me);
	at = bpf_call_set(&me, probe, id);
	set = bpf_map_lookup_elem(&stp_calls, &at);
	if (!set)
		return STP_CALL_NONE;
	k = bpf_call_find(set, &me, probe, id, over_exec);
	if (k >= STP_CALL_WAYS)
		return bpf_call_without_row(set);
	r = &set->rows[STP_INDEX(k, STP_CALL_WAYS)];
	state = STP_NOW(r->state);
	age = STP_NOW(r->age);
	for (i = 0; i < STP_ENTRY_WORDS && i < words; i++)
		s->entry[i] = STP_NOW(r->data[i]);
	if (STP_NOW(r->state) != state || STP_NOW(r->age) != age || STP_NOW(r->task) != me.task || state == STP_ROW_FREE)
		return bpf_call_without_row(set);
	/* If another call is about to reuse the row, it need not be freed. */
	if (bpf_try_lock(&r->busy)) {
		if (STP_NOW(r->age) == age)
			STP_NOW(r->state) = STP_ROW_FREE;
		bpf_call_unlock(r);
	}
	return state == STP_ROW_SAVED ? STP_CALL_FOUND : STP_CALL_SKIPPED;
}

/* ------------------------------------------------------------------ entries and returns */

/* Ends the hit at an entry. */
STP_INLINE void bpf_entry_end(struct stp_slot *s, int saved, u32 probe, u64 id, u32 words, u32 returns)
{
	bpf_call_save(saved ? s : NULL, probe, id, words, returns);
	stp_end(s);
}

/* The child of a fork() during the call returns from it, too, and has no row; nor has a call that began before the
 * script, which is not a loss. */
STP_INLINE bool bpf_is_new_thread(void)
{
	struct stp_thread me;

	bpf_this_thread(&me);
	return me.born > stp_control.opened_ns;
}

/* Returns whether the hit at a return has the values of its entry. In the kernel, a call may execute a program, and its
 * return is probed only after its entry: if it has no row, the kernel has not delivered the hit at the entry. */
STP_INLINE bool bpf_has_entry(struct stp_slot *s, u32 probe, u64 id, u32 words, bool in_kernel)
{
	int found = bpf_call_take(s, probe, id, words, in_kernel);

	if (found == STP_CALL_LOST)
		bpf_lose(STP_LOSS_ENTRIES);
	if (found == STP_CALL_NONE)
		bpf_lose(in_kernel || bpf_is_new_thread() ? STP_LOSS_ENTRIES : STP_LOSS_OUTSIDE);
	return found == STP_CALL_FOUND;
}

/* ------------------------------------------------------------------ functions of programs */

/* Returns the stack pointer at the entry, in a hit at the return, where the return address has been popped. */
STP_INLINE u64 bpf_user_entry_sp(const u64 *ctx)
{
	return ctx[STP_WORD_SP] - (ctx[STP_WORD_CS] == STP_USER32_CS ? 4 : 8);
}

#define STP_ON_UPROBE_CALL(words, link_, number, handler, condition, late)	\
SEC(STP_UPROBE_SECTION) int stp_entry_##number(u64 *ctx)			\
{										\
	u64 id = ctx[STP_WORD_SP];						\
	struct stp_slot *s;							\
										\
	if (bpf_return_is_lost()) {						\
		if (stp_control.open)						\
			bpf_lose(STP_LOSS_DEPTH);				\
		return 0;							\
	}									\
	s = stp_claim();							\
	if (!s) {								\
		bpf_call_save(NULL, number, id, 0, false);			\
		return 0;							\
	}									\
	bpf_registers(s, ctx, ~0u);						\
	s->mode = STP_MODE_REGISTERS | bpf_mode(ctx[STP_WORD_CS]);		\
	s->c.address = ctx[STP_REGISTER_PC];					\
	s->bias = s->c.address - (link_);					\
	s->stack_frames = 0;							\
	bpf_take_user_stack(ctx, s, handler##_takes);				\
	s->probe = number;							\
	bpf_entry_end(s, entries_##number(s), number, id, words, false);	\
	return 0;								\
}										\
SEC(STP_UPROBE_SECTION) int stp_program_##number(u64 *ctx)			\
{										\
	struct stp_slot *s = stp_claim();					\
										\
	if (!s)									\
		return 0;							\
	if (!bpf_has_entry(s, number, bpf_user_entry_sp(ctx), words, false)) {	\
		stp_release(s);							\
		return 0;							\
	}									\
	bpf_registers(s, ctx, ~0u);						\
	s->c.saved_return = bpf_user_result(ctx);				\
	s->mode = STP_MODE_REGISTERS | bpf_mode(ctx[STP_WORD_CS]);		\
	s->c.address = ctx[STP_REGISTER_PC];					\
	bpf_find_function(ctx, s, handler##_takes, link_);			\
	s->stack_frames = 0;							\
	bpf_take_returned_stack(ctx, s, handler##_takes);			\
	STP_RUN(s, number, handler, condition, late);				\
	return 0;								\
}

/* ------------------------------------------------------------------ functions of the kernel */

/*
 * Both use the trampoline of the function, or kprobes of perf, even if the kernel has kprobe.multi, whose return probes
 * have had no stack pointer since 6.14. A call is identified by an address of the stack: that of the context, which is
 * the same at both in a trampoline, or the stack pointer. At the return, the return address has been popped.
 */
STP_INLINE u64 bpf_call_id(u64 *ctx, u32 how, u32 popped)
{
	u64 id;

	/* To the verifier, the lower half of a pointer is a number. */
	__asm__ volatile("r1 = %1; w1 = w1; %0 = r1" : "=r"(id) : "r"(ctx) : "r1");
	if (!how) {
		id = ctx[STP_WORD_SP] - popped;
		__asm__ volatile("" ::: "memory");     /* keeps the load in its branch */
	}
	return id;
}
#define STP_ON_FUNCTION_CALL(mask, words, number, handler, condition, late)	\
SEC("kprobe") int stp_entry_##number(u64 *ctx)					\
{										\
	struct stp_slot *s = stp_claim();					\
	u64 id = bpf_call_id(ctx, STP_TRAMPOLINE(number), 0);			\
										\
	if (!s) {								\
		bpf_call_save(NULL, number, id, 0, true);			\
		return 0;							\
	}									\
	bpf_enter_function(s, ctx, STP_TRAMPOLINE(number), mask, handler##_takes);	\
	s->probe = number;							\
	STP_TAKE_STACKS(ctx, s, handler##_takes, STP_FROM_REGISTERS);		\
	bpf_entry_end(s, entries_##number(s), number, id, words, true);		\
	return 0;								\
}										\
SEC("kprobe") int stp_program_##number(u64 *ctx)				\
{										\
	struct stp_slot *s = stp_claim();					\
										\
	if (!s)									\
		return 0;							\
	if (!bpf_has_entry(s, number, bpf_call_id(ctx, STP_TRAMPOLINE(number), 8), words, true)) {	\
		stp_release(s);							\
		return 0;							\
	}									\
	bpf_leave_function(s, ctx, STP_TRAMPOLINE(number), mask, handler##_takes);	\
	STP_TAKE_STACKS(ctx, s, handler##_takes, STP_FROM_REGISTERS);		\
	STP_RUN(s, number, handler, condition, late);				\
	return 0;								\
}

/* ------------------------------------------------------------------ system calls */

/*
 * Calls that began before the script have no row, which is not a loss; nor is the return of fork() in the child.
 * Without a row, argstr is made from the data that can be read at the return.
 */
STP_INLINE int bpf_call_entered(struct stp_slot *s, u32 words, bool runs_without)
{
	int found = bpf_call_take(s, s->probe, 0, words, true);

	if (found == STP_CALL_LOST || (found == STP_CALL_SKIPPED && runs_without))
		bpf_lose(STP_LOSS_ENTRIES);
	return found == STP_CALL_FOUND;
}

#define STP_SKIPS_ENTRY(number)							\
STP_INLINE void skip_##number(u32 probe)					\
{										\
	bpf_call_save(NULL, probe, 0, 0, false);				\
}
#define STP_SAVED_ENTRIES(number, words)					\
STP_SKIPS_ENTRY(number)								\
STP_INLINE void save_##number(struct stp_slot *s)				\
{										\
	bpf_entry_end(s, entries_##number(s), s->probe, 0, words, false);	\
}										\
STP_INLINE bool enters_##number(struct stp_slot *s)				\
{										\
	return bpf_call_entered(s, words, false);				\
}

#ifdef STP_USES_CALL_TEXTS
STP_INLINE void bpf_call_has_text(struct stp_slot *s, int entered)
{
	s->call_saved = entered;
	if (entered && !bpf_saved_call(s)) {
		bpf_lose(STP_LOSS_ENTRIES);
		s->call_saved = 0;
	}
}

/* late_: the function that computes values of @entry() at the return, or bpf_no_values */
STP_INLINE int bpf_no_values(struct stp_slot *s)
{
	return 1;
}
#define STP_SAVED_TEXT(number, late_)						\
STP_SKIPS_ENTRY(number)								\
STP_INLINE void save_##number(struct stp_slot *s)				\
{										\
	bpf_entry_end(s, bpf_save_call(s), s->probe, 0, 0, false);		\
}										\
STP_INLINE bool enters_##number(struct stp_slot *s)				\
{										\
	bpf_call_has_text(s, bpf_call_entered(s, 0, true));			\
	late_(s);								\
	return true;								\
}
#define STP_SAVED_ENTRIES_AND_TEXT(number, words)				\
STP_SKIPS_ENTRY(number)								\
STP_INLINE void save_##number(struct stp_slot *s)				\
{										\
	bpf_save_call(s);							\
	bpf_entry_end(s, entries_##number(s), s->probe, 0, words, false);	\
}										\
STP_INLINE bool enters_##number(struct stp_slot *s)				\
{										\
	int entered = bpf_call_entered(s, words, false);			\
										\
	bpf_call_has_text(s, entered);						\
	return entered;								\
}
#endif

#endif
