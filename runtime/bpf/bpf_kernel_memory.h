/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that the client runs to read kernel memory in its own handlers, and the memory that they share. */
#ifndef BPF_KERNEL_MEMORY_H
#define BPF_KERNEL_MEMORY_H

/* A read of the kernel's memory by the client. */
struct stp_kernel_memory {
	u64 address;
	u32 size;                      /* size of `bytes` */
	s32 result;                    /* 0, or a negative error: the address cannot be read */
	u8 bytes[64];                  /* size of one load of user_load_string() */
};

#ifdef STP_BPF
struct stp_kernel_memory stp_kernel_memory SEC(".bss.memory");
SEC("raw_tp") int stp_program_memory(u64 *ctx)
{
	struct stp_kernel_memory *m = &stp_kernel_memory;
	u32 size = m->size;

	if (size > sizeof(m->bytes))
		size = sizeof(m->bytes);
	m->result = bpf_probe_read_kernel(m->bytes, size, (void *)m->address);
	return 0;
}

/* Replaces a thread ID by the address of its task. */
SEC("raw_tp") int stp_program_task(u64 *ctx)
{
	stp_kernel_memory.address = bpf_pid2task(stp_kernel_memory.address);
	return 0;
}

SEC("raw_tp") int stp_program_jiffies(u64 *ctx)
{
	stp_kernel_memory.address = bpf_jiffies64();
	return 0;
}
#endif

#endif
