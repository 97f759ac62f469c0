// SPDX-License-Identifier: GPL-2.0-or-later
// The limits that -D sets: runtime/include/limits.def as a table, the values of the command line, and their check. Any
// other name is a macro for the script's embedded C.
#include "session/session.h"
#include "util/str.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum kind { KIND_LIMIT, KIND_SWITCH, KIND_NO_EFFECT };

static const struct row {
	const char *name;
	enum kind kind;
	int64_t min, max, usual;
	const char *unit;
} rows[] = {
#define LIMIT(name, min, max, usual, unit, text) [LIMIT_##name] = { #name, KIND_LIMIT, min, max, usual, unit },
#define SWITCH(name, text) [LIMIT_##name] = { #name, KIND_SWITCH, 0, 1, 0, "0 or 1" },
#define NO_EFFECT(name) [LIMIT_##name] = { #name, KIND_NO_EFFECT },
#include "limits.def"
};

static const struct limit *given(const struct session *s, enum limit_name name)
{
	for (int i = s->opt.defines.n - 1; i >= 0; i--)
		if (strcmp(s->opt.defines.at[i].name, rows[name].name) == 0)
			return &s->opt.defines.at[i];
	return NULL;
}

static const char *range(const struct row *r)
{
	if (r->kind == KIND_SWITCH || r->max == 1)
		return r->unit;
	return str_printf("%" PRId64 " to %" PRId64 " (%s)", r->min, r->max, r->unit);
}

// Returns whether text is a suffix of an integer in C.
static bool is_suffix(const char *text)
{
	static const char *const suffixes[] = { "", "u", "l", "ul", "lu", "ll", "ull", "llu" };

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (!strcasecmp(text, suffixes[i]))
			return true;
	return false;
}

static int64_t value(const struct row *r, const struct limit *l)
{
	const char *end = l->value;
	int64_t n = 0;
	enum number_found found = number_signed(&end, 0, &n);

	if (!is_suffix(end) || found == NUMBER_NONE)
		die("-D%s=%s is not a number; use %s", l->name, l->value, range(r));
	if (found == NUMBER_TOO_LARGE || n < r->min || n > r->max)
		die("-D%s=%s is out of range; use %s", l->name, l->value, range(r));
	return n;
}

bool session_limit_given(const struct session *s, enum limit_name name)
{
	return given(s, name) != NULL;
}

int64_t session_limit(const struct session *s, enum limit_name name)
{
	const struct limit *l = given(s, name);

	assert(rows[name].kind != KIND_NO_EFFECT);
	if (l)
		return value(&rows[name], l);
	assert(rows[name].usual != STP_DERIVED);
	return rows[name].usual;
}

int64_t limit_max(enum limit_name name)
{
	return rows[name].max;
}

static const struct row *row_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(const struct source *src, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = src->text; (at = strstr(at, name)); at += len)
		if ((at == src->text || !is_word(at[-1])) && !is_word(at[len]))
			return true;
	return false;
}

void limits_check_unused(const struct session *s)
{
	const char *names[ARRAY_SIZE(rows)];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		names[i] = rows[i].name;
	for vec_each(&s->opt.defines, d) {
		bool used = row_of(d->name) != NULL || s->opt.include_dirs.n;

		// C of the user and of libraries (-I) may construct the name with ##, or include headers that use
		// it.
		for vec_each(&s->sources, src)
			used = used || mentions(*src, d->name) || strstr((*src)->text, "%{");
		if (!used)
			diag_warning((struct loc){ 0 }, "unknown limit \"%s\" in -D%s; the script's embedded C "
				     "does not use this name either%s", d->name, d->name, str_similar(d->name, names, ARRAY_SIZE(names)));
	}
}

static void check_product(const struct session *s, enum limit_name a, enum limit_name b, int64_t max,
			  const char *unit)
{
	int64_t n = session_limit(s, a) * session_limit(s, b);

	if (n > max)
		die("%s=%" PRId64 " times %s=%" PRId64 " is more than %" PRId64 " %s; reduce one of them (-D%s=N)",
		    rows[a].name, session_limit(s, a), rows[b].name, session_limit(s, b), max, unit, rows[a].name);
}

void limits_check(const struct session *s)
{
	for vec_each(&s->opt.defines, d) {
		const struct row *r = row_of(d->name);

		if (r && r->kind != KIND_NO_EFFECT)
			value(r, d);
	}
	check_product(s, LIMIT_MAXTRYLOCK, LIMIT_TRYLOCKDELAY, 100000, "microseconds with interrupts off");
	check_product(s, LIMIT_STP_DEFAULT_BUFFERS, LIMIT_STP_CTL_BUFFER_SIZE, 64 << 20, "bytes (64 MB) of messages");
}
