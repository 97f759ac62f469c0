/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches BPF programs to single functions of the kernel by trampolines (fentry and fexit), which cost less per hit
 * than kprobes, provide only arguments and result, and follow any number of calls in progress. The kernel finds the
 * function by its name, and its arguments by its BTF.
 *
 * Whether a function can have a trampoline must be known when its program is loaded, so an empty program is attached
 * to it before, and removed after the actual one was attached: to remove the last program of a function, the kernel
 * waits for all CPUs.
 */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define FUNCTIONS_MAX 32               /* trying, and removing programs at the end, takes time for each function */
#define ARGUMENTS_MAX 6                /* number of arguments that are in registers */
#define NAME_SIZE 128
#define INSN(operation, to, from, offset, number)				\
	((struct bpf_insn){ .code = (operation), .dst_reg = (to), .src_reg = (from), .off = (offset), .imm = (number) })

struct trial { int program, link; };

static struct trial trials[2 * FUNCTIONS_MAX];
static u32 ntrials;
static u32 trampolines[STP_TRAMPOLINES];
static struct btf *kernel;

/* ------------------------------------------------------------------ what the kernel can do */

/*
 * The kernel does not run a program that is already running on the same CPU. If a thread can be preempted in a
 * program, hits of other threads would be missed; during a kprobe, none is preempted. Missed hits are counted, so a
 * kernel without kprobes uses trampolines anyway.
 */
static bool is_preemptible(void)
{
	char mode[128] = "";
	struct utsname u;
	int fd;

	if (access("/sys/bus/event_source/devices/kprobe", F_OK))
		return false;
	fd = kernel_file_open("debugfs", "/sys/kernel/debug", "sched/preempt");
	if (fd < 0)
		return uname(&u) || strstr(u.version, "PREEMPT");
	if (read(fd, mode, sizeof(mode) - 1) < 0)
		*mode = 0;
	close(fd);
	return !strstr(mode, "(none)") && !strstr(mode, "(voluntary)");
}

/* Returns the address that the kernel finds for the name when it loads a program for this function; 0: unknown. */
static u64 kernel_address(const char *name)
{
	struct bpf_insn insns[NAME_SIZE / 4 + 16], *i = insns;
	LIBBPF_OPTS(bpf_prog_load_opts, load, .prog_flags = BPF_F_SLEEPABLE);
	u64 address = 0;
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &address, .ctx_size_in = sizeof(address));
	char text[NAME_SIZE] = "";
	s32 word;
	int fd, at;

	if (strlen(name) >= NAME_SIZE)
		return 0;
	strcpy(text, name);
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	for (at = 0; at < NAME_SIZE; at += 4) {
		memcpy(&word, text + at, 4);
		*i++ = INSN(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, at - NAME_SIZE - 8, word);
	}
	*i++ = INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0);
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0);
	*i++ = INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, -NAME_SIZE - 8);
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, (s32)strlen(name) + 1);
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, 0);
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_4, BPF_REG_10, 0, 0);
	*i++ = INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_4, 0, 0, -8);
	*i++ = INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_kallsyms_lookup_name);
	*i++ = INSN(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_10, -8, 0);
	*i++ = INSN(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_6, BPF_REG_1, 0, 0);
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0);
	*i++ = INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "stap_try", "GPL", insns, (size_t)(i - insns), &load);
	if (fd < 0)
		return 0;
	if (bpf_prog_test_run_opts(fd, &run))
		address = 0;
	close(fd);
	return address;
}

/* Attaches an empty program to the function with this BTF ID. At a return, it calls the helper for the result. */
static bool try_program(s32 id, bool is_return)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -8),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_func_ret),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	const u32 first = is_return ? 0 : 4, n = sizeof(insns) / sizeof(*insns);
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
		    .attach_btf_id = (u32)id);
	struct trial *t = &trials[ntrials];

	t->program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "stap_try", "GPL", insns + first, n - first, &load);
	if (t->program < 0)
		return false;
	t->link = bpf_raw_tracepoint_open(NULL, t->program);
	if (t->link < 0) {
		close(t->program);
		return false;
	}
	ntrials++;
	return true;
}

/* ------------------------------------------------------------------ functions */

