// SPDX-License-Identifier: GPL-2.0-or-later
// Formats the lines of stap --monitor's tables as text of a given width.
#ifndef CELLS_H
#define CELLS_H

#include "live.h"

int cells_fit(const char *text, int width);            // returns the bytes of the characters that fit into the width
void cells_pad(char *line, size_t size, int width);    // appends spaces
void cells_plain(char *line, size_t size, const char *text);   // writes the text without control characters
// Returns the rows whose key contains `filter`, sorted by a column; free() it.
struct live_row **cells_sorted(const struct live_table *t, unsigned column, bool rising, const char *filter, size_t *n);
void cells_head(char *line, size_t size, const struct live_table *t, unsigned column, bool rising, int width);
void cells_row(char *line, size_t size, const struct live_table *t, const struct live_row *r, int width);
void cells_probe_head(char *line, size_t size, int width);
void cells_probe(char *line, size_t size, const struct live_probe *p, int width);
// Writes row i of a histogram of at most n rows; "" if it has no such row.
void cells_bar(char *line, size_t size, const struct statistic *s, unsigned i, unsigned n, int width, bool utf8);

#endif
