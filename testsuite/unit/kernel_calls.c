// SPDX-License-Identifier: GPL-2.0-or-later
// Hash tables of runtime/kernel of every small size, including a single slot (hash_index.h), and the rows of
// pending_calls.c, which is compiled here with stand-ins for the kernel functions that it uses.
#include "core_platform.h"
#include "kernel_standins.h"

typedef struct { int taken; } arch_spinlock_t;
#define __ARCH_SPIN_LOCK_UNLOCKED { 0 }
#define DIV_ROUND_UP(n, by) (((n) + (by) - 1) / (by))
#define arch_spin_lock(l) ((void)((l)->taken++))
#define arch_spin_unlock(l) ((void)((l)->taken--))
#define arch_spin_trylock(l) (!(l)->taken && ++(l)->taken)
#define cpu_relax() ((void)0)
#define raw_local_irq_save(f) ((f) = 0)
#define raw_local_irq_restore(f) ((void)(f))
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)
#define PIDTYPE_PID 0
#define pid_task(number, type) ((number) == tasks[0].pid ? &tasks[0] : (number) == tasks[1].pid ? &tasks[1] : NULL)
#define find_pid_ns(number, space) (number)
struct task_struct {
	int pid, tgid;
	u64 start_time, self_exec_id;
	struct task_struct *group_leader;
} tasks[2] = { { .group_leader = &tasks[0] },
	     { .pid = 1, .start_time = 7, .group_leader = &tasks[0] } }, *current = tasks;

#include "../../runtime/kernel/pending_calls.c"
#include "../../runtime/core/map.h"

const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI, .limits = { .string_len = STRING_LEN, .hash_bias = -40 },
};

// Checks that the indexes of all hashes are in the table, and that every index belongs to a hash.
static bool places_fit(u32 n)
{
	u32 bits = stp_hash_bits(n), size = 1u << bits, i, place, seen = 0;

	for (i = 0; i < 4096; i++) {
		place = stp_hash_index(i * 0x9e3779b1u, 32 - bits);
		if (place >= size)
			return false;
		seen |= 1u << place;
	}
	return size >= n && (n < 2 || size / 2 < n) && seen == (u32)((1ull << size) - 1) &&
	       stp_hash_index(~0u, 32 - bits) == size - 1;
}

static void check(const char *name, bool good)
{
	verdict(good, "%s", name);
}

// Returns true if the return of the call counts as lost.
static bool is_lost(struct stp_calls *t, u64 id)
{
	u64 value;

	return stp_calls_take(t, id, &value, sizeof(value)) == STP_CALL_LOST;
}

// Stores as many calls of two threads as the smallest table has rows; each must be found.
static bool rows_work(u32 n)
{
	struct stp_calls *t = stp_calls_make(n, sizeof(u64), false);
	bool right = true;
	u64 i, value;

	for (i = 0; i < WAYS; i++) {
		current = &tasks[i % 2];
		value = 100 + i;
		stp_calls_put(t, i, &value, sizeof(value));
	}
	for (i = 0; i < WAYS; i++) {
		current = &tasks[i % 2];
		right &= stp_calls_get(t, i, &value, sizeof(value)) && value == 100 + i;
		right &= stp_calls_take(t, i, &value, sizeof(value)) == STP_CALL_FOUND && !stp_calls_get(t, i, &value, sizeof(value));
	}
	right &= !is_lost(t, WAYS);
	stp_calls_free(t);
	return right;
}

static void check_keys(void)
{
	struct stp_calls *t = stp_calls_make(1, sizeof(u64), false);
	u64 value = 5;

	current = tasks;
	stp_calls_put(t, 1, &value, sizeof(value));
	tasks->start_time++;
	check("a row is not taken for a later thread's at the same address", !stp_calls_get(t, 1, &value, sizeof(value)));
	tasks->start_time--;
	tasks->self_exec_id++;
	check("a row is not taken for that of a program executed later", !stp_calls_get(t, 1, &value, sizeof(value)));
	tasks->self_exec_id--;
	check("the row is found by its own key", stp_calls_get(t, 1, &value, sizeof(value)) && value == 5);
	stp_calls_skip(t, 1);
	check("a skipped call has no data", stp_calls_take(t, 1, &value, sizeof(value)) == STP_CALL_SKIPPED &&
	      stp_calls_take(t, 1, &value, sizeof(value)) == STP_CALL_NONE);
	stp_calls_put(t, 1, &value, sizeof(value));
	arch_spin_lock(&t->lock);
	stp_calls_skip(t, 1);
	arch_spin_unlock(&t->lock);
	check("a skipped call does not get an earlier call's value while the lock is held",
	      !stp_calls_get(t, 1, &value, sizeof(value)));
	stp_calls_put(t, 1, &value, sizeof(value));
	check("a row put after that is found", stp_calls_get(t, 1, &value, sizeof(value)));
	value = 0x1122334455667788;
	stp_calls_put(t, 1, &value, 2);
	value = 0;
	check("only what was put is copied", stp_calls_take(t, 1, &value, sizeof(value)) == STP_CALL_FOUND && value == 0x7788);
	stp_calls_free(t);
	t = stp_calls_make(1, sizeof(u64), false);
	for (value = 1; value <= WAYS; value++)
		stp_calls_put(t, value, &value, sizeof(value));
	check("no call is lost if there are as many rows", !is_lost(t, WAYS + 1));
	for (; value <= WAYS + 2; value++)
		stp_calls_put(t, value, &value, sizeof(value));
	check("the oldest calls are lost, and each once", stp_calls_get(t, 3, &value, sizeof(value)) && value == 3 &&
	      is_lost(t, 1) && is_lost(t, 2) && !is_lost(t, WAYS + 3));
	stp_calls_free(t);
	t = stp_calls_make(1, sizeof(u64), false);
	for (value = 1; value <= WAYS; value++)
		stp_calls_put(t, value, &value, sizeof(value));
	tasks->start_time++;
	stp_calls_put(t, value, &value, sizeof(value));
	check("the call of a task that has exited is not lost", !is_lost(t, WAYS + 2));
	tasks->start_time--;
	stp_calls_free(t);
}

