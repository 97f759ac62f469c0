// SPDX-License-Identifier: GPL-2.0-or-later
// Embedded C as the translator sees it: its markers and identifiers. The parser makes it once from the text between
// %{ and %}; later passes ask about it and never read the text again.
#ifndef AST_EMBEDDED_H
#define AST_EMBEDDED_H

#include "util/str.h"

#include <stdbool.h>
#include <stdint.h>

// Markers: whole comments.
enum {
	PRAGMA_PURE = 1, PRAGMA_STABLE = 2, PRAGMA_GURU = 4, PRAGMA_UNPRIVILEGED = 8, PRAGMA_MYPROC = 16,
	PRAGMA_UNMANGLED = 32, PRAGMA_UNMODIFIED_ARGS = 64,
	PRAGMA_RUNTIME = 128,      // "pragma:runtime": needs generated.h only, goes into the generated C
	PRAGMA_TAGGED_DFA = 256,   // "pragma:tagged_dfa": uses submatches of regular expressions
	PRAGMA_ANYWHERE = 512,     // "pragma:anywhere": the same result in any task, on any CPU; changes none of them
	PRAGMA_CONTEXT_FREE = 1024,// "pragma:context-free": uses nothing of the context and cannot fail
	PRAGMA_SUFFIX = 2048,      // "pragma:suffix": a block that follows the functions of its file
	PRAGMA_STRING = 4096,      // "string": an expression that is a string
	PRAGMA_USERSPACE = 8192,   // "userspace": for --runtime=user only
};

// A distinct identifier or keyword of the code; comments and literals have none.
struct c_word {
	const char *name;
	int offset;                // number of uses that are followed by "("
	int calls;                 // number of times that "(" follows
	bool is_macro;             // follows "define" at least once
	bool is_outside;           // used outside braces at least once: the C at the top level of a file declares it
	bool is_unconditional;     // outside #if ... #endif at least once
	bool is_member;            // follows "." or "->" at least once
	bool is_pointer;           // precedes "->" at least once, and is not a member there
};

struct embedded {
	const char *code;          // the text of the code
	unsigned pragmas;          // PRAGMA_*
	const char *points_to;     // "pragma:type:task_struct": the type to which the returned number points; or NULL
	int64_t work;              // "pragma:work:N": upper limit of its cost, in units; -1: not stated
	name_list reads, writes;   // "pragma:read:G", "pragma:write:G": globals that it accesses
	name_list unknown;         // unknown markers that are similar to a known one
	VEC(struct c_word) words;
	bool is_statement;         // an expression that ends in ";" or is empty, comments aside
};

struct embedded *embedded_new(const char *code);
const struct c_word *embedded_word(const struct embedded *c, const char *name);   // NULL: it does not use the name
bool embedded_has_prefix(const struct embedded *c, const char *prefix);
// Returns true if it is similar to a marker; *similar is advice for the message ("" for none).
bool embedded_is_misspelt(const char *marker, const char **similar);

#endif
