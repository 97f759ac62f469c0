// SPDX-License-Identifier: GPL-2.0-or-later
// Types of scratch variables and maps. bpftrace infers them from the first assignment, stap from all uses. The
// translation depends on the types where bpftrace converts implicitly: arrays of characters become strings, stacks
// become text.
#include "foreign/bt.h"

#include "debuginfo/debuginfo.h"

#include <string.h>

// ---------------------------------------------------------------- types of debuginfo

// base: the type of the address from which the value is read.
static struct bt_type from_debuginfo(struct di_type *di, const struct bt_type *base)
{
	struct bt_type type = { .di = di, .user = base->user, .kernel = base->kernel };
	struct di_type *target;

	if (!di)
		return type;
	switch (di->kind) {
	case DI_STRUCT: case DI_UNION:
		type.kind = BT_T_STRUCT;
		type.of = di->name;
		break;
	case DI_POINTER:
		type.kind = BT_T_POINTER;
		target = di_target(di);
		for (type.depth = 1; target && target->kind == DI_POINTER; type.depth++)
			target = di_target(target);
		type.di = target;
		type.of = target ? target->name : "void";
		type.size = target ? (int)target->size : 0;
		break;
	case DI_ARRAY:
		target = di_target(di);
		type.kind = target && target->kind == DI_CHAR ? BT_T_CHARS : BT_T_ARRAY;
		break;
	default:
		type.kind = BT_T_INT;
		type.size = (int)di->size;
		type.is_signed = di->is_signed;
	}
	return type;
}

// Looks up a type that the script names in the kernel's debuginfo.
static struct bt_type resolved(struct bt_translation *t, struct bt_type type)
{
	if (t->kernel && type.of && !type.di && (type.kind == BT_T_STRUCT || type.kind == BT_T_POINTER))
		type.di = di_find_type(t->kernel, type.of);
	return type;
}

// Recognizes arrays of characters by their usual names, if there is no debuginfo.
static struct bt_type guessed(const char *member)
{
	static const char *const chars[] = { "comm", "disk_name", "s_id", "nodename", "sysname", "d_iname" };
	struct bt_type type = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(chars); i++)
		if (!strcmp(member, chars[i]))
			type.kind = BT_T_CHARS;
	if (str_starts(member, "u6_addr"))
		type.kind = BT_T_ARRAY;
	if (str_ends(member, "port")) {
		type.kind = BT_T_INT;
		type.size = 2;
	}
	return type;
}

int bt_small_number(const char *text)
{
	int64_t n;

	return str_number(text, 0, 99, &n) ? (int)n : -1;
}

// Determines the type of a loop variable, of its key or of its value. Returns false if n is another expression.
static bool loop_type(struct bt_translation *t, const struct bt_node *n, struct bt_type *type)
{
	const struct bt_node *base = n->kids.at[0];
	bool one_of_keys = base->kind == BT_MEMBER && base->kids.at[0]->kind == BT_VAR;
	const struct bt_var *v = one_of_keys ? bt_find(t, base->kids.at[0]) : base->kind == BT_VAR ? bt_find(t, base) : NULL;
	int i = bt_small_number(n->text);

	if (!v || !v->loop)
		return false;
	if (one_of_keys || i == 0)
		*type = i >= 0 && i < v->loop->keys.n ? v->loop->keys.at[i] : (struct bt_type){ 0 };
	else
		*type = v->loop->aggregate ? (struct bt_type){ .kind = BT_T_INT, .is_signed = true } : v->loop->type;
	return true;
}

static struct bt_type member_type(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type base;
	struct di_member member;
	struct bt_field field;

	if (n->kids.at[0]->kind == BT_NAME && !strcmp(n->kids.at[0]->text, "args"))
		return bt_args_field(t, n, &field) ? field.type : (struct bt_type){ 0 };
	if (loop_type(t, n, &base))
		return base;
	base = bt_type_of(t, n->kids.at[0]);
	if (!base.di || !di_find_member(base.di, n->text, &member)) {
		struct bt_type type = guessed(n->text);

		type.user = base.user;
		type.kernel = base.kernel;
		return type;
	}
	return from_debuginfo(member.type, &base);
}

// ---------------------------------------------------------------- expressions

static struct bt_type pointed(struct bt_type type)
{
	if (type.kind == BT_T_ARRAY && type.di)
		return from_debuginfo(di_target(type.di), &type);
	if (type.kind == BT_T_CHARS)
		return (struct bt_type){ .kind = BT_T_INT, .size = 1, .is_signed = true };
	if (type.kind != BT_T_POINTER)
		return (struct bt_type){ .kind = BT_T_INT, .is_signed = true, .user = type.user, .kernel = type.kernel };
	if (type.depth > 1) {
		type.depth--;
		return type;
	}
	if (type.di)
		return from_debuginfo(type.di, &type);
	if (type.size)
		return (struct bt_type){ .kind = BT_T_INT, .size = type.size, .is_signed = type.is_signed };
	type.kind = type.of ? BT_T_STRUCT : BT_T_INT;
	type.depth = 0;
	return type;
}

