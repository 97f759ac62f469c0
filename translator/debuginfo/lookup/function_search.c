// SPDX-License-Identifier: GPL-2.0-or-later
// Finds functions by name and file: in the index of DWARF, which also has inlined copies; else in the symbol table;
// else in BTF, which has names only.
#include "debuginfo/btf/btf_source.h"
#include "debuginfo/dwarf/dwarf_source.h"
#include "debuginfo/dwarf/kprobe_blocklist.h"
#include "debuginfo/lookup/lookup.h"
#include "debuginfo/module.h"

#include "util/str.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

// Returns whether the symbol is not a function for users: padding before functions, type hashes, parts split off by
// the compiler.
static bool is_helper(const char *symbol)
{
	return str_starts(symbol, "__pfx_") || str_starts(symbol, "__cfi_") || symbol_is_part(symbol);
}

struct matcher {
	const char *name;
	bool glob;
	size_t len;
};

// Returns the name under which the symbol matches; NULL: no match.
static const char *matches(const struct matcher *m, const char *symbol)
{
	size_t len;

	if (!m->glob) {
		if (strncmp(symbol, m->name, m->len))
			return NULL;
		if (!symbol[m->len])
			return symbol;
		return symbol_stem(symbol) == m->len ? m->name : NULL;
	}
	if (is_helper(symbol))
		return NULL;
	len = symbol_stem(symbol);
	if (symbol[len])
		symbol = str_ndup(symbol, len);
	return fnmatch(m->name, symbol, 0) ? NULL : symbol;
}

// Returns the name under which a C++ or Rust function matches: with its scope, as in lists; NULL: no match.
static const char *matches_plain(const struct matcher *m, const struct plain_name *n, const char *symbol)
{
	if (is_helper(symbol) || (m->glob ? fnmatch(m->name, n->function, 0) : strcmp(m->name, n->function)))
		return NULL;
	return n->whole;
}

static struct func_priv *priv(const struct di_function *f)
{
	return (struct func_priv *)f->priv;
}

uint32_t function_btf(const struct di_function *f)
{
	struct func_priv *p = priv(f);

	// A clone may have another prototype than the original.
	if (!p->btf_tried && !p->ambiguous && module_btf(f->module) && !strcmp(f->name, f->symbol))
		p->btf_id = btf_find_function(module_btf(f->module), f->name);
	p->btf_tried = true;
	return p->btf_id;
}

// Sorts by address. If an address has several names, the one in DWARF comes first.
static int by_address(const void *a, const void *b)
{
	const struct di_function *x = *(struct di_function *const *)a, *y = *(struct di_function *const *)b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->is_inline != y->is_inline)
		return x->is_inline - y->is_inline;
	if (priv(x)->alias != priv(y)->alias)
		return priv(x)->alias - priv(y)->alias;
	return strcmp(x->name, y->name);
}

// Removes aliases: two names of one address are one function. Copies inlined at that address remain.
static void unique(di_functions *v)
{
	int n = 0;

	if (v->n)
		qsort(v->at, v->n, sizeof(v->at[0]), by_address);
	for (int i = 0; i < v->n; i++) {
		const struct di_function *f = v->at[i], *last = n ? v->at[n - 1] : NULL;

		if (!last || last->address != f->address || last->is_inline != f->is_inline ||
		    (f->is_inline && strcmp(f->name, last->name)))
			v->at[n++] = v->at[i];
	}
	v->n = n;
}

// Removes split-off parts of a function unless nothing else was found, so that one call is one hit.
static void without_parts(di_functions *v, const char *name)
{
	int n = 0;

	for (int i = 0; i < v->n; i++)
		n += v->at[i]->is_inline || !symbol_is_part(v->at[i]->symbol);
	if (!n || n == v->n || symbol_is_part(name))
		return;
	n = 0;
	for (int i = 0; i < v->n; i++)
		if (v->at[i]->is_inline || !symbol_is_part(v->at[i]->symbol))
			v->at[n++] = v->at[i];
	v->n = n;
}

// ---------------------------------------------------------------- by the index

struct index_search {
	struct di_module *m;
	const struct matcher *match;
	di_functions *out;
	const Elf64_Shdr *init, *exit;     // sections of a kernel module whose code runs only when it is loaded or
					   // unloaded
};

static bool hit_matches(const struct matcher *m, const struct index_hit *hit)
{
	if (!m->glob)
		return !strcmp(m->name, hit->name) || !strcmp(m->name, hit->symbol);
	return !is_helper(hit->symbol) && !fnmatch(m->name, hit->name, 0);
}

