// SPDX-License-Identifier: GPL-2.0-or-later
// Determines which globals a handler accesses, called functions included, and derives which globals need locks, which
// can be stored per CPU, and which functions can be removed. In: typed trees. Out: the fields that ast.h gives to
// `access`, and lock lists for the emitter.
//
// Handlers of exclusive families (begin, end, error) run alone, so only accesses by other handlers matter: a global
// that none of them writes needs no lock; one that they only add to is stored per CPU, and summed when begin, end or
// error read it. One that only timers and procfs files use otherwise is stored per CPU, too: these are rare, and their
// lock excludes hits that add.
#include "elab/elab.h"

#include <limits.h>

struct seen {
	struct var *var;
	int use;                   // bits of USE_*
};

// The globals and functions that a handler or function reaches.
struct reach {
	VEC(struct func *) funcs;
	VEC(struct seen) seen;
	bool loops;
	// number of this walk, which it stores in func.reached and var.reached of all that it reaches
	int number;
};

// ---------------------------------------------------------------- collecting

static void reach_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct reach *r = w->data;
	struct seen seen = { v, use };
	int *at;

	if (v->kind != VAR_GLOBAL)
		return;
	if (v->reached != r->number) {
		v->reached = r->number;
		v->reached_at[0] = v->reached_at[1] = -1;
	}
	at = &v->reached_at[(seen.use & USE_ADD) != 0];
	if (*at >= 0) {
		r->seen.at[*at].use |= seen.use;
		return;
	}
	*at = r->seen.n;
	vec_push(&r->seen, seen);
}

static void reach_stmt(struct use_walker *w, const struct stmt *s)
{
	struct reach *r = w->data;

	if (s->kind == S_WHILE || s->kind == S_FOR || s->kind == S_FOREACH)
		r->loops = true;
}

static void reach_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct reach *r = w->data;

	if (f->reached == r->number)
		return;
	f->reached = r->number;
	vec_push(&r->funcs, f);
	use_func(w, f);
}

// Begins a walk. Globals are found by the number of the last walk, so a walk must be used before the next one
// begins.
static struct use_walker reach_walker(struct reach *r)
{
	static int walks;

	r->number = ++walks;
	return (struct use_walker){ .var = reach_var, .call = reach_call, .stmt = reach_stmt, .data = r };
}

static void reach_probe(struct reach *r, const struct probe *p)
{
	struct use_walker w = reach_walker(r);

	use_probe(&w, p);
}

static void reach_func(struct reach *r, const struct func *f)
{
	struct use_walker w = reach_walker(r);

	use_func(&w, f);
}

// ---------------------------------------------------------------- reads and writes

// A loop that updates a local counts within one call.
static void count_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	v->read |= (use & USE_READ) != 0;
	v->written |= (use & USE_WRITE) != 0;
	v->only_updated &= !(use & USE_WRITE) || ((use & USE_UPDATE) && !(v->kind == VAR_LOCAL && w->loops));
}

static void forget_uses(struct var *v)
{
	v->read = false;
	v->written = v->merged;            // hosts write the globals that are merged
	v->only_updated = true;
}

static void mark_called(struct use_walker *w, struct func *f, struct loc loc)
{
	if (f->used)
		return;
	f->used = true;
	use_func(w, f);
}

void access_count_uses(struct session *s)
{
	struct use_walker w = { .var = count_var, .call = mark_called };

	for vec_each(&s->script.globals, g)
		forget_uses(*g);
	for vec_each(&s->script.funcs, f) {
		(*f)->used = false;
		for vec_each(&(*f)->params, v)
			forget_uses(*v);
		for vec_each(&(*f)->locals, v)
			forget_uses(*v);
	}
	for vec_each(&s->script.probes, p)
		for vec_each(&(*p)->locals, v)
			forget_uses(*v);
	for vec_each(&s->script.probes, p) {
		if ((*p)->condition)
			use_expr(&w, (*p)->condition);
		use_probe(&w, *p);
	}
}

void access_func_writes(const struct func *f, access_list *out)
{
	struct reach r = { 0 };

	reach_func(&r, f);
	for vec_each(&r.seen, it)
		if (it->use & USE_WRITE)
			vec_push(out, ((struct access_use){ .var = it->var, .write = true }));
}

// ---------------------------------------------------------------- side effects

struct effects {
	bool any;
	bool locals_count;         // writes to locals count as effects
};

