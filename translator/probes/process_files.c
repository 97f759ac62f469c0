// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the files of process("..."), process(PID), process; writes the table of addresses in files for all families
// that probe programs.
#include "elab/elab.h"
#include "emit/emit.h"
#include "probes/process.h"
#include "util/program_path.h"
#include "util/root.h"
#include "util/spawn.h"
#include "util/str.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------- paths

static bool add_file(struct session *s, const struct point_part *part, const char *path, struct process_files *out)
{
	const char *script = spawn_interpreter(path, true), *why = "", *name = script ? session_program(s, script) : path;
	struct di_module *m;

	if (!name) {
		diag_error(part->loc, "cannot probe %s: it is a script for %s, which does not exist", path, script);
		return false;
	}
	m = di_program(s, name, &why);
	if (!m) {
		diag_error(part->loc, "cannot probe %s: %s", name, why);
		return false;
	}
	for vec_each(&out->at, known)          // another link to the same file was found before
		if (*known == m)
			return true;
	vec_push(&out->at, m);
	for vec_each(&s->programs, known)
		if (!strcmp(*known, di_module_name(m)))
			return true;
	vec_push(&s->programs, di_module_name(m));
	return true;
}

// ---------------------------------------------------------------- arguments of "process"

static void add_entries(const char *directory, bool whole, name_list *out)
{
	DIR *d = opendir(root_path(*directory ? directory : "/"));
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			vec_push(out, whole ? str_printf("%s/%s", directory, e->d_name) : str_dup(e->d_name));
	if (d)
		closedir(d);
}

// Collects file names in the directory of a missing path, or all programs, for suggestions.
static void add_files(const void *from, name_list *out)
{
	const char *path = from, *slash = strrchr(path, '/'), *dirs = root_variable("PATH");

	if (slash)
		add_entries(str_ndup(path, (size_t)(slash - path)), true, out);
	while (!slash && dirs && *dirs) {
		size_t len = strcspn(dirs, ":");

		add_entries(str_ndup(dirs, len), false, out);
		dirs += len + (dirs[len] == ':');
	}
}

static bool is_file(const char *path, const struct stat *of)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == of->st_dev && st.st_ino == of->st_ino;
}

// Returns the program of a running process: its path; if that is not valid here (another root or other mounts), the
// path below the process's root; if the file was deleted, /proc/PID/exe.
static const char *running_program(const struct point_part *part, long long pid)
{
	const char *exe = str_printf("/proc/%lld/exe", pid), *inside;
	char path[PATH_MAX], text[PATH_MAX] = "";
	struct stat of;

	if (pid < 1 || pid > INT_MAX || stat(exe, &of) || readlink(exe, text, sizeof(text) - 1) <= 0) {
		if (pid < 1 || access(str_printf("/proc/%lld", pid), F_OK))
			diag_error(part->loc, "no such process: %s; pgrep -a NAME lists processes with their IDs",
				   part->number_text ? part->number_text : str_printf("%lld", pid));
		else
			diag_error(part->loc, "cannot read the program of the process %lld: %s", pid,
				   errno == ENOENT ? "it is a kernel thread" : strerror(errno));
		return NULL;
	}
	if (realpath(exe, path) && is_file(path, &of))
		return str_dup(path);
	inside = str_printf("/proc/%lld/root%s", pid, text);
	return is_file(inside, &of) ? inside : exe;
}

// With -v, reports the file to which a name without a path resolves.
static void note_found(const struct session *s, const char *name, const char *path)
{
	if (s->opt.verbose[2] && !strchr(name, '/') && strcmp(name, path))
		diag_output(str_printf("program \"%s\": %s\n", name, root_name(path)));
}

// Returns the program of -c, from the command's first word, or that of -x.
static const char *target_program(struct session *s, const struct point_part *part)
{
	const char *command = s->opt.command, *name, *path;

	if (s->opt.target_pid)
		return running_program(part, s->opt.target_pid);
	if (!command) {
		diag_error(part->loc, "process without a path requires -c or -x; add one, or name a program: "
			   "process(\"PATH\")");
		return NULL;
	}
	name = command_program(command);
	if (!name) {
		diag_error(part->loc, "the program of the command \"%s\" cannot be determined: use process(\"PATH\")",
			   command);
		return NULL;
	}
	path = session_program(s, name);
	if (!path)
		diag_error(part->loc, "program \"%s\" not found in PATH or in the current directory", name);
	else
		note_found(s, name, path);
	return path;
}

