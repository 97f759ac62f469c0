/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a loaded module and its relay say to each other, over /dev/systemtap/NAME.
 * Shared by runtime/kernel, staprun, stapio and fuzzers. Include <linux/types.h> or <stdint.h>
 * names before: only the compiler's own types are used here.
 *
 *   write()  one struct stp_cmd with its payload: what user space wants
 *   read()   one struct stp_msg with its payload; blocks unless O_NONBLOCK; 0 after STP_MSG_STOPPED
 *   poll()   POLLIN: a message can be read; POLLPRI: a ring is at least half full
 *   mmap()   offset 0: struct stp_ring_header and the rings
 *
 * write() of START and STOP lasts as long as begin or end probes run. These wait for room when their
 * ring is full, up to two seconds without progress: read the rings from another thread meanwhile.
 * The rings exist from open() on. Padding may be as short as its first 8 bytes (len, flags) at the
 * end of a lap and then runs over into the next one: don't look at its seq.
 *
 * The device can be opened once at a time, by root, and by the user once staprun is done; staprun hands the
 * descriptor to stapio. Whoever has it is not trusted: addresses are taken once, in the order of the WANTs.
 * Closing it without STP_CMD_DETACH stops the session.
 */
#ifndef STP_MESSAGES_H
#define STP_MESSAGES_H

/*
 * The checksum of this file and of losses.def, without their comments: testsuite/lint/protocol.py prints it. A module
 * and a loader that do not have the same one refuse each other.
 */
#define STP_PROTOCOL 0xa0a09f77u

typedef unsigned char stp_u8;
typedef unsigned int stp_u32;
typedef int stp_s32;
typedef unsigned long long stp_u64;
typedef long long stp_s64;

enum stp_cmd_type {
	/* staprun, before START; refused afterwards */
	STP_CMD_HELLO = 1,   /* struct stp_hello: answers with STP_MSG_WANT for each name, then STP_MSG_READY */
	STP_CMD_ADDRESS,     /* struct stp_address: answer to a WANT */
	/* stapio, before START */
	STP_CMD_SET,         /* text "name=value": a scalar global before begin probes run */
	/* stapio, then */
	STP_CMD_START,       /* struct stp_start: runs begin probes in this call, arms; then STP_MSG_STARTED */
	STP_CMD_STOP,        /* disarms, runs end or error probes in this call; then STP_MSG_STOPPED */
	STP_CMD_DETACH,      /* closing the descriptor will leave the session running */
	STP_CMD_TARGET_GONE, /* the -c command ended */
	STP_CMD_REMOTE,      /* struct stp_remote, before START: what remote_id() and remote_uri() say */
};

struct stp_cmd {
	stp_u32 type;
	stp_u32 len;         /* of the payload */
	stp_u8 payload[];
};

struct stp_hello {
	stp_u32 protocol;
	stp_u32 pad;
	stp_u64 kernel_base; /* _stext of the running kernel; 0 when not known */
	stp_u8 build_id[32]; /* of the running kernel, zero-padded */
	stp_u32 build_id_len;
	stp_s32 timezone_s;  /* seconds east of UTC, for tz functions */
	stp_u32 uid;         /* of the user who runs the script */
	stp_u32 pad2;
};

struct stp_address {
	stp_u32 index;       /* from the WANT */
	stp_u32 pad;
	stp_u64 address;     /* 0: not found */
};

struct stp_start {
	stp_s32 target_pid;  /* -c, -x; 0 none */
	stp_s32 namespaces;  /* a process whose namespaces the ns_ functions mean; 0: the initial ones */
};

#define STP_REMOTE_URI_MAX 256
struct stp_remote {
	stp_s32 id;
	char uri[];          /* not terminated, shorter than STP_REMOTE_URI_MAX */
};

