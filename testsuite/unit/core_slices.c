/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handlers in slices: copies contain the values of all globals at the same time, and each value is counted in
 * one period. */
#include "core_platform.h"
#include "../../runtime/core/map.h"

#define ELEMENTS 300
#define STATS { .ops = STP_COUNT | STP_SUM, .size = sizeof(struct stp_stat) }

static struct stp_map numbers = { "numbers", 1, STP_LONG, { STP_LONG }, .capacity = ELEMENTS };
static struct stp_map numbers2 = { "numbers", 1, STP_LONG, { STP_LONG }, .capacity = ELEMENTS };
static struct stp_map names = { "names", 2, STP_STRING, { STP_STRING, STP_LONG }, .wrap = true,
				.capacity = ELEMENTS };
static struct stp_map names2 = { "names", 2, STP_STRING, { STP_STRING, STP_LONG }, .wrap = true,
				 .capacity = ELEMENTS };
static struct stp_map sums = { "sums", 1, STP_STATS, { STP_LONG }, .percpu = true, .capacity = ELEMENTS,
			       .stat = STATS };
static struct stp_map sums2 = { "sums", 1, STP_STATS, { STP_LONG }, .capacity = ELEMENTS, .stat = STATS };
static struct stp_map many = { "many", 1, STP_LONG, { STP_LONG }, .capacity = 10000 };
static struct stp_scalar_stat all = { "all", STATS, 0, NULL }, all2 = { "all", STATS, sizeof(struct stp_stat), NULL };
static s64 total, total2;
static char text[STRING_LEN], text2[STRING_LEN];
static struct stp_map *const maps[] = { &numbers, &numbers2, &names, &names2, &sums, &sums2, &many };
static struct stp_scalar_stat *const stats[] = { &all, &all2 };
static struct stp_foreach sorted = { &numbers2, -1, 0 }, by_name = { &names2, 1, 2 };
static struct stp_foreach *const foreachs[] = { &sorted, &by_name };

const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI, .limits = LIMITS, .arrays = &stp_array_ops,
	.maps = maps, .nmaps = 7, .stats = stats, .nstats = 2,
	.foreachs = foreachs, .nforeachs = 2, .percpu_size = 2 * sizeof(struct stp_stat),
};

static bool clears;
static s64 seen, counted, summed, of_total, made, gone, unsorted, missing;

/* A hit of another probe while the handler runs: its value belongs to the next period. */
static void add(struct stp_ctx *c)
{
	static s64 n;
	char name[STRING_LEN];
	s64 i;

	for (i = 0; i < 40; i++, n++, made++) {
		*(s64 *)stp_map_put1(c, &numbers, n * 7919 % ELEMENTS) += 1;
		snprintf(name, sizeof(name), "a name of some length %lld", (long long)(n % 77));
		stp_copy(stp_map_put(c, &names, (union stp_val[]){ { .s = name }, { .n = n % 400 } }), name, STRING_LEN);
		stp_stat_add(stp_pmap_put(c, &sums, &(union stp_val){ .n = n % 50 }), &sums.stat, 2);
		stp_stat_add((struct stp_stat *)c->percpu, &all.desc, 3);
		total++;
		snprintf(text, sizeof(text), "%lld", (long long)n);
	}
	if (!clears && n % 3 == 0) {
		stp_map_delete(c, &numbers, &(union stp_val){ .n = n % ELEMENTS });
		stp_map_delete(c, &names, (union stp_val[]){ { .s = name }, { .n = (n - 1) % 400 } });
	}
}

static void hit(u32 cpu, const struct stp_probe *p)
{
	struct stp_ctx *c = &stp_session.ctx[cpu]->c;

	if (stp_ctx_enter(c)) {
		stp_handler_run(c, p);
		stp_ctx_leave(c);
	}
}

static const struct stp_probe adder = { add, .needs_actions = true };

