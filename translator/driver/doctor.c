// SPDX-License-Identifier: GPL-2.0-or-later
// --doctor: checks which features this machine supports, and prints a line for each check.
//
// A check calls the functions that a run calls, and runs under die_caught(): the message of die(), "WHAT; ADVICE",
// is the result. The last two checks run a script, so that problems that no other check detects are found, too.
#include "driver/doctor.h"

#include "../../staprun/policy.h"
#include "debuginfo/debuginfo.h"
#include "run/run.h"
#include "module/module.h"
#include "target/kernel.h"
#include "util/diag.h"
#include "util/progress.h"
#include "util/spawn.h"
#include "util/str.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum verdict { GOOD, MISSING, LIMITED };   // LIMITED: some scripts cannot run

struct check {
	const char *name;
	void (*run)(struct session *s, struct check *c);
	bool required;             // required by scripts that probe the running kernel
	enum verdict verdict;
	const char *text;          // the result of the check
	const char *advice;        // NULL: none is required
};

static void found(struct check *c, enum verdict verdict, const char *text, const char *advice)
{
	c->verdict = verdict;
	c->text = text;
	c->advice = advice;
}

// ---------------------------------------------------------------- checks

static void check_kernel(struct session *s, struct check *c)
{
	found(c, GOOD, str_printf("%s, %s", s->kernel->release, s->kernel->arch), NULL);
}

static void check_modules(struct session *s, struct check *c)
{
	run_need_modules();
	if (policy_modules_disabled())
		found(c, MISSING, "modules are disabled until the next boot (sysctl kernel.modules_disabled)",
		      "reboot, without the setting in /etc/sysctl.d");
	else
		found(c, GOOD, "can be loaded", NULL);
}

// Even a kernel that requires signatures loads a module that is signed with a trusted key.
static void check_signatures(struct session *s, struct check *c)
{
	bool locked = policy_locked_down();
	const char *key = sign_usual_key();

	if (locked || policy_signatures_enforced())
		found(c, LIMITED, locked ? "required: the kernel is locked down (Secure Boot, or lockdown= at boot)" :
		      "required (module.sig_enforce)", key ?
		      str_printf("use --sign-module, which signs with %s", key) :
		      "use --sign-module=KEY,CERTIFICATE with a key that the kernel trusts (mokutil --import); or use --vm");
	else
		found(c, GOOD, str_printf("not required: the kernel is not locked down; %s", key ?
		      str_printf("--sign-module uses %s", key) : "--sign-module finds no key of this host"), NULL);
}

static void check_groups(struct session *s, struct check *c)
{
	static const char *const names[] = { "stapdev", "stapsys", "stapusr" };
	struct passwd *user = getpwuid(getuid());
	enum privilege privilege = run_privilege();

	if (geteuid() == 0)
		found(c, GOOD, "root: all scripts", NULL);
	else if (privilege == PRIVILEGE_STAPDEV && run_in_group(names[0]))
		found(c, GOOD, "member of stapdev: all scripts", NULL);
	else
		found(c, LIMITED, privilege == PRIVILEGE_STAPDEV ? "neither root nor a member of stapdev" :
		      str_printf("member of %s: some scripts", names[privilege]),
		      str_printf("%susermod -aG stapdev %s", getgrnam(names[0]) ? "" : "groupadd -r stapdev && ",
				 user ? user->pw_name : "USER"));
}

static void check_headers(struct session *s, struct check *c)
{
	kernel_need_build_tree(s->kernel);
	found(c, GOOD, s->kernel->build_tree, NULL);
}

static void check_compiler(struct session *s, struct check *c)
{
	if (!s->kernel->build_tree) {
		found(c, MISSING, "not checked, since it requires the headers of the kernel", NULL);
		return;
	}
	toolchain_open(s);
	found(c, GOOD, str_printf("%s builds modules", s->toolchain->cc.at[0]), NULL);
}

static void check_types(struct session *s, struct check *c)
{
	found(c, GOOD, di_module_source_text(di_kernel(s)), NULL);
}

static void check_tracepoints(struct session *s, struct check *c)
{
	di_tracepoints points = { 0 };

	di_find_tracepoints(di_kernel(s), "sched_switch", &points);
	if (points.n)
		found(c, GOOD, "the kernel's BTF describes tracepoints", NULL);
	else
		found(c, LIMITED, "not found in the kernel's image: kernel.trace() has no variables",
		      "boot a kernel with CONFIG_DEBUG_INFO_BTF");
}

static void check_debuginfo(struct session *s, struct check *c)
{
	struct di_module *m = di_kernel(s);
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (di_module_source(m) == DI_SOURCE_DWARF)
		found(c, GOOD, di_module_source_text(m), NULL);
	else if (servers && *servers)
		found(c, GOOD, "downloaded from $DEBUGINFOD_URLS when a script requires it", NULL);
	else
		found(c, LIMITED, "not installed: source lines and local variables of the kernel cannot be probed",
		      di_advice(m));
}

static void check_vm(struct session *s, struct check *c)
{
	const char *release = vm_default_release();

	vm_check(s, release);
	found(c, GOOD, str_printf("--vm boots the kernel %s", release), NULL);
}

// ---------------------------------------------------------------- runs

// Returns the first error that stap and its child processes print.
static const char *first_error(const char *output)
{
	const char *at = strstr(output, "ERROR: ");

	at = at ? at + strlen("ERROR: ") : output;
	return str_ndup(at, strcspn(at, "\n"));
}

