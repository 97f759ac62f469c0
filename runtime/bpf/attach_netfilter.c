/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches BPF programs to hooks of netfilter, in the network namespace of this process (Linux 6.4). libbpf before 1.3
 * does not attach them, and headers before Linux 6.4 do not declare what that takes, so both are done here.
 */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* values of uapi/linux/bpf.h */
#define PROGRAM_NETFILTER 32           /* BPF_PROG_TYPE_NETFILTER */
#define ATTACH_NETFILTER 45            /* BPF_NETFILTER */
#define COMMAND_LINK_CREATE 28         /* BPF_LINK_CREATE */

/* The members of union bpf_attr that BPF_LINK_CREATE reads for a program of this type. */
struct link_request {
	u32 program, target, attach_type, flags;
	u32 pf, hook;
	s32 priority;
	u32 hook_flags;
};

/* The kernel unregisters a program when its descriptor is closed. */
static int *descriptors;
static s64 *priorities;                /* priorities of the programs, in the order of the descriptors */
static u32 ndescriptors;

/* ------------------------------------------------------------------ before loading */

static bool kernel_has_type(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = (enum bpf_attach_type)ATTACH_NETFILTER);
	const struct bpf_insn accept[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 }, { .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load((enum bpf_prog_type)PROGRAM_NETFILTER, "stap_try", "GPL", accept, 2, &options);

	if (fd < 0)
		return errno != EINVAL;        /* other errors are reported when the programs are loaded */
	close(fd);
	return true;
}

int netfilter_prepare(void)
{
	const struct stp_family *family = client_family(&stp_netfilter_family);
	const struct stp_netfilter *p = family ? family->table : NULL, *end = family ? p + family->n : NULL;

	if (family && !kernel_has_type()) {
		stp_complain("cannot attach %s: BPF programs at hooks of netfilter require Linux 6.4 and CONFIG_NETFILTER_BPF_LINK, "
			     "which the running kernel does not have; run the script as a module", p->probe->point);
		return -ECANCELED;
	}
	for (; p < end; p++) {
		bpf_program__set_type(client_program(p->probe), (enum bpf_prog_type)PROGRAM_NETFILTER);
		bpf_program__set_expected_attach_type(client_program(p->probe), (enum bpf_attach_type)ATTACH_NETFILTER);
	}
	return 0;
}

/* ------------------------------------------------------------------ attaching */

/* Returns a descriptor, or -1 and sets errno. */
static int link_create(const struct stp_netfilter *p, s32 priority)
{
	struct link_request r = {
		.program = (u32)bpf_program__fd(client_program(p->probe)), .attach_type = ATTACH_NETFILTER,
		.pf = (u32)p->pf, .hook = (u32)p->hook, .priority = priority,
	};

	return (int)syscall(SYS_bpf, COMMAND_LINK_CREATE, &r, sizeof(r));
}

/* Rows of one hook follow each other, in the order in which they are attached: that of priorities, from the last. */
static int compare_rows(const void *a, const void *b)
{
	const struct stp_netfilter *x = *(const struct stp_netfilter *const *)a;
	const struct stp_netfilter *y = *(const struct stp_netfilter *const *)b;

	if (x->pf != y->pf || x->hook != y->hook)
		return x->pf != y->pf ? (x->pf < y->pf ? -1 : 1) : x->hook < y->hook ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return x < y ? -1 : 1;
}

static bool is_own(s64 priority, u32 own)
{
	u32 i;

	for (i = ndescriptors - own; i < ndescriptors; i++)
		if (priorities[i] == priority)
			return true;
	return false;
}

/*
 * The kernel refuses a program with the priority of another function at the hook (nf_hook_entries_grow()). A module's
 * function would be called before the others of its priority: so is a program with the next lower priority that is
 * free. own: number of programs of this session at the hook, which were attached last. *at: the priority that was
 * taken. Returns a descriptor, or -1 and sets errno.
 */
static int attach_at(const struct stp_netfilter *p, u32 own, s64 *at)
{
	enum { MOST = 1024 };          /* functions of a hook, MAX_HOOK_COUNT */
	bool passed = false;
	int fd = -1, i;

	errno = EBUSY;
	*at = p->priority;
	for (i = 0; i < MOST && *at > INT32_MIN; i++, --*at) {
		if (is_own(*at, own))
			continue;
		fd = link_create(p, (s32)*at);
		if (fd >= 0 || errno != EBUSY)
			break;
		passed |= *at < p->priority;
	}
	if (fd >= 0 && passed)
		fprintf(stderr, "%s %s has the priority %d, and is called before another function that it should follow: BPF "
			"programs cannot share a priority\n", user_warning_label, p->probe->point, (int)*at);
	return fd;
}

static const char *advice(int err)
{
	switch (err) {
	case EAFNOSUPPORT: return "; this kernel does not have this protocol family, or was built without CONFIG_NETFILTER";
	case EBUSY: return "; this priority and all lower ones are taken, by other functions or probes of this script";
	case E2BIG: return "; too many functions are registered at this hook";
	case EPERM: return "; this requires CAP_NET_ADMIN";
	}
	return "";
}

static int attach_rows(const struct stp_netfilter **rows, u32 n)
{
	u32 own = 0, i;
	s64 at;
	int fd;

	for (i = 0; i < n; i++) {
		own = i && rows[i]->pf == rows[i - 1]->pf && rows[i]->hook == rows[i - 1]->hook ? own + 1 : 0;
		fd = attach_at(rows[i], own, &at);
		if (fd < 0)
			return client_refused(rows[i]->probe, -errno, advice(errno));
		priorities[ndescriptors] = at;
		descriptors[ndescriptors++] = fd;
	}
	return 0;
}

static void stop(void *table, u32 n)
{
	while (ndescriptors)
		close(descriptors[--ndescriptors]);
	free(descriptors);
	free(priorities);
	descriptors = NULL;
	priorities = NULL;
	client_detach(NULL, 0);
}

static int start(void *table, u32 n)
{
	const struct stp_netfilter *p = table, **rows = calloc(n, sizeof(*rows));
	int err = -ENOMEM;
	u32 i;

	descriptors = calloc(n, sizeof(*descriptors));
	priorities = calloc(n, sizeof(*priorities));
	if (rows && descriptors && priorities) {
		for (i = 0; i < n; i++)
			rows[i] = &p[i];
		qsort(rows, n, sizeof(*rows), compare_rows);
		err = attach_rows(rows, n);
	} else
		client_refused(p->probe, err, "");
	free(rows);
	if (err)
		stop(NULL, 0);
	return err;
}

const struct stp_family_ops stp_netfilter_family = { "netfilter", start, stop };
