// SPDX-License-Identifier: GPL-2.0-or-later
// Composes the handler of a probe from its chain of aliases. In: a match. Out: one block, in one local scope:
// prologues (innermost alias first), the declaration's own body, epilogues in reverse.
//
// @probewrite(v) in an alias is resolved here, since only here the user's bodies are known: those
// of the declaration and of the aliases between it and this one. The declaration's own body cannot use it.
#include "resolve/resolve.h"
#include "util/str.h"

#include <string.h>

struct writes {
	const char *name;
	bool found;
};

static const char *plain_name(const struct expr *e)
{
	if (e->kind == E_VAR)
		return e->u.var.name;
	return e->kind == E_TARGET ? e->u.target.name : NULL;
}

static bool look_for_write(struct ast_walker *w, struct expr **e)
{
	struct writes *writes = w->data;
	const char *name = NULL;

	if ((*e)->kind == E_ASSIGN)
		name = plain_name((*e)->u.bin.l);
	else if ((*e)->kind == E_INCDEC)
		name = plain_name((*e)->u.un.e);
	if (name && !strcmp(name, writes->name))
		writes->found = true;
	return true;
}

static bool assigns(struct stmt *body, const char *name)
{
	struct writes writes = { .name = name };
	struct ast_walker w = { .expr = look_for_write, .data = &writes };

	if (body)
		ast_walk_stmt(&w, &body);
	return writes.found;
}

// The bodies of the user's declaration and of the aliases between it and the alias that uses @probewrite.
struct inner {
	const struct probe_match *m;
	int level;                 // number of aliases between the alias and the declaration
};

static bool fold_probewrite(struct ast_walker *w, struct expr **e)
{
	const struct inner *inner = w->data;
	const char *name;
	bool written;

	if ((*e)->kind != E_PROBEWRITE)
		return true;
	name = plain_name((*e)->u.op1);
	if (!name) {
		diag_error((*e)->loc, "@probewrite takes the name of a variable");
		name = "";
	}
	written = assigns(inner->m->decl->body, name);
	for (int i = 0; i < inner->level; i++)
		written |= assigns(inner->m->aliases[i]->body, name) ||
			   assigns(inner->m->aliases[i]->epilogue_body, name);
	*e = expr_number((*e)->loc, written);
	return false;
}

// Returns a copy of an alias's body for this handler.
static struct stmt *instance(const struct probe_match *m, int level, struct stmt *body)
{
	struct inner inner = { m, level };
	struct ast_walker w = { .expr = fold_probewrite, .data = &inner };

	body = stmt_copy(body);
	ast_walk_stmt(&w, &body);
	return body;
}

struct stmt *alias_compose(const struct probe_match *m)
{
	struct stmt *block = stmt_new(S_BLOCK, m->decl->body->loc);
	int aliases = m->chain_len - 1;

	if (!aliases)
		return stmt_copy(m->decl->body);
	for (int i = aliases - 1; i >= 0; i--) {
		struct probe_decl *a = m->aliases[i];

		if (a->body && !a->epilogue)
			vec_push(&block->u.block, instance(m, i, a->body));
	}
	vec_push(&block->u.block, stmt_copy(m->decl->body));
	for (int i = 0; i < aliases; i++) {
		struct probe_decl *a = m->aliases[i];

		if (a->body && a->epilogue)
			vec_push(&block->u.block, instance(m, i, a->body));
		if (a->epilogue_body)
			vec_push(&block->u.block, instance(m, i, a->epilogue_body));
	}
	return block;
}

struct expr *alias_condition(const struct probe_match *m)
{
	struct expr *all = NULL;

	for (int i = 0; i < m->chain_len; i++) {
		struct expr *c = m->chain[i]->condition;

		if (!c)
			continue;
		c = expr_copy(c);
		all = all ? expr_binary(c->loc, TOK_ANDAND, all, c) : c;
	}
	return all;
}
