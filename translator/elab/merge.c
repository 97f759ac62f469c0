// SPDX-License-Identifier: GPL-2.0-or-later
// --merge: divides a script into the part that runs on each host and the part that runs once, here. In: typed trees of
// the whole script. Out: the probes of one part; var.merged of the globals that hosts add to and this part reads.
//
// Event probes run on the hosts; begin, end, error, timers and procfs probes run here. A global that only one part
// uses stays there. One that both use has to be a sum on the hosts (n++, n += x, s <<< x), or an array with
// hostname() among its keys, to which a host only assigns. Every second and at its end, a host sends and clears
// what it has added, which is then added to the global here. Any other use is an error at its location.
#include "elab/display.h"
#include "session/passes.h"
#include "util/numbers.h"

#include <string.h>

static const char *const after_all_others = "9223372036854775806";     // except the display of unread globals

enum side { ON_HOSTS, HERE };

struct first_use { bool is_set; struct loc loc; };

struct merge_use {
	bool used[2];                      // [side]
	struct first_use read, written;        // uses on the hosts; written: in another way than by adding
	struct first_use by_host;              // on the hosts: an assignment to an element whose keys contain the
					       // host's name
	struct first_use written_here, added;
};

struct merger {
	struct session *s;
	struct merge_use *uses;            // indexed by var.number
	enum side side;
	struct numbers seen;               // set of struct func *: visited on this side
	VEC(struct loc) by_host;           // elements whose keys contain hostname()
	VEC(struct loc) deleted;           // elements that are deleted instead of assigned
};

static enum side side_of(const struct probe *p)
{
	return p->family->on_user_runtime ? HERE : ON_HOSTS;
}

// ---------------------------------------------------------------- uses

static bool same_loc(struct loc a, struct loc b)
{
	return a.source == b.source && a.line == b.line && a.column == b.column;
}

static bool is_assigned_by_host(const struct merger *m, struct loc loc)
{
	for vec_each(&m->deleted, it)
		if (same_loc(*it, loc))
			return false;
	for vec_each(&m->by_host, it)
		if (same_loc(*it, loc))
			return true;
	return false;
}

static void note_first(struct first_use *p, struct loc loc)
{
	if (!p->is_set)
		*p = (struct first_use){ true, loc };
}

static void visit_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct merger *m = w->data;
	struct merge_use *u;

	if (v->kind != VAR_GLOBAL)
		return;
	u = &m->uses[v->number];
	u->used[m->side] = true;
	if (m->side == HERE) {
		if (use & USE_WRITE)
			note_first(&u->written_here, loc);
		return;
	}
	if (use & USE_READ)
		note_first(&u->read, loc);
	if ((use & USE_WRITE) && ((use & USE_ADD) || ((use & USE_UPDATE) && (use & USE_READ))))
		note_first(&u->added, loc);
	else if ((use & USE_WRITE) && !(use & USE_READ) && is_assigned_by_host(m, loc))
		note_first(&u->by_host, loc);
	else if (use & USE_WRITE)
		note_first(&u->written, loc);
}

static bool is_hostname(const struct expr *e)
{
	const struct func *f = e && e->kind == E_CALL ? e->u.call.target : NULL;

	return f && f->source && f->source->library && !strcmp(f->name, "hostname");
}

static void visit_expr(struct use_walker *w, const struct expr *e)
{
	struct merger *m = w->data;

	if (e->kind != E_INDEX)
		return;
	for vec_each(&e->u.index.keys, key)
		if (is_hostname(*key))
			vec_push(&m->by_host, e->loc);
}

static void visit_stmt(struct use_walker *w, const struct stmt *st)
{
	struct merger *m = w->data;

	if (st->kind == S_DELETE)
		vec_push(&m->deleted, st->u.expr->loc);
}

static void visit_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct merger *m = w->data;

	if (numbers_add(&m->seen, f))
		use_func(w, f);
}

static void find_uses(struct merger *m)
{
	struct use_walker w = { .var = visit_var, .call = visit_call, .expr = visit_expr, .stmt = visit_stmt, .data = m };

	for (m->side = ON_HOSTS; m->side <= HERE; m->side++) {
		memset(&m->seen, 0, sizeof(m->seen));
		for vec_each(&m->s->script.probes, p) {
			if (side_of(*p) != m->side || !(*p)->family->emit)
				continue;
			use_probe(&w, *p);
			if ((*p)->condition)
				use_expr(&w, (*p)->condition);
		}
	}
}

// ---------------------------------------------------------------- what cannot be merged

static void advise(const struct var *v)
{
	diag_note(v->loc, "with --merge, probes of events run on the hosts, and begin, end, timer and procfs probes run here; "
		  "a global that both use must be a sum (n++, n += x, s <<< x), or an array whose keys contain hostname(). "
		  "Without --merge, each host prints its own result (--remote-prefix shows which one)");
}

