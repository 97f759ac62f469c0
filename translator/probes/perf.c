// SPDX-License-Identifier: GPL-2.0-or-later
// perf.type(T).config(C) with .sample(N) or .hz(N), .process["PATH"], .counter("NAME"): events of the
// kernel's perf, numbered as in perf_event_open(2); and timer.profile[.tick], timer.profile.freq.hz(N),
// which are samples of the software CPU clock.
//
// In: a matched point. Out: one probe, and the table of struct stp_perf with the programs it names.
#include "elab/elab.h"
#include "emit/emit.h"
#include "resolve/family.h"
#include "probes/process.h"
#include "util/root.h"
#include "util/str.h"

#include <string.h>

extern const struct probe_family family_perf;

enum { SOFTWARE = 1, CPU_CLOCK = 0, DEFAULT_PERIOD = 1000000, MAX_HZ = 10000 };

struct perf {                  // probe.data
	int64_t type, config;
	int64_t period;            // number of events per sample; for the clock: nanoseconds, 0: each tick
	int64_t hz;                // samples per second, if they are given instead
	bool in_target;            // .process
	bool optional;             // "?"
	const char *path;          // .process("PATH"); NULL: any program of the target
	const char *counter;
};

static int check(const struct point_part *part, int64_t high)
{
	if (!part || (part->number >= 1 && part->number <= high))
		return 0;
	diag_error(part->loc, "%s(%s) is out of range (1 to %lld)", part->name, part->number_text,
		   (long long)high);
	return 1;
}

static int profile_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *hz = point_find(m->point, "hz");
	struct perf *d = NEW(struct perf);

	if (check(hz, MAX_HZ))
		return 1;
	d->type = SOFTWARE;
	d->config = CPU_CLOCK;
	d->period = hz ? 1000000000 / hz->number : 0;
	probe_add(s, &family_perf, m, point_text(m->point), d);
	return 0;
}

static int check_name(const struct point_part *part, const char *what)
{
	if (!part || part->arg_kind != ARG_STRING || *part->text)
		return 0;
	diag_error(part->loc, "%s(\"\") has an empty name: use %s", part->name, what);
	return 1;
}

static int check_counter(struct session *s, const struct point_part *counter)
{
	for vec_each(&s->script.probes, p) {
		const struct perf *other = (*p)->data;

		if ((*p)->family != &family_perf || !other->counter || strcmp(other->counter, counter->text))
			continue;
		diag_error(counter->loc, "duplicate perf counter \"%s\"", counter->text);
		diag_note((*p)->loc, "first defined here");
		return 1;
	}
	return 0;
}

// Reports process without a path if neither -c nor -x selects a target process. Returns the number of errors.
static int check_target(const struct session *s, const struct point_part *process)
{
	if (!process || process->arg_kind == ARG_STRING || s->opt.command || s->opt.target_pid || s->opt.list ||
	    s->opt.list_vars)
		return 0;
	diag_error(process->loc, "process without a path requires -c or -x; add one, or "
		   "name a program: process(\"PATH\")");
	return 1;
}

// Returns whether the probe is in the program of the counter, or in a library of it: the counter can be read only
// there.
bool perf_may_read(const struct session *s, const struct probe *p, const struct expr *e)
{
	const struct probe_point *at = p && p->chain.n ? p->chain.at[p->chain.n - 1] : NULL;
	const struct point_part *process = at ? point_find(at, "process") : NULL;
	const char *path = NULL, *here;

	for vec_each(&s->script.probes, it) {
		const struct perf *d = (*it)->data;

		if ((*it)->family == &family_perf && d->counter && !strcmp(d->counter, e->u.text1.text))
			path = d->path;
	}
	if (!path || (process && process->arg_kind != ARG_STRING))
		return true;
	here = process ? session_program(s, process->text) : NULL;
	if (process && (str_is_glob(process->text) || (here && !strcmp(root_name(here), path))))
		return true;
	diag_error(e->loc, "the perf counter \"%s\" counts in %s: it can only be read in probes of that program, "
		   "process(\"%s\")", e->u.text1.text, path, path);
	return false;
}

