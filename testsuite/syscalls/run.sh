#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# System calls, on the newest 6.1 and 6.12 that are installed, and the last three on the same kernels of arm64, in emulated
# machines ("arm64 strace" and so on), if they are in the cache of kernels or tests of arm64 are selected:
#   compare    the program `compare` accepts a difference only if both texts match a row of the file differences
#   aliases    every variable of aliases.tsv builds, except `none`; with each other prefix, it is translated to C
#   strace     the programs (calls.c and others) are traced by strace and by strace.stp at the same time: their texts
#              are equal, call by call, at the entry and at the return, except for the rows of the file differences and
#              at most 3 % of the calls. Also as 32-bit programs
#   names      values of `name` that differ from the kernel's names; a long argument leaves space for later ones
#   write      guru mode: the kernel, or the caller, gets the value that a script assigns; argstr at the return omits
#              an argument that the assigned command does not have
set -u
. "$TESTS/lib.sh"
. "$TESTS/kernels/arm64_kernel.sh"
here=$TESTS/syscalls
VM=$SOURCE/translator/run/stap-vm
programs="calls results commands unusual structures classes"
dir=$SCRATCH/syscalls
mkdir -p "$dir"

newest() { # SERIES: a release with an image and a build tree
	local image
	for image in $(printf '%s\n' /boot/vmlinuz-"$1".* | sort -rV); do
		[ ! -d "/lib/modules/${image#/boot/vmlinuz-}/build" ] || { echo "${image#/boot/vmlinuz-}"; return; }
	done
}

aliases() { # PREFIX: builds a script of all variables
	grep -v '^#' "$here/aliases.tsv" | awk -F'\t' -v prefix="$1" '
		FNR == NR { none[$1] = 1; next }
		{ call = $1; sub(/\.return$/, "", call) }
		call in none { next }
		{ printf "probe %ssyscall.%s { println(name%s)", prefix, $1, prefix ? "" : ", kernel_name, argstr"
		  n = split($2, v, " "); for (i = 1; i <= n; i++) printf " println(%s)", v[i]; print " }" }
	' "$here/none" - >"$dir/$1all.stp"
	if "$STAP" -r "$release" "$([ -n "$1" ] && echo -p3 || echo -p4)" -w "$dir/$1all.stp" >"$dir/out" 2>"$dir/log"; then
		ok "syscalls/aliases $1syscall $release"
	else
		not_ok "syscalls/aliases $1syscall $release" "$(head -n 20 "$dir/log")"
	fi
}

none() { # points that are listed as missing really are missing
	local name reason
	grep -v '^#' "$here/none" | while read -r name reason; do
		if "$STAP" -r "$release" -p2 -e "probe syscall.$name { next }" >"$dir/log" 2>&1; then
			not_ok "syscalls/none $name $release" "it exists"
		else
			ok "syscalls/none $name $release"
		fi
	done
}

build() { # NAME OPTIONS...: into the guest's directory
	local log
	log=$( (cd "$dir/guest" && "$STAP" "${kernel[@]}" -p4 -m "$1" "${@:2}") 2>&1 ) || not_ok "syscalls/${arch}build $1 $release" "$log"
}

# Makes `reader /t/short` print another file, in reads of three bytes, and exit with another status.
write_script='probe nd_syscall.openat { if (execname() == "reader" && filename_unquoted == "/t/short") filename_unquoted = "/t/other" }
	probe syscall.read { if (execname() == "reader" && count > 4096) count = 3 }
	probe syscall.read.return { if (execname() == "reader" && $count == 3) reads++ }
	probe syscall.exit_group { if (execname() == "reader") status = 7 }
	probe syscall.prctl { if (execname() == "commands" && option == 16) option = 3 }
	probe syscall.prctl.return { if (execname() == "commands" && argstr =~ "^PR_GET_NAME") texts[argstr] = retval }
	probe end { foreach (t+ in texts) println(t, " = ", texts[t]) }
	global reads, texts
	probe end { println(reads, " reads") }'

