// SPDX-License-Identifier: GPL-2.0-or-later
// Reports errors and warnings about the script: location, source line, caret, macro calls; and die().
#include "util/diag.h"
#include "util/map.h"
#include "util/progress.h"
#include "util/str.h"
#include "util/vec.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10, CALLS = 5 }; // errors printed in full; macro calls printed around an error, innermost and outermost

struct diag_options diag_options;

enum { MAX_WARNINGS = 100 };

// The errors between diag_quiet_push() or diag_hold_push() and the pop.
struct section {
	int errors;
	int held;                  // value of diag.held before the section; the pop restores it
	struct diag_report first;
	bool takes_notes;          // notes that follow belong to the error of this section
};

static struct {
	const char *kind;
	int errors, different, shown;
	int warnings;              // number of distinct warnings
	bool last_shown;           // the message to which a note would belong was printed
	struct map seen;           // "location: text" of every message printed
	struct buf catalogue;      // text of diag_catalogue()
	VEC(struct loc) locations;    // locations of the entries of the catalogue
	int quiet;                 // depth of diag_quiet_push() and diag_hold_push()
	int held;                  // depth of diag_hold_push(); 0 while diag_quiet_push() is active
	VEC(struct section) sections;  // the active sections; [0] is outside of all
	struct section last_section;
	void (*hooks[8])(void);
	int nhooks;
	bool catching;             // die_caught() is active: die() stores its message in `death` and jumps to `caught`
	const char *death;
	jmp_buf caught;
	diag_listener *listener;   // NULL: messages are printed
	const char *page;          // a manual page that says more than the errors so far
} diag = { .kind = "semantic" };

enum part { ERROR, WARNING, SOURCE, CARET, PLAIN };

// Returns the escape sequence of a part of a message; PLAIN ends each of them.
static const char *paint(enum part part)
{
	static const struct { const char *name, *code; } parts[] = {
		{ "error=", "01;31" }, { "warning=", "00;33" }, { "source=", "00;34" }, { "caret=", "01" }, { "", "0" },
	};
	const char *code = parts[part].code;
	size_t len = strlen(code), name = strlen(parts[part].name);

	if (!diag_options.color)
		return "";
	for (const char *p = part == PLAIN ? NULL : diag_options.colors; p; p = strchr(p, ':'), p += p != NULL) {
		if (strncmp(p, parts[part].name, name))
			continue;
		code = p + name;
		len = strspn(code, "0123456789;");
	}
	return str_printf("\033[%.*sm", (int)len, code);
}

static void find_lines(struct source *src)
{
	VEC(const char *) line = { 0 };
	const char *p = src->text, *end = src->text + src->len;

	vec_push(&line, p);
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))))
		vec_push(&line, ++p);
	src->line = line.at;
	src->lines = line.n;
}

const char *diag_line(const struct source *src, int line)
{
	if (!src->line)
		find_lines((struct source *)src);
	return line >= 1 && line <= src->lines ? src->line[line - 1] : src->text + src->len;
}

static void show_line(struct loc loc)
{
	enum { WIDEST = 400, BEFORE = 200 };
	const struct source *src = loc.source;
	const char *text = diag_line(src, loc.line), *end = src->text + src->len, *newline;
	int column = loc.column - 1, len;

	if (column > WIDEST - 20 && column <= end - text) { // a long generated line: show the part with the caret
		text += column - BEFORE;
		column = BEFORE;
	}
	len = end - text > WIDEST ? WIDEST : (int)(end - text);
	newline = memchr(text, '\n', (size_t)len);
	if (newline)
		len = (int)(newline - text);
	if (!len)
		return;
	fprintf(stderr, "        source: %s%.*s%s\n                ", paint(SOURCE), len, text, paint(PLAIN));
	for (int i = 0; i < column && i < len; i++)
		fputc(text[i] == '\t' ? '\t' : ' ', stderr);
	fprintf(stderr, "%s^%s\n", paint(CARET), paint(PLAIN));
}

static char *location_text(struct loc loc)
{
	if (!loc.source)
		return str_dup("<generated>");
	return str_printf("%s:%d:%d", loc.source->name, loc.line, loc.column);
}

// Prints the innermost macro call first, and only both ends of a long chain.
static void show_expansions(const struct expansion *via)
{
	int calls = 0, n = 0;

	for (const struct expansion *x = via; x; x = x->at->via)
		calls++;
	for (const struct expansion *x = via; x; x = x->at->via, n++) {
		if (calls > 2 * CALLS && n == CALLS)
			fprintf(stderr, "        ... %d more macro calls ...\n", calls - 2 * CALLS);
		if (calls > 2 * CALLS && n >= CALLS && n < calls - CALLS)
			continue;
		fprintf(stderr, "        in expansion of macro: @%s at %s\n", x->macro, location_text(*x->at));
		show_line(*x->at);
	}
}

