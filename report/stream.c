// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the stream of runtime/include/records.h. It comes from a module or from a file that may be damaged: each length
// is checked against the bytes that are there.
#include "files.h"
#include "stream.h"

#include "leb128.h"
#include "records.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX (INT64_MAX / CELL_BUCKETS)       // limit by which sums of a histogram do not overflow

enum { PROBES_MAX = 1 << 20, GLOBALS_MAX = 1 << 16, OPTIONS_MAX = 1 << 12, PIECE_BYTES = 5, HIST_WIDTH_MAX = 4096,
       HIST_ELISION_MAX = 1 << 20, EARLY_MAX = 100, SPLIT_MAX = 64 };

// Buckets of a histogram whose statistic has not been read yet.
struct split {
	uint64_t id;                       // 0: unused
	unsigned n;
	struct { uint32_t index; int64_t count; } *buckets;
};

struct reader {
	struct session s;
	event_handler *handler;
	void *to;
	const unsigned char *at, *end;     // rest of the items of the current frame
	uint64_t probe;                    // 1 + index of the probe in the last HEAD, or 0
	bool damaged;                      // a field reached beyond the end, or has no valid value
	unsigned version;                  // version of the stream
	bool begun;                        // BEGIN was delivered
	struct event *early;               // events to deliver after BEGIN
	size_t nearly;
	struct cell cells[2 * FORMAT_PIECES + FORMAT_PIECES];
	struct statistic statistic;
	struct split splits[SPLIT_MAX];
	unsigned next_split;               // the one to use for the next histogram
	bool is_cut;                       // buckets of the histogram that was read last were lost
};

// Returns a number that no session has had.
static uint64_t next_number(void)
{
	static uint64_t last;

	return ++last;
}

// --- fields ---

static uint64_t number(struct reader *r)
{
	unsigned long long n;

	r->damaged |= !stp_leb128_read(&r->at, r->end, &n);
	return n;
}

static int64_t signed_number(struct reader *r)
{
	return stp_leb128_signed(number(r));
}

// A number below `limit`.
static uint64_t number_below(struct reader *r, uint64_t limit)
{
	uint64_t n = number(r);

	r->damaged |= n >= limit;
	return n < limit ? n : 0;
}

static unsigned byte(struct reader *r)
{
	if (r->at < r->end)
		return *r->at++;
	r->damaged = true;
	return 0;
}

static struct text bytes(struct reader *r, uint64_t len)
{
	struct text t = { (const char *)r->at, len };
	bool missing = len > (uint64_t)(r->end - r->at);

	r->damaged |= missing;
	if (missing || !len)
		return (struct text){ "", 0 };     // an event without data has no address
	r->at += len;
	return t;
}

static struct text text(struct reader *r)
{
	return bytes(r, number(r));
}

// Returns a copy that ends with a zero byte.
static char *copy(struct text t)
{
	char *to = malloc(t.len + 1);

	if (!to)
		abort();
	*text_copy(to, t) = '\0';
	return to;
}

// Frees the text that it replaces. A valid stream describes each text once.
static void replace(char **member, struct text t)
{
	free(*member);
	*member = copy(t);
}

// Reads a type up to the last one that is allowed here: keys and arguments are never statistics.
static enum cell_type type(struct reader *r, enum cell_type last)
{
	unsigned n = byte(r);

	if (n >= CELL_NUMBER && n <= last)
		return n;
	r->damaged = true;
	return CELL_NUMBER;
}

// --- statistics ---

static struct split *find_split(struct reader *r, uint64_t id)
{
	for (unsigned i = 0; id && i < SPLIT_MAX; i++)
		if (r->splits[i].id == id)
			return &r->splits[i];
	return NULL;
}

static void free_split(struct split *p)
{
	free(p->buckets);
	*p = (struct split){ 0 };
}

