// SPDX-License-Identifier: GPL-2.0-or-later
// Handlers in slices (runtime/core/slices.c): handlers of timers and procfs files that iterate over arrays or print
// histograms, and whose result is the same when they work on copies of the globals that other probes use. In: typed
// trees. Out: probe.in_slices, probe.takes, probe.hit; the body uses the copies.
//
// Either the whole handler runs in slices, or a part of it: the statements of one block that sort and print. The
// rest is the hit, and makes the copies where the part was. The part does not depend on the interrupted context.
// Globals that the hit or other probes use are only read by it, or deleted or set on every path. All other handlers
// stay hits. If other probes share the handler (timer.s(5), end), it gets its own body and its own copies of
// functions that use copied globals.
#include "elab/elab.h"
#include "emit/emitter.h"
#include "resolve/family.h"
#include "util/numbers.h"

#include <string.h>

enum {
	COPY_MAX = 3600,           // bytes of copies that are allowed for each statement of MAXACTION
	ARRAY_MAX = 64 << 20,      // maximum size in bytes of an array that is copied
};

struct use { struct var *var; int reads, writes, resets; bool in_hit; struct expr *value; };

struct handler {
	struct session *s;
	struct probe *probe;
	struct stmt *part, *hit;   // hit: NULL if the hit only makes the copies
	VEC(struct use) uses;
	struct numbers numbers;    // struct var * -> its number in `uses` + 1
	struct numbers locals;     // locals of the part: set of struct var *
	struct numbers seen;       // functions that were visited: set of struct func *
	bool fit, walks, next, prints;
	bool followed;             // the hit executes statements that come after the part in the script
	int depth;                 // current nesting of functions
};

// ---------------------------------------------------------------- find handlers that fit

static struct use *use_of(struct handler *h, struct var *v)
{
	uint32_t *number = numbers_at(&h->numbers, (uintptr_t)v);

	if (!*number) {
		vec_push(&h->uses, ((struct use){ .var = v }));
		*number = (uint32_t)h->uses.n;
	}
	return &h->uses.at[*number - 1];
}

static void visit_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct handler *h = w->data;
	struct use *u;

	if (v->kind != VAR_GLOBAL && !h->depth)
		numbers_add(&h->locals, v);
	if (v->kind != VAR_GLOBAL)
		return;
	u = use_of(h, v);
	u->reads += (use & USE_READ) != 0;
	u->writes += (use & USE_WRITE) != 0;
}

static bool plain_format(const struct expr *x)
{
	for vec_each(&x->u.print.format, p)
		if (p->conv && !strchr("diouxXpcsb%", p->conv))
			return false;
	return !x->u.print.on_fault;
}

// Rejects registers, tasks, their memory, and C whose effects are unknown.
static void visit_expr(struct use_walker *w, const struct expr *x)
{
	struct handler *h = w->data;

	switch (x->kind) {
	case E_NUMBER: case E_STRING: case E_VAR: case E_INDEX: case E_CALL: case E_UNARY: case E_INCDEC: case E_BINARY:
	case E_COND: case E_ASSIGN: case E_IN: case E_STAT: case E_HIST: case E_HIST_BUCKET: case E_STATIC:
		break;
	case E_DEREF:
		h->fit &= !x->u.deref.user;
		break;
	case E_REGEX:
		h->fit &= !x->u.regex.keep;
		break;
	case E_PRINT:
		h->fit &= plain_format(x);
		h->walks |= x->u.print.kind == PRINT_MERGED || (x->u.print.args.n && x->u.print.args.at[0]->kind == E_HIST);
		h->prints |= !x->u.print.to_string;
		break;
	default:
		h->fit = false;
	}
}

static void visit_stmt(struct use_walker *w, const struct stmt *st)
{
	struct handler *h = w->data;

	h->walks |= st->kind == S_FOREACH;
	h->next |= st->kind == S_NEXT && !h->depth;
}

// Returns whether the function belongs to the library and its C is marked as independent of task, CPU and hit.
static bool is_known(const struct func *f)
{
	return f->source && f->source->library && func_has(f, PRAGMA_ANYWHERE) && !f->accessors.n;
}

static void visit_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct handler *h = w->data;

	if (!numbers_add(&h->seen, f))
		return;
	if (!f->body)
		h->fit &= is_known(f);
	h->depth++;
	use_func(w, f);
	h->depth--;
}

