// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the kernel's settings that forbid loading modules. A setting that cannot be read counts as off.
#include "policy.h"

#include "syscalls.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *read_setting(const char *path, char *to, size_t size)
{
	int fd = sys_open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : sys_read(fd, to, size - 1);

	to[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
	return to;
}

bool policy_modules_disabled(void)
{
	char text[16];

	return *read_setting("/proc/sys/kernel/modules_disabled", text, sizeof(text)) == '1';
}

bool policy_locked_down(void)
{
	char text[256];

	read_setting("/sys/kernel/security/lockdown", text, sizeof(text));
	return strstr(text, "[integrity]") || strstr(text, "[confidentiality]");
}

bool policy_signatures_enforced(void)
{
	char text[16];

	return *read_setting("/sys/module/module/parameters/sig_enforce", text, sizeof(text)) == 'Y';
}
