/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --merge: the globals that hosts add to, in the program with the probes that run once. It reads the hosts' streams
 * from stap (include/hosts.h), adds what they have added to the globals, and prints the text of their probes in whole
 * lines. Hosts may be hostile: each length and index is checked, and a host whose stream is invalid is ignored from
 * then on.
 *
 * Everything is applied between handlers, so that these see the whole of what a host has sent at one moment.
 */
#define _GNU_SOURCE
#include "../user/user.h"
#include "../user/event_probes.h"
#include "../user/mapped_files.h"
#include "../core/internal.h"
#include "../core/map.h"
#include "../core/record_items.h"
#include "../include/hosts.h"
#include "../include/leb128.h"
#include "../include/records.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MERGED_MAX 1024u               /* maximum number of globals that a host may describe */
#define NAME_MAX_BYTES 512u
#define CHUNKS_AT_ONCE 64              /* number of chunks after which timers run */
#define HOST_NAME_BYTES 65u             /* size of the name of a host, __NEW_UTS_LEN + 1 */
#define PIECE_MAX (PLAT_RECORD_MAX / 2)        /* bytes of a line that are printed at once */
#define FILES_MAX 4096u                /* as in user/mapped_files.c */
#define FILE_FRAME_MAX (PATH_MAX + 256u)
#define LINE_MAX_BYTES (1u << 20)      /* a longer line is printed in parts */

struct bytes { char *at; u64 len, size; };

/* Words of a statistic that have arrived before the rest of it. id 0: unused. */
struct split { u64 id; struct bytes words; };
struct word { u64 index; s64 value; };

#define SPLITS_MAX 16u                 /* each host; the oldest one is dropped, since its statistic was lost */
#define SPLIT_WORDS_MAX 65536u         /* number of words of one of them */

/* A global as described by a host. merged: 1 + its index in stp_merged_globals; 0: it is not there, and is
 * skipped. */
struct described { u32 merged; u8 type, nkeys, keys[STP_MAX_KEYS]; };

struct host {
	struct bytes frames;               /* bytes of its stream that are not a whole frame yet */
	struct bytes line;                 /* a line that it has printed and that is not complete yet */
	struct described globals[MERGED_MAX];      /* globals, by the index that the host uses for them */
	char name[HOST_NAME_BYTES];        /* its nodename */
	struct split splits[SPLITS_MAX];
	u32 next_split;
	u32 files;                         /* number of files of call stacks that it has described */
	u64 scanned;                       /* number of bytes in `frames` that armed() has examined */
	bool ended, invalid, armed;
	bool complete;                     /* its session has ended without an error; not only its stream has ended */
};

static struct host *hosts;
static struct stp_hosts known;         /* n is 0 until it was read */
static struct bytes input;
static bool at_end;                    /* the input has ended: all hosts have ended */
static bool begun;                     /* begin probes have run, so data from hosts is applied */
static bool stopping;

static void out_of_memory(void)
{
	fprintf(stderr, "%s not enough memory for the data that the hosts send\n", user_error_label);
	exit(1);
}

static void append(struct bytes *b, const void *from, u64 len)
{
	if (b->size - b->len < len) {
		b->size = 2 * (b->len + len);
		b->at = realloc(b->at, b->size);
		if (!b->at)
			out_of_memory();
	}
	memcpy(b->at + b->len, from, len);
	b->len += len;
}

static void drop_first(struct bytes *b, u64 n)
{
	b->len -= n;
	memmove(b->at, b->at + n, b->len);
}

/* ------------------------------------------------------------------ fields */

struct reader { const u8 *at, *end; bool invalid; };

static u64 number(struct reader *r)
{
	u64 n;

	r->invalid |= !stp_leb128_read(&r->at, r->end, &n);
	return n;
}

static s64 signed_number(struct reader *r)
{
	return stp_leb128_signed(number(r));
}

static u8 byte(struct reader *r)
{
	if (r->at < r->end)
		return *r->at++;
	r->invalid = true;
	return 0;
}

/* Returns len bytes, or NULL. */
static const char *bytes_of(struct reader *r, u64 len)
{
	const char *at = (const char *)r->at;

	if (len > (u64)(r->end - r->at)) {
		r->invalid = true;
		return NULL;
	}
	r->at += len;
	return at;
}

