/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings, division, regular expressions' automata. */
#include "core_platform.h"

#include <sys/mman.h>

static struct stp_map words = { "words", 1, STP_LONG, { STP_STRING }, .capacity = 100 };
static struct stp_map *const maps[] = { &words };
const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI, .limits = LIMITS, .arrays = &stp_array_ops,
	.maps = maps, .nmaps = 1
};

static void addresses(void)
{
	char text[24], *want = "0x0 0xffffffff81000000";
	u32 len = 0, size, wrong = 0;

	stp_list_address(text, sizeof(text), &len, 0);
	stp_list_address(text, sizeof(text), &len, 0xffffffff81000000ull);
	same_text("addresses of a list", text, want);
	same_number("its length", len, (s64)strlen(want));
	for (size = 4; size < sizeof(text); size++) {
		len = 0;
		memset(text, '#', sizeof(text));
		stp_list_address(text, size, &len, 0);
		wrong += stp_list_address(text, size, &len, 0xffffffff81000000ull) != (size == 23);
		wrong += strcmp(text, size == 23 ? want : "0x0") || text[size] != '#';
	}
	same_number("an address is appended whole or not", wrong, 0);
	for (size = 1, wrong = 0; size < 64; size++) {
		char one[24];

		len = 0;
		stp_list_address(text, sizeof(text), &len, 1ull << size);
		snprintf(one, sizeof(one), "0x%llx", 1ull << size);
		wrong += strcmp(text, one) || len != strlen(one);
	}
	same_number("addresses of every length", wrong, 0);
}

/* Searches all strings of a and b with up to 9 characters in all with up to 13. */
static void found(void)
{
	struct stp_ctx *c = stp_ctx_here();
	char text[16], what[16];
	u32 i, j, k, wrong = 0, spans = 0;

	for (i = 1; i < 1u << 14; i++) {
		for (k = 0; i >> k > 1; k++)
			text[k] = (char)('a' + (i >> k & 1));
		text[k] = 0;
		spans += stp_span(c, text, "a", true) != (s64)strspn(text, "a");
		spans += stp_span(c, text, "b", false) != (s64)strcspn(text, "b");
		for (j = 1; j < 1u << 10; j++) {
			const char *at;

			for (k = 0; j >> k > 1; k++)
				what[k] = (char)('a' + (j >> k & 1));
			what[k] = 0;
			at = strstr(text, what);
			wrong += stp_find(c, text, what) != (at ? at - text : -1);
		}
	}
	same_number("a string is found where it first stands", wrong, 0);
	same_number("characters of a set at the start", spans, 0);
	same_number("a set with bytes above 127", stp_span(c, "\xff\x80z", "\x80\xff", true), 2);
}

static void scaled(void)
{
	same_number("an event that always counted", stp_scaled(1000, 5, 5), 1000);
	same_number("never enabled", stp_scaled(7, 0, 0), 7);
	same_number("half of the time", stp_scaled(1001, 2000, 1000), 2002);
	same_number("a third, of hours", stp_scaled(1000000000000ll, 30000000000000ll, 10000000000000ll), 3000000000000ll);
	same_number("a tick of hours", stp_scaled(1, 1ull << 43, 1) > 0, 1);
}

static void copies(void)
{
	char text[16], want[16], from[32];
	int size, len, wrong = 0;

	for (size = 1; size < 12; size++) {
		for (len = 0; len < 20; len++) {
			memset(text, '#', sizeof(text));
			memset(from, 'a' + len, sizeof(from));
			from[len] = 0;
			snprintf(want, (size_t)size, "%s", from);
			stp_copy(text, from, (u32)size);
			wrong += strcmp(text, want) || text[size] != '#';
		}
	}
	same_number("copy truncates at every size", wrong, 0);
	strcpy(text, "same");
	stp_copy(text, text, sizeof(text));
	same_text("copy onto itself", text, "same");
}

static void appends(void)
{
	char text[16], want[40], from[20], before[20];
	int a, b, wrong = 0;

	for (a = 0; a < 10; a++) {
		for (b = 0; b < 15; b++) {
			memset(text, '#', sizeof(text));
			sprintf(before, "%.*s", a, "abcdefghijklmn");
			sprintf(from, "%.*s", b, "0123456789012345");
			strcpy(text, before);
			sprintf(want, "%s%s", before, from);
			want[9] = 0;
			stp_append(text, from, 10);
			wrong += strcmp(text, want) || text[10] != '#';
		}
	}
	same_number("append truncates at every size", wrong, 0);
	strcpy(text, "abc");
	stp_append(text, text, sizeof(text));
	same_text("append to itself", text, "abcabc");
	stp_append(text, text, 10);
	same_text("append to itself, cut", text, "abcabcabc");
}

