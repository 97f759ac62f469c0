// SPDX-License-Identifier: GPL-2.0-or-later
// The print family. Every form becomes a constant table of format pieces and an array of values;
// text without values is printed directly.
#include "emit/emitter.h"

#include <inttypes.h>
#include <string.h>

typedef VEC(struct format_piece) pieces;

static void literal(pieces *out, const char *text, size_t len)
{
	struct format_piece p = { .text = text, .len = len, .width = -1, .precision = -1 };

	if (len)
		vec_push(out, p);
}

static void conversion(pieces *out, char conv)
{
	struct format_piece p = { .conv = conv, .width = -1, .precision = -1 };

	vec_push(out, p);
}

// Returns the stack value whose text is printed without changes, or NULL. A module writes its lines to the output,
// where the maximum length of strings does not apply.
static struct expr *printed_stack(const struct expr *x, struct expr *arg, const struct format_piece *p)
{
	const struct func *f = arg->kind == E_CALL ? arg->u.call.target : NULL;

	if (x->u.print.to_string || !f || !f->embedded || !embedded_word(f->embedded, "stp_stack_text"))
		return NULL;
	return p->width == -1 && p->precision == -1 && !p->width_star && !p->precision_star ? arg->u.call.args.at[0] : NULL;
}

static struct expr *with_argument_copy(const struct expr *x)
{
	struct expr *copy = NEW(struct expr);

	*copy = *x;
	copy->u.print.args = (expr_vec){ 0 };
	for vec_each(&x->u.print.args, it)
		vec_push(&copy->u.print.args, *it);
	return copy;
}

// Changes conversions of call stacks to 'k'. Returns the statement, or a copy of it with the stack values as
// arguments.
static struct expr *print_stacks(struct expr *x, pieces *f)
{
	struct expr *result = x, *stack;
	int arg = 0;

	for vec_each(f, p) {
		arg += p->width_star + p->precision_star;
		stack = p->conv == 's' ? printed_stack(x, x->u.print.args.at[arg], p) : NULL;
		if (stack) {
			p->conv = 'k';
			result = result == x ? with_argument_copy(x) : result;
			result->u.print.args.at[arg] = stack;
		}
		arg += p->conv != 0;
	}
	return result;
}

// Returns print(a, b), println, printd("-", a, b), printdln as equivalent formats.
static void format_of(struct expr *x, pieces *out)
{
	enum print_kind kind = x->u.print.kind;
	struct expr *d = x->u.print.delimiter;

	if (kind == PRINT_PRINTF) {
		for vec_each(&x->u.print.format, p)
			vec_push(out, *p);
		return;
	}
	for vec_each(&x->u.print.args, arg) {
		if (arg > x->u.print.args.at && d)
			literal(out, d->u.string.bytes, d->u.string.len);
		conversion(out, (*arg)->type == T_STRING ? 's' : 'd');
	}
	if (kind == PRINT_PRINTLN || kind == PRINT_PRINTDLN)
		literal(out, "\n", 1);
}

static const char *quoted(const char *bytes, size_t len)
{
	return emit_c_string(str_ndup(bytes, len));
}

static const char *flags_in_c(uint8_t flags)
{
	static const char *const names[] = { "ZERO", "LEFT", "PLUS", "SPACE", "ALTERNATE" };
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & 1 << i)
			buf_printf(&b, "%sSTP_FLAG_%s", b.len ? " | " : "", names[i]);
	return b.len ? buf_text(&b) : "0";
}

// Writes a conversion (or NULL) and the text after it (or NULL).
static void write_piece(struct cwriter *w, const struct format_piece *p, const struct format_piece *text)
{
	struct buf b = { 0 };

	if (p)
		buf_printf(&b, ".conv = '%c', ", p->conv == 'i' ? 'd' : p->conv);
	if (p && p->flags)
		buf_printf(&b, ".flags = %s, ", flags_in_c(p->flags));
	buf_printf(&b, ".width = %d, .precision = %d", !p ? -1 : p->width_star ? -2 : p->width,
		   !p ? -1 : p->precision_star ? -2 : p->precision);
	if (text)
		buf_printf(&b, ", .text = %s, .len = %zu", quoted(text->text, text->len), text->len);
	cw_line(w, "{ %s },", buf_text(&b));
}

