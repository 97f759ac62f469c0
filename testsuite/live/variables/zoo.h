/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every kind of type that a script may read, with known values. The kernel module zoo.c and the
 * program zoo_main.c have the same values.
 */
#ifndef ZOO_H
#define ZOO_H

enum zoo_food { ZOO_HAY, ZOO_MEAT = 7, ZOO_FISH = -2 };
enum zoo_mask { ZOO_LOW = 1, ZOO_HIGH = 0x80000000u };

struct zoo_bits {
	unsigned int one : 1, five : 5, rest : 26;
	int minus : 4, more : 12;
	unsigned long long wide : 40;
	_Bool flag : 1;
};

union zoo_either { int number; unsigned char bytes[4]; };

struct zoo_cage { short width, height; struct zoo_cage *next; };

struct zoo {
	char letter;
	signed char small;
	unsigned short narrow;
	int number;
	long long big;
	_Bool yes;
	enum zoo_food food;
	enum zoo_mask mask;
	char name[8];
	const char *title;
	char *nowhere;
	struct zoo_bits bits;
	union zoo_either either;
	union {
		int anonymous;
		struct { short low, high; };
	};
	struct zoo_cage cages[3];
	struct zoo_cage *first;
	struct zoo_cage **table;
	int grid[2][3];
	int (*feed)(struct zoo *z, int amount);
	void *anything;
	unsigned char tail[];
};

static inline int zoo_feed(struct zoo *z, int amount)
{
	return z->number + amount;
}

static struct zoo_cage *zoo_table[2];
static union { struct zoo zoo; char room[sizeof(struct zoo) + 8]; } zoo_storage;

static inline struct zoo *zoo_make(void)
{
	struct zoo *z = &zoo_storage.zoo;
	int i;

	z->letter = 'Z';
	z->small = -3;
	z->narrow = 65000;
	z->number = -123456;
	z->big = 1234567890123LL;
	z->yes = 1;
	z->food = ZOO_FISH;
	z->mask = ZOO_HIGH;
	__builtin_memcpy(z->name, "li\"on", 6);
	z->title = "the \\ zoo\n";
	z->nowhere = (char *)16;
	z->bits.one = 1;
	z->bits.five = 21;
	z->bits.rest = 0x2345678;
	z->bits.minus = -7;
	z->bits.more = 1000;
	z->bits.wide = 0x9876543210ULL;
	z->bits.flag = 1;
	z->either.number = 0x01020304;
	z->low = 11;
	z->high = 22;
	for (i = 0; i < 3; i++) {
		z->cages[i].width = (short)(10 + i);
		z->cages[i].height = (short)(-20 - i);
		z->cages[i].next = i < 2 ? &z->cages[i + 1] : 0;
	}
	z->first = z->cages;
	zoo_table[0] = &z->cages[2];
	zoo_table[1] = &z->cages[1];
	z->table = zoo_table;
	for (i = 0; i < 6; i++)
		z->grid[i / 3][i % 3] = 100 * (i / 3) + i % 3;
	z->feed = zoo_feed;
	z->anything = z;
	z->tail[0] = 200;
	z->tail[1] = 201;
	return z;
}

#endif
