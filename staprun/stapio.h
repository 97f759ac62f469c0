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
	int device;                        // -F DEVICE,LIFE: the module's device
	int life;                          // read end of a pipe that is closed by the exit of staprun; -1: none
	const char *module;                // the module's name
	const char *output;                // -o; NULL: standard output
	uint64_t file_size;                // -S: maximum size of a file in bytes; 0: no limit
	unsigned files_max;                // -S: maximum number of files; 0: no limit
	const char *command;               // -c
	int command_ms;                    // -k: time after its start at which the command is ended; 0: it is not
					   // ended, -1: no -k
	pid_t target;                      // -x
	pid_t namespaces;                  // -N: ns_pid() and similar functions use the namespaces of this process
	const char *remote;                // -r N:URI: values of remote_id() and remote_uri()
	char **settings;                   // name=value: globals of the script; ends with NULL
	int poll_ms;                       // -T
	int monitor_ms;                    // -M; 0: not given
	int daemon;                        // -D: pipe on which success is reported to the parent; -1: none
	bool input;                        // -i: the script reads standard input
	bool attach;                       // -A: the session is already running
	bool quiet;                        // -Q: no progress line
	bool strict;                       // -e: losses make the exit status 3
	bool report;                       // -q: only prints the losses
	bool detach;                       // -L: detaches after the probes are armed
};

int64_t now_ms(void);                      // CLOCK_MONOTONIC

// --- progress.c: a line on the terminal while a step takes longer than a second ---

// Sets the step in progress, a literal; NULL: nothing is in progress. Called at least once a second.
void progress_step(const char *text);
void progress_hide(void);                  // called before anything else is printed

// --- input.c: relays standard input ---

void input_start(const char *module);      // called after STARTED
void input_stop(void);                     // restores the terminal settings

// --- ring.c: records of all rings, merged by sequence number ---

struct ring {
	struct stp_ring_control *control;
	const unsigned char *data;
	uint64_t tail;                     // private copy; the tail in the mapping is only written
	uint64_t size;                     // size of the record at tail in bytes; 0: not read yet
	uint64_t seq;                      // sequence number of that record
	uint32_t len;                      // length of its payload
	uint64_t bad_head;                 // the last invalid head; 0: none
};

struct rings {
	struct stp_ring_header *header;    // first page of the mapping
	struct ring *ring;
	int n;
	uint64_t ring_size;
	uint64_t next;                     // next sequence number; 0: the lowest one in the rings
	int64_t gap_since;                 // time in ms when the wait for `next` began; 0: not waiting
	struct ring *current;              // ring of the record that was last returned
	uint64_t settled;                  // missing records up to this number were read by another relay, or are
					   // counted
	uint64_t lost;                     // number of missing sequence numbers above `settled`
	uint64_t damaged;                  // number of times that a ring had invalid contents and was emptied
	bool bulk;                         // each ring has its own file: records are not merged
	bool records;                      // payloads are items of records.h
	uint64_t bytes;                    // bytes of payload returned so far
};

enum rings_result { RINGS_RECORD, RINGS_EMPTY, RINGS_GAP };

// attach: another relay may have read records before, so the first sequence number is unknown.
int rings_map(struct rings *r, int device, bool attach);
int rings_map_header(struct rings *r, int device);     // for ended sessions, which have no rings; prints nothing
// Returns the next record in order; its payload is valid until rings_take(). RINGS_GAP: an earlier record may still
// arrive. The caller waits for it at most two seconds, and with `complete` (no more records are produced) not at
// all.
enum rings_result rings_next(struct rings *r, bool complete, const void **payload, uint32_t *len);
void rings_take(struct rings *r);
// Bulk mode: returns the next record of the i-th ring, which is valid until rings_take(); false: the ring is empty.
bool rings_next_of(struct rings *r, int i, const void **payload, uint32_t *len, uint64_t *seq);
// Returns the number of records that the module has dropped so far because rings were full.
uint64_t rings_dropped(const struct rings *r);
uint64_t rings_dropped_of(const struct rings *r, int i);

// --- losses.c: prints losses ---

struct stp_ring_header;
// Passes the losses since the last call to `each`, with their texts.
void losses_since(const volatile struct stp_ring_header *header, uint64_t missing,
		  void (*each)(const char *text, uint64_t n));
void losses_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));     // prints a warning that -w does
										  // not hide
// Prints the losses with their counts. missing: number of records that were missing in the rings; unread: of
// records left in the rings or with the reader of a FIFO; unwritten: of records that were read after the output had
// failed; each (may be NULL): called for each loss with its text. Returns the sum of all losses.
uint64_t losses_report(const volatile struct stp_ring_header *header, uint64_t missing, uint64_t unread,
		       uint64_t unwritten, void (*each)(const char *text, uint64_t n));

// --- outfile.c: output files; blocks at most for one write of PIPE_BUF bytes ---

#define OUTFILE_BUFFER (1 << 18)

