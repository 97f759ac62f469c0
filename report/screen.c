// SPDX-License-Identifier: GPL-2.0-or-later
// The screen of stap --monitor, drawn with ncurses: a title with losses, the globals as tables, the histogram of the
// row under the cursor, the probes, the script's output. In: struct live, keys. Out: the terminal.
//
// A pane is one table, the list of probes, or the log. The pane with the focus has the cursor and its keys; Tab goes to
// the next one, Enter gives it the whole screen.
#include "screen.h"

#include "cells.h"
#include "live.h"

#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COLOR_OF_ERRORS = 1, COLOR_OF_TITLES, COLOR_OF_BARS, HISTOGRAM_ROWS = 12, FILTER_MAX = 60,
       ALL_PANES_HEIGHT = 9 };

static struct {
	FILE *terminal;
	SCREEN *of_terminal;
	size_t focus;                      // tables, then the probes, then the log
	size_t cursor, top;                // pane with the focus: selected row, first row shown
	unsigned column;                   // column by which tables are sorted: 0 the key, 1 the first value, ...
	bool rising, whole, paused, typing, can_switch, quitting, utf8, help;
	char filter[FILTER_MAX];
} view = { .column = 1 };

static size_t panes(void)
{
	return live.ntables + 2;
}

static bool is_probes(size_t pane)
{
	return pane == live.ntables;
}

static int attribute(int pair)
{
	return has_colors() ? COLOR_PAIR(pair) : pair == COLOR_OF_BARS ? A_NORMAL : A_BOLD;
}

int screen_open(bool can_switch)
{
	const char *name = getenv("TERM");

	view.terminal = fopen("/dev/tty", "r+e");
	if (!view.terminal)
		return -1;
	setlocale(LC_ALL, "");
	view.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	view.can_switch = can_switch;
	view.of_terminal = newterm(name, view.terminal, view.terminal);
	if (!view.of_terminal) {
		fclose(view.terminal);
		return -1;
	}
	set_term(view.of_terminal);
	if (!tigetstr("cup")) {                 // a terminal without it, as TERM=dumb, has only lines
		screen_close();
		return -1;
	}
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	if (has_colors() && !getenv("NO_COLOR")) {
		start_color();
		use_default_colors();
		init_pair(COLOR_OF_ERRORS, COLOR_RED, -1);
		init_pair(COLOR_OF_TITLES, COLOR_CYAN, -1);
		init_pair(COLOR_OF_BARS, COLOR_GREEN, -1);
	}
	return fileno(view.terminal);
}

void screen_close(void)
{
	if (!view.of_terminal)
		return;
	endwin();
	delscreen(view.of_terminal);
	view.of_terminal = NULL;
	fclose(view.terminal);
}

// ---------------------------------------------------------------- lines

// Writes text from column x on, cut at the edge of the screen, and clears the rest of the line.
static void put(int y, int x, int attributes, const char *text)
{
	char plain[1024];

	if (y < 0 || y >= LINES || x >= COLS)
		return;
	cells_plain(plain, sizeof(plain), text);
	move(y, x);
	clrtoeol();
	attron(attributes);
	addnstr(plain, cells_fit(plain, COLS - x));
	attroff(attributes);
}

static void draw_title(void)
{
	char line[1024], lost[512] = "nothing lost";
	const char *hosts = live_hosts();
	uint64_t seconds = live.now_ns > live.start_ns ? (live.now_ns - live.start_ns) / 1000000000 : 0;
	const struct live_line *l = NULL;

	snprintf(line, sizeof(line), " stap --monitor  %02llu:%02llu:%02llu  %s%s%s", (unsigned long long)seconds / 3600,
		 (unsigned long long)seconds / 60 % 60, (unsigned long long)seconds % 60, live.title ? live.title : "",
		 view.paused ? "  PAUSED" : "", view.quitting ? "  ending the script" : "");
	cells_pad(line, sizeof(line), COLS);
	put(0, 0, A_REVERSE, line);
	for (size_t i = 0; i < live.nlines && i < LIVE_LOG_LINES; i++)
		if (live.log[i].kind == LINE_LOSS)
			l = &live.log[i];
	if (live.lost)
		snprintf(lost, 128, "lost: %llu%s%.90s", (unsigned long long)live.lost, l ? ", " : "", l ? l->text : "");
	if (hosts)
		snprintf(lost + strlen(lost), sizeof(lost) - strlen(lost), "   %.300s", hosts);
	put(1, 0, live.lost || (hosts && strchr(hosts, ':')) ? attribute(COLOR_OF_ERRORS) | A_BOLD : A_NORMAL, lost);
}

