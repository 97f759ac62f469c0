/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Environment of the C that -p3 prints, in a library that gdb loads (values.py): registers are passed by gdb,
 * memory is that of the stopped process, and arguments of printf() are collected.
 */
#define _GNU_SOURCE
#include "../../runtime/core/arith.c"

#include <stdarg.h>
#include <sys/uio.h>

struct result { s64 id, value; bool known; };

static pid_t process;
static u64 thread, vectors[16];
static struct result *results;
static int nresults, max;
static char frames[1 << 16];

const struct stp_family_ops stp_uprobe_family, stp_mapped_family, stp_user_stack_family;

bool stp_charge_more(struct stp_ctx *c) { return true; }
void stp_error_location(struct stp_ctx *c, const char *where) { }
void *stp_frame_fail(struct stp_ctx *c) { return NULL; }
void stp_error(struct stp_ctx *c, const char *fmt, ...) { c->error = fmt; }
u64 stp_mapped_static(struct stp_ctx *c, const struct stp_mapped *m, u64 address) { c->error = "elsewhere"; return 0; }

bool stp_catch(struct stp_ctx *c, char *to, u32 size)
{
	c->error = NULL;
	return true;
}

static u64 load(struct stp_ctx *c, u64 address, u64 size)
{
	u64 n = 0;
	struct iovec local = { &n, size }, remote = { (void *)address, size };

	if (process_vm_readv(process, &local, 1, &remote, 1, 0) != (ssize_t)size)
		c->error = "fault";
	return n;
}
u64 stp_uload1(struct stp_ctx *c, u64 address) { return load(c, address, 1); }
u64 stp_uload2(struct stp_ctx *c, u64 address) { return load(c, address, 2); }
u64 stp_uload4(struct stp_ctx *c, u64 address) { return load(c, address, 4); }
u64 stp_uload8(struct stp_ctx *c, u64 address) { return load(c, address, 8); }
u64 stp_return_load4(struct stp_ctx *c, u64 address) { return load(c, address, 4); }
u64 stp_return_load8(struct stp_ctx *c, u64 address) { return load(c, address, 8); }
u64 stp_vector_register(u32 n) { return vectors[n]; }
u64 stp_thread_pointer(struct stp_ctx *c) { return thread; }

/* printf("%d %d
 * ", id, value); if the value cannot be read, printf("%d
 * ", id) */
void stp_printf(struct stp_ctx *c, const struct stp_format *f, u32 n, const union stp_val *v)
{
	int values = 0;

	for (u32 i = 0; i < n; i++)
		values += f[i].conv != 0;
	if (nresults < max)
		results[nresults++] = (struct result){ v[0].n, values > 1 ? v[1].n : 0, values > 1 };
}

static const struct stp_uprobe *point(u32 i)
{
	for (u32 f = 0; f < stp_module.nfamilies; f++)
		if (stp_module.families[f].ops == &stp_uprobe_family && i < stp_module.families[f].n)
			return (const struct stp_uprobe *)stp_module.families[f].table + i;
	return NULL;
}

/* Returns the address of point i; 0 after the last one. */
u64 values_point(u32 i)
{
	return point(i) ? point(i)->address : 0;
}

/* Runs the handler of point i; returns the number of results. */
int values_hit(u32 i, const u64 *regs, const u64 *xmm, u64 bias, int pid, u64 fs, struct result *to, int size)
{
	struct stp_ctx c = { .regs = regs, .bias = bias, .nesting = 100, .actions = 1000000, .work = 1ll << 50,
			     .frame = frames, .frame_end = frames + sizeof(frames) };

	process = pid;
	thread = fs;
	memcpy(vectors, xmm, sizeof(vectors));
	results = to;
	max = size;
	nresults = 0;
	c.probe = point(i)->probe;
	c.probe->handler(&c);
	return c.error ? -1 : nresults;
}

static void store(struct stp_ctx *c, u64 address, s64 v, u64 size)
{
	struct iovec local = { &v, size }, remote = { (void *)address, size };

	if (process_vm_writev(process, &local, 1, &remote, 1, 0) != (ssize_t)size)
		c->error = "fault";
}
void stp_ustore1(struct stp_ctx *c, u64 address, s64 v) { store(c, address, v, 1); }
void stp_ustore2(struct stp_ctx *c, u64 address, s64 v) { store(c, address, v, 2); }
void stp_ustore4(struct stp_ctx *c, u64 address, s64 v) { store(c, address, v, 4); }
void stp_ustore8(struct stp_ctx *c, u64 address, s64 v) { store(c, address, v, 8); }
