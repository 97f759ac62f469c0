// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel modules that are probed, or whose variables are read: when one is loaded, its sites get the addresses of
 * its symbols; when it is unloaded, 0. The families arm and disarm their probes accordingly.
 */
#include "kernel.h"
#include <linux/kallsyms.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/sort.h>

struct watched {
	const char *name;
	struct stp_site **sites;           /* sorted by symbol */
	u32 n;
	bool here;
	bool changed;                        /* it was loaded or unloaded since the notifier was registered */
	bool checked, refused;             /* refused: the module is from another build than the script's */
};

static struct {
	struct mutex lock;                 /* protects everything except the list and its names */
	struct stp_site **sites;
	struct watched *at;
	u32 n;
	struct watched any;                /* sites of any module */
	bool listening;
} modules = { .lock = __MUTEX_INITIALIZER(modules.lock) };

/* Bounded wait: its holders arm and disarm probes; a module that is loaded or unloaded waits for them, but they never
 * wait for a module. */
void stp_modules_lock(void)
{
	mutex_lock(&modules.lock);
}

void stp_modules_unlock(void)
{
	mutex_unlock(&modules.lock);
}

const char *stp_modules_name(u32 i)
{
	return i < modules.n ? modules.at[i].name : NULL;
}

bool stp_modules_loaded(u32 i)
{
	return modules.at[i].here;
}

bool stp_modules_refused(u32 i)
{
	return modules.at[i].refused;
}

/* ------------------------------------------------------------------ builds */

/* Finds the GNU build ID in a module's notes; returns NULL if they contain no build ID. The loads are fault-safe
 * because KASAN would report plain loads of the gaps between the module's constants. Context: may sleep. */
const u8 *stp_module_build_id(const struct module *mod)
{
	static const struct { u32 name_len, id_len, type; char name[4]; } note = { 4, STP_BUILD_ID_LEN, 3, "GNU" };
	unsigned long size, at;
	const u8 *base = compat_module_rodata(mod, &size);
	u8 found[sizeof(note)];

	for (at = 0; at + sizeof(note) + STP_BUILD_ID_LEN <= size; at += 4) {
		if (!(at & 0xffff))
			cond_resched();
		if (!copy_from_kernel_nofault(found, base + at, sizeof(found)) && !memcmp(found, &note, sizeof(found)))
			return base + at + sizeof(note);
	}
	return NULL;
}

/* If one of the two has no build ID, they count as equal, and a warning reports it. */
static void warn_unchecked_module(const struct stp_module_build *b)
{
	char text[200];

	snprintf(text, sizeof(text), "cannot check whether the module %s is of the build that the script was translated for: "
		 "%s has no build ID", b->module, b->has_id ? "the loaded module" : "the module's file");
	plat_message(STP_MSG_WARNING, text);
}

static void report_other_build(const struct stp_module_build *b, const u8 *id)
{
	char text[256];

	snprintf(text, sizeof(text), "cannot probe the module %s: it is of another build (%*phN) than the one that the script"
		 " was translated for (%*phN)", b->module, STP_BUILD_ID_LEN, id, STP_BUILD_ID_LEN, b->id);
	plat_message(STP_MSG_WARNING, text);
}

/* In another build, offsets of structure members and of code, and arguments of tracepoints may differ. */
static bool is_other_build(const struct module *mod, bool report)
{
	const struct stp_module_build *b = stp_module.builds, *end = b + stp_module.nbuilds;
	const u8 *id;
	bool other;

	for (; b < end && strcmp(b->module, mod->name); b++)
		;
	if (b == end)
		return false;
	id = stp_module_build_id(mod);
	other = id && b->has_id && memcmp(id, b->id, STP_BUILD_ID_LEN);
	if (other && report)
		report_other_build(b, id);
	if (report && (!id || !b->has_id))
		warn_unchecked_module(b);
	return other;
}

/* Checks a module that is already loaded. A reference to its kobject prevents its memory from being freed. */
static void check_loaded(struct watched *w)
{
	struct kobject *k = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, w->name);
	const struct module *mod = k ? container_of(k, struct module_kobject, kobj)->mod : NULL;

	w->checked = true;
	w->refused = mod && is_other_build(mod, true);
	kobject_put(k);
}

