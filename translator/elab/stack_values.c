// SPDX-License-Identifier: GPL-2.0-or-later
// Call stacks as values: keys and values of arrays, and local variables, that only hold results of
// sprint_backtrace() and similar functions store addresses, which are resolved to names where the script uses them
// as text. Those that only hold results of backtrace() and similar functions store addresses, too, so that the formats
// of recorded output show names. In: optimised handlers. Out: var.stacks; calls that make a stack value where the
// result is stored, and calls that make its text where it is read.
//
// Such a function returns the text of a stack value:
//
//     function sprint_backtrace() { return __stack_text(__kernel_stack_value()) }
//     function backtrace() { return __stack_addresses(__kernel_addresses()) }
//
// At first each key, value and local is a candidate (CANDIDATE). One that may hold another string, or by which a loop
// sorts, is removed, as are those that are set from it. Of the others, those to which a call stack is assigned, also by
// other candidates, become stack values (REACHED). A local that a handler reads as text more than once is not a
// candidate: its text is made once, when the stack is taken. This is done once for each form of the text.
//
// Functions such as print_ustack() print the names of addresses in the current process. If their argument is a stack
// value, the names are those of the process that it is from:
//
//     function print_ustack(callers) { __print_frames(callers, 1, 0) }      -> __print_frames(stack, 1, 1)
#include "elab/elab.h"
#include "util/numbers.h"

#include <limits.h>

struct stacks {
	const struct session *s;
	enum stack_form form;
	enum { CANDIDATE, REACHED, NAME, REPLACE } step;
	struct func *text_of;      // the function __stack_text() or __stack_addresses()
	bool named;                // print_ustack() or a similar function is called with a stack value
	struct numbers stored;     // expressions that are stored in a key or a local without a conversion
	struct numbers fresh;      // locals to which a handler assigns the stack of the current process
	bool changed;
};

// ---------------------------------------------------------------- calls that return a call stack

static bool makes_text(const struct stacks *k, const struct expr *e)
{
	static const char *const makers[] = { [STACK_NAMES] = "stp_stack_text", [STACK_ADDRESSES] = "stp_stack_addresses" };
	const struct func *f = e->kind == E_CALL ? e->u.call.target : NULL;

	return f && f->embedded && !f->next_overload && embedded_word(f->embedded, makers[k->form]);
}

// Returns the expression of the only statement of the function if the statement is of this kind, or NULL.
static struct expr *only(const struct func *f, enum stmt_kind kind)
{
	struct stmt *s = f->body;

	while (s && s->kind == S_BLOCK)
		s = s->u.block.n == 1 ? s->u.block.at[0] : NULL;
	return s && s->kind == kind ? s->u.expr : NULL;
}

// Returns the call that makes the stack value whose text the expression is, or NULL.
static struct expr *value_of(struct stacks *k, struct expr *e)
{
	const struct func *f = e->kind == E_CALL ? e->u.call.target : NULL;
	struct expr *text;

	if (!f || !f->body || f->next_overload || f->params.n || f->recursive)
		return NULL;
	text = only(f, S_RETURN);
	if (!text)
		return NULL;
	if (!makes_text(k, text))
		return value_of(k, text);
	k->text_of = text->u.call.target;
	return text->u.call.args.at[0];
}

// ---------------------------------------------------------------- calls that print names of addresses

// Returns the call that the function consists of, or NULL.
static const struct expr *only_call(const struct func *f)
{
	const struct expr *e = only(f, S_RETURN) ? only(f, S_RETURN) : only(f, S_EXPR);

	return e && e->kind == E_CALL ? e : NULL;
}

// Returns whether the first argument of the call is the parameter.
static bool passes_on(const struct expr *call, const struct var *parameter)
{
	const struct expr *first = call->u.call.args.n ? call->u.call.args.at[0] : NULL;

	return first && first->kind == E_VAR && first->u.var.decl == parameter;
}

