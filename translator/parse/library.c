// SPDX-License-Identifier: GPL-2.0-or-later
// The script library, parsed on demand. In: names that the script uses. Out: whole library files, added to
// session.script, and library macros for macro.c. A file with errors is skipped with a warning, unless library_check()
// has reported them.
#include "parse/library.h"
#include "parse/parse.h"
#include "util/str.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

struct library {
	bool opened;                       // the index is loaded
	struct library_index index;
	struct map macros;                 // macros of the .stpm files parsed so far: name -> struct macro
	struct map functions, globals, aliases; // declarations of the .stp files parsed so far: name -> file that
						// defines it
	VEC(bool) argument_used;           // indexed by the number of the argument, from 1
	bool all_arguments_used;           // the script uses argc, argv or argv_N
};

static struct library *allocated(struct session *s)
{
	if (!s->library)
		s->library = NEW(struct library);
	return s->library;
}

static struct library *opened(struct session *s)
{
	struct library *lib = allocated(s);

	if (!lib->opened) {
		lib->opened = true;
		library_index_open(s, &lib->index);
	}
	return lib;
}

void library_argument_used(struct session *s, int number)
{
	struct library *lib = allocated(s);

	lib->all_arguments_used |= !number;
	while (lib->argument_used.n < number)
		vec_push(&lib->argument_used, false);
	if (number)
		lib->argument_used.at[number - 1] = true;
}

bool library_argument_is_used(struct session *s, int number)
{
	struct library *lib = allocated(s);

	return lib->all_arguments_used || (number <= lib->argument_used.n && lib->argument_used.at[number - 1]);
}

// ---------------------------------------------------------------- loading

#define JOIN(to, from) do {		\
	for vec_each(from, it_)		\
		vec_push(to, *it_);	\
} while (0)

static void join(struct session *s, struct library *lib, struct library_file *file, struct script *part)
{
	for vec_each(&part->globals, v)
		if (!(*v)->is_private)
			map_put(&lib->globals, (*v)->name, file);
	for vec_each(&part->funcs, f)
		if (!(*f)->is_private)
			map_put(&lib->functions, (*f)->name, file);
	for vec_each(&part->aliases, d)
		for vec_each(&(*d)->alias_names, name)
			map_put(&lib->aliases, point_text(*name), file);
	JOIN(&s->script.globals, &part->globals);
	JOIN(&s->script.funcs, &part->funcs);
	JOIN(&s->script.aliases, &part->aliases);
	JOIN(&s->script.probe_decls, &part->probe_decls);
	JOIN(&s->script.embedded, &part->embedded);
	s->library_files++;
}

// Returns "/usr/bin/x" for the file PATH/usr/bin/x.stp below the root, NULL for other files.
static char *program_below(const char *root, const char *path)
{
	size_t len = root ? strlen(root) : 0;

	if (!len || strncmp(path, root, len) || !str_starts(path + len, "/PATH/") || !str_ends(path, ".stp"))
		return NULL;
	path += len + strlen("/PATH");
	return str_ndup(path, strlen(path) - strlen(".stp"));
}

// Completes "process" in a file for a program: a relative path begins in the program's directory; without a path,
// points in code refer to the program.
static void complete_path(struct probe_point *p, const char *program)
{
	static const char *const in_code[] = { "function", "statement", "mark", "plt", "provider" };
	struct point_part *part = &p->parts.at[0];
	bool code = false;

	for (size_t i = 0; p->parts.n > 1 && i < ARRAY_SIZE(in_code); i++)
		code |= !strcmp(part[1].name, in_code[i]);
	if (strcmp(part->name, "process") || part->arg_kind == ARG_NUMBER)
		return;
	if (part->arg_kind == ARG_STRING && *part->text && *part->text != '/')
		part->text = str_printf("%.*s/%s", (int)(strrchr(program, '/') - program), program, part->text);
	else if (part->arg_kind == ARG_NONE && code)
		part->text = program;
	else
		return;
	part->arg_kind = ARG_STRING;
}

static void complete_paths(const struct session *s, const struct library_file *file, const struct script *part)
{
	const char *program = program_below(s->tapset_dir, file->path);

	for (int i = 0; i < s->opt.include_dirs.n && !program; i++)
		program = program_below(s->opt.include_dirs.at[i], file->path);
	for (int i = 0; program && i < part->aliases.n; i++)
		for vec_each(&part->aliases.at[i]->points, p)
			complete_path(*p, program);
	for (int i = 0; program && i < part->probe_decls.n; i++)
		for vec_each(&part->probe_decls.at[i]->points, p)
			complete_path(*p, program);
}

static void load(struct session *s, struct library_file *file)
{
	struct library *lib = s->library;
	struct script part = { 0 };
	struct loc first = { 0 };
	struct source *src;
	int errors;

	if (file->loaded)
		return;
	file->loaded = true;       // set first: macros of the file may look it up
	src = source_read(file->path);
	if (!src) {
		diag_warning((struct loc){ 0 }, "the library file %s is skipped: %s", file->path, strerror(errno));
		return;
	}
	src->library = true;
	diag_quiet_push();
	errors = parse_into(s, src, &part, file->macros ? &lib->macros : NULL, &first);
	diag_quiet_pop();
	if (errors)
		diag_warning((struct loc){ 0 }, "the library file %s:%d:%d is skipped: %s", file->path, first.line,
			     first.column, diag_quiet_first());
	if (errors || file->macros)
		return;
	complete_paths(s, file, &part);
	join(s, lib, file, &part);
}

