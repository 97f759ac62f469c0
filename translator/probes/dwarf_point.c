// SPDX-License-Identifier: GPL-2.0-or-later
// Resolves points of functions and statements to addresses, and the variables there; see dwarf_point.h.
#include "probes/dwarf_point.h"

#include "elab/renamed.h"
#include "elab/elab.h"
#include "elab/target.h"
#include "util/diag.h"
#include "util/str.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 16          // limit of N in callees(N)

// ---------------------------------------------------------------- the point

static bool parse_maxactive(struct session *s, const struct point_part *part, struct dwarf_point *p)
{
	if (part && (part->number < 0 || part->number > limit_max(LIMIT_KRETACTIVE))) {
		diag_error(part->loc, "maxactive(%s) is out of range (0, the default, to %lld)",
			   part->number_text, (long long)limit_max(LIMIT_KRETACTIVE));
		return false;
	}
	p->maxactive = part && part->number ? part->number : p->is_return ? session_limit(s, LIMIT_KRETACTIVE) : 0;
	return true;
}

// Parses the form in which lists print a callee: NAME@FILE:LINE, with the line of its declaration.
static bool parse_callee(const struct point_part *part, struct dwarf_point *p)
{
	const char *at = part && part->text ? strchr(part->text, '@') : NULL, *why;

	if (!at)
		return true;
	p->callee = str_ndup(part->text, at - part->text);
	if (di_parse_pattern(part->text, &p->callee_at, &why) && !p->callee_at.relative)
		return true;
	diag_error(part->loc, "invalid callee \"%s\": expected FUNCTION, FUNCTION@FILE or FUNCTION@FILE:LINE", part->text);
	return false;
}

bool dwarf_point_parse(struct session *s, const struct probe_match *m, struct dwarf_point *p)
{
	const struct point_part *statement = point_find(m->point, "statement");
	const struct point_part *label = point_find(m->point, "label"), *callee = point_find(m->point, "callee");
	const struct point_part *callees = point_find(m->point, "callees");
	const char *why;

	*p = (struct dwarf_point){
		.part = statement ? statement : point_find(m->point, "function"),
		.is_statement = statement,
		.is_return = point_find(m->point, "return"),
		.nearest = point_find(m->point, "nearest"),
		.which = point_find(m->point, "inline") ? DWARF_INLINE : point_find(m->point, "call") ||
			 point_find(m->point, "return") || point_find(m->point, "exported") ? DWARF_CALL : DWARF_ANY,
		// A list has one line for all inlined copies.
		.inlines = s->opt.list && !s->opt.list_vars && !s->opt.verbose[2] ? DI_INLINES_ONCE : DI_INLINES_ALL,
		.label = label ? label->text : NULL,
		.callee = callee ? callee->text : callees ? "*" : NULL,
	};
	if (callees && callees->arg_kind == ARG_NUMBER && (callees->number < 1 || callees->number > MAX_DEPTH)) {
		diag_error(callees->loc, "callees(%s) is out of range (1 to %d)", callees->number_text, MAX_DEPTH);
		return false;
	}
	if (!parse_callee(callee, p) || !parse_maxactive(s, point_find(m->point, "maxactive"), p))
		return false;
	p->depth = callees && callees->arg_kind == ARG_NUMBER ? (int)callees->number : 1;
	p->any_caller = session_limit(s, LIMIT_STAP_CALLEE_MATCHALL) != 0;
	p->by_address = p->part->arg_kind == ARG_NUMBER;
	if (p->by_address)
		return true;
	if (!di_parse_pattern(p->part->text, &p->pattern, &why)) {
		diag_error(p->part->loc, "%s", why);
		return false;
	}
	// Inlined copies of functions named by a wildcard are not looked up if only calls are probed.
	if (p->which == DWARF_CALL && !p->callee && str_is_glob(p->pattern.function))
		p->inlines = DI_INLINES_NONE;
	return true;
}

// ---------------------------------------------------------------- addresses

static bool lacks_dwarf(const struct di_module *m)
{
	return di_module_source(m) != DI_SOURCE_DWARF;
}

// Returns whether the point requires DWARF.
static bool needs_dwarf(const struct dwarf_point *p)
{
	return p->by_address ? p->is_statement : p->pattern.has_lines || p->pattern.file || p->label || p->callee ||
	       p->which == DWARF_INLINE;
}

