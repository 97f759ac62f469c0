// SPDX-License-Identifier: GPL-2.0-or-later
// Long handlers and functions: their statements are written as several C functions, called one after the other,
// since the time that a compiler takes for one function grows faster than its length.
//
// A part is a sequence of statements of one block. It has its own temporaries; locals, parameters and the result are in
// the frame. Statements that are alike share one part, which is called for each row of a table (emit_alike.c). A part
// returns false after an error, and if the handler or function ends by `next` or `return`; the latter are not in parts
// of a try block, where false means an error. Jumps of a loop are not in parts of its body.
#include "emit/emit_alike.h"

#include <string.h>

enum {
	LONG = 1000,               // number of nodes from which a body is written in parts
	PART = 10000,              // number of characters of C after which a part ends
};

static bool count_expr(struct ast_walker *w, struct expr **x)
{
	return ++*(int *)w->data < LONG;
}

static bool count_stmt(struct ast_walker *w, struct stmt **st)
{
	return ++*(int *)w->data < LONG;
}

bool parts_long(struct stmt *st)
{
	int n = 0;
	struct ast_walker w = { .expr = count_expr, .stmt = count_stmt, .data = &n };

	ast_walk_stmt(&w, &st);
	return n >= LONG;
}

// Counts the nodes of every statement in one walk, so that nested statements are not walked again at each level.
struct counter { struct numbers *sizes; uint32_t nodes; };

static bool size_expr(struct ast_walker *w, struct expr **x)
{
	((struct counter *)w->data)->nodes++;
	return true;
}

static bool size_begin(struct ast_walker *w, struct stmt **st)
{
	struct counter *s = w->data;

	*numbers_at(s->sizes, (uintptr_t)*st) = s->nodes++;
	return true;
}

static void size_end(struct ast_walker *w, struct stmt **st)
{
	struct counter *s = w->data;
	uint32_t *size = numbers_at(s->sizes, (uintptr_t)*st);

	*size = s->nodes - *size;
}

void parts_begin(struct emitter *e, struct stmt *st, const char *name)
{
	struct body *b = e->body;
	struct counter s = { .sizes = &b->parts.sizes };
	struct ast_walker w = { .expr = size_expr, .stmt = size_begin, .stmt_after = size_end, .data = &s };

	b->loops_are_functions = e->programs && loops_in(st);
	if (b->loops_are_functions || parts_long(st))
		b->parts.of = name;
	b->no_pointers = e->programs && b->parts.of;
	if (!parts_long(st))
		return;
	ast_walk_stmt(&w, &st);
	cuts_make(b, st);
}

static bool is_long(struct body *b, const struct stmt *st)
{
	return *numbers_at(&b->parts.sizes, (uintptr_t)st) >= LONG;
}

void parts_make_long(struct body *b, const struct stmt *st)
{
	*numbers_at(&b->parts.sizes, (uintptr_t)st) = LONG;
}

bool parts_cut(struct body *b, const struct stmt *st)
{
	return st && is_long(b, st);
}

bool parts_wanted(struct body *b, const struct stmt *st)
{
	return b->parts.of && !b->parts.open && is_long(b, st);
}

// Jumps that a part of this block must not contain: those that end the body, those of a loop.
struct jumps { bool ends, loop, found; };

static bool find_jump(struct ast_walker *w, struct stmt **st)
{
	struct jumps *j = w->data;
	enum stmt_kind kind = (*st)->kind;

	j->found |= (j->ends && (kind == S_RETURN || kind == S_NEXT)) || (j->loop && (kind == S_BREAK || kind == S_CONTINUE));
	return !j->found;
}

// Returns whether the statement is not in a part. A long statement is not itself in a part: the blocks in it have
// parts.
static bool is_outside_parts(struct body *b, struct stmt *st, struct jumps j)
{
	struct ast_walker w = { .stmt = find_jump, .data = &j };

	if (st->kind != S_EXPR && st->kind != S_DELETE && is_long(b, st))
		return true;
	if (j.ends || j.loop)
		ast_walk_stmt(&w, &st);
	return j.found;
}

static void open_part(struct emitter *e, struct open_part *p)
{
	struct body *b = e->body;

	*p = (struct open_part){ .w = { .depth = 1 }, .outer = e->w, .used = b->out.used, .now = b->now, .max = b->max,
			    .charged = b->charged, .estimated = b->estimated, .loop = b->loop, .on_error = b->on_error };
	b->loop = NULL;
	b->on_error = &b->out;
	b->estimated = (struct estimated){ 0 };
	b->now = (struct temps){ .strings = b->now.strings };
	b->max = (struct temps){ .strings = b->max.strings };
	b->out.used = 0;
	b->parts.open = &p->w;
	e->w = &p->w;
}

