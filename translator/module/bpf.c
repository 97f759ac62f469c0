// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4 with --runtime=bpf: the BPF programs of session.c_text, as an object that becomes part of the client.
//
// The object must not refer to memory by address: libbpf leaves out relocations of data sections with a line in its
// log, and the program would read 0. So an object with such relocations is an error here, and one that calls functions
// that it does not define: the kernel could not load it.
#include "cache/cache.h"
#include "module/module.h"
#include "util/diag.h"
#include "util/spawn.h"

#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

// DWARF 5 has checksums of the source, which names the temporary directory; then each build would have other bytes.
static const char *const flags[] = {
	"-target", "bpf", "-mcpu=v3", "-std=gnu11", "-O2", "-gdwarf-4", "-fwrapv", "-fno-strict-aliasing",
	"-fno-builtin-memcpy", "-Wall", "-Wno-unused", "-Wno-pass-failed", "-DSTP_BPF",
};

void bpf_compiler(struct session *s, struct cache_hash *h)
{
	cache_hash_text(h, tool_id(s, BPF_COMPILER));
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		cache_hash_text(h, flags[i]);
}

// Returns the name of a section with relocations of data, or NULL.
static const char *data_relocations(Elf *elf)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
		Elf64_Shdr *h = elf64_getshdr(section);
		const char *name = h ? elf_strptr(elf, names, h->sh_name) : NULL;

		if (name && (str_starts(name, ".rel.data") || str_starts(name, ".rel.rodata")))
			return str_dup(name);
	}
	return NULL;
}

// Returns the name of a symbol that is not defined, or NULL. Functions of the kernel are weak.
static const char *undefined_symbol(Elf *elf)
{
	for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
		Elf64_Shdr *h = elf64_getshdr(section);
		Elf_Data *data = h && h->sh_type == SHT_SYMTAB ? elf_getdata(section, NULL) : NULL;
		const Elf64_Sym *symbols = data ? data->d_buf : NULL;

		for (size_t i = 1; symbols && i < data->d_size / sizeof(*symbols); i++)
			if (symbols[i].st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbols[i].st_info) == STB_GLOBAL)
				return str_dup(elf_strptr(elf, h->sh_link, symbols[i].st_name));
	}
	return NULL;
}

static bool check_object(struct session *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = NULL;
	const char *name, *missing;
	bool fits;

	elf_version(EV_CURRENT);
	if (fd >= 0)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		die("cannot read %s, the output of %s", path, BPF_COMPILER);
	name = data_relocations(elf);
	missing = undefined_symbol(elf);
	fits = name || missing || bpf_check_depth(s, elf);
	elf_end(elf);
	close(fd);
	if (name)
		die("the BPF object has a table of addresses (%s); this is a bug of the translator: please report it with the "
		    "script", name);
	if (missing)
		die("the BPF runtime does not define %s(); this is a bug of the translator: please report it with the script",
		    missing);
	return fits;
}

static void compile(struct session *s, const char *source, const char *object)
{
	const char *env[] = { "LC_ALL=C", NULL };
	struct spawn compiler = { .env = env, .capture = true };
	arguments argv = { 0 };
	int status;

	vec_push(&argv, BPF_COMPILER);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		vec_push(&argv, flags[i]);
	for (const char *const *dir = (const char *const[]){ "bpf", "include", NULL }; *dir; dir++)
		vec_push(&argv, str_printf("-I%s/%s", s->runtime_dir, *dir));
	vec_push(&argv, str_printf("-ffile-prefix-map=%s=.", s->tmp_dir));     // makes the same bytes in each build
	vec_push(&argv, "-fdebug-compilation-dir=.");
	for (const char *const *w = (const char *const[]){ "-c", source, "-o", object, NULL }; *w; w++)
		vec_push(&argv, *w);
	vec_push(&argv, NULL);
	compiler.argv = argv.at;
	status = spawn_run(&compiler);
	tool_interrupted(status);
	if (status == 127)
		die("cannot run %s, which --runtime=bpf requires: install the package %s", BPF_COMPILER, BPF_COMPILER);
	if (!status)
		return;
	build_advise(compiler.output, s->tmp_dir);
	diag_output(compiler.output);
	die("compiling the BPF programs failed (status %d); this is a bug of the translator: please report it with the "
	    "script (-k keeps the files)", status);
}

const char *bpf_object(struct session *s, const char *source)
{
	const char *object = str_printf("%s/programs.bpf.o", s->tmp_dir), *wrapper = str_printf("%s/programs.S", s->tmp_dir);

	compile(s, source, object);
	if (!check_object(s, object))
		return NULL;
	kbuild_write(wrapper, str_printf(
		".section .rodata\n.balign 8\n.globl stp_bpf_object, stp_bpf_object_end\n"
		"stp_bpf_object:\n.incbin \"%s\"\nstp_bpf_object_end:\n.section .note.GNU-stack,\"\",%%progbits\n",
		str_escape(object, strlen(object))));
	return wrapper;
}
