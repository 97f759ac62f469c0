/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of addresses of processes, from the mappings that programs announce, the kernel reports or /proc/PID/maps has,
 * and the tables of struct stp_object, as in kernel/user_stack.c. Mappings of processes that have exited are not
 * removed, since records that refer to them may follow.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "client.h"
#include "../core/internal.h"
#include "../include/number.h"
#include "../include/user_symbol.h"
#include "bpf_shared.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#define LINE_SIZE (4096 + 512)             /* size of a path and a symbol */

struct mapping {
	struct stp_mapping range;
	char *path;                            /* white space but " " is escaped, so that a frame is one line */
	const struct stp_object *object;       /* NULL: unknown */
};

/* The memory of a process, with the mappings of files that are known. */
struct space {
	u64 number;
	struct mapping *mappings;
	u32 n;
	struct process_image *image;           /* the mappings that the kernel has reported; NULL: none */
	struct stp_execution process;            /* pid 0: its mappings cannot be read */
	u64 due_ns, wait_ns;                   /* time of the next reading, and the interval before it */
};
static struct space **spaces;                  /* a hash table; NULL: unused */
static u32 nslots, nspaces;

/* A process may map a library after its mappings were read. They are read again for an address that is in none, but
 * after twice the time when nothing was found, since call stacks may contain wrong addresses. */
#define FIRST_WAIT_NS 10000000ull

/* ------------------------------------------------------------------ objects */

static struct { const struct stp_object *objects; struct stat *files; u32 n; } known;

static int user_stack_start(void *table, u32 n)
{
	const struct stp_object *o = table;
	u32 i;

	known.files = calloc(n + 1, sizeof(*known.files));
	if (!known.files)
		return -ENOMEM;
	known.objects = o;
	known.n = n;
	for (i = 0; i < n; i++)
		if (!client_same_file(o[i].program) || stat(o[i].program->path, &known.files[i]))
			memset(&known.files[i], 0, sizeof(known.files[i]));
	return 0;
}

static void user_stack_stop(void *table, u32 n)
{
}

const struct stp_family_ops stp_user_stack_family = { "user_stack", user_stack_start, user_stack_stop };

