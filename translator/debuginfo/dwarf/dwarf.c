// SPDX-License-Identifier: GPL-2.0-or-later
// Opens a DWARF file and finds the compilation unit of an address or offset, and the function that begins at an
// address.
//
// libdw finds a unit by reading the headers of all units before it. A kernel's .debug_info has 3,000 headers in 160 MB,
// and reading them makes the pages around them resident. So each unit is opened with a libdw handle of its own, in
// which the first unit appears to extend up to it: the length in the first header is changed in a private copy of its
// page. .debug_aranges, which maps addresses to units, is parsed here for the same reason.
#include "debuginfo/dwarf/libdw_unit.h"
#include "debuginfo/dwarf/index.h"
#include "debuginfo/elf/relocate.h"
#include "debuginfo/elf/resources.h"

#include "util/root.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

#define SMALL (32u << 20)      // bytes of .debug_info

Elf *dwarf_elf(struct bytes file)
{
	Elf *elf = elf_memory((char *)file.at, file.len);

	if (elf)
		resource_add(RESOURCE_ELF, elf, 0);
	return elf;
}

struct dwarf_file *dwarf_file_open(struct di_module *m, const char *path, struct bytes map)
{
	struct dwarf_file *f = NEW(struct dwarf_file);
	struct bytes info;
	struct elf_view v;

	if (!elf_view_open(&v, map) || !elf_view_section(&v, ".debug_info", &info) || info.len < 16)
		return NULL;
	elf_version(EV_CURRENT);
	f->module = m;
	f->path = path;
	f->map = map;
	f->relocatable = relocate_is_needed(&v);
	f->info = (uint8_t *)info.at;
	f->info_len = info.len;
	memcpy(f->first_length, f->info, sizeof(f->first_length));
	map_writable((struct bytes){ f->info, sizeof(f->first_length) });
	elf_view_section(&v, ".debug_aranges", &f->aranges);
	f->elf = dwarf_elf(map);
	return f->elf ? f : NULL;
}

// Relocates the debug sections on first use. Returns false if they are damaged.
static bool relocate(struct dwarf_file *f)
{
	struct elf_view v;

	if (!f->relocatable || f->relocated || f->damaged)
		return !f->damaged;
	f->relocated = true;
	f->damaged = !elf_view_open(&v, f->map) || !relocate_debug(&v);
	if (f->damaged)
		diag_warning((struct loc){ 0 }, "the debuginfo in %s is damaged (relocations) and was not used", f->path);
	return !f->damaged;
}

// Makes the first unit appear to end at `offset`.
static bool hide_until(struct dwarf_file *f, uint64_t offset)
{
	uint32_t length = offset - 4;

	if (offset >= f->info_len || offset > 0xfffffff0u || (offset && offset < 16))
		return false;
	memcpy(f->info, offset ? (const void *)&length : f->first_length, 4);
	return true;
}

void dwarf_file_unload(const struct dwarf_file *f)
{
	map_unload(f->map, NULL);
}

// Ends the handles of all units, except of split ones, which the program's handle owns.
static void end_units(struct dwarf_file *f)
{
	bool whole = dwarf_is_small(f) || f->relocatable;

	resource_release(RESOURCE_FRAME, f->frame);
	f->frame = NULL;
	for vec_each(&f->units, u)
		resource_release(RESOURCE_DWARF_UNIT, (*u)->dwarf);
	f->units.n = 0;
	if (!whole)                // its handle for .debug_frame is used for all units
		return;
	resource_release(RESOURCE_CFI, f->cfi[1]);
	resource_release(RESOURCE_DWARF_FILE, f->whole);
	f->cfi[0] = f->cfi[1] = NULL;
	f->cfi_read = false;
	f->whole = NULL;
}

void dwarf_file_forget(struct dwarf_file *f)
{
	struct elf_view v;

	if (f->splits.n)
		return;
	end_units(f);
	f->types = (struct map){ 0 };
	f->epoch++;
	if (f->relocatable && elf_view_open(&v, f->map)) {
		relocate_undo(&v);
		f->relocated = false;
	} else {
		map_unload(f->map, NULL);
	}
}

void dwarf_file_unload_unused(struct dwarf_file *f)
{
	if (!f->units.n && !f->whole)
		dwarf_file_forget(f);
}

int dwarf_file_units(const struct dwarf_file *f)
{
	return f->units.n;
}

struct bytes dwarf_file_map(const struct dwarf_file *f)
{
	return f->map;
}

const char *dwarf_file_path(const struct dwarf_file *f)
{
	return f->path;
}

bool dwarf_is_small(const struct dwarf_file *f)
{
	return f->info_len < SMALL;
}

