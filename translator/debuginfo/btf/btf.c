// SPDX-License-Identifier: GPL-2.0-or-later
// Reads types and prototypes from BTF (Documentation/bpf/btf.rst) with libbpf. BTF has no variable locations, so
// parameters are located by the calling convention.
#include "debuginfo/btf/btf_source.h"
#include "debuginfo/elf/resources.h"

#include "util/str.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct btf_source {
	struct di_module *module;
	struct btf *btf;
	uint32_t first, n;         // ids of this BTF are first .. n - 1; lower ones are those of the base BTF
	struct map types;          // id in text -> struct di_type *
	uint32_t *functions;       // hash table by name; built by the second lookup
	uint32_t buckets;
	int lookups;
};

static const struct type_ops btf_type_ops;
static struct di_type *make_type(struct btf_source *b, uint32_t id);

static int be_quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

// libbpf 1.1 declares btf__new_split() but does not export it, so split BTF is read from a file.
static struct btf *new_split(struct bytes raw, struct btf *base)
{
	int fd = memfd_create("btf", MFD_CLOEXEC);
	struct btf *btf = NULL;

	if (fd < 0)
		return NULL;
	if (write(fd, raw.at, raw.len) == (ssize_t)raw.len)
		btf = btf__parse_raw_split(str_printf("/proc/self/fd/%d", fd), base);
	close(fd);
	return btf;
}

struct btf_source *btf_open(struct di_module *m, struct bytes raw)
{
	struct btf_source *b, *base;
	struct btf *btf;

	libbpf_set_print(be_quiet);
	if (raw.len > UINT32_MAX)
		return NULL;
	base = m->base_module ? module_btf(m->base_module) : NULL;
	if (m->base_module && !base)
		return NULL;
	btf = base ? new_split(raw, base->btf) : btf__new(raw.at, raw.len);
	if (libbpf_get_error(btf) || !btf)
		return NULL;
	resource_add(RESOURCE_BTF, btf, 0);
	b = NEW(struct btf_source);
	b->module = m;
	b->btf = btf;
	b->first = base ? base->n : 1;
	b->n = btf__type_cnt(btf);
	return b;
}

static const struct btf_type *get(const struct btf_source *b, uint32_t id)
{
	return id ? btf__type_by_id(b->btf, id) : NULL;
}

static const char *text(const struct btf_source *b, uint32_t offset)
{
	const char *s = btf__name_by_offset(b->btf, offset);

	return s ? s : "";
}

static bool is_qualifier(const struct btf_type *t)
{
	return btf_is_mod(t) || btf_kind(t) == BTF_KIND_TYPE_TAG || btf_kind(t) == BTF_KIND_DECL_TAG;
}

// Removes typedefs and qualifiers; 0 is void. Damaged files may have cycles.
static uint32_t peel(const struct btf_source *b, uint32_t id)
{
	for (int depth = 0; depth < 64; depth++) {
		const struct btf_type *t = get(b, id);

		if (!t)
			return 0;
		if (!is_qualifier(t) && !btf_is_typedef(t))
			return id;
		id = t->type;
	}
	return 0;
}

// ---------------------------------------------------------------- types

static char *tagged(const struct btf_source *b, const char *word, const struct btf_type *t)
{
	const char *name = text(b, t->name_off);

	return *name ? str_printf("%s %s", word, name) : str_printf("%s {...}", word);
}

