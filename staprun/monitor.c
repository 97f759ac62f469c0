// SPDX-License-Identifier: GPL-2.0-or-later
// -M SEC: prints run time, memory, output and losses of the script every SEC seconds, from the rings' counters and
// the module's size in sysfs. If standard output is a terminal, its first rows are redrawn and the script's output
// scrolls below them; otherwise one line is written to standard error.
#include "stapio.h"

#include "log.h"
#include "messages.h"
#include "syscalls.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The cursor position of the script's output is saved and restored; the scrolling region begins in row 6.
#define KEEP_CURSOR "\0337"
#define BACK_TO_CURSOR "\0338"
#define ROWS_BELOW "\033[6r"
#define ALL_ROWS "\033[r"
#define TOP "\033[H"
#define NEXT_LINE "\033[K\r\n"

static int64_t began, updated;             // ms
static uint64_t bytes_shown;
static bool screen;

// Returns the size of the module and its rings in bytes.
static uint64_t memory(const struct rings *r, const char *module)
{
	char path[128], text[32] = "";
	uint64_t used = 0;
	int fd;

	snprintf(path, sizeof(path), "/sys/module/%s/coresize", module);
	fd = sys_open(path, O_RDONLY);
	if (fd >= 0) {
		if (sys_read(fd, text, sizeof(text) - 1) <= 0)
			*text = 0;
		close(fd);
	}
	number_unsigned(&(const char *){ text }, 10, &used);
	return used + r->n * r->ring_size;
}

// Returns the fill level of the fullest ring in percent.
static unsigned fullest(const struct rings *r)
{
	uint64_t max = 0;

	for (int i = 0; i < r->n; i++) {
		uint64_t used = __atomic_load_n(&r->ring[i].control->head, __ATOMIC_RELAXED) - r->ring[i].tail;

		if (used <= r->ring_size && used > max)
			max = used;
	}
	return 100 * max / r->ring_size;
}

static void put(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		screen = false;            // the loop reports the error when it writes output
}

static void leave_screen(void)
{
	if (screen)
		put(KEEP_CURSOR ALL_ROWS BACK_TO_CURSOR);
}

static void begin(const struct stapio_options *opt, int64_t now)
{
	began = updated = now;
	screen = isatty(STDOUT_FILENO) && opt->daemon < 0;
	if (!screen)
		return;
	put("\033[2J" ROWS_BELOW "\033[6H");
	atexit(leave_screen);
}

static void draw(const struct rings *r, const struct stapio_options *opt, int64_t now)
{
	char text[1024], target[32];
	uint64_t bytes = r->bytes, lost = r->lost + rings_dropped(r);
	int64_t ran = (now - began) / 1000;

	snprintf(target, sizeof(target), "process %d", (int)opt->target);
	snprintf(text, sizeof(text), KEEP_CURSOR ROWS_BELOW TOP
		 "%s %02lld:%02lld:%02lld  %.60s" NEXT_LINE
		 "memory   %llu kB, %d buffers, the fullest %u %%" NEXT_LINE
		 "printed  %llu bytes, %llu a second" NEXT_LINE
		 "lost     %llu records%s" NEXT_LINE
		 "====" NEXT_LINE BACK_TO_CURSOR,
		 opt->module, (long long)ran / 3600, (long long)ran / 60 % 60, (long long)ran % 60,
		 opt->command ? opt->command : opt->target ? target : "",
		 (unsigned long long)memory(r, opt->module) >> 10, r->n, fullest(r), (unsigned long long)bytes,
		 (unsigned long long)(1000 * (bytes - bytes_shown) / (now > updated ? now - updated : 1)),
		 (unsigned long long)lost, lost ? "; a larger buffer may help (-s MB)" : "");
	put(text);
}

int monitor_timeout(const struct stapio_options *opt)
{
	int64_t left = updated + opt->monitor_ms - now_ms();

	return left > 0 ? left : 0;
}

void monitor_update(const struct rings *r, const struct stapio_options *opt)
{
	int64_t now = now_ms();
	bool first = !began;

	if (first)
		begin(opt, now);
	if (now - updated < opt->monitor_ms && !(first && screen))
		return;
	if (screen)
		draw(r, opt, now);
	else
		log_note(0, "stapio: %s: %lld s, %llu kB of memory, %llu bytes printed, %llu records lost", opt->module,
			 (long long)(now - began) / 1000, (unsigned long long)memory(r, opt->module) >> 10,
			 (unsigned long long)r->bytes, (unsigned long long)(r->lost + rings_dropped(r)));
	updated = now;
	bytes_shown = r->bytes;
}
