// SPDX-License-Identifier: GPL-2.0-or-later
// Calls fuzz_one() with an input of libFuzzer, then frees its memory and files and discards its messages, also
// after die(), whose last hook jumps back here. Replaces util/mem.c.
#include "debuginfo/debuginfo.h"
#include "fuzz.h"
#include "util/diag.h"
#include "util/str.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- memory, freed after each input

struct block { struct block *next; } __attribute__((aligned(16)));
static struct block *blocks;
static size_t used;

enum { MOST = 1 << 30 };       // maximum number of bytes for one input: more is a finding

void mem_init(void)
{
}

void mem_collect_often(void)
{
}

void *mem_alloc(size_t size)
{
	struct block *b;

	if (size > MOST || (used += size + sizeof(*b)) > MOST)
		abort();
	b = calloc(1, sizeof(*b) + size);
	if (!b)
		abort();
	b->next = blocks;
	blocks = b;
	return b + 1;
}

void *mem_alloc_text(size_t size)
{
	return mem_alloc(size ? size : 1);
}

void *mem_alloc_atomic(size_t size)
{
	return mem_alloc(size);
}

void *mem_grow(void *old, size_t old_size, size_t new_size)
{
	void *p = mem_alloc(new_size);

	if (old_size)
		memcpy(p, old, old_size);
	return p;
}

static void free_all(void)
{
	for (struct block *b = blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	blocks = NULL;
	used = 0;
}

// ---------------------------------------------------------------- one input

static jmp_buf back;

static void died(void)
{
	longjmp(back, 1);
}

static struct session *last;

struct session *fuzz_session(void)
{
	struct session *s = NEW(struct session);

	last = s;

	s->opt.guru = s->opt.user_runtime = true;
	s->opt.last_pass = 3;
	s->opt.release = "6.1.0-56-test";
	vec_push(&s->opt.args, "begin");
	vec_push(&s->opt.args, "1+x\"\\");
	s->tapset_dir = str_dup("/nonexistent");
	s->tmp_dir = str_dup("/tmp");              // directory for private copies, which are unlinked immediately
	return s;
}

void fuzz_library(struct session *s)
{
	const char *dir = getenv("SYSTEMTAP_TAPSET");

	if (dir)
		s->tapset_dir = str_dup(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	die_at_exit(died);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!setjmp(back))
		fuzz_one(str_ndup((const char *)data, size), size);
	else
		die_at_exit(died);
	if (last)
		di_close(last);
	last = NULL;
	diag_reset();
	free_all();
	return 0;
}
