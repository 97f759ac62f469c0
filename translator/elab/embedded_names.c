// SPDX-License-Identifier: GPL-2.0-or-later
// Names of SystemTap's runtime in embedded C: reports those that runtime/include/embedded.h does not define, with
// their replacement. The C compiler reports other unknown names.
#include "elab/elab.h"
#include "util/str.h"

#include <string.h>

#define IN_BEGIN "call the function in a begin probe"
#define IN_END "call the function in an end probe"
#define NO_SLEEP "handlers cannot sleep; use _stp_kzalloc() and _stp_kfree()"
#define NO_FLAGS "use _stp_kmalloc() or _stp_kzalloc(), which never sleep"
#define OF_SCRIPT "declare a global in the script; /* pragma:read:NAME */ provides STAP_GLOBAL_GET_NAME() and " \
	"/* pragma:write:NAME */ STAP_GLOBAL_SET_NAME()"

// Functions that SystemTap's runtime calls: a script that defines one expects it to be called.
static const struct { const char *name, *instead; } hooks[] = {
	{ "STAP_MODULE_INIT_HOOK", IN_BEGIN }, { "systemtap_module_init", IN_BEGIN },
	{ "STAP_MODULE_EXIT_HOOK", IN_END }, { "systemtap_module_exit", IN_END },
};

// A name that ends in "*" is a prefix. The first row that matches is used.
static const struct { const char *name, *instead; } missing[] = {
	{ "_stp_vmalloc*", NO_SLEEP }, { "_stp_vzalloc*", NO_SLEEP }, { "_stp_vfree", NO_SLEEP },
	{ "_stp_kmalloc_*", NO_FLAGS }, { "_stp_kzalloc_*", NO_FLAGS },
	{ "_stp_alloc_percpu", OF_SCRIPT }, { "_stp_free_percpu", OF_SCRIPT },
	{ "_stp_map_*", OF_SCRIPT }, { "_stp_pmap_*", OF_SCRIPT }, { "_stp_stat_*", OF_SCRIPT },
	{ "_stp_vlog", "use STAP_PRINTF() or _stp_warn()" },
	{ "_stp_print_binary", "call printf() with %b in the script" },
	{ "_stp_print_regs", "read CONTEXT->kregs, or call register() in the script" },
	{ "_stp_print_addr", "use STAP_PRINTF() with %lx, or call print_syms() in the script" },
	{ "_stp_print_*", "use STAP_PRINTF()" },
	{ "_stp_ctl_*", "use STAP_PRINTF() or _stp_warn()" }, { "_stp_transport_*", "use STAP_PRINTF()" },
	{ "_stp_probe_print", "use CONTEXT->probe_point, or call pp() in the script" },
	{ "_stp_ret_addr*", "call stack(0) or ustack(0) in the script" },
	{ "_stp_stack_user_*", "call print_ubacktrace() or sprint_ubacktrace() in the script" },
	{ "_stp_stack_*", "call print_backtrace() or sprint_backtrace() in the script" },
	{ "_stp_get_uregs", "use CONTEXT->uregs" }, { "_stp_current_pt_regs", "use CONTEXT->uregs" },
	{ "_stp_umod*", "call usymname() or umodname() in the script" },
	{ "_stp_symbol_*", "call symname() or symdata() in the script" },
	{ "_stp_snprint_addr", "call symname() or symdata() in the script" },
	{ "_stp_kallsyms_*", "call symname() or symdata() in the script" },
	{ "_stp_mod_sec_lookup", "call symname() or modname() in the script" },
	{ "_stp_kmodule_relocate", "call module_name() or use kernel.data(\"NAME\")" },
	{ "_stp_text_str", "call text_strn() or user_string_quoted() in the script" },
	{ "_stp_copy_argv_from_user", "call cmdline_args() in the script" },
	{ "_stp_strncpy_from_user", "use uderef_string(to, address, size)" },
	{ "_stp_copy_from_user", "use uderef_buffer(to, address, size)" },
	{ "_stp_get_user", "use uread(pointer)" }, { "_stp_put_user", "use uwrite(pointer, value)" },
	{ "_stp_deref*", "use kderef(size, address) or uderef(size, address)" },
	{ "_stp_store_deref*", "use store_kderef(size, address, value) or store_uderef(size, address, value)" },
	{ "_stp_random_*", "call randint() in the script" },
};

static const char *const offered[] = {
	"_stp_printf", "_stp_print", "_stp_print_char", "_stp_print_flush", "_stp_dbug", "_stp_warn", "_stp_error",
	"_stp_softerror", "_stp_exit", "_stp_snprintf", "_stp_vsnprintf", "_stp_kmalloc", "_stp_kzalloc", "_stp_kfree",
	"_stp_target", "_stp_gettimeofday_ns",
};

static void add_offered(const void *unused, name_list *names)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(offered); i++)
		vec_push(names, offered[i]);
}

static bool is_offered(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(offered); i++)
		if (!strcmp(name, offered[i]))
			return true;
	return false;
}

// Returns the replacement of a name of SystemTap's runtime that is not available; NULL for other names.
static const char *instead_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		size_t len = strlen(missing[i].name);
		bool prefix = missing[i].name[len - 1] == '*';

		if (prefix ? !strncmp(name, missing[i].name, len - 1) : !strcmp(name, missing[i].name))
			return missing[i].instead;
	}
	return NULL;
}

// Returns whether the script's own embedded C declares or defines the name.
static bool is_own(struct session *s, const struct c_word *word)
{
	if (word->is_macro)
		return true;
	for vec_each(&s->script.embedded, block) {
		const struct c_word *there = embedded_word((*block)->u.embedded, word->name);

		if (there && (there->is_macro || there->is_outside))
			return true;
	}
	return false;
}

static struct loc location(const struct embedded *c, struct loc at, int offset)
{
	at.column += strlen("%{");
	for (int i = 0; i < offset; i++) {
		at.column = c->code[i] == '\n' ? 1 : at.column + 1;
		at.line += c->code[i] == '\n';
	}
	return at;
}

static const char *hook_instead_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(name, hooks[i].name))
			return hooks[i].instead;
	return NULL;
}

// A name that is used only inside #if may be for another version of SystemTap: the compiler reports it if it is
// compiled.
void embedded_names_check(struct session *s, const struct embedded *c, struct loc at)
{
	for vec_each(&c->words, word) {
		const char *instead = hook_instead_of(word->name);

		if (word->is_member || !word->is_unconditional || is_offered(word->name) || (!instead && is_own(s, word)))
			continue;
		if (!instead)
			instead = instead_of(word->name);
		if (instead)
			diag_error(location(c, at, word->offset), "\"%s\" is not available in embedded C: %s", word->name,
				   instead);
		else if (word->calls && str_starts(word->name, "_stp_"))
			diag_error(location(c, at, word->offset), "\"%s\" is not available in embedded C%s; "
				   "\"Embedded C\" in doc/language.md lists the functions that are", word->name,
				   diag_similar(word->name, add_offered, NULL));
	}
}
