/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches BPF programs to functions and statements of the kernel and its modules. A program of a single function uses
 * a trampoline (attach_trampolines.c) if that is possible. Where the running kernel has kprobe.multi, all functions of
 * a program are attached in one call; else, and for statements, each address is a kprobe of perf. Which of the three is
 * used must be known when a program is loaded.
 *
 * An address of the kernel's image is relative to _stext if the script was translated for the running kernel, which its
 * build ID shows; on another kernel functions are found by their names.
 */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"
#include "../include/number.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define WARN_FIRST 10              /* up to this number, the functions that cannot be probed are printed by name */
#define RISKY_MAX 64               /* number of wildcard functions among which those that ftrace does not trace
				    * are searched and skipped */

static u32 skipped, refused, failed;

/* ------------------------------------------------------------------ sites */

static void unpack(struct stp_function *f)
{
	u32 i;

	for (i = 0; f->packed && i < f->nsites; i++) {
		const struct stp_packed_site *p = &f->packed[i];

		f->sites[i] = (struct stp_site){ .symbol = f->names + p->symbol, .module = p->module ? f->names + p->module : NULL,
						 .base_offset = (u64)(s64)p->base_offset, .offset = p->offset };
	}
}

/* Returns whether every site is the beginning of a function, which ftrace can trace. */
static bool is_whole(const struct stp_function *f)
{
	u32 i;

	for (i = 0; i < f->nsites; i++)
		if (f->sites[i].offset || !*f->sites[i].symbol)
			return false;
	return true;
}

/* ------------------------------------------------------------------ addresses */

/* Returns whether the kernel is the one for which the script was translated, by comparing the note with its
 * build ID. */
bool functions_same_kernel(void)
{
	struct { u32 name_size, size, type; char name[4]; } head;
	FILE *f = stp_module.build_id_len ? fopen("/sys/kernel/notes", "re") : NULL;
	bool same = false;
	u8 id[64];

	while (f && !same && fread(&head, sizeof(head), 1, f) == 1) {
		u32 skip = (head.size + 3) / 4 * 4;

		if (head.name_size == 4 && head.type == 3 && head.size == stp_module.build_id_len && head.size <= sizeof(id)) {
			same = fread(id, 1, head.size, f) == head.size && !memcmp(id, stp_module.build_id, head.size);
			break;
		}
		if (fseek(f, (long)(skip + (head.name_size + 3) / 4 * 4 - 4), SEEK_CUR))
			break;
	}
	if (f)
		fclose(f);
	return same;
}

struct wanted { struct stp_site *site; };

static int by_name(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return strcmp(x->site->symbol, y->site->symbol);
}

static bool in_module(const struct stp_site *s, const char *module)
{
	size_t len = strcspn(module, "]");

	return s->module ? *module && strlen(s->module) == len && !strncmp(s->module, module, len) : !*module;
}

static const struct stp_site **repeated;   /* functions of the kernel image whose symbol several functions have */
static u32 nrepeated;

static void add_repeated(const struct stp_site *s)
{
	const struct stp_site **more = realloc(repeated, (nrepeated + 1) * sizeof(*repeated));

	if (!more)
		return;
	repeated = more;
	repeated[nrepeated++] = s;
}

bool functions_is_repeated(const struct stp_site *s)
{
	u32 i;

	for (i = 0; i < nrepeated; i++)
		if (repeated[i] == s)
			return true;
	return false;
}

/* Sets the addresses of those sites, sorted by symbol, that have the symbol in this line of /proc/kallsyms. */
static void match(struct wanted *w, u32 n, u64 address, const char *symbol, const char *module)
{
	struct stp_site key_site = { .symbol = symbol };
	struct wanted key = { &key_site }, *at = bsearch(&key, w, n, sizeof(*w), by_name);

	while (at > w && at && !strcmp(at[-1].site->symbol, symbol))
		at--;
	for (; at && at < w + n && !strcmp(at->site->symbol, symbol); at++) {
		struct stp_site *s = at->site;

		if (!in_module(s, module))
			continue;
		if (!s->address)
			s->address = address + (s->module ? s->base_offset : 0) + s->offset;
		else if (!s->module)
			add_repeated(s);
	}
}

