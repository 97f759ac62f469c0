// SPDX-License-Identifier: GPL-2.0-or-later
// Symbols of the frames of call stacks. A location is looked up once, whatever the addresses of its frames are. The
// session is not trusted, so that only regular files are opened.
#include "demangle.h"
#include "download.h"
#include "inlines.h"
#include "symbols.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

enum { OBJECTS_MAX = 4096 };
enum { MODULE_MAX = 4200, FUNCTION_MAX = 2048, RELEASE_MAX = 512, KEY_MAX = 8192 };      // bytes

struct name { const char *name; Dwarf_Addr address; uint64_t size; };

struct object {                            // a file that code was in
	char *key;
	Dwfl *dwfl;
	Dwfl_Module *module;               // NULL: the file is not here
	struct name *names;                // sorted
	size_t nnames;
	struct inlines *inlines;           // NULL: no DWARF
	Dwarf_Addr bias;                   // load bias of the DWARF
	UT_hash_handle hh;
};

struct found {
	struct symbol *symbols;
	unsigned n;
	UT_hash_handle hh;
	char key[];
};

static struct object *objects;
static struct found *cache;

// --- files ---

static char *debuginfo_path;               // NULL: libdwfl's
static const Dwfl_Callbacks callbacks = {
	.debuginfo_path = &debuginfo_path,
	.find_elf = dwfl_linux_kernel_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

// libdw maps files, and reading a page past the end of a mapped file that was truncated raises SIGBUS. Such pages are
// replaced by zeros, which libdw handles as those of a damaged file.
static void replace_page(int number, siginfo_t *info, void *context)
{
	uintptr_t size = sysconf(_SC_PAGESIZE), page = (uintptr_t)info->si_addr & ~(size - 1);

	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(SIGBUS, SIG_DFL);           /* the access is repeated, and ends the program */
}

void symbols_survive_truncation(void)
{
	struct sigaction action = { .sa_sigaction = replace_page, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
}

static const char *sysroot;                // the tree whose files are used first; NULL: none

void symbols_set_sysroot(const char *directory)
{
	sysroot = directory;
	if (asprintf(&debuginfo_path, ":.debug:/usr/lib/debug:%s/usr/lib/debug", directory) < 0)
		abort();
}

static void report_build(const struct code_file *wanted)
{
	char is[2 * sizeof(wanted->id.bytes) + 1], ran[sizeof(is)];

	files_print_id(is, &wanted->other);
	files_print_id(ran, &wanted->id);
	fprintf(stderr, "WARNING: %s is another build than the one that ran: its build ID is %s, not %s; its functions are "
		"not looked up; give a directory with the files of the recorded host by --sysroot=DIR, or install the "
		"debuginfo of that build\n", wanted->path, *is ? is : "missing", ran);
}

// Opens the separate debuginfo of a build: a file /usr/lib/debug/.build-id/12/3456.debug, whose name is its build ID.
static int open_debuginfo(const char *directory, const struct build_id *id)
{
	char text[2 * sizeof(id->bytes) + 1], path[sizeof(text) + 64];
	struct code_file debuginfo = { .path = path };

	if (id->len < 2)
		return -1;
	files_print_id(text, id);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2);
	return code_file_open_below(directory, &debuginfo);
}

static int open_build(const char *path, uint64_t end, const struct recorded_file *file)
{
	struct code_file wanted = { .path = path, .end = end };
	int fd = -1;

	if (file)
		wanted.id = file->id;
	if (sysroot)
		fd = code_file_open_below(sysroot, &wanted);
	if (fd < 0 && sysroot)
		fd = open_debuginfo(sysroot, &wanted.id);
	if (fd < 0)
		fd = code_file_open(&wanted);
	if (fd < 0)
		fd = open_debuginfo("/", &wanted.id);
	if (fd < 0)
		fd = download_build(&wanted.id, path);
	if (fd < 0 && wanted.differs)
		report_build(&wanted);
	return fd;
}

// On success, the descriptor belongs to dwfl.
static Dwfl_Module *report_file(Dwfl *dwfl, const char *path, int fd)
{
	Dwfl_Module *m = fd < 0 ? NULL : dwfl_report_offline(dwfl, path, path, fd);

	if (!m && fd >= 0)
		close(fd);
	return m;
}

static Dwfl_Module *open_code(Dwfl *dwfl, const char *path, uint64_t end, const struct recorded_file *file)
{
	return report_file(dwfl, path, open_build(path, end, file));
}

// Checks that the release of a recorded kernel, which becomes part of paths, cannot lead out of its directory.
static bool is_release(const char *release)
{
	return *release && *release != '.' && !strchr(release, '/') && strlen(release) < 200;
}

// Opens a file of the kernel below a directory. `path` is that of the file, or of the first file of another build.
static int open_kernel_file(const char *directory, const char *release, struct code_file *w, char *path, size_t size)
{
	static const char *const paths[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux", "/boot/vmlinux-%s",
		"/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux",
	};
	char name[512];
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(paths) / sizeof(paths[0]); i++) {
		bool differs = w->differs;

		snprintf(name, sizeof(name), paths[i], release);
		w->path = name;
		fd = code_file_open_below(directory, w);
		if (fd >= 0 || (!differs && w->differs))
			snprintf(path, size, "%s%s", strcmp(directory, "/") ? directory : "", name);
	}
	w->path = path;
	return fd;
}

