/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of kernel types: part of bpf_program.h. The generated C declares a type for each member, with the
 * kernel's name followed by "___" and a number, which has only the members in the path. Clang writes relocations
 * for the numbers below, and libbpf replaces these by the values for the running kernel.
 */
#ifndef BPF_MEMBERS_H
#define BPF_MEMBERS_H

/* kinds of __builtin_preserve_field_info() and __builtin_preserve_type_info() */
enum { STP_INFO_OFFSET, STP_INFO_SIZE, STP_INFO_LEFT_SHIFT = 4, STP_INFO_RIGHT_SHIFT = 5 };
enum { STP_TYPE_INFO_SIZE = 1 };

/* Returns `size` bytes at the address, or 0. The verifier knows the size. */
STP_INLINE u64 bpf_cast_member(u64 address, u32 size)
{
	switch (size) {
	case 8: return STP_CAST(u64, address);
	case 4: return STP_CAST(u32, address);
	case 2: return STP_CAST(u16, address);
	case 1: return STP_CAST(u8, address);
	}
	return 0;
}

/* Loads `size` bytes, and extracts the member, a bit-field or a number of another size, by shifts. */
STP_INLINE u64 bpf_load_member(struct stp_ctx *c, u64 address, u32 size, u32 left, u32 right, bool is_signed)
{
	u64 v = 0;

	if (stp_casts)
		v = bpf_cast_member(address, size);
	if (!v && bpf_probe_read_kernel(&v, size, (void *)address)) {
		bpf_error(c, STP_BPF_FAULT, address);
		return 0;
	}
	v <<= left;
	return is_signed ? (u64)((s64)v >> right) : v >> right;
}

#define STP_INFO(number, type, path, kind)					\
	__builtin_preserve_field_info(((type##___##number *)0)->path, kind)
#define STP_MEMBER(number, where, type, path, ...)				\
	type##___##number __VA_ARGS__ __attribute__((__preserve_access_index__));	\
	STP_INLINE u64 bpf_offset_##number(void)				\
	{									\
		return STP_INFO(number, type, path, STP_INFO_OFFSET);		\
	}									\
	STP_INLINE u64 bpf_load_member_##number(struct stp_ctx *c, u64 address, bool is_signed)	\
	{									\
		return bpf_load_member(c, address, STP_INFO(number, type, path, STP_INFO_SIZE),	\
				       STP_INFO(number, type, path, STP_INFO_LEFT_SHIFT),	\
				       STP_INFO(number, type, path, STP_INFO_RIGHT_SHIFT), is_signed);	\
	}
#define STP_TYPE(number, where, type)						\
	type##___##number { char c; };						\
	STP_INLINE u64 bpf_offset_##number(void)				\
	{									\
		return __builtin_preserve_type_info(*(type##___##number *)0, STP_TYPE_INFO_SIZE);	\
	}
#define STP_OFFSET(number, value) ((s64)bpf_offset_##number())
#define STP_LOAD_MEMBER(c, number, address, is_signed, plain) ((s64)bpf_load_member_##number(c, address, is_signed))

#endif
