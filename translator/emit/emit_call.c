// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of script functions.
#include "emit/emitter.h"

#include <assert.h>
#include <string.h>

void emit_add_callee(struct func_info *caller, struct func_info *callee)
{
	if (numbers_add(&caller->callee_set, callee))
		vec_push(&caller->callees, callee);
}

// Calls one overload; `to` receives the result, or is NULL.
static void write_call(struct emitter *e, struct func_info *i, const char *args, const char *to)
{
	if (i->pointer)
		cw_line(e->w, "stp_copy(%s, %s(c%s), STP_STRLEN);", to, i->name, args);
	else if (i->func->type == T_STRING)
		cw_line(e->w, "%s(c, %s%s);", i->name, to, args);
	else if (to && i->func->type == T_LONG)
		cw_line(e->w, "%s = %s(c%s);", to, i->name, args);
	else
		cw_line(e->w, "%s(c%s);", i->name, args);
}

// Calls the overloads one after the other as long as they use `next`.
static void call_chain(struct emitter *e, struct func *f, struct loc loc, const char *args, const char *to)
{
	int depth = 0;

	for (; f; f = f->next_overload) {
		struct func_info *i = emit_func(e, f);

		write_call(e, i, args, to);
		if (i->fails)
			emit_check(e, loc);
		if (!i->nexts)
			break;
		cw_line(e->w, "if (c->next) {");
		cw_line(e->w, "c->next = false;");
		depth++;
		if (!f->next_overload) {
			cw_line(e->w, "stp_error(c, \"all functions exhausted\");");
			emit_check(e, loc);
		}
	}
	while (depth--)
		cw_line(e->w, "}");
}

// Returns arguments as ", a, b". Values that the called function may change are copied first; values that several
// overloads use are stored in temporaries.
static const char *arguments(struct emitter *e, struct expr *x, struct func_info *i, unsigned *reads)
{
	int n = x->u.call.args.n;
	struct value *v = NEW_ARRAY(struct value, n + 1);
	struct buf b = { 0 };

	emit_values(e, x->u.call.args.at, n, v);
	for (int k = 0; k < n; k++) {
		bool string = x->u.call.args.at[k]->type == T_STRING;

		if ((string && (v[k].reads & i->effects & (GLOBAL | ARRAY))) || i->nexts)
			v[k] = value_keep(e, v[k], x->u.call.args.at[k]->type);
		*reads |= v[k].reads;
		buf_printf(&b, ", %s", value_long(v[k]));
	}
	return buf_text(&b);
}

static struct var *hidden_local(const char *name, enum type type)
{
	struct var *v = NEW(struct var);

	v->kind = VAR_LOCAL;
	v->name = name;
	v->type = type;
	return v;
}

static const struct call_result *repeated_result(struct emitter *e, struct func *f, const char *args)
{
	const char *call = str_printf("%s(%s)", emit_func(e, f)->name, args);
	struct call_result *found = map_get(&e->body->call_results, call);

	if (found)
		return found;
	found = NEW(struct call_result);
	found->result = hidden_local(f->name, f->type);
	found->known = hidden_local(str_printf("%s_known", f->name), T_LONG);
	map_put(&e->body->call_results, call, found);
	return found;
}

// Returns whether the call has the same value throughout a handler: it is a call of a function that is marked
// stable, with constant arguments.
static bool is_stable_call(const struct expr *x)
{
	const struct func *f = x->u.call.target;

	for vec_each(&x->u.call.args, arg)
		if ((*arg)->kind != E_NUMBER && (*arg)->kind != E_STRING)
			return false;
	return func_has(f, PRAGMA_STABLE) && f->type != T_UNKNOWN;
}

// The function is called at the first use that is executed; later uses read its result.
static struct value call_once(struct emitter *e, struct func *f, struct loc loc, const char *args)
{
	const struct call_result *found = repeated_result(e, f, args);
	const char *result = emit_var(e, found->result), *known = emit_var(e, found->known);

	cw_line(e->w, "if (!%s) {", known);
	call_chain(e, f, loc, args, result);
	cw_line(e->w, "%s = 1;", known);
	cw_line(e->w, "}");
	return value_text(0, true, "%s", result);
}

// Returns a value of which the client makes a text: if there is an argument that is a text, that.
static struct value captured_call(struct emitter *e, struct expr *x)
{
	emit_bpf_use(e, BPF_CALL_TEXTS);
	for vec_each(&x->u.call.args, arg)
		if ((*arg)->type == T_STRING)
			return emit_expr(e, *arg);
	return value_text(0, true, "STP_LITERAL(\"\")");
}

struct value emit_call(struct emitter *e, struct expr *x, bool wanted)
{
	struct func *f = x->u.call.target;
	struct func_info *i;
	const char *args, *to = NULL;
	unsigned reads = WORLD;

	assert(f);
	if (e->programs && bpf_captured(x))
		return captured_call(e, x);
	i = emit_func(e, f);
	for (struct func *any = f; any; any = any->next_overload)
		emit_add_callee(e->caller, emit_func(e, any));
	if (!emit_needs_context(e, x->loc))
		return value_number(0);
	args = arguments(e, x, i, &reads);
	if (f->body)
		reads |= GLOBAL | ARRAY;
	if (i->pure_value && wanted) {
		struct value v = value_text(reads, true, "%s(c%s)", i->name, args);

		v.lasting = i->pointer;
		return v;
	}
	if (wanted && is_stable_call(x))
		return call_once(e, f, x->loc, args);
	if (f->type == T_STRING)
		to = temp_string(e);
	else if (wanted && f->type == T_LONG)
		to = temp_long(e);
	call_chain(e, f, x->loc, args, to);
	return to ? value_text(0, true, "%s", to) : value_number(0);
}