static void find_address(const struct dwarf_point *p, struct di_module *in, di_functions *out, struct buf *why)
{
	struct di_function *f = di_function_at(in, p->part->number);
	uint64_t below, above;

	if (!f) {
		buf_printf(why, "no function found at the address %#llx", (unsigned long long)p->part->number);
		return;
	}
	if (!p->is_statement) {
		f->address = f->symbol_address;
		f->pc = 0;
	} else if (!di_statement_line(f, &below, &above)) {
		buf_printf(why, "no statement of %s begins at %#llx; the nearest ones begin at %#llx and %#llx", f->name,
			   (unsigned long long)p->part->number, (unsigned long long)below, (unsigned long long)above);
		return;
	} else if (di_is_user(in)) {
		f->pc = f->address;        // the address stays the same, also before code that makes a frame
	}
	vec_push(out, f);
}

static void find_pattern(const struct dwarf_point *p, struct di_module *in, di_functions *out, struct buf *why)
{
	const struct di_pattern *pattern = &p->pattern;
	uint64_t below, above;

	if (pattern->has_lines)
		di_find_lines(in, pattern, !p->is_statement ? DI_FUNCTIONS : p->nearest ? DI_NEAREST : DI_STATEMENTS,
			      out, why);
	else
		di_find_functions(in, pattern->function, pattern->file, p->inlines, out);
	if (p->is_statement && !pattern->has_lines)    // the line is that of its first statement, not of its
						       // declaration
		for vec_each(out, f)
			di_statement_line(*f, &below, &above);
	if (!out->n && !why->len && pattern->file && lacks_dwarf(in))
		buf_printf(why, "the file of \"@%s\" cannot be determined without DWARF debuginfo: "
			   "%s", pattern->file, di_advice(in));
	if (p->which == DWARF_INLINE && !why->len && lacks_dwarf(in))
		buf_printf(why, "inlined functions cannot be identified without DWARF debuginfo: %s", di_advice(in));
}

static void keep_scope(const struct dwarf_point *p, di_functions *v)
{
	int n = 0;

	for (int i = 0; i < v->n; i++)
		if (di_function_in(v->at[i], p->pattern.scope))
			v->at[n++] = v->at[i];
	v->n = n;
}

// Reports the function's split-off part: the compiler may split a partly inlined function, and give the rest
// another name.
static void name_rest(const struct di_function *f, struct buf *why)
{
	di_functions rest = { 0 };
	const char *name = str_printf("%s.part.0", f->name);

	di_find_functions(f->module, name, NULL, DI_INLINES_NONE, &rest);
	if (rest.n)
		buf_printf(why, "; the rest of its code is the function \"%s\"", name);
}

static void keep(const struct dwarf_point *p, di_functions *v, struct buf *why)
{
	const struct di_function *first = v->n ? v->at[0] : NULL;
	int n = 0, dropped = 0;

	for (int i = 0; i < v->n; i++) {
		bool fits = p->which == DWARF_ANY || v->at[i]->is_inline == (p->which == DWARF_INLINE);

		dropped += !fits;
		if (fits)
			v->at[n++] = v->at[i];
	}
	v->n = n;
	if (n && dropped && p->is_return)
		diag_warning(p->part->loc, "\"%s\" has %d inlined cop%s without a return that can be probed: skipped; probe the "
			     "entries with .inline, or compile the program with -fno-inline",
			     p->callee ? p->callee : p->part->text, dropped, dropped == 1 ? "y" : "ies");
	if (n || !dropped || why->len)
		return;
	if (p->which == DWARF_INLINE) {
		buf_puts(why, "it is not inlined anywhere");
		return;
	}
	buf_printf(why, "all its calls are inlined (%d cop%s), so it has no %s to probe; probe the entries with .inline%s",
		   dropped, dropped == 1 ? "y" : "ies", p->is_return ? "return" : "call",
		   first && di_is_user(first->module) ? ", or compile the program with -fno-inline" : "");
	name_rest(first, why);
}

