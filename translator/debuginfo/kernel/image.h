// SPDX-License-Identifier: GPL-2.0-or-later
// Kernel images and modules: their BTF, build-id and symbols.
#ifndef DEBUGINFO_IMAGE_H
#define DEBUGINFO_IMAGE_H

#include "debuginfo/arch.h"
#include "debuginfo/elf/symbols.h"
#include "session/session.h"
#include "util/str.h"

// kallsyms.c
// Appends the functions in [text, text_end) of the kallsyms tables in `rodata` to the buffers. `anchors` are names with
// addresses known from section headers, used to find and check the base.
struct anchor { const char *name; uint64_t address; };
bool kallsyms_decode(struct bytes rodata, const struct anchor *anchors, int nanchors, uint64_t text,
		     uint64_t text_end, struct buf *entries, struct buf *strings);

// image.c
struct image {
	const char *path;
	struct bytes form;             // the pages to which the other members refer
	struct bytes btf, build_id;
	struct symbols symbols;
	bool has_symbols;
};
// NULL: cannot be read, or not a supported kernel image.
struct image *image_open(struct session *s, const char *path, const struct arch *arch);
// Stores the image's build ID, which may be empty. Returns false if image_open() would return NULL.
bool image_build_id(struct session *s, const char *path, const struct arch *arch, struct bytes *id);
// Frees the pages of an image, of which nothing may be used afterwards; NULL: no effect.
void image_close(struct image *img);
// Maps a file, decompressed if it is compressed. Empty: cannot be read or decompressed.
struct bytes image_unpack_file(const char *path);
// Decompresses into new pages; returns uncompressed bytes unchanged. Empty: damaged.
struct bytes image_unpack(struct bytes in);

// flat_image.c
bool flat_image_is(struct bytes b);
// Returns the compressed payload of an image with CONFIG_EFI_ZBOOT; empty for others.
struct bytes flat_image_packed(struct bytes file);
// Empty: not found.
struct bytes flat_image_btf(struct bytes b);
struct bytes flat_image_build_id(struct bytes b, struct bytes btf);
// Returns at most 2 known symbols and the end of the image's addresses. 0: not found.
int flat_image_anchors(struct bytes b, struct anchor *out, uint64_t *end);

#endif
