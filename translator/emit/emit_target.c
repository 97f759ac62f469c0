// SPDX-License-Identifier: GPL-2.0-or-later
// Loads and stores of registers and memory. In: E_REGISTER, E_DEREF as values and as left sides. A load is written
// as a statement that sets a temporary; a register is read where its value is used.
#include "elab/module_data.h"
#include "emit/emitter.h"

// Casts to the type in the register or in memory: the low `size` bytes of an unsigned C expression.
static const char *extend(const char *text, int size, bool is_signed)
{
	if (size == 1 || size == 2 || size == 4)
		return str_printf("(s64)(%c%d)%s", is_signed ? 's' : 'u', size * 8, text);
	return str_printf("(s64)%s", text);
}

static struct value stored(const char *text, int size, bool is_signed)
{
	struct value v = value_text(TARGET, true, "%s", text);

	if (size == 1 || size == 2 || size == 4)
		return value_text(TARGET, false, "%s", extend(text, size, is_signed));
	v.wraps = true;
	return v;
}

// A register that the script names may be missing in a probe without registers.
static struct value named_register(struct emitter *e, struct expr *x, int offset)
{
	const char *t = temp_long(e);

	cw_line(e->w, "%s = %s;", t, extend(str_printf("stp_any_reg(c, %d)", offset), x->u.reg.size,
		x->u.reg.is_signed));
	emit_check(e, x->loc);
	return value_text(0, true, "%s", t);
}

static struct value vector_register(const struct expr *x, int n)
{
	const char *value = str_printf("stp_vector_register(%d)", n);

	if (n == DI_X87_TOP - DI_VECTOR)
		return value_text(TARGET, true, "stp_x87_top()");
	if (x->u.reg.is_float)
		return value_text(TARGET, false, "stp_widen_float(%s)", value);
	return stored(value, x->u.reg.size, x->u.reg.is_signed);
}

// Reading a counter that the machine doesn't have is an error.
struct value emit_perf(struct emitter *e, struct expr *x)
{
	const char *t = temp_long(e);

	cw_line(e->w, "%s = stp_perf_read(c, %s);", t, emit_c_string(x->u.text1.text));
	emit_check(e, x->loc);
	return value_text(0, true, "%s", t);
}

struct value emit_register(struct emitter *e, struct expr *x)
{
	const struct module_data *d = e->s->module_data;
	struct expr *number = x->u.reg.number_expr;
	int n = number && number->kind == E_NUMBER ? (int)number->u.number : x->u.reg.number;

	if (number && number->kind != E_NUMBER)
		diag_error(x->loc, "the number of a register must be a literal");
	else if (!number && n >= DI_ARGUMENT)
		return stored(str_printf("stp_argument(c, %d)", n - DI_ARGUMENT), x->u.reg.size,
			      x->u.reg.is_signed);
	else if (!number && n >= DI_VECTOR)
		return vector_register(x, n - DI_VECTOR);
	else if (n < 0 || n >= d->registers || d->register_offsets[n] < 0)
		diag_error(x->loc, "%s has no register %d in a probe's context", d->arch, n);
	else if (number && emit_needs_context(e, x->loc))
		return named_register(e, x, d->register_offsets[n]);
	else if (x->u.reg.is_float && emit_needs_context(e, x->loc))
		return value_text(TARGET, false, "stp_widen_float(stp_reg(c, %d))", d->register_offsets[n]);
	else if (emit_needs_context(e, x->loc))
		return stored(str_printf("stp_reg(c, %d)", d->register_offsets[n]), x->u.reg.size,
			      x->u.reg.is_signed);
	return value_number(0);
}

// Returns the size of a load or store; 0 after an error.
static int size_of(struct expr *x)
{
	struct expr *sized = x->u.deref.size_expr;
	int64_t size = sized && sized->kind == E_NUMBER ? sized->u.number : x->u.deref.size;

	if ((!sized || sized->kind == E_NUMBER) && (size == 1 || size == 2 || size == 4 || size == 8))
		return (int)size;
	diag_error(x->loc, "the size of a load must be a literal: 1, 2, 4 or 8");
	return 0;
}

