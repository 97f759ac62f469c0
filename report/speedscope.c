// SPDX-License-Identifier: GPL-2.0-or-later
// The file format of speedscope.app: a sampled profile for each global whose elements have call stacks. Frames and
// weights follow the samples in the file: they are collected in temporary files, so that memory does not grow with
// the elements. Losses are a profile, too, with the reasons as stacks.
#include "intern.h"
#include "json_text.h"
#include "stack.h"
#include "writers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct speedscope {
	FILE *frames, *weights;
	struct intern numbers;             // number of each frame that was written
	struct frame_numbers frame_numbers;
	const struct global *global;       // global of the profile that is being written, or NULL
	uint64_t sum;                      // sum of its weights
	uint64_t negative;                 // number of elements with a negative value, which are omitted
	bool first_sample, profiles;
	FILE *out;
};

static void put_name(FILE *to, const char *name)
{
	put_json_string(to, (struct text){ name, strlen(name) });
}

static struct speedscope *start(struct output *out)
{
	struct speedscope *o = calloc(1, sizeof(*o));

	if (!o)
		abort();
	o->out = out->file;
	o->frames = tmpfile();
	o->weights = tmpfile();
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"quicktap\",\"profiles\":[",
	      out->file);
	return o;
}

// Appends a temporary file to `to`, and empties it.
static int append(FILE *to, FILE *from)
{
	char part[4096];
	size_t n;

	if (fflush(from))
		return -errno;
	rewind(from);
	while ((n = fread(part, 1, sizeof(part), from)))
		fwrite(part, 1, n, to);
	rewind(from);
	return ferror(from) || ftruncate(fileno(from), 0) ? -EIO : 0;
}

static int end_profile(struct speedscope *o)
{
	int rc;

	if (!o->global)
		return 0;
	fputs("],\"weights\":[", o->out);
	rc = append(o->out, o->weights);
	fprintf(o->out, "],\"startValue\":0,\"endValue\":%" PRIu64 "}", o->sum);
	o->global = NULL;
	return rc;
}

static void begin_profile(struct speedscope *o, const struct global *g)
{
	fprintf(o->out, "%s\n{\"type\":\"sampled\",\"unit\":\"none\",\"name\":", o->profiles ? "," : "");
	put_name(o->out, g->name);
	fputs(",\"samples\":[", o->out);
	o->global = g;
	o->profiles = o->first_sample = true;
	o->sum = 0;
}

struct sample { struct speedscope *o; bool next; };

// Returns the number of a frame; a new one is described in the list of frames.
static uint64_t number_of(struct speedscope *o, const struct frame *f)
{
	struct text file = f->source.len ? f->source : f->module;
	size_t len = f->name.len + file.len + 1;
	char *key = malloc(len);
	uint64_t number;
	bool added;

	if (!key)
		abort();
	*text_copy(key, file) = '\0';
	text_copy(key + file.len + 1, f->name);
	number = intern(&o->numbers, key, len, &added);
	free(key);
	if (!added)
		return number;
	fprintf(o->frames, "%s{\"name\":", number ? ",\n" : "");
	put_json_string(o->frames, f->name);
	if (file.len) {
		fputs(",\"file\":", o->frames);
		put_json_string(o->frames, file);
	}
	putc('}', o->frames);
	return number;
}

static void put_frame(void *to, const struct frame *f)
{
	struct sample *sample = to;
	struct speedscope *o = sample->o;
	uint64_t number;

	if (!frame_find_number(&o->frame_numbers, f, &number)) {
		number = number_of(o, f);
		frame_add_number(&o->frame_numbers, f, number);
	}
	fprintf(o->out, "%s%" PRIu64, sample->next ? "," : "", number);
	sample->next = true;
}

static void put_stack(struct speedscope *o, const struct session *s, const struct event *e)
{
	struct sample sample = { o };

	if (e->kind == EVENT_LOSS) {
		put_frame(&sample, &(struct frame){ .name = { "[lost]", 6 }, .module = { "", 0 }, .source = { "", 0 } });
		put_frame(&sample, &(struct frame){ .name = e->text, .module = { "", 0 }, .source = { "", 0 } });
	} else {
		stack_frames(s, e, put_frame, &sample);
	}
}

static int add(struct speedscope *o, const struct global *global, const struct session *s, const struct event *e,
	       int64_t weight)
{
	int rc = 0;

	if (o->global != global) {
		rc = end_profile(o);
		begin_profile(o, global);
	}
	fputs(o->first_sample ? "[" : ",[", o->out);
	put_stack(o, s, e);
	putc(']', o->out);
	fprintf(o->weights, "%s%" PRId64, o->first_sample ? "" : ",", weight);
	o->first_sample = false;
	o->sum = o->sum + weight > INT64_MAX ? INT64_MAX : o->sum + weight;
	return rc ? rc : ferror(o->out) || ferror(o->weights) || ferror(o->frames) ? -errno : 0;
}

static int element(struct speedscope *o, const struct session *s, const struct event *e)
{
	int64_t weight = stack_value(e);

	o->negative += weight < 0;                 // the format has none
	return weight > 0 ? add(o, e->global, s, e, weight) : 0;
}

static int loss(struct speedscope *o, const struct session *s, const struct event *e)
{
	static const struct global lost = { .name = "lost" };

	return add(o, &lost, s, e, e->count > INT64_MAX ? INT64_MAX : (int64_t)e->count);
}

static int event(struct output *out, const struct session *s, const struct event *e)
{
	struct speedscope *o = out->state;

	if (!o)
		o = out->state = start(out);
	if (!o->frames || !o->weights)
		return -EIO;
	if (e->kind == EVENT_BEGIN)
		return end_profile(o);             // the profile belongs to the previous session
	return e->kind == EVENT_LOSS ? loss(o, s, e) : stack_is_key(e) ? element(o, s, e) : 0;
}

static int finish(struct output *out)
{
	struct speedscope *o = out->state;
	int rc, rc_frames;

	if (!o)
		return 0;
	rc = end_profile(o);
	fputs("],\n\"shared\":{\"frames\":[\n", out->file);
	rc_frames = append(out->file, o->frames);
	fputs("]}}\n", out->file);
	if (o->negative)
		fprintf(stderr, "WARNING: %s: %" PRIu64 " elements with negative values are left out\n", out->path, o->negative);
	fclose(o->frames);
	fclose(o->weights);
	intern_free(&o->numbers);
	free(o);
	out->state = NULL;
	return rc ? rc : rc_frames;
}

const struct writer speedscope_writer = {
	"speedscope", "arrays whose keys are call stacks, for speedscope.app", event, finish
};
