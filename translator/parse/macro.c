// SPDX-License-Identifier: GPL-2.0-or-later
// Expands macros: tokens -> tokens. "@define NAME(p,q) %( body %)" is stored; "@NAME(a,b)" is read from its body, and
// "@p" in it from the argument. An argument is a closure: its own @words are resolved in the scope of the call, so
// every frame refers to its scope.
//
// Frames are a list rather than recursion. Their depth and the number of tokens from bodies are limited, since macros
// that call themselves would not end.
#include "parse/lex.h"
#include "util/str.h"

#include <string.h>

enum { MAX_DEPTH = 200, MAX_EXPANDED = 500 * 1000, MAX_ARGUMENTS = 100 };

// The call that a body belongs to; NULL: the text of the file.
struct scope {
	const struct macro *macro;
	token_list *args;          // [macro->params.n]
	struct scope *caller;      // scope of the names in the arguments
};

struct macro_frame {
	const token_list *tokens;
	int next;
	struct scope *scope;
	const struct expansion *via; // location of tokens of a body; NULL: an argument's tokens have their own
	bool put_back;             // its only token was read from the frame below
	struct macro_frame *below;
};

static const char *const at_operators[] = {
	"cast", "var", "defined", "entry", "probewrite", "perf", "count", "sum", "min", "max", "avg", "variance", "percentile",
	"hist_linear", "hist_log", "const", "enum", "enumname", "kregister", "uregister", "kderef", "uderef",
};

static bool is_operator(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(at_operators); i++)
		if (strcmp(at_operators[i], name) == 0)
			return true;
	return false;
}

// ---------------------------------------------------------------- frames

static struct token push(struct macros *m, struct loc at, const char *name, struct macro_frame frame)
{
	struct macro_frame *f;

	if (m->depth >= MAX_DEPTH) {
		m->stopped = true;
		return lex_junk(at, "macro calls are nested more than %d levels deep; check whether @%s calls itself",
				MAX_DEPTH, name);
	}
	f = NEW(struct macro_frame);
	*f = frame;
	f->below = m->top;
	m->top = f;
	m->depth++;
	return (struct token){ 0 };
}

static void pop(struct macros *m)
{
	m->top = m->top->below;
	m->depth--;
}

// Names like __i__ in a library macro are variables of its own: each call gets different ones.
static void make_own(const struct macro_frame *f, struct token *t)
{
	if (t->kind != TOK_IDENT || !f->scope->macro->library || t->len < 5 || memcmp(t->text, "__", 2) ||
	    strcmp(t->text + t->len - 2, "__"))
		return;
	t->text = str_printf("%s%d", t->text, f->via->number);
	t->len = strlen(t->text);
}

// Reads the next token without expanding it. only: do not leave this frame (NULL: the file).
static struct token raw(struct macros *m, const struct macro_frame *only)
{
	struct token t;

	while (m->top && m->top->next == m->top->tokens->n) {
		if (m->top == only)
			return (struct token){ .kind = TOK_EOF, .text = "" };
		pop(m);
	}
	if (!m->top)
		return lex_next(&m->lexer);
	t = m->top->tokens->at[m->top->next++];
	if (m->top->via) {
		t.loc.via = m->top->via;
		make_own(m->top, &t);
	}
	if (++m->expanded > MAX_EXPANDED && !m->stopped) {
		m->stopped = true;
		return lex_junk(t.loc, "the macros expand to more than %d tokens", MAX_EXPANDED);
	}
	return t;
}

// ---------------------------------------------------------------- definitions

// params = "(" [NAME {"," NAME}] ")"; the parenthesis is already read
static struct token parameters(struct macros *m, struct macro *macro)
{
	struct token t = raw(m, NULL);

	macro->takes_arguments = true;
	if (t.kind == TOK_RPAREN)
		return (struct token){ 0 };
	for (;; t = raw(m, NULL)) {
		if (!lex_is_word(&t))
			return t.kind == TOK_JUNK ? t : lex_junk(t.loc, "expected the name of a macro parameter");
		for (int i = 0; i < macro->params.n; i++)
			if (strcmp(macro->params.at[i], t.text) == 0)
				return lex_junk(t.loc, "duplicate macro parameter \"%s\"", t.text);
		vec_push(&macro->params, t.text);
		t = raw(m, NULL);
		if (t.kind == TOK_RPAREN)
			return (struct token){ 0 };
		if (t.kind != TOK_COMMA || macro->params.n == MAX_ARGUMENTS)
			return lex_junk(t.loc, "expected \",\" or \")\" in the macro's parameters");
	}
}

