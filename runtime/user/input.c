/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard input while the script runs: the probes input.char and input.line, which are files __stdin and
 * __stdin_line in a module. Their handlers run in the loop, like those of timers.
 */
#define _GNU_SOURCE
#include "user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const struct stp_procfs *characters, *lines;
static char line[1 << 16];
static size_t line_length;
static bool ended;
static struct termios before;
static bool is_terminal;               /* it is a terminal whose settings were changed */

static void run_all(const struct stp_procfs *f, char *text, size_t len)
{
	struct user_text value = { text, (u32)len + 1, (u32)len };
	u32 i;

	for (i = 0; f && i < f->nwrites && !user_stop; i++)
		user_file_run(f->writes[i], &value);
}

static void end_line(void)
{
	if (line_length)
		run_all(lines, line, line_length);
	line_length = 0;
}

static void add(char character)
{
	char one[2] = { character, 0 };

	run_all(characters, one, 1);
	line[line_length++] = character;
	line[line_length] = 0;
	if (character == '\n' || line_length == sizeof(line) - 1)
		end_line();
}

int user_input_fd(void)
{
	return (characters || lines) && !ended ? STDIN_FILENO : -1;
}

void user_input_read(void)
{
	char bytes[4096];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes)), i;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	ended = n <= 0;
	if (ended)
		end_line();
	for (i = 0; i < n && !user_stop; i++)
		add(bytes[i]);
}

void user_input_stop(void)
{
	if (is_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	is_terminal = false;
	characters = lines = NULL;
}

/* Makes the terminal pass on each character when it is typed. */
static void prepare_terminal(void)
{
	struct termios now;

	if (tcgetattr(STDIN_FILENO, &before))
		return;
	now = before;
	now.c_lflag &= ~(tcflag_t)ICANON;
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	is_terminal = !tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

bool user_input_is(const struct stp_procfs *f)
{
	return f == characters || f == lines;
}

bool user_input_start(const struct stp_procfs *f)
{
	if (!strcmp(f->path, "__stdin"))
		characters = f;
	else if (!strcmp(f->path, "__stdin_line"))
		lines = f;
	else
		return false;
	if (!is_terminal)
		prepare_terminal();
	return true;
}
