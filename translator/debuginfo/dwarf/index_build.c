// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the tables of an index (index.h) from DWARF and symbols of a file.
//
// It walks the top-level DIEs of every unit, and functions down to inlined copies. A kernel has millions of top-level
// DIEs, most of them the same types repeated in every unit; names that were merged in .debug_str are compared by their
// address in memory, without reading them.
#include "debuginfo/dwarf/libdw_unit.h"
#include "debuginfo/dwarf/index_format.h"
#include "debuginfo/dwarf/kprobe_blocklist.h"

#include "util/numbers.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

enum { UNITS_A_HANDLE = 256, DEPTH_MAX = 64 };

// A function that has a DIE, in DWARF.
struct written {
	uint32_t name, file, line, die, address, size;
	uint32_t named;            // the number of the symbol's function, if a symbol of this name was found
};

struct build {
	struct di_module *m;
	struct buf *table;
	uint64_t base, end;        // range of code addresses that are indexed
	struct kprobe_blocklist blocklist;
	struct numbers strings;    // hash -> offset
	struct numbers paths;      // string -> file
	struct numbers seen;       // names of types and enumerators that were added: key of the text's address and
				   // the tag
	struct numbers inlines;    // hash of an inlined function -> its number + 1
	struct numbers origins;    // DIE -> number of its inlined function + 1
	struct numbers at;         // address + 1 -> number of the written function + 1
	struct numbers symbols;    // address + 1 -> string
	struct numbers merged;     // string + 1 -> number of the function without an address + 1
	struct buf written;
	struct buf copies;         // array of struct copy
	// the current unit:
	Dwarf_Die unit;
	Dwarf_Files *files;
	size_t nfiles;
	struct buf file_ids;       // u32 for each file: 0: unknown; otherwise its number + 1
};

struct copy { uint32_t owner; struct index_copy at; };

// ---------------------------------------------------------------- strings and files

static uint64_t hash(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint64_t h = len + 1;

	for (; len >= 8; len -= 8, p += 8) {
		uint64_t word;

		memcpy(&word, p, 8);
		h = numbers_mix(h ^ word) * 0xff51afd7ed558ccdull;
	}
	while (len--)
		h = (h ^ *p++) * 0x100000001b3ull;
	return h ? h : 1;
}

static uint32_t add_string(struct build *b, const char *text)
{
	struct buf *strings = &b->table[IX_STRINGS];
	size_t len = strlen(text);
	uint64_t key = hash(text, len);
	uint32_t *at;

	if (!*text)
		return 0;
	for (;; key++) {
		at = numbers_at(&b->strings, key ? key : 1);
		if (!*at)
			break;
		if (!strcmp(strings->text + *at, text))
			return *at;
	}
	*at = strings->len;
	buf_add(strings, text, len + 1);
	return *at;
}

static uint32_t add_file(struct build *b, Dwarf_Die *unit, const char *path)
{
	uint32_t string = add_string(b, dwarf_source_path(unit, path));
	uint32_t *id = numbers_at(&b->paths, (uint64_t)string + 1);

	if (!*id) {
		buf_add(&b->table[IX_FILES], (char *)&string, sizeof(string));
		*id = b->table[IX_FILES].len / sizeof(string);
	}
	return *id - 1;
}

// Returns the unit that contains the DIE, or NULL. After link-time optimisation code may be in another unit than
// its declaration.
static Dwarf_CU *decl_number(Dwarf_Die *die, unsigned name, Dwarf_Word *out)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, out) ? attr.cu : NULL;
}

static bool file_of_unit(struct build *b, Dwarf_CU *cu, Dwarf_Word number, uint32_t *file)
{
	Dwarf_Files *files;
	Dwarf_Die unit;
	const char *path;
	size_t n;

	if (!dwarf_cu_die(cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &n) ||
	    number >= n || !(path = dwarf_filesrc(files, number, NULL, NULL)))
		return false;
	*file = add_file(b, &unit, path);
	return true;
}

