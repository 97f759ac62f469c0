// SPDX-License-Identifier: GPL-2.0-or-later
// --runtime=bpf: the parts of the C file that only BPF programs need. The file is compiled twice: by clang, with
// STP_BPF, into the programs of event probes, against runtime/bpf/bpf_program.h; and by gcc into the client, against
// generated.h and runtime/bpf/bpf_client.h. All tables and the handlers of begin, end, error and timers are for the
// client only.
#include "elab/elab.h"
#include "elab/module_data.h"
#include "emit/emitter.h"
#include "resolve/family.h"

#include <inttypes.h>
#include <string.h>

bool bpf_carries(const struct probe *p)
{
	return p->family->bpf_program != NULL;
}

bool bpf_client_runs(const struct probe *p)
{
	return !bpf_carries(p);
}

static int64_t power_of_two(int64_t n)
{
	int64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

// Returns the size of struct percpu in words, or an upper bound; the C compiler checks that it suffices.
static int64_t percpu_words(struct emitter *e)
{
	enum { STAT_WORDS = 4, SQUARES_WORDS = 4, MATCH_WORDS = 96 };      // words of a match: see struct stp_match
	int64_t n = 1;

	if (e->keeps_matches)
		n += 2 * MATCH_WORDS + (2 * emit_string_len(e) + 7) / 8;

	for vec_each(&e->globals, g) {
		if (emit_is_adder(g->var))
			n++;
		else if (g->var->type == T_STATS && g->var->arity <= 0)
			n += STAT_WORDS + emit_buckets(g->var) + SQUARES_WORDS +
			     (g->var->stat_ops & STAT_PERCENTILE ? FINE_BUCKETS : 0);
	}
	return n;
}

// Returns the largest number of strings among the keys of an array, at least 1.
static int key_strings(const struct emitter *e)
{
	int max = 1;

	for vec_each(&e->globals, g) {
		int n = 0;

		for (int i = 0; i < g->var->arity; i++)
			n += g->var->key_types[i] == T_STRING;
		max = n > max ? n : max;
	}
	return max;
}

// Returns the maximum number of string variables that event handlers and the functions that they call have at a
// time.
static int event_strings(struct emitter *e)
{
	int strings;

	emit_nesting(e, &strings);
	return strings + 1;
}

// Programs of user code may sleep, so they can page in the memory that they read. The helpers that do so are not
// allowed in other programs, which may share functions with them.
static bool only_user_probes(const struct emitter *e)
{
	for vec_each(&e->s->script.probes, p)
		if (bpf_carries(*p) && (*p)->family->access != ACCESS_PROCESS)
			return false;
	return true;
}

static bool any_base_helpers(const struct emitter *e)
{
	for vec_each(&e->s->script.probes, p)
		if ((*p)->family->bpf_base_helpers)
			return true;
	return false;
}

static bool is_shared_statistic(const struct global *g)
{
	return g->walked && g->var->type == T_STATS && g->var->arity <= 0;
}

static bool programs_read_statistics(const struct emitter *e)
{
	for vec_each(&e->globals, g)
		if (is_shared_statistic(g))
			return true;
	return false;
}

// ---------------------------------------------------------------- parts of the runtime that are used

void emit_bpf_use(struct emitter *e, unsigned uses)
{
	e->bpf_uses |= uses;
	if (e->programs)
		e->program_uses |= uses;
}

static const struct { const char *call; unsigned use; } calls_of_library[] = {
	{ "stp_substr", BPF_TEXT }, { "stp_find", BPF_TEXT }, { "stp_span", BPF_TEXT }, { "stp_strtol", BPF_TEXT },
	{ "stp_basename", BPF_TEXT }, { "stp_replace", BPF_TEXT }, { "stp_character", BPF_TEXT },
	{ "stp_syscall_string", BPF_TEXT }, { "stp_quote", BPF_TEXT }, { "stp_quote_json", BPF_TEXT },
	{ "stp_quote_label", BPF_TEXT }, { "stp_name_of", BPF_TEXT },
	{ "stp_flag_names", BPF_TEXT }, { "stp_prefixed", BPF_TEXT }, { "stp_system", BPF_TEXT },
	{ "stp_matched", BPF_TEXT | BPF_GROUPS }, { "stp_matched_text", BPF_TEXT | BPF_GROUPS },
	{ "stp_matched_groups", BPF_TEXT | BPF_GROUPS },
	{ "stp_pp", BPF_POINT_RESOLVED }, { "stp_pn", BPF_POINT_WRITTEN }, { "stp_probe_name", BPF_POINT_NAME },
	{ "stp_ppfunc", BPF_POINT_FUNCTION },
	{ "stp_symdata", BPF_TEXT | BPF_SYMBOLS }, { "stp_sprint_syms", BPF_TEXT | BPF_SYMBOLS },
	{ "stp_print_syms", BPF_TEXT | BPF_SYMBOLS }, { "stp_print_syms_lines", BPF_TEXT | BPF_SYMBOLS },
	{ "stp_kernel_line", BPF_TEXT | BPF_SYMBOLS },
	{ "stp_print_usyms_lines", BPF_TEXT | BPF_SYMBOLS | BPF_USER_STACKS },
	{ "stp_user_addresses", BPF_TEXT | BPF_SYMBOLS | BPF_USER_STACKS },
	{ "stp_stack_addresses", BPF_TEXT }, { "stp_stack_text", BPF_TEXT | BPF_SYMBOLS },
	{ "stp_ustack", BPF_TEXT | BPF_SYMBOLS | BPF_USER_STACKS },
	{ "stp_uaddr", BPF_TEXT | BPF_SYMBOLS | BPF_USER_STACKS },
	{ "stp_print_usyms", BPF_TEXT | BPF_SYMBOLS | BPF_USER_STACKS },
	{ "stp_probefunc", BPF_TEXT | BPF_SYMBOLS | BPF_POINT_FUNCTION },
	{ "stp_pid_namespace", BPF_NAMESPACES }, { "stp_user_namespace", BPF_NAMESPACES },
	{ "stp_register_code", BPF_TEXT | BPF_REGISTERS },
	{ "stp_call_name", BPF_TEXT | BPF_CALL_NAMES }, { "stp_call_number", BPF_TEXT | BPF_CALL_NAMES },
	{ "stp_backtrace", BPF_TEXT | BPF_SYMBOLS | BPF_STACKS }, { "stp_stack", BPF_TEXT | BPF_SYMBOLS | BPF_STACKS },
};

void emit_bpf_embedded(struct emitter *e, const struct embedded *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls_of_library); i++)
		if (embedded_word(c, calls_of_library[i].call))
			emit_bpf_use(e, calls_of_library[i].use);
	if ((embedded_word(c, "stp_load_string") || embedded_word(c, "stp_pid2task") || embedded_word(c, "stp_jiffies")) &&
	    !e->programs)
		emit_bpf_use(e, BPF_KERNEL_MEMORY);
	if (embedded_has_prefix(c, "stp_mark_") ||
	    (embedded_word(c, "stp_probefunc") && e->s->module_data->names_probed_user_code))
		emit_bpf_use(e, BPF_TEXT | BPF_SYMBOLS | BPF_USER_STACKS);
}

