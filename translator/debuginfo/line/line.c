// SPDX-License-Identifier: GPL-2.0-or-later
// Converts source lines to code and back: the statements of a pattern FUNCTION@FILE:LINES, the statement at an address,
// and the nearest lines with code for messages.
//
// A line belongs to the last function declared before it in its file. So "*@FILE:LINE" does not search all line tables:
// the index gives the function, and the line tables of its units the statements. Each inlined copy has its own
// statements.
#include "debuginfo/dwarf/libdw_unit.h"
#include "debuginfo/lookup/lookup.h"

#include "util/numbers.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_LAST = 0x7fffffff, RANGES_MAX = 64 };

// ---------------------------------------------------------------- the pattern

static bool parse_number(const char **at, int *out)
{
	const char *end = *at;
	uint64_t n;

	if (number_unsigned(&end, 10, &n) != NUMBER_GOOD || n < 1 || n >= LINE_LAST)
		return false;
	*at = end;
	*out = (int)n;
	return true;
}

static bool parse_lines(const char *at, struct di_pattern *p)
{
	for (;; at++) {
		struct di_lines range;

		if (!parse_number(&at, &range.first))
			return false;
		range.last = range.first;
		if (*at == '-' && (at++, !parse_number(&at, &range.last) || range.last < range.first))
			return false;
		vec_push(&p->lines, range);
		if (!*at)
			return true;
		if (*at != ',')
			return false;
	}
}

// Splits "ns::Box::area" into its parts, except between < and >.
static void take_scope(struct di_pattern *p)
{
	const char *last = NULL;
	int depth = 0;

	for (const char *at = p->function; *at && !name_is_operator(p->function, at); at++) {
		depth += (*at == '<') - (*at == '>');
		if (!depth && at[0] == ':' && at[1] == ':')
			last = at;
	}
	if (!last)
		return;
	if (last > p->function)
		p->scope = str_ndup(p->function, last - p->function);
	p->function = last + 2;
}

bool di_parse_pattern(const char *text, struct di_pattern *p, const char **why)
{
	const char *at = strchr(text, '@'), *mark = at ? strpbrk(at, ":+") : NULL;

	*p = (struct di_pattern){ .function = at ? str_ndup(text, at - text) : text };
	*why = str_printf("invalid pattern \"%s\": expected FUNCTION, FUNCTION@FILE, FUNCTION@FILE:LINE[-LINE][,...], "
			  "FUNCTION@FILE:* or FUNCTION@FILE+N", text);
	if (at)
		p->file = mark ? str_ndup(at + 1, mark - at - 1) : at + 1;
	take_scope(p);
	if (!*p->function || (at && !*p->file))
		return false;
	if (!mark)
		return true;
	p->has_lines = true;
	p->relative = *mark == '+';
	p->every = !strcmp(mark, ":*");
	if (p->relative && !strcmp(mark, "+0")) {
		vec_push(&p->lines, ((struct di_lines){ 0, 0 }));
		return true;
	}
	return p->every || parse_lines(mark + 1, p);
}

// ---------------------------------------------------------------- rows of line tables

struct row {
	uint64_t address;
	int line;
};

// The rows of one function or inlined copy that belong to its own file, sorted by address.
struct rows {
	VEC(struct row) at;
	struct { uint64_t start, end; } range[RANGES_MAX];
	int nranges;
};

static bool inside(const struct rows *r, uint64_t address)
{
	for (int i = 0; i < r->nranges; i++)
		if (address - r->range[i].start < r->range[i].end - r->range[i].start)
			return true;
	return false;
}

// Returns the lowest address of the ranges; *end is the address after the highest.
static uint64_t span(const struct rows *r, uint64_t *end)
{
	uint64_t start = UINT64_MAX;

	*end = 0;
	for (int i = 0; i < r->nranges; i++) {
		start = r->range[i].start < start ? r->range[i].start : start;
		*end = r->range[i].end > *end ? r->range[i].end : *end;
	}
	return start;
}

