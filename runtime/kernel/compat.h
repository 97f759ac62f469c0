/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that is not the same in all kernels and on all processors, under names of our own,
 * in the newest kernel's manner. What a kernel has comes from compat.def by way of stp_config.h.
 */
#ifndef KERNEL_COMPAT_H
#define KERNEL_COMPAT_H

#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <linux/version.h>
#include "stp_config.h"
#ifdef HAVE_FPROBE
#include <linux/fprobe.h>
#endif
#ifdef CONFIG_X86_64
#include <asm/cpu_entry_area.h>
#include <asm/vsyscall.h>
#endif

/* ------------------------------------------------------------------ timers */

static inline void compat_hrtimer_setup(struct hrtimer *t,
					enum hrtimer_restart (*f)(struct hrtimer *),
					enum hrtimer_mode mode)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(t, f, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(t, CLOCK_MONOTONIC, mode);
	t->function = f;
#endif
}

/* Ends: with the handler that runs, which has a budget. */
static inline void compat_timer_delete_sync(struct timer_list *t)
{
#ifdef HAVE_TIMER_DELETE_SYNC
	timer_delete_sync(t);
#else
	del_timer_sync(t);
#endif
}

/* ------------------------------------------------------------------ registers */

/* Where the kernel was interrupted, interrupts were on. Of a function's entry by ftrace not all registers
 * are there: then the code segment is 0, or the processor's state says that interrupts are off. */
static inline bool compat_irqs_were_on(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs->cs == __KERNEL_CS && !raw_irqs_disabled_flags(regs->flags);
#elif defined(CONFIG_ARM64)
	return !user_mode(regs) && interrupts_enabled(regs);
#else
	return false;
#endif
}

/* ------------------------------------------------------------------ /proc */

#ifdef HAVE_PDE_DATA_FUNCTION
#define compat_pde_data(inode) PDE_DATA(inode)
#else
#define compat_pde_data(inode) pde_data(inode)
#endif

/* ------------------------------------------------------------------ ftrace */

#if defined(CONFIG_DYNAMIC_FTRACE) && defined(CONFIG_X86_64)
#define COMPAT_FTRACE 1
/* x86-64 keeps a struct pt_regs in struct ftrace_regs, and nothing before it: arguments, stack
 * pointer and ip are there always, the rest with FTRACE_OPS_FL_SAVE_REGS. Kernels before 5.11 hand
 * over the pt_regs itself. */
struct ftrace_regs;
struct compat_ftrace_room { };
static __always_inline const void *compat_ftrace_regs(struct ftrace_regs *r, struct compat_ftrace_room *room)
{
	return r;
}

/* The call that ftrace patches, of the function at this address: what it calls `ip`. An IBT
 * kernel's functions start with an ENDBR, or with what it was overwritten with. */
static inline unsigned long compat_ftrace_ip(unsigned long function)
{
#ifdef CONFIG_X86_KERNEL_IBT
	u32 first, endbr = ~0xfa1e0ff3u;

	OPTIMIZER_HIDE_VAR(endbr); /* in the code it would be one */
	/* ENDBR64; what is written over it where nobody calls indirectly, before and since 6.15 */
	if (!get_kernel_nofault(first, (u32 *)function) &&
	    (first == ~endbr || first == 0x001f0f66 || first == 0xd6401f0f))
		return function + 4;
#endif
	return function;
}

/* False: that isn't a call which ftrace patches, nor one of the no-ops it makes of them (or an int3, meanwhile). */
static inline bool compat_ftrace_likely(unsigned long function)
{
	u8 first;

	return get_kernel_nofault(first, (u8 *)compat_ftrace_ip(function)) || first == 0xe8 || first == 0x0f ||
	       first == 0x66 || first == 0x3e || first == 0xcc;
}
#elif defined(CONFIG_ARM64) && \
	(defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) || defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS))
