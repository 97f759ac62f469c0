// SPDX-License-Identifier: GPL-2.0-or-later
// Call stacks as values: keys of arrays and local variables that only hold results of sprint_backtrace() and the like
// store addresses, which get names where the script uses them as text. In: optimised handlers. Out: var.is_stack and
// var.stack_keys; calls that make a stack value where the result is stored, and calls that make its text where it is
// read.
//
// Such a function of the library returns the text of a stack value: function sprint_backtrace() { return
// __stack_text(__kernel_stack_value()) }. Each local and key is first taken for a stack value (CANDIDATE). One that may
// hold another string, or that text is compared with or ordered by, is not, and neither are those that exchange values
// with it. Of the rest, those that a stack reaches are stack values (REACHED).
#include "elab/elab.h"
#include "util/numbers.h"

struct stacks {
	enum { CANDIDATE, REACHED, REPLACE } step;
	struct func *text_of;      // __stack_text()
	struct numbers stored;     // expressions that a key or a local takes as they are
	bool changed;
};

// ---------------------------------------------------------------- calls that return a call stack

static bool makes_text(const struct expr *e)
{
	const struct func *f = e->kind == E_CALL ? e->u.call.target : NULL;

	return f && f->embedded && !f->next_overload && embedded_word(f->embedded, "stp_stack_text");
}

// Returns the expression that the function returns and consists of, or NULL.
static struct expr *returned(const struct func *f)
{
	struct stmt *s = f->body;

	while (s && s->kind == S_BLOCK)
		s = s->u.block.n == 1 ? s->u.block.at[0] : NULL;
	return s && s->kind == S_RETURN ? s->u.expr : NULL;
}

// Returns the call that makes the stack value whose text the expression is, or NULL.
static struct expr *value_of(struct stacks *k, struct expr *e)
{
	const struct func *f = e->kind == E_CALL ? e->u.call.target : NULL;
	struct expr *text;

	if (!f || !f->body || f->next_overload || f->params.n)
		return NULL;
	text = returned(f);
	if (!text)
		return NULL;
	if (!makes_text(text))
		return value_of(k, text);
	k->text_of = text->u.call.target;
	return text->u.call.args.at[0];
}

// ---------------------------------------------------------------- locals and keys

static bool is_empty(const struct expr *e)
{
	return e->kind == E_STRING && !e->u.string.len;
}

static bool is_local(const struct expr *e)
{
	return e->kind == E_VAR && e->type == T_STRING && e->u.var.decl->kind == VAR_LOCAL;
}

// Returns whether the value may be stored as a stack value.
static bool fits(struct stacks *k, struct expr *e)
{
	return value_of(k, e) || is_empty(e) || (is_local(e) && e->u.var.decl->is_stack);
}

static bool is_reached(struct stacks *k, struct expr *e)
{
	return value_of(k, e) || (is_local(e) && e->u.var.decl->reached_by_stack);
}

static void set_local(struct stacks *k, struct var *v, bool fits, bool reached)
{
	if (k->step == CANDIDATE && v->is_stack && !fits) {
		v->is_stack = false;
		k->changed = true;
	}
	if (k->step == REACHED && !v->reached_by_stack && reached) {
		v->reached_by_stack = true;
		k->changed = true;
	}
}

static void set_key(struct stacks *k, struct var *array, int i, bool fits, bool reached)
{
	unsigned bit = 1u << i;

	if (k->step == CANDIDATE && array->stack_keys & bit && !fits) {
		array->stack_keys &= ~bit;
		k->changed = true;
	}
	if (k->step == REACHED && !(array->keys_reached & bit) && reached) {
		array->keys_reached |= bit;
		k->changed = true;
	}
}

// Errors are reported at the call of the script.
static struct expr *call_at(const struct expr *value, struct loc loc)
{
	struct expr *e = expr_copy(value);

	e->loc = loc;
	return e;
}

static void store(struct stacks *k, struct expr **at)
{
	struct expr *value = value_of(k, *at);

	if (value)
		*at = call_at(value, (*at)->loc);
	numbers_add(&k->stored, *at);
}

static void keys(struct stacks *k, struct var *array, struct expr **key, int n)
{
	for (int i = 0; i < n; i++) {
		if (!key[i] || array->key_types[i] != T_STRING)
			continue;
		set_key(k, array, i, fits(k, key[i]), is_reached(k, key[i]));
		if (k->step == REPLACE && array->stack_keys & 1u << i)
			store(k, &key[i]);
	}
}

static void assignment(struct stacks *k, struct expr *e)
{
	struct expr *l = e->u.bin.l;

	if (!is_local(l))
		return;
	set_local(k, l->u.var.decl, e->u.bin.op == TOK_ASSIGN && e->value_unused && fits(k, e->u.bin.r),
		  is_reached(k, e->u.bin.r));
	if (k->step != REPLACE || !l->u.var.decl->is_stack)
		return;
	numbers_add(&k->stored, l);
	store(k, &e->u.bin.r);
}

