/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays compared with a list that is searched linearly: capacity, wrap, slices, order, sorting, percpu. */
#include "core_platform.h"

#define L STP_LONG
#define S STP_STRING
#define ROOM 40

#define STAT_SIZE (sizeof(struct stp_stat) + 8 * 12)
#define STATS { .ops = STP_COUNT | STP_SUM | STP_MIN | STP_MAX | STP_AVG | STP_HIST_LINEAR, .buckets = 12, \
		.size = STAT_SIZE, .low = 0, .high = 100, .step = 10 }

static struct stp_map numbers = { "numbers", 1, L, { L }, .capacity = 1000 };
static struct stp_map small = { "small", 1, L, { L }, .capacity = 3 };
static struct stp_map one = { "one", 1, L, { L }, .capacity = 1, .wrap = true };
static struct stp_map wraps = { "wraps", 1, S, { L }, .wrap = true, .capacity = 3 };
static struct stp_map triples = { "triples", 3, L, { L, S, L }, .capacity = 60 };
static struct stp_map sums = { "sums", 1, STP_STATS, { L }, .percpu = true, .capacity = 6, .stat = STATS };
static struct stp_map names = { "names", 2, STP_STATS, { S, L }, .percpu = true, .capacity = 100, .stat = STATS };

/* every key combination of up to three keys, each with number and string values */
static struct stp_map mixed[] = {
	{ "l", 1, L, { L }, .capacity = ROOM }, { "s", 1, S, { S }, .capacity = ROOM },
	{ "ll", 2, S, { L, L }, .capacity = ROOM }, { "ls", 2, L, { L, S }, .capacity = ROOM },
	{ "sl", 2, L, { S, L }, .capacity = ROOM }, { "ss", 2, L, { S, S }, .capacity = ROOM },
	{ "lsl", 3, S, { L, S, L }, .capacity = ROOM }, { "sss", 3, L, { S, S, S }, .capacity = ROOM },
	{ "nine", 9, L, { L, S, L, S, L, S, L, S, L }, .capacity = ROOM },
};
#define MIXED 9

static struct stp_map *const maps[] = {
	&numbers, &small, &one, &wraps, &triples, &sums, &names, &mixed[0], &mixed[1], &mixed[2], &mixed[3],
	&mixed[4], &mixed[5], &mixed[6], &mixed[7], &mixed[8],
};

static struct stp_foreach up_key = { &numbers, 1, 1 }, down_value = { &numbers, -1, 0 };
static struct stp_foreach plain = { &numbers }, plain_triples = { &triples };
static struct stp_foreach by_name = { &triples, -1, 2 }, by_value = { &triples, 1, 0 };
static struct stp_foreach by_sum = { &sums, -1, 0, STP_SUM }, by_count = { &sums, -1 },
	by_min = { &sums, 1, 0, STP_MIN };
static struct stp_foreach text_value = { &wraps, 1, 0 };
static struct stp_foreach *const foreachs[] = { &up_key, &down_value, &plain, &plain_triples, &by_name, &by_value,
						&by_sum, &by_count, &by_min, &text_value };

const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI, .limits = LIMITS, .arrays = &stp_array_ops,
	.maps = maps, .nmaps = sizeof(maps) / sizeof(maps[0]),
	.foreachs = foreachs, .nforeachs = sizeof(foreachs) / sizeof(foreachs[0]),
};

static struct stp_ctx *c;

/* ------------------------------------------------------------------ comparison with a list */

struct entry {
	union stp_val keys[STP_MAX_KEYS];
	char text[STP_MAX_KEYS][STRING_LEN];
	s64 value;
};

static void random_keys(const struct stp_map *m, struct entry *e)
{
	int i, variety = m->nkeys == 1 ? 60 : m->nkeys == 2 ? 8 : m->nkeys == 3 ? 4 : 2;

	for (i = 0; i < m->nkeys; i++) {
		int n = (int)(random_u32() % (u32)variety);

		if (m->keys[i] == L) {
			e->keys[i].n = (s64)n << 40;
		} else {
			sprintf(e->text[i], "%.*s", n * 3 % 60, "the same beginning of a long text, again and again and again");
			if (n == 1)
				strcpy(e->text[i], "\xff");
			e->keys[i].s = e->text[i];
		}
	}
}

