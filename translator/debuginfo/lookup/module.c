// SPDX-License-Identifier: GPL-2.0-or-later
// Opens the kernel and chooses the sources of a module: DWARF, else BTF, else symbols. It also has the lookups of
// debuginfo.h that use the best source.
//
// The kernel: DWARF of a vmlinux in the debuginfo directories, if its build-id is that of the image; addresses from its
// .symtab, types from its .BTF. Without DWARF, BTF and addresses (kallsyms tables) from the image. Without an image,
// names and types from /sys/kernel/btf/vmlinux, if the target is the running kernel.
#include "debuginfo/btf/btf_source.h"
#include "debuginfo/dwarf/dwarf_source.h"
#include "debuginfo/elf/relocate.h"
#include "debuginfo/elf/resources.h"
#include "debuginfo/kernel/image.h"
#include "debuginfo/lookup/lookup.h"
#include "debuginfo/module.h"

#include "target/kernel.h"
#include "util/root.h"
#include "util/str.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// ---------------------------------------------------------------- locations

// Returns the location of a 64-bit number in two 32-bit registers.
static struct di_location location_two_words(int low, int high)
{
	struct di_location l = location_register(high);

	location_add(&l, DI_OP_CONST, 32);
	location_add(&l, DI_OP_SHL, 0);
	location_add(&l, DI_OP_REG, low);
	location_add(&l, DI_OP_CONST, UINT32_MAX);
	location_add(&l, DI_OP_AND, 0);
	location_add(&l, DI_OP_OR, 0);
	return l;
}

static struct di_location location_at_register(int number)
{
	struct di_location l = { .kind = DI_LOC_ADDRESS };

	location_add(&l, DI_OP_REG, number);
	return l;
}

// Returns the location of a struct of one or two words, each in the next register of its class.
static struct di_location location_words(const struct di_module *m, const struct di_type *t)
{
	int words[] = { m->arch->return_value, m->arch->second_return_value }, used = 0, vectors = 0, at[2];

	for (int i = 0; i < 2; i++)
		at[i] = frame_is_in_vector(m, t, i) ? DI_VECTOR + vectors++ : words[used++];
	return t->size <= 8 ? location_register(at[0]) : location_two_registers(at[0], at[1]);
}

// Returns why a result of this type has no location, and a suggestion what to read instead.
static const char *why_no_result(const struct di_module *m, const struct di_type *t)
{
#define IN_CALLER "; probe a line of the caller after the call, and read the variable that receives it"
	if (t->is_complex)
		return t->size != 2 * sizeof(double) ? "probes do not read complex numbers from registers" IN_CALLER :
		       "probes do not read complex numbers from registers" IN_CALLER ": user_long(&$variable) has the bits of "
		       "the real part";
	if (t->kind == DI_FLOAT && !m->is_user)
		return di_other_register;
	if (t->kind == DI_STRUCT || t->kind == DI_UNION)
		return "debuginfo does not describe where a value of this type is returned" IN_CALLER;
	if (t->kind == DI_INT && t->size == 16 && m->arch->return_names[1])
		return str_printf("it is in two registers: register(\"%s\") is its low half, register(\"%s\") the high one",
				  m->arch->return_names[0], m->arch->return_names[1]);
	return "it is in a register of which probes read 8 bytes only" IN_CALLER;
}

static struct di_location location_return(const struct di_module *m, const struct di_type *t)
{
	switch (t->kind) {
	case DI_INT: case DI_BOOL: case DI_CHAR: case DI_ENUM: case DI_POINTER:
		if (t->size > (uint64_t)m->arch->word && t->size <= 8)
			return location_two_words(m->arch->return_value, m->arch->second_return_value);
		if (t->size <= 8)
			return location_register(m->arch->return_value);
		break;
	case DI_STRUCT: case DI_UNION:
		switch (frame_returns(m, t)) {
		case RETURNS_WORDS: return location_words(m, t);
		case RETURN_LOCATION: return location_at_register(m->arch->return_value);
		case RETURNS_UNKNOWN: break;
		}
		break;
	case DI_FLOAT:
		if (m->is_user && m->arch->vector_args && di_is_float(t))
			return location_register(DI_VECTOR);
		if (m->is_user && (di_is_x87(t) || (di_is_float(t) && m->arch->elf_machine == EM_386)))
			return location_register(DI_X87_TOP);
		break;
	default:
		break;
	}
	return (struct di_location){ .kind = DI_LOC_NONE, .why = why_no_result(m, t) };
}

