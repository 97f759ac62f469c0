/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variables of system call probes: argstr and single arguments, formatted as strace does. Generated tables
 * (struct stp_syscall) give the type of each argument; numbers, flags and strings are formatted here, structures in
 * syscall_args.c. An argument that cannot be read is shown as its address: nothing here raises an error. Context: a
 * handler's, in the process that made the call.
 */
#include "syscall.h"

static const struct { u8 size; bool is_signed; } types[] = {
#define TYPE(name, size, is_signed, shown) { size, is_signed },
#include "../include/syscall_types.def"
#undef TYPE
};

static const struct stp_syscall no_call = { .name = "", .long_size = 8 };

static struct call_text begin(struct stp_ctx *c, char *to, u32 size)
{
	return (struct call_text){ stp_sink_buffer(to, size), c, c->syscall ? c->syscall : &no_call, false };
}

void call_printf(struct call_text *t, const char *fmt, ...)
{
	stp_va_list ap;

	__builtin_va_start(ap, fmt);
	stp_vformat(&t->k, fmt, ap);
	__builtin_va_end(ap);
}

/* ------------------------------------------------------------------ the process's memory */

u64 call_load(struct call_text *t, u64 address, u32 size)
{
	struct stp_ctx *c = t->c;
	u64 v = size == 8 ? stp_uload8(c, address) : size == 4 ? stp_uload4(c, address) :
		size == 2 ? stp_uload2(c, address) : stp_uload1(c, address);

	if (STP_UNLIKELY(c->error)) {
		c->error = NULL;
		t->failed = true;
		return 0;
	}
	return v;
}

/* ------------------------------------------------------------------ strings */

static void put_escaped(struct call_text *t, u8 byte, u8 next)
{
	static const char named[] = "tnvfr";       /* escapes of bytes 9 to 13 */
	char text[4] = { '\\' };
	u32 n = 1;

	if (byte >= 9 && byte <= 13) {
		text[n++] = named[byte - 9];
	} else if (byte == '"' || byte == '\\') {
		text[n++] = (char)byte;
	} else if (byte >= ' ' && byte < 127) {
		text[0] = (char)byte;
	} else {
		/* as few digits as possible, given the next character */
		bool all = next >= '0' && next <= '9';

		if (all || byte >= 64)
			text[n++] = (char)('0' + (byte >> 6));
		if (all || byte >= 8)
			text[n++] = (char)('0' + (byte >> 3 & 7));
		text[n++] = (char)('0' + (byte & 7));
	}
	stp_sink_put(&t->k, text, n);
}

void call_bytes(struct call_text *t, u64 address, u64 n, u64 max)
{
	char *start = t->k.at;
	u64 shown = n < max ? n : max, i;
	u8 next;

	if (!address) {
		call_printf(t, "NULL");
		return;
	}
	next = shown ? (u8)call_load(t, address, 1) : 0;
	call_printf(t, "\"");
	for (i = 0; i < shown && !t->failed; i++) {
		u8 byte = next;

		next = i + 1 < shown ? (u8)call_load(t, address + i + 1, 1) : 0;
		put_escaped(t, byte, next);
	}
	call_printf(t, n > shown ? "\"..." : "\"");
	if (!t->failed)
		return;
	t->k.at = start;
	t->failed = false;
	call_address(t, address);
}

void call_string(struct call_text *t, u64 address)
{
	char *start = t->k.at;
	u8 byte, next;

	if (!address) {
		call_printf(t, "NULL");
		return;
	}
	call_printf(t, "\"");
	for (byte = (u8)call_load(t, address, 1); byte && !t->failed; byte = next) {
		next = (u8)call_load(t, ++address, 1);
		put_escaped(t, byte, next);
		if (t->k.end - t->k.at < 8)
			break;
	}
	call_printf(t, byte && !t->failed ? "\"..." : "\"");
	if (!t->failed)
		return;
	t->k.at = start;
	t->failed = false;
	call_address(t, address);
}

/* Writes ["ls", "-l"]; for envp, the number of strings. */
static void put_strings(struct call_text *t, u64 address, bool count_only)
{
	u64 n, at;

	if (!address || count_only)
		call_address(t, address);
	if (!address)
		return;
	call_printf(t, count_only ? "" : "[");
	for (n = 0; n < 4096; n++) {
		at = call_load_long(t, address + n * t->call->long_size);
		if (!at || t->failed)
			break;
		if (count_only)
			continue;
		if (n == CALL_ELEMENTS_SHOWN || t->k.end - t->k.at < 16) {
			call_printf(t, ", ...");
			break;
		}
		call_printf(t, n ? ", " : "");
		call_string(t, at);
	}
	t->failed = false;
	if (count_only)
		call_printf(t, " /* %llu vars */", n);
	else
		call_printf(t, "]");
}

