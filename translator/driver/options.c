// SPDX-License-Identifier: GPL-2.0-or-later
// argv -> struct options. One row of option_table[] is one option: its letters, its argument, the line of --help and
// the function that stores it.
#include "config.h"
#include "driver/bad_option.h"
#include "driver/options.h"
#include "driver/benchmark.h"
#include "parse/typography.h"
#include "driver/rc.h"
#include "util/progress.h"
#include "util/str.h"

#include <errno.h>
#include <getopt.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool matches(const char *text, const char *pattern)
{
	regex_t re;
	bool ok;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB | REG_ICASE))
		return false;
	ok = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return ok;
}

static struct limit name_value(const char *arg)
{
	const char *eq = strchr(arg, '=');
	struct limit l = { str_ndup(arg, eq ? (size_t)(eq - arg) : strlen(arg)), eq ? eq + 1 : "1" };

	return l;
}

static void set_pass(struct options *o, const char *arg)
{
	if (strlen(arg) != 1 || *arg < '1' || *arg > '5')
		options_misused("-p takes a pass number from 1 to 5, not \"%s\"%s", arg,
				strspn(arg, "0123456789") == strlen(arg) && strlen(arg) > 1 ? "; -x PID selects a process" : "");
	o->last_pass = *arg - '0';
}

static void add_object(struct options *o, const char *arg)
{
	vec_push(&o->objects, arg);
}

static void set_libraries(struct options *o, const char *arg)
{
	o->libraries = true;
}

// Accepts --all-modules, which has no effect: the kernel itself provides the names of all its modules.
static void accept_all_modules(struct options *o, const char *arg)
{
}

static void set_verbose(struct options *o, const char *arg)
{
	for (int pass = 1; pass <= 5; pass++)
		o->verbose[pass]++;
}

static void set_verbose_passes(struct options *o, const char *arg)
{
	if (!matches(arg, "^[0-9]{1,5}$"))
		options_misused("--vp takes one to five digits, a verbosity for each pass, not \"%s\"", arg);
	for (int pass = 1; arg[pass - 1]; pass++)
		o->verbose[pass] += arg[pass - 1] - '0';
}

static void set_script(struct options *o, const char *arg)
{
	if (o->script_text)
		options_misused("-e can be given once; use -E for more scripts");
	o->script_text = arg;
}

static void add_script(struct options *o, const char *arg)
{
	vec_push(&o->extra_scripts, arg);
}

static void set_keep(struct options *o, const char *arg)
{
	o->keep_tmp = true;
}

static void set_guru(struct options *o, const char *arg)
{
	o->guru = true;
}

static void set_unoptimized(struct options *o, const char *arg)
{
	o->no_optimize = true;
}

static void set_no_warnings(struct options *o, const char *arg)
{
	diag_options.no_warnings = true;
}

static void set_warnings_errors(struct options *o, const char *arg)
{
	diag_options.warnings_are_errors = true;
}

static void set_module(struct options *o, const char *arg)
{
	char *name = str_ends(arg, ".ko") ? str_ndup(arg, strlen(arg) - 3) : str_dup(arg);

	if (!matches(name, "^[a-z0-9_]{1,55}$"))
		options_misused("-m takes a module name of at most 55 letters, digits and \"_\", not \"%s\"", arg);
	o->module_name = name;
}

static void add_include(struct options *o, const char *arg)
{
	options_need_directory("-I ", arg, R_OK | X_OK);
	vec_push(&o->include_dirs, arg);
}

static void add_define(struct options *o, const char *arg)
{
	if (!matches(arg, "^[a-z_][a-z_0-9]*(=-?[a-z_0-9]+)?$"))
		options_misused("-D takes NAME or NAME=VALUE of letters, digits and \"_\", not \"%s\"", arg);
	vec_push(&o->defines, name_value(arg));
	o->timing |= str_starts(arg, "STP_TIMING") || str_starts(arg, "STP_ALIBI");     // also matches STP_TIMING_NSECS
}

static void add_global(struct options *o, const char *arg)
{
	if (!matches(arg, "^[a-z_][a-z0-9_]*=.*$"))
		options_misused("-G takes NAME=VALUE, not \"%s\"", arg);
	vec_push(&o->globals, name_value(arg));
}

static void add_modinfo(struct options *o, const char *arg)
{
	if (!matches(arg, "^[a-z_][a-z0-9_]*=[^\"\\\\[:cntrl:]]+$"))
		options_misused("--modinfo takes NAME=VALUE without quotes and backslashes, not \"%s\"", arg);
	if (str_starts(arg, "stap_") || str_starts(arg, "license="))
		options_misused("--modinfo %s: that name is reserved", arg);
	vec_push(&o->modinfo, name_value(arg));
}

