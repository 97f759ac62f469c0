/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --merge: the connection between stap and staprun --link on a host, over ssh. It may end or go silent, and be made
 * again (staprun --rejoin): nothing is then missing or doubled.
 *
 *   stap -> host   the module's bytes, then orders: one each LINK_BEAT_MS at least. An order names how many bytes stap
 *                  has received; the host keeps what follows them. After a new connection, the host begins there.
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
#define LINK_SILENCE_MS 4000           /* so that the module is removed 5 s after the last order at the latest */
#define LINK_PAYLOAD_MAX (1u << 16)
#define LINK_DIRECTORY_MAX 256

enum link_order_kind { LINK_BEAT, LINK_STOP, LINK_ABORT };     /* ABORT: the rest of the output is not wanted */

struct link_order {
	uint64_t kind;
	uint64_t received;             /* bytes of whole messages, since the first one */
	int64_t time_ns;               /* of stap's clock: returned by CLOCK */
};

enum link_message_kind {
	LINK_HELLO = 1,                /* text: the session's directory, for --rejoin */
	LINK_OUTPUT,                   /* what staprun has written to standard output */
	LINK_ERRORS,                   /* to standard error */
	LINK_CLOCK,                    /* struct link_clock, after each order */
	LINK_STATUS,                   /* 4 bytes: exit status of staprun */
};

struct link_message {              /* the payload follows */
	uint32_t len;                  /* at most LINK_PAYLOAD_MAX */
	uint32_t kind;
};

struct link_clock {
	int64_t order_ns;              /* time_ns of the order */
	int64_t host_ns;               /* of the host's clock, since 1970, when it received it */
};

#endif
