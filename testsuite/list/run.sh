#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# -l, -L, --dump-*: NAME.out for lists without a kernel; patterns for lists of a real kernel.
set -u
. "$TESTS/lib.sh"
cd "$TESTS/list" || exit 1

list() { # NAME STATUS OPTIONS...: golden, with nothing on standard error
	local name=$1 want=$2 status=0
	wanted "$name" || return 0
	shift 2
	"$STAP" --runtime=user -I lib "$@" >"$SCRATCH/out" 2>&1 </dev/null || status=$?
	if [ $status -ne "$want" ]; then
		not_ok "list/$name" "exit status $status, not $want: $(head -n 5 "$SCRATCH/out")"
	else
		golden "list/$name" "$name.out" "$SCRATCH/out"
	fi
}

list begin 0 -l begin
list timers 0 -l 'timer.*'
list wildcard-letter 0 -l 'beg?n, ?nd, list?d.on?*, timer.m?(5)'
list names 0 -l '*'
list number-is-kept 0 -l 'timer.ms(100)'
list aliases 0 -l 'listed.*'
list alias-variables 0 -L 'listed.*'
list alias-variables-json 0 -L 'listed.*' --json
list points-json 0 -l 'timer.ms(100), begin' --json
list several 0 -l 'end, begin, begin, listed.one'
list own-alias 0 -L 'mine' -E 'probe mine = begin { m = "x" } probe end { println(1) }'
list none 1 -l 'no_such.*'
list none-json 1 -l 'no_such.*' --json
list of-bpftrace 1 -l 'tracepoint:sched:*'
list bad-number 1 -l 'timer.ms(0)'
list not-a-point 1 -l 'begin('
list probe-types 0 --dump-probe-types
list points-f-json 0 -l 'timer.ms(100), begin' -f json

# outputs NAME STATUS TEXT OPTIONS...: the output contains TEXT, a pattern for a whole line; -TEXT: it does not.
outputs() {
	local name=$1 want=$2 text=$3 status=0 found=0
	wanted "$name" || return 0
	shift 3
	"$STAP" -I lib "$@" >"$SCRATCH/out" 2>&1 </dev/null || status=$?
	grep -qxE -- "${text#-}" "$SCRATCH/out" || found=1
	[ "$text" = "${text#-}" ] || found=$((1 - found))
	if [ $status -ne "$want" ] || [ $found -ne 0 ]; then
		not_ok "list/$name" "status $status, lines '$text': $(head -n 8 "$SCRATCH/out")"
	else
		ok "list/$name"
	fi
}

# The --dump lists as JSON contain the same names as the lists as text.
dumps_agree() {
	local dump
	for dump in types aliases functions; do
		"$STAP" -I lib "--dump-${dump/#[ta]/probe-${dump:0:1}}" >"$SCRATCH/dump" 2>&1
		"$STAP" -I lib --json "--dump-${dump/#[ta]/probe-${dump:0:1}}" >"$SCRATCH/dump.json" 2>&1
		python3 - "$SCRATCH/dump" "$SCRATCH/dump.json" <<-'END'
			import json, sys
			def text(o):
			    if "function" in o:
			        return "%s:%s (%s)%s" % (o["function"], o["type"], ", ".join(p["name"] + ":" + p["type"] for p in o["parameters"]),
			                                 "".join(" /* %s */" % t for t in o["tags"]))
			    return o.get("point") or o["alias"] + (" = " + ", ".join(o["points"]) if "points" in o else "")
			lines = open(sys.argv[1]).read().splitlines()
			wrong = set(map(text, json.load(open(sys.argv[2])))) ^ set(lines)
			print("\n".join(sorted(wrong)[:5]) if lines else "no lines", end="")
		END
	done
}
if wanted dump-json; then
	wrong=$(dumps_agree)
	[ -z "$wrong" ] && ok list/dump-json || not_ok list/dump-json "$wrong"
fi
outputs format-of-list 1 'stap: -f, --output and --record cannot be used with -l, .*' -f csv -l begin

