// SPDX-License-Identifier: GPL-2.0-or-later
// Advice for values of debuginfo that are used as strings: a suitable expression, by their C types.
#include "elab/target.h"
#include "util/foreign_words.h"
#include "util/str.h"

#include <ctype.h>
#include <string.h>

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// Returns the end of the components "->name" and "[1]" at `at`.
static const char *after_components(const char *at)
{
	for (;;) {
		size_t digits = *at == '[' ? strspn(at + 1, "0123456789") : 0;

		if (at[0] == '-' && at[1] == '>')
			for (at += 2; is_name(*at); at++)
				;
		else if (digits && at[1 + digits] == ']')
			at += digits + 2;
		else
			return at;
	}
}

// Returns "$o->name" if the script contains a variable with components at the location, else NULL. The location may
// be that of any component.
static const char *spelling(struct loc loc)
{
	const char *line = loc.source ? diag_line(loc.source, loc.line) : NULL;

	for (const char *at = line ? strchr(line, '$') : NULL; at; at = strchr(at + 1, '$')) {
		const char *end = at + 1;

		if (isdigit((unsigned char)*end))       // an argument of the script
			continue;
		while (is_name(*end))
			end++;
		end = after_components(end);
		if (end > at + 1 && loc.column - 1 >= at - line && loc.column - 1 < end - line)
			return str_ndup(at, end - at);
	}
	return NULL;
}

static bool is_aggregate(const struct di_type *t)
{
	return t->kind == DI_STRUCT || t->kind == DI_UNION;
}

static bool is_wide(const struct di_type *t)
{
	return di_is_user(t->module) && (!strcmp(t->name, "wchar_t") || !strcmp(t->name, "char32_t"));
}

// Returns advice for a pointer or array of `target`, which is NULL for "void *"; `x` is the source text of the
// value.
static const char *pointer_advice(const struct di_type *t, struct di_type *target, const char *x)
{
	const char *from = di_is_user(t->module) ? "user" : "kernel", *index = t->kind == DI_ARRAY ? "[0]" : "";
	struct di_type *next = target && target->kind == DI_POINTER ? di_target(target) : NULL;
	struct di_member characters;

	if (!target || target->kind == DI_VOID)
		return str_printf("%%p prints the address, and @cast(%s, \"struct NAME\") gives it a type", x);
	if (target->kind == DI_CHAR)
		return str_printf("%s_string(%s) is its text, and %s$ prints it", from, x, x);
	if (is_wide(target))
		return str_printf("user_string_utf32(%s) is its text", x);
	if (target->kind == DI_FUNCTION)
		return str_printf("%ssymname(%s) is the name of the function", di_is_user(t->module) ? "u" : "", x);
	if (target->kind == DI_STRUCT && di_find_member(target, "_M_dataplus", &characters))     // std::string of libstdc++
		return str_printf("user_string(%s%s->_M_dataplus->_M_p) is its text", x, index);
	if (is_aggregate(target))
		return str_printf("%s%s->MEMBER reads a member, and %s$ prints all", x, index, x);
	if (next && next->kind == DI_CHAR)
		return str_printf("%s_string(%s[0]) is the text of its first element", from, x);
	return str_printf("%s[0] reads an element, and %s$ prints it", x, x);
}

const char *target_value_advice(struct loc loc, const struct di_type *t, const char *what)
{
	const char *written = spelling(loc), *x = written ? written : "VALUE", *advice;

	if (t && t->kind == DI_FLOAT)
		advice = str_printf("fp_to_string(%s, 2) is its text, fp_to_long(%s, 0, 0) its integer part", x, x);
	else if (t && (t->kind == DI_POINTER || t->kind == DI_ARRAY))
		advice = pointer_advice(t, di_target(t), x);
	else if (t && t->kind == DI_ENUM)
		advice = "%d prints its number";
	else if (t && t->kind == DI_CHAR)
		advice = "%c prints the character, %d its number";
	else
		return foreign_word_operand(what);
	return str_printf("; %s is %s: %s", written ? written : "its type", t->name, advice);
}

