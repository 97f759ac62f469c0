/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --merge: the protocol between stap and staprun --link on a host, over ssh. If the connection ends or is silent, stap
 * connects again (staprun --rejoin); no byte is lost or received twice.
 *
 *   stap -> host   the module, then an order at least each LINK_BEAT_MS. An order contains the number of bytes that
 *                  stap has received; the host stores the bytes after them, and sends these on a new connection.
 *   host -> stap   messages. HELLO is the first one, STATUS the last one.
 *
 * A host that receives no order for LINK_SILENCE_MS ends its session, with or without a connection.
 *
 * Context: user space. Byte order: that of the host, which is that of stap, since both are little-endian.
 */
#ifndef STP_LINK_MESSAGES_H
#define STP_LINK_MESSAGES_H

#include <stdint.h>

#define LINK_BEAT_MS 500
#define LINK_SILENCE_MS 4000           /* the module is unloaded at most 5 s after the last order */
#define LINK_PAYLOAD_MAX (1u << 16)
#define LINK_DIRECTORY_MAX 256
#define LINK_SESSION_ENDED 6           /* exit status of staprun --rejoin: the session does not exist any more */

/* STOP ends the session, ABORT also discards the rest of its output. Once sent, all later orders are of this kind,
 * since an order may be lost with its connection. */
enum link_order_kind { LINK_BEAT, LINK_STOP, LINK_ABORT };

struct link_order {
	uint64_t kind;
	uint64_t received;             /* bytes of whole messages, since the first one */
	int64_t time_ns;               /* stap's monotonic clock; CLOCK returns it */
};

enum link_message_kind {
	LINK_HELLO = 1,                /* text: the session's directory, for --rejoin */
	LINK_OUTPUT,                   /* bytes that staprun has written to standard output */
	LINK_ERRORS,                   /* bytes that staprun has written to standard error */
	LINK_CLOCK,                    /* struct link_clock, after each order */
	LINK_STATUS,                   /* 4 bytes: exit status of staprun */
};

struct link_message {              /* the payload follows */
	uint32_t len;                  /* length of the payload, at most LINK_PAYLOAD_MAX */
	uint32_t kind;
};

struct link_clock {
	int64_t order_ns;              /* time_ns of the order */
	int64_t host_ns;               /* host's time of day when it received the order */
};

#endif
