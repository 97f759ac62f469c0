// SPDX-License-Identifier: GPL-2.0-or-later
// textDocument/hover and textDocument/definition.
#include "server/symbol.h"

#include <string.h>

// Returns a symbol as Markdown: the declaration as code, the comment before it, notes.
struct json_object *hover_run(struct request *r)
{
	struct json_object *contents = json_object_new_object(), *o = json_object_new_object();
	struct symbol found;
	struct cursor c;
	struct buf b = { 0 };
	const char *comment;

	cursor_set(&c, r->doc, r->offset);
	symbol_find(r, &c, &found);
	if (!found.text)
		return NULL;
	comment = symbol_comment(found.loc);
	buf_printf(&b, "```systemtap\n%s\n```\n", found.text);
	if (*comment)
		buf_printf(&b, "\n```text\n%s```\n", comment);
	if (found.note)
		buf_printf(&b, "\n```text\n%s%s```\n", found.note, str_ends(found.note, "\n") ? "" : "\n");
	json_with(contents, "kind", json_object_new_string("markdown"));
	json_with(contents, "value", json_string(buf_text(&b)));
	return json_with(json_with(o, "contents", contents), "range", token_range(&c, &c.tokens.at[c.at]));
}

static struct json_object *line_range(int line)
{
	struct json_object *o = json_object_new_object();

	for (const char *const *end = (const char *const []){ "start", "end", NULL }; *end; end++) {
		struct json_object *position = json_with(json_object_new_object(), "line", json_object_new_int(line - 1));

		json_with(o, *end, json_with(position, "character", json_object_new_int(0)));
	}
	return o;
}

struct json_object *definition_run(struct request *r)
{
	struct json_object *o = json_object_new_object();
	struct symbol found;
	struct cursor c;
	bool here;

	cursor_set(&c, r->doc, r->offset);
	symbol_find(r, &c, &found);
	here = found.loc.source && !strcmp(found.loc.source->name, r->doc->path);
	if (here || found.loc.source) {
		json_with(o, "uri", json_string(here ? r->doc->uri : path_uri(found.loc.source->name)));
		return json_with(o, "range", loc_range(found.loc));
	}
	if (!found.file)
		return NULL;
	return json_with(json_with(o, "uri", json_string(path_uri(found.file))), "range", line_range(found.line));
}