void target_warn_address(const struct expr *e, const char *use)
{
	const struct di_type *t = e->dtype;
	struct di_type *element = t && t->kind == DI_ARRAY ? di_target(t) : NULL;

	if (element && element->kind == DI_CHAR && e->type == T_LONG && e->kind != E_VAR && e->kind != E_INDEX)
		diag_warning(e->loc, "%s the address of an array%s", use, target_value_advice(e->loc, t, ""));
}

// Returns the calls that calculate with floating-point numbers in place of an operator of integers, or NULL.
static const char *float_calls(enum tok op)
{
	static const struct { enum tok op, assigns; const char *calls; } of_op[] = {
		{ TOK_ADD, TOK_ADD_ASSIGN, "fp_add(a, b)" }, { TOK_SUB, TOK_SUB_ASSIGN, "fp_sub(a, b)" },
		{ TOK_MUL, TOK_MUL_ASSIGN, "fp_mul(a, b)" }, { TOK_DIV, TOK_DIV_ASSIGN, "fp_div(a, b)" },
		{ TOK_MOD, TOK_MOD_ASSIGN, "fp_rem(a, b)" }, { TOK_LT, TOK_LT, "fp_lt(a, b)" }, { TOK_LE, TOK_LE, "fp_le(a, b)" },
		{ TOK_GT, TOK_GT, "fp_lt(b, a)" }, { TOK_GE, TOK_GE, "fp_le(b, a)" }, { TOK_EQ, TOK_EQ, "fp_eq(a, b)" },
		{ TOK_NE, TOK_NE, "!fp_eq(a, b)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of_op); i++)
		if (op == of_op[i].op || op == of_op[i].assigns)
			return of_op[i].calls;
	return NULL;
}

// Functions may calculate with the bits of their parameters.
static bool is_float_value(const struct expr *e, bool in_function)
{
	bool is_var = e->kind == E_VAR || e->kind == E_INDEX;

	return e->dtype && e->dtype->kind == DI_FLOAT && e->type == T_LONG && !(is_var && in_function);
}

// Bits are compared correctly with those of another floating-point number, and with 0.
static bool compares_bits(enum tok op, const struct expr *l, const struct expr *r)
{
	bool floats = l->dtype && l->dtype->kind == DI_FLOAT && r->dtype && r->dtype->kind == DI_FLOAT;
	bool zero = (l->kind == E_NUMBER && !l->u.number) || (r->kind == E_NUMBER && !r->u.number);

	return (op == TOK_EQ || op == TOK_NE) && (floats || zero);
}

void target_check_arithmetic(const struct expr *e, bool in_function)
{
	bool unary = e->kind == E_UNARY && e->u.un.op == TOK_SUB;
	const struct expr *l, *r, *found;
	enum tok op;

	if ((!unary && e->kind != E_BINARY && e->kind != E_ASSIGN) || (e->loc.source && e->loc.source->library))
		return;
	op = unary ? e->u.un.op : e->u.bin.op;
	l = unary ? e->u.un.e : e->u.bin.l;
	r = unary ? l : e->u.bin.r;
	found = is_float_value(l, in_function) ? l : is_float_value(r, in_function) ? r : NULL;
	if (!found || compares_bits(op, l, r))
		return;
	if (op == TOK_STAT_ADD)
		diag_error(found->loc, "a statistic consists of integers, not of values of the type %s: add fp_to_long(value, 0, 0), "
			   "or fp_to_long(fp_mul(value, long_to_fp(1000)), 0, 0) for thousandths", found->dtype->name);
	else if (float_calls(op))
		diag_error(found->loc, "\"%s\" requires integers, and this is a %s: write %s, where long_to_fp(n) is the number n",
			   tok_text(op), found->dtype->name, unary ? "fp_sub(0, value)" : float_calls(op));
}
