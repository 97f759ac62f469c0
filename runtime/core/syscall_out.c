/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data that system calls write, or that has a special form, formatted as strace does. Context and errors as in
 * syscall.c.
 */
#include "syscall.h"

/* ------------------------------------------------------------------ struct siginfo */

static const char *const user_codes[] = { "SI_USER", "SI_QUEUE", "SI_TIMER", "SI_MESGQ", "SI_ASYNCIO", "SI_SIGIO",
					  "SI_TKILL" };         /* 0 to -6 */
static const char *const ill_codes[] = { "ILL_ILLOPC", "ILL_ILLOPN", "ILL_ILLADR", "ILL_ILLTRP", "ILL_PRVOPC",
					 "ILL_PRVREG", "ILL_COPROC", "ILL_BADSTK" };
static const char *const fpe_codes[] = { "FPE_INTDIV", "FPE_INTOVF", "FPE_FLTDIV", "FPE_FLTOVF", "FPE_FLTUND",
					 "FPE_FLTRES", "FPE_FLTINV", "FPE_FLTSUB" };
static const char *const segv_codes[] = { "SEGV_MAPERR", "SEGV_ACCERR", "SEGV_BNDERR", "SEGV_PKUERR" };
static const char *const bus_codes[] = { "BUS_ADRALN", "BUS_ADRERR", "BUS_OBJERR", "BUS_MCEERR_AR", "BUS_MCEERR_AO" };
static const char *const trap_codes[] = { "TRAP_BRKPT", "TRAP_TRACE", "TRAP_BRANCH", "TRAP_HWBKPT" };
static const char *const cld_codes[] = { "CLD_EXITED", "CLD_KILLED", "CLD_DUMPED", "CLD_TRAPPED", "CLD_STOPPED",
					 "CLD_CONTINUED" };
static const char *const poll_codes[] = { "POLL_IN", "POLL_OUT", "POLL_MSG", "POLL_ERR", "POLL_PRI", "POLL_HUP" };
static const char *const sys_codes[] = { "SYS_SECCOMP", "SYS_USER_DISPATCH" };

enum members { NONE, KILL, VALUE, FAULT, CHILD, BAND, TIMER, CALL };   /* members of the structure's union */

/* Codes of the kernel by signal, starting at 1. */
static const struct { u8 signal, n, members; const char *const *names; } codes_of[] = {
	{ 4, 8, FAULT, ill_codes }, { 5, 4, FAULT, trap_codes }, { 7, 5, FAULT, bus_codes }, { 8, 8, FAULT, fpe_codes },
	{ 11, 4, FAULT, segv_codes }, { 17, 6, CHILD, cld_codes }, { 29, 6, BAND, poll_codes }, { 31, 2, CALL, sys_codes },
};

/* Writes si_code, and returns the members of the union that it sets. */
static enum members put_code(struct call_text *t, u64 sig, s64 code)
{
	enum members m = code == 0 || code == -6 ? KILL : VALUE;
	const char *name = code <= 0 && code >= -6 ? user_codes[-code] : code == 0x80 ? "SI_KERNEL" : NULL;
	u32 i;

	if (code == -2 || code == -5)
		m = code == -2 ? TIMER : BAND;
	for (i = 0; i < sizeof(codes_of) / sizeof(*codes_of) && code > 0; i++) {
		if (codes_of[i].signal != sig)
			continue;
		m = codes_of[i].members;
		if (code <= codes_of[i].n)
			name = codes_of[i].names[code - 1];
		else if (m == BAND)
			m = NONE;
	}
	if (name)
		call_put(t, name);
	else
		call_hex_number(t, (u64)(u32)code);
	return m;
}

static void put_value(struct call_text *t, u64 address)
{
	u64 v = call_load_long(t, address);

	if (v)
		call_printf(t, ", si_int=%lld, si_ptr=0x%llx", (s64)(s32)v, v);
}

