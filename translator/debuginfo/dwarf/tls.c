// SPDX-License-Identifier: GPL-2.0-or-later
// Computes addresses of thread-local variables at run time, in the layouts of glibc: TLS variant II on x86-64 and i386,
// variant I on arm64.
//
// Variables of the program itself are at a fixed offset from the thread pointer: below it, in a block of the segment's
// size; on arm64 above the 16 bytes that it points to. The block of a library is known only at run time, through words
// that the dynamic linker relocates:
//   TPOFF64 offset of a variable from the thread pointer, which gives those of all others of the library;
//   DTPMOD64 module number of the library: index into the dynamic thread vector, to which the second word at the
//             thread pointer points; an entry is two words, the first of which is the address of the block. Before
//             the thread's first access it is -1, and reading the variable then is a fault;
//   TLSDESC two words, the second of which is the offset from the thread pointer if the library is in the static
//             TLS block, else it points to such a module number.
#include "debuginfo/dwarf/dwarf_source.h"

#include <string.h>

static const Elf64_Phdr *segment(const struct elf_view *v, unsigned type)
{
	const Elf64_Ehdr *h = (const void *)v->file.at;

	if (h->e_phoff % 8 || h->e_phoff > v->file.len || h->e_phnum > (v->file.len - h->e_phoff) / sizeof(Elf64_Phdr))
		return NULL;
	for (int i = 0; i < h->e_phnum; i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)(v->file.at + h->e_phoff) + i;

		if (p->p_type == type)
			return p;
	}
	return NULL;
}

// Sets *offset to the symbol's offset in the thread-local block, and to 0 for symbol number 0. Returns false if
// another file defines the symbol.
static bool symbol_offset(struct bytes symbols, uint64_t number, uint64_t *offset)
{
	Elf64_Sym symbol;

	*offset = 0;
	if (!number)
		return true;
	if (number >= symbols.len / sizeof(symbol))
		return false;
	memcpy(&symbol, symbols.at + number * sizeof(symbol), sizeof(symbol));
	*offset = symbol.st_value;
	return symbol.st_shndx != SHN_UNDEF;
}

// Finds the address of a word with this type of relocation, and the offset in the block of its variable.
static bool find_in(const struct elf_view *v, const char *table, unsigned kind, uint64_t *slot, uint64_t *offset)
{
	struct bytes relocations, symbols = { NULL, 0 };

	if (!elf_view_section(v, table, &relocations))
		return false;
	elf_view_section(v, ".dynsym", &symbols);
	for (size_t at = 0; at + sizeof(Elf64_Rela) <= relocations.len; at += sizeof(Elf64_Rela)) {
		Elf64_Rela r;

		memcpy(&r, relocations.at + at, sizeof(r));
		if (ELF64_R_TYPE(r.r_info) != kind || !symbol_offset(symbols, ELF64_R_SYM(r.r_info), offset))
			continue;
		*offset += r.r_addend;
		*slot = r.r_offset;
		return true;
	}
	return false;
}

static bool find_word(const struct elf_view *v, unsigned kind, uint64_t *slot, uint64_t *offset)
{
	return find_in(v, ".rela.dyn", kind, slot, offset) || find_in(v, ".rela.plt", kind, slot, offset);
}

static void load_word(struct di_location *out)
{
	struct di_op load = { .code = DI_OP_LOAD, .size = 8 };

	vec_push(&out->ops, load);
}

// The program's own variables: offset of its block from the thread pointer.
static int64_t block_offset(const struct elf_view *v, const Elf64_Phdr *tls)
{
	uint64_t align = tls->p_align ? tls->p_align : 1;

	return v->machine == EM_AARCH64 ? (int64_t)((16 + align - 1) & -align)
					: -(int64_t)((tls->p_memsz + align - 1) & -align);
}

static void add_ops(struct di_location *out, const struct di_op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_push(&out->ops, ops[i]);
}

