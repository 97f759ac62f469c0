/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls, by the tracepoints sys_enter and sys_exit, whose arguments are the user's registers and the number
 * or the result. For each tracepoint and each register size of processes, a table maps the number to a list of
 * probes; a call that is not probed costs a load and a branch.
 *
 * Values that @entry() saves are identified by task and probe (pending_calls.h), since sys_exit runs in the task of
 * sys_enter.
 */
#include "kernel.h"
#include <asm/syscall.h>
#include <linux/tracepoint.h>
#include "pending_calls.h"

#ifdef CONFIG_TRACEPOINTS

#ifdef CONFIG_X86_64
/* numbers of socketcall and ipc in 32-bit processes, which multiplex many calls: the table indexes of these
 * begin here */
#define SOCKETCALL 102
#define IPC 117
#define SOCKETCALL_FIRST 1000
#define IPC_FIRST 1100
#define NUMBERS 1130
#else
#define NUMBERS 512
#endif

#ifdef CONFIG_X86_64
/* When execve() or execveat() succeeds, the kernel sets the number of the call to that of execve() in the new program,
 * which may be of another register size. */
static const u16 execve_number[2] = { 59, 11 }, execveat_number[2] = { 322, 358 };
#define EXECUTION_KINDS 4              /* execve(), execveat(), and those of 32-bit processes */
#endif
#define EXECUTIONS 256                 /* calls of execve() and execveat() in progress */

/* Calls whose returns are not probed: exit(), exit_group(), rt_sigreturn() and sigreturn() do not return, or
 * their return does not have their number. */
#define UNUSED 0xffff
static const u16 no_return[2][4] = {
#ifdef CONFIG_X86_64
	{ 60, 231, 15, UNUSED }, { 1, 252, 173, 119 },
#elif defined(CONFIG_ARM64)
	{ 93, 94, 139, UNUSED }, { 1, 248, 173, 119 },
#else
	{ UNUSED, UNUSED, UNUSED, UNUSED }, { UNUSED, UNUSED, UNUSED, UNUSED },
#endif
};

#define CALLS_MAX 8192                 /* maximum number of calls in progress for which a return probe saves
				        * values of @entry() */
#define TEXTS_MAX 4096                 /* maximum number of calls in progress if the probe also saves argstr */
#define TEXTS_BYTES (8 << 20)          /* size of the table of such a probe in bytes */

struct syscall_watch {
	const struct stp_probe *probe;     /* copy of p->probe */
	const struct stp_syscall *call;
	const struct stp_syscall_probe *p;
	struct syscall_watch *next;        /* the next probe of the same system call number */
	/* it is the only probe of this number, reads no arguments, and its handler needs no preparation */
	bool fast;
	bool saves;                        /* p is a return probe: at the entry only @entry() is evaluated */
};

/* Allocated before the tracepoints are registered, freed after they are unregistered. */
static struct {
	/* [compat][number]; the last element serves all higher numbers */
	struct syscall_watch **enter[2], **leave[2];
	struct syscall_watch *watches;                     /* array of all watches, for freeing */
	u32 watched, capacity;
	/* calls of execve() and execveat(), if a return of one of them is probed, else NULL. The ID of a row is
	 * the kind of its call; it has no data. They have a separate table: returns search rows of each kind,
	 * and in `saved` a row that is not found would count as a loss of another call. */
	struct stp_calls *executions;
	/* data that return probes saved for calls in progress; may be NULL */
	struct stp_calls *saved;
	/* a row for each CPU, in which the data of one call is collected; NULL: no probe saves data */
	char *rows;
	u32 row_size;
} calls;

/* Returns the list of a number; the last one is that of all higher numbers. */
static __always_inline struct syscall_watch *watch_of(struct syscall_watch **table, u32 number)
{
	return likely(number < NUMBERS) ? table[number] : table[NUMBERS];
}

/* ------------------------------------------------------------------ the registers of a call */

