// SPDX-License-Identifier: GPL-2.0-or-later
// Probes of functions and statements -> the table of struct stp_function. Probes with a common handler that never
// uses its point become one entry with many addresses, so that registering a wildcard is fast.
#include "debuginfo/arch.h"
#include "elab/elab.h"
#include "emit/emit.h"
#include "target/kernel.h"
#include "probes/function.h"
#include "util/map.h"
#include "util/numbers.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

struct point_use {
	bool point;                // a visited function uses pp()
	struct numbers seen;       // functions that were visited: set of struct func *
};

static void visit_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct point_use *uses = w->data;

	if (!numbers_add(&uses->seen, f))
		return;
	if (f->embedded)
		uses->point |= embedded_has_prefix(f->embedded, "stp_pp") || embedded_has_prefix(f->embedded, "probe");
	if (f->body)
		use_stmt(w, f->body);
}

static void visit_c(struct use_walker *w, const struct expr *e)
{
	struct point_use *uses = w->data;

	if (e->kind == E_EMBEDDED)
		uses->point = true;
}

// Returns whether the handler uses its point. All addresses of an entry have the point of the first one.
static bool asks_for_point(const struct probe *p)
{
	struct point_use uses = { 0 };
	struct use_walker w = { .call = visit_call, .expr = visit_c, .data = &uses };

	use_probe(&w, p);
	return uses.point;
}

struct group {
	const struct probe *first;
	int sites;                 // number of its array of sites
	int packed_at;             // index of its first row in the arrays of packed sites; -1: it has its own array
	bool needs_all_regs;
	bool trampoline;           // BPF programs may use the function's trampoline
	VEC(struct probe *) probes;
};
typedef VEC(struct group) groups;

static const struct probe *handler_of(const struct probe *p)
{
	return p->same_body ? p->same_body : p;
}

// Returns the key of the group that the probe can join, or NULL if it can join none.
static const char *key_of(const struct probe *p)
{
	const struct function_probe *d = p->data;

	if (p->entries.n || p->condition)
		return NULL;
	return str_printf("%p %d %d %d %lld %s", (const void *)handler_of(p), d->is_return, d->optional, d->wildcard,
			  (long long)d->maxactive, p->written ? p->written : "");     // pn()
}

// Returns whether two probes have equal keys, which is faster than writing both.
static bool is_alike(const struct probe *p, const struct probe *q)
{
	const struct function_probe *d = p->data, *e = q->data;

	return !p->entries.n && !p->condition && !q->entries.n && !q->condition && handler_of(p) == handler_of(q) &&
	       d->is_return == e->is_return && d->optional == e->optional && d->wildcard == e->wildcard &&
	       d->maxactive == e->maxactive && p->written == q->written;
}

// Returns whether the handler needs more registers than are saved at an entry; at a return only the return value is
// saved.
static bool needs_all_regs(struct session *s, const struct probe *p)
{
	const struct function_probe *d = p->data;
	const struct arch *arch = arch_find(s->kernel->arch);
	unsigned given = arch->entry_mask;

	if (d->is_return)
		given |= 1u << arch->return_value;
	return p->uses_regs && (p->reg_mask & ~given);
}

static void group_probes(struct session *s, struct probe **probes, int n, groups *out)
{
	struct map by_key = { 0 };         // values: numbers of groups, starting at 1
	intptr_t into = 0;
	bool shared = false;               // the last probe joined an earlier group, which similar ones will join,
					   // too

	for (int i = 0; i < n; i++) {
		struct probe *p = probes[i];
		const char *key = NULL;

		if (!shared || !is_alike(probes[i - 1], p)) {
			key = key_of(p);
			into = key ? (intptr_t)map_get(&by_key, key) : 0;
			shared = into;
		}
		if (!into) {
			vec_push(out, ((struct group){ .first = p, .sites = out->n }));
			into = out->n;
			shared = key && !asks_for_point(p);
			if (shared)
				map_put(&by_key, key, (void *)into);
		}
		out->at[into - 1].needs_all_regs |= needs_all_regs(s, p);
		vec_push(&out->at[into - 1].probes, p);
	}
}

void function_share(struct session *s, struct probe **probes, int n)
{
	groups all = { 0 };

	group_probes(s, probes, n, &all);
	for vec_each(&all, g)
		for vec_each(&g->probes, p)
			if (*p != g->first)
				(*p)->shares = g->first;
}

// Returns the offset of the address from the start of its symbol, which the loader finds.
static uint64_t offset_of(const struct function_probe *d)
{
	const struct di_function *f = d->function;

	return d->is_absolute ? d->absolute : f->has_address ? f->address - f->symbol_address : 0;
}

