// SPDX-License-Identifier: GPL-2.0-or-later
// Reports that the translator's stack is exhausted. Passes 1 to 3 visit trees by recursion; the depth of these is
// limited, but the hard limit of the stack (--rlimit-stack, ulimit -Hs) may be too small for that depth. The limit
// of all memory (--rlimit-as, ulimit -v) may also prevent the stack from growing.
#include "driver/options.h"
#include "session/session.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

enum { HANDLER_STACK = 64 << 10, FRAME = 1 << 20 };    // in bytes; FRAME: at least the frame of the largest
						       // function

static struct sigaction before;        // a sanitizer's handler reports other faults

// Returns whether the address is in the stack. The stack ends at the program's path, and its limit is relative to
// that. The kernel maps every page of this range on use, unless a limit forbids it.
static bool is_stack(uintptr_t address, bool *within_limit)
{
	uintptr_t end = (uintptr_t)getauxval(AT_EXECFN);
	struct rlimit limit;

	if (address >= end || getrlimit(RLIMIT_STACK, &limit) || end - address > limit.rlim_cur + FRAME)
		return false;
	*within_limit = end - address + FRAME <= limit.rlim_cur;
	return true;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	static const char used_up[] = "ERROR: the translator's stack is used up; raise --rlimit-stack (ulimit -s)\n";
	static const char no_memory[] = "ERROR: out of memory (the stack cannot grow); raise --rlimit-as (ulimit -v)\n";
	bool within_limit;
	ssize_t written;

	if (!is_stack((uintptr_t)info->si_addr, &within_limit)) {
		sigaction(sig, &before, NULL);     // the instruction that faulted is executed again
		return;
	}
	if (within_limit)
		written = write(STDERR_FILENO, no_memory, sizeof(no_memory) - 1);
	else
		written = write(STDERR_FILENO, used_up, sizeof(used_up) - 1);
	(void)written;
	session_abandon(EXIT_FAILURE);
}

void stack_overflow_catch(void)
{
	static char stack[HANDLER_STACK];
	const stack_t handlers = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	if (!sigaltstack(&handlers, NULL))
		sigaction(SIGSEGV, &sa, &before);
}
