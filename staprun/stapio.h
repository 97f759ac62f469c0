// SPDX-License-Identifier: GPL-2.0-or-later
// The unprivileged relay: what its files offer each other. Functions return 0 or -errno, and have
// said why when they fail, unless stated otherwise.
#ifndef STAPIO_H
#define STAPIO_H

#include "number.h"

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#define STAPIO_LOSSES 3                    // exit status of --strict: something was lost

struct stapio_options {
	int device;                        // -F DEVICE,LIFE
	int life;                          // a pipe that ends when staprun does; -1
	const char *module;                // its name, for messages
	const char *output;                // -o, NULL: standard output
	uint64_t file_size;                // -S: bytes after which the next file is begun; 0: never
	unsigned files_kept;               // -S: 0: all
	const char *command;               // -c
	pid_t target;                      // -x
	pid_t namespaces;                  // -N: whose namespaces ns_pid() and the like mean
	const char *remote;                // -r N:URI: what remote_id() and remote_uri() say
	char **settings;                   // name=value: globals of the script; ends with NULL
	int poll_ms;                       // -T
	int monitor_ms;                    // -M; 0: none
	int daemon;                        // -D: descriptor for the word that all is well; -1
	bool input;                        // -i: the script reads standard input
	bool attach;                       // -A: the session runs already
	bool strict;                       // -e: losses make the exit status 3
	bool report;                       // -q: print what was lost, do nothing else
	bool detach;                       // -L: leave as soon as it runs
};

int64_t now_ms(void);                      // of a clock that only grows

// --- input.c: standard input, for scripts that read it ---

void input_start(const char *module);      // once the module is armed
void input_stop(void);                     // the terminal is as it was

// --- ring.c: records of all rings, merged by sequence number ---

struct ring {
	struct stp_ring_control *control;
	const unsigned char *data;
	uint64_t tail;                     // ours; what is in the mapping is only written
	uint64_t size;                     // bytes that the record at tail takes; 0: not looked at yet
	uint64_t seq;                      // of that record
	uint32_t len;                      // of its payload
	uint64_t bad_head;                 // a head that was no place of a record; 0: none
};

struct rings {
	struct stp_ring_header *header;    // the mapping's first page
	struct ring *ring;
	int n;
	uint64_t ring_size;
	uint64_t next;                     // sequence number wanted; 0: the smallest there is
	int64_t gap_since;                 // 0: next is not waited for
	struct ring *current;              // where the record last returned is
	uint64_t settled;                  // numbers up to this one are in the rings now, or gone
	uint64_t lost;                     // sequence numbers above it that never came
	uint64_t damaged;                  // times a ring made no sense and was emptied
	bool bulk;                         // each ring has a file of its own, nothing is merged
	uint64_t bytes;                    // of payload, given out
};

enum rings_result { RINGS_RECORD, RINGS_EMPTY, RINGS_GAP };

// attach: others may have read before, so the first number is not known.
int rings_map(struct rings *r, int device, bool attach);
int rings_map_header(struct rings *r, int device);     // of a session that has ended: it has no rings. Says nothing
// The next record in order, which stays where it is until rings_take(). RINGS_GAP: there are records,
// but the next one's predecessor may still come; `complete` (nothing is produced any more) and two
// seconds' patience end that.
enum rings_result rings_next(struct rings *r, bool complete, const void **payload, uint32_t *len);
void rings_take(struct rings *r);
// Bulk: the next record of the i-th ring, for rings_take() too. false: there is none.
bool rings_next_of(struct rings *r, int i, const void **payload, uint32_t *len, uint64_t *seq);
// What the producers dropped so far, by their own count.
uint64_t rings_dropped(const struct rings *r);
uint64_t rings_dropped_of(const struct rings *r, int i);

// --- losses.c: what the module counted as lost ---

struct stp_ring_header;
// Prints each reason with its count, also with -w. missing: records that this reader found to be missing; unread: those
// that were not written. Returns the sum of all.
void losses_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));     // also with -w
uint64_t losses_report(const volatile struct stp_ring_header *header, uint64_t missing, uint64_t unread);

// --- outfile.c: where output goes, never blocking longer than one small write ---

struct outfile {
	const struct stapio_options *opt;
	int ring;                          // bulk: whose file; else -1
	time_t opened;                     // for strftime
	unsigned number;                   // of the current file
	uint64_t written;                  // to it
	int fd;
	bool is_file;                      // writes don't block
	bool closed;                       // the reader went away: everything is dropped
	int error;                         // -errno of a failed write
	size_t start, end;                 // pending bytes of `bytes`
	unsigned char bytes[1 << 18];
};

int outfile_open(struct outfile *out, const struct stapio_options *opt, int ring, int signals);
void outfile_begin_record(struct outfile *out, size_t len);    // -S: may be the next file's first
void outfile_switch(struct outfile *out);  // to the next file; nothing when it is no file
size_t outfile_room(const struct outfile *out);
void outfile_add(struct outfile *out, const void *bytes, size_t len);  // at most what there is room for
bool outfile_pending(const struct outfile *out);
void outfile_write(struct outfile *out);   // as much as goes without blocking
void outfile_flush(struct outfile *out);   // all of it; for regular files, which take everything at once
void outfile_close(struct outfile *out);

// --- bulk.c: a file a ring ---

int bulk_open(const struct rings *r, const struct stapio_options *opt, int signals);
// Writes what the files take without waiting; pending: not all. complete: nothing is produced any more, so that files
// whose ring is empty are closed. Returns 0 or the last -errno of writing.
int bulk_drain(struct rings *r, bool complete, bool *pending);
// Writes the rest of records that are in the buffers in part, too, and of the buffers. true: all is written.
bool bulk_finish_records(struct rings *r);
// How many records were not written. with_rings: those that are in rings, which are emptied.
uint64_t bulk_unwritten(struct rings *r, bool with_rings);
void bulk_switch(const struct rings *r);   // every file to its next

// --- child.c: other processes ---

// Forks; the child waits for child_release() before it becomes the command. Returns its pid.
pid_t child_prepare(const char *command);
void child_release(void);
void child_abandon(void);                  // it ends without having been the command
void child_system(const char *command);    // sh -c in the background, nobody's child
int child_open_process(pid_t pid);         // a descriptor that is readable once it is gone

// --- monitor.c: -M ---

int monitor_timeout(const struct stapio_options *opt);         // milliseconds until there is something to tell
void monitor_tell(const struct rings *r, const struct stapio_options *opt);

// --- orphan.c: staprun was killed ---

bool orphan_is(const struct stapio_options *opt);
// Returns if it lives, or if no other can be started. The device must not be needed any more.
void orphan_remove(const struct stapio_options *opt);

// --- refused.c: a module that the kernel did not take ---

void refused_explain(const char *module, const char *release, int error, int machine);

// --- loop.c: the session ---

// Both return the exit status. The second one prints the losses of a session whose relay could not.
int loop_run(const struct stapio_options *opt);
int loop_report(const struct stapio_options *opt);

#endif