/* Copies a text into `to`, truncated to its size. */
static void text(struct reader *r, char *to, u32 size)
{
	u64 len = number(r);
	const char *at = bytes_of(r, len);

	if (!at)
		len = 0;
	else if (len >= size)
		stp_cut(STP_LOSS_STRINGS, "a string of a host was cut at MAXSTRINGLEN");
	len = len < size ? len : size - 1;
	memcpy(to, at ? at : "", len);
	to[len] = 0;
}

/* ------------------------------------------------------------------ globals */

static const struct stp_map *map_of(const struct stp_described_global *g)
{
	return g->kind == STP_TAKE_MAP ? g->at : NULL;
}

static u8 type_of(const struct stp_described_global *g)
{
	return g->kind == STP_TAKE_MAP ? map_of(g)->value : g->kind == STP_TAKE_STAT ? STP_STATS :
		g->kind == STP_TAKE_STRING ? STP_STRING : STP_LONG;
}

static bool is_same(const struct stp_described_global *g, const char *name, const struct described *d)
{
	const struct stp_map *m = map_of(g);

	return !strcmp(g->name, name) && type_of(g) == d->type && (m ? m->nkeys : 0) == d->nkeys &&
		(!m || !memcmp(m->keys, d->keys, d->nkeys));
}

/* Handles GLOBAL: finds the global with that name and the same types in this program. */
static void describe(struct reader *r, struct host *h)
{
	struct described d = { 0 };
	u64 index = number(r);
	char name[NAME_MAX_BYTES], label[NAME_MAX_BYTES];
	u32 i;

	text(r, name, sizeof(name));
	text(r, label, sizeof(label));
	d.type = byte(r);
	d.nkeys = (u8)number(r);
	r->invalid |= d.nkeys > STP_MAX_KEYS || index >= MERGED_MAX || d.type < STP_LONG || d.type > STP_STATS;
	for (i = 0; i < d.nkeys && !r->invalid; i++)
		d.keys[i] = byte(r);
	if (r->invalid)
		return;
	for (i = 0; i < stp_nmerged_globals; i++)
		if (is_same(&stp_merged_globals[i], name, &d))
			d.merged = i + 1;
	h->globals[index] = d;
}

static void skip_text(struct reader *r)
{
	bytes_of(r, number(r));
}

/* Skips the data of a global that this program does not have. */
static void skip(struct reader *r, const struct described *d)
{
	u64 words;
	u32 i;

	for (i = 0; i < d->nkeys; i++)
		if (d->keys[i] == STP_STRING)
			skip_text(r);
		else
			number(r);
	if (d->type == STP_STRING) {
		skip_text(r);
	} else if (d->type == STP_LONG) {
		number(r);
	} else {
		number(r);
		for (words = number(r); words && !r->invalid; words--) {
			number(r);
			number(r);
		}
		number(r);
	}
}

static void read_keys(struct reader *r, const struct stp_map *m, union stp_val *keys)
{
	static char *texts;
	u32 size = stp_module.limits.string_len, k;

	if (!texts)
		texts = malloc((u64)size * STP_MAX_KEYS);
	r->invalid |= !texts;
	for (k = 0; k < m->nkeys && !r->invalid; k++) {
		if (m->keys[k] == STP_STRING) {
			keys[k].s = texts + (u64)size * k;
			text(r, texts + (u64)size * k, size);
		} else {
			keys[k].n = signed_number(r);
		}
	}
}

static struct split *split_of(struct host *h, u64 id)
{
	u32 i;

	for (i = 0; i < SPLITS_MAX; i++)
		if (h->splits[i].id == id)
			return &h->splits[i];
	return NULL;
}

static void read_words(struct reader *r, struct host *h)
{
	u64 id = number(r), used = number(r);
	struct split *s = id ? split_of(h, id) : NULL;
	struct word w;

	if (!s) {
		s = &h->splits[h->next_split++ % SPLITS_MAX];
		s->id = id;
		s->words.len = 0;
	}
	r->invalid |= !id || used > SPLIT_WORDS_MAX || s->words.len / sizeof(w) + used > SPLIT_WORDS_MAX;
	for (; used && !r->invalid; used--) {
		w.index = number(r);
		w.value = signed_number(r);
		append(&s->words, &w, sizeof(w));
	}
}

