// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions: writes the statements that they require, and returns the rest as a C expression. Operands are
// evaluated left to right; an operand that a later operand's side effects would change is stored in a temporary.
#include "emit/emitter.h"

#include <assert.h>
#include <string.h>

void emit_values(struct emitter *e, struct expr **xs, int n, struct value *out)
{
	unsigned *later = NEW_ARRAY(unsigned, n + 1);

	for (int i = n - 1; i > 0; i--)
		later[i - 1] = later[i] | emit_effects(e, xs[i]);
	for (int i = 0; i < n; i++) {
		out[i] = emit_expr(e, xs[i]);
		if (out[i].reads & later[i])
			out[i] = value_keep(e, out[i], xs[i]->type);
	}
}

// Writes the statements of x into a separate text, one level deeper.
static struct value emit_aside(struct emitter *e, struct expr *x, struct cwriter *part)
{
	struct cwriter *w = e->w;
	struct value v;

	*part = (struct cwriter){ .depth = w->depth + 1 };
	e->w = part;
	v = emit_expr(e, x);
	e->w = w;
	return v;
}

// A long text is stored in a temporary, since texts that grow with each operator take quadratic time.
static struct value shortened(struct emitter *e, struct value v)
{
	enum { LONG_TEXT = 600 };
	bool boolean = v.boolean;

	if (strlen(v.text) < LONG_TEXT)
		return v;
	v = value_keep_always(e, v);
	v.boolean = boolean;
	return v;
}

static struct value arithmetic(enum tok op, struct value l, struct value r)
{
	struct value v;
	const char *right = r.constant && r.atom ? r.text : value_wrap(r);

	v = value_text(l.reads | r.reads, false, "%s %s %s", value_wrap(l), tok_text(op), right);
	v.wraps = true;
	return v;
}

static struct value divide(struct emitter *e, enum tok op, struct value l, struct value r, struct loc loc)
{
	const char *t;

	if (r.constant && r.number != 0 && r.number != -1 && e->s->opt.bpf_runtime)
		return value_text(l.reads, true, "%s(%s, %s)", op == TOK_DIV ? "stp_div_by" : "stp_mod_by", value_long(l),
				  value_long(r));
	if (r.constant && r.number != 0 && r.number != -1)
		return value_text(l.reads, false, "%s %s %s", value_operand(l), tok_text(op),
				  value_operand(r));
	emit_needs_context(e, loc);
	t = temp_long(e);
	cw_line(e->w, "%s = %s(c, %s, %s);", t, op == TOK_DIV ? "stp_div" : "stp_mod", value_long(l),
		value_long(r));
	if (!r.constant || r.number == 0)
		emit_check(e, loc);
	return value_text(0, true, "%s", t);
}

static struct value compare(enum tok op, struct value l, struct value r, enum type t)
{
	struct value v;

	if (t == T_STRING)
		v = value_text(l.reads | r.reads, false, "stp_compare(%s, %s) %s 0", l.text, r.text,
			       tok_text(op));
	else
		v = value_text(l.reads | r.reads, false, "%s %s %s", value_operand(l), tok_text(op),
			       value_operand(r));
	v.boolean = true;
	return v;
}

static struct value concat_pair(struct emitter *e, struct value l, struct value r)
{
	const char *t = temp_string(e);

	cw_line(e->w, "stp_copy(%s, %s, STP_STRLEN);", t, l.text);
	cw_line(e->w, "stp_append(%s, %s, STP_STRLEN);", t, r.text);
	return value_text(0, true, "%s", t);
}

// t is the type of the operands.
struct value emit_binary(struct emitter *e, enum tok op, struct value l, struct value r, enum type t,
			 struct loc loc)
{
	unsigned reads;