static void report_release(const char *name, const char *path)
{
	fprintf(stderr, "WARNING: the build ID of the %s was not recorded, so that %s, which was found by the release "
		"of the kernel, may be another build\n", name, path);
}

// A kernel is found by its build ID, or else by its release, if it has the build ID that was recorded. It is not
// downloaded: its debuginfo is larger than 500 MB, and the session has the names of its functions.
static Dwfl_Module *open_kernel(Dwfl *dwfl, const char *release, const struct recorded_file *file)
{
	const char *directories[] = { sysroot, "/" };
	struct code_file wanted = { .path = "" };
	char path[PATH_MAX] = "kernel";
	int fd = -1;

	if (file)
		wanted.id = file->id;
	for (size_t i = 0; fd < 0 && i < 2; i++)
		if (directories[i] && is_release(release))
			fd = open_kernel_file(directories[i], release, &wanted, path, sizeof(path));
	for (size_t i = 0; fd < 0 && i < 2; i++)
		if (directories[i])
			fd = open_debuginfo(directories[i], &wanted.id);
	if (fd < 0 && wanted.differs)
		report_build(&wanted);
	if (fd >= 0 && !file)
		report_release("kernel", path);
	return report_file(dwfl, path, fd);
}

static const char *wanted_module;          // argument of the following function, which has no parameter for it

// Names of modules have "_" where those of their files may have "-".
static int is_wanted(const char *name, const char *path)
{
	size_t i;

	for (i = 0; name[i] && wanted_module[i]; i++)
		if (name[i] != wanted_module[i] && !(name[i] == '-' && wanted_module[i] == '_'))
			return 0;
	return path && name[i] == wanted_module[i];
}

static int take_module(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr start, void *to)
{
	if (!is_wanted(name, name))
		return DWARF_CB_OK;
	*(Dwfl_Module **)to = m;
	return DWARF_CB_ABORT;
}

// Returns whether the module has the build ID that was recorded. Otherwise, *other is its build ID.
static bool is_build(Dwfl_Module *m, const struct recorded_file *file, struct code_file *other)
{
	const unsigned char *bytes;
	GElf_Addr address;
	int len = dwfl_module_build_id(m, &bytes, &address);

	if (!file || (len == (int)file->id.len && !memcmp(bytes, file->id.bytes, len)))
		return true;
	other->id = file->id;
	other->other.len = len > 0 && len <= (int)sizeof(other->other.bytes) ? len : 0;
	memcpy(other->other.bytes, bytes, other->other.len);
	other->differs = true;
	return false;
}

static Dwfl_Module *module_below(Dwfl *dwfl, const char *directory, const char *release, const char *name)
{
	Dwfl_Module *found = NULL;
	char *path = NULL, *absolute;

	if (!directory || !is_release(release))
		return NULL;
	if (asprintf(&path, "%s/lib/modules/%s", directory, release) < 0)
		abort();
	absolute = realpath(path, NULL);           // libdwfl takes a relative path for a release
	free(path);
	if (!absolute)
		return NULL;
	wanted_module = name;
	dwfl_report_begin(dwfl);
	dwfl_linux_kernel_report_offline(dwfl, absolute, is_wanted);
	free(absolute);
	dwfl_getmodules(dwfl, take_module, &found, 0);
	return found;
}