/*
 * Reads the addresses of the sites' symbols, and of _stext into *stext. If all sites are relative to _stext, it
 * stops there.
 */
static void read_symbols(struct wanted *w, u32 n, u64 *stext)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024], symbol[512], module[128], type;
	uint64_t address;

	while (f && fgets(line, sizeof(line), f)) {
		const char *rest = line;

		*module = 0;
		if (number_unsigned(&rest, 16, &address) != NUMBER_GOOD || !address ||
		    sscanf(rest, " %c %511s [%127[^]\n]", &type, symbol, module) < 2)
			continue;
		if (!*stext && !strcmp(symbol, "_stext"))
			*stext = address;
		if (n)
			match(w, n, address, symbol, module);
		else if (*stext)
			break;
	}
	if (f)
		fclose(f);
}

int functions_find_sites(struct stp_site *const *sites, u32 n)
{
	bool same = functions_same_kernel();
	struct wanted *w = calloc(n + 1, sizeof(*w));
	u32 wanted = 0, i;
	u64 stext = 0;

	if (!w)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (!*sites[i]->symbol)
			sites[i]->address = sites[i]->offset;
		else if (sites[i]->module || !sites[i]->base_offset || !same)
			w[wanted++].site = sites[i];
	qsort(w, wanted, sizeof(*w), by_name);
	read_symbols(w, wanted, &stext);
	free(w);
	for (i = 0; i < n; i++)
		if (sites[i]->base_offset && !sites[i]->module && same && stext)
			sites[i]->address = stext + sites[i]->base_offset + sites[i]->offset;
	return 0;
}

/* Sets the addresses of all sites; 0: not found. */
static int find_addresses(struct stp_function *f, u32 n)
{
	struct stp_site **sites;
	u32 nsites = 0, i, k;
	int err;

	for (i = 0; i < n; i++)
		nsites += f[i].nsites;
	sites = calloc(nsites + 1, sizeof(*sites));
	if (!sites)
		return -ENOMEM;
	for (nsites = 0, i = 0; i < n; i++)
		for (k = 0; k < f[i].nsites; k++)
			sites[nsites++] = &f[i].sites[k];
	err = functions_find_sites(sites, nsites);
	free(sites);
	return err;
}

/* ------------------------------------------------------------------ what ftrace traces */

static u64 *traced;                /* addresses, sorted; NULL: unknown */
static u32 ntraced;

static int by_address(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The list of addresses exists since 6.5. */
static void read_traced(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing/available_filter_functions_addrs",
					     "/sys/kernel/debug/tracing/available_filter_functions_addrs" };
	FILE *f = fopen(paths[0], "re");
	unsigned long long address;
	u32 capacity = 0;

	if (!f)
		f = fopen(paths[1], "re");
	while (f && fscanf(f, "%llx%*[^\n]", &address) == 1) {
		if (ntraced == capacity) {
			u64 *more = realloc(traced, (capacity = capacity ? capacity * 2 : 65536) * sizeof(*traced));

			if (!more)
				break;
			traced = more;
		}
		traced[ntraced++] = address;
	}
	if (f)
		fclose(f);
	qsort(traced, ntraced, sizeof(*traced), by_address);
}

/* Returns whether ftrace traces the function: its instruction is the first one, or follows an ENDBR. */
static bool is_traced(u64 address)
{
	return bsearch(&address, traced, ntraced, sizeof(*traced), by_address) ||
	       bsearch(&(u64){ address + 4 }, traced, ntraced, sizeof(*traced), by_address);
}

/* ------------------------------------------------------------------ switches of the kernel */

