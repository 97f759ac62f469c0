// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device of a module: commands in, messages out, the life of the session. include/messages.h describes the
 * protocol.
 *
 * Locks: control.lock (a mutex) serialises commands, opening and closing; begin and end probes run under it.
 * queue.lock (raw, interrupts off) protects the queue. A sender may be called in any context, even while queue.lock
 * is held, if a function used there is probed; so senders wait for it only for a limited time. read_lock protects
 * the bounce buffer. Only queue.lock is taken while another lock is held.
 */
#include "kernel.h"
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/moduleparam.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/wait.h>

#define QUEUE_RESERVE 256u             /* reserved for STARTED, EXIT and STOPPED */
#define LOCK_WAIT_MS  2

enum phase { PHASE_NEW, PHASE_MADE, PHASE_STARTED, PHASE_STOPPED };

static struct {
	struct mutex lock;
	enum phase phase;
	bool open, detached;
	bool leaving;              /* the device is being closed and has no reader any more */
	bool mapped;               /* the process that has opened the device has mapped the rings and may read them */
	bool exit_sent;            /* EXIT was sent, which is done only once */
	bool other_build;          /* the running kernel is not the build for which the script was translated */
	bool unchecked_build;      /* the build of the running kernel cannot be determined */
	u32 wants_sent;            /* number of WANTs that were read; READY follows the last one */
	bool ready_sent;
	struct mutex read_lock;
	char *bounce;              /* one message while it is copied to the reader */
	wait_queue_head_t wait;
	struct irq_work wake;
} control;

/* The user who loaded the module, and who may unload it if staprun is killed before it changes the owner of the
 * node; (uid_t)-1 after START, when the node's owner is used. */
static uid_t owner;
module_param_named(_stp_owner, owner, uint, 0444);

static struct {
	raw_spinlock_t lock;
	u32 size;                  /* a power of two */
	u32 head, tail;            /* positions, which only grow */
	char *bytes;
} queue;

/* ------------------------------------------------------------------ waking the reader */

static void wake(struct irq_work *w)
{
	wake_up_interruptible(&control.wait);
}

/* Any context: wakes the reader from an interrupt, since the scheduler's own functions may be probed. */
void stp_control_wake(void)
{
	irq_work_queue(&control.wake);
}

bool stp_reader_alive(void)
{
	return READ_ONCE(control.open) && !READ_ONCE(control.leaving);
}

/* Returns true if the session continues without a reader. A process that has opened the device again counts as
 * the reader after it has mapped the rings. */
bool stp_detached(void)
{
	return READ_ONCE(control.detached) && !READ_ONCE(control.mapped);
}

/* ------------------------------------------------------------------ the message queue */

static void queue_bytes(const void *from, u32 len)
{
	u32 at = queue.head & (queue.size - 1), first = min(len, queue.size - at);

	memcpy(queue.bytes + at, from, first);
	memcpy(queue.bytes, from + first, len - first);
	queue.head += len;
}

static void unqueue_bytes(void *to, u32 len)
{
	u32 at = queue.tail & (queue.size - 1), first = min(len, queue.size - at);

	memcpy(to, queue.bytes + at, first);
	memcpy(to + first, queue.bytes, len - first);
	queue.tail += len;
}

static bool queue_empty(void)
{
	return READ_ONCE(queue.head) == READ_ONCE(queue.tail);
}

/*
 * Context: interrupts off. If another CPU holds the lock, it does so with interrupts off for a copy of at most 4
 * KB, which bounds this wait. If this CPU holds it, a probe inside the copy sends a message: the message is lost,
 * and counted.
 */
static bool queue_lock(void)
{
	struct stp_spin spin = {};
	bool locked;

	do
		locked = raw_spin_trylock(&queue.lock);
	while (!locked && stp_spin(&spin, LOCK_WAIT_MS));
	return locked;
}

/* Any context. keep: number of bytes of the queue that must remain free after this message. */
static void message_send(u32 type, const void *payload, u32 len, u32 keep)
{
	struct stp_msg m = { .type = type, .len = len };
	unsigned long flags;
	bool sent = false;

	local_irq_save(flags);
	if (queue_lock()) {
		sent = queue.size - (queue.head - queue.tail) >= sizeof(m) + len + keep;
		if (sent) {
			queue_bytes(&m, sizeof(m));
			if (len)
				queue_bytes(payload, len);
		}
		raw_spin_unlock(&queue.lock);
	}
	local_irq_restore(flags);
	if (!sent)
		stp_lose(STP_LOSS_MESSAGES, 1);
	stp_control_wake();
}

