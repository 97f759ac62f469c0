// SPDX-License-Identifier: GPL-2.0-or-later
// Embeds the files of html/, so that a report can be made without installed data. HTML_DIR is their directory.
#include "html_files.h"

#define EMBED(symbol, path) \
	__asm__(".pushsection .rodata\n" #symbol ": .incbin \"" HTML_DIR path "\"\n" #symbol "_end: .byte 0\n.popsection"); \
	extern const char symbol[], symbol##_end[]

EMBED(html_page_css, "page.css");
EMBED(html_d3, "vendor/d3.min.js");
EMBED(html_flamegraph, "vendor/d3-flamegraph.umd.min.js");
EMBED(html_values, "values.js");
EMBED(html_flame, "flame.js");
EMBED(html_time, "time.js");
EMBED(html_compare, "compare.js");
EMBED(html_page, "page.js");

static void put(FILE *to, const char *element, const char *from, const char *end)
{
	fprintf(to, "<%s>\n", element);
	fwrite(from, 1, end - from, to);
	fprintf(to, "\n</%s>\n", element);
}

void html_put_files(FILE *to)
{
	put(to, "style", html_page_css, html_page_css_end);
	put(to, "script", html_d3, html_d3_end);
	put(to, "script", html_flamegraph, html_flamegraph_end);
	put(to, "script", html_values, html_values_end);
	put(to, "script", html_flame, html_flame_end);
	put(to, "script", html_time, html_time_end);
	put(to, "script", html_compare, html_compare_end);
	put(to, "script", html_page, html_page_end);
}
