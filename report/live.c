// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps the values that a running script has measured. In: events of its records. Out: struct live.
#include "live.h"

#include "event_text.h"

#include <stdlib.h>
#include <string.h>

struct live live;
static const struct session *current;      // session whose events are read; NULL: none

static char *copy(const char *text, size_t len)
{
	char *to = malloc(len + 1);

	if (!to)
		abort();
	memcpy(to, text, len);
	to[len] = '\0';
	return to;
}

static void *grown(void *items, size_t n, size_t size)
{
	// doubles at powers of two
	void *more = n & (n - 1) ? items : realloc(items, (n ? 2 * n : 1) * size);

	if (!more)
		abort();
	return more;
}

// ---------------------------------------------------------------- the log

// Lines longer than LIVE_LINE_MAX are divided, since a script may print without newlines.
static void add_to_log(const char *text, size_t len, int kind)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		struct live_line *l = live.nlines ? &live.log[(live.nlines - 1) % LIVE_LOG_LINES] : NULL;

		if (live.open_line && l && l->kind == kind && l->len < LIVE_LINE_MAX) {
			l->text = realloc(l->text, l->len + n + 1);
			if (!l->text)
				abort();
			memcpy(l->text + l->len, text, n);
			l->len += n;
			l->text[l->len] = '\0';
		} else {
			l = &live.log[live.nlines++ % LIVE_LOG_LINES];
			free(l->text);
			*l = (struct live_line){ copy(text, n), n, kind };
		}
		live.open_line = !end;
		n += end != NULL;
		text += n;
		len -= n;
	}
}

static void add_line(struct text t, int kind)
{
	live.open_line = false;
	add_to_log(t.at, t.len, kind);
	live.open_line = false;
}

// The log has only the last lines; what end probes print is for the terminal as it is.
static void add_to_end(struct text t)
{
	live.at_end = realloc(live.at_end, live.at_end_len + t.len + 1);
	if (!live.at_end)
		abort();
	text_copy(live.at_end + live.at_end_len, t);
	live.at_end_len += t.len;
}

void live_message(const char *text, size_t len)
{
	add_to_log(text, len, LINE_WARNING);
}

// ---------------------------------------------------------------- tables

static const struct global *global_of(const struct session *s, const char *name, size_t len)
{
	for (size_t i = 0; i < s->nglobals; i++)
		if (s->globals[i].name && strlen(s->globals[i].name) == len && !memcmp(s->globals[i].name, name, len))
			return &s->globals[i];
	return NULL;
}

// Numbers and strings share one table, whose keys are their names.
static bool is_plain(const struct global *g)
{
	return !g->keys && g->type != CELL_STATISTIC;
}

static struct live_table *table_of(const struct global *g)
{
	const char *name = is_plain(g) ? "globals" : g->name;
	struct live_table *t;

	for (size_t i = 0; i < live.ntables; i++)
		if (!strcmp(live.tables[i]->name, name) && live.tables[i]->plain == is_plain(g))
			return live.tables[i];
	t = calloc(1, sizeof(*t));
	if (!t)
		abort();
	t->name = copy(name, strlen(name));
	t->plain = is_plain(g);
	t->keyed = g->keys || t->plain;
	live.tables = grown(live.tables, live.ntables, sizeof(*live.tables));
	return live.tables[live.ntables++] = t;
}

static void free_row(struct live_row *r)
{
	free(r->key);
	free(r->text);
	free(r->hist);
	free(r);
}

// Called when a new list of an array's elements begins: removes the rows that the previous list did not contain.
static void begin_table(struct live_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nrows; i++) {
		if (!t->rows[i]->seen) {
			free_row(t->rows[i]);
			continue;
		}
		t->rows[i]->seen = false;
		t->rows[n++] = t->rows[i];
	}
	t->nrows = n;
}

static struct live_row *row_of(struct live_table *t, const char *key)
{
	struct live_row **rows, *r;
	size_t n = t->nrows;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(t->rows[i]->key, key))
			return t->rows[i];
	r = calloc(1, sizeof(*r));
	rows = realloc(t->rows, (n + 1) * sizeof(*rows));
	if (!r || !rows)
		abort();
	r->key = copy(key, strlen(key));
	t->rows = rows;
	return t->rows[t->nrows++] = r;
}

