/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structures that arguments of system calls point to, formatted as strace does: {tv_sec=1, tv_nsec=0}. A structure
 * is a table of fields with their offsets in a 64-bit and in a 32-bit process; other structures have their own
 * functions. Context and errors as in syscall.c.
 */
#include "syscall.h"

/* ------------------------------------------------------------------ tables of fields */

struct field {
	const char *name;          /* with the text before the value: "{tv_sec=" */
	u8 at, size, at32, size32; /* in bytes */
	/* format: d u x signed, unsigned, hexadecimal; r resource limit; i signal; f sem_flags */
	char form;
};
struct fields { u8 n; const struct field *at; };

#define FIELDS(name, ...)							\
	static const struct field name##_list[] = { __VA_ARGS__ };		\
	static const struct fields name##_fields = { sizeof(name##_list) / sizeof(struct field), name##_list }

FIELDS(timespec, { "{tv_sec=", 0, 8, 0, 4, 'd' }, { ", tv_nsec=", 8, 8, 4, 4, 'd' });
FIELDS(timespec64, { "{tv_sec=", 0, 8, 0, 8, 'd' }, { ", tv_nsec=", 8, 8, 8, 4, 'd' });
FIELDS(timeval, { "{tv_sec=", 0, 8, 0, 4, 'd' }, { ", tv_usec=", 8, 8, 4, 4, 'd' });
FIELDS(timezone, { "{tz_minuteswest=", 0, 4, 0, 4, 'd' }, { ", tz_dsttime=", 4, 4, 4, 4, 'd' });
FIELDS(utimbuf, { "{actime=", 0, 8, 0, 4, 'd' }, { ", modtime=", 8, 8, 4, 4, 'd' });
FIELDS(rlimit, { "{rlim_cur=", 0, 8, 0, 4, 'r' }, { ", rlim_max=", 8, 8, 4, 4, 'r' });
FIELDS(rlimit64, { "{rlim_cur=", 0, 8, 0, 8, 'r' }, { ", rlim_max=", 8, 8, 8, 8, 'r' });
FIELDS(schedattr, { "{size=", 0, 4, 0, 4, 'u' }, { ", sched_policy=", 4, 4, 4, 4, 'u' },
       { ", sched_flags=", 8, 8, 8, 8, 'x' }, { ", sched_nice=", 16, 4, 16, 4, 'd' },
       { ", sched_priority=", 20, 4, 20, 4, 'u' }, { ", sched_runtime=", 24, 8, 24, 8, 'u' },
       { ", sched_deadline=", 32, 8, 32, 8, 'u' }, { ", sched_period=", 40, 8, 40, 8, 'u' });
FIELDS(siginfo, { "{si_signo=", 0, 4, 0, 4, 'i' }, { ", si_code=", 8, 4, 8, 4, 'd' },
       { ", si_pid=", 16, 4, 12, 4, 'd' }, { ", si_uid=", 20, 4, 16, 4, 'u' });
FIELDS(timex, { "{modes=", 0, 4, 0, 4, 'x' }, { ", offset=", 8, 8, 4, 4, 'd' }, { ", freq=", 16, 8, 8, 4, 'd' },
       { ", maxerror=", 24, 8, 12, 4, 'd' }, { ", esterror=", 32, 8, 16, 4, 'd' },
       { ", status=", 40, 4, 20, 4, 'x' });
FIELDS(sembuf, { "{sem_num=", 0, 2, 0, 2, 'u' }, { ", sem_op=", 2, 2, 2, 2, 'd' },
       { ", sem_flg=", 4, 2, 4, 2, 'f' });
FIELDS(cloneargs, { "{flags=", 0, 8, 0, 8, 'x' }, { ", exit_signal=", 32, 8, 32, 8, 'i' },
       { ", stack=", 40, 8, 40, 8, 'x' }, { ", stack_size=", 48, 8, 48, 8, 'x' });

static const struct stp_symbol sem_list[] = { { 04000, "IPC_NOWAIT" }, { 0x1000, "SEM_UNDO" } };
static const struct stp_symbols sem_flags = { sem_list, 2, 0 };

static void put_limit(struct call_text *t, u64 v, u32 size)
{
	if (v == (size == 4 ? 0xffffffffull : ~0ull))
		call_printf(t, size == 4 ? "RLIM_INFINITY" : "RLIM64_INFINITY");
	else if (v > 1024 && v % 1024 == 0)
		call_printf(t, "%llu*1024", v / 1024);
	else
		call_printf(t, "%llu", v);
}