bool dwarf_is_skeleton(Dwarf_Die *unit)
{
	return dwarf_hasattr(unit, DW_AT_dwo_name) || dwarf_hasattr(unit, DW_AT_GNU_dwo_name);
}

static uint64_t end_of_units(Dwarf *d)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (!dwarf_nextcu(d, at, &next, &header, NULL, NULL, NULL))
		at = next;
	return at;
}

static const char *split_name(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_dwo_name, &attr) ?:
				dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr)) ?: "a .dwo file";
}

static void add_split(struct dwarf_file *f, Dwarf_Die *unit, uint64_t *base)
{
	struct split s = { .dwarf = dwarf_cu_getdwarf(unit->cu), .base = *base };

	if (resource_has(RESOURCE_DWARF_DWO, s.dwarf))
		return;
	s.size = end_of_units(s.dwarf);
	*base += (s.size + 15) & ~15ull;
	vec_push(&f->splits, s);
	resource_add(RESOURCE_DWARF_DWO, s.dwarf, s.base);
}

// libdw finds .dwo files by name, in the directory of the program or of the compilation.
void dwarf_splits(struct dwarf_file *f)
{
	uint64_t base = (f->info_len + 15) & ~15ull;
	Dwarf_Die unit, split;
	Dwarf_CU *cu = NULL;
	struct elf_view v;
	Dwarf *d;

	if (f->splits_tried)
		return;
	f->splits_tried = true;
	// Split units have their addresses in .debug_addr of the program.
	if (!f->module->program || !elf_view_open(&v, f->map) || !elf_view_header(&v, ".debug_addr"))
		return;
	d = dwarf_whole(f);
	while (d && !dwarf_get_units(d, cu, &cu, NULL, NULL, &unit, &split)) {
		struct skeleton s = { .of = split.cu, .unit = unit };

		if (!dwarf_is_skeleton(&unit))
			continue;
		if (split.cu && dwarf_tag(&split) > 0) {
			add_split(f, &split, &base);
			vec_push(&f->skeletons, s);
		} else if (!f->no_split) {
			f->no_split = str_dup(split_name(&unit));
		}
	}
}

Dwarf_Die *dwarf_die_of_ranges(struct dwarf_file *f, Dwarf_Die *unit)
{
	for vec_each(&f->skeletons, s)
		if (s->of == unit->cu)
			return &s->unit;
	return unit;
}

const char *dwarf_file_no_split(struct dwarf_file *f)
{
	dwarf_splits(f);
	return f->no_split;
}

void dwarf_file_splits(struct dwarf_file *f, int *n, uint64_t *size)
{
	dwarf_splits(f);
	*n = f->splits.n;
	*size = *n ? f->splits.at[*n - 1].base + f->splits.at[*n - 1].size : 0;
}

uint64_t dwarf_die_id(Dwarf_Die *die)
{
	Dwarf *d = dwarf_cu_getdwarf(die->cu);
	size_t base = 0;

	if (resource_has(RESOURCE_DWARF_ALT, d))
		base = 1ull << 40;
	else
		resource_find(RESOURCE_DWARF_DWO, d, &base);
	return base + dwarf_dieoffset(die);
}

static Dwarf *open_shared(const char *path, const uint8_t *id, size_t id_len)
{
	struct bytes file = map_file(path), other;
	struct elf_view v;
	Elf *elf;
	Dwarf *d;

	if (!file.at || !elf_view_open(&v, file))
		return NULL;
	other = elf_view_build_id(&v);
	if (other.len != id_len || memcmp(other.at, id, id_len)) {
		diag_warning((struct loc){ 0 }, "%s is of another build: not used", path);
		return NULL;
	}
	elf = dwarf_elf(file);
	d = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (d)
		resource_add(RESOURCE_DWARF_ALT, d, 0);
	return d;
}

// Searches the debuginfo directories by build-id.
static Dwarf *open_identified(const uint8_t *id, size_t id_len)
{
	di_names dirs = { 0 };
	Dwarf *d = NULL;

	di_debug_directories(&dirs);
	for (int i = 0; i < dirs.n && !d && id_len > 1; i++)
		if (*dirs.at[i] == '/')
			d = open_shared(build_id_path(dirs.at[i], (struct bytes){ id, id_len }), id, id_len);
	return d;
}

// Opens the supplementary file of dwz: .debug_gnualtlink has its path, relative to the directory of this file, and its
// build-id.
static void find_shared(struct dwarf_file *f)
{
	struct bytes link;
	struct elf_view v;
	const char *path;
	size_t len;

	if (f->shared_tried)
		return;
	f->shared_tried = true;
	if (!elf_view_open(&v, f->map) || !elf_view_section(&v, ".gnu_debugaltlink", &link))
		return;
	path = (const char *)link.at;
	len = strnlen(path, link.len);
	if (!len || len == link.len)
		return;
	if (*path != '/' && strchr(f->path, '/'))
		path = str_printf("%.*s/%s", (int)(strrchr(f->path, '/') - f->path), f->path, path);
	f->shared = open_shared(root_path(path), link.at + len + 1, link.len - len - 1);
	if (!f->shared)
		f->shared = open_identified(link.at + len + 1, link.len - len - 1);
	if (!f->shared)
		diag_warning((struct loc){ 0 }, "cannot use %s, the supplementary file (dwz) of the debuginfo of %s", path, f->path);
}

