/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of processes: the begin and end of processes and threads, and their system calls; from the kernel's
 * tracepoints, in the context of the process itself.
 *
 * A new process or thread is first seen when it returns from the system call that created it; one that existed
 * before the script, when it next returns from any system call. When a process ends, it has no memory any more,
 * so its program is unknown then: each program that the script names has a bit for every process that runs it,
 * which fork copies and exec sets again.
 *
 * A process ends with its first thread, unless other threads continue: then that is only the end of a thread, and
 * the process ends with the last of them. If another thread executes a program, it becomes the first one, and the
 * others have ended.
 */
#include "kernel.h"
#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/threads.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#define PROCESS_BITS (BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long))

enum hook { HOOK_FORK, HOOK_EXEC, HOOK_EXIT, HOOK_ENTER, HOOK_LEAVE, HOOKS };

static struct {
	struct stp_process *at;
	u32 n;
	bool wanted[STP_PROCESS_KINDS];
	unsigned long *pending;        /* processes that existed before the script: their begin event is pending */
	unsigned long *leaderless;       /* processes whose first thread has ended, while other threads run */
	/* One event of each program; all events of a program share its bits. An event updates the bits of a
	 * program once. */
	struct stp_process **programs;
	u32 nprograms;
} processes;

/* ------------------------------------------------------------------ which processes are traced */

static unsigned long *members(const struct stp_process *e)
{
	return e->state;
}

static bool is_of(const struct stp_process *e, pid_t tgid)
{
	return stp_tree_has(tgid) && (!e->pid || e->pid == tgid) && (!e->program || (e->state && test_bit(tgid, members(e))));
}

/* ------------------------------------------------------------------ hits */

static void fire(const struct stp_process *e, struct pt_regs *regs, long result)
{
	unsigned long flags, arguments[6];
	struct stp_ctx *c;
	u32 i;

	if (!stp_hit_begin(&c, &flags))
		return;
	c->regs = regs;
	c->address = 0;
	if (e->kind == STP_PROCESS_SYSCALL || e->kind == STP_PROCESS_SYSCALL_RETURN) {
		syscall_get_arguments(current, regs, arguments);
		for (i = 0; i < 6; i++)
			c->arguments[i] = arguments[i];
		c->arguments[STP_SYSCALL_NUMBER] = syscall_get_nr(current, regs);
		c->arguments[STP_SYSCALL_RESULT] = result;
	}
	stp_handler_run(c, e->probe);
	stp_hit_end(c, flags);
}

static void fire_all(u32 kind, struct pt_regs *regs, long result, bool only_programs)
{
	u32 i;

	for (i = 0; i < processes.n; i++) {
		const struct stp_process *e = &processes.at[i];

		if (e->kind == kind && (!only_programs || e->program) && is_of(e, current->tgid))
			fire(e, regs, result);
	}
}

/*
 * The current process begins, on a CPU that it does not leave meanwhile. Before the hits of this CPU count, it only
 * becomes one that existed before the script, so that its begin event follows with a later system call. Two
 * threads may get here at once.
 */
static void begins(bool is_new, bool only_programs, struct pt_regs *regs)
{
	if (stp_hit_outside())
		set_bit(current->tgid, processes.pending);
	else if (test_and_clear_bit(current->tgid, processes.pending) || is_new)
		fire_all(STP_PROCESS_BEGIN, regs, 0, only_programs);
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	u32 i;

	if (!thread_group_leader(child))
		return;
	clear_bit(child->tgid, processes.pending);
	clear_bit(child->tgid, processes.leaderless);
	for (i = 0; i < processes.nprograms; i++)
		stp_inherit_bit(members(processes.programs[i]), parent->tgid, child->tgid);
}

/* A process that executes another program begins as a process of that program. The process of -c existed before
 * the session. */
static void on_exec(void *data, struct task_struct *task, pid_t old_pid, void *bprm)
{
	u32 i;

	for (i = 0; i < processes.nprograms; i++) {
		const struct stp_process *e = processes.programs[i];

		if (stp_program_runs(e->program, task->mm))
			set_bit(task->tgid, members(e));
		else
			clear_bit(task->tgid, members(e));
	}
	clear_bit(task->tgid, processes.leaderless);
	begins(true, task->tgid != stp_session.target, task_pt_regs(task));
}

