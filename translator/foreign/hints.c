// SPDX-License-Identifier: GPL-2.0-or-later
// Hints of one line: if a script is a probe of DTrace, a definition of perf probe or a filter of strace -e, prints
// the equivalent probe of stap. Only the first line is read, after those with #pragma D.
#include "foreign/bt.h"
#include "foreign/foreign.h"
#include "util/str.h"

#include <regex.h>
#include <string.h>

enum { GROUPS = 8 };

// Matches a line with an extended regular expression; groups that are absent are "".
static bool match(const char *line, const char *pattern, char *group[GROUPS])
{
	regmatch_t found[GROUPS];
	regex_t re;
	bool ok;

	if (regcomp(&re, pattern, REG_EXTENDED))
		return false;
	ok = !regexec(&re, line, GROUPS, found, 0);
	regfree(&re);
	for (int i = 0; ok && i < GROUPS; i++)
		group[i] = found[i].rm_so < 0 ? "" : str_ndup(line + found[i].rm_so, (size_t)(found[i].rm_eo - found[i].rm_so));
	return ok;
}

// ---------------------------------------------------------------- DTrace: provider:module:function:name

static const struct { const char *provider, *name, *point; } dtrace_points[] = {
	{ "dtrace", "BEGIN", "begin" }, { "dtrace", "END", "end" }, { "dtrace", "ERROR", "error" },
	{ "sched", "on-cpu", "scheduler.cpu_on" }, { "sched", "off-cpu", "scheduler.cpu_off" },
	{ "sched", "wakeup", "scheduler.wakeup" }, { "proc", "create", "kprocess.create" },
	{ "proc", "exec", "kprocess.exec" }, { "proc", "exec-success", "kprocess.exec_complete" },
	{ "proc", "exit", "kprocess.exit" }, { "proc", "start", "kprocess.start" },
	{ "proc", "signal-send", "signal.send" }, { "io", "start", "ioblock.request" }, { "io", "done", "ioblock.end" },
	{ "tcp", "send", "tcp.sendmsg" }, { "tcp", "receive", "tcp.receive" }, { "udp", "send", "udp.sendmsg" },
};

static char *dtrace_timer(const char *name)
{
	char *g[GROUPS];
	const char *unit;

	if (match(name, "^profile-([0-9]+)(hz)?$", g))
		return str_printf("perf.sw.cpu_clock.hz(%s)", g[1]);
	if (!match(name, "^tick-([0-9]+)(hz|s|sec|ms|msec|us|usec)?$", g))
		return NULL;
	unit = !*g[2] ? "hz" : *g[2] == 's' ? "s" : *g[2] == 'm' ? "ms" : *g[2] == 'u' ? "us" : "hz";
	return str_printf("timer.%s(%s)", unit, g[1]);
}

// "libc", "libc.so" and "libc.so.6" name the same library; "a.out" and "" the program.
static const char *dtrace_library(const char *module)
{
	if (!*module || !strcmp(module, "a.out"))
		return "";
	return str_printf(".library(\"%s%s\")", module, strstr(module, ".so.") || str_is_glob(module) ? "" :
			  strstr(module, ".so") ? "*" : ".so*");
}

static char *dtrace_point(const char *provider, const char *module, const char *function, const char *name)
{
	const char *suffix = strcmp(name, "return") ? ".call" : ".return";
	struct buf mark = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(dtrace_points); i++)
		if (!strcmp(provider, dtrace_points[i].provider) && !strcmp(name, dtrace_points[i].name))
			return (char *)dtrace_points[i].point;
	if (!strcmp(provider, "profile"))
		return dtrace_timer(name);
	if (!strcmp(provider, "syscall"))
		return str_printf("syscall.%s%s", *function ? function : "*", strcmp(name, "return") ? "" : ".return");
	if (!strcmp(provider, "fbt") && *module && strcmp(module, "kernel") && strcmp(module, "vmlinux"))
		return str_printf("module(\"%s\").function(\"%s\")%s", module, *function ? function : "*", suffix);
	if (!strcmp(provider, "fbt"))
		return str_printf("kernel.function(\"%s\")%s", *function ? function : "*", suffix);
	if (!strcmp(provider, "sdt"))
		return str_printf("kernel.trace(\"%s\")", name);
	if (str_starts(provider, "pid"))
		return str_printf("process%s.function(\"%s\")%s", dtrace_library(module),
				  *function ? function : "*", suffix);
	for (const char *c = name; *c; c++)
		buf_puts(&mark, *c == '-' ? "__" : (char[]){ *c, 0 });
	return str_printf("process(\"PATH\").provider(\"%s\").mark(\"%s\")", provider, buf_text(&mark));
}

static char *dtrace(const char *line)
{
	char *g[GROUPS], *point;

	if (!match(line,
		   "^([a-z][a-zA-Z_0-9]*\\$?[a-z0-9]*):([^:{}\" ]*):([^:{}\" ]*):([a-zA-Z_0-9*?-]+)[[:space:]]*($|[/{,])",
		   g))
		return NULL;
	// Points of bpftrace may also have four parts, as in usdt:PATH:provider:name.
	if (bt_provider(g[1]) && strcmp(g[1], "profile"))
		return NULL;
	point = dtrace_point(g[1], g[2], g[3], g[4]);
	return point ? str_printf("this is a probe of DTrace; in stap's language: probe %s { ... }%s", point,
				  str_starts(g[1], "pid") ? " with -x PID or -c CMD" : "") : NULL;
}

