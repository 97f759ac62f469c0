// SPDX-License-Identifier: GPL-2.0-or-later
// Recorded sessions: any bytes are read to their end or refused, and each writer takes each event.
#include "../../report/stream.h"
#include "../../report/writers.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int handle(void *to, const struct session *s, const struct event *e)
{
	static const struct writer *const writers[] = { &text_writer, &json_writer, &csv_writer, &folded_writer };
	static struct output out[sizeof(writers) / sizeof(writers[0])];

	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++) {
		out[i].writer = writers[i];
		out[i].file = to;
		out[i].safe = i & 1;
		if (e->kind == EVENT_BEGIN)
			out[i].state = NULL;
		writers[i]->event(&out[i], s, e);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *sink;
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	uint64_t at;

	sink = sink ? sink : fopen("/dev/null", "w");
	if (!in || !sink)
		return 0;
	stream_read(in, handle, sink, &at);
	fclose(in);
	return 0;
}
