// SPDX-License-Identifier: GPL-2.0-or-later
// Statements of a long body that differ only in globals, locals, constants and locations share one C function, with a
// table of their operands. A compiler takes a millisecond for a statement that reads three statistics, and scripts with
// thousands of statements are written by programs, so that most of their statements are alike.
//
// The C of each statement is divided into text and operands. Statements are alike if their texts are the same, and
// their operands are of the same kinds and types. C that is not recognised as an operand is text, so that the
// statement shares its function with fewer others.
#include "emit/emit_alike.h"

#include <ctype.h>
#include <string.h>

// ---------------------------------------------------------------- trees of the same form

static void mix(uint64_t *hash, uint64_t x)
{
	*hash = numbers_mix(*hash * 31 + x + 1);
}

static bool hash_expr(struct ast_walker *w, struct expr **at)
{
	uint64_t *hash = w->data;
	struct expr *x = *at;

	mix(hash, (uint64_t)x->kind * 16 + x->type);
	if (x->kind == E_CALL)
		mix(hash, (uintptr_t)x->u.call.target);
	else if (x->kind == E_PRINT)
		mix(hash, (uint64_t)x->u.print.args.n);
	return true;
}

// Loops and try have tables and labels of their own, so that their C is never the same.
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

struct scanner {
	struct emitter *e;
	struct piece *piece;
	const char *text, *p;      // p: next character that is not in the key yet
	struct buf key;
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// Adds the operand, which ends before `end`, to the piece, and its kind and type to the key.
static void add_operand(struct scanner *s, enum operand_kind kind, const char *end, const char *name, const char *type)
{
	struct operand o = { .kind = kind, .at = (size_t)(s->p - s->text), .end = (size_t)(end - s->text), .name = name };

	vec_push(&s->piece->operands, o);
	buf_printf(&s->key, "\1%d%s\1", kind, type);
	s->p = end;
}

static void add_text(struct scanner *s, const char *end)
{
	buf_add(&s->key, s->p, (size_t)(end - s->p));
	s->p = end;
}

static bool begins_operand(const struct scanner *s)
{
	return s->p - s->text >= 2 && strchr(" (", s->p[-1]) && s->p[-2] != '"';
}

// A literal is an operand if it is an argument or a whole side of an operator.
static void take_string(struct scanner *s)
{
	const char *end = s->p + 1;

	while (*end != '"')
		end += *end == '\\' ? 2 : 1;
	end++;
	if (begins_operand(s) && (strchr(",;)", *end) || !strncmp(end, " }", 2)))
		add_operand(s, TEXT, end, str_ndup(s->p, (size_t)(end - s->p)), "");
	else
		add_text(s, end);
}

// A negative number is text: it may be compared with an operand of another width.
static bool take_number(struct scanner *s)
{
	const char *end = s->p;

	if (!isdigit((unsigned char)*end) || !begins_operand(s))
		return false;
	while (isdigit((unsigned char)*end))
		end++;
	if (!strncmp(end, "LL", 2))
		end += 2;
	if (!strchr(",;) ", *end))
		return false;
	add_operand(s, NUMBER, end, str_ndup(s->p, (size_t)(end - s->p)), "");
	return true;
}

static const char *name_at(const char *p)
{
	const char *end = p;

	while (is_name(*end))
		end++;
	return str_ndup(p, (size_t)(end - p));
}

// Returns the name of a global after the given text, or NULL.
static const char *global_after(const struct scanner *s, const char *before, const struct var **v)
{
	size_t len = strlen(before);
	const char *name;

	if (strncmp(s->p, before, len))
		return NULL;
	name = name_at(s->p + len);
	*v = map_get(&s->e->global_names, name);
	return *v ? name : NULL;
}

static const char *type_of(struct emitter *e, const struct var *v)
{
	return str_printf("%d %d %s", v->type, v->arity, v->type == T_STATS ? emit_desc_text(e, v) : "");
}

// Returns whether the name is that of a numbered table.
static bool is_table(const char *name)
{
	static const char *const tables[] = { "fmt", "adders" };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		size_t len = strlen(tables[i]);

		if (!strncmp(name, tables[i], len) && name[len] && strspn(name + len, "0123456789") == strlen(name + len))
			return true;
	}
	return false;
}

// Takes the use of a global's variable for each CPU, or its offset.
static bool take_of_cpu(struct scanner *s)
{
	static const char in_cpu[] = "PERCPU->", offset[] = "__builtin_offsetof(struct percpu, ";
	const struct var *v;
	const char *name = global_after(s, in_cpu, &v);

	if (name) {
		add_operand(s, CPU_VARIABLE, s->p + strlen(in_cpu) + strlen(name), name, type_of(s->e, v));
		return true;
	}
	name = global_after(s, offset, &v);
	if (!name)
		return false;
	add_operand(s, CPU_OFFSET, s->p + strlen(offset) + strlen(name) + 1, name, "");
	return true;
}