// Returns the first row at `address` or above. libdw has sorted the rows by address.
static size_t first_row(Dwarf_Lines *lines, size_t n, uint64_t address)
{
	size_t low = 0, middle;
	Dwarf_Addr at;

	while (low < n) {
		middle = low + (n - low) / 2;
		if (!dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at) && at < address)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static void read_ranges(Dwarf_Die *die, struct rows *r)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (r->nranges < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (start < end) {
			r->range[r->nranges].start = start;
			r->range[r->nranges++].end = end;
		}
}

struct own_file {              // caches whether a file of the line table is the file of the function
	Dwarf_Die *unit;
	const char *wanted;
	const char *last;
	bool last_fits;
};

static bool fits(struct own_file *s, Dwarf_Line *line)
{
	const char *path = dwarf_linesrc(line, NULL, NULL);

	if (!path)
		return false;
	if (path != s->last) {
		s->last = path;
		s->last_fits = !strcmp(dwarf_source_path(s->unit, path), s->wanted);
	}
	return s->last_fits;
}

static bool row_of(Dwarf_Line *line, bool any, struct row *out)
{
	bool statement, end;
	Dwarf_Addr address;

	if (dwarf_linebeginstatement(line, &statement) || (!statement && !any) || dwarf_lineendsequence(line, &end) || end ||
	    dwarf_lineaddr(line, &address) || dwarf_lineno(line, &out->line) || !out->line)
		return false;
	out->address = address;
	return true;
}

static void read_rows(Dwarf_Lines *lines, size_t n, bool any, struct own_file *source, struct rows *r)
{
	uint64_t end, start = span(r, &end);
	Dwarf_Addr address;
	struct row row;

	for (size_t i = first_row(lines, n, start); i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);

		if (!dwarf_lineaddr(line, &address) && address >= end)
			break;
		if (row_of(line, any, &row) && inside(r, row.address) && fits(source, line))
			vec_push(&r->at, row);
	}
}

static bool is_entry_only(const struct rows *r)
{
	for vec_each(&r->at, row)
		if (row->address != r->at.at[0].address)
			return false;
	return true;
}

static struct rows rows_of(const struct di_function *f)
{
	const struct func_priv *p = f->priv;
	struct own_file source = { .wanted = f->file };
	struct rows r = { 0 };
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	size_t n;

	if (!f->file || !dwarf_function(f) || !dwarf_diecu((Dwarf_Die *)p->die, &unit, NULL, NULL) ||
	    dwarf_getsrclines(&unit, &lines, &n))
		return r;
	read_ranges((Dwarf_Die *)p->die, &r);
	source.unit = &unit;
	read_rows(lines, n, false, &source, &r);
	// Compilers drop is_stmt in clones with other parameters (.isra, .constprop): then each row counts as a
	// statement.
	if (is_entry_only(&r)) {
		r.at.n = 0;
		read_rows(lines, n, true, &source, &r);
	}
	return r;
}

// ---------------------------------------------------------------- statements

struct search {
	struct di_module *m;
	const struct di_pattern *p;
	bool nearest;
	bool functions;            // function probes are wanted: at the entry, not at the line
	di_functions *out;
	struct index_lines *begins; // lines at which functions begin; NULL: not searched yet
	int near_below, near_above; // nearest lines with code if a requested line has none; 0: none
	bool has_function;         // a function contains the lines
};

// Adds the lines of functions that are nested in the DIE: those of GNU C, and those of local classes, such as the
// operator() of a lambda.
static void nested_lines(Dwarf_Die *die, int depth, struct numbers *out)
{
	enum { NESTED_MAX = 32 };
	Dwarf_Die child;
	int tag, line;

	if (depth > NESTED_MAX || dwarf_child(die, &child))
		return;
	do {
		tag = dwarf_tag(&child);
		line = tag == DW_TAG_subprogram ? dwarf_first_line(&child) : 0;
		if (line > 0)
			*numbers_at(out, line) = 1;
		if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || dwarf_is_struct(tag))
			nested_lines(&child, depth + 1, out);
	} while (!dwarf_siblingof(&child, &child));
}

