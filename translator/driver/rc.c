// SPDX-License-Identifier: GPL-2.0-or-later
// Parses $SYSTEMTAP_DIR/rc: each line is a comment that begins with '#', or has words as in a shell (quotes,
// $VARIABLES, ~).
#include "driver/rc.h"

#include "session/session.h"
#include "util/diag.h"
#include "util/str.h"
#include "util/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

// Opens the file, which may be a link to /dev/null. Does not wait for the writer of a FIFO. Returns NULL if there is
// nothing to read, after a warning unless the file is missing.
static FILE *open_rc(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *why = NULL;
	struct stat st;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return NULL;
	if (fd < 0 || fstat(fd, &st) < 0)
		why = strerror(errno);
	else if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		why = "not a regular file";
	if (!why)
		return fdopen(fd, "r");
	diag_warning((struct loc){ 0 }, "cannot read the options in %s: %s; they are ignored", path, why);
	if (fd >= 0)
		close(fd);
	return NULL;
}

char **rc_arguments(int *argc, char **argv)
{
	const char *path = str_printf("%s/rc", session_user_dir());
	VEC(char *) words = { 0 };
	char *line = NULL;
	size_t size = 0;
	FILE *f = open_rc(path);

	vec_push(&words, argv[0]);
	for (int n = 1; f && getline(&line, &size, f) >= 0; n++) {
		wordexp_t found;

		line[strcspn(line, "\n")] = '\0';
		if (line[strspn(line, " \t")] == '#')
			continue;
		if (wordexp(line, &found, WRDE_NOCMD | WRDE_UNDEF))
			die("%s:%d: cannot parse options: unterminated quote or invalid expansion in "
			    "%s", path, n, line);
		if (found.we_wordc && *found.we_wordv[0] != '-')
			die("%s:%d: the first word of a line must be an option, not \"%s\"", path, n, found.we_wordv[0]);
		for (size_t i = 0; i < found.we_wordc; i++)
			vec_push(&words, str_dup(found.we_wordv[i]));
		wordfree(&found);
	}
	if (f)
		fclose(f);
	free(line);
	for (int i = 1; i < *argc; i++)
		vec_push(&words, argv[i]);
	*argc = words.n;
	vec_push(&words, NULL);
	return words.at;
}