// Finds file and line of the declaration.
static bool source_of(struct build *b, Dwarf_Die *die, uint32_t *file, uint32_t *line)
{
	Dwarf_Word number, at;
	const char *path;
	Dwarf_CU *cu;
	uint32_t *id;

	if (!(cu = decl_number(die, DW_AT_decl_file, &number)) || !decl_number(die, DW_AT_decl_line, &at) ||
	    !at || at > UINT32_MAX)
		return false;
	if (cu != b->unit.cu) {
		if (!file_of_unit(b, cu, number, file))
			return false;
		*line = at;
		return true;
	}
	if (number >= b->nfiles)
		return false;
	id = (uint32_t *)b->file_ids.text + number;
	if (!*id) {
		path = dwarf_filesrc(b->files, number, NULL, NULL);
		if (!path)
			return false;
		*id = add_file(b, &b->unit, path) + 1;
	}
	*file = *id - 1;
	*line = at;
	return true;
}

// ---------------------------------------------------------------- functions

static bool add_address(const struct build *b, uint64_t address, uint32_t *out)
{
	*out = address - b->base;
	return address >= b->base && address < b->end;
}

static uint32_t offset_of_die(Dwarf_Die *die)
{
	uint64_t offset = dwarf_die_id(die);

	return offset > UINT32_MAX ? 0 : offset;
}

// Finds file and line of the class of a member function that has no declaration of its own: gcc gives none to the
// operator() of a lambda, or to constructors and destructors that the compiler added.
static bool source_of_class(struct build *b, Dwarf_Die *function, uint32_t *file, uint32_t *line)
{
	Dwarf_Die type;

	if (!dwarf_reference(function, DW_AT_object_pointer, &type))
		return false;
	while (!dwarf_is_struct(dwarf_tag(&type)))
		if (!dwarf_reference(&type, DW_AT_type, &type))
			return false;
	return source_of(b, &type, file, line);
}

// Returns the number of the inlined function, for which each unit has its own DIE.
static bool inline_of(struct build *b, Dwarf_Die *copy, uint32_t *out)
{
	struct index_inline fresh = { 0 }, *known;
	uint32_t *by_die, *by_hash;
	Dwarf_Die origin;
	uint64_t key;

	if (!dwarf_reference(copy, DW_AT_abstract_origin, &origin))
		return false;
	by_die = numbers_at(&b->origins, dwarf_die_id(&origin) + 1);
	*out = *by_die - 1;
	if (*by_die)
		return true;
	fresh.name = add_string(b, dwarf_name(&origin));
	if (!fresh.name || !(source_of(b, &origin, &fresh.file, &fresh.line) ||
			     source_of_class(b, &origin, &fresh.file, &fresh.line)))
		return false;
	for (key = hash(&fresh, sizeof(fresh));; key++) {
		by_hash = numbers_at(&b->inlines, key ? key : 1);
		if (!*by_hash)
			break;
		known = (struct index_inline *)b->table[IX_INLINES].text + *by_hash - 1;
		if (known->name == fresh.name && known->file == fresh.file && known->line == fresh.line)
			break;
	}
	if (!*by_hash) {
		buf_add(&b->table[IX_INLINES], (char *)&fresh, sizeof(fresh));
		*by_hash = b->table[IX_INLINES].len / sizeof(fresh);
	}
	*by_die = *by_hash;
	*out = *by_hash - 1;
	return true;
}

static void add_copy(struct build *b, Dwarf_Die *die)
{
	struct copy c = { .at.die = offset_of_die(die) };
	uint64_t address;

	if (dwarf_entry(die, &address) && add_address(b, address, &c.at.address) &&
	    !kprobe_blocklist_in_range(&b->blocklist, address) && inline_of(b, die, &c.owner))
		buf_add(&b->copies, (char *)&c, sizeof(c));
}

static void add_function(struct build *b, Dwarf_Die *die, bool nested);

// Adds the copies that are inlined in a function, and the functions that are nested in it: those of GNU C, and those of
// local classes, such as the operator() of a lambda.
static void add_nested(struct build *b, Dwarf_Die *scope, int depth)
{
	uint64_t address;
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(scope, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_inlined_subroutine)
			add_copy(b, &child);
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
		    (b->m->is_user && dwarf_is_struct(tag)))
			add_nested(b, &child, depth + 1);
		else if (tag == DW_TAG_subprogram && dwarf_entry(&child, &address))
			add_function(b, &child, true);
	} while (!dwarf_siblingof(&child, &child));
}

