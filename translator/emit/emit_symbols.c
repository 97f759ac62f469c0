// SPDX-License-Identifier: GPL-2.0-or-later
// Symbols, call frame information and source lines of programs, for scripts that resolve addresses in them or walk
// their stacks (usymname(), ubacktrace() and the like): of the program of -c or -x and its libraries, of probed
// programs, of objects named with -d, and with --ldd of their libraries.
//
// Each object has its tables, sorted by offset in the file; each table is written only if a used function reads it.
#include "debuginfo/debuginfo.h"
#include "emit/emitter.h"
#include "resolve/family.h"
#include "util/program_path.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(struct di_module *) modules;

static struct di_module *add_object(struct emitter *e, modules *all, const char *path, bool must)
{
	const char *why = "";
	char *real = realpath(path, NULL);
	struct di_module *m = real ? di_program(e->s, str_dup(real), &why) : NULL;

	free(real);
	if (!m && must)
		die("-d %s: %s", path, *why ? why : "no such file");
	for (int i = 0; m && i < all->n; i++)
		if (all->at[i] == m)
			return m;
	if (m)
		vec_push(all, m);
	return m;
}

static void add_libraries(struct emitter *e, modules *all, struct di_module *of)
{
	di_names paths = { 0 }, names = { 0 };

	di_program_libraries(of, &paths, &names);
	for vec_each(&paths, path)
		add_object(e, all, *path, false);
}

// Adds the program of -c or -x. Its libraries are those that the process has mapped, or that the program is linked
// with.
static void add_target(struct emitter *e, modules *all, bool with_libraries)
{
	struct session *s = e->s;
	const char *command = s->opt.command ? command_program(s->opt.command) : NULL;
	char *path = command ? session_program(s, command) : NULL;
	struct di_module *m = path ? add_object(e, all, path, false) : NULL;
	name_list mapped = { 0 };

	if (!with_libraries || s->opt.remotes.n)       // other hosts have other libraries
		return;
	if (m)
		add_libraries(e, all, m);
	if (!s->opt.target_pid)
		return;
	session_mapped_files(str_printf("/proc/%d", s->opt.target_pid), &mapped);
	for vec_each(&mapped, file)
		add_object(e, all, *file, false);
}

static void add_objects(struct emitter *e, modules *all)
{
	struct session *s = e->s;
	int n;

	for vec_each(&s->programs, path)
		add_object(e, all, *path, false);
	for vec_each(&s->opt.objects, name) {
		bool is_module = !strchr(*name, '/') && !s->opt.user_runtime && di_kernel_module(s, *name);
		const char *path = is_module ? NULL : session_program(s, *name);

		// The kernel and its modules know their names themselves.
		if (path)
			add_object(e, all, path, strchr(*name, '/'));
	}
	add_target(e, all, emit_called(e, "stp_user_"));
	n = all->n;
	for (int i = 0; s->opt.libraries && i < n; i++)
		add_libraries(e, all, all->at[i]);
}

static int emit_symbols(struct cwriter *w, struct di_module *m, int number)
{
	di_symbols symbols = { 0 };

	di_program_symbols(m, &symbols);
	cw_line(w, "static const struct stp_usym stp_usyms_%d[] = {", number);
	for vec_each(&symbols, it)
		cw_line(w, "{ 0x%llxULL, %llu, %s },", (unsigned long long)it->offset, (unsigned long long)it->size,
			emit_c_string(it->name));
	cw_line(w, "{ 0, 0, NULL },");
	cw_line(w, "};");
	return symbols.n;
}

// Writes numbers, as many per line as fit.
static void emit_numbers(struct cwriter *w, const char *type, const char *name, int object, const uint64_t *v, int n)
{
	cw_line(w, "static const %s %s_%d[] = {", type, name, object);
	for (int i = 0; i < n; i += 16) {
		struct buf row = { 0 };

		for (int k = i; k < n && k < i + 16; k++)
			buf_printf(&row, "%llu,", (unsigned long long)v[k]);
		cw_line(w, "%s", buf_text(&row));
	}
	cw_line(w, "};");
}

static const char *location_text(const struct di_frame_location *p)
{
	static const char *const kinds[] = {
		[DI_FRAME_NONE] = "NONE", [DI_FRAME_UNKNOWN] = "UNKNOWN", [DI_FRAME_REGISTER] = "REGISTER",
		[DI_FRAME_LOAD] = "LOAD", [DI_FRAME_AT_CFA] = "AT_CFA", [DI_FRAME_PLT] = "PLT",
	};

	return str_printf("{ %d, STP_FRAME_%s, %d, %d }", p->offset, kinds[p->kind], p->base, p->plus);
}

