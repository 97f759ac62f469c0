/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The budget of work: each operation over data charges its work and ends when the budget is used up; the deadline. */
#include "core_platform.h"

#define ELEMENTS 500
#define BUCKETS 200

#define STATS { .ops = STP_COUNT | STP_HIST_LINEAR, .buckets = BUCKETS, \
		.size = sizeof(struct stp_stat) + 8 * BUCKETS, .low = 0, .high = BUCKETS - 2, .step = 1 }

static struct stp_map numbers = { "numbers", 1, STP_LONG, { STP_LONG }, .capacity = ELEMENTS };
static struct stp_map pairs = { "pairs", 2, STP_LONG, { STP_STRING, STP_LONG }, .capacity = ELEMENTS };
static struct stp_map sums = { "sums", 1, STP_STATS, { STP_LONG }, .percpu = true, .capacity = ELEMENTS,
			       .stat = STATS };
static struct stp_scalar_stat scalar = { "scalar", STATS, 0, NULL };
static struct stp_map *const maps[] = { &numbers, &pairs, &sums };
static struct stp_scalar_stat *const stats[] = { &scalar };
static struct stp_foreach up = { &numbers, 1, 0 }, by_name = { &pairs, -1, 1 }, plain = { &pairs };
static struct stp_foreach *const foreachs[] = { &up, &by_name };

const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI, .limits = LIMITS, .arrays = &stp_array_ops,
	.maps = maps, .nmaps = 3, .stats = stats, .nstats = 1,
	.foreachs = foreachs, .nforeachs = 2, .percpu_size = sizeof(struct stp_stat) + 8 * BUCKETS,
};

static const char text[] = "the same beginning of all";

static void fill(struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);
	union stp_val keys[2] = { { .s = text } };
	s64 i;

	for (i = 0; i < ELEMENTS; i++) {
		keys[1].n = i;
		*(s64 *)stp_map_put1(c, &numbers, i) = i * 7919 % ELEMENTS;
		*(s64 *)stp_map_put(c, &pairs, keys) = i;
		stp_stat_add(stp_pmap_put(c, &sums, &(union stp_val){ .n = i }), &sums.stat, i % BUCKETS);
		stp_stat_add((struct stp_stat *)(stp_session.percpu[v->cpu] + scalar.offset), &scalar.desc, i % BUCKETS);
	}
}

static const union stp_val slice[2] = { { .s = "another text" } };
static struct stp_iter it;

static void sort_numbers(struct stp_ctx *c) { stp_foreach_first(c, &it, &up, -1, NULL, 0); }
static void sort_some(struct stp_ctx *c) { stp_foreach_first(c, &it, &up, 10, NULL, 0); }
static void sort_strings(struct stp_ctx *c) { stp_foreach_first(c, &it, &by_name, -1, NULL, 0); }
static void walk_slice(struct stp_ctx *c) { stp_foreach_first(c, &it, &plain, -1, slice, 2); }
static void has_slice(struct stp_ctx *c) { stp_map_has_slice(c, &pairs, slice, 2); }
static void delete_slice(struct stp_ctx *c) { stp_map_delete_slice(c, &pairs, slice, 2); }

/* A text that is longer than the keys whose cost a lookup includes. */
static const char long_text[] =
	"01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"
	"01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890";
static void long_key(struct stp_ctx *c) { stp_map_get(&pairs, (union stp_val[2]){ { .s = long_text } }); }
static void clear(struct stp_ctx *c) { stp_map_clear(c, &numbers); }
static void merge(struct stp_ctx *c) { stp_map_merge(c, &sums); }
static void delete_sum(struct stp_ctx *c) { stp_map_delete(c, &sums, &(union stp_val){ .n = 1 }); }
static void read_adder(struct stp_ctx *c) { stp_adder_read(c, 0, 0); }
static void clear_adder(struct stp_ctx *c) { stp_adder_clear(c, 0); }
static void merge_scalar(struct stp_ctx *c) { stp_scalar_merge(c, &scalar); }
static void clear_scalar(struct stp_ctx *c) { stp_scalar_clear(c, &scalar); }

static void next_bucket(struct stp_ctx *c)
{
	stp_hist_next(c, (struct stp_stat *)(stp_session.percpu[0] + scalar.offset), &scalar.desc, 1, -1);
}

static void print_hist(struct stp_ctx *c)
{
	char to[STRING_LEN];

	stp_sprint_hist(c, to, sizeof(to), (struct stp_stat *)(stp_session.percpu[0] + scalar.offset), &scalar.desc);
}

static const u8 classes[256];
static const u16 table[] = { 0 };
static const u8 accept[] = { 0 };
static const struct stp_regex never = { classes, table, accept, 1, 0, 0 };
static const struct stp_regex_part parts[] = { { STP_RE_NONE } };
static const struct stp_regex_groups groups = { &never, &never, parts, 0, 1 };

static void match(struct stp_ctx *c) { stp_regex_match(c, &never, text); }

static void match_groups(struct stp_ctx *c)
{
	static struct { struct stp_match m; char text[2 * STRING_LEN]; } room;

	stp_regex_groups(c, &room.m, STRING_LEN, &groups, text);
}

