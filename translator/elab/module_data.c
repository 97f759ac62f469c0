// SPDX-License-Identifier: GPL-2.0-or-later
// The last step of pass 2: reads the debuginfo that the module will contain. In: the probes and functions that
// remain after the optimiser. Out: session.module_data; the names of enumerators, in E_ENUMNAME.
//
// Symbols, call frame information and source lines of programs are for scripts that resolve addresses in them or walk
// their stacks (usymname(), ubacktrace() and the like): of the program of -c or -x and its libraries, of probed
// programs, of objects named with -d, and with --ldd of their libraries.
#include "elab/module_data.h"
#include "debuginfo/arch.h"
#include "elab/elab.h"
#include "resolve/family.h"
#include "session/passes.h"
#include "target/kernel.h"
#include "util/program_path.h"
#include "util/root.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_MB = 16 };                 // source lines, in memory that cannot be paged out while the script runs

typedef VEC(struct di_module *) modules;

// Returns whether used embedded C calls a function whose name begins with `prefix`.
static bool is_called(const struct session *s, const char *prefix)
{
	for vec_each(&s->script.funcs, f)
		if ((*f)->used && (*f)->embedded && embedded_has_prefix((*f)->embedded, prefix))
			return true;
	return false;
}

// The BPF client and records resolve symbols for these functions.
static bool names_user_code(const struct session *s)
{
	return is_called(s, "stp_print_usyms") || is_called(s, "stp_mark_") ||
	       (s->opt.records && is_called(s, "stp_user_addresses"));
}

// ---------------------------------------------------------------- expressions

struct visit {
	struct session *s;
	struct module_data *data;
	modules homes;             // kernel modules whose variables are read
	bool loads_returns;        // locations of variables read return addresses of programs
};

static void add_mapped(struct module_data *d, const struct di_module *program)
{
	struct mapped_data m = { .program = program };

	for vec_each(&d->mapped, known)
		if (known->program == program)
			return;
	m.identity = di_program_identity(program);
	di_program_code(program, &m.code_address, &m.code_offset);
	vec_push(&d->mapped, m);
}

static void add_module(modules *all, const struct di_module *m)
{
	for vec_each(all, known)
		if (*known == m)
			return;
	if (m)
		vec_push(all, (struct di_module *)m);
}

static bool visit_expr(struct ast_walker *w, struct expr **at)
{
	struct visit *v = w->data;
	struct expr *e = *at;

	if (e->kind == E_DEREF) {
		v->loads_returns |= e->u.deref.is_return;
	} else if (e->kind == E_STATIC) {
		const struct di_static *variable = e->u.fixed.variable;

		if (!variable->user)
			add_module(&v->homes, variable->home);
		else if (e->u.fixed.external && !variable->thread && !v->s->opt.user_runtime)
			add_mapped(v->data, variable->home);
	} else if (e->kind == E_ENUMNAME) {
		di_enumerators all = { 0 };

		di_each_enumerator(e->dtype, &all);
		e->u.cast.enumerators = all.at;
		e->u.cast.nenumerators = all.n;
	}
	return true;
}

// ---------------------------------------------------------------- programs

static struct di_module *add_object(struct session *s, modules *all, const char *path, bool must)
{
	const char *why = "";
	char *real = realpath(root_path(path), NULL);
	struct di_module *m = real ? di_program(s, str_dup(real), &why) : NULL;

	free(real);
	if (!m && must)
		die("-d %s: %s", path, *why ? why : "no such file");
	add_module(all, m);
	return m;
}

static void add_libraries(struct session *s, modules *all, struct di_module *of)
{
	di_names paths = { 0 }, names = { 0 };

	di_program_libraries(of, &paths, &names);
	for vec_each(&paths, path)
		add_object(s, all, *path, false);
}

// Adds the program of -c or -x. Its libraries are those that the process has mapped, or that the program is linked
// with.
static void add_target(struct session *s, modules *all, bool with_libraries)
{
	const char *command = s->opt.command ? command_program(s->opt.command) : NULL;
	char *path = command ? session_program(s, command) : NULL;
	struct di_module *m = path ? add_object(s, all, path, false) : NULL;
	name_list mapped = { 0 };

	if (!with_libraries || s->opt.remotes.n)       // other hosts have other libraries
		return;
	if (m)
		add_libraries(s, all, m);
	if (!s->opt.target_pid)
		return;
	session_mapped_files(str_printf("/proc/%d", s->opt.target_pid), &mapped);
	for vec_each(&mapped, file)
		add_object(s, all, *file, false);
}