static void add_labels(const void *functions, name_list *out)
{
	di_functions all = { 0 };

	for vec_each((const di_functions *)functions, f)
		di_find_labels(*f, "*", &all);
	for vec_each(&all, f)
		vec_push(out, (*f)->label);
}

static void find_labels(const struct dwarf_point *p, di_functions *v, struct buf *why)
{
	di_functions functions = *v;

	*v = (di_functions){ 0 };
	for vec_each(&functions, f)
		di_find_labels(*f, p->label, v);
	if (!functions.n || v->n)
		return;
	if (lacks_dwarf(functions.at[0]->module)) {
		buf_printf(why, "labels cannot be found without DWARF debuginfo: "
			   "%s", di_advice(functions.at[0]->module));
		return;
	}
	buf_printf(why, "it has no label \"%s\" with code", p->label);
	buf_puts(why, diag_similar(p->label, add_labels, &functions));
}

static bool is_among(const di_functions *v, const struct di_function *f)
{
	for vec_each(v, known)
		if ((*known)->address == f->address && (*known)->is_inline == f->is_inline)
			return true;
	return false;
}

// If the caller does not matter, one address of each function is enough.
static void forget_callers(di_functions *v)
{
	di_functions all = *v;

	*v = (di_functions){ 0 };
	for vec_each(&all, f) {
		if (is_among(v, *f))
			continue;
		(*f)->returns = NULL;
		vec_push(v, *f);
	}
}

static int returns_in(const di_functions *v)
{
	int n = 0;

	for vec_each(v, f)
		n += (*f)->returns ? (*f)->returns->at.n : 0;
	return n;
}

// Removes callees that are reached only by tail calls: they return to the caller of the function that jumps, which
// is unknown for the first function.
static void forget_jumps(di_functions *v, struct buf *why)
{
	int n = 0;

	for vec_each(v, f) {
		if (!(*f)->returns || (*f)->returns->at.n)
			v->at[n++] = *f;
		else
			buf_printf(why, "%s\"%s\" is reached by tail calls, so its caller cannot be determined "
				   "(-DSTAP_CALLEE_MATCHALL probes every call)", why->len ? "; " : "", (*f)->name);
	}
	if (n)
		why->len = 0;
	v->n = n;
}

static bool is_at(const struct di_function *f, const struct di_pattern *p)
{
	if (!f->file || (fnmatch(p->file, f->file, 0) && fnmatch(str_printf("*/%s", p->file), f->file, 0)))
		return false;
	for vec_each(&p->lines, l)
		if (f->line >= l->first && f->line <= l->last)
			return true;
	return !p->lines.n;
}

static void forget_other_files(const struct di_pattern *p, di_functions *v)
{
	int n = 0;

	for vec_each(v, f)
		if (is_at(*f, p))
			v->at[n++] = *f;
	v->n = n;
}

static void add_callees(const void *of, name_list *out)
{
	di_functions all = { 0 };

	for vec_each((const di_functions *)of, f)
		di_find_callees(*f, "*", &all);
	for vec_each(&all, f)
		vec_push(out, (*f)->name);
}

static void no_callee(const struct dwarf_point *p, const di_functions *of, struct buf *why)
{
	const char *file = p->callee_at.file;

	buf_printf(why, "it does not call a function \"%s%s%s\" "
			"directly%s", p->callee, file ? "@" : "", file ? file : "",
		   diag_similar(p->callee, add_callees, of));
}

static const char *name_with_line(const struct di_function *f)
{
	return f->file ? str_printf("%s@%s:%d", f->name, f->file, f->line) : f->name;
}

// Names the caller of indirect callees, unless it only jumps to them: then they return to its own callers.
static void name_caller(const struct dwarf_point *p, const struct di_function *f, const di_functions *v, int from)
{
	struct di_function alone = *f;
	di_functions called = { 0 };

	alone.returns = NULL;
	di_find_callees(&alone, p->callee, &called);
	for (int i = from; i < v->n; i++) {
		v->at[i]->is_below = true;
		for vec_each(&called, it)
			if ((*it)->address == v->at[i]->address && (!(*it)->returns || (*it)->returns->at.n))
				v->at[i]->caller = name_with_line(f);
	}
}