static int add_running(struct session *s, const struct point_part *part, struct process_files *out)
{
	const char *path = running_program(part, part->number);

	if (!path)
		return 1;
	out->pid = part->number;
	return add_file(s, part, path, out) ? 0 : 1;
}

// Returns the number of files. Files that are not programs are ignored.
static size_t add_matching(struct session *s, const struct point_part *part, const char *pattern,
			   struct process_files *out)
{
	size_t n;
	glob_t found;

	if (glob(root_pattern(pattern), 0, NULL, &found))
		return 0;
	diag_quiet_push();
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char path[PATH_MAX];

		if (realpath(root_path(root_name(found.gl_pathv[i])), path))
			add_file(s, part, path, out);
	}
	diag_quiet_pop();
	n = found.gl_pathc;
	globfree(&found);
	return n;
}

// If there is a 64-bit program, removes the 32-bit programs that the same wildcard found (in place). Returns
// whether there is one.
static bool keep_64bit(struct process_files *out)
{
	int n = 0;

	for vec_each(&out->at, m)
		if (!di_program_is_32bit(*m))
			out->at.at[n++] = *m;
	if (n)
		out->at.n = n;
	return n;
}

// "/lib*/libc.so.6" is /lib/x86_64-linux-gnu/libc.so.6 on systems with a directory for each architecture. Programs of
// other architectures are ignored.
static int add_globbed(struct session *s, const struct point_part *part, struct process_files *out)
{
	const char *slash = strrchr(part->text, '/');
	size_t n = add_matching(s, part, part->text, out);

	if (slash && !keep_64bit(out)) {
		n += add_matching(s, part, str_printf("%.*s/*-linux-gnu*%s", (int)(slash - part->text), part->text,
						      slash), out);
		keep_64bit(out);
	}
	if (!out->at.n)
		diag_error(part->loc, n ? "no program for this architecture matches \"%s\"" : "no file matches \"%s\"",
			   part->text);
	return out->at.n ? 0 : 1;
}

// ---------------------------------------------------------------- build IDs

// Returns whether the text is a build ID instead of a path: hexadecimal digits, whole bytes.
static bool is_build_id(const char *text)
{
	size_t len = strlen(text);

	return len >= 16 && len <= 128 && len % 2 == 0 && strspn(text, "0123456789abcdef") == len;
}

static bool has_build_id(const struct di_module *m, const char *text)
{
	struct buf b = { 0 };
	int len;
	const uint8_t *id = di_build_id(m, &len);

	for (int i = 0; i < len; i++)
		buf_printf(&b, "%02x", id[i]);
	return !strcmp(buf_text(&b), text);
}

// Finds the program in a directory of debuginfo. XX/YYYY is a link to it; or XX/YYYY.debug is a link to
// DIR/PATH.debug, and PATH is the program. *debug is set to a file that exists, but is not the program.
static const char *identified(const char *dir, const char *id, const char **debug)
{
	const char *link = str_printf("%s/.build-id/%.2s/%s", dir, id, id + 2);
	char path[PATH_MAX];
	size_t len = strlen(dir);

	if (realpath(link, path))
		return str_dup(path);
	if (!realpath(str_printf("%s.debug", link), path))
		return NULL;
	*debug = str_dup(path);
	if (strncmp(path, dir, len) || path[len] != '/' || !str_ends(path, ".debug"))
		return NULL;
	path[strlen(path) - strlen(".debug")] = '\0';
	return access(root_path(path + len), R_OK) ? NULL : root_path(path + len);
}

static int add_identified(struct session *s, const struct point_part *part, struct process_files *out)
{
	const char *debug = NULL;
	di_names dirs = { 0 };

	di_debug_directories(&dirs);
	vec_push(&dirs, root_path("/usr/lib"));
	for vec_each(&dirs, dir) {
		const char *path = **dir == '/' ? identified(*dir, part->text, &debug) : NULL;

		if (!path)
			continue;
		if (!add_file(s, part, path, out))
			return 1;
		if (has_build_id(out->at.at[out->at.n - 1], part->text))
			return 0;
		out->at.n--;
		debug = path;
	}
	if (debug)
		diag_error(part->loc, "the program with the build ID %s was not found, only %s, which has another "
				      "build ID: give the path of the program", part->text, debug);
	else
		diag_error(part->loc, "no program with the build ID %s found: no directory of debuginfo has "
			   ".build-id/%.2s/%s; give its path", part->text, part->text, part->text + 2);
	return 1;
}

// ---------------------------------------------------------------- libraries

