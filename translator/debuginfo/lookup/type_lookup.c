// SPDX-License-Identifier: GPL-2.0-or-later
// Operations on types of all sources: pointers that the translator makes, members (also in anonymous structs and
// unions), bit-fields, lookup by spelling.
#include "debuginfo/btf/btf_source.h"
#include "debuginfo/dwarf/dwarf_source.h"
#include "debuginfo/module.h"

#include "util/str.h"

#include <ctype.h>
#include <string.h>

static struct type_priv *priv(const struct di_type *t)
{
	return (struct type_priv *)t->priv;
}

struct di_type *di_pointer_to(struct di_type *t)
{
	struct di_type *pointer = priv(t)->pointer;
	struct type_priv *p;

	if (pointer)
		return pointer;
	p = NEW(struct type_priv);
	p->target = t;
	pointer = NEW(struct di_type);
	*pointer = (struct di_type){
		.module = t->module,
		.kind = DI_POINTER,
		.name = str_printf(str_ends(t->name, "*") ? "%s*" : "%s *", t->name),
		.size = t->module && t->module->arch ? t->module->arch->word : 8,
		.priv = p,
	};
	priv(t)->pointer = pointer;
	return pointer;
}

struct di_type *di_target(const struct di_type *t)
{
	if (priv(t)->target)
		return priv(t)->target;
	return priv(t)->ops->target(t);
}

static bool is_aggregate(const struct di_type *t)
{
	return t->kind == DI_STRUCT || t->kind == DI_UNION;
}

// Returns the definition if the type may be a declaration: a kernel module may only declare types of the kernel.
static const struct di_type *complete(const struct di_type *t)
{
	const struct di_type *full = NULL;

	if (!is_aggregate(t) || t->size)
		return t;
	for (struct di_module *m = t->module; m && !full; m = m->base_module)
		full = di_find_type(m, t->name);
	return full ? full : t;
}

bool di_is_incomplete(const struct di_type *t)
{
	return complete(t)->is_declared;
}

// The location of an aggregate in another one.
struct location {
	const struct di_virtual *from;         // see struct di_member
	uint64_t offset;
};

static struct location location_of(const struct location *in, const struct member_ref *ref)
{
	struct di_virtual *made;

	if (!ref->moving)
		return (struct location){ in->from, in->offset + ref->bit / 8 };
	made = NEW(struct di_virtual);
	*made = (struct di_virtual){ in->from, in->offset, ref->moving };
	return (struct location){ made, 0 };
}

static struct di_member as_member(const struct di_type *t, const struct member_ref *ref, const struct location *in)
{
	struct location location = location_of(in, ref);
	struct di_member m = {
		.name = str_dup(ref->name),
		.type = priv(t)->ops->member_type(t, ref),
		.from = location.from,
		.offset = location.offset,
		.bit_size = ref->bit_size,
		.is_base = ref->is_base,
		.variant = ref->variant,
	};
	uint64_t unit = m.type && m.type->size ? m.type->size : 1;

	if (ref->bit_size) {
		uint64_t at = ref->bit / 8 / unit * unit;

		// Packed bit-fields may cross the storage unit, or be in one that extends past the aggregate.
		m.by_parts = ref->bit - at * 8 + ref->bit_size > 8 * unit || at + unit > t->size;
		if (m.by_parts)
			at = ref->bit / 8;
		m.offset = location.offset - ref->bit / 8 + at;
		m.bit_offset = ref->bit - at * 8;
	}
	return m;
}

// A member that was found by its name, and the class that declares it: the searched class or one of its bases.
struct hit {
	struct di_member member;
	const struct di_type *in;              // NULL: not found
	const struct di_type *below;           // the base of the searched class that contains `in`; NULL: none
	const struct di_type *shared;          // the virtual base that contains `in`; NULL: none
	const char *path;                      // the bases on the path from the searched class or from `shared` to
					       // `in`
	struct location location;                    // location of the class `in`
	bool is_static;
	const struct hit *other;               // another member to which the name could refer, which makes it
					       // ambiguous
};

struct search {
	const struct di_type *in;
	const char *name;
	struct location location;
	struct hit *out;
	bool in_bases;
	int depth;
};

static bool search_type(struct search *s);

static bool search_own(struct search *s, const struct member_ref *ref)
{
	struct search inner = *s;

	if (*ref->name) {
		if (strcmp(ref->name, s->name))
			return false;
		*s->out = (struct hit){ .in = s->in, .path = "", .location = s->location, .is_static = ref->is_static };
		s->out->member = as_member(s->in, ref, &s->location);
		return true;
	}
	inner.in = priv(s->in)->ops->member_type(s->in, ref);
	inner.location = location_of(&s->location, ref);
	if (!inner.in || !is_aggregate(inner.in) || !search_type(&inner))
		return false;
	s->out->in = s->in;
	s->out->location = s->location;
	return true;
}

static bool has_virtual_base(const struct di_type *t, const struct di_type *base, int depth);

struct base_search { const struct di_type *in, *base; int depth; };

