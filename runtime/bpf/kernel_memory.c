/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and variables of the kernel, for handlers of the client: a program of the object reads the memory, as names.c
 * looks up names. The kernel runs a program by its descriptor for processes without capabilities since Linux 5.19.
 */
#define _GNU_SOURCE
#define STP_STRLEN 512             /* only parts of bpf_client.h that do not depend on it are used */
#include "client.h"
#include "bpf_kernel_memory.h"
#include "../core/internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct stp_kernel_memory *memory;   /* shared with the program */
static int reader = -1, finder = -1;       /* programs */

void kernel_memory_prepare(void)
{
	struct stp_site **sites = calloc(stp_module.nstatics + 1, sizeof(*sites));
	u32 i;

	for (i = 0; sites && i < stp_module.nstatics; i++)
		sites[i] = &stp_module.statics[i];
	if (sites && stp_module.nstatics)
		functions_find_sites(sites, stp_module.nstatics);
	free(sites);
}

static int program_fd(const char *name)
{
	struct bpf_program *p = client_named_program(name);

	return p ? bpf_program__fd(p) : -1;
}

/* Runs one of the programs: a script has both of them, or neither. */
static bool run(struct stp_ctx *c, const int *program)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);

	if (!bpf_prog_test_run_opts(*program, &options))
		return true;
	stp_error(c, "memory of the kernel can be read by this handler since Linux 5.19 only (%s): run the script as a "
		     "module", strerror(errno));
	return false;
}

static bool memory_open(struct stp_ctx *c)
{
	if (!memory) {
		memory = client_map_section(".bss.memory");
		reader = program_fd("stp_program_memory");
		finder = program_fd("stp_program_task");
	}
	if (!memory)
		stp_error(c, "not enough memory to read memory of the kernel");
	return memory;
}

/* Reads up to sizeof(memory->bytes). Returns the bytes, or NULL after an error. */
static const u8 *read_kernel(struct stp_ctx *c, u64 address, u32 size)
{
	if (!memory_open(c))
		return NULL;
	memory->address = address;
	memory->size = size;
	memory->result = -EFAULT;
	if (!run(c, &reader))
		return NULL;
	if (!memory->result)
		return memory->bytes;
	stp_error(c, "read fault [man error::fault] at 0x%llx", address);
	return NULL;
}

#define LOAD(bytes, type)							\
u64 stp_load##bytes(struct stp_ctx *c, u64 address)				\
{										\
	const u8 *from = read_kernel(c, address, sizeof(type));			\
	type v;									\
										\
	if (!from)								\
		return 0;							\
	memcpy(&v, from, sizeof(v));						\
	return v;								\
}
LOAD(1, u8)
LOAD(2, u16)
LOAD(4, u32)
LOAD(8, u64)

/* Reads in pieces that lie in one page, so that a string that ends before a bad page is read in full. */
bool stp_load_string(struct stp_ctx *c, char *to, u64 address, u32 size)
{
	u32 at, n, last = size - 1;
	const u8 *from;

	for (at = 0; at <= last; at += n) {
		n = 64 - (u32)((address + at) % 64);
		if (n > last + 1 - at)
			n = last + 1 - at;
		from = read_kernel(c, address + at, n);
		if (!from) {
			*to = 0;
			return false;
		}
		memcpy(to + at, from, n);
		if (memchr(from, 0, n))
			return true;
	}
	to[last] = 0;
	if (size == stp_module.limits.string_len)
		stp_string_cut();
	return true;
}

/* Returns the address of the task with a thread ID, or 0. */
s64 stp_pid2task(struct stp_ctx *c, s64 id)
{
	if (!memory_open(c))
		return 0;
	memory->address = (u64)id;
	return run(c, &finder) ? (s64)memory->address : 0;
}
