// SPDX-License-Identifier: GPL-2.0-or-later
// Computes the cost of generated code. In: the C of a body as it is written. Out: STP_WORK() at the beginning of
// each block, pass of a loop or function whose cost is not small; and the set of handlers that need a budget. Costs
// of operations are listed in runtime/include/work.def; costs that depend on data are charged by the runtime.
//
// The cost is measured on the C itself, because its size is the measure: a few characters that are not a call are one
// unit, as they become a few instructions. Only this pass wrote that text. struct value holds parts of it, which
// hundreds of lines of emit/ put together by printf(); a cost beside each part would be a second account of the same
// C, and one that is forgotten would let a handler exceed its budget. C of the user and of tapsets is not read here:
// struct embedded lists its calls.
#include "emit/emitter.h"

#include <ctype.h>
#include <string.h>

enum {
	BLOCK = 2000,              // maximum cost of a sequence of statements that are charged together
	FUNCTION = 100,            // upper limit of the cost of a call of a function that does not charge its own
				   // work
	CALL_DEFAULT = 40,
	EMBEDDED = 200,            // cost of C of a tapset without a loop
	UNBOUNDED = 20000,         // a handler with a lower cost needs no budget
	OPERAND = 5,               // length of ".s = ", which precedes a string that is a key or is formatted
	TEXT_CHARS = 12,           // a byte of such a string costs as much as this number of characters of code
};

static const struct call_cost { const char *name; unsigned units, percent; bool charges; } call_costs[] = {
#define WORK(name, units, what)
#define CALL(function, units, percent) { #function, units, percent, false },
#define DATA(function, units, percent) { #function, units, percent, true },
#define BY_DATA(function) { #function, UNBOUNDED, 0, true },
#include "work.def"
};

static uint64_t cost_of_call(struct emitter *e, const char *name, size_t len, uint64_t *bound);

