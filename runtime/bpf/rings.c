/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of BPF programs. Each CPU has one in shared memory, and all CPUs share one of the kernel's ring buffers: a
 * record is there if the ring of its CPU was full, or if its hit interrupted another one. The number of a record
 * determines its order; see STP_RECORD_START.
 *
 * The client reads the number of the newest record, waits until no slot is sending any more that was sending then, and
 * reads all rings: now it has all records up to that number, and sorts them.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "client.h"
#include "../core/internal.h"
#include "bpf_shared.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A record that was found. slot: in whose ring it is; NULL: `words` are allocated. */
struct found { u32 number; u32 size; const u64 *words; struct stp_slot *slot; };

static struct ring_buffer *shared;
static struct stp_ring *rings;
static u32 nrings;
static struct found *found;
static u32 nfound, capacity;
static u32 all_from;               /* records with greater numbers were sent after reading began */
static bool is_reading, is_blocked;

/* Numbers wrap around. */
static bool is_after(u32 number, u32 other)
{
	return (s32)(number - other) > 0;
}

static struct found *add(u64 start, u32 size)
{
	struct found *more;

	if (nfound == capacity) {
		more = realloc(found, (capacity * 2ull + 64) * sizeof(*found));
		if (!more)
			return NULL;
		found = more;
		capacity = capacity * 2 + 64;
	}
	found[nfound] = (struct found){ STP_RECORD_NUMBER(start), size };
	return &found[nfound++];
}

/* Copies a record of the shared ring. Returns a negative number at a record that was sent after the reading began, so
 * that reading ends. */
static int take_shared(void *unused, void *data, size_t size)
{
	u64 *words = size > sizeof(u64) ? malloc(size) : NULL;
	struct found *f;

	if (size <= sizeof(u64))   /* it only wakes this process */
		return 0;
	f = words ? add(*(const u64 *)data, (u32)(size / 8)) : NULL;
	if (!f) {
		free(words);
		stp_lose(STP_LOSS_RECORDS, 1);
		return 0;
	}
	f->words = memcpy(words, data, size);
	return is_after(f->number, all_from) ? -EAGAIN : 0;
}

static struct stp_ring *ring_of(const struct stp_slot *s)
{
	return s->ring < nrings ? &rings[s->ring] : NULL;
}

static const u64 *record_at(const struct stp_slot *s, u32 position)
{
	return &ring_of(s)->words[position % STP_RING_WORDS];
}

/* Adds the records up to a number. */
static void take_own(struct stp_slot *s, u32 last)
{
	u32 head = __atomic_load_n(&s->ring_head, __ATOMIC_ACQUIRE), at = s->ring_tail;
	struct found *f;
	u64 start;

	for (; at != head; at += STP_RECORD_SIZE(start)) {
		start = *record_at(s, at);
		f = is_after(STP_RECORD_NUMBER(start), last) ? NULL : add(start, STP_RECORD_SIZE(start));
		if (!f)
			return;
		f->words = record_at(s, at);
		f->slot = s;
	}
}

/* Waits until a transmission that was in progress has ended. Returns false if it takes long: its thread does not
 * run. */
static bool wait_for(const struct stp_slot *s)
{
	enum { WAITS = 1000 };
	u32 sends = __atomic_load_n(&s->sends, __ATOMIC_ACQUIRE), i;

	for (i = 0; sends % 2 && i < WAITS && __atomic_load_n(&s->sends, __ATOMIC_ACQUIRE) == sends; i++)
		sched_yield();
	return i < WAITS;
}

static bool wait_for_all(void)
{
	struct stp_slot *s;
	u32 i;

	for (i = 0; (s = client_slot(i)); i++)
		if (!wait_for(s))
			return false;
	return true;
}

static int compare(const void *p, const void *q)
{
	const struct found *a = p, *b = q;

	if (a->number != b->number)
		return is_after(a->number, b->number) ? 1 : -1;
	return a->words < b->words ? -1 : a->words > b->words;
}

/* Formats a record, and releases its memory. */
static void finish(struct found *f)
{
	record_read(f->words, f->size);
	if (f->slot)
		__atomic_store_n(&f->slot->ring_tail, f->slot->ring_tail + f->size, __ATOMIC_RELEASE);
	else
		free((void *)f->words);
}

/* Formats all records up to the newest one. Returns the number of records. */
static u32 read_round(void)
{
	struct stp_control *control = client_control();
	u32 last = __atomic_load_n(&control->records, __ATOMIC_SEQ_CST), n, i;
	struct stp_slot *s;

	is_blocked = !wait_for_all();
	if (is_blocked)
		return 0;
	all_from = __atomic_load_n(&control->records, __ATOMIC_SEQ_CST);
	ring_buffer__consume(shared);
	for (i = 0; nrings && (s = client_slot(i)); i++)
		if (ring_of(s))
			take_own(s, last);
	if (nfound)
		qsort(found, nfound, sizeof(*found), compare);
	for (n = 0; n < nfound && !is_after(found[n].number, last); n++)
		finish(&found[n]);
	nfound -= n;
	memmove(found, found + n, nfound * sizeof(*found));
	return n;
}

/* ------------------------------------------------------------------ interface */

static bool is_empty(void)
{
	struct stp_slot *s;
	u32 i;

	for (i = 0; nrings && (s = client_slot(i)); i++)
		if (__atomic_load_n(&s->ring_head, __ATOMIC_ACQUIRE) != s->ring_tail)
			return false;
	return !nfound;
}

void rings_read(void)
{
	enum { ROUNDS = 16 };          /* then timers and signals are handled */
	u32 i;

	if (!shared || is_reading)
		return;
	is_reading = true;
	process_events_read();
	__atomic_store_n(&client_control()->waiting, 0, __ATOMIC_RELAXED);
	for (i = 0; i < ROUNDS && read_round(); i++)
		;
	__atomic_store_n(&client_control()->waiting, 1, __ATOMIC_SEQ_CST);
	is_reading = false;
}

void rings_read_all(void)
{
	do {                           /* bounded: no program runs any more, or its thread continues */
		rings_read();
	} while (shared && !is_empty());
}

int rings_max_wait(int ms)
{
	return is_empty() ? ms : is_blocked ? 1 : 0;
}

int rings_open(int shared_fd, struct stp_ring *own, u32 n)
{
	struct stp_slot *s;
	u32 i;

	rings = own;
	nrings = n;
	for (i = 0; (s = client_slot(i)); i++)
		s->ring = i % STP_SLOTS_PER_CPU || i / STP_SLOTS_PER_CPU >= n ? ~0u : i / STP_SLOTS_PER_CPU;
	shared = ring_buffer__new(shared_fd, take_shared, NULL, NULL);
	if (!shared)
		return -errno;
	process_events_wake(ring_buffer__epoll_fd(shared));
	return 0;
}

int rings_fd(void)
{
	return shared ? ring_buffer__epoll_fd(shared) : -1;
}