static void send_text(u32 type, const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);

	if (len > max)
		stp_lose(STP_LOSS_TEXTS, 1);
	message_send(type, text, min(len, max), QUEUE_RESERVE);
}

void plat_message(u32 type, const char *text)
{
	if (type != STP_MSG_EXIT)
		send_text(type, text, STP_MSG_MAX - sizeof(struct stp_msg));
	else if (!xchg(&control.exit_sent, true))
		message_send(type, NULL, 0, 0);
}

/* Moves the oldest message into the bounce buffer. Returns its size; 0: the queue is empty; -EINVAL: it does not
 * fit in `space` and remains in the queue. */
static ssize_t message_take(size_t space)
{
	struct stp_msg *m = (void *)control.bounce;
	unsigned long flags;
	u32 tail;
	ssize_t size = 0;

	/* Bounded wait: the owner is on another CPU with interrupts off, see queue_lock(); this CPU cannot be inside it. */
	raw_spin_lock_irqsave(&queue.lock, flags);
	if (queue.head != queue.tail) {
		tail = queue.tail;
		unqueue_bytes(m, sizeof(*m));
		size = sizeof(*m) + m->len;
		if (size > space) {
			queue.tail = tail;
			size = -EINVAL;
		} else {
			unqueue_bytes(m->payload, m->len);
		}
	}
	raw_spin_unlock_irqrestore(&queue.lock, flags);
	return size;
}

/* WANTs are generated when they are read, since their number is not limited. READY is the last one. */
static ssize_t want_take(size_t space)
{
	struct stp_msg *m = (void *)control.bounce;
	struct stp_want *w = (void *)m->payload;
	const struct stp_site *site = stp_site_wanted(control.wants_sent);
	u32 name_max = STP_MSG_MAX - sizeof(*m) - sizeof(*w);

	m->type = site ? STP_MSG_WANT : STP_MSG_READY;
	m->len = 0;
	if (site) {
		w->index = control.wants_sent;
		w->pad = 0;
		w->offset = site->offset;
		m->len = sizeof(*w) + 1 +
			 scnprintf(w->name, name_max, "%s%s%s", site->module ?: "",
				   site->module ? ":" : "", site->symbol);
	}
	if (sizeof(*m) + m->len > space)
		return -EINVAL;
	if (site)
		control.wants_sent++;
	else
		control.ready_sent = true;
	return sizeof(*m) + m->len;
}

static bool wants_pending(void)
{
	return READ_ONCE(control.phase) != PHASE_NEW && !READ_ONCE(control.ready_sent);
}

static bool stopped(void)
{
	return READ_ONCE(control.phase) == PHASE_STOPPED;
}

/* ------------------------------------------------------------------ session */

static void send_summary(void)
{
	struct stp_summary s = {};

	stp_session_summary(&s);
	stp_rings_finish(&s);
	message_send(STP_MSG_STOPPED, &s, sizeof(s), 0);
}

/*
 * Context: process, control.lock held.
 *
 * Bounded: begin, end and error probes by MAXACTION, their output by the reader (ring.c, wait_for_space). Families
 * stop by waiting for the kernel: for handlers, which have interrupts off and a budget, by RCU, and for text to be
 * patched. No handler waits for control.lock, and no code that a family waits for takes it, so that these waits
 * end.
 */
static void session_stop(void)
{
	if (control.phase != PHASE_STARTED && control.phase != PHASE_MADE)
		return;
	stp_session_stop();
	stp_hotplug_stop();
	stp_stacks_stop();
	stp_namespaces_drop();
	send_summary();
	WRITE_ONCE(control.phase, PHASE_STOPPED);
	stp_control_wake();
}

static bool same_build_id(const struct stp_hello *h)
{
	return stp_module.build_id_len && h->build_id_len == stp_module.build_id_len &&
	       h->build_id_len <= sizeof(h->build_id) &&
	       !memcmp(h->build_id, stp_module.build_id, h->build_id_len);
}

