// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnostics of the language server: runs passes 1 and 2 and the checks of --lint on a text, and collects their
// messages. Runs in a child process.
#include "server/feature.h"
#include "editor/arguments.h"
#include "editor/lint.h"
#include "foreign/foreign.h"
#include "parse/parse.h"
#include "session/passes.h"

#include <string.h>

enum { SEVERITY_ERROR = 1, SEVERITY_WARNING = 2, SEVERITY_HINT = 4, MAX_DIAGNOSTICS = 200 };

static struct {
	struct json_object *list;
	struct document *doc;
	const struct source *source;
	bool hints;                // the messages are those of --lint
	VEC(int) incomplete;       // lines whose probe points got placeholder arguments; their errors are not reported
	bool late;                 // pass 2 has begun
} check;

// Returns the location in the text from which a location in a macro or a library file was reached; without a source
// if it is in neither.
static struct loc in_document(struct loc loc)
{
	while (loc.source && loc.source != check.source && loc.via)
		loc = *loc.via->at;
	return loc.source == check.source ? loc : (struct loc){ 0 };
}

static const char *location_text(struct loc loc)
{
	return loc.source ? str_printf("%s:%d:%d", loc.source->name, loc.line, loc.column) : "";
}

// Adds a note to the preceding message, and its location as related information.
static void add_note(struct loc loc, const char *text)
{
	size_t n = json_object_array_length(check.list);
	struct json_object *last = n ? json_object_array_get_idx(check.list, n - 1) : NULL, *related, *where;
	const char *uri = loc.source == check.source ? check.doc->uri : loc.source ? path_uri(loc.source->name) : "";

	if (!last)
		return;
	json_with(last, "message", json_string(str_printf("%s\nnote: %s", json_text(last, "message"), text)));
	if (!loc.source || (loc.source != check.source && *loc.source->name != '/'))
		return;
	related = json_member(last, "relatedInformation");
	if (!related)
		json_with(last, "relatedInformation", related = json_object_new_array());
	where = json_with(json_with(json_object_new_object(), "uri", json_string(uri)), "range", loc_range(loc));
	json_object_array_add(related, json_with(json_with(json_object_new_object(), "location", where), "message",
						 json_string(text)));
}

// A warning of pass 2 replaces a warning of --lint about the same name.
static void remove_hint(struct json_object *range)
{
	for (size_t i = json_object_array_length(check.list); i-- > 0; ) {
		struct json_object *o = json_object_array_get_idx(check.list, i);

		if (json_number(o, "severity", 0) == SEVERITY_HINT && json_object_equal(json_member(o, "range"), range))
			json_object_array_del_idx(check.list, i, 1);
	}
}

static void add(int severity, struct loc loc, const char *text)
{
	struct loc at = in_document(loc);
	struct json_object *o = json_object_new_object();

	if (json_object_array_length(check.list) >= MAX_DIAGNOSTICS)
		return;
	if (!at.source && loc.source)
		text = str_printf("%s: at %s", text, location_text(loc));
	json_with(o, "range", loc_range(at));
	if (severity == SEVERITY_WARNING)
		remove_hint(json_member(o, "range"));
	json_with(o, "severity", json_object_new_int(severity));
	json_with(o, "source", json_object_new_string(check.hints ? "stap --lint" : "stap"));
	json_object_array_add(check.list, json_with(o, "message", json_string(text)));
}

static bool is_incomplete(struct loc loc)
{
	for vec_each(&check.incomplete, line)
		if (check.late && *line == in_document(loc).line)
			return true;
	return false;
}

static void on_message(enum diag_severity severity, struct loc loc, const char *text)
{
	if (is_incomplete(loc))
		return;
	switch (severity) {
	case DIAG_ERROR: add(SEVERITY_ERROR, loc, text); break;
	case DIAG_WARNING: add(check.hints ? SEVERITY_HINT : SEVERITY_WARNING, loc, text); break;
	case DIAG_NOTE: add_note(loc, text); break;
	case DIAG_FAILURE:         // a failure of the machine, not an error in the script: for example, a kernel
				   // without debuginfo
		add(SEVERITY_WARNING, (struct loc){ 0 }, text);
		job_answer(check.list);
	}
}

// ---------------------------------------------------------------- the passes

// Collects the lines that have a probe point with a script argument.
static void find_incomplete(const source_token_list *tokens)
{
	int first = 0;

	for vec_each(tokens, t) {
		if (t->kind == TOK_PROBE)
			first = t->loc.line;
		else if (t->kind == TOK_LBRACE)
			first = 0;
		for (int line = first; first && t->argument && line <= t->loc.line; line++)
			vec_push(&check.incomplete, line);
	}
}

struct source *feature_source(struct request *r, const char *text, size_t len)
{
	struct session *s = r->s;
	struct source *source = session_source(s, r->doc->path, text, len);
	source_token_list tokens = { 0 };

	s->opt.guru = true;
	diag_options.verbose = 1;      // collects each message
	source_tokens_read(source, &tokens);
	diag_quiet_push();
	arguments_parse(s, source, &tokens);
	diag_quiet_pop();
	find_incomplete(&tokens);
	return source;
}

struct json_object *check_run(struct request *r)
{
	struct session *s = r->s;

	check.list = json_object_new_array();
	check.doc = r->doc;
	diag_listen(on_message);
	check.source = feature_source(r, r->doc->text, r->doc->len);
	diag_kind("parse");
	if (foreign_refuse(s) || pass_parse(s) + diag_errors())
		return check.list;
	if (!s->script.probe_decls.n) {        // the text is a library file
		parse_report_late(s);
		return check.list;
	}
	check.hints = true;
	lint_check(s);
	check.hints = false;
	r->choose_target(s);
	diag_kind("semantic");
	check.late = true;
	pass_elaborate(s);
	return check.list;
}
