// SPDX-License-Identifier: GPL-2.0-or-later
// Determines which handlers only add to counters of their CPU, such as `n++` and `if ($id == 0) n += $count`: they
// cannot fail, print, loop or call anything, and read only the registers and arguments of the hit. The runtime runs
// them without entering the CPU's context (stp_probe.adds_only). In: typed handlers, after optimisation.
#include "elab/elab.h"
#include "elab/module_data.h"
#include "emit/emitter.h"

static bool is_plain(struct reads *r, const struct expr *x);

static bool is_plain_register(struct reads *r, const struct expr *x)
{
	int n = x->u.reg.number;

	if (x->u.reg.number_expr || x->u.reg.is_float || (n >= DI_VECTOR && n < DI_ARGUMENT))
		return false;
	if (n >= DI_ARGUMENT && n - DI_ARGUMENT >= r->arguments)
		r->arguments = n - DI_ARGUMENT + 1;
	r->registers |= n < DI_ARGUMENT;
	return true;
}

static bool is_plain_binary(struct reads *r, const struct expr *x)
{
	switch (x->u.bin.op) {
	case TOK_DIV:
	case TOK_MOD:
	case TOK_DOT:
		return false;
	default:
		return x->u.bin.l->type == T_LONG && is_plain(r, x->u.bin.l) && is_plain(r, x->u.bin.r);
	}
}

// Returns whether x can be computed without memory accesses, calls and errors.
static bool is_plain(struct reads *r, const struct expr *x)
{
	if (x->type != T_LONG)
		return false;
	switch (x->kind) {
	case E_NUMBER:
		return true;
	case E_REGISTER:
		return is_plain_register(r, x);
	case E_UNARY:
		return is_plain(r, x->u.un.e);
	case E_BINARY:
		return is_plain_binary(r, x);
	case E_COND:
		return is_plain(r, x->u.cond.c) && is_plain(r, x->u.cond.a) && is_plain(r, x->u.cond.b);
	default:
		return false;
	}
}

static bool is_counter(const struct expr *x)
{
	return x->kind == E_VAR && emit_is_adder(x->u.var.decl) && x->u.var.decl->unlocked;
}

// Returns whether x is a statistic that is not an array and consists of a count and a sum.
static bool is_count_and_sum(const struct expr *x)
{
	return x->kind == E_VAR && x->u.var.decl->type == T_STATS && x->u.var.decl->arity <= 0 && x->u.var.decl->unlocked &&
	       !(x->u.var.decl->stat_ops & ~(unsigned)(STAT_COUNT | STAT_SUM | STAT_AVG));
}

static bool is_addition(struct reads *r, const struct expr *x)
{
	if (!x->value_unused)
		return false;
	if (x->kind == E_INCDEC)
		return is_counter(x->u.un.e);
	if (x->kind != E_ASSIGN || !is_plain(r, x->u.bin.r))
		return false;
	if (x->u.bin.op == TOK_STAT_ADD)
		return is_count_and_sum(x->u.bin.l);
	return is_counter(x->u.bin.l) && (x->u.bin.op == TOK_ADD_ASSIGN || x->u.bin.op == TOK_SUB_ASSIGN);
}

static bool is_only_additions(struct reads *r, const struct stmt *st)
{
	if (!st)
		return true;
	switch (st->kind) {
	case S_EMPTY:
		return true;
	case S_EXPR:
		return is_addition(r, st->u.expr);
	case S_IF:
		return is_plain(r, st->u.if_.c) && is_only_additions(r, st->u.if_.then) &&
		       is_only_additions(r, st->u.if_.other);
	case S_BLOCK:
		for vec_each(&st->u.block, s)
			if (!is_only_additions(r, *s))
				return false;
		return true;
	default:
		return false;
	}
}

bool emit_adds_only(const struct emitter *e, const struct probe *p, struct reads *reads)
{
	*reads = (struct reads){ 0 };
	return !e->keeps_matches && !p->entries.n && !p->hit && !p->condition && !p->own_processes &&
	       !emit_times_hits(e->s) && !parts_long(p->body) && is_only_additions(reads, p->body);
}
