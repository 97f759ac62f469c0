// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 2, step by step. In: session.script as parsed. Out: session.script.probes with typed bodies.
// A step starts only when the ones before it found no errors, so each may rely on what its
// predecessors promise in ast.h.
#include "elab/elab.h"
#include "passes.h"

static const struct step {
	const char *name;
	int (*run)(struct session *s);
} steps[] = {
	{ "match", elab_match_probes },
	{ "symbols", elab_symbols },
	{ "targets", elab_targets },
	{ "types", elab_types },
	{ "check", elab_check },
	{ "optimize", elab_optimize },
};

int pass_elaborate(struct session *s)
{
	int before = diag_errors();

	diag_kind("semantic");
	for (const struct step *step = steps; step < END(steps); step++) {
		int errors = step->run(s);

		// An error that was reported always fails the pass, counted by its step or not.
		if (errors || diag_errors() > before)
			break;
	}
	return diag_errors() - before;
}
