// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>

// Begins to draw on the terminal. Returns the descriptor of its keyboard, or -1 if it cannot show a screen.
int screen_open(bool can_switch);
void screen_close(void);
void screen_draw(void);
// A key may ask for more than another view of the screen.
enum screen_wish { SCREEN_NOTHING, SCREEN_QUIT, SCREEN_SWITCH /* the probe screen_probe() */ };
enum screen_wish screen_key(void);         // handles one key that was pressed; also a new size of the terminal
struct live_probe *screen_probe(void);     // under the cursor

#endif
