// SPDX-License-Identifier: GPL-2.0-or-later
// Values, temporaries, variables and error checks: helpers for emit_expr.c.
#include "emit/emitter.h"

#include <assert.h>
#include <inttypes.h>

struct value value_text(unsigned reads, bool atom, const char *fmt, ...)
{
	struct value v = { .reads = reads, .atom = atom };
	va_list ap;

	va_start(ap, fmt);
	v.text = str_vprintf(fmt, ap);
	va_end(ap);
	return v;
}

struct value value_number(int64_t n)
{
	struct value v = { .atom = n >= 0, .constant = true, .number = n, .boolean = n == 0 || n == 1 };

	if (n == INT64_MIN)
		v.text = "-9223372036854775807LL - 1";
	else if (n > INT32_MAX || n < -INT32_MAX)
		v.text = str_printf("%" PRId64 "LL", n);
	else
		v.text = str_printf("%" PRId64, n);
	return v;
}

const char *value_long(struct value v)
{
	return v.wraps ? str_printf(v.atom ? "(s64)%s" : "(s64)(%s)", v.text) : v.text;
}

const char *value_operand(struct value v)
{
	if (v.wraps)
		return value_long(v);
	return v.atom ? v.text : str_printf("(%s)", v.text);
}

const char *value_wrap(struct value v)
{
	if (v.wraps)
		return v.atom ? v.text : str_printf("(%s)", v.text);
	return str_printf(v.atom ? "(u64)%s" : "(u64)(%s)", v.text);
}

// Returns a condition that is never a plain number other than 0 and 1, since compilers warn about those.
const char *value_condition(struct value v)
{
	if (v.constant)
		return v.number ? "1" : "0";
	if (v.boolean)
		return v.text;
	return str_printf("%s != 0", v.wraps && !v.atom ? str_printf("(%s)", v.text) : v.wraps ? v.text : value_operand(v));
}

static int take(int *now, int *max)
{
	++*now;
	if (*now > *max)
		*max = *now;
	return *now;
}

#define TAKE(e, what) take(&(e)->body->now.what, &(e)->body->max.what)

const char *temp_long(struct emitter *e)
{
	return str_printf("t%d", TAKE(e, longs));
}

const char *temp_string(struct emitter *e)
{
	return str_printf("f->s%d", TAKE(e, strings));
}

const char *temp_text(struct emitter *e)
{
	return str_printf("text%d", TAKE(e, texts));
}

const char *temp_cell(struct emitter *e)
{
	return str_printf("cell%d", TAKE(e, cells));
}

struct value value_keep_always(struct emitter *e, struct value v)
{
	const char *temp = temp_long(e);

	cw_line(e->w, "%s = %s;", temp, value_long(v));
	return value_text(0, true, "%s", temp);
}

struct value value_keep(struct emitter *e, struct value v, enum type t)
{
	const char *temp;

	if (!v.reads)
		return v;
	if (t == T_STRING && v.lasting && !e->s->opt.bpf_runtime) {
		temp = temp_text(e);
		cw_line(e->w, "%s = %s;", temp, v.text);
	} else if (t == T_STRING) {
		temp = temp_string(e);
		cw_line(e->w, "stp_copy(%s, %s, STP_STRLEN);", temp, v.text);
	} else {
		temp = temp_long(e);
		cw_line(e->w, "%s = %s;", temp, value_long(v));
	}
	return value_text(0, true, "%s", temp);
}

static struct local *find_local(struct emitter *e, struct var *v)
{
	struct body *b = e->body;
	struct local l = { .var = v, .name = str_printf("l_%s", v->name) };

	if (v->local < b->locals.n && b->locals.at[v->local].var == v)
		return &b->locals.at[v->local];
	for (int again = 2; map_get(&b->local_names, l.name); again++) {
		assert(map_get(&b->local_names, l.name) != v);     // a local belongs to one C function
		l.name = str_printf("l_%s_%d", v->name, again);
	}
	map_put(&b->local_names, l.name, v);
	if (v->kind == VAR_PARAM && v->type == T_STRING)
		l.copied = b->no_pointers || emit_assigns(b->func->body, v);
	v->local = b->locals.n;
	vec_push(&b->locals, l);
	return &b->locals.at[v->local];
}

const char *emit_var(struct emitter *e, struct var *v)
{
	struct local *l;

	if (v->kind == VAR_GLOBAL)
		return operand_global(e, OPERAND_GLOBAL, v);
	l = find_local(e, v);
	if (e->body->parts.of || (v->type == T_STRING && (v->kind == VAR_LOCAL || l->copied)))
		return operand_local(e, v, l->name);
	return l->name;
}

bool emit_is_adder(const struct var *v)
{
	return v->kind == VAR_GLOBAL && v->per_cpu && v->arity <= 0;
}

bool emit_needs_context(struct emitter *e, struct loc loc)
{
	if (e->body->no_context)
		diag_error(loc, "the condition of a probe can only compare and calculate with globals");
	return !e->body->no_context;
}

const char *emit_error_label(struct emitter *e)
{
	e->body->on_error->used++;
	return e->body->on_error->name;
}

void emit_actions(struct emitter *e, int statements, struct loc loc)
{
	cw_line(e->w, "STP_ACTIONS(c, %d, %s, %s);", statements, emit_operator_at(e, loc), emit_error_label(e));
}

void emit_check(struct emitter *e, struct loc loc)
{
	if (emit_needs_context(e, loc))
		cw_line(e->w, "STP_CHECK(c, %s, %s);", emit_operator_at(e, loc), emit_error_label(e));
}
