/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bits by which the client tells programs that they are attached to a trampoline of the kernel, and its arguments. */
#ifndef BPF_TRAMPOLINE_H
#define BPF_TRAMPOLINE_H

#define STP_TRAMPOLINES 256            /* only programs with a lower number use one */
#define STP_TRAMPOLINE_USED 1u
/* words of struct pt_regs with the arguments: di, si, dx, cx, r8, r9 */
#define STP_ARGUMENT_WORDS { 14, 13, 12, 11, 9, 8 }
/* two bits for each argument: the number of bytes that the kernel stores */
enum { STP_WIDTH_8, STP_WIDTH_4, STP_WIDTH_2, STP_WIDTH_1 };
#define STP_TRAMPOLINE_SHIFT(i) (8 + 2 * (i))
#define STP_TRAMPOLINE_WIDTH(how, i) ((how) >> STP_TRAMPOLINE_SHIFT(i) & 3)

#endif