static void put_siginfo(struct call_text *t, u64 address)
{
	u32 word = t->long_size;
	u64 sig = call_load(t, address, 4), at = address + (word == 8 ? 16 : 12);
	s64 code = call_load_signed(t, address + 8, 4);
	enum members m;

	call_put(t, "{si_signo=");
	call_signal(t, (s64)(s32)sig);
	call_put(t, ", si_code=");
	m = put_code(t, sig, code);
	if (m == KILL || m == VALUE || m == CHILD)
		call_printf(t, ", si_pid=%lld, si_uid=%llu", call_load_signed(t, at, 4), call_load(t, at + 4, 4));
	if (m == VALUE)
		put_value(t, at + 8);
	if (m == TIMER) {
		call_printf(t, ", si_timerid=0x%llx, si_overrun=%lld", call_load(t, at, 4), call_load_signed(t, at + 4, 4));
		put_value(t, at + 8);
	}
	if (m == FAULT) {
		call_put(t, ", si_addr=");
		call_address(t, call_load_long(t, at));
		if (sig == 11 && code == 3)        /* SEGV_BNDERR */
			call_printf(t, ", si_lower=0x%llx, si_upper=0x%llx", call_load_long(t, at + 2 * word),
				    call_load_long(t, at + 3 * word));
	}
	if (m == BAND)
		call_printf(t, ", si_band=%lld, si_fd=%lld", call_load_signed(t, at, word),
			    call_load_signed(t, at + word, 4));
	if (m == CHILD) {
		call_put(t, ", si_status=");
		if (code == 1)
			call_decimal(t, call_load_signed(t, at + 8, 4));
		else
			call_signal(t, call_load_signed(t, at + 8, 4));
		at += word == 8 ? 16 : 12;
		call_printf(t, ", si_utime=%lld, si_stime=%lld", call_load_signed(t, at, word),
			    call_load_signed(t, at + word, word));
	}
	call_put(t, "}");
}

/* ------------------------------------------------------------------ files */

static const char *const file_types[16] = {
	[1] = "S_IFIFO", [2] = "S_IFCHR", [4] = "S_IFDIR", [6] = "S_IFBLK", [8] = "S_IFREG", [10] = "S_IFLNK",
	[12] = "S_IFSOCK",
};

static void put_file_mode(struct call_text *t, u64 mode)
{
	const char *type = file_types[mode >> 12 & 15];

	if (type)
		call_printf(t, "%s|", type);
	else if (mode & 0170000)
		call_printf(t, "0%llo|", mode & 0170000);
	call_printf(t, "%s%s%s0%02llo", mode & 04000 ? "S_ISUID|" : "", mode & 02000 ? "S_ISGID|" : "",
		    mode & 01000 ? "S_ISVTX|" : "", mode & 0777);
}

void call_mode(struct call_text *t, u64 mode)
{
	const char *type = mode >> 12 < 16 ? file_types[mode >> 12] : NULL;

	if (type)
		call_printf(t, "%s|0%02llo", type, mode & 07777);
	else
		call_printf(t, "0%02llo", mode);
}

enum { STAT_64, STAT_32, STAT_OLD, STAT_64_OF_32 };

static void put_stat(struct call_text *t, u64 address, u32 form)
{
	static const struct { u8 mode, mode_size, rdev, rdev_size, size, size_size; } at[] = {
#if defined(__x86_64__)
		[STAT_64] = { 24, 4, 40, 8, 48, 8 },
#else
		[STAT_64] = { 16, 4, 32, 8, 48, 8 },
#endif
		[STAT_32] = { 8, 2, 16, 2, 20, 4 }, [STAT_OLD] = { 4, 2, 12, 2, 16, 4 },
		[STAT_64_OF_32] = { 16, 4, 32, 8, 44, 8 },
	};
	u64 mode = call_load(t, address + at[form].mode, at[form].mode_size), rdev;

	call_put(t, "{st_mode=");
	put_file_mode(t, mode);
	if ((mode & 0170000) == 0020000 || (mode & 0170000) == 0060000) {
		rdev = call_load(t, address + at[form].rdev, at[form].rdev_size);
		call_put(t, ", st_rdev=");
		call_dev(t, rdev);
		call_put(t, ", ...}");
	} else {
		call_printf(t, ", st_size=%llu, ...}", call_load(t, address + at[form].size, at[form].size_size));
	}
}

static void put_statx(struct call_text *t, const struct stp_syscall_arg *a, u64 address)
{
	static const struct stp_symbol list[] = {
		{ 4, "STATX_ATTR_COMPRESSED" }, { 0x10, "STATX_ATTR_IMMUTABLE" }, { 0x20, "STATX_ATTR_APPEND" },
		{ 0x40, "STATX_ATTR_NODUMP" }, { 0x800, "STATX_ATTR_ENCRYPTED" }, { 0x1000, "STATX_ATTR_AUTOMOUNT" },
		{ 0x2000, "STATX_ATTR_MOUNT_ROOT" }, { 0x100000, "STATX_ATTR_VERITY" }, { 0x200000, "STATX_ATTR_DAX" },
	};
	static const struct stp_symbols attributes = { list, sizeof(list) / sizeof(*list), 0 };
	u64 mode = call_load(t, address + 28, 2);

	call_put(t, "{stx_mask=");
	call_symbols(t, a->symbols, call_load(t, address, 4));
	call_put(t, ", stx_attributes=");
	call_symbols(t, &attributes, call_load(t, address + 8, 8));
	call_put(t, ", stx_mode=");
	put_file_mode(t, mode);
	call_printf(t, ", stx_size=%llu, ...}", call_load(t, address + 40, 8));
}

