// SPDX-License-Identifier: GPL-2.0-or-later
// For the programs of run.sh: T(NAME, ARGUMENTS...) makes a system call, forked() creates a child process. A call
// that the machine does not have is omitted: then T() is -1.
#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define T(name, ...) (SYS_##name < 0 ? -1 : syscall(SYS_##name, ##__VA_ARGS__))

#ifdef __aarch64__
enum {
	SYS_access = -1, SYS_alarm = -1, SYS_arch_prctl = -1, SYS_chmod = -1, SYS_chown = -1, SYS_creat = -1, SYS_dup2 = -1,
	SYS_epoll_create = -1, SYS_epoll_wait = -1, SYS_fork = -1, SYS_futimesat = -1, SYS_getpgrp = -1, SYS_lchown = -1,
	SYS_link = -1, SYS_lstat = -1, SYS_mkdir = -1, SYS_mknod = -1, SYS_open = -1, SYS_pipe = -1,
	SYS_poll = -1, SYS_readlink = -1, SYS_rename = -1, SYS_rmdir = -1, SYS_select = -1, SYS_stat = -1, SYS_symlink = -1,
	SYS_sysfs = -1, SYS_time = -1, SYS_unlink = -1, SYS_utime = -1, SYS_utimes = -1,
};
#endif

static inline long forked(void) { return SYS_fork < 0 ? T(clone, SIGCHLD, 0L, 0L, 0L, 0L) : T(fork); }

// Reads each page of the program, so that both observers can read its memory.
static inline int touch_segments(struct dl_phdr_info *info, size_t size, void *data)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		for (size_t at = 0; p->p_type == PT_LOAD && at < p->p_memsz; at += 1024)
			(void)*(volatile char *)(info->dlpi_addr + p->p_vaddr + at);
	}
	return 1;               // only the program itself
}

static inline void touch_program(void) { dl_iterate_phdr(touch_segments, NULL); }
