// SPDX-License-Identifier: GPL-2.0-or-later
// A profile of pprof: profile.proto, compressed by gzip. Each global whose elements have call stacks is a sample
// type; statistics are two, NAME.count and NAME.sum. Since each sample has a value for each type, samples are
// collected in a temporary file until all types are known; the rest is written as it appears. Losses are a sample
// type, too, with the reasons as stacks.
#include "intern.h"
#include "json_text.h"
#include "stack.h"
#include "writers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Fields of profile.proto.
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING,
       PROFILE_TIME = 9 };
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

struct bytes { unsigned char *at; size_t n, size; };

struct pprof {
	FILE *out, *samples;
	z_stream z;
	int rc;                            // -errno of the first error
	uint64_t start_ns;
	struct intern strings, mappings, functions, locations, types;
	struct frame_numbers numbers;      // numbers of locations
	struct bytes type_names;           // numbers of strings, one for each type
	struct bytes stack;                // numbers of locations, the outermost one first
	struct bytes labels;
};

struct sample {                            // record in the temporary file, followed by its locations and labels
	uint64_t type, values[2];
	unsigned nvalues;
	size_t locations, labels;          // their sizes in bytes
};

// --- encoding ---

static void append(struct bytes *b, const void *from, size_t n)
{
	if (b->n + n > b->size) {
		b->size = 2 * (b->n + n);
		b->at = realloc(b->at, b->size);
		if (!b->at)
			abort();
	}
	if (n)
		memcpy(b->at + b->n, from, n);
	b->n += n;
}

static void put_varint(struct bytes *b, uint64_t n)
{
	unsigned char to[10], *at = to;

	for (; n > 127; n >>= 7)
		*at++ = n | 128;
	*at++ = n;
	append(b, to, at - to);
}

static void put_number(struct bytes *b, unsigned field, uint64_t n)
{
	put_varint(b, field << 3);
	put_varint(b, n);
}

static void put_bytes(struct bytes *b, unsigned field, const void *from, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	append(b, from, n);
}

// --- output ---

static void compress_part(struct pprof *o, const void *from, size_t n, int flush)
{
	unsigned char to[16384];

	o->z.next_in = (void *)from;
	o->z.avail_in = n;
	do {
		o->z.next_out = to;
		o->z.avail_out = sizeof(to);
		deflate(&o->z, flush);
		if (fwrite(to, 1, sizeof(to) - o->z.avail_out, o->out) != sizeof(to) - o->z.avail_out && !o->rc)
			o->rc = -errno;
	} while (!o->z.avail_out);
}

// Writes a field of the profile and releases the message.
static void put_message(struct pprof *o, unsigned field, struct bytes *message)
{
	struct bytes b = { NULL };

	put_bytes(&b, field, message->at, message->n);
	compress_part(o, b.at, b.n, Z_NO_FLUSH);
	free(b.at);
	free(message->at);
}

// Strings of a protobuf are UTF-8: readers refuse others.
static uint64_t string(struct pprof *o, struct text t)
{
	struct bytes copy = { NULL };
	struct text readable;
	bool added, valid;
	uint64_t number = intern(&o->strings, t.at, t.len, &added);

	if (added) {
		readable = utf8_copy(t, &valid);
		append(&copy, readable.at, readable.len);
		free((char *)readable.at);
		put_message(o, PROFILE_STRING, &copy);
	}
	return number;
}

static uint64_t name(struct pprof *o, const char *s)
{
	return string(o, (struct text){ s, strlen(s) });
}

// Returns the number of the mapping of a frame's module. Numbers of messages begin at 1; 0 means that it is unknown.
static uint64_t mapping(struct pprof *o, const struct frame *f)
{
	struct bytes m = { NULL };
	uint64_t key[2], id;
	bool added;

	if (!f->module.len)
		return 0;
	key[0] = string(o, f->module);
	key[1] = f->build_id.len ? string(o, f->build_id) : 0;
	id = intern(&o->mappings, key, sizeof(key), &added) + 1;
	if (added) {
		put_number(&m, MAPPING_ID, id);
		put_number(&m, MAPPING_FILE, key[0]);
		if (key[1])
			put_number(&m, MAPPING_BUILD_ID, key[1]);
		put_number(&m, MAPPING_HAS_FUNCTIONS, 1);
		put_message(o, PROFILE_MAPPING, &m);
	}
	return id;
}

