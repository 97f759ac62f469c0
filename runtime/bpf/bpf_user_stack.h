/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks of processes: part of bpf_program.h. A program lists addresses; the client finds their names.
 * Since the process may have exited by then, a program announces the mapping of each address in a file: its
 * range, its inode and its path. Announcements are separate records, sent before anything that depends on them.
 * Context: a hit of a process. bpf_find_vma() exists since Linux 5.17; it fails while the process changes its
 * mappings, and with interrupts disabled it succeeds only once in a hit. The process itself is announced then: the
 * client has followed its mappings (process_events.c), or reads /proc/PID/maps.
 */
#ifndef BPF_USER_STACK_H
#define BPF_USER_STACK_H

#ifdef STP_USES_USER_STACKS
#define BPF_F_USER_STACK (1u << 8)
#define STP_VM_EXEC 4
#define STP_PATH_DEPTH 32              /* maximum number of components of a path */
#define STP_NAME_BYTES 256             /* maximum length of a component of a path, in bytes */
#define STP_PAGE_SHIFT 12

struct vfsmount { struct dentry *mnt_root; } STP_KERNEL_TYPE;
struct mount { struct mount *mnt_parent; struct dentry *mnt_mountpoint; struct vfsmount mnt; } STP_KERNEL_TYPE;
struct qstr { const unsigned char *name; } STP_KERNEL_TYPE;
struct dentry { struct dentry *d_parent; struct qstr d_name; } STP_KERNEL_TYPE;
struct path { struct vfsmount *mnt; struct dentry *dentry; } STP_KERNEL_TYPE;
struct super_block { u32 s_dev; } STP_KERNEL_TYPE;
struct inode { unsigned long i_ino; struct super_block *i_sb; } STP_KERNEL_TYPE;
struct file { struct path f_path; struct inode *f_inode; } STP_KERNEL_TYPE;
struct vm_area_struct { unsigned long vm_start, vm_end, vm_pgoff, vm_flags; struct file *vm_file; } STP_KERNEL_TYPE;
struct mm_struct { unsigned long start_stack; struct { void *vdso; } context; } STP_KERNEL_TYPE;
struct task_struct___space {
	struct task_struct___space *group_leader;
	struct mm_struct *mm;
	u64 start_time, start_boottime;
	u32 self_exec_id;
} STP_KERNEL_TYPE;

struct bpf_area { u64 start, end, offset, flags; struct file *file; };

/* The mapping that was announced last at an address. */
struct bpf_place { u64 space, start; };
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct bpf_place);
	__type(value, struct stp_mapping);
} stp_mappings SEC(".maps");

/* the numbers of memory whose processes have been announced */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, u64);
	__type(value, u32);
} stp_processes SEC(".maps");

STP_INLINE void bpf_take_user_stack(void *ctx, struct stp_slot *s, u32 takes)
{
	s64 size;

	if (!(takes & STP_TAKES_USER_STACK))
		return;
	size = bpf_get_stack(ctx, s->user_stack, sizeof(s->user_stack), BPF_F_USER_STACK);
	s->user_frames = size > 0 ? (u32)size / 8 : 0;
	if (!s->user_frames)
		s->user_stack[0] = 0;
}

/* At the return of a function the stack begins with its caller: the function's address comes before it. */
STP_INLINE void bpf_take_returned_stack(void *ctx, struct stp_slot *s, u32 takes)
{
	s64 size;

	if (!(takes & STP_TAKES_USER_STACK))
		return;
	s->user_frames = 0;
	s->user_stack[0] = s->c.address ? s->c.address : STP_NO_ADDRESS;
	if (!s->c.address)
		return;
	size = bpf_get_stack(ctx, &s->user_stack[1], sizeof(s->user_stack) - sizeof(s->user_stack[0]), BPF_F_USER_STACK);
	s->user_frames = 1 + (size > 0 ? (u32)size / 8 : 0);
}

