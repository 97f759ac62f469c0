/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of the current task. Only members that are used are declared: libbpf finds their offsets in the BTF of
 * the kernel on which the programs run.
 */
#ifndef BPF_TASK_H
#define BPF_TASK_H

#define STP_KERNEL_TYPE __attribute__((preserve_access_index))

struct cred { struct { u32 val; } uid, gid, euid, egid; } STP_KERNEL_TYPE;
struct upid { int nr; } STP_KERNEL_TYPE;
struct pid { struct upid numbers[1]; } STP_KERNEL_TYPE;
struct signal_struct { struct pid *pids[4]; } STP_KERNEL_TYPE;
struct task_struct {
	struct task_struct *real_parent;
	int pid, tgid;
	char comm[16];
	u64 start_time;
	const struct cred *cred;
	struct signal_struct *signal;
} STP_KERNEL_TYPE;
enum pid_type { PIDTYPE_PID, PIDTYPE_TGID, PIDTYPE_PGID, PIDTYPE_SID };

#define STP_KERNEL_READ(to, from) bpf_probe_read_kernel(&(to), sizeof(to), (const void *)&(from))

/* The client sets it to 1 if the kernel lets programs read the current task directly (Linux 5.11). */
const volatile u32 stp_reads_task SEC(".rodata.reads_task") = 0;

/*
 * Programs at hooks of netfilter cannot call the helpers that return these, before Linux 6.16. Handlers may be shared
 * with other programs, so that all programs of a script with such a hook read the task.
 */
#ifdef STP_BASE_HELPERS
#define BPF_TASK_NUMBER(name, type, member)					\
STP_INLINE s64 name(void)							\
{										\
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();	\
	type v = 0;								\
										\
	STP_KERNEL_READ(v, task->member);					\
	return v;								\
}
#define BPF_CRED_NUMBER(name, member)						\
STP_INLINE s64 name(void)							\
{										\
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();	\
	const struct cred *cred = NULL;						\
	u32 v = 0;								\
										\
	STP_KERNEL_READ(cred, task->cred);					\
	STP_KERNEL_READ(v, cred->member.val);					\
	return v;								\
}
BPF_TASK_NUMBER(bpf_pid, int, tgid)
BPF_TASK_NUMBER(bpf_tid, int, pid)
BPF_CRED_NUMBER(bpf_uid, uid)
BPF_CRED_NUMBER(bpf_gid, gid)
#define stp_pid(c) bpf_pid()
#define stp_tid(c) bpf_tid()
#define stp_uid(c) bpf_uid()
#define stp_gid(c) bpf_gid()
#else
#define stp_pid(c) ((s64)(bpf_get_current_pid_tgid() >> 32))
#define stp_tid(c) ((s64)(u32)bpf_get_current_pid_tgid())
#define stp_uid(c) ((s64)(u32)bpf_get_current_uid_gid())
#define stp_gid(c) ((s64)(bpf_get_current_uid_gid() >> 32))
#endif
STP_INLINE const char *bpf_execname(struct stp_ctx *c)
{
	char *name = STP_SLOT(c)->comm.b;
#ifdef STP_BASE_HELPERS
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	bpf_probe_read_kernel_str(name, sizeof(task->comm), &task->comm);
#else
	if (stp_reads_task) {
		const u64 *words = (const u64 *)((struct task_struct *)bpf_get_current_task_btf())->comm;

		((u64 *)name)[0] = words[0];
		((u64 *)name)[1] = words[1];
	} else {
		bpf_get_current_comm(name, 16);
	}
#endif
	return name;
}
#define stp_execname(c) bpf_execname(c)

STP_INLINE s64 bpf_start_time(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 time = 0;

	STP_KERNEL_READ(time, task->start_time);
	return (s64)time;
}

STP_INLINE s64 bpf_parent(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task(), *parent = NULL;
	int id = 0;

	STP_KERNEL_READ(parent, task->real_parent);
	STP_KERNEL_READ(id, parent->tgid);
	return id;
}

/* Returns the ID of the process group or of the session in the initial namespace. */
STP_INLINE s64 bpf_task_id(u32 type)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct signal_struct *signal = NULL;
	struct pid *pid = NULL;
	int id = 0;

	STP_KERNEL_READ(signal, task->signal);
	STP_KERNEL_READ(pid, signal->pids[type]);
	STP_KERNEL_READ(id, pid->numbers[0].nr);
	return id;
}

STP_INLINE s64 bpf_credential(bool group)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	const struct cred *cred = NULL;
	u32 id = 0;

	STP_KERNEL_READ(cred, task->cred);
	if (group)
		STP_KERNEL_READ(id, cred->egid.val);
	else
		STP_KERNEL_READ(id, cred->euid.val);
	return id;
}

/* ------------------------------------------------------------------ tasks by their IDs */

