// SPDX-License-Identifier: GPL-2.0-or-later
// Downloads files by build ID. A file that a server returns is used only if it has this build ID.
#include "download.h"

#include "../translator/util/debuginfod_client.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID_BYTES_MIN = 8 };                 // shorter IDs do not identify a build

struct transfer { const char *name; bool reported; };

static void report_transfer(void *data, long done, long all)
{
	struct transfer *t = data;

	if (!t->reported)
		fprintf(stderr, "Asking debuginfod for the debuginfo of %s.\n", t->name);
	t->reported = true;
}

static bool usable(void)
{
	static bool reported;

	if (!debuginfod_wanted() || debuginfod_loaded())
		return debuginfod_wanted();
	if (!reported)
		fprintf(stderr, "WARNING: DEBUGINFOD_URLS is set, but libdebuginfod is not installed (package libdebuginfod1); "
			"files of other hosts are not downloaded\n");
	reported = true;
	return false;
}

// Modules of the kernel have sections of notes, and no segments.
static bool has_build_id(int fd, const struct build_id *wanted)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	const void *bytes;
	ssize_t len = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
	bool same = len == (ssize_t)wanted->len && !memcmp(bytes, wanted->bytes, len);

	elf_end(elf);
	return same;
}

static int checked(int fd, const struct build_id *wanted, const char *name, const char *path)
{
	if (fd < 0 || has_build_id(fd, wanted))
		return fd;
	fprintf(stderr, "WARNING: %s, which was downloaded, is of another build than %s: not used\n", path, name);
	close(fd);
	return -1;
}

int download_build(const struct build_id *id, const char *name)
{
	struct transfer t = { name };
	char *path;
	int fd = -1;

	if (id->len < ID_BYTES_MIN || !usable())
		return -1;
	for (int kind = DEBUGINFOD_DEBUGINFO; fd < 0 && kind <= DEBUGINFOD_EXECUTABLE; kind++) {
		fd = debuginfod_find(kind, id->bytes, id->len, report_transfer, &t, &path);
		fd = checked(fd, id, name, path);
		free(path);
	}
	return fd;
}
