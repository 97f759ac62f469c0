// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that were printed before.
#include "log.h"
#include "stapio.h"

#include <stdint.h>

// The first 1024 different messages are stored as hashes (FNV-1a).
bool message_is_repeated(unsigned type, const char *text)
{
	static uint64_t seen[1024];
	static int n;
	uint64_t hash = 0xcbf29ce484222325u ^ type;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	for (int i = 0; i < n; i++)
		if (seen[i] == hash)
			return !log_verbose;
	if (n < 1024)
		seen[n++] = hash;
	return false;
}