outputs longer-points 0 'perf\.type\(number\)\.config\(number\)' -l 'perf.*'
outputs reason-similar 1 'stap: nothing found: probe point mismatch: timr\.ms\(1\) \(similar: timer\.ms\(number\).*' --runtime=user -l 'timr.ms(1)'
outputs reason-file 1 'stap: nothing found: file "/no/such" not found.*' -l 'process("/no/such").function("*")'
outputs errors-at-vv 1 'semantic error: .*timer interval 0.*' --runtime=user -vv -l 'timer.ms(0)'
outputs similar-to-wildcard 1 'stap: nothing found: .*timr\.\* \(similar: timer\..*' -l 'timr.*'
outputs similar-to-wildcard-in-name 1 'stap: nothing found: .*perf\.sw\.cpuclok\* \(similar: perf\.sw\.cpu_clock.*' -l 'perf.sw.cpuclok*'
outputs similar-to-wildcard-suffix 1 'stap: nothing found: .* \(similar: syscall\.open\.return, .*' -l 'syscall.opn*.return'
outputs similar-to-nothing 1 'stap: nothing found: .*nosuch\.\*' -l 'nosuch.*'
outputs longer-than-wildcard 0 'procfs\(string\)\.read' -l 'procfs*'
outputs longer-aliases 0 'vfs\.read' -l 'vfs*'
outputs function-types 0 'list_typed:string \(a:long, b:string\)' --runtime=user --dump-functions
outputs function-broken 0 'list_broken:.* \(a:.*\)' --runtime=user --dump-functions
outputs function-hidden 0 '-_list_hidden.*' --runtime=user --dump-functions
outputs function-hidden-v 0 '_list_hidden:long \(\)' --runtime=user -v --dump-functions
outputs function-private 0 '-list_private.*' --runtime=user -v --dump-functions
outputs function-tags 0 'strlen:long \(.*:string\) .*/\* pure \*/.*' --runtime=user -v --dump-functions
outputs function-guru 0 'list_guru_twice:long \(a:long\) /\* guru \*/' --runtime=user --dump-functions
outputs function-guru-called 0 'list_guru_caller:long \(a:long\) /\* guru \*/' --runtime=user --dump-functions
outputs alias-definition 0 'listed\.two = begin, timer\.s\(9\)\?' --runtime=user --dump-probe-aliases
outputs alias-hidden 0 '-_listed.*' --runtime=user --dump-probe-aliases
outputs alias-hidden-v 0 '_listed\.hidden = begin' --runtime=user -v --dump-probe-aliases
SYSTEMTAP_DIR=/proc/none outputs no-warnings 0 '-WARNING.*' --runtime=user -l begin
SYSTEMTAP_DIR=/proc/none outputs warnings-at-vv 0 'WARNING: .*cache.*' -vv --runtime=user -l begin
outputs list-and-script 1 "stap: -l, -L and -e cannot.*" -e 'probe begin {}' -l begin

# --source: lines of source files that are unchanged since the compilation, were moved, or were replaced by others.
mkdir -p "$SCRATCH/made/sub/obj" "$SCRATCH/moved"
printf 'static int twice(int n)\n{\n\treturn 2 * n; // \033[31m\n}\nint main(int c, char **v)\n{\n\treturn twice(c);\n}\n' >"$SCRATCH/made/sub/a.c"
(cd "$SCRATCH/made/sub/obj" && gcc -g -O0 -o "$SCRATCH/sourced" ../a.c)
sourced=(-L "process(\"$SCRATCH/sourced\").statement(\"*@a.c:*\")")
outputs source-line 0 ' {7}7  return twice\(c\);' "${sourced[@]}" --source
outputs source-is-printable 0 ' {7}3  return 2 \* n; // \?\[31m' "${sourced[@]}" --source
outputs source-as-json 0 '.*twice@a\.c:3.* "source": \{"file": "a\.c", "line": 3, "text": "return 2 \* n; // \?\[31m"\}\}.*' "${sourced[@]}" --source --json
outputs source-only-with-option 0 '- .*' "${sourced[@]}"
mv "$SCRATCH/made/sub/a.c" "$SCRATCH/moved/a.c"
outputs source-missing 0 "stap: source lines of ([0-9]+) of \\1 points not found, such as line 6 of a\\.c, compiled in $SCRATCH/made/sub/obj; .*--source=DIR" \
	"${sourced[@]}" --source
outputs source-moved 0 ' {7}7  return twice\(c\);' "${sourced[@]}" --source="$SCRATCH/moved"
mkfifo "$SCRATCH/made/sub/a.c"
outputs source-is-a-pipe 0 'stap: source lines of .* not found.*' "${sourced[@]}" --source
rm "$SCRATCH/made/sub/a.c"
echo 'int shorter;' >"$SCRATCH/made/sub/a.c"
outputs source-is-shorter 0 'stap: source lines of .* not found, such as line [2-8] of .*' "${sourced[@]}" --source
outputs source-of-nothing 0 'stap: no source lines: .*' --runtime=user -L begin --source
outputs source-without-L 1 'stap: --source is for -L.*' --runtime=user -l begin --source
outputs source-empty 1 'stap: --source takes a directory, or nothing' --runtime=user -L begin --source=

