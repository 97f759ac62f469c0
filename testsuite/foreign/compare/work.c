// SPDX-License-Identifier: GPL-2.0-or-later
// The processes that are traced while outputs are compared with those of bpftrace: "bt-work TOOL" makes the events
// that the tool reports, the same ones each time.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void opens(void)
{
	close(open("/etc/passwd", O_RDONLY));
	open("/nosuch/file", O_RDONLY);
	syscall(SYS_open, "/nosuch/other", O_RDONLY);
}

static void stats(void)
{
	struct stat st;
	struct statx stx;
	struct statfs fs;

	syscall(SYS_stat, "/nosuch/stat", &st);
	syscall(SYS_lstat, "/etc/passwd", &st);
	statx(AT_FDCWD, "/etc/passwd", 0, STATX_SIZE, &stx);
	statfs("/etc", &fs);
}

static void runs(void)
{
	for (int i = 0; i < 5; i++) {
		if (!fork())
			execl("/bin/true.bt", "true.bt", "an argument", "another", NULL);
		wait(NULL);
	}
}

static void kills(void)
{
	signal(SIGUSR1, SIG_IGN);
	kill(getpid(), SIGUSR1);
	kill(99999, 0);
}

static void sleeps(void)
{
	struct timespec ts = { 0, 250 * 1000 * 1000 };

	syscall(SYS_nanosleep, &ts, NULL);
	ts.tv_nsec = 2 * 1000 * 1000;
	syscall(SYS_nanosleep, &ts, NULL);
}

static void users(void)
{
	setfsuid(1000);
	syscall(SYS_setresuid, -1, 1000, -1);
	syscall(SYS_setuid, 0);
	syscall(SYS_setuid, 1001);
	syscall(SYS_setuid, 1002);
}

static void capabilities(void)
{
	close(creat("/tmp/bt-capable", 0600));
	syscall(SYS_chown, "/tmp/bt-capable", 1000, 1000);
	syscall(SYS_mknod, "/tmp/bt-node", S_IFCHR, 0x103);
	unlink("/tmp/bt-node");
}

static void syncs(void)
{
	int fd = open("/tmp/bt-sync", O_RDWR | O_CREAT, 0600);
	char *page;

	ftruncate(fd, 4096);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sync();
	syncfs(fd);
	fsync(fd);
	fdatasync(fd);
	msync(page, 4096, MS_SYNC);
}

static void writes(void)
{
	int fd = open("/tmp/bt-file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char buffer[300];

	for (int i = 1; i <= 300; i++)
		pwrite(fd, buffer, i, 0);
	for (int i = 0; i < 40; i++)
		pread(fd, buffer, 10, 0);
	fsync(fd);
	close(fd);
}

static void disk(void)
{
	int fd = open("/dev/loop0", O_RDONLY | O_DIRECT);
	void *page;

	if (posix_memalign(&page, 4096, 65536))
		exit(1);
	for (int i = 0; i < 20; i++)
		pread(fd, page, i % 4 ? 4096 : 16384, i * 65536);
}

// A server and a client of one connection; the client closes it first.
static void connection(int family)
{
	struct sockaddr_in in4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(5555) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback, .sin6_port = htons(5556) };
	const struct sockaddr *address = family == AF_INET ? (void *)&in4 : (void *)&in6;
	socklen_t size = family == AF_INET ? sizeof(in4) : sizeof(in6);
	int server = socket(family, SOCK_STREAM, 0), client, accepted;
	static char buffer[5000];

	if (bind(server, address, size) || listen(server, 7))
		exit(1);
	client = socket(family, SOCK_STREAM, 0);
	if (connect(client, address, size))
		exit(1);
	accepted = accept(server, NULL, NULL);
	write(client, buffer, sizeof(buffer));
	for (ssize_t n = 0, got; n < (ssize_t)sizeof(buffer) && (got = read(accepted, buffer, sizeof(buffer))) > 0;)
		n += got;
	close(client);
	while (read(accepted, buffer, sizeof(buffer)) > 0)
		;
	close(accepted);
	close(server);
}

static void connections(void)
{
	connection(AF_INET);
	connection(AF_INET6);
}

// The peer does not answer: the first retransmission is after a second.
static void unanswered(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = inet_addr("10.9.0.2"), .sin_port = htons(9) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	connect(fd, (struct sockaddr *)&in, sizeof(in));
	usleep(1500 * 1000);
}

