// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the translated script: its globals, one probe per action, and an end probe that prints the remaining maps.
#include "foreign/bt.h"
#include "foreign/foreign.h"

#include "debuginfo/debuginfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <regex.h>
#include <string.h>

// ---------------------------------------------------------------- text

void bt_line(struct bt_translation *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (int i = 0; i < t->indent; i++)
		buf_putc(&t->out, '\t');
	buf_puts(&t->out, str_vprintf(fmt, ap));
	buf_putc(&t->out, '\n');
	va_end(ap);
}

void bt_open(struct bt_translation *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	bt_line(t, "%s {", str_vprintf(fmt, ap));
	va_end(ap);
	t->indent++;
}

void bt_close(struct bt_translation *t, const char *more)
{
	t->indent--;
	bt_line(t, "}%s", more);
}

void bt_problem(struct bt_translation *t, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	t->errors++;
	va_start(ap, fmt);
	diag_error(loc, "%s", str_vprintf(fmt, ap));
	va_end(ap);
}

// ---------------------------------------------------------------- names

const char *bt_fresh(struct bt_translation *t, const char *wanted)
{
	static const char *const keywords[] = { "probe",    "global", "private", "function", "if",     "else",	"for",
						"foreach",  "in",     "limit",	 "return",   "delete", "while", "break",
						"continue", "next",   "string",	 "long",     "try",    "catch",
						"print",    "printf", "println", "printd",   "printdln",
						"sprint",   "sprintf", "sprintln", "sprintd", "sprintdln" };
	const char *name = wanted;
	bool taken = map_get(&t->used, name);

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		taken |= !strcmp(name, keywords[i]);
	for (int n = 2; taken; n++) {
		name = str_printf("%s_%d", wanted, n);
		taken = map_get(&t->used, name);
	}
	map_put(&t->used, name, (void *)name);
	return name;
}

const char *bt_fresh_local(struct bt_translation *t, const char *wanted)
{
	return bt_fresh(t, str_printf("%s%s", t->prefix ? t->prefix : "", wanted));
}

static void visit_elapsed(struct bt_node *n, void *data)
{
	struct bt_translation *t = data;

	if ((n->kind == BT_NAME || (n->kind == BT_CALL && !n->kids.n)) && !strcmp(n->text, "elapsed") && !t->started)
		t->started = bt_fresh(t, "started");
}

static bool traces_syscalls(const struct bt_action *a)
{
	bool enter;

	for vec_each(&a->points, p)
		if (bt_syscall(p, &enter))
			return true;
	return false;
}

static void name_maps(struct bt_translation *t)
{
	static const char *const helper_locals[] = { "i", "text", "c", "address" };

	// The aliases of system calls set this variable, from which the names of probes are made.
	for vec_each(&t->script->actions, a)
		if (traces_syscalls(*a))
			map_put(&t->used, "name", "name");
	// The functions in helper_texts have locals of these names: a global with the same name would replace them.
	for (size_t i = 0; i < ARRAY_SIZE(helper_locals); i++)
		map_put(&t->used, helper_locals[i], (void *)helper_locals[i]);
	for map_each(&t->maps, e) {
		struct bt_var *v = e->value;

		v->out = bt_fresh(t, *v->name ? v->name : "map");
	}
	for (size_t i = 0; i < ARRAY_SIZE(helper_locals); i++)
		map_put(&t->used, helper_locals[i], NULL);
}

static void name_locals(struct bt_translation *t, const struct bt_action *a)
{
	// The aliases of system calls have variables with the names of the calls' arguments.
	t->prefix = traces_syscalls(a) ? "var_" : "";
	for map_each(&t->locals, e) {
		struct bt_var *v = e->value;

		v->out = bt_fresh_local(t, v->name);
	}
}

// At the end of a probe, makes the names of its locals available again; numbered names of loops are never reused.
static void free_locals(struct bt_translation *t)
{
	for map_each(&t->locals, e)
		map_put(&t->used, ((struct bt_var *)e->value)->out, NULL);
}

// ---------------------------------------------------------------- statements

static void statement(struct bt_translation *t, const struct bt_node *n);

static void statements(struct bt_translation *t, const struct bt_node *block)
{
	for vec_each(&block->kids, kid)
		statement(t, *kid);
}

