/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of the vDSO, the code that the kernel maps into each process. It has no file: the table of dynamic symbols is
 * read from this process, whose vDSO is that of all processes of the same kind. Addresses of symbols are offsets from
 * its start.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "../core/internal.h"
#include "bpf_shared.h"
#include "client.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { SYMBOLS_MAX = 64 };

static struct stp_usym symbols[SYMBOLS_MAX];
static struct stp_object object = { .symbols = symbols };

static int by_offset(const void *a, const void *b)
{
	const struct stp_usym *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool has_offset(u64 offset)
{
	u32 i;

	for (i = 0; i < object.nsymbols; i++)
		if (symbols[i].offset == offset)
			return true;
	return false;
}

static const ElfW(Dyn) *dynamic_part(const char *base)
{
	const ElfW(Ehdr) *head = (const void *)base;
	const ElfW(Phdr) *part = (const void *)(base + head->e_phoff);
	u32 i;

	for (i = 0; i < head->e_phnum; i++)
		if (part[i].p_type == PT_DYNAMIC)
			return (const void *)(base + part[i].p_vaddr);
	return NULL;
}

/* A function may have several names: the first one is used. Linkers place the names after the symbols. */
static void read_symbols(const char *base)
{
	const ElfW(Dyn) *d = dynamic_part(base);
	const ElfW(Sym) *s = NULL;
	const char *names = NULL;

	for (; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			s = (const void *)(base + d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			names = base + d->d_un.d_ptr;
	}
	for (; s && (const char *)s < names && object.nsymbols < SYMBOLS_MAX; s++)
		if (s->st_size && s->st_shndx != SHN_UNDEF && !has_offset(s->st_value))
			symbols[object.nsymbols++] = (struct stp_usym){ s->st_value, s->st_size, names + s->st_name };
	qsort(symbols, object.nsymbols, sizeof(symbols[0]), by_offset);
}

const struct stp_object *vdso_object(const struct stp_mapping *m)
{
	static bool is_read;
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);

	if (m->start >> 32 == 0)               /* a 32-bit process has another one */
		return NULL;
	if (!is_read && base)
		read_symbols(base);
	is_read = true;
	return &object;
}
