// SPDX-License-Identifier: GPL-2.0-or-later
// Writes handlers, entry handlers, conditions and script functions: the C function around a body, its frame of
// strings, its locals.
#include "elab/elab.h"
#include "emit/emitter.h"
#include "resolve/family.h"

#include <assert.h>
#include <string.h>

static void begin_body(struct emitter *e, struct body *b, struct func *f)
{
	*b = (struct body){ .func = f, .code.depth = 1, .out.name = "out" };
	b->on_error = &b->out;
	e->body = b;
	e->w = &b->code;
}

// Returns the number of locals that are not strings. A body that is written in parts has them in its frame.
static int numbers(const struct body *b)
{
	int n = 0;

	for vec_each(&b->locals, l)
		n += l->var->type != T_STRING;
	return n;
}

// A string parameter that the function does not change is passed as a pointer instead of a copy.
static bool is_pointer(const struct local *l)
{
	return l->var->type == T_STRING && l->var->kind == VAR_PARAM && !l->copied;
}

// Returns whether the function's string is built in its frame, which has no pointer to the caller's buffer.
static bool copies_result(const struct body *b)
{
	return b->no_pointers && b->func && b->func->type == T_STRING;
}

// Size of struct stp_cursor in words, or an upper bound.
enum { CURSOR_WORDS = 24 };

// Number of words in the frame of a body that is written in parts.
static int frame_words(const struct body *b)
{
	int n = numbers(b) + (b->func && b->func->type != T_UNKNOWN) + b->cursors * CURSOR_WORDS;

	for vec_each(&b->locals, l)
		n += is_pointer(l);
	return n;
}

// Returns the size of the frame, in strings.
static int frame_strings(struct emitter *e)
{
	const struct body *b = e->body;
	int n = b->max.strings;

	for vec_each(&b->locals, l)
		n += l->var->type == T_STRING && !is_pointer(l);
	if (copies_result(b))
		n++;
	return b->parts.of ? n + 1 + (frame_words(b) * 8 + 7) / (int)emit_string_len(e) : n;
}

static void write_temporaries(struct cwriter *w, const char *type, const char *name, int n)
{
	struct buf b = { 0 };

	if (!n)
		return;
	buf_puts(&b, type);
	for (int i = 1; i <= n; i++)
		buf_printf(&b, "%s%s%d", i > 1 ? ", " : "", name, i);
	buf_putc(&b, ';');
	cw_line(w, "%s", buf_text(&b));
}

static void write_frame_numbers(struct cwriter *w, const struct body *b)
{
	if (b->func && b->func->type != T_UNKNOWN)
		cw_line(w, b->func->type != T_STRING ? "s64 ret;" :
			copies_result(b) ? "char ret[STP_TEXT_SIZE];" : "char *ret;");
	for (int i = 1; i <= b->cursors; i++)
		cw_line(w, "struct stp_cursor cursor%d;", i);
	for vec_each(&b->locals, l)
		if (is_pointer(l))
			cw_line(w, "const char *%s;", l->name);
	if (!numbers(b))
		return;
	cw_line(w, "union {");
	cw_line(w, "struct {");
	for vec_each(&b->locals, l)
		if (l->var->type != T_STRING)
			cw_line(w, "s64 %s;", l->name);
	cw_line(w, "};");
	cw_line(w, "s64 numbers[%d];", numbers(b));
	cw_line(w, "};");
}

static void write_frame(struct emitter *e, struct cwriter *w, const struct body *b, const char *enter)
{
	const char *size = e->s->opt.bpf_runtime ? "STP_TEXT_SIZE" : "STP_STRLEN";

	cw_line(w, b->parts.of ? "struct %s_frame {" : "struct {", b->parts.of);
	if (b->parts.of)
		write_frame_numbers(w, b);
	for vec_each(&b->locals, l)
		if (l->var->type == T_STRING && !is_pointer(l))
			cw_line(w, "char %s[%s];", l->name, size);
	for (int i = 1; i <= b->max.strings; i++)
		cw_line(w, "char s%d[%s];", i, size);
	if (b->parts.of)
		cw_line(w, "};");
	else
		cw_line(w, "} *f = %s(c, sizeof(*f));", enter);
}

