/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls in progress: tables of the data that is saved at the entry of a function or of a system call until it
 * returns. A row is identified by a thread and by an ID that the family chooses (the stack pointer, the probe).
 * Rows are data of the runtime: no pointer in them is dereferenced, so that a thread that exits, executes another
 * program or leaves by longjmp() leaves only a row behind, which is reused when it is the oldest.
 *
 * A row is never matched with another call: its key includes the start time of the thread and the number of
 * programs it has executed (for system calls, also that number plus 1, since execve() itself executes one), and a
 * call whose entry is skipped has a row that marks this, which replaces a row that an earlier call with the same ID
 * left.
 */
#ifndef KERNEL_PENDING_CALLS_H
#define KERNEL_PENDING_CALLS_H

struct stp_calls;

/* Makes a table for at least n calls, of size bytes each. over_exec: a row is also found after the call has
 * executed another program, as execve() does when it returns. Returns NULL if out of memory. Context: process. */
struct stp_calls *stp_calls_make(u32 n, u32 size, bool over_exec);
u64 stp_calls_bytes(u32 n, u32 size);          /* bytes that stp_calls_make() allocates */
void stp_calls_free(struct stp_calls *t);      /* NULL is allowed. Called when no handler runs any more */

/*
 * The functions below refer to the current thread. Context: interrupts disabled, in an entered context, so that no
 * hit waits for a lock that the interrupted code holds.
 */
/* size: at most that of the table's rows. Functions that return data copy at most the size of a row. */
void stp_calls_put(struct stp_calls *t, u64 id, const void *data, u32 size);
bool stp_calls_get(struct stp_calls *t, u64 id, void *data, u32 size);         /* false: not found */
enum stp_call {
	STP_CALL_NONE,                 /* the call began before the session, or in another task, such as fork()
				        * of a child */
	STP_CALL_LOST,                 /* the row was reused */
	STP_CALL_SKIPPED,              /* the entry was skipped, which was counted */
	STP_CALL_FOUND,
};
enum stp_call stp_calls_take(struct stp_calls *t, u64 id, void *data, u32 size);      /* also frees the row */
/* Context: any. Marks a call whose entry is skipped. */
void stp_calls_skip(struct stp_calls *t, u64 id);
void stp_calls_forget(struct stp_calls *t, u64 id);    /* frees the row of a call, if there is one. Context: any */

/* Original return addresses of calls in programs, from before return probes replaced them; the key is the stack
 * pointer at their entry. user_stack.c allocates the table before the first probe is armed, and frees it when no
 * handler runs any more; NULL if the script prints no backtraces. */
extern struct stp_calls *stp_returns;

#endif
