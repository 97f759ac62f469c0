/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session's life: order of begin, arming, end and error probes; errors, catch, limits, settings. */
#include "core_platform.h"

static s64 g_number = 1;
static char g_text[STRING_LEN] = "initial";
static const struct stp_global globals[] = { { "number", STP_LONG, &g_number }, { "text", STP_STRING, g_text } };

static void (*behave)(struct stp_ctx *c);      /* action of the second begin probe */
static void (*behave_at_end)(struct stp_ctx *c);

static void begin1(struct stp_ctx *c) { stp_log(c, "begin1"); }
static void begin2(struct stp_ctx *c)
{
	stp_log(c, "begin2");
	if (behave)
		behave(c);
}
static void begin3(struct stp_ctx *c) { stp_log(c, "begin3"); }
static void end1(struct stp_ctx *c)
{
	stp_log(c, "end1");
	if (behave_at_end)
		behave_at_end(c);
}
static void end2(struct stp_ctx *c) { stp_log(c, stp_pp(c)); }
static void error1(struct stp_ctx *c) { stp_log(c, "error1"); }

static const struct stp_probe probes[] = {
	{ begin1, "begin(-1)", "begin(-1)", "t:1:1" }, { begin2, "begin", "begin", "t:2:1" },
	{ begin3, "begin(1)", "begin(1)", "t:3:1" }, { end1, "end", "end", "t:4:1" },
	{ end2, "end(9)", "foo", "t:5:1" }, { error1, "error", "error", "t:6:1" },
};
static struct stp_begin begins[] = { { &probes[0], -1 }, { &probes[1], 0 }, { &probes[2], 1 } };
static struct stp_begin ends[] = { { &probes[3], 0 }, { &probes[4], 9 } };
static struct stp_begin errors[] = { { &probes[5], 0 } };

/* Families that record their calls. */
static int refuse;                             /* errno that start of the second family returns */
static char armed[100];
static bool kill_in_start;                     /* the process is killed while the first family starts */
static int start1(void *table, u32 n)
{
	strcat(armed, "+1");
	process_killed = kill_in_start;
	return 0;
}
static void stop1(void *table, u32 n) { strcat(armed, "-1"); }
static int start2(void *table, u32 n)
{
	if (!refuse)
		strcat(armed, "+2");
	return refuse;
}
static void stop2(void *table, u32 n) { strcat(armed, "-2"); }
static const struct stp_family_ops family1 = { "one", start1, stop1 }, family2 = { "two", start2, stop2 };

static const struct stp_family families[] = {
	{ &stp_begin_family, begins, 3 }, { &family1, NULL, 0 }, { &family2, NULL, 0 },
	{ &stp_end_family, ends, 2 }, { &stp_error_family, errors, 1 },
};
const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI,
	.limits = { .string_len = STRING_LEN, .actions = 100, .actions_interruptible = 1000, .work = 1500,
		    .interruptible = true,
		    .nesting = 4, .skipped = 3, .errors = 1, .trylock = 5, .overload_interval = 1000,
		    .overload_threshold = 500 },
	.families = families, .nfamilies = 5, .globals = globals, .nglobals = 2, .frame_size = 100,
};

static void fail(struct stp_ctx *c)
{
	stp_div(c, 1, 0);
	STP_CHECK(c, "operator '/' at t:2:9", out);
	stp_log(c, "unreachable");
out:;
}

static void leave(struct stp_ctx *c) { stp_exit(c); }
static void give_up(struct stp_ctx *c) { stp_session_fail("gave up"); }
static void abort_it(struct stp_ctx *c) { stp_exit(c); stp_fatal(c, ""); }

static void run(void (*at_begin)(struct stp_ctx *c), void (*at_end)(struct stp_ctx *c))
{
	session_renew();
	armed[0] = 0;
	behave = at_begin;
	behave_at_end = at_end;
	stp_session_start();
	stp_session_stop();
	stp_session_stop();
}

