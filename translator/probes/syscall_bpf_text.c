// SPDX-License-Identifier: GPL-2.0-or-later
// --runtime=bpf, argstr of system calls: tables by which programs copy the memory that the text of each argument shows
// (runtime/bpf/bpf_call_text.h). The client makes the text from the same description of the call as the module
// (struct stp_syscall).
#include "emit/emit.h"
#include "probes/syscall.h"

#include <inttypes.h>
#include <string.h>

static const struct { const char *type, *kind; int size; } captures[] = {
#define CAPTURE(type, kind, size) { #type, #kind, size },
#define EARLY(type)
#define LATE(type)
#include "syscall_captures.def"
#undef CAPTURE
#undef EARLY
#undef LATE
};

static const char *const early[] = {
#define CAPTURE(type, kind, size)
#define EARLY(type) #type,
#define LATE(type)
#include "syscall_captures.def"
#undef EARLY
	NULL
};

static const char *const late[] = {
#define EARLY(type)
#undef LATE
#define LATE(type) #type,
#include "syscall_captures.def"
#undef CAPTURE
#undef EARLY
#undef LATE
	NULL
};

static bool is_in(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

static const char *form_of(const struct syscall_arg *a)
{
	if (!a)
		return "STP_WITH_NONE";
	return a->type->size == 8 ? "STP_WITH_U64" : a->type->is_signed ? "STP_WITH_S32" : "STP_WITH_U32";
}

static const char *when_of(const struct syscall_arg *a)
{
	if (is_in(late, a->type->name) || (a->written && is_in(early, a->type->name)))
		return "STP_AT_ENTRY | STP_AT_RETURN";
	return a->written ? "STP_AT_RETURN" : "STP_AT_ENTRY";
}

// Writes the plan of argument i. A buffer whose length is the result has its size in the next argument.
static void write_argument(struct buf *b, const struct syscall_args *args, int i)
{
	static const struct syscall_type result_type = { .name = "long", .size = 8 };
	static const struct syscall_arg result = { .type = &result_type, .at = SYSCALL_RESULT };
	const struct syscall_arg *a = &args->at[i], *with = NULL, *limit = NULL;

	for (size_t n = 0; n < ARRAY_SIZE(captures); n++) {
		if (strcmp(captures[n].type, a->type->name))
			continue;
		if (a->with == SYSCALL_RESULT)
			with = &result;
		else if (a->with < args->n)
			with = &args->at[a->with];
		if (with == &result && str_starts(a->type->name, "buf") && i + 1 < args->n)
			limit = &args->at[i + 1];
		buf_printf(b, "STP_PLAN(STP_CAPTURE_%s, %d, %s, %d, ", captures[n].kind, captures[n].size, when_of(a), a->at);
		buf_printf(b, "%d, %s, %d, %s), ", with ? with->at : 0, form_of(with), limit ? limit->at : 0, form_of(limit));
	}
}

// Returns the number of the plan for these arguments.
static int plan_of(struct call_plans *plans, const struct syscall_args *all)
{
	struct syscall_args args = { 0 };
	struct buf b = { 0 };
	intptr_t made;

	for vec_each(all, a)
		if (a->type)
			vec_push(&args, *a);
	for (int i = 0; i < args.n; i++)
		write_argument(&b, &args, i);
	made = (intptr_t)map_get(&plans->made, b.len ? buf_text(&b) : "");
	if (made)
		return (int)made - 1;
	cw_line(&plans->plans, "{ { %s } },", b.len ? buf_text(&b) : "0");
	map_put(&plans->made, b.len ? buf_text(&b) : "", (void *)(intptr_t)++plans->n);
	return plans->n - 1;
}

struct command_plans {
	struct call_plans *plans;
	const struct syscall_args *args;   // arguments of the call; the first ones are before the command
	int command;
	struct cwriter cases;
};

static void plan_command(int64_t value, const struct syscall_args *args, void *data)
{
	struct command_plans *c = data;
	struct syscall_args all = { 0 };
	int n = 0;

	for vec_each(c->args, a)
		if (a->type && n++ <= c->command)
			vec_push(&all, *a);
	for vec_each(args, a)
		vec_push(&all, *a);
	cw_line(&c->cases, "case 0x%" PRIx64 ": return %d;", (uint64_t)value, plan_of(c->plans, &all));
}

void syscall_plan_row(struct call_plans *plans, const struct syscall_probe *d, const struct syscall_row *row,
		      int number)
{
	struct command_plans c = { .plans = plans, .args = &d->args, .cases.depth = 1 };
	int plan = plan_of(plans, &d->args), at = 0, n = 0;
	unsigned mask;

	if (!syscall_each_command(plans->s, row, &c.command, &mask, plan_command, &c)) {
		cw_line(&plans->rows, "case %d: return %d;", number, plan);
		return;
	}
	for vec_each(&d->args, a)
		if (a->type && n++ == c.command)
			at = a->at;
	cw_line(&plans->rows, "case %d:", number);
	cw_line(&plans->rows, "switch ((u32)s->c.arguments[%d] & 0x%xu) {", at, mask);
	cw_append(&plans->rows, &c.cases);
	cw_line(&plans->rows, "}");
	cw_line(&plans->rows, "return %d;", plan);
}

static int power_from(int n)
{
	int p = 1;

	while (p < n)
		p *= 2;
	return p;
}

void syscall_write_plans(const struct call_plans *plans, struct cwriter *w, int number, const char *names,
			 bool is_return)
{
	int size = power_from(plans->n);

	cw_line(w, "STP_CALL_PLANS(%d, %d) = {", number, size);
	cw_append(w, &plans->plans);
	cw_line(w, "};");
	cw_line(w, "STP_GLOBAL_FUNCTION int plan_%d(struct stp_slot *s, u32 row)", number);
	cw_line(w, "{");
	cw_line(w, "if (!s)");
	cw_line(w, "\treturn 0;");
	cw_line(w, "switch (row) {");
	cw_append(w, &plans->rows);
	cw_line(w, "}");
	cw_line(w, "return 0;");
	cw_line(w, "}");
	if (is_return)
		cw_line(w, "STP_CALL_PLANS_OF(%d, %d, %s, bpf_describes_entry, STP_AT_ENTRY)", number, size, names);
	cw_line(w, "STP_CALL_PLANS_OF(%d, %d, %s, bpf_describes, %s)", number, size, names,
		is_return ? "STP_AT_RETURN" : "STP_AT_ENTRY");
}
