// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the index of the script library: function, global, alias or macro -> files that define it. In: the directories.
// Out: struct library_index.
//
// Files are not parsed for it: their tokens are scanned for names after "function", "global", "probe NAME =" and
// "@define" outside braces, in all branches of conditionals. So a name may be in the index that this kernel's branch
// does not define (the parsed file decides), and a name made only by a macro's expansion is not in it.
//
// The cached index is text: a line for the configuration, one for each directory and file with time and size, and after
// a file one for each name in it. After any change the index is made again.
#include "cache/cache.h"
#include "parse/library.h"
#include "util/str.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Returns the time of the last status change (ctime): it also advances when the modification time is set back.
static long long changed_ns(const struct stat *st)
{
	return (long long)st->st_ctim.tv_sec * 1000000000LL + st->st_ctim.tv_nsec;
}

static struct map *names_of(struct library_index *x, char sort)
{
	switch (sort) {
	case 'f': return &x->functions;
	case 'g': return &x->globals;
	case 'a': return &x->aliases;
	case 'm': return &x->macros;
	case 'p': return &x->privates;
	default: return NULL;
	}
}

static void add_name(struct map *names, const char *name, struct library_file *file)
{
	file_list *list = map_get(names, name);

	if (!list) {
		list = (file_list *)mem_alloc(sizeof(*list));
		map_put(names, name, list);
	}
	if (!list->n || list->at[list->n - 1] != file)
		vec_push(list, file);
}

// ---------------------------------------------------------------- scanning a file

struct scan {
	struct library_index *index;
	struct library_file *file;
	struct lexer lexer;
	struct token t;
	enum tok previous;
	int depth;                 // number of open braces
	VEC(int) outside;          // value of `depth` at each open "%("
};

static void advance(struct scan *s)
{
	s->previous = s->t.kind;
	s->t = lex_next(&s->lexer);
	switch (s->t.kind) {
	case TOK_LBRACE:
		s->depth++;
		break;
	case TOK_RBRACE:
		s->depth -= s->depth > 0;
		break;
	case TOK_COND_IF:
		vec_push(&s->outside, s->depth);
		break;
	case TOK_COND_ELSE: // both branches may open the same brace
		if (s->outside.n)
			s->depth = s->outside.at[s->outside.n - 1];
		break;
	case TOK_COND_END:
		s->outside.n -= s->outside.n > 0;
		break;
	default:
		break;
	}
}

static void found(struct scan *s, char sort, const char *name)
{
	if (*name && !str_is_glob(name))
		add_name(names_of(s->index, sort), name, s->file);
}

static void scan_function(struct scan *s, char sort)
{
	advance(s);
	if (s->t.kind == TOK_IDENT)
		found(s, sort, s->t.text);
}

// NAME {anything but a name} {"," NAME ...}
static void scan_globals(struct scan *s, char sort)
{
	while (s->t.kind == TOK_IDENT) {
		found(s, sort, s->t.text);
		advance(s);
		while (s->t.kind == TOK_MOD || s->t.kind == TOK_LBRACKET || s->t.kind == TOK_RBRACKET ||
		       s->t.kind == TOK_NUMBER || s->t.kind == TOK_STRING || s->t.kind == TOK_ASSIGN ||
		       s->t.kind == TOK_SUB)
			advance(s);
		if (s->t.kind != TOK_COMMA)
			return;
		advance(s);
	}
}

// Returns true if the "{" opens alternatives of a name (names and commas only), and adds its text to the name.
// Otherwise it opens the body, and nothing is read.
static bool scan_braces(struct scan *s, struct buf *name)
{
	struct scan before = *s;
	struct buf text = { 0 };
	int depth = 0;

	do {
		if (!lex_is_word(&s->t) && s->t.kind != TOK_DOT && s->t.kind != TOK_COMMA && s->t.kind != TOK_NUMBER &&
		    s->t.kind != TOK_LBRACE && s->t.kind != TOK_RBRACE)
			break;
		depth += (s->t.kind == TOK_LBRACE) - (s->t.kind == TOK_RBRACE);
		buf_puts(&text, s->t.text);
		if (depth)
			advance(s);
	} while (depth);
	if (depth || !strchr(text.text, ',')) {
		*s = before;
		return false;
	}
	buf_puts(name, text.text);
	return true;
}

// Reads up to the body: the names before each "=" are aliases.
static void scan_probe(struct scan *s)
{
	name_list names = { 0 };
	struct buf name = { 0 };

	for (advance(s); s->t.kind != TOK_EOF; advance(s)) {
		bool ends = s->t.kind == TOK_ASSIGN || s->t.kind == TOK_ADD_ASSIGN;

		if (s->t.kind == TOK_LBRACE && !scan_braces(s, &name))
			return;
		if (lex_is_word(&s->t) || s->t.kind == TOK_DOT || s->t.kind == TOK_MUL)
			buf_puts(&name, s->t.text);
		if (!ends && s->t.kind != TOK_COMMA)
			continue;
		str_braces(&names, buf_text(&name), 1000);
		name = (struct buf){ 0 };
		for (int i = 0; ends && i < names.n; i++)
			found(s, 'a', names.at[i]);
		names.n = ends ? 0 : names.n;
	}
}

