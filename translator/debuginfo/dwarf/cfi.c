// SPDX-License-Identifier: GPL-2.0-or-later
// Converts the call frame information of a program to a table, sorted by address, of rules that compute the caller's
// frame. The runtime uses it to unwind stacks without frame pointers.
//
// It reads .eh_frame of the program, else .debug_frame of the program or of its debuginfo. Both are lists of common
// entries (CIE) and of entries for a function (FDE), whose instructions change the rules as the code advances. Only
// rules for the CFA, the return address and the frame pointer are converted; an address whose rules use other
// instructions or expressions has no rule.
#include "debuginfo/dwarf/dwarf_source.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX (1 << 20)
#define ROWS_MAX    (1 << 22)
#define DEPTH       16         // depth of the stack of remembered states
#define PADDING     64         // gaps between functions up to this size get no row

struct section {
	struct bytes bytes;
	uint64_t address;
	int word;                  // bytes of an address
	bool eh;                   // .eh_frame
};

struct cursor {
	const struct section *in;
	size_t at, end;
	bool bad;                  // a read was past the end; later reads return 0
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	uint8_t encoding;          // encoding of addresses in its FDEs
	bool augmented;            // its FDEs have augmentation data
	struct cursor program;
};

struct state {                 // rules of the registers at one address
	struct di_frame_rule rule;
	uint64_t cfa_register;
	int64_t cfa_offset;
	bool cfa_computed;         // an expression defines the CFA: rule.cfa is final
};

struct maker {
	const struct di_module *m;
	struct di_frames *out;
	const struct cie *cie;
	struct state now, first;
	struct state stack[DEPTH];
	int depth;
	uint64_t from, end;        // first address and end of the function's code
	uint64_t at;               // the rules are known up to this address
};

// ---------------------------------------------------------------- numbers

static uint64_t read_bytes(struct cursor *c, int n)
{
	uint64_t v = 0;

	if (c->bad || (size_t)n > c->end - c->at) {
		c->bad = true;
		return 0;
	}
	memcpy(&v, c->in->bytes.at + c->at, n);
	c->at += n;
	return v;
}

static uint64_t read_uleb(struct cursor *c)
{
	uint64_t v = 0, byte = 0x80;

	for (int shift = 0; byte & 0x80 && !c->bad; shift += 7) {
		byte = read_bytes(c, 1);
		v |= shift < 64 ? (byte & 0x7f) << shift : 0;
	}
	return v;
}

static int64_t read_sleb(struct cursor *c)
{
	uint64_t v = 0, byte = 0x80;
	int shift = 0;

	for (; byte & 0x80 && !c->bad; shift += 7) {
		byte = read_bytes(c, 1);
		v |= shift < 64 ? (byte & 0x7f) << shift : 0;
	}
	return shift < 64 && byte & 0x40 ? v | ~0ull << shift : v;
}

static uint64_t read_encoded(struct cursor *c, uint8_t encoding)
{
	uint64_t from = c->in->address + c->at, v;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr: v = read_bytes(c, c->in->word); break;
	case DW_EH_PE_udata8: case DW_EH_PE_sdata8: v = read_bytes(c, 8); break;
	case DW_EH_PE_udata4: v = read_bytes(c, 4); break;
	case DW_EH_PE_sdata4: v = (int32_t)read_bytes(c, 4); break;
	case DW_EH_PE_udata2: v = read_bytes(c, 2); break;
	case DW_EH_PE_sdata2: v = (int16_t)read_bytes(c, 2); break;
	case DW_EH_PE_uleb128: v = read_uleb(c); break;
	case DW_EH_PE_sleb128: v = read_sleb(c); break;
	default: c->bad = true; return 0;
	}
	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr: return v;
	case DW_EH_PE_pcrel: return c->in->word == 4 ? (uint32_t)(from + v) : from + v;
	default: c->bad = true; return 0;
	}
}

static struct cursor take(struct cursor *c, uint64_t len)
{
	struct cursor p = *c;

