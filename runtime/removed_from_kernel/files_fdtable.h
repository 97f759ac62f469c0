/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files_fdtable() is a macro of this header. Scripts for kernels before 5.10 rely on other headers that included
 * it. */
#include <linux/fdtable.h>
