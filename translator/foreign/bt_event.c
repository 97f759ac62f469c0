// SPDX-License-Identifier: GPL-2.0-or-later
// Names of the kernel's events: fields of trace events and arguments of system calls, by the names that bpftrace
// scripts use.
#include "foreign/bt.h"
#include "util/trace_events.h"

#include <string.h>

bool bt_event_field(const char *event, const char *field, struct bt_field *out)
{
	const struct trace_field *f = trace_event_field(event, field);

	if (!f)
		return false;
	out->text = f->text;
	if (f->type == TRACE_INT)
		out->type = (struct bt_type){ .kind = BT_T_INT, .size = 8, .is_signed = true };
	else if (f->type == TRACE_CHARS)
		out->type.kind = BT_T_CHARS;
	else
		out->type = (struct bt_type){ .kind = BT_T_POINTER, .depth = 1, .size = 1 };
	return true;
}

const char *bt_syscall(const struct bt_point *p, bool *enter)
{
	if (p->part.n < 3 || strcmp(p->part.at[0], "tracepoint") || strcmp(p->part.at[1], "syscalls"))
		return NULL;
	return trace_event_syscall(p->part.at[2], enter);
}

// Arguments that point to structs, by name: the kernel's BTF does not contain prototypes of system calls.
static const struct { const char *field, *type;
} argument_types[] = {
	{ "rqtp", "struct __kernel_timespec" },
	{ "rmtp", "struct __kernel_timespec" },
	{ "uservaddr", "struct sockaddr" },
	{ "umyaddr", "struct sockaddr" },
	{ "addr", "struct sockaddr" },
	{ "statbuf", "struct stat" },
	{ "msg", "struct user_msghdr" },
	{ "vec", "struct iovec" },
	{ "ufds", "struct pollfd" },
	{ "uinfo", "siginfo_t" },
	{ "rlim", "struct rlimit" },
};

bool bt_syscall_field(const char *call, bool enter, const char *field, struct bt_field *out)
{
	out->type = (struct bt_type){ .kind = BT_T_INT, .size = 8, .is_signed = true, .user = true };
	if (!strcmp(field, "ret") && !enter) {
		out->text = "$return";
		out->type.user = false;
		return true;
	}
	if (!strcmp(field, "__syscall_nr")) {
		out->text = "syscall_nr";
		return true;
	}
	if (!enter)
		return false;
	out->text = str_printf("$%s", field);
	for (size_t i = 0; i < ARRAY_SIZE(argument_types); i++)
		if (!strcmp(field, argument_types[i].field) && (strcmp(field, "addr") || strstr(call, "accept")))
			out->type = (struct bt_type){ .kind = BT_T_POINTER, .of = argument_types[i].type, .depth = 1, .user = true };
	if (!strcmp(field, "argv") || !strcmp(field, "envp"))
		out->type = (struct bt_type){ .kind = BT_T_POINTER, .of = "char", .depth = 2, .size = 1, .user = true };
	return true;
}

bool bt_is_provider(const struct bt_action *a, const char *name)
{
	return !strcmp(a->points.at[0].part.at[0], name);
}

bool bt_in_user(const struct bt_action *a)
{
	return bt_is_provider(a, "uprobe") || bt_is_provider(a, "uretprobe") || bt_is_provider(a, "usdt");
}

bool bt_reads_user(const struct bt_translation *t, const struct bt_type *type)
{
	return type->user || (bt_in_user(t->action) && !type->kernel);
}
