// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the results of debuginfo/ for a kernel, for golden tests and for comparing its sources.
//
//   debuginfo_main [-r RELEASE] [-i IMAGE [-a ARCH]] [-c CACHEDIR] [-t] COMMAND ARGUMENT...
//     source                     the source of the debuginfo, such as DWARF of PATH
//     addresses                  every function: address and name, sorted
//     function GLOB[@FILE]       parameters with types and locations, and the return type
//     names GLOB                 names only
//     type NAME                  members
//     path TYPE MEMBER...        through pointers: offset and type of each step
//     members FUNCTION PARAMETER the struct a parameter points to, with the structs in it
//     enum NAME
//     tracepoints GLOB           arguments with types and locations
//     frames PROGRAM             its call frame information
//     lines NAME                 the source lines of the link addresses on standard input; NAME: "kernel", a module
//                                or a program
//   -i IMAGE, -a ARCH: reads an image at another path or of another architecture
//   -n N: repeats the command in N sessions; fails if the number of mapped files grows
//   -t: prints the time and the memory that it took on standard error
#include "target/kernel.h"
#include "debuginfo/debuginfo.h"
#include "util/str.h"

#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <unistd.h>

// declared here, since the runtime defines it
bool stp_lines_find(const struct stp_lines *t, unsigned place, const char **file, unsigned *line);

static void print_location(const struct di_location *l)
{
	static const char *const words[] = {
		[DI_OP_ADD] = "add", [DI_OP_SUB] = "sub", [DI_OP_MUL] = "mul", [DI_OP_AND] = "and",
		[DI_OP_OR] = "or", [DI_OP_XOR] = "xor", [DI_OP_SHL] = "shl", [DI_OP_SHR] = "shr",
		[DI_OP_SRA] = "sra", [DI_OP_NEG] = "neg", [DI_OP_NOT] = "not",
	};

	if (l->kind == DI_LOC_NONE)
		printf(" none");
	if (l->kind == DI_LOC_ADDRESS)
		printf(" at");
	for (int i = 0; i < l->ops.n; i++) {
		const struct di_op *op = &l->ops.at[i];

		switch (op->code) {
		case DI_OP_CONST:  printf(" %lld", (long long)op->value); break;
		case DI_OP_REG:    printf(" r%lld", (long long)op->value); break;
		case DI_OP_LOAD:   printf(" load%d", op->size); break;
		case DI_OP_STATIC: printf(" static:%#llx", (long long)op->value); break;
		default:           printf(" %s", words[op->code]);
		}
	}
}

static void print_type(const struct di_type *t)
{
	static const char *const kinds[] = { "void", "int", "bool", "char", "float", "enum", "pointer", "array",
					     "struct", "union", "function" };

	if (!t) {
		printf("void");
		return;
	}
	printf("%s (%s %llu%s", t->name, kinds[t->kind], (unsigned long long)t->size,
	       t->is_signed ? " signed" : "");
	if (t->kind == DI_ARRAY)
		printf(" of %llu", (unsigned long long)t->count);
	printf(")");
}

static void print_function(const struct di_function *f)
{
	name_list names = { 0 };
	struct di_location loc;
	struct di_type *type;

	printf("%s", f->name);
	if (f->file)
		printf(" %s:%d", f->file, f->line);
	printf("%s\n", f->has_types ? "" : " without types");
	di_variable_names(f, true, &names);
	for vec_each(&names, n) {
		struct di_variable v;

		if (!di_find_variable(f, *n, &v)) {
			printf("  %s: not found\n", *n);
			continue;
		}
		printf("  %s: ", *n);
		print_type(v.type);
		print_location(&v.loc);
		printf("\n");
	}
	type = di_return(f, &loc);
	if (!type)
		return;
	printf("  returns: ");
	print_type(type);
	print_location(&loc);
	printf("\n");
}

static int functions(struct di_module *m, const char *pattern, bool only_names)
{
	const char *at = strchr(pattern, '@');
	di_functions found = { 0 };

	di_find_functions(m, at ? str_ndup(pattern, at - pattern) : pattern, at ? at + 1 : NULL, false, &found);
	for vec_each(&found, f) {
		if (only_names)
			printf("%s\n", (*f)->name);
		else
			print_function(*f);
	}
	return found.n ? 0 : 1;
}

