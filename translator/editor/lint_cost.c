// SPDX-License-Identifier: GPL-2.0-or-later
// --lint: probes of very many functions, output at each hit of a frequent event, and counters that all CPUs write.
#include "editor/lint.h"

#include <fnmatch.h>
#include <string.h>

enum frequency { RARE, FREQUENT, ALL_FUNCTIONS };

// Events that occur thousands of times per second on a busy machine. The patterns match the beginning of a point.
static const char *const frequent_points[] = {
	"syscall.*", "nd_syscall.*", "scheduler.*", "vfs.*", "kprobe.*", "vm.kmalloc*", "vm.kfree*", "vm.kmem_cache_*",
	"irq_handler.*", "softirq.*", "timer.profile*", "perf.*", "netdev.receive*", "netdev.transmit*",
};
static const char *const frequent_tracepoints[] = {
	"*sched_switch", "*sched_wakeup", "*sched_waking", "*sched_stat_*", "*kmalloc*", "*kfree", "*kmem_cache_*",
	"*mm_page_alloc*", "*mm_page_free*", "*sys_enter", "*sys_exit", "*irq_handler_*", "*softirq_*", "*hrtimer_*",
	"*page_fault_*", "*rcu_*", "*net_dev_*", "*netif_receive_skb*",
};
static const char *const frequent_functions[] = {
	"schedule", "__schedule", "try_to_wake_up", "do_syscall_64", "kmem_cache_alloc*", "kmem_cache_free*", "__kmalloc*",
	"kfree", "_raw_spin_*", "mutex_lock", "mutex_unlock", "fget*", "fput*",
};

static bool in_table(const char *const *table, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(table[i], text, 0) || !strcmp(table[i], text))
			return true;
	return false;
}

// Returns whether the pattern matches every function: "*", "*@*".
static bool is_everything(const char *pattern)
{
	return strspn(pattern, "*") == strcspn(pattern, "@") && strspn(pattern + strcspn(pattern, "@"), "@*") ==
	       strlen(pattern + strcspn(pattern, "@"));
}

static enum frequency of_function(const struct probe_point *point, const struct point_part *part)
{
	const char *first = point->parts.at[0].name;
	bool of_kernel = !strcmp(first, "kernel") || (!strcmp(first, "module") && point->parts.at[0].text &&
						     is_everything(point->parts.at[0].text));

	if (of_kernel && is_everything(part->text))
		return ALL_FUNCTIONS;
	if (str_is_glob(part->text))
		return FREQUENT;
	return of_kernel && in_table(frequent_functions, ARRAY_SIZE(frequent_functions), part->text) ? FREQUENT : RARE;
}

static enum frequency frequency_of(const struct probe_point *point)
{
	const char *text;

	for vec_each(&point->parts, part) {
		if (part->arg_kind != ARG_STRING)
			continue;
		if (!strcmp(part->name, "function") || !strcmp(part->name, "statement") || !strcmp(part->name, "inline"))
			return of_function(point, part);
		if (!strcmp(part->name, "trace"))
			return is_everything(part->text) || !strcmp(part->text, "*:*") ? ALL_FUNCTIONS :
			       in_table(frequent_tracepoints, ARRAY_SIZE(frequent_tracepoints), part->text) ? FREQUENT : RARE;
	}
	text = point_text(point);
	for (size_t i = 0; i < ARRAY_SIZE(frequent_points); i++) {
		size_t len = strcspn(frequent_points[i], "*");

		// A glob must match many events, as in syscall.*; other patterns name the event.
		if (!strncmp(text, frequent_points[i], len) && (text[len] == '*' || !strncmp(text, "perf.", 5) ||
								!strcmp(text, "timer.profile") || !strncmp(text, "vm.", 3)))
			return FREQUENT;
	}
	return RARE;
}

// ---------------------------------------------------------------- handlers

struct cost {
	struct session *s;
	const struct probe_point *point;
};

// Returns true if the statement ends the handler, always or on a condition.
static bool visit_end(struct ast_walker *w, struct stmt **s)
{
	bool *found = w->data;

	*found |= (*s)->kind == S_NEXT || (*s)->kind == S_RETURN;
	return !*found;
}