static int perf_resolve(struct session *s, const struct probe_match *m)
{
	const struct probe_point *point = m->point;
	const struct point_part *sample = point_find(point, "sample"), *hz = point_find(point, "hz"),
		*process = point_find(point, "process"), *counter = point_find(point, "counter");
	struct perf *d = NEW(struct perf);
	int errors = check(sample, INT64_MAX) + check(hz, MAX_HZ) + check_name(process, "a program's path") +
		     check_target(s, process) +
		     check_name(counter, "the name that @perf(\"NAME\") reads");

	if (!strcmp(point->parts.at[0].name, "timer"))
		return profile_resolve(s, m);
	d->type = point->parts.at[1].number;
	d->config = point->parts.at[2].number;
	d->hz = hz ? hz->number : 0;
	d->period = sample ? sample->number : hz ? 0 : DEFAULT_PERIOD;
	d->in_target = process != NULL;
	d->optional = point->optional || point->sufficient;
	if (process && process->arg_kind == ARG_STRING) {
		const char *path = session_program(s, process->text);

		// A program that is not found here may exist on the machine that runs the script.
		d->path = path ? root_name(path) : process->text;
	}
	d->counter = counter ? counter->text : NULL;
	if (d->type < 0 || d->type > UINT32_MAX) {
		diag_error(point->parts.at[1].loc, "type(%lld) is not a type of perf events", (long long)d->type);
		errors++;
	}
	if (counter) {
		errors += check_counter(s, counter);
		if (m->decl && m->decl->body && m->decl->body->kind == S_BLOCK && m->decl->body->u.block.n)
			diag_warning(m->decl->body->loc, "this handler never runs: read the counter by "
				     "@perf(\"%s\") in probes of processes", counter->text);
	}
	if (!errors)
		probe_add(s, &family_perf, m, point_text(point), d)->keep = d->counter != NULL;
	return errors;
}

// Writes the array of programs, with one row for each entry that has a program.
static void emit_programs(struct cwriter *w, struct probe **probes, int n)
{
	for (int i = 0; i < n; i++) {
		const struct perf *d = probes[i]->data;

		if (d->path)
			cw_line(w, "static struct stp_program stp_perf_program_%d = { .path = %s };", i,
				emit_c_string(d->path));
	}
}

static void perf_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	emit_programs(w, probes, n);
	cw_line(w, "static struct stp_perf stp_perfs[] = {");
	for (int i = 0; i < n; i++) {
		const struct perf *d = probes[i]->data;

		cw_line(w, "{ .probe = %s, .type = %lldU, .config = 0x%llxULL, .period = %lldULL, .hz = %lldULL, "
			".per_second = %s, .in_target = %s%s%s%s }, /* %s */", emit_probe_ref(probes[i]), (long long)d->type,
			(unsigned long long)d->config, (long long)d->period, (long long)d->hz, d->hz ? "true" : "false",
			d->in_target ? "true" : "false", d->optional ? ", .optional = true" : "",
			d->path ? str_printf(", .program = &stp_perf_program_%d", i) : "",
			d->counter ? str_printf(", .counter = %s", emit_c_string(d->counter)) : "", probes[i]->point);
	}
	cw_line(w, "};");
	emit_family_table(s, "perf", "stp_perfs", n);
}

// Counters, and processes by their program, would have to be searched in the kernel's data.
static const char *perf_bpf_refusal(const struct probe *p)
{
	const struct perf *d = p->data;

	if (d->counter)
		return "perf counters are not supported";
	return d->path ? "process(\"PATH\") of perf events is not supported" : NULL;
}

static void perf_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest)
{
	cw_line(w, "STP_ON_PERF(%s, %s)", emit_bpf_sampled_registers(s, p), rest);
}

#define EVENT "perf.type(number).config(number)"
#define FORMS(event) event, event ".process", event ".process(string)"

static const char *const patterns[] = {
	"timer.profile", "timer.profile.tick", "timer.profile.freq.hz(number)",
	FORMS(EVENT), FORMS(EVENT ".sample(number)"), FORMS(EVENT ".hz(number)"),
	EVENT ".counter(string)", EVENT ".process.counter(string)", EVENT ".process(string).counter(string)", NULL,
};

const struct probe_family family_perf = {
	.name = "perf",
	.arrival_ns = 1500,
	.samples = true,
	.bpf_program = perf_bpf_program,
	.bpf_registers = true,
	.bpf_refusal = perf_bpf_refusal,
	.patterns = patterns,
	.resolve = perf_resolve,
	.emit = perf_emit,
};