// Calls with equal stack frames get rows in different sets.
static void check_frames(void)
{
	struct stp_calls *t = stp_calls_make(64, sizeof(u64), false);
	u64 lost = 0, top, value = 0, call;

	current = tasks;
	for (top = 0x7ffe00000000; top < 0x7ffe00000000 + 20000 * 4336; top += 4336) {
		for (call = 0; call < 12; call++)
			stp_calls_put(t, top - call * 144, &value, sizeof(value));
		for (call = 0; call < 12; call++)
			lost += stp_calls_take(t, top - call * 144, &value, sizeof(value)) != STP_CALL_FOUND;
	}
	// One of 20,000 stacks at most has nine calls in a set by chance.
	verdict(lost <= 20, "12 nested calls with equal stack frames fit into 64 rows");
	stp_calls_free(t);
}

// A system call that executes another program returns in the new program.
static void check_exec(void)
{
	struct stp_calls *t = stp_calls_make(1, sizeof(u64), true);
	u64 value = 5;

	current = tasks;
	stp_calls_put(t, 1, &value, sizeof(value));
	tasks->self_exec_id++;
	check("the row of execve() is found in the program that it executes",
	      stp_calls_get(t, 1, &value, sizeof(value)) && value == 5);
	tasks->self_exec_id++;
	check("it is not found in a later program", !stp_calls_get(t, 1, &value, sizeof(value)) && !is_lost(t, 3));
	tasks->self_exec_id--;
	tasks->start_time++;
	check("the row of an earlier process is not found", !stp_calls_get(t, 1, &value, sizeof(value)));
	tasks->start_time--;
	tasks->self_exec_id--;
	current = &tasks[1];
	stp_calls_put(t, 2, &value, sizeof(value));
	current->self_exec_id++;
	current->start_time = tasks[0].start_time;
	check("a thread that executes a program gets the start time of the first one",
	      stp_calls_take(t, 2, &value, sizeof(value)) == STP_CALL_FOUND && !is_lost(t, 3));
	current->start_time = 7;
	current->self_exec_id--;
	stp_calls_free(t);
}

// Stores the call of a thread that is not the first of its process, gives the thread the ID and the start time of
// the first thread, and reuses its row. Returns true if the call counts as lost.
static bool is_lost_after_exec(bool over_exec, u64 programs)
{
	struct stp_calls *t = stp_calls_make(1, sizeof(u64), over_exec);
	const struct task_struct before[2] = { tasks[0], tasks[1] };
	bool lost;
	u64 i = 0;

	current = &tasks[1];
	stp_calls_put(t, 1, &i, sizeof(i));
	current->pid = tasks[0].pid;
	current->start_time = tasks[0].start_time;
	current->self_exec_id += programs;
	tasks[0].pid = before[1].pid;
	for (i = 0; i < WAYS; i++)
		stp_calls_put(t, 2 + i, &i, sizeof(i));
	lost = is_lost(t, 1);
	memcpy(tasks, before, sizeof(tasks));
	stp_calls_free(t);
	return lost;
}

static void check_exec_by_thread(void)
{
	check("the call of a thread that gets the ID of the first one is lost", is_lost_after_exec(true, 0));
	check("the same in the program that it executes", is_lost_after_exec(true, 1));
	check("the call of a thread that executed two programs since is not lost", !is_lost_after_exec(true, 2));
	check("a call that does not return in another program is not lost", !is_lost_after_exec(false, 1));
}

// Tables of core/map.c: MAPHASHBIAS subtracts more powers of two than the size contains.
static bool map_fits(u32 n)
{
	struct stp_map map = { "map", 1, STP_LONG, { STP_LONG }, .capacity = n };
	bool fits = !stp_map_make(&map) && map.data->main.shift == 63;

	stp_map_free(&map);
	return fits;
}

int main(void)
{
	u32 n;

	for (n = 0; n <= 17; n++) {
		verdict(places_fit(n), "places of a hash table, size %u", n);
		verdict(rows_work(n), "rows of calls in progress, size %u", n);
		verdict(map_fits(n), "buckets of an array, size %u", n);
	}
	check_keys();
	check_frames();
	check_exec();
	check_exec_by_thread();
	session_renew();
	return finish();
}
