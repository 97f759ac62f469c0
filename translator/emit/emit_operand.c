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

// Returns the operand's mark. Equal operands have equal marks, so that texts with marks can be compared.
static const char *mark(struct emitter *e, struct operand o)
{
	struct operands *all = &e->operands;
	const char *key = str_printf("%d %s %s", o.kind, o.type, o.name), *known = map_get(&all->marks, key);
	struct operand *kept;

	if (known)
		return known;
	known = str_printf("%c%d%c", MARK, all->list.n, MARK_END);
	map_put(&all->marks, key, (void *)known);
	kept = NEW(struct operand);
	*kept = o;
	vec_push(&all->list, kept);
	return known;
}

static const char *write_operand(struct emitter *e, enum operand_kind kind, const char *name, const char *type)
{
	struct operand o = { kind, name, text_of(kind, name), type };

	return e->operands.marked ? mark(e, o) : o.text;
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
const char *operand_global(struct emitter *e, enum operand_kind kind, struct var *v)
{
	const char *name = emit_global(e, v)->name;

	if (!e->operands.marked)
		return text_of(kind, name);
	return write_operand(e, kind, name, str_printf("%d %d %s", v->type, v->arity,
			     v->type == T_STATS ? emit_desc_text(e, v) : ""));
}

const char *operand_local(struct emitter *e, const struct var *v, const char *name)
{
	return write_operand(e, OPERAND_LOCAL, name, v->type == T_STRING ? "s" : "n");
}

const struct operand *operand_at(const struct emitter *e, const char *mark)
{
	int n = 0;

	if (*mark != MARK)
		return NULL;
	for (const char *p = mark + 1; *p != MARK_END; p++)
		n = n * 10 + *p - '0';
	return e->operands.list.at[n];
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
