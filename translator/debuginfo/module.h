// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the files of debuginfo/ only: files and ELF views, symbols, sources of one module.
//
// See README.md for what each file reads.
#ifndef DEBUGINFO_MODULE_H
#define DEBUGINFO_MODULE_H

#include "debuginfo/arch.h"
#include "debuginfo/debuginfo.h"

#include <elf.h>

struct bytes {                 // not owned; valid until di_close()
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
// Finds a variable by name in a symbol table (".symtab" with ".strtab").
bool elf_view_variable(const struct elf_view *v, const char *table, const char *names, const char *name,
		       uint64_t *address);
bool elf_view_open(struct elf_view *v, struct bytes file);    // 64-bit little-endian only
// elf_from_i386.c: converts an i386 file to 64-bit ELF with the same offsets. Empty: damaged.
bool elf_is_32bit(struct bytes file);
struct bytes elf_from_i386(struct bytes file);
// Finds a section by name; false if it is absent or SHT_NOBITS.
bool elf_view_section(const struct elf_view *v, const char *name, struct bytes *out);
const Elf64_Shdr *elf_view_header(const struct elf_view *v, const char *name);
const char *elf_view_name(const struct elf_view *v, const Elf64_Shdr *section);  // "": no name
// The GNU build-id from the notes of any section or segment. Empty: none.
struct bytes elf_view_build_id(const struct elf_view *v);

// ---------------------------------------------------------------- resources.c

// Maps a file private and writable; map_zeroed() maps anonymous zeroed pages. Empty on failure, with errno set.
struct bytes map_file(const char *path);
struct bytes map_zeroed(size_t len);
void map_shrink(struct bytes *b, size_t len);
void unmap(struct bytes *b);                                  // for large short-lived mappings

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
	struct elf_view module;    // of a kernel module: all its code sections are included
	struct map *counts;        // symbols_anchor(): name -> how many symbols have it
};
bool symbols_is_code(const struct elf_view *v, const Elf64_Shdr *section);
bool symbols_from_elf(struct symbols *t, const struct elf_view *v);
bool symbols_exported(struct symbols *t, const struct elf_view *v);   // only those of .dynsym
void symbols_join(struct symbols *t, const struct symbols *other);    // adds the symbols of another file; neither may
								      // be a cached table
bool symbols_get(const struct symbols *t, int i, struct symbol *out); // false: entry i is not a function
// Returns a symbol by which the kernel can find the function of a module at this address: its own if it is unique, else
// a unique one of the same section. *at is its address. NULL: none.
const char *symbols_anchor(struct symbols *t, const char *name, uint64_t address, uint64_t *at);
// Length of the name without the suffixes of clones (".isra.0", ".constprop.0").
size_t symbol_stem(const char *symbol);
// True for parts that the compiler split off a function: .cold, .part.0. They are not called by the function's name.
bool symbol_is_part(const char *symbol);
bool symbols_lookup(const struct symbols *t, const char *name, struct symbol *out); // any type of symbol, exact name

// ---------------------------------------------------------------- kallsyms.c

// Appends the functions in [text, text_end) of the kallsyms tables in `rodata` to the buffers. `anchors` are names with
// addresses known from section headers, used to find and check the base.
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
// NULL: cannot be read, or not a supported kernel image.
struct image *image_open(struct session *s, const char *path, const struct arch *arch);
// Maps a file, decompressed if it is compressed. Empty: cannot be read or decompressed.
struct bytes image_unpack_file(const char *path);
// Decompresses into new pages; returns uncompressed bytes unchanged. Empty: damaged.
struct bytes image_unpack(struct bytes in);

// ---------------------------------------------------------------- flat_image.c

bool flat_image_is(struct bytes b);
// The compressed payload of an image with CONFIG_EFI_ZBOOT; empty for others.
struct bytes flat_image_packed(struct bytes file);
// Empty: not found.
struct bytes flat_image_btf(struct bytes b);
struct bytes flat_image_build_id(struct bytes b, struct bytes btf);
// Returns at most 2 known symbols and the end of the image's addresses. 0: not found.
int flat_image_anchors(struct bytes b, struct anchor *out, uint64_t *end);

