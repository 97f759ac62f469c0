// SPDX-License-Identifier: GPL-2.0-or-later
// Formats: printf() of bpftrace has the conversions of C with their lengths, and %r for bytes. Conversions of
// time() and strftime() are those of strftime(3), which become parts of tz_ctime()'s text.
#include "foreign/bt.h"

#include <string.h>

// Writes the argument of one conversion. `form` is the letter after "r": "x", "h" or 0.
static char *argument(struct bt_translation *t, const struct bt_node *n, char conversion, char form)
{
	if (conversion == 's')
		return bt_string(t, n);
	if (conversion != 'r')
		return bt_expr(t, n, BT_BIND_NONE);
	if (n->kind != BT_CALL || strcmp(n->text, "buf")) {
		bt_problem(t, n->loc, "%%r prints only buf()");
		return "\"\"";
	}
	return bt_buffer(t, n, form ? (char[]){ form, 0 } : "");
}

// bpftrace passes numbers to C's printf(), where %d without "l" is an int: so "retval" of a function that returns
// an int can be negative. Other values are printed with 64 bits.
static char *result_as_int(struct bt_translation *t, struct bt_node *n, char conversion, bool is_long)
{
	struct bt_node as_int = { .kind = BT_CAST, .loc = n->loc, .text = "",
				  .cast = { .kind = BT_T_INT, .size = 4, .is_signed = true } };

	if (is_long || (conversion != 'd' && conversion != 'i') || n->kind != BT_NAME || strcmp(n->text, "retval") ||
	    bt_is_provider(t->action, "kretfunc"))         // its type is known
		return NULL;
	vec_push(&as_int.kids, n);
	return bt_expr(t, &as_int, BT_BIND_NONE);
}

static const char *conversion(struct bt_translation *t, const struct bt_node *call, const char *f, int *next,
			      struct buf *format, struct buf *arguments)
{
	const char *from = f++;
	size_t flags = strspn(f, "-+ #0"), width = strspn(f + flags, "0123456789."), length;
	char form = 0, c;

	length = strspn(f + flags + width, "hlzjtq");
	c = f[flags + width + length];
	if (!c)
		return "";
	buf_putc(format, '%');
	buf_add(format, f, flags + width);
	f += flags + width + length + 1;
	if (!strchr("diuxXopcsr", c))
		bt_problem(t, call->loc, "unknown conversion \"%.*s\"", (int)(f - from), from);
	if (c == 'r' && (*f == 'x' || *f == 'h'))
		form = *f++;
	buf_putc(format, c == 'r' ? 's' : c == 'i' ? 'd' : c);
	if (*next >= call->kids.n) {
		bt_problem(t, call->loc, "the conversion \"%.*s\" has no argument", (int)(f - from), from);
	} else {
		struct bt_node *n = call->kids.at[(*next)++];
		char *as_int = result_as_int(t, n, c, length > 0);

		buf_printf(arguments, ", %s", as_int ? as_int : argument(t, n, c, form));
	}
	return f;
}

char *bt_printf(struct bt_translation *t, const struct bt_node *call, int first, const char *function)
{
	struct buf format = { 0 }, arguments = { 0 };
	const char *f;
	int next = first + 1;

	if (call->kids.n <= first || call->kids.at[first]->kind != BT_STRING) {
		bt_problem(t, call->loc, "%s() requires a literal as the format", call->text);
		return "";
	}
	for (f = call->kids.at[first]->text; *f;) {
		if (f[0] == '%' && f[1] == '%') {
			buf_puts(&format, "%%");
			f += 2;
		} else if (*f == '%') {
			f = conversion(t, call, f, &next, &format, &arguments);
		} else {
			buf_putc(&format, *f++);
		}
	}
	if (*function == '"')  // not the name of a function, but the first part of the format, as a literal
		return str_printf("%s%s\"%s", function, buf_text(&format), buf_text(&arguments));
	return str_printf("%s(\"%s\"%s)", function, buf_text(&format), buf_text(&arguments));
}

// Offsets of the conversions of strftime(3) in a text like "Wed Jun 30 21:49:08 1993".
static const struct { char conversion; const char *longer; int at, length;
} parts[] = {
	{ 0, "%H:%M:%S", 11, 8 }, { 0, "%H:%M", 11, 5 }, { 'T', 0, 11, 8 }, { 'X', 0, 11, 8 },
	{ 'R', 0, 11, 5 },	  { 'H', 0, 11, 2 },	 { 'M', 0, 14, 2 }, { 'S', 0, 17, 2 },
	{ 'a', 0, 0, 3 },	  { 'b', 0, 4, 3 },	 { 'h', 0, 4, 3 },  { 'd', 0, 8, 2 },
	{ 'e', 0, 8, 2 },	  { 'Y', 0, 20, 4 },	 { 'y', 0, 22, 2 }, { 'c', 0, 0, 24 },
};

static const char *time_part(struct bt_translation *t, struct loc loc, const char *f, const char *seconds,
			     const char *micros, struct buf *format, struct buf *arguments)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].longer ? !str_starts(f, parts[i].longer) : f[1] != parts[i].conversion)
			continue;
		buf_puts(format, "%s");
		buf_printf(arguments, ", substr(tz_ctime(%s), %d, %d)", seconds, parts[i].at, parts[i].length);
		return f + (parts[i].longer ? strlen(parts[i].longer) : 2);
	}
	switch (f[1]) {
	case 'f':
		buf_puts(format, "%06d");
		buf_printf(arguments, ", %s %% 1000000", micros);
		break;
	case 's':
		buf_puts(format, "%d");
		buf_printf(arguments, ", %s", seconds);
		break;
	case 'n': buf_puts(format, "\\n"); break;
	case 't': buf_puts(format, "\\t"); break;
	case '%': buf_puts(format, "%%"); break;
	default:
		bt_problem(t, loc, "the conversion \"%.2s\" of a time has no equivalent: use %%H, %%M, %%S, %%a, %%b, %%d or %%Y", f);
	}
	return f + (f[1] ? 2 : 1);
}

// Returns the arguments of printf: a format and values.
char *bt_time(struct bt_translation *t, struct loc loc, const char *f, const char *seconds, const char *micros)
{
	struct buf format = { 0 }, arguments = { 0 };

	while (*f)
		if (*f == '%')
			f = time_part(t, loc, f, seconds, micros, &format, &arguments);
		else
			buf_putc(&format, *f++);
	return str_printf("\"%s\"%s", buf_text(&format), buf_text(&arguments));
}
