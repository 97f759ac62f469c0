// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the shared libraries of a program: DT_NEEDED of the program and of each library, searched as the dynamic linker
// does without LD_LIBRARY_PATH: DT_RUNPATH, the directories of /etc/ld.so.conf, /lib, /usr/lib. The dynamic linker
// itself (PT_INTERP) is included. With --sysroot, all of these are the target's, and --sysenv=LD_LIBRARY_PATH=DIRS is
// searched before the directories of ld.so.conf.
#include "debuginfo/elf/resources.h"
#include "debuginfo/module.h"

#include "util/root.h"
#include "util/str.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARIES_MAX 1000

struct search {
	di_names *out;
	di_names *names;           // DT_NEEDED names of `paths`, in the same order
	di_names dirs;
};

static void read_conf(const char *pattern, di_names *dirs, int depth)
{
	glob_t found;

	if (depth > 8 || glob(root_pattern(pattern), 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *text = str_read_file(root_path(root_name(found.gl_pathv[i])), NULL), *save = NULL;

		for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save)) {
			bool include = str_starts(l, "include ");

			l += include ? 8 : 0;
			l += strspn(l, " \t");
			l[strcspn(l, " \t#")] = '\0';
			if (include)
				read_conf(l, dirs, depth + 1);
			else if (*l == '/')
				vec_push(dirs, str_dup(l));
		}
	}
	globfree(&found);
}

static bool add_path(struct search *s, const char *path)
{
	char real[PATH_MAX];

	if (!realpath(root_path(path), real) || s->out->n >= LIBRARIES_MAX)
		return false;
	for vec_each(s->out, known)
		if (!strcmp(*known, real))
			return true;
	vec_push(s->out, str_dup(real));
	vec_push(s->names, str_dup(strrchr(path, '/') + 1));
	return true;
}

// Searches a run path like "$ORIGIN/../lib:/opt/lib" before the default directories; a name with "/" is a path.
static bool find_library(struct search *s, const char *name, const char *runpath, const char *origin)
{
	if (strchr(name, '/'))
		return add_path(s, name);
	for (const char *at = runpath ? runpath : ""; *at; ) {
		size_t len = strcspn(at, ":");
		const char *dir = str_ndup(at, len);

		if (str_starts(dir, "$ORIGIN"))
			dir = str_printf("%s%s", origin, dir + 7);
		else if (str_starts(dir, "${ORIGIN}"))
			dir = str_printf("%s%s", origin, dir + 9);
		if (add_path(s, str_printf("%s/%s", dir, name)))
			return true;
		at += len + (at[len] == ':');
	}
	for vec_each(&s->dirs, dir)
		if (add_path(s, str_printf("%s/%s", *dir, name)))
			return true;
	return false;
}

static const char *text_at(struct bytes strings, uint64_t offset)
{
	return offset < strings.len && memchr(strings.at + offset, 0, strings.len - offset) ?
	       (const char *)strings.at + offset : NULL;
}

static void add_needed(struct search *s, const struct elf_view *v, const char *path)
{
	const char *name = root_name(path), *origin = str_ndup(name, strrchr(name, '/') - name), *runpath = NULL;
	struct bytes dynamic, strings, interpreter;

	if (elf_view_section(v, ".interp", &interpreter) && text_at(interpreter, 0))
		add_path(s, text_at(interpreter, 0));
	if (!elf_view_section(v, ".dynamic", &dynamic) || !elf_view_section(v, ".dynstr", &strings))
		return;
	for (int pass = 0; pass < 2; pass++)
		for (size_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.len; at += sizeof(Elf64_Dyn)) {
			Elf64_Dyn d;
			const char *text;

			memcpy(&d, dynamic.at + at, sizeof(d));
			text = text_at(strings, d.d_un.d_val);
			if (pass == 0 && (d.d_tag == DT_RUNPATH || d.d_tag == DT_RPATH))
				runpath = text;
			if (pass == 1 && d.d_tag == DT_NEEDED && text)
				find_library(s, text, runpath, origin);
		}
}

static void add_list(const char *list, di_names *dirs)
{
	for (size_t len; *list; list += len + (list[len] == ':')) {
		len = strcspn(list, ":");
		if (len)
			vec_push(dirs, str_ndup(list, len));
	}
}

static void add_usual(di_names *dirs, bool is_32bit)
{
	static const char *const usual[] = { "/lib64", "/usr/lib64", "/lib", "/usr/lib", NULL };
	static const char *const usual_32bit[] = { "/lib/i386-linux-gnu", "/usr/lib/i386-linux-gnu", "/lib32", "/usr/lib32",
						   "/lib", "/usr/lib", NULL };

	if (root_is_set() && root_variable("LD_LIBRARY_PATH"))
		add_list(root_variable("LD_LIBRARY_PATH"), dirs);
	if (!is_32bit)
		read_conf("/etc/ld.so.conf", dirs, 0);
	for (const char *const *dir = is_32bit ? usual_32bit : usual; *dir; dir++)
		vec_push(dirs, *dir);
}

const char *di_find_library(const char *name)
{
	di_names out = { 0 }, names = { 0 };
	struct search s = { .out = &out, .names = &names };

	add_usual(&s.dirs, false);
	return find_library(&s, name, NULL, "") ? out.at[0] : NULL;
}

void di_program_libraries(const struct di_module *m, di_names *out, di_names *names)
{
	struct search s = { .out = out, .names = names };

	add_usual(&s.dirs, m->arch->elf_machine == EM_386);
	add_needed(&s, &m->view, di_program_path(m));
	for (int i = 0; i < out->n; i++) {
		struct bytes file = map_file(out->at[i]);
		struct elf_view v;

		if (elf_is_32bit(file)) {
			struct bytes compat = file;

			file = elf_from_i386(compat);
			unmap(&compat);
		}
		// The names are copied before the file is unmapped.
		if (file.at && elf_view_open(&v, file))
			add_needed(&s, &v, out->at[i]);
		unmap(&file);
	}
}