static void report_module_release(Dwfl_Module *m, const char *name)
{
	char text[MODULE_MAX + sizeof("module ")];
	const char *path = NULL;

	dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, &path, NULL);
	snprintf(text, sizeof(text), "module %s", name);
	report_release(text, path ? path : "its file");
}

static Dwfl_Module *open_module(Dwfl *dwfl, const char *release, const char *name, const struct recorded_file *file)
{
	const char *directories[] = { sysroot, "" };
	struct code_file other = { .path = name };
	int fd = -1;

	for (size_t i = 0; i < 2; i++) {
		Dwfl_Module *found = module_below(dwfl, directories[i], release, name);

		if (found && !file)
			report_module_release(found, name);
		if (found && is_build(found, file, &other))
			return found;
	}
	dwfl_report_begin(dwfl);
	for (size_t i = 0; file && fd < 0 && i < 2; i++)
		if (directories[i])
			fd = open_debuginfo(*directories[i] ? directories[i] : "/", &file->id);
	if (fd < 0 && file)
		fd = download_build(&file->id, name);
	if (fd < 0 && other.differs)
		report_build(&other);
	return report_file(dwfl, name, fd);
}

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void read_names(struct object *o)
{
	int n = dwfl_module_getsymtab(o->module);

	o->names = n > 0 ? calloc(n, sizeof(*o->names)) : NULL;
	for (int i = 1; o->names && i < n; i++) {
		GElf_Sym sym;
		GElf_Word section;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(o->module, i, &sym, &address, &section, NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info);

		if (name && *name && section != SHN_UNDEF && (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC))
			o->names[o->nnames++] = (struct name){ name, address, sym.st_size };
	}
	if (o->nnames)
		qsort(o->names, o->nnames, sizeof(*o->names), by_name);
}

static void open_object(struct object *o, const char *release, const char *module, uint64_t end,
			const struct recorded_file *file)
{
	Dwarf *dw;

	o->dwfl = dwfl_begin(&callbacks);
	if (!o->dwfl)
		return;
	dwfl_report_begin(o->dwfl);
	if (*module == '/')
		o->module = open_code(o->dwfl, module, end, file);
	else if (!strcmp(module, "kernel"))
		o->module = open_kernel(o->dwfl, release, file);
	else if (!strchr(module, '/'))
		o->module = open_module(o->dwfl, release, module, file);
	dwfl_report_end(o->dwfl, NULL, NULL);
	if (!o->module)
		return;
	read_names(o);
	dw = dwfl_module_getdwarf(o->module, &o->bias);
	o->inlines = dw ? inlines_open(dw) : NULL;
}

static struct object *object_of(const char *release, const char *module, uint64_t end, const struct recorded_file *file)
{
	struct object *o;
	char key[KEY_MAX];

	snprintf(key, sizeof(key), "%s\n%llx\n%s\n%s", *module == '/' ? "" : release, (unsigned long long)end,
		 file ? file->id_text : "", module);
	HASH_FIND_STR(objects, key, o);
	if (o || HASH_COUNT(objects) >= OBJECTS_MAX)
		return o;
	o = calloc(1, sizeof(*o));
	if (!o || !(o->key = strdup(key)))
		abort();
	open_object(o, release, module, end, file);
	HASH_ADD_KEYPTR(hh, objects, o->key, strlen(o->key), o);
	return o;
}

// --- addresses ---

// Finds the address of a function. Fails if functions of the name have several addresses, or another size, as in
// another build of the file. `size` is 0 for functions of the kernel, which reports the distance to the next
// symbol.
static bool function_address(const struct object *o, const char *name, uint64_t size, Dwarf_Addr *address)
{
	struct name key = { name }, *at = o->nnames ? bsearch(&key, o->names, o->nnames, sizeof(key), by_name) : NULL;
	bool found = false;

	if (!at)
		return false;
	while (at > o->names && !strcmp(at[-1].name, name))
		at--;
	for (; at < o->names + o->nnames && !strcmp(at->name, name); at++) {
		if (size && at->size && at->size != size)
			continue;
		if (found && at->address != *address)
			return false;
		*address = at->address;
		found = true;
	}
	return found;
}