names_script='global seen, cut
	probe syscall.*.return { if (execname() == "calls" || execname() == "results") if (name != kernel_name) seen[kernel_name, name]++ }
	probe syscall.writev.return { if (execname() == "unusual") cut += argstr =~ ", \\.\\.\\.], 40$" }
	probe syscall.bpf { if (execname() =~ "^structures") addresses += argstr =~ "log_size=4096, log_buf=0x" }
	probe syscall.bpf.return { if (execname() =~ "^structures") logs += argstr =~ "log_buf=.0: R1=ctx" }
	global addresses, logs
	probe end { println(addresses, " ", logs, " logs") }
	probe end { foreach ([kernel+, script] in seen) println(kernel, " ", script); println(cut, " cut") }'

guest() {
	cat >"$dir/guest/run.sh" <<-'END'
		cd /t
		printf 'the other file\n' >other
		printf 'short\n' >short
		for p in calls results commands unusual structures classes calls32 results32 commands32 unusual32 structures32 classes32; do
			[ -e $p ] || continue
			staprun -o ours.$p -c "strace -f -o strace.$p ./$p" ./sc_strace.ko
		done
		staprun -o ours.names -c 'sh -c "./calls; ./results; ./unusual; ./structures"' ./sc_names.ko
		{ staprun -c 'sh -c "./commands; exec ./reader /t/short"' ./sc_write.ko 2>write.err; echo "status $?"; } | cat >write.out
		exec tar cf - strace.* ours.* write.*
	END
	"$VM" "${machine[@]}" -t 300 -d "$dir/guest:/t" -f "$loader/staprun:/bin/" -f "$loader/stapio:/bin/" \
		-f "$strace:/bin/" -l "$dir/log" -- sh /t/run.sh >"$dir/tar" 2>"$dir/err"
	if [ $? -eq 0 ]; then ok "syscalls/${arch}kernel log is clean $release"; else not_ok "syscalls/${arch}kernel log is clean $release" "$(tail -n 20 "$dir/err")"; fi
	rm -rf "$dir/results"
	mkdir "$dir/results"
	tar xf "$dir/tar" -C "$dir/results"
}

compares() { # RESULT [DIFFERENCE]: the last output of compare for foo(1, 3), where strace has foo(1, 2)
	local got
	printf '5 %s = %s\n' 'chdir("/begin")' '0' 'foo(1, 2)' 0 'chdir("/end")' 0 >"$dir/theirs"
	printf '5 return %s = 0\n' 'chdir("/begin")' 'foo(1, 3)' 'chdir("/end")' >"$dir/ours"
	printf '%s\n' "${@:2}" >"$dir/reasons"
	got=$("$here/compare" "$dir/theirs" "$dir/ours" "$dir/reasons" 2>&1 | sed -n '$s/.* names, //p')
	[ "$got" = "$1" ] || echo "${2-}: $got, expected $1"
}

reader() {
	report syscalls/compare "$(
		compares '2 equal, 1 different'
		compares '2 equal, 0 different' 'foo 1 ~^3$ ~^2$ reason'
		compares '2 equal, 1 different' 'foo 1 ~^4$ ~^2$ reason'
		compares '2 equal, 1 different' 'foo 1 ~^3$ ~^4$ reason'
		compares '2 equal, 1 different' 'foo 0 ~^3$ ~^2$ reason'
		for pattern in '' 'x*' '()' '^'; do
			compares '' "foo 1 ~$pattern ~^2$ reason"
			compares '' "foo 1 ~^3$ ~$pattern reason"
		done)"
}

all_calls=0 equal_calls=0

compare() { # PROGRAM
	local out all equal
	out=$("$here/compare" "$dir/results/strace.$1" "$dir/results/ours.$1" "$here/differences" 2>&1)
	read -r all equal < <(echo "$out" | sed -n 's/^\([0-9]*\) calls, [0-9]* names, \([0-9]*\) equal, 0 different$/\1 \2/p')
	if [ "${all:-0}" -gt 100 ]; then
		all_calls=$((all_calls + all)) equal_calls=$((equal_calls + equal))
		ok "syscalls/${arch}strace $1 $release, $equal of $all calls"
	else
		not_ok "syscalls/${arch}strace $1 $release" "$(echo "$out" | tail -n 30)"
	fi
}

