// SPDX-License-Identifier: GPL-2.0-or-later
// The format of bulk files is that of SystemTap before 5.0, so that its stap-merge and ours read the files of both.
// Files of later versions have BULK_MAGIC before each header.
#ifndef BULK_H
#define BULK_H

#include <stdint.h>

struct bulk_head {                         // precedes each record; not aligned
	uint32_t seq;                      // the lower half of the record's sequence number
	uint32_t len;                      // length of the record in bytes
};

#define BULK_MAGIC 0xbaa99ff0u

#endif