static void show(struct stp_ctx *c)
{
	struct stp_iter it;
	struct stp_elem *e;
	s64 last = 1ll << 60, key;

	seen = counted = 0;
	for (e = stp_foreach_first(c, &it, &sorted, -1, NULL, 0); e; e = stp_foreach_next(&it)) {
		s64 n = stp_load_long(stp_elem_value(&numbers2, e));

		unsorted += n > last;
		missing += stp_map_get1(&numbers2, stp_elem_long(&numbers2, e, 0)) != stp_elem_value(&numbers2, e);
		last = n;
		seen += n;
		hit(seen & 3, &adder);
	}
	last = -1;
	for (e = stp_foreach_first(c, &it, &by_name, -1, NULL, 0); e; e = stp_foreach_next(&it)) {
		key = stp_elem_long(&names2, e, 1);
		unsorted += key < last;
		last = key;
		missing += strcmp(stp_elem_string(&names2, e, 0), stp_elem_value(&names2, e)) != 0;
	}
	for (e = stp_elem_or_null(&sums2.data->main, sums2.data->main.first); e;
	     e = stp_elem_or_null(&sums2.data->main, e->next))
		counted += ((struct stp_stat *)stp_elem_value(&sums2, e))->count;
	summed = stp_scalar_merge(c, &all2)->sum;
	of_total = total2;
	stp_map_clear(c, &numbers2);
	hit(2, &adder);
}

static struct stp_take takes[] = {
	{ STP_TAKE_MAP, .from = &numbers, .to = &numbers2 }, { STP_TAKE_MAP, .from = &names, .to = &names2 },
	{ STP_TAKE_MAP, .from = &sums, .to = &sums2 }, { STP_TAKE_STAT, .from = &all, .to = &all2 },
	{ STP_TAKE_LONG, .from = &total, .to = &total2 }, { STP_TAKE_STRING, .from = text, .to = text2 },
};
static const struct stp_probe before = { stp_take, .needs_actions = true, .takes = takes, .ntakes = 6 };
static const struct stp_probe shown = { show, .in_slices = true, .before = &before };

static bool run(void)
{
	struct stp_ctx *c = &stp_session.ctx[1]->c;

	stp_slices_prepare(&shown);
	c->saved_return = 0;
	hit(1, &before);
	if (!c->saved_return)
		return false;
	stp_slices_run(&shown, 0);
	return true;
}

static void start(bool clear)
{
	u32 i;

	session_renew();
	stp_session.state = STP_STATE_RUNNING;
	for (i = 0; i < CPUS; i++)
		stp_session.ctx[i]->closed = 0;
	clears = clear;
	for (i = 0; i < 6; i++)
		takes[i].clear = clear;
	total = made = 0;
}

static s64 sum_of_numbers(void)
{
	struct stp_elem *e;
	s64 sum = 0;

	for (e = stp_elem_or_null(&numbers.data->main, numbers.data->main.first); e;
	     e = stp_elem_or_null(&numbers.data->main, e->next))
		sum += stp_load_long(stp_elem_value(&numbers, e));
	return sum;
}

/* Iterates as long as the budget allows. */
static void endless(struct stp_ctx *c)
{
	stp_session.state = STP_STATE_STOPPING;
	while (stp_charge(c, 1000))
		;
}

/* A handler whose single sort takes longer than the budget. */
static void long_sort(struct stp_ctx *c)
{
	stp_session.state = STP_STATE_STOPPING;
	stp_charge(c, 1000ull * stp_session.ctx[1]->work_max);
}

static s64 breaths;

static void count_breaths(void)
{
	breaths++;
}

/* A hit on another CPU that reads the statistic which a handler in slices merges. */
static void read_elsewhere(void)
{
	struct stp_ctx *c = &stp_session.ctx[2]->c;

	breaths++;
	stp_scalar_merge(c, &all);
	if (c->error)
		stp_error_report(stp_session.ctx[2]);
}

static void merge_slowly(struct stp_ctx *c)
{
	breaths = 0;
	breathes = read_elsewhere;
	c->work = 0;
	stp_scalar_merge(c, &all);
	breathes = NULL;
}

static bool was_stopped;

/* Kills the reader of this handler, or another one. */
static void lose_reader(struct stp_ctx *c)
{
	int i;

	stp_session.unwanted = 7;
	for (i = 0; i < 1000 && stp_charge(c, 1000); i++)
		;
	was_stopped = i < 1000;
}

static void of_readers(void)
{
	static const struct stp_probe read = { lose_reader, .in_slices = true };

	start(false);
	stp_slices_run(&read, 7);
	same_number("a handler whose reader is killed ends", was_stopped, 1);
	same_number("and is counted", (s64)stp_lost(STP_LOSS_UNFINISHED), 3);
	stp_slices_run(&read, 8);
	same_number("that of another reader goes on", was_stopped, 0);
	stp_slices_run(&read, 0);
	same_number("and so does a timer's", was_stopped, 0);
	same_number("the session, too", stp_session.state, STP_STATE_RUNNING);
	stp_session.unwanted = 0;
}

