// SPDX-License-Identifier: GPL-2.0-or-later
// Unpacks a package below a directory. libarchive reads the formats; this file creates the files, so that each path
// is opened component by component from the directory's descriptor without following a link.
//
// A link is stored as "../" for each component of its own directory, then the path below the root without "..".
// Thus its ".." are resolved in directories that exist, never through another link, and cannot lead above the root:
// archive_link_path() rejects links that would, and open_parent() rejects directories that are links.
#include "target/archive.h"
#include "util/diag.h"
#include "util/str.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ENTRIES = 500000, PIECE = 64 << 10 };
#define MAX_BYTES (4ll << 30)

struct unpacking {
	const char *path;              // the archive, for messages
	const struct archive_rules *rules;
	int root;                      // descriptor of the directory
	int64_t bytes;
	int entries, made;
};

static void __attribute__((noreturn)) refuse(const struct unpacking *u, const char *entry, const char *why)
{
	die("%s=%s is not unpacked: the entry \"%s\" %s; get the package from its distribution again", u->rules->option,
	    u->path, str_escape(entry, strnlen(entry, 200)), why);
}

bool archive_is_package(const char *path)
{
	char start[8] = "";
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);        // open() of a FIFO would wait
	ssize_t n = fd < 0 ? 0 : read(fd, start, sizeof(start));

	if (fd >= 0)
		close(fd);
	return n == sizeof(start) && (!memcmp(start, "!<arch>\n", 8) || !memcmp(start, "\xed\xab\xee\xdb", 4));
}

// ---------------------------------------------------------------- files

// Returns a descriptor of the directory of the path, which is made if it is missing; *name: the last component.
static int open_parent(const struct unpacking *u, const char *path, const char **name)
{
	int dir = fcntl(u->root, F_DUPFD_CLOEXEC, 0), next;
	const char *at = path;

	for (const char *slash; (slash = strchr(at, '/')); at = slash + 1) {
		char *part = str_ndup(at, (size_t)(slash - at));

		mkdirat(dir, part, 0755);
		next = openat(dir, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0 && (errno == ELOOP || errno == ENOTDIR))
			refuse(u, path, "is below a path that another entry has created as a link or a file");
		if (next < 0)
			die("cannot unpack %s: %s: %s", u->path, path, strerror(errno));
		close(dir);
		dir = next;
	}
	*name = at;
	return dir;
}

// A later entry of the same path replaces the earlier one, unless that is a directory.
static void make_free(const struct unpacking *u, int dir, const char *name, const char *path)
{
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		refuse(u, path, "is a file, but another entry made it a directory");
}

static void count_bytes(struct unpacking *u, int64_t n, const char *path)
{
	u->bytes += n;
	if (u->bytes > MAX_BYTES)
		refuse(u, path, "exceeds the limit of 4 GB of content");
}

static void write_file(struct unpacking *u, struct archive *a, struct archive_entry *e, const char *path)
{
	const char *name;
	int dir = open_parent(u, path, &name), fd;
	char piece[PIECE];
	la_ssize_t n;

	make_free(u, dir, name, path);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    archive_entry_perm(e) & 0111 ? 0755 : 0644);
	close(dir);
	if (fd < 0)
		die("cannot unpack %s: %s: %s", u->path, path, strerror(errno));
	while ((n = archive_read_data(a, piece, sizeof(piece))) > 0) {
		count_bytes(u, n, path);
		if (write(fd, piece, (size_t)n) != n)
			die("cannot unpack %s: %s: %s; is the file system full?", u->path, path, strerror(errno));
	}
	if (n < 0 || close(fd) < 0)
		die("%s=%s is damaged: %s: %s", u->rules->option, u->path, path,
		    n < 0 ? archive_error_string(a) : strerror(errno));
}

static void write_link(struct unpacking *u, const char *path, const char *target)
{
	const char *slash = strrchr(path, '/'), *name;
	char inside[PATH_MAX];
	struct buf text = { 0 };
	int dir;

	if (!archive_link_path(inside, sizeof(inside), slash ? str_ndup(path, (size_t)(slash - path)) : "", target))
		refuse(u, path, str_printf("is a link to \"%s\", which is outside of the package",
					   str_escape(target, strnlen(target, 200))));
	for (const char *c = path; *c; c++)
		if (*c == '/')
			buf_puts(&text, "../");
	buf_puts(&text, *inside ? inside : ".");
	dir = open_parent(u, path, &name);
	make_free(u, dir, name, path);
	if (symlinkat(buf_text(&text), dir, name) < 0)
		die("cannot unpack %s: %s: %s", u->path, path, strerror(errno));
	close(dir);
}

