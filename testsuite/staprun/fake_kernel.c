// SPDX-License-Identifier: GPL-2.0-or-later
// A simulated kernel that the test controls, linked into staprun and stapio instead of syscalls.c.
//
//   FAKE_DIR       directory of the test: `log` (requests to the kernel), `rings` (the mapping)
//   FAKE_LOAD      name of the error that loading returns
//   FAKE_TERM      if set, staprun gets SIGTERM while it loads
//   FAKE_BUSY      number of times that unloading returns EBUSY
//   FAKE_DEVICE    "missing", "busy", or "unnamed": no node in /dev, but a number in /sys
//   FAKE_REFUSE    type of the command that write() refuses with EINVAL
//   FAKE_SCENARIO  file: actions of the module after its device was opened; see run_scenario()
//   FAKE_RIGHTS    "none", "installed"; else all
// Files of the kernel are taken from $FAKE_DIR/kallsyms and $FAKE_DIR/notes.
//
// The device is a socket pair whose other end is served by two threads of staprun: one takes
// commands, one executes the scenario. The rings are a file, mapped by both sides.
#include "../../staprun/staprun.h"
#include "../../staprun/syscalls.h"
#include "marks.h"
#include "messages.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static const char *from_env(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static const char *in_dir(const char *name)
{
	static _Thread_local char path[512];

	snprintf(path, sizeof(path), "%s/%s", from_env("FAKE_DIR"), name);
	return path;
}

// Markers for inject.c: start of the program; calls of the fake kernel itself; a call that replaces one of the real
// kernel.
__attribute__((constructor))
static void at_start(void)
{
	syscall(MARK_START);
}

static void enter(void)
{
	syscall(MARK_ENTER);
}

static void leave(void)
{
	syscall(MARK_LEAVE);
}

static int module_call(void)
{
	return syscall(MARK_MODULE) < 0 && errno != ENOSYS ? -errno : 0;
}

