// SPDX-License-Identifier: GPL-2.0-or-later
// Builtin variables and functions of bpftrace, each with a row in a table.
#include "foreign/bt.h"

#include "debuginfo/debuginfo.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

static const struct bt_type NUMBER = { .kind = BT_T_INT, .size = 8, .is_signed = true };
static const struct bt_type STRING = { .kind = BT_T_STRING };

// ---------------------------------------------------------------- variables

static const struct { const char *name; struct bt_type type; const char *text; } builtins[] = {
#define BPFTRACE(name, instead, ...) { name, { __VA_ARGS__ }, instead },
#define VALUE(...)
#define CALL(...)
#define TARGET(...)
#define POINT(...)
#define OPERAND(...)
#define SYNTAX(...)
#include "util/foreign_words.def"
};

// Constants that are C macros, which debuginfo does not contain.
static const struct { const char *name; long value;
} macros[] = {
	{ "TASK_RUNNING", 0 },
	{ "TASK_INTERRUPTIBLE", 1 },
	{ "TASK_UNINTERRUPTIBLE", 2 },
#define C(name) { #name, name }
	C(EPERM),
	C(ENOENT),
	C(ESRCH),
	C(EINTR),
	C(EIO),
	C(EBADF),
	C(EAGAIN),
	C(ENOMEM),
	C(EACCES),
	C(EFAULT),
	C(EBUSY),
	C(EEXIST),
	C(EINVAL),
	C(ENOSPC),
	C(EPIPE),
	C(ECONNREFUSED),
	C(ECONNRESET),
	C(ETIMEDOUT),
	C(EINPROGRESS),
	C(O_RDONLY),
	C(O_WRONLY),
	C(O_RDWR),
	C(O_CREAT),
	C(O_EXCL),
	C(O_TRUNC),
	C(O_APPEND),
	C(O_NONBLOCK),
	C(O_CLOEXEC),
	C(SIGHUP),
	C(SIGINT),
	C(SIGKILL),
	C(SIGSEGV),
	C(SIGPIPE),
	C(SIGTERM),
	C(SIGCHLD),
	C(SIGSTOP),
	C(SIGCONT),
	C(SIGUSR1),
	C(SIGUSR2),
#undef C
	{ "true", 1 },
	{ "false", 0 },
};

static char *constant(struct bt_translation *t, const struct bt_node *n)
{
	int64_t value;

	if (!strcmp(n->text, "AF_INET") || !strcmp(n->text, "AF_INET6") || !strcmp(n->text, "AF_UNIX"))
		return str_printf("%s()", n->text);
	for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
		if (!strcmp(n->text, macros[i].name))
			return str_printf("%ld", macros[i].value);
	if (t->kernel && !di_find_enumerator(t->kernel, n->text, &value)) {
		bt_problem(t, n->loc, "unknown name \"%s\": constants of #define are not in debuginfo; write the number", n->text);
		return "0";
	}
	return str_printf("@enum(\"%s\")", n->text);
}

// Returns "tracepoint:sched:sched_wakeup" if the action has this single point, else an expression or a variable
// that the points set.
static char *probe_name(struct bt_translation *t)
{
	const struct bt_action *a = t->action;

	if (a->points.n == 1 && !str_is_glob(a->points.at[0].text))
		return str_printf("\"%s\"", str_escape(a->points.at[0].text, strlen(a->points.at[0].text)));
	if (!t->probe_name)
		t->probe_name = bt_fresh(t, "probe_name");
	return (char *)t->probe_name;
}

// Returns the number after the letters in "arg0" or "sarg1"; -1 for other names.
static int argument_number(const char *name, const char *letters)
{
	size_t n = strlen(letters);

	return str_starts(name, letters) ? bt_small_number(name + n) : -1;
}

static char *argument(struct bt_translation *t, int number)
{
	if (bt_is_provider(t->action, "usdt"))
		return str_printf("$arg%d", number + 1);
	return str_printf("%s(%d)", bt_is_provider(t->action, "rawtracepoint") ? "pointer_arg" : "ulong_arg", number + 1);
}

