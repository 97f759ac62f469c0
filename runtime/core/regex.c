/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the tables that the translator generated from regular expressions. Context: any. Time: one step per byte;
 * several with groups, and at most STP_MATCH_STEPS; each is charged. */
#include "internal.h"

enum { MATCHED = 1, MATCHED_AT_END = 2, DEAD = 4 };
enum { STP_MATCH_STEPS = 1 << 19 };

bool stp_regex_match(struct stp_ctx *c, const struct stp_regex *r, const char *text)
{
	const char *from = text;
	u32 state = r->start;
	bool match;

	for (;; text++) {
		match = r->accept[state] & (*text ? MATCHED : MATCHED | MATCHED_AT_END);
		if (match || !*text)
			break;
		state = r->table[state * r->classes + r->byte_class[(u8)*text]];
	}
	if (c)                     /* the condition of a probe has no context */
		stp_charge(c, (u64)(text - from) * STP_WORK_MATCH);
	return match;
}

/* ------------------------------------------------------------------ groups */

struct walk {
	struct stp_ctx *c;
	const struct stp_regex_groups *r;
	struct stp_match *m;
	s32 len;                   /* length of m->text */
	u8 *marks;                 /* [len + 1] */
	s32 steps;                 /* number of steps left */
};

static u32 step(const struct stp_regex *r, u32 state, char byte)
{
	return r->table[state * r->classes + r->byte_class[(u8)byte]];
}

static bool accepts(const struct stp_regex *r, u32 state, bool at_end)
{
	return r->accept[state] & (at_end ? MATCHED | MATCHED_AT_END : MATCHED);
}

/* Charges the steps that were executed. If the hit's budget is used up, the walk ends. */
static void charge_steps(struct walk *w, s32 n)
{
	w->steps -= n;
	if (!stp_charge(w->c, (u64)n * STP_WORK_STEP))
		w->steps = 0;
}

/* Returns the last marked offset at which a match of r that begins at `from` may end, or -1. Without `marked`,
 * all offsets are considered. */
static s32 last_end(struct walk *w, const struct stp_regex *r, s32 from, s32 min, s32 to, bool marked)
{
	u32 state = from ? r->inner : r->start;
	s32 best = -1, at;

	for (at = from;; at++) {
		if (at >= min && accepts(r, state, at == w->len) && (!marked || w->marks[at]))
			best = at;
		if (at >= to || (r->accept[state] & DEAD))
			break;
		state = step(r, state, w->m->text[at]);
	}
	charge_steps(w, at - from + 1);
	return best;
}

/* Marks the offsets from `from` to `to` at which a match of r that ends at `to` may begin. Returns the first of
 * them. */
static s32 mark(struct walk *w, const struct stp_regex *r, s32 from, s32 to)
{
	u32 state = to < w->len ? r->inner : r->start;
	s32 first = -1, at;

	for (at = to; at >= from; at--) {
		w->marks[at] = accepts(r, state, at == 0);
		if (w->marks[at])
			first = at;
		if (at > from)
			state = step(r, state, w->m->text[at - 1]);
	}
	charge_steps(w, to - from + 1);
	return first;
}

/* Finds the last iteration of a repetition; returns false if there was none. */
static bool last_iteration(struct walk *w, const struct stp_regex_part *p, s32 *from, s32 to)
{
	s32 end;

	if (*from == to)
		return last_end(w, p->head, *from, *from, to, false) == to;
	mark(w, p->tail, *from, to);
	while (w->steps > 0) {
		end = last_end(w, p->head, *from, *from + 1, to, true);
		if (end == to || end < 0)
			return end == to;
		*from = end;
	}
	return false;
}

static void open_group(struct walk *w, const struct stp_regex_part *p, s32 from, s32 to)
{
	s32 i;

	for (i = p->group; i <= p->last; i++)
		w->m->at[i].from = -1;
	w->m->at[p->group].from = from;
	w->m->at[p->group].to = to;
}

/* Splits the match of `part`, from `from` to `to`, into its groups. */
static void split_match(struct walk *w, s32 part, s32 from, s32 to)
{
	struct stp_match *m = w->m;
	s32 waiting = 0, middle;

	for (;;) {
		const struct stp_regex_part *p = &w->r->parts[part];

		part = p->a;
		if (w->steps <= 0)
			return;
		switch (p->kind) {
		case STP_RE_GROUP:
			open_group(w, p, from, to);
			break;
		case STP_RE_CAT:
			mark(w, p->tail, from, to);
			middle = last_end(w, p->head, from, from, to, true);
			if (p->b && waiting < STP_MAX_GROUPS) {
				m->todo[waiting].part = p->b;
				m->todo[waiting].from = middle;
				m->todo[waiting++].to = to;
			}
			to = middle;
			break;
		case STP_RE_ALT:
			if (last_end(w, p->head, from, to, to, false) != to)
				part = p->b;
			break;
		case STP_RE_STAR:
			if (!last_iteration(w, p, &from, to))
				part = 0;
			break;
		default:
			if (!waiting--)
				return;
			part = m->todo[waiting].part;
			from = m->todo[waiting].from;
			to = m->todo[waiting].to;
			break;
		}
	}
}

bool stp_regex_groups(struct stp_ctx *c, struct stp_match *m, u32 size, const struct stp_regex_groups *r,
		      const char *text)
{
	struct walk w = { .c = c, .r = r, .m = m, .steps = STP_MATCH_STEPS };
	s32 from, to;
	u32 i;

	m->groups = 0;
	m->size = size;
	stp_copy(m->text, text, size);
	w.len = (s32)stp_strlen(m->text);
	w.marks = (u8 *)m->text + size;
	from = mark(&w, r->find, 0, w.len);
	if (from < 0)
		return false;
	to = last_end(&w, r->whole, from, from, w.len, false);
	for (i = 0; i < r->groups; i++)
		m->at[i].from = -1;
	m->at[0].from = from;
	m->at[0].to = to;
	split_match(&w, r->root, from, to);
	if (w.steps <= 0 && !c->error)
		stp_error(c, "regular expression: more than %d steps on a string of %d characters",
			  STP_MATCH_STEPS, w.len);
	m->groups = r->groups;
	return true;
}

static bool have_match(struct stp_ctx *c, const struct stp_match *m)
{
	if (!m->groups)
		stp_error(c, "no match available: the last =~ failed, or no =~ was executed");
	return m->groups;
}

void stp_matched(struct stp_ctx *c, const struct stp_match *m, char *to, u32 size, s64 group)
{
	u32 len;

	to[0] = 0;
	if (!have_match(c, m))
		return;
	if (group < 0 || group >= m->groups) {
		stp_error(c, "invalid group %lld: the regular expression has groups 0 to %u", group, m->groups - 1u);
		return;
	}
	if (m->at[group].from < 0)
		return;
	len = (u32)(m->at[group].to - m->at[group].from);
	stp_copy(to, m->text + m->at[group].from, len + 1 < size ? len + 1 : size);
}

void stp_matched_text(struct stp_ctx *c, const struct stp_match *m, char *to, u32 size)
{
	to[0] = 0;
	if (have_match(c, m))
		stp_copy(to, m->text, size);
}

s64 stp_matched_groups(struct stp_ctx *c, const struct stp_match *m)
{
	return have_match(c, m) ? m->groups : 0;
}