/* Copies the six arguments as the process passed them. */
static __always_inline void get_arguments(u64 *to, const struct pt_regs *regs, bool compat)
{
#ifdef CONFIG_X86_64
	if (unlikely(compat)) {
		to[0] = (u32)regs->bx; to[1] = (u32)regs->cx; to[2] = (u32)regs->dx;
		to[3] = (u32)regs->si; to[4] = (u32)regs->di; to[5] = (u32)regs->bp;
		return;
	}
	to[0] = regs->di; to[1] = regs->si; to[2] = regs->dx;
	to[3] = regs->r10; to[4] = regs->r8; to[5] = regs->r9;
#else
	unsigned long args[6];
	u32 i;

	syscall_get_arguments(current, (struct pt_regs *)regs, args);
	for (i = 0; i < 6; i++)
		to[i] = args[i];
#endif
}

/* Returns true for socketcall and ipc of 32-bit processes, which are decoded if any of their calls is probed. */
static __always_inline bool is_split(u32 number, bool compat)
{
#ifdef CONFIG_X86_64
	return compat && unlikely(number == SOCKETCALL || number == IPC);
#else
	return false;
#endif
}

#ifdef CONFIG_X86_64
/* Loads a word of the process; 0 if it cannot be read. */
static u32 load_word(struct stp_ctx *c, u64 address)
{
	u32 v = stp_uload4(c, address);

	c->error = NULL;
	return v;
}

/*
 * Puts the arguments of ipc, which are call, first, second, third, ptr, fifth, into the order of the call. ptr is the
 * address of semctl's last argument, and, if the version in the upper half of `call` is 0, of
 * msgrcv's address and type.
 */
static void order_ipc(struct stp_ctx *c, u32 call, bool is_new)
{
	u64 *a = c->arguments, first = a[1], second = a[2], third = a[3], ptr = a[4], fifth = a[5];

	a[0] = first, a[1] = second, a[2] = third, a[3] = ptr, a[4] = fifth;
	switch (call) {
	case 1: a[1] = ptr, a[2] = second; break;                          /* semop */
	case 3: a[3] = load_word(c, ptr); break;                           /* semctl */
	case 4: a[1] = ptr, a[2] = second, a[3] = fifth; break;            /* semtimedop */
	case 11: a[1] = ptr, a[2] = second, a[3] = third; break;           /* msgsnd */
	case 12:                                                           /* msgrcv */
		a[1] = is_new ? ptr : load_word(c, ptr);
		a[2] = second;
		a[3] = is_new ? fifth : load_word(c, ptr + 4);
		a[4] = third;
		break;
	case 14: case 24: a[2] = ptr; break;                               /* msgctl, shmctl */
	case 21: a[1] = ptr, a[2] = second; break;                         /* shmat */
	case 22: a[0] = ptr; break;                                        /* shmdt */
	}
}
#endif

/* Returns the table index of the call in a socketcall or ipc; the number of socketcall or ipc itself if `call`
 * is unknown. */
static u32 split_index(u32 number, u32 call)
{
#ifdef CONFIG_X86_64
	if (number == SOCKETCALL && call >= 1 && call <= 20)
		return SOCKETCALL_FIRST + call;
	if (number == IPC && (call & 0xffff) <= 24)
		return IPC_FIRST + (call & 0xffff);
#endif
	return number;
}

/* Decodes socketcall and ipc: returns the table index of the call, and loads its arguments. */
static noinline u32 split_number(struct stp_ctx *c, u32 number)
{
	u32 index = split_index(number, (u32)c->arguments[0]);
#ifdef CONFIG_X86_64
	u64 *a = c->arguments, from = a[1];
	u32 call = (u32)a[0], i;

	if (index >= IPC_FIRST)
		order_ipc(c, call & 0xffff, call >> 16);
	else if (index >= SOCKETCALL_FIRST)
		for (i = 0; i < 6; i++)
			a[i] = load_word(c, from + 4 * i); /* the call may have fewer than six arguments */
#endif
	return index;
}

static __always_inline void sign_extend(u64 *a, u32 mask)
{
	u32 i;

	for (i = 0; mask; i++, mask >>= 1)
		if (mask & 1)
			a[i] = (s64)(s32)a[i];
}

/* ------------------------------------------------------------------ values saved at the entry of a call */

/* A row has the values of @entry() of the probe, then argstr. */
static bool saves(const struct stp_syscall_probe *p)
{
	return (p->entry && !p->entry_late) || p->text;
}

