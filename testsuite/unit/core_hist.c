/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms as text, compared with the expected text. */
#include "core_platform.h"

const struct stp_module stp_module = { .abi = STP_GENERATED_ABI, .limits = LIMITS };

#define SIZE(buckets) (sizeof(struct stp_stat) + 8 * (buckets))
static const struct stp_stat_desc logs = { .ops = STP_HIST_LOG, .buckets = 128, .size = SIZE(128) };
static const struct stp_stat_desc linear = { .ops = STP_HIST_LINEAR, .buckets = 12, .size = SIZE(12), .low = 0,
					     .high = 100, .step = 10 };
#define BAR10 "@@@@@@@@@@"
#define NO10 "          "
#define HEAD "value |--------------------------------------------------"

static struct stp_ctx *c;
static struct stp_stat *s;

static void fresh(const struct stp_stat_desc *d)
{
	free(s);
	s = calloc(1, d->size);
}

static void add(const struct stp_stat_desc *d, s64 v, int times)
{
	while (times--)
		stp_stat_add(s, d, v);
}

static const char *text(const struct stp_stat_desc *d)
{
	static char buffer[20000];

	stp_sprint_hist(c, buffer, sizeof(buffer), s, d);
	return buffer;
}

static void of_powers(void)
{
	fresh(&logs);
	same_text("an empty histogram prints nothing", text(&logs), "");
	same_text("but an error", c->error ? c->error : "", "empty aggregate");
	c->error = NULL;
	add(&logs, 40, 2);
	add(&logs, 70, 1);
	add(&logs, 1025, 4);
	same_text("a count a character up to the width", text(&logs),
		  HEAD " count\n"
		  "    8 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "   16 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "   32 |@@        " NO10 NO10 NO10 NO10 " 2\n"
		  "   64 |@         " NO10 NO10 NO10 NO10 " 1\n"
		  "  128 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "  256 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "  512 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  " 1024 |@@@@      " NO10 NO10 NO10 NO10 " 4\n"
		  " 2048 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  " 4096 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "\n");
	fresh(&logs);
	add(&logs, 512, 274);
	add(&logs, 1024, 2474);
	add(&logs, 2048, 1547);
	same_text("larger counts are scaled", text(&logs),
		  HEAD " count\n"
		  "  128 |" NO10 NO10 NO10 NO10 NO10 "    0\n"
		  "  256 |" NO10 NO10 NO10 NO10 NO10 "    0\n"
		  "  512 |@@@@@     " NO10 NO10 NO10 NO10 "  274\n"
		  " 1024 |" BAR10 BAR10 BAR10 BAR10 "@@@@@@@@@  2474\n"
		  " 2048 |" BAR10 BAR10 BAR10 NO10 NO10 " 1547\n"
		  " 4096 |" NO10 NO10 NO10 NO10 NO10 "    0\n"
		  " 8192 |" NO10 NO10 NO10 NO10 NO10 "    0\n"
		  "\n");
}

static void far_apart(void)
{
	fresh(&logs);
	add(&logs, -3, 1);
	add(&logs, 1 << 20, 3);
	same_text("a gap of more than four rows is a tilde, labels may be wide and negative", text(&logs),
		  "  " HEAD " count\n"
		  "     -8 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "     -4 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "     -2 |@         " NO10 NO10 NO10 NO10 " 1\n"
		  "     -1 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "      0 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "        ~\n"
		  " 262144 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  " 524288 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "1048576 |@@@       " NO10 NO10 NO10 NO10 " 3\n"
		  "2097152 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "4194304 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "\n");
	fresh(&logs);
	add(&logs, (s64)(1ull << 63), 1);
	add(&logs, (s64)(~0ull >> 1), 1);
	same_text("the extremes", text(&logs),
		  "               " HEAD " count\n"
		  "-9223372036854775808 |@         " NO10 NO10 NO10 NO10 " 1\n"
		  "-4611686018427387904 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "-2305843009213693952 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "                     ~\n"
		  " 1152921504606846976 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  " 2305843009213693952 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  " 4611686018427387904 |@         " NO10 NO10 NO10 NO10 " 1\n"
		  "\n");
}

static void at_the_limits(void)
{
	fresh(&logs);
	add(&logs, 1, 100);
	add(&logs, 32, 51);
	same_text("a gap of four rows is shown, twice the width is scaled by two", text(&logs),
		  HEAD " count\n"
		  "    0 |" NO10 NO10 NO10 NO10 NO10 "   0\n"
		  "    1 |" BAR10 BAR10 BAR10 BAR10 BAR10 " 100\n"
		  "    2 |" NO10 NO10 NO10 NO10 NO10 "   0\n"
		  "    4 |" NO10 NO10 NO10 NO10 NO10 "   0\n"
		  "    8 |" NO10 NO10 NO10 NO10 NO10 "   0\n"
		  "   16 |" NO10 NO10 NO10 NO10 NO10 "   0\n"
		  "   32 |" BAR10 BAR10 "@@@@@     " NO10 NO10 "  51\n"
		  "   64 |" NO10 NO10 NO10 NO10 NO10 "   0\n"
		  "  128 |" NO10 NO10 NO10 NO10 NO10 "   0\n"
		  "\n");
}

static void of_ranges(void)
{
	char small[40];

	fresh(&linear);
	add(&linear, 5, 1);
	add(&linear, 35, 2);
	same_text("a linear histogram within its range", text(&linear),
		  HEAD " count\n"
		  "    0 |@         " NO10 NO10 NO10 NO10 " 1\n"
		  "   10 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "   20 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "   30 |@@        " NO10 NO10 NO10 NO10 " 2\n"
		  "   40 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "   50 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "\n");
	add(&linear, -1, 1);
	add(&linear, 1000, 1);
	same_text("rows for what is below and above", text(&linear),
		  HEAD " count\n"
		  "   <0 |@         " NO10 NO10 NO10 NO10 " 1\n"
		  "    0 |@         " NO10 NO10 NO10 NO10 " 1\n"
		  "   10 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "   20 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "   30 |@@        " NO10 NO10 NO10 NO10 " 2\n"
		  "   40 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "   50 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "      ~\n"
		  "   80 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  "   90 |" NO10 NO10 NO10 NO10 NO10 " 0\n"
		  " >100 |@         " NO10 NO10 NO10 NO10 " 1\n"
		  "\n");
	stp_sprint_hist(c, small, sizeof(small), s, &linear);
	same_text("a string truncates it", small, "value |--------------------------------");
	stp_sprint_hist(c, small, sizeof(small), NULL, &linear);
	same_text("an absent element", small, "");
}

int main(void)
{
	session_renew();
	c = cpu_ctx[0];
	of_powers();
	far_apart();
	at_the_limits();
	of_ranges();
	free(s);
	return finish();
}
