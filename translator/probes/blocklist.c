// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of the kernel that wildcards skip, since probes there are not useful or cannot work: functions that a
// hit itself calls, so that each hit would contain another; and functions that never return. A function that is
// named without a wildcard is probed nevertheless, since the runtime skips hits inside of hits. Functions in which
// the kernel forbids probes (noinstr, its own blocklist) are excluded by debuginfo and the loader.
#include "probes/blocklist.h"

#include "util/map.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdint.h>
#include <string.h>

// Functions of interrupts, exceptions, probes and locks.
static const char *const names[] = {
	"*_raw_spin_*", "*_raw_read_*", "*_raw_write_*", "*queued_spin_*", "*queued_read_*", "*queued_write_*",
	"*pv_queued_*", "*spin_lock_slowpath*", "lock_acquire*", "lock_release*",
	"*notifier_call_chain*", "notify_die", "*preempt_count_*", "__switch_to*", "preempt_schedule*_notrace*",
	"exc_*", "asm_*", "sysvec_*", "do_int3*", "do_nmi*", "default_do_nmi", "nmi_*", "*_nmi_*", "irqentry_*",
	"*__do_softirq", "handle_softirqs", "xen_*", "*apic*", "native_*", "pv_*", "paravirt_*",
	"*kprobe*", "*rethook*", "*fprobe*", "*ftrace*", "*optprobe*", "text_poke*", "*smp_text_poke*", "poke_int3_*",
	"return_to_handler", "trampoline_handler", NULL,
};

// Functions that the runtime calls in handlers, or that run around them.
static const char *const called[] = {
	"*copy_from_kernel_nofault*", "copy_from_user_nofault", "copy_to_kernel_nofault", "__copy_user_*",
	"__copy_from_user_inatomic", "__check_object_size", "check_stack_object", "*irq_work_*", "*_fast_ns",
	"tk_clock_read*", "timekeeping_*_to_ns*",
	"stack_trace_*", "unwind_*", "arch_stack_walk*", "*orc_find*", "*_stack_info", "in_task_stack",
	"in_entry_stack", "in_gate_area*", "rcu_nmi_*", "ct_nmi_*", "ct_irq_*", "rcu_irq_*", "rcu_read_*",
	"rcu_is_watching*", "rcu_dynticks_*", "__rcu_read_*", "fixup_exception", "search_*extable*",
	"search_exception_tables", "ex_handler_*", "*bad_area*", "kernelmode_fixup_or_oops", "do_user_addr_fault",
	"do_kern_addr_fault", "fault_in_kernel_space", "__x86_*", "*untrain_ret", "srso_*", "*return_thunk*",
	NULL,
};

static const char *const files[] = {
	"*kernel/kprobes.c", "*/kprobes/*.c", "*kernel/trace/*.c", "*/kernel/ftrace*", "*/kernel/rethook.c",
	"*kernel/locking/*.c", "*/kernel/nmi.c", "*kernel/context_tracking.c", "*kernel/entry/common.c",
	"*/kernel/alternative.c", "*/kernel/unwind_*.c", "*/kernel/stacktrace.c", "*/kernel/dumpstack*.c",
	"*/asm/atomic*.h", "*/asm/bitops.h", "*/asm/io.h", "*/asm/paravirt*.h", "*/asm/preempt.h", "*/asm/msr.h",
	"*/asm/irqflags.h", "*/asm/smap.h", "*/asm/current.h", "*/asm/percpu.h", "*/asm/spinlock*.h",
	"*/asm/qspinlock*.h", "*/asm/special_insns.h", "*/asm/cpufeature.h", "*/asm/jump_label.h", "*/asm/uaccess*.h",
	"*/linux/context_tracking*.h", "*/linux/rcupdate.h", "*/linux/preempt.h", "*/linux/spinlock*.h",
	"*/linux/atomic/*.h", "*/linux/jump_label.h", "*/linux/rcutree.h", "*/linux/instrumented.h",
	"*/asm-generic/*.h", NULL,
};