static uint64_t function(struct pprof *o, const struct frame *f)
{
	struct text file = f->source.len ? f->source : f->module;
	uint64_t key[2] = { string(o, f->name), string(o, file) }, id;
	struct bytes m = { NULL };
	bool added;

	id = intern(&o->functions, key, sizeof(key), &added) + 1;
	if (added) {
		put_number(&m, FUNCTION_ID, id);
		put_number(&m, FUNCTION_NAME, key[0]);
		put_number(&m, FUNCTION_SYSTEM_NAME, key[0]);
		put_number(&m, FUNCTION_FILE, key[1]);
		put_message(o, PROFILE_FUNCTION, &m);
	}
	return id;
}

static uint64_t location(struct pprof *o, const struct frame *f)
{
	uint64_t key[4] = { function(o, f), mapping(o, f), f->address, f->line }, id;
	struct bytes m = { NULL }, line = { NULL };
	bool added;

	id = intern(&o->locations, key, sizeof(key), &added) + 1;
	if (!added)
		return id;
	put_number(&line, LINE_FUNCTION, key[0]);
	if (f->line)
		put_number(&line, LINE_LINE, f->line);
	put_number(&m, LOCATION_ID, id);
	put_number(&m, LOCATION_MAPPING, key[1]);
	put_number(&m, LOCATION_ADDRESS, key[2]);
	put_bytes(&m, LOCATION_LINE, line.at, line.n);
	free(line.at);
	put_message(o, PROFILE_LOCATION, &m);
	return id;
}

// --- samples ---

// Keys besides the stack are labels, key1 and so on by their positions.
static void add_frame(void *to, const struct frame *f)
{
	struct pprof *o = to;
	struct bytes label = { NULL };
	uint64_t id;
	char key[16];

	if (!f->key) {
		if (!frame_find_number(&o->numbers, f, &id)) {
			id = location(o, f);
			frame_add_number(&o->numbers, f, id);
		}
		append(&o->stack, &id, sizeof(id));
		return;
	}
	snprintf(key, sizeof(key), "key%u", f->key);
	put_number(&label, LABEL_KEY, name(o, key));
	put_number(&label, LABEL_TEXT, string(o, f->name));
	put_bytes(&o->labels, SAMPLE_LABEL, label.at, label.n);
	free(label.at);
}

// Returns the number of a sample type; a new one is listed in type_names.
static uint64_t sample_type(struct pprof *o, const char *global, const char *part)
{
	char text[256];
	uint64_t named, number;
	bool added;

	snprintf(text, sizeof(text), "%s%s", global, part);
	number = intern(&o->types, text, strlen(text), &added);
	if (added) {
		named = name(o, text);
		append(&o->type_names, &named, sizeof(named));
	}
	return number;
}

// Writes a sample with the frames that were added.
static int write_sample(struct pprof *o, struct sample *sample)
{
	sample->locations = o->stack.n;
	sample->labels = o->labels.n;
	fwrite(sample, sizeof(*sample), 1, o->samples);
	if (sample->locations)                          // without frames o->stack.at is NULL
		fwrite(o->stack.at, 1, sample->locations, o->samples);
	if (sample->labels)
		fwrite(o->labels.at, 1, sample->labels, o->samples);
	return o->rc ? o->rc : ferror(o->samples) ? -errno : 0;
}

static int loss(struct pprof *o, const struct event *e)
{
	struct sample sample = { .type = sample_type(o, "lost", ""), .values = { e->count }, .nvalues = 1 };

	o->stack.n = o->labels.n = 0;
	add_frame(o, &(struct frame){ .name = { "[lost]", 6 }, .module = { "", 0 }, .source = { "", 0 } });
	add_frame(o, &(struct frame){ .name = e->text, .module = { "", 0 }, .source = { "", 0 } });
	return write_sample(o, &sample);
}

