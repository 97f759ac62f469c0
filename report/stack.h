// SPDX-License-Identifier: GPL-2.0-or-later
// Call stacks in the keys of arrays. A stack is a key of several lines, as sprint_backtrace() makes it.
#ifndef STACK_H
#define STACK_H

#include "stream.h"

// Handles the name of a frame; it is valid until the handler returns.
typedef void frame_handler(void *to, struct text name);

// Returns true if the event is an element of an array with a call stack in its keys, and with a number or statistics.
bool stack_is_key(const struct event *e);
// Passes the frames of such an element from the outermost one to the innermost. Other keys are frames, too, in their order.
void stack_frames(const struct event *e, frame_handler *handler, void *to);
// Returns the element's number, or the sum of its statistics.
int64_t stack_value(const struct event *e);

#endif