// Returns whether the function is embedded C whose last parameter says whether its first one is a stack value.
static bool takes_stack(const struct func *f)
{
	static const char *const naming[] = { "stp_print_stack", "stp_stack_lines", "stp_print_usyms", "stp_mark_list" };

	for (size_t i = 0; f->embedded && f->source && f->source->library && i < ARRAY_SIZE(naming); i++)
		if (embedded_word(f->embedded, naming[i]))
			return true;
	return false;
}

const struct expr *stack_values_naming_call(const struct expr *e)
{
	const struct func *f = e->kind == E_CALL ? e->u.call.target : NULL;

	while (f && !f->next_overload && f->params.n == 1) {
		e = only_call(f);
		f = e && passes_on(e, f->params.at[0]) ? e->u.call.target : NULL;
	}
	return f && !f->next_overload && takes_stack(f) ? e : NULL;
}

bool stack_values_named(const struct expr *call)
{
	const struct func *f = call->kind == E_CALL ? call->u.call.target : NULL;

	return f && takes_stack(f) && call->u.call.args.at[f->params.n - 1]->u.number;
}

// ---------------------------------------------------------------- locals, keys and values

static bool is_empty(const struct expr *e)
{
	return e->kind == E_STRING && !e->u.string.len;
}

// Returns the local, or the array whose element the string is; else NULL.
static struct var *holder(const struct expr *e)
{
	if (e->type != T_STRING)
		return NULL;
	if (e->kind == E_VAR && e->u.var.decl->kind == VAR_LOCAL)
		return e->u.var.decl;
	return e->kind == E_INDEX && !e->u.index.hist ? e->u.index.decl : NULL;
}

static unsigned value_bit(const struct var *v)
{
	return 1u << (v->kind == VAR_LOCAL ? 0 : v->arity);
}

static bool holds_stack(const struct stacks *k, const struct expr *e)
{
	const struct var *v = holder(e);

	return v && v->stacks[k->form] & value_bit(v);
}

// Returns whether the value may be stored as a stack value.
static bool fits(struct stacks *k, struct expr *e)
{
	return value_of(k, e) || is_empty(e) || holds_stack(k, e);
}

static bool is_reached(struct stacks *k, struct expr *e)
{
	const struct var *v = holder(e);

	return value_of(k, e) || (v && v->stacks_reached[k->form] & value_bit(v));
}

// Called for a local, key or value to which a statement stores. It is no longer a candidate if the stored
// expression cannot be a stack value, and becomes REACHED if the stored expression is one.
static void settle_one(struct stacks *k, struct var *v, unsigned bit, bool fits, bool reached)
{
	if (k->step == CANDIDATE && v->stacks[k->form] & bit && !fits) {
		v->stacks[k->form] &= ~bit;
		k->changed = true;
	}
	if (k->step == REACHED && !(v->stacks_reached[k->form] & bit) && reached) {
		v->stacks_reached[k->form] |= bit;
		k->changed = true;
	}
}

// Makes a call whose errors are reported at the location of the call in the script.
static struct expr *call_at(const struct expr *value, struct loc loc)
{
	struct expr *e = expr_copy(value);

	e->loc = loc;
	return e;
}

static bool files_fit(const struct session *s)
{
	return session_limit(s, LIMIT_MAXSTRINGLEN) >= 64;
}

static bool keeps_files(const struct stacks *k)
{
	return (k->named || k->s->opt.records) && files_fit(k->s);
}

// __user_addresses(0) keeps the addresses; with 1 it keeps their files, too, whose names recorded output and
// print_ustack() show. BPF programs store the process with the addresses, in at least 48 bytes.
static struct expr *stored_call(const struct stacks *k, const struct expr *value, struct loc loc)
{
	struct expr *e = call_at(value, loc);

	if (e->kind == E_CALL && e->u.call.args.n && keeps_files(k))
		e->u.call.args.at[0]->u.number = 1;
	return e;
}

