/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in programs and their libraries: the kernel puts breakpoints into every process that maps
 * the file there, and calls in the context of the process. With -c or -x only the target and what it
 * starts have them: others have them taken out again.
 *
 * A return is caught by way of the return address. What @entry() wants is evaluated at the entry and
 * kept in a table until the return of the same call: the task's, with the same stack pointer. Calls
 * that never return (exit, longjmp) leave their row behind; rows are reused, the oldest first.
 */
#include "kernel.h"
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/uprobes.h>

#define UPROBE_WARNINGS 10             /* places that can't be probed: said one by one */
#define CALLS_DEFAULT   2048           /* under way at once, of a return probe with @entry() */
#define CALLS_WAYS      8              /* rows that a call may be in */
#define UPROBE_ENTRY_MAX 256           /* bytes that a return probe keeps a call, for they are on the stack */

struct call {
	struct task_struct *task;      /* NULL: free. Only compared */
	u64 sp;                        /* at the function's entry */
	u64 age;
	s64 data[];
};

struct calls {
	raw_spinlock_t lock;
	u64 age;
	u32 bits, size;                /* 1 << bits sets of CALLS_WAYS rows of size bytes */
	char rows[];
};

struct uprobe_hit {
	struct uprobe_consumer uc;
	const struct stp_uprobe *u;
	struct inode *inode;
	compat_uprobe handle;
	struct calls *calls;           /* NULL: nothing is kept */
};

static struct {
	u32 failed;
} uprobes;

/* ------------------------------------------------------------------ which processes */

static noinline bool runs_program(const struct stp_program *p, struct mm_struct *mm)
{
	bool yes;

	rcu_read_lock();
	yes = mm && stp_program_is(p, rcu_dereference(mm->exe_file));
	rcu_read_unlock();
	return yes;
}

static __always_inline bool wanted_process(const struct stp_uprobe *u, pid_t tgid, struct mm_struct *mm)
{
	return stp_tree_has(tgid) && (!u->pid || u->pid == tgid) && (!u->within || runs_program(u->within, mm));
}

static bool is_choosy(const struct stp_uprobe *u)
{
	return stp_session.target || u->pid || u->within;
}

/* Whether the memory gets breakpoints. Several processes may share it for a moment (vfork). */
COMPAT_UPROBE_FILTER(uprobe_filter)
{
#ifdef CONFIG_MEMCG
	const struct uprobe_hit *h = container_of(uc, struct uprobe_hit, uc);
	struct task_struct *owner;
	bool wanted;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	wanted = !owner || wanted_process(h->u, owner->tgid, mm);
	rcu_read_unlock();
	return wanted;
#else
	return true;
#endif
}

/* ------------------------------------------------------------------ calls under way */

static struct call *row_of(struct calls *t, struct task_struct *task, u64 sp, u32 way)
{
	u32 set = hash_64((u64)(unsigned long)task ^ sp, t->bits);

	return (struct call *)(t->rows + (set * CALLS_WAYS + way) * (size_t)t->size);
}

/* The row for a call that begins: a free one, or the oldest. Interrupts are off, t->lock held. */
static struct call *call_begin(struct calls *t, struct task_struct *task, u64 sp)
{
	struct call *best = NULL;
	u32 i;

	for (i = 0; i < CALLS_WAYS; i++) {
		struct call *r = row_of(t, task, sp, i);

		if (!r->task || (r->task == task && r->sp == sp)) {
			best = r;
			break;
		}
		if (!best || r->age < best->age)
			best = r;
	}
	best->task = task;
	best->sp = sp;
	best->age = ++t->age;
	return best;
}

static struct call *call_end(struct calls *t, struct task_struct *task, u64 sp)
{
	u32 i;

	for (i = 0; i < CALLS_WAYS; i++) {
		struct call *r = row_of(t, task, sp, i);

		if (r->task == task && r->sp == sp)
			return r;
	}
	return NULL;
}

static struct calls *make_calls(const struct stp_uprobe *u)
{
	u32 n = roundup_pow_of_two(max(u->maxactive ?: CALLS_DEFAULT, CALLS_WAYS) / CALLS_WAYS);
	u32 size = sizeof(struct call) + ALIGN(u->entry_size, 8);
	struct calls *t = plat_alloc(sizeof(*t) + (u64)n * CALLS_WAYS * size, -1);

	if (t) {
		raw_spin_lock_init(&t->lock);
		t->bits = ilog2(n);
		t->size = size;
	}
	return t;
}

/* ------------------------------------------------------------------ hits */

static noinline bool other_process(const struct uprobe_hit *h)
{
	return !wanted_process(h->u, current->tgid, current->mm);
}

COMPAT_UPROBE_ENTRY(uprobe_entry)
{
	const struct uprobe_hit *h = container_of(uc, struct uprobe_hit, uc);
	unsigned long flags;
	struct stp_ctx *c;

	if (unlikely(h->uc.filter) && other_process(h))
		return UPROBE_HANDLER_REMOVE;
	if (!stp_hit_begin(&c, &flags))
		return 0;
	c->regs = regs;
	c->address = instruction_pointer(regs);
	c->bias = c->address - h->u->address;
	stp_handler_run(c, h->u->probe);
	stp_hit_end(c, flags);
	return 0;
}

/* Rows are copied in and out under the lock, for evaluating them may last. */
static void keep_call(const struct uprobe_hit *h, struct pt_regs *regs, const s64 *data)
{
	raw_spin_lock(&h->calls->lock);
	memcpy(call_begin(h->calls, current, user_stack_pointer(regs))->data, data, h->u->entry_size);
	raw_spin_unlock(&h->calls->lock);
}