/* ------------------------------------------------------------------ numbers */

void call_address(struct call_text *t, u64 address)
{
	if (address)
		call_printf(t, "0x%llx", address);
	else
		call_printf(t, "NULL");
}

void call_hex(struct call_text *t, u64 v)
{
	call_printf(t, v ? "0x%llx" : "0", v);
}

static const char *symbol(const struct stp_symbols *s, u64 v)
{
	u32 i;

	for (i = 0; i < s->n; i++)
		if (s->at[i].value == v)
			return s->at[i].name;
	return NULL;
}

void call_symbols(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	u64 field = s->field == ~0u ? ~0ull : s->field;
	const char *name = symbol(s, v & (field ? field : ~0ull)), *between = "";
	u32 i;

	if (name) {
		call_printf(t, "%s", name);
		between = "|";
		v &= field ? ~field : 0;
	} else if (!v || field == ~0ull) {
		call_hex(t, v);
		return;
	}
	for (i = 0; i < s->n && v; i++) {
		u64 bits = s->at[i].value;

		if (!bits || (bits & field) || (v & bits) != bits)
			continue;
		call_printf(t, "%s%s", between, s->at[i].name);
		between = "|";
		v &= ~bits;
	}
	if (v)
		call_printf(t, "%s0x%llx", between, v);
}

void call_signal(struct call_text *t, s64 sig)
{
	static const char *const names[] = {
		"", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
		"PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU",
		"XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
	};

	if (sig > 0 && sig < (s64)(sizeof(names) / sizeof(*names)))
		call_printf(t, "SIG%s", names[sig]);
	else if (sig == 32)
		call_printf(t, "SIGRTMIN");
	else if (sig > 32 && sig <= 64)
		call_printf(t, "SIGRT_%lld", sig - 32);
	else
		call_printf(t, "%lld", sig);
}

/* A clock ID, or that of a process. */
static void put_clock(struct call_text *t, const struct stp_symbols *s, s64 v)
{
	if (v < 0)
		call_printf(t, "0x%llx", (u64)(u32)v);
	else
		call_symbols(t, s, (u64)v);
}

static void put_dev(struct call_text *t, u64 v)
{
	call_printf(t, "makedev(0x%llx, 0x%llx)", v >> 8 & 0xfff, (v & 0xff) | (v >> 12 & 0xfff00));
}

u64 call_value(const struct call_text *t, u32 arg)
{
	const struct stp_syscall_arg *a = &t->call->args[arg];
	u64 v = t->c->arguments[a->at];
	u32 size = types[a->type].size;

	if (a->type == STP_ARG_pair)
		return (u64)t->c->arguments[a->at + 1] << 32 | (u32)v;
	if (size == 4)
		return types[a->type].is_signed ? (u64)(s64)(s32)v : (u32)v;
	if (size == 2)
		return types[a->type].is_signed ? (u64)(s64)(s16)v : (u16)v;
	return v;
}

/* ------------------------------------------------------------------ arguments */

static void put_fcntl(struct call_text *t, u64 command, u64 v)
{
	static const struct stp_symbol status[] = {
		{ 0, "O_RDONLY" }, { 1, "O_WRONLY" }, { 2, "O_RDWR" }, { 02000, "O_APPEND" }, { 04000, "O_NONBLOCK" },
		{ 04010000, "O_SYNC" }, { 010000, "O_DSYNC" }, { 020000, "O_ASYNC" }, { 040000, "O_DIRECT" },
		{ 0100000, "O_LARGEFILE" }, { 01000000, "O_NOATIME" },
	};
	static const struct stp_symbols status_set = { status, sizeof(status) / sizeof(*status), 3 };

	if (command == 2)
		call_printf(t, v & 1 ? "FD_CLOEXEC" : "0");
	else if (command == 4)
		call_symbols(t, &status_set, v);
	else if (command == 0 || command == 1030 || command == 8 || command == 1031 || command == 10)
		call_printf(t, "%lld", (s64)(s32)v);
	else
		call_printf(t, "0x%llx", v);
}

/* The bits without a name are printed in octal: IPC_CREAT|0666. */
static void put_ipc_flags(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	if (v & ~0777ull)
		call_symbols(t, s, v & ~0777ull);
	call_printf(t, v & ~0777ull ? "|0%02llo" : "0%02llo", v & 0777);
}

static void put_mode_type(struct call_text *t, u64 v)
{
	static const char *const names[] = {
		[1] = "S_IFIFO", [2] = "S_IFCHR", [4] = "S_IFDIR", [6] = "S_IFBLK", [8] = "S_IFREG",
		[10] = "S_IFLNK", [12] = "S_IFSOCK",
	};
	const char *name = (v >> 12) < sizeof(names) / sizeof(*names) ? names[v >> 12] : NULL;

	if (name)
		call_printf(t, "%s|0%02llo", name, v & 07777);
	else
		call_printf(t, "0%02llo", v);
}

