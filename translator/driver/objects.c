// SPDX-License-Identifier: GPL-2.0-or-later
// -d OBJECT: checks before the first pass that each object is a program, a library or a module of the kernel.
#include "driver/objects.h"

#include "debuginfo/debuginfo.h"
#include "util/diag.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

// -d adds symbols to stacks, so a missing object is only a warning.
static bool object_exists(struct session *s, const char *path)
{
	const char *why = "";
	char *full = session_program(s, path);

	if (full ? di_program(s, full, &why) != NULL :
	    !s->opt.user_runtime && !strchr(path, '/') && (!strcmp(path, "kernel") || di_kernel_module(s, path)))
		return true;
	if (full)
		why = *why ? why : "it is neither a program nor a library";
	else if (strchr(path, '/') || s->opt.user_runtime)
		why = "no such file";
	else
		why = str_printf("neither a file nor a module of the kernel%s", di_suggest_modules(s, path));
	diag_warning((struct loc){ 0 }, "missing unwind/symbol data for module \"%s\": -d %s: %s", path, path, why);
	return false;
}

void objects_check(struct session *s)
{
	int n = 0;

	for vec_each(&s->opt.objects, path)
		if (object_exists(s, *path))
			s->opt.objects.at[n++] = *path;
	s->opt.objects.n = n;
}
