/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of BPF programs, which are numbers and strings: formats them as their struct stp_statement states, and
 * reports errors. Programs write one record for each handler, so that its output is not interrupted.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "client.h"
#include "../core/internal.h"
#include "bpf_shared.h"

#include <stdlib.h>
#include <string.h>

static u64 number(struct reader *r)
{
	return r->at < r->end ? *r->at++ : 0;
}

/* Returns a string, which occupies whole words with its terminator. */
const char *record_text(struct reader *r)
{
	const char *s = (const char *)r->at;
	u64 left = (u64)((const char *)r->end - s), len = strnlen(s, left);

	if (len == left) {
		r->at = r->end;
		return "";
	}
	r->at += len / 8 + 1;
	return s;
}

/* ------------------------------------------------------------------ items */

/* The bounds of the section. They are NULL if no statement prints or fails, since then it does not exist. */
extern const struct stp_statement __start_stp_statements[] __attribute__((__weak__, __visibility__("hidden")));
extern const struct stp_statement __stop_stp_statements[] __attribute__((__weak__, __visibility__("hidden")));

static const struct stp_statement *statement_of(u32 line, bool prints)
{
	const struct stp_statement *p;

	for (p = __start_stp_statements; p < __stop_stp_statements; p++)
		if (p->line == line && prints == !p->where)
			return p;
	return NULL;
}

/* Reads a string; replaces a placeholder by its names, and a captured call by its text. The maximum length of strings
 * does not apply to names. */
static const char *completed(struct stp_ctx *c, struct reader *r, u32 argument)
{
	enum { NAMES_SIZE = 16384 };
	static char *buffers;          /* one for each argument of a statement */
	u32 size = stp_module.limits.string_len + NAMES_SIZE;
	const char *s = (const char *)r->at;
	char *to;

	if (r->at == r->end || *s != STP_MARK)
		return record_text(r);
	if (!buffers)
		buffers = malloc((u64)size * STP_ITEM_ARGUMENTS);
	if (!buffers)
		return record_text(r);
	to = buffers + (u64)size * argument;
	if (call_text(c, r, to))
		return to;
	return user_names_complete(record_text(r), to, size);
}

bool records_are_printed(void)
{
	const struct stp_statement *p = __start_stp_statements;

	while (p < __stop_stp_statements && p->where)
		p++;
	return p < __stop_stp_statements;
}

void client_printf(struct stp_ctx *c, const struct stp_format *f, u32 pieces, const union stp_val *args)
{
	if (stp_module.records)
		stp_record_printf(c, f, pieces, args);
	else
		stp_printf(c, f, pieces, args);
}

void client_print_hist(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d)
{
	if (stp_module.records)
		stp_record_hist(c, s, d);
	else
		stp_print_hist(c, s, d);
}

/* Memory that %m and %M of one statement print. In the place of an address, the format gets the number of the argument
 * in its upper half, so that each conversion has the bytes that were read for it. */
static struct { u64 size; const char *bytes; } copied[STP_ITEM_ARGUMENTS];

static s64 next_memory(struct reader *r, u32 argument)
{
	u64 left;

	number(r);                     /* the address: the program raises the error that contains it */
	copied[argument].size = number(r);
	left = (u64)(r->end - r->at) * 8;
	if (copied[argument].size > left)
		copied[argument].size = left;
	copied[argument].bytes = (const char *)r->at;
	r->at += (copied[argument].size + 7) / 8;
	return (s64)((u64)argument << 32);
}

static bool read_copied(struct stp_ctx *c, void *to, u64 address, u32 size)
{
	u32 argument = (u32)(address >> 32) % STP_ITEM_ARGUMENTS;
	u64 offset = (u32)address;

	if (offset + size > copied[argument].size)
		return false;
	memcpy(to, copied[argument].bytes + offset, size);
	return true;
}

/* Prints the pieces up to the first memory that the program could not read. */
static void print_memory(struct stp_ctx *c, const struct stp_statement *p, const union stp_val *args)
{
	user_captured = read_copied;
	client_printf(c, p->format, p->pieces, args);
	user_captured = NULL;
	if (c->error)
		stp_catch(c, NULL, 0);
}

static bool is_memory(const struct stp_format *f)
{
	return f->conv == 'm' || f->conv == 'M';
}

/* Reads the arguments in the order of the pieces: width, precision, value. */
static void print(struct stp_ctx *c, const struct stp_statement *p, struct reader *r)
{
	union stp_val args[STP_ITEM_ARGUMENTS] = { };
	const struct stp_format *f = p->format;
	bool memory = false;
	u32 n = 0;

	if (!f) {
		stp_print(c, p->text, p->pieces);
		return;
	}
	for (; f < p->format + p->pieces && n + 3 <= STP_ITEM_ARGUMENTS; f++) {
		if (f->width == -2)
			args[n++].n = (s64)number(r);
		if (f->precision == -2)
			args[n++].n = (s64)number(r);
		if (!f->conv)
			continue;
		memory |= is_memory(f);
		if (f->conv == 's' || f->conv == 'k')
			args[n].s = completed(c, r, n);
		else
			args[n].n = is_memory(f) ? next_memory(r, n) : (s64)number(r);
		n++;
	}
	if (memory)
		print_memory(c, p, args);
	else
		client_printf(c, p->format, p->pieces, args);
}

