// SPDX-License-Identifier: GPL-2.0-or-later
// Makes frames of the lines of call stacks. Stacks have few different lines, each of which is parsed and looked up
// once: its frames are cached. The session is not trusted, so that the cache is emptied when it is full.
#include "files.h"
#include "frame_line.h"
#include "json_text.h"
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { CACHE_BYTES = 64 << 20 };

// --- parsing ---

// Skips a hexadecimal number "0x..." and returns true if there is one.
static bool hexadecimal(const char **at, const char *end, uint64_t *n)
{
	const char *from = *at;
	uint64_t sum = 0;

	if (end - from < 3 || from[0] != '0' || from[1] != 'x')
		return false;
	for (from += 2; from < end; from++) {
		char c = *from | 32;

		if (c >= '0' && c <= '9')
			sum = sum << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			sum = sum << 4 | (c - 'a' + 10);
		else
			break;
	}
	if (from == *at + 2)
		return false;
	*at = from;
	*n = sum;
	return true;
}

static void trim(struct text *t)
{
	for (; t->len && (*t->at == ' ' || *t->at == '\t'); t->len--)
		t->at++;
	while (t->len && (t->at[t->len - 1] == ' ' || t->at[t->len - 1] == '\t'))
		t->len--;
}

static const char *skip_hexadecimal(const char *at, const char *end)
{
	uint64_t n;

	return at && hexadecimal(&at, end, &n) ? at : NULL;
}

// Returns the "[" of the module. It follows "+0x1b/0x40 ", or an address at the begin of the line, since a path may
// have brackets; else it is the last one.
static const char *begin_of_module(struct text line)
{
	const char *end = line.at + line.len, *at = skip_hexadecimal(line.at, end), *plus = line.at;

	if (at && end - at > 2 && !memcmp(at, " [", 2))
		return at + 1;
	while ((plus = memmem(plus, end - plus, "+0x", 3))) {
		at = skip_hexadecimal(++plus, end);
		at = at && *at == '/' ? skip_hexadecimal(at + 1, end) : NULL;
		if (at && end - at > 2 && !memcmp(at, " [", 2))
			return at + 1;
	}
	return memrchr(line.at, '[', line.len);
}

// Takes "[module]" off the end of the line.
static struct text take_module(struct text *line)
{
	const char *open = line->len && line->at[line->len - 1] == ']' ? begin_of_module(*line) : NULL;
	struct text module = { "", 0 };

	if (!open || open == line->at || open[-1] != ' ')
		return module;
	module = (struct text){ open + 1, line->at + line->len - 1 - (open + 1) };
	line->len = open - line->at;
	trim(line);
	return module;
}

// An address without a symbol has a file and an offset instead, "/usr/bin/sh+0xbcc0/0x17000" in brackets: it is named
// "sh+0xbcc0", which is the same wherever the file is mapped.
static void name_by_file(struct frame *f)
{
	const char *end = f->module.at + f->module.len;
	const char *plus = NULL, *from, *at = f->module.at;

	while ((at = memmem(at, end - at, "+0x", 3)))       // the last "+0x" counts, since names of directories may contain it
		plus = at++;
	if (!plus)
		return;
	from = plus;
	at = plus + 1;
	if (!hexadecimal(&at, end, &f->offset))
		return;
	while (from > f->module.at && from[-1] != '/')
		from--;
	f->name = (struct text){ from, at - from };
	if (at < end && *at == '/' && end - ++at > 2)
		hexadecimal(&at, end, &f->size);
	f->module.len = plus - f->module.at;
	f->in_file = true;
}

struct frame frame_line_read(struct text line)
{
	static const char colon[] = " : ";
	struct frame f = { .module = { "", 0 }, .source = { "", 0 } };
	const char *at, *end, *found;

