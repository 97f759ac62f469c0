/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of runtime/kernel/ring.c and a reader that follows messages.h: records arrive whole and in order, full
 * rings drop and count records, and no value that a reader writes makes the kernel write outside the ring. ring.c
 * itself is compiled here, with stand-ins for the kernel functions that it uses.
 */
#define plat_record_space   test_record_room    /* core_platform.h defines this function, too */
#define plat_record_commit test_record_commit
#include "core_platform.h"
#undef plat_record_space
#undef plat_record_commit

#include "kernel_standins.h"

#include <errno.h>

#define irqs_disabled() true
#define synchronize_rcu() ((void)0)
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)
#define preempt_disable() ((void)0)
#define preempt_enable() ((void)0)
#define cpumask_weight(mask) ((void)(mask), 1)
#define for_each_cpu(i, mask) for ((i) = 0; (i) < 1; (i)++)
static struct { int unused; } stp_cpus;

static unsigned long jiffies;
static bool reader_lives, reader_reads, detached;
static int wakes;
static size_t map_size;

static u64 rounddown_pow_of_two(u64 n)
{
	return 1ull << (63 - __builtin_clzll(n));
}

static u64 roundup_pow_of_two(u64 n)
{
	u64 p = 1;

	while (p < n)
		p *= 2;
	return p;
}
static long si_mem_available(void) { return 1l << 40; }
static void *vmalloc_user(size_t n) { map_size = n; return calloc(1, n); }
static void vfree(void *p) { free(p); }
static int remap_vmalloc_range(struct vm_area_struct *v, void *p, unsigned long o) { return 0; }
static bool stp_reader_alive(void) { return reader_lives; }
static bool stp_detached(void) { return detached; }
static unsigned int stp_stack_needed(void) { return 1024; }
static void stp_control_wake(void) { wakes++; }
static void schedule_timeout_killable(long n);
static void cond_resched(void) { }

#include "../../runtime/kernel/ring.c"

const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI, .limits = { .string_len = STRING_LEN, .buffer_kb = 64 },
};

/* ------------------------------------------------------------------ a reader */

static char got[1 << 22];                      /* everything that was read */
static size_t got_len;
static u64 next_seq = 1;
static int pads, short_pads, bad_seqs;

static struct stp_ring_control *control_of(u32 ring)
{
	struct stp_ring_header *h = rings.header;

	return (void *)((char *)h + h->first + ring * h->stride);
}

/* Consumes up to `records` records of a ring. */
static void read_ring(u32 ring, int records)
{
	struct stp_ring_header *h = rings.header;
	struct stp_ring_control *c = control_of(ring);
	char *data = (char *)c + (h->stride - h->ring_size);

	while (c->tail != c->head && records-- > 0) {
		u64 at = c->tail & (h->ring_size - 1);
		u32 *r = (u32 *)(data + at);   /* len and flags, which are certainly in this lap */

		if (r[1] & STP_REC_PAD) {
			pads++;
			short_pads += h->ring_size - at == 8;
		} else {
			bad_seqs += ((struct stp_rec *)r)->seq != next_seq;
			next_seq++;
			memcpy(got + got_len, r + 4, r[0]);
			got_len += r[0];
		}
		c->tail += (sizeof(struct stp_rec) + r[0] + 7) & ~7ull;
	}
}

static void schedule_timeout_killable(long n)
{
	jiffies += n;
	if (reader_reads)
		read_ring(1, 3);
}

/* ------------------------------------------------------------------ a writer */

static char sent[1 << 22];                     /* everything that was committed */
static size_t sent_len;
static u32 seed = 1;