/* Rejects a kernel of the same release from another build: offsets of structure members and of code may differ. */
static int refuse_other_build(void)
{
	char text[200];

	snprintf(text, sizeof(text), "the running kernel is of another build than the one that the script was translated for"
		 " (%*phN); translate it on this machine, or with -DSTP_NO_BUILDID_CHECK",
		 (int)min_t(u32, stp_module.build_id_len, 20), stp_module.build_id);
	plat_message(STP_MSG_ERROR, text);
	return -ESTALE;
}

/* A kernel whose build cannot be determined is accepted with a warning. */
static void warn_unchecked_kernel(void)
{
	char text[200];

	snprintf(text, sizeof(text), "cannot check whether the running kernel is of the build that the script was translated "
		 "for (%*phN): no build ID in /sys/kernel/notes", (int)min_t(u32, stp_module.build_id_len, 20), stp_module.build_id);
	plat_message(STP_MSG_WARNING, text);
}

static int do_hello(const struct stp_hello *h)
{
	int err;

	if (control.phase != PHASE_NEW)
		return -EBUSY;
	if (h->protocol != STP_PROTOCOL)
		return -EPROTO;
	control.other_build = stp_module.build_id_len && h->build_id_len && !same_build_id(h);
	control.unchecked_build = stp_module.build_id_len && !h->build_id_len;
	stp_rows_expand();
	err = stp_sites_make(h->kernel_base, same_build_id(h));
	if (err)
		return err;
	stp_session.timezone_s = h->timezone_s;
	stp_session.uid = h->uid;
	err = stp_session_make();
	if (err) {
		stp_session_free();
		stp_sites_free();
		return err;
	}
	stp_unloaded_start();
	stp_stacks_make();
	WRITE_ONCE(control.phase, PHASE_MADE);
	stp_control_wake();
	return 0;
}

static int do_address(const struct stp_address *a)
{
	return control.phase == PHASE_MADE ? stp_site_found(a->index, a->address) : -EBUSY;
}

static int do_set(char *setting, u32 len)
{
	if (control.phase != PHASE_MADE)
		return -EBUSY;
	setting[len] = '\0';
	return stp_session_set(setting);
}

static int do_remote(const struct stp_remote *r, u32 len)
{
	if (control.phase != PHASE_MADE)
		return -EBUSY;
	if (len < sizeof(*r) || len - sizeof(*r) >= sizeof(stp_session.remote_uri))
		return -EINVAL;
	stp_session.remote_id = r->id;
	memcpy(stp_session.remote_uri, r->uri, len - sizeof(*r));
	return 0;
}

/* Returns the process ID in the initial PID namespace, which handlers compare, of one in that of the current process.
 * An ID that no process has is returned unchanged. */
static s32 initial_id(s32 id)
{
	struct pid *pid;

	rcu_read_lock();
	pid = find_vpid(id);
	if (pid)
		id = pid_nr(pid);
	rcu_read_unlock();
	return id;
}

static int do_start(const struct stp_start *s)
{
	struct stp_status status = {};

	if (control.phase != PHASE_MADE)
		return -EBUSY;
	stp_session.target = initial_id(s->target_pid);
	stp_session.namespaces = s->namespaces;
	stp_session.relay = current->tgid;
	owner = -1;
	control.phase = PHASE_STARTED;
	if (control.unchecked_build)
		warn_unchecked_kernel();
	status.rc = control.other_build ? refuse_other_build() : stp_namespaces_take(s->namespaces);
	if (!status.rc) {
		stp_hotplug_start();
		status.rc = stp_session_start();
	}
	message_send(STP_MSG_STARTED, &status, sizeof(status), 0);
	return 0;
}

static int do_stop(void)
{
	if (control.phase == PHASE_NEW)
		return -EINVAL;
	session_stop();
	return 0;
}

static int do_detach(void)
{
	if (control.phase != PHASE_STARTED)
		return -EINVAL;
	WRITE_ONCE(control.detached, true);
	return 0;
}

static int do_target_exited(void)
{
	if (control.phase == PHASE_STARTED)
		stp_session_exit();
	return 0;
}