static bool is_sum(const struct var *v, const struct merge_use *u)
{
	return !v->wrap && !u->written.is_set && !(u->by_host.is_set && u->added.is_set) && !u->read.is_set;
}

// Reports the first use because of which the global cannot be a sum over the hosts.
static void check_use(const struct var *v, const struct merge_use *u)
{
	if (is_sum(v, u))
		return;
	if (v->wrap)
		diag_error(v->loc, "the array \"%s\" cannot be merged: it removes its oldest elements (\"%%\"), which differ on "
			   "each host", v->name);
	else if (u->written.is_set && v->type == T_STRING)
		diag_error(u->written.loc, "the string \"%s\" cannot be merged: its value depends on the order of events on "
			   "different hosts", v->name);
	else if (u->written.is_set)
		diag_error(u->written.loc, "\"%s\" cannot be merged: this probe runs on each host, and each host may "
					   "set another value", v->name);
	else if (u->by_host.is_set && u->added.is_set)
		diag_error(u->added.loc, "\"%s\" cannot be merged: probes may either add to it, as here, or set it for each "
			   "hostname()", v->name);
	else if (u->read.is_set && u->written_here.is_set && !u->added.is_set && !u->by_host.is_set)
		diag_error(u->read.loc, "\"%s\" has no value on the hosts: only a probe of this machine sets it; set it where it "
			   "is declared (global %s = 10), or with -G", v->name, v->name);
	else
		diag_error(u->read.loc, "\"%s\" cannot be read in this probe, which runs on the hosts: a host has only its own "
			   "part of it", v->name);
	advise(v);
}

static bool is_constant(const struct merge_use *u)
{
	return !u->written.is_set && !u->added.is_set && !u->by_host.is_set && !u->written_here.is_set;
}

static void check_globals(struct merger *m)
{
	int merged = 0;

	for vec_each(&m->s->script.globals, it) {
		struct var *v = *it;
		const struct merge_use *u = &m->uses[v->number];

		if (!u->used[ON_HOSTS] || !u->used[HERE] || is_constant(u))
			continue;
		v->merged = ++merged;
		v->set_by_host = u->by_host.is_set;
		check_use(v, u);
	}
	if (!m->s->opt.suppress_errors && !session_limit(m->s, LIMIT_MAXERRORS))
		return;
	diag_error((struct loc){ 0 }, "--merge cannot be used with --suppress-handler-errors or -DMAXERRORS: after "
				      "an error, it is uncertain which values a host has sent");
}

// ---------------------------------------------------------------- the part that runs on a host

static struct stmt *send(struct var *v, const expr_vec *keys, struct expr *value)
{
	struct expr *e = expr_new(E_PRINT, v->loc);

	e->u.print.kind = PRINT_MERGED;
	e->u.print.word = "send";
	e->u.print.merged = v;
	for vec_each(keys, k)
		vec_push(&e->u.print.args, expr_copy(*k));
	vec_push(&e->u.print.args, value);
	return display_statement(e);
}

static struct stmt *send_scalar(struct var *v)
{
	struct stmt *s = stmt_new(S_IF, v->loc);
	expr_vec none = { 0 };

	s->u.if_.c = v->type == T_STATS ? display_stat(v, &none, STAT_COUNT) :
		display_operand(v, &none);
	s->u.if_.then = send(v, &none, expr_copy(s->u.if_.c));
	return s;
}

static struct stmt *send_array(struct probe *p, struct var *v)
{
	expr_vec keys = { 0 };
	struct stmt *s = display_loop(p, v, &keys);

	s->u.foreach.sort_dir = 0;
	s->u.foreach.sort_stat = 0;
	if (v->type != T_STATS)
		s->u.foreach.value = display_local(p, v, "value", v->type);
	s->u.foreach.body = send(v, &keys, v->type == T_STATS ? display_stat(v, &keys, STAT_COUNT) :
				 expr_copy(s->u.foreach.value));
	return s;
}

static struct stmt *forget(struct var *v)
{
	struct stmt *s = stmt_new(S_DELETE, v->loc);
	expr_vec none = { 0 };

	s->u.expr = display_operand(v, &none);
	return s;
}

static void add_sender(struct session *s, const struct point_part *parts, int n)
{
	struct probe *p = display_probe(s, parts, n);

	if (!p)
		return;
	for vec_each(&s->script.globals, it)
		if ((*it)->merged)
			vec_push(&p->body->u.block, (*it)->arity > 0 ? send_array(p, *it) : send_scalar(*it));
	for vec_each(&s->script.globals, it)
		if ((*it)->merged)
			vec_push(&p->body->u.block, forget(*it));
	bind_names_of_probe(s, p);
}

