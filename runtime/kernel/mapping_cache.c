/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables of programs and libraries, for probes that are not in them (timers, kernel functions, other programs):
 * their address in the current process, computed from the mapping of the code. The last result is used without a
 * check only if the mappings cannot be read because a thread is changing them, since a library may be unmapped and
 * mapped again. Context: any but NMI.
 */
#include "kernel.h"
#include <linux/fs.h>
#include "user_areas.h"

#define MAPPINGS_MAX 2000          /* maximum number of mappings that an access examines, of up to 65,530
				    * (vm.max_map_count) */

/* ------------------------------------------------------------------ cached addresses */

static struct seen {
	atomic_t busy;             /* Trylock of this slot: another context that finds it set skips the cache. */
	const struct stp_mapped *m;
	pid_t tgid;
	u32 exec_id;
	u64 start;
	u64 bias;
} seen[64];

static struct seen *seen_begin(const struct stp_mapped *m)
{
	struct seen *s = &seen[((u32)current->tgid + (u32)(m->address >> PAGE_SHIFT)) % ARRAY_SIZE(seen)];

	return atomic_cmpxchg(&s->busy, 0, 1) ? NULL : s;
}

static void seen_end(struct seen *s)
{
	atomic_set_release(&s->busy, 0);
}

static void remember(const struct stp_mapped *m, u64 bias)
{
	struct seen *s = seen_begin(m);

	if (!s)
		return;
	s->m = m;
	s->tgid = current->tgid;
	s->exec_id = current->self_exec_id;
	s->start = current->group_leader->start_time;
	s->bias = bias;
	seen_end(s);
}

static bool find_seen(const struct stp_mapped *m, u64 *bias)
{
	struct seen *s = seen_begin(m);
	bool found;

	if (!s)
		return false;
	found = s->m == m && s->tgid == current->tgid && s->exec_id == current->self_exec_id &&
		s->start == current->group_leader->start_time;
	*bias = s->bias;
	seen_end(s);
	return found;
}

/* ------------------------------------------------------------------ lookup of the mapping */

static bool is_code_of(const struct stp_mapped *m, const struct vm_area_struct *vma)
{
	u64 from = (u64)vma->vm_pgoff << PAGE_SHIFT;

	return vma->vm_flags & VM_EXEC && m->offset >= from && m->offset - from < vma->vm_end - vma->vm_start &&
	       stp_program_is(m->program, vma->vm_file);
}

static struct vm_area_struct *search_above(struct stp_ctx *c, const struct stp_mapped *m, u64 from, u32 *left)
{
	struct vm_area_struct *vma = *left ? find_vma(current->mm, from) : NULL;

	for (; vma && *left; vma = find_vma(current->mm, vma->vm_end), --*left)
		if (!stp_charge(c, STP_WORK_MAPPING) || is_code_of(m, vma))
			return c->error ? NULL : vma;
	return NULL;
}

/*
 * Searches downwards from the stack of the first thread, since the libraries of a program are mapped below it
 * before the process maps other memory there; then above that stack, or everywhere if nothing is mapped at or above
 * its address. *left: number of mappings that may still be examined.
 */
static struct vm_area_struct *search(struct stp_ctx *c, const struct stp_mapped *m, u32 *left)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma = find_vma(mm, mm->start_stack);
	struct compat_mappings below;
	u64 above = vma ? vma->vm_end : 0;

	for (compat_mappings_init(&below, mm, vma); vma && *left; vma = compat_mapping_below(&below), --*left)
		if (!stp_charge(c, STP_WORK_MAPPING) || is_code_of(m, vma))
			return c->error ? NULL : vma;
	return search_above(c, m, above, left);
}

/* Returns the mapping of the code at its last address, otherwise any mapping of it in the process. */
static struct vm_area_struct *code_of(struct stp_ctx *c, const struct stp_mapped *m, u32 *left)
{
	struct vm_area_struct *vma = NULL;
	u64 bias;

	if (find_seen(m, &bias))
		vma = find_vma(current->mm, m->address + bias);
	if (!vma || !is_code_of(m, vma))
		vma = find_vma(current->mm, current->mm->start_code);
	return vma && is_code_of(m, vma) ? vma : search(c, m, left);
}

/* ------------------------------------------------------------------ functions for scripts */

u64 stp_mapped_static(struct stp_ctx *c, const struct stp_mapped *m, u64 address)
{
	struct vm_area_struct *vma;
	bool found = current->mm;
	u32 left = MAPPINGS_MAX;
	u64 bias = 0;

	if (stp_areas_begin(c)) {
		vma = m->program->state ? code_of(c, m, &left) : NULL;
		found = vma;
		if (found) {
			bias = vma->vm_start - ((u64)vma->vm_pgoff << PAGE_SHIFT) + m->offset - m->address;
			remember(m, bias);
		}
		stp_areas_end(c);
	} else if (found && !find_seen(m, &bias)) {
		stp_error(c, "cannot determine the address of %s in %s(%d): a thread is changing the mappings",
			  m->program->path, current->comm, current->tgid);
		return 0;
	}
	if (found)
		return address + bias;
	if (left)
		stp_error(c, "%s is not mapped in the process %s(%d)", m->program->path, current->comm, current->tgid);
	else
		stp_error(c, "%s not found in the first %u of %d mappings of the process %s(%d)", m->program->path,
			  MAPPINGS_MAX, current->mm->map_count, current->comm, current->tgid);
	return 0;
}

/* A file that does not exist, or is from another build, has no variables. */
static int mapped_start(void *table, u32 n)
{
	struct stp_mapped *all = table;
	u32 i;
	int err;

	stp_areas_start();
	for (i = 0; i < n; i++)
		stp_program_open(all[i].program, &err);
	return 0;
}

static void mapped_stop(void *table, u32 n)
{
	struct stp_mapped *all = table;
	u32 i;

	stp_areas_stop();
	for (i = 0; i < n; i++)
		if (all[i].program->state)
			stp_program_close(all[i].program);
}

const struct stp_family_ops stp_mapped_family = {
	.name = "mapped",
	.start = mapped_start,
	.stop = mapped_stop,
};