static bool take_call(const struct uprobe_hit *h, struct pt_regs *regs, s64 *data)
{
	struct call *row;

	raw_spin_lock(&h->calls->lock);
	row = call_end(h->calls, current, user_stack_pointer(regs) - (compat_narrow_code(regs) ? 4 : COMPAT_RETURN_POPS));
	if (row) {
		memcpy(data, row->data, h->u->entry_size);
		row->task = NULL;
	}
	raw_spin_unlock(&h->calls->lock);
	return row;
}

COMPAT_UPROBE_ENTRY(uprobe_return_entry)
{
	const struct uprobe_hit *h = container_of(uc, struct uprobe_hit, uc);
	s64 data[UPROBE_ENTRY_MAX / 8];
	unsigned long flags;
	struct stp_ctx *c;

	if (unlikely(h->uc.filter) && other_process(h))
		return UPROBE_HANDLER_REMOVE;
	if (!h->calls || !stp_hit_begin(&c, &flags))
		return 0;
	c->regs = regs;
	c->address = instruction_pointer(regs);
	c->bias = c->address - h->u->address;
	c->entry = data;
	if (likely(stp_entry_run(c, h->u->probe, h->u->entry)))
		keep_call(h, regs, data);
	stp_hit_end(c, flags);
	return 0;
}

COMPAT_UPROBE_RETURN(uprobe_return)
{
	const struct uprobe_hit *h = container_of(uc, struct uprobe_hit, uc);
	s64 data[UPROBE_ENTRY_MAX / 8];
	unsigned long flags;
	struct stp_ctx *c;

	if ((unlikely(h->uc.filter) && other_process(h)) || !stp_hit_begin(&c, &flags))
		return 0;
	if (h->calls && !take_call(h, regs, data)) {
		stp_lose(STP_LOSS_ENTRIES, 1);
	} else {
		c->regs = regs;
		c->address = func;
		c->bias = func - h->u->address;
		c->saved_return = compat_narrow_code(regs) ? (s64)(s32)regs_return_value(regs) : regs_return_value(regs);
		c->entry = data;
		stp_handler_run(c, h->u->probe);
	}
	stp_hit_end(c, flags);
	return 0;
}

/* ------------------------------------------------------------------ arming */

static void uprobe_failed(const struct stp_uprobe *u, int err)
{
	const char *why = err == -EOPNOTSUPP || err == -ENOTSUPP || err == -EINVAL ?
			  "the kernel doesn't allow a probe there" : stp_program_reason(err);
	char text[400], number[24];

	if (u->optional || uprobes.failed++ >= UPROBE_WARNINGS)
		return;
	snprintf(number, sizeof(number), "error %d", err);
	snprintf(text, sizeof(text), "can't probe %s%s in %s: %s", u->name, u->is_return ? " (return)" : "",
		 u->program->path, why ?: number);
	plat_message(STP_MSG_WARNING, text);
}

static int arm_uprobe(struct stp_uprobe *u, struct uprobe_hit *h)
{
	int err;

	h->u = u;
	if (u->entry_size > UPROBE_ENTRY_MAX)
		return -E2BIG;
	if (u->entry) {
		h->calls = make_calls(u);
		if (!h->calls)
			return -ENOMEM;
	}
	if (u->is_return) {
		h->uc.ret_handler = uprobe_return;
		h->uc.handler = h->calls || is_choosy(u) ? uprobe_return_entry : NULL;
	} else {
		h->uc.handler = uprobe_entry;
	}
	if (is_choosy(u))
		h->uc.filter = uprobe_filter;
	h->inode = stp_program_open(u->program, &err);
	if (!h->inode)
		return err;
	if (u->within && !stp_program_open(u->within, &err))
		goto no_within;
	err = compat_uprobe_register(&h->handle, h->inode, u->offset, u->semaphore, &h->uc);
	if (!err)
		return 0;
	if (u->within)
		stp_program_close(u->within);
no_within:
	stp_program_close(u->program);
	return err;
}

static void free_hit(struct uprobe_hit *h)
{
	plat_free(h->calls);
	plat_free(h);
}

static void add_uprobe(struct stp_uprobe *u)
{
	struct uprobe_hit *h = plat_alloc(sizeof(*h), -1);
	int err = h ? arm_uprobe(u, h) : -ENOMEM;

	if (!err) {
		u->state = h;
		return;
	}
	if (h)
		free_hit(h);
	uprobe_failed(u, err);
}

static void uprobe_stop(void *table, u32 n)
{
	struct stp_uprobe *u = table;
	u32 i;

	for (i = 0; i < n; i++) {
		struct uprobe_hit *h = u[i].state;

		if (h)
			compat_uprobe_unregister(h->handle, h->inode, u[i].offset, &h->uc);
	}
	compat_uprobe_sync();
	for (i = 0; i < n; i++) {
		if (!u[i].state)
			continue;
		stp_program_close(u[i].program);
		if (u[i].within)
			stp_program_close(u[i].within);
		free_hit(u[i].state);
		u[i].state = NULL;
	}
	stp_tree_stop();
}

static int uprobe_start(void *table, u32 n)
{
	struct stp_uprobe *u = table;
	char text[64];
	int err;
	u32 i;

	uprobes.failed = 0;
	err = stp_tree_start();
	if (err) {
		plat_message(STP_MSG_ERROR, "the processes that the target starts can't be followed");
		return err;
	}
	for (i = 0; i < n; i++)
		add_uprobe(&u[i]);
	if (uprobes.failed > UPROBE_WARNINGS) {
		snprintf(text, sizeof(text), "can't probe %u more places in programs",
			 uprobes.failed - UPROBE_WARNINGS);
		plat_message(STP_MSG_WARNING, text);
	}
	return 0;
}

const struct stp_family_ops stp_uprobe_family = {
	.name = "uprobe",
	.start = uprobe_start,
	.stop = uprobe_stop,
};
