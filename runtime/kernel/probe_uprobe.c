/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions in programs and their libraries: the kernel inserts breakpoints into every process that maps the
 * file, and calls the handler in the context of the process. With -c or -x only the target and its descendants have
 * breakpoints: they are removed from other processes.
 *
 * Returns are probed by replacing the return address. @entry() is evaluated at the entry, and its value is saved in
 * a table (pending_calls.h) until the return of the same call, identified by the task and the stack pointer. For
 * backtraces the entry also saves the return address, before the kernel replaces it.
 */
#include "kernel.h"
#include <linux/completion.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/timekeeping.h>
#include <linux/uprobes.h>
#include <linux/workqueue.h>
#include "pending_calls.h"

#define UPROBE_WARNINGS 10             /* up to this number, addresses that cannot be probed are reported one by
				        * one */
#define CALLS_DEFAULT   2048           /* maximum number of calls in progress, for a return probe with @entry() */
#define UPROBE_ENTRY_MAX 4096          /* maximum number of bytes that a return probe saves per call */

struct uprobe_hit {
	struct uprobe_consumer uc;
	const struct stp_uprobe *u;
	struct inode *inode;
	compat_uprobe handle;
	struct stp_calls *calls;       /* NULL: nothing is saved */
	bool armed;
};

/* Functions, markers and PLT entries have separate tables, which are started one after the other and share this. */
static struct {
	u32 users;                     /* number of tables that have been started */
	u32 failed;
	char *rows;                    /* values of @entry() for the hit of each CPU, row_size bytes each */
	u32 row_size;
	u64 armed_at;                  /* time of arming, ktime_get_ns() */
} uprobes;

/* ------------------------------------------------------------------ which processes are probed */

static __always_inline bool wanted_process(const struct stp_uprobe *u, pid_t tgid, struct mm_struct *mm)
{
	return stp_tree_has(tgid) && (!u->pid || u->pid == tgid) && (!u->within || stp_program_runs(u->within, mm));
}

static bool filters_processes(const struct stp_uprobe *u)
{
	return stp_session.target || u->pid || u->within;
}

/* Returns true if the process gets breakpoints. Several processes may share the memory temporarily (vfork). */
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

/* ------------------------------------------------------------------ calls in progress */

/* Returns the stack pointer that a function had at its entry, after it has returned. */
static u64 entry_sp(struct pt_regs *regs)
{
	return user_stack_pointer(regs) - (compat_is_32bit_code(regs) ? 4 : COMPAT_RETURN_POPS);
}

/* Returns true if this call's return will be missed. The kernel replaces only a limited number of return addresses
 * per thread, for all return probes together: prepare_uretprobe(), 5.10 to 7.2, which runs after this. */
static bool return_is_lost(void)
{
	const struct uprobe_task *t = current->utask;

	return t && t->depth >= MAX_URETPROBE_DEPTH;
}

static bool user_return_address(struct stp_ctx *c, struct pt_regs *regs, u64 *address)
{
	if (!COMPAT_RETURN_POPS)
		*address = compat_user_code(compat_link_register(regs));
	else if (compat_is_32bit_code(regs))
		*address = stp_uload4(c, user_stack_pointer(regs));
	else
		*address = stp_uload8(c, user_stack_pointer(regs));
	return !c->error || !stp_catch(c, NULL, 0);
}

/* In a function reached by a tail call the address may already be replaced; then the replaced address is saved. */
static void save_return(struct stp_ctx *c, struct pt_regs *regs)
{
	u64 sp = user_stack_pointer(regs), address, before;

	if (!user_return_address(c, regs, &address))
		return;
	if (address & ~PAGE_MASK || !stp_calls_get(stp_returns, sp, &before, sizeof(before)))
		stp_calls_put(stp_returns, sp, &address, sizeof(address));
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
		return UPROBE_HANDLER_REMOVE;  /* not a hit: another process */
	if (!stp_hit_begin(&c, &flags))
		return 0;
	c->regs = regs;
	c->address = instruction_pointer(regs);
	c->bias = c->address - h->u->address;
	stp_handler_run(c, h->u->probe);
	stp_hit_end(c, flags);
	return 0;
}