static void store(struct stacks *k, struct expr **at)
{
	struct expr *value = value_of(k, *at);

	if (value)
		*at = stored_call(k, value, (*at)->loc);
	numbers_add(&k->stored, *at);
}

static void keys(struct stacks *k, struct var *array, struct expr **key, int n)
{
	for (int i = 0; i < n; i++) {
		if (!key[i] || array->key_types[i] != T_STRING)
			continue;
		settle_one(k, array, 1u << i, fits(k, key[i]), is_reached(k, key[i]));
		if (k->step == REPLACE && array->stacks[k->form] & 1u << i)
			store(k, &key[i]);
	}
}

static void assignment(struct stacks *k, struct expr *e)
{
	struct expr *l = e->u.bin.l;
	struct var *v = holder(l);

	if (!v)
		return;
	if (k->step == CANDIDATE && value_of(k, e->u.bin.r))
		numbers_add(&k->fresh, v);
	settle_one(k, v, value_bit(v), e->u.bin.op == TOK_ASSIGN && e->value_unused && fits(k, e->u.bin.r),
		   is_reached(k, e->u.bin.r));
	if (k->step != REPLACE || !holds_stack(k, l))
		return;
	numbers_add(&k->stored, l);
	store(k, &e->u.bin.r);
}

// A loop variable and the key or value that the loop assigns to it are either both stack values or both strings.
static void loop_variable(struct stacks *k, const struct expr *e, struct var *array, unsigned bit, bool sorted)
{
	struct var *v = holder(e);

	if (e->type != T_STRING)
		return;
	settle_one(k, array, bit, !sorted && v && holds_stack(k, e), v && v->stacks_reached[k->form] & value_bit(v));
	if (!v)
		return;
	settle_one(k, v, value_bit(v), array->stacks[k->form] & bit, array->stacks_reached[k->form] & bit);
	if (k->step == REPLACE && array->stacks[k->form] & bit)
		numbers_add(&k->stored, e);
}

static void loop(struct stacks *k, struct stmt *s)
{
	struct var *array = s->u.foreach.decl;
	int sort_key = s->u.foreach.sort_dir ? s->u.foreach.sort_key : -1;

	if (!array)
		return;
	for (int i = 0; i < s->u.foreach.keys.n; i++)
		loop_variable(k, s->u.foreach.keys.at[i], array, 1u << i, sort_key == i + 1);
	if (s->u.foreach.value)
		loop_variable(k, s->u.foreach.value, array, value_bit(array), sort_key == 0);
	if (!sort_key)
		settle_one(k, array, value_bit(array), false, false);
	keys(k, array, s->u.foreach.slice.at, s->u.foreach.slice.n);
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

// The text of a printed stack is generated in the output, where the maximum length of strings does not apply. A list of
// addresses fits into a string.
static void printed(struct stacks *k, struct expr *print)
{
	if (k->form != STACK_NAMES)
		return;
	for vec_each(&print->u.print.args, arg) {
		struct expr *value = value_of(k, *arg);

		if (value)
			*arg = text_call(k, call_at(value, (*arg)->loc));
	}
}

static bool is_fresh(struct stacks *k, const struct expr *e)
{
	return e->kind == E_VAR && *numbers_at(&k->fresh, (uintptr_t)e->u.var.decl);
}

// Returns the call that names the addresses of a stack value, made of the innermost call of stack_values_naming_call().
static struct expr *call_with_stack(const struct expr *naming, struct expr *stack)
{
	struct expr *e = call_at(naming, stack->loc);

	e->u.call.args.at[0] = stack;
	e->u.call.args.at[e->u.call.args.n - 1]->u.number = 1;
	return e;
}

// Called for each call: of one that prints names of a stack value, *at becomes the call of embedded C that does so.
static void named(struct stacks *k, struct expr **at)
{
	const struct expr *naming = k->form == STACK_ADDRESSES ? stack_values_naming_call(*at) : NULL;
	struct expr *stack = naming ? (*at)->u.call.args.at[0] : NULL;

	if (!stack || !holds_stack(k, stack) || is_fresh(k, stack))
		return;
	k->named |= k->step == NAME;
	if (k->step != REPLACE || !keeps_files(k))
		return;
	*at = call_with_stack(naming, stack);
	numbers_add(&k->stored, stack);
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
	} else if (e->kind == E_CALL) {
		named(k, at);
		e = *at;
	}
	if (k->step == REPLACE && holds_stack(k, e) && numbers_add(&k->stored, e))
		*at = text_call(k, e);
	else if (k->step == REPLACE && k->s->opt.bpf_runtime && k->form == STACK_ADDRESSES && makes_text(k, e) &&
		 e->u.call.args.at[0]->kind == E_CALL)
		*at = e->u.call.args.at[0];        // a list that is not stored needs no stack value
	return true;
}