static void comparisons(void)
{
	same_number("equal strings", stp_compare("abc", "abc"), 0);
	verdict(stp_compare("abc", "abd") < 0, "less");
	verdict(stp_compare("ab", "abc") < 0, "a prefix is less");
	verdict(stp_compare("\xff", "a") > 0, "bytes are unsigned");
	same_number("length", stp_strlen("12345"), 5);
}

/* Strings at the end of mapped memory. */
static void at_the_edge(void)
{
	static struct stp_format f = { NULL, 0, 's', 0, -1, -1 };
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), to[STRING_LEN];
	int len, wrong = 0;
	union stp_val v;

	mprotect(memory + 4096, 4096, PROT_NONE);
	for (len = 0; len < 40; len++) {
		char *s = memory + 4095 - len;

		memset(s, 'a', (size_t)len);
		s[len] = 0;
		stp_copy(to, s, sizeof(to));
		wrong += strcmp(to, s) != 0;
		v.s = s;
		stp_sprintf(cpu_ctx[0], to, sizeof(to), &f, 1, &v);
		wrong += strcmp(to, s) != 0;
		*(s64 *)stp_map_put(cpu_ctx[0], &words, &v) = len;
		v.s = to;
		wrong += !stp_map_get(&words, &v) || *(s64 *)stp_map_get(&words, &v) != len;
		if (len) {
			to[len - 1] = 'b';
			wrong += stp_map_get(&words, &v) != NULL;
		}
	}
	same_number("strings at the end of a page: copied, printed, found as keys", wrong, 0);
	munmap(memory, 8192);
}

static void division(struct stp_ctx *c)
{
	const s64 smallest = (s64)(1ull << 63);

	same_number("7 / -2", stp_div(c, 7, -2), -3);
	same_number("-7 % 4", stp_mod(c, -7, 4), -3);
	same_number("smallest / -1", stp_div(c, smallest, -1), smallest);
	same_number("smallest % -1", stp_mod(c, smallest, -1), 0);
	same_number("no error", c->error != NULL, 0);
	same_number("of a location, unsigned", stp_location_udiv(c, 0xf000000000000000, 7), 0x2249249249249249);
	same_number("of a location, the rest", stp_location_umod(c, 0xf000000000000000, 7), 1);
	stp_location_mod(c, 1, 0);
	same_text("of a location, by 0", c->error, "the variable is not available here: its location expression divides by 0");
	c->error = NULL;
	stp_div(c, 1, 0);
	same_text("division by 0", c->error ? c->error : "", "division by 0");
	c->error = NULL;
	stp_mod(c, 1, 0);
	same_text("modulo 0", c->error ? c->error : "", "division by 0");
	c->error = NULL;
}

/* a+b at the end of the text: states 0 start, 1 after a, 2 after ab; classes 0 other, 1 a, 2 b */
static void automaton(void)
{
	static u8 classes[256];
	static const u16 table[] = { 0, 1, 0,  0, 1, 2,  0, 1, 0 };
	static const u8 at_end[] = { 0, 0, 2 }, anywhere[] = { 0, 0, 1 };
	struct stp_regex r = { classes, table, at_end, 3, 0 };

	classes['a'] = 1;
	classes['b'] = 2;
	verdict(stp_regex_match(NULL, &r, "xxaab"), "matches at the end");
	verdict(!stp_regex_match(NULL, &r, "aabx"), "no match when text follows");
	verdict(!stp_regex_match(NULL, &r, ""), "no match of nothing");
	r.accept = anywhere;
	verdict(stp_regex_match(NULL, &r, "aabx\xff"), "matches anywhere");
	verdict(!stp_regex_match(NULL, &r, "a\xff" "b"), "bytes above 127");
}

int main(void)
{
	session_renew();
	found();
	addresses();
	scaled();
	copies();
	appends();
	comparisons();
	at_the_edge();
	division(cpu_ctx[0]);
	automaton();
	return finish();
}
