// SPDX-License-Identifier: GPL-2.0-or-later
// Strings, a buffer to build them in, similar names, whole files.
#include "util/str.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// Grows the buffer for len more bytes and the zero byte.
static void reserve(struct buf *b, size_t len)
{
	size_t capacity = b->capacity ? b->capacity : 64;
	char *text;

	if (b->len + len + 1 <= b->capacity)
		return;
	while (capacity < b->len + len + 1)
		capacity *= 2;
	text = mem_alloc_text(capacity);
	if (b->len)
		memcpy(text, b->text, b->len);
	b->text = text;
	b->capacity = capacity;
}

void buf_add(struct buf *b, const char *bytes, size_t len)
{
	reserve(b, len);
	if (len)
		memcpy(b->text + b->len, bytes, len);
	b->len += len;
	b->text[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_putc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

// Formats once if the text fits into the memory at hand, otherwise twice.
void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	size_t len, left;

	reserve(b, 0);
	left = b->capacity - b->len;
	va_copy(again, ap);
	len = (size_t)vsnprintf(b->text + b->len, left, fmt, again);
	va_end(again);
	if (len >= left) {
		reserve(b, len);
		vsnprintf(b->text + b->len, len + 1, fmt, ap);
	}
	b->len += len;
}

char *str_vprintf(const char *fmt, va_list ap)
{
	char text[256];
	struct buf b = { .text = text, .capacity = sizeof(text) };

	buf_vprintf(&b, fmt, ap);
	return b.text == text ? str_ndup(text, b.len) : b.text;
}

char *str_printf(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = str_vprintf(fmt, ap);
	va_end(ap);
	return text;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

char *buf_text(struct buf *b)
{
	if (!b->text)
		buf_add(b, "", 0);
	return b->text;
}

char *str_ndup(const char *s, size_t len)
{
	char *copy = mem_alloc_text(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *str_dup(const char *s)
{
	return str_ndup(s, strlen(s));
}

bool str_in_list(const name_list *list, const char *s)
{
	for vec_each(list, at)
		if (!strcmp(*at, s))
			return true;
	return false;
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

const char *str_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool str_is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

// Returns the end of the alternative at p: a comma or the closing brace; NULL: none.
static const char *alternative_end(const char *p)
{
	int braces = 0, parens = 0;

	for (; *p; p++) {
		if (!braces && !parens && (*p == ',' || *p == '}'))
			return p;
		braces += (*p == '{') - (*p == '}');
		parens += (*p == '(') - (*p == ')');
	}
	return NULL;
}

static bool braces(name_list *out, const char *before, const char *text, int max)
{
	const char *open = text, *p, *end;
	name_list choices = { 0 };

	for (;; open++) {
		open = strchr(open, '{');
		if (!open) {
			vec_push(out, str_printf("%s%s", before, text));
			return out->n <= max;
		}
		p = alternative_end(open + 1);
		if (p && *p == ',')
			break;
	}
	for (p = open + 1; (end = alternative_end(p)); p = end + 1) {
		vec_push(&choices, str_ndup(p, (size_t)(end - p)));
		if (*end == '}')
			break;
	}
	before = str_printf("%s%.*s", before, (int)(open - text), text);
	if (!end) {
		vec_push(out, str_printf("%s%s", before, open));
		return true;
	}
	for vec_each(&choices, choice)
		if (!braces(out, before, str_printf("%s%s", *choice, end + 1), max))
			return false;
	return true;
}

bool str_braces(name_list *out, const char *text, int max)
{
	enum { LONGEST = 1024 };

	if (strlen(text) <= LONGEST)
		return braces(out, "", text, max);
	vec_push(out, text);
	return true;
}

char *str_escape(const char *bytes, size_t len)
{
	static const char letters[] = "abtnvfr";
	struct buf b = { 0 };

	for (size_t i = 0, plain = 0; i < len; plain = ++i) {
		unsigned char c;

		while (i < len && isprint((unsigned char)bytes[i]) && bytes[i] != '"' && bytes[i] != '\\')
			i++;
		buf_add(&b, bytes + plain, i - plain);
		if (i == len)
			break;
		c = (unsigned char)bytes[i];
		if (c == '"' || c == '\\')
			buf_printf(&b, "\\%c", c);
		else if (c >= 7 && c <= 13)
			buf_printf(&b, "\\%c", letters[c - 7]);
		else
			buf_printf(&b, "\\%03o", c);
	}
	return buf_text(&b);
}

bool str_number(const char *text, int64_t min, int64_t max, int64_t *n)
{
	return number_whole(text + strspn(text, " \t"), 10, min, max, n);
}

bool str_real(const char *text, double min, double max, double *n)
{
	char *end;

	*n = strtod(text, &end);
	return !text[strspn(text, " \t+0123456789.eE-")] && end > text && !*end && *n >= min && *n <= max;
}

enum str_long str_long(const char *text, int64_t *n)
{
	const char *digits = text + (*text == '+'), *end = text;
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	enum number_found found = hex ? number_unsigned(&digits, 0, (uint64_t *)n) : number_signed(&end, 0, n);

	if (found == NUMBER_NONE || *(hex ? digits : end))
		return STR_NOT_A_NUMBER;
	return found == NUMBER_TOO_LARGE ? STR_TOO_LARGE : STR_LONG;
}

// Returns the number of differences; transposed letters count as one (optimal string alignment). glob: wildcards of
// `a` match any letters, "*" any number of them.
static int distance(const char *a, const char *b, bool glob)
{
	int n = (int)strlen(b), *before = NEW_ARRAY(int, n + 1), *last = NEW_ARRAY(int, n + 1), *row = NEW_ARRAY(int, n + 1);

	for (int j = 0; j <= n; j++)
		row[j] = j;
	for (int i = 1; a[i - 1]; i++) {
		bool star = glob && a[i - 1] == '*', any = star || (glob && a[i - 1] == '?');
		int *spare = before;

		before = last;
		last = row;
		row = spare;
		row[0] = star ? last[0] : last[0] + 1;
		for (int j = 1; j <= n; j++) {
			int best = last[j - 1] + (!any && a[i - 1] != b[j - 1]);

			if (last[j] + !star < best)
				best = last[j] + !star;
			if (row[j - 1] + !star < best)
				best = row[j - 1] + !star;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

int str_distance(const char *a, const char *b)
{
	return distance(a, b, false);
}

// Returns true if one letter differs, or at most a third of them, or if one name is a prefix of the other.
static bool is_similar(const char *a, const char *b, int distance)
{
	size_t m = strlen(a), n = strlen(b), shorter = m < n ? m : n, longer = m < n ? n : m;

	return (size_t)distance * 3 <= longer || (distance == 1 && longer > 1) || (shorter > 2 && !strncmp(a, b, shorter));
}

// A wildcard replaces a part of the name, so fewer differences are permitted than between names.
static bool is_similar_to_glob(const char *glob, int distance)
{
	int letters = 0;

	for (const char *c = glob; *c; c++)
		letters += *c != '*' && *c != '?';
	return letters > 2 && distance <= 2 && (distance * 4 <= letters || distance == 1);
}

// The best names so far, in the order of their scores.
enum { MAX_SIMILAR = 5 };
struct similar {
	const char *best[MAX_SIMILAR + 1];
	int score[MAX_SIMILAR + 1], n;
};

static void add_similar(struct similar *to, const char *name, int score)
{
	int at = to->n;

	for (int i = 0; i < to->n; i++)
		if (!strcmp(to->best[i], name))
			return;
	for (; at > 0 && to->score[at - 1] > score; at--) {
		to->score[at] = to->score[at - 1];
		to->best[at] = to->best[at - 1];
	}
	to->score[at] = score;
	to->best[at] = name;
	if (to->n < MAX_SIMILAR)
		to->n++;
}

// Among names with the same distance, the shortest is the most similar.
static void similar_to_glob(const char *glob, const char *const *names, int n, struct similar *out)
{
	enum { LONGER_THAN_NAMES = 1000 };

	for (int i = 0; i < n; i++) {
		int d = distance(glob, names[i], true);

		if (is_similar_to_glob(glob, d))
			add_similar(out, names[i], d * LONGER_THAN_NAMES + (int)strlen(names[i]));
	}
}

static void similar_to_name(const char *wanted, const char *const *names, int n, struct similar *out)
{
	int len = (int)strlen(wanted);

	for (int i = 0; i < n; i++) {
		int longer = (int)strlen(names[i]) - len, d;

		// The distance is at least the difference in length, which is cheaper than computing it.
		if (out->n == MAX_SIMILAR && abs(longer) >= out->score[MAX_SIMILAR - 1])
			continue;
		if (!is_similar(wanted, names[i], abs(longer)))
			continue;
		d = strcmp(wanted, names[i]) && !strcasecmp(wanted, names[i]) ? 1 : str_distance(wanted, names[i]);
		// A name with distance 0 exists, but is not available there, so it is not suggested.
		if (d && is_similar(wanted, names[i], d))
			add_similar(out, names[i], d);
	}
}

const char *str_similar(const char *wanted, const char *const *names, int n)
{
	struct similar all = { 0 };
	struct buf b = { 0 };

	if (strpbrk(wanted, "*?"))
		similar_to_glob(wanted, names, n, &all);
	else
		similar_to_name(wanted, names, n, &all);
	for (int i = 0; i < all.n; i++)
		buf_printf(&b, "%s%s", i ? ", " : " (similar: ", all.best[i]);
	if (all.n)
		buf_putc(&b, ')');
	return buf_text(&b);
}

static char *read_up_to(int fd, size_t max, size_t *len)
{
	struct buf b = { 0 };
	char chunk[65536];
	ssize_t n = 0;

	while (b.len < max && ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0)
			buf_add(&b, chunk, (size_t)n);
	if (n < 0)
		return NULL;
	if (len)
		*len = b.len;
	return buf_text(&b);
}

char *str_read_start(const char *path, size_t max, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_up_to(fd, max, len);
	err = errno;
	close(fd);
	errno = err;
	return text;
}

char *str_read_file(const char *path, size_t *len)
{
	return str_read_start(path, SIZE_MAX, len);
}

void buf_json(struct buf *b, const char *text)
{
	buf_putc(b, '"');
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			buf_printf(b, "\\u%04x", *text);
		else
			buf_printf(b, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
	buf_putc(b, '"');
}
