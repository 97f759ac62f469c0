// SPDX-License-Identifier: GPL-2.0-or-later
// Operands in generated C. In: globals, locals, constants and locations, where C that uses them is written. Out: their
// text, or, while statements that may share a C function are written (emit_alike.c), a mark: the operand's number
// between two control characters. C of this translator has no control characters but tabs and line ends.
//
// An operand that is written without this file is text, so that its statement shares its function with fewer others.
#include "emit/emitter.h"

#include <string.h>

enum { MARK = '\1', MARK_END = '\2' };

static const char *text_of(enum operand_kind kind, const char *name)
{
	switch (kind) {
	case OPERAND_PERCPU:      return str_printf("PERCPU->%s", name);
	case OPERAND_OFFSET:      return str_printf("__builtin_offsetof(struct percpu, %s)", name);
	case OPERAND_LOCAL:       return str_printf("f->%s", name);
	case OPERAND_DESCRIPTION: return str_printf("&%s_desc", name);
	case OPERAND_COMMENT:     return str_printf("/* %s */", name);
	default:                  return name;
	}
}

// Returns the mark of an operand, or NULL if it has none yet. Equal operands have equal marks, so that texts with marks
// can be compared.
static const char *known_mark(struct emitter *e, enum operand_kind kind, const char *type, const char *name,
			      struct buf *key)
{
	buf_putc(key, (char)('A' + kind));
	buf_puts(key, type);
	buf_putc(key, ' ');
	buf_puts(key, name);
	return map_get(&e->operands.marks, buf_text(key));
}

static const char *new_mark(struct emitter *e, const char *key, struct operand o)
{
	struct operands *all = &e->operands;
	struct operand *kept = NEW(struct operand);
	const char *mark = str_printf("%c%d%c", MARK, all->list.n, MARK_END);

	*kept = o;
	kept->text = text_of(o.kind, o.name);
	vec_push(&all->list, kept);
	map_put(&all->marks, str_dup(key), (void *)mark);
	return mark;
}

static const char *write_operand(struct emitter *e, enum operand_kind kind, const char *name, const char *type)
{
	char memory[256];
	struct buf key = { .text = memory, .capacity = sizeof(memory) };
	const char *mark;

	if (!e->operands.marked)
		return text_of(kind, name);
	mark = known_mark(e, kind, type, name, &key);
	return mark ? mark : new_mark(e, buf_text(&key), (struct operand){ .kind = kind, .name = name, .type = type });
}

const char *operand(struct emitter *e, enum operand_kind kind, const char *name)
{
	return write_operand(e, kind, name, "");
}

const char *operand_number(struct emitter *e, int64_t n)
{
	const char *text = value_number(n).text;

	return n < 0 ? text : operand(e, OPERAND_NUMBER, text);
}

// The type of a statistic includes its content, with which stp_stat_add() is expanded.
static const char *type_of(const struct emitter *e, const struct var *v)
{
	return str_printf("%d %d %s", v->type, v->arity, v->type == T_STATS ? emit_desc_text(e, v) : "");
}

const char *operand_global(struct emitter *e, enum operand_kind kind, struct var *v)
{
	struct global *g = emit_global(e, v);

	if (!e->operands.marked)
		return text_of(kind, g->name);
	if (!g->operand_type)
		g->operand_type = type_of(e, v);
	return write_operand(e, kind, g->name, g->operand_type);
}

const char *operand_local(struct emitter *e, const struct var *v, const char *name)
{
	return write_operand(e, OPERAND_LOCAL, name, v->type == T_STRING ? "s" : "n");
}

const struct operand *operand_at(const struct emitter *e, const char *mark)
{
	const char *p = mark + 1;
	int n = 0;

	if (*mark != MARK)
		return NULL;
	for (; *p >= '0' && *p <= '9' && n < e->operands.list.n; p++)
		n = n * 10 + *p - '0';
	return *p == MARK_END && n < e->operands.list.n ? e->operands.list.at[n] : NULL;
}

const char *operand_end(const char *mark)
{
	return strchr(mark, MARK_END) + 1;
}

const struct operand *operand_next(const struct emitter *e, const char *text, const char **at)
{
	*at = strchr(text, MARK);
	return *at ? operand_at(e, *at) : NULL;
}

void operands_expand(const struct emitter *e, struct buf *text)
{
	const char *p = buf_text(text), *at;
	const struct operand *o;
	struct buf b = { 0 };

	while ((o = operand_next(e, p, &at))) {
		buf_add(&b, p, (size_t)(at - p));
		buf_puts(&b, o->text);
		p = operand_end(at);
	}
	buf_puts(&b, p);
	*text = b;
}