/* Returns the number of bytes of a value in a register; 0: another kind of value. */
static u32 width(u32 type)
{
	const struct btf_type *t = btf__type_by_id(kernel, type);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(kernel, t->type);
	if (!t || !type)
		return 0;
	return btf_is_ptr(t) ? 8 : (btf_is_int(t) || btf_is_any_enum(t)) && t->size <= 8 ? t->size : 0;
}

/* Computes how a trampoline stores the arguments, from the function's prototype. Returns false if a register that the
 * program reads is none of its arguments. */
static bool arguments(const struct stp_function *f, const struct btf_type *prototype, u32 *how)
{
	static const u8 words[ARGUMENTS_MAX] = { 14, 13, 12, 11, 9, 8 };   /* di, si, dx, cx, r8, r9 of struct pt_regs */
	const struct btf_param *p = btf_params(prototype);
	u32 n = btf_vlen(prototype), read = f->registers, i;

	*how = STP_TRAMPOLINE_USED;
	if (n > ARGUMENTS_MAX)
		return false;
	for (i = 0; i < n; i++) {
		u32 bytes = width(p[i].type);

		if (!bytes)
			return false;
		*how |= (bytes == 8 ? STP_WIDTH_8 : bytes == 4 ? STP_WIDTH_4 : bytes == 2 ? STP_WIDTH_2 : STP_WIDTH_1)
			<< STP_TRAMPOLINE_SHIFT(i);
		read &= f->is_return && !f->entry ? read : ~(1u << words[i]);
	}
	if (f->is_return)
		read &= ~(1u << 10);           /* ax */
	return !read && (!f->is_return || width(prototype->type));
}

static bool can_serve(const struct stp_function *f)
{
	static bool asked, preemptible;

	if (!f->trampoline || f->needs_all_regs || f->program >= STP_TRAMPOLINES || !f->sites->address ||
	    f->sites->offset || !*f->sites->symbol || functions_is_repeated(f->sites) || ntrials + 2 > 2 * FUNCTIONS_MAX)
		return false;
	if (!asked)
		preemptible = is_preemptible();
	if (!asked && !preemptible)
		kernel = btf__load_vmlinux_btf();
	asked = true;
	return !preemptible && kernel;
}

bool trampolines_choose(const struct stp_function *f)
{
	const struct btf_type *t;
	u32 how;
	s32 id;

	if (!can_serve(f))
		return false;
	id = btf__find_by_name_kind(kernel, f->sites->symbol, BTF_KIND_FUNC);
	t = id > 0 ? btf__type_by_id(kernel, (u32)id) : NULL;
	t = t ? btf__type_by_id(kernel, t->type) : NULL;
	if (!t || !arguments(f, t, &how) || kernel_address(f->sites->symbol) != f->sites->address)
		return false;
	if ((f->entry && !try_program(id, false)) || !try_program(id, f->is_return))
		return false;
	trampolines[f->program] = how;
	return true;
}

static void set_type(const struct stp_function *f, struct bpf_program *p, bool is_return)
{
	bpf_program__set_type(p, BPF_PROG_TYPE_TRACING);
	bpf_program__set_expected_attach_type(p, is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY);
	bpf_program__set_attach_target(p, 0, f->sites->symbol);
}

void trampolines_set(const struct stp_function *f)
{
	client_set_constants(".rodata.trampolines", trampolines, sizeof(trampolines));
	if (f->entry)
		set_type(f, client_entry_program(f->program), false);
	set_type(f, client_numbered_program(f->program), f->is_return);
}

static void remove_trials(void)
{
	for (; ntrials; ntrials--) {
		close(trials[ntrials - 1].link);
		close(trials[ntrials - 1].program);
	}
}

/* A trampoline has up to 38 programs, those of the trials included (BPF_MAX_TRAMP_LINKS). */
static int attach(const struct stp_function *f, struct bpf_program *p)
{
	struct bpf_link *link = bpf_program__attach_trace(p);

	if (!link && errno == E2BIG) {
		remove_trials();
		link = bpf_program__attach_trace(p);
	}
	return client_attached(link, f->probe, "");
}

/* Attaches the entry first: otherwise the returns of some calls would find no values from their entry. */
int trampolines_attach(const struct stp_function *f)
{
	int err = f->entry ? attach(f, client_entry_program(f->program)) : 0;

	return err ? err : attach(f, client_numbered_program(f->program));
}

void trampolines_finish(void)
{
	remove_trials();
	btf__free(kernel);
	kernel = NULL;
}
