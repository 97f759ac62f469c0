// SPDX-License-Identifier: GPL-2.0-or-later
// stapio with a malicious kernel. An input contains the layout of the rings and then, for each read of stapio, the
// changes that the kernel makes to them and its messages; at the end of the input the device ends, too. Each record
// that stapio accepts must be in a ring, no message may be read beyond its end, and stapio must exit.
#include "../../staprun/bulk.c"
#include "../../staprun/session_loop.c"
#include "../../staprun/monitor.c"
#include "../../staprun/progress.c"

#include <assert.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *at, *end;            // remaining bytes of the input
static char *mapping;
static size_t mapping_size;
static struct stp_ring_header header;      // copy of the header that was sent first
static bool talking;                       // read() returns a message

static uint64_t take(size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n && at < end; i++)
		value |= (uint64_t)*at++ << 8 * i;
	return value;
}

// --- what the kernel does to the rings ---

static struct stp_ring_control *control(unsigned i)
{
	return (void *)(mapping + header.first + i % header.rings * header.stride);
}

static void put_record(struct stp_ring_control *c)
{
	uint64_t head = c->head & ~7ull, where = head & (header.ring_size - 1);
	struct stp_rec rec = { .len = take(1), .flags = 0, .seq = take(1) };
	char *ring = (char *)c + getpagesize();

	if (where + sizeof(rec) > header.ring_size)
		rec.flags = STP_REC_PAD;
	memcpy(ring + where, &rec, rec.flags ? 8 : sizeof(rec));
	c->head = head + ((sizeof(rec) + rec.len + 7) & ~7ull);
}

static void disturb(void)
{
	unsigned what = take(1);
	struct stp_ring_control *c = control(what >> 4);
	uint64_t where;

	switch (what & 7) {
	case 0:
	case 1:
	case 2: put_record(c); break;
	case 3: c->head += take(3); break;
	case 4: c->head = take(8); break;
	case 5: c->tail = take(8); break;
	case 6:
		where = take(3) % (mapping_size - 8);
		memcpy(mapping + where, &(uint64_t){ take(8) }, 8);
		break;
	case 7: c->head += header.ring_size * take(1); break;
	}
}

// --- syscalls.h ---

int sys_mmap(int fd, size_t len, void **to)
{
	size_t all;

	if (len > mapping_size)
		return -EINVAL;
	all = len > (size_t)getpagesize() ? mapping_size : (size_t)getpagesize();
	*to = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(*to, mapping, all);
	if (len > (size_t)getpagesize())
		mapping = *to;
	return 0;
}

ssize_t sys_read(int fd, void *to, size_t len)
{
	uint8_t bytes[STP_MSG_MAX];
	struct stp_msg *msg = (void *)bytes;
	size_t n;

	if (!talking || at == end)
		return 0;
	talking = false;
	memset(bytes, 'x', sizeof(bytes));
	msg->type = take(1);
	msg->len = take(2);
	n = sizeof(*msg) + msg->len;
	if (msg->type & 0x80)              // it claims to be longer than it is
		n = take(2);
	if (msg->type & 0x40)
		msg->len = take(4);
	msg->type &= 0x3f;
	n = n < len ? n : len;
	for (size_t i = sizeof(*msg); i < n && i < sizeof(*msg) + 64; i++)
		bytes[i] = take(1);
	memcpy(to, bytes, n);
	return n;
}

ssize_t sys_write(int fd, const void *from, size_t len)
{
	return len;
}

int sys_poll(struct pollfd *fds, int n, int timeout_ms)
{
	unsigned what = take(1);

	for (int i = 0; i < n; i++)
		fds[i].revents = 0;
	for (unsigned i = 0; i < (what >> 2 & 7); i++)
		disturb();
	talking = what & 1 && at < end;
	if (talking || at == end)
		fds[FD_DEVICE].revents = POLLIN;
	if (what & 2 && at < end) {
		struct result result = { .type = take(1), .rc = (int8_t)take(1) };

		if (write(session.results[1], &result, sizeof(result)) == sizeof(result))
			fds[FD_RESULTS].revents = POLLIN;
	}
	return 1;
}

// --- instead of child.c and input.c ---

pid_t child_prepare(const char *command) { return -1; }
void child_output_to_stderr(void) {}
void child_release(void) { }
void child_abandon(void) { }
void child_system(const char *command) { assert(strlen(command) < STP_MSG_MAX); }
int child_open_process(pid_t pid) { return -1; }
void child_end(pid_t child, bool killed) { }
void child_end_rest(pid_t child, int64_t ms, bool killed) { }
bool staprun_was_killed(const struct stapio_options *opt) { return false; }
void remove_after_kill(const struct stapio_options *opt) { }
int sys_open(const char *path, int flags) { return -ENOENT; }
void input_start(const char *module) { }
void input_stop(void) { }

// --- a session ---

static void make_mapping(void)
{
	size_t page = getpagesize();

	header = (struct stp_ring_header){ STP_RING_MAGIC, STP_PROTOCOL, 1 + take(1) % 3, 0, 2 * page << take(1) % 2, page };
	header.stride = page + header.ring_size;
	mapping_size = header.first + header.rings * header.stride;
	mapping = calloc(1, mapping_size);
	memcpy(mapping, &header, sizeof(header));
	if (take(1) & 1)                   // followed by another one inside it
		memcpy(mapping + take(1) % sizeof(header) / 4 * 4, &(uint64_t){ take(8) }, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *none = NULL;
	struct stapio_options opt = { .device = -1, .module = "m", .daemon = -1, .poll_ms = 200, .settings = &none };
	char *first;

	at = data;
	end = data + size;
	make_mapping();
	first = mapping;
	session = (struct session){ .dropped = 0 };
	opt.detach = take(1) == 1;
	log_verbose = take(1) & 1;
	if (!prepare(&opt))
		run_session();
	for (int i = 0; i < 2; i++) {
		if (session.results[i] > 0)
			close(session.results[i]);
		if (session.orders[i] > 0)
			close(session.orders[i]);
	}
	if (session.signals > 0)
		close(session.signals);
	for (int i = 0; files && i < session.rings.n; i++)
		if (files[i].out.fd > 0)
			outfile_close(&files[i].out);
	free(files);
	files = NULL;
	free(session.rings.ring);
	if (mapping != first)
		munmap(mapping, mapping_size);
	free(first);
	return 0;
}