static struct bt_type unary_type(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type = bt_type_of(t, n->kids.at[0]);

	if (*n->text == '*')
		return pointed(type);
	if (*n->text != '&')
		return (struct bt_type){ .kind = BT_T_INT, .is_signed = true };
	type.depth = 1;
	type.kind = BT_T_POINTER;
	return type;
}

static struct bt_type binary_type(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type left = bt_type_of(t, n->kids.at[0]);

	if ((*n->text != '+' && *n->text != '-') || n->text[1])
		return (struct bt_type){ .kind = BT_T_INT, .is_signed = true };
	if (left.kind == BT_T_POINTER)
		return left;
	return (struct bt_type){ .kind = BT_T_INT, .is_signed = true, .user = left.user, .kernel = left.kernel };
}

static struct bt_type cast_type(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type from = bt_type_of(t, n->kids.at[0]), to = n->cast;

	to.user = from.user;
	to.kernel = from.kernel;
	return resolved(t, to);
}

struct bt_type bt_type_of(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_type type = { .kind = BT_T_INT, .is_signed = true };
	const struct bt_var *v;
	char *text;

	switch (n->kind) {
	case BT_STRING: type.kind = BT_T_STRING; return type;
	case BT_NAME: return bt_builtin(t, n, &text, &type) ? type : (struct bt_type){ .kind = BT_T_INT, .is_signed = true };
	case BT_VAR: case BT_MAP:
		v = bt_find(t, n);
		return v->aggregate					 ? type :
			v->type.kind == BT_T_UNKNOWN && v->string_wanted ? (struct bt_type){ .kind = BT_T_STRING } :
									   v->type;
	case BT_CALL: return bt_call_type(t, n);
	case BT_UNARY: return unary_type(t, n);
	case BT_BINARY: return binary_type(t, n);
	case BT_ASSIGN: return bt_type_of(t, n->kids.at[1]);
	case BT_COND:
		type = bt_type_of(t, n->kids.at[1]);
		return type.kind == BT_T_UNKNOWN ? bt_type_of(t, n->kids.at[2]) : type;
	case BT_CAST: return cast_type(t, n);
	case BT_MEMBER: return member_type(t, n);
	case BT_INDEX: return pointed(bt_type_of(t, n->kids.at[0]));
	default: return type;
	}
}

bool bt_is_text(const struct bt_type *type)
{
	return type->kind == BT_T_STRING || type->kind == BT_T_KSTACK || type->kind == BT_T_USTACK || type->kind == BT_T_CHARS;
}

// ---------------------------------------------------------------- variables

struct bt_var *bt_find(struct bt_translation *t, const struct bt_node *n)
{
	struct map *m = n->kind == BT_MAP ? &t->maps : &t->locals;
	struct bt_var *v = map_get(m, n->text);

	if (v)
		return v;
	v = NEW(struct bt_var);
	v->name = n->text;
	v->is_map = n->kind == BT_MAP;
	v->loc = n->loc;
	map_put(m, v->name, v);
	return v;
}

static void join(struct bt_type *into, struct bt_type type)
{
	bool user = into->user || type.user, kernel = into->kernel || type.kernel;

	if (type.kind == BT_T_CHARS)
		type = (struct bt_type){ .kind = BT_T_STRING };
	if (into->kind == BT_T_UNKNOWN || (into->kind == BT_T_INT && type.kind == BT_T_POINTER))
		*into = type;
	else if (into->kind == BT_T_POINTER && type.kind == BT_T_POINTER && !into->of)
		*into = type;
	into->user = user;
	into->kernel = kernel;
}

static void want_string(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_var *v;

	if (n->kind != BT_VAR && n->kind != BT_MAP)
		return;
	v = bt_find(t, n);
	if (!v->aggregate && v->type.kind != BT_T_INT && v->type.kind != BT_T_POINTER)
		v->string_wanted = true;
}

static void infer_assign(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *value = n->kids.at[1];
	struct bt_var *v = bt_find(t, n->kids.at[0]);
	enum bt_aggregate aggregate = value->kind == BT_CALL && v->is_map ? bt_aggregate_of(value) : BT_PLAIN;

	if (aggregate) {
		v->aggregation = v->aggregate ? v->aggregation : (struct bt_node *)value;
		v->aggregate = v->aggregate ? v->aggregate : aggregate;
		return;
	}
	join(&v->type, bt_type_of(t, value));
	if (bt_is_text(&v->type))
		want_string(t, value);
}

