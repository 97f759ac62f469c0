// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the markers and identifiers of embedded C.
#include "ast/embedded.h"

#include "util/mem.h"

#include <ctype.h>
#include <string.h>

static const struct { const char *text; unsigned bit; } pragmas[] = {
	{ "pure", PRAGMA_PURE },
	{ "stable", PRAGMA_STABLE },
	{ "guru", PRAGMA_GURU },
	{ "unprivileged", PRAGMA_UNPRIVILEGED },
	{ "myproc-unprivileged", PRAGMA_MYPROC },
	{ "unmangled", PRAGMA_UNMANGLED },
	{ "unmodified-fnargs", PRAGMA_UNMODIFIED_ARGS },
	{ "pragma:runtime", PRAGMA_RUNTIME },
	{ "pragma:anywhere", PRAGMA_ANYWHERE },
	{ "pragma:tagged_dfa", PRAGMA_TAGGED_DFA },
	{ "pragma:context-free", PRAGMA_CONTEXT_FREE },
	{ "pragma:suffix", PRAGMA_SUFFIX },
	{ "string", PRAGMA_STRING },
	{ "userspace", PRAGMA_USERSPACE },
	{ "pragma:symbols", 0 }, { "pragma:unwind", 0 }, { "pragma:lines", 0 }, { "pragma:vma", 0 },
	{ "pragma:uprobes", 0 }, { "bpf", 0 },             // accepted without effect
};

static const char *const with_value[] = { "pragma:type:", "pragma:work:", "pragma:read:", "pragma:write:" };

bool embedded_is_misspelt(const char *marker, const char **similar)
{
	bool like_marker = str_starts(marker, "pragma:");
	name_list names = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(pragmas); i++)
		vec_push(&names, pragmas[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(with_value); i++)
		vec_push(&names, str_ndup(with_value[i], strlen(with_value[i]) - 1));
	for vec_each(&names, name)
		like_marker |= strlen(*name) > 5 && str_distance(marker, *name) <= 2;
	*similar = like_marker ? str_similar(marker, names.at, names.n) : "";
	return like_marker;
}

static bool read_value(struct embedded *c, const char *word)
{
	const char *value;
	int i = 0;

	while (i < (int)ARRAY_SIZE(with_value) && !str_starts(word, with_value[i]))
		i++;
	if (i == ARRAY_SIZE(with_value))
		return false;
	value = word + strlen(with_value[i]);
	switch (i) {
	case 0: c->points_to = value; break;
	case 1: number_at(&value, 10, 0, INT32_MAX, &c->work); break;
	case 2: vec_push(&c->reads, value); break;
	case 3: vec_push(&c->writes, value); break;
	}
	return true;
}

// A comment that is one word may be a marker.
static void read_comment(struct embedded *c, const char *text, const char *end)
{
	const char *word;
	size_t len;

	text += strspn(text, " \t\n");
	len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:");
	if (!len || len >= 80 || text + len + strspn(text + len, " \t\n") != end)
		return;
	word = str_ndup(text, len);
	for (size_t i = 0; i < ARRAY_SIZE(pragmas); i++)
		if (!strcmp(word, pragmas[i].text)) {
			c->pragmas |= pragmas[i].bit;
			return;
		}
	if (!read_value(c, word))
		vec_push(&c->unknown, word);
}

// Returns the end of the comment or literal at p, or p if no comment or literal begins there, or if it does not end.
static const char *skip_opaque(const char *p)
{
	const char *end = p;

	if (p[0] == '/' && p[1] == '*') {
		end = strstr(p + 2, "*/");
		return end ? end + 2 : p;
	}
	if (p[0] == '/' && p[1] == '/')
		return p + strcspn(p, "\n");
	if (*p != '"' && *p != '\'')
		return p;
	for (end = p + 1; *end && *end != *p; end++)
		end += *end == '\\' && end[1];
	return *end ? end + 1 : p;
}

static const char *skip_blank(const char *p)
{
	return p + strspn(p, " \t\n");
}

// The nesting of a word: braces and conditional groups of the preprocessor around it, and the two characters before it,
// blanks aside.
struct nesting {
	int braces, groups;
	char last, before_last;
};

static void enter_or_leave_group(struct nesting *at, const char *directive)
{
	if (!strcmp(directive, "if") || !strcmp(directive, "ifdef") || !strcmp(directive, "ifndef"))
		at->groups++;
	else if (!strcmp(directive, "endif"))
		at->groups--;
}

// The word ends at `after`.
static void add_word(struct embedded *c, const char *name, struct nesting *at, const char *after)
{
	bool is_member = at->last == '.' || (at->last == '>' && at->before_last == '-');
	struct c_word *word = (struct c_word *)embedded_word(c, name);
	const char *before = after - strlen(name);

	if (!word) {
		vec_push(&c->words, (struct c_word){ .name = name });
		word = &c->words.at[c->words.n - 1];
		word->offset = before - c->code;
	}
	while (before > c->code && strchr(" \t", before[-1]))
		before--;
	word->is_macro |= before - c->code >= 6 && !strncmp(before - 6, "define", 6);
	after = skip_blank(after);
	word->calls += *after == '(';
	word->is_outside |= at->braces == 0;
	word->is_unconditional |= at->groups == 0;
	word->is_member |= is_member;
	word->is_pointer |= !is_member && str_starts(after, "->");
	if (at->last == '#')
		enter_or_leave_group(at, name);
}

struct embedded *embedded_new(const char *code)
{
	struct embedded *c = NEW(struct embedded);
	struct nesting at = { .last = ';' };

	c->code = code;
	c->work = -1;
	for (const char *p = code, *end; *p; p = end) {
		end = skip_opaque(p);
		if (end > p) {
			if (p[0] == '/' && p[1] == '*')
				read_comment(c, p + 2, end - 2);
			else if (*p != '/')
				at.last = *p;
			continue;
		}
		for (end = p; isalnum((unsigned char)*end) || *end == '_'; )
			end++;
		if (end > p && !isdigit((unsigned char)*p))
			add_word(c, str_ndup(p, end - p), &at, end);
		end += end == p;
		if (!isspace((unsigned char)*p)) {
			at.braces += (*p == '{') - (*p == '}');
			at.before_last = at.last;
			at.last = end[-1];
		}
	}
	c->is_statement = at.last == ';' || at.last == '}';
	return c;
}

const struct c_word *embedded_word(const struct embedded *c, const char *name)
{
	for vec_each(&c->words, word)
		if (!strcmp(word->name, name))
			return word;
	return NULL;
}

bool embedded_has_prefix(const struct embedded *c, const char *prefix)
{
	for vec_each(&c->words, word)
		if (str_starts(word->name, prefix))
			return true;
	return false;
}