// Reads an item BUCKETS. Those that no statistic names are replaced by later ones.
static void buckets(struct reader *r)
{
	uint64_t id = number(r), n = number_below(r, CELL_BUCKETS + 1);
	struct split *p = find_split(r, id);

	if (!p) {
		p = &r->splits[r->next_split++ % SPLIT_MAX];
		free_split(p);
		p->id = id;
	}
	r->damaged |= !id || 2 * n > (uint64_t)(r->end - r->at) || p->n + n > CELL_BUCKETS;
	if (r->damaged)
		return;
	p->buckets = realloc(p->buckets, (p->n + n + 1) * sizeof(p->buckets[0]));
	if (!p->buckets)
		abort();
	for (; n && !r->damaged; n--, p->n++) {
		p->buckets[p->n].index = number_below(r, CELL_BUCKETS);
		p->buckets[p->n].count = signed_number(r);
		r->damaged |= p->buckets[p->n].count < 0 || p->buckets[p->n].count > COUNT_MAX;
	}
}

// Moves the buckets of a split histogram to its statistic. Without all of them, it is left out.
static void join(struct reader *r, struct statistic *s)
{
	uint64_t id = number(r), n = id ? number(r) : 0;
	struct split *p = find_split(r, id);

	if (!id)
		return;
	r->is_cut = !p || p->n != n;
	if (!p)
		return;
	for (unsigned i = 0; i < p->n; i++) {
		r->damaged |= p->buckets[i].index >= s->buckets;
		if (p->buckets[i].index < s->buckets)
			s->hist[p->buckets[i].index] = p->buckets[i].count;
	}
	free_split(p);
}

static void statistic(struct reader *r, struct statistic *s)
{
	uint64_t n, i;

	memset(s, 0, offsetof(struct statistic, hist));
	s->ops = number(r);
	s->low = signed_number(r);
	s->high = signed_number(r);
	s->step = signed_number(r);
	s->buckets = number_below(r, CELL_BUCKETS + 1);
	memset(s->hist, 0, s->buckets * sizeof(s->hist[0]));
	s->count = signed_number(r);
	r->damaged |= s->count < 0;
	s->sum = signed_number(r);
	s->min = signed_number(r);
	s->max = signed_number(r);
	for (n = number_below(r, CELL_BUCKETS + 1); n && !r->damaged; n--) {
		i = number_below(r, s->buckets);
		s->hist[i] = signed_number(r);
		r->damaged |= s->hist[i] < 0 || s->hist[i] > COUNT_MAX;
	}
	s->label = text(r);
	s->unit = text(r);
	if (r->version >= 10)
		join(r, s);
}

static struct cell cell(struct reader *r, enum cell_type of)
{
	struct cell c = { .type = of };

	if (of == CELL_NUMBER)
		c.number = signed_number(r);
	else if (of == CELL_TEXT)
		c.text = text(r);
	else
		statistic(r, c.statistic = &r->statistic);
	return c;
}

// --- description ---

// Makes space for the element with this index. Returns false if it can't be one of a module.
static void *element(struct reader *r, void *array, size_t *n, size_t size, uint64_t index, uint64_t limit)
{
	char *at = *(char **)array;

	if (index >= limit || index > *n) {
		r->damaged = true;
		return NULL;
	}
	if (index == *n) {
		if (!(*n & (*n - 1)))          // doubled at each power of two
			at = realloc(at, (*n ? 2 * *n : 1) * size);
		if (!at)
			abort();
		memset(at + *n * size, 0, size);
		++*n;
		*(char **)array = at;
	}
	return at + index * size;
}

static void describe_session(struct reader *r)
{
	int64_t elision;

	r->s.start_ns = number(r);
	r->s.string_len = number_below(r, 1 << 20);
	elision = signed_number(r);
	r->damaged |= elision < -1 || elision > HIST_ELISION_MAX;
	r->s.hist_elision = r->damaged ? 0 : elision;
	r->s.hist_width = number_below(r, HIST_WIDTH_MAX + 1);
	if (!r->s.hist_width) {
		r->damaged = true;
		r->s.hist_width = 1;               // not 0, since it is a divisor
	}
	r->s.target = signed_number(r);
}