/* Completes a statistic of n words by those that have arrived before. Those of a lost record are missing. */
static void take_words(struct reader *r, struct host *h, s64 *words, u64 n)
{
	u64 id = number(r), i;
	struct split *s = id ? split_of(h, id) : NULL;
	const struct word *w;

	if (!s)
		return;
	w = (const struct word *)s->words.at;
	for (i = 0; i < s->words.len / sizeof(*w); i++)
		if (w[i].index < n)
			words[w[i].index] = w[i].value;
	s->id = 0;
}

/* Reads a statistic of the same shape as the global's. Returns NULL if it has another shape. */
static const struct stp_stat *read_stat(struct reader *r, struct host *h, const struct stp_stat_desc *d)
{
	static s64 *words;
	static u32 size;
	u64 n = number(r), used = number(r), index;

	if (n != d->size / 8 || used > n) {
		r->invalid = true;
		return NULL;
	}
	if (size < d->size) {
		size = d->size;
		words = realloc(words, size);
	}
	if (!words)
		return NULL;
	memset(words, 0, d->size);
	for (; used && !r->invalid; used--) {
		index = number(r);
		if (index >= n) {
			r->invalid = true;
			return NULL;
		}
		words[index] = signed_number(r);
	}
	take_words(r, h, words, n);
	return r->invalid ? NULL : (const struct stp_stat *)words;
}

static void merge_scalar(struct reader *r, struct host *h, const struct stp_described_global *g)
{
	struct stp_scalar_stat *s = g->at;
	const struct stp_stat *stat;
	s64 n;

	if (g->kind == STP_TAKE_STAT) {
		stat = read_stat(r, h, &s->desc);
		if (stat)
			stp_stat_merge((struct stp_stat *)(stp_session.percpu[0] + s->offset), stat, &s->desc);
		return;
	}
	n = signed_number(r);
	if (r->invalid || g->kind != STP_TAKE_LONG)
		r->invalid = true;
	else if (g->adder)
		*(u64 *)(stp_session.percpu[0] + g->offset) += (u64)n;
	else
		*(u64 *)g->at += (u64)n;
}

static void *element(struct stp_ctx *c, struct stp_map *m, const union stp_val *keys)
{
	if (m->percpu && m->value == STP_STATS)
		return stp_pmap_put(c, m, keys);
	if (m->percpu)
		stp_map_merge(c, m);
	return stp_map_put(c, m, keys);
}

/* All fields are read before the array changes. */
static void merge_element(struct reader *r, struct stp_ctx *c, struct host *h, struct stp_map *m, bool is_set)
{
	static char *string;
	union stp_val keys[STP_MAX_KEYS];
	const struct stp_stat *stat = NULL;
	s64 n = 0;
	void *cell;

	if (!string)
		string = malloc(stp_module.limits.string_len);
	read_keys(r, m, keys);
	if (m->value == STP_STATS)
		stat = read_stat(r, h, &m->stat);
	else if (m->value == STP_STRING)
		text(r, string, stp_module.limits.string_len);
	else
		n = signed_number(r);
	if (r->invalid || !string || (m->value == STP_STATS && !stat))
		return;
	cell = element(c, m, keys);
	if (!cell)
		return;
	if (m->value == STP_STATS)
		stp_stat_merge(cell, stat, &m->stat);
	else if (m->value == STP_STRING)
		stp_copy(cell, string, stp_module.limits.string_len);
	else
		*(u64 *)cell = is_set ? (u64)n : *(u64 *)cell + (u64)n;
}

static void merge(struct reader *r, struct stp_ctx *c, struct host *h, bool is_set)
{
	u64 index = number(r);
	const struct stp_described_global *g;

	if (r->invalid || index >= MERGED_MAX || !h->globals[index].type) {
		r->invalid = true;
		return;
	}
	if (!h->globals[index].merged) {
		skip(r, &h->globals[index]);
		return;
	}
	g = &stp_merged_globals[h->globals[index].merged - 1];
	if (g->kind == STP_TAKE_MAP)
		merge_element(r, c, h, g->at, is_set);
	else
		merge_scalar(r, h, g);
}

/* ------------------------------------------------------------------ text */