/* The payload buffer has one more byte, for a terminator after its len bytes. */
static int command(u32 type, void *payload, u32 len)
{
	switch (type) {
	case STP_CMD_HELLO:
		return len == sizeof(struct stp_hello) ? do_hello(payload) : -EINVAL;
	case STP_CMD_ADDRESS:
		return len == sizeof(struct stp_address) ? do_address(payload) : -EINVAL;
	case STP_CMD_SET:
		return do_set(payload, len);
	case STP_CMD_START:
		return len == sizeof(struct stp_start) ? do_start(payload) : -EINVAL;
	case STP_CMD_STOP:
		return len ? -EINVAL : do_stop();
	case STP_CMD_DETACH:
		return len ? -EINVAL : do_detach();
	case STP_CMD_TARGET_EXITED:
		return len ? -EINVAL : do_target_exited();
	case STP_CMD_REMOTE:
		return do_remote(payload, len);
	}
	return -EINVAL;
}

/* ------------------------------------------------------------------ file operations */

/* Context: process, control.lock held, no reader. */
static void free_buffers(void)
{
	stp_rings_free();
	plat_free(queue.bytes);
	plat_free(control.bounce);
	queue.bytes = control.bounce = NULL;
	queue.size = queue.head = queue.tail = 0;
}

/* The first opening of the device allocates them. They exist until the module is unloaded, but the rings only
 * until the session has ended. */
static int make_buffers(void)
{
	if (control.bounce)
		return 0;
	stp_cpus_choose();
	queue.size = roundup_pow_of_two(max(STP_QUEUE_MIN, stp_module.limits.message_bytes));
	queue.bytes = plat_alloc(queue.size, -1);
	control.bounce = plat_alloc(STP_MSG_MAX, -1);
	if (queue.bytes && control.bounce && !stp_rings_make())
		return 0;
	free_buffers();
	return -ENOMEM;
}

static int control_open(struct inode *inode, struct file *file)
{
	int err = -EBUSY;

	/* Bounded wait: until the running begin or end probe ends, which may take long, or until a kill. */
	if (mutex_lock_killable(&control.lock))
		return -EINTR;
	if (!control.open)
		err = make_buffers();
	if (!err)
		WRITE_ONCE(control.open, true);
	mutex_unlock(&control.lock);
	return err ?: stream_open(inode, file);
}

/*
 * Frees the memory of a session that has ended, or that HELLO has not made yet, since no process can attach to it
 * again. If no process remains to unload the module (staprun and stapio were killed), only the header with the
 * counts and the unread messages remain allocated. The rings are not mapped, because the device is not open, and no
 * handler runs.
 */
static void free_ended_session(void)
{
	if (control.phase == PHASE_NEW)
		free_buffers();
	if (control.phase != PHASE_STOPPED)
		return;
	stp_session_free();
	stp_unloaded_stop();
	stp_sites_free();
	stp_rings_shrink();
}

static int control_release(struct inode *inode, struct file *file)
{
	/* bounded: no command holds the lock at release, and open() holds it only briefly */
	mutex_lock(&control.lock);
	WRITE_ONCE(control.leaving, true);
	if (!control.detached)
		session_stop();
	free_ended_session();
	WRITE_ONCE(control.mapped, false);
	WRITE_ONCE(control.open, false);
	WRITE_ONCE(control.leaving, false);
	mutex_unlock(&control.lock);
	return 0;
}

static ssize_t control_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct stp_cmd *cmd;
	int err;

	if (len < sizeof(*cmd) || len > STP_MSG_MAX)
		return -EINVAL;
	cmd = kzalloc(len + 1, GFP_KERNEL);
	if (!cmd)
		return -ENOMEM;
	err = -EFAULT;
	if (copy_from_user(cmd, from, len))            /* bounded: no lock is held; a fault can be killed */
		goto out;
	err = -EINVAL;
	if (cmd->len != len - sizeof(*cmd))
		goto out;
	err = -EINTR;
	if (mutex_lock_killable(&control.lock))        /* bounded: with the command of another thread, or by a kill */
		goto out;
	err = command(cmd->type, cmd->payload, cmd->len);
	mutex_unlock(&control.lock);
out:
	kfree(cmd);
	return err ?: len;
}

