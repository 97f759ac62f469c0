/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The representation of arrays, for map.c, foreach.c and slices.c. */
#ifndef CORE_MAP_H
#define CORE_MAP_H

#include "internal.h"

/*
 * Elements refer to each other by position: 1 plus the offset in their table's pool; 0 means none. So a table can be
 * copied as it is, and an element's header has the size of two numbers.
 */
struct stp_elem {
	u32 chain;                 /* next element in its bucket, or in the list of free elements */
	u32 next, prev;            /* neighbours in the order of insertion */
	u32 hash;                  /* the upper half of the keys' hash; its highest bits select the bucket */
	char cells[];              /* the keys, then the value */
};

struct stp_table {
	u32 *buckets;              /* positions */
	u32 shift;                 /* number of bits by which a hash is shifted right to select its bucket */
	u32 count;
	u32 first, last;           /* positions in the order of insertion */
	u32 free;                  /* position of the first removed element */
	u32 used;                  /* number of elements of the pool that were ever used */
	char *pool;                /* elements: capacity * elem_size bytes */
};

static inline struct stp_elem *stp_elem_at(const struct stp_table *t, u64 position)
{
	return (struct stp_elem *)(t->pool + position - 1);
}

static inline struct stp_elem *stp_elem_or_null(const struct stp_table *t, u64 position)
{
	return position ? stp_elem_at(t, position) : NULL;
}

static inline u32 stp_elem_position(const struct stp_table *t, const struct stp_elem *e)
{
	return (u32)((const char *)e - t->pool) + 1;
}

struct stp_map_data {
	struct stp_table main;
	u32 value_offset;
	u32 key_offset[STP_MAX_KEYS];
	u64 elem_size;
	u32 merging;               /* set by the CPU that merges */
	u32 lost;                  /* elements that were dropped because the main table was full */
	u32 ncpus;
	struct stp_table **cpu;    /* [ncpus] of percpu maps of statistics; NULL for CPUs that are not used */
	/*
	 * [ncpus] of percpu maps of numbers; an entry is NULL for a CPU that is not used. NULL: the CPUs add to the
	 * elements directly
	 */
	struct stp_sums **sums;
	u64 reciprocal;            /* 2^64 / elem_size in words, rounded up: see index_of() */
	u32 inserting;             /* set by the CPU that inserts an element while other CPUs may add to elements */
};

/* The sum of the numbers that a CPU has added to each element of the pool since the last merge. */
struct stp_sums {
	u64 changed;
	u64 at[];                  /* [capacity] */
};

/*
 * Maximum number of sums that a map stores for all CPUs. In a map that would need more, CPUs add to the elements
 * directly, since merging the sums would exceed the budget of a hit.
 */
#define STP_SUMS_MAX (1u << 17)

/* An odd random number per session, so that nobody can choose keys that share one bucket. */
extern u64 stp_key_factor;

/* Used by slices.c. The copy of a map has its keys, its value and its capacity, but no tables of CPUs.
 * stp_map_exchange() follows stp_map_merge() and swaps the elements with those of the empty copy; stp_map_copy()
 * copies them and returns false after an error. Context: a handler with the map's lock. */
void stp_map_exchange(struct stp_map *m, struct stp_map *copy);
bool stp_map_copy(struct stp_ctx *c, struct stp_map *m, struct stp_map *copy);

/* See struct stp_array_ops. */
u64 stp_map_bytes(const struct stp_map *m, u32 cpus);
int stp_map_make(struct stp_map *m);
void stp_map_free(struct stp_map *m);

/* Returns the first element, starting at e, that matches the slice; or NULL. */
struct stp_elem *stp_map_slice_next(struct stp_ctx *c, const struct stp_map *m, struct stp_elem *e,
				    const union stp_val *keys, u32 any);

#endif
