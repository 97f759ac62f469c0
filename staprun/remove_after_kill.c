// SPDX-License-Identifier: GPL-2.0-or-later
// Removes the module after staprun was killed. stapio itself may not unload modules: it executes staprun -d, which
// has the same rights as the first staprun; execve() closes the device and unmaps the rings.
#include "stapio.h"

#include "log.h"
#include "staprun.h"

#include <poll.h>
#include <unistd.h>

bool staprun_was_killed(const struct stapio_options *opt)
{
	struct pollfd life = { opt->life, POLLIN };    // only staprun had the write end of the pipe

	return poll(&life, 1, 0) > 0;
}

void remove_after_kill(const struct stapio_options *opt)
{
	char path[1100];

	if (!staprun_was_killed(opt))
		return;
	log_warning("staprun was killed; removing the module %s", opt->module);
	sibling_path(path, sizeof(path), "SYSTEMTAP_STAPRUN", "staprun", "../../bin/staprun");
	execl(path, "staprun", "-d", opt->module, NULL);
	log_error("cannot run %s: %m; remove the module with staprun -d %s", path, opt->module);
}
