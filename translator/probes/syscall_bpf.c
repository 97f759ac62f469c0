// SPDX-License-Identifier: GPL-2.0-or-later
// --runtime=bpf: programs of system calls. A program serves all probes that share a handler, so that a wildcard
// makes a few programs: the program first calls a function, which the compiler translates to comparisons, that
// finds the probe by the number of the call.
#include "emit/emit.h"
#include "probes/syscall.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { NUMBERS = 0x10000, NAME_SIZE = 32 };    // values of STP_ON_SYSCALL() and struct stp_call_names in bpf_hits.h
enum { SPLIT_FROM = 1000 };                    // first number of calls that 32-bit processes make by socketcall()
					       // and ipc()
static const int executions[] = { 59, 322, NUMBERS + 11, NUMBERS + 358, -1 };  // execve(), execveat()

typedef VEC(const struct probe *) served_list;
typedef VEC(int) int_list;

struct numbers_of { const struct abi *abis; int_list *out; };

static void add_numbers(const struct syscall_row *row, void *data)
{
	const struct numbers_of *to = data;

	for (const struct abi *abi = to->abis; abi->column >= 0; abi++)
		if (row->number[abi->column] >= 0)
			vec_push(to->out, (abi->bits == 32 ? NUMBERS : 0) + row->number[abi->column]);
}

// Returns the numbers of the calls of a probe; numbers of 32-bit processes begin at NUMBERS.
static int_list numbers_of(struct session *s, const struct probe *p)
{
	int_list list = { 0 };
	struct numbers_of to = { syscall_abis(s), &list };

	syscall_each_row(p->data, false, add_numbers, &to);
	return list;
}

static bool overlap(const int_list *a, const int_list *b)
{
	for vec_each(a, x)
		for vec_each(b, y)
			if (*x == *y)
				return true;
	return false;
}

enum entries { ENTRIES_NONE, ENTRIES_LATE, ENTRIES_SAVED };

// Returns when values of @entry() are computed: at the return if they are arguments, otherwise at the entry.
static enum entries entries_of(const struct probe *p)
{
	return !p->entries.n ? ENTRIES_NONE : syscall_entries_are_arguments(p) ? ENTRIES_LATE : ENTRIES_SAVED;
}

// Returns whether the program at the entry saves argstr for the return.
static bool saves_text(const struct probe *p)
{
	const struct syscall_probe *d = p->data;

	return d->is_return && syscall_asks_for_argstr(p);
}

// A thread is in one call at a time, so probes of a wildcard need the rows of one of them for argstr. A set of rows may
// be full while others are empty: with so many rows, that is unlikely while the 4,096 texts (stp_call_texts) suffice.
int syscall_bpf_calls(const struct probe *p)
{
	if (saves_text(p) && !p->same_body)
		return 32768;
	return entries_of(p) == ENTRIES_SAVED ? 8192 : 0;
}

static bool share_handler(const struct probe *p, const struct probe *q)
{
	const struct syscall_probe *d = p->data, *e = q->data;

	return (p->same_body ? p->same_body : p) == (q->same_body ? q->same_body : q) && d->is_return == e->is_return &&
	       !d->any && !e->any && !p->condition && !q->condition && syscall_asks_for_text(p) == syscall_asks_for_text(q) &&
	       entries_of(p) == entries_of(q);
}

// Returns the probes that the program of `first` serves, including `first`; none if another program serves it. If
// several of them name the same call, each has its own program.
static served_list served_by(struct session *s, const struct probe *first)
{
	int_list taken = { 0 };
	served_list served = { 0 };
	bool leads = true;

	for vec_each(&s->script.probes, it) {
		const struct probe *p = *it;
		int_list numbers;

		if (p != first && (p->family != first->family || !share_handler(p, first)))
			continue;
		numbers = numbers_of(s, p);
		if (overlap(&taken, &numbers)) {
			if (p == first)
				leads = false;
			continue;
		}
		for vec_each(&numbers, n)
			vec_push(&taken, *n);
		vec_push(&served, p);
	}
	if (!leads) {
		served.n = 0;
		vec_push(&served, first);
	} else if (served.at[0] != first) {
		served.n = 0;
	}
	return served;
}

// ---------------------------------------------------------------- the text

struct writer {
	const struct abi *abis;
	struct cwriter cases, names;
	const struct probe *p;
	struct call_plans *plans;          // NULL: the client makes no texts
	int rows, signed_longs;
	bool splits, compat, executions;
};

static void write_case(struct writer *out, int number, const struct syscall_row *row, bool is_compat)
{
	for (const int *n = executions; *n >= 0; n++)
		out->executions |= *n == number;
	out->splits |= is_compat && number % NUMBERS >= SPLIT_FROM;
	out->compat |= is_compat;
	cw_line(&out->cases, "case %d: return STP_CALL(%d, %d, 0x%x, %d);", number, out->rows, out->p->index,
		is_compat ? out->signed_longs : 0, is_compat && *row->result == 'x');
}

