// SPDX-License-Identifier: GPL-2.0-or-later
// Addresses of sites in modules that are loaded, initialised and unloaded (runtime/kernel/modules.c, compiled here
// with stand-ins), and that modules without sites do not wait for probes that are being armed.
#include "core_platform.h"
#include "kernel_standins.h"

#include <errno.h>
#include <stddef.h>

#define CONFIG_KALLSYMS
#define SHN_UNDEF 0
#define NOTIFY_DONE 0
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define rcu_dereference_protected(p, condition) (p)
#define cond_resched() ((void)0)
#define copy_from_kernel_nofault(to, from, n) (memcpy(to, from, n), 0)
#define __MUTEX_INITIALIZER(name) { 0 }
#define mutex_lock(m) (waits += (m)->held, (m)->held++)
#define mutex_unlock(m) ((m)->held--)
#define sort(base, n, size, compare, swap) qsort(base, n, size, compare)
#define kset_find_obj(set, name) find_module(name)
#define kobject_put(k) ((void)0)
#define kallsyms_symbol_value(sym) ((sym)->st_value)
#define within_module_init(address, mod) ((address) >= (mod)->init && (address) < (mod)->init + 0x100)
#define within_module(address, mod) ((address) >= (mod)->core && (address) < (mod)->core + 0x10000)
#define KSYM_SYMBOL_LEN 64
#define sprint_symbol_no_offset(text, address) strcpy(text, symbol_at(address))
#define register_module_notifier(n) ((n)->notifier_call != notified)
#define unregister_module_notifier(n) ((void)0)
#define compat_module_rodata(mod, size) (*(size) = sizeof((mod)->rodata), (mod)->rodata)

struct mutex { int held; };
struct kobject { int unused; };
struct module_kobject { struct kobject kobj; struct module *mod; };
typedef struct { u16 st_shndx; u32 st_name; u64 st_value; } Elf_Sym;
struct mod_kallsyms { u32 num_symtab; const Elf_Sym *symtab; const char *strtab; };
struct module {
	char name[16];
	const struct mod_kallsyms *kallsyms;
	u64 init, core;
	int state;
	u8 rodata[64];
	struct { struct { void *kset; } kobj; } mkobj;
};
enum { MODULE_STATE_LIVE, MODULE_STATE_COMING, MODULE_STATE_GOING, MODULE_STATE_UNFORMED };
struct notifier_block { int (*notifier_call)(struct notifier_block *, unsigned long, void *); };

static int waits, notices;
static struct kobject *find_module(const char *name);
static const char *symbol_at(u64 address);
void stp_sites_sort(void) { }

#define THIS_MODULE (&dm_mod)
static const char strings[] = "\0dm_get\0dm_init\0dm_get";
static const Elf_Sym symbols[] = { { 0 }, { 1, 1, 0xa000 }, { 1, 8, 0xf010 }, { 1, 16, 0xb000 } };
static const struct mod_kallsyms names = { 4, symbols, strings };
static struct module dm_mod = { "dm_mod", &names, .init = 0xf000, .core = 0xa000 };
static struct module loop = { "loop", &names, .core = 0xa000 };

#include "../../runtime/kernel/modules.c"

static struct module_kobject loop_kobject = { .mod = &loop };

static struct kobject *find_module(const char *name)
{
	return !strcmp(name, "loop") ? &loop_kobject.kobj : NULL;
}

static const char *symbol_at(u64 address)
{
	return address == 0xa000 ? "dm_get [loop]" : "jiffies";
}

static void notified_family(void *table, u32 n, const char *name, bool loaded)
{
	notices++;
}

static const struct stp_family_ops ops = { .module = notified_family };
static const struct stp_family family = { .ops = &ops };
static const struct stp_module_build build = { "dm_mod", true, { 1, 2, 3 } };
const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI, .families = &family, .nfamilies = 1, .builds = &build, .nbuilds = 1,
};

static struct stp_site get = { "dm_get", "dm_mod", .offset = 4 }, init = { "dm_init", "dm_mod" },
	absent = { "dm_gone", "dm_mod" }, kernel = { "vfs_read", NULL, .address = 0x1000 };

static void happens(struct module *mod, unsigned long state)
{
	waits = notices = 0;
	notified(NULL, state, mod);
}

