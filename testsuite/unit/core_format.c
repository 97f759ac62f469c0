/* SPDX-License-Identifier: GPL-2.0-or-later */
/* printf of scripts and of C compared with libc's, truncation, escapes, memory, records. */
#include "core_platform.h"

#include <math.h>
#include <sys/mman.h>

const struct stp_module stp_module = { .abi = STP_GENERATED_ABI, .limits = LIMITS };

static struct stp_ctx *c;

/* Formats one conversion of a script's printf into a buffer. */
static const char *one(char conv, char flag, int width, int precision, union stp_val v)
{
	static char text[20000];
	struct stp_format f = { NULL, 0, conv, stp_format_flag(flag), (s16)width, (s16)precision };

	stp_sprintf(c, text, sizeof(text), &f, 1, &v);
	return text;
}

static const char *number(char conv, char flag, int width, int precision, s64 n)
{
	return one(conv, flag, width, precision, (union stp_val){ .n = n });
}

static s64 random_number(void)
{
	s64 n = (s64)random_u64();

	switch (random_u32() % 8) {
	case 0: return 0;
	case 1: return (s64)(1ull << 63);
	case 2: return -1;
	default: return n >> random_u32() % 64;
	}
}

/* Compares every number conversion, flag, width and precision with libc, except # of 0. */
static void against_libc(void)
{
	static const char convs[] = "duoxX", flags[] = "\0" "0+- #";
	char want[1000], fmt[40], flag, conv;
	int i, width, precision, wrong = 0;
	s64 n;

	for (i = 0; i < 20000; i++) {
		conv = convs[random_u32() % 5];
		flag = flags[random_u32() % 6];
		width = random_u32() % 3 ? (int)(random_u32() % 30) : -1;
		precision = random_u32() % 3 ? -1 : (int)(random_u32() % 30);
		n = random_number();
		/* C does not define + and space for these, and # of 0 differs. */
		if ((strchr("+ ", flag) && flag && conv != 'd') || (flag == '#' && (conv == 'd' || conv == 'u' || !n)))
			continue;
		sprintf(fmt, flag ? "%%%c" : "%%", flag);
		if (width >= 0 && !(width == 0 && flag != '-'))
			sprintf(fmt + strlen(fmt), "%d", width);
		if (precision >= 0)
			sprintf(fmt + strlen(fmt), ".%d", precision);
		sprintf(fmt + strlen(fmt), "ll%c", conv);
		sprintf(want, fmt, n);
		if (strcmp(number(conv, flag, width, precision, n), want) && wrong++ < 5)
			printf("# %s of %lld: wanted '%s', got '%s'\n", fmt, n, want,
			       number(conv, flag, width, precision, n));
	}
	same_number("20000 random number conversions equal snprintf", wrong, 0);
}

/* Formats the bits of n as %.<places>g of scripts; returns whether libc writes the same. */
static bool same_real(double n, int places)
{
	char want[100];
	s64 bits;

	memcpy(&bits, &n, sizeof(bits));
	sprintf(want, "%.*g", places, n);
	if (!strcmp(number('g', 0, -1, places, bits), want))
		return true;
	printf("# %%.%dg: wanted '%s', got '%s'\n", places, want, number('g', 0, -1, places, bits));
	return false;
}

static void real_numbers(void)
{
	static const double some[] = { 0, -0.0, 1, -1, 1.5, 0.1, 100000.5, 999999.5, 0.0001, 0.00001234, 123456789, 1e15,
		1e14, 1e-5, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e22, 1e300, 0.5, 0.25, INFINITY, -INFINITY };
	int i, wrong = 0;
	double n;
	s64 bits;

	for (i = 0; i < (int)(sizeof(some) / sizeof(*some)); i++)
		wrong += !same_real(some[i], 15) + !same_real(some[i], 6);
	for (i = 0; i < 20000 && wrong < 5; i++) {
		bits = (s64)random_u64();
		memcpy(&n, &bits, sizeof(n));
		if (n == n)                    /* the sign of NaN is not printed */
			wrong += !same_real(n, 1 + i % 8);
		wrong += !same_real((double)(random_number() >> 24) / 1000, 15);
		wrong += !same_real((double)(random_number() >> 14) / 1048576, 15);
	}
	same_number("floating-point numbers equal snprintf", wrong, 0);
}

static void c_formats(void)
{
	static const char *const fmts[] = { "%d", "%5d|", "%-7d|", "%05d", "%+d", "%#x", "%.4d", "%X", "%o", "%u" };
	static const char *const longs[] = { "%ld", "%lld", "%20llx|", "%-22lu|", "%#lo", "%zu" };
	char got[100], want[100];
	struct stp_ctx_private *v = stp_private(c);
	int i, wrong = 0;
	u64 n;

	for (i = 0; i < 5000; i++) {
		n = random_u64() >> random_u32() % 64 | 1;
		sprintf(want, fmts[i % 10], (int)n);
		c->error = NULL;
		stp_error(c, fmts[i % 10], (int)n);
		wrong += strcmp(v->error_text, want) != 0;
		sprintf(want, longs[i % 6], n);
		c->error = NULL;
		stp_error(c, longs[i % 6], n);
		strcpy(got, v->error_text);
		wrong += strcmp(got, want) != 0;
	}
	same_number("C formats equal sprintf", wrong, 0);
	c->error = NULL;
	stp_error(c, "%s|%10s|%-6s|%.2s|%*d|%%|%c", "abc", "right", "left", "cut", 5, 42, 'x');
	same_text("C strings and characters", v->error_text, "abc|     right|left  |cu|   42|%|x");
	c->error = NULL;
}

