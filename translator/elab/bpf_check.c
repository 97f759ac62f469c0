// SPDX-License-Identifier: GPL-2.0-or-later
// --runtime=bpf: rejects what BPF programs or their client do not support, at its location in the script, so that
// nothing is ignored or behaves differently. In: the typed trees, optimised. Out: errors.
#include "elab/elab.h"
#include "resolve/family.h"
#include "session/passes.h"
#include "util/numbers.h"

#include <string.h>

struct check {
	struct session *s;
	struct map seen;               // functions that were checked, by their address
	bool event;                    // the code runs in a BPF program, else in the client
	bool user_code;                // the probe is in user code, or may interrupt it
	bool no_stacks;                // the program cannot collect call stacks
	bool of_program;               // a probe of a program, whose address is known
	bool registers;                // the program has all registers of the hit
	bool at_return;                // the probe is at the return of a function
	bool of_stack;                 // the call that is checked prints the names of a stack value
	const struct func *called;     // function of the library that the script calls and that is checked; NULL: none
	struct loc called_at;          // the script's call
	struct numbers allowed;        // calls whose result is printed or is a key, struct expr *: see
				       // has_user_names()
	VEC(struct var *) named;       // arrays with such a key
	struct numbers holders;        // arrays and local variables with such results: set of struct var *
	bool more_holders;             // find_holders() has found another one
};

#define INSTEAD "run the script as a module, or with --vm"
#define PERCPU_REFUSAL "reading variables of each CPU is not supported"

// Errors in functions of the library are reported at the script's call.
static bool refuse(const struct check *k, struct loc loc, const char *what)
{
	bool in_library = k->called && loc.source && loc.source->library;

	diag_error(in_library ? k->called_at : loc, "%s with --runtime=bpf; " INSTEAD, what);
	if (in_library)
		diag_note(loc, "in the function \"%s\"", k->called->name);
	return false;
}

// ---------------------------------------------------------------- embedded C

// Functions of generated.h that bpf_program.h implements, for embedded C marked pragma:runtime.
static const char *const operations[] = {
	"stp_pid", "stp_tid", "stp_ppid", "stp_pgrp", "stp_sid", "stp_uid", "stp_euid", "stp_gid", "stp_egid",
	"stp_cpu",
	"stp_target", "stp_jiffies", "stp_fatal", "stp_ktime_ns",
	"stp_gettimeofday_ns", "stp_current_task", "stp_thread_start", "stp_execname",
	"stp_syscall_name", "stp_syscall_kernel_name", "stp_syscall_string",
	"stp_syscall_arguments", "stp_syscall_text", "stp_syscall_part_text", "stp_syscall_result",
	"stp_uload_string", "stp_load_string", "stp_strlen", "stp_copy", "stp_append", "stp_compare", "stp_find",
	"stp_span",
	"stp_substr", "stp_character", "stp_strtol", "stp_basename", "stp_replace", "stp_exit", "stp_error",
	"stp_pp", "stp_pn", "stp_ppfunc", "stp_probe_name",
	"stp_probefunc", "stp_address", "stp_backtrace", "stp_stack", "stp_symdata", "stp_sprint_syms",
	"stp_print_syms", "stp_print_syms_lines", "stp_print_usyms_lines", "stp_kernel_line", "stp_mark_source",
	"stp_user_addresses", "stp_ustack", "stp_uaddr", "stp_print_usyms",
	"stp_quote", "stp_quote_json", "stp_quote_label", "stp_prefixed", "stp_copy_name", "stp_random",
	"stp_pid2task", "stp_pid_namespace", "stp_user_namespace",
	"stp_task_is_32bit", "stp_user_mode", "stp_any_regs", "stp_register_code", "stp_call_name", "stp_call_number",
	"stp_has_regs", "stp_is_32bit", "stp_in_syscall", "stp_name_of",
	"stp_flag_names", "stp_relay_pid", "stp_timezone_s", "stp_log", "stp_warn",
	"stp_system", "stp_switch_file", "stp_speculation_lost",
	"stp_matched", "stp_matched_text", "stp_matched_groups",
	"stp_mark_stack", "stp_mark_list", "stp_mark_data", "stp_mark_name", "stp_stack_addresses",
	"stp_stack_text",
};

static bool is_operation(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (!strcmp(operations[i], name))
			return true;
	return false;
}

