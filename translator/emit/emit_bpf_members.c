// SPDX-License-Identifier: GPL-2.0-or-later
// --runtime=bpf: members of the kernel's types. Each has a number and, in C, its own type that declares only the
// members in its path: clang writes a relocation from it, by which libbpf finds the member in the running kernel.
#include "emit/emitter.h"

#include <inttypes.h>
#include <string.h>

static bool same(const struct kernel_member *a, const struct kernel_member *b)
{
	return !strcmp(a->type, b->type) && !a->path == !b->path && (!a->path || !strcmp(a->path, b->path));
}

// loc: the location of the first use, which the client prints if the running kernel has no such member.
int emit_bpf_member(struct emitter *e, const struct kernel_member *member, struct loc loc)
{
	const char *where = emit_c_string(emit_location_text(loc));

	for (int i = 0; i < e->members.n; i++)
		if (same(e->members.at[i], member))
			return i;
	if (member->path)
		cw_line(&e->tables, "STP_MEMBER(%d, %s, %s, %s, { %s });", e->members.n, where, member->type, member->path,
			member->declaration);
	else
		cw_line(&e->tables, "STP_TYPE(%d, %s, %s);", e->members.n, where, member->type);
	vec_push(&e->members, member);
	return e->members.n - 1;
}

struct value emit_offset(struct emitter *e, struct expr *x)
{
	const struct kernel_member *member = x->u.offset.member;

	if (member && e->programs)
		return value_text(0, true, "STP_OFFSET(%d, %" PRId64 ")", emit_bpf_member(e, member, x->loc), x->u.offset.value);
	emit_bpf_bind(e, x->loc);
	return value_number(x->u.offset.value);
}

// Records that addresses, registers or offsets are valid only for the kernel of this translation.
void emit_bpf_bind(struct emitter *e, struct loc loc)
{
	if (!e->bound_at)
		e->bound_at = emit_location_text(loc);
}

// Records that the client loads kernel memory. libbpf relocates offsets of members in programs only, so those in
// the client are valid only for the kernel of this translation.
void emit_bpf_client_load(struct emitter *e, struct loc loc)
{
	if (!e->s->opt.bpf_runtime || e->programs)
		return;
	emit_bpf_use(e, BPF_KERNEL_MEMORY);
	emit_bpf_bind(e, loc);
}

// ---------------------------------------------------------------- functions that programs and the client call

struct client_uses {
	struct use_walker w;
	struct emitter *e;
	struct map seen;               // functions that were visited, by their address
};

static bool prints_memory(const struct expr *x)
{
	for vec_each(&x->u.print.format, p)
		if (p->conv == 'm' || p->conv == 'M')
			return true;
	return false;
}

static void visit_expr(struct use_walker *w, const struct expr *x)
{
	struct client_uses *u = w->data;

	if (x->kind == E_DEREF && !x->u.deref.user)
		emit_bpf_client_load(u->e, x->loc);
	else if (x->kind == E_OFFSET)
		emit_bpf_bind(u->e, x->loc);
	else if (x->kind == E_PRINT && prints_memory(x))
		emit_bpf_use(u->e, BPF_KERNEL_MEMORY);
}

static void visit_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct client_uses *u = w->data;
	char *key = str_printf("%p", (void *)f);

	if (map_get(&u->seen, key))
		return;
	map_put(&u->seen, key, f);
	if (f->embedded)
		emit_bpf_embedded(u->e, f->embedded);
	use_func(w, f);
}

// Records what the client requires for the functions that have been written for programs, and that its handlers call.
void emit_bpf_client_uses(struct emitter *e)
{
	struct client_uses u = { .w = { .expr = visit_expr, .call = visit_call, .data = &u }, .e = e };

	for vec_each(&e->s->script.probes, p)
		if (!(*p)->shares && bpf_client_runs(*p) && (*p)->body)
			use_probe(&u.w, *p);
}