static void write_row(const struct syscall_row *row, void *data)
{
	struct writer *out = data;
	const char *plain, *name;
	int flags = 0;

	name = syscall_name(out->p->data, row, &plain, &flags);
	assert(strlen(name) < NAME_SIZE && strlen(row->name) < NAME_SIZE);
	out->rows++;
	if (out->plans)
		syscall_plan_row(out->plans, out->p->data, row, out->rows);
	cw_line(&out->names, "[%d] = { %s, %s, %s, %d },", out->rows, emit_c_string(name), emit_c_string(row->name),
		emit_c_string(plain ? plain : name), flags);
	for (const struct abi *abi = out->abis; abi->column >= 0; abi++)
		if (row->number[abi->column] >= 0)
			write_case(out, (abi->bits == 32 ? NUMBERS : 0) + row->number[abi->column], row, abi->bits == 32);
}

static int power_above(int n)
{
	int p = 1;

	while (p <= n)
		p *= 2;
	return p;
}

// Returns whether p is the first probe of returns of execve() or execveat(); its program is written together with
// the one that distinguishes these two.
static bool is_first_execution(struct session *s, const struct probe *p)
{
	for vec_each(&s->script.probes, it) {
		const struct syscall_probe *d = (*it)->data;
		int_list numbers;

		if (*it == p)
			return true;
		if ((*it)->family != p->family || !d->is_return)
			continue;
		numbers = numbers_of(s, *it);
		for vec_each(&numbers, n)
			for (const int *e = executions; *e >= 0; e++)
				if (*e == *n)
					return false;
		if (d->any)
			return false;
	}
	return true;
}

// call: the first arguments of STP_ON_SYSCALL_ENTRY()
static void write_entries(struct session *s, struct cwriter *w, const struct probe *p, const served_list *served,
			  const char *call)
{
	enum entries entries = entries_of(p);
	bool text = saves_text(p);
	int words = entries != ENTRIES_NONE ? emit_bpf_entries(s, w, p, served->at, served->n) : 0;

	if (entries == ENTRIES_SAVED)
		cw_line(w, text ? "STP_SAVED_ENTRIES_AND_TEXT(%d, %d)" : "STP_SAVED_ENTRIES(%d, %d)", p->index, words);
	else if (text)
		cw_line(w, "STP_SAVED_TEXT(%d, %s)", p->index,
			entries == ENTRIES_LATE ? str_printf("entries_%d", p->index) : "bpf_no_values");
	else if (entries == ENTRIES_LATE)
		cw_line(w, "STP_LATE_ENTRIES(%d)", p->index);
	if (text || entries == ENTRIES_SAVED)
		cw_line(w, "STP_ON_SYSCALL_ENTRY(%s, skip_%d, save_%d, %d)", call, p->index, p->index, p->index);
}

void syscall_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest)
{
	const struct syscall_probe *d = p->data;
	served_list served = served_by(s, p);
	struct writer out = { .abis = syscall_abis(s) };
	bool names = syscall_asks_for_text(p), reads = false;
	const char *name_function, *entry_function;
	struct call_plans plans = { .s = s };

	out.plans = syscall_asks_for_captured(p) ? &plans : NULL;
	for vec_each(&served, it) {
		out.p = *it;
		out.signed_longs = (int)syscall_signed_longs((*it)->data);
		reads |= syscall_reads_arguments(*it) || (*it)->names_regs;
		syscall_each_row((*it)->data, names, write_row, &out);
	}
	if (!served.n)
		return;
	out.executions = d->is_return && (out.executions || d->any);
	if (out.executions && is_first_execution(s, p))
		cw_line(w, "STP_EXECUTIONS");
	cw_line(w, "STP_GLOBAL_FUNCTION u64 calls_%d(u32 number)", p->index);
	cw_line(w, "{");
	cw_line(w, "switch (number) {");
	cw_append(w, &out.cases);
	cw_line(w, "default: return %s;", d->any ? str_printf("STP_CALL(0, %d, 0, 0)", p->index) : "0");
	cw_line(w, "}");
	cw_line(w, "}");
	if (names) {
		cw_line(w, "STP_CALL_NAMES(%d, %d) = {", p->index, power_above(out.rows));
		cw_append(w, &out.names);
		cw_line(w, "};");
		cw_line(w, "STP_CALL_NAMES_OF(%d, %d)", p->index, power_above(out.rows));
	}
	name_function = entry_function = names ? str_printf("bpf_names_%d", p->index) : "bpf_no_names";
	if (out.plans) {
		syscall_write_plans(&plans, w, p->index, name_function, d->is_return);
		name_function = str_printf("bpf_describes_%d", p->index);
		entry_function = str_printf("bpf_describes_entry_%d", p->index);
	}
	write_entries(s, w, p, &served, str_printf("%d, %d, %s", out.splits, out.compat || d->any, entry_function));
	cw_line(w, "STP_ON_SYSCALL(%d, %d, %d, %d, %s, %s, %s, %s)", d->is_return, reads || names, out.splits,
		out.compat || d->any, out.executions ? "bpf_execution" : "bpf_no_execution", name_function,
		p->entries.n || saves_text(p) ? str_printf("enters_%d", p->index) : "bpf_enters", rest);
}
