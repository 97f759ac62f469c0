// SPDX-License-Identifier: GPL-2.0-or-later
// Dependencies of a compiled object: the files that it read, and the paths where it searched for a header
// and found none. In: the rules of -MD, the compiler's options. Out: a list, one line each, for the cache:
//
//   F PATH     a file that was read
//   N PATH     not found: a header of this name would have been read instead
//
// If a file changed after the compiler was started, the compiler may have read either text, so nothing is cached:
// times of files are those of CLOCK_REALTIME_COARSE.
#include "cache/cache.h"
#include "toolchain/tools.h"
#include "util/spawn.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------- rules of make

// Parses n backslashes at p. Returns the character after them; *end: whether the word ends there.
static const char *backslashes(const char *p, struct buf *word, bool *end)
{
	size_t n = strspn(p, "\\"), meant = n;
	char next = p[n];

	*end = false;
	// 2n backslashes before a blank stand for n, and the blank ends the name; 2n + 1 stand for n and a blank of the name
	if (next == ' ' || next == '\t') {
		meant = n / 2;
		*end = n % 2 == 0;
	} else if (next == '\n') {             // the last backslash continues the line
		meant = n - 1;
		*end = true;
	} else if (next == '#') {
		meant = n - 1;
	}
	for (size_t i = 0; i < meant; i++)
		buf_putc(word, '\\');
	p += n;
	if (*end)
		return p + (next == '\n');
	if (next == ' ' || next == '\t' || next == '#')
		buf_putc(word, *p++);
	return p;
}

// Parses a word with make's escapes, as compilers write them. Returns the character after it.
static const char *rule_word(const char *p, struct buf *word)
{
	bool end = false;

	while (*p && !end && !strchr(" \t\n", *p)) {
		if (*p == '\\') {
			p = backslashes(p, word, &end);
		} else {
			p += *p == '$' && p[1] == '$';
			buf_putc(word, *p++);
		}
	}
	return p;
}

static char *absolute(const char *dir, const char *path)
{
	return *path == '/' ? str_dup(path) : str_printf("%s/%s", dir, path);
}

void depends_rule(struct depends *d, const char *rule)
{
	for (const char *p = rule; *p;) {
		struct buf word = { 0 };

		p += strspn(p, " \t");
		if (*p == '\n')
			return;
		if (str_starts(p, "$(")) {     // the rule contains kbuild's options, which are empty files
			p += strcspn(p, "\n");
			p += *p == '\n';
			continue;
		}
		p = rule_word(p, &word);
		if (word.len && !(d->own_prefix && str_starts(word.text, d->own_prefix)))
			map_put(&d->files, absolute(d->dir, word.text), d);
	}
}

// ---------------------------------------------------------------- headers that were not found

struct search {
	struct depends *d;
	name_list quoted, angled;      // directories, in their order
	struct map known;              // names that were searched
};