static bool filters(struct stmt *s)
{
	bool found = false;
	struct ast_walker w = { .stmt = visit_end, .data = &found };

	ast_walk_stmt(&w, &s);
	return found;
}

// Reports the first print that each hit executes.
static void check_prints(struct cost *c, struct stmt *body)
{
	if (body->kind == S_EXPR && body->u.expr->kind == E_PRINT && !body->u.expr->u.print.to_string) {
		lint_warn(body->loc, "frequent-output", "each hit of %s prints, which may be thousands a second: filter the hits, or "
			  "collect a statistic and print it in a timer", point_text(c->point));
		return;
	}
	if (body->kind != S_BLOCK)
		return;
	for vec_each(&body->u.block, s) {
		if (filters(*s))
			return;
		check_prints(c, *s);
	}
}

// An array, and whether a statement uses its elements otherwise than to add to them.
struct array_uses { const char *name; bool others; };

static bool visit_other_use(struct ast_walker *w, struct expr **at)
{
	struct array_uses *a = w->data;
	const struct expr *e = *at, *l = NULL;

	if (e->kind == E_INCDEC && e->u.un.op == TOK_DEC)
		l = e->u.un.e;
	else if (e->kind == E_ASSIGN && e->u.bin.op != TOK_ADD_ASSIGN)
		l = e->u.bin.l;
	a->others |= l && l->kind == E_INDEX && !strcmp(l->u.index.name, a->name);
	return !a->others;
}

static bool is_only_added(const struct session *s, const char *name)
{
	struct array_uses a = { .name = name, .others = true };
	struct ast_walker w = { .expr = visit_other_use, .data = &a };

	for vec_each(&s->script.globals, g)
		a.others &= strcmp((*g)->name, name) != 0;
	for vec_each(&s->script.probe_decls, d)
		ast_walk_stmt(&w, &(*d)->body);
	for vec_each(&s->script.funcs, f)
		if ((*f)->body)
			ast_walk_stmt(&w, &(*f)->body);
	return !a.others;
}

static bool visit_counter(struct ast_walker *w, struct stmt **s)
{
	const struct cost *c = w->data;
	const struct expr *e = (*s)->kind == S_EXPR ? (*s)->u.expr : NULL, *l = NULL;

	if (e && e->kind == E_INCDEC && e->u.un.op == TOK_INC)
		l = e->u.un.e;
	else if (e && e->kind == E_ASSIGN && e->u.bin.op == TOK_ADD_ASSIGN)
		l = e->u.bin.l;
	if (l && l->kind == E_INDEX && is_only_added(c->s, l->u.index.name))
		lint_warn(l->loc, "shared-counter", "all CPUs lock \"%s\" at each hit of %s: a statistic avoids it, write "
			  "%s[...] <<< %s and read it by @%s()", l->u.index.name, point_text(c->point), l->u.index.name,
			  e->kind == E_INCDEC ? "1" : "VALUE", e->kind == E_INCDEC ? "count" : "sum");
	return true;
}

static void check_probe(struct session *s, struct probe_decl *d)
{
	struct cost c = { .s = s };
	struct ast_walker w = { .stmt = visit_counter, .data = &c };
	enum frequency most = RARE;

	for vec_each(&d->points, point) {
		enum frequency f = frequency_of(*point);

		if (f == ALL_FUNCTIONS)
			lint_warn((*point)->loc, "costly-probe", "%s probes everything, which slows down the whole machine: name a "
				  "file or a subsystem, such as kernel.function(\"*@fs/open.c\") or kernel.trace(\"block:*\")",
				  point_text(*point));
		if (f > most && !(*point)->condition) {
			most = f;
			c.point = *point;
		}
	}
	if (most == RARE)
		return;
	check_prints(&c, d->body);
	ast_walk_stmt(&w, &d->body);
}

void lint_cost(struct session *s)
{
	for vec_each(&s->script.probe_decls, d)
		check_probe(s, *d);
}