static void assign(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *value = n->kids.at[1];
	struct bt_var *v = bt_find(t, n->kids.at[0]);
	enum bt_aggregate aggregate = v->is_map && value->kind == BT_CALL ? bt_aggregate_of(value) : BT_PLAIN;

	for (int i = 1; aggregate == BT_LHIST && i < 4; i++)
		if (value->kids.at[i]->kind != BT_NUMBER || !value->kids.at[3]->number) {
			bt_problem(t, n->loc, "lhist() requires numbers as its minimum, maximum and step");
			return;
		}
	if (aggregate != v->aggregate)
		bt_problem(t, n->loc, "the map \"@%s\" has values of two types", v->name);
	else if (aggregate)
		bt_line(t, "%s%s <<< %s", v->out, bt_keys(t, n->kids.at[0]),
			aggregate == BT_COUNT ? "1" : bt_expr(t, value->kids.at[0], BT_BIND_COND));
	else
		bt_line(t, "%s", bt_expr(t, n, BT_BIND_NONE));
}

static void branch(struct bt_translation *t, const struct bt_node *n)
{
	if (n->kind == BT_BLOCK)
		statements(t, n);
	else
		statement(t, n);
}

static void if_else(struct bt_translation *t, const struct bt_node *condition, const struct bt_node *yes,
		    const struct bt_node *no)
{
	bt_open(t, "if (%s)", bt_condition(t, condition, BT_BIND_NONE));
	branch(t, yes);
	while (no && no->kind == BT_BLOCK && no->kids.n == 1 && no->kids.at[0]->kind == BT_IF) {
		const struct bt_node *next = no->kids.at[0];

		t->indent--;
		bt_open(t, "} else if (%s)", bt_condition(t, next->kids.at[0], BT_BIND_NONE));
		branch(t, next->kids.at[1]);
		no = next->kids.n > 2 ? next->kids.at[2] : NULL;
	}
	if (no) {
		t->indent--;
		bt_open(t, "} else");
		branch(t, no);
	}
	bt_close(t, "");
}

static void unroll(struct bt_translation *t, const struct bt_node *n)
{
	const char *i = bt_fresh_local(t, "i");

	bt_open(t, "for (%s = 0; %s < %s; %s++)", i, i, bt_expr(t, n->kids.at[0], BT_BIND_COMPARE + 1), i);
	statements(t, n->kids.at[1]);
	bt_close(t, "");
}

static void for_each(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *over = n->kids.at[0];
	struct bt_var *v = bt_find(t, &(struct bt_node){ .kind = BT_VAR, .text = n->text, .loc = n->loc });
	struct bt_var outer = *v;      // saved, since a loop around this one may have a variable of the same name

	if (n->kids.n == 3) {
		bt_open(t, "for (%s = %s; %s < %s; %s++)", v->out, bt_expr(t, over, BT_BIND_COND), v->out,
			bt_expr(t, n->kids.at[1], BT_BIND_COMPARE + 1), v->out);
	} else if (over->kind == BT_MAP && !over->kids.n) {
		v->loop = bt_find(t, over);
		if (!v->loop->arity) {
			bt_problem(t, n->loc, "@%s has no keys: only a map with keys can be iterated over", v->loop->name);
			return;
		}
		v->loop_keys = (name_list){ 0 };
		bt_open(t, "foreach (%s in %s)", bt_loop(t, v->loop, &v->loop_keys), v->loop->out);
	} else {
		bt_problem(t, n->loc, "only maps and ranges of numbers can be iterated over: for ($kv : @map), for ($i : 0..10)");
		return;
	}
	statements(t, n->kids.at[n->kids.n - 1]);
	bt_close(t, "");
	v->loop = outer.loop;
	v->loop_keys = outer.loop_keys;
}

// An operator at the beginning of a line would continue the statement on the previous line.
static void expression_statement(struct bt_translation *t, const struct bt_node *n)
{
	struct bt_node copy = *n;
	const char *text;

	copy.prefix = false;           // "--x" has the effect of "x--"
	text = bt_expr(t, &copy, BT_BIND_NONE);
	bt_line(t, strchr("+-(", *text) ? "; %s" : "%s", text);
}

