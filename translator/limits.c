// SPDX-License-Identifier: GPL-2.0-or-later
// The names that -D gives a meaning to. In: options.defines. Out: warnings about names that are nearly one
// of them; any other is a macro for the script's embedded C and no business of ours.
#include "session.h"
#include "util/str.h"

#include <string.h>

static const char *const names[] = {
	"MAXSTRINGLEN", "MAXACTION", "MAXHANDLERTIME", "MAXACTION_INTERRUPTIBLE", "MAXNESTING", "MAXMAPENTRIES", "MAPHASHBIAS",
	"MAXERRORS", "MAXSKIPPED", "MAXTRYLOCK", "TRYLOCKDELAY", "MINSTACKSPACE", "MAXBACKTRACE", "KRETACTIVE",
	"INTERRUPTIBLE", "STP_OVERLOAD_INTERVAL", "STP_OVERLOAD_THRESHOLD", "STP_NO_OVERLOAD", "STP_MAXMEMORY",
	"STP_PROCFS_BUFSIZE", "STP_CTL_BUFFER_SIZE", "STP_DEFAULT_BUFFERS", "HIST_WIDTH", "HIST_ELISION",
	"STP_MAX_BUCKETS", "STP_NO_BUILDID_CHECK", "STP_ALIBI", "STP_TIMING", "STP_TIMING_NSECS",
	"STAP_CALLEE_MATCHALL", "STP_DEBUG",
	// What they limit elsewhere isn't there to be limited; stap(1) says so.
	"MAXUPROBES", "STP_BUFFER_SIZE", "TASK_FINDER_VMA_ENTRY_PATHLEN", "STP_LEGACY_PRINT",
	"STP_FORCE_STDOUT_TTY", "STP_EXECTRACE",
};

static bool known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

void limits_check_names(const struct session *s)
{
	enum { SHORTEST = 6, SLIPS = 2 };

	for vec_each(&s->opt.defines, d) {
		if (known(d->name) || strlen(d->name) < SHORTEST)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (str_distance(d->name, names[i]) <= SLIPS) {
				diag_warning((struct loc){ 0 }, "-D%s is no limit that is known (similar: %s)", d->name,
					     str_nearest(d->name, names, ARRAY_SIZE(names)));
				break;
			}
	}
}