/* Returns true if this futex operation uses the argument. The fourth argument has two forms. */
static bool futex_wants(u64 op, u32 arg)
{
	static const u8 reads[] = {                /* bit n: argument n, from the fourth on */
		[0] = 1 << 3, [3] = 1 << 3 | 1 << 4, [4] = 7 << 3, [5] = 7 << 3, [6] = 1 << 3, [9] = 1 << 3 | 1 << 5,
		[10] = 1 << 5, [11] = 7 << 3, [12] = 7 << 3, [13] = 1 << 3,
	};

	op &= 0x7f;
	return arg < 3 ? arg < 2 || (op != 6 && op != 7 && op != 8) : op < sizeof(reads) ? reads[op] >> arg & 1 : true;
}

/* Returns true if the fourth argument is a time, otherwise it is a number. */
static bool futex_waits(u64 op)
{
	op &= 0x7f;
	return op == 0 || op == 6 || op == 9 || op == 11 || op == 13;
}

static bool put_number(struct call_text *t, const struct stp_syscall_arg *a, u64 v)
{
	switch (a->type) {
	case STP_ARG_int: case STP_ARG_fd: case STP_ARG_uid: case STP_ARG_uid16: case STP_ARG_long:
	case STP_ARG_pair: case STP_ARG_futexval:
		call_printf(t, "%lld", (s64)v);
		return true;
	case STP_ARG_uint: case STP_ARG_ulong:
		call_printf(t, "%llu", v);
		return true;
	case STP_ARG_hex: case STP_ARG_xint: case STP_ARG_futexval3: case STP_ARG_prctl:
		call_hex(t, v);
		return true;
	case STP_ARG_mode: case STP_ARG_omode:
		call_printf(t, "0%02llo", v);
		return true;
	case STP_ARG_dev: case STP_ARG_devof:
		put_dev(t, v);
		return true;
	default:
		return false;
	}
}

static bool put_named(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 with)
{
	switch (a->type) {
	case STP_ARG_at: call_printf(t, (s32)v == -100 ? "AT_FDCWD" : "%lld", (s64)v); return true;
	case STP_ARG_sig: call_signal(t, (s64)v); return true;
	case STP_ARG_flags: case STP_ARG_xflags: call_symbols(t, a->symbols, (u32)v); return true;
	case STP_ARG_uflags: case STP_ARG_lflags: call_symbols(t, a->symbols, v); return true;
	case STP_ARG_ipcflags: put_ipc_flags(t, a->symbols, (u32)v); return true;
	case STP_ARG_clockid: put_clock(t, a->symbols, (s64)v); return true;
	case STP_ARG_modetype: put_mode_type(t, v); return true;
	case STP_ARG_fcntl: put_fcntl(t, with, v); return true;
	case STP_ARG_handler: call_printf(t, v == 0 ? "SIG_DFL" : v == 1 ? "SIG_IGN" : "0x%llx", v); return true;
	case STP_ARG_sockopt:
		if (with == 1)
			call_symbols(t, a->symbols, (u32)v);
		else
			call_hex(t, (u32)v);
		return true;
	default:
		return false;
	}
}

static bool put_text(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 with)
{
	switch (a->type) {
	case STP_ARG_str: call_string(t, v); return true;
	case STP_ARG_buf: call_bytes(t, v, with, CALL_BYTES_SHOWN); return true;
	case STP_ARG_argv: case STP_ARG_envp: put_strings(t, v, a->type == STP_ARG_envp); return true;
	default: return false;
	}
}

/* Writes the data that an argument points to, or the address if it cannot be read. */
static void put_pointer(struct call_text *t, u32 i, u64 v)
{
	char *start = t->k.at;

	if (v || t->call->args[i].type == STP_ARG_sigset4) {
		call_structure(t, i, v);
		if (!t->failed)
			return;
		t->k.at = start;
		t->failed = false;
	}
	call_address(t, v);
}

static void put_arg(struct call_text *t, u32 i)
{
	const struct stp_syscall_arg *a = &t->call->args[i];
	u64 v = call_value(t, i);
	u64 with = a->with < t->call->nargs ? call_value(t, a->with) : 0;

	if (put_number(t, a, v) || put_named(t, a, v, with) || put_text(t, a, v, with))
		return;
	if ((a->type == STP_ARG_semarg && (with & 0xff) == 16) ||
	    (a->type == STP_ARG_futextime && !futex_waits(with)))
		call_printf(t, "%lld", (s64)(s32)v);
	else
		put_pointer(t, i, v);
}