static char *spell(const struct btf_source *b, uint32_t id, int depth)
{
	const struct btf_type *t = get(b, id);
	char *inner;

	if (!t || depth > 32)
		return "void";
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		inner = spell(b, t->type, depth + 1);
		return str_printf(str_ends(inner, "*") ? "%s*" : "%s *", inner);
	case BTF_KIND_ARRAY:
		inner = spell(b, btf_array(t)->type, depth + 1);
		return str_printf("%s[%u]", inner, btf_array(t)->nelems);
	case BTF_KIND_STRUCT:
		return tagged(b, "struct", t);
	case BTF_KIND_UNION:
		return tagged(b, "union", t);
	case BTF_KIND_FWD:
		return tagged(b, btf_kflag(t) ? "union" : "struct", t);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return tagged(b, "enum", t);
	case BTF_KIND_CONST:
		inner = spell(b, t->type, depth + 1);
		return str_ends(inner, "*") ? str_printf("%sconst", inner) : str_printf("const %s", inner);
	case BTF_KIND_VOLATILE:
		inner = spell(b, t->type, depth + 1);
		return str_ends(inner, "*") ? str_printf("%svolatile", inner) : str_printf("volatile %s", inner);
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return spell(b, t->type, depth + 1);
	case BTF_KIND_FUNC_PROTO:
		return str_printf("%s (...)", spell(b, t->type, depth + 1));
	}
	return str_dup(text(b, t->name_off));
}

// BTF's signed flag is derived from the values, so an enum with a mask like 0xffff0000 is marked as signed; before
// pahole 1.24 the flag is never set. Only small negative values are taken as negative.
static bool enum_is_signed(const struct btf_type *t)
{
	const struct btf_enum *e = btf_enum(t);

	if (btf_kind(t) == BTF_KIND_ENUM64)
		return btf_kflag(t);
	for (int i = 0; i < btf_vlen(t); i++)
		if (e[i].val < 0 && e[i].val > -0x10000)
			return true;
	return false;
}

static enum di_kind int_kind(const struct btf_source *b, const struct btf_type *t)
{
	const char *name = text(b, t->name_off);

	if (btf_int_encoding(t) & BTF_INT_BOOL)
		return DI_BOOL;
	return t->size == 1 && strstr(name, "char") ? DI_CHAR : DI_INT;
}

static void fill_type(struct btf_source *b, const struct btf_type *t, struct di_type *out)
{
	out->size = t->size;
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		out->kind = int_kind(b, t);
		out->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		out->kind = DI_ENUM;
		out->is_signed = enum_is_signed(t);
		break;
	case BTF_KIND_PTR:
		out->kind = DI_POINTER;
		out->size = 8;
		break;
	case BTF_KIND_ARRAY: {
		struct di_type *element = make_type(b, btf_array(t)->type);

		out->kind = DI_ARRAY;
		out->count = btf_array(t)->nelems;
		out->size = element ? element->size * out->count : 0;
		break;
	}
	case BTF_KIND_STRUCT:
		out->kind = DI_STRUCT;
		break;
	case BTF_KIND_UNION:
		out->kind = DI_UNION;
		break;
	case BTF_KIND_FWD:
		out->kind = btf_kflag(t) ? DI_UNION : DI_STRUCT;
		out->size = 0;
		out->is_declared = true;
		break;
	case BTF_KIND_FLOAT:
		out->kind = DI_FLOAT;
		break;
	case BTF_KIND_FUNC:
	case BTF_KIND_FUNC_PROTO:
		out->kind = DI_FUNCTION;
		out->size = 0;
		break;
	default:
		out->kind = DI_VOID;
		out->size = 0;
	}
}

// Returns NULL for void.
static struct di_type *make_type(struct btf_source *b, uint32_t id)
{
	const struct btf_type *t = get(b, peel(b, id));
	char *key = str_printf("%u", id);
	struct di_type *type = map_get(&b->types, key);
	struct type_priv *p;

	if (type || !t)
		return type;
	p = NEW(struct type_priv);
	p->ops = &btf_type_ops;
	p->btf_id = peel(b, id);
	type = NEW(struct di_type);
	type->module = b->module;
	type->name = spell(b, id, 0);
	type->priv = p;
	map_put(&b->types, key, type);
	fill_type(b, t, type);
	return type;
}

static uint32_t id_of(const struct di_type *t)
{
	return ((const struct type_priv *)t->priv)->btf_id;
}

static struct di_type *type_target(const struct di_type *t)
{
	struct btf_source *b = t->module->btf;
	const struct btf_type *bt = get(b, id_of(t));

	if (btf_is_ptr(bt) || btf_is_func_proto(bt))
		return make_type(b, bt->type);
	return btf_is_array(bt) ? make_type(b, btf_array(bt)->type) : NULL;
}

