// SPDX-License-Identifier: GPL-2.0-or-later
// stapio: the unprivileged relay, started by staprun with the module's open device. It reads records from the rings and
// messages from the device, and writes the script's output, errors and warnings. This file parses the options.
#include "stapio.h"

#include "log.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX (1 << 22)               // maximum process ID, number of megabytes or of files

// Reports an invalid value. staprun passes these options on without checking their values. An error ends stapio and
// the script.
static void __attribute__((noreturn)) fail_value(const char *option, const char *value, const char *expected)
{
	log_error("invalid value \"%s\" of %s: expected %s", value, option, expected);
	exit(1);
}

// The usage text of staprun, which executes stapio -h to print it.
static const char usage_text[] =
	"Usage: staprun [OPTIONS] MODULE [NAME=VALUE...]\n"
	"  MODULE       path of a .ko, or a name in /lib/modules/RELEASE/systemtap\n"
	"  -c COMMAND   run COMMAND once the probes are armed, end when it exits; target() is its process ID\n"
	"  -k MS        end COMMAND MS milliseconds after its start, if the script has ended (0: never), and exit\n"
	"               with status 5 if only COMMAND failed\n"
	"  -x PID       set target() to PID, end when that process exits (also -t)\n"
	"  -o FILE      write the output to FILE (its name may contain strftime sequences, as %F)\n"
	"  -S MB[,N]    switch to FILE.0, FILE.1, ... after MB megabytes each, and keep the newest N; SIGUSR2\n"
	"               switches at once, also without -S\n"
	"  -D           run in the background and print the process ID; requires -o\n"
	"  -b MB        set the buffer size of each CPU in megabytes, 1 to 4095 (default: that of stap -s)\n"
	"  -R           rename the module, so that one file can be loaded several times\n"
	"  -L           load and start the script, then detach; staprun -A attaches\n"
	"  -A NAME      attach to the running script of module NAME\n"
	"  -d NAME      remove the module NAME; '*' removes all that are not in use\n"
	"  -N PID       make ns_pid() and other ns_ functions use the namespaces of process PID\n"
	"  -r N:URI     set the values of remote_id() and remote_uri()\n"
	"  -i           relay standard input to a script that reads it (input.char, input.line)\n"
	"  -T MS        check for output at least every MS milliseconds, 1 to 60000 (default: 200)\n"
	"  -M SEC       show run time, memory, output and losses every SEC seconds\n"
	"  -C WHEN      colour messages: auto (default), always, never\n"
	"  -Q           show no line of progress on the terminal\n"
	"  -v  -w       -v: print more messages; -w: hide warnings, except those about losses\n"
	"  --strict     exit with status 3 if anything was lost, skipped, missed or cut\n"
	"  -h  -V       -h: print this text; -V: print the version (also --help, --version)\n"
	"  NAME=VALUE   set a global variable of the script, or a module parameter (_stp_...)\n";

static int number(const char *option, const char *text, long max, const char *expected)
{
	int64_t n;

	if (!number_whole(text, 10, 1, max, &n))
		fail_value(option, text, expected);
	return n;
}

// Parses an internal option of staprun: "N", or "N,OTHER".
static void parse_numbers(const char *text, int *n, int *other)
{
	const char *value = text;
	int64_t values[2] = { *n, other ? *other : 0 };
	bool good = number_at(&text, 10, INT32_MIN, INT32_MAX, &values[0]);

	if (good && other && *text == ',')
		good = number_at((text++, &text), 10, INT32_MIN, INT32_MAX, &values[1]);
	if (!good || *text)
		fail_value("an internal option", value, "numbers");
	*n = values[0];
	if (other)
		*other = values[1];
}

// arg: MB[,FILES]
static void set_switching(struct stapio_options *opt, char *arg)
{
	static const char expected[] = "megabytes (MB), or megabytes and a number of files (MB,N)";
	char *comma = strchr(arg, ',');

	if (comma)
		*comma = 0;
	opt->file_size = (uint64_t)number("-S", arg, NUMBER_MAX, expected) << 20;
	opt->files_max = comma ? number("-S", comma + 1, NUMBER_MAX, expected) : 0;
}

// Returns -1, or the exit status after -h or an invalid option. load_error: receives the errno of loading (-E).
static int parse_options(struct stapio_options *opt, int *load_error, int argc, char **argv)
{
	int letter;

	while ((letter = getopt(argc, argv, "+ieqQF:E:o:S:c:k:x:N:r:D:T:M:C:ALvwh")) != -1) {
		switch (letter) {
		case 'F': parse_numbers(optarg, &opt->device, &opt->life); break;
		case 'E': parse_numbers(optarg, load_error, NULL); break;
		case 'o': opt->output = optarg; break;
		case 'S': set_switching(opt, optarg); break;
		case 'N':
			opt->namespaces = number("-N", optarg, NUMBER_MAX, "a process ID");
			break;
		case 'D': parse_numbers(optarg, &opt->daemon, NULL); break;
		case 'c': opt->command = optarg; break;
		case 'k': parse_numbers(optarg, &opt->command_ms, NULL); break;
		case 'x':
			opt->target = number("-x", optarg, NUMBER_MAX, "a process ID");
			break;
		case 'T':
			opt->poll_ms = number("-T", optarg, 60000, "milliseconds, 1 to 60000");
			break;
		case 'M':
			opt->monitor_ms = 1000 * number("-M", optarg, 86400, "seconds, 1 to 86400");
			break;
		case 'r': opt->remote = optarg; break;
		case 'C': log_color(optarg); break;
		case 'e': opt->strict = true; break;
		case 'Q': opt->quiet = true; break;
		case 'q': opt->report = true; break;
		case 'i': opt->input = true; break;
		case 'A': opt->attach = true; break;
		case 'L': opt->detach = true; break;
		case 'v': log_verbose++; break;
		case 'w': log_no_warnings = true; break;
		case 'h': fputs(usage_text, stdout); return 0;
		default: return 1;
		}
	}
	return -1;
}

int main(int argc, char **argv)
{
	struct stapio_options opt = { .device = -1, .life = -1, .daemon = -1, .poll_ms = 200, .command_ms = -1 };
	int status, load_error = 0;

	log_color("auto");
	if (argc > 2 && !strcmp(argv[1], "--link"))
		return link_run(argc - 2, argv + 2);
	if (argc == 3 && !strcmp(argv[1], "--rejoin"))
		return link_rejoin(argv[2]);
	status = parse_options(&opt, &load_error, argc, argv);
	if (status >= 0)
		return status;
	if (load_error && optind + 1 == argc) {
		load_error_explain(argv[optind], load_error);
		return 1;
	}
	if (opt.device < 0 || optind >= argc) {
		log_error("stapio is started by staprun; see staprun -h");
		return 1;
	}
	opt.module = argv[optind];
	opt.settings = argv + optind + 1;
	if (opt.daemon >= 0)
		fcntl(opt.daemon, F_SETFD, FD_CLOEXEC);
	child_ignores_sigpipe(signal(SIGPIPE, SIG_IGN) == SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);          // write() returns EFBIG at the limit of ulimit -f
	fcntl(opt.life, F_SETFD, FD_CLOEXEC);
	fcntl(opt.device, F_SETFD, FD_CLOEXEC);
	return opt.report ? loop_report(&opt) : loop_run(&opt);
}
