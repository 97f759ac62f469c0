// SPDX-License-Identifier: GPL-2.0-or-later
// libFuzzer target of pass 1: any text must parse or be refused, without a crash; what was accepted,
// printed and parsed again must print the same. Build (no collector; mem.c is replaced here):
//   clang -std=gnu11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined
//     -I. -Itranslator -Iruntime/include testsuite/fuzz/fuzz_parse.c translator/parse/*.c
//     translator/ast/*.c translator/util/{diag,map,str}.c
#include "build/build.h"
#include "parse/lex.h"
#include "passes.h"
#include "util/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// ---------------------------------------------------------------- memory, freed after each input

struct block { struct block *next; };
static struct block *blocks;

void *mem_alloc(size_t size)
{
	struct block *b = calloc(1, sizeof(*b) + 16 + size);

	if (!b)
		abort();
	b->next = blocks;
	blocks = b;
	return (char *)b + 16;
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
}

// ---------------------------------------------------------------- one input

const char *kernel_config(struct kernel *k, const char *name)
{
	return strcmp(name, "CONFIG_SMP") == 0 ? "y" : NULL;
}

// The tree as text, or NULL when there were errors.
static char *parse(const char *text, size_t len)
{
	static struct kernel kernel = { .release = "6.1.0-56-test", .base_version = "6.1.0", .arch = "x86_64" };
	struct session *s = NEW(struct session);
	struct source *src = NEW(struct source);
	struct buf b = { 0 };

	*src = (struct source){ .name = "input", .text = text, .len = len };
	s->kernel = &kernel;
	s->opt.guru = true;
	s->opt.release = kernel.release;
	vec_push(&s->opt.args, "begin");
	vec_push(&s->opt.args, "1+x\"\\");
	vec_push(&s->sources, src);
	if (pass_parse(s))
		return NULL;
	print_parsed(s, &b);
	return buf_text(&b);
}

static void parse_macros(const char *text, size_t len)
{
	struct session *s = NEW(struct session);
	struct script out = { 0 };
	struct map macros = { 0 };

	parse_into(s, source_new("input", text, len), &out, &macros, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text, *first, *second;

	diag_quiet_push(); // messages would keep memory of this input
	text = str_ndup((const char *)data, size);
	parse_macros(text, size);
	first = parse(text, size);
	if (first) {
		second = parse(first, strlen(first));
		if (!second || strcmp(first, second)) {
			fprintf(stderr, "printed:\n%s\nparsed and printed again:\n%s\n%s\n", first,
				second ? second : "(refused)", diag_quiet_first() ? diag_quiet_first() : "");
			abort();
		}
	}
	diag_quiet_pop();
	free_all();
	return 0;
}
