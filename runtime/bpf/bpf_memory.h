/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * %m and %M: part of bpf_program.h. printf() copies the memory to the record, and the client formats it (records.c);
 * sprintf() formats it here, with the results of core/format.c. Context: a hit.
 */
#ifndef BPF_MEMORY_H
#define BPF_MEMORY_H

#define STP_PAGE 4096
_Static_assert(STP_MEMORY_MAX <= STP_PAGE, "memory that is printed is in at most two pages");

/* Returns the number of bytes that a precision selects. */
STP_INLINE u32 bpf_memory_size(s64 precision)
{
	return precision < 1 ? 1 : precision < STP_MEMORY_MAX ? (u32)precision : STP_MEMORY_MAX;
}

STP_INLINE bool bpf_read_memory(void *to, u32 size, u64 address, bool user)
{
	return !(user ? STP_READ_USER(to, size, (void *)address) : bpf_probe_read_kernel(to, size, (void *)address));
}

STP_INLINE void bpf_memory_fault(struct stp_slot *s, u64 address, bool user)
{
	bpf_error(&s->c, user ? STP_BPF_USER_FAULT : STP_BPF_FAULT, address);
}

/* Appends the address, the number of bytes that can be read, and these bytes to the record. Raises an error if they
 * are fewer than n; after an error of an earlier piece, appends none. */
STP_GLOBAL_FUNCTION int bpf_put_memory(struct stp_slot *s, u64 address, u32 n, u32 user)
{
	u32 at, first = STP_PAGE - (u32)(address & (STP_PAGE - 1)), have = n;

	if (!s)
		return 0;
	at = s->record_len + 1;
	STP_HIDE(at);
	STP_HIDE(n);
	if (at >= STP_RECORD_WORDS || n > STP_MEMORY_MAX)
		return 0;
	if (s->c.error) {
		have = 0;
	} else if (!bpf_read_memory(&s->record[at + 2], n, address, user)) {
		STP_HIDE(first);
		have = first < n && first <= STP_MEMORY_MAX && bpf_read_memory(&s->record[at + 2], first, address, user) ?
			first : 0;
		bpf_memory_fault(s, address + have, user);
	}
	s->record[at] = address;
	s->record[at + 1] = have;
	s->record_len = at + 1 + (have + 7) / 8;
	return 0;
}

#ifdef STP_USES_TEXT
STP_GLOBAL_FUNCTION int bpf_put_memory_bytes(struct stp_text *to, u32 at, const struct stp_text *s, u32 n)
{
	u32 i;

	if (!to || !s)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		if (i >= n)
			break;
		if (at + i < STP_TEXT_MAX)
			bpf_set_byte(to, at + i, bpf_byte(s, i));
	}
	return 0;
}

STP_INLINE u8 bpf_hex_digit(u32 value)
{
	return (u8)(value < 10 ? '0' + value : 'a' - 10 + value);
}

/* A function of its own: branches in loops over strings are limited by the verifier. */
STP_GLOBAL_FUNCTION int bpf_put_byte_in_hex(struct stp_text *to, u32 at, u32 byte)
{
	if (!to)
		return 0;
	if (at < STP_TEXT_MAX)
		bpf_set_byte(to, at, bpf_hex_digit(byte >> 4 & 15));
	if (at + 1 < STP_TEXT_MAX)
		bpf_set_byte(to, at + 1, bpf_hex_digit(byte & 15));
	return 0;
}

STP_GLOBAL_FUNCTION int bpf_put_hex_text(struct stp_text *to, u32 at, const struct stp_text *s, u32 n)
{
	u32 i;

	if (!to || !s)
		return 0;
	for (i = 0; i < STP_STRLEN; i++) {
		if (i >= n)
			break;
		bpf_put_byte_in_hex(to, at + 2 * i, bpf_byte(s, i));
	}
	return 0;
}

/* Raises an error if some of the n bytes cannot be read. */
STP_INLINE bool bpf_memory_is_readable(struct stp_slot *s, u64 address, u32 n, bool user)
{
	char byte;

	if (!bpf_read_memory(&byte, 1, address, user))
		bpf_memory_fault(s, address, user);
	else if (!bpf_read_memory(&byte, 1, address + n - 1, user))
		bpf_memory_fault(s, (address | (STP_PAGE - 1)) + 1, user);
	else
		return true;
	return false;
}

/* The precision of the specification is the number of bytes. */
STP_GLOBAL_FUNCTION int bpf_put_memory_text(struct stp_slot *s, struct stp_text *to, u32 at, u64 address, u64 spec)
{
	bool hex = STP_SPEC_CONV(spec) == 'M', user = STP_SPEC_FLAGS(spec) & STP_FLAG_ALTERNATE;
	u32 n = STP_SPEC_PRECISION(spec), len = hex ? 2 * n : n, width = STP_SPEC_WIDTH(spec);
	u32 copied = n < STP_STRLEN ? n : STP_STRLEN;

	if (!s || !to || s->c.error || !bpf_memory_is_readable(s, address, n, user))
		return (int)at;
	STP_HIDE(copied);
	if (copied > STP_STRLEN || !bpf_read_memory(s->quoted.b, copied, address, user)) {
		bpf_memory_fault(s, address, user);
		return (int)at;
	}
	width = width > len ? width - len : 0;
	if (!(STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT))
		at = (u32)bpf_pad(to, at, ' ', width);
	if (hex)
		bpf_put_hex_text(to, at, &s->quoted, n);
	else
		bpf_put_memory_bytes(to, at, &s->quoted, n);
	at += len;
	return STP_SPEC_FLAGS(spec) & STP_FLAG_LEFT ? bpf_pad(to, at, ' ', width) : (int)at;
}
#define STP_TEXT_MEMORY(conv, flags, width, precision, v)			\
	at_ = (u32)bpf_put_memory_text(s_, to_, at_, (u64)(v),			\
		(bpf_spec(conv, flags, width, 0) | (u64)bpf_memory_size(precision) << 40))
#endif

#endif
