// SPDX-License-Identifier: GPL-2.0-or-later
// A table of functions with addresses, from a mapped .symtab or from the table that image.c caches of kallsyms. In
// the kernel only functions in .text are included: .init.text is freed after boot. In a kernel module, which may be
// loaded later, all code sections are.
#include "debuginfo/elf/symbols.h"

#include "util/map.h"
#include "util/mem.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

bool symbol_is_part(const char *symbol)
{
	return strstr(symbol, ".cold") || strstr(symbol, ".part.");
}

size_t symbol_stem(const char *symbol)
{
	const char *dot = strchr(symbol, '.');

	if (!dot || dot == symbol || symbol_is_part(dot))
		return strlen(symbol);
	return !strncmp(dot, ".isra.", 6) || !strncmp(dot, ".constprop.", 11) ? (size_t)(dot - symbol) : strlen(symbol);
}

static bool from_section(struct symbols *t, const struct elf_view *v, const char *symbols, const char *names)
{
	const Elf64_Shdr *text = elf_view_header(v, ".text");
	const Elf64_Shdr *head = elf_view_header(v, symbols);
	struct bytes table, strings;

	if (!text || !head || !elf_view_section(v, symbols, &table) || head->sh_entsize != sizeof(Elf64_Sym) ||
	    (uintptr_t)table.at % 8 || !elf_view_section(v, names, &strings) ||
	    strings.at[strings.len - 1])
		return false;
	*t = (struct symbols){
		.symtab = (const void *)table.at,
		.n = table.len / sizeof(Elf64_Sym),
		.strings = (const char *)strings.at,
		.strings_len = strings.len,
		.text = text->sh_addr,
		.text_end = text->sh_addr + text->sh_size,
		.text_index = text - v->sections,
	};
	if (((const Elf64_Ehdr *)v->file.at)->e_type == ET_REL)
		t->module = *v;
	return true;
}

// Excludes code templates (.altinstr_replacement) and sections that must not be probed.
bool symbols_is_code(const struct elf_view *v, const Elf64_Shdr *section)
{
	static const char *const others[] = { ".altinstr_replacement", ".altinstr_aux", ".static_call.text",
					      ".noinstr.text", ".kprobes.text", ".entry.text", ".plt", ".init.plt" };

	if (!(section->sh_flags & SHF_EXECINSTR) || !(section->sh_flags & SHF_ALLOC))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (section == elf_view_header(v, others[i]))
			return false;
	return true;
}

bool symbols_from_elf(struct symbols *t, const struct elf_view *v)
{
	return from_section(t, v, ".symtab", ".strtab");
}

bool symbols_exported(struct symbols *t, const struct elf_view *v)
{
	return from_section(t, v, ".dynsym", ".dynstr");
}

// Returns a symbol of the other file with the section indexes of t's file.
static Elf64_Sym moved(const struct symbols *t, const struct symbols *other, Elf64_Sym e)
{
	if (e.st_shndx == other->text_index)
		e.st_shndx = t->text_index;
	else if (e.st_shndx != SHN_UNDEF)
		e.st_shndx = SHN_ABS;
	e.st_name = e.st_name < other->strings_len ? e.st_name + t->strings_len : UINT32_MAX;
	return e;
}

void symbols_join(struct symbols *t, const struct symbols *other)
{
	Elf64_Sym *all = NEW_ARRAY(Elf64_Sym, t->n + other->n);
	char *strings = NEW_ARRAY(char, t->strings_len + other->strings_len);

	memcpy(all, t->symtab, t->n * sizeof(*all));
	for (int i = 0; i < other->n; i++)
		all[t->n + i] = moved(t, other, other->symtab[i]);
	memcpy(strings, t->strings, t->strings_len);
	memcpy(strings + t->strings_len, other->strings, other->strings_len);
	t->symtab = all;
	t->n += other->n;
	t->strings = strings;
	t->strings_len += other->strings_len;
}

// "write@@GLIBC_2.2.5" is a versioned symbol of the function write.
static size_t unversioned(const char *name)
{
	size_t len = strcspn(name, "@");

	return len ? len : strlen(name);
}

static const char *unversioned_name(const char *name)
{
	size_t len = unversioned(name);

	return name[len] ? str_ndup(name, len) : name;
}

static bool table_get(const struct symbols *t, int i, struct symbol *out)
{
	const struct symbol_entry *e = &t->table[i];
	int next = i + 1;

	if (e->name >= t->strings_len)
		return false;
	*out = (struct symbol){ .name = t->strings + e->name, .address = e->address, .global = e->flags & 1 };
	while (next < t->n && t->table[next].address == e->address)
		next++;
	out->size = (next < t->n ? t->table[next].address : t->text_end) - e->address;
	return true;
}

