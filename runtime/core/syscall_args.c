/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets, socket addresses, arrays and other data that arguments of system calls point to, formatted as strace does.
 * syscall_structs.c formats structures that are only fields. Context and errors as in syscall.c.
 */
#include "syscall.h"

/* ------------------------------------------------------------------ times, limits */

static void put_times(struct call_text *t, u64 address, u64 word)
{
	u64 step = 2 * word;
	u32 i;

	call_put(t, "[");
	for (i = 0; i < 2; i++) {
		u64 ns = call_load(t, address + i * step + word, t->long_size);

		call_put(t, i ? ", " : "");
		if (ns == 0x3fffffff || ns == 0x3ffffffe)
			call_put(t, ns == 0x3fffffff ? "UTIME_NOW" : "UTIME_OMIT");
		else
			call_fields(t, word == 8 ? STP_ARG_timespec64 : STP_ARG_timespec, address + i * step);
	}
	call_put(t, "]");
}

/* ------------------------------------------------------------------ arrays */

bool call_element(struct call_text *t, struct array *a)
{
	if (t->failed) {
		if (a->i < 2)
			return false;
		t->failed = false;
		t->k.at = a->last;
		call_put(t, ", ...]");
		return false;
	}
	if (a->i == a->n) {
		call_put(t, a->i ? "]" : "[]");
		return false;
	}
	if (a->i == CALL_ELEMENTS_SHOWN || (a->i && t->k.at > t->share)) {
		call_put(t, ", ...]");
		return false;
	}
	a->last = t->k.at;
	call_put(t, a->i++ ? ", " : "[");
	return true;
}

/* ------------------------------------------------------------------ sets */

static void put_signals(struct call_text *t, u64 set, u32 bits)
{
	u64 all = bits == 32 ? 0xffffffff : ~0ull, rest;
	const char *between = "";
	bool inverse;
	u32 n = 0, sig;

	stp_charge(t->c, bits * STP_WORK_CHARACTER);
	for (rest = set & all; rest; rest &= rest - 1)
		n++;
	inverse = n >= bits * 2 / 3;

	set = (inverse ? ~set : set) & all;
	call_put(t, inverse ? "~[" : "[");
	for (sig = 1; sig <= bits; sig++) {
		char *at;

		if (!(set >> (sig - 1) & 1))
			continue;
		call_put(t, between);
		between = " ";
		at = t->k.at;
		call_signal(t, sig);
		/* removes the prefix SIG */
		if (t->k.at - at > 3) {
			plat_memmove(at, at + 3, (u64)(t->k.at - at) - 3);
			t->k.at -= 3;
		}
	}
	call_put(t, "]");
}

/* Writes the numbers of the bits that are set, of n bits. */
static void put_bits(struct call_text *t, u64 address, u64 n)
{
	const char *between = "";
	u64 i, word = 0;

	if ((s64)n < 0) {          /* the call rejects it */
		call_address(t, address);
		return;
	}
	call_put(t, "[");
	for (i = 0; i < n && i < 4096 && !t->failed; i++) {
		if (!(i & 31))
			word = call_load(t, address + i / 8, 4);
		if (!word)
			i |= 31;
		if (!(word >> (i & 31) & 1))
			continue;
		if (t->k.at > t->share) {
			call_put(t, " ...");
			break;
		}
		call_printf(t, "%s%llu", between, i);
		between = " ";
	}
	call_put(t, "]");
}

static const struct stp_symbol action_list[] = {
	{ 0x4000000, "SA_RESTORER" }, { 0x8000000, "SA_ONSTACK" }, { 0x10000000, "SA_RESTART" },
	{ 0x40000000, "SA_NODEFER" }, { 0x80000000, "SA_RESETHAND" }, { 4, "SA_SIGINFO" },
	{ 1, "SA_NOCLDSTOP" }, { 2, "SA_NOCLDWAIT" },
};
static const struct stp_symbols action_flags = { action_list, sizeof(action_list) / sizeof(*action_list), 0 };