// Adds a function that was merged with an identical one (ICF): it has no code in DWARF, and only its symbol has the
// address.
static void add_merged(struct build *b, Dwarf_Die *die)
{
	struct written f = { .name = add_string(b, dwarf_name(die)) };

	if (!f.name || dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_inline))
		return;
	source_of(b, die, &f.file, &f.line);
	buf_add(&b->written, (char *)&f, sizeof(f));
	*numbers_at(&b->merged, f.name + 1ull) = b->written.len / sizeof(f);
}

// Finds file and line of the first statement. gcc gives the operator() of a lambda no declaration.
static void source_at(struct build *b, uint64_t address, uint32_t *file, uint32_t *line)
{
	Dwarf_Line *at = dwarf_getsrc_die(&b->unit, address);
	const char *path = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
	int number;

	if (!path || dwarf_lineno(at, &number) || number <= 0)
		return;
	*file = add_file(b, &b->unit, path);
	*line = number;
}

static void add_function(struct build *b, Dwarf_Die *die, bool nested)
{
	struct written f = { .die = offset_of_die(die) };
	uint64_t address, high;
	uint32_t *at;

	if (!dwarf_entry(die, &address)) {
		add_merged(b, die);
		return;
	}
	if (!add_address(b, address, &f.address))
		return;
	// This is a weak function that was overridden: its code exists but is never called.
	if (b->m->has_symbols && !*numbers_at(&b->symbols, address + 1))
		return;
	f.name = add_string(b, dwarf_name(die));
	if (!source_of(b, die, &f.file, &f.line) && nested)
		source_at(b, address, &f.file, &f.line);
	if (!dwarf_highpc(die, &high) && high > address && high - address < UINT32_MAX)
		f.size = high - address;
	if (!f.name)
		return;
	at = numbers_at(&b->at, address + 1);
	buf_add(&b->written, (char *)&f, sizeof(f));
	if (!*at)
		*at = b->written.len / sizeof(f);
	add_nested(b, die, 0);
}

// ---------------------------------------------------------------- types, variables

// Returns true for the first occurrence of the string (by address in memory).
static bool is_new(struct build *b, const char *text, int tag)
{
	uint32_t *seen = numbers_at(&b->seen, ((uint64_t)tag << 48 ^ (uintptr_t)text) | 1ull << 63);

	return !(*seen)++;
}

static void add_enumerators(struct build *b, Dwarf_Die *type)
{
	Dwarf_Die child;

	if (dwarf_child(type, &child))
		return;
	do {
		struct index_name e = { .die = offset_of_die(type) };
		const char *name = dwarf_name(&child);

		if (dwarf_tag(&child) != DW_TAG_enumerator || !*name || !is_new(b, name, DW_TAG_enumerator))
			continue;
		e.name = add_string(b, name);
		buf_add(&b->table[IX_ENUMERATORS], (char *)&e, sizeof(e));
	} while (!dwarf_siblingof(&child, &child));
}

static void add_type(struct build *b, Dwarf_Die *die, int tag)
{
	const char *name = dwarf_name(die);
	struct index_type t = { .die = offset_of_die(die), .tag = tag };

	if (*name && (dwarf_hasattr(die, DW_AT_declaration) || !is_new(b, name, tag)))
		return;
	if (tag == DW_TAG_enumeration_type)
		add_enumerators(b, die);
	if (!*name)
		return;
	t.name = add_string(b, name);
	buf_add(&b->table[IX_TYPES], (char *)&t, sizeof(t));
}

static void add_variable(struct build *b, Dwarf_Die *die)
{
	struct index_name v = { .die = offset_of_die(die) };
	const char *name;

	if (!dwarf_hasattr(die, DW_AT_location))
		return;
	name = dwarf_name(die);
	// Skips variables of the kernel's export and initcall macros: megabytes of names that no script uses.
	if (!*name || str_starts(name, "__UNIQUE_ID_") || str_starts(name, "__ksymtab_") ||
	    str_starts(name, "__kstrtab"))
		return;
	v.name = add_string(b, name);
	buf_add(&b->table[IX_VARIABLES], (char *)&v, sizeof(v));
}

