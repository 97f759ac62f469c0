// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the current name of a kernel function or member that was renamed, and the public replacement of a private
// function (renamed.def), for messages.
#include "elab/renamed.h"
#include "util/str.h"

#include <fnmatch.h>
#include <string.h>

static const struct row { const char *type, *names; } rows[] = {
#define FUNCTION(names) { NULL, names },
#define MEMBER(type, names) { type, names },
#define PRIVATE(glob, instead)
#include "elab/renamed.def"
#undef FUNCTION
#undef MEMBER
#undef PRIVATE
};

static const struct { const char *glob, *instead; } private_names[] = {
#define FUNCTION(names)
#define MEMBER(type, names)
#define PRIVATE(glob, instead) { glob, instead },
#include "elab/renamed.def"
};

// Returns the next of the names that are separated by spaces; NULL at the end.
static char *next_name(const char **names)
{
	size_t n = strcspn(*names, " ");
	char *name = str_ndup(*names, n);

	*names += n + ((*names)[n] == ' ');
	return n ? name : NULL;
}

static bool has_name(const struct row *row, const char *name)
{
	const char *names = row->names, *other;

	while ((other = next_name(&names)))
		if (!strcmp(other, name))
			return true;
	return false;
}

static const char *clause(const char *name)
{
	return str_printf(": this kernel has \"%s\" instead", name);
}

const char *renamed_function(struct di_module *m, const char *name)
{
	const char *names, *other;

	for (const struct row *row = rows; row < END(rows); row++) {
		if (row->type || !has_name(row, name))
			continue;
		for (names = row->names; (other = next_name(&names));) {
			di_functions found = { 0 };

			di_find_functions(m, other, NULL, DI_INLINES_ONCE, &found);
			if (found.n)
				return clause(other);
		}
	}
	return "";
}

const char *renamed_private(const char *kind, const char *name)
{
	if (*name != '_')
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(private_names); i++)
		if (!fnmatch(private_names[i].glob, name, 0))
			return str_printf("%s of this name are private in SystemTap's library; use %s", kind,
					  private_names[i].instead);
	return str_printf("%s whose names begin with \"_\" are private in SystemTap's library; use public ones (%s)", kind,
			  !strcmp(kind, "functions") ? "stap --dump-functions lists them" : "stap -L POINT lists those of a point");
}

// Only the first member of a path is looked up.
const char *renamed_member(const struct di_type *type, const char *name)
{
	const char *names, *other;
	struct di_member member;

	for (const struct row *row = rows; row < END(rows); row++) {
		if (!row->type || strcmp(row->type, type->name) || !has_name(row, name))
			continue;
		for (names = row->names; (other = next_name(&names));)
			if (di_find_member(type, str_ndup(other, strcspn(other, "-")), &member))
				return clause(other);
	}
	return "";
}
