// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.data("SYMBOL" or ADDRESS)[.length(N)].write, .rw: a hardware watchpoint. process.data(...): one in the process
// of -c or -x.
//
// In: a matched point. Out: one probe, and the table of struct stp_hwbkpt.
#include "target/kernel.h"
#include "elab/elab.h"
#include "emit/emit.h"
#include "resolve/family.h"
#include "probes/process.h"

#include <string.h>

extern const struct probe_family family_hwbkpt;

enum { MAX_LENGTH = 8, REGISTERS = 4 };        // limits of x86_64

struct watch {                 // probe.data
	const char *symbol;        // NULL if the address is given
	int64_t address, length;
	bool reads, optional, in_target;
	uint64_t start_code;       // first address of the code of a position-independent target that runs; 0: of
				   // others
};

static int warn_of_many(struct session *s, const struct probe_match *m)
{
	int n = 0;

	for vec_each(&s->script.probes, p)
		n += (*p)->family == &family_hwbkpt;
	if (n == REGISTERS + 1)
		diag_warning(m->point->loc, "more than %d hardware watchpoints, but processors have few debug registers, %d on "
			     "x86: some may not be armed", REGISTERS, REGISTERS);
	return 0;
}

// Finds the link address of a variable of the target's program. Returns the number of errors.
static int find_in_target(struct session *s, const struct probe_match *m, struct watch *w)
{
	const struct point_part *what = &m->point->parts.at[1];
	struct process_files files = { 0 };
	struct di_program_data data;
	int errors = process_files(s, m, &files);

	if (errors || !files.at.n)
		return errors;
	if (!di_program_data(files.at.at[0], w->symbol, &data)) {
		diag_error(what->loc, "process.data(\"%s\"): %s has no variable of this name%s", w->symbol,
			   di_module_name(files.at.at[0]), di_suggest(files.at.at[0], DI_VARIABLES, w->symbol));
		return 1;
	}
	if (data.anywhere && !s->opt.target_pid) {
		diag_error(what->loc, "process.data(\"%s\"): %s can be loaded anywhere, so its variables have no "
			   "address before it runs; link it with -no-pie, or use -x with the running "
			   "process", w->symbol,
			   di_module_name(files.at.at[0]));
		return 1;
	}
	w->address = data.address;
	w->start_code = data.anywhere ? data.start_code : 0;
	w->symbol = NULL;
	return 0;
}

/* The kernel of arm64 executes a watched access again after the handler of a module or BPF program: without end. */
static bool repeats_access(const struct session *s)
{
	return s->kernel && !strcmp(s->kernel->arch, "arm64");
}

static int hwbkpt_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *what = &m->point->parts.at[1], *length = point_find(m->point, "length");
	struct watch *w = NEW(struct watch);

	w->symbol = what->arg_kind == ARG_STRING ? what->text : NULL;
	w->address = w->symbol ? 0 : what->number;
	w->reads = point_find(m->point, "rw") != NULL;
	w->optional = m->point->optional || m->point->sufficient;
	if (repeats_access(s)) {
		if (w->optional)
			return 0;
		diag_error(m->point->loc, "%s: Linux on arm64 does not continue after the access that a watchpoint of a "
			   "tracer reports: the program or kernel would hang; probe the functions or statements that "
			   "change the data", point_text(m->point));
		return 1;
	}
	if (length && (length->number < 1 || length->number > MAX_LENGTH)) {
		diag_error(length->loc, "length(%s) is out of range: a watchpoint is 1 to %d bytes long",
			   length->number_text, MAX_LENGTH);
		return 1;
	}
	if (w->symbol && !*w->symbol) {
		diag_error(what->loc, "data(\"\") has an empty name: use data(\"NAME\") or data(ADDRESS)");
		return 1;
	}
	w->in_target = !strcmp(m->point->parts.at[0].name, "process");
	if (w->in_target && !s->opt.command && !s->opt.target_pid) {
		diag_error(m->point->loc, "process.data requires -c CMD or -x PID");
		return 1;
	}
	if (w->in_target && w->symbol && find_in_target(s, m, w))
		return 1;
	if (!w->in_target && w->symbol && di_lacks_variable(di_kernel(s), w->symbol))
		diag_warning(what->loc, "kernel.data(\"%s\"): the kernel has no variable of this name%s, but a "
			     "module may have one",
			     w->symbol, di_suggest(di_kernel(s), DI_VARIABLES, w->symbol));
	for (w->length = 1; length && w->length < length->number;)
		w->length *= 2;
	probe_add(s, &family_hwbkpt, m, point_text(m->point), w);
	return warn_of_many(s, m);
}

static void hwbkpt_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	cw_line(w, "static struct stp_hwbkpt stp_hwbkpts[] = {");
	for (int i = 0; i < n; i++) {
		const struct watch *d = probes[i]->data;
		const char *site = d->symbol ? str_printf(".symbol = %s, .module = \"\"", emit_c_string(d->symbol))
					     : str_printf(".address = 0x%llxULL", (unsigned long long)d->address);

		cw_line(w, "{ .probe = %s, .site = { %s }, .length = %d, .reads = %s, .optional = %s,%s },",
			emit_probe_ref(probes[i]), site, (int)d->length, d->reads ? "true" : "false",
			d->optional ? "true" : "false", !d->in_target ? "" :
			str_printf(" .in_target = true, .start_code = 0x%llx", (unsigned long long)d->start_code));
	}
	cw_line(w, "};");
	emit_family_table(s, "hwbkpt", "stp_hwbkpts", n);
}

static void hwbkpt_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest)
{
	cw_line(w, "STP_ON_PERF(%s, %s)", emit_bpf_sampled_registers(s, p), rest);
}

#define FORMS(data) data ".write", data ".rw", data ".length(number).write", data ".length(number).rw"

static const char *const patterns[] = { FORMS("kernel.data(string)"), FORMS("kernel.data(number)"),
					FORMS("process.data(string)"), FORMS("process.data(number)"), NULL };

static enum probe_access hwbkpt_access(const struct probe *p)
{
	const struct watch *w = p->data;

	return w->in_target ? ACCESS_PROCESS : ACCESS_KERNEL;
}

const struct probe_family family_hwbkpt = {
	.name = "hwbkpt",
	.access_of = hwbkpt_access,
	.arrival_ns = 1000,
	.bpf_program = hwbkpt_bpf_program,
	.bpf_registers = true,
	.patterns = patterns,
	.resolve = hwbkpt_resolve,
	.emit = hwbkpt_emit,
};
