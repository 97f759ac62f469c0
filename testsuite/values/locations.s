# SPDX-License-Identifier: GPL-2.0-or-later
# Locations that compilers seldom make, for the comparison with gdb (values.py): operations of every kind on values of
# the generic type and of others. In `located`, rdi is -7 and rsi 3. `entered` is called with 9 in rbx, which it
# changes; the rule for its old value branches.
	.file 1 "locations.s"
	.text
.Ltext:
	.globl located
	.type located, @function
located:
	.loc 1 9
	nop
	.loc 1 10
	nop
	.loc 1 11
	ret
.Llocated_end:
	.size located, .-located
	.globl entered
	.type entered, @function
entered:
	.cfi_startproc
	.loc 1 14
	movl $5, %ebx
	# DW_CFA_val_expression rbx: lit9 lit1 bra 1 nop
	.cfi_escape 0x16, 3, 6, 0x39, 0x31, 0x28, 1, 0, 0x96
	.loc 1 15
	nop
	.loc 1 16
	nop
	ret
	.cfi_endproc
.Lentered_end:
	.size entered, .-entered
	.globl main
	.type main, @function
main:
	.cfi_startproc
	.loc 1 20
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbx, -16
	movq $-7, %rdi
	movq $3, %rsi
	call located
	.loc 1 22
	movl $9, %ebx
	call entered
.Lentered_returns:
	xorl %eax, %eax
	popq %rbx
	.cfi_adjust_cfa_offset -8
	.loc 1 24
	ret
	.cfi_endproc
.Ltext_end:
	.size main, .-main

	.data
wide:
	.quad 0x1122334455667788, 0x99aabbccddeeff00

	.section .debug_abbrev, "", @progbits
.Labbrev:
	.macro abbrev code, tag, children, attributes:vararg
	.uleb128 \code, \tag
	.byte \children
	.uleb128 \attributes
	.uleb128 0, 0
	.endm
	# name string, language data1, stmt_list sec_offset, low_pc addr, high_pc data8
	abbrev 1, 0x11, 1, 0x03, 0x08, 0x13, 0x0b, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07
	# name string, byte_size data1, encoding data1
	abbrev 2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b
	# name string, decl_file and decl_line data1, low_pc addr, high_pc data8, frame_base exprloc, external and
	# call_all_calls flag_present
	abbrev 3, 0x2e, 1, 0x03, 0x08, 0x3a, 0x0b, 0x3b, 0x0b, 0x11, 0x01, 0x12, 0x07, 0x40, 0x18, 0x3f, 0x19, 0x7a, 0x19
	# name string, type ref4, location exprloc
	abbrev 4, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18
	# call_return_pc addr, call_origin ref4
	abbrev 5, 0x48, 1, 0x7d, 0x01, 0x7f, 0x13
	# location exprloc, call_value exprloc
	abbrev 6, 0x49, 0, 0x02, 0x18, 0x7e, 0x18
	.uleb128 0

	.set abs, 0x19
	.set and, 0x1a
	.set div, 0x1b
	.set minus, 0x1c
	.set mod, 0x1d
	.set mul, 0x1e
	.set neg, 0x1f
	.set not, 0x20
	.set plus, 0x22
	.set shl, 0x24
	.set shr, 0x25
	.set shra, 0x26
	.set xor, 0x27
	.set bra, 0x28
	.set eq, 0x29
	.set ge, 0x2a
	.set gt, 0x2b
	.set le, 0x2c
	.set lt, 0x2d
	.set ne, 0x2e
	.set skip, 0x2f
	.set dup, 0x12
	.set drop, 0x13
	.set over, 0x14
	.set swap, 0x16
	.set rot, 0x17
	.set lit0, 0x30
	.set value, 0x9f
	.set bit_piece, 0x9d
	.set piece, 0x93

	.section .debug_info, "", @progbits
.Linfo:
	.long .Linfo_end - .Lversion
.Lversion:
	.value 5
	.byte 1, 8
	.long .Labbrev
	.uleb128 1
	.string "locations.s"
	.byte 0x0c
	.long .Lline
	.quad .Ltext, .Ltext_end - .Ltext
	.macro base label, name, size, encoding
\label:
	.uleb128 2
	.string "\name"
	.byte \size, \encoding
	.endm
	base .Llong, "long int", 8, 5
	base .Lulong, "long unsigned int", 8, 7
	base .Lint, "int", 4, 5
	base .Luint, "unsigned int", 4, 7
	base .Lshort, "short int", 2, 5
	base .Luchar, "unsigned char", 1, 8

	.uleb128 3
	.string "located"
	.byte 1, 9
	.quad located, .Llocated_end - located
	.uleb128 1
	.byte 0x9c

	# One that is computed: rdi and rsi as `type`, then the operations.
	.macro rdi
	.byte 0x75, 0
	.endm
	.macro rsi
	.byte 0x74, 0
	.endm
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
	.macro end
