// SPDX-License-Identifier: GPL-2.0-or-later
// Downloads files by build ID from the servers in DEBUGINFOD_URLS, by libdebuginfod, which is loaded on first use.
// Shared by the translator and stap-report.
#ifndef UTIL_DEBUGINFOD_CLIENT_H
#define UTIL_DEBUGINFOD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

enum debuginfod_file { DEBUGINFOD_DEBUGINFO, DEBUGINFOD_EXECUTABLE };

// Returns whether DEBUGINFOD_URLS names servers.
bool debuginfod_wanted(void);
// Loads the library; returns false if it is not installed.
bool debuginfod_loaded(void);
// Returns a descriptor of the file, or -1. *path: its path in the cache of the library; the caller frees it. While the
// download takes place, `report` is called with the number of bytes received and, if it is known, of all bytes. The
// library must be loaded.
int debuginfod_find(enum debuginfod_file kind, const unsigned char *id, size_t len,
		    void (*report)(void *data, long done, long all), void *data, char **path);

#endif