/* Prints text of at most PIECE_MAX bytes after a prefix. In a record, the name of the host precedes it. */
static void print_piece(struct stp_ctx *c, const struct host *h, const char *prefix, const char *piece, u32 len)
{
	u32 name = (u32)strlen(h->name), before = (u32)strlen(prefix), all = before + len;
	char *at;

	if (!stp_module.records) {
		stp_print(c, prefix, before);
		stp_print(c, piece, len);
		return;
	}
	at = stp_item_begin(c, 2 + STP_NUMBER_MAX + name + (u32)sizeof(all) + all);
	if (!at)
		return;
	at = stp_put_text(stp_put_byte(at, STP_ITEM_HOST), h->name, name);
	at = stp_put_byte(at, STP_ITEM_TEXT);
	memcpy(at, &all, sizeof(all));
	memcpy(at + sizeof(all), prefix, before);
	memcpy(at + sizeof(all) + before, piece, len);
	stp_private(c)->out = at + sizeof(all) + all;
}

static void print_line(struct stp_ctx *c, const struct host *h, const char *line, u64 len)
{
	char prefix[16] = "";
	u32 n;

	if (known.prefix)
		snprintf(prefix, sizeof(prefix), "%u: ", (u32)(h - hosts));
	for (; len; len -= n, line += n, *prefix = 0) {
		n = (u32)(len < PIECE_MAX ? len : PIECE_MAX);
		print_piece(c, h, prefix, line, n);
	}
}

static void print_text(struct stp_ctx *c, struct host *h, const char *from, u64 len)
{
	u64 begun = h->line.len, at = 0;
	const char *end;

	append(&h->line, from, len);
	while ((end = memchr(h->line.at + begun, '\n', h->line.len - begun)) || h->line.len - at > LINE_MAX_BYTES) {
		begun = end ? (u64)(end - h->line.at) + 1 : h->line.len;
		print_line(c, h, h->line.at + at, begun - at);
		at = begun;
	}
	drop_first(&h->line, at);
}

static void finish_line(struct stp_ctx *c, struct host *h)
{
	if (h->line.len)
		print_text(c, h, "\n", 1);
}

static void read_text(struct reader *r, struct stp_ctx *c, struct host *h)
{
	u32 len;
	const char *at = bytes_of(r, sizeof(len));

	if (!at)
		return;
	memcpy(&len, at, sizeof(len));
	at = bytes_of(r, len);
	if (at && len)
		print_text(c, h, at, len);
}

/* ------------------------------------------------------------------ frames */

static void read_head(struct reader *r)
{
	number(r);
	number(r);
	number(r);
}

static void read_items(struct stp_ctx *c, struct host *h, const char *at, u32 len)
{
	struct reader r = { (const u8 *)at, (const u8 *)at + len };

	while (r.at < r.end && !r.invalid) {
		switch (byte(&r)) {
		case STP_ITEM_HEAD: read_head(&r); break;
		case STP_ITEM_TEXT: read_text(&r, c, h); break;
		case STP_ITEM_GLOBAL: describe(&r, h); break;
		case STP_ITEM_ADDED: merge(&r, c, h, false); break;
		case STP_ITEM_ASSIGNED: merge(&r, c, h, true); break;
		case STP_ITEM_WORDS: read_words(&r, h); break;
		default: r.invalid = true;
		}
	}
	if (!r.invalid)
		return;
	h->invalid = h->ended = true;
	fprintf(stderr, "%s host %u sent invalid data; it is ignored from here on\n", user_warning_label, (u32)(h - hosts));
}

/* Runs fn as the handler of an end probe, whose context can also be used after exit(). */
static void in_context(struct host *h, void (*fn)(struct stp_ctx *c, struct host *h))
{
	struct stp_ctx *c = &stp_session.exclusive->c;

	c->probe = NULL;
	c->work = 1ll << 60;
	stp_private(c)->busy = 1;
	fn(c, h);
	stp_handler_finish(stp_private(c));
	stp_private(c)->busy = 0;
}

/* Reads the first frame of a stream. */
static void read_start(struct host *h, const char *at, u32 len)
{
	struct reader r = { (const u8 *)at, (const u8 *)at + len };

	bytes_of(&r, sizeof(struct stp_stream_start));
	skip_text(&r);
	text(&r, h->name, sizeof(h->name));
	if (r.invalid)
		h->name[0] = 0;
}