// ---------------------------------------------------------------- finding the kernel's files

struct btf_source *module_btf(struct di_module *m)
{
	struct bytes raw = m->btf_bytes;

	if (m->btf || !raw.at)
		return m->btf;
	m->btf_bytes = (struct bytes){ NULL, 0 };
	m->btf = btf_open(m, raw);
	return m->btf;
}

bool module_try_dwarf(struct di_module *m, const char *path, struct bytes id)
{
	struct bytes file = map_file(path), section, other;
	struct elf_view v;

	if (!file.at)
		return false;
	if (!elf_view_open(&v, file) || v.machine != m->arch->elf_machine ||
	    !elf_view_section(&v, ".debug_info", &section))
		goto no;
	other = elf_view_build_id(&v);
	if (id.len && (id.len != other.len || memcmp(id.at, other.at, id.len))) {
		diag_warning((struct loc){ 0 }, "%s is of another build (build-id %s) than %s (build-id %s): not used",
			     path, build_id_text(other), m->program ? m->name : m->base_module ?
			     str_printf("the module %s", m->name) : "the kernel", build_id_text(id));
		goto no;
	}
	if (relocate_is_needed(&v))
		relocate_sections(&v);
	m->dwarf = dwarf_file_open(m, path, file);
	if (!m->dwarf)
		goto no;
	m->path = path;
	m->build_id = other;
	m->source = DI_SOURCE_DWARF;
	m->source_path = path;
	m->has_symbols = symbols_from_elf(&m->symbols, &v);
	elf_view_section(&v, ".BTF", &m->btf_bytes);
	return true;
no:
	unmap(&file);
	return false;
}

static bool try_paths(struct di_module *m, const char *dir, const char *const *forms, int n, struct bytes id)
{
	for (int i = 0; i < n; i++) {
		char *path = str_printf("%s%s%s", dir, forms[i], m->s->kernel->release);

		// "%": the release is in the middle of the path
		if (strchr(forms[i], '%'))
			path = str_printf("%s%.*s%s%s", dir, (int)strcspn(forms[i], "%"), forms[i],
					  m->s->kernel->release, strchr(forms[i], '%') + 1);
		path = root_path(path);
		if (!access(path, R_OK) && module_try_dwarf(m, path, id))
			return true;
	}
	return false;
}

bool module_try_build_id(struct di_module *m, const char *dir, struct bytes id)
{
	struct buf b = { 0 };

	if (id.len < 2)
		return false;
	buf_printf(&b, "%s/.build-id/%02x/", dir, id.at[0]);
	for (size_t i = 1; i < id.len; i++)
		buf_printf(&b, "%02x", id.at[i]);
	buf_puts(&b, ".debug");
	return !access(b.text, R_OK) && module_try_dwarf(m, b.text, id);
}

// Searches one of di_debug_directories().
static bool try_directory(struct di_module *m, const char *dir, struct bytes id)
{
	static const char *const own[] = { "/boot/vmlinux-", "/lib/modules/%/vmlinux" };
	static const char *const below[] = {
		"/boot/vmlinux-", "/vmlinux-", "/lib/modules/%/vmlinux", "/usr/lib/modules/%/vmlinux",
		"/lib/modules/%/vmlinux.debug",
	};
	const struct kernel *k = m->s->kernel;

	if (!*dir)
		return try_paths(m, "", own, ARRAY_SIZE(own), id);
	if (!strcmp(dir, "build")) {
		char *path = k->build_tree ? str_printf("%s/vmlinux", k->build_tree) : NULL;

		return path && !access(path, R_OK) && module_try_dwarf(m, path, id);
	}
	if (*dir != '/')
		return false;
	return module_try_build_id(m, dir, id) || try_paths(m, dir, below, ARRAY_SIZE(below), id);
}

