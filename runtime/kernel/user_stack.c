/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of the current process: their file, function and source line, and the call stack of the process. The
 * data about programs and libraries is in the tables of struct stp_object, which the translator generated from
 * symbols, call frame information and line tables.
 *
 * A frame is unwound by the rule for its address or, without a rule (an object without tables, code generated at
 * run time), by the frame pointer. Loads are fault-safe, each frame must lie above the previous one, and a caller
 * must be in an executable mapping, so that a damaged stack ends the walk. If mappings cannot be looked up, a
 * caller must follow a call instruction and must not be on the stack.
 *
 * Return probes replace return addresses by the address of the kernel's trampoline, the first byte of a page. The
 * original addresses are in stp_returns, stored by the probes' entry handlers. The kernel's own list of them is not
 * used: it frees entries before it unlinks them (handle_trampoline(), up to 6.9), and a hit may interrupt that.
 * Return addresses that other tracers replaced are unknown, so that the walk ends there.
 *
 * Context: any but NMI. Mappings are looked up under the lock of the process's memory: see user_areas.c.
 */
#include "kernel.h"
#include <linux/fs.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include "pending_calls.h"
#include "user_areas.h"
#include "stack_values.h"
#include "user_path.h"
#include "user_symbol.h"
#include "user_vdso.h"

#define LOWEST 4096                    /* nothing is mapped below this address */
#define RETURNS_MAX 4096               /* maximum number of calls with return probes in progress whose return
				        * address is saved */
#define PATH_TEXT 256                  /* size of the path of a program or library */

static struct {
	struct stp_object *objects;
	u32 n;
} known;

struct frame {
	u64 pc, sp, fp;
	const u64 *regs;               /* all registers, in the innermost frame; otherwise NULL */
	const struct vm_area_struct *vma;      /* the mapping that contains pc, if it was looked up */
	bool innermost;
	bool exact;                    /* pc is the address of the next instruction, not a return address */
	bool sp_low;                   /* sp is only a lower bound, so rules based on it cannot be used */
	bool is_32bit;                   /* it is 32-bit code: words have 4 bytes */
};

/* ------------------------------------------------------------------ locations of addresses */

static struct vm_area_struct *area_at(u64 address)
{
	struct vm_area_struct *vma = find_vma(current->mm, address);

	return vma && vma->vm_start <= address ? vma : NULL;
}

static u64 offset_in(const struct vm_area_struct *vma, u64 address)
{
	return address - vma->vm_start + ((u64)vma->vm_pgoff << PAGE_SHIFT);
}

static const struct stp_object *object_of(const struct file *file)
{
	u32 i;

	for (i = 0; i < known.n; i++)
		if (known.objects[i].program->state && stp_program_is(known.objects[i].program, file))
			return &known.objects[i];
	return NULL;
}