static void put_fields(struct call_text *t, const struct fields *f, u64 address)
{
	bool is_32bit = t->call->long_size == 4;
	u32 i;

	for (i = 0; i < f->n; i++) {
		const struct field *m = &f->at[i];
		u64 from = address + (is_32bit ? m->at32 : m->at);
		u32 size = is_32bit ? m->size32 : m->size;

		call_printf(t, "%s", m->name);
		if (m->form == 'd')
			call_printf(t, "%lld", call_load_signed(t, from, size));
		else if (m->form == 'i')
			call_signal(t, call_load_signed(t, from, size));
		else if (m->form == 'r')
			put_limit(t, call_load(t, from, size), size);
		else if (m->form == 'x')
			call_hex(t, call_load(t, from, size));
		else if (m->form == 'f')
			call_symbols(t, &sem_flags, call_load(t, from, size));
		else
			call_printf(t, "%llu", call_load(t, from, size));
	}
	call_printf(t, "}");
}

/* Writes two successive structures, under names or in brackets. */
static void put_two(struct call_text *t, const char *const text[3], const struct fields *f, u64 address)
{
	u32 step = 2 * t->call->long_size;

	call_printf(t, "%s", text[0]);
	put_fields(t, f, address);
	call_printf(t, "%s", text[1]);
	put_fields(t, f, address + step);
	call_printf(t, "%s", text[2]);
}

static void put_times(struct call_text *t, u64 address)
{
	u64 step = 2 * t->call->long_size, nsec = t->call->long_size;
	u32 i;

	call_printf(t, "[");
	for (i = 0; i < 2; i++) {
		u64 ns = call_load(t, address + i * step + nsec, (u32)nsec);

		call_printf(t, i ? ", " : "");
		if (ns == 0x3fffffff || ns == 0x3ffffffe)
			call_printf(t, ns == 0x3fffffff ? "UTIME_NOW" : "UTIME_OMIT");
		else
			put_fields(t, &timespec_fields, address + i * step);
	}
	call_printf(t, "]");
}

/* ------------------------------------------------------------------ sets */

static void put_signals(struct call_text *t, u64 set, u32 bits)
{
	u64 all = bits == 32 ? 0xffffffff : ~0ull, rest;
	const char *between = "";
	bool inverse;
	u32 n = 0, sig;

	for (rest = set & all; rest; rest &= rest - 1)
		n++;
	inverse = n >= bits * 2 / 3;

	set = (inverse ? ~set : set) & all;
	call_printf(t, inverse ? "~[" : "[");
	for (sig = 1; sig <= bits; sig++) {
		char *at;

		if (!(set >> (sig - 1) & 1))
			continue;
		call_printf(t, "%s", between);
		between = " ";
		at = t->k.at;
		call_signal(t, sig);
		/* without the prefix SIG */
		if (t->k.at - at > 3) {
			plat_memmove(at, at + 3, (u64)(t->k.at - at) - 3);
			t->k.at -= 3;
		}
	}
	call_printf(t, "]");
}

/* Writes the numbers of the bits that are set, of n bits. */
static void put_bits(struct call_text *t, u64 address, u64 n)
{
	const char *between = "";
	u64 i, word = 0;

	call_printf(t, "[");
	for (i = 0; i < n && i < 4096 && !t->failed; i++) {
		if (!(i & 31))
			word = call_load(t, address + i / 8, 4);
		if (!(word >> (i & 31) & 1))
			continue;
		call_printf(t, "%s%llu", between, i);
		between = " ";
	}
	call_printf(t, "]");
}

static const struct stp_symbol action_list[] = {
	{ 0x4000000, "SA_RESTORER" }, { 0x8000000, "SA_ONSTACK" }, { 0x10000000, "SA_RESTART" },
	{ 0x40000000, "SA_NODEFER" }, { 0x80000000, "SA_RESETHAND" }, { 4, "SA_SIGINFO" },
	{ 1, "SA_NOCLDSTOP" }, { 2, "SA_NOCLDWAIT" },
};
static const struct stp_symbols action_flags = { action_list, sizeof(action_list) / sizeof(*action_list), 0 };

