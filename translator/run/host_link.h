// SPDX-License-Identifier: GPL-2.0-or-later
// The session on a host of --merge: a connection of ssh to staprun --link there, which is made again when it ends or
// goes silent (runtime/include/link_messages.h). What the host has written then arrives once, and in order.
#ifndef RUN_HOST_LINK_H
#define RUN_HOST_LINK_H

#include "link_messages.h"
#include "run/host.h"

struct host_link {
	struct host host;                  // the connection; host.out is -1 while there is none
	const char *directory;             // of the session there; NULL: it has not begun
	struct buf messages;               // bytes that are not a whole message yet
	uint64_t received;                 // of whole messages
	int64_t heard, ordered, tried;     // ms: last bytes of the host, last order to it, last attempt to connect
	bool over;                         // nothing more arrives
	bool has_status;                   // of staprun; else `status` is that of ssh
	int status, reconnected;
	int64_t round_trip_ns, ahead_ns;   // of the shortest exchange, and the host's clock minus this one; 0: none yet
};

// Receives what the host's staprun has written: LINK_OUTPUT or LINK_ERRORS.
typedef void link_output(void *data, int host, enum link_message_kind kind, const char *bytes, size_t len);

void link_start(struct session *s, struct host_link *l, const struct remote *r, const struct host_module *module,
		const name_list *settings);
// Reads from l->host.out, which is readable.
void link_receive(struct host_link *l, link_output *output, void *data, int host);
// To be called each LINK_BEAT_MS: sends an order, and connects again if there is no connection or it is silent.
// heeded: this process has read what the host has sent.
void link_tick(struct host_link *l, bool heeded);
void link_order(struct host_link *l, enum link_order_kind kind);
// Gives the host up: ends the connection.
void link_close(struct host_link *l);

#endif
