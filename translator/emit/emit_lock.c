// SPDX-License-Identifier: GPL-2.0-or-later
// Locks of handlers: which locks each handler takes, and between which statements it holds them. A handler that
// first checks whether the hit is relevant, or continues after its last use of globals, takes and releases its
// locks itself; for all others the runtime does so around the handler.
#include "elab/elab.h"
#include "emit/emitter.h"
#include "resolve/family.h"

#include <stdlib.h>

static int by_index(const void *a, const void *b)
{
	const struct access_use *x = a, *y = b;

	return x->var->index - y->var->index;
}

// Adds the variables that i and its callees sort or merge.
static void add_write_locked(struct func_info *i, access_list *uses, int visit)
{
	if (i->visit == visit)
		return;
	i->visit = visit;
	for map_each(&i->needs_write_lock, it)
		vec_push(uses, ((struct access_use){ .var = it->value, .write = true }));
	for vec_each(&i->callees, to)
		add_write_locked(*to, uses, visit);
}

// Two handlers, each of which adds to a global that the other reads, would wait for each other. Therefore a handler
// that reads such globals locks those that it adds to for writing.
static void add_as_writer(access_list *uses)
{
	bool reads = false;

	for vec_each(uses, u)
		reads |= u->write && access_is_merged(u->var);
	for vec_each(uses, u)
		u->write |= reads && u->adding;
}

// The client of BPF programs copies a global back to the programs' memory if its handler holds the lock for writing.
static const char *mode_of(const struct emitter *e, const struct access_use *u)
{
	if (u->adding && !u->write && !e->s->opt.bpf_runtime)
		return "STP_ADDING";
	return u->write || u->adding ? "STP_WRITE" : "STP_READ";
}

// Writes each variable once, in the same order for all handlers, so that they cannot deadlock. Handlers with the
// same locks share a table.
static struct lock_table lock_table(struct emitter *e, struct cwriter *w, const char *name, access_list *uses)
{
	struct cwriter rows = { .depth = 1 };
	const char *known;
	int n = 0;

	if (!uses->n)
		return (struct lock_table){ 0 };
	for vec_each(uses, u)
		emit_global(e, u->var)->locked = true;
	qsort(uses->at, (size_t)uses->n, sizeof(uses->at[0]), by_index);
	for vec_each(uses, u) {
		if (n && uses->at[n - 1].var == u->var)
			uses->at[n - 1].write |= u->write;
		else
			uses->at[n++] = *u;
	}
	uses->n = n;
	add_as_writer(uses);
	for vec_each(uses, u)
		cw_line(&rows, "{ &lock_%s, %s, \"%s\" },", emit_global(e, u->var)->name + 2, mode_of(e, u), u->var->name);
	known = map_get(&e->lock_tables, buf_text(&rows.text));
	if (known)
		return (struct lock_table){ known, n, *uses };
	map_put(&e->lock_tables, buf_text(&rows.text), (void *)name);
	cw_line(w, "static const struct stp_lock_use %s[] = {", name);
	cw_append(w, &rows);
	cw_line(w, "};");
	return (struct lock_table){ name, n, *uses };
}

// Writes the locks of the hit that makes the copies of a handler in slices.
static struct lock_table hit_lock_table(struct emitter *e, struct cwriter *w, const struct probe *p)
{
	struct stmt empty = { .kind = S_BLOCK };
	struct probe hit = *p;
	access_list uses = { 0 };

	hit.body = p->hit ? p->hit : &empty;
	access_probe_locks(e->s, &hit, &uses);
	for vec_each(&p->takes, t) {
		struct access_use use = { .var = t->var, .write = t->clear || access_is_merged(t->var) };

		vec_push(&uses, use);
	}
	if (p->hit)
		add_write_locked(e->hit_of[p->index], &uses, p->index + 1);
	return lock_table(e, w, str_printf("p%d_locks", p->index), &uses);
}

const char *emit_late_lock(struct emitter *e, const char *function)
{
	return e->s->opt.bpf_runtime ? str_printf("%s_of(p%d, c)", function, e->body->handler) : str_printf("%s(c)", function);
}

// Writes the table of locks that p's handler takes; if it runs in slices, of those that are held while its globals
// are copied.
struct lock_table emit_lock_table(struct emitter *e, struct cwriter *w, const struct probe *p)
{
	access_list uses = { 0 };

	if (p->in_slices)
		return hit_lock_table(e, w, p);
	access_probe_locks(e->s, p, &uses);
	// The client of BPF programs sorts and merges copies.
	if (!p->family->exclusive && (!e->s->opt.bpf_runtime || bpf_carries(p)))
		add_write_locked(e->handler_of[p->same_body ? p->same_body->index : p->index], &uses,
				 p->index + 1);
	return lock_table(e, w, str_printf("p%d_locks", p->index), &uses);
}

// Writes the locks of p's @entry() expressions.
struct lock_table emit_entry_lock_table(struct emitter *e, struct cwriter *w, const struct probe *p)
{
	access_list uses = { 0 };

	if (!p->entries.n)
		return (struct lock_table){ 0 };
	access_entry_locks(e->s, p, &uses);
	add_write_locked(e->entry_of[p->index], &uses, e->s->script.probes.n + p->index + 1);
	return lock_table(e, w, str_printf("p%d_entry_locks", p->index), &uses);
}

// ---------------------------------------------------------------- ranges of statements

static bool only_one(const struct stmt *a, const struct stmt *b)
{
	return access_locks_in(a, NULL) != access_locks_in(b, NULL);
}

// Finds the first and the last statement that use a locked global; both are executed at most once, in this order, on
// every path between them.
static void find_range(struct lock_range *r, struct stmt *s)
{
	while (s->kind == S_BLOCK || s->kind == S_IF) {
		struct stmt *first = NULL, *last = NULL;
		int at = 0, first_at = 0;

		if (s->kind == S_IF) {
			if (access_locks_in(NULL, s->u.if_.c) || !only_one(s->u.if_.then, s->u.if_.other))
				break;
			r->late = true;
			s = access_locks_in(s->u.if_.then, NULL) ? s->u.if_.then : s->u.if_.other;
			continue;
		}
		for vec_each(&s->u.block, it) {
			if (access_locks_in(*it, NULL)) {
				first_at = first ? first_at : at;
				first = first ? first : *it;
				last = *it;
			}
			at++;
		}
		if (!first)
			return;            // globals are only merged or sorted: the locks are held during the whole
					   // handler
		r->late |= first_at > 0;
		r->early |= last != s->u.block.at[s->u.block.n - 1];
		if (first != last) {
			r->from = first;
			r->to = last;
			return;
		}
		s = first;
	}
	r->from = r->to = s;
}

// Returns whether no other probe uses p's handler, and p has no condition, which would read globals.
static bool is_unconditional(const struct session *s, const struct probe *p)
{
	for vec_each(&s->script.probes, other)
		if ((*other == p || (*other)->same_body == p) && (*other)->condition)
			return false;
	return true;
}

struct lock_range emit_lock_range(struct emitter *e, const struct probe *p)
{
	struct lock_range r = { 0 }, whole = { 0 };

	if (e->s->opt.no_optimize || p->family->exclusive || p->in_slices)
		return whole;
	if (e->s->opt.compatible && !session_since(e->s, p->loc, "4.4", "releasing locks before the end of a handler"))
		return whole;
	find_range(&r, p->body);
	return r.from && (r.late || r.early) && is_unconditional(e->s, p) ? r : whole;
}
