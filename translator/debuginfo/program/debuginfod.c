// SPDX-License-Identifier: GPL-2.0-or-later
// Downloads debuginfo by build-id from the servers in DEBUGINFOD_URLS: build-id -> path of the file in the cache of
// libdebuginfod. Without the library, or without DEBUGINFOD_URLS, nothing is downloaded.
//
// Progress is reported on standard error: continuously on a terminal, else once a file.
#include "debuginfo/module.h"
#include "debuginfo/program/program.h"

#include "target/kernel.h"
#include "util/debuginfod_client.h"
#include "util/progress.h"
#include "util/str.h"

#include <stdlib.h>
#include <unistd.h>

struct transfer { const char *name; bool reported; };

static bool usable(void)
{
	static bool reported;

	if (!debuginfod_wanted() || debuginfod_loaded())
		return debuginfod_wanted();
	if (!reported)
		diag_warning((struct loc){ 0 }, "DEBUGINFOD_URLS is set, but libdebuginfod is not installed "
			     "(package libdebuginfod1); debuginfo is not downloaded");
	reported = true;
	return false;
}

static void report(void *data, long done, long all)
{
	struct transfer *t = data;

	if (all > 0)
		progress("downloading the debuginfo of %s: %.1f of %.1f MB", t->name, done / 1e6, all / 1e6);
	else
		progress("asking debuginfod for the debuginfo of %s", t->name);
	if (!t->reported && !isatty(STDERR_FILENO))
		diag_output(str_printf("Asking debuginfod for the debuginfo of %s.\n", t->name));
	t->reported = true;
}

const char *debuginfod_fetch(const struct di_module *m)
{
	struct transfer t = { 0 };
	const char *path;
	char *found;
	int fd;

	if (m->build_id.len < 8 || !usable())
		return NULL;
	t.name = m->program ? m->name : m->base_module ? str_printf("the module %s", m->name) :
		 str_printf("the kernel %s", m->s->kernel->release);
	fd = debuginfod_find(DEBUGINFOD_DEBUGINFO, m->build_id.at, m->build_id.len, report, &t, &found);
	progress_end();
	if (fd < 0)
		return NULL;
	close(fd);
	path = str_dup(found);
	free(found);
	return path;
}
