/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of programs: a hit collects its output in its slot, and sends it to the ring of the CPU or to the shared one
 * (rings.c reads both). Part of bpf_program.h.
 */
#ifndef BPF_RECORDS_H
#define BPF_RECORDS_H

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 12);
} stp_ring SEC(".maps");

/* Rings of the slots that a hit claims first, one for each CPU. The client sets their number. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stp_ring);
} stp_rings SEC(".maps");

/* Returns the number of a record, and makes the client wait for it until bpf_sent(). */
STP_INLINE u32 bpf_sending(struct stp_slot *s)
{
	*(volatile u32 *)&s->sends += 1;
	__sync_fetch_and_add(&stp_control.records, 1);
	return *(volatile u32 *)&stp_control.records;
}

STP_INLINE void bpf_sent(struct stp_slot *s)
{
	*(volatile u32 *)&s->sends += 1;
}

/* Copies the first n words of the record to the ring of the slot. Returns false if it does not fit, or if the slot has
 * no ring. */
STP_INLINE bool bpf_ring_put(struct stp_slot *s, u32 n)
{
	u32 number = s->ring, head = s->ring_head, at = head, i;
	struct stp_ring *ring = bpf_map_lookup_elem(&stp_rings, &number);
	u64 *to;

	if (!ring || n > STP_RING_RECORD || head - *(volatile u32 *)&s->ring_tail + n + STP_RING_STEP > STP_RING_WORDS)
		return false;
	STP_HIDE(at);
	to = &ring->words[at & (STP_RING_WORDS - 1)];
	for (i = 0; i < STP_RING_RECORD; i += STP_RING_STEP) {
		to[i] = s->record[i];
		to[i + 1] = s->record[i + 1];
		to[i + 2] = s->record[i + 2];
		to[i + 3] = s->record[i + 3];
		if (i + STP_RING_STEP >= n)
			break;
	}
	__asm__ volatile("" ::: "memory");     /* x86 does not reorder stores */
	*(volatile u32 *)&s->ring_head = head + n;
	return true;
}

/* Sends the record in the slot. */
STP_GLOBAL_FUNCTION int bpf_send(struct stp_slot *s)
{
	u32 n;

	if (!s)
		return 0;
	n = s->record_len + 1;
	s->record_len = 0;
	if (n < 2)
		return 0;
	STP_HIDE(n);  /* otherwise the checks are merged into one of n - 2, from which Linux 6.1 cannot bound n */
	if (n > STP_RECORD_WORDS)
		return 0;
	s->record[0] = STP_RECORD_START(bpf_sending(s), s->probe, n);
	if (!bpf_ring_put(s, n) && bpf_ringbuf_output(&stp_ring, s->record, n * 8, 0))
		bpf_lose(STP_LOSS_RECORDS);
	bpf_sent(s);
	return 0;
}

/* Wakes the client, which waits for the shared ring. Any record there does. */
STP_GLOBAL_FUNCTION int bpf_wake(u32 unused)
{
	u64 none = 0;

	stp_control.waiting = 0;
	if (bpf_ringbuf_output(&stp_ring, &none, sizeof(none), 0))
		stp_control.waiting = 1;       /* in an NMI, another program may hold its lock */
	return 0;
}

STP_INLINE void bpf_put(struct stp_slot *s, u64 word)
{
	u32 at = s->record_len + 1;

	STP_HIDE(at);
	if (at >= STP_RECORD_WORDS)
		return;
	s->record[at] = word;
	s->record_len = at;
}

STP_GLOBAL_FUNCTION int bpf_put_any_text(struct stp_slot *s, const struct stp_text *t)
{
	u32 at, i, k;

	if (!s || !t)
		return 0;
	at = s->record_len + 1;
	for (i = 0; i < STP_TEXT_SIZE / 8; i++) {
		u64 word = ((const u64 *)t->b)[i];

		k = at + i;
		STP_HIDE(k);
		if (k >= STP_RECORD_WORDS)
			return 0;
		s->record[k] = word;
		s->record_len = k;
		if (stp_text_end(word))
			break;
	}
	return 0;
}

/*
 * Appends the name of a task, of one or two words. Without a branch: the verifier would follow the rest of the handler
 * after each of them.
 */
STP_INLINE void bpf_put_comm(struct stp_slot *s)
{
	const u64 *words = (const u64 *)s->comm.b;
	u64 end = stp_text_end(words[0]);
	u32 at = s->record_len + 1;

	STP_HIDE(at);
	STP_HIDE(end);
	if (at > STP_RECORD_WORDS - 2)
		return;
	s->record[at] = words[0];
	s->record[at + 1] = words[1];
	s->record_len = at + 1 - (u32)((end | -end) >> 63);
}

STP_INLINE void bpf_put_text(struct stp_slot *s, const struct stp_text *t)
{
	s64 offset = (const char *)t - (const char *)s;

	if (__builtin_constant_p(offset) && offset == __builtin_offsetof(struct stp_slot, comm))
		bpf_put_comm(s);
	else
		bpf_put_any_text(s, t);
}

#ifdef STP_EVENT_TIMES
#define STP_TIME_WORDS 2
#else
#define STP_TIME_WORDS 0
#endif

/* Begins an item of up to this many words. A record that is too long becomes two. If the output consists of records
 * with values, the first item has the CPU and the time. */
STP_INLINE void bpf_item(struct stp_slot *s, u32 kind, u32 line, u32 words)
{
	if (s->record_len + words + STP_TIME_WORDS >= STP_RECORD_WORDS)
		bpf_send(s);
#ifdef STP_EVENT_TIMES
	if (!s->record_len) {
		bpf_put(s, (u64)STP_ITEM_TIME << 32 | bpf_get_smp_processor_id());
		bpf_put(s, bpf_ktime_get_ns());
	}
#endif
	bpf_put(s, (u64)kind << 32 | line);
}

#endif
