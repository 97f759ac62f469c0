// SPDX-License-Identifier: GPL-2.0-or-later
// Opens kernel modules by name. /lib/modules/REL/modules.dep has the path of each .ko that depmod found; modules that
// it does not list are searched below that directory. The .ko gives the symbols and split BTF; DWARF is read from the
// .ko, from a file in the same directory or from the debuginfo directories, if the build-id is the same. A module that
// was loaded from another directory has only its build-id, in /sys, so that only its debuginfo can be found.
//
// A .ko is a relocatable file: relocate.c gives its sections addresses, .text 0. So link addresses are offsets into
// .text; the loader resolves its run-time address by symbol.
#include "debuginfo/elf/relocate.h"
#include "debuginfo/elf/resources.h"
#include "debuginfo/kernel/image.h"
#include "debuginfo/module.h"

#include "target/kernel.h"
#include "util/root.h"
#include "util/str.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// ---------------------------------------------------------------- modules.dep

// "kernel/drivers/block/nbd-x.ko.xz" -> "nbd_x", the name in /proc/modules
static char *name_of(const char *path)
{
	const char *base = strrchr(path, '/'), *end;
	char *name;

	base = base ? base + 1 : path;
	end = strstr(base, ".ko");
	name = str_ndup(base, end ? (size_t)(end - base) : strlen(base));
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

// Returns a map from names to paths below /lib/modules/REL.
static struct map *read_list(struct session *s, const char *file)
{
	char *text = str_read_file(root_path(str_printf("/lib/modules/%s/%s", s->kernel->release, file)), NULL), *save = NULL;
	struct map *m = NEW(struct map);

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		char *path = str_ndup(line, strcspn(line, ":"));

		map_put(m, name_of(path), path);
	}
	return m;
}

static bool is_module_file(const char *name)
{
	const char *end = strstr(name, ".ko");

	return end && (!end[3] || !strcmp(end, ".ko.xz") || !strcmp(end, ".ko.gz") || !strcmp(end, ".ko.zst"));
}

// Adds the modules below /lib/modules/REL that modules.dep does not list, those in updates/ first, as depmod does.
static void add_unlisted(struct session *s, struct map *files)
{
	char *dir = root_path(str_printf("/lib/modules/%s", s->kernel->release)), *updates = str_printf("%s/updates", dir);
	char *dirs[] = { updates, dir, NULL };
	FTS *tree = fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	FTSENT *e;

	while (tree && (e = fts_read(tree))) {
		bool top = e->fts_level == 1 && (!strcmp(e->fts_name, "build") || !strcmp(e->fts_name, "source"));

		if (e->fts_info == FTS_D && top)
			fts_set(tree, e, FTS_SKIP);
		else if (e->fts_info != FTS_D && e->fts_info != FTS_DP && is_module_file(e->fts_name) &&
			 !map_get(files, name_of(e->fts_name)))
			map_put(files, name_of(e->fts_name), str_dup(e->fts_path + strlen(dir) + 1));
	}
	if (tree)
		fts_close(tree);
}

// Reads modules.dep. The directory itself is read only if the list lacks `wanted`, or if `wanted` is NULL (all
// modules): depmod may not have run since a module was installed.
static struct map *module_files(struct session *s, const char *wanted)
{
	struct di_module *kernel = di_kernel(s);

	if (!kernel->module_files)
		kernel->module_files = read_list(s, "modules.dep");
	if (!kernel->module_files_complete && !(wanted && map_get(kernel->module_files, wanted))) {
		kernel->module_files_complete = true;
		add_unlisted(s, kernel->module_files);
	}
	return kernel->module_files;
}

void di_kernel_module_names(struct session *s, di_names *out)
{
	for map_each(module_files(s, NULL), e)
		vec_push(out, e->key);
}

char *kmod_path(struct session *s, const char *name)
{
	const char *path = map_get(module_files(s, name), name);

	return path ? root_path(str_printf("/lib/modules/%s/%s", s->kernel->release, path)) : NULL;
}

bool di_module_is_builtin(struct session *s, const char *name)
{
	return map_get(read_list(s, "modules.builtin"), name_of(name)) != NULL;
}

// ---------------------------------------------------------------- the cascade

static bool try_file(struct di_module *m, char *path, struct bytes id)
{
	return !access(path, R_OK) && module_try_dwarf(m, path, id);
}