#define COMPAT_FTRACE 1
#define COMPAT_FTRACE_STATE (PSR_MODE_EL1h | PSR_I_BIT)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS     /* 6.2: what a function is called with, in an order of its own */
struct compat_ftrace_room { struct pt_regs regs; };
#ifndef HAVE_FTRACE_REGS_REGS              /* until 6.12 */
#define arch_ftrace_regs(r) (r)
#endif
static __always_inline const void *compat_ftrace_regs(struct ftrace_regs *r, struct compat_ftrace_room *room)
{
	memcpy(room->regs.regs, arch_ftrace_regs(r)->regs, sizeof(arch_ftrace_regs(r)->regs));
	room->regs.regs[29] = arch_ftrace_regs(r)->fp;
	room->regs.regs[30] = arch_ftrace_regs(r)->lr;
	room->regs.sp = arch_ftrace_regs(r)->sp;
	room->regs.pc = arch_ftrace_regs(r)->pc;
	room->regs.pstate = COMPAT_FTRACE_STATE;
	return &room->regs;
}
#else                                      /* pt_regs, but for the processor's state, which isn't set */
struct compat_ftrace_room { };
static __always_inline const void *compat_ftrace_regs(struct ftrace_regs *r, struct compat_ftrace_room *room)
{
	((struct pt_regs *)r)->pstate = COMPAT_FTRACE_STATE;
	return r;
}
#endif

/* The call is the second of two instructions, behind a BTI if there is one. */
static inline unsigned long compat_ftrace_ip(unsigned long function)
{
	u32 first;

	if (!get_kernel_nofault(first, (u32 *)function) && first == 0xd503245f)
		return function + 8;
	return function + 4;
}

static inline bool compat_ftrace_likely(unsigned long function)
{
	return true;
}
#else
#define COMPAT_FTRACE 0
#endif

/* Several places at once (5.18), or one after the other; `reset`: instead of those that were set.
 * Ends: text is patched (kernel/README.md, "Why waits end"). */
static inline int compat_ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int n,
					       bool reset)
{
#ifdef HAVE_FTRACE_FILTER_IPS
	return ftrace_set_filter_ips(ops, ips, n, 0, reset);
#else
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = ftrace_set_filter_ip(ops, ips[i], 0, reset && !i);
	return err;
#endif
}

/* Ends: text is patched (kernel/README.md, "Why waits end"). */
static inline int compat_ftrace_unset_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int n)
{
#ifdef HAVE_FTRACE_FILTER_IPS
	return ftrace_set_filter_ips(ops, ips, n, 1, 0);
#else
	return -EOPNOTSUPP;
#endif
}

/* As many places an ops gets or loses at once. Where they come one after the other, ops that are registered would
 * have the kernel walk through all its functions for each. */
#if defined(HAVE_FTRACE_FILTER_IPS) && defined(STP_DEBUG)
#define COMPAT_FTRACE_PIECE 16u
#elif defined(HAVE_FTRACE_FILTER_IPS)
#define COMPAT_FTRACE_PIECE 8192u
#else
#define COMPAT_FTRACE_PIECE UINT_MAX
#endif

/* Where ftrace gives arguments alone (5.11), they cost less than all registers; else there is nothing
 * between these and none. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define COMPAT_FTRACE_ARGUMENTS 0
#else
#define COMPAT_FTRACE_ARGUMENTS FTRACE_OPS_FL_SAVE_REGS
#endif

/* A callback that is not to be entered again before it has returned, nor to be moved to another CPU; until 5.11
 * ftrace cared for that unless it was told not to. */
#ifdef HAVE_KRETPROBE_RP
#define COMPAT_FTRACE_RECURSION 0
#else
#define COMPAT_FTRACE_RECURSION FTRACE_OPS_FL_RECURSION
#endif

/* Ends: text is patched (kernel/README.md, "Why waits end"). */
static inline void compat_ftrace_free_filter(struct ftrace_ops *ops)
{
#ifdef HAVE_FTRACE_FREE_FILTER
	ftrace_free_filter(ops);
#else
	ftrace_set_filter(ops, NULL, 0, 1);
#endif
}

/* fprobe, which catches returns by way of ftrace: with data of each call (6.3), callbacks that get
 * the return address (6.5) and pt_regs (until it left rethook in 6.14). */
#if COMPAT_FTRACE && defined(HAVE_FPROBE) && defined(HAVE_FPROBE_DATA) && \
	defined(HAVE_FPROBE_RETHOOK) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define COMPAT_FPROBE 1
#else
#define COMPAT_FPROBE 0
#endif

/* Whether returns can be caught many at a time: by an fprobe, or by a kretprobe that ftrace leads to, for
 * which it has to hand over a pt_regs. */
