// SPDX-License-Identifier: GPL-2.0-or-later
// reader FILE: prints the file (run.sh changes the file that it opens, the number of bytes that it reads, and its
// exit status).
#define _GNU_SOURCE
#include <fcntl.h>
#include "calls.h"

int main(int argc, char **argv)
{
	static char buffer[8192];
	long fd = T(openat, AT_FDCWD, argv[1], O_RDONLY, 0), n;

	while ((n = T(read, fd, buffer, sizeof(buffer))) > 0)
		T(write, 1, buffer, n);
	T(exit_group, 0);
	return 0;
}