static void scripts(void)
{
	union stp_val s = { .s = "hello" }, e = { .s = "a\n\"b\"\\\t\001\377" };
	char memory[] = "\x01\xab" "cd", text[8];
	struct stp_format f = { NULL, 0, 'd', 0, -2, -2 };
	union stp_val stars[] = { { .n = -6 }, { .n = 3 }, { .n = 7 } };

	same_text("%s", one('s', 0, -1, -1, s), "hello");
	same_text("%8s", one('s', 0, 8, -1, s), "   hello");
	same_text("%-8s", one('s', '-', 8, -1, s), "hello   ");
	same_text("%.3s", one('s', 0, -1, 3, s), "hel");
	same_text("%#s escapes", one('s', '#', -1, -1, e), "a\\n\\\"b\\\"\\\\\\t\\001\\377");
	same_text("%c", number('c', 0, -1, -1, 'A'), "A");
	same_text("%-3c", number('c', '-', 3, -1, 'A'), "A  ");
	same_text("%#c of a control character", number('c', '#', -1, -1, '\n'), "\\n");
	same_text("%#c of an unprintable byte", number('c', '#', -1, -1, 200), "\\310");
	same_text("%p of 0", number('p', 0, -1, -1, 0), "0x0");
	same_text("%#x of 0", number('x', '#', -1, -1, 0), "0x0");
	same_text("%p", number('p', 0, 20, -1, -1), "  0xffffffffffffffff");
	same_text("%m", number('m', 0, -1, 2, (s64)memory), "\x01\xab");
	same_text("%M", number('M', 0, -1, 4, (s64)memory), "01ab6364");
	same_text("%6M of one byte", number('M', 0, 6, -1, (s64)memory), "    01");
	same_text("%b of 2 bytes", number('b', 0, 2, -1, 'x' + 256 * 'y'), "xy");
	stp_sprintf(c, text, sizeof(text), &f, 1, stars);
	same_text("%*.*d with a negative width", text, "007   ");
	same_number("no error so far", c->error != NULL, 0);
	number('m', 0, -1, 4, 100);
	same_text("%m of a bad address", c->error ? c->error : "", "read fault at 0x64");
	c->error = NULL;
}

static void truncation(void)
{
	static const struct stp_format f[] = { { "abc", 3, 0, 0, -1, -1 }, { NULL, 0, 'd', 0, -1, -1 },
					       { NULL, 0, 's', 0, -1, -1 } };
	union stp_val v[] = { { .n = 12345 }, { .s = "xyz" } };
	char want[16], got[16];
	int size, wrong = 0;

	for (size = 1; size < 14; size++) {
		memset(got, '#', sizeof(got));
		snprintf(want, (size_t)size, "abc%d%s", 12345, "xyz");
		stp_sprintf(c, got, (u32)size, f, 3, v);
		wrong += strcmp(got, want) || got[size] != '#';
	}
	same_number("sprintf truncates at every size and never writes past the end", wrong, 0);
	same_number("a huge width is tamed", (s64)strlen(number('d', 0, 32767, -1, 1)), PLAT_RECORD_MAX);
}

/* Returns a copy of the text that ends, with its terminator, at a page that cannot be read. */
static const char *at_page_end(const char *text)
{
	static char *page;

	if (!page) {
		page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(page + 4096, 4096, PROT_NONE);
	}
	return strcpy(page + 4095 - strlen(text), text);
}

enum { STRING = 100 };

/* Makes a random piece, and appends what libc writes for it. Its width and literal are up to the limits of the fast
 * path, or beyond them. */
static void random_piece(struct stp_format *f, union stp_val *v, char *string, char *want)
{
	static const char literal[] = "This literal is longer than the field of the fast path, which has 64 bytes: yes.";
	static const int widths[] = { -1, -1, -1, 0, 1, 5, 20, 63, 64, 65, 200 };
	char fmt[20];

	*f = (struct stp_format){ .conv = "sd"[random_u32() % 2], .flags = random_u32() % 3 ? 0 : STP_FLAG_LEFT,
				  .width = (s16)widths[random_u32() % 11], .precision = -1 };
	f->len = (u16)(random_u32() % 3 ? random_u32() % 10 : random_u32() % sizeof(literal));
	f->text = f->len ? literal + sizeof(literal) - 1 - f->len : NULL;
	strcpy(fmt, f->flags ? "%-" : "%");
	if (f->width > 0)
		sprintf(fmt + strlen(fmt), "%d", f->width);
	strcat(fmt, f->conv == 's' ? "s" : "lld");
	if (f->conv == 's') {
		memset(string, 'a' + (int)(random_u32() % 26), STRING);
		string[random_u32() % 3 ? random_u32() % 9 : random_u32() % STRING] = 0;
		v->s = string;
		sprintf(want + strlen(want), fmt, string);
	} else {
		v->n = random_number();
		sprintf(want + strlen(want), fmt, v->n);
	}
	if (f->len)
		strcat(want, f->text);
}

