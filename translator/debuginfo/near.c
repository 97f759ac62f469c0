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

struct all { struct di_module *m; enum di_sort sort; };

static void add_all(const void *from, name_list *out)
{
	static const enum index_table tables[] = {
		[DI_TYPES] = IX_TYPES, [DI_VARIABLES] = IX_VARIABLES, [DI_ENUMERATORS] = IX_ENUMERATORS, [DI_FILES] = IX_FILES,
	};
	const struct all *all = from;
	struct di_module *m = all->m;
	enum di_sort sort = all->sort;
	struct index *ix = module_index(m);
	struct btf_source *btf = ix ? NULL : module_btf(m);

	if (ix)
		index_each_name(ix, tables[sort], add, out);
	else if (btf && (sort == DI_TYPES || sort == DI_ENUMERATORS))
		btf_each_name(btf, sort == DI_ENUMERATORS, add, out);
}

const char *di_similar(struct di_module *m, enum di_sort sort, const char *wanted)
{
	static const char *const words[] = { "struct ", "union ", "enum " };
	struct all all = { m, sort };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_starts(wanted, words[i]))
			wanted += strlen(words[i]);
	return diag_similar(wanted, add_all, &all);
}

static void add_modules(const void *session, name_list *out)
{
	di_kernel_module_names((struct session *)session, out);
	vec_push(out, "kernel");
}

const char *di_similar_modules(struct session *s, const char *wanted)
{
	return diag_similar(wanted, add_modules, s);
}
