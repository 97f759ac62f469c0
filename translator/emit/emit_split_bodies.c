// SPDX-License-Identifier: GPL-2.0-or-later
// Long handlers and functions: their statements are written as several C functions, called one after the other,
// since the time that a compiler takes for one function grows faster than its length.
//
// A part is a sequence of statements of one block. It has its own temporaries; locals, parameters and the result are in
// the frame. A part returns false after an error, and if the handler or function ends by `next` or `return`; the latter
// are not in parts of a try block, where false means an error. Jumps of a loop are not in parts of its body.
#include "emit/emitter.h"

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
	if (b->loops_are_functions)
		b->parts.of = name;
	if (!parts_long(st))
		return;
	b->parts.of = name;
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

static void close_part(struct emitter *e, struct open_part *p, struct row *row, struct loc loc)
{
	struct body *b = e->body;
	struct cwriter *to = &b->parts.code;
	const char *name = str_printf("%s_part%d", b->parts.of, ++b->parts.n);

	work_end(e, row->from, 1, loc);
	cw_line(to, "static __attribute__((noinline)) bool %s(struct stp_ctx *c, struct %s_frame *f)", name, b->parts.of);
	cw_line(to, "{");
	emit_temps(to, b->max);
	cw_append(to, &p->w);
	cw_line(to, "return true;");
	if (b->out.used) {
		cw_line(to, "%s:", b->out.name);
		cw_line(to, "return false;");
	}
	cw_line(to, "}");
	cw_blank(to);

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
	cw_line(e->w, "if (STP_UNLIKELY(!%s(c, f)))", name);
	cw_line(e->w, "\tgoto %s;", emit_error_label(e));
}

void emit_parts(struct emitter *e, struct stmt *block)
{
	struct body *b = e->body;
	struct jumps jumps = { .ends = b->on_error != &b->out, .loop = b->loop };
	struct open_part part;
	struct row row = { 0 };
	struct loc loc = block->loc;

	for vec_each(&block->u.block, it) {
		bool apart = is_outside_parts(b, *it, jumps);

		if (b->parts.open && (apart || part.w.text.len > PART))
			close_part(e, &part, &row, loc);
		loc = (*it)->loc.source ? (*it)->loc : block->loc;
		if (apart) {
			emit_stmt(e, *it);
			continue;
		}
		if (!b->parts.open) {
			open_part(e, &part);
			row = emit_row(e);
		}
		emit_in_row(e, &row, *it, loc);
	}
	if (b->parts.open)
		close_part(e, &part, &row, loc);
}
