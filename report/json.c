// SPDX-License-Identifier: GPL-2.0-or-later
// One JSON object a line for each event; doc/json.md describes them.
#include "event_text.h"
#include "json.h"
#include "json_text.h"
#include "stack.h"

#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

// The largest number that a double holds exactly.
#define SAFE (1ll << 53)

bool json_is_number(const struct output *out, int64_t n)
{
	return !out->safe || (n <= SAFE && n >= -SAFE);
}

static struct json_object *number(const struct output *out, int64_t n)
{
	char digits[24];

	if (json_is_number(out, n))
		return json_object_new_int64(n);
	snprintf(digits, sizeof(digits), "%lld", (long long)n);
	return json_object_new_string(digits);
}

// Returns the text with each byte that is not UTF-8 replaced by U+FFFD. Sets *valid if there was no such byte.
static struct json_object *readable(struct text t, bool *valid)
{
	struct text copy = utf8_copy(t, valid);
	struct json_object *o = json_object_new_string_len(copy.at, copy.len);

	free((char *)copy.at);
	return o;
}

struct json_object *json_text(struct text t)
{
	bool valid;

	return readable(t, &valid);
}

struct json_object *json_base64(struct text t)
{
	unsigned char *to = malloc(4 * (t.len / 3 + 1) + 1);
	struct json_object *o;

	if (!to)
		abort();
	EVP_EncodeBlock(to, (const unsigned char *)t.at, t.len);
	o = json_object_new_string((char *)to);
	free(to);
	return o;
}

// Adds a member; text that is not UTF-8 gets another one, NAME_base64, with its bytes.
static void add_text(struct json_object *o, const char *name, struct text t)
{
	char member[64];
	bool valid;

	json_object_object_add(o, name, readable(t, &valid));
	if (valid)
		return;
	snprintf(member, sizeof(member), "%s_base64", name);
	json_object_object_add(o, member, json_base64(t));
}

static void add_string(struct json_object *o, const char *name, const char *s)
{
	add_text(o, name, (struct text){ s, strlen(s) });
}


// --- statistics ---

static struct json_object *buckets(const struct output *out, const struct statistic *s)
{
	struct json_object *list = json_object_new_array(), *bucket;
	int64_t low, high;

	for (unsigned i = 0; i < s->buckets; i++) {
		if (!s->hist[i])
			continue;
		bucket_limits(s, i, &low, &high);
		bucket = json_object_new_object();
		json_object_object_add(bucket, "lo", low == INT64_MIN ? NULL : number(out, low));
		json_object_object_add(bucket, "hi", high == INT64_MAX ? NULL : number(out, high));
		json_object_object_add(bucket, "count", number(out, s->hist[i]));
		json_object_array_add(list, bucket);
	}
	return list;
}

static void add_statistic(const struct output *out, struct json_object *o, const struct statistic *s)
{
	json_object_object_add(o, "count", number(out, s->count));
	json_object_object_add(o, "sum", number(out, s->sum));
	if (s->count)
		json_object_object_add(o, "avg", number(out, statistic_average(s)));
	if (statistic_has_min(s))
		json_object_object_add(o, "min", number(out, s->min));
	if (statistic_has_max(s))
		json_object_object_add(o, "max", number(out, s->max));
	if (s->unit.len)
		add_text(o, "unit", s->unit);
	if (s->buckets)
		json_object_object_add(o, "buckets", buckets(out, s));
}

// --- call stacks ---

enum { FLAGS = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE };

// Stacks have few different frames, each of which is made once. Another frame may replace one that was added. The
// session is not trusted, so that the size of a frame that is cached is limited.
struct frame_text { uint64_t frame; size_t len; char *at; };
enum { CACHED_FRAMES = 1 << 16, CACHED_SIZE = 1024 };

static struct json_object *frame_object(const struct frame *f)
{
	struct json_object *o = json_object_new_object();
	char address[20];

	add_text(o, "function", f->name);
	if (f->module.len)
		add_text(o, "module", f->module);
	if (f->build_id.len)
		add_text(o, "build_id", f->build_id);
	if (f->address) {                          // kernel addresses are beyond 2^63
		snprintf(address, sizeof(address), "%#llx", (unsigned long long)f->address);
		json_object_object_add(o, "address", json_object_new_string(address));
	}
	if (f->source.len)
		add_text(o, "file", f->source);
	if (f->line)
		json_object_object_add(o, "line", json_object_new_int64(f->line));
	if (f->inlined)
		json_object_object_add(o, "inlined", json_object_new_boolean(1));
	return o;
}

