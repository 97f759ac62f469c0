// SPDX-License-Identifier: GPL-2.0-or-later
// Sends datagrams over the loopback interface: packets THREADS COUNT IP BYTES. Each of THREADS threads sends COUNT
// datagrams of BYTES bytes to itself, IP being 4 or 6, and receives each before it sends the next, so that none is
// dropped.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static long count, bytes;
static int family;

// Returns a socket that is connected to itself.
static int open_socket(void)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr *to = family == AF_INET6 ? (struct sockaddr *)&six : (struct sockaddr *)&four;
	socklen_t size = family == AF_INET6 ? sizeof(six) : sizeof(four);
	int fd = socket(family, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, to, size) || getsockname(fd, to, &size) || connect(fd, to, size)) {
		perror("packets: socket");
		exit(1);
	}
	return fd;
}

static void *send_all(void *unused)
{
	char data[2048] = "datagram";
	int fd = open_socket();

	for (long i = 0; i < count; i++)
		if (send(fd, data, bytes, 0) != bytes || recv(fd, data, sizeof(data), 0) != bytes) {
			perror("packets");
			exit(1);
		}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	enum { MOST = 64 };
	pthread_t threads[MOST];
	int n = argc > 1 ? atoi(argv[1]) : 1;

	count = argc > 2 ? atol(argv[2]) : 1;
	family = argc > 3 && atoi(argv[3]) == 6 ? AF_INET6 : AF_INET;
	bytes = argc > 4 ? atol(argv[4]) : 16;
	for (int i = 0; i < n && i < MOST; i++)
		pthread_create(&threads[i], NULL, send_all, NULL);
	for (int i = 0; i < n && i < MOST; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
