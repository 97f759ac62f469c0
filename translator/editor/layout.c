// SPDX-License-Identifier: GPL-2.0-or-later
// Lays out the tokens and comments of a script: line breaks, indentation, and comments at the ends of lines. Line
// breaks of the source remain, except where the style has its own rule; a block or "%( %)" on one line remains on
// one line.
#include "editor/layout.h"

#include <ctype.h>
#include <string.h>

struct frame *layout_top(struct layout *l)
{
	return &l->frames.at[l->frames.n - 1];
}

static const struct source_token *token_after(const struct layout *l, int i)
{
	do
		i++;
	while (i < l->in->n - 1 && l->in->at[i].kind == TOK_NONE);
	return &l->in->at[i < l->in->n ? i : l->in->n - 1];
}

const struct source_token *layout_next(const struct layout *l)
{
	return token_after(l, l->at);
}

// Decides like at_braces() of parse/parse_probe.c: braces of a point enclose alternatives, with commas between them.
static bool encloses_alternatives(const struct layout *l)
{
	int depth = 1, i = l->at + 1;
	bool commas = false;

	for (; depth && i < l->in->n; i++)
		switch (l->in->at[i].kind) {
		case TOK_LBRACE: depth++; break;
		case TOK_RBRACE: depth--; break;
		case TOK_COMMA: commas = true; break;
		case TOK_IDENT: case TOK_NUMBER: case TOK_STRING: case TOK_DOT: case TOK_QUESTION: case TOK_NOT: case TOK_MUL:
		case TOK_NONE: break;
		case TOK_LPAREN: case TOK_RPAREN: case TOK_SUB: break;
		default:
			if (l->in->at[i].kind < TOK_PROBE || l->in->at[i].kind > TOK_CATCH)
				return false;
		}
	return commas;
}

bool layout_is_block(struct layout *l, const struct source_token *t)
{
	const struct frame *top = layout_top(l);
	enum tok a = l->last ? l->last->kind : TOK_NONE;

	if (t->kind != TOK_LBRACE || top->point)
		return false;
	if (top->kind == PARENTHESES || top->mode != PROBE_POINT)
		return true;
	if (a == TOK_PROBE || a == TOK_COMMA || a == TOK_DOT || a == TOK_ASSIGN || a == TOK_ADD_ASSIGN)
		return false;
	return t->spaced || !encloses_alternatives(l);
}

// ---------------------------------------------------------------- groups on one line

static bool has_newline(const struct source_token *t)
{
	return t->newlines || memchr(t->text, '\n', t->len);
}

// Marks each "{", "(", "[" and "%(" whose group has no line break in the source, and each "{" directly before "}":
// these are written as "{}", so that formatting the result again does not change it. A group that a "%)" cuts off
// extends to the token before it.
static const bool *groups_on_one_line(const source_token_list *in)
{
	bool *flags = NEW_ARRAY(bool, in->n);
	VEC(int) open = { 0 };
	int last_break = -1;       // index of the last token with a line break before or in it

	for (int i = 0; i < in->n; i++) {
		enum tok kind = in->at[i].kind;
		int before = last_break;

		if (has_newline(&in->at[i]))
			last_break = i;
		if (kind == TOK_LBRACE || kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_COND_IF) {
			vec_push(&open, i);
		} else if (kind == TOK_RBRACE || kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_COND_END) {
			while (kind == TOK_COND_END && open.n && in->at[open.at[open.n - 1]].kind != TOK_COND_IF) {
				open.n--;
				flags[open.at[open.n]] = before <= open.at[open.n];
			}
			if (open.n && (kind == TOK_COND_END || in->at[open.at[open.n - 1]].kind != TOK_COND_IF)) {
				open.n--;
				flags[open.at[open.n]] = last_break <= open.at[open.n] ||
					(kind == TOK_RBRACE && open.at[open.n] == i - 1);
			}
		}
	}
	return flags;
}

// Returns true if a block or conditional that contains the token is on one line.
static bool inside_one_line(const struct layout *l)
{
	for vec_each(&l->frames, f)
		if (f->on_one_line && f->kind != PARENTHESES)
			return true;
	for vec_each(&l->conditionals, c)
		if (c->on_one_line)
			return true;
	return false;
}

// ---------------------------------------------------------------- line breaks

static bool is_head_keyword(enum tok kind)
{
	return kind == TOK_IF || kind == TOK_WHILE || kind == TOK_FOR || kind == TOK_FOREACH || kind == TOK_CATCH;
}

static bool break_before_block(struct layout *l, const struct source_token *t)
{
	const struct frame *f = layout_top(l);

	if (f->kind != PARENTHESES && f->mode != STATEMENTS)
		return !l->on_one_line[l->at] && (f->mode == FUNCTION_HEAD || f->alias);
	if (f->kind != PARENTHESES && f->heads && !f->ended)
		return false;
	return l->last->kind != TOK_COMMA && (t->newlines > 0 || f->ended) && !inside_one_line(l);
}

