#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The second tier: kernels of other suites and flavours (fetch.sh), each feature's smallest script built for
# it and run in it. Prints a line a kernel and feature, and in the end the table kernel by feature; a run of all of
# them writes it into doc/kernels.md. SUITE "installed": the newest of the series that this machine has.
# QUICKTAP_KERNELS: where the kernels are kept (default ~/.cache/quicktap/kernels).
# Usage: run.sh [SUITE:SERIES:FLAVOUR...]
set -u
[ -n "${UNSHARED-}" ] || ! unshare -m true 2>/dev/null || UNSHARED=1 exec unshare -m bash "$0" "$@"
TESTS=$(cd "$(dirname "$0")/.." && pwd)
SOURCE=$(dirname "$TESTS")
BUILD=${BUILD:-$SOURCE}
. "$TESTS/lib.sh"
cache=${QUICKTAP_KERNELS:-${XDG_CACHE_HOME:-$HOME/.cache}/quicktap/kernels}
SCRATCH=$(mktemp -d) && trap 'rm -rf "$SCRATCH"' EXIT
export SYSTEMTAP_DIR=$SCRATCH/home
all=
[ $# -gt 0 ] || { all=1; set -- bullseye:5.10:cloud-amd64 installed:6.1:cloud-amd64 bookworm:6.1:rt-amd64 installed:6.12:cloud-amd64 bookworm-backports:6.12:rt-amd64 trixie-backports:7.2:cloud-amd64; }

# name, output, commands that run meanwhile in the guest (default: reads and waits; -x: the target process, -i:
# standard input), script. @P@ is testsuite/programs/known.c as a program.
features() {
	cat <<'END'
hello|hello||probe begin { println("hello") exit() }
timer|1||global n probe timer.ms(5) { n++ } probe end { println(n > 5) }
profile|1||global n probe timer.profile { n++ } probe end { println(n > 0) }
function|1||global n probe kernel.function("vfs_read") { n++ } probe end { println(n > 0) }
kprobe|1||global n probe kprobe.function("vfs_read") { n++ } probe end { println(n > 0) }
parameter|1||global n probe kernel.function("vfs_read") { if ($count > 0) n++ } probe end { println(n > 0) }
members|1||global n probe kernel.function("vfs_read") { if (kernel_string($file->f_path->dentry->d_name->name) == "status") n++ } probe end { println(n > 0) }
BTF only|1||global n probe kernel.function("vfs_read").return { if (@entry($file->f_mode) && $return > 0) n++ } probe end { println(n > 0) }
return|1||global n probe kernel.function("vfs_read").return { if ($return > 0) n++ } probe end { println(n > 0) }
entry|1||global n probe kernel.function("vfs_read").return { if (@entry($count) >= $return) n++ } probe end { println(n > 0) }
alias|1||global n probe vfs.read { n++ } probe end { println(n > 0) }
module|1|cat /dev/loop0|global n probe module("loop").function("lo_release") { n++ } probe end { println(n > 0) }
tracepoint|1||global n probe kernel.trace("sched_switch") { n++ } probe end { println(n > 0) }
tracepoint arguments|1||global n probe kernel.trace("sched_switch") { if ($next->pid > 0 && $prev->prio > 0) n++ } probe end { println(n > 0) }
syscall.*|1||global n probe syscall.* { if (name == "openat" && isinstr(argstr, "/proc/1/status")) n++ } probe end { println(n > 0) }
syscall return|1||global n probe syscall.read.return { if (retval > 0) n++ } probe end { println(n > 0) }
map|1||global a probe kernel.function("vfs_read") { a[execname(), pid()]++ } probe end { foreach ([e, p] in a) if (e == "cat") n += a[e, p] println(n > 0) }
statistics|1||global a probe kernel.function("vfs_read") { a[execname()] <<< $count } probe end { println(@count(a["cat"]) > 0) }
task|1||probe kernel.function("vfs_read") { if (execname() == "cat") { if (task_execname(task_current()) == "cat") n = 1; println(n) exit() } }
backtrace|1||global n probe kernel.function("vfs_read") { if (isinstr(sprint_backtrace(), "ksys_read")) n++ } probe end { println(n > 0) }
user string|1||probe kernel.function("vfs_read") { s = user_string($buf, "x") println(1) exit() }
process|1||global n probe process.begin { n++ } probe end { println(n > 0) }
process function|1|./known|global n probe process("@P@").function("add") { if ($a == 40 && $b > 0) n++ } probe end { println(n > 0) }
process return|1|./known|global n probe process("@P@").function("fib").return { if ($return == 3 && @entry($n) == 4) n++ } probe end { println(n > 0) }
process backtrace|1|./known|global n probe process("@P@").function("add") { if (isinstr(sprint_usyms(ucallers(-1)), "main")) n++ } probe end { println(n > 0) }
perf|1||global n probe perf.type(1).config(0).hz(1000) { n++ } probe end { println(n > 0) }
watchpoint|1|echo 30 >/proc/sys/vm/dirty_ratio|global n probe kernel.data("vm_dirty_ratio").length(4).write { n++ } probe end { println(n > 0) }
netfilter|1|ping -c 1 127.0.0.1|global n probe netfilter.pf("NFPROTO_IPV4").hook("NF_INET_LOCAL_OUT") { if (kernel_string($out->name) == "lo") n++ } probe end { println(n > 0) }
procfs|1|cat /proc/systemtap/t_procfs/x; echo 1 >/proc/systemtap/t_procfs/x|global n, m probe procfs("x").read { $value = "read" n++ } probe procfs("x").write { if ($value == "1\n") m++ } probe end { println(n && m) }
command (-c)|1|cat /proc/1/status|global n probe kernel.function("vfs_read") { if (pid() == target() && execname() != "staprun") n++ } probe end { println(n > 0) }
target (-x)|1|-x|global n probe timer.ms(20) { n++ } probe end { println(target() > 0 && n > 2) }
input|typed|-i|probe input.line { print(line) exit() }
END
}

# The same BPF program on all kernels, built for the newest installed 6.1: it counts, and prints members, which are at
# other offsets in other kernels.
program_row='BPF program built for 6.1' program_output='1 1 1 1 1'
build_program() {
	local for_release
	for_release=$(installed 6.1 2>/dev/null | sed -n 's/^release=//p')
	cat >"$SCRATCH/program.stp" <<-'END'
		global calls, bytes, names, returned, switches, right
		probe kernel.function("vfs_read").call {
			if (pid() != target()) next
			calls++
			bytes <<< $count
			names[kernel_string($file->f_path->dentry->d_name->name)]++
		}
		probe kernel.function("vfs_read").return {
			if (pid() == target() && @entry($count) >= $return) returned++
		}
		probe kernel.trace("sched_switch") {
			switches++
			if ($next->usage->refs->counter > 0 && $next->sched_reset_on_fork <= 1 && $next->prio < 200 &&
			    kernel_string($next->comm) != "")
				right++
		}
		probe end {
			println(calls > 0, " ", @count(bytes) == calls, " ", names["status"] > 0, " ", returned == calls, " ", right == switches)
		}
	END
	[ -n "$for_release" ] || echo "no kernel 6.1 with image and headers is installed" >"$SCRATCH/program.err"
	[ -n "$for_release" ] && (cd "$SCRATCH" && "$BUILD/stap" --runtime=bpf -r "$for_release" -p4 -m program program.stp >/dev/null 2>program.err)
}

check_program() { # RELEASE DIRECTORY
	if [ ! -e "$SCRATCH/program" ]; then
		skip "kernels/$program_row $1" "$(head -n 1 "$SCRATCH/program.err")"
	elif [ "$(cat "$2/program.out" 2>/dev/null)" = "$program_output" ]; then
		ok "kernels/$program_row $1"
		echo "$1|$program_row|yes" >>"$SCRATCH/table"
	else
		not_ok "kernels/$program_row $1" "$(head -n 5 "$2/program.err" "$2/program.out")"
		echo "$1|$program_row|no" >>"$SCRATCH/table"
	fi
}

# Prints an installed kernel in the format of fetch.sh.
installed() { # SERIES
	local image release
	for image in $(printf '%s\n' /boot/vmlinuz-"$1".* | sort -rV); do
		release=${image#/boot/vmlinuz-}
		[ -d "/lib/modules/$release/build" ] || continue
		printf 'release=%s\ntree=%s\nimage=%s\n' "$release" "/lib/modules/$release/build" "$image"
		return
	done
	echo "no kernel $1 with image and headers is installed" >&2
	return 1
}

facts_of() { # SUITE SERIES FLAVOUR
	if [ "$1" = installed ]; then installed "$2"; else "$TESTS/kernels/fetch.sh" "$cache" "$@"; fi
}

file_of() { # FEATURE
	local name=t_${1//[^a-zA-Z0-9]/_}
	echo "${name,,}"
}

build_features() {
	local name want how script file
	gcc -g -O0 -o "$dir/known" "$TESTS/programs/known.c"
	file=$(find "/lib/modules/$release/" -name 'loop.ko*' 2>/dev/null | head -n 1)
	case $file in *.xz) xz -dc "$file" >"$dir/loop.ko" ;; *.ko) cp "$file" "$dir" ;; esac
	while IFS='|' read -r name want how script; do
		file=$(file_of "$name")
		echo "$how" >"$dir/$file.how"
		[ "$name" != module ] || [ -e "$dir/loop.ko" ] || continue
		(
			cd "$dir" || exit
			[ "$name" != 'BTF only' ] || export SYSTEMTAP_DEBUGINFO_PATH=/nonexistent
			"$BUILD/stap" -B "CC=$TESTS/kernels/cc" -p4 -r "$tree" -m "$file" -e "${script//@P@/$dir/known}"
		) >"$dir.out/$file.build" 2>&1 </dev/null
	done < <(features)
}

# Modules of an unpacked kernel appear at the path of the machine's kernels during the build, in a mount namespace.
with_modules() { # TREE COMMAND...
	local modules=${1%/usr/src/*}/lib/modules
	if [ -n "${UNSHARED-}" ] && [ "$modules" != "$1/lib/modules" ] && [ -d "$modules" ] && mount --bind "$modules" /lib/modules; then
		[ -e "/lib/modules/$release/modules.dep" ] || depmod "$release"
		"${@:2}"
		umount /lib/modules
	else
		"${@:2}"
	fi
}

run_kernel() { # SUITE SERIES FLAVOUR
	local facts release tree image dir name want how script file
	facts=$(facts_of "$@" 2>"$SCRATCH/err") ||
		{ skip "kernels/$1-$2-$3" "$(tail -n 1 "$SCRATCH/err")"; return; }
	release=$(sed -n 's/^release=//p' <<<"$facts") tree=$(sed -n 's/^tree=//p' <<<"$facts") image=$(sed -n 's/^image=//p' <<<"$facts")
	dir=$SCRATCH/$release
	mkdir -p "$dir" "$dir.out"
	with_modules "$tree" build_features
	[ ! -e "$SCRATCH/program" ] || cp "$SCRATCH/program" "$dir/"
	cat >"$dir/all.sh" <<-END
		mkdir -p ${dir%/*} && ln -s /t $dir
	END
	cat >>"$dir/all.sh" <<-'END'
		cd /t && mkdir /out
		[ ! -e loop.ko ] || insmod ./loop.ko max_loop=1
		for m in t_*.ko; do
			read -r how <${m%.ko}.how
			case $how in
			-x) sleep 3 & timeout 300 staprun -x $! ./$m ;;
			-i) echo typed | timeout 300 staprun -i ./$m ;;
			*) echo "cd /t; (${how:-cat /proc/1/status; sleep 0.3}) >/dev/null 2>&1" >run.sh; timeout 300 staprun -c "sh run.sh" ./$m ;;
			esac 2>/out/$m.err >/out/$m.out
			rmmod ${m%.ko} 2>/dev/null
		done
		[ ! -e program ] || timeout 100 ./program -c 'cat /proc/1/status >/dev/null' 2>/out/program.err >/out/program.out
		cd /out && exec tar cf - .
	END
	"$SOURCE/translator/run/stap-vm" -r "$image" -t 300 -d "$dir:/t" -f "$BUILD/staprun/staprun:/bin/" -f "$BUILD/staprun/stapio:/bin/" \
		-- sh /t/all.sh >"$SCRATCH/tar" 2>"$SCRATCH/err" && ok "kernels/log is clean $release" ||
		not_ok "kernels/log is clean $release" "$(cat "$SCRATCH/err")"
	tar xf "$SCRATCH/tar" -C "$dir.out" 2>/dev/null
	while IFS='|' read -r name want how script; do
		file=$(file_of "$name")
		if [ "$name" = module ] && [ ! -e "$dir/loop.ko" ]; then
			skip "kernels/$name $release" "the package of its modules"
			echo "$release|$name|-" >>"$SCRATCH/table"
		elif [ "$(head -n 1 "$dir.out/$file.ko.out" 2>/dev/null)" = "$want" ]; then
			ok "kernels/$name $release"
			echo "$release|$name|yes" >>"$SCRATCH/table"
		else
			not_ok "kernels/$name $release" "$(grep -hE 'error|ERROR' "$dir.out/$file.build" | head -n 3; cat "$dir.out/$file.ko.err" "$dir.out/$file.ko.out" 2>/dev/null | head -n 3)"
			echo "$release|$name|no" >>"$SCRATCH/table"
		fi
	done < <(features)
	check_program "$release" "$dir.out"
}

build_program
for kernel; do
	IFS=: read -r suite series flavour <<<"$kernel"
	run_kernel "$suite" "$series" "$flavour"
done
# Rows are features, columns kernels.
table() {
	awk -F '|' '!($1 in col) { col[$1]; order[++n] = $1 } !($2 in row) { row[$2]; rows[++m] = $2 } { v[$1, $2] = $3 }
	END { printf "| feature |"; for (i = 1; i <= n; i++) printf " %s |", order[i]; printf "\n|---|"; for (i = 1; i <= n; i++) printf "---|"; print ""
		for (j = 1; j <= m; j++) { printf "| %s |", rows[j]; for (i = 1; i <= n; i++) printf " %s |", v[order[i], rows[j]]; print "" } }' "$SCRATCH/table"
}

if [ -e "$SCRATCH/table" ]; then
	table
	[ -z "$all" ] || { printf 'Features that work, by kernel. This table is made by `make check-kernels`, each feature with the smallest script that needs it.\n\n'; table; } >"$SOURCE/doc/kernels.md"
fi
