#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The second tier, arm64: Debian's kernels for it (fetch.sh), each feature's smallest script built for them on
# this machine and run in an emulated one, with staprun built for it. Prints a line for each kernel and feature, and
# in the end the table of kernels and features; a run of all of them writes it into doc/kernels-arm64.md. Requires
# qemu-system-arm. QUICKTAP_KERNELS: as in run.sh.
# Usage: arm64.sh [SUITE:SERIES:FLAVOUR...]
set -u
TESTS=$(cd "$(dirname "$0")/.." && pwd)
SOURCE=$(dirname "$TESTS")
BUILD=${BUILD:-$SOURCE}
. "$TESTS/lib.sh"
. "$TESTS/kernels/arm64_kernel.sh"
SCRATCH=$(mktemp -d) && trap 'rm -rf "$SCRATCH"' EXIT
export SYSTEMTAP_DIR=$SCRATCH/home
all=
[ $# -gt 0 ] || { all=1; set -- bookworm:6.1:cloud-arm64 bookworm-backports:6.12:cloud-arm64; }

# name, output, script; PROGRAM is program.c
features() {
	cat <<'END'
hello|hello|probe begin { println("hello") exit() }
timer|1|global n probe timer.ms(5) { n++ } probe end { println(n > 5) }
profile|1|global n probe timer.profile { n++ } probe end { println(n > 0) }
function|1|global n probe kernel.function("vfs_read") { n++ } probe end { println(n > 0) }
parameter|1|global n probe kernel.function("vfs_read") { if ($count > 0) n++ } probe end { println(n > 0) }
return|1|global n probe kernel.function("vfs_read").return { if ($return > 0) n++ } probe end { println(n > 0) }
entry|1|global n probe kernel.function("vfs_read").return { if (@entry($count) >= $return) n++ } probe end { println(n > 0) }
alias|1|global n probe vfs.read { n++ } probe end { println(n > 0) }
tracepoint|1|global n probe kernel.trace("sched_switch") { n++ } probe end { println(n > 0) }
map|1|global a probe kernel.function("vfs_read") { a[execname(), pid()]++ } probe end { foreach ([e, p] in a) if (e == "cat") n += a[e, p] println(n > 0) }
statistics|1|global a probe kernel.function("vfs_read") { a[execname()] <<< $count } probe end { println(@count(a["cat"]) > 0) }
task|1|probe kernel.function("vfs_read") { if (execname() == "cat") { if (task_execname(task_current()) == "cat") n = 1; println(n) exit() } }
backtrace|1|probe kernel.function("vfs_read") { if (backtrace() != "") { println(1) exit() } }
user-string|1|probe kernel.function("vfs_read") { s = user_string($buf, "x") println(1) exit() }
process|1|global n probe process.begin { n++ } probe end { println(n > 0) }
registers|1|probe kernel.function("vfs_read") { if (register("pc") < 0 && int_arg(3) == $count && !user_mode()) { println(1) exit() } }
system-call|1|probe syscall.openat { if (filename == "\"/proc/1/status\"" && isinstr(argstr, "O_RDONLY")) { println(1) exit() } }
system-calls|1|global n probe syscall.*.return { n[name]++ } probe end { println(n["openat"] > 0 && n["read"] > 0) }
callers|1|probe kernel.function("vfs_read") { if (isinstr(sprint_backtrace(), "ksys_read")) { println(1) exit() } }
bad-pointer|bad|probe kernel.function("vfs_read") { println(kernel_string(4096, "bad")) exit() }
uprobe|1|probe process("PROGRAM").function("leaf") { if ($n == 2 && $p->a == 3 && user_string($word) == "word" && user_string($p->name) == "name") { println(1) exit() } }
uprobe-return|1|probe process("PROGRAM").function("leaf").return { println($return > 0 && @entry($n) > 0) exit() }
mark|1|probe process("PROGRAM").mark("mark") { if ($arg1 == 2 && user_string($arg2) == "word") { println(1) exit() } }
linkage-table|1|probe process("PROGRAM").plt("strlen") { println(1) exit() }
user-callers|1|probe process("PROGRAM").function("leaf") { s = sprint_ubacktrace() println(isinstr(s, "middle") && isinstr(s, "main")) exit() }
sysroot|2 word 1|global n probe kernel.function("vfs_read") { n++ } probe process("/usr/bin/program").function("leaf") { if ($n == 2) { printf("%d %s %d\n", $n, user_string($word), n > 0) exit() } }
user-callers-mark|1|probe process("PROGRAM").mark("mark") { s = sprint_ubacktrace() println(isinstr(s, "middle") && isinstr(s, "main")) exit() } probe process("PROGRAM").function("leaf").return { next }
END
}

run_kernel() { # SUITE SERIES FLAVOUR
	local release tree image userland target_cc loader dir name want script kernel
	arm64_kernel "$@" || { skip "kernels/$1-$2-$3" "$(tail -n 1 "$SCRATCH/err")"; return; }
	dir=$SCRATCH/$release
	mkdir -p "$dir" "$dir.out"
	$target_cc -g -O2 -I"$SOURCE/include" -o "$dir/program" "$TESTS/kernels/program.c" || not_ok "kernels/program $release"
	# Makes a root file system: the kernel's packages, a C library, the program.
	mkdir -p "$dir.root/usr/bin"
	cp -al "${tree%/usr/src/*}/." "$userland/." "$dir.root/" 2>"$SCRATCH/err" && cp "$dir/program" "$dir.root/usr/bin/" ||
		not_ok "kernels/root $release" "$(cat "$SCRATCH/err")"
	while IFS='|' read -r name want script; do
		kernel=(-a arm64 -r "$tree")
		[ "$name" != sysroot ] || kernel=("--sysroot=$dir.root")
		(cd "$dir" && "$BUILD/stap" "${kernel[@]}" -p4 -m "t_${name//-/_}" -e "${script//PROGRAM/$dir/program}") \
			>"$dir.out/$name.build" 2>&1 </dev/null
	done < <(features)
	cat >"$dir/all.sh" <<-'END'
		cd /t && mkdir /out
		for m in t_*.ko; do
			timeout 300 staprun -c "sh -c 'cat /proc/1/status; DIR/program >/dev/null; /usr/bin/program >/dev/null; sleep 0.3'" ./$m 2>/out/$m.err | grep -v : >/out/$m.out
			rmmod ${m%.ko} 2>/dev/null
		done
		cd /out && exec tar cf - .
	END
	sed -i "s#DIR#$dir#" "$dir/all.sh"
	"$SOURCE/translator/run/stap-vm" -r "$image" -t 900 -u "$userland" -d "$dir:/t" -f "$loader/staprun:/bin/" -f "$loader/stapio:/bin/" -f "$dir/program:$dir/program" -f "$dir/program:/usr/bin/" \
		-- sh /t/all.sh >"$SCRATCH/tar" 2>"$SCRATCH/err" && ok "kernels/log is clean $release" ||
		not_ok "kernels/log is clean $release" "$(cat "$SCRATCH/err")"
	tar xf "$SCRATCH/tar" -C "$dir.out" 2>/dev/null
	while IFS='|' read -r name want script; do
		if [ "$(head -n 1 "$dir.out/t_${name//-/_}.ko.out" 2>/dev/null)" = "$want" ]; then
			ok "kernels/$name $release"
			echo "$release $name yes" >>"$SCRATCH/table"
		else
			not_ok "kernels/$name $release" "$(grep -hE 'error|ERROR' "$dir.out/$name.build" | head -n 3; cat "$dir.out/t_${name//-/_}.ko.err" "$dir.out/t_${name//-/_}.ko.out" 2>/dev/null | head -n 3)"
			echo "$release $name no" >>"$SCRATCH/table"
		fi
	done < <(features)
}

for kernel; do
	IFS=: read -r suite series flavour <<<"$kernel"
	run_kernel "$suite" "$series" "$flavour"
done
# Rows are features, columns kernels.
table() {
	awk '!($1 in col) { col[$1]; order[++n] = $1 } !($2 in row) { row[$2]; rows[++m] = $2 } { v[$1, $2] = $3 }
	END { printf "| feature |"; for (i = 1; i <= n; i++) printf " %s |", order[i]; printf "\n|---|"; for (i = 1; i <= n; i++) printf "---|"; print ""
		for (j = 1; j <= m; j++) { printf "| %s |", rows[j]; for (i = 1; i <= n; i++) printf " %s |", v[order[i], rows[j]]; print "" } }' "$SCRATCH/table"
}

if [ -e "$SCRATCH/table" ]; then
	table
	[ -z "$all" ] || { printf 'Features that work on arm64, by kernel. The modules are built on x86-64 and run in an emulated machine. This table is made by `make check-kernels`, each feature with the smallest script that needs it.\n\n'; table; } >"$SOURCE/doc/kernels-arm64.md"
fi
