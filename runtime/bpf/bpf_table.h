/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of one array: like that of core/map.c, but with indices instead of pointers, which programs cannot
 * store and read back. Included once for each array, with these macros, which it undefines:
 *
 *	STP_MAP_NAME       g_m             STP_MAP_SECTION    ".bss.g_m", of the table
 *	STP_MAP_TYPES      (STP_LONG, ...) keys in their order
 *	STP_MAP_NUMBERS    keys that are numbers, STP_MAP_STRINGS: that are strings
 *	STP_MAP_WORDS      of a value      STP_MAP_IS_STRING  the value is a string
 *	STP_MAP_CAPACITY   elements        STP_MAP_BUCKETS    a power of two
 *	STP_MAP_WRAP       0 or 1: the oldest element is evicted when the table is full
 *	STP_MAP_SIZED      0 or 1: the script declares the size
 *	STP_MAP_WALKED     0 or 1: programs use slices of it, or loops in an order
 *	STP_MAP_LOCK       members lock and lock_word of struct stp_shared_map
 *
 * The position of an element (_position() returns it) is its index in the pool + 1; 0: none. Context: a hit or the
 * client that holds the array's lock.
 */
#define STP_MAP_(suffix) STP_JOIN(STP_MAP_NAME, suffix)

struct STP_MAP_(_elem) {
	u32 chain, next, prev, unused;
	u64 hash;
	s64 n[STP_MAP_NUMBERS];
	struct stp_text s[STP_MAP_STRINGS];
	u64 value[STP_MAP_WORDS];
};
struct STP_MAP_(_table) {
	struct stp_table_head head;
	u32 buckets[STP_MAP_BUCKETS];
	struct STP_MAP_(_elem) pool[STP_MAP_CAPACITY];
};

#ifdef STP_BPF
struct STP_MAP_(_table) STP_MAP_(_table) SEC(STP_MAP_SECTION);
/* Type by which operations are overloaded. */
struct STP_MAP_(_map) { char none; };
static const struct STP_MAP_(_map) STP_MAP_NAME;

/* Hashes the keys in the slot, by the algorithm of client.c. */
STP_GLOBAL_FUNCTION int STP_MAP_(_hash)(struct stp_slot *s)
{
	u64 h = 0;
	u32 i;

	if (!s)
		return 0;
#pragma unroll
	for (i = 0; i < STP_MAP_NUMBERS; i++)
		h = stp_table_mix(h ^ (u64)s->key_n[i]);
#pragma unroll
	for (i = 0; i < STP_MAP_STRINGS; i++)
		h = bpf_hash_text(h, &s->key_s[i]);
	s->hash = stp_table_hash(h);
	return 0;
}

STP_INLINE bool STP_MAP_(_same)(const struct stp_slot *s, const struct STP_MAP_(_elem) *e)
{
	u32 i;

	if (e->hash != s->hash)
		return false;
#pragma unroll
	for (i = 0; i < STP_MAP_NUMBERS; i++)
		if (e->n[i] != s->key_n[i])
			return false;
#pragma unroll
	for (i = 0; i < STP_MAP_STRINGS; i++)
		if (bpf_compare(&e->s[i], &s->key_s[i]))
			return false;
	return true;
}

/*
 * Returns 1 + the index of the element with the keys in the slot; 0 if it does not exist; -1 if its bucket has too
 * many elements to determine that.
 */
STP_GLOBAL_FUNCTION int STP_MAP_(_find)(struct stp_slot *s)
{
	struct STP_MAP_(_table) *t = &STP_MAP_(_table);
	u32 at, i, k;

	if (!s)
		return 0;
	STP_MAP_(_hash)(s);
	at = t->buckets[STP_INDEX((u32)(s->hash >> 40), STP_MAP_BUCKETS)];
	for (i = 0; i < STP_TABLE_CHAIN; i++) {
		k = at - 1;
		STP_HIDE(k);
		if (k >= STP_MAP_CAPACITY)
			return 0;
		if (STP_MAP_(_same)(s, &t->pool[k]))
			return (int)at;
		at = t->pool[k].chain;
	}
	return at ? -1 : 0;
}

