// SPDX-License-Identifier: GPL-2.0-or-later
// argstr of a return probe: it is made of the text that was saved at the entry, and of what the call wrote.
#include "core_platform.h"

#include <unistd.h>

#define SAVED 128

const struct stp_module stp_module = { .abi = STP_GENERATED_ABI, .limits = LIMITS };

// Command 5 changes a number that argument 2 points to; command 6 has no argument.
static const struct stp_syscall_command commands[] = {
	{ 5, 1, { { STP_ARG_lenp, 2, 0, true } } },
	{ 6, 0 },
};
static const struct stp_syscall call = {
	.name = "call", .kernel_name = "call", .long_size = 8, .nargs = 3,
	.args = { { STP_ARG_int, 0 }, { STP_ARG_int, 1 }, { STP_ARG_int, 2 } },
	.command = 1, .command_mask = ~0u, .ncommands = 2, .commands = commands,
};

static u32 length;
static char saved[SAVED], text[SAVED];
static u64 command_then;           // the command at the return
static const char *replaced;       // instead of the saved text, or NULL

// A handler: the entry of the call, then its return.
static void enter_and_return(struct stp_ctx *c)
{
	c->syscall = &call;
	c->arguments[0] = 3;
	c->arguments[1] = 5;
	c->arguments[2] = (u64)(unsigned long)&length;
	c->arguments[STP_SYSCALL_RESULT] = 0;
	c->call_text = saved;
	c->call_text_size = SAVED;
	length = (u32)-1;
	stp_syscall_save(c);
	if (replaced)
		strcpy(saved, replaced);
	c->arguments[1] = command_then;
	length = 16;
	stp_syscall_arguments(c, text, sizeof(text));
	c->call_text = NULL;
}

static void hit(u64 command, const char *instead, u64 budget)
{
	struct stp_probe p = { enter_and_return, .needs_actions = true };
	struct stp_ctx *c = session_run(budget);

	command_then = command;
	replaced = instead;
	text[0] = 0;
	if (stp_ctx_enter(c)) {
		stp_handler_run(c, &p);
		stp_ctx_leave(c);
	}
}

int main(void)
{
	char marks[SAVED];

	alarm(60);                 // an endless loop fails

	hit(5, NULL, 1 << 20);
	same_text("what a call changed is shown, with its value before", text, "3, 5, [-1 => 16]");
	hit(6, NULL, 1 << 20);
	same_text("a mark without an argument at the return is left out", text, "3, 5, ");
	hit(6, "a\3b\7\7c\2""12\7d\3""34", 1 << 20);
	same_text("and so are bytes that are not marks", text, "abc6d");
	hit(5, "a\3""34", 1 << 20);
	same_text("a mark that was cut is read", text, "a[34 => 16]");
	memset(marks, 7, sizeof(marks) - 1);
	marks[sizeof(marks) - 1] = 0;
	hit(5, marks, 2000);
	verdict(strstr(messages, "too much work for one hit") != NULL, "each mark is charged");
	return finish();
}
