// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions in separate sections, and functions of the same name in two files: each records the values that a
 * probe there should read. */
#include <linux/module.h>
#include "code_sections.h"

char code_sections_record[2048];

noinline void code_sections_note(const char *name, int number)
{
	size_t at = strlen(code_sections_record);

	snprintf(code_sections_record + at, sizeof(code_sections_record) - at, "%s %d\n", name, number);
}

static noinline int twin(int n)
{
	code_sections_note("twin a", n);
	return n + 1;                      /* place: twin a */
}

static __cold noinline int cold_twin(int n)
{
	code_sections_note("cold_twin a", n);
	return n + 2;                      /* place: cold_twin a */
}

noinline __section(".text.code_sections") int own(int n)
{
	int twice = 2 * n;

	code_sections_note("own", n);
	twice += twin(n);                  /* place: own */
	code_sections_note("twice", twice);
	return twice;
}

noinline __section("code_sections") int odd(int n)
{
	code_sections_note("odd", n);
	return 3 * n;                      /* place: odd */
}

static noinline __init int early(int n)
{
	int square = n * n;

	code_sections_note("early", n);
	square += code_sections_b(n);               /* place: early */
	code_sections_note("square", square);
	return square;
}

static noinline __exit int late(int n)
{
	code_sections_note("late", n);
	return code_sections_b(n) + 5;              /* place: late */
}

static int go_set(const char *text, const struct kernel_param *p)
{
	int n = twin(10) + cold_twin(20) + own(30) + odd(40) + code_sections_b(50);

	code_sections_note("sum", n);
	return 0;
}

static int go_get(char *buffer, const struct kernel_param *p)
{
	return sprintf(buffer, "%s", code_sections_record);
}

static const struct kernel_param_ops go_ops = { .set = go_set, .get = go_get };
module_param_cb(go, &go_ops, NULL, 0600);

static int __init code_sections_init(void)
{
	code_sections_note("init", early(3));
	return 0;
}

static void __exit code_sections_exit(void)
{
	code_sections_note("exit", late(4));
	pr_info("code_sections: %s\n", code_sections_record);
}

module_init(code_sections_init);
module_exit(code_sections_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Functions in many sections for the tests of probe points");
