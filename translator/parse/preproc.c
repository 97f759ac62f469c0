// SPDX-License-Identifier: GPL-2.0-or-later
// Resolves conditionals: tokens -> tokens; "%( condition %? tokens %: tokens %)". It also joins adjacent strings, since
// every lower layer may yield one. Conditionals nest without recursion: `open` has those whose taken branch is being
// read; a branch that is not taken is skipped by counting.
#include "target/kernel.h"
#include "parse/lex.h"
#include "util/str.h"

#include <fnmatch.h>
#include <string.h>
#include <sys/utsname.h>

enum { MAX_STRING = 65536 };         // upper limit of -DMAXSTRINGLEN


// ---------------------------------------------------------------- facts about the target

struct target_facts preproc_facts(const struct session *s)
{
	struct target_facts f = { .runtime = s->opt.user_runtime ? "user" : s->opt.bpf_runtime ? "bpf" : "kernel" };
	struct utsname host;

	if (s->kernel) {
		f.release = s->kernel->release;
		f.base = s->kernel->base_version;
		f.arch = s->kernel->arch;
		return f;
	}
	uname(&host);
	f.release = s->opt.release ? s->opt.release : str_dup(host.release);
	f.base = str_ndup(f.release, strcspn(f.release, "-"));
	f.arch = kernel_host_arch();
	return f;
}

static bool config_name(const char *name)
{
	return str_starts(name, "CONFIG_");
}

static const char *config_value(struct session *s, const char *name, struct loc loc)
{
	const char *v = s->kernel ? kernel_config(s->kernel, name) : NULL;

	if (s->kernel && s->kernel->config_text && !*s->kernel->config_text)
		diag_warning(loc, "configuration of the kernel %s not found: %s is treated as not set; install the kernel's "
			     "headers (see stap-prep)", s->kernel->release, name);
	return v ? v : "";
}

// ---------------------------------------------------------------- conditions

enum fact { FACT_NONE, FACT_VERSION, FACT_PATTERN, FACT_RUNTIME, FACT_PRIVILEGE, FACT_GURU, FACT_CONFIG };

// One operand of a comparison.
struct operand {
	enum fact fact;            // a name that stands for a value; FACT_NONE: a literal
	bool is_number;
	int64_t number;
	const char *text;
	struct loc loc;
};

static struct token take(struct preproc *p)
{
	if (p->has_pushed_back) {
		p->has_pushed_back = false;
		return p->pushed_back;
	}
	return macro_next(&p->macros, false);
}

static void put_back(struct preproc *p, struct token t)
{
	p->pushed_back = t;
	p->has_pushed_back = true;
}

// A kernel option that is not set counts as 0.
static bool as_number(const char *text, int64_t *n)
{
	*n = 0;
	return !*text || str_long(text, n) == STR_LONG;
}

