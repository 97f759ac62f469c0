/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches BPF programs to perf events and system calls. */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"
#include "../include/number.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------ perf events */

/* Without a period, the clock samples at each tick of the kernel. Its length is the resolution of the kernel's
 * coarse clock. */
static u64 tick_ns(void)
{
	struct timespec t = { 0, 4000000 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static struct perf_event_attr attributes(const struct stp_perf *p)
{
	struct perf_event_attr a = { .size = sizeof(a), .type = p->type, .config = p->config, .disabled = 1 };

	if (p->per_second) {
		a.freq = 1;
		a.sample_freq = p->hz;
	} else {
		a.sample_period = p->period ? p->period : tick_ns();
	}
	return a;
}

/* Returns the link of a new event; or NULL, and errno is set. */
static struct bpf_link *open_event(const struct stp_probe *p, struct perf_event_attr *a, int pid, int cpu)
{
	int fd = privileges_perf_event(a, pid, cpu), err;
	struct bpf_link *link;

	if (fd < 0)
		return NULL;
	link = bpf_program__attach_perf_event(client_program(p), fd);
	err = errno;
	if (!link)
		close(fd);
	/* Attaching has enabled the event. In a process that will execute the command of -c, it counts only from
	 * that execve() on. */
	else if (a->enable_on_exec)
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	errno = err;
	return link;
}

int client_event_on_cpus(const struct stp_probe *p, struct perf_event_attr *a)
{
	int cpus = libbpf_num_possible_cpus(), cpu, err, n = 0;
	struct bpf_link *link;

	for (cpu = 0; cpu < cpus; cpu++) {
		link = open_event(p, a, -1, cpu);
		err = link ? client_attached(link, p, "") : -errno;
		if (err == -ENODEV)        /* the CPU is offline */
			continue;
		if (err)
			return err;
		n++;
	}
	return n ? 0 : -ENODEV;
}

/* Opens the event for the threads of the target process, and those that they start later. */
int client_event_in_target(const struct stp_probe *p, struct perf_event_attr *a)
{
	int err = 0, target = stp_session.target;
	char path[64];
	struct dirent *d;
	DIR *threads;

	a->inherit = 1;
	a->enable_on_exec = user_child_running();
	snprintf(path, sizeof(path), "/proc/%d/task", target);
	threads = opendir(path);
	if (!threads)
		return -errno;
	while (!err && (d = readdir(threads))) {
		struct bpf_link *link;
		int64_t thread;

		if (!number_whole(d->d_name, 10, 1, INT_MAX, &thread))
			continue;              /* "." and ".." */
		link = open_event(p, a, (int)thread, -1);
		if (link)
			err = client_attached(link, p, "");
		else if (errno != ESRCH)
			err = -errno;
	}
	closedir(threads);
	return err;
}

static int start_perf(const struct stp_perf *p)
{
	struct perf_event_attr a = attributes(p);
	int err = p->in_target ? client_event_in_target(p->probe, &a) : client_event_on_cpus(p->probe, &a);

	if (!err || (p->optional && (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -EINVAL)))
		return 0;
	errno = -err;
	return client_attached(NULL, p->probe, err == -ENOENT || err == -EOPNOTSUPP ?
			       "; this machine cannot count this event" : "");
}

static int start_perfs(void *table, u32 n)
{
	const struct stp_perf *p = table, *end = p + n;
	int err = 0;

	for (; p < end && !err; p++)
		err = start_perf(p);
	if (err)
		client_detach(NULL, 0);
	return err;
}

/* ------------------------------------------------------------------ system calls */

/*
 * Attaches the program that distinguishes execveat() from execve() at the return, if the script needs it. It runs
 * before the other programs.
 */
static int start_executions(const struct stp_probe *p)
{
	struct bpf_program *program = client_named_program("stp_program_executions");

	return program ? client_attached(bpf_program__attach_raw_tracepoint(program, "sys_enter"), p, "") : 0;
}

/*
 * Attaches the program that saves, at the entry, the values that the program of the return reads. Called before the
 * return is attached.
 */
static int start_entries(const struct stp_probe *p)
{
	struct bpf_program *program = client_entry_program(stp_probe_number(p) - 1);

	return program ? client_attached(bpf_program__attach_raw_tracepoint(program, "sys_enter"), p, "") : 0;
}

const struct stp_syscall *client_syscall(const struct stp_probe *p, s32 number, bool is_compat)
{
	static const struct stp_syscall_probe *last;
	const struct stp_family *family = client_family(&stp_syscall_family);
	const struct stp_syscall_probe *c = family->table, *end = c + family->n;

	if (last && last->probe == p && last->number == number && last->is_compat == is_compat)
		return last->call;
	while (c < end && (c->probe != p || c->number != number || c->is_compat != is_compat))
		c++;
	if (c == end)
		return NULL;
	last = c;
	return c->call;
}

/* A probe has a row for each number of its calls, one after the other. A program may serve several probes. */
static int start_syscalls(void *table, u32 n)
{
	const struct stp_syscall_probe *c = table, *end = c + n;
	int err = n ? start_executions(c->probe) : 0;

	for (; c < end && !err; c++) {
		struct bpf_program *program = client_program(c->probe);

		if (!program || (c > (struct stp_syscall_probe *)table && c[-1].probe == c->probe))
			continue;
		err = start_entries(c->probe);
		if (!err)
			err = client_attached(bpf_program__attach_raw_tracepoint(program, c->is_return ? "sys_exit" : "sys_enter"),
					      c->probe, "");
	}
	if (err)
		client_detach(NULL, 0);
	return err;
}

const struct stp_family_ops stp_perf_family = { "perf", start_perfs, client_detach };
const struct stp_family_ops stp_syscall_family = { "syscall", start_syscalls, client_detach };
