/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What map.c and foreach.c know of the inside of an array. */
#ifndef CORE_MAP_H
#define CORE_MAP_H

#include "internal.h"

/* Odd, and another one in each session, so that nobody can choose keys that all meet in one bucket. */
extern u64 stp_hash_factor;
void stp_hash_choose(void);        /* before any map is made */

struct stp_elem {
	struct stp_elem *chain;    /* of its bucket, or of the spare ones */
	struct stp_elem *next, *prev;      /* in the order of insertion */
	u64 hash;                  /* the bucket is its highest bits */
	char cells[];              /* keys, value */
};

struct stp_table {
	struct stp_elem **buckets;
	u32 shift;                 /* of a hash, to its bucket */
	u32 count;
	struct stp_elem *first, *last;
	struct stp_elem *free;     /* removed ones */
	char *pool;                /* capacity * elem_size */
	u32 used;                  /* elements of the pool ever taken */
};

struct stp_map_data {
	struct stp_table main;
	u32 value_offset;
	u32 key_offset[STP_MAX_KEYS];
	u64 elem_size;
	s64 moved;                 /* of a copy: bytes from where its pointers lead to where its elements are */
	u32 merging;               /* set by the one who merges */
	u32 lost;                  /* elements that found the main table full */
	u32 ncpus;
	struct stp_table **cpu;    /* [ncpus] percpu maps; NULL for CPUs not used */
};

/* For slices.c. The copy of a map has its keys, its value and its capacity, and no tables of CPUs. stp_map_exchange()
 * follows stp_map_merge() and exchanges the elements with those of the empty copy; stp_map_copy() copies them and
 * returns false after an error. Context: a handler with the map's lock. */
void stp_map_exchange(struct stp_map *m, struct stp_map *copy);
bool stp_map_copy(struct stp_ctx *c, struct stp_map *m, struct stp_map *copy);
/* Then, without the lock, before anything else looks at the copy. */
void stp_map_copied(struct stp_ctx *c, struct stp_map *copy);

/* The first of e and the following that fit; NULL none. */
struct stp_elem *stp_map_slice_next(struct stp_ctx *c, const struct stp_map *m, struct stp_elem *e,
				    const union stp_val *keys, u32 any);

#endif
