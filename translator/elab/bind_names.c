// SPDX-License-Identifier: GPL-2.0-or-later
// Binds names to declarations. In: script.probes with unbound names. Out: every E_VAR, E_INDEX, E_CALL, foreach and
// delete has its declaration; locals exist; arrays have one arity; statistics have the set of their extractors;
// reached functions are marked used, their library files parsed.
//
// Each bind_*() handles one kind of node. A name that cannot be bound is reported, and its decl stays NULL: no
// later step runs then. If a constant condition or @defined() may remove the branch, E_UNBOUND replaces the
// statement or operand, and target_var.c reports it unless the branch is removed.
#include "elab/bind.h"
#include "session/passes.h"
#include "resolve/family.h"
#include "util/foreign_words.h"
#include "util/str.h"

#include <assert.h>
#include <string.h>

static VEC(struct func *) queue;   // reached functions whose bodies are not bound yet

static void bind_access(struct binder *b, struct expr *e);
static void require_autocast(struct session *s, struct loc loc);
static bool is_pretty(struct binder *b, const struct expr *e);
static void bind_pretty(struct binder *b, struct expr *e);

// ---------------------------------------------------------------- variables

bool bind_in_library(const struct binder *b)
{
	return b->func && b->func->source && b->func->source->library;
}

static const char *arity_advice(const struct var *v, int arity)
{
	if (arity == 0)
		return str_printf("; %s[%s] is an element, foreach (%s in %s) lists all", v->name,
				  v->arity == 1 ? "key" : "key, ...", v->arity == 1 ? "key" : "[key, ...]", v->name);
	return arity == 1 ? "; several keys are written in brackets: foreach ([a, b] in x)" : "";
}

enum { MAX_INDICES = 9 };      // generated.h: STP_MAX_KEYS

void bind_set_arity(struct var *v, int arity, struct loc loc)
{
	if (v->arity < 0 && arity == 0 && (v->size_given || v->wrap)) {
		diag_error(loc, "array \"%s\" is used without an index", v->name);
		diag_note(v->loc, "\"%s\" is declared as an array here", v->name);
		return;
	}
	if (v->arity < 0) {
		if (arity > MAX_INDICES)
			diag_error(loc, "\"%s\" has %d indices: at most %d are possible", v->name, arity, MAX_INDICES);
		v->arity = arity;
		v->arity_loc = loc;
		v->key_types = NEW_ARRAY(enum type, arity ? arity : 1);
		v->key_locs = NEW_ARRAY(struct loc, arity ? arity : 1);
		v->key_dtypes = NEW_ARRAY(struct di_type *, arity ? arity : 1);
		return;
	}
	if (v->arity == arity)
		return;
	if (!v->arity)
		diag_error(loc, "inconsistent arity: \"%s\" is a scalar, used with %d ind%s here", v->name, arity,
			   arity == 1 ? "ex" : "ices");
	else
		diag_error(loc, "inconsistent arity: \"%s\" has %d ind%s, used with %d here%s", v->name, v->arity,
			   v->arity == 1 ? "ex" : "ices", arity, arity_advice(v, arity));
	diag_note(v->arity_loc.source ? v->arity_loc : v->loc, "first used here");
}

struct var *bind_new_local(struct binder *b, const char *name, struct loc loc)
{
	struct var *v = NEW(struct var);

	if (b->position != IN_BODY)
		diag_error(loc, b->position == IN_ENTRY ?
			   "\"%s\" is a local variable: @entry is evaluated before the handler runs; use a global" :
			   "\"%s\" is not a global: conditions of probes can only read globals; declare it with \"global\", "
			   "or write if (...) in the handler", name);
	v->name = name;
	v->loc = loc;
	v->kind = VAR_LOCAL;
	map_put(&b->locals, name, v);
	if (b->probe)
		vec_push(&b->probe->locals, v);
	else
		vec_push(&b->func->locals, v);
	return v;
}