// A datagram for a port without a reader is dropped.
static void refused(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(9) };

	connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&in, sizeof(in));
}

static void pairs(void)
{
	int fds[2];
	char buffer[100];

	socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
	write(fds[0], "a line\n\001", 8);
	read(fds[1], buffer, sizeof(buffer));
}

static void names(void)
{
	struct addrinfo *list;

	getaddrinfo("127.0.0.1", NULL, NULL, &list);
	gethostbyname("127.0.0.2");
}

static void spins(void)
{
	for (time_t end = time(NULL) + 2; time(NULL) < end;)
		;
}

static void waits(void)
{
	usleep(2300 * 1000);
}

static void runs_and_waits(void)
{
	runs();
	waits();
}

static void writes_and_waits(void)
{
	writes();
	waits();
}

static void *first_thread(void *argument) { return argument; }
static void *second_thread(void *argument) { return argument; }

// Waits at the end, since bpftrace finds names of functions only while the process exists.
static void threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++) {
		pthread_create(&thread, NULL, i % 2 ? second_thread : first_thread, NULL);
		pthread_join(thread, NULL);
	}
	waits();
}

static void certify(SSL_CTX *context)
{
	EVP_PKEY *key = EVP_RSA_gen(1024);
	X509 *certificate = X509_new();

	X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
	X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
	X509_set_pubkey(certificate, key);
	X509_sign(certificate, key, EVP_sha256());
	SSL_CTX_set_security_level(context, 0);
	SSL_CTX_use_certificate(context, certificate);
	SSL_CTX_use_PrivateKey(context, key);
}

static SSL *tls_end(const SSL_METHOD *method, BIO *transport)
{
	SSL_CTX *context = SSL_CTX_new(method);
	SSL *end;

	certify(context);
	end = SSL_new(context);
	SSL_set_bio(end, transport, transport);
	return end;
}

// Both ends of a connection in one thread: each step of a handshake except the last ones ends because it lacks an
// answer.
static void tls(void)
{
	BIO *near, *far;
	SSL *client, *server;
	char text[100];
	int connected, accepted;

	BIO_new_bio_pair(&near, 0, &far, 0);
	client = tls_end(TLS_client_method(), near);
	server = tls_end(TLS_server_method(), far);
	SSL_set_connect_state(client);
	SSL_set_accept_state(server);
	do {
		connected = SSL_do_handshake(client);
		accepted = SSL_do_handshake(server);
	} while (connected != 1 || accepted != 1);
	for (int i = 1; i <= 5; i++) {
		SSL_write(client, text, 10 * i);
		SSL_read(server, text, sizeof(text));
	}
	SSL_read(server, text, sizeof(text));
	waits();
}

// Runs in a process that exists when bpftrace prints its maps, so that it finds names of functions.
static void tls_for_longer(void)
{
	int done[2];

	pipe(done);
	if (fork()) {
		close(done[1]);
		read(done[0], done, 1);
		return;
	}
	tls();
	close(done[1]);
	for (int i = 0; i < 5; i++)
		waits();
}

static const struct { const char *tool; void (*work)(void); } works[] = {
	{ "opensnoop", opens }, { "dcsnoop", opens }, { "statsnoop", stats }, { "execsnoop", runs },
	{ "pidpersec", runs_and_waits },
	{ "killsnoop", kills }, { "naptime", sleeps }, { "setuids", users },
	{ "capable", capabilities }, { "syncsnoop", syncs },
	{ "syscount", writes }, { "vfscount", writes }, { "vfsstat", writes_and_waits },
	{ "biolatency", disk }, { "biosnoop", disk },
	{ "biostacks", disk }, { "bitesize", disk }, { "tcpaccept", connections }, { "tcpconnect", connections },
	{ "tcplife", connections }, { "tcpsynbl", connections }, { "tcpretrans", unanswered }, { "tcpdrop", refused },
	{ "undump", pairs }, { "gethostlatency", names }, { "cpuwalk", spins }, { "runqlen", spins }, { "runqlat", waits },
	{ "loads", waits }, { "swapin", waits }, { "lessons", writes },
	{ "threadsnoop", threads }, { "sslsnoop", tls }, { "ssllatency", tls_for_longer },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]) && argc > 1; i++)
		if (!strcmp(argv[1], works[i].tool))
			works[i].work();
	return 0;
}