/* Returns how many arguments follow the option of a prctl(), for options that are known here. */
static u32 prctl_reads(u64 option)
{
	static const u8 none[] = { 3, 7, 13, 21, 27, 30, 31, 32, 34 };
	u32 i;

	for (i = 0; i < sizeof(none); i++)
		if (option == none[i])
			return 0;
	return option < 39 && option != 22 && option != 33 && option != 35 && option != 38 ? 1 : 4;
}

static bool wants(const struct call_text *t, u32 i)
{
	const struct stp_syscall_arg *a = &t->call->args[i];
	u64 with = a->with < t->call->nargs ? call_value(t, a->with) : 0;

	switch (a->type) {
	case STP_ARG_skip:
		return false;
	case STP_ARG_prctl:
		return i <= prctl_reads(with);
	case STP_ARG_mremap:
		return with & 2;
	case STP_ARG_devof:
		return (with & 0170000) == 0020000 || (with & 0170000) == 0060000;
	case STP_ARG_omode: case STP_ARG_mqattr:
		return (with & 0100) || (with & 020000000);        /* O_CREAT, O_TMPFILE */
	case STP_ARG_futexval: case STP_ARG_futextime: case STP_ARG_futexaddr: case STP_ARG_futexval3:
		return futex_wants(with, i);
	case STP_ARG_fcntl:
		return with != 1 && with != 3 && with != 9 && with != 11 && with != 1025 && with != 1032 && with != 1034;
	default:
		return true;
	}
}

/* ------------------------------------------------------------------ functions for handlers */

const char *stp_syscall_name(struct stp_ctx *c)
{
	return c->syscall ? c->syscall->name : "";
}

void stp_syscall_arguments(struct stp_ctx *c, char *to, u32 size)
{
	struct call_text t = begin(c, to, size);
	const char *between = "";
	u32 i;

	for (i = 0; i < t.call->nargs; i++) {
		if (!wants(&t, i))
			continue;
		call_printf(&t, "%s", between);
		between = ", ";
		put_arg(&t, i);
	}
	stp_sink_close(&t.k);
}

void stp_syscall_text(struct stp_ctx *c, char *to, u32 size, s64 arg)
{
	struct call_text t = begin(c, to, size);

	if ((u64)arg < t.call->nargs)
		put_arg(&t, (u32)arg);
	stp_sink_close(&t.k);
}

void stp_syscall_unquoted(struct stp_ctx *c, char *to, u32 size, s64 arg)
{
	struct call_text t = begin(c, to, size);
	u64 v;

	to[0] = 0;
	if ((u64)arg >= t.call->nargs)
		return;
	v = call_value(&t, (u32)arg);
	if (v && stp_uload_string(c, to, v, size))
		return;
	c->error = NULL;
	call_address(&t, v);
	stp_sink_close(&t.k);
}

void stp_syscall_part_text(struct stp_ctx *c, char *to, u32 size, s64 arg, s64 part)
{
	struct call_text t = begin(c, to, size);
	const struct stp_syscall_arg *a;
	u64 status;

	to[0] = 0;
	if ((u64)arg >= t.call->nargs)
		return;
	a = &t.call->args[arg];
	if (part != STP_PART_STATUS) {
		call_socket_part(&t, call_value(&t, (u32)arg), call_value(&t, a->with), (u32)part);
	} else {
		status = call_load(&t, call_value(&t, (u32)arg), 4);
		if (t.failed || (s64)c->arguments[STP_SYSCALL_RESULT] <= 0)
			call_address(&t, call_value(&t, (u32)arg));
		else if (!(status & 0x7f))
			call_printf(&t, "[{WIFEXITED(s) && WEXITSTATUS(s) == %llu}]", status >> 8 & 0xff);
		else if ((status & 0xff) == 0x7f)
			call_printf(&t, "[{WIFSTOPPED(s) && WSTOPSIG(s) == %llu}]", status >> 8 & 0xff);
		else
			call_printf(&t, "[{WIFSIGNALED(s) && WTERMSIG(s) == %llu}]", status & 0x7f);
	}
	stp_sink_close(&t.k);
}

/* Returns 0 if it cannot be read. */
s64 stp_syscall_part(struct stp_ctx *c, s64 arg, s64 part)
{
	char none[1];
	struct call_text t = begin(c, none, sizeof(none));
	u64 v;

	if ((u64)arg >= t.call->nargs)
		return 0;
	v = call_value(&t, (u32)arg);
	switch (part) {
	case STP_PART_ACTIME: return (s64)call_load_long(&t, v);
	case STP_PART_MODTIME: return (s64)call_load_long(&t, v + t.call->long_size);
	case STP_PART_PIPE0: return call_load_signed(&t, v, 4);
	case STP_PART_PIPE1: return call_load_signed(&t, v + 4, 4);
	case STP_PART_EVENTMSG: case STP_PART_ARCH_PRCTL: return (s64)call_load_long(&t, v);
	default: return 0;
	}
}
