/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argstr: part of bpf_program.h. A program cannot format the arguments of a system call: it copies them and the memory
 * that their text shows to the record (bpf_shared.h describes the form), and the client formats them by the functions
 * of core/syscall.c (call_text.c). The types of the arguments determine the memory that is copied: the translator
 * makes a plan of each call from include/syscall_captures.def.
 * Memory that is not resident is not copied, and the client then shows the address, as the module does.
 */
#ifndef BPF_CALL_TEXT_H
#define BPF_CALL_TEXT_H

#define STP_RANGE_MOST 1024            /* maximum size of a range, in bytes */
#define STP_CAPTURE_SLACK (2 + STP_RANGE_MOST / 8)
#define STP_ELEMENTS 33                /* one more than the text shows of an array */
/* The text of an array takes a third of the string at most, and one more element. */
#define STP_SHOWN_OF(shortest)							\
	(STP_STRLEN / 3 / (shortest) + 2 < STP_ELEMENTS ? STP_STRLEN / 3 / (shortest) + 2 : STP_ELEMENTS)
#define STP_IOVEC_SHOWN STP_SHOWN_OF(28)
#define STP_MESSAGES_SHOWN STP_SHOWN_OF(97)
_Static_assert(STP_STRLEN <= STP_RANGE_MOST * 2, "a string is copied in at most two ranges");

/* ------------------------------------------------------------------ ranges */

STP_INLINE bool bpf_copy_range(struct stp_slot *s, u64 address, u32 size)
{
	u32 at = s->capture_len;

	STP_HIDE(at);
	STP_HIDE(size);
	if (size > STP_RANGE_MOST)
		return false;
	if (at > STP_CAPTURE_SIZE - STP_CAPTURE_SLACK) {
		s->capture_flags |= STP_CAPTURE_FULL;
		return false;
	}
	s->capture.words[at] = address;
	s->capture.words[at + 1] = size;
	if (bpf_probe_read_user(&s->capture.words[at + 2], size, (void *)address)) {
		s->capture_flags |= STP_CAPTURE_UNREAD;
		return false;
	}
	s->capture_len = at + 2 + (size + 7) / 8;
	return true;
}

/* Copies memory. If a part cannot be read, copies the part before the end of the page, and the part after it. */
STP_GLOBAL_FUNCTION int bpf_capture(struct stp_slot *s, u64 address, u32 size)
{
	u32 first = 4096 - (address & 4095);

	if (!s || !address || !size || bpf_copy_range(s, address, size))
		return 0;
	if (first >= size)
		return 0;
	bpf_copy_range(s, address, first);
	bpf_copy_range(s, address + first, size - first);
	return 0;
}

/* Copies a string, or as much of it as fits into a string of the script. Returns its size. */
STP_GLOBAL_FUNCTION int bpf_capture_string(struct stp_slot *s, u64 address)
{
	u32 at, bytes;
	s64 n;

	if (!s || !address)
		return 0;
	at = s->capture_len;
	STP_HIDE(at);
	if (at > STP_CAPTURE_SIZE - STP_CAPTURE_SLACK) {
		s->capture_flags |= STP_CAPTURE_FULL;
		return 0;
	}
	/* up to Linux 6.12 or so, an empty string has the size 0 */
	n = bpf_probe_read_user_str(&s->capture.words[at + 2], STP_STRLEN < STP_RANGE_MOST ? STP_STRLEN : STP_RANGE_MOST,
				    (void *)address);
	if (!n)
		s->capture.words[at + 2] = 0;
	if (n < 0) {
		bpf_capture(s, address, STP_STRLEN < STP_RANGE_MOST ? STP_STRLEN : STP_RANGE_MOST);
		if (STP_STRLEN > STP_RANGE_MOST)
			bpf_capture(s, address + STP_RANGE_MOST, STP_RANGE_MOST);
		return 0;
	}
	/* the last byte of a string that was truncated is not that of the process */
	bytes = n == STP_STRLEN || n == STP_RANGE_MOST ? n - 1 : n ? n : 1;
	s->capture.words[at] = address;
	s->capture.words[at + 1] = bytes;
	s->capture_len = at + 2 + (bytes + 7) / 8;
	if (STP_STRLEN > STP_RANGE_MOST && n == STP_RANGE_MOST)
		bpf_capture(s, address + STP_RANGE_MOST - 1, STP_RANGE_MOST);
	return (int)n;
}

