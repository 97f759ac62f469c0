/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays: hash tables of a fixed capacity, allocated at the start, with their elements on a list in the order of
 * insertion. Context: a handler that holds the array's lock, except for make and free.
 *
 * An element consists of a header, its keys and its value. A number takes 8 bytes, a string limits.string_len
 * bytes, of which only those up to the terminator are hashed, compared and copied.
 *
 * A percpu map of statistics has one table per CPU, to which that CPU adds without a lock, and a main one. Merging
 * moves the elements of the CPUs' tables into the main one, so that each added value is merged once; readers hold
 * the lock in write mode. A percpu map of numbers has one table, in which CPUs look up keys while another CPU may
 * insert one, and a sum for each CPU and element. map_memory.c allocates, foreach.c sorts.
 */
#include "map.h"
#include "../include/bounds.h"
#include "string_words.h"

/* The smallest element has a number as key and as value; plat_alloc() allocates less than 2 GB. */
_Static_assert((sizeof(struct stp_elem) + 16) * STP_MAX_MAXMAPENTRIES < 1ull << 31, "arrays of the largest size");

/* ------------------------------------------------------------------ one table */

static u32 *bucket_of(const struct stp_table *t, u64 hash)
{
	return &t->buckets[hash >> t->shift];
}

/* Visits the elements e of a bucket. at: a variable for e's position. */
#define FOR_EACH_IN_BUCKET(t, hash, at, e) \
	for ((at) = *bucket_of(t, hash); (at) && ((e) = stp_elem_at(t, at), true); (at) = (e)->chain)

/* The hash of an element's keys as far as it is stored: enough to select the bucket and to tell most keys apart. */
static u64 stored_hash(const struct stp_elem *e)
{
	return (u64)e->hash << 32;
}

static bool same_hash(const struct stp_elem *e, u64 hash)
{
	return e->hash == (u32)(hash >> 32);
}

u64 stp_key_factor;

/* XORs both halves of the product, since the highest bits of the lower half depend too little on the factor. */
static inline u64 mix(u64 h)
{
	unsigned __int128 product = (unsigned __int128)h * stp_key_factor;

	return (u64)product ^ (u64)(product >> 64);
}

/* The cost of a lookup includes this number of bytes of the keys. */
#define KEY_INCLUDED 128

/*
 * Charges further bytes of a key, which are hashed, and compared or copied. Returns its first argument, so that
 * hash_rest() ends in a call and needs no saved registers.
 */
static __attribute__((__noinline__)) u64 charge_long_key(u64 hash, u64 n)
{
	stp_charge(stp_ctx_here(), n / 8 * STP_WORK_LONG_KEY);
	return hash;
}

/* h: the hash of the bytes before s. */
static __attribute__((__noinline__)) u64 hash_rest(u64 h, const char *s)
{
	const char *included = s + KEY_INCLUDED;
	u64 w, zero;

	for (;; s += 8) {
		w = stp_word_load(s);
		zero = stp_word_zero(w);
		if (zero)
			break;
		h = mix(h ^ w);
	}
	h = (h ^ (w & stp_word_before(zero))) * stp_key_factor;
	return STP_UNLIKELY(s > included) ? charge_long_key(h, (u64)(s - included)) : h;
}

/* Handles the common case that a string ends in its first word. A separate function needs fewer registers. */
static inline u64 hash_string(u64 h, const char *s)
{
	u64 w = stp_word_load(s), zero = stp_word_zero(w);

	if (STP_LIKELY(zero))
		return (h ^ (w & stp_word_before(zero))) * stp_key_factor;
	return hash_rest(mix(h ^ w), s + 8);
}

static u64 hash_keys(const struct stp_map *m, const union stp_val *keys)
{
	u64 h = 0;
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		if (m->keys[i] == STP_STRING)
			h = hash_string(h, keys[i].s);
		else if (i + 1 < m->nkeys)
			h = mix(h ^ (u64)keys[i].n);
		else
			h = (h ^ (u64)keys[i].n) * stp_key_factor;
	}
	return h;
}

