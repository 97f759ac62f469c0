// SPDX-License-Identifier: GPL-2.0-or-later
// Removes statements that only set a local variable that is never read. In: a typed tree with value_unused and side
// effects known. Out: such statements are empty. A removed statement may have been the last reader of other locals,
// so their stores are examined next, from a list: the cost is proportional to the number of stores.
#include "elab/elab.h"

struct store { struct stmt *stmt; int next; };   // next: index of the next store to the variable, or -1

struct stores {
	VEC(struct store) all;
	VEC(struct var *) unread;
};

static bool is_local(const struct var *v)
{
	return v->kind != VAR_GLOBAL;
}

static void forget(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	v->reads = 0;
	v->stores = -1;
}

static void add_read(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	v->reads += (use & USE_READ) != 0;
}

static void drop_read(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct stores *s = w->data;

	if (is_local(v) && (use & USE_READ) && --v->reads == 0)
		vec_push(&s->unread, v);
}

// Finds "local = value" where evaluating the value has no effect.
static bool find_store(struct ast_walker *w, struct stmt **ps)
{
	struct stores *s = w->data;
	const struct expr *e = (*ps)->kind == S_EXPR ? (*ps)->u.expr : NULL;
	struct var *v;

	if (!e || e->kind != E_ASSIGN || !e->value_unused || e->u.bin.l->kind != E_VAR)
		return true;
	v = e->u.bin.l->u.var.decl;
	if (!is_local(v) || v->type == T_STATS || access_may_divide_by_zero(e) || !access_pure(e->u.bin.r))
		return true;
	if (v->stores < 0 && !v->reads)
		vec_push(&s->unread, v);
	vec_push(&s->all, ((struct store){ *ps, v->stores }));
	v->stores = s->all.n - 1;
	return true;
}

static void walk_uses(struct session *s, void (*var)(struct use_walker *, struct var *, int, struct loc))
{
	struct use_walker w = { .var = var };

	for vec_each(&s->script.probes, p) {
		if ((*p)->condition)
			use_expr(&w, (*p)->condition);
		use_probe(&w, *p);
	}
	for vec_each(&s->script.funcs, f)
		if ((*f)->used && (*f)->body)
			use_stmt(&w, (*f)->body);
}

bool optimize_dead_stores(struct session *s)
{
	struct stores stores = { 0 };
	struct ast_walker find = { .stmt = find_store, .data = &stores };
	struct use_walker drop = { .var = drop_read, .data = &stores };
	bool removed = false;

	walk_uses(s, forget);
	walk_uses(s, add_read);
	optimize_walk(s, &find);
	while (stores.unread.n) {
		struct var *v = stores.unread.at[--stores.unread.n];

		for (int i = v->stores; i >= 0; i = stores.all.at[i].next) {
			struct stmt *store = stores.all.at[i].stmt;

			use_expr(&drop, store->u.expr->u.bin.r);
			store->kind = S_EMPTY;
			removed = true;
		}
		v->stores = -1;
	}
	return removed;
}