static void give_build_id(struct module *mod, u8 first)
{
	static const u8 header[] = { 4, 0, 0, 0, STP_BUILD_ID_LEN, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };

	memcpy(mod->rodata + 8, header, sizeof(header));
	memset(mod->rodata + 8 + sizeof(header), 0, STP_BUILD_ID_LEN);
	memcpy(mod->rodata + 8 + sizeof(header), (u8[]){ first, 2, 3 }, 3);
}

static void check_addresses(void)
{
	give_build_id(&dm_mod, 1);
	happens(&dm_mod, MODULE_STATE_COMING);
	verdict(get.address == 0xa004 && init.address == 0xf010 && !absent.address && kernel.address == 0x1000,
		"a loaded module gives its sites the address of the first symbol of their name");
	verdict(notices == 1 && stp_modules_loaded(0), "families are notified once when the module is loaded");
	happens(&dm_mod, MODULE_STATE_LIVE);
	verdict(get.address == 0xa004 && !init.address && notices == 1, "sites in initialisation code end with it");
	happens(&dm_mod, MODULE_STATE_LIVE);
	verdict(!notices, "families are not notified if nothing changed");
	happens(&dm_mod, MODULE_STATE_GOING);
	verdict(!get.address && notices == 1 && !stp_modules_loaded(0), "an unloaded module leaves no addresses");
	stp_modules_found(&get, 0xc000);
	verdict(!get.address, "an address that was found before the module was unloaded is not used");
}

static void check_other_build(void)
{
	give_build_id(&dm_mod, 9);
	happens(&dm_mod, MODULE_STATE_COMING);
	verdict(!get.address && stp_modules_refused(0), "a module of another build gives no addresses");
	give_build_id(&dm_mod, 1);
	happens(&dm_mod, MODULE_STATE_COMING);
	verdict(get.address == 0xa004 && !stp_modules_refused(0), "the right build that is loaded later does");
	happens(&dm_mod, MODULE_STATE_GOING);
}

// While CPUs go offline and online, arming takes long, and its lock is held during all of that time.
static void check_others_go_on(void)
{
	stp_modules_lock();
	happens(&loop, MODULE_STATE_COMING);
	happens(&loop, MODULE_STATE_GOING);
	verdict(!waits && !notices, "a module without sites does not wait for probes that are being armed");
	happens(&dm_mod, MODULE_STATE_COMING);
	verdict(waits == 1, "a module with sites does");
	happens(&dm_mod, MODULE_STATE_UNFORMED);
	verdict(!waits, "a state in which nothing changes does not wait");
	stp_modules_unlock();
}

static struct stp_site of_any = { "dm_get", "" }, of_kernel = { "jiffies", "" };

static void check_any_module(void)
{
	loop.state = MODULE_STATE_GOING;
	stp_modules_found(&of_any, 0xa000);
	verdict(!of_any.address, "an address in a module that is about to be unloaded is not used");
	loop.state = MODULE_STATE_LIVE;
	stp_modules_found(&of_any, 0xa000);
	stp_modules_found(&of_kernel, 0x2000);
	verdict(of_any.address == 0xa000 && of_kernel.address == 0x2000, "one in a loaded module, or in the kernel, is");
	happens(&loop, MODULE_STATE_GOING);
	verdict(!of_any.address && of_kernel.address == 0x2000 && notices == 1, "it ends with the module");
	happens(&loop, MODULE_STATE_COMING);
	verdict(of_any.address == 0xa000 && notices == 1, "any module that is loaded gives a site the address of its symbol");
	happens(&dm_mod, MODULE_STATE_LIVE);
	verdict(of_any.address == 0xa000, "the end of another module's initialisation changes nothing");
}

int main(void)
{
	struct stp_site *sites[] = { &get, &kernel, &absent, &init };

	verdict(!stp_modules_make(sites, 4) && !strcmp(stp_modules_name(0), "dm_mod") && !stp_modules_name(1),
		"sites of one module make one entry");
	check_addresses();
	check_other_build();
	check_others_go_on();
	stp_modules_free();
	verdict(!stp_modules_make((struct stp_site *[]){ &of_any, &of_kernel }, 2) && !stp_modules_name(0),
		"sites of any module make no entry");
	check_any_module();
	stp_modules_free();
	return finish();
}
