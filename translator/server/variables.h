// SPDX-License-Identifier: GPL-2.0-or-later
// Variables that the handler of a probe can use, and their types.
#ifndef VARIABLES_H
#define VARIABLES_H

#include "debuginfo/debuginfo.h"
#include "resolve/family.h"
#include "server/cursor.h"

// Returns the first probe to which the point resolves, in a session that has only this probe; NULL: none.
struct probe *variables_probe(struct request *r, const char *point);
// Lists "$name" with the C type of each target variable, and the locals of its aliases.
void variables_list(struct request *r, struct probe *p, target_names *out);
// Returns the type of the expression $name->a[1]->b that ends with the token `last`, a name; NULL: unknown.
struct di_type *variables_chain(struct request *r, struct probe *p, const struct cursor *c,
				const struct source_token *last);
// Returns the struct or union that t is or points to; NULL for other types.
struct di_type *variables_aggregate(struct di_type *t);
// Returns the C type without a space before "*".
const char *variables_c_type(const char *type);

#endif
