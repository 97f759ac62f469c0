/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings, numbers, flags and signals in the text of a system call, and the loads from the process's memory. In: values
 * and addresses of arguments; out: text as strace writes it. Context and errors as in syscall.c.
 */
#include "syscall.h"

void call_printf(struct call_text *t, const char *fmt, ...)
{
	const char *from = t->k.at;
	stp_va_list ap;

	if (!stp_charge(t->c, STP_WORK_FORMAT)) {
		t->failed = true;
		return;
	}
	__builtin_va_start(ap, fmt);
	stp_vformat(&t->k, fmt, ap);
	__builtin_va_end(ap);
	stp_charge(t->c, (u64)(t->k.at - from) * STP_WORK_BYTE);
}

void call_put_bytes(struct call_text *t, const char *text, u64 n)
{
	if (STP_UNLIKELY(!stp_charge(t->c, STP_WORK_FORMAT + n * STP_WORK_BYTE)))
		t->failed = true;
	else if (STP_LIKELY((u64)(t->k.end - t->k.at) >= n))
		t->k.at = stp_put_bytes(t->k.at, text, (u32)n);
	else
		stp_sink_put(&t->k, text, n);
}

void call_put(struct call_text *t, const char *text)
{
	call_put_bytes(t, text, (u64)stp_strlen(text));
}

void call_unsigned(struct call_text *t, u64 v)
{
	char buffer[20], *end = buffer + sizeof(buffer), *p = stp_digits(end, v);

	call_put_bytes(t, p, (u64)(end - p));
}

void call_decimal(struct call_text *t, s64 v)
{
	char buffer[24], *end = buffer + sizeof(buffer), *p = stp_digits(end, v < 0 ? 0 - (u64)v : (u64)v);

	if (v < 0)
		*--p = '-';
	call_put_bytes(t, p, (u64)(end - p));
}

/* Returns the eight hexadecimal digits of n, the first one in the lowest byte. */
static u64 hex_digits(u32 n)
{
	u64 ones = 0x0101010101010101, v = n, letters;

	v = (v << 16 | v) & 0x0000ffff0000ffff;        /* spread four digits over each half, */
	v = (v << 8 | v) & 0x00ff00ff00ff00ff;         /* two over each quarter, */
	v = (v << 4 | v) & 0x0f0f0f0f0f0f0f0f;         /* one over each byte */
	letters = (v + 6 * ones) >> 4 & ones;
	return __builtin_bswap64(v + '0' * ones + letters * ('a' - '0' - 10));
}

void call_hex_number(struct call_text *t, u64 v)
{
	union { u64 words[3]; char text[24]; } all;    /* 6 unused bytes, "0x", 16 digits */
	u32 zeros = v ? (u32)__builtin_clzll(v) / 4 : 15;
	char *p = all.text + 6 + zeros;

	all.words[1] = hex_digits((u32)(v >> 32));
	all.words[2] = hex_digits((u32)v);
	p[0] = '0';
	p[1] = 'x';
	call_put_bytes(t, p, 18 - zeros);
}

/* ------------------------------------------------------------------ the process's memory */

u64 call_load(struct call_text *t, u64 address, u32 size)
{
	struct stp_ctx *c = t->c;
	u64 v;

	if (!stp_charge(c, STP_WORK_LOAD)) {
		t->failed = true;
		return 0;
	}
	v = size == 8 ? stp_uload8(c, address) : size == 4 ? stp_uload4(c, address) :
	    size == 2 ? stp_uload2(c, address) : stp_uload1(c, address);
	if (STP_UNLIKELY(c->error)) {
		c->error = NULL;
		t->failed = t->unread = true;
		return 0;
	}
	return v;
}

/* ------------------------------------------------------------------ strings */

static void put_escaped(struct call_text *t, u8 byte, u8 next)
{
	static const char named[] = "tnvfr";       /* escapes of bytes 9 to 13 */
	char text[4] = { '\\' };
	u32 n = 1;

	if (byte >= 9 && byte <= 13) {
		text[n++] = named[byte - 9];
	} else if (byte == '"' || byte == '\\') {
		text[n++] = (char)byte;
	} else if (byte >= ' ' && byte < 127) {
		text[0] = (char)byte;
	} else {
		/* an escape has as few digits as the next character permits */
		bool all = next >= '0' && next <= '7';

		if (all || byte >= 64)
			text[n++] = (char)('0' + (byte >> 6));
		if (all || byte >= 8)
			text[n++] = (char)('0' + (byte >> 3 & 7));
		text[n++] = (char)('0' + (byte & 7));
	}
	stp_sink_put(&t->k, text, n);
}

/* Replaces the text from `start` on by the address, after a failed load. */
static void replace_by_address(struct call_text *t, char *start, u64 address)
{
	t->k.at = start;
	t->failed = false;
	call_address(t, address);
}