STP_INLINE bool bpf_has_user_stack(struct stp_ctx *c)
{
	if (STP_SLOT(c)->user_frames || STP_SLOT(c)->user_stack[0] != STP_NO_ADDRESS)
		return true;
	bpf_error(c, STP_BPF_FUNCTION, 0);
	return false;
}

/* Returns a number that identifies the memory of the current process: exec() changes it, threads share it. */
STP_INLINE u64 bpf_space(void)
{
	struct task_struct___space *task = (void *)bpf_get_current_task(), *leader = NULL;
	u32 executions = 0;
	u64 start = 0;

	STP_KERNEL_READ(executions, task->self_exec_id);
	STP_KERNEL_READ(leader, task->group_leader);
	STP_KERNEL_READ(start, leader->start_time);
	return (start << 20) + (executions & 0xfffff);
}

static long bpf_copy_area(struct task_struct *task, struct vm_area_struct *vma, void *to)
{
	struct bpf_area *a = to;

	a->start = vma->vm_start;
	a->end = vma->vm_end;
	a->offset = vma->vm_pgoff << STP_PAGE_SHIFT;
	a->flags = vma->vm_flags;
	STP_KERNEL_READ(a->file, vma->vm_file);        /* passed as a number, which global functions accept */
	return 0;
}

/* Returns 0 if the address is in executable memory, or if its mapping cannot be looked up. */
STP_GLOBAL_FUNCTION int bpf_is_data(u64 address)
{
	struct bpf_area a = { };
	s64 err = bpf_find_vma(bpf_get_current_task_btf(), address, bpf_copy_area, &a, 0);

	return err ? err == -2 /* ENOENT */ : !(a.flags & STP_VM_EXEC);
}

/* ------------------------------------------------------------------ announcements */

/* Appends the current component of the slot's path, or continues above a mount point. Returns 0 at the root. */
STP_GLOBAL_FUNCTION int bpf_note_component(struct stp_slot *s)
{
	struct dentry *at, *parent = NULL, *root = NULL, *point = NULL;
	const unsigned char *name = NULL;
	struct mount *mount, *up = NULL;
	u32 word;
	s64 n;

	if (!s)
		return 0;
	at = (struct dentry *)s->path_at;
	mount = (struct mount *)s->path_mount;
	STP_KERNEL_READ(root, mount->mnt.mnt_root);
	if (at == root) {
		STP_KERNEL_READ(up, mount->mnt_parent);
		STP_KERNEL_READ(point, mount->mnt_mountpoint);
		s->path_at = (u64)point;
		s->path_mount = (u64)up;
		return up && up != mount;
	}
	STP_KERNEL_READ(parent, at->d_parent);
	STP_KERNEL_READ(name, at->d_name.name);
	word = s->note_len;
	STP_HIDE(word);
	if (parent == at || word >= STP_NOTE_WORDS - STP_NAME_BYTES / 8 - 1)
		return 0;
	n = bpf_probe_read_kernel_str(&s->note[word], STP_NAME_BYTES, name);
	if (n <= 0)
		return 0;
	s->note_len = word + (u32)(n - 1) / 8 + 1;
	s->path_at = (u64)parent;
	return 1;
}

/* Sends the first n words of the note. */
STP_INLINE bool bpf_send_note(struct stp_slot *s, u32 n)
{
	bool lost;

	s->note[0] = STP_RECORD_START(bpf_sending(s), s->probe, 0);
	lost = bpf_ringbuf_output(&stp_ring, s->note, n * 8, 0) != 0;
	bpf_sent(s);
	if (lost)
		bpf_lose(STP_LOSS_RECORDS);
	return !lost;
}

