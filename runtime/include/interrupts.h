/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts of a session: SIGINT, SIGTERM and SIGHUP. The terminal sends one to each process of its group, sudo
 * and wrappers forward theirs, and users may press the keys twice: signals within INTERRUPTS_APART_MS count as
 * one interrupt. The first interrupt ends the session without losses, the second ends it immediately.
 *
 * Context: translator, staprun; async-signal-safe.
 */
#ifndef STP_INTERRUPTS_H
#define STP_INTERRUPTS_H

#include <stdint.h>
#include <time.h>

#define INTERRUPTS_APART_MS 2000
#define INTERRUPTS_MAX 2
#define INTERRUPTS_WARNING "waiting for end probes and their output; another interrupt ends the session at once and " \
			   "loses the rest of the output"

/* Returns the number of interrupts, including the one that has just arrived. */
static inline int interrupts_add(int before)
{
	static int64_t counted_ms;
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = now.tv_sec * (int64_t)1000 + now.tv_nsec / 1000000;
	if (before && ms - counted_ms < INTERRUPTS_APART_MS)
		return before;
	counted_ms = ms;
	return before + 1;
}

#endif