// Returns a global, unless it is an array and a scalar is required: then the name may still be a local.
static struct var *find_scalar(struct binder *b, const char *name, struct loc loc)
{
	struct var *v = map_get(&b->locals, name);

	if (v) {
		if (b->position == IN_ENTRY && v->kind != VAR_GLOBAL)
			diag_error(loc, "\"%s\" is a local variable: @entry is evaluated before the handler runs; use a "
				   "global", name);
		return v;
	}
	v = declarations_find_global(b->s, name, loc, bind_in_library(b));
	// A scratch variable of a tapset alias does not refer to the script's array of the same name.
	if (v && loc.source && loc.source->library && v->arity > 0 && v->loc.source && !v->loc.source->library)
		return NULL;
	return v;
}

void bind_var(struct binder *b, struct expr *e)
{
	struct var *v = e->u.var.decl;

	if (v) {
		v->in_defined |= b->in_defined;
		return;
	}
	v = find_scalar(b, e->u.var.name, e->loc);
	if (!v)
		v = bind_new_local(b, e->u.var.name, e->loc);
	else if (v->kind == VAR_GLOBAL)
		bind_set_arity(v, 0, e->loc);
	v->in_defined |= b->in_defined;
	e->u.var.decl = v;
}

// NULL means 0, unless the script has a variable of this name.
static bool is_null(struct binder *b, const struct expr *e)
{
	return !e->u.var.decl && !strcmp(e->u.var.name, "NULL") && !find_scalar(b, "NULL", e->loc);
}

static void bind_value(struct binder *b, struct expr *e)
{
	if (is_null(b, e))
		*e = *expr_number(e->loc, 0);
	else if (is_pretty(b, e))
		bind_pretty(b, e);
	else
		bind_var(b, e);
}

// Finds whether the body assigns to a name.
struct assigned { const char *name; bool found; };

static void check_assigned(struct assigned *a, const struct expr *l)
{
	a->found |= l && l->kind == E_VAR && !strcmp(l->u.var.name, a->name);
}

static bool visit_assigned(struct ast_walker *w, struct expr **e)
{
	if ((*e)->kind == E_ASSIGN)
		check_assigned(w->data, (*e)->u.bin.l);
	else if ((*e)->kind == E_INCDEC)
		check_assigned(w->data, (*e)->u.un.e);
	return true;
}

static bool visit_assigning(struct ast_walker *w, struct stmt **s)
{
	if ((*s)->kind == S_FOREACH) {
		for vec_each(&(*s)->u.foreach.keys, k)
			check_assigned(w->data, *k);
		check_assigned(w->data, (*s)->u.foreach.value);
	} else if ((*s)->kind == S_TRY) {
		check_assigned(w->data, (*s)->u.try_.var);
	}
	return true;
}

// "x$" prints x in full, unless "x$" is itself a variable: a global, or one to which the body assigns.
static bool is_pretty(struct binder *b, const struct expr *e)
{
	const char *name = e->u.var.name;
	struct assigned a = { .name = name };
	struct ast_walker w = { .expr = visit_assigned, .stmt = visit_assigning, .data = &a };
	struct stmt **body = b->probe ? &b->probe->body : &b->func->body;

	if (e->u.var.decl || name[strlen(name) - 1] != '$' || find_scalar(b, name, e->loc))
		return false;
	if (*body)
		ast_walk_stmt(&w, body);
	return !a.found;
}

static void bind_pretty(struct binder *b, struct expr *e)
{
	struct expr *base = expr_new(E_VAR, e->loc);
	const char *name = e->u.var.name;
	size_t len = strlen(name);
	int n = 0;

	for (; len && name[len - 1] == '$'; len--)
		n++;
	base->u.var.name = str_ndup(name, len);
	if (n > 2)
		diag_error(e->loc, "too many \"$\" after the name: the suffixes for pretty printing are \"$\" and \"$$\"");
	else
		require_autocast(b->s, e->loc);
	e->kind = E_ACCESS;
	memset(&e->u, 0, sizeof(e->u));
	e->u.access.base = base;
	e->u.access.pretty = n;
	bind_access(b, e);
}