static void set_runtime_dir(struct options *o, const char *arg)
{
	if (access(str_printf("%s/kernel/sources", arg), R_OK) < 0)
		options_misused("-R %s: no runtime sources found there (kernel/sources: %s)", arg, strerror(errno));
	o->runtime_dir = realpath(arg, NULL);
}

static void set_download(struct options *o, const char *arg)
{
	if (arg && !matches(arg, "^(yes|no|ask|[1-9][0-9]*)$"))
		options_misused("--download-debuginfo takes yes, no, ask or seconds, not \"%s\"", arg);
	if (arg && !strcmp(arg, "no"))
		unsetenv("DEBUGINFOD_URLS");
}

static void set_remote_prefix(struct options *o, const char *arg)
{
	o->remote_prefix = true;
}

static void set_merge(struct options *o, const char *arg)
{
	o->merge = MERGE_HERE;
}

static void no_servers(struct options *o, const char *arg)
{
	options_misused("compile servers are not supported: build for another host with -r RELEASE -p4 and copy the module to "
	      "it, or use --remote");
}

static void add_make_var(struct options *o, const char *arg)
{
	if (!matches(arg, "^[a-z_][a-z0-9_]*(=.*)?$"))
		options_misused("-B takes a variable of make, NAME=VALUE, or a target, not \"%s\"", arg);
	vec_push(&o->make_vars, arg);
}

static void set_output(struct options *o, const char *arg)
{
	o->output = strcmp(arg, "-") ? arg : NULL;
}

static void set_switching(struct options *o, const char *arg)
{
	if (!matches(arg, "^[1-9][0-9]{0,5}(,[1-9][0-9]{0,5})?$"))
		options_misused("-S takes megabytes, or megabytes and a number of files (\"10,5\"), not \"%s\"", arg);
	o->switching = arg;
}

static void set_bulk(struct options *o, const char *arg)
{
	o->bulk = true;
}

static void set_timing(struct options *o, const char *arg)
{
	o->timing = true;
}

static void set_strict(struct options *o, const char *arg)
{
	o->strict = true;
}

static void suppress_errors(struct options *o, const char *arg)
{
	o->suppress_errors = true;
}

static void suppress_time_limits(struct options *o, const char *arg)
{
	o->suppress_time_limits = true;
}

static void set_flight_recorder(struct options *o, const char *arg)
{
	o->flight_recorder = true;
}

static int process_id(const char *option, const char *arg)
{
	int64_t pid;

	if (!str_number(arg, 1, 1 << 22, &pid))
		options_misused("%s takes a process id, not \"%s\"; pgrep -a NAME lists processes with their IDs", option, arg);
	return (int)pid;
}

static void set_namespaces(struct options *o, const char *arg)
{
	o->namespaces_pid = process_id("--target-namespaces", arg);
}

static void set_command(struct options *o, const char *arg)
{
	o->command = arg;
}

static void set_target(struct options *o, const char *arg)
{
	o->target_pid = process_id("-x", arg);
}

static void set_buffer(struct options *o, const char *arg)
{
	int64_t mb;

	if (!str_number(arg, 1, 4095, &mb))
		options_misused("-s takes megabytes from 1 to 4095, not \"%s\"", arg);
	o->buffer_mb = (int)mb;
}

static void set_timeout(struct options *o, const char *arg)
{
	if (!str_real(arg, 0.001, 86400, &o->timeout_s))
		options_misused("-T takes seconds from 0.001 to 86400, not \"%s\"", arg);
}

static void set_runtime(struct options *o, const char *arg)
{
	static const char *const names[] = { "kernel", "user", "dyninst", "bpf" };
	size_t i = 0;

	while (i < ARRAY_SIZE(names) && strcmp(arg, names[i]))
		i++;
	if (i == ARRAY_SIZE(names))
		options_misused("--runtime takes \"kernel\", \"user\" or \"bpf\", not \"%s\"", arg);
	o->bpf_runtime = i == 3;
	o->runtime_given = true;
	o->user_runtime = i == 1 || i == 2;
}

static void set_dyninst(struct options *o, const char *arg)
{
	set_runtime(o, "dyninst");
}

static void set_bpf(struct options *o, const char *arg)
{
	set_runtime(o, "bpf");
}

static void set_vm(struct options *o, const char *arg)
{
	o->vm = true;
	o->vm_release = arg;
}

static void set_list(struct options *o, const char *arg)
{
	if (o->script_text)
		options_misused("-l, -L and -e cannot be used together, and -l or -L can be given once");
	if (!*arg)
		options_misused("-l and -L take a probe point, which may have wildcards");
	o->list = true;
	o->script_text = str_printf("probe %s {}", arg);
}

