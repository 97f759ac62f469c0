// SPDX-License-Identifier: GPL-2.0-or-later
// Interface of pass 1 besides pass_parse(): the script library, parsed on demand.
#ifndef PARSE_H
#define PARSE_H

#include "session/session.h"

// Parses a text that is not added to the script, and returns its tree as printed by -p1; NULL after an error, which
// was reported. A .stpm file may contain only macros.
char *parse_printed(struct session *s, struct source *src);

// The library: every .stp and .stpm below the tapset directory and the -I directories. Its index (name -> file) is
// cached. A file is parsed at most once, when a name of it is first used, and is then added to s->script as a
// whole. These return whether a file defines the name, and parse it.
bool library_use_function(struct session *s, const char *name);
bool library_use_global(struct session *s, const char *name);
// Parses every file with an alias whose name matches the leading parts of the point; parts may be globs, "**" spans
// parts. Suffix parts after the alias name are allowed.
bool library_use_alias(struct session *s, const struct probe_point *point);
bool library_has_alias(struct session *s, const char *name); // returns whether a file has the alias, without
							     // parsing it
// Parses the files of -I directories and reports the errors in all of them. Returns the number of errors.
int library_check(struct session *s);

void parse_print_words(name_list *out);                           // "print", "printf", ...
// Reports errors that the parser left to pass 2; returns their number.
int parse_report_late(struct session *s);
bool parse_is_declaring(const char *word);     // a keyword by which other languages declare variables
void parse_hint_keyword(struct loc loc, const char *word);    // prints a note if the word may be a misspelt keyword
const char *library_private(struct session *s, const char *name);  // a file to which the name is private, or NULL
void library_function_names(struct session *s, name_list *out);   // adds the names, for suggestions and lists
void library_macro_names(struct session *s, name_list *out);      // adds the names without the "@"
void library_alias_names(struct session *s, name_list *out);      // "vfs.read", ...

#endif
