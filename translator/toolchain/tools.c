// SPDX-License-Identifier: GPL-2.0-or-later
// Identifies compilers and linkers, for cache keys: by their paths, as found in $PATH, their sizes and times; and
// by those of the programs that a compiler runs, as it prints them with -print-prog-name. These names are cached under
// a key made from the compiler's file (KEY.programs).
#include "cache/cache.h"
#include "toolchain/tools.h"
#include "util/diag.h"
#include "util/spawn.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Returns the path of a program in $PATH, or `name`.
static const char *find(const char *name)
{
	const char *path = spawn_find(name);

	return path ? path : name;
}

// Adds "path size change-time inode".
static void add_file(struct buf *b, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		buf_printf(b, "%s%s %lld %lld.%09ld %llu", b->len ? " " : "", path, (long long)st.st_size,
			   (long long)st.st_ctim.tv_sec, (long)st.st_ctim.tv_nsec, (unsigned long long)st.st_ino);
}

static char *query_program(const char *compiler, const char *program)
{
	const char *argv[] = { compiler, str_printf("-print-prog-name=%s", program), NULL }, *env[] = { "LC_ALL=C", NULL };
	struct spawn run = { .argv = argv, .env = env, .capture = true };

	return spawn_run(&run) == 0 ? str_ndup(run.output, strcspn(run.output, "\n")) : str_dup("");
}

static const char *programs_of(struct session *s, const char *compiler)
{
	static const char *const names[] = { "cc1", "as", "collect2", "ld" };
	struct cache_hash *h = cache_hash_new("programs");
	struct buf b = { 0 };
	struct cache_key key;
	const char *text;

	cache_hash_file_id(h, compiler);
	key = cache_hash_end(h);
	text = cache_text(s, &key, ".programs", NULL);
	if (text)
		return text;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		buf_printf(&b, "%s\n", query_program(compiler, names[i]));
	cache_put(s, &key, ".programs", b.text, b.len);
	return b.text;
}

const char *tool_id(struct session *s, const char *name)
{
	const char *path = find(name);
	char *programs, *save = NULL;
	struct buf b = { 0 };

	add_file(&b, path);
	if (!b.len)
		return "";
	programs = str_dup(programs_of(s, path));
	for (char *line = strtok_r(programs, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_file(&b, find(line));
	return b.text;
}

char *tool_ids(struct session *s, const char *dir, const arguments *words, bool compiler)
{
	const char *last = NULL;
	struct buf b = { 0 };

	for (int i = 0; i < words->n && words->at[i][0] != '-'; i++) {
		const char *path = find(words->at[i]);

		last = *path == '/' ? path : str_printf("%s/%s", dir, path);
		add_file(&b, last);
	}
	if (compiler && last)
		buf_printf(&b, " %s", tool_id(s, last));
	return buf_text(&b);
}

void cache_hash_directory(struct cache_hash *h)
{
	static const char *const names[] = { "CPATH", "C_INCLUDE_PATH", "COMPILER_PATH", "QUICKTAP_USER_CFLAGS" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (getenv(names[i])) {
			cache_hash_text(h, directory_here());
			return;
		}
}
