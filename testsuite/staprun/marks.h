// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of no system call, by which a program under inject.c says what not to count.
#ifndef MARKS_H
#define MARKS_H

#define MARK_START 9001                    // from here on
#define MARK_ENTER 9002                    // what follows is the fake kernel's own
#define MARK_LEAVE 9003
#define MARK_MODULE 9004                   // instead of a call for modules, which may be made to fail

#endif