// Returns the keys of a line, separated by commas. They identify the row, so that call stacks are not cut.
static char *key_of(const struct global *g, const struct event *e)
{
	char *key;
	size_t len;
	FILE *to = open_memstream(&key, &len);

	if (!to)
		abort();
	if (is_plain(g))
		fputs(g->name, to);
	for (unsigned i = 0; i < g->keys; i++) {
		const struct cell *c = &e->cells[i];

		fputs(i ? ", " : "", to);
		if (c->type == CELL_TEXT)
			fwrite(c->text.at, 1, strnlen(c->text.at, c->text.len), to);
		else
			fprintf(to, "%lld", (long long)c->number);
	}
	if (fclose(to))
		abort();
	return key;
}

// Sets the name of a column from the text before its value: "count" for "... @count=", "value" for "... =".
static void name_column(struct live_table *t, unsigned column, struct text before)
{
	size_t from = before.len;

	if (t->columns[column])
		return;
	while (from && before.at[from - 1] != '@')
		from--;
	t->columns[column] = from ? copy(before.at + from, before.len - from - 1) : copy("value", 5);
	t->ncolumns = column + 1;
}

static void set_value(struct live_table *t, struct live_row *r, unsigned column, const struct cell *c)
{
	uint64_t ns = live.now_ns - r->time_ns;
	int digits;

	if (c->type == CELL_TEXT) {
		free(r->text);
		r->text = copy(c->text.at, c->text.len);
		return;
	}
	if (!column) {
		r->rate = r->time_ns && ns ? 1e9 * (double)(c->number - r->values[0]) / (double)ns : 0;
		r->time_ns = live.now_ns;
	}
	r->values[column] = c->number;
	digits = snprintf(NULL, 0, "%lld", (long long)c->number);
	t->widths[column] = digits > t->widths[column] ? digits : t->widths[column];
}

static struct live_row *latest;            // row of the line that was read last; a histogram may follow
static struct live_table *latest_table;

// Reads a line of a global: its keys, then its values.
static void read_line(const struct session *s, const struct event *e)
{
	struct text before = e->format->n ? e->format->pieces[0].text : (struct text){ "", 0 };
	size_t name = 0;
	const struct global *g;
	unsigned cell = 0, column = 0;
	char *key;

	while (name < before.len && !strchr("[= ", before.at[name]))
		name++;
	g = global_of(s, before.at, name);
	latest = NULL;
	if (!g || e->ncells < g->keys)
		return;
	latest_table = table_of(g);
	key = key_of(g, e);
	latest = row_of(latest_table, key);
	free(key);
	latest->seen = true;
	for (unsigned i = 0; i < e->format->n; before = e->format->pieces[i++].text) {
		if (!e->format->pieces[i].conv || cell >= e->ncells)
			continue;
		if (cell >= g->keys && column < LIVE_COLUMNS) {
			name_column(latest_table, column, before);
			set_value(latest_table, latest, column++, &e->cells[cell]);
		}
		cell++;
	}
}

// Reads "NAME --- LIMIT\n". Rows may be removed, and if the line of the next histogram is lost, it has no row.
static void read_heads(const struct session *s, struct text t)
{
	static const char mark[] = " --- ";
	const char *at = memmem(t.at, t.len, mark, sizeof(mark) - 1);
	const struct global *g = at ? global_of(s, t.at, at - t.at) : NULL;
	struct live_table *table = g ? table_of(g) : NULL;

	latest = NULL;
	if (!table)
		return;
	table->limit = 0;
	for (at += sizeof(mark) - 1; at < t.at + t.len && *at >= '0' && *at <= '9' && table->limit < 100000; at++)
		table->limit = 10 * table->limit + (size_t)(*at - '0');
	begin_table(table);
}

static void read_histogram(const struct event *e)
{
	if (!latest)
		return;
	free(latest->hist);
	latest->hist = malloc(statistic_bytes(e->value->statistic));
	if (!latest->hist)
		abort();
	memcpy(latest->hist, e->value->statistic, statistic_bytes(e->value->statistic));
}

// ---------------------------------------------------------------- probes

static bool is_hidden(const struct probe *p)
{
	static const char *const own[] = { "generated code", "<monitor>", "<timeout>" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strncmp(p->where, own[i], strlen(own[i])))
			return true;
	return false;
}