	if (c->bad || len > c->end - c->at) {
		c->bad = p.bad = true;
		return p;
	}
	p.end = c->at + len;
	c->at += len;
	return p;
}

// ---------------------------------------------------------------- rules

// Converts register numbers of i386 to those of x86-64.
static bool base_of(const struct di_module *m, uint64_t number, uint8_t *base)
{
	int native = arch_native(m->arch, number);

	if (native < 0)
		return false;
	if (native == m->arch->stack_pointer)
		*base = DI_FRAME_SP;
	else if (native == m->arch->frame_pointer)
		*base = DI_FRAME_FP;
	else
		*base = DI_FRAME_REGS + m->arch->pt_regs_offset[native] / 8;
	return true;
}

static struct di_frame_location location(enum di_frame_kind kind, uint8_t base, int64_t offset)
{
	struct di_frame_location p = { .kind = kind, .base = base, .offset = offset };

	if (offset != p.offset)
		p = (struct di_frame_location){ .kind = DI_FRAME_UNKNOWN };
	return p;
}

// Parses an expression: register plus offset, optionally dereferenced, plus offset; or the one that the linker writes
// for the PLT: stack pointer + 8, or + 16 in the later part of a 16-byte entry.
static struct di_frame_location of_expression(const struct di_module *m, struct cursor c, bool address)
{
	static const uint8_t plt[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, 0, DW_OP_ge, DW_OP_lit3,
				       DW_OP_shl, DW_OP_plus };
	const uint8_t *text = c.in->bytes.at + c.at;
	struct di_frame_location unknown = { .kind = DI_FRAME_UNKNOWN }, loaded;
	uint8_t base;
	int64_t offset;
	uint64_t op;

	if (!c.bad && c.end - c.at == sizeof(plt) && !memcmp(text, plt, 6) && !memcmp(text + 7, plt + 7, 4) &&
	    text[6] >= DW_OP_lit0 && text[6] <= DW_OP_lit15)
		return location(DI_FRAME_PLT, text[6] - DW_OP_lit0, 8);
	op = read_bytes(&c, 1);
	if (c.bad || op < DW_OP_breg0 || op > DW_OP_breg31 || !base_of(m, op - DW_OP_breg0, &base))
		return unknown;
	offset = read_sleb(&c);
	if (c.at == c.end && !c.bad)
		return location(address ? DI_FRAME_LOAD : DI_FRAME_REGISTER, base, offset);
	if (address || read_bytes(&c, 1) != DW_OP_deref)
		return unknown;
	loaded = location(DI_FRAME_LOAD, base, offset);
	if (c.at < c.end && read_bytes(&c, 1) == DW_OP_plus_uconst) {
		offset = read_uleb(&c);
		loaded.plus = offset;
		if (loaded.plus != offset)
			return unknown;
	}
	return c.at == c.end && !c.bad ? loaded : unknown;
}

static struct di_frame_location *tracked(struct maker *k, struct state *s, uint64_t number)
{
	if (number == k->cie->return_register)
		return &s->rule.ra;
	return arch_native(k->m->arch, number) == k->m->arch->frame_pointer ? &s->rule.fp : NULL;
}

static void set(struct maker *k, uint64_t number, struct di_frame_location p)
{
	struct di_frame_location *to = tracked(k, &k->now, number);

	if (to)
		*to = p;
}

static void set_saved(struct maker *k, uint64_t number, int64_t factored)
{
	set(k, number, location(DI_FRAME_AT_CFA, 0, factored * k->cie->data_align));
}

// Returns the rule for DW_CFA_same_value: the return address is still in its register.
static struct di_frame_location same(const struct maker *k, uint64_t number)
{
	struct di_frame_location p = { .kind = DI_FRAME_NONE };

	if (number == k->cie->return_register)
		p.kind = base_of(k->m, number, &p.base) && p.base >= DI_FRAME_REGS ? DI_FRAME_REGISTER : DI_FRAME_UNKNOWN;
	return p;
}