static bool visit_base(void *data, const struct member_ref *ref)
{
	const struct base_search *b = data;
	const struct di_type *t = ref->is_base ? priv(b->in)->ops->member_type(b->in, ref) : NULL;

	return t && ((ref->moving && priv(t)->identity == priv(b->base)->identity) ||
		     has_virtual_base(t, b->base, b->depth + 1));
}

static bool has_virtual_base(const struct di_type *t, const struct di_type *base, int depth)
{
	struct base_search b = { t, base, depth };

	return depth < 16 && priv(t)->ops && priv(t)->ops->each_member(t, visit_base, &b);
}

static bool same_subobject(const struct hit *a, const struct hit *b)
{
	return !a->shared == !b->shared && (!a->shared || priv(a->shared)->identity == priv(b->shared)->identity) &&
	       !strcmp(a->path, b->path);
}

// The members of a class hide those of its bases, also of a virtual base that another base class shares.
static void add_hit(struct hit *out, const struct hit *found)
{
	if (out->in && (same_subobject(out, found) || (found->shared && has_virtual_base(out->in, found->shared, 0))))
		return;
	if (!out->in || (out->shared && has_virtual_base(found->in, out->shared, 0))) {
		*out = *found;
	} else if (!out->other) {
		struct hit *other = NEW(struct hit);

		*other = *found;
		out->other = other;
	}
}

static void search_base(struct search *s, const struct member_ref *ref)
{
	struct hit found = { 0 };
	struct search inner = *s;

	inner.in = priv(s->in)->ops->member_type(s->in, ref);
	inner.location = location_of(&s->location, ref);
	inner.out = &found;
	if (!inner.in || !is_aggregate(inner.in) || !search_type(&inner))
		return;
	found.below = inner.in;
	if (ref->moving && !found.shared)
		found.shared = inner.in;
	else if (!found.shared)
		found.path = str_printf("%llx %s", (unsigned long long)ref->bit, found.path);
	add_hit(s->out, &found);
}

static bool search_member(void *data, const struct member_ref *ref)
{
	struct search *s = data;

	if (ref->is_base != s->in_bases)
		return false;
	if (!ref->is_base)
		return search_own(s, ref);
	search_base(s, ref);
	return false;
}

static bool search_type(struct search *s)
{
	s->in = complete(s->in);
	if (s->depth++ >= 16 || !priv(s->in)->ops)
		return false;
	for (int i = 0; i < 2 && !s->out->in; i++) {
		s->in_bases = i;
		priv(s->in)->ops->each_member(s->in, search_member, s);
	}
	return s->out->in;
}

// Returns "B of D" for a base B that the base D contains.
static const char *base_text(const struct hit *h)
{
	const char *name = h->in->name;

	return !h->below || h->below == h->in ? name : str_printf("%s of %s", name, h->below->name);
}

// Returns "@cast(ADDRESS + 8, "B")->name".
static const char *cast_text(const struct hit *h, const char *name)
{
	return str_printf("@cast(ADDRESS%s, \"%s\")->%s",
			  h->location.offset ? str_printf(" + %llu", (unsigned long long)h->location.offset) : "", h->in->name, name);
}

static const char *why_not(const struct hit *h, const char *name)
{
	const struct hit *other = h->other;

	if (other)
		return str_printf("is ambiguous: both %s and %s have it%s", base_text(h), base_text(other),
				  h->location.from || other->location.from || h->is_static || other->is_static ? "" :
				  str_printf("; read %s or %s, where ADDRESS is the address of the "
					     "object", cast_text(h, name),
					     cast_text(other, name)));
	return h->is_static ? str_printf("is a static member of %s: read @var(\"%s\")", h->in->name, name) : NULL;
}

bool di_find_member(const struct di_type *t, const char *name, struct di_member *out)
{
	struct hit found = { 0 };
	struct search s = { .in = t, .name = name, .out = &found };

	*out = (struct di_member){ 0 };
	if (!is_aggregate(t) || !search_type(&s))
		return false;
	*out = found.member;
	out->why = why_not(&found, name);
	if (!out->why && !out->type)
		out->why = DI_NO_TYPE;
	return out->type && !out->why;
}

struct collect {
	const struct di_type *in;
	di_members *out;
};

static bool collect_member(void *data, const struct member_ref *ref)
{
	struct collect *c = data;
	struct location start = { 0 };
	struct di_member m;

	if (ref->is_static)
		return false;
	m = as_member(c->in, ref, &start);
	if (m.type)
		vec_push(c->out, m);
	return false;
}

void di_each_member(const struct di_type *t, di_members *out)
{
	struct collect c = { complete(t), out };

	if (is_aggregate(t) && priv(c.in)->ops)
		priv(c.in)->ops->each_member(c.in, collect_member, &c);
}

// The depth is limited: damaged debuginfo may have a struct that contains itself.
static void add_names(const struct di_type *t, name_list *out, int depth)
{
	di_members members = { 0 };

	di_each_member(t, &members);
	for vec_each(&members, m) {
		if (*m->name)
			vec_push(out, m->name);
		else if (is_aggregate(m->type) && depth < 16)
			add_names(m->type, out, depth + 1);
	}
}

