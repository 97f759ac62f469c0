// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the tree as a script that parses to the same tree. Parentheses are printed only where the grammar requires
// them, so that the output is not nested deeper than the input. Precedence levels are those of parse_expr.c.
#include "ast/ast.h"
#include "util/str.h"

#include <assert.h>
#include <string.h>

enum level {
	L_ASSIGN = 1, L_COND, L_OROR, L_ANDAND, L_OR, L_XOR, L_AND, L_IN, L_COMPARE, L_SHIFT, L_DOT, L_ADD, L_MUL,
	L_UNARY, L_INCDEC, L_ACCESS, L_PRIMARY,
};

static void print(struct buf *b, const struct expr *e, enum level min);

// ---------------------------------------------------------------- expressions

static enum level binary_level(enum tok op)
{
	switch (op) {
	case TOK_OROR: return L_OROR;
	case TOK_ANDAND: return L_ANDAND;
	case TOK_OR: return L_OR;
	case TOK_XOR: return L_XOR;
	case TOK_AND: return L_AND;
	case TOK_LT: case TOK_LE: case TOK_GT: case TOK_GE: case TOK_EQ: case TOK_NE: return L_COMPARE;
	case TOK_SHL: case TOK_SHR: case TOK_USHR: return L_SHIFT;
	case TOK_DOT: return L_DOT;
	case TOK_ADD: case TOK_SUB: return L_ADD;
	default: return L_MUL;
	}
}

static enum level level_of(const struct expr *e)
{
	switch (e->kind) {
	case E_ASSIGN: return L_ASSIGN;
	case E_COND: return L_COND;
	case E_BINARY: return binary_level(e->u.bin.op);
	case E_IN: return L_IN;
	case E_REGEX: return L_COMPARE;
	case E_UNARY: return L_UNARY;
	case E_NUMBER: return e->u.number < 0 ? L_UNARY : L_PRIMARY;
	case E_INCDEC: return L_INCDEC;
	case E_ACCESS: return L_ACCESS;
	default: return L_PRIMARY;
	}
}

static void quoted(struct buf *b, const char *text, size_t len)
{
	buf_printf(b, "\"%s\"", str_escape(text, len));
}

static void print_list(struct buf *b, const expr_vec *list)
{
	for (int i = 0; i < list->n; i++) {
		buf_puts(b, i ? ", " : "");
		if (list->at[i])
			print(b, list->at[i], L_ASSIGN);
		else
			buf_putc(b, '*');
	}
}

static void print_keys(struct buf *b, const expr_vec *keys)
{
	buf_putc(b, '[');
	print_list(b, keys);
	buf_putc(b, ']');
}

static void print_binary(struct buf *b, const struct expr *e)
{
	enum level l = binary_level(e->u.bin.op);

	// "a =~ "x" == b" does not parse: a match ends its precedence level
	print(b, e->u.bin.l, e->u.bin.l->kind == E_REGEX && l == L_COMPARE ? L_SHIFT : l);
	buf_printf(b, " %s ", tok_text(e->u.bin.op));
	print(b, e->u.bin.r, l + 1);
}

static void print_in(struct buf *b, const struct expr *e)
{
	if (e->u.index.keys.n == 1 && e->u.index.keys.at[0])
		print(b, e->u.index.keys.at[0], L_COMPARE);
	else
		print_keys(b, &e->u.index.keys);
	buf_puts(b, " in ");
	if (e->u.index.hist)
		print(b, e->u.index.hist, L_PRIMARY);
	else
		buf_puts(b, e->u.index.name);
}

static void print_unary(struct buf *b, const struct expr *e)
{
	const struct expr *of = e->u.un.e;
	bool sign = of->kind == E_UNARY || (of->kind == E_INCDEC && of->u.un.prefix) ||
		    (of->kind == E_NUMBER && of->u.number < 0);

	buf_printf(b, "%s%s", tok_text(e->u.un.op), sign ? " " : ""); // not "--x", "!~x"
	print(b, of, L_UNARY);
}

