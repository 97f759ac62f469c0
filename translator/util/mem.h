// SPDX-License-Identifier: GPL-2.0-or-later
// Memory of the translator: zeroed, garbage-collected, never freed explicitly.
// mem.c is the only file that uses the collector; configure --disable-gc replaces it by calloc.
#ifndef UTIL_MEM_H
#define UTIL_MEM_H

#include <stddef.h>

void mem_init(void);                       // called once, first thing in main()
// Collects more often, for runs that make many short-lived objects.
void mem_collect_often(void);
void *mem_alloc(size_t size);              // zeroed; exits with advice if out of memory
void *mem_alloc_atomic(size_t size);       // zeroed; for data without pointers (text)
void *mem_alloc_text(size_t size);         // not zeroed, at least one byte; without pointers
void *mem_grow(void *old, size_t old_size, size_t new_size); // the new part is zeroed

#define NEW(type)       ((type *)mem_alloc(sizeof(type)))
#define NEW_ARRAY(type, n) ((type *)mem_alloc(sizeof(type) * (size_t)(n)))

#define ARRAY_SIZE(a)   (sizeof(a) / sizeof((a)[0]))
#define END(a)          ((a) + ARRAY_SIZE(a))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define CLEANUP(fn)     __attribute__((cleanup(fn)))

#endif