/* Context: an entered hit, which is the only one on its CPU. */
static s64 *row_of_hit(void)
{
	return (s64 *)(uprobes.rows + (u64)smp_processor_id() * uprobes.row_size);
}

/* Values are computed before the table's lock is taken, since that may take long. */
static void save_entry(struct stp_ctx *c, const struct uprobe_hit *h, struct pt_regs *regs)
{
	s64 *data = row_of_hit();

	c->regs = regs;
	c->address = instruction_pointer(regs);
	c->bias = c->address - h->u->address;
	c->entry = data;
	if (likely(stp_entry_run(c, h->u->probe, h->u->entry)))
		stp_calls_put(h->calls, user_stack_pointer(regs), data, h->u->entry_size);
	else
		stp_calls_skip(h->calls, user_stack_pointer(regs));
}

COMPAT_UPROBE_ENTRY(uprobe_return_entry)
{
	const struct uprobe_hit *h = container_of(uc, struct uprobe_hit, uc);
	bool lost = unlikely(return_is_lost());
	unsigned long flags;
	struct stp_ctx *c;

	if (unlikely(h->uc.filter) && other_process(h))
		return UPROBE_HANDLER_REMOVE;  /* not a hit: another process */
	if (lost && stp_session_running())
		stp_lose(STP_LOSS_DEPTH, 1);
	if (lost || (!h->calls && !stp_returns))
		return 0;          /* not a hit: the return is one, and lost returns are counted above */
	if (!stp_hit_begin(&c, &flags)) {
		if (h->calls)
			stp_calls_skip(h->calls, user_stack_pointer(regs));
		return 0;          /* not a hit: stp_hit_begin() has counted it */
	}
	if (unlikely(stp_returns))
		save_return(c, regs);
	if (h->calls)
		save_entry(c, h, regs);
	stp_hit_end(c, flags);
	return 0;
}

/* Returns the reason for which a return has no values of its call's entry. The child of a fork() during the call
 * returns from it, too, and has no row. A call that began before the script does not count as lost. */
static enum stp_loss reason_without_row(enum stp_call found)
{
	bool forked = current->start_time > uprobes.armed_at;

	return found == STP_CALL_LOST || forked ? STP_LOSS_ENTRIES : STP_LOSS_OUTSIDE;
}

COMPAT_UPROBE_RETURN(uprobe_return)
{
	const struct uprobe_hit *h = container_of(uc, struct uprobe_hit, uc);
	enum stp_call saved = STP_CALL_FOUND;
	unsigned long flags;
	struct stp_ctx *c;
	u64 before;

	if ((unlikely(h->uc.filter) && other_process(h)) || !stp_hit_begin(&c, &flags))
		return 0;
	if (unlikely(stp_returns))
		stp_calls_take(stp_returns, entry_sp(regs), &before, sizeof(before));
	if (h->calls)
		saved = stp_calls_take(h->calls, entry_sp(regs), row_of_hit(), h->u->entry_size);
	if (saved == STP_CALL_NONE || saved == STP_CALL_LOST)
		stp_lose(reason_without_row(saved), 1);
	if (saved == STP_CALL_FOUND) {
		c->regs = regs;
		c->address = func;
		c->bias = func - h->u->address;
		c->saved_return = compat_is_32bit_code(regs) ? (s64)(s32)regs_return_value(regs) : regs_return_value(regs);
		c->entry = row_of_hit();
		stp_handler_run(c, h->u->probe);
	}
	stp_hit_end(c, flags);
	return 0;
}

/* ------------------------------------------------------------------ arming */

static void uprobe_failed(const struct stp_uprobe *u, int err)
{
	const char *why = err == -EOPNOTSUPP || err == -ENOTSUPP || err == -EINVAL ?
			  "the kernel does not allow a probe there" : stp_program_reason(err);
	char text[400], number[24];

	if (u->optional || uprobes.failed++ >= UPROBE_WARNINGS)
		return;
	snprintf(number, sizeof(number), "error %d", err);
	snprintf(text, sizeof(text), "cannot probe %s%s in %s: %s", u->name, u->is_return ? " (return)" : "",
		 u->program->path, why ?: number);
	plat_message(STP_MSG_WARNING, text);
}