static void effect_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct effects *f = w->data;

	if ((use & USE_WRITE) && (v->kind == VAR_GLOBAL || f->locals_count))
		f->any = true;
}

static void effect_call(struct use_walker *w, struct func *f, struct loc loc)
{
	((struct effects *)w->data)->any |= f->has_side_effects;
}

static bool is_variable(const struct expr *e)
{
	return e->kind == E_VAR || e->kind == E_INDEX;
}

bool access_may_divide_by_zero(const struct expr *e)
{
	enum tok op = e->u.bin.op;
	bool divides = op == TOK_DIV || op == TOK_MOD || op == TOK_DIV_ASSIGN || op == TOK_MOD_ASSIGN;

	return divides && !e->u.bin.of_location &&
	       (e->u.bin.r->kind != E_NUMBER || !e->u.bin.r->u.number);
}

static void effect_expr(struct use_walker *w, const struct expr *e)
{
	bool effect = false;

	if (e->kind == E_BINARY)
		effect = access_may_divide_by_zero(e);
	else if (e->kind == E_PRINT)
		effect = !e->u.print.to_string;
	else if (e->kind == E_EMBEDDED)
		effect = !(e->u.embedded->pragmas & PRAGMA_PURE);
	else if (e->kind == E_ASSIGN)
		effect = !is_variable(e->u.bin.l) || access_may_divide_by_zero(e);
	else if (e->kind == E_INCDEC)
		effect = !is_variable(e->u.un.e);
	else if (e->kind == E_REGEX)
		effect = e->u.regex.keep;
	else if (e->kind == E_UNBOUND)
		effect = true;
	((struct effects *)w->data)->any |= effect;
}

bool access_pure(const struct expr *e)
{
	struct effects f = { .locals_count = true };
	struct use_walker w = { .var = effect_var, .call = effect_call, .expr = effect_expr, .data = &f };

	use_expr(&w, e);
	return !f.any;
}

bool access_only_sets_locals(const struct expr *e)
{
	struct effects f = { 0 };
	struct use_walker w = { .var = effect_var, .call = effect_call, .expr = effect_expr, .data = &f };

	use_expr(&w, e);
	return !f.any;
}

// `next` raises an error if there is no further overload.
static void effect_stmt(struct use_walker *w, const struct stmt *s)
{
	((struct effects *)w->data)->any |= s->kind == S_NEXT;
}

static bool has_effects(const struct func *f)
{
	struct effects effects = { 0 };
	struct use_walker w = { .var = effect_var, .call = effect_call, .expr = effect_expr, .stmt = effect_stmt,
				.data = &effects };

	if (!f->body)
		return !func_has(f, PRAGMA_PURE);
	use_stmt(&w, f->body);
	return effects.any;
}

// ---------------------------------------------------------------- order of calls

// State of Tarjan's algorithm, which finds the strongly connected components of the call graph: functions that
// reach each other. func.low is the earliest function on the stack that the function is known to reach; INT_MAX
// after its component is complete.
struct components {
	VEC(struct func *) stack;
	VEC(struct func *) done;   // functions of complete components, callees before callers
	struct func *at;           // the function that is being visited, or NULL
	int visited;
};

static void complete(struct components *c, const struct func *oldest)
{
	int first = c->stack.n;
	bool writes = false;

	while (c->stack.at[--first] != oldest)
		;
	for (int i = first; i < c->stack.n; i++)
		writes |= c->stack.at[i]->writes_globals;
	for (int i = first; i < c->stack.n; i++) {
		struct func *f = c->stack.at[i];

		f->low = INT_MAX;
		f->component = oldest->order;
		f->recursive |= c->stack.n - first > 1;
		f->writes_globals = writes;
		vec_push(&c->done, f);
	}
	c->stack.n = first;
}

static void component_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct components *c = w->data;

	c->at->writes_globals |= v->kind == VAR_GLOBAL && (use & USE_WRITE);
}

static void component_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct components *c = w->data;
	struct func *caller = c->at;

	if (!f->order) {
		f->order = f->low = ++c->visited;
		vec_push(&c->stack, f);
		c->at = f;
		use_func(w, f);
		c->at = caller;
		if (f->low == f->order)
			complete(c, f);
	}
	if (!caller)
		return;
	caller->recursive |= f == caller;
	caller->writes_globals |= f->writes_globals;
	if (f->low < caller->low)
		caller->low = f->low;
}

