// SPDX-License-Identifier: GPL-2.0-or-later
// Source lines for scripts that resolve addresses to lines: tables that debuginfo has made, which the module contains
// unchanged. They are those of the kernel, of kernel modules that are probed or named with -d, and, for
// emit_symbols.c, of programs.
#include "debuginfo/debuginfo.h"
#include "emit/emitter.h"
#include "resolve/family.h"

#include <string.h>
#include <unistd.h>

enum { MAX_MB = 16 };                 // of memory that cannot be paged out while the script runs

bool emit_called(const struct emitter *e, const char *prefix)
{
	for vec_each(&e->s->script.funcs, f)
		if ((*f)->used && (*f)->embedded && embedded_has_prefix((*f)->embedded, prefix))
			return true;
	return false;
}

const char *emit_lines(struct emitter *e, struct cwriter *w, struct di_module *m)
{
	size_t size;
	const char *path = di_lines(m, &size), *name;

	if (path && size > MAX_MB << 20) {
		diag_warning((struct loc){ 0 }, "the source lines of %s would need %zu MB: its addresses are printed without "
			     "file and line", di_module_name(m), size >> 20);
		return NULL;
	}
	if (!path)
		return NULL;
	name = str_printf("stp_lines_%d", e->lines++);
	cw_line(w, "extern const struct stp_lines %s __attribute__((visibility(\"hidden\")));", name);
	// STP_FILES is defined when the C is compiled, so that the text does not depend on a temporary directory's name.
	cw_line(w, "asm(%s STP_FILES %s);",
		emit_c_string(str_printf(".pushsection .rodata\n.balign 8\n%s:\n.incbin \"", name)),
		emit_c_string(str_printf("%s\", 0, %zu\n.popsection", strrchr(path, '/'), size)));
	return name;
}

typedef VEC(struct di_module *) modules;

static void add_module(modules *all, struct di_module *m)
{
	for vec_each(all, known)
		if (*known == m)
			return;
	if (m && !di_is_user(m))
		vec_push(all, m);
}

static void find_modules(struct session *s, modules *all)
{
	add_module(all, di_kernel(s));
	for vec_each(&s->script.probes, p)
		add_module(all, (*p)->family->module ? (struct di_module *)(*p)->family->module(*p) : NULL);
	for vec_each(&s->opt.objects, path)
		if (access(*path, F_OK) && strcmp(*path, "kernel"))
			add_module(all, di_kernel_module(s, *path));
}

// Returns the number of its parts.
static int emit_module(struct emitter *e, struct cwriter *w, struct di_module *m, struct buf *rows)
{
	di_code code = { 0 };
	const char *table;
	int n = 0;

	di_want_dwarf(m);
	di_module_code(m, &code);
	table = code.n ? emit_lines(e, w, m) : NULL;
	for vec_each(&code, part) {
		uint64_t before;
		const struct di_static *anchor = table ? di_find_anchor(m, part, &before) : NULL;

		if (!anchor || before > part->size)
			continue;
		buf_printf(rows, "{ &stp_statics[%d], %u, %u, %u, &%s }, ", emit_static_number(e, anchor), (unsigned)before,
			   (unsigned)part->size, part->code_offset, table);
		n++;
	}
	return n;
}

void emit_kernel_lines(struct emitter *e, struct cwriter *w)
{
	struct buf rows = { 0 };
	modules all = { 0 };
	int n = 0;

	if (e->s->opt.user_runtime || !emit_called(e, "stp_source_line"))
		return;
	find_modules(e->s, &all);
	for vec_each(&all, m)
		n += emit_module(e, w, *m, &rows);
	cw_line(w, "static const struct stp_code stp_code[] = { %s{ NULL } };", buf_text(&rows));
	emit_family_table(e->s, "lines", "(void *)stp_code", n);
}
