// SPDX-License-Identifier: GPL-2.0-or-later
// The variables of a system call's handler: name, kernel_name, argstr, retval, retstr, those of its arguments;
// and $fd, $return, the arguments as they were passed.
//
// In:  the composed body of a probe, names not bound yet. Out: the same with those of these variables that the
//      handler reads. If the body never sets a variable, its value replaces its name, so that nothing is computed
//      unless it is used. Others become assignments at the beginning of the body, in its scope. In guru mode a
//      variable that the body sets is written back at its end: to the register, or to the string in the process's
//      memory.
// The value of a variable follows from its name and its argument's type:
//   x_uaddr  the address   x_unquoted  the string   x_str, xstr  as in argstr   x  the number; a
//   string's text as in argstr, or its address if there is x_str
// A global of the script has precedence over a variable of the same name.
#include "debuginfo/debuginfo.h"
#include "elab/elab.h"
#include "elab/target.h"
#include "probes/syscall.h"
#include "probes/accessor_var.h"
#include "util/str.h"

#include <string.h>

enum form { FORM_NUMBER, FORM_TEXT, FORM_PLAIN, FORM_PART, FORM_NAME, FORM_KERNEL_NAME, FORM_ARGSTR, FORM_RETSTR,
	    FORM_MEANING, FORM_ZERO, FORM_NONE };

struct variable {
	const char *name;
	const struct syscall_arg *arg; // NULL for a variable that describes the whole call
	int index;                 // index of arg among the arguments; FORM_RETSTR, FORM_MEANING: the format
	enum form form;
	int at;                    // FORM_NUMBER without arg: offset of the number in the runtime's data
	bool is_string;            // --runtime=bpf: the value is a string that is read from its address
	bool captured;             // --runtime=bpf: the value is made where it is printed
	bool saved;                // at a return: the value is the one at the entry
	int reads, writes;         // number of its uses in the body
};
typedef VEC(struct variable) variables;

// Returns the location of nodes that are made for the text at loc. Their names belong to the library, so that they
// do not conflict with the script's arrays.
static struct loc node_loc(struct loc loc)
{
	static const struct source *last;
	static struct source *copy;

	if (!loc.source)
		return loc;
	if (loc.source != last) {
		last = loc.source;
		copy = NEW(struct source);
		*copy = *last;
		copy->library = true;
	}
	loc.source = copy;
	return loc;
}

// ---------------------------------------------------------------- available variables

// Pieces of an argument; their numbers are enum stp_syscall_part of generated.h.
static const char *const parts[] = { "_af", "_ip", "_ip_port", "_ipv6_flowinfo", "_ipv6_scope_id", "actime",
				     "modtime", "pipe0", "pipe1", "status_str", "geteventmsg_data",
				     "arch_prctl_addr", NULL };

static int part_of(const char *name)
{
	for (int i = 0; parts[i]; i++)
		if (*parts[i] == '_' ? str_ends(name, parts[i]) : !strcmp(name, parts[i]))
			return i;
	return -1;
}

static bool part_is_text(int part)
{
	return part < 5 || !strcmp(parts[part], "status_str");
}

// Returns true if the argument has a variable "x_str" besides x, which then is the address.
static bool has_text(const struct syscall_arg *a, const char *name)
{
	for vec_each(&a->vars, v)
		if (!strcmp(v->name, str_printf("%s_str", name)))
			return true;
	return false;
}

static enum form form_of(const struct syscall_arg *a, const char *name)
{
	if (!a->type)
		return str_ends(name, "str") ? FORM_ZERO : FORM_NUMBER;
	if (part_of(name) >= 0)
		return FORM_PART;
	if (str_ends(name, "_unquoted"))
		return FORM_PLAIN;
	if (str_ends(name, "_uaddr"))
		return FORM_NUMBER;
	if (str_ends(name, "str") || str_ends(name, "sig_name"))
		return FORM_TEXT;
	if (!strcmp(a->name, "ubuf"))  // the buffer that getrandom() fills
		return FORM_TEXT;
	return a->type->is_string && !has_text(a, name) ? FORM_TEXT : FORM_NUMBER;
}