// Returns the name of the table of these pieces, and the number of its entries in *n; equal pieces share one table.
static const char *format_table(struct emitter *e, const pieces *f, int *n)
{
	struct cwriter lines = { .depth = 1 };
	const struct format_piece *p = f->at, *end = p + f->n, *conv;
	const char *name;

	for (*n = 0; p < end; ++*n) {
		conv = p->conv ? p++ : NULL;
		write_piece(&lines, conv, p < end && !p->conv ? p++ : NULL);
	}
	name = map_get(&e->formats, buf_text(&lines.text));
	if (name)
		return operand(e, OPERAND_TABLE, name);
	name = str_printf("fmt%d", ++e->formats_made);
	map_put(&e->formats, buf_text(&lines.text), (void *)name);
	vec_push(&e->format_tables, ((struct format_table){ name, *n }));
	cw_line(&e->tables, "static const struct stp_format %s[] = {", name);
	cw_append(&e->tables, &lines);
	cw_line(&e->tables, "};");
	return operand(e, OPERAND_TABLE, name);
}

static bool all_literal(const pieces *f)
{
	for vec_each(f, p)
		if (p->conv)
			return false;
	return true;
}

static const char *joined(const pieces *f, size_t *len)
{
	struct buf b = { 0 };

	for vec_each(f, p)
		buf_add(&b, p->text, p->len);
	*len = b.len;
	return buf_text(&b);
}

static struct value *values_of(struct emitter *e, struct expr *x)
{
	struct value *v = NEW_ARRAY(struct value, x->u.print.args.n + 1);

	emit_values(e, x->u.print.args.at, x->u.print.args.n, v);
	return v;
}

// Returns n arguments from the given one on.
static const char *arguments(struct emitter *e, struct expr *x, const struct value *v, int from, int n)
{
	struct buf b = { 0 };

	if (!n)
		return "NULL";
	e->w->has_temporary = true;
	buf_puts(&b, "(const union stp_val[]){ ");
	for (int i = from; i < from + n; i++)
		buf_printf(&b, "{ .%c = %s }%s", x->u.print.args.at[i]->type == T_STRING ? 's' : 'n',
			   value_long(v[i]), i < from + n - 1 ? ", " : " }");
	return buf_text(&b);
}

static void use_hist_text(struct emitter *e, const struct var *v)
{
	emit_bpf_use(e, BPF_TEXT | BPF_HIST_TEXT);
	if (e->programs && emit_buckets(v) > e->hist_words)
		e->hist_words = emit_buckets(v);
}

// A record has space for the buckets.
static void note_printed(struct emitter *e, const struct var *v)
{
	if (e->programs && emit_buckets(v) > e->hist_printed)
		e->hist_printed = emit_buckets(v);
}

static struct value print_hist(struct emitter *e, struct expr *x, const char *into)
{
	struct expr *of = x->u.print.args.at[0]->u.stat.of;
	const char *stat = emit_stat_of(e, of);
	const char *desc = emit_desc(e, of->kind == E_VAR ? of->u.var.decl : of->u.index.decl);
	bool line = x->u.print.kind == PRINT_PRINTLN;

	if (x->u.print.to_string) {
		into = into ? into : temp_string(e);
		use_hist_text(e, of->kind == E_VAR ? of->u.var.decl : of->u.index.decl);
		cw_line(e->w, "stp_sprint_hist(c, %s, STP_STRLEN, %s, %s);", into, stat, desc);
		emit_check(e, x->u.print.args.at[0]->loc);
		if (line)
			cw_line(e->w, e->s->opt.bpf_runtime ? "stp_append(%s, STP_LITERAL(\"\\n\"), STP_STRLEN);" :
				"stp_append(%s, \"\\n\", STP_STRLEN);", into);
		return value_text(0, true, "%s", into);
	}
	note_printed(e, of->kind == E_VAR ? of->u.var.decl : of->u.index.decl);
	cw_line(e->w, "stp_print_hist(c, %s, %s);", stat, desc);
	emit_check(e, x->u.print.args.at[0]->loc);
	if (line)
		cw_line(e->w, "stp_print(c, \"\\n\", 1);");
	return value_number(0);
}

static bool is_memory(const struct format_piece *p)
{
	return p->conv == 'm' || p->conv == 'M';
}

