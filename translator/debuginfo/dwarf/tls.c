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
// The words of i386 have 4 bytes, and their relocations no addend: it is in the word, in the file.
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

// Finds the address of a word with this type of relocation, and the offset of its variable in the block.
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

// Returns the word of 4 bytes at a link address in the file; 0 if it is not there.
static int32_t word_in_file(const struct elf_view *v, uint64_t address)
{
	const Elf64_Ehdr *h = (const void *)v->file.at;
	int32_t word = 0;

	for (int i = 0; i < h->e_phnum; i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)(v->file.at + h->e_phoff) + i;
		uint64_t at = address - p->p_vaddr;

		if (p->p_type == PT_LOAD && at < p->p_filesz && p->p_filesz - at >= 4 && p->p_offset <= v->file.len &&
		    v->file.len - p->p_offset >= p->p_filesz)
			memcpy(&word, v->file.at + p->p_offset + at, sizeof(word));
	}
	return word;
}

enum word { OFFSET, MODULE, DESCRIPTOR };

static bool find_word(const struct elf_view *v, enum word word, uint64_t *slot, uint64_t *offset)
{
	static const unsigned kinds[][3] = {
		{ R_X86_64_TPOFF64, R_X86_64_DTPMOD64, R_X86_64_TLSDESC },
		{ R_AARCH64_TLS_TPREL, R_AARCH64_TLS_DTPMOD, R_AARCH64_TLSDESC },
		{ R_386_TLS_TPOFF, R_386_TLS_DTPMOD32, R_386_TLS_DESC },
	};

	unsigned kind = kinds[v->machine == EM_386 ? 2 : v->machine == EM_AARCH64][word];

	if (!find_in(v, ".rela.dyn", kind, slot, offset) && !find_in(v, ".rela.plt", kind, slot, offset))
		return false;
	if (v->machine == EM_386 && word != MODULE)
		*offset += word_in_file(v, *slot + (word == DESCRIPTOR ? 4 : 0));
	return true;
}

static void load_word(const struct di_module *m, struct di_location *out)
{
	struct di_op load = { .code = DI_OP_LOAD, .size = m->arch->word, .is_signed = true };

	vec_push(&out->ops, load);
}

// Returns the offset from the thread pointer of the block with the program's own variables.
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
// results are computed: `near` is 1 or 0, and if it is 1 the entry of module number 0 is read, which always exists. An
// offset is below 1 MB on arm64, and negative on x86: on i386, whose pointers may be above 2 GB, above -1 MB.
static void by_descriptor(const struct di_module *m, uint64_t slot, uint64_t offset, uint64_t other,
			  struct di_location *out)
{
	bool arm64 = m->view.machine == EM_AARCH64, i386 = m->view.machine == EM_386;
	int size = m->arch->word;
	const struct di_op ops[] = {
		{ DI_OP_STATIC, slot + size }, { DI_OP_LOAD, .size = size },                 // word
		{ DI_OP_PICK, 0 }, { DI_OP_CONST, arm64 ? 1 << 20 : i386 ? 0xfff00000 : 0 },
		{ i386 ? DI_OP_GE : DI_OP_LT },                                              // the stack is: word near
		{ DI_OP_STATIC, slot }, { DI_OP_PICK, 2 }, { DI_OP_SUB }, { DI_OP_PICK, 1 }, { DI_OP_MUL },
		{ DI_OP_PICK, 2 }, { DI_OP_ADD }, { DI_OP_LOAD, .size = size },               // the stack is: word near *(near
											      // ? slot : word)
		{ DI_OP_CONST, 1 }, { DI_OP_PICK, 2 }, { DI_OP_SUB }, { DI_OP_MUL }, { DI_OP_CONST, 2 * size }, { DI_OP_MUL },
		{ DI_OP_THREAD, arm64 ? 0 : size }, { DI_OP_LOAD, .size = size }, { DI_OP_ADD }, { DI_OP_LOAD, .size = size },
		{ DI_OP_CONST, offset }, { DI_OP_ADD },                                       // the stack is: word near
											      // far-address
		{ DI_OP_PICK, 2 }, { DI_OP_THREAD, 0 }, { DI_OP_ADD },
		{ DI_OP_CONST, offset - other - (i386 ? 1ull << 32 : 0) }, { DI_OP_ADD },
		{ DI_OP_PICK, 1 }, { DI_OP_SUB }, { DI_OP_PICK, 2 }, { DI_OP_MUL }, { DI_OP_ADD },
		{ DI_OP_SWAP }, { DI_OP_DROP }, { DI_OP_SWAP }, { DI_OP_DROP },
	};

	add_ops(out, ops, ARRAY_SIZE(ops));
}

// Uses the module number in the word at `slot`: the thread pointer's second word, or first one on arm64, is the
// address of the vector.
static void by_module(const struct di_module *m, uint64_t slot, uint64_t offset, struct di_location *out)
{
	struct di_op load = { .code = DI_OP_LOAD, .size = m->arch->word };
	const struct di_op ops[] = {
		{ DI_OP_THREAD, m->view.machine == EM_AARCH64 ? 0 : m->arch->word }, load, { DI_OP_STATIC, slot }, load,
		{ DI_OP_CONST, 2 * m->arch->word }, { DI_OP_MUL }, { DI_OP_ADD }, load,
	};

	add_ops(out, ops, ARRAY_SIZE(ops));
	location_offset(out, offset);
}

bool tls_address(const struct di_module *m, uint64_t offset, struct di_location *out)
{
	const struct elf_view *v = m->is_user ? &m->view : NULL;
	const Elf64_Phdr *tls = v ? segment(v, PT_TLS) : NULL;
	uint64_t slot, other;

	if (!tls || (v->machine != EM_X86_64 && v->machine != EM_386 && v->machine != EM_AARCH64) || offset >= tls->p_memsz)
		return false;
	if (segment(v, PT_INTERP) || ((const Elf64_Ehdr *)v->file.at)->e_type == ET_EXEC) {
		location_add(out, DI_OP_THREAD, offset + block_offset(v, tls));
		return true;
	}
	if (find_word(v, OFFSET, &slot, &other)) {
		location_add(out, DI_OP_THREAD, 0);
		location_add(out, DI_OP_STATIC, slot);
		load_word(m, out);
		location_add(out, DI_OP_ADD, 0);
		location_offset(out, offset - other);
	} else if (find_word(v, MODULE, &slot, &other)) {
		by_module(m, slot, offset, out);
	} else if (find_word(v, DESCRIPTOR, &slot, &other)) {
		by_descriptor(m, slot, offset, other, out);
	} else {
		return false;
	}
	return true;
}
