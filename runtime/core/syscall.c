/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variables of system call probes: argstr and single arguments, formatted as strace does. Generated tables
 * (struct stp_syscall) give the type of each argument; numbers, flags and strings are formatted here, structures in
 * syscall_args.c. An argument that cannot be read is written as its address: no function here raises an error.
 * Context: a handler's, in the process that made the call.
 */
#include "syscall.h"

static const struct { u8 size; bool is_signed; } types[] = {
#define TYPE(name, size, is_signed, shown) { size, is_signed },
#include "../include/syscall_types.def"
#undef TYPE
};

static const struct stp_syscall no_call = { .name = "", .kernel_name = "" };

static void begin(struct call_text *t, struct stp_ctx *c, char *to, u32 size)
{
	const struct stp_syscall *call = c->syscall ? c->syscall : &no_call;
	u32 i;

	*t = (struct call_text){ stp_sink_buffer(to, size), to + size, c, call, c->compat_call ? 4 : 8 };
	stp_charge(c, (u64)(call->nargs + call->ncommands) * STP_WORK_PARAMETER);
	for (i = 0; i < call->ncommands; i++)
		if (call->commands[i].value == (call_value(t, call->command) & call->command_mask))
			t->command = &call->commands[i];
}

u32 call_nargs(const struct call_text *t)
{
	return t->command ? t->call->command + 1u + t->command->nargs : t->call->nargs;
}

const struct stp_syscall_arg *call_arg(const struct call_text *t, u32 i)
{
	return t->command && i > t->call->command ? &t->command->args[i - t->call->command - 1] : &t->call->args[i];
}

bool call_returned(const struct call_text *t)
{
	s64 result = (s64)t->c->arguments[STP_SYSCALL_RESULT];

	return t->c->call_text && !t->saving && (result >= 0 || result < -4095);
}

/* ------------------------------------------------------------------ numbers with names */

/* Writes the name of a clock; a negative ID is the clock of a process. */
static void put_clock(struct call_text *t, const struct stp_symbols *s, s64 v)
{
	if (v < 0)
		call_hex_number(t, (u64)(u32)v);
	else
		call_symbols(t, s, (u64)v);
}

/* Writes a number, or its name if it has one. */
static void put_key(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	const char *name = s ? call_symbol(s, (u32)v) : NULL;

	if (name)
		call_put(t, name);
	else
		call_decimal(t, (s64)v);
}

void call_dev(struct call_text *t, u64 v)
{
	call_pair(t, "makedev(", v >> 8 & 0xfff, (v & 0xff) | (v >> 12 & 0xfff00));
	call_put(t, ")");
}

u64 call_with(const struct call_text *t, const struct stp_syscall_arg *a)
{
	if (a->with == STP_SYSCALL_RESULT)
		return t->c->arguments[STP_SYSCALL_RESULT];
	return a->with < call_nargs(t) ? call_value(t, a->with) : 0;
}

static inline u64 value_of(const struct call_text *t, const struct stp_syscall_arg *a)
{
	u64 v = t->c->arguments[a->at];
	u32 size = types[a->type].size;

	if (a->type == STP_ARG_pair || a->type == STP_ARG_pairflags)
		return (u64)t->c->arguments[a->at + 1] << 32 | (u32)v;
	if (size == 4)
		return types[a->type].is_signed ? (u64)(s64)(s32)v : (u32)v;
	if (size == 2)
		return types[a->type].is_signed ? (u64)(s64)(s16)v : (u16)v;
	return v;
}

u64 call_value(const struct call_text *t, u32 arg)
{
	return value_of(t, call_arg(t, arg));
}

/* ------------------------------------------------------------------ arguments */

/* Writes flags; bits without a name are in octal: IPC_CREAT|0666. */
static void put_ipc_flags(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	if (v & ~0777ull)
		call_symbols(t, s, v & ~0777ull);
	call_printf(t, v & ~0777ull ? "|0%02llo" : "0%02llo", v & 0777);
}

