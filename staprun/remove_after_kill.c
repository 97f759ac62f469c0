// SPDX-License-Identifier: GPL-2.0-or-later
// When staprun was killed, nobody is left who may unload the module. Then stapio becomes another staprun, which
// may do for this user what the first one might, and which closes the device and the rings in becoming it.
#include "stapio.h"

#include "log.h"
#include "staprun.h"

#include <poll.h>
#include <unistd.h>

bool orphan_is(const struct stapio_options *opt)
{
	struct pollfd life = { opt->life, POLLIN };

	return poll(&life, 1, 0) > 0;
}

void orphan_remove(const struct stapio_options *opt)
{
	char path[1100];

	if (!orphan_is(opt))
		return;
	log_warning("staprun was killed; the module %s is removed in its place", opt->module);
	beside_find(path, sizeof(path), "SYSTEMTAP_STAPRUN", "staprun", "../../bin/staprun");
	execl(path, "staprun", "-d", opt->module, NULL);
	log_error("can't run %s: %m; staprun -d %s removes the module", path, opt->module);
}