static struct di_frame_location in_register(const struct maker *k, uint64_t number)
{
	struct di_frame_location p = { .kind = DI_FRAME_UNKNOWN };

	if (base_of(k->m, number, &p.base))
		p.kind = DI_FRAME_REGISTER;
	return p;
}

static void restore(struct maker *k, uint64_t number)
{
	struct di_frame_location *from = tracked(k, &k->first, number);

	if (from)
		set(k, number, *from);
}

// ---------------------------------------------------------------- the table

static int number_of(struct di_frames *out, const struct di_frame_rule *r)
{
	for (int i = 0; i < out->rules.n; i++)
		if (!memcmp(&out->rules.at[i], r, sizeof(*r)))
			return i;
	vec_push(&out->rules, *r);
	return out->rules.n - 1;
}

static void add_row(struct di_frames *out, uint64_t address, const struct di_frame_rule *r)
{
	struct di_frame_row row = { .address = address, .rule = number_of(out, r) };

	if (out->rows.n < ROWS_MAX && out->rules.n < 65536)
		vec_push(&out->rows, row);
}

static void finish_row(struct maker *k)
{
	struct di_frame_rule r = k->now.rule;

	if (!k->now.cfa_computed) {
		uint8_t base;

		r.cfa = (struct di_frame_location){ .kind = DI_FRAME_UNKNOWN };
		if (base_of(k->m, k->now.cfa_register, &base))
			r.cfa = location(DI_FRAME_REGISTER, base, k->now.cfa_offset);
	}
	add_row(k->out, k->at, &r);
}

static void advance_to(struct maker *k, uint64_t address)
{
	if (address <= k->at || address > k->end)
		return;
	finish_row(k);
	k->at = address;
}

static void define_cfa(struct maker *k, uint64_t number, int64_t offset)
{
	k->now.cfa_register = number;
	k->now.cfa_offset = offset;
	k->now.cfa_computed = false;
}

static void remember(struct maker *k, bool back)
{
	if (!back && k->depth < DEPTH)
		k->stack[k->depth] = k->now;
	k->depth += back ? -1 : 1;
	if (k->depth < 0)
		k->depth = 0;
	else if (back && k->depth < DEPTH)
		k->now = k->stack[k->depth];
}

static void execute_register(struct maker *k, struct cursor *c, uint64_t op)
{
	uint64_t number = read_uleb(c);
	struct di_frame_location unknown = { .kind = DI_FRAME_UNKNOWN }, none = { .kind = DI_FRAME_NONE };

	switch (op) {
	case DW_CFA_offset_extended: set_saved(k, number, read_uleb(c)); break;
	case DW_CFA_offset_extended_sf: set_saved(k, number, read_sleb(c)); break;
	case DW_CFA_GNU_negative_offset_extended: set_saved(k, number, -(int64_t)read_uleb(c)); break;
	case DW_CFA_restore_extended: restore(k, number); break;
	case DW_CFA_undefined: set(k, number, none); break;
	case DW_CFA_same_value: set(k, number, same(k, number)); break;
	case DW_CFA_register: set(k, number, in_register(k, read_uleb(c))); break;
	case DW_CFA_val_offset: read_uleb(c); set(k, number, unknown); break;
	case DW_CFA_val_offset_sf: read_sleb(c); set(k, number, unknown); break;
	case DW_CFA_expression: set(k, number, of_expression(k->m, take(c, read_uleb(c)), true)); break;
	case DW_CFA_val_expression: take(c, read_uleb(c)); set(k, number, unknown); break;
	case DW_CFA_def_cfa: define_cfa(k, number, read_uleb(c)); break;
	case DW_CFA_def_cfa_sf: define_cfa(k, number, read_sleb(c) * k->cie->data_align); break;
	case DW_CFA_def_cfa_register: define_cfa(k, number, k->now.cfa_offset); break;
	default: c->bad = true;
	}
}

