// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the rings of messages.h. The mapping is not trusted: each length is read once and compared with the number
// of bytes in the ring; a ring with invalid contents is emptied and counted as damaged.
#include "stapio.h"

#include "log.h"
#include "messages.h"
#include "syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define GAP_TIMEOUT_MS 2000
#define RINGS_MAX 65536
#define SEQ_JUMP_MAX (1ull << 32)          // a larger gap means that the number is damaged

int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static bool version_matches(const struct stp_ring_header *h)
{
	return h->magic == STP_RING_MAGIC && h->protocol == STP_PROTOCOL && h->nlosses == STP_LOSSES;
}

int rings_map_header(struct rings *r, int device)
{
	void *at;
	int rc = sys_mmap(device, sysconf(_SC_PAGESIZE), &at);

	if (!rc && !version_matches(at))
		rc = -EPROTO;
	if (!rc)
		*r = (struct rings){ .header = at };
	return rc;
}

static bool header_is_valid(const struct stp_ring_header *h)
{
	uint64_t page = sysconf(_SC_PAGESIZE);

	return version_matches(h) && h->rings > 0 && h->rings <= RINGS_MAX &&
	       h->ring_size >= 2 * page && h->ring_size <= 1ull << 40 &&
	       !(h->ring_size & (h->ring_size - 1)) &&
	       h->first >= page && h->first <= 1ull << 40 && h->first % page == 0 &&
	       h->stride >= page + h->ring_size && h->stride <= 1ull << 41 && h->stride % page == 0;
}

int rings_map(struct rings *r, int device, bool attach)
{
	struct stp_ring_header header;
	size_t page = sysconf(_SC_PAGESIZE);
	void *at;
	int rc = sys_mmap(device, page, &at);

	if (!rc) {
		memcpy(&header, at, sizeof(header));
		munmap(at, page);
		rc = header_is_valid(&header) ? 0 : -EPROTO;
	}
	if (!rc)
		rc = sys_mmap(device, header.first + header.rings * header.stride, &at);
	if (rc) {
		log_error("cannot map the module's rings: %s",
			  rc == -EPROTO ? "they have another version; build the script again" : strerror(-rc));
		return rc;
	}
	*r = (struct rings){ .header = at, .n = header.rings, .ring_size = header.ring_size, .next = !attach,
			     .settled = ((struct stp_ring_header *)at)->settled, .bulk = header.flags & STP_RINGS_BULK,
			     .records = header.flags & STP_RINGS_RECORDS };
	r->ring = calloc(r->n, sizeof(*r->ring));
	if (!r->ring)
		return -ENOMEM;
	for (int i = 0; i < r->n; i++) {
		char *control = (char *)at + header.first + i * header.stride;

		r->ring[i].control = (void *)control;
		r->ring[i].data = (void *)(control + page);
		r->ring[i].tail = r->ring[i].control->tail;
	}
	return 0;
}

static void advance(struct ring *ring, uint64_t tail)
{
	ring->tail = tail;
	ring->size = 0;
	__atomic_store_n(&ring->control->tail, tail, __ATOMIC_RELEASE);
}

static void give_up(struct rings *r, struct ring *ring, uint64_t head)
{
	r->damaged++;
	if (head & 7)                      // unchanged until the producer writes its next record
		ring->bad_head = head;
	advance(ring, head & ~7ull);
}

// Skips padding and sets size, seq and len of the record at tail. Returns false if the ring is empty.
static bool peek(struct rings *r, struct ring *ring)
{
	while (!ring->size) {
		uint64_t head = __atomic_load_n(&ring->control->head, __ATOMIC_ACQUIRE);
		uint64_t used = head - ring->tail, lap, total;
		const volatile struct stp_rec *rec;
		uint32_t len, flags;

		if (!used || (head & 7 && head == ring->bad_head))
			return false;
		if (used > r->ring_size || head & 7) {
			give_up(r, ring, head);
			return false;
		}
		lap = r->ring_size - (ring->tail & (r->ring_size - 1));
		rec = (const void *)(ring->data + r->ring_size - lap);
		len = rec->len;
		flags = rec->flags;        // read from the first 8 bytes, since padding may be that short
		total = (sizeof(*rec) + (uint64_t)len + 7) & ~7ull;
		if (total > used || (!(flags & STP_REC_PAD) && (total > lap || !rec->seq))) {
			give_up(r, ring, head);
		} else if (flags & STP_REC_PAD) {
			advance(ring, ring->tail + total);
		} else {
			ring->size = total;
			ring->seq = rec->seq;
			ring->len = len;
		}
	}
	return true;
}

static struct ring *earliest(struct rings *r)
{
	struct ring *first = NULL;

	for (int i = 0; i < r->n; i++)
		if (peek(r, &r->ring[i]) && (!first || r->ring[i].seq < first->seq))
			first = &r->ring[i];
	return first;
}

// Handles a record whose number is not the next one. Returns true if the caller must wait for the missing one.
static bool wait_for_gap(struct rings *r, const struct ring *found, bool complete)
{
	int64_t now = now_ms();

	if (found->seq < r->next)          // a late record is printed out of order
		return false;
	if (found->seq - r->next > SEQ_JUMP_MAX) {
		r->damaged++;
		return false;
	}
	if (r->next <= r->settled)         // another relay has read the missing records, or they are counted
		r->next = found->seq <= r->settled ? found->seq : r->settled + 1;
	if (found->seq == r->next)
		return false;
	if (!complete && !r->gap_since)
		r->gap_since = now;
	if (!complete && now - r->gap_since < GAP_TIMEOUT_MS)
		return true;
	r->lost += found->seq - r->next;
	r->next = found->seq;
	return false;
}

enum rings_result rings_next(struct rings *r, bool complete, const void **payload, uint32_t *len)
{
	struct ring *found = r->current;

	if (!found || !peek(r, found) || found->seq != r->next)
		found = earliest(r);
	// An earlier record may have been added meanwhile to a ring that was checked first, so all are checked
	// again.
	if (found && r->next && found->seq != r->next)
		found = earliest(r);
	if (!found)
		return RINGS_EMPTY;
	if (!r->next)
		r->next = found->seq;
	if (found->seq != r->next && wait_for_gap(r, found, complete))
		return RINGS_GAP;
	r->current = found;
	*payload = found->data + (found->tail & (r->ring_size - 1)) + sizeof(struct stp_rec);
	*len = found->len;
	return RINGS_RECORD;
}

bool rings_next_of(struct rings *r, int i, const void **payload, uint32_t *len, uint64_t *seq)
{
	struct ring *ring = &r->ring[i];

	if (!peek(r, ring))
		return false;
	r->current = ring;
	*payload = ring->data + (ring->tail & (r->ring_size - 1)) + sizeof(struct stp_rec);
	*len = ring->len;
	*seq = ring->seq;
	return true;
}

void rings_take(struct rings *r)
{
	struct ring *ring = r->current;

	if (ring->seq == r->next) {
		r->next++;
		r->gap_since = 0;
	}
	r->bytes += ring->len;
	advance(ring, ring->tail + ring->size);
}

uint64_t rings_dropped_of(const struct rings *r, int i)
{
	return __atomic_load_n(&r->ring[i].control->lost_records, __ATOMIC_RELAXED);
}

uint64_t rings_dropped(const struct rings *r)
{
	uint64_t n = 0;

	for (int i = 0; i < r->n; i++)
		n += rings_dropped_of(r, i);
	return n;
}