static bool is_library(const struct point_part *part, const char *path, const char *name)
{
	char real[PATH_MAX];

	if (!strchr(part->text, '/'))
		return !fnmatch(part->text, strrchr(path, '/') + 1, 0) || !fnmatch(part->text, name, 0);
	return realpath(root_path(part->text), real) ? !strcmp(real, path) : !fnmatch(part->text, root_name(path), 0);
}

// Returns the root directory of a process with other mounts or another root, in which its files are found; NULL if
// its root is ours.
static const char *process_root(const struct session *s, const struct point_part *part, const char *program)
{
	long long pid = part->arg_kind == ARG_NUMBER ? part->number : part->arg_kind == ARG_NONE ? s->opt.target_pid : 0;
	char root[PATH_MAX] = "";

	if (str_starts(program, "/proc/"))
		return str_ndup(program, strcspn(program + strlen("/proc/"), "/") + strlen("/proc/"));
	if (pid < 1 || readlink(str_printf("/proc/%lld/root", pid), root, sizeof(root) - 1) <= 0 || !strcmp(root, "/"))
		return NULL;
	return str_printf("/proc/%lld", pid);
}

static void mapped_libraries(const char *process, di_names *paths, di_names *names)
{
	name_list mapped = { 0 };

	session_mapped_files(process, &mapped);
	for vec_each(&mapped, path) {
		const char *name = strrchr(*path, '/') + 1;

		if (!strstr(name, ".so"))
			continue;
		vec_push(paths, *path);
		vec_push(names, str_dup(name));
	}
}

static void add_libraries(const void *from, name_list *out)
{
	*out = *(const name_list *)from;
}

// Replaces the programs by those of their libraries that match the pattern: a path, the name of a file or of a link to
// it, or either with wildcards.
static int choose_libraries(struct session *s, const struct point_part *of, const struct point_part *part,
			    struct process_files *out)
{
	struct process_files programs = *out;
	di_names names = { 0 };

	out->at.at = NULL;
	out->at.n = out->at.capacity = 0;
	if (programs.at.n == 1 && !out->pid)
		out->within = programs.at.at[0];
	for vec_each(&programs.at, program) {
		const char *process = process_root(s, of, di_module_name(*program));
		di_names paths = { 0 }, called = { 0 };

		if (process)
			mapped_libraries(process, &paths, &called);
		else
			di_program_libraries(*program, &paths, &called);
		for (int i = 0; i < paths.n; i++) {
			vec_push(&names, called.at[i]);
			if (is_library(part, paths.at[i], called.at[i]) && !add_file(s, part, paths.at[i], out))
				return 1;
		}
	}
	if (!out->at.n)
		diag_error(part->loc, "%s has no library \"%s\"%s", di_module_name(programs.at.at[0]), part->text,
			   diag_similar(part->text, add_libraries, &names));
	return out->at.n ? 0 : 1;
}

// Finds programs of this package that are not in PATH, such as stapio.
static const char *own_program(const struct session *s, const char *name)
{
	const char *installed = str_printf("%s/%s", s->libexec_dir, name);
	const char *built = str_printf("%s/staprun/%s", s->libexec_dir, name);

	if (strchr(name, '/'))
		return NULL;
	return !access(built, X_OK) ? built : !access(installed, X_OK) ? installed : NULL;
}

static int find_programs(struct session *s, const struct probe_match *m, struct process_files *out)
{
	const struct point_part *part = point_find(m->point, "process");
	const char *path;

	if (part->arg_kind == ARG_NUMBER)
		return add_running(s, part, out);
	if (part->arg_kind == ARG_NONE) {
		path = target_program(s, part);
		return path && add_file(s, part, path, out) ? 0 : 1;
	}
	if (str_is_glob(part->text))
		return add_globbed(s, part, out);
	if (!*part->text) {
		diag_error(part->loc, "process(\"\") has an empty path: use process(\"PATH\"), or process alone for the "
			   "program of -c or -x");
		return 1;
	}
	path = session_program(s, part->text);
	if (!path && is_build_id(part->text))
		return add_identified(s, part, out);
	if (!path)
		path = own_program(s, part->text);
	if (!path && !strchr(part->text, '/') && strstr(part->text, ".so"))
		path = di_find_library(part->text);
	if (!path) {
		diag_error(part->loc, strchr(part->text, '/') ? "file \"%s\" not found%s"
							       : "program \"%s\" not found in PATH or in the current directory%s",
			   part->text, diag_similar(part->text, add_files, part->text));
		if (str_starts(part->text, "lib"))
			diag_note(part->loc, "a library is named as the linker names it, \"libc.so.6\", or by its path");
		return 1;
	}
	note_found(s, part->text, path);
	return add_file(s, part, path, out) ? 0 : 1;
}