// Returns the lines from the function to the next one in its file that is not nested in it.
static struct di_lines own_lines(struct search *s, const struct di_function *f)
{
	const struct func_priv *p = f->priv;
	struct numbers nested = { 0 };
	Dwarf_Die origin;
	int next;

	if (!s->begins)
		s->begins = index_lines(s->m->index);
	if (s->m->is_user && dwarf_function(f)) {
		nested_lines((Dwarf_Die *)p->die, 0, &nested);
		if (dwarf_reference((Dwarf_Die *)p->die, DW_AT_abstract_origin, &origin))
			nested_lines(&origin, 0, &nested);
	}
	next = index_next_function(s->begins, f->file, f->line);
	while (next < INT32_MAX && *numbers_at(&nested, next))
		next = index_next_function(s->begins, f->file, next);
	return (struct di_lines){ f->line, next - 1 };
}

static struct di_function *statement(const struct di_function *f, const struct row *row)
{
	struct { struct di_function f; struct func_priv priv; } *both = NEW(typeof(*both));

	both->f = *f;
	both->priv = *(const struct func_priv *)f->priv;
	both->f.priv = &both->priv;
	both->f.address = both->f.pc = row->address;
	both->f.line = row->line;
	both->priv.own_scope = true;
	return &both->f;
}

static void note_nearest(struct search *s, const struct rows *r, int line)
{
	for vec_each(&r->at, row) {
		if (row->line < line && row->line > s->near_below)
			s->near_below = row->line;
		if (row->line > line && (!s->near_above || row->line < s->near_above))
			s->near_above = row->line;
	}
}

// Returns the line if it has code. Otherwise, if the nearest line is acceptable, returns the nearest line with
// code; if two are equally near, the later one.
static int line_with_code(const struct search *s, const struct rows *r, int line)
{
	int best = 0;

	for vec_each(&r->at, row) {
		int far = abs(row->line - line), best_far = abs(best - line);

		if (row->line == line)
			return line;
		if (s->nearest && (!best || far < best_far || (far == best_far && row->line > best)))
			best = row->line;
	}
	return best;
}

static bool has_line(const di_functions *v, int from, int line)
{
	for (int i = from; i < v->n; i++)
		if (v->at[i]->line == line)
			return true;
	return false;
}

// Adds the first address of the line only: code that the compiler moved elsewhere within the function would be a
// second hit of one statement.
static void add_line(struct search *s, const struct di_function *f, const struct rows *r, int line, int from)
{
	if (has_line(s->out, from, line))
		return;
	for vec_each(&r->at, row)
		if (row->line == line) {
			vec_push(s->out, statement(f, row));
			return;
		}
}

static void add_range(struct search *s, const struct di_function *f, const struct rows *r, struct di_lines range,
		      int from)
{
	int line;

	if (range.first == range.last && !s->p->every) {
		line = line_with_code(s, r, range.first);
		if (line)
			add_line(s, f, r, line, from);
		else
			note_nearest(s, r, range.first);
		return;
	}
	for vec_each(&r->at, row)
		if (row->line >= range.first && row->line <= range.last)
			add_line(s, f, r, row->line, from);
}

static bool overlap(struct di_lines *range, struct di_lines own)
{
	if (range->first > own.last || range->last < own.first)
		return false;
	if (range->first < own.first)
		range->first = own.first;
	if (range->last > own.last)
		range->last = own.last;
	return true;
}

static struct di_lines absolute(const struct search *s, const struct di_function *f, struct di_lines range)
{
	int by = s->p->relative ? f->line : 0;

