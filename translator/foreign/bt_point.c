// SPDX-License-Identifier: GPL-2.0-or-later
// Probe points: "kprobe:vfs_read" -> kernel.function("vfs_read").call. Points that list alternatives are optional,
// as in bpftrace, which ignores points that it does not find.
#include "foreign/bt.h"

#include "debuginfo/debuginfo.h"

#include <glob.h>
#include <string.h>

static const char *part(const struct bt_point *p, int i)
{
	return i < p->part.n ? p->part.at[i] : "";
}

static char *quoted(const char *text)
{
	// A script argument is pasted as a string.
	if (*text == '$' && text[1] && !text[1 + strspn(text + 1, "0123456789")])
		return str_printf("@%s", text + 1);
	return str_printf("\"%s\"", str_escape(text, strlen(text)));
}

// Returns the module that has the function; NULL: the kernel, or unknown.
static const char *module_of(struct bt_translation *t, const char *function)
{
	di_functions found = { 0 };

	if (!t->kernel || str_is_glob(function))
		return NULL;
	di_find_functions(t->kernel, function, NULL, DI_INLINES_NONE, &found);
	// Names of functions in a module often begin with its name.
	for (size_t n = strcspn(function, "_"); !found.n && function[n]; n += 1 + strcspn(function + n + 1, "_")) {
		const char *prefix = str_ndup(function, n), *names[] = { prefix, str_printf("%s_mod", prefix) };

		for (size_t i = 0; n && i < ARRAY_SIZE(names); i++) {
			struct di_module *m = di_kernel_module(t->session, names[i]);

			if (m)
				di_find_functions(m, function, NULL, DI_INLINES_NONE, &found);
			if (found.n)
				return names[i];
		}
	}
	return NULL;
}

static char *kernel_function(struct bt_translation *t, const struct bt_point *p, const char *suffix)
{
	const char *function = part(p, p->part.n - 1), *module = p->part.n > 2 ? part(p, 1) : module_of(t, function);

	if (strchr(function, '+') || p->part.n < 2) {
		bt_problem(t, p->loc, "\"%s\": an address inside a function requires "
			   "kernel.statement(\"FUNCTION@FILE:LINE\")", p->text);
		return "never";
	}
	if (module && strcmp(module, "vmlinux"))
		return str_printf("module(%s).function(%s).%s", quoted(module), quoted(function), suffix);
	return str_printf("kernel.function(%s).%s", quoted(function), suffix);
}

static char *point_kprobe(struct bt_translation *t, const struct bt_point *p)
{
	return kernel_function(t, p, "call");
}

static char *point_kretprobe(struct bt_translation *t, const struct bt_point *p)
{
	return kernel_function(t, p, "return");
}

// ---------------------------------------------------------------- programs

// Returns the path of a library by its short name: "libc" is /lib/x86_64-linux-gnu/libc.so.6. Other names are
// searched in $PATH.
static const char *program_path(const char *name)
{
	static const char *const patterns[] = { "/lib/*-linux-gnu", "/usr/lib/*-linux-gnu", "/lib64", "/usr/lib64", "/lib",
					      "/usr/lib" };
	const char *library = !strcmp(name, "libpthread") ? "libc" : name;     // a part of libc since glibc 2.34

	if (strchr(name, '/') || !str_starts(name, "lib") || str_is_glob(name))
		return name;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		glob_t found = { 0 };
		const char *path = NULL;

		if (!glob(str_printf("%s/%s.so.[0-9]*", patterns[i], library), 0, NULL, &found))
			path = str_dup(found.gl_pathv[0]);
		globfree(&found);
		if (path)
			return path;
	}
	return name;
}

static bool is_address(const char *text)
{
	uint64_t n;

	return number_unsigned(&text, 0, &n) == NUMBER_GOOD && !*text;
}

// Parses "1e6", a number of events or a period.
static bool count_at(const char **text, long long *n)
{
	int64_t value, zeroes;

	if (!number_at(text, 10, 1, 1000000000000, &value))
		return false;
	if (**text == 'e') {
		++*text;
		if (!number_at(text, 10, 0, 6, &zeroes))
			return false;
		while (zeroes-- > 0)
			value *= 10;
	}
	*n = value;
	return true;
}

