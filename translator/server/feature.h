// SPDX-License-Identifier: GPL-2.0-or-later
// Requests of the language server: one function each, which runs in a child process (job.h).
#ifndef FEATURE_H
#define FEATURE_H

#include "parse/source_tokens.h"
#include "server/job.h"

feature check_run;                 // check.c: an array of diagnostics
feature completion_run;            // completion.c
feature hover_run, definition_run; // hover.c
feature formatting_run, rename_run, prepare_rename_run, semantic_tokens_run, symbols_run;      // edit.c
struct json_object *semantic_legend(void);     // edit.c: the meaning of the numbers in semantic tokens

// check.c: adds the text to the session as its script, with values for its arguments.
struct source *feature_source(struct request *r, const char *text, size_t len);

#endif