// Appends to an allocated text.
static void append(struct text *to, struct text t)
{
	char *at = realloc((char *)to->at, to->len + t.len + 1);

	if (!at)
		abort();
	text_copy(at + to->len, t);
	*to = (struct text){ at, to->len + t.len };
}

static void describe_option(struct reader *r)
{
	struct text *option = element(r, &r->s.options, &r->s.noptions, sizeof(*option), number(r), OPTIONS_MAX);

	if (option)
		append(option, text(r));
}

static int by_id(const void *a, const void *b)
{
	const struct format *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

// Stores the name at the end of a text like "name=" or "name=\"" in `to`. Returns false if the text ends otherwise.
static bool argument_name(struct text t, char *to, size_t size)
{
	size_t end = t.len, from;

	if (end && (t.at[end - 1] == '"' || t.at[end - 1] == '\''))
		end--;
	if (!end || t.at[--end] != '=')
		return false;
	for (from = end; from && (t.at[from - 1] == '_' || (t.at[from - 1] >= '0' && t.at[from - 1] <= '9') ||
				  ((t.at[from - 1] | 32) >= 'a' && (t.at[from - 1] | 32) <= 'z')); )
		from--;
	if (from == end || end - from >= size || (t.at[from] >= '0' && t.at[from] <= '9'))
		return false;
	memcpy(to, t.at + from, end - from);
	to[end - from] = '\0';
	return true;
}

static bool is_used(const struct format *f, const char *name)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->pieces[i].name && !strcmp(f->pieces[i].name, name))
			return true;
	return false;
}

// Names the conversions: after "name=" by that name, unless one before it has the name; others by their numbers from 1.
static void name_arguments(struct format *f)
{
	struct text before = { "", 0 };
	char name[64];
	unsigned n = 0;

	for (unsigned i = 0; i < f->n; before = f->pieces[i++].text) {
		if (!f->pieces[i].conv)
			continue;
		n++;
		if (!argument_name(before, name, sizeof(name)) || is_used(f, name))
			snprintf(name, sizeof(name), "%u", n);
		f->pieces[i].name = strdup(name);
		if (!f->pieces[i].name)
			abort();
	}
}

static void free_format(void *format)
{
	struct format *f = format;

	for (unsigned i = 0; i < f->n; i++) {
		free((char *)f->pieces[i].text.at);
		free(f->pieces[i].name);
	}
	free(f);
}

// If formats have the same identifier, the last one is used. Memory is limited by the bytes that are there.
static void describe_format(struct reader *r)
{
	int64_t id = signed_number(r);
	unsigned n = number_below(r, FORMAT_PIECES + 1);
	struct format *f, **entry;

	r->damaged |= n * PIECE_BYTES > (size_t)(r->end - r->at);
	if (r->damaged)
		return;
	f = calloc(1, sizeof(*f) + n * sizeof(f->pieces[0]));
	if (!f)
		abort();
	f->id = id;
	f->n = n;
	for (unsigned i = 0; i < n; i++) {
		struct piece *p = &f->pieces[i];

		p->conv = byte(r);
		p->flags = byte(r);
		if (r->version < 7)
			p->flags = stp_format_flag(p->flags);
		p->width = signed_number(r);
		p->precision = signed_number(r);
		p->text = text(r);
		p->text.at = copy(p->text);
	}
	name_arguments(f);
	entry = tsearch(f, &r->s.formats, by_id);
	if (!entry)
		abort();
	if (*entry != f)
		free_format(*entry);
	*entry = f;
}

static void describe_probe(struct reader *r)
{
	struct probe *p = element(r, &r->s.probes, &r->s.nprobes, sizeof(*p), number(r) - 1, PROBES_MAX);

	if (!p)
		return;
	replace(&p->point, text(r));
	replace(&p->written, text(r));
	replace(&p->where, text(r));
}