static u32 row_size(const struct stp_syscall_probe *p)
{
	return p->entry_size + p->text;
}

static char no_text[1];

/* Makes the handler store values of @entry() and argstr in this CPU's row. */
static char *use_row(struct stp_ctx *c, const struct stp_syscall_probe *p)
{
	char *row = calls.rows + smp_processor_id() * calls.row_size;

	c->entry = (s64 *)row;
	c->call_text = p->text ? row + p->entry_size : no_text;
	c->call_text_size = p->text;
	return row;
}

/* Returns the number of bytes to save: values, and the text up to its terminator. */
static u32 used_of_row(const struct stp_ctx *c, const struct stp_syscall_probe *p)
{
	return p->entry_size + (p->text ? strlen(c->call_text) + 1 : 0);
}

static void save_call_entry(struct stp_ctx *c, const struct stp_syscall_probe *p)
{
	char *row = use_row(c, p);
	bool saved = true;

	if (p->entry && !p->entry_late)
		saved = stp_entry_run(c, p->probe, p->entry);
	if (saved && p->text) {
		saved = stp_entry_run(c, p->probe, stp_syscall_save);
		c->call_text[p->text - 1] = 0;
	}
	if (likely(saved))
		stp_calls_put(calls.saved, (unsigned long)p, row, used_of_row(c, p));
	else
		stp_calls_skip(calls.saved, (unsigned long)p);
}

/* Represents all calls of a 32-bit process's socketcall or ipc, until the call is decoded. */
static struct syscall_watch split_watch;

/* The last element of the lists of execve() and execveat() if a return of one of them is probed. */
static struct syscall_watch execution_watch;

#ifdef CONFIG_X86_64
/* Returns the kind of an execution, or EXECUTION_KINDS for other calls. */
static u32 execution_kind(u32 number, bool compat)
{
	if (number == execve_number[compat])
		return 2 * compat;
	return number == execveat_number[compat] ? 2 * compat + 1 : EXECUTION_KINDS;
}
#endif

/* Called when a call begins, also if the hit is skipped: stores the kind of an execution until its end. */
static void note_execution(u32 number, bool compat)
{
#ifdef CONFIG_X86_64
	u32 kind = execution_kind(number, compat), i;

	for (i = 0; kind < EXECUTION_KINDS && i < EXECUTION_KINDS; i++)
		if (i != kind)
			stp_calls_forget(calls.executions, i);
	if (kind < EXECUTION_KINDS)
		stp_calls_skip(calls.executions, kind);
#endif
}

/* Called for a skipped hit: values that its probes saved at an earlier call that did not return must not be used
 * for this call. A call that begins before the session (outside) is not marked as skipped, since nothing is
 * saved yet. */
static noinline void skip_call_entries(struct syscall_watch **table, struct pt_regs *regs, u32 number, bool compat,
				       bool outside)
{
	const struct syscall_watch *w;
	u64 arguments[6];

	if (table != calls.enter[compat])
		return;
	if (calls.executions)
		note_execution(number, compat);
	if (outside)
		return;
	if (is_split(number, compat)) {
		get_arguments(arguments, regs, compat);
		number = split_index(number, (u32)arguments[0]);
	}
	for (w = watch_of(table, number); w; w = w->next)
		if (w->saves)
			stp_calls_skip(calls.saved, (unsigned long)w->p);
}

/* ------------------------------------------------------------------ hits */

/* At the end of a successful execution, returns the number with which the call began, and sets the table and the
 * register size accordingly. Returns the number of any other call. */
static noinline u32 execution_number(u32 number, struct syscall_watch ***table, s64 result, bool *compat)
{
#ifdef CONFIG_X86_64
	u32 kind, began = EXECUTION_KINDS;

	if (execution_kind(number, *compat) == EXECUTION_KINDS)
		return number;
	if (*table == calls.enter[*compat]) {
		note_execution(number, *compat);
		return number;
	}
	for (kind = 0; kind < EXECUTION_KINDS; kind++)
		if (stp_calls_take(calls.executions, kind, NULL, 0) == STP_CALL_SKIPPED)
			began = kind;
	if (began == EXECUTION_KINDS || result)
		return number;
	*compat = began / 2;
	*table = calls.leave[*compat];
	return began % 2 ? execveat_number[*compat] : execve_number[*compat];
#else
	return number;
#endif
}

