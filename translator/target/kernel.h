// SPDX-License-Identifier: GPL-2.0-or-later
// The target kernel: reads its build tree and image, answers which options, exports and tools it has.
#ifndef KERNEL_H
#define KERNEL_H

#include "session/session.h"

struct kernel {
	const char *release;       // "6.1.0-56-cloud-amd64"
	const char *base_version;  // "6.1.0"
	const char *arch;          // kbuild's: "x86_64", "arm64"
	const char *source_arch;   // the directory of arch/: "x86", "arm64"
	const char *build_tree;    // /lib/modules/REL/build, or NULL when it has none
	const char *image;         // /boot/vmlinuz-REL or a vmlinux beside the build tree, or NULL
	struct map config;         // CONFIG_X -> "y", "m", "123", "text"; loaded at first kernel_config()
	struct map exports;        // Module.symvers: symbol -> CRC text; loaded at first kernel_exports()
	const char *config_text;   // .config, "" when there is none
	bool config_loaded, exports_loaded;
};
struct kernel *kernel_open(struct session *s);
// kbuild's name of a machine that it or uname names ("aarch64", "arm64" -> "arm64"); NULL: unknown here.
const char *kernel_arch(const char *name);
const char *kernel_host_arch(void);
// What the names of its tools begin with on another machine: "aarch64-linux-gnu-"; NULL: this machine's.
const char *kernel_cross_prefix(const struct kernel *k);
// NULL when unset.
const char *kernel_config(struct kernel *k, const char *name);
bool kernel_exports(struct kernel *k, const char *symbol);
// Dies with advice (which package) when there is no build tree.
void kernel_need_build_tree(const struct kernel *k);

#endif
