// SPDX-License-Identifier: GPL-2.0-or-later
// procfs("PATH").read, .write: a file whose reader gets the text that the handler assigns to $value, and whose writer's
// text is in $value: /proc/systemtap/MODULE/PATH, or that of runtime/user/files.c. The default PATH is "command".
//
// In:  a matched point.
// Out: one probe; and the table of struct stp_procfs, one for each path.
#include "elab/elab.h"
#include "elab/target.h"
#include "emit/emit.h"
#include "resolve/family.h"
#include "probes/accessor_var.h"
#include "util/str.h"

#include <string.h>

extern const struct probe_family family_procfs;

struct procfs_probe {          // probe.data
	const char *path;
	bool is_write;
	int64_t umask;
	int64_t size;              // maximal size of the text that is read, in bytes; 0: the default
};

enum { DEFAULT_UMASK = 0077, MAX_PATH = 180 };  // the runtime's buffer has 256 bytes, including "systemtap/MODULE/"

// ---------------------------------------------------------------- resolve

static bool has_bad_component(const char *path)
{
	for (;; path++) {
		size_t len = strcspn(path, "/");

		if (!len || (len <= 2 && !strncmp(path, "..", len)))
			return true;
		path += len;
		if (!*path)
			return false;
	}
}

static int check_path(const struct point_part *part)
{
	if (strlen(part->text) > MAX_PATH) {
		diag_error(part->loc, "the path of a procfs file is longer than %d bytes: use a shorter one", MAX_PATH);
		return 1;
	}
	if (!has_bad_component(part->text))
		return 0;
	diag_error(part->loc, "\"%s\" cannot be a file below /proc/systemtap/MODULE: use names joined by \"/\", none "
		   "of them empty, \".\" or \"..\"", part->text);
	return 1;
}

// format: a message with conversions for the number and its limits, low and high.
static int check_number(const struct point_part *part, int64_t low, int64_t high, const char *form)
{
	if (!part || (part->number >= low && part->number <= high))
		return 0;
	diag_error(part->loc, form, part->number_text, (long long)low, (long long)high);
	return 1;
}

// A path can have only one read probe, since the outputs of several could not be separated; a write runs all write
// probes of its path.
static int check_single(struct session *s, const struct probe_match *m, const struct procfs_probe *d)
{
	if (d->is_write)
		return 0;
	for vec_each(&s->script.probes, p) {
		const struct procfs_probe *other = (*p)->data;

		if ((*p)->family != &family_procfs || other->is_write || strcmp(other->path, d->path))
			continue;
		diag_error(m->point->loc, "only one read probe can exist for the procfs path \"%s\"", d->path);
		diag_note((*p)->loc, "first defined here");
		return 1;
	}
	return 0;
}

static bool is_inside(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	return !strncmp(path, directory, len) && path[len] == '/';
}

// The kernel warns if a file and a directory have the same name.
static int check_directories(struct session *s, const struct probe_match *m, const struct procfs_probe *d)
{
	for vec_each(&s->script.probes, p) {
		const struct procfs_probe *other = (*p)->data;

		if ((*p)->family != &family_procfs || (!is_inside(d->path, other->path) && !is_inside(other->path, d->path)))
			continue;
		diag_error(m->point->loc, "procfs path \"%s\" conflicts with \"%s\": the same name cannot be a file and a "
			   "directory; rename one of them", d->path, other->path);
		diag_note((*p)->loc, "first defined here");
		return 1;
	}
	return 0;
}

// In a process, and in the client of BPF programs, a file to read is a regular one and a file to write is a FIFO.
static int check_direction(struct session *s, const struct probe_match *m, const struct procfs_probe *d)
{
	for vec_each(&s->script.probes, p) {
		const struct procfs_probe *other = (*p)->data;

		if ((*p)->family != &family_procfs || other->is_write == d->is_write || strcmp(other->path, d->path))
			continue;
		diag_error(m->point->loc, "the file \"%s\" cannot have both read and write probes with --runtime=%s, where a "
			   "file to write is a FIFO; use two files", d->path, s->opt.user_runtime ? "user" : "bpf");
		diag_note((*p)->loc, "first defined here");
		return 1;
	}
	return 0;
}

static int check_runtime(struct session *s, const struct probe_match *m, const struct procfs_probe *d)
{
	bool process = s->opt.user_runtime || s->opt.bpf_runtime;
	bool input = !strcmp(d->path, "__stdin") || !strcmp(d->path, "__stdin_line");
	const struct source *source = m->chain[0]->loc.source;

	if (input && s->opt.monitor && source && strcmp(source->name, MONITOR_SOURCE)) {
		diag_error(m->chain[0]->loc, "%s cannot be used with --monitor: the keys of the terminal are read by "
					     "--monitor",
			   point_text(m->chain[0]));
		return 1;
	}
	return process ? check_direction(s, m, d) : 0;
}

