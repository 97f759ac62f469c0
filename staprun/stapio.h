// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces between the files of stapio, the unprivileged relay. Unless stated otherwise, functions return 0 or
// -errno, and print a message when they fail.
#ifndef STAPIO_H
#define STAPIO_H

#include "number.h"
#include "records.h"

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#define STAPIO_LOSSES 3                    // exit status of --strict: something was lost
#define STAPIO_COMMAND 5                   // exit status of -k: only the command failed; 4: see staprun.h

struct stapio_options {
	int device;                        // -F DEVICE,LIFE
	int life;                          // read end of a pipe that staprun's exit closes; -1: none
	const char *module;                // the module's name
	const char *output;                // -o; NULL: standard output
	uint64_t file_size;                // -S: largest size of a file in bytes; 0: no limit
	unsigned files_max;                // -S: number of files; 0: no limit
	const char *command;               // -c
	int command_ms;                    // -k: the command ends that long after its start; 0: at any time, -1: no -k
	pid_t target;                      // -x
	pid_t namespaces;                  // -N: ns_pid() and the like use the namespaces of this process
	const char *remote;                // -r N:URI: values of remote_id() and remote_uri()
	char **settings;                   // name=value: globals of the script; ends with NULL
	int poll_ms;                       // -T
	int monitor_ms;                    // -M; 0: none
	int daemon;                        // -D: pipe to report success to the parent; -1: none
	bool input;                        // -i: the script reads standard input
	bool attach;                       // -A: the session is already running
	bool quiet;                        // -Q: no progress line
	bool strict;                       // -e: losses make the exit status 3
	bool report;                       // -q: only print the losses
	bool detach;                       // -L: detach once the probes are armed
};

int64_t now_ms(void);                      // CLOCK_MONOTONIC

// --- progress.c: a line on the terminal while a step takes longer than a second ---

// `text`, a literal, is in progress; NULL: nothing is. Called at least once a second.
void progress_step(const char *text);
void progress_hide(void);                  // before anything else is printed

// --- input.c: relays standard input ---

void input_start(const char *module);      // call it after STARTED
void input_stop(void);                     // restores the terminal settings

// --- ring.c: records of all rings, merged by sequence number ---

struct ring {
	struct stp_ring_control *control;
	const unsigned char *data;
	uint64_t tail;                     // private copy; the one in the mapping is never read back
	uint64_t size;                     // bytes of the record at tail; 0: not read yet
	uint64_t seq;                      // of that record
	uint32_t len;                      // of its payload
	uint64_t bad_head;                 // the last invalid head; 0: none
};

struct rings {
	struct stp_ring_header *header;    // the mapping's first page
	struct ring *ring;
	int n;
	uint64_t ring_size;
	uint64_t next;                     // next sequence number; 0: the smallest in the rings
	int64_t gap_since;                 // ms when waiting for `next` began; 0: not waiting
	struct ring *current;              // ring of the record that was returned last
	uint64_t settled;                  // missing records up to it were read by another relay, or are counted
	uint64_t lost;                     // missing sequence numbers above `settled`
	uint64_t damaged;                  // how often a ring had invalid contents and was emptied
	bool bulk;                         // each ring has its own file, records are not merged
	bool records;                      // payloads are items of records.h
	uint64_t bytes;                    // of payload returned so far
};

enum rings_result { RINGS_RECORD, RINGS_EMPTY, RINGS_GAP };

// attach: an earlier relay may have read records, so the first sequence number is unknown.
int rings_map(struct rings *r, int device, bool attach);
int rings_map_header(struct rings *r, int device);     // for ended sessions, which have no rings; prints nothing
// Returns the next record in order; its payload is valid until rings_take(). RINGS_GAP: an earlier record may still
// arrive. It is waited for at most two seconds, and not at all with `complete` (no more records are produced).
enum rings_result rings_next(struct rings *r, bool complete, const void **payload, uint32_t *len);
void rings_take(struct rings *r);
// Bulk mode: returns the next record of the i-th ring, until rings_take(); false: the ring is empty.
bool rings_next_of(struct rings *r, int i, const void **payload, uint32_t *len, uint64_t *seq);
// Returns how many records the module dropped so far since the rings were full.
uint64_t rings_dropped(const struct rings *r);
uint64_t rings_dropped_of(const struct rings *r, int i);

// --- losses.c: prints losses ---

struct stp_ring_header;
// Passes each loss since the last call to `each`, with its text.
void losses_since(const volatile struct stp_ring_header *header, uint64_t missing,
		  void (*each)(const char *text, uint64_t n));