static void write_used_operations(const struct emitter *e, struct cwriter *w)
{
	// The client uses a program to look up addresses.
	if (e->program_uses & BPF_TEXT || e->bpf_uses & BPF_SYMBOLS)
		cw_line(w, "#define STP_USES_TEXT");
	if (e->program_uses & BPF_REAL)
		cw_line(w, "#define STP_USES_REAL");
	if (e->bpf_uses & BPF_SYMBOLS)
		cw_line(w, "#define STP_USES_SYMBOLS");
	if (e->bpf_uses & BPF_KERNEL_MEMORY)
		cw_line(w, "#define STP_USES_KERNEL_MEMORY");
	if (e->program_uses & BPF_STACKS)
		cw_line(w, "#define STP_USES_STACKS");
	if (e->program_uses & BPF_USER_STACKS)
		cw_line(w, "#define STP_USES_USER_STACKS");
	if (e->program_uses & BPF_MEMORY)
		cw_line(w, "#define STP_USES_MEMORY");
	if (e->program_uses & BPF_CALL_TEXTS)
		cw_line(w, "#define STP_USES_CALL_TEXTS");
	if (e->program_uses & BPF_NAMESPACES)
		cw_line(w, "#define STP_USES_NAMESPACES");
	if (e->program_uses & BPF_CALL_NAMES)
		cw_line(w, "#define STP_USES_CALL_NAMES");
	if (e->program_uses & BPF_REGISTERS)
		cw_line(w, "#define STP_USES_REGISTERS");
	if (e->program_uses & BPF_SCALARS)
		cw_line(w, "#define STP_USES_SCALARS");
	for vec_each(&e->globals, g) {
		if (g->var->type != T_STATS || !(g->var->stat_ops & STAT_VARIANCE))
			continue;
		cw_line(w, "#define STP_USES_VARIANCE");
		break;
	}
}

