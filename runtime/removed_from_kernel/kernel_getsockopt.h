/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Until 5.7, this function read an option of a socket for the kernel itself. Its replacement takes an address in
 * the process's memory, or may sleep. Options that are one or two numbers of the socket are read here in the same
 * way as by the system call; any other option is -ENOPROTOOPT.
 */
#include "stp_config.h"
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp.h>
#ifndef HAVE_KERNEL_GETSOCKOPT
static inline int stp_socket_option(struct socket *sock, int name, int *value)
{
	struct sock *sk = sock->sk;

	switch (name) {
	case SO_DEBUG:		*value = sock_flag(sk, SOCK_DBG); return 0;
	case SO_DONTROUTE:	*value = sock_flag(sk, SOCK_LOCALROUTE); return 0;
	case SO_BROADCAST:	*value = sock_flag(sk, SOCK_BROADCAST); return 0;
	case SO_KEEPALIVE:	*value = sock_flag(sk, SOCK_KEEPOPEN); return 0;
	case SO_OOBINLINE:	*value = sock_flag(sk, SOCK_URGINLINE); return 0;
	case SO_SNDBUF:		*value = READ_ONCE(sk->sk_sndbuf); return 0;
	case SO_RCVBUF:		*value = READ_ONCE(sk->sk_rcvbuf); return 0;
	case SO_REUSEADDR:	*value = sk->sk_reuse; return 0;
	case SO_REUSEPORT:	*value = sk->sk_reuseport; return 0;
	case SO_TYPE:		*value = sk->sk_type; return 0;
	case SO_PROTOCOL:	*value = sk->sk_protocol; return 0;
	case SO_DOMAIN:		*value = sk->sk_family; return 0;
	case SO_NO_CHECK:	*value = sk->sk_no_check_tx; return 0;
	case SO_PRIORITY:	*value = READ_ONCE(sk->sk_priority); return 0;
	case SO_MARK:		*value = READ_ONCE(sk->sk_mark); return 0;
	case SO_RCVLOWAT:	*value = READ_ONCE(sk->sk_rcvlowat); return 0;
	case SO_SNDLOWAT:	*value = 1; return 0;
	case SO_ACCEPTCONN:	*value = READ_ONCE(sk->sk_state) == TCP_LISTEN; return 0;
#ifdef SOCK_PASSCRED
	case SO_PASSCRED:	*value = !!test_bit(SOCK_PASSCRED, &sock->flags); return 0;
#else	/* 6.16 */
	case SO_PASSCRED:
		*value = sk->sk_scm_credentials;
		return sk_may_scm_recv(sk) ? 0 : -EOPNOTSUPP;
#endif
	case SO_ERROR:          /* reading the error clears it */
		*value = -sock_error(sk);
		if (!*value)
			*value = xchg(&sk->sk_err_soft, 0);
		return 0;
	}
	return -ENOPROTOOPT;
}

static inline int stp_tcp_option(struct sock *sk, int name, int *value)
{
	if ((sk->sk_family != AF_INET && sk->sk_family != AF_INET6) || sk->sk_protocol != IPPROTO_TCP ||
	    sk->sk_type != SOCK_STREAM)
		return -EOPNOTSUPP;
	switch (name) {
	case TCP_NODELAY:	*value = !!(tcp_sk(sk)->nonagle & TCP_NAGLE_OFF); return 0;
	case TCP_CORK:		*value = !!(tcp_sk(sk)->nonagle & TCP_NAGLE_CORK); return 0;
	case TCP_KEEPIDLE:	*value = keepalive_time_when(tcp_sk(sk)) / HZ; return 0;
	case TCP_KEEPINTVL:	*value = keepalive_intvl_when(tcp_sk(sk)) / HZ; return 0;
	case TCP_KEEPCNT:	*value = keepalive_probes(tcp_sk(sk)); return 0;
	}
	return -ENOPROTOOPT;
}

static inline int kernel_getsockopt(struct socket *sock, int level, int name, char *to, int *size)
{
	struct linger linger;
	int value = 0, error = -ENOPROTOOPT, length = sizeof(value);
	const void *from = &value;

	if (*size < 0)
		return -EINVAL;
	if (!sock->sk)
		return -ENOTCONN;
	if (level == SOL_SOCKET && name == SO_LINGER) {
		linger.l_onoff = sock_flag(sock->sk, SOCK_LINGER);
		linger.l_linger = READ_ONCE(sock->sk->sk_lingertime) / HZ;
		from = &linger;
		length = sizeof(linger);
		error = 0;
	} else if (level == SOL_SOCKET) {
		error = stp_socket_option(sock, name, &value);
	} else if (level == SOL_TCP) {
		error = stp_tcp_option(sock->sk, name, &value);
	}
	if (error)
		return error;
	*size = min(*size, length);
	memcpy(to, from, *size);
	return 0;
}
#endif
