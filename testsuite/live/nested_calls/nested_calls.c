// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions with known callers: level_1 is called by level_2, and that by level_3, which is called by go_set in
 * a process, by soft in a softirq, by hard in an interrupt. `go` is the time in microseconds for which level_1
 * occupies its processor. */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>

static __attribute__((noipa)) int level_1(int us)
{
	int n = 2 * us;

	kfree(kmalloc(8192, GFP_ATOMIC));
	n++;                               /* place: level_1 */
	WRITE_ONCE(panic_timeout, READ_ONCE(panic_timeout));   /* a variable with a watchpoint */
	udelay(us);
	asm volatile("" : "+r" (n));
	return n;
}

static __attribute__((noipa)) int level_2(int us)
{
	int n = level_1(us);

	asm volatile("" : "+r" (n));
	return n + 1;
}

static __attribute__((noipa)) int level_3(int us)
{
	int n = level_2(us);

	asm volatile("" : "+r" (n));
	return n + 1;
}

static __attribute__((noipa)) void soft(struct tasklet_struct *t)
{
	int n = level_3(20);

	asm volatile("" : "+r" (n));
}
static DECLARE_TASKLET(softly, soft);

static __attribute__((noipa)) void hard(struct irq_work *w)
{
	int n = level_3(20);

	asm volatile("" : "+r" (n));
}
static struct irq_work hardly;

static int go_set(const char *text, const struct kernel_param *p)
{
	int us, err = kstrtoint(text, 0, &us);

	if (!err)
		level_3(us);
	if (!err) {
		init_irq_work(&hardly, hard);
		irq_work_queue(&hardly);
		irq_work_sync(&hardly);
		tasklet_schedule(&softly);
	}
	return err;
}

static const struct kernel_param_ops go_ops = { .set = go_set };
module_param_cb(go, &go_ops, NULL, 0200);
static void nested_calls_exit(void)
{
	tasklet_kill(&softly);
}
module_exit(nested_calls_exit);
MODULE_LICENSE("GPL");
