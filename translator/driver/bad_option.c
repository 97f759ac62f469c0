// SPDX-License-Identifier: GPL-2.0-or-later
// Explains an option that getopt_long() rejected: unknown, ambiguous, an argument missing or superfluous, a
// typographic dash, or the options of strace.
#include "driver/bad_option.h"
#include "driver/options.h"
#include "parse/typography.h"
#include "util/str.h"

#include <getopt.h>
#include <string.h>

// Returns the number of "-p NUMBER" or "-pNUMBER", or NULL. `next`: the argument after it, which may be NULL.
static const char *process_of(const char *arg, const char *next)
{
	const char *id = !str_starts(arg, "-p") ? NULL : arg[2] ? arg + 2 : next;

	return id && *id && !id[strspn(id, "0123456789")] ? id : NULL;
}

// Returns a message about options of strace, with the equivalent command of stap; NULL for other options.
static const char *strace(int argc, char **argv)
{
	const char *calls = NULL, *pid = NULL;
	struct buf command = { 0 };
	int at = argc;

	for (int i = 1; i < argc; i++)
		if (str_starts(argv[i], "trace=") || str_starts(argv[i], "-etrace=")) {
			calls = strchr(argv[i], '=') + 1;
			at = i + 1;
		}
	if (!calls)
		return NULL;
	for (int i = 1; i < argc && !pid; i++)
		pid = process_of(argv[i], i + 1 < argc ? argv[i + 1] : NULL);
	for (; at < argc; at++)
		buf_printf(&command, "%s%s", command.len ? " " : "", argv[at]);
	return str_printf("these are options of strace; write stap %s -e SCRIPT, where SCRIPT is probe syscall.%s%s%s "
			  "{ if (pid() == target()) println(name, \"(\", argstr, \")\") } between single quotes",
			  pid ? str_printf("-x %s", pid) : str_printf("-c \"%s\"", command.len ? command.text : "COMMAND"),
			  strchr(calls, ',') ? "{" : "", calls, strchr(calls, ',') ? "}" : "");
}

// Options of other tracers, with the equivalents of stap.
static const struct { const char *option, *instead; } foreign_options[] = {
	{ "-n", "-e SCRIPT is the script, as -n of DTrace" },
	{ "--pid", "-x PID selects a process" },
	{ "--command", "-c COMMAND runs a command" },
	{ "--trace", "stap --example trace -c COMMAND prints system calls, as strace" },
	{ "--duration", "-T SECONDS ends the script" },
};

static const char *foreign_option(const char *arg)
{
	size_t len = strcspn(arg, "=");

	for (size_t i = 0; i < ARRAY_SIZE(foreign_options); i++)
		if (!strncmp(arg, foreign_options[i].option, len) && !foreign_options[i].option[len])
			return str_printf("; %s", foreign_options[i].instead);
	return NULL;
}

// Returns a message about a long option that is unknown or ambiguous, with similar ones.
static const char *bad_word(const char *arg)
{
	size_t len = strcspn(arg, "=");
	name_list names = { 0 }, begin = { 0 };
	const char *word, *value;
	bool required;

	for (int i = 0; options_row(i, &word, &value, &required); i++) {
		if (!str_starts(word, "--"))
			continue;
		vec_push(&names, word);
		if (!strncmp(word, arg, len))
			vec_push(&begin, word);
	}
	if (begin.n > 1)
		return str_printf("the option \"%s\" is ambiguous: it begins %s, %s%s", arg, begin.at[0], begin.at[1],
				  begin.n > 2 ? " and others" : "");
	return str_printf("unknown option \"%s\"%s", arg, foreign_option(arg) ? foreign_option(arg) :
			  str_similar(str_ndup(arg, len), names.at, names.n));
}

const char *bad_option(int c, int argc, char **argv)
{
	const char *arg = optind < argc && typography_option(argv[optind]) ? argv[optind] : argv[optind - 1];
	const char *foreign = strace(argc, argv);

	if (typography_option(arg))
		return str_printf("\"%s\" contains a typographic dash: write %s", arg, typography_option(arg));
	if (foreign)
		return foreign;
	if (c == ':' && !str_starts(arg, "--"))
		return str_printf("the option \"-%c\" requires an argument", optopt);
	if (c == ':')
		return str_printf("the option \"%s\" requires an argument", arg);
	if (optopt && str_starts(arg, "--"))
		return str_printf("the option \"%.*s\" takes no argument", (int)strcspn(arg, "="), arg);
	if (!optopt)
		return bad_word(arg);
	foreign = foreign_option(str_printf("-%c", optopt));
	return str_printf("unknown option \"-%c\"%s", optopt, foreign ? foreign : "");
}
