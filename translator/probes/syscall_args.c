// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the arguments of system calls in syscalls.def; writes names of flags as generated C.
//
// An argument is NAME:TYPE[=SET][.WITH][:VARIABLE,...], arguments are separated by spaces:
//   NAME       what the kernel calls it: $NAME
//   TYPE       of runtime/include/syscall_types.def; ">" before it: written by the call, shown at its return
//   SET        of syscall_flags.def: the names of its values
//   WITH       the number, from 0, of the argument that gives its length, count or command; 7: the call's result
//   VARIABLES  of the script; the ending of a name determines its value (syscall_vars.c); "+x" is available
//              at the return as well, "-x" there only
// "=VARIABLE,..." stands alone: no argument, variables that are 0 (text: "0").
#include "emit/emit.h"
#include "probes/syscall.h"
#include "util/str.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct syscall_type types[] = {
#define TYPE(name, size, is_signed, shown) { #name, size, is_signed, #shown[0] == 't', #shown[0] == 'p' },
#include "syscall_types.def"
#undef TYPE
};

static const struct syscall_type *find_type(const char *name, size_t len)
{
	for (const struct syscall_type *t = types; t < END(types); t++)
		if (strlen(t->name) == len && !memcmp(t->name, name, len))
			return t;
	assert(!"a type in syscalls.def that syscall_types.def does not define");
	return NULL;
}

static void parse_variables(const char *text, struct syscall_arg *a)
{
	while (*text) {
		size_t n = strcspn(text, ",");

		struct syscall_var v = { .at_entry = *text != '-', .at_return = *text == '+' || *text == '-' };
		bool marked = *text == '+' || *text == '-';

		v.name = str_ndup(text + marked, n - marked);
		vec_push(&a->vars, v);
		text += n + (text[n] == ',');
	}
}

// Parses one word; at: number of the first free register. Returns the number of registers that it uses.
static int parse_arg(char *word, int at, struct syscall_arg *a)
{
	char *type = strchr(word, ':'), *vars, *with, *set;
	int64_t n = 0;

	a->set = "";
	if (*word == '=') {
		parse_variables(word + 1, a);
		return 0;
	}
	if (type)
		*type++ = '\0';
	else
		type = word;       // a row of syscall_commands.def has only types
	a->written = *type == '>';
	type += a->written;
	a->name = word;
	a->at = at;
	vars = strchr(type, ':');
	if (vars) {
		*vars++ = '\0';
		parse_variables(vars, a);
	}
	with = strchr(type, '.');
	if (with) {
		*with++ = '\0';
		number_at((const char **)&with, 10, 0, INT32_MAX, &n);
		a->with = (int)n;
	}
	set = strchr(type, '=');
	if (set) {
		*set++ = '\0';
		a->set = set;
	}
	a->type = find_type(type, strlen(type));
	return 1 + a->type->is_pair;
}

void syscall_parse_args(const char *text, int at, struct syscall_args *out)
{
	char *save = NULL;

	for (char *w = strtok_r(str_dup(text), " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		struct syscall_arg a = { 0 };

		at += parse_arg(w, at, &a);
		vec_push(out, a);
	}
}

// ---------------------------------------------------------------- names of values

static const struct set {
	const char *name;
	bool arm64;                // the set is used on arm64, instead of the other set of this name
	unsigned field;            // bits that hold one of several values; the other bits are flags
	const char *names;         // "O_RDONLY 0 O_WRONLY 1 ..."
} sets[] = {
#define SET(name, field, names) { #name, false, field, names },
#define SET_ARM64(name, field, names) { #name, true, field, names },
#include "probes/syscall_flags.def"
#undef SET
#undef SET_ARM64
};

static const struct set *find_set(const char *name, bool arm64)
{
	const struct set *found = NULL;

	for (const struct set *set = sets; set < END(sets); set++)
		if (!strcmp(set->name, name) && (!set->arm64 || arm64))
			found = set;
	assert(found);
	return found;
}

void syscall_emit_set(struct cwriter *w, const char *name, bool arm64, bool *made)
{
	const struct set *set = find_set(name, arm64);
	char *save = NULL;
	int n = 0;

	assert(ARRAY_SIZE(sets) <= SYSCALL_MAX_SETS);
	if (made[set - sets])
		return;
	made[set - sets] = true;
	cw_line(w, "static const struct stp_symbol stp_symbols_%s_list[] = {", name);
	for (char *word = strtok_r(str_dup(set->names), " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		const char *value = strtok_r(NULL, " ", &save);

		assert(value);
		cw_line(w, "{ %s, \"%s\" },", value, word);
		n++;
	}
	cw_line(w, "};");
	cw_line(w, "static const struct stp_symbols stp_symbols_%s = { stp_symbols_%s_list, %d, 0x%x };", name,
		name, n, set->field);
}
