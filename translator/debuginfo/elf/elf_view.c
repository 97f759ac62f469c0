// SPDX-License-Identifier: GPL-2.0-or-later
// Views of ELF files in memory: sections, symbols and notes, with every offset checked. It finds parts of an image
// without reading all of it; DWARF is parsed by libdw.
#include "debuginfo/elf/elf_view.h"

#include "util/mem.h"
#include "util/str.h"

#include <string.h>

static bool inside(const struct elf_view *v, uint64_t offset, uint64_t size)
{
	return offset <= v->file.len && size <= v->file.len - offset;
}

bool elf_view_open(struct elf_view *v, struct bytes file)
{
	const Elf64_Ehdr *h = (const void *)file.at;

	*v = (struct elf_view){ .file = file };
	if (file.len < sizeof(*h) || (uintptr_t)file.at % 8 || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	v->machine = h->e_machine;
	if (!h->e_shoff || h->e_shoff % 8 || h->e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(v, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
		return true;
	v->sections = (const void *)(file.at + h->e_shoff);
	v->n = h->e_shnum;
	return true;
}

// Returns the names of sections, terminated by 0; empty if there are none.
static struct bytes section_names(const struct elf_view *v)
{
	const Elf64_Ehdr *h = (const void *)v->file.at;
	const Elf64_Shdr *names;

	if (h->e_shstrndx >= v->n)
		return (struct bytes){ NULL, 0 };
	names = &v->sections[h->e_shstrndx];
	if (!names->sh_size || !inside(v, names->sh_offset, names->sh_size) ||
	    v->file.at[names->sh_offset + names->sh_size - 1])
		return (struct bytes){ NULL, 0 };
	return (struct bytes){ v->file.at + names->sh_offset, names->sh_size };
}

const char *elf_view_name(const struct elf_view *v, const Elf64_Shdr *section)
{
	struct bytes names = section_names(v);

	return section->sh_name < names.len ? (const char *)names.at + section->sh_name : "";
}

const Elf64_Shdr *elf_view_header(const struct elf_view *v, const char *name)
{
	struct bytes names = section_names(v);

	for (int i = 1; names.len && i < v->n; i++)
		if (v->sections[i].sh_name < names.len &&
		    !strcmp((const char *)names.at + v->sections[i].sh_name, name))
			return &v->sections[i];
	return NULL;
}

bool elf_view_section(const struct elf_view *v, const char *name, struct bytes *out)
{
	const Elf64_Shdr *s = elf_view_header(v, name);

	if (!s || s->sh_type == SHT_NOBITS || !s->sh_size || !inside(v, s->sh_offset, s->sh_size))
		return false;
	*out = (struct bytes){ v->file.at + s->sh_offset, s->sh_size };
	return true;
}

// A note has name size, description size, type, name and description, padded to 4.
struct bytes elf_note_build_id(struct bytes notes)
{
	while (notes.len >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		uint64_t name, desc;

		memcpy(&h, notes.at, sizeof(h));
		name = ((uint64_t)h.n_namesz + 3) & ~3ull;
		desc = ((uint64_t)h.n_descsz + 3) & ~3ull;
		if (sizeof(h) + name + desc > notes.len)
			break;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && !memcmp(notes.at + sizeof(h), "GNU", 4))
			return (struct bytes){ notes.at + sizeof(h) + name, h.n_descsz };
		notes.at += sizeof(h) + name + desc;
		notes.len -= sizeof(h) + name + desc;
	}
	return (struct bytes){ NULL, 0 };
}

struct bytes elf_view_build_id(const struct elf_view *v)
{
	const Elf64_Ehdr *h = (const void *)v->file.at;
	struct bytes id = { NULL, 0 };

	for (int i = 1; i < v->n && !id.len; i++) {
		const Elf64_Shdr *s = &v->sections[i];

		if (s->sh_type == SHT_NOTE && inside(v, s->sh_offset, s->sh_size))
			id = elf_note_build_id((struct bytes){ v->file.at + s->sh_offset, s->sh_size });
	}
	if (h->e_phoff % 8 || h->e_phentsize != sizeof(Elf64_Phdr) ||
	    !inside(v, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr)))
		return id;
	for (int i = 0; i < h->e_phnum && !id.len; i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)(v->file.at + h->e_phoff) + i;

		if (p->p_type == PT_NOTE && inside(v, p->p_offset, p->p_filesz))
			id = elf_note_build_id((struct bytes){ v->file.at + p->p_offset, p->p_filesz });
	}
	return id;
}

bool elf_view_variable(const struct elf_view *v, const char *table, const char *names, const char *name,
		       uint64_t *address)
{
	struct bytes symbols, strings;
	const Elf64_Sym *y;

	if (!elf_view_section(v, table, &symbols) || !elf_view_section(v, names, &strings) || !strings.len ||
	    strings.at[strings.len - 1])
		return false;
	y = (const void *)symbols.at;
	for (size_t i = 0; i < symbols.len / sizeof(*y); i++)
		if (ELF64_ST_TYPE(y[i].st_info) == STT_OBJECT && y[i].st_shndx != SHN_UNDEF && y[i].st_name < strings.len &&
		    !strcmp((const char *)strings.at + y[i].st_name, name)) {
			*address = y[i].st_value;
			return true;
		}
	return false;
}

const char *build_id_text(struct bytes id)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < id.len; i++)
		buf_printf(&b, "%02x", id.at[i]);
	return b.len ? b.text : "none";
}

char *build_id_path(const char *dir, struct bytes id)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s/.build-id/%02x/", dir, id.at[0]);
	for (size_t i = 1; i < id.len; i++)
		buf_printf(&b, "%02x", id.at[i]);
	buf_puts(&b, ".debug");
	return buf_text(&b);
}
