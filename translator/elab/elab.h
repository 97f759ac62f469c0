// SPDX-License-Identifier: GPL-2.0-or-later
// What the parts of pass 2 offer to each other and to probe families.
#ifndef ELAB_H
#define ELAB_H

#include "debuginfo/debuginfo.h"
#include "session.h"

// target_var.c
// A variable of debuginfo as an expression: registers, constants, loads. For an aggregate (struct,
// union, array) the expression is its address. Sets dtype. NULL after diag_error() when it can't be
// read here (optimised out).
struct expr *target_variable(struct loc loc, const struct di_variable *v);
// `base` has the debuginfo type base->dtype; applies the components (->, []), &, of `access`
// (an E_ACCESS whose own base is not looked at). NULL after diag_error().
struct expr *target_access(struct session *s, struct expr *base, const struct expr *access);

// symbols.c
// Binds the names of an expression or statement that the translator made after elab_symbols().
void symbols_bind_probe(struct session *s, struct probe *p);

// types.c
bool types_is_scalar(const struct var *v);

#endif
