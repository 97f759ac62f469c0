// SPDX-License-Identifier: GPL-2.0-or-later
// -l, -L and --dump-*: lists probe points, aliases or functions, instead of a run.
//
// In:  the points of -l, as a script that main made: "probe POINT {}"; or the library's index.
// Out: sorted lines. A point found through an alias is listed under the alias's name, others as
//      pp() returns them. -L adds the locals of aliases as name:type, then target
//      variables as $name:type; a line that stands for several points (an alias of
//      three functions) has the variables that all of them have; with -v each has its own line.
//      --source adds a line with the text of the point's line of source code.
// Scripts may refer to things that don't exist in this kernel, so errors are printed only with -vv.
#include "driver/source_text.h"
#include "elab/elab.h"
#include "parse/parse.h"
#include "session/passes.h"
#include "session/session.h"
#include "util/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
	const char *point;
	struct listed_details *details;    // NULL: -l; source is unset if the line stands for several points
};
typedef VEC(struct line) line_list;

// ---------------------------------------------------------------- without messages

static bool is_quiet(const struct session *s)
{
	return s->opt.verbose[2] < 2;
}

// If nothing is found, the first error is reported as the reason.
static void begin_quiet(const struct session *s)
{
	if (!is_quiet(s))
		return;
	diag_options.no_warnings = true;
	diag_hold_push();
}

static void end_quiet(const struct session *s)
{
	if (is_quiet(s))
		diag_hold_pop();
	else
		diag_summary();
}

// ---------------------------------------------------------------- lines of points

struct mention {
	const struct var *of;
	bool found;
};

static bool visit_var(struct ast_walker *w, struct expr **e)
{
	struct mention *m = w->data;

	m->found |= (*e)->kind == E_VAR && (*e)->u.var.decl == m->of;
	return !m->found;
}

// Returns true if the handler still uses the local after elab_targets(), which may remove branches.
static bool is_mentioned(struct probe *p, const struct var *v)
{
	struct mention m = { .of = v };
	struct ast_walker w = { .expr = visit_var, .data = &m };

	ast_walk_stmt(&w, &p->body);
	return m.found;
}

// A wildcard in the argument of a point stands for several points, each of which is a line.
static bool is_alias(const struct probe *p)
{
	return p->chain.n > 1 || (p->family->as_aliases && !str_is_glob(p->written));
}

// Returns whether a pattern of a family is listed with the aliases.
static bool is_alias_pattern(const struct probe_family *f, const char *pattern)
{
	return f->as_aliases && !strchr(pattern, '(');
}

static struct listed_details *details_of(struct session *s, struct probe *p)
{
	struct listed_details *points = probe_details(s, p), *all;

	if (!is_alias(p) && !p->locals.n)
		return points;
	all = NEW(struct listed_details);
	for vec_each(&p->locals, v)
		if (is_mentioned(p, *v))
			listed_variable(&all->variables, (*v)->name, type_name((*v)->type));
	for vec_each(&points->variables, v)
		vec_push(&all->variables, *v);
	if (!is_alias(p))
		all->source = points->source;
	return all;
}

