// SPDX-License-Identifier: GPL-2.0-or-later
// left PID: prints the IDs of the BPF programs that the process has. left -i ID...: prints those IDs that still exist.
#include <bpf/bpf.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_programs(const char *pid)
{
	char path[512], line[256];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, entry->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			if (!strncmp(line, "prog_id:", 8))
				printf("%d\n", atoi(line + 8));
		if (f)
			fclose(f);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "-i"))
		print_programs(argv[1]);
	for (int i = 2; i < argc; i++)
		if (bpf_prog_get_fd_by_id((unsigned)atoi(argv[i])) >= 0)
			printf("%s\n", argv[i]);
	return 0;
}
