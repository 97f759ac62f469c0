// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State that a handler may read: the task, the CPU, the time, the function. IDs of processes and users are those of
 * the initial namespaces. Context: any but NMI.
 */
#include "kernel.h"
#include <linux/cred.h>
#include <linux/kallsyms.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>
#include <linux/utsname.h>

/* ------------------------------------------------------------------ the task */

s64 stp_pid(struct stp_ctx *c)
{
	return current->tgid;
}

s64 stp_tid(struct stp_ctx *c)
{
	return current->pid;
}

s64 stp_thread_start(struct stp_ctx *c)
{
	return current->start_time;
}

s64 stp_ppid(struct stp_ctx *c)
{
	s64 pid;

	rcu_read_lock();
	pid = rcu_dereference(current->real_parent)->tgid;
	rcu_read_unlock();
	return pid;
}

/* Returns the ID of the process group or session. The leader of an exiting process may have none any more. */
static s64 number_of(enum pid_type type)
{
	struct pid *pid;
	s64 n = 0;

	rcu_read_lock();
	pid = READ_ONCE(current->signal) ? rcu_dereference_raw(current->signal->pids[type]) : NULL;
	if (pid)
		n = pid->numbers[0].nr;
	rcu_read_unlock();
	return n;
}

s64 stp_pgrp(struct stp_ctx *c)
{
	return number_of(PIDTYPE_PGID);
}

s64 stp_sid(struct stp_ctx *c)
{
	return number_of(PIDTYPE_SID);
}

s64 stp_uid(struct stp_ctx *c)
{
	return __kuid_val(current_uid());
}

s64 stp_euid(struct stp_ctx *c)
{
	return __kuid_val(current_euid());
}

/* Applies the rules of ptrace(), __ptrace_may_access(): saved IDs, the group of a set-group-ID program, and
 * processes that prctl(), exec or changes of credentials have excluded (ssh-agent, programs that the user cannot
 * read). */
bool plat_process_is_readable(void)
{
	const struct cred *cred = current_cred();

	return uid_eq(cred->suid, cred->uid) && gid_eq(cred->egid, cred->gid) && gid_eq(cred->sgid, cred->gid) &&
	       compat_is_dumpable();
}

s64 stp_gid(struct stp_ctx *c)
{
	return __kgid_val(current_gid());
}

s64 stp_egid(struct stp_ctx *c)
{
	return __kgid_val(current_egid());
}

s64 stp_cpu(struct stp_ctx *c)
{
	return raw_smp_processor_id();
}

/* Returns a copy, since another task may be writing the name, so that its last byte may not be 0. */
const char *stp_execname(struct stp_ctx *c)
{
	char *name = stp_private(c)->execname;

	BUILD_BUG_ON(sizeof(stp_private(c)->execname) != sizeof(current->comm));
	memcpy(name, current->comm, sizeof(current->comm));
	name[min_t(u32, sizeof(current->comm), stp_module.limits.string_len) - 1] = '\0';
	return name;
}

/* Returns a copy, since sethostname() may be writing the name. */
const char *stp_hostname(struct stp_ctx *c)
{
	char *name = stp_private(c)->hostname;

	BUILD_BUG_ON(sizeof(stp_private(c)->hostname) != sizeof(init_uts_ns.name.nodename));
	memcpy(name, init_uts_ns.name.nodename, sizeof(init_uts_ns.name.nodename));
	name[min_t(u32, sizeof(init_uts_ns.name.nodename), stp_module.limits.string_len) - 1] = '\0';
	return name;
}

u64 stp_current_task(struct stp_ctx *c)
{
	return (unsigned long)current;
}

bool stp_task_is_32bit(void)
{
#if defined CONFIG_X86_64
	return test_thread_flag(TIF_ADDR32);
#elif defined CONFIG_ARM64
	return test_thread_flag(TIF_32BIT);
#else
	return false;
#endif
}

/* ------------------------------------------------------------------ the time */

s64 stp_gettimeofday_ns(void)
{
	return ktime_get_real_fast_ns();
}

s64 stp_ktime_ns(void)
{
	return ktime_get_mono_fast_ns();
}

/* ------------------------------------------------------------------ the function */

char *stp_address_name(struct stp_ctx *c, u64 address, bool with_offset)
{
	char *text = stp_private(c)->name_text;

	BUILD_BUG_ON(KSYM_SYMBOL_LEN > STP_NAME_TEXT);
	if (with_offset)
		sprint_symbol(text, address);
	else
		sprint_symbol_no_offset(text, address);
	if (text[0] == '0')                /* the address: no name begins with a digit */
		stp_unloaded_name(address, text, with_offset);
	return text;
}

