// SPDX-License-Identifier: GPL-2.0-or-later
// Downloads debuginfo by build-id from the servers in DEBUGINFOD_URLS: build-id -> path of the file in the cache of
// libdebuginfod. The library is loaded on first use; without it, or without DEBUGINFOD_URLS, nothing is downloaded.
//
// Progress is reported on standard error: continuously on a terminal, else once a file.
#include "debuginfo/module.h"
#include "debuginfo/program/program.h"

#include "target/kernel.h"
#include "util/progress.h"
#include "util/str.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*progress_fn)(void *client, long done, long all);

static struct {
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find_debuginfo)(void *client, const unsigned char *id, int len, char **path);
	void (*set_progressfn)(void *client, progress_fn fn);
	void (*set_user_data)(void *client, void *data);   // elfutils 0.179
	void *(*get_user_data)(void *client);
	bool tried, usable;
} library;

struct transfer { const char *name; bool reported; };      // the user data of a client

static bool find_functions(void)
{
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW);

	if (!handle)
		return false;
	library.begin = (void *(*)(void))dlsym(handle, "debuginfod_begin");
	library.end = (void (*)(void *))dlsym(handle, "debuginfod_end");
	library.find_debuginfo = (int (*)(void *, const unsigned char *, int, char **))
				 dlsym(handle, "debuginfod_find_debuginfo");
	library.set_progressfn = (void (*)(void *, progress_fn))dlsym(handle, "debuginfod_set_progressfn");
	library.set_user_data = (void (*)(void *, void *))dlsym(handle, "debuginfod_set_user_data");
	library.get_user_data = (void *(*)(void *))dlsym(handle, "debuginfod_get_user_data");
	return library.begin && library.end && library.find_debuginfo && library.set_progressfn &&
	       library.set_user_data && library.get_user_data;
}

static bool usable(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !urls[strspn(urls, " ")])
		return false;
	if (!library.tried) {
		library.tried = true;
		library.usable = find_functions();
		if (!library.usable)
			diag_warning((struct loc){ 0 }, "DEBUGINFOD_URLS is set, but libdebuginfod is not installed "
				     "(package libdebuginfod1); debuginfo is not downloaded");
	}
	return library.usable;
}

static int report(void *client, long done, long all)
{
	struct transfer *t = library.get_user_data(client);

	if (all > 0)
		progress("downloading the debuginfo of %s: %.1f of %.1f MB", t->name, done / 1e6, all / 1e6);
	else
		progress("asking debuginfod for the debuginfo of %s", t->name);
	if (!t->reported && !isatty(STDERR_FILENO))
		diag_output(str_printf("Asking debuginfod for the debuginfo of %s.\n", t->name));
	t->reported = true;
	return 0;
}

const char *debuginfod_fetch(const struct di_module *m)
{
	struct transfer t = { 0 };
	char *found = NULL;
	const char *path = NULL;
	void *client;
	int fd;

	if (m->build_id.len < 8 || !usable())
		return NULL;
	client = library.begin();
	if (!client)
		return NULL;
	t.name = m->program ? m->name : m->base_module ? str_printf("the module %s", m->name) :
		 str_printf("the kernel %s", m->s->kernel->release);
	library.set_user_data(client, &t);
	library.set_progressfn(client, report);
	fd = library.find_debuginfo(client, m->build_id.at, m->build_id.len, &found);
	library.end(client);
	progress_end();
	if (fd < 0)
		return NULL;
	close(fd);
	path = str_dup(found);
	free(found);
	return path;
}