// Returns the number of words that the values of @entry() of a probe take, at least 1.
static int entry_words(const struct emitter *e)
{
	int max = 1;

	for vec_each(&e->s->script.probes, p) {
		int words = bpf_carries(*p) ? optimize_entry_words(e->s, *p, (*p)->entries.n) : 0;

		max = words > max ? words : max;
	}
	return max;
}

static void write_calls(const struct emitter *e, struct cwriter *w)
{
	enum { CALLS_MAX = 1 << 16, TABLE_BYTES = 32 << 20, ROW_BYTES = 64, WAYS = 8 };  // see bpf_calls.h
	int64_t calls = 0, fit = TABLE_BYTES / (ROW_BYTES + 8 * entry_words(e));

	for vec_each(&e->s->script.probes, p)
		if (bpf_carries(*p) && (*p)->family->bpf_calls)
			calls += (*p)->family->bpf_calls(*p);
	if (!calls)
		return;
	calls = calls > CALLS_MAX ? CALLS_MAX : calls;
	calls = calls > fit ? fit : calls;
	cw_line(w, "#define STP_USES_CALLS");
	cw_line(w, "#define STP_CALL_SETS %" PRId64, power_of_two((calls + WAYS - 1) / WAYS));
}

// Writes how often a program tries to take a lock: rounds of 0.1 us, and waits of so many rounds. The verifier accepts
// about 2,000 passes of a loop.
static void emit_lock_waits(struct session *s, struct cwriter *w)
{
	int64_t delay = session_limit(s, LIMIT_TRYLOCKDELAY);
	int64_t tries = session_limit(s, LIMIT_MAXTRYLOCK) * (delay ? delay * 10 : 1);
	int64_t rounds = tries > 100000 ? 1000 : 100;

	cw_line(w, "#define STP_LOCK_ROUNDS %" PRId64, rounds);
	cw_line(w, "#define STP_LOCK_WAITS %" PRId64, (tries + rounds - 1) / rounds);
}

static void write_hist_text(const struct emitter *e, struct cwriter *w)
{
	cw_line(w, "#define STP_HIST_WORDS %" PRId64, e->hist_words ? e->hist_words : 1);
	if (!(e->program_uses & BPF_HIST_TEXT))
		return;
	cw_line(w, "#define STP_USES_HIST_TEXT");
	cw_line(w, "#define STP_HIST_WIDTH %" PRId64, session_limit(e->s, LIMIT_HIST_WIDTH));
	cw_line(w, "#define STP_HIST_ELISION (%" PRId64 ")", session_limit(e->s, LIMIT_HIST_ELISION));
	cw_line(w, "#define STP_HIST_PERCENTILES %d", session_limit(e->s, LIMIT_HIST_PERCENTILES) != 0);
}