/* Removes an element from its bucket and from the list. */
STP_GLOBAL_FUNCTION int STP_MAP_(_unlink)(u32 at)
{
	struct STP_MAP_(_table) *t = &STP_MAP_(_table);
	u32 k = at - 1, b, x, i, chain, next, prev;

	STP_HIDE(k);
	if (k >= STP_MAP_CAPACITY)
		return 0;
	chain = t->pool[k].chain;
	next = t->pool[k].next;
	prev = t->pool[k].prev;
	b = STP_INDEX((u32)(t->pool[k].hash >> 40), STP_MAP_BUCKETS);
	x = t->buckets[b];
	if (x == at) {
		t->buckets[b] = chain;
	} else {
		for (i = 0; i < STP_TABLE_CHAIN; i++) {
			u32 j = x - 1;

			STP_HIDE(j);
			if (j >= STP_MAP_CAPACITY)
				break;
			x = t->pool[j].chain;
			if (x == at) {
				t->pool[j].chain = chain;
				break;
			}
		}
	}
	next -= 1;
	STP_HIDE(next);
	if (next < STP_MAP_CAPACITY)
		t->pool[next].prev = prev;
	else
		t->head.last = prev;
	prev -= 1;
	STP_HIDE(prev);
	if (prev < STP_MAP_CAPACITY)
		t->pool[prev].next = next + 1 > STP_MAP_CAPACITY ? 0 : next + 1;
	else
		t->head.first = next + 1 > STP_MAP_CAPACITY ? 0 : next + 1;
	t->head.count--;
	return 0;
}

/* Removes an element and makes it free. Does nothing if `at` is 0. */
STP_INLINE void STP_MAP_(_remove)(u32 at)
{
	u32 k = at - 1;

	STP_HIDE(k);
	if (k >= STP_MAP_CAPACITY)
		return;
	STP_MAP_(_unlink)(at);
	STP_HIDE(k);
	if (k >= STP_MAP_CAPACITY)
		return;
	STP_MAP_(_table).pool[k].chain = STP_MAP_(_table).head.free;
	STP_MAP_(_table).head.free = at;
}

/* Returns the position of a free element; 0: the table is full. */
STP_INLINE u32 STP_MAP_(_take)(void)
{
	struct STP_MAP_(_table) *t = &STP_MAP_(_table);
	u32 at = t->head.free, k = at - 1;

	STP_HIDE(k);
	if (k < STP_MAP_CAPACITY) {
		t->head.free = t->pool[k].chain;
		return at;
	}
	if (t->head.used < STP_MAP_CAPACITY)
		return ++t->head.used;
	at = STP_MAP_WRAP ? t->head.first : 0;
	if (at)
		STP_MAP_(_unlink)(at);
	return at;
}

/* Inserts an element with the keys and the hash in the slot, and an empty value. */
STP_GLOBAL_FUNCTION int STP_MAP_(_insert)(struct stp_slot *s)
{
	struct STP_MAP_(_table) *t = &STP_MAP_(_table);
	u32 at, k, b, last, i;

	if (!s)
		return 0;
	at = STP_MAP_(_take)();
	k = at - 1;
	STP_HIDE(k);
	if (k >= STP_MAP_CAPACITY)
		return 0;
	t->pool[k].hash = s->hash;
#pragma unroll
	for (i = 0; i < STP_MAP_NUMBERS; i++)
		t->pool[k].n[i] = s->key_n[i];
#pragma unroll
	for (i = 0; i < STP_MAP_STRINGS; i++)
		bpf_copy(&t->pool[k].s[i], &s->key_s[i]);
	if (STP_MAP_IS_STRING)
		t->pool[k].value[0] = 0;
	else
		for (i = 0; i < STP_MAP_WORDS; i++) {
			__asm__ volatile("");       /* prevents the compiler from calling memset() */
			t->pool[k].value[i] = 0;
		}
	b = STP_INDEX((u32)(s->hash >> 40), STP_MAP_BUCKETS);
	t->pool[k].chain = t->buckets[b];
	t->buckets[b] = at;
	last = t->head.last;
	t->pool[k].prev = last;
	t->pool[k].next = 0;
	last--;
	STP_HIDE(last);
	if (last < STP_MAP_CAPACITY)
		t->pool[last].next = at;
	else
		t->head.first = at;
	t->head.last = at;
	t->head.count++;
	return (int)at;
}

STP_INLINE void STP_MAP_(_keys)(struct stp_slot *s, const union stp_val *keys)
{
	static const u8 types[] = STP_MAP_TYPES;
	u32 i, n = 0, text = 0;

#pragma unroll
	for (i = 0; i < sizeof(types); i++) {
		if (types[i] == STP_STRING)
			bpf_copy(&s->key_s[text++], (const struct stp_text *)keys[i].s);
		else
			s->key_n[n++] = keys[i].n;
	}
}

/* Does the same as _find(), but a position that cannot be determined is an error, and 0 is returned. */
STP_INLINE u32 STP_MAP_(_position)(struct stp_ctx *c)
{
	u32 at = (u32)STP_MAP_(_find)(STP_SLOT(c));

	if (at != ~0u)
		return at;
	bpf_error(c, STP_BPF_CHAIN, STP_TABLE_CHAIN);
	return 0;
}

