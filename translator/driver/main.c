// SPDX-License-Identifier: GPL-2.0-or-later
// stap: reads the options and the texts of the script, then runs the passes in the order of a table, and with -v
// prints a line for each.
#include "config.h"
#include "streams.h"
#include "cache/cache.h"
#include "target/kernel.h"
#include "run/merge.h"
#include "run/remote.h"
#include "run/run.h"
#include "driver/bundle.h"
#include "driver/doctor.h"
#include "driver/example.h"
#include "driver/export.h"
#include "driver/manual.h"
#include "driver/complete_line.h"
#include "driver/prompt.h"
#include "driver/self_probes.h"
#include "driver/options.h"
#include "driver/objects.h"
#include "editor/format.h"
#include "editor/lint.h"
#include "foreign/foreign.h"
#include "parse/typography.h"
#include "server/server.h"
#include "session/passes.h"
#include "session/session.h"
#include "util/program_path.h"
#include "util/spawn.h"
#include "util/root.h"
#include "util/str.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { WALK_STACK = 100 << 20 };   // maximum size of the stack in passes 1 to 3, in bytes

static volatile sig_atomic_t interrupted;

// Context: a signal handler.
static void end_with(const char *message)
{
	ssize_t written = write(STDERR_FILENO, message, strlen(message));

	(void)written;
	session_abandon(EXIT_FAILURE);
}

// A pass checks `interrupted` when it ends; one that does not end within a second is ended here. If the reader of the
// output has closed it, stap ends at once.
static void on_signal(int sig)
{
	if (sig == SIGXCPU)
		end_with("ERROR: the limit of processor time is reached; raise --rlimit-cpu (ulimit -t)\n");
	if (sig == SIGALRM)
		end_with("Interrupted.\n");
	if (sig == SIGPIPE)
		session_abandon(128 + sig);
	diag_interrupted = interrupted = sig;
	alarm(1);
}

// ---------------------------------------------------------------- texts

enum { MAX_SCRIPT = 4 << 20 };     // maximum size in bytes; a larger script is a mistake or an attack

static void add_checked(struct session *s, const char *name, const char *text, size_t len)
{
	if (len > MAX_SCRIPT)
		die("the script %s is larger than %d MB", name, MAX_SCRIPT >> 20);
	session_source(s, name, text, len);
}

static void add_text(struct session *s, const char *name, const char *text)
{
	add_checked(s, name, text, strlen(text));
}

// Returns advice for a path that is not a script: an option with a typographic dash, or a command.
static const char *script_advice(const char *path)
{
	if (typography_option(path))
		return str_printf("; if it is an option, write %s", typography_option(path));
	if (!strchr(path, '/') && program_path(path))
		return str_printf("; %s is a command: stap --example trace -c %s prints its system calls", path, path);
	return "; give its path, or -e 'SCRIPT'";
}

static void add_file(struct session *s, const char *path)
{
	bool standard_input = strcmp(path, "-") == 0;
	size_t len;
	char *text = str_read_start(standard_input ? "/dev/stdin" : path, MAX_SCRIPT + 1, &len);

	if (!text)
		die("cannot read the script %s: %s%s", path, strerror(errno), script_advice(path));
	if (len > 4 && str_starts(text, "\177ELF"))
		die("%s is a program, not a script; write -c %s%s to run it while a script runs", path,
		    strchr(path, '/') ? "" : "./", path);
	add_checked(s, standard_input ? "<input>" : path, text, len);
}

static void add_texts(struct session *s)
{
	const struct options *o = &s->opt;

	if (o->script_text) {
		add_text(s, "<input>", o->script_text);
		s->sources.at[s->sources.n - 1]->command_line = true;
	} else if (o->script_file) {
		add_file(s, o->script_file);
	}
	for (int i = 0; i < o->extra_scripts.n; i++)
		add_text(s, o->extra_scripts.n > 1 ? str_printf("<-E %d>", i + 1) : "<-E>", o->extra_scripts.at[i]);
	if (o->timeout_s > 0)
		add_text(s, TIMEOUT_SOURCE, str_printf("probe timer.ms(%d) { exit() }", (int)(o->timeout_s * 1000 + 0.5)));
}

// ---------------------------------------------------------------- the target

// A module that the user may not load is not built: pass 2 reports the error in the script.
static void choose_privilege(struct options *o)
{
	if (o->privilege_given || o->last_pass < 5 || o->vm || o->remotes.n || o->user_runtime || o->bpf_runtime)
		return;
	o->privilege = run_privilege();
	if (o->privilege != PRIVILEGE_STAPDEV && o->guru)
		die("-g requires membership of the group stapdev, since guru mode is unrestricted (-p4 and --vm do "
		    "not require it)");
}