void emit_temps(struct cwriter *w, struct temps max)
{
	write_temporaries(w, "s64 ", "t", max.longs);
	for (int i = 1; i <= max.texts; i++)
		cw_line(w, "const char *text%d;", i);
	for (int i = 1; i <= max.cells; i++)
		cw_line(w, "void *cell%d;", i);
}

static void write_locals(struct cwriter *w, const struct body *b)
{
	for vec_each(&b->locals, l)
		if (l->var->type != T_STRING && l->var->kind == VAR_LOCAL && !b->parts.of)
			cw_line(w, "s64 %s = 0;", l->name);
	emit_temps(w, b->max);
}

static void write_clearing(struct cwriter *w, const struct body *b)
{
	if (b->parts.of && numbers(b)) {
		cw_line(w, "{");
		cw_line(w, "int i;");
		cw_line(w, "for (i = 0; i < %d; i++)", numbers(b));
		cw_line(w, "\tf->numbers[i] = 0;");
		cw_line(w, "}");
	}
	if (copies_result(b))
		cw_line(w, "f->ret[0] = '\\0';");
	else if (b->parts.of && b->func && b->func->type != T_UNKNOWN)
		cw_line(w, "f->ret = ret;");
	for vec_each(&b->locals, l) {
		if (b->parts.of && l->var->kind == VAR_PARAM && !l->copied)
			cw_line(w, "f->%s = %s;", l->name, l->name);
		else if (l->var->type == T_STRING && l->var->kind == VAR_LOCAL)
			cw_line(w, "f->%s[0] = '\\0';", l->name);
		else if (l->copied)
			cw_line(w, "stp_copy(f->%s, %s, STP_STRLEN);", l->name, l->name);
	}
}

// Removes the last statement if it is a jump to the end.
static void drop_last_goto(struct body *b)
{
	static const char line[] = "\n\tgoto out;\n";
	struct buf *text = &b->code.text;

	if (!text->len || !str_ends(text->text, line))
		return;
	text->len -= sizeof(line) - 2;
	text->text[text->len] = '\0';
	b->out.used--;
}

// Writes the function up to its first statement: its frame, variables and checks. back: the statement that returns.
static void write_beginning(struct emitter *e, struct cwriter *w, const char *head, bool recursive, const char *result,
			    const char *back)
{
	struct body *b = e->body;
	bool frame = frame_strings(e) > 0;
	const char *enter = recursive ? "stp_frame_enter_recursive" : "stp_frame_enter";

	if (b->parts.of) {
		write_frame(e, w, b, enter);
		cw_append(w, &b->parts.code);
	}
	cw_line(w, "%s", head);
	cw_line(w, "{");
	if (b->parts.of)
		cw_line(w, "struct %s_frame *f = %s(c, sizeof(*f));", b->parts.of, enter);
	else if (frame)
		write_frame(e, w, b, enter);
	write_locals(w, b);
	if (*result)
		cw_line(w, "s64 ret = 0;");
	if (frame || b->locals.n || b->max.longs || b->max.texts || b->max.cells || *result)
		cw_blank(w);
	if (frame)
		cw_line(w, "if (STP_UNLIKELY(!f))");
	else if (recursive)
		cw_line(w, "if (STP_UNLIKELY(!%s(c, 0)))", enter);
	if (frame || recursive)
		cw_line(w, "\t%s", back);
	write_clearing(w, b);
}

