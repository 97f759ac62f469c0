// SPDX-License-Identifier: GPL-2.0-or-later
// All probe families, in the order in which points are matched and patterns are listed.
#include "resolve/family.h"

#define FAMILIES(F)		\
	F(begin_end)		\
	F(never)		\
	F(timer)		\
	F(perf)			\
	F(function)		\
	F(tracepoint)		\
	F(lsm)			\
	F(syscall)		\
	F(process)		\
	F(process_events)	\
	F(mark)			\
	F(plt)			\
	F(python)		\
	F(procfs)		\
	F(netfilter)		\
	F(hwbkpt)

#define DECLARE(name) extern const struct probe_family family_##name;
FAMILIES(DECLARE)

#define ADDRESS(name) &family_##name,
const struct probe_family *const probe_families[] = { FAMILIES(ADDRESS) NULL };