static void add_children(struct build *b, Dwarf_Die *parent, int depth);

// depth 0: top level of the unit. In a unit of C, only types have children that are indexed.
static void add_die(struct build *b, Dwarf_Die *die, int depth)
{
	int tag = dwarf_tag(die);

	switch (tag) {
	case DW_TAG_subprogram:
		add_function(b, die, false);
		break;
	case DW_TAG_variable:
		add_variable(b, die);
		break;
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type:
		if (depth)
			add_children(b, die, depth + 1);
		add_type(b, die, tag);
		break;
	case DW_TAG_enumeration_type: case DW_TAG_typedef: case DW_TAG_base_type:
		add_type(b, die, tag);
		break;
	case DW_TAG_namespace: case DW_TAG_module:
		add_children(b, die, depth + 1);
		break;
	}
}

static void add_children(struct build *b, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;

	if (depth > SPACES_MAX || dwarf_child(parent, &child))
		return;
	do
		add_die(b, &child, depth);
	while (!dwarf_siblingof(&child, &child));
}

// ---------------------------------------------------------------- units

static void add_ranges(struct build *b, uint32_t unit)
{
	Dwarf_Die *die = dwarf_die_of_ranges(b->m->dwarf, &b->unit);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		struct index_range r = { .unit = unit };

		if (start >= end || end - start > UINT32_MAX || !add_address(b, start, &r.start))
			continue;
		r.size = end - start;
		buf_add(&b->table[IX_RANGES], (char *)&r, sizeof(r));
	}
}

static void add_unit(struct build *b, uint64_t header)
{
	struct index_unit u = { .die = offset_of_die(&b->unit), .header = header };
	uint32_t index = b->table[IX_UNITS].len / sizeof(u);

	if (dwarf_getsrcfiles(&b->unit, &b->files, &b->nfiles))
		b->nfiles = 0;
	b->file_ids.len = 0;
	for (size_t i = 0; i < b->nfiles; i++)
		buf_add(&b->file_ids, "\0\0\0\0", 4);
	u.name = add_string(b, dwarf_source_path(&b->unit, dwarf_name(&b->unit)));
	buf_add(&b->table[IX_UNITS], (char *)&u, sizeof(u));
	add_ranges(b, index);
	add_children(b, &b->unit, !dwarf_is_c(&b->unit));
}

// Indexes a number of units from `offset` on with one handle. Returns the offset of the next unit; 0 at the end.
static uint64_t add_units(struct build *b, uint64_t offset)
{
	Dwarf *d = dwarf_handle_at(b->m->dwarf, offset);
	int limit = dwarf_is_small(b->m->dwarf) ? INT32_MAX : UNITS_A_HANDLE;
	Dwarf_Off next;
	size_t header;
	bool more = d;

	for (int i = 0; more && i < limit; i++, offset = next) {
		more = !dwarf_nextcu(d, offset, &next, &header, NULL, NULL, NULL);
		if (more && dwarf_offdie(d, offset + header, &b->unit) && !dwarf_is_skeleton(&b->unit))
			add_unit(b, offset);
	}
	dwarf_end(d);
	if (!dwarf_is_small(b->m->dwarf))
		dwarf_file_unload(b->m->dwarf);
	return more ? offset : 0;
}

static void add_split(struct build *b, const struct split *s)
{
	Dwarf_Off at = 0, next;
	size_t header;

	for (; !dwarf_nextcu(s->dwarf, at, &next, &header, NULL, NULL, NULL); at = next)
		if (dwarf_offdie(s->dwarf, at + header, &b->unit))
			add_unit(b, s->base + at);
}

// ---------------------------------------------------------------- symbols

// Returns the string of the original's name for a clone, which is found by that name.
static uint32_t stem_of(struct build *b, const char *symbol)
{
	size_t len = symbol_stem(symbol);

	return add_string(b, symbol[len] ? str_ndup(symbol, len) : symbol);
}