/* Returns the number of elements of `offsets` that are at most `offset`. */
static u32 count_not_above(const u32 *offsets, u32 n, u64 offset)
{
	u32 low = 0, high = n;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (offsets[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const char vdso_path[] = "vdso";

/* The name of the symbol is stored after the path. */
static void locate_in_vdso(struct stp_ctx *c, const struct vm_area_struct *vma, u64 address,
			   struct stp_user_location *p)
{
	struct stp_usym *symbol = (void *)(stp_private(c)->name_text + PATH_TEXT);

	p->path = vdso_path;
	p->offset = address - vma->vm_start;
	p->size = vma->vm_end - vma->vm_start;
	if (stp_vdso_symbol(c, vma->vm_start, p->offset, symbol, (char *)(symbol + 1), PATH_TEXT))
		p->symbol = symbol;
}

/* Variables without initial values may be in an anonymous mapping after the file's. */
static void locate_in_bss(struct stp_ctx *c, const struct vm_area_struct *vma, u64 address, struct stp_user_location *p)
{
	const struct vm_area_struct *before = area_at(vma->vm_start - 1);
	const struct stp_object *o;

	if (!before || !before->vm_file || !(before->vm_flags & VM_WRITE))
		return;
	o = object_of(before->vm_file);
	if (!o)
		return;
	p->offset = offset_in(before, address);
	p->size = offset_in(before, vma->vm_end);
	p->symbol = stp_user_symbol(o, p->offset);
	if (p->symbol)
		p->path = stp_user_path(&before->vm_file->f_path, stp_private(c)->name_text, PATH_TEXT);
}

bool stp_user_location(struct stp_ctx *c, u64 address, struct stp_user_location *p)
{
	struct vm_area_struct *vma;
	const struct stp_object *o;

	p->path = p->source = NULL;
	p->symbol = NULL;
	if (!stp_charge(c, STP_WORK_SYMBOL + known.n * (u64)STP_WORK_OBJECT) || !stp_areas_begin(c))
		return false;
	vma = area_at(address);
	if (vma && vma->vm_file) {
		p->path = stp_user_path(&vma->vm_file->f_path, stp_private(c)->name_text, PATH_TEXT);
		p->offset = offset_in(vma, address);
		p->size = offset_in(vma, vma->vm_end);
		o = object_of(vma->vm_file);
		if (o) {
			p->symbol = stp_user_symbol(o, p->offset);
			if (o->lines && p->offset <= U32_MAX)
				stp_lines_find(o->lines, p->offset, &p->source, &p->line);
		}
	} else if (vma && vma->vm_start == compat_vdso()) {
		locate_in_vdso(c, vma, address, p);
	} else if (vma) {
		locate_in_bss(c, vma, address, p);
	}
	stp_areas_end(c);
	return p->path;
}

/* Returns the mapping of the stack value that contains the address, after it was added if it was not there. */
static int mapping_of(struct stp_stack_writer *w, const struct vm_area_struct *vma, u64 address)
{
	int m = stp_stack_mapping(w, vma->vm_start);
	const char *path;

	if (m >= 0 || !stp_charge(w->c, STP_WORK_SYMBOL + known.n * (u64)STP_WORK_OBJECT))
		return m;
	path = stp_user_path(&vma->vm_file->f_path, stp_private(w->c)->name_text, PATH_TEXT);
	return path ? stp_stack_put_mapping(w, vma->vm_start, address - offset_in(vma, address),
					    offset_in(vma, vma->vm_end), object_of(vma->vm_file), path) : -1;
}

/* Returns false if the address is in no file, or its file does not fit into the string. */
static bool put_in_file(struct stp_stack_writer *w, u64 address)
{
	const struct vm_area_struct *vma;
	int m = -1;

	if (!stp_charge(w->c, STP_WORK_MAPPING) || !stp_areas_begin(w->c))
		return false;
	vma = area_at(address);
	if (vma && vma->vm_file)
		m = mapping_of(w, vma, address);
	stp_areas_end(w->c);
	return m >= 0 && stp_stack_put_file_address(w, m, address);
}

static void put_elsewhere(struct stp_stack_writer *w, u64 address)
{
	struct stp_user_location p;
	char *text;
	u32 size, len;

	stp_user_location(w->c, address, &p);
	if (!p.path)
		return stp_stack_put_address(w, address);
	text = stp_stack_line_space(w, &size);
	len = text ? stp_user_frame_text(text, size, address, &p) : 0;
	if (w->is_list && (!text || len >= size))
		return stp_stack_put_address(w, address);
	stp_stack_put_line(w, address, text ? len : U32_MAX);
}

static void put_stack(struct stp_ctx *c, char *to, const u64 *at, u32 n, bool is_list)
{
	struct stp_stack_writer w = { .c = c, .to = to, .is_list = is_list };
	u32 i;

	*to = '\0';
	if (is_list)
		n = stp_stack_listed(at, n);
	for (i = 0; i < n && !w.full && !c->error; i++) {
		w.after = is_list ? n - i - 1 : 0;
		if (!put_in_file(&w, at[i]) && !c->error)
			put_elsewhere(&w, at[i]);
	}
}

void stp_user_stack_value(struct stp_ctx *c, char *to, const u64 *at, u32 n)
{
	put_stack(c, to, at, n, false);
}

void stp_user_addresses(struct stp_ctx *c, char *to, const u64 *at, u32 n, bool with_files)
{
	if (with_files)
		put_stack(c, to, at, n, true);
	else
		stp_plain_addresses(c, to, at, n);
}

static void name_function(struct stp_ctx *c, u64 address, char *to, u32 size)
{
	struct stp_user_location location;

	if (stp_user_location(c, address, &location) && location.symbol)
		stp_copy(to, location.symbol->name, size);
	else
		snprintf(to, size, "%#llx", address);
}

/* ------------------------------------------------------------------ one frame */

static bool read(struct stp_ctx *c, u64 address, u64 *value)
{
	*value = stp_uload8(c, address);
	return !c->error || !stp_catch(c, NULL, 0);
}

static bool read_word(struct stp_ctx *c, const struct frame *f, u64 address, u64 *value)
{
	if (!f->is_32bit)
		return read(c, address, value);
	*value = stp_uload4(c, address);
	return !c->error || !stp_catch(c, NULL, 0);
}

/* Restores a return address that a return probe replaced; `sp` is the stack pointer at the entry of the
 * function. Begin, end and error handlers, which have interrupts enabled, do not need it: they run while no
 * probe is armed. */
static void restore_return_address(u64 sp, u64 *value)
{
	if (!(*value & ~PAGE_MASK) && stp_returns && raw_irqs_disabled())
		stp_calls_get(stp_returns, sp, value, sizeof(*value));
}

u64 stp_return_load4(struct stp_ctx *c, u64 address)
{
	u64 value = stp_uload4(c, address);

	restore_return_address(address, &value);
	return value;
}

u64 stp_return_load8(struct stp_ctx *c, u64 address)
{
	u64 value = stp_uload8(c, address);

	restore_return_address(address, &value);
	return value;
}

/* Loads a return address. If calls push it, it is at the stack pointer of the entry. */
static bool read_return(struct stp_ctx *c, const struct frame *f, u64 address, u64 *value)
{
	if (!read_word(c, f, address, value))
		return false;
	if (COMPAT_RETURN_POPS)
		restore_return_address(address, value);
	*value = compat_user_code(*value);
	return true;
}

static bool base_of(const struct frame *f, u32 base, u64 *value)
{
	if (base < STP_FRAME_REGS) {
		*value = base == STP_FRAME_FP ? f->fp : f->sp;
		return true;
	}
	*value = f->regs ? f->regs[base - STP_FRAME_REGS] : 0;
	return f->regs;
}

static bool value_of(struct stp_ctx *c, const struct frame *f, const struct stp_frame_location *p, u64 cfa, u64 *value)
{
	u64 base;

	switch (p->kind) {
	case STP_FRAME_REGISTER:
		if (!base_of(f, p->base, &base))
			return false;
		*value = base + p->offset;
		return true;
	case STP_FRAME_LOAD:
		if (!base_of(f, p->base, &base) || !read_return(c, f, base + p->offset, value))
			return false;
		*value += p->plus;
		return true;
	case STP_FRAME_AT_CFA:
		return read_return(c, f, cfa + p->offset, value);
	case STP_FRAME_PLT:
		*value = f->sp + p->offset + ((f->pc & 15) >= p->base ? 8 : 0);
		return true;
	}
	return false;
}

/* Returns the offset of the call instruction, since the return address may belong to the next function. */
static u64 call_offset(const struct frame *f)
{
	return f->pc - !f->exact;
}

static const struct stp_frame_rule *rule_at(const struct frame *f)
{
	u64 pc = call_offset(f);
	const struct vm_area_struct *vma = f->vma ?: area_at(pc);
	const struct stp_object *o = vma && vma->vm_file ? object_of(vma->vm_file) : NULL;
	u32 i = o ? count_not_above(o->frame_offsets, o->nframes, offset_in(vma, pc)) : 0;

	return i ? &o->frame_rules[o->frame_rule[i - 1]] : NULL;
}

static bool unwind_by_rule(struct stp_ctx *c, struct frame *f, const struct stp_frame_rule *r)
{
	/* Only rules of signal frames load pc in this way: it is the interrupted instruction, not a return
	 * address. */
	struct frame caller = { .fp = f->fp, .exact = r->ra.kind == STP_FRAME_LOAD, .is_32bit = f->is_32bit };

	/* If calls push nothing, a function that has not changed the stack pointer yet has no frame. */
	if (!value_of(c, f, &r->cfa, 0, &caller.sp) || caller.sp < f->sp || (caller.sp == f->sp && !f->innermost) ||
	    !value_of(c, f, &r->ra, caller.sp, &caller.pc))
		return false;
	if (!COMPAT_RETURN_POPS) {
		caller.pc = compat_user_code(caller.pc);
		restore_return_address(caller.sp, &caller.pc);
	}
	if (r->fp.kind != STP_FRAME_NONE && !value_of(c, f, &r->fp, caller.sp, &caller.fp))
		caller.fp = 0;
	*f = caller;
	return true;
}

/* Returns true if a call instruction ends at the address. x86-64: e8 and 4 bytes, or ff with its operand. arm64:
 * bl, blr, blraa and similar. */
static bool follows_call(struct stp_ctx *c, u64 address)
{
	u64 before;

	if (address < LOWEST || !read(c, address - 8, &before))
		return false;
	if (!COMPAT_RETURN_POPS)
		return before >> 58 == 0x25 || (before >> 32 & 0xfefff000) == 0xd63f0000;
	return (before >> 24 & 0xff) == 0xe8 || ((before >> 48 & 0x38ff) | 0x0800) == 0x18ff ||
	       ((before >> 48 & 0xff) == 0xff && (before >> 60 & 0xf) == 0xd) || (before >> 40 & 0x38ff) == 0x10ff ||
	       (before >> 16 & 0x38ff) == 0x10ff;
}

/* At the start of a function, the return address is on the top of the stack, and the frame pointer is the
 * caller's. */
static bool unwind_by_frame_pointer(struct stp_ctx *c, struct frame *f)
{
	const u32 word = f->is_32bit ? 4 : 8;
	u64 caller, next;

	if (COMPAT_RETURN_POPS && f->innermost && read_return(c, f, f->sp, &caller) && follows_call(c, caller)) {
		*f = (struct frame){ .pc = caller, .sp = f->sp + word, .fp = f->fp, .is_32bit = f->is_32bit };
		return true;
	}
	if (f->fp < LOWEST || f->fp & (word - 1) || f->fp + 2 * word <= f->sp ||
	    !read_return(c, f, f->fp + word, &caller) || !read_word(c, f, f->fp, &next))
		return false;
	*f = (struct frame){ .pc = caller, .sp = f->fp + 2 * word, .fp = next > f->fp ? next : 0,
			     .sp_low = !COMPAT_RETURN_POPS, .is_32bit = f->is_32bit };
	return true;
}

/*
 * Unwinds code that the kernel maps into 32-bit programs, in a file without a name: the return from signal
 * handlers, recognised by its instructions ("pop %eax; mov $119, %eax; int $128", "mov $173, %eax; int $128"), with
 * the registers above it on the stack; and the end of a system call, "pop %ebp; pop %edx; pop %ecx; ret", where
 * signals interrupt a waiting process.
 */
static bool unwind_kernel_code(struct stp_ctx *c, struct frame *f)
{
	struct frame caller = { .fp = f->fp, .is_32bit = true };
	u64 code, at = f->sp + 4;

	if (!f->is_32bit || f->innermost || !read(c, f->pc, &code))
		return false;
	if (f->exact && (code & 0xffffffff) == 0xc3595a5d) {
		caller.sp = f->sp + 16;
		if (!read_word(c, f, f->sp, &caller.fp) || !read_word(c, f, f->sp + 12, &caller.pc))
			return false;
		*f = caller;
		return true;
	}
	if ((code & 0xffffffffffffffULL) == 0x80cd000000adb8ULL) {
		if (!read_word(c, f, f->sp + 8, &at))
			return false;
		at += 20;
	} else if (code != 0x80cd00000077b858ULL) {
		return false;
	}
	if (!read_word(c, f, at + 24, &caller.fp) || !read_word(c, f, at + 28, &caller.sp) ||
	    !read_word(c, f, at + 56, &caller.pc))
		return false;
	caller.exact = true;
	*f = caller;
	return true;
}

static bool find_caller(struct stp_ctx *c, struct frame *f, bool has_mappings)
{
	const struct stp_frame_rule *r = has_mappings ? rule_at(f) : NULL;

	if (!r && COMPAT_RETURN_POPS && unwind_kernel_code(c, f))
		return true;
	if (r && r->cfa.kind != STP_FRAME_UNKNOWN && !(f->sp_low && r->cfa.base == STP_FRAME_SP)) {
		if (r->ra.kind == STP_FRAME_NONE)
			return false;
		if (unwind_by_rule(c, f, r))
			return true;
	}
	return unwind_by_frame_pointer(c, f);
}

/*
 * Returns true if f's program counter is on the stack, as far as this can be determined without mappings: from the
 * page of the innermost stack pointer, `low`, to that of f; and on the stack of the first thread, including its
 * environment.
 */
static bool on_stack(const struct frame *f, u64 low)
{
	const u64 top = READ_ONCE(current->mm->start_stack), max_size = 64 << 20;

	if (low <= top && top - low < max_size && f->pc > top - max_size && f->pc <= READ_ONCE(current->mm->env_end))
		return true;
	return f->pc >= (low & PAGE_MASK) && f->pc <= (f->sp | ~PAGE_MASK);
}

/* Returns true if the caller is code of the process. On an executable stack, and if mappings cannot be looked up, a
 * call instruction must end there. */
static bool is_code(struct stp_ctx *c, struct frame *f, bool has_mappings, u64 low)
{
	if (f->pc < LOWEST)
		return false;
	if (!has_mappings)
		return f->exact || (!on_stack(f, low) && follows_call(c, f->pc));
	f->vma = area_at(call_offset(f));
	if (!f->vma || !(f->vma->vm_flags & VM_EXEC))
		return false;
	return f->sp < f->vma->vm_start || f->sp >= f->vma->vm_end || f->exact || follows_call(c, f->pc);
}

static bool unwind_frame(struct stp_ctx *c, struct frame *f, bool has_mappings, u64 low)
{
	return find_caller(c, f, has_mappings) && is_code(c, f, has_mappings, low);
}

/* ------------------------------------------------------------------ the whole stack */

/* Returns the registers of the current process in user mode; NULL: it is a kernel thread. */
static const struct pt_regs *user_registers(struct stp_ctx *c)
{
	const struct pt_regs *regs = c->regs;

	if (!current->mm)
		return NULL;
	return regs && user_mode((struct pt_regs *)regs) ? regs : task_pt_regs(current);
}

/* Appends callers of f after the first n addresses; returns the new number of addresses. */
static u32 walk(struct stp_ctx *c, struct frame *f, u64 *at, u32 n, u32 max)
{
	bool has_mappings = stp_areas_begin(c);
	const u64 low = f->sp;

	while (n < max && stp_charge(c, STP_WORK_FRAME + known.n * (u64)STP_WORK_OBJECT) &&
	       unwind_frame(c, f, has_mappings, low))
		at[n++] = f->pc;
	if (has_mappings)
		stp_areas_end(c);
	return n;
}

u32 stp_user_stack(struct stp_ctx *c, u64 *at, u32 max)
{
	struct pt_regs *regs = (struct pt_regs *)user_registers(c);
	struct frame f = { .regs = (const u64 *)regs, .innermost = true, .exact = true };
	u32 n = 0;

	if (!regs || max < 2)
		return 0;
	f.pc = instruction_pointer(regs);
	f.sp = user_stack_pointer(regs);
	f.fp = frame_pointer(regs);
	f.is_32bit = compat_is_32bit_code(regs);
	at[n++] = c->regs == regs && c->address ? c->address : f.pc;
	if (at[0] != f.pc)                     /* at a return, pc is in the caller */
		at[n++] = f.pc;
	return walk(c, &f, at, n, max);
}

u32 stp_user_stack_from(struct stp_ctx *c, u64 pc, u64 sp, u64 fp, u64 *at, u32 max)
{
	struct frame f = { .pc = pc, .sp = sp, .fp = fp, .innermost = true, .exact = true };

	if (!current->mm || !max)
		return 0;
	at[0] = pc;
	return walk(c, &f, at, 1, max);
}

/* ------------------------------------------------------------------ the family: it has objects but no probes */

/* A file that does not exist, or is from another build, has no symbols. */
static int user_stack_start(void *table, u32 n)
{
	struct stp_object *objects = table;
	u32 i;
	int err;

	stp_areas_start();
	stp_user_path_check();
	stp_returns = stp_calls_make(RETURNS_MAX, sizeof(u64), false);
	if (!stp_returns) {
		plat_message(STP_MSG_ERROR, "not enough memory for the return addresses of backtraces");
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		stp_program_open(objects[i].program, &err);
	known.objects = objects;
	WRITE_ONCE(known.n, n);
	WRITE_ONCE(stp_name_user_function, name_function);
	return 0;
}

static void user_stack_stop(void *table, u32 n)
{
	struct stp_object *objects = table;
	u32 i;

	WRITE_ONCE(stp_name_user_function, NULL);
	WRITE_ONCE(known.n, 0);
	stp_areas_stop();
	stp_calls_free(stp_returns);
	stp_returns = NULL;
	for (i = 0; i < n; i++)
		if (objects[i].program->state)
			stp_program_close(objects[i].program);
}

static u64 user_stack_memory(const void *table, u32 n)
{
	return stp_calls_bytes(RETURNS_MAX, sizeof(u64));
}

const struct stp_family_ops stp_user_stack_family = {
	.name = "user_stack",
	.memory = user_stack_memory,
	.start = user_stack_start,
	.stop = user_stack_stop,
};
