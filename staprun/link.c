// SPDX-License-Identifier: GPL-2.0-or-later
// staprun --link SIZE NAME [OPTION...] NAME: a host of stap --merge. Reads a module of SIZE bytes, runs staprun with
// it, and relays its output as messages of link_messages.h. It stores the messages that stap has not received. If the
// connection ends, it waits for another (staprun --rejoin DIRECTORY); after LINK_SILENCE_MS without an order it ends
// the session.
// Runs without privileges, as stapio; the staprun that it starts has the privileges of the user.
#include "stapio.h"

#include "interrupts.h"
#include "log.h"
#include "staprun.h"

#include "link_messages.h"
#include "number.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	STORED_MAX = 8 << 20,              // stored bytes, after which staprun has to wait
	MODULE_MAX = 256 << 20,
	MODULE_WAIT_MS = 30000,            // time without further bytes of the module, after which this process exits
};

static struct link {
	char directory[LINK_DIRECTORY_MAX], module[LINK_DIRECTORY_MAX + 128], socket[LINK_DIRECTORY_MAX + 8];
	int in, out;                       // descriptors of the connection; -1: not connected
	int listener;                      // socket to which staprun --rejoin connects
	bool resumed;                      // an order of this connection has determined which byte is sent first
	int streams[2];                    // standard output and error of staprun; -1: closed
	int child, child_fd;               // staprun's process ID and pidfd; -1: it has exited
	int status;                        // its exit status
	unsigned char *bytes;              // stored messages: those that stap has not received
	uint64_t first;                    // number of bytes of the session before them
	size_t len, size, sent;            // sent: number of these bytes that this connection has accepted
	unsigned char order[sizeof(struct link_order)];
	size_t order_len;
	int64_t last_order_ms;             // time of the last order
	int64_t ended_ms;                  // time of the first SIGTERM to staprun; 0: none yet
	bool ended_twice;                  // staprun was sent the second SIGTERM
	bool abandoned;                    // the rest of the output is discarded
} l = { .in = STDIN_FILENO, .out = STDOUT_FILENO, .listener = -1, .streams = { -1, -1 }, .child_fd = -1 };

static volatile sig_atomic_t killed;       // SIGTERM or SIGINT was received

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void remove_files(void)
{
	unlink(l.module);
	unlink(l.socket);
	rmdir(l.directory);
}

// ---------------------------------------------------------------- stored messages

static void put(const void *bytes, size_t len)
{
	if (l.len + len > l.size) {
		size_t size = 2 * (l.len + len);
		unsigned char *more = realloc(l.bytes, size);

		if (!more) {
			log_error("cannot allocate %zu bytes to store the output", size);
			l.abandoned = true;
			return;
		}
		l.bytes = more;
		l.size = size;
	}
	memcpy(l.bytes + l.len, bytes, len);
	l.len += len;
}

static void put_message(enum link_message_kind kind, const void *payload, size_t len)
{
	struct link_message head = { .len = len, .kind = kind };

	put(&head, sizeof(head));
	put(payload, len);
}

// Removes the stored bytes before byte `received` of the session. Returns false if the number is not the position of a
// stored byte or of the next one.
static bool remove_received(uint64_t received)
{
	size_t n = received - l.first;

	if (received < l.first || n > l.len)
		return false;
	l.len -= n;
	memmove(l.bytes, l.bytes + n, l.len);
	l.sent = l.sent > n ? l.sent - n : 0;
	l.first = received;
	return true;
}

// ---------------------------------------------------------------- the end

static void end_child(void)
{
	if (l.child_fd < 0)
		return;
	if (!l.ended_ms)
		l.ended_ms = now_ms();
	kill(l.child, SIGTERM);
}

// Ends the session. staprun's output is still read, so that staprun is not blocked, and discarded.
static void abandon(void)
{
	if (!l.abandoned)
		end_child();
	l.abandoned = true;
	close_fd(&l.in);
	close_fd(&l.out);
}

// Sends a second SIGTERM, which ends a session with slow end probes at once.
static void end_child_again(void)
{
	if (!l.abandoned || !l.ended_ms || l.ended_twice || now_ms() - l.ended_ms <= INTERRUPTS_APART_MS)
		return;
	l.ended_twice = true;
	end_child();
}

// ---------------------------------------------------------------- the connection

static void disconnect(void)
{
	close_fd(&l.in);
	close_fd(&l.out);
	l.resumed = false;
	l.order_len = 0;
	l.sent = 0;
}

