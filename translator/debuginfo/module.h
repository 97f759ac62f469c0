// SPDX-License-Identifier: GPL-2.0-or-later
// What the files of debuginfo/ share. Nobody else includes this.
//
//   resources.c  pages and handles that are given back at the end
//   elf_view.c  a file or piece of memory as an ELF with sections, bounds checked
//   image.c     kernel image -> .BTF, build-id, symbols; cached
//   flat_image.c  an image that is no ELF file: arm64
//   kallsyms.c  the symbol tables inside a kernel image
//   symbols.c   one view of .symtab and kallsyms: the functions with addresses
//   btf.c       types and prototypes from BTF
//   cached_table.c  tables made of debuginfo, in the cache
//   index.c     the index of a DWARF file, cached; index_build.c makes it
//   line_table.c  the source lines of all code, cached; line_code.c says how they are written
//   kprobe_blocklist.c  code that kprobes are refused in
//   function_search.c  functions by name; line.c by source line
//   dwarf.c     a DWARF file, one compilation unit at a time; func.c loc.c type.c on top of it
//   tracepoint.c  tracepoints, from BTF and the kernel's headers
//   tls.c       variables of threads
//   kmod.c      the files of kernel modules
//   program.c   programs and their libraries; sdt.c their marks, plt.c their linkage tables, cfi.c their
//               call frame information, debuginfod.c their
//               debuginfo from servers
//   module.c    the cascade; the functions of debuginfo.h
#ifndef DEBUGINFO_MODULE_H
#define DEBUGINFO_MODULE_H

#include "debuginfo/arch.h"
#include "debuginfo/debuginfo.h"

#include <elf.h>

struct bytes {                 // not owned; lives as long as the session
	const uint8_t *at;
	size_t len;
};

// ---------------------------------------------------------------- elf_view.c

struct elf_view {
	struct bytes file;
	const Elf64_Shdr *sections;
	int n;
	int machine;
};
// A variable by its name in a table of symbols (".symtab" with ".strtab").
bool elf_view_variable(const struct elf_view *v, const char *table, const char *names, const char *name,
		       uint64_t *address);
bool elf_view_open(struct elf_view *v, struct bytes file);    // 64 bit, little-endian only
// elf_from_i386.c: a file for i386, and the same as one of 64 bits, with all offsets as they were. Empty: broken.
bool elf_is_32bit(struct bytes file);
struct bytes elf_from_i386(struct bytes file);
// Section by name; false when absent, or without bytes in the file.
bool elf_view_section(const struct elf_view *v, const char *name, struct bytes *out);
const Elf64_Shdr *elf_view_header(const struct elf_view *v, const char *name);
const char *elf_view_name(const struct elf_view *v, const Elf64_Shdr *section);  // "": it has none
// The GNU build-id in notes of any section or segment. Empty when there is none.
struct bytes elf_view_build_id(const struct elf_view *v);

// ---------------------------------------------------------------- resources.c

// Pages of a file, private and writable in memory, on demand; or zeroes. Empty and errno on failure.
struct bytes map_file(const char *path);
struct bytes map_zeroed(size_t len);
void map_shrink(struct bytes *b, size_t len);
void unmap(struct bytes *b);                                  // for big things that were short-lived

// ---------------------------------------------------------------- symbols.c

struct symbol {
	const char *name;
	uint64_t address;          // link-time
	uint64_t size;             // 0 unknown
	bool global;
};

// Functions in .text, from a cached table (sorted by address) or from .symtab (unsorted).
struct symbol_entry {          // of the cached table
	uint64_t address;
	uint32_t name;             // offset in the strings
	uint32_t flags;            // 1: global
};
struct symbols {
	const struct symbol_entry *table;
	const Elf64_Sym *symtab;
	int n;
	const char *strings;
	size_t strings_len;        // the last byte is 0
	uint64_t text, text_end;   // .text; symtab symbols outside are skipped
	int text_index;
	struct elf_view module;    // of a kernel module: its sections of code, all of which count
	struct map *counts;        // symbols_anchor(): name -> how many symbols have it
};
bool symbols_is_code(const struct elf_view *v, const Elf64_Shdr *section);
bool symbols_from_elf(struct symbols *t, const struct elf_view *v);
bool symbols_exported(struct symbols *t, const struct elf_view *v);   // only those of .dynsym
void symbols_join(struct symbols *t, const struct symbols *other);    // adds those of another file; both not cached
bool symbols_get(const struct symbols *t, int i, struct symbol *out); // false: i isn't a function
// The name by which a kernel can find the function of a module at this address: its own, unless others have it too;
// then one of the same section that no other has. *at is where that is. NULL: there is none.
const char *symbols_anchor(struct symbols *t, const char *name, uint64_t address, uint64_t *at);
// The length of the name without what the compiler adds to clones of the whole function.
size_t symbol_stem(const char *symbol);
// What was split off a function: its rarely used code (.cold); what follows a beginning that was inlined where
// it is called (.part.0). Nobody calls it by the function's name.
bool symbol_is_part(const char *symbol);
bool symbols_lookup(const struct symbols *t, const char *name, struct symbol *out); // any kind, exact