	if (t != T_STRING)
		l = shortened(e, l);
	reads = l.reads | r.reads;
	switch (op) {
	case TOK_ADD: case TOK_SUB: case TOK_MUL:
		return arithmetic(op, l, r);
	case TOK_DIV: case TOK_MOD:
		return divide(e, op, l, r, loc);
	case TOK_AND: case TOK_OR: case TOK_XOR:
		return value_text(reads, false, "%s %s %s", value_operand(l), tok_text(op), value_operand(r));
	case TOK_SHL:
		return value_text(reads, true, "stp_shl(%s, %s)", value_long(l), value_long(r));
	case TOK_SHR:
		return value_text(reads, true, "stp_shr(%s, %s)", value_long(l), value_long(r));
	case TOK_USHR:
		return value_text(reads, true, "stp_ushr(%s, %s)", value_long(l), value_long(r));
	case TOK_LT: case TOK_LE: case TOK_GT: case TOK_GE: case TOK_EQ: case TOK_NE:
		return compare(op, l, r, t);
	case TOK_DOT:
		return concat_pair(e, l, r);
	case TOK_WIDEN:
		emit_bpf_use(e, BPF_REAL);
		return value_text(reads, true, "stp_double_of_x87(%s, %s)", value_long(l), value_long(r));
	default:
		assert(!"a binary operator of the language");
		return value_number(0);
	}
}

static void concat_leaves(struct expr *x, expr_vec *out)
{
	if (x->kind == E_BINARY && x->u.bin.op == TOK_DOT) {
		concat_leaves(x->u.bin.l, out);
		concat_leaves(x->u.bin.r, out);
	} else {
		vec_push(out, x);
	}
}

// into: the buffer of the result, or NULL for a temporary.
struct value emit_concat(struct emitter *e, struct expr *x, const char *into)
{
	expr_vec leaves = { 0 };
	struct value *v;
	const char *to;

	concat_leaves(x, &leaves);
	v = NEW_ARRAY(struct value, leaves.n);
	emit_values(e, leaves.at, leaves.n, v);
	to = into ? into : temp_string(e);
	cw_line(e->w, "stp_copy(%s, %s, STP_STRLEN);", to, v[0].text);
	for (int i = 1; i < leaves.n; i++)
		cw_line(e->w, "stp_append(%s, %s, STP_STRLEN);", to, v[i].text);
	return value_text(0, true, "%s", to);
}

// && and || become one expression if the right side requires no statements.
static struct value emit_logic(struct emitter *e, struct expr *x)
{
	bool and = x->u.bin.op == TOK_ANDAND;
	struct cwriter part;
	struct value l = shortened(e, emit_expr(e, x->u.bin.l)), r, v;
	const char *t;

	r = emit_aside(e, x->u.bin.r, &part);
	if (!part.text.len) {
		v = value_text(l.reads | r.reads, false, "(%s) %s (%s)", value_condition(l),
			       and ? "&&" : "||", value_condition(r));
		v.boolean = true;
		return v;
	}
	t = temp_long(e);
	cw_line(e->w, "%s = %s;", t, and ? "0" : "1");
	cw_line(e->w, and ? "if (%s) {" : "if (!(%s)) {", value_condition(l));
	cw_append(e->w, &part);
	cw_line(e->w, "%s = %s;", t, value_condition(r));
	cw_line(e->w, "}");
	v = value_text(0, true, "%s", t);
	v.boolean = true;
	return v;
}