/* Passes the build ID of a file on, with the name of the host. Paths and IDs are limited as in mapped_files.c. */
static void read_file(struct host *h, const char *at, u32 len)
{
	struct reader r = { (const u8 *)at, (const u8 *)at + len };
	u32 name = (u32)strlen(h->name);
	char frame[FILE_FRAME_MAX + 1 + HOST_NAME_BYTES];

	skip_text(&r);
	number(&r);
	skip_text(&r);
	number(&r);
	if (r.invalid || r.at != r.end || len > FILE_FRAME_MAX || !name || h->files == FILES_MAX)
		return;
	h->files++;
	memcpy(frame, at, len);
	frame[len] = (char)name;               /* lengths below 128 take one byte */
	memcpy(frame + len + 1, h->name, name);
	user_frame(STP_FRAME_FILE, frame, len + 1 + name);
}

/* The lines of call stacks are from hosts, whose files are not those of this one. */
void mapped_files_find(const void *items, size_t len, void (*emit)(const void *payload, size_t len))
{
}

/* Reads the end of a stream. stap reports a host whose script has failed; the others continue. */
static void read_end(struct host *h, const char *at, u32 len)
{
	struct stp_frame_end end = { .status = EXIT_FAILURE };

	if (len >= sizeof(end))
		memcpy(&end, at, sizeof(end));
	h->ended = true;
	h->complete = end.status != EXIT_FAILURE;
}

static void read_frames(struct stp_ctx *c, struct host *h)
{
	struct stp_frame frame;
	u64 at = 0;

	while (!h->invalid && h->frames.len - at >= sizeof(frame)) {
		memcpy(&frame, h->frames.at + at, sizeof(frame));
		if (frame.len > STP_FRAME_MAX) {
			read_items(c, h, "", 1);       /* reports the error */
			break;
		}
		if (h->frames.len - at - sizeof(frame) < frame.len)
			break;
		at += sizeof(frame);
		if (frame.kind == STP_FRAME_START)
			read_start(h, h->frames.at + at, frame.len);
		if (frame.kind == STP_FRAME_RECORD)
			read_items(c, h, h->frames.at + at, frame.len);
		if (frame.kind == STP_FRAME_FILE)
			read_file(h, h->frames.at + at, frame.len);
		if (frame.kind == STP_FRAME_END)
			read_end(h, h->frames.at + at, frame.len);
		at += frame.len;
	}
	drop_first(&h->frames, h->invalid ? h->frames.len : at);
}

static void notify(enum stp_hosts_notice_kind kind, u32 host)
{
	struct stp_hosts_notice notice = { .kind = kind, .host = host };

	if (write(STP_HOSTS_OUT, &notice, sizeof(notice)) != sizeof(notice))
		at_end = true;                 /* stap has ended */
}

/* Before begin probes: checks whether the host has armed its probes, or ended. Its frames are applied later. */
static void scan_frames(struct host *h)
{
	struct stp_frame frame;

	while (h->frames.len - h->scanned >= sizeof(frame)) {
		memcpy(&frame, h->frames.at + h->scanned, sizeof(frame));
		if (h->frames.len - h->scanned - sizeof(frame) < frame.len)
			break;
		h->scanned += sizeof(frame) + frame.len;
		if (frame.kind == STP_FRAME_ARMED && !h->armed)
			notify(STP_HOSTS_ARMED, (u32)(h - hosts));
		h->armed |= frame.kind == STP_FRAME_ARMED || frame.kind == STP_FRAME_END || frame.len > STP_FRAME_MAX;
	}
}

static void host_ended(struct host *h)
{
	u32 i, running = 0;

	in_context(h, finish_line);
	for (i = 0; i < known.n; i++)
		running += !hosts[i].ended;
	if (!running || (h->complete && !known.all))
		stp_session_exit();
}

static void read_chunk(u32 number, const char *at, u32 len)
{
	struct host *h = &hosts[number];
	bool ended = h->ended;

	if (!len)
		h->ended = true;
	if (!h->invalid)
		append(&h->frames, at, len);
	if (!begun) {
		scan_frames(h);
		h->armed |= h->ended;
		return;
	}
	in_context(h, read_frames);
	if (h->ended && !ended)
		host_ended(h);
}