at_least() { # PERCENT of all calls must be equal without an explanation
	if [ $((equal_calls * 100)) -ge $((all_calls * $1)) ] && [ $all_calls -gt 0 ]; then
		ok "syscalls/${arch}equal $release, $equal_calls of $all_calls"
	else
		not_ok "syscalls/${arch}equal $release" "$equal_calls of $all_calls"
	fi
}

names() {
	if [ "$(cat "$dir/results/ours.names")" = "1 1 logs
epoll_create1 epoll_create
getdents64 getdents
newfstatat fstatat
pread64 pread
pwrite64 pwrite
umount2 umount
1 cut" ]; then
		ok "syscalls/${arch}names $release"
	else
		not_ok "syscalls/${arch}names $release" "$(cat "$dir/results/ours.names")"
	fi
}

writes() {
	if [ "$(cat "$dir/results/write.out")" = "the other file
PR_GET_NAME,  = 1
6 reads
status 1" ] && grep -q 'status 7' "$dir/results/write.err"; then
		ok "syscalls/${arch}write $release"
	else
		not_ok "syscalls/${arch}write $release" "$(cat "$dir/results/write.out" "$dir/results/write.err")"
	fi
}

# On kernel $release, with the stap options `kernel`, the stap-vm options `machine`, the directory `loader` of staprun, the
# program `strace` and the compiler $1.
beside_strace() { # COMPILER...
	local program
	all_calls=0 equal_calls=0
	rm -rf "$dir/guest"
	mkdir "$dir/guest"
	for program in $programs reader; do
		"$@" -O0 -static -no-pie -w -o "$dir/guest/$program" "$here/$program.c" || not_ok "syscalls/$arch$program.c" "does not compile"
		[ -n "$arch" ] || [ "$program" = reader ] || "$@" -m32 -O0 -static -no-pie -w -o "$dir/guest/${program}32" "$here/$program.c" 2>/dev/null ||
			skip "syscalls/strace ${program}32" "gcc-multilib"
	done
	build sc_strace -DMAXSTRINGLEN=4096 "$here/strace.stp"
	build sc_names -e "$names_script"
	build sc_write -g -e "$write_script"
	guest
	for program in $programs ${programs// /32 }32; do [ ! -e "$dir/guest/$program" ] || compare "$program"; done
	at_least 97
	names
	writes
}

on_kernel() {
	local prefix arch='' kernel=(-r "$release") machine=(-r "$release") loader=$BUILD/staprun strace
	if wanted aliases; then for prefix in '' nd_ tp_ dw_; do aliases "$prefix"; done; fi
	! wanted none || none
	wanted_some strace || wanted equal || wanted names || wanted write || return 0
	if ! strace=$(command -v strace); then
		skip "syscalls/strace $release" "strace"
		return
	fi
	beside_strace gcc
}

on_arm64() { # SUITE SERIES
	local arch='arm64 ' flavour=cloud-arm64 kernel machine loader strace tree image userland target_cc release
	if [ ! -e "$kernels/$1-$2-$flavour/done" ] && [ ${#chosen[@]} -eq 0 ]; then
		skip "syscalls/arm64 $2" "its kernel; make check-kernels or runtests syscalls/arm64 fetches it"
		return
	fi
	arm64_kernel "$1" "$2" "$flavour" || { skip "syscalls/arm64 $2" "$(tail -n 1 "$SCRATCH/err")"; return; }
	kernel=(-a arm64 -r "$tree") machine=(-r "$image" -u "$userland") strace=$userland/usr/bin/strace
	# Without return address signing: a program that changes its pointer keys could not return from its functions.
	beside_strace $target_cc -mbranch-protection=none
}

reader
for series in 6.1 6.12; do
	release=$(newest $series)
	if [ -z "$release" ]; then
		skip "syscalls on $series" "no kernel $series with image and headers is installed"
	else
		on_kernel
	fi
done
if wanted_some arm64; then
	on_arm64 bookworm 6.1
	on_arm64 bookworm-backports 6.12
fi
