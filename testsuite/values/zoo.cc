// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of C++, for the comparison with gdb (values.py).
#include <cstdint>

#define NOINLINE __attribute__((noinline))
volatile long sink;

namespace shapes {
struct Base { int id; virtual long area() const { return id; } virtual ~Base() {} };
struct Box : Base {
	short width, height; bool open:1; unsigned layers:5; int64_t shift:40;
	Box(short w, short h) : width(w), height(h), open(true), layers(17), shift(-123456789012) { id = w * h; }
	long area() const override { return width * height + sink; }
	NOINLINE long grow(int by, const Box &other)
	{
		long was = area();
		width += by;
		sink = was + other.width;
		layers ^= by;
		return was * by + other.height;
	}
};
enum class Kind : signed char { FLAT = -2, DEEP = 100 };
enum class Colour : uint8_t { DARK = 3, BRIGHT = 200 };       // the underlying type is a typedef
}

namespace virtual_bases {
struct Root { int root; long deep; virtual ~Root() {} };
struct Left : virtual Root { int left; };
struct Middle : Left { short middle; unsigned bits:5; };
struct Right : virtual Root { int right; };
struct Most : Right, Middle { int most; };
}

NOINLINE long from_virtual(virtual_bases::Most *most, virtual_bases::Middle &middle, const virtual_bases::Left *left,
			   virtual_bases::Root *root)
{
	sink = most->deep * 3;
	sink = left->left - root->root;
	return middle.bits;
}

template <class T> NOINLINE T largest(const T *array, int n, shapes::Kind kind)
{
	T best = array[0];

	for (int i = 1; i < n; i++) {
		T here = array[i];
		sink = i;
		if (here > best)
			best = here;
	}
	sink = (long)best + (long)kind;
	return best;
}

NOINLINE long colours(shapes::Colour colour, const shapes::Colour *palette)
{
	long sum = (long)colour;

	sink = sum;
	sum += (long)palette[1];
	sink = sum;
	return sum;
}

NOINLINE long references(int &n, const double &d, shapes::Box box, int64_t *const p)
{
	auto twice = [&](int by) { long inner = n * by; sink = inner; return inner; };
	long sum = twice(3) + (long)d;

	sink = sum;
	n++;
	sum += box.grow(n, shapes::Box(3, 4)) + *p;
	sink = sum;
	return sum;
}

// The frame is aligned, so that clang describes the variables at -O0 relative to the stack pointer.
struct alignas(32) Aligned { int first; short second; };

NOINLINE long aligned(long a, short b, Aligned by_value, const Aligned *pointer, unsigned char c)
{
	Aligned local = by_value;
	long sum = a + b + local.second;

	sink = sum;
	local.first += pointer->first + c;
	sink = local.first;
	return sum + local.first;
}

// Its frame has a dynamic size, too: clang uses a callee-saved register.
NOINLINE long aligned_dynamic(int n, Aligned by_value)
{
	long array[n];

	for (int i = 0; i < n; i++)
		array[i] = i * by_value.first;
	sink = array[n - 1];
	return array[n - 1] + by_value.second;
}

int main(int argc, char **)
{
	double d = argc * 2.5;
	int64_t wide = -5000000000;
	const int ints[] = { 3, -7, 12, argc };
	const float floats[] = { 0.5f, -2.0f, 8.25f };
	const shapes::Colour palette[] = { shapes::Colour::DARK, shapes::Colour::BRIGHT };
	const unsigned long longs[] = { 1, ~0ul, 3 };
	virtual_bases::Most most = {};
	virtual_bases::Middle middle = {};
	const Aligned of_main = { -9, 10 };
	long sum = 0;

	most.root = -77;
	most.deep = 0x123456789abcdef;
	most.left = 78;
	most.middle = -79;
	most.bits = 19;
	most.right = 80;
	most.most = 81;
	middle.deep = -5;
	middle.root = 6;
	for (int round = 0; round < 2; round++) {
		int n = round;

		sum += from_virtual(&most, round ? middle : most, round ? &middle : &most, &most);
		sum += aligned(round - 5, -7, { 12, -34 }, &of_main, 200) + aligned_dynamic(round + 3, { 56, 78 });
		sum += references(n, d, shapes::Box(5 + round, 6), &wide);
		sum += largest(ints, 4, shapes::Kind::FLAT) + largest(longs, 3, shapes::Kind::DEEP);
		sum += colours(shapes::Colour::BRIGHT, palette);
		sum += (long)largest(floats, 3, shapes::Kind::DEEP);
	}
	return sum == 42;
}