/* Writes the kernel's struct sigaction; in the older form the mask, of 32 signals, is after the handler. */
static void put_action(struct call_text *t, u64 address, bool old)
{
	u32 size = t->long_size;
	u64 handler = call_load_long(t, address), flags = call_load_long(t, address + (old ? 2 : 1) * size);
	u64 mask_at = address + (old ? 1 : 3) * size, restorer = call_load_long(t, address + (old ? 3 : 2) * size);

	call_put(t, flags & 4 ? "{sa_sigaction=" : "{sa_handler=");
	if (handler < 2)
		call_put(t, handler ? "SIG_IGN" : "SIG_DFL");
	else
		call_address(t, handler);
	call_put(t, ", sa_mask=");
	put_signals(t, call_load(t, mask_at, old ? 4 : 8), old ? 32 : 64);
	call_put(t, ", sa_flags=");
	call_symbols(t, &action_flags, (u32)flags);
	if (flags & 0x4000000)
		call_printf(t, ", sa_restorer=0x%llx", restorer);
	call_put(t, "}");
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
	u32 i, from = 8, max = 1;

	for (i = 0; i < 8; i++)
		word[i] = port(t, address + 2 * i);
	for (i = 0; i < 8; i++) {
		u32 n = 0;

		while (i + n < 8 && !word[i + n])
			n++;
		if (n > max)
			from = i, max = n;
		i += n ? n - 1 : 0;
	}
	if (from == 0 && max == 5 && word[5] == 0xffff) {
		call_put(t, "::ffff:");
		put_ipv4(t, address + 12);
		return;
	}
	for (i = 0; i < 8; i++) {
		if (i == from) {
			call_put(t, "::");
			i += max - 1;
		} else {
			call_printf(t, i && i != from + max ? ":%llx" : "%llx", word[i]);
		}
	}
}

static void put_path(struct call_text *t, u64 address, u64 len)
{
	u64 n = 0;

	if (len && !call_load(t, address, 1)) {
		call_put(t, "@");
		call_bytes(t, address + 1, len - 1, 108);
		return;
	}
	while (n < len && n < 108 && call_load(t, address + n, 1))
		n++;
	call_bytes(t, address, n, 108);
}

static void put_sockaddr(struct call_text *t, u64 address, u64 len)
{
	u64 family;

	if (len < 2 || len > 0x7fffffff) {
		call_address(t, address);
		return;
	}
	family = call_load(t, address, 2);
	call_put(t, "{sa_family=");
	put_family(t, family);
	if (family == 1 && len > 2) {
		call_put(t, ", sun_path=");
		put_path(t, address + 2, len - 2);
	} else if (family == 2 && len >= 8) {
		call_printf(t, ", sin_port=htons(%llu), sin_addr=inet_addr(\"", port(t, address + 2));
		put_ipv4(t, address + 4);
		call_put(t, "\")");
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
		call_put(t, ", sa_data=");
		call_bytes(t, address + 2, len - 2, 14);
	}
	call_put(t, "}");
}

/* Writes one member, for the variables uaddr_ip and the like; "" if the address family does not have it. */
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
		call_unsigned(t, port(t, address + 2));
	else if (part == STP_PART_FLOWINFO && family == 10)
		call_unsigned(t, port(t, address + 4) << 16 | port(t, address + 6));
	else if (part == STP_PART_SCOPE && family == 10)
		call_unsigned(t, call_load(t, address + 24, 4));
	if (t->failed)
		t->k.at = start;
}

/* ------------------------------------------------------------------ arrays */

