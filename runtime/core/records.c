/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output in the form of records (include/records.h) instead of text: with -f, --output and --record. Context: a
 * handler's.
 *
 * An item is contiguous: its maximum size is reserved before it is written, so that it is never divided between two
 * records.
 */
#include "record_items.h"
#include "map.h"

#define TEXT_HEAD 5                            /* bytes of the item's kind and its length */
#define STACK_MAX 3000                         /* maximum size of a call stack */
#define LIST_MAX 2048                          /* maximum size of its list of addresses: 100 addresses */
#define LABEL_MAX 200                          /* maximum size of a label, and of a unit */
#define BUCKETS_MAX (STP_ITEM_MAX / 4)         /* maximum size of the buckets of a statistic; more are in other items */
#define PART_MAX 300                           /* maximum number of buckets of an item BUCKETS */

/* Formats with more text than this are printed as text. */
#define FORMAT_TEXT_MAX 4096
#define FORMAT_PIECES_MAX 64

_Static_assert(FORMAT_TEXT_MAX + FORMAT_PIECES_MAX * (2 + 3 * STP_NUMBER_MAX) + 3 * STP_NUMBER_MAX < STP_ITEM_MAX,
	       "a format fits into an item");

/* ------------------------------------------------------------------ fields */

/* Writes the length of the text that follows, in two bytes. Returns the end of the text. */
static char *put_length(char *to, u32 len)
{
	stp_put_byte(stp_put_byte(to, (u8)(len | 128)), (u8)(len >> 7));
	return to + 2 + len;
}

/* Writes a stack value as text of less than `size` bytes, at most STACK_MAX. */
static char *put_stack(char *to, struct stp_ctx *c, const char *stack, u32 size)
{
	return put_length(to, stp_stack_lines(c, to + 2, size, stack));
}

/* Returns at least the bytes of the text of addresses, which is a string in the script. */
static u32 list_size(const char *stack)
{
	u32 most = stp_module.limits.string_len < LIST_MAX ? stp_module.limits.string_len : LIST_MAX, size = 1, at = 0;
	u64 address;

	while (size < most && plat_stack_address(stack, &at, &address))
		size += STP_ADDRESS_SIZE;  /* bounded: the string ends */
	return size < most ? size : most;
}

/* Writes it as addresses, and as text of less than `size` bytes. */
static char *put_list(char *to, struct stp_ctx *c, const char *stack, u32 size)
{
	to = put_length(to, stp_stack_list(c, to + 2, list_size(stack), stack));
	return put_stack(to, c, stack, size);
}

/* Returns the length of a label or unit, truncated so that two of them and a statistic fit into an item; 0 for
 * NULL. */
static u64 label_length(const char *text)
{
	u64 len = text ? (u64)stp_strlen(text) : 0;

	return len < LABEL_MAX ? len : LABEL_MAX;
}

static u32 buckets_of(const struct stp_stat_desc *d)
{
	return d->ops & (STP_HIST_LOG | STP_HIST_LINEAR) ? d->buckets : 0;
}

/* Writes up to `max` nonempty buckets, from *next; sets *next to the bucket after the last one. */
static char *put_buckets(char *at, const struct stp_stat *s, u32 buckets, u32 *next, u32 max)
{
	u32 i, n = 0;

	for (i = *next; i < buckets && n < max; i++)
		n += s->hist[i] != 0;
	buckets = i;
	at = stp_put_number(at, n);
	for (i = *next; i < buckets; i++)
		if (s->hist[i])
			at = stp_put_signed(stp_put_number(at, i), s->hist[i]);
	*next = buckets;
	return at;
}

