// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the modules whose code has a function, for messages: a function that the kernel lacks is often in a module.
// Only symbol tables are read: first of modules whose names begin like the function's name, then the list of the
// running kernel in /proc/kallsyms, then of all modules, which takes two seconds.
#include "debuginfo/elf/resources.h"
#include "debuginfo/elf/symbols.h"
#include "debuginfo/kernel/image.h"
#include "debuginfo/module.h"

#include "target/kernel.h"
#include "util/progress.h"
#include "util/root.h"
#include "util/str.h"

#include <fnmatch.h>
#include <string.h>
#include <sys/utsname.h>

// Returns whether the symbol is the function or a clone of it, "f.isra.0".
static bool is_symbol_of(const char *symbol, const char *function, size_t len)
{
	return !strncmp(symbol, function, len) && (!symbol[len] || symbol[len] == '.') && !symbol_is_part(symbol);
}

static bool has_function(struct di_module *kernel, const char *path, const char *function, bool glob)
{
	struct bytes file = image_unpack_file(path);
	size_t len = strlen(function);
	struct symbols symbols = { 0 };
	struct elf_view v;
	struct symbol sym;
	bool found = false;

	// A file whose string table lacks the name is not read any further.
	if (file.at && (glob || memmem(file.at, file.len, function, len)) && elf_view_open(&v, file) &&
	    v.machine == kernel->arch->elf_machine && symbols_from_elf(&symbols, &v))
		for (int i = 0; !found && i < symbols.n; i++)
			found = symbols_get(&symbols, i, &sym) &&
				(glob ? !fnmatch(function, sym.name, 0) : is_symbol_of(sym.name, function, len));
	if (file.at)
		unmap(&file);
	return found;
}

// Returns whether the function's name begins with that of the module, or both begin with the same word:
// "usb_submit_urb" and usbcore.
static bool has_similar_name(const char *module, const char *function)
{
	size_t word = strcspn(function, "_*?[");

	return word > 1 && function[word] == '_' && !strncmp(module, function, word);
}

// Adds the modules that the running kernel has loaded and that have the function: "ffff... t f\t[module]".
static void find_loaded(struct session *s, const char *function, di_names *out)
{
	struct utsname host;
	char *text, *save = NULL;

	if (root_is_set() || uname(&host) || strcmp(s->kernel->release, host.release))
		return;
	text = str_read_file("/proc/kallsyms", NULL);
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		char *tab = strchr(line, '\t'), *name = tab ? strchr(line, ' ') : NULL, *end;

		if (!name || !strchr("tTwW", name[1]) || tab - name < 4 || tab[1] != '[')
			continue;
		*tab = '\0';
		end = strchr(tab + 2, ']');
		if (end && is_symbol_of(name + 3, function, strlen(function)))
			vec_push(out, str_ndup(tab + 2, end - tab - 2));
	}
}

void di_modules_of_function(struct session *s, const char *function, bool all, di_names *out)
{
	struct di_module *kernel = di_kernel(s);
	bool glob = str_is_glob(function);
	di_names names = { 0 };

	di_kernel_module_names(s, &names);
	for vec_each(&names, name)
		if (has_similar_name(*name, function) && has_function(kernel, kmod_path(s, *name), function, glob))
			vec_push(out, *name);
	if (!out->n && !glob)
		find_loaded(s, function, out);
	if (out->n || glob || !all)
		return;
	progress("Looking for %s in the modules of the kernel", function);
	for vec_each(&names, name)
		if (!has_similar_name(*name, function) && has_function(kernel, kmod_path(s, *name), function, false))
			vec_push(out, *name);
	progress_end();
}
