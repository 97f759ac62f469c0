// SPDX-License-Identifier: GPL-2.0-or-later
// -i: relays standard input to scripts that use input.char or input.line. Their module has a procfs file __stdin, to
// which each byte is written in its own write(), or __stdin_line, for whole lines. A separate thread writes, since each
// write() runs the script's probes.
#include "stapio.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static struct {
	int bytes, lines;                  // descriptors of the two files; -1: the script does not use the file
	struct termios before;
	bool is_terminal;                  // standard input is a terminal whose settings were changed; `before` has
					   // the previous ones
} input = { .bytes = -1, .lines = -1 };

static int open_file(const char *module, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/proc/systemtap/%s/%s", module, name);
	return open(path, O_WRONLY | O_CLOEXEC);
}

// Writes a text. After EAGAIN (another probe handler has locked the file) it tries again. A text longer than
// MAXSTRINGLEN is written in pieces.
static void write_all(int fd, const char *text, size_t len)
{
	while (fd >= 0 && len) {
		ssize_t n = write(fd, text, len);

		if (n > 0) {
			text += n;
			len -= n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			return;
		} else {
			usleep(1000);
		}
	}
}

static void *read_input(void *unused)
{
	char line[1 << 16], text[4096];
	size_t len = 0;
	ssize_t n;

	while ((n = read(STDIN_FILENO, text, sizeof(text))) > 0 || (n < 0 && errno == EINTR))
		for (ssize_t i = 0; i < n; i++) {
			write_all(input.bytes, text + i, 1);
			line[len++] = text[i];
			if (text[i] == '\n' || len == sizeof(line)) {
				write_all(input.lines, line, len);
				len = 0;
			}
		}
	write_all(input.lines, line, len);
	return NULL;
}

// Makes a terminal deliver each character when it is typed, instead of whole lines.
static void prepare_terminal(void)
{
	struct termios now;

	if (tcgetattr(STDIN_FILENO, &input.before))
		return;
	now = input.before;
	now.c_lflag &= ~ICANON;
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	input.is_terminal = !tcsetattr(STDIN_FILENO, TCSANOW, &now);
	if (input.is_terminal)
		atexit(input_stop);
}

void input_start(const char *module)
{
	pthread_t thread;

	input.bytes = open_file(module, "__stdin");
	input.lines = open_file(module, "__stdin_line");
	if (input.bytes < 0 && input.lines < 0)
		return;
	prepare_terminal();
	if (pthread_create(&thread, NULL, read_input, NULL) == 0)
		pthread_detach(thread);
}

void input_stop(void)
{
	if (input.is_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &input.before);
	input.is_terminal = false;
}
