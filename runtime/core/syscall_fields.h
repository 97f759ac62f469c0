/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to syscall_structs.c and syscall_sized.c: tables of the fields of structures, and of names of values.
 */
#ifndef CORE_SYSCALL_FIELDS_H
#define CORE_SYSCALL_FIELDS_H

#include "syscall.h"

enum form {
	DEC, UNS, HEX,             /* signed, unsigned, hexadecimal */
	ADDR,                      /* an address, or NULL */
	SIG,                       /* a signal */
	LIMIT,                     /* a resource limit */
	OCT,                       /* a mode */
	NAMES,                     /* names of `more`, a struct stp_symbols */
	INNER,                     /* a structure, which `more` describes */
	TEXT,                      /* a string */
	PAIR,                      /* two numbers of 32 bits: [0x1, 0x2] */
	STRING,                    /* the address of a string */
	LIST,                      /* a name of `more`, a struct call_names, or a number */
	PARTS,                     /* fields of `more`, an array of struct stp_symbols, one for each value in it;
				    * the last one has flags */
	RELEASE,                   /* KERNEL_VERSION(6, 1, 0) */
	IF_FLAG,                   /* only bpf(): unsigned, shown if bit 2 of the flags at offset at32 is set */
	DATA,                      /* only bpf(): an address; the length is at offset at32 */
	LOG,                       /* only bpf(): an address to which the call writes text; the size is at offset
				    * at32 */
};
struct field {
	const char *name;          /* the text before the value: "{tv_sec=" */
	u8 at, size, at32, size32; /* offsets and sizes in bytes, in 64-bit and 32-bit processes */
	u8 form;
	const void *more;
};
struct structure { u8 n; const struct field *at; const char *end; };

#define FIELDS_UNTIL(name, end, ...)						\
	static const struct field name##_list[] = { __VA_ARGS__ };		\
	static const struct structure name##_fields =				\
		{ sizeof(name##_list) / sizeof(struct field), name##_list, end }
#define FIELDS(name, ...) FIELDS_UNTIL(name, "}", __VA_ARGS__)
#define SYMBOLS(set, field, ...)						\
	static const struct stp_symbol set##_names[] = { __VA_ARGS__ };		\
	static const struct stp_symbols set##_set =				\
		{ set##_names, sizeof(set##_names) / sizeof(struct stp_symbol), field }
#define NAMED(set, ...) SYMBOLS(set, 0, __VA_ARGS__)
#define VALUES(set, ...) SYMBOLS(set, ~0u, __VA_ARGS__)

/* Names of the values, starting at 0. */
struct call_names { const char *prefix; u32 n; const char *const *at; };
#define NUMBERED(set, prefix, ...)						\
	static const char *const set##_list[] = { __VA_ARGS__ };		\
	static const struct call_names set##_set =				\
		{ prefix, sizeof(set##_list) / sizeof(char *), set##_list }

void call_listed(struct call_text *t, const struct call_names *names, u64 v);
/* Writes the value of a field, which is at `from`. */
void call_field(struct call_text *t, const struct field *m, u64 from, u32 size);
/* Writes a value that is already loaded; signed values must be sign-extended. */
void call_field_value(struct call_text *t, const struct field *m, u64 v, u32 size);

#endif