__attribute__((format(printf, 1, 2)))
static void note(const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n, fd;

	enter();
	fd = open(in_dir("log"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	line[n] = '\n';
	if (write(fd, line, n + 1) < 0)
		abort();
	close(fd);
	leave();
}

static int error_named(const char *name)
{
	static const struct { const char *name; int number; } errors[] = {
		{ "EPERM", EPERM }, { "ENOSYS", ENOSYS }, { "ENOEXEC", ENOEXEC }, { "ENOENT", ENOENT },
		{ "EEXIST", EEXIST }, { "ENOMEM", ENOMEM }, { "EKEYREJECTED", EKEYREJECTED },
		{ "EINVAL", EINVAL }, { "EIO", EIO },
	};

	for (int i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (!strcmp(errors[i].name, name))
			return -errors[i].number;
	return 0;
}

// --- the device: what the module does ---

static int device_end = -1;                // the fake kernel's end
static int got_start, got_stop, device_closed;
static char *mapping;
static struct stp_ring_header header = { STP_RING_MAGIC, STP_PROTOCOL, 2, 0, 8192, PAGE, PAGE + 8192,
					   .nlosses = STP_LOSSES, .limits[STP_LOSS_LOCK] = 100,
					   .limits[STP_LOSS_STACK] = 1024,
					   .limits[STP_LOSS_MESSAGES] = STP_QUEUE_MIN, .limits[STP_LOSS_STRINGS] = 512 };

static struct stp_ring_control *control_of(unsigned ring)
{
	return (void *)(mapping + header.first + ring * header.stride);
}

static void make_rings(void)
{
	int fd = open(in_dir("rings"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	size_t size = header.first + header.rings * header.stride;

	if (ftruncate(fd, size))
		abort();
	mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	memcpy(mapping, &header, sizeof(header));
}

static void send_message(int type, const void *payload, size_t len)
{
	char bytes[STP_MSG_MAX];
	struct stp_msg *msg = (void *)bytes;

	msg->type = type;
	msg->len = len;
	memcpy(msg->payload, payload, len);
	send(device_end, bytes, sizeof(*msg) + len, MSG_NOSIGNAL);
}

// Appends bytes at head after the reader has made space, as the kernel does.
static void produce(unsigned ring, const void *bytes, size_t len, size_t advance)
{
	struct stp_ring_control *c = control_of(ring);
	char *data = (char *)c + PAGE;
	uint64_t head = c->head;

	while (head + advance - __atomic_load_n(&c->tail, __ATOMIC_ACQUIRE) > header.ring_size)
		usleep(200);
	for (size_t i = 0; i < len; i++)
		data[(head + i) & (header.ring_size - 1)] = ((const char *)bytes)[i];
	__atomic_store_n(&c->head, head + advance, __ATOMIC_RELEASE);
}

// Writes padding to the end of the lap; with 8 bytes left, it uses 8 of the next lap, too.
static void pad(unsigned ring)
{
	size_t left = header.ring_size - (control_of(ring)->head & (header.ring_size - 1));
	struct stp_rec rec = { .flags = STP_REC_PAD };

	if (left < sizeof(rec))
		left = sizeof(rec);
	rec.len = left - sizeof(rec);
	produce(ring, &rec, 8, left);
}

static void record(unsigned ring, uint64_t seq, const char *text, size_t len)
{
	size_t size = (sizeof(struct stp_rec) + len + 7) & ~7ul;
	char bytes[PAGE] = "";
	struct stp_rec *rec = (void *)bytes;

	if (header.ring_size - (control_of(ring)->head & (header.ring_size - 1)) < size)
		pad(ring);
	rec->len = len;
	rec->seq = seq;
	memcpy(rec + 1, text, len);
	produce(ring, bytes, size, size);
}

// Produces COUNT records of LEN bytes, alternately on all rings, numbered from FIRST: "SEQ xxx...
// ".
static void fill(uint64_t first, uint64_t count, size_t len)
{
	char text[PAGE];

	for (uint64_t seq = first; seq < first + count; seq++) {
		memset(text, 'x', len);
		text[snprintf(text, len, "%llu", (unsigned long long)seq)] = ' ';
		text[len - 1] = '\n';
		record(seq % header.rings, seq, text, len);
	}
}

static void wait_until(int *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		usleep(500);
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++)
		*to++ = *text == '\\' && text[1] == 'n' ? text++, '\n' : *text;
	*to = 0;
}

static void play_message(const char *kind, const char *text)
{
	static const char *const kinds[] = { [STP_MSG_EXIT] = "exit", [STP_MSG_ERROR] = "error",
		[STP_MSG_WARNING] = "warning", [STP_MSG_SYSTEM] = "system", [STP_MSG_SWITCH] = "switch" };

	for (int i = 1; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i] && !strcmp(kinds[i], kind))
			send_message(i, text, strlen(text));
}

static struct stp_ring_header *mapped_header(void)
{
	return (struct stp_ring_header *)mapping;
}

static void lose(const char *name, unsigned long long n)
{
	static const char *const names[STP_LOSSES] = {
#define LOSS(name, kind, text, hint) #name,
#include "losses.def"
#undef LOSS
	};

	for (int i = 0; i < STP_LOSSES; i++)
		if (!strcmp(names[i], name))
			mapped_header()->losses[i] += n;
}

static void stop_session(unsigned errors, unsigned long long reentrant, unsigned long long lost)
{
	struct stp_summary summary = { errors > 0, errors, reentrant };

	lose("REENTRANT", reentrant);
	lose("RECORDS", lost);
	mapped_header()->summary = summary;
	mapped_header()->stopped = 1;
	send_message(STP_MSG_STOPPED, &summary, sizeof(summary));
}

// Executes one line of the scenario. The numbers a, b, c and the text depend on the kind of line.
static void play_line(char *line)
{
	char word[32] = "", kind[32] = "";
	unsigned long long a = 0, b = 0, c = 0;
	int at = 0;

	unescape(line);
	sscanf(line, "%31s", word);
	if (!strcmp(word, "rings"))        // RINGS SIZE
		sscanf(line, "%*s %u %llu", &header.rings, &header.ring_size);
	if (!strcmp(word, "magic"))
		(mapping ? (struct stp_ring_header *)mapping : &header)->magic = 1;
	if (!strcmp(word, "bulk"))
		header.flags = STP_RINGS_BULK;
	if (!strcmp(word, "signal") && sscanf(line, "%*s %31s", kind) == 1)    // staprun gets USR2, INT or QUIT
		kill(getpid(), !strcmp(kind, "USR2") ? SIGUSR2 : !strcmp(kind, "INT") ? SIGINT : SIGQUIT);
	if (!strcmp(word, "wait") && strstr(line, "start"))
		wait_until(&got_start);
	if (!strcmp(word, "wait") && strstr(line, "stop"))
		wait_until(&got_stop);
	if (!strcmp(word, "started") && sscanf(line, "%*s %llu", &a) == 1)
		send_message(STP_MSG_STARTED, &(struct stp_status){ -(int)a }, sizeof(struct stp_status));
	if (!strcmp(word, "sleep") && sscanf(line, "%*s %llu", &a) == 1)
		usleep(a * 1000);
	if (!strcmp(word, "file") && sscanf(line, "%*s %31s", kind) == 1)      // waits until the file exists
		while (access(kind, F_OK))
			usleep(20000);
	if (!strcmp(word, "rec") && sscanf(line, "%*s %llu %llu %n", &a, &b, &at) == 2)
		record(a, b, line + at, strlen(line + at));
	if (!strcmp(word, "pad") && sscanf(line, "%*s %llu", &a) == 1)
		pad(a);
	if (!strcmp(word, "fill") && sscanf(line, "%*s %llu %llu %llu", &a, &b, &c) == 3)
		fill(a, b, c);
	if (!strcmp(word, "lie") && sscanf(line, "%*s %llu %llu %llu", &a, &b, &c) == 3) // RING LEN BYTES
		produce(a, &(struct stp_rec){ .len = b, .seq = 1 }, sizeof(struct stp_rec), c);
	if (!strcmp(word, "lost") && sscanf(line, "%*s %llu %llu", &a, &b) == 2) // RING RECORDS
		control_of(a)->lost_records += b;
	if (!strcmp(word, "head") && sscanf(line, "%*s %llu %llu", &a, &b) == 2) // RING BYTES
		control_of(a)->head += b;
	if (!strcmp(word, "message") && sscanf(line, "%*s %31s %n", kind, &at) == 1)
		play_message(kind, line + at);
	if (!strcmp(word, "torn"))         // a message that claims to be longer than it is
		send(device_end, &(struct stp_msg){ STP_MSG_WARNING, 100 }, 8, MSG_NOSIGNAL);
	if (!strcmp(word, "lose") && sscanf(line, "%*s %31s %llu", kind, &a) == 2)       // REASON N
		lose(kind, a);
	if (!strcmp(word, "stopped") && sscanf(line, "%*s %llu %llu %llu", &a, &b, &c) == 3)     // ERRORS REENTRANT LOST
		stop_session(a, b, c);
	if (!strcmp(word, "close"))
		shutdown(device_end, SHUT_RDWR);
}

// Reads the scenario: lines up to "---". It declares the rings before the device is opened.
static FILE *script;

static bool play_next(bool opening)
{
	char line[512];
	long before = ftell(script);

	if (!fgets(line, sizeof(line), script) || !strncmp(line, "---", 3))
		return false;
	if (opening && *line != '#' && strncmp(line, "rings", 5) && strncmp(line, "magic", 5) &&
	    strncmp(line, "bulk", 4)) {
		fseek(script, before, SEEK_SET);
		return false;
	}
	line[strcspn(line, "\n")] = 0;
	if (*line != '#')
		play_line(line);
	return true;
}

static void *run_scenario(void *unused)
{
	enter();
	while (play_next(false))
		;
	return NULL;
}

static void send_wants(void)
{
	char line[512], name[256];
	unsigned index;
	FILE *f = fopen(from_env("FAKE_SCENARIO"), "r");

	while (f && fgets(line, sizeof(line), f)) {
		char bytes[sizeof(struct stp_want) + 256];
		struct stp_want *want = (void *)bytes;

		if (sscanf(line, "want %u %255s", &index, name) != 2)
			continue;
		*want = (struct stp_want){ .index = index };
		strcpy(want->name, name);
		send_message(STP_MSG_WANT, bytes, sizeof(*want) + strlen(name) + 1);
	}
	if (f)
		fclose(f);
	send_message(STP_MSG_READY, "", 0);
}

static void take_command(const struct stp_cmd *cmd, size_t len)
{
	const struct stp_hello *hello = (void *)cmd->payload;
	const struct stp_address *a = (void *)cmd->payload;
	const struct stp_start *s = (void *)cmd->payload;
	const struct stp_remote *r = (void *)cmd->payload;

	if (cmd->len != len - sizeof(*cmd))
		note("command of a wrong length");
	switch (cmd->type) {
	case STP_CMD_HELLO:
		note("HELLO base %llx build-id %u %02x", hello->kernel_base, hello->build_id_len,
		     hello->build_id[0]);
		send_wants();
		break;
	case STP_CMD_ADDRESS: note("ADDRESS %u %llx", a->index, a->address); break;
	case STP_CMD_SET: note("SET %.*s", (int)cmd->len, (const char *)cmd->payload); break;
	case STP_CMD_START:
		note("START %s", s->target_pid ? "with target" : "");
		if (s->namespaces)
			note("namespaces of %d", s->namespaces);
		__atomic_store_n(&got_start, 1, __ATOMIC_RELEASE);
		break;
	case STP_CMD_STOP:
		note("STOP");
		__atomic_store_n(&got_stop, 1, __ATOMIC_RELEASE);
		break;
	case STP_CMD_DETACH: note("DETACH"); break;
	case STP_CMD_TARGET_EXITED: note("TARGET_EXITED"); break;
	case STP_CMD_REMOTE: note("REMOTE %d %.*s", r->id, (int)(cmd->len - sizeof(*r)), r->uri); break;
	}
}

static void *take_commands(void *unused)
{
	char bytes[STP_MSG_MAX];
	ssize_t n;

	enter();
	while ((n = recv(device_end, bytes, sizeof(bytes), 0)) > 0)
		take_command((void *)bytes, n);
	__atomic_store_n(&device_closed, 1, __ATOMIC_RELEASE);
	return NULL;
}

// Waits up to a second for the other side to close the device; returns true if it did.
static bool device_gone(void)
{
	bool gone = device_end < 0;

	enter();
	for (int i = 0; i < 1000 && !gone; i++) {
		gone = __atomic_load_n(&device_closed, __ATOMIC_ACQUIRE);
		if (!gone)
			usleep(1000);
	}
	leave();
	return gone;
}

// The log is complete when staprun ends.
__attribute__((destructor))
static void at_end(void)
{
	device_gone();
}

static int open_device(void)
{
	pthread_t thread;
	int ends[2];

	if (!strcmp(from_env("FAKE_DEVICE"), "busy"))
		return -EBUSY;
	if (module_call())
		return -errno;
	enter();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		abort();
	if (mapping) {                     // the session has ended, but its counts are still available
		mapped_header()->rings = 0;
		leave();
		return ends[0];
	}
	device_end = ends[1];
	script = fopen(from_env("FAKE_SCENARIO"), "re");
	while (script && play_next(true))
		;
	header.stride = PAGE + header.ring_size;
	make_rings();
	pthread_create(&thread, NULL, take_commands, NULL);
	if (script)
		pthread_create(&thread, NULL, run_scenario, NULL);
	leave();
	return ends[0];
}

// --- what syscalls.h promises ---

// Determines which module was loaded.
static int loaded(void)
{
	int rc = error_named(from_env("FAKE_LOAD"));
	FILE *f = rc ? NULL : fopen(in_dir("owner"), "we");

	if (f) {
		fprintf(f, "%u\n", (unsigned)getuid());
		fclose(f);
	}
	return rc;
}

int sys_finit_module(int fd, const char *parameters)
{
	int rc = module_call();

	if (rc)
		return rc;
	note("finit_module%s%s", *parameters ? " " : "", parameters);
	if (*from_env("FAKE_TERM"))
		kill(getpid(), SIGTERM);
	return loaded();
}

int sys_init_module(const void *image, size_t len, const char *parameters)
{
	const char *in_struct = memmem(image, len, "\0stap_", 6);
	const char *in_modinfo = memmem(image, len, "name=stap_", 10);

	if (module_call())
		return -errno;
	note("init_module %s modinfo %s", in_struct ? in_struct + 1 : "?",
	     in_modinfo ? in_modinfo + 5 : "?");
	return loaded();
}

int sys_delete_module(const char *name)
{
	static int calls;
	int rc = module_call();

	if (rc)
		return rc;
	if (calls++ < atoi(from_env("FAKE_BUSY")))
		return -EBUSY;
	if (!device_gone())
		note("the device is open");
	note("delete_module %s", name);
	return strcmp(from_env("FAKE_LOADED"), "no") ? 0 : -ENOENT;
}

int sys_open(const char *path, int flags)
{
	bool unnamed = !strcmp(from_env("FAKE_DEVICE"), "unnamed");
	int fd;

	if (!strncmp(path, "/dev/.staprun-", 14))
		return open_device();
	if (!strncmp(path, "/dev/s", 6)) {
		note("open %s", path);
		return unnamed || !strcmp(from_env("FAKE_DEVICE"), "missing") ? -ENOENT : open_device();
	}
	if (!strncmp(path, "/sys/class/misc/", 16) && strstr(path, "/uevent"))
		path = in_dir("uevent");
	else if (!strncmp(path, "/sys/class/misc/", 16) && !unnamed)
		return -ENOENT;
	if (!strncmp(path, "/sys/class/misc/", 16))
		path = in_dir("number");
	else if (strstr(path, "/parameters/_stp_owner"))
		path = in_dir("owner");
	else if (!strcmp(path, "/run/staprun.lock"))
		path = in_dir("names");
	else if (!strcmp(path, "/proc/kallsyms"))
		path = in_dir("kallsyms");
	else if (!strcmp(path, "/dev/kmsg") || !strcmp(path, "/proc/sys/kernel/modules_disabled") ||
		 !strcmp(path, "/sys/kernel/security/lockdown") || !strcmp(path, "/proc/sys/crypto/fips_enabled"))
		path = in_dir(strrchr(path, '/') + 1);
	else if (!strcmp(path, "/sys/kernel/notes"))
		path = in_dir("notes");
	fd = open(path, flags | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : fd;
}

int sys_mknod(const char *path, mode_t mode, dev_t dev)
{
	if (module_call())
		return -errno;
	note("mknod %#lx", (unsigned long)dev);
	return 0;
}

ssize_t sys_read(int fd, void *to, size_t len)
{
	ssize_t n = read(fd, to, len);

	return n < 0 ? -errno : n;
}

ssize_t sys_write(int fd, const void *from, size_t len)
{
	const struct stp_cmd *cmd = from;
	ssize_t n;

	if (cmd->type == atoi(from_env("FAKE_REFUSE")))
		return -EINVAL;
	n = write(fd, from, len);
	return n < 0 ? -errno : n;
}

int sys_poll(struct pollfd *fds, int n, int timeout_ms)
{
	int rc = poll(fds, n, timeout_ms);

	return rc < 0 ? -errno : rc;
}

int sys_mmap(int fd, size_t len, void **at)
{
	int rings = open(in_dir("rings"), O_RDWR | O_CLOEXEC);

	*at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, rings, 0);
	close(rings);
	return *at == MAP_FAILED ? -errno : 0;
}

// --- instead of caps.c, by the linker's --wrap; its own tests run in a virtual machine ---

enum rights __wrap_caps_rights(void);
int __wrap_caps_lower(void);
int __wrap_caps_raise(void);
int __wrap_caps_keep_unloading(void);
int __wrap_caps_drop(void);

enum rights __wrap_caps_rights(void)
{
	if (!strcmp(from_env("FAKE_RIGHTS"), "none"))
		return RIGHTS_NONE;
	return strcmp(from_env("FAKE_RIGHTS"), "installed") ? RIGHTS_ALL : RIGHTS_USER;
}

int __wrap_caps_lower(void)
{
	return 0;
}

int __wrap_caps_raise(void)
{
	return 0;
}

int __wrap_caps_keep_unloading(void)
{
	return 0;
}

int __wrap_caps_drop(void)
{
	return 0;
}
