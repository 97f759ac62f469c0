// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 2, step by step. In: session.script as parsed. Out: session.script.probes with typed bodies. A step starts only
// if the previous steps found no errors, so each may rely on the fields that ast.h assigns to them.
#include "elab/elab.h"
#include "parse/parse.h"
#include "session/passes.h"

static const struct step {
	const char *name;
	int (*run)(struct session *s);
	bool tolerates_errors;              // later steps can process the declarations that have no errors
} steps[] = {
	{ "match", elab_match_probes, true },
	{ "names", elab_bind_names },
	{ "targets", elab_targets, true },
	{ "types", elab_types },
	{ "bpf_conditions", elab_bpf_conditions },
	{ "check", elab_check, true },
	{ "merge", elab_merge },
	{ "privilege", elab_privilege },
	{ "output_formats", elab_output_formats },
	{ "optimize", elab_optimize },
	{ "bpf", elab_bpf },
	{ "module_data", elab_module_data },
};

// -vv: reports points with several handlers, which run one after the other at a hit.
static void note_combined(struct session *s)
{
	struct map counts = { 0 };
	const char *text;

	for vec_each(&s->script.probes, p)
		map_put(&counts, (*p)->point, (char *)map_get(&counts, (*p)->point) + 1);
	for map_each(&counts, e) {
		text = str_printf("Combining %d probe handlers for probe point: %s\n", (int)(intptr_t)e->value, e->key);
		if ((intptr_t)e->value > 1)
			diag_output(text);
	}
}

int pass_elaborate(struct session *s)
{
	int before = diag_errors();

	diag_kind("semantic");
	if (parse_report_late(s))
		return diag_errors() - before;
	for (const struct step *step = steps; step < END(steps); step++) {
		int had = diag_errors(), errors = step->run(s);
		bool failed = errors || diag_errors() > had;

		// Any reported error fails the pass, even if its step does not return it.
		if ((failed || diag_errors() > before) && (!s->opt.keep_going || step->run == elab_privilege))
			break;
		if (failed && !step->tolerates_errors && !elab_drop_broken(s))
			break;
		s->incomplete |= failed;
	}
	if (s->opt.keep_going)
		diag_catalogue();
	if (s->opt.verbose[2] > 1)
		note_combined(s);
	return diag_errors() - before;
}