/* cell: a key in the table. It is aligned to 8 bytes, so a word of it is never in two pages. */
static bool same_string(const char *cell, const char *s)
{
	u64 x, y, zero;

	for (;; cell += 8, s += 8) {
		x = STP_WORD(*(const u64 *)cell);
		y = stp_word_load(s);
		zero = stp_word_zero(x);
		if (zero)                      /* the terminators must be equal, too */
			return !((x ^ y) & (stp_word_before(zero) << 1 | 1));
		if (x != y)
			return false;
	}
}

/* If bit k of `any` is set, key k is not compared. */
static bool same_keys(const struct stp_map *m, const struct stp_elem *e, const union stp_val *keys,
		      u32 any)
{
	const struct stp_map_data *d = m->data;
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		const void *cell = (const char *)e + d->key_offset[i];

		if (any >> i & 1)
			continue;
		if (m->keys[i] == STP_LONG ? stp_load_long(cell) != keys[i].n
					   : !same_string(cell, keys[i].s))
			return false;
	}
	return true;
}

/* Returns the position of the element with these keys; 0: the table does not have it. So do the functions below. */
static u64 find(const struct stp_map *m, const struct stp_table *t, u64 hash, const union stp_val *keys)
{
	struct stp_elem *e;
	u64 at;

	FOR_EACH_IN_BUCKET(t, hash, at, e)
		if (same_hash(e, hash) && same_keys(m, e, keys, 0))
			return at;
	return 0;
}

/* Returns whether the key is of the most common form: one number, or one string of less than eight bytes, as
 * mostly in a[execname()]. */
static inline bool has_one_word(const struct stp_map *m, const union stp_val *keys)
{
	return m->nkeys == 1 && m->keys[0] == STP_STRING && stp_word_zero(stp_word_load(keys->s));
}

/* Searches for keys of any kind. */
static inline u64 find_keys(const struct stp_map *m, const struct stp_table *t, const union stp_val *keys, u64 *hash)
{
	struct stp_elem *e;
	u64 at;

	if (m->nkeys > 1 || m->keys[0] != STP_STRING) {
		*hash = hash_keys(m, keys);
		return find(m, t, *hash, keys);
	}
	*hash = hash_string(0, keys->s);
	FOR_EACH_IN_BUCKET(t, *hash, at, e)
		if (same_hash(e, *hash) && same_string(e->cells, keys->s))
			return at;
	return 0;
}

/* Searches for a key of has_one_word(), which is compared without its hash. */
static inline u64 find_word(const struct stp_table *t, const char *key)
{
	u64 w = stp_word_load(key), before = stp_word_before(stp_word_zero(w)), compared = before << 1 | 1;
	struct stp_elem *e;
	u64 at;

	FOR_EACH_IN_BUCKET(t, (w & before) * stp_key_factor, at, e)
		if (STP_LIKELY(!((STP_WORD(*(const u64 *)e->cells) ^ w) & compared)))
			return at;
	return 0;
}

static void unlink_elem(struct stp_table *t, struct stp_elem *e)
{
	u32 *p = bucket_of(t, stored_hash(e)), position = stp_elem_position(t, e);

	while (*p != position)
		p = &stp_elem_at(t, *p)->chain;
	*p = e->chain;
	if (e->prev)
		stp_elem_at(t, e->prev)->next = e->next;
	else
		t->first = e->next;
	if (e->next)
		stp_elem_at(t, e->next)->prev = e->prev;
	else
		t->last = e->prev;
	STP_CHECK_THAT(t->count && !t->first == (t->count == 1));
	t->count--;
}

/* e->next remains valid, so that an iterator on a removed element can continue. */
static void remove_elem(struct stp_table *t, struct stp_elem *e)
{
	unlink_elem(t, e);
	e->chain = t->free;
	t->free = stp_elem_position(t, e);
}

/* Returns a free element, or the oldest one of a full map that wraps; NULL if the map is full. */
static struct stp_elem *take(const struct stp_map *m, struct stp_table *t)
{
	struct stp_elem *e = stp_elem_or_null(t, t->free);

	if (e) {
		t->free = e->chain;
		return e;
	}
	if (t->used < m->capacity)
		return (struct stp_elem *)(t->pool + t->used++ * m->data->elem_size);
	if (!m->wrap || !t->first)
		return NULL;
	e = stp_elem_at(t, t->first);
	unlink_elem(t, e);
	return e;
}