// Returns whether the options only request a run on this host, which BPF programs also support.
static bool may_become_bpf(const struct options *o)
{
	bool elsewhere = o->vm || o->remotes.n || o->release || o->arch || o->build_tree;
	bool no_script = (!o->script_text && !o->script_file) || o->list || o->dump || o->doctor || o->from_bpftrace ||
		o->language_server;
	bool module_only = o->bulk || o->switching || o->flight_recorder || o->timing ||
		o->guru || o->privilege_given;

	return !o->runtime_given && o->last_pass == 5 && !elsewhere && !no_script && !module_only;
}

// If this kernel loads no modules and the user has not selected a runtime, scripts run as BPF programs.
static void choose_runtime(struct options *o)
{
	const char *why = may_become_bpf(o) ? run_no_modules() : NULL;

	if (!why || geteuid() || access("/sys/kernel/btf/vmlinux", R_OK) || !spawn_find("clang"))
		return;
	o->bpf_runtime = true;
	fprintf(stderr, "%s: the script runs as BPF programs (--runtime=bpf)\n", why);
}

static void choose_target(struct session *s)
{
	struct options *o = &s->opt;
	struct utsname host;

	if (o->dump == DUMP_PROBE_TYPES)
		return;
	uname(&host);
	choose_runtime(o);
	choose_privilege(o);
	if (o->release && !o->headers.n && !o->image)
		o->release = kernel_complete_release(o->release);
	if (o->vm_release)
		o->vm_release = kernel_complete_release(o->vm_release);
	if (o->vm && !o->vm_release)
		o->vm_release = o->release ? o->release : vm_default_release();
	if (o->vm)
		o->release = o->vm_release;
	if (!o->release && !o->headers.n && !o->image && !root_is_set())
		o->release = str_dup(host.release);
	if (o->user_runtime)
		return;
	s->kernel = kernel_open(s);
	if (!o->release)
		o->release = s->kernel->release;
	if (o->remotes.n || o->last_pass < 5)
		return;
	if (strcmp(s->kernel->arch, kernel_host_arch())) {
		diag_warning((struct loc){ 0 }, "the module is for %s, but this host is %s: it is built, not run "
			     "(as with -p4)",
			     s->kernel->arch, kernel_host_arch());
		o->last_pass = 4;
	} else if (!o->vm && strcmp(s->kernel->release, host.release)) {
		diag_warning((struct loc){ 0 }, "the module is for %s, but this host runs %s: it is built, not run "
			     "(as with -p4)",
			     s->kernel->release, host.release);
		o->last_pass = 4;
	}
}

// ---------------------------------------------------------------- passes

static void print_parse(struct session *s)
{
	struct buf b = { 0 };

	print_parsed(s, &b);
	fwrite(buf_text(&b), 1, b.len, stdout);
}

static void print_elab(struct session *s)
{
	struct buf b = { 0 };

	print_elaborated(s, &b);
	fwrite(buf_text(&b), 1, b.len, stdout);
}

static void print_c(struct session *s)
{
	fwrite(s->c_text, 1, s->c_len, stdout);
}

static const char *printed_path(const struct session *s)
{
	return s->stored_path ? s->stored_path : s->module_path;
}

static void print_module(struct session *s)
{
	if (s->opt.merge == MERGE_HOST)
		merge_deliver(s);
	else if (s->opt.bundle)
		bundle_put(s);
	else
		puts(printed_path(s));
}

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

static int used_functions(const struct session *s)
{
	int n = 0;

	for (int i = 0; i < s->script.funcs.n; i++)
		n += s->script.funcs.at[i]->used;
	return n;
}

static int used_globals(const struct session *s)
{
	int n = 0;

	for (int i = 0; i < s->script.globals.n; i++)
		n += s->script.globals.at[i]->read || s->script.globals.at[i]->written;
	return n;
}

static char *parse_summary(struct session *s)
{
	return str_printf("parsed user script and %d library script%s", s->library_files, plural(s->library_files));
}

static char *elab_summary(struct session *s)
{
	int probes = s->script.probes.n, functions = used_functions(s), globals = used_globals(s);

	return str_printf("analyzed script: %d probe%s, %d function%s, %d embed%s, %d global%s, %d library script%s",
			  probes, plural(probes), functions, plural(functions), s->script.embedded.n,
			  plural(s->script.embedded.n), globals, plural(globals), s->library_files,
			  plural(s->library_files));
}

static char *c_summary(struct session *s)
{
	return str_printf("translated to C, %zu bytes", s->c_len);
}

static char *build_summary(struct session *s)
{
	return str_printf("%s \"%s\"", s->module_cached ? "using cached" : "compiled C into", printed_path(s));
}

