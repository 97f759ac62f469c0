// SPDX-License-Identifier: GPL-2.0-or-later
// Memory of the translator: zeroed, collected, never freed by hand.
// mem.c is the only file that names the collector; configure --disable-gc maps it to calloc.
#ifndef UTIL_MEM_H
#define UTIL_MEM_H

#include <stddef.h>

void mem_init(void);                       // once, first thing in main()
void *mem_alloc(size_t size);              // zeroed; dies with advice when memory is out
void *mem_alloc_atomic(size_t size);       // zeroed; for bytes that hold no pointers (text)
void *mem_grow(void *old, size_t old_size, size_t new_size); // new part zeroed

#define NEW(type)       ((type *)mem_alloc(sizeof(type)))
#define NEW_ARRAY(type, n) ((type *)mem_alloc(sizeof(type) * (size_t)(n)))

#define ARRAY_SIZE(a)   (sizeof(a) / sizeof((a)[0]))
#define END(a)          ((a) + ARRAY_SIZE(a))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define CLEANUP(fn)     __attribute__((cleanup(fn)))

#endif
