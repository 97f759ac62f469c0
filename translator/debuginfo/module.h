// SPDX-License-Identifier: GPL-2.0-or-later
// One module (kernel, kernel module, program or library) and its sources; shared by the files of debuginfo/ only.
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
	const void *identity;      // equal for all types that are typedefs or qualified forms of one type
	struct di_type *target;    // target of a pointer that the translator made
	struct di_type *pointer;   // cached result of di_pointer_to()
};

struct member_ref {
	const char *name;          // "" anonymous
	uint64_t bit;              // offset in bits from the start of the aggregate
	int bit_size;              // 0: it is not a bit-field
	bool is_base;              // it is a base of a C++ class
	bool is_static;            // it is a static member of a C++ class
	const struct di_location *moving;      // see struct di_virtual; then `bit` is 0. NULL: the member is at
					       // `bit`
	const struct di_variant *variant;      // variant of a Rust enum
	uint32_t btf_id;           // BTF id of its type
	const void *die;           // DIE of the member, valid during the call
};
typedef bool (*member_fn)(void *data, const struct member_ref *m);  // returns true to stop

struct type_ops {
	struct di_type *(*target)(const struct di_type *t);
	// Returns whether a call of fn() stopped it.
	bool (*each_member)(const struct di_type *t, member_fn fn, void *data);
	struct di_type *(*member_type)(const struct di_type *t, const struct member_ref *m);
	void (*each_enumerator)(const struct di_type *t, di_enumerators *out);
};

struct func_priv {             // di_function.priv
	uint32_t btf_id;           // BTF id of the FUNC; 0: none
	bool btf_tried;
	bool alias;                // the name is an alias: DWARF has another name for this address
	bool own_scope;            // variables are those of the function itself, not of the copy inlined at pc
	bool ambiguous;            // several functions have the name, so BTF is ambiguous
	uint32_t die_offset;       // offset in .debug_info; 0: unknown
	const void *die;           // Dwarf_Die *, of the inlined copy if f is one; NULL: none
	const void *frame;         // Dwarf_Die *, of the function that contains the code; NULL: the same as `die`
	bool die_tried;
	unsigned epoch;            // epoch of the DWARF file in which die and frame are valid
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
	const char *source_path;   // the file from which functions and types were read
	const char *path;          // the file from which DWARF was read
	const struct arch *arch;
	bool is_user;              // a program or a library
	struct bytes build_id;
	struct symbols symbols;
	bool has_symbols;
	struct map *plain_names;   // symbol -> struct plain_name *; demangle.c
	uint64_t base;             // _stext
	struct bytes btf_bytes;    // BTF bytes of the module, which module_btf() parses
	const char *btf_path;
	struct btf_source *btf;    // accessed by module_btf()
	struct dwarf_file *dwarf;
	bool asked;                // a debuginfod server was queried
	struct index *index;       // accessed by module_index()
	bool index_tried;
	struct map systems;        // tracepoint -> TRACE_SYSTEM; tracepoint.c
	bool systems_loaded;
	struct map statics;        // address in text -> struct di_static *; global.c
	struct map no_globals;     // "name@file" of variables that DWARF lacks; global.c
	struct di_module *base_module; // kernel module: the kernel, whose BTF its split BTF extends
	struct map modules;            // kmod.c, in the kernel's di_module: name -> struct di_module *
	struct map *module_files;      // kmod.c, in the kernel's di_module: name -> path
	bool module_files_complete;    // /lib/modules/REL was searched, too
	struct program *program;       // program.c; NULL: the kernel or one of its modules
	struct elf_view view;          // program: the original file
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
extern const char di_other_register[];     // the reason for a location in a register that probes cannot read

#endif
