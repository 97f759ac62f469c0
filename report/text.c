// SPDX-License-Identifier: GPL-2.0-or-later
// The output as the module would have printed it. Warnings, errors and losses are not part of it.
#include "event_text.h"
#include "writers.h"

#include <errno.h>

static int event(struct output *out, const struct session *s, const struct event *e)
{
	struct text t;

	if (e->kind != EVENT_PRINT && e->kind != EVENT_TEXT && e->kind != EVENT_HIST)
		return 0;
	t = event_text(s, e);
	return fwrite(t.at, 1, t.len, out->file) == t.len ? 0 : -errno;
}

const struct writer text_writer = { "text", "the script's output as it is without this option", event };
