/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks of regular expressions in programs, with the algorithm of core/regex.c. bpf_regex_step() of the generated C
 * selects a table by its number; it is verified once, and the verifier assumes that its result is any number, so
 * verifying a walk takes the same time for each expression. Context: a hit.
 */
#ifndef BPF_MATCH_H
#define BPF_MATCH_H

#define STP_MATCHED 1
#define STP_MATCHED_AT_END 2
#define STP_DEAD 4

/* The verifier limits the number of branches in a loop over a string: this has none, and functions that are verified
 * once contain others. */
STP_INLINE u32 bpf_accepts(u64 state, u32 at_end)
{
	STP_HIDE(at_end);
	return (u32)(state >> 16) & (STP_MATCHED | STP_MATCHED_AT_END * at_end);
}

/* Returns 1 for 0, and 0 for other numbers below 1 << 31. */
STP_INLINE u32 bpf_is_zero(u32 n)
{
	return (n - 1) >> 31;
}

STP_GLOBAL_FUNCTION int bpf_regex_search(const struct stp_text *s, u32 number)
{
	u64 state;
	u32 i;
	u8 byte;

	if (!s)
		return 0;
	state = bpf_regex_step(number, 0, STP_REGEX_AT_END);
	for (i = 0; i < STP_STRLEN; i++) {
		u32 end, accepts;

		byte = bpf_byte(s, i);
		end = bpf_is_zero(byte);
		accepts = bpf_accepts(state, end);
		if (end | accepts)
			return accepts != 0;
		state = bpf_regex_step(number, (u16)state, byte);
	}
	return 0;
}
#define stp_regex_match(c, r, s) ((bool)bpf_regex_search(STP_AS_TEXT(s), (r)->number))

/* ------------------------------------------------------------------ groups */

#ifdef STP_USES_GROUPS

#define STP_MATCH_STEPS (1 << 19)      /* value of core/regex.c; `size` of the match is the number of steps left */
#define STP_MATCH_SPLITS (3 * STP_STRLEN + 64)
#define STP_MARKED (1u << 31)
#define STP_MATCH_TEXT(m) ((struct stp_text *)(m)->text)

STP_INLINE struct stp_match *bpf_match_of(struct stp_slot *s)
{
	struct stp_ctx *c = &s->c;

	return STP_MATCH;
}

STP_INLINE void bpf_set_mark(struct stp_match *m, u32 at, u32 on)
{
	STP_HIDE(at);
	if (at < STP_STRLEN)
		m->text[STP_STRLEN + at] = (char)on;
}

STP_INLINE bool bpf_is_marked(const struct stp_match *m, u32 at)
{
	STP_HIDE(at);
	return at < STP_STRLEN && m->text[STP_STRLEN + at];
}

/*
 * Returns a number whose value the verifier does not track: it would follow the rest of a walk for each value of an
 * offset that is compared.
 */
STP_INLINE u32 bpf_unknown(struct stp_slot *s, u32 n)
{
	*(volatile u32 *)&s->match_at = n;
	return *(volatile u32 *)&s->match_at;
}

/* Continues with the byte at an offset of the text. */
STP_GLOBAL_FUNCTION u64 bpf_regex_step_at(struct stp_slot *s, u32 number, u32 state, u32 at)
{
	return s ? bpf_regex_step(number, state, bpf_byte(STP_MATCH_TEXT(bpf_match_of(s)), at)) : 0;
}

STP_GLOBAL_FUNCTION int bpf_may_end(struct stp_slot *s, u32 at, u64 state, u32 min, u32 to)
{
	if (!s || at < min || !bpf_accepts(state, bpf_is_zero(at ^ s->match_len)))
		return 0;
	return !(to & STP_MARKED) || bpf_is_marked(bpf_match_of(s), at);
}

/* Returns the last offset at which a match of the expression that begins at `from` may end, or -1. to: with
 * STP_MARKED, only marked offsets are considered. */
STP_GLOBAL_FUNCTION int bpf_last_end(struct stp_slot *s, u32 number, u32 from, u32 min, u32 to)
{
	u32 end = to & ~STP_MARKED, i, at;
	struct stp_match *m;
	int best = -1;
	u64 state;

	if (!s)
		return -1;
	m = bpf_match_of(s);
	state = bpf_regex_step(number, 0, from ? STP_REGEX_AT_INNER : STP_REGEX_AT_END);
	for (i = 0; i < STP_STRLEN; i++) {
		at = bpf_unknown(s, from + i);
		if (bpf_may_end(s, at, state, min, to))
			best = (int)at;
		if (at >= end || state >> 16 & STP_DEAD)
			break;
		state = bpf_regex_step_at(s, number, (u16)state, at);
	}
	m->size -= i + 1;
	return best;
}

/* Marks the offsets at which a match of the expression that ends at `to` may begin. Returns the first of them,
 * or -1. */
