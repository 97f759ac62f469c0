/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What walks a file's locks names their type, too. */
#include "file_lock.h"
