// SPDX-License-Identifier: GPL-2.0-or-later
// Embedded C: functions, expressions, @const(), and whole blocks of a file.
//
// C that is marked pragma:runtime needs generated.h only and is part of the generated C. All other C may
// include other headers, so it has its own compilation unit for each source file (session.units): the
// file's blocks in their order, then its functions, which the generated C calls by an external
// name, their own with the prefix "x_".
//
// In a unit: STAP_ARG_x is a number or a buffer of STP_STRLEN bytes, a copy that may be written to
// (a string that must not be, in a function marked unmodified-fnargs); the macros that are the same
// in every function are in runtime/include/embedded.h.
#include "emit/emitter.h"

#include <string.h>

#define VIEW "struct stp_embedded_context stp_view = stp_embedded_context(stp_c), *CONTEXT = &stp_view, " \
	     "*c __attribute__((unused)) = CONTEXT;\n"

// Returns whether the C uses CONTEXT, or c->kregs as in scripts for older versions.
static bool uses_context(const struct embedded *code)
{
	const struct c_word *c = embedded_word(code, "c");

	return embedded_word(code, "CONTEXT") || (c && c->is_pointer);
}

// STAP_RETURN_POINTER(p) returns a string without a copy; it must be valid until the handler ends and shorter than
// STP_STRLEN.
bool emit_returns_pointer(const struct func *f)
{
	return f->type == T_STRING && func_has(f, PRAGMA_RUNTIME) &&
	       embedded_word(f->embedded, "STAP_RETURN_POINTER");
}

static bool in_header_unit(const struct func *f)
{
	return f->embedded && !func_has(f, PRAGMA_RUNTIME);
}

// ---------------------------------------------------------------- units

// "5, 6"
static const char *compatible_version(struct emitter *e)
{
	const char *version = e->s->opt.compatible ? e->s->opt.compatible : LANGUAGE_VERSION;
	int64_t major = 0, minor = 0;

	number_at(&version, 10, 0, INT32_MAX, &major);
	version += *version == '.';
	number_at(&version, 10, 0, INT32_MAX, &minor);
	return str_printf("%lld, %lld", (long long)major, (long long)minor);
}

// Gives the next line of the compiler the line number and column of loc: it begins with white space as wide as the
// text before it, including "%{".
static void add_line_directive(struct c_unit *u, struct loc loc)
{
	const char *line = diag_line(loc.source, loc.line);

	buf_printf(&u->text, "#line %d %s\n", loc.line, emit_c_string(loc.source->name));
	for (int i = 0; i < loc.column + 1 && line[i] && line[i] != '\n'; i++)
		buf_putc(&u->text, line[i] == '\t' ? '\t' : ' ');
}

// Adds blocks of a file: those before its functions, or those that are marked to follow them.
static void add_blocks(struct emitter *e, struct c_unit *u, bool last)
{
	for vec_each(&e->s->script.embedded, x)
		if ((*x)->loc.source == u->source && !!((*x)->u.embedded->pragmas & PRAGMA_SUFFIX) == last) {
			buf_putc(&u->text, '\n');
			add_line_directive(u, (*x)->loc);
			buf_printf(&u->text, "%s\n", (*x)->u.embedded->code);
		}
}

// Returns the unit of loc's file, which begins with the file's own blocks.
static struct c_unit *unit_at(struct emitter *e, struct loc loc)
{
	struct c_unit *u;

	for vec_each(&e->s->units, known)
		if ((*known)->source == loc.source)
			return *known;
	u = NEW(struct c_unit);
	u->source = loc.source;
	u->loc = loc;
	vec_push(&e->s->units, u);
	for vec_each(&e->s->opt.defines, d)        // a name of -D is a macro of the C, unless the C defines it
		if (strcmp(d->name, "MAXSTRINGLEN") && strcmp(d->name, "MAXBACKTRACE") && strcmp(d->name, "MAXMAPENTRIES"))
			buf_printf(&u->text, "#define %s %s\n", d->name, d->value);
	buf_printf(&u->text, "#define MAXBACKTRACE %lld\n#define MAXMAPENTRIES %lld\n#define STP_STRLEN %lld\n"
		   "#define STP_COMPATIBLE %s\n#define STP_SKIP_BADVARS %d\n#include \"embedded.h\"\n",
		   (long long)session_limit(e->s, LIMIT_MAXBACKTRACE), (long long)session_limit(e->s, LIMIT_MAXMAPENTRIES),
		   (long long)emit_string_len(e), compatible_version(e), e->s->opt.skip_badvars);
	add_blocks(e, u, false);
	return u;
}

