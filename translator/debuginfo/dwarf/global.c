// SPDX-License-Identifier: GPL-2.0-or-later
// Finds variables outside of functions, and symbols by which the loader can resolve fixed addresses.
//
// The kernel and its modules are loaded at varying addresses, so a link address is converted: in the kernel's image to
// an offset from _stext; in a module to an offset from a symbol of the same section, which the running kernel's symbol
// table contains.
#include "debuginfo/dwarf/libdw_unit.h"

#include "util/str.h"

#include <fnmatch.h>
#include <string.h>

// ---------------------------------------------------------------- addresses

static const Elf64_Shdr *section_of(const struct elf_view *v, uint64_t address, const char **name)
{
	const Elf64_Ehdr *h = (const void *)v->file.at;
	const Elf64_Shdr *names = &v->sections[h->e_shstrndx], *s;

	for (s = v->sections + 1; s < v->sections + v->n; s++) {
		if (!(s->sh_flags & SHF_ALLOC) || address - s->sh_addr >= s->sh_size)
			continue;
		*name = s->sh_name < names->sh_size ? (const char *)v->file.at + names->sh_offset + s->sh_name : "";
		return s;
	}
	return NULL;
}

struct symbol_search {
	const struct elf_view *v;
	const Elf64_Sym *table;
	size_t n;
	struct bytes strings;
};

static bool symbol_table(struct symbol_search *s)
{
	struct bytes table;

	if (!elf_view_section(s->v, ".symtab", &table) || !elf_view_section(s->v, ".strtab", &s->strings) ||
	    !s->strings.len || s->strings.at[s->strings.len - 1])
		return false;
	s->table = (const void *)table.at;
	s->n = table.len / sizeof(*s->table);
	return true;
}

static const char *symbol_name(const struct symbol_search *s, const Elf64_Sym *sym)
{
	return sym->st_name < s->strings.len ? (const char *)s->strings.at + sym->st_name : "";
}

static bool is_unique(const struct symbol_search *s, const char *name)
{
	int n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += !strcmp(symbol_name(s, &s->table[i]), name);
	return n == 1;
}

// Returns the symbol at the address, or the last one below it in its section; its name must be unique.
static const Elf64_Sym *closest_symbol(const struct symbol_search *s, const Elf64_Shdr *section, uint64_t address)
{
	bool relocatable = ((const Elf64_Ehdr *)s->v->file.at)->e_type == ET_REL;
	const Elf64_Sym *best = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const Elf64_Sym *sym = &s->table[i];
		uint64_t at = sym->st_value + (relocatable ? section->sh_addr : 0);
		int type = ELF64_ST_TYPE(sym->st_info);

		if (sym->st_shndx != section - s->v->sections || at > address || type == STT_SECTION ||
		    type == STT_FILE || (best && sym->st_value <= best->st_value))
			continue;
		if (*symbol_name(s, sym) && is_unique(s, symbol_name(s, sym)))
			best = sym;
	}
	return best;
}

static bool locate(struct di_module *m, const struct elf_view *v, uint64_t address, struct di_static *out)
{
	struct symbol_search search = { .v = v };
	const Elf64_Shdr *section;
	const Elf64_Sym *symbol = NULL;
	const char *name = "";

	section = section_of(v, address, &name);
	if (!section)
		return false;
	out->percpu = !strcmp(name, ".data..percpu");
	if (m->base_module) {
		if (symbol_table(&search))
			symbol = closest_symbol(&search, section, address);
		if (!symbol)
			return false;
		out->module = m->name;
		out->home = m;
		out->symbol = symbol_name(&search, symbol);
		out->offset = address - section->sh_addr - symbol->st_value;
		return true;
	}
	out->symbol = str_printf("%#llx", (unsigned long long)address);
	// Per-CPU variables that are linked at 0 are not relocated.
	out->is_absolute = out->percpu && address < m->base;
	out->offset = out->is_absolute ? address : 0;
	out->base_offset = out->is_absolute ? 0 : address - m->base;
	return out->is_absolute || (m->base && address >= m->base);
}

const struct di_static *di_find_static(struct di_module *m, uint64_t address)
{
	char *key = str_printf("%llx", (unsigned long long)address);
	struct di_static *found = map_get(&m->statics, key);
	struct elf_view v;

	if (found)
		return found;
	found = NEW(struct di_static);
	if (m->is_user) {
		found->symbol = m->name;
		found->offset = address;
		found->user = true;
		found->home = m;
	} else if (!m->dwarf || !elf_view_open(&v, m->dwarf->map) || !locate(m, &v, address, found)) {
		return NULL;
	}
	map_put(&m->statics, key, found);
	return found;
}

const struct di_static *di_find_anchor(struct di_module *m, const struct di_code_part *part, uint64_t *before)
{
	enum { INTO = 16 };                    // an offset of 0 from _stext would mean unknown
	const struct di_static *found = NULL;
	struct symbol_search search;
	struct elf_view v;

	*before = INTO;
	if (!m->base_module)
		return di_find_static(m, part->address + INTO);
	search.v = &v;
	if (!m->dwarf || !elf_view_open(&v, m->dwarf->map) || !symbol_table(&search))
		return NULL;
	for (size_t i = 0; i < search.n && !found; i++) {
		const Elf64_Sym *sym = &search.table[i];
		int type = ELF64_ST_TYPE(sym->st_info);

		*before = sym->st_value;
		if (sym->st_shndx < v.n && v.sections[sym->st_shndx].sh_addr == part->address && type == STT_FUNC)
			found = di_find_static(m, part->address + sym->st_value);
	}
	return found;
}

