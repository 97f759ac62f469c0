// SPDX-License-Identifier: GPL-2.0-or-later
// -i: a prompt. In: lines of probes, functions and globals, and commands. A part is added to the script if pass 2
// accepts the script with it. Each check and run is another stap with the same options and the script as an argument,
// so that messages name it "<input>", or in a temporary file if it is too long. If it ends, or an interrupt ends it,
// the prompt remains.
#include "config.h"
#include "driver/prompt.h"
#include "editor/complete.h"
#include "parse/source_tokens.h"
#include "util/spawn.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#ifdef HAVE_LIBREADLINE
#include <readline/history.h>
#include <readline/readline.h>
#endif

// Static, since readline's functions have no argument for it.
static struct {
	struct session *s;
	name_list parts;           // parts of the script
	name_list options;         // options of the runs
	bool terminal, quit, failed;
	volatile bool interrupted; // by a signal since read_entry()
} prompt;

// ---------------------------------------------------------------- runs of stap

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) == EOF || fclose(f))
		fprintf(stderr, "cannot write \"%s\": %s\n", path, strerror(errno));
}

static char *whole_script(const char *more)
{
	struct buf b = { 0 };

	for vec_each(&prompt.parts, part)
		buf_printf(&b, "%s\n", *part);
	buf_puts(&b, more);
	return buf_text(&b);
}

// Longer arguments may be refused by the kernel, which takes 128 KiB.
#define MAX_ARGUMENT 100000

// Runs stap on the script, or checks it by pass 2: a probe that is never hit is added, since a script without
// probes is invalid. Returns true on success.
static bool run_stap(const char *script, bool check, bool quiet)
{
	static const char *const checking[] = { "-p2", "-E", "probe never {}" };
	bool is_long = strlen(script) > MAX_ARGUMENT;
	const char *path = str_printf("%s/script.stp", prompt.s->tmp_dir);
	VEC(const char *) argv = { 0 };
	struct spawn run = { .capture = quiet };

	if (is_long)
		write_text(path, script);
	vec_push(&argv, "/proc/self/exe");
	for vec_each(&prompt.options, word)
		vec_push(&argv, *word);
	for (size_t i = 0; check && i < ARRAY_SIZE(checking); i++)
		vec_push(&argv, checking[i]);
	if (!is_long)
		vec_push(&argv, "-e");
	vec_push(&argv, is_long ? path : script);
	for vec_each(&prompt.s->opt.args, word)
		vec_push(&argv, *word);
	vec_push(&argv, NULL);
	run.argv = argv.at;
	fflush(stdout);
	return spawn_run(&run) == 0;
}

// Checks the script with an additional part. Prints messages if it is rejected.
static bool is_accepted(const char *script)
{
	return run_stap(script, true, true) || run_stap(script, true, false);
}

static bool add(const char *text)
{
	if (!is_accepted(whole_script(text))) {
		fprintf(stderr, "not added\n");
		prompt.failed = true;
		return false;
	}
	vec_push(&prompt.parts, text);
	return true;
}

// ---------------------------------------------------------------- commands

static void add_command(const char *text)
{
	add(text);
}

static void list_command(const char *arg)
{
	for (int i = 0; i < prompt.parts.n; i++)
		printf("%d: %s\n", i + 1, prompt.parts.at[i]);
}

// Parses the number of a part. Returns 0 if it is invalid, which is reported.
static int part_number(const char *arg)
{
	int64_t n;

	if (str_number(arg, 1, prompt.parts.n, &n))
		return (int)n;
	fprintf(stderr, "invalid number \"%s\": \"list\" shows the %d parts of the script\n", arg, prompt.parts.n);
	prompt.failed = true;
	return 0;
}

static void delete_command(const char *arg)
{
	int n;

	if (!strcmp(arg, "all")) {
		prompt.parts.n = 0;
		return;
	}
	n = part_number(arg);
	if (!n)
		return;
	for (int i = n; i < prompt.parts.n; i++)
		prompt.parts.at[i - 1] = prompt.parts.at[i];
	prompt.parts.n--;
}

static void load_command(const char *arg)
{
	char *text = str_read_file(arg, NULL);
	size_t len;

	if (!text) {
		fprintf(stderr, "cannot read \"%s\": %s\n", arg, strerror(errno));
		prompt.failed = true;
		return;
	}
	for (len = strlen(text); len && isspace((unsigned char)text[len - 1]); len--)
		text[len - 1] = '\0';
	add(text);
}

