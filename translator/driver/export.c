// SPDX-License-Identifier: GPL-2.0-or-later
// --export: globals of the script -> a probe of the procfs file __metrics, which prints them in Prometheus's text
// format (0.0.4). The program translator/run/stap-export serves that file.
//
// The probe is text of the language, which the passes translate with the script. To know the type of each global, a
// child process runs passes 1 and 2 on the script alone, without messages; errors are reported when the passes run on
// both. With --merge, the probe runs here, and prints what all hosts have added.
//
//   a number           counter if it only grows, else gauge
//   statistics         counter of values if only 1 is added, histogram of @hist_log, or summary (count, sum)
//   arrays             a label for each key, named as the expression that the script uses as the key
#include "driver/export.h"
#include "elab/elab.h"
#include "session/passes.h"
#include "util/diag.h"
#include "util/spawn.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SIZE = 4 << 20,                // maximum size of all metrics in bytes
	SAMPLE_LENGTH = 60,            // maximum length of the bucket, the value and the punctuation of a sample
	LABEL_LENGTH = 24,             // and of a label that is a number, without its name
};

// ---------------------------------------------------------------- the script as it was parsed

// metric: the name of the metric, which is that of the global unless others have the names of its samples.
struct use { const char *name, *metric; name_list labels; bool decremented; };

struct search { VEC(struct use) uses; };

static struct use *use_of(struct search *r, const char *name)
{
	for vec_each(&r->uses, u)
		if (!strcmp(u->name, name))
			return u;
	vec_push(&r->uses, (struct use){ .name = name });
	return &r->uses.at[r->uses.n - 1];
}

static const char *label(const expr_vec *keys, int i, const name_list *earlier)
{
	const struct expr *e = keys->at[i];
	const char *name = e->kind == E_CALL ? e->u.call.name : e->kind == E_VAR ? e->u.var.name : NULL;

	if (!name || str_starts(name, "__") || str_in_list(earlier, name) || !strcmp(name, "le"))
		name = str_printf("key%d", i + 1);
	while (str_in_list(earlier, name))             // an earlier key is a variable with this name
		name = str_printf("%s_", name);
	return name;
}

static bool see(struct ast_walker *w, struct expr **e)
{
	const struct expr *x = *e, *target = x->kind == E_INCDEC && x->u.un.op == TOK_DEC ? x->u.un.e :
		x->kind == E_ASSIGN && x->u.bin.op != TOK_ADD_ASSIGN && x->u.bin.op != TOK_STAT_ADD ? x->u.bin.l : NULL;

	if (target && (target->kind == E_VAR || target->kind == E_INDEX))
		use_of(w->data, target->kind == E_VAR ? target->u.var.name : target->u.index.name)->decremented = true;
	if (x->kind == E_INDEX && x->u.index.name) {
		struct use *u = use_of(w->data, x->u.index.name);

		for (int i = u->labels.n; i < x->u.index.keys.n && x->u.index.keys.at[i]; i++)
			vec_push(&u->labels, label(&x->u.index.keys, i, &u->labels));
	}
	return true;
}

static void search(struct session *s, struct search *found)
{
	struct ast_walker w = { .expr = see, .data = found };

	for vec_each(&s->script.probe_decls, d)
		ast_walk_stmt(&w, &(*d)->body);
	for vec_each(&s->script.funcs, f)
		if ((*f)->body)
			ast_walk_stmt(&w, &(*f)->body);
}

// ---------------------------------------------------------------- the probe

static void append(struct buf *b, const char *text)
{
	buf_printf(b, "\t$value .= \"%s\"\n", str_escape(text, strlen(text)));
}

// The name has the type of the key, since keys of two arrays may have different types.
static char *key_name(const struct var *v, int i)
{
	return str_printf("__%s_%d", v->name, i);
}

static int string_keys(const struct var *v)
{
	int n = 0;

	for (int i = 0; i < v->arity; i++)
		n += v->key_types[i] == T_STRING;
	return n;
}

// A sample: the parts of its text. bucket: format of the label `le`, or NULL; bound: its value, or NULL if the format
// has none.
struct sample { const char *name; const struct var *v; const struct use *u; const char *bucket, *bound, *value; };

// A way to write samples: in parts if values of labels may make their text longer than a string.
struct way { struct session *s; struct buf *b; bool in_parts; };

static const char *label_name(const struct sample *m, int i)
{
	return i < m->u->labels.n ? m->u->labels.at[i] : str_printf("key%d", i + 1);
}

static const char *print_text(const struct buf *format, const char *value)
{
	return str_printf("\t$value .= sprintf(\"%s\", %s)\n", str_escape(format->text, format->len), value);
}

