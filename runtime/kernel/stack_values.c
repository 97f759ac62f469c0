// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stores call stacks as short strings of addresses, which are printed as names later: so keys of arrays contain
 * whole stacks, and a hit does not look up names of the kernel or symbols of programs. A string consists of these
 * frames:
 *
 *   a ADDRESS                       an address of the kernel, or one of a process that is in no file
 *   l ADDRESS                       the same, below 16 MB: its text is shorter than an `a` frame
 *   p OBJECT BASE SIZE PATH \n      no frame, but a mapping of a file: its struct stp_object or 0, the address of the
 *                                   file's first byte, the bytes of the file up to the end of the mapping, its path
 *   f POSITION OFFSET               an address in a file: the position of `p` in this string, the offset in the file
 *   = ADDRESS LENGTH LINE           any other frame, whose line may contain newlines
 *
 * Names of files and symbols are chosen by users: nothing that they contain is taken for a frame. Numbers have DIGITS
 * characters of 6 bits. elab/stack_values.c decides which strings of a script have this form.
 */
#include "kernel.h"
#include "stack_values.h"
#include "user_symbol.h"

#define POSITION_DIGITS 2
#define ADDRESS_DIGITS 8                   /* digits for the lower 48 bits; the higher bits are copies of the
					    * highest one */
#define LOW_DIGITS 4
#define OFFSET_DIGITS 6
#define LENGTH_DIGITS 3
#define ANY_DIGITS 11                      /* all 64 bits */
#define ADDRESS_FRAME (1 + ADDRESS_DIGITS)
#define LOW_FRAME (1 + LOW_DIGITS)
#define FILE_FRAME (1 + POSITION_DIGITS + OFFSET_DIGITS)
#define MAPPING_HEAD (1 + 2 * ADDRESS_DIGITS + OFFSET_DIGITS)
#define LINE_HEAD (1 + ANY_DIGITS + LENGTH_DIGITS)
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

/* Returns the space that is left if each of the frames after the current one takes the smallest size. */
static u64 frame_space(const struct stp_stack_writer *w)
{
	u64 left = space_left(w), reserved = (u64)w->after * ADDRESS_FRAME;

	return left > reserved ? left - reserved : 0;
}

/* A frame is shorter than the text of its address, so that all addresses fit whose text does. */
void stp_stack_put_address(struct stp_stack_writer *w, u64 address)
{
	bool low = !(address >> 6 * LOW_DIGITS);

	if (!is_short(address))
		return stp_stack_put_line(w, address, 0);
	if (space_left(w) < (low ? LOW_FRAME : ADDRESS_FRAME) + 1)
		return cut(w);
	w->to[w->len] = low ? 'l' : 'a';
	*put_digits(w->to + w->len + 1, address, low ? LOW_DIGITS : ADDRESS_DIGITS) = '\0';
	w->len += low ? LOW_FRAME : ADDRESS_FRAME;
}

u32 stp_stack_listed(const u64 *at, u32 n)
{
	u32 i, len = 0;

	for (i = 0; i < n; i++) {
		len += 3 + (at[i] ? (u32)__fls(at[i]) / 4 : 0) + (i > 0);
		if (len >= stp_module.limits.string_len) {
			stp_listing_cut();
			break;
		}
	}
	return i;
}

int stp_stack_mapping(const struct stp_stack_writer *w, u64 start)
{
	u32 i;

	for (i = 0; i < w->nmappings; i++)
		if (w->starts[i] == start)
			return w->positions[i];
	return -1;
}

