// SPDX-License-Identifier: GPL-2.0-or-later
// Opens programs and shared libraries by path: ELF, DWARF and symbols.
//
// DWARF is in the file itself or in a separate file of the same build: in a debuginfo directory under its build-id, or
// named by .gnu_debuglink, in the file's directory, in .debug there, or in a debuginfo directory. Symbols come from the
// same file, else from .symtab, from .gnu_debugdata (an xz-compressed ELF file), or from .dynsym. Compressed debug
// sections are decompressed in a private copy of the file.
#include "debuginfo/program/program.h"
#include "debuginfo/dwarf/dwarf_source.h"
#include "debuginfo/elf/resources.h"
#include "debuginfo/kernel/image.h"
#include "debuginfo/module.h"

#include "target/kernel.h"
#include "util/root.h"
#include "util/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "checksum.h"

struct program {
	const char *path;          // on this host
	struct bytes original;     // file content as on disk
	struct bytes file;         // file content; a 32-bit program is converted to 64-bit ELF
	struct di_identity identity;
};

// ---------------------------------------------------------------- compressed sections

#define UNPACKED_MAX (1u << 30)

static bool unpack_section(const Elf64_Chdr *h, struct bytes in, uint8_t *out)
{
	uLongf len = h->ch_size;

	if (h->ch_type == ELFCOMPRESS_ZLIB)
		return uncompress(out, &len, in.at, in.len) == Z_OK && len == h->ch_size;
	if (h->ch_type == 2)               // ELFCOMPRESS_ZSTD
		return ZSTD_decompress(out, h->ch_size, in.at, in.len) == h->ch_size;
	return false;
}

static bool compressed_header(const struct elf_view *v, const Elf64_Shdr *s, Elf64_Chdr *h)
{
	if (!(s->sh_flags & SHF_COMPRESSED) || s->sh_type == SHT_NOBITS || s->sh_size < sizeof(*h) ||
	    s->sh_offset > v->file.len || s->sh_size > v->file.len - s->sh_offset)
		return false;
	memcpy(h, v->file.at + s->sh_offset, sizeof(*h));
	return h->ch_size <= UNPACKED_MAX;
}

// Appends the decompressed sections to a copy of the file; returns the file itself if none is compressed. Empty:
// damaged.
static struct bytes unpack_sections(struct bytes file)
{
	struct bytes none = { NULL, 0 };
	struct elf_view v;
	size_t more = 0, at = (file.len + 15) & ~15ull, total;
	Elf64_Chdr h;
	struct bytes copy;

	if (!elf_view_open(&v, file))
		return none;
	for (int i = 1; i < v.n; i++)
		if (compressed_header(&v, &v.sections[i], &h))
			more += (h.ch_size + 15) & ~15ull;
	if (!more)
		return file;
	if (more > UNPACKED_MAX)
		return none;
	total = at + more;
	copy = map_zeroed(total);
	if (!copy.at)
		return none;
	memcpy((uint8_t *)copy.at, file.at, file.len);
	for (int i = 1; i < v.n; i++) {
		const Elf64_Shdr *s = &v.sections[i];
		Elf64_Shdr *to = (Elf64_Shdr *)(copy.at + ((const uint8_t *)s - file.at));
		struct bytes in;

		if (!compressed_header(&v, s, &h))
			continue;
		in = (struct bytes){ file.at + s->sh_offset + sizeof(h), s->sh_size - sizeof(h) };
		if (!unpack_section(&h, in, (uint8_t *)copy.at + at)) {
			unmap(&copy);
			return none;
		}
		to->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
		to->sh_offset = at;
		to->sh_size = h.ch_size;
		to->sh_addralign = h.ch_addralign;
		at += (h.ch_size + 15) & ~15ull;
	}
	return (struct bytes){ copy.at, at };
}

// ---------------------------------------------------------------- debuginfo

static bool same_id(const struct di_module *m, struct bytes id)
{
	return !m->build_id.len || (id.len == m->build_id.len && !memcmp(id.at, m->build_id.at, id.len));
}

// Converts a 32-bit file to 64-bit ELF.
static void widen(struct bytes *file)
{
	struct bytes compat = *file;

	if (!elf_is_32bit(compat))
		return;
	*file = elf_from_i386(compat);
	unmap(&compat);
}

