#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds for another machine, arm64, as far as possible without its kernel and its compiler: selection by -a and -r,
# messages about missing parts, kernel images that are not ELF files, registers, system call numbers. `make
# check-kernels` runs modules in such a kernel.
set -u
. "$TESTS/lib.sh"
export TMPDIR=$SCRATCH/tmp
mkdir -p "$TMPDIR"
if [ "$(uname -m)" != x86_64 ]; then
	skip cross "a machine that is not arm64"
	exit
fi

# expect NAME STATUS TEXT COMMAND...: checks the exit status, and that TEXT is in the output.
expect() {
	local name=$1 want=$2 text=$3 status=0
	shift 3
	wanted "$name" || return 0
	"$@" >"$SCRATCH/out" 2>&1 </dev/null || status=$?
	if [ "$status" -eq "$want" ] && [[ $(<"$SCRATCH/out") == *"$text"* ]]; then
		ok "cross/$name"
	else
		not_ok "cross/$name" "status $status, not $want, or lacks '$text': $(head -n 5 "$SCRATCH/out")"
	fi
}

# A build tree as in a package of headers; its make needs a compiler that is not installed.
tree=$SCRATCH/tree
mkdir -p "$tree/include/generated"
echo '#define UTS_RELEASE "6.1.0-cross"' >"$tree/include/generated/utsrelease.h"
: >"$tree/include/generated/autoconf.h"
printf '# comment\nCONFIG_ARM64=y\nCONFIG_64BIT=y\n' >"$tree/.config"
printf '0x0\t_printk\tvmlinux\tEXPORT_SYMBOL\t\n' >"$tree/Module.symvers"
printf 'modules:\n\t@echo $(ARCH)\n\t@$(CROSS_COMPILE)gcc-99\n' >"$tree/Makefile"

# A function of a kernel as BTF describes it, in an image in the format of arm64 boot loaders.
cat >"$SCRATCH/k.c" <<'END'
struct file;
long vfs_read(struct file *file, char *buf, unsigned long count) { return count; }
long vfs_many(long a, long b, long c, long d, long e, long f, long g, long h, long i, int j, char k) { return a; }
END
gcc -gbtf -O2 -c -o "$SCRATCH/k.o" "$SCRATCH/k.c" && objcopy -O binary -j .BTF --set-section-flags .BTF=alloc "$SCRATCH/k.o" "$SCRATCH/btf"
{
	printf 'MZ\0\0\0\0\0\024'          # an instruction without effect; a branch
	head -c 48 /dev/zero
	printf 'ARMd'
	head -c 8132 /dev/zero
	printf '\004\0\0\0\024\0\0\0\003\0\0\0GNU\0abcdefghijklmnopqrst'
	cat "$SCRATCH/btf"
	head -c 4096 /dev/zero
} >"$SCRATCH/Image"
{
	printf 'MZ\0\0zimg\100\0\0\0'      # offset (64) and size of the compressed image
	gzip -c "$SCRATCH/Image" >"$SCRATCH/Image.gz"
	printf '%08x' "$(stat -c %s "$SCRATCH/Image.gz")" | sed 's/\(..\)\(..\)\(..\)\(..\)/\\x\4\\x\3\\x\2\\x\1/' | { read -r len; printf '%b' "$len"; }
	head -c 48 /dev/zero
	cat "$SCRATCH/Image.gz"
} >"$SCRATCH/zboot"

for image in Image Image.gz zboot; do
	cp "$SCRATCH/$image" "$tree/vmlinux"
	expect "$image" 0 'kernel.function("vfs_read") $file:struct file* $buf:char* $count:long unsigned int' \
		"$STAP" -r "$tree" -L 'kernel.function("vfs_read")'
done
begin='probe begin { println("hello") exit() }'
expect registers 0 'stp_reg(c, 16)' "$STAP" -r "$tree" -p3 -e 'probe kernel.function("vfs_read") { println($count) }'
# Arguments after the eighth are on the stack, 8 bytes each.
expect stack-argument 0 'stp_load8(c, stp_reg(c, 248))' "$STAP" -r "$tree" -p3 -e 'probe kernel.function("vfs_many") { println($i) }'
expect stack-argument-last 0 'stp_load1(c, stp_reg(c, 248) + 16)' "$STAP" -r "$tree" -p3 -e 'probe kernel.function("vfs_many") { println($k) }'
expect syscalls 0 '.number = 56' "$STAP" -r "$tree" -p3 -e 'probe syscall.openat { println(name) }'
expect no-such-syscall 1 'syscall' "$STAP" -r "$tree" -p3 -e 'probe syscall.arch_prctl { println(name) }'
expect watchpoint 1 'Linux on arm64 does not continue after the access' "$STAP" -r "$tree" -p2 -e 'probe kernel.data("jiffies").write { println(1) }'
expect watchpoint-of-target 1 'Linux on arm64 does not continue after the access' "$STAP" -r "$tree" -p2 -c true -e 'probe process.data(4096).rw { println(1) }'
expect watchpoint-optional 0 '' "$STAP" -r "$tree" -p3 -e 'probe kernel.data("jiffies").write ?, begin { println(1) }'
expect condition 0 'println("arm64")' "$STAP" -a aarch64 -r "$tree" -p2 -v -e 'probe begin { %( arch == "arm64" %? println("arm64") %: println("other") %) }'
expect compiler-missing 1 "\"aarch64-linux-gnu-gcc-99\", which this kernel's modules are built with, is not installed; install it (on Debian: apt install gcc-99-aarch64-linux-gnu)" \
	"$STAP" -a arm64 -r "$tree" -p4 -e "$begin"
expect compiler-chosen 1 "\"other-gnu-gcc-99\"" "$STAP" -r "$tree" -B CROSS_COMPILE=other-gnu- -p4 -e "$begin"
expect not-run 1 'the module is for arm64, but this host is x86_64: it is built, not run' "$STAP" -r "$tree" -e "$begin"
expect other-machine 1 '-a x86_64: the kernel 6.1.0-cross is for arm64' "$STAP" -a x86_64 -r "$tree" -p4 -e "$begin"
expect unknown-machine 1 "-a takes x86_64 or arm64, not" "$STAP" -a vax -r "$tree" -p4 -e "$begin"
expect headers-missing 1 'apt install linux-headers-1.2.3-none:arm64' "$STAP" -a arm64 -r 1.2.3-none -p4 -e "$begin"
expect user-runtime 1 '-a is not supported with --runtime=user' "$STAP" -a arm64 --runtime=user -e "$begin"

# The loader checks the machine of a module: bytes 18 and 19; 183 is arm64.
if [ "$(id -u)" -eq 0 ]; then
	printf 'asm(".section .modinfo,\\"a\\"\\n.asciz \\"name=foreign\\"\\n.section .gnu.linkonce.this_module,\\"aw\\"\\n.zero 24\\n.asciz \\"foreign\\"\\n.zero 500");\n' >"$SCRATCH/foreign.c"
	gcc -c -o "$SCRATCH/foreign.ko" "$SCRATCH/foreign.c"
	printf '\267' | dd of="$SCRATCH/foreign.ko" bs=1 seek=18 conv=notrunc 2>/dev/null
	expect loader 1 'foreign was built for arm64, but this machine is x86_64' "$BUILD/staprun/staprun" "$SCRATCH/foreign.ko"
else
	skip cross/loader "root"
fi
. "$TESTS/cross/sysroot.sh"