static void scan_private(struct scan *s)
{
	advance(s);
	if (s->t.kind == TOK_FUNCTION) {
		scan_function(s, 'p');
		return;
	}
	if (s->t.kind == TOK_GLOBAL)
		advance(s);
	scan_globals(s, 'p');
}

static void scan_file(struct library_index *x, struct library_file *file)
{
	struct source *src = source_read(file->path);
	struct scan s = { .index = x, .file = file };

	if (!src)
		return;
	lex_start(&s.lexer, NULL, src);
	advance(&s);
	while (s.t.kind != TOK_EOF) {
		bool top = !s.depth && s.previous != TOK_DOT && s.previous != TOK_ARROW && !file->macros;

		if (top && s.t.kind == TOK_FUNCTION)
			scan_function(&s, 'f');
		else if (top && s.t.kind == TOK_GLOBAL) {
			advance(&s);
			scan_globals(&s, 'g');
		} else if (top && s.t.kind == TOK_PROBE)
			scan_probe(&s);
		else if (top && s.t.kind == TOK_PRIVATE)
			scan_private(&s);
		else if (file->macros && s.t.kind == TOK_AT_WORD && strcmp(s.t.text, "define") == 0) {
			advance(&s);
			if (lex_is_word(&s.t))
				found(&s, 'm', s.t.text);
		} else {
			advance(&s);
		}
	}
}

// ---------------------------------------------------------------- directories

static int is_directory(const struct dirent *d)
{
	return d->d_name[0] != '.' && (d->d_type == DT_DIR || d->d_type == DT_UNKNOWN);
}

static void add_dir(struct library_index *x, const char *path)
{
	struct library_dir d = { .path = path };
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		d.changed_ns = changed_ns(&st);
	vec_push(&x->dirs, d);
}

