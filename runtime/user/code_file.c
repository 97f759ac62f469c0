/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that code was in: a program or library of a path, as this process sees it, or in the root directory of
 * another process, such as one in a container; its build ID. Shared by stap-report, stapio and the user runtime.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "code_file.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROOTS_MAX = 1024 };                 /* root directories that are searched */

/* An ELF header: the offset and the number of the program headers, and the bytes of each. */
struct elf_head { bool is_64; uint64_t segments; unsigned n, size; };
struct segment { uint64_t type, offset, address, size, align; };

static bool read_at(int fd, void *to, size_t n, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, n, (off_t)offset) == (ssize_t)n;
}

/* Files of another byte order have no segments. Files are read, not mapped, since others may truncate them. */
static bool read_head(int fd, struct elf_head *h)
{
	const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	union { unsigned char ident[EI_NIDENT]; Elf64_Ehdr of_64; Elf32_Ehdr of_32; } e;

	if (!read_at(fd, &e, sizeof(e.of_32), 0) || memcmp(e.ident, ELFMAG, SELFMAG) || e.ident[EI_DATA] != order)
		return false;
	*h = (struct elf_head){ .is_64 = e.ident[EI_CLASS] == ELFCLASS64 };
	if (h->is_64 && !read_at(fd, &e, sizeof(e.of_64), 0))
		return false;
	h->segments = h->is_64 ? e.of_64.e_phoff : e.of_32.e_phoff;
	h->n = h->is_64 ? e.of_64.e_phnum : e.of_32.e_phnum;
	h->size = h->is_64 ? e.of_64.e_phentsize : e.of_32.e_phentsize;
	return h->size >= (h->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
}

static bool read_segment(int fd, const struct elf_head *h, unsigned i, struct segment *s)
{
	union { Elf64_Phdr of_64; Elf32_Phdr of_32; } p;

	if (!read_at(fd, &p, h->is_64 ? sizeof(p.of_64) : sizeof(p.of_32), h->segments + (uint64_t)i * h->size))
		return false;
#define SEGMENT(p) ((struct segment){ (p).p_type, (p).p_offset, (p).p_vaddr, (p).p_filesz, (p).p_align })
	*s = h->is_64 ? SEGMENT(p.of_64) : SEGMENT(p.of_32);
#undef SEGMENT
	return true;
}

/* Mappings end at a page of the kernel that ran the code: of 4, 16 or 64 KB. */
static bool ends_at(const struct segment *s, uint64_t end)
{
	uint64_t last = s->offset + s->size;

	return s->type == PT_LOAD && end > s->offset && end >= last && end - last < 0x10000 && !(end & 0xfff) &&
	       (end - last < 0x1000 || !(end & 0x3fff));
}

/* Finds the segment that ends there. */
static bool segment_of(int fd, uint64_t end, struct segment *s)
{
	struct elf_head h;

	if (!read_head(fd, &h))
		return false;
	for (unsigned i = 0; i < h.n; i++)
		if (read_segment(fd, &h, i, s) && ends_at(s, end))
			return true;
	return false;
}

/* Reads the build ID from a segment of notes, if it has one. A file may end before the segment does. */
static bool read_notes(int fd, const struct segment *s, struct build_id *id)
{
	unsigned char notes[4096];
	size_t size = s->size < sizeof(notes) ? s->size : sizeof(notes), at = 0, align = s->align == 8 ? 8 : 4, name;
	ssize_t got = s->offset <= INT64_MAX ? pread(fd, notes, size, (off_t)s->offset) : -1;
	Elf32_Nhdr n;

	if (got < 0)
		return false;
	size = (size_t)got;
	while (size - at >= sizeof(n)) {
		memcpy(&n, notes + at, sizeof(n));
		name = at + sizeof(n);
		if (n.n_namesz > size - name)
			return false;
		at = (name + n.n_namesz + align - 1) & ~(align - 1);
		if (at > size || n.n_descsz > size - at)
			return false;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(notes + name, "GNU", 4) &&
		    n.n_descsz && n.n_descsz <= sizeof(id->bytes)) {
			memcpy(id->bytes, notes + at, n.n_descsz);
			id->len = n.n_descsz;
			return true;
		}
		at = (at + n.n_descsz + align - 1) & ~(align - 1);
		if (at > size)
			return false;
	}
	return false;
}

bool code_file_read_notes(const char *path, struct build_id *id)
{
	struct segment all = { .size = SIZE_MAX };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = fd >= 0 && read_notes(fd, &all, id);

	if (fd >= 0)
		close(fd);
	return found;
}