// Writes the whole function around the finished body. recursive: it counts as a call even without strings, and
// checks the stack. result: "ret" or "".
static void end_body(struct emitter *e, struct cwriter *w, const char *head, bool recursive, const char *result)
{
	struct body *b = e->body;
	bool frame = frame_strings(e) > 0;
	const char *back = *result ? str_printf("return %s;", result) : "return;";

	assert(b->code.depth == 1);
	drop_last_goto(b);
	write_beginning(e, w, head, recursive, result, back);
	cw_append(w, &b->code);
	if (b->out.used)
		cw_line(w, "%s:", b->out.name);
	if (b->parts.of && *result)
		cw_line(w, "ret = f->ret;");
	if (copies_result(b))
		cw_line(w, "stp_copy(ret, f->ret, STP_STRLEN);");
	if (frame || recursive)
		cw_line(w, "stp_frame_leave(c, %s);", frame ? "sizeof(*f)" : "0");
	if (b->locks.from)
		cw_line(w, "%s;", emit_late_lock(e, "stp_finish"));
	else if (*result || (b->out.used && !frame && !recursive))
		cw_line(w, "%s", back);
	cw_line(w, "}");
	cw_blank(w);
	e->body = NULL;
	e->w = NULL;
}

// Functions of programs have at most five arguments, unless they are inlined into their callers.
static const char *func_head(const struct emitter *e, struct func_info *i)
{
	enum { PROGRAM_ARGUMENTS = 5 };
	struct func *f = i->func;
	bool has_result = f->type == T_STRING && !i->pointer;
	struct buf b = { 0 };

	buf_printf(&b, "%s %s%s(struct stp_ctx *c",
		   e->programs && 1 + has_result + f->params.n > PROGRAM_ARGUMENTS ? "STP_INLINE" : "static",
		   f->type == T_LONG ? "s64 " : i->pointer ? "const char *" : "void ", i->name);
	if (has_result)
		buf_puts(&b, ", char *ret");
	for vec_each(&f->params, v)
		buf_printf(&b, f->body ? ", %sl_%s" : ", %sSTAP_ARG_%s",
			   (*v)->type == T_STRING ? "const char *" : "s64 ", (*v)->name);
	buf_putc(&b, ')');
	return buf_text(&b);
}

struct c_function *emit_c_function(struct emitter *e, const char *name, const char *part, struct loc loc)
{
	struct c_function *c = NEW(struct c_function);

	c->part = part;
	c->loc = loc;
	map_put(&e->s->c_functions, name, c);
	return c;
}

// Writes the comment before the C function of `i`, with the part of the script from which it is generated. Messages
// of pass 4 print this part.
static void describe(struct emitter *e, struct cwriter *w, struct func_info *i, const char *name, const char *part,
		     struct loc loc)
{
	i->c = emit_c_function(e, name, part, loc);
	cw_line(w, "/* %s */", emit_comment_text(part));
}

// Adds the parts of a long function to the call graph. It does not record which part makes which call: a list for
// each part would grow with the square of the function's length. Instead, all parts call one node that is not in
// the C, and that node makes all calls.
static void describe_parts(struct emitter *e, struct func_info *i, const struct parts *parts)
{
	const char *all = str_printf("calls of %s", parts->of);

	if (!parts->n)
		return;
	i->c_of_parts = emit_c_function(e, all, i->c->part, i->c->loc);
	for (int n = 1; n <= parts->n; n++) {
		const char *name = str_printf("%s_part%d", parts->of, n);

		vec_push(&i->c->calls, name);
		vec_push(&emit_c_function(e, name, i->c->part, i->c->loc)->calls, all);
	}
}

static void add_calls(struct func_info *i)
{
	struct c_function *c = i->c_of_parts ? i->c_of_parts : i->c;

	if (!c)
		return;
	for vec_each(&i->callees, to)
		vec_push(&c->calls, (*to)->name);
	for vec_each(&i->unit_calls, name)
		vec_push(&c->calls, *name);
}

void emit_c_calls(struct emitter *e)
{
	for vec_each(&e->funcs, i)
		add_calls(*i);
	for vec_each(&e->roots, i)
		add_calls(*i);
}

