/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings of processes whose programs could not look them up, and which may exit before /proc/PID/maps is read: the
 * kernel reports each executable mapping, each fork() and each exec() in the rings of perf events, one for each CPU,
 * which count nothing. The events are kept as images: an image is what a process executes from its start, or from
 * exec(), to its next exec(). A program announces the ID of a process and the time, which identify an image.
 *
 * The events of a CPU are in the order of their time. Those of other CPUs may be earlier, so that all rings are read,
 * and the events up to the time before that are used in the order of their time.
 *
 * IDs are those of the initial PID namespace in announcements, and those of the client's namespace in events: in
 * another namespace, nothing is followed.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "client.h"
#include "../core/internal.h"
#include "bpf_shared.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES (256u << 10)            /* for each CPU; a power of two. A program that starts takes about 1 KB */
#define EVENTS_MAX (1u << 16)              /* events that wait for those of other CPUs */
#define IMAGES_MAX (1u << 16)              /* images that are kept */
#define AREAS_MAX (1u << 13)               /* mappings of an image that are kept; a power of two */

struct process_image {
	struct process_image *next;            /* the next one in the slot; newer ones come first */
	struct process_image *parent;          /* fork() copied its mappings; NULL: none */
	u64 from_ns;
	u32 pid, references;                   /* one of the table; those of announcements and children */
	bool ended;
	bool is_partial;                       /* it has mappings that were not reported */
	u32 n;
	struct process_area { struct stp_mapping range; u64 time_ns; char *path; } *areas;
};

struct ring { struct perf_event_mmap_page *page; int fd; u64 lost; };          /* events that were lost so far */
struct event { u64 time_ns; struct perf_event_header *copy; };

/* sample_id of the events: PERF_SAMPLE_TID | PERF_SAMPLE_TIME. */
struct event_end { u32 pid, tid; u64 time_ns; };
struct mmap_event { struct perf_event_header head; u32 pid, tid; u64 start, len, offset; u32 major, minor;
		    u64 inode, generation; u32 protection, flags; char path[]; };
struct comm_event { struct perf_event_header head; u32 pid, tid; };
struct task_event { struct perf_event_header head; u32 pid, ppid, tid, ptid; u64 time_ns; };
struct lost_event { struct perf_event_header head; u64 id, lost; };

static struct ring *rings;
static u32 nrings;
static bool counts_lost = true;                /* the kernel has PERF_FORMAT_LOST (Linux 6.0) */
static struct event *events;
static u32 nevents;
static u64 read_until_ns;                      /* events up to this time are in images */
static u64 lost_ns;                            /* time of the last loss: earlier images may have ended unnoticed */
static struct process_image *images[4096];
static u32 nimages;

/* ------------------------------------------------------------------ images */

static struct process_image **slot_of(u32 pid)
{
	return &images[pid % (sizeof(images) / sizeof(images[0]))];
}

static struct process_image *image_at(u32 pid, u64 time_ns)
{
	struct process_image *i = *slot_of(pid);

	while (i && !(i->pid == pid && i->from_ns <= time_ns))
		i = i->next;
	return i && i->from_ns > lost_ns ? i : NULL;
}

static void lose(u64 n, u64 time_ns)
{
	if (time_ns > lost_ns)
		lost_ns = time_ns;
	stp_lose(STP_LOSS_MAPPINGS, n);
}

static void drop(struct process_image *i)
{
	struct process_image *parent;
	u32 k;

	for (; i && !--i->references; i = parent) {
		parent = i->parent;
		for (k = 0; k < i->n; k++)
			free(i->areas[k].path);
		free(i->areas);
		free(i);
		nimages--;
	}
}

/* Records that refer to images were read before: images that have ended are only needed if they are referred to. */
static void forget_ended(void)
{
	struct process_image **at, *i;
	u32 k;

	for (k = 0; k < sizeof(images) / sizeof(images[0]); k++)
		for (at = &images[k]; (i = *at);) {
			if (!i->ended || i->references > 1) {
				at = &i->next;
				continue;
			}
			*at = i->next;
			drop(i);
		}
}

static struct process_image *begin_image(u32 pid, u64 time_ns)
{
	struct process_image *before = image_at(pid, time_ns), **slot = slot_of(pid);
	struct process_image *i = nimages < IMAGES_MAX ? calloc(1, sizeof(*i)) : NULL;

	if (before)
		before->ended = true;
	if (!i) {
		lose(1, time_ns);
		return NULL;
	}
	i->pid = pid;
	i->from_ns = time_ns;
	i->references = 1;
	i->next = *slot;
	*slot = i;
	nimages++;
	return i;
}

