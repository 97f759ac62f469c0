/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of -c, for stap, stapio and the user runtime: a program with its arguments is executed directly, so that
 * target() is that program, and anything else by /bin/sh.
 */
#ifndef STP_COMMAND_H
#define STP_COMMAND_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

/* Splits a command as a shell does. Returns false if it is more than a program and its arguments: a pipe, a
 * list, a substitution, a variable that is set before a command. After true, the caller frees the words by
 * wordfree(). */
static inline bool stp_command_split(const char *command, wordexp_t *words)
{
	if (*command == '#' || strstr(command, " #") || strstr(command, "\t#"))
		return false;          /* wordexp() returns the words of a comment, too */
	if (wordexp(command, words, WRDE_NOCMD | WRDE_UNDEF))
		return false;
	if (words->we_wordc > 0 && !strchr(words->we_wordv[0], '='))
		return true;
	wordfree(words);
	return false;
}

/* Executes a shell. Returns only on failure, with errno. */
static inline void stp_shell_execute(const char *command)
{
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
}

/* Executes a program. A name that is not in PATH is a file of the current directory, as in process("NAME").
 * Returns only on failure. */
static inline void stp_command_execute(const char *command)
{
	wordexp_t words;
	char *path;

	if (!stp_command_split(command, &words)) {
		stp_shell_execute(command);
		return;
	}
	execvp(words.we_wordv[0], words.we_wordv);
	if (errno == ENOENT && !strchr(words.we_wordv[0], '/') && asprintf(&path, "./%s", words.we_wordv[0]) > 0)
		execv(path, words.we_wordv);
}
#endif
