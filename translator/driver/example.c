// SPDX-License-Identifier: GPL-2.0-or-later
// --example: lists, prints or selects an example script. Reads the directory examples/ of the installation or build,
// whose scripts begin with a question, and the examples of SystemTap below XDG_DATA_DIRS, which have a .meta file each.
#include "driver/example.h"

#include "session/session.h"
#include "util/diag.h"
#include "util/str.h"

#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct example {
	const char *path, *subject, *name;     // subject: name of the directory; name: without .stp
	bool own;                              // it is an example of Quicktap, not of SystemTap
	const char *about;                     // the head of the script up to its usage, or the text of the .meta
					       // file
	int matches;                           // number of wanted words in name and `about`
};

// Static, since nftw() passes no argument to its callback.
static struct { VEC(struct example) all; bool own; } found;

static const char *head_of(const char *path, bool own)
{
	char *text = own ? str_read_start(path, 4096, NULL) :
			str_read_start(str_printf("%.*s.meta", (int)(strlen(path) - strlen(".stp")), path), 4096, NULL);
	char *end = text && own ? strstr(text, "\n# Usage:") : NULL;

	if (end)
		*end = '\0';
	return text ? text : "";
}

static int visit_file(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	struct example e = { .path = str_dup(path), .own = found.own };
	const char *dir = path + at->base - 1;

	if (kind != FTW_F || !str_ends(path, ".stp"))
		return 0;
	while (dir > path && dir[-1] != '/')
		dir--;
	e.subject = str_ndup(dir, (size_t)(path + at->base - 1 - dir));
	e.name = str_ndup(path + at->base, strlen(path + at->base) - strlen(".stp"));
	e.about = head_of(path, found.own);
	vec_push(&found.all, e);
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct example *)a)->path, ((const struct example *)b)->path);
}

static void read_directory(const char *dir, bool own)
{
	int before = found.all.n;

	found.own = own;
	nftw(dir, visit_file, 16, FTW_PHYS);
	qsort(found.all.at + before, (size_t)(found.all.n - before), sizeof(struct example), by_path);
}

static const char *data_dirs(void)
{
	const char *dirs = getenv("XDG_DATA_DIRS");

	return dirs && *dirs ? dirs : "/usr/local/share:/usr/share";
}

static void read_all(const struct session *s)
{
	if (found.all.n)
		return;
	if (s->examples_dir)
		read_directory(s->examples_dir, true);
	for (const char *dirs = data_dirs(); *dirs; dirs += strcspn(dirs, ":"), dirs += *dirs == ':')
		read_directory(str_printf("%.*s/systemtap/examples", (int)strcspn(dirs, ":"), dirs), false);
}

// Returns the question in the third line, up to its question mark; for an example of SystemTap its title.
static char *question_of(const struct example *e)
{
	const char *line = strstr(e->about, e->own ? "\n# SPDX" : "title:");
	size_t len;

	line = line && e->own ? strchr(line + 1, '\n') : line;
	if (!line)
		return "";
	line += e->own ? strspn(line, "\n# ") : strlen("title: ");
	len = strcspn(line, "\n");
	if (e->own && memchr(line, '?', len))
		len = strcspn(line, "?") + 1;
	return str_ndup(line, len);
}

static void add_line(struct buf *b, const struct example *e, bool with_subject)
{
	const char *name = with_subject ? str_printf("%s/%s", e->subject, e->name) : e->name;

	buf_printf(b, "\n  %-*s %s", with_subject ? 22 : 14, name, question_of(e));
}

static void list_all(void)
{
	const char *subject = "";
	struct buf b = { 0 };
	int others = 0;

	for vec_each(&found.all, e) {
		if (!e->own) {
			others++;
			continue;
		}
		if (strcmp(subject, e->subject))
			buf_printf(&b, "%s%s", *subject ? "\n\n" : "", e->subject);
		subject = e->subject;
		add_line(&b, e, false);
	}
	if (b.len)
		printf("%s\n\nstap --example NAME [ARGUMENTS] runs one of these, stap --example NAME --show prints it "
		       "with its usage, output and cost.\n", buf_text(&b));
	if (others)
		printf("stap --example FILE also runs the %d examples of SystemTap in systemtap/examples below %s.\n",
		       others, data_dirs());
}

