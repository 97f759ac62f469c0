// SPDX-License-Identifier: GPL-2.0-or-later
// The line of a printed record in JSON. It is made of pieces and written at once: a session has millions of them, and
// objects of json-c take several times as long as the text.
#include "event_text.h"
#include "json.h"
#include "json_text.h"
#include "stack.h"

#include <errno.h>
#include <json-c/json.h>

// `bytes` is set if a text was added that is not UTF-8.
struct members { const struct output *out; struct json_line *line; bool any, bytes; };

// Names are identifiers of C, or numbers.
static inline void add_name(struct members *m, const char *name)
{
	size_t len = strlen(name);
	char *at = line_space(m->line, len + 4);

	if (m->any)
		*at++ = ',';
	*at++ = '"';
	memcpy(at, name, len);
	memcpy(at + len, "\":", 2);
	m->line->len += len + 3 + m->any;
	m->any = true;
}

static const char pairs[] =
	"0001020304050607080910111213141516171819" "2021222324252627282930313233343536373839"
	"4041424344454647484950515253545556575859" "6061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

static void add_value(struct members *m, int64_t n)
{
	char text[24], *end = text + sizeof(text), *at = end;
	uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
	bool quoted = !json_is_number(m->out, n);

	if (quoted)
		*--at = '"';
	for (; left > 99; left /= 100)
		memcpy(at -= 2, pairs + 2 * (left % 100), 2);
	if (left > 9)
		memcpy(at -= 2, pairs + 2 * left, 2);
	else
		*--at = '0' + left;
	if (n < 0)
		*--at = '-';
	if (quoted)
		*--at = '"';
	line_add(m->line, at, end - at);
}

static void add_number(struct members *m, const char *name, int64_t n)
{
	add_name(m, name);
	add_value(m, n);
}

static void add_object(struct members *m, const char *name, struct json_object *o)
{
	const char *text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	add_name(m, name);
	line_add(m->line, text, strlen(text));
	json_object_put(o);
}

// Text that is not UTF-8 gets another member, NAME_base64, with its bytes.
static void add_text(struct members *m, const char *name, struct text t)
{
	char member[80];

	add_name(m, name);
	if (line_add_string(m->line, t))
		return;
	snprintf(member, sizeof(member), "%s_base64", name);
	add_object(m, member, json_base64(t));
}

static void add_string(struct members *m, const char *name, const char *s)
{
	add_text(m, name, (struct text){ s, strlen(s) });
}

static void add_argument(void *to, const char *name, const struct cell *c)
{
	struct members *m = to;

	if (c->type != CELL_TEXT) {
		add_number(m, name, c->number);
		return;
	}
	add_name(m, name);
	m->bytes |= !line_add_string(m->line, c->text);
}

static void add_bytes(void *to, const char *name, const struct cell *c)
{
	bool valid = true;

	if (c->type == CELL_TEXT)
		free((char *)utf8_copy(c->text, &valid).at);
	if (!valid)
		add_object(to, name, json_base64(c->text));
}

static void add_type(void *to, const char *name, const struct cell *c)
{
	add_string(to, name, c->type == CELL_TEXT ? "string" : "number");
}

// Adds an object with the members that the handler adds for arguments. Returns whether one is a text that is not UTF-8.
static bool add_arguments(struct members *m, const char *name, const struct event *e, argument_handler *add)
{
	struct members arguments = { m->out, m->line };

	add_name(m, name);
	line_add(m->line, "{", 1);
	each_argument(e, add, &arguments);
	line_add(m->line, "}", 1);
	return arguments.bytes;
}

// Returns the call stack that was printed: an argument, or the whole text; an empty text for other records.
static struct text printed_stack(const struct event *e, struct text t)
{
	struct text none = { "", 0 };

	for (unsigned i = 0; e->kind == EVENT_PRINT && i < e->ncells; i++)
		if (e->cells[i].type == CELL_TEXT && stack_is_text(e->cells[i].text))
			return e->cells[i].text;
	return stack_is_text(t) ? t : none;
}

// The members of a probe are the same in all its records. Another probe may replace one in the cache.
static void add_probe(struct members *m, const struct session *s, const struct probe *p)
{
	static struct { char *written, *where; struct json_line line; } cached[64], *c;
	struct members own = { m->out, NULL, true };

	c = &cached[(p - s->probes) % 64];
	if (!c->written || strcmp(c->written, p->written) || strcmp(c->where, p->where)) {
		free(c->written);
		free(c->where);
		c->written = strdup(p->written);
		c->where = strdup(p->where);
		if (!c->written || !c->where)
			abort();
		own.line = &c->line;
		c->line.len = 0;
		add_string(&own, "probe", p->written);
		add_string(&own, "place", p->where);
	}
	line_add(m->line, c->line.at, c->line.len);
}

int json_print(const struct output *out, const struct session *s, const struct event *e)
{
	static const char start[] = "{\"type\":\"print\",\"time_ns\":", cpu[] = ",\"cpu\":";
	static struct json_line line;
	struct members m = { out, &line, true };
	struct text t = event_text(s, e), stack = printed_stack(e, t);

	line.len = 0;
	line_add(&line, start, sizeof(start) - 1);
	add_value(&m, e->time_ns);
	line_add(&line, cpu, sizeof(cpu) - 1);
	add_value(&m, e->cpu);
	if (e->host.len)
		add_text(&m, "host", e->host);
	else if (out->names_host)
		add_string(&m, "host", s->host);
	if (e->probe)
		add_probe(&m, s, e->probe);
	add_text(&m, "text", t);
	if (stack.len) {
		add_name(&m, "stack");
		json_add_stack(&line, s, stack, e->host);
	}
	if (e->kind == EVENT_PRINT && add_arguments(&m, "args", e, add_argument))
		add_arguments(&m, "args_base64", e, add_bytes);
	if (e->kind == EVENT_PRINT && out->safe)
		add_arguments(&m, "arg_types", e, add_type);
	line_add(&line, "}\n", 2);
	return fwrite(line.at, 1, line.len, out->file) < line.len ? -errno : 0;
}
