// SPDX-License-Identifier: GPL-2.0-or-later
// Explains why the kernel rejected a module, from the errno of loading, the last line about it in the kernel log (if
// the user may read that) and kernel settings. Runs in stapio, without privileges.
#include "stapio.h"

#include "log.h"
#include "policy.h"
#include "syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define RECENT_US (30 * 1000000ull)

static struct utsname kernel;

// --- /dev/kmsg: each read() gives one record, "PRIORITY,NUMBER,MICROSECONDS,FLAGS;TEXT\n" and continuation lines ---

static bool is_about(const char *text, const char *module)
{
	size_t len = strlen(module);

	return (!strncmp(text, module, len) && text[len] == ':') || strstr(text, "oading of unsigned module") ||
	       (!strncmp(text, "Lockdown: ", 10) && strstr(text, "module"));
}

static void parse_line(char *line, const char *module, char *message, size_t size)
{
	const char *text = strchr(line, ';'), *at = line;
	uint64_t n[3] = { 0 };         // priority, sequence, microseconds

	for (int i = 0; i < 3; i++, at += *at == ',')
		if (number_unsigned(&at, 10, &n[i]) != NUMBER_GOOD)
			return;
	if (!text || n[2] + RECENT_US < now_ms() * 1000ull)
		return;
	text++;
	if (is_about(text, module))
		snprintf(message, size, "%s", text);
}

// Finds the last line about the module in the kernel log; "" if there is no such line, or if the log cannot be
// read.
static void find_log_message(const char *module, char *message, size_t size)
{
	int fd = sys_open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[8192];
	ssize_t n;

	*message = 0;
	while (fd >= 0 && ((n = sys_read(fd, record, sizeof(record) - 1)) > 0 || n == -EPIPE)) {
		char *rest = record, *line;

		record[n > 0 ? n : 0] = 0;
		while ((line = strsep(&rest, "\n")))
			parse_line(line, module, message, size);
	}
	if (fd >= 0)
		close(fd);
}

// --- reasons ---

// Returns the kernel configuration option that a function requires, or NULL.
static const char *option_of(const char *symbol)
{
	static const struct { const char *symbol, *option; } options[] = {
		{ "register_kprobe", "CONFIG_KPROBES" }, { "register_kretprobe", "CONFIG_KRETPROBES" },
		{ "register_ftrace_function", "CONFIG_DYNAMIC_FTRACE" },
		{ "uprobe_register", "CONFIG_UPROBES" },
		{ "tracepoint_probe_register", "CONFIG_TRACEPOINTS" }, { "for_each_kernel_tracepoint", "CONFIG_TRACEPOINTS" },
		{ "perf_event_create_kernel_counter", "CONFIG_PERF_EVENTS" },
		{ "register_wide_hw_breakpoint", "CONFIG_HAVE_HW_BREAKPOINT" },
		{ "nf_register_net_hook", "CONFIG_NETFILTER" }, { "proc_create_data", "CONFIG_PROC_FS" },
		{ "stack_trace_save", "CONFIG_STACKTRACE" }, { "misc_register", "a misc driver" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(options[i].symbol, symbol))
			return options[i].option;
	return NULL;
}

static void explain_symbol(const char *module, const char *message)
{
	const char *found = strstr(message, "Unknown symbol ");
	char symbol[128] = "";

	if (found)
		snprintf(symbol, sizeof(symbol), "%.*s", (int)strcspn(found + strlen("Unknown symbol "), " \n"),
			 found + strlen("Unknown symbol "));
	if (!found)
		log_error("%s needs a symbol that the running kernel (%s) does not have; dmesg shows its name", module,
			  kernel.release);
	else if (option_of(symbol))
		log_error("%s needs %s(), which the running kernel (%s) lacks: it was built without %s", module, symbol,
			  kernel.release, option_of(symbol));
	else
		log_error("%s needs the symbol %s, which the running kernel (%s) does not have: it was built for "
			  "another kernel, or it requires a module that is not loaded", module, symbol, kernel.release);
}

static void explain_permission(const char *module, char *message)
{
	if (policy_modules_disabled()) {
		*message = 0;              // it is from an earlier attempt, since the kernel rejects all modules
					   // now
		log_error("the kernel does not allow loading %s: modules are disabled until the next boot"
			  " (sysctl kernel.modules_disabled)", module);
		return;
	}
	if (policy_locked_down() || !strncmp(message, "Lockdown: ", 10))
		log_error("the kernel does not allow loading %s: it is locked down (Secure Boot, or lockdown= at boot)"
			  " and accepts only modules that are signed with a trusted key; build it with stap"
			  " --sign-module=KEY,CERTIFICATE, and enrol the certificate with mokutil --import CERTIFICATE", module);
	else
		log_error("the kernel does not allow loading %s: a security module or a container forbids it", module);
}

static void explain_format(const char *module, const char *message)
{
	const char *version = strstr(message, "disagrees about version of symbol ");

	if (version || strstr(message, "version magic") || strstr(message, "(err -22)"))
		log_error("%s was built for another build of the kernel %s; build the script again, with the headers"
			  " of the running kernel", module, kernel.release);
	else
		log_error("the kernel rejects %s: it does not match the running kernel (%s), and the kernel log gives no"
			  " reason", module, kernel.release);
}

void load_error_explain(const char *module, int error)
{
	char message[512];

	uname(&kernel);
	*message = 0;
	if (error != EOPNOTSUPP)           // otherwise module_load() rejected it, not the kernel
		find_log_message(module, message, sizeof(message));
	switch (error) {
	case ENOSYS:
		log_error("this kernel (%s) cannot load modules; try the script with stap --vm or --runtime=user",
			  kernel.release);
		break;
	case ENOENT:
		explain_symbol(module, message);
		break;
	case EPERM:
	case EACCES:
		explain_permission(module, message);
		break;
	case EINVAL:
		if (strstr(message, "for parameter"))
			log_error("the kernel rejects a parameter (NAME=VALUE) of the module %s", module);
		else
			explain_format(module, message);
		break;
	case ENOEXEC:
		explain_format(module, message);
		break;
	case EKEYREJECTED:
	case ENOKEY:
	case EBADMSG:
	case ENOPKG:
		log_error("%s is not signed with a key that the kernel trusts, as it requires (Secure Boot, or"
			  " module.sig_enforce); build it with stap --sign-module=KEY,CERTIFICATE, and enrol the certificate"
			  " with mokutil --import CERTIFICATE", module);
		break;
	case EEXIST:
		log_error("module %s is already loaded; staprun -A %s attaches to it, staprun -d %s removes it",
			  module, module, module);
		break;
	case ENOMEM:
		log_error("not enough memory to load %s; build it with smaller limits (stap -DMAXMAPENTRIES=N, -s MB)", module);
		break;
	case EOPNOTSUPP:
		log_error("the kernel runs in FIPS mode, and %s is not certified; set the environment variable"
			  " STAP_FIPS_OVERRIDE to load it anyway", module);
		break;
	default:
		log_error("cannot load %s: %s", module, strerror(error));
	}
	if (*message)
		log_note(0, "kernel log: %s", message);
}