static void begin_child(const struct task_event *e)
{
	struct process_image *parent, *i;

	if (e->pid == e->ppid)                 /* a thread */
		return;
	parent = image_at(e->ppid, e->time_ns);
	i = begin_image(e->pid, e->time_ns);
	if (!i)
		return;
	i->is_partial = !parent;               /* the parent had started before the events were enabled */
	i->parent = parent;
	if (parent)
		parent->references++;
}

static void end_process(const struct task_event *e)
{
	struct process_image *i = e->pid == e->tid ? image_at(e->pid, e->time_ns) : NULL;

	if (i)
		i->ended = true;
}

/* Removes the suffix of the path of a file that was deleted. */
static char *copy_path(const char *path)
{
	static const char suffix[] = " (deleted)";
	size_t len = strlen(path);

	if (len >= sizeof(suffix) && !strcmp(path + len - (sizeof(suffix) - 1), suffix))
		len -= sizeof(suffix) - 1;
	return strndup(path, len);
}

/* Programs may map and unmap libraries for ever: the older half is forgotten. */
static void forget_areas(struct process_image *i)
{
	u32 half = AREAS_MAX / 2, k;

	for (k = 0; k < half; k++)
		free(i->areas[k].path);
	memmove(i->areas, i->areas + half, half * sizeof(i->areas[0]));
	i->n = half;
	i->is_partial = true;
}

/* Files have paths; others are "//anon", "[heap]" and so on: they may be where a library was, and have no path. */
static char *path_of_area(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		path = VDSO_PATH;
	else if (*path != '/' || path[1] == '/')
		path = "";
	return copy_path(path);
}

static void add_area(const struct mmap_event *e, u64 time_ns)
{
	struct process_image *i = image_at(e->pid, time_ns);
	struct process_area *more;

	if (!i)
		return;
	if (i->n == AREAS_MAX)
		forget_areas(i);
	if (!(i->n & (i->n - 1))) {
		more = realloc(i->areas, (i->n ? i->n * 2 : 1) * sizeof(*more));
		if (!more)
			return;
		i->areas = more;
	}
	i->areas[i->n].range = (struct stp_mapping){ 0, e->start, e->start + e->len, e->offset, e->inode,
						    (u64)e->major << 20 | e->minor };
	i->areas[i->n].time_ns = time_ns;
	i->areas[i->n].path = path_of_area(e->path);
	i->n += i->areas[i->n].path != NULL;
}

static void use(const struct event *e)
{
	const struct perf_event_header *head = e->copy;

	if (head->type == PERF_RECORD_FORK)
		begin_child((const void *)head);
	else if (head->type == PERF_RECORD_EXIT)
		end_process((const void *)head);
	else if (head->type == PERF_RECORD_MMAP2)
		add_area((const void *)head, e->time_ns);
	else if (head->type == PERF_RECORD_COMM && (head->misc & PERF_RECORD_MISC_COMM_EXEC))
		begin_image(((const struct comm_event *)head)->pid, e->time_ns);
}

/* ------------------------------------------------------------------ events */

static u64 lost_with(const struct perf_event_header *copy)
{
	if (copy->type != PERF_RECORD_LOST)
		return nevents == EVENTS_MAX || copy->size < sizeof(*copy) + sizeof(struct event_end);
	return counts_lost ? 0 : ((const struct lost_event *)copy)->lost;
}

/* Stores an event until those of other CPUs have been read. */
static void keep(struct perf_event_header *copy)
{
	struct event_end end = { .time_ns = user_now_ns() };
	u64 lost = lost_with(copy);

	if (copy->size >= sizeof(*copy) + sizeof(end))
		memcpy(&end, (char *)copy + copy->size - sizeof(end), sizeof(end));
	if (lost)
		lose(lost, end.time_ns);
	if (lost || copy->type == PERF_RECORD_LOST) {
		free(copy);
		return;
	}
	memset((char *)copy + copy->size - sizeof(end), 0, sizeof(end));       /* ends the path */
	events[nevents++] = (struct event){ end.time_ns, copy };
}

