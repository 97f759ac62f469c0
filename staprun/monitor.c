// SPDX-License-Identifier: GPL-2.0-or-later
// -M: how the script is doing, every so many seconds, on standard error. In: the rings' counts, the module's size.
#include "stapio.h"

#include "log.h"
#include "syscalls.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int64_t began, told;                // ms

// Bytes of the module and its rings.
static uint64_t memory(const struct rings *r, const char *module)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/module/%s/coresize", module);
	fd = sys_open(path, O_RDONLY);
	if (fd >= 0) {
		if (sys_read(fd, text, sizeof(text) - 1) <= 0)
			*text = 0;
		close(fd);
	}
	return strtoull(text, NULL, 10) + r->n * r->ring_size;
}

int monitor_timeout(const struct stapio_options *opt)
{
	int64_t left = told + opt->monitor_ms - now_ms();

	return left > 0 ? left : 0;
}

void monitor_tell(const struct rings *r, const struct stapio_options *opt)
{
	int64_t now = now_ms();

	if (!began)
		began = told = now;
	if (now - told < opt->monitor_ms)
		return;
	told = now;
	log_note(0, "stapio: %s runs for %lld s, takes %llu kB, has printed %llu bytes, lost %llu records", opt->module,
		 (long long)(now - began) / 1000, (unsigned long long)memory(r, opt->module) >> 10,
		 (unsigned long long)r->bytes, (unsigned long long)(r->lost + rings_dropped(r)));
}