/* Reads one message; returns 0 after the last one of a stopped session; -EAGAIN: the queue is empty. Bounded wait: a
 * reader that faults in pages of its buffer holds read_lock, for which only other readers wait; all can be killed. */
static ssize_t read_one(char __user *to, size_t len)
{
	bool end = stopped();
	ssize_t size;

	if (mutex_lock_killable(&control.read_lock))
		return -EINTR;
	size = message_take(len);
	if (!size && wants_pending() && !end)
		size = want_take(len);
	if (size > 0 && copy_to_user(to, control.bounce, size))
		size = -EFAULT;
	mutex_unlock(&control.read_lock);
	if (!size && !end)
		return -EAGAIN;
	return size;
}

static ssize_t control_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	ssize_t n;
	int err;

	for (;;) {
		n = read_one(to, len);
		if (n != -EAGAIN || (file->f_flags & O_NONBLOCK))
			return n;
		/* bounded: by a signal at the latest */
		err = wait_event_interruptible(control.wait,
					       !queue_empty() || wants_pending() || stopped());
		if (err)
			return err;
	}
}

static __poll_t control_poll(struct file *file, poll_table *table)
{
	__poll_t mask = 0;

	poll_wait(file, &control.wait, table);
	if (!queue_empty() || wants_pending() || stopped())
		mask |= EPOLLIN | EPOLLRDNORM;
	if (stp_rings_half_full())
		mask |= EPOLLPRI;
	return mask;
}

/*
 * A process that maps more than the page with the sizes becomes the reader. No lock is taken: this function runs
 * under mmap_lock of the process, and only the same process could detach meanwhile.
 */
static int control_mmap(struct file *file, struct vm_area_struct *vma)
{
	int err = stp_rings_map(vma);

	if (err || vma->vm_end - vma->vm_start <= PAGE_SIZE || READ_ONCE(control.mapped))
		return err;
	WRITE_ONCE(control.mapped, true);
	if (READ_ONCE(control.detached))
		stp_rings_sync();
	WRITE_ONCE(control.detached, false);
	return 0;
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,      /* an open device pins the module */
	.open = control_open,
	.release = control_release,
	.read = control_read,
	.write = control_write,
	.poll = control_poll,
	.mmap = control_mmap,
};

/* ------------------------------------------------------------------ the device */

/* Read by staprun/leftovers.c. No lock is taken, since a begin probe may hold it for a long time; a running
 * staprun has the session open, and a module whose device is open cannot be unloaded. */
static int get_state(char *to, const struct kernel_param *p)
{
	enum phase phase = READ_ONCE(control.phase);

	return scnprintf(to, PAGE_SIZE, "%s\n", READ_ONCE(control.open) ? "open" : phase == PHASE_STARTED ? "detached" :
			 phase == PHASE_STOPPED ? "ended" : "new");
}

static const struct kernel_param_ops state_ops = { .get = get_state };
module_param_cb(_stp_state, &state_ops, NULL, 0444);

static char node_name[sizeof("systemtap/") + MODULE_NAME_LEN];

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.fops = &control_fops,
	.name = THIS_MODULE->name,
	.nodename = node_name,
	.mode = 0600,
};

/* Bounded wait: misc_register() waits for openings of devices, which at most wait for other modules to load. */
int stp_control_init(void)
{
	mutex_init(&control.lock);
	mutex_init(&control.read_lock);
	init_waitqueue_head(&control.wait);
	owner = from_kuid(&init_user_ns, current_uid());
	init_irq_work(&control.wake, wake);
	raw_spin_lock_init(&queue.lock);
	snprintf(node_name, sizeof(node_name), "systemtap/%s", THIS_MODULE->name);
	return misc_register(&device);
}

/* The device is closed, since an open device pins the module. A detached session may still run. Bounded wait:
 * session_stop(); no other code takes the lock any more. */
void stp_control_exit(void)
{
	misc_deregister(&device);
	mutex_lock(&control.lock);
	session_stop();
	mutex_unlock(&control.lock);
	stp_session_free();
	stp_unloaded_stop();
	stp_sites_free();              /* unregisters the module notifier, which sends messages */
	/* bounded: wake() takes only the wait queue's lock, and nothing queues it any more */
	irq_work_sync(&control.wake);
	free_buffers();
	stp_memory_check();
}
