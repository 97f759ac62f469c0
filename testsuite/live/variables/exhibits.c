// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Types that are harder to print than those of zoo.h, as a kernel module (writing to its parameter "show" shows them)
 * and as a program. Each records its values as text, which the tests compare with the output of a probe.
 */
#ifdef MODULE
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/list.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#define noinline __attribute__((noinline, noclone))
struct list_head { struct list_head *next, *prev; };
#endif

enum exhibit_state { EXHIBIT_SICK = -1, EXHIBIT_WELL, EXHIBIT_ASLEEP = 3 };
typedef const volatile unsigned short exhibit_count;
typedef int (*exhibit_act)(int);

struct packed { char c; int i; long l; } __attribute__((packed));
struct node { int value; struct list_head link; };

struct exhibit {
	enum exhibit_state state : 3;
	bool open : 1, hungry : 1;
	signed long long offset : 50;
	unsigned long long : 0;
	unsigned long long all : 64;
	unsigned char nibble : 4;
	enum exhibit_state states[3];
	char names[2][4];
	const char *keepers[2];
	bool days[4];
	short cube[2][2][2];
	struct packed odd[2];
	union { struct { int x; union { int y; unsigned char z[4]; }; }; long xy; };
	struct { struct { struct { int deep; } c; } b; } a;
	exhibit_act acts[2];
	exhibit_count count;
	int *link;
	void **handle;
	struct list_head nodes;
#ifndef MODULE
	float weight, weights[2];
	double price;
#endif
	int empty[0];
	struct packed tail[];
};

static int act(int n) { return n + 1; }

static struct node nodes[3];
static union { struct exhibit e; char room[sizeof(struct exhibit) + 3 * sizeof(struct packed)]; } hall;
static int answer = 42;
static void *handles[] = { &answer };
#ifdef MODULE
DEFINE_PER_CPU(struct packed, exhibit_visits);
DEFINE_PER_CPU(long [3], exhibit_days);
#endif

static struct exhibit *build(void)
{
	struct exhibit *e = &hall.e;
	int i;

	e->state = EXHIBIT_SICK, e->open = 1, e->offset = -123456789012345LL, e->all = ~5ULL, e->nibble = 13;
	e->states[0] = EXHIBIT_ASLEEP, e->states[2] = EXHIBIT_SICK;
	__builtin_memcpy(e->names, "abcdxy\0\t", 8);
	e->keepers[0] = "Ann\t\"A\"\\", e->keepers[1] = NULL;
	e->days[1] = e->days[3] = true;
	for (i = 0; i < 8; i++)
		e->cube[i / 4][i / 2 % 2][i % 2] = 100 - 50 * i;
	for (i = 0; i < 2; i++)
		e->odd[i] = (struct packed){ 'p' + i, -70000 - i, 1L << (40 + i) };
	e->x = 7, e->y = -2, e->a.b.c.deep = 99;
	e->acts[0] = act;
	*(unsigned short *)&e->count = 65535;
	e->link = &answer, e->handle = handles;
	e->nodes.next = e->nodes.prev = &e->nodes;
	for (i = 0; i < 3; i++) {
		nodes[i].value = 10 * i + 1;
		nodes[i].link.prev = e->nodes.prev, nodes[i].link.next = &e->nodes;
		e->nodes.prev->next = &nodes[i].link, e->nodes.prev = &nodes[i].link;
	}
#ifndef MODULE
	e->weight = 2.5f, e->weights[1] = -0.125f, e->price = 1e100;
#endif
	for (i = 0; i < 3; i++)
		e->tail[i] = (struct packed){ 'x' + i, i, -i };
	return e;
}

/* Prints one line for each, in the format of exhibits.stp. */
static int record(char *out, size_t room, const struct exhibit *e)
{
	int n = 0, i;
#define SAY(...) n += snprintf(out + n, room - n, __VA_ARGS__)
	SAY("bits %d %d %d %lld %llu %d\n", e->state, e->open, e->hungry, (long long)e->offset, (unsigned long long)e->all,
	    e->nibble);
	SAY("states %d %d %d\n", e->states[0], e->states[1], e->states[2]);
	SAY("names \"%.4s\" \"%.4s\" %d %d\n", e->names[0], e->names[1], e->names[0][3], e->names[1][3]);
	SAY("keepers Ann\t\"A\"\\ \"Ann\\t\\\"A\\\"\\\\\" 0x0 %d\n", e->keepers[1] == NULL);
	SAY("days %d %d %d %d\n", e->days[0], e->days[1], e->days[2], e->days[3]);
	SAY("cube");
	for (i = 0; i < 8; i++)
		SAY(" %d", e->cube[i / 4][i / 2 % 2][i % 2]);
	SAY("\nodd {.c='%c', .i=%d, .l=%ld} %d %ld\n", e->odd[1].c, e->odd[1].i, e->odd[1].l, e->odd[0].i, e->odd[0].l);
	SAY("xy %d %d %d %ld\n", e->x, e->y, e->z[3], e->xy);
	SAY("deep %d {.b={.c={.deep=%d}}} {.c={.deep=%d}}\n", e->a.b.c.deep, e->a.b.c.deep, e->a.b.c.deep);
	SAY("acts %d %d\n", e->acts[0] == act, e->acts[1] == NULL);
	SAY("count %d link %d %d handle %d\n", e->count, *e->link, e->link[0], *(int *)e->handle[0]);
	SAY("nodes");
	for (i = 0; i < 3; i++)
		SAY(" %d", nodes[i].value);
	SAY(" %d\n", nodes[2].value);
	SAY("tail %c %d %ld %d\n", e->tail[2].c, e->tail[2].i, e->tail[2].l, (int)sizeof(struct exhibit));
	return n;
}

noinline int exhibit_show(struct exhibit *e, enum exhibit_state how, const char *why, struct packed by_value, bool loud)
{
	struct packed local = { 'L', (int)how * 10, by_value.l };
	const char *volatile text = why;
	int at[2][3] = { { 1, 2, 3 }, { 4, 5, (int)how } };

#ifdef MODULE
	this_cpu_write(exhibit_visits.i, 1234);
	this_cpu_write(exhibit_days[2], -9);
#endif
	__asm__ volatile("" : : "r"(&local), "r"(at), "r"(&text) : "memory");
	at[0][0] = local.i + at[1][2] + e->nibble;                 /* place: all */
	__asm__ volatile("" : : "r"(&local), "r"(at), "r"(loud), "r"(how), "r"(why) : "memory");
	return at[0][0];
}

#ifdef MODULE
static int show_set(const char *text, const struct kernel_param *p)
{
	struct packed by_value = { 'v', 8, 1L << 33 };

	exhibit_show(build(), EXHIBIT_ASLEEP, "because", by_value, true);
	return 0;
}

static int show_get(char *buffer, const struct kernel_param *p)
{
	return record(buffer, 4096, &hall.e);
}

static const struct kernel_param_ops show_ops = { .set = show_set, .get = show_get };
module_param_cb(show, &show_ops, NULL, 0600);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Types that are hard to print, with known values");
#else
int main(void)
{
	struct packed by_value = { 'v', 8, 1L << 33 };
	static char buffer[4096];

	record(buffer, sizeof(buffer), build());
	fputs(buffer, stdout);
	fflush(stdout);
	return exhibit_show(&hall.e, EXHIBIT_ASLEEP, "because", by_value, true) == 0;
}
#endif