static char *user_function(struct bt_translation *t, const struct bt_point *p, const char *suffix)
{
	const char *function = part(p, p->part.n - 1), *path = quoted(program_path(part(p, 1)));

	if (p->part.n < 3 || strchr(function, '+')) {
		bt_problem(t, p->loc,
			   "\"%s\": an address inside a function requires process(\"PATH\").statement(\"FUNCTION@FILE:LINE\")",
			   p->text);
		return "never";
	}
	if (p->part.n > 3)     // four parts include a language: uprobe:PATH:cpp:function
		bt_problem(t, p->loc, "\"%s\": names of C++ functions are written without \"%s:\"", p->text, part(p, 2));
	if (is_address(function))
		return str_printf("process(%s).statement(%s).absolute", path, function);
	return str_printf("process(%s).function(%s).%s", path, quoted(function), suffix);
}

static char *point_uprobe(struct bt_translation *t, const struct bt_point *p)
{
	return user_function(t, p, "call");
}

static char *point_uretprobe(struct bt_translation *t, const struct bt_point *p)
{
	return user_function(t, p, "return");
}

static char *point_usdt(struct bt_translation *t, const struct bt_point *p)
{
	const char *path = *part(p, 1) ? str_printf("(%s)", quoted(program_path(part(p, 1)))) : "";

	if (p->part.n == 3)
		return str_printf("process%s.mark(%s)", path, quoted(part(p, 2)));
	if (p->part.n == 4)
		return str_printf("process%s.provider(%s).mark(%s)", path, quoted(part(p, 2)), quoted(part(p, 3)));
	bt_problem(t, p->loc, "\"%s\": expected usdt:PATH:PROVIDER:NAME", p->text);
	return "never";
}

// ---------------------------------------------------------------- events

static char *point_tracepoint(struct bt_translation *t, const struct bt_point *p)
{
	bool enter;
	const char *call = bt_syscall(p, &enter);

	if (call && call[strspn(call, "abcdefghijklmnopqrstuvwxyz0123456789_*?[]{}")]) {
		bt_problem(t, p->loc, "invalid name of a system call in \"%s\"", p->text);
		return "never";
	}
	if (call)
		return str_printf("syscall.%s%s", call, enter ? "" : ".return");
	if (p->part.n < 3) {
		bt_problem(t, p->loc, "\"%s\": expected tracepoint:SUBSYSTEM:EVENT", p->text);
		return "never";
	}
	if (!strcmp(part(p, 1), "raw_syscalls"))
		return str_printf("kernel.trace(%s)", quoted(part(p, 2)));
	return str_printf("kernel.trace(%s)", quoted(str_printf("%s:%s", part(p, 1), part(p, 2))));
}

static char *point_rawtracepoint(struct bt_translation *t, const struct bt_point *p)
{
	return str_printf("kernel.trace(%s)",
			  quoted(p->part.n > 2 ? str_printf("%s:%s", part(p, 1), part(p, 2)) : part(p, 1)));
}

// Parses the unit and the number in "s:1" or "1s". Returns false if they are invalid.
static bool period(struct bt_translation *t, const struct bt_point *p, const char **unit, long long *n)
{
	static const char *const units[] = { "us", "ms", "s", "hz" };
	const char *text = p->part.n > 2 ? part(p, 2) : part(p, 1);
	bool good = count_at(&text, n);

	*unit = p->part.n == 2 ? text : part(p, 1);
	for (size_t i = 0; good && i < ARRAY_SIZE(units); i++)
		if (!strcmp(*unit, units[i]))
			return true;
	bt_problem(t, p->loc, "\"%s\": expected %s:UNIT:NUMBER with the unit us, ms, s or hz", p->text, part(p, 0));
	return false;
}