static const struct pass {
	int number;
	int (*run)(struct session *s);
	void (*print)(struct session *s);  // prints the result for -pN
	char *(*summary)(struct session *s);   // returns the line for -v
} passes[] = {
	{ 1, pass_parse, print_parse, parse_summary },
	{ 2, pass_elaborate, print_elab, elab_summary },
	{ 3, pass_emit, print_c, c_summary },
	{ 4, pass_build, print_module, build_summary },
};

struct stamp { struct rusage self, children; struct timespec real; };

static struct stamp stamp_now(void)
{
	struct stamp t;

	getrusage(RUSAGE_SELF, &t.self);
	getrusage(RUSAGE_CHILDREN, &t.children);
	clock_gettime(CLOCK_MONOTONIC, &t.real);
	return t;
}

static long ms(struct timeval a, struct timeval b)
{
	return (b.tv_sec - a.tv_sec) * 1000 + (b.tv_usec - a.tv_usec) / 1000;
}

static char *times(const struct stamp *from)
{
	struct stamp to = stamp_now();
	long real = (to.real.tv_sec - from->real.tv_sec) * 1000 + (to.real.tv_nsec - from->real.tv_nsec) / 1000000;

	return str_printf("%ldusr/%ldsys/%ldreal ms",
			  ms(from->self.ru_utime, to.self.ru_utime) + ms(from->children.ru_utime, to.children.ru_utime),
			  ms(from->self.ru_stime, to.self.ru_stime) + ms(from->children.ru_stime, to.children.ru_stime),
			  real);
}

static char *memory(void)
{
	long virt = 0, res = 0, shr = 0, text = 0, lib = 0, data = 0, kb = sysconf(_SC_PAGESIZE) / 1024;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f) {
		if (fscanf(f, "%ld %ld %ld %ld %ld %ld", &virt, &res, &shr, &text, &lib, &data) != 6)
			virt = 0;
		fclose(f);
	}
	return str_printf("%ldvirt/%ldres/%ldshr/%lddata kb", virt * kb, res * kb, shr * kb, data * kb);
}

// The line refers to a manual page only if that page says more than the errors. An error of pass 3 is a bug of the
// translator, and the page says how to report it.
static void report_failure(const struct session *s, int number)
{
	static const char *const names[] = { "parse", "analysis", "translation", "compilation" };
	const char *page = number == 3 ? "error::pass3" : diag_page();

	page = page ? manual_page(s, page) : NULL;
	fprintf(stderr, "Pass %d: %s failed.%s\n", number, names[number - 1], page ? str_printf("  [man %s]", page) : "");
}

// Returns true if the next pass is to be run.
static bool run_pass(struct session *s, const struct pass *p)
{
	struct stamp from = stamp_now();
	int errors;

	diag_kind(p->number == 1 ? "parse" : "semantic");
	diag_options.verbose = s->opt.verbose[p->number];
	mark_pass(s, p->number, false);
	errors = p->run(s) + diag_errors();
	mark_pass(s, p->number, true);
	diag_summary();
	if (errors && s->opt.example && s->arguments_missing)
		example_print_usage(s);
	if (errors || interrupted) {
		if (interrupted)
			fprintf(stderr, "Interrupted in pass %d.\n", p->number);
		else
			report_failure(s, p->number);
		return false;
	}
	if (s->opt.verbose[p->number])
		fprintf(stderr, "Pass %d: %s using %s, in %s.\n", p->number, p->summary(s), memory(), times(&from));
	return true;
}

static int run_last(struct session *s)
{
	struct stamp from = stamp_now();
	bool verbose = s->opt.verbose[5] > 0;
	int status;

	if (verbose)
		fprintf(stderr, "Pass 5: starting run.\n");
	fflush(NULL);
	mark_pass(s, 5, false);
	status = pass_run(s);
	mark_pass(s, 5, true);
	if (verbose)
		fprintf(stderr, "Pass 5: run completed in %s.\n", times(&from));
	if (status == 128 + SIGINT)
		fprintf(stderr, "Interrupted in pass 5.\n");
	else if (status && status != EXIT_COMMAND && !(status == EXIT_LOSSES && s->opt.strict))
		fputs("Pass 5: run failed.\n", stderr);
	return status == EXIT_LOSSES && s->opt.strict ? status : status ? EXIT_FAILURE : EXIT_SUCCESS;
}