static uint32_t permission(const struct build *b, uint64_t address)
{
	return kprobe_blocklist_in_range(&b->blocklist, address) ? INDEX_NO_SECTION : !b->blocklist.functions ? 0 :
	       kprobe_blocklist_has_function(&b->blocklist, address) ? INDEX_BLOCKLISTED : INDEX_ALLOWED;
}

static void add_symbol(struct build *b, const struct symbol *sym)
{
	struct index_function f = { .name = stem_of(b, sym->name), .symbol = add_string(b, sym->name) };
	uint32_t *at;

	if (!f.name || !add_address(b, sym->address, &f.address))
		return;
	f.size = sym->size > UINT32_MAX ? 0 : sym->size;
	at = numbers_at(&b->at, sym->address + 1);
	if (!*at && *numbers_at(&b->merged, f.name + 1ull)) {
		struct written *w = (struct written *)b->written.text + *numbers_at(&b->merged, f.name + 1ull) - 1;

		f.file = w->file;
		f.line = w->line;
	}
	if (*at) {
		struct written *w = (struct written *)b->written.text + *at - 1;

		f.file = w->file;
		f.line = w->line;
		f.die = w->die;
		f.flags = f.name != w->name ? INDEX_ALIAS : 0;
		w->named |= !f.flags;
		f.size = f.size ? f.size : w->size;
	}
	f.flags |= permission(b, sym->address);
	buf_add(&b->table[IX_FUNCTIONS], (char *)&f, sizeof(f));
}

// Adds functions that have no symbol with their name: functions of C++, or of files without symbols.
static void add_unnamed(struct build *b, const struct written *w)
{
	struct index_function f = { .name = w->name, .symbol = w->name, .file = w->file, .line = w->line,
				    .die = w->die, .address = w->address, .size = w->size };
	uint32_t symbol = *numbers_at(&b->symbols, b->base + w->address + 1);

	if (w->named || !w->die)
		return;
	if (symbol)
		f.symbol = symbol;
	f.flags = permission(b, b->base + w->address);
	buf_add(&b->table[IX_FUNCTIONS], (char *)&f, sizeof(f));
}

static void note_symbols(struct build *b)
{
	struct symbol sym;

	for (int i = 0; b->m->has_symbols && i < b->m->symbols.n; i++)
		if (symbols_get(&b->m->symbols, i, &sym))
			*numbers_at(&b->symbols, sym.address + 1) = add_string(b, sym.name);
}

static void add_functions(struct build *b)
{
	struct symbol sym;

	for (int i = 0; b->m->has_symbols && i < b->m->symbols.n; i++)
		if (symbols_get(&b->m->symbols, i, &sym))
			add_symbol(b, &sym);
	for (size_t i = 0; i < b->written.len / sizeof(struct written); i++)
		add_unnamed(b, (struct written *)b->written.text + i);
}

// ---------------------------------------------------------------- order

#define ORDER(x, y) ((x) < (y) ? -1 : (x) > (y))

static int by_name(const void *a, const void *b, void *strings)
{
	uint32_t x, y;

	memcpy(&x, a, 4);          // reads the first field of each record
	memcpy(&y, b, 4);
	return x == y ? 0 : strcmp((char *)strings + x, (char *)strings + y);
}

static int function_order(const void *a, const void *b, void *strings)
{
	const struct index_function *x = a, *y = b;
	int order = by_name(a, b, strings);

	return order ? order : x->address != y->address ? ORDER(x->address, y->address) : ORDER(x->symbol, y->symbol);
}

static int type_order(const void *a, const void *b, void *strings)
{
	const struct index_type *x = a, *y = b;
	int order = by_name(a, b, strings);

	return order ? order : x->tag != y->tag ? ORDER(x->tag, y->tag) : ORDER(x->die, y->die);
}

static int name_order(const void *a, const void *b, void *strings)
{
	const struct index_name *x = a, *y = b;
	int order = by_name(a, b, strings);

	return order ? order : ORDER(x->die, y->die);
}

static int inline_order(const void *a, const void *b, void *strings)
{
	const struct index_inline *x = a, *y = b;
	int order = by_name(a, b, strings);

	return order ? order : x->file != y->file ? ORDER(x->file, y->file) : ORDER(x->line, y->line);
}