static void draw_keys(void)
{
	char line[256];

	if (view.typing || *view.filter)
		snprintf(line, sizeof(line), "filter: %s%s", view.filter, view.typing ? "_  (Enter: keep it, Esc: show all)" : "");
	else
		snprintf(line, sizeof(line), "q quit  ? help  Tab pane  Enter full  < > sort  / filter  Space pause%s",
			 view.can_switch ? "  o on/off" : "");
	put(LINES - 1, 0, A_BOLD, line);
}

// ---------------------------------------------------------------- panes

// Keeps the cursor among the rows, and in sight.
static void place_cursor(size_t rows, int height)
{
	if (view.cursor >= rows)
		view.cursor = rows ? rows - 1 : 0;
	if (view.cursor < view.top)
		view.top = view.cursor;
	if (height > 0 && view.cursor >= view.top + (size_t)height)
		view.top = view.cursor - (size_t)height + 1;
}

static struct live_row **shown_rows(const struct live_table *t, size_t *n)
{
	return cells_sorted(t, view.column, view.rising, view.filter, n);
}

static int draw_table(size_t pane, int y, int height)
{
	struct live_table *t = live.tables[pane];
	bool focus = pane == view.focus;
	char line[1024];
	size_t n, top;
	struct live_row **rows = shown_rows(t, &n);

	cells_head(line, sizeof(line), t, view.column, view.rising, COLS);
	put(y++, 0, attribute(COLOR_OF_TITLES) | (focus ? A_REVERSE : A_BOLD), line);
	height--;
	if (focus)
		place_cursor(n, height);
	top = focus ? view.top : 0;
	for (int i = 0; i < height; i++) {
		*line = '\0';
		if (top + i < n)
			cells_row(line, sizeof(line), t, rows[top + i], COLS);
		put(y + i, 0, focus && top + i == view.cursor ? A_REVERSE : A_NORMAL, line);
	}
	free(rows);
	return y + height;
}

static int draw_probes(int y, int height)
{
	bool focus = is_probes(view.focus);
	char line[1024];
	size_t top;

	cells_probe_head(line, sizeof(line), COLS);
	put(y++, 0, attribute(COLOR_OF_TITLES) | (focus ? A_REVERSE : A_BOLD), line);
	height--;
	if (focus)
		place_cursor(live.nprobes, height);
	top = focus ? view.top : 0;
	for (int i = 0; i < height; i++) {
		*line = '\0';
		if (top + i < live.nprobes)
			cells_probe(line, sizeof(line), &live.probes[top + i], COLS);
		put(y + i, 0, focus && top + i == view.cursor ? A_REVERSE : A_NORMAL, line);
	}
	return y + height;
}

// The cursor of the log is the number of lines that were written after the last one that is shown.
static void draw_log(int y, int height)
{
	bool focus = view.focus == live.ntables + 1;
	size_t kept = live.nlines < LIVE_LOG_LINES ? live.nlines : LIVE_LOG_LINES, last, back = focus ? view.cursor : 0;
	char line[1024];

	if (back >= kept)
		back = view.cursor = kept ? kept - 1 : 0;
	last = live.nlines - back;
	snprintf(line, sizeof(line), "output%s", back ? " (scrolled back)" : "");
	cells_pad(line, sizeof(line), COLS);
	put(y++, 0, attribute(COLOR_OF_TITLES) | (focus ? A_REVERSE : A_BOLD), line);
	height--;
	for (int i = 0; i < height; i++) {
		size_t from_end = (size_t)(height - i);
		bool exists = from_end <= last && from_end + back <= kept;
		const struct live_line *l = exists ? &live.log[(last - from_end) % LIVE_LOG_LINES] : NULL;

		*line = '\0';
		if (l)
			cells_plain(line, sizeof(line), l->text);
		put(y + i, 0, l && l->kind != LINE_OUTPUT && l->kind != LINE_END ? attribute(COLOR_OF_ERRORS) : A_NORMAL, line);
	}
}