// Adds the text in braces, with the line numbers of the script; the text after it has none.
static void add_text(struct c_unit *u, const char *text, struct loc loc)
{
	buf_puts(&u->text, "{\n");
	add_line_directive(u, loc);
	buf_printf(&u->text, "%s\n}\n#line %d %s\n", text, loc.line, emit_c_string(loc.source->name));
}

static bool supported(const struct embedded *c, struct loc loc)
{
	if (!embedded_has_prefix(c, "STAP_GLOBAL_") || c->reads.n || c->writes.n)
		return true;
	diag_error(loc, "STAP_GLOBAL_GET_x requires /* pragma:read:x */ in the function's embedded C, STAP_GLOBAL_SET_x "
		   "requires /* pragma:write:x */");
	return false;
}

static bool fits_target(struct emitter *e, const struct embedded *c, struct loc loc)
{
	if (e->s->opt.user_runtime || !(c->pragmas & PRAGMA_USERSPACE))
		return supported(c, loc);
	diag_error(loc, "this embedded C is marked /* userspace */: it requires --runtime=user");
	return false;
}

// ---------------------------------------------------------------- functions

static const char *return_type(const struct func *f)
{
	return f->type == T_LONG ? "s64" : "void";
}

// Returns the declaration of the unit's function, for the unit and for the generated C.
static const char *unit_head(const struct func *f, const char *name)
{
	struct buf b = { 0 };
	bool copied = !func_has(f, PRAGMA_UNMODIFIED_ARGS);

	buf_printf(&b, "%s %s(struct stp_ctx *stp_c", return_type(f), name);
	if (f->type == T_STRING)
		buf_puts(&b, ", char *stp_ret");
	for vec_each(&f->params, v)
		buf_printf(&b, ", %sstp_arg_%s",
			   (*v)->type != T_STRING ? "s64 " : copied ? "char *" : "const char *", (*v)->name);
	buf_putc(&b, ')');
	return buf_text(&b);
}

// Returns whether the C uses THIS->l_x, the older form of STAP_ARG_x, or THIS->x in functions marked unmangled.
static bool says_this(const struct func *f)
{
	return func_has(f, PRAGMA_UNMANGLED) || embedded_word(f->embedded, "THIS");
}

// Defines STAP_ARG_x, STAP_RETVALUE, STAP_RETURN of one function.
static void define_macros(struct buf *b, const struct func *f)
{
	for vec_each(&f->params, v)
		if ((*v)->type == T_STRING && !func_has(f, PRAGMA_UNMODIFIED_ARGS))
			buf_printf(b, "#define STAP_ARG_%s (*(char (*)[STP_STRLEN])stp_arg_%s)\n", (*v)->name, (*v)->name);
		else
			buf_printf(b, "#define STAP_ARG_%s stp_arg_%s\n", (*v)->name, (*v)->name);
	if (f->type == T_STRING)
		buf_puts(b, "#define STAP_RETVALUE (*(char (*)[STP_STRLEN])stp_ret)\n"
			 "#define STAP_RETURN(...) do { __VA_OPT__(stp_copy(stp_ret, __VA_ARGS__, STP_STRLEN);) "
			 "goto stp_out; } while (0)\n");
	else if (f->type == T_LONG)
		buf_printf(b, "#define STAP_RETVALUE %s\n"
			   "#define STAP_RETURN(...) do { __VA_OPT__(STAP_RETVALUE = stp_long(__VA_ARGS__);) "
			   "goto stp_out; } while (0)\n",
			   says_this(f) ? "THIS->__retvalue" : "stp_ret");
	else
		buf_puts(b, "#define STAP_RETURN() goto stp_out\n");
}

static void undefine_macros(struct buf *b, const struct func *f)
{
	for vec_each(&f->params, v)
		buf_printf(b, "#undef STAP_ARG_%s\n", (*v)->name);
	buf_puts(b, "#undef STAP_RETURN\n");
	if (f->type == T_STRING || f->type == T_LONG)
		buf_puts(b, "#undef STAP_RETVALUE\n");
}