// Returns whether a line break precedes a token that begins a statement.
static bool break_before_statement(struct layout *l, const struct source_token *t)
{
	const struct frame *f = layout_top(l);
	enum tok a = l->last->kind;

	if (t->kind == TOK_IF && a == TOK_ELSE)
		return false;
	if (t->kind == TOK_SEMI && a != TOK_RPAREN)
		return false;
	if ((t->kind == TOK_ELSE || t->kind == TOK_CATCH) && a == TOK_RBRACE)
		return false;
	if (a == TOK_AT_WORD || a == TOK_COND_THEN || a == TOK_COND_ELSE || a == TOK_COND_END)
		return t->newlines > 0;
	return f->ended || f->heads ? !inside_one_line(l) : t->newlines > 0;
}

// Returns whether the token begins a line if no comment precedes it.
static bool wants_break(struct layout *l, const struct source_token *t)
{
	const struct frame *f = layout_top(l);
	enum tok a = l->last->kind, b = t->kind;

	if (layout_is_block(l, t) && a != TOK_LBRACE)
		return break_before_block(l, t);
	if (b == TOK_RBRACE && f->kind == BLOCK_LIST)
		return !f->on_one_line && a != TOK_LBRACE;
	if (a == TOK_LBRACE && f->kind == BLOCK_LIST)
		return !f->on_one_line;
	if (f->kind == MACRO_LIST && !f->started && !f->ended && a == TOK_COND_IF)
		return !f->on_one_line;
	if (b == TOK_COND_END && l->conditionals.n && l->conditionals.at[l->conditionals.n - 1].macro)
		return !l->conditionals.at[l->conditionals.n - 1].on_one_line;     // a parenthesis may still be open
	if (b == TOK_COND_IF || b == TOK_COND_THEN || b == TOK_COND_ELSE || b == TOK_COND_END)
		return t->newlines > 0;
	if (b == TOK_COMMA || (b == TOK_SEMI && f->started) || (b == TOK_LPAREN && is_head_keyword(a)) ||
	    (b == TOK_EMBEDDED && f->kind != PARENTHESES && f->mode == FUNCTION_HEAD))
		return false;
	if (f->kind != PARENTHESES && f->mode == STATEMENTS && !f->started)
		return break_before_statement(l, t);
	return t->newlines > 0;
}

// ---------------------------------------------------------------- indentation

static int column_in_parentheses(struct layout *l, const struct source_token *t)
{
	struct frame *f = layout_top(l);
	bool at_once = !f->column; // the line break follows the parenthesis

	if (at_once)
		f->column = f->base + TAB;
	return t->kind == f->closes && f->column == f->base + TAB ? f->base : f->column;
}

// Returns the column of a token that begins a line.
static int column_of(struct layout *l, const struct source_token *t)
{
	const struct frame *f = layout_top(l);
	int levels = layout_levels(f->heads);

	if ((t->kind == TOK_COND_ELSE || t->kind == TOK_COND_END) && l->conditionals.n)
		return l->conditionals.at[l->conditionals.n - 1].column;
	if (f->kind == PARENTHESES)
		return column_in_parentheses(l, t);
	if (t->kind == TOK_RBRACE && f->kind == BLOCK_LIST)
		return TAB * (f->indent - 1);
	if (t->kind == TOK_EOF || (f->mode != STATEMENTS && layout_is_block(l, t)))
		return TAB * f->indent;
	if (t->kind == TOK_COND_IF && (f->ended || f->operand))
		return TAB * f->indent;
	if (f->started)
		return TAB * (f->indent + levels + 1);
	if ((t->kind == TOK_ELSE || t->kind == TOK_CATCH || t->kind == TOK_LBRACE) && f->heads)
		levels--;
	return TAB * (f->indent + levels);
}

// Returns the column of a comment that has its own line before the token.
static int column_of_comment(struct layout *l, const struct source_token *t)
{
	const struct frame *f = layout_top(l);
	bool at_end = t->kind == TOK_RBRACE || t->kind == TOK_COND_ELSE || t->kind == TOK_COND_END;

	if (f->kind != PARENTHESES && at_end)
		return TAB * (f->indent + (f->started && !f->operand));
	return column_of(l, t);
}

// ---------------------------------------------------------------- lines

static struct line *current(struct layout *l)
{
	return &l->lines.at[l->lines.n - 1];
}

static int width(const struct buf *code)
{
	const char *p = memrchr(code->text ? code->text : "", '\n', code->len);
	int n = 0;

	for (p = p ? p + 1 : code->text; p && *p; p++)
		n = *p == '\t' ? (n / TAB + 1) * TAB : n + ((*p & 0xc0) != 0x80);
	return n;
}

static void new_line(struct layout *l, int column, bool blank_before)
{
	if (blank_before && l->lines.n)
		vec_push(&l->lines, (struct line){ 0 });
	vec_push(&l->lines, (struct line){ 0 });
	l->column = column;
	for (; column >= TAB; column -= TAB)
		buf_putc(&current(l)->code, '\t');
	for (; column > 0; column--)
		buf_putc(&current(l)->code, ' ');
}