static void add_variable(variables *list, const char *name, const struct syscall_arg *a, int index, enum form form,
			 int at)
{
	struct variable v = { .name = name, .arg = a, .index = index, .form = form, .at = at };

	vec_push(list, v);
}

// Returns whether the probe has the variable: for example, the text of a buffer that the call writes is available
// only at the return.
static bool is_available(const struct syscall_probe *d, const struct syscall_arg *a, const struct syscall_var *v)
{
	return d->is_return ? v->at_return || (a->written && form_of(a, v->name) == FORM_TEXT) : v->at_entry;
}

static bool is_listed(const variables *list, const char *name)
{
	for vec_each(list, v)
		if (!strcmp(v->name, name))
			return true;
	return false;
}

// Adds variables that the call has only with another assignment of registers: here they are 0.
static void add_missing(variables *list, const struct syscall_probe *d)
{
	static const struct syscall_arg none;

	for vec_each(&d->siblings, other)
		for vec_each(&(*other)->args, a)
			for vec_each(&a->vars, v) {
				enum form form = form_of(a, v->name);
				bool number = form == FORM_NUMBER ||
					      (form == FORM_PART && !part_is_text(part_of(v->name)));

				if (is_available(d, a, v) && !is_listed(list, v->name))
					add_variable(list, v->name, &none, 0, number ? FORM_NUMBER : FORM_ZERO, 0);
			}
}

// Adds variables of the entry, such as the path of openat(): a return probe reads them by @entry().
static void add_saved(variables *list, const struct syscall_probe *d)
{
	for (int i = 0, index = 0; i < d->args.n; i++) {
		const struct syscall_arg *a = &d->args.at[i];

		for vec_each(&a->vars, v) {
			if (!v->at_entry || is_listed(list, v->name))
				continue;
			add_variable(list, v->name, a, index, form_of(a, v->name), 0);
			list->at[list->n - 1].saved = true;
		}
		index += a->type != NULL;
	}
}

// Returns the format that return_str() takes.
static int result_format(const struct syscall_probe *d)
{
	char form = d->rows.n ? d->rows.at[0]->result[0] : 'd';

	return form == 'x' ? 2 : form == 'o' ? 3 : 1;
}

static variables list_variables(const struct syscall_probe *d)
{
	variables list = { 0 };

	add_variable(&list, "name", NULL, 0, FORM_NAME, 0);
	if (d->any)
		add_variable(&list, "syscall_nr", NULL, 0, FORM_NUMBER, SYSCALL_NUMBER);
	if (d->is_return) {
		add_variable(&list, "retval", NULL, 0, FORM_NUMBER, SYSCALL_RESULT);
		add_variable(&list, "retstr", NULL, result_format(d), syscall_has_meanings(d) ? FORM_MEANING : FORM_RETSTR, 0);
	}
	if (!d->any)
		add_variable(&list, "argstr", NULL, 0, FORM_ARGSTR, 0);
	for (int i = 0, index = 0; i < d->args.n; i++) {
		const struct syscall_arg *a = &d->args.at[i];

		for vec_each(&a->vars, v)
			if (is_available(d, a, v))
				add_variable(&list, v->name, a, index, form_of(a, v->name), 0);
		index += a->type != NULL;
	}
	if (!d->any)
		add_variable(&list, "kernel_name", NULL, 0, FORM_KERNEL_NAME, 0);
	add_missing(&list, d);
	if (d->is_return)
		add_saved(&list, d);
	return list;
}

// ---------------------------------------------------------------- expressions

static struct expr *argument(struct loc loc, int at, int size, bool is_signed)
{
	struct expr *e = expr_new(E_REGISTER, loc);

