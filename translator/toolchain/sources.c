// SPDX-License-Identifier: GPL-2.0-or-later
// Reads runtime/kernel/sources: the files of the runtime that form one compilation unit, and the families and symbols
// that need it.
#include "toolchain/tools.h"
#include "util/diag.h"

#include <errno.h>
#include <string.h>

// Parses one line: "NAME:" at its start is a family or a prefix of symbols; the files become includes.
static void parse_line(char *line, runtime_units *units)
{
	struct runtime_unit u = { 0 };
	struct buf includes = { 0 };
	char *words = NULL;

	line[strcspn(line, "#")] = '\0';
	for (char *w = strtok_r(line, " \t", &words); w; w = strtok_r(NULL, " \t", &words)) {
		if (str_ends(w, ":"))
			vec_push(&u.users, (const char *)str_ndup(w, strlen(w) - 1));
		else if (*w == '-')
			u.option = str_dup(w);
		else
			buf_printf(&includes, "#include \"%s\"\n", w);
	}
	u.text = buf_text(&includes);
	if (includes.len)
		vec_push(units, u);
}

void runtime_read_units(const struct session *s, runtime_units *units)
{
	const char *path = str_printf("%s/kernel/sources", s->runtime_dir);
	char *text = str_read_file(path, NULL), *lines = NULL;

	if (!text)
		die("cannot read %s: %s; the runtime is not installed (make install), or set SYSTEMTAP_RUNTIME",
		    path, strerror(errno));
	for (char *line = strtok_r(text, "\n", &lines); line; line = strtok_r(NULL, "\n", &lines))
		parse_line(line, units);
}

static bool any_begins(const struct map *symbols, const char *prefix)
{
	for map_each(symbols, e)
		if (str_starts(e->key, prefix))
			return true;
	return false;
}

bool runtime_unit_needed(const struct runtime_unit *u, const name_list *families, const struct map *symbols)
{
	for vec_each(&u->users, name)
		if (str_starts(*name, "stp_") ? !symbols || any_begins(symbols, *name) : str_in_list(families, *name))
			return true;
	return !u->users.n;
}
