/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All differences between kernels and processors, under our own names, with the interface of the newest kernel.
 * Properties of the kernel are those of compat.def, which stp_config.h defines.
 */
#ifndef KERNEL_COMPAT_H
#define KERNEL_COMPAT_H

#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/sched/coredump.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <linux/version.h>
#include "stp_config.h"
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

/* Bounded wait: for a running handler, which has a budget. */
static inline void compat_timer_delete_sync(struct timer_list *t)
{
#ifdef HAVE_TIMER_DELETE_SYNC
	timer_delete_sync(t);
#else
	del_timer_sync(t);
#endif
}

/* ------------------------------------------------------------------ registers */

/* Returns true if the interrupted code had interrupts enabled. ftrace may provide only some registers at the
 * entry of a function: then the code segment is 0, or the processor state indicates disabled interrupts.
 * perf_fetch_caller_regs() of a software event, and ftrace_partial_regs() since 6.14, set only the mode in the
 * state of arm64, which looks like enabled interrupts: returns false for such a state. */
static inline bool compat_irqs_were_on(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs->cs == __KERNEL_CS && !raw_irqs_disabled_flags(regs->flags);
#elif defined(CONFIG_ARM64)
	return !user_mode(regs) && regs->pstate != PSR_MODE_EL1h && interrupts_enabled(regs);
#else
	return false;
#endif
}

/* ------------------------------------------------------------------ vector registers of the current task */

#ifdef CONFIG_X86_64
static inline bool compat_vectors_are_saved(void)
{
	return test_thread_flag(TIF_NEED_FPU_LOAD);
}

/* Returns the saved registers; NULL: the registers of that component have their initial value, 0, which XSAVES
 * does not store. */
static inline const struct fxregs_state *compat_saved_registers(u64 component)
{
#if !defined(HAVE_THREAD_FPU)                 /* since 6.16, struct fpu follows struct task_struct */
	const union fpregs_state *state = &((struct fpu *)((void *)current + sizeof(*current)))->fpstate->regs;
#elif defined(HAVE_FPSTATE)
	const union fpregs_state *state = &current->thread.fpu.fpstate->regs;
#else
	const union fpregs_state *state = &current->thread.fpu.state;
#endif

	if (boot_cpu_has(X86_FEATURE_XSAVE) && !(state->xsave.header.xfeatures & component))
		return NULL;
	return &state->fxsave;
}

static inline const struct fxregs_state *compat_saved_x87(void)
{
	return compat_saved_registers(XFEATURE_MASK_FP);
}

static inline u64 compat_saved_vector(u32 n)
{
	const struct fxregs_state *state = compat_saved_registers(XFEATURE_MASK_SSE);
	u64 value = 0;

	if (state)
		memcpy(&value, &state->xmm_space[4 * n], sizeof(value));
	return value;
}
#elif defined(CONFIG_ARM64)
static inline bool compat_vectors_are_saved(void)
{
	return test_thread_flag(TIF_FOREIGN_FPSTATE);
}

/* A vector register is the low part of an SVE register. */
static inline u64 compat_saved_vector(u32 n)
{
#ifdef CONFIG_ARM64_SVE
#ifdef HAVE_FP_TYPE
	bool sve = current->thread.fp_type == FP_STATE_SVE;
#else
	bool sve = test_thread_flag(TIF_SVE);
#endif
#ifdef HAVE_SVE_VL
	u32 length = current->thread.sve_vl;
#elif defined(HAVE_CURRENT_VL)
	u32 length = thread_get_cur_vl(&current->thread);
#else
	u32 length = thread_get_sve_vl(&current->thread);
#endif

	if (sve && current->thread.sve_state)
		return *(const u64 *)((const char *)current->thread.sve_state + (size_t)n * length);
#endif
	return (u64)current->thread.uw.fpsimd_state.vregs[n];
}
#endif

/* ------------------------------------------------------------------ /proc */

#ifdef HAVE_PDE_DATA_FUNCTION
#define compat_pde_data(inode) PDE_DATA(inode)
#else
#define compat_pde_data(inode) pde_data(inode)
#endif

/* ------------------------------------------------------------------ ftrace */

#if defined(CONFIG_DYNAMIC_FTRACE) && defined(CONFIG_X86_64)
#define COMPAT_FTRACE 1
/* On x86-64, struct ftrace_regs begins with a struct pt_regs: arguments, stack pointer and ip are always valid, the
 * other registers with FTRACE_OPS_FL_SAVE_REGS. Kernels before 5.11 pass the pt_regs itself. */
