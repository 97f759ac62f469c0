// SPDX-License-Identifier: GPL-2.0-or-later
// Why the kernel refused a module, and what to do. In: the errno of loading, the kernel's log where we may read it
// (its last words about the module), what the kernel is set to. Out: an error message.
#include "stapio.h"

#include "log.h"
#include "syscalls.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define RECENT_US (30 * 1000000ull)

static struct utsname kernel;

static char *read_some(const char *path, char *to, size_t room)
{
	int fd = sys_open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : sys_read(fd, to, room - 1);

	to[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
	return to;
}

// --- the log: "PRIORITY,NUMBER,MICROSECONDS,FLAGS;TEXT\n", then lines that begin with a blank; one record a read ---

static bool is_about(const char *text, const char *module)
{
	size_t len = strlen(module);

	return (!strncmp(text, module, len) && text[len] == ':') || strstr(text, "oading of unsigned module") ||
	       (!strncmp(text, "Lockdown: ", 10) && strstr(text, "module"));
}

static void take_line(char *line, const char *module, char *said, size_t room)
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
		snprintf(said, room, "%s", text);
}

// The kernel's last words about the module; "" when there are none, or none that we may read.
static void find_last_words(const char *module, char *said, size_t room)
{
	int fd = sys_open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[8192];
	ssize_t n;

	*said = 0;
	while (fd >= 0 && ((n = sys_read(fd, record, sizeof(record) - 1)) > 0 || n == -EPIPE)) {
		char *rest = record, *line;

		record[n > 0 ? n : 0] = 0;
		while ((line = strsep(&rest, "\n")))
			take_line(line, module, said, room);
	}
	if (fd >= 0)
		close(fd);
}

// --- what it means ---

// What a kernel must be built with to have a function.
static const char *option_of(const char *symbol)
{
	static const struct { const char *symbol, *option; } options[] = {
		{ "register_kprobe", "CONFIG_KPROBES" }, { "register_kretprobe", "CONFIG_KRETPROBES" },
		{ "register_ftrace_function", "CONFIG_DYNAMIC_FTRACE" }, { "register_fprobe", "CONFIG_FPROBE" },
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

static void explain_symbol(const char *module, const char *said)
{
	const char *found = strstr(said, "Unknown symbol ");
	char symbol[128] = "";

	if (found)
		snprintf(symbol, sizeof(symbol), "%.*s", (int)strcspn(found + strlen("Unknown symbol "), " \n"),
			 found + strlen("Unknown symbol "));
	if (!found)
		log_error("%s needs a symbol that the running kernel (%s) does not have; dmesg says which", module,
			  kernel.release);
	else if (option_of(symbol))
		log_error("%s needs %s(), which the running kernel (%s) lacks: it was built without %s", module, symbol,
			  kernel.release, option_of(symbol));
	else
		log_error("%s needs the symbol %s, which the running kernel (%s) does not have: it was built for another"
			  " kernel, or for one that has another module loaded", module, symbol, kernel.release);
}

static void explain_permission(const char *module, char *said)
{
	char text[256];

	if (*read_some("/proc/sys/kernel/modules_disabled", text, sizeof(text)) == '1') {
		*said = 0;                 // of an earlier time: it does not look at modules now
		log_error("the kernel does not allow loading %s: modules are disabled until the next boot"
			  " (sysctl kernel.modules_disabled)", module);
		return;
	}
	if (strstr(read_some("/sys/kernel/security/lockdown", text, sizeof(text)), "[integrity]") ||
		 strstr(text, "[confidentiality]") || !strncmp(said, "Lockdown: ", 10))
		log_error("the kernel does not allow loading %s: it is locked down (Secure Boot, or lockdown= at boot)"
			  " and takes modules only that are signed with a key it knows", module);
	else
		log_error("the kernel does not allow loading %s: a security module or a container forbids it", module);
}

static void explain_format(const char *module, const char *release, const char *said)
{
	const char *version = strstr(said, "disagrees about version of symbol ");

	if (*release && strcmp(release, kernel.release))
		log_error("%s is a module for another kernel: built for %s, running is %s", module, release,
			  kernel.release);
	else if (version || strstr(said, "version magic") || strstr(said, "(err -22)"))
		log_error("%s was built for another build of the kernel %s: translate the script again, with the headers"
			  " of the one that runs", module, kernel.release);
	else
		log_error("the kernel refuses %s as no module of its own build", module);
}

// Machines as kbuild names them; this program's is the first.
static const struct { int number; const char *name; } machines[] = {
#ifdef __aarch64__
	{ EM_AARCH64, "arm64" }, { EM_X86_64, "x86_64" },
#else
	{ EM_X86_64, "x86_64" }, { EM_AARCH64, "arm64" },
#endif
};

void refused_explain(const char *module, const char *release, int error, int machine)
{
	char said[512];

	if (machine == machines[1].number) {
		log_error("%s is a module for %s, this machine is %s: stap -a %s makes one for it", module,
			  machines[1].name, machines[0].name, machines[0].name);
		return;
	}
	uname(&kernel);
	*said = 0;
	if (error != EOPNOTSUPP)           // then it wasn't asked
		find_last_words(module, said, sizeof(said));
	switch (error) {
	case ENOSYS:
		log_error("this kernel (%s) can't load modules; try the script with stap --vm or --runtime=user",
			  kernel.release);
		break;
	case ENOENT:
		explain_symbol(module, said);
		break;
	case EPERM:
	case EACCES:
		explain_permission(module, said);
		break;
	case EINVAL:
		if (strstr(said, "for parameter"))
			log_error("the kernel refuses a parameter of %s", module);
		else
			explain_format(module, release, said);
		break;
	case ENOEXEC:
		explain_format(module, release, said);
		break;
	case EKEYREJECTED:
	case ENOKEY:
	case EBADMSG:
	case ENOPKG:
		log_error("the kernel takes signed modules only (Secure Boot, or module.sig_enforce) and refuses %s;"
			  " kmodsign or scripts/sign-file of the kernel signs a module", module);
		break;
	case EEXIST:
		log_error("a module %s is loaded already; staprun -A %s attaches to it, staprun -d %s removes it",
			  module, module, module);
		break;
	case ENOMEM:
		log_error("the kernel has no memory for %s; smaller limits (-DMAXMAPENTRIES, -s) may help", module);
		break;
	case EOPNOTSUPP:
		log_error("the kernel runs in FIPS mode, and %s is no certified part of it; with the environment variable"
			  " STAP_FIPS_OVERRIDE it is loaded all the same", module);
		break;
	default:
		log_error("can't load %s: %s", module, strerror(error));
	}
	if (*said)
		log_note(0, "the kernel says: %s", said);
}
