// SPDX-License-Identifier: GPL-2.0-or-later
// A table of the recorded files. The session is not trusted, so that the number of files is limited.
#include "files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { FILES_MAX = 1 << 16, PATH_BYTES_MAX = 4200, HOST_BYTES_MAX = 256 };
enum { KEY_BYTES_MAX = sizeof(uint64_t) + PATH_BYTES_MAX + 1 + HOST_BYTES_MAX };

struct entry {
	UT_hash_handle hh;
	struct recorded_file file;
	char key[];                        // the end of the mapping, the path, a zero byte and the host
};

// Returns the length of the key, or 0 if a part is too long.
static size_t put_key(char *key, const struct file_place *p)
{
	char *at = key;

	if (p->path.len > PATH_BYTES_MAX || p->host.len > HOST_BYTES_MAX)
		return 0;
	at = mempcpy(at, &p->end, sizeof(p->end));
	at = text_copy(at, p->path);
	*at++ = '\0';
	return text_copy(at, p->host) - key;
}

void files_print_id(char *to, const struct build_id *id)
{
	*to = '\0';
	for (unsigned i = 0; i < id->len; i++)
		sprintf(to + 2 * i, "%02x", id->bytes[i]);
}

static struct entry *find(struct entry *all, const struct file_place *p)
{
	struct entry *found = NULL;
	char key[KEY_BYTES_MAX];
	size_t len = put_key(key, p);

	if (len)
		HASH_FIND(hh, all, key, len, found);
	return found;
}

static void add(void **files, const struct file_place *p, struct text id, int64_t bias)
{
	struct entry *all = *files, *new;
	char key[KEY_BYTES_MAX];
	size_t len = put_key(key, p);

	if (!len || HASH_COUNT(all) >= FILES_MAX)
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

bool files_add(void **files, const struct file_place *p, struct text id, int64_t bias)
{
	struct file_place any = { { "", 0 }, p->path, p->end };
	struct entry *known;

	if (!id.len || id.len > sizeof(known->file.id.bytes) || find(*files, p))
		return false;
	add(files, p, id, bias);
	known = find(*files, &any);
	if (!known) {
		add(files, &any, id, bias);
		return false;
	}
	if (known->file.differs || (known->file.id.len == id.len && !memcmp(known->file.id.bytes, id.at, id.len)))
		return false;
	known->file.differs = true;
	return true;
}

struct recorded_file *files_find(void *files, const struct file_place *p)
{
	struct entry *found = find(files, p);

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
