/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of the current task. Only those that are used are declared: libbpf finds their offsets in the BTF of the
 * kernel that the programs run on.
 */
#ifndef BPF_TASK_H
#define BPF_TASK_H

#define STP_KERNEL_TYPE __attribute__((preserve_access_index))

struct cred { struct { u32 val; } euid, egid; } STP_KERNEL_TYPE;
struct upid { int nr; } STP_KERNEL_TYPE;
struct pid { struct upid numbers[1]; } STP_KERNEL_TYPE;
struct signal_struct { struct pid *pids[4]; } STP_KERNEL_TYPE;
struct task_struct {
	struct task_struct *real_parent;
	int tgid;
	u64 start_time;
	const struct cred *cred;
	struct signal_struct *signal;
} STP_KERNEL_TYPE;
enum pid_type { PIDTYPE_PID, PIDTYPE_TGID, PIDTYPE_PGID, PIDTYPE_SID };

#define STP_KERNEL_READ(to, place) bpf_probe_read_kernel(&(to), sizeof(to), (const void *)&(place))

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

#define stp_thread_start(c) bpf_start_time()
#define stp_ppid(c) bpf_parent()
#define stp_pgrp(c) bpf_task_id(PIDTYPE_PGID)
#define stp_sid(c) bpf_task_id(PIDTYPE_SID)
#define stp_euid(c) bpf_credential(false)
#define stp_egid(c) bpf_credential(true)

#endif
