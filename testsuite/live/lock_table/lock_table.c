// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A resource table like that of a lock manager: namespace -> hash of resources -> granted and waiting
 * locks with counters. Writing to its parameter "go" executes the same calls each time.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

enum { BUCKETS = 8 };
enum lock_table_mode { LOCK_TABLE_SHARED = 1, LOCK_TABLE_UPDATE = 2, LOCK_TABLE_EXCLUSIVE = 3 };

struct lock_table_lock {
	struct list_head link;             /* link in the `granted` or `waiting` list of its resource */
	int owner;
	enum lock_table_mode mode;
};

struct lock_table_resource {
	struct hlist_node chain;
	char name[16];
	int n_granted, n_waiting;
	struct list_head granted, waiting;
};

struct lock_table_space {
	const char *name;
	int n_resources;
	struct hlist_head bucket[BUCKETS];
};

#ifndef DECLARE_TRACE_EVENT                /* until 6.15 */
#define DECLARE_TRACE_EVENT DECLARE_TRACE
#endif
DECLARE_TRACE_EVENT(lock_table_granted,
		    TP_PROTO(struct lock_table_resource *res, struct lock_table_lock *lock, short place),
		    TP_ARGS(res, lock, place));
DEFINE_TRACE(lock_table_granted, TP_PROTO(struct lock_table_resource *res, struct lock_table_lock *lock, short place),
	     TP_ARGS(res, lock, place));

static struct lock_table_space space = { .name = "main" };
static noinline void settle(void) { asm volatile("" : : : "memory"); }

static inline unsigned int lock_table_hash(const char *name)
{
	unsigned int hash = 0;

	while (*name)
		hash = hash * 31 + *name++;
	return hash % BUCKETS;
}

static __always_inline bool lock_table_compatible(const struct lock_table_resource *res, enum lock_table_mode mode)
{
	struct lock_table_lock *lock;

	list_for_each_entry(lock, &res->granted, link)
		if (lock->mode + mode > LOCK_TABLE_EXCLUSIVE)
			return false;
	return true;
}

static noinline struct lock_table_resource *lock_table_find(struct lock_table_space *sp, const char *name)
{
	struct hlist_head *head = &sp->bucket[lock_table_hash(name)];
	struct lock_table_resource *res;

	hlist_for_each_entry(res, head, chain)
		if (!strcmp(res->name, name))
			return res;
	res = kzalloc(sizeof(*res), GFP_KERNEL);
	if (!res)
		return NULL;
	strscpy(res->name, name, sizeof(res->name));
	INIT_LIST_HEAD(&res->granted);
	INIT_LIST_HEAD(&res->waiting);
	hlist_add_head(&res->chain, head);
	sp->n_resources++;
	return res;
}

static noinline int lock_table_grant(struct lock_table_resource *res, struct lock_table_lock *lock)
{
	settle();
	list_add_tail(&lock->link, &res->granted);
	trace_lock_table_granted(res, lock, -res->n_granted);
	return ++res->n_granted;
}

static noinline int lock_table_wait(struct lock_table_resource *res, struct lock_table_lock *lock)
{
	settle();
	list_add_tail(&lock->link, &res->waiting);
	return ++res->n_waiting;
}

/* Statements that are probed have a mark at the end of their line. */
noinline long lock_table_request(struct lock_table_space *sp, const char *name, int owner, enum lock_table_mode mode)
{
	struct lock_table_resource *res = lock_table_find(sp, name);
	struct lock_table_lock *lock;
	long cost = owner * 100 + mode, queued;

	if (!res)
		goto out;
	settle();                                                  /* mark: counted */
	lock = kzalloc(sizeof(*lock), GFP_KERNEL);
	if (!lock)
		goto out;
	lock->owner = owner;
	lock->mode = mode;
	if (lock_table_compatible(res, mode)) {
		queued = lock_table_grant(res, lock);
	} else {
		long penalty = cost * 2;

		settle();                                          /* mark: penalty */
		queued = lock_table_wait(res, lock) + penalty;
	}
	cost += queued;
	settle();                                                  /* mark: sum */
out:
	settle();
	return cost;
}
EXPORT_SYMBOL_GPL(lock_table_request);

/* lock_table_grant() has another caller, too. */
static noinline int lock_table_promote(struct lock_table_resource *res)
{
	struct lock_table_lock *lock = list_first_entry_or_null(&res->waiting, struct lock_table_lock, link);

	if (!lock)
		return -ENOENT;
	list_del(&lock->link);
	res->n_waiting--;
	return lock_table_grant(res, lock) + 1000;
}

static noinline void lock_table_report(struct lock_table_space *sp, struct lock_table_resource *res)
{
	settle();
	pr_info("lock_table: %s/%s granted %d waiting %d\n", sp->name, res->name, res->n_granted, res->n_waiting);
}

static noinline void lock_table_clear(struct list_head *list)
{
	struct lock_table_lock *lock, *next;

	list_for_each_entry_safe(lock, next, list, link)
		kfree(lock);
}

static noinline void lock_table_play(void)
{
	struct lock_table_resource *res;
	struct hlist_node *next;
	long sum = 0;
	int i;

	sum += lock_table_request(&space, "alpha", 1, LOCK_TABLE_SHARED);
	sum += lock_table_request(&space, "alpha", 2, LOCK_TABLE_SHARED);
	sum += lock_table_request(&space, "beta", 3, LOCK_TABLE_EXCLUSIVE);
	sum += lock_table_request(&space, "alpha", 4, LOCK_TABLE_EXCLUSIVE);
	sum += lock_table_request(&space, "alpha", 5, LOCK_TABLE_UPDATE);
	sum += lock_table_request(&space, "alpha", 6, LOCK_TABLE_EXCLUSIVE);
	sum += lock_table_request(&space, "beta", 7, LOCK_TABLE_SHARED);
	lock_table_report(&space, lock_table_find(&space, "alpha"));
	lock_table_promote(lock_table_find(&space, "beta"));
	lock_table_report(&space, lock_table_find(&space, "beta"));
	pr_info("lock_table: sum %ld\n", sum);
	for (i = 0; i < BUCKETS; i++)
		hlist_for_each_entry_safe(res, next, &space.bucket[i], chain) {
			lock_table_clear(&res->granted);
			lock_table_clear(&res->waiting);
			hlist_del(&res->chain);
			kfree(res);
		}
	space.n_resources = 0;
}

static int go_set(const char *text, const struct kernel_param *p)
{
	lock_table_play();
	return 0;
}

static const struct kernel_param_ops go_ops = { .set = go_set };
module_param_cb(go, &go_ops, NULL, 0200);

static int __init lock_table_init(void)
{
	return 0;
}

static void __exit lock_table_exit(void)
{
}

module_init(lock_table_init);
module_exit(lock_table_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A resource table for the tests of statements and lists");