	e->type = T_LONG;
	e->u.reg.number = DI_ARGUMENT + at;
	e->u.reg.size = size;
	e->u.reg.is_signed = is_signed;
	return e;
}

static struct expr *argument_value(struct loc loc, const struct syscall_arg *a)
{
	struct expr *high;

	if (!a->type)
		return expr_number(loc, 0);
	if (!a->type->is_pair)
		return argument(loc, a->at, a->type->size, a->type->is_signed);
	high = expr_binary(loc, TOK_SHL, argument(loc, a->at + 1, 4, true), expr_number(loc, 32));
	return expr_binary(loc, TOK_OR, high, argument(loc, a->at, 4, false));
}

static struct expr *call(struct loc loc, const char *function, int n, const int *numbers)
{
	struct expr *e = expr_new(E_CALL, loc);

	e->u.call.name = function;
	for (int i = 0; i < n; i++)
		vec_push(&e->u.call.args, expr_number(loc, numbers[i]));
	return e;
}

// Returns the text as return_str() of errno.stp does, with the format `index`; if v->form requires it, with the
// result's meaning.
static struct expr *result_text(struct loc loc, const struct variable *v)
{
	bool meaning = v->form == FORM_MEANING;
	struct expr *e = call(loc, meaning && !v->captured ? "__syscall_result" : "return_str", 1, &v->index), *or;

	vec_push(&e->u.call.args, argument(loc, SYSCALL_RESULT, 8, true));
	if (!meaning || !v->captured)
		return e;
	or = call(loc, "__syscall_result_or", 0, NULL);
	vec_push(&or->u.call.args, e);
	return or;
}

// Returns the text of a string. The function that makes it receives only its address.
static struct expr *string_text(struct loc loc, const struct variable *v)
{
	struct expr *e = call(loc, v->form == FORM_PLAIN ? "__syscall_string_unquoted" : "__syscall_string", 0, NULL);

	vec_push(&e->u.call.args, argument_value(loc, v->arg));
	return e;
}

static struct expr *value_here(struct loc loc, const struct variable *v)
{
	int numbers[2] = { v->index, part_of(v->name) };

	if (v->is_string)
		return string_text(loc, v);
	switch (v->form) {
	case FORM_NUMBER: return v->arg ? argument_value(loc, v->arg) : argument(loc, v->at, 8, true);
	case FORM_TEXT: return call(loc, "__syscall_text", 1, numbers);
	case FORM_PLAIN: return call(loc, "__syscall_unquoted", 1, numbers);
	case FORM_PART: return call(loc, part_is_text(numbers[1]) ? "__syscall_part_text" : "__syscall_part", 2, numbers);
	case FORM_NAME: return call(loc, "__syscall_name", 0, NULL);
	case FORM_KERNEL_NAME: return call(loc, "__syscall_kernel_name", 0, NULL);
	case FORM_ARGSTR: return call(loc, "__syscall_arguments", 0, NULL);
	case FORM_RETSTR: case FORM_MEANING: return result_text(loc, v);
	case FORM_ZERO: return expr_string(loc, "0");
	case FORM_NONE: break;
	}
	return NULL;
}

// Returns the value of the entry at a return. Of memory that was not resident at the entry, the return makes the text
// again, by the function NAME_again().
static struct expr *value_saved(struct loc loc, const struct variable *v)
{
	struct expr *value = value_here(loc, v), *now = value_here(loc, v), *e = expr_new(E_ENTRY, loc), *again;

	if (v->captured) {
		value->u.call.name = str_printf("%s_saved", value->u.call.name);
		return value;
	}
	e->u.entry.e = value;
	if (value->kind != E_CALL)
		return e;
	again = call(loc, str_printf("%s_again", value->u.call.name), 0, NULL);
	vec_push(&again->u.call.args, e);
	for vec_each(&now->u.call.args, arg)
		vec_push(&again->u.call.args, *arg);
	return again;
}

