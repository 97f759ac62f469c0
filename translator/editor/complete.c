// SPDX-License-Identifier: GPL-2.0-or-later
// Completes probe points and script text. Forms are those of the probe families; aliases and functions are those of
// the library's index; names in quotes are listed by another stap with -l, which reads the debuginfo caches.
#include "editor/complete.h"
#include "parse/parse.h"
#include "resolve/family.h"
#include "util/spawn.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void complete_sort(name_list *names, const char *prefix)
{
	int n = 0;

	if (names->n)
		qsort(names->at, names->n, sizeof(*names->at), by_name);
	for (int i = 0; i < names->n; i++)
		if (str_starts(names->at[i], prefix) && (!n || strcmp(names->at[n - 1], names->at[i])))
			names->at[n++] = names->at[i];
	names->n = n;
}

// ---------------------------------------------------------------- names in quotes

// Adds files whose paths begin with `path`; directories end with "/".
static void add_files(const char *before, const char *path, name_list *out)
{
	glob_t g;

	if (glob(str_printf("%s*", path), GLOB_MARK, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		vec_push(out, (const char *)str_printf("%s%s%s", before, g.gl_pathv[i], str_ends(g.gl_pathv[i], "/") ? "" : "\")"));
	globfree(&g);
}

static void add_modules(const char *before, const char *name, name_list *out)
{
	glob_t g;

	if (glob(str_printf("/sys/module/%s*", name), 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		vec_push(out, (const char *)str_printf("%s%s\")", before, g.gl_pathv[i] + strlen("/sys/module/")));
	globfree(&g);
}

// Adds the names in lines of -l, each in the last argument of a point: function("vfs_read@fs/read_write.c:450"), and
// trace("sched:sched_switch"), whose system may be left out.
static void add_listed(const char *before, char *lines, name_list *out)
{
	for (char *line = lines, *end; *line; line = end + (*end != '\0')) {
		const char *name = NULL;

		end = line + strcspn(line, "\n");
		for (const char *p = line; p + 1 < end; p++)
			if (p[0] == '(' && p[1] == '"')
				name = p + 2;
		if (!name)
			continue;
		vec_push(out, (const char *)str_printf("%s%.*s\")", before, (int)strcspn(name, "@\"\n"), name));
		name += strcspn(name, ":\"\n");
		if (*name == ':' && (str_ends(before, "trace(\"") || str_ends(before, "tracepoint(\"")))
			vec_push(out, (const char *)str_printf("%s%.*s\")", before, (int)strcspn(name + 1, "\"\n"), name + 1));
	}
}

static void list_names(struct session *s, const char *before, const char *text, name_list *out)
{
	const char *argv[] = { "/proc/self/exe", "-w", "-l", str_printf("%s*\")", text), NULL, NULL, NULL };
	struct spawn list = { .argv = argv, .capture = true };

	if (s->opt.release) {
		argv[4] = "-r";
		argv[5] = s->opt.release;
	}
	if (!spawn_run(&list))
		add_listed(before, list.output, out);
}

// open: points to the text after the quote that is not closed.
static void in_quotes(struct session *s, const char *text, const char *open, name_list *out)
{
	const char *before = str_ndup(text, open - text);

	if (str_ends(before, "process(\"") || str_ends(before, "library(\""))
		add_files(before, open, out);
	else if (str_ends(before, "module(\""))
		add_modules(before, open, out);
	else
		list_names(s, before, text, out);
}

// ---------------------------------------------------------------- forms

// Writes the point as in the table of forms: kernel.function(string). Returns the quote that is not closed, or
// NULL.
static const char *form_of(const char *text, struct buf *form)
{
	while (*text) {
		const char *end;

		if (text[0] == '(' && text[1] == '"') {
			end = strchr(text + 2, '"');
			if (!end)
				return text + 2;
			buf_puts(form, "(string");
			text = end + 1;
		} else if (text[0] == '(' && isdigit((unsigned char)text[1])) {
			buf_puts(form, "(number");
			text += 1 + strspn(text + 1, "0123456789xabcdefABCDEF");
		} else {
			buf_putc(form, *text++);
		}
	}
	return NULL;
}

// Adds the next component of a form that begins with the typed text.
static void add_form(const char *text, const char *typed, const char *form, name_list *out)
{
	const char *rest = form + strlen(typed);
	size_t len;

	if (!str_starts(form, typed) || !*rest || (*form == '_' && *typed != '_'))
		return;
	len = (*rest == '.' || *rest == '(') + strcspn(rest + (*rest == '.' || *rest == '('), ".(");
	if (*rest == '(')
		len = 0;
	vec_push(out, (const char *)str_printf("%s%.*s%s", text, (int)len, rest, str_starts(rest + len, "(string") ? "(\"" :
					       rest[len] == '(' ? "(" : ""));
}

void complete_point(struct session *s, const char *text, name_list *out)
{
	struct buf form = { 0 };
	const char *open = form_of(text, &form);
	name_list aliases = { 0 };

	if (open) {
		in_quotes(s, text, open, out);
	} else {
		for (const struct probe_family *const *f = probe_families; *f; f++)
			for (const char *const *pattern = (*f)->patterns; *pattern; pattern++)
				add_form(text, buf_text(&form), *pattern, out);
		library_alias_names(s, &aliases);
		for vec_each(&aliases, alias)
			add_form(text, buf_text(&form), *alias, out);
	}
	complete_sort(out, text);
}

// ---------------------------------------------------------------- script text

// Returns the text of the probe point at the end of the script, or NULL if the end is not in one.
static const char *point_at_end(const char *text)
{
	const char *point = NULL;
	bool quoted = false;

	for (const char *p = text; *p; p++) {
		bool begins = p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '.');

		quoted ^= *p == '"';
		if (quoted)
			continue;
		if (begins && str_starts(p, "probe") && isspace((unsigned char)p[5]))
			point = p + 6;
		else if (*p == '{')
			point = NULL;
		else if (point && (*p == ',' || *p == '='))
			point = p + 1;
	}
	return point ? point + strspn(point, " \t\n") : NULL;
}

static void add_names(const char *before, const name_list *names, const char *mark, const char *after, name_list *out)
{
	for vec_each(names, name)
		if (**name != '_')
			vec_push(out, (const char *)str_printf("%s%s%s%s", before, mark, *name, after));
}

void complete_script(struct session *s, const char *text, name_list *out)
{
	static const char *const keywords[] = { "probe ", "global ", "function ", "foreach (", "while (",
						"return ", "delete ", "next" };
	const char *point = point_at_end(text), *word = text + strlen(text);
	name_list names = { 0 }, found = { 0 };

	if (point) {
		complete_point(s, point, &found);
		for vec_each(&found, name)
			vec_push(out, (const char *)str_printf("%.*s%s", (int)(point - text), text, *name));
		return;
	}
	while (word > text && (isalnum((unsigned char)word[-1]) || word[-1] == '_'))
		word--;
	if (word > text && word[-1] == '@') {
		library_macro_names(s, &names);
		add_names(str_ndup(text, word - 1 - text), &names, "@", "", out);
	} else if (*word || word == text) {
		if (*word) {
			library_function_names(s, &names);
			parse_print_words(&names);
		}
		add_names(str_ndup(text, word - text), &names, "", "(", out);
		for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
			vec_push(out, (const char *)str_printf("%.*s%s", (int)(word - text), text, keywords[i]));
	}
	complete_sort(out, text);
}
