/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads for core_lock.c and core_adding.c, each of which simulates a CPU. Included after core_platform.h. */
#ifndef CORE_TEST_THREADS_H
#define CORE_TEST_THREADS_H

#include <pthread.h>

static void hit(struct stp_ctx *c, const struct stp_probe *p)
{
	if (!stp_ctx_enter(c))
		return;
	stp_handler_run(c, p);
	stp_ctx_leave(c);
}

/* Starts the session, and runs cpu() with each CPU's context at the same time. */
static void run_on_all_cpus(void *(*cpu)(void *ctx))
{
	pthread_t t[CPUS];
	int i;

	stp_session_start();
	for (i = 0; i < CPUS; i++)
		pthread_create(&t[i], NULL, cpu, cpu_ctx[i]);
	for (i = 0; i < CPUS; i++)
		pthread_join(t[i], NULL);
}

#endif