static const struct live_row *row_under_cursor(void)
{
	struct live_row **rows, *r = NULL;
	size_t n;

	if (view.focus >= live.ntables)
		return NULL;
	rows = shown_rows(live.tables[view.focus], &n);
	if (n)
		r = rows[view.cursor < n ? view.cursor : n - 1];
	free(rows);
	return r;
}

static int draw_histogram(const struct live_row *r, int y, int height)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s %s", live.tables[view.focus]->name, r->key);
	put(y++, 0, attribute(COLOR_OF_TITLES), line);
	for (int i = 1; i < height; i++) {
		cells_bar(line, sizeof(line), r->hist, (unsigned)(i - 1), (unsigned)height - 1, COLS, view.utf8);
		put(y++, 0, attribute(COLOR_OF_BARS), line);
	}
	return y;
}

// ---------------------------------------------------------------- the layout

static int wanted_height(size_t pane)
{
	size_t n;

	free(shown_rows(live.tables[pane], &n));
	return (int)(n < 1000 ? n : 1000) + 1;
}

// Returns the height that no table may exceed so that all fit: what small tables leave is for the large ones.
static int largest_height(const int *wanted, int left)
{
	int largest = 0, rest, large;

	do {
		rest = left;
		large = 0;
		for (size_t i = 0; i < live.ntables; i++) {
			large += wanted[i] > largest;
			rest -= wanted[i] > largest ? 0 : wanted[i];
		}
		if (!large || rest / large <= largest)
			break;
		largest = rest / large;
	} while (true);
	return largest > 2 ? largest : 2;
}

// Returns the first table to draw so that the one with the focus is among those that fit.
static size_t first_table(const int *heights, int left)
{
	size_t first = view.focus < live.ntables ? view.focus : 0;

	left -= live.ntables ? heights[first] : 0;
	for (; first && heights[first - 1] <= left; first--)
		left -= heights[first - 1];
	return first;
}

static int draw_tables(int y, int left)
{
	int *heights = calloc(live.ntables + 1, sizeof(*heights)), largest, end = y + left;

	if (!heights)
		abort();
	for (size_t i = 0; i < live.ntables; i++)
		heights[i] = wanted_height(i);
	largest = largest_height(heights, left);
	for (size_t i = 0; i < live.ntables; i++)
		heights[i] = heights[i] < largest ? heights[i] : largest;
	for (size_t i = first_table(heights, left); i < live.ntables && y + 2 <= end; i++)
		y = draw_table(i, y, heights[i] < end - y ? heights[i] : end - y);
	free(heights);
	return y;
}

static void draw_whole(int y, int height)
{
	const struct live_row *r = row_under_cursor();
	int rows = r && r->hist && height > 10 ? HISTOGRAM_ROWS < height / 2 ? HISTOGRAM_ROWS : height / 2 : 0;

	if (view.focus < live.ntables)
		y = draw_table(view.focus, y, height - rows);
	else if (is_probes(view.focus))
		draw_probes(y, height);
	else
		draw_log(y, height);
	if (rows)
		draw_histogram(r, y, rows);
}

static void draw_all(int y, int height)
{
	const struct live_row *r = row_under_cursor();
	int end = y + height, probes = (int)live.nprobes + 1, hist = r && r->hist && height > 16 ? height / 3 : 0, left;

	if (height < ALL_PANES_HEIGHT) {
		draw_whole(y, height);
		return;
	}
	if (probes > height / 4)
		probes = height / 4 > 2 ? height / 4 : 2;
	left = height - probes - height / 4 - hist;
	y = draw_tables(y, left);
	if (hist)
		y = draw_histogram(r, y, hist > HISTOGRAM_ROWS ? HISTOGRAM_ROWS : hist);
	if (y + probes <= end)
		y = draw_probes(y, probes);
	if (y + 1 < end)
		draw_log(y, end - y);
}