void call_iovec(struct call_text *t, u64 address, u64 n, u64 bytes)
{
	u32 size = t->long_size;
	struct array a;

	if (n > 1024) {            /* UIO_MAXIOV: the call fails, and the array may be shorter */
		call_address(t, address);
		return;
	}
	for (a = (struct array){ n }; call_element(t, &a); address += 2 * size) {
		u64 base = call_load_long(t, address), len = call_load_long(t, address + size);

		call_put(t, "{iov_base=");
		if (bytes)
			call_bytes(t, base, len < bytes ? len : bytes, CALL_BYTES_SHOWN);
		else
			call_address(t, base);
		call_printf(t, ", iov_len=%llu}", len);
		bytes -= len < bytes ? len : bytes;
	}
}

static const struct stp_symbol poll_list[] = {
	{ 1, "POLLIN" }, { 2, "POLLPRI" }, { 4, "POLLOUT" }, { 0x40, "POLLRDNORM" }, { 0x80, "POLLRDBAND" },
	{ 0x100, "POLLWRNORM" }, { 0x200, "POLLWRBAND" }, { 0x400, "POLLMSG" }, { 0x1000, "POLLREMOVE" },
	{ 0x2000, "POLLRDHUP" },
	{ 8, "POLLERR" }, { 0x10, "POLLHUP" }, { 0x20, "POLLNVAL" },
};
static const struct stp_symbols poll_flags = { poll_list, sizeof(poll_list) / sizeof(*poll_list), 0 };

void call_poll(struct call_text *t, u64 events)
{
	call_symbols(t, &poll_flags, events);
}

static void put_pollfds(struct call_text *t, u64 address, u64 n)
{
	struct array a;

	if (n > 0x100000) {
		call_address(t, address);
		return;
	}
	for (a = (struct array){ n }; call_element(t, &a); address += 8) {
		call_printf(t, "{fd=%lld", call_load_signed(t, address, 4));
		if (call_load_signed(t, address, 4) >= 0) {
			call_put(t, ", events=");
			call_poll(t, call_load(t, address + 4, 2));
		}
		call_put(t, "}");
	}
}

static const struct stp_symbol epoll_list[] = {
	{ 1, "EPOLLIN" }, { 2, "EPOLLPRI" }, { 4, "EPOLLOUT" }, { 0x40, "EPOLLRDNORM" }, { 0x80, "EPOLLRDBAND" },
	{ 0x100, "EPOLLWRNORM" }, { 0x200, "EPOLLWRBAND" }, { 0x400, "EPOLLMSG" }, { 8, "EPOLLERR" },
	{ 0x10, "EPOLLHUP" }, { 0x2000, "EPOLLRDHUP" }, { 0x10000000, "EPOLLEXCLUSIVE" },
	{ 0x20000000, "EPOLLWAKEUP" }, { 0x40000000, "EPOLLONESHOT" }, { 0x80000000, "EPOLLET" },
};
static const struct stp_symbols epoll_flags = { epoll_list, sizeof(epoll_list) / sizeof(*epoll_list), 0 };

/* The structure is packed for 32-bit processes on x86, but not on other architectures. */
#if defined(__x86_64__)
enum { EPOLL_DATA = 4, EPOLL_EVENT = 12 };
#else
enum { EPOLL_DATA = 8, EPOLL_EVENT = 16 };
#endif

static void put_epoll_event(struct call_text *t, u64 address)
{
	u64 data = call_load(t, address + EPOLL_DATA, 8);

	call_put(t, "{events=");
	call_symbols(t, &epoll_flags, call_load(t, address, 4));
	call_printf(t, ", data={u32=%llu, u64=%llu}}", data & 0xffffffff, data);
}

static void put_epoll_events(struct call_text *t, u64 address, u64 n)
{
	struct array a;

	for (a = (struct array){ n }; call_element(t, &a); address += EPOLL_EVENT)
		put_epoll_event(t, address);
}

static void put_sembufs(struct call_text *t, u64 address, u64 n)
{
	struct array a;

	for (a = (struct array){ n }; call_element(t, &a); address += 6)
		call_fields(t, STP_ARG_sembuf, address);
}

