// SPDX-License-Identifier: GPL-2.0-or-later
// Options that select the format of the output -> struct options.
#include "driver/options.h"

#include "output_formats.h"
#include "util/str.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The list of formats begins with ", ".
static void check_format(const char *name, size_t len)
{
#define FORMAT(known, takes_stacks) ", " #known
	if (output_format_kind(name, len) == FORMAT_UNKNOWN)
		options_misused("unknown output format \"%.*s\"; use one of %s", (int)len, name, OUTPUT_FORMATS(FORMAT) + 2);
#undef FORMAT
}

void options_set_output_format(struct options *o, const char *arg)
{
	check_format(arg, strlen(arg));
	o->output_format = arg;
	o->json = false;                   // the last one of -f and --json counts
	o->records = true;
}

static void refuse_two_formats(const char *one, const char *other)
{
	if (one && other)
		options_misused("two formats are written to standard output; give one of them a file");
}

void options_add_output(struct options *o, const char *arg)
{
	const char *colon = strchr(arg, ':');

	if (!colon || colon == arg || !colon[1])
		options_misused("--output takes FORMAT:FILE, not \"%s\"", arg);
	check_format(arg, (size_t)(colon - arg));
	o->records = true;
	if (strcmp(colon, ":-")) {
		vec_push(&o->outputs, arg);
		return;
	}
	refuse_two_formats(o->dash_format, arg);
	o->dash_format = str_printf("%.*s", (int)(colon - arg), arg);
}

void options_set_json_safe(struct options *o, const char *arg)
{
	o->json_safe = true;
}

// Lists and reports are JSON with --json or -f json. For a script that runs, both options select the format of its
// records.
void options_settle_json(struct options *o)
{
	if (!o->list && !o->doctor && !o->dump) {
		if (o->json)
			options_set_output_format(o, "json");
		refuse_two_formats(o->dash_format, o->output_format);
		if (o->dash_format)
			options_set_output_format(o, o->dash_format);
		return;
	}
	if (o->output_format && !strcmp(o->output_format, "json")) {
		o->json = true;
		o->output_format = NULL;
		o->records = o->record || o->outputs.n;
	}
	if (o->output_format || o->dash_format || o->record || o->outputs.n)
		options_misused("-f, --output and --record cannot be used with -l, -L, --doctor or --dump options: these do not run "
				"a script; --json prints them as JSON");
}

void options_set_record(struct options *o, const char *arg)
{
	o->record = o->records = true;
}

void options_set_percentiles(struct options *o, const char *arg)
{
	struct limit on = { "HIST_PERCENTILES", "1" };

	vec_push(&o->defines, on);
}

void options_set_monitor(struct options *o, const char *arg)
{
	int64_t seconds;

	if (arg && !str_number(arg, 1, 86400, &seconds))
		options_misused("--monitor takes a number of seconds from 1 to 86400, not \"%s\"", arg);
	o->monitor = arg ? arg : "1";
	o->records = true;
}

static bool terminal_has_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return utf8;
}

static void define_if_absent(struct options *o, const char *name, const char *value)
{
	for vec_each(&o->defines, d)
		if (!strcmp(d->name, name))
			return;
	vec_push(&o->defines, ((struct limit){ name, value }));
}

void options_suit_terminal(struct options *o)
{
	const char *terminal = getenv("TERM");

	if (o->last_pass < 5 || o->list || o->dump || o->output || o->records || o->bulk || o->flight_recorder ||
	    !isatty(STDOUT_FILENO) || !terminal || !strcmp(terminal, "dumb"))
		return;
	define_if_absent(o, "HIST_TERMINAL", terminal_has_utf8() ? "2" : "1");
	if (o->verbose[5])
		define_if_absent(o, "HIST_PERCENTILES", "1");
}