static bool visit_return(struct ast_walker *w, struct stmt **at)
{
	*(bool *)w->data |= (*at)->kind == S_RETURN || (*at)->kind == S_NEXT;
	return true;
}

// Returns the body of a called function if it is always executed as a whole, or NULL.
static struct stmt *called_body(const struct expr *x)
{
	struct func *f = x->kind == E_CALL ? x->u.call.target : NULL;
	bool found = false;
	struct ast_walker w = { .stmt = visit_return, .data = &found };

	if (!f || !f->body || f->next_overload || f->recursive)
		return NULL;
	ast_walk_stmt(&w, &f->body);
	return found ? NULL : f->body;
}

// Finds statements that are executed on every path and clear a global.
static void find_resets(struct handler *h, const struct stmt *st)
{
	const struct expr *x;
	struct use *u;

	if (st->kind == S_BLOCK) {
		for vec_each(&st->u.block, it)
			find_resets(h, *it);
		return;
	}
	x = st->kind == S_DELETE || st->kind == S_EXPR ? st->u.expr : NULL;
	if (x && called_body(x))
		find_resets(h, called_body(x));
	if (x && st->kind == S_EXPR) {
		if (x->kind != E_ASSIGN || x->u.bin.op != TOK_ASSIGN ||
		    (x->u.bin.r->kind != E_NUMBER && x->u.bin.r->kind != E_STRING))
			return;
		x = x->u.bin.l;
	}
	if (!x || x->kind != E_VAR || x->u.var.decl->kind != VAR_GLOBAL)
		return;
	u = use_of(h, x->u.var.decl);
	u->resets++;
	u->value = st->kind == S_EXPR ? st->u.expr->u.bin.r : NULL;
}

static bool is_alone(const struct probe *p)
{
	return !p->entries.n && !p->own_processes;
}

// Globals that the hit also uses are copied. A local variable that both parts use is not supported.
static void visit_hit_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct handler *h = w->data;

	uint32_t number = *numbers_at(&h->numbers, (uintptr_t)v);

	if (number)
		h->uses.at[number - 1].in_hit = true;
	h->fit &= !*numbers_at(&h->locals, (uintptr_t)v) || h->depth;
}

static void visit_hit_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct handler *h = w->data;

	if (!numbers_add(&h->seen, f))
		return;
	h->depth++;
	use_func(w, f);
	h->depth--;
}

static struct handler examine(struct session *s, struct probe *p, struct stmt *part, struct stmt *hit)
{
	struct handler h = { .s = s, .probe = p, .part = part, .hit = hit, .fit = true };
	struct use_walker w = { .var = visit_var, .call = visit_call, .expr = visit_expr, .stmt = visit_stmt, .data = &h };
	struct use_walker hit_walker = { .var = visit_hit_var, .call = visit_hit_call, .data = &h };

	use_stmt(&w, part);
	find_resets(&h, part);
	memset(&h.seen, 0, sizeof(h.seen));
	if (hit)
		use_stmt(&hit_walker, hit);
	if (p->condition)
		use_expr(&hit_walker, p->condition);
	return h;
}

static struct handler look_at_stmt(struct session *s, struct probe *p, struct stmt *st)
{
	return examine(s, p, st, NULL);
}

// ---------------------------------------------------------------- globals that other probes use

struct user { struct probe *probe; struct numbers seen; };

// Sets var.user and var.shared.
static void note_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	const struct user *u = w->data;

	if (v->kind != VAR_GLOBAL)
		return;
	v->shared |= v->user && v->user != u->probe;
	v->user = u->probe;
}

static void note_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct user *u = w->data;

	if (!numbers_add(&u->seen, f))
		return;
	use_func(w, f);
}

static void note_users(struct session *s)
{
	for vec_each(&s->script.probes, it) {
		struct user u = { .probe = *it };
		struct use_walker w = { .var = note_var, .call = note_call, .data = &u };

		if ((*it)->family->exclusive)
			continue;
		use_probe(&w, *it);
		if ((*it)->condition)
			use_expr(&w, (*it)->condition);
	}
}