static void find_objects(struct session *s, modules *all)
{
	int n;

	for vec_each(&s->programs, path)
		add_object(s, all, *path, false);
	for vec_each(&s->opt.objects, name) {
		bool is_module = !strchr(*name, '/') && !s->opt.user_runtime && di_kernel_module(s, *name);
		const char *path = is_module ? NULL : session_program(s, *name);

		// The running kernel has the names of its own and its modules' functions.
		if (path)
			add_object(s, all, path, strchr(*name, '/'));
	}
	add_target(s, all, is_called(s, "stp_user_") || names_user_code(s));
	n = all->n;
	for (int i = 0; s->opt.libraries && i < n; i++)
		add_libraries(s, all, all->at[i]);
}

static void read_frames(const struct di_module *m, struct di_frames *out)
{
	uint64_t offset;
	int n = 0;

	if (!di_program_frames(m, out))
		return;
	for vec_each(&out->rows, row)
		if (di_program_offset(m, row->address, &offset) && offset <= UINT32_MAX)
			out->rows.at[n++] = (struct di_frame_row){ offset, row->rule };
	out->rows.n = n;
}

static struct line_file read_lines(struct di_module *m)
{
	size_t size;
	const char *path = di_lines(m, &size);

	if (path && size > MAX_MB << 20) {
		diag_warning((struct loc){ 0 }, "the source lines of %s would need %zu MB: its addresses are printed without "
			     "file and line", di_module_name(m), size >> 20);
		return (struct line_file){ 0 };
	}
	return path ? (struct line_file){ path, size } : (struct line_file){ 0 };
}

// Returns true if a used function reads the member `source` of struct stp_user_location, to print the source line; or
// prints it, in BPF programs.
static bool asks_for_lines(const struct session *s)
{
	if (is_called(s, "stp_mark_source") || is_called(s, "stp_print_usyms_lines"))
		return true;
	for vec_each(&s->script.funcs, f) {
		const struct c_word *source = (*f)->used && (*f)->embedded ? embedded_word((*f)->embedded, "source") : NULL;

		if (source && source->is_member && embedded_word((*f)->embedded, "stp_user_location"))
			return true;
	}
	return false;
}

// Returns 1 if the function at this address keeps the address of its frame in the frame pointer: then the call frame
// information refers to it, at a function's entry some bytes later; 0 if not; -1 if that cannot be determined.
static int keeps_frame_pointer(const struct di_frames *frames, uint64_t address)
{
	enum { PROLOGUE = 16 };            // endbr64, push, mov
	int keeps = -1;

	for vec_each(&frames->rows, row) {
		const struct di_frame_location *cfa = &frames->rules.at[row->rule].cfa;

		if (row->address <= address)
			keeps = cfa->base == DI_FRAME_FP ? 1 : row->address == address && cfa->offset == 8 ? 0 : -1;
		else if (!keeps && row->address - address <= PROLOGUE && cfa->base == DI_FRAME_FP)
			return 1;
	}
	return keeps;
}

// Returns whether the module has probed functions, none of which keeps a frame pointer.
static bool lacks_frame_pointers(const struct session *s, const struct di_module *m)
{
	struct di_frames frames = { 0 };
	bool lacks = false;

	if (!di_program_frames(m, &frames))
		return false;
	for vec_each(&s->script.probes, p) {
		const char *from = NULL;
		uint64_t address;
		int keeps;

		if (!(*p)->family->module || (*p)->family->module(*p) != m || !(*p)->family->address ||
		    !(*p)->family->address(*p, &from, &address) || from)
			continue;
		keeps = keeps_frame_pointer(&frames, address);
		if (keeps > 0)
			return false;
		lacks |= !keeps;
	}
	return lacks;
}

// BPF programs follow frame pointers, as the kernel does.
static void warn_of_short_stacks(struct session *s)
{
	modules probed = { 0 };

	if (!s->opt.bpf_runtime || !(is_called(s, "stp_user_addresses") || is_called(s, "stp_mark_stack") ||
				     is_called(s, "stp_ustack")))
		return;
	for vec_each(&s->programs, path)
		add_object(s, &probed, *path, false);
	for vec_each(&probed, m)
		if (lacks_frame_pointers(s, *m))
			diag_warning((struct loc){ 0 }, "call stacks of %s may end early: it is compiled without frame pointers, by "
				     "which --runtime=bpf finds callers; compile it with -fno-omit-frame-pointer, or run the script "
				     "as a module", di_module_name(*m));
}

// probefunc() names functions of user code in probes of processes, and in samples that may interrupt one.
static bool asks_for_probefunc(const struct session *s)
{
	bool samples = false;

	if (s->opt.user_runtime || !is_called(s, "stp_probefunc"))
		return false;
	for vec_each(&s->script.probes, p)
		samples |= (*p)->family->samples;
	return s->programs.n || (samples && (s->opt.objects.n || s->opt.command));
}

