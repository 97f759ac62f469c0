/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's end of the channel with a malicious relay: control.c, site_addresses.c and ring.c with the core, over
 * stand-ins for the kernel functions that they use. An input is a sequence of operations of user space: open,
 * close, writes of any bytes, reads with any size, changes of the mapping, while handlers run and print. In each
 * case the operations change no memory except the mapping, each address is the one that was sent first, nothing
 * is written outside the ring, and in the end all memory is freed.
 */
#define plat_record_space   test_record_room    /* core_platform.h defines this function, too */
#define plat_record_commit test_record_commit
#define plat_message       test_message
#define plat_ctx_set       test_ctx_set
#define plat_exclusive_enter   test_alone_enter
#include "../unit/core_platform.h"
#undef plat_record_space
#undef plat_record_commit
#undef plat_message
#undef plat_ctx_set
#undef plat_exclusive_enter

#include "../unit/kernel_standins.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>

/* ------------------------------------------------------------------ kernel functions */

#define MODULE_NAME_LEN 56
#define __user
#define __force
#define __rcu
#define cpumask_weight(mask) ((void)(mask), CPUS)
#define for_each_cpu(i, mask) for ((i) = 0; (i) < CPUS; (i)++)
#define xchg(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define cpu_relax() ((void)0)
#define preempt_disable() ((void)0)
#define preempt_enable() ((void)0)
#define from_kuid(namespace, uid) ((uid_t)(uid))
#define current_uid() 0
#define local_irq_save(flags) ((flags) = 0)
#define local_irq_restore(flags) ((void)(flags))
#define raw_spin_trylock(l) (*(l) ? 0 : (*(l) = 1))
#define raw_spin_unlock(l) (*(l) = 0)
#define raw_spin_lock_irqsave(l, flags) ((flags) = 0, *(l) = 1)
#define raw_spin_unlock_irqrestore(l, flags) ((void)(flags), *(l) = 0)
#define raw_spin_lock_init(l) (*(l) = 0)
#define rcu_dereference(p) (p)
#define rcu_dereference_protected(p, c) (p)
#define rcu_assign_pointer(p, v) ((p) = (v))
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)
#define synchronize_rcu() ((void)0)
#define wake_up_interruptible(w) ((void)(w))
#define wait_event_interruptible(w, condition) ((condition) ? 0 : -EINTR)
#define init_waitqueue_head(w) ((void)(w))
#define poll_wait(file, w, table) ((void)(table))
#define sort(base, n, size, compare, swap) qsort(base, n, size, compare)
#define THIS_MODULE (&(struct module){ "fuzzed" })
#define MISC_DYNAMIC_MINOR 255
#define O_NONBLOCK 04000
#define GFP_KERNEL 0
#define EPOLLIN 1u
#define EPOLLPRI 2u
#define EPOLLRDNORM 64u
typedef struct { int n; } atomic_t;
typedef int raw_spinlock_t, wait_queue_head_t;
typedef unsigned int __poll_t;
struct mutex { int held; };
struct irq_work { void (*f)(struct irq_work *w); };
struct inode { int unused; };
struct file { unsigned int f_flags; };
struct module { const char *name; };
struct pid { int n; };
typedef struct poll_table poll_table;
struct file_operations {
	struct module *owner;
	int (*open)(struct inode *inode, struct file *file);
	int (*release)(struct inode *inode, struct file *file);
	ssize_t (*read)(struct file *file, char __user *to, size_t len, loff_t *pos);
	ssize_t (*write)(struct file *file, const char __user *from, size_t len, loff_t *pos);
	__poll_t (*poll)(struct file *file, poll_table *table);
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
};
struct miscdevice { int minor; const struct file_operations *fops; const char *name, *nodename; unsigned int mode; };

#define atomic_read(a) ((a)->n)
#define atomic_inc(a) (++(a)->n)
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define scnprintf(to, n, ...) min((size_t)snprintf(to, n, __VA_ARGS__), (size_t)(n) - 1)

static struct { int tgid; } *current = &(typeof(*current)){ 1 };
static int stp_cpus;
static unsigned long jiffies;
static size_t mapping_len;