/* Writes the kernel's struct sigaction; the older form has its mask, of 32 signals, after the handler. */
static void put_action(struct call_text *t, u64 address, bool old)
{
	u32 size = t->call->long_size;
	u64 handler = call_load_long(t, address), flags = call_load_long(t, address + (old ? 2 : 1) * size);
	u64 mask_at = address + (old ? 1 : 3) * size, restorer = call_load_long(t, address + (old ? 3 : 2) * size);

	call_printf(t, flags & 4 ? "{sa_sigaction=" : "{sa_handler=");
	if (handler < 2)
		call_printf(t, handler ? "SIG_IGN" : "SIG_DFL");
	else
		call_address(t, handler);
	call_printf(t, ", sa_mask=");
	put_signals(t, call_load(t, mask_at, old ? 4 : 8), old ? 32 : 64);
	call_printf(t, ", sa_flags=");
	call_symbols(t, &action_flags, (u32)flags);
	if (flags & 0x4000000)
		call_printf(t, ", sa_restorer=0x%llx", restorer);
	call_printf(t, "}");
}

/* ------------------------------------------------------------------ sockets */

static const char *const families[] = {
	[0] = "AF_UNSPEC", [1] = "AF_UNIX", [2] = "AF_INET", [3] = "AF_AX25", [4] = "AF_IPX", [5] = "AF_APPLETALK",
	[9] = "AF_X25", [10] = "AF_INET6", [15] = "AF_KEY", [16] = "AF_NETLINK", [17] = "AF_PACKET",
	[21] = "AF_RDS", [24] = "AF_PPPOX", [29] = "AF_CAN", [30] = "AF_TIPC", [31] = "AF_BLUETOOTH",
	[38] = "AF_ALG", [40] = "AF_VSOCK", [44] = "AF_XDP",
};

static void put_family(struct call_text *t, u64 family)
{
	const char *name = family < sizeof(families) / sizeof(*families) ? families[family] : NULL;

	call_printf(t, name ? "%s" : "0x%llx", name ? (u64)(unsigned long)name : family);
}

static u64 port(struct call_text *t, u64 address)
{
	return call_load(t, address, 1) << 8 | call_load(t, address + 1, 1);
}

static void put_ipv4(struct call_text *t, u64 address)
{
	u64 a = call_load(t, address, 4);

	call_printf(t, "%llu.%llu.%llu.%llu", a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24 & 255);
}

/* The longest run of zeros, if longer than one, is written as "::". */
static void put_ipv6(struct call_text *t, u64 address)
{
	u64 word[8];
	u32 i, from = 8, most = 1;

	for (i = 0; i < 8; i++)
		word[i] = port(t, address + 2 * i);
	for (i = 0; i < 8; i++) {
		u32 n = 0;

		while (i + n < 8 && !word[i + n])
			n++;
		if (n > most)
			from = i, most = n;
		i += n ? n - 1 : 0;
	}
	if (from == 0 && most == 5 && word[5] == 0xffff) {
		call_printf(t, "::ffff:");
		put_ipv4(t, address + 12);
		return;
	}
	for (i = 0; i < 8; i++) {
		if (i == from) {
			call_printf(t, "::");
			i += most - 1;
		} else {
			call_printf(t, i && i != from + most ? ":%llx" : "%llx", word[i]);
		}
	}
}

static void put_path(struct call_text *t, u64 address, u64 len)
{
	u64 n = 0;

	if (len && !call_load(t, address, 1)) {
		call_printf(t, "@");
		call_bytes(t, address + 1, len - 1, 108);
		return;
	}
	while (n < len && n < 108 && call_load(t, address + n, 1))
		n++;
	call_bytes(t, address, n, 108);
}

static void put_sockaddr(struct call_text *t, u64 address, u64 len)
{
	u64 family = call_load(t, address, 2);

	if (len < 2) {
		call_address(t, address);
		return;
	}
	call_printf(t, "{sa_family=");
	put_family(t, family);
	if (family == 1 && len > 2) {
		call_printf(t, ", sun_path=");
		put_path(t, address + 2, len - 2);
	} else if (family == 2 && len >= 8) {
		call_printf(t, ", sin_port=htons(%llu), sin_addr=inet_addr(\"", port(t, address + 2));
		put_ipv4(t, address + 4);
		call_printf(t, "\")");
	} else if (family == 10 && len >= 24) {
		u64 flow = port(t, address + 4) << 16 | port(t, address + 6);

		call_printf(t, ", sin6_port=htons(%llu), sin6_flowinfo=htonl(%llu), inet_pton(AF_INET6, \"",
			    port(t, address + 2), flow);
		put_ipv6(t, address + 8);
		call_printf(t, "\", &sin6_addr), sin6_scope_id=%llu", len >= 28 ? call_load(t, address + 24, 4) : 0);
	} else if (family == 16 && len >= 12) {
		call_printf(t, ", nl_pid=%lld, nl_groups=%08llx", call_load_signed(t, address + 4, 4),
			    call_load(t, address + 8, 4));
	} else if (len > 2) {
		call_printf(t, ", sa_data=");
		call_bytes(t, address + 2, len - 2, 14);
	}
	call_printf(t, "}");
}

