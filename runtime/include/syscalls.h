/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of generated.h: system calls, stp_syscall_family. c->arguments holds the six arguments, the number and, at
 * the return, the result. The functions format arguments as text; an argument that cannot be read is written as its
 * address. Context: a handler of this family.
 */
#ifndef STP_SYSCALLS_H
#define STP_SYSCALLS_H

enum stp_syscall_type {
#define TYPE(name, size, is_signed, shown) STP_ARG_##name,
#include "syscall_types.def"
#undef TYPE
};
struct stp_symbol { u64 value; const char *name; };
struct stp_symbols { const struct stp_symbol *at; u32 n; u32 field; /* bits that form one value instead of flags */ };
struct stp_syscall_arg {
	u8 type;                   /* enum stp_syscall_type */
	u8 at;                     /* index in c->arguments */
	u8 with;                   /* number of a related argument: length, count, command; 7: the call's result */
	bool written;              /* the call writes it: the address is shown at the entry and after an error */
	const struct stp_symbols *symbols;
};
struct stp_syscall_command {       /* the arguments that follow the command argument if its value is `value` */
	u64 value;
	u8 nargs;
	struct stp_syscall_arg args[5];
};
struct stp_syscall_meaning {       /* meaning of the result, if the command is `command` or any */
	u64 command;
	bool any, hex;             /* any: for any command; hex: the form of the number */
	const char *before;        /* text before the meaning */
	struct stp_syscall_arg meaning;
};
struct stp_syscall {
	const char *name;          /* value of the variable `name` in scripts */
	const char *kernel_name;
	const char *plain_name;    /* value of `name` if the flags are 0; or NULL */
	u8 flags;                  /* number of the argument with the flags */
	bool returns_address;
	u8 signed_longs;           /* bit n: argument n is sign-extended */
	u8 nargs;
	struct stp_syscall_arg args[6];
	u8 command;                /* number of the argument that selects one of the commands */
	u8 ncommands;
	u32 command_mask;          /* bits of the argument that contain the command */
	const struct stp_syscall_command *commands;
	u8 nmeanings;
	const struct stp_syscall_meaning *meanings;
};
enum { STP_SYSCALL_NUMBER = 6, STP_SYSCALL_RESULT = 7 };   /* indexes in c->arguments */
enum stp_syscall_part {            /* members of a struct sockaddr, utimbuf, ... */
	STP_PART_FAMILY, STP_PART_IP, STP_PART_PORT, STP_PART_FLOWINFO, STP_PART_SCOPE, STP_PART_ACTIME,
	STP_PART_MODTIME, STP_PART_PIPE0, STP_PART_PIPE1, STP_PART_STATUS, STP_PART_EVENTMSG,
	STP_PART_ARCH_PRCTL
};
const char *stp_syscall_name(struct stp_ctx *c);
const char *stp_syscall_kernel_name(struct stp_ctx *c);
void stp_syscall_arguments(struct stp_ctx *c, char *to, u32 size);           /* writes argstr */
/* Called at the entry of a call: writes argstr to c->call_text, where it is saved for the return. */
void stp_syscall_save(struct stp_ctx *c);
void stp_syscall_string(struct stp_ctx *c, char *to, u32 size, u64 address);      /* writes a string as in argstr */
void stp_syscall_text(struct stp_ctx *c, char *to, u32 size, s64 arg);       /* writes one argument as in argstr */
/* writes the result and its meaning; an empty text after an error, or if it is only a number */
void stp_syscall_result(struct stp_ctx *c, char *to, u32 size);
/* writes the string of the argument, without quotes */
void stp_syscall_unquoted(struct stp_ctx *c, char *to, u32 size, s64 arg);
/* returns whether the text is the address in the argument: at the entry, its memory could not be read */
bool stp_syscall_is_address(struct stp_ctx *c, const char *text, s64 arg);
void stp_syscall_part_text(struct stp_ctx *c, char *to, u32 size, s64 arg, s64 part);
s64 stp_syscall_part(struct stp_ctx *c, s64 arg, s64 part);
/* Guru mode: sets register `at` (an argument, the number, the result) to the value that the call or its caller
 * will read, or changes the string at the address in the register. */
void stp_syscall_set(struct stp_ctx *c, s64 at, s64 value);
void stp_syscall_set_string(struct stp_ctx *c, s64 at, const char *text);

extern const struct stp_family_ops stp_syscall_family;
#define STP_SYSCALL_ENTRIES 16             /* largest number of @entry() expressions of a probe */
struct stp_syscall_probe {
	const struct stp_probe *probe;
	const struct stp_syscall *call;    /* NULL: the handler uses neither name nor arguments */
	s32 number;                        /* -1: all calls for which this probe has no other entry */
	bool is_compat, is_return;
	bool arguments;                    /* the handler reads c->arguments or uses text */
	bool entry_late;                   /* entry reads only arguments, which are also available at the return */
	u16 entry_size;                    /* bytes per call for @entry() values; 0: none */
	u32 text;                          /* number of bytes of argstr that are saved at the entry; 0: the
					    * return does not read it */
	void (*entry)(struct stp_ctx *c);  /* fills c->entry; may be NULL */
};
/* Compact form of `n` rows that differ only in these numbers. row.probe is the first probe of the script. */
struct stp_syscall_number {
	u32 probe;                         /* index */
	u32 call;                          /* index in `calls` + 1; 0: none */
	s32 number;
	u32 is_compat;
};
struct stp_syscall_run {
	u32 n;
	const struct stp_syscall_number *numbers;
	const struct stp_syscall *const *calls;
	struct stp_syscall_probe row;
};

#endif
