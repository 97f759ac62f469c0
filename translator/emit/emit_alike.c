// SPDX-License-Identifier: GPL-2.0-or-later
// Statements of a long body that differ only in globals, locals, constants and locations share one C function, with a
// table of their operands. A compiler takes a millisecond for a statement that reads three statistics, and scripts with
// thousands of statements are written by programs, so that most of their statements are alike.
//
// In the C of each statement, operands are marks (emit_operand.c). Statements are alike if the texts between the marks
// are the same, and the operands are of the same kinds and types.
#include "emit/emit_alike.h"

#include <string.h>

// ---------------------------------------------------------------- trees of the same form

// A hash of 0 remains 0: the statement is not like any other.
static void mix(uint64_t *hash, uint64_t x)
{
	if (*hash)
		*hash = numbers_mix(*hash * 31 + x + 1);
}

static bool hash_expr(struct ast_walker *w, struct expr **at)
{
	uint64_t *hash = w->data;
	struct expr *x = *at;

	if (x->kind == E_EMBEDDED)
		*hash = 0;
	mix(hash, (uint64_t)x->kind * 16 + x->type);
	if (x->kind == E_CALL)
		mix(hash, (uintptr_t)x->u.call.target);
	else if (x->kind == E_PRINT)
		mix(hash, (uint64_t)x->u.print.args.n);
	return *hash != 0;
}

// Loops and try have tables and labels of their own, so that their C is never the same; C of the user may contain any
// character, so also that of a mark.
static bool hash_stmt(struct ast_walker *w, struct stmt **st)
{
	enum stmt_kind kind = (*st)->kind;
	uint64_t *hash = w->data;

	if (kind == S_WHILE || kind == S_FOR || kind == S_FOREACH || kind == S_TRY)
		*hash = 0;
	else
		mix(hash, 1000 + (uint64_t)kind);
	return *hash != 0;
}

static void clear_short_runs(bool *alike, int n)
{
	for (int i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && alike[end] == alike[i]; end++)
			;
		if (end - i < ALIKE)
			memset(alike + i, 0, (size_t)(end - i) * sizeof(*alike));
	}
}

bool *alike_trees(struct stmt **at, int n)
{
	uint64_t *hashes = NEW_ARRAY(uint64_t, n + 1);
	bool *alike = NEW_ARRAY(bool, n + 1);
	struct numbers counts = { 0 };

	for (int i = 0; i < n; i++) {
		struct ast_walker w = { .expr = hash_expr, .stmt = hash_stmt, .data = &hashes[i] };

		hashes[i] = 1;
		ast_walk_stmt(&w, &at[i]);
		if (hashes[i])
			++*numbers_at(&counts, hashes[i]);
	}
	for (int i = 0; i < n; i++)
		alike[i] = hashes[i] && *numbers_at(&counts, hashes[i]) >= ALIKE;
	clear_short_runs(alike, n);
	return alike;
}

// ---------------------------------------------------------------- operands

void alike_divide(const struct emitter *e, struct piece *p)
{
	const char *text = buf_text(&p->code.text), *at;
	const struct operand *o;
	struct buf key = { 0 };

	while ((o = operand_next(e, text, &at))) {
		buf_add(&key, text, (size_t)(at - text));
		buf_printf(&key, "\1%d%s\1", o->kind, o->type);
		vec_push(&p->operands, o);
		text = operand_end(at);
	}
	p->key = str_printf("%d%s%s", p->fails, buf_text(&key), text);
}

// ---------------------------------------------------------------- tables

// Returns whether two operands are the same as each other in every piece.
static bool is_same(const piece_list *pieces, int a, int b)
{
	for vec_each(pieces, p)
		if ((*p)->operands.at[a] != (*p)->operands.at[b])
			return false;
	return true;
}

// Returns whether the first piece's operand serves all pieces. A description does: it is not read from a row, since
// stp_stat_add() is expanded with its constants, and its content is in the type.
static bool is_constant(const piece_list *pieces, int n)
{
	const struct operand *first = pieces->at[0]->operands.at[n];

	if (first->kind == OPERAND_DESCRIPTION || first->kind == OPERAND_COMMENT)
		return true;
	for vec_each(pieces, p)
		if ((*p)->operands.at[n] != first)
			return false;
	return true;
}

