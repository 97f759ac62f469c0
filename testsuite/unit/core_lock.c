/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks of handlers in four threads, each of which simulates a CPU: exclusion, shared readers, timeout. */
#include "core_platform.h"
#include "core_threads.h"

#define HITS 20000

const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI,
	.limits = { .string_len = STRING_LEN, .skipped = ~0u, .trylock = 1000000, .no_overload = true },
};

static struct stp_lock lock_a, lock_b;
static s64 a, b;                       /* equal at all times at which no handler holds their locks */
static u32 torn;

static void write_both(struct stp_ctx *c)
{
	s64 before = a;

	a = before + 1;
	if (a % 64 == 0)
		sched_yield();
	b = b + 1;
	if (a != b)
		__atomic_add_fetch(&torn, 1, __ATOMIC_RELAXED);
}

static void read_both(struct stp_ctx *c)
{
	if (*(volatile s64 *)&a != *(volatile s64 *)&b)
		__atomic_add_fetch(&torn, 1, __ATOMIC_RELAXED);
	if (a % 16 == 0)
		sched_yield();
}

static const struct stp_lock_use both_write[] = { { &lock_a, STP_WRITE, "a" }, { &lock_b, STP_WRITE, "b" } };
static const struct stp_lock_use both_read[] = { { &lock_a, STP_READ, "a" }, { &lock_b, STP_READ, "b" } };
static const struct stp_probe writer = { write_both, .locks = both_write, .nlocks = 2 };
static const struct stp_probe reader = { read_both, .locks = both_read, .nlocks = 2 };

static void *cpu(void *arg)
{
	struct stp_ctx *c = arg;
	int i;

	for (i = 0; i < HITS; i++) {
		hit(c, &writer);
		hit(c, &reader);
		hit(c, &reader);
	}
	return NULL;
}

static void threads(void)
{
	run_on_all_cpus(cpu);
	same_number("no handler sees another's half-done work", torn, 0);
	same_number("every write ran or was counted as skipped", a, CPUS * HITS - (s64)stp_lost(STP_LOSS_LOCK));
	verdict(a > CPUS * HITS / 2, "most ran: %lld", a);
	same_number("both numbers are equal", a, b);
	same_number("locks are free at the end", lock_a.word | lock_b.word, 0);
}

static void giving_up(void)
{
	struct stp_ctx_private *v = stp_private(cpu_ctx[0]);
	struct stp_lock_use other = { &lock_b, STP_READ, "b" };
	struct stp_probe holder = { .locks = &other, .nlocks = 1 };
	u64 skipped = stp_lost(STP_LOSS_LOCK);

	stp_locks_take(v, &holder);
	verdict(!stp_locks_take(v, &writer), "a writer gives up when a reader stays");
	same_number("it is counted", (s64)(stp_lost(STP_LOSS_LOCK) - skipped), 1);
	same_number("and lets the first lock go", lock_a.word, 0);
	verdict(stp_locks_take(v, &reader), "another reader comes in");
	stp_locks_release(v, &reader);
	stp_locks_release(v, &holder);
	verdict(stp_locks_take(v, &writer), "the writer, too, when it is free");
	verdict(!stp_locks_take(v, &holder), "a reader gives up when a writer stays");
	stp_locks_release(v, &writer);
	same_number("locks are free at the end", lock_a.word | lock_b.word, 0);
}

int main(void)
{
	session_renew();
	threads();
	giving_up();
	return finish();
}