static struct live_probe *probe_of(const struct probe *p)
{
	for (size_t i = 0; i < live.nprobes; i++)
		if (!strcmp(live.probes[i].where, p->where))
			return &live.probes[i];
	live.probes = grown(live.probes, live.nprobes, sizeof(*live.probes));
	live.probes[live.nprobes] = (struct live_probe){ .written = copy(p->written, strlen(p->written)),
							 .where = copy(p->where, strlen(p->where)) };
	return &live.probes[live.nprobes++];
}

// Hits are counted once an interval: rates are computed from the times of the counts. The kernel counts the runs of BPF
// programs, also those in which the handler does not run because its probe is switched off: these are left out.
static void measure(struct live_probe *p, uint64_t hits, uint64_t ns, uint64_t counted_ns)
{
	uint64_t apart = counted_ns - p->counted_ns;

	if (counted_ns <= p->counted_ns)
		return;
	hits -= p->hits_off;
	ns -= p->ns_off;
	if (p->was_off && p->counted_ns) {
		p->hits_off += hits - p->hits;
		p->ns_off += ns - p->ns;
		hits = p->hits;
		ns = p->ns;
	}
	p->was_off = p->off;
	p->hits_rate = p->counted_ns ? 1e9 * (double)(hits - p->hits) / (double)apart : 0;
	p->ns_rate = p->counted_ns ? 1e9 * (double)(ns - p->ns) / (double)apart : 0;
	p->hits = hits;
	p->ns = ns;
	p->counted_ns = counted_ns;
}

void live_measure(void)
{
	const struct session *s = current;

	for (size_t i = 0; s && i < s->nprobes; i++)
		if (s->probes[i].where && !is_hidden(&s->probes[i]))
			probe_of(&s->probes[i])->points = 0;
	for (size_t i = 0; i < live.nprobes; i++) {
		struct live_probe *p = &live.probes[i];
		uint64_t hits = 0, ns = 0, counted_ns = 0;

		for (size_t k = 0; s && k < s->nprobes; k++) {
			if (!s->probes[k].where || strcmp(s->probes[k].where, p->where))
				continue;
			p->points++;
			hits += s->probes[k].hits;
			ns += s->probes[k].sum_ns;
			if (s->probes[k].counted_ns > counted_ns)
				counted_ns = s->probes[k].counted_ns;
		}
		measure(p, hits, ns, counted_ns);
	}
}

const char *live_hosts(void)
{
	return current ? current->hosts : NULL;
}

bool live_is_counted(void)
{
	if (live_hosts())
		return live.updates;
	for (size_t i = 0; i < live.nprobes; i++)
		if (live.probes[i].counted_ns)
			return true;
	return false;
}

// ---------------------------------------------------------------- events

static bool is_update(const struct event *e)
{
	return e->probe && !strcmp(e->probe->where, "generated code") && !strncmp(e->probe->point, "timer.", 6);
}

static void output(const struct session *s, const struct event *e)
{
	bool at_end = e->probe && (!strncmp(e->probe->written, "end", 3) || !strncmp(e->probe->written, "error", 5));
	struct text t = event_text(s, e);

	if (at_end)
		add_to_end(t);
	add_to_log(t.at, t.len, at_end ? LINE_END : LINE_OUTPUT);
}

static void update(const struct session *s, const struct event *e)
{
	live.updates++;
	if (e->kind == EVENT_PRINT)
		read_line(s, e);
	else if (e->kind == EVENT_TEXT)
		read_heads(s, e->text);
	else if (e->kind == EVENT_HIST)
		read_histogram(e);
}

static void begin(const struct session *s)
{
	char title[512];

	snprintf(title, sizeof(title), "%s %s", s->host, s->kernel);
	free(live.title);
	live.title = copy(title, strlen(title));
	live.start_ns = s->start_ns;
}

int live_event(void *unused, const struct session *s, const struct event *e)
{
	current = e->kind == EVENT_END ? NULL : s;
	if (e->time_ns)
		live.now_ns = e->time_ns;
	switch (e->kind) {
	case EVENT_BEGIN: begin(s); break;
	case EVENT_PRINT: case EVENT_TEXT: case EVENT_HIST:
		if (is_update(e))
			update(s, e);
		else
			output(s, e);
		break;
	case EVENT_WARNING: add_line(e->text, LINE_WARNING); break;
	case EVENT_ERROR: add_line(e->text, LINE_ERROR); break;
	case EVENT_GAP:
		live.lost += e->count;
		add_line(e->text, LINE_LOSS);
		break;
	case EVENT_END:
		live.ended = true;
		live.status = e->status;
		break;
	default: break;
	}
	return 0;
}