void emit_bpf_head(struct emitter *e, struct cwriter *w)
{
	emit_lock_waits(e->s, w);
	cw_line(w, "#define STP_PERCPU_WORDS %" PRId64, percpu_words(e));
	cw_line(w, "#define STP_MERGED_WORDS %" PRId64, programs_read_statistics(e) ? percpu_words(e) : 4);
	if (only_user_probes(e))
		cw_line(w, "#define STP_SLEEPABLE");
	if (any_base_helpers(e))
		cw_line(w, "#define STP_BASE_HELPERS");
	cw_line(w, "#define STP_KEY_STRINGS %d", key_strings(e));
	cw_line(w, "#define STP_ENTRY_WORDS %d", entry_words(e));
	write_hist_text(e, w);
	emit_bpf_stack_sizes(e, w);
	cw_line(w, "#define STP_FRAMES_SIZE (%d * STP_TEXT_SIZE + 8)", event_strings(e));
	cw_line(w, "#define STP_ACTIONS_MAX %" PRId64, e->s->opt.suppress_time_limits ? INT32_MAX / 10 :
		session_limit(e->s, LIMIT_MAXACTION));
	cw_line(w, "#ifdef STP_BPF");
	write_used_operations(e, w);
	write_calls(e, w);
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

void emit_bpf_map(struct emitter *e, struct cwriter *w, const struct global *g, const char *size, int64_t capacity)
{
	const struct var *v = g->var;
	struct buf types = { 0 };
	int strings = 0;

	for (int i = 0; i < v->arity; i++) {
		strings += v->key_types[i] == T_STRING;
		buf_printf(&types, "%s%s", i ? ", " : "", v->key_types[i] == T_STRING ? "STP_STRING" : "STP_LONG");
	}
	cw_line(w, "#define STP_MAP_NAME %s", g->name);
	cw_line(w, "#define STP_MAP_SECTION \".bss.%s\"", g->name);
	cw_line(w, "#define STP_MAP_TYPES { %s }", buf_text(&types));
	cw_line(w, "#define STP_MAP_NUMBERS %d", v->arity - strings);
	cw_line(w, "#define STP_MAP_STRINGS %d", strings);
	cw_line(w, "#define STP_MAP_WORDS ((%s) / 8)",
		v->type == T_STATS ? size : v->type == T_STRING ? "STP_TEXT_SIZE" : "8");
	cw_line(w, "#define STP_MAP_IS_STRING %d", v->type == T_STRING);
	cw_line(w, "#define STP_MAP_CAPACITY %" PRId64, capacity);
	cw_line(w, "#define STP_MAP_BUCKETS %" PRId64, power_of_two(capacity));
	cw_line(w, "#define STP_MAP_WRAP %d", v->wrap);
	cw_line(w, "#define STP_MAP_SIZED %d", v->max_size > 0);
	cw_line(w, "#define STP_MAP_WALKED %d", g->walked);
	if (g->locked)
		cw_line(w, "#define STP_MAP_LOCK .lock = &lock_%s, .lock_word = %d", g->name + 2, emit_bpf_lock_number(e, g));
	else
		cw_line(w, "#define STP_MAP_LOCK .lock = NULL");
	cw_line(w, "#include \"bpf_table.h\"");
}

// Two globals may share a word: then their handlers exclude each other.
int emit_bpf_lock_number(const struct emitter *e, const struct global *g)
{
	enum { LOCK_WORDS = 64 };  // STP_LOCK_WORDS in bpf_shared.h
	int n = 0;

	for (const struct global *before = e->globals.at; before < g; before++)
		n += before->locked;
	return n % LOCK_WORDS;
}

// Returns the lock words of these globals, each once, as calls of `function` that are joined by `with`.
static const char *lock_calls(struct emitter *e, const access_list *uses, const char *function, const char *with)
{
	struct buf b = { 0 };
	uint64_t taken = 0;

	for vec_each(uses, use) {
		const struct global *g = emit_global(e, use->var);
		int number = emit_bpf_lock_number(e, g);

		if (!(taken >> number & 1))
			buf_printf(&b, "%s%s(c, lock_%s)", taken ? with : "", function, g->name + 2);
		taken |= 1ull << number;
	}
	return buf_text(&b);
}

static void write_locks(struct emitter *e, struct cwriter *w, const char *handler, const access_list *uses)
{
	const char *take = lock_calls(e, uses, "bpf_lock", " && ");

	cw_line(w, "STP_LOCKS_OF(%s, %s, %s)", handler, *take ? take : "true", lock_calls(e, uses, "bpf_unlock", ", "));
}

void emit_bpf_locks(struct emitter *e, struct cwriter *w)
{
	cw_line(w, "#ifdef STP_BPF");
	for vec_each(&e->s->script.probes, it) {
		const struct probe *p = *it;

		if (p->shares || !bpf_carries(p))
			continue;
		if (!p->same_body) {
			write_locks(e, w, str_printf("p%d", p->index), &e->locks_of[p->index]);
			emit_bpf_takes(e, w, p);
		}
		if (p->entries.n)
			write_locks(e, w, str_printf("p%d_entry", p->index), &e->entry_locks_of[p->index]);
	}
	cw_line(w, "#endif");
	cw_blank(w);
}

// ---------------------------------------------------------------- programs

const char *emit_bpf_registers(struct session *s, const struct probe *p)
{
	const struct module_data *d = s->module_data;
	unsigned mask = 0;

	if (p->reg_mask == ~0u)
		return "STP_ALL_REGISTERS";
	for (int n = 0; p->uses_regs && n < d->registers && n < 32; n++)
		if (p->reg_mask >> n & 1 && d->register_offsets[n] >= 0)
			mask |= 1u << d->register_offsets[n] / 8;
	return str_printf("0x%x", mask);
}

// Samples may have the registers of a process, which @uregister() reads.
const char *emit_bpf_sampled_registers(struct session *s, const struct probe *p)
{
	return p->names_regs ? "STP_ALL_REGISTERS" : emit_bpf_registers(s, p);
}

int emit_bpf_entries(struct session *s, struct cwriter *w, const struct probe *first,
		     const struct probe *const *probes, int n)
{
	int most = 0;

	cw_line(w, "STP_GLOBAL_FUNCTION int entries_%d(struct stp_slot *s)", first->index);
	cw_line(w, "{");
	cw_line(w, "if (!s)");
	cw_line(w, "\treturn 0;");
	cw_line(w, "switch (s->probe) {");
	for (int i = 0; i < n; i++) {
		const struct probe *same = probes[i]->same_body ? probes[i]->same_body : probes[i];
		int words = optimize_entry_words(s, probes[i], probes[i]->entries.n);

		most = words > most ? words : most;
		cw_line(w, "case %d: return %s;", probes[i]->index, probes[i]->entries.n ?
			str_printf("STP_RUN_ENTRY(s, p%d_entry)", same->index) : "1");
	}
	cw_line(w, "}");
	cw_line(w, "return 0;");
	cw_line(w, "}");
	return most;
}

static void count_argument(struct use_walker *w, const struct expr *e)
{
	int *n = w->data;

	if (e->kind == E_REGISTER && !e->u.reg.number_expr && e->u.reg.number >= DI_ARGUMENT + *n)
		*n = e->u.reg.number - DI_ARGUMENT + 1;
}

int emit_arguments_read(const struct probe *p)
{
	int n = 0;
	struct use_walker w = { .expr = count_argument, .data = &n };

	use_probe(&w, p);
	return n;
}

// ---------------------------------------------------------------- arrays that a handler of the client empties

// Uses of one array in the body of a handler and in the functions that it calls.
struct array_uses {
	struct use_walker w;
	const struct var *array;
	int writes;
};

static void count_write(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct array_uses *u = w->data;

	u->writes += v == u->array && (use & USE_WRITE);
}

static void count_called(struct use_walker *w, struct func *f, struct loc loc)
{
	struct array_uses *u = w->data;
	access_list writes = { 0 };

	access_func_writes(f, &writes);
	for vec_each(&writes, use)
		u->writes += use->var == u->array;
}

static bool find_leave(struct ast_walker *w, struct stmt **st)
{
	*(bool *)w->data |= (*st)->kind == S_NEXT || (*st)->kind == S_RETURN;
	return true;
}

static bool leaves(struct stmt *st)
{
	bool found = false;
	struct ast_walker w = { .stmt = find_leave, .data = &found };

	ast_walk_stmt(&w, &st);
	return found;
}

// Returns the array that a statement deletes as a whole, or NULL.
static struct var *deleted_array(const struct stmt *st)
{
	struct var *v = st->kind == S_DELETE && st->u.expr->kind == E_VAR ? st->u.expr->u.var.decl : NULL;

	return v && v->kind == VAR_GLOBAL && v->arity > 0 ? v : NULL;
}

// A handler that only reads an array and then deletes all of it moves the elements to a copy at its start, so that
// hits do not wait for it. If an error ends it earlier, the client adds them back.
static void write_taken_of(struct emitter *e, struct cwriter *w, const struct probe *p)
{
	struct stmt *body = p->body;

	if (body->kind == S_BLOCK && body->u.block.n == 1 && body->u.block.at[0]->kind == S_BLOCK)
		body = body->u.block.at[0];
	if (body->kind != S_BLOCK)
		return;
	for vec_each(&body->u.block, st) {
		struct array_uses uses = { .array = deleted_array(*st) };

		if (leaves(*st))
			return;
		if (!uses.array)
			continue;
		uses.w = (struct use_walker){ .var = count_write, .call = count_called, .data = &uses };
		use_stmt(&uses.w, p->body);
		if (uses.writes == 1)
			cw_line(w, "{ %s, &%s_shared },", emit_probe_ref(p), emit_global(e, (struct var *)uses.array)->name);
	}
}

static void write_taken(struct emitter *e, struct cwriter *w)
{
	cw_line(w, "static const struct stp_probe stp_probes[%d];", e->probes);
	cw_line(w, "static const struct stp_taken stp_taken[] = {");
	for vec_each(&e->s->script.probes, p)
		if (!(*p)->shares && !(*p)->same_body && bpf_client_runs(*p) && !(*p)->family->exclusive)
			write_taken_of(e, w, *p);
	cw_line(w, "{ NULL }");
	cw_line(w, "};");
}

static const char *lock_of(const struct emitter *e, const struct global *g)
{
	return g->locked ? str_printf("&lock_%s, %d", g->name + 2, emit_bpf_lock_number(e, g)) : "NULL, 0";
}

// Lists the globals that the client copies, with their locks.
static void write_shared(struct emitter *e, struct cwriter *w)
{
	cw_line(w, "static const struct stp_shared stp_shared[] = {");
	for vec_each(&e->globals, g) {
		if (g->var->arity <= 0 && g->var->type != T_STATS && !emit_is_adder(g->var))
			cw_line(w, "{ \"%s\", %s%s, sizeof(%s), %s },", g->name, g->var->type == T_STRING ? "" : "&", g->name,
				g->name, lock_of(e, g));
	}
	cw_line(w, "{ NULL }");
	cw_line(w, "};");
	cw_line(w, "static const struct stp_shared_stat stp_shared_stats[] = {");
	for vec_each(&e->globals, g)
		if (is_shared_statistic(g))
			cw_line(w, "{ &%s, %s },", g->name, lock_of(e, g));
	cw_line(w, "{ NULL }");
	cw_line(w, "};");
	cw_line(w, "static const struct stp_shared_map *const stp_shared_maps[] = {");
	for vec_each(&e->globals, g)
		if (g->var->arity > 0)
			cw_line(w, "&%s_shared,", g->name);
	cw_line(w, "NULL");
	cw_line(w, "};");
}

// Lists the offsets of the counters in struct percpu, which the client sums over all slots.
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
	write_taken(e, w);
	cw_line(w, "STP_BPF_LAYOUT(%s, %d, %s);", n ? "stp_adders" : "NULL", n,
		e->bound_at ? emit_c_string(e->bound_at) : "NULL");
}