static void add_senders(struct session *s)
{
	const struct point_part timer[] = {
		{ .name = "timer" }, { .name = "s", .arg_kind = ARG_NUMBER, .text = "1", .number = 1 },
	};
	const struct point_part end = {
		.name = "end", .arg_kind = ARG_NUMBER, .text = after_all_others, .number = INT64_MAX - 1,
	};
	struct point_part error = end;

	error.name = "error";

	add_sender(s, timer, ARRAY_SIZE(timer));
	add_sender(s, &end, 1);
	add_sender(s, &error, 1);
}

// The initial value of a sum is counted once, in the part that runs here.
static void forget_initial_values(struct session *s)
{
	for vec_each(&s->script.globals, v)
		if ((*v)->merged)
			(*v)->init = NULL;
}

// ---------------------------------------------------------------- the part that runs here

// -G sets a global in the parts that use it; for a sum only here, so that it is counted once.
static void divide_settings(struct merger *m)
{
	struct session *s = m->s;
	int n = 0;

	for vec_each(&s->opt.globals, setting) {
		bool here = false;

		for vec_each(&s->script.globals, v) {
			const struct merge_use *u = &m->uses[(*v)->number];

			if (strcmp((*v)->name, setting->name) || (*v)->is_private)
				continue;
			here = u->used[HERE];
			if (u->used[ON_HOSTS] && !(*v)->merged)
				vec_push(&s->host_settings, (const char *)str_printf("%s=%s", setting->name, setting->value));
		}
		if (here)
			s->opt.globals.at[n++] = *setting;
	}
	s->opt.globals.n = n;
}

// The array must have space for the elements of all hosts.
static void enlarge(struct session *s, struct var *v)
{
	enum { ELEMENTS_MAX = 1 << 24 };
	int64_t each = v->max_size ? v->max_size : session_limit(s, LIMIT_MAXMAPENTRIES);

	int hosts = s->opt.remotes_all ? s->opt.remotes_all : 1;

	v->max_size = each <= ELEMENTS_MAX / hosts ? each * hosts : each > ELEMENTS_MAX ? each : ELEMENTS_MAX;
}

// ---------------------------------------------------------------- the step

// Globals that only the other part uses are removed without a warning.
static void keep_side(struct merger *m, enum side side)
{
	struct session *s = m->s;
	int n = 0;

	for (int i = 0; i < s->script.globals.n; i++) {
		struct var *v = s->script.globals.at[i];

		if (m->uses[v->number].used[side] || !m->uses[v->number].used[!side])
			s->script.globals.at[n++] = v;
	}
	s->script.globals.n = n;
	n = 0;

	for (int i = 0; i < s->script.probes.n; i++)
		if (side_of(s->script.probes.at[i]) == side)
			s->script.probes.at[n++] = s->script.probes.at[i];
	s->script.probes.n = n;
}

static void begin(struct merger *m)
{
	struct session *s = m->s;

	for (int i = 0; i < s->script.globals.n; i++)
		s->script.globals.at[i]->number = i;
	m->uses = NEW_ARRAY(struct merge_use, s->script.globals.n + 1);
	find_uses(m);
}

void merge_mark(struct session *s)
{
	struct merger m = { .s = s };

	begin(&m);
	for vec_each(&s->script.globals, v) {
		const struct merge_use *u = &m.uses[(*v)->number];

		(*v)->only_on_hosts = u->used[ON_HOSTS] && !u->used[HERE] && !is_constant(u) && !is_sum(*v, u);
	}
}

int elab_merge(struct session *s)
{
	struct merger m = { .s = s };
	int before = diag_errors();
	bool any = false;

	if (!s->opt.merge || s->opt.merge == MERGE_WHOLE)
		return 0;
	begin(&m);
	check_globals(&m);
	for vec_each(&s->script.probes, p)
		any |= side_of(*p) == ON_HOSTS;
	if (!any)
		diag_error((struct loc){ 0 }, "--merge: the script has no probe of events that could run on the hosts, only begin, "
			   "end, timer or procfs probes, which run here");
	if (diag_errors() > before)
		return diag_errors() - before;
	keep_side(&m, s->opt.merge == MERGE_HOST ? ON_HOSTS : HERE);
	if (s->opt.merge == MERGE_HOST) {
		forget_initial_values(s);
		add_senders(s);
		elab_types(s);
	} else {
		divide_settings(&m);
		for vec_each(&s->script.globals, v)
			if ((*v)->merged && (*v)->arity > 0)
				enlarge(s, *v);
	}
	s->opt.user_runtime = s->opt.merge == MERGE_HERE;
	access_count_uses(s);
	access_compute(s);
	return diag_errors() - before;
}