static u32 calls_of(const struct stp_uprobe *u)
{
	return u->maxactive > 0 ? u->maxactive : CALLS_DEFAULT;
}

static u32 largest_row(const struct stp_uprobe *u, u32 n)
{
	const struct stp_uprobe *end = u + n;
	u32 size = 0;

	for (; u < end; u++)
		if (u->entry && u->entry_size <= UPROBE_ENTRY_MAX)
			size = max_t(u32, size, u->entry_size);
	return size;
}

static u32 largest_row_of_all(void)
{
	const struct stp_family *f = stp_module.families, *end = f + stp_module.nfamilies;
	u32 size = 0;

	for (; f < end; f++)
		if (f->ops == &stp_uprobe_family)
			size = max(size, largest_row(f->table, f->n));
	return size;
}

static u64 uprobe_memory(const void *table, u32 n)
{
	const struct stp_uprobe *u = table, *end = u + n;
	u64 bytes = (u64)nr_cpu_ids * largest_row(u, n);

	for (; u < end; u++)
		if (u->entry)
			bytes += stp_calls_bytes(calls_of(u), u->entry_size);
	return bytes;
}

static int open_programs(struct stp_uprobe *u, struct uprobe_hit *h)
{
	int err;

	h->inode = stp_program_open(u->program, &err);
	if (!h->inode)
		return err;
	if (!u->within || stp_program_open(u->within, &err))
		return 0;
	stp_program_close(u->program);
	return err;
}

static void close_programs(struct stp_uprobe *u)
{
	stp_program_close(u->program);
	if (u->within)
		stp_program_close(u->within);
}

static int prepare_uprobe(struct stp_uprobe *u, struct uprobe_hit *h)
{
	h->u = u;
	if (u->entry_size > UPROBE_ENTRY_MAX)
		return -E2BIG;
	if (u->entry) {
		h->calls = stp_calls_make(calls_of(u), u->entry_size, false);
		if (!h->calls)
			return -ENOMEM;
	}
	if (u->is_return) {
		h->uc.ret_handler = uprobe_return;
		h->uc.handler = uprobe_return_entry;
	} else {
		h->uc.handler = uprobe_entry;
	}
	if (filters_processes(u))
		h->uc.filter = uprobe_filter;
	return open_programs(u, h);
}

static void free_hit(struct uprobe_hit *h)
{
	stp_calls_free(h->calls);
	plat_free(h);
}

static void add_uprobe(struct stp_uprobe *u)
{
	struct uprobe_hit *h = plat_alloc(sizeof(*h), -1);
	int err = h ? prepare_uprobe(u, h) : -ENOMEM;

	if (!err) {
		u->state = h;
		return;
	}
	if (h)
		free_hit(h);
	uprobe_failed(u, err);
}

static void remove_uprobe(struct stp_uprobe *u)
{
	close_programs(u);
	free_hit(u->state);
	u->state = NULL;
}

/*
 * Breakpoints are inserted and removed by a kernel thread: __get_user_pages() rejects tasks that have been killed
 * (5.10 to 7.2). If the relay were killed, uprobe_unregister(), which cannot report an error, would leave the
 * breakpoints in all processes, and the semaphores of markers incremented.
 */
static struct {
	struct workqueue_struct *queue;
	struct work_struct work;
	struct completion done;
	struct stp_uprobe *at;
	u32 n;
	bool arm, abandoned;           /* abandoned: the process that starts the session was killed */
} worker;

static void arm_uprobe(struct stp_uprobe *u)
{
	struct uprobe_hit *h = u->state;
	int err = compat_uprobe_register(&h->handle, h->inode, u->offset, u->semaphore, &h->uc);

	h->armed = !err;
	if (err)
		uprobe_failed(u, err);
}

