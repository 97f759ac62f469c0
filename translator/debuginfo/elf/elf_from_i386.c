// SPDX-License-Identifier: GPL-2.0-or-later
// Converts a 32-bit ELF file of i386 to the 64-bit form, so that other files parse only one form.
//
// All file offsets stay valid. The 64-bit header overwrites the start of the file; the converted tables of segments,
// sections, symbols, relocations and dynamic entries are appended. Relocations get the addend 0 and .rela.* sections.
// Compressed sections are copied after a 64-bit header.
#include "debuginfo/elf/resources.h"

#include "util/mem.h"

#include <string.h>

struct widening {
	struct bytes in;
	uint8_t *out;
	size_t at;                 // offset of the next table
	const Elf32_Shdr *sections;
	int n;
};

static bool inside(const struct widening *w, uint64_t offset, uint64_t size)
{
	return offset <= w->in.len && size <= w->in.len - offset;
}

bool elf_is_32bit(struct bytes file)
{
	const Elf32_Ehdr *h = (const void *)file.at;

	return file.len >= sizeof(Elf64_Ehdr) && (uintptr_t)file.at % 8 == 0 && !memcmp(h->e_ident, ELFMAG, SELFMAG) &&
	       h->e_ident[EI_CLASS] == ELFCLASS32 && h->e_ident[EI_DATA] == ELFDATA2LSB && h->e_machine == EM_386;
}

// ---------------------------------------------------------------- entries of tables

typedef void widen_entry(const void *in, void *out);

static void widen_symbol(const void *in, void *out)
{
	const Elf32_Sym *s = in;

	*(Elf64_Sym *)out = (Elf64_Sym){ .st_name = s->st_name, .st_info = s->st_info, .st_other = s->st_other,
					 .st_shndx = s->st_shndx, .st_value = s->st_value, .st_size = s->st_size };
}

static void widen_relocation(const void *in, void *out)
{
	const Elf32_Rel *r = in;

	*(Elf64_Rela *)out = (Elf64_Rela){ .r_offset = r->r_offset,
					   .r_info = ELF64_R_INFO((uint64_t)ELF32_R_SYM(r->r_info), ELF32_R_TYPE(r->r_info)) };
}

static void widen_dynamic(const void *in, void *out)
{
	const Elf32_Dyn *d = in;

	*(Elf64_Dyn *)out = (Elf64_Dyn){ .d_tag = d->d_tag, .d_un.d_val = d->d_un.d_val };
}

static const struct table { uint32_t type; size_t size32, size64; widen_entry *widen; } tables[] = {
	{ SHT_SYMTAB, sizeof(Elf32_Sym), sizeof(Elf64_Sym), widen_symbol },
	{ SHT_DYNSYM, sizeof(Elf32_Sym), sizeof(Elf64_Sym), widen_symbol },
	{ SHT_REL, sizeof(Elf32_Rel), sizeof(Elf64_Rela), widen_relocation },
	{ SHT_DYNAMIC, sizeof(Elf32_Dyn), sizeof(Elf64_Dyn), widen_dynamic },
};

static const struct table *table_of(const struct widening *w, const Elf32_Shdr *s)
{
	for (const struct table *t = tables; t < END(tables); t++)
		if (t->type == s->sh_type && inside(w, s->sh_offset, s->sh_size))
			return t;
	return NULL;
}

// ---------------------------------------------------------------- the file

static bool is_compressed(const struct widening *w, const Elf32_Shdr *s)
{
	return s->sh_flags & SHF_COMPRESSED && s->sh_type != SHT_NOBITS && s->sh_size >= sizeof(Elf32_Chdr) &&
	       inside(w, s->sh_offset, s->sh_size);
}

static void widen_compressed(struct widening *w, const Elf32_Shdr *s, Elf64_Shdr *out)
{
	const uint8_t *in = w->in.at + s->sh_offset;
	Elf64_Chdr wide = { 0 };
	Elf32_Chdr h;

	memcpy(&h, in, sizeof(h));
	wide = (Elf64_Chdr){ .ch_type = h.ch_type, .ch_size = h.ch_size, .ch_addralign = h.ch_addralign };
	memcpy(w->out + w->at, &wide, sizeof(wide));
	memcpy(w->out + w->at + sizeof(wide), in + sizeof(h), s->sh_size - sizeof(h));
	out->sh_offset = w->at;
	out->sh_size = s->sh_size - sizeof(h) + sizeof(wide);
	w->at += (out->sh_size + 7) & ~7ull;
}

static void widen_section(struct widening *w, const Elf32_Shdr *s, Elf64_Shdr *out)
{
	const struct table *t = table_of(w, s);

	*out = (Elf64_Shdr){ .sh_name = s->sh_name, .sh_type = s->sh_type, .sh_flags = s->sh_flags, .sh_addr = s->sh_addr,
			     .sh_offset = s->sh_offset, .sh_size = s->sh_size, .sh_link = s->sh_link, .sh_info = s->sh_info,
			     .sh_addralign = s->sh_addralign, .sh_entsize = s->sh_entsize };
	if (is_compressed(w, s)) {
		widen_compressed(w, s, out);
		return;
	}
	if (!t)
		return;
	out->sh_type = s->sh_type == SHT_REL ? SHT_RELA : s->sh_type;
	out->sh_offset = w->at;
	out->sh_entsize = t->size64;
	out->sh_size = s->sh_size / t->size32 * t->size64;
	for (size_t i = 0; i < s->sh_size / t->size32; i++, w->at += t->size64) {
		uint64_t entry[2];

		memcpy(entry, w->in.at + s->sh_offset + i * t->size32, t->size32);
		t->widen(entry, w->out + w->at);
	}
}

