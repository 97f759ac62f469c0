// SPDX-License-Identifier: GPL-2.0-or-later
// Statements. Each begins with a comment that gives its location in the script; its temporaries are free after it.
#include "emit/emitter.h"

const char *emit_label(struct emitter *e, const char *what)
{
	return str_printf("%s%d", what, ++e->body->labels);
}

static void location_comment(struct emitter *e, struct stmt *st)
{
	struct body *b = e->body;

	if (st->kind == S_EMPTY || st->kind == S_BLOCK || !st->loc.source)
		return;
	if (b->location_line == st->loc.line && b->location_source == st->loc.source)
		return;
	b->location_line = st->loc.line;
	b->location_source = st->loc.source;
	cw_line(e->w, "%s", operand(e, OPERAND_COMMENT, emit_comment_text(emit_location_text(st->loc))));
}

// Returns the maximum number of statements that one pass executes. A nested loop counts as one, since it charges
// for its own passes.
int emit_count_stmts(struct stmt *st)
{
	int n = 0, other;

	if (!st)
		return 0;
	switch (st->kind) {
	case S_EMPTY:
		return 0;
	case S_BLOCK:
		for vec_each(&st->u.block, it)
			n += emit_count_stmts(*it);
		return n;
	case S_IF:
		n = emit_count_stmts(st->u.if_.then);
		other = emit_count_stmts(st->u.if_.other);
		return 1 + (n > other ? n : other);
	case S_TRY:
		return 1 + emit_count_stmts(st->u.try_.body) + emit_count_stmts(st->u.try_.handler);
	default:
		return 1;
	}
}

// Returns whether an else-if chain is written one arm after the other, not nested: no condition of an arm takes or
// releases locks.
static bool is_long_chain(const struct emitter *e, const struct stmt *st)
{
	enum { ARMS = 20 };
	const struct lock_range *locks = &e->body->locks;
	int n = 1;

	for (st = st->u.if_.other; st && st->kind == S_IF; st = st->u.if_.other, n++)
		if (st == locks->from || st == locks->to)
			return false;
	return n >= ARMS;
}

// Only one arm is executed, so the costs of all arms except the most expensive one count as charged.
static void emit_chain(struct emitter *e, struct stmt *st)
{
	const char *done = emit_label(e, "done");
	struct temps temps = e->body->now;
	uint64_t cost, sum = 0, max = 0;
	struct work_mark m;
	bool last = false;

	for (; st && !last; st = last ? NULL : st->u.if_.other) {
		last = st->kind != S_IF;
		if (!last)
			cw_line(e->w, "if (%s) {", value_condition(emit_expr(e, st->u.if_.c)));
		m = work_begin(e);
		emit_stmt(e, last ? st : st->u.if_.then);
		work_end_branch(e, m, st->loc);
		cost = work_since(e, m);
		sum += cost;
		max = cost > max ? cost : max;
		if (!last) {
			cw_line(e->w, "goto %s;", done);
			cw_line(e->w, "}");
		}
		e->body->now = temps;
	}
	cw_line(e->w, "%s:", done);
	cw_line(e->w, ";");
	e->body->charged += sum - max;
}

// Only one branch is executed, so the cost of the cheaper one counts as charged.
static void emit_if(struct emitter *e, struct stmt *st)
{
	struct work_mark m;
	uint64_t then, other;

	if (is_long_chain(e, st)) {
		emit_chain(e, st);
		return;
	}
	cw_line(e->w, "if (%s) {", value_condition(emit_expr(e, st->u.if_.c)));
	m = work_begin(e);
	emit_stmt(e, st->u.if_.then);
	work_end_branch(e, m, st->loc);
	then = work_since(e, m);
	if (st->u.if_.other && st->u.if_.other->kind != S_EMPTY) {
		cw_line(e->w, "} else {");
		m = work_begin(e);
		emit_stmt(e, st->u.if_.other);
		work_end_branch(e, m, st->loc);
		other = work_since(e, m);
		e->body->charged += then < other ? then : other;
	}
	cw_line(e->w, "}");
}

struct row emit_row(struct emitter *e)
{
	return (struct row){ .from = work_begin(e) };
}

void emit_in_row(struct emitter *e, struct row *row, struct stmt *st, struct loc loc)
{
	struct work_mark one = work_begin(e);

	emit_stmt(e, st);
	row->n += work_since(e, one);
	if (work_end_block(e, row->from, row->n, loc))
		*row = emit_row(e);
}

static void emit_block(struct emitter *e, struct stmt *st)
{
	struct row row = emit_row(e);

	for vec_each(&st->u.block, it)
		emit_in_row(e, &row, *it, (*it)->loc.source ? (*it)->loc : st->loc);
}

// Writes while and for as one endless C loop. Every pass first charges for its statements.
static void loop(struct emitter *e, struct loc loc, struct expr *c, struct expr *step, struct stmt *body)
{
	struct work_mark pass;
	struct label next = { .name = step ? emit_label(e, "next") : NULL };
	struct loop l = { .outer = e->body->loop, .next = step ? &next : NULL };
	struct temps temps = e->body->now;
	struct value v;

	if (e->body->loops_are_functions) {
		emit_loop_function(e, loc, c, step, body);
		return;
	}
	cw_line(e->w, "for (;;) {");
	emit_actions(e, emit_count_stmts(body) + 1, loc);
	pass = work_begin(e);
	if (c) {
		v = emit_expr(e, c);
		if (!v.constant || !v.number) {
			cw_line(e->w, "if (!(%s))", value_condition(v));
			cw_line(e->w, "\tbreak;");
		}
	}
	e->body->now = temps;
	e->body->loop = &l;
	emit_stmt(e, body);
	e->body->loop = l.outer;
	if (next.used) {
		cw_line(e->w, "%s:", next.name);
		if (step)
			cw_line(e->w, ";");
	}
	if (step)
		emit_effect(e, step);
	work_end(e, pass, 1, loc);
	cw_line(e->w, "}");
}