/* units: minimum work that an operation must charge for the data of fill() */
static const struct { const char *name; void (*run)(struct stp_ctx *c); u64 units; } operations[] = {
	{ "a sort of numbers", sort_numbers, ELEMENTS * 4 * STP_WORK_COMPARE },
	{ "the first ones of a sort", sort_some, ELEMENTS * STP_WORK_COMPARE },
	{ "a sort of strings", sort_strings, ELEMENTS * 4 * STP_WORK_COMPARE },
	{ "a walk through a slice", walk_slice, ELEMENTS * STP_WORK_ELEMENT },
	{ "a search for a slice", has_slice, ELEMENTS * STP_WORK_ELEMENT },
	{ "a slice that is deleted", delete_slice, ELEMENTS * STP_WORK_ELEMENT },
	{ "a long key", long_key, (sizeof(long_text) - 1) / 3 / 8 * STP_WORK_LONG_KEY },
	{ "an array that is emptied", clear, ELEMENTS * STP_WORK_CLEAR },
	{ "a merge of arrays", merge, ELEMENTS * (STP_WORK_MERGE + BUCKETS * STP_WORK_BUCKET) },
	{ "a statistic that is deleted on all CPUs", delete_sum, CPUS * STP_WORK_ELEMENT },
	{ "a counter that is read", read_adder, CPUS * STP_WORK_CPU },
	{ "a counter that is assigned", clear_adder, CPUS * STP_WORK_CPU },
	{ "a merge", merge_scalar, BUCKETS * STP_WORK_BUCKET },
	{ "a statistic that is cleared", clear_scalar, BUCKETS * STP_WORK_BUCKET },
	{ "the next bucket by count", next_bucket, BUCKETS * STP_WORK_BUCKET },
	{ "a histogram", print_hist, BUCKETS / 2 * STP_WORK_ROW },
	{ "a regular expression", match, (sizeof(text) - 1) * STP_WORK_MATCH },
	{ "one with groups", match_groups, (sizeof(text) - 1) * STP_WORK_STEP },
};

static struct stp_ctx *start(u64 budget)
{
	struct stp_ctx *c = session_run(budget);

	fill(c);
	return c;
}

static void hit(struct stp_ctx *c, void (*handler)(struct stp_ctx *c))
{
	struct stp_probe p = { handler, .needs_actions = true };

	if (stp_ctx_enter(c)) {
		stp_handler_run(c, &p);
		stp_ctx_leave(c);
	}
}

static void twice(struct stp_ctx *c)
{
	stp_charge(c, 60000);
	if (c->error && stp_catch(c, NULL, 0))
		c->fatal = false;
	stp_charge(c, 60000);
}

static void lingers(struct stp_ctx *c)
{
	int i;

	for (i = 0; i < 100 && !c->error; i++) {
		cycles += 300;
		stp_charge(c, 40000);
	}
}

static void stalls(struct stp_ctx *c)
{
	cycles += 1000000;
	stp_charge(c, 40000);
}

int main(void)
{
	struct stp_ctx *c;
	int twofold = 0;
	char name[100];
	u32 i;

	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		struct stp_ctx_private *v;

		c = start(1u << 30);
		v = stp_private(c);
		hit(c, operations[i].run);
		snprintf(name, sizeof(name), "%s is charged", operations[i].name);
		verdict(!strstr(messages, "too much") && v->work_max - v->work_left - (u64)c->work >= operations[i].units, name);
		c = start(operations[i].units - 1);
		hit(c, operations[i].run);
		snprintf(name, sizeof(name), "%s ends with the budget", operations[i].name);
		verdict(strstr(messages, "too much work for one hit") != NULL, name);
	}
	c = start(500);
	hit(c, merge);
	c = &stp_session.ctx[0]->c;
	stp_session.errors = 0;
	stp_session.state = STP_STATE_RUNNING;
	stp_private(c)->closed = 0;
	stp_private(c)->work_max = 1u << 30;
	hit(c, merge);
	same_number("a merge that ended loses nothing", stp_map_count(&sums), ELEMENTS);
	for (i = 0; i < ELEMENTS; i++) {
		const struct stp_stat *s = stp_map_get(&sums, &(union stp_val){ .n = i });

		twofold += s && s->count != 1;
	}
	same_number("and adds nothing twice", twofold, 0);
	c = start(100);
	hit(c, clear);
	same_number("an array that cannot be emptied stays", stp_map_count(&numbers), ELEMENTS);
	c = start(100000);
	hit(c, twice);
	verdict(strstr(messages, "too much work for one hit: more than 100000 instructions") != NULL, "no catch sees it");
	c = start(1u << 30);
	stp_session.deadline = 1000;
	hit(c, lingers);
	verdict(strstr(messages, "a hit took longer than") != NULL, "a hit that lingers ends");
	c = start(1u << 30);
	stp_session.deadline = 1000;
	hit(c, stalls);
	same_text("one that the host stopped for long doesn't", messages, "");
	return finish();
}