// crc: checksum of the whole file from .gnu_debuglink; NULL: compare build-ids.
static bool try_debug_file(struct di_module *m, const char *path, const uint32_t *crc)
{
	struct bytes file = map_file(path), section;
	uint32_t sum = crc && !m->build_id.len ? crc32(0, file.at, file.len) : 0;
	struct elf_view v;

	if (!file.at)
		return false;
	widen(&file);
	if (!elf_view_open(&v, file) || v.machine != m->arch->elf_machine)
		goto no;
	if (!same_id(m, elf_view_build_id(&v)) ||
	    (crc && !m->build_id.len && sum != *crc)) {
		diag_warning((struct loc){ 0 }, "%s is of another build (build-id %s) than %s (build-id %s): not used", path,
			     build_id_text(elf_view_build_id(&v)), m->name, build_id_text(m->build_id));
		goto no;
	}
	section = file;
	file = unpack_sections(file);
	if (file.at != section.at)
		unmap(&section);
	if (!file.at || !elf_view_open(&v, file))
		return false;
	if (!m->has_symbols)
		m->has_symbols = symbols_from_elf(&m->symbols, &v);
	if (!elf_view_section(&v, ".debug_info", &section))
		return true;
	m->dwarf = dwarf_file_open(m, path, file);
	if (m->dwarf) {
		m->path = m->source_path = path;
		m->source = DI_SOURCE_DWARF;
	}
	return true;
no:
	unmap(&file);
	return false;
}

// Reads .gnu_debuglink: a name, padding to 4, a checksum.
static bool read_debuglink(const struct elf_view *v, const char **name, uint32_t *crc)
{
	struct bytes link;
	size_t len;

	if (!elf_view_section(v, ".gnu_debuglink", &link))
		return false;
	len = strnlen((const char *)link.at, link.len);
	if (!len || ((len + 4) & ~3ull) + 4 > link.len || memchr(link.at, '/', len))
		return false;
	*name = str_ndup((const char *)link.at, len);
	memcpy(crc, link.at + ((len + 4) & ~3ull), 4);
	return true;
}

static bool try_in_directory(struct di_module *m, const char *dir, const char *link, const uint32_t *crc)
{
	const char *path = *dir == '/' ? m->name : m->program->path;
	const char *beside = str_ndup(path, strrchr(path, '/') - path);

	if (m->build_id.len > 1 && *dir == '/' && try_debug_file(m, build_id_path(dir, m->build_id), NULL))
		return true;
	if (!link)
		return false;
	if (*dir != '/')           // "": the file's own directory, ".debug" below it
		return try_debug_file(m, str_printf("%s/%s%s%s", beside, dir, *dir ? "/" : "", link), crc);
	return try_debug_file(m, str_printf("%s%s/%s", dir, beside, link), crc);
}

static void find_separate(struct di_module *m)
{
	const char *link = NULL;
	di_names dirs = { 0 };
	uint32_t crc = 0;

	if (!read_debuglink(&m->view, &link, &crc) && m->build_id.len < 2)
		return;
	di_debug_directories(&dirs);
	for vec_each(&dirs, dir)
		if (strcmp(*dir, "build") && try_in_directory(m, *dir, link, &crc))
			return;
}

bool di_want_dwarf(struct di_module *m)
{
	const char *path = m->dwarf || m->asked ? NULL : debuginfod_fetch(m);

	m->asked = true;
	return path && (m->program ? try_debug_file(m, path, NULL) : module_try_dwarf(m, path, m->build_id)) && m->dwarf;
}

static bool use_own_dwarf(struct di_module *m)
{
	struct bytes section, file;

	if (!elf_view_section(&m->view, ".debug_info", &section))
		return false;
	file = unpack_sections(m->program->file);
	m->dwarf = file.at ? dwarf_file_open(m, m->program->path, file) : NULL;
	if (!m->dwarf)
		return false;
	m->path = m->source_path = m->program->path;
	m->source = DI_SOURCE_DWARF;
	return true;
}

// ---------------------------------------------------------------- symbols

// .gnu_debugdata has the functions that .dynsym lacks.
static bool use_debugdata(struct di_module *m)
{
	struct symbols exported;
	struct bytes packed, file;
	struct elf_view v;

	if (!elf_view_section(&m->view, ".gnu_debugdata", &packed))
		return false;
	file = image_unpack(packed);
	widen(&file);
	if (!file.at || !elf_view_open(&v, file) || !symbols_from_elf(&m->symbols, &v))
		return false;
	if (symbols_exported(&exported, &m->view))
		symbols_join(&m->symbols, &exported);
	return true;
}

static void find_symbols(struct di_module *m)
{
	if (!m->has_symbols)
		m->has_symbols = symbols_from_elf(&m->symbols, &m->view) || use_debugdata(m) ||
				 symbols_exported(&m->symbols, &m->view);
	if (!m->source) {
		m->source = DI_SOURCE_SYMBOLS;
		m->source_path = m->program->path;
	}
}

bool symbols_any(const struct di_module *m, const char *name, struct symbol *out)
{
	return m->has_symbols && symbols_lookup(&m->symbols, name, out);
}

// ---------------------------------------------------------------- the file