static bool is_long_chain(const struct expr *x)
{
	enum { ARMS = 20 };
	int n = 0;

	for (; x->kind == E_COND && n < ARMS; x = x->u.cond.b)
		n++;
	return n == ARMS;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

// Writes a ? b : c ? d : ... with many arms one after the other, not nested. A string may remain in a temporary of
// its arm, which is not reused before the end of the statement.
static struct value emit_cond_chain(struct emitter *e, struct expr *x)
{
	bool string = x->type == T_STRING;
	const char *t = string ? temp_text(e) : temp_long(e), *done = emit_label(e, "done");
	struct temps *now = &e->body->now, before = *now, max = *now;
	unsigned reads = 0;
	struct value v;

	for (;; x = x->u.cond.b) {
		bool last = x->kind != E_COND;

		*now = before;
		if (!last)
			cw_line(e->w, "if (%s) {", value_condition(emit_expr(e, x->u.cond.c)));
		v = emit_expr(e, last ? x : x->u.cond.a);
		cw_line(e->w, "%s = %s;", t, value_long(v));
		reads |= v.reads;
		max.strings = larger(max.strings, now->strings);
		max.texts = larger(max.texts, now->texts);
		if (last)
			break;
		cw_line(e->w, "goto %s;", done);
		cw_line(e->w, "}");
	}
	*now = (struct temps){ before.longs, max.strings, max.texts, before.cells };
	cw_line(e->w, "%s:", done);
	cw_line(e->w, ";");
	return value_text(string ? reads : 0, true, "%s", t);
}

static struct value emit_cond(struct emitter *e, struct expr *x)
{
	struct value cond = emit_expr(e, x->u.cond.c), a, b;
	bool string = x->type == T_STRING;
	struct cwriter part_a, part_b;
	const char *t;

	a = emit_aside(e, x->u.cond.a, &part_a);
	b = emit_aside(e, x->u.cond.b, &part_b);
	if (!part_a.text.len && !part_b.text.len)
		return value_text(cond.reads | a.reads | b.reads, false, "(%s) ? %s : %s",
				  value_condition(cond), value_operand(a), value_operand(b));
	t = string ? temp_text(e) : temp_long(e);
	cw_line(e->w, "if (%s) {", value_condition(cond));
	cw_append(e->w, &part_a);
	cw_line(e->w, "%s = %s;", t, value_long(a));
	cw_line(e->w, "} else {");
	cw_append(e->w, &part_b);
	cw_line(e->w, "%s = %s;", t, value_long(b));
	cw_line(e->w, "}");
	return value_text(string ? a.reads | b.reads : 0, true, "%s", t);
}

static struct value emit_unary(struct emitter *e, struct expr *x)
{
	struct value v = emit_expr(e, x->u.un.e), out;

	switch (x->u.un.op) {
	case TOK_ADD:
		return v;
	case TOK_SUB:
		if (v.constant)
			return value_number((int64_t)-(uint64_t)v.number);
		out = value_text(v.reads, false, "-%s", value_wrap(v));
		out.wraps = true;
		return out;
	case TOK_COMPL:
		return value_text(v.reads, true, "~%s", value_operand(v));
	case TOK_WIDEN:
		emit_bpf_use(e, BPF_REAL);
		return value_text(v.reads, true, "stp_widen_float(%s)", value_long(v));
	default:
		assert(x->u.un.op == TOK_NOT);
		out = value_text(v.reads, true, "!(%s)", value_condition(v));
		out.boolean = true;
		return out;
	}
}

static struct value read_var(struct emitter *e, struct expr *x)
{
	struct var *v = x->u.var.decl;
	const char *name = emit_var(e, v);

	if (emit_is_adder(v))
		return value_text(GLOBAL, true, "stp_adder_read(%s, %s, %s)", e->body->no_context ? "NULL" : "c",
				  operand_global(e, OPERAND_OFFSET, v), name);
	return value_text(v->kind == VAR_GLOBAL ? GLOBAL : LOCAL, true, "%s", name);
}

void emit_store(struct emitter *e, struct var *v, struct value value)
{
	const char *name = emit_var(e, v);

	if (strcmp(name, value.text) == 0)
		return;
	if (v->type == T_STRING) {
		cw_line(e->w, "stp_copy(%s, %s, STP_STRLEN);", name, value.text);
		return;
	}
	if (emit_is_adder(v)) {
		value = value_keep(e, value, T_LONG);
		cw_line(e->w, "stp_adder_clear(c, %s);", operand_global(e, OPERAND_OFFSET, v));
	}
	cw_line(e->w, "%s = %s;", name, value_long(value));
}

static struct value emit_match(struct emitter *e, struct expr *x)
{
	struct value l = emit_expr(e, x->u.regex.l), v;
	const char *name = emit_regex(e, x);

	emit_bpf_use(e, BPF_TEXT);
	if (x->u.regex.keep && !e->body->no_context) {
		const char *t = temp_long(e);

		cw_line(e->w, "%s = %sstp_regex_groups(c, STP_MATCH, STP_STRLEN, &%s_groups, %s);", t,
			x->u.regex.negate ? "!" : "", name ? name : "none", l.text);
		emit_check(e, x->loc);
		v = value_text(0, true, "%s", t);
	} else {
		v = value_text(l.reads, true, "%sstp_regex_match(%s, &%s, %s)", x->u.regex.negate ? "!" : "",
			       e->body->no_context ? "NULL" : "c", name ? name : "none", l.text);
	}
	v.boolean = true;
	return v;
}

// A literal is shorter than a string buffer, like every string.
static struct value emit_literal(struct emitter *e, struct expr *x)
{
	size_t max = (size_t)emit_string_len(e) - 1, len = strlen(x->u.string.bytes);

	if (len > max)
		diag_warning(x->loc, "a string of %zu bytes is cut to %zu; raise the limit with -DMAXSTRINGLEN=%zu", len, max,
			     len + 1);
	return value_text(0, true, e->s->opt.bpf_runtime ? "STP_LITERAL(%s)" : "%s",
			  operand(e, OPERAND_TEXT, emit_c_string(str_ndup(x->u.string.bytes, len < max ? len : max))));
}

static struct value literal_number(struct emitter *e, int64_t n)
{
	struct value v = value_number(n);

	v.text = operand_number(e, n);
	return v;
}

static struct value emit_operands(struct emitter *e, struct expr *x)
{
	struct expr *xs[2] = { x->u.bin.l, x->u.bin.r };
	struct value v[2];

	if (x->u.bin.op == TOK_ANDAND || x->u.bin.op == TOK_OROR)
		return emit_logic(e, x);
	if (x->u.bin.op == TOK_DOT)
		return emit_concat(e, x, NULL);
	emit_values(e, xs, 2, v);
	if (x->u.bin.of_location)
		return emit_location_division(e, x, v[0], v[1]);
	return emit_binary(e, x->u.bin.op, v[0], v[1], xs[0]->type, x->loc);
}

struct value emit_expr(struct emitter *e, struct expr *x)
{
	switch (x->kind) {
	case E_NUMBER:      return literal_number(e, x->u.number);
	case E_STRING:      return emit_literal(e, x);
	case E_VAR:         return read_var(e, x);
	case E_INDEX:       return emit_index(e, x);
	case E_CALL:        return emit_call(e, x, true);
	case E_UNARY:       return emit_unary(e, x);
	case E_INCDEC:      return emit_incdec(e, x, true);
	case E_BINARY:      return emit_operands(e, x);
	case E_COND:        return is_long_chain(x) ? emit_cond_chain(e, x) : emit_cond(e, x);
	case E_ASSIGN:      return emit_assign(e, x, true);
	case E_IN:          return emit_in(e, x);
	case E_REGEX:       return emit_match(e, x);
	case E_STAT:        return emit_stat(e, x);
	case E_HIST_BUCKET: return emit_bucket(e, x);
	case E_PRINT:       return emit_print(e, x, NULL);
	case E_EMBEDDED:    return emit_embedded(e, x);
	case E_CONST:       return emit_const(e, x);
	case E_ENTRY:
		return value_text(0, true, x->type == T_STRING ? "(const char *)&%s" : "%s", emit_saved(e, x->u.entry.slot));
	case E_REGISTER:    return emit_register(e, x);
	case E_STATIC:      return emit_static(e, x);
	case E_OFFSET:      return emit_offset(e, x);
	case E_ENUMNAME:    return emit_enumname(e, x);
	case E_DEREF:       return emit_deref(e, x);
	case E_PERF:
		return emit_perf(e, x);
	default:
		assert(!"an expression that pass 2 leaves");
		return value_number(0);
	}
}

const char *emit_saved(const struct emitter *e, int word)
{
	return str_printf(e->s->opt.bpf_runtime ? "STP_ENTRY(c)[%d]" : "c->entry[%d]", word);
}

void emit_effect(struct emitter *e, struct expr *x)
{
	if (x->kind == E_ASSIGN)
		emit_assign(e, x, false);
	else if (x->kind == E_INCDEC)
		emit_incdec(e, x, false);
	else if (x->kind == E_CALL)
		emit_call(e, x, false);
	else
		emit_expr(e, x);
}
