/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that BPF programs and their client share. Both compile the same text, so that offsets agree.
 *
 * A slot holds everything that a hit writes: the context, the counters and statistics of struct percpu. It belongs to
 * the hit, or to the client while it reads and clears it, that raised `busy` from 0 to 1: "add 1; if the word is then 1
 * the slot is mine, else add -1 and take the next one". There are never two owners, and no fetching atomic is needed.
 */
#ifndef BPF_SHARED_H
#define BPF_SHARED_H

#define STP_LOCK_WORDS 64
#define STP_SLOTS_PER_CPU 4            /* a hit may interrupt others: task, soft and hard interrupt, NMI */

struct stp_slot {
	u32 busy;
	u32 probe;                     /* index in the table of probes */
	struct stp_ctx c;
	u64 held;                      /* lock words that the hit has taken, as bits */
	u64 percpu[STP_PERCPU_WORDS];
};

/* One for all programs, in the section .bss.control. */
struct stp_control {
	u32 open;                      /* 0: hits are outside of the session */
	u32 exited;                    /* exit() was called */
	u64 skipped;                   /* hits, for MAXSKIPPED */
	s64 target;                    /* process ID of -c, -x */
	u64 losses[STP_LOSSES_MAX];
	/* of globals, taken like a slot; a global has the word of its number */
	u32 locks[STP_LOCK_WORDS];
};

#endif