// ---------------------------------------------------------------- texts of probes

// Returns the name of a system call's function, as probefunc() in a module does; NULL for other points.
static const char *call_function(const struct probe *p)
{
	const char *at = strstr(p->point, "syscall.");

	if (!at || (at > p->point && at[-1] != '_'))
		return NULL;
	at += strlen("syscall.");
	return str_printf("__x64_sys_%.*s", (int)strcspn(at, "."), at);
}

// Returns the name of the function in a point, as ppfunc() of the library does.
static const char *point_function(const struct probe *p)
{
	static const char *const before[] = { ".callee(\"", "function(\"", "statement(\"" };

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		const char *at = strstr(p->point, before[i]);

		if (at)
			return str_ndup(at + strlen(before[i]), strcspn(at + strlen(before[i]), "@\""));
	}
	return call_function(p) ? call_function(p) : "";
}

static const char *point_resolved(const struct probe *p)
{
	return p->point;
}

static const char *point_written(const struct probe *p)
{
	return p->written ? p->written : p->point;
}

static const char *point_name(const struct probe *p)
{
	return p->shared_name ? p->shared_name : "";
}

static const struct point_text {
	unsigned use;
	const char *kind;                      // the runtime's name of the table
	const char *(*text)(const struct probe *p);
} point_texts[] = {
	{ BPF_POINT_RESOLVED, "STP_POINT_RESOLVED", point_resolved },
	{ BPF_POINT_WRITTEN, "STP_POINT_WRITTEN", point_written },
	{ BPF_POINT_NAME, "STP_POINT_NAME", point_name },
	{ BPF_POINT_FUNCTION, "STP_POINT_FUNCTION", point_function },
};

