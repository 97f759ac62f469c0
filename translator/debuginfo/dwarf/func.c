// SPDX-License-Identifier: GPL-2.0-or-later
// Reads functions from DWARF: declaration file and line, parameters and locals, return types.
#include "debuginfo/dwarf/frame.h"
#include "debuginfo/dwarf/index.h"

#include "util/str.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define SCOPES_MAX 64          // maximum nesting of blocks

static struct func_priv *priv(const struct di_function *f)
{
	return (struct func_priv *)f->priv;
}

static Dwarf_Die *die_of(const struct di_function *f)
{
	return (Dwarf_Die *)priv(f)->die;
}

// Returns the path without "..": "lib/zstd/decompress/../common/mem.h" becomes "lib/zstd/common/mem.h".
static const char *without_parents(const char *path)
{
	char *out = str_dup(path), *up, *dir;

	while ((up = strstr(out, "/../"))) {
		*up = 0;
		dir = strrchr(out, '/');
		dir = dir ? dir + 1 : out;
		if (!*dir || !strcmp(dir, ".."))
			return path;
		memmove(dir, up + 4, strlen(up + 4) + 1);
	}
	return out;
}

// Converts a path to one relative to the root of the source tree, as kernel developers write it. Build directories
// differ, and the source may be one level up ("../../../fs/open.c").
const char *dwarf_source_path(Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attr;
	const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	const char *name = dwarf_name(unit), *tail;
	size_t len = dir ? strlen(dir) : 0;

	if (len && !strncmp(path, dir, len) && path[len] == '/')
		path += len + 1;
	while (str_starts(path, "../") || str_starts(path, "./"))
		path = strchr(path, '/') + 1;
	// The name of the unit's own file may show where the root of the source tree is.
	if (*path == '/' && *name && *name != '/' && str_ends(path, name)) {
		tail = path + strlen(path) - strlen(name);
		if (tail[-1] == '/')
			return tail;
	}
	return strstr(path, "/../") ? without_parents(path) : path;
}

static void source_line(struct di_function *f, Dwarf_Die *die)
{
	const char *path = dwarf_decl_file(die);
	Dwarf_Die unit;
	int line;

	if (!path || dwarf_decl_line(die, &line) || !dwarf_diecu(die, &unit, NULL, NULL))
		return;
	f->file = str_dup(dwarf_source_path(&unit, path));
	f->line = line;
}

Dwarf_Die *dwarf_die_at(struct di_module *m, uint32_t offset)
{
	Dwarf_Die *die = NEW(Dwarf_Die);
	uint64_t header;
	struct unit *u;

	if (!module_index(m) || !index_unit_of_die(m->index, offset, &header))
		return NULL;
	u = dwarf_unit_at(m->dwarf, header);
	return u && dwarf_offdie(u->dwarf, offset - u->base, die) ? die : NULL;
}

// Returns the function that contains the inlined copy. It usually begins at the symbol, and is then found without a
// walk through the unit.
static Dwarf_Die *frame_around(const struct di_function *copy)
{
	Dwarf_Die *function = dwarf_function_at(copy->module->dwarf, copy->symbol_address);
	struct unit *u;

	if (function && dwarf_haspc(function, copy->address) == 1)
		return function;
	u = dwarf_unit_of_address(copy->module->dwarf, copy->address);
	return u ? dwarf_function_around(u, copy->address) : NULL;
}

bool dwarf_function(const struct di_function *f)
{
	struct func_priv *p = priv(f);

	if (p->die && p->epoch != f->module->dwarf->epoch) {
		p->die = p->frame = NULL;
		p->die_tried = false;
	}
	if (p->die || p->die_tried || !f->module->dwarf || !f->has_address)
		return p->die;
	p->die_tried = true;
	p->epoch = f->module->dwarf->epoch;
	if (p->die_offset) {
		p->die = dwarf_die_at(f->module, p->die_offset);
		if (p->die && f->is_inline)
			p->frame = frame_around(f);
	} else {           // f was found without DWARF, or by its symbol alone
		p->die = dwarf_function_at(f->module->dwarf, f->address);
		if (p->die && !f->file)
			source_line((struct di_function *)f, die_of(f));
	}
	return p->die;
}

const char *di_compile_directory(const struct di_function *f)
{
	Dwarf_Attribute attr;
	const char *dir;
	Dwarf_Die unit;

	if (!dwarf_function(f) || !dwarf_diecu(die_of(f), &unit, NULL, NULL))
		return NULL;
	dir = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attr));
	return dir ? str_dup(dir) : NULL;
}

// ---------------------------------------------------------------- names

// Returns the declaration that a DIE completes; its parents are the namespaces and classes.
static Dwarf_Die declaration(Dwarf_Die die)
{
	Dwarf_Die other;

	for (int i = 0; i < 4 && (dwarf_reference(&die, DW_AT_abstract_origin, &other) ||
				  dwarf_reference(&die, DW_AT_specification, &other)); i++)
		die = other;
	return die;
}

// Returns "ns::Box"; "" for a function at file scope.
static const char *scope_name(const struct di_function *f)
{
	Dwarf_Die die = declaration(*die_of(f)), *scopes = NULL;
	int n = dwarf_getscopes_die(&die, &scopes);
	struct buf b = { 0 };

	for (int i = n - 1; i > 0; i--) {
		int tag = dwarf_tag(&scopes[i]);
		const char *name = dwarf_name(&scopes[i]);

		if (tag == DW_TAG_namespace || dwarf_is_struct(tag))
			buf_printf(&b, "%s%s", b.len ? "::" : "", *name ? name : "(anonymous namespace)");
	}
	free(scopes);
	return buf_text(&b);
}

