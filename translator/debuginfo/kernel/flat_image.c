// SPDX-License-Identifier: GPL-2.0-or-later
// Reads an arm64 kernel image (Image, not an ELF file) and finds its BTF, build-id and base address.
//
// The image begins with a 64-byte header (Documentation/arch/arm64/booting.rst): two instructions, the second of which
// branches to `primary_entry`; at 16 the memory size; at 56 "ARM\x64". The other parts are searched for: .notes is
// directly before .BTF, which begins with a header of its own. Addresses that are relocated at boot are listed as ELF
// relocations (offset, R_AARCH64_RELATIVE, address); the lowest is the start of the image. With CONFIG_EFI_ZBOOT the
// file is a small EFI program that contains a compressed image: "MZ\0\0zimg", at 8 its offset, at 12 its size.
#include "debuginfo/kernel/image.h"

#include <string.h>

#define MAGIC_AT 56
#define SIZE_AT 16

struct btf_start { uint16_t magic; uint8_t version, flags; uint32_t header_len, type_off, type_len, str_off, str_len; };
struct relocation { uint64_t offset, type, address; };

static uint64_t get64(const struct bytes *b, size_t at)
{
	uint64_t v;

	memcpy(&v, b->at + at, 8);
	return v;
}

static uint32_t get32(const struct bytes *b, size_t at)
{
	uint32_t v;

	memcpy(&v, b->at + at, 4);
	return v;
}

bool flat_image_is(struct bytes b)
{
	return b.len >= 4096 && !memcmp(b.at + MAGIC_AT, "ARM\x64", 4);
}

struct bytes flat_image_packed(struct bytes file)
{
	struct bytes none = { NULL, 0 };
	uint32_t at, len;

	if (file.len < 64 || memcmp(file.at, "MZ\0\0zimg", 8))
		return none;
	at = get32(&file, 8);
	len = get32(&file, 12);
	if (at > file.len || len > file.len - at)
		return none;
	return (struct bytes){ file.at + at, len };
}

struct bytes flat_image_btf(struct bytes b)
{
	static const uint8_t start[] = { 0x9f, 0xeb, 1, 0, sizeof(struct btf_start), 0, 0, 0 };
	const uint8_t *end = b.at + b.len;

	for (const uint8_t *p = b.at; (p = memmem(p, end - p, start, sizeof(start))); p++) {
		struct btf_start h;
		size_t left = end - p;

		if (left < sizeof(h))
			break;
		memcpy(&h, p, sizeof(h));
		// The string section is the last one and begins with an empty string.
		if (h.type_off == 0 && h.str_off == h.type_len && h.str_len > 1 &&
		    (uint64_t)h.str_off + h.str_len <= left - sizeof(h) && !p[sizeof(h) + h.str_off])
			return (struct bytes){ p, sizeof(h) + h.str_off + h.str_len };
	}
	return (struct bytes){ NULL, 0 };
}

struct bytes flat_image_build_id(struct bytes b, struct bytes btf)
{
	static const uint8_t note[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	const uint8_t *p = btf.at;

	while (p && p - b.at >= (ptrdiff_t)sizeof(note) && btf.at - p < 4096) {
		p -= 4;
		if (!memcmp(p, note, sizeof(note)))
			return (struct bytes){ p + sizeof(note), 20 };
	}
	return (struct bytes){ NULL, 0 };
}

// Returns the lowest address that is relocated at boot; 0: no relocation.
static uint64_t lowest(struct bytes b)
{
	uint64_t low = UINT64_MAX;

	for (size_t at = 0; at + sizeof(struct relocation) <= b.len; at += 8) {
		struct relocation r = { get64(&b, at), get64(&b, at + 8), get64(&b, at + 16) };

		if (r.type == 0x403 && r.offset >> 52 == 0xfff && r.address >> 52 == 0xfff && r.address < low)
			low = r.address;
	}
	return low == UINT64_MAX ? 0 : low;
}

int flat_image_anchors(struct bytes b, struct anchor *out, uint64_t *end)
{
	uint32_t branch = get32(&b, 4);
	uint64_t base = lowest(b);

	if (!base || base % 65536 || branch >> 26 != 0x05)
		return 0;
	*end = base + get64(&b, SIZE_AT);
	out[0] = (struct anchor){ "_text", base };
	out[1] = (struct anchor){ "primary_entry", base + 4 + (branch & 0x3ffffff) * 4ull };
	return 2;
}