static bool each_member(const struct di_type *t, member_fn fn, void *data)
{
	const struct btf_source *b = t->module->btf;
	const struct btf_type *bt = get(b, id_of(t));

	if (!btf_is_composite(bt))
		return false;
	for (int i = 0; i < btf_vlen(bt); i++) {
		const struct btf_member *m = btf_members(bt) + i;
		struct member_ref ref = {
			.name = text(b, m->name_off),
			.bit = btf_member_bit_offset(bt, i),
			.bit_size = btf_member_bitfield_size(bt, i),
			.btf_id = m->type,
		};

		if (fn(data, &ref))
			return true;
	}
	return false;
}

static struct di_type *member_type(const struct di_type *t, const struct member_ref *m)
{
	return make_type(t->module->btf, m->btf_id);
}

static struct di_enumerator enumerator(const struct btf_source *b, const struct btf_type *t, int i)
{
	struct di_enumerator e;

	if (btf_is_enum64(t)) {
		e.name = text(b, btf_enum64(t)[i].name_off);
		e.value = (int64_t)btf_enum64_value(btf_enum64(t) + i);
		return e;
	}
	e.name = text(b, btf_enum(t)[i].name_off);
	e.value = enum_is_signed(t) ? btf_enum(t)[i].val : (int64_t)(uint32_t)btf_enum(t)[i].val;
	return e;
}

static void each_enumerator(const struct di_type *t, di_enumerators *out)
{
	const struct btf_source *b = t->module->btf;
	const struct btf_type *bt = get(b, id_of(t));
	int n = btf_is_any_enum(bt) ? btf_vlen(bt) : 0;

	for (int i = 0; i < n; i++)
		vec_push(out, enumerator(b, bt, i));
}

static const struct type_ops btf_type_ops = { type_target, each_member, member_type, each_enumerator };

// Types of a module's own BTF have precedence over those of the kernel with the same name.
static int find_named(const struct btf_source *b, const char *name, int kind)
{
	for (uint32_t id = b->first; b->first > 1 && id < b->n; id++)
		if (btf_kind(get(b, id)) == kind && !strcmp(text(b, get(b, id)->name_off), name))
			return id;
	return btf__find_by_name_kind(b->btf, name, kind);
}

struct di_type *btf_find_type(struct btf_source *b, enum di_kind kind, const char *name)
{
	static const struct { enum di_kind kind; int btf; } kinds[] = {
		{ DI_STRUCT, BTF_KIND_STRUCT }, { DI_UNION, BTF_KIND_UNION }, { DI_ENUM, BTF_KIND_ENUM },
		{ DI_ENUM, BTF_KIND_ENUM64 }, { DI_INT, BTF_KIND_TYPEDEF }, { DI_INT, BTF_KIND_INT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		int id = kinds[i].kind == kind ? find_named(b, name, kinds[i].btf) : -1;

		if (id > 0)
			return make_type(b, id);
	}
	return NULL;
}

// Calls fn for the names of all enumerators, or of all types.
void btf_each_name(struct btf_source *b, bool enumerators, void (*fn)(void *data, const char *name), void *data)
{
	for (uint32_t id = 1; id < b->n; id++) {
		const struct btf_type *t = get(b, id);
		int n = enumerators && btf_is_any_enum(t) ? btf_vlen(t) : 0;

		for (int i = 0; i < n; i++)
			fn(data, enumerator(b, t, i).name);
		if (!enumerators && (btf_is_composite(t) || btf_is_any_enum(t) || btf_is_typedef(t)))
			fn(data, text(b, t->name_off));
	}
}

static bool find_enumerator(struct btf_source *b, const char *name, uint32_t from, uint32_t to, int64_t *value)
{
	for (uint32_t id = from; id < to; id++) {
		const struct btf_type *t = get(b, id);
		int n = btf_is_any_enum(t) ? btf_vlen(t) : 0;

		for (int i = 0; i < n; i++) {
			struct di_enumerator e = enumerator(b, t, i);

			if (strcmp(e.name, name))
				continue;
			*value = e.value;
			return true;
		}
	}
	return false;
}

bool btf_find_enumerator_value(struct btf_source *b, const char *name, int64_t *value)
{
	return find_enumerator(b, name, b->first, b->n, value) || find_enumerator(b, name, 1, b->first, value);
}

// ---------------------------------------------------------------- functions

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (uint8_t)*s++) * 16777619u;
	return h;
}