static void save_command(const char *arg)
{
	if (*arg)
		write_text(arg, whole_script(""));
	else
		fprintf(stderr, "missing file name: save FILE\n");
}

// Opens the editor on a part, or on the whole script, which becomes one part.
static void edit_command(const char *arg)
{
	const char *editor = getenv("VISUAL") ? getenv("VISUAL") : getenv("EDITOR") ? getenv("EDITOR") : "vi";
	const char *path = str_printf("%s/edit.stp", prompt.s->tmp_dir);
	const char *argv[] = { "sh", "-c", str_printf("%s \"$1\"", editor), editor, path, NULL };
	struct spawn run = { .argv = argv };
	name_list before = prompt.parts;
	int n = *arg ? part_number(arg) : 0;

	if (*arg && !n)
		return;
	write_text(path, n ? prompt.parts.at[n - 1] : whole_script(""));
	if (spawn_run(&run))
		return;
	prompt.parts = (name_list){ 0 };
	for (int i = 0; n && i < before.n; i++)
		if (i != n - 1)
			vec_push(&prompt.parts, before.at[i]);
	prompt.failed = false;
	load_command(path);
	if (prompt.failed)
		prompt.parts = before;
}

// Adds the words of a line, as a shell splits it, to the options. Returns false, with a message, if that fails.
static bool add_options(const char *line)
{
	wordexp_t found;

	if (wordexp(line, &found, WRDE_NOCMD | WRDE_UNDEF)) {
		fprintf(stderr, "cannot divide the options into words: unterminated quote or invalid expansion in %s\n", line);
		prompt.failed = true;
		return false;
	}
	for (size_t i = 0; i < found.we_wordc; i++)
		vec_push(&prompt.options, str_dup(found.we_wordv[i]));
	wordfree(&found);
	return true;
}

static void run_command(const char *arg)
{
	int before = prompt.options.n;

	if (!prompt.parts.n) {
		fprintf(stderr, "the script is empty: type a probe, such as probe begin { println(\"hello\") exit() }\n");
		return;
	}
	if (add_options(arg))
		prompt.failed |= !run_stap(whole_script(""), false, false);
	prompt.options.n = before;
}

// Adds options for later runs.
static void set_command(const char *arg)
{
	add_options(arg);
}

static void show_command(const char *arg)
{
	for vec_each(&prompt.options, word)
		printf("%s ", *word);
	puts("");
}

static void sample_command(const char *arg)
{
	const char *argv[] = { "/proc/self/exe",
			       *arg ? str_printf("--example=%s", arg) : "--example", *arg ? "--show" : NULL, NULL };
	struct spawn run = { .argv = argv };

	fflush(stdout);
	spawn_run(&run);
}

static void quit_command(const char *arg)
{
	prompt.quit = true;
}

static void help_command(const char *arg);

static const struct command {
	const char *name, *argument, *help;
	void (*run)(const char *arg);
} commands[] = {
	{ "add", "TEXT", "add a probe, function or global; \"add\" may be omitted before these", add_command },
	{ "list", "", "print the parts of the script", list_command },
	{ "delete", "N|all", "remove a part", delete_command },
	{ "edit", "[N]", "open $VISUAL or $EDITOR on a part or on the whole script", edit_command },
	{ "load", "FILE", "add a script", load_command },
	{ "save", "FILE", "write the script to a file", save_command },
	{ "run", "[OPTIONS]", "run the script, with more options; an interrupt from the keyboard ends it", run_command },
	{ "set", "OPTIONS", "add options of stap for checks and runs, such as --vm", set_command },
	{ "show", "", "print these options", show_command },
	{ "sample", "[NAME]", "list the example scripts, or print one", sample_command },
	{ "help", "", "print this list", help_command },
	{ "quit", "", "end the prompt, as the end of the input does", quit_command },
	{ "exit", "", "the same as quit", quit_command },
};

static void help_command(const char *arg)
{
	for (const struct command *c = commands; c < END(commands); c++)
		printf("%-14s %s\n", str_printf("%s %s", c->name, c->argument), c->help);
}

static void execute(const char *line)
{
	size_t len = strcspn(line, " \t\n");

	for (const struct command *c = commands; c < END(commands); c++)
		if (strlen(c->name) == len && !strncmp(line, c->name, len)) {
			const char *arg = line + len + strspn(line + len, " \t\n");

			if (*arg && !*c->argument) {
				fprintf(stderr, "%s takes no argument: %s\n", c->name, arg);
				prompt.failed = true;
			} else {
				c->run(arg);
			}
			return;
		}
	add(line);
}