/* Handlers of begin and end probes, whose process is killed. */
static void of_killed_processes(void)
{
	static const struct stp_probe begin = { lose_reader }, end = { endless };

	start(false);
	stp_slices_run(&begin, 7);
	same_number("a begin probe has no limit", was_stopped, 0);
	process_killed = true;
	stp_session.ctx[1]->work_max = 500;
	stp_session.exclusive->work_max = 500;
	stp_slices_run(&begin, 7);
	same_number("if its process is killed, it ends", was_stopped, 1);
	same_number("and is counted", (s64)stp_lost(STP_LOSS_UNFINISHED), 4);
	same_number("and so does the session", stp_session.state, STP_STATE_STOPPING);
	stp_slices_run(&end, 0);
	same_number("an end probe ends, too", (s64)stp_lost(STP_LOSS_UNFINISHED), 5);
	process_killed = false;
	stp_session.unwanted = 0;
}

static void of_taking(void)
{
	static const struct stp_probe merging = { merge_slowly, .in_slices = true };
	s64 i;

	start(true);
	hit(0, &adder);
	stp_session.ctx[1]->work_max = 500;
	same_number("a copy fails", run(), 0);
	same_number("then nothing is taken away", sum_of_numbers() == made && total == made, 1);

	start(false);
	hit(0, &adder);
	stp_slices_run(&merging, 0);
	verdict(breaths > 0 && !messages[0], "a hit does not wait for statistics that a handler in slices merges");

	for (i = 0; i < 10000; i++)
		stp_map_put1(&stp_session.exclusive->c, &many, i);
	breaths = 0;
	breathes = count_breaths;
	stp_map_clear(&stp_session.exclusive->c, &many);
	breathes = NULL;
	same_number("a large array is cleared with pauses", breaths >= 9 && !stp_map_count(&many), 1);
}

int main(void)
{
	s64 sum = 0, counts = 0, sums_seen = 0, totals = 0, wrong = 0, was, names_were, numbers_were;
	struct stp_probe stays = { endless, .in_slices = true }, at_once = { long_sort, .in_slices = true };
	int i;

	start(true);
	for (i = 0; i < 50; i++) {
		hit(i & 3, &adder);
		was = made - gone;
		wrong += !run() || seen != was || counted != was || summed != 3 * was || of_total != was;
		gone += was;
		sum += seen;
		counts += counted;
		sums_seen += summed;
		totals += of_total;
	}
	same_number("each period has what came in it", wrong, 0);
	clears = true;
	run();
	same_number("each value is in one period", sum + seen, made - total);
	same_number("of statistics, too", counts + counted, made - total);
	same_number("and of scalars", (sums_seen + summed) / 3 == made - total && totals + of_total == made - total, 1);

	start(false);
	for (i = wrong = 0; i < 50; i++) {
		hit(i & 3, &adder);
		was = made;
		names_were = stp_map_count(&names);
		numbers_were = sum_of_numbers();
		wrong += !run() || seen != numbers_were || counted != was || of_total != was || summed != 3 * was;
		wrong += stp_map_count(&names2) != names_were || stp_map_count(&numbers2);
	}
	same_number("copies leave the globals alone", wrong, 0);
	same_number("sorted", unsorted, 0);
	same_number("and found", missing, 0);
	same_text("nothing is reported", messages, "");

	start(false);
	hit(0, &adder);
	stp_session.ctx[1]->work_max = 500;
	same_number("without the budget for copies it does not run", run(), 0);
	verdict(strstr(messages, "too much work for one hit") != NULL, "and says so");

	start(false);
	stp_slices_run(&stays, 0);
	same_number("one that goes on after the end is stopped, and counted", (s64)stp_lost(STP_LOSS_UNFINISHED), 1);
	same_number("end probes follow", stp_session.state, STP_STATE_STOPPING);
	start(false);
	stp_slices_run(&at_once, 0);
	same_number("also one that does all its work at once", (s64)stp_lost(STP_LOSS_UNFINISHED), 2);
	of_readers();
	of_killed_processes();
	of_taking();
	return finish();
}
