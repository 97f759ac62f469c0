// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stores call stacks as short strings of addresses, for which names are printed later: so keys of arrays contain
 * whole stacks, and a hit does not look up names of the kernel. A string consists of these frames:
 *
 *   a ADDRESS                  an address of the kernel
 *   p PATH \n                  no frame: the path of a program or library
 *   s POSITION SYMBOL OFFSET   a function of a program: the position of the path in this string, the address of its
 *                              struct stp_usym, and the offset in the function
 *   = LENGTH LINE              any other frame, whose line may contain newlines
 *
 * Names of files and symbols are chosen by users: nothing that they contain is taken for a frame. Numbers have DIGITS
 * characters of 6 bits. elab/stack_values.c decides which strings of a script have this form.
 */
#include "kernel.h"
#include "stack_values.h"

#define POSITION_DIGITS 2
#define ADDRESS_DIGITS 8                   /* the lower 48 bits; the others are copies of the highest one */
#define OFFSET_DIGITS 6
#define LENGTH_DIGITS 3
#define SYMBOL_SIZE (1 + POSITION_DIGITS + ADDRESS_DIGITS + OFFSET_DIGITS)
#define POSITION_MAX (1u << 6 * POSITION_DIGITS)

/* ------------------------------------------------------------------ numbers */

static char *put_digits(char *at, u64 n, u32 digits)
{
	while (digits-- > 0)
		*at++ = (char)('0' + (n >> 6 * digits & 63));
	return at;
}

static u64 digits_at(const char *at, u32 digits)
{
	u64 n = 0;

	while (digits-- > 0)
		n = n << 6 | (u64)((*at++ - '0') & 63);
	return n;
}

static u64 address_at(const char *at)
{
	return (u64)((s64)(digits_at(at, ADDRESS_DIGITS) << 16) >> 16);
}

static bool is_short(u64 address)
{
	return (u64)((s64)(address << 16) >> 16) == address;
}

/* ------------------------------------------------------------------ writing */

static u64 space_left(const struct stp_stack_writer *w)
{
	return w->full ? 0 : stp_module.limits.string_len - w->len;
}

static void cut(struct stp_stack_writer *w)
{
	w->to[w->len] = '\0';
	w->full = true;
	stp_listing_cut();
}

/* Returns where the path is in the string, or POSITION_MAX. */
static u32 path_position(struct stp_stack_writer *w, const char *path)
{
	u32 len = (u32)stp_strlen(path), i;

	for (i = 0; i < w->npaths; i++)
		if (!strncmp(w->to + w->paths[i], path, len) && w->to[w->paths[i] + len] == '\n')
			return w->paths[i];
	if (i == ARRAY_SIZE(w->paths) || w->len + 1 >= POSITION_MAX || strchr(path, '\n') || space_left(w) < len + 3)
		return POSITION_MAX;
	w->to[w->len] = 'p';
	memcpy(w->to + w->len + 1, path, len);
	w->paths[w->npaths++] = w->len + 1;
	stp_list_line(w->to, stp_module.limits.string_len, &w->len, 1 + len);
	return w->paths[i];
}

bool stp_stack_put_symbol(struct stp_stack_writer *w, const char *path, const struct stp_usym *symbol, u64 offset)
{
	u64 address = (u64)(unsigned long)symbol;
	u32 position;
	char *at;

	if (!is_short(address) || offset >> 6 * OFFSET_DIGITS)
		return false;
	position = path_position(w, path);
	if (position == POSITION_MAX || space_left(w) < SYMBOL_SIZE + 1)
		return false;
	at = w->to + w->len;
	*at++ = 's';
	at = put_digits(at, position, POSITION_DIGITS);
	at = put_digits(at, address, ADDRESS_DIGITS);
	*put_digits(at, offset, OFFSET_DIGITS) = '\0';
	w->len += SYMBOL_SIZE;
	return true;
}

char *stp_stack_line_space(struct stp_stack_writer *w, u32 *size)
{
	if (space_left(w) < 1 + LENGTH_DIGITS + 2)
		return NULL;
	*size = (u32)space_left(w) - 1 - LENGTH_DIGITS;
	return w->to + w->len + 1 + LENGTH_DIGITS;
}

