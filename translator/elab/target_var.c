// SPDX-License-Identifier: GPL-2.0-or-later
// Target variables: $x, ->, [], &, @cast, @entry, @defined, @enum become plain expressions.
//
// In:  bodies with names bound (bind_names.c). Out: the same without E_TARGET, E_CAST, E_ATVAR,
//      E_DEFINED, E_ENUM; registers are E_REGISTER, loads E_DEREF, everything else arithmetic.
//      Accesses whose base is not a target (variables that carry a debuginfo type) are left for
//      types.c, which calls target_access() when it knows the type.
// The probe's family resolves `$x`; the accesses to its fields are resolved here.
// @defined is settled first, and dead branches are removed before their names are looked up.
#include "elab/elab.h"
#include "elab/resolver.h"
#include "elab/target.h"
#include "session/passes.h"
#include "resolve/family.h"
#include "util/str.h"

#include <string.h>

static void resolve(struct resolver *r, struct expr **e)
{
	if (*e)
		ast_walk_expr(&r->walker, e);
}

static struct expr *resolve_target(struct resolver *r, struct expr *e);
static struct expr *resolve_atvar(struct resolver *r, struct expr *e);
static struct expr *resolve_cast(struct resolver *r, struct expr *e);

static struct expr *failed(struct loc loc)
{
	return expr_number(loc, 0);
}

static bool has_failed(const struct expr *e)
{
	return e->kind == E_NUMBER && !e->dtype;
}

// Names are stored without their "$"; names like $$vars retain the second one.
static bool is_double_dollar(const char *name)
{
	return *name == '$';
}

// ---------------------------------------------------------------- entries

static int entry_slot(struct resolver *r, const char *text)
{
	for (int i = 0; i < r->entries.n; i++)
		if (!strcmp(r->entries.at[i], text))
			return i;
	return -1;
}

static struct expr *entry_ref(struct resolver *r, struct loc loc, int slot)
{
	struct expr *e = expr_new(E_ENTRY, loc);

	e->type = T_LONG;
	e->dtype = r->probe->entries.at[slot]->dtype;
	e->u.entry.slot = slot;
	e->u.entry.e = r->probe->entries.at[slot];
	return e;
}

// Returns the value at the function's entry of `e`, which is not resolved yet.
static struct expr *at_entry(struct resolver *r, struct expr *e)
{
	struct buf text = { 0 };
	struct loc loc = e->loc;
	int slot;

	ast_print_expr(&text, e);
	slot = entry_slot(r, buf_text(&text));
	if (slot >= 0)
		return entry_ref(r, loc, slot);
	r->in_entry = true;
	resolve(r, &e);
	r->in_entry = false;
	vec_push(&r->probe->entries, e);
	vec_push(&r->entries, buf_text(&text));
	return entry_ref(r, loc, r->entries.n - 1);
}

static struct expr *resolve_entry(struct resolver *r, struct expr *e)
{
	if (!r->is_return) {
		diag_error(e->loc, "@entry is supported only in .return probes: it is the value at the function's "
			   "entry");
		return failed(e->loc);
	}
	if (r->in_entry)
		return failed(e->loc);     // bind_names.c reported it
	return at_entry(r, e->u.entry.e);
}

// ---------------------------------------------------------------- $x

static const char *probe_word(const struct probe *p)
{
	const struct probe_point *last = probe_matched_point(p);

	return last && last->parts.n ? last->parts.at[0].name : p->family->name;
}

static bool available(struct resolver *r, const struct expr *e, const char *name)
{
	if (r->in_condition)
		diag_error(e->loc, "target variable \"$%s\" cannot be used in the condition of a probe", name);
	else if (!r->probe)
		diag_error(e->loc, "target variable \"$%s\" cannot be used in a function: pass it as an argument", name);
	else if (!r->probe->family->target)
		diag_error(e->loc, "target variable \"$%s\" cannot be used in %s %s probe", name,
			   strchr("aeiou", *probe_word(r->probe)) ? "an" : "a", probe_word(r->probe));
	else if (r->in_entry && (!strcmp(name, "return") || !strcmp(name, "$return")))
		diag_error(e->loc, "\"$%s\" cannot be used in @entry(): the function has not returned at its entry", name);
	else
		return true;
	return false;
}

