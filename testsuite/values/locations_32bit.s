# SPDX-License-Identifier: GPL-2.0-or-later
# Locations of a 32-bit program, whose generic values have 32 bits: edi is -7.
	.code32
	.file 1 "locations_32bit.s"
	.text
.Ltext:
	.globl main, _start
	.type main, @function
_start:
main:
	.loc 1 9
	movl $-7, %edi
	.loc 1 11
	nop
	.loc 1 13
	movl $1, %eax
	xorl %ebx, %ebx
	int $0x80
.Ltext_end:
	.size main, .-main

	.section .debug_abbrev, "", @progbits
.Labbrev:
	.macro abbrev code, tag, children, attributes:vararg
	.uleb128 \code, \tag
	.byte \children
	.uleb128 \attributes
	.uleb128 0, 0
	.endm
	# name string, language data1, stmt_list sec_offset, low_pc addr, high_pc data4
	abbrev 1, 0x11, 1, 0x03, 0x08, 0x13, 0x0b, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06
	# name string, byte_size data1, encoding data1
	abbrev 2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b
	# name string, decl_file and decl_line data1, low_pc addr, high_pc data4, frame_base exprloc, external flag_present
	abbrev 3, 0x2e, 1, 0x03, 0x08, 0x3a, 0x0b, 0x3b, 0x0b, 0x11, 0x01, 0x12, 0x06, 0x40, 0x18, 0x3f, 0x19
	# name string, type ref4, location exprloc
	abbrev 4, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18
	.uleb128 0

	.section .debug_info, "", @progbits
.Linfo:
	.long .Linfo_end - .Lversion
.Lversion:
	.value 5
	.byte 1, 4
	.long .Labbrev
	.uleb128 1
	.string "narrow.s"
	.byte 0x0c
	.long .Lline
	.long .Ltext, .Ltext_end - .Ltext
.Lint:
	.uleb128 2
	.string "int"
	.byte 4, 5
.Luint:
	.uleb128 2
	.string "unsigned int"
	.byte 4, 7
.Llong:
	.uleb128 2
	.string "long long int"
	.byte 8, 5
	.uleb128 3
	.string "main"
	.byte 1, 9
	.long main, .Ltext_end - main
	.uleb128 1
	.byte 0x9c

	.set value, 0x9f
	.macro convert type
	.byte 0xa8
	.uleb128 \type - .Linfo
	.endm
	.macro variable name, type
	.uleb128 4
	.string "\name"
	.long \type - .Linfo
	.uleb128 92f - 91f
91:
	.endm
	.macro edi offset
	.byte 0x77, \offset
	.endm
	.macro end
	.byte value
92:
	.endm
	variable kept, .Lint
	edi 0
	end
	variable widened, .Llong       # the sign of the generic type
	edi 0
	convert .Llong
	end
	variable zero_extended, .Llong
	edi 0
	convert .Luint
	convert .Llong
	end
	variable sum, .Llong           # is cut to 32 bits before
	edi 14
	convert .Llong
	end
	variable compared, .Lint       # -7 < 0
	edi 0
	.byte 0x30, 0x2d
	end
	variable long_constant, .Llong
	.byte 0xa4
	.uleb128 .Llong - .Linfo
	.byte 8
	.quad 0x1122334455667788
	end
	.uleb128 0
	.uleb128 0
.Linfo_end:
	.section .debug_line, "", @progbits
.Lline:
	.section .note.GNU-stack, "", @progbits