static bool equal(const struct stp_map *m, const struct entry *a, const struct entry *b)
{
	int i;

	for (i = 0; i < m->nkeys; i++)
		if (m->keys[i] == L ? a->keys[i].n != b->keys[i].n : strcmp(a->text[i], b->text[i]) != 0)
			return false;
	return true;
}

static int find_entry(const struct stp_map *m, const struct entry *list, int n, const struct entry *e)
{
	int i;

	for (i = 0; i < n; i++)
		if (equal(m, &list[i], e))
			return i;
	return -1;
}

/* Returns true if keys and values, in insertion order, equal the list. */
static bool same_as_list(struct stp_map *m, struct entry *list, int n)
{
	struct stp_foreach f = { m };
	struct stp_iter it;
	struct stp_elem *e;
	char text[32];
	int i = 0, k;

	if (stp_map_count(m) != n)
		return false;
	for (e = stp_foreach_first(c, &it, &f, -1, NULL, 0); e; e = stp_foreach_next(&it), i++) {
		for (k = 0; k < m->nkeys; k++)
			if (m->keys[k] == L ? stp_elem_long(m, e, k) != list[i].keys[k].n
					    : strcmp(stp_elem_string(m, e, k), list[i].text[k]))
				return false;
		sprintf(text, "%lld", list[i].value);
		if (m->value == L ? *(s64 *)stp_elem_value(m, e) != list[i].value
				  : strcmp(stp_elem_value(m, e), text))
			return false;
	}
	return i == n;
}

static bool churn(struct stp_map *m)
{
	static struct entry list[ROOM];
	struct entry e;
	int n = 0, step, at;
	void *cell;

	for (step = 0; step < 3000; step++) {
		random_keys(m, &e);
		at = find_entry(m, list, n, &e);
		if ((stp_map_get(m, e.keys) != NULL) != (at >= 0))
			return false;
		if (random_u32() % 3 == 0) {
			stp_map_delete(c, m, e.keys);
			if (at >= 0)
				memmove(&list[at], &list[at + 1], (size_t)(--n - at) * sizeof(e));
		} else {
			cell = stp_map_put(c, m, e.keys);
			if ((cell == NULL) != (at < 0 && n == ROOM))
				return false;
			c->error = NULL;
			if (!cell)
				continue;
			if (at < 0) {
				at = n++;
				list[at] = e;
				if (m->value == L ? *(s64 *)cell != 0 : *(char *)cell != 0)
					return false;
			}
			list[at].value = step;
			if (m->value == L)
				*(s64 *)cell = step;
			else
				sprintf(cell, "%d", step);
		}
		/* Moves the strings of the list together with it. */
		for (at = 0; at < n; at++)
			for (int k = 0; k < m->nkeys; k++)
				if (m->keys[k] == S)
					list[at].keys[k].s = list[at].text[k];
		if (step % 100 == 0 && !same_as_list(m, list, n))
			return false;
	}
	stp_map_clear(c, m);
	return stp_map_count(m) == 0 && !stp_map_get(m, e.keys) && same_as_list(m, list, 0);
}

/* ------------------------------------------------------------------ capacity, fast paths */

static void fast_paths(void)
{
	union stp_val k;
	int i, wrong = 0;
	s64 *cell;

	for (i = 0; i < 1000; i++) {
		cell = stp_map_put1(c, &numbers, i * 4096 - 2000);
		wrong += !cell || *cell;
		if (cell)
			*cell = i;
	}
	for (i = 0; i < 1000; i++) {
		k.n = i * 4096 - 2000;
		wrong += *(s64 *)stp_map_get1(&numbers, k.n) != i || *(s64 *)stp_map_get(&numbers, &k) != i;
	}
	same_number("one number as the key: fast and general paths see the same", wrong, 0);
	verdict(!stp_map_get1(&numbers, 1), "an absent key");
	verdict(!stp_map_put1(c, &numbers, 1), "put into a full map fails");
	same_text("overflow names the limit", c->error ? c->error : "", "Array overflow, check MAXMAPENTRIES");
	c->error = NULL;
	verdict(stp_map_put1(c, &numbers, 2096) && !c->error, "an existing key of a full map can be put");
	k.n = 2096;
	stp_map_delete(c, &numbers, &k);
	verdict(stp_map_put1(c, &numbers, 1) != NULL, "a deleted element makes room");
}