// Returns the statement that appends a sample by one sprintf.
static const char *short_sample(const struct sample *m)
{
	struct buf format = { 0 }, values = { 0 };
	const struct var *v = m->v;

	buf_printf(&format, "%s%s", m->name, v->arity || m->bucket ? "{" : "");
	for (int i = 0; i < v->arity; i++) {
		bool is_string = v->key_types[i] == T_STRING;

		buf_printf(&format, is_string ? "%s%s=%%s" : "%s%s=\"%%d\"", i ? "," : "", label_name(m, i));
		buf_printf(&values, is_string ? "__prometheus_quoted(%s), " : "%s, ", key_name(v, i));
	}
	if (m->bucket)
		buf_printf(&format, "%sle=\"%s\"", v->arity ? "," : "", m->bucket);
	buf_printf(&format, "%s %%d\n", v->arity || m->bucket ? "}" : "");
	return print_text(&format, str_printf("%s%s%s%s", buf_text(&values), m->bound ? m->bound : "", m->bound ? ", " : "",
					      m->value));
}

// Appends a string key in quoted pieces, each of which fits into a string after quoting.
static void append_pieces(struct session *s, struct buf *b, const char *key)
{
	int64_t piece = (session_limit(s, LIMIT_MAXSTRINGLEN) - 3) / 2;

	buf_printf(b, "\tfor (__at = 0; __at < strlen(%s); __at += %lld) {\n"
		   "\t__quoted = __prometheus_quoted(substr(%s, __at, %lld))\n"
		   "\t$value .= substr(__quoted, 1, strlen(__quoted) - 2)\n\t}\n",
		   key, (long long)(piece > 1 ? piece : 1), key, (long long)(piece > 1 ? piece : 1));
}

// Returns the number of statements that a sample with long keys counts besides. A string is quoted in at most 3 pieces,
// each of which is as much work as 24 statements.
static int long_cost(const struct var *v)
{
	return 4 + 80 * string_keys(v);
}

// The same text in parts, for values of labels that would make it longer than a string.
static void append_long_sample(struct session *s, struct buf *b, const struct sample *m)
{
	struct buf bound = { 0 }, end = { 0 };

	append(b, str_printf("%s{", m->name));
	for (int i = 0; i < m->v->arity; i++) {
		struct buf number = { 0 };

		if (m->v->key_types[i] == T_STRING) {
			append(b, str_printf("%s%s=\"", i ? "," : "", label_name(m, i)));
			append_pieces(s, b, key_name(m->v, i));
			append(b, "\"");
			continue;
		}
		buf_printf(&number, "%s%s=\"%%d\"", i ? "," : "", label_name(m, i));
		buf_puts(b, print_text(&number, key_name(m->v, i)));
	}
	if (m->bucket && m->bound) {
		buf_printf(&bound, ",le=\"%s\"", m->bucket);
		buf_puts(b, print_text(&bound, m->bound));
	} else if (m->bucket) {
		append(b, str_printf(",le=\"%s\"", m->bucket));
	}
	buf_puts(&end, "} %d\n");
	buf_puts(b, print_text(&end, m->value));
}

static void append_sample(const struct way *w, const struct sample *m)
{
	if (w->in_parts) {
		append_long_sample(w->s, w->b, m);
		buf_printf(w->b, "\t__left -= %d\n", long_cost(m->v));
	} else {
		buf_puts(w->b, short_sample(m));
	}
}

static void append_value(const struct way *w, const char *name, const struct var *v, const struct use *u,
			 const char *value)
{
	append_sample(w, &(struct sample){ name, v, u, NULL, NULL, value });
}

// Writes the buckets of @hist_log: number 64 counts 0, 65 counts 1, 66 counts 2 and 3, 67 counts 4 to 7; 63 counts
// -1, 62 counts -3 and -2.
static void append_buckets(const struct way *w, const struct var *v, const struct use *u, const char *element)
{
	struct buf *b = w->b;
	const char *name = str_printf("%s_bucket", u->metric);
	const char *bound = "__b < 64 ? -(1 << (63 - __b)) : (1 << (__b - 64)) - 1";

	buf_printf(b, "\t__sum = 0\n\tforeach (__b in @hist_log(%s)) {\n\t__sum += @hist_log(%s)[__b]\n", element, element);
	buf_printf(b, "\tif (@hist_log(%s)[__b]) {\n", element);
	append_sample(w, &(struct sample){ name, v, u, "%d", bound, "__sum" });
	buf_puts(b, "\t}\n\t}\n");
	append_sample(w, &(struct sample){ name, v, u, "+Inf", NULL, str_printf("@count(%s)", element) });
}

