// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions: tree -> text in the language of stap. Loads through pointers that bpftrace writes with "*", "." and "->"
// are members of typed values, or calls of the functions that read memory.
#include "foreign/bt.h"

#include <ctype.h>
#include <string.h>

static char *parenthesized(char *text, int level, int bind)
{
	return level < bind ? str_printf("(%s)", text) : text;
}

// ---------------------------------------------------------------- memory

// Returns a load of `type` from an address. Other functions load from addresses of a process.
static char *load(const struct bt_type *type, const char *address, bool user)
{
	static const char *const kernel[] = {
		[1] = "kernel_char", [2] = "kernel_short", [4] = "kernel_int", [8] = "kernel_long"
	};
	static const char *const masks[] = { [1] = "0xff", [2] = "0xffff", [4] = "0xffffffff" };
	int size = type->kind == BT_T_INT && (type->size == 1 || type->size == 2 || type->size == 4) ? type->size : 8;

	if (user)
		return str_printf("user_%sint%d(%s)", type->is_signed || size == 8 ? "" : "u", size * 8, address);
	if (size == 8 || type->is_signed)
		return str_printf("%s(%s)", kernel[size], address);
	return str_printf("(%s(%s) & %s)", kernel[size], address, masks[size]);
}

// Returns "@cast(p, "struct sock", "kernel")"; in a program the type is the program's own.
static char *cast_text(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type from = bt_type_of(t, n->kids.at[0]);
	const char *inner = n->kids.at[0]->kind == BT_UNARY && *n->kids.at[0]->text == '&' ?
		bt_address(t, n->kids.at[0]->kids.at[0]) :
		from.kind == BT_T_STRUCT ? bt_address(t, n->kids.at[0]) :
					   bt_expr(t, n->kids.at[0], BT_BIND_NONE);

	return str_printf("@cast(%s, \"%s\"%s)", inner, n->cast.of,
			  bt_in_user(t->action) && !from.kernel ? "" : ", \"kernel\"");
}

static bool names_struct(const struct bt_type *type)
{
	return type->of && (str_starts(type->of, "struct ") || str_starts(type->of, "union ") || !type->size);
}

static char *integer_cast(struct bt_translation *t, const struct bt_node *n, int bind)
{
	const struct bt_node *inner = n->kids.at[0];
	int bits = 64 - 8 * n->cast.size;

	if (n->cast.size == 8 || !n->cast.size)
		return bt_expr(t, inner, bind);
	if (n->cast.is_signed)
		return parenthesized(str_printf("%s << %d >> %d", bt_expr(t, inner, BT_BIND_SHIFT), bits, bits), BT_BIND_SHIFT, bind);
	return parenthesized(str_printf("%s & 0x%llx", bt_expr(t, inner, BT_BIND_BITAND), (1ULL << 8 * n->cast.size) - 1),
			     BT_BIND_BITAND, bind);
}

static char *cast(struct bt_translation *t, const struct bt_node *n, int bind)
{
	if (n->cast.kind == BT_T_INT)
		return integer_cast(t, n, bind);
	if (n->cast.kind == BT_T_STRUCT) {
		bt_problem(t, n->loc, "a value cannot be converted to \"%s\": convert a pointer to it", n->cast.of);
		return "0";
	}
	// For a pointer to numbers, the loads through it have its type.
	if (n->cast.depth > 1 || !names_struct(&n->cast))
		return bt_expr(t, n->kids.at[0], bind);
	if (map_get(&t->script->structs, n->cast.of) && bt_in_user(t->action) && !bt_type_of(t, n->kids.at[0]).kernel)
		bt_problem(t, n->loc, "the script defines the type \"%s\", but stap reads types only from debuginfo", n->cast.of);
	return cast_text(t, n);
}

