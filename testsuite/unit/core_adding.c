/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers to which handlers only add, in four threads, each of which simulates a CPU: arrays whose sums are
 * stored for each CPU or in the elements, and their readers, which exclude all adders.
 */
#include "core_platform.h"
#include "core_threads.h"
#include "../../runtime/core/map.h"

#define HITS 30000
#define KEYS 37

static struct stp_map by_number = { "by_number", 1, STP_LONG, { STP_LONG }, .percpu = true, .capacity = 1000 };
static struct stp_map by_name = { "by_name", 2, STP_LONG, { STP_STRING, STP_LONG }, .percpu = true, .capacity = 100 };
static struct stp_map by_text = { "by_text", 1, STP_LONG, { STP_STRING }, .percpu = true, .capacity = 100 };
static struct stp_map large = { "large", 1, STP_LONG, { STP_LONG }, .percpu = true, .capacity = STP_SUMS_MAX };
static struct stp_map few = { "few", 1, STP_LONG, { STP_LONG }, .percpu = true, .capacity = 3 };
static struct stp_map *const maps[] = { &by_number, &by_name, &by_text, &large, &few };

const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI, .arrays = &stp_array_ops, .maps = maps, .nmaps = 5, .percpu_size = sizeof(s64),
	.limits = { .string_len = STRING_LEN, .skipped = ~0u, .trylock = 1000000, .no_overload = true },
};

static struct stp_lock lock_sums = { .added = true }, lock_plain;
static s64 counter_base;
static u32 torn;
static s64 taken;                      /* values that readers have removed */

static union stp_val name_of(u32 key, char *text)
{
	sprintf(text, "a name of more than one word, number %u", key);
	return (union stp_val){ .s = text };
}

static void adds(struct stp_ctx *c)
{
	u32 key = random_u32() % KEYS;
	char text[STRING_LEN];
	union stp_val keys[2] = { name_of(key, text), { .n = key } };

	stp_map_add1(c, &by_number, key, 1);
	stp_map_add(c, &by_name, keys, 2);
	if (key == 5)
		sched_yield();
	stp_map_add(c, &by_text, keys, -1ull);
	stp_map_add1(c, &large, key, 3);
	++*(s64 *)c->percpu;
}

static s64 sum_of(struct stp_ctx *c, struct stp_map *m)
{
	s64 sum = 0;
	struct stp_elem *e;

	stp_map_merge(c, m);
	for (e = stp_elem_or_null(&m->data->main, m->data->main.first); e; e = stp_elem_or_null(&m->data->main, e->next))
		sum += *(s64 *)stp_elem_value(m, e);
	return sum;
}

/* All sums belong to the same hits, and do not change while the reader runs. */
static void reads(struct stp_ctx *c)
{
	s64 n = sum_of(c, &by_number);

	sched_yield();
	if (sum_of(c, &by_name) != 2 * n || sum_of(c, &by_text) != -n || sum_of(c, &large) != 3 * n ||
	    stp_adder_read(NULL, 0, counter_base) != n || stp_map_count(&by_number) > KEYS || stp_map_count(&by_text) > KEYS)
		__atomic_add_fetch(&torn, 1, __ATOMIC_RELAXED);
}

static void takes(struct stp_ctx *c)
{
	u32 i;

	reads(c);
	taken += sum_of(c, &by_number);
	for (i = 0; i < 4; i++)
		stp_map_clear(c, maps[i]);
	stp_adder_clear(NULL, 0);
	counter_base = 0;
}

static const struct stp_lock_use adding[] = { { &lock_plain, STP_WRITE, "plain" }, { &lock_sums, STP_ADDING, "sums" } };
static const struct stp_lock_use writing[] = { { &lock_sums, STP_WRITE, "sums" }, { &lock_plain, STP_WRITE, "plain" } };
static const struct stp_probe adder = { adds, .locks = adding, .nlocks = 2 };
static const struct stp_probe only_adder = { adds, .locks = adding + 1, .nlocks = 1 };
static const struct stp_probe reader = { reads, .locks = writing, .nlocks = 2 };
static const struct stp_probe taker = { takes, .locks = writing, .nlocks = 2 };