92:
	.endm
	.macro generic name, ops:vararg
	variable g_\name, .Llong
	rdi
	rsi
	.byte \ops, value
	end
	.endm
	.macro typed name, type, ops:vararg
	variable \name, \type
	rdi
	convert \type
	rsi
	convert \type
	.byte \ops, value
	end
	.endm
	.macro shifted name, type, op      # by a number of the same type, as gdb wants it
	variable \name, \type
	rdi
	convert \type
	.byte lit0 + 3
	convert \type
	.byte \op, value
	end
	.endm
	generic plus, plus
	generic minus, minus
	generic mul, mul
	generic div, div
	generic mod, mod
	generic shl, shl
	generic shr, shr
	generic shra, shra
	generic lt, lt
	generic le, le
	generic gt, gt
	generic ge, ge
	generic eq, eq
	generic ne, ne
	generic abs, drop, abs
	generic neg, drop, neg
	generic not, not, plus
	generic rot, lit0 + 5, rot, minus, mul
	generic over, over, mul, minus
	generic by_zero, dup, minus, div
	.irp type, long, ulong, int, uint, short, uchar
	typed \type\()_plus, .L\type, plus
	typed \type\()_minus, .L\type, minus
	typed \type\()_mul, .L\type, mul
	typed \type\()_div, .L\type, div
	typed \type\()_abs, .L\type, drop, abs
	typed \type\()_neg, .L\type, drop, neg
	shifted \type\()_shl, .L\type, shl
	shifted \type\()_shr, .L\type, shr
	shifted \type\()_shra, .L\type, shra
	typed \type\()_lt, .L\type, lt
	typed \type\()_ge, .L\type, ge
	.endr
	variable undefined_shift, .Llong       # by -16
	rdi
	.byte 0x09, -16, shl, value
	end
	variable undefined_shift_by_rdi, .Llong        # -7
	rsi
	rdi
	.byte shra, value
	end
	variable shifted_by_masked_rdi, .Llong
	rsi
	rdi
	.byte lit0 + 31, and, shl, value
	end
	variable branch_taken, .Llong
	rdi
	.byte lit0, lt, bra, 5, 0
	rsi
	.byte skip, 2, 0
	rdi
	.byte neg, value
	end
	variable branch_not_taken, .Llong
	rsi
	.byte lit0, lt, bra, 5, 0
	rsi
	.byte skip, 2, 0
	rdi
	.byte neg, value
	end
	variable bits, .Luint
	.byte 0x55, bit_piece, 12, 4, 0x54, bit_piece, 20, 0
	end
	variable halves, .Llong
	.byte 0x54, piece, 4, 0x55, piece, 4
	end
	.macro memory
	.byte 3
	.quad wide
	.endm
	variable wide_bits, .Llong     # of nine bytes
	memory
	.byte bit_piece, 62, 6, 0x54, bit_piece, 2, 0
	end
	variable skips_value, .Llong   # so that it is in memory
	memory
	.byte skip, 1, 0, value
	end
	variable typed_constant, .Lint
	.byte 0xa4
	.uleb128 .Lint - .Linfo
	.byte 4
	.long -9
	.byte lit0 + 2
	convert .Lint
	.byte mul, value
	end
	.uleb128 0
.Lentered_die:
	.uleb128 3
	.string "entered"
	.byte 1, 14
	.quad entered, .Lentered_end - entered
	.uleb128 1
	.byte 0x9c
	variable after_entry_value, .Llong
	.byte 0xa3, 1, 0x53, lit0 + 1, plus, value
	end
	variable two_entry_values, .Llong
	.byte 0xa3, 1, 0x55, 0xa3, 1, 0x54, minus, value
	end
	.uleb128 0
	.uleb128 3
	.string "main"
	.byte 1, 20
	.quad main, .Ltext_end - main
	.uleb128 1
	.byte 0x9c
	.uleb128 5
	.quad .Lentered_returns
	.long .Lentered_die - .Linfo
	.uleb128 6
	.uleb128 1
	.byte 0x53
	.uleb128 1
	.byte lit0 + 9
	.uleb128 6             # rdi: const1s -7
	.uleb128 1
	.byte 0x55
	.uleb128 2
	.byte 0x09, -7
	.uleb128 6             # rsi: lit3
	.uleb128 1
	.byte 0x54
	.uleb128 1
	.byte lit0 + 3
	.uleb128 0
	.uleb128 0
	.uleb128 0
.Linfo_end:
	.section .debug_line, "", @progbits
.Lline:
	.section .note.GNU-stack, "", @progbits