// Returns the first function of the runtime that the C calls and that is not available in programs, or a type that
// clang cannot compile for them, or NULL.
static const char *missing_operation(const struct embedded *c)
{
	if (embedded_word(c, "__int128"))
		return "__int128";
	for vec_each(&c->words, word)
		if (str_starts(word->name, "stp_") && !is_operation(word->name))
			return word->name;
	return NULL;
}

// Returns whether the C uses members of the context that programs do not set.
static bool uses_context(const struct embedded *c)
{
	static const char *const members[] = { "regs", "entry", "priv", "call_text", "syscall", "percpu", "frame", "probe" };

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const struct c_word *word = embedded_word(c, members[i]);

		if (word && word->is_member)
			return true;
	}
	return false;
}

// Returns the function that only the programs of other probes can execute, or NULL.
static const char *missing_context(const struct check *k, const struct embedded *c)
{
	bool user_stack = embedded_word(c, "stp_user_addresses") || embedded_word(c, "stp_ustack") ||
		embedded_word(c, "stp_uaddr") ||
		embedded_word(c, "stp_mark_stack");
	bool list = embedded_has_prefix(c, "stp_print_usyms") || embedded_word(c, "stp_mark_list");
	bool stack = user_stack || embedded_word(c, "stp_backtrace") || embedded_word(c, "stp_stack");

	if (!k->event && list && stack_values_have_names(k->s))
		return k->of_stack ? NULL : "outside of event handlers, except for results of ubacktrace() that an array stores,";
	if (!k->event && list)
		return "outside of event handlers with -u or a MAXSTRINGLEN below 64";
	if (!k->event)
		return stack || embedded_word(c, "stp_address") ||
		       embedded_word(c, "stp_user_mode") || embedded_has_prefix(c, "stp_any_regs") ||
		       embedded_word(c, "stp_is_32bit") ||
		       embedded_word(c, "stp_mark_data") || embedded_word(c, "stp_mark_name") ||
		       embedded_word(c, "stp_mark_source") ?
			"outside of event handlers" : NULL;
	if (!k->registers && embedded_word(c, "stp_any_regs"))
		return "in probes without registers (tracepoints and the like)";
	if (k->no_stacks && (stack || list || embedded_has_prefix(c, "stp_mark_")))
		return "in probes of packets";
	return NULL;
}

static void check_embedded(struct check *k, const struct func *f, struct loc loc)
{
	const char *name = k->called ? k->called->name : f->name;

	if (!func_has(f, PRAGMA_RUNTIME) && embedded_word(f->embedded, "get_cycles"))
		refuse(k, loc, str_printf("the function \"%s\" is not supported (use local_clock_ns())", name));
	else if (!func_has(f, PRAGMA_RUNTIME))
		refuse(k, loc, str_printf("the function \"%s\" is embedded C for a kernel module: it is not supported", name));
	else if (missing_context(k, f->embedded))
		refuse(k, loc, str_printf("the function \"%s\" is not supported %s", name, missing_context(k, f->embedded)));
	else if (embedded_word(f->embedded, "stp_netfilter_verdict"))
		refuse(k, loc, "assigning to $verdict is not supported");
	else if (k->event && uses_context(f->embedded))
		refuse(k, loc, str_printf("the function \"%s\" is not supported in BPF programs", name));
	else if (k->event && missing_operation(f->embedded))
		refuse(k, loc, str_printf("the function \"%s\" is not supported in BPF programs (%s)", name,
					  missing_operation(f->embedded)));
}

// ---------------------------------------------------------------- the tree

static void check_body(struct check *k, struct stmt *body);

static void check_called(struct check *k, struct func *f, struct loc loc)
{
	char *key = str_printf("%p %d %d %d %d %d %d", (void *)f, k->event, k->registers, k->user_code, k->at_return,
			       k->of_program, k->no_stacks);

	if (f->embedded)
		check_embedded(k, f, loc);
	if (map_get(&k->seen, key))
		return;
	map_put(&k->seen, key, f);
	if (k->event && f->recursive)
		refuse(k, loc, str_printf("\"%s\" calls itself: recursive functions are not supported", f->name));
	if (f->body)
		check_body(k, f->body);
}

static void check_function(struct check *k, struct func *f, struct loc loc)
{
	bool from_script = loc.source && !loc.source->library && f->source && f->source->library;

	if (from_script) {
		k->called = f;
		k->called_at = loc;
	}
	check_called(k, f, loc);
	if (from_script)
		k->called = NULL;
}

