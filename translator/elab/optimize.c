// SPDX-License-Identifier: GPL-2.0-or-later
// Removes code that has no effect. In: a typed, checked script. Out: the same script with constants folded, without
// dead branches, useless statements and stores to locals that are never read (most of a tapset alias's variables),
// then without unused functions, globals and handlers; equal handlers are merged. With opt.no_optimize, only code that
// cannot be emitted is removed.
#include "elab/elab.h"
#include "session/passes.h"
#include "util/str.h"

#include <string.h>

struct optimizer {
	struct session *s;
	bool changed;
};

static bool from_library(struct loc loc)
{
	return !loc.source || loc.source->library;
}

// ---------------------------------------------------------------- constants

static bool fold_numbers(enum tok op, int64_t a, int64_t b, int64_t *r)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (op) {              // arithmetic wraps around, as at run time
	case TOK_ADD: *r = (int64_t)(ua + ub); return true;
	case TOK_SUB: *r = (int64_t)(ua - ub); return true;
	case TOK_MUL: *r = (int64_t)(ua * ub); return true;
	case TOK_DIV: if (!b || (b == -1 && a == INT64_MIN)) return false; *r = a / b; return true;
	case TOK_MOD: if (!b || b == -1) return false; *r = a % b; return true;
	case TOK_AND: *r = a & b; return true;
	case TOK_OR: *r = a | b; return true;
	case TOK_XOR: *r = a ^ b; return true;
	case TOK_SHL: *r = (int64_t)(ua << (b & 63)); return true;
	case TOK_SHR: *r = a >> (b & 63); return true;
	case TOK_USHR: *r = (int64_t)(ua >> (b & 63)); return true;
	case TOK_LT: *r = a < b; return true;
	case TOK_LE: *r = a <= b; return true;
	case TOK_GT: *r = a > b; return true;
	case TOK_GE: *r = a >= b; return true;
	case TOK_EQ: *r = a == b; return true;
	case TOK_NE: *r = a != b; return true;
	case TOK_ANDAND: *r = a && b; return true;
	case TOK_OROR: *r = a || b; return true;
	default: return false;
	}
}

static struct expr *fold_strings(const struct session *s, const struct expr *e)
{
	const char *a = e->u.bin.l->u.string.bytes, *b = e->u.bin.r->u.string.bytes;
	int64_t r;

	if (e->u.bin.op == TOK_DOT) {
		// A longer string is cut at run time.
		if ((int64_t)(strlen(a) + strlen(b)) >= session_limit(s, LIMIT_MAXSTRINGLEN))
			return NULL;
		return expr_string(e->loc, str_printf("%s%s", a, b));
	}
	return fold_numbers(e->u.bin.op, strcmp(a, b), 0, &r) ? expr_number(e->loc, r) : NULL;
}

static struct expr *fold_binary(const struct session *s, const struct expr *e)
{
	struct expr *l = e->u.bin.l, *r = e->u.bin.r, *made;
	enum tok op = e->u.bin.op;
	int64_t n;

	if (l->kind == E_STRING && r->kind == E_STRING)
		return fold_strings(s, e);
	made = constant_absorbed(e, l, r, access_pure);
	if (made || l->kind != E_NUMBER)
		return made;
	if (r->kind == E_NUMBER && e->u.bin.of_location >= LOCATION_UNSIGNED)
		return NULL;
	if (r->kind == E_NUMBER)
		return fold_numbers(op, l->u.number, r->u.number, &n) ? expr_number(e->loc, n) : NULL;
	if (op != TOK_ANDAND && op != TOK_OROR)
		return NULL;
	made = expr_binary(e->loc, TOK_NE, r, expr_number(e->loc, 0));
	made->type = T_LONG;
	return made;
}

static struct expr *fold_unary(const struct expr *e)
{
	int64_t n = e->u.un.e->u.number;

	if (e->u.un.e->kind != E_NUMBER)
		return NULL;
	switch (e->u.un.op) {
	case TOK_ADD: return expr_number(e->loc, n);
	case TOK_SUB: return expr_number(e->loc, (int64_t)-(uint64_t)n);
	case TOK_NOT: return expr_number(e->loc, !n);
	case TOK_COMPL: return expr_number(e->loc, ~n);
	default: return NULL;
	}
}

struct expr *optimize_fold(const struct session *s, const struct expr *e)
{
	return e->kind == E_BINARY ? fold_binary(s, e) : fold_unary(e);
}

static bool unread(const struct expr *e)
{
	return e->kind == E_VAR && e->u.var.decl->kind != VAR_GLOBAL && !e->u.var.decl->read;
}

