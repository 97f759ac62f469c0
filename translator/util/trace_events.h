// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's trace events as perf and bpftrace show them: their fields, and the events of system calls
// (trace_events.def).
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include <stdbool.h>

enum trace_field_type { TRACE_INT, TRACE_CHARS, TRACE_TEXT, TRACE_STRUCT };
struct trace_field { const char *event, *field; enum trace_field_type type; const char *text; };

// Returns a field that is not an argument of the tracepoint; NULL if it is unknown. `event` may be a pattern.
const struct trace_field *trace_event_field(const char *event, const char *field);
// Returns a field as a value that is a number or a string: kernel_string($next->comm).
const char *trace_field_value(const struct trace_field *f);

// Returns the name of the system call of an event, "openat" of "sys_enter_openat", in the library's points; NULL for
// another event. The name may be a pattern.
const char *trace_event_syscall(const char *event, bool *enter);
// Returns "write syscall.openat" for "sys_enter_openat" and "syscalls:sys_enter_openat", NULL for another event.
const char *trace_event_advice(const char *event);

#endif