// If a location cannot be evaluated, reading the variable is an error, or 0 with --skip-badvars.
static void check_location(struct emitter *e, struct loc loc, const char *t)
{
	if (e->s->opt.skip_badvars)
		cw_line(e->w, "if (STP_UNLIKELY(c->error) && stp_catch(c, NULL, 0)) %s = 0;", t);
	emit_check(e, loc);
}

// Returns a bit-field in loaded bytes, for the client: programs locate it themselves.
static const char *member_bits(const struct expr *x, const char *loaded)
{
	return str_printf("stp_bits(%s, %d, %d, %s)", loaded, x->u.deref.bit_offset, x->u.deref.bit_size,
			  x->u.deref.is_signed ? "true" : "false");
}

// Loads the bytes at an address into a temporary.
static struct value load(struct emitter *e, struct expr *x, const char *address, int size)
{
	bool is_signed = x->u.deref.is_signed && !x->u.deref.bit_size;
	const char *from = x->u.deref.is_return ? "return_" : x->u.deref.user ? "u" : "";
	const char *t = temp_long(e), *loaded = str_printf("stp_%sload%d(c, %s)", from, size, address);
	const struct kernel_member *member = x->u.deref.member;
	const char *plain = member && x->u.deref.bit_size ? member_bits(x, loaded) : extend(loaded, size, is_signed);

	if (!x->u.deref.user)
		emit_bpf_client_load(e, x->loc);
	if (x->u.deref.is_float)
		emit_bpf_use(e, BPF_REAL);
	if (member && e->programs)     // a function may be compiled for the client as well, which takes the last argument
		cw_line(e->w, "%s = STP_LOAD_MEMBER(c, %d, %s, %s, %s);", t, emit_bpf_member(e, member, x->loc), address,
			x->u.deref.is_signed ? "true" : "false", plain);
	else if (x->u.deref.is_float)
		cw_line(e->w, "%s = stp_widen_float(%s);", t, loaded);
	else
		cw_line(e->w, "%s = %s;", t, plain);
	if (x->u.deref.size_expr)
		emit_check(e, x->loc);
	else
		check_location(e, x->loc, t);
	return value_text(0, true, "%s", t);
}

// Writes a table of these lines, unless one of them exists. Returns its name.
static const char *table_of(struct emitter *e, const char *type, const char *prefix, struct cwriter *lines)
{
	const char *name = map_get(&e->formats, buf_text(&lines->text));

	if (name)
		return operand(e, OPERAND_TABLE, name);
	name = str_printf("%s%d", prefix, ++e->formats_made);
	map_put(&e->formats, buf_text(&lines->text), (void *)name);
	cw_line(&e->tables, "%s %s[] = {", type, name);
	cw_append(&e->tables, lines);
	cw_line(&e->tables, "};");
	return operand(e, OPERAND_TABLE, name);
}

// Pointers of the kernel that one function of the runtime follows, from the outermost load: x->a->b is offset(b),
// offset(a), x.
enum { MAX_FOLLOWED = 4, MAX_OFFSET = 0xfff0 };         // limits of stp_follow4() in runtime/include/memory.h
struct pointers { struct expr *loads[MAX_FOLLOWED]; int offsets[MAX_FOLLOWED], n; struct expr *from; };

static bool loads_pointer(const struct expr *x)
{
	return x->kind == E_DEREF && x->u.deref.size == 8 && !x->u.deref.size_expr && !x->u.deref.user &&
	       !x->u.deref.is_float && !x->u.deref.is_return;
}

static struct pointers pointers_of(struct expr *x)
{
	struct pointers p = { .from = x };