static void statement(struct bt_translation *t, const struct bt_node *n)
{
	switch (n->kind) {
	case BT_EMPTY: return;
	case BT_BLOCK: statements(t, n); return;
	case BT_IF: if_else(t, n->kids.at[0], n->kids.at[1], n->kids.n > 2 ? n->kids.at[2] : NULL); return;
	case BT_COND: if_else(t, n->kids.at[0], n->kids.at[1], n->kids.at[2]); return;
	case BT_WHILE:
		bt_open(t, "while (%s)", bt_condition(t, n->kids.at[0], BT_BIND_NONE));
		statements(t, n->kids.at[1]);
		bt_close(t, "");
		return;
	case BT_UNROLL: unroll(t, n); return;
	case BT_FOR: for_each(t, n); return;
	case BT_JUMP: bt_line(t, "%s", strcmp(n->text, "return") ? n->text : "next"); return;
	case BT_ASSIGN: assign(t, n); return;
	case BT_CALL:
		if (bt_call_statement(t, n))
			return;
		// fallthrough
	default:
		expression_statement(t, n);
	}
}

// ---------------------------------------------------------------- actions

// Returns the condition under which the action is omitted.
static char *negated(struct bt_translation *t, const struct bt_node *filter)
{
	static const char *const opposites[][2] = { { "==", "!=" }, { "!=", "==" }, { "<", ">=" },
						    { ">=", "<" },  { ">", "<=" },  { "<=", ">" } };
	struct bt_node opposite = *filter;

	for (size_t i = 0; filter->kind == BT_BINARY && i < ARRAY_SIZE(opposites); i++)
		if (!strcmp(filter->text, opposites[i][0])) {
			opposite.text = opposites[i][1];
			return bt_expr(t, &opposite, BT_BIND_NONE);
		}
	return str_printf("!%s", bt_condition(t, filter, BT_BIND_UNARY));
}

static void action(struct bt_translation *t, const struct bt_action *a)
{
	bool guarded;

	bt_infer_action(t, a);
	name_locals(t, a);
	buf_putc(&t->out, '\n');
	bt_points(t, a);
	// A load that fails has the value 0 in bpftrace, but ends a script of stap.
	guarded = (a->filter && bt_may_fault(t, a->filter)) || bt_may_fault(t, a->body);
	if (guarded)
		bt_open(t, "try");
	if (a->filter)
		bt_line(t, "if (%s) next", negated(t, a->filter));
	statements(t, a->body);
	if (guarded)
		bt_close(t, " catch { }");
	bt_close(t, "");
	free_locals(t);
	t->prefix = "";
}

struct cleared { struct bt_translation *t; struct map maps; };

static void find_cleared(struct bt_node *n, void *data)
{
	struct cleared *c = data;

	if (n->kind == BT_CALL && !strcmp(n->text, "clear") && n->kids.n == 1 && n->kids.at[0]->kind == BT_MAP)
		map_put(&c->maps, n->kids.at[0]->text, n);
}

