// SPDX-License-Identifier: GPL-2.0-or-later
// Loops of BPF programs. The verifier follows every path through a loop, and rejects long ones; so the body of a loop
// is a function of its own, which is verified once, and a driver calls it until it returns something else than
// STP_LOOP_NEXT. Locals of such a handler or function are in its frame, which these functions share (like the
// functions of emit_split_bodies.c); temporaries are local to each.
#include "emit/emitter.h"

#include <inttypes.h>

// State that is saved while the body of a loop is being written.
struct loop_function {
	struct cwriter w, *outer, *open_part;
	const char *name;
	struct label fail;
	struct body was;
};

static bool find_loop(struct ast_walker *w, struct stmt **st)
{
	enum stmt_kind kind = (*st)->kind;

	*(bool *)w->data |= kind == S_WHILE || kind == S_FOR || kind == S_FOREACH;
	return !*(bool *)w->data;
}

bool loops_in(struct stmt *st)
{
	bool found = false;
	struct ast_walker w = { .stmt = find_loop, .data = &found };

	ast_walk_stmt(&w, &st);
	return found;
}

static void begin(struct emitter *e, struct loop_function *a, struct loc loc)
{
	struct body *b = e->body;

	*a = (struct loop_function){ .w = { .depth = 1 }, .outer = e->w, .open_part = b->parts.open, .was = *b };
	a->name = str_printf("%s_loop%d", b->parts.of, ++b->loops);
	emit_c_function(e, a->name, str_printf("loop at %s", emit_location_text(loc)), loc);
	a->fail.name = "failed";
	b->on_error = &a->fail;
	b->out.used = 0;
	b->now = b->max = (struct temps){ .strings = a->was.now.strings };
	b->max.strings = a->was.max.strings;
	b->estimated = (struct estimated){ 0 };
	b->parts.open = NULL;
	b->location_line = 0;
	e->w = &a->w;
}

static void write_result(struct cwriter *w, const struct label *label, const char *result)
{
	if (!label->used)
		return;
	cw_line(w, "%s:", label->name);
	cw_line(w, "return %s;", result);
}

static void write_function(struct emitter *e, struct loop_function *a)
{
	struct body *b = e->body;
	struct cwriter *to = &b->parts.code;

	cw_line(to, "STP_LOOP_FUNCTION(%s)", a->name);
	cw_line(to, "{");
	cw_line(to, "STP_LOOP_FRAME(struct %s_frame);", b->parts.of);
	emit_temps(to, b->max);
	cw_blank(to);
	cw_append(to, &a->w);
	cw_line(to, "return STP_LOOP_NEXT;");
	write_result(to, &b->out, "STP_LOOP_LEAVE");
	write_result(to, &a->fail, "STP_LOOP_FAIL");
	cw_line(to, "}");
	cw_line(to, "STP_LOOP_DRIVER(%s)", a->name);
	cw_blank(to);
}

static void end(struct emitter *e, struct loop_function *a)
{
	struct body *b = e->body;

	write_function(e, a);
	e->w = a->outer;
	a->was.max.strings = b->max.strings;
	b->now = a->was.now;
	b->max = a->was.max;
	b->charged = a->was.charged;
	b->estimated = a->was.estimated;
	b->on_error = a->was.on_error;
	b->loop = a->was.loop;
	b->out.used = a->was.out.used + 1;
	b->parts.open = a->open_part;
	b->location_line = 0;
	cw_line(e->w, "STP_LOOP(c, %s, %s, %s);", a->name, b->out.name, emit_error_label(e));
}