// Returns the approximate size of an element, which determines the cost of copying the array.
static int64_t element_bytes(const struct session *s, const struct var *v)
{
	int64_t words = emit_buckets(v) + (v->stat_ops & STAT_PERCENTILE ? FINE_BUCKETS : 0);
	int64_t string = session_limit(s, LIMIT_MAXSTRINGLEN) + 7, n = 32;

	for (int i = 0; i < v->arity; i++)
		n += v->key_types[i] == T_STRING ? string : 8;
	return n + (v->type == T_STRING ? string : v->type == T_STATS ? 32 + 8 * words : 8);
}

static int64_t capacity(const struct session *s, const struct var *v)
{
	return v->max_size ? v->max_size : session_limit(s, LIMIT_MAXMAPENTRIES);
}

// Returns whether the part may clear a global. An error could skip the statement that clears it or those after the
// part, so every error must end the session.
static bool may_clear(const struct session *s, const struct handler *h)
{
	return !h->next && !session_limit(s, LIMIT_MAXERRORS) && !s->opt.suppress_errors;
}

// Returns whether no other handler uses the variable, and the part of this handler that runs in the hit does not
// either.
static bool is_private(const struct use *u)
{
	return !u->var->shared && !u->in_hit;
}

// Returns the size of the copies of a handler in slices.
static int64_t copies_bytes(const struct session *s, const struct handler *h)
{
	int64_t n = 0;

	for vec_each(&h->uses, u)
		if (u->var->arity > 0 && !is_private(u) && !u->var->unlocked)
			n += element_bytes(s, u->var) * capacity(s, u->var);
	return n;
}

static bool fits(const struct session *s, const struct handler *h)
{
	int64_t copied = 0;

	if (!h->fit || !h->walks || (h->followed && !may_clear(s, h)))
		return false;
	for vec_each(&h->uses, u) {
		const struct var *v = u->var;
		bool constant = v->unlocked && v->type != T_STATS && !u->writes;

		if (is_private(u) || constant)
			continue;
		if (v->unlocked || v->added_only || u->writes != u->resets || u->resets > 1)
			return false;
		if (u->resets && !may_clear(s, h))
			return false;
		if (v->arity > 0 && element_bytes(s, v) * capacity(s, v) > ARRAY_MAX)
			return false;
		if (v->arity > 0 && !u->resets)
			copied += (element_bytes(s, v) + 16) * capacity(s, v);
	}
	return copied <= COPY_MAX * session_limit(s, LIMIT_MAXACTION);
}

// ---------------------------------------------------------------- the part that runs in slices

// Makes the statement that calls stp_take().
static struct stmt *take_stmt(const struct probe *p)
{
	struct func *f = NEW(struct func);
	struct stmt *st = stmt_new(S_EXPR, p->body->loc);

	f->name = "take";
	f->loc = f->embedded_loc = st->loc;
	f->source = st->loc.source;
	f->embedded = embedded_new(" /* pragma:runtime */ stp_take(c); ");
	st->u.expr = expr_new(E_CALL, st->loc);
	st->u.expr->u.call.name = f->name;
	st->u.expr->u.call.target = f;
	return st;
}

struct part_search { struct session *s; struct probe *p; struct stmt *body; bool followed; };

// Lets statements `from` to `to` of the block run in slices. Returns false, and changes nothing, if they cannot.
static bool try_part(struct handler *found, struct part_search *at, struct stmt *block, int from, int to)
{
	struct stmt old = *block, *part = stmt_new(S_BLOCK, old.u.block.at[from]->loc);
	struct handler h;

	memset(&block->u.block, 0, sizeof(block->u.block));
	for (int i = 0; i < old.u.block.n; i++) {
		if (i == from)
			vec_push(&block->u.block, take_stmt(at->p));
		if (i >= from && i <= to)
			vec_push(&part->u.block, old.u.block.at[i]);
		else
			vec_push(&block->u.block, old.u.block.at[i]);
	}
	h = examine(at->s, at->p, part, at->body);
	h.followed = at->followed || to < old.u.block.n - 1;
	if (fits(at->s, &h)) {
		*found = h;
		return true;
	}
	*block = old;
	return false;
}

static void silent_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct handler *h = w->data;

	if (!numbers_add(&h->seen, f))
		return;
	h->prints |= !f->body && !func_has(f, PRAGMA_PURE) && strcmp(f->name, "exit");
	use_func(w, f);
}