static int element(struct pprof *o, const struct session *s, const struct event *e)
{
	struct sample sample = { 0 };

	o->stack.n = o->labels.n = 0;
	stack_frames(s, e, add_frame, o);
	if (e->value->type == CELL_STATISTIC) {
		sample.type = sample_type(o, e->global->name, ".count");
		sample_type(o, e->global->name, ".sum");
		sample.values[sample.nvalues++] = e->value->statistic->count;
	} else {
		sample.type = sample_type(o, e->global->name, "");
	}
	sample.values[sample.nvalues++] = stack_value(e);
	return write_sample(o, &sample);
}

static void read_bytes(struct pprof *o, struct bytes *to, size_t n)
{
	char part[4096];

	for (to->n = 0; n; ) {
		size_t got = fread(part, 1, n < sizeof(part) ? n : sizeof(part), o->samples);

		if (!got) {
			o->rc = -EIO;
			return;
		}
		append(to, part, got);
		n -= got;
	}
}

static void put_sample(struct pprof *o, const struct sample *s)
{
	struct bytes m = { NULL };
	uint64_t id, types = o->type_names.n / sizeof(uint64_t);

	read_bytes(o, &o->stack, s->locations);
	read_bytes(o, &o->labels, s->labels);
	for (size_t i = o->stack.n / sizeof(id); i--; ) {  // the innermost one is the first one here
		memcpy(&id, o->stack.at + i * sizeof(id), sizeof(id));
		put_number(&m, SAMPLE_LOCATION, id);
	}
	for (uint64_t i = 0; i < types; i++)
		put_number(&m, SAMPLE_VALUE, i >= s->type && i - s->type < s->nvalues ? s->values[i - s->type] : 0);
	append(&m, o->labels.at, o->labels.n);
	put_message(o, PROFILE_SAMPLE, &m);
}

// --- the writer ---

static int begin(struct output *out)
{
	struct pprof *o = out->state = calloc(1, sizeof(*o));

	if (!o)
		abort();
	o->out = out->file;
	o->samples = tmpfile();
	if (!o->samples)
		return -errno;
	if (deflateInit2(&o->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	name(o, "");                               // string 0
	return 0;
}

static int event(struct output *out, const struct session *s, const struct event *e)
{
	struct pprof *o = out->state;
	int rc;

	if (!o) {
		rc = begin(out);
		if (rc)
			return rc;
		o = out->state;
		o->start_ns = s->start_ns;
	}
	return e->kind == EVENT_LOSS ? loss(o, e) : stack_is_key(e) ? element(o, s, e) : 0;
}

static void put_types(struct pprof *o)
{
	uint64_t unit = name(o, "count"), type;

	for (size_t i = 0; i < o->type_names.n; i += sizeof(type)) {
		struct bytes m = { NULL };

		memcpy(&type, o->type_names.at + i, sizeof(type));
		put_number(&m, TYPE_NAME, type);
		put_number(&m, TYPE_UNIT, unit);
		put_message(o, PROFILE_SAMPLE_TYPE, &m);
	}
}

static void release(struct pprof *o)
{
	deflateEnd(&o->z);
	intern_free(&o->strings);
	intern_free(&o->mappings);
	intern_free(&o->functions);
	intern_free(&o->locations);
	intern_free(&o->types);
	free(o->type_names.at);
	free(o->stack.at);
	free(o->labels.at);
	fclose(o->samples);
	free(o);
}

static int finish(struct output *out)
{
	struct pprof *o = out->state;
	struct bytes time = { NULL };
	struct sample s;
	int rc;

	if (!o)
		return 0;
	put_types(o);
	rewind(o->samples);
	while (!o->rc && fread(&s, sizeof(s), 1, o->samples) == 1)
		put_sample(o, &s);
	put_number(&time, PROFILE_TIME, o->start_ns);
	compress_part(o, time.at, time.n, Z_FINISH);
	free(time.at);
	rc = o->rc;
	release(o);
	out->state = NULL;
	return rc;
}

const struct writer pprof_writer = { "pprof", "the same arrays, for \"go tool pprof\"", event, finish };