static void set_list_vars(struct options *o, const char *arg)
{
	set_list(o, arg);
	o->list_vars = true;
}

static void set_source(struct options *o, const char *arg)
{
	if (arg && !*arg)
		options_misused("--source takes a directory, or nothing");
	o->list_source = true;
	o->source_dir = arg;
}

static void set_json(struct options *o, const char *arg)
{
	o->json = true;
}

// stap-report checks the formats
static void set_dump(struct options *o, enum dump what)
{
	if (o->dump && o->dump != what)
		options_misused("only one --dump option can be given");
	o->dump = what;
}

static void set_dump_types(struct options *o, const char *arg)
{
	set_dump(o, DUMP_PROBE_TYPES);
}

static void set_dump_aliases(struct options *o, const char *arg)
{
	set_dump(o, DUMP_PROBE_ALIASES);
}

static void set_dump_functions(struct options *o, const char *arg)
{
	set_dump(o, DUMP_FUNCTIONS);
}

static void set_types(struct options *o, const char *arg)
{
	const char *at = strchr(arg, '@');

	set_dump(o, DUMP_LAYOUT);
	if (!*arg || at == arg || (at && !at[1]))
		options_misused("--types takes NAME or NAME@MODULE, such as \"struct file\", loop_device@loop, stat@/bin/ls");
	o->types = arg;
}

static void set_no_cache(struct options *o, const char *arg)
{
	o->disable_cache = true;
}

static void set_clean_cache(struct options *o, const char *arg)
{
	o->clean_cache = true;
}

static void set_kbuild(struct options *o, const char *arg)
{
	o->kbuild = true;
}

static void set_no_autoprint(struct options *o, const char *arg)
{
	o->no_autoprint = true;
}

static void set_compatible(struct options *o, const char *arg)
{
	if (!matches(arg, "^[0-9]+([.][0-9]+)*$"))
		options_misused("--compatible takes a version of the language such as 4.9, not \"%s\"", arg);
	if (strverscmp(arg, LANGUAGE_VERSION) > 0)
		options_misused("--compatible=%s is newer than the newest version, " LANGUAGE_VERSION "", arg);
	o->compatible = arg;
	o->compatible_given = true;
}

static void set_check_version(struct options *o, const char *arg)
{
	o->check_version = true;
}

static void set_skip_badvars(struct options *o, const char *arg)
{
	o->skip_badvars = true;
}

static void set_keep_going(struct options *o, const char *arg)
{
	o->keep_going = true;
	diag_options.all = true;
}

static void set_poison_cache(struct options *o, const char *arg)
{
	o->poison_cache = true;
}

static void set_tmp_dir(struct options *o, const char *arg)
{
	options_need_directory("--tmpdir=", arg, R_OK | W_OK | X_OK);
	o->tmp_dir = arg;
}

static void set_privilege(struct options *o, const char *arg)
{
	static const char *const names[] = { "stapdev", "stapsys", "stapusr" };

	o->privilege_given = true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(arg, names[i])) {
			o->privilege = (enum privilege)i;
			return;
		}
	options_misused("--privilege takes stapusr, stapsys or stapdev, not \"%s\"", arg);
}

static void set_unprivileged(struct options *o, const char *arg)
{
	o->privilege = PRIVILEGE_STAPUSR;
	o->privilege_given = true;
}

// Accepts --prologue-searching, which has no effect: parameters are read from their locations at the function's
// entry.
static void set_prologue(struct options *o, const char *arg)
{
	if (arg && strcmp(arg, "auto") && strcmp(arg, "always") && strcmp(arg, "never"))
		options_misused("--prologue-searching takes auto, always or never, not \"%s\"", arg);
}

static void set_limit(int what, const char *name, const char *arg)
{
	struct rlimit limit;
	int64_t n;

	if (!str_number(arg, 0, INT64_MAX, &n))
		options_misused("--rlimit-%s takes a number from 0 to %lld, not \"%s\"", name, (long long)INT64_MAX, arg);
	limit.rlim_cur = limit.rlim_max = (rlim_t)n;
	if (what == RLIMIT_CPU)
		limit.rlim_max++;          // at the soft limit the kernel sends SIGXCPU, which stap reports; at the
					   // hard limit SIGKILL
	if (setrlimit(what, &limit) < 0)
		options_misused("--rlimit-%s=%s: %s", name, arg, strerror(errno));
}

static void set_limit_as(struct options *o, const char *arg) { set_limit(RLIMIT_AS, "as", arg); }
static void set_limit_cpu(struct options *o, const char *arg) { set_limit(RLIMIT_CPU, "cpu", arg); }
static void set_limit_nproc(struct options *o, const char *arg) { set_limit(RLIMIT_NPROC, "nproc", arg); }
static void set_limit_stack(struct options *o, const char *arg) { set_limit(RLIMIT_STACK, "stack", arg); }
static void set_limit_fsize(struct options *o, const char *arg) { set_limit(RLIMIT_FSIZE, "fsize", arg); }