	return (struct di_lines){ range.first + by, range.last + by };
}

static void search_statements(struct search *s, const struct di_function *f)
{
	struct di_lines own = own_lines(s, f);
	int from = s->out->n;
	struct rows r = { 0 };
	bool read = false;

	if (s->p->every) {
		r = rows_of(f);
		s->has_function = true;
		add_range(s, f, &r, own, from);
		return;
	}
	for vec_each(&s->p->lines, asked) {
		struct di_lines range = absolute(s, f, *asked);

		if (!overlap(&range, own))
			continue;
		if (!read)
			r = rows_of(f);
		read = s->has_function = true;
		add_range(s, f, &r, range, from);
	}
}

// Returns true if the function has code for one of the lines, or for lines before and after them.
static void search_function(struct search *s, struct di_function *f)
{
	struct di_lines own = own_lines(s, f);
	struct rows r = { 0 };
	int last = f->line;
	bool wanted = s->p->every;

	for vec_each(&s->p->lines, asked) {
		struct di_lines range = absolute(s, f, *asked);

		wanted |= overlap(&range, own);
	}
	if (!wanted)
		return;
	r = rows_of(f);
	for vec_each(&r.at, row)
		last = row->line > last ? row->line : last;
	for vec_each(&s->p->lines, asked) {
		struct di_lines range = absolute(s, f, *asked);

		wanted = overlap(&range, (struct di_lines){ f->line, last });
		if (wanted)
			break;
		note_nearest(s, &r, range.first);
	}
	s->has_function = true;
	if (wanted)
		vec_push(s->out, f);
}

static void add_functions(const void *from, name_list *out)
{
	const struct search *s = from;
	di_functions of_file = { 0 };

	di_find_functions(s->m, "*", s->p->file, DI_INLINES_ONCE, &of_file);
	for vec_each(&of_file, f)
		vec_push(out, (*f)->name);
}

static void explain_unknown_name(const struct search *s, struct buf *why)
{
	buf_printf(why, "no function \"%s\" found in a file \"%s\"%s", s->p->function, s->p->file,
		   diag_similar(s->p->function, add_functions, s));
}

static void explain(const struct search *s, bool any, struct buf *why)
{
	const struct di_pattern *p = s->p;

	if (!any)
		explain_unknown_name(s, why);
	else if (!s->has_function && !strcmp(p->function, "*"))
		buf_printf(why, "no function of \"%s\" includes that line", p->file);
	else if (!s->has_function)
		buf_printf(why, "no function \"%s\" includes that line of \"%s\"", p->function, p->file);
	else if (s->near_below && s->near_above)
		buf_printf(why, "that line of \"%s\" has no code; the nearest lines with code are %d and %d",
			   p->file, s->near_below, s->near_above);
	else if (s->near_below || s->near_above)
		buf_printf(why, "that line of \"%s\" has no code; the nearest line with code is %d",
			   p->file, s->near_below ? s->near_below : s->near_above);
	else
		buf_printf(why, "those lines of \"%s\" have no code", p->file);
}

static int by_address_and_line(const void *a, const void *b)
{
	const struct di_function *x = *(struct di_function *const *)a, *y = *(struct di_function *const *)b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->line - y->line;
}

// Removes duplicates with the same address and line.
static void unique(di_functions *v)
{
	int n = 0;

	if (v->n)
		qsort(v->at, v->n, sizeof(v->at[0]), by_address_and_line);
	for (int i = 0; i < v->n; i++)
		if (!n || by_address_and_line(&v->at[n - 1], &v->at[i]))
			v->at[n++] = v->at[i];
	v->n = n;
}

void di_find_lines(struct di_module *m, const struct di_pattern *p, enum di_line_use use, di_functions *out,
		   struct buf *why)
{
	di_functions found = { 0 }, candidates = { 0 };
	struct search s = { .m = m, .p = p, .nearest = use == DI_NEAREST, .functions = use == DI_FUNCTIONS,
			    .out = &found };