STP_GLOBAL_FUNCTION int bpf_mark_begins(struct stp_slot *s, u32 number, u32 from, u32 to)
{
	struct stp_match *m;
	u32 first = ~0u, i, at, on, all;
	u64 state;

	if (!s)
		return -1;
	m = bpf_match_of(s);
	state = bpf_regex_step(number, 0, to < s->match_len ? STP_REGEX_AT_INNER : STP_REGEX_AT_END);
	for (i = 0; i < STP_STRLEN; i++) {
		at = bpf_unknown(s, to - i);
		on = bpf_accepts(state, bpf_is_zero(at));
		STP_HIDE(on);          /* no branches, which the verifier would follow in each pass */
		on = (on | on >> 1) & 1;
		bpf_set_mark(m, at, on);
		all = -on;
		STP_HIDE(all);
		first = (first & ~all) | (at & all);
		if (at <= from)
			break;
		state = bpf_regex_step_at(s, number, (u16)state, at - 1);
	}
	m->size -= i + 1;
	return (int)first;
}

STP_INLINE void bpf_open_group(struct stp_match *m, u32 group, u32 last, u32 from, u32 to)
{
	u32 i;

#pragma unroll
	for (i = 0; i < STP_MAX_GROUPS; i++) {
		if (i == group) {
			m->at[i].from = (s32)from;
			m->at[i].to = (s32)to;
		} else if (i > group && i <= last) {
			m->at[i].from = -1;
		}
	}
}

/* Executes one step of a repetition that has matched from `from` to `to`; returns the next part. */
STP_INLINE u32 bpf_split_star(struct stp_slot *s, const struct stp_regex_row *p, u32 part)
{
	u32 from = s->match_from, to = s->match_to;
	int end;

	if (from == to)
		return bpf_last_end(s, p->head, from, from, to) == (int)to ? p->a : 0;
	if (!s->match_star) {
		bpf_mark_begins(s, p->tail, from, to);
		s->match_star = 1;
	}
	end = bpf_last_end(s, p->head, from, from + 1, to | STP_MARKED);
	if (end >= 0 && end != (int)to) {
		s->match_from = (u32)end;
		return part;
	}
	s->match_star = 0;
	return end < 0 ? 0 : p->a;
}

STP_INLINE u32 bpf_split_sequence(struct stp_slot *s, struct stp_match *m, const struct stp_regex_row *p)
{
	u32 from = s->match_from, to = s->match_to, n = s->match_waiting;
	int middle;

	bpf_mark_begins(s, p->tail, from, to);
	middle = bpf_last_end(s, p->head, from, from, to | STP_MARKED);
	STP_HIDE(n);
	if (p->b && n < STP_MAX_GROUPS) {
		m->todo[n].part = p->b;
		m->todo[n].from = middle;
		m->todo[n].to = (s32)to;
		s->match_waiting = n + 1;
	}
	s->match_to = (u32)middle;
	return p->a;
}

/* Takes the next pending part, or returns false. */
STP_INLINE bool bpf_next_part(struct stp_slot *s, const struct stp_match *m)
{
	u32 n = s->match_waiting - 1;

	STP_HIDE(n);
	if (n >= STP_MAX_GROUPS)
		return false;
	s->match_part = (u32)m->todo[n].part;
	s->match_from = (u32)m->todo[n].from;
	s->match_to = (u32)m->todo[n].to;
	s->match_waiting = n;
	return true;
}

/* Executes one step of split_match() of core/regex.c. */
STP_GLOBAL_FUNCTION int bpf_split_part(struct stp_slot *s)
{
	const struct stp_regex_row *p;
	struct stp_match *m;
	u32 part;

	if (!s)
		return STP_LOOP_FAIL;
	m = bpf_match_of(s);
	part = STP_INDEX(s->match_part, STP_REGEX_ROWS);
	p = &stp_regex_rows[part];
	if ((s32)m->size <= 0)
		return STP_LOOP_FAIL;
	switch (p->kind) {
	case STP_RE_GROUP:
		bpf_open_group(m, p->group, p->last, s->match_from, s->match_to);
		s->match_part = p->a;
		break;
	case STP_RE_CAT:
		s->match_part = bpf_split_sequence(s, m, p);
		break;
	case STP_RE_ALT:
		s->match_part = bpf_last_end(s, p->head, s->match_from, s->match_to, s->match_to) == (int)s->match_to ?
			p->a : p->b;
		break;
	case STP_RE_STAR:
		s->match_part = bpf_split_star(s, p, part);
		break;
	default:
		return bpf_next_part(s, m) ? STP_LOOP_NEXT : STP_LOOP_BREAK;
	}
	return STP_LOOP_NEXT;
}

STP_LOOP_DRIVER(bpf_split_part)