static void draw_help(int y)
{
	static const char *const lines[] = {
		"q              end the script, and leave when its end probes have run",
		"Tab            next pane; Shift-Tab: previous pane",
		"Enter          show this pane on the whole screen; again: all panes",
		"Up Down k j    move the cursor; also Page Up, Page Down and Home",
		"< >            sort by the previous or the next column",
		"0 to 9         sort by the key (0) or this column of values; again: reverse",
		"r              turn the direction",
		"/              show only rows whose key contains the text; Esc: all rows",
		"Space          pause the screen, not the script; again: continue",
		"o              switch the probe under the cursor on or off, or go to the probes",
		"",
		"Any key closes this help.",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		put(y + (int)i, 0, A_NORMAL, lines[i]);
}

static void draw(void)
{
	if (view.focus >= panes())
		view.focus = 0;
	erase();
	draw_title();
	if (view.help)
		draw_help(2);
	else if (view.whole)
		draw_whole(2, LINES - 3);
	else
		draw_all(2, LINES - 3);
	draw_keys();
	refresh();
}

void screen_draw(void)
{
	if (!view.paused)
		draw();
}

// ---------------------------------------------------------------- keys

// Bytes 10xxxxxx of UTF-8 continue a character.
static void delete_character(size_t len)
{
	while (len && view.utf8 && ((unsigned char)view.filter[len - 1] & 0xc0) == 0x80)
		len--;
	view.filter[len ? len - 1 : 0] = '\0';
}

static void type_filter(int key)
{
	size_t len = strlen(view.filter);

	if (key == 27)
		*view.filter = '\0';
	if (key == 27 || key == '\n' || key == '\r' || key == KEY_ENTER)
		view.typing = false;
	else if (key == KEY_BACKSPACE || key == 127 || key == 8)
		delete_character(len);
	else if (key >= ' ' && key < 256 && len + 1 < FILTER_MAX)
		view.filter[len] = (char)key, view.filter[len + 1] = '\0';
	view.cursor = view.top = 0;
}

static void go_to(size_t pane)
{
	view.focus = pane % panes();
	view.cursor = view.top = 0;
}

static void move_cursor(int by)
{
	bool log = view.focus == live.ntables + 1;

	by = log ? -by : by;
	view.cursor = by < 0 && view.cursor < (size_t)-by ? 0 : view.cursor + (size_t)by;
}

static unsigned columns_here(void)
{
	unsigned n = 2;

	for (size_t i = 0; i < live.ntables; i++)
		if (i == view.focus || view.focus >= live.ntables)
			n = live.tables[i]->ncolumns + 2 > n ? live.tables[i]->ncolumns + 2 : n;
	return n;
}

// The column that tables are sorted by already turns the direction.
static void sort_by(unsigned column)
{
	if (column >= columns_here())
		return;
	view.rising = view.column == column && !view.rising;
	view.column = column;
}

struct live_probe *screen_probe(void)
{
	return is_probes(view.focus) && view.cursor < live.nprobes ? &live.probes[view.cursor] : NULL;
}

static enum screen_wish command(int key)
{
	switch (key) {
	case 'q': view.quitting = true; return SCREEN_QUIT;
	case '\t': go_to(view.focus + 1); break;
	case KEY_BTAB: go_to(view.focus + panes() - 1); break;
	case '\n': case '\r': case KEY_ENTER: view.whole = !view.whole; break;
	case '<': view.column = view.column ? view.column - 1 : columns_here() - 1; break;
	case '>': view.column = (view.column + 1) % columns_here(); break;
	case '0' ... '9': sort_by((unsigned)(key - '0')); break;
	case 'r': view.rising = !view.rising; break;
	case '?': view.help = true; break;
	case '/': view.typing = true; break;
	case 27: *view.filter = '\0'; break;
	case ' ': view.paused = !view.paused; break;
	case KEY_UP: case 'k': move_cursor(-1); break;
	case KEY_DOWN: case 'j': move_cursor(1); break;
	case KEY_PPAGE: move_cursor(-10); break;
	case KEY_NPAGE: move_cursor(10); break;
	case KEY_HOME: view.cursor = view.top = 0; break;
	case 'o':
		if (view.can_switch && screen_probe())
			return SCREEN_SWITCH;
		if (view.can_switch)
			go_to(live.ntables);
		break;
	default: break;
	}
	return SCREEN_NOTHING;
}

// A pause stops refreshing, but keys still change the screen.
bool screen_key(enum screen_wish *wish)
{
	int key = getch();

	*wish = SCREEN_NOTHING;
	if (key == ERR)
		return false;
	if (view.help)
		view.help = key == KEY_RESIZE;
	else if (view.typing)
		type_filter(key);
	else if (key != KEY_RESIZE)
		*wish = command(key);
	draw();
	return true;
}
