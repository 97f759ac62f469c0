// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a program and makes its K-th system call fail without executing it: when ptrace stops the program at the
// entry, the call's number is replaced by an invalid one; at the exit, its result by the error. This applies to all
// its threads, but not to its children. Calls are counted from a marker on (see fake_kernel.c), but not between two
// other markers.
//
//   inject K ERRNO REPORT PROGRAM [ARGUMENT...]     REPORT gets "COUNT" of all, or "NUMBER name of the call"
//   inject K -SIGNAL REPORT PROGRAM [ARGUMENT...]   sends the signal in place of the call; SIGSTOP before it: then the
//           program is not traced any more, and is continued when it has stopped
//
// With INJECT_ALL in the environment, calls are counted from the program's first one on. $INJECT_STOPPED is a command
// that runs while the program is stopped, with its process ID as an argument.
// Exit status: the program's, 128 + N when a signal ended it, 125 when there was nothing to trace.
#include "marks.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 64

static struct thread {
	pid_t tid;
	bool inside;                       // it is between entry and exit of a call
	int ours;                          // > 0: inside the fake kernel
	bool fail;                         // this call has to fail
	bool detached;
} threads[THREADS];

static long wanted, error, counted, injected = -1;
static pid_t leader;
static bool counting, all, letting_go;

static struct thread *thread_of(pid_t tid)
{
	for (int i = 0; i < THREADS; i++) {
		if (!threads[i].tid)
			threads[i].tid = tid;
		if (threads[i].tid == tid)
			return &threads[i];
	}
	exit(125);
}

// Returns false for calls that end the thread or return to another address, and for calls whose failure libc does
// not expect.
static bool can_fail(long number)
{
	return number != SYS_rt_sigreturn && number != SYS_exit && number != SYS_exit_group &&
	       number != SYS_brk && number != SYS_rseq && number != SYS_set_robust_list &&
	       number != SYS_rt_sigprocmask && number != SYS_futex;
}

static void entered(struct thread *t, struct user_regs_struct *regs)
{
	switch (regs->orig_rax) {
	case MARK_START: counting = true; return;
	case MARK_ENTER: t->ours++; return;
	case MARK_LEAVE: t->ours--; return;
	}
	if (!counting || t->ours || !can_fail(regs->orig_rax) || ++counted != wanted)
		return;
	injected = regs->orig_rax;
	if (error == -SIGSTOP) {
		letting_go = true;
		kill(leader, SIGSTOP);
		return;
	}
	if (error < 0)
		kill(leader, -error);
	regs->orig_rax = -1;
	t->fail = true;
	ptrace(PTRACE_SETREGS, t->tid, NULL, regs);
}

static void stopped_at_call(struct thread *t)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, t->tid, NULL, &regs))
		return;
	t->inside = !t->inside;
	if (t->inside) {
		entered(t, &regs);
	} else if (t->fail) {
		regs.rax = error < 0 ? -EINTR : -error;
		t->fail = false;
		ptrace(PTRACE_SETREGS, t->tid, NULL, &regs);
	}
}

// The injected SIGSTOP is delivered, unlike that of a new thread.
static int signal_to_pass(pid_t tid, int sig)
{
	siginfo_t info;

	if (sig == (SIGTRAP | 0x80) || sig == SIGTRAP)
		return 0;
	if (sig == SIGSTOP && !ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) && info.si_pid != getpid())
		return 0;
	return sig;
}

// A thread that is still traced is detached. A program that is not traced any longer has stopped.
static void let_go(pid_t tid, int sig)
{
	const char *command = getenv("INJECT_STOPPED");
	struct thread *t = thread_of(tid);
	char text[256];

	if (t->detached) {
		snprintf(text, sizeof(text), "%s %d", command ?: "", leader);
		if (command ? system(text) : usleep(20000))
			fprintf(stderr, "%s: failed\n", text);
		kill(leader, SIGCONT);
		return;
	}
	t->detached = true;
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)signal_to_pass(tid, sig));
}

static int trace(pid_t pid)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WUNTRACED)) > 0) {
		int sig = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (!WIFSTOPPED(status)) {
			if (tid == pid)
				return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			continue;
		}
		if (!letting_go && sig == (SIGTRAP | 0x80))
			stopped_at_call(thread_of(tid));
		if (letting_go) {
			let_go(tid, sig);
			continue;
		}
		if (sig == (SIGTRAP | 0x80)) {
			sig = 0;
		} else if (sig == SIGTRAP || sig == SIGSTOP) {
			counting = all || (counting && sig != SIGTRAP);
			sig = 0;           // exec: the new program must be loaded first; or a new thread
		}
		ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(long)sig);
	}
	return 125;
}

int main(int argc, char **argv)
{
	int status;
	FILE *report;
	pid_t pid;

	if (argc < 5)
		return 125;
	wanted = atol(argv[1]);
	error = atol(argv[2]);
	all = getenv("INJECT_ALL");
	pid = leader = fork();
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(125);
		raise(SIGSTOP);
		execv(argv[4], argv + 4);
		_exit(125);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return 125;
	ptrace(PTRACE_SETOPTIONS, pid, NULL,
	       (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL));
	ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	status = trace(pid);
	report = fopen(argv[3], "w");
	if (report && injected >= 0)
		fprintf(report, "%ld\n", injected);
	else if (report)
		fprintf(report, "count %ld\n", counted);
	if (report)
		fclose(report);
	if (all && status > 128)           // the same as the program's status
		raise(status - 128);
	return status;
}