int stp_stack_put_mapping(struct stp_stack_writer *w, u64 start, u64 base, u64 size, const struct stp_object *object,
			  const char *path)
{
	u64 len = (u64)stp_strlen(path);
	u32 position = w->len;
	char *at = w->to + position;

	if (w->nmappings == ARRAY_SIZE(w->starts) || position >= POSITION_MAX || strchr(path, '\n') ||
	    frame_space(w) < MAPPING_HEAD + len + 1 + FILE_FRAME + 1 || !is_short((u64)(unsigned long)object) ||
	    !is_short(base) || size >> 6 * OFFSET_DIGITS)
		return -1;
	*at++ = 'p';
	at = put_digits(at, (u64)(unsigned long)object, ADDRESS_DIGITS);
	at = put_digits(at, base, ADDRESS_DIGITS);
	at = put_digits(at, size, OFFSET_DIGITS);
	memcpy(at, path, len);
	at[len] = '\n';
	w->starts[w->nmappings] = start;
	w->positions[w->nmappings++] = (u16)position;
	w->len += MAPPING_HEAD + (u32)len + 1;
	return (int)position;
}

bool stp_stack_put_file_address(struct stp_stack_writer *w, int mapping, u64 address)
{
	char *at = w->to + w->len;

	if (frame_space(w) < FILE_FRAME + 1)
		return false;
	*at++ = 'f';
	at = put_digits(at, (u64)mapping, POSITION_DIGITS);
	*put_digits(at, address - address_at(w->to + mapping + 1 + ADDRESS_DIGITS), OFFSET_DIGITS) = '\0';
	w->len += FILE_FRAME;
	return true;
}

char *stp_stack_line_space(struct stp_stack_writer *w, u32 *size)
{
	if (frame_space(w) < LINE_HEAD + 2)
		return NULL;
	*size = (u32)frame_space(w) - LINE_HEAD;
	return w->to + w->len + LINE_HEAD;
}

void stp_stack_put_line(struct stp_stack_writer *w, u64 address, u64 len)
{
	char *at = w->to + w->len;

	if (space_left(w) < LINE_HEAD + 1 || len >= space_left(w) - LINE_HEAD || len >> 6 * LENGTH_DIGITS)
		return cut(w);
	*at = '=';
	at = put_digits(at + 1, address, ANY_DIGITS);
	at = put_digits(at, len, LENGTH_DIGITS);
	at[len] = '\0';
	w->len += LINE_HEAD + (u32)len;
}

/* Names in modules are looked up immediately, since a module may be unloaded before the name is printed. */
static bool is_of_module(u64 address)
{
	return address >= MODULES_VADDR && address < MODULES_END;
}

static void put_kernel_frame(struct stp_stack_writer *w, u64 address)
{
	char *text;
	u32 size;

	if (is_short(address) && !is_of_module(address))
		return stp_stack_put_address(w, address);
	if (!stp_charge(w->c, STP_WORK_SYMBOL))
		return;
	text = stp_stack_line_space(w, &size);
	if (!text)
		return cut(w);
	stp_stack_put_line(w, address, snprintf(text, size, "%s", stp_frame_name(w->c, address)));
}

void stp_kernel_stack_value(struct stp_ctx *c, char *to, const u64 *at, u32 n)
{
	struct stp_stack_writer w = { .c = c, .to = to };
	u32 i;

	*to = '\0';
	for (i = 0; i < n && !w.full && stp_charge_text(c, ADDRESS_FRAME); i++)
		put_kernel_frame(&w, at[i]);
}

void stp_plain_addresses(struct stp_ctx *c, char *to, const u64 *at, u32 n)
{
	struct stp_stack_writer w = { .c = c, .to = to, .is_list = true };
	u32 i;

	*to = '\0';
	n = stp_stack_listed(at, n);
	for (i = 0; i < n && !w.full && stp_charge_text(c, ADDRESS_FRAME); i++)
		stp_stack_put_address(&w, at[i]);
}

/* ------------------------------------------------------------------ printing */

/* Appends " [kernel]" to a name without a module. */
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

/* A frame is one line: %pEs prints a newline in the path as "\\n", and likewise \r, \t, \v and \f. */
static u32 frame_text(char *text, u32 size, u64 address, const struct stp_user_location *p, u64 path_len)
{
	if (p->symbol)
		return snprintf(text, size, "%s+%#llx/%#llx [%*pEs]", p->symbol->name, p->offset - p->symbol->offset,
				p->symbol->size, (int)path_len, p->path);
	return snprintf(text, size, "%#llx [%*pEs+%#llx/%#llx]", address, (int)path_len, p->path, p->offset, p->size);
}