bool dwarf_file_shared(struct dwarf_file *f)
{
	find_shared(f);
	return f->shared;
}

Dwarf *dwarf_handle_at(struct dwarf_file *f, uint64_t offset)
{
	Dwarf_Die first;
	Dwarf *d;

	if (!relocate(f) || !hide_until(f, offset))
		return NULL;
	d = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	// Saves the length in the first unit's header.
	if (!d)
		return NULL;
	dwarf_offdie(d, 12, &first);
	find_shared(f);
	if (f->shared)
		dwarf_setalt(d, f->shared);
	return d;
}

Dwarf *dwarf_whole(struct dwarf_file *f)
{
	if (f->whole)
		return f->whole;
	f->whole = dwarf_handle_at(f, 0);
	if (!f->whole)
		return NULL;
	resource_add(RESOURCE_DWARF_FILE, f->whole, 0);
	return f->whole;
}

bool dwarf_text(const struct dwarf_file *f, uint64_t *start, uint64_t *end)
{
	const Elf64_Shdr *text;
	struct elf_view v;

	if (!elf_view_open(&v, f->map) || !(text = elf_view_header(&v, ".text")))
		return false;
	*start = text->sh_addr;
	*end = text->sh_addr + text->sh_size;
	for (int i = 1; i < v.n && ((const Elf64_Ehdr *)v.file.at)->e_type == ET_REL; i++)
		if (symbols_is_code(&v, &v.sections[i]) && v.sections[i].sh_addr + v.sections[i].sh_size > *end)
			*end = v.sections[i].sh_addr + v.sections[i].sh_size;
	return *end > *start;
}

static void open_unit(struct unit *u)
{
	struct dwarf_file *f = u->file;

	if (u->offset >= f->info_len) {
		dwarf_splits(f);
		for vec_each(&f->splits, s)
			if (u->offset - s->base < s->size) {
				u->dwarf = s->dwarf;
				u->base = s->base;
			}
		return;
	}
	u->dwarf = dwarf_is_small(f) ? dwarf_whole(f) : dwarf_handle_at(f, u->offset);
	if (u->dwarf && !dwarf_is_small(f))
		resource_add(RESOURCE_DWARF_UNIT, u->dwarf, 0);
}

struct unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset)
{
	struct unit *u;
	Dwarf_Off next;
	size_t header;

	for vec_each(&f->units, known)
		if ((*known)->offset == offset)
			return *known;
	u = NEW(struct unit);
	u->file = f;
	u->offset = offset;
	open_unit(u);
	offset -= u->base;
	if (!u->dwarf || dwarf_nextcu(u->dwarf, offset, &next, &header, NULL, NULL, NULL) ||
	    !dwarf_offdie(u->dwarf, offset + header, &u->die))
		return NULL;
	vec_push(&f->units, u);
	return u;
}

static uint64_t get(const uint8_t *p, int size)
{
	uint64_t v = 0;

	memcpy(&v, p, size);
	return v;
}

// .debug_aranges: sets of header (length, version, unit, address size, segment size), padding to
// 16, pairs (address, length), a pair of zeroes. 32-bit DWARF with 64-bit addresses only.
static bool find_in_aranges(struct dwarf_file *f, uint64_t address, uint64_t *unit)
{
	const uint8_t *p = f->aranges.at, *end = p + f->aranges.len;

	while (p && relocate(f) && end - p >= 16) {
		uint64_t len = get(p, 4);
		const uint8_t *next = p + 4 + len, *pair = p + 16;

		if (len > (size_t)(end - p - 4))
			return false;
		if (get(p + 4, 2) == 2 && p[10] == 8 && p[11] == 0)
			for (; next - pair >= 16; pair += 16)
				if (address - get(pair, 8) < get(pair + 8, 8)) {
					*unit = get(p + 6, 4);
					return true;
				}
		p = next;
	}
	return false;
}

// Used without .debug_aranges (clang): tests the ranges of each unit.
static bool find_by_scan(struct dwarf_file *f, uint64_t address, uint64_t *unit)
{
	Dwarf *d = dwarf_whole(f);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (d && !dwarf_get_units(d, cu, &cu, NULL, NULL, &die, NULL)) {
		if (dwarf_haspc(&die, address) != 1)
			continue;
		*unit = dwarf_dieoffset(&die) - dwarf_cuoffset(&die);
		return true;
	}
	return false;
}

