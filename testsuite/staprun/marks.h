// SPDX-License-Identifier: GPL-2.0-or-later
// Invalid system call numbers by which a program under inject.c marks calls that are not counted.
#ifndef MARKS_H
#define MARKS_H

#define MARK_START 9001                    // calls are counted from this one on
#define MARK_ENTER 9002                    // start of calls of the fake kernel itself
#define MARK_LEAVE 9003
#define MARK_MODULE 9004                   // replaces a system call on modules, which may be made to fail

#endif
