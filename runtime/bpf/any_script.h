/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes that a script determines, for files of the client that are compiled without one: they use only parts of
 * client.h and bpf_shared.h that do not depend on these. Included before both.
 */
#ifndef ANY_SCRIPT_H
#define ANY_SCRIPT_H

#define STP_STRLEN 512
#define STP_PERCPU_WORDS 1
#define STP_MERGED_WORDS 1
#define STP_KEY_STRINGS 1
#define STP_ENTRY_WORDS 1
#define STP_HIST_WORDS 1
#define STP_FRAMES_SIZE 8
#define STP_STACK_FRAMES 1
#define STP_USER_FRAMES 1
#define STP_NOTE_WORDS 1
#define STP_CAPTURE_SIZE 1

#endif
