// SPDX-License-Identifier: GPL-2.0-or-later
// --headers=PATH and --image=PATH -> a build tree and a kernel image. Packages are unpacked into a directory of the
// cache whose key is their contents: the packages of headers together, since they refer to each other, each image by
// itself. Nothing is installed, and files outside of that directory are not changed.
#include "target/archive.h"
#include "target/kernel.h"
#include "cache/cache_file.h"
#include "util/diag.h"
#include "util/progress.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static char *real_path(const char *path)
{
	char real[PATH_MAX];

	return realpath(path, real) ? str_dup(real) : NULL;
}

// ---------------------------------------------------------------- unpacking

static bool wanted_headers(const char *path)
{
	return !str_starts(path, "usr/share/") && !str_starts(path, "var/");
}

static bool wanted_image(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return str_starts(name, "vmlinu") || (str_starts(path, "boot/") && str_starts(name, "config-")) ||
	       (strstr(path, "lib/modules/") && !strcmp(name, "config"));
}

static const struct archive_rules headers_rules = { wanted_headers, "--headers" },
				  image_rules = { wanted_image, "--image" };

static void hash_content(struct cache_hash *h, const char *option, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	static char piece[1 << 20];
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, piece, sizeof(piece))) > 0)
		cache_hash_add(h, piece, (size_t)n);
	if (n < 0)
		die("%s=%s cannot be read: %s", option, path, strerror(errno));
	close(fd);
	cache_hash_text(h, "");        // marks the end of the file
}

static int depth(const char *below)
{
	int n = 0;

	for (const char *c = below; *c; c++)
		n += *c == '/';
	return n;
}

// Makefiles of Debian's headers include a Makefile in another package by its absolute path. The path becomes
// relative to their own directory. A link `source` to the included directory is added, as kbuild does beside a
// Makefile that it generates.
static void relocate(const char *root, const char *makefile)
{
	char *text = str_read_file(makefile, NULL), *dir = str_ndup(makefile, strlen(makefile) - strlen("/Makefile"));
	const char *end = text ? strstr(text, "/Makefile\n") : NULL, *below = dir + strlen(root);
	struct buf up = { 0 };
	const char *to;

	if (!end || !str_starts(text, "include /usr/src/") || memchr(text, '\n', (size_t)(end - text)))
		return;
	to = str_ndup(text + strlen("include /"), (size_t)(end - text) - strlen("include /"));
	for (int i = depth(below); i > 0; i--)
		buf_puts(&up, "../");
	text = str_printf("include $(dir $(lastword $(MAKEFILE_LIST)))%s%s%s", buf_text(&up), to, end);
	if (cache_file_save(makefile, text, strlen(text), 0644))
		die("cannot write %s: %s", makefile, strerror(errno));
	if (symlink(str_printf("%s%s", buf_text(&up), to), str_printf("%s/source", dir)) < 0 && errno != EEXIST)
		die("cannot create a link in %s: %s", dir, strerror(errno));
}