// Samples have the registers of the kernel or of a process; tracepoints have none.
static const char *register_refusal(const struct check *k, const struct expr *e)
{
	if (e->u.reg.is_float || (e->u.reg.number >= DI_VECTOR && e->u.reg.number < DI_ARGUMENT))
		return "reading a floating-point register is not supported";
	return e->u.reg.number_expr && !k->registers ? "registers (@kregister(), int_arg() and the like) in probes without "
		"registers (tracepoints and the like) are not supported" : NULL;
}

// The address of a variable in a process follows from that of the hit.
static const char *static_refusal(const struct check *k, const struct di_static *variable, bool is_external)
{
	if (variable->thread)
		return "reading variables of threads is not supported";
	if (variable->percpu)
		return PERCPU_REFUSAL;
	return variable->user && (is_external || !k->of_program) ?
		"reading variables of other programs than the probed one is not supported" : NULL;
}

// Returns why programs do not support this kind of expression, or NULL.
static const char *expr_refusal(const struct check *k, const struct expr *e)
{
	switch (e->kind) {
	case E_EMBEDDED:
		return embedded_word(e->u.embedded, "stp_probe_name") ? NULL : "embedded C in event handlers is not supported";
	case E_REGISTER:           return register_refusal(k, e);
	case E_CONST:              return "@const() is not supported";
	case E_PERF:               return "@perf() is not supported";
	case E_STATIC:             return static_refusal(k, e->u.fixed.variable, e->u.fixed.external);
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
	return NULL;
}

// ---------------------------------------------------------------- symbol names of user code

// Samples may interrupt code of the processes whose symbols a module would contain.
static bool may_be_in_user_code(const struct session *s, const struct probe *p)
{
	return p->family->access == ACCESS_PROCESS ||
	       (p->family->samples && (s->programs.n || s->opt.objects.n || s->opt.command));
}

static bool is_holder(struct check *k, const struct var *v)
{
	return *numbers_at(&k->holders, (uintptr_t)v) != 0;
}

// Returns the array of an element, or the local variable; NULL: neither.
static struct var *stored_in(const struct expr *e)
{
	if (e->kind == E_INDEX && !e->u.index.hist)
		return e->u.index.decl;
	return e->kind == E_VAR && e->u.var.decl->kind == VAR_LOCAL ? e->u.var.decl : NULL;
}

static bool holds_names(struct check *k, const struct expr *e)
{
	return stored_in(e) && is_holder(k, stored_in(e));
}

// Programs have only placeholders for these names. The client replaces a placeholder when it prints it, in values
// of arrays, and in keys of arrays, whose elements it sums if their keys become equal. Local variables pass it on.
static bool has_user_names(struct check *k, const struct expr *e)
{
	const struct expr *call = stack_values_naming_call(e) ? stack_values_naming_call(e) : e;
	const struct func *f = call->kind == E_CALL ? call->u.call.target : NULL;
	const struct embedded *c = f ? f->embedded : NULL;

	return holds_names(k, e) || (c && (embedded_has_prefix(c, "stp_mark_") || embedded_word(c, "stp_kernel_line") ||
					   (k->user_code && embedded_word(c, "stp_probefunc"))));
}

// Returns whether e only stores names in an element of an array, or in a local variable.
static bool stores_names(struct check *k, const struct expr *e)
{
	return e->kind == E_ASSIGN && e->value_unused && e->u.bin.op == TOK_ASSIGN && stored_in(e->u.bin.l) &&
	       has_user_names(k, e->u.bin.r);
}

static bool find_holder(struct ast_walker *w, struct expr **at)
{
	struct check *k = w->data;

	if (stores_names(k, *at) && numbers_add(&k->holders, stored_in((*at)->u.bin.l)))
		k->more_holders = true;
	return true;
}

// Finds the arrays and local variables in which event handlers store names, also names that are read from others.
static void find_holders(struct check *k)
{
	struct ast_walker w = { .expr = find_holder, .data = k };

	do {
		k->more_holders = false;
		for vec_each(&k->s->script.probes, p) {
			k->user_code = may_be_in_user_code(k->s, *p);
			if ((*p)->family->bpf_program && (*p)->body)
				ast_walk_stmt(&w, &(*p)->body);
		}
		k->user_code = true;   // any probe may call a function
		for vec_each(&k->s->script.funcs, f)
			if ((*f)->used && (*f)->body)
				ast_walk_stmt(&w, &(*f)->body);
	} while (k->more_holders);
}

const char *bpf_captured(const struct expr *e)
{
	static const struct { const char *function, *variable; } all[] = {
		{ "__syscall_arguments", "argstr" }, { "__syscall_text", "the text of an argument" },
		{ "__syscall_part_text", "the text of an argument" },
		{ "__syscall_text_saved", "the text of an argument" },
		{ "__syscall_part_text_saved", "the text of an argument" }, { "__syscall_result_or", "retstr of this call" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all) && e->kind == E_CALL && e->u.call.target; i++)
		if (!strcmp(e->u.call.target->name, all[i].function))
			return all[i].variable;
	return NULL;
}

static void allow_arguments(struct check *k, const struct expr *e)
{
	int n = 0;

	if (e->u.print.kind != PRINT_PRINTF)
		for vec_each(&e->u.print.args, arg)
			if (has_user_names(k, *arg) || bpf_captured(*arg))
				numbers_add(&k->allowed, *arg);
	for vec_each(&e->u.print.format, p) {
		bool plain = p->width < 0 && p->precision < 0 && !p->width_star && !p->precision_star;

		n += p->width_star + p->precision_star;
		if (e->u.print.kind == PRINT_PRINTF && p->conv == 's' && (plain || bpf_captured(e->u.print.args.at[n])))
			numbers_add(&k->allowed, e->u.print.args.at[n]);
		n += p->conv != 0;
	}
}

static void allow_keys(struct check *k, const struct expr *array)
{
	if (array->kind != E_INDEX || array->u.index.hist)
		return;
	for vec_each(&array->u.index.keys, key) {
		if (!has_user_names(k, *key))
			continue;
		numbers_add(&k->allowed, *key);
		vec_push(&k->named, array->u.index.decl);
	}
}

static bool only_adds(const struct expr *e)
{
	return e->u.bin.op == TOK_STAT_ADD ||
	       (e->value_unused && (e->u.bin.op == TOK_ADD_ASSIGN || e->u.bin.op == TOK_SUB_ASSIGN));
}

static void allow_names(struct check *k, const struct expr *e)
{
	if (e->kind == E_PRINT && !e->u.print.to_string)
		allow_arguments(k, e);
	else if (e->kind == E_INCDEC && e->value_unused)
		allow_keys(k, e->u.un.e);
	else if (e->kind == E_ASSIGN && only_adds(e))
		allow_keys(k, e->u.bin.l);
	else if (e->kind == E_ASSIGN && e->u.bin.op == TOK_ASSIGN && e->value_unused)
		numbers_add(&k->allowed, e->u.bin.l);
	if (stores_names(k, e))
		numbers_add(&k->allowed, e->u.bin.r);
}

static bool is_probefunc(const struct expr *e)
{
	const struct func *f = e->kind == E_CALL ? e->u.call.target : NULL;

	return f && f->embedded && embedded_word(f->embedded, "stp_probefunc");
}

static const char *names_refusal(struct check *k, const struct expr *e)
{
	enum { SHORTEST = 64 };    // a placeholder takes up to 48 bytes

	if (bpf_captured(e))
		return numbers_add(&k->allowed, e) ? str_printf("%s is supported only as an argument of print functions; "
			"elsewhere use the value of an argument, such as filename or flags: other uses are not supported",
			bpf_captured(e)) : NULL;
	if (!has_user_names(k, e))
		return NULL;
	if (session_limit(k->s, LIMIT_MAXSTRINGLEN) < SHORTEST)
		return "symbol names of user code and source lines in strings of less than 64 bytes (-DMAXSTRINGLEN) are not "
		       "supported";
	if (!numbers_add(&k->allowed, e))
		return NULL;
	return str_printf("symbol names of user code and source lines are only supported as arguments of print functions, as "
			  "values of arrays (a[...] = name) and local variables, and as keys of arrays that event handlers only "
			  "add to (a[...]++, a[...] <<< n)%s",
			  is_probefunc(e) ? ", but ppfunc() everywhere; other uses are not supported" : "");
}

static void check_named(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct check *k = w->data;

	if (use & USE_ADD && !(use & USE_READ))
		return;
	if (v->stat_ops & STAT_PERCENTILE)
		refuse(k, loc, str_printf("@percentile() reads \"%s\": event handlers can only add to it (<<<)", v->name));
	for vec_each(&k->named, named)
		if (*named == v) {
			refuse(k, loc, str_printf("\"%s\" has symbol names of user code or source lines as keys: event handlers can "
					       "only add to it "
					       "(a[...]++, a[...] <<< n)", v->name));
			break;
		}
}

static void check_named_in(struct use_walker *w, struct func *f, struct loc loc)
{
	struct check *k = w->data;

	if (numbers_add(&k->allowed, f))
		use_func(w, f);
}

static void check_arrays(struct check *k)
{
	struct use_walker w = { .var = check_named, .call = check_named_in, .data = k };

	for vec_each(&k->s->script.probes, p)
		if ((*p)->family->bpf_program && (*p)->body)
			use_probe(&w, *p);
}

static bool check_expr(struct ast_walker *w, struct expr **at)
{
	struct check *k = w->data;
	struct expr *e = *at;
	const char *why = NULL;

	if (e->kind == E_ENTRY)
		return false;          // checked as one of the probe's entries
	k->of_stack = stack_values_named(e);
	for (struct func *f = e->kind == E_CALL ? e->u.call.target : NULL; f; f = f->next_overload)
		check_function(k, f, e->loc);
	if (k->event) {
		allow_names(k, e);
		why = names_refusal(k, e);
	}
	if (!k->event && e->kind == E_STATIC && e->u.fixed.variable->percpu)
		why = PERCPU_REFUSAL;
	if (k->event && !why)
		why = expr_refusal(k, e) ? expr_refusal(k, e) : operator_refusal(e);
	return why ? refuse(k, e->loc, why) : true;
}

static const char *foreach_refusal(struct check *k, const struct stmt *st)
{
	bool by_value = st->u.foreach.sort_dir && !st->u.foreach.sort_key;

	if ((by_value || st->u.foreach.value) && is_holder(k, st->u.foreach.decl))
		return "a loop over symbol names of user code or source lines in event handlers is not supported";
	return NULL;
}

static bool check_stmt(struct ast_walker *w, struct stmt **at)
{
	struct check *k = w->data;
	const struct stmt *st = *at;

	if (!k->event)
		return true;
	switch (st->kind) {
	case S_FOREACH:
		return !foreach_refusal(k, st) || refuse(k, st->loc, foreach_refusal(k, st));
	case S_DELETE:
		numbers_add(&k->allowed, st->u.expr);
		return true;
	case S_RETURN:                     // functions of the library return names to calls that are checked
		if (st->loc.source && st->loc.source->library)
			numbers_add(&k->allowed, st->u.expr);
		return true;
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

int elab_bpf(struct session *s)
{
	enum { STRING_MOST = 2048 };
	struct check k = { .s = s };
	int before = diag_errors();

	if (!s->opt.bpf_runtime)
		return 0;
	if (session_limit(s, LIMIT_MAXSTRINGLEN) > STRING_MOST)
		die("strings of more than %d bytes (-DMAXSTRINGLEN) are not supported with --runtime=bpf: the verifier does not "
		    "follow longer loops; " INSTEAD, STRING_MOST);
	find_holders(&k);
	for vec_each(&s->script.probes, it) {
		struct probe *p = *it;

		k.event = p->family->bpf_program != NULL;
		k.of_program = p->family->access == ACCESS_PROCESS;
		k.registers = p->family->bpf_registers;
		k.no_stacks = p->family->bpf_base_helpers;
		k.user_code = may_be_in_user_code(s, p);
		k.at_return = probe_is_return(p) && !p->family->arguments_at_return;
		if (k.event && p->family->bpf_refusal && p->family->bpf_refusal(p))
			refuse(&k, p->loc, p->family->bpf_refusal(p));
		if (k.event && p->condition)
			check_value(&k, &p->condition);
		if (k.event && p->entries.n && !p->family->bpf_calls)
			refuse(&k, p->entries.at[0]->loc, "@entry() in these probes is not supported");
		for vec_each(&p->entries, entry)
			check_value(&k, entry);
		if (p->body)
			check_body(&k, p->body);
	}
	check_arrays(&k);
	return diag_errors() - before;
}
