/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Soft errors: generated code or the runtime raises them; a script's catch handles them, or they end the handler
 * and are printed and counted. Context: a handler's.
 */
#include "internal.h"

void stp_error(struct stp_ctx *c, const char *fmt, ...)
{
	struct stp_ctx_private *v = stp_private(c);
	struct stp_sink k = stp_sink_buffer(v->error_text, STP_ERROR_SIZE);
	stp_va_list ap;

	if (c->error)
		return;
	c->work -= STP_WORK_ERROR;             /* the next stp_charge() finds out whether it was too much: see generated.h */
	__builtin_va_start(ap, fmt);
	stp_vformat(&k, fmt, ap);
	__builtin_va_end(ap);
	stp_sink_end_text(&k);
	c->error = v->error_text;
}

/* Raises an error that no catch block handles: stp_charge() fails from then on. It is reported
 * without location and callers. */
void stp_fatal_format(struct stp_ctx *c, const char *fmt, ...)
{
	struct stp_ctx_private *v = stp_private(c);
	struct stp_sink k = stp_sink_buffer(v->error_text, STP_ERROR_SIZE);
	stp_va_list ap;

	__builtin_va_start(ap, fmt);
	stp_vformat(&k, fmt, ap);
	__builtin_va_end(ap);
	stp_sink_end_text(&k);
	c->error = v->error_text;
	c->fatal = true;
	c->error_location = NULL;
	v->ncallers = 0;
}

void stp_fatal(struct stp_ctx *c, const char *text)
{
	if (!c->fatal)
		c->error = text;
	c->fatal = true;
}

bool stp_catch(struct stp_ctx *c, char *to, u32 size)
{
	if (c->fatal)
		return false;
	if (to)
		stp_copy(to, c->error, size);
	c->error = NULL;
	c->error_location = NULL;
	stp_private(c)->ncallers = 0;
	return true;
}

/* A recursive caller is listed once. */
void stp_error_location(struct stp_ctx *c, const char *where)
{
	struct stp_ctx_private *v = stp_private(c);

	if (!c->error_location)
		c->error_location = where;
	else if (v->ncallers < STP_CALLERS && (v->ncallers ? v->callers[v->ncallers - 1] : c->error_location) != where)
		v->callers[v->ncallers++] = where;
}

void stp_out_of_actions(struct stp_ctx *c)
{
	stp_fatal(c, "MAXACTION exceeded");
}

void *stp_frame_fail(struct stp_ctx *c)
{
	c->nesting++;
	if (!c->error)
		c->error = "MAXNESTING exceeded";
	return NULL;
}

void *stp_frame_no_stack(struct stp_ctx *c)
{
	if (!c->error)
		c->error = "kernel stack used up by nested function calls; use fewer variables or a lower -DMAXNESTING";
	return NULL;
}

/* Counts an error. Beyond MAXERRORS the session enters its error state. */
static void count(struct stp_ctx_private *v)
{
	u32 n = __atomic_add_fetch(&stp_session.errors, 1, __ATOMIC_RELAXED);

	v->errors++;
	if (!stp_module.limits.suppress_errors && n > stp_module.limits.errors)
		stp_session_fail(NULL);
}

static void append_error(struct stp_ctx_private *v, const char *before, const char *text)
{
	stp_append(v->error_text, before, STP_ERROR_SIZE);
	stp_append(v->error_text, text, STP_ERROR_SIZE);
}

/* Appends the locations, innermost first, and the probe point. */
static void append_locations(struct stp_ctx_private *v)
{
	u32 i;

	if (v->c.error_location)
		append_error(v, " near ", v->c.error_location);
	for (i = 0; i < v->ncallers; i++)
		append_error(v, ", called from ", v->callers[i]);
	if (v->c.probe && v->c.probe->point)
		append_error(v, " in probe ", v->c.probe->point);
}

/* The fatal error with an empty text is that of abort(), which is not reported. */
void stp_error_report(struct stp_ctx_private *v)
{
	struct stp_ctx *c = &v->c;

	if (!c->fatal || *c->error) {
		if (c->error != v->error_text)
			stp_copy(v->error_text, c->error, STP_ERROR_SIZE);
		append_locations(v);
		plat_message(stp_module.limits.suppress_errors ? STP_MSG_WARNING : STP_MSG_ERROR,
			     v->error_text);
		count(v);
		stp_outcome_note(v, STP_FAILED);
	}
	c->error = NULL;
	c->error_location = NULL;
	v->ncallers = 0;
	c->fatal = false;
	c->frame = v->frame_base;
	c->nesting = v->nesting_max;
}