static void put_segments(struct call_text *t, u64 address, u64 n)
{
	struct array a;

	if (n > 16) {              /* KEXEC_SEGMENT_MAX */
		call_address(t, address);
		return;
	}
	for (a = (struct array){ n }; call_element(t, &a); address += 4 * t->long_size)
		call_fields(t, STP_ARG_kexecsegment, address);
}

/* Writes numbers of `size` bytes, or signed numbers of -size bytes, or addresses (size 0). */
static void put_numbers(struct call_text *t, u64 address, u64 n, int size)
{
	u32 bytes = size < 0 ? (u32)-size : size ? (u32)size : t->long_size;
	struct array a;

	if ((s64)n < 0 || n > 65536) {
		call_address(t, address);
		return;
	}
	for (a = (struct array){ n }; call_element(t, &a); address += bytes) {
		if (size < 0)
			call_decimal(t, call_load_signed(t, address, bytes));
		else if (size)
			call_unsigned(t, call_load(t, address, bytes));
		else
			call_address(t, call_load(t, address, bytes));
	}
}

/* Writes a message; of the control messages only the size. */
static void put_msghdr(struct call_text *t, const struct stp_syscall_arg *arg, u64 address, u64 bytes)
{
	u32 size = t->long_size;
	u64 name = call_load_long(t, address), namelen = call_load(t, address + size, 4);
	u64 iov = call_load_long(t, address + 2 * size), n = call_load_long(t, address + 3 * size);
	u64 control = call_load_long(t, address + 4 * size), controllen = call_load_long(t, address + 5 * size);

	call_put(t, "{msg_name=");
	if (name && namelen)
		put_sockaddr(t, name, namelen);
	else
		call_address(t, name);
	if (t->has_before && t->before != namelen)
		call_printf(t, ", msg_namelen=%lld => %lld, msg_iov=", (s64)(s32)t->before, (s64)(s32)namelen);
	else
		call_printf(t, ", msg_namelen=%lld, msg_iov=", (s64)(s32)namelen);
	if (iov)
		call_iovec(t, iov, n, bytes);
	else
		call_address(t, iov);
	call_printf(t, ", msg_iovlen=%llu", n);
	if (control)
		call_printf(t, ", msg_control=0x%llx", control);
	call_printf(t, ", msg_controllen=%llu, msg_flags=", controllen);
	call_symbols(t, arg->symbols, call_load(t, address + 6 * size, 4));
	call_put(t, "}");
}

static void put_mmsghdrs(struct call_text *t, const struct stp_syscall_arg *arg, u64 address, u64 n)
{
	u64 step = t->long_size == 8 ? 64 : 32;
	struct array a;

	for (a = (struct array){ n }; call_element(t, &a); address += step) {
		u64 len = call_load(t, address + step - 8 + (step == 32 ? 4 : 0), 4);

		call_put(t, "{msg_hdr=");
		put_msghdr(t, arg, address, arg->with == STP_SYSCALL_RESULT ? len : ~0ull);
		if (call_returned(t))
			call_printf(t, ", msg_len=%llu}", len);
		else
			call_put(t, "}");
	}
}

/* ------------------------------------------------------------------ other structures */

static void put_stack(struct call_text *t, u64 address)
{
	u32 size = t->long_size;
	u64 flags = call_load(t, address + size, 4);

	call_put(t, "{ss_sp=");
	call_address(t, call_load_long(t, address));
	call_printf(t, flags == 2 ? ", ss_flags=SS_DISABLE" : flags == 1 ? ", ss_flags=SS_ONSTACK" : ", ss_flags=%llu",
		    flags);
	call_printf(t, ", ss_size=%llu}", call_load_long(t, address + 2 * size));
}

static void put_message(struct call_text *t, u64 address, u64 len)
{
	call_printf(t, "{mtype=%lld, mtext=", call_load_signed(t, address, t->long_size));
	call_bytes(t, address + t->long_size, len, CALL_BYTES_SHOWN);
	call_put(t, "}");
}

