/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Until 7.0, __trace_puts() also took the length of the text; for later kernels the macro drops that argument. */
#include "stp_config.h"
#ifndef HAVE_TRACE_PUTS_SIZE
#define __trace_puts(ip, text, ...) __trace_puts(ip, text)
#endif
