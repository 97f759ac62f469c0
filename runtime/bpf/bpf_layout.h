/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes and offsets that depend on the script: the generated C defines them, the client's files use them. */
#ifndef BPF_LAYOUT_H
#define BPF_LAYOUT_H

/* A global that is not an array or statistic: this process has a copy of it. */
struct stp_shared {
	const char *name;              /* of the variable in .bss.globals; NULL: end of the table */
	void *cell;
	u32 size;
	const struct stp_lock *lock;   /* of the copy; NULL: it is only set before hits or after them */
	u32 lock_word;
};

struct stp_bpf_layout {
	const struct stp_shared *shared;
	u32 slot_size;
	u32 percpu_offset;             /* of struct percpu, in a slot */
	const u32 *adders;             /* offsets of counters in struct percpu */
	u32 nadders;
};
extern const struct stp_bpf_layout stp_bpf_layout;

#endif
