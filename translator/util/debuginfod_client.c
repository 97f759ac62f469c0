// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of libdebuginfod, which is loaded when the first file is needed: most runs need none, and it loads
// a dozen other libraries.
#include "debuginfod_client.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef int (*progress_fn)(void *client, long done, long all);
typedef int (*find_fn)(void *client, const unsigned char *id, int len, char **path);

static struct {
	void *(*begin)(void);
	void (*end)(void *client);
	find_fn find[2];                                   // by enum debuginfod_file
	void (*set_progressfn)(void *client, progress_fn fn);
	void (*set_user_data)(void *client, void *data);   // elfutils 0.179
	void *(*get_user_data)(void *client);
	bool tried, usable;
} library;

struct transfer { void (*report)(void *data, long done, long all); void *data; };      // the user data of a client

static bool find_functions(void)
{
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW);

	if (!handle)
		return false;
	library.begin = (void *(*)(void))dlsym(handle, "debuginfod_begin");
	library.end = (void (*)(void *))dlsym(handle, "debuginfod_end");
	library.find[DEBUGINFOD_DEBUGINFO] = (find_fn)dlsym(handle, "debuginfod_find_debuginfo");
	library.find[DEBUGINFOD_EXECUTABLE] = (find_fn)dlsym(handle, "debuginfod_find_executable");
	library.set_progressfn = (void (*)(void *, progress_fn))dlsym(handle, "debuginfod_set_progressfn");
	library.set_user_data = (void (*)(void *, void *))dlsym(handle, "debuginfod_set_user_data");
	library.get_user_data = (void *(*)(void *))dlsym(handle, "debuginfod_get_user_data");
	return library.begin && library.end && library.find[DEBUGINFOD_DEBUGINFO] && library.find[DEBUGINFOD_EXECUTABLE] &&
	       library.set_progressfn && library.set_user_data && library.get_user_data;
}

bool debuginfod_wanted(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && urls[strspn(urls, " ")];
}

bool debuginfod_loaded(void)
{
	if (!library.tried) {
		library.tried = true;
		library.usable = find_functions();
	}
	return library.usable;
}

static int report_progress(void *client, long done, long all)
{
	struct transfer *t = library.get_user_data(client);

	t->report(t->data, done, all);
	return 0;
}

int debuginfod_find(enum debuginfod_file kind, const unsigned char *id, size_t len,
		    void (*report)(void *data, long done, long all), void *data, char **path)
{
	struct transfer t = { report, data };
	void *client = library.begin();
	int fd;

	*path = NULL;
	if (!client)
		return -1;
	library.set_user_data(client, &t);
	library.set_progressfn(client, report_progress);
	fd = library.find[kind](client, id, (int)len, path);
	library.end(client);
	return fd < 0 ? -1 : fd;
}