static void relocate_all(const char *root)
{
	glob_t found;

	if (glob(str_printf("%s/usr/src/*/Makefile", root), 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		relocate(root, found.gl_pathv[i]);
	globfree(&found);
}

struct packages {
	const name_list *names;
	const struct archive_rules *rules;
};

static void unpack_all(const char *path, void *arg)
{
	const struct packages *all = arg;
	int files = 0;

	for vec_each(all->names, p)
		files += archive_unpack(*p, path, all->rules);
	if (!files && all->rules == &image_rules)
		die("--image=%s has no kernel image (a file vmlinuz or vmlinux)", all->names->at[0]);
	relocate_all(path);
}

// Returns the directory into which the packages were unpacked, now or by an earlier run.
static char *unpacked(struct session *s, const name_list *names, const struct archive_rules *rules)
{
	struct cache_hash *h = cache_hash_new("package 2");
	struct packages all = { names, rules };
	struct cache_key key;
	char *path;

	cache_hash_text(h, rules->option);
	for vec_each(names, p)
		hash_content(h, rules->option, *p);
	key = cache_hash_end(h);
	path = cache_tree(s, &key);
	if (path)
		return path;
	progress("unpacking %s", names->at[0]);
	path = cache_tree_make(s, &key, unpack_all, &all);
	progress_end();
	return path;
}

// ---------------------------------------------------------------- what is missing

// Returns the name of the package that has a path, if the path shows it: "usr/src/NAME/..." and "usr/lib/NAME/...".
static const char *package_of(const char *below)
{
	static const char *const parents[] = { "usr/src/", "usr/lib/", "lib/" };

	for (size_t i = 0; i < ARRAY_SIZE(parents); i++)
		if (str_starts(below, parents[i])) {
			below += strlen(parents[i]);
			return str_ndup(below, strcspn(below, "/"));
		}
	return below;
}

static void add_missing(name_list *missing, const char *name)
{
	if (!str_in_list(missing, name))
		vec_push(missing, name);
}

// Adds the package of a link's target if the target is missing.
static void check_link(const char *root, const char *dir, const char *name, name_list *missing)
{
	char target[PATH_MAX], inside[PATH_MAX], *path = str_printf("%s/%s", dir, name);
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n <= 0 || exists(path))
		return;
	target[n] = '\0';
	if (archive_link_path(inside, sizeof(inside), dir + strlen(root) + 1, target))
		add_missing(missing, package_of(inside));
}

static const char *join(const name_list *names)
{
	struct buf b = { 0 };

	for vec_each(names, name)
		buf_printf(&b, "%s%s", b.len ? ", " : "", *name);
	return buf_text(&b);
}

// Ends the program with a list of the missing packages that the tree refers to, or else of the missing files.
static void check_complete(const char *root, const char *tree)
{
	static const char *const links[] = { "source", "scripts", "tools", "include", "arch", "Makefile", "Kbuild" };
	static const char *const files[] = { "Makefile", "scripts", "Module.symvers", "include/generated/utsrelease.h" };
	const char *name = strrchr(tree, '/') + 1;
	name_list missing = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(links) && strcmp(root, tree); i++)
		check_link(root, tree, links[i], &missing);
	if (missing.n)
		die("%s %s required by %s, but not in the packages of --headers; add %s", join(&missing),
		    missing.n == 1 ? "is" : "are", name, missing.n == 1 ? "it" : "them");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!exists(str_printf("%s/%s", tree, files[i])))
			vec_push(&missing, files[i]);
	if (missing.n)
		die("the headers of --headers lack %s, which modules are built with%s", join(&missing),
		    str_in_list(&missing, "Makefile") && str_in_list(&missing, "Module.symvers") ?
		    ": an archive of headers alone (kheaders) is not enough; give the packages of headers of that kernel" :
		    "; give all packages of headers of that kernel, one --headers for each");
}

// ---------------------------------------------------------------- the build tree

// Adds directories that have the configuration of a kernel, each once.
static void find_trees(const char *root, name_list *trees)
{
	static const char *const patterns[] = {
		"", "/*", "/usr/src/*", "/usr/src/*/*", "/usr/src/*/*/*", "/lib/modules/*/build", "/usr/lib/modules/*/build",
	};

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		glob_t found;

		if (glob(str_printf("%s%s/include/generated/autoconf.h", root, patterns[i]), 0, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++) {
			const char *file = found.gl_pathv[k];
			char *tree = real_path(str_ndup(file, strlen(file) - strlen("/include/generated/autoconf.h")));

			if (tree)
				add_missing(trees, tree);
		}
		globfree(&found);
	}
}

static const char *found_instead(const char *root)
{
	name_list names = { 0 };
	glob_t found;

	if (!glob(str_printf("%s/usr/{src,lib}/*", root), GLOB_BRACE, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc && i < 5; i++)
			vec_push(&names, (const char *)str_dup(strrchr(found.gl_pathv[i], '/') + 1));
		globfree(&found);
	}
	return names.n ? str_printf(", only %s", join(&names)) : "";
}

