// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rings of include/messages.h: one per CPU, and a last one for begin, end and error handlers. A record is built
 * in place and becomes visible when head moves. User space may overwrite the mapping at any time, so that only tail
 * is read from it, and checked.
 */
#include "kernel.h"

#define DEFAULT_KB 2048u           /* default size per CPU */
#define SHARED_KB  (32u * 1024)    /* all rings together; the size per CPU is reduced if they would exceed it */
#define LEAST_KB   1024u           /* minimum of the reduced size */
#define MIN_KB     (8u * PLAT_RECORD_MAX / 1024)
#define MAX_KB     (512u * 1024)

/* Used by one producer: the CPU with interrupts off, or the process that runs begin, end, error or a handler in
 * slices. */
struct ring {
	struct stp_ring_control *control;
	char *data;
	u64 head;                  /* position that is committed; control->head should be equal */
	u64 limit;                 /* maximum position of head: tail at its last read + size */
	u64 wake_at;               /* position of head from which on the reader may have to be woken */
	u64 record;                /* position of the open record, after the padding */
	u64 mask;                  /* size - 1 */
	u64 chunk;                 /* maximum space that is reserved for a record to grow; enough for any record */
	u64 last_chunk;            /* last position in a lap at which a chunk is contiguous: size - chunk */
	u64 lost_records;
	u64 overwritten;
	u64 stuck_tail;            /* position of the reader at the last timeout of a wait for it */
	bool may_sleep;
#ifdef STP_DEBUG
	u64 seq;                   /* sequence number of the last record */
#endif
} ____cacheline_aligned;

static struct {
	struct stp_ring_header *header;    /* header at the start of the mapping */
	size_t mapping_size;
	struct ring *ring;
	u32 n;
	u64 size;                          /* size of each ring in bytes, a power of two */
	atomic64_t seq;                    /* sequence number of the last committed record */
} rings;

/* ------------------------------------------------------------------ allocation */

static unsigned int buffer_mb;             /* staprun -b; 0: the size with which the script was built */
module_param_named(_stp_bufsize, buffer_mb, uint, 0400);

/* Total size that staprun allows unprivileged users beyond the default; 0: no limit. */
static unsigned int buffers_granted_mb;
module_param_named(_stp_bufgrant, buffers_granted_mb, uint, 0400);

static u32 granted_kb(u32 kb, u32 usual)
{
	u32 share = max(min(buffers_granted_mb, MAX_KB / 1024) * 1024 / rings.n, 1u);
	u32 max_kb = buffers_granted_mb ? max((u32)rounddown_pow_of_two(share), usual) : MAX_KB;
	char text[160];

	if (kb <= max_kb)
		return kb;
	snprintf(text, sizeof(text), "output buffers of %u MB per CPU (-b, stap -s) are too large%s; %u KB per CPU are used",
		 kb / 1024, buffers_granted_mb ? " for members of stapusr and stapsys" : "", max_kb);
	plat_message(STP_MSG_WARNING, text);
	return max_kb;
}

static u64 ring_size(void)
{
	u32 usual = roundup_pow_of_two(clamp(SHARED_KB / rings.n, LEAST_KB, DEFAULT_KB));
	u32 kb = buffer_mb ? min(buffer_mb, MAX_KB) * 1024 : stp_module.limits.buffer_kb ?: usual;

	return roundup_pow_of_two((u64)max(granted_kb(kb, usual), MIN_KB) * 1024);
}

static void ring_init(struct ring *r, struct stp_ring_control *control)
{
	r->control = control;
	r->data = (char *)control + PAGE_SIZE;
	r->limit = rings.size;
	r->mask = rings.size - 1;
	r->chunk = max_t(u64, rings.size / 16, 2 * PLAT_RECORD_MAX);
	r->last_chunk = rings.size - r->chunk;
	r->wake_at = rings.size / 2;
	r->stuck_tail = ~0ull;
}

_Static_assert(STP_LOSSES <= STP_LOSSES_MAX && sizeof(struct stp_ring_header) <= 4096, "the header takes one page");