static void put_pselect_set(struct call_text *t, u64 address)
{
	u64 set = call_load_long(t, address), size = call_load_long(t, address + t->long_size);

	call_put(t, "{sigmask=");
	if (set)
		put_signals(t, call_load(t, set, 8), 64);
	else
		call_put(t, "NULL");
	call_printf(t, ", sigsetsize=%llu}", size);
}

static const struct stp_symbol resolve_list[] = {
	{ 1, "RESOLVE_NO_XDEV" }, { 2, "RESOLVE_NO_MAGICLINKS" }, { 4, "RESOLVE_NO_SYMLINKS" }, { 8, "RESOLVE_BENEATH" },
	{ 0x10, "RESOLVE_IN_ROOT" }, { 0x20, "RESOLVE_CACHED" },
};
static const struct stp_symbols resolve_flags = { resolve_list, sizeof(resolve_list) / sizeof(*resolve_list), 0 };

static void put_open_how(struct call_text *t, const struct stp_syscall_arg *a, u64 address, u64 size)
{
	u64 flags, mode;

	if (size < 24) {           /* the call rejects it */
		call_address(t, address);
		return;
	}
	flags = call_load(t, address, 8);
	mode = call_load(t, address + 8, 8);
	call_put(t, "{flags=");
	call_symbols(t, a->symbols, flags);
	if (mode || flags & 0100)
		call_printf(t, ", mode=0%02llo", mode);
	call_put(t, ", resolve=");
	call_symbols(t, &resolve_flags, call_load(t, address + 16, 8));
	call_put(t, "}");
}

/* Returns the length at `address`, at most the length at the entry, since the call writes no more. */
static u64 written_length(struct call_text *t, u64 address)
{
	u64 len = address ? call_load(t, address, 4) : 0;

	return t->has_before && t->before < len ? t->before : len;
}

static void put_option(struct call_text *t, u64 address, u64 len)
{
	u64 level = call_value(t, 1), name = call_value(t, 2);

	if (level == 1 && name == 13 && len >= 8)          /* SO_LINGER */
		call_fields(t, STP_ARG_linger, address);
	else if (level == 1 && name == 17 && len >= 12)    /* SO_PEERCRED */
		call_printf(t, "{pid=%lld, uid=%llu, gid=%llu}", call_load_signed(t, address, 4),
			    call_load(t, address + 4, 4), call_load(t, address + 8, 4));
	else if (len == 4)
		call_printf(t, "[%lld]", call_load_signed(t, address, 4));
	else
		call_bytes(t, address, len, CALL_BYTES_SHOWN);
}

/* Writes both numbers, such as [128 => 16]; only one if it did not change. */
static void put_change(struct call_text *t, u64 address, u32 size, const char *changed)
{
	s64 now = call_load_signed(t, address, size);

	if (call_returned(t) && t->has_before && (s64)t->before != now)
		call_printf(t, changed, (s64)t->before, now);
	else
		call_printf(t, "[%lld]", t->has_before ? (s64)t->before : now);
}

bool call_before(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 *before)
{
	u64 with = call_with(t, a);

	switch (a->type) {
	case STP_ARG_lenp: *before = (u64)call_load_signed(t, v, 4); break;
	case STP_ARG_handle: *before = call_load(t, v, 4); break;
	case STP_ARG_sockaddrl: case STP_ARG_optvall:
		if (!with)
			return false;
		*before = call_load(t, with, 4);
		break;
	case STP_ARG_loffpp: *before = call_load(t, v, 8); break;
	case STP_ARG_offpp: *before = (u64)call_load_signed(t, v, t->long_size); break;
	case STP_ARG_msghdr: *before = call_load(t, v + t->long_size, 4); break;
	default: return false;
	}
	return !t->failed;
}