/* split: the identifier of the items BUCKETS that have the buckets, or 0 */
static char *put_statistic(char *at, const struct stp_stat *s, const struct stp_stat_desc *d, u64 split)
{
	u32 i, n = 0, first = 0, buckets = buckets_of(d);

	at = stp_put_number(at, d->ops);
	at = stp_put_signed(at, d->low);
	at = stp_put_signed(at, d->high);
	at = stp_put_signed(at, d->step);
	at = stp_put_number(at, buckets);
	at = stp_put_signed(at, s->count);
	at = stp_put_signed(at, s->sum);
	at = stp_put_signed(at, s->min);
	at = stp_put_signed(at, s->max);
	at = put_buckets(at, s, split ? 0 : buckets, &first, buckets);
	at = stp_put_text(at, d->label ? d->label : "", label_length(d->label));
	at = stp_put_text(at, d->unit ? d->unit : "", label_length(d->unit));
	at = stp_put_number(at, split);
	if (!split)
		return at;
	for (i = 0; i < buckets; i++)
		n += s->hist[i] != 0;
	return stp_put_number(at, n);
}

static u32 buckets_size(const struct stp_stat *s, const struct stp_stat_desc *d)
{
	u32 i, size = 0, buckets = buckets_of(d);

	for (i = 0; i < buckets; i++)
		size += s->hist[i] ? stp_indexed_size(i, s->hist[i]) : 0;
	return size;
}

/* Returns the size of a statistic, without buckets that are too many for its item. */
static u32 statistic_size(const struct stp_stat *s, const struct stp_stat_desc *d)
{
	u32 size = buckets_size(s, d);

	return 14 * STP_NUMBER_MAX + (size > BUCKETS_MAX ? 0 : size) +
	       (u32)(label_length(d->label) + label_length(d->unit));
}

/* Writes the buckets that are too many for the item of the statistic, in items BUCKETS before it. Returns their
 * identifier; 0 if there are none. */
static u64 split_statistic(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d)
{
	u32 next = 0, buckets = buckets_of(d);
	u64 id;
	char *at;

	if (buckets_size(s, d) <= BUCKETS_MAX)
		return 0;
	id = stp_split_id(c);
	while (next < buckets) {
		at = stp_item_begin(c, (2 + 2 * PART_MAX) * STP_NUMBER_MAX + 1);
		if (!at)
			return id;
		at = stp_put_number(stp_put_byte(at, STP_ITEM_BUCKETS), id);
		stp_private(c)->out = put_buckets(at, s, buckets, &next, PART_MAX);
	}
	return id;
}

/* ------------------------------------------------------------------ items */

static char *put_head(char *at, struct stp_ctx *c)
{
	const struct stp_ctx_private *v = stp_private(c);

	at = stp_put_byte(at, STP_ITEM_HEAD);
	at = stp_put_number(at, v->event_ns ? v->event_ns : (u64)stp_gettimeofday_ns());
	at = stp_put_number(at, v->event_ns ? v->event_cpu : (u64)stp_cpu(c));
	return stp_put_number(at, stp_probe_number(c->probe));
}

char *stp_item_begin(struct stp_ctx *c, u32 n)
{
	struct stp_ctx_private *v = stp_private(c);

	if (v->out_lost)
		return NULL;
	if (v->out_end - v->out < n + STP_ITEM_HEAD_MAX && !stp_record_extend(v, n + STP_ITEM_HEAD_MAX))
		return NULL;
	if (v->out == v->out_start)
		v->out = put_head(v->out, c);
	return v->out;
}

/* Stores the number of bytes of an open text. */
static void set_text_length(struct stp_ctx_private *v)
{
	u32 len = (u32)(v->out - (v->out_start + v->text));

	plat_memcpy(v->out_start + v->text - sizeof(len), &len, sizeof(len));
}

static bool begin_text(struct stp_ctx_private *v)
{
	char *at = stp_item_begin(&v->c, TEXT_HEAD + 1);

	if (!at)
		return false;
	v->out = stp_put_byte(at, STP_ITEM_TEXT) + sizeof(u32);
	v->text = (u32)(v->out - v->out_start);
	return true;
}

/* Makes *k the sink of a text item; see stp_sink_record(). */
static bool open_text(struct stp_sink *k, struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);

	if (!begin_text(v))
		return false;
	*k = (struct stp_sink){ v->out, v->out_end, v };
	return true;
}

