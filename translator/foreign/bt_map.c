// SPDX-License-Identifier: GPL-2.0-or-later
// Prints maps as bpftrace does: "@name[key, key]: value", by ascending values; histograms have the format of stap.
#include "foreign/bt.h"

#include <string.h>

static const char *const extractors[] = {
	[BT_COUNT] = "@count", [BT_SUM] = "@sum",     [BT_AVG] = "@avg",    [BT_MIN] = "@min",
	[BT_MAX] = "@max",     [BT_STATS] = "@count", [BT_HIST] = "@count", [BT_LHIST] = "@count",
};

enum bt_aggregate bt_aggregate_of(const struct bt_node *call)
{
	static const struct { const char *name; int min, max;
	} names[] = {
		[BT_COUNT] = { "count", 0, 0 }, [BT_SUM] = { "sum", 1, 1 },	[BT_AVG] = { "avg", 1, 1 },
		[BT_MIN] = { "min", 1, 1 },	[BT_MAX] = { "max", 1, 1 },	[BT_STATS] = { "stats", 1, 1 },
		[BT_HIST] = { "hist", 1, 2 },	[BT_LHIST] = { "lhist", 4, 4 },
	};

	for (size_t i = BT_COUNT; i < ARRAY_SIZE(names); i++)
		if (!strcmp(call->text, names[i].name) && call->kids.n >= names[i].min && call->kids.n <= names[i].max)
			return (enum bt_aggregate)i;
	return BT_PLAIN;
}

static char *histogram(struct bt_translation *t, const struct bt_var *v, const char *element)
{
	const struct bt_node *call = v->aggregation;

	if (v->aggregate == BT_HIST)
		return str_printf("@hist_log(%s)", element);
	return str_printf("@hist_linear(%s, %s, %s, %s)", element, bt_expr(t, call->kids.at[1], BT_BIND_COND),
			  bt_expr(t, call->kids.at[2], BT_BIND_COND), bt_expr(t, call->kids.at[3], BT_BIND_COND));
}

struct line { struct buf format; name_list arguments; };

static void print_line(struct bt_translation *t, struct line *l)
{
	struct buf b = { 0 };

	for vec_each(&l->arguments, argument)
		buf_printf(&b, ", %s", *argument);
	bt_line(t, "printf(\"%s\"%s)", buf_text(&l->format), buf_text(&b));
	*l = (struct line){ 0 };
}

static void add(struct line *l, const char *format, const char *argument)
{
	buf_puts(&l->format, format);
	vec_push(&l->arguments, argument);
}

bool bt_requires_values(const char *extractor)
{
	return extractor && (!strcmp(extractor, "@avg") || !strcmp(extractor, "@min") || !strcmp(extractor, "@max"));
}

static char *extract(const char *extractor, const char *element, bool maybe_empty)
{
	return maybe_empty && bt_requires_values(extractor) ?
		str_printf("(@count(%s) ? %s(%s) : 0)", element, extractor, element) :
		str_printf("%s(%s)", extractor, element);
}

static void add_value(struct line *l, const struct bt_var *v, const char *element, const char *divisor,
		      bool maybe_empty)
{
	const char *by = divisor ? str_printf(" / %s", divisor) : "";

	if (v->aggregate == BT_STATS) {
		add(l, "count %d, ", str_printf("@count(%s)", element));
		add(l, "average %d, ", str_printf("%s%s", extract("@avg", element, maybe_empty), by));
		add(l, "total %d", str_printf("@sum(%s)%s", element, by));
	} else if (v->aggregate) {
		add(l, "%d", str_printf("%s%s", extract(extractors[v->aggregate], element, maybe_empty), by));
	} else if (v->type.kind == BT_T_KSTACK) {
		add(l, "\\n%s", str_printf("sprint_stack(%s)", element));
	} else if (bt_is_text(&v->type) || (!v->type.kind && v->string_wanted)) {
		add(l, "%s", element);
	} else {
		add(l, "%d", str_printf("%s%s", element, by));
	}
}

