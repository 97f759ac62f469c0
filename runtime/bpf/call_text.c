/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argstr: formats the arguments of system calls that programs captured (bpf_call_text.h), by the functions of
 * core/syscall.c, which read the captured memory instead of that of the process. An address that was not captured
 * could not be read, so it is shown as an address.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "client.h"
#include "../core/internal.h"
#include "bpf_shared.h"

#include <string.h>

struct captured { const u64 *words, *end; };

static struct captured current;        /* the capture that loads read */

/* Copies part of memory that consists of words that are not 0. */
static bool read_counted(void *to, u64 offset, u32 size, u64 range)
{
	u32 n = (u32)range;

	memset(to, offset / size < n, 1);
	memset((char *)to + 1, 0, size - 1);
	return offset / size < n || (offset / size == n && range & STP_RANGE_ENDS);
}

/* Loads from the capture. */
static bool read_captured(struct stp_ctx *c, void *to, u64 address, u32 size)
{
	const u64 *at = current.words + STP_CAPTURE_RANGES;

	while (at + 2 <= current.end) {
		u64 from = at[0], range = at[1], offset = address - from;

		at += 2;
		if (range & (STP_RANGE_ENDS | STP_RANGE_FAILS)) {
			if (offset <= (u64)(u32)range * size)
				return read_counted(to, offset, size, range);
			continue;
		}
		if (range > (u64)(current.end - at) * 8)
			break;
		if (offset < range && size <= range - offset) {
			memcpy(to, (const char *)at + offset, size);
			return true;
		}
		at += (range + 7) / 8;
	}
	if (current.words[STP_CAPTURE_FLAGS] & STP_CAPTURE_FULL)
		stp_cut(STP_LOSS_STRINGS, "a string was cut at MAXSTRINGLEN");
	return false;
}

/* Reads a capture; its words are NULL if the record is damaged. */
static struct captured next_capture(struct reader *r)
{
	u64 n = r->at < r->end ? *r->at : 0;
	struct captured captured = { r->at, r->at + n };

	if (n < STP_CAPTURE_RANGES || n > (u64)(r->end - r->at))
		return (struct captured){ NULL, NULL };
	r->at += n;
	return captured;
}

/* Makes this capture the call of the context. */
static void use_capture(struct stp_ctx *c, const struct captured *captured)
{
	u64 number = captured->words[STP_CAPTURE_NUMBER];

	current = *captured;
	c->compat_call = (number & STP_CALL_COMPAT) != 0;
	c->syscall = client_syscall(c->probe, number & 0xffff, c->compat_call);
	memcpy(c->arguments, captured->words + STP_CAPTURE_ARGUMENTS, sizeof(c->arguments));
}

/* Writes the text of the current capture. saved: the text at the entry; empty if it is not known, or a part of memory
 * that was not resident. */
static void write_text(struct stp_ctx *c, char *to, u32 size, u64 mark, const char *saved)
{
	s64 argument = (s64)(mark >> 24 & 0xff), part = (s64)(mark >> 32);

	switch (mark >> 20 & 15) {
	case STP_CALL_ALL:
		stp_syscall_arguments(c, to, size);
		break;
	case STP_CALL_RESULT:
		stp_syscall_result(c, to, size);
		break;
	case STP_CALL_ENTRY_ARGUMENT:
		if (*saved && !stp_syscall_is_address(c, saved, argument)) {
			stp_copy(to, saved, size);
			break;
		}
		/* fall through */
	case STP_CALL_ARGUMENT:
		stp_syscall_text(c, to, size, argument);
		break;
	case STP_CALL_ENTRY_PART:
		stp_copy(to, saved, size);
		if (*to)
			break;
		/* fall through */
	case STP_CALL_PART:
		stp_syscall_part_text(c, to, size, argument, part);
		break;
	}
}

/* Writes the text of the entry to `saved`; argstr in the form that the return completes. */
static void write_saved(struct stp_ctx *c, char *saved, u32 size, u64 mark)
{
	if ((mark >> 20 & 15) == STP_CALL_ALL) {
		c->call_text = saved;
		c->call_text_size = size;
		stp_syscall_save(c);
	} else {
		write_text(c, saved, size, mark, "");
	}
}

bool call_text(struct stp_ctx *c, struct reader *r, char *to)
{
	u32 size = stp_module.limits.string_len;
	char saved[size];
	const char *otherwise = "";
	u64 mark;
	struct captured entry = { NULL, NULL }, now;

	if (r->end - r->at < 2 || (*r->at & 0xffff) != (STP_MARK | STP_MARK_CALL) || r->at[1] != stp_hash_factor)
		return false;
	mark = *r->at;
	r->at += 2;
	if (mark & STP_CALL_SAVED)
		entry = next_capture(r);
	now = next_capture(r);
	if ((mark >> 20 & 15) == STP_CALL_RESULT)
		otherwise = record_text(r);
	*to = *saved = 0;
	if (!now.words)
		return true;
	user_captured = read_captured;
	if (entry.words) {
		use_capture(c, &entry);
		write_saved(c, saved, size, mark);
	}
	c->call_text = mark & STP_CALL_RETURN ? saved : NULL;
	use_capture(c, &now);
	write_text(c, to, size, mark, saved);
	if (!*to && (mark >> 20 & 15) == STP_CALL_RESULT)
		memcpy(to, otherwise, strlen(otherwise) + 1);
	user_captured = NULL;
	c->call_text = NULL;
	c->syscall = NULL;
	return true;
}
