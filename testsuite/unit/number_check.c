/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing of external numbers (number.h): range, overflow and the end of each number. */
#include "../../runtime/include/number.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *text;
	int base;
	int64_t min, max;
	bool good;
	int64_t value;
} rows[] = {
	{ "0", 10, 0, 9, true, 0 },
	{ "9", 10, 0, 9, true, 9 },
	{ "10", 10, 0, 9, false },
	{ "-1", 10, 0, 9, false },
	{ "9223372036854775807", 10, INT64_MIN, INT64_MAX, true, INT64_MAX },
	{ "9223372036854775808", 10, INT64_MIN, INT64_MAX, false },
	{ "-9223372036854775808", 10, INT64_MIN, INT64_MAX, true, INT64_MIN },
	{ "-9223372036854775809", 10, INT64_MIN, INT64_MAX, false },
	{ "18446744073709551617", 10, INT64_MIN, INT64_MAX, false },
	{ "-18446744073709551615", 10, INT64_MIN, INT64_MAX, false },
	{ "0x7fffffffffffffff", 0, INT64_MIN, INT64_MAX, true, INT64_MAX },
	{ "0x8000000000000000", 0, INT64_MIN, INT64_MAX, false },
	{ "0x10000000000000000", 0, INT64_MIN, INT64_MAX, false },
	{ "-0x10", 0, -16, 0, true, -16 },
	{ "010", 0, 0, 99, true, 8 },
	{ "010", 10, 0, 99, true, 10 },
	{ "08", 0, 0, 99, false },
	{ "0x", 0, 0, 99, false },
	{ "0x", 16, 0, 99, false },
	{ "0xg", 0, 0, 99, false },
	{ "1e3", 10, 0, 9999, false },
	{ "0x10", 10, 0, 9999, false },
	{ "+5", 10, 0, 9, true, 5 },
	{ "+-5", 10, -9, 9, false },
	{ "-", 10, -9, 9, false },
	{ "", 10, -9, 9, false },
	{ " 5", 10, 0, 9, false },
	{ "5 ", 10, 0, 9, false },
};

static bool reads_tables(void)
{
	bool good = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t n = 0;
		bool found = number_whole(rows[i].text, rows[i].base, rows[i].min, rows[i].max, &n);

		if (found == rows[i].good && (!found || n == rows[i].value))
			continue;
		fprintf(stderr, "\"%s\": %d %lld\n", rows[i].text, found, (long long)n);
		good = false;
	}
	return good;
}

static bool keeps_64_bits(void)
{
	const char *text = "0xffffffffffffffff rest", *large = "18446744073709551616,";
	uint64_t n = 0;

	return number_unsigned(&text, 0, &n) == NUMBER_GOOD && n == UINT64_MAX && !strcmp(text, " rest") &&
	       number_unsigned(&large, 10, &n) == NUMBER_TOO_LARGE && !strcmp(large, ",");
}

int main(void)
{
	static const struct { const char *claim; bool (*test)(void); } tests[] = {
		{ "a number is in its range, and all of the text", reads_tables },
		{ "unsigned numbers have 64 bits", keeps_64_bits },
	};
	int failed = 0;

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		bool good = tests[i].test();

		printf("%sok %s\n", good ? "" : "not ", tests[i].claim);
		failed += !good;
	}
	return failed != 0;
}