static bool is_in_tapset_dir(const struct session *s, const struct library_file *file)
{
	size_t len = s->tapset_dir ? strlen(s->tapset_dir) : 0;

	return len && str_starts(file->path, s->tapset_dir) && file->path[len] == '/';
}

// Macros come before the files that may use them.
static int check_files(struct session *s, bool macros)
{
	int errors = 0, before;

	for vec_each(&opened(s)->index.files, it) {
		struct library_file *file = *it;
		struct script part = { 0 };
		struct source *src;

		if (file->loaded || is_in_tapset_dir(s, file) || file->macros != macros)
			continue;
		src = source_read(file->path);
		if (!src)
			continue;          // its errors are reported if the file is used
		src->library = true;
		before = errors;
		errors += parse_into(s, src, &part, file->macros ? &s->library->macros : NULL, NULL);
		file->loaded = file->macros || errors > before;
	}
	return errors;
}

int library_check(struct session *s)
{
	return check_files(s, true) + check_files(s, false);
}

static void load_all(struct session *s, file_list *files)
{
	if (!files)
		return;
	for vec_each(files, file)
		load(s, *file);
}

bool library_use_function(struct session *s, const char *name)
{
	struct library *lib = opened(s);

	load_all(s, map_get(&lib->index.functions, name));
	return map_get(&lib->functions, name) != NULL;
}

bool library_use_global(struct session *s, const char *name)
{
	struct library *lib = opened(s);

	load_all(s, map_get(&lib->index.globals, name));
	return map_get(&lib->globals, name) != NULL;
}

const char *library_private(struct session *s, const char *name)
{
	const file_list *files = map_get(&opened(s)->index.privates, name);

	return files ? files->at[0]->path : NULL;
}

struct macro *library_macro(struct session *s, const char *name)
{
	struct library *lib = opened(s);

	load_all(s, map_get(&lib->index.macros, name));    // loads all, to report duplicates
	return map_get(&lib->macros, name);
}

// ---------------------------------------------------------------- aliases

typedef VEC(const char *) part_list;

static part_list split(const char *name)
{
	part_list parts = { 0 };
	size_t n = strcspn(name, ".");

	vec_push(&parts, str_ndup(name, n));
	while (name[n]) {
		name += n + 1;
		n = strcspn(name, ".");
		vec_push(&parts, str_ndup(name, n));
	}
	return parts;
}

static bool match(const part_list *alias, int a, const struct probe_point *point, int p);

// A part with "**" matches one or more parts of the alias, including the dots.
static bool match_span(const part_list *alias, int a, const struct probe_point *point, int p)
{
	struct buf joined = { 0 };

	for (int i = a; i < alias->n; i++) {
		buf_printf(&joined, "%s%s", i > a ? "." : "", alias->at[i]);
		if (fnmatch(point->parts.at[p].name, joined.text, 0) == 0 && match(alias, i + 1, point, p + 1))
			return true;
	}
	return false;
}

// Returns true if the rest of the alias is matched by the parts from p on; remaining parts are a suffix.
static bool match(const part_list *alias, int a, const struct probe_point *point, int p)
{
	if (a == alias->n)
		return true;
	if (p == point->parts.n || point->parts.at[p].arg_kind != ARG_NONE)
		return false;
	if (strstr(point->parts.at[p].name, "**"))
		return match_span(alias, a, point, p);
	return fnmatch(point->parts.at[p].name, alias->at[a], 0) == 0 && match(alias, a + 1, point, p + 1);
}

// A quick test that rejects most aliases before match().
static bool may_match(const char *alias, const char *first)
{
	size_t len = strlen(first);

	return strpbrk(first, "*?[") || (strncmp(alias, first, len) == 0 && (alias[len] == '.' || !alias[len]));
}

bool library_use_alias(struct session *s, const struct probe_point *point)
{
	struct library *lib = opened(s);
	bool any = false;

	for map_each(&lib->index.aliases, e) {
		part_list parts;

		if (!may_match(e->key, point->parts.at[0].name))
			continue;
		parts = split(e->key);
		if (!match(&parts, 0, point, 0))
			continue;
		load_all(s, e->value);
		any |= map_get(&lib->aliases, e->key) != NULL;
	}
	return any;
}

bool library_has_alias(struct session *s, const char *name)
{
	return map_get(&opened(s)->index.aliases, name) != NULL;
}

// ---------------------------------------------------------------- names

static void names(const struct map *m, name_list *out)
{
	for map_each(m, e)
		vec_push(out, e->key);
}

void library_function_names(struct session *s, name_list *out)
{
	names(&opened(s)->index.functions, out);
}

void library_macro_names(struct session *s, name_list *out)
{
	names(&opened(s)->index.macros, out);
}

void library_alias_names(struct session *s, name_list *out)
{
	names(&opened(s)->index.aliases, out);
}
