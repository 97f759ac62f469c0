// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Init and exit of a script's module: they register and unregister the device. Everything else happens after the
 * device is opened (control.c). This object is the same in the modules of all scripts; they differ in stp_module,
 * which the generated C defines.
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
	stp_signals_stop();
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Quicktap script");
