// SPDX-License-Identifier: GPL-2.0-or-later
// Parses static probes in programs (<sys/sdt.h>): section .note.stapsdt -> struct di_mark.
//
// A note of type 3 named "stapsdt" has three 8-byte addresses: the probed instruction, section .stapsdt.base at link
// time (a difference shows that prelinking moved the sections), and the semaphore or 0; then three strings: provider,
// name, arguments. An argument is SIZE@OPERAND: bytes, negative when signed, "4f" or "8f" for a float; the operand is
// in assembler syntax. x86-64:
//
//   %eax   $5   8(%rbp)   -4(%rbp,%rax,4)   (,%rax,8)   total(%rip)   total+4(%rip)   4+total(%rip)   total
//
// arm64: x0, w0, 5, #5, [sp], [x0, 16], [x0, x1], total.
#include "debuginfo/module.h"
#include "debuginfo/program/program.h"

#include "util/str.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define NOTE_TYPE 3
#define ARGUMENTS_MAX 12

struct operand {
	struct di_module *m;
	struct di_location *out;
	int size;                  // size of the argument, in bytes
};

static void push(struct operand *o, enum di_opcode code, int64_t value)
{
	location_add(o->out, code, value);
}

// ---------------------------------------------------------------- x86-64 registers

// Register names by DWARF number, for values of 8, 4, 2 and 1 bytes.
static const char *const x86_registers[][4] = {
	{ "rax", "eax", "ax", "al" }, { "rdx", "edx", "dx", "dl" }, { "rcx", "ecx", "cx", "cl" },
	{ "rbx", "ebx", "bx", "bl" }, { "rsi", "esi", "si", "sil" }, { "rdi", "edi", "di", "dil" },
	{ "rbp", "ebp", "bp", "bpl" }, { "rsp", "esp", "sp", "spl" },
};

static int x86_numbered(const char *name, size_t len)
{
	const char *end = name + 1;
	int64_t n;

	if (*name != 'r' || len < 2 || !number_at(&end, 10, 8, 15, &n))
		return -1;
	return end == name + len || (end + 1 == name + len && strchr("dwb", *end)) ? (int)n : -1;
}

// Returns the number after the prefix of a vector register's name: "xmm0", "d0"; -1: another register.
static int vector_numbered(const struct operand *o, const char *name, const char *prefix)
{
	const char *end = name + strlen(prefix);
	int64_t n;

	return str_starts(name, prefix) && number_at(&end, 10, 0, o->m->arch->vectors - 1, &n) && !*end ?
	       DI_VECTOR + (int)n : -1;
}

// Returns the number of a register. *high: it is the second byte (%ah). -1: it is not a register that a probe can
// read.
static int x86_register(const char *name, size_t len, bool *high)
{
	*high = false;
	for (size_t i = 0; i < ARRAY_SIZE(x86_registers); i++)
		for (int k = 0; k < 4; k++)
			if (strlen(x86_registers[i][k]) == len && !memcmp(x86_registers[i][k], name, len))
				return i;
	if (len == 2 && name[1] == 'h' && strchr("adcb", name[0])) {
		*high = true;
		return strchr("adcb", name[0]) - (char *)"adcb";
	}
	return x86_numbered(name, len);
}

// ---------------------------------------------------------------- operands of x86-64

// Parses "12", "-0x4", "symbol", "symbol+4", "4+symbol" or ""; *is_static: the number is a link address.
static bool displacement(const struct operand *o, const char *text, size_t len, int64_t *value, bool *is_static)
{
	const char *copy = str_ndup(text, len), *end = copy;
	struct symbol symbol;
	int64_t after = 0;
	size_t name;

	*is_static = false;
	*value = 0;
	if (number_signed(&end, 0, value) == NUMBER_TOO_LARGE)
		return false;
	if (!*end)
		return true;
	if (end > copy && *end == '+')
		copy = end + 1;
	name = strcspn(copy, "+-@");
	if (!name || !symbols_any(o->m, str_ndup(copy, name), &symbol))
		return false;
	copy += name;
	*is_static = true;
	if (*copy && number_signed(&copy, 0, &after) != NUMBER_GOOD)
		return false;
	*value = (int64_t)((uint64_t)*value + symbol.address + (uint64_t)after);
	return !*copy;
}

static bool scale_of(const char *text, int64_t *scale)
{
	return number_at(&text, 10, 1, 8, scale);
}