// Adds a directory of tapsets for programs, and those in it. Files of the same name in two of them are both used.
static void add_program_dirs(struct library_index *x, const char *path)
{
	struct dirent **list;
	int n;

	add_dir(x, path);
	if (!x->dirs.at[x->dirs.n - 1].changed_ns)
		return;
	vec_push(&x->dirs, (struct library_dir){ .path = "" });
	n = scandir(path, &list, is_directory, alphasort);
	for (int i = 0; i < n; i++) {
		add_program_dirs(x, str_printf("%s/%s", path, list[i]->d_name));
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

// Adds the directories of a root, the most specific first: of two files with the same name below one root the first
// is used.
//   [RUNTIME/] [VERSION/] [ARCH/]   and   arch/ARCH/
// where VERSION is the release, then its shorter prefixes.
static void add_root(struct library_index *x, const struct target_facts *f, const char *root)
{
	const char *runtimes[] = { strcmp(f->runtime, "user") ? "/linux" : "/user", "" };
	VEC(const char *) versions = { 0 };
	char *v = str_dup(f->base);

	vec_push(&versions, str_printf("/%s", f->release));
	for (char *dot = v; dot; dot = strrchr(v, '.')) {
		if (dot != v)
			*dot = '\0';
		vec_push(&versions, str_printf("/%s", v));
	}
	vec_push(&versions, "");
	for (size_t r = 0; r < ARRAY_SIZE(runtimes); r++)
		for vec_each(&versions, version) {
			add_dir(x, str_printf("%s%s%s/%s", root, runtimes[r], *version, f->arch));
			if (!**version && !*runtimes[r])
				add_dir(x, str_printf("%s/arch/%s", root, f->arch));
			add_dir(x, str_printf("%s%s%s", root, runtimes[r], *version));
		}
	vec_push(&x->dirs, (struct library_dir){ .path = "" }); // marks the end of the root
	add_program_dirs(x, str_printf("%s/PATH", root));
}

static void list_roots(struct session *s, struct library_index *x)
{
	struct target_facts f = preproc_facts(s);

	if (s->tapset_dir)
		add_root(x, &f, s->tapset_dir);
	for vec_each(&s->opt.include_dirs, dir)
		add_root(x, &f, *dir);
}

static int is_script(const struct dirent *d)
{
	return d->d_name[0] != '.' && (str_ends(d->d_name, ".stp") || str_ends(d->d_name, ".stpm"));
}

struct seen { struct map names, inodes; }; // names: of one root; inodes: of all roots

static void add_file(struct library_index *x, const char *dir, const char *name, struct seen *seen)
{
	struct library_file *file = NEW(struct library_file);
	struct stat st;
	char *inode;

	file->path = str_printf("%s/%s", dir, name);
	if (stat(file->path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	inode = str_printf("%llx:%llx", (long long)st.st_dev, (long long)st.st_ino);
	if (map_get(&seen->names, name) || map_get(&seen->inodes, inode))
		return;
	map_put(&seen->names, str_dup(name), file);
	map_put(&seen->inodes, inode, file);
	file->size = st.st_size;
	file->changed_ns = changed_ns(&st);
	file->macros = str_ends(name, ".stpm");
	vec_push(&x->files, file);
}

static void list_dir(struct library_index *x, const struct library_dir *dir, struct seen *seen)
{
	struct dirent **list;
	int n;

	if (!*dir->path)
		seen->names = (struct map){ 0 };
	n = dir->changed_ns ? scandir(dir->path, &list, is_script, alphasort) : -1;
	if (n < 0)
		return;
	for (int i = 0; i < n; i++) {
		add_file(x, dir->path, list[i]->d_name, seen);
		free(list[i]);
	}
	free(list);
}

static void make(struct library_index *x)
{
	struct seen seen = { 0 };

	for vec_each(&x->dirs, dir)
		list_dir(x, dir, &seen);
	for vec_each(&x->files, file)
		scan_file(x, *file);
}

// ---------------------------------------------------------------- the cached index

// Returns false if a directory name cannot be written to the index.
static bool find_key(const struct library_index *x, struct cache_key *key)
{
	struct cache_hash *h = cache_hash_new("library 4");
	bool good = true;

	for vec_each(&x->dirs, dir) {
		good = good && !strchr(dir->path, '\n');
		if (*dir->path && *dir->path != '/')
			cache_hash_text(h, directory_here());
		cache_hash_text(h, dir->path);
	}
	*key = cache_hash_end(h);
	return good;
}

static void write_names(struct buf *b, struct library_index *x, const struct library_file *file)
{
	static const char sorts[] = "fgamp";

	for (const char *sort = sorts; *sort; sort++)
		for map_each(names_of(x, *sort), e) {
			const file_list *list = e->value;

			for vec_each(list, f)
				if (*f == file)
					buf_printf(b, "%c %s\n", *sort, e->key);
		}
}

// Compares all names with each file, which is slow; this happens only after the library has changed.
static void save(struct session *s, struct library_index *x, const struct cache_key *key)
{
	struct buf b = { 0 };

	for vec_each(&x->dirs, dir)
		buf_printf(&b, "D %lld %s\n", dir->changed_ns, dir->path);
	for vec_each(&x->files, file) {
		if (strchr((*file)->path, '\n'))
			return;
		buf_printf(&b, "F %lld %lld %s\n", (*file)->size, (*file)->changed_ns, (*file)->path);
		write_names(&b, x, *file);
	}
	buf_puts(&b, "end\n");
	cache_put(s, key, ".library", b.text, b.len);
}

// Returns the rest of a line after n numbers.
static bool numbers(char *line, int n, int64_t *out, char **rest)
{
	for (int i = 0; i < n; i++) {
		if (number_signed((const char **)&line, 10, &out[i]) != NUMBER_GOOD || *line != ' ')
			return false;
		line++;
	}
	*rest = line;
	return true;
}

static bool load_dir(const struct library_index *x, int i, char *line)
{
	int64_t changed;
	char *path;

	return i < x->dirs.n && numbers(line, 1, &changed, &path) && changed == x->dirs.at[i].changed_ns &&
	       strcmp(path, x->dirs.at[i].path) == 0;
}

static bool load_file(struct library_index *x, char *line)
{
	struct library_file *file = NEW(struct library_file);
	int64_t n[2];
	struct stat st;
	char *path;

	if (!numbers(line, 2, n, &path) || stat(path, &st) < 0 || st.st_size != n[0] || changed_ns(&st) != n[1])
		return false;
	*file = (struct library_file){ .path = path, .size = n[0], .changed_ns = n[1], .macros = str_ends(path, ".stpm") };
	vec_push(&x->files, file);
	return true;
}

static bool load_line(struct library_index *x, char *line, int *dirs)
{
	struct map *names;

	if (!line[0] || line[1] != ' ')
		return false;
	if (line[0] == 'D')
		return load_dir(x, (*dirs)++, line + 2);
	if (line[0] == 'F')
		return load_file(x, line + 2);
	names = names_of(x, line[0]);
	if (!names || !line[2] || !x->files.n)
		return false;
	add_name(names, line + 2, x->files.at[x->files.n - 1]);
	return true;
}

// Returns false if the index is absent, stale or damaged. The text must stay in memory: names and paths point into
// it.
static bool load(struct library_index *x, char *line)
{
	char *end;
	int dirs = 0;

	for (; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (strcmp(line, "end") == 0)
			return dirs == x->dirs.n;
		if (!load_line(x, line, &dirs))
			return false;
	}
	return false;
}

void library_index_open(struct session *s, struct library_index *x)
{
	struct library_index old = { 0 };
	struct cache_key key;
	bool storable;
	char *text;

	list_roots(s, x);
	storable = find_key(x, &key);
	text = storable ? cache_text(s, &key, ".library", NULL) : NULL;
	old.dirs = (typeof(old.dirs)){ .at = x->dirs.at, .n = x->dirs.n };
	if (text && load(&old, text)) {
		*x = old;
		return;
	}
	make(x);
	if (storable)
		save(s, x, &key);
}
