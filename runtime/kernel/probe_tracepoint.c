/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints of the kernel and its modules. They are found by name: those of the kernel image in its own list, at
 * the start; those of modules in the module's list, when it is loaded. They are unregistered before a module is
 * unloaded.
 *
 * A callback is called with the data that it was registered with, here the struct stp_probe, and the tracepoint's
 * arguments. The functions below declare the arguments as 64-bit numbers, often fewer or more than exist. In the
 * calling conventions of x86-64 and arm64 an integer or pointer uses one register, or 8 bytes of stack, whatever
 * its size, and the caller clears the stack; so the first n arguments are where a function with n parameters finds
 * them, and the translator truncates each to its type. (A kernel with CONFIG_CFI_CLANG would check the prototypes.)
 */
#include "kernel.h"
#include <linux/module.h>
#include <linux/tracepoint.h>

#ifdef CONFIG_TRACEPOINTS

/* up to this number, tracepoints that cannot be probed are reported one by one */
#define TRACEPOINT_WARNINGS 10

static struct {
	u32 armed, failed;
} tracepoints;

/* ------------------------------------------------------------------ hits */

#define PARAMETERS_0
#define PARAMETERS_1  , u64 a1
#define PARAMETERS_2  PARAMETERS_1, u64 a2
#define PARAMETERS_3  PARAMETERS_2, u64 a3
#define PARAMETERS_4  PARAMETERS_3, u64 a4
#define PARAMETERS_5  PARAMETERS_4, u64 a5
#define PARAMETERS_12 PARAMETERS_5, u64 a6, u64 a7, u64 a8, u64 a9, u64 a10, u64 a11, u64 a12

#define NAMES_0
#define NAMES_1  , a1
#define NAMES_2  NAMES_1, a2
#define NAMES_3  NAMES_2, a3
#define NAMES_4  NAMES_3, a4
#define NAMES_5  NAMES_4, a5
#define NAMES_12 NAMES_5, a6, a7, a8, a9, a10, a11, a12

#define KEEP(n)  (c->arguments[(n) - 1] = a##n)
#define KEEP_0
#define KEEP_1  KEEP(1)
#define KEEP_2  KEEP_1, KEEP(2)
#define KEEP_3  KEEP_2, KEEP(3)
#define KEEP_4  KEEP_3, KEEP(4)
#define KEEP_5  KEEP_4, KEEP(5)
#define KEEP_12 KEEP_5, KEEP(6), KEEP(7), KEEP(8), KEEP(9), KEEP(10), KEEP(11), KEEP(12)

