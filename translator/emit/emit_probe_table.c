// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the table of probes: a row per probe, or, if there are very many, runs of rows that differ only in the
// point and in its text in the script, which the runtime expands. A row has five pointers, each a relocation of the
// module:
// those of a wildcard that matches all functions of the kernel would cost more than the rest of the translation.
#include "elab/elab.h"
#include "emit/emitter.h"
#include "resolve/family.h"

#include <string.h>

// Returns whether the handler takes its locks itself.
static bool is_late(const struct emitter *e, const struct probe *p)
{
	return e->locks_late[p->same_body ? p->same_body->index : p->index];
}

static void write_adds_only(struct emitter *e, struct cwriter *w, const struct probe *p)
{
	struct reads reads;

	if (!emit_adds_only(e, p, &reads))
		return;
	cw_line(w, reads.registers || reads.arguments ? ".adds_only = STP_ADDS_VALUES," : ".adds_only = STP_ADDS_CONSTANTS,");
}

// Returns whether p displays globals, as only probes without a location do.
static bool displays(const struct probe *p)
{
	return !p->loc.source;
}

// Returns whether p displays globals where hits do not wait for it: at the end of the script, or with --monitor in a
// process. An array of any size is displayed then.
static bool is_unlimited(const struct session *s, const struct probe *p)
{
	return displays(p) && !bpf_carries(p) && (p->family->exclusive || s->opt.user_runtime || s->opt.bpf_runtime);
}

// Writes the row without its point and the text of the point in the script.
static void write_probe_row(struct emitter *e, struct cwriter *w, const struct probe *p, struct lock_table locks,
			    struct lock_table entry_locks)
{
	const struct probe *body = p->same_body ? p->same_body : p;
	bool late = is_late(e, p);

	cw_line(w, ".handler = p%d,", body->index);
	if (p->in_slices)
		cw_line(w, ".in_slices = true,");
	if (emit_has_hit(p))
		cw_line(w, ".before = &stp_probes[%d],", p->before);
	cw_line(w, ".where = %s,", emit_c_string(emit_location_text(p->loc)));
	if (p->shared_name)
		cw_line(w, ".name = %s,", emit_c_string(p->shared_name));
	if (locks.n && !p->in_slices)
		cw_line(w, ".locks = %s, .%s = %d,", locks.name, late ? "nlate" : "nlocks", locks.n);
	if (entry_locks.n)
		cw_line(w, ".entry_locks = %s, .nentry = %d,", entry_locks.name, entry_locks.n);
	if (emit_times_hits(e->s) || access_needs_actions(p) || !work_is_bounded(e->handler_of[body->index]) ||
	    !work_is_bounded(e->entry_of[p->index]))
		cw_line(w, ".needs_actions = true,");
	if (is_unlimited(e->s, p))
		cw_line(w, ".unlimited = true,");
	else if (e->s->opt.monitor && displays(p))
		cw_line(w, ".displays = true,");
	if (p->family->arrival_ns)
		cw_line(w, ".arrival_ns = %d,", p->family->arrival_ns);
	write_adds_only(e, w, body);
	if (p->condition && !p->in_slices)
		cw_line(w, ".condition = p%d_condition,", p->index);
	else if (p->own_processes)
		cw_line(w, ".condition = stp_own_process,");
}

static void write_take_row(struct cwriter *w, const struct probe *p, struct lock_table locks, int takes)
{
	cw_line(w, ".handler = %s,", p->hit ? str_printf("p%d_hit", p->index) : "stp_take");
	if (p->condition)
		cw_line(w, ".condition = p%d_condition,", p->index);
	cw_line(w, ".where = %s,", emit_c_string(emit_location_text(p->loc)));
	if (locks.n)
		cw_line(w, ".locks = %s, .nlocks = %d,", locks.name, locks.n);
	if (takes)
		cw_line(w, ".takes = p%d_takes, .ntakes = %d,", p->index, takes);
	cw_line(w, ".needs_actions = true,");
}

// Rows are in runs from this number of probes on.
#define RUNS_FROM 256

// The rows in the order of the table. In runs, a row begins a run unless its text equals that of the row before.
struct row_writer {
	struct cwriter *w;
	bool in_runs;
	struct cwriter row, last;
	struct cwriter runs;
	// two zero-terminated texts of each row: its point, and its text in the script, "" if this equals the text
	// of the row before
	struct buf points;
	size_t run_points;         // offset of the texts of the run
	const char *run_written;   // text in the script of the last row of the run
	int run_rows;
};

