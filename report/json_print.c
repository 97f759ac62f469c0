// SPDX-License-Identifier: GPL-2.0-or-later
// The line of a printed record in JSON. It is written piece by piece: a session has millions of them, and objects of
// json-c take several times as long as the text.
#include "event_text.h"
#include "json.h"
#include "json_text.h"
#include "stack.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

struct members { const struct output *out; const char *separator; };

// Names are identifiers of C, or numbers.
static void put_name(struct members *m, const char *name)
{
	fputs(m->separator, m->out->file);
	fputs(name, m->out->file);
	fputs("\":", m->out->file);
	m->separator = ",\"";
}

static void put_number(struct members *m, const char *name, int64_t n)
{
	char text[24], *end = text + sizeof(text), *at = end;
	uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
	bool quoted = !json_is_number(m->out, n);

	put_name(m, name);
	if (quoted)
		*--at = '"';
	do {
		*--at = '0' + left % 10;
	} while (left /= 10);
	if (n < 0)
		*--at = '-';
	if (quoted)
		*--at = '"';
	fwrite(at, 1, end - at, m->out->file);
}

static void put_object(struct members *m, const char *name, struct json_object *o)
{
	put_name(m, name);
	fputs(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE), m->out->file);
	json_object_put(o);
}

// Text that is not UTF-8 gets another member, NAME_base64, with its bytes.
static void put_text(struct members *m, const char *name, struct text t)
{
	char member[80];

	put_name(m, name);
	if (put_json_string(m->out->file, t))
		return;
	snprintf(member, sizeof(member), "%s_base64", name);
	put_object(m, member, json_base64(t));
}

static void put_string(struct members *m, const char *name, const char *s)
{
	put_text(m, name, (struct text){ s, strlen(s) });
}

static void put_argument(void *to, const char *name, const struct cell *c)
{
	if (c->type == CELL_TEXT)
		put_text(to, name, c->text);
	else
		put_number(to, name, c->number);
}

static void put_arguments(struct members *m, const struct event *e)
{
	struct members arguments = { m->out, "\"" };

	put_name(m, "args");
	putc('{', m->out->file);
	each_argument(e, put_argument, &arguments);
	putc('}', m->out->file);
}

int json_print(const struct output *out, const struct session *s, const struct event *e)
{
	struct members m = { out, "\"" };
	struct text t = event_text(s, e);

	putc('{', out->file);
	put_string(&m, "type", "print");
	put_number(&m, "time_ns", e->time_ns);
	put_number(&m, "cpu", e->cpu);
	if (e->probe) {
		put_string(&m, "probe", e->probe->written);
		put_string(&m, "place", e->probe->where);
	}
	put_text(&m, "text", t);
	if (stack_is_text(t))
		put_object(&m, "stack", json_stack(out, s, t));
	if (e->kind == EVENT_PRINT)
		put_arguments(&m, e);
	return fputs("}\n", out->file) < 0 ? -errno : 0;
}