static u32 result(void)
{
	struct stp_summary sum = { 0 };

	stp_session_summary(&sum);
	return (u32)sum.rc;
}

static void lives(void)
{
	run(NULL, NULL);
	same_text("begin probes, then end probes", output, "begin1\nbegin2\nbegin3\nend1\nend(9)\n");
	same_text("families are armed in order, disarmed in reverse", armed, "+1+2-2-1");
	same_number("success", result(), 0);
	run(leave, NULL);
	same_text("exit() in a begin probe: the following are not run, end probes are", output,
		  "begin1\nbegin2\nend1\nend(9)\n");
	same_text("and nothing is armed", armed, "");
	same_text("the relay is asked to stop", messages, "EXIT\n");
	run(fail, NULL);
	same_text("an error below MAXERRORS goes on", output, "begin1\nbegin2\nbegin3\nend1\nend(9)\n");
	same_text("its message has the location", messages, "ERROR division by 0 near operator '/' at t:2:9 in probe begin\n");
	same_number("but the session has failed", result(), 1);
	run(fail, fail);
	same_text("MAXERRORS exceeded in an end probe: error probes", output, "begin1\nbegin2\nbegin3\nend1\nerror1\n");
	run(give_up, NULL);
	same_text("giving up: error probes instead of end probes", output, "begin1\nbegin2\nerror1\n");
	same_text("with its message", messages, "ERROR gave up\nEXIT\n");
	same_number("and fails", result(), 1);
	run(abort_it, NULL);
	same_text("abort() is quiet", messages, "EXIT\n");
	same_number("and no failure", result(), 0);
	refuse = -5;
	run(NULL, NULL);
	same_text("a family that cannot be armed: those before are disarmed", armed, "+1-1");
	same_text("error probes run", output, "begin1\nbegin2\nbegin3\nerror1\n");
	refuse = 0;
	kill_in_start = true;
	run(NULL, NULL);
	same_text("a process that is killed while probes are armed: the others are not armed", armed, "+1-1");
	same_text("end probes run", output, "begin1\nbegin2\nbegin3\nend1\nend(9)\n");
	kill_in_start = process_killed = false;
	session_renew();
	stp_session_stop();
	same_text("stop without start runs nothing", output, "");
}

static void settings(void)
{
	session_renew();
	same_number("number=0x1F", stp_session_set("number=0x1F"), 0);
	same_number("is 31", g_number, 31);
	stp_session_set("number=-12");
	same_number("number=-12", g_number, -12);
	stp_session_set("number=017");
	same_number("number=017", g_number, 15);
	same_number("number=abc is refused", stp_session_set("number=abc"), -STP_EINVAL);
	same_number("a digit is not @", stp_session_set("number=@"), -STP_EINVAL);
	same_number("nor `", stp_session_set("number=1`"), -STP_EINVAL);
	same_number("nor @ in hexadecimal", stp_session_set("number=0x@"), -STP_EINVAL);
	same_number("nor G", stp_session_set("number=0xG"), -STP_EINVAL);
	same_number("a blank is refused", stp_session_set("number= 1"), -STP_EINVAL);
	same_number("number= is refused", stp_session_set("number="), -STP_EINVAL);
	same_number("a number too large is refused", stp_session_set("number=99999999999999999999"), -STP_ERANGE);
	same_number("one more than the largest", stp_session_set("number=9223372036854775808"), -STP_ERANGE);
	same_number("one less than the least", stp_session_set("number=-9223372036854775809"), -STP_ERANGE);
	same_number("all bits in decimal", stp_session_set("number=18446744073709551615"), -STP_ERANGE);
	same_number("too many bits", stp_session_set("number=0x10000000000000000"), -STP_ERANGE);
	same_number("too many bits below 0", stp_session_set("number=-0x8000000000000001"), -STP_ERANGE);
	same_number("octal, one bit too many", stp_session_set("number=01000000000000000000000"), -STP_ERANGE);
	same_number("what is refused sets nothing", g_number, 15);
	stp_session_set("number=9223372036854775807");
	same_number("the largest", g_number, 9223372036854775807ll);
	stp_session_set("number=-9223372036854775808");
	same_number("the least", g_number, -9223372036854775807ll - 1);
	stp_session_set("number=0xffffffff81000000");
	same_number("an address", g_number, (s64)0xffffffff81000000ull);
	same_number("no such global", stp_session_set("numb=1"), -STP_ENOENT);
	same_number("no value", stp_session_set("number"), -STP_EINVAL);
	same_number("text=a=b", stp_session_set("text=a=b"), 0);
	same_text("is a=b", g_text, "a=b");
	same_number("a text too long is refused", stp_session_set("text=0123456789012345678901234567890123456789012345"
		    "678901234567890123456789"), -STP_E2BIG);
	same_text("and sets nothing", g_text, "a=b");
}

