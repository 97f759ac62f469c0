// SPDX-License-Identifier: GPL-2.0-or-later
// Recognizes words of C, awk, Python or other tracers that users write by habit (foreign_words.def), for messages about
// names that are not declared and about syntax errors.
#include "util/foreign_words.h"
#include "util/str.h"
#include "util/trace_events.h"

#include <regex.h>
#include <string.h>

struct row { const char *language, *names, *instead; };

#define BPFTRACE(...)
#define VALUE(...)
#define CALL(...)
#define TARGET(...)
#define POINT(...)
#define OPERAND(...)
#define SYNTAX(...)

static const struct row values[] = {
#undef BPFTRACE
#undef VALUE
#define BPFTRACE(name, instead, ...) { "bpftrace", name, instead },
#define VALUE(language, names, instead) { language, names, instead },
#include "util/foreign_words.def"
#undef BPFTRACE
#undef VALUE
#define BPFTRACE(...)
#define VALUE(...)
};

static const struct row calls[] = {
#undef CALL
#define CALL(language, names, instead) { language, names, instead },
#include "util/foreign_words.def"
#undef CALL
#define CALL(...)
};

static const struct row targets[] = {
#undef TARGET
#define TARGET(language, names, instead) { language, names, instead },
#include "util/foreign_words.def"
#undef TARGET
#define TARGET(...)
};

static const struct row points[] = {
#undef POINT
#define POINT(names, instead) { NULL, names, instead },
#include "util/foreign_words.def"
#undef POINT
#define POINT(...)
};

static const struct row operands[] = {
#undef OPERAND
#define OPERAND(what, instead) { NULL, what, instead },
#include "util/foreign_words.def"
#undef OPERAND
#define OPERAND(...)
};

static const struct { const char *pattern, *instead; } syntax[] = {
#undef SYNTAX
#define SYNTAX(pattern, instead) { pattern, instead },
#include "util/foreign_words.def"
};

static bool contains_name(const char *names, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = names; n && (at = strstr(at, name)); at += n)
		if ((at == names || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
	return false;
}

static bool is_call_of(const char *name, const char *text)
{
	return str_starts(text, name) && !strcmp(text + strlen(name), "()");
}

static const char *advice(const struct row *row, const struct row *end, const char *name)
{
	for (; row < end; row++)
		if (contains_name(row->names, name))
			return !row->language || is_call_of(name, row->instead) ?
				       str_printf("write %s", row->instead) :
				       str_printf("it exists only in %s; write "
						  "%s", row->language, row->instead);
	return NULL;
}

const char *foreign_word_value(const char *name)
{
	return advice(values, END(values), name);
}

const char *foreign_word_call(const char *name)
{
	return advice(calls, END(calls), name);
}

const char *foreign_word_other(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (contains_name(calls[i].names, name) && calls[i].language)
			return str_printf("for \"%s\" of %s, write %s", name, calls[i].language, calls[i].instead);
	return NULL;
}

const char *foreign_word_target(const char *name)
{
	return advice(targets, END(targets), name);
}

const char *foreign_word_point(const char *word)
{
	const char *event = trace_event_advice(word + (*word == '.'));

	return event ? event : advice(points, END(points), word);
}

const char *foreign_word_operand(const char *what)
{
	for (size_t i = 0; i < ARRAY_SIZE(operands); i++)
		if (str_starts(what, operands[i].names))
			return str_printf("; %s", operands[i].instead);
	return "";
}

// Returns the part of the line around the column, with "~" before it. Searching a long line takes minutes.
static const char *marked_line(struct loc loc)
{
	enum { PART = 200 };
	const char *line = diag_line(loc.source, loc.line);
	size_t n = strcspn(line, "\n"), at = loc.column - 1 < n ? loc.column - 1 : n, before = at < PART ? at : PART;

	return str_printf("%.*s~%.*s", (int)before, line + at - before, (int)(n - at < PART ? n - at : PART), line + at);
}

void foreign_word_note(struct loc loc)
{
	const char *line;
	regex_t re;
	bool found;

	if (!loc.source || loc.source->library || loc.column < 1)
		return;
	line = marked_line(loc);
	for (size_t i = 0; i < ARRAY_SIZE(syntax); i++) {
		if (regcomp(&re, syntax[i].pattern, REG_EXTENDED | REG_NOSUB))
			continue;
		found = !regexec(&re, line, 0, NULL, 0);
		regfree(&re);
		if (found) {
			diag_note(loc, "%s", syntax[i].instead);
			return;
		}
	}
}