enum kind { COUNTER, COUNT, GAUGE, HISTOGRAM, SUMMARY };      // COUNT: statistics of which only @count is used

static enum kind kind_of(const struct var *v, const struct use *u)
{
	if (v->type != T_STATS)
		return !u->decremented && v->only_updated ? COUNTER : GAUGE;
	if (v->stat_ops == STAT_COUNT && !v->varies)
		return COUNT;
	return !v->hist_step && (v->stat_ops & STAT_HIST_LOG) ? HISTOGRAM : SUMMARY;
}

// Returns the maximum number of samples of an element. Of 129 buckets, values of one sign fill at most 65.
static int samples(enum kind kind)
{
	return kind == HISTOGRAM ? 68 : kind == SUMMARY ? 2 : 1;
}

// Returns the number of statements that MAXACTION counts for one element: of a histogram, 3 for each bucket; for each
// sample, 2, and 2 for each string.
static int cost(const struct var *v, enum kind kind)
{
	return (kind == HISTOGRAM ? 404 : 14) + 2 * string_keys(v) + samples(kind) * (2 + 2 * string_keys(v));
}

static void append_samples(const struct way *w, const struct var *v, const struct use *u, enum kind kind,
			   const char *element)
{
	if (kind == HISTOGRAM)
		append_buckets(w, v, u, element);
	if (kind == HISTOGRAM || kind == SUMMARY) {
		append_value(w, str_printf("%s_sum", u->metric), v, u, str_printf("@sum(%s)", element));
		append_value(w, str_printf("%s_count", u->metric), v, u, str_printf("@count(%s)", element));
	} else {
		append_value(w, u->metric, v, u, kind == COUNT ? str_printf("@count(%s)", element) : element);
	}
}

static void append_element(struct session *s, struct buf *b, const struct var *v, const struct use *u, enum kind kind,
			   const char *element)
{
	struct way whole = { s, b, false }, in_parts = { s, b, true };

	if (!string_keys(v)) {
		append_samples(&whole, v, u, kind, element);
		return;
	}
	buf_puts(b, "\tif (!__long) {\n");
	append_samples(&whole, v, u, kind, element);
	buf_puts(b, "\t} else {\n");
	append_samples(&in_parts, v, u, kind, element);
	buf_puts(b, "\t}\n");
}

// Sets __long if samples of the element may be longer than a string. Strings are at most doubled when they are quoted.
static void append_length(struct session *s, struct buf *b, const struct var *v, const struct use *u)
{
	const struct sample longest = { str_printf("%s_bucket", u->metric), v, u, "+Inf", NULL, "" };
	int64_t left = session_limit(s, LIMIT_MAXSTRINGLEN) - 1 - (int64_t)strlen(longest.name) - SAMPLE_LENGTH;

	if (!string_keys(v))
		return;
	buf_puts(b, "\t__long = 0");
	for (int i = 0; i < v->arity; i++) {
		left -= (int64_t)strlen(label_name(&longest, i)) + LABEL_LENGTH;
		if (v->key_types[i] == T_STRING)
			buf_printf(b, " + strlen(%s)", key_name(v, i));
	}
	buf_printf(b, " > %lld\n", (long long)(left > 0 ? left / 2 : -1));
}

// In a help text, a backslash begins an escape.
static const char *help_text(const char *comment)
{
	struct buf b = { 0 };

	for (const char *c = comment; *c && b.len < 200; c++)
		buf_printf(&b, *c == '\\' ? "\\\\" : "%c", *c);
	return buf_text(&b);
}

// Leaves out an element for which not enough statements are left. The samples of one with long keys are counted as they
// are written.
static void append_check(struct buf *b, const struct var *v, enum kind kind)
{
	buf_printf(b, "\t__left -= %d\n", cost(v, kind));
	if (string_keys(v))
		buf_printf(b, "\tif (__left < (__long ? %d : 0)) {\n", samples(kind) * long_cost(v));
	else
		buf_puts(b, "\tif (__left < 0) {\n");
	buf_puts(b, "\t__more = 1\n\tif (__left < 0) break\n\tcontinue }\n");
}