/* Returns a long of the process; 0 if it cannot be read. */
STP_GLOBAL_FUNCTION u64 bpf_call_long(const struct stp_slot *s, u64 address)
{
	u64 v = 0;

	if (s)
		bpf_probe_read_user(&v, s->mode & STP_MODE_32BIT ? 4 : 8, (void *)address);
	return v;
}

STP_INLINE u64 bpf_call_u64(u64 address)
{
	u64 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)address);
	return v;
}

STP_INLINE u32 bpf_long_size(const struct stp_slot *s)
{
	return s->mode & STP_MODE_32BIT ? 4 : 8;
}

STP_INLINE u32 bpf_least(u64 n, u32 most)
{
	return n < most ? (u32)n : most;
}

/* ------------------------------------------------------------------ lists of strings */

STP_INLINE void bpf_capture_strings(struct stp_slot *s, u64 address)
{
	u32 i, word = bpf_long_size(s), bytes = 0;

	bpf_capture(s, address, STP_ELEMENTS * word);
	for (i = 0; i < STP_ELEMENTS; i++) {
		u64 string = bpf_call_long(s, address + i * word);

		if (!string)
			break;
		bytes += (u32)bpf_capture_string(s, string);
		STP_HIDE(bytes);
		if (bytes >= STP_STRLEN)
			break;
	}
}

/* Returns the number of words before a 0, at most 64, or plus 128 if the next word cannot be read. */
STP_GLOBAL_FUNCTION int bpf_count_words(const struct stp_slot *s, u64 address)
{
	u32 i, word;

	if (!s)
		return 0;
	word = bpf_long_size(s);
	for (i = 0; i < 64; i++) {
		u64 v = 0;

		if (bpf_probe_read_user(&v, word, (void *)(address + i * word)))
			return (int)i + 128;
		if (!v)
			break;
	}
	return (int)i;
}

STP_INLINE void bpf_capture_count(struct stp_slot *s, u64 address)
{
	u32 i, n = 0, at = s->capture_len, word = bpf_long_size(s);
	u64 end = STP_RANGE_ENDS;

	for (i = 0; i < 64; i++) {
		u32 some = (u32)bpf_count_words(s, address + n * word);

		STP_HIDE(some);
		n += some & 127;
		if (some & 128)
			end = STP_RANGE_FAILS;
		if (some != 64)
			break;
	}
	STP_HIDE(at);
	if (at > STP_CAPTURE_SIZE - STP_CAPTURE_SLACK) {
		s->capture_flags |= STP_CAPTURE_FULL;
		return;
	}
	s->capture.words[at] = address;
	s->capture.words[at + 1] = n | end;
	s->capture_len = at + 2;
}

/* ------------------------------------------------------------------ structures that point to others */

STP_GLOBAL_FUNCTION int bpf_capture_iovec(struct stp_slot *s, u64 address, u64 n)
{
	u32 i, word;

	if (!s || n > 1024)
		return 0;
	word = bpf_long_size(s);
	bpf_capture(s, address, bpf_least(n, STP_ELEMENTS) * 2 * word);
	for (i = 0; i < STP_IOVEC_SHOWN && i < n; i++) {
		u64 at = address + i * 2 * word;

		bpf_capture(s, bpf_call_long(s, at), bpf_least(bpf_call_long(s, at + word), 32));
	}
	return 0;
}

STP_GLOBAL_FUNCTION int bpf_capture_message(struct stp_slot *s, u64 address)
{
	u32 word;

	if (!s)
		return 0;
	word = bpf_long_size(s);
	bpf_capture(s, address, 64);
	bpf_capture(s, bpf_call_long(s, address), 128);
	bpf_capture_iovec(s, bpf_call_long(s, address + 2 * word), bpf_call_long(s, address + 3 * word));
	return 0;
}