static void index_functions(struct btf_source *b)
{
	b->buckets = 1024;
	while (b->buckets <= b->n - b->first)
		b->buckets *= 2;
	b->functions = mem_alloc_atomic(b->buckets * sizeof(uint32_t));
	for (uint32_t id = b->first; id < b->n; id++) {
		const struct btf_type *t = get(b, id);
		uint32_t h;

		if (!btf_is_func(t))
			continue;
		h = hash(text(b, t->name_off));
		while (b->functions[h & (b->buckets - 1)])
			h++;
		b->functions[h & (b->buckets - 1)] = id;
	}
}

uint32_t btf_find_function(struct btf_source *b, const char *name)
{
	uint32_t h = hash(name), id;
	int found;

	// A single lookup is cheaper without the index; the third one (a wildcard makes many) builds it.
	if (b->lookups++ < 2 && b->first == 1) {
		found = btf__find_by_name_kind(b->btf, name, BTF_KIND_FUNC);
		return found > 0 ? found : 0;
	}
	if (!b->functions)
		index_functions(b);
	while ((id = b->functions[h & (b->buckets - 1)])) {
		if (!strcmp(text(b, get(b, id)->name_off), name))
			return id;
		h++;
	}
	return 0;
}

void btf_each_function(struct btf_source *b, void (*fn)(void *data, const char *name, uint32_t id), void *data)
{
	for (uint32_t id = b->first; id < b->n; id++)
		if (btf_is_func(get(b, id)))
			fn(data, text(b, get(b, id)->name_off), id);
}

static const struct btf_type *prototype(const struct btf_source *b, uint32_t func)
{
	const struct btf_type *t = get(b, func);

	t = t && btf_is_func(t) ? get(b, t->type) : NULL;
	return t && btf_is_func_proto(t) ? t : NULL;
}

// State of argument passing: registers first, then 8-byte slots above the return address.
struct arguments {
	const struct arch *arch;
	int regs, slots;
};

static int free_registers(const struct arguments *a)
{
	int n = 0;

	while (a->regs + n < (int)ARRAY_SIZE(a->arch->args) && a->arch->args[a->regs + n] >= 0)
		n++;
	return n;
}

// Returns the location of the next argument; DI_LOC_NONE if it is not one integer or pointer.
static struct di_location next_argument(struct arguments *a, const struct di_type *t)
{
	struct di_location l = { .kind = DI_LOC_NONE };
	bool aggregate = t->kind == DI_STRUCT || t->kind == DI_UNION;
	int words = (t->size + 7) / 8;

	if (t->kind == DI_FLOAT || !words)
		return l;
	if (words > 2) {
		// The value is in the caller's frame (x86_64), or a pointer to a copy is passed (arm64).
		if (a->arch->elf_machine == EM_AARCH64)
			words = 1;
		else
			a->slots += words;
		if (words > 1)
			return l;
	}
	if (words <= free_registers(a)) {
		if (t->size <= 8)
			l = location_register(a->arch->args[a->regs]);
		else
			l = location_two_registers(a->arch->args[a->regs], a->arch->args[a->regs + 1]);
		a->regs += words;
		return l;
	}
	if (a->arch->elf_machine == EM_AARCH64)
		a->regs += free_registers(a);
	if (!aggregate && words == 1) {
		l = location_register(a->arch->stack_pointer);
		location_offset(&l, a->arch->entry_cfa + 8 * a->slots);
		l.kind = DI_LOC_ADDRESS;
	}
	a->slots += words;
	return l;
}

