// SPDX-License-Identifier: GPL-2.0-or-later
// Makes nodes of the tree, and names of its types and probe points.
#include "ast/ast.h"
#include "util/str.h"

#include <string.h>

struct expr *expr_new(enum expr_kind kind, struct loc loc)
{
	struct expr *e = NEW(struct expr);

	e->kind = kind;
	e->loc = loc;
	return e;
}

struct expr *expr_number(struct loc loc, int64_t n)
{
	struct expr *e = expr_new(E_NUMBER, loc);

	e->type = T_LONG;
	e->u.number = n;
	return e;
}

struct expr *expr_string(struct loc loc, const char *text)
{
	struct expr *e = expr_new(E_STRING, loc);

	e->type = T_STRING;
	e->u.string.bytes = text;
	e->u.string.len = strlen(text);
	return e;
}

uint64_t hist_linear_buckets(int64_t low, int64_t high, int64_t step)
{
	uint64_t n;

	return __builtin_add_overflow(((uint64_t)high - (uint64_t)low) / (uint64_t)step, 3, &n) ? UINT64_MAX : n;
}

struct expr *expr_binary(struct loc loc, enum tok op, struct expr *l, struct expr *r)
{
	struct expr *e = expr_new(E_BINARY, loc);

	e->u.bin.op = op;
	e->u.bin.l = l;
	e->u.bin.r = r;
	return e;
}

struct stmt *stmt_new(enum stmt_kind kind, struct loc loc)
{
	struct stmt *s = NEW(struct stmt);

	s->kind = kind;
	s->loc = loc;
	return s;
}

struct expr *stmt_for_step(const struct stmt *s)
{
	return s->u.for_.step && s->u.for_.step->kind == S_EXPR ? s->u.for_.step->u.expr : NULL;
}

const char *type_name(enum type t)
{
	switch (t) {
	case T_LONG: return "long";
	case T_STRING: return "string";
	case T_STATS: return "stats";
	case T_UNKNOWN: break;
	}
	return "unknown";
}

const struct probe_point *probe_matched_point(const struct probe *p)
{
	return p->chain.n ? p->chain.at[p->chain.n - 1] : NULL;
}

char *point_text(const struct probe_point *p)
{
	struct buf b = { 0 };

	for (int i = 0; i < p->parts.n; i++) {
		const struct point_part *part = &p->parts.at[i];

		buf_printf(&b, "%s%s", i ? "." : "", part->name);
		if (part->arg_kind == ARG_STRING)
			buf_printf(&b, "(\"%s\")", str_escape(part->text, strlen(part->text)));
		else if (part->arg_kind == ARG_NUMBER && i && part->number < 0) // a kernel address
			buf_printf(&b, "(0x%llx)", (unsigned long long)part->number);
		else if (part->arg_kind == ARG_NUMBER)
			buf_printf(&b, "(%lld)", (long long)part->number);
	}
	return buf_text(&b);
}

const char *tok_text(enum tok t)
{
	switch (t) {
#define TOK(kind, text) case kind: return text;
#include "ast/tokens.def"
	case TOK_NONE: return "nothing";
	case TOK_EOF: return "end of file";
	case TOK_IDENT: return "name";
	case TOK_NUMBER: return "number";
	case TOK_STRING: return "string";
	case TOK_EMBEDDED: return "embedded code";
	case TOK_AT_WORD: return "@ word";
	case TOK_JUNK: return "junk";
	case TOK_WIDEN: return "(double)";
	}
	return "?";
}

int bit_parts(int bit_offset, int bit_size, struct bit_part parts[MAX_BIT_PARTS])
{
	int bytes = (bit_offset + bit_size + 7) / 8, at = 0, n = 0;

	for (int offset = 0; offset < bytes && n < MAX_BIT_PARTS; offset += parts[n++].size) {
		struct bit_part p = { .offset = offset, .size = 8, .from = offset ? 0 : bit_offset, .at = at };

		while (p.size > bytes - offset)
			p.size /= 2;
		p.bits = 8 * p.size - p.from < bit_size - at ? 8 * p.size - p.from : bit_size - at;
		at += p.bits;
		parts[n] = p;
	}
	return n;
}