// Stores the rest for --benchmark-sdt, which reads the numbers when it runs.
static int64_t benchmark_loops = 1000000, benchmark_threads = 1;

static void set_benchmark_loops(struct options *o, const char *arg)
{
	if (!str_number(arg, 0, INT64_MAX, &benchmark_loops))
		options_misused("--benchmark-sdt-loops takes a number, not \"%s\"", arg);
}

static void set_benchmark_threads(struct options *o, const char *arg)
{
	if (!str_number(arg, 1, BENCHMARK_THREADS_MAX, &benchmark_threads))
		options_misused("--benchmark-sdt-threads takes a number from 1 to %d, not \"%s\"", BENCHMARK_THREADS_MAX, arg);
}

static void run_benchmark(struct options *o, const char *arg)
{
	exit(benchmark_sdt(benchmark_loops, benchmark_threads));
}

static void set_from(struct options *o, const char *arg)
{
	if (strcmp(arg, "bpftrace"))
		options_misused("--from takes bpftrace, the language that scripts are translated from, not \"%s\"", arg);
	o->from_bpftrace = true;
}

static void set_format(struct options *o, const char *arg)
{
	if (arg && strcmp(arg, "write") && strcmp(arg, "check"))
		options_misused("--fmt takes write or check, not \"%s\"", arg);
	o->format = !arg ? FORMAT_PRINT : *arg == 'w' ? FORMAT_WRITE : FORMAT_CHECK;
}

static void set_lint(struct options *o, const char *arg)
{
	o->lint = true;
}

static void set_doctor(struct options *o, const char *arg)
{
	o->doctor = true;
}

static void set_language_server(struct options *o, const char *arg)
{
	o->language_server = true;
}

static void set_interactive(struct options *o, const char *arg)
{
	o->interactive = true;
}

static void set_complete(struct options *o, const char *arg)
{
	o->complete = arg;
}

static void set_example(struct options *o, const char *arg)
{
	o->example = true;
	if (arg)
		o->script_file = arg;
}

static void set_quiet(struct options *o, const char *arg)
{
	o->quiet = true;
	progress_off();
}

static void set_exclude_self(struct options *o, const char *arg)
{
	o->exclude_self = true;
}

static void set_follow(struct options *o, const char *arg)
{
	o->follow = true;
}

static void set_show(struct options *o, const char *arg)
{
	o->example_show = true;
}

// Accepts --save-uprobes, which has no effect: only obsolete kernels had uprobes in a separate module.
static void accept_save_uprobes(struct options *o, const char *arg)
{
}

static void set_color(struct options *o, const char *arg)
{
	if (arg && strcmp(arg, "auto") && strcmp(arg, "always") && strcmp(arg, "never"))
		options_misused("--color takes auto, always or never, not \"%s\"", arg);
	if (arg && strcmp(arg, "auto"))
		diag_options.color = *arg == 'a';
}

static void show_version(struct options *o, const char *arg)
{
	printf("Quicktap translator/driver, version " PACKAGE_VERSION "\n"
	       "This is free software under the GNU General Public License, version 2 or later.\n"
	       "Runtimes: kernel user bpf. Speaks the SystemTap language as of " LANGUAGE_VERSION ".\n");
	exit(EXIT_SUCCESS);
}

static void show_help(struct options *o, const char *arg);

enum takes { NOTHING, VALUE, MAYBE };