struct var *bind_find_array(struct binder *b, const char *name, struct loc loc)
{
	struct var *v = map_get(&b->locals, name), *global;

	global = declarations_find_global(b->s, name, loc, bind_in_library(b));
	if (global)
		return global;
	if (v) {
		diag_error(loc, "\"%s\" is a local variable, but arrays must be global: add \"global %s\"", name, name);
		diag_note(v->loc, "used as a variable here");
		return NULL;
	}
	declarations_no_array(b->s, name, loc);
	return NULL;
}

static void bind_keys(struct binder *b, expr_vec *keys)
{
	for vec_each(keys, k)
		if (*k)
			bind_expr(b, *k);
}

// Returns true if target_var.c reports the unknown global later: only if something uses the value that is read.
static bool is_reported_later(struct binder *b, const char *name, struct loc loc)
{
	return !b->s->opt.no_optimize && !b->s->opt.skip_badvars && !b->in_defined && b->position == IN_BODY &&
	       !declarations_find_global(b->s, name, loc, bind_in_library(b));
}

static bool is_array_reported_later(struct binder *b, const struct expr *e)
{
	return !map_get(&b->locals, e->u.index.name) && is_reported_later(b, e->u.index.name, e->loc);
}

static void bind_stat(struct binder *b, struct expr *e, bool is_value);

void bind_index(struct binder *b, struct expr *e)
{
	if (e->u.index.hist) {
		bind_stat(b, e->u.index.hist, true);
		bind_keys(b, &e->u.index.keys);
		return;
	}
	bind_keys(b, &e->u.index.keys);
	if (e->u.index.decl)
		return;
	e->u.index.decl = bind_find_array(b, e->u.index.name, e->loc);
	if (e->u.index.decl)
		bind_set_arity(e->u.index.decl, e->u.index.keys.n, e->loc);
}

static void bind_read_index(struct binder *b, struct expr *e)
{
	if (e->kind != E_HIST_BUCKET && !e->u.index.hist && !e->u.index.decl && is_array_reported_later(b, e))
		bind_keys(b, &e->u.index.keys);
	else
		bind_index(b, e);
}

// Only target variables had members in older versions of the language (--compatible).
static void require_autocast(struct session *s, struct loc loc)
{
	if (!session_since(s, loc, "2.6", "the member of a value that is not a target variable"))
		diag_error(loc, "only target variables, @cast() and @var() have members before version 2.6 of the language "
			   "(--compatible)");
}

static void bind_access(struct binder *b, struct expr *e)
{
	const struct expr *base = e->u.access.base;
	bool is_target = base->kind == E_TARGET || base->kind == E_CAST || base->kind == E_ATVAR;

	if (!is_target)
		require_autocast(b->s, base->loc);
	if (!is_target && e->u.access.address_of && !e->u.access.comps.n)
		diag_error(e->loc, "\"&\" applies only to target variables, @var(), @cast() and members");
	bind_expr(b, e->u.access.base);
	for vec_each(&e->u.access.comps, c)
		if (c->kind == COMP_INDEX)
			bind_expr(b, c->index);
}

// Binds x[i] where x is a variable that may carry a debuginfo type. Arrays are globals.
static void bind_element(struct binder *b, struct expr *e)
{
	struct var *v = map_get(&b->locals, e->u.index.name);
	struct expr *base;
	struct component c = { .kind = COMP_INDEX, .loc = e->loc };

	if (!v || e->u.index.keys.n != 1 ||
	    declarations_find_global(b->s, e->u.index.name, e->loc, bind_in_library(b))) {
		bind_read_index(b, e);
		return;
	}
	base = expr_new(E_VAR, e->loc);
	base->u.var.name = e->u.index.name;
	c.index = e->u.index.keys.at[0];
	e->kind = E_ACCESS;
	memset(&e->u, 0, sizeof(e->u));
	e->u.access.base = base;
	vec_push(&e->u.access.comps, c);
	bind_access(b, e);
}

