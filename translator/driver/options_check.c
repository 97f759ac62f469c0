// SPDX-License-Identifier: GPL-2.0-or-later
// Checks for conflicts between options: struct options as set by the command line, before anything is read or
// translated.
#include "config.h"
#include "driver/options.h"
#include "util/root.h"
#include "util/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void options_misused(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "stap: %s\nTry 'stap --help' for more information.\n", str_vprintf(fmt, ap));
	va_end(ap);
	exit(EXIT_FAILURE);
}

// The client of BPF programs has neither the files of a module nor its rings.
static void check_bpf(const struct options *o)
{
	if (o->bulk || o->switching || o->flight_recorder)
		options_misused("-b, -S and -F are not supported with --runtime=bpf, which has no module");
	if (o->remotes.n || o->arch || o->build_tree)
		options_misused("--runtime=bpf cannot be used with --remote or -a: it runs on this host or in a virtual "
				"machine");
	if (o->privilege_given && o->privilege != PRIVILEGE_STAPDEV)
		options_misused("--runtime=bpf requires the privilege stapdev");
	if (o->timing)
		options_misused("-t is not supported with --runtime=bpf");
}

static void check_target(const struct options *o)
{
	if (o->command && o->target_pid)
		options_misused("-c and -x cannot be used together: a script has one target process");
	if (o->follow && o->last_pass == 5 && !o->command && !o->target_pid)
		options_misused("--follow requires -c or -x: target() is the process that is followed");
	if (o->follow && o->user_runtime)
		options_misused("--follow requires the kernel: --runtime=user is not notified of child processes");
	if (o->flight_recorder && o->command)
		options_misused("-F and -c cannot be used together: no process waits for the command in the background");
	if (o->suppress_time_limits && !o->guru)
		options_misused("--suppress-time-limits requires -g: a handler could occupy a processor forever");
	if (o->switching && !o->output)
		options_misused("-S requires -o: a name for the files");
}

static void check_hosts(const struct options *o)
{
	if (o->min_hosts && o->min_hosts > o->remotes.n)
		options_misused("--min-hosts=%d, but there %s %d host%s (--remote, --hosts)", o->min_hosts,
				o->remotes.n == 1 ? "is" : "are", o->remotes.n, o->remotes.n == 1 ? "" : "s");
	if (o->hosts_timeout_s && !o->remotes.n)
		options_misused("--timeout requires hosts (--remote, --hosts); -T limits the time of the script");
	if (o->merge && !o->remotes.n && o->last_pass > 3)
		options_misused("--merge requires hosts (--remote, --hosts); with -p2 and -p3 it shows the part of the script that "
				"runs here");
	if (o->merge && o->remotes.n && o->last_pass < 5)
		options_misused("--merge and -p cannot be used together with hosts");
	if (o->merge && (o->target_pid || o->module_name || o->timing || o->no_optimize))
		options_misused("--merge cannot be used with -x, -m, -t or -u");
	if (o->monitor && o->remotes.n && !o->merge)
		options_misused("--monitor cannot be used with --remote or --hosts without --merge, which shows the globals of "
				"all hosts");
	if (o->remote_prefix && !o->remotes.n)
		options_misused("--remote-prefix requires --remote");
}

static void check_where(const struct options *o)
{
	if (o->user_runtime && (o->bulk || o->switching || o->flight_recorder))
		options_misused("-b, -S and -F are not supported with --runtime=user");
	if (o->bpf_runtime)
		check_bpf(o);
	if (o->vm && (o->bulk || o->switching || o->flight_recorder))
		options_misused("-b, -S and -F are not supported with --vm: the files of the virtual machine are discarded");
	if (root_is_set() && o->vm)
		options_misused("--sysroot and --vm cannot be used together: the virtual machine has files of this host");
	if (root_is_set() && o->target_pid)
		options_misused("--sysroot and -x cannot be used together: the target's processes are not on this host");
	if (o->vm && o->user_runtime)
		options_misused("--vm and --runtime=user cannot be used together");
	if (o->vm && o->target_pid)
		options_misused("-x cannot be used with --vm: the virtual machine does not have that process; use -c");
	if (o->vm && o->vm_release && o->release && strcmp(o->vm_release, o->release))
		options_misused("--vm=%s and -r %s name different kernels", o->vm_release, o->release);
	if (o->arch && o->user_runtime)
		options_misused("-a is not supported with --runtime=user: a program runs on this machine");
	if (o->remotes.n && (o->bulk || o->switching || o->flight_recorder))
		options_misused("-b, -S and -F are not supported with --remote: output is sent to this host at once");
	if (o->remotes.n && (o->vm || o->user_runtime || o->release || o->arch || o->build_tree || o->list || o->dump))
		options_misused("--remote cannot be used with -r, -a, --vm, --runtime=user, -l or --dump options: it builds for "
				"the host's kernel and runs there");
	if ((o->headers.n || o->image) && (o->vm || o->user_runtime || o->remotes.n || o->build_tree))
		options_misused("--headers or --image cannot be used with --vm, --runtime=user, --remote or a build tree (-r): "
				"they select the files of the kernel that the module is built for");
	if (o->export && (o->vm || o->bundle || o->flight_recorder))
		options_misused("--export serves the metrics of this host: it cannot be used with --vm, --bundle or -F");
	if (o->export && o->remotes.n && !o->merge)
		options_misused("--export cannot be used with --remote or --hosts without --merge, which exports the sums of all "
				"hosts");
	if (o->sign_module && (o->user_runtime || o->bpf_runtime))
		options_misused("--sign-module is not supported with --runtime=%s, which has no module",
				o->bpf_runtime ? "bpf" : "user");
	check_hosts(o);
}

