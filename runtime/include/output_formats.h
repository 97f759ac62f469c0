// SPDX-License-Identifier: GPL-2.0-or-later
// The formats of -f and --output: what the translator and stap-report both need.
#ifndef OUTPUT_FORMATS_H
#define OUTPUT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// F(name, takes_stacks): NAME_writer of stap-report writes the format. takes_stacks: it supports only arrays whose keys
// are call stacks, of numbers or statistics.
#define OUTPUT_FORMATS(F) \
	F(text, false) F(json, false) F(csv, false) F(folded, true) F(speedscope, true) \
	F(pprof, true) F(chrome, false) F(svg, false) F(html, false)

enum output_format_kind { FORMAT_UNKNOWN, FORMAT_OF_STACKS, FORMAT_OF_ANY };

// `len` is in bytes.
static inline enum output_format_kind output_format_kind(const char *name, size_t len)
{
#define FORMAT(known, takes_stacks) \
	if (len == sizeof(#known) - 1 && !memcmp(name, #known, len)) \
		return takes_stacks ? FORMAT_OF_STACKS : FORMAT_OF_ANY;
	OUTPUT_FORMATS(FORMAT)
#undef FORMAT
	return FORMAT_UNKNOWN;
}

static inline bool format_takes_stacks(const char *name, size_t len)
{
	return output_format_kind(name, len) == FORMAT_OF_STACKS;
}

#endif
