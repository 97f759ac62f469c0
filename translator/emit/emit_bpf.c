// SPDX-License-Identifier: GPL-2.0-or-later
// --runtime=bpf: the parts of the C file that only BPF programs need. The file is compiled twice: by clang, with
// STP_BPF, into the programs of event probes, against runtime/bpf/bpf_program.h; and by gcc into the client, against
// generated.h and runtime/bpf/bpf_client.h. All tables and the handlers of begin, end, error and timers are for the
// client only.
#include "elab/elab.h"
#include "emit/emitter.h"
#include "resolve/family.h"

#include <inttypes.h>

bool bpf_carries(const struct probe *p)
{
	return p->family->bpf_program != NULL;
}

bool bpf_client_runs(const struct probe *p)
{
	return !bpf_carries(p);
}

// Returns the size of struct percpu in words, or more: compilers check that it suffices.
static int64_t percpu_words(const struct emitter *e)
{
	enum { STAT_WORDS = 4, SQUARES_WORDS = 4 };
	int64_t n = 1;

	for vec_each(&e->globals, g) {
		if (emit_is_adder(g->var))
			n++;
		else if (g->var->type == T_STATS && g->var->arity <= 0)
			n += STAT_WORDS + emit_buckets(g->var) + SQUARES_WORDS;
	}
	return n;
}

void emit_bpf_head(struct emitter *e, struct cwriter *w)
{
	cw_line(w, "#define STP_PERCPU_WORDS %" PRId64, percpu_words(e));
	cw_line(w, "#ifdef STP_BPF");
	cw_line(w, "#include \"bpf_program.h\"");
	cw_line(w, "#else");
	cw_line(w, "#include \"generated.h\"");
	cw_line(w, "#include \"bpf_client.h\"");
	cw_line(w, "#endif");
}

// ---------------------------------------------------------------- globals and locks

// Writes a global that programs and client share: the client copies it before and after its handlers.
void emit_bpf_scalar(struct emitter *e, struct cwriter *w, const struct global *g)
{
	const struct expr *init = g->var->init;
	int max = (int)emit_string_len(e) - 1;

	if (g->var->type == T_STRING)
		cw_line(w, "STP_SHARED_STRING(%s, %s);", g->name, init && init->kind == E_STRING ?
			emit_c_string(str_printf("%.*s", max, init->u.string.bytes)) : "\"\"");
	else
		cw_line(w, "STP_SHARED_NUMBER(%s, %s);", g->name,
			init && init->kind == E_NUMBER ? value_number(init->u.number).text : "0");
}

// Two globals may have the same word: their handlers then exclude each other.
int emit_bpf_lock_number(const struct emitter *e, const struct global *g)
{
	enum { LOCK_WORDS = 64 };  // STP_LOCK_WORDS in bpf_shared.h
	int n = 0;

	for (const struct global *before = e->globals.at; before < g; before++)
		n += before->locked;
	return n % LOCK_WORDS;
}

// Returns the locks of a probe, each word once, as calls of `function` that are joined by `with`.
static const char *lock_calls(struct emitter *e, const struct probe *p, const char *function, const char *with)
{
	struct buf b = { 0 };
	uint64_t taken = 0;

	for vec_each(&e->locks_of[p->index], use) {
		const struct global *g = emit_global(e, use->var);
		int number = emit_bpf_lock_number(e, g);

		if (!(taken >> number & 1))
			buf_printf(&b, "%s%s(c, lock_%s)", taken ? with : "", function, g->name + 2);
		taken |= 1ull << number;
	}
	return buf_text(&b);
}

void emit_bpf_locks(struct emitter *e, struct cwriter *w)
{
	cw_line(w, "#ifdef STP_BPF");
	for vec_each(&e->s->script.probes, it) {
		const struct probe *p = *it;
		const char *take;

		if (p->shares || p->same_body || !bpf_carries(p))
			continue;
		take = lock_calls(e, p, "bpf_lock", " && ");
		cw_line(w, "STP_LOCKS_OF(p%d, %s, %s)", p->index, *take ? take : "true", lock_calls(e, p, "bpf_unlock", ", "));
	}
	cw_line(w, "#endif");
	cw_blank(w);
}

// ---------------------------------------------------------------- programs

// Lists the globals that the client copies, with their locks.
static void write_shared(struct emitter *e, struct cwriter *w)
{
	cw_line(w, "static const struct stp_shared stp_shared[] = {");
	for vec_each(&e->globals, g) {
		const char *lock = g->locked ? str_printf("&lock_%s, %d", g->name + 2, emit_bpf_lock_number(e, g)) : "NULL, 0";

		if (g->var->arity <= 0 && g->var->type != T_STATS && !emit_is_adder(g->var))
			cw_line(w, "{ \"%s\", %s%s, sizeof(%s), %s },", g->name, g->var->type == T_STRING ? "" : "&", g->name,
				g->name, lock);
	}
	cw_line(w, "{ NULL }");
	cw_line(w, "};");
}

// Lists where the counters of struct percpu are, which the client adds up over all slots.
static void write_adders(struct emitter *e, struct cwriter *w)
{
	int n = 0;

	for vec_each(&e->globals, g) {
		if (!emit_is_adder(g->var))
			continue;
		if (!n++)
			cw_line(w, "static const u32 stp_adders[] = {");
		cw_line(w, "__builtin_offsetof(struct percpu, %s),", g->name);
	}
	if (n)
		cw_line(w, "};");
	write_shared(e, w);
	cw_line(w, "STP_BPF_LAYOUT(%s, %d);", n ? "stp_adders" : "NULL", n);
}

// Writes one program for each event probe, and begins the part of the text that is for the client.
void emit_bpf_programs(struct emitter *e, struct cwriter *w)
{
	cw_line(w, "#ifdef STP_BPF");
	for vec_each(&e->s->script.probes, it) {
		const struct probe *p = *it, *body = p->same_body ? p->same_body : p;

		if (p->shares || !bpf_carries(p))
			continue;
		p->family->bpf_program(p, w, str_printf("%d, p%d, %s, %d", p->index, body->index, p->condition ?
							str_printf("p%d_condition", p->index) : "stp_always",
							e->locks_late[body->index]));
	}
	cw_line(w, "#else");
	write_adders(e, w);
}
