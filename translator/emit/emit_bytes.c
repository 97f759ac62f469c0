// SPDX-License-Identifier: GPL-2.0-or-later
// Writes tables that the assembler includes as bytes, so that the compiler need not read them, which for a million
// characters takes longer than the rest of the translation. Their rows have no pointers. The bytes of a table are
// in session.c_files until pass 4 writes them to a file.
#include "emit/emitter.h"

void emit_include(struct cwriter *w, const char *type, const char *name, const char *array, const char *file,
		  size_t size)
{
	cw_line(w, "extern %s %s%s __attribute__((visibility(\"hidden\")));", type, name, array);
	// STP_FILES is defined when the C is compiled, so that the text does not depend on a temporary directory's name.
	cw_line(w, "asm(%s STP_FILES %s);",
		emit_c_string(str_printf(".pushsection .rodata\n.balign 8\n%s:\n.incbin \"", name)),
		emit_c_string(str_printf("/%s\", 0, %zu\n.popsection", file, size)));
}

void emit_bytes(struct session *s, struct cwriter *w, const char *type, const char *name, const struct buf *bytes)
{
	struct c_file file = { str_printf("%s.bin", name), bytes->text, bytes->len };

	vec_push(&s->c_files, file);
	emit_include(w, type, name, "[]", file.name, file.len);
}

void emit_u32(struct buf *bytes, uint32_t n)
{
	const char at[] = { (char)n, (char)(n >> 8), (char)(n >> 16), (char)(n >> 24) };

	buf_add(bytes, at, sizeof(at));
}