// Writes a table of texts by the number of the probe. Long texts are truncated like strings.
static void write_point_text(struct emitter *e, struct cwriter *w, const struct point_text *t)
{
	int max = (int)emit_string_len(e) - 1, longest = 0;
	const char *size;

	for vec_each(&e->s->script.probes, p) {
		int len = (int)strlen(t->text(*p));

		longest = len > longest ? len : longest;
	}
	longest = longest < max ? longest : max;
	size = str_printf("%d, %" PRId64, longest / 8 * 8 + 8, power_of_two(e->s->script.probes.n));
	cw_line(w, "STP_POINTS(%s, %s) = {", t->kind, size);
	for vec_each(&e->s->script.probes, p)
		if (bpf_carries(*p))
			cw_line(w, "[%d] = %s,", (*p)->index, emit_c_string(str_printf("%.*s", max, t->text(*p))));
	cw_line(w, "};");
	cw_line(w, "STP_POINTS_OF(%s, %s)", t->kind, size);
}

static void write_point_texts(struct emitter *e, struct cwriter *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(point_texts); i++)
		if (e->program_uses & point_texts[i].use)
			write_point_text(e, w, &point_texts[i]);
}

// Writes one program for each event probe, and the beginning of the part of the text that is for the client.
void emit_bpf_programs(struct emitter *e, struct cwriter *w)
{
	cw_line(w, "#ifdef STP_BPF");
	write_point_texts(e, w);
	for vec_each(&e->s->script.probes, it) {
		const struct probe *p = *it, *body = p->same_body ? p->same_body : p;

		if (p->is_bound)
			emit_bpf_bind(e, p->loc);
		if (p->shares || !bpf_carries(p))
			continue;
		p->family->bpf_program(e->s, p, w, str_printf("%d, p%d, %s, %d", p->index, body->index, p->condition ?
							str_printf("p%d_condition", p->index) : "stp_always",
							e->locks_late[body->index]));
	}
	cw_line(w, "#else");
	write_adders(e, w);
}