static int range_order(const void *a, const void *b, void *unused)
{
	const struct index_range *x = a, *y = b;

	return x->start != y->start ? ORDER(x->start, y->start) : ORDER(x->unit, y->unit);
}

static int copy_order(const void *a, const void *b, void *unused)
{
	const struct copy *x = a, *y = b;

	return x->owner != y->owner ? ORDER(x->owner, y->owner) :
		x->at.address != y->at.address ? ORDER(x->at.address, y->at.address) : ORDER(x->at.die, y->at.die);
}

static int address_order(const void *a, const void *b, void *functions)
{
	const struct index_function *f = functions, *x = f + *(uint32_t *)a, *y = f + *(uint32_t *)b;

	return x->address != y->address ? ORDER(x->address, y->address) : ORDER(x, y);
}

static void sort(struct build *b, enum index_table t, int (*order)(const void *, const void *, void *))
{
	size_t n = b->table[t].len / index_record_size[t];

	if (n)
		qsort_r(b->table[t].text, n, index_record_size[t], order, b->table[IX_STRINGS].text);
}

// Groups the copies by inlined function and sorts the inlined functions by name.
static void sort_inlines(struct build *b)
{
	size_t n = b->copies.len / sizeof(struct copy), i = 0;
	struct copy *copies = (struct copy *)b->copies.text;
	struct index_inline *inlines = (struct index_inline *)b->table[IX_INLINES].text;

	if (n)
		qsort_r(copies, n, sizeof(*copies), copy_order, NULL);
	for (i = 0; i < n; i++) {
		struct index_inline *owner = &inlines[copies[i].owner];

		if (!owner->n++)
			owner->first = i;
		buf_add(&b->table[IX_COPIES], (char *)&copies[i].at, sizeof(copies[i].at));
	}
	sort(b, IX_INLINES, inline_order);
}

// Removes equal names at different addresses: few strings are merged in modules and programs.
static void drop_duplicates(struct build *b, enum index_table t, bool tags)
{
	uint32_t size = index_record_size[t];
	size_t n = b->table[t].len / size, kept = 0;
	char *at = b->table[t].text;

	for (size_t i = 0; i < n; i++) {
		bool same = kept && !memcmp(at + (kept - 1) * size, at + i * size, 4) &&
			    (!tags || !memcmp(at + (kept - 1) * size + 8, at + i * size + 8, 4));

		if (!same)
			memmove(at + kept++ * size, at + i * size, size);
	}
	b->table[t].len = kept * size;
}

static void sort_all(struct build *b)
{
	size_t n;

	sort(b, IX_FUNCTIONS, function_order);
	sort(b, IX_TYPES, type_order);
	sort(b, IX_VARIABLES, name_order);
	sort(b, IX_ENUMERATORS, name_order);
	sort(b, IX_RANGES, range_order);
	drop_duplicates(b, IX_TYPES, true);
	drop_duplicates(b, IX_ENUMERATORS, false);
	sort_inlines(b);
	n = b->table[IX_FUNCTIONS].len / sizeof(struct index_function);
	for (uint32_t i = 0; i < n; i++)
		buf_add(&b->table[IX_BY_ADDRESS], (char *)&i, sizeof(i));
	if (n)
		qsort_r(b->table[IX_BY_ADDRESS].text, n, sizeof(uint32_t), address_order,
			b->table[IX_FUNCTIONS].text);
}

bool index_build(struct di_module *m, struct index_tables *out)
{
	struct build b = { .m = m, .table = out->table };
	uint64_t at = 0, next;

	if (!dwarf_text(m->dwarf, &b.base, &b.end) || b.end - b.base > UINT32_MAX)
		return false;
	out->base = b.base;
	if (m->has_symbols)
		kprobe_blocklist_read(m, &b.blocklist);
	buf_add(&out->table[IX_STRINGS], "", 1);
	note_symbols(&b);
	while ((next = add_units(&b, at)) > at)
		at = next;
	dwarf_splits(m->dwarf);
	for vec_each(&m->dwarf->splits, split)
		add_split(&b, split);
	add_functions(&b);
	sort_all(&b);
	return out->table[IX_UNITS].len > 0;
}