static void describe_cost(struct reader *r, uint64_t time_ns)
{
	uint64_t i = number(r) - 1;
	struct probe *p = i < r->s.nprobes ? &r->s.probes[i] : NULL;
	uint64_t hits = number(r), min_ns = number(r), sum_ns = number(r), max_ns = number(r);

	r->damaged |= !p || (hits | min_ns | sum_ns | max_ns) > INT64_MAX;
	if (r->damaged)
		return;
	p->hits = hits;
	p->counted_ns = time_ns;
	p->min_ns = min_ns;
	p->sum_ns = sum_ns;
	p->max_ns = max_ns;
}

// Reads the type of a key or a value, which may be a text with frames.
static enum cell_type part_type(struct reader *r, enum cell_type last, bool *is_list)
{
	*is_list = r->at < r->end && *r->at == STP_LIST_TYPE;
	if (!*is_list)
		return type(r, last);
	byte(r);
	return CELL_TEXT;
}

static void describe_global(struct reader *r)
{
	struct global *g = element(r, &r->s.globals, &r->s.nglobals, sizeof(*g), number(r), GLOBALS_MAX);
	bool of_value, of_key;

	if (!g)
		return;
	replace(&g->name, text(r));
	replace(&g->label, text(r));
	g->type = part_type(r, CELL_STATISTIC, &of_value);
	g->keys = number_below(r, GLOBAL_KEYS + 1);
	g->lists = (unsigned)of_value << g->keys;
	for (unsigned i = 0; i < g->keys; i++) {
		g->key_types[i] = part_type(r, CELL_TEXT, &of_key);
		g->lists |= (unsigned)of_key << i;
	}
}

// --- events ---

// Delivers BEGIN and the events that waited for it.
static int begin(struct reader *r)
{
	struct event begin = { .kind = EVENT_BEGIN };
	int rc = r->begun ? 0 : r->handler(r->to, &r->s, &begin);

	r->begun = true;
	for (size_t i = 0; i < r->nearly; i++) {
		rc = rc ? rc : r->handler(r->to, &r->s, &r->early[i]);
		free((char *)r->early[i].text.at);
	}
	r->nearly = 0;
	return rc;
}

// Messages and losses may come before the description of the session, or within it. Probes are the last part of it that
// BEGIN shows.
static bool waits(const struct reader *r, const struct event *e)
{
	return (e->kind == EVENT_GAP || e->kind == EVENT_WARNING || e->kind == EVENT_ERROR) && !r->begun && !r->s.nprobes &&
	       r->nearly < EARLY_MAX;
}

static int deliver(struct reader *r, struct event *e)
{
	static const char lost[] = "Histograms with lost buckets: 1";
	int rc;

	if (r->damaged)
		return -EBADMSG;
	if (r->is_cut) {
		e->kind = EVENT_GAP;
		e->count = 1;
		e->text = (struct text){ lost, sizeof(lost) - 1 };
		r->is_cut = false;
	}
	e->probe = r->probe && r->probe <= r->s.nprobes ? &r->s.probes[r->probe - 1] : NULL;
	if (waits(r, e)) {
		r->early = r->early ? r->early : calloc(EARLY_MAX, sizeof(*r->early));
		if (!r->early)
			abort();
		r->early[r->nearly] = *e;
		r->early[r->nearly++].text.at = copy(e->text);
		return 0;
	}
	rc = begin(r);
	return rc ? rc : r->handler(r->to, &r->s, e);
}

static const struct format *find_format(struct reader *r, int64_t id)
{
	struct format key = { .id = id }, **found = tfind(&key, &r->s.formats, by_id);

	r->damaged |= !found;
	return found ? *found : NULL;
}