static void several_pieces(void)
{
	char want[4000], to[1001], strings[4][STRING];
	struct stp_format f[4];
	union stp_val v[4];
	int i, k, wrong = 0;
	u32 n, size;

	for (i = 0; i < 50000; i++) {
		n = 1 + random_u32() % 4;
		for (want[0] = 0, k = 0; k < (int)n; k++)
			random_piece(&f[k], &v[k], strings[k], want);
		size = 1 + random_u32() % (random_u32() % 2 ? 200 : 1000);
		memset(to, '#', sizeof(to));
		stp_sprintf(c, to, size, f, n, v);
		want[size - 1] = 0;
		wrong += strcmp(to, want) || to[size] != '#';
	}
	same_number("formats of several pieces equal sprintf, in a buffer of any size", wrong, 0);
}

static void page_ends(void)
{
	static const char *const texts[] = { "", "1", "1234567", "12345678", "123456789", "12345678901234567" };
	char to[300];
	int i, wrong = 0;

	for (i = 0; i < 6; i++) {
		union stp_val v = { .s = at_page_end(texts[i]) };
		struct stp_format literal = { v.s, (u16)strlen(v.s), 0, 0, -1, -1 }, string = { NULL, 0, 's', 0, -1, -1 };

		stp_sprintf(c, to, sizeof(to), &string, 1, &v);
		wrong += strcmp(to, texts[i]) != 0;
		stp_sprintf(c, to, sizeof(to), &literal, 1, &v);
		wrong += strcmp(to, texts[i]) != 0;
	}
	same_number("texts at the end of a page are read up to their end", wrong, 0);
}

static void say(struct stp_ctx *ctx)
{
	stp_print(ctx, "0123456789", 10);
	stp_print(ctx, "abcdefghij", 10);
	stp_cprintf(ctx, "%s=%lld;", "n", 5ll);
	stp_log(ctx, "line");
}

static void print_at_length(struct stp_ctx *ctx)
{
	static char big[20000];

	memset(big, 'x', sizeof(big));
	stp_print(ctx, big, sizeof(big));
}

static void records(void)
{
	struct stp_probe p = { .handler = say };

	output_mark = "|";
	forget();
	stp_private(c)->closed = 0;
	stp_ctx_enter(c);
	stp_handler_body(c, &p);
	same_text("a handler's prints are one record", output, "0123456789abcdefghijn=5;line\n|");
	forget();
	record_limit = 16;
	stp_handler_body(c, &p);
	same_text("a full record is followed by another", output, "0123456789|abcdefghijn=5;|line\n|");
	forget();
	record_limit = PLAT_RECORD_MAX;
	record_refuse = true;
	stp_handler_body(c, &p);
	same_text("without room the handler's output is lost", output, "");
	record_refuse = false;
	stp_handler_body(c, &p);
	same_text("and the next handler's is not", output, "0123456789abcdefghijn=5;line\n|");
	forget();
	p.handler = print_at_length;
	output_mark = "";
	stp_handler_body(c, &p);
	same_number("one print may exceed a record", (s64)strlen(output), 20000);
	stp_ctx_leave(c);
}

/* Stack values, whose frames core_platform.h separates by semicolons, have a line for each frame; as text, the
 * whole lines that fit into a string. */
static void stacks(void)
{
	char text[STRING_LEN], many[200] = "";
	int i;

	for (i = 0; i < 20; i++)
		strcat(many, "frame%;");
	same_text("a line for each frame", one('k', 0, -1, -1, (union stp_val){ .s = "main;f+0x1;" }), "main\nf+0x1\n");
	same_text("quoted frames", one('k', '#', -1, -1, (union stp_val){ .s = "a\"b;c;" }), "a\\\"b\\nc\\n");
	same_text("no frame", one('k', 0, -1, -1, (union stp_val){ .s = "" }), "");
	same_number("all frames of a long stack",
		    (s64)strlen(one('k', 0, -1, -1, (union stp_val){ .s = many })), 140);
	stp_stack_text(c, text, many);
	same_number("whole lines that fit", (s64)strlen(text), 9 * 7);
}

int main(void)
{
	session_renew();
	c = cpu_ctx[0];
	against_libc();
	real_numbers();
	c_formats();
	scripts();
	truncation();
	several_pieces();
	page_ends();
	stacks();
	records();
	return finish();
}