// "l = r" becomes r if l is never read. An update whose value is used is a read of l.
static struct expr *fold_store(struct expr *e)
{
	if (e->kind == E_ASSIGN && unread(e->u.bin.l) && !access_may_divide_by_zero(e))
		return e->u.bin.r;
	if (e->kind == E_INCDEC && unread(e->u.un.e))
		return expr_number(e->loc, 0);
	return NULL;
}

static void fold_expr(struct ast_walker *w, struct expr **pe)
{
	struct optimizer *o = w->data;
	struct expr *e = *pe, *made = NULL;

	switch (e->kind) {
	case E_BINARY: made = fold_binary(o->s, e); break;
	case E_UNARY: made = fold_unary(e); break;
	case E_ASSIGN: case E_INCDEC: made = fold_store(e); break;
	case E_COND:
		if (e->u.cond.c->kind == E_NUMBER)
			made = e->u.cond.c->u.number ? e->u.cond.a : e->u.cond.b;
		break;
	default: break;
	}
	if (!made)
		return;
	*pe = made;
	o->changed = true;
}

// ---------------------------------------------------------------- statements

static bool empty(const struct stmt *s)
{
	return !s || s->kind == S_EMPTY || (s->kind == S_BLOCK && !s->u.block.n);
}

static bool is_jump(const struct stmt *s)
{
	return s->kind == S_RETURN || s->kind == S_NEXT || s->kind == S_BREAK || s->kind == S_CONTINUE;
}

// Removes empty statements, braces of inner blocks (which are not scopes), and statements that follow a jump.
static void tidy_block(struct optimizer *o, struct stmt *s)
{
	struct stmt *out = stmt_new(S_BLOCK, s->loc);
	bool left = false;

	for vec_each(&s->u.block, it) {
		struct stmt *inner = *it;

		if (empty(inner))
			continue;
		if (left) {
			if (!from_library(inner->loc))
				diag_warning(inner->loc, "this statement is never reached");
			break;
		}
		if (inner->kind == S_BLOCK) {
			for vec_each(&inner->u.block, deep)
				vec_push(&out->u.block, *deep);
			left = is_jump(inner->u.block.at[inner->u.block.n - 1]);
		} else {
			vec_push(&out->u.block, inner);
			left = is_jump(inner);
		}
	}
	if (out->u.block.n != s->u.block.n)
		o->changed = true;
	s->u.block = out->u.block;
}

static struct stmt *expr_stmt(struct expr *e, struct loc loc)
{
	struct stmt *s;

	if (!e || access_pure(e))
		return stmt_new(S_EMPTY, loc);
	s = stmt_new(S_EXPR, loc);
	s->u.expr = e;
	e->value_unused = true;
	return s;
}

static struct stmt *simpler_if(struct stmt *s)
{
	const struct expr *c = s->u.if_.c;
	struct stmt *arm;

	if (c->kind == E_NUMBER) {
		arm = c->u.number ? s->u.if_.then : s->u.if_.other;
		return arm ? arm : stmt_new(S_EMPTY, s->loc);
	}
	if (empty(s->u.if_.then) && empty(s->u.if_.other))
		return expr_stmt(s->u.if_.c, s->loc);
	return NULL;
}

static bool is_zero(const struct expr *e)
{
	return e && e->kind == E_NUMBER && !e->u.number;
}

static struct stmt *simpler_foreach(struct stmt *s)
{
	if (!empty(s->u.foreach.body) || (s->u.foreach.limit && !access_pure(s->u.foreach.limit)))
		return NULL;
	for vec_each(&s->u.foreach.keys, k)
		if (!unread(*k))
			return NULL;
	if (s->u.foreach.value && !unread(s->u.foreach.value))
		return NULL;
	for vec_each(&s->u.foreach.slice, k)
		if (*k && !access_pure(*k))
			return NULL;
	return stmt_new(S_EMPTY, s->loc);
}

static struct stmt *simpler_for(struct stmt *s)
{
	if (is_zero(s->u.for_.c))
		return expr_stmt(s->u.for_.init, s->loc);
	if (s->u.for_.init && access_pure(s->u.for_.init))
		s->u.for_.init = NULL;
	return NULL;
}

static struct stmt *simpler(struct stmt *s)
{
	switch (s->kind) {
	case S_IF: return simpler_if(s);
	case S_WHILE: return is_zero(s->u.while_.c) ? stmt_new(S_EMPTY, s->loc) : NULL;
	case S_FOR: return simpler_for(s);
	case S_FOREACH: return simpler_foreach(s);
	case S_TRY: return empty(s->u.try_.body) ? stmt_new(S_EMPTY, s->loc) : NULL;
	case S_EXPR: return access_pure(s->u.expr) ? stmt_new(S_EMPTY, s->loc) : NULL;
	case S_DELETE: return unread(s->u.expr) ? stmt_new(S_EMPTY, s->loc) : NULL;
	default: return NULL;
	}
}