static void link_elem(struct stp_table *t, struct stp_elem *e, u64 hash)
{
	u32 *bucket = bucket_of(t, hash), position = stp_elem_position(t, e);

	e->hash = (u32)(hash >> 32);
	e->chain = *bucket;
	__atomic_store_n(bucket, position, __ATOMIC_RELEASE);       /* stp_map_add() reads it without a lock */
	e->next = 0;
	e->prev = t->last;
	if (t->last)
		stp_elem_at(t, t->last)->next = position;
	else
		t->first = position;
	t->last = position;
	t->count++;
	STP_CHECK_THAT(t->count <= t->used && t->used <= ((1ull << (64 - t->shift))));
}

static void clear_value(const struct stp_map *m, struct stp_elem *e)
{
	char *value = (char *)e + m->data->value_offset;

	if (m->value == STP_STATS)
		stp_stat_clear((struct stp_stat *)value, &m->stat);
	else
		*(u64 *)value = 0;             /* also makes a string empty, since cells are multiples of 8 */
}

static void set_keys(const struct stp_map *m, struct stp_elem *e, const union stp_val *keys)
{
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		char *cell = (char *)e + m->data->key_offset[i];

		if (m->keys[i] == STP_LONG)
			*(s64 *)cell = keys[i].n;
		else
			stp_copy(cell, keys[i].s, stp_module.limits.string_len);
	}
}

/* Inserts an element with a cleared value and unset keys. */
static struct stp_elem *insert(const struct stp_map *m, struct stp_table *t, u64 hash)
{
	struct stp_elem *e = take(m, t);

	if (!e)
		return NULL;
	clear_value(m, e);
	link_elem(t, e, hash);
	return e;
}

static void *overflow(struct stp_ctx *c, const struct stp_map *m)
{
	if (m->sized)
		stp_error(c, "Array overflow, check size limit (%u)", m->capacity);
	else
		stp_error(c, "Array overflow, check MAXMAPENTRIES");
	return NULL;
}

/* Returns the value of the element at a position. */
static inline void *value_at(const struct stp_map *m, const struct stp_table *t, u64 position)
{
	return (char *)stp_elem_at(t, position) + m->data->value_offset;
}

/* A separate function, since finding an element then needs fewer registers. */
static __attribute__((__noinline__)) void *put_absent(struct stp_ctx *c, struct stp_map *m, struct stp_table *t,
						      u64 hash, const union stp_val *keys)
{
	struct stp_elem *e = insert(m, t, hash);

	if (!e)
		return overflow(c, m);
	set_keys(m, e, keys);
	return (char *)e + m->data->value_offset;
}

static __attribute__((__noinline__)) void *put_keys(struct stp_ctx *c, struct stp_map *m, struct stp_table *t,
						    const union stp_val *keys)
{
	u64 hash;
	u64 at = find_keys(m, t, keys, &hash);

	return STP_LIKELY(at) ? value_at(m, t, at) : put_absent(c, m, t, hash, keys);
}

static __attribute__((__noinline__)) void *put_absent_word(struct stp_ctx *c, struct stp_map *m, struct stp_table *t,
							   const union stp_val *keys)
{
	return put_absent(c, m, t, hash_string(0, keys->s), keys);
}

static inline void *put(struct stp_ctx *c, struct stp_map *m, struct stp_table *t, const union stp_val *keys)
{
	u64 at;

	if (!has_one_word(m, keys))
		return put_keys(c, m, t, keys);
	at = find_word(t, keys->s);
	return STP_LIKELY(at) ? value_at(m, t, at) : put_absent_word(c, m, t, keys);
}

/* Charges the removal of all elements. Without sufficient budget, none is removed. */
static bool charge_clear(struct stp_ctx *c, const struct stp_table *t)
{
	return stp_charge(c, STP_WORK_CPU + (u64)t->count * STP_WORK_CLEAR);
}

/* Handlers that may be preempted pause while they clear a large table. */
#define CLEAR_CHUNK 1024
static void clear_table(struct stp_table *t)
{
	struct stp_elem *e;
	u32 n = 0;

	for (e = stp_elem_or_null(t, t->first); e; e = stp_elem_or_null(t, e->next)) {
		*bucket_of(t, stored_hash(e)) = 0;
		if (!(++n % CLEAR_CHUNK))
			plat_yield();
	}
	t->first = t->last = t->free = 0;
	t->used = t->count = 0;
}

