// SPDX-License-Identifier: GPL-2.0-or-later
// Names and units of statistics, for readers: reads the comment on the line of a declaration, "global n // name:
// read size, unit: bytes", and the names of the values that the script adds to a statistic, such as
// gettimeofday_us(). Sets var.label and var.unit.
#include "elab/elab.h"
#include "util/diag.h"

#include <string.h>

char *global_comment(const struct var *v)
{
	const char *line = v->loc.source ? diag_line(v->loc.source, v->loc.line) : "";
	size_t len = strcspn(line, "\r\n"), column = v->loc.column > 0 ? (size_t)v->loc.column - 1 : 0;
	bool in_string = false;
	char *text, *end;

	for (; column < len; column++) {
		const char *at = line + column;

		in_string ^= *at == '"' && at[-1] != '\\';
		if (!in_string && (*at == '#' || (*at == '/' && (at[1] == '/' || at[1] == '*'))))
			break;
		// The comment describes a later global of the line.
		if (!in_string && (*at == ',' || str_starts(at, "global ")))
			return NULL;
	}
	if (column >= len)
		return NULL;
	text = str_ndup(line + column, len - column);
	if (str_starts(text, "/*") && (end = strstr(text, "*/")))
		*end = '\0';
	text += strspn(text, "#/*! \t");
	for (end = text + strlen(text); end > text && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	return *text ? text : NULL;
}

// Returns the text after "KEY:" in a comment, up to the next comma, or NULL.
static const char *entry(const char *comment, const char *key)
{
	for (const char *at = comment; at; at = strchr(at, ',')) {
		at += strspn(at, ", \t");
		if (str_starts(at, key) && at[strlen(key)] == ':') {
			at += strlen(key) + 1;
			at += strspn(at, " \t");
			return strcspn(at, ",") ? str_ndup(at, strcspn(at, ",")) : NULL;
		}
	}
	return NULL;
}

// Units by suffixes of names of functions and variables.
static const char *unit_of_name(const char *name)
{
	static const struct { const char *end, *unit; } units[] = {
		{ "_ns", "ns" }, { "_us", "us" }, { "_ms", "ms" }, { "_s", "s" }, { "_cycles", "cycles" },
		{ "_nsec", "ns" }, { "_usec", "us" }, { "_msec", "ms" }, { "_sec", "s" }, { "bytes", "bytes" },
	};

	for (int i = 0; i < (int)ARRAY_SIZE(units); i++)
		if (str_ends(name, units[i].end))
			return units[i].unit;
	return NULL;
}

// Sums and differences have the unit of their operands.
static const char *unit_of(const struct expr *e)
{
	const char *unit = NULL;

	switch (e->kind) {
	case E_CALL: return unit_of_name(e->u.call.name);
	case E_VAR: return unit_of_name(e->u.var.name);
	case E_INDEX: return e->u.index.name ? unit_of_name(e->u.index.name) : NULL;
	case E_ENTRY: return e->u.entry.e ? unit_of(e->u.entry.e) : NULL;
	case E_BINARY:
		if (e->u.bin.op == TOK_ADD || e->u.bin.op == TOK_SUB) {
			unit = unit_of(e->u.bin.l);
			return unit ? unit : unit_of(e->u.bin.r);
		}
		return NULL;
	default: return NULL;
	}
}

static bool visit_added(struct ast_walker *w, struct expr **e)
{
	struct expr *to = (*e)->kind == E_ASSIGN && (*e)->u.bin.op == TOK_STAT_ADD ? (*e)->u.bin.l : NULL;
	struct var *v = !to ? NULL : to->kind == E_INDEX ? to->u.index.decl : to->kind == E_VAR ? to->u.var.decl : NULL;

	if (!v)
		return true;
	v->varies |= v->autoprint && ((*e)->u.bin.r->kind != E_NUMBER || (*e)->u.bin.r->u.number != 1);
	if (!v->unit)
		v->unit = unit_of((*e)->u.bin.r);
	return true;
}

void global_labels_find(struct session *s)
{
	struct ast_walker w = { .expr = visit_added };

	for vec_each(&s->script.globals, g) {
		struct var *v = *g;
		const char *comment = v->type == T_STATS ? global_comment(v) : NULL;

		v->label = comment ? entry(comment, "name") : NULL;
		v->unit = comment ? entry(comment, "unit") : NULL;
		if (v->type == T_STATS && !v->unit)
			v->unit = unit_of_name(v->name);
	}
	for vec_each(&s->script.probes, p)
		ast_walk_stmt(&w, &(*p)->body);
	for vec_each(&s->script.funcs, f)
		if ((*f)->body)
			ast_walk_stmt(&w, &(*f)->body);
}
