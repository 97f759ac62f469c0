/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros of generated C that is compiled for the client of BPF programs, beside generated.h. */
#ifndef BPF_CLIENT_H
#define BPF_CLIENT_H

#include "messages.h"
#define STP_HASH_FACTOR stp_hash_factor
#include "bpf_shared.h"
#include "bpf_layout.h"

#define STP_PERCPU(c) ((c)->percpu)

#define STP_SHARED_NUMBER(name, value) static s64 name = value
#define STP_SHARED_STRING(name, value) static char name[STP_STRLEN] = value
#define STP_LOCK(name, number) static struct stp_lock name
#define stp_lock_of(handler, c) stp_lock(c)
#define stp_unlock_of(handler, c) stp_unlock(c)
#define stp_finish_of(handler, c) stp_finish(c)

#define STP_LITERAL(text) text
#define stp_div_by(a, b) ((a) / (b))
#define stp_mod_by(a, b) ((a) % (b))
#define STP_MAP_GET(c, m, ...) stp_map_get(m, __VA_ARGS__)
#define STP_MAP_DELETE(c, m, ...) stp_map_delete(m, __VA_ARGS__)

/* Only handlers of programs call them, which this compilation needs for their places. */
#define stp_syscall_name(c) ""
#define stp_syscall_kernel_name(c) ""

/* Places that programs refer to by the line: both compilations see the same text. */
#define STP_PLACE(...)								\
	static const struct stp_place place_ __attribute__((__section__("stp_places"), __used__)) = {	\
		.line = __LINE__, __VA_ARGS__ }
#define stp_printf(c, f, n, ...) do {						\
	STP_PLACE(.format = f, .pieces = n);					\
	(stp_printf)(c, f, n, __VA_ARGS__);					\
} while (0)
#define stp_print(c, t, n) do {							\
	STP_PLACE(.text = t, .pieces = n);					\
	(stp_print)(c, t, n);							\
} while (0)
#undef STP_CHECK
#define STP_CHECK(c, location, label) do {					\
	STP_PLACE(.where = location);						\
	if (STP_UNLIKELY((c)->error)) {						\
		stp_error_location(c, location);				\
		goto label;							\
	}									\
} while (0)
#undef STP_ACTIONS
#define STP_ACTIONS(c, n, location, label) do {					\
	STP_PLACE(.where = location);						\
	if (STP_UNLIKELY(((c)->actions -= (n)) < 0)) {				\
		stp_out_of_actions(c);						\
		stp_error_location(c, location);				\
		goto label;							\
	}									\
} while (0)

#define STP_BPF_LAYOUT(table, n)						\
	_Static_assert(sizeof(struct percpu) <= STP_PERCPU_WORDS * 8, "the slot holds struct percpu");	\
	const struct stp_bpf_layout stp_bpf_layout = {				\
		.slot_size = sizeof(struct stp_slot),				\
		.percpu_offset = __builtin_offsetof(struct stp_slot, percpu),	\
		.text_size = STP_TEXT_SIZE,					\
		.shared = stp_shared, .maps = stp_shared_maps, .taken = stp_taken, .adders = table, .nadders = n,					\
	}

#endif
