// SPDX-License-Identifier: GPL-2.0-or-later
// stapio: the unprivileged relay, started by staprun with the module's open device. In: records from
// the rings, messages. Out: the script's output, its errors and warnings, the exit status.
#include "stapio.h"

#include "log.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX (1 << 22)               // of processes, megabytes, files

// What is wrong with an option that staprun handed on as it was, ends us and the script.
static void __attribute__((noreturn)) fail(const char *what)
{
	log_error("%s", what);
	exit(1);
}

// Of staprun, which has us print it.
static const char usage_text[] =
	"Usage: staprun [OPTIONS] MODULE [NAME=VALUE...]\n"
	"  MODULE       path of a .ko, or a name in /lib/modules/RELEASE/systemtap\n"
	"  -c COMMAND   run it when the probes are in place, end when it ends; target() is its pid\n"
	"  -x PID       target() is PID, end when it is gone (also -t)\n"
	"  -o FILE      write output there (strftime's %-sequences)\n"
	"  -S MB[,N]    begin FILE.0, FILE.1, ... after that many megabytes, keep the newest N; SIGUSR2\n"
	"               begins the next one at once, without -S too\n"
	"  -D           go to the background when the script runs, print the process id; needs -o\n"
	"  -b MB        buffer of each CPU, 1 to 4095\n"
	"  -R           rename the module while loading, so that a file can be loaded many times\n"
	"  -L           load, start, and leave it running; staprun -A attaches\n"
	"  -A NAME      attach to a running module\n"
	"  -d NAME      remove a module that was left over; '*': all that are not in use\n"
	"  -N PID       the process whose namespaces ns_pid() and the like mean\n"
	"  -r N:URI     what remote_id() and remote_uri() say\n"
	"  -i           relay standard input to a script that reads it (input.char, input.line)\n"
	"  -T MS        look for output at least that often (200)\n"
	"  -M SEC       every so many seconds, show how long it runs, what it takes and has printed\n"
	"  -C WHEN      colour messages: auto, always, never\n"
	"  -v  -w       say more; no warnings (losses are reported all the same)\n"
	"  --strict     exit status 3 when anything was lost, skipped, missed or cut\n"
	"  -h  -V       this text; the version (also --help, --version)\n"
	"  NAME=VALUE   value of a global of the script, or of a parameter _stp_... of the module\n";

static int number(const char *text, long most, const char *problem)
{
	int64_t n;

	if (!number_whole(text, 10, 1, most, &n))
		fail(problem);
	return n;
}

// From staprun: "N", or "N,OTHER".
static void handed(const char *text, int *n, int *other)
{
	int64_t values[2] = { *n, other ? *other : 0 };
	bool good = number_at(&text, 10, INT32_MIN, INT32_MAX, &values[0]);

	if (good && other && *text == ',')
		good = number_at((text++, &text), 10, INT32_MIN, INT32_MAX, &values[1]);
	if (!good || *text)
		fail("an option that staprun passes is damaged");
	*n = values[0];
	if (other)
		*other = values[1];
}

// MB[,FILES]
static void set_switching(struct stapio_options *opt, char *arg)
{
	static const char problem[] = "-S: MEGABYTES or MEGABYTES,FILES is expected";
	char *comma = strchr(arg, ',');

	if (comma)
		*comma = 0;
	opt->file_size = (uint64_t)number(arg, NUMBER_MAX, problem) << 20;
	opt->files_kept = comma ? number(comma + 1, NUMBER_MAX, problem) : 0;
}

int main(int argc, char **argv)
{
	struct stapio_options opt = { .device = -1, .life = -1, .daemon = -1, .poll_ms = 200 };
	int letter, refused = 0, machine = 0;          // -E: errno of loading, whose code it is

	log_color("auto");
	while ((letter = getopt(argc, argv, "+ieqF:E:o:S:c:x:N:r:D:T:M:C:ALvwh")) != -1) {
		switch (letter) {
		case 'F': handed(optarg, &opt.device, &opt.life); break;
		case 'E': handed(optarg, &refused, &machine); break;
		case 'o': opt.output = optarg; break;
		case 'S': set_switching(&opt, optarg); break;
		case 'N':
			opt.namespaces = number(optarg, NUMBER_MAX, "-N: the number of a process is expected");
			break;
		case 'D': handed(optarg, &opt.daemon, NULL); break;
		case 'c': opt.command = optarg; break;
		case 'x':
			opt.target = number(optarg, NUMBER_MAX, "-x: the number of a process is expected");
			break;
		case 'T':
			opt.poll_ms = number(optarg, 60000, "-T: milliseconds are expected, 1 to 60000");
			break;
		case 'M':
			opt.monitor_ms = 1000 * number(optarg, 86400, "-M: seconds are expected, 1 to 86400");
			break;
		case 'r': opt.remote = optarg; break;
		case 'C': log_color(optarg); break;
		case 'e': opt.strict = true; break;
		case 'q': opt.report = true; break;
		case 'i': opt.input = true; break;
		case 'A': opt.attach = true; break;
		case 'L': opt.detach = true; break;
		case 'v': log_verbose++; break;
		case 'w': log_no_warnings = true; break;
		case 'h': fputs(usage_text, stdout); return 0;
		default: return 1;
		}
	}
	if (refused && optind + 2 == argc) {
		refused_explain(argv[optind], argv[optind + 1], refused, machine);
		return 1;
	}
	if (opt.device < 0 || optind >= argc)
		fail("stapio is started by staprun; see staprun -h");
	opt.module = argv[optind];
	opt.settings = argv + optind + 1;
	if (opt.daemon >= 0)
		fcntl(opt.daemon, F_SETFD, FD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	fcntl(opt.life, F_SETFD, FD_CLOEXEC);
	fcntl(opt.device, F_SETFD, FD_CLOEXEC);
	return opt.report ? loop_report(&opt) : loop_run(&opt);
}
