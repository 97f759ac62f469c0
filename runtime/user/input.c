/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard input while the script runs: the probes input.char and input.line, which are files __stdin and __stdin_line
 * in a module. Their handlers run in the loop, as those of timers do.
 */
#define _GNU_SOURCE
#include "user.h"
#include "carrier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const struct stp_procfs *characters, *lines;
static const char *text;               /* $value of the handler that runs */
static char line[1 << 16];
static size_t line_length;
static bool ended;
static struct termios before;
static bool is_terminal;               /* its settings were changed */

void stp_value_get(struct stp_ctx *c, char *to, u32 size)
{
	stp_copy(to, text, size);
}

u32 stp_value_set(struct stp_ctx *c, const char *value, bool append)
{
	return 0;                          /* there are no files to read */
}

static void run(const struct stp_probe *p)
{
	struct stp_ctx *c = user_ctx;

	if (!stp_ctx_enter(c))
		return;
	c->regs = NULL;
	c->address = 0;
	carrier_enter(p);
	stp_handler_run(c, p);
	carrier_leave(p);
	stp_ctx_leave(c);
}

static void run_all(const struct stp_procfs *f, const char *value)
{
	u32 i;

	text = value;
	for (i = 0; f && i < f->nwrites && !user_stop; i++)
		run(f->writes[i]);
}

static void end_line(void)
{
	if (line_length)
		run_all(lines, line);
	line_length = 0;
}

static void add(char character)
{
	char one[2] = { character, 0 };

	run_all(characters, one);
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

static void stop(void *table, u32 n)
{
	if (is_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	is_terminal = false;
	characters = lines = NULL;
}

/* A terminal passes on each character as it is typed. */
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

static int start(void *table, u32 n)
{
	const struct stp_procfs *f = table, *end = f + n;

	for (; f < end; f++)
		if (!strcmp(f->path, "__stdin"))
			characters = f;
		else
			lines = f;
	prepare_terminal();
	return 0;
}

const struct stp_family_ops stp_procfs_family = { "procfs", start, stop };