static void check_bundle(const struct options *o)
{
	const struct { bool given; const char *option; } conflicts[] = {
		{ o->vm, "--vm" }, { o->remotes.n, "--remote" }, { o->user_runtime || o->bpf_runtime, "--runtime" },
		{ o->build_tree, "a build tree (-r /DIR)" }, { o->list || o->dump, "-l, -L or --dump options" },
		{ o->lint || o->format || o->interactive || o->doctor, "--lint, --fmt, -i or --doctor" },
		{ o->last_pass < 5, "-p" }, { o->records, "-f, --json, --output or --record" },
		{ o->output || o->command || o->target_pid || o->monitor || o->flight_recorder || o->switching || o->globals.n,
		  "-o, -c, -x, --monitor, -F, -S or -G: give these to staprun FILE" },
		{ (o->headers.n || o->image) && o->releases.n > 1, "--headers or --image for several kernels (-r)" },
		{ o->script_file && !strcmp(o->script_file, "-"), "a script on standard input, which can be read only once" },
	};

	if (o->sign_bundle && !o->bundle)
		options_misused("--sign-bundle requires --bundle=FILE");
	for (size_t i = 0; o->bundle && i < ARRAY_SIZE(conflicts); i++)
		if (conflicts[i].given)
			options_misused("--bundle cannot be used with %s", conflicts[i].option);
}

static void check_lists(const struct options *o)
{
	if ((o->interactive || o->language_server) && (o->script_text || o->list || o->dump))
		options_misused("%s and -e, -l, -L or --dump options cannot be used together",
				o->interactive ? "-i" : "--language-server");
	if (o->list && o->dump)
		options_misused("only one of -l, -L and the --dump options can be given");
	if (o->list_source && !o->list_vars)
		options_misused("--source is for -L, which lists probe points with their variables");
	if (o->monitor && (o->list || o->dump))
		options_misused("--monitor and -l, -L or --dump options cannot be used together: lists do not run the script");
	if (o->guru && o->privilege != PRIVILEGE_STAPDEV)
		options_misused("-g requires the privilege stapdev, since guru mode is unrestricted");
}

// Each host has a session of its own, and these formats can be mixed by line.
static void check_records_of_hosts(const struct options *o)
{
	bool json = o->output_format && !strcmp(o->output_format, "json");

	if (o->record || o->outputs.n || (!json && strcmp(o->output_format, "text")))
		options_misused("%s cannot be used with --remote-prefix or several hosts, each of which has a session of its own: "
				"use --merge for one session of all hosts, or -f json, whose objects have the name of the host",
				o->record ? "--record" : o->outputs.n ? "--output" : str_printf("-f %s", o->output_format));
	if (json && o->remote_prefix)
		options_misused("--remote-prefix cannot be used with -f json: each object has the name of its host");
}

static void check_records(const struct options *o)
{
	if (o->records && (o->bulk || o->switching || o->flight_recorder))
		options_misused("-f, --json, --output, --record or --monitor cannot be used with -b, -S or -F: the records of a "
				"session are one stream");
	if (o->record && !o->output && o->last_pass == 5 && isatty(STDOUT_FILENO))
		options_misused("--record requires -o FILE, since a terminal cannot show records; \"stap report FILE\" shows them");
	if (o->records && !o->merge && (o->remotes.n > 1 || o->remote_prefix))
		check_records_of_hosts(o);
	if (o->monitor && (o->record || o->output_format || o->outputs.n || o->output))
		options_misused("--monitor and -f, --json, --output, --record or -o cannot be used together: "
				"--monitor shows data on the terminal and writes no file");
	if (o->record && (o->output_format || o->outputs.n))
		options_misused("--record cannot be used with -f, --json or --output: \"stap report\" makes these from the "
				"recorded file");
	if (o->json_safe && (!o->output_format || strcmp(o->output_format, "json")) && !o->outputs.n)
		options_misused("--json-safe requires -f json");
}

static void check_script(const struct options *o)
{
	if (o->example && o->script_text)
		options_misused("--example and -e or -l cannot be used together");
	if (o->example_show && (!o->example || !o->script_file))
		options_misused("--show requires --example NAME");
	if (o->doctor && (o->script_text || o->script_file || o->dump || o->interactive || o->vm || o->user_runtime ||
			  o->remotes.n || o->release || o->build_tree || o->headers.n || o->image || o->arch || o->lint || o->format))
		options_misused("--doctor checks this machine: it takes no script, and no other option but --json and -v");
	if (!o->script_text && !o->script_file && !o->clean_cache && !o->dump && !o->example &&
	    !o->complete && !o->interactive && !o->doctor && !o->language_server)
		options_misused("no script given: use a file, \"-\" or -e SCRIPT; stap --example lists scripts by question");
}

void options_check(const struct options *o)
{
	check_target(o);
	check_where(o);
	check_bundle(o);
	check_lists(o);
	check_records(o);
	check_script(o);
}
