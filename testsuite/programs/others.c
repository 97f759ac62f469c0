// SPDX-License-Identifier: GPL-2.0-or-later
// Events whose number is known, of other kinds than in events.c: others THREADS ROUNDS FILE. In each round a thread
// calls step(), sends a packet to itself, and reads the file, which may return EAGAIN. Prints the number of rounds
// of all threads.
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int rounds, failures;
static const char *file;

__attribute__((noinline, noclone)) int step(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static int own_socket(struct sockaddr_in *at)
{
	socklen_t len = sizeof(*at);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (fd < 0 || bind(fd, (struct sockaddr *)at, len) || getsockname(fd, (struct sockaddr *)at, &len))
		exit(1);
	return fd;
}

static void *thread(void *unused)
{
	struct sockaddr_in at;
	int fd = own_socket(&at), i, from;
	char text[64];

	for (i = 0; i < rounds; i++) {
		step(i);
		if (sendto(fd, "x", 1, 0, (struct sockaddr *)&at, sizeof(at)) != 1 || recv(fd, text, sizeof(text), 0) != 1)
			__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
		from = open(file, O_RDONLY);
		if (from < 0 || read(from, text, sizeof(text)) == 0)
			__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
		close(from);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[1]) : 0, i;
	pthread_t threads[64];

	rounds = argc > 3 ? atoi(argv[2]) : 0;
	file = argv[argc - 1];
	for (i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("rounds %d threads %d failures %d\n", n * rounds, n, failures);
	return 0;
}