/* Returns true if the address is in the kernel image, or in a module that is not being unloaded: the
 * notification of that would wait for the lock, which the caller holds. kallsyms provides the name of the
 * module, since lookup of modules by address is private to the kernel. */
static bool is_loaded(u64 address)
{
	char text[KSYM_SYMBOL_LEN], *name;
	struct kobject *k;
	bool loaded;

	sprint_symbol_no_offset(text, address);        /* writes "NAME" or "NAME [MODULE]" */
	name = strchr(text, '[');
	if (!name)
		return true;
	name++;
	name[strcspn(name, "]")] = 0;
	k = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);
	loaded = k && READ_ONCE(container_of(k, struct module_kobject, kobj)->mod->state) != MODULE_STATE_GOING;
	kobject_put(k);
	return loaded;
}

static void found_anywhere(struct stp_site *s, u64 address)
{
	mutex_lock(&modules.lock);     /* bounded: see stp_modules_lock() */
	if (!s->address && address && is_loaded(address))
		s->address = address;
	mutex_unlock(&modules.lock);
}

void stp_modules_found(struct stp_site *s, u64 address)
{
	u32 i;

	if (!*s->module) {
		found_anywhere(s, address);
		return;
	}
	mutex_lock(&modules.lock);     /* bounded: see stp_modules_lock() */
	for (i = 0; i < modules.n && modules.at[i].name != s->module; i++)
		;
	if (i < modules.n && !modules.at[i].checked && address)
		check_loaded(&modules.at[i]);
	if (i < modules.n && !modules.at[i].changed && !modules.at[i].refused && address) {
		s->address = address;
		modules.at[i].here = true;
	}
	mutex_unlock(&modules.lock);
}

/* ------------------------------------------------------------------ symbols */

