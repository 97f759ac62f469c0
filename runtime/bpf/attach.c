/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches BPF programs: one family of probes after the other, when begin probes have run. */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct bpf_link **links;
static u32 nlinks;

static bool keep_link(struct bpf_link *link)
{
	struct bpf_link **more = realloc(links, (nlinks + 1) * sizeof(*links));

	if (!more) {
		bpf_link__destroy(link);
		return false;
	}
	links = more;
	links[nlinks++] = link;
	return true;
}

/* A program may still run when its link is destroyed. */
static void detach(void *table, u32 n)
{
	while (nlinks)
		bpf_link__destroy(links[--nlinks]);
	free(links);
	links = NULL;
	/* A hit may have found the gate open and not yet claimed its slot; this waits for an RCU grace period. */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* Returns 0 for a link that was made, else the error after a message that names the probe. */
static int attached(struct bpf_link *link, const struct stp_probe *p, const char *advice)
{
	int err = link ? 0 : -errno;

	if (link && keep_link(link))
		return 0;
	err = err ? err : -ENOMEM;
	stp_complain("cannot attach %s: %s%s", p->point, strerror(-err), advice);
	return err;
}

static int start_tracepoints(void *table, u32 n)
{
	struct stp_tracepoint *t = table, *end = t + n;
	struct bpf_link *link;
	int err = 0;

	for (; t < end && !err; t++) {
		link = bpf_program__attach_raw_tracepoint(client_program(t->probe), t->name);
		if (!link && t->optional)
			continue;
		err = attached(link, t->probe, "; the running kernel may not have this tracepoint");
	}
	if (err)
		detach(NULL, 0);
	return err;
}

const struct stp_family_ops stp_tracepoint_family = { "tracepoint", start_tracepoints, detach };