static void show(enum part color, const char *kind, struct loc loc, const char *text)
{
	if (diag.listener) {
		diag.listener(color == ERROR ? DIAG_ERROR : color == WARNING ? DIAG_WARNING : DIAG_NOTE, loc, text);
		return;
	}
	progress_hide();
	fflush(stdout);
	fprintf(stderr, "%s%s:%s %s", paint(color), kind, paint(PLAIN), text);
	if (!loc.source) {
		fputc('\n', stderr);
		return;
	}
	fprintf(stderr, ": at %s\n", location_text(loc));
	show_line(loc);
	show_expansions(loc.via);
}

static bool first_time(const char *kind, struct loc loc, const char *text)
{
	char *key = str_printf("%s %s: %s", kind, location_text(loc), text);

	if (map_get(&diag.seen, key))
		return false;
	map_put(&diag.seen, key, key);
	return true;
}

const char *diag_token(struct loc loc)
{
	const char *p = loc.source ? loc.source->text : "", *end = p + (loc.source ? loc.source->len : 0), *start;

	for (int line = 1; line < loc.line && p < end; p++)
		line += *p == '\n';
	p += loc.column > 0 ? loc.column - 1 : 0;
	if (p >= end || !loc.source)
		return "";
	if (*p == '"') {
		for (start = p++; p < end && *p != '"' && *p != '\n'; p++)
			p += *p == '\\' && p + 1 < end;
		return p < end && *p == '"' ? str_ndup(start, (size_t)(p + 1 - start)) : "\"";
	}
	for (start = p; p < end && (isalnum((unsigned char)*p) || strchr("_$@", *p)); p++)
		;
	return str_ndup(start, p > start ? (size_t)(p - start) : 1);
}

static void list_error(struct loc loc, const char *text)
{
	const char *file = loc.source ? loc.source->name : "<generated>";
	char *line = str_printf("SEMANTIC_ERROR\t%s\t%d\t%d\t%s\t%s\n", file, loc.line, loc.column, diag_token(loc), text);

	buf_puts(&diag.catalogue, line);
	vec_push(&diag.locations, loc);
}

const struct loc *diag_error_locations(int *n)
{
	*n = diag.locations.n;
	return diag.locations.at;
}

void diag_catalogue(void)
{
	fprintf(stderr, "SEMANTIC_ERRORS: %d\n%sSEMANTIC_ERRORS_END\n", diag.locations.n, buf_text(&diag.catalogue));
}

static struct section *innermost(void)
{
	if (!diag.sections.n)
		vec_push(&diag.sections, (struct section){ 0 });
	return &diag.sections.at[diag.quiet];
}

static void error(struct loc loc, const char *text)
{
	struct section *section = innermost();

	diag.last_shown = false;
	if (diag.quiet) {
		section->takes_notes = !section->errors++;
		if (section->takes_notes)
			section->first.text = text, section->first.loc = loc;
		return;
	}
	diag.errors++;
	if (!first_time(diag.kind, loc, text))
		return;
	diag.different++;
	if (!diag_prints())
		return;
	diag.shown++;
	if (diag_options.all)
		list_error(loc, text);
	diag.last_shown = true;
	show(ERROR, str_printf("%s error", diag.kind), loc, text);
}

void diag_error(struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error(loc, str_vprintf(fmt, ap));
	va_end(ap);
}

void diag_warning(struct loc loc, const char *fmt, ...)
{
	va_list ap;
	char *text;
	bool from_library = loc.source && loc.source->library && diag_options.verbose < 2;

	diag.last_shown = innermost()->takes_notes = false;
	if (diag_options.no_warnings || diag.quiet > diag.held || from_library)
		return;
	va_start(ap, fmt);
	text = str_vprintf(fmt, ap);
	va_end(ap);
	if (diag_options.warnings_are_errors) {
		error(loc, text);
		return;
	}
	if (!first_time("warning", loc, text) || (++diag.warnings > MAX_WARNINGS && !diag_options.verbose))
		return;
	diag.last_shown = true;
	show(WARNING, "WARNING", loc, text);
}

void diag_note(struct loc loc, const char *fmt, ...)
{
	va_list ap;

	struct section *section = innermost();
	const char *text;

	if (!diag.last_shown && !(diag.quiet && section->takes_notes))
		return;
	va_start(ap, fmt);
	text = str_vprintf(fmt, ap);
	va_end(ap);
	if (diag.quiet && section->takes_notes)
		vec_push(&section->first.notes, ((typeof(*section->first.notes.at)){ loc, text }));
	else
		show(PLAIN, "    note", loc, text);
}

void diag_refer(const char *page)
{
	if (!diag.page && diag.quiet == diag.held)
		diag.page = page;
}

const char *diag_page(void)
{
	return diag.page;
}

void diag_kind(const char *kind)
{
	diag.kind = kind;
}

