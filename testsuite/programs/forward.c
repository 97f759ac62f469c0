// SPDX-License-Identifier: GPL-2.0-or-later
// A tunnel through which two packets for other hosts arrive, IPv4 and IPv6, and leave again; the packets that
// return are printed. Then a connection to itself over IPv6.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const char text[] = "forward-me";

static unsigned int sum(const void *bytes, int n, unsigned int s)
{
	for (const unsigned char *p = bytes; n > 0; n -= 2, p += 2)
		s += p[0] << 8 | (n > 1 ? p[1] : 0);
	return s;
}

static unsigned int folded(unsigned int s)
{
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return ~s & 0xffff;
}

static void put16(unsigned char *p, unsigned int v)
{
	p[0] = v >> 8;
	p[1] = v;
}

// Writes a header of UDP and the text, after the addresses at `addresses`, which the checksum also includes.
static void fill_udp(unsigned char *udp, const unsigned char *addresses, int len)
{
	int n = 8 + sizeof(text) - 1;

	put16(udp, 1111);
	put16(udp + 2, 2222);
	put16(udp + 4, n);
	memcpy(udp + 8, text, sizeof(text) - 1);
	put16(udp + 6, folded(sum(udp, n, sum(addresses, len, IPPROTO_UDP + n))));
}

static void send_four(int tun)
{
	unsigned char p[20 + 8 + sizeof(text) - 1] = { 0x45, 0, 0, sizeof(p), 0, 1, 0, 0, 9, IPPROTO_UDP };

	inet_pton(AF_INET, "10.7.1.2", p + 12);
	inet_pton(AF_INET, "10.7.2.2", p + 16);
	put16(p + 10, folded(sum(p, 20, 0)));
	fill_udp(p + 20, p + 12, 8);
	if (write(tun, p, sizeof(p)) != sizeof(p))
		perror("IPv4");
}

static void send_six(int tun)
{
	unsigned char p[40 + 8 + sizeof(text) - 1] = { 0x60, 0, 0, 0, 0, 8 + sizeof(text) - 1, IPPROTO_UDP, 9 };

	inet_pton(AF_INET6, "fd07:1::2", p + 8);
	inet_pton(AF_INET6, "fd07:2::2", p + 24);
	fill_udp(p + 40, p + 8, 32);
	if (write(tun, p, sizeof(p)) != sizeof(p))
		perror("IPv6");
}

// Reads packets that the kernel sends into the tunnel, until both have arrived.
static void read_back(int tun)
{
	struct pollfd fd = { tun, POLLIN };
	unsigned char p[2000];
	char name[100];

	for (int wanted = 2; wanted && poll(&fd, 1, 5000) > 0;) {
		long n = read(tun, p, sizeof(p));
		int six = p[0] >> 4 == 6;

		if (n < 28 || p[six ? 6 : 9] != IPPROTO_UDP)
			continue;
		printf("back %d %s\n", p[0] >> 4, inet_ntop(six ? AF_INET6 : AF_INET, p + (six ? 24 : 16), name, sizeof(name)));
		wanted--;
	}
}

static int talk(void)
{
	struct sockaddr_in6 a = { AF_INET6, htons(7676), 0, IN6ADDR_LOOPBACK_INIT };
	int l = socket(AF_INET6, SOCK_STREAM, 0), c = socket(AF_INET6, SOCK_STREAM, 0), on = 1, s;
	char got[100];

	setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (bind(l, (void *)&a, sizeof(a)) || listen(l, 1) || connect(c, (void *)&a, sizeof(a)))
		return perror("::1"), 1;
	s = accept(l, NULL, NULL);
	if (send(c, "hello-six", 9, 0) != 9 || recv(s, got, sizeof(got), 0) != 9)
		return perror("hello-six"), 1;
	close(s);
	return recv(c, got, sizeof(got), 0);
}

int main(void)
{
	struct ifreq r = { .ifr_name = "tun7", .ifr_flags = IFF_TUN | IFF_NO_PI };
	int tun = open("/dev/net/tun", O_RDWR);

	if (tun < 0 || ioctl(tun, TUNSETIFF, &r))
		return perror("tun"), 1;
	if (system("ip address add 10.7.1.1/24 dev tun7; ip -6 address add fd07:1::1/64 dev tun7; ip link set tun7 up;"
		   "ip route add 10.7.2.0/24 dev tun7; ip -6 route add fd07:2::/64 dev tun7"))
		return 1;
	usleep(300000);
	send_four(tun);
	send_six(tun);
	read_back(tun);
	return talk();
}