struct ftrace_regs;
struct compat_ftrace_buffer { };
static __always_inline const void *compat_ftrace_regs(struct ftrace_regs *r, struct compat_ftrace_buffer *buffer)
{
	return r;
}

/* Returns the address of the call instruction that ftrace patches in the function, its `ip`. Functions of an IBT
 * kernel begin with an ENDBR, or with the instruction that replaced it. */
static inline unsigned long compat_ftrace_ip(unsigned long function)
{
#ifdef CONFIG_X86_KERNEL_IBT
	u32 first, endbr = ~0xfa1e0ff3u;

	OPTIMIZER_HIDE_VAR(endbr); /* a constant ENDBR in the code would be a valid branch target */
	/* ENDBR64, and its replacements in functions without indirect calls, before and since 6.15 */
	if (!get_kernel_nofault(first, (u32 *)function) &&
	    (first == ~endbr || first == 0x001f0f66 || first == 0xd6401f0f))
		return function + 4;
#endif
	return function;
}

/* Returns false if there is neither a call that ftrace patches nor one of the no-ops that replace it (or,
 * temporarily, an int3). */
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

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS     /* since 6.2: the arguments, in a separate layout */
struct compat_ftrace_buffer { struct pt_regs regs; };
#ifndef HAVE_FTRACE_REGS_REGS              /* until 6.12 */
#define arch_ftrace_regs(r) (r)
#endif
static __always_inline const void *compat_ftrace_regs(struct ftrace_regs *r, struct compat_ftrace_buffer *buffer)
{
	memcpy(buffer->regs.regs, arch_ftrace_regs(r)->regs, sizeof(arch_ftrace_regs(r)->regs));
	buffer->regs.regs[29] = arch_ftrace_regs(r)->fp;
	buffer->regs.regs[30] = arch_ftrace_regs(r)->lr;
	buffer->regs.sp = arch_ftrace_regs(r)->sp;
	buffer->regs.pc = arch_ftrace_regs(r)->pc;
	buffer->regs.pstate = COMPAT_FTRACE_STATE;
	return &buffer->regs;
}
#else                                      /* a pt_regs in which the processor state is not set */
struct compat_ftrace_buffer { };
static __always_inline const void *compat_ftrace_regs(struct ftrace_regs *r, struct compat_ftrace_buffer *buffer)
{
	((struct pt_regs *)r)->pstate = COMPAT_FTRACE_STATE;
	return r;
}
#endif

/* The call is the second of two instructions, after a BTI if there is one. */
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

/* Sets several addresses at once (since 5.18), or one after the other; `reset` removes the addresses that were
 * set before. Bounded wait: text patching (kernel/README.md, "Why waits end"). */
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

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
static inline int compat_ftrace_unset_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int n)
{
#ifdef HAVE_FTRACE_FILTER_IPS
	return ftrace_set_filter_ips(ops, ips, n, 1, 0);
#else
	return -EOPNOTSUPP;
#endif
}

/* Maximum number of addresses that are added to an ftrace_ops, or removed from it, by one call: while the ops is
 * registered, the kernel scans all its functions at each call. */
#if defined(HAVE_FTRACE_FILTER_IPS) && defined(STP_DEBUG)
#define COMPAT_FTRACE_PIECE 16u
#elif defined(HAVE_FTRACE_FILTER_IPS)
#define COMPAT_FTRACE_PIECE 16384u
#else
#define COMPAT_FTRACE_PIECE UINT_MAX
#endif

/* ftrace can provide only the arguments (since 5.11), which is cheaper than all registers; otherwise only all
 * registers are available. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define COMPAT_FTRACE_ARGUMENTS 0
#else
#define COMPAT_FTRACE_ARGUMENTS FTRACE_OPS_FL_SAVE_REGS
#endif

/* While ops with this flag are registered, the kernel refuses to disable ftrace (sysctl kernel.ftrace_enabled), which
 * would lose hits without notice; while ftrace is disabled it refuses to register them, with -EBUSY (5.6 to 7.2:
 * __register_ftrace_function(), ftrace_enable_sysctl()). */
#define COMPAT_FTRACE_NEEDED FTRACE_OPS_FL_PERMANENT

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
static inline void compat_ftrace_free_filter(struct ftrace_ops *ops)
{
#ifdef HAVE_FTRACE_FREE_FILTER
	ftrace_free_filter(ops);
#else
	ftrace_set_filter(ops, NULL, 0, 1);
#endif
}

