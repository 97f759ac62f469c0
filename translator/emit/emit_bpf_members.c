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
