// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of the emitter that probe families call in their .emit.
#ifndef EMIT_H
#define EMIT_H

#include "emit/cwriter.h"
#include "session/session.h"

// Returns "&stp_probes[3]", the runtime's struct stp_probe of p.
const char *emit_probe_ref(const struct probe *p);
// Adds a family's table as { &ops, table, n } to stp_families[]. `ops` is a symbol of the runtime
// ("stp_timer_family").
void emit_family_table(struct session *s, const char *family, const char *table, int n);
// Does the same for a table without initialiser, which the runtime fills from `runs`, an array whose rows the family
// defines.
void emit_family_runs(struct session *s, const char *family, const char *table, int n, const char *runs);
// Returns whether the script uses matched(), so that each handler and entry handler begins by clearing the submatches.
bool emit_keeps_matches(const struct session *s);
// Writes the declaration of a `const s64` whose value is the constant C expression `text`, in C that follows the
// script's embedded C and `headers` ("#include <x.h>
// "). Returns its name.
const char *emit_c_constant(struct session *s, struct cwriter *w, const char *headers, const char *text,
			    struct loc loc);
// Returns a C string literal with its quotes.
const char *emit_c_string(const char *text);
// emit_bytes.c: Declares `type name[]`, whose content is these bytes in the target's byte order, aligned to 8.
void emit_bytes(struct session *s, struct cwriter *w, const char *type, const char *name, const struct buf *bytes);
// Adds a number of 32 bits to such bytes.
void emit_u32(struct buf *bytes, uint32_t n);
// emit_bpf.c: Returns a mask of the words of struct pt_regs that the probe reads.
const char *emit_bpf_registers(struct session *s, const struct probe *p);
const char *emit_bpf_sampled_registers(struct session *s, const struct probe *p);
// Writes entries_N(), where N is the number of the probe `first`. The function stores the values of @entry() of the
// probe that was hit, one of these n, in the slot. Returns the maximum number of words that the values take.
int emit_bpf_entries(struct session *s, struct cwriter *w, const struct probe *first,
		     const struct probe *const *probes, int n);
// emit_bpf_stack.c: Data that a program collects before its handler. BPF_TAKES_EXACT: the address of the probe
// itself.
enum bpf_takes { BPF_TAKES_STACK = 1, BPF_TAKES_FUNCTION = 2, BPF_TAKES_EXACT = 4, BPF_TAKES_USER_STACK = 8 };
unsigned bpf_takes(const struct probe *p);
// Returns the number of arguments of the hit, starting with the first, the runtime must save for the handler.
int emit_arguments_read(const struct probe *p);

// emit_symbols.c: Writes the struct stp_program TABLE_program_I, which identifies the file of a program or library.
struct di_identity;
void emit_program(struct cwriter *w, const char *table, int i, const struct di_identity *id);

#endif