// Restores the state of the surrounding function.
static void leave_part(struct emitter *e, struct open_part *p)
{
	struct body *b = e->body;

	e->w = p->outer;
	p->max.strings = b->max.strings;
	b->now = p->now;
	b->max = p->max;
	b->charged = p->charged;
	b->out.used = p->used;
	b->parts.open = NULL;
	b->estimated = p->estimated;
	b->loop = p->loop;
	b->on_error = p->on_error;
}

static const char *next_part(struct body *b)
{
	return str_printf("%s_part%d", b->parts.of, ++b->parts.n);
}

// Writes the function of a part. row: its third parameter, or "".
static void write_part(struct body *b, const char *name, const char *row, const char *code, bool fails)
{
	struct cwriter *to = &b->parts.code;

	cw_line(to, "static __attribute__((noinline)) bool %s(struct stp_ctx *c, struct %s_frame *f%s)", name, b->parts.of,
		row);
	cw_line(to, "{");
	buf_puts(&to->text, code);
	cw_line(to, "return true;");
	if (fails) {
		cw_line(to, "%s:", b->out.name);
		cw_line(to, "return false;");
	}
	cw_line(to, "}");
	cw_blank(to);
}

static void call_part(struct emitter *e, const char *call)
{
	cw_line(e->w, "if (STP_UNLIKELY(!%s))", call);
	cw_line(e->w, "\tgoto %s;", emit_error_label(e));
}

// Returns the code of the part, with its temporaries.
static struct cwriter end_code(struct emitter *e, struct open_part *p, struct row *row, struct loc loc)
{
	struct cwriter code = { .depth = 1 };

	work_end(e, row->from, 1, loc);
	emit_temps(&code, e->body->max);
	cw_append(&code, &p->w);
	return code;
}

static void close_part(struct emitter *e, struct open_part *p, struct row *row, struct loc loc)
{
	struct body *b = e->body;
	const char *name = next_part(b);
	struct cwriter code = end_code(e, p, row, loc);

	write_part(b, name, "", buf_text(&code.text), b->out.used);
	leave_part(e, p);
	call_part(e, str_printf("%s(c, f)", name));
}

// ---------------------------------------------------------------- statements that are alike

// The pieces of a sequence of statements in their order, and the function of each.
struct sharing {
	piece_list pieces;
	VEC(struct group *) group_of;
	struct map groups;         // key of pieces -> struct group
	struct cwriter calls;      // calls of functions, and the code of pieces that have none
	bool fails;                // `calls` has a jump to the label at the end
};
// Pieces that are alike. called: number of its rows for which calls are written.
struct group { piece_list pieces; const char *name; bool has_rows; int called; };

static struct piece *make_piece(struct emitter *e, struct stmt *st, struct loc loc)
{
	struct piece *piece = NEW(struct piece);
	struct open_part part;
	struct row row;

	open_part(e, &part);
	e->operands.marked = true;
	row = emit_row(e);
	emit_in_row(e, &row, st, loc);
	piece->code = end_code(e, &part, &row, loc);
	e->operands.marked = false;
	piece->fails = e->body->out.used;
	leave_part(e, &part);
	alike_divide(e, piece);
	return piece;
}

static void write_group(struct emitter *e, struct group *g)
{
	struct body *b = e->body;
	const char *row, *code;

	g->name = next_part(b);
	code = alike_table(e, &b->parts.code, &g->pieces, g->name, &row);
	g->has_rows = *row;
	write_part(b, g->name, row, code, g->pieces.at[0]->fails);
	b->parts.repeats = true;
}

static void end_calls(struct emitter *e, struct sharing *s)
{
	const char *name;

	if (!s->calls.text.len)
		return;
	name = next_part(e->body);
	write_part(e->body, name, "", buf_text(&s->calls.text), s->fails);
	call_part(e, str_printf("%s(c, f)", name));
	s->calls = (struct cwriter){ .depth = 1 };
	s->fails = false;
}

static bool is_shared(const struct group *g)
{
	return g->pieces.n >= ALIKE;
}

// Returns the length of the sequence of groups at `from` that repeats most, and how often it repeats.
static int find_period(const struct sharing *s, int from, int *repeats)
{
	enum { MAX = 8 };
	struct group *const *of = s->group_of.at + from;
	int n = s->group_of.n - from, period = 1;

	*repeats = 1;
	for (int p = 1; p <= MAX && p <= n && is_shared(of[p - 1]); p++) {
		int same = 0;

		while (same + p < n && of[same] == of[same + p])
			same++;
		if (same >= p && same / p + 1 > *repeats * period / p) {
			period = p;
			*repeats = same / p + 1;
		}
	}
	return period;
}

