// SPDX-License-Identifier: GPL-2.0-or-later
// All probe families, in the order in which points are tried and patterns are listed.
#include "probes/family.h"

extern const struct probe_family family_begin_end, family_never, family_timer, family_profile,
	family_function, family_tracepoint, family_process;

const struct probe_family *const probe_families[] = {
	&family_begin_end,
	&family_never,
	&family_timer,
	&family_profile,
	&family_function,
	&family_tracepoint,
	&family_process,
	NULL,
};
