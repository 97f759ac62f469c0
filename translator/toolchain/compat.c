// SPDX-License-Identifier: GPL-2.0-or-later
// runtime/kernel/compat.def -> stp_config.h: properties of the target kernel, once for each kernel. A row is
//
//   NAME export SYMBOL           Module.symvers has it
//   NAME config CONFIG_X         .config sets it to y or m
//   NAME member STRUCT.FIELD     struct STRUCT of the kernel's headers has a member FIELD
//   NAME params FUNCTION N       the kernel's headers declare FUNCTION with N parameters
//
// and each row that holds becomes "#define NAME 1". The last two kinds read the text of include/linux and
// arch/*/include/asm, which is what the runtime is compiled with: no debug information is needed.
// #if inside a structure is ignored.
#include "target/kernel.h"
#include "toolchain/tools.h"
#include "util/diag.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum row_kind { ROW_EXPORT, ROW_CONFIG, ROW_MEMBER, ROW_PARAMS };

struct row {
	const char *name;
	enum row_kind kind;
	const char *what;          // symbol, option, structure or function
	const char *field;         // ROW_MEMBER
	int params;                // ROW_PARAMS
	bool decided, yes;
};
typedef VEC(struct row) rows;

// ---------------------------------------------------------------- C text

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// Returns the next occurrence of `word` in text that isn't part of a longer word, or NULL.
static const char *find_word(const char *start, const char *text, const char *end, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = text; (p = memmem(p, (size_t)(end - p), word, len)); p++)
		if ((p == start || !is_word(p[-1])) && (p + len == end || !is_word(p[len])))
			return p;
	return NULL;
}

// Returns the character after the bracket that closes the one at p, or NULL if it is not closed.
static const char *skip_brackets(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		depth += *p == '(' || *p == '{' || *p == '[';
		depth -= *p == ')' || *p == '}' || *p == ']';
		if (!depth)
			return p + 1;
	}
	return NULL;
}

static int count_params(const char *open, const char *close)
{
	const char *p = open + 1 + strspn(open + 1, " \t\n");
	int depth = 0, n = 1;

	if (p >= close - 1 || (str_starts(p, "void") && p[4 + strspn(p + 4, " \t\n")] == ')'))
		return 0;
	for (; p < close - 1; p++) {
		depth += *p == '(' || *p == '[';
		depth -= *p == ')' || *p == ']';
		n += *p == ',' && !depth;
	}
	return n;
}

static void search_member(struct row *r, const char *text, const char *end)
{
	const char *p = text, *close;

	while (!r->decided && (p = find_word(text, p, end, r->what))) {
		const char *body = p + strlen(r->what);
		bool defined = p - text >= 7 && memcmp(p - 7, "struct ", 7) == 0
			&& (p - 7 == text || p[-8] == '\n');

		body += strspn(body, " \t\n");
		p++;
		if (!defined || *body != '{' || !(close = skip_brackets(body, end)))
			continue;
		r->decided = true;
		r->yes = find_word(text, body, close, r->field) != NULL;
	}
}

// Returns whether p is in a declaration, which starts in the first column; calls are indented, macros and comments
// start otherwise.
static bool is_declaration(const char *text, const char *p)
{
	const char *line = p;

	while (line > text && line[-1] != '\n')
		line--;
	if (line < p)
		return is_word(*line);
	// Matches "extern int\nfunction(...)".
	for (line = p - 1; line > text && line[-1] != '\n';)
		line--;
	return line < p && line >= text && is_word(*line) && !memchr(line, ';', (size_t)(p - line));
}

static void search_params(struct row *r, const char *text, const char *end)
{
	const char *p = text, *close;

	while (!r->decided && (p = find_word(text, p, end, r->what))) {
		const char *open = p + strlen(r->what);

		if (*open == '(' && is_declaration(text, p) && (close = skip_brackets(open, end))) {
			r->decided = true;
			r->yes = count_params(open, close) == r->params;
		}
		p++;
	}
}

