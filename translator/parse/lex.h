// SPDX-License-Identifier: GPL-2.0-or-later
// Private to parse/: tokens, and the three layers that make them. Each layer reads from the one below on demand:
//
//   bytes --source.c--> characters, $1 pasted --lex.c--> tokens --macro.c--> @macros expanded
//         --preproc.c--> %( %) resolved, adjacent strings joined --> the parser
//
// Errors below the parser are passed up as a TOK_JUNK token whose text is the message, so that a branch that is not
// taken may contain anything, and the parser reports each syntax error once.
#ifndef LEX_H
#define LEX_H

#include "session/session.h"

struct token {
	enum tok kind;
	bool spaced;               // preceded by white space or a comment
	struct loc loc;            // first character
	const char *text;          // text as in the source (AT_WORD: without @; JUNK: the message), zero-terminated
	size_t len;                // length of text; a string may hold zero bytes
	int64_t number;            // TOK_NUMBER
};
typedef VEC(struct token) token_list;

// ---------------------------------------------------------------- source.c

// The characters of one source; a pasted argument is read before the text that follows it.
struct reader {
	const struct source *source;
	const char *p, *end;       // input that is being read
	const char *outer, *outer_end; // rest of the source while an argument is read; else NULL
	int line, column;          // location of the next character of the source
	int paste_line, paste_column;  // location of the "$1" that is being pasted
};

// Reads a file or text that is not in session.sources. NULL and errno on failure.
struct source *source_read(const char *path);
struct source *source_new(const char *name, const char *text, size_t len);

void reader_start(struct reader *r, const struct source *source);
int reader_peek(const struct reader *r, size_t ahead);     // -1 at the end
void reader_skip(struct reader *r, size_t n);
bool reader_pasting(const struct reader *r);               // returns whether the next character is from an argument
void reader_paste(struct reader *r, struct loc at, const char *text);
struct loc reader_loc(const struct reader *r);

// ---------------------------------------------------------------- lex.c

struct lexer {
	struct session *session;   // session with the arguments for $1; NULL: script arguments are not expanded
	struct reader reader;
};
void lex_start(struct lexer *l, struct session *s, const struct source *source);
struct token lex_next(struct lexer *l);
struct token lex_junk(struct loc loc, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool lex_is_word(const struct token *t);                   // identifier or keyword

// ---------------------------------------------------------------- macro.c

struct macro {
	const char *name;
	struct loc loc;
	VEC(const char *) params;
	bool takes_arguments;      // defined with "(...)"
	token_list body;
	bool library;              // the text is a .stpm: only macros of the library are visible in it
	const struct macro *other; // the library's next definition of the name, with another number of parameters
};

struct macro_frame;                    // a macro body or argument that is being read
struct macros {
	struct lexer lexer;
	struct map own;                    // macros of this file: name -> struct macro
	struct map *shared;                // where definitions of a .stpm are added, else NULL
	struct macro_frame *top;
	int depth;
	int calls;                         // number of macro calls so far
	long expanded;                     // tokens read from macro bodies, limited
	bool stopped;                      // the limit was reached: only TOK_EOF follows
};
void macro_start(struct macros *m, struct session *s, const struct source *source, struct map *shared);
// skipping: in a branch that is not taken, where nothing is expanded or defined.
struct token macro_next(struct macros *m, bool skipping);

// ---------------------------------------------------------------- preproc.c

struct preproc_branch { struct loc loc; bool in_else; };
struct preproc {
	struct session *session;
	struct macros macros;
	VEC(struct preproc_branch) open;   // conditionals whose %) was not read yet
	struct token pushed_back;          // the next token, if has_pushed_back is set
	bool has_pushed_back;
};
void preproc_start(struct preproc *p, struct session *s, const struct source *source, struct map *shared);
struct token preproc_next(struct preproc *p);

// The facts that conditions compare with, also used to find the directories of the library.
struct target_facts { const char *release, *base, *arch, *runtime; };
struct target_facts preproc_facts(const struct session *s);

// ---------------------------------------------------------------- library.c

struct macro *library_macro(struct session *s, const char *name);  // NULL: unknown
// Records which script arguments were used, by number; "argv" and "argc" count as all.
void library_argument_used(struct session *s, int number);
bool library_argument_is_used(struct session *s, int number);

// parse.c: Parses one text into `out`. Macros are added to `shared` unless it is NULL (for a .stpm). first (may be
// NULL): receives the location of the first error. Returns the number of errors reported.
int parse_into(struct session *s, const struct source *src, struct script *out, struct map *shared,
	       struct loc *first);

#endif