static struct expr *value_of(struct loc loc, const struct variable *v)
{
	return v->saved ? value_saved(loc, v) : value_here(loc, v);
}

// With --runtime=bpf, programs have no description of the call: its strings are read by their addresses, and the client
// makes other texts.
static void mark_texts(const struct session *s, const struct syscall_probe *d, variables *list)
{
	if (!s->opt.bpf_runtime)
		return;
	for vec_each(list, v) {
		v->is_string = (v->form == FORM_TEXT || v->form == FORM_PLAIN) && !syscall_has_commands(d) &&
			       v->arg->type && !strcmp(v->arg->type->name, "str");
		v->captured = v->form == FORM_ARGSTR || v->form == FORM_MEANING || v->form == FORM_PART ||
			      (v->form == FORM_TEXT && !v->is_string);
	}
}

// ---------------------------------------------------------------- uses in the body

static struct variable *find(variables *list, const struct expr *e)
{
	if (e && e->kind == E_VAR)
		for vec_each(list, v)
			if (!strcmp(v->name, e->u.var.name))
				return v;
	return NULL;
}

static void note_write(variables *list, const struct expr *e)
{
	struct variable *v = find(list, e);

	if (v)
		v->writes++;
}

static bool count_expr(struct ast_walker *w, struct expr **e)
{
	struct variable *v = find(w->data, *e);

	if (v)
		v->reads++;
	if ((*e)->kind == E_ASSIGN)
		note_write(w->data, (*e)->u.bin.l);
	if ((*e)->kind == E_INCDEC)
		note_write(w->data, (*e)->u.un.e);
	return true;
}

static bool count_stmt(struct ast_walker *w, struct stmt **s)
{
	if ((*s)->kind == S_DELETE && (*s)->u.expr->kind == E_VAR)
		return false;      // the name is a global, or a variable that is not used before
	if ((*s)->kind == S_TRY)
		note_write(w->data, (*s)->u.try_.var);
	if ((*s)->kind == S_FOREACH) {
		for vec_each(&(*s)->u.foreach.keys, key)
			note_write(w->data, *key);
		note_write(w->data, (*s)->u.foreach.value);
	}
	return true;
}

static void count_uses(variables *list, struct stmt **body)
{
	struct ast_walker w = { .expr = count_expr, .stmt = count_stmt, .data = list };

	ast_walk_stmt(&w, body);
}

// Determines whether this part of the script uses the global as an array.
struct array_search {
	const char *name;
	bool found;
};

static bool visit_array(struct ast_walker *w, struct expr **e)
{
	struct array_search *search = w->data;

	if (((*e)->kind == E_INDEX || (*e)->kind == E_IN) && (*e)->u.index.name)
		search->found |= !strcmp((*e)->u.index.name, search->name);
	return !search->found;
}

static bool is_array(struct session *s, const struct var *g)
{
	struct array_search search = { .name = g->name, .found = g->size_given || g->wrap };
	struct ast_walker w = { .expr = visit_array, .data = &search };

	for vec_each(&s->script.probe_decls, d)
		if (!search.found && (*d)->body)
			ast_walk_stmt(&w, &(*d)->body);
	for vec_each(&s->script.funcs, f)
		if (!search.found && (*f)->body)
			ast_walk_stmt(&w, &(*f)->body);
	return search.found;
}

// Drops variables that the script declares as scalar globals.
static void drop_globals(struct session *s, variables *list)
{
	for vec_each(&s->script.globals, g) {
		const struct source *source = (*g)->loc.source;

		if (source && source->library)
			continue;
		for vec_each(list, v)
			if (v->reads && !strcmp(v->name, (*g)->name) && !is_array(s, *g))
				v->form = FORM_NONE;
	}
}

// ---------------------------------------------------------------- insertion into the body

