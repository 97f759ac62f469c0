// SPDX-License-Identifier: GPL-2.0-or-later
// syscall.NAME, nd_syscall., tp_syscall., dw_syscall.NAME, all with .return: system calls, by number,
// from the kernel's two raw tracepoints; and syscall_any for all of them. One implementation serves
// every prefix: none needs debuginfo.
//
// In:  syscalls.def: numbers, arguments, and which variables show them. A matched point.
// Out: one probe for each assignment of the arguments of that call to registers (a 32-bit process
//      may pass them differently), whose handler has the variables (syscall_vars.c); the table of
//      struct stp_syscall_probe, one entry for each number, with the data that the runtime needs to write arguments
//      as text, if the handler uses this text.
#include "probes/syscall.h"
#include "target/kernel.h"
#include "elab/elab.h"
#include "emit/emit.h"
#include "util/map.h"
#include "util/str.h"

#include <string.h>

extern const struct probe_family family_syscall;

// ---------------------------------------------------------------- the table

static const struct syscall_row rows[] = {
#define SYSCALL(alias, name, x86_64, ia32, arm64, result, args) \
	{ #alias, name, { x86_64, ia32, arm64 }, result, args, false, NAME_ALIAS },
#define VARIANT SYSCALL
#define NAMED(alias, name, x86_64, ia32, arm64, result, args) \
	{ #alias, name, { x86_64, ia32, arm64 }, result, args, false, NAME_CALL },
#define NAMED_FLAGS(alias, name, x86_64, ia32, arm64, result, args) \
	{ #alias, name, { x86_64, ia32, arm64 }, result, args, false, NAME_CALL_IF_FLAGS },
#define SECONDARY(alias, name, x86_64, ia32, arm64, result, args) \
	{ #alias, name, { x86_64, ia32, arm64 }, result, args, true, NAME_ALIAS },
#include "probes/syscalls.def"
#undef SYSCALL
#undef VARIANT
#undef NAMED
#undef NAMED_FLAGS
#undef SECONDARY
};

static const struct command {
	const char *call;
	int64_t value;
	// arguments after the command; NULL: the row gives the number of the command's argument as `value`, and
	// its bits as `mask`
	const char *args;
	unsigned mask;
	bool x86;                  // the row is not valid on arm64
} commands[] = {
#define COMMANDS(call, argument, mask) { #call, argument, NULL, mask, false },
#define COMMAND(call, value, args) { #call, value, args, 0, false },
#define COMMAND_X86(call, value, args) { #call, value, args, 0, true },
#include "probes/syscall_commands.def"
#undef COMMANDS
#undef COMMAND
#undef COMMAND_X86
};

#define NAMES(prefix, name) prefix name, prefix name ".return"
static const char *const patterns[] = {
#define SYSCALL(alias, ...) NAMES("syscall.", #alias), NAMES("nd_syscall.", #alias), \
	NAMES("tp_syscall.", #alias), NAMES("dw_syscall.", #alias),
#define VARIANT(...)
#define NAMED(...)
#define NAMED_FLAGS(...)
#define SECONDARY SYSCALL
#include "probes/syscalls.def"
#undef SYSCALL
#undef VARIANT
#undef NAMED
#undef NAMED_FLAGS
#undef SECONDARY
	NAMES("syscall_any", ""), NAMES("nd_syscall_any", ""), NAMES("tp_syscall_any", ""),
	NAMES("dw_syscall_any", ""),
	NULL,
};

static const struct abi x86_abis[] = { { 0, 64 }, { 1, 32 }, { -1, 0 } };
static const struct abi arm64_abis[] = { { ARM64, 64 }, { -1, 0 } };

const struct abi *syscall_abis(const struct session *s)
{
	return strcmp(s->kernel->arch, "arm64") ? x86_abis : arm64_abis;
}

// ---------------------------------------------------------------- resolve

static bool on_target(struct session *s, const struct syscall_row *row)
{
	for (const struct abi *abi = syscall_abis(s); abi->column >= 0; abi++)
		if (row->number[abi->column] >= 0)
			return true;
	return false;
}

static struct syscall_probe *new_data(const struct probe_match *m, const struct syscall_row *first)
{
	struct syscall_probe *data = NEW(struct syscall_probe);

	data->is_return = point_find(m->point, "return") != NULL;
	if (first)
		syscall_parse_args(first->args, 0, &data->args);
	return data;
}

static void add(struct session *s, const struct probe_match *m, struct syscall_probe *data)
{
	struct probe *p = probe_add(s, &family_syscall, m, point_text(m->point), data);

	if (p->body)
		syscall_add_variables(s, p);
}

static int any_resolve(struct session *s, const struct probe_match *m)
{
	struct syscall_probe *data = new_data(m, NULL);

	data->any = true;
	add(s, m, data);
	return 0;
}

static int syscall_resolve(struct session *s, const struct probe_match *m)
{
	VEC(struct syscall_probe *) made = { 0 };
	const char *alias;
	bool secondary = false;

	if (str_ends(m->point->parts.at[0].name, "syscall_any"))
		return any_resolve(s, m);
	alias = m->point->parts.at[1].name;
	for (const struct syscall_row *row = rows; row < END(rows); row++) {
		struct syscall_probe *into = NULL;

		if (strcmp(row->alias, alias) || !on_target(s, row))
			continue;
		secondary |= row->secondary;
		for vec_each(&made, d)
			if (!strcmp((*d)->rows.at[0]->args, row->args) && !strcmp((*d)->rows.at[0]->result, row->result))
				into = *d;
		if (!into) {
			into = new_data(m, row);
			vec_push(&made, into);
		}
		vec_push(&into->rows, row);
	}
	if (m->wildcard && secondary)
		return 0;
	for vec_each(&made, d) {
		for vec_each(&made, sibling)
			vec_push(&(*d)->siblings, *sibling);
		add(s, m, *d);
	}
	if (made.n)
		return 0;
	diag_error(m->point->loc, "the architecture %s has no system call \"%s\"", s->kernel->arch, alias);
	return 1;
}

// ---------------------------------------------------------------- emit

// Writes ", .name = value" unless the value is 0: most are 0, and `syscall.*` would have 400 KB of such rows.
static void emit_member(struct buf *b, const char *name, unsigned value)
{
	if (value)
		buf_printf(b, ", .%s = %u", name, value);
}

static void emit_args(struct buf *b, const struct syscall_args *args, bool times_are_wide, int *n)
{
	*n = 0;
	for vec_each(args, a) {
		const char *type = a->type ? a->type->name : "";

		if (!a->type)
			continue;
		if (times_are_wide && !strcmp(type, "timespec"))
			type = "timespec64";
		buf_printf(b, "{ STP_ARG_%s, %d", type, a->at);
		emit_member(b, "with", (unsigned)a->with);
		emit_member(b, "written", a->written);
		buf_puts(b, *a->set ? str_printf(", .symbols = &stp_symbols_%s }, ", a->set) : " }, ");
		++*n;
	}
}

// Returns the first row of the call's commands; NULL if it has no commands.
static const struct command *commands_of(const char *call)
{
	if (!strcmp(call, "futex_time64") || !strcmp(call, "fcntl64"))
		call = str_ndup(call, strcspn(call, "_6"));
	for (const struct command *c = commands; c < END(commands); c++)
		if (!c->args && !strcmp(call, c->call))
			return c;
	return NULL;
}

bool syscall_each_command(struct session *s, const struct syscall_row *row, int *argument, unsigned *mask,
			  void (*fn)(int64_t value, const struct syscall_args *args, void *data), void *data)
{
	const struct command *first = commands_of(row->name);

	if (!first)
		return false;
	*argument = (int)first->value;
	*mask = first->mask;
	for (const struct command *c = first + 1; c < END(commands) && c->args; c++) {
		struct syscall_args args = { 0 };

		if (c->x86 && syscall_abis(s)->column == ARM64)
			continue;
		syscall_parse_args(c->args, *argument + 1, &args);
		fn(c->value, &args, data);
	}
	return true;
}

bool syscall_has_commands(const struct syscall_probe *d)
{
	for vec_each(&d->rows, row)
		if (commands_of((*row)->name))
			return true;
	return false;
}

// A row of the table of struct stp_syscall_probe.
struct table_row {
	const struct probe *probe;
	const char *call;          // name of its struct stp_syscall; NULL: none
	int number;
	bool is_compat;
	const char *others;        // ", .name = value" for each other member that is not 0; most rows have the same
};

struct writer {
	struct session *s;
	struct cwriter calls;
	bool sets_made[SYSCALL_MAX_SETS];
	struct map constants;      // constants of `calls`: type and value -> name
	VEC(struct table_row) rows;
};

static bool is_arm64(const struct writer *out)
{
	return syscall_abis(out->s)->column == ARM64;
}

// Writes a constant with these lines between its braces, unless an equal one was written: most calls have the same
// arguments in 32-bit and 64-bit processes, at the entry and at the return. Returns its name. dimension: "[]" or
// "".
static const char *emit_constant(struct writer *out, const char *type, const char *dimension, struct cwriter *lines)
{
	char *key = str_printf("%s %s", type, buf_text(&lines->text)), *name = map_get(&out->constants, key);

	if (name)
		return name;
	name = str_printf("stp_syscall_%d", out->constants.n);
	cw_line(&out->calls, "static const struct %s %s%s = {", type, name, dimension);
	cw_append(&out->calls, lines);
	cw_line(&out->calls, "};");
	map_put(&out->constants, key, name);
	return name;
}

// Writes the commands of the call, whose description is `first`, as an array; returns its name.
static const char *emit_commands(struct writer *out, const struct syscall_row *row, const struct command *first, int *n)
{
	struct cwriter lines = { .depth = 1 };

	*n = 0;
	for (const struct command *c = first + 1; c < END(commands) && c->args; c++) {
		struct syscall_args args = { 0 };
		struct buf b = { 0 };
		int nargs;

		if (c->x86 && is_arm64(out))
			continue;
		syscall_parse_args(c->args, (int)first->value + 1, &args);
		emit_args(&b, &args, str_ends(row->name, "64"), &nargs);
		cw_line(&lines, "{ 0x%llx, %d, { %s} },", (unsigned long long)c->value, nargs, nargs ? buf_text(&b) : "");
		++*n;
	}
	return emit_constant(out, "stp_syscall_command", "[]", &lines);
}

// Returns the alias without the prefix for calls of 32-bit processes.
static const char *script_name(const struct syscall_row *row)
{
	static const char *const prefixes[] = { "compat_sys_", "compat_" };
	const char *name = row->alias;
	size_t len;

	for (const char *const *p = prefixes; p < END(prefixes); p++)
		if (str_starts(name, *p))
			name += strlen(*p);
	len = strlen(name);
	return str_ends(name, "32") ? str_ndup(name, len - 2) : name;
}

const char *syscall_name(const struct syscall_probe *d, const struct syscall_row *row, const char **plain, int *flags)
{
	*plain = NULL;
	for vec_each(&d->args, a)
		if (row->named == NAME_CALL_IF_FLAGS && a->name && !strcmp(a->name, "flags")) {
			*plain = script_name(row);
			*flags = a->at;
		}
	return d->any || row->named ? row->name : script_name(row);
}

unsigned syscall_signed_longs(const struct syscall_probe *d)
{
	unsigned is_signed = 0;

	for vec_each(&d->args, a)
		if (a->type && a->type->is_signed && a->type->size == 8)
			is_signed |= 1u << a->at;
	return is_signed;
}

void syscall_each_row(const struct syscall_probe *d, bool names, void (*fn)(const struct syscall_row *row, void *data),
		      void *data)
{
	for (const struct syscall_row *row = rows; d->any && names && row < END(rows); row++)
		if (!row->secondary)
			fn(row, data);
	for vec_each(&d->rows, row)
		fn(*row, data);
}

// Writes the C that describes one row, for the functions that make text. Returns its name.
static const char *emit_call(struct writer *out, const struct syscall_row *row, const struct syscall_probe *d,
			     bool text)
{
	const struct syscall_args *args = &d->args;
	const char *plain, *name;
	struct cwriter lines = { .depth = 1 }, meanings = { .depth = 1 };
	struct buf members = { 0 };
	int nmeanings, flags = 0;
	const struct command *selector = text ? commands_of(row->name) : NULL;

	name = syscall_name(d, row, &plain, &flags);
	emit_member(&members, "signed_longs", syscall_signed_longs(d));
	emit_member(&members, "returns_address", *row->result == 'x');
	cw_line(&lines, ".name = %s, .kernel_name = %s%s,", emit_c_string(name), emit_c_string(row->name),
		buf_text(&members));
	if (text) {
		struct buf b = { 0 };
		int n;

		emit_args(&b, args, false, &n);
		if (n)
			cw_line(&lines, ".nargs = %d, .args = { %s},", n, buf_text(&b));
	}
	if (plain)
		cw_line(&lines, ".plain_name = %s, .flags = %d,", emit_c_string(plain), flags);
	if (selector) {
		int n;
		const char *array = emit_commands(out, row, selector, &n);

		cw_line(&lines, ".command = %d, .command_mask = 0x%x, .ncommands = %d, .commands = %s,",
			(int)selector->value, selector->mask, n, array);
	}
	nmeanings = text && d->is_return ? syscall_emit_meanings(&meanings, row) : 0;
	if (nmeanings)
		cw_line(&lines, ".nmeanings = %d, .meanings = %s,", nmeanings,
			emit_constant(out, "stp_syscall_meaning", "[]", &meanings));
	return emit_constant(out, "stp_syscall", "", &lines);
}

static void add_row(struct writer *out, const struct probe *p, int number, const struct abi *abi, const char *call)
{
	const struct syscall_probe *d = p->data;
	struct buf others = { 0 };

	emit_member(&others, "is_return", d->is_return);
	emit_member(&others, "arguments", (unsigned)syscall_reads_arguments(p));
	if (p->entries.n)
		buf_printf(&others, ", .entry = p%d_entry, .entry_size = %d, .entry_late = %d", p->index,
			   optimize_entry_bytes(out->s, p), syscall_entries_are_arguments(p));
	if (d->is_return && syscall_asks_for_argstr(p))
		buf_puts(&others, ", .text = STP_STRLEN");
	struct table_row row = { p, call, number, abi->bits == 32, buf_text(&others) };
	vec_push(&out->rows, row);
}

static void emit_sets(struct writer *out, const struct syscall_args *args)
{
	for vec_each(args, a)
		if (*a->set)
			syscall_emit_set(&out->calls, a->set, is_arm64(out), out->sets_made);
}

// Writes the sets of the commands of a call, and of its results.
static void emit_other_sets(struct writer *out, const struct syscall_row *row)
{
	const struct command *c = commands_of(row->name);
	struct syscall_args meanings = syscall_meanings(row);

	emit_sets(out, &meanings);
	while (c && ++c < END(commands) && c->args) {
		struct syscall_args args = { 0 };

		syscall_parse_args(c->args, 0, &args);
		emit_sets(out, &args);
	}
}

static void emit_row(struct writer *out, const struct probe *p, const struct syscall_row *row, bool text)
{
	const struct syscall_probe *d = p->data;

	if (text) {
		emit_sets(out, &d->args);
		emit_other_sets(out, row);
	}
	for (const struct abi *abi = syscall_abis(out->s); abi->column >= 0; abi++) {
		if (row->number[abi->column] < 0)
			continue;
		add_row(out, p, row->number[abi->column], abi, emit_call(out, row, d, text));
	}
}

// Writes an entry for each number that has a name, if the handler uses the name, and one entry for all others.
static void emit_any(struct writer *out, const struct probe *p)
{
	static const struct abi none = { 0, 64 };

	if (syscall_asks_for_text(p))
		for (const struct syscall_row *row = rows; row < END(rows); row++)
			if (!row->secondary)
				emit_row(out, p, row, false);
	add_row(out, p, -1, &none, NULL);
}

static void emit_table(const struct writer *out, struct cwriter *w)
{
	cw_line(w, "static struct stp_syscall_probe stp_syscall_probes[] = {");
	for vec_each(&out->rows, row) {
		struct buf compat = { 0 };

		emit_member(&compat, "is_compat", row->is_compat);
		cw_line(w, "{");
		cw_line(w, ".probe = %s, .call = %s, .number = %d%s%s,", emit_probe_ref(row->probe),
			row->call ? str_printf("&%s", row->call) : "NULL", row->number, buf_text(&compat), row->others);
		cw_line(w, "},");
	}
	cw_line(w, "};");
	emit_family_table(out->s, "syscall", "stp_syscall_probes", out->rows.n);
}

// Writes an array of pointers to the descriptions that the rows use, and adds to `indexes`: name -> index + 1.
static void emit_call_pointers(const struct writer *out, struct cwriter *w, struct map *indexes)
{
	cw_line(w, "static const struct stp_syscall *const stp_syscall_calls[] = {");
	for vec_each(&out->rows, row)
		if (row->call && !map_get(indexes, row->call)) {
			cw_line(w, "&%s,", row->call);
			map_put(indexes, row->call, (void *)(intptr_t)(indexes->n + 1));
		}
	cw_line(w, "};");
}

// Writes the table in its compact form: a pointer of a row is a relocation, and each member takes time in the
// compiler.
static void emit_runs(const struct writer *out, struct cwriter *w)
{
	struct map indexes = { 0 };
	struct buf numbers = { 0 };
	const struct table_row *first = out->rows.at, *end = first + out->rows.n;

	emit_call_pointers(out, w, &indexes);
	for vec_each(&out->rows, row) {
		emit_u32(&numbers, (uint32_t)row->probe->index);
		emit_u32(&numbers, row->call ? (uint32_t)(intptr_t)map_get(&indexes, row->call) : 0);
		emit_u32(&numbers, (uint32_t)row->number);
		emit_u32(&numbers, row->is_compat);
	}
	emit_bytes(out->s, w, "const struct stp_syscall_number", "stp_syscall_numbers", &numbers);
	cw_line(w, "static struct stp_syscall_probe stp_syscall_probes[%d];", out->rows.n);
	cw_line(w, "static const struct stp_syscall_run stp_syscall_runs[] = {");
	for (const struct table_row *next = first; first < end; first = next) {
		while (next < end && !strcmp(next->others, first->others))
			next++;
		cw_line(w, "{ %d, stp_syscall_numbers + %d, stp_syscall_calls, {", (int)(next - first),
			(int)(first - out->rows.at));
		cw_line(w, ".probe = stp_probes%s,", first->others);
		cw_line(w, "} },");
	}
	cw_line(w, "};");
	emit_family_runs(out->s, "syscall", "stp_syscall_probes", out->rows.n, "stp_syscall_runs");
}

// The table has its compact form from this number of rows on.
#define RUNS_FROM 64

static void syscall_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	struct writer out = { .s = s };

	for (int i = 0; i < n; i++) {
		const struct syscall_probe *d = probes[i]->data;

		if (d->any)
			emit_any(&out, probes[i]);
		for vec_each(&d->rows, row)
			emit_row(&out, probes[i], *row, syscall_asks_for_text(probes[i]));
	}
	cw_append(w, &out.calls);
	if (out.rows.n >= RUNS_FROM && !s->opt.bpf_runtime)
		emit_runs(&out, w);
	else
		emit_table(&out, w);
}

const struct probe_family family_syscall = {
	.name = "syscall",
	.arrival_ns = 50,
	.patterns = patterns,
	.bpf_program = syscall_bpf_program,
	.bpf_registers = true,
	.bpf_calls = syscall_bpf_calls,
	.as_aliases = true,
	.returns_all = true,
	.arguments_at_return = true,
	.resolve = syscall_resolve,
	.target = syscall_target,
	.target_names = syscall_target_names,
	.emit = syscall_emit,
};