// Writes sprintf() for programs, as one operation for each piece: a format would be a table of addresses.
static void write_pieces(struct emitter *e, const pieces *f, const char *into, const struct value *v)
{
	static const char *const kinds[] = { ['c'] = "CHAR", ['s'] = "STRING", ['q'] = "QUOTED", ['Q'] = "QUOTED",
						['g'] = "REAL", ['b'] = "BINARY", ['m'] = "MEMORY", ['M'] = "MEMORY" };
	struct cwriter *w = e->w;

	emit_bpf_use(e, BPF_TEXT);
	cw_line(w, "STP_TEXT_BEGIN(c, %s);", into);
	for vec_each(f, p) {
		const char *kind = (size_t)p->conv < ARRAY_SIZE(kinds) && kinds[(int)p->conv] ? kinds[(int)p->conv] : "NUMBER";
		const char *width = str_printf("%d", p->width), *precision = str_printf("%d", p->precision);

		if (!p->conv) {
			cw_line(w, "STP_TEXT_LITERAL(STP_LITERAL(%s));", quoted(p->text, p->len));
			continue;
		}
		if (p->conv == 'g')
			emit_bpf_use(e, BPF_REAL);
		if (p->width_star)
			width = value_long(*v++);
		if (p->precision_star)
			precision = value_long(*v++);
		cw_line(w, "STP_TEXT_%s(%d, %s, %s, %s, %s);", kind, p->conv == 'i' ? 'd' : p->conv,
			flags_in_c(p->flags), width, precision, value_long(*v++));
	}
	cw_line(w, "STP_TEXT_END();");
}

// Returns whether all arguments are counters of each CPU, and enough of them that a table of them is shorter than
// their reads.
// The globals that are printed when a script ends are printed in such groups.
static bool are_adders(const struct emitter *e, struct expr *x)
{
	enum { FEWEST = 5, MAX = 16 };      // MAX: STP_ADDERS in runtime/include/counters.h

	if (e->programs || x->u.print.args.n < FEWEST || x->u.print.args.n > MAX)
		return false;
	for vec_each(&x->u.print.args, it)
		if ((*it)->kind != E_VAR || !emit_is_adder((*it)->u.var.decl))
			return false;
	return true;
}

// Writes printf() of counters as a table, since the compiler needs 0.2 ms for each call that reads one.
static void write_adders(struct emitter *e, pieces *f, struct expr *x)
{
	const char *name, *table;
	struct buf b = { 0 };
	int n;

	table = format_table(e, f, &n);
	for vec_each(&x->u.print.args, it) {
		name = emit_global(e, (*it)->u.var.decl)->name;
		buf_printf(&b, " { __builtin_offsetof(struct percpu, %s), &%s },", name, name);
	}
	cw_line(&e->tables, "static const struct stp_adder adders%d[] = {%s };", ++e->adders_made, buf_text(&b));
	cw_line(e->w, "stp_printf(c, %s, %s, stp_adders_read(c, %s, %d));", table, operand_number(e, n),
		operand(e, OPERAND_TABLE, str_printf("adders%d", e->adders_made)), x->u.print.args.n);
}

static bool may_fail(const pieces *f)
{
	for vec_each(f, p)
		if (is_memory(p))
			return true;
	return false;
}

static int values_in(const struct format_piece *p)
{
	return (p->conv != 0) + p->width_star + p->precision_star;
}

// Writes C that appends the data of a text that the client makes, and adds the number of captures of memory that they
// have at most. Returns whether a text follows them.
static bool put_captured(struct buf *b, const struct expr *call, int *captures)
{
	static const struct { const char *function, *kind; int captures; } kinds[] = {
		{ "__syscall_arguments", "ALL", 2 }, { "__syscall_text", "ARGUMENT", 1 },
		{ "__syscall_part_text", "PART", 1 }, { "__syscall_text_saved", "ENTRY_ARGUMENT", 2 },
		{ "__syscall_part_text_saved", "ENTRY_PART", 2 }, { "__syscall_result_or", "RESULT", 0 },
	};
	const expr_vec *args = &call->u.call.args;
	int64_t numbers[2] = { 0 };
	bool has_text = false;

	for (int i = 0; i < args->n && i < 2; i++) {
		has_text |= args->at[i]->type == T_STRING;
		numbers[i] = args->at[i]->kind == E_NUMBER ? args->at[i]->u.number : 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(call->u.call.target->name, kinds[i].function))
			continue;
		buf_printf(b, "bpf_put_call(s_, STP_CALL_OF(STP_CALL_%s, %" PRId64 ", %" PRId64 ")); ",
			   kinds[i].kind, numbers[0], numbers[1]);
		*captures += kinds[i].captures;
	}
	return has_text;
}

// Returns the words that a conversion takes in a program's record at most, besides those of a captured call. A program
// reads at most this number of bytes for %m: STP_MEMORY_MAX in bpf_shared.h.
static int64_t words_of(struct emitter *e, const struct format_piece *p, enum type t)
{
	enum { MEMORY_MAX = 4096 };
	int64_t stars = p->width_star + p->precision_star, n = p->precision;

	if (is_memory(p))
		return stars + 2 + ((p->precision_star || n > MEMORY_MAX ? MEMORY_MAX : n < 1 ? 1 : n) + 7) / 8;
	return stars + (!p->conv ? 0 : t == T_STRING ? (emit_string_len(e) + 7) / 8 : 1);
}