/* ------------------------------------------------------------------ maps */

void *stp_map_get(struct stp_map *m, const union stp_val *keys)
{
	const struct stp_table *t = &m->data->main;
	u64 at = find(m, t, hash_keys(m, keys), keys);

	return at ? value_at(m, t, at) : NULL;
}

static inline void *get1(const struct stp_map_data *d, const struct stp_table *t, s64 key)
{
	struct stp_elem *e;
	u64 at;

	FOR_EACH_IN_BUCKET(t, (u64)key * stp_key_factor, at, e)
		if (STP_LIKELY(stp_load_long(e->cells) == key))
			return (char *)e + d->value_offset;
	return NULL;
}

void *stp_map_get1(struct stp_map *m, s64 key)
{
	return get1(m->data, &m->data->main, key);
}

void *stp_map_put(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys)
{
	return put(c, m, &m->data->main, keys);
}

static __attribute__((__noinline__)) void *insert1(struct stp_ctx *c, struct stp_map *m, struct stp_table *t, s64 key)
{
	struct stp_elem *e = insert(m, t, (u64)key * stp_key_factor);

	if (!e)
		return overflow(c, m);
	*(s64 *)e->cells = key;
	return (char *)e + m->data->value_offset;
}

static inline void *put1(struct stp_ctx *c, struct stp_map *m, struct stp_table *t, s64 key)
{
	void *value = get1(m->data, t, key);

	return STP_LIKELY(value) ? value : insert1(c, m, t, key);
}

void *stp_map_put1(struct stp_ctx *c, struct stp_map *m, s64 key)
{
	return put1(c, m, &m->data->main, key);
}

struct stp_stat *stp_pmap_put1(struct stp_ctx *c, struct stp_map *m, s64 key)
{
	return put1(c, m, m->data->cpu[stp_private(c)->cpu], key);
}

struct stp_stat *stp_pmap_put(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys)
{
	return put(c, m, m->data->cpu[stp_private(c)->cpu], keys);
}

static void delete_in(struct stp_map *m, struct stp_table *t, u64 hash, const union stp_val *keys)
{
	u64 at = find(m, t, hash, keys);

	if (at)
		remove_elem(t, stp_elem_at(t, at));
}

/* Returns the work of comparing one element's keys with these. */
static u64 slice_cost(const struct stp_map *m, const union stp_val *keys, u32 any)
{
	u64 cost = STP_WORK_ELEMENT;
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		if (any >> i & 1)
			continue;
		cost += STP_WORK_KEY;
		if (m->keys[i] == STP_STRING)
			cost += ((u64)stp_strlen(keys[i].s) / 8 + 1) * (2 * STP_WORK_WORD);
	}
	return cost;
}

void stp_map_delete(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys)
{
	u64 hash = hash_keys(m, keys);
	u32 cpu;

	if (m->data->cpu && !stp_charge(c, (u64)m->data->ncpus * (slice_cost(m, keys, 0) + STP_WORK_CLEAR)))
		return;
	delete_in(m, &m->data->main, hash, keys);
	for (cpu = 0; m->data->cpu && cpu < m->data->ncpus; cpu++)
		if (m->data->cpu[cpu])
			delete_in(m, m->data->cpu[cpu], hash, keys);
}

void stp_map_clear(struct stp_ctx *c, struct stp_map *m)
{
	u32 cpu;

	stp_debug_map(m);
	if (!charge_clear(c, &m->data->main))
		return;
	clear_table(&m->data->main);
	for (cpu = 0; m->data->cpu && cpu < m->data->ncpus; cpu++) {
		if (!m->data->cpu[cpu])
			continue;
		if (!charge_clear(c, m->data->cpu[cpu]))
			return;
		clear_table(m->data->cpu[cpu]);
	}
}

bool stp_map_has_slice(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys, u32 any)
{
	return stp_map_slice_next(c, m, stp_elem_or_null(&m->data->main, m->data->main.first), keys, any);
}

