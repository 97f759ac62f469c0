// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays: elements, "in", delete, foreach.
#include "elab/elab.h"
#include "emit/emitter.h"

// The runtime has a faster lookup for a map whose only key is a number.
static bool single(const struct var *v)
{
	return v->arity == 1 && v->key_types[0] != T_STRING;
}

static const char *keys_text(struct emitter *e, const struct var *v, const struct value *keys, int n)
{
	struct buf b = { 0 };

	e->w->has_temporary = true;
	buf_puts(&b, "(const union stp_val[]){ ");
	for (int i = 0; i < n; i++) {
		if (!keys[i].text)
			buf_puts(&b, "{ .n = 0 }");
		else if (v->key_types[i] == T_STRING)
			buf_printf(&b, "{ .s = %s }", keys[i].text);
		else
			buf_printf(&b, "{ .n = %s }", value_long(keys[i]));
		buf_puts(&b, i < n - 1 ? ", " : " }");
	}
	return buf_text(&b);
}

static struct value *values_of(struct emitter *e, expr_vec *keys)
{
	struct value *v = NEW_ARRAY(struct value, keys->n + 1);

	emit_values(e, keys->at, keys->n, v);
	return v;
}

// Evaluates the keys that are not "*". Returns a mask of those that are "*".
static unsigned slice_values(struct emitter *e, struct expr **keys, int n, struct value *out)
{
	expr_vec given = { 0 };
	struct value *v = NEW_ARRAY(struct value, n + 1);
	unsigned any = 0;

	for (int i = 0; i < n; i++)
		if (keys[i])
			vec_push(&given, keys[i]);
	emit_values(e, given.at, given.n, v);
	for (int i = 0; i < n; i++) {
		if (keys[i])
			out[i] = *v++;
		else
			any |= 1u << i;
	}
	return any;
}

static const char *lookup(struct emitter *e, struct var *v, const struct value *keys)
{
	const char *name = operand_global(e, OPERAND_GLOBAL, v);

	if (e->s->opt.bpf_runtime)
		return str_printf("STP_MAP_GET(c, &%s, %s)", name, keys_text(e, v, keys, v->arity));
	if (single(v))
		return str_printf("stp_map_get1(&%s, %s)", name, value_long(keys[0]));
	return str_printf("stp_map_get(&%s, %s)", name, keys_text(e, v, keys, v->arity));
}

static unsigned reads_of(const struct value *keys, int n)
{
	unsigned reads = ARRAY;

	for (int i = 0; i < n; i++)
		reads |= keys[i].reads;
	return reads;
}

// Merges the values that CPUs have added, before v is used in another way.
static void merge(struct emitter *e, struct var *v, struct loc loc)
{
	if (!access_is_merged(v) || !emit_needs_context(e, loc))
		return;
	emit_require_write_lock(e, v);
	cw_line(e->w, "stp_map_merge(c, &%s);", operand_global(e, OPERAND_GLOBAL, v));
	emit_check(e, loc);
}

// emit_stat_of() reads statistics; here only the text of the cell is returned.
struct value emit_index(struct emitter *e, struct expr *x)
{
	struct var *v = x->u.index.decl;
	struct value *keys = values_of(e, &x->u.index.keys);
	unsigned reads = reads_of(keys, x->u.index.keys.n);
	const char *cell = lookup(e, v, keys);

	merge(e, v, x->loc);
	if (v->type == T_STATS)
		return value_text(reads, true, "%s", cell);
	if (v->type == T_STRING)
		return value_text(reads, true, "stp_cell_string(%s)", cell);
	return value_text(reads, true, "stp_cell_long(%s)", cell);
}

struct value emit_in(struct emitter *e, struct expr *x)
{
	struct var *v = x->u.index.decl;
	int n = x->u.index.keys.n;
	struct value *keys, result;
	unsigned any;

	if (x->u.index.hist)
		return emit_in_hist(e, x);
	keys = NEW_ARRAY(struct value, n + 1);
	any = slice_values(e, x->u.index.keys.at, n, keys);
	merge(e, v, x->loc);
	if (any && emit_needs_context(e, x->loc)) {
		const char *t = temp_long(e);

		emit_global(e, v)->walked |= e->programs;
		cw_line(e->w, "%s = stp_map_has_slice(c, &%s, %s, %u);", t, operand_global(e, OPERAND_GLOBAL, v),
			keys_text(e, v, keys, n), any);
		emit_check(e, x->loc);
		result = value_text(0, true, "%s", t);
	} else
		result = value_text(reads_of(keys, n), false, "%s != NULL", lookup(e, v, keys));
	result.boolean = true;
	return result;
}

