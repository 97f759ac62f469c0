// SPDX-License-Identifier: GPL-2.0-or-later
// Writes references to tables of source lines, which the module contains unchanged: those of the kernel and its
// modules, and, for emit_symbols.c, those of programs. In: session.module_data.
#include "elab/module_data.h"
#include "emit/emitter.h"

#include <string.h>

const char *emit_lines(struct emitter *e, struct cwriter *w, const struct line_file *file)
{
	const char *name = str_printf("stp_lines_%d", e->lines++);

	emit_include(w, "const struct stp_lines", name, "", strrchr(file->path, '/') + 1, file->size);
	return name;
}

void emit_kernel_lines(struct emitter *e, struct cwriter *w)
{
	const struct module_data *d = e->s->module_data;
	struct buf rows = { 0 };
	int n = 0;

	if (!d->resolves_lines)
		return;
	for vec_each(&d->code, code) {
		const char *table = emit_lines(e, w, &code->lines);

		for vec_each(&code->ranges, r)
			buf_printf(&rows, "{ &stp_statics[%d], %u, %u, %u, &%s }, ", emit_static_number(e, r->anchor),
				   (unsigned)r->before, (unsigned)r->size, r->code_offset, table);
		n += code->ranges.n;
	}
	cw_line(w, "static const struct stp_code stp_code[] = { %s{ NULL } };", buf_text(&rows));
	emit_family_table(e->s, "lines", "(void *)stp_code", n);
}
