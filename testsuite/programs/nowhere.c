// SPDX-License-Identifier: GPL-2.0-or-later
// Variables without a location: constants, bytes that only debuginfo contains, previous values of a register.
// Compiled twice: with ENTRY the function whose location the test then changes.
#ifdef ENTRY
// The location says that the value of rbx at HERE is its value at the entry.
__attribute__((noinline)) long before(long n)
{
	long kept = n * 3;

	__asm__ volatile("" : "+b"(kept) : : "memory");
	__asm__ volatile("nop" : : "b"(kept), "r"(n) : "memory");    // HERE: before
	return kept;
}
#else
long before(long n);
struct both { long first; int second; };

__attribute__((noinline, noclone)) long nowhere(long n)
{
	const long fixed = 12345;
	const double half = 0.5;
	const char word[] = "bytes";
	struct both both = { n + 1, 77 };
	long local = n * 5;
	const long *to = &local;

	__asm__ volatile("" : "+r"(local), "+r"(both.first));
	__asm__ volatile("nop" : : "r"(local), "r"(both.first), "r"(n) : "memory");    // HERE: nowhere
	return local + both.first + *to + (long)half + word[0] + fixed;
}

// Only the callers have `kept`: the return address identifies them.
static __attribute__((noinline, noclone)) long passed(long n, long kept)
{
	long sum = n + kept;

	__asm__ volatile("" : : "r"(sum) : "rdi", "rsi", "memory");
	__asm__ volatile("nop" : : : "memory");                      // HERE: passed
	return n;
}

int main(int argc, char **argv)
{
	long r = 7;
	volatile long other = passed(1, 11) + passed(2, 22);

	__asm__ volatile("movq $4711, %%rbx\n\tcall before"
			 : "+D"(r) : : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory");
	return nowhere(argc) == 0;
}
#endif