static u32 below(u32 n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

/* Simulates a handler that prints `pieces` texts of up to `max` bytes. Returns false if some were lost. */
static bool handler(struct stp_ctx_private *v, int pieces, u32 max)
{
	size_t before = sent_len;
	bool all = true;

	while (pieces--) {
		u32 n = 1 + below(max), i;

		if ((u64)(v->out_end - v->out) < n && !plat_record_space(v, n)) {
			all = false;
			sent_len = before;     /* the record was dropped as a whole */
			break;
		}
		for (i = 0; i < n; i++)
			*v->out++ = sent[sent_len++] = 'a' + below(26);
	}
	if (v->out_start)
		plat_record_commit(v);
	v->out_start = v->out = v->out_end = NULL;
	return all;
}

static struct stp_ctx_private *writer(u32 ring)
{
	static struct stp_ctx_private v;

	memset(&v, 0, sizeof(v));
	v.busy = 1;
	v.plat = stp_ring_of(ring ? -1 : 0);
	return &v;
}

static void check(const char *claim, bool good)
{
	verdict(good, "%s", claim);
}

static void fresh(void)
{
	stp_rings_free();
	memset(&rings, 0, sizeof(rings));
	if (stp_rings_make())
		exit(1);
	sent_len = got_len = 0;
	next_seq = 1;
	pads = short_pads = bad_seqs = wakes = 0;
	reader_lives = reader_reads = false;
}

/* ------------------------------------------------------------------ claims */

static void test_layout(void)
{
	struct stp_ring_header *h;

	fresh();
	h = rings.header;
	check("the header tells the layout", h->magic == STP_RING_MAGIC && h->rings == 2 &&
	      h->ring_size == 64 * 1024 && map_size == h->first + h->rings * h->stride);
}

static void test_stream(void)
{
	struct stp_ctx_private *v;
	bool all = true, same = true;
	int i;

	fresh();
	v = writer(0);
	for (i = 0; i < 40000; i++) {
		sent_len = got_len = 0;
		all &= handler(v, 1 + below(4), below(20) ? 100 : 5000);
		read_ring(0, 100);
		same &= got_len == sent_len && !memcmp(got, sent, got_len);
	}
	check("nothing is lost while the reader keeps up", all);
	check("records arrive whole and in order", same);
	check("sequence numbers have no gap", !bad_seqs);
	check("laps end in padding, also when 8 bytes are left", pads > 100 && short_pads > 0);
}

static void test_full(void)
{
	struct stp_ctx_private *v;
	struct ring *r;
	u64 records;
	int lost = 0, i;

	fresh();
	v = writer(0);
	r = v->plat;
	for (i = 0; i < 2000; i++)
		lost += !handler(v, 4, 200);
	records = stp_losses[STP_LOSS_RECORDS];
	check("a full ring drops and counts", lost && records == (u64)lost);
	check("a full ring is not overrun", r->head - r->control->tail <= rings.size);
	check("the reader is woken on the way", wakes > 0 && wakes < 10 && stp_rings_half_full());
	read_ring(0, 1 << 30);
	check("what was kept is all there and whole", got_len == sent_len && !memcmp(got, sent, got_len) &&
	      !bad_seqs);
	check("a record fits again", handler(v, 1, 200));
}

static void test_hostile(void)
{
	struct stp_ctx_private *v;
	int i;

	fresh();
	v = writer(0);
	for (i = 0; i < 20000; i++) {
		struct stp_ring_control *c = control_of(0);
		u64 junk = (u64)below(1 << 24) << below(41);

		c->tail = below(2) ? junk : 0 - junk;
		c->head = junk;
		sent_len = 0;
		handler(v, 1 + below(3), below(10) ? 300 : PLAT_RECORD_MAX);
		memset((char *)c + PAGE_SIZE, below(256), below(2) ? 4096 : 0);
	}
	check("a reader that writes junk harms only itself", true);

	fresh();
	v = writer(0);
	while (handler(v, 1, 200))
		;
	control_of(0)->tail = control_of(0)->head + 64;
	check("a tail ahead of head frees no space", !handler(v, 1, 200));
	control_of(0)->tail = control_of(0)->head - 4;
	check("nor does one where no record can start", !handler(v, 1, 200));
}

static void test_waiting(void)
{
	struct stp_ctx_private *v;
	unsigned long from;
	u64 records;
	bool all = true;
	int i;

	fresh();
	v = writer(1);
	reader_lives = reader_reads = true;
	for (i = 0; i < 3000; i++)
		all &= handler(v, 3, 400);
	read_ring(1, 1 << 30);
	check("begin and end wait for the reader", all && got_len == sent_len &&
	      !memcmp(got, sent, got_len) && !bad_seqs);
	records = stp_losses[STP_LOSS_RECORDS];
	check("and lose nothing", !records && wakes > 0);

	reader_reads = false;
	while (handler(v, 3, 400))
		;
	from = jiffies;
	for (i = 0; i < 100; i++)
		handler(v, 3, 400);
	check("a reader that is stuck is waited for once", jiffies - from <= 1);
	fresh();
	v = writer(1);
	from = jiffies;
	while (handler(v, 3, 400))
		;
	check("an exited reader is not waited for", jiffies == from);
}

/* Simulates handlers that print `len` bytes, each of which begins with its number. */
static void print_numbers(struct stp_ctx_private *v, u32 from, u32 to, u32 len)
{
	for (; from < to; from++) {
		if (!plat_record_space(v, len))
			break;
		memset(v->out, 'x', len);
		memcpy(v->out, &from, sizeof(from));
		v->out += len;
		plat_record_commit(v);
		v->out_start = v->out = v->out_end = NULL;
	}
}

static void test_detached(void)
{
	struct stp_ctx_private *v;
	u64 records;
	u32 first, last, i, kept;
	bool whole = true;

	fresh();
	detached = true;
	kept = rings.size / 4 * 3 / 136;
	v = writer(0);
	print_numbers(v, 0, 5000, 120);
	records = stp_losses[STP_LOSS_RECORDS];
	check("while detached nothing is lost, the newest is kept", !records && v->plat);
	next_seq = rings.seq.n - kept + 1;
	read_ring(0, 1 << 30);
	memcpy(&first, got, sizeof(first));
	memcpy(&last, got + got_len - 120, sizeof(last));
	for (i = 0; i < got_len / 120; i++)
		whole &= !memcmp(got + i * 120, &(u32){ first + i }, 4);
	check("the remaining records are whole, the newest and nearly what three quarters of the ring hold",
	      whole && last == 4999 && got_len % 120 == 0 && got_len / 120 <= kept && got_len / 120 > kept - 4);
	stp_rings_sync();
	check("the rest is counted", stp_losses[STP_LOSS_OVERWRITTEN] + got_len / 120 == 5000 &&
	      control_of(0)->overwritten == stp_losses[STP_LOSS_OVERWRITTEN] && rings.header->settled == 5000);

	fresh();
	v = writer(0);
	print_numbers(v, 0, 1000, 120);
	memset((char *)control_of(0) + PAGE_SIZE, 0xff, rings.size);   /* data of the previous reader */
	print_numbers(v, 0, 3000, 120);
	control_of(0)->tail = 12345;
	print_numbers(v, 0, 3000, 120);
	check("junk left by a reader is overwritten", control_of(0)->head - control_of(0)->tail <= rings.size);
	detached = false;
}

int main(void)
{
	test_layout();
	test_stream();
	test_full();
	test_hostile();
	test_waiting();
	test_detached();
	stp_rings_free();
	session_renew();
	return finish();
}