struct stp_elem *stp_map_slice_next(struct stp_ctx *c, const struct stp_map *m, struct stp_elem *e,
				    const union stp_val *keys, u32 any)
{
	u64 cost = slice_cost(m, keys, any);

	for (; e; e = stp_elem_or_null(&m->data->main, e->next)) {
		if (!stp_charge(c, cost))
			return NULL;
		if (same_keys(m, e, keys, any))
			break;
	}
	return e;
}

static bool delete_slice_in(struct stp_ctx *c, struct stp_map *m, struct stp_table *t, const union stp_val *keys,
			    u32 any)
{
	u64 cost = slice_cost(m, keys, any) + STP_WORK_CLEAR;
	struct stp_elem *e = stp_elem_or_null(t, t->first), *next;

	for (; e; e = next) {
		next = stp_elem_or_null(t, e->next);
		if (!stp_charge(c, cost))
			return false;
		if (same_keys(m, e, keys, any))
			remove_elem(t, e);
	}
	return true;
}

void stp_map_delete_slice(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys, u32 any)
{
	bool done = delete_slice_in(c, m, &m->data->main, keys, any);
	u32 cpu;

	for (cpu = 0; done && m->data->cpu && cpu < m->data->ncpus; cpu++)
		if (m->data->cpu[cpu])
			done = delete_slice_in(c, m, m->data->cpu[cpu], keys, any);
}

s64 stp_map_count(struct stp_map *m)
{
	return m->data->main.count;
}

/* ------------------------------------------------------------------ percpu maps of numbers */

/* Divides by the size of an element. The result is exact, since the product of both is below 2^64. */
static inline u64 index_of(const struct stp_map_data *d, u64 position)
{
	u64 words = position / sizeof(u64);    /* sizes are multiples of 8: the 1 in a position has no effect */

	return (u64)((unsigned __int128)words * d->reciprocal >> 64);
}

/* Adds to the value of the element at a position. */
static inline void add(struct stp_ctx *c, const struct stp_map *m, u64 position, u64 n)
{
	const struct stp_map_data *d = m->data;
	struct stp_sums *sums;

	if (STP_UNLIKELY(!d->sums)) {
		stp_debug_shared(1);
		__atomic_fetch_add((u64 *)((char *)stp_elem_at(&d->main, position) + d->value_offset), n,
				   __ATOMIC_RELAXED);
		return;
	}
	sums = d->sums[stp_private(c)->cpu];
	sums->changed = 1;
	sums->at[index_of(d, position)] += n;
}

/* Returns the element's position; 0 after an error. Context: interrupts are disabled, so the CPU that holds the flag
 * soon releases it after inserting one element. */
static u64 insert_shared(struct stp_ctx *c, struct stp_map *m, u64 hash, const union stp_val *keys)
{
	struct stp_map_data *d = m->data;
	struct stp_spin spin = {};
	struct stp_elem *e;
	u64 at;

	stp_debug_shared(2);
	while (__atomic_exchange_n(&d->inserting, 1, __ATOMIC_ACQUIRE)) {
		if (stp_spin(&spin, STP_MERGE_WAIT_MS))
			continue;
		stp_error(c, "lock timeout: another CPU inserts an element into the array \"%s\"", m->name);
		return 0;
	}
	at = find(m, &d->main, hash, keys);        /* another CPU may have inserted it meanwhile */
	if (!at) {
		e = take(m, &d->main);
		if (e) {
			clear_value(m, e);
			set_keys(m, e, keys);
			link_elem(&d->main, e, hash);
			at = stp_elem_position(&d->main, e);
		}
	}
	STP_CHECK_THAT(d->inserting == 1);
	__atomic_store_n(&d->inserting, 0, __ATOMIC_RELEASE);
	if (!at)
		overflow(c, m);
	return at;
}

/* Separate functions, since the common path then needs no stack frame. */
static __attribute__((__noinline__)) void add_absent(struct stp_ctx *c, struct stp_map *m, u64 hash,
						     const union stp_val *keys, u64 n)
{
	u64 at = insert_shared(c, m, hash, keys);

	if (at)
		add(c, m, at, n);
}

static __attribute__((__noinline__)) void add_absent1(struct stp_ctx *c, struct stp_map *m, s64 key, u64 n)
{
	add_absent(c, m, (u64)key * stp_key_factor, &(union stp_val){ .n = key }, n);
}