/*
 * While ftrace is disabled, the kernel attaches programs to functions that ftrace traces without an error, but does not
 * run them; and it lets ftrace be disabled later. Linux 6.12 disables it until the next boot if a link of
 * kprobe.multi is removed meanwhile.
 */
static bool is_ftrace_off(void)
{
	char state = '1';
	int fd = kernel_file_open("proc", "/proc", "sys/kernel/ftrace_enabled");

	if (fd >= 0) {
		if (read(fd, &state, 1) != 1)
			state = '1';
		close(fd);
	}
	return state == '0';
}

/* ------------------------------------------------------------------ kprobe.multi */

static bool skips_untraced;
static bool has_cookies;           /* a hit's cookie identifies the probe */
static bool has_multi;             /* the kernel can attach a program to many functions in one call */
static bool is_unlimited;          /* then, a function can have any number of calls in progress; set if a probe has
				    * .maxactive */

/* Attaches an empty program to one function. */
static bool try_multi(void)
{
	const struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	const char *symbol = "vfs_read";
	LIBBPF_OPTS(bpf_link_create_opts, options, .kprobe_multi.cnt = 1, .kprobe_multi.syms = &symbol);
	int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "stap_try", "GPL", insns, 2, &load), link = -1;

	if (program >= 0)
		link = bpf_link_create(program, 0, BPF_TRACE_KPROBE_MULTI, &options);
	if (link >= 0)
		close(link);
	if (program >= 0)
		close(program);
	return link >= 0;
}

/* Returns whether kprobe.multi follows any number of calls in progress: by function graph tracing (Linux 6.14). */
static bool try_unlimited(void)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	s32 id = kernel ? btf__find_by_name_kind(kernel, "fprobe", BTF_KIND_STRUCT) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(kernel, (u32)id) : NULL;
	bool limited = !t;
	u32 i;

	for (i = 0; t && i < btf_vlen(t); i++)
		limited |= !strcmp(btf__name_by_offset(kernel, btf_members(t)[i].name_off), "rethook");
	btf__free(kernel);
	return !limited;
}

/*
 * Returns the number of calls in progress of a function that a kprobe of perf follows, at least: the default of
 * register_kretprobe(). Before Linux 6.2 it is smaller if the kernel is not preemptible.
 */
static u32 kprobe_calls(void)
{
	u32 cpus = (u32)libbpf_num_possible_cpus();
	struct utsname u;

	if (uname(&u) || !strstr(u.version, "PREEMPT"))
		return cpus;
	return cpus > 5 ? 2 * cpus : 10;
}

static bool try_cookies(void)
{
	const struct bpf_insn insns[] = { { .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_attach_cookie },
					  { .code = BPF_JMP | BPF_EXIT } };
	int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "stap_try", "GPL", insns, 2, NULL);

	if (program >= 0)
		close(program);
	return program >= 0;
}

static bool shares_program(const struct stp_function *f)
{
	return f->program != stp_probe_number(f->probe) - 1;
}

/*
 * Returns whether kprobe.multi can be used: on some kernels it provides few registers (at a return, no stack
 * pointer), and only for functions that ftrace traces; other functions of a wildcard are skipped.
 */
static bool uses_multi(const struct stp_function *f)
{
	u32 i;

	if (!has_multi || f->needs_all_regs || f->entry || !is_whole(f) || (f->maxactive && !is_unlimited))
		return false;
	for (i = 0; i < f->nsites && !f->wildcard; i++)
		if (!is_traced(f->sites[i].address))
			return false;
	return true;
}

static char multi, trampoline;     /* values of stp_function.state: kprobe.multi, or a trampoline, is used */

/* Returns whether no other probe has the program. */
static bool is_alone(const struct stp_function *all, u32 n, const struct stp_function *f)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (&all[i] != f && all[i].program == f->program)
			return false;
	return true;
}

