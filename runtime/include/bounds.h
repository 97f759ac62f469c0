/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ranges of limits.def as constants, for static assertions where the runtime relies on them:
 * STP_MIN_NAME and STP_MAX_NAME.
 */
#ifndef STP_BOUNDS_H
#define STP_BOUNDS_H

#define LIMIT(name, min, max, usual, unit, text) \
	enum { STP_MIN_##name = (min) }; enum { STP_MAX_##name = (max) };
#define SWITCH(name, text)
#define NO_EFFECT(name)
#include "limits.def"

#endif