static __always_inline void describe(struct stp_ctx *c, const struct syscall_watch *w, struct pt_regs *regs)
{
	c->regs = regs;
	c->address = 0;
	c->syscall = w->call;
}

/* Calls that began before the script have no row, which is not a loss; nor is the return of fork() in the child.
 * Without a row, argstr is made from the data that can be read at the return. */
static bool find_call_entry(struct stp_ctx *c, const struct stp_syscall_probe *p, char *row)
{
	enum stp_call found = stp_calls_take(calls.saved, (unsigned long)p, row, row_size(p));
	bool runs;

	if (found == STP_CALL_FOUND)
		return true;
	c->call_text = no_text;
	runs = !p->entry || p->entry_late;
	if (found == STP_CALL_LOST || (found == STP_CALL_SKIPPED && runs))
		stp_lose(STP_LOSS_ENTRIES, 1);
	return runs;
}

static void run_return(struct stp_ctx *c, const struct stp_syscall_probe *p)
{
	char *row = use_row(c, p);

	if (saves(p) && !find_call_entry(c, p, row))
		return;            /* not a hit: the call began before the script, or was counted */
	if (p->entry && p->entry_late)
		p->entry(c);
	stp_handler_run(c, p->probe);
}

static noinline void run_all(struct stp_ctx *c, struct syscall_watch **table, struct pt_regs *regs, u32 number,
			     bool compat)
{
	const struct syscall_watch *w;

	if (calls.executions)
		number = execution_number(number, &table, c->saved_return, &compat);
	get_arguments(c->arguments, regs, compat);
	c->arguments[STP_SYSCALL_NUMBER] = number;
	c->compat_call = compat;
	if (is_split(number, compat))
		number = split_number(c, number);
	for (w = watch_of(table, number); w; w = w->next) {
		if (!w->p)
			continue;
		describe(c, w, regs);
		c->call_text = NULL;
		if (unlikely(compat) && w->p->call)
			sign_extend(c->arguments, w->p->call->signed_longs);
		if (w->saves)
			save_call_entry(c, w->p);
		else if (w->p->is_return)
			run_return(c, w->p);
		else
			stp_handler_run(c, w->probe);
	}
}

static __always_inline void keep_result(struct stp_ctx *c, s64 result)
{
	c->arguments[STP_SYSCALL_RESULT] = result;
	c->saved_return = result;
}

/* Defines the tracepoint callback, which saves no registers before it is known that the call is probed, and a
 * separate function for hits that may have to be skipped, as in probe_function.c. */
#define FAST_HIT(name, keep)							\
static __always_inline void name##_run(const struct syscall_watch *w, struct pt_regs *regs, s64 result) \
{										\
	unsigned long flags;							\
	struct stp_ctx *c;							\
										\
	if (!stp_hit_enter(&c, &flags))						\
		return;								\
	keep;									\
	describe(c, w, regs);						\
	stp_run_simple(c, w->probe);						\
	stp_hit_end(c, flags);							\
}										\
static noinline void name##_unsafe(const struct syscall_watch *w, struct pt_regs *regs, s64 result) \
{										\
	if (!stp_hit_refused())							\
		name##_run(w, regs, result);					\
}										\
static noinline void name(const struct syscall_watch *w, struct pt_regs *regs, s64 result) \
{										\
	if (stp_hit_unsafe())							\
		name##_unsafe(w, regs, result);					\
	else									\
		name##_run(w, regs, result);					\
}
FAST_HIT(fast_enter, )
FAST_HIT(fast_leave, keep_result(c, result))

/* Not inlined, and reads the number and the mode again, so that a call that is not probed takes few instructions. */
static noinline void slow_hit(struct syscall_watch **table, struct pt_regs *regs, s64 result)
{
	u32 number = syscall_get_nr(current, regs);
	bool compat = compat_is_32bit_call();
	bool outside = stp_hit_outside();      /* determined before the hit, so that no gate is opened in between */
	unsigned long flags;
	struct stp_ctx *c;

	if (!stp_hit_begin(&c, &flags)) {
		if (calls.saved || calls.executions)
			skip_call_entries(table, regs, number, compat, outside);
		return;            /* not a hit: stp_hit_begin() has counted it */
	}
	keep_result(c, result);
	run_all(c, table, regs, number, compat);
	stp_hit_end(c, flags);
}