bool bt_builtin(struct bt_translation *t, const struct bt_node *n, char **text, struct bt_type *type)
{
	int number = argument_number(n->text, "arg"), stack = argument_number(n->text, "sarg");

	*type = NUMBER;
	*text = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(builtins); i++)
		if (!strcmp(n->text, builtins[i].name)) {
			*text = (char *)builtins[i].text;
			*type = builtins[i].type;
			type->kernel = type->kind == BT_T_POINTER;
			if (type->kernel && t->kernel)
				type->di = di_find_type(t->kernel, type->of);
			return true;
		}
	type->user = bt_in_user(t->action);
	if (number >= 0)
		*text = argument(t, number);
	else if (stack >= 0)   // on x86_64, arguments on the stack follow six arguments in registers
		*text = str_printf("ulong_arg(%d)", stack + 7);
	else if (!strcmp(n->text, "retval"))
		*text = bt_is_provider(t->action, "kretfunc") ? "$return" : "returnval()";
	else if (!strcmp(n->text, "elapsed"))
		*text = str_printf("(ktime_get_ns() - %s)", t->started ? t->started : "");
	else if (!strcmp(n->text, "probe"))
		*type = STRING;
	else
		return false;
	return true;
}

char *bt_builtin_text(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type;
	char *text;

	if (!strcmp(n->text, "probe"))
		return probe_name(t);
	if (!strcmp(n->text, "numaid") || !strcmp(n->text, "username") || !strcmp(n->text, "ctx")) {
		bt_problem(t, n->loc, "the builtin \"%s\" has no equivalent", n->text);
		return "0";
	}
	return bt_builtin(t, n, &text, &type) ? text : constant(t, n);
}

// ---------------------------------------------------------------- functions with a value

static const struct bt_node *arg(const struct bt_node *n, int i)
{
	return n->kids.at[i];
}

static char *arg_text(struct bt_translation *t, const struct bt_node *n, int i)
{
	return bt_expr(t, arg(n, i), BT_BIND_NONE);
}

static char *call_str(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type = bt_type_of(t, arg(n, 0));
	bool user = bt_reads_user(t, &type);
	char *text;

	if (arg(n, 0)->kind == BT_POSITION)
		return str_printf("%%( $# >= %s %%? @%s %%: \"\" %%)", arg(n, 0)->text, arg(n, 0)->text);
	if (type.kind == BT_T_STRING)
		return bt_string(t, arg(n, 0));
	text = str_printf("%s(%s, \"\")", user ? "user_string" : "kernel_string",
			  type.kind == BT_T_CHARS || type.kind == BT_T_ARRAY ? bt_address(t, arg(n, 0)) : arg_text(t, n, 0));
	if (n->kids.n < 2)
		return text;
	return str_printf("substr(%s, 0, %s)", text, arg_text(t, n, 1));
}

char *bt_buffer(struct bt_translation *t, const struct bt_node *n, const char *form)
{
	struct bt_type type = bt_type_of(t, arg(n, 0));
	bool value = type.kind == BT_T_POINTER || type.kind == BT_T_INT;

	t->helpers |= 1U << BT_HELP_BUFFER;
	return str_printf("buffer_text(%s, %s, %s, \"%s\")", value ? arg_text(t, n, 0) : bt_address(t, arg(n, 0)),
			  n->kids.n > 1 ? arg_text(t, n, 1) : "64", bt_reads_user(t, &type) ? "1" : "0", form);
}

static char *call_buf(struct bt_translation *t, const struct bt_node *n)
{
	return bt_buffer(t, n, "");
}

static char *call_ksym(struct bt_translation *t, const struct bt_node *n)
{
	return str_printf("symname(%s)", arg_text(t, n, 0));
}

static char *call_usym(struct bt_translation *t, const struct bt_node *n)
{
	return str_printf("usymname(%s)", arg_text(t, n, 0));
}

static char *call_kaddr(struct bt_translation *t, const struct bt_node *n)
{
	if (arg(n, 0)->kind != BT_STRING) {
		bt_problem(t, n->loc, "kaddr() requires a literal");
		return "0";
	}
	return str_printf("&@var(\"%s\", \"kernel\")", arg(n, 0)->text);
}

static bool is_ipv6(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type = bt_type_of(t, n);

	return type.kind == BT_T_ARRAY || type.kind == BT_T_CHARS || type.kind == BT_T_STRUCT;
}

static char *call_ntop(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *address = arg(n, n->kids.n - 1);
	bool v6 = is_ipv6(t, address);
	const char *family = n->kids.n > 1 ? arg_text(t, n, 0) : v6 ? "AF_INET6()" : "AF_INET()";

	if (v6 && !strcmp(family, "AF_INET6()")) {
		t->helpers |= 1U << BT_HELP_IPV6;
		return str_printf("ipv6_text(%s)", bt_address(t, address));
	}
	return str_printf("format_ipaddr(%s, %s)", v6 ? bt_address(t, address) : bt_expr(t, address, BT_BIND_NONE), family);
}