static const char *walk(struct stp_foreach *f, s64 limit, const union stp_val *slice, u32 any)
{
	static char text[4000];
	struct stp_map *m = f->map;
	struct stp_iter it;
	struct stp_elem *e;
	int i;

	text[0] = 0;
	for (e = stp_foreach_first(c, &it, f, limit, slice, any); e; e = stp_foreach_next(&it)) {
		for (i = 0; i < m->nkeys; i++) {
			if (m->keys[i] == L)
				sprintf(text + strlen(text), "%lld,", stp_elem_long(m, e, (u32)i));
			else
				sprintf(text + strlen(text), "%s,", stp_elem_string(m, e, (u32)i));
		}
		text[strlen(text) - 1] = ' ';
	}
	return text;
}

static void wrapping(void)
{
	s64 i;

	for (i = 1; i <= 5; i++)
		strcpy(stp_map_put1(c, &wraps, i), i % 2 ? "odd" : "even");
	same_text("a wrapping map keeps the newest", walk(&(struct stp_foreach){ &wraps }, -1, NULL, 0), "3 4 5 ");
	stp_map_put1(c, &wraps, 3);
	stp_map_put1(c, &wraps, 6);
	same_text("putting an old key doesn't make it younger", walk(&(struct stp_foreach){ &wraps }, -1, NULL, 0), "4 5 6 ");
	same_text("a new element of a wrapped map is empty", stp_map_get1(&wraps, 6), "");
	strcpy(stp_map_put1(c, &wraps, 6), "zoo");
	same_text("sorted by a string value", walk(&text_value, -1, NULL, 0), "4 5 6 ");
	for (i = 0; i < 100; i++)
		stp_map_put1(c, &one, i);
	same_text("a wrapping map of one element", walk(&(struct stp_foreach){ &one }, -1, NULL, 0), "99 ");
	for (i = 0; i < 4; i++)
		stp_map_put1(c, &small, i);
	same_text("a map that doesn't wrap keeps the oldest", walk(&(struct stp_foreach){ &small }, -1, NULL, 0), "0 1 2 ");
	c->error = NULL;
}

/* ------------------------------------------------------------------ order */

static void sorting(void)
{
	int i, n, wrong = 0, reordered = 0;
	struct stp_iter it;
	struct stp_elem *e, *last;
	s64 limit;

	stp_map_clear(c, &numbers);
	for (i = 0; i < 700; i++)
		*(s64 *)stp_map_put1(c, &numbers, i * 7919 % 1000) = i % 10;
	for (limit = -1; limit < 40; limit += 13) {
		n = 0;
		last = NULL;
		for (e = stp_foreach_first(c, &it, &down_value, limit, NULL, 0); e; e = stp_foreach_next(&it), n++) {
			s64 v = *(s64 *)stp_elem_value(&numbers, e);

			if (last && v > *(s64 *)stp_elem_value(&numbers, last))
				wrong++;
			if (last && v == *(s64 *)stp_elem_value(&numbers, last) && e < last)
				reordered++;       /* elements are in the pool in the order of insertion */
			last = e;
		}
		wrong += n != (limit < 0 ? 700 : limit);
	}
	same_number("descending by value, limits of none, 12, 25, 38", wrong, 0);
	same_number("equal values stay in the order of insertion", reordered, 0);
	n = 0;
	for (e = stp_foreach_first(c, &it, &up_key, -1, NULL, 0), last = NULL; e; last = e, e = stp_foreach_next(&it), n++)
		wrong += last && stp_elem_long(&numbers, last, 0) >= stp_elem_long(&numbers, e, 0);
	same_number("ascending by key", wrong || n != 700, 0);
	same_text("ascending, limit 3", walk(&up_key, 3, NULL, 0), "0 1 2 ");
	same_text("limit 0", walk(&up_key, 0, NULL, 0), "");
	same_text("insertion order with a limit", walk(&plain, 3, NULL, 0), "0 919 838 ");
	stp_map_clear(c, &numbers);
	same_text("sorting nothing", walk(&up_key, -1, NULL, 0), "");
	stp_map_put1(c, &numbers, -5);
	same_text("sorting one element", walk(&down_value, -1, NULL, 0), "-5 ");
}