static void run_script(const char *option, const char *script)
{
	const char *argv[] = { "/proc/self/exe", "--color=never", "-w", option, "-e", script, NULL };
	struct spawn run = { .argv = argv, .capture = true };

	if (spawn_run(&run))
		die("%s", first_error(run.output));
}

static void check_user_runtime(struct session *s, struct check *c)
{
	run_script("--runtime=user", "probe begin { exit() }");
	found(c, GOOD, "a script ran in a process (--runtime=user)", NULL);
}

static void check_bpf(struct session *s, struct check *c)
{
	const char *lockdown;

	run_script("--runtime=bpf", "probe kernel.trace(\"sched_switch\") { next } probe begin { exit() }");
	lockdown = str_read_file("/sys/kernel/security/lockdown", NULL);
	if (lockdown && strstr(lockdown, "[confidentiality]"))
		found(c, LIMITED, "a script ran, but lockdown mode \"confidentiality\" forbids reading the kernel's memory",
		      "boot the kernel with lockdown=integrity");
	else
		found(c, GOOD, "a script ran as BPF programs (--runtime=bpf)", NULL);
}

static void check_main_job(struct session *s, struct check *c)
{
	run_script("--runtime=kernel", "probe kernel.function(\"vfs_read\") { next } probe begin { exit() }");
	found(c, GOOD, "a script that probes the kernel ran", NULL);
}

static struct check checks[] = {
	{ "kernel", check_kernel },
	{ "modules", check_modules, .required = true },
	{ "signatures", check_signatures },
	{ "groups", check_groups },
	{ "headers", check_headers, .required = true },
	{ "compiler", check_compiler, .required = true },
	{ "types", check_types, .required = true },
	{ "BTF", check_tracepoints },
	{ "debuginfo", check_debuginfo },
	{ "BPF", check_bpf },
	{ "user runtime", check_user_runtime },
	{ "VM", check_vm },
	{ "kernel run", check_main_job },
};
#define MAIN_JOB (END(checks) - 1)

// ---------------------------------------------------------------- result

struct call { struct session *s; struct check *c; };

static void call_check(void *arg)
{
	struct call *call = arg;

	call->c->run(call->s, call->c);
}

// If a requirement is missing, a script does not run, and its error would only repeat that.
static bool lacks_required(const struct check *c)
{
	for (const struct check *other = checks; c == MAIN_JOB && other < c; other++)
		if (other->required && other->verdict == MISSING)
			return true;
	return false;
}

// No module can run here: the check is limited if scripts run as BPF programs, else it fails.
static void without_module(struct check *c)
{
	bool bpf = run_no_modules() != NULL;

	for (const struct check *other = checks; other < c; other++)
		bpf &= other->run != check_bpf || other->verdict == GOOD;
	if (bpf && !kernel_here_has_kprobes())
		found(c, LIMITED, "scripts run as BPF programs, which stap chooses here; functions of this kernel cannot be "
		      "probed, since it has no kprobes (CONFIG_KPROBES)",
		      "probe system calls (syscall.*), tracepoints (kernel.trace) and programs; doc/runtimes.md lists the rest");
	else if (bpf)
		found(c, LIMITED, "scripts that probe this kernel run as BPF programs, which stap chooses here",
		      "doc/runtimes.md lists what these support");
	else
		found(c, MISSING, "scripts that probe this kernel cannot run: see above", NULL);
}

static void run_check(struct session *s, struct check *c)
{
	struct call call = { s, c };
	const char *message, *advice;

	if (lacks_required(c)) {
		without_module(c);
		return;
	}
	progress("checking: %s", c->name);
	message = die_caught(call_check, &call);
	progress_end();
	if (!message)
		return;
	advice = strstr(message, "; ");
	found(c, MISSING, advice ? str_ndup(message, advice - message) : message, advice ? advice + 2 : NULL);
}

static const char *const words[] = { [GOOD] = "yes", [MISSING] = "no", [LIMITED] = "limited" };

static void print_text(const struct check *c)
{
	printf("%-13s %-8s %s\n", c->name, words[c->verdict], c->text);
	if (c->advice)
		printf("%22s -> %s\n", "", c->advice);
}

static void print_json(bool runs)
{
	struct buf b = { 0 };

	buf_printf(&b, "{\n  \"runs\": %s,\n  \"checks\": [\n", runs ? "true" : "false");
	for (const struct check *c = checks; c < END(checks); c++) {
		buf_puts(&b, "    {\"name\": ");
		buf_json(&b, c->name);
		buf_printf(&b, ", \"result\": \"%s\", \"text\": ", words[c->verdict]);
		buf_json(&b, c->text);
		buf_puts(&b, ", \"advice\": ");
		if (c->advice)
			buf_json(&b, c->advice);
		else
			buf_puts(&b, "null");
		buf_puts(&b, c == MAIN_JOB ? "}\n" : "},\n");
	}
	buf_puts(&b, "  ]\n}\n");
	fputs(buf_text(&b), stdout);
}

int doctor_run(struct session *s)
{
	bool runs;

	for (struct check *c = checks; c < END(checks); c++) {
		run_check(s, c);
		if (!s->opt.json)
			print_text(c);
	}
	runs = MAIN_JOB->verdict != MISSING;
	if (s->opt.json)
		print_json(runs);
	return runs ? EXIT_SUCCESS : EXIT_FAILURE;
}
