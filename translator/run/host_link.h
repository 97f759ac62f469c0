// SPDX-License-Identifier: GPL-2.0-or-later
// The session on a host of --merge: ssh's connection to staprun --link there. If the connection ends or is silent, this
// side connects again; each byte of the host is still received once and in order (runtime/include/link_messages.h).
#ifndef RUN_HOST_LINK_H
#define RUN_HOST_LINK_H

#include "link_messages.h"
#include "run/host.h"

struct host_link {
	struct host host;                  // the connection; host.out is -1 if not connected
	const char *directory;             // directory of the session there; NULL: HELLO has not been received
	struct buf messages;               // received bytes of an incomplete message
	uint64_t received;                 // number of bytes of whole messages
	enum link_order_kind kind;         // kind of the orders that are sent
	int64_t heard, ordered, tried;     // ms: last bytes of the host, last order to it, last attempt to connect again
	int64_t closed;                    // ms: end of the connection's output
	bool own_connection;               // the next attempt does not use a shared connection of ssh
	bool over;                         // nothing more is received
	bool has_status;                   // `status` is the exit status of staprun, otherwise of ssh
	int status, reconnected;           // reconnected: number of attempts
	int64_t round_trip_ns, ahead_ns;   // duration of the shortest exchange, and the difference of the host's clock
					   // from this one; 0: not measured yet
};

// Receives output of the host's staprun: LINK_OUTPUT or LINK_ERRORS.
typedef void link_output(void *data, int host, enum link_message_kind kind, const char *bytes, size_t len);

void link_start(struct session *s, struct host_link *l, const struct remote *r, const struct host_module *module,
		const name_list *settings);
// Reads from l->host.out, which is readable.
void link_receive(struct host_link *l, link_output *output, void *data, int host);
// To be called each LINK_BEAT_MS: sends an order, and connects again if there is no connection or it is silent.
// has_read: this process has read the host's output, so that a silent host is not one that waits for this process.
void link_tick(struct host_link *l, bool has_read);
// Sends an order. Orders that link_tick() sends later have the same kind.
void link_order(struct host_link *l, enum link_order_kind kind);
// Abandons the host: ends the connection.
void link_close(struct host_link *l);

#endif
