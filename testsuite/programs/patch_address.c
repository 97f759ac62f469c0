// SPDX-License-Identifier: GPL-2.0-or-later
// patch_address FILE SYMBOL NUMBER: replaces each occurrence of the 8-byte number in the file by the address of the
// symbol in the running kernel. Fails if the file does not contain the number.
// in the running kernel. Fails if the file does not contain the number.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long address = 0, value, sought = strtoul(argv[3], NULL, 0);
	int fd = open(argv[1], O_RDWR), n = 0;
	char line[600], name[600], *p;
	struct stat st;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %*c %599s", &value, name) == 2 && !strcmp(name, argv[2]))
			address = value;
	if (fstat(fd, &st))
		return 1;
	p = mmap(0, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (long i = 0; i + 8 <= st.st_size; i++)
		if (!memcmp(p + i, &sought, 8))
			memcpy(p + i, &address, 8), n++;
	return !n || !address;
}