STP_INLINE __attribute__((__overloadable__)) void *bpf_map_get(struct stp_ctx *c, const struct STP_MAP_(_map) *m,
								const union stp_val *keys)
{
	u32 k;

	STP_MAP_(_keys)(STP_SLOT(c), keys);
	k = STP_MAP_(_position)(c) - 1;
	STP_HIDE(k);
	if (k >= STP_MAP_CAPACITY)
		return NULL;
	STP_HIDE(k);           /* prevents the compiler from computing the address before the check */
	return STP_MAP_(_table).pool[k].value;
}

/*
 * Returns the value of the element, which is inserted if it is absent. After an error, returns the value of another
 * element.
 */
STP_INLINE __attribute__((__overloadable__)) void *stp_map_put(struct stp_ctx *c, const struct STP_MAP_(_map) *m,
								const union stp_val *keys)
{
	u32 k;

	STP_MAP_(_keys)(STP_SLOT(c), keys);
	k = STP_MAP_(_position)(c) - 1;
	if (k == ~0u && !c->error)
		k = (u32)STP_MAP_(_insert)(STP_SLOT(c)) - 1;
	STP_HIDE(k);
	if (k < STP_MAP_CAPACITY) {
		STP_HIDE(k);
		return STP_MAP_(_table).pool[k].value;
	}
	bpf_error(c, STP_MAP_SIZED ? STP_BPF_SIZE : STP_BPF_OVERFLOW, STP_MAP_CAPACITY);
	return STP_MAP_(_table).pool[0].value;
}

STP_INLINE __attribute__((__overloadable__)) void bpf_map_delete(struct stp_ctx *c, const struct STP_MAP_(_map) *m,
								  const union stp_val *keys)
{
	u32 at, k;

	STP_MAP_(_keys)(STP_SLOT(c), keys);
	STP_MAP_(_remove)(STP_MAP_(_position)(c));
}

enum { STP_MAP_(_capacity) = STP_MAP_CAPACITY, STP_MAP_(_buckets) = STP_MAP_BUCKETS };

/* Returns the next element of a loop along the list. */
STP_INLINE struct STP_MAP_(_elem) *STP_MAP_(_list_next)(struct stp_cursor *cursor)
{
	struct STP_MAP_(_table) *t = &STP_MAP_(_table);
	u32 k = cursor->at - 1;

	STP_HIDE(k);
	if (!cursor->left || k >= STP_MAP_CAPACITY)
		return NULL;
	if (cursor->started) {
		k = t->pool[k].next - 1;
		STP_HIDE(k);
		if (k >= STP_MAP_CAPACITY)
			return NULL;
	}
	cursor->left--;
	cursor->started = 1;
	cursor->at = k + 1;
	STP_HIDE(k);
	if (k >= STP_MAP_CAPACITY)
		return NULL;
	STP_HIDE(k);
	return &t->pool[k];
}

/* Empties a part of the buckets. */
STP_GLOBAL_FUNCTION int STP_MAP_(_clear)(struct stp_slot *s)
{
	struct STP_MAP_(_table) *t = &STP_MAP_(_table);
	u32 i;

	if (!s)
		return STP_LOOP_BREAK;
	for (i = 0; i < 64 && i < STP_MAP_BUCKETS; i++)
		t->buckets[STP_INDEX(s->walk_at + i, STP_MAP_BUCKETS)] = 0;
	s->walk_at += i;
	return s->walk_at < STP_MAP_BUCKETS ? STP_LOOP_NEXT : STP_LOOP_BREAK;
}
STP_LOOP_DRIVER(STP_MAP_(_clear))

STP_INLINE __attribute__((__overloadable__)) void stp_map_clear(struct stp_ctx *c, const struct STP_MAP_(_map) *m)
{
	struct stp_slot *s = STP_SLOT(c);

	if (!STP_MAP_(_table).head.used)
		return;
	STP_MAP_(_table).head = (struct stp_table_head){ 0 };
	s->walk_at = 0;
	STP_REPEAT(s, STP_MAP_(_clear), STP_MAP_BUCKETS / 64 + 1);
}

STP_INLINE __attribute__((__overloadable__)) void stp_map_merge(struct stp_ctx *c, const struct STP_MAP_(_map) *m)
{
}

#if STP_MAP_WALKED
STP_INLINE void STP_MAP_(_slice_keys)(struct stp_slot *s, const union stp_val *keys, u32 any)
{
	static const u8 types[] = STP_MAP_TYPES;
	u32 i, n = 0, text = 0;

#pragma unroll
	for (i = 0; i < sizeof(types); i++) {
		if (types[i] != STP_STRING)
			s->key_n[n++] = keys[i].n;
		else if (any >> i & 1)
			text++;
		else
			bpf_copy(&s->key_s[text++], (const struct stp_text *)keys[i].s);
	}
}

