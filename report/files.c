// SPDX-License-Identifier: GPL-2.0-or-later
// A table of the recorded files. The session is not trusted, so that the number of files is limited.
#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { FILES_MAX = 1 << 16, PATH_BYTES_MAX = 4200 };

struct entry {
	UT_hash_handle hh;
	struct recorded_file file;
	char key[];                        // the end of the mapping, and the path
};

// Returns the length of the key, or 0 if the path is too long.
static size_t put_key(char *key, struct text path, uint64_t end)
{
	if (path.len > PATH_BYTES_MAX)
		return 0;
	memcpy(key, &end, sizeof(end));
	memcpy(key + sizeof(end), path.at, path.len);
	return sizeof(end) + path.len;
}

void files_print_id(char *to, const struct build_id *id)
{
	*to = '\0';
	for (unsigned i = 0; i < id->len; i++)
		sprintf(to + 2 * i, "%02x", id->bytes[i]);
}

void files_add(void **files, struct text path, uint64_t end, struct text id, int64_t bias)
{
	struct entry *all = *files, *new;
	char key[sizeof(end) + PATH_BYTES_MAX];
	size_t len = put_key(key, path, end);

	if (!len || !id.len || id.len > sizeof(new->file.id.bytes))
		return;
	if (HASH_COUNT(all) >= FILES_MAX || files_find(all, path, end))
		return;
	new = calloc(1, sizeof(*new) + len);
	if (!new)
		abort();
	memcpy(new->key, key, len);
	memcpy(new->file.id.bytes, id.at, id.len);
	new->file.id.len = id.len;
	new->file.bias = bias;
	files_print_id(new->file.id_text, &new->file.id);
	HASH_ADD_KEYPTR(hh, all, new->key, len, new);
	*files = all;
}

const struct recorded_file *files_find(void *files, struct text path, uint64_t end)
{
	struct entry *all = files, *found = NULL;
	char key[sizeof(end) + PATH_BYTES_MAX];
	size_t len = put_key(key, path, end);

	if (len)
		HASH_FIND(hh, all, key, len, found);
	return found ? &found->file : NULL;
}

void files_free(void **files)
{
	struct entry *all = *files, *at, *next;

	HASH_ITER(hh, all, at, next) {
		HASH_DEL(all, at);
		free(at);
	}
	*files = NULL;
}