// Returns the element, which is created if absent. Keys that are stored in this array are copied, since an
// insertion may move them.
const char *emit_put(struct emitter *e, struct expr *x, struct value *keys)
{
	struct var *v = x->u.index.decl;
	const char *cell = temp_cell(e), *name = operand_global(e, OPERAND_GLOBAL, v), *put = "stp_map_put";

	if (v->per_cpu)
		merge(e, v, x->loc);
	for (int i = 0; i < v->arity; i++)
		if (v->wrap && v->key_types[i] == T_STRING && (keys[i].reads & ARRAY))
			keys[i] = value_keep(e, keys[i], T_STRING);
	if (v->type == T_STATS)
		put = "stp_pmap_put";
	if (single(v) && !e->s->opt.bpf_runtime)
		cw_line(e->w, "%s = %s1(c, &%s, %s);", cell, put, name, value_long(keys[0]));
	else
		cw_line(e->w, "%s = %s(c, &%s, %s);", cell, put, name, keys_text(e, v, keys, v->arity));
	emit_check(e, x->loc);
	return cell;
}

bool emit_element_adder(struct emitter *e, struct expr *x, struct value *keys, enum tok op, struct value n)
{
	struct var *v = x->u.index.decl;
	const char *name = operand_global(e, OPERAND_GLOBAL, v), *by;

	if (!v->per_cpu || v->is_copy || (op != TOK_ADD && op != TOK_SUB))
		return false;
	by = str_printf("%s%s", op == TOK_SUB ? "0 - " : "", n.constant && op == TOK_ADD ? n.text : value_wrap(n));
	if (single(v))
		cw_line(e->w, "stp_map_add1(c, &%s, %s, %s);", name, value_long(keys[0]), by);
	else
		cw_line(e->w, "stp_map_add(c, &%s, %s, %s);", name, keys_text(e, v, keys, v->arity), by);
	emit_check(e, x->loc);
	return true;
}

static void delete_scalar(struct emitter *e, struct var *v)
{
	emit_global(e, v)->walked |= e->programs;
	emit_bpf_use(e, v->type == T_STATS ? BPF_SCALARS : 0);
	if (v->type == T_STATS)
		cw_line(e->w, "stp_scalar_clear(c, &%s);", operand_global(e, OPERAND_GLOBAL, v));
	else if (v->type == T_STRING)
		cw_line(e->w, "%s[0] = '\\0';", emit_var(e, v));
	else
		emit_store(e, v, value_number(0));
}

void emit_delete(struct emitter *e, struct expr *x)
{
	struct var *v;
	struct value *keys;
	unsigned any;

	if (x->kind == E_VAR) {
		v = x->u.var.decl;
		if (v->arity > 0 && v->per_cpu)
			merge(e, v, x->loc);
		if (v->arity > 0)
			cw_line(e->w, "stp_map_clear(c, &%s);", operand_global(e, OPERAND_GLOBAL, v));
		else
			delete_scalar(e, v);
		if (v->arity > 0 || v->type == T_STATS)
			emit_check(e, x->loc);
		return;
	}
	v = x->u.index.decl;
	keys = NEW_ARRAY(struct value, v->arity + 1);
	any = slice_values(e, x->u.index.keys.at, v->arity, keys);
	emit_global(e, v)->walked |= e->programs && any;
	if (v->per_cpu)
		merge(e, v, x->loc);
	if (any)
		cw_line(e->w, "stp_map_delete_slice(c, &%s, %s, %u);", operand_global(e, OPERAND_GLOBAL, v),
			keys_text(e, v, keys, v->arity), any);
	else if (e->s->opt.bpf_runtime)
		cw_line(e->w, "STP_MAP_DELETE(c, &%s, %s);", operand_global(e, OPERAND_GLOBAL, v),
			keys_text(e, v, keys, v->arity));
	else
		cw_line(e->w, "stp_map_delete(c, &%s, %s);", operand_global(e, OPERAND_GLOBAL, v),
			keys_text(e, v, keys, v->arity));
	if (any)
		emit_check(e, x->loc);
}

// Returns the statistic operator by which the loop is sorted, or 0.
static unsigned foreach_static(struct emitter *e, struct stmt *st, int n)
{
	const char *map = emit_global(e, st->u.foreach.decl)->name;
	unsigned stat = st->u.foreach.sort_stat;
	bool by_value = st->u.foreach.sort_dir && !st->u.foreach.sort_key;

	if (by_value && st->u.foreach.decl->type == T_STATS && !stat)
		stat = STAT_COUNT;
	if (st->u.foreach.sort_dir)
		emit_require_write_lock(e, st->u.foreach.decl);
	if (e->s->opt.bpf_runtime)
		cw_line(&e->tables, "#ifndef STP_BPF");
	cw_line(&e->tables, "static struct stp_foreach foreach%d = { .map = &%s, .dir = %d, .key = %d, .stat = %u%s };"
		" /* %s */", n, map, st->u.foreach.sort_dir, st->u.foreach.sort_key, by_value ? stat : 0,
		e->body->func && e->body->func->recursive ? ", .recursive = true" : "", emit_location_text(st->loc));
	if (e->s->opt.bpf_runtime)
		cw_line(&e->tables, "#endif");
	return by_value ? stat : 0;
}

