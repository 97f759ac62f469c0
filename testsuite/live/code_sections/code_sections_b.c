// SPDX-License-Identifier: GPL-2.0-or-later
/* The other file: functions of the same names. */
#include <linux/module.h>
#include "code_sections.h"

static noinline int twin(int n)
{
	code_sections_note("twin b", n);
	return n + 100;                    /* place: twin b */
}

static __cold noinline int cold_twin(int n)
{
	code_sections_note("cold_twin b", n);
	return n + 200;                    /* place: cold_twin b */
}

noinline int code_sections_b(int n)
{
	return twin(n + 1) + cold_twin(n + 2);
}