const struct di_static *di_find_thread(struct di_module *m, uint64_t offset)
{
	struct di_static *found = NEW(struct di_static);

	found->symbol = m->name;
	found->thread = true;
	found->offset = offset;
	return found;
}

// ---------------------------------------------------------------- variables

// Returns the address of the variable, or of its symbol if the DIE is only a declaration.
static bool fill(struct di_module *m, Dwarf_Die *unit, Dwarf_Die *die, struct di_variable *out)
{
	struct symbol symbol;
	Dwarf_Die type;

	if (!dwarf_reference(die, DW_AT_type, &type))
		return false;
	*out = (struct di_variable){ .name = dwarf_name(die), .type = dwarf_make_type(m, &type) };
	if (!out->type)
		return false;
	out->loc = loc_of_variable(m, unit, die, 0);
	if (out->loc.kind != DI_LOC_NONE || out->loc.why)
		return true;
	if (!dwarf_hasattr_integrate(die, DW_AT_external) || !m->has_symbols ||
	    !symbols_lookup(&m->symbols, out->name, &symbol))
		return false;
	out->loc = (struct di_location){ .kind = DI_LOC_ADDRESS };
	location_add(&out->loc, DI_OP_STATIC, symbol.address);
	return true;
}

static bool is_in_file(Dwarf_Die *unit, const char *file)
{
	const char *name = dwarf_name(unit);

	return !file || !fnmatch(file, name, 0) || !fnmatch(str_printf("*/%s", file), name, 0);
}

// Returns whether the variable was declared in the file: link-time optimisation merges several units into one.
static bool is_of_file(Dwarf_Die *unit, Dwarf_Die *variable, const char *file)
{
	Dwarf_Die origin, home;

	return is_in_file(unit, file) || (dwarf_reference(variable, DW_AT_abstract_origin, &origin) &&
					  dwarf_diecu(&origin, &home, NULL, NULL) && is_in_file(&home, file));
}

#define NAMESPACES_MAX 16

static bool find_below(struct di_module *m, Dwarf_Die *unit, Dwarf_Die *parent, const char *name, const char *file,
		       struct di_variable *out, int depth)
{
	Dwarf_Die child;

	if (depth > NAMESPACES_MAX || dwarf_child(parent, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_namespace && find_below(m, unit, &child, name, file, out, depth + 1))
			return true;
		if (tag == DW_TAG_variable && !strcmp(dwarf_name(&child), name) && is_of_file(unit, &child, file) &&
		    fill(m, unit, &child, out))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static bool find_in_unit(struct di_module *m, Dwarf_Die *unit, const char *name, const char *file,
			 struct di_variable *out)
{
	return find_below(m, unit, unit, name, file, out, 0);
}

bool dwarf_unit_variable(struct di_module *m, const void *die, const char *name, struct di_variable *out)
{
	Dwarf_Die unit;

	return dwarf_diecu((Dwarf_Die *)die, &unit, NULL, NULL) && find_in_unit(m, &unit, name, NULL, out);
}

// A static variable of a function is found by its name only if no other variable matches.
static bool find_in_functions(struct di_module *m, Dwarf_Die *parent, const char *name, struct di_variable *out,
			      int depth)
{
	Dwarf_Die child;

	if (depth > 16 || dwarf_child(parent, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_variable && depth && !strcmp(dwarf_name(&child), name) &&
		    fill(m, parent, &child, out) && out->loc.ops.n && out->loc.ops.at[0].code == DI_OP_STATIC)
			return true;
		if ((tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) &&
		    find_in_functions(m, &child, name, out, depth + 1))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool di_find_global(struct di_module *m, const char *name, const char *file, struct di_variable *out)
{
	Dwarf *whole = m->dwarf ? dwarf_whole(m->dwarf) : NULL;
	const char *key = str_printf("%s@%s", name, file ? file : "");
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;

	// A miss walks all units, which takes 50 ms for a kernel, and @defined asks again for each probe.
	if (!whole || map_get(&m->no_globals, key))
		return false;
	while (!dwarf_get_units(whole, cu, &cu, NULL, NULL, &unit, &split)) {
		if (split.cu)
			unit = split;
		if (!is_in_file(&unit, file) && strcmp(dwarf_name(&unit), "<artificial>"))
			continue;
		if (find_in_unit(m, &unit, name, file, out) ||
		    (file && is_in_file(&unit, file) && find_in_functions(m, &unit, name, out, 0)))
			return true;
	}
	map_put(&m->no_globals, key, m);
	return false;
}

bool di_module_exports(const struct di_module *m, const char *symbol)
{
	struct symbol entry;

	return m->has_symbols && symbols_lookup(&m->symbols, str_printf("__ksymtab_%s", symbol), &entry);
}

bool di_lacks_variable(const struct di_module *m, const char *symbol)
{
	struct elf_view v;
	uint64_t address;

	return m->dwarf && elf_view_open(&v, m->dwarf->map) &&
	       !elf_view_variable(&v, ".symtab", ".strtab", symbol, &address);
}