static const struct frame_text *frame_text(const struct frame *f)
{
	static struct frame_text cache[CACHED_FRAMES], other;
	struct frame_text *t = &cache[f->number % CACHED_FRAMES];
	struct json_object *o;
	const char *text;
	size_t len;

	if (t->at && f->number && t->frame == f->number)
		return t;
	o = frame_object(f);
	text = json_object_to_json_string_length(o, FLAGS, &len);
	if (len > CACHED_SIZE)
		t = &other;
	free(t->at);
	*t = (struct frame_text){ f->number, len, strdup(text) };
	if (!t->at)
		abort();
	json_object_put(o);
	return t;
}

static void add_frame(void *to, const struct frame *f)
{
	const struct frame_text *t = frame_text(f);
	struct json_line *line = to;

	if (line->at[line->len - 1] == '}')
		line_add(line, ",", 1);
	line_add(line, t->at, t->len);
}

void json_add_stack(struct json_line *line, const struct session *s, struct text t, struct text host)
{
	line_add(line, "[", 1);
	stack_text_frames(s, t, host, add_frame, line);
	line_add(line, "]", 1);
}

// Returns an object that is written as json_add_stack() does, and that has no members.
static struct json_object *stack_object(const struct session *s, struct text t)
{
	struct json_object *o = json_object_new_array();
	struct json_line line = { 0 };

	json_add_stack(&line, s, t, (struct text){ "", 0 });
	line_add(&line, "", 1);
	json_object_set_serializer(o, json_object_userdata_to_json_string, line.at, json_object_free_userdata);
	return o;
}

// --- printing ---

static void add_location(const struct output *out, struct json_object *o, const struct event *e)
{
	json_object_object_add(o, "time_ns", number(out, e->time_ns));
	json_object_object_add(o, "cpu", json_object_new_int64(e->cpu));
	if (!e->probe)
		return;
	add_string(o, "probe", e->probe->written);
	add_string(o, "place", e->probe->where);
}

static void histogram(const struct output *out, struct json_object *o, const struct session *s, const struct event *e)
{
	add_location(out, o, e);
	add_text(o, "text", event_text(s, e));
	if (e->value->statistic->label.len)
		add_text(o, "label", e->value->statistic->label);
	add_statistic(out, o, e->value->statistic);
}

// --- others ---

static void begin(const struct output *out, struct json_object *o, const struct session *s)
{
	struct json_object *options = json_object_new_array();

	json_object_object_add(o, "version", json_object_new_int(1));
	json_object_object_add(o, "time_ns", number(out, s->start_ns));
	add_string(o, "host", s->host);
	add_string(o, "kernel", s->kernel);
	add_text(o, "script", s->script);
	for (size_t i = 0; i < s->noptions; i++)
		json_object_array_add(options, json_text(s->options[i]));
	json_object_object_add(o, "options", options);
	if (s->target)
		json_object_object_add(o, "target", number(out, s->target));
}

// With --json-safe, a number may be a string: another member has the types.
static struct json_object *type_of(const struct cell *c)
{
	return json_object_new_string(c->type == CELL_NUMBER ? "number" : "string");
}

static void add_types(struct json_object *o, const struct event *e)
{
	struct json_object *types = json_object_new_array();

	for (unsigned i = 0; i < e->ncells; i++)
		json_object_array_add(types, type_of(&e->cells[i]));
	json_object_object_add(o, "key_types", types);
	if (e->value->type != CELL_STATISTIC)
		json_object_object_add(o, "value_type", type_of(e->value));
}

// Adds a member for the key at this position.
static void add_key(struct json_object **to, unsigned position, struct json_object *o)
{
	char name[12];

	snprintf(name, sizeof(name), "%u", position);
	if (!*to)
		*to = json_object_new_object();
	json_object_object_add(*to, name, o);
}

static void value(const struct output *out, struct json_object *o, const struct session *s, const struct event *e)
{
	struct json_object *keys = json_object_new_array(), *bytes = NULL, *stacks = NULL;

	add_string(o, "name", e->global->name);
	if (*e->global->label)
		add_string(o, "label", e->global->label);
	for (unsigned i = 0; i < e->ncells; i++) {
		const struct cell *c = &e->cells[i];
		bool valid = true;

		json_object_array_add(keys, c->type == CELL_NUMBER ? number(out, c->number) : readable(c->text, &valid));
		if (!valid)
			add_key(&bytes, i, json_base64(c->text));
		if (stack_is_cell(c))
			add_key(&stacks, i, stack_object(s, stack_lines(c)));
	}
	json_object_object_add(o, "keys", keys);
	if (bytes)
		json_object_object_add(o, "keys_base64", bytes);
	if (stacks)
		json_object_object_add(o, "stacks", stacks);
	if (out->safe)
		add_types(o, e);
	if (e->value->type == CELL_STATISTIC)
		add_statistic(out, o, e->value->statistic);
	else if (e->value->type == CELL_NUMBER)
		json_object_object_add(o, "value", number(out, e->value->number));
	else
		add_text(o, "value", e->value->text);
}

