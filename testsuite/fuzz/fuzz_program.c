// SPDX-License-Identifier: GPL-2.0-or-later
// Damaged programs: static probes, linkage table, symbols (also those in .gnu_debugdata), call frame information,
// line tables, labels and calls are read or rejected. An input is an ELF file; other inputs are treated as
// compressed data.
#include "debuginfo/kernel/image.h"
#include "debuginfo/line/line_code.h"
#include "debuginfo/elf/resources.h"
#include "fuzz.h"
#include "target/kernel.h"
#include "util/diag.h"
#include "util/str.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void look_at_marks(struct di_module *m)
{
	di_marks marks = { 0 };
	di_plt plt = { 0 };

	di_find_marks(m, NULL, "*", &marks);
	for vec_each(&marks, mark) {
		uint64_t offset;

		di_program_offset(m, (*mark)->address, &offset);
		for vec_each(&(*mark)->args, arg)
			if (!arg->name || !arg->type || strlen(arg->type->name) > 1u << 20)
				__builtin_trap();
	}
	di_find_plt(m, "*", &plt);
	for vec_each(&plt, entry)
		if (strlen(entry->name) > 1u << 20)
			__builtin_trap();
}

// Checks that tables are sorted and all indexes valid.
static void look_at_tables(struct di_module *m)
{
	struct di_frames frames;
	di_symbols symbols = { 0 };
	static const uint8_t identity[32];
	struct line_table lines = { 0 };
	struct bytes made;

	di_program_symbols(m, &symbols);
	for (int i = 1; i < symbols.n; i++)
		if (symbols.at[i].offset <= symbols.at[i - 1].offset)
			__builtin_trap();
	if (di_program_frames(m, &frames))
		for (int i = 0; i < frames.rows.n; i++)
			if ((i && frames.rows.at[i].address <= frames.rows.at[i - 1].address) ||
			    frames.rows.at[i].rule >= frames.rules.n)
				__builtin_trap();
	if (!m->dwarf)
		return;
	line_table_read(m, &lines);
	for (int i = 0; i < lines.rows.n; i++)
		if ((i && lines.rows.at[i].code_offset <= lines.rows.at[i - 1].code_offset) ||
		    lines.rows.at[i].file >= (int)lines.files.n)
			__builtin_trap();
	made = line_code(&lines, identity);
	unmap(&made);
}

static void look_at_lines(struct di_module *m)
{
	static const char *const patterns[] = { "*@*:*", "*@*:10-30", "zoo_visit@seed.c+2", "zoo_visit:*" };
	struct buf why = { 0 };
	const char *wrong;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct di_pattern p;
		di_functions found = { 0 };

		if (!di_parse_pattern(patterns[i], &p, &wrong))
			__builtin_trap();
		di_find_lines(m, &p, i == 1 ? DI_NEAREST : i == 2 ? DI_FUNCTIONS : DI_STATEMENTS, &found, &why);
	}
}

static void look_at_functions(struct di_module *m)
{
	di_functions functions = { 0 }, parts = { 0 };
	uint64_t below, above;

	di_find_functions(m, "*", NULL, DI_INLINES_ALL, &functions);
	for (int i = 0; i < functions.n && i < 20; i++) {
		struct di_function *f = functions.at[i], *same = di_function_at(m, f->address + 3);

		di_function_body(f);
		di_find_labels(f, "*", &parts);
		di_find_callees(f, "*", &parts);
		di_program_exports(m, f->name);
		if (same)
			di_statement_line(same, &below, &above);
		if (same)
			di_variable_line(same, "v");
	}
}

void fuzz_one(const char *text, size_t len)
{
	static struct kernel kernel = { .release = "none", .base_version = "6.1.0", .arch = "x86_64", .source_arch = "x86",
					.config_text = "" };
	struct session *s = fuzz_session();
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct di_module *m = NULL;
	const char *why;

	s->kernel = &kernel;
	diag_quiet_push();
	if (write(fd, text, len) == (ssize_t)len)
		m = di_program(s, str_printf("/proc/self/fd/%d", fd), &why);
	if (m) {
		look_at_marks(m);
		look_at_tables(m);
		look_at_lines(m);
		look_at_functions(m);
	} else if (len) {
		struct bytes out = image_unpack((struct bytes){ (const uint8_t *)text, len });

		if (out.at != (const uint8_t *)text)
			unmap(&out);
	}
	diag_quiet_pop();
	close(fd);
}