void losses_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));     // a warning that -w does not hide
// Prints each loss with its count. missing: records that were missing in the rings; unread: records left in the rings
// or with the reader of a FIFO; unwritten: records that were read after the output had failed; each: called for
// each loss with its text, unless NULL. Returns the sum of all losses.
uint64_t losses_report(const volatile struct stp_ring_header *header, uint64_t missing, uint64_t unread,
		       uint64_t unwritten, void (*each)(const char *text, uint64_t n));

// --- outfile.c: output files; blocks at most for one write of PIPE_BUF bytes ---

#define OUTFILE_BUFFER (1 << 18)

struct outfile {
	const struct stapio_options *opt;
	int ring;                          // bulk mode: index of the ring; else -1
	time_t opened;                     // for strftime
	unsigned number;                   // of the current file
	uint64_t written;                  // bytes, to the current file
	int fd;
	bool is_file;                      // a regular file: writes don't block
	bool closed;                       // the reader has closed it, or an error occurred: output is dropped
	int error;                         // -errno of a failed write
	uint64_t unwritten;                // records that ended after `closed` was set
	size_t start, end;                 // pending bytes of `bytes`
	unsigned char bytes[OUTFILE_BUFFER + 8];
	// a bit for each byte of `bytes`: 1 if it is the last of a record
	unsigned char ends[(OUTFILE_BUFFER + 8) / 8 + 1];
};

int outfile_open(struct outfile *out, const struct stapio_options *opt, int ring, int signals);
void outfile_begin_record(struct outfile *out, size_t len);    // -S: may switch to the next file before it
void outfile_switch(struct outfile *out);  // to the next file; no effect if it is not a regular file
size_t outfile_space(const struct outfile *out);
void outfile_add(struct outfile *out, const void *bytes, size_t len);  // at most outfile_space() bytes
void outfile_end_record(struct outfile *out);  // the bytes that were added last are the end of a record
// Returns the number of records that ended in this file or after its failure, and whose last byte was not written.
uint64_t outfile_unwritten(const struct outfile *out);
bool outfile_pending(const struct outfile *out);
void outfile_write(struct outfile *out);   // as much as possible without blocking
void outfile_close(struct outfile *out);

// --- bulk.c: one file per ring ---

int bulk_open(const struct rings *r, const struct stapio_options *opt, int signals);
// Writes as much as possible without blocking; sets `pending` if records remain. complete: no more records follow, so
// files whose ring is empty are closed. Returns 0 or the last -errno of writing.
int bulk_drain(struct rings *r, bool complete, bool *pending);
// Writes the buffers, and the rest of records that are partly in them. Returns true if all of that is written.
bool bulk_finish_records(struct rings *r);
// Counts the records that were not written: to files that failed, and to FIFOs that were not read. with_rings: also
// counts those in the rings, and removes them.
void bulk_count_lost(struct rings *r, bool with_rings, uint64_t *unwritten, uint64_t *unread);
void bulk_switch(const struct rings *r);   // switches each to its next file

// --- child.c: other processes ---

void child_output_to_stderr(void);         // later commands write there: standard output has records
// Forks; the child waits for child_release() before it executes the command. Returns its process ID.
pid_t child_prepare(const char *command);
void child_release(void);
void child_abandon(void);                  // the child exits without executing the command
void child_system(const char *command);    // runs sh -c in the background, reparented to init
int child_open_process(pid_t pid);         // returns a pidfd: readable once the process exits

// --- monitor.c: -M ---

int monitor_timeout(const struct stapio_options *opt);         // milliseconds until the next update
void monitor_update(const struct rings *r, const struct stapio_options *opt);

// --- remove_after_kill.c ---

bool staprun_was_killed(const struct stapio_options *opt);
// If staprun was killed, executes another staprun to remove the module, which closes the device. Returns if staprun is
// alive, or if no other can be executed.
void remove_after_kill(const struct stapio_options *opt);

// --- load_error.c: messages about modules that the kernel rejected ---

void load_error_explain(const char *module, int error);

// --- frames.c: in sessions whose output consists of records; no effect in others ---

void frames_start(void);                   // the first frame
void frames_armed(void);
void frames_loss(const char *text, uint64_t n);
void frames_gap(const char *text, uint64_t n);         // lost since the last record
void frames_end(int status, unsigned errors);

// --- session_loop.c: the session ---

// Writes a frame that is not a record: after the records that precede it. No effect if the output is text.
void loop_write_frame(enum stp_frame_kind kind, const void *head, size_t head_len, const char *text, size_t len);

// Both return the exit status. loop_report() only prints the losses of a session whose relay was killed.
int loop_run(const struct stapio_options *opt);
int loop_report(const struct stapio_options *opt);

#endif