#if COMPAT_FPROBE || (COMPAT_FTRACE && defined(CONFIG_X86_64))
#define COMPAT_RETURN_GROUPS 1
#else
#define COMPAT_RETURN_GROUPS 0
#endif

/* ------------------------------------------------------------------ uprobes */

/* Since 6.12 a registered uprobe has a handle and unregistering waits once for all of them; since
 * 6.13 the callbacks get data of the call. */
#ifdef HAVE_UPROBE_DATA
#define COMPAT_UPROBE_ENTRY(name) \
	static int name(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *compat_data)
#define COMPAT_UPROBE_RETURN(name) \
	static int name(struct uprobe_consumer *uc, unsigned long func, struct pt_regs *regs, __u64 *compat_data)
#else
#define COMPAT_UPROBE_ENTRY(name) \
	static int name(struct uprobe_consumer *uc, struct pt_regs *regs)
#define COMPAT_UPROBE_RETURN(name) \
	static int name(struct uprobe_consumer *uc, unsigned long func, struct pt_regs *regs)
#endif
#ifdef HAVE_UPROBE_HANDLE
#define COMPAT_UPROBE_FILTER(name) static bool name(struct uprobe_consumer *uc, struct mm_struct *mm)
typedef struct uprobe *compat_uprobe;

static inline int compat_uprobe_register(compat_uprobe *u, struct inode *inode, loff_t offset,
					 loff_t semaphore, struct uprobe_consumer *uc)
{
	*u = uprobe_register(inode, offset, semaphore, uc);
	return PTR_ERR_OR_ZERO(*u);
}

static inline void compat_uprobe_unregister(compat_uprobe u, struct inode *inode, loff_t offset,
					    struct uprobe_consumer *uc)
{
	uprobe_unregister_nosync(u, uc);       /* ends: takes breakpoints out, each process's under its mmap lock */
}

/* Ends: handlers neither sleep nor fault pages in, and have a budget. */
static inline void compat_uprobe_sync(void)
{
	uprobe_unregister_sync();
}
#else
#define COMPAT_UPROBE_FILTER(name) \
	static bool name(struct uprobe_consumer *uc, enum uprobe_filter_ctx why, struct mm_struct *mm)
typedef struct { } compat_uprobe;

static inline int compat_uprobe_register(compat_uprobe *u, struct inode *inode, loff_t offset,
					 loff_t semaphore, struct uprobe_consumer *uc)
{
	return semaphore ? uprobe_register_refctr(inode, offset, semaphore, uc) :
			   uprobe_register(inode, offset, uc);
}

static inline void compat_uprobe_unregister(compat_uprobe u, struct inode *inode, loff_t offset,
					    struct uprobe_consumer *uc)
{
	uprobe_unregister(inode, offset, uc);  /* ends: takes breakpoints out, each process's under its mmap lock */
}

static inline void compat_uprobe_sync(void)
{
}
#endif

/* How far the stack pointer is, when a function has returned, from where it was at its entry: calls push the
 * address to return to, or put it into a register. */
#ifdef CONFIG_X86_64
#define COMPAT_RETURN_POPS 8
#else
#define COMPAT_RETURN_POPS 0
#endif

/* An address of code as programs keep it: those of arm64 may sign it in the bits that no address has. */
static inline u64 compat_user_code(u64 address)
{
#ifdef CONFIG_ARM64
	return address & (TASK_SIZE_64 - 1);
#else
	return address;
#endif
}

/* Where the function that begins returns to, of processors whose calls put it into a register. */
static inline u64 compat_link_register(const struct pt_regs *regs)
{
#ifdef CONFIG_ARM64
	return regs->regs[30];
#else
	return 0;
#endif
}

/* A process's own registers: is it running code of 32 bits? */
static inline bool compat_narrow_code(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs->cs == __USER32_CS;
#else
	return false;
#endif
}

/* ------------------------------------------------------------------ kretprobes */

struct kretprobe_instance;
#ifdef HAVE_KRETPROBE_RP               /* until 5.11 */
#define compat_get_kretprobe(ri) ((ri)->rp)
#else
#define compat_get_kretprobe(ri) get_kretprobe(ri)
#endif