static char *call_reg(struct bt_translation *t, const struct bt_node *n)
{
	static const char *const names[][2] = {
		{ "ip", "rip" }, { "sp", "rsp" }, { "bp", "rbp" }, { "ax", "rax" }, { "bx", "rbx" }, { "cx", "rcx" }, { "dx", "rdx" },
		{ "si", "rsi" }, { "di", "rdi" }, { "orig_ax", "orig_rax" },
	};
	const char *name = arg(n, 0)->text;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i][0]))
			name = names[i][1];
	return str_printf("register(\"%s\")", name);
}

static char *call_strftime(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *when = arg(n, 1);

	if (arg(n, 0)->kind != BT_STRING) {
		bt_problem(t, n->loc, "strftime() requires a literal as the format");
		return "\"\"";
	}
	if (when->kind == BT_NAME && !strcmp(when->text, "nsecs"))
		return str_printf("sprintf(%s)", bt_time(t, n->loc, arg(n, 0)->text, "gettimeofday_s()", "gettimeofday_us()"));
	return str_printf("sprintf(%s)", bt_time(t, n->loc, arg(n, 0)->text,
		str_printf("(gettimeofday_ns() - ktime_get_ns() + %s) / 1000000000", bt_expr(t, when, BT_BIND_MUL)),
		str_printf("(gettimeofday_ns() - ktime_get_ns() + %s) / 1000", bt_expr(t, when, BT_BIND_MUL))));
}

static char *call_strncmp(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_twice length = bt_twice(t, arg(n, 2), arg_text(t, n, 2));

	return str_printf("(substr(%s, 0, %s) != substr(%s, 0, %s))", bt_string(t, arg(n, 0)), length.first,
			  bt_string(t, arg(n, 1)), length.second);
}

static char *call_strcontains(struct bt_translation *t, const struct bt_node *n)
{
	return str_printf("isinstr(%s, %s)", bt_string(t, arg(n, 0)), bt_string(t, arg(n, 1)));
}

static char *call_strlen(struct bt_translation *t, const struct bt_node *n)
{
	return str_printf("strlen(%s)", bt_string(t, arg(n, 0)));
}

static char *call_bswap(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type = bt_type_of(t, arg(n, 0));
	const char *function = type.size == 2 ? "ntohs" : type.size == 4 ? "ntohl" : type.size == 8 ? "ntohll" : NULL;

	if (type.size == 1)
		return arg_text(t, n, 0);
	if (!function) {
		bt_problem(t, n->loc, "the size of the argument of bswap() cannot be determined: write a cast like (uint16)");
		return "0";
	}
	return str_printf("%s(%s)", function, arg_text(t, n, 0));
}

static char *call_same(struct bt_translation *t, const struct bt_node *n)
{
	return bt_expr(t, arg(n, 0), BT_BIND_POSTFIX);
}

static char *call_macaddr(struct bt_translation *t, const struct bt_node *n)
{
	t->helpers |= 1U << BT_HELP_MAC;
	return str_printf("mac_text(%s)", bt_address(t, arg(n, 0)));
}

static char *call_path(struct bt_translation *t, const struct bt_node *n)
{
	return str_printf("fullpath_struct_path(%s)", bt_address(t, arg(n, 0)));
}

static char *call_strerror(struct bt_translation *t, const struct bt_node *n)
{
	return str_printf("errno_str(%s)", arg_text(t, n, 0));
}

// The addresses of a stack are words of 18 characters, separated by spaces.
static char *call_kstack(struct bt_translation *t, const struct bt_node *n)
{
	for vec_each(&n->kids, kid)
		if ((*kid)->kind == BT_NUMBER)
			return str_printf("substr(backtrace(), 0, %lld)", (long long)(*kid)->number * 19);
	return "backtrace()";
}

static char *call_ustack(struct bt_translation *t, const struct bt_node *n)
{
	for vec_each(&n->kids, kid)
		if ((*kid)->kind == BT_NUMBER)
			return str_printf("sprint_usyms(substr(ubacktrace(), 0, %lld))", (long long)(*kid)->number * 19);
	return "sprint_ubacktrace()";
}

// Returns the element @map[key]. A key that is a tuple becomes several keys.
static struct bt_node element_of(const struct bt_node *map, const struct bt_node *key)
{
	struct bt_node element = *map;

