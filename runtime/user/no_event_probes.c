/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There are no event probes: all probes of --runtime=user run in this process. */
#include "user.h"
#include "event_probes.h"

int event_probes_open(void)
{
	return 0;
}

int event_probes_drop_capabilities(void)
{
	return 0;
}

void event_probes_enable(bool on)
{
}

void event_probes_finish(void)
{
}

void event_probes_enter(const struct stp_probe *p)
{
}

void event_probes_leave(const struct stp_probe *p)
{
}

int event_probes_fd(void)
{
	return -1;
}

void event_probes_read(void)
{
}

int event_probes_max_wait(void)
{
	return -1;
}
