// SPDX-License-Identifier: GPL-2.0-or-later
// --monitor: the part of the script that the screen needs and that is written in the script language. In: the user's
// probes. Out: a condition on each of them, by which the screen switches it on and off; the source "<monitor>",
// which has the globals of these conditions, reads the screen's commands, and passes on the costs of probes.
#include "parse/monitor_script.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

enum { SWITCHES_MAX = 100 };

// A probe that runs once, or ends the script, is never switched off. With --merge, the screen's commands do not reach
// the probes that run on hosts.
static bool is_switchable(const struct session *s, const struct probe_decl *d)
{
	static const char *const never[] = { "begin", "end", "error", "never" };

	if (!d->source || d->source->library || !strcmp(d->source->name, TIMEOUT_SOURCE))
		return false;
	for vec_each(&d->points, p) {
		const char *name = (*p)->parts.at[0].name;

		if (s->opt.merge && strcmp(name, "timer"))
			return false;
		for (int i = 0; i < (int)ARRAY_SIZE(never); i++)
			if (!strcmp(name, never[i]))
				return false;
	}
	return true;
}

static const char *switch_name(int n)
{
	return str_printf("__monitor_%d", n);
}

static void add_condition(struct probe_point *p, int n)
{
	struct expr *on = expr_new(E_VAR, p->loc);

	on->u.var.name = switch_name(n);
	p->condition = p->condition ? expr_binary(p->loc, TOK_ANDAND, on, p->condition) : on;
}

// Returns the location of a probe in the form of records, escaped for a literal of the script language.
static const char *location_text(struct loc loc)
{
	struct buf b = { 0 };

	for (const char *p = loc.source->name; *p; p++)
		buf_printf(&b, "%s%c", strchr("\"\\", *p) ? "\\" : "", *p);
	buf_printf(&b, ":%u:%u", loc.line, loc.column);
	return buf_text(&b);
}

static bool can_switch_probes(const struct session *s)
{
	return !s->opt.vm && (!s->opt.privilege_given || s->opt.privilege == PRIVILEGE_STAPDEV);
}

const char *monitor_script(struct session *s)
{
	struct buf b = { 0 }, commands = { 0 };
	int n = 0;

	for vec_each(&s->script.probe_decls, d) {
		if (!can_switch_probes(s) || !is_switchable(s, *d))
			continue;
		for (int i = 0; i < (*d)->points.n && n < SWITCHES_MAX; i++, n++) {
			struct probe_point *p = (*d)->points.at[i];

			add_condition(p, n);
			buf_printf(&b, "global %s = 1\n", switch_name(n));
			buf_printf(&commands, "\tif (line == \"%s\\n\") %s = !%s\n", location_text(p->loc), switch_name(n), switch_name(n));
		}
	}
	if (n)
		buf_printf(&b, "probe input.line {\n%s}\n", buf_text(&commands));
	buf_printf(&b, "probe timer.s(%s) { __record_costs() }\n", s->opt.monitor);
	return buf_text(&b);
}