static void execute_one(struct maker *k, struct cursor *c)
{
	uint64_t op = read_bytes(c, 1), low = op & 0x3f, align = k->cie->code_align;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc: advance_to(k, k->at + low * align); return;
	case DW_CFA_offset: set_saved(k, low, read_uleb(c)); return;
	case DW_CFA_restore: restore(k, low); return;
	}
	switch (op) {
	case DW_CFA_nop: break;
	case DW_CFA_set_loc: advance_to(k, read_encoded(c, k->cie->encoding)); break;
	case DW_CFA_advance_loc1: advance_to(k, k->at + read_bytes(c, 1) * align); break;
	case DW_CFA_advance_loc2: advance_to(k, k->at + read_bytes(c, 2) * align); break;
	case DW_CFA_advance_loc4: advance_to(k, k->at + read_bytes(c, 4) * align); break;
	case DW_CFA_remember_state: remember(k, false); break;
	case DW_CFA_restore_state: remember(k, true); break;
	case DW_CFA_def_cfa_offset: k->now.cfa_offset = read_uleb(c); break;
	case DW_CFA_def_cfa_offset_sf: k->now.cfa_offset = read_sleb(c) * k->cie->data_align; break;
	case DW_CFA_def_cfa_expression:
		k->now.rule.cfa = of_expression(k->m, take(c, read_uleb(c)), false);
		k->now.cfa_computed = true;
		break;
	case DW_CFA_GNU_args_size: read_uleb(c); break;
	case DW_CFA_GNU_window_save: break;    // arm64: the return address is signed from this address on
	default: execute_register(k, c, op);
	}
}

static bool execute(struct maker *k, struct cursor c)
{
	while (c.at < c.end && !c.bad)
		execute_one(k, &c);
	return !c.bad;
}

static bool add_function(struct di_frames *out, const struct di_module *m, const struct cie *cie, uint64_t from,
			 uint64_t size, struct cursor program)
{
	struct di_frame_rule unknown = { .cfa.kind = DI_FRAME_UNKNOWN };
	struct maker k = { .m = m, .out = out, .cie = cie, .from = from, .at = from, .end = from + size };

	if (!size || from + size < from)
		return true;
	k.now.rule.ra = same(&k, cie->return_register);
	if (!execute(&k, cie->program) || k.at != from)
		return false;
	k.first = k.now;
	if (!execute(&k, program))
		return false;
	finish_row(&k);
	add_row(out, k.end, &unknown);
	return true;
}

// ---------------------------------------------------------------- entries

static bool read_augmentation(struct cursor *c, struct cie *cie, const char *text)
{
	struct cursor data;

	if (!*text)
		return true;
	if (*text != 'z')
		return false;
	data = take(c, read_uleb(c));
	cie->augmented = true;
	while (*++text && !data.bad)
		switch (*text) {
		case 'R': cie->encoding = read_bytes(&data, 1); break;
		case 'L': read_bytes(&data, 1); break;
		case 'P': { uint8_t encoding = read_bytes(&data, 1);
			    read_encoded(&data, encoding & 0x0f); break; }
		default: break;                // 'S' and 'B' have no data
		}
	return !data.bad;
}

static bool read_cie(const struct section *s, struct cursor c, struct cie *cie)
{
	uint64_t version = read_bytes(&c, 1);
	const char *text = (const char *)s->bytes.at + c.at;

	*cie = (struct cie){ .encoding = DW_EH_PE_absptr };
	while (read_bytes(&c, 1))
		;
	if (c.bad || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && (read_bytes(&c, 1) != 8 || read_bytes(&c, 1)))
		return false;
	cie->code_align = read_uleb(&c);
	cie->data_align = read_sleb(&c);
	cie->return_register = version == 1 ? read_bytes(&c, 1) : read_uleb(&c);
	if (!read_augmentation(&c, cie, text))
		return false;
	cie->program = c;
	return !c.bad;
}

