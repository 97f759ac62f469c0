/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Additions to counters of a CPU, and handlers that consist of them. Part of generated.h, whose types it uses.
 */
#ifndef STP_COUNTERS_H
#define STP_COUNTERS_H

/*
 * Adds to a counter of this CPU, modulo 2^64. With STP_ADD_IS_WHOLE the addition is one instruction, so that an
 * interrupt or NMI on the same CPU occurs before or after it, and interrupts need not be disabled.
 */
#if defined(__x86_64__)
#define STP_ADD_IS_WHOLE 1
#define STP_ADD(cell, n) __asm__("addq %1, %0" : "+m"(cell) : "er"((s64)(n)) : "cc")
#else
#define STP_ADD_IS_WHOLE 0
#define STP_ADD(cell, n) ((void)((cell) = (__typeof__(cell))((u64)(cell) + (u64)(n))))
#endif

struct stp_ctx;
union stp_val;

/*
 * Reads a counter that only begin, end and error probes assign: one s64 per CPU at c->percpu + offset. base: the
 * global's own cell, which these probes write. c: NULL in the condition of a probe.
 */
s64 stp_adder_read(struct stp_ctx *c, u32 offset, s64 base);
void stp_adder_clear(struct stp_ctx *c, u32 offset);

/* Reads up to STP_ADDERS counters: the arguments of a printf that prints only counters. Valid until the next call. */
#define STP_ADDERS 16
struct stp_adder { u32 offset; const s64 *base; };
const union stp_val *stp_adders_read(struct stp_ctx *c, const struct stp_adder *adders, u32 n);

/*
 * Adds n to the element with these keys, which is inserted if absent, of a map of numbers with `percpu`. It waits
 * for no lock unless it inserts an element, and requires none if only begin, end and error probes read the map.
 * Sets the error "Array overflow, check ..." when the map is full. Context: a handler.
 */
struct stp_map;
void stp_map_add(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys, u64 n);
void stp_map_add1(struct stp_ctx *c, struct stp_map *m, s64 key, u64 n);    /* fast path for one number as the key */
struct stp_stat *stp_pmap_put1(struct stp_ctx *c, struct stp_map *m, s64 key); /* fast path for a number as key */

/* A handler that only adds uses no members of the context except `percpu`, and `regs` and `arguments` if it adds
 * or compares values. */
enum stp_adds_only { STP_ADDS_NOT_ONLY, STP_ADDS_CONSTANTS, STP_ADDS_VALUES };

#endif
