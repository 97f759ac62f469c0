/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches BPF programs to single functions of the kernel by trampolines (fentry and fexit), which cost less per hit
 * than kprobes, provide only arguments and result, and follow any number of calls in progress. The kernel finds the
 * function by its name, and its arguments by its BTF.
 *
 * Whether a function can have a trampoline must be known when its program is loaded. The kernel is asked for the
 * function's address and its first bytes, which show whether ftrace traces it, and to load an empty program for it.
 * Attaching that program, too, would take long: to change or remove a trampoline, the kernel waits for all CPUs.
 */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"
#include "../include/number.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define FUNCTIONS_MAX 16               /* attaching each of them may wait for all CPUs, 0.1 s on Linux 6.1; and with the
				        * programs at entries below 38, which one function can have */
#define ARGUMENTS_MAX 6                /* number of arguments that are in registers */
#define NAME_SIZE 128
#define INSN(operation, to, from, offset, number)				\
	((struct bpf_insn){ .code = (operation), .dst_reg = (to), .src_reg = (from), .off = (offset), .imm = (number) })

static u32 nfunctions;                 /* number of functions that have a trampoline */
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

#define CODE_SIZE 16
struct found { u64 address; u8 code[CODE_SIZE]; };

/* Writes instructions that store the name below the last 8 bytes of the stack. Returns the end of the instructions. */
static struct bpf_insn *put_name(struct bpf_insn *i, const char *name)
{
	char text[NAME_SIZE] = "";
	s32 word;
	int at;

	strcpy(text, name);
	for (at = 0; at < NAME_SIZE; at += 4) {
		memcpy(&word, text + at, 4);
		*i++ = INSN(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, at - NAME_SIZE - 8, word);
	}
	return i;
}

/* Finds the address of a function as the kernel does when it loads a program for it, and reads its first bytes. */
static bool ask_kernel(const char *name, struct found *f)
{
	struct bpf_insn insns[NAME_SIZE / 4 + 32], *i = insns;
	LIBBPF_OPTS(bpf_prog_load_opts, load, .prog_flags = BPF_F_SLEEPABLE);
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = f, .ctx_size_in = sizeof(*f));
	int fd, at;
	bool done;

	if (strlen(name) >= NAME_SIZE)
		return false;
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	i = put_name(i, name);
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
	for (at = 0; at < CODE_SIZE; at += 8)
		*i++ = INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, at - CODE_SIZE, 0);
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, BPF_REG_1, 0, 0);
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0);
	*i++ = INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, -CODE_SIZE);
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, CODE_SIZE);
	*i++ = INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel);
	for (at = 0; at < CODE_SIZE; at += 8) {
		*i++ = INSN(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_10, at - CODE_SIZE, 0);
		*i++ = INSN(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_6, BPF_REG_1, 8 + at, 0);
	}
	*i++ = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0);
	*i++ = INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "stap_try", "GPL", insns, (size_t)(i - insns), &load);
	if (fd < 0)
		return false;
	done = !bpf_prog_test_run_opts(fd, &run);
	close(fd);
	return done;
}

/* Returns whether ftrace traces the function: it begins, after ENDBR, with a call, or with the 5-byte instruction that
 * the kernel replaces it by while nothing traces the function. */
static bool is_traced(const u8 *code)
{
	/* ENDBR, and what the kernel replaces it by */
	static const u8 marks[][4] = { { 0xf3, 0x0f, 0x1e, 0xfa }, { 0x66, 0x0f, 0x1f, 0x00 }, { 0x0f, 0x1f, 0x40, 0xd6 } };
	static const u8 idle[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	if (!memcmp(code, marks[0], 4) || !memcmp(code, marks[1], 4) || !memcmp(code, marks[2], 4))
		code += 4;
	return *code == 0xe8 || !memcmp(code, idle, sizeof(idle));
}

/* Loads an empty program for the function with this BTF ID. At a return, it calls the helper for the result. */
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
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "stap_try", "GPL", insns + first, n - first, &load);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
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

/*
 * Returns whether the function has the number of parameters that its prototype says: a trampoline would lose others.
 * The BTF of kernels before 6.4 may have the prototype of an inlined function of the same name (pahole before 1.25).
 */
static bool is_right(const struct stp_function *f, u32 parameters)
{
	uint64_t version, series;
	struct utsname u;
	const char *at = u.release;

	if (f->parameters >= 0)
		return (u32)f->parameters == parameters;
	if (uname(&u) || number_unsigned(&at, 10, &version) != NUMBER_GOOD || *at++ != '.' ||
	    number_unsigned(&at, 10, &series) != NUMBER_GOOD)
		return false;
	return version > 6 || (version == 6 && series >= 4);
}

/* Computes how a trampoline stores the arguments, from the function's prototype. Returns false if the
 * program reads a register that is not one of its arguments. */
static bool arguments(const struct stp_function *f, const struct btf_type *prototype, u32 *how)
{
	static const u8 words[ARGUMENTS_MAX] = STP_ARGUMENT_WORDS;
	const struct btf_param *p = btf_params(prototype);
	u32 n = btf_vlen(prototype), read = f->registers, i;

	*how = STP_TRAMPOLINE_USED;
	if (n > ARGUMENTS_MAX || !is_right(f, n))
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
	    f->sites->offset || !*f->sites->symbol || functions_is_repeated(f->sites) || nfunctions == FUNCTIONS_MAX)
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
	struct found found = { 0 };
	const struct btf_type *t;
	u32 how;
	s32 id;

	if (!can_serve(f))
		return false;
	id = btf__find_by_name_kind(kernel, f->sites->symbol, BTF_KIND_FUNC);
	t = id > 0 ? btf__type_by_id(kernel, (u32)id) : NULL;
	t = t ? btf__type_by_id(kernel, t->type) : NULL;
	if (!t || !arguments(f, t, &how) || !ask_kernel(f->sites->symbol, &found))
		return false;
	if (found.address != f->sites->address || !is_traced(found.code))
		return false;
	if ((f->entry && !try_program(id, false)) || !try_program(id, f->is_return))
		return false;
	trampolines[f->program] = how;
	nfunctions++;
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

/* Attaches the entry first: otherwise the returns of some calls would find no values from their entry. */
int trampolines_attach(const struct stp_function *f)
{
	int err = 0;

	if (f->entry)
		err = client_attached(bpf_program__attach_trace(client_entry_program(f->program)), f->probe, "");
	return err ? err : client_attached(bpf_program__attach_trace(client_numbered_program(f->program)), f->probe, "");
}

void trampolines_finish(void)
{
	btf__free(kernel);
	kernel = NULL;
}
