/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches BPF programs to hooks of security modules. The kernel binds a program to its hook when it loads the
 * program, so hooks that the kernel lacks are excluded before. A kernel with CONFIG_BPF_LSM accepts programs even if
 * "bpf" is not among its security modules, and never runs them.
 */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MODULES "lsm"              /* name of the file in securityfs that lists the active security modules */

/* Reads the list, such as "lockdown,capability,bpf". Returns false if it cannot be read. */
static bool read_modules(char *list, size_t size)
{
	int fd = kernel_file_open("securityfs", "/sys/kernel/security", MODULES);
	ssize_t n = fd < 0 ? -1 : read(fd, list, size - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	list[n] = 0;
	list[strcspn(list, "\n")] = 0;
	return true;
}

static bool has_bpf(const char *list)
{
	for (;; list++) {              /* bounded: by the length of the list */
		size_t len = strcspn(list, ",");

		if (len == 3 && !strncmp(list, "bpf", len))
			return true;
		list += len;
		if (!*list)
			return false;
	}
}

/* Returns whether programs at hooks run; true if that cannot be determined, after a warning. */
static bool hooks_run(char *list, size_t size)
{
	if (read_modules(list, size))
		return has_bpf(list);
	fprintf(stderr, "%s cannot read the list of security modules: if \"bpf\" is not in it, probes of lsm.* have no hits; "
		"mount securityfs at /sys/kernel/security\n", user_warning_label);
	return true;
}

static bool has_hook(const struct btf *kernel, const char *hook)
{
	char name[128];

	snprintf(name, sizeof(name), "bpf_lsm_%s", hook);
	return btf__find_by_name_kind(kernel, name, BTF_KIND_FUNC) > 0;
}

static int leave_out(const struct stp_lsm *l, const char *why)
{
	if (l->optional)
		return bpf_program__set_autoload(client_program(l->probe), false);
	stp_complain("cannot attach %s: %s", l->probe->point, why);
	return -ECANCELED;
}

static int prepare(const struct stp_lsm *l, u32 n, const struct btf *kernel, const char *not_run)
{
	u32 i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		if (not_run)
			err = leave_out(&l[i], not_run);
		else if (!has_hook(kernel, l[i].hook))
			err = leave_out(&l[i], "the running kernel has no such hook, or lacks CONFIG_BPF_LSM");
	}
	return err;
}

int lsm_prepare(void)
{
	const struct stp_family *family = client_family(&stp_lsm_family);
	char list[256] = "", why[512];
	struct btf *kernel;
	const char *not_run = NULL;
	int err;

	if (!family)
		return 0;
	kernel = btf__load_vmlinux_btf();
	if (!kernel) {
		stp_complain("cannot read the kernel's BTF: %s", strerror(errno));
		return -ECANCELED;
	}
	if (!libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_LSM, NULL)) {
		not_run = "the kernel, or a security policy of this system, refuses BPF programs at hooks of security modules";
	} else if (!hooks_run(list, sizeof(list))) {
		snprintf(why, sizeof(why),
			 "BPF programs are not among the security modules of this kernel: boot it with lsm=%s,bpf", list);
		not_run = why;
	}
	err = prepare(family->table, family->n, kernel, not_run);
	btf__free(kernel);
	return err;
}

static int start_lsms(void *table, u32 n)
{
	const struct stp_lsm *l = table, *end = l + n;
	int err = 0;

	for (; l < end && !err; l++)
		if (bpf_program__autoload(client_program(l->probe)))
			err = client_attached(bpf_program__attach_lsm(client_program(l->probe)), l->probe, "");
	if (err)
		client_detach(NULL, 0);
	return err;
}

const struct stp_family_ops stp_lsm_family = { "lsm", start_lsms, client_detach };