	while (p.n < MAX_FOLLOWED && loads_pointer(p.from)) {
		struct expr *address = p.from->u.deref.addr, *r = address->u.bin.r;
		bool added = address->kind == E_BINARY && address->u.bin.op == TOK_ADD && r->kind == E_NUMBER &&
			     r->u.number >= 0 && r->u.number <= MAX_OFFSET;

		p.loads[p.n] = p.from;
		p.offsets[p.n++] = added ? (int)r->u.number : 0;
		p.from = added ? address->u.bin.l : address;
	}
	return p;
}

// Returns the name of the table of the loads' locations, of which the first is that of the innermost load.
static const char *load_locations(struct emitter *e, const struct pointers *p)
{
	struct cwriter lines = { .depth = 1 };

	for (int i = p->n; i-- > 0; )
		cw_line(&lines, "%s,", emit_operator_text(p->loads[i]->loc));
	return table_of(e, "static const char *const", "at", &lines);
}

static struct value follow(struct emitter *e, const struct pointers *p)
{
	struct value from = emit_expr(e, p->from);
	const char *t = temp_long(e), *offsets = "";

	for (int i = p->n; i-- > 0; )
		offsets = str_printf("%s, %s", offsets, operand_number(e, p->offsets[i]));
	cw_line(e->w, "%s = (s64)stp_follow%d(c, %s%s);", t, p->n, value_wrap(from), offsets);
	if (emit_needs_context(e, p->loads[0]->loc))
		cw_line(e->w, "STP_CHECK(c, %s[%s], %s);", load_locations(e, p), t, emit_error_label(e));
	return value_text(0, true, "%s", t);
}

struct value emit_deref(struct emitter *e, struct expr *x)
{
	const struct options *o = &e->s->opt;
	struct pointers p = pointers_of(x);
	struct value addr;
	int size;

	if (p.n > 1 && !o->user_runtime && !o->bpf_runtime && !o->skip_badvars)
		return follow(e, &p);
	addr = emit_expr(e, x->u.deref.addr);
	size = size_of(x);
	return size ? load(e, x, addr.text, size) : value_number(0);
}

// Divides in a variable's location: if it divides by zero, the variable cannot be read, like memory that faults.
struct value emit_location_division(struct emitter *e, struct expr *x, struct value l, struct value r)
{
	bool is_unsigned = x->u.bin.of_location == LOCATION_UNSIGNED;
	const char *t = temp_long(e);

	emit_needs_context(e, x->loc);
	if (x->u.bin.of_location == LOCATION_ABSENT)
		cw_line(e->w, "%s = stp_location_absent(c);", t);
	else
		cw_line(e->w, "%s = stp_location_%s%s(c, %s, %s);", t, is_unsigned ? "u" : "",
		x->u.bin.op == TOK_DIV ? "div" : "mod", value_long(l), value_long(r));
	check_location(e, x->loc, t);
	return value_text(0, true, "%s", t);
}

// ---------------------------------------------------------------- addresses

int emit_static_number(struct emitter *e, const struct di_static *variable)
{
	for (int i = 0; i < e->statics.n; i++)
		if (e->statics.at[i] == variable)
			return i;
	vec_push(&e->statics, variable);
	return e->statics.n - 1;
}

static int mapped_number(const struct emitter *e, const struct di_module *m)
{
	const struct module_data *d = e->s->module_data;
	int i = 0;

	while (d->mapped.at[i].program != m)
		i++;
	return i;
}

struct value emit_static(struct emitter *e, struct expr *x)
{
	const struct di_static *variable = x->u.fixed.variable;
	const char *t = temp_long(e);