/* Continues the text in the same record, which may move, or in the next one. */
static bool extend_text(struct stp_ctx_private *v, u32 n)
{
	if (v->out == v->out_start + v->text)              /* the item is empty: remove its head, too */
		v->out -= TEXT_HEAD;
	else
		set_text_length(v);
	if (!stp_record_extend(v, n + STP_ITEM_HEAD_MAX + TEXT_HEAD))
		return false;
	if (v->out == v->out_start + v->text - TEXT_HEAD)
		return begin_text(v);
	return v->out != v->out_start || begin_text(v);
}

static void close_text(struct stp_ctx_private *v)
{
	if (v->out)
		set_text_length(v);
}

/* ------------------------------------------------------------------ printing */

/* Returns the maximum number of bytes that the arguments of a format take; 0: it is printed as text. */
static u64 printed_size(const struct stp_format *f, const struct stp_format *end, const union stp_val *arg)
{
	u64 size = 2 * STP_NUMBER_MAX, text = 0;

	if (end - f > FORMAT_PIECES_MAX)
		return 0;
	for (; f < end; f++) {
		text += f->len;
		if (!f->conv)
			continue;
		if (f->conv == 'm' || f->conv == 'M' || f->conv == 'q' || f->conv == 'Q' || f->conv == 'g')
			return 0;
		arg += (f->width == -2) + (f->precision == -2);
		size += 3 * STP_NUMBER_MAX + (f->conv == 'k' ? STACK_MAX : f->conv == 's' ? (u64)stp_strlen(arg->s) : 0);
		arg++;
	}
	return text <= FORMAT_TEXT_MAX && size <= STP_ITEM_MAX ? size : 0;
}

void stp_record_printf(struct stp_ctx *c, const struct stp_format *f, u32 pieces, const union stp_val *arg)
{
	const struct stp_format *end = f + pieces;
	u64 size = stp_module.records->as_text ? 0 : printed_size(f, end, arg);
	struct stp_sink k;
	char *at;

	if (!size) {
		if (stp_sink_record(&k, c)) {
			stp_put_pieces(&k, c, f, end, arg);
			stp_sink_close(&k);
		}
		return;
	}
	at = stp_item_begin(c, (u32)size);
	if (!at)
		return;
	at = stp_put_signed(stp_put_byte(at, STP_ITEM_PRINT), f - stp_module.records->formats->pieces);
	for (; f < end; f++) {
		if (!f->conv)
			continue;
		if (f->width == -2)
			at = stp_put_signed(at, (arg++)->n);
		if (f->precision == -2)
			at = stp_put_signed(at, (arg++)->n);
		if (f->conv == 's')
			at = stp_put_text(at, arg->s, (u64)stp_strlen(arg->s));
		else if (f->conv == 'k')
			at = put_stack(at, c, arg->s, STACK_MAX);
		else
			at = stp_put_signed(at, arg->n);
		arg++;
	}
	stp_private(c)->out = at;
}

void stp_record_hist(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d)
{
	char *at;
	u64 split;

	if (!s || !s->count) {
		stp_error(c, "empty aggregate");
		return;
	}
	if (stp_module.records->as_text) {
		stp_print_hist(c, s, d);
		return;
	}
	if (!stp_charge(c, (u64)d->buckets * (4 * STP_WORK_BUCKET)))
		return;
	split = split_statistic(c, s, d);
	at = stp_item_begin(c, 1 + statistic_size(s, d));
	if (at)
		stp_private(c)->out = put_statistic(stp_put_byte(at, STP_ITEM_HIST), s, d, split);
}

/* ------------------------------------------------------------------ the session's description */

