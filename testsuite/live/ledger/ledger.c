// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A resource table as lock managers have it: namespace -> hash of resources -> granted and waiting
 * locks with counters. Writing to its parameter "go" plays the same scene each time.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

enum { BUCKETS = 8 };
enum ledger_mode { LEDGER_SHARED = 1, LEDGER_UPDATE = 2, LEDGER_EXCLUSIVE = 3 };

struct ledger_lock {
	struct list_head link;             /* in granted or waiting of its resource */
	int owner;
	enum ledger_mode mode;
};

struct ledger_resource {
	struct hlist_node chain;
	char name[16];
	int n_granted, n_waiting;
	struct list_head granted, waiting;
};

struct ledger_space {
	const char *name;
	int n_resources;
	struct hlist_head bucket[BUCKETS];
};

#ifndef DECLARE_TRACE_EVENT                /* until 6.15 */
#define DECLARE_TRACE_EVENT DECLARE_TRACE
#endif
DECLARE_TRACE_EVENT(ledger_granted, TP_PROTO(struct ledger_resource *res, struct ledger_lock *lock, short place),
		    TP_ARGS(res, lock, place));
DEFINE_TRACE(ledger_granted, TP_PROTO(struct ledger_resource *res, struct ledger_lock *lock, short place),
	     TP_ARGS(res, lock, place));

static struct ledger_space space = { .name = "main" };
static noinline void settle(void) { asm volatile("" : : : "memory"); }

static inline unsigned int ledger_hash(const char *name)
{
	unsigned int hash = 0;

	while (*name)
		hash = hash * 31 + *name++;
	return hash % BUCKETS;
}

static __always_inline bool ledger_compatible(const struct ledger_resource *res, enum ledger_mode mode)
{
	struct ledger_lock *lock;

	list_for_each_entry(lock, &res->granted, link)
		if (lock->mode + mode > LEDGER_EXCLUSIVE)
			return false;
	return true;
}

static noinline struct ledger_resource *ledger_find(struct ledger_space *sp, const char *name)
{
	struct hlist_head *head = &sp->bucket[ledger_hash(name)];
	struct ledger_resource *res;

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

static noinline int ledger_grant(struct ledger_resource *res, struct ledger_lock *lock)
{
	settle();
	list_add_tail(&lock->link, &res->granted);
	trace_ledger_granted(res, lock, -res->n_granted);
	return ++res->n_granted;
}

static noinline int ledger_wait(struct ledger_resource *res, struct ledger_lock *lock)
{
	settle();
	list_add_tail(&lock->link, &res->waiting);
	return ++res->n_waiting;
}

/* The statements that are probed have a mark at the end of their line. */
noinline long ledger_request(struct ledger_space *sp, const char *name, int owner, enum ledger_mode mode)
{
	struct ledger_resource *res = ledger_find(sp, name);
	struct ledger_lock *lock;
	long cost = owner * 100 + mode, queued;

	if (!res)
		goto out;
	settle();                                                  /* mark: counted */
	lock = kzalloc(sizeof(*lock), GFP_KERNEL);
	if (!lock)
		goto out;
	lock->owner = owner;
	lock->mode = mode;
	if (ledger_compatible(res, mode)) {
		queued = ledger_grant(res, lock);
	} else {
		long penalty = cost * 2;

		settle();                                          /* mark: penalty */
		queued = ledger_wait(res, lock) + penalty;
	}
	cost += queued;
	settle();                                                  /* mark: sum */
out:
	settle();
	return cost;
}
EXPORT_SYMBOL_GPL(ledger_request);

/* ledger_grant() has another caller, too. */
static noinline int ledger_promote(struct ledger_resource *res)
{
	struct ledger_lock *lock = list_first_entry_or_null(&res->waiting, struct ledger_lock, link);

	if (!lock)
		return -ENOENT;
	list_del(&lock->link);
	res->n_waiting--;
	return ledger_grant(res, lock) + 1000;
}

static noinline void ledger_report(struct ledger_space *sp, struct ledger_resource *res)
{
	settle();
	pr_info("ledger: %s/%s granted %d waiting %d\n", sp->name, res->name, res->n_granted, res->n_waiting);
}

static noinline void ledger_clear(struct list_head *list)
{
	struct ledger_lock *lock, *next;

	list_for_each_entry_safe(lock, next, list, link)
		kfree(lock);
}

static noinline void ledger_play(void)
{
	struct ledger_resource *res;
	struct hlist_node *next;
	long sum = 0;
	int i;

	sum += ledger_request(&space, "alpha", 1, LEDGER_SHARED);
	sum += ledger_request(&space, "alpha", 2, LEDGER_SHARED);
	sum += ledger_request(&space, "beta", 3, LEDGER_EXCLUSIVE);
	sum += ledger_request(&space, "alpha", 4, LEDGER_EXCLUSIVE);
	sum += ledger_request(&space, "alpha", 5, LEDGER_UPDATE);
	sum += ledger_request(&space, "alpha", 6, LEDGER_EXCLUSIVE);
	sum += ledger_request(&space, "beta", 7, LEDGER_SHARED);
	ledger_report(&space, ledger_find(&space, "alpha"));
	ledger_promote(ledger_find(&space, "beta"));
	ledger_report(&space, ledger_find(&space, "beta"));
	pr_info("ledger: sum %ld\n", sum);
	for (i = 0; i < BUCKETS; i++)
		hlist_for_each_entry_safe(res, next, &space.bucket[i], chain) {
			ledger_clear(&res->granted);
			ledger_clear(&res->waiting);
			hlist_del(&res->chain);
			kfree(res);
		}
	space.n_resources = 0;
}

static int go_set(const char *text, const struct kernel_param *p)
{
	ledger_play();
	return 0;
}

static const struct kernel_param_ops go_ops = { .set = go_set };
module_param_cb(go, &go_ops, NULL, 0200);

static int __init ledger_init(void)
{
	return 0;
}

static void __exit ledger_exit(void)
{
}

module_init(ledger_init);
module_exit(ledger_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A resource table for the tests of statements and lists");
