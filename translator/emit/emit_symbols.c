// SPDX-License-Identifier: GPL-2.0-or-later
// Function symbols of programs, for scripts that name places in them (usymname() and its like): of
// what is probed, of the program of -c, of objects named with -d, and with --ldd of their libraries.
//
// A table an object, sorted by place: where a function begins in the file, its size, its name. Where a
// script asks for source lines, a second one for these.
#include "debuginfo/debuginfo.h"
#include "emit/emitter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef VEC(struct di_module *) modules;

// Does any reached C code look at the tables?
static bool wanted(const struct emitter *e, const char *lookup)
{
	for vec_each(&e->s->script.funcs, f)
		if ((*f)->used && (*f)->embedded && strstr((*f)->embedded, lookup))
			return true;
	return false;
}

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

static void add_objects(struct emitter *e, modules *all)
{
	struct session *s = e->s;
	int n;

	for vec_each(&s->programs, path)
		add_object(e, all, *path, false);
	for vec_each(&s->opt.objects, path)
		if (strcmp(*path, "kernel"))
			add_object(e, all, *path, true);
	if (s->opt.command && *s->opt.command == '/')
		add_object(e, all, str_ndup(s->opt.command, strcspn(s->opt.command, " ")), false);
	n = all->n;
	for (int i = 0; s->opt.libraries && i < n; i++) {
		di_names paths = { 0 };

		di_program_libraries(all->at[i], &paths);
		for vec_each(&paths, path)
			add_object(e, all, *path, false);
	}
}

static int emit_table(struct cwriter *w, struct di_module *m, int number)
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

static int emit_lines(struct cwriter *w, struct di_module *m, int number)
{
	di_line_rows rows = { 0 };
	di_names files = { 0 };

	di_program_lines(m, &rows, &files);
	cw_line(w, "static const char *const stp_files_%d[] = {", number);
	for vec_each(&files, file)
		cw_line(w, "%s,", emit_c_string(*file));
	cw_line(w, "NULL,");
	cw_line(w, "};");
	cw_line(w, "static const struct stp_uline stp_ulines_%d[] = {", number);
	for vec_each(&rows, it)
		cw_line(w, "{ 0x%llx, %d, %d },", (unsigned long long)it->offset, it->file < 0 ? 0 : it->file,
			it->file < 0 ? 0 : it->line);
	cw_line(w, "{ 0, 0, 0 },");
	cw_line(w, "};");
	return rows.n;
}

// Returns how many objects there are.
int emit_user_symbols(struct emitter *e, struct cwriter *w)
{
	modules all = { 0 };
	struct buf rows = { 0 };

	if (!wanted(e, "__usym_"))
		return 0;
	add_objects(e, &all);
	for (int i = 0; i < all.n; i++) {
		int n = emit_table(w, all.at[i], i), lines = wanted(e, "__uline_") ? emit_lines(w, all.at[i], i) : -1;

		buf_printf(&rows, "{ %s, stp_usyms_%d, %d", emit_c_string(di_module_name(all.at[i])), i, n);
		if (lines >= 0)
			buf_printf(&rows, ", stp_ulines_%d, %d, stp_files_%d", i, lines, i);
		buf_puts(&rows, " },");
	}
	cw_line(w, "static const struct stp_object stp_objects[] = { %s { NULL, NULL, 0 } };", buf_text(&rows));
	return all.n;
}