static void emit_jump(struct emitter *e, struct stmt *st)
{
	struct loop *l = e->body->loop;

	if (!l) {
		diag_error(st->loc, "\"%s\" outside a loop", st->kind == S_BREAK ? "break" : "continue");
	} else if (st->kind == S_BREAK) {
		cw_line(e->w, l->is_function ? "return STP_LOOP_BREAK;" : "break;");
	} else if (l->next) {
		l->next->used++;
		cw_line(e->w, "goto %s;", l->next->name);
	} else {
		cw_line(e->w, l->is_function ? "return STP_LOOP_NEXT;" : "continue;");
	}
}

static void leave(struct emitter *e)
{
	e->body->out.used++;
	cw_line(e->w, "goto %s;", e->body->out.name);
}

static void emit_return(struct emitter *e, struct stmt *st)
{
	const char *ret = e->body->parts.of ? "f->ret" : "ret";
	struct func *f = e->body->func;

	if (!f) {
		diag_error(st->loc, "\"return\" outside a function");
		return;
	}
	if (st->u.expr && f->type == T_STRING)
		cw_line(e->w, "stp_copy(%s, %s, STP_STRLEN);", ret, emit_expr(e, st->u.expr).text);
	else if (st->u.expr && f->type == T_LONG)
		cw_line(e->w, "%s = %s;", ret, value_long(emit_expr(e, st->u.expr)));
	else if (st->u.expr)
		emit_effect(e, st->u.expr);
	leave(e);
}

// The catch block follows the body, which jumps over it. It is omitted if nothing in the body can fail.
static void emit_try(struct emitter *e, struct stmt *st)
{
	struct label catch = { .name = emit_label(e, "catch") }, *outer = e->body->on_error;
	const char *done = emit_label(e, "done");
	struct var *v = st->u.try_.var ? st->u.try_.var->u.var.decl : NULL;

	e->body->on_error = &catch;
	emit_stmt(e, st->u.try_.body);
	e->body->on_error = outer;
	if (!catch.used)
		return;
	cw_line(e->w, "goto %s;", done);
	cw_line(e->w, "%s:", catch.name);
	if (v)
		emit_bpf_use(e, BPF_TEXT);
	cw_line(e->w, "if (!stp_catch(c, %s, STP_STRLEN))", v ? emit_var(e, v) : "NULL");
	cw_line(e->w, "\tgoto %s;", emit_error_label(e));
	emit_stmt(e, st->u.try_.handler);
	cw_line(e->w, "%s:", done);
	cw_line(e->w, ";");
}

// Writes S_EXPR or S_DELETE. An array of keys or arguments lives as long as the C block around it, so each
// statement has its own block: in a common one, each print would take more of the kernel's small stack.
static void emit_simple(struct emitter *e, struct stmt *st)
{
	struct cwriter *outer = e->w, part = { .depth = outer->depth + 1 };

	e->w = &part;
	if (st->kind == S_DELETE)
		emit_delete(e, st->u.expr);
	else
		emit_effect(e, st->u.expr);
	e->w = outer;
	cw_append_block(outer, &part, part.has_temporary);
}

static void lock(struct emitter *e)
{
	cw_line(e->w, "if (STP_UNLIKELY(!%s))", emit_late_lock(e, "stp_lock"));
	cw_line(e->w, "\tgoto %s;", e->body->out.name);
	e->body->out.used++;
}

void emit_stmt(struct emitter *e, struct stmt *st)
{
	struct temps temps = e->body->now;

	if (!st)
		return;
	location_comment(e, st);
	if (st == e->body->locks.from)
		lock(e);
	switch (st->kind) {
	case S_EMPTY:
		break;
	case S_EXPR:
	case S_DELETE:
		emit_simple(e, st);
		break;
	case S_BLOCK:
		if (parts_wanted(e->body, st))
			emit_parts(e, st);
		else
			emit_block(e, st);
		break;
	case S_IF:
		emit_if(e, st);
		break;
	case S_WHILE:
		loop(e, st->loc, st->u.while_.c, NULL, st->u.while_.body);
		break;
	case S_FOR:
		if (st->u.for_.init)
			emit_effect(e, st->u.for_.init);
		loop(e, st->loc, st->u.for_.c, stmt_for_step(st), st->u.for_.body);
		break;
	case S_FOREACH:
		emit_foreach(e, st);
		break;
	case S_BREAK:
	case S_CONTINUE:
		emit_jump(e, st);
		break;
	case S_RETURN:
		emit_return(e, st);
		break;
	case S_NEXT:
		if (e->body->func)
			cw_line(e->w, "c->next = true;");
		leave(e);
		break;
	case S_TRY:
		emit_try(e, st);
		break;
	}
	if (st == e->body->locks.to && e->body->locks.early)
		cw_line(e->w, "%s;", emit_late_lock(e, "stp_unlock"));
	e->body->now = temps;
}