// Prints one element; maybe_empty: it may be without values. The stack of a key is too long for a string, so its
// own statement prints it.
static void print_element(struct bt_translation *t, const struct bt_var *v, const name_list *keys, const char *element,
			  const char *divisor, bool maybe_empty)
{
	struct line line = { 0 };
	bool histograms = v->aggregate == BT_HIST || v->aggregate == BT_LHIST;

	buf_printf(&line.format, "@%s", v->name);
	for (int i = 0; i < keys->n; i++) {
		const struct bt_type *type = &v->keys.at[i];

		buf_puts(&line.format, i ? ", " : "[");
		if (type->kind == BT_T_KSTACK) {
			buf_puts(&line.format, "\\n");
			print_line(t, &line);
			bt_line(t, "print_stack(%s)", keys->at[i]);
			continue;
		}
		add(&line, type->kind == BT_T_USTACK ? "\\n%s" : bt_is_text(type) ? "%s" : "%d", keys->at[i]);
	}
	buf_puts(&line.format, keys->n ? "]:" : ":");
	if (histograms) {
		buf_puts(&line.format, "\\n");
		print_line(t, &line);
		bt_line(t, "print(%s)", histogram(t, v, element));
		return;
	}
	buf_putc(&line.format, ' ');
	add_value(&line, v, element, divisor, maybe_empty);
	buf_puts(&line.format, "\\n");
	print_line(t, &line);
}

static char *element_of(const struct bt_var *v, const name_list *keys)
{
	struct buf b = { 0 };

	buf_puts(&b, v->out);
	for (int i = 0; i < keys->n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "[", keys->at[i]);
	if (keys->n)
		buf_putc(&b, ']');
	return buf_text(&b);
}

char *bt_loop(struct bt_translation *t, const struct bt_var *v, name_list *keys)
{
	struct buf b = { 0 };

	for (int i = 0; i < v->arity; i++)
		vec_push(keys, bt_fresh_local(t, v->arity > 1 ? str_printf("key%d", i + 1) : "key"));
	for (int i = 0; i < keys->n; i++)
		buf_printf(&b, "%s%s", i ? ", " : keys->n > 1 ? "[" : "", keys->at[i]);
	if (keys->n > 1)
		buf_putc(&b, ']');
	return buf_text(&b);
}

char *bt_loop_value(const struct bt_var *v, const name_list *keys)
{
	char *element = element_of(v, keys);

	return v->aggregate ? str_printf("%s(%s)", extractors[v->aggregate], element) : element;
}

void bt_print_map(struct bt_translation *t, const struct bt_var *v, const char *top, const char *divisor)
{
	bool text = bt_is_text(&v->type) || (!v->type.kind && v->string_wanted);
	bool guarded = v->aggregate ? v->aggregate != BT_COUNT : t->at_exit;
	name_list keys = { 0 };
	const char *list, *limit, *order;

	if (top && !strcmp(top, "0"))    // 0 means all elements
		top = NULL;
	limit = top ? str_printf(" limit %s", top) : "";
	order = top ? "-" : "+";

	if (!v->arity) {
		if (guarded)
			bt_line(t, v->aggregate ? "if (@count(%s)) {" : text ? "if (%s != \"\") {" : "if (%s) {", v->out);
		t->indent += guarded;
		print_element(t, v, &keys, v->out, divisor, false);
		if (guarded)
			bt_close(t, "");
		return;
	}
	list = bt_loop(t, v, &keys);
	if (v->aggregate)
		bt_open(t, "foreach (%s in %s %s %s%s)", list, v->out, extractors[v->aggregate], order, limit);
	else if (text)
		bt_open(t, "foreach (%s in %s%s)", list, v->out, limit);
	else
		bt_open(t, "foreach (%s in %s%s%s)", list, v->out, order, limit);
	print_element(t, v, &keys, element_of(v, &keys), divisor, false);
	bt_close(t, "");
}

void bt_print_element(struct bt_translation *t, const struct bt_var *v, const struct bt_node *element)
{
	name_list keys = { 0 }, again = { 0 };

	if (element->kids.n != v->arity) {
		bt_keys(t, element);   // bt_keys() reports the error
		return;
	}
	for (int i = 0; i < v->arity; i++) {
		const struct bt_node *key = element->kids.at[i];
		struct bt_twice text = bt_twice(t, key, bt_value(t, key, bt_is_text(&v->keys.at[i])));

		vec_push(&keys, text.first);
		vec_push(&again, text.second);
	}
	print_element(t, v, &keys, element_of(v, &again), NULL, true);
}