static void compute_functions(struct session *s)
{
	struct components c = { 0 };
	struct use_walker w = { .var = component_var, .call = component_call, .data = &c };
	bool changed;

	for vec_each(&s->script.funcs, f) {
		(*f)->has_side_effects = (*f)->writes_globals = (*f)->recursive = false;
		(*f)->order = 0;
	}
	for vec_each(&s->script.funcs, f)
		if ((*f)->used)
			component_call(&w, *f, (*f)->loc);
	do {
		changed = false;
		for vec_each(&c.done, it) {
			if ((*it)->has_side_effects || !has_effects(*it))
				continue;
			(*it)->has_side_effects = true;
			changed = true;
		}
	} while (changed);
}

// ---------------------------------------------------------------- locks

// USE_* bits of a global in handlers that do not run alone: `adds` by handlers that only add to it; `rare` by
// timers and procfs files that use it otherwise; `other` by all others, including conditions.
struct global_use { int adds, rare, other; };

// Returns the entry of a global in `seen`, or NULL if the last walk did not reach it.
static const struct seen *find_seen(const struct reach *r, const struct var *v, bool add)
{
	return v->reached == r->number && v->reached_at[add] >= 0 ? &r->seen.at[v->reached_at[add]] : NULL;
}

static void gather_condition(struct probe *p, struct global_use *uses)
{
	struct reach r = { 0 };
	struct use_walker w = reach_walker(&r);

	if (p->condition)
		use_expr(&w, p->condition);
	for vec_each(&r.seen, seen)
		uses[seen->var->number].other |= seen->use;
}

// Collects the uses of globals, by var.number.
static void gather(struct session *s, struct global_use *uses)
{
	for (int i = 0; i < s->script.globals.n; i++)
		s->script.globals.at[i]->number = i;
	for vec_each(&s->script.probes, it) {
		struct reach r = { 0 };

		if ((*it)->family->exclusive)
			continue;
		gather_condition(*it, uses);
		reach_probe(&r, *it);
		for vec_each(&r.seen, seen) {
			struct global_use *u = &uses[seen->var->number];
			bool mixed = find_seen(&r, seen->var, false);      // the handler uses the global also
									   // otherwise than to add

			if ((seen->use & USE_ADD) && !(seen->use & USE_READ) && !(mixed && (*it)->family->in_slices))
				u->adds |= seen->use;
			else if ((*it)->family->in_slices)
				u->rare |= seen->use;
			else
				u->other |= seen->use;
		}
	}
}

// Returns whether each CPU can add to its own copy of the global. Elements of an array that wraps are removed by
// hits, so copies of numbers cannot. BPF programs have one table of each array for all CPUs and the client.
static bool can_be_per_cpu(const struct session *s, const struct var *g)
{
	if (g->arity > 0 && s->opt.bpf_runtime)
		return false;
	return g->type == T_STATS || (g->type == T_LONG && (g->arity <= 0 || !g->wrap));
}

static void compute_globals(struct session *s)
{
	int n = s->script.globals.n;
	struct global_use *uses = NEW_ARRAY(struct global_use, n + 1);

	gather(s, uses);
	for (int i = 0; i < n; i++) {
		struct var *g = s->script.globals.at[i];
		struct global_use *u = &uses[i];
		bool user = !g->loc.source || !g->loc.source->library, adds = u->adds && !u->other && can_be_per_cpu(s, g);

		g->added_only = adds && !u->rare;
		g->per_cpu = adds && g->type == T_LONG && !(s->opt.bpf_runtime && u->rare);
		g->unlocked = g->added_only || !((u->adds | u->rare | u->other) & USE_WRITE);
		g->autoprint = user && g->written && !g->read && !s->opt.no_autoprint && !s->opt.list &&
			       !s->opt.list_vars;
	}
}

static void locks_of(struct session *s, const struct reach *r, access_list *out)
{
	for vec_each(&s->script.globals, it) {
		const struct seen *use = find_seen(r, *it, false), *add = find_seen(r, *it, true);
		struct access_use lock = { .var = *it };

		if ((*it)->unlocked || (!use && !add))
			continue;
		// Each CPU adds to its own part, and a reader writes the merged values.
		if (access_is_merged(*it)) {
			lock.write = use != NULL;
			lock.adding = !use;
		} else
			lock.write = add || (use->use & USE_WRITE);
		vec_push(out, lock);
	}
}

