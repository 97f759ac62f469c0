// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the files of debuginfo/ only: one module (kernel, kernel module, program or library) and its sources.
#ifndef DEBUGINFO_MODULE_H
#define DEBUGINFO_MODULE_H

#include "debuginfo/arch.h"
#include "debuginfo/debuginfo.h"
#include "debuginfo/elf/symbols.h"

struct type_ops;
struct type_priv {             // di_type.priv
	const struct type_ops *ops;
	uint32_t btf_id;
	const void *die;           // Dwarf_Die *
	const void *identity;      // equal in all types that are typedefs of one, or qualify it
	struct di_type *target;    // of a pointer that the translator made
	struct di_type *pointer;   // cached result of di_pointer_to()
};

struct member_ref {
	const char *name;          // "" anonymous
	uint64_t bit;              // from the start of the aggregate
	int bit_size;              // 0: no bit-field
	bool is_base;              // a C++ class' base
	bool is_static;            // a C++ class' static member
	const struct di_location *moving;      // see struct di_virtual; `bit` is 0; NULL: at `bit`
	const struct di_variant *variant;      // of a Rust enum
	uint32_t btf_id;           // of its type
	const void *die;           // of the member, valid during the call
};
typedef bool (*member_fn)(void *data, const struct member_ref *m);  // true: stop

struct type_ops {
	struct di_type *(*target)(const struct di_type *t);
	// Returns true if fn() stopped it.
	bool (*each_member)(const struct di_type *t, member_fn fn, void *data);
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
	unsigned epoch;            // of the DWARF file, in which die and frame are valid
};

struct btf_source;             // btf.c
struct dwarf_file;             // dwarf.c
struct index;                  // index.c

struct debuginfo {             // session.debuginfo
	struct di_module *kernel;
	struct map programs;       // program.c: path -> struct di_module *
};
struct debuginfo *debuginfo_of(struct session *s);    // module.c

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
	struct map *plain_names;   // symbol -> struct plain_name *; demangle.c
	uint64_t base;             // _stext
	struct bytes btf_bytes;    // BTF of the module, which module_btf() parses
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
	bool module_files_complete;    // /lib/modules/REL was searched too
	struct program *program;       // program.c; NULL: the kernel or one of its modules
	struct elf_view view;          // of a program: the original file
};
struct btf_source *module_btf(struct di_module *m);   // NULL: none, or damaged
// Uses the DWARF of the file if its build-id is `id` (or if `id` is empty).
bool module_try_dwarf(struct di_module *m, const char *path, struct bytes id);
bool module_try_build_id(struct di_module *m, const char *dir, struct bytes id);

// kmod.c: returns the path of the file of a kernel module; NULL: not installed.
char *kmod_path(struct session *s, const char *name);

// location.c
struct di_location location_register(int number);
struct di_location location_two_registers(int low, int high);
void location_add(struct di_location *l, enum di_opcode code, int64_t value);
void location_offset(struct di_location *l, int64_t offset);   // adds a constant to the top
extern const char di_other_register[];     // reason of a location in a register that probes cannot read

#endif
