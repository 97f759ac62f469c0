// SPDX-License-Identifier: GPL-2.0-or-later
// Words of other languages and tracers, with the equivalents in stap's language (foreign_words.def).
#ifndef FOREIGN_WORDS_H
#define FOREIGN_WORDS_H

#include "util/diag.h"

// Each returns advice for a word, "it exists only in bpftrace; write execname()", or NULL.
const char *foreign_word_value(const char *name);     // a variable that is not declared
const char *foreign_word_call(const char *name);      // a function that is not declared
// For a function of this language that another one has, too: "for "ustack" of bpftrace, write ...", or NULL.
const char *foreign_word_other(const char *name);
const char *foreign_word_target(const char *name);    // $name, that a probe does not have
const char *foreign_word_point(const char *word);     // the first word of a probe point, or "." and the last one
// Returns advice, with "; " before it, or "" for a value of the wrong type. what: text that begins with the
// operator.
const char *foreign_word_operand(const char *what);
// Prints a note if the line of the syntax error that was just reported is written as in another language.
void foreign_word_note(struct loc loc);

#endif