static const char *put_memory(const struct format_piece *p, const char *address, const char *precision)
{
	return str_printf("bpf_put_memory(s_, (u64)(%s), bpf_memory_size(%s), %d); ", address,
			  precision ? precision : str_printf("%d", p->precision), (p->flags & STP_FLAG_ALTERNATE) != 0);
}

// Returns C that appends the arguments of these pieces, the first of which is number `from`, to a program's record.
// *words: the maximum number of words that they take. The C has no array of the arguments, since a program's stack is
// small.
static const char *record_words(struct emitter *e, struct expr *x, const struct value *v, int from, const pieces *some,
				const char **words)
{
	enum { HEAD = 13 };        // words besides the memory: a mark, a number, and STP_CAPTURE_RANGES
	struct buf b = { 0 };
	int calls = 0, captures = 0, i = from;
	int64_t n = 1;

	for vec_each(some, p) {
		enum type t = p->conv ? x->u.print.args.at[i + p->width_star + p->precision_star]->type : T_LONG;
		const char *precision = NULL;
		const struct expr *arg;

		n += words_of(e, p, t);
		if (p->width_star)
			buf_printf(&b, "bpf_put(s_, %s); ", value_long(v[i++]));
		if (p->precision_star)
			buf_printf(&b, "bpf_put(s_, %s); ", precision = value_long(v[i++]));
		if (!p->conv)
			continue;
		arg = x->u.print.args.at[i];
		if (is_memory(p))
			buf_puts(&b, put_memory(p, value_long(v[i]), precision));
		else if (bpf_captured(arg) && ++calls && !put_captured(&b, arg, &captures))
			;
		else
			buf_printf(&b, t == T_STRING ? "bpf_put_text(s_, STP_AS_TEXT(%s)); " : "bpf_put(s_, %s); ", value_long(v[i]));
		i++;
	}
	*words = str_printf("%" PRId64, n);
	if (calls)
		*words = str_printf("%s + %d + %d * STP_CAPTURE_SIZE", *words, calls * HEAD, captures);
	e->captures_max = captures > e->captures_max ? captures : e->captures_max;
	return buf_text(&b);
}

// Takes the next pieces of [*p, end). Programs print by several calls, since a record and a program's stack are
// limited.
static int next_pieces(struct emitter *e, const struct expr *x, int from, const struct format_piece **p,
		       const struct format_piece *end, pieces *some)
{
	enum { PROGRAM_VALUES = 8, PROGRAM_WORDS = 960 };  // a record has 1,024, some for the heads of items
	int values = 0, n;
	int64_t words = 0, more;

	for (; *p < end; ++*p) {
		n = values_in(*p);
		more = words_of(e, *p, n ? x->u.print.args.at[from + values + n - 1]->type : T_LONG);
		if (e->programs && values && (values + n > PROGRAM_VALUES || words + more > PROGRAM_WORDS))
			break;
		vec_push(some, **p);
		values += n;
		words += more;
	}
	return values;
}

static void write_printf(struct emitter *e, const pieces *f, struct expr *x, const struct value *v)
{
	const struct format_piece *p = f->at, *end = p + f->n;
	const char *table, *puts, *words;
	int first = 0, n, values;

	while (p < end) {
		pieces some = { 0 };

		values = next_pieces(e, x, first, &p, end, &some);
		table = format_table(e, &some, &n);
		if (e->programs) {
			puts = record_words(e, x, v, first, &some, &words);
			cw_line(e->w, "STP_PRINTF(c, %s, %d, %s, %s, %s);", table, n, words, puts, arguments(e, x, v, first, values));
		} else {
			cw_line(e->w, "stp_printf(c, %s, %s, %s);", table, operand_number(e, n),
				arguments(e, x, v, first, values));
		}
		if (may_fail(&some))
			emit_check(e, x->loc);
		first += values;
	}
}

// Writes a print without arguments, to the output or into a buffer.
static void write_literal(struct emitter *e, const pieces *f, const char *into)
{
	size_t len;
	const char *text = joined(f, &len), *literal = operand(e, OPERAND_TEXT, quoted(text, len));

	if (into)
		cw_line(e->w, e->s->opt.bpf_runtime ? "stp_copy(%s, STP_LITERAL(%s), STP_STRLEN);" :
			"stp_copy(%s, %s, STP_STRLEN);", into, literal);
	else if (len)
		cw_line(e->w, "stp_print(c, %s, %s);", literal, operand_number(e, (int64_t)len));
}

