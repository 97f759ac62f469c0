// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of probes that print globals: at the end of the script (autoprint.c), and while it runs (monitor.c).
#ifndef ELAB_DISPLAY_H
#define ELAB_DISPLAY_H

#include "elab/elab.h"

// Adds a probe without a source location, whose point has these parts, and whose body is an empty block. Returns
// NULL if the probe was removed.
struct probe *display_probe(struct session *s, const struct point_part *parts, int n);
struct expr *display_local(struct probe *p, struct var *v, const char *what, enum type type);
// Returns a loop over v, largest value first, whose body is yet to be set; the keys are added to `keys`.
struct stmt *display_loop(struct probe *p, struct var *v, expr_vec *keys);
struct stmt *display_statement(struct expr *e);
struct expr *display_operand(struct var *v, const expr_vec *keys);      // v or v[k1, k2]
struct expr *display_stat(struct var *v, const expr_vec *keys, unsigned op);    // @count(v[k1, k2])
struct expr *display_printf(struct loc loc);
void display_add_text(struct expr *printf, const char *text);
void display_add_value(struct expr *printf, struct expr *value, char conv, uint8_t flags);
void display_add_name(struct expr *printf, struct var *v, const expr_vec *keys);        // "name" or "name[k1,k2]"
void display_add_line(struct expr *printf, struct var *v, const expr_vec *keys, struct expr *value);

#endif