static void widen_segment(const Elf32_Phdr *p, Elf64_Phdr *out)
{
	*out = (Elf64_Phdr){ .p_type = p->p_type, .p_flags = p->p_flags, .p_offset = p->p_offset, .p_vaddr = p->p_vaddr,
			     .p_paddr = p->p_paddr, .p_filesz = p->p_filesz, .p_memsz = p->p_memsz, .p_align = p->p_align };
}

// Renames .rel.* sections to .rela.*; the new names are appended to the string table.
static void rename_relocations(struct widening *w, Elf64_Shdr *sections, Elf64_Shdr *names)
{
	static const char *const renamed[][2] = { { ".rel.dyn", ".rela.dyn" }, { ".rel.plt", ".rela.plt" } };
	size_t start = w->at;

	if (!inside(w, names->sh_offset, names->sh_size) || !names->sh_size ||
	    w->in.at[names->sh_offset + names->sh_size - 1])
		return;
	memcpy(w->out + w->at, w->in.at + names->sh_offset, names->sh_size);
	w->at += names->sh_size;
	for (Elf64_Shdr *s = sections; s < sections + w->n; s++)
		for (size_t i = 0; i < ARRAY_SIZE(renamed); i++) {
			if (s->sh_type != SHT_RELA || s->sh_name >= names->sh_size ||
			    strcmp((char *)w->out + start + s->sh_name, renamed[i][0]))
				continue;
			strcpy((char *)w->out + w->at, renamed[i][1]);
			s->sh_name = w->at - start;
			w->at += strlen(renamed[i][1]) + 1;
		}
	names->sh_offset = start;
	names->sh_size = w->at - start;
}

#define NAMES_MORE 64              // bytes reserved for the new name of a section
#define EXTRA_SIZE (1 << 20)       // overlapping sections could request any size

static size_t size_of(const struct widening *w, const Elf32_Ehdr *h)
{
	size_t size = w->in.len + 64 + h->e_phnum * sizeof(Elf64_Phdr) + w->n * sizeof(Elf64_Shdr) + NAMES_MORE * (w->n + 1);

	for (int i = 0; i < w->n; i++) {
		const Elf32_Shdr *s = &w->sections[i];
		const struct table *t = table_of(w, s);

		size += is_compressed(w, s) ? s->sh_size + 64ull : t ? s->sh_size / t->size32 * t->size64 : 0;
	}
	return h->e_shstrndx < w->n ? size + w->sections[h->e_shstrndx].sh_size : size;
}

struct bytes elf_from_i386(struct bytes in)
{
	const Elf32_Ehdr *h = (const void *)in.at;
	struct widening w = { .in = in };
	struct bytes mapping;
	Elf64_Shdr *sections;
	Elf64_Ehdr *out;

	if (h->e_shoff && h->e_shoff % 4 == 0 && h->e_shentsize == sizeof(Elf32_Shdr) &&
	    inside(&w, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf32_Shdr))) {
		w.sections = (const void *)(in.at + h->e_shoff);
		w.n = h->e_shnum;
	}
	if (h->e_phoff % 4 || h->e_phentsize != sizeof(Elf32_Phdr) ||
	    !inside(&w, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf32_Phdr)))
		return (struct bytes){ NULL, 0 };
	mapping = size_of(&w, h) > 8 * in.len + EXTRA_SIZE ? (struct bytes){ NULL, 0 } : map_zeroed(size_of(&w, h));
	if (!mapping.at)
		return mapping;
	w.out = (uint8_t *)mapping.at;
	memcpy(w.out, in.at, in.len);
	out = (Elf64_Ehdr *)w.out;
	*out = (Elf64_Ehdr){ .e_type = h->e_type, .e_machine = h->e_machine, .e_version = h->e_version, .e_entry = h->e_entry,
			     .e_flags = h->e_flags, .e_ehsize = sizeof(*out), .e_phentsize = sizeof(Elf64_Phdr),
			     .e_phnum = h->e_phnum, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = w.n,
			     .e_shstrndx = h->e_shstrndx };
	memcpy(out->e_ident, h->e_ident, EI_NIDENT);
	out->e_ident[EI_CLASS] = ELFCLASS64;
	w.at = out->e_phoff = (in.len + 15) & ~15ull;
	for (int i = 0; i < h->e_phnum; i++, w.at += sizeof(Elf64_Phdr))
		widen_segment((const Elf32_Phdr *)(in.at + h->e_phoff) + i, (Elf64_Phdr *)(w.out + w.at));
	out->e_shoff = w.n ? w.at : 0;
	sections = (Elf64_Shdr *)(w.out + w.at);
	w.at += w.n * sizeof(*sections);
	for (int i = 0; i < w.n; i++)
		widen_section(&w, &w.sections[i], &sections[i]);
	if (h->e_shstrndx < w.n)
		rename_relocations(&w, sections, &sections[h->e_shstrndx]);
	return (struct bytes){ w.out, w.at };
}