static void read_objects(struct session *s, struct module_data *d, bool loads_returns)
{
	bool names = is_called(s, "stp_user_location") || is_called(s, "stp_user_stack_value") ||
		     asks_for_probefunc(s) || names_user_code(s);
	bool stacks = is_called(s, "stp_user_stack"), lines = asks_for_lines(s);
	modules all = { 0 };

	if (names || is_called(s, "stp_user_"))
		find_objects(s, &all);
	else if (!loads_returns)
		return;
	d->resolves_user = true;
	d->names_objects = names;
	d->names_probed_user_code = asks_for_probefunc(s);
	for vec_each(&all, m) {
		struct object_data o = { .identity = di_program_identity(*m) };

		if (names)
			di_program_symbols(*m, &o.symbols);
		if (stacks)
			read_frames(*m, &o.frames);
		if (lines)
			o.lines = read_lines(*m);
		vec_push(&d->objects, o);
	}
}

// ---------------------------------------------------------------- source lines of the kernel

static struct di_module *probed_module(const struct probe *p)
{
	struct di_module *m = p->family->module ? (struct di_module *)p->family->module(p) : NULL;

	return m && !di_is_user(m) ? m : NULL;
}

static void read_code(struct di_module *m, struct module_data *d, modules *homes)
{
	struct code_data c = { 0 };
	di_code parts = { 0 };

	di_want_dwarf(m);
	di_module_code(m, &parts);
	if (parts.n)
		c.lines = read_lines(m);
	for vec_each(&parts, part) {
		uint64_t before;
		const struct di_static *anchor = c.lines.path ? di_find_anchor(m, part, &before) : NULL;

		if (!anchor || before > part->size)
			continue;
		vec_push(&c.ranges, ((struct code_range){ anchor, before, part->size, part->code_offset }));
		add_module(homes, anchor->home);
	}
	if (c.lines.path)
		vec_push(&d->code, c);
}

static void read_kernel_lines(struct session *s, struct module_data *d, modules *homes)
{
	modules all = { 0 };

	if (s->opt.user_runtime || !(is_called(s, "stp_source_line") || is_called(s, "stp_kernel_line") ||
				     is_called(s, "stp_print_syms_lines")))
		return;
	d->resolves_lines = true;
	add_module(&all, di_kernel(s));
	for vec_each(&s->script.probes, p)
		add_module(&all, probed_module(*p));
	for vec_each(&s->opt.objects, path)
		if (access(*path, F_OK) && strcmp(*path, "kernel"))
			add_module(&all, di_kernel_module(s, *path));
	for vec_each(&all, m)
		read_code(*m, d, homes);
}

// ---------------------------------------------------------------- builds

static void add_build(builds *out, const struct di_module *m)
{
	int len;
	const uint8_t *id = di_build_id(m, &len);

	vec_push(out, ((struct build_data){ m, di_module_name(m), id && len == 20 ? id : NULL }));
}

static void read_builds(struct session *s, struct module_data *d, const modules *homes)
{
	modules probed = { 0 };

	d->checks_builds = s->kernel && s->debuginfo && !s->opt.bpf_runtime &&
		!session_limit(s, LIMIT_STP_NO_BUILDID_CHECK);
	if (s->opt.bpf_runtime && s->kernel && s->debuginfo)
		d->kernel_id = di_build_id(di_kernel(s), &d->kernel_id_len);
	if (!d->checks_builds)
		return;
	d->kernel_id = di_build_id(di_kernel(s), &d->kernel_id_len);
	for vec_each(&s->script.probes, p)
		if (probed_module(*p) != di_kernel(s))
			add_module(&probed, probed_module(*p));
	for vec_each(&probed, m)
		add_build(&d->probed, *m);
	for vec_each(homes, m)
		add_build(&d->read, *m);
}

int elab_module_data(struct session *s)
{
	const struct arch *arch = arch_find(s->kernel ? s->kernel->arch : "x86_64");
	struct module_data *d = s->module_data = NEW(struct module_data);
	struct visit v = { .s = s, .data = d };
	struct ast_walker w = { .expr = visit_expr, .data = &v };

	if (s->opt.last_pass < 3)
		return 0;
	d->arch = arch->name;
	d->register_offsets = arch->pt_regs_offset;
	d->registers = ARRAY_SIZE(arch->pt_regs_offset);
	optimize_walk(s, &w);
	read_objects(s, d, v.loads_returns);
	warn_of_short_stacks(s);
	read_kernel_lines(s, d, &v.homes);
	read_builds(s, d, &v.homes);
	d->names_addresses = !s->opt.user_runtime && !s->opt.bpf_runtime &&
		(is_called(s, "__name_") || is_called(s, "stp_plain_addresses") ||
		 (s->opt.records && is_called(s, "stp_kernel_stack_value")));
	return 0;
}
