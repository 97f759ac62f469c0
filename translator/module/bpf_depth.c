// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4 with --runtime=bpf: how deep calls of functions are nested in the BPF programs. The kernel allows 8 frames
// (MAX_CALL_FRAMES), the program's own among them: check_max_stack_depth() of the verifier adds up calls, whether they
// are executed or not. In: the object, session.c_functions. Out: an error at the innermost function or loop of the
// script on a path that is deeper.
//
// Which functions of the runtime a handler calls, and which functions of the script the compiler inlines, only the
// object shows. Functions are in the section .text; programs, in sections of their own, call them by relocations;
// functions call each other by relocations or by distances.
#include "module/module.h"
#include "util/diag.h"

#include <gelf.h>
#include <string.h>

enum { MAX_FRAMES = 8, WORD = 8, CALL_OPCODE = 0x85, PSEUDO_CALL = 1, RELOCATED_CALL = 10 /* R_BPF_64_32 */ };

struct function {
	const char *name;
	size_t section;
	uint64_t from, to;             // offsets in the section
	VEC(struct function *) calls;
	int depth;                     // frames, its own among them; 0: not computed yet
	struct function *deepest;      // its callee on the deepest path
};

struct object {
	Elf *elf;
	size_t text;                   // number of the section .text
	VEC(struct function *) functions;
};

static struct function *function_at(struct object *o, size_t section, uint64_t offset)
{
	for vec_each(&o->functions, f)
		if ((*f)->section == section && offset >= (*f)->from && offset < (*f)->to)
			return *f;
	return NULL;
}

static Elf_Data *data_of(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);

	return scn ? elf_getdata(scn, NULL) : NULL;
}

static void add_call(struct object *o, size_t section, uint64_t offset, struct function *callee)
{
	struct function *caller = function_at(o, section, offset);

	if (caller && callee)
		vec_push(&caller->calls, callee);
}

static void add_functions(struct object *o, Elf_Scn *symbols, GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(symbols, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		struct function *f;

		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
			continue;
		f = NEW(struct function);
		f->name = str_dup(elf_strptr(o->elf, header->sh_link, symbol.st_name));
		f->section = symbol.st_shndx;
		f->from = symbol.st_value;
		f->to = symbol.st_value + symbol.st_size;
		vec_push(&o->functions, f);
	}
}

// A relocation refers to the function itself, or to its section: then the instruction has the offset of the
// function.
static void add_relocated_calls(struct object *o, Elf_Scn *relocations, GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(relocations, NULL), *symbols = data_of(o->elf, header->sh_link);
	Elf_Data *code = data_of(o->elf, header->sh_info);
	GElf_Sym symbol;
	GElf_Rel r;

	for (int i = 0; data && symbols && code && gelf_getrel(data, i, &r); i++) {
		uint64_t target;
		int32_t distance;

		if (GELF_R_TYPE(r.r_info) != RELOCATED_CALL || r.r_offset + WORD > code->d_size ||
		    !gelf_getsym(symbols, (int)GELF_R_SYM(r.r_info), &symbol))
			continue;
		memcpy(&distance, (char *)code->d_buf + r.r_offset + 4, sizeof(distance));
		target = symbol.st_value;
		if (GELF_ST_TYPE(symbol.st_info) == STT_SECTION)
			target += (uint64_t)(distance + 1) * WORD;
		add_call(o, header->sh_info, r.r_offset, function_at(o, symbol.st_shndx, target));
	}
}

// Calls within .text that need no relocation.
static void add_near_calls(struct object *o)
{
	Elf_Data *code = data_of(o->elf, o->text);

	for (uint64_t at = 0; code && at + WORD <= code->d_size; at += WORD) {
		const unsigned char *word = (unsigned char *)code->d_buf + at;
		int32_t distance;

		memcpy(&distance, word + 4, sizeof(distance));
		if (word[0] == CALL_OPCODE && word[1] >> 4 == PSEUDO_CALL && distance != -1)
			add_call(o, o->text, at, function_at(o, o->text, at + (uint64_t)((int64_t)distance + 1) * WORD));
	}
}

static int depth_of(struct function *f)
{
	if (f->depth)
		return f->depth;
	f->depth = 1;                  // functions of programs do not call themselves
	for vec_each(&f->calls, callee) {
		if (depth_of(*callee) < f->depth)
			continue;
		f->depth = (*callee)->depth + 1;
		f->deepest = *callee;
	}
	return f->depth;
}

static const struct c_function *script_part(struct session *s, const char *name)
{
	size_t len = strlen(name);

	if (str_ends(name, "_batches"))
		len -= strlen("_batches");
	else if (str_ends(name, "_batch"))
		len -= strlen("_batch");
	return map_get(&s->c_functions, str_ndup(name, len));
}

static void report(struct session *s, struct function *program)
{
	const struct c_function *part = NULL, *of;
	int depth = program->depth;

	for (struct function *f = program; f; f = f->deepest) {
		of = script_part(s, f->name);
		part = of ? of : part;
	}
	if (!part)
		die("functions of a BPF program are nested %d deep; this is a bug of the translator: please report it with the "
		    "script", depth);
	diag_error(part->loc, "functions and loops are nested too deeply with --runtime=bpf: this code needs %d levels "
			      "of calls, and the kernel allows %d; nest them less, or run the script as a module, or "
			      "with --vm",
		   depth, MAX_FRAMES);
}

static void read_sections(struct object *o, bool relocations)
{
	size_t names, number = 1;

	if (elf_getshdrstrndx(o->elf, &names))
		return;
	for (Elf_Scn *scn = elf_nextscn(o->elf, NULL); scn; scn = elf_nextscn(o->elf, scn), number++) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header))
			continue;
		if (relocations && header.sh_type == SHT_REL)
			add_relocated_calls(o, scn, &header);
		else if (!relocations && header.sh_type == SHT_SYMTAB)
			add_functions(o, scn, &header);
		else if (!relocations && !strcmp(elf_strptr(o->elf, names, header.sh_name), ".text"))
			o->text = number;
	}
}

bool bpf_check_depth(struct session *s, Elf *elf)
{
	struct object o = { .elf = elf };
	struct function *worst = NULL;

	read_sections(&o, false);
	read_sections(&o, true);
	add_near_calls(&o);
	for vec_each(&o.functions, f)
		if ((*f)->section != o.text && depth_of(*f) > (worst ? worst->depth : MAX_FRAMES))
			worst = *f;
	if (worst)
		report(s, worst);
	return !worst;
}