	if (!emit_needs_context(e, x->loc))
		return value_number(0);
	if (variable->thread)
		cw_line(e->w, "%s = (s64)(stp_thread_pointer(c) + 0x%llxULL);", t, (unsigned long long)variable->offset);
	else if (variable->user && x->u.fixed.external && !e->s->opt.user_runtime)
		cw_line(e->w, "%s = (s64)stp_mapped_static(c, &stp_mapped[%d], 0x%llxULL);", t, mapped_number(e, variable->home),
			(unsigned long long)variable->offset);
	else if (variable->user)
		cw_line(e->w, "%s = stp_user_static(c, 0x%llxULL);", t, (unsigned long long)variable->offset);
	else if (variable->is_absolute)
		cw_line(e->w, "%s = 0x%llx;", t, (unsigned long long)variable->offset);
	else
		cw_line(e->w, "%s = stp_static(c, &stp_statics[%d]);", t, emit_static_number(e, variable));
	if (!variable->is_absolute)
		emit_check(e, x->loc);
	if (variable->percpu)
		cw_line(e->w, "%s += stp_percpu_offset(c);", t);
	return value_text(0, true, "%s", t);
}

void emit_statics(struct emitter *e, struct cwriter *w)
{
	if (!e->statics.n)
		return;
	if (e->s->opt.bpf_runtime) {
		cw_line(w, "#ifdef STP_BPF");
		cw_line(w, "STP_STATICS(%d);", e->statics.n);
		cw_line(w, "#else");
	}
	cw_line(w, "static struct stp_site stp_statics[] = {");
	for vec_each(&e->statics, it) {
		const struct di_static *p = *it;

		cw_line(w, "{ .symbol = %s, .module = %s, .offset = 0x%llxULL, .base_offset = 0x%llxULL },",
			emit_c_string(p->symbol), p->module ? emit_c_string(p->module) : "NULL",
			(unsigned long long)p->offset, (unsigned long long)p->base_offset);
	}
	cw_line(w, "};");
	if (e->s->opt.bpf_runtime)
		cw_line(w, "#endif");
}

// ---------------------------------------------------------------- enumerators

// Returns the table of the type's names, which is written once for each type.
static const char *enumerators(struct emitter *e, const struct expr *x)
{
	struct cwriter lines = { .depth = 1 };

	for (int i = 0; i < x->u.cast.nenumerators; i++)
		cw_line(&lines, "{ %s, %lldLL },", emit_c_string(x->u.cast.enumerators[i].name),
			(long long)x->u.cast.enumerators[i].value);
	return table_of(e, "static const struct stp_enumerator", "enum", &lines);
}

struct value emit_enumname(struct emitter *e, struct expr *x)
{
	struct value v = emit_expr(e, x->u.cast.e);
	const char *to = temp_string(e), *table = enumerators(e, x);

	cw_line(e->w, "stp_enum_name(%s, STP_STRLEN, %s, %s, %d);", to, value_long(v), table, x->u.cast.nenumerators);
	return value_text(0, true, "%s", to);
}

// ---------------------------------------------------------------- stores

struct store {
	struct expr *l;
	struct value address;      // address of the E_DEREF, which is computed once
	struct value bytes;        // the bytes that contain a bit-field, before the store
};

static const char *part_address(const struct store *s, const struct bit_part *part)
{
	return str_printf("(u64)%s + %d", value_operand(s->address), part->offset);
}

static struct value read_part(struct emitter *e, struct store *s, const struct bit_part *part)
{
	return load(e, s->l, part_address(s, part), part->size);
}

static struct value read_parts(struct emitter *e, struct store *s)
{
	struct bit_part parts[MAX_BIT_PARTS];
	struct expr *l = s->l;
	int n = bit_parts(l->u.deref.bit_offset, l->u.deref.bit_size, parts);
	const char *all = NULL;

	for (int i = 0; i < n; i++) {
		struct value bytes = read_part(e, s, &parts[i]);
		const char *bits = str_printf("stp_shl(stp_bits(%s, %d, %d, false), %d)", bytes.text, parts[i].from,
					      parts[i].bits, parts[i].at);

		all = all ? str_printf("%s | %s", all, bits) : bits;
	}
	return value_text(0, true, "stp_bits(%s, 0, %d, %s)", all, l->u.deref.bit_size,
			  l->u.deref.is_signed ? "true" : "false");
}

