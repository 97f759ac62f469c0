/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A platform below runtime/core for the tests core_*.c: memory from malloc, four CPUs of which a test selects some,
 * records and messages collected as text. Each test defines stp_module.
 */
#ifndef CORE_TEST_PLATFORM_H
#define CORE_TEST_PLATFORM_H

#include "../../runtime/core/internal.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS 4
#define STRING_LEN 64

static struct stp_ctx *cpu_ctx[CPUS];
static unsigned int cpus_used = (1 << CPUS) - 1;   /* bits of the CPUs that get a context */
static int allocations;                    /* number of allocations that are not freed yet */
static int fail_allocation = -1;           /* counts down: the allocation at 0 fails */
static char output[1 << 16];               /* committed records, each followed by output_mark */
static const char *output_mark = "";
static char messages[1 << 14];             /* "ERROR text\n" ... */
static char record[PLAT_RECORD_MAX + 64];
static u32 record_limit = PLAT_RECORD_MAX; /* a longer record is committed and another one is opened */
static bool record_refuse;                 /* simulates a full buffer */
static u64 cycles;
static int failures, tests;

void *plat_alloc(u64 size, s32 cpu)
{
	void *p;

	if (fail_allocation >= 0 && fail_allocation-- == 0)
		return NULL;
	p = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
	memset(p, 0, size);
	allocations++;
	return p;
}

void plat_free(void *p)
{
	if (p)
		allocations--;
	free(p);
}

u32 plat_cpus(void) { return CPUS; }
bool plat_cpu_used(u32 cpu) { return cpus_used >> cpu & 1; }
void plat_ctx_set(u32 cpu, struct stp_ctx *c) { cpu_ctx[cpu] = c; }
struct stp_ctx *plat_ctx_here(void) { return stp_session.ctx ? &stp_session.ctx[0]->c : NULL; }
u64 plat_stack_low(void) { return 0; }
bool plat_process_is_readable(void) { return true; }

bool plat_stack_address(const char *stack, u32 *at, u64 *address) { return false; }

/* Stack values of the tests: names of frames that end with a semicolon. */
const char *plat_stack_line(struct stp_ctx *c, const char *stack, u32 *at, u64 *address)
{
	static char line[512];
	u32 n = 0;

	while (stack[*at + n] && stack[*at + n] != ';')
		n++;
	if (!stack[*at + n])
		return NULL;
	memcpy(line, stack + *at, n);
	line[n] = '\0';
	*at += n + 1;
	return line;
}
void plat_pause(u32 us) { sched_yield(); }
u64 plat_cycles(void) { return cycles; }
u64 plat_random(void) { return 0x9e3779b97f4a7c15ull; }
u64 plat_cycles_khz(void) { return 1000000; }
static void (*breathes)(void);
void plat_yield(void)
{
	if (breathes)
		breathes();
}
static bool process_killed;
bool plat_killed(void) { return process_killed; }
void plat_preempt_off(void) { }
void plat_preempt_on(void) { }
void plat_exclusive_enter(void) { }
void plat_exclusive_leave(void) { }
static int handlers_waits;
void plat_handlers_wait(void) { handlers_waits++; }
static u64 memory_available;
u64 plat_memory_available(void) { return memory_available; }

void plat_broken(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: broken: %s\n", file, line, what);
	abort();
}
bool plat_owns(const struct stp_ctx_private *v) { return v == stp_session.exclusive || cpu_ctx[v->cpu] == &v->c; }

void plat_record_commit(struct stp_ctx_private *v)
{
	strncat(output, v->out_start, (size_t)(v->out - v->out_start));
	strcat(output, output_mark);
}

bool plat_record_space(struct stp_ctx_private *v, u32 want)
{
	if (record_refuse || want > record_limit)
		return false;
	if (v->out_start)
		plat_record_commit(v);
	v->out_start = v->out = record;
	v->out_end = record + record_limit;
	return true;
}

void plat_message(u32 type, const char *text)
{
	sprintf(messages + strlen(messages), "%s%s\n",
		type == STP_MSG_ERROR ? "ERROR " : type == STP_MSG_WARNING ? "WARNING " :
		type == STP_MSG_SYSTEM ? "SYSTEM " : type == STP_MSG_EXIT ? "EXIT" : "?", text ? text : "");
}

/* Functions of the platform that the core calls. */
s64 stp_gettimeofday_ns(void) { return 1234567890123456789; }
s64 stp_cpu(struct stp_ctx *c) { return 0; }
u64 stp_load1(struct stp_ctx *c, u64 address)
{
	if (address < 4096) {
		stp_error(c, "read fault at 0x%llx", address);
		return 0;
	}
	return *(const u8 *)address;
}
u64 stp_uload1(struct stp_ctx *c, u64 address) { return stp_load1(c, address); }
#define ULOAD(n, type)									\
u64 stp_uload##n(struct stp_ctx *c, u64 address)					\
{											\
	return address < 4096 ? stp_load1(c, address) : *(const type *)address;	\
}											\
u64 stp_load##n(struct stp_ctx *c, u64 address) { return stp_uload##n(c, address); }
ULOAD(2, u16) ULOAD(4, u32) ULOAD(8, u64)
bool stp_uload_string(struct stp_ctx *c, char *to, u64 address, u32 size)
{
	stp_load1(c, address);
	stp_copy(to, c->error ? "" : (const char *)address, size);
	return !c->error;
}
s64 stp_uid(struct stp_ctx *c) { return 1000; }
s64 stp_euid(struct stp_ctx *c) { return 1000; }

/* ------------------------------------------------------------------ checks */

static void verdict(bool good, const char *fmt, ...)
{
	va_list ap;

	tests++;
	failures += !good;
	printf(good ? "ok " : "not ok ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

__attribute__((unused)) static void same_text(const char *name, const char *got, const char *want)
{
	bool good = !strcmp(got, want);

	verdict(good, "%s", name);
	if (!good)
		printf("# wanted: %s\n# got:    %s\n", want, got);
}

static void same_number(const char *name, s64 got, s64 want)
{
	verdict(got == want, "%s", name);
	if (got != want)
		printf("# wanted: %lld\n# got:    %lld\n", want, got);
}

__attribute__((unused)) static void forget(void)
{
	output[0] = messages[0] = 0;
}

/* Starts a new session for the next test, after the last one was freed without a leak. */
static void session_renew(void)
{
	stp_session_free();
	memset(&stp_session, 0, sizeof(stp_session));
	forget();
	if (stp_session_make()) {
		printf("not ok session_make\n");
		exit(1);
	}
}

/* Returns the context of CPU 0 in a new session that runs, with a budget of work for its hits. */
__attribute__((unused)) static struct stp_ctx *session_run(u64 budget)
{
	struct stp_ctx_private *v;

	session_renew();
	v = stp_session.ctx[0];
	stp_session.state = STP_STATE_RUNNING;
	v->closed = 0;
	v->work_max = budget;
	return &v->c;
}

static int finish(void)
{
	stp_session_free();
	same_number("all memory is given back", allocations, 0);
	printf("# %d tests, %d failures\n", tests, failures);
	return failures != 0;
}

#define LIMITS { .string_len = STRING_LEN, .actions = 100, .actions_interruptible = 1000, .work = 1500, .nesting = 4, \
		 .skipped = 100, .trylock = 5, .hist_elision = 2, .hist_width = 50 }

static u32 random_state = 1;
__attribute__((unused)) static u32 random_u32(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8 ^ random_state << 16;
}
__attribute__((unused)) static u64 random_u64(void)
{
	return (u64)random_u32() << 32 ^ random_u32();
}

#endif
