/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads from and stores to the target process (-c, -x), or to this process without one, by process_vm_readv()
 * and process_vm_writev(), which report a bad address instead of faulting. kernel_memory.c has the loads of kernel
 * memory.
 */
#define _GNU_SOURCE
#include "user.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool user_load(struct stp_ctx *c, void *to, u64 address, u32 size, user_read *read)
{
	if (read(c, to, address, size))
		return true;
	if (!c->error)
		stp_error(c, "read fault [man error::fault] at 0x%llx", address);
	return false;
}

/* Reads in pieces that do not cross a 64-byte line, so that a string that ends before a bad page is read in full. */
bool user_load_string(struct stp_ctx *c, char *to, u64 address, u32 size, user_read *read)
{
	u32 at = 0, n;
	char next;

	while (at < size - 1) {
		n = 64 - (u32)((address + at) % 64);
		if (n > size - 1 - at)
			n = size - 1 - at;
		if (!user_load(c, to + at, address + at, n, read)) {
			*to = 0;
			return false;
		}
		if (memchr(to + at, 0, n))
			return true;
		at += n;
	}
	to[at] = 0;
	if (size == stp_module.limits.string_len && (!read(c, &next, address + at, 1) || next))
		stp_cut(STP_LOSS_STRINGS, "a string was cut at MAXSTRINGLEN");
	return true;
}

user_read *user_captured;

static bool read_process(struct stp_ctx *c, void *to, u64 address, u32 size)
{
	struct iovec local = { to, size }, remote = { (void *)address, size };
	pid_t pid = stp_session.target ? stp_session.target : getpid();

	if (user_captured)
		return user_captured(c, to, address, size);
	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

USER_LOADS(stp_uload, read_process)

bool stp_uload_string(struct stp_ctx *c, char *to, u64 address, u32 size)
{
	return user_load_string(c, to, address, size, read_process);
}

static void store(struct stp_ctx *c, u64 address, s64 v, u64 size)
{
	struct iovec local = { &v, size }, remote = { (void *)address, size };
	pid_t pid = stp_session.target ? stp_session.target : getpid();

	if (process_vm_writev(pid, &local, 1, &remote, 1, 0) != (ssize_t)size)
		stp_error(c, "write fault [man error::fault] at 0x%llx", address);
}

#define STORE(bytes)								\
void stp_store##bytes(struct stp_ctx *c, u64 address, s64 v)			\
{										\
	store(c, address, v, bytes);						\
}										\
void stp_ustore##bytes(struct stp_ctx *c, u64 address, s64 v)			\
{										\
	store(c, address, v, bytes);						\
}
STORE(1)
STORE(2)
STORE(4)
STORE(8)

u64 stp_static_unknown(struct stp_ctx *c, const struct stp_site *s)
{
	stp_error(c, "the address of %s cannot be determined", s->symbol);
	return 0;
}

u64 stp_percpu_offset(struct stp_ctx *c)
{
	return 0;
}

u64 stp_thread_pointer(struct stp_ctx *c)
{
	stp_error(c, "thread-local variables are not available with --runtime=user");
	return 0;
}
