// SPDX-License-Identifier: GPL-2.0-or-later
// Compares handlers, so that handlers with equal C share one function. In: two probes. Globals and functions are
// equal if they are the same object, locals if they have the same name, since each handler is one scope.
#include "elab/elab.h"

#include <string.h>

static bool same_expr(const struct expr *a, const struct expr *b);
static bool same_stmt(const struct stmt *a, const struct stmt *b);

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_var(const struct var *a, const struct var *b)
{
	if (a == b)
		return true;
	return a && b && a->kind == VAR_LOCAL && b->kind == VAR_LOCAL && a->type == b->type &&
	       !strcmp(a->name, b->name);
}

static bool same_exprs(const expr_vec *a, const expr_vec *b)
{
	if (a->n != b->n)
		return false;
	for (int i = 0; i < a->n; i++)
		if (!same_expr(a->at[i], b->at[i]))
			return false;
	return true;
}

static bool same_index(const struct expr *a, const struct expr *b)
{
	return a->u.index.decl == b->u.index.decl && same_expr(a->u.index.hist, b->u.index.hist) &&
	       same_exprs(&a->u.index.keys, &b->u.index.keys);
}

static bool same_stat(const struct expr *a, const struct expr *b)
{
	return a->u.stat.op == b->u.stat.op && a->u.stat.low == b->u.stat.low && a->u.stat.high == b->u.stat.high &&
	       a->u.stat.step == b->u.stat.step && same_expr(a->u.stat.of, b->u.stat.of) &&
	       same_expr(a->u.stat.shift, b->u.stat.shift);
}

static bool same_piece(const struct format_piece *a, const struct format_piece *b)
{
	return a->conv == b->conv && a->is_long == b->is_long && a->flags == b->flags && a->width == b->width &&
	       a->precision == b->precision && a->width_star == b->width_star &&
	       a->precision_star == b->precision_star && a->len == b->len &&
	       (!a->len || !memcmp(a->text, b->text, a->len));
}

static bool same_print(const struct expr *a, const struct expr *b)
{
	if (a->u.print.kind != b->u.print.kind || a->u.print.to_string != b->u.print.to_string ||
	    !same_text(a->u.print.on_fault, b->u.print.on_fault) || a->u.print.format.n != b->u.print.format.n)
		return false;
	for (int i = 0; i < a->u.print.format.n; i++)
		if (!same_piece(&a->u.print.format.at[i], &b->u.print.format.at[i]))
			return false;
	return same_expr(a->u.print.delimiter, b->u.print.delimiter) &&
	       same_exprs(&a->u.print.args, &b->u.print.args);
}

static bool same_member(const struct kernel_member *a, const struct kernel_member *b)
{
	return a == b || (a && b && same_text(a->type, b->type) && same_text(a->path, b->path));
}

static bool same_raw(const struct expr *a, const struct expr *b)
{
	if (a->kind == E_REGISTER)
		return a->u.reg.user == b->u.reg.user && a->u.reg.number == b->u.reg.number &&
		       a->u.reg.size == b->u.reg.size && a->u.reg.is_signed == b->u.reg.is_signed &&
		       a->u.reg.is_float == b->u.reg.is_float &&
		       same_expr(a->u.reg.number_expr, b->u.reg.number_expr);
	return a->u.deref.user == b->u.deref.user && a->u.deref.size == b->u.deref.size &&
	       a->u.deref.is_signed == b->u.deref.is_signed && a->u.deref.is_float == b->u.deref.is_float &&
	       a->u.deref.is_return == b->u.deref.is_return &&
	       a->u.deref.bit_size == b->u.deref.bit_size && a->u.deref.bit_offset == b->u.deref.bit_offset &&
	       a->u.deref.by_parts == b->u.deref.by_parts &&
	       same_member(a->u.deref.member, b->u.deref.member) &&
	       same_expr(a->u.deref.addr, b->u.deref.addr) &&
	       same_expr(a->u.deref.size_expr, b->u.deref.size_expr);
}

static bool same_kind(const struct expr *a, const struct expr *b)
{
	switch (a->kind) {
	case E_NUMBER: return a->u.number == b->u.number;
	case E_STRING:
		return a->u.string.len == b->u.string.len &&
		       !memcmp(a->u.string.bytes, b->u.string.bytes, a->u.string.len);
	case E_VAR: return same_var(a->u.var.decl, b->u.var.decl);
	case E_INDEX: case E_IN: case E_HIST_BUCKET: return same_index(a, b);
	case E_CALL:
		return a->u.call.target == b->u.call.target && same_exprs(&a->u.call.args, &b->u.call.args);
	case E_UNARY: case E_INCDEC:
		return a->u.un.op == b->u.un.op && a->u.un.prefix == b->u.un.prefix &&
		       same_expr(a->u.un.e, b->u.un.e);
	case E_BINARY: case E_ASSIGN:
		return a->u.bin.op == b->u.bin.op && a->u.bin.of_location == b->u.bin.of_location &&
		       same_expr(a->u.bin.l, b->u.bin.l) && same_expr(a->u.bin.r, b->u.bin.r);
	case E_COND:
		return same_expr(a->u.cond.c, b->u.cond.c) && same_expr(a->u.cond.a, b->u.cond.a) &&
		       same_expr(a->u.cond.b, b->u.cond.b);
	case E_REGEX:
		return a->u.regex.negate == b->u.regex.negate && a->u.regex.len == b->u.regex.len &&
		       !memcmp(a->u.regex.pattern, b->u.regex.pattern, a->u.regex.len) &&
		       same_expr(a->u.regex.l, b->u.regex.l);
	case E_STAT: case E_HIST: return same_stat(a, b);
	case E_PRINT: return same_print(a, b);
	case E_EMBEDDED: return same_text(a->u.embedded->code, b->u.embedded->code);
	case E_ENTRY: return a->u.entry.slot == b->u.entry.slot;
	case E_PERF: case E_CONST: return same_text(a->u.text1.text, b->u.text1.text);
	case E_ENUMNAME: return a->dtype == b->dtype && same_expr(a->u.cast.e, b->u.cast.e);
	case E_STATIC: return a->u.fixed.variable == b->u.fixed.variable && a->u.fixed.external == b->u.fixed.external;
	case E_OFFSET:
		return same_member(a->u.offset.member, b->u.offset.member) && a->u.offset.value == b->u.offset.value;
	case E_REGISTER: case E_DEREF: return same_raw(a, b);
	default: return false;     // an elaborated script has no other kind
	}
}

