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
	struct resource {
		void *what;
		size_t len;
		bool in_file;              // pages of a file, read-only except from written.at on
		struct bytes written;      // whole pages that were made writable
	} *at;
	int n, capacity, last;
} all[RESOURCE_KINDS];             // malloc memory, which the collector does not scan: it contains no pointers to
				   // collected memory

void resource_add(enum resource_kind kind, void *what, size_t len)
{
	struct resources *h = &all[kind];

	if (h->n == h->capacity) {
		h->capacity = h->capacity ? 2 * h->capacity : 16;
		h->at = realloc(h->at, h->capacity * sizeof(*h->at));
		if (!h->at)
			die_of_memory(h->capacity * sizeof(*h->at));
	}
	h->at[h->n++] = (struct resource){ .what = what, .len = len };
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

// Returns the mapping that contains all of `b`; NULL: it is not mapped memory.
static struct resource *mapping_of(struct bytes b)
{
	struct resources *h = &all[RESOURCE_PAGES];

	for (int i = h->n; i--;) {
		const uint8_t *start = h->at[i].what;

		if (b.at >= start && b.at < start + h->at[i].len)
			return b.len <= (size_t)(start + h->at[i].len - b.at) ? &h->at[i] : NULL;
	}
	return NULL;
}

static struct bytes map(size_t len, int protection, int flags, int fd)
{
	struct bytes b = { NULL, 0 };
	void *p = mmap(NULL, len, protection, MAP_PRIVATE | MAP_NORESERVE | flags, fd, 0);

	if (p == MAP_FAILED && errno == ENOMEM && fd >= 0)
		die_of_memory(len);
	if (p == MAP_FAILED)
		return b;
	resource_add(RESOURCE_PAGES, p, len);
	return (struct bytes){ p, len };
}

// O_NONBLOCK: open() of a FIFO would wait for a writer.
struct bytes map_file(const char *path)
{
	struct bytes b = { NULL, 0 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return b;
	errno = 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		b = map(st.st_size, PROT_READ, 0, fd);
	if (b.at)
		mapping_of(b)->in_file = true;
	int saved = errno;
	close(fd);
	errno = saved;
	return b;
}

// Large pages make fewer page faults.
void *map_pages(size_t len)
{
	struct bytes b = map(len, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);

	if (b.at)
		madvise((void *)b.at, len, MADV_HUGEPAGE);
	return (void *)b.at;
}

struct bytes map_zeroed(size_t len)
{
	return map(len, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);
}

static bool map_to_file(struct bytes b, const char *dir)
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
	good = good && mmap((void *)b.at, b.len, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) != MAP_FAILED;
	if (fd >= 0)
		close(fd);
	return good;
}

// Returns the pages that contain parts of `b`, or, if `within`, those that are entirely in `b`.
static struct bytes pages_of(struct bytes b, bool within)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)b.at, end = start + b.len;

	start = (start + (within ? page - 1 : 0)) & ~(page - 1);
	end = (end + (within ? 0 : page - 1)) & ~(page - 1);
	return (struct bytes){ (const uint8_t *)start, end > start ? end - start : 0 };
}

void map_writable(struct bytes b)
{
	struct resource *r = mapping_of(b);
	struct bytes w = pages_of(b, false), *written;

	if (!r || !r->in_file)
		return;
	written = &r->written;
	if (written->len) {
		const uint8_t *start = w.at < written->at ? w.at : written->at;
		const uint8_t *end = w.at + w.len > written->at + written->len ? w.at + w.len : written->at + written->len;

		w = (struct bytes){ start, (size_t)(end - start) };
	}
	if (mprotect((void *)w.at, w.len, PROT_READ | PROT_WRITE))
		die_of_memory(w.len);
	*written = w;
}

static void release_pages(const uint8_t *start, const uint8_t *end)
{
	struct bytes pages = pages_of((struct bytes){ start, end > start ? (size_t)(end - start) : 0 }, true);

	if (pages.len)
		madvise((void *)pages.at, pages.len, MADV_DONTNEED);
}

void map_unload(struct bytes b, const char *dir)
{
	enum { LEAST = 1 << 20 };              // minimum in bytes: smaller mappings are not worth a file
	struct resource *r = mapping_of(b);

	if (!r || b.len < LEAST)
		return;
	if (!r->in_file && dir && b.at == r->what && b.len == r->len)
		r->in_file = map_to_file(b, dir);
	if (!r->in_file)
		return;
	if (r->written.len) {
		release_pages(b.at, r->written.at);
		release_pages(r->written.at + r->written.len, b.at + b.len);
	} else {
		release_pages(b.at, b.at + b.len);
	}
}

void map_discard(struct bytes b)
{
	struct resource *r = mapping_of(b);

	if (r && r->in_file)
		release_pages(b.at, b.at + b.len);
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
