// SPDX-License-Identifier: GPL-2.0-or-later
// Names of C++ and Rust functions in programs without DWARF: symbols as c++filt(1) of binutils prints them.
#include "debuginfo/dwarf/index.h"
#include "debuginfo/lookup/lookup.h"
#include "debuginfo/module.h"

#include "util/spawn.h"
#include "util/str.h"

#include <ctype.h>
#include <string.h>

enum { BATCH_MAX = 64 << 10, SYMBOL_MAX = 32 << 10 };         // bytes of the arguments of one command, bytes of a
							      // symbol

static bool is_mangled(const char *symbol)
{
	return str_starts(symbol, "_Z") || str_starts(symbol, "_R");
}

// Each symbol is an argument, and its name a line of output.
static bool fits_command(const char *symbol)
{
	return strlen(symbol) < SYMBOL_MAX && !strchr(symbol, '\n');
}

// Removes the hashes that c++filt prints in names of Rust: "core[3c1c0]::write::h0123456789abcdef" becomes
// "core::write".
static char *without_hashes(const char *text)
{
	struct buf b = { 0 };

	for (; *text; text++) {
		if (*text == '[' && strspn(text + 1, "0123456789abcdef") > 3 &&
		    str_starts(text + 1 + strspn(text + 1, "0123456789abcdef"), "]::"))
			text = strchr(text, ']');
		else if (str_starts(text, "::h") && strspn(text + 3, "0123456789abcdef") == 16 && !text[19])
			break;
		else
			buf_printf(&b, "%c", *text);
	}
	return buf_text(&b);
}

bool name_is_operator(const char *text, const char *at)
{
	return str_starts(at, "operator") && (at == text || at[-1] == ':') && !isalnum((unsigned char)at[8]) && at[8] != '_';
}

// Splits "ns::Box<a::b>::area" into scope and name.
static struct plain_name *split(const char *text)
{
	struct plain_name *n = NEW(struct plain_name);
	const char *last = NULL;
	int depth = 0;

	for (const char *at = text; *at && !name_is_operator(text, at); at++) {
		depth += (*at == '<') - (*at == '>');
		if (!depth && at[0] == ':' && at[1] == ':' && at[2] != '<')
			last = at;
	}
	n->whole = text;
	n->scope = last ? str_ndup(text, last - text) : "";
	n->function = last ? last + 2 : text;
	return n;
}

static void take_output(struct di_module *m, const char *const *symbols, int n, char *output)
{
	char *line = output;

	for (int i = 0; i < n && line && *line; i++) {
		char *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		if (strcmp(line, symbols[i]))
			map_put(m->plain_names, symbols[i], split(without_hashes(line)));
		line = end ? end + 1 : NULL;
	}
}

// Without c++filt the symbols remain as they are.
static void demangle(struct di_module *m, const char *const *symbols, int n)
{
	VEC(const char *) argv = { 0 };
	struct spawn run = { .capture = true };

	vec_push(&argv, "c++filt");
	vec_push(&argv, "-p");
	for (int i = 0; i < n; i++)
		vec_push(&argv, symbols[i]);
	vec_push(&argv, NULL);
	run.argv = argv.at;
	if (n && !spawn_run(&run))
		take_output(m, symbols, n, run.output);
}

static void demangle_all(struct di_module *m)
{
	VEC(const char *) symbols = { 0 };
	struct index_hit hit;
	struct symbol sym;
	size_t bytes = 0;

	m->plain_names = NEW(struct map);
	for (int i = 0; i < m->symbols.n; i++)
		if (symbols_get(&m->symbols, i, &sym) && is_mangled(sym.name) && fits_command(sym.name) &&
		    !(module_index(m) && index_function_at(m->index, sym.address, &hit) && hit.die))
			vec_push(&symbols, str_ndup(sym.name, symbol_stem(sym.name)));
	for (int i = 0, first = 0; i < symbols.n; i++) {
		bytes += strlen(symbols.at[i]) + 1;
		if (bytes < BATCH_MAX && i + 1 < symbols.n)
			continue;
		demangle(m, symbols.at + first, i + 1 - first);
		first = i + 1;
		bytes = 0;
	}
}

const struct plain_name *plain_name_of(struct di_module *m, const char *symbol)
{
	if (!m->is_user || !is_mangled(symbol))
		return NULL;
	if (!m->plain_names)
		demangle_all(m);
	return map_get(m->plain_names, str_ndup(symbol, symbol_stem(symbol)));
}