outputs function-marks 0 'strlen:long \(.*:string\) /\* unprivileged \*/' --runtime=user --dump-functions
image=$(printf '%s\n' /boot/vmlinuz-6.1.* | sort -rV | head -n 1)
release=${image#/boot/vmlinuz-}
if [ ! -d "/lib/modules/$release/build" ]; then
	skip "list/kernel-*" "no kernel 6.1 with image and headers is installed"
	exit 0
fi
parameters='\$file:struct file\* \$buf:char\* \$count:size_t \$pos:loff_t\*'
if [ -e "/usr/lib/debug/boot/vmlinux-$release" ]; then
	outputs kernel-line 0 'kernel\.function\("vfs_read@fs/read_write\.c:[0-9]+"\)' -r "$release" -l 'kernel.function("vfs_re*")'
	outputs kernel-variables 0 "kernel\\.function\\(\"vfs_read@fs/read_write\\.c:[0-9]+\"\\) $parameters" \
		-r "$release" -L 'kernel.function("vfs_read")'
	of='the module "isofs" has'
	outputs function-of-module 1 "stap: nothing found: kernel\.function\(\"isofs_readdir\"\) not found: $of this function; use module\(\"isofs\"\)\.function\(\"isofs_readdir\"\)\.return" \
		-r "$release" -l 'kernel.function("isofs_readdir").return'
	outputs function-of-module-in-file 1 ".*$of this function; use module\(\"isofs\"\)\.statement\(\"isofs_readdir@\*:9\"\)" \
		-r "$release" -l 'kernel.statement("isofs_readdir@*:9")'
	outputs functions-of-module 1 ".*$of functions that match; use module\(\"isofs\"\)\.function\(\"isofs_\*\"\)" -r "$release" -l 'kernel.function("isofs_*")'
	outputs function-of-any-module 1 ".*$of this function; use kprobe\.module\(\"isofs\"\)\.function\(\"rock_continue\"\)" \
		-r "$release" -l 'kprobe.function("rock_continue")'
	outputs function-of-other-module 1 ".*$of this function; use module\(\"isofs\"\)\.function\(\"isofs_readdir\"\)" -r "$release" -l 'module("loop").function("isofs_readdir")'
	outputs function-of-kernel 1 '.*the module "loop" has no function "vfs_read", but the kernel has: use kernel\.function\("vfs_read"\)' \
		-r "$release" -l 'module("loop").function("vfs_read")'
	outputs function-misspelt 1 '.*\("vfs_raed"\) not found \(similar: vfs_read, .*' -r "$release" -l 'kernel.function("vfs_raed")'
	outputs kernel-return 0 "kernel\\.function\\(\"vfs_read@fs/read_write\\.c:[0-9]+\"\\)\\.return \\\$return:ssize_t $parameters" \
		-r "$release" -L 'kernel.function("vfs_read").return'
fi

if [ -e "/usr/lib/debug/boot/vmlinux-$release" ] && wanted points; then
	# shellcheck source=/dev/null
	. ./points.sh
fi
if wanted_some memory; then
	# shellcheck source=/dev/null
	. ./memory.sh
fi

# Lists variables in a kernel module. $1: "-btf" if the module has only BTF, otherwise "".
of_module() {
	outputs "module-variables$1" 0 "module\\(\"loop\"\\)\\.function\\(\"lo_ioctl$2\"\\) \\\$bdev:struct block_device\\* .* \\\$arg:long unsigned int.*" \
		-r "$release" -L 'module("loop").function("lo_i*")'
	outputs "module-return$1" 0 "module\\(\"loop\"\\)\\.function\\(\"lo_ioctl$2\"\\)\\.return \\\$return:int .*" \
		-r "$release" -L 'module("loop").function("lo_ioctl").return'
}
if [ -e "/usr/lib/debug/lib/modules/$release/kernel/drivers/block/loop.ko" ]; then
	of_module '' '@drivers/block/loop\.c:[0-9]+'
fi
export SYSTEMTAP_DEBUGINFO_PATH=/nonexistent
of_module -btf ''
# The kernel has another function with that name.
outputs module-own-prototype 0 'module\("ib_core"\)\.function\("lid_show"\) \$ibdev:struct ib_device\* .*' \
	-r "$release" -L 'module("ib_core").function("lid_show")'
outputs module-glob 0 'module\("nf_nat"\)\.function\("nf_nat_.*"\)' -r "$release" -l 'module("nf_n*").function("nf_nat_*")'
outputs module-unknown 1 'semantic error: .* has no module "lop" \(similar: loop.*' -vv -r "$release" -l 'module("lop").function("*")'
outputs module-builtin 1 'semantic error: "unix" is part of the kernel.*' -vv -r "$release" -l 'module("unix").function("*")'
outputs module-function-unknown 1 'semantic error: module\("loop"\)\.function\("lo_iocl"\) not found \(similar: lo_ioctl.*' \
	-vv -r "$release" -l 'module("loop").function("lo_iocl")'
outputs kernel-btf 0 "kernel\\.function\\(\"vfs_read\"\\) $parameters" -r "$release" -L 'kernel.function("vfs_read")'
outputs kernel-all 0 'kernel\.function\("do_exit"\)' -r "$release" -l 'kernel.function("*")'
outputs kernel-none 1 'stap: nothing found: kernel\.function\("no_such_function_at_all\*"\) not found' -r "$release" -l 'kernel.function("no_such_function_at_all*")'
# System calls are listed like aliases, with their variables.
outputs syscall-variables 0 'syscall\.openat name:string argstr:string dfd:long dfd_str:string filename:string filename_unquoted:string flags:long flags_str:string mode:long kernel_name:string \$dfd:long \$filename:long .*' \
	-r "$release" -L 'syscall.openat'
outputs syscall-return 0 'nd_syscall\.umask\.return name:string retval:long retstr:string argstr:string kernel_name:string mask:long \$return:long \$mask:long' \
	-r "$release" -L 'nd_syscall.umask.return'
outputs syscall-any 0 'syscall_any\.return name:string syscall_nr:long retval:long .*' -r "$release" -L 'syscall_any.return'
outputs syscall-all 0 'syscall\.compat_futex' -r "$release" -l 'syscall.*'
outputs syscall-other-name 0 '-syscall\.pselect7' -r "$release" -l 'syscall.*'
outputs syscall-other-name-given 0 'syscall\.pselect7' -r "$release" -l 'syscall.pselect7'
outputs syscall-older-names 0 'syscall\.openat2' -r "$release" -l 'kernel.function("sys_open*")'
outputs syscall-older-name 1 'stap: nothing found: kernel\.function\("sys_open"\) not found.*' -r "$release" -l 'kernel.function("sys_open")'
outputs syscall-types 0 '-syscall\..*' --dump-probe-types
outputs syscall-aliases 0 'tp_syscall\.read\.return' --runtime=user --dump-probe-aliases
outputs syscall-argument 1 "semantic error: unable to find \"\\\$fla\" in the system call of .* \(similar: flags.*" \
	-r "$release" -p2 -e 'probe syscall.open { println($fla) }'
# A tapset for a program is in PATH/, below which it has the program's path.
mkdir -p "$SCRATCH/tapset/PATH$SCRATCH/bin" "$SCRATCH/bin"
gcc -o "$SCRATCH/bin/prog" -x c - <<<'int main(void) { return 0; }'
cat >"$SCRATCH/tapset/PATH$SCRATCH/bin/prog.stp" <<'E2'
probe of_program.entry = process.function("main") { x = 1 }
probe of_program.start = process("prog").begin { x = 1 }
probe of_program.any = process.begin { x = 1 }
E2
for point in 'entry process("'"$SCRATCH"'/bin/prog").function("main' 'start process("'"$SCRATCH"'/bin/prog").begin' 'any process.begin'; do
	outputs "tapset-of-program-${point%% *}" 0 "$(sed 's/[][().*"]/\\&/g' <<<"${point#* }").*" -I "$SCRATCH/tapset" -r "$release" -p2 -e "probe of_program.${point%% *} { println(x) }"
done
# A line that stands for two functions has the variables that both have; with -v each function has a line.
outputs kernel-common 0 'listed\.reader file:long name:string \$file:struct file\* \$pos:loff_t\*' -r "$release" -L 'listed.reader'
outputs kernel-each 0 "listed\\.reader file:long name:string $parameters" -r "$release" -v -L 'listed.reader'
outputs kernel-unresolvable 0 '-listed\.gone.*' -r "$release" -l 'listed.*'
