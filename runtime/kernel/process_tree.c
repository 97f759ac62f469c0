/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of -c and -x: a bit for every process ID. Each new process copies the bit of its parent, whether
 * set or not, so that the bit of a reused ID is always valid, and a process whose parents have exited keeps its
 * bit.
 */
#include "kernel.h"
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/threads.h>

unsigned long *stp_tree_bits;

static struct {
	u32 users;
	unsigned long *bits;
} tree;

s64 stp_followed(struct stp_ctx *c, s64 pid)
{
	const unsigned long *bits = READ_ONCE(stp_tree_bits);

	if (!bits)
		return pid == stp_session.target;
	return (u64)pid < PID_MAX_LIMIT && test_bit((unsigned int)pid, bits);
}

static int follow_start(void *table, u32 n)
{
	return stp_tree_start();
}

static void follow_stop(void *table, u32 n)
{
	stp_tree_stop();
}

/* Used by --follow. Its table is empty. */
const struct stp_family_ops stp_follow_family = {
	.name = "follow",
	.start = follow_start,
	.stop = follow_stop,
};

#ifdef CONFIG_TRACEPOINTS

/* Context: the parent's. */
static void tree_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (thread_group_leader(child))
		stp_inherit_bit(tree.bits, parent->tgid, child->tgid);
	else
		clear_bit(child->pid, tree.bits);      /* the bit of a process that had this ID before */
}

static struct stp_hook fork_hook = { "sched_process_fork", tree_fork, .wanted = true };

static bool descends_from(struct task_struct *task, pid_t target)
{
	while (task && task->tgid > 1) {
		if (task->tgid == target)
			return true;
		task = rcu_dereference(task->real_parent);
	}
	return false;
}

/* Called after the tracepoint is armed: a process that is started meanwhile is found here or by the tracepoint. */
static void add_existing(pid_t target)
{
	struct task_struct *task;

	set_bit(target, tree.bits);
	rcu_read_lock();
	for_each_process(task)
		if (descends_from(task, target))
			set_bit(task->tgid, tree.bits);
	rcu_read_unlock();
}

/* Bounded wait: tracepoint patching (kernel/README.md, "Why waits end"). */
int stp_tree_start(void)
{
	pid_t target = stp_session.target;
	int err;

	if (tree.users++ || target <= 0 || target >= PID_MAX_LIMIT)
		return 0;
	tree.bits = plat_alloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long), -1);
	err = tree.bits ? 0 : -ENOMEM;
	if (!err)
		err = stp_hooks_arm(&fork_hook, 1);
	if (err) {
		plat_free(tree.bits);
		tree.bits = NULL;
		tree.users--;
		return err;
	}
	add_existing(target);
	WRITE_ONCE(stp_tree_bits, tree.bits);
	return 0;
}

/* All users have stopped: only the tracepoint uses the bits. Bounded wait: tracepoint patching (kernel/README.md, "Why
 * waits end"). */
void stp_tree_stop(void)
{
	if (--tree.users || !tree.bits)
		return;
	stp_hooks_disarm(&fork_hook, 1);
	WRITE_ONCE(stp_tree_bits, NULL);
	plat_free(tree.bits);
	tree.bits = NULL;
}

#else

int stp_tree_start(void)
{
	return stp_session.target ? -EOPNOTSUPP : 0;
}

void stp_tree_stop(void)
{
}

#endif