int stp_rings_make(void)
{
	struct stp_ring_header *h;
	u32 i;

	if (rings.header)
		return 0;
	rings.n = cpumask_weight(&stp_cpus) + 1;
	rings.size = ring_size();
	rings.mapping_size = PAGE_SIZE + rings.n * (PAGE_SIZE + rings.size);
	/* vmalloc_user() may trigger the OOM killer, even against the caller: check available memory first. */
	if (rings.mapping_size / PAGE_SIZE > si_mem_available() / 2)
		return -ENOMEM;
	rings.ring = plat_alloc(rings.n * sizeof(struct ring), -1);
	if (!rings.ring)
		return -ENOMEM;
	h = vmalloc_user(rings.mapping_size);
	if (!h) {
		plat_free(rings.ring);
		rings.ring = NULL;
		return -ENOMEM;
	}
	/* always succeeds, since the limit is determined later, and then includes this */
	stp_memory_granted(rings.mapping_size);
	h->magic = STP_RING_MAGIC;
	h->protocol = STP_PROTOCOL;
	h->rings = rings.n;
	h->flags = (stp_module.limits.bulk ? STP_RINGS_BULK : 0) | (stp_module.records ? STP_RINGS_RECORDS : 0);
	h->ring_size = rings.size;
	h->first = PAGE_SIZE;
	h->stride = PAGE_SIZE + rings.size;
	for (i = 0; i < rings.n; i++)
		ring_init(&rings.ring[i], (void *)h + PAGE_SIZE + i * (PAGE_SIZE + rings.size));
	rings.ring[rings.n - 1].may_sleep = true;
	h->nlosses = STP_LOSSES;
	for (i = 0; i < STP_LOSSES; i++)
		h->limits[i] = i == STP_LOSS_STACK ? stp_stack_needed() : stp_loss_limit(i);
	h->max_skipped = stp_module.limits.skipped;
	stp_losses = h->losses;
	rings.header = h;
	return 0;
}

/* Context: process; the session has stopped, and nothing is counted any more. */
void stp_rings_finish(const struct stp_summary *s)
{
	rings.header->summary = *s;
	smp_store_release(&rings.header->stopped, 1);
}

/* Losses that are counted after this cannot be read. */
void stp_rings_free(void)
{
	static u64 unread[STP_LOSSES_MAX];

	stp_losses = unread;
	if (rings.header)
		stp_memory_return(rings.mapping_size);
	vfree(rings.header);
	plat_free(rings.ring);
	rings.header = NULL;
	rings.ring = NULL;
	rings.n = 0;
}

int stp_rings_map(struct vm_area_struct *vma)
{
	if (!rings.header)
		return -ENXIO;
	return remap_vmalloc_range(vma, rings.header, vma->vm_pgoff);
}

/* The n-th CPU of stp_cpus uses the n-th ring. */
void *stp_ring_of(int cpu)
{
	int i, n = 0;

	if (cpu < 0)
		return &rings.ring[rings.n - 1];
	for_each_cpu(i, &stp_cpus) {
		if (i == cpu)
			break;
		n++;
	}
	return &rings.ring[n];
}

/* ------------------------------------------------------------------ reading */

/* Returns the number of bytes that the reader has consumed. An invalid tail counts as no progress, so that the ring
 * is full. */
static u64 tail_of(const struct ring *r)
{
	u64 tail = smp_load_acquire(&r->control->tail);

	if (r->head - tail > rings.size || (tail & 7))
		return r->head - rings.size;
	return tail;
}

bool stp_rings_half_full(void)
{
	u32 i;

	for (i = 0; i < rings.n; i++) {
		u64 used = READ_ONCE(rings.ring[i].head) - READ_ONCE(rings.ring[i].control->tail);

		if (used >= rings.size / 2)
			return true;
	}
	return false;
}

/*
 * Called when a reader attaches to a session that ran without one. After it returns, no handler removes old records
 * any more, and all sequence numbers that were assigned before are in the rings. Context: may sleep.
 */
void stp_rings_sync(void)
{
	u64 seq = atomic64_read(&rings.seq);

	synchronize_rcu();         /* bounded: under the process's mmap lock, which no handler takes */
	rings.header->settled = seq;
}

/* ------------------------------------------------------------------ writing */

static u64 record_size(u64 payload)
{
	return ALIGN(sizeof(struct stp_rec) + payload, 8);
}

/*
 * Counts records that were not read. The process with the mapping may have written invalid data into the rings.
 * Context: may sleep; no handler runs.
 */
static u64 unread(void)
{
	u64 n = 0, tail, size;
	struct ring *r;

	for (r = rings.ring; r < rings.ring + rings.n; r++)
		for (tail = tail_of(r); tail != r->head; tail = size > r->head - tail ? r->head : tail + size) {
			const struct stp_rec *rec = (void *)r->data + (tail & r->mask);

			n += !(READ_ONCE(rec->flags) & STP_REC_PAD);
			size = record_size(READ_ONCE(rec->len));
			cond_resched();
		}
	return n;
}