/* Writes one member: the variables uaddr_ip and the like; "" if the address family does not have it. */
void call_socket_part(struct call_text *t, u64 address, u64 len, u32 part)
{
	u64 family = address && len >= 2 ? call_load(t, address, 2) : 0;
	char *start = t->k.at;

	if (part == STP_PART_FAMILY)
		put_family(t, family);
	else if (part == STP_PART_IP && family == 2)
		put_ipv4(t, address + 4);
	else if (part == STP_PART_IP && family == 10)
		put_ipv6(t, address + 8);
	else if (part == STP_PART_PORT && (family == 2 || family == 10))
		call_printf(t, "%llu", port(t, address + 2));
	else if (part == STP_PART_FLOWINFO && family == 10)
		call_printf(t, "%llu", port(t, address + 4) << 16 | port(t, address + 6));
	else if (part == STP_PART_SCOPE && family == 10)
		call_printf(t, "%llu", call_load(t, address + 24, 4));
	if (t->failed)
		t->k.at = start;
}

/* ------------------------------------------------------------------ arrays */

static void put_iovec(struct call_text *t, u64 address, u64 n, bool bytes)
{
	u64 i, step = 2 * t->call->long_size;

	call_printf(t, "[");
	for (i = 0; i < n && !t->failed; i++) {
		u64 base = call_load_long(t, address + i * step);
		u64 len = call_load_long(t, address + i * step + t->call->long_size);

		if (i == CALL_ELEMENTS_SHOWN) {
			call_printf(t, ", ...");
			break;
		}
		call_printf(t, i ? ", {iov_base=" : "{iov_base=");
		if (bytes)
			call_bytes(t, base, len, CALL_BYTES_SHOWN);
		else
			call_address(t, base);
		call_printf(t, ", iov_len=%llu}", len);
	}
	call_printf(t, "]");
}

static const struct stp_symbol poll_list[] = {
	{ 1, "POLLIN" }, { 2, "POLLPRI" }, { 4, "POLLOUT" }, { 0x40, "POLLRDNORM" }, { 0x80, "POLLRDBAND" },
	{ 0x100, "POLLWRNORM" }, { 0x200, "POLLWRBAND" }, { 0x400, "POLLMSG" }, { 0x2000, "POLLRDHUP" },
	{ 8, "POLLERR" }, { 0x10, "POLLHUP" }, { 0x20, "POLLNVAL" },
};
static const struct stp_symbols poll_flags = { poll_list, sizeof(poll_list) / sizeof(*poll_list), 0 };

static void put_pollfds(struct call_text *t, u64 address, u64 n)
{
	u64 i;

	call_printf(t, "[");
	for (i = 0; i < n && i < CALL_ELEMENTS_SHOWN && !t->failed; i++) {
		call_printf(t, i ? ", {fd=%lld" : "{fd=%lld", call_load_signed(t, address + 8 * i, 4));
		if (call_load_signed(t, address + 8 * i, 4) >= 0) {
			call_printf(t, ", events=");
			call_symbols(t, &poll_flags, call_load(t, address + 8 * i + 4, 2));
		}
		call_printf(t, "}");
	}
	call_printf(t, i < n ? ", ...]" : "]");
}

static const struct stp_symbol epoll_list[] = {
	{ 1, "EPOLLIN" }, { 2, "EPOLLPRI" }, { 4, "EPOLLOUT" }, { 0x40, "EPOLLRDNORM" }, { 0x80, "EPOLLRDBAND" },
	{ 0x100, "EPOLLWRNORM" }, { 0x200, "EPOLLWRBAND" }, { 0x400, "EPOLLMSG" }, { 8, "EPOLLERR" },
	{ 0x10, "EPOLLHUP" }, { 0x2000, "EPOLLRDHUP" }, { 0x10000000, "EPOLLEXCLUSIVE" },
	{ 0x20000000, "EPOLLWAKEUP" }, { 0x40000000, "EPOLLONESHOT" }, { 0x80000000, "EPOLLET" },
};
static const struct stp_symbols epoll_flags = { epoll_list, sizeof(epoll_list) / sizeof(*epoll_list), 0 };

