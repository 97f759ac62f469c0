/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The representation of arrays, for map.c, foreach.c and slices.c. */
#ifndef CORE_MAP_H
#define CORE_MAP_H

#include "internal.h"

struct stp_elem {
	struct stp_elem *chain;    /* in its bucket, or in the list of free elements */
	struct stp_elem *next, *prev;      /* in the order of insertion */
	u64 hash;                  /* its highest bits select the bucket */
	char cells[];              /* keys, value */
};

struct stp_table {
	struct stp_elem **buckets;
	u32 shift;                 /* right shift from a hash to its bucket */
	u32 count;
	struct stp_elem *first, *last;
	struct stp_elem *free;     /* list of removed elements */
	char *pool;                /* capacity * elem_size */
	u32 used;                  /* elements of the pool that were ever used */
};

struct stp_map_data {
	struct stp_table main;
	u32 value_offset;
	u32 key_offset[STP_MAX_KEYS];
	u64 elem_size;
	/* of a copy: difference in bytes between the addresses to which its pointers refer and its elements */
	s64 moved;
	u32 merging;               /* set by the CPU that merges */
	u32 lost;                  /* elements that were dropped because the main table was full */
	u32 ncpus;
	struct stp_table **cpu;    /* [ncpus] percpu maps of statistics; NULL for CPUs not used */
	/*
	 * [ncpus] percpu maps of numbers; an entry is NULL for a CPU that is not used. NULL: the CPUs add to the
	 * elements directly
	 */
	struct stp_sums **sums;
	u64 reciprocal;            /* 2^64 / elem_size in words, rounded up: see index_of() */
	u32 inserting;             /* set by the CPU that inserts an element while others may add to some */
};

/* The sum of what a CPU has added to each element of the pool since the last merge. */
struct stp_sums {
	u64 changed;
	u64 at[];                  /* [capacity] */
};

/*
 * Maximum number of sums of all CPUs. Maps that need more have none, since merging them would exceed the budget of
 * a hit.
 */
#define STP_SUMS_MAX (1u << 17)

/* An odd random number per session, so that keys cannot be chosen to share one bucket. */
extern u64 stp_key_factor;

/* Used by slices.c. The copy of a map has its keys, its value and its capacity, but no tables of CPUs.
 * stp_map_exchange() follows stp_map_merge() and swaps the elements with those of the empty copy; stp_map_copy()
 * copies them and returns false after an error. Context: a handler with the map's lock. */
void stp_map_exchange(struct stp_map *m, struct stp_map *copy);
bool stp_map_copy(struct stp_ctx *c, struct stp_map *m, struct stp_map *copy);
/* Completes a copy, without the lock, before it is read. */
void stp_map_copied(struct stp_ctx *c, struct stp_map *copy);

/* See struct stp_array_ops. */
u64 stp_map_bytes(const struct stp_map *m, u32 cpus);
int stp_map_make(struct stp_map *m);
void stp_map_free(struct stp_map *m);

/* Returns the first of e and its successors that matches the slice, or NULL. */
struct stp_elem *stp_map_slice_next(struct stp_ctx *c, const struct stp_map *m, struct stp_elem *e,
				    const union stp_val *keys, u32 any);

#endif
