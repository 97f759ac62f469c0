// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef BENCHMARK_H
#define BENCHMARK_H

enum { BENCHMARK_THREADS_MAX = 256 };

int benchmark_sdt(unsigned long loops, unsigned long threads); // prints the result; returns the exit status

#endif
