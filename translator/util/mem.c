// SPDX-License-Identifier: GPL-2.0-or-later
// Implements mem.h with the garbage collector, or with calloc (configure --disable-gc).
#include "config.h"
#include "util/mem.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_GC
#include <gc/gc.h>
#else
// Called by AddressSanitizer: memory is never freed on purpose, so leaks are not reported.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

void mem_init(void)
{
#ifdef HAVE_GC
	GC_INIT();
	// A translation is short and frees little: a collection would take longer than allocating that memory.
	GC_set_free_space_divisor(1);
	GC_set_min_bytes_allocd(24 << 20);
	GC_set_warn_proc(GC_ignore_warn_proc); // failures are reported below
#endif
}

void mem_collect_often(void)
{
#ifdef HAVE_GC
	GC_set_free_space_divisor(12);
	GC_set_min_bytes_allocd(1);
#endif
}

static void *checked(void *p, size_t size)
{
	if (!p)
		die_of_memory(size);
	return p;
}

void *mem_alloc(size_t size)
{
#ifdef HAVE_GC
	return checked(GC_MALLOC(size), size);
#else
	return checked(calloc(1, size ? size : 1), size);
#endif
}

void *mem_alloc_text(size_t size)
{
#ifdef HAVE_GC
	return checked(GC_MALLOC_ATOMIC(size), size);
#else
	return checked(malloc(size), size);
#endif
}

void *mem_alloc_atomic(size_t size)
{
	return memset(mem_alloc_text(size ? size : 1), 0, size);
}

void *mem_grow(void *old, size_t old_size, size_t new_size)
{
	void *p = mem_alloc(new_size);

	if (old_size)
		memcpy(p, old, old_size);
	return p;
}
