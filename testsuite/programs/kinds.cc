// SPDX-License-Identifier: GPL-2.0-or-later
// Uses what C++ has and C lacks, and writes the values of its variables to the file that the first argument names.
#include <cstdio>
#include <cstring>

#define KEPT __attribute__((noinline))
#define HERE(v) __asm__ volatile("" : "+r"(v) :: "memory")
#define HELD(v) __asm__ volatile("nop" :: "r"(v) : "memory")

static FILE *out;
static const char *me;

namespace zoo {

enum class Food : short { hay = 3, fish = -2 };
long visitors = 40;
namespace inner { static int keepers = 7; }

struct Named {
	const char *name;
	unsigned number : 5, open : 1;
};

struct Base {
	long weight;
	static long born;
	virtual ~Base() {}
	virtual int legs() const = 0;
};
long Base::born = 1000;

class Animal : public Base, public Named {
public:
	union { int age; unsigned char bytes[4]; };
	Food food;
	Animal *friends[2];
	int legs() const override;
	KEPT long feed(int amount, const Food &what, Named &by);
	static KEPT int count(const Animal &which, int &&extra);
};

KEPT int Animal::legs() const
{
	fprintf(out, "%s legs %d %ld %s %u\n", me, age, weight, name, number);
	return 4;
}

KEPT long Animal::feed(int amount, const Food &what, Named &by)
{
	long total = weight + amount;

	visitors++;
	born += amount;
	HERE(total);
	fprintf(out, "%s feed %d %d %s %u %d\n", me, amount, (int)what, by.name, by.number, friends[1]->age);
	fprintf(out, "%s fed %ld %ld %ld\n", me, total, visitors, born);
	HELD(total); HELD(amount); HELD(this);    // HERE: fed
	return total;
}

KEPT int Animal::count(const Animal &which, int &&extra)
{
	HERE(extra);
	fprintf(out, "%s count %d %d %u\n", me, which.bytes[0], extra, which.open);
	return which.age + extra;
}

template <class T, int by> struct Pair {
	T one, other;
	KEPT T sum(T more);
};

template <class T, int by> KEPT T Pair<T, by>::sum(T more)
{
	T all = (one + other + more) * by;

	HERE(all);
	fprintf(out, "%s sum %ld %ld\n", me, (long)more, (long)all);
	HELD(more); HELD(all);    // HERE: sum
	return all;
}

}

namespace {
KEPT int unnamed(int n)
{
	HERE(n);
	fprintf(out, "%s unnamed %d %d\n", me, n, zoo::inner::keepers);
	return n + 1;
}
}

int main(int argc, char **argv)
{
	zoo::Animal lion, friend_of;
	zoo::Pair<long, 3> pair = { 10L << 32, argc };
	zoo::Pair<short, -2> small = { -5, (short)argc };
	zoo::Base *base = &lion;
	zoo::Food fish = zoo::Food::fish;
	zoo::Named keeper = { "keeper", 17, 1 };
	int n = argc - 1;

	me = strrchr(argv[0], '/') + 1;
	out = fopen(argv[1], "a");
	lion.weight = 200000000000 * argc;
	lion.name = "lion";
	lion.number = 21;
	lion.open = n;
	lion.age = 300;
	lion.food = zoo::Food::hay;
	lion.friends[0] = lion.friends[1] = &friend_of;
	friend_of.age = 12;
	zoo::inner::keepers += n;
	n = base->legs();
	fprintf(out, "%s legs= %d\n", me, n);
	fprintf(out, "%s feed= %ld\n", me, lion.feed(n, fish, keeper));
	fprintf(out, "%s count= %d\n", me, zoo::Animal::count(lion, n + 3));
	pair.sum(5);
	small.sum(100);
	n = unnamed(n);
	fprintf(out, "%s unnamed= %d %ld\n", me, n, zoo::visitors);
	return fclose(out) != 0;
}