// Translates "$kv.0" and "$kv.1" in a loop over a map: the key and the value. "$kv.0.1" is the second of several
// keys.
static bool loop_element(struct bt_translation *t, const struct bt_node *n, char **text)
{
	const struct bt_node *base = n->kids.at[0];
	const struct bt_var *v;
	int i = bt_small_number(n->text);

	if (base->kind == BT_MEMBER && base->kids.at[0]->kind == BT_VAR && !strcmp(base->text, "0")) {
		v = bt_find(t, base->kids.at[0]);
		*text = v->loop && i >= 0 && i < v->loop_keys.n ? (char *)v->loop_keys.at[i] : NULL;
		return *text;
	}
	v = base->kind == BT_VAR ? bt_find(t, base) : NULL;
	if (!v || !v->loop || i < 0 || (i == 0 && v->loop_keys.n > 1))
		return false;
	if (!v->loop_keys.n) {
		bt_problem(t, n->loc, "$%s has a key and a value only in the loop over a map: move this into the loop", base->text);
		*text = "0";
		return true;
	}
	*text = i ? bt_loop_value(v->loop, &v->loop_keys) : (char *)v->loop_keys.at[0];
	return true;
}

// Returns the path to a member without the load: "sk->__sk_common->skc_family".
static char *member_path(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *base = n->kids.at[0];
	struct bt_field field;
	char *text;

	if (base->kind == BT_NAME && !strcmp(base->text, "args")) {
		if (bt_args_field(t, n, &field))
			return (char *)field.text;
		bt_problem(t, n->loc, "the argument \"%s\" of %s is not an argument of the tracepoint: stap -L lists these", n->text,
			   t->action->points.at[0].text);
		return "0";
	}
	if (loop_element(t, n, &text))
		return text;
	if (isdigit((unsigned char)*n->text)) {
		bt_problem(t, n->loc, "stap has no tuples: use a variable for each element");
		return "0";
	}
	if (base->kind == BT_UNARY && *base->text == '*')      // the member is (*p).m
		base = base->kids.at[0];
	return str_printf("%s->%s", bt_expr(t, base, BT_BIND_POSTFIX), n->text);
}

static bool is_args(const struct bt_node *n)
{
	return n->kind == BT_MEMBER && n->kids.at[0]->kind == BT_NAME && !strcmp(n->kids.at[0]->text, "args");
}

// Adds the type to an address of a process, since parameters of system calls are numbers.
static char *typed_base(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type = bt_type_of(t, n);

	if (is_args(n) && type.user && type.kind == BT_T_POINTER && type.of && type.depth == 1 && names_struct(&type))
		return str_printf("@cast(%s, \"%s\", \"kernel\")", bt_expr(t, n, BT_BIND_NONE), type.of);
	return bt_expr(t, n, BT_BIND_POSTFIX);
}

static char *member(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type;
	bool user;

	if (is_args(n))
		return member_path(t, n);
	if (isdigit((unsigned char)*n->text))
		return member_path(t, n);
	type = bt_type_of(t, n);
	user = bt_type_of(t, n->kids.at[0]).user && !bt_in_user(t->action);
	if (!user)
		return member_path(t, n);
	return load(&type, str_printf("&%s->%s", typed_base(t, n->kids.at[0]), n->text), true);
}

static char *element(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *base = n->kids.at[0], *index = n->kids.at[1];
	struct bt_type from = bt_type_of(t, base), type = bt_type_of(t, n);
	int size = type.kind == BT_T_POINTER ? 8 : type.size ? type.size : 8;
	const char *offset;

	if (base->kind == BT_MEMBER && !is_args(base) && !from.user && from.kind != BT_T_POINTER)
		return str_printf("%s[%s]", member_path(t, base), bt_expr(t, index, BT_BIND_NONE));
	if (type.kind == BT_T_STRUCT) {
		bt_problem(t, n->loc, "this array of structs cannot be indexed: cast the address of the element");
		return "0";
	}
	offset = size == 1 ? bt_expr(t, index, BT_BIND_ADD) : str_printf("%d * %s", size, bt_expr(t, index, BT_BIND_MUL + 1));
	return load(&type, str_printf("%s + %s", bt_expr(t, base, BT_BIND_ADD), offset), bt_reads_user(t, &from));
}

char *bt_address(struct bt_translation *t, const struct bt_node *n)
{
	if (n->kind == BT_UNARY && *n->text == '*')
		return bt_expr(t, n->kids.at[0], BT_BIND_NONE);
	if (n->kind == BT_MEMBER && !is_args(n))
		return str_printf("&%s->%s", typed_base(t, n->kids.at[0]), n->text);
	return bt_expr(t, n, BT_BIND_NONE);
}