static int addresses(struct di_module *m)
{
	di_functions found = { 0 };

	di_find_functions(m, "*", NULL, false, &found);
	for vec_each(&found, f)
		printf("%llx %llx %s\n", (unsigned long long)(*f)->address, (unsigned long long)(*f)->size,
		       (*f)->symbol);
	return 0;
}

static void print_members(struct di_type *t, int depth, int levels)
{
	di_members all = { 0 };

	di_each_member(t, &all);
	for vec_each(&all, x) {
		printf("%*s%llu %s: ", depth * 2, "", (unsigned long long)x->offset, x->name);
		print_type(x->type);
		if (x->bit_size)
			printf(" bits %d+%d", x->bit_offset, x->bit_size);
		printf("\n");
		if (levels)
			print_members(x->type, depth + 1, levels - 1);
	}
}

static int type(struct di_module *m, const char *name)
{
	struct di_type *t = di_find_type(m, name);

	if (!t)
		return 1;
	print_type(t);
	printf("\n");
	print_members(t, 1, 0);
	return 0;
}

static int members(struct di_module *m, const char *function, const char *parameter)
{
	di_functions found = { 0 };
	struct di_variable v;
	struct di_type *t;

	di_find_functions(m, function, NULL, false, &found);
	if (!found.n || !parameter || !di_find_variable(found.at[0], parameter, &v))
		return 1;
	t = di_target(v.type);
	if (!t)
		return 1;
	print_type(t);
	printf("\n");
	print_members(t, 1, 4);
	return 0;
}

static int path(struct di_module *m, char **argv)
{
	struct di_type *t = di_find_type(m, *argv++);

	for (; t && *argv; argv++) {
		struct di_member x;

		if (t->kind == DI_POINTER)
			t = di_target(t);
		if (!t || !di_find_member(t, *argv, &x)) {
			printf("  no %s\n", *argv);
			return 1;
		}
		printf("  %llu %s: ", (unsigned long long)x.offset, x.name);
		print_type(x.type);
		if (x.bit_size)
			printf(" bits %d+%d", x.bit_offset, x.bit_size);
		printf("\n");
		t = x.type;
	}
	return t ? 0 : 1;
}

static int enumerator(struct di_module *m, const char *name)
{
	int64_t value;

	if (!di_find_enumerator(m, name, &value))
		return 1;
	printf("%s = %lld\n", name, (long long)value);
	return 0;
}

static int tracepoints(struct di_module *m, const char *pattern)
{
	di_tracepoints found = { 0 };

	di_find_tracepoints(m, pattern, &found);
	for vec_each(&found, t) {
		printf("%s:%s\n", di_tracepoint_system(m, (*t)->name), (*t)->name);
		for vec_each(&(*t)->args, a) {
			printf("  %s: ", a->name);
			print_type(a->type);
			print_location(&a->loc);
			printf("\n");
		}
	}
	return found.n ? 0 : 1;
}

static void print_place(const char *what, const struct di_frame_location *p)
{
	static const char *const kinds[] = { "none", "unknown", "register", "load", "cfa", "plt" };

	printf(" %s=%s,%d,%+d", what, kinds[p->kind], p->base, p->offset);
}

// Prints the call frame information, one row per line: the first address, then the rules for the caller's frame.
static int frames(struct session *s, const char *path)
{
	struct di_frames found;
	const char *why = "none";
	struct di_module *program = di_program(s, path, &why);

	if (!program || !di_program_frames(program, &found))
		return printf("%s\n", why), 1;
	for vec_each(&found.rows, row) {
		const struct di_frame_rule *r = &found.rules.at[row->rule];

		printf("%llx", (unsigned long long)row->address);
		print_place("cfa", &r->cfa);
		print_place("ra", &r->ra);
		print_place("fp", &r->fp);
		printf("\n");
	}
	fprintf(stderr, "%d rows, %d rules\n", found.rows.n, found.rules.n);
	return 0;
}