static void obey(const struct link_order *order)
{
	struct link_clock clock = { .order_ns = order->time_ns };
	struct timespec now;

	if (!remove_received(order->received)) {
		disconnect();
		return;
	}
	l.resumed = true;
	l.last_order_ms = now_ms();
	clock_gettime(CLOCK_REALTIME, &now);
	clock.host_ns = now.tv_sec * 1000000000ll + now.tv_nsec;
	if (l.child_fd >= 0 && l.len < STORED_MAX)
		put_message(LINK_CLOCK, &clock, sizeof(clock));
	if (order->kind == LINK_STOP && !l.ended_ms)
		end_child();
	if (order->kind == LINK_ABORT)
		abandon();
}

static void read_orders(void)
{
	struct link_order order;
	ssize_t n = read(l.in, l.order + l.order_len, sizeof(l.order) - l.order_len);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		disconnect();
		return;
	}
	l.order_len += n;
	if (l.order_len < sizeof(order))
		return;
	memcpy(&order, l.order, sizeof(order));
	l.order_len = 0;
	obey(&order);
}

static void write_messages(void)
{
	ssize_t n = write(l.out, l.bytes + l.sent, l.len - l.sent);

	if (n > 0)
		l.sent += n;
	else if (n < 0 && errno != EINTR && errno != EAGAIN)
		disconnect();
}

static bool begin_connection(void)
{
	return fcntl(l.in, F_SETFL, O_NONBLOCK) == 0 && fcntl(l.out, F_SETFL, O_NONBLOCK) == 0;
}