/* Sends a record with a mapping and the components of its path, the last one first. */
STP_INLINE bool bpf_send_mapping(struct stp_slot *s, const struct stp_mapping *m, const struct file *f)
{
	struct vfsmount *mnt = NULL;
	struct dentry *at = NULL;
	u32 i, n;

	if (f) {
		STP_KERNEL_READ(mnt, f->f_path.mnt);
		STP_KERNEL_READ(at, f->f_path.dentry);
	}
	s->path_at = (u64)at;
	s->path_mount = (u64)mnt - __builtin_preserve_field_info(((struct mount *)0)->mnt, 0 /* offset of `mnt` in struct
											      * mount */);
	s->note[1] = (u64)STP_ITEM_MAPPING << 32;
	*(struct stp_mapping *)&s->note[2] = *m;
	s->note_len = 2 + sizeof(*m) / 8;
	for (i = 0; f && i < STP_PATH_DEPTH; i++)
		if (!bpf_note_component(s))
			break;
	n = s->note_len;
	STP_HIDE(n);
	if (n < 2 || n > STP_NOTE_WORDS)
		return false;
	return bpf_send_note(s, n);
}

/* Announces the current process, unless this was done before. */
STP_INLINE void bpf_announce_process(struct stp_slot *s)
{
	struct task_struct___space *task = (void *)bpf_get_current_task(), *leader = NULL;
	struct mm_struct *mm = NULL;
	struct stp_execution *p = (struct stp_execution *)&s->note[3];
	u64 space = bpf_space();
	u32 one = 1;

	if (bpf_map_lookup_elem(&stp_processes, &space))
		return;
	STP_KERNEL_READ(leader, task->group_leader);
	STP_KERNEL_READ(mm, task->mm);
	s->note[1] = (u64)STP_ITEM_PROCESS << 32;
	s->note[2] = space;
	p->pid = bpf_get_current_pid_tgid() >> 32;
	STP_KERNEL_READ(p->start_ns, leader->start_boottime);
	STP_KERNEL_READ(p->stack, mm->start_stack);
	p->time_ns = bpf_ktime_get_ns();
	if (bpf_send_note(s, 3 + sizeof(*p) / 8))
		bpf_map_update_elem(&stp_processes, &space, &one, 0);
}

STP_INLINE bool bpf_is_announced(const struct bpf_place *at, const struct stp_mapping *m)
{
	const struct stp_mapping *last = bpf_map_lookup_elem(&stp_mappings, at);

	return last && last->end == m->end && last->offset == m->offset && last->inode == m->inode &&
	       last->device == m->device;
}

/* Returns the address of the current process' vDSO; 0: unknown. */
STP_INLINE u64 bpf_vdso(void)
{
	struct task_struct___space *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = NULL;
	void *vdso = NULL;

	if (!__builtin_preserve_field_info(((struct mm_struct *)0)->context.vdso, 2 /* exists */))
		return 0;
	STP_KERNEL_READ(mm, task->mm);
	STP_KERNEL_READ(vdso, mm->context.vdso);
	return (u64)vdso;
}

/* Announces the mapping of an address, unless it was the last one that was announced at its start. Code without a file
 * has no path and no inode, and the vDSO a device of its own. */
STP_GLOBAL_FUNCTION int bpf_announce(struct stp_slot *s, u64 address)
{
	struct bpf_area a = { };
	struct stp_mapping m = { };
	struct bpf_place at = { };
	struct inode *inode = NULL;
	struct super_block *sb = NULL;
	s64 err;

	if (!s)
		return 0;
	err = bpf_find_vma(bpf_get_current_task_btf(), address, bpf_copy_area, &a, 0);
	if (err == -16 /* EBUSY */)
		bpf_announce_process(s);
	if (err)
		return 0;
	if (a.file) {
		STP_KERNEL_READ(inode, a.file->f_inode);
		STP_KERNEL_READ(m.inode, inode->i_ino);
		STP_KERNEL_READ(sb, inode->i_sb);
		STP_KERNEL_READ(m.device, sb->s_dev);
		m.offset = a.offset;
	} else if (a.start == bpf_vdso()) {
		m.device = STP_VDSO_DEVICE;
	}
	at.space = m.space = bpf_space();
	at.start = m.start = a.start;
	m.end = a.end;
	if (!bpf_is_announced(&at, &m) && bpf_send_mapping(s, &m, a.file))
		bpf_map_update_elem(&stp_mappings, &at, &m, 0);
	return 0;
}