/* ------------------------------------------------------------------ handlers */

static struct stp_ctx *c;
static int hits;

static void hit(const struct stp_probe *p)
{
	if (!stp_ctx_enter(c))
		return;
	stp_handler_run(c, p);
	stp_ctx_leave(c);
}

static void running(void)
{
	session_renew();
	c = cpu_ctx[0];
	stp_session_start();
	forget();
}

static void count(struct stp_ctx *ctx) { hits++; }
static void nested(struct stp_ctx *ctx)
{
	static const struct stp_probe inner = { count };

	hit(&inner);
}
static bool never(void) { return false; }

static void gates(void)
{
	struct stp_probe p = { count };

	session_renew();
	c = cpu_ctx[0];
	hits = 0;
	hit(&p);
	same_number("no handler runs before the session does", hits, 0);
	same_number("and that is not counted as skipped", stp_session.skipped, 0);
	running();
	hit(&p);
	same_number("handlers run", hits, 1);
	p.condition = never;
	hit(&p);
	same_number("not when their condition is false", hits, 1);
	p = (struct stp_probe){ nested };
	hit(&p);
	same_number("a hit within a handler is skipped", hits, 1);
	same_number("and counted", stp_session.skipped, 1);
	hit(&p);
	stp_ctx_skip_stack(c);
	same_text("MAXSKIPPED not yet exceeded", messages, "");
	hit(&p);
	same_text("MAXSKIPPED exceeded", messages,
		  "ERROR Skipped too many probes, check MAXSKIPPED or try again with stap -t for more details.\nEXIT\n");
	p = (struct stp_probe){ count };
	hit(&p);
	same_number("no handler runs in the error state", hits, 1);
	running();
	stp_exit(c);
	hit(&p);
	same_number("nor after exit()", hits, 1);
	stp_session_stop();
	verdict(!strncmp(messages, "EXIT\n", 5) && strstr(output, "end1"), "end probes run then");
	verdict(!stp_ctx_enter(&stp_ctx_none), "CPUs without a context skip");
}

static void loops(struct stp_ctx *ctx)
{
	for (;;) {
		STP_ACTIONS(ctx, 1, "loop", out);
		hits++;
	}
out:;
}

static void catches_all(struct stp_ctx *ctx)
{
	char text[STRING_LEN];

	stp_div(ctx, 1, 0);
	STP_CHECK(ctx, "here", caught);
	stp_log(ctx, "unreachable");
caught:
	if (!stp_catch(ctx, text, sizeof(text)))
		return;
	stp_log(ctx, text);
	for (;;)
		STP_ACTIONS(ctx, 1, "loop", caught2);
caught2:
	if (stp_catch(ctx, NULL, 0))
		stp_log(ctx, "unreachable");
}

static int depth;
static void recurse(struct stp_ctx *ctx)
{
	char *f = stp_frame_enter(ctx, 10);

	STP_CHECK(ctx, "function recurse", out);
	memset(f, 'x', 10);
	depth++;
	recurse(ctx);
	STP_CHECK(ctx, "deeper", leave);
leave:
	stp_frame_leave(ctx, 10);
out:;
}

