// SPDX-License-Identifier: GPL-2.0-or-later
// Options that select the form of the output -> struct options.
#include "driver/options.h"

#include <string.h>

void options_set_output_format(struct options *o, const char *arg)
{
	o->output_format = arg;
	o->records = true;
}

void options_add_output(struct options *o, const char *arg)
{
	const char *colon = strchr(arg, ':');

	if (!colon || colon == arg || !colon[1])
		options_misused("--output takes FORMAT:FILE, not \"%s\"", arg);
	vec_push(&o->outputs, arg);
	o->records = true;
}

void options_set_json_safe(struct options *o, const char *arg)
{
	o->json_safe = true;
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
