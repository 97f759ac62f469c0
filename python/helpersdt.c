// SPDX-License-Identifier: GPL-2.0-or-later
// What probes of functions in Python are probes of. HelperSDT.py calls these when a function begins and when it
// ends; it says what an event is. They are empty, and not the same: the compiler must not fold them.

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