// Returns whether a local is useful: for text that would otherwise be made again at each use.
static bool needs_local(const struct variable *v)
{
	return v->writes || (v->reads > 1 && !v->captured && v->form != FORM_NUMBER && v->form != FORM_NAME &&
			     v->form != FORM_KERNEL_NAME && v->form != FORM_ZERO);
}

static bool replace_expr(struct ast_walker *w, struct expr **e)
{
	struct variable *v = find(w->data, *e);

	if (!v || v->form == FORM_NONE || needs_local(v))
		return true;
	*e = value_of(node_loc((*e)->loc), v);
	return false;
}

static bool replace_stmt(struct ast_walker *w, struct stmt **s)
{
	return (*s)->kind != S_DELETE || (*s)->u.expr->kind != E_VAR;
}

static struct stmt *statement(struct loc loc, struct expr *e)
{
	struct stmt *s = stmt_new(S_EXPR, loc);

	s->u.expr = e;
	return s;
}

static struct expr *variable(struct loc loc, const char *name)
{
	struct expr *e = expr_new(E_VAR, loc);

	e->u.var.name = name;
	return e;
}

static struct stmt *assignment(struct loc loc, const struct variable *v)
{
	struct expr *e = expr_new(E_ASSIGN, loc);

	e->u.bin.op = TOK_ASSIGN;
	e->u.bin.l = variable(loc, v->name);
	e->u.bin.r = value_of(loc, v);
	return statement(loc, e);
}

// Writes the value that the body assigned to v back to its origin, if it changed. Returns NULL if v has no origin
// in the process.
static struct stmt *write_back(struct loc loc, const struct variable *v)
{
	int number = v->arg && v->arg->type ? v->arg->at : v->at;
	struct stmt *back = stmt_new(S_IF, loc);
	struct expr *set;

	if (v->form == FORM_NUMBER && !(v->arg && (!v->arg->type || v->arg->type->is_pair)))
		set = call(loc, "__syscall_set", 1, &number);
	else if (v->form == FORM_PLAIN)
		set = call(loc, "__syscall_set_string", 1, &number);
	else
		return NULL;
	vec_push(&set->u.call.args, variable(loc, v->name));
	back->u.if_.c = expr_binary(loc, TOK_NE, variable(loc, v->name), value_of(loc, v));
	back->u.if_.then = statement(loc, set);
	return back;
}

// Replaces `$return = v` and `$fd = v` by calls of the library's function for that register.
static int rewrite_targets(struct session *s, struct probe *p)
{
	const struct syscall_probe *d = p->data;
	struct value_variable set[7] = { { .name = "return", .set = "__syscall_set_return", .guru = true } };
	int n = d->is_return;

	for vec_each(&d->args, a) {
		if (!a->type || n == ARRAY_SIZE(set))
			continue;
		set[n] = (struct value_variable){ .name = a->name, .guru = true };
		if (d->is_return)
			set[n].why_not_set = "it is the argument at the entry of the call";
		else if (a->type->is_pair)
			set[n].why_not_set = "it is in two registers";
		else
			set[n].set = str_printf("__syscall_set_%d", a->at);
		n++;
	}
	return value_rewrite(s, p, set, n);
}

void syscall_add_variables(struct session *s, struct probe *p)
{
	rewrite_targets(s, p);
	variables list = list_variables(p->data);
	struct ast_walker replace = { .expr = replace_expr, .stmt = replace_stmt, .data = &list };
	struct stmt *block = stmt_new(S_BLOCK, p->body->loc);
	struct loc loc = node_loc(p->body->loc);

	mark_texts(s, p->data, &list);
	count_uses(&list, &p->body);
	drop_globals(s, &list);
	ast_walk_stmt(&replace, &p->body);
	for vec_each(&list, v)
		if (v->form != FORM_NONE && (s->opt.list_vars || (v->reads && needs_local(v))))
			vec_push(&block->u.block, assignment(loc, v));
	vec_push(&block->u.block, p->body);
	for vec_each(&list, v) {
		struct stmt *back = s->opt.guru && v->writes && v->form != FORM_NONE && !v->saved ? write_back(loc, v) : NULL;

		if (back)
			vec_push(&block->u.block, back);
	}
	p->body = block;
}

