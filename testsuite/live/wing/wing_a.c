// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions in sections of their own, and of one name in two files: each notes what a probe there should see. */
#include <linux/module.h>
#include "wing.h"

char wing_record[2048];

noinline void wing_note(const char *name, int number)
{
	size_t at = strlen(wing_record);

	snprintf(wing_record + at, sizeof(wing_record) - at, "%s %d\n", name, number);
}

static noinline int twin(int n)
{
	wing_note("twin a", n);
	return n + 1;                      /* place: twin a */
}

static __cold noinline int cold_twin(int n)
{
	wing_note("cold_twin a", n);
	return n + 2;                      /* place: cold_twin a */
}

noinline __section(".text.wing") int own(int n)
{
	int twice = 2 * n;

	wing_note("own", n);
	twice += twin(n);                  /* place: own */
	wing_note("twice", twice);
	return twice;
}

noinline __section("wing") int odd(int n)
{
	wing_note("odd", n);
	return 3 * n;                      /* place: odd */
}

static noinline __init int early(int n)
{
	int square = n * n;

	wing_note("early", n);
	square += wing_b(n);               /* place: early */
	wing_note("square", square);
	return square;
}

static noinline __exit int late(int n)
{
	wing_note("late", n);
	return wing_b(n) + 5;              /* place: late */
}

static int go_set(const char *text, const struct kernel_param *p)
{
	int n = twin(10) + cold_twin(20) + own(30) + odd(40) + wing_b(50);

	wing_note("sum", n);
	return 0;
}

static int go_get(char *buffer, const struct kernel_param *p)
{
	return sprintf(buffer, "%s", wing_record);
}

static const struct kernel_param_ops go_ops = { .set = go_set, .get = go_get };
module_param_cb(go, &go_ops, NULL, 0600);

static int __init wing_init(void)
{
	wing_note("init", early(3));
	return 0;
}

static void __exit wing_exit(void)
{
	wing_note("exit", late(4));
	pr_info("wing: %s\n", wing_record);
}

module_init(wing_init);
module_exit(wing_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Functions in many sections for the tests of probe points");
