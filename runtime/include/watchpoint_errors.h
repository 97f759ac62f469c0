/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a watchpoint cannot be set: from an error number of the kernel to a part of a message. For the module and for the
 * client of BPF programs. */
#ifndef STP_WATCHPOINT_ERRORS_H
#define STP_WATCHPOINT_ERRORS_H

#ifdef __KERNEL__
#include <linux/errno.h>
#else
#include <errno.h>
#endif

/* err: negative. Returns NULL if the reason is not known. Context: any. */
static inline const char *stp_watchpoint_error(int err)
{
	switch (err) {
	case -ESRCH: case -ENOENT: return "a target process is required: use -c or -x";
	case -ENOSPC: case -EBUSY: return "all debug registers of the processor are in use";
	case -ENOMEM: return "no memory";
	case -EOPNOTSUPP:
		return "this machine delivers no hits of watchpoints (some hypervisors ignore debug registers), so that the "
		       "probe would never run";
	case -EINVAL:
		return "the processor cannot watch this address with this length (the address must be a multiple of the "
		       "length)";
	}
	return NULL;
}

#endif