STP_INLINE void bpf_capture_messages(struct stp_slot *s, u64 address, u64 n)
{
	u32 i, size = 8 * bpf_long_size(s);

	for (i = 0; i < STP_MESSAGES_SHOWN && i < n; i++)
		bpf_capture_message(s, address + i * size);
}

/* struct iocb: see put_iocb_data() of core/syscall_sized.c */
STP_GLOBAL_FUNCTION int bpf_capture_iocb(struct stp_slot *s, u64 address)
{
	u64 data, n;
	u16 op = 0;

	if (!s)
		return 0;
	bpf_capture(s, address, 64);
	bpf_probe_read_user(&op, sizeof(op), (void *)(address + 16));
	data = bpf_call_u64(address + 24);
	n = bpf_call_u64(address + 32);
	if (op == 1)
		bpf_capture(s, data, bpf_least(n, 32));
	else if (op == 7 || op == 8)
		bpf_capture_iovec(s, data, n);
	return 0;
}

STP_INLINE void bpf_capture_iocbs(struct stp_slot *s, u64 address, u64 n)
{
	u32 i, word = bpf_long_size(s);

	bpf_capture(s, address, bpf_least(n, STP_ELEMENTS) * word);
	for (i = 0; i < STP_ELEMENTS && i < n; i++) {
		u64 at = bpf_call_long(s, address + i * word);

		if (at)
			bpf_capture_iocb(s, at);
	}
}

/* union bpf_attr: the strings and data of bpf_load_fields and others in core/syscall_sized.c */
STP_GLOBAL_FUNCTION int bpf_capture_attributes(struct stp_slot *s, u64 address)
{
	u32 command;

	if (!s)
		return 0;
	command = (u32)s->c.arguments[0];
	bpf_capture(s, address, 256);
	if (command == 5) {                            /* BPF_PROG_LOAD */
		bpf_capture_string(s, bpf_call_u64(address + 16));
		bpf_capture(s, bpf_call_u64(address + 32), 34);
	} else if (command == 18) {                    /* BPF_BTF_LOAD */
		bpf_capture(s, bpf_call_u64(address), 32);
		bpf_capture(s, bpf_call_u64(address + 8), 34);
	} else if (command == 6 || command == 7 || command == 17) {     /* BPF_OBJ_PIN, _GET, BPF_RAW_TRACEPOINT_OPEN */
		bpf_capture_string(s, bpf_call_u64(address));
	}
	return 0;
}

/* struct clone_args: the IDs that the caller chooses, the TLS of a 32-bit process, and what the call writes */
STP_GLOBAL_FUNCTION int bpf_capture_clone(struct stp_slot *s, u64 address)
{
	if (!s)
		return 0;
	bpf_capture(s, address, 256);
	bpf_capture(s, bpf_call_u64(address + 64), 128);
	if (s->mode & STP_MODE_32BIT)
		bpf_capture(s, bpf_call_u64(address + 56), 16);
	if (s->call_when == STP_AT_RETURN) {
		bpf_capture(s, bpf_call_u64(address + 8), 4);
		bpf_capture(s, bpf_call_u64(address + 24), 4);
	}
	return 0;
}

/* ------------------------------------------------------------------ arguments */

STP_INLINE u64 bpf_call_with(const struct stp_slot *s, u32 with)
{
	u64 v = s->c.arguments[STP_INDEX(with, 8)];
	u32 form = with >> 4 & 15;

	return form == STP_WITH_U32 ? (u32)v : form == STP_WITH_S32 ? (u64)(s64)(s32)v : form ? v : 0;
}

/* Returns the value of `other`: of a result, at most the size of the buffer. */
STP_INLINE u64 bpf_call_other(const struct stp_slot *s, u64 plan)
{
	u32 both = STP_PLAN_WITH(plan);
	u64 with = bpf_call_with(s, both), limit = bpf_call_with(s, both >> 8);

	return both >> 12 & 15 && with > limit ? limit : with;
}