/*
 * Announces a randomly chosen frame before anything else calls bpf_find_vma(), which with interrupts disabled returns
 * -EBUSY after its first success. After some hits, the frames of a process that exits too early for the client to
 * read its mappings have been announced, too.
 */
STP_INLINE void bpf_announce_any(struct stp_slot *s)
{
	u32 n = s->user_frames ? bpf_get_prandom_u32() % s->user_frames : 0;

	STP_HIDE(n);
	if (n < s->user_frames && n < STP_USER_FRAMES)
		bpf_announce(s, s->user_stack[n]);
}

/* ------------------------------------------------------------------ the call stack */

/* Returns a frame; 0 is the innermost one. Returns 0 beyond the end. A caller must be in executable memory. */
STP_GLOBAL_FUNCTION u64 bpf_user_frame(struct stp_slot *s, u32 n)
{
	u64 address;

	STP_HIDE(n);
	if (!s || n >= s->user_frames || n >= STP_USER_FRAMES)
		return 0;
	address = s->user_stack[n];
	return n && bpf_is_data(address) ? 0 : address;
}

STP_GLOBAL_FUNCTION int bpf_ubacktrace(struct stp_slot *s, struct stp_text *to)
{
	u64 address;
	int at = 0;
	u32 i;

	if (!s || !to)
		return 0;
	bpf_announce_any(s);
	bpf_set_byte(to, 0, 0);
	for (i = 0; i < STP_MAXBACKTRACE; i++) {
		address = bpf_user_frame(s, i);
		if (!address)
			return 0;
		at = bpf_list_address(to, (u32)at, address);
		if (at < 0)
			return 0;
	}
	if (bpf_user_frame(s, STP_MAXBACKTRACE))
		bpf_lose(STP_LOSS_FRAMES);
	return 0;
}

STP_INLINE s64 bpf_ustack(struct stp_slot *s, s64 n)
{
	return n < 0 || n >= STP_MAXBACKTRACE ? 0 : (s64)bpf_user_frame(s, (u32)n);
}
#define stp_ustack(c, n) (bpf_has_user_stack(c) ? bpf_ustack(STP_SLOT(c), n) : 0)
#define stp_uaddr(c) stp_ustack(c, 0)

/* Returns the number of the memory in which the addresses of the list are: of a stack value, that of the process
 * that it is from. */
STP_INLINE u64 bpf_space_of(const struct stp_text *list, bool stored)
{
	return stored && bpf_byte(list, 0) == STP_MARK ? bpf_hex(list, 10) : bpf_space();
}

STP_INLINE u32 bpf_list_start(const struct stp_text *list, bool stored)
{
	return stored && bpf_byte(list, 0) == STP_MARK ? STP_MARK_HEAD : 0;
}

STP_GLOBAL_FUNCTION int bpf_print_usyms(struct stp_slot *s, const struct stp_text *list, u64 form, bool stored)
{
	u64 space;
	int from;
	u32 i;

	if (!s || !list)
		return 0;
	space = bpf_space_of(list, stored);
	from = (int)bpf_list_start(list, stored);
	bpf_announce_any(s);
	for (i = 0; i < STP_LIST_ADDRESSES; i++) {
		from = bpf_next_address(s, list, (u32)from);
		if (!from)
			break;
		bpf_announce(s, s->address);
		bpf_item(s, STP_ITEM_USER_SYMBOL, 0, 4);
		bpf_put(s, form + (i && form == STP_USER_SOURCE));
		bpf_put(s, space);
		bpf_put(s, s->address);
	}
	return 0;
}
#define stp_print_usyms(c, list, form, stored)								\
	((void)bpf_print_usyms(STP_SLOT(c), STP_AS_TEXT(list), (u64)(form), stored))