/* Compares the keys in the slot, except those that may have any value. */
STP_INLINE bool STP_MAP_(_in_slice)(const struct stp_slot *s, const struct STP_MAP_(_elem) *e)
{
	static const u8 types[] = STP_MAP_TYPES;
	u32 i, n = 0, text = 0;

	if (s->walk_any == ~0u)
		return true;
#pragma unroll
	for (i = 0; i < sizeof(types); i++) {
		if (types[i] == STP_STRING) {
			if (!(s->walk_any >> i & 1) && bpf_compare(&e->s[text], &s->key_s[text]))
				return false;
			text++;
		} else {
			if (!(s->walk_any >> i & 1) && e->n[n] != s->key_n[n])
				return false;
			n++;
		}
	}
	return true;
}

/* Tests one element, and ends the walk at the first one in the slice. */
STP_GLOBAL_FUNCTION int STP_MAP_(_find_slice)(struct stp_slot *s)
{
	struct STP_MAP_(_table) *t = &STP_MAP_(_table);
	u32 k = s ? s->walk_at - 1 : ~0u;

	STP_HIDE(k);
	if (!s || k >= STP_MAP_CAPACITY)
		return STP_LOOP_BREAK;
	s->walk_at = t->pool[k].next;
	if (!STP_MAP_(_in_slice)(s, &t->pool[k]))
		return STP_LOOP_NEXT;
	s->walk_found = 1;
	return STP_LOOP_LEAVE;
}
STP_LOOP_DRIVER(STP_MAP_(_find_slice))

STP_GLOBAL_FUNCTION int STP_MAP_(_delete_slice)(struct stp_slot *s)
{
	struct STP_MAP_(_table) *t = &STP_MAP_(_table);
	u32 at = s ? s->walk_at : 0, k = at - 1;

	STP_HIDE(k);
	if (!s || k >= STP_MAP_CAPACITY)
		return STP_LOOP_BREAK;
	s->walk_at = t->pool[k].next;
	if (STP_MAP_(_in_slice)(s, &t->pool[k]))
		STP_MAP_(_remove)(at);
	return STP_LOOP_NEXT;
}
STP_LOOP_DRIVER(STP_MAP_(_delete_slice))

STP_INLINE __attribute__((__overloadable__)) bool stp_map_has_slice(struct stp_ctx *c, const struct STP_MAP_(_map) *m,
								     const union stp_val *keys, u32 any)
{
	struct stp_slot *s = STP_SLOT(c);

	STP_MAP_(_slice_keys)(s, keys, any);
	s->walk_any = any;
	s->walk_found = 0;
	s->walk_at = STP_MAP_(_table).head.first;
	STP_REPEAT(s, STP_MAP_(_find_slice), STP_MAP_CAPACITY + 1);
	return s->walk_found;
}

STP_INLINE __attribute__((__overloadable__)) void stp_map_delete_slice(struct stp_ctx *c,
									const struct STP_MAP_(_map) *m,
									const union stp_val *keys, u32 any)
{
	struct stp_slot *s = STP_SLOT(c);

	STP_MAP_(_slice_keys)(s, keys, any);
	s->walk_any = any;
	s->walk_at = STP_MAP_(_table).head.first;
	STP_REPEAT(s, STP_MAP_(_delete_slice), STP_MAP_CAPACITY + 1);
}
#endif
#else
static const struct stp_shared_map STP_MAP_(_shared) = {
	.map = &STP_MAP_NAME, .section = STP_MAP_SECTION, STP_MAP_LOCK,
	.capacity = STP_MAP_CAPACITY, .buckets = STP_MAP_BUCKETS,
	.table_size = sizeof(struct STP_MAP_(_table)),
	.pool = __builtin_offsetof(struct STP_MAP_(_table), pool),
	.elem_size = sizeof(struct STP_MAP_(_elem)),
	.numbers = __builtin_offsetof(struct STP_MAP_(_elem), n),
	.strings = __builtin_offsetof(struct STP_MAP_(_elem), s),
	.value = __builtin_offsetof(struct STP_MAP_(_elem), value),
	.value_size = STP_MAP_WORDS * 8,
};
#endif

#undef STP_MAP_NAME
#undef STP_MAP_SECTION
#undef STP_MAP_TYPES
#undef STP_MAP_NUMBERS
#undef STP_MAP_STRINGS
#undef STP_MAP_WORDS
#undef STP_MAP_IS_STRING
#undef STP_MAP_CAPACITY
#undef STP_MAP_BUCKETS
#undef STP_MAP_WRAP
#undef STP_MAP_SIZED
#undef STP_MAP_LOCK
#undef STP_MAP_WALKED