// Selects the tree of that release; with NULL, the only tree.
static char *select_tree(const char *root, const char *release)
{
	name_list trees = { 0 }, releases = { 0 };

	find_trees(root, &trees);
	if (!trees.n)
		die("--headers: no configured kernel (include/generated/autoconf.h) in these packages%s; "
		    "add the package of the kernel's own headers%s", found_instead(root),
		    release ? str_printf(", such as linux-headers-%s or kernel-devel-%s", release, release) : "");
	for vec_each(&trees, tree) {
		const char *of = kernel_tree_release(*tree);

		if (trees.n == 1 && !of)
			check_complete(root, *tree);
		if (of && (release ? !strcmp(of, release) : trees.n == 1))
			return (char *)*tree;
		vec_push(&releases, of ? of : *tree);
	}
	if (release)
		die("--headers is for the kernel %s, not for %s; give -r %s, or the packages of %s", join(&releases), release,
		    releases.at[0], release);
	die("--headers is for several kernels: %s; select one with -r", join(&releases));
}

char *kernel_files_tree(struct session *s)
{
	name_list packages = { 0 };
	char *root = NULL, *tree;

	for vec_each(&s->opt.headers, path) {
		if (!exists(*path))
			die("--headers=%s: %s", *path, strerror(errno));
		if (is_directory(*path) && s->opt.headers.n > 1)
			die("--headers=%s is a directory; it must be the only --headers, and complete", *path);
		if (is_directory(*path))
			root = real_path(*path);
		vec_push(&packages, *path);
	}
	if (!root)
		root = real_path(unpacked(s, &packages, &headers_rules));
	if (!root)
		die("--headers=%s cannot be read: %s", packages.at[0], strerror(errno));
	tree = select_tree(root, s->opt.release);
	check_complete(root, tree);
	return tree;
}

// ---------------------------------------------------------------- the image

static char *image_of_package(const char *root, const char *release)
{
	static const char *const patterns[] = {
		"boot/vmlinuz-*", "lib/modules/*/vmlinuz*", "usr/lib/modules/*/vmlinuz*", "boot/vmlinux-*",
		"lib/modules/*/vmlinux", "usr/lib/modules/*/vmlinux", "usr/lib/debug/boot/vmlinux-*",
		"usr/lib/debug/lib/modules/*/vmlinux", "usr/lib/debug/usr/lib/modules/*/vmlinux",
	};
	name_list others = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		glob_t found;

		if (glob(str_printf("%s/%s", root, patterns[i]), 0, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++) {
			const char *path = found.gl_pathv[k], *below = path + strlen(root);

			if (!release || strstr(below, str_printf("-%s", release)) || strstr(below, str_printf("/%s/", release)))
				return str_dup(path);
			vec_push(&others, (const char *)str_dup(below + 1));
		}
		globfree(&found);
	}
	die("--image has no image of the kernel %s, only %s; give the package of that kernel's image", release ? release : "",
	    join(&others));
}

char *kernel_files_image(struct session *s, const char *release)
{
	const char *path = s->opt.image;
	name_list packages = { 0 };
	char *real;

	if (!exists(path) || is_directory(path))
		die("--image=%s: %s", path, is_directory(path) ? "is a directory; give a vmlinuz, a vmlinux or a package" :
		    strerror(errno));
	if (!archive_is_package(path)) {
		real = real_path(path);
		return real ? real : str_dup(path);
	}
	vec_push(&packages, path);
	return image_of_package(unpacked(s, &packages, &image_rules), release);
}

// The header of an x86 image has at 0x20e the offset of the version's text from 0x200 (boot.rst of arch/x86):
// "6.1.0-56-cloud-amd64 (debian-kernel@...) #1 SMP ...".
char *kernel_image_release(const char *path)
{
	enum { MAGIC = 0x202, VERSION = 0x20e, BASE = 0x200, LONGEST = 65 };
	size_t len;
	char *start = str_read_start(path, 32 << 10, &len);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (start && len > VERSION + 2 && !memcmp(start + MAGIC, "HdrS", 4)) {
		size_t at = BASE + (uint8_t)start[VERSION] + ((uint8_t)start[VERSION + 1] << 8);
		size_t n = at < len ? strnlen(start + at, len - at) : 0, end = n ? strcspn(start + at, " ") : 0;

		if (at > BASE && end && end < LONGEST && end < n)
			return str_ndup(start + at, end);
	}
	if (str_starts(name, "vmlinuz-") || str_starts(name, "vmlinux-"))
		return str_dup(name + strlen("vmlinuz-"));
	return NULL;
}
