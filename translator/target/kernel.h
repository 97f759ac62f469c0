// SPDX-License-Identifier: GPL-2.0-or-later
// The target kernel: reads its build tree and image, and provides its options, exports and tools.
#ifndef KERNEL_H
#define KERNEL_H

#include "session/session.h"

struct kernel {
	const char *release;       // "6.1.0-56-cloud-amd64"
	const char *base_version;  // "6.1.0"
	const char *arch;          // kbuild's: "x86_64", "arm64"
	const char *source_arch;   // the directory of arch/: "x86", "arm64"
	const char *build_tree;    // /lib/modules/REL/build, or NULL
	const char *image;         // /boot/vmlinuz-REL or a vmlinux beside the build tree, or NULL
	struct map config;         // CONFIG_X -> "y", "m", "123", "text"; loaded at first kernel_config()
	struct map exports;        // Module.symvers: symbol -> CRC text; loaded at first kernel_exports()
	const char *config_text;   // .config, or ""
	bool config_loaded, exports_loaded;
};
struct kernel *kernel_open(struct session *s);
// Returns kbuild's name of a machine from its own or uname's name ("aarch64", "arm64" -> "arm64"), or NULL if it is
// unknown.
const char *kernel_arch(const char *name);
const char *kernel_host_arch(void);
// Returns the release that a build tree was configured for, or NULL.
char *kernel_tree_release(const char *tree);
// kernel_files.c: Return the build tree of --headers, and the image of --image. Both end the program if files are
// missing.
char *kernel_files_tree(struct session *s);
char *kernel_files_image(struct session *s, const char *release);
// Returns the release of an image, from the header of a bzImage or from the file's name, or NULL.
char *kernel_image_release(const char *path);
// Returns the prefix of cross tools, such as "aarch64-linux-gnu-", or NULL for tools of this machine.
const char *kernel_cross_prefix(const struct kernel *k);
// Returns NULL if the option is unset.
const char *kernel_config(struct kernel *k, const char *name);
bool kernel_exports(struct kernel *k, const char *symbol);
// Returns the only installed kernel whose release begins with the text, up to a "." or "-"; otherwise the text.
const char *kernel_complete_release(const char *release);
// Dies with a list of installed kernels if this one has no modules on this host and does not run.
void kernel_need_installed(const char *release);
// Returns false if the running kernel certainly lacks kprobes.
bool kernel_here_has_kprobes(void);
// Returns whether programs can be attached to single functions of the running kernel (fentry).
bool kernel_here_has_trampolines(void);
// Returns the directory of the sources that the build tree refers to: the tree itself, its `source` link, or, for a
// Debian flavour's tree, the directory that its Makefile includes.
const char *kernel_source_tree(const struct kernel *k);
// If the tree's Makefile refers to a path below --sysroot, returns the Makefile with which modules are built
// instead; otherwise NULL.
const char *kernel_makefile(const struct kernel *k);
// Dies with advice (the package) if the kernel has no build tree.
void kernel_need_build_tree(const struct kernel *k);
// Return how to obtain files of the kernel: from a package, unless apt does not have it.
const char *kernel_headers_advice(const struct kernel *k);
const char *kernel_image_advice(const struct kernel *k);
const char *kernel_debuginfo_advice(const struct kernel *k);

#endif