void resolver_base(struct resolver *r, struct expr **e)
{
	if ((*e)->kind == E_TARGET)
		*e = resolve_target(r, *e);
	else if ((*e)->kind == E_ATVAR)
		*e = resolve_atvar(r, *e);
	else if ((*e)->kind == E_CAST)
		*e = resolve_cast(r, *e);
	else
		resolve(r, e);
}

static struct expr *checked_value(struct expr *e)
{
	if (e->kind == E_TARGET) {         // the variable is not in memory, and none of its members is accessed
		struct lvalue p = lvalue_of(e);

		if (target_check_value(e->loc, e->dtype))
			target_load_composite(&p);   // this reports the reason
		return failed(e->loc);
	}
	return !e->dtype || target_check_value(e->loc, e->dtype) ? e : failed(e->loc);
}

bool resolver_is_defined(struct resolver *r, const struct expr *e)
{
	struct expr *copy = expr_copy(e);
	int saved = r->probe ? r->probe->entries.n : 0, unknown = r->unknown.n;
	bool strict = r->strict, defined;

	diag_quiet_push();
	r->strict = true;
	resolver_base(r, &copy);
	if (copy->kind == E_TARGET && !type_is_aggregate(copy->dtype))
		checked_value(copy);   // a pointer to a variable that is not in memory has no value
	r->strict = strict;
	if (r->probe) {
		r->probe->entries.n = saved;
		r->entries.n = saved;
	}
	defined = diag_quiet_pop() == 0 && r->unknown.n == unknown;
	r->unknown.n = unknown;
	return defined;
}

// Replaces @defined(e) by a number, or leaves it for types.c. A struct that is returned by only some of the
// functions of a pattern counts as undefined: scripts mostly use @defined to protect a comparison, and a struct
// cannot be compared.
static void resolve_defined(struct resolver *r, struct expr **e)
{
	struct expr *of = (*e)->u.op1, *value = expr_copy(of);
	bool defined;

	if ((*e)->waits)
		return;
	defined = resolver_is_defined(r, of);
	if (defined && of->kind == E_TARGET && !strcmp(of->u.target.name, "return")) {
		resolver_base(r, &value);
		defined = !value->dtype || !type_is_aggregate(value->dtype);
	} else if (defined && target_is_untyped(value)) {
		resolver_base(r, &value);
		if (target_is_untyped(value)) {
			(*e)->u.op1 = value;
			(*e)->waits = true;
			return;
		}
	}
	*e = expr_number((*e)->loc, defined);
}

static struct expr *resolve_target(struct resolver *r, struct expr *e)
{
	const char *name = e->u.target.name;
	struct expr *made;

	if (!available(r, e, name))
		return failed(e->loc);
	if (is_double_dollar(name))
		return resolver_list(r, e, 0);
	if (r->is_return && !r->in_entry && strcmp(name, "return"))
		return at_entry(r, e);
	made = r->probe->family->target(r->s, r->probe, e);
	return made ? made : failed(e->loc);
}

// ---------------------------------------------------------------- @cast, @var, @enum

static struct target_where where(const struct resolver *r)
{
	return (struct target_where){ r->s, r->probe };
}

static struct di_type *cast_type(struct resolver *r, const struct expr *e)
{
	struct target_where w = where(r);

	return target_find_type(&w, e->loc, "@cast", e->u.cast.type_name, e->u.cast.module);
}

// Resolves @cast to a pointer, as the base of ->, [], & and $.
static struct expr *resolve_cast(struct resolver *r, struct expr *e)
{
	struct di_type *t = cast_type(r, e);
	struct expr *made;

