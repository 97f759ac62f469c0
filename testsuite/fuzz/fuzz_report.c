// SPDX-License-Identifier: GPL-2.0-or-later
// Recorded sessions: any bytes are read to their end or rejected, and each writer accepts each event.
#include "../../report/stream.h"
#include "../../report/writers.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct writer *const writers[] = { &text_writer, &json_writer, &csv_writer, &folded_writer,
						&speedscope_writer, &pprof_writer, &chrome_writer, &svg_writer, &html_writer };
enum { WRITERS = sizeof(writers) / sizeof(writers[0]) };
static struct output out[WRITERS];

static int handle(void *to, const struct session *s, const struct event *e)
{
	for (size_t i = 0; i < WRITERS; i++) {
		out[i].writer = writers[i];
		out[i].file = to;
		out[i].path = "/dev/null";
		out[i].safe = i & 1;
		writers[i]->event(&out[i], s, e);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *sink;
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	struct stream_extent extent;

	sink = sink ? sink : fopen("/dev/null", "w");
	if (!in || !sink)
		return 0;
	memset(out, 0, sizeof(out));
	stream_read(in, handle, sink, &extent);
	for (size_t i = 0; i < WRITERS; i++)
		if (out[i].writer && out[i].writer->finish)
			out[i].writer->finish(&out[i]);
	fclose(in);
	return 0;
}