// Finds callees, their callees and so on: each address is limited to calls by the function one level above.
static void find_callees(const struct dwarf_point *p, di_functions *v, struct buf *why)
{
	di_functions functions = *v, callers = *v, seen = { 0 };

	*v = (di_functions){ 0 };
	for (int depth = 0; depth < p->depth; depth++) {
		int from = v->n, before;

		for vec_each(&callers, f) {
			if (is_among(&seen, *f))
				continue;
			vec_push(&seen, *f);
			before = v->n;
			di_find_callees(*f, p->callee, v);
			if (depth)
				name_caller(p, *f, v, before);
		}
		callers = (di_functions){ 0 };
		for (int i = from; i < v->n; i++)
			vec_push(&callers, v->at[i]);
	}
	// The target of a tail call returns to the caller of the function that jumps, which may have been found
	// later.
	for (int before = -1; before != returns_in(v);) {
		before = returns_in(v);
		for vec_each(&seen, f)
			di_find_callees(*f, p->callee, v);
	}
	if (p->callee_at.file)
		forget_other_files(&p->callee_at, v);
	if (p->any_caller)
		forget_callers(v);
	else
		forget_jumps(v, why);
	if (!functions.n || v->n)
		return;
	if (lacks_dwarf(functions.at[0]->module))
		buf_printf(why, "its callees cannot be determined without DWARF debuginfo: %s",
			   di_advice(functions.at[0]->module));
	else if (!why->len)
		no_callee(p, &functions, why);
}

// Removes functions that cannot be probed. The reason is reported if no other function remains.
static void drop_refused(di_functions *v, struct buf *why)
{
	struct buf reasons = { 0 };
	int n = 0;

	for vec_each(v, f) {
		const char *reason = di_refused(*f);

		if (!reason)
			v->at[n++] = *f;
		else if (!reasons.len)
			buf_puts(&reasons, reason);
	}
	v->n = n;
	if (!n)
		buf_puts(why, buf_text(&reasons));
}

void dwarf_point_find(const struct dwarf_point *p, struct di_module *in, di_functions *out, struct buf *why)
{
	struct buf unwanted = { 0 };
	di_functions found = { 0 };

	why = why ? why : &unwanted;
	if (needs_dwarf(p) && lacks_dwarf(in))
		di_want_dwarf(in);
	if (p->by_address)
		find_address(p, in, &found, why);
	else
		find_pattern(p, in, &found, why);
	if (!p->by_address && p->pattern.scope)
		keep_scope(p, &found);
	if (p->callee)
		find_callees(p, &found, why);
	keep(p, &found, why);
	if (p->label)
		find_labels(p, &found, why);
	drop_refused(&found, why);
	if (!out->n)
		*out = found;              // not copied, since a wildcard finds 70,000 functions
	else
		for vec_each(&found, f)
			vec_push(out, *f);
}

// Reports a function that exists in another file.
static bool report_other_file(const struct dwarf_point *p, struct di_module *in, const char *point)
{
	di_functions found = { 0 };

	if (!str_is_glob(p->pattern.function))
		di_find_functions(in, p->pattern.function, NULL, DI_INLINES_ONCE, &found);
	if (!found.n || !found.at[0]->file)
		return false;
	diag_error(p->part->loc, "%s.%s(\"%s\") not found: the function \"%s\" is in \"%s\"", point, p->part->name,
		   p->part->text, p->pattern.function, found.at[0]->file);
	return true;
}

static void add_functions(const void *module, name_list *out)
{
	di_function_names((struct di_module *)module, out);
}

static bool has_names(struct di_module *in)
{
	name_list names = { 0 };

	di_function_names(in, &names);
	return names.n;
}

bool dwarf_point_is_misspelt(const struct dwarf_point *p, struct di_module *in)
{
	int len = (int)strlen(p->pattern.function);
	name_list names = { 0 };

	di_function_names(in, &names);
	for vec_each(&names, name)
		if (abs((int)strlen(*name) - len) <= 1 && str_distance(p->pattern.function, *name) == 1)
			return true;
	return false;
}