	resolve(r, &e->u.cast.e);
	if (!t)
		return failed(e->loc);
	// A new node is needed, since types.c would set the debuginfo type of a variable or a call to its own one
	// again.
	made = expr_binary(e->loc, TOK_ADD, e->u.cast.e, expr_number(e->loc, 0));
	made->type = T_LONG;
	made->dtype = t->kind == DI_POINTER ? t : di_pointer_to(t);
	return made;
}

// Without an access, @cast(p, "long") is the number at p, also for a typedef of a pointer. For a type with members
// it is p with that type.
static struct expr *resolve_bare_cast(struct resolver *r, struct expr *e)
{
	struct expr *made = resolve_cast(r, e), *loaded;
	struct di_type *t = made->dtype ? cast_type(r, e) : NULL;

	if (!t || t->kind == DI_VOID || t->kind == DI_FUNCTION || type_is_aggregate(t) || strchr(e->u.cast.type_name, '*'))
		return made;
	loaded = lvalue_load(&(struct lvalue){ .loc = e->loc, .addr = made, .type = t });
	return loaded ? loaded : failed(e->loc);
}

// Returns $x for @var("x"), which may name a variable that is visible at the probe. NULL: only a global variable is
// meant.
static struct expr *as_local(struct resolver *r, const struct expr *e)
{
	struct expr *local = expr_copy(e);

	if (e->u.target.file || e->u.target.module || !r->probe || !r->probe->family->target || r->in_condition)
		return NULL;
	local->kind = E_TARGET;
	return local;
}

// In a .return probe, @var() of a global reads its value at the return, and $x is the value at the entry.
static struct expr *resolve_atvar(struct resolver *r, struct expr *e)
{
	struct target_where w = where(r);
	struct expr *local = as_local(r, e), *global;

	if (local && !r->is_return && resolver_is_defined(r, local))
		return resolve_target(r, local);
	diag_quiet_push();
	global = target_global(&w, e);
	if (!diag_quiet_pop())
		return global;
	// Reports why a local variable cannot be read.
	if (local && (resolver_lists(r, e->u.target.name) || resolver_is_defined(r, local)))
		return resolve_target(r, local);
	target_global(&w, e);
	return failed(e->loc);
}

// Before 4.1, @var() of a .return probe was its value at the entry, like a parameter.
static bool is_saved_atvar(const struct resolver *r, const struct expr *e)
{
	return e->kind == E_ATVAR && r->is_return && !r->in_entry &&
	       !session_since(r->s, e->loc, "4.1", "@var() of a .return probe");
}

static struct expr *resolve_enum(struct resolver *r, struct expr *e)
{
	struct target_where w = where(r);
	int64_t value;

	return target_enumerator(&w, e, &value) ? expr_number(e->loc, value) : failed(e->loc);
}

// The debuginfo type of the value may be one that only types.c determines.
static void resolve_enumname(struct resolver *r, struct expr *e)
{
	struct target_where w = where(r);

	resolve(r, &e->u.cast.e);
	if (!e->u.cast.type_name)
		return;
	e->dtype = target_find_type(&w, e->loc, "@enumname", e->u.cast.type_name, e->u.cast.module);
	if (e->dtype && e->dtype->kind != DI_ENUM)
		diag_error(e->loc, "@enumname: \"%s\" is not an enum", e->u.cast.type_name);
}

// ---------------------------------------------------------------- ->, [], &, $

static bool has_variable_index(const struct expr *e)
{
	for vec_each(&e->u.access.comps, c)
		if (c->kind == COMP_INDEX && c->index->kind != E_NUMBER)
			return true;
	return false;
}

static bool is_parameter(const struct expr *e)
{
	return e->kind == E_TARGET && !is_double_dollar(e->u.target.name) && strcmp(e->u.target.name, "return");
}