// Returns whether the statements after the part print nothing, so that the hit can execute them before the part.
static bool is_silent(struct stmt *const *st, int n)
{
	struct handler h = { .fit = true };
	struct use_walker w = { .call = silent_call, .expr = visit_expr, .data = &h };

	for (int i = 0; i < n; i++)
		use_stmt(&w, st[i]);
	return h.fit && !h.prints;
}

static struct stmt *as_block(struct stmt **at)
{
	struct stmt *block = *at;

	if (block->kind != S_BLOCK) {
		block = stmt_new(S_BLOCK, block->loc);
		vec_push(&block->u.block, *at);
		*at = block;
	}
	return block;
}

static bool iterates(struct session *s, struct probe *p, struct stmt *st)
{
	return st && look_at_stmt(s, p, st).walks;
}

// Returns the only block below `st` that iterates. NULL: several blocks iterate, or the iteration is inside a loop.
static struct stmt *inner_block(struct session *s, struct probe *p, struct stmt *st)
{
	if (st->kind == S_BLOCK)
		return st;
	if (st->kind != S_IF || iterates(s, p, st->u.if_.then) == iterates(s, p, st->u.if_.other))
		return NULL;
	return as_block(iterates(s, p, st->u.if_.then) ? &st->u.if_.then : &st->u.if_.other);
}

static bool find_part(struct handler *h, struct part_search *at, struct stmt *block)
{
	int n = block->u.block.n, first = -1, last = -1, prints = -1;
	struct stmt *inner;

	for (int i = 0; i < n; i++) {
		struct handler one = look_at_stmt(at->s, at->p, block->u.block.at[i]);

		if (prints < 0 && (one.walks || one.prints))
			prints = i;
		if (one.walks && first < 0)
			first = i;
		if (one.walks)
			last = i;
	}
	if (first < 0)
		return false;
	if (try_part(h, at, block, prints, n - 1) || try_part(h, at, block, first, n - 1))
		return true;
	if (!is_silent(block->u.block.at + last + 1, n - 1 - last))
		return false;
	if (try_part(h, at, block, prints, last) || try_part(h, at, block, first, last))
		return true;
	at->followed |= last < n - 1;
	inner = first == last ? inner_block(at->s, at->p, block->u.block.at[first]) : NULL;
	return inner && find_part(h, at, inner);
}

// Determines which part of p's handler can run in slices.
static bool find_handler(struct handler *h, struct session *s, struct probe *p)
{
	struct part_search at = { .s = s, .p = p };

	*h = look_at_stmt(s, p, p->body);
	if (!h->walks || fits(s, h))
		return h->walks;
	at.body = stmt_copy(p->body);
	at.body = as_block(&at.body);
	return find_part(h, &at, at.body);
}

// ---------------------------------------------------------------- the copies

static struct var *copy_of(const struct var *v)
{
	struct var *copy = NEW(struct var);

	*copy = *v;
	copy->is_copy = copy->unlocked = true;
	copy->per_cpu = false;
	copy->index = 0;
	return copy;
}

// The copies of a probe's globals and functions.
struct copies {
	struct numbers globals;            // struct var * -> its number in probe.takes + 1
	struct numbers numbers;            // struct func * -> its number in `functions` + 1
	VEC(struct func *) functions;
	struct numbers needs;              // struct func * -> NEEDS_...
};

enum { NEEDS_NO_COPY = 1, NEEDS_COPY };

struct replacer {
	struct probe *probe;
	struct copies *copies;             // copies of the probe
	struct numbers locals;             // struct var * of the original body -> its number in new_locals + 1
	VEC(struct var *) new_locals;
};

struct mention { struct copies *copies; struct numbers seen; bool found; };

static void mention_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct mention *m = w->data;

	m->found |= *numbers_at(&m->copies->globals, (uintptr_t)v) != 0;
}

// A sorted loop stores its order in its own table, which hits that call the same function would change.
static void mention_sort(struct use_walker *w, const struct stmt *st)
{
	struct mention *m = w->data;

	m->found |= st->kind == S_FOREACH && st->u.foreach.sort_dir;
}

static void mention_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct mention *m = w->data;

	if (!numbers_add(&m->seen, f))
		return;
	use_func(w, f);
}