// A key and the variable of a loop over it are both stack values, or neither is.
static void loop_key(struct stacks *k, struct stmt *s, int i)
{
	struct expr *e = s->u.foreach.keys.at[i];
	struct var *array = s->u.foreach.decl;
	bool is_key = array->stack_keys >> i & 1, sorted = s->u.foreach.sort_dir && s->u.foreach.sort_key == i + 1;

	if (e->type != T_STRING)
		return;
	set_key(k, array, i, !sorted && is_local(e) && e->u.var.decl->is_stack,
		is_local(e) && e->u.var.decl->reached_by_stack);
	if (!is_local(e))
		return;
	set_local(k, e->u.var.decl, is_key, array->keys_reached >> i & 1);
	if (k->step == REPLACE && is_key)
		numbers_add(&k->stored, e);
}

static void loop(struct stacks *k, struct stmt *s)
{
	struct expr *value = s->u.foreach.value;

	if (value && is_local(value))
		set_local(k, value->u.var.decl, false, false);
	if (!s->u.foreach.decl)
		return;
	for (int i = 0; i < s->u.foreach.keys.n; i++)
		loop_key(k, s, i);
	keys(k, s->u.foreach.decl, s->u.foreach.slice.at, s->u.foreach.slice.n);
}

// ---------------------------------------------------------------- reads as text

static struct expr *text_call(struct stacks *k, struct expr *stack)
{
	struct expr *e = expr_new(E_CALL, stack->loc);

	e->type = T_STRING;
	e->u.call.name = k->text_of->name;
	e->u.call.target = k->text_of;
	vec_push(&e->u.call.args, stack);
	numbers_add(&k->stored, stack);
	return e;
}

// The text of a printed stack is made in the output, where no string limits it.
static void printed(struct stacks *k, struct expr *print)
{
	for vec_each(&print->u.print.args, arg) {
		struct expr *value = value_of(k, *arg);

		if (value)
			*arg = text_call(k, call_at(value, (*arg)->loc));
	}
}

// ---------------------------------------------------------------- the walk

static bool visit_expr(struct ast_walker *w, struct expr **at)
{
	struct stacks *k = w->data;
	struct expr *e = *at;

	if (e->kind == E_INDEX || e->kind == E_IN) {
		if (!e->u.index.hist)
			keys(k, e->u.index.decl, e->u.index.keys.at, e->u.index.keys.n);
	} else if (e->kind == E_ASSIGN) {
		assignment(k, e);
	} else if (e->kind == E_PRINT && k->step == REPLACE && !e->u.print.to_string) {
		printed(k, e);
	} else if (k->step == REPLACE && is_local(e) && e->u.var.decl->is_stack && numbers_add(&k->stored, e)) {
		*at = text_call(k, e);
		return false;
	}
	return true;
}

static bool visit_stmt(struct ast_walker *w, struct stmt **at)
{
	struct stacks *k = w->data;
	struct stmt *s = *at;

	if (s->kind == S_FOREACH)
		loop(k, s);
	else if (s->kind == S_TRY && s->u.try_.var && is_local(s->u.try_.var))
		set_local(k, s->u.try_.var->u.var.decl, false, false);
	return true;
}

// Values of @entry() are computed at another time than the handler, which shares its locals with none of them.
static bool visit_first(struct ast_walker *w, struct expr **at)
{
	if (is_local(*at))
		(*at)->u.var.decl->is_stack = true;
	return true;
}

static bool visit_entry(struct ast_walker *w, struct expr **at)
{
	if (is_local(*at))
		(*at)->u.var.decl->is_stack = false;
	return true;
}

static void candidates(struct session *s)
{
	struct ast_walker locals = { .expr = visit_first }, entries = { .expr = visit_entry };

	for vec_each(&s->script.globals, v)
		for (int i = 0; i < (*v)->arity; i++)
			(*v)->stack_keys |= ((*v)->key_types[i] == T_STRING) << i;
	for vec_each(&s->script.funcs, f)
		if ((*f)->accessed)
			(*f)->accessed->stack_keys = 0;
	optimize_walk(s, &locals);
	for vec_each(&s->script.probes, p)
		for vec_each(&(*p)->entries, e)
			ast_walk_expr(&entries, e);
}

static void settle(struct session *s, struct stacks *k, struct ast_walker *w, int step)
{
	k->step = step;
	do {
		k->changed = false;
		optimize_walk(s, w);
	} while (k->changed);
}

static bool visit_reached(struct ast_walker *w, struct expr **at)
{
	struct var *v = is_local(*at) ? (*at)->u.var.decl : NULL;

	if (v)
		v->is_stack &= v->reached_by_stack;
	return true;
}

bool stack_values_make(struct session *s)
{
	struct stacks k = { 0 };
	struct ast_walker w = { .expr = visit_expr, .stmt = visit_stmt, .data = &k };
	struct ast_walker reached = { .expr = visit_reached };

	loop_vars_divide(s);
	candidates(s);
	settle(s, &k, &w, CANDIDATE);
	settle(s, &k, &w, REACHED);
	for vec_each(&s->script.globals, v)
		(*v)->stack_keys &= (*v)->keys_reached;
	optimize_walk(s, &reached);
	settle(s, &k, &w, REPLACE);
	return k.text_of;
}
