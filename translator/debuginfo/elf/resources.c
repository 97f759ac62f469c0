// SPDX-License-Identifier: GPL-2.0-or-later
// Resources of debuginfo/ that the garbage collector does not manage: mapped files, unpacked images, and handles of
// libelf, libdw and libbpf. They live until di_close(), since everything that debuginfo returned points into them.
#include "debuginfo/elf/resources.h"

#include "util/diag.h"
#include "util/str.h"

#include <bpf/btf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct resources {
	struct { void *what; size_t len; } *at;
	int n, capacity, last;
} all[RESOURCE_KINDS];             // malloc memory: the collector does not scan it, and need not

void resource_add(enum resource_kind kind, void *what, size_t len)
{
	struct resources *h = &all[kind];

	if (h->n == h->capacity) {
		h->capacity = h->capacity ? 2 * h->capacity : 16;
		h->at = realloc(h->at, h->capacity * sizeof(*h->at));
		if (!h->at)
			die("out of memory");
	}
	h->at[h->n].what = what;
	h->at[h->n++].len = len;
}

bool resource_find(enum resource_kind kind, const void *what, size_t *len)
{
	struct resources *h = &all[kind];

	// Lookups often repeat the last one.
	if (h->last < h->n && h->at[h->last].what == what) {
		*len = h->at[h->last].len;
		return true;
	}
	for (int i = h->n; i--;)
		if (h->at[i].what == what) {
			h->last = i;
			*len = h->at[i].len;
			return true;
		}
	return false;
}

bool resource_has(enum resource_kind kind, const void *what)
{
	size_t len;

	return resource_find(kind, what, &len);
}

static void release(enum resource_kind kind, void *what, size_t len)
{
	switch (kind) {
	case RESOURCE_BTF: btf__free(what); break;
	case RESOURCE_FRAME: free(what); break;
	case RESOURCE_CFI: dwarf_cfi_end(what); break;
	case RESOURCE_DWARF_UNIT: case RESOURCE_DWARF_FILE: case RESOURCE_DWARF_ALT: dwarf_end(what); break;
	case RESOURCE_DWARF_DWO: break;
	case RESOURCE_ELF: elf_end(what); break;
	case RESOURCE_PAGES: munmap(what, len); break;
	case RESOURCE_KINDS: break;
	}
}

void resource_release(enum resource_kind kind, void *what)
{
	struct resources *h = &all[kind];

	for (int i = h->n; i--;)
		if (h->at[i].what == what) {
			release(kind, what, h->at[i].len);
			h->at[i] = h->at[--h->n];
			return;
		}
}

void resource_release_all(void)
{
	for (int kind = 0; kind < RESOURCE_KINDS; kind++) {
		struct resources *h = &all[kind];

		while (h->n) {
			h->n--;
			release(kind, h->at[h->n].what, h->at[h->n].len);
		}
	}
}

// ---------------------------------------------------------------- pages

static struct bytes map(size_t len, int flags, int fd)
{
	struct bytes b = { NULL, 0 };
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | flags, fd, 0);

	if (p == MAP_FAILED)
		return b;
	resource_add(RESOURCE_PAGES, p, len);
	return (struct bytes){ p, len };
}

struct bytes map_file(const char *path)
{
	struct bytes b = { NULL, 0 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return b;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		b = map(st.st_size, 0, fd);
	int saved = errno;
	close(fd);
	errno = saved;
	return b;
}

// Large pages make fewer page faults.
void *map_pages(size_t len)
{
	struct bytes b = map(len, MAP_ANONYMOUS, -1);

	if (b.at)
		madvise((void *)b.at, len, MADV_HUGEPAGE);
	return (void *)b.at;
}

struct bytes map_zeroed(size_t len)
{
	return map(len, MAP_ANONYMOUS, -1);
}

bool map_to_file(struct bytes b, const char *dir)
{
	char *path = str_printf("%s/pagesXXXXXX", dir);
	int fd = mkostemp(path, O_CLOEXEC);
	bool good = fd >= 0;

	if (good)
		unlink(path);
	for (size_t at = 0; good && at < b.len;) {
		ssize_t n = write(fd, b.at + at, b.len - at);

		good = n > 0;
		at += good ? n : 0;
	}
	good = good && mmap((void *)b.at, b.len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) !=
		       MAP_FAILED;
	if (fd >= 0)
		close(fd);
	return good;
}

void map_shrink(struct bytes *b, size_t len)
{
	struct resources *h = &all[RESOURCE_PAGES];

	for (int i = h->n; i--;)
		if (h->at[i].what == b->at) {
			mremap((void *)b->at, b->len, len, 0);
			h->at[i].len = b->len = len;
			return;
		}
}

void unmap(struct bytes *b)
{
	resource_release(RESOURCE_PAGES, (void *)b->at);
	*b = (struct bytes){ NULL, 0 };
}
