// SPDX-License-Identifier: GPL-2.0-or-later
// The options of the programs beside stap, for --complete: lint compares this table with their usage texts. Values are
// described as in the table of stap's options: "FILE", or alternatives "a|b".
#include "driver/complete_program.h"

#include <string.h>

static const struct { const char *program, *option, *value; } rows[] = {
	{ "report", "-f", COMPLETE_FORMATS }, { "report", "--output", COMPLETE_FILES }, { "report", "--json-safe" },
	{ "report", "--sysroot", "DIR" }, { "report", "--percentiles" }, { "report", "-h" }, { "report", "--help" },
	{ "staprun", "-c", "COMMAND" }, { "staprun", "-k", "MS" }, { "staprun", "-x", "PID" }, { "staprun", "-t", "PID" },
	{ "staprun", "-o", "FILE" }, { "staprun", "-S", "MB" }, { "staprun", "-D" }, { "staprun", "-b", "MB" },
	{ "staprun", "-R" }, { "staprun", "-L" }, { "staprun", "-A", "NAME" }, { "staprun", "-d", "NAME" },
	{ "staprun", "-N", "PID" }, { "staprun", "-r", "N:URI" }, { "staprun", "-i" }, { "staprun", "-T", "MS" },
	{ "staprun", "-M", "SEC" }, { "staprun", "-C", "auto|always|never" }, { "staprun", "-Q" }, { "staprun", "-v" },
	{ "staprun", "-w" }, { "staprun", "--strict" }, { "staprun", "-h" }, { "staprun", "--help" }, { "staprun", "-V" },
	{ "staprun", "--version" },
	{ "stap-merge", "-v" }, { "stap-merge", "-o", "FILE" }, { "stap-merge", "-h" },
	{ "stap-prep", "-n" }, { "stap-prep", "-q" }, { "stap-prep", "-d" }, { "stap-prep", "--root", "DIR" },
	{ "stap-prep", "-h" }, { "stap-prep", "--help" },
};

const char *complete_program(const name_list *words)
{
	const char *slash = words->n > 1 ? strrchr(words->at[0], '/') : NULL, *name;

	if (words->n < 2)
		return NULL;
	name = slash ? slash + 1 : words->at[0];
	if (!strcmp(name, "stap"))
		return words->n > 2 && !strcmp(words->at[1], "report") ? "report" : NULL;
	for (int i = 0; i < (int)ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].program, name))
			return rows[i].program;
	return NULL;
}

bool complete_program_row(const char *program, int i, const char **word, const char **value, bool *required)
{
	if (i >= (int)ARRAY_SIZE(rows))
		return false;
	*word = strcmp(rows[i].program, program) ? "" : rows[i].option;
	*value = rows[i].value;
	*required = rows[i].value;
	return true;
}
