// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A script's module comes and goes: the device appears, the device disappears. Everything else
 * waits for somebody to open it (control.c). The same object is in every script's module; what
 * makes it that script's is stp_module, in the generated C.
 */
#include "kernel.h"
#include <linux/init.h>

static int __init start(void)
{
	stp_deref_init();
	return stp_control_init();
}

static void __exit stop(void)
{
	stp_control_exit();
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Quicktap script");