// `below` is "/lib/modules/REL/kernel/fs/fuse/fuse.ko", or NULL if only the build-id is known; dir is one of
// di_debug_directories().
static bool try_directory(struct di_module *m, const char *dir, const char *below, struct bytes id)
{
	const struct kernel *k = m->s->kernel;
	const char *in_tree = below ? strstr(below, "/kernel/") : NULL;

	if (!below)
		return *dir == '/' && module_try_build_id(m, dir, id);
	if (!*dir)
		return try_file(m, root_path(below), id);
	if (!strcmp(dir, "build"))
		return k->build_tree && in_tree &&
		       try_file(m, str_printf("%s%s", k->build_tree, in_tree + strlen("/kernel")), id);
	if (*dir != '/')
		return try_file(m, root_path(str_printf("%.*s/%s%s", (int)(strrchr(below, '/') - below), below, dir,
							strrchr(below, '/'))), id);
	return module_try_build_id(m, dir, id) || try_file(m, str_printf("%s%s.debug", dir, below), id) ||
	       try_file(m, str_printf("%s%s", dir, below), id);
}

static void search_directories(struct di_module *m, const char *below, struct bytes id)
{
	di_names dirs = { 0 };

	di_debug_directories(&dirs);
	for vec_each(&dirs, dir)
		if (try_directory(m, *dir, below, id))
			return;
}

static void find_dwarf(struct di_module *m, const char *path, struct bytes id)
{
	const char *ko = strstr(path, ".ko");
	char *below = str_ndup(path, ko ? (size_t)(ko + 3 - path) : strlen(path));

	// A file that was compiled for its types (@cast with headers) has its own DWARF, whatever the debuginfo
	// directories are.
	if (ko || !try_file(m, below, id))
		search_directories(m, root_name(below), id);
}

static struct di_module *new_module(struct session *s, const char *name)
{
	struct di_module *m = NEW(struct di_module), *kernel = di_kernel(s);

	m->s = s;
	m->name = name;
	m->arch = kernel->arch;
	m->base_module = kernel;
	return m;
}

// Opens a module that the running kernel loaded from another directory. NULL: not loaded, or its debuginfo is not
// found.
static struct di_module *open_loaded(struct session *s, const char *name)
{
	size_t len = 0;
	char *note = str_read_file(str_printf("/sys/module/%s/notes/.note.gnu.build-id", name), &len);
	struct di_module *m = new_module(s, name);
	struct utsname host;

	if (!note || root_is_set() || uname(&host) || strcmp(s->kernel->release, host.release))
		return NULL;
	search_directories(m, NULL, elf_note_build_id((struct bytes){ (const uint8_t *)note, len }));
	return m->dwarf ? m : NULL;
}

// Opens the file of a module. Returns NULL if it cannot be read or is of another architecture.
static struct di_module *open_file(struct session *s, const char *name, const char *path)
{
	struct di_module *m = new_module(s, name);
	struct bytes file = image_unpack_file(path), btf, id;
	struct elf_view v;

	if (!file.at || !elf_view_open(&v, file) || v.machine != m->arch->elf_machine) {
		diag_warning((struct loc){ 0 }, "%s cannot be read, or is not a module for this architecture", path);
		return NULL;
	}
	id = elf_view_build_id(&v);
	m->build_id = id;
	find_dwarf(m, path, id);
	relocate_sections(&v);
	if (!m->has_symbols)
		m->has_symbols = symbols_from_elf(&m->symbols, &v);
	// A module whose BTF has its own .BTF.base would require mapping its ids to those of the kernel.
	if (elf_view_section(&v, ".BTF", &m->btf_bytes) && elf_view_header(&v, ".BTF.base"))
		m->btf_bytes = (struct bytes){ NULL, 0 };
	m->btf_path = path;
	if (!m->source) {
		m->source = elf_view_section(&v, ".BTF", &btf) ? DI_SOURCE_BTF : DI_SOURCE_SYMBOLS;
		m->source_path = path;
	}
	return m;
}

struct di_module *di_kernel_module(struct session *s, const char *name)
{
	struct di_module *kernel = di_kernel(s), *m;
	const char *path = *name == '/' ? name : NULL;

	name = name_of(name);
	m = map_get(&kernel->modules, name);
	if (m)
		return m;
	if (!path)
		path = map_get(module_files(s, name), name);
	if (path && *path != '/')
		path = root_path(str_printf("/lib/modules/%s/%s", s->kernel->release, path));
	else if (path && access(root_path(path), R_OK))
		return NULL;
	else if (path)
		path = root_path(path);
	m = path ? open_file(s, name, path) : open_loaded(s, name);
	if (m)
		map_put(&kernel->modules, name, m);
	return m;
}