static void write_parts(struct emitter *e, struct store *s, const char *text)
{
	struct bit_part parts[MAX_BIT_PARTS];
	struct expr *l = s->l;
	int n = bit_parts(l->u.deref.bit_offset, l->u.deref.bit_size, parts);

	for (int i = 0; i < n; i++) {
		struct value bytes = read_part(e, s, &parts[i]);

		cw_line(e->w, "stp_%sstore%d(c, %s, stp_with_bits(%s, %d, %d, stp_shr(%s, %d)));", l->u.deref.user ? "u" : "",
			parts[i].size, part_address(s, &parts[i]), bytes.text, parts[i].from, parts[i].bits, text,
			parts[i].at);
		emit_check(e, l->loc);
	}
}

static struct value read_target(struct emitter *e, struct store *s)
{
	struct expr *l = s->l;

	if (l->kind == E_DEREF && l->u.deref.by_parts)
		return read_parts(e, s);

	if (l->kind == E_REGISTER)
		return value_keep_always(e, emit_register(e, l));
	s->bytes = load(e, l, s->address.text, l->u.deref.size);
	if (!l->u.deref.bit_size)
		return s->bytes;
	return value_text(0, true, "stp_bits(%s, %d, %d, %s)", s->bytes.text, l->u.deref.bit_offset,
			  l->u.deref.bit_size, l->u.deref.is_signed ? "true" : "false");
}

static void write_target(struct emitter *e, struct store *s, struct value v)
{
	struct expr *l = s->l;
	const char *text = value_long(v);

	if (l->kind == E_REGISTER) {
		cw_line(e->w, "stp_set_reg(c, %d, %s);", e->s->module_data->register_offsets[l->u.reg.number],
			extend(v.atom ? text : str_printf("(%s)", text), l->u.reg.size, l->u.reg.is_signed));
		return;
	}
	if (l->u.deref.by_parts) {
		write_parts(e, s, text);
		return;
	}
	if (l->u.deref.bit_size) {
		if (!s->bytes.text)
			read_target(e, s);
		text = str_printf("stp_with_bits(%s, %d, %d, %s)", s->bytes.text, l->u.deref.bit_offset,
				  l->u.deref.bit_size, text);
	}
	cw_line(e->w, "stp_%sstore%d(c, %s, %s);", l->u.deref.user ? "u" : "", l->u.deref.size,
		s->address.text, text);
	emit_check(e, l->loc);
}

// Evaluates the address and the right side (may be NULL), in the script's order.
static struct value store_begin(struct emitter *e, struct store *s, struct expr *l, struct expr *r)
{
	struct expr *xs[2];
	struct value v[2];
	int n = 0;

	*s = (struct store){ .l = l };
	if (l->kind == E_DEREF)
		xs[n++] = l->u.deref.addr;
	if (r)
		xs[n++] = r;
	emit_values(e, xs, n, v);
	if (l->kind == E_DEREF)
		s->address = v[0].constant ? v[0] : value_keep_always(e, v[0]);
	return r ? v[n - 1] : value_number(1);
}

struct value emit_target_assign(struct emitter *e, struct expr *x, enum tok op)
{
	struct store s;
	struct value v = store_begin(e, &s, x->u.bin.l, x->u.bin.r);

	if (op != TOK_NONE)
		v = emit_binary(e, op, read_target(e, &s), v, T_LONG, x->loc);
	if (!v.constant)
		v = value_keep_always(e, v);
	write_target(e, &s, v);
	return v;
}

struct value emit_target_incdec(struct emitter *e, struct expr *x)
{
	enum tok op = x->u.un.op == TOK_INC ? TOK_ADD : TOK_SUB;
	struct store s;
	struct value one = store_begin(e, &s, x->u.un.e, NULL), old = read_target(e, &s), v;

	v = value_keep_always(e, emit_binary(e, op, old, one, T_LONG, x->loc));
	write_target(e, &s, v);
	return x->u.un.prefix ? v : old;
}
