// SPDX-License-Identifier: GPL-2.0-or-later
// Fields of trace events, and names of the events of system calls, which are not tracepoints.
#include "util/trace_events.h"
#include "util/str.h"

#include <fnmatch.h>
#include <string.h>

static const struct trace_field fields[] = {
#define FIELD(event, field, type, text) { event, field, TRACE_##type, text },
#include "util/trace_events.def"
#undef FIELD
};

// Returns true if one of the patterns matches the other.
static bool patterns_overlap(const char *a, const char *b)
{
	return !fnmatch(a, b, 0) || !fnmatch(b, a, 0);
}

const struct trace_field *trace_event_field(const char *event, const char *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].field, field) && patterns_overlap(fields[i].event, event))
			return &fields[i];
	return NULL;
}

const char *trace_field_value(const struct trace_field *f)
{
	return f->type == TRACE_CHARS || f->type == TRACE_TEXT ? str_printf("kernel_string(%s)", f->text) : f->text;
}

// Names of system call events that differ from the names of the calls.
static const struct { const char *event, *call;
} renamed_calls[] = {
	{ "newstat", "stat" },	      { "newlstat", "lstat" },
	{ "newfstat", "fstat" },      { "newfstatat", "fstatat" },
	{ "newuname", "uname" },      { "pread64", "pread" },
	{ "pwrite64", "pwrite" },     { "sendfile64", "sendfile" },
	{ "getdents64", "getdents" }, { "epoll_create1", "epoll_create" },
	{ "eventfd2", "eventfd" },    { "inotify_init1", "inotify_init" },
	{ "pipe2", "pipe" },	      { "signalfd4", "signalfd" },
};

const char *trace_event_syscall(const char *event, bool *enter)
{
	*enter = str_starts(event, "sys_enter_");
	if (!*enter && !str_starts(event, "sys_exit_"))
		return NULL;
	event += *enter ? strlen("sys_enter_") : strlen("sys_exit_");
	for (size_t i = 0; i < ARRAY_SIZE(renamed_calls); i++)
		if (!strcmp(event, renamed_calls[i].event))
			return renamed_calls[i].call;
	return event;
}

const char *trace_event_advice(const char *event)
{
	bool enter;
	const char *call = trace_event_syscall(str_starts(event, "syscalls:") ? event + strlen("syscalls:") : event, &enter);

	return call && *call ? str_printf("write syscall.%s%s", call, enter ? "" : ".return") : NULL;
}