// Copies the element's keys and value to the script's variables.
static void foreach_bind(struct emitter *e, struct stmt *st, int n)
{
	struct var *v = st->u.foreach.decl;
	const char *map = emit_global(e, v)->name;

	for (int i = 0; i < st->u.foreach.keys.n; i++) {
		struct var *key = st->u.foreach.keys.at[i]->u.var.decl;

		emit_store(e, key, value_text(ARRAY, true, "stp_elem_%s(&%s, elem%d, %d)",
			   v->key_types[i] == T_STRING ? "string" : "long", map, n, i));
	}
	if (!st->u.foreach.value)
		return;
	emit_store(e, st->u.foreach.value->u.var.decl, value_text(ARRAY, true,
		   v->type == T_STRING ? "(const char *)stp_elem_value(&%s, elem%d)" :
		   "*(s64 *)stp_elem_value(&%s, elem%d)", map, n));
}

// Evaluates the limit and the slice once, before the loop.
static struct foreach_start foreach_start(struct emitter *e, struct stmt *st)
{
	struct var *v = st->u.foreach.decl;
	struct value limit = value_number(-1), *keys = NEW_ARRAY(struct value, v->arity + 1);
	struct foreach_start start = { .slice = "NULL" };

	if (st->u.foreach.slice.n) {
		start.any = slice_values(e, st->u.foreach.slice.at, v->arity, keys);
		for (int i = 0; i < v->arity; i++)
			if (keys[i].text)
				keys[i] = value_keep(e, keys[i], v->key_types[i]);
	}
	if (st->u.foreach.limit) {
		limit = emit_expr(e, st->u.foreach.limit);
		if (limit.constant && limit.number < 0)
			limit = value_number(0);
		else if (!limit.constant)
			limit = value_text(0, true, "stp_limit(%s)", value_long(limit));
	}
	merge(e, v, st->loc);
	if (st->u.foreach.slice.n)
		start.slice = keys_text(e, v, keys, v->arity);
	start.limit = value_long(limit);
	return start;
}

static const char *foreach_first(struct emitter *e, struct stmt *st, int n)
{
	struct foreach_start start = foreach_start(e, st);

	if (st->u.foreach.slice.n)
		cw_line(e->w, "slice%d = %s;", n, start.slice);
	return str_printf("stp_foreach_first(c, &iter%d, &foreach%d, %s, %s, %u)", n, n, start.limit,
			  st->u.foreach.slice.n ? str_printf("slice%d", n) : "NULL", start.any);
}

static void foreach_functions(struct emitter *e, struct stmt *st, int n, unsigned stat)
{
	struct foreach_start start;

	cw_line(e->w, "{");
	start = foreach_start(e, st);
	start.stat = stat;
	emit_foreach_function(e, st, n, start);
	cw_line(e->w, "}");
}

// foreach ([a, b] in array): writes a C for loop over the elements, in its own block.
void emit_foreach(struct emitter *e, struct stmt *st)
{
	struct loop loop = { .outer = e->body->loop };
	struct work_mark pass;
	const char *first;
	unsigned stat;
	int n;

	if (st->u.foreach.hist) {
		emit_foreach_bucket(e, st);
		return;
	}
	n = ++e->foreachs;
	stat = foreach_static(e, st, n);
	if (e->body->loops_are_functions) {
		foreach_functions(e, st, n, stat);
		return;
	}
	cw_line(e->w, "{");
	cw_line(e->w, "struct stp_iter iter%d;", n);
	cw_line(e->w, "struct stp_elem *elem%d;", n);
	if (st->u.foreach.slice.n)
		cw_line(e->w, "const union stp_val *slice%d;", n);
	cw_blank(e->w);
	first = foreach_first(e, st, n);
	cw_line(e->w, "for (elem%d = %s; elem%d; elem%d = stp_foreach_next(&iter%d)) {", n, first, n, n, n);
	emit_actions(e, emit_count_stmts(st->u.foreach.body) + 1, st->loc);
	pass = work_begin(e);
	foreach_bind(e, st, n);
	e->body->loop = &loop;
	emit_stmt(e, st->u.foreach.body);
	e->body->loop = loop.outer;
	work_end(e, pass, 1, st->loc);
	cw_line(e->w, "}");
	if (st->u.foreach.sort_dir || st->u.foreach.slice.n)
		emit_check(e, st->loc);
	cw_line(e->w, "}");
}