// Declares struct { s64 l_a; char *l_b; s64 __retvalue; } *THIS, the older way to access arguments, which is still
// supported; in functions marked unmangled it also has the fields a and b.
static void declare_this(struct buf *b, const struct func *f)
{
	buf_puts(b, "struct {");
	for vec_each(&f->params, v) {
		const char *type = (*v)->type == T_STRING ? "char *" : "s64 ";

		if (func_has(f, PRAGMA_UNMANGLED))
			buf_printf(b, " union { %sl_%s; %s%s; };", type, (*v)->name, type, (*v)->name);
		else
			buf_printf(b, " %sl_%s;", type, (*v)->name);
	}
	if (f->type == T_STRING || f->type == T_LONG)
		buf_printf(b, " %s__retvalue;", f->type == T_STRING ? "char *" : "s64 ");
	buf_puts(b, " } stp_this = {");
	for vec_each(&f->params, v)
		buf_printf(b, " .l_%s = %sstp_arg_%s,", (*v)->name, (*v)->type == T_STRING ? "(char *)" : "", (*v)->name);
	if (f->type == T_STRING)
		buf_puts(b, " .__retvalue = stp_ret,");
	buf_puts(b, " }, *THIS __attribute__((unused)) = &stp_this;\n");
}

// Returns whether it uses macros of embedded.h that jump to stp_fault.
static bool reads_memory(const struct embedded *c)
{
	static const char *const prefixes[] = { "kread", "uread", "deref", "kderef", "uderef", "store_", "kwrite", "uwrite" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (embedded_has_prefix(c, prefixes[i]))
			return true;
	return false;
}

static void define_function(struct buf *b, const struct func *f, const char *head, struct c_unit *u)
{
	bool context = uses_context(f->embedded), this = says_this(f);
	bool returns = embedded_word(f->embedded, "return") != NULL;

	buf_printf(b, "\n%s;\n", head);
	define_macros(b, f);
	buf_printf(b, "%s\n{\n", head);
	if (f->type == T_LONG && !this)
		buf_puts(b, "s64 stp_ret = 0;\n");
	if (this)
		declare_this(b, f);
	if (context)
		buf_puts(b, VIEW);
	if (f->type == T_STRING)
		buf_puts(b, "stp_ret[0] = '\\0';\n");
	if (returns)        // a macro may contain a "return" without value: STAP_RETVALUE is the result
		buf_puts(b, "#define return goto stp_out\n");
	add_text(u, f->embedded->code, f->embedded_loc.source ? f->embedded_loc : f->loc);
	if (returns)
		buf_puts(b, "#undef return\n");
	if (reads_memory(f->embedded) && !embedded_word(f->embedded, "CATCH_DEREF_FAULT"))
		buf_puts(b, "stp_fault: __attribute__((unused));\n");
	buf_puts(b, "stp_out: __attribute__((unused));\n");
	if (context)
		buf_puts(b, "if (CONTEXT->last_error)\n\tstp_error(stp_c, \"%s\", CONTEXT->last_error);\n");
	if (f->type == T_LONG)
		buf_printf(b, "return %s;\n", this ? "THIS->__retvalue" : "stp_ret");
	buf_puts(b, "}\n");
	undefine_macros(b, f);
}

// Writes the function of the generated C that calls the unit's function. `head` names its parameters STAP_ARG_x. It
// copies the strings that the C may change.
static void write_caller(struct emitter *e, struct func_info *i, const char *head, const char *name)
{
	struct func *f = i->func;
	const char *result = f->type == T_LONG ? "result = " : "";
	struct buf args = { 0 }, fields = { 0 };
	int copies = 0;

	cw_line(e->w, "%s", head);
	cw_line(e->w, "{");
	for vec_each(&f->params, v)
		if ((*v)->type == T_STRING && !func_has(f, PRAGMA_UNMODIFIED_ARGS))
			buf_printf(&args, ", f->s%d", ++copies), buf_printf(&fields, " char s%d[STP_STRLEN];", copies);
		else
			buf_printf(&args, ", STAP_ARG_%s", (*v)->name);
	if (copies)
		cw_line(e->w, "struct {%s } *f = stp_frame_enter(c, sizeof(*f));", buf_text(&fields));
	if (*result)
		cw_line(e->w, "s64 result = 0;");
	if (f->type == T_STRING)
		cw_line(e->w, "ret[0] = '\\0';");
	if (copies) {
		cw_line(e->w, "if (f) {");
		copies = 0;
		for vec_each(&f->params, v)
			if ((*v)->type == T_STRING)
				cw_line(e->w, "stp_copy(f->s%d, STAP_ARG_%s, STP_STRLEN);", ++copies, (*v)->name);
	}
	cw_line(e->w, "%s%s(c%s%s);", result, name, f->type == T_STRING ? ", ret" : "", buf_text(&args));
	if (copies) {
		cw_line(e->w, "stp_frame_leave(c, sizeof(*f));");
		cw_line(e->w, "}");
	}
	if (*result)
		cw_line(e->w, "return result;");
	cw_line(e->w, "}");
	i->strings = copies;
	i->enters = copies > 0;
}

static void header_unit_func(struct emitter *e, struct func_info *i, const char *head)
{
	struct func *f = i->func;
	const char *name = emit_unique(e, "x_", f->name);
	struct c_unit *u;

	if (!fits_target(e, f->embedded, f->embedded_loc.source ? f->embedded_loc : f->loc))
		return;
	u = unit_at(e, f->loc);
	emit_accessors(e, f, &u->text, "stp_c");
	define_function(&u->text, f, unit_head(f, name), u);
	emit_accessors_end(f, &u->text);
	cw_line(&e->prototypes, "%s;", unit_head(f, name));
	write_caller(e, i, head, name);
	emit_c_function(e, name, i->c->part, i->c->loc);
	vec_push(&i->unit_calls, name);
}

static void pointer_func(struct emitter *e, struct func_info *i, const char *head)
{
	cw_line(e->w, "%s", head);
	cw_line(e->w, "{");
	buf_puts(&e->w->text, i->func->embedded->code);
	buf_putc(&e->w->text, '\n');
	cw_line(e->w, "out:");
	cw_line(e->w, "return \"\";");
	cw_line(e->w, "}");
}

// Writes the text unchanged, in braces. STAP_RETURN and STAP_ERROR jump to `out`.
void emit_embedded_func(struct emitter *e, struct func_info *i, const char *head)
{
	struct func *f = i->func;
	bool string = f->type == T_STRING, gives = string || f->type == T_LONG;

	if (in_header_unit(f)) {
		header_unit_func(e, i, head);
		return;
	}
	e->embedded = true;
	emit_bpf_embedded(e, f->embedded);
	if (i->pointer) {
		pointer_func(e, i, head);
		return;
	}
	if (string)
		cw_line(e->w, "#define STAP_RETURN(...) "
			"do { __VA_OPT__(stp_copy(ret, __VA_ARGS__, STP_STRLEN);) goto out; } while (0)");
	else if (gives)
		cw_line(e->w, "#define STAP_RETURN(...) do { __VA_OPT__(ret = (s64)(__VA_ARGS__);) goto out; } while (0)");
	else
		cw_line(e->w, "#define STAP_RETURN(...) do { goto out; } while (0)");
	emit_accessors(e, f, &e->w->text, "c");
	cw_line(e->w, "%s", head);
	cw_line(e->w, "{");
	if (!string && gives)
		cw_line(e->w, "s64 ret = 0;");
	if (string)
		cw_line(e->w, "ret[0] = '\\0';");
	cw_line(e->w, "{");
	buf_puts(&e->w->text, f->embedded->code);
	buf_putc(&e->w->text, '\n');
	cw_line(e->w, "}");
	cw_line(e->w, "out:");
	cw_line(e->w, !string && gives ? "return ret;" : "return;");
	cw_line(e->w, "}");
	cw_line(e->w, "#undef STAP_RETURN");
	emit_accessors_end(f, &e->w->text);
}

// ---------------------------------------------------------------- expressions

struct expr_args { struct buf params, values, defines, undefines; };

// Passes the parameters of the surrounding function that the expression uses, named STAP_ARG_x.
static void pass_params(struct emitter *e, const struct embedded *code, struct expr_args *a)
{
	if (!e->body || !e->body->func)
		return;
	for vec_each(&e->body->func->params, v) {
		const char *name = str_printf("STAP_ARG_%s", (*v)->name);

		if (!embedded_word(code, name))
			continue;
		buf_printf(&a->params, ", %sstp_arg_%s", (*v)->type == T_STRING ? "const char *" : "s64 ",
			   (*v)->name);
		buf_printf(&a->values, ", %s", emit_var(e, *v));
		buf_printf(&a->defines, "#define %s stp_arg_%s\n", name, (*v)->name);
		buf_printf(&a->undefines, "#undef %s\n", name);
	}
}

// Makes a function of the expression's unit that returns its value; returns the call's arguments.
static const char *unit_expression(struct emitter *e, struct expr *x, const char *name)
{
	struct c_unit *u = unit_at(e, x->loc);
	struct expr_args a = { 0 };
	const char *head;
	const struct embedded *c = x->u.embedded;
	bool string = c->pragmas & PRAGMA_STRING, statement = !string && c->is_statement;

	pass_params(e, c, &a);
	head = str_printf("%s %s(struct stp_ctx *stp_c%s%s)", string ? "void" : "s64", name,
			  string ? ", char *stp_ret" : "", buf_text(&a.params));
	buf_printf(&u->text, "\n%s;\n%s%s\n{\n", head, buf_text(&a.defines), head);
	if (uses_context(c))
		buf_puts(&u->text, VIEW);
	buf_puts(&u->text, statement ? "" : string ? "const char *stp_text = (\n" : "return stp_long(\n");
	add_line_directive(u, x->loc);
	buf_printf(&u->text, "%s%s\n", c->code, statement ? "\nreturn 0;" : ");");
	if (string)
		buf_puts(&u->text, "stp_copy(stp_ret, stp_text, STP_STRLEN);\n");
	buf_printf(&u->text, "}\n%s", buf_text(&a.undefines));
	cw_line(&e->prototypes, "%s;", head);
	return buf_text(&a.values);
}

static struct value header_unit_expr(struct emitter *e, struct expr *x)
{
	const char *name = emit_unique(e, "x_", "embedded"), *args = unit_expression(e, x, name);
	bool string = x->u.embedded->pragmas & PRAGMA_STRING;
	const char *t = string ? temp_string(e) : temp_long(e);

	if (string)
		cw_line(e->w, "%s(c, %s%s);", name, t, args);
	else
		cw_line(e->w, "%s = %s(c%s);", t, name, args);
	emit_c_function(e, name, str_printf("embedded C at %s", emit_location_text(x->loc)), x->loc);
	vec_push(&e->caller->unit_calls, name);
	emit_check(e, x->loc);
	return value_text(0, true, "%s", t);
}

struct value emit_embedded(struct emitter *e, struct expr *x)
{
	const struct embedded *code = x->u.embedded;
	const char *t;

	if (!emit_needs_context(e, x->loc))
		return value_number(0);
	if (!(code->pragmas & PRAGMA_RUNTIME))
		return fits_target(e, code, x->loc) ? header_unit_expr(e, x) : value_number(0);
	e->embedded = true;
	emit_bpf_embedded(e, code);
	if (code->pragmas & PRAGMA_STRING) {
		t = temp_string(e);
		cw_line(e->w, "stp_copy(%s, (%s), STP_STRLEN);", t, code->code);
	} else {
		t = temp_long(e);
		cw_line(e->w, "%s = (s64)(%s);", t, code->code);
	}
	emit_check(e, x->loc);
	return value_text(0, true, "%s", t);
}

const char *emit_unit_constant(struct emitter *e, const char *headers, const char *text, struct loc loc)
{
	const char *known = str_printf("@const %s@%s", text, loc.source->name), *name = map_get(&e->consts, known);

	if (!name) {
		struct c_unit *u = unit_at(e, loc);

		name = emit_unique(e, "x_", "const");
		map_put(&e->consts, known, (void *)name);
		buf_printf(&u->text, "\n%sextern const s64 %s;\n#line %d %s\nconst s64 %s = (s64)(%s);\n", headers, name,
			   loc.line, emit_c_string(loc.source->name), name, text);
		cw_line(&e->prototypes, "extern const s64 %s;", name);
	}
	return name;
}

struct value emit_const(struct emitter *e, struct expr *x)
{
	return value_text(0, true, "%s", emit_unit_constant(e, "", x->u.text1.text, x->loc));
}

// Blocks of the user's own files are compiled even if no function of the file is called.
void emit_embedded_blocks(struct emitter *e)
{
	for vec_each(&e->s->script.embedded, x)
		if (!(*x)->loc.source->library && supported((*x)->u.embedded, (*x)->loc))
			unit_at(e, (*x)->loc);
	for vec_each(&e->s->units, u)
		add_blocks(e, *u, true);
}
