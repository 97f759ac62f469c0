// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>

// Begins to draw on the terminal. Returns the descriptor of its keyboard, or -1 if it cannot show a screen.
int screen_open(bool can_switch);
void screen_close(void);
void screen_draw(void);
// Actions that a key requests of the caller; other keys only change the view. SCREEN_SWITCH: enable or disable the
// probe screen_probe().
enum screen_wish { SCREEN_NOTHING, SCREEN_QUIT, SCREEN_SWITCH };
// Handles a pressed key or a new size of the terminal. Returns false if neither is waiting.
bool screen_key(enum screen_wish *wish);
struct live_probe *screen_probe(void);     // returns the probe under the cursor

#endif