static const struct call_cost *find_cost(struct emitter *e, const char *name, size_t len)
{
	char key[64];

	if (len <= 4 || len >= sizeof(key) || strncmp(name, "stp_", 4))
		return NULL;
	if (!e->call_costs.n)
		for (const struct call_cost *p = call_costs; p < END(call_costs); p++)
			map_put(&e->call_costs, p->name, (void *)p);
	memcpy(key, name, len);
	key[len] = '\0';
	return map_get(&e->call_costs, key);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// Returns the cost that is charged for a call of a function in work.def. The cost that the function may charge
// itself is added to *bound.
static uint64_t listed_cost(struct emitter *e, const struct call_cost *p, uint64_t *bound)
{
	uint64_t by_data = p->percent * (uint64_t)emit_string_len(e) / 100;

	if (!p->charges)
		return p->units + by_data;
	*bound += p->units == UNBOUNDED ? UNBOUNDED : by_data;
	return p->units == UNBOUNDED ? CALL_DEFAULT : p->units;
}

// Returns the cost of copying a string.
static uint64_t copy_cost(struct emitter *e)
{
	uint64_t bound = 0;

	return cost_of_call(e, "stp_copy", strlen("stp_copy"), &bound);
}

// Returns the number of strings that are copied because the embedded C may write to them (write_caller()).
static uint64_t copied_strings(const struct func *f)
{
	uint64_t n = 0;

	if (!func_has(f, PRAGMA_RUNTIME) && !func_has(f, PRAGMA_UNMODIFIED_ARGS))
		for vec_each(&f->params, v)
			n += (*v)->type == T_STRING;
	return n;
}

// Returns the cost of embedded C, in which each called function of work.def counts once. "pragma:work:N" states the
// maximum of the total.
static uint64_t measure_embedded(struct emitter *e, const struct func *f, uint64_t *bound)
{
	const struct embedded *c = f->embedded;
	const struct c_word *call;
	uint64_t n = EMBEDDED + copied_strings(f) * copy_cost(e);

	if (c->work >= 0)
		return n + (uint64_t)c->work;
	if (embedded_word(c, "stp_charge") || embedded_has_prefix(c, "stp_user_stack"))
		*bound += UNBOUNDED;
	else if (!embedded_word(c, "stp_charge_text") && (embedded_word(c, "for") || embedded_word(c, "while")))
		n += 12 * (uint64_t)emit_string_len(e);
	for (const struct call_cost *p = call_costs; p < END(call_costs); p++) {
		call = embedded_word(c, p->name);
		for (int i = call ? call->calls : 0; i--; )
			n += listed_cost(e, p, bound);
	}
	return n;
}

// Returns the cost of the function's embedded C, which is computed once and cached for all its calls.
static uint64_t embedded_cost(struct emitter *e, struct func_info *i, uint64_t *bound)
{
	struct embedded_cost *cost = &i->embedded_cost;

	if (!cost->known) {
		cost->units = measure_embedded(e, i->func, &cost->bound);
		cost->known = true;
	}
	*bound += cost->bound;
	return cost->units;
}

// Returns the cost of one call, in units of work.def. Adds to *bound its maximum cost in a handler without loops,
// if that is known.
static uint64_t cost_of_call(struct emitter *e, const char *name, size_t len, uint64_t *bound)
{
	const struct call_cost *listed = find_cost(e, name, len);
	struct func_info *i;
	uint64_t n = CALL_DEFAULT;

	if (len > 2 && name[0] == 'f' && name[1] == '_') {
		i = map_get(&e->func_names, str_ndup(name, len));
		if (i) {
			n = i->func->body ? FUNCTION : embedded_cost(e, i, bound);
			if (i->func->body && e->caller)
				vec_push(&e->caller->called, i);
		}
	}
	if (listed)
		n = listed_cost(e, listed, bound);
	*bound += n;
	return n;
}

static bool is_format(const char *name, size_t len)
{
	return (len == 10 && !strncmp(name, "stp_printf", len)) || (len == 11 && !strncmp(name, "stp_sprintf", len));
}

// Returns whether there is a string literal at p, or the mark of one.
static bool is_literal(const struct emitter *e, const char *p)
{
	const struct operand *o = operand_at(e, p);

	return o ? o->kind == OPERAND_TEXT : *p == '"';
}

static bool follows_string(const char *from, const char *p)
{
	return p - from >= OPERAND && !strncmp(p - OPERAND, ".s = ", OPERAND);
}

static void scan(struct emitter *e, const char *from, const char *end, struct work *sum, uint64_t *bound);

static void scan_operand(struct emitter *e, const struct operand *o, bool string, struct work *sum, uint64_t *bound)
{
	if (o->kind != OPERAND_TEXT)
		scan(e, o->text, o->text + strlen(o->text), sum, bound);
	else if (string)
		sum->chars += TEXT_CHARS * (strlen(o->text) - 1);
}

// Adds the costs of a part of the text: calls by name; strings that are keys, and at twice the cost strings that
// are formatted; one unit for every few characters of other code.
static void scan(struct emitter *e, const char *from, const char *end, struct work *sum, uint64_t *bound)
{
	uint64_t n = 0, chars = 0, string = (uint64_t)emit_string_len(e), text = string;

	for (const char *p = from; p < end; p++) {
		const struct operand *o = operand_at(e, p);
		const char *start = p;

		if (o) {
			p = operand_end(p) - 1;
			scan_operand(e, o, follows_string(from, start), sum, bound);
		} else if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
			if (follows_string(from, start))
				chars += TEXT_CHARS * (uint64_t)(p - start);
		} else if (*p == '/' && p + 1 < end && p[1] == '*') {
			for (p += 2; p + 1 < end && (p[0] != '*' || p[1] != '/'); p++)
				;
		} else if (isalpha((unsigned char)*p)) {
			while (p < end && is_name(*p))
				p++;
			if (p < end && *p == '(')
				n += cost_of_call(e, start, (size_t)(p - start), bound);
			if (is_format(start, (size_t)(p - start)))
				text = 2 * string;
			p--;
			chars += 2;
		} else if (end - p > OPERAND && !strncmp(p, ".s = ", OPERAND) && !is_literal(e, p + OPERAND)) {
			n += text;
			*bound += text;
		} else if (*p != '\t' && *p != ' ' && *p != '\n') {
			chars++;
			text = *p == ';' ? string : text;
		}
	}
	sum->calls += n;
	sum->chars += chars;
}

static uint64_t units(struct work sum)
{
	return sum.calls + sum.chars / 6;
}