// ---------------------------------------------------------------- the headers

static bool all_decided(const rows *rows)
{
	for (int i = 0; i < rows->n; i++)
		if (!rows->at[i].decided)
			return false;
	return true;
}

static void search_file(const char *path, rows *rows)
{
	size_t len;
	char *text = str_read_file(path, &len);

	for (int i = 0; text && i < rows->n; i++) {
		struct row *r = &rows->at[i];

		if (!r->decided && r->kind == ROW_MEMBER)
			search_member(r, text, text + len);
		else if (!r->decided && r->kind == ROW_PARAMS)
			search_params(r, text, text + len);
	}
}

static void search_dir(const char *dir, rows *rows)
{
	DIR *d = all_decided(rows) ? NULL : opendir(dir);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d))) {
		const char *path = str_printf("%s/%s", dir, e->d_name);

		if (e->d_name[0] == '.')
			continue;
		if (e->d_type == DT_DIR)
			search_dir(path, rows);
		else if (str_ends(path, ".h") && !all_decided(rows))
			search_file(path, rows);
	}
	closedir(d);
}

static void search_headers(const struct kernel *k, rows *rows)
{
	const char *source = kernel_source_tree(k);

	search_dir(str_printf("%s/include/linux", source), rows);
	search_dir(str_printf("%s/arch/%s/include/asm", source, k->source_arch), rows);
}

// ---------------------------------------------------------------- the table

static bool parse_row(char *line, struct row *r)
{
	static const char *const kinds[] = { "export", "config", "member", "params" };
	char *save = NULL, *kind, *what, *more, *dot;
	int64_t params;

	r->name = strtok_r(line, " \t", &save);
	kind = strtok_r(NULL, " \t", &save);
	what = strtok_r(NULL, " \t", &save);
	more = strtok_r(NULL, " \t", &save);
	if (!what)
		return false;
	r->what = what;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kind, kinds[i]))
			continue;
		r->kind = (enum row_kind)i;
		if (r->kind == ROW_PARAMS)
			return more && number_whole(more, 10, 0, 64, &params) && (r->params = (int)params, true);
		dot = strchr(what, '.');
		if (r->kind != ROW_MEMBER)
			return true;
		if (!dot)
			return false;
		*dot = '\0';
		r->field = dot + 1;
		return true;
	}
	return false;
}

static void read_table(struct session *s, rows *rows)
{
	char *path = str_printf("%s/kernel/compat.def", s->runtime_dir);
	char *text = str_read_file(path, NULL), *save = NULL;

	if (!text)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct row r = { 0 };

		line[strcspn(line, "#")] = '\0';
		if (!line[strspn(line, " \t")])
			continue;
		if (!parse_row(line, &r))
			die("%s: the row of \"%s\" is not of the form \"NAME export|config|member|params WHAT\"; reinstall the runtime",
			    path, r.name);
		vec_push(rows, r);
	}
}

char *compat_config(struct session *s)
{
	struct kernel *k = s->kernel;
	rows rows = { 0 };
	struct buf b = { 0 };

	read_table(s, &rows);
	for (int i = 0; i < rows.n; i++) {
		struct row *r = &rows.at[i];
		const char *value;

		if (r->kind == ROW_EXPORT)
			r->decided = true, r->yes = kernel_exports(k, r->what);
		if (r->kind == ROW_CONFIG) {
			value = kernel_config(k, r->what);
			r->decided = true, r->yes = value && strcmp(value, "n");
		}
	}
	search_headers(k, &rows);
	buf_printf(&b, "/* Properties of kernel %s, from kernel/compat.def. */\n", k->release);
	for (int i = 0; i < rows.n; i++)
		if (rows.at[i].yes)
			buf_printf(&b, "#define %s 1\n", rows.at[i].name);
	return buf_text(&b);
}
