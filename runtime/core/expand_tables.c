/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expands tables that the generated C contains in a compact form, runs of probes and runs of families, since each
 * row takes time in the compiler, the linker and the module loader. Called once, in process context, before any
 * table is read.
 */
#include "session.h"

/* Sets run->n rows, starting with the template `run`. */
static void expand_probes(struct stp_probe *p, const struct stp_probe_run *run)
{
	const char *text = run->row.point, *written = text;
	u32 i;

	for (i = 0; i < run->n; i++) {
		p[i] = run->row;
		p[i].point = text;
		text += stp_strlen(text) + 1;
		if (*text)
			written = text;
		p[i].written = written;
		text += stp_strlen(text) + 1;
	}
}

void stp_rows_expand(void)
{
	struct stp_probe *p = stp_module.expanded;
	u32 i;

	for (i = 0; i < stp_module.nprobe_runs; i++) {
		expand_probes(p, &stp_module.probe_runs[i]);
		p += stp_module.probe_runs[i].n;
	}
	for (i = 0; i < stp_module.nfamilies; i++) {
		const struct stp_family *f = &stp_module.families[i];

		if (f->nruns)
			f->ops->expand(f->table, f->runs, f->nruns);
	}
}
