// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of kernel modules that are unloaded while the script runs, so that addresses that it has stored still have
 * names when they are printed. The notifier copies the symbols of the code when a module is about to be unloaded: a
 * hit stores only addresses. Symbols are freed after the end probes. If another module is loaded at the address by
 * then, the name is that of its function, as for the kernel.
 */
#include "kernel.h"
#include <linux/kallsyms.h>
#include <linux/notifier.h>
#include <linux/sort.h>

#define UNLOADED_BYTES (8u << 20)          /* for all of them; the functions of further modules have no names */

struct unloaded_symbol { u32 offset, name; };       /* from the start of the code; in the strings */

struct unloaded {
	struct unloaded *next;
	unsigned long base, size;          /* its code */
	char name[MODULE_NAME_LEN];
	u32 n;
	struct unloaded_symbol at[];       /* sorted by offset; then the strings */
};

static struct unloaded *unloaded;          /* the last one first; read by any context */
static u64 unloaded_bytes;
static bool unloaded_listening;

/* ------------------------------------------------------------------ saving */

#ifdef CONFIG_KALLSYMS
static int by_symbol_offset(const void *a, const void *b)
{
	const struct unloaded_symbol *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Returns the name of a symbol of the code. NULL: it is data, or "$x" or ".L1", which the kernel does not print. */
static const char *code_symbol(const struct mod_kallsyms *k, u32 i, unsigned long base, unsigned long size)
{
	const Elf_Sym *sym = &k->symtab[i];
	const char *name = k->strtab + sym->st_name;

	if (sym->st_shndx == SHN_UNDEF || !*name || *name == '$' || (name[0] == '.' && name[1] == 'L') ||
	    kallsyms_symbol_value(sym) - base >= size)
		return NULL;
	return name;
}

static void copy_symbols(struct unloaded *u, const struct mod_kallsyms *k)
{
	char *strings = (char *)&u->at[u->n];
	u32 i, n = 0, len = 0;

	for (i = 1; i < k->num_symtab; i++) {
		const char *name = code_symbol(k, i, u->base, u->size);

		if (!name)
			continue;
		u->at[n].offset = (u32)(kallsyms_symbol_value(&k->symtab[i]) - u->base);
		u->at[n++].name = len;
		strcpy(strings + len, name);
		len += (u32)strlen(name) + 1;
	}
	sort(u->at, n, sizeof(*u->at), by_symbol_offset, NULL);
}

static void save(const struct module *mod, const struct mod_kallsyms *k)
{
	unsigned long size, base = (unsigned long)compat_module_text(mod, &size);
	u64 bytes = sizeof(struct unloaded);
	struct unloaded *u;
	u32 i, n = 0;

	for (i = 1; i < k->num_symtab; i++) {
		const char *name = code_symbol(k, i, base, size);

		bytes += name ? sizeof(struct unloaded_symbol) + strlen(name) + 1 : 0;
		n += name != NULL;
	}
	if (!n || unloaded_bytes + bytes > UNLOADED_BYTES)
		return;
	u = plat_alloc(bytes, -1);
	if (!u)
		return;
	u->base = base;
	u->size = size;
	u->n = n;
	strscpy(u->name, mod->name, sizeof(u->name));
	copy_symbols(u, k);
	unloaded_bytes += bytes;
	u->next = unloaded;
	smp_store_release(&unloaded, u);
}

static void save_symbols(const struct module *mod)
{
	save(mod, rcu_dereference_protected(mod->kallsyms, true));
}
#else
static void save_symbols(const struct module *mod) { }
#endif

/* Records have the build ID of the module, by which its file is found when they are read. */
static void report_build(const struct module *mod)
{
	const u8 *id = stp_module.records ? stp_module_build_id(mod) : NULL;
	char text[MODULE_NAME_LEN + 2 * STP_BUILD_ID_LEN + 2];

	if (!id)
		return;
	snprintf(text, sizeof(text), "%s %*phN", mod->name, STP_BUILD_ID_LEN, id);
	plat_message(STP_MSG_UNLOADED, text);
}

/* Notifiers run one at a time. */
static int module_unloaded(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state == MODULE_STATE_GOING) {
		save_symbols(data);
		report_build(data);
	}
	return NOTIFY_DONE;
}

static struct notifier_block unloaded_notifier = { .notifier_call = module_unloaded };

/* Without a notifier, such addresses have no names. */
void stp_unloaded_start(void)
{
	if (stp_module.names_addresses)
		unloaded_listening = !register_module_notifier(&unloaded_notifier);   /* bounded: by the running notifiers */
}

/* Called when no handler can be running any more. Bounded wait: until running notifiers return. */
void stp_unloaded_stop(void)
{
	struct unloaded *u, *next;

	if (unloaded_listening)
		unregister_module_notifier(&unloaded_notifier);
	unloaded_listening = false;
	for (u = unloaded; u; u = next) {
		next = u->next;
		plat_free(u);
	}
	unloaded = NULL;
	unloaded_bytes = 0;
}

/* ------------------------------------------------------------------ names */

static void print_symbol(const struct unloaded *u, u32 offset, char *text, bool with_offset)
{
	u32 low = 0, high = u->n, from, end;
	const char *name;

	while (high - low > 1) {                   /* finds the last one that is not above; bounded: it halves */
		u32 middle = low + (high - low) / 2;

		if (u->at[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	from = u->at[low].offset;
	if (from > offset)
		return;
	while (low && u->at[low - 1].offset == from)       /* bounded: by the symbols */
		low--;
	end = high < u->n ? u->at[high].offset : (u32)u->size;
	name = (const char *)&u->at[u->n] + u->at[low].name;
	if (with_offset)
		snprintf(text, STP_NAME_TEXT, "%s+%#x/%#x [%s]", name, offset - from, end - from, u->name);
	else
		snprintf(text, STP_NAME_TEXT, "%s [%s]", name, u->name);
}

void stp_unloaded_name(u64 address, char *text, bool with_offset)
{
	const struct unloaded *u = smp_load_acquire(&unloaded);

	while (u && address - u->base >= u->size)          /* bounded: by UNLOADED_BYTES */
		u = u->next;
	if (u)
		print_symbol(u, (u32)(address - u->base), text, with_offset);
}