void di_member_names(const struct di_type *t, name_list *out)
{
	add_names(t, out, 0);
}

// ---------------------------------------------------------------- by name

static struct di_type *find_kind(struct di_module *m, enum di_kind kind, const char *name)
{
	struct di_type *t = module_btf(m) ? btf_find_type(module_btf(m), kind, name) : NULL;

	return t || !m->dwarf ? t : dwarf_find_type(m, kind, name);
}

static struct di_type *find_spelling(struct di_module *m, const char *name)
{
	static const struct { const char *word; enum di_kind kind; } tags[] = {
		{ "struct ", DI_STRUCT }, { "class ", DI_STRUCT }, { "union ", DI_UNION }, { "enum ", DI_ENUM },
	};
	static const enum di_kind order[] = { DI_STRUCT, DI_UNION, DI_INT, DI_ENUM };
	struct di_type *t = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (str_starts(name, tags[i].word)) {
			name += strlen(tags[i].word);
			return find_kind(m, tags[i].kind, name + strspn(name, " "));
		}
	// A struct in BTF is preferred to a type of another kind that only a scan of DWARF would find.
	if (module_btf(m))
		for (size_t i = 0; i < ARRAY_SIZE(order) && !t; i++)
			t = btf_find_type(module_btf(m), order[i], name);
	if (!t && m->dwarf)
		for (size_t i = 0; i < ARRAY_SIZE(order) && !t; i++)
			t = dwarf_find_type(m, order[i], name);
	return t;
}

// Returns the spelling that gcc or clang uses for a type of C keywords in any order ("unsigned long", "long int");
// NULL if the text contains another word.
static const char *base_type(const char *name, bool gcc)
{
	static const char *const words[] = { "unsigned", "signed", "short", "long", "int", "char" };
	int n[ARRAY_SIZE(words)] = { 0 };
	size_t len, i;

	for (; *name; name += len + strspn(name + len, " ")) {
		len = strcspn(name, " ");
		for (i = 0; i < ARRAY_SIZE(words) && (strlen(words[i]) != len || memcmp(words[i], name, len)); i++)
			;
		if (i == ARRAY_SIZE(words) || ++n[i] > 2)
			return NULL;
	}
	if (n[5])
		return n[0] ? "unsigned char" : n[1] ? "signed char" : "char";
	if (!n[2] && !n[3])
		return n[0] ? "unsigned int" : "int";
	if (gcc)
		return str_printf("%s %sint", n[2] ? "short" : n[3] == 2 ? "long long" : "long", n[0] ? "unsigned " : "");
	return str_printf("%s%s", n[0] ? "unsigned " : "", n[2] ? "short" : n[3] == 2 ? "long long" : "long");
}

static struct di_type *find_base(struct di_module *m, const char *name)
{
	struct di_type *t = NULL;

	for (int gcc = 1; gcc >= 0 && !t; gcc--) {
		const char *base = base_type(name, gcc);

		t = base ? find_kind(m, DI_INT, base) : NULL;
	}
	return t;
}

struct di_type *di_find_type(struct di_module *m, const char *name)
{
	size_t len = strlen(name);
	struct di_type *t;
	int pointers = 0;

	while (len && (name[len - 1] == '*' || isspace((unsigned char)name[len - 1])))
		pointers += name[--len] == '*';
	name += strspn(name, " ");
	if (str_starts(name, "const ")) {
		len -= 6;
		name += 6;
	}
	name = str_ndup(name, len);
	// C keywords are not names of structs, so no unit is searched for them.
	t = len ? find_base(m, name) : NULL;
	if (len && !t)
		t = find_spelling(m, name);
	while (t && pointers--)
		t = di_pointer_to(t);
	return t;
}

bool di_find_enumerator(struct di_module *m, const char *name, int64_t *value)
{
	if (module_btf(m))
		return btf_find_enumerator_value(module_btf(m), name, value);
	return m->dwarf && dwarf_find_enumerator(m, name, value);
}

void di_each_enumerator(const struct di_type *t, di_enumerators *out)
{
	if (t->kind == DI_ENUM && priv(t)->ops)
		priv(t)->ops->each_enumerator(t, out);
}

bool di_same_type(const struct di_type *a, const struct di_type *b)
{
	name_list members = { 0 }, others = { 0 };

	while (a && b && a->kind == DI_POINTER && b->kind == DI_POINTER) {
		a = di_target(a);
		b = di_target(b);
	}
	if (!a || !b || a == b)
		return a == b;
	if (!strcmp(a->name, b->name))
		return true;
	a = complete(a);
	b = complete(b);
	if (a->module != b->module || a->kind != b->kind || a->size != b->size || a->is_signed != b->is_signed)
		return false;
	if (!is_aggregate(a))
		return a->kind == DI_INT;
	di_member_names(a, &members);
	di_member_names(b, &others);
	for (int i = 0; i < members.n && members.n == others.n; i++)
		if (strcmp(members.at[i], others.at[i]))
			return false;
	return members.n && members.n == others.n;
}