// ---------------------------------------------------------------- modules and backends

struct type_ops;
struct type_priv {             // di_type.priv
	const struct type_ops *ops;
	uint32_t btf_id;
	const void *die;           // Dwarf_Die *
	struct di_type *target;    // of a pointer that the translator made
	struct di_type *pointer;   // memo of di_pointer_to()
};

struct member_ref {
	const char *name;          // "" anonymous
	uint64_t bit;              // from the start of the aggregate
	int bit_size;              // 0: no bit-field
	bool is_base;              // a C++ class' base
	const struct di_variant *variant;      // of a Rust enum
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
	bool alias;                // DWARF has another name for this address
	bool own_scope;            // variables of the function itself, not of the copy inlined at pc
	bool ambiguous;            // several functions have the name, so BTF is ambiguous
	uint32_t die_offset;       // in .debug_info; 0 not known
	const void *die;           // Dwarf_Die *, of the inlined copy if it is one; NULL none
	const void *frame;         // Dwarf_Die *, of the function that contains the code; NULL: the same
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
	struct bytes btf_bytes;    // not parsed yet
	const char *btf_path;
	struct btf_source *btf;    // use module_btf()
	struct dwarf_file *dwarf;
	bool asked;                // a debuginfod server was asked
	struct index *index;       // use module_index()
	bool index_tried;
	struct map systems;        // tracepoint -> TRACE_SYSTEM; tracepoint.c
	bool systems_loaded;
	struct map statics;        // address in text -> struct di_static *; global.c
	struct map no_globals;     // "name@file" of what DWARF does not have; global.c
	struct di_module *base_module; // of a kernel module: the kernel, the base of its split BTF
	struct map modules;            // kmod.c, of the kernel: name -> struct di_module *
	struct map *module_files;      // kmod.c, of the kernel: name -> path
	struct program *program;       // program.c; NULL: the kernel or one of its modules
};
struct btf_source *module_btf(struct di_module *m);   // NULL: none, or damaged

// btf.c
struct btf_source *btf_open(struct di_module *m, struct bytes raw);   // NULL: damaged
uint32_t btf_find_function(struct btf_source *b, const char *name);   // 0: none
void btf_each_function(struct btf_source *b, void (*fn)(void *data, const char *name, uint32_t id), void *data);
bool btf_parameter(struct btf_source *b, uint32_t func, const char *name, struct di_variable *out);
void btf_parameter_names(struct btf_source *b, uint32_t func, struct buf *list);
struct di_type *btf_return_type(struct btf_source *b, uint32_t func); // NULL: void
struct di_type *btf_find_type(struct btf_source *b, enum di_kind kind, const char *name);
void btf_each_name(struct btf_source *b, bool enumerators, void (*fn)(void *data, const char *name), void *data);
bool btf_find_enumerator_value(struct btf_source *b, const char *name, int64_t *value);
// Tracepoints are identified by the BTF id of their prototype.
void btf_each_tracepoint(struct btf_source *b, void (*fn)(void *data, const char *name, uint32_t id), void *data);
uint32_t btf_find_tracepoint(struct btf_source *b, const char *name); // 0: none
void btf_tracepoint_arguments(struct btf_source *b, uint32_t id, struct di_tracepoint *t); // by t->name

// dwarf.c
struct dwarf_file *dwarf_file_open(struct di_module *m, const char *path, struct bytes map);

struct bytes dwarf_file_map(const struct dwarf_file *f);
const char *dwarf_file_path(const struct dwarf_file *f);
// Split units (.dwo): the name of a file that is missing, NULL none; number of files and their total size.
const char *dwarf_file_no_split(struct dwarf_file *f);
void dwarf_file_splits(struct dwarf_file *f, int *n, uint64_t *size);
bool dwarf_file_shared(struct dwarf_file *f);         // it has a supplementary file (dwz), and that was found