static bool needs_own(struct copies *copies, struct func *f)
{
	struct mention m = { .copies = copies };
	struct use_walker w = { .var = mention_var, .call = mention_call, .stmt = mention_sort, .data = &m };
	uint32_t *needs = numbers_at(&copies->needs, (uintptr_t)f);

	if (*needs)
		return *needs == NEEDS_COPY;
	for (; f; f = f->next_overload)
		mention_call(&w, f, f->loc);
	*needs = m.found ? NEEDS_COPY : NEEDS_NO_COPY;
	return m.found;
}

static struct var *replaced(struct replacer *r, struct var *v)
{
	uint32_t local = *numbers_at(&r->locals, (uintptr_t)v), global = *numbers_at(&r->copies->globals, (uintptr_t)v);

	return local ? r->new_locals.at[local - 1] : global ? r->probe->takes.at[global - 1].copy : v;
}

static struct func *own_func(const struct replacer *r, struct func *f);

static bool replace_expr(struct ast_walker *w, struct expr **at)
{
	struct expr *x = *at;

	if (x->kind == E_CALL && x->u.call.target)
		x->u.call.target = own_func(w->data, x->u.call.target);
	else if (x->kind == E_VAR && x->u.var.decl)
		x->u.var.decl = replaced(w->data, x->u.var.decl);
	else if ((x->kind == E_INDEX || x->kind == E_IN) && x->u.index.decl)
		x->u.index.decl = replaced(w->data, x->u.index.decl);
	return true;
}

static bool replace_stmt(struct ast_walker *w, struct stmt **at)
{
	if ((*at)->kind == S_FOREACH && (*at)->u.foreach.decl)
		(*at)->u.foreach.decl = replaced(w->data, (*at)->u.foreach.decl);
	return true;
}

static struct var *own_var(struct replacer *r, struct var *old)
{
	struct var *v = NEW(struct var);

	*v = *old;
	vec_push(&r->new_locals, v);
	*numbers_at(&r->locals, (uintptr_t)old) = (uint32_t)r->new_locals.n;
	return v;
}

// Returns copies of f and the overloads after it, if they use copied globals or sort. A recursive call finds the copy
// in progress.
static struct func *own_func(const struct replacer *caller, struct func *f)
{
	struct replacer r = { .probe = caller->probe, .copies = caller->copies };
	struct ast_walker w = { .expr = replace_expr, .stmt = replace_stmt, .data = &r };
	struct func *own;
	uint32_t *number;

	if (!f || !needs_own(r.copies, f))
		return f;
	number = numbers_at(&r.copies->numbers, (uintptr_t)f);
	if (*number)
		return r.copies->functions.at[*number - 1];
	own = NEW(struct func);
	*own = *f;
	vec_push(&r.copies->functions, own);
	*number = (uint32_t)r.copies->functions.n;
	memset(&own->params, 0, sizeof(own->params));
	memset(&own->locals, 0, sizeof(own->locals));
	for vec_each(&f->params, v)
		vec_push(&own->params, own_var(&r, *v));
	for vec_each(&f->locals, v)
		vec_push(&own->locals, own_var(&r, *v));
	own->next_overload = own_func(&r, f->next_overload);
	own->index = 0;
	if (f->body) {
		own->body = stmt_copy(f->body);
		ast_walk_stmt(&w, &own->body);
	}
	return own;
}

// Gives p its own handler. The other probes that share the handler get it from the first of them.
static void own_body(struct session *s, struct replacer *r)
{
	struct probe *p = r->probe, *heir = NULL;
	bool shared = p->same_body != NULL;
	int n = p->locals.n;
	struct var **locals = p->locals.at;

	for vec_each(&s->script.probes, it) {
		if ((*it)->same_body != p)
			continue;
		(*it)->same_body = heir;
		heir = heir ? heir : *it;
	}
	if (!shared && !heir)
		return;
	p->same_body = NULL;
	p->body = stmt_copy(p->body);
	memset(&p->locals, 0, sizeof(p->locals));
	for (int i = 0; i < n; i++)
		vec_push(&p->locals, own_var(r, locals[i]));
}