// Returns whether the word is common in questions about any subject.
static bool is_common(const char *word)
{
	static const char *const common[] = { "and", "are", "by", "did", "do", "does", "for", "from", "has", "have", "how",
		"in", "is", "it", "its", "long", "many", "me", "much", "my", "not", "of", "on", "that", "the", "this", "to",
		"what", "when", "where", "which", "who", "whom", "why", "with" };

	for (int i = 0; i < (int)ARRAY_SIZE(common); i++)
		if (!strcasecmp(word, common[i]))
			return true;
	return false;
}

// Returns whether a word of the text begins with `word`: "stall" is in "stalls", and not in "install".
static bool has_word(const char *text, const char *word)
{
	const char *at = text;

	while ((at = strcasestr(at, word)) && at > text && isalnum((unsigned char)at[-1]))
		at++;
	return at;
}

// Counts the words of `text` that occur in the head, ignoring plural endings. Those in the question and the name count
// twice, and an example of Quicktap is preferred.
static int count_matches(const struct example *e, const char *text)
{
	int n = 0;

	for (size_t len; *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, " .,?_-/");
		char *word = str_ndup(text, len);

		if (len > 3 && word[len - 1] == 's' && !is_common(word))
			word[len - 1] = '\0';
		if (len <= 1 || is_common(word))
			continue;
		if (has_word(question_of(e), word) || has_word(e->name, word))
			n += 2;
		else if (has_word(e->about, word))
			n++;
	}
	return n ? n + e->own : 0;
}

// Lists the examples that fit the name best.
static char *mentions(const char *name)
{
	enum { MAX_LINES = 15 };
	struct buf b = { 0 };
	int best = 0, lines = 0;

	for vec_each(&found.all, e) {
		e->matches = count_matches(e, name);
		best = e->matches > best ? e->matches : best;
	}
	for vec_each(&found.all, e)
		if (best && e->matches == best && lines++ < MAX_LINES)
			add_line(&b, e, true);
	return buf_text(&b);
}

static void report_unknown(const char *name)
{
	VEC(const char *) names = { 0 };
	struct buf scripts = { 0 };
	bool with_suffix = str_ends(name, ".stp");
	size_t len = strlen(name);
	const char *about;

	if (!found.all.n)
		die("--example: no examples found in systemtap/examples below %s; on Debian they are in the package "
		    "systemtap-doc", data_dirs());
	while (len > 1 && name[len - 1] == '/')
		len--;
	for vec_each(&found.all, e) {
		vec_push(&names, with_suffix ? (const char *)str_printf("%s.stp", e->name) : e->name);
		if (strlen(e->subject) == len && !strncmp(e->subject, name, len))
			add_line(&scripts, e, true);
	}
	if (scripts.len)
		die("--example: \"%s\" is a directory of examples; name one of its scripts:%s", name,
		    buf_text(&scripts));
	about = mentions(str_ndup(name, len - (with_suffix ? strlen(".stp") : 0)));
	die("example \"%s\" not found%s; %s", name, str_similar(name, names.at, names.n),
	    *about ? str_printf("descriptions that mention it:%s", about) : "stap --example lists all");
}

static bool is_tail(const char *path, const char *tail)
{
	size_t n = strlen(path), m = strlen(tail);

	return n > m && path[n - m - 1] == '/' && !strcmp(path + n - m, tail);
}

// An example of Quicktap is preferred to those of SystemTap.
static const char *path_of(const char *name)
{
	const char *file = str_ends(name, ".stp") ? name : str_printf("%s.stp", name);
	VEC(const struct example *) matching = { 0 };
	struct buf list = { 0 };

	for vec_each(&found.all, e)
		if (is_tail(e->path, file))
			vec_push(&matching, (const struct example *)e);
	if (!matching.n)
		report_unknown(name);
	if (matching.n == 1 || (matching.at[0]->own && !matching.at[1]->own))
		return matching.at[0]->path;
	for vec_each(&matching, e)
		buf_printf(&list, "\n  %s", (*e)->path);
	die("example name \"%s\" is ambiguous:%s", name, buf_text(&list));
}