// ---------------------------------------------------------------- kallsyms.c

// Appends the functions in [text, text_end) of the kallsyms tables in `rodata` to the buffers.
// `anchors`: names whose addresses are known from section headers, to find and check the base.
struct anchor { const char *name; uint64_t address; };
bool kallsyms_decode(struct bytes rodata, const struct anchor *anchors, int nanchors, uint64_t text,
		     uint64_t text_end, struct buf *entries, struct buf *strings);

// ---------------------------------------------------------------- image.c

struct image {
	const char *path;
	struct bytes btf, build_id;
	struct symbols symbols;
	bool has_symbols;
};
// NULL when the file can't be read or isn't a kernel image we know.
struct image *image_open(struct session *s, const char *path, const struct arch *arch);
// A file, unpacked when it is compressed. Empty when it can't be read, or not be unpacked.
struct bytes image_unpack_file(const char *path);
// Bytes that are compressed, in pages of their own; others as they are. Empty: damaged.
struct bytes image_unpack(struct bytes in);

// ---------------------------------------------------------------- flat_image.c

bool flat_image_is(struct bytes b);
// What is compressed in a file with CONFIG_EFI_ZBOOT; empty when it is none.
struct bytes flat_image_packed(struct bytes file);
// Empty: there is none.
struct bytes flat_image_btf(struct bytes b);
struct bytes flat_image_build_id(struct bytes b, struct bytes btf);
// Known symbols, at most 2, and the end of the image's addresses. 0: its addresses are not known.
int flat_image_anchors(struct bytes b, struct anchor *out, uint64_t *end);

// ---------------------------------------------------------------- modules and backends

struct type_ops;
struct type_priv {             // di_type.priv
	const struct type_ops *ops;
	uint32_t btf_id;
	const void *die;           // Dwarf_Die *
	struct di_type *target;    // made by the translator: a pointer to it
	struct di_type *pointer;   // memo of di_pointer_to()
};

struct member_ref {
	const char *name;          // "" anonymous
	uint64_t bit;              // from the start of the aggregate
	int bit_size;              // 0: no bit-field
	bool is_base;              // a C++ class' base
	const struct di_variant *variant;      // of an enum of Rust
	uint32_t btf_id;           // of its type
	const void *die;           // of the member, valid during the call
};
typedef bool (*member_fn)(void *data, const struct member_ref *m);  // true: stop

struct type_ops {
	struct di_type *(*target)(const struct di_type *t);
	void (*each_member)(const struct di_type *t, member_fn fn, void *data);
	struct di_type *(*member_type)(const struct di_type *t, const struct member_ref *m);
	void (*each_enumerator)(const struct di_type *t, di_enumerators *out);
};

struct func_priv {             // di_function.priv
	uint32_t btf_id;           // of the FUNC; 0 none
	bool btf_tried;
	bool alias;                // DWARF has another name for the place
	bool own_scope;            // at pc is the function itself, not what was inlined there
	bool ambiguous;            // several functions have the name: BTF doesn't tell which it describes
	uint32_t die_offset;       // in .debug_info; 0 not known
	const void *die;           // Dwarf_Die *, of the inlined copy if it is one; NULL none
	const void *frame;         // Dwarf_Die *, of the function whose code that is in; NULL: the same
	bool die_tried;
};

struct btf_source;             // btf.c
struct dwarf_file;             // dwarf.c
struct index;                  // index.c

struct debuginfo {             // session.debuginfo
	struct di_module *kernel;
	struct map programs;       // program.c: path -> struct di_module *
};
struct debuginfo *debuginfo_of(struct session *s);    // module.c
const char *build_id_text(struct bytes id);           // hexadecimal; "none"

