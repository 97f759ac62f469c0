/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of the vDSO, the code that the kernel maps into each process. It has no file, so its table of dynamic
 * symbols is read from the memory of the process; the dynamic linker has read it there before. Link-time addresses
 * of a vDSO are offsets from its start.
 *
 * Context: any but NMI.
 */
#include "kernel.h"
#include <linux/elf.h>
#include "user_vdso.h"

enum { PARTS_MAX = 16, ENTRIES_MAX = 64, SYMBOLS_MAX = 64 };

/* Offsets in an ELF file of one class. */
struct layout {
	u8 word, phoff, phnum, phdr, p_vaddr, sym, st_value, st_size;
};

static const struct layout layouts[] = {
	{ 4, offsetof(struct elf32_hdr, e_phoff), offsetof(struct elf32_hdr, e_phnum), sizeof(struct elf32_phdr),
	  offsetof(struct elf32_phdr, p_vaddr), sizeof(struct elf32_sym), offsetof(struct elf32_sym, st_value),
	  offsetof(struct elf32_sym, st_size) },
	{ 8, offsetof(struct elf64_hdr, e_phoff), offsetof(struct elf64_hdr, e_phnum), sizeof(struct elf64_phdr),
	  offsetof(struct elf64_phdr, p_vaddr), sizeof(struct elf64_sym), offsetof(struct elf64_sym, st_value),
	  offsetof(struct elf64_sym, st_size) },
};

static u64 word(struct stp_ctx *c, const struct layout *l, u64 address)
{
	return l->word == 4 ? stp_uload4(c, address) : stp_uload8(c, address);
}

/* Finds the tables of dynamic symbols and of their names. */
static bool find_tables(struct stp_ctx *c, const struct layout *l, u64 base, u64 *symbols, u64 *names)
{
	u64 part = base + word(c, l, base + l->phoff), at = 0, tag;
	u32 n = stp_uload2(c, base + l->phnum);

	for (; n && n < PARTS_MAX && !at && !c->error; n--, part += l->phdr)
		if (stp_uload4(c, part) == PT_DYNAMIC)
			at = base + word(c, l, part + l->p_vaddr);
	*symbols = *names = 0;
	for (n = 0; at && n < ENTRIES_MAX && !c->error; n++, at += 2 * l->word) {
		tag = word(c, l, at);
		if (tag == DT_NULL)
			break;
		if (tag == DT_SYMTAB || tag == DT_STRTAB)
			*(tag == DT_SYMTAB ? symbols : names) = base + word(c, l, at + l->word);
	}
	return *symbols && *names && !c->error;
}

/* Finds a symbol. Linkers place the names after the symbols. */
static bool find(struct stp_ctx *c, u64 base, u64 offset, struct stp_usym *s, char *name, u32 size)
{
	const struct layout *l = &layouts[stp_uload1(c, base + EI_CLASS) == ELFCLASS64];
	u64 at, names;
	u32 n, i = 0;

	if (!find_tables(c, l, base, &at, &names))
		return false;
	for (n = 0; n < SYMBOLS_MAX && at < names && !c->error; n++, at += l->sym) {
		s->offset = word(c, l, at + l->st_value);
		s->size = word(c, l, at + l->st_size);
		if (offset < s->offset || offset - s->offset >= s->size)
			continue;
		names += stp_uload4(c, at);
		do
			name[i] = stp_uload1(c, names + i);
		while (!c->error && name[i] && ++i < size - 1);
		name[i] = '\0';
		s->name = name;
		return !c->error;
	}
	return false;
}

bool stp_vdso_symbol(struct stp_ctx *c, u64 base, u64 offset, struct stp_usym *s, char *name, u32 size)
{
	bool found = stp_charge(c, STP_WORK_SYMBOL) && find(c, base, offset, s, name, size);

	return !(c->error && stp_catch(c, NULL, 0)) && found;
}