// ---------------------------------------------------------------- lines

// Returns true if brackets are open at the end of the text.
static bool is_open(const char *text)
{
	struct source source = { .name = "<prompt>", .text = text, .len = strlen(text) };
	source_token_list tokens = { 0 };
	int depth = 0;

	source_tokens_read(&source, &tokens);
	for vec_each(&tokens, t)
		switch (t->kind) {
		case TOK_LBRACE: case TOK_LPAREN: case TOK_LBRACKET: case TOK_COND_IF: depth++; break;
		case TOK_RBRACE: case TOK_RPAREN: case TOK_RBRACKET: case TOK_COND_END: depth--; break;
		case TOK_JUNK:
			if (str_starts(t->text, "/*") || str_starts(t->text, "%{"))
				return true;
			break;
		default: break;
		}
	return depth > 0;
}

#ifdef HAVE_LIBREADLINE
static char *next_completion(const char *text, int state)
{
	static name_list found;
	static int at;

	if (!state) {
		found = (name_list){ 0 };
		at = 0;
		complete_script(prompt.s, text, &found);
		for (const struct command *c = commands; c < END(commands); c++)
			vec_push(&found, c->name);
		complete_sort(&found, text);
	}
	return at < found.n ? strdup(found.at[at++]) : NULL;
}

static char **complete(const char *text, int start, int end)
{
	rl_attempted_completion_over = !str_starts(rl_line_buffer, "load ") && !str_starts(rl_line_buffer, "save ");
	rl_completion_append_character = '\0';
	return rl_attempted_completion_over ? rl_completion_matches(text, next_completion) : NULL;
}

// Reads a key for readline(). An interrupt discards the line, and readline() returns.
static int read_key(FILE *in)
{
	unsigned char key;
	ssize_t n = -1;

	errno = EINTR;
	while (!prompt.interrupted && n < 0 && errno == EINTR) {
		n = read(fileno(in), &key, 1);
		if (n < 0)
			rl_check_signals();    // calls on_interrupt()
	}
	if (!prompt.interrupted)
		return n == 1 ? key : EOF;
	rl_replace_line("", 0);
	return '\n';
}

static void open_terminal(void)
{
	rl_attempted_completion_function = complete;
	rl_completer_word_break_characters = "";
	rl_getc_function = read_key;
	read_history(str_printf("%s/history", session_user_dir()));
}

static void close_terminal(void)
{
	write_history(str_printf("%s/history", session_user_dir()));
}

static char *read_line(const char *text)
{
	char *line;

	if (prompt.terminal) {
		line = readline(text);
		if (line && *line)
			add_history(line);
		return line;
	}
#else
static void open_terminal(void)
{
}

static void close_terminal(void)
{
}

static char *read_line(const char *text)
{
	char *line;

	if (prompt.terminal) {
		fputs(text, stdout);
		fflush(stdout);
	}
#endif
	line = NULL;
	if (getline(&line, &(size_t){ 0 }, stdin) < 0)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return line;
}

// Reads a line and the lines that continue it. Returns NULL at the end of the input.
static char *read_entry(void)
{
	char *line, *more;

	do {
		prompt.interrupted = false;
		line = read_line("stap> ");
		if (!line)
			return NULL;
		while (!prompt.interrupted && is_open(line) && (more = read_line("> ")))
			line = str_printf("%s\n%s", line, more);
	} while (prompt.interrupted);
	line += strspn(line, " \t\n");
	line = str_dup(line);
	for (size_t len = strlen(line); len && isspace((unsigned char)line[len - 1]); len--)
		line[len - 1] = '\0';
	return line;
}

static void on_interrupt(int sig)
{
	prompt.interrupted = true;
}

int prompt_run(struct session *s)
{
	struct sigaction sa = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
	char *line;

	prompt.s = s;
	prompt.terminal = isatty(STDIN_FILENO);
	for vec_each(&s->opt.words, word)
		vec_push(&prompt.options, *word);
	sigaction(SIGINT, &sa, NULL);
	open_terminal();
	if (prompt.terminal)
		puts("Type probes and functions, \"run\", \"help\" or \"quit\".");
	if (s->opt.script_file)
		load_command(s->opt.script_file);
	while (!prompt.quit && (line = read_entry()))
		if (*line)
			execute(line);
	close_terminal();
	return prompt.failed && !prompt.terminal ? EXIT_FAILURE : EXIT_SUCCESS;
}