#define stp_print_usyms_lines(c, list)									\
	((void)bpf_print_usyms(STP_SLOT(c), STP_AS_TEXT(list), STP_USER_SOURCE, false))

/* ------------------------------------------------------------------ texts that the client completes */

/* Does the same as bpf_list_address(), for a list after a mark. */
STP_INLINE int bpf_mark_address(struct stp_slot *s, struct stp_text *to, u32 at, u64 address)
{
	bpf_announce(s, address);
	return bpf_list_address(to, at, address);
}

STP_GLOBAL_FUNCTION int bpf_mark_list(struct stp_slot *s, struct stp_text *to, const struct stp_text *list, bool stored)
{
	int from, at = STP_MARK_HEAD;
	u32 i;

	if (!s || !to || !list)
		return 0;
	bpf_announce_any(s);
	bpf_mark(to, bpf_space_of(list, stored), STP_MARK_LINES);
	from = (int)bpf_list_start(list, stored);
	for (i = 0; i < STP_LIST_ADDRESSES; i++) {
		from = bpf_next_address(s, list, (u32)from);
		if (!from)
			break;
		at = bpf_mark_address(s, to, (u32)at, s->address);
		if (at < 0)
			break;
	}
	return 0;
}

STP_GLOBAL_FUNCTION int bpf_mark_stack(struct stp_slot *s, struct stp_text *to, u32 form)
{
	int at = STP_MARK_HEAD;
	u64 address;
	u32 i;

	if (!s || !to)
		return 0;
	bpf_announce_any(s);
	bpf_mark(to, bpf_space(), form);
	for (i = 0; i < STP_MAXBACKTRACE; i++) {
		address = bpf_user_frame(s, i);
		if (!address)
			return 0;
		at = bpf_mark_address(s, to, (u32)at, address);
		if (at < 0)
			return 0;
	}
	if (bpf_user_frame(s, STP_MAXBACKTRACE))
		bpf_lose(STP_LOSS_FRAMES);
	return 0;
}

STP_INLINE void bpf_mark_one(struct stp_slot *s, struct stp_text *to, u64 address, u32 form)
{
	bpf_mark(to, bpf_space(), form);
	bpf_mark_address(s, to, STP_MARK_HEAD, address);
}
#define stp_mark_list(c, to, list, stored)								\
	((void)bpf_mark_list(STP_SLOT(c), (struct stp_text *)(to), STP_AS_TEXT(list), stored))
#define stp_mark_stack(c, to)										\
	((void)(bpf_has_user_stack(c) && bpf_mark_stack(STP_SLOT(c), (struct stp_text *)(to), STP_MARK_LINES)))
#define stp_user_addresses(c, to, with_files)								\
	((void)(bpf_has_user_stack(c) &&								\
		((with_files) ? bpf_mark_stack(STP_SLOT(c), (struct stp_text *)(to), STP_MARK_ADDRESSES) :	\
				bpf_ubacktrace(STP_SLOT(c), (struct stp_text *)(to)))))
#define stp_mark_data(c, to, address) bpf_mark_one(STP_SLOT(c), (struct stp_text *)(to), (u64)(address), STP_MARK_DATA)
#define stp_mark_source(c, to, address, form) bpf_mark_one(STP_SLOT(c), (struct stp_text *)(to), (u64)(address), form)
#define stp_mark_name(c, to, address) bpf_mark_one(STP_SLOT(c), (struct stp_text *)(to), (u64)(address), STP_MARK_NAME)

#else
#define bpf_take_user_stack(ctx, s, takes) do { } while (0)
#define bpf_take_returned_stack(ctx, s, takes) do { } while (0)
#endif

#endif