bool di_function_in(const struct di_function *f, const char *scope)
{
	const char *name = dwarf_function(f) ? scope_name(f) : f->scope;

	while (name && fnmatch(scope, name, 0)) {
		name = strstr(name, "::");
		name = name ? name + 2 : NULL;
	}
	return name && *name;
}

// ---------------------------------------------------------------- scopes

static uint64_t pc_of(const struct di_function *f)
{
	return f->pc ? f->pc : f->address;
}

static Dwarf_Die *frame_of(const struct di_function *f)
{
	return priv(f)->frame ? (Dwarf_Die *)priv(f)->frame : die_of(f);
}

// Scopes at an address: a function, a block in it, a function inlined there, and so on, outermost first.
struct scopes {
	Dwarf_Die at[SCOPES_MAX];
	int n;
};

// Appends the scopes in the last scope that contain the pc. Two sibling blocks may contain it, since compilers that
// move code do not always nest them.
static void add_scopes_below(struct scopes *s, uint64_t pc, bool inlined)
{
	Dwarf_Die child;

	if (dwarf_child(&s->at[s->n - 1], &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (s->n == SCOPES_MAX || !(tag == DW_TAG_lexical_block || (inlined && tag == DW_TAG_inlined_subroutine)) ||
		    dwarf_haspc(&child, pc) != 1)
			continue;
		s->at[s->n++] = child;
		add_scopes_below(s, pc, inlined);
	} while (!dwarf_siblingof(&child, &child));
}

static struct scopes scopes_of(const struct di_function *f)
{
	struct scopes s = { .at[0] = *die_of(f), .n = 1 };

	if (f->pc)
		add_scopes_below(&s, pc_of(f), !priv(f)->own_scope);
	return s;
}

static bool is_variable(Dwarf_Die *die, bool params_only)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_formal_parameter || (!params_only && tag == DW_TAG_variable);
}

// Finds a variable directly in the scope. If several have the name, the one with a location at the pc is preferred.
static bool variable_in(const struct di_function *f, Dwarf_Die *scope, const char *name,
			struct di_variable *out)
{
	Dwarf_Die v, type;
	bool found = false;

	if (dwarf_child(scope, &v))
		return false;
	do {
		struct di_variable var;

		if (!is_variable(&v, false) || strcmp(dwarf_name(&v), name) ||
		    !dwarf_reference(&v, DW_AT_type, &type))
			continue;
		var = (struct di_variable){
			.name = dwarf_name(&v),
			.type = dwarf_make_type(f->module, &type),
			.is_param = dwarf_tag(&v) == DW_TAG_formal_parameter,
			.loc = loc_of_variable(f->module, frame_of(f), &v, pc_of(f)),
		};
		if (var.type)
			frame_is_unset(f, &v, &var);
		if (!var.type || (found && var.loc.kind == DI_LOC_NONE))
			continue;
		*out = var;
		found = true;
	} while (!dwarf_siblingof(&v, &v));
	return found;
}

// Finds a variable that was optimised out entirely: only the abstract instance has it.
static bool variable_of_origin(const struct di_function *f, Dwarf_Die *scope, const char *name,
			       struct di_variable *out)
{
	Dwarf_Die origin;

	if (!dwarf_reference(scope, DW_AT_abstract_origin, &origin) || !variable_in(f, &origin, name, out))
		return false;
	return true;
}

bool dwarf_variable(const struct di_function *f, const char *name, struct di_variable *out)
{
	struct scopes s = scopes_of(f);

	for (int i = s.n - 1; i >= 0; i--)
		if (variable_in(f, &s.at[i], name, out) || variable_of_origin(f, &s.at[i], name, out))
			return true;
	return dwarf_unit_variable(f->module, die_of(f), name, out);
}

bool dwarf_function_enumerator(const struct di_function *f, const char *name, int64_t *value)
{
	struct scopes s = scopes_of(f);

	for (int i = s.n - 1; i >= 0; i--)
		if (dwarf_scope_enumerator(&s.at[i], name, value))
			return true;
	return false;
}

static void list_names(Dwarf_Die *scope, bool params_only, name_list *list)
{
	Dwarf_Die v;

	if (dwarf_child(scope, &v))
		return;
	do
		if (is_variable(&v, params_only) && *dwarf_name(&v) && !str_in_list(list, dwarf_name(&v)))
			vec_push(list, dwarf_name(&v));
	while (!dwarf_siblingof(&v, &v));
}

void dwarf_variable_names(const struct di_function *f, bool params_only, name_list *out)
{
	struct scopes s = scopes_of(f);
	int first = s.n - 1;

	while (first > 0 && dwarf_tag(&s.at[first]) != DW_TAG_inlined_subroutine)
		first--;
	for (int i = first; i < s.n; i++)
		list_names(&s.at[i], params_only, out);
}

struct di_type *dwarf_return_type(const struct di_function *f)
{
	Dwarf_Die type;

	return dwarf_reference(die_of(f), DW_AT_type, &type) ? dwarf_make_type(f->module, &type) : NULL;
}