static bool all_armed(void)
{
	u32 i, n = 0;

	for (i = 0; hosts && i < known.n; i++)
		n += hosts[i].armed;
	return hosts && n == known.n;
}

/* Applies the data that hosts have sent before begin probes ran. */
static void catch_up(void)
{
	u32 i;

	begun = true;
	for (i = 0; hosts && i < known.n; i++) {
		in_context(&hosts[i], read_frames);
		if (hosts[i].ended)
			host_ended(&hosts[i]);
	}
}

/* ------------------------------------------------------------------ the input */

static void begin(void)
{
	memcpy(&known, input.at, sizeof(known));
	drop_first(&input, sizeof(known));
	hosts = calloc(known.n ? known.n : 1, sizeof(*hosts));
	if (!hosts)
		out_of_memory();
}

static void read_chunks(void)
{
	struct stp_hosts_chunk chunk;
	u64 at = 0;

	if (!hosts && input.len >= sizeof(known))
		begin();
	while (hosts && input.len - at >= sizeof(chunk)) {
		memcpy(&chunk, input.at + at, sizeof(chunk));
		if (input.len - at - sizeof(chunk) < chunk.len)
			break;
		at += sizeof(chunk);
		if (chunk.host < known.n)
			read_chunk(chunk.host, input.at + at, chunk.len);
		else if (chunk.host == STP_HOSTS_STATE)
			user_frame(STP_FRAME_HOSTS, input.at + at, chunk.len);
		else if (chunk.host == STP_HOSTS_WARNING)
			user_frame(STP_FRAME_WARNING, input.at + at, chunk.len);
		else if (chunk.host == STP_HOSTS_STATUS && chunk.len == sizeof(user_hosts_status))
			memcpy(&user_hosts_status, input.at + at, chunk.len);
		at += chunk.len;
	}
	drop_first(&input, at);
}

/* Returns false if there is nothing to read at this time. */
static bool read_some(void)
{
	char some[STP_HOSTS_CHUNK_MAX];
	ssize_t n = read(STP_HOSTS_IN, some, sizeof(some));

	if (n < 0 && errno == EINTR)
		return true;
	if (n == 0 || (n < 0 && errno != EAGAIN))
		at_end = true;
	if (n <= 0)
		return false;
	append(&input, some, (u64)n);
	read_chunks();
	return true;
}

int event_probes_open(void)
{
	fcntl(STP_HOSTS_IN, F_SETFD, FD_CLOEXEC);
	fcntl(STP_HOSTS_OUT, F_SETFD, FD_CLOEXEC);
	return fcntl(STP_HOSTS_IN, F_SETFL, O_NONBLOCK);
}

/* Begin probes run and timers start when the probes of all hosts are armed. A signal ends the wait. */
int event_probes_drop_capabilities(void)
{
	struct pollfd fd = { STP_HOSTS_IN, POLLIN };

	while (!all_armed() && !at_end && ppoll(&fd, 1, NULL, &user_signals) > 0)
		read_some();
	return 0;
}

/* Before begin probes, no data is applied; closing the gate requests the end of the hosts, once. */
void event_probes_enable(bool open)
{
	if (open) {
		catch_up();
	} else if (!stopping) {
		stopping = true;
		notify(STP_HOSTS_STOP, 0);
	}
}

/* The hosts end before end probes run: everything that they have counted until then is in the result. */
void event_probes_finish(void)
{
	if (!begun)
		catch_up();
	user_flush();
	fcntl(STP_HOSTS_IN, F_SETFL, 0);
	while (!at_end)                        /* bounded: stap ends hosts that do not end by themselves, and closes its end */
		read_some();
}

void event_probes_enter(const struct stp_probe *p)
{
}

void event_probes_leave(const struct stp_probe *p)
{
}

int event_probes_fd(void)
{
	return at_end ? -1 : STP_HOSTS_IN;
}

void event_probes_read(void)
{
	u32 left = CHUNKS_AT_ONCE;

	while (left-- && !at_end && !user_stop && read_some())
		;
	if (at_end)
		stp_session_exit();
}

int event_probes_max_wait(void)
{
	return -1;
}