// Resolves the base and the indices. Returns false if only types.c can determine the base's debuginfo type.
static bool resolve_parts(struct resolver *r, struct expr *e)
{
	enum expr_kind kind = e->u.access.base->kind;

	resolver_base(r, &e->u.access.base);
	for vec_each(&e->u.access.comps, c)
		if (c->kind == COMP_INDEX)
			resolve(r, &c->index);
	return kind == E_TARGET || kind == E_CAST || kind == E_ATVAR || kind == E_ENTRY;
}

// "& @cast(p, "T")" is p.
static bool is_plain_cast(enum expr_kind base, const struct expr *e)
{
	return base == E_CAST && e->u.access.address_of && !e->u.access.comps.n && !e->u.access.pretty;
}

static bool is_target_lvalue(const struct expr *e)
{
	return e->kind == E_TARGET || e->kind == E_CAST || e->kind == E_ATVAR || e->kind == E_ACCESS;
}

enum truth { FALSE, TRUE, UNKNOWN, LATER };
static enum truth truth(struct resolver *r, struct expr **e);

// Replaces a condition that is already known: @choose_defined($a, $b)->member is $a->member or $b->member.
static void choose(struct resolver *r, struct expr **e)
{
	while ((*e)->kind == E_COND) {
		enum truth known = truth(r, &(*e)->u.cond.c);

		if (known != TRUE && known != FALSE)
			return;
		*e = known ? (*e)->u.cond.a : (*e)->u.cond.b;
	}
}

static struct expr *resolve_access(struct resolver *r, struct expr *e)
{
	struct expr **base = &e->u.access.base, *made;
	enum expr_kind kind;

	choose(r, base);
	kind = (*base)->kind;
	if (kind == E_TARGET && !available(r, *base, (*base)->u.target.name))
		return failed(e->loc);
	if (kind == E_TARGET && is_double_dollar((*base)->u.target.name)) {
		if (!e->u.access.comps.n && !e->u.access.address_of)
			return resolver_list(r, *base, e->u.access.pretty);
		diag_error(e->loc, "\"$%s\" is a string: it has no members and no address", (*base)->u.target.name);
		return failed(e->loc);
	}
	// Accesses through a parameter are read at the entry, too, since the memory may be freed before the return.
	if (r->is_return && !r->in_entry && !e->u.access.pretty && !has_variable_index(e) &&
	    (is_parameter(*base) || is_saved_atvar(r, *base)))
		return at_entry(r, e);
	if (!resolve_parts(r, e))
		return e;
	if (has_failed(*base) || is_plain_cast(kind, e))
		return *base;
	made = target_access(r->s, *base, e);
	return made ? made : failed(e->loc);
}

// ---------------------------------------------------------------- assignments

static struct expr *lvalue_variable(struct resolver *r, struct expr *e)
{
	const char *name = e->u.target.name;

	if (e->kind == E_ATVAR)
		return resolve_atvar(r, e);
	if (!available(r, e, name))
		return NULL;
	if (is_double_dollar(name)) {
		diag_error(e->loc, "\"$%s\" cannot be assigned to", name);
		return NULL;
	}
	if (r->is_return && strcmp(name, "return")) {
		diag_error(e->loc, "\"$%s\" of a .return probe is its value at the function's entry: it cannot be "
			   "assigned to", name);
		return NULL;
	}
	return r->probe->family->target(r->s, r->probe, e);
}

static struct expr *resolve_lvalue(struct resolver *r, struct expr *e)
{
	struct expr *base;

	if (e->kind == E_ACCESS) {
		e->u.access.is_lvalue = true;
		choose(r, &e->u.access.base);
		base = e->u.access.base;
		if (base->kind == E_TARGET && is_double_dollar(base->u.target.name))
			return lvalue_variable(r, base);
		// A member of a struct in memory is written at its current location.
		if (is_parameter(base) && !available(r, base, base->u.target.name))
			return NULL;
		if (!resolve_parts(r, e))
			return e;
		return has_failed(e->u.access.base) ? NULL : target_lvalue(e->u.access.base, e);
	}
	if (e->kind == E_CAST) {
		diag_error(e->loc, "@cast alone cannot be assigned to: name a member with ->");
		return NULL;
	}
	base = lvalue_variable(r, e);
	return base && !has_failed(base) ? target_lvalue(base, NULL) : NULL;
}