/* The address family determines the names of protocols. */
static void put_protocol(struct call_text *t, const struct stp_symbols *s, u64 v, u64 family)
{
	static const char *const netlink[] = {
		"ROUTE", "UNUSED", "USERSOCK", "FIREWALL", "SOCK_DIAG", "NFLOG", "XFRM", "SELINUX", "ISCSI", "AUDIT",
		"FIB_LOOKUP", "CONNECTOR", "NETFILTER", "IP6_FW", "DNRTMSG", "KOBJECT_UEVENT", "GENERIC", NULL,
		"SCSITRANSPORT", "ECRYPTFS", "RDMA", "CRYPTO", "SMC",
	};

	if (family == 2 || family == 10)           /* AF_INET, AF_INET6 */
		call_symbols(t, s, (u32)v);
	else if (family == 17)
		call_ethernet(t, v);
	else if (family == 16 && v < sizeof(netlink) / sizeof(*netlink) && netlink[v])
		call_printf(t, "NETLINK_%s", netlink[v]);
	else
		call_printf(t, family == 16 ? "0x%llx" : "%llu", v & 0xffffffff);
}

/* Writes the name of an option of getsockopt() at this level; options of SOL_SOCKET are symbols. */
static void put_option_name(struct call_text *t, const struct stp_symbols *s, u64 v, u64 level)
{
	static const char *const ip[] = {
		[1] = "TOS", [2] = "TTL", [3] = "HDRINCL", [4] = "OPTIONS", [6] = "RECVOPTS", [7] = "RETOPTS",
		[8] = "PKTINFO", [10] = "MTU_DISCOVER", [11] = "RECVERR", [12] = "RECVTTL", [13] = "RECVTOS",
		[14] = "MTU", [15] = "FREEBIND", [19] = "TRANSPARENT", [24] = "BIND_ADDRESS_NO_PORT",
		[32] = "MULTICAST_IF", [33] = "MULTICAST_TTL", [34] = "MULTICAST_LOOP", [35] = "ADD_MEMBERSHIP",
		[36] = "DROP_MEMBERSHIP",
	};
	static const char *const tcp[] = {
		[1] = "NODELAY", [2] = "MAXSEG", [3] = "CORK", [4] = "KEEPIDLE", [5] = "KEEPINTVL", [6] = "KEEPCNT",
		[7] = "SYNCNT", [8] = "LINGER2", [9] = "DEFER_ACCEPT", [10] = "WINDOW_CLAMP", [11] = "INFO",
		[12] = "QUICKACK", [13] = "CONGESTION", [14] = "MD5SIG", [18] = "USER_TIMEOUT", [19] = "REPAIR",
		[23] = "FASTOPEN", [24] = "TIMESTAMP", [25] = "NOTSENT_LOWAT", [30] = "FASTOPEN_CONNECT", [31] = "ULP",
	};
	static const char *const ipv6[] = {
		[16] = "UNICAST_HOPS", [17] = "MULTICAST_IF", [18] = "MULTICAST_HOPS", [19] = "MULTICAST_LOOP",
		[20] = "ADD_MEMBERSHIP", [21] = "DROP_MEMBERSHIP", [23] = "MTU_DISCOVER", [24] = "MTU",
		[25] = "RECVERR", [26] = "V6ONLY", [49] = "RECVPKTINFO", [50] = "PKTINFO", [67] = "TCLASS",
	};
	static const struct { u16 level, n; const char *const *names, *prefix; } all[] = {
		{ 0, sizeof(ip) / sizeof(*ip), ip, "IP_" }, { 6, sizeof(tcp) / sizeof(*tcp), tcp, "TCP_" },
		{ 41, sizeof(ipv6) / sizeof(*ipv6), ipv6, "IPV6_" },
	};
	u32 i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (all[i].level == level && v < all[i].n && all[i].names[v]) {
			call_printf(t, "%s%s", all[i].prefix, all[i].names[v]);
			return;
		}
	}
	if (level == 1)            /* SOL_SOCKET */
		call_symbols(t, s, v);
	else
		call_hex(t, v);
}