static int procfs_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *path = &m->point->parts.at[0], *mask = point_find(m->point, "umask"),
		*size = point_find(m->point, "maxsize");
	struct procfs_probe *d = NEW(struct procfs_probe);
	int errors = 0;

	d->path = path->arg_kind == ARG_STRING ? path->text : "command";
	d->is_write = point_find(m->point, "write") != NULL;
	d->umask = mask ? mask->number : DEFAULT_UMASK;
	d->size = size ? size->number : 0;
	if (path->arg_kind == ARG_STRING)
		errors += check_path(path);
	errors += check_number(mask, 0, 0777, "umask(%s) is out of range (%#llo to %#llo)");
	errors += check_number(size, 1, limit_max(LIMIT_STP_PROCFS_BUFSIZE),
			       "maxsize(%s) is out of range (%lld to %lld bytes)");
	errors += check_runtime(s, m, d);
	errors += check_single(s, m, d);
	errors += check_directories(s, m, d);
	s->reads_input |= str_starts(d->path, "__stdin");
	if (!errors)
		probe_add(s, &family_procfs, m, point_text(m->point), d);
	return errors;
}

// ---------------------------------------------------------------- $value

static int procfs_rewrite(struct session *s, struct probe *p)
{
	static const struct value_variable of_read = {
		.name = "value", .set = "__value_set", .append = "__value_append",
		.why_not_get = "a read probe sets the contents of the file; use \".=\" to append to them",
	};
	static const struct value_variable of_write = {
		.name = "value", .get = "__value_get", .why_not_set = "it is the text that was written to the file",
	};
	const struct procfs_probe *d = p->data;

	return value_rewrite(s, p, d->is_write ? &of_write : &of_read, 1);
}

static void procfs_names(struct session *s, struct probe *p, target_names *out)
{
	vec_push(out, ((struct target_name){ "value", "string", TARGET_LOCAL }));
}

// Called only for lists: in a probe, rewrite() has already replaced $value.
static struct expr *procfs_target(struct session *s, struct probe *p, struct expr *target)
{
	if (!strcmp(target->u.target.name, "value"))
		return expr_string(target->loc, "");
	return target_not_found(target, "a procfs probe", ": it has $value only");
}

// ---------------------------------------------------------------- emit

struct file {
	const struct probe *read;
	VEC(const struct probe *) writes;
	const struct procfs_probe *any;
	int64_t mode, size;
};
typedef VEC(struct file) files;

static struct file *file_of(files *all, const struct procfs_probe *d)
{
	struct file f = { .any = d };

	for vec_each(all, known)
		if (!strcmp(known->any->path, d->path))
			return known;
	vec_push(all, f);
	return &all->at[all->n - 1];
}

static void procfs_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	int64_t size = session_limit_given(s, LIMIT_STP_PROCFS_BUFSIZE) ? session_limit(s, LIMIT_STP_PROCFS_BUFSIZE) :
		       session_limit(s, LIMIT_MAXSTRINGLEN) - 1;
	files all = { 0 };
	int written = 0;

	for (int i = 0; i < n; i++) {
		const struct procfs_probe *d = probes[i]->data;
		struct file *f = file_of(&all, d);

		if (d->is_write)
			vec_push(&f->writes, probes[i]);
		else
			f->read = probes[i];
		f->mode |= (d->is_write ? 0222 : 0444) & ~d->umask;
		if (!d->is_write)
			f->size = (d->size ? d->size : size) + 1;      // includes space for the terminating zero byte
	}
	cw_line(w, "static const struct stp_probe *const stp_procfs_writes[] = {");
	for vec_each(&all, f)
		for vec_each(&f->writes, p)
			cw_line(w, "%s,", emit_probe_ref(*p));
	cw_line(w, "};");
	cw_line(w, "static struct stp_procfs stp_procfs_files[] = {");
	for vec_each(&all, f) {
		cw_line(w, "{ .path = %s, .read = %s, .writes = stp_procfs_writes + %d, .nwrites = %d, .mode = 0%llo, "
			".size = %lld },", emit_c_string(f->any->path), f->read ? emit_probe_ref(f->read) : "NULL",
			written, f->writes.n, (unsigned long long)f->mode, (long long)f->size);
		written += f->writes.n;
	}
	cw_line(w, "};");
	emit_family_table(s, "procfs", "stp_procfs_files", all.n);
}

#define FORMS(procfs)								\
	procfs ".read", procfs ".read.maxsize(number)", procfs ".write",	\
	procfs ".umask(number).read", procfs ".umask(number).read.maxsize(number)", procfs ".umask(number).write"

static const char *const patterns[] = { FORMS("procfs"), FORMS("procfs(string)"), NULL };

const struct probe_family family_procfs = {
	.name = "procfs",
	.not_of_task = true,
	.in_slices = true,
	.on_user_runtime = true,
	.patterns = patterns,
	.resolve = procfs_resolve,
	.rewrite = procfs_rewrite,
	.target = procfs_target,
	.target_names = procfs_names,
	.emit = procfs_emit,
};
