/* SPDX-License-Identifier: GPL-2.0-or-later */
// Hand-written probes that only increment a per-CPU counter: they measure the minimum cost of a hook. They are
// placed on vfs_read, or on the tracepoint sys_enter.
// insmod floor.ko how=ftrace | regs | kprobe | kretprobe | tracepoint
// insmod floor.ko how=uprobe path=PROGRAM offset=BYTES: an empty consumer of a uprobe
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/percpu.h>
#include <linux/tracepoint.h>
#include <linux/uprobes.h>
#include <linux/version.h>

static char *how = "ftrace";
module_param(how, charp, 0);
static DEFINE_PER_CPU(long, hits);

static void notrace on_ftrace(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			      struct ftrace_regs *regs)
{
	__this_cpu_inc(hits);
}

static int on_kprobe(struct kprobe *p, struct pt_regs *regs)
{
	__this_cpu_inc(hits);
	return 0;
}

static int on_return(struct kretprobe_instance *i, struct pt_regs *regs)
{
	__this_cpu_inc(hits);
	return 0;
}

static void on_sys_enter(void *data, struct pt_regs *regs, long id)
{
	if (id == 0)
		__this_cpu_inc(hits);
}

static char *path;
static ulong offset;
module_param(path, charp, 0);
module_param(offset, ulong, 0);
static struct path program;

static int on_uprobe(struct uprobe_consumer *uc, struct pt_regs *regs)
{
	return 0;
}

static struct uprobe_consumer consumer = { .handler = on_uprobe };
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
static struct uprobe *uprobe;
#endif

static int start_uprobe(void)
{
	int err = kern_path(path, LOOKUP_FOLLOW, &program);

	if (err)
		return err;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe = uprobe_register(d_inode(program.dentry), offset, 0, &consumer);
	return PTR_ERR_OR_ZERO(uprobe);
#else
	return uprobe_register(d_inode(program.dentry), offset, &consumer);
#endif
}

static void stop_uprobe(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_nosync(uprobe, &consumer);
	uprobe_unregister_sync();
#else
	uprobe_unregister(d_inode(program.dentry), offset, &consumer);
#endif
	path_put(&program);
}

static struct tracepoint *sys_enter;

static void find_sys_enter(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sys_enter"))
		sys_enter = tp;
}

static struct ftrace_ops ops = { .func = on_ftrace };
static struct kprobe kp = { .symbol_name = "vfs_read", .pre_handler = on_kprobe };
static struct kretprobe rp = { .kp.symbol_name = "vfs_read", .handler = on_return, .maxactive = 32 };

static int __init start(void)
{
	if (!strcmp(how, "kprobe"))
		return register_kprobe(&kp);
	if (!strcmp(how, "kretprobe"))
		return register_kretprobe(&rp);
	if (!strcmp(how, "uprobe"))
		return start_uprobe();
	if (!strcmp(how, "tracepoint")) {
		for_each_kernel_tracepoint(find_sys_enter, NULL);
		return sys_enter ? tracepoint_probe_register(sys_enter, on_sys_enter, NULL) : -ENOENT;
	}
	if (!strcmp(how, "regs"))
		ops.flags |= FTRACE_OPS_FL_SAVE_REGS;
	ftrace_set_filter(&ops, "vfs_read", 8, 0);
	return register_ftrace_function(&ops);
}

static void __exit stop(void)
{
	if (!strcmp(how, "kprobe"))
		unregister_kprobe(&kp);
	else if (!strcmp(how, "kretprobe"))
		unregister_kretprobe(&rp);
	else if (!strcmp(how, "uprobe"))
		stop_uprobe();
	else if (!strcmp(how, "tracepoint")) {
		tracepoint_probe_unregister(sys_enter, on_sys_enter, NULL);
		tracepoint_synchronize_unregister();
	} else
		unregister_ftrace_function(&ops);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
