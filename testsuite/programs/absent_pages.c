// SPDX-License-Identifier: GPL-2.0-or-later
// Calls whose arguments are in pages of files that only the kernel reads: they are not resident when a call begins,
// and are when it returns. getppid() precedes them.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

// Returns memory that contains the data, in a page that was not touched.
static void *absent(const void *data, size_t size)
{
	char name[] = "/tmp/absent-XXXXXX", *at;
	int fd = mkstemp(name);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || ftruncate(fd, 4096) || unlink(name))
		exit(1);
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return at == MAP_FAILED ? exit(1), NULL : at;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { AF_UNIX, "/no/socket" };
	char *words[3] = { argv[0], "again", NULL };
	void *passwd = absent("/etc/passwd", 12), *none = absent("/no/file", 9), *text = absent("text\n", 5);
	void *server = absent(&address, sizeof(address)), *list = absent(words, sizeof(words));
	void *old = absent("/no/a", 6), *new = absent("/no/b", 6), *again = absent(argv[0], strlen(argv[0]) + 1);
	int s = socket(AF_UNIX, SOCK_STREAM, 0), file = memfd_create("text", 0);

	if (argc > 1)
		return 0;
	syscall(SYS_getppid);
	syscall(SYS_openat, AT_FDCWD, passwd, O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, none, O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, 4096, O_RDONLY);
	syscall(SYS_write, file, text, 5);
	syscall(SYS_connect, s, server, sizeof(address));
	syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
	syscall(SYS_execve, again, list, NULL);
	return 1;
}