/* Defines the fast callback and the function for hits that may have to be skipped, as in probe_function.c. */
#define TRACEPOINT_HIT(name, n, run)						\
static __always_inline void name##_hit(void *probe PARAMETERS_##n)		\
{										\
	unsigned long flags;							\
	struct stp_ctx *c;							\
										\
	if (!stp_hit_enter(&c, &flags))						\
		return;								\
	c->regs = NULL;								\
	c->address = 0;								\
	KEEP_##n;								\
	run(c, probe);								\
	stp_hit_end(c, flags);							\
}										\
static noinline void name##_unsafe(void *probe PARAMETERS_##n)			\
{										\
	if (!stp_hit_refused())							\
		name##_hit(probe NAMES_##n);					\
}										\
static void name(void *probe PARAMETERS_##n)					\
{										\
	if (stp_hit_unsafe())							\
		name##_unsafe(probe NAMES_##n);					\
	else									\
		name##_hit(probe NAMES_##n);					\
}
#define TRACEPOINT_HITS(n)							\
	TRACEPOINT_HIT(tracepoint_any_##n, n, stp_handler_run)			\
	TRACEPOINT_HIT(tracepoint_simple_##n, n, stp_run_simple)

/* Kernels whose tracepoints of system calls may fault (from 6.13 on) call these functions with preemption on; others
 * call those of all tracepoints with preemption off. */
#ifdef DECLARE_TRACE_SYSCALL
#define CALLED_PREEMPTIBLE true
#else
#define CALLED_PREEMPTIBLE false
#endif

/* Defines the callback of a probe whose handler only adds. */
#define TRACEPOINT_ADDS(n)							\
static STP_PART_FRAME void tracepoint_adds_##n(void *probe PARAMETERS_##n)	\
{										\
	const struct stp_probe *p = probe;					\
	struct stp_ctx_private *v = stp_adds_begin(CALLED_PREEMPTIBLE);	\
	struct stp_adds adds STP_PART_UNSET, *c = &adds;			\
										\
	c->percpu = v->c.percpu;						\
	KEEP_##n;								\
	stp_adds_run(v, p->handler, p, (struct stp_ctx *)c);			\
	stp_adds_end(CALLED_PREEMPTIBLE);					\
}

TRACEPOINT_HITS(0)
TRACEPOINT_HITS(1)
TRACEPOINT_HITS(2)
TRACEPOINT_HITS(3)
TRACEPOINT_HITS(4)
TRACEPOINT_HITS(5)
TRACEPOINT_HITS(12)
TRACEPOINT_ADDS(0)
TRACEPOINT_ADDS(1)
TRACEPOINT_ADDS(2)
TRACEPOINT_ADDS(3)
TRACEPOINT_ADDS(4)
TRACEPOINT_ADDS(5)

/* Selects a callback by the number of arguments. From the sixth on they are on the stack: one function serves
 * all numbers, and may read unrelated stack words. */
static void *tracepoint_function(const struct stp_tracepoint *t)
{
	static void *const functions[][3] = {
		{ tracepoint_any_0, tracepoint_simple_0, tracepoint_adds_0 },
		{ tracepoint_any_1, tracepoint_simple_1, tracepoint_adds_1 },
		{ tracepoint_any_2, tracepoint_simple_2, tracepoint_adds_2 },
		{ tracepoint_any_3, tracepoint_simple_3, tracepoint_adds_3 },
		{ tracepoint_any_4, tracepoint_simple_4, tracepoint_adds_4 },
		{ tracepoint_any_5, tracepoint_simple_5, tracepoint_adds_5 },
		{ tracepoint_any_12, tracepoint_simple_12, tracepoint_simple_12 },
	};

	return functions[min(t->arguments, STP_ADDS_ARGUMENTS + 1u)][stp_probe_is_simple(t->probe) + stp_probe_adds(t->probe)];
}

/* ------------------------------------------------------------------ arming */

static struct tracepoint_table {
	struct stp_tracepoint *at;
	u32 n;
	bool in_modules;                   /* at least one tracepoint is in a module */
} all;

static void note_tracepoint(struct tracepoint *tp, void *data)
{
	u32 i;

	for (i = 0; i < all.n; i++)
		if (!all.at[i].state && !strcmp(all.at[i].name, tp->name))
			all.at[i].state = tp;
}

static void tracepoint_failed(const struct stp_tracepoint *t, int err)
{
	char text[160], number[24];

	if (t->optional || tracepoints.failed++ >= TRACEPOINT_WARNINGS)
		return;
	snprintf(number, sizeof(number), "error %d", err);
	snprintf(text, sizeof(text), "cannot probe the tracepoint %s: %s", t->name,
		 err == -ENOENT ? "the running kernel does not have it" :
		 err == -ENOMEM ? "no memory" : number);
	plat_message(STP_MSG_WARNING, text);
}

/* Bounded wait: tracepoint patching (kernel/README.md, "Why waits end"). */
static void arm_tracepoint(struct stp_tracepoint *t)
{
	int err = t->state ? tracepoint_probe_register(t->state, tracepoint_function(t), (void *)t->probe) :
			     -ENOENT;

	if (!err) {
		tracepoints.armed++;
		return;
	}
	t->state = NULL;
	tracepoint_failed(t, err);
}

/* Bounded wait: tracepoint patching (kernel/README.md, "Why waits end"). */
static void disarm_tracepoint(struct stp_tracepoint *t)
{
	tracepoint_probe_unregister(t->state, tracepoint_function(t), (void *)t->probe);
	t->state = NULL;
}

/* ------------------------------------------------------------------ modules */

#ifdef CONFIG_MODULES

/* comes: the module that is being loaded; NULL: it is being unloaded. */
static bool module_tracepoint(struct tracepoint *tp, const struct module *comes)
{
	struct stp_tracepoint *t;
	bool left = false;

	for (t = all.at; t < all.at + all.n; t++) {
		if (!comes && t->state == tp) {
			disarm_tracepoint(t);
			left = true;
		}
		if (comes && !t->state && t->module && !strcmp(t->module, comes->name) && !strcmp(t->name, tp->name)) {
			t->state = tp;
			arm_tracepoint(t);
		}
	}
	return left;
}

static bool is_wanted(const struct module *mod)
{
	const struct stp_tracepoint *t = all.at, *end = t + all.n;

	for (; t < end && !(t->module && !strcmp(t->module, mod->name)); t++)
		;
	return t < end;
}

/* The kernel calls this for one module at a time; on registration also for modules that are loaded, and on
 * unregistration as if they were unloaded. */
static int tracepoint_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = ((struct tp_module *)data)->mod;
	bool comes = state == MODULE_STATE_COMING, left = false;
	u32 i;

	if (comes && (!is_wanted(mod) || stp_module_is_other_build(mod)))
		return NOTIFY_OK;
	for (i = 0; i < mod->num_tracepoints; i++)
		left |= module_tracepoint(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), comes ? mod : NULL);
	if (left)
		tracepoint_synchronize_unregister();   /* bounded: as in tracepoint_stop(); no handler loads modules */
	return NOTIFY_OK;
}

static struct notifier_block tracepoint_modules = { .notifier_call = tracepoint_module };

/* Bounded wait: until running module notifiers return. */
static int watch_modules(void)
{
	return all.in_modules ? register_tracepoint_module_notifier(&tracepoint_modules) : 0;
}

/* Bounded wait: until running module notifiers return. */
static void leave_modules(void)
{
	if (all.in_modules)
		unregister_tracepoint_module_notifier(&tracepoint_modules);
	all.in_modules = false;
}

#else

static int watch_modules(void) { return 0; }
static void leave_modules(void) { }

#endif

/* ------------------------------------------------------------------ the family */

static void tracepoint_stop(void *table, u32 n)
{
	bool armed = tracepoints.armed;
	u32 i;

	leave_modules();
	for (i = 0; i < n; i++)
		if (all.at[i].state)
			disarm_tracepoint(&all.at[i]);
	if (armed)
		tracepoint_synchronize_unregister();   /* bounded: handlers have interrupts off and a budget */
	tracepoints.armed = 0;
}

/* The process that starts the session was killed: the tracepoints from i on are not armed yet. */
static int abandon(struct stp_tracepoint *table, u32 i, u32 n)
{
	for (all.in_modules = false; i < n; i++)
		table[i].state = NULL;
	tracepoint_stop(table, n);
	return -EINTR;
}

/* Bounded wait: tracepoint patching (kernel/README.md, "Why waits end"). */
static int tracepoint_start(void *table, u32 n)
{
	char text[64];
	u32 i;

	all.at = table;
	all.n = n;
	tracepoints.failed = 0;
	for_each_kernel_tracepoint(note_tracepoint, NULL);
	for (i = 0; i < n; i++) {
		if (plat_killed())
			return abandon(table, i, n);
		all.in_modules |= all.at[i].module != NULL;
		if (all.at[i].state || !all.at[i].module)
			arm_tracepoint(&all.at[i]);
	}
	if (watch_modules()) {
		all.in_modules = false;
		plat_message(STP_MSG_WARNING, "cannot register for events of modules: tracepoints of modules are not probed");
	}
	if (tracepoints.failed > TRACEPOINT_WARNINGS) {
		snprintf(text, sizeof(text), "cannot probe %u more tracepoints",
			 tracepoints.failed - TRACEPOINT_WARNINGS);
		plat_message(STP_MSG_WARNING, text);
	}
	if (tracepoints.armed || all.in_modules || !tracepoints.failed)
		return 0;
	plat_message(STP_MSG_ERROR, "cannot probe any of the tracepoints");
	return -ENOENT;
}

const struct stp_family_ops stp_tracepoint_family = {
	.name = "tracepoint",
	.start = tracepoint_start,
	.stop = tracepoint_stop,
};

#else

/* The BTF of such a kernel has no tracepoints, so no script contains any. */
static int tracepoint_start(void *table, u32 n)
{
	return -EOPNOTSUPP;
}

const struct stp_family_ops stp_tracepoint_family = { .name = "tracepoint", .start = tracepoint_start };

#endif
