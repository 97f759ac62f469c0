// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that embedded C calls as STAP_GLOBAL_GET_G() and STAP_GLOBAL_SET_G(): x___get_G(c, keys) and x___set_G(c,
// keys, value) of the generated C, which the units of embedded C declare.
#include "emit/emitter.h"

static const char *c_type(enum type t)
{
	return t == T_STRING ? "const char *" : "s64 ";
}

static const char *head(const struct func *f, const char *name)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s%s(struct stp_ctx *c", f->writes_accessed ? "void " : c_type(f->type), name);
	for vec_each(&f->params, v)
		buf_printf(&b, ", %s%s", c_type((*v)->type), (*v)->name);
	buf_putc(&b, ')');
	return buf_text(&b);
}

// Returns the cell of a string without copying it, since the handler holds the lock.
static void write_string_body(struct emitter *e, struct cwriter *w, const struct func *f)
{
	const char *g = emit_global(e, f->accessed)->name;
	struct buf keys = { 0 };

	if (f->accessed->arity <= 0) {
		cw_line(w, "return %s;", g);
		return;
	}
	for vec_each(&f->params, v)
		buf_printf(&keys, "%s{ .%c = %s }", keys.len ? ", " : "", (*v)->type == T_STRING ? 's' : 'n', (*v)->name);
	cw_line(w, "const union stp_val keys[] = { %s };", buf_text(&keys));
	cw_blank(w);
	cw_line(w, "return stp_cell_string(stp_map_get(&%s, keys));", g);
}

static bool by_cell(const struct func *f)
{
	return !f->writes_accessed && f->type == T_STRING;
}

// The function is written when it is first used.
static const char *outside_name(struct emitter *e, struct func *f)
{
	const char *key = str_printf("accessor %s", f->name), *name = map_get(&e->consts, key);
	struct cwriter *w = &e->handlers;
	struct c_function *c;
	struct buf args = { 0 };

	if (name)
		return name;
	name = emit_unique(e, "x_", f->name);
	map_put(&e->consts, key, (void *)name);
	c = emit_c_function(e, name, str_printf("global \"%s\" in embedded C", f->name), (struct loc){ 0 });
	if (!by_cell(f))
		vec_push(&c->calls, emit_func(e, f)->name);
	cw_line(&e->prototypes, "%s;", head(f, name));
	cw_line(w, "%s", head(f, name));
	cw_line(w, "{");
	if (by_cell(f)) {
		write_string_body(e, w, f);
	} else {
		for vec_each(&f->params, v)
			buf_printf(&args, ", %s", (*v)->name);
		cw_line(w, "%s%s(c%s);", f->writes_accessed ? "" : "return ", emit_func(e, f)->name, buf_text(&args));
	}
	cw_line(w, "}");
	cw_blank(w);
	return name;
}

void emit_accessor_callees(struct emitter *e, struct func_info *i)
{
	for vec_each(&i->func->accessors, f)
		if (!by_cell(*f))
			emit_add_callee(i, emit_func(e, *f));
}

void emit_accessors(struct emitter *e, const struct func *f, struct buf *b, const char *context)
{
	for vec_each(&f->accessors, it) {
		const char *name = outside_name(e, *it);

		buf_printf(b, "%s;\n#define STAP_GLOBAL_%s_%s(...) %s(%s __VA_OPT__(,) __VA_ARGS__)\n", head(*it, name),
			   (*it)->writes_accessed ? "SET" : "GET", (*it)->accessed->name, name, context);
	}
}

void emit_accessors_end(const struct func *f, struct buf *b)
{
	for vec_each(&f->accessors, it)
		buf_printf(b, "#undef STAP_GLOBAL_%s_%s\n", (*it)->writes_accessed ? "SET" : "GET", (*it)->accessed->name);
}
