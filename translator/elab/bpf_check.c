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
	"stp_pid", "stp_tid", "stp_ppid", "stp_pgrp", "stp_sid", "stp_uid", "stp_euid", "stp_gid", "stp_egid", "stp_cpu",
	"stp_target", "stp_ktime_ns", "stp_current_task", "stp_thread_start", "stp_execname",
	"stp_syscall_name", "stp_syscall_kernel_name", "stp_syscall_string",
	"stp_uload_string", "stp_load_string", "stp_strlen", "stp_copy", "stp_append", "stp_compare", "stp_find", "stp_span",
	"stp_substr", "stp_character", "stp_strtol", "stp_basename", "stp_replace", "stp_exit", "stp_error",
	"stp_pp", "stp_pn", "stp_ppfunc", "stp_probe_name",
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
	for vec_each(&e->u.print.args, arg)
		if ((*arg)->kind == E_HIST && e->u.print.to_string)
			return "the text of a histogram in event handlers is not supported";
	for vec_each(&e->u.print.format, p)
		if (p->conv && !strchr(e->u.print.to_string ? "diuoxXpcsqQ" : "diuoxXpcsbg", p->conv))
			return str_printf("%%%c in event handlers is not supported", p->conv);
	return NULL;
}

// Kinds of expressions that programs do not support.
static const char *expr_refusal(const struct expr *e)
{
	switch (e->kind) {
	case E_REGEX:
		return e->u.regex.keep ? "matched() in event handlers is not supported" : NULL;
	case E_PRINT:              return print_refusal(e);
	case E_EMBEDDED:
		return embedded_word(e->u.embedded, "stp_probe_name") ? NULL : "embedded C in event handlers is not supported";
	case E_CONST:              return "@const() is not supported";
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

	if (l && (l->kind == E_DEREF || l->kind == E_REGISTER))
		return "writing to variables of the probed code is not supported";
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

static const char *foreach_refusal(const struct stmt *st)
{
	if (st->u.foreach.hist)
		return "loops over histograms in event handlers are not supported";
	if (st->u.foreach.sort_stat == STAT_VARIANCE)
		return "sorting by @variance() in event handlers is not supported";
	return NULL;
}

static bool check_stmt(struct ast_walker *w, struct stmt **at)
{
	const struct check *k = w->data;
	const struct stmt *st = *at;

	if (!k->event)
		return true;
	switch (st->kind) {
	case S_FOREACH:
		return !foreach_refusal(st) || refuse(st->loc, foreach_refusal(st));
	default:
		return true;
	}
}

static void check_body(struct check *k, struct stmt *body)
{
	struct ast_walker w = { .expr = check_expr, .stmt = check_stmt, .data = k };

	ast_walk_stmt(&w, &body);
}

static void check_value(struct check *k, struct expr **e)
{
	struct ast_walker w = { .expr = check_expr, .stmt = check_stmt, .data = k };

	ast_walk_expr(&w, e);
}

static bool find_other_value(struct ast_walker *w, struct expr **e)
{
	*(bool *)w->data |= (*e)->type != T_LONG || (*e)->kind == E_INDEX || (*e)->kind == E_IN || (*e)->kind == E_CALL;
	return true;
}

// A condition is evaluated before the handler takes its locks, and without the hit's context: numbers are read in one
// load.
static void check_condition(struct check *k, struct expr **e)
{
	bool other = false;
	struct ast_walker find = { .expr = find_other_value, .data = &other };

	ast_walk_expr(&find, e);
	if (other)
		refuse((*e)->loc, "a condition of event probes with strings, arrays, statistics or functions is not supported");
	else
		check_value(k, e);
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
			check_condition(&k, &p->condition);
		if (k.event && p->entries.n && !p->family->bpf_calls)
			refuse(p->entries.at[0]->loc, "@entry() in these probes is not supported");
		for vec_each(&p->entries, entry)
			check_value(&k, entry);
		if (p->body)
			check_body(&k, p->body);
	}
	return diag_errors() - before;
}
