// SPDX-License-Identifier: GPL-2.0-or-later
// Unpacks packages (.deb, .rpm, tar, cpio) below a directory, whatever their entries are called.
#ifndef TARGET_ARCHIVE_H
#define TARGET_ARCHIVE_H

#include <stdbool.h>

struct archive_rules {
	// Returns whether a file or link of that path, without a leading "/" or "./", is unpacked.
	bool (*wanted)(const char *path);
	const char *option;        // "--headers", for messages
};

// Returns whether the file begins as a .deb or .rpm does.
bool archive_is_package(const char *path);
// Unpacks the archive below the directory, which only this process changes. No file is written outside of it, no link
// in it leads out of it, and modes are 0644, or 0755 if the file is executable. A path with "..", a link that leads
// out, a file below a link, and more than 4 GB or 500,000 entries end the program (die()). Devices and the like are
// skipped. Returns the number of files and links.
int archive_unpack(const char *path, const char *dir, const struct archive_rules *rules);
// Writes "usr/lib/x", the path below the root to which the target of a link leads, if the link is in the directory
// `dir` ("usr/src/y"; "" is the root itself), with "/" as the root. Returns false if it leads out of the root, or
// is too long. (archive_path.c)
bool archive_link_path(char *out, unsigned long size, const char *dir, const char *target);
// Writes the path of an entry without leading "/", "." components and doubled slashes. Returns false if it has ".."
// or a line break, is empty, or is too long.
bool archive_entry_path(char *out, unsigned long size, const char *name);

#endif