static void set_addresses(const struct watched *w, const char *name, u64 address)
{
	u32 low = 0, high = w->n;

	while (low < high) {                       /* finds the first name that is not less */
		u32 middle = low + (high - low) / 2;

		if (strcmp(w->sites[middle]->symbol, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < w->n && !strcmp(w->sites[low]->symbol, name); low++)
		if (!w->sites[low]->address)       /* the first of several symbols with the same name is used */
			w->sites[low]->address = address + w->sites[low]->base_offset + w->sites[low]->offset;
}

static void find_symbols(const struct watched *w, const struct module *mod)
{
#ifdef CONFIG_KALLSYMS
	const struct mod_kallsyms *k = rcu_dereference_protected(mod->kallsyms, true);
	u32 i;

	for (i = 1; i < k->num_symtab; i++) {
		const Elf_Sym *sym = &k->symtab[i];

		if (sym->st_shndx != SHN_UNDEF && k->strtab[sym->st_name])
			set_addresses(w, k->strtab + sym->st_name, kallsyms_symbol_value(sym));
	}
#endif
}

/* Returns true if sites were in memory of the module's initialisation, which has been freed. */
static bool clear_freed_sites(const struct watched *w, const struct module *initialised)
{
	bool some = false;
	u32 i;

	for (i = 0; i < w->n; i++) {
		if (initialised && !within_module_init(w->sites[i]->address, initialised))
			continue;
		some |= w->sites[i]->address != 0;
		w->sites[i]->address = 0;
	}
	return some;
}

/* ------------------------------------------------------------------ the notifier */

static void notify_families(const char *module, bool comes)
{
	u32 i;

	stp_sites_sort();
	for (i = 0; i < stp_module.nfamilies; i++) {
		const struct stp_family *f = &stp_module.families[i];

		if (f->ops->module)
			f->ops->module(f->table, f->n, module, comes);
	}
}

static void module_changed(struct watched *w, unsigned long state, const struct module *mod)
{
	if (state == MODULE_STATE_LIVE) {
		if (w->here && clear_freed_sites(w, mod))
			notify_families(w->name, true);
		return;
	}
	w->changed = true;
	w->checked = true;
	w->refused = state == MODULE_STATE_COMING && is_other_build(mod, true);
	w->here = state == MODULE_STATE_COMING && !w->refused;
	clear_freed_sites(w, NULL);
	if (w->here)
		find_symbols(w, mod);
	notify_families(w->name, w->here);
}

static struct watched *watched_module(const char *name)
{
	u32 i;

	for (i = 0; i < modules.n; i++)
		if (!strcmp(modules.at[i].name, name))
			return &modules.at[i];
	return NULL;
}

bool stp_module_is_other_build(const struct module *mod)
{
	return is_other_build(mod, !watched_module(mod->name));
}

/* Sites of any module: each takes its address from the first module that has the symbol. */
static void module_changed_for_any(unsigned long state, const struct module *mod)
{
	struct watched *w = &modules.any;
	bool comes = state == MODULE_STATE_COMING;
	u32 i;

	for (i = 0; i < w->n; i++)
		if (state == MODULE_STATE_GOING ? within_module(w->sites[i]->address, mod)
						: !comes && within_module_init(w->sites[i]->address, mod))
			w->sites[i]->address = 0;
	if (comes)
		find_symbols(w, mod);
	notify_families(w->name, comes);
}

/* The list does not change while the notifier is registered. Without the lock, other modules are loaded and unloaded
 * while probes are armed, which may take long: CPU hotplug delays each kprobe. */
static int notified(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = data;
	struct watched *w = watched_module(mod->name);

	if ((!w && !modules.any.n) ||
	    (state != MODULE_STATE_COMING && state != MODULE_STATE_GOING && state != MODULE_STATE_LIVE))
		return NOTIFY_DONE;
	mutex_lock(&modules.lock);     /* bounded: see stp_modules_lock() */
	if (w)
		module_changed(w, state, mod);
	if (modules.any.n)
		module_changed_for_any(state, mod);
	mutex_unlock(&modules.lock);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = notified };

/* ------------------------------------------------------------------ the list of modules */

static int by_symbol(const void *a, const void *b)
{
	const struct stp_site *x = *(struct stp_site *const *)a, *y = *(struct stp_site *const *)b;

	return strcmp(x->module, y->module) ?: strcmp(x->symbol, y->symbol);
}

/* Makes all sites of a module share one pointer to its name. */
static void make_list(u32 n)
{
	struct watched *w = NULL;
	u32 i;

	for (i = 0; i < n; i++) {
		struct stp_site *s = modules.sites[i];

		if (!w || strcmp(w->name, s->module)) {
			w = *s->module ? &modules.at[modules.n++] : &modules.any;
			w->name = s->module;
			w->sites = &modules.sites[i];
		}
		s->module = w->name;
		w->n++;
	}
}

int stp_modules_make(struct stp_site **sites, u32 n)
{
	u32 i, some = 0;

	for (i = 0; i < n; i++)
		some += sites[i]->module != NULL;
	if (!some)
		return 0;
	modules.sites = plat_alloc(some * sizeof(*modules.sites), -1);
	modules.at = plat_alloc(some * sizeof(*modules.at), -1);
	if (!modules.sites || !modules.at)
		return -ENOMEM;
	for (i = some = 0; i < n; i++)
		if (sites[i]->module)
			modules.sites[some++] = sites[i];
	sort(modules.sites, some, sizeof(*modules.sites), by_symbol, NULL);
	make_list(some);
	modules.listening = !register_module_notifier(&notifier);      /* bounded: by the running notifiers */
	return modules.listening ? 0 : -ENOMEM;
}

/* Called when nothing is armed any more. The notifier takes the lock, so unregistering it under the lock would
 * deadlock. Bounded wait: until running notifiers return. */
void stp_modules_free(void)
{
	if (modules.listening)
		unregister_module_notifier(&notifier);
	modules.listening = false;
	plat_free(modules.sites);
	plat_free(modules.at);
	modules.sites = NULL;
	modules.at = NULL;
	modules.n = 0;
	modules.any = (struct watched){ 0 };
}