struct di_function *function_of_hit(struct di_module *m, const struct index_hit *hit)
{
	struct { struct di_function f; struct func_priv priv; } *both = NEW(typeof(*both));
	struct di_function *f = &both->f;
	struct index_hit in;

	*f = (struct di_function){
		.module = m,
		.name = hit->name,
		.symbol = hit->symbol,
		.file = hit->file,
		.line = hit->line,
		.address = hit->address,
		.symbol_address = hit->address,
		.size = hit->size,
		.has_address = true,
		.is_inline = hit->is_inline,
		.has_types = hit->die != 0,
		.kprobe = hit->kprobe,
		.priv = &both->priv,
	};
	both->priv.die_offset = hit->die;
	both->priv.alias = hit->is_alias;
	if (hit->is_inline && index_function_at(module_index(m), hit->address, &in)) {
		f->symbol = in.symbol;
		f->symbol_address = in.address;
	}
	return f;
}

static bool is_in(const Elf64_Shdr *section, uint64_t address)
{
	return section && address - section->sh_addr < section->sh_size;
}

static void take_hit(void *data, const struct index_hit *hit)
{
	struct index_search *s = data;

	// Skips a mangled name of C++ or Rust without DWARF, since find_by_symbols() finds it by its plain name.
	if (s->match->glob && !hit->die && plain_name_of(s->m, hit->symbol))
		return;
	if (!hit_matches(s->match, hit) || (s->match->glob && hit->kprobe == DI_KPROBE_NO_SECTION))
		return;
	if (s->match->glob && (is_in(s->init, hit->address) || is_in(s->exit, hit->address)))
		return;
	// A function that is only in the symbol table is written in assembler: thunks, entry code, alternatives.
	if (s->match->glob && !hit->die && !hit->file && !di_is_user(s->m))
		return;
	vec_push(s->out, function_of_hit(s->m, hit));
}

static void find_by_index(struct index_search *s, const char *file, enum di_inlines inlines)
{
	struct index_query q = { .name = s->match->name, .file = file };
	const struct index *ix = module_index(s->m);
	struct elf_view v;

	if (s->m->base_module && elf_view_open(&v, dwarf_file_map(s->m->dwarf))) {
		s->init = elf_view_header(&v, ".init.text");
		s->exit = elf_view_header(&v, ".exit.text");
	}
	index_each_function(ix, &q, take_hit, s);
	if (inlines != DI_INLINES_NONE)
		index_each_inline(ix, &q, inlines == DI_INLINES_ONCE, take_hit, s);
	if (s->match->glob)
		index_unload(s->m);
}

// ---------------------------------------------------------------- by symbols

static void remove_unprobeable(struct di_module *m, di_functions *v)
{
	struct kprobe_blocklist blocklist;
	int n = 0;

	kprobe_blocklist_read(m, &blocklist);
	for (int i = 0; i < v->n; i++)
		if (!kprobe_blocklist_in_range(&blocklist, v->at[i]->address))
			v->at[n++] = v->at[i];
	v->n = n;
}

static struct di_function *new_function(struct di_module *m, const char *name, const struct symbol *sym)
{
	struct di_function *f = NEW(struct di_function);

	f->module = m;
	f->name = str_dup(name);
	f->symbol = str_dup(sym->name);
	f->address = f->symbol_address = sym->address;
	f->size = sym->size;
	f->priv = NEW(struct func_priv);
	return f;
}

static void take_symbol(struct di_module *m, const struct matcher *match, const struct symbol *sym, di_functions *out)
{
	const struct plain_name *plain = plain_name_of(m, sym->name);
	const char *name = plain ? matches_plain(match, plain, sym->name) : NULL;
	struct di_function *f;

	name = name ? name : matches(match, sym->name);
	if (!name)
		return;
	f = new_function(m, name, sym);
	f->has_address = true;
	f->scope = plain ? plain->scope : NULL;
	vec_push(out, f);
}

// indexed: omits functions that are in DWARF
static void find_by_symbols(struct di_module *m, const struct matcher *match, bool indexed, di_functions *out)
{
	struct index_hit hit;
	struct symbol sym;

	for (int i = 0; i < m->symbols.n; i++)
		if (symbols_get(&m->symbols, i, &sym) &&
		    !(indexed && index_function_at(m->index, sym.address, &hit) && hit.die))
			take_symbol(m, match, &sym, out);
	unique(out);
	// A function with an exact name is accepted: if the kernel refuses it, it reports the reason.
	if (match->glob)
		remove_unprobeable(m, out);
}

