// SPDX-License-Identifier: GPL-2.0-or-later
// A growing array of any element type:  VEC(struct probe *) probes;  vec_push(&probes, p);
// A zeroed vector is empty and ready to use. Elements: v.at[i], 0 <= i < v.n.
#ifndef UTIL_VEC_H
#define UTIL_VEC_H

#include "util/mem.h"

#define VEC(type) struct { type *at; int n, capacity; }

#define vec_push(v, value) do {							\
	if ((v)->n == (v)->capacity) {						\
		int capacity_ = (v)->capacity ? 2 * (v)->capacity : 8;			\
		(v)->at = mem_grow((v)->at, (v)->n * sizeof(*(v)->at),		\
				   capacity_ * sizeof(*(v)->at));			\
		(v)->capacity = capacity_;						\
	}									\
	(v)->at[(v)->n++] = (value);						\
} while (0)

#define vec_each(v, it) (typeof((v)->at + 0) it = (v)->at; it && it < (v)->at + (v)->n; it++)

#endif