static const char *const without_return[] = {
	"do_exit", "do_group_exit", "make_task_dead", "do_task_dead", "rewind_stack_and_make_dead", "panic", "nmi_panic",
	"__*_sys_exit", "__*_sys_exit_group", "sys_exit", "sys_exit_group", "__do_sys_exit*", "__se_sys_exit*",
	"complete_and_exit", "kthread_exit", "kthread_complete_and_exit", "__module_put_and_kthread_exit",
	"__module_put_and_exit", "cpu_startup_entry", "do_idle", "rest_init", "start_kernel", "start_secondary",
	"x86_64_start_kernel", "x86_64_start_reservations", "kthread", "ret_from_fork*", "schedule_tail_wrapper",
	"machine_restart", "machine_real_restart", "emergency_restart", "stop_this_cpu", "hlt_play_dead",
	"native_play_dead", "play_dead", "cpu_die", "__stack_chk_fail", "fortify_panic", "usercopy_abort", NULL,
};

// An index of a list of patterns, which excludes most of them faster than fnmatch(). A pattern is indexed by three
// characters: its first ones, or those after "*"; if it has only two, the third may be any.
struct patterns {
	const char *const *list;
	uint64_t first[256], second[256], third[256];  // bit i: pattern i is indexed by this character
	uint64_t anywhere;         // bit i: pattern i begins with "*"
	bool filed;
};

static void file_patterns(struct patterns *p)
{
	for (int i = 0; p->list[i]; i++) {
		const char *at = p->list[i] + strspn(p->list[i], "*");

		assert(i < 64 && strcspn(at, "*?[") >= 2);
		p->first[(unsigned char)at[0]] |= 1ull << i;
		p->second[(unsigned char)at[1]] |= 1ull << i;
		for (int c = 0; c < 256; c++)
			if (strchr("*?[", at[2]) || (unsigned char)at[2] == c)     // also if the pattern has no
										   // third character
				p->third[c] |= 1ull << i;
		p->anywhere |= *p->list[i] == '*' ? 1ull << i : 0;
	}
	p->filed = true;
}

// Compares the literal beginning of a pattern: the text before its "*", or after a "*" at its beginning.
static bool may_match(const char *pattern, const char *text)
{
	bool anywhere = *pattern == '*';
	size_t len;

	pattern += anywhere;
	len = strcspn(pattern, "*");
	if (!anywhere)
		return !strncmp(text, pattern, len);
	return memmem(text, strlen(text), pattern, len) != NULL;
}

static bool is_in(struct patterns *p, const char *text)
{
	uint64_t found = 0, here = ~0ull;  // the patterns that may begin at this character

	if (!p->filed)
		file_patterns(p);
	for (const unsigned char *at = (const unsigned char *)text; at[0] && at[1]; at++, here = p->anywhere)
		found |= p->first[at[0]] & p->second[at[1]] & p->third[at[2]] & here;
	for (; found; found &= found - 1) {
		const char *pattern = p->list[__builtin_ctzll(found)];

		if (may_match(pattern, text) && !fnmatch(pattern, text, 0))
			return true;
	}
	return false;
}

// Uses a map, since there are many more functions than files.
static bool is_in_file(const char *file)
{
	static struct patterns patterns = { .list = files };
	static struct map known;
	static const char *last;           // most functions are in the file of the previous one
	static void *verdict;

	if (file == last)
		return *(const char *)verdict;
	last = file;
	verdict = map_get(&known, file);
	if (!verdict) {
		verdict = is_in(&patterns, file) ? (void *)"yes" : (void *)"";
		map_put(&known, file, verdict);
	}
	return *(const char *)verdict;
}

static bool is_in_names(const char *name)
{
	static struct patterns of_probes = { .list = names }, of_handlers = { .list = called };

	return is_in(&of_probes, name) || is_in(&of_handlers, name);
}

bool blocklist_has(const struct di_function *f)
{
	return is_in_names(f->name) || (strcmp(f->symbol, f->name) && is_in_names(f->symbol)) ||
	       (f->file && is_in_file(f->file));
}

bool blocklist_never_returns(const struct di_function *f)
{
	static struct patterns patterns = { .list = without_return };

	return is_in(&patterns, f->name);
}
