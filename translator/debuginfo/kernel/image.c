// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a kernel image: BTF, build-id and the addresses of functions.
//
// x86: the setup header of /boot/vmlinuz (Documentation/arch/x86/boot.rst) gives the offset of the payload; its first
// bytes show the compression, its last four the uncompressed size. The payload is a vmlinux without symbol table and
// DWARF. The file may also be a vmlinux, plain or compressed, or an arm64 image (flat_image.c). Decompression takes
// about 0.2 s, so the extracted parts are cached in one file: header, build-id, BTF, functions and names. The file is
// written under a temporary name and renamed, and verified when it is read.
#include "debuginfo/kernel/image.h"
#include "debuginfo/elf/resources.h"

#include "cache/cache.h"
#include "util/progress.h"
#include "util/str.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <lz4.h>
#include <lzma.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define IMAGE_MAX (1ull << 30)

// ---------------------------------------------------------------- decompression
// Decompressors of `in`, which may have a few trailing bytes, to `out`. They return the length, or 0 on failure.

static size_t unpack_gzip(struct bytes in, uint8_t *out, size_t size)
{
	z_stream z = { .next_in = (Bytef *)in.at, .avail_in = in.len, .next_out = out, .avail_out = size };
	size_t len = 0;

	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return 0;
	if (inflate(&z, Z_FINISH) == Z_STREAM_END)
		len = z.total_out;
	inflateEnd(&z);
	return len;
}

static size_t unpack_lzma(struct bytes in, uint8_t *out, size_t size)
{
	lzma_stream z = LZMA_STREAM_INIT;
	size_t len = 0;

	if (lzma_auto_decoder(&z, UINT64_MAX, 0) != LZMA_OK)
		return 0;
	z.next_in = in.at;
	z.avail_in = in.len;
	z.next_out = out;
	z.avail_out = size;
	if (lzma_code(&z, LZMA_FINISH) == LZMA_STREAM_END)
		len = z.total_out;
	lzma_end(&z);
	return len;
}

static size_t unpack_zstd(struct bytes in, uint8_t *out, size_t size)
{
	size_t frame = ZSTD_findFrameCompressedSize(in.at, in.len), len;

	if (ZSTD_isError(frame))
		return 0;
	len = ZSTD_decompress(out, size, in.at, frame);
	return ZSTD_isError(len) ? 0 : len;
}

// Unpacks the legacy stream of lz4(1): magic, then blocks of (length, bytes), each 8 MB unpacked.
static size_t unpack_lz4(struct bytes in, uint8_t *out, size_t size)
{
	size_t at = 4, len = 0;

	while (len < size && at + 4 <= in.len) {
		uint32_t block;
		int n;

		memcpy(&block, in.at + at, 4);
		at += 4;
		if (!block || block > in.len - at || block > INT_MAX)
			break;
		n = LZ4_decompress_safe((const char *)in.at + at, (char *)out + len, block,
					size - len > 8 << 20 ? 8 << 20 : size - len);
		if (n <= 0)
			return 0;
		at += block;
		len += n;
	}
	return len;
}

static const struct unpacker {
	const char *magic;
	int len;
	size_t (*unpack)(struct bytes in, uint8_t *out, size_t size);
} unpackers[] = {
	{ "\x1f\x8b", 2, unpack_gzip },
	{ "\xfd" "7zXZ", 6, unpack_lzma },
	{ "\x5d\0\0", 3, unpack_lzma },
	{ "\x02\x21\x4c\x18", 4, unpack_lz4 },
	{ "\x28\xb5\x2f\xfd", 4, unpack_zstd },
};

// Decompresses into new pages, which the caller unmaps. Empty: not compressed, or in an unsupported format.
static struct bytes unpack(struct bytes in)
{
	struct bytes none = { NULL, 0 };
	uint32_t unpacked_size;
	struct bytes out;
	size_t len;

	if (in.len < 16)
		return none;
	memcpy(&unpacked_size, in.at + in.len - 4, 4);
	if (unpacked_size < 4096 || unpacked_size > IMAGE_MAX)
		return none;
	for (const struct unpacker *u = unpackers; u < END(unpackers); u++) {
		if (memcmp(in.at, u->magic, u->len))
			continue;
		out = map_zeroed(unpacked_size);
		if (!out.at)
			return none;
		len = u->unpack(in, (uint8_t *)out.at, unpacked_size);
		if (len)
			return out;
		unmap(&out);
	}
	return none;
}

#define FILE_MAX (256u << 20)

struct bytes image_unpack(struct bytes in)
{
	const struct unpacker *u = unpackers;
	struct bytes out;
	size_t len;

	while (u < END(unpackers) && (in.len < 16 || memcmp(in.at, u->magic, u->len)))
		u++;
	if (u == END(unpackers))
		return in;
	// The uncompressed size is unknown; pages that are not written take no memory.
	out = map_zeroed(FILE_MAX);
	len = out.at ? u->unpack(in, (uint8_t *)out.at, FILE_MAX) : 0;
	if (len)
		map_shrink(&out, len);
	else
		unmap(&out);
	return out;
}