/* Returns true, once, if this thread's exit ends the process. If threads exit at the same time, the first thread
 * sets its bit before it looks for others, and the last of the others is removed before it looks for the bit. A
 * thread that executes a program ends the others and does not count as one of them. */
static bool ends_process(struct task_struct *task)
{
	const struct signal_struct *signal = task->signal;
	bool first = thread_group_leader(task);

	if (first) {
		set_bit(task->tgid, processes.leaderless);
		smp_mb__after_atomic();
	}
	if (atomic_read(&signal->live) && !(first && (READ_ONCE(signal->flags) & SIGNAL_GROUP_EXIT)))
		return false;
	return test_and_clear_bit(task->tgid, processes.leaderless);
}

/*
 * Threads that only run kernel code have no begin event, and so no end event: those of the kernel, and those of
 * io_uring and vhost, which are threads of a process that may end together with them. copy_thread() gives them no
 * user address (5.12 to 7.2); flags do not identify them, since PF_IO_WORKER is cleared before they exit.
 */
static void on_exit(void *data, struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);
	bool ends = ends_process(task), of_program = instruction_pointer(regs) || user_stack_pointer(regs);

	if (task->flags & PF_KTHREAD || (!ends && !of_program))
		return;            /* not a hit: not a thread of a program */
	fire_all(ends ? STP_PROCESS_END : STP_THREAD_END, regs, 0, false);
}

static void on_enter(void *data, struct pt_regs *regs, long number)
{
	fire_all(STP_PROCESS_SYSCALL, regs, 0, false);
}

/* Returns true for fork(), vfork(), clone() and clone3(). */
static bool makes_tasks(long number)
{
	if (compat_is_32bit_call())    /* numbers of i386 and arm */
		return number == 2 || number == 190 || number == 120 || number == 435;
#ifdef __NR_fork
	if (number == __NR_fork || number == __NR_vfork)
		return true;
#endif
	return number == __NR_clone || number == __NR_clone3;
}

static void on_leave(void *data, struct pt_regs *regs, long result)
{
	bool is_new = !result && makes_tasks(syscall_get_nr(current, regs));

	if (unlikely(is_new && !thread_group_leader(current)))
		fire_all(STP_THREAD_BEGIN, regs, 0, false);
	else if (unlikely(is_new || test_bit(current->tgid, processes.pending)))
		begins(is_new, false, regs);
	if (processes.wanted[STP_PROCESS_SYSCALL_RETURN])
		fire_all(STP_PROCESS_SYSCALL_RETURN, regs, result, false);
}

/* ------------------------------------------------------------------ arming */

static struct stp_hook hooks[HOOKS] = {
	[HOOK_FORK] = { "sched_process_fork", on_fork },
	[HOOK_EXEC] = { "sched_process_exec", on_exec },
	[HOOK_EXIT] = { "sched_process_exit", on_exit },
	[HOOK_ENTER] = { "sys_enter", on_enter },
	[HOOK_LEAVE] = { "sys_exit", on_leave },
};

static bool is_wanted(u32 hook)
{
	const bool *wanted = processes.wanted;

	switch (hook) {
	case HOOK_EXIT:  return wanted[STP_PROCESS_END] || wanted[STP_THREAD_END];
	case HOOK_ENTER: return wanted[STP_PROCESS_SYSCALL];
	case HOOK_LEAVE:
		return wanted[STP_PROCESS_BEGIN] || wanted[STP_THREAD_BEGIN] || wanted[STP_PROCESS_SYSCALL_RETURN];
	}
	return true;
}

static int arm_hooks(void)
{
	u32 i;

	for (i = 0; i < HOOKS; i++)
		hooks[i].wanted = is_wanted(i);
	return stp_hooks_arm(hooks, HOOKS);
}

static bool is_leaderless(const struct task_struct *first)
{
	return READ_ONCE(first->exit_state) == EXIT_ZOMBIE && atomic_read(&first->signal->live) &&
	       !(READ_ONCE(first->signal->flags) & SIGNAL_GROUP_EXIT);
}

