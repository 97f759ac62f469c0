/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that call stacks in records are in, and their build IDs, by which stap-report finds them on other machines.
 * In: lines of call stacks, "NAME+0x1b/0x40 [PATH]", "0x7f12 [PATH+OFFSET/END]" or "NAME+0x1b/0x40 [MODULE]". Text that
 * only looks like such a line is the path of a file that is never asked for, or of none. The memory is limited.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "mapped_files.h"
#include "../include/number.h"
#include "code_file.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 4096, SLOTS = 2 * FILES_MAX, MODULES_MAX = 1024, NUMBER_SIZE = 10, SUFFIX_SIZE = 64 };

struct mapped_file { char *path; uint64_t end; };
static struct mapped_file known[SLOTS];        /* a hash table; path NULL: unused */
static unsigned nknown;

struct module { char *name; struct build_id id; };
static struct module modules[MODULES_MAX];     /* loaded when the session began, or unloaded since */
static unsigned nmodules;

/* ------------------------------------------------------------------ the table */

static uint64_t hash_of(const char *path, uint64_t end)
{
	uint64_t hash = end + 14695981039346656037u;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 1099511628211u;
	return hash;
}

/* Returns true if the file was not known, and there is memory for it. */
static bool add(const char *path, uint64_t end)
{
	struct mapped_file *f;
	uint64_t i = hash_of(path, end);

	for (f = &known[i % SLOTS]; f->path; f = &known[++i % SLOTS])
		if (f->end == end && !strcmp(f->path, path))
			return false;
	if (nknown == FILES_MAX)
		return false;
	f->path = strdup(path);
	f->end = end;
	nknown += f->path != NULL;
	return f->path;
}

/* ------------------------------------------------------------------ the frame */

static char *put_number(char *at, uint64_t n)
{
	for (; n > 127; n >>= 7)
		*at++ = (char)(n | 128);
	*at++ = (char)n;
	return at;
}

static char *put_bytes(char *at, const void *bytes, size_t n)
{
	at = put_number(at, n);
	memcpy(at, bytes, n);
	return at + n;
}

/* The kernel publishes its notes and those of its modules. */
static bool read_module_notes(const char *module, struct build_id *id)
{
	char path[sizeof("/sys/module//notes/.note.gnu.build-id") + NAME_MAX];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	return code_file_read_notes(path, id);
}

/* Reads the build IDs of the modules that are loaded when the session begins: call stacks in arrays are written when it
 * ends, and a module may be unloaded before. */
static void read_modules(void)
{
	DIR *directory = opendir("/sys/module");
	struct dirent *d;
	struct module m;

	while (directory && nmodules < MODULES_MAX && (d = readdir(directory))) {
		if (*d->d_name == '.' || !read_module_notes(d->d_name, &m.id))
			continue;
		m.name = strdup(d->d_name);
		if (m.name)
			modules[nmodules++] = m;
	}
	if (directory)
		closedir(directory);
}

/* Returns false if the text is not a build ID in hexadecimal. */
static bool parse_id(const char *text, struct build_id *id)
{
	for (id->len = 0; *text; text += 2) {
		int high = number_digit(text[0]), low = high < 16 ? number_digit(text[1]) : 16;

		if (low >= 16 || id->len == sizeof(id->bytes))
			return false;
		id->bytes[id->len++] = (unsigned char)(high << 4 | low);
	}
	return id->len;
}

/* The newest module of a name replaces older ones. */
void mapped_files_unloaded(const char *text)
{
	size_t len = strcspn(text, " ");
	struct build_id id;
	unsigned i;

	if (!text[len] || !parse_id(text + len + 1, &id))
		return;
	for (i = 0; i < nmodules; i++)
		if (!strncmp(modules[i].name, text, len) && !modules[i].name[len])
			break;
	if (i == MODULES_MAX || (i == nmodules && !(modules[i].name = strndup(text, len))))
		return;
	modules[i].id = id;
	nmodules += i == nmodules;
}

static bool identify_kernel_code(const char *module, struct build_id *id)
{
	unsigned i;

	if (!strcmp(module, "kernel"))
		return code_file_read_notes("/sys/kernel/notes", id);
	if (read_module_notes(module, id))
		return true;
	for (i = 0; i < nmodules; i++)
		if (!strcmp(modules[i].name, module)) {
			*id = modules[i].id;
			return true;
		}
	return false;
}

static void describe(const char *path, uint64_t end, void (*emit)(const void *payload, size_t len))
{
	char payload[PATH_MAX + 4 * NUMBER_SIZE + sizeof(((struct build_id *)0)->bytes)], *at;
	struct build_id id;
	int64_t bias = 0;

	if (*path == '/' ? !code_file_identify(path, end, &id, &bias) : !identify_kernel_code(path, &id))
		return;
	at = put_bytes(payload, path, strlen(path));
	at = put_number(at, end);
	at = put_bytes(at, id.bytes, id.len);
	at = put_number(at, (uint64_t)bias << 1 ^ (uint64_t)(bias >> 63));
	emit(payload, (size_t)(at - payload));
}

/* ------------------------------------------------------------------ lines */

/* Removes "+0x1b/0x4000" from the end, and returns the second number. Returns 0 if the text ends otherwise. */
static uint64_t take_end(char *path)
{
	char *plus = path, *found = NULL;
	const char *at;
	uint64_t offset, end;

	while ((plus = strstr(plus, "+0x")))
		found = plus++;
	if (!found)
		return 0;
	at = found + 3;
	if (number_unsigned(&at, 16, &offset) != NUMBER_GOOD || strncmp(at, "/0x", 3))
		return 0;
	at += 3;
	if (number_unsigned(&at, 16, &end) != NUMBER_GOOD || *at)
		return 0;
	*found = '\0';
	return end;
}

/* Returns whether the text is the path of a file, or may be the name of a kernel module. */
static bool is_name(const char *s)
{
	size_t len = strlen(s);

	if (*s == '/')
		return len < PATH_MAX;
	return len && len <= NAME_MAX && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len;
}

void mapped_files_find(const void *items, size_t len, void (*emit)(const void *payload, size_t len))
{
	const char *at = items, *end = at + len;
	char path[PATH_MAX + SUFFIX_SIZE];
	static bool has_modules;

	if (!has_modules)
		read_modules();                /* the first record is that of the session */
	has_modules = true;
	while ((at = memmem(at, (size_t)(end - at), " [", 2))) {
		size_t space = (size_t)(end - (at += 2));
		const char *newline = memchr(at, '\n', space < sizeof(path) ? space : sizeof(path));
		uint64_t mapped;

		if (!newline || newline == at || newline[-1] != ']')
			continue;
		if (*at != '/' && (at - (const char *)items < 3 || !isxdigit((unsigned char)at[-3])))     /* "+0x1b/0x40" */
			continue;
		memcpy(path, at, (size_t)(newline - 1 - at));
		path[newline - 1 - at] = '\0';
		mapped = *path == '/' ? take_end(path) : 0;
		if (is_name(path) && add(path, mapped))
			describe(path, mapped, emit);
	}
}
