// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the procedure linkage table of a program: sections .plt, .plt.sec, .plt.got -> the symbol of each entry.
//
// An entry jumps through a slot of the GOT; a relocation names the symbol of the slot:
//
//   [endbr64]  [bnd] jmp *slot(%rip)  ...       .rela.plt, .rela.dyn: slot, symbol
//
// arm64: [bti c] adrp x16, page of slot ldr x17, [x16, #rest] ... br x17
//
// Entries without a symbol (IRELATIVE) have no name and are omitted.
#include "debuginfo/module.h"


#include <fnmatch.h>
#include <string.h>

struct slots {
	struct bytes symbols, names;
	struct bytes relocations[2];
	int machine;
};

static void read_slots(const struct elf_view *v, struct slots *s)
{
	static const char *const tables[] = { ".rela.plt", ".rela.dyn" };

	*s = (struct slots){ .machine = v->machine };
	if (!elf_view_section(v, ".dynsym", &s->symbols) || !elf_view_section(v, ".dynstr", &s->names) ||
	    s->names.at[s->names.len - 1])
		return;
	for (int i = 0; i < 2; i++)
		elf_view_section(v, tables[i], &s->relocations[i]);
}

static bool fills_slot(int machine, unsigned type)
{
	return machine == EM_AARCH64 ? type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT
				     : type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

// Returns the symbol of the slot; NULL: unknown.
static const char *name_of_slot(const struct slots *s, uint64_t address)
{
	for (int i = 0; i < 2; i++)
		for (size_t at = 0; at + sizeof(Elf64_Rela) <= s->relocations[i].len; at += sizeof(Elf64_Rela)) {
			Elf64_Rela r;
			Elf64_Sym symbol;
			uint64_t index;

			memcpy(&r, s->relocations[i].at + at, sizeof(r));
			index = ELF64_R_SYM(r.r_info);
			if (r.r_offset != address || !index || !fills_slot(s->machine, ELF64_R_TYPE(r.r_info)))
				continue;
			if (index >= s->symbols.len / sizeof(symbol))
				return NULL;
			memcpy(&symbol, s->symbols.at + index * sizeof(symbol), sizeof(symbol));
			return symbol.st_name && symbol.st_name < s->names.len ?
			       (const char *)s->names.at + symbol.st_name : NULL;
		}
	return NULL;
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

// Parses an entry of arm64. The first entry, which saves registers, does not match.
static bool arm_slot_of_entry(const uint8_t *code, size_t len, uint64_t address, uint64_t *slot)
{
	size_t at = len >= 4 && get32(code) == 0xd503245f ? 4 : 0;
	uint32_t adrp, ldr;
	int32_t pages;

	if (len < at + 8)
		return false;
	adrp = get32(code + at);
	ldr = get32(code + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (int32_t)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3)) << 11 >> 11;
	*slot = ((address + at) & ~0xfffull) + (int64_t)pages * 4096 + (ldr >> 10 & 0xfff) * 8;
	return true;
}

// Parses an entry of x86-64 and returns its slot; false for the first entry, which pushes.
static bool slot_of_entry(const uint8_t *code, size_t len, uint64_t address, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = len > 4 && !memcmp(code, endbr64, 4) ? 4 : 0;
	int32_t distance;

	at += at < len && code[at] == 0xf2;
	if (len - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&distance, code + at + 2, 4);
	*slot = address + at + 6 + distance;
	return true;
}

// Parses an entry of i386: the slot has an absolute address, or one relative to the GOT, which is in ebx.
static bool i386_slot_of_entry(const uint8_t *code, size_t len, uint64_t table, uint64_t *slot)
{
	static const uint8_t endbr32[] = { 0xf3, 0x0f, 0x1e, 0xfb };
	size_t at = len > 4 && !memcmp(code, endbr32, 4) ? 4 : 0;

	if (len - at < 6 || code[at] != 0xff || (code[at + 1] != 0x25 && code[at + 1] != 0xa3))
		return false;
	*slot = (uint32_t)(get32(code + at + 2) + (code[at + 1] == 0xa3 ? table : 0));
	return true;
}

void di_find_plt(const struct di_module *m, const char *name, di_plt *out)
{
	static const char *const sections[] = { ".plt", ".plt.sec", ".plt.got" };
	const struct elf_view *v = &m->view;
	bool arm64 = m->arch->elf_machine == EM_AARCH64, i386 = m->arch->elf_machine == EM_386;
	const Elf64_Shdr *table = elf_view_header(v, ".got.plt");
	struct slots slots;

	table = table ? table : elf_view_header(v, ".got");
	read_slots(v, &slots);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		const Elf64_Shdr *head = elf_view_header(v, sections[i]);
		size_t step = head && head->sh_entsize == 8 ? 8 : 16;  // the first entry of arm64 is longer
		struct bytes code;
		uint64_t slot;

		if (!head || !elf_view_section(v, sections[i], &code))
			continue;
		for (size_t at = 0, next; at + step <= code.len; at = next) {
			struct di_plt_entry entry = { .address = head->sh_addr + at, .size = step };
			bool found = i386 ? i386_slot_of_entry(code.at + at, step, table ? table->sh_addr : 0, &slot) :
				     (arm64 ? arm_slot_of_entry : slot_of_entry)(code.at + at, step, entry.address, &slot);

			next = at + (arm64 && !found ? 4 : step);
			if (found)
				entry.name = name_of_slot(&slots, slot);
			if (entry.name && !fnmatch(name, entry.name, 0))
				vec_push(out, entry);
		}
	}
}