void emit_loop_function(struct emitter *e, struct loc loc, struct expr *c, struct expr *step, struct stmt *body)
{
	struct label next = { .name = step ? emit_label(e, "next") : NULL };
	struct loop l = { .outer = e->body->loop, .next = step ? &next : NULL, .is_function = true };
	struct loop_function a;
	struct value v;

	begin(e, &a, loc);
	emit_actions(e, emit_count_stmts(body) + 1, loc);
	if (c) {
		v = emit_expr(e, c);
		if (!v.constant || !v.number) {
			cw_line(e->w, "if (!(%s))", value_condition(v));
			cw_line(e->w, "\treturn STP_LOOP_BREAK;");
		}
	}
	e->body->now = (struct temps){ .strings = a.was.now.strings };
	e->body->loop = &l;
	emit_stmt(e, body);
	if (next.used) {
		cw_line(e->w, "%s:", next.name);
		cw_line(e->w, ";");
	}
	if (step)
		emit_effect(e, step);
	end(e, &a);
}

// ---------------------------------------------------------------- foreach

// Returns the index of an array's key among its keys of the same type.
static int among_its_type(const struct var *v, int key)
{
	int n = 0;

	for (int i = 0; i < key; i++)
		n += (v->key_types[i] == T_STRING) == (v->key_types[key] == T_STRING);
	return n;
}

// Writes the call that computes the order of a sorted loop, or the elements of a loop over a slice.
static void write_walk(struct emitter *e, const struct stmt *st, int n, unsigned stat)
{
	const struct var *v = st->u.foreach.decl;
	struct cwriter *w = &e->tables;
	int key = st->u.foreach.sort_key - 1;
	enum type t = key >= 0 ? v->key_types[key] : v->type;

	cw_line(w, "#define STP_WALK_NAME foreach%d", n);
	cw_line(w, "#define STP_WALK_MAP %s", emit_global(e, (struct var *)v)->name);
	cw_line(w, "#define STP_WALK_DIRECTION %d", st->u.foreach.sort_dir);
	if (key >= 0)
		cw_line(w, "#define STP_WALK_CELL %c[%d]", t == T_STRING ? 's' : 'n', among_its_type(v, key));
	else
		cw_line(w, "#define STP_WALK_CELL value[0]");
	cw_line(w, "#define STP_WALK_KIND %s", t == T_STRING ? "STP_STRING" : t == T_STATS ? "STP_STATS" : "STP_LONG");
	cw_line(w, "#define STP_WALK_STAT %u", stat);
	cw_line(w, "#define STP_WALK_HIST %" PRId64, emit_buckets(v));
	cw_line(w, "#include \"bpf_walk.h\"");
}

static bool is_collected(const struct stmt *st)
{
	return st->u.foreach.sort_dir || st->u.foreach.slice.n;
}

static const char *key_text(struct emitter *e, const struct stmt *st, int n, int i)
{
	const struct var *v = st->u.foreach.decl;

	return str_printf("STP_ELEM_%s(%s, elem%d, %d, %d)", v->key_types[i] == T_STRING ? "STRING" : "LONG",
			  emit_global(e, (struct var *)v)->name, n, i, among_its_type(v, i));
}

static void bind(struct emitter *e, struct stmt *st, int n)
{
	struct var *v = st->u.foreach.decl;

	for (int i = 0; i < st->u.foreach.keys.n; i++)
		emit_store(e, st->u.foreach.keys.at[i]->u.var.decl, value_text(ARRAY, true, "%s", key_text(e, st, n, i)));
	if (st->u.foreach.value)
		emit_store(e, st->u.foreach.value->u.var.decl, value_text(ARRAY, true, v->type == T_STRING ?
			   "(const char *)STP_ELEM_VALUE(%s, elem%d)" : "*(s64 *)STP_ELEM_VALUE(%s, elem%d)",
			   emit_global(e, v)->name, n));
}