// Finds labels by their exact names. Wildcards match functions only, since a label may be inside a function.
static void find_labels(struct di_module *m, const struct matcher *match, di_functions *out)
{
	struct symbol sym;

	for (int i = 0; i < m->symbols.n; i++)
		if (symbols_get_label(&m->symbols, i, &sym))
			take_symbol(m, match, &sym, out);
	unique(out);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct di_function *const *)a)->symbol, (*(struct di_function *const *)b)->symbol);
}

// BTF cannot distinguish static functions with the same name.
static void mark_ambiguous(const di_functions *found)
{
	di_functions sorted = { 0 };

	for vec_each(found, f)
		vec_push(&sorted, *f);
	if (sorted.n)
		qsort(sorted.at, sorted.n, sizeof(sorted.at[0]), by_name);
	for (int i = 1; i < sorted.n; i++)
		if (!by_name(&sorted.at[i - 1], &sorted.at[i]))
			priv(sorted.at[i - 1])->ambiguous = priv(sorted.at[i])->ambiguous = true;
}

struct btf_search {
	struct di_module *m;
	const struct matcher *match;
	di_functions *out;
};

static void find_by_btf(void *data, const char *symbol, uint32_t id)
{
	struct btf_search *s = data;
	struct symbol sym = { .name = symbol };
	const char *name = matches(s->match, symbol);

	if (name) {
		struct di_function *f = new_function(s->m, name, &sym);

		priv(f)->btf_id = id;
		priv(f)->btf_tried = true;
		vec_push(s->out, f);
	}
}

static void find_without_dwarf(struct di_module *m, const struct matcher *match, di_functions *out)
{
	if (m->has_symbols)
		find_by_symbols(m, match, false, out);
	else if (module_btf(m))
		btf_each_function(module_btf(m), find_by_btf, &(struct btf_search){ m, match, out });
	mark_ambiguous(out);
	for vec_each(out, f)
		(*f)->has_types = function_btf(*f) != 0;
}

// ---------------------------------------------------------------- debuginfo.h

void di_unload(struct di_module *m)
{
	index_unload(m);
	if (m->dwarf)
		dwarf_file_forget(m->dwarf);
}

void di_forget(struct di_module *m)
{
	enum { UNITS_MAX = 32 };

	if (m->dwarf && dwarf_file_units(m->dwarf) >= UNITS_MAX)
		dwarf_file_forget(m->dwarf);
}

void di_find_functions(struct di_module *m, const char *name, const char *file, enum di_inlines inlines,
		       di_functions *out)
{
	struct matcher match = { .name = name, .glob = str_is_glob(name), .len = strlen(name) };
	di_functions found = { 0 };

	if (module_index(m)) {
		find_by_index(&(struct index_search){ m, &match, &found }, file, inlines);
		unique(&found);
		without_parts(&found, name);
		if ((!found.n || match.glob) && !file && m->is_user && m->has_symbols)
			find_by_symbols(m, &match, true, &found);
	} else if (!file) {
		find_without_dwarf(m, &match, &found);
	}
	if (!found.n && !match.glob && !file && m->is_user && m->has_symbols)
		find_labels(m, &match, &found);
	for vec_each(&found, f)
		vec_push(out, *f);
}

// ---------------------------------------------------------------- functions that cannot be probed

// Returns true if a breakpoint at f would be hit by an x86 processor that comes online, before it has loaded the IDT
// (in cpu_init_exception_handling(), 5.10 to 7.2): that resets the machine, and the kernel does not refuse it. Most of
// these functions are compiled without calls of ftrace, which need no breakpoint.
// They are listed by name, since the kernel has no section or list of them: some are in .text among others, and what
// they call cannot be followed, through the operations of paravirt, to the IDT without reaching printk(), which only
// their warnings call. The test bringup executes the path instruction by instruction and finds missing names.
static bool runs_before_exceptions(const struct di_function *f)
{
	static const char *const names[] = {
		// from the first instruction in 64-bit mode until start_secondary()
		"secondary_startup_64*", "common_startup_64", "sev_verify_cbit", "early_setup_idt", "setup_ghcb",
		"set_bringup_idt_handler*", "*startup_64_load_idt", "cc_platform_has", "amd_cc_platform_has",
		// until the IDT is loaded
		"memset", "__memset", "memset_orig", "memset_erms", "start_secondary", "cr4_*", "cpu_init_secondary",
		"cpu_init_exception_handling", "setup_getcpu", "tss_setup_*", "load_TR_desc", "set_tssldt_descriptor",
		"get_cpu_entry_area", "native_write_msr", "native_write_cr*", "native_write_gdt_entry",
		"native_load_tr_desc", "native_load_idt", "load_current_idt", "load_ucode_*ap",
		// these set the base address of the CPU's data, which exceptions use
		"load_percpu_segment", "switch_*gdt*", NULL,
	};

	if (di_is_user(f->module) || strcmp(f->module->arch->name, "x86_64"))
		return false;
	for (int i = 0; names[i]; i++)
		if (!fnmatch(names[i], f->symbol, 0))
			return true;
	return false;
}