void call_bytes(struct call_text *t, u64 address, u64 n, u64 max)
{
	char *start = t->k.at;
	u64 shown = n < max ? n : max, i;
	u8 next;

	if (t->failed)
		return;
	if (!address || (s64)n < 0) {
		call_address(t, address);
		return;
	}
	next = shown ? (u8)call_load(t, address, 1) : 0;
	call_put(t, "\"");
	for (i = 0; i < shown && !t->failed; i++) {
		u8 byte = next;

		next = i + 1 < shown ? (u8)call_load(t, address + i + 1, 1) : 0;
		put_escaped(t, byte, next);
	}
	call_put(t, n > shown ? "\"..." : "\"");
	if (t->failed)
		replace_by_address(t, start, address);
}

void call_hex_bytes(struct call_text *t, u64 address, u64 n, u64 max)
{
	char *start = t->k.at;
	u64 i;

	if (t->failed)
		return;
	call_put(t, "\"");
	for (i = 0; i < n && i < max && !t->failed; i++)
		call_printf(t, "\\x%02llx", call_load(t, address + i, 1));
	call_put(t, n > max ? "\"..." : "\"");
	if (t->failed)
		replace_by_address(t, start, address);
}

void call_string(struct call_text *t, u64 address)
{
	char *start = t->k.at;
	u64 from = address;
	u8 byte, next;

	if (t->failed)
		return;
	if (!address) {
		call_put(t, "NULL");
		return;
	}
	call_put(t, "\"");
	for (byte = (u8)call_load(t, address, 1); byte && !t->failed; byte = next) {
		next = (u8)call_load(t, ++address, 1);
		put_escaped(t, byte, next);
		if (t->k.end - t->k.at < 8)
			break;
	}
	call_put(t, byte && !t->failed ? "\"..." : "\"");
	if (t->failed)
		replace_by_address(t, start, from);
}

/* Writes a list like ["ls", "-l"]; for envp, the number of strings. */
void call_strings(struct call_text *t, u64 address, bool count_only)
{
	u64 n = 0, max = count_only ? 4096 : CALL_ELEMENTS_SHOWN + 1, word = t->long_size, from = address;
	char *start = t->k.at;
	struct array a;

	while (address && n < max && call_load_long(t, address + n * word))
		n++;
	if (!address || count_only) {
		call_address(t, address);
		if (address && (n || !t->failed))
			call_printf(t, n == 1 ? " /* %llu var%s */" : " /* %llu vars%s */", n,
				    t->failed ? ", unreadable" : "");
		t->failed = false;
		return;
	}
	n += t->failed;            /* the last element is the one that could not be read */
	t->failed = false;
	t->share = t->k.end - 16;
	for (a = (struct array){ n }; call_element(t, &a); address += word)
		call_string(t, call_load_long(t, address));
	if (t->failed)
		replace_by_address(t, start, from);
}

/* ------------------------------------------------------------------ numbers */

void call_address(struct call_text *t, u64 address)
{
	if (address)
		call_hex_number(t, address);
	else
		call_put(t, "NULL");
}

void call_hex(struct call_text *t, u64 v)
{
	if (v)
		call_hex_number(t, v);
	else
		call_put(t, "0");
}

void call_pair(struct call_text *t, const char *before, u64 a, u64 b)
{
	call_put(t, before);
	call_hex(t, a);
	call_put(t, ", ");
	call_hex(t, b);
}

const char *call_symbol(const struct stp_symbols *s, u64 v)
{
	u32 i;

	for (i = 0; i < s->n; i++)
		if (s->at[i].value == v)
			return s->at[i].name;
	return NULL;
}

void call_symbols(struct call_text *t, const struct stp_symbols *s, u64 v)
{
	u64 field = s->field == ~0u ? ~0ull : s->field;
	const char *name = call_symbol(s, v & (field ? field : ~0ull)), *between = "";
	u32 i;

	stp_charge(t->c, 2ull * s->n * STP_WORK_NAME);
	if (name) {
		call_put(t, name);
		between = "|";
		v &= field ? ~field : 0;
	} else if (!v || field == ~0ull || ((field & 0xff) == 0xff && v & field)) {
		call_hex(t, v);
		return;
	} else if (v & field) {
		call_hex(t, v & field);
		between = "|";
		v &= ~field;
	}
	for (i = 0; i < s->n && v; i++) {
		u64 bits = s->at[i].value;

		if (bits == CALL_HUGE_PAGES && v & bits) {
			call_printf(t, "%s%llu<<%s", between, (v & bits) >> 26, s->at[i].name);
			between = "|";
			v &= ~bits;
		}
		if (!bits || (bits & field) || (v & bits) != bits)
			continue;
		call_printf(t, "%s%s", between, s->at[i].name);
		between = "|";
		v &= ~bits;
	}
	if (v)
		call_printf(t, "%s0x%llx", between, v);
}

void call_signal(struct call_text *t, s64 sig)
{
	static const char *const names[] = {
		"", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
		"PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU",
		"XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
	};

	if (sig > 0 && sig < (s64)(sizeof(names) / sizeof(*names)))
		call_printf(t, "SIG%s", names[sig]);
	else if (sig == 32)
		call_put(t, "SIGRTMIN");
	else if (sig > 32 && sig <= 64)
		call_printf(t, "SIGRT_%lld", sig - 32);
	else
		call_decimal(t, sig);
}
