// SPDX-License-Identifier: GPL-2.0-or-later
// Names that debuginfo has and that are spelt nearly like one that it hasn't, for messages. All names of
// a sort are read for it, so nothing is done while messages are not shown.
#include "debuginfo/index.h"

#include "util/diag.h"
#include "util/str.h"

#include <string.h>

static void add(void *data, const char *name)
{
	if (*name)
		vec_push((di_names *)data, name);
}

static void add_all(struct di_module *m, enum di_sort sort, di_names *out)
{
	static const enum index_table tables[] = {
		[DI_TYPES] = IX_TYPES, [DI_VARIABLES] = IX_VARIABLES, [DI_ENUMERATORS] = IX_ENUMERATORS, [DI_FILES] = IX_FILES,
	};
	struct index *ix = module_index(m);
	struct btf_source *btf = ix ? NULL : module_btf(m);

	if (ix)
		index_each_name(ix, tables[sort], add, out);
	else if (btf && (sort == DI_TYPES || sort == DI_ENUMERATORS))
		btf_each_name(btf, sort == DI_ENUMERATORS, add, out);
}

static const char *similar(const char *wanted, const di_names *names)
{
	char *near = str_nearest(wanted, names->at, names->n);

	return near ? str_printf(" (similar: %s)", near) : "";
}

const char *di_similar(struct di_module *m, enum di_sort sort, const char *wanted)
{
	static const char *const words[] = { "struct ", "union ", "enum " };
	di_names names = { 0 };

	if (diag_is_quiet())
		return "";
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_starts(wanted, words[i]))
			wanted += strlen(words[i]);
	add_all(m, sort, &names);
	return similar(wanted, &names);
}

const char *di_similar_modules(struct session *s, const char *wanted)
{
	di_names names = { 0 };

	if (diag_is_quiet())
		return "";
	di_kernel_module_names(s, &names);
	vec_push(&names, "kernel");
	return similar(wanted, &names);
}