STP_INLINE void bpf_many_steps(struct stp_slot *s)
{
	struct stp_text *to = &s->error_text;
	u32 at;

	at = (u32)bpf_put_at(to, 0, STP_AS_TEXT(STP_LITERAL("regular expression: more than ")));
	at = (u32)bpf_put_number(to, at, STP_MATCH_STEPS, bpf_spec('d', 0, -1, -1));
	at = (u32)bpf_put_at(to, at, STP_AS_TEXT(STP_LITERAL(" steps on a string of ")));
	at = (u32)bpf_put_number(to, at, s->match_len, bpf_spec('d', 0, -1, -1));
	at = (u32)bpf_put_at(to, at, STP_AS_TEXT(STP_LITERAL(" characters")));
	bpf_end_at(to, at);
	bpf_error(&s->c, STP_BPF_TEXT, 0);
}

/* numbers: numbers of the tables `find` and, from bit 16 on, `whole`; root: the root and, from bit 16 on, the
 * number of groups */
STP_GLOBAL_FUNCTION int bpf_match_groups(struct stp_slot *s, const struct stp_text *text, u32 numbers, u32 root)
{
	struct stp_match *m;
	int from, to, i;

	if (!s || !text)
		return 0;
	m = bpf_match_of(s);
	m->groups = 0;
	m->size = STP_MATCH_STEPS;
	bpf_copy(STP_MATCH_TEXT(m), text);
	s->match_len = (u32)bpf_length(STP_MATCH_TEXT(m));
	from = bpf_mark_begins(s, numbers & 0xffff, 0, s->match_len);
	if (from < 0)
		return 0;
	to = bpf_last_end(s, numbers >> 16, (u32)from, (u32)from, s->match_len);
#pragma unroll
	for (i = 0; i < STP_MAX_GROUPS; i++)
		m->at[i].from = -1;
	m->at[0].from = from;
	m->at[0].to = to;
	s->match_part = root & 0xffff;
	s->match_from = (u32)from;
	s->match_to = (u32)to;
	s->match_waiting = s->match_star = 0;
	if (STP_REPEAT(s, bpf_split_part, STP_MATCH_SPLITS) != STP_LOOP_BREAK)
		bpf_many_steps(s);
	m->groups = root >> 16;
	return 1;
}
#define stp_regex_groups(c, m, size, r, s)					\
	((bool)bpf_match_groups(STP_SLOT(c), STP_AS_TEXT(s), (r)->find | (u32)(r)->whole << 16,	\
				(r)->root | (u32)(r)->groups << 16))

STP_INLINE bool bpf_have_match(struct stp_ctx *c, const struct stp_match *m)
{
	if (!m->groups)
		bpf_error_text(c, STP_LITERAL("no match available: the last =~ failed, or no =~ was executed"));
	return m->groups;
}

/* Writes the message of an error. The error is not raised here, since the nesting of calls is limited. */
STP_INLINE void bpf_no_group(struct stp_slot *s, u64 group)
{
	struct stp_text *to = &s->error_text;
	u32 at;

	at = (u32)bpf_put_at(to, 0, STP_AS_TEXT(STP_LITERAL("invalid group ")));
	at = (u32)bpf_put_number(to, at, group, bpf_spec('d', 0, -1, -1));
	at = (u32)bpf_put_at(to, at, STP_AS_TEXT(STP_LITERAL(": the regular expression has groups 0 to ")));
	at = (u32)bpf_put_number(to, at, bpf_match_of(s)->groups - 1u, bpf_spec('d', 0, -1, -1));
	bpf_end_at(to, at);
	bpf_error(&s->c, STP_BPF_TEXT, 0);
}

STP_GLOBAL_FUNCTION int bpf_matched(struct stp_slot *s, struct stp_text *to, s64 group)
{
	struct stp_match *m;
	u32 at = (u32)group;
	s32 from;

	if (!s || !to)
		return 0;
	m = bpf_match_of(s);
	to->b[0] = 0;
	if (!bpf_have_match(&s->c, m))
		return 0;
	if (group < 0 || group >= m->groups) {
		bpf_no_group(s, (u64)group);
		return 0;
	}
	at = STP_INDEX(at, STP_MAX_GROUPS);
	from = m->at[at].from;
	if (from >= 0)
		bpf_substr(to, STP_MATCH_TEXT(m), from, m->at[at].to - from);
	return 0;
}
#define stp_matched(c, m, to, size, group) ((void)bpf_matched(STP_SLOT(c), (struct stp_text *)(to), group))
STP_INLINE void bpf_matched_text(struct stp_ctx *c, const struct stp_match *m, char *to)
{
	to[0] = 0;
	if (bpf_have_match(c, m))
		bpf_copy((struct stp_text *)to, STP_AS_TEXT(m->text));
}
#define stp_matched_text(c, m, to, size) bpf_matched_text(c, m, to)
#define stp_matched_groups(c, m) (bpf_have_match(c, m) ? (s64)(m)->groups : 0)

#endif
#endif
