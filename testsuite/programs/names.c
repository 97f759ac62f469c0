// SPDX-License-Identifier: GPL-2.0-or-later
// Repeatedly runs code on which every kind of probe can be placed, until it is killed: code of the program, of a
// library (-DLIBRARY) and of the vDSO.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
#include <sys/sdt.h>

#define KEPT __attribute__((noinline, noclone))
#ifdef LIBRARY
#define INSIDE library_inside
#define OUTSIDE library_outside
#else
#define INSIDE inside
#define OUTSIDE outside
#endif

static volatile int total;

static inline __attribute__((always_inline)) int expanded(int n)
{
	total += n;
	return total * 3;
}

static KEPT int INSIDE(int n)
{
	total += n;
	STAP_PROBE1(names, here, n);
	return total;
}

KEPT int OUTSIDE(int n)
{
	int got = INSIDE(n) + expanded(n);

	total += getppid();
	return got;
}

#ifndef LIBRARY
int library_outside(int n);
int set = 5, zeroed[5000];

KEPT int kernels(void *address)
{
	zeroed[0] += set;
	__asm__ volatile("" : "+r"(address));
	return address != NULL;
}

static KEPT void spin(void)
{
	for (long i = 0; i < 10000000; i++)
		__asm__ volatile("");
}

int main(void)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	char *address = dlsym(vdso, "__vdso_getcpu");

	for (;;) {
		total += outside(1) + library_outside(2) + kernels(address + 1);
		spin();
	}
}
#endif
