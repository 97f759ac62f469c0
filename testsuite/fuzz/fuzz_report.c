// SPDX-License-Identifier: GPL-2.0-or-later
// Recorded sessions: any bytes are read to their end or refused, and each writer takes each event.
#include "../../report/stream.h"
#include "../../report/writers.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct writer *const writers[] = { &text_writer, &json_writer, &csv_writer, &folded_writer, &html_writer };
static struct output outputs[sizeof(writers) / sizeof(writers[0])];

static int handle(void *to, const struct session *s, const struct event *e)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		outputs[i].writer = writers[i];
		outputs[i].file = to;
		outputs[i].safe = i & 1;
		writers[i]->event(&outputs[i], s, e);
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
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		if (outputs[i].file && writers[i]->finish)
			writers[i]->finish(&outputs[i]);
		outputs[i] = (struct output){ 0 };
	}
	fclose(in);
	return 0;
}