// ---------------------------------------------------------------- strace -e

static const struct { const char *name, *calls;
} classes[] = {
	{ "file",
	  "open,openat,creat,stat,lstat,fstatat,statx,access,faccessat,mkdir,rmdir,unlink,unlinkat,rename,renameat2,"
	  "execve" },
	{ "process", "fork,vfork,clone,execve,execveat,exit,exit_group,wait4,waitid" },
	{ "network",
	  "socket,bind,connect,listen,accept,accept4,sendto,sendmsg,recvfrom,recvmsg,shutdown,setsockopt,getsockopt" },
	{ "net",
	  "socket,bind,connect,listen,accept,accept4,sendto,sendmsg,recvfrom,recvmsg,shutdown,setsockopt,getsockopt" },
	{ "signal", "kill,tkill,tgkill,rt_sigaction,rt_sigprocmask,sigaltstack" },
	{ "memory", "mmap,munmap,mprotect,mremap,brk,madvise,mlock" },
	{ "ipc", "msgget,msgsnd,msgrcv,semget,semop,shmget,shmat,shmdt" },
	{ "desc", "read,write,close,dup,dup2,dup3,fcntl,ioctl,poll,select,pread,pwrite" },
	{ "all", "*" },
};

static char *strace(const char *line)
{
	char *g[GROUPS];
	const char *calls;

	if (!match(line, "^(-e[[:space:]]*)?(trace|t)=%?([a-z_0-9,]+)[[:space:]]*$", g) &&
	    !match(line, "^(-e)([[:space:]]+)([a-z_0-9,]+)[[:space:]]*$", g))
		return NULL;
	calls = g[3];
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(calls, classes[i].name))
			calls = classes[i].calls;
	return str_printf("this is a filter of strace; in stap's language: probe syscall.%s%s%s { "
			  "printf(\"%%s(%%s)\\n\", name, argstr) }",
			  strchr(calls, ',') ? "{" : "", calls, strchr(calls, ',') ? "}" : "");
}

// ---------------------------------------------------------------- perf probe

// Translates arguments like "count file->f_pos name=arg:type $retval".
static char *perf_arguments(const char *text)
{
	struct buf format = { 0 }, values = { 0 };
	char *g[GROUPS];

	while (match(text, "^[[:space:]]*([a-zA-Z_0-9]+=)?([$%]?[a-zA-Z_][a-zA-Z_0-9.>-]*)(:[a-z0-9]+)?(.*)$", g)) {
		buf_printf(&format, "%s%s%s", format.len ? " " : "", g[2], !strcmp(g[3], ":string") ? "=%s" : "=%d");
		buf_printf(&values, !strcmp(g[3], ":string") ? ", kernel_string(%s%s)" : ", %s%s",
			   *g[2] == '$' ? "" : "$", !strcmp(g[2], "$retval") ? "$return" : g[2]);
		text = g[4];
	}
	if (!format.len)
		return "println(pp())";
	return str_printf("printf(\"%s\\n\"%s)", format.text, values.text);
}

static char *perf_probe(const char *line)
{
	char *g[GROUPS];
	bool is_return;

	// A line for /sys/kernel/tracing/kprobe_events: "p:group/event function", "r function".
	if (match(line, "^([pr])[0-9]*(:[a-zA-Z_0-9/]+)?[[:space:]]+([a-zA-Z_][a-zA-Z_0-9.]*)[[:space:]]*(.*)$", g))
		return str_printf("this is a definition of a kprobe event; in stap's language: probe "
				  "kernel.function(\"%s\").%s { println(pp()) }",
				  g[3], *g[1] == 'r' ? "return" : "call");
	if (!match(line, "^(-a[[:space:]]*|--add[= ])?([a-zA-Z_0-9:]+=)?([a-zA-Z_][a-zA-Z_0-9.]*)(@[^%[:space:]]+)?(%return)?"
			 "(([[:space:]]+([a-zA-Z_0-9]+=)?[$%]?[a-zA-Z_][]a-zA-Z_0-9.>:[-]*)*)[[:space:]]*$", g))
		return NULL;
	is_return = *g[5];
	if (!*g[1] && !*g[2] && !is_return && !strstr(g[6], "->"))
		return NULL;           // only words: it is more likely other text
	return str_printf(
		"this is a definition of perf probe; in stap's language: probe kernel.function(\"%s%s\").%s { %s }", g[3],
		g[4], is_return ? "return" : "call", perf_arguments(g[6]));
}

char *foreign_hint(const struct source *source)
{
	static const char *const own[] = { "probe", "global", "function", "private", "#", "//", "/*", "%", "@" };
	const char *line = source->text + strspn(source->text, " \t\n"), *end;
	static const char pragma[] = "#pragma D ";
	char *hint;
	bool one_line;
	size_t n;

	while (str_starts(line, pragma) && (end = strchr(line, '\n')))
		line = end + strspn(end, " \t\n");
	end = memchr(line, '\n', source->len - (size_t)(line - source->text));
	n = end ? (size_t)(end - line) : strlen(line);
	one_line = !end || !end[strspn(end, " \t\n")];
	if (n > 1000)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (str_starts(line, own[i]))
			return NULL;
	line = str_ndup(line, n);
	hint = dtrace(line);
	if (!hint && one_line)
		hint = strace(line);
	return hint || !one_line ? hint : perf_probe(line);
}