static char *point_interval(struct bt_translation *t, const struct bt_point *p)
{
	const char *unit;
	long long n;

	return period(t, p, &unit, &n) ? str_printf("timer.%s(%lld)", unit, n) : "never";
}

static char *point_profile(struct bt_translation *t, const struct bt_point *p)
{
	const char *unit;
	long long n;

	if (!period(t, p, &unit, &n))
		return "never";
	if (!strcmp(unit, "hz"))
		return str_printf("perf.sw.cpu_clock.hz(%lld)", n);
	if (__builtin_mul_overflow(n, *unit == 's' ? 1000000000LL : *unit == 'm' ? 1000000LL : 1000LL, &n)) {
		bt_problem(t, p->loc, "\"%s\": the period is larger than 2^63 nanoseconds", p->text);
		return "never";
	}
	return str_printf("perf.sw.cpu_clock.sample(%lld)", n);
}

static const struct { const char *name, *point; long long count; } counters[] = {
	{ "software:cpu-clock", "cpu_clock", 1000000 },
	{ "software:cpu", "cpu_clock", 1000000 },
	{ "software:task-clock", "task_clock", 1000000 },
	{ "software:page-faults", "page_faults", 100 },
	{ "software:faults", "page_faults", 100 },
	{ "software:context-switches", "context_switches", 1000 },
	{ "software:cs", "context_switches", 1000 },
	{ "software:cpu-migrations", "cpu_migrations", 1 },
	{ "software:minor-faults", "page_faults_min", 100 },
	{ "software:major-faults", "page_faults_maj", 1 },
	{ "software:alignment-faults", "alignment_faults", 1 },
	{ "software:emulation-faults", "emulation_faults", 1 },
	{ "hardware:cpu-cycles", "cpu_cycles", 1000000 },
	{ "hardware:cycles", "cpu_cycles", 1000000 },
	{ "hardware:instructions", "instructions", 1000000 },
	{ "hardware:cache-references", "cache_references", 1000000 },
	{ "hardware:cache-misses", "cache_misses", 1000000 },
	{ "hardware:branch-instructions", "branch_instructions", 100000 },
	{ "hardware:branches", "branch_instructions", 100000 },
	{ "hardware:branch-misses", "branch_misses", 100000 },
	{ "hardware:bus-cycles", "bus_cycles", 100000 },
	{ "hardware:frontend-stalls", "stalled_cycles_frontend", 1000000 },
	{ "hardware:backend-stalls", "stalled_cycles_backend", 1000000 },
	{ "hardware:ref-cycles", "ref_cpu_cycles", 1000000 },
};

static char *point_counter(struct bt_translation *t, const struct bt_point *p)
{
	const char *name = str_printf("%s:%s", part(p, 0), part(p, 1));

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (!strcmp(name, counters[i].name)) {
			const char *text = part(p, 2);
			long long n = counters[i].count;

			if (*text && !count_at(&text, &n))
				bt_problem(t, p->loc, "\"%s\": invalid number of events", p->text);
			return str_printf("perf.%s.%s.sample(%lld)", *name == 's' ? "sw" : "hw", counters[i].point, n);
		}
	bt_problem(t, p->loc,
		   "the event \"%s\" has no equivalent: perf.type(N).config(N) takes the numbers of perf_event_open(2)",
		   p->text);
	return "never";
}

// Translates watchpoint:ADDRESS:LENGTH:MODE.
static char *point_watchpoint(struct bt_translation *t, const struct bt_point *p)
{
	if (p->part.n != 4 || !is_address(part(p, 1)) || !is_address(part(p, 2))) {
		bt_problem(t, p->loc, "\"%s\": expected watchpoint:ADDRESS:LENGTH:MODE", p->text);
		return "never";
	}
	return str_printf("kernel.data(%s).length(%s).%s", part(p, 1), part(p, 2), strcmp(part(p, 3), "w") ? "rw" : "write");
}

static char *point_begin(struct bt_translation *t, const struct bt_point *p)
{
	return "begin";
}

static char *point_end(struct bt_translation *t, const struct bt_point *p)
{
	return "end";
}