static bool find_dwarf(struct di_module *m, struct bytes id)
{
	di_names dirs = { 0 };

	// --image may be a vmlinux with DWARF
	if (m->s->opt.image && module_try_dwarf(m, m->s->kernel->image, id))
		return true;
	di_debug_directories(&dirs);
	for vec_each(&dirs, dir)
		if (try_directory(m, *dir, id))
			return true;
	return false;
}

static void use_image(struct di_module *m, const struct image *img)
{
	m->build_id = img->build_id;
	m->symbols = img->symbols;
	m->has_symbols = img->has_symbols;
	m->btf_bytes = img->btf;
	m->btf_path = img->path;
	m->source = img->btf.len ? DI_SOURCE_BTF : DI_SOURCE_SYMBOLS;
	m->source_path = img->path;
}

static void use_running(struct di_module *m)
{
	static const char path[] = "/sys/kernel/btf/vmlinux";
	struct utsname u;
	size_t len;
	char *raw;

	if (m->btf_bytes.len || root_is_set() || uname(&u) || strcmp(u.release, m->s->kernel->release))
		return;
	raw = str_read_file(path, &len);   // the size in sysfs is 0 or a page, so it cannot be mapped
	if (!raw || !len)
		return;
	m->btf_bytes = (struct bytes){ (uint8_t *)raw, len };
	m->btf_path = path;
	m->source = DI_SOURCE_BTF;
	m->source_path = path;
}

// Finds debuginfo of the same build as the image; symbols and BTF that it lacks are those of the image. Returns
// whether the image was found.
static bool find_kernel_debuginfo(struct di_module *m)
{
	const char *path = m->s->kernel->image;
	struct bytes id = { NULL, 0 };
	bool found = path && image_build_id(m->s, path, m->arch, &id), dwarf = find_dwarf(m, id);
	struct image *img = NULL;

	if (found && !(dwarf && m->btf_bytes.len))
		img = image_open(m->s, path, m->arch);
	if (img && !dwarf) {
		use_image(m, img);
	} else if (img) {
		m->btf_bytes = img->btf;
		m->btf_path = img->path;
	}
	return found;
}

static struct di_module *kernel_module(struct session *s)
{
	struct di_module *m = NEW(struct di_module);
	struct symbol stext;
	bool has_image;

	if (!s->kernel)
		s->kernel = kernel_open(s);
	m->s = s;
	m->name = "kernel";
	m->arch = arch_find(s->kernel->arch);
	if (!m->arch)
		die("kernels of the architecture %s are not supported", s->kernel->arch);
	has_image = find_kernel_debuginfo(m);
	use_running(m);
	if (s->opt.image && !has_image && (!m->path || strcmp(m->path, s->kernel->image)))
		die("--image=%s is not a kernel image with types (BTF), functions or debuginfo; give the vmlinuz, the vmlinux or "
		    "the package of the kernel %s", s->opt.image, s->kernel->release);
	if (!m->source) {
		kernel_need_installed(s->kernel->release);
		die("neither an image nor debuginfo of the kernel %s was found; %s", s->kernel->release,
		    kernel_image_advice(s->kernel));
	}
	if (m->has_symbols && symbols_lookup(&m->symbols, "_stext", &stext))
		m->base = stext.address;
	return m;
}

struct debuginfo *debuginfo_of(struct session *s)
{
	if (!s->debuginfo)
		s->debuginfo = NEW(struct debuginfo);
	return s->debuginfo;
}