/* Writes the request of an ioctl(): its name, or, if that is unknown, its fields. */
static void put_request(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE" };
	const char *name = call_symbol(s, v);

	if (name)
		call_put(t, name);
	else
		call_printf(t, "_IOC(%s", directions[v >> 30 & 3]);
	if (name)
		return;
	call_pair(t, ", ", v >> 8 & 255, v & 255);
	call_put(t, ", ");
	call_hex(t, v >> 16 & 0x3fff);
	call_put(t, ")");
}

static void put_quota_command(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	static const char *const types[] = { "USRQUOTA", "GRPQUOTA", "PRJQUOTA" };

	call_put(t, "QCMD(");
	call_symbols(t, s, v >> 8);
	if ((v & 0xff) < 3)
		call_printf(t, ", %s)", types[v & 0xff]);
	else
		call_printf(t, ", 0x%llx)", v & 0xff);
}

static void put_priority(struct call_text *t, u64 v)
{
	static const char *const classes[] = { "NONE", "RT", "BE", "IDLE" };

	if ((v & 0xffff) >> 13 < 4 && !(v >> 16))
		call_printf(t, "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_%s, %llu)", classes[v >> 13 & 3], v & 0x1fff);
	else
		call_printf(t, "IOPRIO_PRIO_VALUE(0x%llx, %llu)", v >> 13, v & 0x1fff);
}

/* The kernel ignores MS_MGC_VAL, which older programs set. */
static void put_mount_flags(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	bool magic = (v & 0xffff0000) == 0xc0ed0000;

	v &= magic ? ~0xffff0000ull : ~0ull;
	call_printf(t, magic ? v ? "MS_MGC_VAL|" : "MS_MGC_VAL" : "");
	if (v || !magic)
		call_symbols(t, s, v);
}

/* The low bits are a priority. */
static void put_swap_flags(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	if (v & ~0x7fffull) {
		call_symbols(t, s, v & ~0x7fffull);
		call_put(t, "|");
	}
	call_unsigned(t, v & 0x7fff);
}

/* The upper half is an ELF machine. */
static void put_kexec_flags(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	static const struct { u16 machine; const char *name; } all[] = {
		{ 0, "DEFAULT" }, { 3, "386" }, { 4, "68K" }, { 8, "MIPS" }, { 15, "PARISC" }, { 20, "PPC" },
		{ 21, "PPC64" }, { 22, "S390" }, { 40, "ARM" }, { 42, "SH" }, { 50, "IA_64" }, { 62, "X86_64" },
		{ 183, "AARCH64" }, { 243, "RISCV" }, { 258, "LOONGARCH" },
	};
	u32 i;

	if (v & ~0xffff0000ull) {
		call_symbols(t, s, v & ~0xffff0000ull);
		call_put(t, "|");
	}
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (all[i].machine == (v >> 16 & 0xffff)) {
			call_printf(t, "KEXEC_ARCH_%s", all[i].name);
			return;
		}
	}
	call_hex_number(t, v & 0xffff0000);
}

/* The lowest byte is the signal that the parent gets when the child exits. */
static void put_clone_flags(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	if (v & ~0xffull)
		call_symbols(t, s, v & ~0xffull);
	if (v & ~0xffull && v & 0xff)
		call_put(t, "|");
	if (v & 0xff || !v)
		call_signal(t, (s64)(v & 0xff));
}