static void write_sprintf(struct emitter *e, const pieces *f, struct expr *x, const struct value *v, const char *into)
{
	int n;
	const char *table = format_table(e, f, &n);

	if (e->programs) {
		cw_line(e->w, "#ifdef STP_BPF");
		write_pieces(e, f, into, v);
		cw_line(e->w, "#else");
	}
	cw_line(e->w, "stp_sprintf(c, %s, STP_STRLEN, %s, %s, %s);", into, table, operand_number(e, n),
		arguments(e, x, v, 0, x->u.print.args.n));
	if (e->programs)
		cw_line(e->w, "#endif");
	if (may_fail(f))
		emit_check(e, x->loc);
}

static struct value print_format(struct emitter *e, struct expr *x, const char *into)
{
	pieces f = { 0 };
	struct value *v;

	format_of(x, &f);
	x = print_stacks(x, &f);
	if (may_fail(&f))
		emit_bpf_use(e, e->programs ? BPF_MEMORY : BPF_KERNEL_MEMORY);
	v = values_of(e, x);
	if (x->u.print.to_string)
		into = into ? into : temp_string(e);
	if (all_literal(&f))
		write_literal(e, &f, into);
	else if (into)
		write_sprintf(e, &f, x, v, into);
	else if (are_adders(e, x) && !may_fail(&f))
		write_adders(e, &f, x);
	else
		write_printf(e, &f, x, v);
	if (x->u.print.in_part)
		cw_line(e->w, "stp_structure_cut();");
	return into ? value_text(0, true, "%s", into) : value_number(0);
}

// $x$, $$vars: a fault replaces the whole text.
static struct value print_pretty(struct emitter *e, struct expr *x, const char *into)
{
	struct label fault = { .name = emit_label(e, "fault") }, *outer = e->body->on_error;
	const char *done = emit_label(e, "done");

	into = into ? into : temp_string(e);
	e->body->on_error = &fault;
	print_format(e, x, into);
	e->body->on_error = outer;
	if (fault.used) {
		cw_line(e->w, "goto %s;", done);
		cw_line(e->w, "%s:", fault.name);
		cw_line(e->w, "if (!stp_catch(c, NULL, 0))");
		cw_line(e->w, "\tgoto %s;", emit_error_label(e));
		cw_line(e->w, e->s->opt.bpf_runtime ? "stp_copy(%s, STP_LITERAL(%s), STP_STRLEN);" : "stp_copy(%s, %s, STP_STRLEN);",
			into, emit_c_string(x->u.print.on_fault));
		cw_line(e->w, "%s:", done);
		cw_line(e->w, ";");
	}
	return value_text(0, true, "%s", into);
}

// --merge: sends the values that this host has added to a global, or to an element of it.
static struct value print_merged(struct emitter *e, struct expr *x)
{
	struct var *v = x->u.print.merged;
	int keys = v->arity > 0 ? v->arity : 0;
	struct expr *last = x->u.print.args.at[keys];
	struct value *values = NEW_ARRAY(struct value, keys + 1);
	const char *at, *value;

	if (v->type == T_STATS) {
		emit_values(e, x->u.print.args.at, keys, values);
		value = emit_stat_of(e, last->u.stat.of);
	} else {
		emit_values(e, x->u.print.args.at, keys + 1, values);
		value = value_long(values[keys]);
	}
	at = str_printf("c, %d, %s, %s", v->merged - 1, arguments(e, x, values, 0, keys), value);
	if (v->type == T_STATS)
		cw_line(e->w, "stp_send_stat(%s, %s);", at, emit_desc(e, v));
	else if (v->type == T_STRING)
		cw_line(e->w, "stp_send_text(%s);", at);
	else
		cw_line(e->w, "stp_send_number(%s, %s);", at, v->set_by_host ? "true" : "false");
	return value_number(0);
}

// into: the buffer for forms that return a string, or NULL for a temporary.
struct value emit_print(struct emitter *e, struct expr *x, const char *into)
{
	if (!emit_needs_context(e, x->loc))
		return value_number(0);
	if (x->u.print.kind == PRINT_MERGED)
		return print_merged(e, x);
	if (x->u.print.args.n == 1 && x->u.print.args.at[0]->kind == E_HIST)
		return print_hist(e, x, into);
	return x->u.print.on_fault ? print_pretty(e, x, into) : print_format(e, x, into);
}