// body = "%(" tokens "%)", including conditionals
static struct token body(struct macros *m, struct macro *macro, struct token t)
{
	struct loc start = t.loc;
	int nested = 0;

	if (t.kind != TOK_COND_IF)
		return t.kind == TOK_JUNK ? t : lex_junk(t.loc, "expected \"%%(\" and the macro's body");
	for (;;) {
		t = raw(m, NULL);
		if (t.kind == TOK_EOF)
			return lex_junk(start, "unterminated macro body (\"%%)\" is missing)");
		if (t.kind == TOK_AT_WORD && strcmp(t.text, "define") == 0)
			return lex_junk(t.loc, "a macro body cannot contain @define; define that macro outside");
		if (t.kind == TOK_COND_END && !nested--)
			return (struct token){ 0 };
		nested += t.kind == TOK_COND_IF;
		vec_push(&macro->body, t);
	}
}

// Returns the definition of a macro with n parameters, of which the library may have several; NULL if there is
// none.
static const struct macro *arity(const struct macro *macro, int n)
{
	while (macro && macro->params.n != n)
		macro = macro->other;
	return macro;
}

// definition = "@define" NAME [params] body
static struct token define(struct macros *m, struct loc at)
{
	struct map *map = m->shared ? m->shared : &m->own;
	struct macro *macro = NEW(struct macro), *old;
	struct token name, t;

	if (m->top)
		return lex_junk(at, "a macro cannot expand to @define");
	name = raw(m, NULL);
	if (!lex_is_word(&name) || name.text[0] == '$')
		return name.kind == TOK_JUNK ? name : lex_junk(name.loc, "expected the name of the macro after @define");
	if (!strcmp(name.text, "define"))
		return lex_junk(name.loc, "invalid macro name \"define\": @define is the keyword that defines macros");
	macro->name = name.text;
	macro->loc = name.loc;
	macro->library = m->shared != NULL;
	t = raw(m, NULL);
	if (t.kind == TOK_LPAREN) {
		t = parameters(m, macro);
		if (t.kind)
			return t;
		t = raw(m, NULL);
	}
	t = body(m, macro, t);
	if (t.kind)
		return t;
	old = map_get(map, name.text);
	if (old && macro->library && !arity(old, macro->params.n)) {
		macro->other = old;
		old = NULL;
	}
	if (old)
		return lex_junk(name.loc, "duplicate macro @%s (first defined at %s:%d)", name.text,
				old->loc.source->name, old->loc.line);
	if (is_operator(name.text))
		diag_warning(name.loc, "the macro @%s hides the operator of the same name", name.text);
	map_put(map, name.text, macro);
	return (struct token){ 0 };
}

// ---------------------------------------------------------------- calls

static int most_params(const struct macro *macro)
{
	int most = 0;

	for (; macro; macro = macro->other)
		most = macro->params.n > most ? macro->params.n : most;
	return most;
}

// The token after a call without parentheses is read again.
static struct token put_back(struct macros *m, const struct token *t)
{
	token_list *tokens = NEW(token_list);

	if (m->top && t->kind == TOK_EOF)
		return (struct token){ 0 };
	vec_push(tokens, *t);
	return push(m, t->loc, "", (struct macro_frame){ .tokens = tokens, .scope = m->top ? m->top->scope : NULL,
							 .put_back = true });
}

static struct token wrong_count(const struct macro *macro, const struct token *call, int n)
{
	struct buf counts = { 0 };

	buf_printf(&counts, "%d argument%s", macro->params.n, macro->params.n == 1 ? "" : "s");
	for (const struct macro *other = macro->other; other; other = other->other)
		buf_printf(&counts, " or %d", other->params.n);
	return lex_junk(call->loc, "the macro @%s takes %s, %d given", macro->name, buf_text(&counts), n);
}