/* Until 5.15 the unwinder ends at the trampoline of a return probe: handlers of returns get registers that are in the
 * caller, where backtraces begin (tapsets/symbols.stp). Returns what to put back. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
#define compat_enter_caller(ri, regs) ({						\
	unsigned long compat_ip = instruction_pointer(regs);			\
	instruction_pointer_set(regs, (unsigned long)(ri)->ret_addr);		\
	compat_ip;								\
})
#define compat_leave_caller(regs, ip) instruction_pointer_set(regs, ip)
#else
#define compat_enter_caller(ri, regs) 0
#define compat_leave_caller(regs, ip) ((void)(ip))
#endif

/* ------------------------------------------------------------------ NMIs */

/* preempt_count() says NMI also in a breakpoint's handler, which x86 runs on the stack that it
 * interrupted. An NMI that interrupted the kernel is on a stack of its own; one that interrupted
 * user space is on the task's, all of which is free then. */
static inline bool compat_in_nmi(unsigned long sp)
{
#ifdef CONFIG_X86_64
	return sp - CPU_ENTRY_AREA_BASE < CPU_ENTRY_AREA_MAP_SIZE;
#else
	return in_nmi();
#endif
}

/* ------------------------------------------------------------------ stacks */

/* For functions that write no further than their own variables reach: the check is 6 instructions. */
#ifndef __no_stack_protector               /* not in 5.10 */
#define __no_stack_protector
#endif

/* PREEMPT_RT runs the others in a thread. */
static inline void compat_irq_work_init(struct irq_work *w, void (*f)(struct irq_work *w))
{
#ifdef IRQ_WORK_INIT_HARD                  /* 5.11 */
	*w = IRQ_WORK_INIT_HARD(f);
#else
	init_irq_work(w, f);
#endif
}

#ifdef CONFIG_X86_64
#define COMPAT_IRQ_STACK_LEARNED 1

/* The lowest address of the interrupt stack that the stack pointer is near the top of; 0: that isn't one. The kernel
 * leaves a pointer to the interrupted task's stack in its uppermost word, for its unwinder (5.8 to 7.2:
 * asm_call_on_stack(), call_on_stack()), and aligns it to pages. */
static inline unsigned long compat_irq_stack_learn(unsigned long sp, unsigned long task_stack)
{
	unsigned long top = ALIGN(sp + 1, PAGE_SIZE);

	if (sp - task_stack < THREAD_SIZE ||
	    READ_ONCE_NOCHECK(*(unsigned long *)(top - sizeof(long))) - task_stack >= THREAD_SIZE)
		return 0;
	return top - IRQ_STACK_SIZE;
}

/* Stacks of equal size, each with a page below it that isn't there. */
static inline unsigned long compat_exception_stacks(unsigned int cpu)
{
	BUILD_BUG_ON(CEA_ESTACK_OFFS(DF) != PAGE_SIZE);
	BUILD_BUG_ON(CEA_ESTACK_OFFS(DB) - CEA_ESTACK_OFFS(NMI) != PAGE_SIZE + EXCEPTION_STKSZ);
	BUILD_BUG_ON(sizeof(struct cea_exception_stacks) % (PAGE_SIZE + EXCEPTION_STKSZ) != PAGE_SIZE);
	return (unsigned long)&get_cpu_entry_area(cpu)->estacks;
}

static inline unsigned long compat_other_stack_left(unsigned long sp, unsigned long exceptions)
{
	unsigned long at = sp - exceptions;

	if (at >= sizeof(struct cea_exception_stacks))
		return 0;
	at %= PAGE_SIZE + EXCEPTION_STKSZ;
	return at > PAGE_SIZE ? at - PAGE_SIZE : 0;
}
#else
#define COMPAT_IRQ_STACK_LEARNED 0

static inline unsigned long compat_irq_stack_learn(unsigned long sp, unsigned long task_stack)
{
	return 0;
}

static inline unsigned long compat_exception_stacks(unsigned int cpu)
{
	return 0;
}

/* With VMAP_STACK, arm64 takes all stacks from vmalloc, aligned to twice their size (arch_alloc_vmap_stack(), 4.14 to
 * 7.2), but for the one of 4 KB that a panic runs on. */
static inline unsigned long compat_other_stack_left(unsigned long sp, unsigned long exceptions)
{
#if defined(CONFIG_ARM64) && defined(CONFIG_VMAP_STACK)
	if (sp - VMALLOC_START < VMALLOC_END - VMALLOC_START)
		return sp & (THREAD_SIZE - 1);
#endif
	return 0;
}
#endif

/* ------------------------------------------------------------------ addresses */