// Parses "%base,%index,scale" between the brackets. The displacement is already on the stack.
static bool x86_memory(struct operand *o, const char *text, bool is_static)
{
	int64_t scale = 1;
	bool high;

	for (int i = 0; i < 3 && *text != ')'; i++) {
		size_t len = strcspn(text, ",)");
		int number = *text == '%' ? x86_register(text + 1, len - 1, &high) : -1;

		if (i == 2) {
			if (!scale_of(text, &scale))
				return false;
		} else if (len == 4 && !memcmp(text, "%rip", 4)) {
			if (!is_static)
				return false;
		} else if (len) {
			if (number < 0 || high)
				return false;
			push(o, DI_OP_REG, number);
			if (i == 1) {
				const char *after = text + len + (text[len] == ',');

				if (isdigit((unsigned char)*after) && !scale_of(after, &scale))
					return false;
				push(o, DI_OP_CONST, scale);
				push(o, DI_OP_MUL, 0);
			}
			push(o, DI_OP_ADD, 0);
		}
		text += len + (text[len] == ',');
	}
	o->out->kind = DI_LOC_ADDRESS;
	return true;
}

// Constants of unsigned types may be printed as negative numbers.
static bool immediate(const char *text, int64_t *value)
{
	const char *end = text;

	return (*text == '-' ? number_signed(&end, 0, value) : number_unsigned(&end, 0, (uint64_t *)value)) == NUMBER_GOOD &&
	       !*end;
}

static bool x86_operand(struct operand *o, const char *text)
{
	const char *open = strchr(text, '(');
	bool is_static, high;
	int64_t value;
	int number;

	if (*text == '$') {
		if (!immediate(text + 1, &value))
			return false;
		push(o, DI_OP_CONST, value);
		return true;
	}
	if (*text == '%') {
		number = x86_register(text + 1, strlen(text + 1), &high);
		if (number < 0)
			number = vector_numbered(o, text + 1, "xmm");
		if (number < 0)
			return false;
		push(o, DI_OP_REG, number);
		if (high) {
			push(o, DI_OP_CONST, 8);
			push(o, DI_OP_SHR, 0);
		}
		return true;
	}
	if (!displacement(o, text, open ? (size_t)(open - text) : strlen(text), &value, &is_static))
		return false;
	push(o, is_static ? DI_OP_STATIC : DI_OP_CONST, value);
	o->out->kind = DI_LOC_ADDRESS;
	return open ? x86_memory(o, open + 1, is_static) : is_static;
}

// ---------------------------------------------------------------- operands of arm64

static int arm_register(const char *name, size_t len)
{
	const char *end = name + 1;
	int64_t n;

	if (len == 2 && !memcmp(name, "sp", 2))
		return 31;
	if (len < 2 || !strchr("xw", *name))
		return -1;
	return number_at(&end, 10, 0, 30, &n) && end == name + len ? (int)n : -1;
}

static bool arm_memory(struct operand *o, const char *text)
{
	size_t len = strcspn(text, ",]");
	int number = arm_register(text, len);
	int64_t offset = 0;

	if (number < 0)
		return false;
	push(o, DI_OP_REG, number);
	o->out->kind = DI_LOC_ADDRESS;
	if (text[len] == ',') {
		text += len + 1 + strspn(text + len + 1, " #");
		len = strcspn(text, ",]");
		number = arm_register(text, len);
		if (number < 0 && !number_at(&(const char *){ text }, 0, INT32_MIN, INT32_MAX, &offset))
			return false;
		push(o, number < 0 ? DI_OP_CONST : DI_OP_REG, number < 0 ? offset : number);
		push(o, DI_OP_ADD, 0);
	}
	return text[len] == ']';
}

static bool arm_operand(struct operand *o, const char *text)
{
	bool is_static;
	int64_t value;
	int number = arm_register(text, strlen(text));

	for (const char *const *p = (const char *const[]){ "d", "s", "v", NULL }; number < 0 && *p; p++)
		number = vector_numbered(o, text, *p);
	if (*text == '[')
		return arm_memory(o, text + 1);
	if (number >= 0) {
		push(o, DI_OP_REG, number);
		return true;
	}
	text += *text == '#';
	if (!*text || !displacement(o, text, strlen(text), &value, &is_static))
		return false;
	if (is_static)
		o->out->kind = DI_LOC_ADDRESS;
	push(o, is_static ? DI_OP_STATIC : DI_OP_CONST, value);
	return true;
}

// ---------------------------------------------------------------- arguments

static struct di_type *number_type(struct di_module *m, int size, bool is_float)
{
	struct di_type *t = NEW(struct di_type);