void emit_foreach_function(struct emitter *e, struct stmt *st, int n, struct foreach_start start)
{
	struct var *v = st->u.foreach.decl;
	struct loop l = { .outer = e->body->loop, .is_function = true };
	const char *map = emit_global(e, v)->name;
	int cursor = ++e->body->cursors;
	struct loop_function a;

	if (is_collected(st)) {
		emit_require_write_lock(e, v);
		emit_global(e, v)->walked = true;
		write_walk(e, st, n, start.stat);
	}
	cw_line(e->w, "%s(c, %s, %s, &f->cursor%d, %s, %u, %s);", is_collected(st) ? "STP_WALK_BEGIN" : "STP_LIST_BEGIN",
		str_printf("foreach%d", n), map, cursor, start.limit, start.any, start.slice);
	if (is_collected(st))
		emit_check(e, st->loc);
	begin(e, &a, st->loc);
	cw_line(e->w, "%s(c, %s, %s, &f->cursor%d, elem%d);", is_collected(st) ? "STP_WALK_NEXT" : "STP_LIST_NEXT",
		str_printf("foreach%d", n), map, cursor, n);
	cw_line(e->w, "if (!elem%d)", n);
	cw_line(e->w, "\treturn STP_LOOP_BREAK;");
	emit_actions(e, emit_count_stmts(st->u.foreach.body) + 1, st->loc);
	bind(e, st, n);
	e->body->loop = &l;
	emit_stmt(e, st->u.foreach.body);
	end(e, &a);
}

// Returns C for the number of the next bucket, or one that does not exist after the last bucket.
static const char *next_bucket(struct emitter *e, struct stmt *st, const char *at)
{
	struct expr *of = st->u.foreach.hist->u.stat.of;
	struct var *v = of->kind == E_VAR ? of->u.var.decl : of->u.index.decl;
	const char *stat;

	if (!st->u.foreach.sort_dir || st->u.foreach.sort_key)
		return str_printf(st->u.foreach.sort_dir < 0 ? "%s - 1" : "%s + 1", at);
	if (of->kind == E_VAR)     // the loop has computed the sums before its first pass
		stat = str_printf("stp_scalar_merged(c, &%s)", emit_global(e, v)->name);
	else
		stat = emit_stat_of(e, of);
	return str_printf("(u32)stp_hist_next(c, %s, %s, %d, (s32)%s)", stat, emit_desc(e, v), st->u.foreach.sort_dir, at);
}

void emit_bucket_function(struct emitter *e, struct stmt *st, const char *limit, int64_t buckets)
{
	struct expr *of = st->u.foreach.hist->u.stat.of;
	bool by_count = st->u.foreach.sort_dir && !st->u.foreach.sort_key;
	struct loop l = { .outer = e->body->loop, .is_function = true };
	const char *cursor = str_printf("f->cursor%d", ++e->body->cursors), *at = str_printf("%s.at", cursor);
	struct loop_function a;

	if (by_count && of->kind == E_VAR)
		cw_line(e->w, "(void)%s;", emit_stat_of(e, of));
	cw_line(e->w, "%s.left = %s;", cursor, limit);
	// Values that are added meanwhile may change the order, so the number of passes is limited.
	cw_line(e->w, "if (%s.left > %" PRId64 ")", cursor, buckets);
	cw_line(e->w, "\t%s.left = %" PRId64 ";", cursor, buckets);
	cw_line(e->w, "%s = %" PRId64 ";", at, st->u.foreach.sort_dir < 0 && !by_count ? buckets : -1);
	begin(e, &a, st->loc);
	cw_line(e->w, "if (%s.left <= 0)", cursor);
	cw_line(e->w, "\treturn STP_LOOP_BREAK;");
	cw_line(e->w, "%s.left--;", cursor);
	cw_line(e->w, "%s = %s;", at, next_bucket(e, st, at));
	cw_line(e->w, "if (%s >= %" PRId64 ")", at, buckets);
	cw_line(e->w, "\treturn STP_LOOP_BREAK;");
	emit_actions(e, emit_count_stmts(st->u.foreach.body) + 1, st->loc);
	emit_store(e, st->u.foreach.keys.at[0]->u.var.decl, value_text(LOCAL, true, "(s64)%s", at));
	e->body->loop = &l;
	emit_stmt(e, st->u.foreach.body);
	end(e, &a);
}