static const struct option_row {
	char letter;                   // 0: the option has only a long form
	const char *word;              // NULL: the option has only a letter
	enum takes takes;
	const char *value, *help;
	void (*set)(struct options *o, const char *arg);   // NULL: the option is rejected, and `help` is the
							   // alternative
} option_table[] = {
	{ 'e', NULL, VALUE, "SCRIPT", "run SCRIPT", set_script },
	{ 0, "example", MAYBE, "NAME", "run the example script of that name, or list all", set_example },
	{ 0, "show", NOTHING, NULL, "print the script of --example instead of running it", set_show },
	{ 0, "from", VALUE, "bpftrace", "translate a script of bpftrace and print it", set_from },
	{ 0, "fmt", MAYBE, "HOW", "print scripts in the standard layout; write: change the\n"
	"files; check: list files in another layout", set_format },
	{ 0, "lint", NOTHING, NULL, "check a script for unused names and costly probes, do not run it", set_lint },
	{ 0, "doctor", NOTHING, NULL, "list what this machine can do, with advice on what is missing", set_doctor },
	{ 'E', NULL, VALUE, "SCRIPT", "run SCRIPT too (may be repeated)", add_script },
	{ 'l', NULL, VALUE, "POINT", "list the probe points that match", set_list },
	{ 'L', NULL, VALUE, "POINT", "list them and their variables", set_list_vars },
	{ 0, "source", MAYBE, "DIR", "print the source line of each point of -L", set_source },
	{ 0, "json", NOTHING, NULL, "print the output, or the lists of -l, -L, --dump and --doctor, as JSON", set_json },
	{ 0, "types", VALUE, "NAME[@MODULE]", "print the layout of a struct, union or enum in memory;\nMODULE as "
	"that of @cast: a module, a program, <header.h>", set_types },
	{ 0, "dump-probe-types", NOTHING, NULL, "list the kinds of probe points", set_dump_types },
	{ 0, "dump-probe-aliases", NOTHING, NULL, "list the library's probe aliases", set_dump_aliases },
	{ 0, "dump-functions", NOTHING, NULL, "list the library's functions", set_dump_functions },
	{ 0, "benchmark-sdt-loops", VALUE, "N", "set the number of rounds of --benchmark-sdt", set_benchmark_loops },
	{ 0, "benchmark-sdt-threads", VALUE, "N", "set the number of threads of "
	"--benchmark-sdt", set_benchmark_threads },
	{ 0, "benchmark-sdt", NOTHING, NULL, "measure the cost of markers in programs", run_benchmark },
	{ 'p', NULL, VALUE, "N", "stop after pass N and show its result: 1 parse, 2 elaborate,\n"
	  "3 translate, 4 build, 5 run (default)", set_pass },
	{ 'v', "verbose", NOTHING, NULL, "print more about every pass (may be repeated)", set_verbose },
	{ 0, "vp", VALUE, "12345", "set the verbosity of each pass, as one digit per pass", set_verbose_passes },
	{ 'q', NULL, NOTHING, NULL, "do not show progress on the terminal", set_quiet },
	{ 'k', NULL, NOTHING, NULL, "keep the temporary directory", set_keep },
	{ 'g', NULL, NOTHING, NULL, "enable guru mode: embedded C, writing to target variables", set_guru },
	{ 'u', NULL, NOTHING, NULL, "do not optimise the script", set_unoptimized },
	{ 'w', NULL, NOTHING, NULL, "suppress warnings", set_no_warnings },
	{ 'W', NULL, NOTHING, NULL, "treat warnings as errors", set_warnings_errors },
	{ 'm', NULL, VALUE, "NAME", "set the name of the module, keep it in the current directory", set_module },
	{ 'r', NULL, VALUE, "RELEASE", "build for that kernel, or for the build tree /DIR", options_set_release },
	{ 'a', NULL, VALUE, "ARCH", "build for a kernel of that machine: x86_64, arm64", options_set_arch },
	{ 0, "headers", VALUE, "PATH", "build with the headers in that package (.deb, .rpm, tar file)\nor directory (may be "
	"repeated); nothing is installed", options_add_headers },
	{ 0, "image", VALUE, "PATH", "take types and functions from that vmlinuz or vmlinux, or from\nthe package that "
	"has it", options_set_image },
	{ 0, "sign-module", MAYBE, "KEY[,CERT]", "sign the module for kernels that require it (Secure Boot),\nby default with "
	"the host's own key for modules", options_set_sign_module },
	{ 0, "export", VALUE, "prometheus:PORT", "export the globals as metrics (also to otlp:URL)", options_set_export },
	{ 0, "bundle", VALUE, "FILE", "build for each -r; write the modules to FILE for staprun "
				      "FILE", options_set_bundle },
	{ 0, "sign-bundle", VALUE, "KEY", "sign the bundle with that private key (PEM)", options_set_sign_bundle },
	{ 'I', NULL, VALUE, "DIR", "search DIR for library scripts too", add_include },
	{ 'D', NULL, VALUE, "NAME[=VALUE]", "set a limit: MAXACTION, MAXSTRINGLEN, ...", add_define },
	{ 'B', NULL, VALUE, "NAME[=VALUE]", "set a variable of kbuild, such as CC=gcc-12, or add a target", add_make_var },
	{ 0, "modinfo", VALUE, "NAME=VALUE", "add a line of information to the module (modinfo prints "
	"it)", add_modinfo },
	{ 'R', NULL, VALUE, "DIR", "take the runtime's sources from DIR", set_runtime_dir },
	{ 'G', NULL, VALUE, "NAME=VALUE", "set the initial value of a global variable", add_global },
	{ 'd', NULL, VALUE, "OBJECT", "include symbols and source lines of that program or library,\nor source "
	"lines of that kernel module", add_object },
	{ 0, "ldd", NOTHING, NULL, "also include symbols and source lines of the libraries of\n"
	"programs that are probed or named with -d", set_libraries },
	{ 0, "all-modules", NOTHING, NULL, "accepted for compatibility; symbols of all kernel\n"
	"modules are always available", accept_all_modules },
	{ 'o', NULL, VALUE, "FILE", "write the output to FILE", set_output },
	{ 'f', NULL, VALUE, "FORMAT", "print the output as text, json, csv, folded (stacks for flame\n"
	"graphs), speedscope, pprof, chrome, svg, or html (a report)", options_set_output_format },
	{ 0, "output", VALUE, "FORMAT:FILE", "also write the output to FILE in a format of -f (may be\nrepeated)",
	  options_add_output },
	{ 0, "json-safe", NOTHING, NULL, "write numbers that a double cannot hold as strings in JSON", options_set_json_safe },
	{ 0, "record", NOTHING, NULL, "write the output as records, for \"stap report FILE\" (with -o)", options_set_record },
	{ 0, "percentiles", NOTHING, NULL, "print p50, p90 and p99 below each histogram", options_set_percentiles },
	{ 't', NULL, NOTHING, NULL, "print at the end the cost of each probe's hits and of locks", set_timing },
	{ 0, "strict", NOTHING, NULL, "exit with status 3 if an event, output or a value was lost\n"
	  "or cut, and no error occurred", set_strict },
	{ 0, "exclude-self", NOTHING, NULL, "ignore hits in stapio, staprun and, before its execve(),\n"
	  "the command of -c", set_exclude_self },
	{ 0, "follow", NOTHING, NULL, "make comparisons with target() true for its child processes\n"
	  "and their descendants, too", set_follow },
	{ 0, "suppress-handler-errors", NOTHING, NULL, "continue after errors and skipped probes", suppress_errors },
	{ 0, "suppress-time-limits", NOTHING, NULL, "remove limits of statements, waiting and load (with -g)",
	  suppress_time_limits },
	{ 'b', NULL, NOTHING, NULL, "write one file for each CPU (bulk mode), for stap-merge", set_bulk },
	{ 'S', NULL, VALUE, "MB[,N]", "begin the next file of -o after that many megabytes,\n"
	  "keep the newest N", set_switching },
	{ 'F', NULL, NOTHING, NULL, "leave the script running in the background; it writes to the\n"
	  "file of -o, or else keeps the newest output for staprun -A\n"
	  "(flight recorder)", set_flight_recorder },
	{ 0, "target-namespaces", VALUE, "PID", "make the ns_ functions use the namespaces of that process",
	  set_namespaces },
	{ 'c', NULL, VALUE, "CMD", "run CMD once probes are armed, stop when it ends", set_command },
	{ 'x', NULL, VALUE, "PID", "set target() to PID, stop when it ends", set_target },
	{ 's', NULL, VALUE, "MB", "set the size of the output buffer of each CPU\n"
	  "(default: 2; on many CPUs less, down to 1)", set_buffer },
	{ 0, "monitor", MAYBE, "SECONDS", "show globals, probes, output and losses of the script every\n"
	  "SECONDS (default: 1), on a terminal as a screen with keys", options_set_monitor },
	{ 'T', NULL, VALUE, "SECONDS", "stop after that time; fractions allowed", set_timeout },
	{ 0, "runtime", VALUE, "kernel|user|bpf", "run probes in a kernel module, in a process\n"
	  "(no root: begin, end, timers), or as BPF programs", set_runtime },
	{ 0, "dyninst", NOTHING, NULL, "the same as --runtime=user", set_dyninst },
	{ 0, "bpf", NOTHING, NULL, "the same as --runtime=bpf", set_bpf },
	{ 0, "vm", MAYBE, "RELEASE", "run in a throwaway virtual machine with that kernel\n"
	  "(default: the newest in /boot)", set_vm },
	{ 0, "remote", VALUE, "HOST", "run on [ssh://][USER@]HOST[:PORT], which requires only staprun\n"
	  "(may be repeated; direct:// is this host)", options_add_remote },
	{ 0, "hosts", VALUE, "FILE", "run on the hosts of FILE: one per line, as with --remote, or\nan inventory of Ansible "
	"(INI)", options_add_hosts },
	{ 0, "min-hosts", VALUE, "N", "run if at least N hosts can be used (default: all)", options_set_min_hosts },
	{ 0, "timeout", VALUE, "SECONDS", "leave out hosts that do not answer within that time", options_set_hosts_timeout },
	{ 0, "merge", NOTHING, NULL, "run event probes on the hosts of --remote, and other probes\n"
	  "once, on this host, with the merged globals of all hosts", set_merge },
	{ 0, "remote-prefix", NOTHING, NULL, "begin each line of output with its host's number", set_remote_prefix },
	{ 0, "kbuild", NOTHING, NULL, "build the module with a full kbuild run", set_kbuild },
	{ 0, "disable-cache", NOTHING, NULL, "neither use nor fill the cache", set_no_cache },
	{ 0, "clean-cache", NOTHING, NULL, "remove old files from the cache and exit", set_clean_cache },
	{ 0, "no-global-var-display", NOTHING, NULL, "do not print unread globals at the end", set_no_autoprint },
	{ 0, "compatible", VALUE, "VERSION", "interpret the script as that version of SystemTap did", set_compatible },
	{ 0, "check-version", NOTHING, NULL, "warn of constructs that differ between versions", set_check_version },
	{ 0, "skip-badvars", NOTHING, NULL, "replace target variables that cannot be found or read by "
	"0", set_skip_badvars },
	{ 0, "semantic-keep-going", NOTHING, NULL, "collect and list all errors of pass 2", set_keep_going },
	{ 'P', NULL, NOTHING, NULL, "accepted for compatibility, as --prologue-searching", set_prologue },
	{ 0, "prologue-searching", MAYBE, "WHEN", "accepted for compatibility: always, auto or never;\nparameters "
						  "are always read correctly at the entry", set_prologue },
	{ 0, "privilege", VALUE, "LEVEL", "refuse scripts that stapusr or stapsys may not run", set_privilege },
	{ 0, "unprivileged", NOTHING, NULL, "the same as --privilege=stapusr", set_unprivileged },
	{ 0, "poison-cache", NOTHING, NULL, "fill the cache without reading it", set_poison_cache },
	{ 0, "tmpdir", VALUE, "DIR", "write temporary files to DIR, and keep them", set_tmp_dir },
	{ 0, "rlimit-as", VALUE, "N", "limit the translator's memory, in bytes", set_limit_as },
	{ 0, "rlimit-cpu", VALUE, "N", "limit the translator's processor time, in seconds", set_limit_cpu },
	{ 0, "rlimit-nproc", VALUE, "N", "limit the number of the user's processes", set_limit_nproc },
	{ 0, "rlimit-stack", VALUE, "N", "limit the translator's stack, in bytes", set_limit_stack },
	{ 0, "rlimit-fsize", VALUE, "N", "limit the size of files, in bytes", set_limit_fsize },
	{ 0, "download-debuginfo", MAYBE, "WHEN", "set whether debuginfo is downloaded from "
						  "$DEBUGINFOD_URLS", set_download },
	{ 0, "use-server", MAYBE, "HOST", "refused: compile servers are not supported; see -p4, --remote", no_servers },
	{ 0, "list-servers", MAYBE, "WHICH", "refused", no_servers },
	{ 0, "trust-servers", MAYBE, "HOW", "refused", no_servers },
	{ 0, "use-http-server", MAYBE, "URL", "refused", no_servers },
	{ 0, "client-options", VALUE, "TEXT", "refused", no_servers },
	{ 'i', "interactive", NOTHING, NULL, "read probes and commands from a prompt", set_interactive },
	{ 0, "language-server", NOTHING, NULL, "answer an editor in the Language Server Protocol", set_language_server },
	{ 0, "sysroot", VALUE, "DIR", "find the target's programs, kernel and debuginfo below\n"
	  "DIR; scripts name them without DIR", options_set_sysroot },
	{ 0, "sysenv", VALUE, "NAME=VALUE", "set PATH or LD_LIBRARY_PATH for --sysroot", options_add_sysenv },
	{ 0, "build-as", VALUE, "USER", "refused: build with -p4 as that user, run it with staprun", NULL },
	{ 0, "save-uprobes", NOTHING, NULL, "accepted for compatibility; the kernel's own uprobes are "
	"used", accept_save_uprobes },
	{ 0, "color", MAYBE, "WHEN", "color messages: auto, always or never", set_color },
	{ 0, "complete", VALUE, "LINE", "print the completions of a command line, for shells", set_complete },
	{ 'V', "version", NOTHING, NULL, "show the version", show_version },
	{ 'h', "help", NOTHING, NULL, "show this help", show_help },
};