static bool code_address(const struct symbols *t, const Elf64_Sym *e, uint64_t *out)
{
	const Elf64_Shdr *section;

	*out = e->st_value;
	if (e->st_shndx == t->text_index)
		return e->st_value >= t->text && e->st_value < t->text_end;
	if (!t->module.n || e->st_shndx >= t->module.n)
		return false;
	section = &t->module.sections[e->st_shndx];
	*out += section->sh_addr;
	return e->st_value < section->sh_size && symbols_is_code(&t->module, section);
}

bool symbols_get(const struct symbols *t, int i, struct symbol *out)
{
	const Elf64_Sym *e = &t->symtab[i];
	uint64_t address;

	if (t->table)
		return table_get(t, i, out);
	if (ELF64_ST_TYPE(e->st_info) != STT_FUNC || e->st_name >= t->strings_len || !code_address(t, e, &address))
		return false;
	*out = (struct symbol){
		.name = unversioned_name(t->strings + e->st_name),
		.address = address,
		.size = e->st_size,
		.global = ELF64_ST_BIND(e->st_info) != STB_LOCAL,
	};
	return true;
}

bool symbols_get_label(const struct symbols *t, int i, struct symbol *out)
{
	const Elf64_Sym *e = &t->symtab[i];
	const char *name;
	uint64_t address;

	if (t->table || t->module.n || ELF64_ST_TYPE(e->st_info) != STT_NOTYPE || e->st_name >= t->strings_len ||
	    !code_address(t, e, &address))
		return false;
	name = t->strings + e->st_name;
	if (!*name || *name == '$' || *name == '.')
		return false;
	*out = (struct symbol){ .name = unversioned_name(name), .address = address,
				.global = ELF64_ST_BIND(e->st_info) != STB_LOCAL };
	return true;
}

bool symbols_get_object(const struct symbols *t, int i, struct symbol *out)
{
	const Elf64_Sym *e = &t->symtab[i];

	if (t->table || ELF64_ST_TYPE(e->st_info) != STT_OBJECT || e->st_shndx == SHN_UNDEF || !e->st_size ||
	    e->st_name >= t->strings_len)
		return false;
	*out = (struct symbol){ .name = unversioned_name(t->strings + e->st_name), .address = e->st_value,
				.size = e->st_size };
	return true;
}

static void count_names(struct symbols *t)
{
	t->counts = NEW(struct map);
	for (int i = 0; i < t->n; i++) {
		uint32_t at = t->table ? t->table[i].name : t->symtab[i].st_name;
		const char *name = at < t->strings_len ? t->strings + at : "";

		if (t->table || t->symtab[i].st_shndx != SHN_UNDEF)
			map_put(t->counts, name, (void *)((uintptr_t)map_get(t->counts, name) + 1));
	}
}

static bool is_only(const struct symbols *t, const char *name)
{
	return map_get(t->counts, name) == (void *)1;
}

bool symbols_is_repeated(struct symbols *t, const char *name)
{
	if (!t->counts)
		count_names(t);
	return (uintptr_t)map_get(t->counts, name) > 1;
}

const char *symbols_anchor(struct symbols *t, const char *name, uint64_t address, uint64_t *at)
{
	const char *best = NULL;
	struct symbol own = { 0 }, sym;
	int i;

	*at = address;
	if (!t->module.n || t->table)
		return name;
	if (!t->counts)
		count_names(t);
	if (is_only(t, name))
		return name;
	for (i = 0; i < t->n && (!symbols_get(t, i, &own) || own.address != address); i++)
		;
	for (int k = 0; i < t->n && k < t->n; k++) {
		if (t->symtab[k].st_shndx != t->symtab[i].st_shndx || !symbols_get(t, k, &sym) || !is_only(t, sym.name))
			continue;
		if (!best || llabs((int64_t)(sym.address - address)) < llabs((int64_t)(*at - address))) {
			best = sym.name;
			*at = sym.address;
		}
	}
	return best;
}

bool symbols_lookup(const struct symbols *t, const char *name, struct symbol *out)
{
	size_t len = strlen(name);

	for (int i = t->n - 1; i >= 0; i--) {  // backwards: global symbols, of which there are fewer, are the last
		if (t->table) {
			if (table_get(t, i, out) && !strcmp(out->name, name))
				return true;
			continue;
		}
		const Elf64_Sym *e = &t->symtab[i];

		// A thread-local variable has no address, only an offset.
		if (e->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(e->st_info) == STT_TLS || e->st_name >= t->strings_len ||
		    t->strings[e->st_name] != *name || strncmp(t->strings + e->st_name, name, len) ||
		    unversioned(t->strings + e->st_name) != len)
			continue;
		*out = (struct symbol){ .name = unversioned_name(t->strings + e->st_name), .address = e->st_value,
					.size = e->st_size };
		return true;
	}
	return false;
}