struct di_module *di_kernel(struct session *s)
{
	struct debuginfo *d = debuginfo_of(s);

	if (!d->kernel)
		d->kernel = kernel_module(s);
	return d->kernel;
}

const char *di_module_name(const struct di_module *m)
{
	return m->name;
}

bool di_is_user(const struct di_module *m)
{
	return m->is_user;
}

uint64_t di_kernel_base(const struct di_module *m)
{
	return m->base;
}

enum di_source di_module_source(const struct di_module *m)
{
	return m->source;
}

void di_module_set_source(struct di_module *m, const char *name)
{
	m->source_path = str_dup(name);
}

const char *di_module_source_text(const struct di_module *m)
{
	static const char *const names[] = {
		[DI_SOURCE_SYMBOLS] = "symbols", [DI_SOURCE_BTF] = "BTF", [DI_SOURCE_DWARF] = "DWARF",
	};

	return str_printf("%s of %s", names[m->source], m->source_path);
}

const uint8_t *di_build_id(const struct di_module *m, int *len)
{
	*len = m->build_id.len;
	return m->build_id.len ? m->build_id.at : NULL;
}

// Returns whether a file of that name is at its original path or beside the program.
static bool has_split_file(const struct di_module *m, const char *name)
{
	const char *program = di_program_path(m);
	int directory = (int)(str_base_name(program) - program);

	return !access(name, F_OK) || !access(str_printf("%.*s%s", directory, program, str_base_name(name)), F_OK);
}

const char *di_advice(const struct di_module *m)
{
	const char *gone = m->program && m->dwarf ? dwarf_file_no_split(m->dwarf) : NULL;

	if (gone && !access(str_printf("%s.dwp", di_program_path(m)), F_OK))
		return str_printf("the debuginfo of %s is packed in %s.dwp, and such files cannot be read: keep %s "
				  "and the other .dwo files at their original paths, or compile without -gsplit-dwarf",
				  m->name, m->name, gone);
	if (gone && has_split_file(m, gone))
		return str_printf("the debuginfo of %s is split off into .dwo files, and %s does not contain its unit: the "
				  "file is of another build, or it was compiled with -fdebug-types-section, which is not "
				  "supported together with -gsplit-dwarf", m->name, gone);
	if (gone)
		return str_printf("the debuginfo of %s is split off into .dwo files, and %s is neither beside it nor "
				  "at its original path", m->name, gone);
	if (m->program)
		return str_printf("compile %s with -g, or install its debuginfo (-dbgsym, -dbg) package", m->name);
	return kernel_debuginfo_advice(m->s->kernel);
}

// ---------------------------------------------------------------- variables

bool di_find_variable(const struct di_function *f, const char *name, struct di_variable *out)
{
	assert(f && f->priv);      // callers look up variables only in functions
	if (dwarf_function(f))
		return dwarf_variable(f, name, out);
	return function_btf(f) && btf_parameter(f->module->btf, function_btf(f), name, out);
}

bool di_function_enumerator(const struct di_function *f, const char *name, int64_t *value)
{
	return (dwarf_function(f) && dwarf_function_enumerator(f, name, value)) ||
	       di_find_enumerator(f->module, name, value);
}

void di_variable_names(const struct di_function *f, bool params_only, name_list *out)
{
	assert(f && f->priv);
	if (dwarf_function(f))
		dwarf_variable_names(f, params_only, out);
	else if (function_btf(f))
		btf_parameter_names(f->module->btf, function_btf(f), out);
}

struct di_type *di_return(const struct di_function *f, struct di_location *loc)
{
	struct di_type *t = NULL;

	if (dwarf_function(f))
		t = dwarf_return_type(f);
	else if (function_btf(f))
		t = btf_return_type(f->module->btf, function_btf(f));
	if (t)
		*loc = location_return(f->module, t);
	return t;
}

void di_close(struct session *s)
{
	resource_release_all();
	s->debuginfo = NULL;
}