#ifdef CONFIG_X86_64
/* The lowest address a kernel load may have: the start of the upper half, one page on, so that no
 * load is non-canonical (that is no page fault, and the kernel complains about it). */
static inline unsigned long compat_kernel_low(void)
{
	return (~0ul << (boot_cpu_data.x86_virt_bits - 1)) + PAGE_SIZE;
}
/* The vsyscall page counts as user memory although it lies among the kernel's addresses. A load of
 * up to 8 bytes. */
static __always_inline bool compat_kernel_hole(unsigned long address)
{
	return address - (VSYSCALL_ADDR - 7) < PAGE_SIZE + 7;
}
#else
static inline unsigned long compat_kernel_low(void)
{
	return PAGE_OFFSET;
}
static __always_inline bool compat_kernel_hole(unsigned long address)
{
	return false;
}
#endif

#ifdef CONFIG_X86_64
/* Programs of 32 bits have it in the segment that %gs, which the kernel leaves alone, selects. 0: none is there. */
static inline unsigned long compat_thread_pointer_ia32(void)
{
	const struct desc_struct *d;
	unsigned int selector;

	savesegment(gs, selector);
	selector >>= 3;
	if (selector < GDT_ENTRY_TLS_MIN || selector > GDT_ENTRY_TLS_MAX)
		return 0;
	d = &current->thread.tls_array[selector - GDT_ENTRY_TLS_MIN];
	return d->base0 | d->base1 << 16 | (unsigned long)d->base2 << 24;
}
#endif

/* Of the current process. */
static inline unsigned long compat_thread_pointer(void)
{
#ifdef CONFIG_X86_64
	unsigned long base;

	if (!user_64bit_mode(task_pt_regs(current)))
		return compat_thread_pointer_ia32();
	if (boot_cpu_has(X86_FEATURE_FSGSBASE)) {
		asm volatile("rdfsbase %0" : "=r" (base));
		return base;
	}
#ifdef rdmsrq              /* 6.16 */
	rdmsrq(MSR_FS_BASE, base);
#else
	rdmsrl(MSR_FS_BASE, base);
#endif
	return base;
#elif defined(CONFIG_ARM64)
	return read_sysreg(tpidr_el0);
#else
	return 0;
#endif
}

/* A fault in a kernel load goes to the exception table without looking at the task on x86; others
 * want page faults disabled for that. */
#ifdef CONFIG_X86_64
#define compat_load_begin() do { } while (0)
#define compat_load_end() do { } while (0)
#else
#define compat_load_begin() pagefault_disable()
#define compat_load_end() pagefault_enable()
#endif

/* Whether user memory can be there at all; unlike access_ok() it doesn't ask for a context. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define compat_user_range(address, size) __access_ok((const void __user *)(unsigned long)(address), size)
#else
#define compat_user_range(address, size) ((unsigned long)(address) <= TASK_SIZE_MAX - (size))
#endif

/* A mount, which the kernel keeps to itself, up to what all know of it: the same from 3.3 on (fs/mount.h). */
struct vfsmount;
struct compat_mount {
	struct hlist_node hash;
	struct compat_mount *parent;
	struct dentry *mountpoint;
};
#define compat_mount_of(vfsmount) ((struct compat_mount *)(vfsmount) - 1)
#define compat_vfsmount_of(mount) ((struct vfsmount *)((mount) + 1))

/* The constants of a module, its notes among them. */
static inline const void *compat_module_rodata(const struct module *mod, unsigned long *size)
{
#ifdef HAVE_MODULE_MEM
	*size = mod->mem[MOD_RODATA].size;
	return mod->mem[MOD_RODATA].base;
#else
	*size = mod->core_layout.ro_size - mod->core_layout.text_size;
	return mod->core_layout.base + mod->core_layout.text_size;
#endif
}

/* ------------------------------------------------------------------ how fast get_cycles() counts */

#ifdef CONFIG_X86
#include <asm/tsc.h>
static inline u64 compat_cycles_khz(void)
{
	return tsc_khz;
}
#elif defined(CONFIG_ARM64)
#include <asm/arch_timer.h>
static inline u64 compat_cycles_khz(void)
{
	return arch_timer_get_cntfrq() / 1000;
}
#else
static inline u64 compat_cycles_khz(void)
{
	return 0;
}
#endif

#endif