static void put_handle(struct call_text *t, u64 address)
{
	bool is_input = t->call->args[1].type == STP_ARG_handle;       /* the argument is that of
								        * open_by_handle_at() */
	u64 bytes = call_load(t, address, 4);

	if (is_input || !t->c->call_text || t->saving || !t->has_before) {
		call_printf(t, "{handle_bytes=%llu", bytes);
		if (is_input && bytes <= 128) {
			call_printf(t, ", handle_type=%lld, f_handle=", call_load_signed(t, address + 4, 4));
			call_hex_bytes(t, address + 8, bytes, 128);
		}
		call_put(t, "}");
		return;
	}
	call_printf(t, t->before == bytes ? "{handle_bytes=%llu" : "{handle_bytes=%llu => %llu", t->before, bytes);
	if (call_returned(t)) {
		call_printf(t, ", handle_type=%lld, f_handle=", call_load_signed(t, address + 4, 4));
		call_hex_bytes(t, address + 8, bytes, 128);
	}
	call_put(t, "}");
}

/* ------------------------------------------------------------------ others */

void call_status(struct call_text *t, u64 status)
{
	if (!(status & 0x7f))
		call_printf(t, "[{WIFEXITED(s) && WEXITSTATUS(s) == %llu}]", status >> 8 & 0xff);
	else if (status == 0xffff)
		call_put(t, "[{WIFCONTINUED(s)}]");
	else if ((status & 0xff) == 0x7f) {
		call_put(t, "[{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		call_signal(t, status >> 8 & 0xff);
		call_put(t, "}]");
	} else {
		call_put(t, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		call_signal(t, status & 0x7f);
		call_put(t, status & 0x80 ? " && WCOREDUMP(s)}]" : "}]");
	}
}

static const char *const caps[] = {
	"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP",
	"LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER",
	"SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE",
	"SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP",
	"MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF",
	"CHECKPOINT_RESTORE",
};
enum { CAPS = sizeof(caps) / sizeof(*caps) };

static void put_caps(struct call_text *t, u64 set)
{
	const char *between = "";
	u32 i;

	for (i = 0; i < CAPS; i++) {
		if (!(set >> i & 1))
			continue;
		call_printf(t, "%s1<<CAP_%s", between, caps[i]);
		between = "|";
		set &= ~(1ull << i);
	}
	if (set || !*between)
		call_printf(t, set ? "%s0x%llx" : "%s0", between, set);
}

/* Versions 2 and 3 of the header have sets of 64 bits in two structures: first the lower halves, then the upper
 * ones. */
static void put_capdata(struct call_text *t, u64 address, u64 header)
{
	static const char *const names[] = { "{effective=", ", permitted=", ", inheritable=" };
	bool wide = header && call_load(t, header, 4) != 0x19980330;
	u32 i;

	for (i = 0; i < 3; i++) {
		u64 set = call_load(t, address + 4 * i, 4);

		if (wide)
			set |= call_load(t, address + 12 + 4 * i, 4) << 32;
		call_put(t, names[i]);
		put_caps(t, set);
	}
	call_put(t, "}");
}

static void put_pages(struct call_text *t, u64 address, u64 len)
{
	struct array a;

	for (a = (struct array){ (len + 4095) / 4096 }; call_element(t, &a); address++)
		call_unsigned(t, call_load(t, address, 1) & 1);
}

/* Writes a hexadecimal number of `width` characters: 00000000, 0x0fffff. */
static void put_padded(struct call_text *t, u64 v, u32 width)
{
	call_printf(t, v ? "0x%0*llx" : "%0*llx", (int)(v ? width - 2 : width), v);
}

/* Writes the words of a set of n bits. */
static void put_nodes(struct call_text *t, u64 address, u64 n)
{
	u32 word = t->long_size;
	struct array a;

	if (!n || n > 4096) {
		call_address(t, address);
		return;
	}
	for (a = (struct array){ (n + 8 * word - 1) / (8 * word) }; call_element(t, &a); address += word)
		put_padded(t, call_load_long(t, address), 2 * word);
}

/* Writes struct user_desc of <asm/ldt.h>. */
void call_segment(struct call_text *t, u64 address)
{
	static const struct { const char *name; u8 at, bits; } all[] = {
		{ "seg_32bit", 0, 1 }, { "contents", 1, 2 }, { "read_exec_only", 3, 1 }, { "limit_in_pages", 4, 1 },
		{ "seg_not_present", 5, 1 }, { "useable", 6, 1 },
	};
	u64 flags = call_load(t, address + 12, 4);
	u32 i;

	call_printf(t, "{entry_number=%lld, base_addr=", call_load_signed(t, address, 4));
	put_padded(t, call_load(t, address + 4, 4), 8);
	call_put(t, ", limit=");
	put_padded(t, call_load(t, address + 8, 4), 8);
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		call_printf(t, ", %s=%llu", all[i].name, flags >> all[i].at & ((1 << all[i].bits) - 1));
	if (t->long_size == 8)
		call_printf(t, ", lm=%llu", flags >> 7 & 1);
	call_put(t, "}");
}

void call_tls(struct call_text *t, u64 v)
{
	char *start = t->k.at;

#if defined(__x86_64__)
	if (v && t->long_size == 4 && !t->failed) {
		call_segment(t, v);
		if (!t->failed)
			return;
		t->k.at = start;
		t->failed = false;
	}
#endif
	call_address(t, v);
}

void call_ethernet(struct call_text *t, u64 v)
{
	static const struct { u16 value; const char *name; } all[] = {
		{ 1, "802_3" }, { 3, "ALL" }, { 4, "802_2" }, { 0x60, "LOOP" }, { 0x800, "IP" }, { 0x806, "ARP" },
		{ 0x8100, "8021Q" }, { 0x86dd, "IPV6" }, { 0x8863, "PPP_DISC" }, { 0x8864, "PPP_SES" },
		{ 0x888e, "PAE" }, { 0x88cc, "LLDP" },
	};
	u64 host = (v & 0xff) << 8 | (v >> 8 & 0xff);
	u32 i;

	for (i = 0; i < sizeof(all) / sizeof(*all) && all[i].value != host; i++)
		;
	if (v >> 16)
		call_hex(t, v & 0xffffffff);
	else if (i < sizeof(all) / sizeof(*all))
		call_printf(t, "htons(ETH_P_%s)", all[i].name);
	else
		call_printf(t, "htons(0x%llx)", host);
}

static void put_oldutsname(struct call_text *t, u64 address)
{
	call_put(t, "{sysname=");
	call_string(t, address);
	call_put(t, ", nodename=");
	call_string(t, address + 9);
	call_put(t, ", ...}");
}

void call_written(struct call_text *t, u64 address, u64 n)
{
	char *start = t->k.at;
	u64 i;

	if (!address || !n || !t->c->call_text) {
		call_address(t, address);
		return;
	}
	if (t->saving) {
		call_printf(t, "%c%llu%c%llu%c", CALL_MARK_WRITTEN, n, CALL_MARK_WRITTEN, address, CALL_MARK_END);
		return;
	}
	for (i = 0; i < n && i <= CALL_BYTES_SHOWN && call_load(t, address + i, 1); i++)
		;
	if (!t->failed) {
		call_bytes(t, address, i, CALL_BYTES_SHOWN);
		return;
	}
	t->k.at = start;
	t->failed = false;
	call_address(t, address);
}

u64 call_mark_number(const char **text)
{
	u64 n = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++)
		n = n * 10 + (u64)(**text - '0');
	return n;
}

const char *call_saved_written(struct call_text *t, const char *text)
{
	u64 n, address;

	text++;
	n = call_mark_number(&text);
	text += *text == CALL_MARK_WRITTEN;
	address = call_mark_number(&text);
	if (*text != CALL_MARK_END)
		return text;
	call_written(t, address, n);
	return text + 1;
}

bool call_out(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 with)
{
	switch (a->type) {
	case STP_ARG_siginfo: put_siginfo(t, v); return true;
	case STP_ARG_stat: put_stat(t, v, t->long_size == 8 ? STAT_64 : STAT_32); return true;
	case STP_ARG_oldstat: put_stat(t, v, STAT_OLD); return true;
	case STP_ARG_stat64: put_stat(t, v, STAT_64_OF_32); return true;
	case STP_ARG_statx: put_statx(t, a, v); return true;
	case STP_ARG_handle: put_handle(t, v); return true;
	case STP_ARG_status: call_status(t, call_load(t, v, 4)); return true;
	case STP_ARG_capdata: put_capdata(t, v, with); return true;
	case STP_ARG_bytevec: put_pages(t, v, with); return true;
	case STP_ARG_nodes: put_nodes(t, v, with); return true;
	case STP_ARG_segment: call_segment(t, v); return true;
	case STP_ARG_ldt:
		if (with == 16)    /* sizeof(struct user_desc) */
			call_segment(t, v);
		else
			call_address(t, v);
		return true;
	case STP_ARG_oldutsname: put_oldutsname(t, v); return true;
	case STP_ARG_dirents: call_address(t, v); return true;
	case STP_ARG_mqattrs: return call_fields(t, STP_ARG_mqattr, v);
	default: return false;
	}
}