static const Elf64_Phdr *segments(const struct program *p, int *n)
{
	const Elf64_Ehdr *h = (const void *)p->file.at;

	*n = h->e_phnum;
	if (h->e_phoff % 8 || h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff > p->file.len ||
	    *n * sizeof(Elf64_Phdr) > p->file.len - h->e_phoff) {
		*n = 0;
		return NULL;
	}
	return (const void *)(p->file.at + h->e_phoff);
}

bool di_program_data(const struct di_module *m, const char *symbol, struct di_program_data *out)
{
	const struct elf_view *v = &m->view;
	int n;

	*out = (struct di_program_data){ .start_code = UINT64_MAX };
	out->anywhere = ((const Elf64_Ehdr *)(const void *)m->program->file.at)->e_type == ET_DYN;
	for (const Elf64_Phdr *s = segments(m->program, &n); n; s++, n--)
		if (s->p_type == PT_LOAD && s->p_flags & PF_X && s->p_vaddr < out->start_code)
			out->start_code = s->p_vaddr;
	return elf_view_variable(v, ".symtab", ".strtab", symbol, &out->address) ||
	       elf_view_variable(v, ".dynsym", ".dynstr", symbol, &out->address);
}

bool di_program_offset(const struct di_module *m, uint64_t address, uint64_t *offset)
{
	int n;

	for (const Elf64_Phdr *s = segments(m->program, &n); n; s++, n--)
		if (s->p_type == PT_LOAD && address - s->p_vaddr < s->p_filesz) {
			*offset = address - s->p_vaddr + s->p_offset;
			return true;
		}
	return false;
}

uint64_t di_program_entry(const struct di_module *m)
{
	const Elf64_Ehdr *h = (const void *)m->program->file.at;
	bool is_program = h->e_type == ET_EXEC;
	int n;

	for (const Elf64_Phdr *s = segments(m->program, &n); n; s++, n--)
		is_program |= s->p_type == PT_INTERP;
	return is_program ? h->e_entry : 0;
}

void di_program_code(const struct di_module *m, uint64_t *address, uint64_t *offset)
{
	int n;

	*address = *offset = 0;
	for (const Elf64_Phdr *s = segments(m->program, &n); n; s++, n--)
		if (s->p_type == PT_LOAD && (s->p_flags & PF_X)) {
			*address = s->p_vaddr;
			*offset = s->p_offset;
			return;
		}
}

// Identifies the file by its build-id, else by the checksum of its code, else by that of the whole file.
static void identify(struct di_module *m)
{
	struct program *p = m->program;
	struct bytes id = elf_view_build_id(&m->view), code = { p->original.at, p->original.len };
	const Elf64_Shdr *text = elf_view_header(&m->view, ".text");
	struct checksum c;
	uint64_t *sum;

	m->build_id = id;
	if (id.len) {
		p->identity = (struct di_identity){ id.at, id.len, id.at - p->file.at };
		return;
	}
	if (text && text->sh_type == SHT_PROGBITS && text->sh_offset <= code.len &&
	    text->sh_size && text->sh_size <= code.len - text->sh_offset)
		code = (struct bytes){ code.at + text->sh_offset, text->sh_size };
	checksum_begin(&c);
	checksum_add(&c, code.at, code.len);
	sum = (uint64_t *)mem_alloc_atomic(sizeof(*sum));
	*sum = checksum_end(&c);
	p->identity = (struct di_identity){ (const uint8_t *)sum, sizeof(*sum), code.at - p->original.at, code.len };
}

static bool open_file(struct di_module *m, const char **why)
{
	struct program *p = m->program;

	p->file = p->original = map_file(p->path);
	if (p->file.at && m->arch->elf_machine == EM_X86_64 && elf_is_32bit(p->file)) {
		p->file = elf_from_i386(p->original);
		m->arch = arch_find("i386");
		errno = EINVAL;
	}
	if (!p->file.at) {
		*why = errno && errno != ENOTTY ? strerror(errno) : "not a file";
		return false;
	}
	if (!elf_view_open(&m->view, p->file)) {
		*why = p->file.len > 4 && !memcmp(p->file.at, "\177ELF\1", 5) ?
		       str_printf("not for the processor of the kernel (%s)", m->arch->name) : "not a program (ELF) file";
		return false;
	}
	if (m->view.machine != m->arch->elf_machine) {
		*why = str_printf("not for the processor of the kernel (%s)", m->arch->name);
		return false;
	}
	return true;
}

struct di_module *di_program(struct session *s, const char *path, const char **why)
{
	struct map *known = &debuginfo_of(s)->programs;
	struct di_module *m;

