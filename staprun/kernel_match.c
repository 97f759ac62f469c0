// SPDX-License-Identifier: GPL-2.0-or-later
// Checks before a module is loaded that it was built for the running kernel: machine, release and build ID. Reads
// .modinfo of the module, uname() and /sys/kernel/notes. The kernel itself checks the layout of struct module.
#include "staprun.h"

#include "log.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

// Names of machines in kbuild. The first is the machine for which this program is built.
static const struct { int number; const char *name; } machines[] = {
#ifdef __aarch64__
	{ EM_AARCH64, "arm64" }, { EM_X86_64, "x86_64" },
#else
	{ EM_X86_64, "x86_64" }, { EM_AARCH64, "arm64" },
#endif
};

const char *machine_name(void)
{
	return machines[0].name;
}

void kernel_build_id_text(char *to, size_t size)
{
	unsigned char id[32];
	int len = kernel_build_id(id, sizeof(id)), n = 0;

	*to = 0;
	for (int i = 0; i < len; i++)
		n += snprintf(to + n, size - n, "%02x", id[i]);
}

// A module without a build ID uses no kernel addresses. A kernel without one cannot be checked here; the module
// prints a warning then.
static bool is_other_build(const struct module *m, char *running, size_t size)
{
	const char *wanted = image_modinfo(m, "stap_kernel_build_id");

	kernel_build_id_text(running, size);
	return wanted && *running && strcmp(wanted, running);
}

int kernel_match_check(const struct module *m)
{
	struct utsname kernel;
	char running[65] = "";

	uname(&kernel);
	if (m->machine == machines[1].number)
		log_error("%s was built for %s, but this machine is %s; build it with stap -a %s", m->name, machines[1].name,
			  machines[0].name, machines[0].name);
	else if (*m->release && strcmp(m->release, kernel.release))
		log_error("%s was built for the kernel %s, but %s is running; build it with stap -r %s", m->name, m->release,
			  kernel.release, kernel.release);
	else if (is_other_build(m, running, sizeof(running)))
		log_error("%s was built for another build of the kernel %s (its build ID is %s, the running kernel's "
			  "is %s);"
			  " build it for the running kernel, or with -DSTP_NO_BUILDID_CHECK", m->name, kernel.release,
			  image_modinfo(m, "stap_kernel_build_id"), running);
	else
		return 0;
	return -ENOEXEC;
}