/* Returns "name [module]" from the kernel's symbol table, or NULL. */
static char *look_up(struct stp_ctx *c)
{
	char *text;

	if (!stp_charge(c, STP_WORK_SYMBOL) || !c->address)
		return NULL;
	text = stp_address_name(c, c->address, false);
	return text[0] && !(text[0] == '0' && text[1] == 'x') ? text : NULL;
}

#ifdef CONFIG_X86_64
#define CALL_PREFIX "__x64_sys_"
#elif defined CONFIG_ARM64
#define CALL_PREFIX "__arm64_sys_"
#else
#define CALL_PREFIX "sys_"
#endif

/* Returns "open.return" for syscall.open.return, nd_syscall.open.return and the like; NULL for other points, such as
 * process.syscall. */
static const char *probed_call(struct stp_ctx *c)
{
	const char *point = stp_pp(c), *name = strstr(point, "syscall.");

	return name && (name == point || name[-1] == '_') ? name + strlen("syscall.") : NULL;
}

/*
 * Stores the name of the function that implements the system call: the probed function, the common entry or exit,
 * is the same for all calls.
 */
static void call_function(struct stp_ctx *c, char *to, u32 size)
{
	const char *name = probed_call(c);

	to[0] = '\0';
	if (!name)
		return;
	if (snprintf(to, size, CALL_PREFIX "%.*s", (int)strcspn(name, "."), name) >= size)
		stp_string_cut();
}

void (*stp_name_user_function)(struct stp_ctx *c, u64 address, char *to, u32 size);

/* Returns the address in user code for a probe of a process, or for one that interrupted user code; 0 for other
 * probes. */
static u64 user_code_address(struct stp_ctx *c)
{
	const struct pt_regs *regs = c->regs;

	if (probed_call(c))
		return 0;          /* the registers are not those of user code */
	if (regs && user_mode((struct pt_regs *)regs))
		return c->address ?: instruction_pointer((struct pt_regs *)regs);
	if (!current->mm || strncmp(stp_pp(c), "process", strlen("process")))
		return 0;
	return instruction_pointer(task_pt_regs(current));
}

void stp_probefunc(struct stp_ctx *c, char *to, u32 size)
{
	u64 user = stp_name_user_function ? user_code_address(c) : 0;
	const struct stp_site *s = stp_site_at(c->address);
	char *text, *space;

	if (user) {
		stp_name_user_function(c, user, to, size);
		return;
	}
	if (s) {
		stp_copy(to, s->symbol, size);
		return;
	}
	call_function(c, to, size);
	text = look_up(c);
	if (!text)
		return;
	space = strchr(text, ' ');
	if (space)
		*space = '\0';
	stp_copy(to, text, size);
}

void stp_probemod(struct stp_ctx *c, char *to, u32 size)
{
	const struct stp_site *s = stp_site_at(c->address);
	char *text, *module;

	if (s) {
		stp_copy(to, s->module ?: "kernel", size);
		return;
	}
	call_function(c, to, size);
	if (to[0])
		stp_copy(to, "kernel", size);
	text = look_up(c);
	if (!text)
		return;
	module = strchr(text, '[');
	if (module)
		module[strcspn(module, "]")] = '\0';
	stp_copy(to, module ? module + 1 : "kernel", size);
}

/* ------------------------------------------------------------------ namespaces */

static struct {
	struct pid_namespace *pid;
	struct user_namespace *user;
} namespaces;

/* Takes references to the namespaces of a process (0: the current one), which are held until they are dropped.
 * Context: process. */
int stp_namespaces_take(s32 process)
{
	struct pid *id = process ? find_get_pid(process) : get_pid(task_tgid(current));
	struct task_struct *task = id ? get_pid_task(id, PIDTYPE_TGID) : NULL;
	char text[80];

	put_pid(id);
	if (!task) {
		snprintf(text, sizeof(text), "process %d not found: cannot use its namespaces", process);
		plat_message(STP_MSG_ERROR, text);
		return -ESRCH;
	}
	rcu_read_lock();
	namespaces.pid = task_active_pid_ns(task);
	if (namespaces.pid)
		get_pid_ns(namespaces.pid);
	namespaces.user = get_user_ns(__task_cred(task)->user_ns);
	rcu_read_unlock();
	put_task_struct(task);
	stp_session.pid_namespace = (unsigned long)namespaces.pid;
	stp_session.user_namespace = (unsigned long)namespaces.user;
	return 0;
}

void stp_namespaces_drop(void)
{
	if (namespaces.pid)
		put_pid_ns(namespaces.pid);
	if (namespaces.user)
		put_user_ns(namespaces.user);
	namespaces.pid = NULL;
	namespaces.user = NULL;
}
