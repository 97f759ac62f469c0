// SPDX-License-Identifier: GPL-2.0-or-later
// SHA-256 by nettle, which is small: libcrypto takes longer to load than a cached script takes.
#ifndef UTIL_SHA256_H
#define UTIL_SHA256_H

#include <nettle/sha2.h>
#include <nettle/version.h>

static inline void sha256_finish(struct sha256_ctx *c, uint8_t to[SHA256_DIGEST_SIZE])
{
#if NETTLE_VERSION_MAJOR >= 4
	sha256_digest(c, to);
#else
	sha256_digest(c, SHA256_DIGEST_SIZE, to);
#endif
}

#endif
