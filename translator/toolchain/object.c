// SPDX-License-Identifier: GPL-2.0-or-later
// Links objects, lists the symbols that they leave undefined, and writes a module's own name and stack need into it.
//
// The name is in two locations: __this_module.name (section .gnu.linkonce.this_module) and
// "name=..." of .modinfo. Both were compiled with MODULE_PLACEHOLDER, as long as a name can be;
// the name is written over it and padded with zeros, which the kernel and modinfo skip.
#include "toolchain/tools.h"
#include "util/diag.h"

#include "stack.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(MODULE_PLACEHOLDER) == MODULE_NAME_MAX + 1, "it is as long as the longest name");

// A file mapped to be read, or changed in place, with libelf's view of it.
struct image {
	const char *path;
	int fd;
	char *bytes;
	size_t len;
	Elf *elf;
};

static void image_open(struct image *im, const char *path, bool writable)
{
	struct stat st;

	im->path = path;
	im->fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (im->fd < 0 || fstat(im->fd, &st) < 0)
		die("cannot open %s: %s", path, strerror(errno));
	im->len = (size_t)st.st_size;
	im->bytes = mmap(NULL, im->len, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, im->fd, 0);
	if (im->bytes == MAP_FAILED)
		die("cannot map %s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	im->elf = elf_memory(im->bytes, im->len);
	if (!im->elf)
		die("%s is not an ELF file: %s", path, elf_errmsg(-1));
}

static void image_close(struct image *im)
{
	elf_end(im->elf);
	munmap(im->bytes, im->len);
	close(im->fd);
}

static Elf_Scn *find_section(const struct image *im, const char *name, GElf_Shdr *header)
{
	size_t names;

	elf_getshdrstrndx(im->elf, &names);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(im->elf, scn));)
		if (gelf_getshdr(scn, header) && strcmp(elf_strptr(im->elf, names, header->sh_name), name) == 0)
			return scn;
	return NULL;
}

void object_undefined(const char *path, struct map *symbols)
{
	struct image im;
	GElf_Shdr header;
	GElf_Sym sym;
	Elf_Scn *scn;
	Elf_Data *data;

	image_open(&im, path, false);
	scn = find_section(&im, ".symtab", &header);
	data = scn ? elf_getdata(scn, NULL) : NULL;
	if (!data)
		die("%s has no symbol table; is the file system full?", path);
	for (int i = 1; gelf_getsym(data, i, &sym); i++)
		if (sym.st_shndx == SHN_UNDEF && sym.st_name) {
			char *name = str_dup(elf_strptr(im.elf, header.sh_link, sym.st_name));

			map_put(symbols, name, name);
		}
	image_close(&im);
}

// Runs ld for the .ko, with the kernel's linker script, or for other objects, without it.
static void add_linker(const struct toolchain *t, bool last, arguments *argv)
{
	for (int i = 0; i < t->ld.n; i++) {
		if (!last && strcmp(t->ld.at[i], "-T") == 0)
			i++;
		else if (last || !str_starts(t->ld.at[i], "--build-id"))
			vec_push(argv, t->ld.at[i]);
	}
}

void object_link(const struct toolchain *t, const arguments *objects, const char *output, bool module)
{
	arguments argv = { 0 };

	add_linker(t, module, &argv);
	vec_push(&argv, "--strip-debug");      // modpost's file has debug information, which is larger than
					       // everything else
	vec_push(&argv, "-o");
	vec_push(&argv, output);
	for (int i = 0; i < objects->n; i++)
		vec_push(&argv, objects->at[i]);
	tool_run(t, &argv, "linking", output);
}

static void write_name(struct image *im, const char *section, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *scn = find_section(im, section, &header);
	char *at = NULL;

	if (scn && header.sh_offset <= im->len && header.sh_size <= im->len - header.sh_offset)
		at = memmem(im->bytes + header.sh_offset, header.sh_size, MODULE_PLACEHOLDER, MODULE_NAME_MAX);
	if (!at)
		die("%s: placeholder of the module's name not found in section %s; use --kbuild with this "
		    "kernel and report it", im->path, section);
	memset(at, 0, MODULE_NAME_MAX);
	memcpy(at, name, strlen(name));
}

void object_name_module(const char *module, const char *name)
{
	struct image im;

	image_open(&im, module, true);
	write_name(&im, ".gnu.linkonce.this_module", name);
	write_name(&im, ".modinfo", name);
	image_close(&im);
}

static struct stp_stack_need *find_stack(const struct image *im)
{
	GElf_Shdr header;

	if (!find_section(im, STP_STACK_SECTION, &header) || header.sh_offset > im->len ||
	    header.sh_size < sizeof(struct stp_stack_need) || header.sh_size > im->len - header.sh_offset)
		die("%s has no section %s; this is a bug of the translator: please report it", im->path, STP_STACK_SECTION);
	return (struct stp_stack_need *)(im->bytes + header.sh_offset);
}

unsigned int object_stack_limit(const char *module)
{
	struct image im;
	unsigned int limit;

	image_open(&im, module, false);
	limit = find_stack(&im)->limit;
	image_close(&im);
	return limit;
}

// Writes how much stack the module's handlers need. If it was not computed, the runtime's estimate stays.
void object_write_stack(const char *module, const struct stp_stack_need *need)
{
	struct image im;

	if (!need->hit)
		return;
	image_open(&im, module, true);
	*find_stack(&im) = *need;
	image_close(&im);
}