static void mutex_init(struct mutex *m) { m->held = 0; }
static void mutex_lock(struct mutex *m) { assert(!m->held); m->held = 1; }
static int mutex_lock_killable(struct mutex *m) { mutex_lock(m); return 0; }
static void mutex_unlock(struct mutex *m) { assert(m->held); m->held = 0; }
static void init_irq_work(struct irq_work *w, void (*f)(struct irq_work *w)) { w->f = f; }
static void irq_work_queue(struct irq_work *w) { w->f(w); }
static void irq_work_sync(struct irq_work *w) { }
static int misc_register(struct miscdevice *d) { return 0; }
static void misc_deregister(struct miscdevice *d) { }
static int stream_open(struct inode *inode, struct file *file) { return 0; }
static int copy_from_user(void *to, const void *from, size_t n) { memcpy(to, from, n); return 0; }
static int copy_to_user(void *to, const void *from, size_t n) { memcpy(to, from, n); return 0; }
static void *kzalloc(size_t n, int how) { return calloc(1, n); }
static void kfree(void *p) { free(p); }
static struct pid *find_vpid(int n) { static struct pid p; p.n = n; return n > 0 ? &p : NULL; }
static int pid_nr(const struct pid *p) { return p->n; }
static long si_mem_available(void) { return 1l << 40; }
static void *vmalloc_user(size_t n) { mapping_len = n; return calloc(1, n); }
static void vfree(void *p) { free(p); }
static int remap_vmalloc_range(struct vm_area_struct *v, void *p, unsigned long o) { return 0; }
static u64 roundup_pow_of_two(u64 n) { return n <= 1 ? 1 : 1ull << (64 - __builtin_clzll(n - 1)); }
static u64 rounddown_pow_of_two(u64 n) { return 1ull << (63 - __builtin_clzll(n)); }
static void schedule_timeout_killable(long n);
static void cond_resched(void) { }
struct kernel_param;
struct kernel_param_ops { int (*get)(char *to, const struct kernel_param *p); };
#define module_param_cb(name, ops, value, perm) static const void *const unused_##name = ops
void plat_message(u32 type, const char *text);

static void stp_cpus_choose(void) { }
static void stp_control_wake(void);
static bool stp_reader_alive(void), stp_detached(void);
static u32 stp_stack_needed(void) { return 1024; }
static int stp_sites_make(u64 kernel_base, bool same_kernel), stp_site_found(u32 index, u64 address);
static void stp_sites_free(void);
static const struct stp_site *stp_site_wanted(u32 index);
static int stp_control_init(void);
static void stp_control_exit(void);
static int stp_modules_make(struct stp_site **sites, u32 n) { return 0; }
static void stp_modules_free(void) { }
static void stp_modules_found(struct stp_site *s, u64 address) { s->address = address; }
static int stp_namespaces_take(s32 process) { return process < 0 ? -3 : 0; }
static void stp_namespaces_drop(void) { }
static void stp_stacks_make(void) { }
static void stp_unloaded_start(void) { }
static void stp_unloaded_stop(void) { }
static void stp_hotplug_start(void) { }
static void stp_hotplug_stop(void) { }
static void stp_stacks_stop(void) { }
#define stp_memory_check() ((void)0)
static const struct stp_site *stp_site_at(u64 address);
static void stp_sites_sort(void);

#include "../../runtime/kernel/ring.c"
#include "../../runtime/kernel/site_addresses.c"
#include "../../runtime/kernel/control.c"

void plat_ctx_set(u32 cpu, struct stp_ctx *c)
{
	cpu_ctx[cpu] = c;
	if (c != &stp_ctx_none)
		stp_private(c)->plat = stp_ring_of(cpu);
}

void plat_exclusive_enter(void)
{
	stp_session.exclusive->plat = stp_ring_of(-1);
}

/* ------------------------------------------------------------------ a script */

static s64 g_number;
static char g_text[STRING_LEN];
static const struct stp_global globals[] = { { "number", STP_LONG, &g_number }, { "text", STP_STRING, g_text } };
static const u8 *at, *end;             /* remaining bytes of the input */

static u64 take(size_t n)
{
	u64 value = 0;
	size_t i;

	for (i = 0; i < n && at < end; i++)
		value |= (u64)*at++ << 8 * i;
	return value;
}

static void print(struct stp_ctx *c)
{
	static char text[STRING_LEN];
	u32 n = (u32)take(1);

	memset(text, 'x', sizeof(text) - 1);
	while (n--)
		stp_log(c, text);
	if (take(1) == 1)
		stp_exit(c);
}

static const struct stp_probe probes[] = { { print, "begin", "begin", "t:1:1" }, { print, "hit", "hit", "t:2:1" },
	{ print, "end", "end", "t:3:1" } };
static struct stp_begin begins[] = { { &probes[0], 0 } }, ends[] = { { &probes[2], 0 } };

static struct stp_site family_sites[] = {
	{ .symbol = "one" }, { .symbol = "two", .offset = 8 }, { .symbol = "three", .module = "m" },
};
static struct stp_site *sites_of(void *table, u32 i, u32 *n)
{
	*n = 1;
	return &family_sites[i];
}
static int arm(void *table, u32 n) { stp_sites_sort(); return 0; }
static void disarm(void *table, u32 n) { }
static const struct stp_family_ops hits = { .name = "hits", .start = arm, .stop = disarm, .sites = sites_of };
static const struct stp_family families[] = {
	{ &stp_begin_family, begins, 1 }, { &hits, family_sites, 3 }, { &stp_end_family, ends, 1 },
};
const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI,
	.limits = { .string_len = STRING_LEN, .actions = 1000, .actions_interruptible = 1000, .nesting = 4, .buffer_kb = 64 },
	.families = families, .nfamilies = 3, .globals = globals, .nglobals = 2, .frame_size = 100,
};

