/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of -c, for stap, stapio and the user runtime: a program with its arguments is executed directly, so that
 * target() is that program, and anything else by /bin/sh. Everything but execve() is done before the process is
 * created that executes it: probes see the calls of that process, and scripts take them for the command's.
 */
#ifndef STP_COMMAND_H
#define STP_COMMAND_H

#include <errno.h>
#include <stdbool.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

/* Returns true for the names of what only a shell can do. Commands that are also programs, such as "test", are not
 * among them. */
static inline bool stp_of_shell(const char *name)
{
	static const char *const names[] = {
		"!", ".", ":", "alias", "bg", "case", "cd", "command", "eval", "exec", "exit", "export", "fg", "for", "hash",
		"if", "jobs", "read", "readonly", "set", "shift", "times", "trap", "type", "ulimit", "umask", "unalias", "unset",
		"until", "wait", "while",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Returns true if the command uses a special parameter of the shell that wordexp() would replace by that of the calling
 * process, such as $$ and $1. It does not replace $!, $? and $-: they are for a shell that the command runs. */
static inline bool stp_of_shell_parameters(const char *command)
{
	bool quoted = false;

	for (const char *p = command; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
		} else if (*p == '"') {
			quoted = !quoted;
		} else if (*p == '\'' && !quoted) {
			p = strchr(p + 1, '\'');
			if (!p)
				return false;
		} else if (*p == '$') {
			const char *name = p + 1 + strspn(p + 1, "{");

			if (*name && strchr("$#@*0123456789", *name))
				return true;
		}
	}
	return false;
}

/* Splits a command as a shell does. Returns false if it is more than a program and its arguments: a pipe, a list, a
 * substitution, a special parameter, a variable that is set before a command, a command of the shell itself. After
 * true, the caller frees the words by wordfree(). */
static inline bool stp_command_split(const char *command, wordexp_t *words)
{
	if (*command == '#' || strstr(command, " #") || strstr(command, "\t#"))
		return false;          /* wordexp() returns the words of a comment, too */
	if (stp_of_shell_parameters(command))
		return false;
	if (wordexp(command, words, WRDE_NOCMD | WRDE_UNDEF))
		return false;
	if (words->we_wordc > 0 && !strchr(words->we_wordv[0], '=') && !stp_of_shell(words->we_wordv[0]))
		return true;
	wordfree(words);
	return false;
}

/* Executes a shell. Returns only on failure, with errno. */
static inline void stp_shell_execute(const char *command)
{
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
}

static inline bool stp_is_program(const char *path)
{
	struct stat st;

	return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Writes the path of the file that execvp() finds in PATH for a name without "/". Returns false if it finds nothing. */
static inline bool stp_program_find(const char *name, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH");
	size_t len;

	for (dirs = dirs ? dirs : "/usr/bin:/bin"; *dirs; dirs += len + (dirs[len] == ':')) {
		len = strcspn(dirs, ":");
		if (snprintf(path, PATH_MAX, "%.*s/%s", len ? (int)len : 1, len ? dirs : ".", name) < PATH_MAX &&
		    stp_is_program(path))
			return true;
	}
	return false;
}

struct stp_command {
	const char *text;
	bool in_shell;
	wordexp_t words;                   /* if it is not executed by a shell */
	char path[PATH_MAX];               /* the program to execute */
};

/* A name that is not in PATH is a file of the current directory, as in process("NAME"). */
static inline void stp_command_prepare(struct stp_command *c, const char *text)
{
	const char *name;

	c->text = text;
	c->in_shell = !stp_command_split(text, &c->words);
	if (c->in_shell)
		return;
	name = c->words.we_wordv[0];
	if (!strchr(name, '/') && stp_program_find(name, c->path))
		return;
	snprintf(c->path, sizeof(c->path), "./%s", name);
	if (strchr(name, '/') || access(c->path, F_OK))
		snprintf(c->path, sizeof(c->path), "%s", name);
}

/* Executes the command. Returns only on failure, with errno. */
static inline void stp_command_execute(const struct stp_command *c)
{
	if (c->in_shell)
		stp_shell_execute(c->text);
	else
		execvp(c->path, c->words.we_wordv);
}

static inline void stp_command_free(struct stp_command *c)
{
	if (!c->in_shell)
		wordfree(&c->words);
}
#endif