static void on_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct syscall_watch **table = calls.enter[compat_is_32bit_call()], *w = watch_of(table, id);

	if (likely(!w))
		return;            /* not a hit: this call is not probed */
	if (w->fast)
		fast_enter(w, regs, 0);
	else
		slow_hit(table, regs, 0);
}

/* Converts the result of a 32-bit process: an address above 2 GB is a positive number, an error a negative one.
 * All probes of a call agree on whether it returns an address. */
static s64 compat_result(const struct syscall_watch *w, long result)
{
	bool is_address = w->call && w->call->returns_address && (u32)result < (u32)-MAX_ERRNO;

	return is_address ? (s64)(u32)result : (s64)(s32)result;
}

static void on_sys_exit(void *data, struct pt_regs *regs, long result)
{
	bool compat = compat_is_32bit_call();
	struct syscall_watch **table = calls.leave[compat], *w = watch_of(table, syscall_get_nr(current, regs));

	if (likely(!w))
		return;            /* not a hit: this call is not probed */
	if (w->fast)
		fast_leave(w, regs, compat ? compat_result(w, result) : result);
	else
		slow_hit(table, regs, compat ? compat_result(w, result) : result);
}

/* ------------------------------------------------------------------ guru mode */

/* Sets the value that the call or its caller will read. Context: a handler of this family. */
void stp_syscall_set(struct stp_ctx *c, s64 at, s64 value)
{
	struct pt_regs *regs = (struct pt_regs *)c->regs;

#ifdef CONFIG_X86_64
	static const u16 offsets[2][6] = {
		{ offsetof(struct pt_regs, di), offsetof(struct pt_regs, si), offsetof(struct pt_regs, dx),
		  offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9) },
		{ offsetof(struct pt_regs, bx), offsetof(struct pt_regs, cx), offsetof(struct pt_regs, dx),
		  offsetof(struct pt_regs, si), offsetof(struct pt_regs, di), offsetof(struct pt_regs, bp) },
	};
	bool compat = compat_is_32bit_call();

	if (at == STP_SYSCALL_RESULT)
		regs->ax = value;
	else if (at >= 0 && at < 6)
		*(unsigned long *)((char *)regs + offsets[compat][at]) = compat ? (u32)value : value;
	else
		stp_error(c, "this variable cannot be changed");
#elif defined(CONFIG_ARM64)
	if (at == STP_SYSCALL_RESULT)
		regs->regs[0] = value;
	else if (at >= 0 && at < 6)
		regs->regs[at] = value;
	else
		stp_error(c, "this variable cannot be changed");
	if (at == 0)
		regs->orig_x0 = value;     /* the first argument, for handlers that read it later */
#else
	stp_error(c, "variables of system calls cannot be changed on this processor");
#endif
}

void stp_syscall_set_string(struct stp_ctx *c, s64 at, const char *text)
{
	u64 address = c->arguments[at & 7];

	if (copy_to_user_nofault((void __user *)(unsigned long)address, text, strlen(text) + 1))
		stp_error(c, "user write fault [man error::fault] at 0x%llx", address);
}

/* ------------------------------------------------------------------ start and stop */

static void free_tables(void)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		plat_free(calls.enter[i]);
		plat_free(calls.leave[i]);
		calls.enter[i] = calls.leave[i] = NULL;
	}
	plat_free(calls.watches);
	plat_free(calls.rows);
	stp_calls_free(calls.saved);
	stp_calls_free(calls.executions);
	calls.watches = NULL;
	calls.rows = NULL;
	calls.saved = NULL;
	calls.watched = calls.capacity = 0;
	calls.executions = NULL;
}