static char *point_none(struct bt_translation *t, const struct bt_point *p)
{
	bt_problem(t, p->loc, "probes of type \"%s\" have no equivalent", part(p, 0));
	return "never";
}

// named: the value of the builtin `probe` if the point is a pattern.
static const struct {
	const char *provider;
	char *(*write)(struct bt_translation *t, const struct bt_point *p);
	const char *named;
} kinds[] = {
	{ "kprobe", point_kprobe, "\"kprobe:\" . ppfunc()" },
	{ "kretprobe", point_kretprobe, "\"kretprobe:\" . ppfunc()" },
	{ "kfunc", point_kprobe, "\"kfunc:\" . ppfunc()" },
	{ "kretfunc", point_kretprobe, "\"kretfunc:\" . ppfunc()" },
	{ "uprobe", point_uprobe, "pp()" },
	{ "uretprobe", point_uretprobe, "pp()" },
	{ "usdt", point_usdt, "pp()" },
	{ "tracepoint", point_tracepoint, "\"tracepoint:\" . $$system . \":\" . $$name" },
	{ "rawtracepoint", point_rawtracepoint, "\"rawtracepoint:\" . $$name" },
	{ "interval", point_interval },
	{ "profile", point_profile },
	{ "software", point_counter },
	{ "hardware", point_counter },
	{ "watchpoint", point_watchpoint },
	{ "asyncwatchpoint", point_watchpoint },
	{ "BEGIN", point_begin },
	{ "END", point_end },
	{ "iter", point_none },
	{ "bench", point_none },
	{ "self", point_none },
};

static char *point(struct bt_translation *t, const struct bt_point *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(part(p, 0), kinds[i].provider))
			return kinds[i].write(t, p);
	return point_none(t, p);
}

static char *name_of(const struct bt_point *p)
{
	bool enter;

	if (!str_is_glob(p->text))
		return quoted(p->text);
	if (bt_syscall(p, &enter))
		return str_printf("\"tracepoint:syscalls:sys_%s_\" . name", enter ? "enter" : "exit");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(part(p, 0), kinds[i].provider) && kinds[i].named)
			return str_printf("%s", kinds[i].named);
	return "pp()";
}

static void find_probe_builtin(struct bt_node *n, void *data)
{
	if (n->kind == BT_NAME && !strcmp(n->text, "probe"))
		*(bool *)data = true;
}

// bpftrace finds tracepoints by their events; names of tracepoints without an event end in "_tp".
static bool is_event(const struct bt_point *p, bool *glob)
{
	bool enter, event = !strcmp(part(p, 0), "tracepoint") && !bt_syscall(p, &enter);

	*glob |= event && str_ends(p->text, "*");
	return event;
}

void bt_points(struct bt_translation *t, const struct bt_action *a)
{
	static const char no_event[] = "if ($$name =~ \"_tp$\") next";
	bool named = false, events = true, glob = false;
	struct buf b = { 0 };

	t->probe_name = NULL;
	bt_each_node(a->filter, find_probe_builtin, &named);
	bt_each_node(a->body, find_probe_builtin, &named);
	if (named && (a->points.n > 1 || str_is_glob(a->points.at[0].text))) {
		const char *event = bt_fresh(t, "event");

		t->probe_name = bt_fresh(t, "probe_name");
		for vec_each(&a->points, p) {
			is_event(p, &glob);
			bt_line(t, "probe %s = %s%s { %s%s%s = %s }", event, point(t, p), a->alternatives ? "?" : "", glob ? no_event : "",
				glob ? "; " : "", t->probe_name, name_of(p));
			glob = false;
		}
		bt_open(t, "probe %s", event);
		return;
	}
	for vec_each(&a->points, p) {
		events &= is_event(p, &glob);
		buf_printf(&b, "%s%s%s", b.len ? ",\n      " : "", point(t, p), a->alternatives ? "?" : "");
	}
	bt_open(t, "probe %s", buf_text(&b));
	if (events && glob)
		bt_line(t, no_event);
}