struct outfile {
	const struct stapio_options *opt;
	int ring;                          // bulk mode: index of the ring; otherwise -1
	time_t opened;                     // time for strftime()
	unsigned number;                   // number of the current file
	uint64_t written;                  // number of bytes written to the current file
	int fd;
	bool is_file;                      // it is a regular file, so writes do not block
	bool closed;                       // the reader has closed it, or an error occurred, so output is dropped
	int error;                         // -errno of a failed write
	uint64_t unwritten;                // number of records that ended after `closed` was set
	size_t start, end;                 // range of pending bytes in `bytes`
	unsigned char bytes[OUTFILE_BUFFER + 8];
	// a bit for each byte of `bytes`: 1 if it is the last byte of a record
	unsigned char ends[(OUTFILE_BUFFER + 8) / 8 + 1];
};

int outfile_open(struct outfile *out, const struct stapio_options *opt, int ring, int signals);
void outfile_begin_record(struct outfile *out, size_t len);    // -S: may switch to the next file first
void outfile_switch(struct outfile *out);  // switches to the next file; no effect if it is not a regular file
size_t outfile_space(const struct outfile *out);
void outfile_add(struct outfile *out, const void *bytes, size_t len);  // appends at most outfile_space() bytes
void outfile_end_record(struct outfile *out);  // marks the bytes that were appended last as the end of a record
// Returns the number of records that ended in this file or after its failure, and whose last byte was not written.
uint64_t outfile_unwritten(const struct outfile *out);
bool outfile_pending(const struct outfile *out);
void outfile_write(struct outfile *out);   // writes as much as possible without blocking
void outfile_close(struct outfile *out);

// --- bulk.c: one file per ring ---

int bulk_open(const struct rings *r, const struct stapio_options *opt, int signals);
// Writes as much as possible without blocking; sets `pending` if records remain. complete: no more records follow,
// so files with an empty ring are closed. Returns 0 or the last -errno of a write.
int bulk_drain(struct rings *r, bool complete, bool *pending);
// Writes the buffers, and the remaining parts of records of which a part is in them. Returns true if all of that
// was written.
bool bulk_finish_records(struct rings *r);
// Counts records that were not written, since a file failed or a FIFO was not read. with_rings: also counts records
// in the rings, and removes them.
void bulk_count_lost(struct rings *r, bool with_rings, uint64_t *unwritten, uint64_t *unread);
void bulk_switch(const struct rings *r);   // switches each ring to its next file

// --- child.c: other processes ---

void child_ignores_sigpipe(bool ignores);
void child_output_to_stderr(void);         // redirects standard output of later commands to standard error, since
					   // standard output has records
// Forks a child, which waits for child_release() before it executes the command. Returns its process ID.
pid_t child_prepare(const char *command);
void child_release(void);
void child_abandon(void);                  // ends the child, which does not execute the command
void child_system(const char *command);    // runs sh -c in the background, as a child of init
// Sends SIGTERM to the child and its descendants; killed: SIGKILL to those that were sent SIGTERM.
void child_end(pid_t child, bool killed);
// Called at the end of the session. killed: the command was sent SIGTERM, and gets SIGKILL after that time. Otherwise a
// child that still runs is sent SIGTERM.
void child_end_rest(pid_t child, int64_t ms, bool killed);
int child_open_process(pid_t pid);         // returns a pidfd: readable once the process exits

// --- monitor.c: -M ---

int monitor_timeout(const struct stapio_options *opt);         // milliseconds until the next update
void monitor_update(const struct rings *r, const struct stapio_options *opt);

// --- remove_after_kill.c ---

bool staprun_was_killed(const struct stapio_options *opt);
// If staprun was killed, executes another staprun, which closes the device and removes the module. Returns if
// staprun is alive, or if no other staprun can be executed.
void remove_after_kill(const struct stapio_options *opt);

// --- load_error.c: messages about modules that the kernel rejected ---

void load_error_explain(const char *module, int error);

// --- repeated.c ---

// Returns whether a message of this type was printed before: without -v, repeated messages are hidden.
bool message_is_repeated(unsigned type, const char *text);

// --- frames.c: in sessions whose output consists of records; no effect in others ---

void frames_start(void);                   // writes the first frame
void frames_armed(void);
void frames_loss(const char *text, uint64_t n);
// Writes the losses since the last record, and the files that the items of the next one are the first to name.
void frames_before_record(struct rings *r, const void *items, size_t len);
void frames_unloaded(const char *module);  // "NAME BUILD_ID"
void frames_end(int status, unsigned errors);

// --- link.c: on a host of stap --merge ---

int link_run(int argc, char **argv);       // SIZE NAME OPTIONS...; returns the exit status of staprun
int link_rejoin(const char *directory);    // returns the exit status

// --- session_loop.c: the session ---

// Writes a frame that is not a record, after the records that precede it. No effect if the output is text.
void loop_write_frame(enum stp_frame_kind kind, const void *head, size_t head_len, const char *text, size_t len);

// Both return the exit status. loop_report() only prints the losses of a session whose relay was killed.
int loop_run(const struct stapio_options *opt);
int loop_report(const struct stapio_options *opt);

#endif