enum stp_msg_type {
	STP_MSG_WANT = 1,    /* struct stp_want */
	STP_MSG_READY,       /* no payload: all names wanted have been said */
	STP_MSG_STARTED,     /* struct stp_status: 0, or -errno and an ERROR message before it */
	STP_MSG_EXIT,        /* a script called exit(), or gave up: please send STOP */
	STP_MSG_STOPPED,     /* struct stp_summary: nothing follows, the rings are complete */
	STP_MSG_ERROR,       /* text, no newline: shown as "ERROR: text" */
	STP_MSG_WARNING,     /* text, no newline: shown as "WARNING: text" */
	STP_MSG_SYSTEM,      /* text: a command for sh -c */
	STP_MSG_SWITCH,      /* no payload: please begin the next output file */
};

struct stp_msg {
	stp_u32 type;
	stp_u32 len;
	stp_u8 payload[];
};
#define STP_MSG_MAX 4096     /* header and payload */
#define STP_QUEUE_MIN (32u * 1024)   /* bytes of messages that can wait, a power of two */

struct stp_want {
	stp_u32 index;
	stp_u32 pad;
	stp_u64 offset;      /* for the reader's information */
	char name[];         /* "symbol" of the kernel, or "module:symbol", terminated */
};

struct stp_status {
	stp_s32 rc;
	stp_u32 pad;
};

/* Why events were not handled, or not as a whole. */
enum stp_loss_kind { STP_KIND_SKIPPED, STP_KIND_MISSED, STP_KIND_LOST, STP_KIND_CUT, STP_KIND_OUTSIDE };
enum stp_loss {
#define LOSS(name, kind, text, hint) STP_LOSS_##name,
#include "losses.def"
#undef LOSS
	STP_LOSSES
};
#define STP_LOSSES_MAX 64

struct stp_summary {
	stp_s32 rc;          /* 0, or 1 after errors */
	stp_u32 errors;
	stp_u64 skipped;     /* hits skipped, the sum of all reasons */
};

/*
 * The rings. One a CPU, and a last one for handlers that run in the relay's own process context
 * (begin, end, error). The producer writes head, the reader writes tail; both only grow and are
 * taken modulo ring_size. The kernel never trusts what is in the mapping: it keeps its own head
 * and takes a tail that makes no sense as "full".
 */
#define STP_RING_MAGIC 0x71746170u

#define STP_RINGS_BULK 1     /* the script wants a file a ring: struct stp_bulk and payload, repeated */

struct stp_ring_header {     /* page 0 */
	stp_u32 magic, protocol;
	stp_u32 rings;
	stp_u32 flags;       /* STP_RINGS_* */
	stp_u64 ring_size;   /* bytes of data a ring, a power of two, at least two pages */
	stp_u64 first;       /* offset of ring 0's control page in the mapping */
	stp_u64 stride;      /* from one ring's control page to the next; data follows the page */
	stp_u64 settled;     /* numbers up to this one that are in no ring when the rings are mapped never come */
	/*
	 * What was lost so far: the page can be mapped at any time, also after a relay was killed. What the kernel
	 * counts itself (STP_KIND_MISSED) is added as the session stops; then `stopped` is 1 and `summary` is filled.
	 */
	stp_u32 nlosses;     /* STP_LOSSES of who made the module */
	stp_u32 stopped;
	struct stp_summary summary;
	stp_u64 losses[STP_LOSSES_MAX];      /* by enum stp_loss */
	stp_u32 limits[STP_LOSSES_MAX];      /* the numbers for %u in their hints */
	stp_u32 max_skipped; /* MAXSKIPPED */
	stp_u32 pad;
};

struct stp_ring_control {
	stp_u64 head;        /* bytes ever produced */
	stp_u64 pad0[7];
	stp_u64 tail;        /* bytes ever consumed */
	stp_u64 pad1[7];
	stp_u64 lost_records;
	stp_u64 overwritten;
};

#define STP_REC_PAD 1        /* no payload: skip to the next record (end of the lap) */

struct stp_rec {             /* 8-byte aligned */
	stp_u32 len;         /* payload bytes; the record takes sizeof(struct stp_rec) + len, rounded up to 8 */
	stp_u32 flags;
	stp_u64 seq;         /* from 1, no gaps over all rings together (pads have none) */
};

#define STP_BULK_MAGIC 0x424b5453u
struct stp_bulk {            /* in bulk files, before each record; nothing is aligned there */
	stp_u32 magic;
	stp_u32 len;
	stp_u64 seq;
};

#endif