	trim(&line);
	f.module = take_module(&line);
	at = line.at;
	end = line.at + line.len;
	if (hexadecimal(&at, end, &f.address) && end - at > 3 && !memcmp(at, colon, 3)) {
		line = (struct text){ at + 3, end - at - 3 };
		trim(&line);
	}
	found = memmem(line.at, line.len, "+0x", 3);
	if (found && found > line.at) {
		at = found + 1;
		if (hexadecimal(&at, end, &f.offset) && at < end && *at == '/' && end - ++at > 2)
			hexadecimal(&at, end, &f.size);
		line.len = found - line.at;
	}
	f.name = line;
	at = line.at;
	if (!found && hexadecimal(&at, end, &f.address) && at == line.at + line.len)
		name_by_file(&f);
	return f;
}

// --- the cache ---

struct line {
	UT_hash_handle hh;
	struct frame *frames;
	unsigned n;
	char key[];                        // the line, whether its address is a return address, number of the session, host
};

static struct line *cache;
static size_t cache_bytes;

static void empty_cache(void)
{
	struct line *l, *next;

	HASH_ITER(hh, cache, l, next) {
		HASH_DEL(cache, l);
		free(l->frames);
		free(l);
	}
	cache_bytes = 0;
	symbols_forget();
}

// Which host added to a value is not recorded.
static void report_builds(struct text path, struct recorded_file *file)
{
	if (!file->reported)
		fprintf(stderr, "WARNING: the hosts have different builds of %.*s; in values to which several hosts may have "
			"added, its functions are not looked up\n", (int)path.len, path.at);
	file->reported = true;
}

// Looks the frame up: its functions are the one that contains the address, then those inlined there. Without symbols,
// it has one function, with the name that was printed.
static void look_up(struct line *l, const struct session *s, struct text text, struct text host, bool returns)
{
	static uint64_t last_number;
	struct frame f = frame_line_read(text);
	struct file_place place = { host, f.module, f.in_file ? f.size : 0 };
	struct code_location p = { f.module, f.in_file ? (struct text){ "", 0 } : f.name, f.offset, f.size, returns, NULL };
	const struct symbol *symbols;
	struct recorded_file *file;

	if (!f.name.len)
		return;
	file = f.module.len ? files_find(s->files, &place) : NULL;
	if (file && file->differs)
		report_builds(f.module, file);
	p.file = file;
	symbols = p.file && p.file->differs ? NULL : symbols_at(s->merged ? "" : s->kernel, &p, &l->n);
	l->frames = calloc(l->n ? l->n : 1, sizeof(*l->frames));
	if (!l->frames)
		abort();
	if (p.file && !p.file->differs)
		f.build_id = (struct text){ p.file->id_text, strlen(p.file->id_text) };
	l->frames[0] = f;
	for (unsigned i = 0; i < l->n; i++) {
		l->frames[i] = f;
		if (symbols[i].function.len)
			f.name = l->frames[i].name = symbols[i].function;
		l->frames[i].source = symbols[i].file;
		l->frames[i].line = symbols[i].line;
		l->frames[i].inlined = i;
	}
	if (!l->n)
		l->n = 1;
	for (unsigned i = 0; i < l->n; i++)
		l->frames[i].number = ++last_number;
}

static struct line *add(const struct session *s, struct text text, struct text host, bool returns, const char *key,
			size_t len)
{
	struct line *l;

	if (cache_bytes > CACHE_BYTES)
		empty_cache();
	l = calloc(1, sizeof(*l) + len);
	if (!l)
		abort();
	memcpy(l->key, key, len);
	look_up(l, s, (struct text){ l->key, text.len }, host, returns);
	HASH_ADD_KEYPTR(hh, cache, l->key, len, l);
	cache_bytes += sizeof(*l) + len + l->n * sizeof(*l->frames);
	return l;
}

const struct frame *frame_line_frames(const struct session *s, struct text text, struct text host, bool returns,
				      unsigned *n)
{
	static struct json_line key;
	struct line *l;

	key.len = 0;
	line_add(&key, text.at, text.len);
	line_add(&key, returns ? "r" : "", 1);
	line_add(&key, (const char *)&s->number, sizeof(s->number));
	line_add(&key, host.at, host.len);
	HASH_FIND(hh, cache, key.at, key.len, l);
	if (!l)
		l = add(s, text, host, returns, key.at, key.len);
	*n = l->n;
	return l->frames;
}