static void accept_connection(void)
{
	int fd = accept4(l.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	disconnect();
	l.in = fd;
	l.out = fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static bool listen_for_connections(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(l.socket) >= sizeof(address.sun_path))
		return false;
	strcpy(address.sun_path, l.socket);
	l.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return l.listener >= 0 && !bind(l.listener, (struct sockaddr *)&address, sizeof(address)) && !listen(l.listener, 4);
}

// ---------------------------------------------------------------- staprun

static void read_stream(int i)
{
	static const enum link_message_kind kinds[] = { LINK_OUTPUT, LINK_ERRORS };
	static char bytes[LINK_PAYLOAD_MAX];
	ssize_t n = read(l.streams[i], bytes, sizeof(bytes));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
		close_fd(&l.streams[i]);
	else if (!l.abandoned)
		put_message(kinds[i], bytes, n);
}

// Reads the rest of the streams, but does not wait for their end: children of the -c command may hold them open.
static void child_exited(void)
{
	struct pollfd fd = { .events = POLLIN };
	int status = 0;
	int32_t code;

	for (int i = 0; i < 2; i++)
		for (fd.fd = l.streams[i]; l.streams[i] >= 0 && poll(&fd, 1, 0) > 0; )
			read_stream(i);
	waitpid(l.child, &status, 0);
	close_fd(&l.child_fd);
	code = l.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (!l.abandoned)
		put_message(LINK_STATUS, &code, sizeof(code));
}

static void on_signal(int number)
{
	killed = 1;
}

static void run_child(char **argv, int output, int errors)
{
	char path[1100];
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	sibling_path(path, sizeof(path), "SYSTEMTAP_STAPRUN", "staprun", "../../bin/staprun");
	execv(path, argv);
	log_error("cannot run %s: %m", path);
	_exit(1);
}

static bool start_child(char **argv)
{
	int output[2], errors[2];

	if (pipe2(output, O_CLOEXEC) || pipe2(errors, O_CLOEXEC)) {
		log_error("cannot create a pipe: %m");
		return false;
	}
	l.child = fork();
	if (l.child == 0)
		run_child(argv, output[1], errors[1]);
	close(output[1]);
	close(errors[1]);
	l.streams[0] = output[0];
	l.streams[1] = errors[0];
	l.child_fd = l.child > 0 ? syscall(SYS_pidfd_open, l.child, 0) : -1;
	if (l.child_fd >= 0)
		return true;
	log_error("cannot start staprun: %m");
	if (l.child > 0)
		kill(l.child, SIGTERM);
	return false;
}

// ---------------------------------------------------------------- the loop

enum { FD_IN, FD_OUT, FD_LISTENER, FD_CHILD, FD_OUTPUT, FD_ERRORS, FDS };

static void wait_and_handle(void)
{
	bool has_space = l.len < STORED_MAX || l.abandoned;
	struct pollfd fds[FDS] = {
		[FD_IN] = { l.in, POLLIN },
		[FD_OUT] = { l.out, l.resumed && l.sent < l.len ? POLLOUT : 0 },
		[FD_LISTENER] = { l.abandoned ? -1 : l.listener, POLLIN },
		[FD_CHILD] = { l.child_fd, POLLIN },
		[FD_OUTPUT] = { has_space ? l.streams[0] : -1, POLLIN },
		[FD_ERRORS] = { has_space ? l.streams[1] : -1, POLLIN },
	};

	if (poll(fds, FDS, LINK_BEAT_MS / 2) < 0)
		memset(fds, 0, sizeof(fds));           // a signal
	if (fds[FD_LISTENER].revents)
		accept_connection();
	else if (fds[FD_IN].revents)
		read_orders();
	if (fds[FD_OUTPUT].revents)
		read_stream(0);
	if (fds[FD_ERRORS].revents)
		read_stream(1);
	if (fds[FD_CHILD].revents)
		child_exited();
	if (l.out >= 0 && l.resumed && l.sent < l.len)
		write_messages();
	// Orders that arrived while this process was stopped are read first.
	if (!fds[FD_IN].revents && !fds[FD_LISTENER].revents && now_ms() - l.last_order_ms > LINK_SILENCE_MS)
		abandon();
	if ((killed || l.abandoned) && !l.ended_ms)
		end_child();
	end_child_again();
}

static bool is_over(void)
{
	return l.child_fd < 0 && (l.abandoned || !l.len);
}

// ---------------------------------------------------------------- the beginning

static bool make_directory(const char *name)
{
	const char *where = getenv("TMPDIR");
	int n = snprintf(l.directory, sizeof(l.directory), "%s/stapXXXXXX", where && *where == '/' ? where : "/tmp");

	umask(077);
	if (n >= (int)sizeof(l.directory) || strlen(name) > 100 || !*name || strchr(name, '/') || !mkdtemp(l.directory)) {
		log_error("cannot create a directory in %s: %m", where ? where : "/tmp");
		return false;
	}
	snprintf(l.module, sizeof(l.module), "%s/%s", l.directory, name);
	snprintf(l.socket, sizeof(l.socket), "%s/link", l.directory);
	return true;
}

static bool receive_module(size_t size)
{
	char bytes[1 << 16];
	struct pollfd fd = { STDIN_FILENO, POLLIN };
	int to = open(l.module, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good = to >= 0;

	while (good && size) {
		ssize_t n = poll(&fd, 1, MODULE_WAIT_MS) > 0 ?
			read(STDIN_FILENO, bytes, size < sizeof(bytes) ? size : sizeof(bytes)) : 0;

		good = n > 0 && write(to, bytes, n) == n;
		size -= good ? n : 0;
	}
	if (to < 0)
		log_error("cannot write %s: %m", l.module);
	close_fd(&to);
	return good;
}

static int run_link(char **argv)
{
	if (!listen_for_connections() || !begin_connection()) {
		log_error("cannot create a socket in %s: %m", l.directory);
		return 1;
	}
	put_message(LINK_HELLO, l.directory, strlen(l.directory));
	l.last_order_ms = now_ms();
	if (!start_child(argv))
		return 1;
	while (!is_over())
		wait_and_handle();
	return l.status;
}

static void handle_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);               // sshd may send it when a connection ends
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

int link_run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	int64_t size = 0;
	int status = 1;

	if (argc < 3 || !number_whole(argv[0], 10, 1, MODULE_MAX, &size)) {
		log_error("invalid arguments of --link, which stap --merge runs; see staprun -h");
		return 1;
	}
	handle_signals();
	if (!make_directory(name))
		return 1;
	for (int i = 2; i < argc; i++)
		if (!strcmp(argv[i], name))
			argv[i] = l.module;
	argv[1] = "staprun";
	if (receive_module(size))
		status = run_link(argv + 1);
	remove_files();
	return status;
}

// ---------------------------------------------------------------- another connection

static void copy(int from, int to)
{
	char bytes[1 << 16];
	ssize_t n, done, written;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		for (done = 0; done < n; done += written)
			if ((written = write(to, bytes + done, n - done)) <= 0)
				return;
}

// Each direction has its own process, so that orders are read while stap does not accept output.
int link_rejoin(const char *directory)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), child;

	if (snprintf(address.sun_path, sizeof(address.sun_path), "%s/link", directory) >= (int)sizeof(address.sun_path) ||
	    fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		log_error("the session with directory %s has ended", directory);
		return LINK_SESSION_ENDED;
	}
	signal(SIGPIPE, SIG_IGN);
	child = fork();
	if (child < 0)
		return 1;
	if (child == 0) {
		copy(STDIN_FILENO, fd);
		shutdown(fd, SHUT_RDWR);
		_exit(0);
	}
	copy(fd, STDOUT_FILENO);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
