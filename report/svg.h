// SPDX-License-Identifier: GPL-2.0-or-later
// The files of the svg writer: svg.c draws globals, svg_time.c the records that were printed over time.
#ifndef SVG_H
#define SVG_H

#include "stream.h"

// Sizes in pixels; a character of the labels is at most SVG_CHARACTER wide.
enum { SVG_WIDTH = 1200, SVG_MARGIN = 10, SVG_ROW = 17, SVG_TITLE = 34, SVG_CHARACTER = 7, SVG_COLOURS = 6 };

// Writes at most `most` characters of t, which may be any bytes, escaped for XML.
void svg_put_text(FILE *to, struct text t, size_t most);
// Returns the number of a colour, below SVG_COLOURS, that depends only on the name.
unsigned svg_colour(struct text name);

struct svg_time;

struct svg_time *svg_time_new(void);
// Adds an event. Only printed histograms and records that name their thread are drawn.
void svg_time_event(struct svg_time *o, const struct session *s, const struct event *e);
// Prepares the drawing after the last event, and returns its height; 0: there is nothing to draw.
unsigned svg_time_height(struct svg_time *o);
void svg_time_draw(FILE *to, const struct svg_time *o, double y);
void svg_time_free(struct svg_time *o);

#endif
