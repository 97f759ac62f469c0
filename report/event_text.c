// SPDX-License-Identifier: GPL-2.0-or-later
// Makes text of records with the runtime's own code for formats and histograms (core/format.c, core/hist.c), so
// that it is the text that the module would have printed. The functions that these require of a platform are
// defined here: nothing is charged, and no memory is read, since conversions that read memory are recorded as text.
#include "../runtime/core/internal.h"      // first: it defines bool

#include "event_text.h"
#include "records.h"

#include <string.h>

struct stp_module module __asm__("stp_module");     // its limits are those of the session
static struct stp_ctx_private context;
static char printed[1 << 20];
// Terminated copies of the strings of an event, which fit into a frame, with space for a word after the last one.
static char strings[STP_FRAME_MAX + FORMAT_PIECES + 8];

bool stp_charge_more(struct stp_ctx *c) { return true; }
bool stp_catch(struct stp_ctx *c, char *to, u32 size) { return false; }
void stp_cut(enum stp_loss reason, const char *what) {}
void stp_lose(enum stp_loss reason, u64 n) {}
void stp_error(struct stp_ctx *c, const char *fmt, ...) {}
u64 stp_load1(struct stp_ctx *c, u64 address) { return 0; }
u64 stp_load2(struct stp_ctx *c, u64 address) { return 0; }
u64 stp_load4(struct stp_ctx *c, u64 address) { return 0; }
u64 stp_uload1(struct stp_ctx *c, u64 address) { return 0; }
u64 stp_uload2(struct stp_ctx *c, u64 address) { return 0; }
u64 stp_uload4(struct stp_ctx *c, u64 address) { return 0; }
void plat_message(u32 type, const char *text) {}
// never called, since call stacks in records already are text
const char *plat_stack_line(struct stp_ctx *c, const char *stack, u32 *at, u64 *address) { return NULL; }
bool plat_stack_address(const char *stack, u32 *at, u64 *address) { return false; }
bool plat_record_space(struct stp_ctx_private *v, u32 want) { return false; }

void event_text_suit_terminal(unsigned style)
{
	module.limits.hist_terminal = style;
}

void event_text_add_percentiles(void)
{
	module.limits.hist_percentiles = 1;
}

static void set_limits(const struct session *s)
{
	module.limits.string_len = s->string_len;
	module.limits.hist_elision = s->hist_elision;
	module.limits.hist_width = s->hist_width;
}

static struct text print(const struct event *e)
{
	struct stp_format pieces[FORMAT_PIECES];
	union stp_val args[3 * FORMAT_PIECES];
	struct stp_sink sink;
	char *at = strings;

	for (unsigned i = 0; i < e->format->n; i++) {
		const struct piece *p = &e->format->pieces[i];

		pieces[i] = (struct stp_format){ .conv = p->conv, .flags = p->flags, .width = p->width,
						 .precision = p->precision, .text = p->text.at, .len = p->text.len };
	}
	for (unsigned i = 0; i < e->ncells; i++) {
		const struct text *t = &e->cells[i].text;

		if (e->cells[i].type != CELL_TEXT) {
			args[i].n = e->cells[i].number;
			continue;
		}
		args[i].s = at;
		at = text_copy(at, *t);
		*at++ = '\0';
	}
	memset(at, 0, 8);                          // stp_strlen() reads words
	sink = stp_sink_buffer(printed, sizeof(printed));
	stp_put_pieces(&sink, &context.c, pieces, pieces + e->format->n, args);
	return (struct text){ printed, sink.at - printed };
}

enum { LOG_BUCKETS = 128 };

enum { LABEL_SIZE = 256 };

// Returns a copy that the runtime's functions for strings can read, or NULL if the text is empty.
static const char *terminated(char to[LABEL_SIZE], struct text t)
{
	size_t len = t.len < LABEL_SIZE - 9 ? t.len : LABEL_SIZE - 9;

	memset(text_copy(to, (struct text){ t.at, len }), 0, LABEL_SIZE - len);
	return len ? to : NULL;
}

static struct text histogram(const struct statistic *s)
{
	static union { struct stp_stat stat; char bytes[sizeof(struct stp_stat) + CELL_BUCKETS * 8]; } of;
	static char label[LABEL_SIZE], unit[LABEL_SIZE];
	struct stp_sink sink;
	struct stp_stat_desc d = { .ops = s->ops, .buckets = s->buckets, .low = s->low, .high = s->high, .step = s->step,
				   .label = terminated(label, s->label), .unit = terminated(unit, s->unit) };