/* Defined if many returns can be probed at once, by a kretprobe that an ftrace callback starts: then the kernel
 * requires only the stack pointer. An fprobe costs more and always saves all registers. Kretprobes must be based on
 * rethooks (5.18), which can have a handler of ours, see COMPAT_RETHOOK_HANDLER. Besides, until 5.10 kretprobes take
 * locks. kprobe_busy_begin() prevents deadlocks only with kprobes: an ftrace callback in an NMI, or of a function that
 * is called with the lock held, would start another kretprobe, which would wait for the lock forever. */
#if COMPAT_FTRACE && defined(CONFIG_X86_64) && defined(CONFIG_KRETPROBE_ON_RETHOOK)
#define COMPAT_RETURN_GROUPS 1
#else
#define COMPAT_RETURN_GROUPS 0
#endif

/* ------------------------------------------------------------------ uprobes */

/* Since 6.12 a registered uprobe has a handle, and one wait suffices for all uprobes that are unregistered;
 * since 6.13 callbacks have data per call. */
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
	/* bounded: removes breakpoints, those of each process under its mmap lock */
	uprobe_unregister_nosync(u, uc);
}

/* Bounded wait: handlers do not sleep or fault in pages, and have a budget. */
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
	/* bounded: removes breakpoints, those of each process under its mmap lock */
	uprobe_unregister(inode, offset, uc);
}

static inline void compat_uprobe_sync(void)
{
}
#endif

/* Difference between the stack pointer after the return of a function and at its entry: calls push the return
 * address, or store it in a register. */
#ifdef CONFIG_X86_64
#define COMPAT_RETURN_POPS 8
#else
#define COMPAT_RETURN_POPS 0
#endif

/* Returns a code address that was read from a program's memory without the signature that arm64 may store in its
 * unused bits. */
static inline u64 compat_user_code(u64 address)
{
#ifdef CONFIG_ARM64
	return address & (TASK_SIZE_64 - 1);
#else
	return address;
#endif
}

/* Returns the return address at the entry of a function, for processors whose calls store it in a register. */
static inline u64 compat_link_register(const struct pt_regs *regs)
{
#ifdef CONFIG_ARM64
	return regs->regs[30];
#else
	return 0;
#endif
}

/* Returns the address of the vDSO in the current process; 0 if it has none. */
static inline u64 compat_vdso(void)
{
#if defined CONFIG_X86_64 || defined CONFIG_ARM64
	return (unsigned long)current->mm->context.vdso;
#else
	return 0;
#endif
}

/* Returns true if registers of a process are those of 32-bit code. */
static inline bool compat_is_32bit_code(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs->cs == __USER32_CS;
#else
	return false;
#endif
}

/* ------------------------------------------------------------------ kprobes */

/* Returns false if a kprobe that is registered and not disabled does not hit: all kprobes are disabled (file
 * kprobes/enabled in debugfs), or it is at a function's entry and ftrace is disabled. Then the code is not patched with
 * a breakpoint, a jump (optimised kprobes) or the call of ftrace. */
static inline bool compat_kprobe_hits(const void *address)
{
#ifdef CONFIG_X86_64
	unsigned long call = (unsigned long)address;
	u8 first;

#if COMPAT_FTRACE
	call = compat_ftrace_ip(call);
#endif
	return get_kernel_nofault(first, (const u8 *)address) || first == 0xcc || first == 0xe9 ||
	       (!get_kernel_nofault(first, (const u8 *)call) && (first == 0xe8 || first == 0xcc || first == 0xe9));
#else
	return true;
#endif
}

/* ------------------------------------------------------------------ kretprobes */

struct kretprobe_instance;
#ifdef HAVE_KRETPROBE_RP               /* until 5.11 */
#define compat_get_kretprobe(ri) ((ri)->rp)
#else
#define compat_get_kretprobe(ri) get_kretprobe(ri)
#endif

/* COMPAT_RETHOOK_HANDLER defines the handler NAME of a rethook, which calls function(node, regs); handlers have a
 * parameter more since 6.5. The handler of kretprobes resets the CPU's current kprobe (kretprobe_rethook_handler()),
 * which is right only where no kprobe is active: elsewhere the kernel starts no kretprobe. If a kprobe is in single
 * step, and a return in an NMI or a page fault resets it, the kernel takes the end of the step for an invalid
 * breakpoint, and dies. */
