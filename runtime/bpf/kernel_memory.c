/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and variables of the kernel, for handlers of the client: a program of the object reads the memory, as in
 * names.c. Since Linux 5.19 processes without capabilities may run a program by its descriptor.
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
/* descriptors of the programs; a script has all, or the client calls none */
static int reader = -1, finder = -1, clock = -1;

/* Gives programs the addresses of static variables. */
static void give_addresses(void)
{
	u64 *addresses = calloc(stp_module.nstatics, sizeof(*addresses));
	u32 i;

	for (i = 0; addresses && i < stp_module.nstatics; i++)
		addresses[i] = stp_module.statics[i].address;
	if (addresses)
		client_set_constants(".rodata.statics", addresses, stp_module.nstatics * sizeof(*addresses));
	free(addresses);
}

void kernel_memory_prepare(void)
{
	struct stp_site **sites = calloc(stp_module.nstatics + 1, sizeof(*sites));
	u32 i;

	for (i = 0; sites && i < stp_module.nstatics; i++)
		sites[i] = &stp_module.statics[i];
	if (sites && stp_module.nstatics) {
		functions_find_sites(sites, stp_module.nstatics);
		give_addresses();
	}
	free(sites);
}

static int program_fd(const char *name)
{
	struct bpf_program *p = client_named_program(name);

	return p ? bpf_program__fd(p) : -1;
}

/* Runs one of the programs. The text of the error covers jiffies() as well: it is a variable of the kernel. */
static bool run(struct stp_ctx *c, int program)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);

	if (!bpf_prog_test_run_opts(program, &options))
		return true;
	stp_error(c, "reading kernel memory in this handler requires Linux 5.19 or later (%s); run the script as a "
		     "module, or on a newer kernel", strerror(errno));
	return false;
}

static bool memory_open(struct stp_ctx *c)
{
	if (!memory) {
		memory = client_map_section(".bss.memory");
		reader = program_fd("stp_program_memory");
		finder = program_fd("stp_program_task");
		clock = program_fd("stp_program_jiffies");
	}
	if (!memory)
		stp_error(c, "the memory that handlers share with BPF programs cannot be mapped; raise the limit (ulimit -v)");
	return memory;
}

static bool read_kernel(struct stp_ctx *c, void *to, u64 address, u32 size)
{
	if (user_captured)
		return user_captured(c, to, address, size);
	if (!memory_open(c))
		return false;
	memory->address = address;
	memory->size = size;
	memory->result = -EFAULT;
	if (!run(c, reader) || memory->result)
		return false;
	memcpy(to, memory->bytes, size);
	return true;
}

USER_LOADS(stp_load, read_kernel)

bool stp_load_string(struct stp_ctx *c, char *to, u64 address, u32 size)
{
	return user_load_string(c, to, address, size, read_kernel);
}

/* Returns the address of the task with a thread ID, or 0. */
s64 stp_pid2task(struct stp_ctx *c, s64 id)
{
	if (!memory_open(c))
		return 0;
	memory->address = (u64)id;
	return run(c, finder) ? (s64)memory->address : 0;
}

s64 stp_jiffies(struct stp_ctx *c)
{
	return memory_open(c) && run(c, clock) ? (s64)memory->address : 0;
}
