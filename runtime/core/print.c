/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output of handlers is appended to a record, which is opened at the first print and committed when the handler
 * ends. The functions that send messages are here, too. Context: a handler's.
 */
#include "internal.h"

static inline bool extend_record(struct stp_ctx_private *v, u32 n)
{
	stp_debug_record(v);
	v->dirty = true;
	if (STP_LIKELY(!v->out_lost) && STP_LIKELY(plat_record_space(v, n)))
		return true;
	v->out_lost = true;
	v->out_start = v->out = v->out_end = NULL;
	return false;
}

bool stp_record_extend(struct stp_ctx_private *v, u32 n)
{
	return extend_record(v, n);
}

bool stp_record_open(struct stp_ctx_private *v)
{
	return extend_record(v, 1);
}

bool stp_sink_more(struct stp_sink *k, u32 n)
{
	struct stp_ctx_private *v = k->v;
	bool extended;

	if (!v)
		return false;
	v->out = k->at;
	if (STP_UNLIKELY(stp_module.records != NULL))
		extended = stp_module.records->ops->extend_text(v, n);
	else
		extended = extend_record(v, n);
	k->at = v->out;
	k->end = v->out_end;
	return extended;
}

/* Makes space for as many of n bytes as possible, contiguously; returns their number. */
static u32 reserve_some(struct stp_sink *k, u64 n)
{
	u32 want = n < PLAT_RECORD_MAX ? (u32)n : PLAT_RECORD_MAX;

	if (stp_sink_space(k, want))
		return want;
	if (!k->v)
		*k->end = 1;
	return (u32)(k->end - k->at);
}

void stp_sink_end(struct stp_sink *k)
{
	if (STP_UNLIKELY(k->at == k->end && *k->end))
		stp_cut(STP_LOSS_STRINGS, "a string was cut at MAXSTRINGLEN");
	*k->at = 0;
}

void stp_sink_end_text(struct stp_sink *k)
{
	if (STP_UNLIKELY(k->at == k->end && *k->end))
		stp_cut(STP_LOSS_TEXTS, "the text of an error was cut");
	*k->at = 0;
}

void stp_sink_put(struct stp_sink *k, const char *text, u64 n)
{
	u32 part;

	for (; n; n -= part, text += part) {
		part = reserve_some(k, n);
		if (!part)
			return;
		k->at = stp_put_bytes(k->at, text, part);
		STP_CHECK_THAT(k->at <= k->end);
	}
}

void stp_sink_pad(struct stp_sink *k, char with, u64 n)
{
	u32 part;

	for (; n; n -= part) {
		part = reserve_some(k, n);
		if (!part)
			return;
		plat_memset(k->at, with, part);
		k->at += part;
		STP_CHECK_THAT(k->at <= k->end);
	}
}

void stp_print(struct stp_ctx *c, const char *text, u32 len)
{
	struct stp_sink k;

	if (!stp_sink_record(&k, c))
		return;
	stp_sink_put(&k, text, len);
	stp_sink_close(&k);
}

void stp_cprintf(struct stp_ctx *c, const char *fmt, ...)
{
	struct stp_sink k;
	stp_va_list ap;

	if (!stp_sink_record(&k, c))
		return;
	__builtin_va_start(ap, fmt);
	stp_vformat(&k, fmt, ap);
	__builtin_va_end(ap);
	stp_sink_close(&k);
}

void stp_print_stack(struct stp_ctx *c, const char *stack)
{
	const char *line;
	u64 address;
	u32 at = 0;

	while ((line = plat_stack_line(c, stack, &at, &address)))
		stp_cprintf(c, " %#llx : %s\n", address, line);
}

void stp_log(struct stp_ctx *c, const char *text)
{
	stp_print(c, text, (u32)stp_strlen(text));
	stp_print(c, "\n", 1);
}

void stp_warn(struct stp_ctx *c, const char *text)
{
	plat_message(STP_MSG_WARNING, text);
}

/* A truncated command is not run, since it might do something else. */
void stp_system(struct stp_ctx *c, const char *command)
{
	u32 longest = STP_MSG_MAX - sizeof(struct stp_msg), string = stp_module.limits.string_len - 1;

	if (longest > string - 1)
		longest = string - 1;
	if (stp_strlen(command) > longest)
		stp_error(c, "system(): commands of %u bytes or more are not run, since they may have been cut (-DMAXSTRINGLEN=N)",
			  longest + 1);
	else
		plat_message(STP_MSG_SYSTEM, command);
}

void stp_switch_file(struct stp_ctx *c)
{
	plat_message(STP_MSG_SWITCH, "");
}