static void choose_trampolines(struct stp_function *all, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (is_whole(&all[i]) && is_alone(all, n, &all[i]) && trampolines_choose(&all[i]))
			all[i].state = &trampoline;
}

/* All probes of a program are attached in the same way. */
static void choose_multi(struct stp_function *all, u32 n)
{
	struct stp_function *f, *other, *end = all + n;

	for (f = all; f < end; f++)
		if (f->state != &trampoline)
			f->state = uses_multi(f) ? &multi : NULL;
	for (f = all; f < end; f++)
		for (other = all; other < end && !f->state; other++)
			if (other->program == f->program)
				other->state = NULL;
}

static int find_functions(struct stp_function *f, u32 n)
{
	bool whole = false, shared = false, sized = false;
	u32 wild = 0, i;
	int err;

	for (i = 0; i < n; i++) {
		unpack(&f[i]);
		shared |= shares_program(&f[i]);
		sized |= f[i].maxactive;
	}
	has_cookies = shared && try_cookies();
	if (shared && !has_cookies) {
		stp_complain("a handler that prints the name of one of several functions requires Linux 5.15 with "
			     "BPF programs; name "
			     "one function, or run the script as a module");
		return -ECANCELED;
	}
	err = find_addresses(f, n);
	choose_trampolines(f, n);
	for (i = 0; i < n; i++) {
		whole |= !f[i].state && is_whole(&f[i]);
		wild += f[i].wildcard ? f[i].nsites : 0;
	}
	has_multi = whole && !is_ftrace_off() && try_multi();
	if (has_multi || wild > RISKY_MAX)
		read_traced();
	has_multi = has_multi && traced;
	is_unlimited = sized && has_multi && try_unlimited();
	skips_untraced = traced && wild > RISKY_MAX;
	choose_multi(f, n);
	return err;
}

int functions_prepare(void)
{
	static bool found;         /* static, since loading may be attempted twice */
	const struct stp_family *family = client_family(&stp_function_family);
	const struct stp_function *f, *end;
	int err = 0;

	if (!family)
		return 0;
	if (!found)
		err = find_functions(family->table, family->n);
	found = true;
	client_set_constant(".rodata.cookies", has_cookies);
	for (f = family->table, end = f + family->n; f < end && !err; f++)
		if (f->state == &trampoline)
			trampolines_set(f);
		else if (f->state == &multi)
			bpf_program__set_expected_attach_type(client_numbered_program(f->program), BPF_TRACE_KPROBE_MULTI);
	return err;
}

/* ------------------------------------------------------------------ messages */

static const char *reason(const struct stp_site *s, int err)
{
	switch (err) {
	case ENOENT: case EADDRNOTAVAIL:
		return s->module ? "the module is not loaded, or has no such function" : "no such function in the running kernel";
	case EINVAL: return "the kernel does not allow a probe there";
	case EILSEQ: return "not the start of an instruction";
	case EOPNOTSUPP: case ENOSYS: case ENODEV: return "this kernel does not support these probes";
	case ESHUTDOWN:
		return "ftrace is disabled; enable it by sysctl kernel.ftrace_enabled=1";
	case EPERM: case EACCES:
		return lockdown_is_confidential() ? LOCKDOWN_TEXT : strerror(err);
	case ESTALE: return "it is given by its address, and the script was translated for another kernel";
	}
	return strerror(err);
}

/* Warns about functions that cannot be probed: as in a module, they are not an error. */
static void warn_unarmed(const struct stp_function *f, const struct stp_site *s, int err)
{
	char text[512], offset[24] = "";

	if (f->optional)
		return;
	if (f->wildcard && err == EINVAL) {
		refused++;
		return;
	}
	if (failed++ >= WARN_FIRST)
		return;
	if (s->offset)
		snprintf(offset, sizeof(offset), "%s0x%llx", *s->symbol ? "+" : "", s->offset);
	snprintf(text, sizeof(text), "cannot probe %s%s%s%s%s: %s", s->module ? s->module : "", s->module ? ":" : "",
		 s->symbol, offset, f->is_return ? " (return)" : "", reason(s, err));
	plat_message(STP_MSG_WARNING, text);
}