static void put3(s64 a, const char *b, s64 d, s64 value)
{
	union stp_val k[] = { { .n = a }, { .s = b }, { .n = d } };

	*(s64 *)stp_map_put(c, &triples, k) = value;
}

static void slices(void)
{
	union stp_val k[] = { { .n = 2 }, { .s = "b" }, { .n = 0 } };

	put3(1, "a", 1, 50);
	put3(2, "b", 1, 40);
	put3(2, "a", 2, 30);
	put3(2, "b", 3, 20);
	put3(3, "c", 3, 10);
	same_text("slice [2,*,*]", walk(&plain_triples, -1, k, 6), "2,b,1 2,a,2 2,b,3 ");
	same_text("slice [2,\"b\",*]", walk(&plain_triples, -1, k, 4), "2,b,1 2,b,3 ");
	same_text("slice [*,\"b\",*] by value", walk(&by_value, -1, k, 5), "2,b,3 2,b,1 ");
	same_text("slice with a limit", walk(&plain_triples, 1, k, 4), "2,b,1 ");
	same_text("descending by a string key", walk(&by_name, -1, NULL, 0), "3,c,3 2,b,1 2,b,3 1,a,1 2,a,2 ");
	verdict(stp_map_has_slice(c, &triples, k, 4), "has a slice");
	k[1].s = "bb";
	verdict(!stp_map_has_slice(c, &triples, k, 5), "a longer string is another");
	k[1].s = "";
	verdict(!stp_map_has_slice(c, &triples, k, 5), "so is the empty one");
	k[1].s = "b";
	k[0].n = 9;
	verdict(!stp_map_has_slice(c, &triples, k, 6), "has not a slice");
	k[0].n = 2;
	stp_map_delete_slice(c, &triples, k, 4);
	same_text("a deleted slice is removed", walk(&plain_triples, -1, NULL, 0), "1,a,1 2,a,2 3,c,3 ");
	stp_map_delete_slice(c, &triples, k, 7);
	same_text("deleting [*,*,*] empties", walk(&plain_triples, -1, NULL, 0), "");
}

static void deleting_inside(void)
{
	struct stp_iter it;
	struct stp_elem *e;
	union stp_val k;
	int i, n = 0;

	stp_map_clear(c, &numbers);
	for (i = 0; i < 50; i++)
		stp_map_put1(c, &numbers, i);
	for (e = stp_foreach_first(c, &it, &plain, -1, NULL, 0); e; e = stp_foreach_next(&it), n++) {
		k.n = stp_elem_long(&numbers, e, 0);
		stp_map_delete(c, &numbers, &k);
	}
	same_number("deleting each element while walking visits all", n, 50);
	same_number("and leaves none", stp_map_count(&numbers), 0);
}

/* ------------------------------------------------------------------ percpu */

static void add(int cpu, s64 key, s64 v)
{
	union stp_val k = { .n = key };
	struct stp_stat *s = v % 2 ? stp_pmap_put(cpu_ctx[cpu], &sums, &k) : stp_pmap_put1(cpu_ctx[cpu], &sums, key);

	if (s)
		stp_stat_add(s, &sums.stat, v);
}