// Separate debuginfo does not have the offsets of its program's segments; the session has them.
static bool offset_address(const struct object *o, const struct code_location *p, Dwarf_Addr *address)
{
	uint64_t offset = p->offset;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(o->module, &bias);
	size_t n = 0;
	GElf_Phdr s;

	*address = offset + bias + (p->file ? p->file->bias : 0);
	if (!elf || p->file)
		return elf;
	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, i, &s) && s.p_type == PT_LOAD && offset >= s.p_offset && offset - s.p_offset < s.p_filesz) {
			*address = offset - s.p_offset + s.p_vaddr + bias;
			return true;
		}
	return false;
}

static struct text copy(const char *s)
{
	char *to = s && *s ? strdup(s) : NULL;

	return to ? (struct text){ to, strlen(to) } : (struct text){ "", 0 };
}

static struct text function_name(const char *symbol)
{
	char *plain = symbol ? demangle(symbol) : NULL;

	return plain ? (struct text){ plain, strlen(plain) } : copy(symbol);
}

// The outermost function has the name of its symbol, as everywhere else, also if that has a suffix such as ".cold".
static void look_up(struct found *to, const struct object *o, const struct code_location *p, const char *function)
{
	struct source_frame frames[INLINES_MAX];
	Dwarf_Addr address;
	const char *name;

	if (*function ? !function_address(o, function, *p->module.at == '/' ? p->size : 0, &address) :
	    !offset_address(o, p, &address))
		return;
	address += (*function ? p->offset : 0) - p->returns;
	name = *function && p->offset >= p->returns ? function : dwfl_module_addrname(o->module, address);
	to->n = o->inlines ? inlines_at(o->inlines, address - o->bias, frames) : 0;
	if (!to->n && !name)
		return;
	if (!to->n)
		frames[to->n++] = (struct source_frame){ NULL };
	if (name)
		frames[0].function = name;
	to->symbols = calloc(to->n, sizeof(*to->symbols));
	if (!to->symbols)
		abort();
	for (unsigned i = 0; i < to->n; i++)
		to->symbols[i] = (struct symbol){ function_name(frames[i].function), copy(frames[i].file), frames[i].line };
}

// --- the cache ---

void symbols_forget(void)
{
	struct found *f, *next;

	HASH_ITER(hh, cache, f, next) {
		HASH_DEL(cache, f);
		for (unsigned i = 0; i < f->n; i++) {
			if (f->symbols[i].function.len)
				free((char *)f->symbols[i].function.at);
			if (f->symbols[i].file.len)
				free((char *)f->symbols[i].file.at);
		}
		free(f->symbols);
		free(f);
	}
}

static char *append(char *to, const void *bytes, size_t n)
{
	return n ? (char *)memcpy(to, bytes, n) + n : to;
}

// Returns the length of the key of a location.
static size_t put_key(char *key, const char *release, const struct code_location *p)
{
	uint64_t numbers[] = { p->offset, p->size, p->module.len, p->returns };
	char *end = append(key, numbers, sizeof(numbers));

	end = append(end, p->module.at, p->module.len);
	end = append(end, p->function.at, p->function.len);
	if (p->file)
		end = append(end, p->file->id.bytes, p->file->id.len);
	return (*p->module.at == '/' ? end : append(end, release, strnlen(release, RELEASE_MAX))) - key;
}

const struct symbol *symbols_at(const char *release, const struct code_location *p, unsigned *n)
{
	char key[KEY_MAX], module[MODULE_MAX], function[FUNCTION_MAX];
	struct found *f;
	struct object *o;
	size_t len;

	*n = 0;
	if (!p->module.len || p->module.len >= sizeof(module) || p->function.len >= sizeof(function))
		return NULL;
	len = put_key(key, release, p);
	HASH_FIND(hh, cache, key, len, f);
	if (f) {
		*n = f->n;
		return f->symbols;
	}
	f = calloc(1, sizeof(*f) + len);
	if (!f)
		abort();
	memcpy(f->key, key, len);
	snprintf(module, sizeof(module), "%.*s", (int)p->module.len, p->module.at);
	snprintf(function, sizeof(function), "%.*s", (int)p->function.len, p->function.at);
	o = object_of(release, module, p->function.len || p->file ? 0 : p->size, p->file);
	if (o && o->module)
		look_up(f, o, p, function);
	HASH_ADD_KEYPTR(hh, cache, f->key, len, f);
	*n = f->n;
	return f->symbols;
}
