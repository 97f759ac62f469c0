// SPDX-License-Identifier: GPL-2.0-or-later
// Private to parse/: tokens, and the three layers that make them. Each layer pulls from the one
// below, so nothing is read that the parser doesn't want:
//
//   bytes --source.c--> characters, $1 pasted --lex.c--> tokens --macro.c--> @macros gone
//         --preproc.c--> %( %) gone, adjacent strings joined --> the parser
//
// Whatever is wrong below the parser travels upwards as a TOK_JUNK token whose text is the message,
// so that a branch not taken may hold anything, and the parser reports once per syntax error.
#ifndef LEX_H
#define LEX_H

#include "session/session.h"

struct token {
	enum tok kind;
	bool spaced;               // white space or a comment is in front of it
	struct loc loc;            // first character
	const char *text;          // as written (AT_WORD: without @; JUNK: the message), terminated
	size_t len;                // of text; a string may hold zero bytes
	int64_t number;            // TOK_NUMBER
};
typedef VEC(struct token) token_list;

// ---------------------------------------------------------------- source.c

// The characters of one source; a pasted argument is read before what follows it.
struct reader {
	const struct source *source;
	const char *p, *end;       // what is read now
	const char *outer, *outer_end; // the source, while an argument is read; else NULL
	int line, column;          // of the next character of the source
	int paste_line, paste_column;  // of the "$1" that is being read
};

// One file or text that isn't in session.sources. NULL and errno when it can't be read.
struct source *source_read(const char *path);
struct source *source_new(const char *name, const char *text, size_t len);

void reader_start(struct reader *r, const struct source *source);
int reader_peek(const struct reader *r, size_t ahead);     // -1 at the end
void reader_skip(struct reader *r, size_t n);
bool reader_pasting(const struct reader *r);               // the next character is an argument's
void reader_paste(struct reader *r, struct loc at, const char *text);
struct loc reader_loc(const struct reader *r);

// ---------------------------------------------------------------- lex.c

struct lexer {
	struct session *session;   // for $1; NULL: they are kept as junk
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
	bool takes_arguments;      // written with "(...)"
	token_list body;
	bool library;              // from a .stpm: sees only its like
};

struct macro_frame;                    // a macro body or an argument that is being read
struct macros {
	struct lexer lexer;
	struct map own;                    // name -> struct macro: this file's
	struct map *shared;                // where definitions of a .stpm go, else NULL
	struct macro_frame *top;
	int depth;
	int calls;                         // so far
	long expanded;                     // tokens that came from bodies, bounded
	bool stopped;                      // the bound was reached: only TOK_EOF from now on
};
void macro_start(struct macros *m, struct session *s, const struct source *source, struct map *shared);
// skipping: in a branch that isn't taken: nothing is expanded or defined.
struct token macro_next(struct macros *m, bool skipping);

// ---------------------------------------------------------------- preproc.c

struct preproc_branch { struct loc loc; bool in_else; };
struct preproc {
	struct session *session;
	struct macros macros;
	VEC(struct preproc_branch) open;   // %( that wait for their %)
	struct token held;                 // pushed back
	bool has_held;
};
void preproc_start(struct preproc *p, struct session *s, const struct source *source, struct map *shared);
struct token preproc_next(struct preproc *p);

// What the conditions compare with, also used to find the library's directories.
struct target_facts { const char *release, *base, *arch, *runtime; };
struct target_facts preproc_facts(const struct session *s);

// ---------------------------------------------------------------- library.c

struct macro *library_macro(struct session *s, const char *name);  // NULL when there is none
// Which script arguments were used, by number; "argv"/"argc" counts as all.
void library_argument_used(struct session *s, int number);
bool library_argument_is_used(struct session *s, int number);

// parse.c: like parse_source(), into `out`; macros go to `shared` if that is given (a .stpm).
// first (may be NULL): where the first error is.
int parse_into(struct session *s, const struct source *src, struct script *out, struct map *shared,
	       struct loc *first);

#endif