// The description of a statistic is not an operand, since stp_stat_add() is expanded with its constants. Pieces are
// alike if its content is the same; then each of them may use that of the first one.
static bool take_description(struct scanner *s, const char *name)
{
	static const char suffix[] = "_desc";
	size_t len = strlen(name), stem = len - strlen(suffix);
	const struct var *v;

	if (len <= strlen(suffix) || strcmp(name + stem, suffix))
		return false;
	v = map_get(&s->e->global_names, str_ndup(name, stem));
	if (!v)
		return false;
	buf_puts(&s->key, type_of(s->e, v));
	s->p += len;
	return true;
}

static bool take_local(struct scanner *s)
{
	const char *name = strncmp(s->p, "f->", 3) ? "" : name_at(s->p + 3);
	const struct var *v = map_get(&s->e->body->local_names, name);

	if (!v)
		return false;
	add_operand(s, FRAME_VARIABLE, s->p + 3 + strlen(name), name, v->type == T_STRING ? "s" : "n");
	return true;
}

static void take_name(struct scanner *s)
{
	const char *name = name_at(s->p);
	const char *end = s->p + strlen(name);
	const struct var *v = map_get(&s->e->global_names, name);

	if (take_of_cpu(s) || take_local(s) || take_description(s, name))
		return;
	if (v) {
		add_operand(s, VARIABLE, end, name, type_of(s->e, v));
	} else if (is_table(name)) {
		add_operand(s, TABLE, end, name, "");
	} else {
		add_text(s, end);
	}
}

void alike_divide(struct emitter *e, struct piece *p)
{
	struct scanner s = { .e = e, .piece = p, .text = buf_text(&p->code.text) };

	for (s.p = s.text; *s.p; ) {
		if (!strncmp(s.p, "/*", 2))
			s.p = strstr(s.p, "*/") + 2;
		else if (isalpha((unsigned char)*s.p) || *s.p == '_')
			take_name(&s);
		else if (*s.p == '\'')
			add_text(&s, strchr(s.p + (s.p[1] == '\\' ? 3 : 2), '\'') + 1);
		else if (*s.p == '"')
			take_string(&s);
		else if (!take_number(&s))
			add_text(&s, s.p + 1);
	}
	p->key = str_printf("%d%s", p->fails, buf_text(&s.key));
}

// ---------------------------------------------------------------- tables

// Returns whether two operands are the same as each other in every piece.
static bool is_same(const piece_list *pieces, int a, int b)
{
	for vec_each(pieces, p)
		if ((*p)->operands.at[a].kind != (*p)->operands.at[b].kind ||
		    strcmp((*p)->operands.at[a].name, (*p)->operands.at[b].name))
			return false;
	return true;
}

static bool is_constant(const piece_list *pieces, int n)
{
	for vec_each(pieces, p)
		if (strcmp((*p)->operands.at[n].name, pieces->at[0]->operands.at[n].name))
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
	case TEXT:     return "const char *";
	case NUMBER:   return "s64 ";
	case TABLE:    return str_printf("__typeof__(*%s) *", o->name);
	case VARIABLE: return str_printf("__typeof__(%s) *", o->name);
	default:       return "u32 ";
	}
}

static const char *member_value(struct emitter *e, const struct operand *o)
{
	switch (o->kind) {
	case VARIABLE:       return str_printf("&%s", o->name);
	case CPU_VARIABLE:
	case CPU_OFFSET:
		e->percpu_offsets = true;
		return str_printf("PERCPU_OFFSET(%s)", o->name);
	case FRAME_VARIABLE: return str_printf("__builtin_offsetof(struct %s_frame, %s)", e->body->parts.of, o->name);
	default:             return o->name;
	}
}

static const char *member_use(const struct operand *o, int n)
{
	switch (o->kind) {
	case VARIABLE:
		return str_printf("(*a->m%d)", n);
	case CPU_VARIABLE:
		return str_printf("(*(__typeof__(((struct percpu *)0)->%s) *)((char *)PERCPU + a->m%d))", o->name, n);
	case FRAME_VARIABLE:
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
		cw_line(w, "%sm%d;", member_type(&first->operands.at[i]), last);
	}
	cw_line(w, "};");
	cw_line(w, "static const struct %s_row %s_rows[] = {", name, name);
	for vec_each(pieces, p) {
		struct buf b = { 0 };

		for (int i = 0, last = 0; i < first->operands.n; i++) {
			if (member[i] <= last)
				continue;
			buf_printf(&b, "%s%s", last ? ", " : "", member_value(e, &(*p)->operands.at[i]));
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
	const char *text = buf_text(&first->code.text);
	struct buf b = { 0 };
	size_t at = 0;
	int count, *member = members(pieces, &count);

	*row = count ? str_printf(", const struct %s_row *a", name) : "";
	if (count)
		write_rows(e, w, pieces, name, member);
	for (int i = 0; i < first->operands.n; i++) {
		const struct operand *o = &first->operands.at[i];

		if (!member[i])
			continue;
		buf_add(&b, text + at, o->at - at);
		buf_puts(&b, member_use(o, member[i]));
		at = o->end;
	}
	buf_puts(&b, text + at);
	return buf_text(&b);
}