void emit_script_func(struct emitter *e, struct func_info *i)
{
	struct func *f = i->func;
	struct body b;

	e->caller = i;
	cw_line(&e->prototypes, "%s;", func_head(e, i));
	describe(e, &e->functions, i, i->name, str_printf("function %s at %s", f->name, emit_location_text(f->loc)),
		 f->loc);
	if (!f->body) {
		e->w = &e->functions;
		emit_embedded_func(e, i, func_head(e, i));
		cw_blank(&e->functions);
		return;
	}
	begin_body(e, &b, f);
	parts_begin(e, f->body, i->name);
	if (f->type == T_STRING)
		cw_line(e->w, "ret[0] = '\\0';");
	if (f->recursive)
		emit_actions(e, emit_count_stmts(f->body) + 1, f->loc);
	emit_stmt(e, f->body);
	work_end_function(e, i, f->loc);
	i->strings = frame_strings(e);
	i->enters = i->strings || f->recursive;
	describe_parts(e, i, &b.parts);
	end_body(e, &e->functions, func_head(e, i), f->recursive, f->type == T_LONG ? "ret" : "");
}

static struct func_info *new_root(struct emitter *e)
{
	struct func_info *root = NEW(struct func_info);

	vec_push(&e->roots, root);
	e->caller = root;
	return root;
}

static void emit_handler(struct emitter *e, struct probe *p)
{
	struct func_info *root = new_root(e);
	struct body b;

	e->handler_of[p->index] = root;
	begin_body(e, &b, NULL);
	b.locks = emit_lock_range(e, p);
	b.handler = p->index;
	e->locks_late[p->index] = b.locks.from != NULL;
	parts_begin(e, p->body, str_printf("p%d", p->index));
	if (e->keeps_matches)
		cw_line(e->w, "STP_MATCH->groups = 0;");
	// With -DSTP_ALIBI hits are only counted, except those of the probe of -T.
	if (!session_limit(e->s, LIMIT_STP_ALIBI) || !strcmp(p->decl->source->name, TIMEOUT_SOURCE))
		emit_stmt(e, p->body);
	work_end_function(e, root, p->loc);
	root->strings = frame_strings(e);
	root->enters = root->strings > 0;
	describe(e, &e->handlers, root, str_printf("p%d", p->index),
		 str_printf("probe %s at %s", p->point, emit_location_text(p->loc)), p->loc);
	root->c->handler = p;
	describe_parts(e, root, &b.parts);
	end_body(e, &e->handlers, str_printf("static void p%d(struct stp_ctx *c)", p->index), false, "");
}

// Writes the entry handler, which saves the values of @entry() when the function is entered.
static void emit_entry(struct emitter *e, struct probe *p)
{
	struct func_info *root = new_root(e);
	struct body b;

	e->entry_of[p->index] = root;
	begin_body(e, &b, NULL);
	if (e->keeps_matches)
		cw_line(e->w, "STP_MATCH->groups = 0;");
	for (int i = 0; i < p->entries.n; i++) {
		struct temps temps = b.now;

		int at = optimize_entry_words(e->s, p, i);
		struct value v = emit_expr(e, p->entries.at[i]);

		if (p->entries.at[i]->type == T_STRING)
			cw_line(e->w, "stp_copy((char *)&%s, %s, STP_STRLEN);", emit_saved(e, at), v.text);
		else
			cw_line(e->w, "%s = %s;", emit_saved(e, at), value_long(v));
		b.now = temps;
	}
	work_end_function(e, root, p->loc);
	root->strings = frame_strings(e);
	root->enters = root->strings > 0;
	describe(e, &e->handlers, root, str_printf("p%d_entry", p->index), str_printf("entry of %s", p->point),
		 p->loc);
	end_body(e, &e->handlers, str_printf("static void p%d_entry(struct stp_ctx *c)", p->index), false, "");
}