// Returns advice for a line that is written as in perf or gdb: "vfs_read:5" and "read_write.c:560". NULL: it is not.
static const char *line_advice(const char *text)
{
	const char *colon = strrchr(text, ':');
	int n = colon ? (int)(colon - text) : 0;

	if (!n || strchr(text, '@') || text[n - 1] == ':' || colon[1 + strspn(colon + 1, "0123456789*-")])
		return NULL;
	return memchr(text, '.', n) ? str_printf("; write \"*@%s\" for the function at this line", text) :
		str_printf("; lines are written \"%.*s@FILE:LINE\", and all lines of the function \"%.*s@*:*\"", n, text, n, text);
}

void dwarf_point_not_found(const struct dwarf_point *p, struct di_module *in, const char *point, struct buf *why)
{
	const char *unprobeable, *near;

	if (p->by_address || why->len) {
		if (p->by_address)
			diag_error(p->part->loc, "%s.%s(%#llx): %s", point, p->part->name,
				   (unsigned long long)p->part->number, buf_text(why));
		else
			diag_error(p->part->loc, "%s.%s(\"%s\"): %s", point, p->part->name, p->part->text, buf_text(why));
		return;
	}
	if (!diag_prints()) {      // errors of an optional point are only counted, and finding the reason takes
				   // long
		diag_error(p->part->loc, "%s.%s(\"%s\") not found", point, p->part->name, p->part->text);
		return;
	}
	if (p->pattern.file && report_other_file(p, in, point))
		return;
	unprobeable = di_unprobeable_function(in, p->pattern.function);
	if (unprobeable) {
		diag_error(p->part->loc, "%s.%s(\"%s\"): %s", point, p->part->name, p->part->text, unprobeable);
		return;
	}
	near = line_advice(p->part->text);
	if (!near)
		near = di_is_user(in) ? "" : renamed_function(in, p->pattern.function);
	if (!*near)
		near = diag_similar(p->pattern.scope ? p->part->text : p->pattern.function, add_functions, in);
	if (di_is_user(in) && lacks_dwarf(in) && !has_names(in)) {
		diag_error(p->part->loc, "%s.%s(\"%s\") not found: %s has neither symbols nor DWARF debuginfo that name "
			   "it; %s", point, p->part->name, p->part->text, di_module_name(in), di_advice(in));
		return;
	}
	diag_error(p->part->loc, "%s.%s(\"%s\") not found%s", point, p->part->name, p->part->text, near);
	diag_refer("error::pass2");
	if (di_is_user(in) && lacks_dwarf(in))
		diag_note(p->part->loc, "%s has no DWARF debuginfo, so only its symbols are available; %s",
			  di_module_name(in), di_advice(in));
}

// Writes ".function("vfs_read@fs/read_write.c:450")" without buf_printf(), since a wildcard has one for each function.
static void add_location(struct buf *out, const char *part, const struct di_function *f)
{
	char digits[12], *line = digits + sizeof(digits) - 1;
	unsigned n = (unsigned)f->line;

	*line = '\0';
	do
		*--line = (char)('0' + n % 10);
	while (n /= 10);
	buf_putc(out, '.');
	buf_puts(out, part);
	buf_puts(out, "(\"");
	buf_puts(out, f->name);
	buf_putc(out, '@');
	buf_puts(out, f->file);
	buf_putc(out, ':');
	buf_puts(out, line);
	buf_puts(out, "\")");
}

void dwarf_point_text(const struct probe_match *m, const struct di_function *f, struct buf *out)
{
	bool after = false;

	for vec_each(&m->point->parts, part) {
		if (!strcmp(part->name, "function") || !strcmp(part->name, "statement")) {
			after = true;
			if (f->caller)
				buf_printf(out, ".%s(\"%s\")", part->name, f->caller);
			else if (f->returns || point_find(m->point, "callee") || point_find(m->point, "callees"))
				buf_printf(out, ".%s(\"%s\")", part->name, part->text);
			else if (f->file)
				add_location(out, part->name, f);
			else if (f->pc || !*f->name)
				buf_printf(out, ".%s(%#llx)", part->name, (unsigned long long)f->pc);
			else
				buf_printf(out, ".%s(\"%s\")", part->name, f->name);
		} else if (after && !strcmp(part->name, "label")) {
			buf_printf(out, ".label(\"%s\")", f->label);
		} else if (after && str_starts(part->name, "callee") && (f->caller || !f->is_below)) {
			buf_printf(out, ".callee(\"%s\")", name_with_line(f));
		} else if (after && part->arg_kind == ARG_STRING) {
			buf_printf(out, ".%s(\"%s\")", part->name, part->text);
		} else if (after && part->arg_kind == ARG_NUMBER) {
			buf_printf(out, ".%s(%lld)", part->name, (long long)part->number);
		} else if (after) {
			buf_putc(out, '.');
			buf_puts(out, part->name);
		}
	}
}