// Reads an entry: its length, then CIE_id (0 or -1) or, in an FDE, the location of its CIE.
static struct cursor next_entry(struct cursor *c, bool *wide)
{
	uint64_t len = read_bytes(c, 4);

	*wide = len == 0xffffffff;
	if (*wide)
		len = read_bytes(c, 8);
	return take(c, len);
}

static bool read_cie_at(const struct section *s, uint64_t at, struct cie *cie)
{
	struct cursor all = { s, at, s->bytes.len, at >= s->bytes.len }, c;
	uint64_t id;
	bool wide;

	if (all.bad)
		return false;
	c = next_entry(&all, &wide);
	id = read_bytes(&c, wide && !s->eh ? 8 : 4);
	return id == (s->eh ? 0 : wide ? ~0ull : 0xffffffff) && read_cie(s, c, cie);
}

static bool read_fde(const struct di_module *m, const struct section *s, struct cursor c, bool wide,
		     struct di_frames *out)
{
	uint64_t start = c.at, id = read_bytes(&c, wide && !s->eh ? 8 : 4), from, size;
	struct cie cie;

	if (c.bad || id == (s->eh ? 0 : wide ? ~0ull : 0xffffffff))
		return !c.bad;
	if (!read_cie_at(s, s->eh ? start - id : id, &cie))
		return false;
	from = read_encoded(&c, cie.encoding);
	size = read_encoded(&c, cie.encoding & 0x0f);
	if (cie.augmented)
		take(&c, read_uleb(&c));
	return !c.bad && add_function(out, m, &cie, from, size, c);
}

static int by_address(const void *a, const void *b)
{
	const struct di_frame_row *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->rule - y->rule;
}

// Removes redundant rows: of several rows with the same address the last is valid; rows that change nothing and
// short gaps are removed.
static void tidy(struct di_frames *out)
{
	int n = 0;

	for (int i = 0; i < out->rows.n; i++) {
		const struct di_frame_row *row = &out->rows.at[i], *next = row + 1;

		if (!row->rule && i + 1 < out->rows.n && next->address - row->address < PADDING)
			continue;
		if (n && out->rows.at[n - 1].address == row->address)
			n--;
		if (!n || out->rows.at[n - 1].rule != row->rule)
			out->rows.at[n++] = *row;
	}
	out->rows.n = n;
}

static bool read_section(const struct di_module *m, const struct elf_view *v, const char *name, struct di_frames *out)
{
	const Elf64_Shdr *h = elf_view_header(v, name);
	struct section s = { .eh = !strcmp(name, ".eh_frame"), .address = h ? h->sh_addr : 0, .word = m->arch->word };
	struct cursor all = { .in = &s };

	if (!h || h->sh_flags & SHF_COMPRESSED || !elf_view_section(v, name, &s.bytes))
		return false;
	all.end = s.bytes.len;
	for (int i = 0; i < ENTRIES_MAX && all.at < all.end && !all.bad; i++) {
		bool wide;
		struct cursor entry = next_entry(&all, &wide);

		if (entry.at < entry.end)
			read_fde(m, &s, entry, wide, out);
	}
	return out->rows.n > 0;
}

bool di_program_frames(const struct di_module *m, struct di_frames *out)
{
	const struct di_frame_rule unknown = { .cfa.kind = DI_FRAME_UNKNOWN };
	struct elf_view v;

	*out = (struct di_frames){ 0 };
	number_of(out, &unknown);      // rule 0, so that it sorts before other rules of the same address
	if (!read_section(m, &m->view, ".eh_frame", out) &&
	    !read_section(m, &m->view, ".debug_frame", out) &&
	    !(m->dwarf && elf_view_open(&v, dwarf_file_map(m->dwarf)) && read_section(m, &v, ".debug_frame", out)))
		return false;
	qsort(out->rows.at, out->rows.n, sizeof(out->rows.at[0]), by_address);
	tidy(out);
	return true;
}
