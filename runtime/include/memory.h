/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of the probed code, and memory that may be invalid: a part of generated.h. */
#ifndef STP_MEMORY_H
#define STP_MEMORY_H

/* Registers have fixed offsets in pt_regs, which the translator knows. */
static inline u64 stp_reg(const struct stp_ctx *c, u32 offset)
{
	return *(const u64 *)((const char *)c->regs + offset);
}
/* Returns the register of a tracepoint's argument: for a narrower argument only its low bits are defined. */
static inline u64 stp_argument(const struct stp_ctx *c, u32 i)
{
	return c->arguments[i];
}
/* Returns the low 8 bytes of a user-mode vector register (xmm0, v0 ...), or st(0) of x87 as a double. */
u64 stp_vector_register(u32 n);
s64 stp_x87_top(void);
/* Changes a register of the probed code (guru mode). */
static inline void stp_set_reg(struct stp_ctx *c, u32 offset, s64 v)
{
	*(u64 *)((char *)c->regs + offset) = (u64)v;
}
/* Implements @kregister() and @uregister(), which scripts may also use in probes without registers (begin, timers). */
static inline u64 stp_any_reg(struct stp_ctx *c, u32 offset)
{
	if (STP_LIKELY(c->regs))
		return stp_reg(c, offset);
	stp_error(c, "registers are not available in this probe");
	return 0;
}
/* Fault-safe loads of 1 to 8 bytes, zero-extended; error "... fault at 0x..." */
u64 stp_load1(struct stp_ctx *c, u64 address);
u64 stp_load2(struct stp_ctx *c, u64 address);
u64 stp_load4(struct stp_ctx *c, u64 address);
u64 stp_load8(struct stp_ctx *c, u64 address);
/* Follows pointers of the kernel: loads 8 bytes at p + o1, then at the loaded value + o2, and so on. Offsets are at
 * most STP_FOLLOW_OFFSET. If a load faults, sets an error and returns its number, from 0. Only for modules. */
#define STP_FOLLOW_OFFSET 0xfff0
u64 stp_follow2(struct stp_ctx *c, u64 p, u64 o1, u64 o2);
u64 stp_follow3(struct stp_ctx *c, u64 p, u64 o1, u64 o2, u64 o3);
u64 stp_follow4(struct stp_ctx *c, u64 p, u64 o1, u64 o2, u64 o3, u64 o4);
u64 stp_uload1(struct stp_ctx *c, u64 address);            /* loads from the current process */
u64 stp_uload2(struct stp_ctx *c, u64 address);
u64 stp_uload4(struct stp_ctx *c, u64 address);
u64 stp_uload8(struct stp_ctx *c, u64 address);
/* Load the return address that a call pushed, even if return probes of this script replaced it (user_stack.c).
 * Modules that use them have the table of stp_user_stack_family. */
u64 stp_return_load4(struct stp_ctx *c, u64 address);
u64 stp_return_load8(struct stp_ctx *c, u64 address);
/* Returns the address of a variable of the probed program, from its link address. */
static inline u64 stp_user_static(struct stp_ctx *c, u64 address)
{
	return c->bias + address;
}
/* A variable of another program or library than the probed one. Its address in the current process is found by the
 * mapping of the code; returns 0 and sets an error if the file is not mapped there. Table of stp_mapped_family. */
struct stp_mapped {
	struct stp_program *program;
	u64 address, offset;       /* location of the code: link address, offset in the file */
};
extern const struct stp_family_ops stp_mapped_family;
u64 stp_mapped_static(struct stp_ctx *c, const struct stp_mapped *m, u64 address);
/* Convert a float, or a long double of x86 whose sign and exponent are the low bits of `high`, to the bits of the
 * same or the nearest double. */
s64 stp_widen_float(u64 f);
s64 stp_double_of_x87(u64 mantissa, u64 high);
/* Fault-safe stores of the low 1 to 8 bytes; error "... fault at 0x..." */
void stp_store1(struct stp_ctx *c, u64 address, s64 v);
void stp_store2(struct stp_ctx *c, u64 address, s64 v);
void stp_store4(struct stp_ctx *c, u64 address, s64 v);
void stp_store8(struct stp_ctx *c, u64 address, s64 v);
void stp_ustore1(struct stp_ctx *c, u64 address, s64 v);   /* stores to the current process */
void stp_ustore2(struct stp_ctx *c, u64 address, s64 v);
void stp_ustore4(struct stp_ctx *c, u64 address, s64 v);
void stp_ustore8(struct stp_ctx *c, u64 address, s64 v);
/* Extracts a bit-field of n bits that starts at bit `from` of the bytes around it. */
static inline s64 stp_bits(s64 bytes, u32 from, u32 n, bool is_signed)
{
	u64 high = (u64)bytes << (64 - from - n);

	return is_signed ? (s64)high >> (64 - n) : (s64)(high >> (64 - n));
}
static inline s64 stp_with_bits(s64 bytes, u32 from, u32 n, s64 v)
{
	u64 mask = (~0ull >> (64 - n)) << from;

	return (s64)(((u64)bytes & ~mask) | ((u64)v << from & mask));
}
/* Loads a terminated string, truncated to `size`. Returns false and sets an error on a fault. */
bool stp_load_string(struct stp_ctx *c, char *to, u64 address, u32 size);
bool stp_uload_string(struct stp_ctx *c, char *to, u64 address, u32 size);
/* Converts a terminated string of 2-byte (UTF-16) or 4-byte characters, of the current process or the kernel, to
 * UTF-8. Sets an error if it cannot be read or is invalid. */
void stp_wide_string(struct stp_ctx *c, char *to, u32 size, u64 address, u32 bytes, bool user);
#endif
