// SPDX-License-Identifier: GPL-2.0-or-later
// held FIFO: a child of the client, opens the FIFO twice, each time by an address at which the name of another file is
// before the call returns. During the first entry all slots of the client's programs are in use.
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char name[64];
static volatile pid_t opener;

static struct { char *at; unsigned entries, value_size; } slots;

// Maps the client's map of slots. Returns false if this is another map.
static int map_slots(unsigned id)
{
	struct bpf_map_info info = { 0 };
	unsigned size = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) || strcmp(info.name, "stp_slots"))
		return 0;
	slots.entries = info.max_entries;
	slots.value_size = (info.value_size + 7) / 8 * 8;
	slots.at = mmap(NULL, (size_t)slots.entries * slots.value_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return slots.at != MAP_FAILED;
}

static int find_slots(void)
{
	char path[512], line[256];
	struct dirent *entry;
	int found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", getppid());
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", getppid(), entry->d_name);
		f = fopen(path, "r");
		while (f && !found && fgets(line, sizeof(line), f))
			if (!strncmp(line, "map_id:", 7))
				found = map_slots((unsigned)atoi(line + 7));
		if (f)
			fclose(f);
	}
	return found;
}

// The word `busy` is the first one of a slot.
static void use_slots(int n)
{
	for (unsigned i = 0; i < slots.entries; i++)
		__sync_fetch_and_add((int *)(slots.at + (size_t)i * slots.value_size), n);
}

static void *open_it(void *unused)
{
	opener = gettid();
	close((int)syscall(SYS_open, name, O_RDONLY));
	return NULL;
}

// Waits until the thread is in the call.
static void await_call(void)
{
	char path[64], line[32];

	do {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", opener);
		f = fopen(path, "r");
		if (!f || !fgets(line, sizeof(line), f))
			*line = 0;
		if (f)
			fclose(f);
	} while (!opener || atoi(line) != SYS_open || strncmp(line, "2 ", 2));
}

static void open_fifo(const char *fifo, int n)
{
	pthread_t thread;

	opener = 0;
	strcpy(name, fifo);
	use_slots(n);
	pthread_create(&thread, NULL, open_it, NULL);
	await_call();
	strcpy(name, "another");
	use_slots(-n);
	close(open(fifo, O_WRONLY));
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	if (argc < 2 || !find_slots())
		return 3;
	open_fifo(argv[1], 1);
	open_fifo(argv[1], 0);
	return 0;
}