// index.c: lookups in the index of a DWARF file. DIEs are identified by offsets in .debug_info, never 0.
struct index *module_index(struct di_module *m);      // NULL: no DWARF, or damaged
struct index_query {
	const char *name;          // glob; functions that share its literal prefix are returned
	const char *file;          // glob for the tail of the path; NULL any
};
struct index_hit {
	const char *name, *symbol;
	const char *file;          // NULL unknown; of a variable: that of the unit
	uint32_t line;
	uint32_t die;              // 0: only the symbol table has it
	uint64_t address, size;    // size 0: unknown
	bool is_inline;
	bool is_alias;             // a name that DWARF does not have
	enum di_kprobe kprobe;
};
typedef void (*index_fn)(void *data, const struct index_hit *hit);
void index_each_function(const struct index *ix, const struct index_query *q, index_fn fn, void *data);
void index_each_inline(const struct index *ix, const struct index_query *q, bool once, index_fn fn, void *data);
// The function that contains the address; the last one before it if its size is unknown.
bool index_function_at(const struct index *ix, uint64_t address, struct index_hit *out);
// The first line after `line` at which a function of the file begins; 0x7fffffff: none. `file` must be the pointer of a
// hit.
int index_next_function(const struct index *ix, const char *file, uint32_t line);
// The offset of the unit's header, for dwarf_unit_at().
bool index_unit_of_address(const struct index *ix, uint64_t address, uint64_t *header);
bool index_unit_of_die(const struct index *ix, uint32_t die, uint64_t *header);
uint32_t index_find_type(const struct index *ix, const char *name, const int *tags); // tags end in 0; 0: none
uint32_t index_find_enumerator(const struct index *ix, const char *name);
void index_each_variable(const struct index *ix, const char *name, index_fn fn, void *data);
bool path_matches(const char *path, const char *pattern); // a glob for its tail, at a "/"

// func.c: finds the DIE of the function on first use. False: none.
bool dwarf_function(const struct di_function *f);
bool dwarf_variable(const struct di_function *f, const char *name, struct di_variable *out);
void dwarf_variable_names(const struct di_function *f, bool params_only, struct buf *list);
struct di_type *dwarf_return_type(const struct di_function *f);
// type.c
struct di_type *dwarf_find_type(struct di_module *m, enum di_kind kind, const char *name);
bool dwarf_find_enumerator(struct di_module *m, const char *name, int64_t *value);

// program.c
char *build_id_path(const char *dir, struct bytes id);        // "DIR/.build-id/12/3456.debug"
const struct elf_view *program_view(const struct di_module *m);      // the original file
// Finds a symbol of any type in the program or its separate debuginfo.
bool symbols_any(const struct di_module *m, const char *name, struct symbol *out);

// debuginfod.c: the path of the downloaded debuginfo for the module's build-id. NULL: not found, or no server is
// configured.
const char *debuginfod_fetch(const struct di_module *m);

// tls.c: adds operations that compute the address of the thread-local variable at `offset`. False: unknown.
bool tls_address(const struct di_module *m, uint64_t offset, struct di_location *out);

// global.c: finds a variable in the unit that contains `die`.
bool dwarf_unit_variable(struct di_module *m, const void *die, const char *name, struct di_variable *out);

// kmod.c: assigns sh_addr to the sections of a relocatable file, .text at 0.
void kmod_place(const struct elf_view *v);
// Also relocates its debug sections. False: damaged.
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
// Uses the DWARF of the file if its build-id is `id` (or if `id` is empty).
bool module_try_dwarf(struct di_module *m, const char *path, struct bytes id);
bool module_try_build_id(struct di_module *m, const char *dir, struct bytes id);
struct di_location location_register(int number);
struct di_location location_two_registers(int low, int high);
void location_add(struct di_location *l, enum di_opcode code, int64_t value);
void location_offset(struct di_location *l, int64_t offset);   // adds a constant to the top
// The location of a returned value of the type; DI_LOC_NONE if it is not in registers.
struct di_location location_return(const struct di_module *m, const struct di_type *t);
extern const char di_vector_register[];    // reason of a location that is in a vector register

// frame.c: how a function returns a struct or union: in one or two registers, or in memory whose address is in the
// first.
enum returns { RETURNS_UNKNOWN, RETURNS_WORD, RETURNS_TWO_WORDS, RETURNS_PLACE };
enum returns frame_returns(const struct di_module *m, const struct di_type *t);

#endif
