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
#include <sys/prctl.h>

// MB[,FILES], checked by staprun.
static void set_switching(struct stapio_options *opt, const char *arg)
{
	char *end;

	opt->file_size = strtoull(arg, &end, 10) << 20;
	opt->files_kept = *end == ',' ? atoi(end + 1) : 0;
}

int main(int argc, char **argv)
{
	struct stapio_options opt = { .device = -1, .daemon = -1, .poll_ms = 200 };
	int letter;

	log_color("auto");
	while ((letter = getopt(argc, argv, "+iF:o:S:c:x:N:D:T:C:ALvw")) != -1) {
		switch (letter) {
		case 'F': opt.device = atoi(optarg); break;
		case 'o': opt.output = optarg; break;
		case 'S': set_switching(&opt, optarg); break;
		case 'N': opt.namespaces = atoi(optarg); break;
		case 'D': opt.daemon = atoi(optarg); break;
		case 'c': opt.command = optarg; break;
		case 'x': opt.target = atoi(optarg); break;
		case 'T': opt.poll_ms = atoi(optarg); break;
		case 'C': log_color(optarg); break;
		case 'i': opt.input = true; break;
		case 'A': opt.attach = true; break;
		case 'L': opt.detach = true; break;
		case 'v': log_verbose++; break;
		case 'w': log_no_warnings = true; break;
		default: return 1;
		}
	}
	if (opt.device < 0 || optind + 1 != argc) {
		log_error("stapio is started by staprun; see staprun -h");
		return 1;
	}
	opt.module = argv[optind];
	if (opt.daemon >= 0)
		fcntl(opt.daemon, F_SETFD, FD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGTERM);  // without staprun nobody unloads: at least stop
	fcntl(opt.device, F_SETFD, FD_CLOEXEC);
	return loop_run(&opt);
}
