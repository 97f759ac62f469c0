// SPDX-License-Identifier: GPL-2.0-or-later
// Names of C++ and Rust functions. One c++filt(1) of binutils answers all requests: it writes the line of a symbol as
// soon as it has read it.
#include "demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SYMBOL_MAX = 32 << 10 };

static int to_filter;
static FILE *filter;                       // its output; NULL: it is not running
static bool tried;

// c++filt ends when stap-report does, since its input is closed then. It is a grandchild, which init adopts, so
// that stap-report need not wait for it.
static void start(void)
{
	int ends[2], child;

	tried = true;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	child = fork();
	if (!child && !fork()) {
		dup2(ends[1], STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		execlp("c++filt", "c++filt", "-p", NULL);
		_exit(127);
	}
	if (!child)
		_exit(0);
	close(ends[1]);
	if (child > 0)
		waitpid(child, NULL, 0);
	to_filter = ends[0];
	filter = child > 0 ? fdopen(ends[0], "r") : NULL;
	if (!filter)
		close(ends[0]);
}

// Removes what c++filt adds to names of Rust: "core[3c1c0]::write::h0123456789abcdef", "collect::<u8>".
static void remove_hashes(char *text)
{
	char *to = text;

	for (; *text; text++) {
		size_t digits = *text == '[' ? strspn(text + 1, "0123456789abcdef") : 0;

		if (digits > 3 && !strncmp(text + 1 + digits, "]::", 3))
			text += digits + 1;
		else if (!strncmp(text, "::h", 3) && strspn(text + 3, "0123456789abcdef") == 16 && !text[19])
			break;
		else
			*to++ = *text;
	}
	*to = '\0';
}

static bool is_plain(const char *symbol)
{
	for (; *symbol; symbol++)
		if (!isgraph((unsigned char)*symbol))
			return false;
	return true;
}

char *demangle(const char *symbol)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if ((strncmp(symbol, "_Z", 2) && strncmp(symbol, "_R", 2)) || strlen(symbol) >= SYMBOL_MAX || !is_plain(symbol))
		return NULL;
	if (!tried)
		start();
	if (!filter)
		return NULL;
	n = dprintf(to_filter, "%s\n", symbol) > 0 ? getline(&line, &size, filter) : -1;
	if (n <= 0) {
		fclose(filter);
		filter = NULL;
		free(line);
		return NULL;
	}
	line[n - 1] = '\0';
	remove_hashes(line);
	return line;
}