void stp_stack_put_line(struct stp_stack_writer *w, u64 len)
{
	char *at = w->to + w->len;

	if (len >= space_left(w) - 1 - LENGTH_DIGITS || len >> 6 * LENGTH_DIGITS)
		return cut(w);
	*at = '=';
	put_digits(at + 1, len, LENGTH_DIGITS);
	w->len += 1 + LENGTH_DIGITS + (u32)len;
}

/* Names of modules are looked up at once, since a module may be removed before its name is printed. */
static bool is_of_module(u64 address)
{
	return address >= MODULES_VADDR && address < MODULES_END;
}

static void put_kernel_frame(struct stp_stack_writer *w, u64 address)
{
	char *text;
	u32 size;

	if (is_short(address) && !is_of_module(address)) {
		if (space_left(w) < 1 + ADDRESS_DIGITS + 1)
			return cut(w);
		w->to[w->len] = 'a';
		*put_digits(w->to + w->len + 1, address, ADDRESS_DIGITS) = '\0';
		w->len += 1 + ADDRESS_DIGITS;
		return;
	}
	if (!stp_charge(w->c, STP_WORK_SYMBOL))
		return;
	text = stp_stack_line_space(w, &size);
	if (!text)
		return cut(w);
	stp_stack_put_line(w, snprintf(text, size, "%s", stp_frame_name(w->c, address)));
}

void stp_kernel_stack_value(struct stp_ctx *c, char *to, const u64 *at, u32 n)
{
	struct stp_stack_writer w = { .c = c, .to = to };
	u32 i;

	*to = '\0';
	for (i = 0; i < n && !w.full && stp_charge_text(c, SYMBOL_SIZE); i++)
		put_kernel_frame(&w, at[i]);
}

/* ------------------------------------------------------------------ printing */

/* Appends " [kernel]" to a name that has no module. */
char *stp_frame_name(struct stp_ctx *c, u64 address)
{
	char *name = stp_address_name(c, address, true);

	if (strstr(name, "+0x") && !strchr(name, '['))
		strscpy(name + strlen(name), " [kernel]", STP_NAME_TEXT - strlen(name));
	return name;
}

static void count_cut(u32 len)
{
	if (len >= STP_NAME_TEXT)
		stp_cut(STP_LOSS_STRINGS, "the name of a function in a call stack was cut");
}

static char *symbol_line(struct stp_ctx *c, const char *stack, const char *at)
{
	const char *path = stack + digits_at(at, POSITION_DIGITS);
	const struct stp_usym *symbol = (void *)(unsigned long)address_at(at + POSITION_DIGITS);
	char *text = stp_private(c)->name_text;

	count_cut(snprintf(text, STP_NAME_TEXT, "%s+%#llx/%#llx [%.*s]", symbol->name,
			   digits_at(at + POSITION_DIGITS + ADDRESS_DIGITS, OFFSET_DIGITS), symbol->size,
			   (int)strcspn(path, "\n"), path));
	return text;
}

static char *literal_line(struct stp_ctx *c, const char *at, u32 len)
{
	char *text = stp_private(c)->name_text;
	u32 n = min(len, (u32)STP_NAME_TEXT - 1);

	count_cut(len);
	memcpy(text, at, n);
	text[n] = '\0';
	return text;
}

const char *plat_stack_line(struct stp_ctx *c, const char *stack, u32 *at)
{
	const char *frame;
	u32 len;

	if (stack[*at] == 'p')
		*at += (u32)strcspn(stack + *at, "\n") + 1;
	frame = stack + *at;
	if (!*frame || !stp_charge(c, STP_WORK_SYMBOL))
		return NULL;
	switch (*frame) {
	case 'a':
		*at += 1 + ADDRESS_DIGITS;
		return stp_frame_name(c, address_at(frame + 1));
	case 's':
		*at += SYMBOL_SIZE;
		return symbol_line(c, stack, frame + 1);
	default:
		len = (u32)digits_at(frame + 1, LENGTH_DIGITS);
		*at += 1 + LENGTH_DIGITS + len;
		return literal_line(c, frame + 1 + LENGTH_DIGITS, len);
	}
}
