// SPDX-License-Identifier: GPL-2.0-or-later
// hostile [SEED]: makes random calls with random arguments, a child process for each number: addresses at the ends of
// pages, of memory that is not mapped or not resident, of the kernel, of structures whose members are again random;
// counts and lengths that are negative or huge. Only for a virtual machine. bpf/argstr.test compares what the module
// and BPF programs print.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include "calls.h"

enum { CALLS = 4, LAST = 470, PAGE = 4096 };

// Each is followed by a page that is not mapped.
enum { TEXTS, POINTERS, VECTORS, ITSELF, ONES, SMALL, MIXED, COLD, PROTECTED, ENDLESS, CROSSING, KINDS };
static const int pages[KINDS] = { [ENDLESS] = 3, [CROSSING] = 2 };

static uint64_t state;

static uint64_t random_below(uint64_t n)
{
	uint64_t x;

	state = state * 6364136223846793005u + 1442695040888963407u;
	x = (state ^ state >> 33) * 0xff51afd7ed558ccdu;
	return n ? (x ^ x >> 33) % n : x ^ x >> 33;
}

static char *area(int kind)
{
	return (char *)(uintptr_t)(0x20000000 + kind * 0x10000);
}

static size_t size_of(int kind)
{
	return (size_t)(pages[kind] ? pages[kind] : 1) * PAGE;
}

static uint64_t address(void)
{
	static const int before_end[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 32, 33, 40, 48, 56, 64, 96, 128 };
	static const uint64_t others[] = { 0, 0, 1, 64, 0xffffffff81000000u, 0xffff888000000000u, 0x800000000000u - 8, -8ull,
					   0xdead000000000000u };
	int kind = (int)random_below(KINDS), before = before_end[random_below(sizeof(before_end) / sizeof(*before_end))];
	uint64_t at = (uintptr_t)area(kind), way = random_below(20);

	if (way < 9)
		return at;
	if (way < 14)
		return at + size_of(kind) - (unsigned)before;
	if (way < 16)
		return at + PAGE - (unsigned)before;
	if (way < 17)
		return at + random_below(64);
	return way < 18 ? at + size_of(kind) : others[random_below(sizeof(others) / sizeof(*others))];
}

static uint64_t number(void)
{
	static const uint64_t all[] = {
		0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 1000, 1023, 1024,
		1025, 4095, 4096, 4097, 65535, 65536, 65537, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x100000000,
		-1ull, -1ull, -2ull, -100ull, -4095ull, 0x7fffffffffffffff, 0x8000000000000000,
	};
	uint64_t way = random_below(20);

	if (way < 17)
		return all[random_below(sizeof(all) / sizeof(*all))];
	return way < 18 ? 1ull << random_below(64) : random_below(way < 19 ? PAGE : 0);
}

static long word_of(int kind, size_t i)
{
	switch (kind) {
	case POINTERS: return i % 50 == 20 ? 0 : (long)address();
	case VECTORS: return (long)(i % 2 ? number() : address());
	case ITSELF: return (long)area(ITSELF);
	default: return (long)(random_below(2) ? number() : address());
	}
}

static void fill_texts(void)
{
	static const char texts[][20] = { "hello", "a\nb\t\001", "\377\376\200x", "\"quo\\te\"", "/no/such", "", "\033[31m",
					  "1\0012", "\303\244\303" };

	for (int i = 0; i + 20 < PAGE; i += 20)
		memcpy(area(TEXTS) + i, texts[random_below(9)], 20);
	memset(area(ONES), 255, PAGE);
	memset(area(ENDLESS), 'x', size_of(ENDLESS));
	for (int i = 0; i < PAGE / 4; i++)
		((int *)area(SMALL))[i] = (int)random_below(40);
	for (int i = 0; i < 2 * PAGE; i++)
		area(CROSSING)[i] = i % 700 == 699 ? 0 : "yyyyyyyyy\"\n\200"[random_below(12)];
}

static void fill(void)
{
	for (int kind = 0; kind < KINDS; kind++)
		mmap(area(kind), size_of(kind), kind == PROTECTED ? PROT_NONE : PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	fill_texts();
	for (int kind = 0; kind < KINDS; kind++)
		for (size_t i = 0; i < PAGE / sizeof(long); i++)
			if (kind == POINTERS || kind == VECTORS || kind == ITSELF || kind == MIXED)
				((long *)area(kind))[i] = word_of(kind, i);
}

// Calls that do not return, end other processes or the machine, change its clock, or who the traced processes are.
static int is_excluded(int call)
{
	static const int excluded[] = {
		SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_fork, SYS_vfork, SYS_clone, SYS_clone3, SYS_kill, SYS_tkill,
		SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_send_signal, SYS_reboot, SYS_vhangup,
		SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_syslog, SYS_kexec_load, SYS_chdir,
		SYS_ptrace, SYS_setpgid, SYS_setsid,
#ifdef __i386__
		SYS_sigreturn, SYS_stime, SYS_clock_settime64, SYS_clock_adjtime64, SYS_ipc,
#endif
	};

	for (size_t i = 0; i < sizeof(excluded) / sizeof(*excluded); i++)
		if (excluded[i] == call)
			return 1;
	return 0;
}

static void interrupt(int sig) { }

static void make_calls(int call)
{
	struct itimerval often = { { 0, 100000 }, { 0, 100000 } };
	struct sigaction action = { .sa_handler = interrupt };

	fill();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < CALLS; i++) {
		long a[6];

		for (int k = 0; k < 6; k++)
			a[k] = (long)(random_below(2) ? address() : number());
		syscall(call, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	struct timespec limit = { 3, 0 };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	T(chdir, "/begin");
	for (int call = 0; call <= LAST; call++) {
		int pid;

		if (is_excluded(call))
			continue;
		state = (argc > 1 ? (uint64_t)atoi(argv[1]) : 1) * 1000 + (unsigned)call;
		pid = fork();
		if (!pid)
			make_calls(call);
		sigtimedwait(&child, NULL, &limit);
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0)
			;
	}
	return 0;
}