bool call_shown_always(const struct call_text *t, u8 type)
{
	return type == STP_ARG_lenp || type == STP_ARG_loffpp || type == STP_ARG_offpp || type == STP_ARG_handle ||
	       type == STP_ARG_iovecr || type == STP_ARG_mmsghdr || (type == STP_ARG_msghdr && t->has_before);
}

static bool put_array(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 with)
{
	u64 result = call_returned(t) ? t->c->arguments[STP_SYSCALL_RESULT] : 0;

	switch (a->type) {
	case STP_ARG_iovec: call_iovec(t, v, with, ~0ull); return true;
	case STP_ARG_iovecr: call_iovec(t, v, with, result); return true;
	case STP_ARG_pollfd: put_pollfds(t, v, with); return true;
	case STP_ARG_fdset: put_bits(t, v, with); return true;
	case STP_ARG_cpuset: put_bits(t, v, with * 8); return true;
	case STP_ARG_sembuf: put_sembufs(t, v, with); return true;
	case STP_ARG_mmsghdr: case STP_ARG_mmsghdro: put_mmsghdrs(t, a, v, with); return true;
	case STP_ARG_msgbuf: put_message(t, v, with); return true;
	case STP_ARG_groups: put_numbers(t, v, with, 4); return true;
	case STP_ARG_groups16: put_numbers(t, v, with, 2); return true;
	case STP_ARG_addresses: put_numbers(t, v, with, 0); return true;
	case STP_ARG_ints: put_numbers(t, v, with, -4); return true;
	case STP_ARG_kexecsegments: put_segments(t, v, with); return true;
	case STP_ARG_epollevents: put_epoll_events(t, v, with); return true;
	case STP_ARG_pipefds: put_numbers(t, v, 2, 4); return true;
	case STP_ARG_sockaddr: put_sockaddr(t, v, with); return true;
	case STP_ARG_sockaddrl: put_sockaddr(t, v, written_length(t, with)); return true;
	case STP_ARG_optval: put_option(t, v, with); return true;
	case STP_ARG_optvall: put_option(t, v, written_length(t, with)); return true;
	default: return false;
	}
}

static bool put_pointed(struct call_text *t, const struct stp_syscall_arg *a, u64 v)
{
	u32 word = t->long_size;

	switch (a->type) {
	case STP_ARG_schedparam: case STP_ARG_intp: case STP_ARG_cloneparent:
		call_printf(t, "[%lld]", call_load_signed(t, v, 4));
		return true;
	case STP_ARG_uintp: call_printf(t, "[%llu]", call_load(t, v, 4)); return true;
	case STP_ARG_uint16p: call_printf(t, "[%llu]", call_load(t, v, 2)); return true;
	case STP_ARG_longp: case STP_ARG_timet: call_printf(t, "[%lld]", call_load_signed(t, v, word)); return true;
	case STP_ARG_ulongp: call_printf(t, "[%llu]", call_load_long(t, v)); return true;
	case STP_ARG_addressp:
		call_put(t, "[");
		call_address(t, call_load_long(t, v));
		call_put(t, "]");
		return true;
	case STP_ARG_flagsp:
		call_put(t, "[");
		call_symbols(t, a->symbols, call_load(t, v, 4));
		call_put(t, "]");
		return true;
	case STP_ARG_sigp:
		call_put(t, "[");
		call_signal(t, call_load_signed(t, v, 4));
		call_put(t, "]");
		return true;
	case STP_ARG_loffp: call_printf(t, "[%lld]", call_load_signed(t, v, 8)); return true;
	case STP_ARG_lenp: put_change(t, v, 4, "[%lld => %lld]"); return true;
	case STP_ARG_loffpp: put_change(t, v, 8, "[%lld] => [%lld]"); return true;
	case STP_ARG_offpp: put_change(t, v, word, "[%lld] => [%lld]"); return true;
	default: return false;
	}
}