int diag_errors(void)
{
	return diag.errors;
}

void diag_reset(void)
{
	diag.errors = diag.different = diag.shown = diag.quiet = 0;
	memset(&diag.sections, 0, sizeof(diag.sections));
	diag.last_shown = false;
	diag.seen = (struct map){ 0 };
	diag.last_section = (struct section){ 0 };
	diag.held = 0;
	diag.page = NULL;
}

void diag_summary(void)
{
	if (diag.different > diag.shown && diag.shown)
		fprintf(stderr, "%d more error%s not shown; -v shows all\n", diag.different - diag.shown,
			diag.different - diag.shown == 1 ? "" : "s");
	diag.shown = diag.different;
	if (diag.warnings > MAX_WARNINGS && !diag_options.verbose)
		fprintf(stderr, "%d more warnings not shown; -v shows all\n", diag.warnings - MAX_WARNINGS);
	diag.warnings = 0;
}

static void push(int held)
{
	innermost();
	vec_push(&diag.sections, ((struct section){ .held = diag.held }));
	diag.quiet++;
	diag.held = held;
}

void diag_quiet_push(void)
{
	push(0);
}

void diag_hold_push(void)
{
	push(diag.held == diag.quiet ? diag.held + 1 : 0);
}

bool diag_prints_warnings(void)
{
	return !diag_options.no_warnings && diag.quiet == diag.held && (diag.warnings < MAX_WARNINGS || diag_options.verbose);
}

bool diag_prints(void)
{
	if (diag.held && innermost()->errors)
		return false;      // only the first error of a section is printed
	return diag.quiet == diag.held && (diag.shown < SHOWN || diag_options.all || diag_options.verbose);
}

const char *diag_similar(const char *wanted, diag_names *add, const void *from)
{
	name_list names = { 0 };

	if (!diag_prints())
		return "";
	add(from, &names);
	return str_similar(wanted, names.at, names.n);
}

int diag_quiet_pop(void)
{
	diag.last_section = *innermost();
	diag.sections.n--;
	diag.quiet--;
	diag.held = diag.last_section.held;
	return diag.last_section.errors;
}

int diag_hold_pop(void)
{
	return diag_quiet_pop();
}

const char *diag_quiet_first(void)
{
	return diag.last_section.first.text;
}

void diag_error_quiet(struct loc loc)
{
	struct diag_report first = diag.last_section.first;

	first.loc = loc;
	diag_report(&first);
}

void diag_report(const struct diag_report *report)
{
	diag_error(report->loc, "%s", report->text);
	for vec_each(&report->notes, it)
		diag_note(it->loc, "%s", it->text);
}

struct diag_report *diag_held_report(void)
{
	struct diag_report *report = NEW(struct diag_report);

	*report = diag.last_section.first;
	return report;
}

struct loc diag_quiet_location(void)
{
	return diag.last_section.first.loc;
}

void diag_warn_held(struct loc loc, const char *advice)
{
	struct diag_report held = diag.last_section.first;

	diag_warning(held.loc.source ? held.loc : loc, "%s; %s", held.text, advice);
	for vec_each(&held.notes, it)
		diag_note(it->loc, "%s", it->text);
}

void die_at_exit(void (*hook)(void))
{
	if (diag.nhooks < (int)ARRAY_SIZE(diag.hooks))
		diag.hooks[diag.nhooks++] = hook;
}

volatile int diag_interrupted;

void diag_output(const char *text)
{
	if (diag_interrupted)
		return;
	progress_hide();
	fflush(stdout);
	fputs(text, stderr);
}

const char *die_caught(void (*check)(void *), void *arg)
{
	bool nested = diag.catching;
	jmp_buf outer;

	memcpy(outer, diag.caught, sizeof(outer));
	diag.death = NULL;
	diag.catching = true;
	if (!setjmp(diag.caught))
		check(arg);
	diag.catching = nested;
	memcpy(diag.caught, outer, sizeof(outer));
	return diag.death;
}

void diag_listen(diag_listener *listener)
{
	diag.listener = listener;
}

void die_of_memory(size_t bytes)
{
	die("out of memory (%zu bytes requested); use a smaller script, or raise the limit (ulimit -v)", bytes);
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag.death = str_vprintf(fmt, ap);
	va_end(ap);
	progress_hide();
	if (diag.catching)
		longjmp(diag.caught, 1);
	if (diag.listener)
		diag.listener(DIAG_FAILURE, (struct loc){ 0 }, diag.death);
	fflush(stdout);
	if (diag_interrupted)
		fputs("Interrupted.\n", stderr);
	else
		fprintf(stderr, "%sERROR:%s %s\n", paint(ERROR), paint(PLAIN), diag.death);
	while (diag.nhooks)
		diag.hooks[--diag.nhooks]();
	exit(EXIT_FAILURE);
}
