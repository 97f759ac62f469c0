// SPDX-License-Identifier: GPL-2.0-or-later
/* A module with known values: writing to its parameter "visit" calls zoo_visit() and zoo_count(). */
#include <linux/module.h>
#include <linux/percpu.h>
#include "zoo.h"

int zoo_open = 42;
static int zoo_hidden = 4242;
static const char zoo_sign[] = "open daily";
static struct zoo_cage zoo_gate = { .width = 3, .height = 4 };
DEFINE_PER_CPU(int, zoo_per_cpu) = 5;
static long seen;

/* Values that probes read: in registers, in memory, static variables of the file. */
noinline long zoo_visit(struct zoo *z, int people, unsigned char child)
{
	static int zoo_visits = 7;

	zoo_visits++;
	seen += z->number + people + child + zoo_hidden + zoo_gate.width + zoo_sign[0] + zoo_open;
	this_cpu_inc(zoo_per_cpu);
	asm volatile("" : : : "memory");
	return people + child;
}

struct zoo_pair { long a; int b; };

noinline void zoo_use(const void *p)
{
	asm volatile("" : : "r" (p) : "memory");
}

noinline long zoo_step(long n)
{
	asm volatile("" : "+r" (n) : : "memory", "rdi", "rsi");
	return 3 * n;
}

/* Variables in the frame, in several registers, in no location; parameters whose registers are reused. */
noinline long zoo_places(struct zoo_pair pair, long count, unsigned char kind, long seventh)
{
	char text[16] = "in the frame";
	struct zoo_pair local = { count * 2, kind };
	const long fixed = 12345;
	long sum = 0, i;
	int *hidden = &zoo_hidden;

	zoo_use(text);
	for (i = 0; i < count; i++) {
		sum += zoo_step(i);                        /* place: loop */
		local.a += i;
	}
	zoo_use(&sum);
	sum += zoo_step(local.a) + zoo_step(*hidden + fixed);      /* place: sum */
	sum += zoo_step(local.b) + zoo_step(pair.a) + pair.b + seventh;    /* place: end */
	return sum + kind + text[2];
}

static int visit_set(const char *text, const struct kernel_param *p)
{
	struct zoo *z = zoo_make();
	long r = zoo_visit(z, 1000, 50);
	struct zoo_pair pair = { 71, -72 };

	seen += zoo_places(pair, 4, 200, 7777);

	pr_info("zoo: visit %ld number %d five %u minus %d\n", r, z->number, z->bits.five, z->bits.minus);
	return 0;
}

static int visit_get(char *buffer, const struct kernel_param *p)
{
	const struct zoo *z = &zoo_storage.zoo;

	return sprintf(buffer, "%d %d %u %u %d %llx %d %d %d\n", z->number, z->small, z->narrow, z->bits.five, z->bits.minus,
		       (u64)z->bits.wide, z->cages[1].width, zoo_hidden, z->grid[1][2]);
}

static const struct kernel_param_ops visit_ops = { .set = visit_set, .get = visit_get };
module_param_cb(visit, &visit_ops, NULL, 0600);

module_param_named(hidden, zoo_hidden, int, 0600);

static int __init zoo_init(void)
{
	WRITE_ONCE(zoo_gate.next, zoo_make()->cages);
	pr_info("zoo: %s\n", zoo_sign);
	return 0;
}

static void __exit zoo_exit(void)
{
}

module_init(zoo_init);
module_exit(zoo_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Known values for the tests of target variables");
