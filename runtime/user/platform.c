/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements core/platform.h in a process, except output: memory, one CPU, messages. */
#define _GNU_SOURCE
#include "user.h"
#include "event_probes.h"
#include "../include/records.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

struct stp_ctx *user_ctx = &stp_ctx_none;

/* The header before each allocation. */
struct allocation { u64 size; } __attribute__((__aligned__(64)));

void *plat_alloc(u64 size, s32 cpu)
{
	struct allocation *a;

	size = (size + sizeof(*a) + 63) / 64 * 64;
	if (!stp_memory_granted(size))
		return NULL;
	/* calloc() does not align to cache lines, but clears large blocks lazily, which is used here */
	a = size >= 1 << 20 ? calloc(1, size) : aligned_alloc(64, size);
	if (!a) {
		stp_memory_return(size);
		return NULL;
	}
	if (size < 1 << 20)
		memset(a, 0, size);
	a->size = size;
	return a + 1;
}

void plat_free(void *p)
{
	struct allocation *a = p;

	if (!a)
		return;
	stp_memory_return(a[-1].size);
	free(a - 1);
}

u64 plat_memory_available(void)
{
	return 0;
}

u32 plat_cpus(void)
{
	return 1;
}

bool plat_cpu_used(u32 cpu)
{
	return true;
}

void plat_ctx_set(u32 cpu, struct stp_ctx *c)
{
	user_ctx = c;
}

struct stp_ctx *plat_ctx_here(void)
{
	return user_ctx;
}

/* Bytes of the thread's stack that handlers leave to libc. */
#define STACK_RESERVED (64 << 10)

u64 plat_stack_low(void)
{
	static __thread u64 low;
	pthread_attr_t attributes;
	size_t size;
	void *start;

	if (!low && !pthread_getattr_np(pthread_self(), &attributes)) {
		if (!pthread_attr_getstack(&attributes, &start, &size))
			low = (u64)(uintptr_t)start + STACK_RESERVED;
		pthread_attr_destroy(&attributes);
	}
	return low;
}

void plat_pause(u32 us)
{
}

/* Returns nanoseconds, used only to time hits: an expensive script is not stopped, since the scheduler limits a
 * process. */
u64 plat_cycles(void)
{
	return stp_module.limits.timing ? (u64)stp_ktime_ns() : 0;
}

u64 plat_random(void)
{
	u64 n;

	return getrandom(&n, sizeof(n), 0) == sizeof(n) ? n : user_now_ns();
}

u64 plat_cycles_khz(void)
{
	return 0;
}

void plat_yield(void)
{
}

/* Returns false: a signal that kills the process ends it immediately, so its handlers never see it. */
bool plat_killed(void)
{
	return false;
}

#ifdef STP_DEBUG
void plat_broken(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: broken: %s\n", file, line, what);
	abort();
}

bool plat_owns(const struct stp_ctx_private *v)
{
	return v == stp_session.exclusive || &v->c == user_ctx;
}
#endif

void plat_preempt_off(void)
{
}

void plat_preempt_on(void)
{
}

void plat_exclusive_enter(void)
{
	event_probes_enter(NULL);
}

/* Handlers run in the same thread as this function, so none is running. */
void plat_handlers_wait(void)
{
}

void plat_exclusive_leave(void)
{
	event_probes_leave(NULL);
}

u64 user_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* ------------------------------------------------------------------ messages */

#define WARNINGS 1024                  /* number of different warnings that are stored, to print each once */

static bool warned_before(const char *text)
{
	static u64 seen[WARNINGS];
	static unsigned int n;
	u64 hash = 14695981039346656037ull;
	unsigned int i;

	for (; *text; text++)
		hash = (hash ^ (u8)*text) * 1099511628211ull;
	for (i = 0; i < n; i++)
		if (seen[i] == hash)
			return true;
	if (n < WARNINGS)
		seen[n++] = hash;
	return false;
}

const char *stp_script_name(void)
{
	return user_program_name;
}

const char *user_error_label = "ERROR:", *user_warning_label = "WARNING:";

void plat_message(u32 type, const char *text)
{
	switch (type) {
	case STP_MSG_EXIT:
		event_probes_enable(false);
		user_stop = true;
		break;
	case STP_MSG_SYSTEM:
		user_system(text);
		break;
	case STP_MSG_ERROR:
		user_error_shown = true;
		user_flush();
		user_frame(STP_FRAME_ERROR, text, (u32)strlen(text));
		fprintf(stderr, "%s %s\n", user_error_label, text);
		break;
	case STP_MSG_WARNING:
		if (!user_verbose && warned_before(text))
			break;
		user_flush();
		user_frame(STP_FRAME_WARNING, text, (u32)strlen(text));
		fprintf(stderr, "%s %s%s", user_warning_label, text, *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
		break;
	}
}