static bool visit_stmt(struct ast_walker *w, struct stmt **at)
{
	struct stacks *k = w->data;
	struct stmt *s = *at;
	struct var *v = s->kind == S_TRY && s->u.try_.var ? holder(s->u.try_.var) : NULL;

	if (s->kind == S_FOREACH)
		loop(k, s);
	else if (s->kind == S_DELETE)
		numbers_add(&k->stored, s->u.expr);
	else if (v)
		settle_one(k, v, value_bit(v), false, false);
	return true;
}

static bool visit_first(struct ast_walker *w, struct expr **at)
{
	const struct stacks *k = w->data;
	struct var *v = (*at)->kind == E_VAR ? holder(*at) : NULL;

	if (!v)
		return true;
	v->stacks[k->form] = value_bit(v);
	v->reads = 0;
	return true;
}

// Values of @entry() are computed at another time than the handler runs, and do not share its locals.
static bool visit_entry(struct ast_walker *w, struct expr **at)
{
	const struct stacks *k = w->data;
	struct var *v = (*at)->kind == E_VAR ? holder(*at) : NULL;

	if (v)
		v->stacks[k->form] = 0;
	return true;
}

// ---------------------------------------------------------------- locals that are read as text

struct text_reads {
	enum stack_form form;
	struct numbers stored;     // expressions that are stored or printed without a conversion
	int loops;                 // number of loops that contain the expression
};

static void mark_stored(struct text_reads *r, const expr_vec *all)
{
	for vec_each(all, e)
		if (*e)
			numbers_add(&r->stored, *e);
}

static bool count_read(struct ast_walker *w, struct expr **at)
{
	struct text_reads *r = w->data;
	struct expr *e = *at;
	struct var *v = e->kind == E_VAR ? holder(e) : NULL;

	if (e->kind == E_ASSIGN) {
		numbers_add(&r->stored, e->u.bin.l);
		numbers_add(&r->stored, e->u.bin.r);
	} else if (e->kind == E_INDEX || e->kind == E_IN) {
		mark_stored(r, &e->u.index.keys);
	} else if (e->kind == E_PRINT && !e->u.print.to_string && r->form == STACK_NAMES) {
		mark_stored(r, &e->u.print.args);
	} else if (r->form == STACK_ADDRESSES && stack_values_naming_call(e)) {
		mark_stored(r, &e->u.call.args);
	} else if (v && numbers_add(&r->stored, e)) {
		v->reads += r->loops ? 2 : 1;
	}
	return true;
}

static bool is_loop(const struct stmt *s)
{
	return s->kind == S_FOREACH || s->kind == S_WHILE || s->kind == S_FOR;
}

// A foreach variable has another value in each pass: its reads do not count.
static void ignore_loop_variable(const struct expr *e)
{
	struct var *v = holder(e);

	if (v)
		v->reads = INT_MIN / 2;
}