/* Prints a histogram from the limits and the buckets in the record. */
static void print_hist(struct stp_ctx *c, const struct stp_statement *p, struct reader *r)
{
	struct stp_stat *s = calloc(1, sizeof(*s) + p->hist->buckets * sizeof(s->hist[0]));
	u32 i;

	if (!s)
		return;
	s->count = 1;
	s->min = (s64)number(r);
	s->max = (s64)number(r);
	for (i = 0; i < p->hist->buckets; i++)
		s->hist[i] = (s64)number(r);
	client_print_hist(c, s, p->hist);
	free(s);
}

/* Raises an error that occurred in a program, with its locations. */
static void raise_error(struct stp_ctx *c, u32 line, struct reader *r)
{
#define STP_BPF_MESSAGE(error, before, conversion, after) [error] = { before, conversion, after },
	static const struct { const char *before; char conversion; const char *after; } texts[] = {
#include "bpf_errors.def"
	};
	const struct stp_statement *p = statement_of(line, false);
	u64 code = number(r), argument = number(r), callers = number(r);

	if (code == STP_BPF_TEXT)
		stp_error(c, "%s", record_text(r));
	else if (code < sizeof(texts) / sizeof(texts[0]) && texts[code].before)
		stp_error(c, texts[code].conversion == 'p' ? "%s%#llx%s" : texts[code].conversion ? "%s%lld%s" : "%s",
			  texts[code].before, argument, texts[code].after);
	if (p)
		stp_error_location(c, p->where);
	for (; callers; callers--) {
		p = statement_of((u32)number(r), false);
		if (p)
			stp_error_location(c, p->where);
	}
}

/* Prints a line of a call stack. */
static void print_symbol(struct stp_ctx *c, u32 line, struct reader *r)
{
	u64 address = number(r);

	if (line)
		stp_print_kernel_frame(c, address, record_text(r), line == STP_SYMBOL_CALLER);
	else
		stp_cprintf(c, " %#llx : %s\n", address, record_text(r));
}

static void print_user_symbol(struct stp_ctx *c, struct reader *r)
{
	u64 form = number(r), space = number(r), address = number(r);

	user_names_print(c, form, space, address);
}

/* Reads the rest of the record: the components of the path, the last one first. */
static void add_mapping(struct reader *r)
{
	struct stp_mapping m = { number(r) };
	char path[STP_RECORD_WORDS * 8], *at = path + sizeof(path) - 1;
	const char *name;

	m.start = number(r);
	m.end = number(r);
	m.offset = number(r);
	m.inode = number(r);
	m.device = number(r);
	*at = 0;
	while (r->at < r->end && strlen(name = record_text(r)) < (size_t)(at - path)) {
		at -= strlen(name);
		memcpy(at, name, strlen(name));
		*--at = '/';
	}
	user_names_add(&m, !m.inode && m.device == STP_VDSO_DEVICE ? VDSO_PATH : at);
}

static void follow_process(struct reader *r)
{
	u64 space = number(r);
	struct stp_execution p = { number(r) };

	p.start_ns = number(r);
	p.stack = number(r);
	p.time_ns = number(r);
	user_names_follow(space, &p);
}

static void set_event(struct stp_ctx *c, u32 cpu, u64 monotonic_ns)
{
	stp_private(c)->event_cpu = cpu;
	stp_private(c)->event_ns = client_time_of_day(monotonic_ns);
}

/* Records are formatted in the context of begin and end probes. It has no gate, so they are read after exit(),
 * too. */
void record_read(const u64 *words, u64 n)
{
	struct stp_ctx *c = &stp_session.exclusive->c;
	struct reader r = { words, words + n };
	const struct stp_statement *p;
	u64 head, probe = STP_RECORD_PROBE(number(&r));

	c->probe = probe < stp_module.nprobes ? &stp_module.probes[probe] : NULL;
	c->work = 1ll << 60;
	stp_private(c)->busy = 1;
	while (r.at < r.end) {
		head = number(&r);
		p = statement_of((u32)head, true);
		if (head >> 32 == STP_ITEM_PRINT && p)
			print(c, p, &r);
		else if (head >> 32 == STP_ITEM_HIST && p && p->hist)
			print_hist(c, p, &r);
		else if (head >> 32 == STP_ITEM_SYMBOL)
			print_symbol(c, (u32)head, &r);
		else if (head >> 32 == STP_ITEM_USER_SYMBOL)
			print_user_symbol(c, &r);
		else if (head >> 32 == STP_ITEM_MAPPING)
			add_mapping(&r);
		else if (head >> 32 == STP_ITEM_PROCESS)
			follow_process(&r);
		else if (head >> 32 == STP_ITEM_ERROR)
			raise_error(c, (u32)head, &r);
		else if (head >> 32 == STP_ITEM_LOG)
			stp_log(c, record_text(&r));
		else if (head >> 32 == STP_ITEM_WARNING)
			stp_warn(c, record_text(&r));
		else if (head >> 32 == STP_ITEM_SYSTEM)
			stp_system(c, record_text(&r));
		else if (head >> 32 == STP_ITEM_SWITCH)
			stp_switch_file(c);
		else if (head >> 32 == STP_ITEM_TIME)
			set_event(c, (u32)head, number(&r));
	}
	stp_handler_finish(stp_private(c));
	stp_private(c)->event_ns = 0;
	stp_private(c)->busy = 0;
}