// A condition is evaluated with its handler's locks. Numbers in a condition need no lock, since they are read in
// one load.
void access_probe_locks(struct session *s, const struct probe *p, access_list *out)
{
	struct reach r = { 0 }, condition = { 0 };
	struct use_walker w = reach_walker(&condition);

	if (p->family->exclusive)
		return;
	if (p->condition)
		use_expr(&w, p->condition);
	w = reach_walker(&r);
	for vec_each(&condition.seen, it)
		if (it->var->arity > 0 || it->var->type == T_STRING)
			w.var(&w, it->var, it->use, p->loc);
	use_stmt(&w, p->body);
	locks_of(s, &r, out);
}

void access_entry_locks(struct session *s, const struct probe *p, access_list *out)
{
	struct reach r = { 0 };
	struct use_walker w = reach_walker(&r);

	for vec_each(&p->entries, e)
		use_expr(&w, *e);
	locks_of(s, &r, out);
}

bool access_locks_in(const struct stmt *s, const struct expr *e)
{
	struct reach r = { 0 };
	struct use_walker w = reach_walker(&r);

	if (s)
		use_stmt(&w, s);
	if (e)
		use_expr(&w, e);
	// Merging statistics and sorting arrays write to them, even if no other handler does.
	for vec_each(&r.seen, it)
		if (!it->var->unlocked || (!it->var->added_only && (it->var->arity || it->var->type == T_STATS)))
			return true;
	return false;
}

bool access_needs_actions(const struct probe *p)
{
	struct reach r = { 0 };

	reach_probe(&r, p);
	for vec_each(&r.funcs, f)
		if ((*f)->recursive)
			return true;
	return r.loops;
}

// ---------------------------------------------------------------- registers

static void reg_expr(struct use_walker *w, const struct expr *e)
{
	struct probe *p = w->data;
	const struct expr *written;
	int64_t number;

	if (e->kind != E_REGISTER)
		return;
	written = e->u.reg.number_expr;
	p->names_regs |= written != NULL;
	if (e->u.reg.user)
		return;
	number = !written ? e->u.reg.number : written->kind == E_NUMBER ? written->u.number : -1;
	p->uses_regs = true;
	p->reg_mask |= number >= 0 && number < 32 ? 1u << number : ~0u;
}

// The C uses c->kregs, CONTEXT->uregs or the like: it is unknown which registers it reads.
static bool uses_registers(const struct embedded *c)
{
	for vec_each(&c->words, word)
		if (str_ends(word->name, "regs"))
			return true;
	return false;
}

static void compute_registers(struct probe *p)
{
	struct use_walker w = { .expr = reg_expr, .data = p };
	struct reach r = { 0 };

	p->uses_regs = p->names_regs = false;
	p->reg_mask = 0;
	use_probe(&w, p);
	reach_probe(&r, p);
	for vec_each(&r.funcs, f) {
		if ((*f)->body)
			use_stmt(&w, (*f)->body);
		if ((*f)->embedded && uses_registers((*f)->embedded)) {
			p->uses_regs = p->names_regs = true;
			p->reg_mask = ~0u;
		}
	}
}

// ---------------------------------------------------------------- regular expressions

static bool store_match(struct ast_walker *w, struct expr **e)
{
	if ((*e)->kind == E_REGEX)
		(*e)->u.regex.keep = *(bool *)w->data;
	return true;
}

// Matches store their groups only if a used function reads them. The optimiser may have removed that function since
// the last call.
static void store_matches(struct session *s)
{
	bool asked = false;
	struct ast_walker w = { .expr = store_match, .data = &asked };

	for vec_each(&s->script.funcs, f)
		asked |= (*f)->used && func_has(*f, PRAGMA_TAGGED_DFA);
	for vec_each(&s->script.probes, p)
		ast_walk_stmt(&w, &(*p)->body);
	for vec_each(&s->script.funcs, f)
		if ((*f)->used && (*f)->body)
			ast_walk_stmt(&w, &(*f)->body);
}

void access_compute_effects(struct session *s)
{
	store_matches(s);
	compute_functions(s);
}

void access_compute(struct session *s)
{
	access_compute_effects(s);
	compute_globals(s);
	for vec_each(&s->script.probes, p)
		compute_registers(*p);
}