static void describe_format(struct stp_ctx *c, const struct stp_described_format *d)
{
	const struct stp_format *f = d->pieces, *end = f + d->n;
	char *at = printed_size(f, f, NULL) && d->n <= FORMAT_PIECES_MAX ? stp_item_begin(c, STP_ITEM_MAX) : NULL;
	u64 text = 0;

	if (!at)
		return;
	at = stp_put_signed(stp_put_byte(at, STP_ITEM_FORMAT), f - stp_module.records->formats->pieces);
	at = stp_put_number(at, d->n);
	for (; f < end; f++) {
		text += f->len;
		if (text > FORMAT_TEXT_MAX)
			return;
		at = stp_put_byte(stp_put_byte(at, f->conv == 'k' ? 's' : (u8)f->conv), f->flags);
		at = stp_put_signed(stp_put_signed(at, f->width), f->precision);
		at = stp_put_text(at, f->text, f->len);
	}
	stp_private(c)->out = at;
}

/* Returns the length of a text, truncated so that three of them fit into an item. */
static u64 short_length(const char *text)
{
	u64 len = (u64)stp_strlen(text), most = STP_ITEM_MAX / 4;

	return len < most ? len : most;
}

static void describe_probe(struct stp_ctx *c, u32 i)
{
	const struct stp_probe *p = &stp_module.probes[i];
	char *at = stp_item_begin(c, STP_ITEM_MAX);

	if (!at)
		return;
	at = stp_put_number(stp_put_byte(at, STP_ITEM_PROBE), i + 1);
	at = stp_put_text(at, p->point, short_length(p->point));
	at = stp_put_text(at, p->written, short_length(p->written));
	stp_private(c)->out = stp_put_text(at, p->where, short_length(p->where));
}

/* Returns the type of key k, or of the value after the last key. */
static u8 part_type(const struct stp_described_global *g, u32 k)
{
	const struct stp_map *m = g->at;

	return g->lists >> k & 1 ? STP_LIST_TYPE : k == m->nkeys ? m->value : m->keys[k];
}

static void describe_global(struct stp_ctx *c, u32 i)
{
	const struct stp_described_global *g = &stp_module.records->globals[i];
	const struct stp_map *m = g->kind == STP_TAKE_MAP ? g->at : NULL;
	char *at = stp_item_begin(c, STP_ITEM_MAX);
	u32 k;

	if (!at)
		return;
	at = stp_put_number(stp_put_byte(at, STP_ITEM_GLOBAL), i);
	at = stp_put_text(at, g->name, short_length(g->name));
	at = stp_put_text(at, g->label ? g->label : "", label_length(g->label));
	at = stp_put_byte(at, m ? part_type(g, m->nkeys) : g->kind == STP_TAKE_STAT ? STP_STATS :
		      g->kind == STP_TAKE_STRING ? STP_STRING : STP_LONG);
	at = stp_put_number(at, m ? m->nkeys : 0);
	for (k = 0; m && k < m->nkeys; k++)
		at = stp_put_byte(at, part_type(g, k));
	stp_private(c)->out = at;
}

/* index: number of the option */
static void describe_text(struct stp_ctx *c, enum stp_item kind, u32 index, const char *at)
{
	u64 left = at ? (u64)stp_strlen(at) : 0, len;
	char *to;

	for (; left; left -= len, at += len) {
		len = left < STP_ITEM_MAX / 2 ? left : STP_ITEM_MAX / 2;
		to = stp_item_begin(c, (u32)len + 3 * STP_NUMBER_MAX);
		if (!to)
			return;
		to = stp_put_byte(to, kind);
		if (kind == STP_ITEM_OPTION)
			to = stp_put_number(to, index);
		stp_private(c)->out = stp_put_text(to, at, len);
	}
}

static void describe_globals(struct stp_ctx *c)
{
	u32 i;

	for (i = 0; i < stp_module.records->nglobals; i++)
		describe_global(c, i);
}

