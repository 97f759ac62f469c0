// SPDX-License-Identifier: GPL-2.0-or-later
// Attacks on staprun that an unprivileged user can make and a shell cannot: hostile HOW [ARGUMENT...]
//   closed PROGRAM...     runs it without descriptors 0, 1, 2
//   limit NAME PROGRAM... runs it with that limit at 0
//   nothing PROGRAM       runs it without any argument, not even its name
//   ignored PROGRAM...    with SIGCHLD ignored and every other signal too
//   alarm PROGRAM...      with an alarm in a second
//   many PROGRAM...       with 20,000 more arguments
//   trace PID             attaches to the process as a debugger, and reads its memory through /proc
//   traced PROGRAM...     runs it under a debugger
//   load-killed PROGRAM... (as root) runs it as user 1000 in group 91 and kills it when it has loaded a module
//   names FILE            (as root) holds the locks of all module names, so that staprun gets none
//   setcap FILE           (as root) gives it the capabilities that staprun(8) lists
//   (as stapio)           uses the device to send commands that only staprun may send, before and after START
#include "messages.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int device;

static void say(const char *what, int type, const void *payload, uint32_t len)
{
	char bytes[4096] = "";
	struct stp_cmd *cmd = (void *)bytes;

	cmd->type = type;
	cmd->len = len;
	memcpy(cmd->payload, payload, len);
	printf("%s: %s\n", what, write(device, bytes, sizeof(*cmd) + len) < 0 ? strerror(errno) : "taken");
}

// Writes random data into the rings, while handlers print into them.
static void scribble(void)
{
	struct stp_ring_header *h = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
	size_t len;
	uint64_t *at;

	if (h == MAP_FAILED)
		return;
	len = h->first + h->rings * h->stride;
	at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
	if (at == MAP_FAILED)
		return;
	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < len / 8; i++)
			at[i] = i * 0x9e3779b97f4a7c15u + round;
		usleep(10000);
	}
	printf("beyond: %s\n", mmap(NULL, len + 4096, PROT_READ, MAP_SHARED, device, 0) == MAP_FAILED ? "refused" : "mapped");
}

static int relay(int argc, char **argv)
{
	struct stp_hello hello = { .protocol = STP_PROTOCOL, .kernel_base = 1 };
	struct stp_address address = { .index = 0, .address = 0xffffffff81000000u };
	struct stp_start start = { 0 };

	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "-F"))
			device = atoi(argv[i + 1]);
	say("hello", STP_CMD_HELLO, &hello, sizeof(hello));
	say("address", STP_CMD_ADDRESS, &address, sizeof(address));
	address.index = 0xffffffff;
	say("no address", STP_CMD_ADDRESS, &address, sizeof(address));
	say("detach", STP_CMD_DETACH, "", 0);
	say("unknown", 99, "", 0);
	say("short", STP_CMD_START, "", 0);
	say("start", STP_CMD_START, &start, sizeof(start));
	say("set", STP_CMD_SET, "x=1", 3);
	say("address later", STP_CMD_ADDRESS, &address, sizeof(address));
	say("start again", STP_CMD_START, &start, sizeof(start));
	scribble();
	say("stop", STP_CMD_STOP, "", 0);
	say("stop again", STP_CMD_STOP, "", 0);
	return 0;
}

// Tries to inspect another process as a debugger does.
static void look_into(pid_t pid)
{
	static const char *const files[] = { "mem", "fd/0", "environ", "maps", "auxv", "syscall", "fd", "exe" };
	struct iovec here = { &device, sizeof(device) }, there = { (void *)0x1000, sizeof(device) };
	char path[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, files[i]);
		printf("%s: %s\n", files[i], open(path, i ? O_RDONLY : O_RDWR) < 0 ? strerror(errno) : "opened");
	}
	printf("write: %s\n", process_vm_writev(pid, &here, 1, &there, 1, 0) < 0 ? strerror(errno) : "written");
}

static int run_traced(char **argv)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[0], argv);
		_exit(4);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	return WEXITSTATUS(status);
}

static int kill_at_load(char **argv)
{
	gid_t stapusr = 91;
	struct user_regs_struct regs;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		if (setgroups(1, &stapusr) || setgid(1000) || setuid(1000))
			_exit(4);
		execv(argv[0], argv);
		_exit(4);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (!ptrace(PTRACE_GETREGS, pid, NULL, &regs) && !regs.rax &&
		    (regs.orig_rax == SYS_init_module || regs.orig_rax == SYS_finit_module))
			kill(pid, SIGKILL);
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 0;
}

static int hold_names(const char *file)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(file, O_RDWR);

	if (fd < 0 || fcntl(fd, F_SETLK, &all))
		return 1;
	for (;;)
		pause();
}

static int set_capabilities(const char *file)
{
	static const int caps[] = { CAP_SYS_MODULE, CAP_SYSLOG, CAP_CHOWN, CAP_DAC_OVERRIDE };
	struct vfs_cap_data data = { .magic_etc = VFS_CAP_REVISION_2 };

	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++)
		data.data[caps[i] / 32].permitted |= 1u << caps[i] % 32;
	if (setxattr(file, "security.capability", &data, sizeof(data), 0)) {
		printf("setcap: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}

static int limit_named(const char *name)
{
	static const struct { const char *name; int limit; } limits[] = {
		{ "nofile", RLIMIT_NOFILE }, { "nproc", RLIMIT_NPROC }, { "fsize", RLIMIT_FSIZE }, { "core", RLIMIT_CORE },
		{ "memlock", RLIMIT_MEMLOCK }, { "data", RLIMIT_DATA }, { "as", RLIMIT_AS }, { "stack", RLIMIT_STACK },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!strcmp(limits[i].name, name))
			return limits[i].limit;
	exit(3);
}

static void run_with_many(char **argv, int argc)
{
	char **more = calloc(argc + 20001, sizeof(*more));

	memcpy(more, argv, argc * sizeof(*more));
	for (int i = argc; i < argc + 20000; i++)
		more[i] = "x=1";
	execv(argv[0], more);
}

int main(int argc, char **argv)
{
	struct rlimit zero = { 0, 0 };
	const char *how = argc > 1 ? argv[1] : "";

	if (strstr(argv[0], "stapio"))
		return relay(argc, argv);
	if (argc < 3)
		return 3;
	if (!strcmp(how, "trace")) {
		printf("trace: %s\n", ptrace(PTRACE_ATTACH, atoi(argv[2]), NULL, NULL) ? strerror(errno) : "attached");
		look_into(atoi(argv[2]));
		return 0;
	}
	if (!strcmp(how, "traced"))
		return run_traced(argv + 2);
	if (!strcmp(how, "load-killed"))
		return kill_at_load(argv + 2);
	if (!strcmp(how, "names"))
		return hold_names(argv[2]);
	if (!strcmp(how, "setcap"))
		return set_capabilities(argv[2]);
	if (!strcmp(how, "closed"))
		close_range(0, 2, 0);
	if (!strcmp(how, "alarm"))
		alarm(1);
	for (int sig = 1; !strcmp(how, "ignored") && sig < 32; sig++)
		signal(sig, SIG_IGN);
	if (!strcmp(how, "many"))
		run_with_many(argv + 2, argc - 2);
	if (!strcmp(how, "nothing"))
		execv(argv[2], (char *[]){ NULL });
	if (!strcmp(how, "limit")) {
		setrlimit(limit_named(argv[2]), &zero);
		argv++;
	}
	execv(argv[2], argv + 2);
	return 4;
}
