// SPDX-License-Identifier: GPL-2.0-or-later
// The functions that probes of Python functions are placed on. HelperSDT.py calls them when a function begins and when
// it ends, with its struct Event. They are empty, but differ, so that the compiler does not merge them.

void stap_python_call(const void *event);
void stap_python_return(const void *event);

__attribute__((noinline)) void stap_python_call(const void *event)
{
	__asm__ volatile ("/* call */" : : "r" (event) : "memory");
}

__attribute__((noinline)) void stap_python_return(const void *event)
{
	__asm__ volatile ("/* return */" : : "r" (event) : "memory");
}