STP_INLINE u32 bpf_capture_size(u64 plan, u64 with)
{
	u32 size = STP_PLAN_SIZE(plan);

	switch (STP_PLAN_KIND(plan)) {
	case STP_CAPTURE_SIZED: return bpf_least(with, size);
	case STP_CAPTURE_COUNTED: return bpf_least(with, STP_ELEMENTS) * size;
	case STP_CAPTURE_BITS: return with > 4096 ? (s64)with < 0 ? 0 : 512 : ((u32)with + 63) / 64 * 8;
	case STP_CAPTURE_PAGES: return bpf_least((with + 4095) / 4096, STP_ELEMENTS);
	case STP_CAPTURE_BUFFER: case STP_CAPTURE_ENDED: return bpf_least(with, 32);
	default: return size;
	}
}

/* Copies the memory of argument i. */
STP_GLOBAL_FUNCTION int bpf_capture_argument(struct stp_slot *s, u32 i)
{
	u64 plan, v, with;
	u32 kind;

	if (!s)
		return 0;
	plan = s->plan.args[STP_INDEX(i, STP_PLAN_ARGUMENTS)];
	v = s->c.arguments[STP_INDEX(STP_PLAN_AT(plan), 8)];
	if (!v)
		return 0;
	with = bpf_call_other(s, plan);
	kind = STP_PLAN_KIND(plan);
	switch (kind) {
	case STP_CAPTURE_STRING: bpf_capture_string(s, v); return 0;
	case STP_CAPTURE_STRINGS: bpf_capture_strings(s, v); return 0;
	case STP_CAPTURE_COUNT: bpf_capture_count(s, v); return 0;
	case STP_CAPTURE_IOVEC: bpf_capture_iovec(s, v, with); return 0;
	case STP_CAPTURE_MESSAGE: bpf_capture_message(s, v); return 0;
	case STP_CAPTURE_MESSAGES: bpf_capture_messages(s, v, with); return 0;
	case STP_CAPTURE_IOCBS: bpf_capture_iocbs(s, v, with); return 0;
	case STP_CAPTURE_ATTRIBUTES: bpf_capture_attributes(s, v); return 0;
	case STP_CAPTURE_CLONE: bpf_capture_clone(s, v); return 0;
	case STP_CAPTURE_SET:
		bpf_capture(s, v, 16);
		bpf_capture(s, bpf_call_long(s, v), 8);
		return 0;
	case STP_CAPTURE_LENGTH: bpf_capture(s, with, 4); break;
	case STP_CAPTURE_ENDED: bpf_capture(s, v + with - 1, with != 0); break;
	}
	bpf_capture(s, v, bpf_capture_size(plan, with));
	return 0;
}

/* Fills the capture of the slot with the memory of arguments whose plan has one of the STP_AT_ bits. Memory that only
 * the call writes is not shown after an error. */
STP_INLINE void bpf_capture_call(struct stp_slot *s, u32 when)
{
	u64 *words = s->capture.words;
	bool failed = s->call_when == STP_AT_RETURN && s->c.arguments[STP_SYSCALL_RESULT] >= -4095ull;
	u32 i;

	s->capture_len = STP_CAPTURE_RANGES;
	s->capture_flags = 0;
	words[STP_CAPTURE_NUMBER] = s->call_number;
#pragma unroll
	for (i = 0; i < 8; i++)
		words[STP_CAPTURE_ARGUMENTS + i] = s->c.arguments[i];
	for (i = 0; i < 6; i++) {
		u32 at = STP_PLAN_WHEN(s->plan.args[STP_INDEX(i, STP_PLAN_ARGUMENTS)]);

		if (at & when && !(failed && at == STP_AT_RETURN))
			bpf_capture_argument(s, i);
	}
	words[STP_CAPTURE_FLAGS] = s->capture_flags;
	words[STP_CAPTURE_WORDS_USED] = s->capture_len;
}