	path = root_path(path);
	m = map_get(known, path);
	if (m)
		return m;
	if (!s->kernel)
		s->kernel = kernel_open(s);
	m = NEW(struct di_module);
	m->s = s;
	m->name = root_name(path);
	m->is_user = true;
	m->arch = arch_find(s->kernel->arch);
	if (!m->arch)
		die("kernels of the architecture %s are not supported", s->kernel->arch);
	m->program = NEW(struct program);
	m->program->path = path;
	errno = 0;
	if (!open_file(m, why)) {
		unmap(&m->program->file);
		return NULL;
	}
	identify(m);
	if (!use_own_dwarf(m))
		find_separate(m);
	find_symbols(m);
	map_put(known, path, m);
	return m;
}

struct di_identity di_program_identity(const struct di_module *m)
{
	struct di_identity id = m->program->identity;

	id.path = di_module_name(m);
	return id;
}

const char *di_program_path(const struct di_module *m)
{
	return m->program->path;
}

bool di_program_is_32bit(const struct di_module *m)
{
	return m->arch->elf_machine == EM_386;
}

// Go's runtime copies a stack to grow it, and reads the return addresses on it.
bool di_program_moves_stacks(const struct di_module *m)
{
	struct bytes section;

	return elf_view_section(&m->view, ".go.buildinfo", &section) ||
	       elf_view_section(&m->view, ".gopclntab", &section);
}

bool di_program_exports(const struct di_module *m, const char *symbol)
{
	struct symbols exported;
	struct symbol found;

	return symbols_exported(&exported, &m->view) && symbols_lookup(&exported, symbol, &found);
}

static int by_offset(const void *a, const void *b)
{
	const struct di_symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->name, y->name);
}

// Returns the offset in the file. Variables that are not in the file get the offset that they would have after the
// segment.
static bool object_offset(const struct di_module *m, uint64_t address, uint64_t *offset)
{
	int n;

	for (const Elf64_Phdr *s = segments(m->program, &n); n; s++, n--)
		if (s->p_type == PT_LOAD && address - s->p_vaddr < s->p_memsz) {
			*offset = address - s->p_vaddr + s->p_offset;
			return true;
		}
	return false;
}

// Adds entries of the procedure linkage table as "NAME@plt", as disassemblers print them.
static void plt_symbols(const struct di_module *m, di_symbols *out)
{
	di_plt entries = { 0 };

	di_find_plt(m, "*", &entries);
	for vec_each(&entries, e) {
		struct di_symbol row = { .size = e->size, .name = str_printf("%s@plt", e->name) };

		if (di_program_offset(m, e->address, &row.offset))
			vec_push(out, row);
	}
}

static bool is_covered(const di_symbols *sorted, uint64_t offset)
{
	int low = 0, high = sorted->n;

	while (low < high) {
		int middle = (low + high) / 2;

		if (sorted->at[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && (offset == sorted->at[low - 1].offset || offset - sorted->at[low - 1].offset < sorted->at[low - 1].size);
}

// Adds labels of assembler code that are not in a function or variable of the sorted table.
static void label_symbols(const struct di_module *m, di_symbols *out)
{
	di_symbols labels = { 0 };
	struct symbol symbol;

	for (int i = 0; m->has_symbols && i < m->symbols.n; i++) {
		struct di_symbol row = { 0 };

		if (!symbols_get_label(&m->symbols, i, &symbol) || !di_program_offset(m, symbol.address, &row.offset) ||
		    is_covered(out, row.offset))
			continue;
		row.name = str_dup(symbol.name);
		vec_push(&labels, row);
	}
	for vec_each(&labels, label)
		vec_push(out, *label);
	if (labels.n)
		qsort(out->at, out->n, sizeof(out->at[0]), by_offset);
}

// Lists functions, variables and entries of the procedure linkage table. If an address has several names, the first
// in alphabetical order that does not begin with "_" is preferred.
void di_program_symbols(const struct di_module *m, di_symbols *out)
{
	struct symbol symbol;
	int n = 0;

	for (int i = 0; m->has_symbols && i < m->symbols.n; i++) {
		struct di_symbol row;

		if (symbols_get(&m->symbols, i, &symbol) ? !di_program_offset(m, symbol.address, &row.offset) :
		    !symbols_get_object(&m->symbols, i, &symbol) || !object_offset(m, symbol.address, &row.offset))
			continue;
		row.size = symbol.size;
		row.name = str_dup(symbol.name);
		vec_push(out, row);
	}
	plt_symbols(m, out);
	if (out->n)
		qsort(out->at, out->n, sizeof(out->at[0]), by_offset);
	label_symbols(m, out);
	for (int i = 0; i < out->n; i++) {
		if (!n || out->at[n - 1].offset != out->at[i].offset)
			out->at[n++] = out->at[i];
		else if (*out->at[n - 1].name == '_' && *out->at[i].name != '_')
			out->at[n - 1] = out->at[i];
	}
	out->n = n;
}
