// SPDX-License-Identifier: GPL-2.0-or-later
// Private to parse/: the parser's state, and the grammar rules that one file calls in another.
//
// A syntax error sets `panic`: from then on only the end of the file is returned, so every rule returns soon (with a
// node, never NULL) and no further error is reported; the top level skips to the next top-level keyword and continues.
#ifndef PARSER_H
#define PARSER_H

#include "parse/lex.h"
#include "util/map.h"

enum {
	MAX_NESTING = 1000,        // levels of nested statements and expressions
	MAX_ARMS = 10000,          // else-if branches around a statement: later passes recurse for each
	MAX_OPERATORS = 20000,     // operators in one expression: a chain of n operators is a tree of depth n
	OPERATOR_STACK = 1600,     // bytes of stack that a pass may need for each operator
	MAX_POINTS = 10000,        // points to which the braces of one probe may expand,
	MAX_POINT_PARTS = 300000,  // maximum sum of the components of these points
	MAX_PRINT_ARGS = 32,
};

struct parser {
	struct session *session;
	const struct source *source;
	struct preproc preproc;
	struct map globals;        // globals of this file: name -> struct var
	struct token token;        // the next one, when has_token
	bool has_token;
	token_list ahead;          // tokens that were read after `token`, from
	int ahead_at;
	struct script *out;
	bool privileged;           // guru mode or the library: embedded C and the like are permitted
	int errors;
	struct loc first_error;
	bool panic;
	bool in_function;          // "return" is permitted
	int nesting;
	int arms;                  // number of else-if branches around the statement
	int expr_level;            // 1: the outermost expression
	int operators;             // number of operators in the outermost expression so far
	int point_parts;           // components copied so far to expand the braces of this probe
	int braces;                // number of open braces of a probe point
	const struct expr *large;  // the last decimal literal above INT64_MAX
	struct expr *loose_hist;   // an E_HIST that is not printed, indexed or iterated so far
};

// parse.c
const struct token *parser_peek(struct parser *p);
const struct token *parser_peek_ahead(struct parser *p, int n);    // 1: the one after parser_peek()
struct token parser_take(struct parser *p);
bool parser_at(struct parser *p, enum tok kind);
bool parser_accept(struct parser *p, enum tok kind);
bool parser_expect(struct parser *p, enum tok kind, const char *where);
void parser_fail(struct parser *p, struct loc loc, const char *fmt, ...) PRINTF_LIKE(3, 4);
// Reports an error, and parsing continues.
void parser_complain(struct parser *p, struct loc loc, const char *fmt, ...) PRINTF_LIKE(3, 4);
// Records an error that pass 2 reports.
void parser_late(struct parser *p, struct loc loc, const char *fmt, ...) PRINTF_LIKE(3, 4);
void parser_expected(struct parser *p, const char *what);  // "expected WHAT, found the next token"
bool parser_enter(struct parser *p);                       // false: nested too deeply, reported
void parser_leave(struct parser *p);
const char *parser_name(struct parser *p, const char *what, struct loc *loc); // never NULL
struct token parser_string(struct parser *p, const char *what);
bool parser_is_large(const struct token *number);          // a decimal number above INT64_MAX
// Returns the negative of a number. A large one below -2^63 is an error; a hexadecimal or octal one is a pattern of
// 64 bits.
int64_t parser_negative(struct parser *p, struct loc loc, int64_t number, bool large);
int64_t parser_number(struct parser *p, const char *what); // ["-"] NUMBER
bool parser_privileged(struct parser *p, struct loc loc, const char *what); // false: reported

// parse_probe.c
void parse_probe(struct parser *p, struct loc loc);        // "probe" is already read

// parse_stmt.c
struct stmt *parse_block(struct parser *p, const char *of);

// parse_expr.c
struct expr *parse_expr(struct parser *p);
struct expr *parse_expr_or_hist(struct parser *p);         // the caller then checks p->loose_hist
struct expr *parse_hist(struct parser *p);                 // "@hist_..." is next
expr_vec parse_keys(struct parser *p, bool stars);         // "[" is next; NULL entries are "*"
bool parser_available(struct parser *p, const struct token *t, const char *since); // reports an error if not
unsigned parse_stat_op(const struct token *t);             // STAT_* of @count ..., 0: none
bool parse_at_hist(struct parser *p);

// parse_print.c
bool parse_is_print(const char *word);
struct expr *parse_print(struct parser *p, const struct token *word); // "(" is next

#endif
