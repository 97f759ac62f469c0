// SPDX-License-Identifier: GPL-2.0-or-later
// Code that the kernel allows no probe in: between pairs of symbols, some of which some kernels lack; and the
// functions of NOKPROBE_SYMBOL(), whose addresses the kernel's file has in an array.
#include "debuginfo/module.h"

#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

// The bytes of the file that are at these link addresses; empty when it hasn't them.
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

// Files that are relocated when they run may have zeroes there: then it isn't known.
static void read_list(const struct di_module *m, struct forbidden *out)
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
	out->listed = sorted;
	out->n = n;
}

void forbidden_find(const struct di_module *m, struct forbidden *out)
{
	static const char *const names[FORBIDDEN_RANGES][2] = {
		[FORBIDDEN_NOINSTR] = { "__noinstr_text_start", "__noinstr_text_end" },
		[FORBIDDEN_KPROBES] = { "__kprobes_text_start", "__kprobes_text_end" },
		[FORBIDDEN_ENTRY] = { "__entry_text_start", "__entry_text_end" },
	};
	struct symbol sym;

	*out = (struct forbidden){ 0 };
	for (int i = 0; i < FORBIDDEN_RANGES; i++) {
		if (!symbols_lookup(&m->symbols, names[i][0], &sym))
			continue;
		out->range[i].start = sym.address;
		out->range[i].end = symbols_lookup(&m->symbols, names[i][1], &sym) ? sym.address : 0;
	}
	read_list(m, out);
}

bool forbidden_has(const struct forbidden *f, uint64_t address)
{
	for (int i = 0; i < FORBIDDEN_RANGES; i++)
		if (address >= f->range[i].start && address < f->range[i].end)
			return true;
	return false;
}

bool forbidden_lists(const struct forbidden *f, uint64_t address)
{
	return f->listed && bsearch(&address, f->listed, f->n, sizeof(address), by_address);
}
