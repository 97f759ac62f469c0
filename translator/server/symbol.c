// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the declaration of the name at a position: functions, globals, locals, aliases in the text and in the
// library, target variables and members with their types, and functions to which a probe point resolves.
#include "server/symbol.h"
#include "elab/elab.h"
#include "parse/parse.h"
#include "server/variables.h"
#include "session/passes.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

enum { MAX_POINTS = 8 };           // number of points that hover shows

// ---------------------------------------------------------------- comments

// Appends a comment without its comment markers, line by line.
static void add_comment(struct buf *b, const struct source_token *t)
{
	const char *p = t->text, *end = p + t->len;

	if (t->len > 4 && str_ends(token_text(t), "*/"))
		end -= 2;
	while (p < end) {
		const char *newline = memchr(p, '\n', end - p), *stop = newline ? newline : end;

		while (p < stop && (isspace((unsigned char)*p) || strchr("/*#", *p)))
			p++;
		while (stop > p && isspace((unsigned char)stop[-1]))
			stop--;
		buf_printf(b, "%.*s\n", (int)(stop - p), p);
		p = newline ? newline + 1 : end;
	}
}

const char *symbol_comment(struct loc loc)
{
	source_token_list tokens = { 0 };
	struct buf b = { 0 };
	int from = 0, at = 0;

	if (!loc.source)
		return "";
	source_tokens_read(loc.source, &tokens);
	for (int i = 0; i < tokens.n; i++) {
		struct loc here = tokens.at[i].loc;
		enum tok kind = tokens.at[i].kind;

		if (here.line > loc.line || (here.line == loc.line && here.column > loc.column))
			break;
		if (kind == TOK_PROBE || kind == TOK_FUNCTION || kind == TOK_GLOBAL)
			at = i;
	}
	if (at && tokens.at[at - 1].kind == TOK_PRIVATE)
		at--;
	for (from = at; from > 0 && tokens.at[from - 1].kind == TOK_NONE && tokens.at[from].newlines == 1; )
		from--;
	for (int i = from; i < at; i++)
		add_comment(&b, &tokens.at[i]);
	return buf_text(&b);
}

// ---------------------------------------------------------------- declarations

static const char *with_type(const char *name, enum type type, struct di_type *dtype)
{
	if (dtype)
		return str_printf("%s:%s  (%s)", name, type_name(type), variables_c_type(dtype->name));
	return type == T_UNKNOWN ? name : str_printf("%s:%s", name, type_name(type));
}

static void describe_function(const struct func *f, struct symbol *out)
{
	struct buf b = { 0 };

	buf_printf(&b, "function %s(", with_type(f->name, f->type, NULL));
	for (int i = 0; i < f->params.n; i++) {
		const struct var *v = f->params.at[i];

		buf_printf(&b, "%s%s", i ? ", " : "", with_type(v->name, v->type, NULL));
	}
	buf_putc(&b, ')');
	*out = (struct symbol){ .text = buf_text(&b), .loc = f->loc };
}

static void describe_variable(const struct var *v, const char *kind, struct symbol *out)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s %s", kind, v->name);
	for (int i = 0; i < v->arity; i++)
		buf_printf(&b, "%s%s%s", i ? ", " : "[", v->key_types ? type_name(v->key_types[i]) : "?",
			   i == v->arity - 1 ? "]" : "");
	*out = (struct symbol){ .text = with_type(buf_text(&b), v->type, v->dtype), .loc = v->loc };
}

static bool find_function(struct session *s, const char *name, struct symbol *out)
{
	library_use_function(s, name);
	for vec_each(&s->script.funcs, f)
		if (!strcmp((*f)->name, name)) {
			describe_function(*f, out);
			return true;
		}
	return false;
}

static bool is_inside(const struct cursor *c, struct loc loc, const struct source *source)
{
	size_t offset = loc_offset(loc);

	return loc.source == source && c->first < c->tokens.n && offset >= token_offset(c, &c->tokens.at[c->first]) &&
	       (c->end >= c->tokens.n || offset < token_offset(c, &c->tokens.at[c->end]));
}

#define FIND_IN(list, kind) do {					\
	for vec_each(list, v)						\
		if (!strcmp((*v)->name, name)) {			\
			describe_variable(*v, kind, out);		\
			return true;					\
		}							\
} while (0)

// Finds locals and parameters of the declaration at the position, then globals.
static bool find_variable(struct session *s, const struct cursor *c, const struct source *source, const char *name,
			  struct symbol *out)
{
	for vec_each(&s->script.funcs, f)
		if (is_inside(c, (*f)->loc, source)) {
			FIND_IN(&(*f)->params, "parameter");
			FIND_IN(&(*f)->locals, "local");
		}
	for vec_each(&s->script.probes, p)
		if (is_inside(c, (*p)->decl->loc, source) || is_inside(c, (*p)->loc, source))
			FIND_IN(&(*p)->locals, "local");
	library_use_global(s, name);
	FIND_IN(&s->script.globals, "global");
	return false;
}

// ---------------------------------------------------------------- probe points

