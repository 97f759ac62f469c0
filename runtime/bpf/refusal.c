/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the verifier's log: from which part of the script a refused program was made, and the reason. In the log, a
 * line of C precedes its instructions, "; STATEMENT @ FILE:LINE" since Linux 6.9; instructions begin with their
 * number; the reason is the last line that is neither, before "processed N insns". Messages of libbpf contain the
 * name of the program.
 */
#define _GNU_SOURCE
#define STP_STRLEN 512             /* only parts of bpf_client.h that do not depend on it are used */
#include "client.h"
#include "../core/internal.h"
#include "../include/number.h"
#include "bpf_layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct stp_statement __start_stp_statements[] __attribute__((__weak__, __visibility__("hidden")));
extern const struct stp_statement __stop_stp_statements[] __attribute__((__weak__, __visibility__("hidden")));

static const char *last_of(const char *log, const char *text)
{
	const char *last = NULL;

	for (; (log = strstr(log, text)); log++)
		last = log;
	return last;
}

static const char *line_before(const char *log, const char *at)
{
	if (at <= log)
		return NULL;
	for (at--; at > log && at[-1] != '\n'; at--)
		;
	return at;
}

static bool is_code(const char *line)
{
	while (isdigit((unsigned char)*line))
		line++;
	return *line == ';' || *line == ':' || !strncmp(line, "from ", 5);
}

static const char *statement_by_line(u32 line)
{
	const struct stp_statement *p, *best = NULL;

	for (p = __start_stp_statements; p < __stop_stp_statements; p++)
		if (p->where && p->line >= line && (!best || p->line < best->line))
			best = p;
	return best ? best->where : NULL;
}

/* Parses the number after a text that begins with `head`. */
static bool number_after(const char *text, const char *head, u32 *number)
{
	int64_t n = 0;
	bool found;

	text += strlen(head);
	found = number_at(&text, 10, 0, UINT32_MAX, &n);
	*number = (u32)n;
	return found;
}

/* Returns the check for an error that follows the statement in the C: it contains the location at which an error of
 * the statement would be reported. */
static const char *check_after(const char *log, const char *end)
{
	const char *at = end, *line;
	u32 number;

	while ((at = line_before(log, at))) {
		if (*at != ';')
			continue;
		line = memmem(at, (size_t)(strchrnul(at, '\n') - at), ".c:", 3);
		return line && number_after(line, ".c:", &number) ? statement_by_line(number) : NULL;
	}
	return NULL;
}

static const struct stp_probe *refused_probe(const char *log)
{
	const char *at = last_of(log, "prog 'stp_program_"), *entry = last_of(log, "prog 'stp_entry_");
	u32 number;

	if (at && number_after(at, "prog 'stp_program_", &number) && number < stp_module.nprobes)
		return &stp_module.probes[number];
	if (entry && number_after(entry, "prog 'stp_entry_", &number) && number < stp_module.nprobes)
		return &stp_module.probes[number];
	return NULL;
}

#define TOO_LARGE "BPF program is too large"

/* Returns the verifier's reason, or NULL. The limit of its work is reached at any instruction, on the line of which it
 * says so. */
static const char *reason_in(const char *log, const char *end)
{
	const char *at = end ? end + 1 : NULL, *large = last_of(log, TOO_LARGE);

	if (end && large && large < end && !memchr(large, '\n', (size_t)(end - large)))
		return large;
	while (at && (at = line_before(log, at)) && is_code(at))
		;
	return at;
}

/* The verifier follows the passes of loops over strings, up to a million instructions in a program. */
static void report_refused(const struct stp_probe *p, const char *near, const char *where, const char *reason)
{
	if (!strncmp(reason, TOO_LARGE, strlen(TOO_LARGE)))
		stp_complain("the BPF program of the probe at %s%s%s is too large for the kernel's verifier: use shorter strings "
			     "(-DMAXSTRINGLEN=N, now %u), divide the handler among several probes, or run the script as a module",
			     p->where, near, where, stp_module.limits.string_len);
	else
		stp_complain("the kernel refused the BPF program of the probe at %s%s%s; this is a bug: please report it with the "
			     "script", p->where, near, where);
}

bool refusal_report(const char *log, const char *path)
{
	const char *end = last_of(log, "\nprocessed "), *reason = reason_in(log, end), *where;
	const struct stp_probe *p = refused_probe(log);

	if (!reason || !p)
		return false;
	where = check_after(log, end);
	report_refused(p, where ? ", near " : "", where ? where : "", reason);
	stp_complain("the verifier's reason is: %.*s; its log is in %s", (int)strcspn(reason, "\n"), reason, path);
	return true;
}