/*
 * Frees the rings after the session has stopped, when no process has opened or mapped the device. A copy of the
 * header remains, so that its counts can be read. If there is no memory for the copy, everything remains.
 */
void stp_rings_shrink(void)
{
	struct stp_ring_header *h = rings.n ? vmalloc_user(PAGE_SIZE) : NULL;

	if (!h)
		return;
	stp_lose(STP_LOSS_UNREAD, unread());
	memcpy(h, rings.header, sizeof(*h));
	h->rings = 0;
	stp_losses = h->losses;
	vfree(rings.header);
	stp_memory_return(rings.mapping_size - PAGE_SIZE);
	rings.mapping_size = PAGE_SIZE;
	plat_free(rings.ring);
	rings.header = h;
	rings.ring = NULL;
	rings.n = 0;
}

static u64 left_in_lap(u64 at)
{
	return rings.size - (at & (rings.size - 1));
}

#define REMOVE_AT_ONCE 2048            /* maximum number of records that one hit removes */

/*
 * Without a reader, the ring retains the newest records. Removes the oldest records until head may advance to
 * `end`; if there are many, only to `must`, and the next hits remove the others. If the reader has written invalid
 * data into its mapping, all are removed. Mapping the rings waits for handlers in this function (control.c).
 */
static noinline void remove_oldest(struct ring *r, u64 must, u64 end)
{
	u64 tail = tail_of(r), before = r->overwritten;
	u32 n = 0;

	while (end - tail > rings.size && tail != r->head && (n++ < REMOVE_AT_ONCE || must - tail > rings.size)) {
		const struct stp_rec *rec = (void *)r->data + (tail & r->mask);
		u64 size = record_size(READ_ONCE(rec->len));

		if (!(READ_ONCE(rec->flags) & STP_REC_PAD))
			r->overwritten++;
		tail = size > r->head - tail ? r->head : tail + size;
	}
	WRITE_ONCE(r->control->overwritten, r->overwritten);
	stp_lose(STP_LOSS_OVERWRITTEN, r->overwritten - before);
	smp_store_release(&r->control->tail, tail);
}

/* Without a reader, a quarter of the ring stays free for records that are written between the return of the
 * reader and its first read. */
static bool make_space(struct ring *r, u64 end)
{
	u64 spare;

	spare = stp_detached() ? r->chunk : 0;
	if (unlikely(spare))
		remove_oldest(r, end, end + spare);
	r->limit = tail_of(r) + rings.size - spare;
	if (unlikely(spare) && end > r->limit && end - tail_of(r) <= rings.size)
		r->limit = end;
	return end <= r->limit;
}

/* stp_rings_sync() waits for contexts that remove old records; RCU waits for hits. */
static bool fits(struct ring *r, u64 end)
{
	bool fitting;

	if (likely(end <= r->limit))
		return true;
	if (r->may_sleep)
		rcu_read_lock();
	fitting = make_space(r, end);
	if (r->may_sleep)
		rcu_read_unlock();
	return fitting;
}

/*
 * Waits until head may advance to `end`, as long as the reader is alive and makes progress every two seconds. After
 * a timeout it does not wait again until the reader has moved.
 */
static noinline bool wait_for_space(struct ring *r, u64 end)
{
	u64 tail = tail_of(r);
	unsigned long deadline = jiffies + 2 * HZ;

	while (!fits(r, end)) {
		if (!stp_reader_alive() || fatal_signal_pending(current) || tail == r->stuck_tail)
			return false;
		stp_control_wake();
		schedule_timeout_killable(1);          /* bounded: see above; at the latest when the relay is killed */
		if (tail_of(r) != tail) {
			tail = tail_of(r);
			deadline = jiffies + 2 * HZ;
		} else if (time_after(jiffies, deadline)) {
			r->stuck_tail = tail;
		}
	}
	return true;
}

static void lose(struct ring *r)
{
	stp_lose(STP_LOSS_RECORDS, 1);
	r->lost_records++;
	WRITE_ONCE(r->control->lost_records, r->lost_records);
}

static __always_inline void set_record(struct ring *r, struct stp_ctx_private *v, u64 at, u64 space)
{
	char *rec = r->data + (at & r->mask);

	r->record = at;
	v->out_start = v->out = rec + sizeof(struct stp_rec);
	v->out_end = rec + space;
}

/* Opens a record at the first position after head with `want` contiguous bytes, and extends it as far as
 * possible, but at most to a chunk, so that the reader can start. */
