// SPDX-License-Identifier: GPL-2.0-or-later
// Damaged BTF and DWARF: functions, variables with their locations, types and enumerators of any file are read or
// rejected. An input is BTF, or an ELF file with DWARF.
#include "debuginfo/btf/btf_source.h"
#include "debuginfo/dwarf/dwarf_source.h"
#include "elab/elab.h"
#include "elab/target.h"
#include "fuzz.h"
#include "target/kernel.h"
#include "util/diag.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int looks;              // number of types that were read for this input; limited, since there may be cycles

static void look_at_type(struct di_type *t, int depth)
{
	di_enumerators enumerators = { 0 };
	di_members members = { 0 };
	struct di_member found;
	name_list names = { 0 };

	if (!t || depth > 4 || ++looks > 3000)
		return;
	if (strlen(t->name) > 1u << 20)
		__builtin_trap();
	di_each_enumerator(t, &enumerators);
	di_each_member(t, &members);
	di_member_names(t, &names);
	for vec_each(&members, m) {
		di_find_member(t, m->name, &found);
		look_at_type(m->type, depth + 1);
	}
	if (t->kind == DI_POINTER || t->kind == DI_ARRAY)
		look_at_type(di_target(t), depth + 1);
	look_at_type(di_pointer_to(t), 4);
}

static void look_at_variable(struct session *s, const struct di_variable *v)
{
	struct expr *access = expr_new(E_ACCESS, (struct loc){ 0 }), *value;

	look_at_type(v->type, 0);
	diag_quiet_push();
	value = target_variable((struct loc){ 0 }, v);
	access->u.access.pretty = 2;
	if (value)
		target_access(s, value, access);
	diag_quiet_pop();
}

static void look_at_function(struct session *s, struct di_function *f)
{
	name_list names = { 0 };
	struct di_location loc;
	struct di_variable v;

	look_at_type(di_return(f, &loc), 0);
	for (int i = 0; i < 8; i++) {
		f->pc = i ? f->address + 5 * i : 0;
		names.n = 0;
		di_variable_names(f, false, &names);
		for vec_each(&names, n)
			if (di_find_variable(f, *n, &v))
				look_at_variable(s, &v);
	}
}

static void look_at_module(struct session *s, struct di_module *m)
{
	static const char *const types[] = { "zoo", "struct zoo", "union zoo_either", "enum zoo_food", "int", "zoo_t" };
	static const char *const globals[] = { "zoo_table", "zoo_storage", "gone", "zoo_thread" };
	struct di_variable v;
	int64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		look_at_type(di_find_type(m, types[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(globals); i++)
		if (di_find_global(m, globals[i], i ? NULL : "*.c", &v))
			look_at_variable(s, &v);
	di_find_enumerator(m, "ZOO_FISH", &value);
	di_find_enumerator(m, "nosuch", &value);
}

static void as_program(struct session *s, const char *text, size_t len)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	di_functions functions = { 0 };
	struct di_module *m;
	const char *why;

	if (write(fd, text, len) == (ssize_t)len) {
		m = di_program(s, str_printf("/proc/self/fd/%d", fd), &why);
		if (m) {
			di_find_functions(m, "*", NULL, true, &functions);
			for (int i = 0; i < functions.n && i < 20; i++)
				look_at_function(s, functions.at[i]);
			look_at_module(s, m);
		}
	}
	close(fd);
}

static void as_btf(struct session *s, const char *text, size_t len)
{
	struct di_module m = {
		.s = s, .name = "fuzz", .source = DI_SOURCE_BTF, .source_path = "fuzz", .arch = arch_find("x86_64"),
	};
	struct di_variable v;
	uint32_t id;

	m.btf = btf_open(&m, (struct bytes){ (const uint8_t *)text, len });
	if (!m.btf)
		return;
	look_at_module(s, &m);
	id = btf_find_function(m.btf, "zoo_visit");
	if (id && btf_parameter(m.btf, id, "z", &v))
		look_at_variable(s, &v);
	if (id)
		look_at_type(btf_return_type(m.btf, id), 0);
}

void fuzz_one(const char *text, size_t len)
{
	static struct kernel kernel = { .release = "none", .base_version = "6.1.0", .arch = "x86_64", .source_arch = "x86",
					.config_text = "" };
	struct session *s = fuzz_session();

	s->kernel = &kernel;
	looks = 0;
	if (len > 4 && !memcmp(text, "\177ELF", 4))
		as_program(s, text, len);
	else
		as_btf(s, text, len);
}