static void print_stat(struct buf *b, const struct expr *e)
{
	static const char *const names[] = { "count", "sum", "min", "max", "avg", "variance", "hist_log", "hist_linear", "",
		"percentile" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (e->u.stat.op == 1u << i)
			buf_printf(b, "@%s(", names[i]);
	print(b, e->u.stat.of, L_ASSIGN);
	if (e->u.stat.shift) {
		buf_puts(b, ", ");
		print(b, e->u.stat.shift, L_ASSIGN);
	}
	if (e->u.stat.op == STAT_HIST_LINEAR)
		buf_printf(b, ", %lld, %lld, %lld", (long long)e->u.stat.low, (long long)e->u.stat.high,
			   (long long)e->u.stat.step);
	buf_putc(b, ')');
}

static void print_conversion(struct buf *b, const struct format_piece *c)
{
	buf_putc(b, '%');
	for (int i = 0; STP_FORMAT_FLAGS[i]; i++)
		if (c->flags & 1 << i)
			buf_putc(b, STP_FORMAT_FLAGS[i]);
	if (c->width_star)
		buf_putc(b, '*');
	else if (c->width >= 0)
		buf_printf(b, "%d", c->width);
	if (c->precision_star)
		buf_puts(b, ".*");
	else if (c->precision >= 0)
		buf_printf(b, ".%d", c->precision);
	if (c->is_long)
		buf_putc(b, 'l');
	buf_putc(b, c->conv);
}

static void print_format(struct buf *b, const struct expr *e)
{
	struct buf text = { 0 };

	for vec_each(&e->u.print.format, c) {
		if (c->conv) {
			print_conversion(&text, c);
			continue;
		}
		for (size_t i = 0; i < c->len; i++)
			buf_add(&text, c->text[i] == '%' ? "%%" : &c->text[i], c->text[i] == '%' ? 2 : 1);
	}
	quoted(b, buf_text(&text), text.len);
}

static void print_print(struct buf *b, const struct expr *e)
{
	buf_printf(b, "%s(", e->u.print.word);
	if (e->u.print.kind == PRINT_PRINTF)
		print_format(b, e);
	else if (e->u.print.delimiter)
		print(b, e->u.print.delimiter, L_PRIMARY);
	if ((e->u.print.kind == PRINT_PRINTF || e->u.print.delimiter) && e->u.print.args.n)
		buf_puts(b, ", ");
	print_list(b, &e->u.print.args);
	buf_putc(b, ')');
}

// Operands that may be followed by members without parentheses.
static bool plain_base(const struct expr *base, const struct expr *access)
{
	if (base->kind == E_VAR) // "x[1]" would be an element of an array
		return !access->u.access.comps.n || access->u.access.comps.at[0].kind == COMP_FIELD;
	return level_of(base) == L_PRIMARY;
}

static void print_access(struct buf *b, const struct expr *e)
{
	bool plain = plain_base(e->u.access.base, e);

	buf_puts(b, e->u.access.address_of ? "&" : "");
	buf_puts(b, plain ? "" : "(");
	print(b, e->u.access.base, plain ? L_PRIMARY : L_ASSIGN);
	buf_puts(b, plain ? "" : ")");
	for vec_each(&e->u.access.comps, c) {
		if (c->kind == COMP_FIELD) {
			buf_printf(b, "->%s", c->name);
			continue;
		}
		buf_putc(b, '[');
		print(b, c->index, L_ASSIGN);
		buf_putc(b, ']');
	}
	for (int i = 0; i < e->u.access.pretty; i++)
		buf_putc(b, '$');
}

static void print_string_arg(struct buf *b, const char *text)
{
	if (!text)
		return;
	buf_puts(b, ", ");
	quoted(b, text, strlen(text));
}

static void print_atvar(struct buf *b, const struct expr *e)
{
	const char *file = e->u.target.file;
	char *name = str_printf("%s%s%s", e->u.target.name, file ? "@" : "", file ? file : "");

	buf_puts(b, "@var(");
	quoted(b, name, strlen(name));
	print_string_arg(b, e->u.target.module);
	buf_putc(b, ')');
}

static void print_cast(struct buf *b, const struct expr *e)
{
	buf_puts(b, e->kind == E_CAST ? "@cast(" : "@enumname(");
	print(b, e->u.cast.e, L_ASSIGN);
	print_string_arg(b, e->u.cast.type_name);
	print_string_arg(b, e->u.cast.module);
	buf_putc(b, ')');
}

static void print_wrapped(struct buf *b, const char *before, const struct expr *e)
{
	buf_puts(b, before);
	print(b, e, L_ASSIGN);
	buf_putc(b, ')');
}

static void print_text1(struct buf *b, const struct expr *e)
{
	buf_puts(b, e->kind == E_PERF ? "@perf(" : e->kind == E_ENUM ? "@enum(" : "@const(");
	quoted(b, e->u.text1.text, strlen(e->u.text1.text));
	buf_putc(b, ')');
}

static void print_register(struct buf *b, const struct expr *e)
{
	buf_puts(b, e->u.reg.user ? "@uregister(" : "@kregister(");
	if (e->u.reg.number_expr)
		print(b, e->u.reg.number_expr, L_ASSIGN);
	else
		buf_printf(b, "%d", e->u.reg.number);
	buf_putc(b, ')');
}

static void print_deref(struct buf *b, const struct expr *e)
{
	buf_puts(b, e->u.deref.user ? "@uderef(" : "@kderef(");
	if (e->u.deref.size_expr)
		print(b, e->u.deref.size_expr, L_ASSIGN);
	else
		buf_printf(b, "%d", e->u.deref.size);
	print_wrapped(b, ", ", e->u.deref.addr);
}

static void print_operator(struct buf *b, const struct expr *e)
{
	switch (e->kind) {
	case E_UNARY:
		print_unary(b, e);
		break;
	case E_INCDEC:
		buf_puts(b, e->u.un.prefix ? tok_text(e->u.un.op) : "");
		print(b, e->u.un.e, L_ACCESS);
		buf_puts(b, e->u.un.prefix ? "" : tok_text(e->u.un.op));
		break;
	case E_BINARY:
		print_binary(b, e);
		break;
	case E_COND:
		print(b, e->u.cond.c, L_OROR);
		buf_puts(b, " ? ");
		print(b, e->u.cond.a, L_ASSIGN);
		buf_puts(b, " : ");
		print(b, e->u.cond.b, L_COND);
		break;
	case E_ASSIGN:
		print(b, e->u.bin.l, L_ACCESS);
		buf_printf(b, " %s ", tok_text(e->u.bin.op));
		print(b, e->u.bin.r, L_ASSIGN);
		break;
	case E_IN:
		print_in(b, e);
		break;
	case E_REGEX:
		print(b, e->u.regex.l, e->u.regex.l->kind == E_REGEX ? L_SHIFT : L_COMPARE);
		buf_puts(b, e->u.regex.negate ? " !~ " : " =~ ");
		quoted(b, e->u.regex.pattern, e->u.regex.len);
		break;
	default:
		assert(!"a kind of expression without a printed form");
	}
}

// Prints target variables and other expressions that depend on the probe or on debuginfo.
static void print_context(struct buf *b, const struct expr *e)
{
	switch (e->kind) {
	case E_TARGET:
		buf_printf(b, "$%s", e->u.target.name);
		break;
	case E_ATVAR:
		print_atvar(b, e);
		break;
	case E_CAST:
	case E_ENUMNAME:
		print_cast(b, e);
		break;
	case E_ACCESS:
		print_access(b, e);
		break;
	case E_DEFINED:
		print_wrapped(b, "@defined(", e->u.op1);
		break;
	case E_UNBOUND:
		break;
	case E_PROBEWRITE:
		print_wrapped(b, "@probewrite(", e->u.op1);
		break;
	case E_ENTRY:
		print_wrapped(b, "@entry(", e->u.entry.e);
		break;
	case E_PERF:
	case E_CONST:
	case E_ENUM:
		print_text1(b, e);
		break;
	case E_STATIC:
		buf_printf(b, "@address(\"%s\")", e->u.fixed.symbol);
		break;
	case E_OFFSET:
		buf_printf(b, "%lld", (long long)e->u.offset.value);
		break;
	case E_REGISTER:
		print_register(b, e);
		break;
	case E_DEREF:
		print_deref(b, e);
		break;
	default:
		print_operator(b, e);
	}
}

static void print_bare(struct buf *b, const struct expr *e)
{
	switch (e->kind) {
	case E_NUMBER:
		buf_printf(b, "%lld", (long long)e->u.number);
		break;
	case E_STRING:
		quoted(b, e->u.string.bytes, e->u.string.len);
		break;
	case E_VAR:
		buf_puts(b, e->u.var.name);
		break;
	case E_INDEX:
		buf_puts(b, e->u.index.name);
		print_keys(b, &e->u.index.keys);
		break;
	case E_HIST_BUCKET:
		print(b, e->u.index.hist, L_PRIMARY);
		print_keys(b, &e->u.index.keys);
		break;
	case E_CALL:
		buf_printf(b, "%s(", e->u.call.name);
		print_list(b, &e->u.call.args);
		buf_putc(b, ')');
		break;
	case E_STAT:
	case E_HIST:
		print_stat(b, e);
		break;
	case E_PRINT:
		print_print(b, e);
		break;
	case E_EMBEDDED:
		buf_printf(b, "%%{%s%%}", e->u.embedded->code);
		break;
	default:
		print_context(b, e);
	}
}

static void print(struct buf *b, const struct expr *e, enum level min)
{
	bool parentheses = level_of(e) < min;

	buf_puts(b, parentheses ? "(" : "");
	print_bare(b, e);
	buf_puts(b, parentheses ? ")" : "");
}

void ast_print_expr(struct buf *b, const struct expr *e)
{
	print(b, e, L_ASSIGN);
}

// ---------------------------------------------------------------- statements

static void indentation(struct buf *b, int indent)
{
	while (indent-- > 0)
		buf_putc(b, '\t');
}

// "a =~ "x" == b" does not parse: no comparison may follow a match
static void print_block(struct buf *b, const struct stmt *s, int indent)
{
	buf_puts(b, "{\n");
	for vec_each(&s->u.block, it)
		ast_print_stmt(b, *it, indent + 1);
	indentation(b, indent);
	buf_putc(b, '}');
}

// Prints the statement of an if or a loop up to the end of its line. else_follows: the "}" of a block stays on its
// line.
static void print_body(struct buf *b, const struct stmt *s, int indent, bool else_follows)
{
	if (s->kind == S_BLOCK) {
		buf_putc(b, ' ');
		print_block(b, s, indent);
		buf_putc(b, else_follows ? ' ' : '\n');
		return;
	}
	buf_putc(b, '\n');
	ast_print_stmt(b, s, indent + 1);
	if (else_follows)
		indentation(b, indent);
}

// Returns true if a following "else" would belong to an if inside it.
static bool takes_else(const struct stmt *s)
{
	switch (s->kind) {
	case S_IF: return !s->u.if_.other || takes_else(s->u.if_.other);
	case S_WHILE: return takes_else(s->u.while_.body);
	case S_FOR: return takes_else(s->u.for_.body);
	case S_FOREACH: return takes_else(s->u.foreach.body);
	default: return false;
	}
}

static void print_if(struct buf *b, const struct stmt *s, int indent)
{
	const struct stmt *then = s->u.if_.then, *other = s->u.if_.other;
	struct stmt *block;

	buf_puts(b, "if (");
	print(b, s->u.if_.c, L_ASSIGN);
	buf_putc(b, ')');
	if (other && takes_else(then)) { // only after pass 2 changed the tree
		block = stmt_new(S_BLOCK, s->loc);
		vec_push(&block->u.block, s->u.if_.then);
		then = block;
	}
	print_body(b, then, indent, other);
	if (!other)
		return;
	buf_puts(b, "else");
	if (other->kind == S_IF) {
		buf_putc(b, ' ');
		print_if(b, other, indent);
		return;
	}
	print_body(b, other, indent, false);
}

static void print_for(struct buf *b, const struct stmt *s, int indent)
{
	const struct expr *parts[] = { s->u.for_.init, s->u.for_.c, stmt_for_step(s) };

	buf_puts(b, "for (");
	for (int i = 0; i < 3; i++) {
		buf_puts(b, i ? "; " : "");
		if (parts[i])
			print(b, parts[i], L_ASSIGN);
	}
	buf_putc(b, ')');
	print_body(b, s->u.for_.body, indent, false);
}

// key: 0 the value, n the key n
static const char *direction(const struct stmt *s, int key)
{
	if (!s->u.foreach.sort_dir || s->u.foreach.sort_key != key)
		return "";
	return s->u.foreach.sort_dir > 0 ? "+" : "-";
}

static void print_loop_keys(struct buf *b, const struct stmt *s)
{
	bool several = s->u.foreach.keys.n > 1;

	if (s->u.foreach.value) {
		print(b, s->u.foreach.value, L_PRIMARY);
		buf_puts(b, " = ");
	}
	buf_puts(b, several ? "[" : "");
	for (int i = 0; i < s->u.foreach.keys.n; i++) {
		buf_puts(b, i ? ", " : "");
		print(b, s->u.foreach.keys.at[i], L_PRIMARY);
		buf_puts(b, direction(s, i + 1));
	}
	buf_puts(b, several ? "]" : "");
}

static void print_foreach(struct buf *b, const struct stmt *s, int indent)
{
	static const char *const names[] = { "count", "sum", "min", "max", "avg", "variance" };

	buf_puts(b, "foreach (");
	print_loop_keys(b, s);
	buf_puts(b, " in ");
	if (s->u.foreach.hist)
		print(b, s->u.foreach.hist, L_PRIMARY);
	else
		buf_puts(b, s->u.foreach.array);
	if (s->u.foreach.slice.n)
		print_keys(b, &s->u.foreach.slice);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (s->u.foreach.sort_stat == 1u << i)
			buf_printf(b, " @%s ", names[i]);
	buf_puts(b, direction(s, 0));
	if (s->u.foreach.limit) {
		buf_puts(b, " limit ");
		print(b, s->u.foreach.limit, L_ASSIGN);
	}
	buf_putc(b, ')');
	print_body(b, s->u.foreach.body, indent, false);
}

static void print_try(struct buf *b, const struct stmt *s, int indent)
{
	buf_puts(b, "try ");
	print_block(b, s->u.try_.body, indent);
	buf_puts(b, " catch ");
	if (s->u.try_.var)
		buf_printf(b, "(%s) ", s->u.try_.var->u.var.name);
	print_block(b, s->u.try_.handler, indent);
	buf_putc(b, '\n');
}

// Prints "word expr;" and a new line; e may be NULL.
static void print_simple(struct buf *b, const char *word, const struct expr *e)
{
	buf_puts(b, word);
	if (e) {
		buf_puts(b, *word ? " " : "");
		print(b, e, L_ASSIGN);
	}
	buf_puts(b, ";\n");
}

void ast_print_stmt(struct buf *b, const struct stmt *s, int indent)
{
	indentation(b, indent);
	switch (s->kind) {
	case S_EMPTY: print_simple(b, "", NULL); break;
	case S_EXPR: print_simple(b, "", s->u.expr); break;
	case S_BREAK: print_simple(b, "break", NULL); break;
	case S_CONTINUE: print_simple(b, "continue", NULL); break;
	case S_NEXT: print_simple(b, "next", NULL); break;
	case S_RETURN: print_simple(b, "return", s->u.expr); break;
	case S_DELETE: print_simple(b, "delete", s->u.expr); break;
	case S_BLOCK:
		print_block(b, s, indent);
		buf_putc(b, '\n');
		break;
	case S_IF: print_if(b, s, indent); break;
	case S_WHILE:
		buf_puts(b, "while (");
		print(b, s->u.while_.c, L_ASSIGN);
		buf_putc(b, ')');
		print_body(b, s->u.while_.body, indent, false);
		break;
	case S_FOR: print_for(b, s, indent); break;
	case S_FOREACH: print_foreach(b, s, indent); break;
	case S_TRY: print_try(b, s, indent); break;
	}
}

// ---------------------------------------------------------------- the top level

void ast_print_global(struct buf *b, const struct var *v)
{
	buf_printf(b, "%sglobal %s%s", v->is_private ? "private " : "", v->name, v->wrap ? "%" : "");
	if (v->size_given)
		buf_printf(b, "[%lld]", (long long)v->max_size);
	if (v->init) {
		buf_puts(b, " = ");
		print(b, v->init, L_UNARY);
	}
	buf_putc(b, '\n');
}

void ast_print_func(struct buf *b, const struct func *f)
{
	buf_printf(b, "%sfunction %s", f->is_private ? "private " : "", f->name);
	if (f->explicit_type)
		buf_printf(b, ":%s", type_name(f->type));
	buf_puts(b, " (");
	for (int i = 0; i < f->params.n; i++) {
		const struct var *v = f->params.at[i];

		buf_printf(b, "%s%s", i ? ", " : "", v->name);
		if (v->explicit_type)
			buf_printf(b, ":%s", type_name(v->type));
	}
	buf_puts(b, ")");
	if (f->priority > (f->source && f->source->library))
		buf_printf(b, " :%d", f->priority);
	if (f->embedded) {
		buf_printf(b, " %%{%s%%}\n", f->embedded->code);
		return;
	}
	buf_putc(b, '\n');
	ast_print_stmt(b, f->body, 0);
}

static void print_points(struct buf *b, struct probe_point *const *points, int n, const char *separator)
{
	for (int i = 0; i < n; i++) {
		const struct probe_point *p = points[i];

		buf_printf(b, "%s%s%s", i ? separator : "", point_text(p), p->optional ? "?" : p->sufficient ? "!" : "");
		if (p->condition) {
			buf_puts(b, " if (");
			print(b, p->condition, L_ASSIGN);
			buf_putc(b, ')');
		}
	}
}

void ast_print_decl(struct buf *b, const struct probe_decl *d)
{
	buf_puts(b, "probe ");
	print_points(b, d->alias_names.at, d->alias_names.n, ",");
	if (d->alias_names.n)
		buf_puts(b, d->epilogue ? " += " : " = ");
	print_points(b, d->points.at, d->points.n, ",");
	buf_putc(b, '\n');
	print_block(b, d->body, 0);
	if (d->epilogue_body) {
		buf_puts(b, ", ");
		print_block(b, d->epilogue_body, 0);
	}
	buf_putc(b, '\n');
}