static void describe(struct stp_ctx *c)
{
	char *at = stp_item_begin(c, 8 * STP_NUMBER_MAX);
	u32 i;

	if (at) {
		at = stp_put_number(stp_put_byte(at, STP_ITEM_SESSION), (u64)stp_gettimeofday_ns());
		at = stp_put_number(at, stp_module.limits.string_len);
		at = stp_put_signed(at, stp_module.limits.hist_elision);
		at = stp_put_number(at, stp_module.limits.hist_width);
		stp_private(c)->out = stp_put_signed(at, stp_target(c));
	}
	describe_text(c, STP_ITEM_SCRIPT, 0, stp_module.records->script);
	for (i = 0; i < stp_module.records->noptions; i++)
		describe_text(c, STP_ITEM_OPTION, i, stp_module.records->options[i]);
	for (i = 0; i < stp_module.records->nformats; i++)
		describe_format(c, &stp_module.records->formats[i]);
	for (i = 0; i < stp_module.nprobes; i++)
		describe_probe(c, i);
	describe_globals(c);
}

/* ------------------------------------------------------------------ the globals' values */

static bool value_fits(u64 size)
{
	return size + 2 * STP_NUMBER_MAX <= STP_ITEM_MAX;
}

/* Begins the item of a value. A value that does not fit into an item is counted as lost. */
static char *begin_value(struct stp_ctx *c, u32 i, u64 size)
{
	char *at;

	if (!value_fits(size)) {
		stp_cut(STP_LOSS_UNRECORDED, "the value of a global is too long for a record");
		return NULL;
	}
	at = stp_item_begin(c, (u32)(size + 2 * STP_NUMBER_MAX));
	return at ? stp_put_number(stp_put_byte(at, STP_ITEM_VALUE), i) : NULL;
}

static u64 cell_size(u8 type, const void *cell, const struct stp_stat_desc *d)
{
	return type == STP_STATS ? statistic_size(cell, d) : STP_NUMBER_MAX + (type == STP_STRING ? (u64)stp_strlen(cell) : 0);
}

/* split: of split_statistic(), for statistics */
static char *put_cell(char *at, u8 type, const void *cell, const struct stp_stat_desc *d, u64 split)
{
	if (type == STP_STATS)
		return put_statistic(at, cell, d, split);
	return type == STP_STRING ? stp_put_text(at, cell, (u64)stp_strlen(cell)) : stp_put_signed(at, *(const s64 *)cell);
}

static const char *stack_at(const struct stp_map *m, const struct stp_elem *e, u32 k)
{
	return k == m->nkeys ? stp_elem_value(m, e) : stp_elem_string(m, e, k);
}

/* Returns the bytes of key k, or of the value after the last key; of a stack without the names of its frames. */
static u64 part_size(const struct stp_described_global *g, const struct stp_elem *e, u32 k)
{
	const struct stp_map *m = g->at;

	if (g->stacks >> k & 1)
		return 2 * STP_NUMBER_MAX + (g->lists >> k & 1 ? list_size(stack_at(m, e, k)) : 0);
	if (k == m->nkeys)
		return cell_size(m->value, stp_elem_value(m, e), &m->stat);
	return STP_NUMBER_MAX + (m->keys[k] == STP_STRING ? (u64)stp_strlen(stp_elem_string(m, e, k)) : 0);
}

/* Puts key k, or the value after the last key; `names`: bytes for the names of a stack. split: of split_statistic() */
static char *put_part(char *at, struct stp_ctx *c, const struct stp_described_global *g, const struct stp_elem *e,
		      u32 k, u32 names, u64 split)
{
	const struct stp_map *m = g->at;

	if (g->stacks >> k & 1)
		return (g->lists >> k & 1 ? put_list : put_stack)(at, c, stack_at(m, e, k), names);
	if (k == m->nkeys)
		return put_cell(at, m->value, stp_elem_value(m, e), &m->stat, split);
	if (m->keys[k] == STP_STRING)
		return put_cell(at, STP_STRING, stp_elem_string(m, e, k), NULL, 0);
	return stp_put_signed(at, stp_elem_long(m, e, k));
}