static bool place_in(struct di_module *m, uint64_t address, uint64_t *place)
{
	di_code code = { 0 };

	if (di_is_user(m))
		return di_program_offset(m, address, place);
	di_module_code(m, &code);
	for vec_each(&code, part) {
		*place = part->code_offset + address - part->address;
		if (address - part->address < part->size)
			return true;
	}
	return false;
}

static int lines(struct session *s, const char *name)
{
	const char *why = "", *path, *file;
	struct di_module *m = *name == '/' && !strstr(name, ".ko") ? di_program(s, name, &why) :
			      strcmp(name, "kernel") ? di_kernel_module(s, name) : di_kernel(s);
	char directory[] = "/tmp/debuginfo_main.XXXXXX";
	unsigned long long address;
	uint64_t place;
	unsigned line;
	size_t size;
	struct stp_lines *table;

	s->tmp_dir = mkdtemp(directory);           // directory of private copies of line tables
	path = m && s->tmp_dir ? di_lines(m, &size) : NULL;
	table = path ? (void *)str_read_file(path, &size) : NULL;
	if (path)
		unlink(path);
	if (s->tmp_dir)
		rmdir(s->tmp_dir);
	if (!table)
		return printf("no table\n"), 1;
	while (scanf("%llx", &address) == 1)
		if (place_in(m, address, &place) && stp_lines_find(table, place, &file, &line))
			printf("%s:%u\n", file, line);
		else
			printf("??:0\n");
	return 0;
}

static int command(struct di_module *m, char **argv)
{
	if (!strcmp(*argv, "source"))
		return printf("%s\n", di_module_source_text(m)) < 0;
	if (!strcmp(*argv, "addresses"))
		return addresses(m);
	if (!argv[1])
		return 2;
	if (!strcmp(*argv, "function"))
		return functions(m, argv[1], false);
	if (!strcmp(*argv, "names"))
		return functions(m, argv[1], true);
	if (!strcmp(*argv, "type"))
		return type(m, argv[1]);
	if (!strcmp(*argv, "members"))
		return members(m, argv[1], argv[2]);
	if (!strcmp(*argv, "path"))
		return path(m, argv + 1);
	if (!strcmp(*argv, "enum"))
		return enumerator(m, argv[1]);
	if (!strcmp(*argv, "tracepoints"))
		return tracepoints(m, argv[1]);
	return 2;
}

// Returns the number of pages of files mapped by this process.
static int mapped_files(void)
{
	char *text = str_read_file("/proc/self/maps", NULL);
	int n = 0;

	for (; *text; text += strcspn(text, "\n") + 1)
		n += memchr(text, '/', strcspn(text, "\n")) != NULL;
	return n;
}

static int session(const struct session *options, struct kernel *image, char **argv)
{
	struct session *s = NEW(struct session);
	int rc;

	*s = *options;
	s->kernel = image->image ? image : kernel_open(s);
	if (argv[1] && !strcmp(*argv, "frames"))
		rc = frames(s, argv[1]);
	else if (argv[1] && !strcmp(*argv, "lines"))
		rc = lines(s, argv[1]);
	else
		rc = command(di_kernel(s), argv);
	di_close(s);
	return rc;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	struct session s = { 0 };
	struct rusage usage;
	struct kernel other = { .release = "other", .base_version = "0", .arch = "x86_64" };
	bool timed = false;
	double start = now();
	int c, rc = 0, n = 1, before;

	mem_init();
	while ((c = getopt(argc, argv, "+r:c:i:a:tn:")) > 0)
		switch (c) {
		case 'r': s.opt.release = other.release = optarg; break;
		case 'i': other.image = optarg; break;
		case 'a': other.arch = optarg; break;
		case 'c': s.cache_dir = optarg; break;
		case 't': timed = true; break;
		case 'n': n = atoi(optarg); break;
		default:  return 2;
		}
	if (optind >= argc)
		return 2;
	before = mapped_files();
	for (int i = 0; i < n && !rc; i++)
		rc = session(&s, &other, argv + optind);
	if (mapped_files() > before)
		return fprintf(stderr, "%d files are still mapped\n", mapped_files() - before), 1;
	getrusage(RUSAGE_SELF, &usage);
	if (timed)
		fprintf(stderr, "%.1f ms, %ld kB\n", now() - start, usage.ru_maxrss);
	return rc;
}
