// SPDX-License-Identifier: GPL-2.0-or-later
// Reads /proc/kallsyms, which has the addresses after KASLR and those of loaded modules:
// lines "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]", the kernel's sorted by address.
// Reading the whole file takes 0.1 s and more, so reading stops at the last symbol that is needed.
#include "staprun.h"

#include "log.h"
#include "syscalls.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Called for each line; returns true to stop.
typedef bool line_fn(uint64_t address, const char *name, const char *module, void *with);

static bool split_line(char *line, line_fn *each, void *with)
{
	char *at = line, *name, *module = "";
	uint64_t address;

	if (number_unsigned((const char **)&at, 16, &address) != NUMBER_GOOD || at[0] != ' ' || !at[1] || at[2] != ' ')
		return false;
	name = at + 3;
	at = name + strcspn(name, "\t ");
	if (*at) {
		*at++ = 0;
		module = at + strspn(at, "\t [");
		module[strcspn(module, "]")] = 0;
	}
	return each(address, name, module, with);
}

static int read_lines(line_fn *each, void *with)
{
	static char text[1 << 16];
	size_t have = 0;
	ssize_t n;
	int fd = sys_open("/proc/kallsyms", O_RDONLY);

	if (fd < 0)
		return fd;
	while ((n = sys_read(fd, text + have, sizeof(text) - have)) > 0) {
		char *line = text, *end = text + have + n, *newline;

		while ((newline = memchr(line, '\n', end - line))) {
			*newline = 0;
			if (split_line(line, each, with))
				goto out;
			line = newline + 1;
		}
		have = end - line;
		if (have == sizeof(text))  // the line is invalid, so it is skipped
			have = 0;
		memmove(text, line, have);
	}
out:
	close(fd);
	return n < 0 ? n : 0;
}

static bool is_base(uint64_t address, const char *name, const char *module, void *with)
{
	if (strcmp(name, "_stext") || *module)
		return false;
	*(uint64_t *)with = address;
	return true;
}

int kallsyms_base(uint64_t *base)
{
	return read_lines(is_base, base);
}

// --- many symbols ---

struct index {
	struct symbol **bucket;
	unsigned buckets;                  // a power of two
	int missing;
};

static unsigned hash(const char *name)
{
	unsigned h = 5381;

	while (*name)
		h = h * 33 ^ (unsigned char)*name++;
	return h;
}

// If several symbols have the same name, the first one is used.
static bool look_up(uint64_t address, const char *name, const char *module, void *with)
{
	struct index *index = with;

	for (struct symbol *s = index->bucket[hash(name) & (index->buckets - 1)]; s; s = s->next)
		if (!s->address && !strcmp(s->name, name) && (s->anywhere || !strcmp(s->module, module))) {
			s->address = address;
			index->missing -= address != 0;
		}
	return index->missing == 0;
}

int kallsyms_find(struct symbol *symbols, int n)
{
	struct index index = { .buckets = 16, .missing = n };
	int rc;

	while (index.buckets < 2 * n)
		index.buckets *= 2;
	index.bucket = calloc(index.buckets, sizeof(*index.bucket));
	if (!index.bucket)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		struct symbol **bucket = &index.bucket[hash(symbols[i].name) & (index.buckets - 1)];

		symbols[i].next = *bucket;
		*bucket = &symbols[i];
	}
	rc = read_lines(look_up, &index);
	if (rc)
		log_error("cannot read /proc/kallsyms: %s", strerror(-rc));
	free(index.bucket);
	return rc;
}

// --- the build ID ---

static size_t round_up4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

// Reads the build ID: /sys/kernel/notes is a sequence of ELF notes: header, name, description, each padded to 4.
int kernel_build_id(unsigned char *id, int size)
{
	unsigned char notes[4096];
	Elf64_Nhdr note;
	size_t at = 0;
	ssize_t len;
	int fd = sys_open("/sys/kernel/notes", O_RDONLY);

	if (fd < 0)
		return 0;
	len = sys_read(fd, notes, sizeof(notes));
	close(fd);
	while (len > 0 && at + sizeof(note) <= len) {
		size_t name, desc;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		desc = name + round_up4(note.n_namesz);
		at = desc + round_up4(note.n_descsz);
		if (at > len || at < desc)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) && note.n_descsz <= size) {
			memcpy(id, notes + desc, note.n_descsz);
			return note.n_descsz;
		}
	}
	return 0;
}
