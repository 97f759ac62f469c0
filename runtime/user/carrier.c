/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There are no event probes: all probes of --runtime=user run in this process. */
#include "user.h"
#include "carrier.h"

int carrier_open(void)
{
	return 0;
}

int carrier_lower(void)
{
	return 0;
}

void carrier_gate(bool open)
{
}

void carrier_finish(void)
{
}

void carrier_enter(const struct stp_probe *p)
{
}

void carrier_leave(const struct stp_probe *p)
{
}

int carrier_fd(void)
{
	return -1;
}

void carrier_read(void)
{
}

int carrier_patience(void)
{
	return -1;
}
