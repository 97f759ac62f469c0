// SPDX-License-Identifier: GPL-2.0-or-later
// Names of the kernel's events: fields of trace events and arguments of system calls, by the names that bpftrace
// scripts use.
#include "foreign/bt.h"

#include <fnmatch.h>
#include <string.h>

enum field_type { INT, CHARS, TEXT, STRUCT };

static const struct { const char *event, *field; enum field_type type; const char *text; } fields[] = {
#define FIELD(event, field, type, text) { event, field, type, text },
#include "foreign/bt_events.def"
#undef FIELD
};

// Returns true if one of the patterns matches the other.
static bool patterns_overlap(const char *a, const char *b)
{
	return !fnmatch(a, b, 0) || !fnmatch(b, a, 0);
}

bool bt_event_field(const char *event, const char *field, struct bt_field *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (strcmp(fields[i].field, field) || !patterns_overlap(fields[i].event, event))
			continue;
		out->text = fields[i].text;
		if (fields[i].type == INT)
			out->type = (struct bt_type){ .kind = BT_T_INT, .size = 8, .is_signed = true };
		else if (fields[i].type == CHARS)
			out->type.kind = BT_T_CHARS;
		else
			out->type = (struct bt_type){ .kind = BT_T_POINTER, .depth = 1, .size = 1 };
		return true;
	}
	return false;
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

const char *bt_syscall(const struct bt_point *p, bool *enter)
{
	const char *name;

	if (p->part.n < 3 || strcmp(p->part.at[0], "tracepoint") || strcmp(p->part.at[1], "syscalls"))
		return NULL;
	name = p->part.at[2];
	*enter = str_starts(name, "sys_enter_");
	if (!*enter && !str_starts(name, "sys_exit_"))
		return NULL;
	name += *enter ? strlen("sys_enter_") : strlen("sys_exit_");
	for (size_t i = 0; i < ARRAY_SIZE(renamed_calls); i++)
		if (!strcmp(name, renamed_calls[i].event))
			return renamed_calls[i].call;
	return name;
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