static void percpu(void)
{
	struct stp_stat *s;
	union stp_val k;
	int i;

	add(0, 1, 10);
	add(1, 1, 20);
	add(2, 2, 5);
	add(3, 3, 7);
	verdict(!stp_map_get1(&sums, 1), "what CPUs added is not in the main table yet");
	stp_map_merge(c, &sums);
	s = stp_map_get1(&sums, 1);
	verdict(s && s->count == 2 && s->sum == 30 && s->min == 10 && s->max == 20, "two CPUs' values are merged");
	verdict(s && s->hist[2] == 1 && s->hist[3] == 1, "their histograms too");
	same_number("elements of three keys", stp_map_count(&sums), 3);
	stp_map_merge(c, &sums);
	verdict(s->count == 2, "merging again adds nothing");
	add(2, 1, 1);
	stp_map_merge(c, &sums);
	verdict(s->count == 3 && s->sum == 31 && s->min == 1, "a value added later is merged too");
	add(1, 3, 1);
	add(1, 3, 1);
	add(1, 3, 1);
	stp_map_merge(c, &sums);
	same_text("by @sum descending", walk(&by_sum, -1, NULL, 0), "1 3 2 ");
	same_text("by @count descending is the default", walk(&by_count, 2, NULL, 0), "3 1 ");
	same_text("by @min ascending", walk(&by_min, -1, NULL, 0), "1 3 2 ");
	add(0, 2, 100);
	k.n = 2;
	stp_map_delete(c, &sums, &k);
	stp_map_merge(c, &sums);
	verdict(!stp_map_get1(&sums, 2), "delete reaches the CPUs' tables");
	for (i = 10; i < 15; i++)
		add(0, i, 1);
	stp_map_merge(c, &sums);
	same_number("merging stops at the capacity", stp_map_count(&sums), 6);
	same_number("what was dropped is counted", (s64)stp_lost(STP_LOSS_ELEMENTS), 1);
	same_text("and says so once", strstr(messages, "WARNING Array"),
		  "WARNING Array overflow in the sum over all CPUs, check MAXMAPENTRIES\n");
	add(3, 77, 1);
	stp_map_clear(c, &sums);
	stp_map_merge(c, &sums);
	same_number("clear reaches the CPUs' tables", stp_map_count(&sums), 0);
	for (i = 0; i < 7; i++)
		add(0, i, 1);
	same_text("a CPU's table overflows with an error", cpu_ctx[0]->error ? cpu_ctx[0]->error : "",
		  "Array overflow, check MAXMAPENTRIES");
	cpu_ctx[0]->error = NULL;
}

static void percpu_names(void)
{
	s64 sum[40] = { 0 }, count[40] = { 0 };
	union stp_val k[2];
	struct stp_stat *s;
	char text[20];
	int i, n, wrong = 0;

	for (i = 0; i < 5000; i++) {
		n = (int)(random_u32() % 40);
		sprintf(text, "name %d", n / 2);
		k[0].s = text;
		k[1].n = n % 2;
		stp_stat_add(stp_pmap_put(cpu_ctx[random_u32() % CPUS], &names, k), &names.stat, i);
		sum[n] += i;
		count[n]++;
		if (i % 777 == 0)
			stp_map_merge(c, &names);
	}
	stp_map_merge(c, &names);
	for (n = 0; n < 40; n++) {
		sprintf(text, "name %d", n / 2);
		k[0].s = text;
		k[1].n = n % 2;
		s = stp_map_get(&names, k);
		wrong += count[n] ? !s || s->sum != sum[n] || s->count != count[n] : s != NULL;
	}
	same_number("5000 values of 40 keys on 4 CPUs, merged now and then", wrong, 0);
}

static void memory_failures(void)
{
	int i, err = -1;

	stp_session_free();
	for (i = 0; err && i < 1000; i++) {
		fail_allocation = i;
		memset(&stp_session, 0, sizeof(stp_session));
		err = stp_session_make();
		stp_session_free();
		if (allocations)
			break;
	}
	fail_allocation = -1;
	verdict(!err && i > 20, "each failed allocation at start is reported");
	same_number("and leaks nothing", allocations, 0);
}

int main(void)
{
	int i;

	session_renew();
	c = cpu_ctx[1];
	for (i = 0; i < MIXED; i++)
		verdict(churn(&mixed[i]), "3000 random puts and deletes, keys %s", mixed[i].name);
	fast_paths();
	wrapping();
	sorting();
	slices();
	deleting_inside();
	percpu();
	percpu_names();
	memory_failures();
	cpus_used = 5;
	session_renew();
	c = cpu_ctx[2];
	add(2, 4, 4);
	add(0, 4, 5);
	stp_map_merge(c, &sums);
	verdict(stp_map_get1(&sums, 4) && ((struct stp_stat *)stp_map_get1(&sums, 4))->sum == 9,
		"CPUs that are not used are skipped");
	return finish();
}