static void *cpu(void *arg)
{
	struct stp_ctx *c = arg;
	int i;

	for (i = 0; i < HITS; i++) {
		hit(c, i % 3 ? &only_adder : &adder);
		if (i % 100 == 50)
			hit(c, i % 200 == 50 ? &reader : &taker);
	}
	return NULL;
}

static void threads(void)
{
	run_on_all_cpus(cpu);
	same_number("readers see all sums of the same hits", torn, 0);
	same_number("no hit is skipped", (s64)stp_lost(STP_LOSS_LOCK), 0);
	same_number("each addition is in one sum", taken + sum_of(cpu_ctx[0], &by_number), CPUS * HITS);
	same_number("locks are free at the end", lock_sums.word | lock_plain.word, 0);
}

static void refusals(void)
{
	struct stp_ctx_private *one = stp_private(cpu_ctx[0]), *other = stp_private(cpu_ctx[1]);

	verdict(stp_locks_take(one, &only_adder) && stp_locks_take(other, &only_adder), "two CPUs add at the same time");
	same_number("without writing to the lock", lock_sums.word, 0);
	stp_locks_release(one, &only_adder);
	verdict(!stp_locks_take(one, &reader), "a reader gives up while a CPU adds");
	same_number("and lets all locks go", lock_sums.word | lock_plain.word, 0);
	same_number("its wait and its timeout are counted", lock_sums.timeouts, 1);
	stp_locks_release(other, &only_adder);
	verdict(stp_locks_take(one, &reader), "it succeeds later");
	verdict(!stp_locks_take(other, &only_adder), "a CPU that adds gives up while a reader stays");
	same_number("and does not add", other->adding, 0);
	stp_locks_release(one, &reader);
	verdict(stp_locks_take(other, &adder), "and succeeds later");
	stp_locks_release(other, &adder);
	same_number("locks are free at the end", lock_sums.word | lock_plain.word, 0);
}

static void capacity(void)
{
	struct stp_ctx *c = cpu_ctx[2];
	u32 i;

	verdict(by_number.data->sums && !large.data->sums, "an array with many elements has no sums for each CPU");
	for (i = 0; i < 4; i++) {
		stp_map_add1(cpu_ctx[i], &few, 10, 1ull << 62);
		stp_map_add1(cpu_ctx[i], &few, i % 2, (u64)-7);
	}
	stp_map_add1(c, &few, 20, 1);
	same_text("a full array is an error", c->error ? c->error : "", "Array overflow, check MAXMAPENTRIES");
	c->error = NULL;
	stp_map_add1(c, &few, 1, -6ull);
	verdict(!c->error, "but its elements can be added to");
	stp_map_merge(c, &few);
	same_number("sums wrap around", *(s64 *)stp_map_get1(&few, 10), 0);
	same_number("negative numbers are added", *(s64 *)stp_map_get1(&few, 1), -20);
	stp_map_delete(c, &few, &(union stp_val){ .n = 10 });
	stp_map_add1(c, &few, 30, 4);
	stp_map_merge(c, &few);
	same_number("a new element begins at 0", *(s64 *)stp_map_get1(&few, 30), 4);
	same_number("and no other one remains", stp_map_count(&few), 3);
}

/* Checks the division by the size of an element, for each size and the last elements of the largest pool. */
static void elements(void)
{
	u64 words, i, wrong = 0;

	for (words = 7; words < 10000; words += words < 200 ? 1 : 97) {
		u64 reciprocal = ~0ull / words + 1, last = (1ull << 28) / words;

		for (i = last > 100 ? last - 100 : 0; i < last; i++)
			wrong += (u64)((unsigned __int128)(i * words) * reciprocal >> 64) != i;
	}
	same_number("an element's number is exact", (s64)wrong, 0);
}

int main(void)
{
	session_renew();
	threads();
	refusals();
	capacity();
	elements();
	return finish();
}