static noinline bool open_record(struct ring *r, struct stp_ctx_private *v, u32 want)
{
	u64 at = r->head, total = record_size(want);

	if (left_in_lap(at) < total)
		at += max_t(u64, left_in_lap(at), sizeof(struct stp_rec));
	if (!fits(r, at + total) && !(r->may_sleep && wait_for_space(r, at + total)))
		return false;
	set_record(r, v, at, min3(left_in_lap(at), r->limit - at, max(total, r->chunk)));
	return true;
}

/* Writes padding up to the open record. With 8 bytes left in the lap it uses 8 bytes of the next lap, too. */
static noinline void write_pad(struct ring *r)
{
	struct stp_rec *pad = (void *)r->data + (r->head & r->mask);

	pad->len = r->record - r->head - sizeof(struct stp_rec);
	pad->flags = STP_REC_PAD;
}

static noinline void wake_reader(struct ring *r)
{
	u64 used = r->head - tail_of(r);

	if (used >= rings.size / 2) {
		stp_control_wake();
		r->wake_at = r->head + rings.size / 4;
	} else {
		r->wake_at = r->head - used + rings.size / 2;
	}
}

/* Checks a record that is about to become visible: its position, its length, and that this CPU owns the ring. */
#ifdef STP_DEBUG
static void check_record(struct ring *r, const struct stp_ctx_private *v, u64 len)
{
	const char *from = r->data + (r->record & r->mask) + sizeof(struct stp_rec);
	u64 end = r->record + record_size(len);

	STP_CHECK_THAT(v->busy && v->out_start == from && v->out <= v->out_end);
	STP_CHECK_THAT(!(r->head & 7) && !(r->record & 7) && r->record >= r->head && end <= r->limit);
	STP_CHECK_THAT((r->record & r->mask) + record_size(len) <= rings.size);
	STP_CHECK_THAT(r->limit - r->head <= rings.size || r->may_sleep);
	STP_CHECK_THAT(r->may_sleep || irqs_disabled());
}

static void check_seq(struct ring *r, u64 seq)
{
	STP_CHECK_THAT(seq > r->seq);
	r->seq = seq;
}
#else
#define check_record(r, v, len) do { } while (0)
#define check_seq(r, seq) do { } while (0)
#endif

/* While the sequence number is assigned and head is advanced, no other record of this ring can be written. The
 * time in between is short, because interrupts or preemption are disabled; readers wait for a missing number. */
void plat_record_commit(struct stp_ctx_private *v)
{
	struct ring *r = v->plat;
	u64 len = v->out - v->out_start, head;
	struct stp_rec *rec = (void *)v->out_start - sizeof(struct stp_rec);

	if (!len)
		return;
	check_record(r, v, len);
	if (unlikely(r->record != r->head))
		write_pad(r);
	rec->len = len;
	rec->flags = 0;
	rec->seq = atomic64_inc_return(&rings.seq);
	check_seq(r, rec->seq);
	head = r->record + record_size(len);
	r->head = head;
	smp_store_release(&r->control->head, head);
	if (unlikely(head >= r->wake_at))
		wake_reader(r);
}

/* Moves an open record that is too small to the next lap if that is sufficient, so that a handler's output stays
 * contiguous. */
static bool move_record(struct ring *r, struct stp_ctx_private *v, u32 want)
{
	const char *from = v->out_start;
	u64 len = v->out - v->out_start;

	if (len + want > PLAT_RECORD_MAX || !open_record(r, v, len + want))
		return false;
	memmove(v->out_start, from, len);
	v->out += len;
	return true;
}

/* Called if a record is open, or if no contiguous chunk is free at head. A record that does not fit is dropped
 * as a whole; only output that is too long for a record is committed in parts. */
static noinline bool find_space(struct ring *r, struct stp_ctx_private *v, u32 want)
{
	bool open = v->out_start, too_long = open && v->out - v->out_start + want > PLAT_RECORD_MAX;

	if (open && move_record(r, v, want))
		return true;
	if (too_long) {
		if (r->may_sleep)
			preempt_disable();
		plat_record_commit(v);
		if (r->may_sleep)
			preempt_enable();
	}
	if ((!open || too_long) && open_record(r, v, want))
		return true;
	lose(r);
	v->out_start = v->out = v->out_end = NULL;
	return false;
}

/* A chunk is large enough for any record. */
bool plat_record_space(struct stp_ctx_private *v, u32 want)
{
	struct ring *r = v->plat;
	u64 at = r->head;

	if (unlikely(v->out_start) || unlikely(at + r->chunk > r->limit) || unlikely((at & r->mask) > r->last_chunk))
		return find_space(r, v, want);
	set_record(r, v, at, r->chunk);
	return true;
}
