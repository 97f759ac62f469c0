// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of DWARF: where they were written, their parameters and locals, what they return.
#include "debuginfo/dw.h"

#include "util/str.h"

#include <string.h>

static struct func_priv *priv(const struct di_function *f)
{
	return (struct func_priv *)f->priv;
}

static Dwarf_Die *die_of(const struct di_function *f)
{
	return (Dwarf_Die *)priv(f)->die;
}

// The path as kernel developers write it: below the directory of the sources. Build directories
// differ, and the source's may be one level up ("../../../fs/open.c").
static const char *source_path(Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attr;
	const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	const char *name = dwarf_name(unit), *tail;
	size_t len = dir ? strlen(dir) : 0;

	if (len && !strncmp(path, dir, len) && path[len] == '/')
		path += len + 1;
	while (str_starts(path, "../") || str_starts(path, "./"))
		path = strchr(path, '/') + 1;
	// The unit's own file: its name may tell where the sources' root is.
	if (*path == '/' && *name && *name != '/' && str_ends(path, name)) {
		tail = path + strlen(path) - strlen(name);
		if (tail[-1] == '/')
			return tail;
	}
	return path;
}

static void source_line(struct di_function *f, Dwarf_Die *die)
{
	const char *path = dwarf_decl_file(die);
	Dwarf_Die unit;
	int line;

	if (!path || dwarf_decl_line(die, &line) || !dwarf_diecu(die, &unit, NULL, NULL))
		return;
	f->file = str_dup(source_path(&unit, path));
	f->line = line;
}

bool dwarf_function(struct di_module *m, struct di_function *f, struct func_priv *p)
{
	if (!p->die_tried && f->has_address) {
		p->die = dwarf_function_at(m->dwarf, f->address);
		if (p->die)
			source_line(f, die_of(f));
	}
	p->die_tried = true;
	return p->die != NULL;
}

// Calls for the parameters and outermost locals, in order, until one call gives true.
static bool each_variable(const struct di_function *f,
			  bool (*fn)(const struct di_function *f, Dwarf_Die *v, void *data),
			  bool params_only, void *data)
{
	Dwarf_Die child;

	if (dwarf_child(die_of(f), &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (tag != DW_TAG_formal_parameter && (params_only || tag != DW_TAG_variable))
			continue;
		if (fn(f, &child, data))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

struct wanted {
	const char *name;
	struct di_variable *out;
};

static bool take_wanted(const struct di_function *f, Dwarf_Die *v, void *data)
{
	struct wanted *w = data;
	Dwarf_Die type;

	if (strcmp(dwarf_name(v), w->name) || !dwarf_reference(v, DW_AT_type, &type))
		return false;
	*w->out = (struct di_variable){
		.name = dwarf_name(v),
		.type = dwarf_make_type(f->module, &type),
		.is_param = dwarf_tag(v) == DW_TAG_formal_parameter,
		.loc = loc_of_variable(f->module, die_of(f), v, f->address),
	};
	return w->out->type != NULL;
}

bool dwarf_variable(const struct di_function *f, const char *name, struct di_variable *out)
{
	struct wanted w = { name, out };

	return each_variable(f, take_wanted, false, &w);
}

static bool list_name(const struct di_function *f, Dwarf_Die *v, void *data)
{
	if (*dwarf_name(v))
		buf_printf(data, "%s\n", dwarf_name(v));
	return false;
}

void dwarf_variable_names(const struct di_function *f, bool params_only, struct buf *list)
{
	each_variable(f, list_name, params_only, list);
}

struct di_type *dwarf_return_type(const struct di_function *f)
{
	Dwarf_Die type;

	return dwarf_reference(die_of(f), DW_AT_type, &type) ? dwarf_make_type(f->module, &type) : NULL;
}
