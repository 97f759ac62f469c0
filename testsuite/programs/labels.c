// SPDX-License-Identifier: GPL-2.0-or-later
// Labels of assembler code without a type: outside_label is called as a function, inside_label is inside a
// function.
void outside_label(void);
__asm__(".text\n.globl outside_label\noutside_label:\n\tnop\n\tnop\n\tret\n");

__attribute__((noinline)) void typed(void)
{
	__asm__ volatile("nop\n.globl inside_label\ninside_label:\n\tnop\n\tnop");
}

int main(void)
{
	outside_label();
	typed();
	return 0;
}