// Returns for each operand the number of its member in the row: 0 if it is the same in all pieces. Operands that are
// always the same as an earlier one share its member.
static int *members(const piece_list *pieces, int *count)
{
	int n = pieces->at[0]->operands.n;
	int *member = NEW_ARRAY(int, n + 1);

	*count = 0;
	for (int i = 0; i < n; i++) {
		if (is_constant(pieces, i))
			continue;
		for (int k = 0; k < i && !member[i]; k++)
			if (member[k] && is_same(pieces, k, i))
				member[i] = member[k];
		if (!member[i])
			member[i] = ++*count;
	}
	return member;
}

static const char *member_type(const struct operand *o)
{
	switch (o->kind) {
	case OPERAND_TEXT:     return "const char *";
	case OPERAND_NUMBER:   return "s64 ";
	case OPERAND_TABLE:    return str_printf("__typeof__(*%s) *", o->name);
	case OPERAND_GLOBAL:   return str_printf("__typeof__(%s) *", o->name);
	default:               return "u32 ";
	}
}

static const char *member_value(struct emitter *e, const struct operand *o)
{
	switch (o->kind) {
	case OPERAND_GLOBAL: return str_printf("&%s", o->name);
	case OPERAND_PERCPU:
	case OPERAND_OFFSET:
		e->percpu_offsets = true;
		return str_printf("PERCPU_OFFSET(%s)", o->name);
	case OPERAND_LOCAL:  return str_printf("__builtin_offsetof(struct %s_frame, %s)", e->body->parts.of, o->name);
	default:             return o->name;
	}
}

static const char *member_use(const struct operand *o, int n)
{
	switch (o->kind) {
	case OPERAND_GLOBAL:
		return str_printf("(*a->m%d)", n);
	case OPERAND_PERCPU:
		return str_printf("(*(__typeof__(((struct percpu *)0)->%s) *)((char *)PERCPU + a->m%d))", o->name, n);
	case OPERAND_LOCAL:
		return str_printf("(*(__typeof__(f->%s) *)((char *)f + a->m%d))", o->name, n);
	default:
		return str_printf("a->m%d", n);
	}
}

static void write_rows(struct emitter *e, struct cwriter *w, const piece_list *pieces, const char *name,
		       const int *member)
{
	const struct piece *first = pieces->at[0];

	cw_line(w, "struct %s_row {", name);
	for (int i = 0, last = 0; i < first->operands.n; i++) {
		if (member[i] <= last)
			continue;
		last = member[i];
		cw_line(w, "%sm%d;", member_type(first->operands.at[i]), last);
	}
	cw_line(w, "};");
	cw_line(w, "static const struct %s_row %s_rows[] = {", name, name);
	for vec_each(pieces, p) {
		struct buf b = { 0 };

		for (int i = 0, last = 0; i < first->operands.n; i++) {
			if (member[i] <= last)
				continue;
			buf_printf(&b, "%s%s", last ? ", " : "", member_value(e, (*p)->operands.at[i]));
			last = member[i];
		}
		cw_line(w, "{ %s },", buf_text(&b));
	}
	cw_line(w, "};");
}

const char *alike_table(struct emitter *e, struct cwriter *w, const piece_list *pieces, const char *name,
			const char **row)
{
	struct piece *first = pieces->at[0];
	const char *text = buf_text(&first->code.text), *at;
	const struct operand *o;
	struct buf b = { 0 };
	int count, *member = members(pieces, &count);

	*row = count ? str_printf(", const struct %s_row *a", name) : "";
	if (count)
		write_rows(e, w, pieces, name, member);
	for (int i = 0; (o = operand_next(e, text, &at)); i++) {
		buf_add(&b, text, (size_t)(at - text));
		buf_puts(&b, member[i] ? member_use(o, member[i]) : o->text);
		text = operand_end(at);
	}
	buf_puts(&b, text);
	return buf_text(&b);
}