const char *di_refused(const struct di_function *f)
{
	static const char *const why[NOPROBE_RANGES] = {      // .kprobes.text is absent here: ftrace may probe it
		[NOPROBE_NOINSTR] = "it must not be instrumented (.noinstr.text)",
		[NOPROBE_ENTRY] = "it is part of the kernel's entry code (.entry.text)",
	};
	struct kprobe_blocklist blocklist;

	if (runs_before_exceptions(f))
		return str_printf("%s cannot be probed: processors that come online execute it before they can handle "
				  "breakpoints, and would reset the machine", f->name);
	if (f->kprobe != DI_KPROBE_NO_SECTION)
		return NULL;
	kprobe_blocklist_read(f->module, &blocklist);
	for (int i = 0; i < NOPROBE_RANGES; i++)
		if (f->address >= blocklist.range[i].start && f->address < blocklist.range[i].end)
			return str_printf("the kernel does not allow a probe in %s: %s", f->name, why[i]);
	return NULL;
}

const char *di_unprobeable_function(const struct di_module *m, const char *name)
{
	const struct symbols *t = &m->symbols;
	const char *section;
	struct elf_view v;

	if (!m->dwarf || !t->symtab || !elf_view_open(&v, dwarf_file_map(m->dwarf)))
		return NULL;
	for (int i = 0; i < t->n; i++) {
		const Elf64_Sym *e = &t->symtab[i];

		if (ELF64_ST_TYPE(e->st_info) != STT_FUNC || e->st_shndx == SHN_UNDEF || e->st_shndx >= v.n ||
		    e->st_name >= t->strings_len || strcmp(t->strings + e->st_name, name))
			continue;
		section = elf_view_name(&v, &v.sections[e->st_shndx]);
		if (!strcmp(section, ".init.text"))
			return "it is in .init.text, which the kernel frees after boot";
		if (!strcmp(section, ".exit.text"))
			return "it is in .exit.text, which built-in code never runs";
		return str_printf("its code is in %s, where probes are not possible", section);
	}
	return NULL;
}

const char *di_function_anchor(const struct di_function *f, int64_t *distance)
{
	uint64_t at = f->symbol_address;
	const char *name = f->has_address ? symbols_anchor(&f->module->symbols, f->symbol, f->symbol_address, &at) : NULL;

	*distance = name ? (int64_t)(f->symbol_address - at) : 0;
	return name ? name : f->symbol;
}

bool di_is_repeated(const struct di_function *f)
{
	return symbols_is_repeated(&f->module->symbols, f->symbol);
}

static void add_btf_name(void *data, const char *name, uint32_t id)
{
	if (!is_helper(name))
		vec_push((di_names *)data, name);
}

static void add_name(void *data, const struct index_hit *hit)
{
	if (!is_helper(hit->symbol))
		vec_push((di_names *)data, hit->name);
}

void di_function_names(struct di_module *m, di_names *out)
{
	struct index_query all = { .name = "*" };
	struct symbol sym;

	if (module_index(m)) {
		index_each_function(m->index, &all, add_name, out);
		index_each_inline(m->index, &all, true, add_name, out);
		return;
	}
	if (!m->has_symbols && module_btf(m))
		btf_each_function(module_btf(m), add_btf_name, out);
	for (int i = 0; i < m->symbols.n; i++) {
		const struct plain_name *plain;

		if (!symbols_get(&m->symbols, i, &sym) || is_helper(sym.name))
			continue;
		plain = plain_name_of(m, sym.name);
		vec_push(out, plain ? plain->function : sym.name);
		if (plain && *plain->scope)
			vec_push(out, plain->whole);
	}
}
