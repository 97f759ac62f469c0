/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches BPF programs after begin probes have run, one family of probes after the other. */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../include/checksum.h"    /* it uses memcpy() */

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
void client_detach(void *table, u32 n)
{
	while (nlinks)
		bpf_link__destroy(links[--nlinks]);
	free(links);
	links = NULL;
	/* A hit may have found the gate open and not claimed its slot yet; this waits for an RCU grace period. */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	client_count_missed();
	rings_read_all();      /* the output of hits must precede that of end probes */
}

int client_attached(struct bpf_link *link, const struct stp_probe *p, const char *advice)
{
	int err = link ? 0 : -errno;

	if (link && keep_link(link))
		return 0;
	return client_refused(p, err ? err : -ENOMEM, advice);
}

int client_refused(const struct stp_probe *p, int err, const char *advice)
{
	if (err == -EPERM && lockdown_is_confidential())
		stp_complain("cannot attach %s: %s", p->point, LOCKDOWN_TEXT);
	else
		stp_complain("cannot attach %s: %s%s", p->point, strerror(-err), err == -EMFILE ?
			     "; raise the limit (ulimit -n)" : advice);
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
		err = client_attached(link, t->probe, !link && errno == ENOENT ?
				      "; the running kernel does not have this tracepoint" : "");
	}
	if (err)
		client_detach(NULL, 0);
	return err;
}

/* ------------------------------------------------------------------ programs and libraries */

/* Computes the checksum of the code of a file that has no build ID. Returns false if the file is shorter than that. */
static bool sum_code(FILE *f, u64 len, u8 *id)
{
	static u8 piece[65536];
	struct checksum c;
	u64 sum;

	checksum_begin(&c);
	while (len) {
		size_t n = len < sizeof(piece) ? len : sizeof(piece);

		if (fread(piece, 1, n, f) != n)
			return false;
		checksum_add(&c, piece, n);
		len -= n;
	}
	sum = checksum_end(&c);
	memcpy(id, &sum, sizeof(sum));
	return true;
}

static bool has_id(const struct stp_program *program)
{
	u8 id[64];
	bool same;
	FILE *f = fopen(program->path, "re");

	if (!f)
		return true;           /* the reason is reported when the probe is attached */
	same = !fseeko(f, (off_t)program->id_offset, SEEK_SET) &&
		(program->summed ? sum_code(f, program->summed, id) : fread(id, 1, program->id_len, f) == program->id_len) &&
		!memcmp(id, program->id, program->id_len);
	fclose(f);
	return same;
}

/* The result for the previous program is kept, since probes of one program follow each other. */
bool client_same_file(const struct stp_program *program)
{
	static struct { const struct stp_program *program; bool same; } last;

	if (!program->id_len || program->id_len > 64)
		return true;
	if (last.program != program) {
		last.same = has_id(program);
		last.program = program;
	}
	return last.same;
}

static int attach_uprobe(const struct stp_uprobe *u, struct bpf_program *program, bool is_return)
{
	LIBBPF_OPTS(bpf_uprobe_opts, options, .ref_ctr_offset = u->semaphore, .retprobe = is_return);
	int pid = u->pid ? u->pid : -1;
	struct bpf_link *link = bpf_program__attach_uprobe_opts(program, pid, u->program->path, u->offset, &options);

	if (!link && (errno == EACCES || errno == EPERM) && privileges_raise())
		link = bpf_program__attach_uprobe_opts(program, pid, u->program->path, u->offset, &options);
	if (!link && u->optional)
		return 0;
	return client_attached(link, u->probe, "");
}

/* Attaches the entry first: otherwise the returns of some calls would find no values from their entry. */
static int start_uprobe(const struct stp_uprobe *u)
{
	u32 number = stp_probe_number(u->probe) - 1;
	int err;

	if (!client_same_file(u->program)) {
		stp_complain("%s is not the file that the script was translated for (its %s differs); translate the script "
			     "again", u->program->path, u->program->summed ? "code" : "build ID");
		return -EINVAL;
	}
	err = u->entry ? attach_uprobe(u, client_entry_program(number), false) : 0;
	return err ? err : attach_uprobe(u, client_numbered_program(number), u->is_return);
}

static int start_uprobes(void *table, u32 n)
{
	const struct stp_uprobe *u = table, *end = u + n;
	int err = 0;

	for (; u < end && !err; u++)
		err = start_uprobe(u);
	if (err)
		client_detach(NULL, 0);
	return err;
}

const struct stp_family_ops stp_uprobe_family = { "uprobe", start_uprobes, client_detach };
const struct stp_family_ops stp_tracepoint_family = { "tracepoint", start_tracepoints, client_detach };
