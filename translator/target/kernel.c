// SPDX-License-Identifier: GPL-2.0-or-later
// The target kernel: release or build tree of the command line -> struct kernel.
//
// Reads the build tree (/lib/modules/REL/build, or the one of -r): utsrelease.h, .config,
// Module.symvers. A kernel without a build tree is not an error here: passes 1 to 3 can do
// without it; other callers use kernel_need_build_tree(). Configuration and exports are read at the
// first query.
#include "target/kernel.h"
#include "util/diag.h"
#include "util/spawn.h"
#include "util/root.h"
#include "util/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static const char *first_file(const char *const *paths, int n)
{
	for (int i = 0; i < n; i++)
		if (paths[i] && is_file(paths[i]))
			return paths[i];
	return NULL;
}

// Returns the release that a build tree was made for, or NULL if it was never configured.
char *kernel_tree_release(const char *tree)
{
	// On Debian, kernel.release lacks the suffix of the package's version; UTS_RELEASE is what uname prints.
	char *text = str_read_file(str_printf("%s/include/generated/utsrelease.h", tree), NULL);
	char *start = text ? strstr(text, "UTS_RELEASE \"") : NULL;

	if (start) {
		start += strlen("UTS_RELEASE \"");
		return str_ndup(start, strcspn(start, "\"\n"));
	}
	text = str_read_file(str_printf("%s/include/config/kernel.release", tree), NULL);
	if (!text || !*text)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

// Returns "6.1.0" for "6.1.0-56-cloud-amd64", "6.12.117" for "6.12.117+deb12".
static char *base_version(const char *release)
{
	size_t n = strspn(release, "0123456789.");

	while (n && release[n - 1] == '.')
		n--;
	return str_ndup(release, n);
}

static const char *find_image(const char *release, const char *tree)
{
	const char *paths[] = {
		root_path(str_printf("/boot/vmlinuz-%s", release)),
		root_path(str_printf("/lib/modules/%s/vmlinuz", release)),
		root_path(str_printf("/usr/lib/modules/%s/vmlinuz", release)),
		root_path(str_printf("/boot/vmlinux-%s", release)),
		root_path(str_printf("/lib/modules/%s/vmlinux", release)),
		tree ? str_printf("%s/vmlinux", tree) : NULL,
	};

	return first_file(paths, ARRAY_SIZE(paths));
}

// Reads the configuration that the running kernel contains (CONFIG_IKCONFIG_PROC).
static char *read_running_config(const struct kernel *k)
{
	struct buf text = { 0 };
	char piece[4096];
	struct utsname host;
	gzFile file;

	uname(&host);
	file = root_is_set() || strcmp(k->release, host.release) ? NULL : gzopen("/proc/config.gz", "re");
	if (!file)
		return str_dup("");
	for (int n; (n = gzread(file, piece, sizeof(piece))) > 0;)
		buf_add(&text, piece, n);
	gzclose(file);
	return buf_text(&text);
}

// Returns .config of the tree, or the file that the image's package installs beside the image.
static char *read_config(const struct kernel *k)
{
	const char *paths[] = {
		k->build_tree ? str_printf("%s/.config", k->build_tree) : NULL,
		k->build_tree ? str_printf("%s/include/config/auto.conf", k->build_tree) : NULL,
		root_path(str_printf("/boot/config-%s", k->release)),
		root_path(str_printf("/lib/modules/%s/config", k->release)),
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		char *text = paths[i] ? str_read_file(paths[i], NULL) : NULL;

		if (text)
			return text;
	}
	return read_running_config(k);
}

// Names of machines: kbuild's, uname's, Debian's, and the prefixes of GNU cross tools.
static const struct machine {
	const char *arch, *uname, *debian, *prefix;
} machines[] = {
	{ "x86_64", "x86_64", "amd64", "x86_64-linux-gnu-" },
	{ "arm64", "aarch64", "arm64", "aarch64-linux-gnu-" },
};

const char *kernel_arch(const char *name)
{
	for (const struct machine *m = machines; m < END(machines); m++)
		if (strcmp(name, m->arch) == 0 || strcmp(name, m->uname) == 0 || strcmp(name, m->debian) == 0)
			return m->arch;
	return NULL;
}

const char *kernel_host_arch(void)
{
	struct utsname host;

	uname(&host);
	if (kernel_arch(host.machine))
		return kernel_arch(host.machine);
	if (str_starts(host.machine, "ppc64"))
		return "powerpc";
	if (str_starts(host.machine, "s390"))
		return "s390";
	if (str_starts(host.machine, "riscv"))
		return "riscv";
	return str_dup(host.machine);
}

const char *kernel_cross_prefix(const struct kernel *k)
{
	if (strcmp(k->arch, kernel_host_arch()) == 0)
		return NULL;
	for (const struct machine *m = machines; m < END(machines); m++)
		if (strcmp(k->arch, m->arch) == 0)
			return m->prefix;
	return NULL;
}

// Returns kbuild's name of the machine, from the configuration option that selects it, or NULL.
static const char *find_arch(const char *config)
{
	static const char *const options[][2] = {
		{ "\nCONFIG_X86_64=y", "x86_64" }, { "\nCONFIG_ARM64=y", "arm64" },
		{ "\nCONFIG_X86_32=y", "i386" },   { "\nCONFIG_ARM=y", "arm" },
		{ "\nCONFIG_PPC=y", "powerpc" },   { "\nCONFIG_S390=y", "s390" },
		{ "\nCONFIG_RISCV=y", "riscv" },   { "\nCONFIG_LOONGARCH=y", "loongarch" },
		{ "\nCONFIG_MIPS=y", "mips" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (strstr(config, options[i][0]))
			return options[i][1];
	return NULL;
}

static void choose_arch(struct kernel *k, const char *wish)
{
	const char *found = find_arch(k->config_text);

	if (wish && found && strcmp(wish, found))
		die("-a %s: the kernel %s is for %s, according to %s; give the release or the build tree of a kernel "
		    "for %s with -r", wish, k->release, found, k->build_tree ? k->build_tree : "its configuration", wish);
	k->arch = wish ? wish : found ? found : kernel_host_arch();
	k->source_arch = strcmp(k->arch, "x86_64") == 0 || strcmp(k->arch, "i386") == 0 ? "x86" : k->arch;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Returns the kernels that have modules on the target, sorted.
static name_list releases(void)
{
	DIR *d = opendir(root_path("/lib/modules"));
	name_list names = { 0 };
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			vec_push(&names, (const char *)str_dup(e->d_name));
	if (d)
		closedir(d);
	if (names.n)
		qsort(names.at, names.n, sizeof(*names.at), by_text);
	return names;
}

static const char *joined(const name_list *names)
{
	struct buf b = { 0 };

	for vec_each(names, name)
		buf_printf(&b, "%s%s", b.len ? ", " : "", *name);
	return buf_text(&b);
}

// Returns the only kernel in --sysroot.
static const char *only_release(void)
{
	name_list names = releases();

	if (names.n != 1)
		die("--sysroot has %s in /lib/modules; give the release with -r",
		    names.n ? str_printf("several kernels (%s)", joined(&names)) : "no kernel");
	return names.at[0];
}

// Sets the release and returns the directory that may be the build tree, as the options select them.
static const char *choose_release(struct session *s, struct kernel *k)
{
	const char *tree = s->opt.build_tree;
	struct utsname host;

	uname(&host);
	if (s->opt.headers.n) {
		tree = kernel_files_tree(s);
		k->release = kernel_tree_release(tree);
		return tree;
	}
	if (tree) {
		if (!is_dir(tree))
			die("-r %s: no such directory; give a kernel release or the path of a kernel build tree", tree);
		k->release = kernel_tree_release(tree);
		if (!k->release)
			die("-r %s is not a configured kernel build tree (include/generated/utsrelease.h is missing); "
			    "run \"make modules_prepare\" there", tree);
		return tree;
	}
	if (s->opt.image)
		k->image = kernel_files_image(s, s->opt.release);
	k->release = s->opt.release ? s->opt.release : k->image ? kernel_image_release(k->image) :
		     root_is_set() ? only_release() : str_dup(host.release);
	if (!k->release)
		die("--image=%s does not name its release; give it with -r", s->opt.image);
	return root_path(str_printf("/lib/modules/%s/build", k->release));
}

struct kernel *kernel_open(struct session *s)
{
	struct kernel *k = NEW(struct kernel);
	const char *tree = choose_release(s, k), *of;

	// A partly removed package leaves a dangling link or a directory without a configuration.
	if (is_file(str_printf("%s/Makefile", tree))
	    && is_file(str_printf("%s/include/generated/autoconf.h", tree))) {
		char *path = realpath(tree, NULL);

		k->build_tree = path ? str_dup(path) : tree;
		free(path);
	}
	k->base_version = base_version(k->release);
	if (s->opt.image && !k->image)
		k->image = kernel_files_image(s, k->release);
	of = k->image && s->opt.image ? kernel_image_release(k->image) : NULL;
	if (of && strcmp(of, k->release))
		die("--image=%s is of the kernel %s, but the module is for %s; give the image of that kernel", s->opt.image, of,
		    k->release);
	if (!k->image)
		k->image = find_image(k->release, k->build_tree);
	k->config_text = read_config(k);
	choose_arch(k, s->opt.arch);
	return k;
}

static char *unquote(char *value)
{
	size_t n = strlen(value);

	if (n < 2 || value[0] != '"' || value[n - 1] != '"')
		return value;
	value[n - 1] = '\0';
	return value + 1;
}

static void load_config(struct kernel *k)
{
	char *text = str_dup(k->config_text), *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *eq = strchr(line, '=');

		if (!eq || !str_starts(line, "CONFIG_"))
			continue;
		*eq = '\0';
		map_put(&k->config, line, unquote(eq + 1));
	}
}

const char *kernel_config(struct kernel *k, const char *name)
{
	if (!k->config_loaded)
		load_config(k);
	k->config_loaded = true;
	return map_get(&k->config, name);
}

// Parses Module.symvers: "0x92997ed8\t_printk\tvmlinux\tEXPORT_SYMBOL\tNAMESPACE".
static void load_exports(struct kernel *k)
{
	char *text = str_read_file(str_printf("%s/Module.symvers", k->build_tree), NULL), *save = NULL;

	if (!text)
		die("%s/Module.symvers cannot be read: %s; reinstall the kernel's headers, or build the tree's "
		    "modules", k->build_tree, strerror(errno));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *field = NULL, *crc = strtok_r(line, "\t", &field), *symbol = strtok_r(NULL, "\t", &field);

		if (symbol)
			map_put(&k->exports, symbol, crc);
	}
}

bool kernel_here_has_kprobes(void)
{
	static const char sources[] = "/sys/bus/event_source/devices";

	return access(sources, F_OK) || !access(str_printf("%s/kprobe", sources), F_OK);
}

bool kernel_here_has_trampolines(void)
{
	int fd = open("/sys/kernel/tracing/available_filter_functions", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fd = open("/sys/kernel/debug/tracing/available_filter_functions", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && !access("/sys/kernel/btf/vmlinux", F_OK);
}

bool kernel_exports(struct kernel *k, const char *symbol)
{
	kernel_need_build_tree(k);
	if (!k->exports_loaded)
		load_exports(k);
	k->exports_loaded = true;
	return map_get(&k->exports, symbol) != NULL;
}

static bool host_is_debian(void)
{
	return access("/etc/debian_version", F_OK) == 0;
}

// Returns false only if apt's lists are present and do not have the package: then the kernel was built from other
// sources. apt-cache takes a second where apt does not cache its lists, so it is asked once for all packages of a
// kernel.
static bool apt_may_have(const struct kernel *k, const char *package)
{
	const char *wanted[] = {
		str_printf("linux-headers-%s", k->release), str_printf("linux-image-%s", k->release),
		str_printf("linux-image-%s-dbg", k->release),
	};
	static const char *release, *found;
	const char *argv[ARRAY_SIZE(wanted) + 5] = { "apt-cache", "-q", "show", "make" };
	struct spawn show = { .argv = argv, .capture = true };

	if (!release || strcmp(release, k->release)) {
		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
			argv[4 + i] = wanted[i];
		spawn_run(&show);
		release = k->release;
		found = str_printf("\n%s", show.output ? show.output : "");
	}
	return !strstr(found, "\nPackage: make\n") || strstr(found, str_printf("\nPackage: %s\n", package));
}

// Returns the suffix of apt's names of packages for another machine (after dpkg --add-architecture).
static const char *foreign_suffix(const struct kernel *k)
{
	for (const struct machine *m = machines; m < END(machines); m++)
		if (strcmp(k->arch, m->arch) == 0 && strcmp(k->arch, kernel_host_arch()))
			return str_printf(":%s", m->debian);
	return "";
}

const char *kernel_complete_release(const char *release)
{
	name_list names = releases();
	size_t n = strlen(release);
	const char *found = NULL;

	for vec_each(&names, name) {
		if (!strcmp(*name, release))
			return release;
		if (!str_starts(*name, release) || isalnum((unsigned char)(*name)[n]))
			continue;
		if (found)
			return release;
		found = *name;
	}
	return found ? found : release;
}

void kernel_need_installed(const char *release)
{
	name_list names = releases();
	struct utsname host;

	uname(&host);
	if (str_in_list(&names, release) || (!root_is_set() && !strcmp(host.release, release)))
		return;
	die("the kernel \"%s\" is not installed %s; %s", release, root_is_set() ? "below --sysroot" : "on this host",
	    names.n ? str_printf("choose one of %s, or give a build tree with -r /PATH", joined(&names)) :
	    "install it, or give a build tree with -r /PATH");
}

const char *kernel_headers_advice(const struct kernel *k)
{
	const char *package = str_printf("linux-headers-%s%s", k->release, foreign_suffix(k)), *advice;

	if (!host_is_debian())
		advice = str_printf("install the kernel-devel or linux-headers package of %s, or", k->release);
	else if (*foreign_suffix(k) || apt_may_have(k, package))
		advice = str_printf("apt install %s, or", package);
	else
		advice = str_printf("since apt has no package %s,", package);
	return str_printf("%s give a tree with -r /PATH", advice);
}

const char *kernel_image_advice(const struct kernel *k)
{
	const char *package = str_printf("linux-image-%s", k->release), *debug = str_printf("%s-dbg", package);

	if (!host_is_debian())
		return str_printf("install the kernel package of %s or its debuginfo", k->release);
	if (apt_may_have(k, package) || apt_may_have(k, debug))
		return str_printf("install the package %s or %s", package, debug);
	return str_printf("apt has no package %s: give the kernel's file with --image=FILE", package);
}

// Returns the directory that the tree's Makefile includes, as in the trees of Debian's flavours, or NULL.
static const char *included_tree(const char *tree)
{
	char *makefile = str_read_file(str_printf("%s/Makefile", tree), NULL), *lines = NULL;

	for (char *line = makefile ? strtok_r(makefile, "\n", &lines) : NULL; line; line = strtok_r(NULL, "\n", &lines)) {
		const char *end = str_starts(line, "include /") ? strstr(line, "/Makefile") : NULL;
		const char *dir = end ? str_ndup(line + strlen("include "), (size_t)(end - line) - strlen("include ")) : NULL;

		// The tree may have been changed to include a path of this host.
		if (dir)
			return is_dir(root_path(dir)) ? root_path(dir) : dir;
	}
	return NULL;
}

const char *kernel_source_tree(const struct kernel *k)
{
	const char *link = root_path(root_name(str_printf("%s/source", k->build_tree))), *included;

	if (is_file(str_printf("%s/include/linux/module.h", link)))
		return link;
	included = included_tree(k->build_tree);
	return included ? included : k->build_tree;
}

const char *kernel_makefile(const struct kernel *k)
{
	const char *included = root_is_set() ? included_tree(k->build_tree) : NULL;

	return included ? str_printf("%s/Makefile", included) : NULL;
}

void kernel_need_build_tree(const struct kernel *k)
{
	// kbuild passes the path to a shell, and does not start in a directory with a blank or colon.
	if (k->build_tree && strpbrk(k->build_tree, " \t\n:;&|<>()$`\\\"'*?[]{}#!"))
		die("the build tree \"%s\" has a blank or a special character in its path, where the kernel's make does not work; "
		    "move it to a path of letters, digits, \"-\", \"_\" and \".\"", k->build_tree);
	if (k->build_tree)
		return;
	if (!*foreign_suffix(k))
		kernel_need_installed(k->release);
	die("no build tree of kernel %s (/lib/modules/%s/build is missing or incomplete), which a module "
	    "needs; %s", k->release, k->release, kernel_headers_advice(k));
}

const char *kernel_debuginfo_advice(const struct kernel *k)
{
	const char *wanted = str_printf("linux-image-%s-dbg", k->release);

	if (!host_is_debian() || apt_may_have(k, wanted))
		return str_printf("DWARF debuginfo is in the package %s", wanted);
	return str_printf("DWARF debuginfo is required, and apt has no package %s: build the kernel with "
			  "CONFIG_DEBUG_INFO_DWARF5=y, and give its build tree with -r /PATH", wanted);
}