static __attribute__((__noinline__)) void add_absent_word(struct stp_ctx *c, struct stp_map *m,
							  const union stp_val *keys, u64 n)
{
	add_absent(c, m, hash_string(0, keys->s), keys, n);
}

static __attribute__((__noinline__)) void add_keys(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys,
						   u64 n)
{
	u64 hash;
	u64 at = find_keys(m, &m->data->main, keys, &hash);

	if (STP_LIKELY(at))
		add(c, m, at, n);
	else
		add_absent(c, m, hash, keys, n);
}

void stp_map_add(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys, u64 n)
{
	u64 at;

	if (!has_one_word(m, keys)) {
		add_keys(c, m, keys, n);
		return;
	}
	at = find_word(&m->data->main, keys->s);
	if (STP_LIKELY(at))
		add(c, m, at, n);
	else
		add_absent_word(c, m, keys, n);
}

void stp_map_add1(struct stp_ctx *c, struct stp_map *m, s64 key, u64 n)
{
	const struct stp_table *t = &m->data->main;
	struct stp_elem *e;
	u64 at;

	FOR_EACH_IN_BUCKET(t, (u64)key * stp_key_factor, at, e)
		if (STP_LIKELY(stp_load_long(e->cells) == key)) {
			add(c, m, at, n);
			return;
		}
	add_absent1(c, m, key, n);
}

static bool merge_sums(struct stp_ctx *c, struct stp_map *m, struct stp_sums *sums)
{
	const struct stp_map_data *d = m->data;
	char *value = d->main.pool + d->value_offset;
	u32 i, n = d->main.used;

	if (!sums->changed)
		return true;
	stp_debug_map(m);
	if (!stp_charge(c, (u64)n * STP_WORK_SUM))
		return false;
	for (i = 0; i < n; i++, value += d->elem_size) {
		*(u64 *)value += sums->at[i];
		sums->at[i] = 0;
	}
	sums->changed = 0;
	return true;
}

/* ------------------------------------------------------------------ percpu maps of statistics */

static bool same_cells(const struct stp_map *m, const struct stp_elem *a, const struct stp_elem *b)
{
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		const char *x = (const char *)a + m->data->key_offset[i];
		const char *y = (const char *)b + m->data->key_offset[i];

		if (m->keys[i] == STP_LONG ? stp_load_long(x) != stp_load_long(y) : !same_string(x, y))
			return false;
	}
	return true;
}

static void copy_cells(const struct stp_map *m, struct stp_elem *to, const struct stp_elem *from)
{
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		const char *cell = (const char *)from + m->data->key_offset[i];

		if (m->keys[i] == STP_LONG)
			*(s64 *)((char *)to + m->data->key_offset[i]) = stp_load_long(cell);
		else
			stp_copy((char *)to + m->data->key_offset[i], cell,
				 stp_module.limits.string_len);
	}
}

/* Returns the work of merging and clearing an element, and of removing it if the budget ends. */
static u64 merge_cost(const struct stp_map *m, const struct stp_elem *e)
{
	u64 cost = STP_WORK_MERGE + 2 * STP_WORK_ELEMENT + (u64)m->stat.size / 8 * (2 * STP_WORK_BUCKET);
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		cost += STP_WORK_KEY;
		if (m->keys[i] == STP_STRING)
			cost += ((u64)stp_strlen((const char *)e + m->data->key_offset[i]) / 8 + 1) * (4 * STP_WORK_WORD);
	}
	return cost;
}

/* Adds e's statistic to the main table. Returns false if the table is full. */
static bool merge_elem(struct stp_map *m, struct stp_elem *e)
{
	struct stp_map_data *d = m->data;
	struct stp_elem *to = NULL;
	u64 at;

	FOR_EACH_IN_BUCKET(&d->main, stored_hash(e), at, to)
		if (to->hash == e->hash && same_cells(m, to, e))
			break;
	if (!at) {
		to = insert(m, &d->main, stored_hash(e));
		if (!to)
			return false;
		copy_cells(m, to, e);
	}
	stp_stat_merge((struct stp_stat *)((char *)to + d->value_offset),
		       (const struct stp_stat *)((char *)e + d->value_offset), &m->stat);
	return true;
}

