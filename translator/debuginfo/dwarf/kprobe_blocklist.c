// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the code in which the kernel refuses kprobes, from the symbols and the image of a kernel: ranges between
// pairs of symbols, some of which are absent in some kernels, and the functions of NOKPROBE_SYMBOL(), an array of
// addresses between __start_kprobe_blacklist and __stop_kprobe_blacklist.
#include "debuginfo/dwarf/kprobe_blocklist.h"
#include "debuginfo/dwarf/dwarf_source.h"

#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

// Returns the bytes of the file at these link addresses; empty if no section contains them.
static struct bytes bytes_at(const struct elf_view *v, uint64_t start, uint64_t end)
{
	for (int i = 0; i < v->n; i++) {
		const Elf64_Shdr *s = &v->sections[i];
		struct bytes all;

		if (s->sh_flags & SHF_ALLOC && start >= s->sh_addr && end >= start && end - s->sh_addr <= s->sh_size &&
		    elf_view_section(v, elf_view_name(v, s), &all) && end - s->sh_addr <= all.len)
			return (struct bytes){ all.at + (start - s->sh_addr), end - start };
	}
	return (struct bytes){ 0 };
}

// The array is zero in images that are relocated at boot (arm64): the list is unknown then.
static void read_list(const struct di_module *m, struct kprobe_blocklist *out)
{
	struct symbol start, stop;
	struct elf_view v;
	struct bytes list;
	uint64_t *sorted;
	size_t n;

	if (!m->dwarf || !elf_view_open(&v, dwarf_file_map(m->dwarf)) ||
	    !symbols_lookup(&m->symbols, "__start_kprobe_blacklist", &start) ||
	    !symbols_lookup(&m->symbols, "__stop_kprobe_blacklist", &stop))
		return;
	list = bytes_at(&v, start.address, stop.address);
	n = list.len / sizeof(*sorted);
	if (!n)
		return;
	sorted = mem_alloc_atomic(n * sizeof(*sorted));
	memcpy(sorted, list.at, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_address);
	if (!sorted[0])
		return;
	out->functions = sorted;
	out->n = n;
}

void kprobe_blocklist_read(const struct di_module *m, struct kprobe_blocklist *out)
{
	static const char *const names[NOPROBE_RANGES][2] = {
		[NOPROBE_NOINSTR] = { "__noinstr_text_start", "__noinstr_text_end" },
		[NOPROBE_KPROBES] = { "__kprobes_text_start", "__kprobes_text_end" },
		[NOPROBE_ENTRY] = { "__entry_text_start", "__entry_text_end" },
	};
	struct symbol sym;

	*out = (struct kprobe_blocklist){ 0 };
	for (int i = 0; i < NOPROBE_RANGES; i++) {
		if (!symbols_lookup(&m->symbols, names[i][0], &sym))
			continue;
		out->range[i].start = sym.address;
		out->range[i].end = symbols_lookup(&m->symbols, names[i][1], &sym) ? sym.address : 0;
	}
	read_list(m, out);
}

bool kprobe_blocklist_in_range(const struct kprobe_blocklist *b, uint64_t address)
{
	for (int i = 0; i < NOPROBE_RANGES; i++)
		if (address >= b->range[i].start && address < b->range[i].end)
			return true;
	return false;
}

bool kprobe_blocklist_has_function(const struct kprobe_blocklist *b, uint64_t address)
{
	return b->functions && bsearch(&address, b->functions, b->n, sizeof(address), by_address);
}