/* Returns the bytes for the names of each of n stacks, which share the space that other parts of an item leave. */
static u32 names_size(u64 others, u32 n)
{
	u64 left = STP_ITEM_MAX - 2 * STP_NUMBER_MAX;

	if (!n || others + n >= left)
		return 1;
	left = (left - others) / n;
	return left < STACK_MAX ? (u32)left : STACK_MAX;
}

static void put_element(struct stp_ctx *c, u32 i, const struct stp_map *m, const struct stp_elem *e)
{
	const struct stp_described_global *g = &stp_module.records->globals[i];
	u32 k, n = 0, names;
	u64 size = 0, split = 0;
	char *at;

	for (k = 0; k <= m->nkeys; k++) {
		size += part_size(g, e, k);
		n += g->stacks >> k & 1;
	}
	names = names_size(size, n);
	if (m->value == STP_STATS && value_fits(size + (u64)n * names))
		split = split_statistic(c, stp_elem_value(m, e), &m->stat);
	at = begin_value(c, i, size + (u64)n * names);
	if (!at)
		return;
	for (k = 0; k <= m->nkeys; k++)
		at = put_part(at, c, g, e, k, names, split);
	stp_private(c)->out = at;
}

static void put_map(struct stp_ctx *c, u32 i, struct stp_map *m)
{
	const struct stp_table *t = &m->data->main;
	const struct stp_elem *e;

	stp_map_merge(c, m);
	for (e = stp_elem_or_null(t, t->first); e; e = stp_elem_or_null(t, e->next))
		put_element(c, i, m, e);
}

static void put_global(struct stp_ctx *c, u32 i)
{
	const struct stp_described_global *g = &stp_module.records->globals[i];
	struct stp_scalar_stat *stat = g->at;
	const void *cell = g->at;
	u8 type = STP_LONG;
	s64 number;
	u64 split = 0;
	char *at;

	if (g->kind == STP_TAKE_MAP) {
		put_map(c, i, g->at);
		return;
	}
	if (g->kind == STP_TAKE_STAT) {
		cell = stp_scalar_merge(c, stat);
		type = STP_STATS;
		split = split_statistic(c, cell, &stat->desc);
	} else if (g->kind == STP_TAKE_STRING) {
		type = STP_STRING;
	} else if (g->adder) {
		number = stp_adder_read(c, g->offset, *(const s64 *)g->at);
		cell = &number;
	}
	at = begin_value(c, i, cell_size(type, cell, type == STP_STATS ? &stat->desc : NULL));
	if (at)
		stp_private(c)->out = put_cell(at, type, cell, type == STP_STATS ? &stat->desc : NULL,
						 split);
}

/* No other handler runs any longer, so no locks are needed. */
static void put_globals(struct stp_ctx *c)
{
	u32 i;

	for (i = 0; i < stp_module.records->nglobals; i++)
		put_global(c, i);
}

static void put_cost(struct stp_ctx *c, u32 probe, u64 hits, u64 min_ns, u64 sum_ns, u64 max_ns)
{
	char *at = stp_item_begin(c, 5 * STP_NUMBER_MAX + 1);

	if (!at)
		return;
	at = stp_put_number(stp_put_byte(at, STP_ITEM_COST), probe + 1);
	at = stp_put_number(stp_put_number(at, hits), min_ns);
	stp_private(c)->out = stp_put_number(stp_put_number(at, sum_ns), max_ns);
}

const struct stp_record_ops stp_record_ops = {
	.open_text = open_text,
	.extend_text = extend_text,
	.close_text = close_text,
	.cost = put_cost,
	.describe = { .handler = describe, .point = "begin", .written = "begin", .where = "generated code" },
	.values = { .handler = put_globals, .point = "end", .written = "end", .where = "generated code" },
};

/* With --merge, on a host: globals that the host sends, in the items of merge.c, and text. */
const struct stp_record_ops stp_merge_ops = {
	.open_text = open_text,
	.extend_text = extend_text,
	.close_text = close_text,
	.describe = { .handler = describe_globals, .point = "begin", .written = "begin", .where = "generated code" },
};