	if (key->kind == BT_TUPLE)
		element.kids = key->kids;
	else
		vec_push(&element.kids, (struct bt_node *)key);
	return element;
}

static char *call_has_key(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_node map = element_of(arg(n, 0), arg(n, 1));

	if (map.kind != BT_MAP) {
		bt_problem(t, n->loc, "has_key() requires a map");
		return "0";
	}
	return str_printf("(%s in %s)", bt_keys(t, &map), bt_find(t, &map)->out);
}

static const struct value_function {
	const char *name;
	int min, max;
	enum bt_type_kind type;    // UNKNOWN: the type of the first argument
	char *(*write)(struct bt_translation *t, const struct bt_node *n);
} functions[] = {
	{ "str", 1, 2, BT_T_STRING, call_str },
	{ "buf", 1, 2, BT_T_STRING, call_buf },
	{ "ksym", 1, 1, BT_T_STRING, call_ksym },
	{ "usym", 1, 1, BT_T_STRING, call_usym },
	{ "kaddr", 1, 1, BT_T_INT, call_kaddr },
	{ "ntop", 1, 2, BT_T_STRING, call_ntop },
	{ "reg", 1, 1, BT_T_INT, call_reg },
	{ "strftime", 2, 2, BT_T_STRING, call_strftime },
	{ "strncmp", 3, 3, BT_T_INT, call_strncmp },
	{ "strcontains", 2, 2, BT_T_INT, call_strcontains },
	{ "strlen", 1, 1, BT_T_INT, call_strlen },
	{ "bswap", 1, 1, BT_T_INT, call_bswap },
	{ "kptr", 1, 1, BT_T_UNKNOWN, call_same },
	{ "uptr", 1, 1, BT_T_UNKNOWN, call_same },
	{ "macaddr", 1, 1, BT_T_STRING, call_macaddr },
	{ "path", 1, 1, BT_T_STRING, call_path },
	{ "strerror", 1, 1, BT_T_STRING, call_strerror },
	{ "kstack", 0, 2, BT_T_KSTACK, call_kstack },
	{ "ustack", 0, 2, BT_T_USTACK, call_ustack },
	{ "has_key", 2, 2, BT_T_INT, call_has_key },
};

static const struct value_function *function_of(const struct bt_node *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(n->text, functions[i].name) && n->kids.n >= functions[i].min && n->kids.n <= functions[i].max)
			return &functions[i];
	return NULL;
}

struct bt_type bt_call_type(struct bt_translation *t, const struct bt_node *n)
{
	const struct value_function *f = function_of(n);
	struct bt_type type = { .kind = f ? f->type : BT_T_INT, .is_signed = true };

	if (f && !f->type) {
		type = bt_type_of(t, arg(n, 0));
		type.user = *n->text == 'u';
		type.kernel = !type.user;
	}
	if (!strcmp(n->text, "kaddr")) {
		type.size = 8;
		type.kernel = true;
	}
	if (!strcmp(n->text, "bswap") && n->kids.n)
		type = bt_type_of(t, arg(n, 0));
	return type;
}

char *bt_call(struct bt_translation *t, const struct bt_node *n)
{
	const struct value_function *f = function_of(n);

	if (f)
		return f->write(t, n);
	if (bt_aggregate_of(n))
		bt_problem(t, n->loc, "%s() can only be assigned to a map", n->text);
	else if (!n->kids.n)           // nsecs(), pid(): newer forms of builtin variables
		return bt_builtin_text(t, &(struct bt_node){ .kind = BT_NAME, .loc = n->loc, .text = n->text });
	else
		bt_problem(t, n->loc, "the function \"%s\" with %d argument%s has no equivalent", n->text, n->kids.n,
			   n->kids.n > 1 ? "s" : "");
	return "0";
}

// ---------------------------------------------------------------- functions without a value

static void write_printf(struct bt_translation *t, const struct bt_node *n)
{
	bt_line(t, "%s", bt_printf(t, n, 0, "printf"));
}

static void write_errorf(struct bt_translation *t, const struct bt_node *n)
{
	bt_line(t, "warn(%s)", bt_printf(t, n, 0, "sprintf"));
}

static void write_time(struct bt_translation *t, const struct bt_node *n)
{
	const char *format = n->kids.n && arg(n, 0)->kind == BT_STRING ? arg(n, 0)->text : "%H:%M:%S\\n";

	bt_line(t, "printf(%s)", bt_time(t, n->loc, format, "gettimeofday_s()", "gettimeofday_us()"));
}

