// SPDX-License-Identifier: GPL-2.0-or-later
// A property of the formats of -f and --output that the translator needs before the script runs.
#ifndef OUTPUT_FORMATS_H
#define OUTPUT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Returns true if a format supports only arrays of numbers or statistics whose keys are call stacks. `len` is in
// bytes.
static inline bool format_takes_stacks(const char *name, size_t len)
{
	static const char *const formats[] = { "folded", "speedscope", "pprof" };

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strlen(formats[i]) == len && !strncmp(name, formats[i], len))
			return true;
	return false;
}

#endif
