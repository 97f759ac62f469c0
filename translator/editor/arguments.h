// SPDX-License-Identifier: GPL-2.0-or-later
// Script arguments ($1, @1) of scripts that are parsed but not run.
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "parse/source_tokens.h"
#include "session/session.h"

// Returns the tree of the script as printed by -p1; NULL after errors, which were reported. Invented values of
// arguments that were not given remain in s->opt.args.
char *arguments_parse(struct session *s, struct source *source, const source_token_list *tokens);
// Adds the remaining arguments as sources of the session: --fmt and --lint accept several files.
void arguments_are_files(struct session *s);

#endif