/* The structure is packed on x86, for 32-bit processes, but not elsewhere. */
static void put_epoll_event(struct call_text *t, u64 address)
{
#if defined(__x86_64__)
	u64 data = call_load(t, address + 4, 8);
#else
	u64 data = call_load(t, address + 8, 8);
#endif

	call_printf(t, "{events=");
	call_symbols(t, &epoll_flags, call_load(t, address, 4));
	call_printf(t, ", data={u32=%llu, u64=%llu}}", data & 0xffffffff, data);
}

static void put_sembufs(struct call_text *t, u64 address, u64 n)
{
	u64 i;

	call_printf(t, "[");
	for (i = 0; i < n && i < CALL_ELEMENTS_SHOWN && !t->failed; i++) {
		call_printf(t, i ? ", " : "");
		put_fields(t, &sembuf_fields, address + 6 * i);
	}
	call_printf(t, "]");
}

static void put_groups(struct call_text *t, u64 address, u64 n, u32 size)
{
	u64 i;

	call_printf(t, "[");
	for (i = 0; i < n && i < CALL_ELEMENTS_SHOWN && !t->failed; i++)
		call_printf(t, i ? ", %llu" : "%llu", call_load(t, address + size * i, size));
	call_printf(t, "]");
}

static void put_msghdr(struct call_text *t, u64 address)
{
	u32 size = t->call->long_size;
	u64 name = call_load_long(t, address), namelen = call_load(t, address + size, 4);
	u64 iov = call_load_long(t, address + 2 * size), n = call_load_long(t, address + 3 * size);
	u64 control = call_load_long(t, address + 4 * size), controllen = call_load_long(t, address + 5 * size);

	call_printf(t, "{msg_name=");
	if (name && namelen)
		put_sockaddr(t, name, namelen);
	else
		call_address(t, name);
	call_printf(t, ", msg_namelen=%llu, msg_iov=", namelen);
	if (iov)
		put_iovec(t, iov, n, true);
	else
		call_address(t, iov);
	call_printf(t, ", msg_iovlen=%llu", n);
	if (control)
		call_printf(t, ", msg_control=0x%llx", control);
	call_printf(t, ", msg_controllen=%llu, msg_flags=", controllen);
	call_hex(t, call_load(t, address + 6 * size, 4));
	call_printf(t, "}");
}

static void put_mmsghdrs(struct call_text *t, u64 address, u64 n)
{
	u64 i, step = t->call->long_size == 8 ? 64 : 32;

	call_printf(t, "[");
	for (i = 0; i < n && i < CALL_ELEMENTS_SHOWN && !t->failed; i++) {
		call_printf(t, i ? ", {msg_hdr=" : "{msg_hdr=");
		put_msghdr(t, address + i * step);
		call_printf(t, "}");
	}
	call_printf(t, "]");
}

/* ------------------------------------------------------------------ other structures */

static void put_stack(struct call_text *t, u64 address)
{
	u32 size = t->call->long_size;
	u64 flags = call_load(t, address + size, 4);

	call_printf(t, "{ss_sp=");
	call_address(t, call_load_long(t, address));
	call_printf(t, flags == 2 ? ", ss_flags=SS_DISABLE" : flags == 1 ? ", ss_flags=SS_ONSTACK" : ", ss_flags=%llu",
		    flags);
	call_printf(t, ", ss_size=%llu}", call_load_long(t, address + 2 * size));
}

static void put_message(struct call_text *t, u64 address, u64 len)
{
	call_printf(t, "{mtype=%lld, mtext=", call_load_signed(t, address, t->call->long_size));
	call_bytes(t, address + t->call->long_size, len, CALL_BYTES_SHOWN);
	call_printf(t, "}");
}

static void put_pselect_set(struct call_text *t, u64 address)
{
	u64 set = call_load_long(t, address), size = call_load_long(t, address + t->call->long_size);

	call_printf(t, "{sigmask=");
	if (set)
		put_signals(t, call_load(t, set, 8), 64);
	else
		call_printf(t, "NULL");
	call_printf(t, ", sigsetsize=%llu}", size);
}

static void put_open_how(struct call_text *t, const struct stp_syscall_arg *a, u64 address)
{
	u64 flags = call_load(t, address, 8), mode = call_load(t, address + 8, 8);

	call_printf(t, "{flags=");
	call_symbols(t, a->symbols, flags);
	if (mode || flags & 0100)
		call_printf(t, ", mode=0%02llo", mode);
	call_printf(t, ", resolve=");
	call_hex(t, call_load(t, address + 16, 8));
	call_printf(t, "}");
}

