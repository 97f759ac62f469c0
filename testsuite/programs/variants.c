// SPDX-License-Identifier: GPL-2.0-or-later
// Enums with the debuginfo of Rust's compiler, which is written here since no C compiler generates it. The program
// prints their values.
//   enum Shape { Empty, Circle(u32), Rect { w: u64, h: u16 } }      a number of its own tells which
//   enum Perhaps { None, Some(&u32) }                               the pointer tells: 0 is None
#include <stdio.h>

struct shape { unsigned short which, h; unsigned n; unsigned long w; };
struct perhaps { const unsigned *some; };

int look(const struct shape *s, const struct perhaps *p);

__asm__(".text\nlook:\n\tmovzwl (%rdi), %eax\n\tret\nlook_end:\n"
	".type look, @function\n.size look, look_end - look");

#define ABBREV(number, tag, children, ...) \
	".uleb128 " #number ", " #tag "\n.byte " #children "\n.uleb128 " #__VA_ARGS__ ", 0, 0\n"
#define TEXT(t) ".asciz \"" t "\"\n"
#define REF(label) ".long " #label " - info_start\n"
#define MEMBER(name, type, at) ".uleb128 7\n" TEXT(name) REF(type) ".byte " #at "\n"
#define POINTER(label, to) #label ": .uleb128 8\n.byte 8\n" REF(to)
#define STRUCT(label, name, size) #label ": .uleb128 3\n" TEXT(name) ".byte " #size "\n"
#define BASE(label, name, size) #label ": .uleb128 2\n" TEXT(name) ".byte " #size ", 7\n"
#define PARAMETER(name, type, reg) ".uleb128 10\n" TEXT(name) REF(type) ".uleb128 1\n.byte " #reg "\n"
#define VARIANT(value) ".uleb128 6\n.byte " #value "\n"
#define VARIANT_OF_OTHERS ".uleb128 11\n"
#define NUMBER(label, type) ".uleb128 4\n" REF(label) #label ": .uleb128 5\n" REF(type) ".byte 0\n"
#define END ".uleb128 0\n"

__asm__(".pushsection .debug_abbrev,\"\",@progbits\n"
	ABBREV(1, 0x11, 1, 0x3, 0x8, 0x13, 0xb, 0x11, 0x1, 0x12, 0x7)       // unit: name, language, addresses
	ABBREV(2, 0x24, 0, 0x3, 0x8, 0xb, 0xb, 0x3e, 0xb)                   // base type
	ABBREV(3, 0x13, 1, 0x3, 0x8, 0xb, 0xb)                              // struct
	ABBREV(4, 0x33, 1, 0x15, 0x13)                                      // variant part: the discriminant
	ABBREV(5, 0xd, 0, 0x49, 0x13, 0x38, 0xb)                            // the discriminant
	ABBREV(6, 0x19, 1, 0x16, 0xb)                                       // variant of a value
	ABBREV(7, 0xd, 0, 0x3, 0x8, 0x49, 0x13, 0x38, 0xb)                  // member
	ABBREV(8, 0xf, 0, 0xb, 0xb, 0x49, 0x13)                             // pointer
	ABBREV(9, 0x2e, 1, 0x3, 0x8, 0x11, 0x1, 0x12, 0x7, 0x3f, 0x19)      // function
	ABBREV(10, 0x5, 0, 0x3, 0x8, 0x49, 0x13, 0x2, 0x18)                 // parameter
	ABBREV(11, 0x19, 1, 0, 0) ".byte 0\n"                               // variant of all other values
	".popsection\n"
	".pushsection .debug_info,\"\",@progbits\n"
	"info_start: .long info_end - info_version\ninfo_version: .value 4\n.long .debug_abbrev\n.byte 8\n"
	".uleb128 1\n" TEXT("variants.c") ".byte 0x1c\n.quad look, look_end - look\n"
	BASE(u16, "u16", 2) BASE(u32, "u32", 4) BASE(u64, "u64", 8) POINTER(ref, u32)
	STRUCT(empty, "Empty", 16) END
	STRUCT(circle, "Circle", 16) MEMBER("__0", u32, 4) END
	STRUCT(rect, "Rect", 16) MEMBER("w", u64, 8) MEMBER("h", u16, 2) END
	STRUCT(shape_type, "Shape", 16) NUMBER(which, u16)
	VARIANT(0) MEMBER("Empty", empty, 0) END
	VARIANT(1) MEMBER("Circle", circle, 0) END
	VARIANT(2) MEMBER("Rect", rect, 0) END END END
	STRUCT(none, "None", 8) END
	STRUCT(some, "Some", 8) MEMBER("__0", ref, 0) END
	STRUCT(perhaps_type, "Perhaps", 8) NUMBER(niche, u64)
	VARIANT(0) MEMBER("None", none, 0) END
	VARIANT_OF_OTHERS MEMBER("Some", some, 0) END END END
	POINTER(shape_ref, shape_type) POINTER(perhaps_ref, perhaps_type)
	".uleb128 9\n" TEXT("look") ".quad look, look_end - look\n"
	PARAMETER("s", shape_ref, 0x55) PARAMETER("p", perhaps_ref, 0x54) END END
	"info_end: .popsection\n");

int main(void)
{
	struct shape shapes[] = {
			        { .which = 1, .n = 77 }, { .which = 2, .h = 9, .w = 1UL << 40 }, { .which = 0 }, { .which = 9 } };
	static const char *const names[] = { ".Circle={.__0=77}", ".Rect={.w=1099511627776, .h=9}", ".Empty={}", "?" };
	const unsigned five = 5;

	for (int i = 0; i < 4; i++) {
		struct perhaps p = { i % 2 ? &five : NULL };

		printf("look {%s} {%s} %d\n", names[i], p.some ? ".Some={...}" : ".None={...}", look(&shapes[i], &p) == 2 ? 9 : 0);
	}
	return 0;
}