static void keep_common(name_list *list, const name_list *with)
{
	int n = 0;

	for (int i = 0; i < list->n; i++)
		if (str_in_list(with, list->at[i]))
			list->at[n++] = list->at[i];
	list->n = n;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_line(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = strcmp(x->point, y->point);
	const name_list *v, *w;

	if (order || !x->details || !y->details)
		return order;
	v = &x->details->variables;
	w = &y->details->variables;
	for (int i = 0; !order && (i < v->n || i < w->n); i++)
		order = i == v->n ? -1 : i == w->n ? 1 : strcmp(v->at[i], w->at[i]);
	return order;
}

// Sorts the lines and merges those of one point.
static void merge_lines(struct session *s, line_list *lines)
{
	bool each = s->opt.verbose[2] > 0;
	int n = 0;

	if (lines->n)
		qsort(lines->at, lines->n, sizeof(*lines->at), by_line);
	for (int i = 0; i < lines->n; i++) {
		struct line *last = n ? &lines->at[n - 1] : NULL;

		if (!last || (each ? by_line(last, &lines->at[i]) : strcmp(last->point, lines->at[i].point)))
			lines->at[n++] = lines->at[i];
		else if (last->details && lines->at[i].details)
			keep_common(&last->details->variables, &lines->at[i].details->variables);
	}
	lines->n = n;
}

// ---------------------------------------------------------------- -l, -L

// Adds probes of the listed point only: scripts of -E and the library have others.
static void add_probes(struct session *s, line_list *lines)
{
	VEC(struct probe *) found = { 0 };
	bool aliases = false;

	lines->capacity = s->script.listed.n + s->script.probes.n;     // the exact size, since a wildcard finds
								       // 70,000 points
	lines->at = NEW_ARRAY(struct line, lines->capacity + 1);
	for vec_each(&s->script.listed, p)
		if (p->decl->source == s->sources.at[0])
			vec_push(lines, ((struct line){ p->point, p->details }));
	for vec_each(&s->script.probes, p)
		if ((*p)->decl->source == s->sources.at[0]) {
			vec_push(&found, *p);
			aliases |= is_alias(*p);
		}
	if (s->opt.list_vars && aliases)
		elab_types_for_lists(s);
	for vec_each(&found, it) {
		struct probe *p = *it;
		struct line line = { .point = is_alias(p) ? p->written : p->point };

		if (s->opt.list_vars)
			line.details = details_of(s, p);
		vec_push(lines, line);
	}
}

// Adds points with arguments that "timer.*" matches by name.
static void add_patterns(struct session *s, const struct probe_point *point, line_list *lines)
{
	for (const struct probe_family *const *f = probe_families; *f; f++) {
		if ((s->opt.user_runtime && !(*f)->on_user_runtime) ||
		    (s->opt.bpf_runtime && !(*f)->on_user_runtime && !(*f)->bpf_program))
			continue;
		for (const char *const *pattern = (*f)->patterns; *pattern; pattern++)
			if (match_left_open(point, *pattern))
				vec_push(lines, (struct line){ .point = *pattern });
	}
}

static void add_found(struct session *s, line_list *lines)
{
	elab_match_probes(s);
	add_probes(s, lines);
	for vec_each(&s->script.probe_decls, d)
		if ((*d)->source == s->sources.at[0])
			for vec_each(&(*d)->points, point)
				add_patterns(s, *point, lines);
}

// Makes "vfs*" and "perf.*" also match longer points: vfs.read, perf.hw.cpu_cycles. Returns false if the point
// cannot be lengthened.
static bool lengthen(struct probe_point *point)
{
	struct point_part *last = &point->parts.at[point->parts.n - 1];

	if (last->arg_kind != ARG_NONE || !str_ends(last->name, "*") || str_ends(last->name, "**") ||
	    (point->parts.n == 1 && !strcmp(last->name, "*")))
		return false;
	last->name = str_printf("%s*", last->name);
	return true;
}

static bool lengthen_all(struct session *s)
{
	bool longer = false;

	for vec_each(&s->script.probe_decls, d) {
		if ((*d)->source != s->sources.at[0])
			continue;
		(*d)->used = false;
		for vec_each(&(*d)->points, point)
			longer |= lengthen(*point);
	}
	return longer;
}

static void find(struct session *s, line_list *lines)
{
	if (pass_parse(s))
		return;
	diag_kind("semantic");
	add_found(s, lines);
	if (!lines->n && lengthen_all(s))
		add_found(s, lines);
	merge_lines(s, lines);
}

static void print_json_string(const char *text)
{
	struct buf b = { 0 };

	buf_json(&b, text);
	fputs(buf_text(&b), stdout);
}

static void print_json_variables(const name_list *list)
{
	printf(", \"variables\": [");
	for (int i = 0; i < list->n; i++) {
		const char *colon = strchr(list->at[i], ':');

		printf("%s{\"name\": ", i ? ", " : "");
		print_json_string(str_ndup(list->at[i], colon - list->at[i]));
		printf(", \"type\": ");
		print_json_string(colon + 1);
		putchar('}');
	}
	putchar(']');
}

static void print_json_source(const struct session *s, const struct source_line *source)
{
	const char *text = source_text(s->opt.source_dir, source);

	printf(", \"source\": {\"file\": ");
	print_json_string(source->file);
	printf(", \"line\": %d", source->line);
	if (text) {
		printf(", \"text\": ");
		print_json_string(text);
	}
	putchar('}');
}

// Returns NULL if no line of source code is known.
static const struct source_line *source_of(const struct line *line)
{
	return line->details && line->details->source.file ? &line->details->source : NULL;
}

static void print_json(const struct session *s, const line_list *lines)
{
	static const name_list none;

	putchar('[');
	for (int i = 0; i < lines->n; i++) {
		printf("%s\n  {\"point\": ", i ? "," : "");
		print_json_string(lines->at[i].point);
		print_json_variables(lines->at[i].details ? &lines->at[i].details->variables : &none);
		if (source_of(&lines->at[i]))
			print_json_source(s, source_of(&lines->at[i]));
		putchar('}');
	}
	puts(lines->n ? "\n]" : "]");
}

static void print_lines(const struct session *s, const line_list *lines)
{
	for vec_each(lines, line) {
		const struct source_line *source = source_of(line);
		const char *text = source ? source_text(s->opt.source_dir, source) : NULL;

		fputs(line->point, stdout);
		for (int i = 0; line->details && i < line->details->variables.n; i++)
			printf(" %s", line->details->variables.at[i]);
		putchar('\n');
		if (text)
			printf("%8d  %s\n", source->line, text);
	}
}

// Prints a note that source files were not found, with the name of one of them.
static void note_missing_source(const struct session *s, const line_list *lines)
{
	const struct source_line *missing = NULL;
	int n = 0, known = 0;

	for vec_each(lines, line) {
		const struct source_line *source = source_of(line);

		known += source != NULL;
		if (!source || source_text(s->opt.source_dir, source))
			continue;
		missing = missing ? missing : source;
		n++;
	}
	if (n)
		fprintf(stderr, "stap: source lines of %d of %d points not found, such as line %d of %s, compiled in %s; name the "
			"directory of the source with --source=DIR\n", n, lines->n, missing->line, missing->file,
			missing->directory ? missing->directory : "an unknown directory");
	else if (!known && lines->n)
		fputs("stap: no source lines: these points have none, or the debuginfo does not name them\n", stderr);
}

static int list_points(struct session *s)
{
	line_list lines = { 0 };

	mem_collect_often();
	begin_quiet(s);
	find(s, &lines);
	end_quiet(s);
	if (s->opt.json)
		print_json(s, &lines);
	else
		print_lines(s, &lines);
	if (s->opt.list_source)
		note_missing_source(s, &lines);
	if (!lines.n && is_quiet(s) && diag_quiet_first()) {
		fprintf(stderr, "stap: nothing found: %s\n", diag_quiet_first());
		for vec_each(&diag_held_report()->notes, note)
			fprintf(stderr, "    note: %s\n", note->text);
	}
	return lines.n ? EXIT_SUCCESS : EXIT_FAILURE;
}

// ---------------------------------------------------------------- --dump-*

// Adds a line of a list, or with --json an object: {"point": "begin"}.
static void add_name(const struct session *s, const char *member, const char *name, name_list *out)
{
	struct buf b = { 0 };

	if (s->opt.json) {
		buf_printf(&b, "{\"%s\": ", member);
		buf_json(&b, name);
		buf_putc(&b, '}');
		name = b.text;
	}
	vec_push(out, name);
}

static void add_types(struct session *s, name_list *out)
{
	for (const struct probe_family *const *f = probe_families; *f; f++)
		for (const char *const *pattern = (*f)->patterns; *pattern; pattern++)
			if (!is_alias_pattern(*f, *pattern))
				add_name(s, "point", *pattern, out);
}

static bool is_hidden(const struct session *s, const char *name)
{
	return *name == '_' && !s->opt.verbose[2];
}

static char *text_of(struct probe_point *p)
{
	return str_printf("%s%s", point_text(p), p->optional ? "?" : p->sufficient ? "!" : "");
}

// Writes {"alias": "vfs.read", "points": ["kernel.function(\"vfs_read\")"]}.
static void alias_json(struct buf *b, const char *name, const struct probe_decl *alias)
{
	buf_puts(b, "{\"alias\": ");
	buf_json(b, name);
	for vec_each(&alias->points, p) {
		buf_puts(b, p == alias->points.at ? ", \"points\": [" : ", ");
		buf_json(b, text_of(*p));
	}
	buf_puts(b, "]}");
}

// Adds "vfs.read = kernel.function("vfs_read")".
static void add_alias(struct session *s, const struct probe_decl *alias, name_list *out)
{
	for vec_each(&alias->alias_names, name) {
		const char *text = point_text(*name);
		struct buf b = { 0 };

		if (is_hidden(s, text))
			continue;
		if (s->opt.json)
			alias_json(&b, text, alias);
		else
			buf_puts(&b, text);
		for vec_each(&alias->points, p)
			if (!s->opt.json)
				buf_printf(&b, "%s%s", p == alias->points.at ? " = " : ", ", text_of(*p));
		vec_push(out, (const char *)b.text);
	}
}

static void add_aliases(struct session *s, name_list *out)
{
	struct probe_point any = { 0 };

	vec_push(&any.parts, (struct point_part){ .name = "**" });
	library_use_alias(s, &any);
	for vec_each(&s->script.aliases, alias)
		add_alias(s, *alias, out);
	for (const struct probe_family *const *f = probe_families; *f; f++)
		for (const char *const *pattern = (*f)->patterns; *pattern; pattern++)
			if (is_alias_pattern(*f, *pattern))
				add_name(s, "alias", *pattern, out);
}

// Returns the tags that follow "ctime:string (seconds:long)", such as "unprivileged"; with -v also "pure".
static name_list tags_of(const struct session *s, const struct func *f)
{
	static const struct { unsigned bit; const char *name; bool always; } tags[] = {
		{ PRAGMA_GURU, "guru", true }, { PRAGMA_MYPROC, "myproc-unprivileged", true }, { PRAGMA_PURE, "pure", false },
		{ PRAGMA_STABLE, "stable", false }, { PRAGMA_UNPRIVILEGED, "unprivileged", true },
	};
	name_list list = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if ((func_has(f, tags[i].bit) || (tags[i].bit == PRAGMA_GURU && f->is_refused)) &&
		    (tags[i].always || s->opt.verbose[2]))
			vec_push(&list, tags[i].name);
	return list;
}

// Writes {"function": "ctime", "type": "string", "parameters": [{"name": "seconds", "type": "long"}], "tags":
// ["pure"]}.
static void function_json(const struct func *f, const name_list *tags, struct buf *b)
{
	buf_puts(b, "{\"function\": ");
	buf_json(b, f->name);
	buf_printf(b, ", \"type\": \"%s\", \"parameters\": [", type_name(f->type));
	for (int i = 0; i < f->params.n; i++) {
		buf_puts(b, i ? ", {\"name\": " : "{\"name\": ");
		buf_json(b, f->params.at[i]->name);
		buf_printf(b, ", \"type\": \"%s\"}", type_name(f->params.at[i]->type));
	}
	buf_puts(b, "], \"tags\": [");
	for (int i = 0; i < tags->n; i++)
		buf_printf(b, "%s\"%s\"", i ? ", " : "", tags->at[i]);
	buf_puts(b, "]}");
}

static void function_text(const struct func *f, const name_list *tags, struct buf *b)
{
	buf_printf(b, "%s:%s (", f->name, type_name(f->type));
	for (int i = 0; i < f->params.n; i++)
		buf_printf(b, "%s%s:%s", i ? ", " : "", f->params.at[i]->name, type_name(f->params.at[i]->type));
	buf_putc(b, ')');
	for vec_each(tags, tag)
		buf_printf(b, " /* %s */", *tag);
}

static void add_function(struct session *s, const struct func *f, name_list *out)
{
	name_list tags = tags_of(s, f);
	struct buf b = { 0 };

	if (f->is_private || is_hidden(s, f->name))
		return;
	(s->opt.json ? function_json : function_text)(f, &tags, &b);
	vec_push(out, (const char *)b.text);
}

static void add_functions(struct session *s, name_list *out)
{
	name_list names = { 0 };

	library_function_names(s, &names);
	for vec_each(&names, name)
		library_use_function(s, *name);
	// Calls may add more functions to the list.
	for (int i = 0; i < s->script.funcs.n; i++)
		bind_names_of_function(s, s->script.funcs.at[i]);
	elab_types_for_lists(s);
	elab_mark_guru(s);
	for vec_each(&s->script.funcs, f)
		add_function(s, *f, out);
}

static void print_names(const struct session *s, const name_list *list)
{
	if (s->opt.json)
		putchar('[');
	for (int i = 0; i < list->n; i++)
		if (i && !strcmp(list->at[i - 1], list->at[i]))
			continue;
		else if (s->opt.json)
			printf("%s\n  %s", i ? "," : "", list->at[i]);
		else
			puts(list->at[i]);
	if (s->opt.json)
		puts("\n]");
}

static int dump(struct session *s)
{
	name_list list = { 0 };

	begin_quiet(s);
	switch (s->opt.dump) {
	case DUMP_PROBE_TYPES: add_types(s, &list); break;
	case DUMP_PROBE_ALIASES: add_aliases(s, &list); break;
	case DUMP_FUNCTIONS: add_functions(s, &list); break;
	case DUMP_NONE: case DUMP_LAYOUT: break;
	}
	end_quiet(s);
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), by_text);
	print_names(s, &list);
	return list.n ? EXIT_SUCCESS : EXIT_FAILURE;
}

int list_run(struct session *s)
{
	int status = s->opt.dump == DUMP_LAYOUT ? layout_run(s) : s->opt.dump ? dump(s) : list_points(s);

	if (fflush(stdout) == EOF || ferror(stdout))
		die("cannot write to standard output: %s", strerror(errno));
	return status;
}