/* The process that starts the session, and its child for -c, do not run a program of the user. */
static void note_existing(void)
{
	struct task_struct *task;
	struct file *ours;
	u32 i;

	rcu_read_lock();
	ours = rcu_dereference(current->mm->exe_file);
	for_each_process(task) {
		task_lock(task);
		for (i = 0; i < processes.nprograms; i++)
			if (stp_program_runs(processes.programs[i]->program, task->mm))
				set_bit(task->tgid, members(processes.programs[i]));
		if (task->mm && rcu_dereference(task->mm->exe_file) != ours)
			set_bit(task->tgid, processes.pending);
		if (is_leaderless(task))
			set_bit(task->tgid, processes.leaderless);
		task_unlock(task);
	}
	rcu_read_unlock();
}

static void process_failed(const struct stp_process *e, int err)
{
	const char *why = stp_program_reason(err);
	char text[400];

	if (e->optional)
		return;
	snprintf(text, sizeof(text), "cannot trace the processes that run %s: %s", e->program->path,
		 why ?: "the file cannot be opened");
	plat_message(STP_MSG_WARNING, text);
}

/* Returns the number of the first event of the same program. */
static u32 first_of_program(const struct stp_process *events, u32 i)
{
	u32 k;

	for (k = 0; k < i && events[k].program != events[i].program; k++)
		;
	return k;
}

/* Returns the size of the tables: one bit for each process ID and program. */
static u64 process_tables(const void *table, u32 n)
{
	const struct stp_process *events = table;
	u64 bytes = 2 * PROCESS_BITS;
	u32 i;

	for (i = 0; i < n; i++)
		if (events[i].program && first_of_program(events, i) == i)
			bytes += PROCESS_BITS;
	return bytes;
}

/* An event of a program that does not exist never happens. */
static int open_program(struct stp_process *e)
{
	int err;

	e->state = plat_alloc(PROCESS_BITS, -1);
	if (!e->state)
		return -ENOMEM;
	if (stp_program_open(e->program, &err)) {
		processes.programs[processes.nprograms++] = e;
		return 0;
	}
	process_failed(e, err);
	plat_free(e->state);
	e->state = NULL;
	return 0;
}

static int open_programs(void)
{
	int err = 0;
	u32 i, k;

	processes.programs = plat_alloc(processes.n * sizeof(*processes.programs), -1);
	if (!processes.programs)
		return -ENOMEM;
	for (i = 0; i < processes.n && !err; i++) {
		struct stp_process *e = &processes.at[i];

		processes.wanted[e->kind] = true;
		if (!e->program)
			continue;
		k = first_of_program(processes.at, i);
		if (k < i)
			e->state = processes.at[k].state;
		else
			err = open_program(e);
	}
	return err;
}

static void close_programs(void)
{
	u32 i;

	for (i = 0; i < processes.nprograms; i++) {
		plat_free(processes.programs[i]->state);
		stp_program_close(processes.programs[i]->program);
	}
	for (i = 0; i < processes.n; i++)
		processes.at[i].state = NULL;
	plat_free(processes.programs);
	processes.programs = NULL;
	processes.nprograms = 0;
}

static void process_stop(void *table, u32 n)
{
	stp_hooks_disarm(hooks, HOOKS);
	close_programs();
	plat_free(processes.pending);
	plat_free(processes.leaderless);
	processes.pending = processes.leaderless = NULL;
	stp_tree_stop();
}

static int process_start(void *table, u32 n)
{
	int err;

	err = stp_tree_start();
	if (err) {
		plat_message(STP_MSG_ERROR, "cannot trace the child processes of the target");
		return err;
	}
	processes.at = table;
	processes.n = n;
	processes.pending = plat_alloc(PROCESS_BITS, -1);
	processes.leaderless = plat_alloc(PROCESS_BITS, -1);
	err = processes.pending && processes.leaderless ? open_programs() : -ENOMEM;
	if (!err)
		err = arm_hooks();
	if (!err) {
		note_existing();
		return 0;
	}
	process_stop(table, n);
	plat_message(STP_MSG_ERROR, err == -ENOMEM ? "cannot trace processes: no memory" :
		     "cannot trace processes: a tracepoint of processes is not available");
	return err;
}

const struct stp_family_ops stp_process_family = {
	.name = "process",
	.tables = process_tables,
	.start = process_start,
	.stop = process_stop,
};