static bool put_simple(struct call_text *t, u8 type, u64 v)
{
	static const struct fields *const lists[] = {
		[STP_ARG_timespec] = &timespec_fields, [STP_ARG_timespec64] = &timespec64_fields, [STP_ARG_timeval] = &timeval_fields,
		[STP_ARG_timezone] = &timezone_fields, [STP_ARG_utimbuf] = &utimbuf_fields, [STP_ARG_rlimit] = &rlimit_fields,
		[STP_ARG_rlimit64] = &rlimit64_fields, [STP_ARG_schedattr] = &schedattr_fields, [STP_ARG_siginfo] = &siginfo_fields,
		[STP_ARG_timex] = &timex_fields, [STP_ARG_cloneargs] = &cloneargs_fields, [STP_ARG_futextime] = &timespec_fields,
	};

	if (type >= sizeof(lists) / sizeof(*lists) || !lists[type])
		return false;
	put_fields(t, lists[type], v);
	return true;
}

static bool put_array(struct call_text *t, u8 type, u64 v, u64 with)
{
	switch (type) {
	case STP_ARG_iovec: case STP_ARG_iovecr: put_iovec(t, v, with, type == STP_ARG_iovec); return true;
	case STP_ARG_pollfd: put_pollfds(t, v, with); return true;
	case STP_ARG_fdset: put_bits(t, v, with); return true;
	case STP_ARG_cpuset: put_bits(t, v, with * 8); return true;
	case STP_ARG_sembuf: put_sembufs(t, v, with); return true;
	case STP_ARG_mmsghdr: put_mmsghdrs(t, v, with); return true;
	case STP_ARG_msgbuf: put_message(t, v, with); return true;
	case STP_ARG_groups: put_groups(t, v, with, 4); return true;
	case STP_ARG_groups16: put_groups(t, v, with, 2); return true;
	case STP_ARG_sockaddr: put_sockaddr(t, v, with); return true;
	case STP_ARG_optval:
		if (with == 4)
			call_printf(t, "[%lld]", call_load_signed(t, v, 4));
		else
			call_bytes(t, v, with, CALL_BYTES_SHOWN);
		return true;
	default: return false;
	}
}

void call_structure(struct call_text *t, u32 i, u64 v)
{
	static const char *const interval[] = { "{it_interval=", ", it_value=", "}" }, *const pair[] = { "[", ", ", "]" };
	const struct stp_syscall_arg *a = &t->call->args[i];
	u64 with = a->with < t->call->nargs ? call_value(t, a->with) : 0;

	if (put_simple(t, a->type, v) || put_array(t, a->type, v, with))
		return;
	switch (a->type) {
	case STP_ARG_timespecs: put_times(t, v); break;
	case STP_ARG_timevals: put_two(t, pair, &timeval_fields, v); break;
	case STP_ARG_itimerval: put_two(t, interval, &timeval_fields, v); break;
	case STP_ARG_itimerspec: put_two(t, interval, &timespec_fields, v); break;
	case STP_ARG_sigset:
		if (with == 8)
			put_signals(t, call_load(t, v, 8), 64);
		else
			call_address(t, v);
		break;
	case STP_ARG_sigset4: put_signals(t, v, 32); break;
	case STP_ARG_sigset4p: put_signals(t, call_load(t, v, 4), 32); break;
	case STP_ARG_sigaction: case STP_ARG_oldsigaction: put_action(t, v, a->type == STP_ARG_oldsigaction); break;
	case STP_ARG_pselectset: put_pselect_set(t, v); break;
	case STP_ARG_stack: put_stack(t, v); break;
	case STP_ARG_msghdr: put_msghdr(t, v); break;
	case STP_ARG_epollevent: put_epoll_event(t, v); break;
	case STP_ARG_openhow: put_open_how(t, a, v); break;
	case STP_ARG_schedparam: case STP_ARG_intp: call_printf(t, "[%lld]", call_load_signed(t, v, 4)); break;
	case STP_ARG_longp: case STP_ARG_timet:
		call_printf(t, "[%lld]", call_load_signed(t, v, t->call->long_size));
		break;
	case STP_ARG_loffp: call_printf(t, "[%lld]", call_load_signed(t, v, 8)); break;
	default: call_address(t, v);
	}
}
