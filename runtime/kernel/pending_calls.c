/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of pending_calls.h: sets of WAYS rows; a hash of the key selects a set. Each table has one lock, held
 * while one set is searched and a row is copied. It is an arch_spinlock_t, since handlers disable interrupts without
 * lockdep's knowledge.
 */
#include "kernel.h"
#include "pending_calls.h"
#include "hash_index.h"
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>

#define WAYS        8
#define SKIP_WAIT_MS 1                 /* timeout for the lock */

struct call {
	const struct task_struct *task;        /* NULL: the row is free. It is only compared, never dereferenced */
	u64 born, programs, id;                /* the remaining part of the key */
	u64 process_born;                      /* start time of the process's first thread, which a thread takes
					        * over when it calls execve() */
	u64 age;
	pid_t pid, process;                    /* IDs of the task and of its first thread, in the initial namespace */
	u32 size;                              /* size of its data */
	bool skipped;                          /* the row has no data */
	s64 data[];
};

struct set {
	u64 reused;                            /* number of calls in progress whose rows were reused */
	char rows[];
};

struct stp_calls {
	arch_spinlock_t lock;
	u32 shift, size;                       /* 1 << (32 - shift) sets of WAYS rows of size bytes */
	u64 age;
	bool over_exec;                        /* execve(): the call returns in another program */
	u64 valid_from;                        /* the data of rows that are older is lost */
	char sets[];
};

struct stp_calls *stp_returns;

static u32 row_size(u32 size)
{
	return sizeof(struct call) + ALIGN(size, 8);
}

static u64 set_size(u32 row)
{
	return sizeof(struct set) + WAYS * (u64)row;
}

u64 stp_calls_bytes(u32 n, u32 size)
{
	return sizeof(struct stp_calls) + (set_size(row_size(size)) << stp_hash_bits(DIV_ROUND_UP(n, WAYS)));
}

struct stp_calls *stp_calls_make(u32 n, u32 size, bool over_exec)
{
	struct stp_calls *t = plat_alloc(stp_calls_bytes(n, size), -1);

	if (t) {
		t->lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
		t->shift = 32 - stp_hash_bits(DIV_ROUND_UP(n, WAYS));
		t->size = row_size(size);
		t->over_exec = over_exec;
	}
	return t;
}

void stp_calls_free(struct stp_calls *t)
{
	plat_free(t);
}

static struct set *set_of(struct stp_calls *t, u64 id)
{
	u64 hash = ((u64)(unsigned long)current ^ id) * 0x9e3779b97f4a7c15ull;

	/* One product puts nested calls with stack frames of 144 bytes, for example, in a single set. */
	hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15ull;
	return (struct set *)(t->sets + stp_hash_index(hash >> 32, t->shift) * set_size(t->size));
}

static struct call *next_row(const struct stp_calls *t, struct call *r)
{
	return (struct call *)((char *)r + t->size);
}

static bool is_of(const struct call *r, u64 id)
{
	return r->task == current && r->id == id && r->born == current->start_time && r->programs == current->self_exec_id;
}

/* Returns true for the row of an execve() that has succeeded meanwhile. begin_new_exec() increments self_exec_id
 * once. */
static bool is_before_exec(const struct call *r, u64 id)
{
	return r->task == current && r->id == id && r->programs + 1 == current->self_exec_id &&
	       r->process_born == current->start_time;
}

static struct call *find(const struct stp_calls *t, struct set *set, u64 id)
{
	struct call *r = (struct call *)set->rows, *before = NULL;
	u32 i;

	for (i = 0; i < WAYS; i++, r = next_row(t, r)) {
		if (!r->task)
			continue;
		if (is_of(r, id))
			return r;
		if (t->over_exec && is_before_exec(r, id))
			before = r;
	}
	return before;
}

/* Returns true if the row's task is alive as thread `pid`, with that start time. Context: RCU read side. */
static bool is_thread(const struct call *r, pid_t pid, u64 born)
{
	const struct task_struct *task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);

	return task && task == r->task && task->start_time == born;
}

/* Returns true if the row's call may still return: its task runs the program that made the call. A thread that calls
 * execve() gets the ID and the start time of the first thread (de_thread()) before the call returns. */
