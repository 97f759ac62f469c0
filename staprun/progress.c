// SPDX-License-Identifier: GPL-2.0-or-later
// A line on the terminal while arming the probes or ending the script takes longer than a second. It is removed
// before anything else is printed.
#include "stapio.h"

#include <string.h>
#include <unistd.h>

#define REMOVE "\r\033[K"
enum { SHOWN_AFTER_MS = 1000 };

static const char *step;                   // NULL: nothing is in progress
static int64_t since;                      // ms
static bool shown;

void progress_hide(void)
{
	if (shown && write(STDERR_FILENO, REMOVE, strlen(REMOVE)) > 0)
		shown = false;
	since = now_ms();
}

void progress_step(const char *text)
{
	if (text != step)
		progress_hide();
	step = text;
	if (!text || shown || now_ms() - since < SHOWN_AFTER_MS || !isatty(STDERR_FILENO))
		return;
	shown = write(STDERR_FILENO, REMOVE, strlen(REMOVE)) > 0 && write(STDERR_FILENO, text, strlen(text)) > 0;
}