static void warn_of_skipped(void)
{
	char text[128];

	if (skipped) {
		snprintf(text, sizeof(text), "skipped %u functions that ftrace does not trace; name a function to probe it anyway",
			 skipped);
		plat_message(STP_MSG_WARNING, text);
	}
	if (refused) {
		snprintf(text, sizeof(text), "skipped %u addresses where the kernel does not allow a probe", refused);
		plat_message(STP_MSG_WARNING, text);
	}
	if (failed > WARN_FIRST) {
		snprintf(text, sizeof(text), "cannot probe %u more functions", failed - WARN_FIRST);
		plat_message(STP_MSG_WARNING, text);
	}
}

static u32 attached_by_ftrace;     /* number of functions */

/* Warns about the functions of a program that cannot be attached. Returns whether that is so. Kprobes use ftrace at the
 * beginning of a function. */
static bool is_disabled(const struct stp_function *f)
{
	u32 i;

	if (!is_whole(f))
		return false;
	if (!is_ftrace_off()) {
		attached_by_ftrace += f->nsites;
		return false;
	}
	for (i = 0; i < f->nsites; i++)
		warn_unarmed(f, &f->sites[i], ESHUTDOWN);
	return true;
}

static void stop_functions(void *table, u32 n)
{
	char text[256];

	client_detach(table, n);
	if (!attached_by_ftrace || !is_ftrace_off())
		return;
	snprintf(text, sizeof(text), "ftrace was disabled while the script ran: hits of %u functions may be missing; "
		 "enable it by sysctl kernel.ftrace_enabled=1 and run the script again", attached_by_ftrace);
	attached_by_ftrace = 0;
	plat_message(STP_MSG_WARNING, text);
}

/* ------------------------------------------------------------------ attaching */