// Lists the compiler's directories, including those that don't exist.
static void list_directories(struct search *x, const arguments *compiler)
{
	const char *env[] = { "LC_ALL=C", NULL };
	struct spawn run = { .dir = x->d->dir, .env = env, .capture = true };
	arguments argv = { 0 };
	name_list *to = NULL;
	char *save = NULL;
	static const char missing[] = "ignoring nonexistent directory \"";
	static const char *const list[] = { "-v", "-E", "-x", "c", "-o", "/dev/null", "/dev/null", NULL };

	for vec_each(compiler, word)
		vec_push(&argv, *word);
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		vec_push(&argv, list[i]);
	run.argv = argv.at;
	if (spawn_run(&run))
		return;
	for (char *line = strtok_r(run.output, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (str_starts(line, missing)) {
			line += strlen(missing);
			line[strcspn(line, "\"")] = '\0';
			map_put(&x->d->absent, absolute(x->d->dir, line), x);
		} else if (str_starts(line, "#include \"...\"")) {
			to = &x->quoted;
		} else if (str_starts(line, "#include <...>")) {
			to = &x->angled;
		} else if (str_starts(line, "End of search list")) {
			to = NULL;
		} else if (to && *line == ' ') {
			vec_push(to, (const char *)absolute(x->d->dir, line + 1));
		}
	}
}

static bool exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

// Adds the path, or the first directory of it that doesn't exist, which would have to be created first.
static void add_absent(struct depends *d, char *path)
{
	for (char *slash; (slash = strrchr(path, '/')) && slash > path; path = str_ndup(path, (size_t)(slash - path))) {
		char *parent = str_ndup(path, (size_t)(slash - path));

		if (map_get(&d->absent, parent))
			return;
		if (map_get(&d->present, parent))
			break;
		if (exists(parent)) {
			map_put(&d->present, parent, d);
			break;
		}
	}
	map_put(&d->absent, path, d);
}

// Returns false if the file exists now. One that the compiler did not read was perhaps created after its search.
static bool is_absent(struct search *x, char *path)
{
	if (map_get(&x->d->files, path))
		return false;
	if (exists(path)) {
		map_put(&x->d->seen, path, x);
		return false;
	}
	add_absent(x->d, path);
	return true;
}

static void search_in(struct search *x, const name_list *dirs, const char *name, bool all, bool *found)
{
	for (int i = 0; i < dirs->n && (all || !*found); i++)
		*found |= !is_absent(x, str_printf("%s/%s", dirs->at[i], name));
}

// Searches a header. includer: the directory of the file that has the name in quotes, else NULL. all: #include_next
// ignores the first.
static void search(struct search *x, const char *includer, const char *name, bool all)
{
	const char *id = str_printf("%s\n%s\n%d", includer ? includer : "", name, all);
	bool found = false;

	if (map_get(&x->known, id))
		return;
	map_put(&x->known, id, x);
	if (*name == '/') {
		is_absent(x, str_dup(name));
		return;
	}
	if (includer)
		found = !is_absent(x, str_printf("%s/%s", includer, name));
	if (includer)
		search_in(x, &x->quoted, name, all, &found);
	search_in(x, &x->angled, name, all, &found);
}

// Searches each <name> and "name" after "include", "include_next" and "has_include(", in all branches of
// conditionals.
static void search_names(struct search *x, const char *path)
{
	char *text = str_read_file(path, NULL), *slash = strrchr(path, '/');
	const char *dir = slash ? str_ndup(path, (size_t)(slash - path)) : ".";

	for (const char *p = text; p && (p = strstr(p, "include"));) {
		bool next;
		size_t len;
		char close;

		p += strlen("include");
		next = str_starts(p, "_next");
		p += next ? strlen("_next") : 0;
		p += strspn(p, " \t");
		p += *p == '(';
		p += strspn(p, " \t");
		close = *p == '<' ? '>' : '"';
		if (*p != '<' && *p != '"')
			continue;
		len = strcspn(++p, close == '>' ? ">\n" : "\"\n");
		if (len && p[len] == close)
			search(x, close == '"' ? dir : NULL, str_ndup(p, len), next);
	}
}

// Searches again for a file that was read under a name which a macro made: the name is the part of the path below the
// longest of the directories.
static void search_file(struct search *x, const char *path)
{
	size_t longest = 0;

	for vec_each(&x->angled, dir) {
		size_t len = strlen(*dir);

		if (str_starts(path, *dir) && path[len] == '/' && len > longest)
			longest = len;
	}
	if (longest)
		search(x, NULL, path + longest + 1, false);
}

static void search_all(struct depends *d, const arguments *compiler, const char *input)
{
	struct search x = { .d = d };

	list_directories(&x, compiler);
	search_names(&x, input);
	for map_each(&d->files, e) {
		search_names(&x, e->key);
		search_file(&x, e->key);
	}
}

// ---------------------------------------------------------------- the list

struct timespec depends_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return now;
}

// The times of some file systems have a resolution of one second.
static bool changed_since(const char *path, struct timespec start)
{
	struct stat st;

	if (stat(path, &st))
		return true;
	if (!st.st_ctim.tv_nsec)
		st.st_ctim.tv_sec++;
	return st.st_ctim.tv_sec > start.tv_sec || (st.st_ctim.tv_sec == start.tv_sec && st.st_ctim.tv_nsec >= start.tv_nsec);
}

char *depends_list(const struct depends *d)
{
	struct buf b = { 0 };

	for map_each(&d->seen, e)
		if (changed_since(e->key, d->start))
			return NULL;
	for map_each(&d->files, e) {
		if (strchr(e->key, '\n') || changed_since(e->key, d->start))
			return NULL;
		buf_printf(&b, "F %s\n", e->key);
	}
	for map_each(&d->absent, e) {
		if (strchr(e->key, '\n'))
			return NULL;
		buf_printf(&b, "N %s\n", e->key);
	}
	return buf_text(&b);
}

// The name of the rule's target; the name of the object could require escapes.
#define TARGET "object"

void depends_options(arguments *argv, const char *rule)
{
	for (const char *const *w = (const char *const[]){ "-MD", "-MT", TARGET, "-MF", rule, NULL }; *w; w++)
		vec_push(argv, *w);
}

char *depends_of(struct session *s, struct depends *d, const arguments *compiler, const char *input, const char *rules)
{
	char *list;

	if (!s->cache_dir || !rules)
		return NULL;
	for (const char *p = rules; p; p = (p = strchr(p, '\n')) ? p + 1 : NULL)
		if (str_starts(p, TARGET ":"))
			depends_rule(d, p + strlen(TARGET ":"));
	search_all(d, compiler, input);
	list = depends_list(d);
	if (!list)
		cache_distrust(s);
	return list;
}

struct cache_key depends_key(const struct cache_key *names, const char *list)
{
	struct cache_hash *h = cache_hash_new("dependencies");

	cache_hash_text(h, names->hex);
	for (const char *p = list, *end; (end = strchr(p, '\n')); p = end + 1) {
		char *path = str_ndup(p + 2, (size_t)(end - p - 2));

		if (*p == 'F')
			cache_hash_file_id(h, path);
		else if (exists(path))
			cache_hash_text(h, path);
	}
	return cache_hash_end(h);
}
