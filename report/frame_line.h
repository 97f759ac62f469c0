// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of call stacks, as handlers print them.
#ifndef FRAME_LINE_H
#define FRAME_LINE_H

#include "stack.h"

// Reads a line of a backtrace, "0xffff8000 : name+0x1b/0x40 [module]"; each part but the name may be missing.
struct frame frame_line_read(struct text line);
// Returns the frames of a line: the function, then those that are inlined there. *n is their number. `returns`: the
// address is a return address. Valid until the next call.
const struct frame *frame_line_frames(const struct session *s, struct text line, struct text host, bool returns,
				      unsigned *n);

#endif
