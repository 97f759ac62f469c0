// SPDX-License-Identifier: GPL-2.0-or-later
// --fmt: prints scripts in the standard layout, or changes the files. In: texts that parse. Out: the same tokens and
// comments with other white space, which is verified before anything is written.
#include "editor/format.h"
#include "editor/arguments.h"
#include "editor/layout.h"
#include "parse/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Compares two comments, ignoring white space, which may differ inside block comments.
static bool same_comment(const struct source_token *a, const struct source_token *b)
{
	const char *p = a->text, *q = b->text;

	for (;; p++, q++) {
		while (p < a->text + a->len && isspace((unsigned char)*p))
			p++;
		while (q < b->text + b->len && isspace((unsigned char)*q))
			q++;
		if (p == a->text + a->len || q == b->text + b->len)
			return p == a->text + a->len && q == b->text + b->len;
		if (*p != *q)
			return false;
	}
}

static bool same_tokens(const source_token_list *a, const source_token_list *b)
{
	if (a->n != b->n)
		return false;
	for (int i = 0; i < a->n; i++) {
		const struct source_token *x = &a->at[i], *y = &b->at[i];

		if (x->kind != y->kind)
			return false;
		if (x->kind == TOK_NONE ? !same_comment(x, y) : x->len != y->len || memcmp(x->text, y->text, x->len))
			return false;
	}
	return true;
}

// Returns true if the result has the same tokens, comments and tree.
static bool is_same(struct session *s, struct source *made, const source_token_list *tokens, const char *tree)
{
	source_token_list again = { 0 };
	const char *now;

	source_tokens_read(made, &again);
	if (!same_tokens(tokens, &again))
		return false;
	now = parse_printed(s, made);
	return now && !strcmp(now, tree);
}

char *format_text(struct session *s, struct source *source)
{
	struct source *made = NEW(struct source);
	int given = s->opt.args.n;
	source_token_list tokens = { 0 };
	const char *tree;

	diag_kind("parse");
	source_tokens_read(source, &tokens);
	tree = arguments_parse(s, source, &tokens);
	if (tree) {
		made->name = source->name;
		made->text = layout_text(&tokens);
		made->len = strlen(made->text);
		if (!is_same(s, made, &tokens, tree))
			die("cannot format %s: the result would differ in more than white space; please report this with the script",
			    source->name);
	}
	s->opt.args.n = given;
	return (char *)made->text;
}

// Replaces the file atomically, so that it is never incomplete.
static void write_file(const char *name, const char *text)
{
	char *path = realpath(name, NULL), *temporary = str_printf("%s.XXXXXX", path ? path : name);
	struct stat st;
	FILE *f = NULL;
	int fd = -1;

	if (!path || stat(path, &st) < 0 || (fd = mkstemp(temporary)) < 0 || !(f = fdopen(fd, "w")))
		die("cannot write %s: %s", name, strerror(errno));
	fputs(text, f);
	if (fchmod(fd, st.st_mode & 07777) < 0 || ferror(f) | fclose(f) || rename(temporary, path) < 0) {
		int error = errno;

		unlink(temporary);
		die("cannot write %s: %s", name, strerror(error));
	}
}

static bool format_one(struct session *s, struct source *source, bool is_file)
{
	char *text = format_text(s, source);
	bool same = text && strlen(text) == source->len && !memcmp(text, source->text, source->len);

	if (!text)
		return false;
	if (s->opt.format == FORMAT_PRINT || (s->opt.format == FORMAT_WRITE && !is_file))
		fputs(text, stdout);
	else if (!same && s->opt.format == FORMAT_WRITE)
		write_file(source->name, text);
	else if (!same)
		puts(source->name);
	return same || s->opt.format != FORMAT_CHECK;
}

int format_run(struct session *s)
{
	bool good = true;

	s->opt.guru = true;
	arguments_are_files(s);
	for vec_each(&s->sources, source)
		good &= format_one(s, *source, *(*source)->name != '<');
	diag_summary();
	if (fflush(stdout) == EOF || ferror(stdout))
		die("cannot write to standard output: %s", strerror(errno));
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
