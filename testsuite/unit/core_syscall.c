// SPDX-License-Identifier: GPL-2.0-or-later
// argstr of a return probe: it consists of the text that was saved at the entry, and of the data that the call
// wrote.
#include "core_platform.h"

#include <linux/dqblk_xfs.h>
#include <unistd.h>

#define SAVED 1024

const struct stp_module stp_module = { .abi = STP_GENERATED_ABI, .limits = LIMITS };

// Command 5 changes the number to which argument 2 points; command 6 has no argument.
static const struct stp_syscall_command commands[] = {
	{ 5, 1, { { STP_ARG_lenp, 2, 0, true } } },
	{ 6, 0 },
};
static const struct stp_syscall call = {
	.name = "call", .kernel_name = "call", .nargs = 3,
	.args = { { STP_ARG_int, 0 }, { STP_ARG_int, 1 }, { STP_ARG_int, 2 } },
	.command = 1, .command_mask = ~0u, .ncommands = 2, .commands = commands,
};

static u32 length;
static char saved[SAVED], text[SAVED];
static u64 command_then;           // value of the command at the return
static const char *replaced;       // text used instead of the saved one, or NULL

// Simulates a handler at the entry of the call, then at its return.
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

// State of quotas as written by a kernel: the offsets of the members are those of <linux/dqblk_xfs.h>.
static const struct stp_syscall xfs_call = { .name = "xfs", .kernel_name = "xfs", .nargs = 2,
	.args = { { STP_ARG_xfsstat, 0, 0, true }, { STP_ARG_xfsstatv, 1, 0, true } } };
static struct fs_quota_stat stat = { 1, 0x3, 0, { 128, 8, 2 }, { 129, 16, 3 }, 7, 604800, 604801, 604802, 5, 6 };
static struct fs_quota_statv statv = { 1, 0, 0x30, 9, { 128, 8, 2 }, { 129, 16, 3 }, { 130, 24, 4 }, 604800, -1, 2 };

static void state_of_quotas(struct stp_ctx *c)
{
	c->syscall = &xfs_call;
	c->arguments[0] = (u64)(unsigned long)&stat;
	c->arguments[1] = (u64)(unsigned long)&statv;
	c->arguments[STP_SYSCALL_RESULT] = 0;
	saved[0] = 0;
	c->call_text = saved;
	c->call_text_size = SAVED;
	stp_syscall_arguments(c, text, sizeof(text));
	c->call_text = NULL;
}

// A log of the verifier, in a buffer: it is saved as a mark at the entry, and read at the return although the call
// fails.
static const struct stp_syscall bpf_call = { .name = "bpf", .kernel_name = "bpf", .nargs = 3,
	.args = { { STP_ARG_int, 0 }, { STP_ARG_bpfattr, 1, 2 }, { STP_ARG_int, 2 } } };
static struct { u64 data; char *log; u32 size, log_size; } attr;
static char log_text[64];

static void written_log(struct stp_ctx *c)
{
	c->syscall = &bpf_call;
	c->arguments[0] = 18;              // BPF_BTF_LOAD
	c->arguments[1] = (u64)(unsigned long)&attr;
	c->arguments[2] = sizeof(attr);
	c->arguments[STP_SYSCALL_RESULT] = (u64)-22;
	c->call_text = saved;
	c->call_text_size = SAVED;
	strcpy(log_text, "before");
	stp_syscall_save(c);
	strcpy(log_text, "12345678901234567890123456789012345");
	log_text[replaced ? 32 : 40] = 0;
	stp_syscall_arguments(c, text, sizeof(text));
	c->call_text = NULL;
}

static void run(void (*handler)(struct stp_ctx *c))
{
	struct stp_probe p = { handler, .needs_actions = true };
	struct stp_ctx *c = session_run(1 << 20);

	text[0] = 0;
	if (stp_ctx_enter(c)) {
		stp_handler_run(c, &p);
		stp_ctx_leave(c);
	}
}

int main(void)
{
	char marks[SAVED];

	alarm(60);                 // makes an endless loop fail

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
	run(state_of_quotas);
	same_text("the state of quotas", text,
		  "{qs_version=1, qs_flags=FS_QUOTA_UDQ_ACCT|FS_QUOTA_UDQ_ENFD, "
		  "qs_uquota={qfs_ino=128, qfs_nblks=8, qfs_nextents=2}, "
		  "qs_gquota={qfs_ino=129, qfs_nblks=16, qfs_nextents=3}, "
		  "qs_incoredqs=7, qs_btimelimit=604800, qs_itimelimit=604801, ...}, "
		  "{qs_version=1, qs_flags=FS_QUOTA_PDQ_ACCT|FS_QUOTA_PDQ_ENFD, qs_incoredqs=9, "
		  "qs_uquota={qfs_ino=128, qfs_nblks=8, qfs_nextents=2}, qs_gquota={qfs_ino=129, qfs_nblks=16, qfs_nextents=3}, "
		  "qs_pquota={qfs_ino=130, qfs_nblks=24, qfs_nextents=4}, qs_btimelimit=604800, qs_itimelimit=-1, ...}");
	attr.log = log_text, attr.log_size = sizeof(log_text);
	replaced = NULL;
	run(written_log);
	same_text("a log is what the call wrote, its first 32 bytes", text,
		  "18, {btf=NULL, btf_log_buf=\"12345678901234567890123456789012\"..., "
		  "btf_size=0, btf_log_size=64, btf_log_level=0}, 24");
	replaced = "";
	run(written_log);
	same_text("a log of 32 bytes", text,
		  "18, {btf=NULL, btf_log_buf=\"12345678901234567890123456789012\", "
		  "btf_size=0, btf_log_size=64, btf_log_level=0}, 24");
	return finish();
}