enum effect { WORKS, NO_EFFECT, REFUSED };

static enum effect effect(const struct option_row *r)
{
	if (!r->set || str_starts(r->help, "refused"))
		return REFUSED;
	return str_starts(r->help, "accepted for compatibility") ? NO_EFFECT : WORKS;
}

static void list_options(const char *heading, enum effect wanted)
{
	puts(heading);
	for (const struct option_row *r = option_table; r < END(option_table); r++) {
		char *word = !r->word ? (char *)"" :
			str_printf("%s--%s%s", r->letter ? ", " : "", r->word,
				   r->takes == VALUE ? "=" : r->takes == MAYBE ? "[=" : "");
		char *left = str_printf("%s%s%s%s%s", r->letter ? str_printf("-%c", r->letter) : "", word,
					r->value && !r->word ? " " : "", r->value ? r->value : "",
					r->takes == MAYBE ? "]" : "");
		const char *line = r->help;

		if (effect(r) != wanted)
			continue;
		printf("  %-26s ", left);
		for (const char *nl; (nl = strchr(line, '\n')); line = nl + 1)
			printf("%.*s\n%29s", (int)(nl - line), line, "");
		puts(line);
	}
}

static void show_help(struct options *o, const char *arg)
{
	printf("Usage: stap [options] FILE [args]      run the script in FILE\n"
	       "   or: stap [options] - [args]         run the script on standard input\n"
	       "   or: stap [options] -e SCRIPT [args] run the given script\n"
	       "   or: stap [options] -l POINT         list the points that match POINT\n");
	list_options("", WORKS);
	list_options("\nOptions of SystemTap without effect:", NO_EFFECT);
	list_options("\nOptions of SystemTap that are not supported:", REFUSED);
	exit(EXIT_SUCCESS);
}