// arguments = "(" [tokens {"," tokens}] ")": commas within ( ) and [ ] do not separate. *found: the definition with so
// many parameters.
static struct token arguments(struct macros *m, const struct macro **found, const struct token *call, token_list **out)
{
	const struct macro *macro = *found;
	int most = most_params(macro);
	token_list *args = NEW_ARRAY(token_list, most + 1);
	const struct macro_frame *level;
	int n = 0, nested = 0;
	struct token t;

	while (m->top && m->top->put_back)
		pop(m);
	level = m->top;
	t = raw(m, level);
	*out = args;
	if (t.kind != TOK_LPAREN && macro->library && !macro->params.n)
		return put_back(m, &t);
	if (t.kind != TOK_LPAREN)
		return t.kind == TOK_JUNK ? t : lex_junk(call->loc, "the macro @%s takes %d argument%s in parentheses",
							 macro->name, macro->params.n, macro->params.n == 1 ? "" : "s");
	for (;;) {
		t = raw(m, level);
		if (t.kind == TOK_EOF || t.kind == TOK_JUNK)
			return t.kind == TOK_JUNK ? t :
				lex_junk(call->loc, "unterminated arguments of the macro @%s (\")\" is missing)", macro->name);
		if (t.kind == TOK_RPAREN && !nested)
			break;
		if (t.kind == TOK_COMMA && !nested) {
			n++;
			continue;
		}
		nested += (t.kind == TOK_LPAREN || t.kind == TOK_LBRACKET) - (t.kind == TOK_RPAREN || t.kind == TOK_RBRACKET);
		if (n <= most)
			vec_push(&args[n], t);
	}
	if (macro->params.n || n || args[0].n)
		n++;
	*found = arity(macro, n);
	return *found ? (struct token){ 0 } : wrong_count(macro, call, n);
}

static struct token expand(struct macros *m, const struct macro *macro, const struct token *call)
{
	struct expansion *via = NEW(struct expansion);
	struct scope *scope = NEW(struct scope);
	struct scope *caller = m->top ? m->top->scope : NULL;

	if (macro->takes_arguments) {
		struct token t = arguments(m, &macro, call, &scope->args);

		if (t.kind)
			return t;
	}
	scope->macro = macro;
	scope->caller = caller;
	via->macro = macro->name;
	via->number = ++m->calls;
	via->at = NEW(struct loc);
	*via->at = call->loc;
	return push(m, call->loc, macro->name,
		    (struct macro_frame){ .tokens = &macro->body, .scope = scope, .via = via });
}

// Looks up a parameter of the current body, a macro of the file, a macro of the library, in this order. Returns
// TOK_NONE if reading continues in a new frame, and the word itself if it is not found.
static struct token resolve(struct macros *m, struct token *t)
{
	struct scope *scope = m->top ? m->top->scope : NULL;
	const struct macro *macro = NULL;

	for (int i = 0; scope && i < scope->macro->params.n; i++)
		if (strcmp(scope->macro->params.at[i], t->text) == 0)
			return push(m, t->loc, t->text, (struct macro_frame){ .tokens = &scope->args[i],
				    .scope = scope->caller });
	if (!scope || !scope->macro->library)
		macro = map_get(&m->own, t->text);
	if (!macro && m->shared)
		macro = map_get(m->shared, t->text);
	if (!macro && !is_operator(t->text))
		macro = library_macro(m->lexer.session, t->text);
	return macro ? expand(m, macro, t) : *t;
}

// Stops reading at a limit: only TOK_EOF follows.
static struct token stop(struct macros *m)
{
	return (struct token){ .kind = TOK_EOF, .loc = reader_loc(&m->lexer.reader), .text = "" };
}

struct token macro_next(struct macros *m, bool skipping)
{
	for (;;) {
		struct token t = m->stopped ? stop(m) : raw(m, NULL);
		bool spaced = t.spaced;

		if (t.kind != TOK_AT_WORD || skipping)
			return t;
		t = strcmp(t.text, "define") == 0 ? define(m, t.loc) : resolve(m, &t);
		t.spaced |= spaced;
		if (t.kind)
			return t;
	}
}

void macro_start(struct macros *m, struct session *s, const struct source *source, struct map *shared)
{
	*m = (struct macros){ .shared = shared };
	lex_start(&m->lexer, s, source);
}