static void disarm_uprobe(struct stp_uprobe *u)
{
	struct uprobe_hit *h = u->state;

	if (h->armed)
		compat_uprobe_unregister(h->handle, h->inode, u->offset, &h->uc);
	h->armed = false;
}

static void work(struct work_struct *unused)
{
	struct stp_uprobe *u = worker.at, *end = u + worker.n;

	for (; u < end && !READ_ONCE(worker.abandoned); u++) {
		if (u->state && worker.arm)
			arm_uprobe(u);
		else if (u->state)
			disarm_uprobe(u);
		cond_resched();
	}
	complete(&worker.done);
}

/* Bounded wait: breakpoints (kernel/README.md, "Why waits end"). */
static int run_worker(struct stp_uprobe *at, u32 n, bool arm)
{
	worker.at = at;
	worker.n = n;
	worker.arm = arm;
	worker.abandoned = false;
	reinit_completion(&worker.done);
	queue_work(worker.queue, &worker.work);
	if (!arm || !wait_for_completion_killable(&worker.done)) {
		if (!arm)
			wait_for_completion(&worker.done);
		return 0;
	}
	WRITE_ONCE(worker.abandoned, true);
	wait_for_completion(&worker.done);         /* bounded: by the insertion of one breakpoint */
	return -EINTR;
}

static int make_worker(void)
{
	worker.queue = alloc_workqueue("%s", WQ_UNBOUND, 1, THIS_MODULE->name);
	if (!worker.queue)
		return -ENOMEM;
	INIT_WORK(&worker.work, work);
	init_completion(&worker.done);
	return 0;
}

static void leave(void)
{
	if (--uprobes.users)
		return;
	plat_free(uprobes.rows);
	uprobes.rows = NULL;
	if (worker.queue)
		destroy_workqueue(worker.queue);       /* bounded: work() has completed */
	worker.queue = NULL;
}

static int join(void)
{
	if (uprobes.users++)
		return 0;
	uprobes.row_size = largest_row_of_all();
	if (uprobes.row_size)
		uprobes.rows = plat_alloc((u64)nr_cpu_ids * uprobes.row_size, -1);
	if ((!uprobes.row_size || uprobes.rows) && !make_worker())
		return 0;
	plat_message(STP_MSG_ERROR, "cannot probe programs: no memory");
	leave();
	return -ENOMEM;
}

static void uprobe_stop(void *table, u32 n)
{
	struct stp_uprobe *u = table;
	u32 i;

	run_worker(u, n, false);
	compat_uprobe_sync();      /* bounded: handlers do not sleep or fault in pages, and have a budget */
	for (i = 0; i < n; i++)
		if (u[i].state)
			remove_uprobe(&u[i]);
	leave();
	stp_tree_stop();
}

/* Removes addresses that cannot be probed, which have been reported. */
static void drop_failed(struct stp_uprobe *u, u32 n)
{
	const struct uprobe_hit *h;

	for (; n--; u++) {
		h = u->state;
		if (h && !h->armed)
			remove_uprobe(u);
	}
}

static int uprobe_start(void *table, u32 n)
{
	struct stp_uprobe *u = table;
	char text[64];
	int err;
	u32 i;

	uprobes.failed = 0;
	err = join();
	if (err)
		return err;
	err = stp_tree_start();
	if (err) {
		plat_message(STP_MSG_ERROR, "cannot trace the child processes of the target");
		leave();
		return err;
	}
	for (i = 0; i < n; i++)
		add_uprobe(&u[i]);
	err = run_worker(u, n, true);
	if (err) {
		uprobe_stop(table, n);
		return err;
	}
	drop_failed(u, n);
	uprobes.armed_at = ktime_get_ns();
	if (uprobes.failed > UPROBE_WARNINGS) {
		snprintf(text, sizeof(text), "cannot probe %u more addresses in programs",
			 uprobes.failed - UPROBE_WARNINGS);
		plat_message(STP_MSG_WARNING, text);
	}
	return 0;
}

const struct stp_family_ops stp_uprobe_family = {
	.name = "uprobe",
	.memory = uprobe_memory,
	.start = uprobe_start,
	.stop = uprobe_stop,
};