// Resolves the left side of an assignment or of ++. Returns false if it is not a target variable, and leaves it
// unchanged.
static bool resolve_target_lvalue(struct resolver *r, struct expr **e, struct expr **l)
{
	struct expr *made;

	if (!is_target_lvalue(*l))
		return false;
	made = resolve_lvalue(r, *l);
	if (made)
		*l = made;
	else
		*e = failed((*e)->loc);
	return true;
}

// ---------------------------------------------------------------- @defined

static bool settle_defined(struct ast_walker *w, struct expr **e)
{
	if ((*e)->kind == E_DEFINED)
		resolve_defined(w->data, e);
	return (*e)->kind != E_DEFINED;
}

static bool visit_defined(struct ast_walker *w, struct expr **e)
{
	*(bool *)w->data |= (*e)->kind == E_DEFINED;
	return !*(bool *)w->data;
}

// Returns whether a constant condition may remove branches before their names have types. With -u, only @defined
// and conditions of the library may.
static bool decides(struct resolver *r, struct expr **e)
{
	bool found = !r->s->opt.no_optimize || ((*e)->loc.source && (*e)->loc.source->library);
	struct ast_walker w = { .expr = visit_defined, .data = &found };

	ast_walk_expr(&w, e);
	return found;
}

// Evaluates a condition before the branches are resolved.
static enum truth truth(struct resolver *r, struct expr **e)
{
	struct ast_walker w = { .expr = settle_defined, .data = r };
	const struct expr *value;
	bool waits = false;

	if (((*e)->kind == E_BINARY && (*e)->u.bin.not_constant) || !decides(r, e))
		return UNKNOWN;
	if ((*e)->kind == E_BINARY && (*e)->u.bin.waited)
		return LATER;
	ast_walk_expr(&w, e);
	value = constant_value(r->s, *e, &waits);
	if (value && value->kind == E_NUMBER)
		return value->u.number ? TRUE : FALSE;
	return waits ? LATER : UNKNOWN;
}

// Replaces a ?: whose condition is known. Returns true if nothing remains to walk.
static bool prune_cond(struct resolver *r, struct expr **e)
{
	enum truth known = truth(r, &(*e)->u.cond.c);

	if (known == UNKNOWN)
		return false;
	if (known == LATER) {
		(*e)->waits = true;
		resolve(r, &(*e)->u.cond.c);
		return true;
	}
	*e = known ? (*e)->u.cond.a : (*e)->u.cond.b;
	resolve(r, e);
	return true;
}

// Replaces && and || whose value is known, or whose left side will determine whether the right side is evaluated.
static bool prune_logical(struct resolver *r, struct expr **e)
{
	enum truth known = truth(r, e);

	if (known == UNKNOWN || (known == LATER && truth(r, &(*e)->u.bin.l) != LATER))
		return false;
	if (known == LATER) {
		(*e)->waits = true;
		resolve(r, &(*e)->u.bin.l);
		return true;
	}
	*e = expr_number((*e)->loc, known);
	return true;
}

// ---------------------------------------------------------------- the walk

// --skip-badvars: replaces an unresolved variable by 0. Returns true if *e needs no further work.
static bool skip_bad(struct resolver *r, struct expr **e)
{
	struct loc loc = (*e)->loc;
	bool text = (*e)->kind == E_ACCESS ? (*e)->u.access.pretty :
						      (*e)->kind == E_TARGET && is_double_dollar((*e)->u.target.name);

	if (!r->s->opt.skip_badvars || r->strict || !is_target_lvalue(*e))
		return false;
	r->strict = true;
	diag_quiet_push();
	resolve(r, e);
	r->strict = false;
	if (diag_quiet_pop()) {
		diag_warning(loc, "%s; %s replaces it (--skip-badvars)", diag_quiet_first(), text ? "an empty string" : "0");
		*e = text ? expr_string(loc, "") : failed(loc);
	}
	return true;
}

