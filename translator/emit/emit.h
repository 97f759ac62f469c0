// SPDX-License-Identifier: GPL-2.0-or-later
// What probe families may ask of the emitter in their .emit.
#ifndef EMIT_H
#define EMIT_H

#include "emit/cwriter.h"
#include "session/session.h"

// "&stp_probes[3]": the runtime's struct stp_probe of p.
const char *emit_probe_ref(const struct probe *p);
// Registers a family's table: becomes { &ops, table, n } in stp_families[]. `ops` is a symbol of
// the runtime ("stp_timer_family").
void emit_family_table(struct session *s, const char *family, const char *table, int n);
// The script uses matched(): each handler, and what @entry() wants, begins with clearing what was matched.
bool emit_keeps_matches(void);
// A C string literal with its quotes.
const char *emit_c_string(const char *text);

struct di_module;
// Writes the struct stp_program TABLE_program_I, which identifies the file of a program or library. (emit_symbols.c)
void emit_program(struct cwriter *w, const char *table, int i, const struct di_module *m);

#endif
