/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros of generated C that is compiled for the client of BPF programs, beside generated.h. */
#ifndef BPF_CLIENT_H
#define BPF_CLIENT_H

#include "messages.h"
#include "bpf_shared.h"
#include "bpf_layout.h"

#define STP_PERCPU(c) ((c)->percpu)

#define STP_SHARED_NUMBER(name, value) static s64 name = value
#define STP_SHARED_STRING(name, value) static char name[STP_STRLEN] = value
#define STP_LOCK(name, number) static struct stp_lock name
#define stp_lock_of(handler, c) stp_lock(c)
#define stp_unlock_of(handler, c) stp_unlock(c)
#define stp_finish_of(handler, c) stp_finish(c)

#define STP_BPF_LAYOUT(table, n)						\
	_Static_assert(sizeof(struct percpu) <= STP_PERCPU_WORDS * 8, "the slot holds struct percpu");	\
	const struct stp_bpf_layout stp_bpf_layout = {				\
		.slot_size = sizeof(struct stp_slot),				\
		.percpu_offset = __builtin_offsetof(struct stp_slot, percpu),	\
		.shared = stp_shared, .adders = table, .nadders = n,					\
	}

#endif