/* Returns a number after the text `before` in a file of the kprobe event source; or -1. */
static int event_source(const char *name, const char *before)
{
	char path[96], format[32];
	int n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/kprobe/%s", name);
	snprintf(format, sizeof(format), "%s%%d", before);
	f = fopen(path, "re");
	if (!f || fscanf(f, format, &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

/* Returns a kprobe at an address, or a negative error. */
static int open_kprobe(u64 address, bool is_return)
{
	static int type = -2, return_bit;
	struct perf_event_attr a = { .size = sizeof(a) };
	int fd;

	if (type == -2) {
		type = event_source("type", "");
		return_bit = event_source("format/retprobe", "config:");
	}
	if (type < 0 || return_bit < 0)
		return -ENODEV;
	a.type = (u32)type;
	a.config = is_return ? 1ull << return_bit : 0;
	a.kprobe_addr = address;
	fd = privileges_perf_event(&a, -1, 0);
	return fd < 0 ? -errno : fd;
}

/* Returns the kprobe of a program at an address, or a negative error, which has been reported. */
static int open_reported(const struct stp_function *f, const struct stp_site *s, bool is_return)
{
	int fd = s->address ? open_kprobe(s->address, is_return) : *s->symbol && s->offset ? -ESTALE : -ENOENT;

	if (fd == -ENODEV && !f->optional)
		stp_complain("cannot attach %s: this kernel has no kprobes (CONFIG_KPROBES); run the script with stap --vm",
			     f->probe->point);
	else if (fd < 0)
		warn_unarmed(f, s, -fd);
	return fd;
}

static int attach_kprobe(const struct stp_function *f, struct bpf_program *program, int fd)
{
	LIBBPF_OPTS(bpf_perf_event_opts, options);
	struct bpf_link *link;
	int err;

	options.bpf_cookie = has_cookies ? stp_probe_number(f->probe) - 1 : 0;
	link = bpf_program__attach_perf_event_opts(program, fd, &options);
	err = link ? 0 : errno;
	if (!link)
		close(fd);
	errno = err;
	return client_attached(link, f->probe, "");
}

/* The kernel has no option for the number of calls in progress that a kprobe of perf follows. */
static int check_maxactive(const struct stp_function *f)
{
	if ((u32)f->maxactive <= kprobe_calls())
		return 0;
	stp_complain("cannot attach %s: this kernel follows up to %u calls of a function in progress for BPF programs; remove "
		     ".maxactive(%d), or run the script as a module", f->probe->point, kprobe_calls(), f->maxactive);
	return -ECANCELED;
}

/* Attaches the entry first: otherwise the returns of some calls would find no values from their entry. */
static int start_kprobe(const struct stp_function *f, const struct stp_site *s)
{
	int fd = f->entry ? open_reported(f, s, false) : 0, err = 0;

	if (fd >= 0 && f->entry)
		err = attach_kprobe(f, client_entry_program(f->program), fd);
	if (fd >= 0 && !err)
		fd = open_reported(f, s, f->is_return);
	if (fd < 0)
		return fd == -ENODEV && !f->optional ? fd : 0;
	return err ? err : attach_kprobe(f, client_numbered_program(f->program), fd);
}

/* Addresses of one link, and the cookies of their hits. */
struct multi_sites { unsigned long *addresses; __u64 *cookies; u32 n; };

static void add_sites(struct multi_sites *to, const struct stp_function *f)
{
	u32 i;

	for (i = 0; i < f->nsites; i++) {
		if (!f->sites[i].address)
			warn_unarmed(f, &f->sites[i], ENOENT);
		else if (!is_traced(f->sites[i].address))
			skipped++;
		else {
			to->addresses[to->n] = f->sites[i].address;
			to->cookies[to->n++] = stp_probe_number(f->probe) - 1;
		}
	}
}

/* Attaches the program of `first` to the functions of all its probes. */
static int start_multi(const struct stp_function *first, const struct stp_function *end)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .retprobe = first->is_return);
	const struct stp_function *f;
	struct multi_sites to = { 0 };
	u32 n = 0;
	int err = 0;

	for (f = first; f < end; f++)
		n += f->program == first->program ? f->nsites : 0;
	to.addresses = calloc(n, sizeof(*to.addresses));
	to.cookies = calloc(n, sizeof(*to.cookies));
	for (f = first; f < end && to.addresses && to.cookies; f++)
		if (f->program == first->program)
			add_sites(&to, f);
	options.addrs = to.addresses;
	options.cookies = to.cookies;
	options.cnt = to.n;
	if (!to.addresses || !to.cookies)
		err = -ENOMEM;
	else if (to.n)
		err = client_attached(bpf_program__attach_kprobe_multi_opts(client_numbered_program(first->program), NULL,
									    &options), first->probe, "");
	free(to.addresses);
	free(to.cookies);
	return err;
}

static int start_kprobes(const struct stp_function *f)
{
	int err = check_maxactive(f);
	u32 i;

	for (i = 0; i < f->nsites && !err; i++) {
		if (skips_untraced && f->wildcard && !f->sites[i].offset && !is_traced(f->sites[i].address))
			skipped++;
		else
			err = start_kprobe(f, &f->sites[i]);
	}
	return err;
}

static int start_functions(void *table, u32 n)
{
	const struct stp_function *f = table, *end = f + n;
	int err = 0;

	for (; f < end && !err; f++) {
		if (is_disabled(f))
			continue;
		if (!f->state)
			err = start_kprobes(f);
		else if (f->state == &trampoline)
			err = trampolines_attach(f);
		else if (!shares_program(f))
			err = start_multi(f, end);
	}
	trampolines_finish();
	warn_of_skipped();
	free(traced);
	traced = NULL;
	if (err)
		client_detach(NULL, 0);
	return err;
}

const struct stp_family_ops stp_function_family = { "function", start_functions, stop_functions };