bool btf_parameter(struct btf_source *b, uint32_t func, const char *name, struct di_variable *out)
{
	const struct btf_type *proto = prototype(b, func);
	struct arguments a = { .arch = b->module->arch };

	for (int i = 0; proto && i < btf_vlen(proto); i++) {
		const struct btf_param *p = btf_params(proto) + i;
		struct di_type *t = make_type(b, p->type);
		struct di_location l;

		if (!t)            // "...", the last parameter
			break;
		l = next_argument(&a, t);
		if (strcmp(text(b, p->name_off), name))
			continue;
		*out = (struct di_variable){ .name = text(b, p->name_off), .type = t, .is_param = true, .loc = l };
		return true;
	}
	return false;
}

void btf_parameter_names(struct btf_source *b, uint32_t func, name_list *out)
{
	const struct btf_type *proto = prototype(b, func);

	for (int i = 0; proto && i < btf_vlen(proto); i++) {
		const char *name = text(b, btf_params(proto)[i].name_off);

		if (*name)
			vec_push(out, name);
	}
}

struct di_type *btf_return_type(struct btf_source *b, uint32_t func)
{
	const struct btf_type *proto = prototype(b, func);

	return proto ? make_type(b, proto->type) : NULL;
}

// ---------------------------------------------------------------- tracepoints

// A tracepoint NAME has a typedef btf_trace_NAME: pointer to a function that takes void *__data and
// the arguments.
#define TRACE_PREFIX "btf_trace_"

// Returns the prototype of such a typedef, or 0 if it is not a tracepoint.
static uint32_t traced_prototype(const struct btf_source *b, uint32_t id)
{
	const struct btf_type *t = get(b, peel(b, id));

	if (!t || !btf_is_ptr(t))
		return 0;
	id = peel(b, t->type);
	t = get(b, id);
	return t && btf_is_func_proto(t) && btf_vlen(t) ? id : 0;
}

void btf_each_tracepoint(struct btf_source *b, void (*fn)(void *data, const char *name, uint32_t id), void *data)
{
	for (uint32_t id = 1; id < b->n; id++) {
		const struct btf_type *t = get(b, id);
		const char *name = btf_is_typedef(t) ? text(b, t->name_off) : "";
		uint32_t proto = str_starts(name, TRACE_PREFIX) ? traced_prototype(b, id) : 0;

		if (proto)
			fn(data, name + strlen(TRACE_PREFIX), proto);
	}
}

uint32_t btf_find_tracepoint(struct btf_source *b, const char *name)
{
	int id = btf__find_by_name_kind(b->btf, str_printf(TRACE_PREFIX "%s", name), BTF_KIND_TYPEDEF);

	return id > 0 ? traced_prototype(b, id) : 0;
}

// The typedef's prototype has no parameter names. These functions have the same prototype with names; __traceiter_NAME
// exists since Linux 5.10, __bpf_trace_NAME only for events that are not of an event class.
static const struct btf_type *named_prototype(struct btf_source *b, const char *tracepoint, int params)
{
	static const char *const functions[] = { "__traceiter_%s", "__probestub_%s", "__bpf_trace_%s" };

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		const char *name = str_printf("%.*s%s", (int)strlen(functions[i]) - 2, functions[i], tracepoint);
		const struct btf_type *t = prototype(b, btf_find_function(b, name));

		if (t && btf_vlen(t) == params)
			return t;
	}
	return NULL;
}

void btf_tracepoint_arguments(struct btf_source *b, uint32_t id, struct di_tracepoint *out)
{
	const struct btf_type *t = get(b, id);
	const struct btf_type *named = named_prototype(b, out->name, btf_vlen(t));
	bool lost = false;

	for (int i = 1; i < btf_vlen(t); i++) {
		struct di_variable v = { .is_param = true, .type = make_type(b, btf_params(t)[i].type) };

		v.name = named ? text(b, btf_params(named)[i].name_off) : "";
		if (!*v.name)
			v.name = str_printf("arg%d", i);
		// If an argument does not take exactly one register, the locations of all later ones are unknown.
		lost |= !v.type || v.type->kind == DI_FLOAT || !v.type->size || v.type->size > 8;
		if (!lost)
			v.loc = location_register(DI_ARGUMENT + i - 1);
		vec_push(&out->args, v);
	}
}