// ---------------------------------------------------------------- statistics

// Binds the operand of "<<<" and of extractors: a global or an element of one.
static struct var *bind_stat_operand(struct binder *b, struct expr *of)
{
	if (of->kind == E_INDEX) {
		bind_index(b, of);
		return of->u.index.decl;
	}
	if (of->kind != E_VAR) {
		diag_error(of->loc, "a statistic is required here: a global or an element of a global array");
		return NULL;
	}
	if (!of->u.var.decl) {
		struct var *v = map_get(&b->locals, of->u.var.name);

		if (!v)
			v = declarations_find_global(b->s, of->u.var.name, of->loc, bind_in_library(b));
		of->u.var.decl = v;
	}
	if (of->u.var.decl && of->u.var.decl->kind == VAR_GLOBAL) {
		bind_set_arity(of->u.var.decl, 0, of->loc);
		return of->u.var.decl;
	}
	declarations_no_statistic(b->s, of);
	of->u.var.decl = NULL;
	return NULL;
}

static void check_hist(struct session *s, const struct expr *e, struct var *v)
{
	int64_t max = session_limit(s, LIMIT_STP_MAX_BUCKETS), low = e->u.stat.low, high = e->u.stat.high;
	unsigned shapes = STAT_HIST_LOG | STAT_HIST_LINEAR;

	if (e->u.stat.op == STAT_HIST_LINEAR && hist_linear_buckets(low, high, e->u.stat.step) > (uint64_t)max + 2)
		diag_error(e->loc, "@hist_linear: more than %lld buckets (STP_MAX_BUCKETS)", (long long)max);
	if (!(v->stat_ops & shapes)) {
		v->hist_low = e->u.stat.low;
		v->hist_high = e->u.stat.high;
		v->hist_step = e->u.stat.step;
		v->hist_loc = e->loc;
	} else if (!(v->stat_ops & e->u.stat.op) || v->hist_low != low || v->hist_high != high ||
		   v->hist_step != e->u.stat.step) {
		diag_error(e->loc, "\"%s\" already has another histogram; a variable can have only one", v->name);
		diag_note(v->hist_loc, "the first histogram is here");
	}
}

// The result of @variance is exact with any shift.
static void check_shift(const struct expr *shift)
{
	if (shift && shift->kind != E_NUMBER)
		diag_error(shift->loc, "@variance: the shift must be a literal number, such as 3");
	else if (shift && (shift->u.number < 0 || shift->u.number > 62))
		diag_error(shift->loc, "@variance: the shift must be between 0 and 62");
}

static void check_percentage(const struct expr *percentage)
{
	if (percentage->kind != E_NUMBER || percentage->u.number < 0 || percentage->u.number > 100)
		diag_error(percentage->loc, "@percentile: the percentage must be a literal number between 0 and 100");
}

static bool is_unknown_statistic(struct binder *b, const struct expr *of)
{
	if (of->kind == E_VAR)
		return !of->u.var.decl && is_reported_later(b, of->u.var.name, of->loc);
	return of->kind == E_INDEX && !of->u.index.hist && !of->u.index.decl && is_array_reported_later(b, of);
}

// is_value: it is a part of a value, which a statement may leave unused.
static void bind_stat(struct binder *b, struct expr *e, bool is_value)
{
	struct expr *of = e->u.stat.of;
	struct var *v;

	if (is_value && is_unknown_statistic(b, of)) {
		if (of->kind == E_INDEX)
			bind_keys(b, &of->u.index.keys);
		return;
	}
	v = bind_stat_operand(b, of);
	if (!v)
		return;
	if (e->kind == E_HIST)
		check_hist(b->s, e, v);
	else if (e->u.stat.op == STAT_VARIANCE)
		check_shift(e->u.stat.shift);
	else if (e->u.stat.op == STAT_PERCENTILE)
		check_percentage(e->u.stat.shift);
	v->stat_ops |= e->u.stat.op;
}