static bool find_alias(struct session *s, const char *name, struct symbol *out)
{
	for vec_each(&s->script.aliases, a)
		for vec_each(&(*a)->alias_names, point)
			if (!strcmp(point_text(*point), name)) {
				struct buf b = { 0 };

				buf_printf(&b, "probe %s =", name);
				for vec_each(&(*a)->points, p)
					buf_printf(&b, "%s %s", p > (*a)->points.at ? "," : "", point_text(*p));
				*out = (struct symbol){ .text = buf_text(&b), .loc = (*point)->loc };
				return true;
			}
	return false;
}

// Finds the source file of "kernel.function("vfs_read@fs/read_write.c:450")" in installed sources.
static void find_file(struct session *s, const char *point, struct symbol *out)
{
	const char *at = strchr(point, '@'), *colon = at ? strchr(at, ':') : NULL;
	const char *release = s->opt.release ? s->opt.release : "", *name = colon ? str_ndup(at + 1, colon - at - 1) : "";
	const char *const roots[] = {
		"", str_printf("/lib/modules/%s/source/", release), str_printf("/lib/modules/%s/build/", release),
		"/usr/src/linux/", str_printf("/usr/src/linux-source-%.*s/", (int)strspn(release, "0123456789."), release),
	};
	int64_t line;

	if (!colon || !str_number(str_ndup(colon + 1, strspn(colon + 1, "0123456789")), 1, INT32_MAX, &line))
		return;
	for (size_t i = *name == '/' ? 0 : 1; i < ARRAY_SIZE(roots) && !out->file; i++) {
		const char *path = str_printf("%s%s", roots[i], name);

		if (!access(path, R_OK))
			out->file = path, out->line = (int)line;
	}
}

// Lists the points to which the written point resolves, with their source lines.
static void add_resolved(struct request *r, const struct cursor *c, struct symbol *out)
{
	const char *point = cursor_probe_point(c);
	struct probe *p = point ? variables_probe(r, point) : NULL;
	struct buf b = { 0 };
	int n = 0;

	if (!p)
		return;
	for vec_each(&r->s->script.probes, it) {
		if (!n)
			find_file(r->s, (*it)->point, out);
		if (n++ < MAX_POINTS)
			buf_printf(&b, "%s\n", (*it)->point);
		n += (*it)->copies.n;
	}
	if (n > MAX_POINTS)
		buf_printf(&b, "... %d probes\n", n);
	if (!out->text)
		out->text = str_printf("probe %s", point);
	out->note = buf_text(&b);
}

// The name of an alias may be followed by parts such as "return", so shorter names are tried, too.
static void find_point(struct request *r, const struct cursor *c, struct symbol *out)
{
	char *name = str_dup(token_point(c, &c->tokens.at[c->at]));

	add_resolved(r, c, out);
	for (char *dot; name; name = dot) {
		struct symbol alias = { 0 };

		if (find_alias(r->s, name, &alias)) {
			alias.note = out->note;
			*out = alias;
			return;
		}
		dot = strrchr(name, '.');
		if (dot)
			*dot = '\0', dot = name;
	}
}

// ---------------------------------------------------------------- target variables

static void find_target(struct request *r, const struct cursor *c, const struct source_token *t, struct symbol *out)
{
	const char *point = cursor_probe_point(c), *name = token_text(t);
	struct probe *p = point ? variables_probe(r, point) : NULL;
	struct di_type *type = p ? variables_chain(r, p, c, t) : NULL;

	if (type)
		*out = (struct symbol){ .text = str_printf("%s %s", variables_c_type(type->name), name),
					.note = type->size ? str_printf("%llu bytes", (unsigned long long)type->size) : NULL };
}

// ---------------------------------------------------------------- names

// Infers types, as far as the script has no errors.
static struct source *infer(struct request *r)
{
	struct session *s = r->s;
	struct source *source = feature_source(r, r->doc->text, r->doc->len);

	if (pass_parse(s) || !s->script.probe_decls.n)
		return source;
	r->choose_target(s);
	diag_kind("semantic");
	if (!elab_match_probes(s) && !elab_bind_names(s) && !elab_targets(s))
		elab_types(s);
	return source;
}

void symbol_find(struct request *r, const struct cursor *c, struct symbol *out)
{
	const struct source_token *t = c->at >= 0 ? &c->tokens.at[c->at] : NULL, *before, *after;
	struct source *source;
	const char *name;

	*out = (struct symbol){ 0 };
	if (!t || t->kind == TOK_NONE || t->kind == TOK_EOF)
		return;
	if (token_is_in_point(c, t)) {
		find_point(r, c, out);
		return;
	}
	before = token_before(c, t);
	after = token_after(c, t);
	if (t->kind != TOK_IDENT)
		return;
	if (*t->text == '$' || (before && before->kind == TOK_ARROW)) {
		find_target(r, c, t, out);
		return;
	}
	source = infer(r);
	name = token_text(t);
	if (!after || after->kind != TOK_LPAREN || !find_function(r->s, name, out))
		if (!find_variable(r->s, c, source, name, out))
			find_function(r->s, name, out);
}