bool code_file_build_id(int fd, struct build_id *id)
{
	struct elf_head h;
	struct segment s;

	if (!read_head(fd, &h))
		return false;
	for (unsigned i = 0; i < h.n; i++)
		if (read_segment(fd, &h, i, &s) && s.type == PT_NOTE && read_notes(fd, &s, id))
			return true;
	return false;
}

bool code_file_identify(const char *path, uint64_t end, struct build_id *id, int64_t *bias)
{
	struct code_file wanted = { .path = path, .end = end };
	int fd = code_file_open(&wanted);
	struct segment s;
	bool found = fd >= 0 && code_file_build_id(fd, id);

	*bias = found && end && segment_of(fd, end, &s) ? (int64_t)(s.address - s.offset) : 0;
	if (fd >= 0)
		close(fd);
	return found;
}

/* A file is the wanted one if it has its build ID or, if that is unknown, a segment that ends there. */
static bool is_wanted(int fd, struct code_file *w)
{
	struct build_id id = { .len = 0 };
	struct segment s;

	if (!w->id.len)
		return !w->end || segment_of(fd, w->end, &s);
	if (code_file_build_id(fd, &id) && id.len == w->id.len && !memcmp(id.bytes, w->id.bytes, id.len))
		return true;
	w->other = id;
	w->differs = true;
	return false;
}

/* Returns the descriptor if it is of the wanted file; else closes it, and returns -1. */
static int checked(int fd, struct code_file *w)
{
	if (fd < 0 || is_wanted(fd, w))
		return fd;
	close(fd);
	return -1;
}

/*
 * Opens a regular file for reading, and no other: a path may come from a script's text, and to open a FIFO or a device
 * has effects. fd: the file, opened with O_PATH, is closed. path: opened if /proc is not mounted; NULL: no file then.
 */
static int open_regular(int fd, const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	char name[40];
	struct stat st;
	int readable = -1;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		readable = open(name, flags);
		if (readable < 0 && errno == ENOENT && path)
			readable = open(path, flags);
	}
	if (fd >= 0)
		close(fd);
	return readable;
}

/* Root directories of processes differ if their mount namespaces do. */
struct root { dev_t device; ino_t inode, mounts; };

/* Adds the root directory of a process to those that were searched; returns false if it already was. */
static bool add_root(struct root *roots, size_t *n, const char *process)
{
	char name[300];
	struct stat root, mounts;

	snprintf(name, sizeof(name), "/proc/%s/root", process);
	if (*n == ROOTS_MAX || stat(name, &root))
		return false;
	snprintf(name, sizeof(name), "/proc/%s/ns/mnt", process);
	if (stat(name, &mounts))
		return false;
	for (size_t i = 0; i < *n; i++)
		if (roots[i].device == root.st_dev && roots[i].inode == root.st_ino && roots[i].mounts == mounts.st_ino)
			return false;
	roots[(*n)++] = (struct root){ root.st_dev, root.st_ino, mounts.st_ino };
	return true;
}

int code_file_open_below(const char *directory, struct code_file *w)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (root < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, root, w->path, &how, sizeof(how));
	close(root);
	return checked(open_regular(fd, NULL), w);
}

static int open_in_process(const char *process, struct code_file *w)
{
	char name[300];

	snprintf(name, sizeof(name), "/proc/%s/root", process);
	return code_file_open_below(name, w);
}

static int open_elsewhere(struct code_file *w)
{
	static struct root roots[ROOTS_MAX];
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t n = 0;
	int fd = -1;

	add_root(roots, &n, "self");
	while (proc && fd < 0 && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) && add_root(roots, &n, entry->d_name))
			fd = open_in_process(entry->d_name, w);
	if (proc)
		closedir(proc);
	return fd;
}

static int open_anywhere(struct code_file *w)
{
	int fd = checked(open_regular(open(w->path, O_PATH | O_CLOEXEC), w->path), w);

	return fd < 0 ? open_elsewhere(w) : fd;
}

/* Replaces the escapes that frames have instead of white space (runtime/kernel/stack_values.c). */
static void unescape(char *path)
{
	static const char from[] = "nrtvf", to[] = "\n\r\t\v\f";
	const char *found;
	char *at = path;

	for (; *path; path++) {
		found = *path == '\\' && path[1] ? strchr(from, path[1]) : NULL;
		path += found != NULL;
		*at++ = found ? to[found - from] : *path;
	}
	*at = '\0';
}

int code_file_open(struct code_file *w)
{
	const char *escaped = w->path;
	char plain[PATH_MAX];
	int fd = open_anywhere(w);

	if (fd >= 0 || !strchr(escaped, '\\') || strlen(escaped) >= sizeof(plain))
		return fd;
	unescape(strcpy(plain, escaped));
	w->path = plain;
	fd = open_anywhere(w);
	w->path = escaped;
	return fd;
}
