// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that know who called them: rung_1, called by rung_2, by rung_3, by go_set. What go says is how long, in
 * microseconds, rung_1 keeps its processor. */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>

static __attribute__((noipa)) int rung_1(int us)
{
	int n = 2 * us;

	kfree(kmalloc(8192, GFP_KERNEL));
	n++;                               /* place: rung_1 */
	udelay(us);
	asm volatile("" : "+r" (n));
	return n;
}

static __attribute__((noipa)) int rung_2(int us)
{
	int n = rung_1(us);

	asm volatile("" : "+r" (n));
	return n + 1;
}

static __attribute__((noipa)) int rung_3(int us)
{
	int n = rung_2(us);

	asm volatile("" : "+r" (n));
	return n + 1;
}

static int go_set(const char *text, const struct kernel_param *p)
{
	int us, err = kstrtoint(text, 0, &us);

	if (!err)
		rung_3(us);
	return err;
}

static const struct kernel_param_ops go_ops = { .set = go_set };
module_param_cb(go, &go_ops, NULL, 0200);
MODULE_LICENSE("GPL");