static void hit(void)
{
	struct stp_ctx *c = cpu_ctx[take(1) % CPUS];

	if (!c || !stp_ctx_enter(c))
		return;
	stp_handler_run(c, &probes[1]);
	stp_ctx_leave(c);
}

/* ------------------------------------------------------------------ a relay */

static struct file file = { .f_flags = O_NONBLOCK };
static bool is_open;
static u64 answered[3];                /* the first address sent for each name */
static u32 nanswered;

static void overwrite(void)
{
	u64 where = take(4), value = take(8);

	if (rings.header)
		memcpy((char *)rings.header + where % (mapping_len - 8), &value, 8);
}

/* Moves the tail to the head, or to any other position. */
static void consume(void)
{
	struct ring *r = rings.ring ? &rings.ring[take(1) % (CPUS + 1)] : NULL;

	if (r)
		r->control->tail = take(1) & 1 ? r->head : take(8);
}

static void schedule_timeout_killable(long n)
{
	jiffies += (unsigned long)n;
	if (at < end)
		consume();
}

static void write_command(void)
{
	u8 bytes[STP_MSG_MAX + 64] = "";
	struct stp_cmd *cmd = (void *)bytes;
	size_t len, i;

	cmd->type = (u32)take(1);
	cmd->len = (u32)take(2) % 4200;
	len = sizeof(*cmd) + cmd->len;
	if (cmd->type & 0x80)          /* a command in the form that a relay sends */
		cmd->len = (u32)take(4);
	cmd->type &= 0x7f;
	for (i = sizeof(*cmd); i < len && i < sizeof(*cmd) + 80; i++)
		bytes[i] = (u8)take(1);
	if (cmd->type == STP_CMD_HELLO && bytes[sizeof(*cmd)] & 1)
		((struct stp_hello *)cmd->payload)->protocol = STP_PROTOCOL;
	if (len > sizeof(bytes))
		len = sizeof(bytes);
	if (control_write(&file, (char *)bytes, len, NULL) == (ssize_t)len && cmd->type == STP_CMD_ADDRESS) {
		assert(nanswered < 3 && ((struct stp_address *)cmd->payload)->index == nanswered);
		answered[nanswered] = sites.wanted[nanswered]->address;
		nanswered++;
	}
	for (i = 0; i < nanswered; i++)
		assert(sites.wanted[i]->address == answered[i]);
}

static void read_message(void)
{
	size_t room = take(2) % (STP_MSG_MAX + 8);
	char *to = malloc(room + 1);
	ssize_t n = control_read(&file, to, room, NULL);

	assert(n <= (ssize_t)room && (n < 8 || ((struct stp_msg *)to)->len == (size_t)n - 8));
	free(to);
}

/* Checks that a session that has ended holds no memory except the header's. */
static void release(void)
{
	is_open = control_release(NULL, &file) != 0;
	if (control.phase == PHASE_STOPPED)
		assert(!sites.wanted && !stp_session.ctx && !rings.ring && rings.header);
	if (!sites.wanted)
		nanswered = 0;
}

static void operate(void)
{
	u64 what = take(1) % 16;

	if (what == 0 && control_open(NULL, &file) == 0)
		is_open = true;
	else if (what == 1 && is_open)
		release();
	else if (what < 6 && is_open)
		write_command();
	else if (what < 8 && is_open)
		read_message();
	else if (what == 8 && is_open)
		control_poll(&file, NULL);
	else if (what == 9)
		overwrite();
	else if (what == 10 && rings.ring)
		consume();
	else
		hit();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int before = allocations;

	at = data;
	end = data + size;
	messages[0] = output[0] = 0;
	stp_control_init();
	is_open = control_open(NULL, &file) == 0;
	while (at < end)
		operate();
	if (is_open)
		control_release(NULL, &file);
	stp_control_exit();
	assert(allocations == before);
	memset(&control, 0, sizeof(control));
	memset(&queue, 0, sizeof(queue));
	memset(&rings, 0, sizeof(rings));
	memset(&sites, 0, sizeof(sites));
	memset(&stp_session, 0, sizeof(stp_session));
	memset(cpu_ctx, 0, sizeof(cpu_ctx));
	family_sites[0].address = family_sites[1].address = family_sites[2].address = 0;
	nanswered = 0;
	is_open = false;
	return 0;
}