// Returns whether body.estimated has the costs of the current text, a part of a long handler or the body.
static bool is_estimated(const struct emitter *e)
{
	return e->w == (e->body->parts.open ? e->body->parts.open : &e->body->code);
}

struct work_mark work_begin(struct emitter *e)
{
	return (struct work_mark){ e->w->text.len, e->body->charged };
}

uint64_t work_since(struct emitter *e, struct work_mark m)
{
	struct buf *text = &e->w->text;
	struct func_info *caller = e->caller;
	struct estimated none = { 0 }, *last = is_estimated(e) ? &e->body->estimated : &none;
	uint64_t bound = 0, n, charged = e->body->charged - m.charged;
	bool within = last->end && last->at >= m.at && last->end <= text->len;
	struct estimated now = { .at = m.at, .end = text->len };

	if (text->len <= m.at)
		return 0;
	e->caller = NULL;
	if (within)
		now.sum = last->sum;
	scan(e, text->text + m.at, text->text + (within ? last->at : text->len), &now.sum, &bound);
	if (within)
		scan(e, text->text + last->end, text->text + text->len, &now.sum, &bound);
	e->caller = caller;
	*last = now;
	n = units(now.sum);
	return n > charged ? n - charged : 0;
}

static void insert(struct buf *text, size_t at, const char *line)
{
	size_t len = strlen(line), after = text->len - at;

	buf_puts(text, line);              // ensures that the buffer is large enough
	memmove(text->text + at + len, text->text + at, after);
	memcpy(text->text + at, line, len);
}

static void charge(struct emitter *e, struct work_mark m, uint64_t n, struct loc loc)
{
	struct estimated *last = &e->body->estimated;
	struct buf line = { 0 };

	cw_indent(&line, e->w->depth);
	buf_printf(&line, "STP_WORK(c, %s, %s, %s);\n", operand_number(e, (int64_t)n), emit_operator_at(e, loc),
		   emit_error_label(e));
	insert(&e->w->text, m.at, buf_text(&line));
	e->body->charged += n;
	if (!is_estimated(e) || last->end <= m.at)
		return;
	last->end = last->at >= m.at ? last->end + line.len : 0;
	last->at += line.len;
}

void work_end(struct emitter *e, struct work_mark m, uint64_t min, struct loc loc)
{
	uint64_t n = work_since(e, m);

	if (n >= min && !e->body->no_context)
		charge(e, m, n, loc);
}

void work_end_branch(struct emitter *e, struct work_mark m, struct loc loc)
{
	work_end(e, m, BLOCK / 4, loc);
}

bool work_end_block(struct emitter *e, struct work_mark m, uint64_t n, struct loc loc)
{
	if (n < BLOCK || e->body->no_context)
		return false;
	charge(e, m, n, loc);
	return true;
}

void work_end_function(struct emitter *e, struct func_info *i, struct loc loc)
{
	struct work_mark all = { 0 };
	struct work sum = { 0 };

	e->caller = i;
	i->cost = 0;
	scan(e, buf_text(&e->body->parts.code.text), buf_text(&e->body->parts.code.text) + e->body->parts.code.text.len, &sum,
	     &i->cost);
	scan(e, buf_text(&e->w->text), buf_text(&e->w->text) + e->w->text.len, &sum, &i->cost);
	sum.calls = 0;
	for vec_each(&e->body->locals, l)
		sum.calls += l->copied && l->var->type == T_STRING ? copy_cost(e) : 0;
	i->cost += e->body->parts.repeats ? UNBOUNDED : units(sum);
	sum.calls += work_since(e, all);
	if (i->func && sum.calls >= FUNCTION && !e->body->no_context)
		charge(e, all, sum.calls, loc);
}

// Returns the maximum cost of a handler, including all its calls; an unbounded cost is at least UNBOUNDED.
static uint64_t cost(struct func_info *i)
{
	if (i->cost_known || (i->func && i->func->recursive))
		return i->cost_known ? i->cost : UNBOUNDED;
	for vec_each(&i->called, to) {
		if (i->cost >= UNBOUNDED)
			break;
		i->cost += cost(*to);
	}
	i->cost_known = true;
	return i->cost;
}

bool work_is_bounded(struct func_info *root)
{
	return !root || cost(root) < UNBOUNDED;
}