// most: maximum number of elements of an array that are printed.
static void append_global(struct session *s, struct buf *b, const struct var *v, const struct use *u, int64_t most)
{
	static const char *const names[] = { "counter", "counter", "gauge", "histogram", "summary" };
	enum kind kind = kind_of(v, u);
	const char *help = global_comment(v);
	struct buf keys = { 0 };

	for (int i = 0; i < v->arity; i++)
		buf_printf(&keys, "%s%s", i ? ", " : "", key_name(v, i));
	if (help)
		append(b, str_printf("# HELP %s %s\n", u->metric, help_text(help)));
	append(b, str_printf("# TYPE %s %s\n", u->metric, names[kind]));
	if (!v->arity) {
		buf_printf(b, v->type == T_STATS ? "\tif (@count(%s)) {\n" : "\t{\n", v->name);
		append_element(s, b, v, u, kind, v->name);
		buf_puts(b, "\t}\n");
		return;
	}
	buf_printf(b, "\t__more = 0\n\t__left = %lld\n", (long long)most * cost(v, kind));
	buf_printf(b, "\tforeach ([%s] in %s limit %lld) {\n", buf_text(&keys), v->name, (long long)most + 1);
	append_length(s, b, v, u);
	append_check(b, v, kind);
	append_element(s, b, v, u, kind, str_printf("%s[%s]", v->name, buf_text(&keys)));
	buf_puts(b, "\t}\n\tif (__more)\n");
	append(b, str_printf("# %s has more elements: raise -DMAXACTION\n", u->metric));
}

static bool is_metric(const struct var *v)
{
	return (!v->loc.source || !v->loc.source->library) && (v->type == T_LONG || v->type == T_STATS) && !v->only_on_hosts;
}

static bool is_metric_named(const struct session *s, const char *name)
{
	for vec_each(&s->script.globals, v)
		if (is_metric(*v) && !strcmp((*v)->name, name))
			return true;
	return false;
}

// The samples of statistics have names that other globals may have.
static const char *metric_name(const struct session *s, const struct var *v, enum kind kind)
{
	static const char *const parts[] = { "", "_count", "_sum", "_bucket" };
	const char *name = v->name;
	bool is_taken = kind == HISTOGRAM || kind == SUMMARY;

	while (is_taken) {
		is_taken = false;
		for (size_t i = name == v->name; i < ARRAY_SIZE(parts); i++)
			is_taken |= is_metric_named(s, str_printf("%s%s", name, parts[i]));
		name = is_taken ? str_printf("%s_values", name) : name;
	}
	return name;
}

// Divides the remaining statements of MAXACTION among the arrays, since a handler that exceeds it ends the script.
static void append_globals(struct session *s, struct buf *b, struct search *found)
{
	int64_t left = session_limit(s, LIMIT_MAXACTION);
	int arrays = 0;

	for vec_each(&s->script.globals, v)
		if (is_metric(*v)) {
			arrays += (*v)->arity > 0;
			left -= 3 + ((*v)->arity ? 10 : cost(*v, kind_of(*v, use_of(found, (*v)->name))));
		}
	for vec_each(&s->script.globals, v)
		if (is_metric(*v)) {
			struct use *u = use_of(found, (*v)->name);
			int64_t most = arrays && left > 0 ? left / arrays / cost(*v, kind_of(*v, u)) : 0;

			u->metric = metric_name(s, *v, kind_of(*v, u));
			append_global(s, b, *v, u, most);
		}
}

static bool has_own(const struct session *s)
{
	for vec_each(&s->script.probes, p) {
		const struct probe_point *point = probe_matched_point(*p);
		const struct point_part *file = point ? &point->parts.at[0] : NULL;

		if (file && !strcmp(file->name, "procfs") && file->arg_kind == ARG_STRING &&
		    (!strcmp(file->text, "__metrics") || !strcmp(file->text, "__prometheus")))
			return true;
	}
	return false;
}

// Runs passes 1 and 2 and returns the text of the probe; "" after errors, or if there is nothing to export.
static const char *make(struct session *s)
{
	struct search found = { 0 };
	struct buf b = { 0 };

	if (s->opt.merge)
		s->opt.merge = MERGE_WHOLE;
	if (pass_parse(s) + diag_errors())
		return "";
	search(s, &found);
	if (pass_elaborate(s) + diag_errors() || has_own(s))
		return "";
	buf_printf(&b, "probe procfs(\"__metrics\").read.maxsize(%d) {\n", SIZE);
	append_globals(s, &b, &found);
	buf_puts(&b, "}\n");
	return buf_text(&b);
}

void export_add(struct session *s)
{
	struct buf text = { 0 };
	char piece[4096];
	int ends[2], pid;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) < 0)
		die("--export: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("--export: %s", strerror(errno));
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);
		const char *made;

		dup2(null, STDERR_FILENO);
		made = make(s);
		for (size_t len = strlen(made); len; len -= (size_t)n, made += n)
			if ((n = write(ends[1], made, len)) < 0)
				break;
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], piece, sizeof(piece))) > 0)
		buf_add(&text, piece, (size_t)n);
	close(ends[0]);
	spawn_wait(pid);
	if (text.len)
		session_source(s, "<export>", buf_text(&text), text.len);
}