// Returns the symbol that the loader finds, and in *distance the distance to the function: from the symbol, or in
// the kernel from _stext.
static const char *symbol_of(const struct function_probe *d, int64_t *distance)
{
	const struct di_function *f = d->function;
	uint64_t base = di_kernel_base(f->module);

	*distance = 0;
	if (d->is_absolute)
		return "";
	if (d->module)
		return di_function_anchor(f, distance);
	if (base && f->has_address && f->symbol_address > base)
		*distance = f->symbol_address - base;
	return f->symbol;
}

static void emit_site(struct cwriter *w, const struct probe *p)
{
	const struct function_probe *d = p->data;
	struct buf b = { 0 };
	int64_t distance;

	buf_printf(&b, "{ .symbol = %s, ", emit_c_string(symbol_of(d, &distance)));
	if (d->module)
		buf_printf(&b, ".module = %s, ", emit_c_string(d->module));
	if (distance)
		buf_printf(&b, ".base_offset = %s0x%llxULL, ", distance < 0 ? "-" : "", llabs(distance));
	if (offset_of(d))
		buf_printf(&b, ".offset = 0x%llxULL, ", (unsigned long long)offset_of(d));
	cw_line(w, "%s}, /* %s */", b.text, p->point);
}

// The written names: zero-terminated texts, one after the other.
struct names {
	struct buf text;
	const char *last;          // the last symbol: successive sites often have the same
	int last_at;
	struct map modules;        // values: offsets, starting at 1
};

// Writes a name; returns its offset.
static int add_name(struct names *n, const char *name)
{
	int at = (int)n->text.len;

	buf_add(&n->text, name, strlen(name) + 1);
	return at;
}

// Functions seldom have equal names: searching for those would take longer than writing both.
static int symbol_at(struct names *n, const char *symbol)
{
	if (n->last && !strcmp(n->last, symbol))
		return n->last_at;
	n->last = symbol;
	n->last_at = add_name(n, symbol);
	return n->last_at;
}

static int module_at(struct names *n, const char *module)
{
	intptr_t at = (intptr_t)map_get(&n->modules, module);

	if (!at) {
		at = add_name(n, module) + 1;
		map_put(&n->modules, module, (void *)at);
	}
	return at - 1;
}

static bool is_packed(const struct group *g)
{
	return g->packed_at >= 0;
}

// Writes a number in the byte order of the target, which is little-endian.
// Writes the addresses of all groups that are packed, rows of struct stp_packed_site, which need no relocation.
static void emit_packed(struct session *s, struct cwriter *w, const groups *all, int sites)
{
	struct names names = { 0 };
	struct buf rows = { 0 };

	add_name(&names, "");
	for vec_each(all, g) {
		if (!is_packed(g))
			continue;
		for vec_each(&g->probes, p) {
			const struct function_probe *d = (*p)->data;
			int64_t distance;
			int symbol = symbol_at(&names, symbol_of(d, &distance));
			int module = d->module ? module_at(&names, d->module) : 0;

			emit_u32(&rows, (uint32_t)symbol);
			emit_u32(&rows, (uint32_t)module);
			emit_u32(&rows, (uint32_t)distance);
			emit_u32(&rows, (uint32_t)offset_of(d));
		}
	}
	emit_bytes(s, w, "const char", "stp_function_names", &names.text);
	emit_bytes(s, w, "const struct stp_packed_site", "stp_function_packed", &rows);
	cw_line(w, "static struct stp_site stp_function_sites[%d];", sites);
}

#define PACKED_FROM 256

static void emit_sites(struct session *s, struct cwriter *w, groups *all)
{
	int sites = 0;

	for vec_each(all, g) {
		const struct function_probe *first = g->first->data;

		g->packed_at = first->is_absolute ? -1 : sites;
		sites += first->is_absolute ? 0 : g->probes.n;
	}
	if (sites >= PACKED_FROM)
		emit_packed(s, w, all, sites);
	for vec_each(all, g) {
		if (sites >= PACKED_FROM && is_packed(g))
			continue;
		g->packed_at = -1;
		cw_line(w, "static struct stp_site stp_function_sites_%d[] = {", g->sites);
		for vec_each(&g->probes, p)
			emit_site(w, *p);
		cw_line(w, "};");
	}
}

static bool is_free(const struct expr *x);

