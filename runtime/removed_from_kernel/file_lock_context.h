/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that visits a file's locks also uses their type. */
#include "file_lock.h"