static char *dereference(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type = bt_type_of(t, n), from = bt_type_of(t, n->kids.at[0]);

	if (type.kind == BT_T_STRUCT)
		return bt_expr(t, n->kids.at[0], BT_BIND_POSTFIX);
	return load(&type, bt_expr(t, n->kids.at[0], BT_BIND_NONE), bt_reads_user(t, &from));
}

static void fault_visit(struct bt_node *n, void *data)
{
	if ((n->kind == BT_MEMBER && !is_args(n) && !isdigit((unsigned char)*n->text)) || n->kind == BT_INDEX ||
	    (n->kind == BT_UNARY && *n->text == '*'))
		*(bool *)data = true;
	if (n->kind == BT_CALL && (!strcmp(n->text, "join") || !strcmp(n->text, "buf") || !strcmp(n->text, "path")))
		*(bool *)data = true;
}

bool bt_may_fault(struct bt_translation *t, const struct bt_node *n)
{
	bool may = false;

	bt_each_node((struct bt_node *)n, fault_visit, &may);
	return may;
}

// ---------------------------------------------------------------- operators

static const struct { const char *text; int level; } levels[] = {
	{ "||", BT_BIND_OR }, { "&&", BT_BIND_AND }, { "|", BT_BIND_BITOR }, { "^", BT_BIND_XOR }, { "&", BT_BIND_BITAND },
	{ "==", BT_BIND_COMPARE }, { "!=", BT_BIND_COMPARE }, { "<", BT_BIND_COMPARE }, { ">", BT_BIND_COMPARE },
	{ "<=", BT_BIND_COMPARE }, { ">=", BT_BIND_COMPARE }, { "<<", BT_BIND_SHIFT }, { ">>", BT_BIND_SHIFT },
	{ "+", BT_BIND_ADD }, { "-", BT_BIND_ADD }, { "*", BT_BIND_MUL }, { "/", BT_BIND_MUL }, { "%", BT_BIND_MUL },
};

static int level_of(const char *operator)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (!strcmp(levels[i].text, operator))
			return levels[i].level;
	return BT_BIND_NONE;
}

static char *binary(struct bt_translation *t, const struct bt_node *n, int bind)
{
	const struct bt_node *a = n->kids.at[0], *b = n->kids.at[1];
	int level = level_of(n->text);
	struct bt_type left = bt_type_of(t, a), right = bt_type_of(t, b);
	bool text = level == BT_BIND_COMPARE && (bt_is_text(&left) || bt_is_text(&right));

	if (level == BT_BIND_AND || level == BT_BIND_OR)
		return parenthesized(
			str_printf("%s %s %s", bt_condition(t, a, level), n->text, bt_condition(t, b, level + 1)), level,
			bind);
	if (text)
		return parenthesized(str_printf("%s %s %s", bt_string(t, a), n->text, bt_string(t, b)), level, bind);
	return parenthesized(str_printf("%s %s %s", bt_expr(t, a, level == BT_BIND_COMPARE ? level + 1 : level), n->text,
					bt_expr(t, b, level + 1)), level, bind);
}

static char *unary(struct bt_translation *t, const struct bt_node *n, int bind)
{
	const struct bt_node *inner = n->kids.at[0];
	const char *text;

	if (*n->text == '*')
		return dereference(t, n);
	if (*n->text == '&')
		return bt_address(t, inner);
	if (*n->text == '!')
		return parenthesized(str_printf("!%s", bt_condition(t, inner, BT_BIND_UNARY)), BT_BIND_UNARY, bind);
	text = bt_expr(t, inner, BT_BIND_UNARY);
	// "- -x" differs from "--x".
	return parenthesized(str_printf(*text == *n->text ? "%s(%s)" : "%s%s", n->text, text), BT_BIND_UNARY, bind);
}

