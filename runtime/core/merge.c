/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --merge, on a host: writes the values that this host has added to globals since the last time, or assigned to
 * them, as items of include/records.h. The translator makes the probes that do so (translator/elab/merge.c): they
 * read and clear each global atomically, so that each addition is sent once. merge/hosts.c reads the items.
 * Context: a handler's.
 */
#include "record_items.h"
#include "map.h"

static const struct stp_map *map_of(u32 global)
{
	const struct stp_described_global *g = &stp_module.records->globals[global];

	return g->kind == STP_TAKE_MAP ? g->at : NULL;
}

static u64 text_size(const char *text)
{
	return STP_NUMBER_MAX + (u64)stp_strlen(text);
}

static char *put_string(char *at, const char *text)
{
	return stp_put_text(at, text, (u64)stp_strlen(text));
}

/* Begins an item whose value takes `size` bytes. Returns the address for the value; or NULL if it is lost, which
 * is counted. */
static char *begin(struct stp_ctx *c, u32 kind, u32 global, const union stp_val *keys, u64 size)
{
	const struct stp_map *m = map_of(global);
	u32 nkeys = m ? m->nkeys : 0, k;
	char *at;

	size += 1 + STP_NUMBER_MAX;
	for (k = 0; k < nkeys; k++)
		size += m->keys[k] == STP_STRING ? text_size(keys[k].s) : STP_NUMBER_MAX;
	if (size > STP_ITEM_MAX) {
		stp_cut(STP_LOSS_UNRECORDED, "the value of a global is too long for a record");
		return NULL;
	}
	at = stp_item_begin(c, (u32)size);
	if (!at)
		return NULL;
	at = stp_put_number(stp_put_byte(at, (u8)kind), global);
	for (k = 0; k < nkeys; k++)
		at = m->keys[k] == STP_STRING ? put_string(at, keys[k].s) : stp_put_signed(at, keys[k].n);
	return at;
}

void stp_send_number(struct stp_ctx *c, u32 global, const union stp_val *keys, s64 n, bool is_set)
{
	char *at = begin(c, is_set ? STP_ITEM_ASSIGNED : STP_ITEM_ADDED, global, keys, STP_NUMBER_MAX);

	if (at)
		stp_private(c)->out = stp_put_signed(at, n);
}

void stp_send_text(struct stp_ctx *c, u32 global, const union stp_val *keys, const char *text)
{
	char *at = begin(c, STP_ITEM_ASSIGNED, global, keys, text_size(text));

	if (at)
		stp_private(c)->out = put_string(at, text);
}

/* ------------------------------------------------------------------ statistics */

#define WORDS_MAX (STP_ITEM_MAX / 4)           /* maximum size of the words of a statistic; more are in other items */
#define PART_MAX 300                           /* maximum number of words of an item WORDS */

/* Writes up to `max` words that are not zero, from *next; sets *next to the word after the last one. */
static char *put_words(char *at, const s64 *words, u32 n, u32 *next, u32 max)
{
	u32 i, used = 0;

	for (i = *next; i < n && used < max; i++)
		used += words[i] != 0;
	n = i;
	at = stp_put_number(at, used);
	for (i = *next; i < n; i++)
		if (words[i])
			at = stp_put_signed(stp_put_number(at, i), words[i]);
	*next = n;
	return at;
}

/* Writes items WORDS. Returns their identifier. */
static u64 split_words(struct stp_ctx *c, const s64 *words, u32 n, u32 next)
{
	u64 id = stp_split_id(c);
	char *at;

	while (next < n) {
		at = stp_item_begin(c, (2 + 2 * PART_MAX) * STP_NUMBER_MAX + 1);
		if (!at)
			break;
		at = stp_put_number(stp_put_byte(at, STP_ITEM_WORDS), id);
		stp_private(c)->out = put_words(at, words, n, &next, PART_MAX);
	}
	return id;
}

/* The item of a large statistic has its count, sum, minimum and maximum only. */
void stp_send_stat(struct stp_ctx *c, u32 global, const union stp_val *keys, const struct stp_stat *s,
		   const struct stp_stat_desc *d)
{
	const u32 head = sizeof(*s) / sizeof(s64);
	const s64 *words = (const s64 *)s;
	u32 n = d->size / 8, size = 0, next = 0, i;
	u64 split = 0;
	char *at;

	if (!s || !stp_charge(c, (u64)n * 2 * STP_WORK_BUCKET))
		return;
	for (i = 0; i < n; i++)
		size += words[i] ? stp_indexed_size(i, words[i]) : 0;
	if (size > WORDS_MAX) {
		split = split_words(c, words, n, head);
		size = 2 * head * STP_NUMBER_MAX;
	}
	at = begin(c, STP_ITEM_ADDED, global, keys, 3 * STP_NUMBER_MAX + size);
	if (!at)
		return;
	at = put_words(stp_put_number(at, n), words, split ? head : n, &next, n);
	stp_private(c)->out = stp_put_number(at, split);
}