u32 stp_user_frame_text(char *text, u32 size, u64 address, const struct stp_user_location *p)
{
	if (!p->path)
		return snprintf(text, size, "%#llx", address);
	return frame_text(text, size, address, p, (u64)stp_strlen(p->path));
}

/* The mapping of a frame 'f'. */
static const char *mapping_at(const char *stack, const char *frame)
{
	return stack + digits_at(frame + 1, POSITION_DIGITS);
}

static u32 line_length(const char *frame)
{
	return (u32)digits_at(frame + 1 + ANY_DIGITS, LENGTH_DIGITS);
}

/* Returns the frame at *at of the string, stores its address, and advances to the next one. NULL: the stack ends. */
static const char *next_frame(const char *stack, u32 *at, u64 *address)
{
	const char *frame;

	while (stack[*at] == 'p')                  /* bounded: each iteration advances in the string */
		*at += MAPPING_HEAD + (u32)strcspn(stack + *at + MAPPING_HEAD, "\n") + 1;
	frame = stack + *at;
	switch (*frame) {
	case '\0':
		return NULL;
	case 'a':
		*address = address_at(frame + 1);
		*at += ADDRESS_FRAME;
		return frame;
	case 'l':
		*address = digits_at(frame + 1, LOW_DIGITS);
		*at += LOW_FRAME;
		return frame;
	case 'f':
		*address = address_at(mapping_at(stack, frame) + 1 + ADDRESS_DIGITS) +
			   digits_at(frame + 1 + POSITION_DIGITS, OFFSET_DIGITS);
		*at += FILE_FRAME;
		return frame;
	default:
		*address = digits_at(frame + 1, ANY_DIGITS);
		*at += LINE_HEAD + line_length(frame);
		return frame;
	}
}

bool plat_stack_address(const char *stack, u32 *at, u64 *address)
{
	return next_frame(stack, at, address);
}

static const char *file_line(struct stp_ctx *c, const char *stack, const char *frame, u64 address)
{
	const char *mapping = mapping_at(stack, frame);
	const struct stp_object *object = (const void *)(unsigned long)address_at(mapping + 1);
	struct stp_user_location p = { .path = mapping + MAPPING_HEAD };
	char *text = stp_private(c)->name_text;

	p.offset = digits_at(frame + 1 + POSITION_DIGITS, OFFSET_DIGITS);
	p.size = digits_at(mapping + 1 + 2 * ADDRESS_DIGITS, OFFSET_DIGITS);
	p.symbol = object ? stp_user_symbol(object, p.offset) : NULL;
	count_cut(frame_text(text, STP_NAME_TEXT, address, &p, strcspn(p.path, "\n")));
	return text;
}

static const char *literal_line(struct stp_ctx *c, const char *frame)
{
	char *text = stp_private(c)->name_text;
	u32 len = line_length(frame), n = min(len, (u32)STP_NAME_TEXT - 1);

	count_cut(len);
	memcpy(text, frame + LINE_HEAD, n);
	text[n] = '\0';
	return text;
}

/* Context: a handler's. */
static const char *address_line(struct stp_ctx *c, u64 address)
{
	char *text = stp_private(c)->name_text;

	if ((s64)address < 0)
		return stp_frame_name(c, address);
	snprintf(text, STP_NAME_TEXT, "%#llx", address);
	return text;
}

const char *plat_stack_line(struct stp_ctx *c, const char *stack, u32 *at, u64 *address)
{
	const char *frame = next_frame(stack, at, address);

	if (!frame || !stp_charge(c, STP_WORK_SYMBOL))
		return NULL;
	if (*frame == 'f')
		return file_line(c, stack, frame, *address);
	return *frame == '=' && line_length(frame) ? literal_line(c, frame) : address_line(c, *address);
}