static char *conditional(struct bt_translation *t, const struct bt_node *n, int bind)
{
	struct bt_type yes = bt_type_of(t, n->kids.at[1]), no = bt_type_of(t, n->kids.at[2]);
	bool text = bt_is_text(&yes) || bt_is_text(&no);

	return parenthesized(str_printf("%s ? %s : %s", bt_condition(t, n->kids.at[0], BT_BIND_OR),
					text ? bt_string(t, n->kids.at[1]) : bt_expr(t, n->kids.at[1], BT_BIND_OR),
					text ? bt_string(t, n->kids.at[2]) : bt_expr(t, n->kids.at[2], BT_BIND_COND)),
			     BT_BIND_COND, bind);
}

char *bt_condition(struct bt_translation *t, const struct bt_node *n, int bind)
{
	struct bt_type type = bt_type_of(t, n);

	if (bt_is_text(&type))
		return parenthesized(str_printf("%s != \"\"", bt_string(t, n)), BT_BIND_COMPARE, bind);
	return bt_expr(t, n, bind);
}

// ---------------------------------------------------------------- leaves

static char *number(const struct bt_node *n)
{
	if (*n->text && !n->text[strspn(n->text, "0123456789")] && (n->text[0] != '0' || !n->text[1]))
		return (char *)n->text;
	if (str_starts(n->text, "0x") && !n->text[2 + strspn(n->text + 2, "0123456789abcdefABCDEF")])
		return (char *)n->text;
	return str_printf("%lld", (long long)n->number);
}

struct bt_twice bt_twice(struct bt_translation *t, const struct bt_node *n, char *text)
{
	const char *name;

	if (n->kind == BT_NUMBER || n->kind == BT_STRING || n->kind == BT_VAR)
		return (struct bt_twice){ text, text };
	name = bt_fresh_local(t, "value");
	return (struct bt_twice){ str_printf("%s = %s", name, text), name };
}

// Returns the keys as an index. again: if not NULL, receives the index for a second use in the same expression.
static char *keys_text(struct bt_translation *t, const struct bt_node *map, char **again)
{
	struct bt_var *v = bt_find(t, map);
	struct buf b = { 0 }, second = { 0 };

	if (map->kids.n != v->arity)
		bt_problem(t, map->loc, "the map \"@%s\" is used with %d keys in another statement", v->name, v->arity);
	for (int i = 0; i < map->kids.n; i++) {
		char *text = bt_value(t, map->kids.at[i], i < v->keys.n && bt_is_text(&v->keys.at[i]));
		struct bt_twice key = again ? bt_twice(t, map->kids.at[i], text) : (struct bt_twice){ text, text };

		buf_printf(&b, "%s%s", i ? ", " : "[", key.first);
		buf_printf(&second, "%s%s", i ? ", " : "[", key.second);
	}
	if (b.len) {
		buf_putc(&b, ']');
		buf_putc(&second, ']');
	}
	if (again)
		*again = buf_text(&second);
	return buf_text(&b);
}

char *bt_keys(struct bt_translation *t, const struct bt_node *map)
{
	return keys_text(t, map, NULL);
}

static char *map_value(struct bt_translation *t, const struct bt_node *n)
{
	static const char *const extractors[] = {
		[BT_COUNT] = "@count", [BT_SUM] = "@sum", [BT_AVG] = "@avg", [BT_MIN] = "@min", [BT_MAX] = "@max",
		[BT_STATS] = "@avg", [BT_HIST] = "@count", [BT_LHIST] = "@count",
	};
	const struct bt_var *v = bt_find(t, n);
	const char *extractor = extractors[v->aggregate];
	char *text, *again;

	if (!bt_requires_values(extractor)) {
		text = str_printf("%s%s", v->out, bt_keys(t, n));
		return extractor ? str_printf("%s(%s)", extractor, text) : text;
	}
	text = keys_text(t, n, &again);
	return str_printf("(@count(%s%s) ? %s(%s%s) : 0)", v->out, text, extractor, v->out, again);
}

static char *position(const struct bt_node *n)
{
	if (*n->text == '#')
		return "$#";
	return str_printf("%%( $# >= %s %%? $%s %%: 0 %%)", n->text, n->text);
}