struct xarray___find { void *xa_head; } STP_KERNEL_TYPE;
struct idr___find { struct xarray___find idr_rt; } STP_KERNEL_TYPE;
struct pid_namespace___find { struct idr___find idr; } STP_KERNEL_TYPE;
struct upid___find { struct pid_namespace___find *ns; } STP_KERNEL_TYPE;
struct hlist_node___find;
struct hlist_head___find { struct hlist_node___find *first; } STP_KERNEL_TYPE;
struct pid___find { struct hlist_head___find tasks[4]; struct upid___find numbers[1]; } STP_KERNEL_TYPE;
struct hlist_node___find { struct hlist_node___find *next, **pprev; };
struct task_struct___find { struct pid___find *thread_pid; struct hlist_node___find pid_links[4]; } STP_KERNEL_TYPE;
struct xa_node___find { u8 shift; void *slots[64]; } STP_KERNEL_TYPE;
#define STP_XA_LEVELS 6                /* levels of 6 bits each, for an ID of 32 bits */

/* Returns the task with a thread ID in the initial namespace, or 0. As find_pid_ns(): each namespace has an xarray of
 * its IDs, and every task has the initial namespace as its first. Like all kernel memory, it is read fault-safe. */
STP_GLOBAL_FUNCTION u64 bpf_pid2task(u64 id)
{
	struct task_struct___find *task = (void *)bpf_get_current_task();
	struct pid_namespace___find *ns = NULL;
	struct pid___find *pid = NULL;
	u64 entry = 0, first = 0;
	u32 level;
	u8 shift = 0;

	STP_KERNEL_READ(pid, task->thread_pid);
	STP_KERNEL_READ(ns, pid->numbers[0].ns);
	STP_KERNEL_READ(entry, ns->idr.idr_rt.xa_head);
	for (level = 0; level < STP_XA_LEVELS && (entry & 3) == 2 && entry > 4096; level++) {
		struct xa_node___find *node = (void *)(entry - 2);
		u64 index;

		STP_KERNEL_READ(shift, node->shift);
		index = id >> (shift & 63);
		if (!level && index > 63)
			return 0;
		entry = 0;
		bpf_probe_read_kernel(&entry, sizeof(entry), (const void *)((u64)&node->slots + 8 * (index & 63)));
	}
	if (!entry || entry & 3 || (!level && id))
		return 0;
	pid = (void *)entry;
	STP_KERNEL_READ(first, pid->tasks[PIDTYPE_PID].first);
	return first ? first - (u64)&((struct task_struct___find *)0)->pid_links : 0;
}
#define stp_pid2task(c, id) ((s64)bpf_pid2task((u64)(id)))

/* ------------------------------------------------------------------ namespaces of --target-namespaces */

#ifdef STP_USES_NAMESPACES
struct upid___spaces { int nr; void *ns; } STP_KERNEL_TYPE;
struct pid___spaces { u32 level; struct upid___spaces numbers[1]; } STP_KERNEL_TYPE;
struct cred___spaces { void *user_ns; } STP_KERNEL_TYPE;
struct task_struct___spaces { struct pid___spaces *thread_pid; const struct cred___spaces *real_cred; } STP_KERNEL_TYPE;

/* Reads the addresses of the process' namespaces in the first hit that needs them, while the process exists. */
STP_GLOBAL_FUNCTION int bpf_find_namespaces(void)
{
	struct task_struct___spaces *task;
	const struct cred___spaces *cred = NULL;
	struct pid___spaces *pid = NULL;
	u32 level = 0;
	u64 ns = 0;

	if (stp_control.user_namespace)
		return 0;
	task = (void *)bpf_pid2task((u64)stp_control.namespaces);
	if (!task)
		return 0;
	STP_KERNEL_READ(pid, task->thread_pid);
	STP_KERNEL_READ(level, pid->level);
	bpf_probe_read_kernel(&ns, sizeof(ns), (const void *)((u64)&pid->numbers[0].ns +
		level * __builtin_preserve_type_info(*(struct upid___spaces *)0, 1 /* its size */)));
	stp_control.pid_namespace = ns;
	STP_KERNEL_READ(cred, task->real_cred);
	STP_KERNEL_READ(ns, cred->user_ns);
	stp_control.user_namespace = ns;
	return 0;
}
#define stp_pid_namespace(c) (bpf_find_namespaces(), stp_control.pid_namespace)
#define stp_user_namespace(c) (bpf_find_namespaces(), stp_control.user_namespace)
#endif

struct thread_info___kind { unsigned long flags; } STP_KERNEL_TYPE;
struct task_struct___kind { struct thread_info___kind thread_info; } STP_KERNEL_TYPE;
#define STP_TIF_ADDR32 29              /* bit of x86 */
STP_INLINE bool bpf_task_is_32bit(void)
{
	struct task_struct___kind *task = (void *)bpf_get_current_task();
	u64 flags = 0;

	STP_KERNEL_READ(flags, task->thread_info.flags);
	return flags >> STP_TIF_ADDR32 & 1;
}
#define stp_task_is_32bit() bpf_task_is_32bit()

#define stp_thread_start(c) bpf_start_time()
#define stp_ppid(c) bpf_parent()
#define stp_pgrp(c) bpf_task_id(PIDTYPE_PGID)
#define stp_sid(c) bpf_task_id(PIDTYPE_SID)
#define stp_euid(c) bpf_credential(false)
#define stp_egid(c) bpf_credential(true)

#endif