void resolver_note_call(struct resolver *r, struct func *f)
{
	for (; f && !f->is_called; f = f->next_overload) {
		f->is_called = true;
		vec_push(&r->called, f);
	}
}

struct mark { int entries, called; };

// Begins to resolve a statement or an argument whose value is unused.
static struct mark begin_unused(struct resolver *r)
{
	r->in_unused = true;
	diag_hold_push();
	return (struct mark){ r->entries.n, r->called.n };
}

// Ends begin_unused(). If there were errors, undoes all resolving since then and returns true.
static bool end_unused(struct resolver *r, struct mark before)
{
	r->in_unused = false;
	if (!diag_hold_pop())
		return false;
	if (r->probe)
		r->probe->entries.n = before.entries;
	r->entries.n = before.entries;
	while (r->called.n > before.called)
		r->called.at[--r->called.n]->is_called = false;
	return true;
}

// Resolves an argument. If the function ignores it, an error makes it 0.
static void resolve_argument(struct resolver *r, struct expr *call, int i)
{
	struct expr **arg = &call->u.call.args.at[i];
	struct mark before;

	if (r->s->opt.no_optimize || r->s->opt.skip_badvars || r->in_unused || !unused_argument(call, i)) {
		resolve(r, arg);
		return;
	}
	before = begin_unused(r);
	resolve(r, arg);
	(*arg)->ignored = true;
	if (end_unused(r, before))
		unused_drop_argument(arg);
}

// Resolves copies of the script's functions that only an unused statement calls. An error in one removes the
// statement.
static void try_called(struct resolver *r, struct func *f)
{
	for (; r->in_unused && f && !f->is_called; f = f->next_overload) {
		struct stmt *body = f->body && (!f->probe || f->probe == r->probe) && !(f->source && f->source->library) ?
					    stmt_copy(f->body) : NULL;

		f->is_called = true;
		vec_push(&r->called, f);
		if (body)
			ast_walk_stmt(&r->walker, &body);
	}
}

// Calls find(), and saves the report of an error: an optional point may lack a variable, but an unknown name is
// always an error.
static bool is_known(struct resolver *r, bool (*find)(struct session *, const struct expr *), const struct expr *e)
{
	bool known;

	if (r->in_unused)
		return find(r->s, e);
	diag_hold_push();
	known = find(r->s, e);
	if (diag_hold_pop())
		vec_push(&r->unknown, diag_held_report());
	return known;
}

// Resolves an expression that reads a target variable, a type or a counter. Returns false for any other expression.
static bool resolve_context(struct resolver *r, struct expr **e)
{
	switch ((*e)->kind) {
	case E_TARGET:
		*e = checked_value(resolve_target(r, *e));
		break;
	case E_ACCESS:
		*e = resolve_access(r, *e);
		break;
	case E_CAST:
		*e = resolve_bare_cast(r, *e);
		break;
	case E_ENUM:
		*e = resolve_enum(r, *e);
		break;
	case E_ENUMNAME:
		resolve_enumname(r, *e);
		break;
	case E_ATVAR:
		*e = is_saved_atvar(r, *e) ? at_entry(r, *e) : checked_value(resolve_atvar(r, *e));
		break;
	case E_ENTRY:
		*e = resolve_entry(r, *e);
		break;
	case E_PERF:
		if (is_known(r, declarations_find_counter, *e))
			perf_may_read(r->s, r->probe, *e);
		break;
	case E_DEFINED:
		resolve_defined(r, e);
		break;
	default:
		return false;
	}
	return true;
}