struct bytes image_unpack_file(const char *path)
{
	struct bytes file = map_file(path), out = image_unpack(file);

	if (out.at != file.at)
		unmap(&file);
	return out;
}

// Returns the compressed part of a bzImage; other files unchanged; empty: damaged.
static struct bytes payload(struct bytes file)
{
	struct bytes none = { NULL, 0 };
	uint32_t offset, len;
	uint16_t version;
	uint64_t start;

	if (file.len < 0x250 || memcmp(file.at + 0x202, "HdrS", 4))
		return file;
	memcpy(&version, file.at + 0x206, 2);
	memcpy(&offset, file.at + 0x248, 4);
	memcpy(&len, file.at + 0x24c, 4);
	if (version < 0x208)
		return none;
	start = ((file.at[0x1f1] ? file.at[0x1f1] : 4) + 1) * 512ull + offset;
	if (start > file.len || len > file.len - start)
		return none;
	return (struct bytes){ file.at + start, len };
}

// ---------------------------------------------------------------- sections of a vmlinux

struct parts {
	struct bytes btf, build_id;
	struct buf entries, strings;   // the symbol table
	uint64_t text, text_end;
};

// Symbols that linker scripts define at the start of a section.
static int find_anchors(const struct elf_view *v, struct anchor *out)
{
	static const struct { const char *symbol, *section; } known[] = {
		{ "_text", ".text" }, { "_stext", ".text" }, { "__start_rodata", ".rodata" },
		{ "_sdata", ".data" }, { "__bss_start", ".bss" }, { "_sinittext", ".init.text" },
		{ "__start___ksymtab", "__ksymtab" }, { "__start___ksymtab_gpl", "__ksymtab_gpl" },
	};
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const Elf64_Shdr *h = elf_view_header(v, known[i].section);

		if (h)
			out[n++] = (struct anchor){ known[i].symbol, h->sh_addr };
	}
	return n;
}

static void read_parts(const struct elf_view *v, struct parts *p)
{
	const Elf64_Shdr *text = elf_view_header(v, ".text");
	struct anchor anchors[16];
	struct bytes rodata;

	elf_view_section(v, ".BTF", &p->btf);
	p->build_id = elf_view_build_id(v);
	if (!text || !elf_view_section(v, ".rodata", &rodata))
		return;
	p->text = text->sh_addr;
	p->text_end = text->sh_addr + text->sh_size;
	if (!kallsyms_decode(rodata, anchors, find_anchors(v, anchors), p->text, p->text_end, &p->entries,
			     &p->strings))
		p->entries.len = p->strings.len = 0;
}

// Removes the symbols from .init.text on, which is freed after boot.
static void drop_init_text(struct parts *p)
{
	const struct symbol_entry *e = (const void *)p->entries.text;
	size_t n = p->entries.len / sizeof(*e);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(p->strings.text + e[i].name, "_sinittext")) {
			p->text_end = e[i].address;
			p->entries.len = i * sizeof(*e);
			return;
		}
}

static void read_flat_parts(struct bytes image, struct parts *p)
{
	struct anchor anchors[2];
	int n = flat_image_anchors(image, anchors, &p->text_end);

	p->btf = flat_image_btf(image);
	p->build_id = flat_image_build_id(image, p->btf);
	if (!n)
		return;
	p->text = anchors[0].address;
	if (kallsyms_decode(image, anchors, n, p->text, p->text_end, &p->entries, &p->strings))
		drop_init_text(p);
	else
		p->entries.len = p->strings.len = 0;
}

// ---------------------------------------------------------------- the cached file

struct cache_header {
	uint64_t build_id_len, btf_len, entries_len, strings_len;
	uint64_t text, text_end;
	uint8_t build_id[64];
};                                     // followed by BTF, entries and strings, each padded to 8

static uint64_t padded(uint64_t n)
{
	return (n + 7) & ~7ull;
}

static uint64_t length_of(const struct cache_header *h)
{
	return sizeof(*h) + padded(h->btf_len) + padded(h->entries_len) + padded(h->strings_len);
}

static struct cache_key key_of(const char *path)
{
	struct cache_hash *h = cache_hash_new("image 2");

	cache_hash_file_id(h, path);
	return cache_hash_end(h);
}

static bool header_valid(const struct cache_header *h, size_t len)
{
	return h->build_id_len <= sizeof(h->build_id) && h->btf_len < len && h->entries_len < len &&
	       h->strings_len < len && h->entries_len % sizeof(struct symbol_entry) == 0 && length_of(h) <= len;
}

static void set_symbols(struct image *img, const void *entries, size_t len, const void *strings,
			size_t strings_len, uint64_t text, uint64_t text_end)
{
	img->has_symbols = len > 0;
	img->symbols = (struct symbols){
		.table = entries,
		.n = len / sizeof(struct symbol_entry),
		.strings = strings,
		.strings_len = strings_len,
		.text = text,
		.text_end = text_end,
	};
}