#define COMPAT_RETHOOK_HANDLER(name, function)						\
static void name##_until_6_4(struct rethook_node *node, void *data, struct pt_regs *regs)	\
{												\
	function(node, regs);									\
}												\
static void name(struct rethook_node *node, void *data, unsigned long address, struct pt_regs *regs) \
{												\
	function(node, regs);									\
}
#define compat_rethook_handler(name)							\
	(__builtin_types_compatible_p(rethook_handler_t, typeof(&name)) ? (void *)name : (void *)name##_until_6_4)

/* Until 5.15 the unwinder stops at the trampoline of a return probe. Handlers of returns therefore get registers
 * that point into the caller, where backtraces begin (tapsets/symbols.stp). Returns the original value, to be
 * restored. */
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

/* Returns true in an NMI. preempt_count() also reports an NMI in the handler of a breakpoint, which x86 runs on
 * the interrupted stack. An NMI that interrupts the kernel runs on its own stack; an NMI that interrupts user
 * space runs on the task's stack, which is entirely free then. */
static inline bool compat_in_nmi(unsigned long sp)
{
#ifdef CONFIG_X86_64
	return sp - CPU_ENTRY_AREA_BASE < CPU_ENTRY_AREA_MAP_SIZE;
#else
	return in_nmi();
#endif
}

/* ------------------------------------------------------------------ mappings */

/* Walks through the mappings of a process in descending order, from vma on. */
#ifdef HAVE_VMA_PREV                       /* up to 6.0 */
struct compat_mappings { struct vm_area_struct *at; };

static inline void compat_mappings_init(struct compat_mappings *w, struct mm_struct *mm, struct vm_area_struct *vma)
{
	w->at = vma;
}

static inline struct vm_area_struct *compat_mapping_below(struct compat_mappings *w)
{
	return w->at = w->at->vm_prev;
}
#else
struct compat_mappings { struct vma_iterator at; };

static inline void compat_mappings_init(struct compat_mappings *w, struct mm_struct *mm, struct vm_area_struct *vma)
{
	vma_iter_init(&w->at, mm, vma ? vma->vm_start : 0);
}

static inline struct vm_area_struct *compat_mapping_below(struct compat_mappings *w)
{
	return vma_prev(&w->at);
}
#endif

/* ------------------------------------------------------------------ stacks */

/* For functions that write only to their own variables: the stack protector would cost 6 instructions. */
#ifndef __no_stack_protector               /* not defined in 5.10 */
#define __no_stack_protector
#endif

#ifndef in_hardirq                         /* 5.11 */
#define in_hardirq() in_irq()
#endif

/* Without this flag, PREEMPT_RT runs the work in a thread. */
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

/* Returns the lowest address of the interrupt stack if the stack pointer is near its top; 0: it is another
 * stack. For its unwinder, the kernel stores a pointer to the interrupted task's stack in the uppermost word
 * (5.8 to 7.2: asm_call_on_stack(), call_on_stack()), and aligns the stack to pages. */
static inline unsigned long compat_irq_stack_learn(unsigned long sp, unsigned long task_stack)
{
	unsigned long top = ALIGN(sp + 1, PAGE_SIZE);

	if (sp - task_stack < THREAD_SIZE ||
	    READ_ONCE_NOCHECK(*(unsigned long *)(top - sizeof(long))) - task_stack >= THREAD_SIZE)
		return 0;
	return top - IRQ_STACK_SIZE;
}

/* Exception stacks have the same size, each with a guard page below it. */
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

/* With VMAP_STACK, arm64 allocates all stacks with vmalloc, aligned to twice their size (arch_alloc_vmap_stack(),
 * 4.14 to 7.2), except for the 4 KB stack used in a panic. */
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
/* Returns the lowest address of a kernel load: the start of the upper half plus one page, so that no load is
 * non-canonical (which would not be a page fault: the kernel would print a warning). The page tables decide: a
 * processor's number of bits (x86_virt_bits) is that of 5 levels also where the kernel uses 4. */
static inline unsigned long compat_kernel_low(void)
{
	return (~0ul << __VIRTUAL_MASK_SHIFT) + PAGE_SIZE;
}
/* The lowest address from which 8 bytes are not all below the vsyscall page. */
static inline unsigned long compat_kernel_high(void)
{
	return VSYSCALL_ADDR - 7;
}
/* Returns true for the vsyscall page, which is user memory at a kernel address; for loads of up to 8 bytes. */
static __always_inline bool compat_kernel_hole(unsigned long address)
{
	return address - (VSYSCALL_ADDR - 7) < PAGE_SIZE + 7;
}
#else
static inline unsigned long compat_kernel_low(void)
{
	return PAGE_OFFSET;
}
static inline unsigned long compat_kernel_high(void)
{
	return 0 - 7ul;                                /* the lowest address from which 8 bytes wrap around */
}
static __always_inline bool compat_kernel_hole(unsigned long address)
{
	return false;
}
#endif

#ifdef CONFIG_X86_64
/* 32-bit programs have the thread pointer in the segment that %gs selects, which the kernel does not change.
 * Returns 0 if there is no segment. */
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

/* Returns the thread pointer of the current process. */
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

/* On x86 the exception table fixes up a fault in a kernel load regardless of the task; other architectures
 * require that page faults are disabled. */
#ifdef CONFIG_X86_64
#define compat_load_begin() do { } while (0)
#define compat_load_end() do { } while (0)
#else
#define compat_load_begin() pagefault_disable()
#define compat_load_end() pagefault_enable()
#endif

/* compat_load1() to compat_load8() return the value at an address of the kernel, zero-extended. COMPAT_FAULTED: there
 * was a fault, or the 8 bytes have that value.
 * On x86 since 5.16 the fault sets the register of the value. Unlike faults of __get_kernel_nofault(), the kernel
 * handles those of non-canonical addresses, too, without a warning, so that a comparison of the address with
 * COMPAT_LOADS_BELOW, as signed numbers, suffices: it excludes the lower half, and the vsyscall page and above. */
#define COMPAT_FAULTED ((u64)-EFAULT)
#if defined(CONFIG_X86_64) && defined(EX_TYPE_EFAULT_REG)
#define COMPAT_LOADS_BELOW (VSYSCALL_ADDR - 7)
#define COMPAT_LOAD(bits, bytes, load)						\
static __always_inline u64 compat_load##bytes(u64 address)			\
{										\
	u64 v;									\
										\
	asm volatile("1: " load "\n2:\n" _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_EFAULT_REG, %0) \
		     : "=r" (v) : "m" (*(const u##bits *)(unsigned long)address)); \
	return v;								\
}
#else
#define COMPAT_LOAD(bits, bytes, load)						\
static __always_inline u64 compat_load##bytes(u64 address)			\
{										\
	u##bits v;								\
										\
	__get_kernel_nofault(&v, (const void *)(unsigned long)address, u##bits, fault); \
	return v;								\
fault:										\
	return COMPAT_FAULTED;							\
}
#endif
COMPAT_LOAD(8, 1, "movzbl %1, %k0")
COMPAT_LOAD(16, 2, "movzwl %1, %k0")
COMPAT_LOAD(32, 4, "movl %1, %k0")
COMPAT_LOAD(64, 8, "movq %1, %0")

/* Returns true if user memory can be at this address. Unlike access_ok(), it is allowed in any context. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define compat_user_range(address, size) __access_ok((const void __user *)(unsigned long)(address), size)
#else
#define compat_user_range(address, size) ((unsigned long)(address) <= TASK_SIZE_MAX - (size))
#endif

/* The leading members of struct mount, which is private to the kernel: the same since 3.3 (fs/mount.h). */
struct vfsmount;
struct compat_mount {
	struct hlist_node hash;
	struct compat_mount *parent;
	struct dentry *mountpoint;
};
#define compat_mount_of(vfsmount) ((struct compat_mount *)(vfsmount) - 1)
#define compat_vfsmount_of(mount) ((struct vfsmount *)((mount) + 1))

/* Returns the read-only data of a module, which includes its notes. */
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

/* Returns the code of a module, without that of its initialisation. */
static inline const void *compat_module_text(const struct module *mod, unsigned long *size)
{
#ifdef HAVE_MODULE_MEM
	*size = mod->mem[MOD_TEXT].size;
	return mod->mem[MOD_TEXT].base;
#else
	*size = mod->core_layout.text_size;
	return mod->core_layout.base;
#endif
}

/* ------------------------------------------------------------------ the current process */

/* Returns true in a system call, from its entry to its exit, whose number and arguments are those of a 32-bit
 * process. The child of such a call returns from it, too. */
static __always_inline bool compat_is_32bit_call(void)
{
#ifdef CONFIG_X86_64
	return unlikely(current_thread_info()->status & TS_COMPAT);
#elif defined(CONFIG_ARM64)
	return unlikely(test_thread_flag(TIF_32BIT));
#else
	return false;
#endif
}

#ifdef HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif

/* Returns true if processes of the same user may inspect the current process; also after its exit has released
 * its memory. */
static inline bool compat_is_dumpable(void)
{
#ifdef HAVE_EXEC_STATE
	const struct task_exec_state *state = rcu_dereference_raw(current->exec_state); /* only the task itself changes
											 * it */

	return !state || READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
#else
	return !current->mm || get_dumpable(current->mm) == SUID_DUMP_USER;
#endif
}

/* ------------------------------------------------------------------ frequency of get_cycles() */

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