static void swap_rows(struct row_writer *r)
{
	struct cwriter last = r->last;

	r->last = r->row;
	r->row = last;
	r->row.text.len = 0;
}

static bool is_alike(const struct row_writer *r)
{
	return r->row.text.len == r->last.text.len && !memcmp(r->row.text.text, r->last.text.text, r->row.text.len);
}

static void end_run(struct row_writer *r)
{
	if (!r->run_rows)
		return;
	cw_line(&r->runs, "{ %d, {", r->run_rows);
	cw_line(&r->runs, ".point = stp_probe_points + %zu,", r->run_points);
	cw_append(&r->runs, &r->last);
	cw_line(&r->runs, "} },");
	r->run_rows = 0;
}

static void add_text(struct row_writer *r, const char *text)
{
	buf_add(&r->points, text, strlen(text) + 1);
}

// Writes the row in r->row.
static void end_row(struct row_writer *r, const struct probe *p)
{
	const char *written = p->written ? p->written : p->point;

	if (!r->in_runs) {
		cw_line(r->w, "{");
		cw_line(r->w, ".point = %s,", emit_c_string(p->point));
		cw_line(r->w, ".written = %s,", emit_c_string(written));
		cw_append(r->w, &r->row);
		cw_line(r->w, "},");
		r->row.text.len = 0;
		return;
	}
	if (!is_alike(r)) {
		end_run(r);
		r->run_points = r->points.len;
		r->run_written = "";
	}
	r->run_rows++;
	add_text(r, p->point);
	add_text(r, strcmp(written, r->run_written) ? written : "");
	r->run_written = written;
	swap_rows(r);
}

static void begin_rows(struct emitter *e, struct row_writer *r)
{
	r->row.depth = r->last.depth = 2;      // indentation of a row in its table
	r->runs.depth = r->in_runs;
	if (r->in_runs)
		e->probe_runs = true;
	else
		cw_line(r->w, "static const struct stp_probe stp_probes[] = {");
}

static void end_rows(struct emitter *e, struct row_writer *r)
{
	if (r->in_runs) {
		end_run(r);
		emit_bytes(e->s, r->w, "const char", "stp_probe_points", &r->points);
		cw_line(r->w, "static struct stp_probe stp_probes[%d];", e->probes);
		cw_line(r->w, "static const struct stp_probe_run stp_probe_runs[] = {");
		cw_append(r->w, &r->runs);
	}
	cw_line(r->w, "};");
	cw_blank(r->w);
}

void emit_probe_tables(struct emitter *e, struct cwriter *w)
{
	int n = e->s->script.probes.n, *takes = NEW_ARRAY(int, n + 1);
	struct lock_table *locks = NEW_ARRAY(struct lock_table, n + 1), *entry_locks = NEW_ARRAY(struct lock_table, n + 1);
	struct row_writer rows = { .w = w, .in_runs = e->probes >= RUNS_FROM && !e->s->opt.bpf_runtime };

	for (int i = 0; i < n; i++) {
		if (e->s->script.probes.at[i]->shares)
			continue;
		locks[i] = emit_lock_table(e, w, e->s->script.probes.at[i]);
		e->locks_of[e->s->script.probes.at[i]->index] = locks[i].uses;
		entry_locks[i] = emit_entry_lock_table(e, w, e->s->script.probes.at[i]);
		e->entry_locks_of[e->s->script.probes.at[i]->index] = entry_locks[i].uses;
		if (e->s->script.probes.at[i]->takes.n)
			takes[i] = emit_takes(e, w, e->s->script.probes.at[i]);
	}
	begin_rows(e, &rows);
	for (int i = 0; i < n; i++) {
		const struct probe *p = e->s->script.probes.at[i];

		if (p->shares)
			continue;
		write_probe_row(e, &rows.row, p, locks[i], entry_locks[i]);
		end_row(&rows, p);
	}
	for (int i = 0; i < n; i++) {
		const struct probe *p = e->s->script.probes.at[i];

		if (!emit_has_hit(p))
			continue;
		write_take_row(&rows.row, p, locks[i], takes[i]);
		end_row(&rows, p);
	}
	end_rows(e, &rows);
}
