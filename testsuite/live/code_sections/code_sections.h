/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CODE_SECTIONS_H
#define CODE_SECTIONS_H
void code_sections_note(const char *name, int number);
int code_sections_b(int n);
int own(int n);
int odd(int n);
#endif
