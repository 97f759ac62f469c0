// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef EVENT_TEXT_H
#define EVENT_TEXT_H

#include "stream.h"

// Returns what the handler of PRINT, TEXT or HIST prints, byte for byte; valid until the next call.
struct text event_text(const struct session *s, const struct event *e);
void event_text_suit_terminal(unsigned style);         // sets the style of later histograms: HIST_TERMINAL (limits.def)
void event_text_add_percentiles(void);                 // adds a line of percentiles after each later histogram
bool statistic_has_min(const struct statistic *s);     // `min` was computed
bool statistic_has_max(const struct statistic *s);
int64_t statistic_average(const struct statistic *s);
// Returns true if the event is part of the display of unread globals, whose values follow as VALUE.
bool is_display(const struct event *e);
// Limits of a histogram's bucket; both are included.
void bucket_limits(const struct statistic *s, unsigned bucket, int64_t *low, int64_t *high);
// Copies a histogram. Of a linear one with more than PICTURE_BUCKETS buckets, adjacent ones are summed.
enum { PICTURE_BUCKETS = 130 };
void statistic_for_picture(struct statistic *to, const struct statistic *s);
// Calls the handler for each argument of PRINT with a name: the text before its conversion. The name is the argument's
// number, from 1, if that text is empty or names an earlier argument. All arguments of an event have different names.
typedef void argument_handler(void *to, const char *name, const struct cell *c);
void each_argument(const struct event *e, argument_handler *handler, void *to);

#endif