// Calls the functions of a sequence of groups as often as it repeats.
static void call_groups(struct emitter *e, struct sharing *s, struct group **groups, int period, int repeats)
{
	struct cwriter *w = &s->calls;

	s->fails = true;
	if (repeats > 1) {
		cw_line(w, "{");
		cw_line(w, "int i;");
		cw_line(w, "for (i = 0; i < %d; i++) {", repeats);
	}
	for (int k = 0; k < period; k++) {
		struct group *g = groups[k];
		int in_period = 0;

		for (int j = 0; j < period; j++)
			in_period += groups[j] == g;
		cw_line(w, "if (STP_UNLIKELY(!%s(c, f%s)))", g->name, !g->has_rows ? "" : repeats == 1 ?
			str_printf(", &%s_rows[%d]", g->name, g->called) :
			str_printf(", &%s_rows[%d * i + %d]", g->name, in_period, g->called));
		cw_line(w, "\tgoto %s;", e->body->out.name);
		g->called++;
	}
	for (int k = 0; k < period; k++)
		groups[k]->called += repeats - 1;
	if (repeats > 1) {
		cw_line(w, "}");
		cw_line(w, "}");
	}
}

static void write_pieces(struct emitter *e, struct sharing *s)
{
	for (int i = 0, n, repeats; i < s->pieces.n; i += n * repeats) {
		struct group **g = s->group_of.at + i;
		struct piece *piece = s->pieces.at[i];

		n = find_period(s, i, &repeats);
		if (s->calls.text.len > PART)
			end_calls(e, s);
		if (is_shared(*g)) {
			for (int k = 0; k < n; k++)
				if (!g[k]->name)
					write_group(e, g[k]);
			call_groups(e, s, g, n, repeats);
		} else {
			operands_expand(e, &piece->code.text);
			cw_line(&s->calls, "{");
			cw_append(&s->calls, &piece->code);
			cw_line(&s->calls, "}");
			s->fails |= piece->fails;
		}
	}
	end_calls(e, s);
}

static void write_alike(struct emitter *e, struct stmt **at, int n, struct loc loc)
{
	struct sharing s = { .calls = { .depth = 1 } };

	for (int i = 0; i < n; i++) {
		struct piece *p = make_piece(e, at[i], at[i]->loc.source ? at[i]->loc : loc);
		struct group *g = map_get(&s.groups, p->key);

		if (!g)
			map_put(&s.groups, p->key, g = NEW(struct group));
		vec_push(&g->pieces, p);
		vec_push(&s.pieces, p);
		vec_push(&s.group_of, g);
	}
	write_pieces(e, &s);
}

// ---------------------------------------------------------------- blocks

static void write_plain(struct emitter *e, struct stmt **at, int n, struct loc loc)
{
	struct open_part part;
	struct row row = { 0 };

	for (int i = 0; i < n; i++) {
		if (e->body->parts.open && part.w.text.len > PART)
			close_part(e, &part, &row, loc);
		if (at[i]->loc.source)
			loc = at[i]->loc;
		if (!e->body->parts.open) {
			open_part(e, &part);
			row = emit_row(e);
		}
		emit_in_row(e, &row, at[i], loc);
	}
	if (e->body->parts.open)
		close_part(e, &part, &row, loc);
}

// Writes statements that are in parts. Many that are alike are not in the same part as others.
static void write_run(struct emitter *e, struct stmt **at, int n, struct loc loc)
{
	bool *alike = e->s->opt.bpf_runtime ? NEW_ARRAY(bool, n) : alike_trees(at, n);

	for (int i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && alike[end] == alike[i]; end++)
			;
		(alike[i] ? write_alike : write_plain)(e, at + i, end - i, loc);
	}
}

void emit_parts(struct emitter *e, struct stmt *block)
{
	struct body *b = e->body;
	struct jumps jumps = { .ends = b->on_error != &b->out, .loop = b->loop };
	struct stmt **at = block->u.block.at;
	int n = block->u.block.n;

	for (int i = 0, end; i < n; i = end) {
		end = i + 1;
		if (is_outside_parts(b, at[i], jumps)) {
			emit_stmt(e, at[i]);
			continue;
		}
		while (end < n && !is_outside_parts(b, at[end], jumps))
			end++;
		write_run(e, at + i, end - i, block->loc);
	}
}