// ---------------------------------------------------------------- callees

// Returns the 8-byte value at a location.
static struct expr *word(struct loc loc, struct di_module *m, struct di_location at, const char *name)
{
	struct di_variable v = { .name = name, .type = di_find_type(m, "long unsigned int"), .loc = at };

	return v.type ? target_variable(loc, &v) : NULL;
}

// Returns the function's return address. In the kernel another return probe may have replaced it on the stack.
static struct expr *return_address(struct loc loc, struct di_module *m)
{
	struct di_location at = di_return_address(m), slot = at;
	struct expr *now = word(loc, m, at, "return address"), *call, *where;

	if (!now || di_is_user(m) || slot.ops.n < 2 || slot.ops.at[slot.ops.n - 1].code != DI_OP_LOAD)
		return now;
	slot.ops.n--;
	where = word(loc, m, slot, "address of the return address");
	call = expr_new(E_CALL, loc);
	call->u.call.name = "__returns_to";
	vec_push(&call->u.call.args, where);
	vec_push(&call->u.call.args, now);
	return call;
}

static struct expr *return_address_equals(struct loc loc, struct di_module *m, uint64_t address)
{
	struct di_location there = { .kind = DI_LOC_VALUE };
	struct di_op op = { .code = DI_OP_STATIC, .value = address };
	struct expr *l = return_address(loc, m), *r;

	vec_push(&there.ops, op);
	r = word(loc, m, there, "caller");
	return l && r ? expr_binary(loc, TOK_EQ, l, r) : NULL;
}

void dwarf_point_guard(struct probe *p, const struct di_function *f, bool is_return)
{
	struct expr *c = NULL;
	struct stmt *guarded;

	if (!f->returns || !p->body)
		return;
	for vec_each(&f->returns->at, address) {
		struct expr *one = return_address_equals(p->loc, f->module, *address);

		if (one)
			one->type = T_LONG;
		c = c && one ? expr_binary(p->loc, TOK_OROR, c, one) : one;
	}
	if (c && is_return) {
		struct expr *entry = expr_new(E_ENTRY, p->loc);

		entry->u.entry.e = c;
		c = entry;
	}
	guarded = stmt_new(S_IF, p->loc);
	guarded->u.if_.c = c;
	guarded->u.if_.then = p->body;
	if (c)
		p->body = guarded;
}

// ---------------------------------------------------------------- variables

void dwarf_names(const struct di_function *f, bool is_return, target_names *out)
{
	name_list all = { 0 }, parameters = { 0 };
	struct di_location loc;
	struct di_type *type = is_return ? di_return(f, &loc) : NULL;
	struct target_name n = { "return", type ? type->name : NULL, TARGET_RETURN };

	if (type)
		vec_push(out, n);
	di_variable_names(f, false, &all);
	di_variable_names(f, true, &parameters);
	for vec_each(&all, name) {
		struct di_variable v;

		if (!di_find_variable(f, *name, &v))
			continue;
		n = (struct target_name){ *name, v.type->name, str_in_list(&parameters, *name) ? TARGET_PARAMETER : TARGET_LOCAL };
		vec_push(out, n);
	}
}

// If a program has no debuginfo, $return is the value of the register, like returnval().
static struct expr *untyped_return(const struct di_function *f, struct expr *target)
{
	enum { RESULT = 0, RESULT_BYTES = 8 };     // rax and x0 have the number 0 in DWARF
	struct expr *e = expr_new(E_REGISTER, target->loc);

	// The text is the same for all functions of a pattern, so that it is printed once
	diag_warning(target->loc, "types of results are unknown in %s: $return is the whole register; %s",
		     di_module_name(f->module), di_advice(f->module));
	e->type = T_LONG;
	e->u.reg.number = RESULT;
	e->u.reg.size = RESULT_BYTES;
	return e;
}

