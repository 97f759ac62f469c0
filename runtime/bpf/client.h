/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interfaces between the files of the client of BPF programs. */
#ifndef BPF_CLIENT_FILES_H
#define BPF_CLIENT_FILES_H

#include "../user/user.h"
#include "../user/carrier.h"
#include "bpf_layout.h"

#include <bpf/libbpf.h>

/* client.c */
/* Returns the program of a probe of the script. */
struct bpf_program *client_program(const struct stp_probe *p);

#endif
