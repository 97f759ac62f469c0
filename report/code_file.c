// SPDX-License-Identifier: GPL-2.0-or-later
// The file that code was in: a program or library of a path, as this process sees it, or in the root directory of
// another process, such as one in a container. In: /proc, files. Out: a descriptor for symbols.c.
#include "code_file.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROOTS_MAX = 1024 };                 // root directories that are searched
enum { FILE_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK };

// Mappings end at a page of the kernel that ran the code: of 4, 16 or 64 KB.
static bool ends_at(const GElf_Phdr *p, uint64_t end)
{
	uint64_t last = p->p_offset + p->p_filesz;

	return p->p_type == PT_LOAD && end > p->p_offset && end >= last && end - last < 0x10000 && !(end & 0xfff) &&
	       (end - last < 0x1000 || !(end & 0x3fff));
}

// Returns whether the file is regular and has a segment that ends there. 0: every file has.
static bool is_file_of(int fd, uint64_t end)
{
	struct stat st;
	GElf_Phdr p;
	Elf *elf;
	size_t n = 0;
	bool found = !end;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	elf = found ? NULL : elf_begin(fd, ELF_C_READ, NULL);      // not mapped: others may truncate it
	if (!elf || elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n && !found; i++)
		found = gelf_getphdr(elf, i, &p) && ends_at(&p, end);
	elf_end(elf);
	return found;
}

// Returns the descriptor if it is of such a file; else closes it, and returns -1.
static int checked(int fd, uint64_t end)
{
	if (fd < 0 || is_file_of(fd, end))
		return fd;
	close(fd);
	return -1;
}

// Root directories of processes differ if their mount namespaces do.
struct root { dev_t device; ino_t inode, mounts; };

// Adds the root directory of a process to those that were searched; returns false if it already was.
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

static int open_in_process(const char *process, const char *path, uint64_t end)
{
	struct open_how how = { .flags = FILE_FLAGS, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char name[300];
	int root, fd;

	snprintf(name, sizeof(name), "/proc/%s/root", process);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	close(root);
	return checked(fd, end);
}

static int open_elsewhere(const char *path, uint64_t end)
{
	static struct root roots[ROOTS_MAX];
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t n = 0;
	int fd = -1;

	add_root(roots, &n, "self");
	while (proc && fd < 0 && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) && add_root(roots, &n, entry->d_name))
			fd = open_in_process(entry->d_name, path, end);
	if (proc)
		closedir(proc);
	return fd;
}

// libdw maps files, and reading a page past the end of a mapped file that was truncated raises SIGBUS. Such pages are
// replaced by zeros, which libdw handles as those of a damaged file.
static void replace_page(int number, siginfo_t *info, void *context)
{
	uintptr_t size = sysconf(_SC_PAGESIZE), page = (uintptr_t)info->si_addr & ~(size - 1);

	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(SIGBUS, SIG_DFL);           // the access is repeated, and ends the program
}

void code_file_survive_truncation(void)
{
	struct sigaction action = { .sa_sigaction = replace_page, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
}

static int open_anywhere(const char *path, uint64_t end)
{
	int fd = checked(open(path, FILE_FLAGS), end);

	return fd < 0 ? open_elsewhere(path, end) : fd;
}

// Replaces the escapes that frames have instead of white space (runtime/kernel/stack_values.c).
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

int code_file_open(const char *path, uint64_t end)
{
	char plain[PATH_MAX];
	int fd;

	elf_version(EV_CURRENT);
	fd = open_anywhere(path, end);
	if (fd >= 0 || !strchr(path, '\\') || strlen(path) >= sizeof(plain))
		return fd;
	unescape(strcpy(plain, path));
	return open_anywhere(plain, end);
}