struct unit *dwarf_unit_of_address(struct dwarf_file *f, uint64_t address)
{
	uint64_t unit;

	bool found = f->module->index ? index_unit_of_address(f->module->index, address, &unit) :
		     f->aranges.len ? find_in_aranges(f, address, &unit) : find_by_scan(f, address, &unit);

	return found ? dwarf_unit_at(f, unit) : NULL;
}

// A function that is split into hot and cold parts has ranges; the first range contains its entry.
bool dwarf_entry(Dwarf_Die *die, uint64_t *out)
{
	Dwarf_Addr base, start, end;

	if (!dwarf_entrypc(die, &start)) {
		*out = start;
		return true;
	}
	if (dwarf_ranges(die, 0, &base, &start, &end) <= 0)
		return false;
	*out = start;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct unit_function *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

typedef VEC(struct unit_function) unit_functions;

// Returns whether functions may be nested in the DIE: in functions of GNU C, in namespaces, and in local classes, such
// as that of a lambda. The kernel has none.
static bool may_nest(const struct unit *u, int tag)
{
	return u->file->module->is_user && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
					    tag == DW_TAG_namespace || tag == DW_TAG_module || dwarf_is_struct(tag));
}

// Adds the functions below the DIE.
static void read_children(const struct unit *u, Dwarf_Die *parent, int depth, unit_functions *out)
{
	enum { NESTED_MAX = 32 };
	struct unit_function f;
	int tag;

	if (depth > NESTED_MAX || dwarf_child(parent, &f.die))
		return;
	do {
		tag = dwarf_tag(&f.die);
		if (tag == DW_TAG_subprogram && dwarf_entry(&f.die, &f.address))
			vec_push(out, f);
		if (may_nest(u, tag))
			read_children(u, &f.die, depth + 1, out);
	} while (!dwarf_siblingof(&f.die, &f.die));
}

static void read_functions(struct unit *u)
{
	unit_functions v = { 0 };

	u->functions_read = true;
	read_children(u, &u->die, 0, &v);
	if (v.n)
		qsort(v.at, v.n, sizeof(v.at[0]), by_address);
	u->functions = v.at;
	u->nfunctions = v.n;
}

Dwarf_Die *dwarf_function_at(struct dwarf_file *f, uint64_t address)
{
	struct unit *u = dwarf_unit_of_address(f, address);
	struct unit_function key = { .address = address }, *found;

	if (!u)
		return NULL;
	if (!u->functions_read)
		read_functions(u);
	found = u->nfunctions ? bsearch(&key, u->functions, u->nfunctions, sizeof(key), by_address) : NULL;
	return found ? &found->die : NULL;
}

Dwarf_Die *dwarf_function_around(struct unit *u, uint64_t address)
{
	if (!u->functions_read)
		read_functions(u);
	for (int i = 0; i < u->nfunctions; i++)
		if (dwarf_haspc(&u->functions[i].die, address) == 1)
			return &u->functions[i].die;
	return NULL;
}

// With -fdebug-types-section a type is in a unit of its own, and the DIE that units refer to has only its signature.
bool dwarf_follow_signature(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die type;

	if (!dwarf_hasattr(die, DW_AT_signature))
		return true;
	if (!dwarf_attr(die, DW_AT_signature, &a) || !dwarf_formref_die(&a, &type))
		return false;
	*die = type;
	return true;
}

int dwarf_first_line(Dwarf_Die *function)
{
	Dwarf_Die unit;
	Dwarf_Addr address;
	Dwarf_Line *at;
	int line = 0;

	if (!dwarf_decl_line(function, &line) || !dwarf_entry(function, &address) ||
	    !dwarf_diecu(function, &unit, NULL, NULL))
		return line;
	at = dwarf_getsrc_die(&unit, address);
	return at && !dwarf_lineno(at, &line) ? line : 0;
}

bool dwarf_reference(Dwarf_Die *die, unsigned attr, Dwarf_Die *out)
{
	Dwarf_Attribute a;

	// DW_FORM_ref_addr may refer to another unit, which a handle for one unit does not contain.
	return dwarf_attr_integrate(die, attr, &a) &&
	       (a.form != DW_FORM_ref_addr || !resource_has(RESOURCE_DWARF_UNIT, dwarf_cu_getdwarf(a.cu))) &&
	       dwarf_formref_die(&a, out) && dwarf_follow_signature(out);
}

const char *dwarf_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name ? name : "";
}

bool dwarf_is_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C: case DW_LANG_C89: case DW_LANG_C99: case DW_LANG_C11: case DW_LANG_Mips_Assembler:
		return true;
	}
	return false;
}

bool dwarf_is_struct(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}