// Returns true if the text ends in this one.
static bool ends_in(struct text t, struct text end)
{
	return t.len >= end.len && !memcmp(t.at + t.len - end.len, end.at, end.len);
}

// Returns the probe whose name ends the message of an error, "... at FILE:LINE:COLUMN in probe POINT", or NULL; the
// rest of the message is in *before.
static const struct probe *failed_probe(const struct session *s, struct text t, struct text *before)
{
	static const char in[] = " in probe ";
	const struct probe *found = NULL;

	for (size_t i = 0; i < s->nprobes; i++) {
		const struct probe *p = &s->probes[i];
		struct text point = { p->point, strlen(p->point) };

		*before = (struct text){ t.at, t.len >= point.len ? t.len - point.len : 0 };
		if (ends_in(t, point) && ends_in(*before, (struct text){ in, strlen(in) }) &&
		    (!found || point.len > strlen(found->point)))
			found = p;
	}
	if (found)
		*before = (struct text){ t.at, t.len - strlen(found->point) - strlen(in) };
	return found;
}

static void message(struct json_object *o, const struct session *s, const struct event *e)
{
	struct text before, t = e->text;
	const struct probe *p;
	const char *at;

	add_text(o, "text", t);
	while (t.len && t.at[t.len - 1] == '\n')
		t.len--;
	p = failed_probe(s, t, &before);
	if (!p)
		return;
	add_string(o, "probe", p->written);
	for (at = before.at + before.len; at > before.at && !isspace((unsigned char)at[-1]); )
		at--;
	if (before.len && isdigit((unsigned char)before.at[before.len - 1]) && memchr(at, ':', before.at + before.len - at))
		add_text(o, "place", (struct text){ at, before.at + before.len - at });
}

// The probes of scripts and the library that were hit.
static void end(const struct output *out, struct json_object *o, const struct session *s, const struct event *e)
{
	struct json_object *list = json_object_new_array(), *of;

	json_object_object_add(o, "status", json_object_new_int(e->status));
	for (size_t i = 0; i < s->nprobes; i++) {
		const struct probe *p = &s->probes[i];

		if (!p->hits || !strcmp(p->where, "generated code"))
			continue;
		of = json_object_new_object();
		add_string(of, "probe", p->written);
		add_string(of, "place", p->where);
		json_object_object_add(of, "hits", number(out, p->hits));
		json_object_object_add(of, "min_ns", number(out, p->min_ns));
		json_object_object_add(of, "sum_ns", number(out, p->sum_ns));
		json_object_object_add(of, "max_ns", number(out, p->max_ns));
		json_object_array_add(list, of);
	}
	json_object_object_add(o, "probes", list);
}

static const char *type_name(const struct event *e)
{
	switch (e->kind) {
	case EVENT_BEGIN: return "begin";
	case EVENT_PRINT: case EVENT_TEXT: return "print";
	case EVENT_HIST: return "hist";
	case EVENT_VALUE: return e->value->type == CELL_STATISTIC ? "stats" : "map";
	case EVENT_WARNING: return "warning";
	case EVENT_ERROR: return "error";
	case EVENT_GAP: return "gap";
	case EVENT_LOSS: return "lost";
	case EVENT_END: return "end";
	}
	return "";
}

struct json_object *json_event(const struct output *out, const struct session *s, const struct event *e)
{
	struct json_object *o = json_object_new_object();

	add_string(o, "type", type_name(e));
	if (out->names_host && e->kind != EVENT_BEGIN)
		add_string(o, "host", s->host);
	switch (e->kind) {
	case EVENT_BEGIN: begin(out, o, s); break;
	case EVENT_PRINT: case EVENT_TEXT: break;          // json_print() writes them
	case EVENT_HIST: histogram(out, o, s, e); break;
	case EVENT_VALUE: value(out, o, s, e); break;
	case EVENT_WARNING: case EVENT_ERROR: message(o, s, e); break;
	case EVENT_GAP:
		json_object_object_add(o, "time_ns", number(out, e->time_ns));
		/* fall through */
	case EVENT_LOSS:
		add_text(o, "text", e->text);
		json_object_object_add(o, "count", number(out, e->count));
		break;
	case EVENT_END: end(out, o, s, e); break;
	}
	return o;
}

static int event(struct output *out, const struct session *s, const struct event *e)
{
	struct json_object *o;
	const char *line;
	size_t len;
	int rc;

	if (is_display(e))
		return 0;
	if (e->kind == EVENT_PRINT || e->kind == EVENT_TEXT)
		return json_print(out, s, e);
	o = json_event(out, s, e);
	line = json_object_to_json_string_length(o, FLAGS, &len);
	rc = fwrite(line, 1, len, out->file) == len && putc('\n', out->file) != EOF ? 0 : -errno;
	json_object_put(o);
	return rc;
}

const struct writer json_writer = { "json", "one JSON object a line", event };
