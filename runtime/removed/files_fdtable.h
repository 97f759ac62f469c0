/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers that include each other once had this one in all that knows files. */
#include <linux/fdtable.h>
