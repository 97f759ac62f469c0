// SPDX-License-Identifier: GPL-2.0-or-later
// Interface shared by the fuzzers: each input has its own session in the same process.
#ifndef FUZZ_H
#define FUZZ_H

#include "session/session.h"

#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Each fuzzer defines this. The input is zero-terminated, in memory that is freed afterwards. It may call die().
void fuzz_one(const char *text, size_t len);

// A session on the user runtime, in guru mode, with script arguments, without a library (fuzz_library() sets the
// one of $SYSTEMTAP_TAPSET).
struct session *fuzz_session(void);
void fuzz_library(struct session *s);

#endif
