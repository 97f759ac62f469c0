// SPDX-License-Identifier: GPL-2.0-or-later
// --example NAME: finds the script of that name below the examples directories.
#include "driver/example.h"

#include "util/diag.h"
#include "util/str.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

// A static variable, since nftw() passes no argument to its callback.
static struct {
	const char *name;
	VEC(const char *) found, all;
} search;

static bool is_tail(const char *path, const char *tail)
{
	size_t n = strlen(path), m = strlen(tail);

	return n > m && path[n - m - 1] == '/' && !strcmp(path + n - m, tail);
}

static int visit_file(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	const char *name = path + at->base;

	if (kind != FTW_F || !strstr(name, ".stp"))
		return 0;
	vec_push(&search.all, (const char *)str_dup(name));
	if (is_tail(path, search.name))
		vec_push(&search.found, (const char *)str_dup(path));
	return 0;
}

const char *example_path(const char *name)
{
	const char *dirs = getenv("XDG_DATA_DIRS"), *paths;
	struct buf list = { 0 };

	if (!dirs || !*dirs)
		dirs = "/usr/local/share:/usr/share";
	paths = dirs;
	search.name = name;
	for (; *dirs; dirs += strcspn(dirs, ":"), dirs += *dirs == ':')
		nftw(str_printf("%.*s/systemtap/examples", (int)strcspn(dirs, ":"), dirs), visit_file, 16, FTW_PHYS);
	if (search.found.n == 1)
		return search.found.at[0];
	for vec_each(&search.found, path)
		buf_printf(&list, "\n  %s", *path);
	if (search.found.n)
		die("example name \"%s\" is ambiguous:%s", name, buf_text(&list));
	if (!search.all.n)
		die("--example: no examples found in systemtap/examples below %s; on Debian they are in the package "
		    "systemtap-doc", paths);
	die("example \"%s\" not found%s", name, str_similar(name, search.all.at, search.all.n));
}