// Adds a comment on its own line; further lines that begin with "*" are aligned with the first.
static void add_comment(struct buf *b, const struct source_token *t, int column)
{
	for (const char *p = t->text, *end = t->text + t->len; p < end; ) {
		const char *nl = memchr(p, '\n', end - p), *next = nl ? nl + 1 : end, *stop = nl ? nl : end;

		while (stop > p && isspace((unsigned char)stop[-1]))
			stop--;
		buf_add(b, p, stop - p);
		if (!nl)
			return;
		buf_putc(b, '\n');
		for (p = next; p < end && (*p == ' ' || *p == '\t'); )
			p++;
		if (p == end || *p != '*') {
			p = next;
			continue;
		}
		for (int i = 0; i < column / TAB; i++)
			buf_putc(b, '\t');
		for (int i = column % TAB; i >= 0; i--)
			buf_putc(b, ' ');
	}
}

static char *comment_text(const struct source_token *t, int column)
{
	struct buf b = { 0 };

	add_comment(&b, t, column);
	return buf_text(&b);
}

static bool is_block_comment(const struct source_token *t)
{
	return t->kind == TOK_NONE && t->text[0] == '/' && t->text[1] == '*';
}

// Writes the comments before a token. breaks: the token begins a line. Returns true if the last comment ends its
// line.
static bool write_comments(struct layout *l, int from, int to, bool breaks)
{
	const struct source_token *t = &l->in->at[to];

	for (int i = from; i < to; i++) {
		const struct source_token *c = &l->in->at[i];
		bool last = i == to - 1, ends = !is_block_comment(c) || l->in->at[i + 1].newlines || (last && breaks);

		if (!l->lines.n || c->newlines) {
			int column = column_of_comment(l, t);

			new_line(l, column, c->newlines > 1 && !(l->last && l->last->kind == TOK_LBRACE && i == from));
			buf_puts(&current(l)->code, comment_text(c, column));
		} else if (ends) {
			current(l)->comment = comment_text(c, l->column);
		} else {
			bool tight = l->last && (l->last->kind == TOK_LPAREN || l->last->kind == TOK_LBRACKET);

			buf_puts(&current(l)->code, tight ? "" : " ");
			buf_puts(&current(l)->code, comment_text(c, l->column));
		}
		breaks |= last && ends;
	}
	return breaks;
}

// ---------------------------------------------------------------- the text

static bool blank_line_before(struct layout *l, const struct source_token *t, bool after_comment)
{
	if (t->newlines < 2 || t->kind == TOK_RBRACE || t->kind == TOK_EOF)
		return false;
	return after_comment || !l->last || l->last->kind != TOK_LBRACE;
}

static void write_token(struct layout *l, const struct source_token *t, int comments)
{
	bool after_comment = comments < l->at, breaks;
	struct frame *f;

	layout_settle(l, t);
	breaks = !l->last || t->kind == TOK_EOF || wants_break(l, t);
	breaks |= after_comment && l->in->at[l->at].newlines && t->kind != TOK_LBRACE;
	breaks = write_comments(l, comments, l->at, breaks);
	if (t->kind == TOK_EOF)
		return;
	if (breaks)
		new_line(l, column_of(l, t), blank_line_before(l, t, after_comment));
	else if (after_comment ? t->kind != TOK_RPAREN && t->kind != TOK_COMMA : layout_space(l, t))
		buf_putc(&current(l)->code, ' ');
	f = layout_top(l);
	if (f->kind == PARENTHESES && !f->column)
		f->column = width(&current(l)->code);
	l->last_unary = layout_is_unary(l, t);
	buf_add(&current(l)->code, t->text, t->len);
	layout_advance(l, t);
	l->last = t;
}

// Aligns comments at the ends of successive lines.
static void join_lines(struct layout *l, struct buf *out)
{
	for (int i = 0, end = 0, widest = 0; i < l->lines.n; i++) {
		const struct line *line = &l->lines.at[i];

		if (i >= end)
			for (end = i, widest = 0; end < l->lines.n && l->lines.at[end].comment; end++)
				widest = widest > width(&l->lines.at[end].code) ? widest : width(&l->lines.at[end].code);
		buf_add(out, buf_text((struct buf *)&line->code), line->code.len);
		if (line->comment)
			buf_printf(out, "%*s%s", widest - width(&line->code) + 1, "", line->comment);
		buf_putc(out, '\n');
	}
}

char *layout_text(const source_token_list *tokens)
{
	struct layout l = { .in = tokens, .on_one_line = groups_on_one_line(tokens) };
	struct buf out = { 0 };
	int comments = 0;

	vec_push(&l.frames, (struct frame){ .kind = FILE_LIST });
	for (l.at = 0; l.at < tokens->n; l.at++) {
		if (tokens->at[l.at].kind == TOK_NONE)
			continue;
		write_token(&l, &tokens->at[l.at], comments);
		comments = l.at + 1;
	}
	join_lines(&l, &out);
	return buf_text(&out);
}
