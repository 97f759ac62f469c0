// SPDX-License-Identifier: GPL-2.0-or-later
// Relocates the DWARF of relocatable files (.ko, .o), which has zeroes for addresses and for offsets into other
// sections. In: a mapped file. Out: .text at 0 and other sections far above it, in the section headers; and the
// relocated contents of the debug sections, in private copies of their pages. These are made when the DWARF is read and
// can be discarded, since relocating again gives the same bytes: the entries have addends (SHT_RELA).
#include "debuginfo/elf/relocate.h"
#include "debuginfo/elf/resources.h"

#include <string.h>

// Addresses of sections other than .text begin here, above the end of any module.
#define OTHERS_START 0x40000000ull

static struct bytes section_headers(const struct elf_view *v)
{
	return (struct bytes){ (const uint8_t *)v->sections, v->n * sizeof(*v->sections) };
}

bool relocate_is_needed(const struct elf_view *v)
{
	return ((const Elf64_Ehdr *)v->file.at)->e_type == ET_REL;
}

void relocate_sections(const struct elf_view *v)
{
	const Elf64_Shdr *text = elf_view_header(v, ".text");
	uint64_t at = OTHERS_START;

	map_writable(section_headers(v));
	for (int i = 1; i < v->n; i++) {
		Elf64_Shdr *s = (Elf64_Shdr *)&v->sections[i];

		if (!(s->sh_flags & SHF_ALLOC))
			continue;
		s->sh_addr = s == text ? 0 : at;
		if (s != text)
			at += (s->sh_size + 0xfff) & ~0xfffull;
	}
}

struct relocation {
	const struct elf_view *v;
	struct bytes symbols, target;
};

// Returns the number of bytes that a relocation of this type changes; 0: it is not absolute, and debug sections
// have only absolute ones.
static int width_of(int machine, uint32_t type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_64 ? 8 : type == R_X86_64_32 || type == R_X86_64_32S ? 4 : 0;
	if (machine == EM_AARCH64)
		return type == R_AARCH64_ABS64 ? 8 : type == R_AARCH64_ABS32 ? 4 : 0;
	return 0;
}

static bool relocate_one(const struct relocation *r, const Elf64_Rela *rel)
{
	int width = width_of(r->v->machine, ELF64_R_TYPE(rel->r_info));
	uint64_t number = ELF64_R_SYM(rel->r_info), value = rel->r_addend;
	Elf64_Sym sym;

	if (!width || number >= r->symbols.len / sizeof(sym) || rel->r_offset > r->target.len ||
	    width > (int64_t)(r->target.len - rel->r_offset))
		return false;
	memcpy(&sym, r->symbols.at + number * sizeof(sym), sizeof(sym));
	value += sym.st_value;
	if (sym.st_shndx < r->v->n)
		value += r->v->sections[sym.st_shndx].sh_addr;
	memcpy((uint8_t *)r->target.at + rel->r_offset, &value, width);
	return true;
}

static bool contents(const struct elf_view *v, uint32_t index, struct bytes *out)
{
	const Elf64_Shdr *s = &v->sections[index];

	if (index >= (uint32_t)v->n || s->sh_type == SHT_NOBITS || (s->sh_flags & SHF_COMPRESSED) ||
	    s->sh_offset > v->file.len || s->sh_size > v->file.len - s->sh_offset)
		return false;
	*out = (struct bytes){ v->file.at + s->sh_offset, s->sh_size };
	return true;
}

bool relocate_debug(const struct elf_view *v)
{
	for (int i = 1; i < v->n; i++) {
		const Elf64_Shdr *s = &v->sections[i];
		struct relocation r = { .v = v };
		struct bytes table;

		if (s->sh_type != SHT_RELA || s->sh_info >= (uint32_t)v->n ||
		    (v->sections[s->sh_info].sh_flags & SHF_ALLOC))
			continue;
		if (!contents(v, i, &table) || !contents(v, s->sh_link, &r.symbols) ||
		    !contents(v, s->sh_info, &r.target))
			return false;
		map_writable(r.target);
		for (size_t at = 0; at + sizeof(Elf64_Rela) <= table.len; at += sizeof(Elf64_Rela)) {
			Elf64_Rela rel;

			memcpy(&rel, table.at + at, sizeof(rel));
			// Unknown relocations in other sections (.comment, notes) are ignored.
			if (!relocate_one(&r, &rel) && rel.r_info)
				return false;
		}
	}
	return true;
}

void relocate_undo(const struct elf_view *v)
{
	struct bytes headers = section_headers(v);
	const uint8_t *end = headers.at + headers.len;

	map_discard((struct bytes){ v->file.at, (size_t)(headers.at - v->file.at) });
	map_discard((struct bytes){ end, (size_t)(v->file.at + v->file.len - end) });
}