// ---------------------------------------------------------------- expressions

static void bind_all(struct binder *b, expr_vec *v)
{
	for vec_each(v, e)
		bind_expr(b, *e);
}

static void reach(struct func *f)
{
	for (; f; f = f->next_overload)
		if (!f->used) {
			f->used = true;
			vec_push(&queue, f);
		}
}

static void bind_call(struct binder *b, struct expr *e)
{
	struct func *f;

	bind_all(b, &e->u.call.args);
	if (b->position == IN_CONDITION)
		diag_error(e->loc, "conditions of probes can only read globals: no function calls; write if (...) in the handler");
	if (!e->u.call.target)
		e->u.call.target = declarations_find_function(b->s, e);
	f = e->u.call.target;
	if (!f)
		return;
	reach(f);
}

// Refuses a[1][2] = 5: elements of arrays are not arrays.
static bool refuse_second_index(const struct expr *e)
{
	if (e->kind != E_ACCESS || e->u.access.base->kind != E_INDEX || !e->u.access.comps.n ||
	    e->u.access.comps.at[0].kind != COMP_INDEX)
		return false;
	diag_error(e->u.access.comps.at[0].loc, "an element of \"%s\" is not an array: write several indices in one "
		   "pair of brackets, like %s[1, 2]", e->u.access.base->u.index.name, e->u.access.base->u.index.name);
	return true;
}

// "self->x = 1" is not a member of a structure, but a variable of DTrace.
static void note_foreign_base(struct binder *b, const struct expr *e)
{
	const struct expr *base = e->kind == E_ACCESS ? e->u.access.base : e;

	if (base->kind == E_VAR && !map_get(&b->locals, base->u.var.name) && foreign_word_value(base->u.var.name))
		diag_note(e->loc, "\"%s\": %s", base->u.var.name, foreign_word_value(base->u.var.name));
}

static void bind_lvalue(struct binder *b, struct expr *e)
{
	if (b->position == IN_CONDITION)
		diag_error(e->loc, "conditions of probes can only read globals: no assignments; write if (...) in the handler");
	switch (e->kind) {
	case E_VAR:
		bind_var(b, e);
		return;
	case E_INDEX:
		if (is_array_reported_later(b, e))
			bind_index(b, e);
		else
			bind_expr(b, e);
		return;
	case E_TARGET:
	case E_ACCESS:
	case E_CAST:
	case E_ATVAR:
		if (refuse_second_index(e))
			return;
		if (!b->s->opt.guru && !(e->loc.source && e->loc.source->library)) {
			diag_error(e->loc, "writing to target variables requires guru mode (stap -g)");
			note_foreign_base(b, e);
		}
		bind_expr(b, e);
		return;
	default:
		assert(!"the parser lets only variables be assigned");
	}
}

static void bind_assign(struct binder *b, struct expr *e)
{
	if (e->u.bin.op == TOK_STAT_ADD && b->position == IN_BODY)
		bind_stat_operand(b, e->u.bin.l);
	else
		bind_lvalue(b, e->u.bin.l);
	bind_expr(b, e->u.bin.r);
}

static bool is_target(const struct expr *e)
{
	return e->kind == E_CALL && !strcmp(e->u.call.name, "target") && !e->u.call.args.n;
}

// --follow: replaces "x == target()" by a call of the library's function, and != by its negation. A comparison with a
// number, such as "target() == 0", asks for the target itself.
static bool follow(struct expr *e)
{
	bool left = is_target(e->u.bin.l);
	struct expr *other = left ? e->u.bin.r : e->u.bin.l, *call;

	if ((e->u.bin.op != TOK_EQ && e->u.bin.op != TOK_NE) || other->kind == E_NUMBER ||
	    (!left && !is_target(e->u.bin.r)))
		return false;
	call = expr_new(E_CALL, e->loc);
	call->u.call.name = "__is_followed";
	vec_push(&call->u.call.args, other);
	if (e->u.bin.op == TOK_NE) {
		e->kind = E_UNARY;
		e->u.un.op = TOK_NOT;
		e->u.un.e = call;
	} else {
		*e = *call;
	}
	return true;
}

