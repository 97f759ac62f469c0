/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of addresses of the kernel and its modules, in the tables that the translator made of their
 * debuginfo. Where a module lies says its site, which is 0 while it isn't there. Context: any.
 */
#include "kernel.h"

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
		u64 at = READ_ONCE(parts[i].site->address), into = address - (at - parts[i].before);

		if (at && into < parts[i].size)
			return stp_lines_find(parts[i].lines, parts[i].place + (u32)into, file, line);
	}
	return false;
}

/* Nothing is armed: begin and end probes ask, too. */
const struct stp_family_ops stp_lines_family = { .name = "lines" };