static void read_ring(struct ring *r)
{
	const char *data = (const char *)r->page + r->page->data_offset;
	u64 size = r->page->data_size, head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	u64 at = r->page->data_tail, first;
	struct perf_event_header h, *copy;

	while (at < head) {
		memcpy(&h, data + (at & (size - 1)), sizeof(h));       /* events are aligned to 8 bytes */
		copy = h.size >= sizeof(h) ? malloc(h.size) : NULL;
		if (!copy) {
			lose(1, user_now_ns());
			at = h.size >= sizeof(h) ? at + h.size : head;
			continue;
		}
		first = size - (at & (size - 1));
		if (first > h.size)
			first = h.size;
		memcpy(copy, data + (at & (size - 1)), first);
		memcpy((char *)copy + first, data, h.size - first);
		at += h.size;
		keep(copy);
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static void use_events(u64 until_ns)
{
	u32 i, n;

	qsort(events, nevents, sizeof(*events), by_time);
	for (n = 0; n < nevents && events[n].time_ns <= until_ns; n++) {
		use(&events[n]);
		free(events[n].copy);
	}
	for (i = n; i < nevents; i++)
		events[i - n] = events[i];
	nevents -= n;
}

/*
 * PERF_RECORD_LOST follows with the next event of the CPU, which may come late or never: the counter tells at once, so
 * that no image is taken for the one that replaced it unnoticed, and the last losses are reported.
 */
static void count_lost(struct ring *r)
{
	struct { u64 value, lost; } counted;

	if (!counts_lost || read(r->fd, &counted, sizeof(counted)) != sizeof(counted) || counted.lost == r->lost)
		return;
	lose(counted.lost - r->lost, user_now_ns());
	r->lost = counted.lost;
}

static void read_all(void)
{
	u64 now_ns = user_now_ns();
	u32 i;

	for (i = 0; i < nrings; i++) {
		read_ring(&rings[i]);
		count_lost(&rings[i]);
	}
	use_events(now_ns);
	read_until_ns = now_ns;
}

void process_events_read(void)
{
	if (!nrings)
		return;
	forget_ended();
	read_all();
}

/* ------------------------------------------------------------------ look-ups */

struct process_image *process_events_image(const struct stp_execution *p, bool *is_complete)
{
	struct process_image *found, *i;

	*is_complete = false;
	if (!nrings)
		return NULL;
	if (read_until_ns < p->time_ns)
		read_all();
	found = image_at((u32)p->pid, p->time_ns);
	if (!found)
		return NULL;
	found->references++;
	for (i = found; i->parent; i = i->parent)
		;
	*is_complete = !i->is_partial;
	return found;
}

const struct stp_mapping *process_events_mapping(const struct process_image *i, u64 address, const char **path)
{
	u64 until_ns = ~0ull;
	u32 k;

	for (; i; until_ns = i->from_ns, i = i->parent)
		for (k = i->n; k-- > 0;)
			if (i->areas[k].time_ns <= until_ns && address >= i->areas[k].range.start &&
			    address < i->areas[k].range.end) {
				*path = i->areas[k].path;
				return &i->areas[k].range;
			}
	return NULL;
}

/* ------------------------------------------------------------------ rings */

static bool open_ring(u32 cpu)
{
	struct perf_event_attr a = { .size = sizeof(a), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
				     .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .sample_id_all = 1, .mmap = 1,
				     .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1, .exclude_kernel = 1,
				     .use_clockid = 1, .clockid = CLOCK_MONOTONIC, .watermark = 1,
				     .wakeup_watermark = RING_BYTES / 4 };
	void *page;
	int fd;

	a.read_format = counts_lost ? PERF_FORMAT_LOST : 0;
	fd = privileges_perf_event(&a, -1, (int)cpu);
	if (fd < 0 && errno == EINVAL && counts_lost) {
		counts_lost = false;
		return open_ring(cpu);
	}
	if (fd < 0)
		return errno == ENODEV;        /* the CPU is offline */
	page = mmap(NULL, (u64)sysconf(_SC_PAGESIZE) + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		close(fd);
		return false;
	}
	rings[nrings++] = (struct ring){ .page = page, .fd = fd };
	return true;
}

void process_events_start(void)
{
	int cpus = libbpf_num_possible_cpus(), cpu;

	if (nrings || cpus <= 0 || !client_in_initial_namespace())
		return;
	rings = calloc((size_t)cpus, sizeof(*rings));
	events = calloc(EVENTS_MAX, sizeof(*events));
	if (!rings || !events)
		return;
	for (cpu = 0; cpu < cpus; cpu++)
		if (!open_ring((u32)cpu)) {
			while (nrings)
				close(rings[--nrings].fd);
			return;
		}
}

void process_events_wake(int epoll_fd)
{
	struct epoll_event e = { .events = EPOLLIN };
	u32 i;

	for (i = 0; i < nrings; i++)
		epoll_ctl(epoll_fd, EPOLL_CTL_ADD, rings[i].fd, &e);
}