	t->module = m;
	t->kind = is_float ? DI_FLOAT : DI_INT;
	t->name = !is_float ? "long" : size == 4 ? "float" : "double";
	t->size = abs(size);
	t->is_signed = size < 0;
	t->priv = NEW(struct type_priv);
	return t;
}

// Parses an argument. If its operand cannot be parsed, it has no location.
static struct di_variable argument(struct di_module *m, const char *text, int number)
{
	struct di_variable v = { .name = str_printf("arg%d", number), .is_param = true };
	struct operand o = { .m = m, .out = &v.loc };
	const char *end = text;
	int64_t size = 0;
	bool good = number_at(&end, 10, -8, 8, &size), is_float = good && *end == 'f' && (size == 4 || size == 8);
	bool known = good && *(end += is_float) == '@' && (labs(size) == 1 || labs(size) == 2 || labs(size) == 4 ||
							   labs(size) == 8);

	v.type = number_type(m, known ? (int)size : 8, known && is_float);
	if (known)
		text = end + 1;
	v.loc.kind = DI_LOC_VALUE;
	if ((!known && strchr(text, '@') && isdigit((unsigned char)*text)) ||
	    !(m->arch->elf_machine == EM_AARCH64 ? arm_operand : x86_operand)(&o, text))
		v.loc = (struct di_location){ .kind = DI_LOC_NONE };
	return v;
}

// Arguments are separated by blanks outside of brackets.
static size_t argument_length(const char *text)
{
	size_t len = 0;
	int depth = 0;

	for (; text[len] && (text[len] != ' ' || depth > 0); len++)
		depth += text[len] == '[' || text[len] == '(' ? 1 : text[len] == ']' || text[len] == ')' ? -1 : 0;
	return len;
}

static void read_arguments(struct di_mark *mark, const char *text)
{
	for (text += strspn(text, " "); *text && mark->args.n < ARGUMENTS_MAX; text += strspn(text, " ")) {
		size_t len = argument_length(text);
		struct di_variable arg = argument(mark->module, str_ndup(text, len), mark->args.n + 1);

		vec_push(&mark->args, arg);
		text += len;
	}
}

// ---------------------------------------------------------------- notes

static const char *next_text(struct bytes *b)
{
	const char *text = (const char *)b->at;
	size_t len = strnlen(text, b->len);

	if (len == b->len)
		return NULL;
	b->at += len + 1;
	b->len -= len + 1;
	return str_dup(text);
}

static struct di_mark *read_mark(struct di_module *m, struct bytes note, uint64_t base)
{
	struct di_mark *mark = NEW(struct di_mark);
	size_t word = m->arch->word;
	uint64_t words[3] = { 0 };
	const char *arguments;

	if (note.len < 3 * word)
		return NULL;
	for (int i = 0; i < 3; i++)
		memcpy(&words[i], note.at + i * word, word);
	note.at += 3 * word;
	note.len -= 3 * word;
	mark->module = m;
	mark->provider = next_text(&note);
	mark->name = mark->provider ? next_text(&note) : NULL;
	arguments = mark->name ? next_text(&note) : NULL;
	if (!arguments)
		return NULL;
	mark->address = words[0] + (base ? base - words[1] : 0);
	mark->semaphore = words[2] ? words[2] + (base ? base - words[1] : 0) : 0;
	read_arguments(mark, arguments);
	return mark;
}

void di_find_marks(struct di_module *m, const char *provider, const char *name, di_marks *out)
{
	const struct elf_view *v = &m->view;
	const Elf64_Shdr *base = elf_view_header(v, ".stapsdt.base");
	struct bytes notes;

	if (!elf_view_section(v, ".note.stapsdt", &notes))
		return;
	while (notes.len >= sizeof(Elf64_Nhdr)) {
		struct di_mark *mark = NULL;
		uint64_t names, desc;
		Elf64_Nhdr h;

		memcpy(&h, notes.at, sizeof(h));
		names = ((uint64_t)h.n_namesz + 3) & ~3ull;
		desc = ((uint64_t)h.n_descsz + 3) & ~3ull;
		if (names + desc > notes.len - sizeof(h))
			break;
		if (h.n_type == NOTE_TYPE && h.n_namesz == 8 && !memcmp(notes.at + sizeof(h), "stapsdt", 8))
			mark = read_mark(m, (struct bytes){ notes.at + sizeof(h) + names, h.n_descsz },
					 base ? base->sh_addr : 0);
		if (mark && !fnmatch(name, mark->name, 0) && (!provider || !fnmatch(provider, mark->provider, 0)))
			vec_push(out, mark);
		notes.at += sizeof(h) + names + desc;
		notes.len -= sizeof(h) + names + desc;
	}
}
