// SPDX-License-Identifier: GPL-2.0-or-later
// Invents values for the arguments of a script, so that it can be parsed without them. Arguments are pasted as
// text, so the value depends on the use in the script.
#include "editor/arguments.h"
#include "parse/parse.h"

#include <errno.h>
#include <string.h>

// Returns the number of a script argument such as $1, 0 for other tokens.
static int argument_number(const struct source_token *t)
{
	int64_t n;

	return t->argument && str_number(str_ndup(t->text + 1, t->len - 1), 1, 999, &n) ? (int)n : 0;
}

// Returns true if the argument can only be a name: it is part of a probe point, or is assigned to.
static bool is_name(const struct source_token *t)
{
	return t[-1].kind == TOK_PROBE || t[1].kind == TOK_DOT || t[1].kind == TOK_INC || t[1].kind == TOK_ASSIGN ||
	       t[1].kind == TOK_LBRACKET || (t[-1].kind == TOK_DOT && !t->spaced);
}

// Adds values for script arguments that were not given, so that the script can be parsed.
static void invent_arguments(struct session *s, const source_token_list *tokens, const char *name, const char *number)
{
	int given = s->opt.args.n;

	for (int i = 1; i < tokens->n - 1; i++) {
		const struct source_token *t = &tokens->at[i];
		int n = argument_number(t);

		while (s->opt.args.n < n)
			vec_push(&s->opt.args, number);
		if (n > given && is_name(t))
			s->opt.args.at[n - 1] = name;
	}
}

char *arguments_parse(struct session *s, struct source *source, const source_token_list *tokens)
{
	static const char *const values[][2] = { { "begin", "1" }, { "1", "1" }, { "begin", "begin" } };
	int given = s->opt.args.n;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		char *tree;

		s->opt.args.n = given;
		invent_arguments(s, tokens, values[i][0], values[i][1]);
		diag_quiet_push();
		tree = parse_printed(s, source);
		diag_quiet_pop();
		if (tree)
			return tree;
	}
	s->opt.args.n = given;
	invent_arguments(s, tokens, values[0][0], values[0][1]);
	return parse_printed(s, source);
}

void arguments_are_files(struct session *s)
{
	enum { MAX_SCRIPT = 4 << 20 };     // bytes

	for vec_each(&s->opt.args, path) {
		size_t len;
		char *text = str_read_start(*path, MAX_SCRIPT + 1, &len);

		if (!text)
			die("cannot read the script %s: %s", *path, strerror(errno));
		if (len > MAX_SCRIPT)
			die("the script %s is larger than %d MB", *path, MAX_SCRIPT >> 20);
		session_source(s, *path, text, len);
	}
	s->opt.args.n = 0;
}