int process_files(struct session *s, const struct probe_match *m, struct process_files *out)
{
	const struct point_part *library = point_find(m->point, "library");

	if (find_programs(s, m, out))
		return 1;
	return library ? choose_libraries(s, point_find(m->point, "process"), library, out) : 0;
}

char *process_point(const struct probe_match *m, const struct di_module *program)
{
	const struct point_part *part = point_find(m->point, "process");

	if (part->arg_kind == ARG_NUMBER)
		return str_printf("process(%lld)", (long long)part->number);
	return str_printf("process(\"%s\")", di_module_name(program));
}

// ---------------------------------------------------------------- emit

typedef VEC(struct di_module *) modules;

// Returns the number of the struct stp_program of m, which is written if it is new.
static int number_of(struct cwriter *w, modules *known, const char *table, struct di_module *m)
{
	struct di_identity id;

	for (int k = 0; k < known->n; k++)
		if (known->at[k] == m)
			return k;
	id = di_program_identity(m);
	vec_push(known, m);
	emit_program(w, table, known->n - 1, &id);
	return known->n - 1;
}

static void emit_site(struct session *s, struct cwriter *w, const struct probe *p, const char *table, int program,
		      int within)
{
	const struct process_site *d = p->data;
	uint64_t offset = 0, semaphore = 0;

	di_program_offset(d->program, d->address, &offset);
	if (d->semaphore)
		di_program_offset(d->program, d->semaphore, &semaphore);
	cw_line(w, "{");
	cw_line(w, ".probe = %s,", emit_probe_ref(p));
	cw_line(w, ".program = &%s_program_%d,", table, program);
	cw_line(w, ".offset = 0x%llxULL, /* %s */", (unsigned long long)offset, p->point);
	cw_line(w, ".address = 0x%llxULL,", (unsigned long long)d->address);
	cw_line(w, ".name = %s,", emit_c_string(d->name));
	if (semaphore)
		cw_line(w, ".semaphore = 0x%llxULL,", (unsigned long long)semaphore);
	if (within >= 0)
		cw_line(w, ".within = &%s_program_%d,", table, within);
	if (d->pid)
		cw_line(w, ".pid = %d,", d->pid);
	if (d->is_return)
		cw_line(w, ".is_return = true,");
	if (d->optional)
		cw_line(w, ".optional = true,");
	if (p->entries.n)
		cw_line(w, ".entry_size = %d, .entry = p%d_entry,", optimize_entry_bytes(s, p), p->index);
	if (d->maxactive)
		cw_line(w, ".maxactive = %lld,", (long long)d->maxactive);
	cw_line(w, "},");
}

bool process_address(const struct probe *p, const char **from, uint64_t *offset)
{
	*offset = ((const struct process_site *)p->data)->address;
	return true;
}

void process_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest)
{
	const struct process_site *d = p->data;
	unsigned long long link = d->address;

	if (p->entries.n)
		cw_line(w, "STP_ON_UPROBE_CALL(%d, 0x%llxULL, %s)", emit_bpf_entries(s, w, p, &p, 1), link, rest);
	else
		cw_line(w, "STP_ON_UPROBE(%d, 0x%llxULL, %s)", d->is_return, link, rest);
}

int process_bpf_calls(const struct probe *p)
{
	const struct process_site *d = p->data;

	return !p->entries.n ? 0 : d->maxactive > 0 ? (int)d->maxactive : 2048;
}

void process_emit_sites(struct session *s, struct cwriter *w, struct probe **probes, int n, const char *table)
{
	struct numbers { int program, within; };
	VEC(struct numbers) numbers = { 0 };
	modules known = { 0 };

	for (int i = 0; i < n; i++) {
		const struct process_site *d = probes[i]->data;
		struct numbers it = { number_of(w, &known, table, d->program), -1 };

		if (d->within)
			it.within = number_of(w, &known, table, d->within);
		vec_push(&numbers, it);
	}
	cw_line(w, "static struct stp_uprobe %s[] = {", table);
	for (int i = 0; i < n; i++)
		emit_site(s, w, probes[i], table, numbers.at[i].program, numbers.at[i].within);
	cw_line(w, "};");
	emit_family_table(s, "uprobe", table, n);
}
