// SPDX-License-Identifier: GPL-2.0-or-later
// Code in which kprobes are refused: ranges between pairs of symbols, and NOKPROBE_SYMBOL().
#ifndef DEBUGINFO_KPROBE_BLOCKLIST_H
#define DEBUGINFO_KPROBE_BLOCKLIST_H

#include "debuginfo/module.h"

enum { NOPROBE_NOINSTR, NOPROBE_KPROBES, NOPROBE_ENTRY, NOPROBE_RANGES };
struct kprobe_blocklist {
	struct { uint64_t start, end; } range[NOPROBE_RANGES];
	const uint64_t *functions; // addresses of NOKPROBE_SYMBOL(), sorted; NULL: they cannot be read
	size_t n;
};
void kprobe_blocklist_read(const struct di_module *m, struct kprobe_blocklist *out);
bool kprobe_blocklist_in_range(const struct kprobe_blocklist *b, uint64_t address);
bool kprobe_blocklist_has_function(const struct kprobe_blocklist *b, uint64_t address);

#endif
