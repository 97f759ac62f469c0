// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the losses of a session, from the counters in the header of the module's rings, whether or not it ended
// normally.
#include "stapio.h"

#include "log.h"
#include "messages.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
	enum stp_loss_kind kind;
	const char *text;                  // a format with one %llu
	const char *hint;                  // "": no hint; may contain one %u
} losses[STP_LOSSES] = {
#define LOSS(name, kind, text, hint) [STP_LOSS_##name] = { STP_KIND_##kind, text, hint },
#include "losses.def"
#undef LOSS
};

void losses_warn(const char *fmt, ...)
{
	bool quiet = log_no_warnings;
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_no_warnings = false;           // -w hides warnings of scripts and of their translation, but not losses
	log_warning("%s", text);
	log_no_warnings = quiet;
}

// The formats come from losses.def.
static void print_loss(enum stp_loss reason, unsigned long long n, unsigned limit,
		       void (*each)(const char *text, uint64_t n))
{
	char text[256];
	int at = snprintf(text, sizeof(text), losses[reason].text, n);

	if (each && losses[reason].kind != STP_KIND_OUTSIDE)
		each(text, n);
	if (*losses[reason].hint) {
		at += snprintf(text + at, sizeof(text) - at, "; ");
		snprintf(text + at, sizeof(text) - at, losses[reason].hint, limit);
	}
	if (losses[reason].kind == STP_KIND_OUTSIDE)
		log_note(1, "%s", text);
	else
		losses_warn("%s", text);
}

void losses_since(const volatile struct stp_ring_header *header, uint64_t missing,
		  void (*each)(const char *text, uint64_t n))
{
	static uint64_t passed[STP_LOSSES];

	for (int i = 0; i < STP_LOSSES; i++) {
		uint64_t n = header->losses[i] + (i == STP_LOSS_RECORDS ? missing : 0), since = n - passed[i];
		char text[256];

		if (!since || losses[i].kind == STP_KIND_OUTSIDE)
			continue;
		passed[i] = n;
		snprintf(text, sizeof(text), losses[i].text, (unsigned long long)since);
		each(text, since);
	}
}

uint64_t losses_report(const volatile struct stp_ring_header *header, uint64_t missing, uint64_t unread,
		       uint64_t unwritten, void (*each)(const char *text, uint64_t n))
{
	uint64_t n[STP_LOSSES], skipped = 0, others = 0;

	for (int i = 0; i < STP_LOSSES; i++) {
		n[i] = header->losses[i] + (i == STP_LOSS_RECORDS ? missing : i == STP_LOSS_UNREAD ? unread :
					    i == STP_LOSS_UNWRITTEN ? unwritten : 0);
		if (losses[i].kind == STP_KIND_SKIPPED)
			skipped += n[i];
		else if (losses[i].kind != STP_KIND_OUTSIDE)
			others += n[i];
	}
	if (header->summary.errors || skipped)
		losses_warn("Number of errors: %u, skipped probes: %llu", header->summary.errors,
			    (unsigned long long)skipped);
	for (int i = 0; i < STP_LOSSES; i++)
		if (n[i])
			print_loss(i, n[i], header->limits[i], each);
	if (skipped && !header->summary.errors)
		log_note(1, "-DMAXSKIPPED=N (now %u) sets how many hits a script may skip before it ends", header->max_skipped);
	return skipped + others;
}