static void print_script(const char *path)
{
	char *text = str_read_file(path, NULL);

	if (!text)
		die("cannot read the example %s: %m", path);
	fputs(text, stdout);
}

// Returns the text after "# Usage: " in the script's head, "stap [OPTIONS] NAME.stp ARGUMENTS", and sets *name and
// *end to NAME and what follows it. NULL: the script has none.
static const char *usage_of(const char *path, const char **name, const char **end)
{
	static const char begin[] = "\n# Usage: ";
	const char *text = path ? str_read_start(path, 4096, NULL) : NULL, *line = text ? strstr(text, begin) : NULL;

	*end = line ? strstr(line, ".stp") : NULL;
	if (!*end)
		return NULL;
	line += strlen(begin);
	for (*name = *end; *name > line && (*name)[-1] != ' ';)
		(*name)--;
	return line;
}

// Sets the limits that the script's usage has, such as -DMAXSTRINGLEN=2048, unless the user has set them.
static void set_limits(struct options *o, const char *path)
{
	const char *name, *end, *at = usage_of(path, &name, &end);

	for (at = at ? strstr(at, " -D") : NULL; at && at < name; at = strstr(at, " -D")) {
		const char *word = at += strlen(" -D"), *value = strchr(word, '=');
		char *limit = value && value < name ? str_ndup(word, value - word) : NULL;
		bool given = !limit;

		for vec_each(&o->defines, d)
			given |= limit && !strcmp(d->name, limit);
		if (!given)
			vec_push(&o->defines, ((struct limit){ limit, str_ndup(value + 1, strcspn(value + 1, " ")) }));
	}
}

// Text that continues the usage is in lines that are indented.
void example_print_usage(const struct session *s)
{
	const char *name, *end, *line = usage_of(s->opt.script_file, &name, &end);

	if (!line)
		return;
	fprintf(stderr, "Usage: %.*s--example %.*s", (int)(name - line), line, (int)(end - name), name);
	line = end + strlen(".stp");
	do {
		fprintf(stderr, "%.*s\n", (int)strcspn(line, "\n"), line);
		line += strcspn(line, "\n");
		line += str_starts(line, "\n#   ") ? strlen("\n#") : 0;
	} while (*line == ' ');
}

// Adds "-c COMMAND (or -x PID)" if the rest of the usage requires it: without a process such a script prints nothing.
static void check_process(const struct options *o, const char *usage, struct buf *missing)
{
	static const char command[] = " -c COMMAND", either[] = " -c COMMAND (or -x PID)";
	const char *wanted = str_starts(usage, either) ? either : command;

	if (str_starts(usage, command) && !o->command && !o->target_pid && o->last_pass == 5)
		buf_puts(missing, wanted);
}

// Ends with an error if an argument is missing: the words in capitals with which the script's usage begins, or -c.
static void check_arguments(const struct session *s)
{
	const char *name, *end, *line = usage_of(s->opt.script_file, &name, &end), *at = line ? end + strlen(".stp") : "";
	struct buf missing = { 0 };

	for (int i = 0; *at == ' ' && isupper((unsigned char)at[1]); i++) {
		size_t len = 1 + strcspn(at + 1, " ;\n");

		if (i >= s->opt.args.n)
			buf_add(&missing, at, len);
		at += len;
	}
	check_process(&s->opt, at, &missing);
	if (!missing.len)
		return;
	example_print_usage(s);
	die("--example %.*s lacks%s; --example %.*s --show prints its description", (int)(end - name), name,
	    buf_text(&missing), (int)(end - name), name);
}

bool example_select(struct session *s)
{
	struct options *o = &s->opt;

	read_all(s);
	if (o->script_file && !*o->script_file)
		die("--example= lacks the name of a script; stap --example lists them");
	if (!o->script_file && !found.all.n)
		report_unknown("");
	if (!o->script_file) {
		list_all();
		return false;
	}
	o->script_file = path_of(o->script_file);
	if (o->example_show) {
		print_script(o->script_file);
		return false;
	}
	check_arguments(s);
	set_limits(o, o->script_file);
	return true;
}

void example_names(const struct session *s, name_list *out)
{
	read_all(s);
	for vec_each(&found.all, e)
		vec_push(out, e->name);
}