static int by_name(const void *a, const void *b)
{
	const struct bt_var *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

// At its exit bpftrace prints all maps, by name; maps that END clears are empty.
static void print_remaining(struct bt_translation *t)
{
	struct cleared cleared = { .t = t };
	VEC(const struct bt_var *) left = { 0 };
	bool has_end = false;

	for vec_each(&t->script->actions, a)
		if (bt_is_provider(*a, "END")) {
			has_end = true;
			bt_each_node((*a)->body, find_cleared, &cleared);
		}
	for map_each(&t->maps, e)
		if (!map_get(&cleared.maps, e->key))
			vec_push(&left, e->value);
	if (!left.n)
		return;
	qsort(left.at, left.n, sizeof(*left.at), by_name);
	buf_putc(&t->out, '\n');
	bt_open(t, has_end ? "probe end(1)" : "probe end");
	t->at_exit = true;
	for vec_each(&left, v)
		bt_print_map(t, *v, NULL, NULL);
	bt_close(t, "");
}

// ---------------------------------------------------------------- the script

static const char *const helper_texts[] = {
	[BT_HELP_JOIN] =
	"\n// The strings of an array of pointers in the process.\n"
	"function join_strings:string(array:long, separator:string) {\n"
	"\ttext = \"\"\n"
	"\tfor (i = 0; i < 16 && (address = user_uint64(array + 8 * i)); i++)\n"
	"\t\ttext .= (i ? separator : \"\") . user_string(address, \"\")\n"
	"\treturn text\n"
	"}\n",
	[BT_HELP_BUFFER] =
	"\n// Bytes of memory; those that cannot be printed, or all with form \"x\" and \"h\", as hexadecimal numbers.\n"
	"function buffer_text:string(address:long, length:long, user:long, form:string) {\n"
	"\ttext = \"\"\n"
	"\tfor (i = 0; i < length && i < 64; i++) {\n"
	"\t\tc = (user ? user_uint8(address + i) : kernel_char(address + i)) & 0xff\n"
	"\t\tif (form == \"h\")\n"
	"\t\t\ttext .= sprintf(\"%s%02x\", i ? \" \" : \"\", c)\n"
	"\t\telse\n"
	"\t\t\ttext .= form == \"\" && c >= 32 && c <= 126 ? sprintf(\"%c\", c) : sprintf(\"\\\\x%02x\", c)\n"
	"\t}\n"
	"\treturn text\n"
	"}\n",
	[BT_HELP_IPV6] =
	"\n// An IPv6 address in kernel memory in its short notation: the longest row of zeros is left out.\n"
	"function ipv6_text:string(address:long) {\n"
	"\tfor (i = 0; i < 8; i++) {\n"
	"\t\tzeros = kernel_short(address + 2 * i) ? 0 : zeros + 1\n"
	"\t\tif (zeros > most) {\n"
	"\t\t\tmost = zeros\n"
	"\t\t\tfirst = i + 1 - zeros\n"
	"\t\t}\n"
	"\t}\n"
	"\tif (!first && (most == 6 || (most == 5 && kernel_short(address + 10) == -1)))\n"
	"\t\treturn sprintf(\"::%s%s\", most == 5 ? \"ffff:\" : \"\", ip_ntop(kernel_int(address + 12)))\n"
	"\ttext = \"\"\n"
	"\tfor (i = 0; i < 8; i++)\n"
	"\t\tif (most < 2 || i < first || i >= first + most)\n"
	"\t\t\ttext .= sprintf(\"%s%x\", i && (most < 2 || i != first + most) ? \":\" : \"\",\n"
	"\t\t\t\t\tntohs(kernel_short(address + 2 * i)))\n"
	"\t\telse if (i == first)\n"
	"\t\t\ttext .= \"::\"\n"
	"\treturn text\n"
	"}\n",
	[BT_HELP_MAC] =
	"\nfunction mac_text:string(address:long) {\n"
	"\ttext = \"\"\n"
	"\tfor (i = 0; i < 6; i++)\n"
	"\t\ttext .= sprintf(\"%s%02X\", i ? \":\" : \"\", kernel_char(address + i) & 0xff)\n"
	"\treturn text\n"
	"}\n",
};

static char *globals(struct bt_translation *t)
{
	struct buf b = { 0 };

	// An array that is full evicts its oldest elements.
	for map_each(&t->maps, e) {
		const struct bt_var *v = e->value;

		buf_printf(&b, "%s%s%s", b.len ? ", " : "global ", v->out, v->arity ? "%" : "");
	}
	if (b.len)
		buf_putc(&b, '\n');
	if (t->started)
		buf_printf(&b, "global %s\nprobe begin(-1) { %s = ktime_get_ns() }\n", t->started, t->started);
	return buf_text(&b);
}

static void needs_buckets(const struct bt_translation *t, struct buf *b)
{
	int64_t max = 0;

	for map_each(&t->maps, e) {
		const struct bt_var *v = e->value;
		const struct bt_node *call = v->aggregation;

		if (v->aggregate == BT_LHIST && call->kids.at[3]->number > 0) {
			int64_t n = (call->kids.at[2]->number - call->kids.at[1]->number) / call->kids.at[3]->number + 2;

			max = n > max ? n : max;
		}
	}
	if (max > 128)
		buf_printf(b, "// Requires the option -DSTP_MAX_BUCKETS=%lld.\n", (long long)max);
}

// The kind of the first point determines how arguments are translated, and which memory a pointer refers to.
static int kind_of(const struct bt_point *p)
{
	const char *provider = p->part.at[0];

	return !strcmp(provider, "uprobe") || !strcmp(provider, "uretprobe") ? 1 : !strcmp(provider, "usdt") ? 2 : 0;
}

// Splits actions with points of different kinds: each part has points of one kind.
static void split_actions(struct bt_script *script)
{
	struct bt_script whole = *script;

	memset(&script->actions, 0, sizeof(script->actions));
	for vec_each(&whole.actions, a)
		for (int kind = 0; kind < 3; kind++) {
			struct bt_action *part = NEW(struct bt_action);

			*part = (struct bt_action){ .filter = (*a)->filter, .body = (*a)->body, .alternatives = (*a)->points.n > 1 };
			for vec_each(&(*a)->points, p)
				if (kind_of(p) == kind)
					vec_push(&part->points, *p);
			if (part->points.n)
				vec_push(&script->actions, part);
		}
}

char *foreign_from_bpftrace(struct session *s, const struct source *source, int *errors)
{
	struct bt_translation t = { .session = s };
	struct buf b = { 0 };

	t.script = bt_parse(source, false);
	if (!t.script) {
		*errors = 1;
		return "";
	}
	split_actions(t.script);
	t.kernel = s && s->kernel ? di_kernel(s) : NULL;
	bt_infer(&t);
	name_maps(&t);
	// The name of the global for `elapsed` is chosen before the names of locals, which would hide it in their
	// actions.
	for vec_each(&t.script->actions, a) {
		bt_each_node((*a)->filter, visit_elapsed, &t);
		bt_each_node((*a)->body, visit_elapsed, &t);
	}
	for vec_each(&t.script->actions, a)
		action(&t, *a);
	print_remaining(&t);
	buf_puts(&b, "#!/usr/bin/env stap\n");
	needs_buckets(&t, &b);
	buf_puts(&b, globals(&t));
	buf_puts(&b, buf_text(&t.out));
	for (size_t i = 0; i < ARRAY_SIZE(helper_texts); i++)
		if (t.helpers & 1U << i)
			buf_puts(&b, helper_texts[i]);
	*errors = t.errors;
	return buf_text(&b);
}

int foreign_print(struct session *s)
{
	int errors = 0, all = 0;

	diag_kind("parse");
	for vec_each(&s->sources, source) {
		fputs(foreign_from_bpftrace(s, *source, &errors), stdout);
		all += errors;
	}
	if (fflush(stdout) == EOF || ferror(stdout))
		die("cannot write to standard output: %s", strerror(errno));
	return all ? EXIT_FAILURE : EXIT_SUCCESS;
}

// Returns whether the text, which begins with BEGIN or END, is certainly a script of bpftrace: it has a map, a
// variable or a point with a provider.
static bool is_certainly_bpftrace(const struct source *source)
{
	static const char *const signs[] = {
		"@([^a-zA-Z_]|[a-zA-Z_0-9]+[^a-zA-Z_0-9(])", "\\$[a-z_]+ *=", "(^|[^a-zA-Z_\"])[a-z]+:[a-zA-Z_/]",
	};
	regex_t re;
	bool found = false;

	for (size_t i = 0; !found && i < ARRAY_SIZE(signs); i++) {
		if (regcomp(&re, signs[i], REG_EXTENDED | REG_NOSUB))
			continue;
		found = !regexec(&re, source->text, 0, NULL, 0);
		regfree(&re);
	}
	return found;
}

// "begin { println(1) }" lacks the word "probe", and "BEGIN { println(1) }" is written as in awk: neither is a script
// of bpftrace.
static bool lacks_probe(struct session *s, const struct source *source)
{
	const char *text = source->text + strspn(source->text, " \t\n");
	size_t word = strspn(text, "BEGINDbegind");
	int errors = 0;

	if (!str_starts(text, "begin") && !str_starts(text, "end") && !str_starts(text, "BEGIN") && !str_starts(text, "END"))
		return false;
	if (text[word + strspn(text + word, " \t\n")] != '{' || is_certainly_bpftrace(source))
		return false;
	if (*text == 'b' || *text == 'e')
		return true;
	diag_quiet_push();
	foreign_from_bpftrace(s, source, &errors);
	diag_quiet_pop();
	return errors > 0;
}

int foreign_refuse(struct session *s)
{
	int errors = 0, all = 0;

	for vec_each(&s->sources, source) {
		const struct loc start = { .source = *source, .line = 1, .column = 1 };
		const char *text, *hint = foreign_hint(*source);

		if (hint) {
			diag_kind("parse");
			diag_error(start, "%s", hint);
			all++;
			continue;
		}
		if (!foreign_is_bpftrace(*source) || lacks_probe(s, *source))
			continue;
		diag_kind("parse");
		text = foreign_from_bpftrace(s, *source, &errors);
		all += errors + 1;
		diag_error(start, "this script is in bpftrace's language%s",
			   *text ? "; its translation to stap's language follows" : "");
		diag_note(start, "\"stap --from=bpftrace\" prints the translation alone, for a file or a pipe");
		diag_output(text);
	}
	return all;
}