/* ------------------------------------------------------------------ calls in progress */

/*
 * Captures of the entry, until the return. A row of bpf_calls.h states whether a capture belongs to the call that
 * returns. Captures of calls that do not return are evicted, since they are the oldest.
 */
struct stp_call_key { u64 task, probe; };
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct stp_call_key);
	__type(value, struct stp_capture);
} stp_call_texts SEC(".maps");

STP_INLINE void bpf_forget_call(u32 probe)
{
	struct stp_call_key key = { bpf_get_current_task(), probe };

	bpf_map_delete_elem(&stp_call_texts, &key);
}

STP_INLINE int bpf_save_call(struct stp_slot *s)
{
	struct stp_call_key key = { bpf_get_current_task(), s->probe };

	bpf_capture_call(s, STP_AT_ENTRY);
	if (!bpf_map_update_elem(&stp_call_texts, &key, &s->capture, 0))
		return 1;
	bpf_forget_call(s->probe);
	return 0;
}

STP_INLINE const struct stp_capture *bpf_saved_call(const struct stp_slot *s)
{
	struct stp_call_key key = { bpf_get_current_task(), s->probe };

	return s->call_saved ? bpf_map_lookup_elem(&stp_call_texts, &key) : NULL;
}

/* ------------------------------------------------------------------ plans, records */

/* The plan of a row of calls_N() is that of its command; plan_N(), which the translator writes, selects it. */
#define STP_CALL_PLANS(number, size)						\
	const struct stp_call_plan call_plans_##number[size] SEC(".rodata.call_plans_" #number)
#define STP_CALL_PLANS_OF(number, size, names_, name, when)			\
STP_INLINE void name##_##number(struct stp_slot *s, u32 row)			\
{										\
	u32 plan = (u32)plan_##number(s, row);					\
										\
	names_(s, row);								\
	s->plan = call_plans_##number[STP_INDEX(plan, size)];			\
	s->call_when = when;							\
}

STP_GLOBAL_FUNCTION int bpf_put_capture(struct stp_slot *s, const struct stp_capture *from)
{
	u32 at, n;

	if (!s || !from)
		return 0;
	at = s->record_len + 1;
	n = (u32)from->words[STP_CAPTURE_WORDS_USED];
	STP_HIDE(at);
	STP_HIDE(n);
	if (at > STP_RECORD_WORDS - STP_CAPTURE_SIZE || n > STP_CAPTURE_SIZE || !n)
		return 0;
	bpf_probe_read_kernel(&s->record[at], n * 8, from);
	s->record_len = at + n - 1;
	return 0;
}

/* Appends the data of a text to the record; of: STP_CALL_OF(). */
STP_GLOBAL_FUNCTION int bpf_put_call(struct stp_slot *s, u64 of)
{
	const struct stp_capture *saved = NULL;
	u64 mark = STP_MARK | STP_MARK_CALL | of;
	u32 when = STP_AT_ENTRY | STP_AT_RETURN, text = of >> 20 & 15;

	if (!s)
		return 0;
	if (s->call_when == STP_AT_RETURN)
		mark |= STP_CALL_RETURN;
	if (s->call_when == STP_AT_RETURN && (text == STP_CALL_ALL || text >= STP_CALL_ENTRY_ARGUMENT)) {
		saved = bpf_saved_call(s);
		mark |= saved ? STP_CALL_SAVED : 0;
	}
	bpf_put(s, mark);
	bpf_put(s, stp_control.hash_factor);
	if (saved)
		bpf_put_capture(s, saved);
	if (text == STP_CALL_RESULT)
		when = 0;
	else if (s->call_when != STP_AT_RETURN || (saved && !(saved->words[STP_CAPTURE_FLAGS] & STP_CAPTURE_UNREAD)))
		when = s->call_when;
	bpf_capture_call(s, when);
	bpf_put_capture(s, &s->capture);
	return 0;
}

#endif
