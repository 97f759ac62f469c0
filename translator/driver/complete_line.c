// SPDX-License-Identifier: GPL-2.0-or-later
// --complete LINE: answers the completion of shells (completions/). In: the command line up to the cursor, of stap,
// staprun, stap-merge or stap-prep. Out: possible completions of its last word.
#include "driver/complete_line.h"
#include "driver/complete_program.h"
#include "driver/example.h"
#include "driver/options.h"
#include "editor/complete.h"
#include "run/run.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Splits the line as a shell does. The last word may be empty, or have an open quote.
static void split(const char *line, name_list *words)
{
	struct buf b = { 0 };
	bool any = false;
	char quote = 0;

	for (; *line; line++) {
		if (quote ? *line == quote : *line == '\'' || *line == '"') {
			quote = quote ? 0 : *line;
			any = true;
		} else if (*line == '\\' && quote != '\'' && line[1]) {
			buf_putc(&b, *++line);
			any = true;
		} else if (!quote && isspace((unsigned char)*line)) {
			if (any || b.len)
				vec_push(words, (const char *)buf_text(&b));
			b = (struct buf){ 0 };
			any = false;
		} else {
			buf_putc(&b, *line);
		}
	}
	vec_push(words, (const char *)buf_text(&b));
}

// Adds the paths that match, without their first `skip` characters.
static void add_matches(const char *pattern, size_t skip, name_list *out)
{
	glob_t g;

	if (glob(pattern, 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		vec_push(out, (const char *)str_dup(g.gl_pathv[i] + skip));
	globfree(&g);
}

static void add_releases(name_list *out)
{
	add_matches("/boot/vmlinuz-*", strlen("/boot/vmlinuz-"), out);
}

static void add_processes(name_list *out)
{
	add_matches("/proc/[0-9]*", strlen("/proc/"), out);
}

static void add_limits(name_list *out)
{
	static const char *const names[] = {
#define LIMIT(name, ...) #name,
#define SWITCH(name, ...) #name,
#define NO_EFFECT(name)
#include "limits.def"
#undef LIMIT
#undef SWITCH
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		vec_push(out, (const char *)str_printf("%s=", names[i]));
}

// Adds the alternatives of "kernel|user".
static void add_alternatives(const char *text, name_list *out)
{
	for (; *text; text += strcspn(text, "|"), text += *text == '|')
		vec_push(out, (const char *)str_ndup(text, strcspn(text, "|")));
}

static const char *program;                // program whose options are completed; NULL: stap

static bool next_row(int i, const char **option, const char **value, bool *required)
{
	return program ? complete_program_row(program, i, option, value, required) : options_row(i, option, value, required);
}

// Options of stap whose values do not follow from the name of the value in the table.
static const struct { const char *option, *values; } fixed[] = {
	{ "--fmt", "write|check" }, { "--color", "auto|always|never" }, { "--privilege", "stapusr|stapsys|stapdev" },
	{ "-p", "1|2|3|4|5" }, { "-a", "x86_64|arm64" }, { "--prologue-searching", "auto|always|never" },
	{ "--download-debuginfo", "yes|no|ask" }, { "--from", "bpftrace" }, { "--export", "prometheus:|otlp:" },
	{ "-f", COMPLETE_FORMATS }, { "--output", COMPLETE_FILES },
};

// Completes the value of an option. name: its value in the table of options, such as "PID".
static void complete_value(struct session *s, const char *option, const char *name, const char *typed, name_list *out)
{
	for (size_t i = 0; !program && i < ARRAY_SIZE(fixed); i++)
		if (!strcmp(fixed[i].option, option))
			add_alternatives(fixed[i].values, out);
	if (!strcmp(name, "POINT"))
		complete_point(s, typed, out);
	else if (!strcmp(name, "SCRIPT"))
		complete_script(s, typed, out);
	else if (!strcmp(name, "RELEASE"))
		add_releases(out);
	else if (!strcmp(name, "PID"))
		add_processes(out);
	else if (!strcmp(option, "--example"))
		example_names(s, out);
	else if (!program && !strcmp(option, "-D"))
		add_limits(out);
	else if (strchr(name, '|'))
		add_alternatives(name, out);
}

// Returns the name of an option's required or optional value; NULL if the word is not an option with a value.
static const char *value_of(const char *word, bool *required)
{
	const char *option, *value;

	for (int i = 0; next_row(i, &option, &value, required); i++)
		if (value && *word && !strcmp(option, word))
			return value;
	return NULL;
}

static void complete_option(const char *typed, name_list *out)
{
	const char *option, *value;
	bool required;

	for (int i = 0; next_row(i, &option, &value, &required); i++)
		if (*option)
			vec_push(out, (const char *)str_printf("%s%s", option, value && required && option[1] == '-' ? "=" : ""));
	complete_sort(out, typed);
}

static void complete_word(struct session *s, const name_list *words, name_list *out)
{
	const char *last = words->at[words->n - 1], *before = words->n > 2 ? words->at[words->n - 2] : "", *value;
	const char *equals = strchr(last, '=');
	name_list values = { 0 };
	bool required;

	value = value_of(before, &required);
	if (value && required) {
		complete_value(s, before, value, last, out);
		complete_sort(out, last);
	} else if (!strcmp(before, "--example") && *last != '-') {
		example_names(s, out);
		complete_sort(out, last);
	} else if (str_starts(last, "--") && equals) {
		const char *option = str_ndup(last, equals - last);

		value = value_of(option, &required);
		if (value)
			complete_value(s, option, value, equals + 1, &values);
		for vec_each(&values, v)
			vec_push(out, (const char *)str_printf("%s=%s", option, *v));
		complete_sort(out, last);
	} else if (*last == '-') {
		complete_option(last, out);
	}
}

// The kernel of -r or --vm determines the functions and tracepoints that are offered.
static void choose_release(struct session *s, const name_list *words)
{
	for (int i = 1; i + 1 < words->n; i++) {
		const char *w = words->at[i];

		if (!strcmp(w, "-r"))
			s->opt.release = words->at[i + 1];
		else if (str_starts(w, "-r") || str_starts(w, "--vm="))
			s->opt.release = w + (w[1] == 'r' ? 2 : 5);
		else if (!strcmp(w, "--vm"))
			s->opt.release = vm_default_release();
	}
}

int complete_line(struct session *s)
{
	name_list words = { 0 }, out = { 0 };

	split(s->opt.complete, &words);
	program = complete_program(&words);
	choose_release(s, &words);
	complete_word(s, &words, &out);
	for vec_each(&out, word)
		puts(*word);
	return EXIT_SUCCESS;
}
