// SPDX-License-Identifier: GPL-2.0-or-later
// Static probes in stap, at the begin and end of its passes. Existing scripts read their argument as a pointer to a
// C++ session, from which they use the source of the script, in the layout of C++ strings.
#include "driver/self_probes.h"

#include "../include/sys/sdt.h"

#include <string.h>

struct marked_text {
	struct { const char *_M_p; } _M_dataplus;
	size_t _M_string_length;
	char _M_local_buf[16];             // strings shorter than this are stored here
};

struct systemtap_session {
	struct marked_text cmdline_script, script_file;
};

static void set_text(struct marked_text *t, const char *text)
{
	t->_M_dataplus._M_p = text ? text : "";
	t->_M_string_length = strlen(t->_M_dataplus._M_p);
	strncpy(t->_M_local_buf, t->_M_dataplus._M_p, sizeof(t->_M_local_buf) - 1);
}

#define PASS(n)							\
	case 2 * n:						\
		STAP_PROBE1(stap, pass##n##__start, &view);	\
		break;						\
	case 2 * n + 1:						\
		STAP_PROBE1(stap, pass##n##__end, &view);	\
		break;

void mark_pass(struct session *s, int number, bool ends)
{
	static struct systemtap_session view;

	s->marked = &view;
	set_text(&view.cmdline_script, s->opt.script_text);
	set_text(&view.script_file, s->opt.script_file);
	switch (2 * number + ends) {
	PASS(0)
	PASS(1)
	PASS(2)
	PASS(3)
	PASS(4)
	PASS(5)
	PASS(6)
	}
}