// Looks up the value of a name. Returns false if the name is unknown.
static bool name_value(struct preproc *p, const char *name, struct operand *o)
{
	struct session *s = p->session;
	static const char *const privileges[] = { "stapdev", "stapsys", "stapusr" };
	struct target_facts f = preproc_facts(s);
	const struct { const char *name, *text; enum fact fact; } facts[] = {
		{ "kernel_v", f.base, FACT_VERSION },
		{ "kernel_vr", f.release, FACT_VERSION },
		{ "systemtap_v", s->opt.compatible ? s->opt.compatible : LANGUAGE_VERSION, FACT_VERSION },
		{ "arch", f.arch, FACT_PATTERN },
		{ "runtime", f.runtime, FACT_RUNTIME },
		{ "systemtap_privilege", privileges[s->opt.privilege], FACT_PRIVILEGE },
		{ "guru_mode", s->opt.guru ? "1" : "0", FACT_GURU },
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (strcmp(facts[i].name, name) == 0) {
			o->text = facts[i].text;
			o->fact = facts[i].fact;
			o->is_number = o->fact == FACT_GURU;
			o->number = s->opt.guru;
			return true;
		}
	if (!config_name(name))
		return false;
	o->fact = FACT_CONFIG;
	o->text = strcmp(name, "CONFIG_QUICKTAP") ? config_value(s, name, o->loc) : "y";
	return true;
}

// operand = NAME | {STRING} | ["-"] NUMBER
static struct token operand(struct preproc *p, struct operand *o)
{
	struct token t = take(p);
	bool minus = t.kind == TOK_SUB;
	struct buf b = { 0 };

	*o = (struct operand){ .loc = t.loc };
	if (minus)
		t = take(p);
	if (t.kind == TOK_NUMBER) {
		o->is_number = true;
		o->number = minus ? (int64_t)-(uint64_t)t.number : t.number;
		o->text = str_printf("%lld", (long long)o->number);
		return (struct token){ 0 };
	}
	if (t.kind == TOK_IDENT && !minus && name_value(p, t.text, o))
		return (struct token){ 0 };
	if (t.kind == TOK_IDENT && !minus)
		return lex_junk(t.loc, "unknown name \"%s\" in a condition (known: kernel_v, kernel_vr, arch, runtime, guru_mode, "
				"systemtap_v, systemtap_privilege, CONFIG_*)", t.text);
	if (t.kind != TOK_STRING || minus)
		return t.kind == TOK_JUNK ? t : lex_junk(t.loc, "expected a name, a string or a number in the condition");
	for (; t.kind == TOK_STRING; t = take(p))
		buf_add(&b, t.text, t.len);
	put_back(p, t);
	o->text = buf_text(&b);
	return (struct token){ 0 };
}

static bool ordered(int difference, enum tok op)
{
	switch (op) {
	case TOK_LT: return difference < 0;
	case TOK_LE: return difference <= 0;
	case TOK_EQ: return difference == 0;
	case TOK_NE: return difference != 0;
	case TOK_GE: return difference >= 0;
	default: return difference > 0;
	}
}

static bool equality(enum tok op)
{
	return op == TOK_EQ || op == TOK_NE;
}

static int difference(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static bool matches(const char *pattern, const char *text)
{
	return fnmatch(pattern, text, 0) == 0;
}

static bool runtime_matches(const struct operand *l, const struct operand *r)
{
	// The user runtime counts as "dyninst", so scripts omit the same parts for both.
	return matches(r->text, l->text) || (strcmp(l->text, "user") == 0 && matches(r->text, "dyninst"));
}

static struct token compare_config(const struct operand *l, enum tok op, const struct operand *r, bool *result)
{
	int64_t a, b;

	if (r->is_number || r->fact == FACT_CONFIG) {
		if (as_number(l->text, &a) && as_number(r->text, &b))
			*result = ordered(difference(a, b), op);
		else
			*result = ordered(strcmp(l->text, r->text), op);
		return (struct token){ 0 };
	}
	if (!equality(op))
		return lex_junk(r->loc, "a kernel option and a string are compared with == or !=");
	*result = matches(r->text, l->text) == (op == TOK_EQ);
	return (struct token){ 0 };
}

static struct token compare_names(const struct operand *l, enum tok op, const struct operand *r, bool *result)
{
	bool same;

	if (r->is_number)
		return lex_junk(r->loc, "expected a string to compare this name with");
	if (l->fact == FACT_VERSION && !str_is_glob(r->text)) {
		*result = ordered(strverscmp(l->text, r->text), op);
		return (struct token){ 0 };
	}
	if (!equality(op))
		return lex_junk(r->loc, l->fact == FACT_VERSION ? "a version pattern is compared with == or !=" :
				"this name is compared with == or !=");
	same = l->fact == FACT_RUNTIME ? runtime_matches(l, r) : matches(r->text, l->text);
	*result = same == (op == TOK_EQ);
	return (struct token){ 0 };
}

static struct token compare(const struct operand *l, enum tok op, const struct operand *r, bool *result)
{
	if (r->fact && r->fact != FACT_CONFIG)
		return lex_junk(r->loc, "this name belongs on the left side of the comparison");
	if (l->fact == FACT_CONFIG)
		return compare_config(l, op, r, result);
	if (l->fact == FACT_GURU) {
		if (!r->is_number || !equality(op) || (r->number != 0 && r->number != 1))
			return lex_junk(r->loc, "guru_mode can be compared only with 0 or 1, by == or !=");
	} else if (l->fact) {
		return compare_names(l, op, r, result);
	}
	if (l->is_number != r->is_number)
		return lex_junk(r->loc, "a string cannot be compared with a number");
	*result = ordered(l->is_number ? difference(l->number, r->number) : strcmp(l->text, r->text), op);
	return (struct token){ 0 };
}

static struct token comparison(struct preproc *p, bool *result)
{
	struct operand l, r;
	struct token t = operand(p, &l), op;

	if (t.kind)
		return t;
	op = take(p);
	if (op.kind != TOK_LT && op.kind != TOK_LE && op.kind != TOK_GT && op.kind != TOK_GE && !equality(op.kind))
		return op.kind == TOK_JUNK ? op : lex_junk(op.loc, "expected one of < <= == != > >= in the condition");
	t = operand(p, &r);
	return t.kind ? t : compare(&l, op.kind, &r, result);
}

// condition = comparison {"&&" comparison} {"||" ...} "%?"
static struct token condition(struct preproc *p, bool *result)
{
	bool all = true, any = false;

	for (;;) {
		bool one = false;
		struct token t = comparison(p, &one);

		if (t.kind)
			return t;
		all &= one;
		t = take(p);
		if (t.kind == TOK_OROR || t.kind == TOK_COND_THEN) {
			any |= all;
			all = true;
		}
		*result = any;
		if (t.kind == TOK_COND_THEN)
			return (struct token){ 0 };
		if (t.kind != TOK_OROR && t.kind != TOK_ANDAND)
			return t.kind == TOK_JUNK ? t : lex_junk(t.loc, "expected \"%%?\", \"&&\" or \"||\" after the comparison");
	}
}

// ---------------------------------------------------------------- branches

// skip_branch() stops at the branch's "%:" or "%)"; or at its "%)", reporting a "%:" as an error; or at its "%)",
// ignoring errors.
enum stop { AT_ELSE_OR_END, AT_END, AT_END_ANYHOW };

// A conditional inside a branch that is skipped: its start, and the number of its current branch, 0 in its
// condition.
struct skipped { struct loc start; int branch; };

static struct token skip_nested(struct skipped *in, const struct token *t)
{
	if (t->kind == TOK_COND_THEN && in->branch)
		return lex_junk(t->loc, "duplicate \"%%?\" in a conditional");
	if (t->kind != TOK_COND_THEN && !in->branch)
		return lex_junk(in->start, "\"%%?\" is missing after the condition of \"%%(\"");
	if (t->kind == TOK_COND_ELSE && in->branch == 2)
		return lex_junk(t->loc, "duplicate \"%%:\" in a conditional");
	in->branch++;
	return (struct token){ 0 };
}

static struct token skip_branch(struct preproc *p, struct loc start, enum stop stop, bool *at_else)
{
	VEC(struct skipped) nested = { 0 };
	bool defines = false;      // "@define x" was read: the next "%(" begins its text

	*at_else = false;
	for (;;) {
		struct token t = macro_next(&p->macros, true), wrong = { 0 };

		if (t.kind == TOK_EOF)
			return lex_junk(nested.n ? nested.at[nested.n - 1].start : start,
					"unterminated \"%%(\" (\"%%)\" is missing)");
		if (t.kind == TOK_COND_END && !nested.n)
			return (struct token){ 0 };
		defines |= t.kind == TOK_AT_WORD && !strcmp(t.text, "define");
		if (t.kind == TOK_COND_IF) {
			vec_push(&nested, ((struct skipped){ .start = t.loc, .branch = defines }));
			defines = false;
		} else if (nested.n && (t.kind == TOK_COND_THEN || t.kind == TOK_COND_ELSE || t.kind == TOK_COND_END)) {
			wrong = skip_nested(&nested.at[nested.n - 1], &t);
			nested.n -= t.kind == TOK_COND_END;
		} else if (t.kind == TOK_COND_ELSE && stop == AT_END) {
			wrong = lex_junk(t.loc, "duplicate \"%%:\" in a conditional");
		} else if (t.kind == TOK_COND_ELSE && stop == AT_ELSE_OR_END) {
			*at_else = true;
			return wrong;
		}
		if (wrong.kind && stop != AT_END_ANYHOW)
			return wrong;
	}
}

static struct token begin_conditional(struct preproc *p, struct loc start)
{
	struct preproc_branch branch = { .loc = start };
	bool taken = false, at_else = false;
	struct token t = condition(p, &taken);

	if (t.kind) {              // report one error: its branches are skipped
		skip_branch(p, start, AT_END_ANYHOW, &at_else);
		return t;
	}
	if (!taken) {
		t = skip_branch(p, start, AT_ELSE_OR_END, &at_else);
		if (t.kind || !at_else)
			return t;
		branch.in_else = true;
	}
	vec_push(&p->open, branch);
	return (struct token){ 0 };
}

// Handles the "%:" or "%)" of a branch that was read.
static struct token end_branch(struct preproc *p, const struct token *t)
{
	struct preproc_branch branch;
	bool at_else;

	if (!p->open.n)
		return lex_junk(t->loc, "\"%s\" without \"%%(\"", t->text);
	branch = p->open.at[p->open.n - 1];
	if (t->kind == TOK_COND_ELSE && branch.in_else)
		return lex_junk(t->loc, "duplicate \"%%:\" in a conditional");
	p->open.n--;
	if (t->kind == TOK_COND_ELSE)
		return skip_branch(p, branch.loc, AT_END, &at_else);
	return (struct token){ 0 };
}

static struct token without_conditionals(struct preproc *p)
{
	bool spaced = false;

	for (;;) {
		struct token t = take(p);

		spaced |= t.spaced;
		if (t.kind == TOK_COND_IF)
			t = begin_conditional(p, t.loc);
		else if (t.kind == TOK_COND_ELSE || t.kind == TOK_COND_END)
			t = end_branch(p, &t);
		else if (t.kind == TOK_EOF && p->open.n)
			t = lex_junk(p->open.at[--p->open.n].loc, "unterminated \"%%(\" (\"%%)\" is missing)");
		t.spaced |= spaced;
		if (t.kind)
			return t;
	}
}

struct token preproc_next(struct preproc *p)
{
	struct token t = without_conditionals(p), next;
	struct buf b = { 0 };

	if (t.kind != TOK_STRING)
		return t;
	next = without_conditionals(p);
	if (next.kind == TOK_STRING) {
		buf_add(&b, t.text, t.len);
		for (; next.kind == TOK_STRING; next = without_conditionals(p))
			buf_add(&b, next.text, next.len);
		t.text = buf_text(&b);
		t.len = b.len;
	}
	put_back(p, next);
	if (t.len > MAX_STRING)
		return lex_junk(t.loc, "this string has %zu bytes; strings have at most %d",
				t.len, MAX_STRING);
	return t;
}

void preproc_start(struct preproc *p, struct session *s, const struct source *source, struct map *shared)
{
	*p = (struct preproc){ .session = s };
	macro_start(&p->macros, s, source, shared);
}