static bool same_expr(const struct expr *a, const struct expr *b)
{
	if (a == b)
		return true;
	return a && b && a->kind == b->kind && a->type == b->type && same_kind(a, b);
}

static bool same_foreach(const struct stmt *a, const struct stmt *b)
{
	if (a->u.foreach.keys.n != b->u.foreach.keys.n)
		return false;
	for (int i = 0; i < a->u.foreach.keys.n; i++)
		if (!same_expr(a->u.foreach.keys.at[i], b->u.foreach.keys.at[i]))
			return false;
	return a->u.foreach.decl == b->u.foreach.decl && a->u.foreach.sort_dir == b->u.foreach.sort_dir &&
	       a->u.foreach.sort_key == b->u.foreach.sort_key && a->u.foreach.sort_stat == b->u.foreach.sort_stat &&
	       same_expr(a->u.foreach.value, b->u.foreach.value) && same_expr(a->u.foreach.hist, b->u.foreach.hist) &&
	       same_expr(a->u.foreach.limit, b->u.foreach.limit) &&
	       same_exprs(&a->u.foreach.slice, &b->u.foreach.slice) &&
	       same_stmt(a->u.foreach.body, b->u.foreach.body);
}

static bool same_block(const struct stmt *a, const struct stmt *b)
{
	if (a->u.block.n != b->u.block.n)
		return false;
	for (int i = 0; i < a->u.block.n; i++)
		if (!same_stmt(a->u.block.at[i], b->u.block.at[i]))
			return false;
	return true;
}

static bool same_stmt(const struct stmt *a, const struct stmt *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->kind != b->kind)
		return false;
	switch (a->kind) {
	case S_EMPTY: case S_BREAK: case S_CONTINUE: case S_NEXT: return true;
	case S_EXPR: case S_RETURN: case S_DELETE: return same_expr(a->u.expr, b->u.expr);
	case S_BLOCK: return same_block(a, b);
	case S_FOREACH: return same_foreach(a, b);
	case S_IF:
		return same_expr(a->u.if_.c, b->u.if_.c) && same_stmt(a->u.if_.then, b->u.if_.then) &&
		       same_stmt(a->u.if_.other, b->u.if_.other);
	case S_WHILE:
		return same_expr(a->u.while_.c, b->u.while_.c) && same_stmt(a->u.while_.body, b->u.while_.body);
	case S_FOR:
		return same_expr(a->u.for_.init, b->u.for_.init) && same_expr(a->u.for_.c, b->u.for_.c) &&
		       same_stmt(a->u.for_.step, b->u.for_.step) && same_stmt(a->u.for_.body, b->u.for_.body);
	case S_TRY:
		return same_stmt(a->u.try_.body, b->u.try_.body) && same_expr(a->u.try_.var, b->u.try_.var) &&
		       same_stmt(a->u.try_.handler, b->u.try_.handler);
	}
	return false;
}

bool same_handler(const struct probe *a, const struct probe *b)
{
	return a->decl == b->decl && a->locals.n == b->locals.n && same_exprs(&a->entries, &b->entries) &&
	       same_stmt(a->body, b->body);
}

// ---------------------------------------------------------------- the hash

static void add(uint64_t *hash, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < len; i++)
		*hash = (*hash ^ at[i]) * 0x100000001b3;
}

static bool hash_expr(struct ast_walker *w, struct expr **at)
{
	const struct expr *e = *at;

	add(w->data, &e->kind, sizeof(e->kind));
	if (e->kind == E_NUMBER)
		add(w->data, &e->u.number, sizeof(e->u.number));
	if (e->kind == E_STRING)
		add(w->data, e->u.string.bytes, e->u.string.len);
	for (int i = 0; e->kind == E_PRINT && i < e->u.print.format.n; i++)
		add(w->data, e->u.print.format.at[i].text, e->u.print.format.at[i].len);
	return e->kind != E_ENTRY;
}

static bool hash_stmt(struct ast_walker *w, struct stmt **at)
{
	add(w->data, &(*at)->kind, sizeof((*at)->kind));
	return true;
}

uint64_t handler_hash(struct probe *p)
{
	uint64_t hash = 0xcbf29ce484222325;
	struct ast_walker w = { .expr = hash_expr, .stmt = hash_stmt, .data = &hash };

	ast_walk_stmt(&w, &p->body);
	return hash;
}