static void image_from_form(struct image *img, struct bytes form)
{
	const struct cache_header *h = (const void *)form.at;
	const uint8_t *at = (const uint8_t *)(h + 1);

	img->form = form;
	img->build_id = (struct bytes){ h->build_id, h->build_id_len };
	img->btf = (struct bytes){ at, h->btf_len };
	at += padded(h->btf_len);
	set_symbols(img, at, h->entries_len, at + padded(h->entries_len), h->strings_len, h->text, h->text_end);
}

static bool cache_read(struct session *s, const struct cache_key *key, struct image *img)
{
	struct cache_bytes content = cache_content(s, key, ".image", map_pages);
	struct bytes b = { content.at, content.len };
	const struct cache_header *h = (const void *)b.at;

	if (!b.at)
		return false;
	if (b.len < sizeof(*h) || !header_valid(h, b.len) ||
	    (h->strings_len && b.at[length_of(h) - padded(h->strings_len) + h->strings_len - 1])) {
		unmap(&b);
		return false;
	}
	image_from_form(img, b);
	return true;
}

// Makes the cached form in memory; the image refers to its pages.
static struct bytes cache_form(const struct parts *p)
{
	size_t len = sizeof(struct cache_header) + padded(p->btf.len) + padded(p->entries.len) +
		     padded(p->strings.len);
	uint8_t *at = (uint8_t *)map_zeroed(len).at;
	struct cache_header *h = (void *)at;

	if (!at)
		die_of_memory(len);
	*h = (struct cache_header){
		.build_id_len = p->build_id.len > sizeof(h->build_id) ? 0 : p->build_id.len,
		.btf_len = p->btf.len,
		.entries_len = p->entries.len,
		.strings_len = p->strings.len,
		.text = p->text,
		.text_end = p->text_end,
	};
	if (h->build_id_len)
		memcpy(h->build_id, p->build_id.at, h->build_id_len);
	at += sizeof(*h);
	if (p->btf.len)
		memcpy(at, p->btf.at, p->btf.len);
	at += padded(p->btf.len);
	if (p->entries.len)
		memcpy(at, p->entries.text, p->entries.len);
	at += padded(p->entries.len);
	if (p->strings.len)
		memcpy(at, p->strings.text, p->strings.len);
	return (struct bytes){ (uint8_t *)h, len };
}

// Returns false if it is not a kernel of this architecture.
static bool read_any_parts(struct bytes kernel, const struct arch *arch, struct parts *parts)
{
	struct elf_view v;

	if (arch->elf_machine == EM_AARCH64 && flat_image_is(kernel))
		read_flat_parts(kernel, parts);
	else if (elf_view_open(&v, kernel) && v.machine == arch->elf_machine)
		read_parts(&v, parts);
	else
		return false;
	return true;
}

static bool read_image(struct session *s, const char *path, const struct cache_key *key, const struct arch *arch,
		       struct image *img)
{
	struct bytes file = map_file(path), in = payload(file), packed, unpacked, form;
	struct parts parts = { 0 };
	bool good;

	if (!file.at)
		return false;
	progress("unpacking the kernel image %s", path);
	packed = flat_image_packed(file);
	unpacked = packed.at ? image_unpack(packed) : unpack(in);
	good = read_any_parts(unpacked.at ? unpacked : in, arch, &parts);
	if (good) {
		form = cache_form(&parts);
		cache_put(s, key, ".image", form.at, form.len);
		image_from_form(img, form);
	}
	if (unpacked.at != packed.at)
		unmap(&unpacked);
	unmap(&file);
	progress_end();
	return good;
}

struct image *image_open(struct session *s, const char *path, const struct arch *arch)
{
	struct image *img = NEW(struct image);
	struct cache_key key = key_of(path);

	img->path = path;
	if (cache_read(s, &key, img))
		return img;
	return read_image(s, path, &key, arch, img) ? img : NULL;
}

// Reads only the build ID: the table of an image has megabytes, and a translation with debuginfo does not need it.
bool image_build_id(struct session *s, const char *path, const struct arch *arch, struct bytes *id)
{
	struct cache_key key = key_of(path);
	struct cache_bytes known = cache_content(s, &key, ".buildid", mem_alloc_text);
	struct image *img;

	*id = (struct bytes){ known.at, known.len };
	if (known.at)
		return true;
	img = image_open(s, path, arch);
	if (!img)
		return false;
	if (img->build_id.len) {
		cache_put(s, &key, ".buildid", img->build_id.at, img->build_id.len);
		*id = (struct bytes){ mem_alloc_text(img->build_id.len), img->build_id.len };
		memcpy((void *)id->at, img->build_id.at, id->len);
	}
	image_close(img);
	return true;
}

void image_close(struct image *img)
{
	if (img)
		unmap(&img->form);
}
