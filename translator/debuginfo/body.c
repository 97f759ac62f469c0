// SPDX-License-Identifier: GPL-2.0-or-later
// What is in a function's code: labels.
#include "debuginfo/dw.h"

#include "util/str.h"

#include <fnmatch.h>

#define DEPTH_MAX 64

struct label_search {
	const struct di_function *f;
	const char *label;
	di_functions *out;
};

static void add_label(const struct label_search *s, Dwarf_Die *die)
{
	struct { struct di_function f; struct func_priv priv; } *both;
	Dwarf_Addr address;

	if (fnmatch(s->label, dwarf_name(die), 0) || dwarf_lowpc(die, &address))
		return;
	both = NEW(typeof(*both));
	both->f = *s->f;
	both->priv = *(const struct func_priv *)s->f->priv;
	both->f.priv = &both->priv;
	both->f.address = both->f.pc = address;
	both->priv.own_scope = true;
	both->f.label = str_dup(dwarf_name(die));
	vec_push(s->out, &both->f);
}

static void search_labels(const struct label_search *s, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(scope, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_label)
			add_label(s, &child);
		if (tag == DW_TAG_lexical_block)
			search_labels(s, &child, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

void di_find_labels(const struct di_function *f, const char *label, di_functions *out)
{
	struct label_search s = { f, label, out };

	if (dwarf_function(f))
		search_labels(&s, (Dwarf_Die *)((const struct func_priv *)f->priv)->die, 0);
}
