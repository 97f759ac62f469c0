// SPDX-License-Identifier: GPL-2.0-or-later
// A growing array of any element type:  VEC(struct probe *) probes;  vec_push(&probes, p);
// A zeroed vector is empty and ready to use. Elements: v.at[i], 0 <= i < v.n.
#ifndef UTIL_VEC_H
#define UTIL_VEC_H

#include "util/mem.h"

#define VEC(type) struct { type *at; int n, capacity; }

// Appends a value. Evaluates both arguments once, the value first, so that it may reallocate the vector.
#define vec_push(v, value) do {							\
	typeof(*(v)->at) value_ = (value);					\
	typeof(v) v_ = (v);							\
	if (v_->n == v_->capacity) {						\
		int capacity_ = v_->capacity ? 2 * v_->capacity : 8;		\
		v_->at = mem_grow(v_->at, v_->n * sizeof(*v_->at),		\
				  capacity_ * sizeof(*v_->at));			\
		v_->capacity = capacity_;					\
	}									\
	v_->at[v_->n++] = value_;						\
} while (0)

#define vec_each(v, it) (typeof((v)->at + 0) it = (v)->at; it && it < (v)->at + (v)->n; it++)

#endif