/* Appends to the list of a number, unless it already contains the same script probe. */
static void watch(struct syscall_watch **at, const struct stp_syscall_probe *p, bool saves)
{
	struct syscall_watch *w, *first = *at;

	for (; *at; at = &(*at)->next) {
		if (*at == &split_watch || (p->number < 0 && (*at)->probe == p->probe && (*at)->saves == saves))
			return;
		(*at)->fast = false;
	}
	if (WARN_ON_ONCE(calls.watched == calls.capacity))
		return;
	w = &calls.watches[calls.watched++];
	w->p = p;
	w->probe = p->probe;
	w->call = p->call;
	w->saves = saves;
	w->fast = !first && !saves && !p->arguments && !p->entry && stp_probe_is_simple(p->probe);
	*at = w;
}

static bool can_return(u32 number, bool compat)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(no_return[0]); i++)
		if (number == no_return[compat][i])
			return false;
	return true;
}

static void watch_number(const struct stp_syscall_probe *p, u32 number, bool compat)
{
	struct syscall_watch **enter = calls.enter[compat], **leave = calls.leave[compat];

	if (saves(p) && can_return(number, compat))
		watch(&enter[number], p, true);
	watch(p->is_return ? &leave[number] : &enter[number], p, false);
#ifdef CONFIG_X86_64
	if (compat && number >= SOCKETCALL_FIRST && number < NUMBERS) {
		u32 split = number < IPC_FIRST ? SOCKETCALL : IPC;

		enter[split] = leave[split] = &split_watch;
	}
#endif
}

static void watch_all(const struct stp_syscall_probe *p)
{
	u32 i;

	for (i = NUMBERS + 1; i-- > 0; ) {
		watch_number(p, i, false);
		watch_number(p, i, true);
	}
}

/* Returns the size of the largest row; with saved_only, of the largest row that is saved from the entry to the
 * return. */
static u32 largest_row(const struct stp_syscall_probe *p, u32 n, bool saved_only)
{
	u32 i, size = 0;

	for (i = 0; i < n; i++)
		if (saves(&p[i]) || !saved_only)
			size = max(size, row_size(&p[i]));
	return ALIGN(size, 8);
}

static u32 calls_in_progress(u32 row)
{
	return row > STP_SYSCALL_ENTRIES * sizeof(s64) ? min(TEXTS_MAX, TEXTS_BYTES / (int)row + 64) : CALLS_MAX;
}

static bool probes_executions(const struct stp_syscall_probe *p, u32 n)
{
#ifdef CONFIG_X86_64
	u32 i;

	for (i = 0; i < n; i++)
		if (p[i].is_return && (p[i].number < 0 || p[i].number == execve_number[p[i].is_compat] ||
				       p[i].number == execveat_number[p[i].is_compat]))
			return true;
#endif
	return false;
}

/* Returns the bytes of the table of values that are saved from the entry to the return, which has *rows rows of
 * *size bytes. */
static u64 saved_table(const struct stp_syscall_probe *p, u32 n, u32 *rows, u32 *size)
{
	*size = largest_row(p, n, true);
	*rows = *size ? calls_in_progress(*size) : 0;
	return *rows ? stp_calls_bytes(*rows, *size) : 0;
}

static u32 count_watches(const struct stp_syscall_probe *p, u32 n)
{
	u32 i, count = 0;

	for (i = 0; i < n; i++)
		count += 2 * (p[i].number < 0 ? 2 * (NUMBERS + 1) : 1);
	return count;
}

static void syscall_expand(void *table, const void *runs, u32 nruns)
{
	const struct stp_syscall_run *run = runs, *end = run + nruns;
	struct stp_syscall_probe *p = table;
	u32 i;

	for (; run < end; run++) {
		for (i = 0; i < run->n; i++, p++) {
			const struct stp_syscall_number *n = &run->numbers[i];

			*p = run->row;
			p->probe += n->probe;
			p->call = n->call ? run->calls[n->call - 1] : NULL;
			p->number = n->number;
			p->is_compat = n->is_compat;
		}
	}
}

static u64 syscall_memory(const void *table, u32 n)
{
	u64 executions = probes_executions(table, n) ? stp_calls_bytes(EXECUTIONS, 0) : 0;
	u32 rows, size;

	return (u64)nr_cpu_ids * largest_row(table, n, false) + saved_table(table, n, &rows, &size) + executions;
}

