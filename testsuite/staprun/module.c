// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of a .ko that the loader reads: the name in .modinfo and in struct module, the release, the rights.
const char info[] __attribute__((section(".modinfo"))) =
	"license=GPL\0name=stap_0123456789abcdef0123\0vermagic=" RELEASE " SMP mod_unload \0stap_privilege=stapusr"
	"\0stap_kernel_build_id=ab62636465666768696a6b6c6d6e6f7071727374";

// Another section of this name precedes it. The kernel (6.1) ignores it, since it is not loaded.
#ifdef TWO_STRUCTS
__asm__(".section .gnu.linkonce.this_module, \"\", @progbits, unique, 1\n"
	".zero 24\n.ascii \"stap_0123456789abcdef0123\"\n.zero 631\n.text");
#define NAME "another"
#else
#define NAME "stap_0123456789abcdef0123"
#endif

struct {
	int state;
	void *list[2];
	char name[56];
	char rest[600];
} this_module __attribute__((section(".gnu.linkonce.this_module"))) = {
	.name = NAME,
};