struct di_module {
	struct session *s;
	const char *name;
	enum di_source source;
	const char *source_path;   // the file that functions and types were read from
	const char *path;          // the file that DWARF was read from
	const struct arch *arch;
	bool is_user;              // a program or a library
	struct bytes build_id;
	struct symbols symbols;
	bool has_symbols;
	uint64_t base;             // _stext
	struct bytes btf_bytes;    // found, not read yet
	const char *btf_path;
	struct btf_source *btf;    // use module_btf()
	struct dwarf_file *dwarf;
	bool asked;                // a server, for DWARF
	struct index *index;       // use module_index()
	bool index_tried;
	struct map systems;        // tracepoint -> TRACE_SYSTEM; tracepoint.c
	bool systems_loaded;
	struct map statics;        // address in text -> struct di_static *; global.c
	struct di_module *base_module; // of a kernel module: the kernel, whose BTF its own continues
	struct map modules;            // kmod.c, of the kernel: name -> struct di_module *, those opened
	struct map *module_files;      // kmod.c, of the kernel: name -> path
	struct program *program;       // program.c; NULL: the kernel or one of its modules
};
struct btf_source *module_btf(struct di_module *m);   // NULL: none, or broken

// btf.c
struct btf_source *btf_open(struct di_module *m, struct bytes raw);   // NULL: broken
uint32_t btf_find_function(struct btf_source *b, const char *name);   // 0: none
void btf_each_function(struct btf_source *b, void (*fn)(void *data, const char *name, uint32_t id), void *data);
bool btf_parameter(struct btf_source *b, uint32_t func, const char *name, struct di_variable *out);
void btf_parameter_names(struct btf_source *b, uint32_t func, struct buf *list);
struct di_type *btf_return_type(struct btf_source *b, uint32_t func); // NULL: void
struct di_type *btf_find_type(struct btf_source *b, enum di_kind kind, const char *name);
void btf_each_name(struct btf_source *b, bool enumerators, void (*fn)(void *data, const char *name), void *data);
bool btf_find_enumerator_value(struct btf_source *b, const char *name, int64_t *value);
// Tracepoints are known by the id of their prototype.
void btf_each_tracepoint(struct btf_source *b, void (*fn)(void *data, const char *name, uint32_t id), void *data);
uint32_t btf_find_tracepoint(struct btf_source *b, const char *name); // 0: none
void btf_tracepoint_arguments(struct btf_source *b, uint32_t id, struct di_tracepoint *t); // by t->name

// dwarf.c
struct dwarf_file *dwarf_file_open(struct di_module *m, const char *path, struct bytes map);

struct bytes dwarf_file_map(const struct dwarf_file *f);
// Its files that the compiler split off: the name of one that isn't there, NULL none; how many are, how much
// is in all of them.
const char *dwarf_file_no_split(struct dwarf_file *f);
void dwarf_file_splits(struct dwarf_file *f, int *n, uint64_t *size);
bool dwarf_file_shared(struct dwarf_file *f);         // a part of it is in another file, which is there

// index.c: what is where in a DWARF file. Places of DIEs are offsets in .debug_info, never 0.
struct index *module_index(struct di_module *m);      // NULL: no DWARF, or broken
struct index_query {
	const char *name;          // glob; every function whose name begins as it does is given
	const char *file;          // glob for the tail of the path; NULL any
};
struct index_hit {
	const char *name, *symbol;
	const char *file;          // NULL not known; of a variable: the unit's
	uint32_t line;
	uint32_t die;              // 0: only the symbol table has it
	uint64_t address, size;    // size 0: not known
	bool is_inline;
	bool is_alias;             // a name that DWARF does not have
	enum di_kprobe kprobe;
};
typedef void (*index_fn)(void *data, const struct index_hit *hit);
void index_each_function(const struct index *ix, const struct index_query *q, index_fn fn, void *data);
void index_each_inline(const struct index *ix, const struct index_query *q, bool once, index_fn fn, void *data);
// The function that has the address in it; the last one before it when its size isn't known.
bool index_function_at(const struct index *ix, uint64_t address, struct index_hit *out);
// The first line after `line` where a function of the file begins; 0x7fffffff: none does. The file is a
// hit's, not another text.
int index_next_function(const struct index *ix, const char *file, uint32_t line);
// Where the header of the unit is, for dwarf_unit_at().
bool index_unit_of_address(const struct index *ix, uint64_t address, uint64_t *header);
bool index_unit_of_die(const struct index *ix, uint32_t die, uint64_t *header);
uint32_t index_find_type(const struct index *ix, const char *name, const int *tags); // tags end in 0; 0: none
uint32_t index_find_enumerator(const struct index *ix, const char *name);
void index_each_variable(const struct index *ix, const char *name, index_fn fn, void *data);
bool path_matches(const char *path, const char *pattern); // a glob for its tail, at a "/"