// Writes the part of a handler that runs in the hit and makes the copies for the part that runs in slices.
static void emit_hit(struct emitter *e, struct probe *p)
{
	struct func_info *root = new_root(e);
	struct body b;

	e->hit_of[p->index] = root;
	begin_body(e, &b, NULL);
	parts_begin(e, p->hit, str_printf("p%d_hit", p->index));
	emit_stmt(e, p->hit);
	work_end_function(e, root, p->loc);
	root->strings = frame_strings(e);
	root->enters = root->strings > 0;
	describe(e, &e->handlers, root, str_printf("p%d_hit", p->index), str_printf("hit of %s", p->point), p->loc);
	describe_parts(e, root, &b.parts);
	end_body(e, &e->handlers, str_printf("static void p%d_hit(struct stp_ctx *c)", p->index), false, "");
}

static void emit_condition(struct emitter *e, struct probe *p)
{
	struct body b;
	const char *text;

	begin_body(e, &b, NULL);
	b.no_context = true;
	text = value_condition(emit_expr(e, p->condition));
	if (frame_strings(e))
		diag_error(p->condition->loc, "the condition of a probe cannot build strings");
	cw_line(e->w, "return %s%s;", p->own_processes ? "stp_own_process() && " : "", text);
	end_body(e, &e->handlers, str_printf("static bool p%d_condition(void)", p->index), false, "");
}

void emit_probe(struct emitter *e, struct probe *p)
{
	if (!p->same_body)
		emit_handler(e, p);
	if (p->entries.n)
		emit_entry(e, p);
	if (p->hit)
		emit_hit(e, p);
	if (p->condition)
		emit_condition(e, p);
}

struct depth { int calls, strings; };

typedef VEC(struct func_info *) info_list;

static bool same_component(const struct func_info *a, const struct func_info *b)
{
	return a == b || (a->func && b->func && a->func->component == b->func->component);
}

// Collects i and the functions that are both callers and callees of it.
static void gather_component(struct func_info *i, info_list *all)
{
	if (i->measured)
		return;
	i->measured = true;
	vec_push(all, i);
	for vec_each(&i->callees, to)
		if (same_component(i, *to))
			gather_component(*to, all);
}

// Returns the deepest call path from i on, which contains each function of a cycle once; `*widest` is the largest
// frame of a function in a cycle.
static struct depth deepest(struct func_info *i, int *widest)
{
	struct depth best = { 0 }, d;
	info_list all = { 0 };

	if (i->measured)
		return (struct depth){ i->deep_calls, i->deep_strings };
	gather_component(i, &all);
	for vec_each(&all, member)
		for vec_each(&(*member)->callees, to) {
			if (same_component(i, *to))
				continue;
			d = deepest(*to, widest);
			if (d.calls > best.calls)
				best.calls = d.calls;
			if (d.strings > best.strings)
				best.strings = d.strings;
		}
	for vec_each(&all, member) {
		best.calls += (*member)->enters;
		best.strings += (*member)->strings;
		if ((*member)->func && (*member)->func->recursive && (*member)->strings > *widest)
			*widest = (*member)->strings;
	}
	for vec_each(&all, member) {
		(*member)->deep_calls = best.calls;
		(*member)->deep_strings = best.strings;
	}
	return best;
}

// Returns the maximum depth of nested calls, including the handler; *strings: number of buffers that all their
// frames need.
int emit_nesting(struct emitter *e, int *strings)
{
	struct depth max = { 0 };
	int widest = 0, nesting;
	bool recursive = false;

	for vec_each(&e->roots, root) {
		struct depth d = deepest(*root, &widest);

		if (d.calls > max.calls)
			max.calls = d.calls;
		if (d.strings > max.strings)
			max.strings = d.strings;
	}
	for vec_each(&e->funcs, i)
		recursive |= (*i)->func->recursive;
	nesting = session_limit_given(e->s, LIMIT_MAXNESTING) ? (int)session_limit(e->s, LIMIT_MAXNESTING) :
		max.calls + (recursive ? 10 : 0);
	*strings = max.strings + (recursive ? nesting * widest : 0);
	return nesting + 1;
}