// Returns whether it is a call of "pragma:context-free" C, or of a function that only returns such a call.
static bool is_free_call(const struct expr *x)
{
	const struct func *f = x->u.call.target;
	const struct stmt *body = f ? f->body : NULL;

	if (!f || f->next_overload || x->u.call.args.n)
		return false;
	if (f->embedded)
		return func_has(f, PRAGMA_CONTEXT_FREE) && f->type == T_LONG;
	if (body && body->kind == S_BLOCK && body->u.block.n == 1)
		body = body->u.block.at[0];
	return body && body->kind == S_RETURN && body->u.expr && !f->recursive && is_free(body->u.expr);
}

// Returns whether it needs no context except the registers, and cannot fail.
static bool is_free(const struct expr *x)
{
	switch (x->kind) {
	case E_NUMBER:
		return true;
	case E_REGISTER:
		return !x->u.reg.user && !x->u.reg.number_expr;
	case E_BINARY:
		if (x->type != T_LONG || !is_free(x->u.bin.l) || !is_free(x->u.bin.r) || x->u.bin.l->type != T_LONG)
			return false;
		if (x->u.bin.op == TOK_DIV || x->u.bin.op == TOK_MOD)
			return x->u.bin.r->kind == E_NUMBER && x->u.bin.r->u.number > 0;
		return true;
	case E_CALL:
		return is_free_call(x);
	default:
		return false;
	}
}

// Submatches are stored in the context, which is not available to entries without context. BPF programs have no such
// entries.
static bool entries_are_free(const struct session *s, const struct probe *p)
{
	if (emit_keeps_matches(s) || s->opt.bpf_runtime)
		return false;
	for vec_each(&p->entries, x)
		if ((*x)->type == T_STRING || !is_free(*x))
			return false;
	return true;
}

static bool all_allowed(const struct group *g)
{
	for vec_each(&g->probes, p)
		if (((const struct function_probe *)(*p)->data)->function->kprobe != DI_KPROBE_ALLOWED)
			return false;
	return true;
}

// Returns the probe whose BPF program serves p: the first with the same handler and kind, if both probe whole
// functions. The cookie of a hit is then the number of its probe.
static const struct probe *program_of(struct session *s, const struct probe *p)
{
	for vec_each(&s->script.probes, q)
		if (*q == p || ((*q)->family == p->family && !(*q)->shares && is_alike(*q, p) && !offset_of((*q)->data) &&
				!offset_of(p->data)))
			return *q;
	return p;
}

// Writes the values of one row of a run.
static void emit_run_row(struct cwriter *w, const struct group *g)
{
	cw_line(w, ".probe = %s,", emit_probe_ref(g->first));
	if (is_packed(g))
		cw_line(w, ".sites = &stp_function_sites[%d], .names = stp_function_names, "
			".packed = stp_function_packed + %d,", g->packed_at, g->packed_at);
	else
		cw_line(w, ".sites = stp_function_sites_%d,", g->sites);
}

static bool has_stacks(const struct session *s)
{
	for vec_each(&s->script.probes, p)
		if (!(*p)->shares && bpf_takes(*p) & BPF_TAKES_STACK)
			return true;
	return false;
}

// Returns whether the kernel can attach a BPF program to the function's trampoline. It finds the function by its
// symbol, and by the symbol its prototype, which may be that of another function with the symbol: then it would
// change arguments. Call stacks have the trampolines of returns as frames.
static bool may_use_trampoline(const struct group *g, bool stacks)
{
	const struct function_probe *d = g->first->data;

	return g->probes.n == 1 && !d->module && !d->is_absolute && !di_is_repeated(d->function) &&
	       !(d->is_return && stacks);
}

// Returns the number of the function's parameters by DWARF; -1: unknown.
static int parameters_of(const struct di_function *f)
{
	di_names names = { 0 };

	di_variable_names(f, true, &names);
	return di_module_source(f->module) == DI_SOURCE_DWARF && f->has_types ? names.n : -1;
}

