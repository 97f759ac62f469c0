// SPDX-License-Identifier: GPL-2.0-or-later
// A module whose last function ends with a jump, whose address is odd either with SKIP or without it.
#include <linux/module.h>
#include <linux/moduleparam.h>

int sum;

static noinline int first(int x)
{
	sum += x;
	barrier();
	return sum;
}

static noinline int last(int x);

static int last_function_go(const char *text, const struct kernel_param *p)
{
	return last(text[0] - '0') < 0;
}

static const struct kernel_param_ops last_function_ops = { .set = last_function_go };
module_param_cb(go, &last_function_ops, NULL, 0200);

static int last_function_init(void)
{
	return 0;
}

static void last_function_exit(void)
{
}

module_init(last_function_init);
module_exit(last_function_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A last function at the end of the code");

static noinline int last(int x)
{
	sum += 2;
	barrier();
	asm volatile(SKIP);
	x += sum;                                          // a statement
	barrier();
	return first(x);
}