// Writes rows whose offsets are in the file and below 4 GB.
static int emit_frames(struct cwriter *w, struct di_module *m, int number)
{
	struct di_frames frames;
	uint64_t *offsets, *rules;
	int n = 0;

	if (!di_program_frames(m, &frames))
		return 0;
	offsets = NEW_ARRAY(uint64_t, frames.rows.n);
	rules = NEW_ARRAY(uint64_t, frames.rows.n);
	for vec_each(&frames.rows, row) {
		if (!di_program_offset(m, row->address, &offsets[n]) || offsets[n] > UINT32_MAX)
			continue;
		rules[n++] = row->rule;
	}
	emit_numbers(w, "u32", "stp_frame_offsets", number, offsets, n);
	emit_numbers(w, "u16", "stp_frame_rule", number, rules, n);
	cw_line(w, "static const struct stp_frame_rule stp_frame_rules_%d[] = {", number);
	for vec_each(&frames.rules, r)
		cw_line(w, "{ %s, %s, %s },", location_text(&r->cfa), location_text(&r->ra), location_text(&r->fp));
	cw_line(w, "};");
	return n;
}

void emit_program(struct cwriter *w, const char *table, int i, const struct di_module *m)
{
	struct di_identity id = di_program_identity(m);
	struct buf bytes = { 0 };

	for (int k = 0; k < id.len; k++)
		buf_printf(&bytes, "%s%d", k ? ", " : "", id.bytes[k]);
	cw_line(w, "static const u8 %s_id_%d[] = { %s };", table, i, buf_text(&bytes));
	cw_line(w, "static struct stp_program %s_program_%d = { .path = %s, .id = %s_id_%d, .id_offset = 0x%llxULL, "
		".id_len = %d, .summed = %lluULL };", table, i, emit_c_string(di_module_name(m)), table, i,
		(unsigned long long)id.offset, id.len, (unsigned long long)id.summed);
}

// struct stp_user_location has a source line, for functions that print it.
static bool asks_for_lines(const struct emitter *e)
{
	for vec_each(&e->s->script.funcs, f) {
		const struct c_word *source = (*f)->used && (*f)->embedded ? embedded_word((*f)->embedded, "source") : NULL;

		if (source && source->is_member && embedded_word((*f)->embedded, "stp_user_location"))
			return true;
	}
	return false;
}

// probefunc() names functions of user code in probes of processes, and in samples that may interrupt one.
static bool asks_for_probefunc(const struct emitter *e)
{
	const struct session *s = e->s;
	bool samples = false;

	if (s->opt.user_runtime || !emit_called(e, "stp_probefunc"))
		return false;
	for vec_each(&s->script.probes, p)
		samples |= (*p)->family->samples;
	return s->programs.n || (samples && (s->opt.objects.n || s->opt.command));
}

static char *emit_object(struct emitter *e, struct cwriter *w, struct di_module *m, int i)
{
	struct buf row = { 0 };
	const char *lines;
	int n = 0;

	emit_program(w, "stp_object", i, m);
	buf_printf(&row, "{ .program = &stp_object_program_%d", i);
	if (emit_called(e, "stp_user_location") || asks_for_probefunc(e))
		n = emit_symbols(w, m, i);
	if (n)
		buf_printf(&row, ", .symbols = stp_usyms_%d, .nsymbols = %d", i, n);
	n = emit_called(e, "stp_user_stack") ? emit_frames(w, m, i) : 0;
	if (n)
		buf_printf(&row, ", .frame_offsets = stp_frame_offsets_%d, .frame_rule = stp_frame_rule_%d, "
			   ".frame_rules = stp_frame_rules_%d, .nframes = %d", i, i, i, n);
	lines = asks_for_lines(e) ? emit_lines(e, w, m) : NULL;
	if (lines)
		buf_printf(&row, ", .lines = &%s", lines);
	buf_puts(&row, " },");
	return buf_text(&row);
}

void emit_user_symbols(struct emitter *e, struct cwriter *w)
{
	modules all = { 0 };
	struct buf rows = { 0 };

	if (emit_called(e, "stp_user_") || asks_for_probefunc(e))
		add_objects(e, &all);
	else if (!e->loads_returns)
		return;
	for (int i = 0; i < all.n; i++)
		buf_puts(&rows, emit_object(e, w, all.at[i], i));
	cw_line(w, "static struct stp_object stp_objects[] = { %s { NULL } };", buf_text(&rows));
	emit_family_table(e->s, "user_stack", "stp_objects", all.n);
}

// The runtime finds the mapping of a program in the current process by an offset in its code.
void emit_mapped(struct emitter *e, struct cwriter *w)
{
	if (!e->mapped.n)
		return;
	for (int i = 0; i < e->mapped.n; i++)
		emit_program(w, "stp_mapped", i, e->mapped.at[i]);
	cw_line(w, "static struct stp_mapped stp_mapped[] = {");
	for (int i = 0; i < e->mapped.n; i++) {
		uint64_t address = 0, offset = 0;

		di_program_code(e->mapped.at[i], &address, &offset);
		cw_line(w, "{ .program = &stp_mapped_program_%d, .address = 0x%llxULL, .offset = 0x%llxULL },", i,
			(unsigned long long)address, (unsigned long long)offset);
	}
	cw_line(w, "};");
	emit_family_table(e->s, "mapped", "stp_mapped", e->mapped.n);
}
