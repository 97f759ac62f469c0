/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol between a loaded module and its relay, over /dev/systemtap/NAME. Shared by runtime/kernel, staprun,
 * stapio and fuzzers. The includer provides the types of <linux/types.h> or <stdint.h> if it needs them; only the
 * compiler's own types are used here.
 *
 *   write()  one struct stp_cmd with its payload: a command
 *   read()   one struct stp_msg with its payload; blocks unless O_NONBLOCK; 0 after STP_MSG_STOPPED
 *   poll()   POLLIN: a message can be read; POLLPRI: a ring is at least half full
 *   mmap()   offset 0: struct stp_ring_header and the rings
 *
 * write() of START and STOP returns after begin or end probes have run. These wait for space when their ring is
 * full, up to two seconds without progress: read the rings from another thread meanwhile. The rings exist from
 * open() on. Padding at the end of a lap may be as short as its first 8 bytes (len, flags) and then extends into
 * the next lap: do not read its seq.
 *
 * The device can be opened by one process at a time: by root, and by the user after staprun has finished; staprun
 * passes the descriptor to stapio. The process that has it open is not trusted: each address is accepted only
 * once, in the order of the WANTs. Closing it without STP_CMD_DETACH stops the session.
 */
#ifndef STP_MESSAGES_H
#define STP_MESSAGES_H

/*
 * The checksum of this file and of losses.def, without comments, printed by testsuite/lint/protocol.py. A module
 * and a loader with different values reject each other.
 */
#define STP_PROTOCOL 0xf6833c84u

typedef unsigned char stp_u8;
typedef unsigned int stp_u32;
typedef int stp_s32;
typedef unsigned long long stp_u64;
typedef long long stp_s64;

enum stp_cmd_type {
	/* sent by staprun, before START; rejected afterwards */
	STP_CMD_HELLO = 1,   /* struct stp_hello: answered with STP_MSG_WANT for each name, then STP_MSG_READY */
	STP_CMD_ADDRESS,     /* struct stp_address: answer to a WANT */
	/* sent by stapio, before START */
	STP_CMD_SET,         /* text "name=value": a scalar global before begin probes run */
	/* sent by stapio */
	STP_CMD_START,       /* struct stp_start: runs begin probes in this call, arms probes; then STP_MSG_STARTED */
	STP_CMD_STOP,        /* disarms probes, runs end or error probes in this call; then STP_MSG_STOPPED */
	STP_CMD_DETACH,      /* the session continues after the descriptor is closed */
	STP_CMD_TARGET_EXITED, /* the -c command exited */
	STP_CMD_REMOTE,      /* struct stp_remote, before START: results of remote_id() and remote_uri() */
};

struct stp_cmd {
	stp_u32 type;
	stp_u32 len;         /* length of the payload */
	stp_u8 payload[];
};

struct stp_hello {
	stp_u32 protocol;
	stp_u32 pad;
	stp_u64 kernel_base; /* _stext of the running kernel; 0 if unknown */
	stp_u8 build_id[32]; /* build ID of the running kernel, zero-padded */
	stp_u32 build_id_len;
	stp_s32 timezone_s;  /* seconds east of UTC, for tz functions */
	stp_u32 uid;         /* user ID of the user who runs the script */
	stp_u32 pad2;
};

struct stp_address {
	stp_u32 index;       /* number of the WANT */
	stp_u32 pad;
	stp_u64 address;     /* 0: not found */
};

struct stp_start {
	stp_s32 target_pid;  /* process ID of -c, -x; 0: none */
	stp_s32 namespaces;  /* process ID of a process to whose namespaces the ns_ functions refer; 0: the
			      * initial ones */
};

#define STP_REMOTE_URI_MAX 256
struct stp_remote {
	stp_s32 id;
	char uri[];          /* not terminated, shorter than STP_REMOTE_URI_MAX */
};

