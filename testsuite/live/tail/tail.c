// SPDX-License-Identifier: GPL-2.0-or-later
// A module whose last function ends with a jump: with TAIL_SKIP or without it at an odd address.
#include <linux/module.h>
#include <linux/moduleparam.h>

int tail_sum;

static noinline int tail_first(int x)
{
	tail_sum += x;
	barrier();
	return tail_sum;
}

static noinline int tail_last(int x);

static int tail_go(const char *text, const struct kernel_param *p)
{
	return tail_last(text[0] - '0') < 0;
}

static const struct kernel_param_ops tail_ops = { .set = tail_go };
module_param_cb(go, &tail_ops, NULL, 0200);

static int tail_init(void)
{
	return 0;
}

static void tail_exit(void)
{
}

module_init(tail_init);
module_exit(tail_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A last function at the end of the code");

static noinline int tail_last(int x)
{
	tail_sum += 2;
	barrier();
	asm volatile(TAIL_SKIP);
	x += tail_sum;                                          // a statement
	barrier();
	return tail_first(x);
}