static void emit_entry(struct session *s, struct cwriter *w, const struct group *g)
{
	const struct probe *p = g->first;
	const struct function_probe *d = p->data;

	cw_line(w, ".nsites = %d,", g->probes.n);
	if (s->opt.bpf_runtime)
		cw_line(w, ".program = %d, .registers = %s,", program_of(s, p)->index, emit_bpf_registers(s, p));
	if (g->trampoline)
		cw_line(w, ".trampoline = true, .parameters = %d,", parameters_of(d->function));
	if (d->is_return)
		cw_line(w, ".is_return = true,");
	if (d->wildcard)
		cw_line(w, ".wildcard = true,");
	if (d->is_return && all_allowed(g))
		cw_line(w, ".allowed = true,");
	if (d->optional)
		cw_line(w, ".optional = true,");
	if (g->needs_all_regs || (s->opt.bpf_runtime && bpf_takes(p) & (BPF_TAKES_STACK | BPF_TAKES_EXACT)))
		cw_line(w, ".needs_all_regs = true,");
	if (p->entries.n) {
		cw_line(w, ".entry_size = %d,", optimize_entry_bytes(s, p));
		cw_line(w, entries_are_free(s, p) ? ".entry_free = p%d_entry_free," : ".entry = p%d_entry,", p->index);
	}
	if (d->maxactive)
		cw_line(w, ".maxactive = %lld,", (long long)d->maxactive);
}

// Returns whether g continues a run of groups with one probe each, in which probes and sites are in the same order.
static bool continues_run(const struct group *last, const struct group *g)
{
	return g->probes.n == 1 && last->probes.n == 1 && is_packed(g) && is_packed(last) &&
	       g->packed_at == last->packed_at + 1 && g->first->index == last->first->index + 1;
}

static void emit_run(struct cwriter *w, const struct group *first, int n, const struct cwriter *entry)
{
	cw_line(w, "{ %d, {", n);
	emit_run_row(w, first);
	cw_append(w, entry);
	cw_line(w, "} },");
}

// Writes all groups in their compact form.
static void emit_runs(struct session *s, struct cwriter *w, const groups *all)
{
	struct cwriter entry = { .depth = 2 }, last = { .depth = 2 };
	const struct group *first = NULL;

	cw_line(w, "static struct stp_function stp_functions[%d];", all->n);
	cw_line(w, "static const struct stp_function_run stp_function_runs[] = {");
	for vec_each(all, g) {
		entry.text.len = 0;
		emit_entry(s, &entry, g);
		if (first && (!continues_run(g - 1, g) || strcmp(buf_text(&entry.text), buf_text(&last.text)))) {
			emit_run(w, first, (int)(g - first), &last);
			first = NULL;
		}
		if (!first) {
			struct cwriter other = last;

			first = g;
			last = entry;
			entry = other;
		}
	}
	emit_run(w, first, (int)(all->at + all->n - first), &last);
	cw_line(w, "};");
	emit_family_runs(s, "function", "stp_functions", all->n, "stp_function_runs");
}

static void emit_table(struct session *s, struct cwriter *w, const groups *all)
{
	cw_line(w, "static struct stp_function stp_functions[] = {");
	for vec_each(all, g) {
		cw_line(w, "{");
		emit_run_row(w, g);
		emit_entry(s, w, g);
		cw_line(w, "},");
	}
	cw_line(w, "};");
	emit_family_table(s, "function", "stp_functions", all->n);
}

void function_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest)
{
	const struct function_probe *d = p->data;
	bool shared = false;

	if (program_of(s, p) != p)
		return;
	for vec_each(&s->script.probes, q)
		shared |= *q != p && (*q)->family == p->family && !(*q)->shares && program_of(s, *q) == p;
	if (p->entries.n) {
		cw_line(w, "STP_ON_FUNCTION_CALL(%s, %d, %s)", emit_bpf_registers(s, p), emit_bpf_entries(s, w, p, &p, 1), rest);
		return;
	}
	cw_line(w, "STP_ON_FUNCTION(%d, %d, %s, %s)", d->is_return, shared, emit_bpf_registers(s, p), rest);
}

// Returns the maximum number of calls of one function in progress, which equals the module's limit for functions
// that sleep.
int function_bpf_calls(const struct probe *p)
{
	enum { SLEEPING = 256 };
	int64_t maxactive = ((const struct function_probe *)p->data)->maxactive;

	return !p->entries.n ? 0 : maxactive > SLEEPING ? (int)maxactive : SLEEPING;
}

void function_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	bool stacks = s->opt.bpf_runtime && has_stacks(s);
	groups all = { 0 };

	group_probes(s, probes, n, &all);
	for vec_each(&all, g)
		g->trampoline = s->opt.bpf_runtime && may_use_trampoline(g, stacks);
	for vec_each(&all, g)
		if (g->first->entries.n && entries_are_free(s, g->first))
			cw_line(w, "STP_ENTRY_FREE(p%d_entry)", g->first->index);
	emit_sites(s, w, &all);
	if (all.n >= PACKED_FROM && !s->opt.bpf_runtime)
		emit_runs(s, w, &all);
	else
		emit_table(s, w, &all);
}