// Reads the TLS descriptor at `slot`, which describes the variable at `other`. Without conditional operations both
// results are computed: `near` is 1 or 0, and if it is 1 the entry of module number 0 is read, which always exists.
static void by_descriptor(uint64_t slot, uint64_t offset, uint64_t other, bool arm64, struct di_location *out)
{
	const struct di_op ops[] = {
		{ DI_OP_STATIC, slot + 8 }, { DI_OP_LOAD, .size = 8 },                       // word
		{ DI_OP_PICK, 0 }, { DI_OP_CONST, arm64 ? 1 << 20 : 0 }, { DI_OP_LT },        // word near
		{ DI_OP_STATIC, slot }, { DI_OP_PICK, 2 }, { DI_OP_SUB }, { DI_OP_PICK, 1 }, { DI_OP_MUL },
		{ DI_OP_PICK, 2 }, { DI_OP_ADD }, { DI_OP_LOAD, .size = 8 },                  // word near *(near ? slot : word)
		{ DI_OP_CONST, 1 }, { DI_OP_PICK, 2 }, { DI_OP_SUB }, { DI_OP_MUL }, { DI_OP_CONST, 16 }, { DI_OP_MUL },
		{ DI_OP_THREAD, arm64 ? 0 : 8 }, { DI_OP_LOAD, .size = 8 }, { DI_OP_ADD }, { DI_OP_LOAD, .size = 8 },
		{ DI_OP_CONST, offset }, { DI_OP_ADD },                                       // word near far-address
		{ DI_OP_PICK, 2 }, { DI_OP_THREAD, 0 }, { DI_OP_ADD }, { DI_OP_CONST, offset - other }, { DI_OP_ADD },
		{ DI_OP_PICK, 1 }, { DI_OP_SUB }, { DI_OP_PICK, 2 }, { DI_OP_MUL }, { DI_OP_ADD },
		{ DI_OP_SWAP }, { DI_OP_DROP }, { DI_OP_SWAP }, { DI_OP_DROP },
	};

	add_ops(out, ops, ARRAY_SIZE(ops));
}

bool tls_address(const struct di_module *m, uint64_t offset, struct di_location *out)
{
	const struct elf_view *v = m->is_user ? &m->view : NULL;
	const Elf64_Phdr *tls = v ? segment(v, PT_TLS) : NULL;
	bool arm64 = v && v->machine == EM_AARCH64;
	uint64_t slot, other;

	if (!tls || (v->machine != EM_X86_64 && v->machine != EM_386 && !arm64) || offset >= tls->p_memsz)
		return false;
	if (segment(v, PT_INTERP) || ((const Elf64_Ehdr *)v->file.at)->e_type == ET_EXEC) {
		location_add(out, DI_OP_THREAD, offset + block_offset(v, tls));
		return true;
	}
	if (v->machine == EM_386)
		return false;      // relocations of other architectures are not supported
	if (find_word(v, arm64 ? R_AARCH64_TLS_TPREL : R_X86_64_TPOFF64, &slot, &other)) {
		location_add(out, DI_OP_THREAD, 0);
		location_add(out, DI_OP_STATIC, slot);
		load_word(out);
		location_add(out, DI_OP_ADD, 0);
		location_offset(out, offset - other);
		return true;
	}
	if (!find_word(v, arm64 ? R_AARCH64_TLS_DTPMOD : R_X86_64_DTPMOD64, &slot, &other)) {
		if (!find_word(v, arm64 ? R_AARCH64_TLSDESC : R_X86_64_TLSDESC, &slot, &other))
			return false;
		by_descriptor(slot, offset, other, arm64, out);
		return true;
	}
	location_add(out, DI_OP_THREAD, arm64 ? 0 : 8);
	load_word(out);
	location_add(out, DI_OP_STATIC, slot);
	load_word(out);
	location_add(out, DI_OP_CONST, 16);
	location_add(out, DI_OP_MUL, 0);
	location_add(out, DI_OP_ADD, 0);
	load_word(out);
	location_offset(out, offset);
	return true;
}
