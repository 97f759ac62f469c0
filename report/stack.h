// SPDX-License-Identifier: GPL-2.0-or-later
// Call stacks in the keys of arrays. A stack is a key of several lines, as sprint_backtrace() makes it, or a list of
// addresses, as backtrace() makes it, that has such lines beside it.
#ifndef STACK_H
#define STACK_H

#include "writers.h"

struct frame {
	struct text name;                  // frame of a stack: function or address; other entries: text of the key
	struct text module;                // the kernel, a module or a file; empty: unknown
	uint64_t address;                  // 0: unknown
	uint64_t offset;                   // offset in the function in bytes
	uint64_t size;                     // size of the function; if in_file, end of the mapping in the file; 0: unknown
	struct text build_id;              // build ID of the module, in hexadecimal digits; empty: unknown
	struct text source;                // file of the source; empty: unknown
	unsigned line;                     // source line that the function executes, 0: unknown
	bool inlined;                      // inlined into the function of the preceding frame
	bool in_file;                      // the function is unknown, and `offset` is from the start of the file
	unsigned key;  // 0: a frame of the stack; else 1 + the position of the key that this entry shows
	uint64_t number;                   // frames of the same number are equal; 0: not a line of a stack
};

// The numbers that a writer has given to frames, so that it need not look them up by their names again. Another frame
// may replace one that was added. A zeroed table is empty.
struct frame_numbers { struct { uint64_t frame, number; } slots[1 << 16]; };

static inline bool frame_find_number(const struct frame_numbers *t, const struct frame *f, uint64_t *number)
{
	size_t i = f->number % (sizeof(t->slots) / sizeof(t->slots[0]));

	*number = t->slots[i].number;
	return f->number && t->slots[i].frame == f->number;
}

static inline void frame_add_number(struct frame_numbers *t, const struct frame *f, uint64_t number)
{
	size_t i = f->number % (sizeof(t->slots) / sizeof(t->slots[0]));

	t->slots[i].frame = f->number;
	t->slots[i].number = number;
}

// Handles a frame; it is valid until the handler returns.
typedef void frame_handler(void *to, const struct frame *f);

// Returns true if the event is an element of an array with a call stack in its keys, and with a number or statistics.
bool stack_is_key(const struct event *e);
// Calls the handler for the frames of such an element, from the outermost to the innermost, with inlined functions.
// Other keys are passed as frames, too, in their order, except empty texts, such as the kernel stack of a sample in
// a program. Kernel stacks follow user stacks.
void stack_frames(const struct session *s, const struct event *e, frame_handler *handler, void *to);
// Returns true if the key is a call stack.
bool stack_is_cell(const struct cell *c);
// Returns the lines of its frames, which are the text of the key or belong to it.
struct text stack_lines(const struct cell *c);
// Returns true if the text that was printed is a call stack: each of its lines has an address or an offset.
bool stack_is_text(struct text t);
// Calls the handler for the frames of such a text, which this host has printed, in the same order. host: empty if the
// session ran on one host.
void stack_text_frames(const struct session *s, struct text t, struct text host, frame_handler *handler, void *to);
// Returns the element's number, or the sum of its statistics.
int64_t stack_value(const struct event *e);
// Returns true if a global of the session has call stacks. Otherwise lists the globals and their types on standard
// error, and returns false.
bool stack_required(const struct session *s, const char *format);

#endif
