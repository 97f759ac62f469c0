/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of addresses of the kernel and its modules, from the tables that the translator generated from
 * debuginfo. A module's address is that of its site, which is 0 while the module is not loaded. Context: any.
 */
#include "internal.h"

bool stp_source_line(struct stp_ctx *c, u64 address, const char **file, u32 *line)
{
	const struct stp_code *parts;
	u32 f, i;

	for (f = 0; f < stp_module.nfamilies && stp_module.families[f].ops != &stp_lines_family; f++)
		;
	if (f == stp_module.nfamilies)
		return false;
	parts = stp_module.families[f].table;
	if (!stp_charge(c, (u64)stp_module.families[f].n * STP_WORK_PART))
		return false;
	for (i = 0; i < stp_module.families[f].n; i++) {
		u64 at = __atomic_load_n(&parts[i].site->address, __ATOMIC_RELAXED), into = address - (at - parts[i].before);

		if (at && into < parts[i].size)
			return stp_lines_find(parts[i].lines, parts[i].code_offset + (u32)into, file, line);
	}
	return false;
}

/* The family arms nothing. Begin and end probes look up lines, too. */
const struct stp_family_ops stp_lines_family = { .name = "lines" };
