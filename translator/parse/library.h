// SPDX-License-Identifier: GPL-2.0-or-later
// Private to library*.c: the index of the script library.
#ifndef LIBRARY_H
#define LIBRARY_H

#include "parse/lex.h"

struct library_file {
	const char *path;
	long long size, changed_ns;
	bool macros;               // .stpm
	bool loaded;               // the file was parsed, or cannot be parsed
};
typedef VEC(struct library_file *) file_list;

// A directory that was searched. An absent one has time 0, so that its creation is noticed.
struct library_dir {
	const char *path;
	long long changed_ns;
};

struct library_index {
	VEC(struct library_dir) dirs;      // directories, in order of precedence
	file_list files;
	struct map functions, globals, aliases, macros, privates; // name -> file_list *, candidates in order
};

// library_index.c: makes the index, or reads the cached index if no directory or file has changed.
void library_index_open(struct session *s, struct library_index *x);

#endif