	if (!module_index(m)) {
		buf_printf(why, "source lines cannot be determined without DWARF debuginfo: %s", di_advice(m));
		return;
	}
	di_find_functions(m, p->function, p->file, DI_INLINES_ALL, &candidates);
	for vec_each(&candidates, f) {
		if (!(*f)->file)
			continue;
		if (s.functions)
			search_function(&s, *f);
		else
			search_statements(&s, *f);
	}
	unique(&found);
	if (!found.n)
		explain(&s, candidates.n, why);
	for vec_each(&found, f)
		vec_push(out, *f);
}

// ---------------------------------------------------------------- addresses

struct di_function *di_function_at(struct di_module *m, uint64_t address)
{
	struct symbol sym, best = { 0 };
	struct index_hit hit;
	struct di_function *f;

	if (module_index(m)) {
		if (!index_function_at(m->index, address, &hit))
			return NULL;
	} else {
		for (int i = 0; m->has_symbols && i < m->symbols.n; i++)
			if (symbols_get(&m->symbols, i, &sym) && address - sym.address < sym.size)
				best = sym;
		if (!best.name)
			return NULL;
		hit = (struct index_hit){ .name = best.name, .symbol = best.name, .address = best.address,
					  .size = best.size };
	}
	f = function_of_hit(m, &hit);
	f->address = f->pc = address;
	if (address == f->symbol_address)
		f->pc = 0;
	return f;
}

// Sets file and line from any row that begins at the address: rows of code from another file, or without is_stmt,
// such as those of inlined copies. Each begins at an instruction.
static bool set_other_line(struct di_function *f)
{
	const struct func_priv *p = f->priv;
	Dwarf_Lines *lines;
	struct row row;
	Dwarf_Die unit;
	size_t n;

	if (!dwarf_diecu((Dwarf_Die *)p->die, &unit, NULL, NULL) || dwarf_getsrclines(&unit, &lines, &n))
		return false;
	for (size_t i = first_row(lines, n, f->address); i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *path = dwarf_linesrc(line, NULL, NULL);
		Dwarf_Addr address;

		if (!dwarf_lineaddr(line, &address) && address > f->address)
			break;
		if (!path || !row_of(line, true, &row) || row.address != f->address)
			continue;
		f->file = dwarf_source_path(&unit, path);
		f->line = row.line;
		return true;
	}
	return false;
}

bool di_statement_line(struct di_function *f, uint64_t *below, uint64_t *above)
{
	struct rows r = rows_of(f);

	*below = *above = 0;
	for vec_each(&r.at, row) {
		if (row->address == f->address) {
			f->line = row->line;
			return true;
		}
		if (row->address < f->address && row->address > *below)
			*below = row->address;
		if (row->address > f->address && (!*above || row->address < *above))
			*above = row->address;
	}
	return !r.at.n || f->address == f->symbol_address || set_other_line(f);
}

// Returns whether a statement() probe of the row's line is at this row: see add_line().
static bool is_first_of_line(const struct rows *r, const struct row *row)
{
	for vec_each(&r->at, other)
		if (other->line == row->line)
			return other->address == row->address;
	return false;
}

int di_variable_line(const struct di_function *f, const char *name)
{
	uint64_t pc = f->pc ? f->pc : f->address, best = UINT64_MAX;
	struct rows r = rows_of(f);
	struct di_variable v;
	int line = 0;

	for vec_each(&r.at, row) {
		uint64_t far = row->address > pc ? row->address - pc : pc - row->address;
		struct di_function at = *f;

		at.pc = row->address;
		if (far >= best || !is_first_of_line(&r, row) || !di_find_variable(&at, name, &v) || v.loc.kind == DI_LOC_NONE)
			continue;
		best = far;
		line = row->line;
	}
	return line;
}
