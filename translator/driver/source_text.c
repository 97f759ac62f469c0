// SPDX-License-Identifier: GPL-2.0-or-later
// Text of source code, for --source.
// In:  a file's name, the directory in which it was compiled, a line number. These come from debuginfo, which
//      may be of a program that is not trusted.
// Out: the line, printable.
#include "driver/source_text.h"
#include "util/mem.h"
#include "util/str.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Opens regular files only: reading another file may wait, or have an effect.
static FILE *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *f;

	if (fd < 0)
		return NULL;
	f = fstat(fd, &st) || !S_ISREG(st.st_mode) ? NULL : fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

// Removes the last component of a path. Returns NULL for the root and for a single component.
static char *path_parent(char *dir)
{
	char *slash = strrchr(dir, '/');

	if (!slash || !*dir)
		return NULL;
	*slash = 0;
	return dir;
}

static FILE *find_file(const char *first, const struct source_line *line)
{
	FILE *f = first ? open_file(str_printf("%s/%s", first, line->file)) : NULL;
	char *dir = line->directory ? str_dup(line->directory) : NULL;

	if (!f && *line->file == '/')
		return open_file(line->file);
	while (!f && dir) {
		f = open_file(str_printf("%s/%s", dir, line->file));
		dir = path_parent(dir);
	}
	return f;
}

static const char *printable(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = 0;
	for (char *c = text; *c; c++)
		*c = *c == '\t' ? ' ' : iscntrl((unsigned char)*c) ? '?' : *c;
	return str_dup(text);
}

const char *source_text(const char *first, const struct source_line *line)
{
	FILE *f = find_file(first, line);
	const char *found = NULL;
	char *text = NULL;
	size_t size = 0;
	int n = 0;

	if (!f)
		return NULL;
	while (n < line->line && getline(&text, &size, f) > 0)
		n++;
	if (n && n == line->line)
		found = printable(text);
	free(text);
	fclose(f);
	return found;
}
