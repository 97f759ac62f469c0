// SPDX-License-Identifier: GPL-2.0-or-later
// --runtime=bpf: finds the handlers that use call stacks or the address of the probed function. Their programs
// collect these before the handler begins (runtime/bpf/bpf_stack.h).
#include "emit/emitter.h"

#include <inttypes.h>

// Functions that embedded C calls, and the data that each uses.
static const struct { const char *call; unsigned takes; } operations[] = {
	{ "stp_backtrace", BPF_TAKES_STACK | BPF_TAKES_FUNCTION }, { "stp_stack", BPF_TAKES_STACK | BPF_TAKES_FUNCTION },
	{ "stp_mark_stack", BPF_TAKES_USER_STACK | BPF_TAKES_FUNCTION },
	{ "stp_user_addresses", BPF_TAKES_USER_STACK | BPF_TAKES_FUNCTION },
	{ "stp_ustack", BPF_TAKES_USER_STACK | BPF_TAKES_FUNCTION },
	{ "stp_uaddr", BPF_TAKES_USER_STACK | BPF_TAKES_FUNCTION },
	{ "stp_address", BPF_TAKES_FUNCTION | BPF_TAKES_EXACT }, { "stp_probefunc", BPF_TAKES_FUNCTION },
};

struct bpf_takes_search {
	struct map seen;           // functions that were visited, by their address
	unsigned takes;
};

// The address of a variable in a program follows from that of the function.
static void visit_expr(struct use_walker *w, const struct expr *e)
{
	struct bpf_takes_search *t = w->data;

	if (e->kind == E_STATIC && e->u.fixed.variable->user)
		t->takes |= BPF_TAKES_FUNCTION;
}

static void visit_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct bpf_takes_search *t = w->data;
	char *key = str_printf("%p", (void *)f);

	if (map_get(&t->seen, key))
		return;
	map_put(&t->seen, key, f);
	for (size_t i = 0; f->embedded && i < ARRAY_SIZE(operations); i++)
		if (embedded_word(f->embedded, operations[i].call))
			t->takes |= operations[i].takes;
	use_func(w, f);
}

unsigned bpf_takes(const struct probe *p)
{
	const struct probe *body = p->same_body ? p->same_body : p;
	struct bpf_takes_search t = { .takes = 0 };
	struct use_walker w = { .call = visit_call, .expr = visit_expr, .data = &t };

	if (body->body)
		use_probe(&w, body);
	for vec_each(&p->entries, entry)
		use_expr(&w, *entry);
	return t.takes;
}

void emit_bpf_takes(struct emitter *e, struct cwriter *w, const struct probe *p)
{
	unsigned takes = bpf_takes(p);

	cw_line(w, "enum { p%d_takes = %s%s%s0 };", p->index, takes & BPF_TAKES_STACK ? "STP_TAKES_STACK | " : "",
		takes & BPF_TAKES_USER_STACK ? "STP_TAKES_USER_STACK | " : "",
		takes & BPF_TAKES_FUNCTION ? "STP_TAKES_FUNCTION | " : "");
}

// Writes sizes that depend on whether any program uses these data, before the slot is defined.
void emit_bpf_stack_sizes(struct emitter *e, struct cwriter *w)
{
	enum { RECORD_BUCKETS = 1000 };    // a record of 1,024 words has space for these
	int64_t frames = session_limit(e->s, LIMIT_MAXBACKTRACE);
	bool stacks = e->program_uses & BPF_STACKS, users = e->program_uses & BPF_USER_STACKS;

	cw_line(w, "#define STP_MAXBACKTRACE %" PRId64, frames);
	cw_line(w, "#define STP_STACK_FRAMES %s", stacks ? "(STP_MAXBACKTRACE + STP_TRACER_FRAMES)" : "1");
	cw_line(w, "#define STP_USER_FRAMES %s", users ? "(STP_MAXBACKTRACE + 1)" : "1");
	cw_line(w, "#define STP_NOTE_WORDS %d", users ? 256 : 1);
	if (e->program_uses & BPF_MEMORY)
		cw_line(w, "#define STP_RECORD_SLACK (2 + STP_MEMORY_MAX / 8)");
	if (e->program_uses & BPF_CALL_TEXTS)  // strings of a text, structures, sets, slack
		cw_line(w, "#define STP_CAPTURE_SIZE (2 * (STP_TEXT_SIZE / 8) + 320 + 130)");
	else
		cw_line(w, "#define STP_CAPTURE_SIZE 1");
	if (e->program_uses & BPF_CALL_TEXTS || e->hist_printed > RECORD_BUCKETS)
		cw_line(w, "#define STP_RECORD_WORDS (1024 + %" PRId64 " + %d * STP_CAPTURE_SIZE + 8 * (STP_TEXT_SIZE / 8))",
			e->hist_printed, e->captures_max);
}