static char *size_of(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type = n->kids.n ? bt_type_of(t, n->kids.at[0]) : n->cast;

	if (type.kind == BT_T_INT)
		return str_printf("%d", type.size ? type.size : 8);
	if (type.kind == BT_T_POINTER)
		return "8";
	if (type.kind == BT_T_STRUCT && type.of)
		return str_printf("@cast_sizeof(\"%s\")", type.of);
	bt_problem(t, n->loc, "the size of this type cannot be determined: write the number");
	return "0";
}

static char *assignment(struct bt_translation *t, const struct bt_node *n, int bind)
{
	const struct bt_var *v = bt_find(t, n->kids.at[0]);
	const char *keys = v->is_map ? bt_keys(t, n->kids.at[0]) : "";
	struct bt_type type = bt_type_of(t, n->kids.at[0]);

	return parenthesized(str_printf("%s%s %s %s", v->out, keys, n->text, bt_value(t, n->kids.at[1], bt_is_text(&type))),
			     BT_BIND_NONE, bind);
}

static char *increment(struct bt_translation *t, const struct bt_node *n)
{
	const char *inner = bt_expr(t, n->kids.at[0], BT_BIND_POSTFIX);

	return n->prefix ? str_printf("%s%s", n->text, inner) : str_printf("%s%s", inner, n->text);
}

static char *variable(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_var *v = bt_find(t, n);

	if (v->loop_keys.n)
		bt_problem(t, n->loc, "$%s is a pair here: use $%s.0, the key, or $%s.1, the value", n->text, n->text, n->text);
	return (char *)v->out;
}

char *bt_expr(struct bt_translation *t, const struct bt_node *n, int bind)
{
	switch (n->kind) {
	case BT_NUMBER: return number(n);
	case BT_STRING: return str_printf("\"%s\"", n->text);
	case BT_NAME: return bt_builtin_text(t, n);
	case BT_VAR: return variable(t, n);
	case BT_MAP: return map_value(t, n);
	case BT_POSITION: return position(n);
	case BT_CALL: return bt_call(t, n);
	case BT_UNARY: return unary(t, n, bind);
	case BT_BINARY: return binary(t, n, bind);
	case BT_ASSIGN: return assignment(t, n, bind);
	case BT_INCREMENT: return increment(t, n);
	case BT_COND: return conditional(t, n, bind);
	case BT_CAST: return cast(t, n, bind);
	case BT_MEMBER: return member(t, n);
	case BT_INDEX: return element(t, n);
	case BT_SIZEOF: return size_of(t, n);
	default:
		bt_problem(t, n->loc, "stap has no tuples: use a variable for each element");
		return "0";
	}
}

char *bt_string(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type = bt_type_of(t, n);
	bool reads = n->kind == BT_MEMBER || n->kind == BT_INDEX || (n->kind == BT_UNARY && *n->text == '*');

	if (type.kind == BT_T_CHARS || (reads && type.kind == BT_T_UNKNOWN)) {
		bool user = bt_reads_user(t, &type);
		const char *address = user && !bt_in_user(t->action) ? bt_address(t, n) : n->kind == BT_MEMBER ? member_path(t, n) :
			bt_expr(t, n, BT_BIND_NONE);

		if (!strcmp(address, "task_current()->comm"))
			return "execname()";
		return str_printf("%s(%s, \"\")", user ? "user_string" : "kernel_string", address);
	}
	if (type.kind == BT_T_KSTACK)
		return n->kind == BT_NAME ? "sprint_backtrace()" : str_printf("sprint_stack(%s)", bt_expr(t, n, BT_BIND_NONE));
	if (n->kind == BT_COND)
		return conditional(t, n, BT_BIND_DOT);
	if (bt_is_text(&type))
		return bt_expr(t, n, BT_BIND_DOT);
	return str_printf("sprint(%s)", bt_expr(t, n, BT_BIND_NONE));
}

char *bt_value(struct bt_translation *t, const struct bt_node *n, bool string)
{
	struct bt_type type = bt_type_of(t, n);

	if (type.kind == BT_T_KSTACK && string)
		return bt_expr(t, n, BT_BIND_COND);
	if (string || type.kind == BT_T_CHARS)
		return bt_string(t, n);
	if (type.kind == BT_T_STRUCT)
		return bt_address(t, n);
	return bt_expr(t, n, BT_BIND_COND);
}