static struct expr *return_value(const struct di_function *f, bool is_return, struct expr *target)
{
	struct di_variable v = { .name = "$return" };

	if (!is_return) {
		diag_error(target->loc, "$return is available only in .return probes");
		return NULL;
	}
	v.type = di_return(f, &v.loc);
	if (v.type)
		return target_variable(target->loc, &v);
	if (f->has_types)
		diag_error(target->loc, "the function \"%s\" returns nothing", f->name);
	else if (di_is_user(f->module))
		return untyped_return(f, target);
	else
		diag_error(target->loc, "the return type of \"%s\" cannot be determined: %s; use returnval() for the "
			   "value of the register",
			   f->name, di_advice(f->module));
	return NULL;
}

static struct expr *report_no_location(const struct di_function *f, const struct di_location *loc, struct expr *target)
{
	const char *name = target->u.target.name, *why = loc->why;
	int line = !diag_prints() ? 0 : di_variable_line(f, name);

	if (line)
		diag_error(target->loc, "\"$%s\" %s at this address of \"%s\"%s%s%s; it can be read at line %d: "
			   "statement(\"%s@%s:%d\")",
			   name, why ? "cannot be read" : "was optimised out", f->name, why ? " (" : "", why ? why : "",
			   why ? ")" : "", line, f->name, f->file, line);
	else if (why)
		diag_error(target->loc, "\"$%s\" cannot be read in this copy of \"%s\": %s", name, f->name, why);
	else
		diag_error(target->loc, "\"$%s\" was optimised out of this copy of \"%s\"", name, f->name);
	return NULL;
}

struct source_line dwarf_source_line(const struct di_function *f)
{
	if (!f->file)
		return (struct source_line){ 0 };
	return (struct source_line){ .directory = di_compile_directory(f), .file = f->file, .line = f->line };
}

// Returns whether a variable is a parameter at the location that the calling convention defines for the entry of a
// function.
bool dwarf_by_convention(const struct di_function *f, const char *name)
{
	struct di_variable v;

	if (!strcmp(name, "return"))
		return true;
	return !f->pc && !f->is_inline && di_find_variable(f, name, &v) && v.is_param && v.loc.kind == DI_LOC_VALUE &&
		v.loc.ops.n == 1 && v.loc.ops.at[0].code == DI_OP_REG;
}

// Returns why variables of a function are unknown.
static const char *lacks_types(const struct di_function *f)
{
	if (di_is_user(f->module))
		return str_printf("%s has no DWARF debuginfo for this function; %s", di_module_name(f->module),
				  di_advice(f->module));
	return str_printf("%s does not describe its parameters, or has several functions of this name; %s",
			  di_module_source_text(f->module), di_advice(f->module));
}

const char *dwarf_unknown_names(const struct di_function *f, unsigned kinds, bool *error)
{
	enum di_source source = di_module_source(f->module);

	*error = f->has_types || source <= DI_SOURCE_SYMBOLS;
	if (*error && !f->has_types)
		return lacks_types(f);
	if (!f->has_types)
		return str_printf("%s does not describe all of its functions", di_module_source_text(f->module));
	return source == DI_SOURCE_BTF && kinds == 1u << TARGET_LOCAL ?
		str_printf("BTF describes parameters, not local variables; %s", di_advice(f->module)) : NULL;
}

struct expr *dwarf_target(const struct di_function *f, bool is_return, struct expr *target)
{
	const char *name = target->u.target.name, *where = str_printf("\"%s\"", f->name);
	name_list names = { 0 };
	struct di_variable v;
	int64_t number;

	if (!strcmp(name, "return"))
		return return_value(f, is_return, target);
	if (di_find_variable(f, name, &v) || (di_want_dwarf(f->module) && di_find_variable(f, name, &v)))
		return v.loc.kind == DI_LOC_NONE ? report_no_location(f, &v.loc, target) : target_variable(target->loc, &v);
	if (!f->has_types)
		return target_not_found(target, where, str_printf(": %s", lacks_types(f)));
	if (di_function_enumerator(f, name, &number))
		return expr_number(target->loc, number);
	di_variable_names(f, false, &names);
	if (is_return)
		vec_push(&names, "return");
	return target_not_found(target, where, target_similar(name, &names));
}