static void put_futex_op(struct call_text *t, u64 v)
{
	static const char *const ops[] = { "SET", "ADD", "OR", "ANDN", "XOR" };
	static const char *const compares[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
	u64 op = v >> 28 & 7, compare = v >> 24 & 15;

	call_put(t, v >> 31 & 1 ? "FUTEX_OP_OPARG_SHIFT<<28|" : "");
	if (op < 5)
		call_printf(t, "FUTEX_OP_%s<<28|0x%llx<<12|", ops[op], v >> 12 & 0xfff);
	else
		call_printf(t, "0x%llx<<28|0x%llx<<12|", op, v >> 12 & 0xfff);
	if (compare < 6)
		call_printf(t, "FUTEX_OP_CMP_%s<<24|", compares[compare]);
	else
		call_printf(t, "0x%llx<<24|", compare);
	call_hex_number(t, v & 0xfff);
}

static bool put_number(struct call_text *t, const struct stp_syscall_arg *a, u64 v)
{
	switch (a->type) {
	case STP_ARG_int: case STP_ARG_fd: case STP_ARG_long: case STP_ARG_pair: case STP_ARG_intif:
		call_decimal(t, (s64)v);
		return true;
	case STP_ARG_uid:
		call_decimal(t, (u32)v == ~0u ? -1ll : (s64)(u32)v);
		return true;
	case STP_ARG_uid16:
		call_decimal(t, (u16)v == 0xffff ? -1ll : (s64)(u16)v);
		return true;
	case STP_ARG_uint: case STP_ARG_ulong:
		call_unsigned(t, v);
		return true;
	case STP_ARG_hex: case STP_ARG_xint:
		call_hex(t, v);
		return true;
	case STP_ARG_register:
		call_register(t, v);
		return true;
	case STP_ARG_pages:
		call_hex(t, v << 12);
		return true;
	case STP_ARG_mode: case STP_ARG_omode:
		call_printf(t, "0%02llo", v);
		return true;
	case STP_ARG_dev: case STP_ARG_devof:
		call_dev(t, v);
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
	case STP_ARG_modetype: call_mode(t, v); return true;
	case STP_ARG_pairflags: call_symbols(t, a->symbols, v); return true;
	case STP_ARG_ioctl: put_request(t, a->symbols, v); return true;
	case STP_ARG_qcmd: put_quota_command(t, a->symbols, v); return true;
	case STP_ARG_ioprio: put_priority(t, (u32)v); return true;
	case STP_ARG_mountflags: put_mount_flags(t, a->symbols, v); return true;
	case STP_ARG_swapflags: put_swap_flags(t, a->symbols, v); return true;
	case STP_ARG_kexec: put_kexec_flags(t, a->symbols, v); return true;
	case STP_ARG_cloneflags: put_clone_flags(t, a->symbols, v); return true;
	case STP_ARG_futexop: put_futex_op(t, v); return true;
	case STP_ARG_key: put_key(t, a->symbols, v); return true;
	case STP_ARG_handler: call_printf(t, v == 0 ? "SIG_DFL" : v == 1 ? "SIG_IGN" : "0x%llx", v); return true;
	case STP_ARG_protocol: put_protocol(t, a->symbols, v, with); return true;
	case STP_ARG_sockopt:
		put_option_name(t, a->symbols, (u32)v, with);
		return true;
	case STP_ARG_kcmpidx:
		if (with < 8)
			call_decimal(t, (s64)v);
		else
			call_hex(t, v);
		return true;
	case STP_ARG_flags1: case STP_ARG_ambient:
		if (a->type == STP_ARG_flags1 ? with == 1 : with >= 1 && with <= 3)
			call_symbols(t, a->symbols, (u32)v);
		else
			call_hex(t, (u32)v);
		return true;
	default:
		return false;
	}
}

/* Writes a result, "0x2 (NAME)"; the number alone if it has no name. */
static void put_meaning(struct call_text *t, const struct stp_syscall_meaning *m, u64 v)
{
	char *number_end, *name;

	call_printf(t, m->hex && v ? "0x%llx" : "%llu", v);
	number_end = t->k.at;
	call_printf(t, " (%s", m->before);
	name = t->k.at;
	put_named(t, &m->meaning, v, 0);
	if (name < t->k.at && *name >= '0' && *name <= '9')
		t->k.at = number_end;
	else
		call_put(t, ")");
}

static bool put_text(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 with)
{
	switch (a->type) {
	case STP_ARG_str: call_string(t, v); return true;
	case STP_ARG_buf: call_bytes(t, v, with, CALL_BYTES_SHOWN); return true;
	case STP_ARG_bufstr:
		call_bytes(t, v, with - (with && !call_load(t, v + with - 1, 1)), CALL_BYTES_SHOWN);
		return true;
	case STP_ARG_hexbuf: call_hex_bytes(t, v, with, CALL_BYTES_SHOWN); return true;
	case STP_ARG_argv: case STP_ARG_envp: call_strings(t, v, a->type == STP_ARG_envp); return true;
	default: return false;
	}
}

/* Writes the data at the address in an argument, or the address if it cannot be read. */
static void put_pointer(struct call_text *t, u32 i, u64 v)
{
	char *start = t->k.at;

	if (v || call_arg(t, i)->type == STP_ARG_sigset4) {
		t->share = start + (t->k.end - start) / 3;
		call_structure(t, i, v);
		if (!t->failed)
			return;
		t->k.at = start;
		t->failed = false;
	}
	call_address(t, v);
}

/* i: the number of argument a. */
static inline void put_input(struct call_text *t, u32 i, const struct stp_syscall_arg *a)
{
	u64 v = value_of(t, a), with;

	if (put_number(t, a, v))
		return;
	with = call_with(t, a);
	/* The result may be the size that the call would have needed. */
	if (a->with == STP_SYSCALL_RESULT && (a->type == STP_ARG_buf || a->type == STP_ARG_bufstr) &&
	    with > call_value(t, i + 1))
		with = call_value(t, i + 1);
	if (!put_named(t, a, v, with) && !put_text(t, a, v, with))
		put_pointer(t, i, v);
}

/*
 * For a return probe, argstr is saved at the entry. An argument that the call writes is saved as a mark: the byte
 * MARK + its index, its number at the entry in decimal if the return needs it, CALL_MARK_END. Text does not contain
 * these bytes, since strings are escaped. call_written() and clone3() save other marks.
 */
enum { MARK = 1 };

static void put_mark(struct call_text *t, u32 i)
{
	const struct stp_syscall_arg *a = call_arg(t, i);
	u64 v = call_value(t, i), before = 0;

	call_printf(t, "%c", (int)(MARK + i));
	if (v && call_before(t, a, v, &before))
		call_unsigned(t, before);
	t->failed = false;
	call_printf(t, "%c", CALL_MARK_END);
}

/* Saves the text of an argument. If something cannot be read, a mark is saved instead: CALL_MARK_UNREAD, MARK + the
 * index, the value in decimal, CALL_MARK_END. The call itself makes the memory resident, so that the return can read
 * it. */
static void put_input_to_save(struct call_text *t, u32 i, const struct stp_syscall_arg *a)
{
	char *start = t->k.at;

	t->unread = false;
	put_input(t, i, a);
	if (!t->unread)
		return;
	t->k.at = start;
	call_printf(t, "%c%c%llu%c", CALL_MARK_UNREAD, (int)(MARK + i), value_of(t, a), CALL_MARK_END);
}

static void put_arg(struct call_text *t, u32 i, const struct stp_syscall_arg *a)
{
	if (a->written && t->saving)
		put_mark(t, i);
	else if (a->written && !call_returned(t) && !call_shown_always(t, a->type))
		call_address(t, value_of(t, a));
	else if (t->saving)
		put_input_to_save(t, i, a);
	else
		put_input(t, i, a);
}

/* Replaces a mark of put_input_to_save(); returns the text after it. After execve(), the memory is another one: its
 * registers are, too. */
static const char *put_unread(struct call_text *t, const char *text)
{
	u32 i = (u32)(u8)*++text - MARK;
	u64 v;

	text += *text != 0;
	v = call_mark_number(&text);
	if (*text != CALL_MARK_END)            /* the text was truncated */
		return text;
	if (i < call_nargs(t) && call_value(t, i) == v)
		put_input(t, i, call_arg(t, i));
	else
		call_address(t, v);
	return text + 1;
}

/* Replaces the marks in a text. A mark is omitted if the call's command has changed since the entry, so that its
 * argument does not exist any more. */
static void put_saved(struct call_text *t, const char *text)
{
	while (*text && stp_charge(t->c, STP_WORK_ESCAPE)) {
		const char *from = text;
		u32 i;

		while ((u8)*text > CALL_MARK_UNREAD)
			text++;
		if (text > from) {
			stp_sink_put(&t->k, from, (u64)(text - from));
			continue;
		}
		if (*text == CALL_MARK_UNREAD) {
			text = put_unread(t, text);
			continue;
		}
		if (*text == CALL_MARK_WRITTEN || *text == CALL_MARK_CLONED) {
			text = *text == CALL_MARK_CLONED ? call_saved_cloned(t, text) : call_saved_written(t, text);
			continue;
		}
		i = (u32)(u8)*text++ - MARK;
		t->has_before = *text >= '0' && *text <= '9';
		t->before = call_mark_number(&text);
		text += *text == CALL_MARK_END;         /* otherwise the text was truncated */
		if (i < call_nargs(t))
			put_arg(t, i, call_arg(t, i));
		t->has_before = false;
	}
}

/* CLONE_ flags of <linux/sched.h> that determine how arguments are read */
enum { CLONED_PIDFD = 0x1000, CLONED_TLS = 0x80000, CLONED_PARENT = 0x100000,
       CLONED_CLEAR = 0x200000, CLONED_CHILD = 0x1000000 };

static bool wants(const struct call_text *t, const struct stp_syscall_arg *a)
{
	u64 with;

	switch (a->type) {
	case STP_ARG_skip:
		return false;
	case STP_ARG_intif:
		return call_with(t, a) & 1;
	case STP_ARG_kcmpidx:
		with = call_with(t, a);
		return with == 0 || with >= 7;         /* KCMP_FILE, KCMP_EPOLL_TFD, or unknown */
	case STP_ARG_mremap:
		return call_with(t, a) & 2;
	case STP_ARG_cloneparent:
		return call_with(t, a) & (CLONED_PARENT | CLONED_PIDFD);
	case STP_ARG_clonechild:
		return call_with(t, a) & (CLONED_CHILD | CLONED_CLEAR);
	case STP_ARG_clonetls:
		return call_with(t, a) & CLONED_TLS;
	case STP_ARG_devof:
		with = call_with(t, a);
		return (with & 0170000) == 0020000 || (with & 0170000) == 0060000;
	case STP_ARG_omode: case STP_ARG_mqattr:
		return call_with(t, a) & (0100 | 020000000);       /* O_CREAT, O_TMPFILE */
	default:
		return true;
	}
}

/* ------------------------------------------------------------------ functions for handlers */

const char *stp_syscall_name(struct stp_ctx *c)
{
	const struct stp_syscall *call = c->syscall ? c->syscall : &no_call;

	return call->plain_name && !(u32)c->arguments[call->flags] ? call->plain_name : call->name;
}

const char *stp_syscall_kernel_name(struct stp_ctx *c)
{
	return c->syscall ? c->syscall->kernel_name : "";
}

/* Writes ", " at a fraction of the cost of call_put_bytes(): it is written for most arguments. */
static inline void put_comma(struct call_text *t)
{
	if (STP_UNLIKELY(t->k.end - t->k.at < 2) || STP_UNLIKELY(!stp_charge(t->c, STP_WORK_FORMAT + 2 * STP_WORK_BYTE))) {
		call_put_bytes(t, ", ", 2);
		return;
	}
	*t->k.at++ = ',';
	*t->k.at++ = ' ';
}

static void put_args(struct call_text *t)
{
	u32 i, n = call_nargs(t), written = 0;

	for (i = 0; i < n; i++) {
		const struct stp_syscall_arg *a = call_arg(t, i);

		if (!wants(t, a))
			continue;
		if (written++)
			put_comma(t);
		put_arg(t, i, a);
	}
}

void stp_syscall_arguments(struct stp_ctx *c, char *to, u32 size)
{
	struct call_text t;

	begin(&t, c, to, size);
	if (c->call_text && *c->call_text)
		put_saved(&t, c->call_text);
	else
		put_args(&t);
	stp_sink_close(&t.k);
}

void stp_syscall_save(struct stp_ctx *c)
{
	struct call_text t;

	begin(&t, c, c->call_text, c->call_text_size);
	t.saving = true;
	put_args(&t);
	*t.k.at = 0;               /* truncated: the return's text is truncated, too, and counted there */
	stp_charge(c, 2 * (u64)(t.k.at - c->call_text) / 8 * STP_WORK_WORD);       /* the text is copied to a row,
										    * and back */
}

void stp_syscall_text(struct stp_ctx *c, char *to, u32 size, s64 arg)
{
	struct call_text t;

	begin(&t, c, to, size);
	if ((u64)arg < call_nargs(&t))
		put_arg(&t, (u32)arg, call_arg(&t, (u32)arg));
	stp_sink_close(&t.k);
}

void stp_syscall_string(struct stp_ctx *c, char *to, u32 size, u64 address)
{
	struct call_text t;

	begin(&t, c, to, size);
	call_string(&t, address);
	stp_sink_close(&t.k);
}

void stp_syscall_unquoted(struct stp_ctx *c, char *to, u32 size, s64 arg)
{
	struct call_text t;
	u64 v;

	begin(&t, c, to, size);
	to[0] = 0;
	if ((u64)arg >= t.call->nargs)
		return;
	v = call_value(&t, (u32)arg);
	if (v && stp_uload_string(c, to, v, size))
		return;
	if (c->fatal)
		return;            /* the work is used up */
	c->error = NULL;
	call_address(&t, v);
	stp_sink_close(&t.k);
}

bool stp_syscall_is_address(struct stp_ctx *c, const char *text, s64 arg)
{
	char address[24];
	struct call_text t;

	begin(&t, c, address, sizeof(address));
	if ((u64)arg >= call_nargs(&t))
		return false;
	call_address(&t, call_value(&t, (u32)arg));
	stp_sink_close(&t.k);
	return !stp_compare(text, address);
}

void stp_syscall_result(struct stp_ctx *c, char *to, u32 size)
{
	const struct stp_syscall *call = c->syscall ? c->syscall : &no_call;
	u64 command, v = c->arguments[STP_SYSCALL_RESULT];
	struct call_text t;
	u32 i;

	begin(&t, c, to, size);
	command = call_value(&t, call->command) & call->command_mask;
	stp_charge(c, (u64)call->nmeanings * STP_WORK_PARAMETER);
	for (i = 0; i < call->nmeanings && !(v > -4096ull); i++)
		if (call->meanings[i].any || call->meanings[i].command == command) {
			put_meaning(&t, &call->meanings[i], v);
			break;
		}
	stp_sink_close(&t.k);
}

void stp_syscall_part_text(struct stp_ctx *c, char *to, u32 size, s64 arg, s64 part)
{
	struct call_text t;
	const struct stp_syscall_arg *a;
	u64 status;

	begin(&t, c, to, size);
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
		else
			call_status(&t, status);
	}
	stp_sink_close(&t.k);
}

/* Returns 0 if it cannot be read. */
s64 stp_syscall_part(struct stp_ctx *c, s64 arg, s64 part)
{
	char none[1];
	struct call_text t;
	u64 v;

	begin(&t, c, none, sizeof(none));
	if ((u64)arg >= t.call->nargs)
		return 0;
	v = call_value(&t, (u32)arg);
	switch (part) {
	case STP_PART_ACTIME: return (s64)call_load_long(&t, v);
	case STP_PART_MODTIME: return (s64)call_load_long(&t, v + t.long_size);
	case STP_PART_PIPE0: return call_load_signed(&t, v, 4);
	case STP_PART_PIPE1: return call_load_signed(&t, v + 4, 4);
	case STP_PART_EVENTMSG: case STP_PART_ARCH_PRCTL: return (s64)call_load_long(&t, v);
	default: return 0;
	}
}