bool options_row(int i, const char **word, const char **value, bool *required)
{
	const struct option_row *r = &option_table[i / 2];

	if (i / 2 >= (int)ARRAY_SIZE(option_table))
		return false;
	*word = i % 2 ? (r->word ? str_printf("--%s", r->word) : "") : r->letter ? str_printf("-%c", r->letter) : "";
	*value = r->value;
	*required = r->takes == VALUE;
	if (!r->set || str_starts(r->help, "refused") || r->set == set_complete)
		*word = "";
	return true;
}

static void refuse(const struct option_row *r)
{
	char *why = str_dup(r->help);

	for (char *c = why; (c = strchr(c, '\n')); )
		*c = ' ';
	options_misused("%s is %s", r->word ? str_printf("--%s", r->word) : str_printf("-%c", r->letter), why);
}

static void parse_letters(struct options *o, int argc, char **argv)
{
	enum { N = ARRAY_SIZE(option_table), LONG_ONLY = 1000 };
	struct option words[N + 1] = { 0 };
	struct buf letters = { 0 };
	int nwords = 0, c;

	buf_putc(&letters, ':');
	for (int i = 0; i < N; i++) {
		const struct option_row *r = &option_table[i];

		if (r->letter)
			buf_printf(&letters, "%c%s", r->letter, r->takes == VALUE ? ":" : "");
		if (r->word)
			words[nwords++] = (struct option){ r->word, (int)r->takes, NULL, LONG_ONLY + i };
	}
	opterr = 0;
	while ((c = getopt_long(argc, argv, buf_text(&letters), words, NULL)) != -1) {
		const struct option_row *r = option_table;

		if (c == 'f' && *optarg == '-') {      // "-f -e trace=open" of strace
			optopt = c;
			c = ':';
		}
		if (c == '?' || c == ':')
			options_misused("%s", bad_option(c, argc, argv));
		if (c >= LONG_ONLY)
			r = &option_table[c - LONG_ONLY];
		else
			while (r->letter != c)
				r++;
		if (!r->set)
			refuse(r);
		r->set(o, optarg);
	}
}

