/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls in progress: tables of what is saved at the entry of a function or of a system call until it returns. A row
 * belongs to a thread and to an id that the family chooses (the stack pointer, the probe). Rows are data of ours: no
 * pointer in them is followed, so that a thread that exits, executes another program or leaves by longjmp() leaves
 * nothing behind but a row, which is reused when it is the oldest.
 *
 * A row is never taken for another call's: its key has when the thread began and how many programs it executed, and a
 * call whose entry is skipped has a row that says so, in place of what an earlier call with the same id left.
 */
#ifndef KERNEL_CALLS_H
#define KERNEL_CALLS_H

struct stp_calls;

/* For n calls or more, of size bytes each. NULL: no memory. Context: process. */
struct stp_calls *stp_calls_make(u32 n, u32 size);
u64 stp_calls_bytes(u32 n, u32 size);          /* what that allocates */
void stp_calls_free(struct stp_calls *t);      /* NULL is allowed; no handler runs any more */
bool stp_calls_evict(const struct stp_calls *t);       /* a call got another one's row before that returned */

/*
 * Of the current thread. Context: interrupts off, in an entered context, so that no hit finds the lock taken by whom
 * it interrupted.
 */
void stp_calls_put(struct stp_calls *t, u64 id, const void *data, u32 size);
bool stp_calls_get(struct stp_calls *t, u64 id, void *data, u32 size);         /* false: not found */
enum stp_call {
	STP_CALL_NONE,                 /* evicted, or the call began before the table was made */
	STP_CALL_SKIPPED,              /* its entry was skipped, which was counted */
	STP_CALL_FOUND,
};
enum stp_call stp_calls_take(struct stp_calls *t, u64 id, void *data, u32 size);      /* the row is free then */
/* Context: any. A call's entry is skipped. */
void stp_calls_skip(struct stp_calls *t, u64 id);

/* Return addresses of programs' calls by the stack pointer at their entry, as they were before return probes replaced
 * them. user_stack.c has it from before the first probe is armed until no handler runs any more; NULL where no script
 * asks for backtraces. */
extern struct stp_calls *stp_returns;

#endif