static bool enter_stmt(struct ast_walker *w, struct stmt **at)
{
	struct text_reads *r = w->data;

	r->loops += is_loop(*at);
	if ((*at)->kind == S_FOREACH) {
		for vec_each(&(*at)->u.foreach.keys, key)
			ignore_loop_variable(*key);
		if ((*at)->u.foreach.value)
			ignore_loop_variable((*at)->u.foreach.value);
	}
	return true;
}

static void leave_stmt(struct ast_walker *w, struct stmt **at)
{
	((struct text_reads *)w->data)->loops -= is_loop(*at);
}

// Called after the children: removes locals that are read as text more than once.
static bool visit_read(struct ast_walker *w, struct expr **at)
{
	const struct stacks *k = w->data;
	struct var *v = (*at)->kind == E_VAR ? holder(*at) : NULL;

	if (v && v->reads > 1)
		v->stacks[k->form] = 0;
	return true;
}

static void candidates(struct session *s, struct stacks *k)
{
	struct text_reads r = { .form = k->form };
	struct ast_walker locals = { .expr = visit_first, .data = k }, entries = { .expr = visit_entry, .data = k };
	struct ast_walker read = { .expr = visit_read, .data = k };
	struct ast_walker reads = { .expr = count_read, .stmt = enter_stmt, .stmt_after = leave_stmt, .data = &r };

	for vec_each(&s->script.globals, it) {
		struct var *v = *it;

		for (int i = 0; i < v->arity; i++)
			v->stacks[k->form] |= (unsigned)(v->key_types[i] == T_STRING) << i;
		if (v->arity > 0 && v->type == T_STRING)
			v->stacks[k->form] |= value_bit(v);
	}
	for vec_each(&s->script.funcs, f)
		if ((*f)->accessed)
			(*f)->accessed->stacks[k->form] = 0;
	optimize_walk(s, &locals);
	optimize_walk(s, &reads);
	optimize_walk(s, &read);
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
	const struct stacks *k = w->data;

	if ((*at)->kind == E_VAR && holder(*at))
		(*at)->u.var.decl->stacks[k->form] &= (*at)->u.var.decl->stacks_reached[k->form];
	return true;
}

static bool visit_naming(struct ast_walker *w, struct expr **at)
{
	*(bool *)w->data |= stack_values_naming_call(*at) && holder((*at)->u.call.args.at[0]);
	return true;
}

static bool names_addresses(struct session *s)
{
	bool any = false;
	struct ast_walker w = { .expr = visit_naming, .data = &any };

	optimize_walk(s, &w);
	return any;
}

static bool make_form(struct session *s, enum stack_form form)
{
	struct stacks k = { .s = s, .form = form };
	struct ast_walker w = { .expr = visit_expr, .stmt = visit_stmt, .data = &k };
	struct ast_walker reached = { .expr = visit_reached, .data = &k };

	if (form == STACK_NAMES || !s->opt.bpf_runtime || s->opt.records || names_addresses(s))
		candidates(s, &k);
	settle(s, &k, &w, CANDIDATE);
	settle(s, &k, &w, REACHED);
	for vec_each(&s->script.globals, v)
		(*v)->stacks[form] &= (*v)->stacks_reached[form];
	optimize_walk(s, &reached);
	settle(s, &k, &w, NAME);
	settle(s, &k, &w, REPLACE);
	return k.text_of;
}

static bool keeps_addresses(const struct session *s)
{
	return !s->opt.no_optimize && !s->opt.user_runtime && !s->opt.merge;
}

bool stack_values_have_names(const struct session *s)
{
	return keeps_addresses(s) && files_fit(s);
}

bool stack_values_make(struct session *s)
{
	bool any;

	if (!keeps_addresses(s))
		return false;
	loop_vars_divide(s);
	any = make_form(s, STACK_NAMES);
	return make_form(s, STACK_ADDRESSES) || any;
}
