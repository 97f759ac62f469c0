/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of names that texts are looked up in, with the results of core/string.c: part of bpf_text.h. Context: a hit.
 */
#ifndef BPF_NAMES_H
#define BPF_NAMES_H

/* Returns the position of a byte, starting at a position; if it is not found, the position of the end. */
STP_GLOBAL_FUNCTION int bpf_seek(const struct stp_text *s, u32 from, u32 byte)
{
	u32 i;

	if (!s)
		return 0;
	for (i = 0; i < STP_STRLEN; i++)
		if (!bpf_byte(s, from + i) || bpf_byte(s, from + i) == (u8)byte)
			break;
	return (int)(from + i);
}

STP_GLOBAL_FUNCTION u64 bpf_number_at(const struct stp_text *s, u32 at)
{
	bool hex;
	u64 n = 0;
	u32 i;
	u8 byte;

	if (!s)
		return 0;
	hex = bpf_byte(s, at) == '0' && bpf_byte(s, at + 1) == 'x';
	at += hex ? 2 : 0;
	for (i = 0; i < 24; i++) {
		byte = bpf_byte(s, at + i);
		if (!byte || byte == ' ')
			break;
		n = n * (hex ? 16 : 10) + (byte <= '9' ? byte - '0' : byte - 'a' + 10);
	}
	return n;
}

#define STP_TABLE_ENTRIES (STP_STRLEN / 4 + 1)
STP_INLINE u32 bpf_next_entry(const struct stp_text *table, u32 at)
{
	u32 end = (u32)bpf_seek(table, at, ' ');

	return end + (bpf_byte(table, end) == ' ');
}

STP_GLOBAL_FUNCTION int bpf_name_of(struct stp_text *to, const struct stp_text *table, u64 n,
				    const struct stp_text *other)
{
	u32 at = 0, equal, i;

	if (!to || !table || !other)
		return 0;
	for (i = 0; i < STP_TABLE_ENTRIES; i++) {
		equal = (u32)bpf_seek(table, at, '=');
		if (!bpf_byte(table, equal)) {
			bpf_copy(to, other);
			return 0;
		}
		if (bpf_number_at(table, equal + 1) == n) {
			bpf_substr(to, table, at, equal - at);
			return 0;
		}
		at = bpf_next_entry(table, equal);
	}
	bpf_copy(to, other);
	return 0;
}
#define stp_name_of(c, to, table, n, other)					\
	((void)bpf_name_of((struct stp_text *)(to), STP_AS_TEXT(table), n, STP_AS_TEXT(other)))

/* Appends the name of an entry, which begins at the lower half of `at` and ends at the upper half. Returns the
 * position after it, or ~0 if it does not fit. */
STP_GLOBAL_FUNCTION u64 bpf_flag_name(struct stp_slot *s, struct stp_text *to, const struct stp_text *table, u64 at,
				      u32 used)
{
	u32 equal = (u32)(at >> 32), len = equal - (u32)at;

	if (!s || !to || !table)
		return used;
	if (used + len + 2 >= STP_STRLEN)
		return ~0ull;
	bpf_substr(&s->quoted, table, (u32)at, len);
	if (used)
		used = (u32)bpf_pad(to, used, '|', 1);
	return (u32)bpf_put_at(to, used, &s->quoted);
}

STP_GLOBAL_FUNCTION int bpf_flag_names(struct stp_slot *s, struct stp_text *to, const struct stp_text *table, u64 n)
{
	u32 at = 0, equal, i, used = 0;
	u64 flag, next;
	bool cut = false;

	if (!s || !to || !table)
		return 0;
	for (i = 0; i < STP_TABLE_ENTRIES; i++) {
		equal = (u32)bpf_seek(table, at, '=');
		if (!bpf_byte(table, equal))
			break;
		flag = bpf_number_at(table, equal + 1);
		if (flag && (n & flag) == flag) {
			next = bpf_flag_name(s, to, table, (u64)equal << 32 | at, used);
			if (next == ~0ull) {
				cut = true;
				break;
			}
			used = (u32)next;
			n &= ~flag;
		}
		at = bpf_next_entry(table, equal);
	}
	if (n && used && (cut || used + 20 >= STP_STRLEN)) {
		bpf_lose(STP_LOSS_STRINGS);
	} else if (n) {
		if (used)
			used = (u32)bpf_pad(to, used, '|', 1);
		used = (u32)bpf_put_number(to, used, n, bpf_spec('x', STP_FLAG_ALTERNATE, -1, -1));
	} else if (!used) {
		used = (u32)bpf_pad(to, 0, '0', 1);
	}
	bpf_end_at(to, used);
	return 0;
}
#define stp_flag_names(c, to, table, n)						\
	((void)bpf_flag_names(STP_SLOT(c), (struct stp_text *)(to), STP_AS_TEXT(table), n))

#endif