// func.c: finds the DIE of the function, when that was not done yet. False: it has none.
bool dwarf_function(const struct di_function *f);
bool dwarf_variable(const struct di_function *f, const char *name, struct di_variable *out);
void dwarf_variable_names(const struct di_function *f, bool params_only, struct buf *list);
struct di_type *dwarf_return_type(const struct di_function *f);
// type.c
struct di_type *dwarf_find_type(struct di_module *m, enum di_kind kind, const char *name);
bool dwarf_find_enumerator(struct di_module *m, const char *name, int64_t *value);

// program.c
char *build_id_path(const char *dir, struct bytes id);        // "DIR/.build-id/12/3456.debug"
const struct elf_view *program_view(const struct di_module *m);      // the file as it is
// A symbol of any kind, of the program or its separate debuginfo.
bool symbols_any(const struct di_module *m, const char *name, struct symbol *out);

// debuginfod.c: the path of the debuginfo of the module's build-id, fetched from a server. NULL: none has it,
// or none is to be asked.
const char *debuginfod_fetch(const struct di_module *m);

// tls.c: adds how the address of the threads' variable at `offset` is computed. False: it can't be told.
bool tls_address(const struct di_module *m, uint64_t offset, struct di_location *out);

// global.c: a variable of the unit that `die` is in. False: there is none of that name.
bool dwarf_unit_variable(struct di_module *m, const void *die, const char *name, struct di_variable *out);

// kmod.c: sh_addr of a relocatable file's sections, .text at 0.
void kmod_place(const struct elf_view *v);
bool kmod_is_other(uint64_t address);                 // then: not of .text
// Addresses into its debug sections, too. False: broken.
bool kmod_relocate(const struct elf_view *v);

// function_search.c
struct di_function *function_of_hit(struct di_module *m, const struct index_hit *hit);
uint32_t function_btf(const struct di_function *f);   // its prototype in BTF; 0: none

// kprobe_blocklist.c: code that kprobes are refused in: ranges between pairs of symbols, and NOKPROBE_SYMBOL().
enum { NOPROBE_NOINSTR, NOPROBE_KPROBES, NOPROBE_ENTRY, NOPROBE_RANGES };
struct kprobe_blocklist {
	struct { uint64_t start, end; } range[NOPROBE_RANGES];
	const uint64_t *functions; // of NOKPROBE_SYMBOL(), sorted; NULL: cannot be read
	size_t n;
};
void kprobe_blocklist_read(const struct di_module *m, struct kprobe_blocklist *out);
bool kprobe_blocklist_in_range(const struct kprobe_blocklist *b, uint64_t address);
bool kprobe_blocklist_has_function(const struct kprobe_blocklist *b, uint64_t address);

// module.c
// The file has DWARF of the build `id` (anything, when that is empty): now the module has it, too.
bool module_try_dwarf(struct di_module *m, const char *path, struct bytes id);
bool module_try_build_id(struct di_module *m, const char *dir, struct bytes id);
struct di_location location_register(int number);
struct di_location location_two_registers(int low, int high);
void location_add(struct di_location *l, enum di_opcode code, int64_t value);
void location_offset(struct di_location *l, int64_t offset);   // adds a constant to the top
// How a value of the type comes back in registers; NONE when it doesn't.
struct di_location location_return(const struct di_module *m, const struct di_type *t);
extern const char di_vector_register[];    // a location's why

// frame.c: how a function gives a struct or union: in one or two registers, or in memory, whose address is in the
// first.
enum returns { RETURNS_UNKNOWN, RETURNS_WORD, RETURNS_TWO_WORDS, RETURNS_PLACE };
enum returns frame_returns(const struct di_module *m, const struct di_type *t);

#endif