static void write_print(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *what = arg(n, 0);
	struct bt_type type = bt_type_of(t, what);

	if (what->kind != BT_MAP)
		bt_line(t, "println(%s)", bt_value(t, what, bt_is_text(&type)));
	else if (!what->kids.n)
		bt_print_map(t, bt_find(t, what), n->kids.n > 1 ? arg_text(t, n, 1) : NULL, n->kids.n > 2 ? arg_text(t, n, 2) : NULL);
	else
		bt_print_element(t, bt_find(t, what), what);
}

// zero() in bpftrace does not remove the keys.
static void write_clear(struct bt_translation *t, const struct bt_node *n)
{
	if (arg(n, 0)->kind == BT_MAP)
		bt_line(t, "delete %s", bt_find(t, arg(n, 0))->out);
	else
		bt_problem(t, n->loc, "%s() requires a map", n->text);
}

static void write_delete(struct bt_translation *t, const struct bt_node *n)
{
	for (int i = 0; i < n->kids.n; i++) {
		struct bt_node map = *arg(n, i);

		if (map.kind != BT_MAP) {
			bt_problem(t, n->loc, "delete() requires elements of maps");
			return;
		}
		if (!map.kids.n && bt_find(t, &map)->arity && n->kids.n > 1) {     // delete(@map, key)
			map = element_of(&map, arg(n, 1));
			i = n->kids.n;
		}
		bt_line(t, "delete %s%s", bt_find(t, &map)->out, bt_keys(t, &map));
	}
}

static void write_join(struct bt_translation *t, const struct bt_node *n)
{
	t->helpers |= 1U << BT_HELP_JOIN;
	bt_line(t, "println(join_strings(%s, %s))", arg_text(t, n, 0), n->kids.n > 1 ? bt_string(t, arg(n, 1)) : "\" \"");
}

static void write_cat(struct bt_translation *t, const struct bt_node *n)
{
	char *rest = bt_printf(t, n, 0, "\"cat ");

	bt_line(t, n->kids.n > 1 ? "system(sprintf(%s))" : "system(%s)", rest);
}

static void write_system(struct bt_translation *t, const struct bt_node *n)
{
	if (n->kids.n > 1)
		bt_line(t, "system(%s)", bt_printf(t, n, 0, "sprintf"));
	else
		bt_line(t, "system(%s)", bt_string(t, arg(n, 0)));
}

static void write_exit(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *body = t->action->body;

	bt_line(t, "exit()");
	if (body->kids.at[body->kids.n - 1] != n)
		bt_line(t, "next");
}

static void write_signal(struct bt_translation *t, const struct bt_node *n)
{
	static const struct { const char *name; int number;
	} signals[] = {
		{ "HUP", SIGHUP },   { "INT", SIGINT },	  { "QUIT", SIGQUIT }, { "KILL", SIGKILL },
		{ "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "PIPE", SIGPIPE }, { "ALRM", SIGALRM },
		{ "TERM", SIGTERM }, { "CONT", SIGCONT }, { "STOP", SIGSTOP }, { "TRAP", SIGTRAP },
	};

	if (arg(n, 0)->kind != BT_STRING) {
		bt_line(t, "raise(%s)", arg_text(t, n, 0));
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!strcmp(arg(n, 0)->text + 3 * str_starts(arg(n, 0)->text, "SIG"), signals[i].name)) {
			bt_line(t, "raise(%d)", signals[i].number);
			return;
		}
	bt_problem(t, n->loc, "unknown signal \"%s\"", arg(n, 0)->text);
}

static const struct {
	const char *name;
	int min;
	void (*write)(struct bt_translation *t, const struct bt_node *n);
} statements[] = {
	{ "printf", 1, write_printf }, { "errorf", 1, write_errorf },
	{ "warnf", 1, write_errorf }, { "print", 1, write_print },
	{ "clear", 1, write_clear },   { "zero", 1, write_clear },	  { "delete", 1, write_delete }, { "time", 0, write_time },
	{ "join", 1, write_join },     { "cat", 1, write_cat },	  { "system", 1, write_system }, { "exit", 0, write_exit },
	{ "signal", 1, write_signal },
};

bool bt_call_statement(struct bt_translation *t, const struct bt_node *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(statements); i++)
		if (!strcmp(n->text, statements[i].name) && n->kids.n >= statements[i].min) {
			statements[i].write(t, n);
			return true;
		}
	return false;
}
