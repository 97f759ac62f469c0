// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 2, step by step. In: session.script as parsed. Out: session.script.probes with typed bodies. A step starts only
// if the previous steps found no errors, so each may rely on the fields that ast.h assigns to them.
#include "elab/elab.h"
#include "parse/parse.h"
#include "session/passes.h"

static const struct step {
	const char *name;
	int (*run)(struct session *s);
	bool tolerates_errors;              // later steps can work on the declarations that have no errors
} steps[] = {
	{ "match", elab_match_probes, true },
	{ "names", elab_bind_names },
	{ "targets", elab_targets, true },
	{ "types", elab_types },
	{ "check", elab_check, true },
	{ "privilege", elab_privilege },
	{ "optimize", elab_optimize },
};

int pass_elaborate(struct session *s)
{
	int before = diag_errors();

	diag_kind("semantic");
	if (parse_report_late(s))
		return diag_errors() - before;
	for (const struct step *step = steps; step < END(steps); step++) {
		int had = diag_errors(), errors = step->run(s);
		bool failed = errors || diag_errors() > had;

		// Any reported error fails the pass, even if its step did not count it.
		if ((failed || diag_errors() > before) && (!s->opt.keep_going || step->run == elab_privilege))
			break;
		if (failed && !step->tolerates_errors && !elab_drop_broken(s))
			break;
		s->incomplete |= failed;
	}
	if (s->opt.keep_going)
		diag_catalogue();
	return diag_errors() - before;
}