// ---------------------------------------------------------------- $fd

struct expr *syscall_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct syscall_probe *d = p->data;
	const char *name = target->u.target.name;
	struct loc loc = node_loc(target->loc);
	name_list names = { 0 };

	if (d->is_return && !strcmp(name, "return"))
		return argument(loc, SYSCALL_RESULT, 8, true);
	for vec_each(&d->args, a)
		if (a->type && !strcmp(a->name, name))
			return argument_value(loc, a);
	for vec_each(&d->siblings, other)          // the obsolete mmap has its arguments in a structure
		for vec_each(&(*other)->args, a)
			if (a->type && !strcmp(a->name, name))
				return expr_number(loc, 0);
	for vec_each(&d->args, a)
		if (a->type)
			vec_push(&names, a->name);
	if (d->is_return)
		vec_push(&names, "return");
	return target_not_found(target, str_printf("the system call of %s", p->point), target_similar(name, &names));
}

void syscall_target_names(struct session *s, struct probe *p, target_names *out)
{
	const struct syscall_probe *d = p->data;

	if (d->is_return)
		vec_push(out, ((struct target_name){ "return", "long", TARGET_RETURN }));
	for vec_each(&d->args, a)
		if (a->type)
			vec_push(out, ((struct target_name){ a->name, "long", TARGET_PARAMETER }));
}

// ---------------------------------------------------------------- properties of the handler

static void visit_call(struct use_walker *w, struct func *f, struct loc loc)
{
	if (str_starts(f->name, "__syscall_"))
		*(bool *)w->data = true;
}

static void visit_argstr(struct use_walker *w, struct func *f, struct loc loc)
{
	if (!strcmp(f->name, "__syscall_arguments") || (str_starts(f->name, "__syscall_") && str_ends(f->name, "_saved")))
		*(bool *)w->data = true;
}

static void visit_captured(struct use_walker *w, const struct expr *e)
{
	*(bool *)w->data |= bpf_captured(e) != NULL;
}

bool syscall_asks_for_captured(const struct probe *p)
{
	bool asks = false;
	struct use_walker w = { .expr = visit_captured, .data = &asks };

	use_probe(&w, p);
	return asks;
}

bool syscall_asks_for_argstr(const struct probe *p)
{
	bool asks = false;
	struct use_walker w = { .call = visit_argstr, .data = &asks };

	use_probe(&w, p);
	return asks;
}

bool syscall_asks_for_text(const struct probe *p)
{
	bool asks = false;
	struct use_walker w = { .call = visit_call, .data = &asks };

	use_probe(&w, p);
	return asks;
}

static void visit_argument(struct use_walker *w, const struct expr *e)
{
	if (e->kind == E_REGISTER && !e->u.reg.number_expr && e->u.reg.number >= DI_ARGUMENT &&
	    e->u.reg.number != DI_ARGUMENT + SYSCALL_RESULT)
		*(bool *)w->data = true;
}

bool syscall_reads_arguments(const struct probe *p)
{
	bool reads = syscall_asks_for_text(p);
	struct use_walker w = { .expr = visit_argument, .data = &reads };

	use_probe(&w, p);
	return reads;
}

static bool is_argument(const struct expr *e)
{
	if (e->kind == E_REGISTER)
		return !e->u.reg.number_expr && e->u.reg.number >= DI_ARGUMENT;
	return e->kind == E_NUMBER || (e->kind == E_BINARY && is_argument(e->u.bin.l) && is_argument(e->u.bin.r));
}

bool syscall_entries_are_arguments(const struct probe *p)
{
	for vec_each(&p->entries, e)
		if (!is_argument(*e))
			return false;
	return true;
}