static u64 syscall_tables(const void *table, u32 n)
{
	return count_watches(table, n) * (u64)sizeof(*calls.watches);
}

static int make_tables(const struct stp_syscall_probe *p, u32 n)
{
	u32 i, rows, size;
	bool made = true;

	calls.capacity = count_watches(p, n);
	calls.watches = plat_alloc(calls.capacity * sizeof(*calls.watches), -1);
	for (i = 0; i < 2; i++) {
		calls.enter[i] = plat_alloc((NUMBERS + 1) * sizeof(*calls.enter[i]), -1);
		calls.leave[i] = plat_alloc((NUMBERS + 1) * sizeof(*calls.leave[i]), -1);
		made &= calls.enter[i] && calls.leave[i];
	}
	calls.row_size = largest_row(p, n, false);
	if (calls.row_size)
		calls.rows = plat_alloc((u64)nr_cpu_ids * calls.row_size, -1);
	if (saved_table(p, n, &rows, &size))
		calls.saved = stp_calls_make(rows, size, true);
	made &= (calls.rows || !calls.row_size) && (calls.saved || !rows);
	if (probes_executions(p, n)) {
		calls.executions = stp_calls_make(EXECUTIONS, 0, true);
		made &= calls.executions != NULL;
	}
	return made && calls.watches ? 0 : -ENOMEM;
}

/* Inserts probes of a single number first: watch_all() adds those of all numbers. */
static void fill_tables(const struct stp_syscall_probe *p, u32 n, bool *entering, bool *leaving)
{
	u32 i;

	for (i = 0; i < n; i++) {
		*leaving |= p[i].is_return;
		*entering |= !p[i].is_return || saves(&p[i]);
		if (p[i].number >= 0 && p[i].number < NUMBERS)
			watch_number(&p[i], p[i].number, p[i].is_compat);
	}
	for (i = 0; i < n; i++)
		if (p[i].number < 0)
			watch_all(&p[i]);
}

static void end_list(struct syscall_watch **at)
{
	for (; *at; at = &(*at)->next)
		(*at)->fast = false;
	*at = &execution_watch;
}

static void watch_executions(void)
{
#ifdef CONFIG_X86_64
	u32 i;

	for (i = 0; i < 2; i++) {
		end_list(&calls.enter[i][execve_number[i]]);
		end_list(&calls.enter[i][execveat_number[i]]);
		end_list(&calls.leave[i][execveat_number[i]]);
		end_list(&calls.leave[i][execve_number[i]]);
	}
#endif
}

static struct stp_hook call_hooks[] = { { "sys_enter", on_sys_enter }, { "sys_exit", on_sys_exit } };

static void syscall_stop(void *table, u32 n)
{
	stp_hooks_disarm(call_hooks, ARRAY_SIZE(call_hooks));
	free_tables();
}

static int syscall_start(void *table, u32 n)
{
	int err = make_tables(table, n);

	if (!err) {
		fill_tables(table, n, &call_hooks[0].wanted, &call_hooks[1].wanted);
		if (calls.executions) {
			watch_executions();
			call_hooks[0].wanted = true;
		}
		err = stp_hooks_arm(call_hooks, ARRAY_SIZE(call_hooks));
	}
	if (!err)
		return 0;
	plat_message(STP_MSG_ERROR, err == -ENOENT ? "this kernel does not have tracepoints of system calls "
		     "(CONFIG_HAVE_SYSCALL_TRACEPOINTS)" : "cannot probe system calls: no memory");
	syscall_stop(table, n);
	return err;
}

const struct stp_family_ops stp_syscall_family = {
	.memory = syscall_memory,
	.tables = syscall_tables,
	.expand = syscall_expand,
	.name = "syscall",
	.start = syscall_start,
	.stop = syscall_stop,
};

#else

static int syscall_start(void *table, u32 n)
{
	return -EOPNOTSUPP;
}

const struct stp_family_ops stp_syscall_family = {
	.memory = syscall_memory,
	.tables = syscall_tables, .expand = syscall_expand, .name = "syscall", .start = syscall_start };

void stp_syscall_set(struct stp_ctx *c, s64 at, s64 value)
{
}

void stp_syscall_set_string(struct stp_ctx *c, s64 at, const char *text)
{
}

#endif