// @entry(@entry(x)) is @entry(x): variables of aliases for returns are values of the entry.
static void bind_entry(struct binder *b, struct expr *e)
{
	int position = b->position;

	if (position == IN_ENTRY) {
		*e = *e->u.entry.e;
		bind_expr(b, e);
		return;
	}
	b->position = IN_ENTRY;
	bind_expr(b, e->u.entry.e);
	b->position = position;
}

static void bind_defined(struct binder *b, struct expr *e)
{
	bool outer = b->in_defined;

	b->in_defined = true;
	bind_expr(b, e->u.op1);
	b->in_defined = outer;
}

// Refuses in conditions of probes all operations that may fail or that build strings: a condition has no context.
static void check_in_condition(const struct expr *e)
{
	const char *what = NULL;

	if (e->kind == E_STAT || e->kind == E_HIST_BUCKET)
		what = "statistics";
	else if (e->kind == E_PRINT && e->u.print.to_string)
		what = "string functions";
	else if (e->kind == E_BINARY && e->u.bin.op == TOK_DOT)
		what = "concatenated strings";
	else if (e->kind == E_EMBEDDED)
		what = "embedded C";
	else if (e->kind == E_BINARY && (e->u.bin.op == TOK_DIV || e->u.bin.op == TOK_MOD) &&
		 (e->u.bin.r->kind != E_NUMBER || !e->u.bin.r->u.number))
		what = "divisions by a value that may be 0";
	if (what)
		diag_error(e->loc, "the condition of a probe can only compare and calculate with globals: no %s; "
			   "use an if statement in the handler", what);
}

static void bind_operand(struct binder *b, bool is_optional, struct expr *e)
{
	bool outer = b->is_optional, held = b->holds;

	if (!is_optional) {
		bind_expr(b, e);
		return;
	}
	b->is_optional = true;
	b->holds = false;
	bind_part(b, e);
	b->is_optional = outer;
	b->holds = held;
}

static void bind_binary(struct binder *b, struct expr *e)
{
	if (b->s->opt.follow && follow(e)) {
		bind_expr(b, e);
		return;
	}
	bind_expr(b, e->u.bin.l);
	if (e->u.bin.op == TOK_ANDAND || e->u.bin.op == TOK_OROR)
		bind_operand(b, bind_may_leave_out(b, e->u.bin.l), e->u.bin.r);
	else
		bind_expr(b, e->u.bin.r);
}

static void bind_cond(struct binder *b, struct expr *e)
{
	bool optional;

	bind_expr(b, e->u.cond.c);
	optional = bind_may_leave_out(b, e->u.cond.c);
	bind_operand(b, optional, e->u.cond.a);
	bind_operand(b, optional, e->u.cond.b);
}

void bind_expr(struct binder *b, struct expr *e)
{
	if (!e)
		return;
	if (b->position == IN_CONDITION)
		check_in_condition(e);
	switch (e->kind) {
	case E_NUMBER: case E_STRING: case E_TARGET: case E_ATVAR: case E_ENUM:
	case E_CONST: case E_STATIC: case E_OFFSET: case E_PERF: case E_UNBOUND: break;
	case E_EMBEDDED: embedded_names_check(b->s, e->u.embedded, e->loc); break;
	case E_VAR: bind_value(b, e); break;
	case E_INDEX: bind_element(b, e); break;
	case E_IN: case E_HIST_BUCKET: bind_read_index(b, e); break;
	case E_CALL: bind_call(b, e); break;
	case E_UNARY: bind_expr(b, e->u.un.e); break;
	case E_INCDEC: bind_lvalue(b, e->u.un.e); break;
	case E_ASSIGN: bind_assign(b, e); break;
	case E_REGEX: bind_expr(b, e->u.regex.l); break;
	case E_STAT: bind_stat(b, e, true); break;
	case E_HIST: bind_stat(b, e, false); break;
	case E_PRINT:
		if (b->position == IN_CONDITION && !e->u.print.to_string)
			diag_error(e->loc, "conditions of probes can only read globals: no printing; write if (...) in the handler");
		bind_all(b, &e->u.print.args);
		break;
	case E_CAST: case E_ENUMNAME: bind_expr(b, e->u.cast.e); break;
	case E_ACCESS: bind_access(b, e); break;
	case E_DEFINED: bind_defined(b, e); break;
	case E_ENTRY: bind_entry(b, e); break;
	case E_REGISTER: bind_expr(b, e->u.reg.number_expr); break;
	case E_PROBEWRITE:
		diag_error(e->loc, "@probewrite is supported only in bodies of probe aliases");
		break;
	case E_DEREF:
		bind_expr(b, e->u.deref.size_expr);
		bind_expr(b, e->u.deref.addr);
		break;
	case E_BINARY: bind_binary(b, e); break;
	case E_COND: bind_cond(b, e); break;
	}
}