	bool linear = s->ops & STP_HIST_LINEAR, log = s->ops & STP_HIST_LOG;

	if (linear == log || (linear ? s->buckets < 2 : s->buckets != LOG_BUCKETS))
		return (struct text){ "", 0 };     // the stream is damaged
	of.stat.count = s->count;
	of.stat.sum = s->sum;
	of.stat.min = s->min;
	of.stat.max = s->max;
	memcpy(of.stat.hist, s->hist, s->buckets * sizeof(s->hist[0]));
	sink = stp_sink_buffer(printed, sizeof(printed));
	stp_put_hist(&context.c, &sink, &of.stat, &d, module.limits.hist_terminal);
	stp_sink_close(&sink);
	return (struct text){ printed, strlen(printed) };
}

bool is_display(const struct event *e)
{
	return (e->kind == EVENT_PRINT || e->kind == EVENT_HIST || e->kind == EVENT_TEXT) && e->probe &&
	       !strcmp(e->probe->where, "generated code");
}

struct text event_text(const struct session *s, const struct event *e)
{
	set_limits(s);
	if (e->kind == EVENT_PRINT)
		return print(e);
	return e->kind == EVENT_HIST ? histogram(e->value->statistic) : e->text;
}

bool statistic_has_min(const struct statistic *s)
{
	return s->count && s->ops & STP_MIN;
}

bool statistic_has_max(const struct statistic *s)
{
	return s->count && s->ops & STP_MAX;
}

int64_t statistic_average(const struct statistic *s)
{
	return s->count ? s->sum / s->count : 0;
}

// Bucket 64 of a logarithmic histogram is 0, 65 is 1, 66 is 2 to 3; 63 is -1, 62 is -2 to -3.
static void log_limits(unsigned bucket, int64_t *low, int64_t *high)
{
	unsigned size = bucket > 64 ? bucket - 65 : 63 - bucket;   // the power of two
	uint64_t least = size < 64 ? 1ull << size : 0, most = least * 2 - 1;

	*low = *high = 0;
	if (bucket > 64) {
		*low = least;
		*high = size < 63 ? (int64_t)most : INT64_MAX;
	} else if (bucket < 64) {
		*high = -least;
		*low = size < 63 ? -(int64_t)most : INT64_MIN;
	}
}

// Wraps around in damaged streams.
static int64_t linear_low(const struct statistic *s, unsigned bucket)
{
	return (uint64_t)s->low + (bucket - 1ull) * (uint64_t)s->step;
}

void bucket_limits(const struct statistic *s, unsigned bucket, int64_t *low, int64_t *high)
{
	if (!(s->ops & STP_HIST_LINEAR)) {
		log_limits(bucket, low, high);
	} else if (!bucket) {
		*low = INT64_MIN;
		*high = (uint64_t)linear_low(s, 1) - 1;
	} else if (bucket == s->buckets - 1) {
		*low = linear_low(s, bucket);
		*high = INT64_MAX;
	} else {
		*low = linear_low(s, bucket);
		*high = (uint64_t)linear_low(s, bucket + 1) - 1;
	}
}

void statistic_for_picture(struct statistic *to, const struct statistic *s)
{
	unsigned each = s->buckets > PICTURE_BUCKETS ? (s->buckets - 2 + PICTURE_BUCKETS - 3) / (PICTURE_BUCKETS - 2) : 1;
	unsigned last = s->buckets - 1;

	memcpy(to, s, statistic_bytes(s));
	if (each == 1)
		return;
	to->step = (int64_t)((uint64_t)s->step * each);
	to->buckets = (s->buckets - 2 + each - 1) / each + 2;
	memset(to->hist, 0, to->buckets * sizeof(to->hist[0]));
	to->hist[0] = s->hist[0];
	to->hist[to->buckets - 1] = s->hist[last];
	for (unsigned i = 1; i < last; i++)
		to->hist[(i - 1) / each + 1] += s->hist[i];
}

void each_argument(const struct event *e, argument_handler *handler, void *to)
{
	const struct cell *c = e->cells;

	for (const struct piece *p = e->format->pieces; p < e->format->pieces + e->format->n; p++) {
		if (!p->conv)
			continue;
		c += (p->width == -2) + (p->precision == -2);
		handler(to, p->name, c++);
	}
}
