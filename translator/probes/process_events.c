// SPDX-License-Identifier: GPL-2.0-or-later
// Events of processes: process.begin, process.end, process.thread.begin, process.thread.end,
// process.syscall[.return]; of one program with process("PATH"), of one process with process(PID).
// With -c or -x all of them only in the target and what it starts.
//
// In:  a matched point.
// Out: one probe for each program; rows of struct stp_process. System calls have $syscall (the number) and
//      $arg1 to $arg6, their returns $syscall and $return.
#include "elab/elab.h"
#include "elab/target.h"
#include "emit/emit.h"
#include "probes/process.h"
#include "util/str.h"

#include <limits.h>
#include <string.h>

extern const struct probe_family family_process_events;

enum { ARGUMENTS = 6, NUMBER = 6, RESULT = 7 };  // STP_SYSCALL_* of generated.h

struct event_probe {           // probe.data
	const char *kind;          // STP_*
	struct di_module *program; // NULL: any program
	int pid;                   // 0: any process
	bool optional, is_syscall, is_return;
};

static const char *kind_of(const struct probe_point *p)
{
	if (point_find(p, "syscall"))
		return point_find(p, "return") ? "STP_PROCESS_SYSCALL_RETURN" : "STP_PROCESS_SYSCALL";
	if (point_find(p, "thread"))
		return point_find(p, "begin") ? "STP_THREAD_BEGIN" : "STP_THREAD_END";
	return point_find(p, "begin") ? "STP_PROCESS_BEGIN" : "STP_PROCESS_END";
}

static const char *point_of(const struct probe_match *m, const struct di_module *program)
{
	struct buf b = { 0 };

	if (program)
		buf_printf(&b, "process(\"%s\")", di_module_name(program));
	for vec_each(&m->point->parts, part) {
		if (program && !strcmp(part->name, "process"))
			continue;
		buf_printf(&b, "%s%s", b.len ? "." : "", part->name);
		if (part->arg_kind == ARG_NUMBER)
			buf_printf(&b, "(%lld)", (long long)part->number);
	}
	return buf_text(&b);
}

static void add(struct session *s, const struct probe_match *m, struct di_module *program, int64_t pid)
{
	struct event_probe *data = NEW(struct event_probe);

	data->kind = kind_of(m->point);
	data->program = program;
	data->pid = pid;
	data->optional = m->point->optional || m->point->sufficient;
	data->is_syscall = point_find(m->point, "syscall");
	data->is_return = point_find(m->point, "return");
	probe_add(s, &family_process_events, m, point_of(m, program), data);
}

static int event_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *part = point_find(m->point, "process");
	struct process_files files = { 0 };

	if (part->arg_kind == ARG_NUMBER && (part->number < 1 || part->number > INT_MAX)) {
		diag_error(part->loc, "invalid process ID \"%s\"", part->number_text);
		return 1;
	}
	if (part->arg_kind != ARG_STRING) {
		add(s, m, NULL, part->arg_kind == ARG_NUMBER ? part->number : 0);
		return 0;
	}
	if (process_files(s, m, &files))
		return 1;
	for vec_each(&files.at, in)
		add(s, m, *in, 0);
	return 0;
}

// ---------------------------------------------------------------- variables

static void event_names(struct session *s, struct probe *p, target_names *out)
{
	const struct event_probe *d = p->data;

	if (!d->is_syscall)
		return;
	vec_push(out, ((struct target_name){ "syscall", "long", TARGET_LOCAL }));
	if (d->is_return)
		vec_push(out, ((struct target_name){ "return", "long", TARGET_RETURN }));
	for (int i = 1; i <= ARGUMENTS && !d->is_return; i++)
		vec_push(out, ((struct target_name){ str_printf("arg%d", i), "long", TARGET_PARAMETER }));
}

static bool event_has_names(const struct probe *p)
{
	return ((const struct event_probe *)p->data)->is_syscall;
}

static int argument_number(const struct event_probe *d, const char *name)
{
	if (!strcmp(name, "syscall"))
		return NUMBER;
	if (d->is_return)
		return !strcmp(name, "return") ? RESULT : -1;
	return !strncmp(name, "arg", 3) && name[3] >= '1' && name[3] <= '6' && !name[4] ? name[3] - '1' : -1;
}

static struct expr *event_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct event_probe *d = p->data;
	const char *name = target->u.target.name;
	target_names offered = { 0 };
	name_list names = { 0 };
	struct expr *e;

	if (!d->is_syscall) {
		diag_error(target->loc, "target variable \"$%s\" cannot be used here: only process.syscall probes have "
			   "target variables",
			   name);
		return NULL;
	}
	if (argument_number(d, name) < 0) {
		event_names(s, p, &offered);
		for vec_each(&offered, o)
			vec_push(&names, o->name);
		return target_not_found(target, "a system call", target_similar(name, &names));
	}
	e = expr_new(E_REGISTER, target->loc);
	e->type = T_LONG;
	e->u.reg.number = DI_ARGUMENT + argument_number(d, name);
	e->u.reg.size = 8;
	e->u.reg.is_signed = true;
	return e;
}

// ---------------------------------------------------------------- emit

static void event_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	VEC(struct di_module *) programs = { 0 };
	VEC(int) program_of = { 0 };

	for (int i = 0; i < n; i++) {
		const struct event_probe *d = probes[i]->data;
		int k = 0;

		while (k < programs.n && programs.at[k] != d->program)
			k++;
		if (k == programs.n) {
			vec_push(&programs, d->program);
			if (d->program) {
				struct di_identity id = di_program_identity(d->program);

				emit_program(w, "stp_process_events", k, &id);
			}
		}
		vec_push(&program_of, k);
	}
	cw_line(w, "static struct stp_process stp_process_events[] = {");
	for (int i = 0; i < n; i++) {
		const struct event_probe *d = probes[i]->data;

		cw_line(w, "{ .probe = %s, .kind = %s, .pid = %d%s%s },", emit_probe_ref(probes[i]), d->kind, d->pid,
			d->program ? str_printf(", .program = &stp_process_events_program_%d", program_of.at[i]) : "",
			d->optional ? ", .optional = true" : "");
	}
	cw_line(w, "};");
	emit_family_table(s, "process", "stp_process_events", n);
}

#define EVENTS(process)                                                       \
	process ".begin", process ".end", process ".thread.begin", process ".thread.end", \
	process ".syscall", process ".syscall.return"

static const char *const patterns[] = {
	EVENTS("process"), EVENTS("process(string)"), EVENTS("process(number)"), NULL,
};

const struct probe_family family_process_events = {
	.name = "process_events",
	.access = ACCESS_PROCESS,
	.patterns = patterns,
	.own_returns = true,
	.resolve = event_resolve,
	.target = event_target,
	.has_names = event_has_names,
	.target_names = event_names,
	.emit = event_emit,
};