// ---------------------------------------------------------------- bodies

static void bind_functions(struct session *s)
{
	for (int i = 0; i < queue.n; i++) {
		struct func *f = queue.at[i];
		struct binder b = { .s = s, .func = f };

		for vec_each(&f->params, p) {
			(*p)->kind = VAR_PARAM;
			map_put(&b.locals, (*p)->name, *p);
		}
		bind_stmt(&b, f->body);
	}
	memset(&queue, 0, sizeof(queue));
}

static void bind_probe(struct session *s, struct probe *p)
{
	struct binder b = { .s = s, .probe = p };

	for vec_each(&p->locals, v)
		map_put(&b.locals, (*v)->name, *v);
	b.position = IN_CONDITION;
	bind_expr(&b, p->condition);
	b.position = IN_ENTRY;
	bind_all(&b, &p->entries);
	b.position = IN_BODY;
	bind_stmt(&b, p->body);
}

void bind_names_of_probe(struct session *s, struct probe *p)
{
	if (p->family->rewrite && p->body)
		p->family->rewrite(s, p);
	bind_probe(s, p);
	bind_functions(s);
}

void bind_names_of_function(struct session *s, struct func *f)
{
	reach(f);
	bind_functions(s);
}

// Globals whose arity no use determines become scalars.
static void settle_arities(struct session *s)
{
	for vec_each(&s->script.globals, g)
		if ((*g)->arity < 0 || !(*g)->key_types) {
			bool array = (*g)->size_given || (*g)->wrap;

			(*g)->arity = -1;
			bind_set_arity(*g, array, (*g)->loc);
		}
}

// Binds the script's own functions that are never called, so that their names are checked, too. They stay unused.
// Probes of library files that only these functions require are removed, since nothing would bind them.
static void bind_unused(struct session *s)
{
	VEC(struct func *) used = { 0 };
	int n = s->script.funcs.n, decls = s->script.probe_decls.n;

	for vec_each(&s->script.funcs, f)
		if ((*f)->used)
			vec_push(&used, *f);
	for (int i = 0; i < n; i++)
		if (s->script.funcs.at[i]->source && !s->script.funcs.at[i]->source->library)
			bind_names_of_function(s, s->script.funcs.at[i]);
	for vec_each(&s->script.funcs, f)
		(*f)->used = false;
	for vec_each(&used, f)
		(*f)->used = true;
	s->script.probe_decls.n = decls;
}

int elab_bind_names(struct session *s)
{
	int before = diag_errors();

	check_declarations(s);
	// A library file that a function uses may have its own probes.
	for (int i = 0; i < s->script.probes.n; i++) {
		bind_names_of_probe(s, s->script.probes.at[i]);
		if (i + 1 == s->script.probes.n)
			match_new_decls(s);
	}
	bind_unused(s);
	check_names_of_settings(s);
	settle_arities(s);
	accessors_make(s);
	optimize_mark_unused(s);
	return diag_errors() - before;
}