static bool visit_expr(struct ast_walker *w, struct expr **e)
{
	struct resolver *r = w->data;

	if (skip_bad(r, e) || resolve_context(r, e))
		return false;
	switch ((*e)->kind) {
	case E_INDEX: case E_IN: case E_HIST_BUCKET: case E_STAT:
		if (is_known(r, declarations_has_global, *e))
			return true;
		*e = failed((*e)->loc);
		return false;
	case E_UNBOUND:
		vec_push(&r->unknown, (*e)->u.unbound);
		*e = failed((*e)->loc);
		return false;
	case E_CALL:
		try_called(r, (*e)->u.call.target);
		resolver_note_call(r, (*e)->u.call.target);
		for (int i = 0; i < (*e)->u.call.args.n; i++)
			resolve_argument(r, *e, i);
		return false;
	case E_COND:
		return !prune_cond(r, e);
	case E_BINARY:
		return ((*e)->u.bin.op != TOK_ANDAND && (*e)->u.bin.op != TOK_OROR) || !prune_logical(r, e);
	case E_ASSIGN:
		if (!resolve_target_lvalue(r, e, &(*e)->u.bin.l))
			return true;
		if ((*e)->kind == E_ASSIGN)
			resolve(r, &(*e)->u.bin.r);
		return false;
	case E_INCDEC:
		return !resolve_target_lvalue(r, e, &(*e)->u.un.e);
	default:
		return true;
	}
}

struct expr **target_condition(struct stmt *s)
{
	switch (s->kind) {
	case S_IF: return &s->u.if_.c;
	case S_WHILE: return &s->u.while_.c;
	case S_FOR: return s->u.for_.c ? &s->u.for_.c : NULL;
	default: return NULL;
	}
}

struct stmt *target_branch(struct stmt *s, bool known)
{
	struct stmt *left = stmt_new(S_EMPTY, s->loc);

	if (s->kind == S_IF && (known || s->u.if_.other))
		return known ? s->u.if_.then : s->u.if_.other;
	if (s->kind == S_FOR && s->u.for_.init) {
		left->kind = S_EXPR;
		left->u.expr = s->u.for_.init;
	}
	return left;
}

// If the branch that replaces an if with a constant condition ends in a jump, the statements after it are unused.
static bool resolve_block(struct resolver *r, struct stmt *block)
{
	bool left = false;

	for vec_each(&block->u.block, it) {
		(*it)->unused |= left && !r->s->opt.no_optimize;
		ast_walk_stmt(&r->walker, it);
		left |= unused_leaves(*it);
	}
	return false;
}

// Resolves a statement whose value is unused: an error removes it.
static bool resolve_unused(struct resolver *r, struct stmt **s)
{
	struct mark before = begin_unused(r);

	(*s)->unused = false;
	ast_walk_stmt(&r->walker, s);
	(*s)->unused = true;
	if (end_unused(r, before))
		unused_drop(*s);
	return false;
}

static bool visit_stmt(struct ast_walker *w, struct stmt **s)
{
	struct resolver *r = w->data;
	struct expr **c = target_condition(*s);
	enum truth known;

	if ((*s)->unused && !r->in_unused && !r->s->opt.skip_badvars)
		return resolve_unused(r, s);
	if ((*s)->kind == S_BLOCK)
		return resolve_block(r, *s);
	known = c ? truth(r, c) : UNKNOWN;
	if (known == LATER) {
		(*s)->waits = true;
		if ((*s)->kind == S_FOR)
			resolve(r, &(*s)->u.for_.init);
		resolve(r, c);
		return false;
	}
	if (known == UNKNOWN || (known == TRUE && (*s)->kind != S_IF))
		return true;
	*s = target_branch(*s, known);
	ast_walk_stmt(w, s);
	return false;
}

void resolver_init(struct resolver *r)
{
	r->walker = (struct ast_walker){ .expr = visit_expr, .stmt = visit_stmt, .data = r };
}
