// SPDX-License-Identifier: GPL-2.0-or-later
// Writes messages to standard error (or syslog), each in one write() so that lines of two processes don't mix.
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

int log_verbose;
bool log_no_warnings;

static bool colored, to_syslog;

bool log_color(const char *when)
{
	const char *terminal = getenv("TERM");

	if (!strcmp(when, "auto"))
		colored = isatty(STDERR_FILENO) && !getenv("NO_COLOR") && terminal && strcmp(terminal, "dumb");
	else if (!strcmp(when, "always"))
		colored = true;
	else if (!strcmp(when, "never"))
		colored = false;
	else
		return false;
	return true;
}

void log_to_syslog(const char *program)
{
	openlog(program, LOG_PID, LOG_USER);
	to_syslog = true;
	colored = false;
}

static void put_line(const char *label, const char *color, const char *fmt, va_list ap)
{
	char line[4400];
	int at = 0;

	if (label)
		at = snprintf(line, sizeof(line), colored ? "\033[%sm%s:\033[0m " : "%.0s%s: ",
			      color, label);
	vsnprintf(line + at, sizeof(line) - at - 1, fmt, ap);
	if (to_syslog) {
		syslog(label && *label == 'E' ? LOG_ERR : LOG_WARNING, "%s", line);
		return;
	}
	strcat(line, "\n");
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return;                    // ignored, since the error cannot be reported
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("ERROR", "01;31", fmt, ap);
	va_end(ap);
}

void log_refusal(const char *fmt, ...)
{
	char text[4000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	syslog(LOG_AUTHPRIV | LOG_WARNING, "staprun: refused for user %u: %s", (unsigned)getuid(), text);
	log_error("%s", text);
}

void log_warning(const char *fmt, ...)
{
	va_list ap;

	if (log_no_warnings)
		return;
	va_start(ap, fmt);
	put_line("WARNING", "00;33", fmt, ap);
	va_end(ap);
}

void log_note(int level, const char *fmt, ...)
{
	va_list ap;

	if (log_verbose < level)
		return;
	va_start(ap, fmt);
	put_line(NULL, NULL, fmt, ap);
	va_end(ap);
}