enum stp_msg_type {
	STP_MSG_WANT = 1,    /* struct stp_want */
	STP_MSG_READY,       /* no payload: all WANTs have been sent */
	STP_MSG_STARTED,     /* struct stp_status: 0; or -errno, after an ERROR message */
	STP_MSG_EXIT,        /* the script called exit() or failed: the relay should send STOP */
	STP_MSG_STOPPED,     /* struct stp_summary: the last message; the rings are complete */
	STP_MSG_ERROR,       /* text, no newline: shown as "ERROR: text" */
	STP_MSG_WARNING,     /* text, no newline: shown as "WARNING: text" */
	STP_MSG_SYSTEM,      /* text: a command for sh -c */
	STP_MSG_SWITCH,      /* no payload: the relay should open the next output file */
	STP_MSG_UNLOADED,    /* text "NAME BUILD_ID": the module is about to be unloaded; its build ID in hexadecimal */
};

struct stp_msg {
	stp_u32 type;
	stp_u32 len;
	stp_u8 payload[];
};
#define STP_MSG_MAX 4096     /* including the header */
#define STP_QUEUE_MIN (32u * 1024)   /* size of the queue of messages in bytes, a power of two */

struct stp_want {
	stp_u32 index;
	stp_u32 pad;
	stp_u64 offset;      /* informative */
	/* "symbol" of the kernel, "module:symbol", or ":symbol" of the kernel or any module; terminated */
	char name[];
};

struct stp_status {
	stp_s32 rc;
	stp_u32 pad;
};

/* Kinds of reasons why events were not handled, or only partly. */
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
	stp_u64 skipped;     /* number of skipped hits, the sum of all reasons */
};

/*
 * The rings: one per CPU, and a last one for handlers that run in the relay's own process context (begin, end,
 * error). The producer writes head, the reader writes tail; both only grow and are taken modulo ring_size. The
 * kernel does not trust the content of the mapping: it has its own copy of head, and treats an invalid tail as a
 * full ring.
 */
#define STP_RING_MAGIC 0x71746170u

#define STP_RINGS_BULK 1     /* the script requests one file per ring */
#define STP_RINGS_RECORDS 2  /* payloads are items of records.h */

struct stp_ring_header {     /* page 0 */
	stp_u32 magic, protocol;
	stp_u32 rings;
	stp_u32 flags;       /* STP_RINGS_* */
	stp_u64 ring_size;   /* size of the data of a ring in bytes, a power of two, at least two pages */
	stp_u64 first;       /* offset of ring 0's control page in the mapping */
	stp_u64 stride;      /* distance from a ring's control page to the next one's; data follows the page */
	/*
	 * if the rings do not contain a sequence number up to this one when they are mapped, its record was read or
	 * counted before
	 */
	stp_u64 settled;
	/*
	 * Losses so far: the page can be mapped at any time, also after a relay was killed. Losses that the kernel
	 * counts (STP_KIND_MISSED) are added when the session stops; then `stopped` is 1 and `summary` is filled
	 * in.
	 */
	stp_u32 nlosses;     /* STP_LOSSES of the module */
	stp_u32 stopped;
	struct stp_summary summary;
	stp_u64 losses[STP_LOSSES_MAX];      /* number of losses by enum stp_loss */
	stp_u32 limits[STP_LOSSES_MAX];      /* values for %u in the hints of losses */
	stp_u32 max_skipped; /* MAXSKIPPED */
	stp_u32 pad;
};

struct stp_ring_control {
	stp_u64 head;        /* bytes produced since the start */
	stp_u64 pad0[7];
	stp_u64 tail;        /* bytes consumed since the start */
	stp_u64 pad1[7];
	stp_u64 lost_records;
	stp_u64 overwritten;
};

#define STP_REC_PAD 1        /* no payload: skip to the next record (end of the lap) */

struct stp_rec {             /* 8-byte aligned */
	stp_u32 len;         /* payload bytes; the record takes sizeof(struct stp_rec) + len, rounded up to 8 */
	stp_u32 flags;
	stp_u64 seq;         /* sequence number: starts at 1, without gaps in all rings together (padding has none) */
};

#endif
