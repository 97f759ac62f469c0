/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Up to 6.x, __trace_puts() has the length of the text as a third parameter. */
#include "stp_config.h"
#ifndef HAVE_TRACE_PUTS_SIZE
#define __trace_puts(ip, text, ...) __trace_puts(ip, text)
#endif
