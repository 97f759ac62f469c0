// SPDX-License-Identifier: GPL-2.0-or-later
// Suggests names of debuginfo that are similar to a name that was not found, for messages. Reads all names of one
// kind, so it does nothing while messages are suppressed.
#include "debuginfo/btf/btf_source.h"
#include "debuginfo/dwarf/index_format.h"

#include "util/diag.h"
#include "util/str.h"

#include <string.h>

static void add(void *data, const char *name)
{
	if (*name)
		vec_push((di_names *)data, name);
}

struct name_source { struct di_module *m; enum di_name_kind kind; };

static void add_names(const void *from, name_list *out)
{
	static const enum index_table tables[] = {
		[DI_TYPES] = IX_TYPES, [DI_VARIABLES] = IX_VARIABLES, [DI_ENUMERATORS] = IX_ENUMERATORS, [DI_FILES] = IX_FILES,
	};
	const struct name_source *names = from;
	struct di_module *m = names->m;
	enum di_name_kind kind = names->kind;
	struct index *ix = module_index(m);
	struct btf_source *btf = ix ? NULL : module_btf(m);

	if (ix)
		index_each_name(ix, tables[kind], add, out);
	else if (btf && (kind == DI_TYPES || kind == DI_ENUMERATORS))
		btf_each_name(btf, kind == DI_ENUMERATORS, add, out);
}

const char *di_suggest(struct di_module *m, enum di_name_kind kind, const char *wanted)
{
	static const char *const words[] = { "struct ", "union ", "enum " };
	struct name_source source = { m, kind };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_starts(wanted, words[i]))
			wanted += strlen(words[i]);
	return diag_similar(wanted, add_names, &source);
}

static void add_modules(const void *session, name_list *out)
{
	di_kernel_module_names((struct session *)session, out);
	vec_push(out, "kernel");
}

const char *di_suggest_modules(struct session *s, const char *wanted)
{
	return diag_similar(wanted, add_modules, s);
}