void call_register(struct call_text *t, u64 at)
{
#if defined(__x86_64__)
	static const char *const registers[] = {
		"R15", "R14", "R13", "R12", "RBP", "RBX", "R11", "R10", "R9", "R8", "RAX", "RCX", "RDX", "RSI", "RDI",
		"ORIG_RAX", "RIP", "CS", "EFL", "RSP", "SS",
	};
	static const struct { u16 at; const char *name; } members[] = {
		{ 216, "u_fpvalid" }, { 224, "i387" }, { 736, "u_tsize" }, { 744, "u_dsize" }, { 752, "u_ssize" },
		{ 760, "start_code" }, { 768, "start_stack" }, { 776, "signal" }, { 784, "reserved" },
		{ 792, "u_ar0" }, { 800, "u_fpstate" }, { 808, "magic" }, { 816, "u_comm" }, { 848, "u_debugreg" },
	};
	enum { REGISTERS = sizeof(registers) / sizeof(*registers), MEMBERS = sizeof(members) / sizeof(*members) };
	u32 i = 0;

	if (t->long_size == 8 && at < 912) {
		while (i < MEMBERS && members[i].at <= at)
			i++;
		if (i) {
			call_printf(t, "offsetof(struct user, %s)", members[i - 1].name);
			at -= members[i - 1].at;
		} else {
			i = (u32)at / 8 < REGISTERS ? (u32)at / 8 : REGISTERS - 1;
			call_printf(t, "8*%s", registers[i]);
			at -= 8 * i;
		}
		call_printf(t, at ? "+%llu" : "", at);
		return;
	}
#endif
	call_hex(t, at);
}

/* The kernel rejects sets of another size than its own, but when it writes a set it accepts smaller sizes. */
static void put_signal_set(struct call_text *t, const struct stp_syscall_arg *a, u64 address, u64 size)
{
	u64 set = 0;
	u32 i;

	if (!size || size > 8 || (size & (t->long_size - 1) && !a->written)) {
		call_address(t, address);
		return;
	}
	for (i = 0; i < size; i++)
		set |= call_load(t, address + i, 1) << 8 * i;
	put_signals(t, set, 8 * (u32)size);
}

void call_structure(struct call_text *t, u32 i, u64 v)
{
	const struct stp_syscall_arg *a = call_arg(t, i);
	u64 with = call_with(t, a);

	if (put_array(t, a, v, with) || call_fields(t, a->type, v) || put_pointed(t, a, v) || call_out(t, a, v, with) ||
	    call_sized(t, a, v, with))
		return;
	switch (a->type) {
	case STP_ARG_timespecs: put_times(t, v, t->long_size); break;
	case STP_ARG_timespecs64: put_times(t, v, 8); break;
	case STP_ARG_sigset:
		put_signal_set(t, a, v, with);
		break;
	case STP_ARG_sigset4: put_signals(t, v, 32); break;
	case STP_ARG_sigset4p: put_signals(t, call_load(t, v, 4), 32); break;
	case STP_ARG_sigaction: case STP_ARG_oldsigaction: put_action(t, v, a->type == STP_ARG_oldsigaction); break;
	case STP_ARG_pselectset: put_pselect_set(t, v); break;
	case STP_ARG_stack: put_stack(t, v); break;
	case STP_ARG_msghdr:
		if (a->written && !call_returned(t)) {
			call_printf(t, "{msg_namelen=%lld}", (s64)(s32)t->before);
			break;
		}
		put_msghdr(t, a, v, a->with == STP_SYSCALL_RESULT ? with : ~0ull); break;
	case STP_ARG_epollevent:
		if (with == 2)     /* EPOLL_CTL_DEL does not read it */
			call_address(t, v);
		else
			put_epoll_event(t, v);
		break;
	case STP_ARG_openhow: put_open_how(t, a, v, with); break;
	default: call_address(t, v);
	}
}