// A hard link is another name of a file that was unpacked before.
static void write_hard_link(struct unpacking *u, const char *path, const char *target)
{
	char first[PATH_MAX];
	const char *name, *from_name;
	struct stat st;
	int dir, from;

	if (!archive_entry_path(first, sizeof(first), target))
		refuse(u, path, "is a hard link to a file outside of the package");
	from = open_parent(u, first, &from_name);
	if (fstatat(from, from_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		refuse(u, path, "is a hard link to something that is not a file of the package");
	dir = open_parent(u, path, &name);
	if (strcmp(path, first)) {
		make_free(u, dir, name, path);
		if (linkat(from, from_name, dir, name, 0) < 0)
			die("cannot unpack %s: %s: %s", u->path, path, strerror(errno));
	}
	close(dir);
	close(from);
}

// ---------------------------------------------------------------- entries

static void unpack_entry(struct unpacking *u, struct archive *a, struct archive_entry *e)
{
	const char *name = archive_entry_pathname(e), *hard = archive_entry_hardlink(e);
	char path[PATH_MAX];

	if (++u->entries > MAX_ENTRIES)
		die("%s=%s is not unpacked: it has more than %d entries", u->rules->option, u->path, MAX_ENTRIES);
	if (!name)
		die("%s=%s is damaged: an entry has no name", u->rules->option, u->path);
	if (archive_entry_filetype(e) == AE_IFDIR)
		return;
	if (!archive_entry_path(path, sizeof(path), name))
		refuse(u, name, "has a path that is empty, too long, or contains \"..\"");
	if (!u->rules->wanted(path))
		return;
	if (hard)
		write_hard_link(u, path, hard);
	else if (archive_entry_filetype(e) == AE_IFLNK && archive_entry_symlink(e))
		write_link(u, path, archive_entry_symlink(e));
	else if (archive_entry_filetype(e) == AE_IFREG)
		write_file(u, a, e, path);
	else
		return;
	u->made++;
}

// Enables only the formats of packages and of archives of source trees, since each reader parses untrusted bytes.
static struct archive *new_reader(void)
{
	struct archive *a = archive_read_new();

	if (!a)
		die_of_memory(PIECE);
	archive_read_support_format_ar(a);
	archive_read_support_format_tar(a);
	archive_read_support_format_cpio(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_lzma(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_filter_rpm(a);
	return a;
}

static void __attribute__((noreturn)) not_a_package(const struct unpacking *u, struct archive *a)
{
	die("%s=%s is not a package that can be read (.deb, .rpm, or a tar file): %s", u->rules->option, u->path,
	    archive_error_string(a));
}

static int next_entry(struct unpacking *u, struct archive *a, struct archive_entry **e)
{
	int status = archive_read_next_header(a, e);

	if (status != ARCHIVE_OK && status != ARCHIVE_WARN && status != ARCHIVE_EOF)
		not_a_package(u, a);
	return status;
}

static void unpack_entries(struct unpacking *u, struct archive *a)
{
	struct archive_entry *e;

	while (next_entry(u, a, &e) != ARCHIVE_EOF)
		unpack_entry(u, a, e);
}

// The files of a .deb are in an archive inside: data.tar.xz.
struct inner { struct archive *outer; char piece[PIECE]; };

static la_ssize_t read_inner(struct archive *a, void *arg, const void **bytes)
{
	struct inner *in = arg;
	la_ssize_t n = archive_read_data(in->outer, in->piece, sizeof(in->piece));

	if (n < 0)
		archive_set_error(a, EIO, "%s", archive_error_string(in->outer));
	*bytes = in->piece;
	return n;
}

static void unpack_deb(struct unpacking *u, struct archive *outer, struct archive_entry *e)
{
	struct inner in = { .outer = outer };
	struct archive *a = new_reader();
	const char *name;

	while ((name = archive_entry_pathname(e)), !name || !str_starts(name, "data.tar"))
		if (next_entry(u, outer, &e) == ARCHIVE_EOF)
			die("%s=%s is not a Debian package: it has no data.tar", u->rules->option, u->path);
	if (archive_read_open(a, &in, NULL, read_inner, NULL) != ARCHIVE_OK)
		die("%s=%s is damaged: %s", u->rules->option, u->path, archive_error_string(a));
	unpack_entries(u, a);
	archive_read_free(a);
}

int archive_unpack(const char *path, const char *dir, const struct archive_rules *rules)
{
	struct unpacking u = { .path = path, .rules = rules };
	struct archive *a = new_reader();
	struct archive_entry *e;

	u.root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (u.root < 0)
		die("cannot unpack into %s: %s", dir, strerror(errno));
	if (archive_read_open_filename(a, path, PIECE) != ARCHIVE_OK)
		not_a_package(&u, a);
	if (next_entry(&u, a, &e) != ARCHIVE_EOF) {
		if ((archive_format(a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_AR) {
			unpack_deb(&u, a, e);
		} else {
			unpack_entry(&u, a, e);
			unpack_entries(&u, a);
		}
	}
	archive_read_free(a);
	close(u.root);
	return u.made;
}
