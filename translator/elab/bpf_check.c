// SPDX-License-Identifier: GPL-2.0-or-later
// --runtime=bpf: refuses what BPF programs or their client do not support, at its location in the script, so that
// nothing is left out or done differently. In: the typed trees, optimised. Out: errors.
#include "elab/elab.h"
#include "resolve/family.h"
#include "session/passes.h"

#include <string.h>

struct check {
	struct session *s;
	struct map seen;               // functions that were checked, by their address
	bool event;                    // in a BPF program, else in the client
};

#define INSTEAD "run the script as a module, or with --vm"

static bool refuse(struct loc loc, const char *what)
{
	diag_error(loc, "%s with --runtime=bpf; " INSTEAD, what);
	return false;
}

// ---------------------------------------------------------------- embedded C

// Functions of generated.h that bpf_program.h implements, for embedded C marked pragma:runtime.
static const char *const operations[] = {
	"stp_pid", "stp_tid", "stp_uid", "stp_gid", "stp_cpu", "stp_target", "stp_ktime_ns", "stp_current_task",
	"stp_execname", "stp_syscall_name", "stp_syscall_kernel_name",
	"stp_strlen", "stp_uload_string", "stp_load_string", "stp_exit", "stp_error",
};

static bool is_operation(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (!strcmp(operations[i], name))
			return true;
	return false;
}

// Returns the first function of the runtime that the C calls and that programs do not have, or NULL.
static const char *missing_operation(const struct embedded *c)
{
	for vec_each(&c->words, word)
		if (str_starts(word->name, "stp_") && !is_operation(word->name))
			return word->name;
	return NULL;
}

// Members of the context that programs set.
static bool uses_context(const struct embedded *c)
{
	static const char *const members[] = { "regs", "entry", "priv", "call_text", "syscall", "percpu", "frame" };

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const struct c_word *word = embedded_word(c, members[i]);

		if (word && word->is_member)
			return true;
	}
	return false;
}

static void check_embedded(struct check *k, const struct func *f, struct loc loc)
{
	if (!func_has(f, PRAGMA_RUNTIME))
		refuse(loc, str_printf("the function \"%s\" is embedded C for a kernel module: it is not supported", f->name));
	else if (k->event && uses_context(f->embedded))
		refuse(loc, str_printf("the function \"%s\" is not supported in BPF programs", f->name));
	else if (k->event && missing_operation(f->embedded))
		refuse(loc, str_printf("the function \"%s\" is not supported in BPF programs (%s)", f->name,
				       missing_operation(f->embedded)));
}

// ---------------------------------------------------------------- the tree

static void check_body(struct check *k, struct stmt *body);

static void check_function(struct check *k, struct func *f, struct loc loc)
{
	char *key = str_printf("%p %d", (void *)f, k->event);

	if (f->embedded)
		check_embedded(k, f, loc);
	if (map_get(&k->seen, key))
		return;
	map_put(&k->seen, key, f);
	if (k->event && f->recursive)
		refuse(loc, str_printf("\"%s\" calls itself: recursive functions are not supported", f->name));
	if (f->body)
		check_body(k, f->body);
}

// A record is up to 1024 words long, and its reader knows these conversions.
static const char *print_refusal(const struct expr *e)
{
	if (e->u.print.to_string)
		return "sprint and sprintf in event handlers are not supported";
	for vec_each(&e->u.print.args, arg)
		if ((*arg)->kind == E_HIST)
			return "printing histograms in event handlers is not supported";
	for vec_each(&e->u.print.format, p)
		if (p->conv && !strchr("diuoxXpcs", p->conv))
			return str_printf("%%%c in event handlers is not supported", p->conv);
	return e->u.print.args.n > 12 ? "printing more than 12 values in event handlers is not supported" : NULL;
}

// Kinds of expressions that programs do not support.
static const char *expr_refusal(const struct expr *e)
{
	switch (e->kind) {
	case E_REGEX:              return "regular expressions in event handlers are not supported";
	case E_STAT: case E_HIST: case E_HIST_BUCKET:
		return "reading statistics in event handlers is not supported";
	case E_PRINT:              return print_refusal(e);
	case E_EMBEDDED:           return "embedded C in event handlers is not supported";
	case E_CONST:              return "@const() is not supported";
	case E_ENTRY:              return "@entry() is not supported";
	case E_PERF:               return "@perf() is not supported";
	case E_STATIC:             return "static variables in event handlers are not supported";
	case E_DEREF:
		return e->u.deref.size_expr || e->u.deref.is_float ? "this read of memory is not supported" : NULL;
	case E_ENUMNAME:           return "@enumname() in event handlers is not supported";
	default:
		return NULL;
	}
}

static const char *operator_refusal(const struct expr *e)
{
	const struct expr *l = e->kind == E_ASSIGN ? e->u.bin.l : NULL;
	const struct var *v = l && l->kind == E_VAR ? l->u.var.decl : l && l->kind == E_INDEX ? l->u.index.decl : NULL;

	if (l && (l->kind == E_DEREF || l->kind == E_REGISTER))
		return "writing to variables of the probed code is not supported";
	if (v && v->type == T_STATS && v->stat_ops & STAT_VARIANCE)
		return "@variance() of values from event handlers is not supported";
	return e->kind == E_UNARY && e->u.un.op == TOK_WIDEN ? "reading a float is not supported" : NULL;
}

static bool check_expr(struct ast_walker *w, struct expr **at)
{
	struct check *k = w->data;
	struct expr *e = *at;
	const char *why = NULL;

	for (struct func *f = e->kind == E_CALL ? e->u.call.target : NULL; f; f = f->next_overload)
		check_function(k, f, e->loc);
	if (k->event)
		why = expr_refusal(e) ? expr_refusal(e) : operator_refusal(e);
	return why ? refuse(e->loc, why) : true;
}

static bool deletes_statistic(const struct expr *e)
{
	return e->kind == E_VAR && e->u.var.decl->type == T_STATS && e->u.var.decl->arity <= 0;
}

static bool check_stmt(struct ast_walker *w, struct stmt **at)
{
	const struct check *k = w->data;
	const struct stmt *st = *at;

	if (!k->event)
		return true;
	switch (st->kind) {
	case S_FOREACH:
		return !st->u.foreach.hist || refuse(st->loc, "loops over histograms in event handlers are not supported");
	case S_DELETE:
		return !deletes_statistic(st->u.expr) ||
			refuse(st->loc, "\"delete\" of a statistic in event handlers is not supported");
	case S_TRY:
		return !st->u.try_.var || refuse(st->loc, "the message of an error in event handlers is not supported");
	default:
		return true;
	}
}

static void check_body(struct check *k, struct stmt *body)
{
	struct ast_walker w = { .expr = check_expr, .stmt = check_stmt, .data = k };

	ast_walk_stmt(&w, &body);
}

int elab_bpf(struct session *s)
{
	struct check k = { .s = s };
	int before = diag_errors();

	if (!s->opt.bpf_runtime)
		return 0;
	for vec_each(&s->script.probes, it) {
		struct probe *p = *it;

		k.event = p->family->bpf_program != NULL;
		if (k.event && p->family->bpf_refusal && p->family->bpf_refusal(p))
			refuse(p->loc, p->family->bpf_refusal(p));
		if (k.event && p->condition)
			refuse(p->condition->loc, "conditions of event probes are not supported");
		for vec_each(&p->entries, entry)
			refuse((*entry)->loc, "@entry() is not supported");
		if (p->body)
			check_body(&k, p->body);
	}
	return diag_errors() - before;
}