static void wide(struct stp_ctx *ctx)
{
	stp_frame_enter(ctx, 101);
	STP_CHECK(ctx, "function wide", out);
	hits++;
	stp_frame_leave(ctx, 101);
out:;
}

static void unbalanced(struct stp_ctx *ctx)
{
	stp_frame_enter(ctx, 50);
	stp_error(ctx, "in the middle");
}

static void budgets(void)
{
	struct stp_probe p = { loops, .needs_actions = true };

	running();
	hits = 0;
	hit(&p);
	same_number("a loop ends after MAXACTION", hits, 100);
	same_text("and says so", messages, "ERROR MAXACTION exceeded near loop\n");
	hit(&p);
	same_number("the next hit has a budget of its own", hits, 200);
	running();
	p.handler = catches_all;
	hit(&p);
	same_text("catch sees the text without the location", output, "division by 0\n");
	same_text("but not MAXACTION", messages, "ERROR MAXACTION exceeded near loop\n");
	running();
	p.handler = recurse;
	hit(&p);
	same_number("nesting ends", depth, 5);
	same_text("with an error", messages, "ERROR MAXNESTING exceeded near function recurse, called from deeper\n");
	depth = 0;
	hit(&p);
	same_number("and starts again", depth, 5);
	running();
	p.handler = wide;
	hits = 0;
	hit(&p);
	verdict(!hits && strstr(messages, "near function wide"), "frames end");
	p.handler = unbalanced;
	hit(&p);
	verdict(c->frame + 100 == c->frame_end && c->nesting == 5, "the context is mended after an error");
}

static void slow(struct stp_ctx *ctx) { cycles += 100; }

static void quick(struct stp_ctx *ctx) { }

static void overload(void)
{
	struct stp_probe p = { slow, .needs_actions = true }, other = { quick };
	int i, entries;
	u64 outside;

	running();
	cycles = 1;
	for (i = 0; i < 20; i++) {
		hit(&p);
		cycles += 400;
	}
	same_text("20 % of the time is not an overload", messages, "");
	for (i = 0; i < 7 && !*messages; i++)
		hit(&p);
	same_text("more than the threshold is", messages, "ERROR probe overhead exceeded threshold\nEXIT\n");
	running();
	cycles = 1;
	outside = stp_lost(STP_LOSS_OUTSIDE);
	stp_ctx_enter(c);
	for (i = 0; i < 20; i++)
		stp_handler_run(c, &p);
	stp_ctx_leave(c);
	same_number("an overload ends with the handler", cycles, 1 + 600);
	same_number("whose successors are counted", stp_lost(STP_LOSS_OUTSIDE) - outside, 14);
	running();
	p.needs_actions = false;
	cycles = 1000000;
	for (i = 0; i < 20 * STP_SAMPLE && !*messages; i++) {
		cycles -= 100 - (i & 1);    /* advances little between hits, as if many CPUs had hits */
		hit(&p);
	}
	verdict(*messages == 'E', "sampled handlers are, too");
	running();
	cycles = 1000000;
	for (i = 0; i < 40 * STP_SAMPLE && !*messages; i++) {
		cycles -= i & 1 ? 100 - (i & 2) / 2 : 0;
		hit(i & 1 ? &p : &other);
	}
	verdict(*messages == 'E', "and those that are hit in turn");
	for (i = 0; i < 2; i++) {
		running();
		p.needs_actions = i;
		cycles = 1000000;
		for (entries = 0; entries < 20 * STP_SAMPLE && !*messages; entries++) {
			cycles -= 100 - (entries & 1);
			stp_ctx_enter(c);
			stp_entry_run(c, &p, slow);
			stp_ctx_leave(c);
		}
		verdict(*messages == 'E' && (i ? entries < 10 : entries > 10), i ? "values of @entry()" : "sampled ones");
	}
}

int main(void)
{
	lives();
	settings();
	gates();
	budgets();
	overload();
	return finish();
}