static void put_in_slices(struct session *s, const struct handler *h)
{
	struct copies copies = { 0 };
	struct probe *p = h->probe;
	struct replacer r = { .probe = p, .copies = &copies };
	struct ast_walker w = { .expr = replace_expr, .stmt = replace_stmt, .data = &r };

	p->body = h->part;
	p->hit = h->hit;
	own_body(s, &r);
	p->in_slices = true;
	for vec_each(&h->uses, u) {
		struct take t = { .var = u->var, .clear = u->resets, .value = u->value };

		if (is_private(u) || (u->var->unlocked && u->var->type != T_STATS))
			continue;
		t.copy = copy_of(u->var);
		vec_push(&p->takes, t);
		*numbers_at(&copies.globals, (uintptr_t)u->var) = (uint32_t)p->takes.n;
	}
	ast_walk_stmt(&w, &p->body);
}

void emit_find_slices(struct emitter *e)
{
	struct session *s = e->s;
	VEC(struct handler) all = { 0 };
	VEC(struct probe *) probes = { 0 };
	int64_t copied = 0, allowed = session_limit(s, LIMIT_STP_MAXMEMORY);
	struct handler h;

	if (s->opt.user_runtime || s->opt.bpf_runtime || s->opt.no_optimize || e->keeps_matches ||
	    session_limit(s, LIMIT_STP_ALIBI))
		return;
	for vec_each(&s->script.probes, p)
		if ((*p)->family->in_slices && is_alone(*p) && iterates(s, *p, (*p)->body))
			vec_push(&probes, *p);
	if (probes.n)
		note_users(s);
	for vec_each(&probes, p) {
		if (!find_handler(&h, s, *p))
			continue;
		copied += copies_bytes(s, &h);
		// `allowed` is STP_MAXMEMORY, in KB.
		if (!allowed || copied <= allowed * 1024 / 4)
			vec_push(&all, h);
		else
			copied -= copies_bytes(s, &h);
	}
	for vec_each(&all, it)
		put_in_slices(s, it);
}

// With --merge, a host sends and clears its globals by such a handler, whose timer is the only one on a host.
void emit_check_senders(const struct session *s)
{
	for vec_each(&s->script.probes, p)
		if (s->opt.merge == MERGE_HOST && (*p)->family->in_slices && !(*p)->in_slices)
			diag_error((struct loc){ 0 }, "--merge: hosts cannot send the globals: an array takes more "
						      "than %d MB, all of them more than a quarter of STP_MAXMEMORY, "
						      "or the script uses matched(); declare "
				   "smaller arrays (global a[1000])", ARRAY_MAX >> 20);
}

// ---------------------------------------------------------------- tables

bool emit_has_hit(const struct probe *p)
{
	return p->in_slices && (p->takes.n || p->hit || p->condition);
}

static const char *const kinds[] = {
	[T_UNKNOWN] = "STP_TAKE_LONG", [T_LONG] = "STP_TAKE_LONG", [T_STRING] = "STP_TAKE_STRING", [T_STATS] = "STP_TAKE_STAT",
};

static void write_take(struct emitter *e, struct cwriter *w, const struct take *t)
{
	bool map = t->var->arity > 0, cell = map || t->var->type != T_STRING, adder = emit_is_adder(t->var);
	const char *to = emit_global(e, t->copy)->name, *from = emit_global(e, t->var)->name;
	struct buf value = { 0 };

	if (t->value && t->value->kind == E_STRING)
		buf_printf(&value, ", .text = %s", emit_c_string(str_ndup(t->value->u.string.bytes, t->value->u.string.len)));
	else if (t->value)
		buf_printf(&value, ", .number = %s", value_number(t->value->u.number).text);
	if (adder)
		buf_printf(&value, ", .offset = __builtin_offsetof(struct percpu, %s)", from);
	cw_line(w, "{ %s, %s, %s%s, %s%s%s },", map ? "STP_TAKE_MAP" : adder ? "STP_TAKE_ADDER" : kinds[t->var->type],
		t->clear ? "true" : "false", cell ? "&" : "", from, cell ? "&" : "", to, buf_text(&value));
}

// Writes the locks and the copies of a handler in slices, for the row of the hit that makes the copies.
int emit_takes(struct emitter *e, struct cwriter *w, const struct probe *p)
{
	cw_line(w, "static const struct stp_take p%d_takes[] = {", p->index);
	for vec_each(&p->takes, t)
		write_take(e, w, t);
	cw_line(w, "};");
	return p->takes.n;
}