static void tidy_stmt(struct ast_walker *w, struct stmt **ps)
{
	struct optimizer *o = w->data;
	struct stmt *made;

	if ((*ps)->kind == S_BLOCK)
		tidy_block(o, *ps);
	made = simpler(*ps);
	if (!made)
		return;
	*ps = made;
	o->changed = true;
}

static bool mark_stmt(struct ast_walker *w, struct stmt **ps)
{
	struct stmt *s = *ps;

	if (s->kind == S_EXPR)
		s->u.expr->value_unused = true;
	if (s->kind == S_FOR && s->u.for_.init)
		s->u.for_.init->value_unused = true;
	return true;
}

void optimize_walk(struct session *s, struct ast_walker *w)
{
	for vec_each(&s->script.probes, it) {
		struct probe *p = *it;

		if (p->condition)
			ast_walk_expr(w, &p->condition);
		for vec_each(&p->entries, e)
			ast_walk_expr(w, e);
		ast_walk_stmt(w, &p->body);
	}
	for vec_each(&s->script.funcs, f)
		if ((*f)->used && (*f)->body)
			ast_walk_stmt(w, &(*f)->body);
}

void optimize_mark_unused(struct session *s)
{
	struct ast_walker w = { .stmt = mark_stmt };

	optimize_walk(s, &w);
}

// A round may leave other variables unread, and make functions pure, so rounds are repeated.
static void simplify(struct session *s)
{
	struct optimizer o = { .s = s };
	struct ast_walker w = { .expr_after = fold_expr, .stmt_after = tidy_stmt, .data = &o };

	do {
		optimize_mark_unused(s);
		access_count_uses(s);
		access_compute(s);
		o.changed = optimize_dead_stores(s);
		optimize_walk(s, &w);
	} while (o.changed);
}

// ---------------------------------------------------------------- unused declarations

static bool used_var(const struct var *v)
{
	return v->read || v->written;
}

static void drop_locals(struct session *s)
{
	for vec_each(&s->script.probes, it) {
		struct probe *p = *it;
		int n = 0;

		for (int i = 0; i < p->locals.n; i++)
			if (used_var(p->locals.at[i]))
				p->locals.at[n++] = p->locals.at[i];
		p->locals.n = n;
	}
	for vec_each(&s->script.funcs, it) {
		struct func *f = *it;
		int n = 0;

		for (int i = 0; i < f->locals.n; i++)
			if (used_var(f->locals.at[i]))
				f->locals.at[n++] = f->locals.at[i];
		f->locals.n = n;
	}
}

static void drop_functions(struct session *s)
{
	int n = 0;

	for (int i = 0; i < s->script.funcs.n; i++)
		if (s->script.funcs.at[i]->used)
			s->script.funcs.at[n++] = s->script.funcs.at[i];
	s->script.funcs.n = n;
}

static bool set_from_outside(const struct session *s, const struct var *g)
{
	for vec_each(&s->opt.globals, it)
		if (!strcmp(it->name, g->name))
			return !g->is_private;
	return false;
}

static void drop_globals(struct session *s)
{
	int n = 0;

	for (int i = 0; i < s->script.globals.n; i++) {
		struct var *g = s->script.globals.at[i];
		bool library = from_library(g->loc);

		if (used_var(g) || set_from_outside(s, g) || (!library && s->opt.no_optimize)) {
			s->script.globals.at[n++] = g;
			continue;
		}
		if (!library)
			diag_warning(g->loc, "global \"%s\" is never used", g->name);
	}
	s->script.globals.n = n;
}

// Values of @entry() that the handler does not use any longer are not saved.
static bool visit_entry(struct ast_walker *w, struct expr **e)
{
	if ((*e)->kind == E_ENTRY)
		((int *)w->data)[(*e)->u.entry.slot] = 1;
	return true;
}

// The body may refer to an expression several times ($x of $x$): a negative number is a slot that was already changed.
static bool move_entry(struct ast_walker *w, struct expr **e)
{
	if ((*e)->kind == E_ENTRY && (*e)->u.entry.slot >= 0)
		(*e)->u.entry.slot = ~((int *)w->data)[(*e)->u.entry.slot];
	return true;
}

static bool end_move(struct ast_walker *w, struct expr **e)
{
	if ((*e)->kind == E_ENTRY && (*e)->u.entry.slot < 0)
		(*e)->u.entry.slot = ~(*e)->u.entry.slot;
	return true;
}

static void walk_handler(struct ast_walker *w, struct probe *p)
{
	ast_walk_stmt(w, &p->body);
	for vec_each(&p->clones, f)
		if ((*f)->used && (*f)->body)
			ast_walk_stmt(w, &(*f)->body);
}