void options_parse(struct options *o, int argc, char **argv)
{
	const char *terminal;
	int given;

	o->last_pass = 5;
	o->compatible = LANGUAGE_VERSION;
	terminal = getenv("TERM");
	diag_options.color = isatty(STDERR_FILENO) && !getenv("NO_COLOR") && terminal && strcmp(terminal, "dumb");
	diag_options.colors = getenv("SYSTEMTAP_COLORS");
	given = argc;
	argv = rc_arguments(&argc, argv);
	parse_letters(o, argc, argv);
	for (int i = 1 + argc - given; i < optind; i++)
		if (strcmp(argv[i], "-i") && strcmp(argv[i], "--interactive"))
			vec_push(&o->words, (const char *)argv[i]);
	options_settle_json(o);
	if (!o->script_text && !o->script_file && optind < argc)
		o->script_file = argv[optind++];
	for (; optind < argc; optind++)
		vec_push(&o->args, (const char *)argv[optind]);
	if (o->language_server)
		o->last_pass = 2;
	if (o->list || o->dump) {
		o->last_pass = 2;
		diag_options.no_warnings |= o->verbose[2] < 2;
	}
	diag_options.verbose = o->verbose[2];
	if (!o->release && !o->build_tree && !o->remotes.n && getenv("SYSTEMTAP_RELEASE"))
		options_set_release(o, getenv("SYSTEMTAP_RELEASE"));
	options_check(o);
	options_suit_terminal(o);
	if (o->export)
		options_export_limits(o);
}
