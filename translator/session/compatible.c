// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the language version that --compatible selects with the version that changed a construct.
#include "session/session.h"
#include "util/diag.h"

#include <string.h>

bool session_since(const struct session *s, struct loc loc, const char *since, const char *what)
{
	if (!s || (loc.source && loc.source->library))
		return true;
	if (s->opt.check_version)
		diag_warning(loc, "%s depends on the language version: it behaves as documented since %s", what, since);
	return !s->opt.compatible || strverscmp(s->opt.compatible, since) >= 0;
}