/* Merged elements are removed, so that each value is added once, even if the budget ends in the middle. */
static bool merge_table(struct stp_ctx *c, struct stp_map *m, struct stp_table *t)
{
	struct stp_elem *e;
	bool done = true;
	u32 lost = 0;

	stp_debug_map(m);
	for (e = stp_elem_or_null(t, t->first); e && done; e = stp_elem_or_null(t, e->next)) {
		done = stp_charge(c, merge_cost(m, e));
		if (!done)
			break;
		lost += !merge_elem(m, e);
	}
	if (done)
		clear_table(t);
	else
		while (t->first != stp_elem_position(t, e))
			remove_elem(t, stp_elem_at(t, t->first));
	if (lost)
		stp_lose(STP_LOSS_ELEMENTS, lost);
	if (lost && !m->data->lost)
		plat_message(STP_MSG_WARNING, "Array overflow in the sum over all CPUs, check MAXMAPENTRIES");
	m->data->lost += lost;
	return done;
}

static bool merge_cpu(struct stp_ctx *c, struct stp_map *m, u32 cpu)
{
	struct stp_map_data *d = m->data;

	if (d->sums)
		return !d->sums[cpu] || (stp_charge(c, STP_WORK_CPU) && merge_sums(c, m, d->sums[cpu]));
	if (!d->cpu || !d->cpu[cpu])
		return true;
	return stp_charge(c, STP_WORK_CPU) && (!d->cpu[cpu]->count || merge_table(c, m, d->cpu[cpu]));
}

/*
 * Two CPUs that hold the lock in read mode might merge at the same time, which the flag prevents. Its holder is
 * another CPU, in a handler with interrupts disabled whose merges are charged; handlers of one CPU do not nest, and
 * begin and end run alone.
 */
void stp_map_merge(struct stp_ctx *c, struct stp_map *m)
{
	struct stp_map_data *d = m->data;
	bool done = true;
	struct stp_spin spin = {};
	u32 cpu;

	if (!m->percpu)
		return;
	while (__atomic_exchange_n(&d->merging, 1, __ATOMIC_ACQUIRE)) {
		if (stp_spin(&spin, STP_MERGE_WAIT_MS))
			continue;
		stp_error(c, "lock timeout: another CPU computes the sums of the array \"%s\"", m->name);
		return;
	}
	for (cpu = 0; cpu < d->ncpus && done; cpu++)
		done = merge_cpu(c, m, cpu);
	STP_CHECK_THAT(d->merging == 1);
	__atomic_store_n(&d->merging, 0, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ copies */

void stp_map_exchange(struct stp_map *m, struct stp_map *copy)
{
	struct stp_table t = m->data->main;

	STP_CHECK_THAT(!copy->data->main.count && copy->data->elem_size == m->data->elem_size);
	m->data->main = copy->data->main;
	copy->data->main = t;
}

/* Replaces memcpy(), which on some processors is an instruction that moves single bytes: an emulator executes
 * each as an instruction. */
static void copy_words(void *to, const void *from, u64 n)
{
	u64 *t = to;
	const u64 *f = from;

	for (; n >= 8; n -= 8, t += 8, f += 8) {
		u64 a = f[0], b = f[1], c = f[2], d = f[3];

		t[0] = a; t[1] = b; t[2] = c; t[3] = d;
		a = f[4]; b = f[5]; c = f[6]; d = f[7];
		t[4] = a; t[5] = b; t[6] = c; t[7] = d;
		STP_BARRIER();
	}
	for (; n; n--) {
		*t++ = *f++;
		STP_BARRIER();
	}
}

bool stp_map_copy(struct stp_ctx *c, struct stp_map *m, struct stp_map *copy)
{
	struct stp_table *t = &m->data->main, *to = &copy->data->main;
	u64 words, buckets = 1ull << (64 - t->shift);

	stp_map_merge(c, m);
	words = m->data->elem_size * t->used / sizeof(u64);
	if (c->error || !stp_charge(c, STP_WORK_CPU + (words + buckets / 2) / 8 * STP_WORK_COPY))
		return false;
	copy_words(to->pool, t->pool, words);
	copy_words(to->buckets, t->buckets, buckets / 2);
	to->first = t->first;
	to->last = t->last;
	to->free = t->free;
	to->used = t->used;
	to->count = t->count;
	return true;
}
