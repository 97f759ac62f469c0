// SPDX-License-Identifier: GPL-2.0-or-later
// --runtime=bpf: conditions of event probes. A program evaluates one before its handler has the context and the locks,
// so only numbers can be read there, each in one load. A condition with strings or arrays becomes an if statement
// around the handler, which reads them under their locks. In: typed trees. Out: the same trees.
#include "elab/elab.h"
#include "resolve/family.h"
#include "session/passes.h"

static bool find_other_value(struct ast_walker *w, struct expr **e)
{
	*(bool *)w->data |= (*e)->type != T_LONG || (*e)->kind == E_INDEX || (*e)->kind == E_IN;
	return true;
}

static bool reads_numbers_only(struct expr *condition)
{
	bool other = false;
	struct ast_walker find = { .expr = find_other_value, .data = &other };

	ast_walk_expr(&find, &condition);
	return !other;
}

static void put_in_handler(struct probe *p)
{
	struct stmt *block = stmt_new(S_BLOCK, p->body->loc), *check = stmt_new(S_IF, p->condition->loc);

	check->u.if_.c = expr_copy(p->condition);
	check->u.if_.then = p->body;
	vec_push(&block->u.block, check);
	p->body = block;
	p->condition = NULL;
}

int elab_bpf_conditions(struct session *s)
{
	if (!s->opt.bpf_runtime)
		return 0;
	for vec_each(&s->script.probes, p)
		if ((*p)->family->bpf_program && (*p)->condition && !reads_numbers_only((*p)->condition))
			put_in_handler(*p);
	return 0;
}
