/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WING_H
#define WING_H
void wing_note(const char *name, int number);
int wing_b(int n);
int own(int n);
int odd(int n);
#endif