static void infer_keys(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_var *v = bt_find(t, n);

	for (int i = 0; i < n->kids.n; i++) {
		struct bt_type type = bt_type_of(t, n->kids.at[i]);

		if (i >= v->keys.n) {
			vec_push(&v->keys, (struct bt_type){ 0 });
			v->arity = v->keys.n;
		}
		join(&v->keys.at[i], type);
		if (bt_is_text(&v->keys.at[i]))
			want_string(t, n->kids.at[i]);
	}
}

// Arguments for %s are strings.
static void infer_printf(struct bt_translation *t, const struct bt_node *n)
{
	const char *f = n->kids.n && n->kids.at[0]->kind == BT_STRING ? n->kids.at[0]->text : "";

	for (int i = 1; (f = strchr(f, '%')) && i < n->kids.n; f++) {
		if (f[1] == '%') {
			f++;
			continue;
		}
		f += 1 + strspn(f + 1, "-+ #0123456789.hlzjtq");
		if (*f == 's')
			want_string(t, n->kids.at[i]);
		i++;
		if (!*f)
			return;
	}
}

static void infer_node(struct bt_node *n, void *data)
{
	struct bt_translation *t = data;
	struct bt_var *v;

	switch (n->kind) {
	case BT_ASSIGN:
		infer_assign(t, n);
		break;
	case BT_MAP:
		infer_keys(t, n);
		break;
	case BT_VAR:
		bt_find(t, n);         // this creates a variable that the script reads but never assigns
		break;
	case BT_INCREMENT:
		if (n->kids.at[0]->kind == BT_VAR || n->kids.at[0]->kind == BT_MAP)
			join(&bt_find(t, n->kids.at[0])->type, (struct bt_type){ .kind = BT_T_INT, .is_signed = true });
		break;
	case BT_CALL:
		if (str_ends(n->text, "printf") || !strcmp(n->text, "cat") || !strcmp(n->text, "system"))
			infer_printf(t, n);
		break;
	case BT_BINARY:
		if (!strcmp(n->text, "==") || !strcmp(n->text, "!="))
			for (int i = 0; i < 2; i++) {
				struct bt_type type = bt_type_of(t, n->kids.at[!i]);

				if (bt_is_text(&type))
					want_string(t, n->kids.at[i]);
			}
		break;
	case BT_FOR:
		v = bt_find(t, &(struct bt_node){ .kind = BT_VAR, .text = n->text, .loc = n->loc });
		v->loop = n->kids.at[0]->kind == BT_MAP && n->kids.n == 2 ? bt_find(t, n->kids.at[0]) : NULL;
		break;
	default:
		break;
	}
}

void bt_infer_action(struct bt_translation *t, const struct bt_action *a)
{
	t->action = a;
	t->locals = (struct map){ 0 };
	for (int round = 0; round < 2; round++) {
		bt_each_node(a->filter, infer_node, t);
		bt_each_node(a->body, infer_node, t);
	}
}

// Types propagate from action to action through maps.
void bt_infer(struct bt_translation *t)
{
	for (int round = 0; round < 3; round++)
		for vec_each(&t->script->actions, a)
			bt_infer_action(t, *a);
}

// ---------------------------------------------------------------- fields of args

static bool parameter_of(struct bt_translation *t, const struct bt_point *p, const char *name, struct bt_field *out)
{
	const char *function = p->part.at[p->part.n - 1];
	struct di_variable variable;
	di_functions found = { 0 };

	out->text = str_printf("$%s", name);
	if (!t->kernel || bt_in_user(t->action))
		return true;
	di_find_functions(t->kernel, function, NULL, DI_INLINES_NONE, &found);
	if (found.n && di_find_variable(found.at[0], name, &variable))
		out->type = from_debuginfo(variable.type, &(struct bt_type){ 0 });
	return true;
}

static bool argument_of(struct bt_translation *t, const struct bt_point *p, const char *name, struct bt_field *out)
{
	di_tracepoints found = { 0 };

	out->text = str_printf("$%s", name);
	if (!t->kernel)
		return true;
	di_find_tracepoints(t->kernel, p->part.at[2], &found);
	for vec_each(&found, tracepoint)
		for vec_each(&(*tracepoint)->args, argument)
			if (!strcmp(argument->name, name)) {
				out->type = from_debuginfo(argument->type, &(struct bt_type){ 0 });
				return true;
			}
	return !found.n;
}

// Finds the field of `args` to which n refers. Returns false if it is unknown.
bool bt_args_field(struct bt_translation *t, const struct bt_node *n, struct bt_field *out)
{
	const struct bt_point *p = &t->action->points.at[0];
	const char *call;
	bool enter;

	*out = (struct bt_field){ .field = n->text };
	if (strcmp(p->part.at[0], "tracepoint") || p->part.n < 3)
		return parameter_of(t, p, n->text, out);
	call = bt_syscall(p, &enter);
	if (call)
		return bt_syscall_field(call, enter, n->text, out);
	return bt_event_field(p->part.at[2], n->text, out) || argument_of(t, p, n->text, out);
}
