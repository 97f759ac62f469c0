/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that seeds fuzz_debuginfo: small, with every kind of type and of location. */
enum zoo_food { ZOO_HAY, ZOO_FISH = -2 };
union zoo_either { int number; unsigned char bytes[4]; };
typedef struct zoo {
	char letter, name[8];
	const char *title;
	unsigned one : 1, five : 5;
	union zoo_either either;
	union { int anonymous; struct { short low, high; }; };
	struct zoo *next;
	int grid[2][3];
	int (*feed)(struct zoo *);
	enum zoo_food food;
} zoo_t;
struct pair { long a; int b; };

zoo_t *zoo_table[2];
static zoo_t zoo_storage;
__thread int zoo_thread;

static inline int step(struct pair p)
{
	return p.a + p.b;
}

long zoo_visit(zoo_t *z, struct pair p, long n)
{
	struct pair local = { n, 2 };
	const zoo_t *mine = &zoo_storage;
	double price = 2.5;
	long i;

	for (i = 0; i < n; i++)
		local.a += step(p) * z->grid[1][i % 3];
	zoo_table[0] = z;
	zoo_thread++;
	return local.a + mine->food + (long)price;
}

#ifdef MARKS
#include <sys/sdt.h>

long zoo_marked(int n, long *where)
{
	STAP_PROBE3(zoo, marked, n, where, where[3]);
	return zoo_visit((void *)where, (struct pair){ 1, 2 }, n) + n;
}
#endif