int optimize_entry_words(const struct session *s, const struct probe *p, int upto)
{
	int words = 0, string = (int)((session_limit(s, LIMIT_MAXSTRINGLEN) + 7) / 8);

	for (int i = 0; i < upto; i++)
		words += p->entries.at[i]->type == T_STRING ? string : 1;
	return words;
}

int optimize_entry_bytes(const struct session *s, const struct probe *p)
{
	int bytes = 8 * optimize_entry_words(s, p, p->entries.n);

	if (bytes > ENTRY_BYTES_MAX)
		diag_error(p->loc, "the values of @entry() of this probe take %d bytes, and at most %d can be saved for each call: "
			   "save fewer strings, or set a smaller -DMAXSTRINGLEN", bytes, ENTRY_BYTES_MAX);
	return bytes;
}

// Changes the slots of the remaining values: a slot becomes the offset of its value in words.
static void drop_entries(struct session *s, struct probe *p)
{
	int *slots = NEW_ARRAY(int, p->entries.n + 1), n = 0;
	struct ast_walker see = { .expr = visit_entry, .data = slots };
	struct ast_walker move = { .expr = move_entry, .data = slots }, end = { .expr = end_move };

	if (!p->entries.n)
		return;
	walk_handler(&see, p);
	for (int i = 0; i < p->entries.n; i++) {
		if (!slots[i])
			continue;
		slots[i] = optimize_entry_words(s, p, n);
		p->entries.at[n++] = p->entries.at[i];
	}
	p->entries.n = n;
	walk_handler(&move, p);
	walk_handler(&end, p);
}

// Removes handlers that do nothing, and those that exist only to be checked. With -u they remain, since their hits
// may be wanted.
static void drop_probes(struct session *s)
{
	int n = 0, effective = 0;
	struct probe *first = NULL;

	for vec_each(&s->script.probes, p)
		effective += (*p)->family->emit && (!empty((*p)->body) || (*p)->keep);
	for (int i = 0; i < s->script.probes.n; i++) {
		struct probe *p = s->script.probes.at[i];

		if (!p->family->emit)
			continue;
		if (!s->opt.no_optimize && empty(p->body) && !p->keep) {
			diag_warning(p->loc, "skipped the probe %s: its handler is empty", p->written);
			if (!effective && !first)
				first = p;
			continue;
		}
		s->script.probes.at[n++] = p;
	}
	s->script.probes.n = n;
	if (first)
		diag_error(first->loc, "no probes found: every handler is empty; use -u to run the script "
			   "anyway");
}

typedef VEC(struct probe *) handlers;

static void share_handlers(struct session *s)
{
	struct map distinct = { 0 };           // hash -> handlers

	for vec_each(&s->script.probes, it) {
		struct probe *p = *it;
		const char *hash = str_printf("%llx", (unsigned long long)handler_hash(p));
		handlers *known = map_get(&distinct, hash);

		if (!known)
			map_put(&distinct, hash, known = NEW(handlers));
		p->same_body = NULL;
		for vec_each(known, other)
			if (same_handler(*other, p)) {
				p->same_body = *other;
				break;
			}
		if (!p->same_body)
			vec_push(known, p);
	}
}

// Copies of a probe share all results of pass 2 with the original.
static void append_copies(struct session *s)
{
	VEC(struct probe *) all = { 0 };

	for vec_each(&s->script.probes, it) {
		struct probe *p = *it;

		vec_push(&all, p);
		for vec_each(&p->copies, copy) {
			(*copy)->body = p->body;
			(*copy)->locals = p->locals;
			(*copy)->same_body = p->same_body ? p->same_body : p;
			(*copy)->own_processes = p->own_processes;
			(*copy)->uses_regs = p->uses_regs;
			(*copy)->names_regs = p->names_regs;
			(*copy)->reg_mask = p->reg_mask;
			vec_push(&all, *copy);
		}
	}
	s->script.probes.n = 0;
	for vec_each(&all, p)
		vec_push(&s->script.probes, *p);
}

static void recount(struct session *s)
{
	optimize_mark_unused(s);
	access_count_uses(s);
	access_compute(s);
}

int elab_optimize(struct session *s)
{
	int before = diag_errors();

	if (s->opt.list || s->opt.list_vars)   // lists have no handlers, and include all points
		return 0;
	recount(s);
	if (!s->opt.no_optimize)
		simplify(s);
	drop_probes(s);
	for vec_each(&s->script.probes, p)
		drop_entries(s, *p);
	recount(s);
	drop_functions(s);
	drop_globals(s);
	if (!s->opt.no_optimize) {
		drop_locals(s);
		if (stack_values_make(s))
			recount(s);
		share_handlers(s);
	}
	append_copies(s);
	return diag_errors() - before;
}