/* The kernel's numbers of devices have 20 bits for the minor number. */
static bool is_file(const struct stat *f, const struct stp_mapping *m)
{
	return f->st_ino && f->st_ino == m->inode && major(f->st_dev) == m->device >> 20 &&
	       minor(f->st_dev) == (m->device & 0xfffff);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool has_same_contents(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/*
 * Returns whether a mapping with the path of a file is one of it. Filesystems such as btrfs report another device than
 * the mapping has, and overlayfs another inode; otherwise another inode is another file: the path has been replaced,
 * or belongs to another mount namespace.
 */
static bool is_path_of(const struct stat *f, const struct stat *now, const char *path, const struct stp_mapping *m)
{
	struct statfs fs;

	return is_same_file(f, now) && has_same_contents(f, now) &&
	       (f->st_ino == m->inode || (!statfs(path, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC));
}

/* Returns the object whose file is mapped, if the file has not been written since the script began. */
static const struct stp_object *object_of(const struct stp_mapping *m, const char *path)
{
	const struct stat *f;
	struct stat now;
	u32 i;

	if (!m->inode && !strcmp(path, VDSO_PATH))
		return vdso_object(m);
	for (i = 0; i < known.n; i++) {
		f = &known.files[i];
		if (is_file(f, m))
			return stat(known.objects[i].program->path, &now) || !is_same_file(f, &now) || has_same_contents(f, &now) ?
				&known.objects[i] : NULL;
	}
	for (i = 0; i < known.n; i++)
		if (known.files[i].st_ino && !strcmp(known.objects[i].program->path, path) && !stat(path, &now) &&
		    is_path_of(&known.files[i], &now, path, m))
			return &known.objects[i];
	return NULL;
}

/* ------------------------------------------------------------------ mappings */

/* Returns a copy with escapes as %pEs of the kernel writes them; NULL: no memory. */
static char *escaped(const char *path)
{
	static const char from[] = "\n\r\t\v\f", to[] = "nrtvf";
	char *copy = malloc(2 * strlen(path) + 1), *at = copy;
	const char *found;

	if (!copy)
		return NULL;
	for (; *path; path++) {
		found = strchr(from, *path);
		if (found)
			*at++ = '\\';
		*at++ = found ? to[found - from] : *path;
	}
	*at = '\0';
	return copy;
}

/* Returns the number of the slot of a space: its own, or a free one. */
static u32 slot_of(u64 number)
{
	u32 i = (u32)((number * 0x9e3779b97f4a7c15ull) >> 32) & (nslots - 1);

	while (spaces[i] && spaces[i]->number != number)
		i = (i + 1) & (nslots - 1);
	return i;
}

static struct space *space_find(u64 number)
{
	return nslots ? spaces[slot_of(number)] : NULL;
}

/* Doubles the table. Returns false if there is no memory. */
static bool grow(void)
{
	u32 n = nslots, i;
	struct space **old = spaces, **more = calloc(n ? n * 2ull : 64, sizeof(*more));

	if (!more)
		return false;
	spaces = more;
	nslots = n ? n * 2 : 64;
	for (i = 0; i < n; i++)
		if (old[i])
			spaces[slot_of(old[i]->number)] = old[i];
	free(old);
	return true;
}

/* Returns the space, which is created if it is new; NULL if memory is exhausted. */
static struct space *space_get(u64 number)
{
	struct space *s = space_find(number);

	if (s || (nspaces * 2 >= nslots && !grow()))
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->number = number;
	spaces[slot_of(number)] = s;
	nspaces++;
	return s;
}

/* Returns the last mapping that was announced for the address: it may have replaced an earlier one. */
static const struct mapping *known_mapping(const struct space *s, u64 address)
{
	u32 i;

	for (i = s->n; i-- > 0;)
		if (address >= s->mappings[i].range.start && address < s->mappings[i].range.end)
			return &s->mappings[i];
	return NULL;
}

void user_names_add(const struct stp_mapping *m, const char *path)
{
	struct space *s = space_get(m->space);
	const struct mapping *same = s ? known_mapping(s, m->start) : NULL;
	struct mapping *more;

	if (!s || (same && !memcmp(&same->range, m, sizeof(*m))))
		return;
	if (!(s->n & (s->n - 1))) {
		more = realloc(s->mappings, (s->n ? s->n * 2 : 1) * sizeof(*more));
		if (!more)
			return;
		s->mappings = more;
	}
	s->mappings[s->n] = (struct mapping){ *m, escaped(path), object_of(m, path) };
	if (s->mappings[s->n].path)
		s->n++;
}

static void read_maps(struct space *s)
{
	u32 before = s->n;

	process_maps_read(s->number, &s->process);
	s->wait_ns = s->n > before || !s->wait_ns ? FIRST_WAIT_NS : s->wait_ns * 2;
	s->due_ns = user_now_ns() + s->wait_ns;
}

void user_names_follow(u64 number, const struct stp_execution *p)
{
	struct space *s = space_get(number);
	bool is_complete;

	if (!s)
		return;
	s->process = *p;
	if (s->image)
		return;
	s->image = process_events_image(p, &is_complete);
	if (!s->image || !is_complete)
		read_maps(s);
}

static const struct mapping *reported_mapping(struct space *s, u64 address)
{
	const char *path;
	const struct stp_mapping *found = s->image ? process_events_mapping(s->image, address, &path) : NULL;
	struct stp_mapping m;

	if (!found)
		return NULL;
	m = *found;
	m.space = s->number;
	user_names_add(&m, path);
	return known_mapping(s, address);
}

static const struct mapping *mapping_of(u64 number, u64 address)
{
	struct space *s = space_find(number);
	const struct mapping *m = s ? known_mapping(s, address) : NULL;

	if (!m && s)
		m = reported_mapping(s, address);
	if (m || !s || !s->process.pid || user_now_ns() < s->due_ns)
		return m;
	read_maps(s);
	return known_mapping(s, address);
}

/* ------------------------------------------------------------------ names */

/* An address, its mapping, and its symbol; both may be NULL. */
struct user_location { u64 address, offset; const struct mapping *mapping; const struct stp_usym *symbol; };

static struct user_location location_of(u64 space, u64 address)
{
	const struct mapping *m = mapping_of(space, address);
	u64 offset;

	if (m && !*m->path)                    /* memory without a file */
		m = NULL;
	offset = m ? address - m->range.start + m->range.offset : 0;

	return (struct user_location){ address, offset, m, m && m->object ? stp_user_symbol(m->object, offset) : NULL };
}

/* Does the same as usymdata() of the library; returns the length. */
static int put_data(char *to, u32 size, const struct user_location *p)
{
	const struct mapping *m = p->mapping;

	if (p->symbol)
		return snprintf(to, size, "%s+0x%llx/0x%llx [%s]", p->symbol->name,
				(unsigned long long)(p->offset - p->symbol->offset), (unsigned long long)p->symbol->size, m->path);
	if (m)
		return snprintf(to, size, "0x%llx [%s+0x%llx/0x%llx]", (unsigned long long)p->address, m->path,
				(unsigned long long)p->offset, (unsigned long long)(m->range.end - m->range.start + m->range.offset));
	return snprintf(to, size, "0x%llx", (unsigned long long)p->address);
}

static int put_name(char *to, u32 size, const struct user_location *p)
{
	if (p->symbol)
		return snprintf(to, size, "%s", p->symbol->name);
	return snprintf(to, size, "0x%llx", (unsigned long long)p->address);
}

/* Returns the source file of an address, and sets the line; NULL: unknown. */
static const char *source_of(const struct user_location *p, u32 *line)
{
	const struct stp_object *o = p->mapping ? p->mapping->object : NULL;
	const char *file;

	return o && o->lines && p->offset <= UINT32_MAX && stp_lines_find(o->lines, (u32)p->offset, &file, line) ? file : NULL;
}

/* Writes the text of one address, in the form of a mark; returns the length. */
static int put_one(char *to, u32 size, const struct user_location *p, char form)
{
	const char *file;
	u32 line = 0;

	switch (form) {
	case STP_MARK_DATA: return put_data(to, size, p);
	case STP_MARK_NAME: return put_name(to, size, p);
	case STP_MARK_PATH:
		return p->mapping ? snprintf(to, size, "%s", p->mapping->path) : source_text(to, size, p->address, NULL, 0, form);
	}
	file = source_of(p, &line);
	return source_text(to, size, p->address, file, line, form);
}

/* Prints the source line of the call before a return address. */
static void print_source(struct stp_ctx *c, u64 form, u64 space, u64 address)
{
	struct user_location p = location_of(space, address - (form == STP_USER_CALLER_SOURCE));
	u32 line = 0;
	const char *file = source_of(&p, &line);

	if (file)
		stp_cprintf(c, " at %s:%u", file, line);
}

void user_names_print(struct stp_ctx *c, u64 form, u64 space, u64 address)
{
	struct user_location p = location_of(space, address);
	char text[LINE_SIZE];

	if (form == STP_USER_NAME) {
		put_name(text, sizeof(text), &p);
		stp_cprintf(c, "%s\n", text);
		return;
	}
	put_data(text, sizeof(text), &p);
	if (form == STP_USER_DOUBLED || p.symbol)
		stp_cprintf(c, " 0x%llx :", address);
	stp_cprintf(c, " %s", text);
	if (form == STP_USER_SOURCE || form == STP_USER_CALLER_SOURCE)
		print_source(c, form, space, address);
	stp_cprintf(c, "\n");
}

static u64 digits(const char *from, u32 n)
{
	char text[20] = "";
	const char *at = text;
	uint64_t value;

	memcpy(text, from, n);
	return number_unsigned(&at, 16, &value) == NUMBER_GOOD ? value : 0;
}

/* Returns whether a program has written the text: scripts do not know the random number. */
static bool is_mark(const char *s)
{
	return *s == STP_MARK && strlen(s) >= STP_MARK_HEAD && digits(s + 2, 8) == (u32)stp_hash_factor;
}

const char *user_names_complete(const char *s, char *to, u32 size)
{
	u32 len = 0;
	char form = s[0] ? s[1] : 0;
	struct user_location p;
	uint64_t address;
	u64 space;

	if (form == STP_MARK_ADDRESSES || !is_mark(s))
		return s;
	space = digits(s + 10, 16);
	*to = 0;
	for (s += STP_MARK_HEAD; *s;) {
		s += strspn(s, " ");
		if (number_unsigned(&s, 16, &address) != NUMBER_GOOD)
			break;
		if (form >= STP_MARK_KERNEL + 'A') {
			stp_kernel_line(NULL, to, address, form - STP_MARK_KERNEL);
			break;
		}
		p = location_of(space, address);
		if (form != STP_MARK_LINES) {
			if (put_one(to, size, &p, form) >= (int)size)
				stp_string_cut();
			break;
		}
		if (!stp_list_line(to, size, &len, (u64)put_data(to + len, size - len, &p)))
			break;
	}
	return to;
}

/* ------------------------------------------------------------------ stack values */

/* A list of addresses; those of a process follow STP_MARK_ADDRESSES. */
bool plat_stack_address(const char *stack, u32 *at, u64 *address)
{
	const char *end;
	uint64_t number;

	if (!*at && is_mark(stack))
		*at = STP_MARK_HEAD;
	end = stack + *at + strspn(stack + *at, " ");
	if (number_unsigned(&end, 16, &number) != NUMBER_GOOD)
		return false;
	*address = number;
	*at = (u32)(end - stack);
	return true;
}

const char *plat_stack_line(struct stp_ctx *c, const char *stack, u32 *at, u64 *address)
{
	static char text[LINE_SIZE];
	struct user_location p;

	if (!plat_stack_address(stack, at, address))
		return NULL;
	if (!is_mark(stack))
		return client_kernel_name(*address);
	p = location_of(digits(stack + 10, 16), *address);
	put_data(text, sizeof(text), &p);
	return text;
}