static bool is_in_progress(const struct stp_calls *t, const struct call *r)
{
	bool same;

	rcu_read_lock();
	same = is_thread(r, r->pid, r->born) || (t->over_exec && is_thread(r, r->process, r->process_born));
	same = same && (u64)r->task->self_exec_id - r->programs <= t->over_exec;
	rcu_read_unlock();
	return same;
}

/* Returns the row of the same call, a free row, or the oldest one; called under the lock. */
static struct call *renew(struct stp_calls *t, u64 id, bool skipped)
{
	struct set *set = set_of(t, id);
	struct call *r = (struct call *)set->rows, *best = NULL;
	u32 i;

	for (i = 0; i < WAYS; i++, r = next_row(t, r)) {
		if (is_of(r, id)) {
			best = r;
			break;
		}
		if (!best || (best->task && (!r->task || r->age < best->age)))
			best = r;
	}
	if (i == WAYS && best->task && !best->skipped && is_in_progress(t, best))
		set->reused++;
	best->task = current;
	best->pid = current->pid;
	best->process = current->tgid;
	best->born = current->start_time;
	best->programs = current->self_exec_id;
	best->process_born = current->group_leader->start_time;
	best->id = id;
	best->skipped = skipped;
	WRITE_ONCE(t->age, t->age + 1);
	best->age = t->age;
	return best;
}

/* Bounded wait: other CPUs hold the lock for a search of WAYS rows, with interrupts off; this CPU is in one hit at a
 * time. */
void stp_calls_put(struct stp_calls *t, u64 id, const void *data, u32 size)
{
	struct call *r;

	arch_spin_lock(&t->lock);
	r = renew(t, id, false);
	r->size = size;
	memcpy(r->data, data, size);
	arch_spin_unlock(&t->lock);
}

/* If a call has no row, the row is lost only if one of its set was reused. If several such calls return,
 * including some that began before the table was made, only as many as were reused count as lost. */
static enum stp_call without_row(struct set *set, bool take)
{
	if (!set->reused)
		return STP_CALL_NONE;
	set->reused -= take;
	return STP_CALL_LOST;
}

static enum stp_call get(struct stp_calls *t, u64 id, void *data, u32 size, bool take)
{
	struct set *set = set_of(t, id);
	enum stp_call found;
	struct call *r;

	arch_spin_lock(&t->lock);  /* bounded: see stp_calls_put() */
	r = find(t, set, id);
	if (!r)
		found = without_row(set, take);
	else if (r->age < READ_ONCE(t->valid_from))
		found = STP_CALL_LOST;
	else
		found = r->skipped ? STP_CALL_SKIPPED : STP_CALL_FOUND;
	if (found == STP_CALL_FOUND)
		memcpy(data, r->data, size < r->size ? size : r->size);
	if (r && take)
		r->task = NULL;
	arch_spin_unlock(&t->lock);
	return found;
}

bool stp_calls_get(struct stp_calls *t, u64 id, void *data, u32 size)
{
	return get(t, id, data, size, false) == STP_CALL_FOUND;
}

enum stp_call stp_calls_take(struct stp_calls *t, u64 id, void *data, u32 size)
{
	return get(t, id, data, size, true);
}

/* If the lock times out, perhaps because this hit interrupted its holder, the data of all rows is considered
 * lost: each of these calls counts as a loss, whereas a row of another call would give wrong data. */
static void skip_or_forget(struct stp_calls *t, u64 id, bool skip)
{
	struct stp_spin spin = {};
	unsigned long flags;
	struct call *r;
	bool locked;

	raw_local_irq_save(flags);
	do
		locked = arch_spin_trylock(&t->lock);
	while (!locked && stp_spin(&spin, SKIP_WAIT_MS));
	if (!locked) {
		WRITE_ONCE(t->valid_from, READ_ONCE(t->age) + 1);
	} else {
		r = skip ? renew(t, id, true) : find(t, set_of(t, id), id);
		if (r && !skip)
			r->task = NULL;
		arch_spin_unlock(&t->lock);
	}
	raw_local_irq_restore(flags);
}

void stp_calls_skip(struct stp_calls *t, u64 id)
{
	skip_or_forget(t, id, true);
}

void stp_calls_forget(struct stp_calls *t, u64 id)
{
	skip_or_forget(t, id, false);
}