// A chain of operators is a tree as deep as the chain is long, and passes 1 to 3 visit it by recursion. The kernel
// reserves at least 128 MB of address space for the stack whatever the limit was when the program began (mmap_base(),
// 5.10 to 7.2). Programs that are started later get the user's limit.
static void limit_stack(bool passes_1_to_3)
{
	static struct rlimit before;
	struct rlimit limit;

	if (!passes_1_to_3) {
		setrlimit(RLIMIT_STACK, &before);
		return;
	}
	if (getrlimit(RLIMIT_STACK, &before))
		return;
	limit = before;
	if (limit.rlim_cur < WALK_STACK)
		limit.rlim_cur = limit.rlim_max < WALK_STACK ? limit.rlim_max : WALK_STACK;
	setrlimit(RLIMIT_STACK, &limit);
}

static int run_passes(struct session *s)
{
	limit_stack(true);
	if (foreign_refuse(s))
		return EXIT_FAILURE;
	for (const struct pass *p = passes; p < END(passes) && p->number <= s->opt.last_pass; p++) {
		if (p->number == 2 && s->opt.last_pass >= 4)
			pass_build_prepare(s);
		if (!run_pass(s, p))
			return EXIT_FAILURE;
		// Checked only after pass 2, so that errors of the script are reported first.
		if (p->number == 2 && s->opt.last_pass == 5 && s->kernel && !s->opt.vm && !s->opt.remotes.n &&
		    !s->opt.bpf_runtime)
			run_need_modules();
		if (p->number == 2 || s->opt.last_pass < 2)
			limits_check_unused(s);
		if (p->number == 3)
			limit_stack(false);
		if (p->number == s->opt.last_pass)
			p->print(s);
	}
	if (s->opt.last_pass == 5)
		return run_last(s);
	if (fflush(stdout) == EOF || ferror(stdout))
		die("cannot write to standard output: %s", strerror(errno));
	return EXIT_SUCCESS;
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGXCPU };

	struct sigaction before, pipe;

	spawn_note_ignored();
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (signals[i] != SIGHUP || sigaction(SIGHUP, NULL, &before) || before.sa_handler != SIG_IGN)  // nohup
			sigaction(signals[i], &sa, NULL);
	stack_overflow_catch();
	signal(SIGXFSZ, SIG_IGN);          // write() returns EFBIG at the limit of ulimit -f
	// SIGPIPE has its default action unless stap was started with it ignored: then write() returns an error,
	// which is reported.
	if (!sigaction(SIGPIPE, NULL, &pipe) && pipe.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &sa, NULL);
}

static bool is_script(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

// Runs the completion, the prompt, the language server, --fmt or --lint if an option selects it, and sets *status
// to the exit status of stap. Returns false if none is selected, after adding the texts of the script.
static bool run_tool(struct session *s, int *status)
{
	if (s->opt.complete) {
		*status = complete_line(s);
	} else if (s->opt.interactive) {
		*status = prompt_run(s);
	} else if (s->opt.language_server) {
		limit_stack(true);
		*status = server_run(s, choose_target);
	} else {
		add_texts(s);
		if (!s->opt.format && !s->opt.lint)
			return false;
		*status = s->opt.lint ? lint_run(s) : format_run(s);
	}
	return true;
}

static int run_script(struct session *s)
{
	choose_target(s);
	objects_check(s);
	limits_check(s);
	mark_pass(s, 0, true);
	if (s->opt.doctor)
		return doctor_run(s);
	if (s->opt.from_bpftrace) {
		limit_stack(true);
		return foreign_print(s);
	}
	if (s->opt.list || s->opt.dump)
		return list_run(s);
	if (s->opt.export) {
		limit_stack(true);
		export_add(s);
	}
	return run_passes(s);
}

int main(int argc, char **argv)
{
	struct session *s;
	int status;

	if (!stp_streams_open())
		return EXIT_FAILURE;
	mem_init();
	s = NEW(struct session);
	if (argc > 1 && !strcmp(argv[1], "report") && !is_script("report"))
		report_recorded(s, argv + 2);
	catch_signals();
	options_parse(&s->opt, argc, argv);
	mark_pass(s, 0, false);
	session_find_directories(s);
	if (s->opt.example && !example_select(s))
		return EXIT_SUCCESS;
	if (s->opt.remotes.n && remote_open(&s->opt, &status))
		return status;
	if (s->opt.bundle && bundle_make(&s->opt, &status))
		return status;
	session_open(s);
	cache_open(s);
	if (s->opt.clean_cache) {
		cache_clean(s);
		session_close(s);
		return EXIT_SUCCESS;
	}
	if (run_tool(s, &status)) {
		session_close(s);
		return status;
	}
	status = run_script(s);
	if (s->opt.keep_tmp)
		fprintf(stderr, "Keeping temporary directory \"%s\"\n", s->tmp_dir);
	mark_pass(s, 6, false);
	session_close(s);
	mark_pass(s, 6, true);
	return status;
}