static int print(struct reader *r, struct event *e)
{
	const struct format *f = e->format = find_format(r, signed_number(r));
	struct cell *c = r->cells;

	for (unsigned i = 0; f && i < f->n; i++) {
		const struct piece *p = &f->pieces[i];

		if (!p->conv)
			continue;
		if (p->width == -2)
			*c++ = cell(r, CELL_NUMBER);
		if (p->precision == -2)
			*c++ = cell(r, CELL_NUMBER);
		*c++ = cell(r, p->conv == 's' ? CELL_TEXT : CELL_NUMBER);
	}
	e->kind = EVENT_PRINT;
	e->cells = r->cells;
	e->ncells = c - r->cells;
	return deliver(r, e);
}

static struct text text_item(struct reader *r)
{
	struct text len = bytes(r, 4);
	uint32_t n = 0;

	if (len.len)
		memcpy(&n, len.at, sizeof(n));
	return bytes(r, n);
}

static bool is_frame(struct text t)
{
	return t.len > 3 && !memcmp(t.at, " 0x", 3);
}

static bool is_same(struct text a, struct text b)
{
	return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

// Skips items HOST with this name, and reads the kind of the item after them. Returns false if that is not TEXT.
static bool next_is_text(struct reader *r, struct text host)
{
	unsigned kind = byte(r);

	while (kind == STP_ITEM_HOST && is_same(text(r), host) && !r->damaged)
		kind = byte(r);
	return kind == STP_ITEM_TEXT;
}

// The frames of a call stack are printed by several calls: the texts that follow in the record are joined.
static struct text whole_stack(struct reader *r, struct text t, struct text host)
{
	static char joined[STP_FRAME_MAX];

	if (!is_frame(t))
		return t;
	text_copy(joined, t);
	t.at = joined;
	while (r->at < r->end) {
		const unsigned char *from = r->at;
		bool damaged = r->damaged, is_text = next_is_text(r, host);
		struct text next = is_text ? text_item(r) : t;

		if (!is_text || (joined[t.len - 1] == '\n' && !is_frame(next))) {
			r->at = from;
			r->damaged = damaged;
			break;
		}
		text_copy(joined + t.len, next);
		t.len += next.len;
	}
	return t;
}

static int print_text(struct reader *r, struct event *e)
{
	e->kind = EVENT_TEXT;
	e->text = whole_stack(r, text_item(r), e->host);
	return deliver(r, e);
}

static int print_hist(struct reader *r, struct event *e)
{
	struct cell c = cell(r, CELL_STATISTIC);

	e->kind = EVENT_HIST;
	e->value = &c;
	return deliver(r, e);
}

static struct cell part(struct reader *r, enum cell_type of, bool is_list)
{
	struct cell c = cell(r, of);

	if (is_list)
		c.frames = text(r);
	return c;
}

static int value(struct reader *r, struct event *e)
{
	uint64_t i = number_below(r, r->s.nglobals);
	struct cell c;

	if (r->damaged)
		return -EBADMSG;
	e->kind = EVENT_VALUE;
	e->global = &r->s.globals[i];
	for (unsigned k = 0; k < e->global->keys; k++)
		r->cells[k] = part(r, e->global->key_types[k], e->global->lists >> k & 1);
	c = part(r, e->global->type, e->global->lists >> e->global->keys & 1);
	e->cells = r->cells;
	e->ncells = e->global->keys;
	e->value = &c;
	return deliver(r, e);
}

static void head(struct reader *r, struct event *e)
{
	uint64_t probe;

	e->time_ns = number(r);
	e->cpu = number(r);
	probe = number_below(r, r->s.nprobes + 1);
	r->probe = probe;
}

static void set_host(struct reader *r, struct event *e)
{
	e->host = text(r);
	r->s.merged = true;
}

static int items(struct reader *r, uint64_t seq)
{
	struct event e = { .seq = seq };
	int rc = 0;

	while (r->at < r->end && !r->damaged && !rc) {
		switch (byte(r)) {
		case STP_ITEM_HEAD: head(r, &e); break;
		case STP_ITEM_HOST: set_host(r, &e); break;
		case STP_ITEM_PRINT: rc = print(r, &e); break;
		case STP_ITEM_TEXT: rc = print_text(r, &e); break;
		case STP_ITEM_HIST: rc = print_hist(r, &e); break;
		case STP_ITEM_VALUE: rc = value(r, &e); break;
		case STP_ITEM_SESSION: describe_session(r); break;
		case STP_ITEM_SCRIPT: append(&r->s.script, text(r)); break;
		case STP_ITEM_OPTION: describe_option(r); break;
		case STP_ITEM_FORMAT: describe_format(r); break;
		case STP_ITEM_PROBE: describe_probe(r); break;
		case STP_ITEM_GLOBAL: describe_global(r); break;
		case STP_ITEM_COST: describe_cost(r, e.time_ns); break;
		case STP_ITEM_BUCKETS: buckets(r); break;
		default: r->damaged = true;
		}
	}
	if (!rc && r->nearly && r->s.nprobes)
		rc = begin(r);
	return rc ? rc : r->damaged ? -EBADMSG : 0;
}

// --- frames ---

static int start(struct reader *r)
{
	struct stp_stream_start start;

	if (r->end - r->at < (ptrdiff_t)sizeof(start))
		return -EPROTO;
	memcpy(&start, r->at, sizeof(start));
	r->at += sizeof(start);
	if (start.magic != STP_STREAM_MAGIC || start.version < STP_STREAM_OLDEST || start.version > STP_STREAM_VERSION)
		return -EPROTO;
	r->version = start.version;
	replace(&r->s.kernel, text(r));
	replace(&r->s.host, text(r));
	return r->damaged ? -EPROTO : 0;
}

static int loss(struct reader *r)
{
	struct event e = { .kind = EVENT_LOSS };
	struct stp_frame_loss loss;
	struct text head = bytes(r, sizeof(loss));

	if (r->damaged)
		return -EBADMSG;
	memcpy(&loss, head.at, sizeof(loss));
	e.count = loss.count;
	e.text = bytes(r, r->end - r->at);
	return deliver(r, &e);
}

static int gap(struct reader *r)
{
	struct event e = { .kind = EVENT_GAP };
	struct stp_frame_gap gap;
	struct text head = bytes(r, sizeof(gap));

	if (r->damaged)
		return -EBADMSG;
	memcpy(&gap, head.at, sizeof(gap));
	e.count = gap.count;
	e.time_ns = gap.time_ns;
	e.text = bytes(r, r->end - r->at);
	return deliver(r, &e);
}

static int end(struct reader *r)
{
	struct event e = { .kind = EVENT_END };
	struct stp_frame_end end;
	struct text bytes_of = bytes(r, sizeof(end));

	if (r->damaged)
		return -EBADMSG;
	memcpy(&end, bytes_of.at, sizeof(end));
	e.status = end.status;
	return deliver(r, &e);
}

// The second build of a file changes the frames of lines that have been read: with another number of the session, they
// are looked up again.
static int file(struct reader *r)
{
	struct file_place p = { { "", 0 }, text(r), 0 };
	struct text id;
	int64_t bias;

	p.end = number(r);
	id = text(r);
	bias = signed_number(r);
	if (r->at < r->end)
		p.host = text(r);
	if (r->damaged)
		return -EBADMSG;
	r->s.merged |= p.host.len > 0;
	if (files_add(&r->s.files, &p, id, bias))
		r->s.number = next_number();
	return 0;
}

static int frame(struct reader *r, const struct stp_frame *f)
{
	struct event e = { .kind = f->kind == STP_FRAME_WARNING ? EVENT_WARNING : EVENT_ERROR };

	r->probe = 0;
	switch (f->kind) {
	case STP_FRAME_RECORD: return items(r, f->seq);
	case STP_FRAME_LOSS: return loss(r);
	case STP_FRAME_GAP: return gap(r);
	case STP_FRAME_END: return end(r);
	case STP_FRAME_ARMED: return 0;
	case STP_FRAME_FILE: return file(r);
	case STP_FRAME_HOSTS:
		replace(&r->s.hosts, bytes(r, r->end - r->at));
		return 0;
	case STP_FRAME_WARNING:
	case STP_FRAME_ERROR:
		e.text = bytes(r, r->end - r->at);
		return deliver(r, &e);
	}
	return -EBADMSG;
}

// Reads the next frame into payload. Returns -ENODATA at the end of the stream, -EPIPE within a frame.
static int next_frame(FILE *in, struct stp_frame *f, unsigned char *payload)
{
	size_t n = fread(f, 1, sizeof(*f), in);

	if (!n)
		return -ENODATA;
	if (n < sizeof(*f))
		return -EPIPE;
	if (f->len > STP_FRAME_MAX)
		return -EBADMSG;
	return fread(payload, 1, f->len, in) == f->len ? 0 : -EPIPE;
}

// Reads all frames; the first one is START. A damaged one is left out.
static int frames(struct reader *r, FILE *in, unsigned char *payload, struct stream_extent *extent)
{
	struct stp_frame f = { .kind = 0 };
	uint64_t at = 0;
	int rc = next_frame(in, &f, payload), result = 0;

	if (rc)
		return rc == -ENODATA ? rc : -EPROTO;
	r->at = payload;
	r->end = payload + f.len;
	rc = f.kind == STP_FRAME_START ? start(r) : -EPROTO;
	while (!rc && f.kind != STP_FRAME_END) {
		at += sizeof(f) + f.len;
		rc = next_frame(in, &f, payload);
		if (rc)
			break;
		r->at = payload;
		r->end = payload + f.len;
		r->damaged = false;
		rc = frame(r, &f);
		if (rc != -EBADMSG)
			continue;
		extent->damage = result ? extent->damage : at;
		result = rc;
		rc = 0;
	}
	if (rc == -EBADMSG && !result)
		extent->damage = at;
	if (f.kind == STP_FRAME_END && !rc)
		extent->length = at + sizeof(f) + f.len;
	if (rc == -ENODATA)
		rc = -EPIPE;
	return result && (!rc || rc == -EPIPE) ? result : rc;
}

static void free_session(struct session *s)
{
	tdestroy(s->formats, free_format);
	files_free(&s->files);
	for (size_t i = 0; i < s->nprobes; i++) {
		free(s->probes[i].point);
		free(s->probes[i].written);
		free(s->probes[i].where);
	}
	for (size_t i = 0; i < s->nglobals; i++) {
		free(s->globals[i].name);
		free(s->globals[i].label);
	}
	for (size_t i = 0; i < s->noptions; i++)
		free((char *)s->options[i].at);
	free(s->options);
	free(s->probes);
	free(s->globals);
	free((char *)s->script.at);
	free(s->kernel);
	free(s->host);
	free(s->hosts);
}

int stream_read(FILE *in, event_handler *handler, void *to, struct stream_extent *extent)
{
	struct reader *r = calloc(1, sizeof(*r));
	unsigned char *payload = malloc(STP_FRAME_MAX);
	struct text none = { "", 0 };
	int rc;

	if (!r || !payload)
		abort();
	r->s.string_len = 512;                     // default until the session is described; that part may be missing
	r->s.hist_elision = 2;
	r->s.hist_width = 50;
	r->s.number = next_number();
	r->handler = handler;
	r->to = to;
	r->s.script.at = copy(none);
	r->s.kernel = copy(none);
	r->s.host = copy(none);
	*extent = (struct stream_extent){ 0 };
	rc = frames(r, in, payload, extent);
	if (rc != -EPROTO && rc != -ENODATA)       // the session has no output, or it was lost
		begin(r);
	free_session(&r->s);
	for (unsigned i = 0; i < SPLIT_MAX; i++)
		free_split(&r->splits[i]);
	free(r->early);
	free(payload);
	free(r);
	return rc;
}
