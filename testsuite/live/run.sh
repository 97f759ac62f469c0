#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts in real kernels: all tests are built on this host, then one virtual machine per kernel runs them.
#   live/NAME.test   a shell fragment that sets
#       script='...'      the argument of stap -e; or build() { ...makes $dir/$name.ko or other files... }
#       options=(...)     options of stap (except -c), such as (-g)
#       arguments=(...)   arguments of the script
#       debuginfo=both    built twice: from DWARF, if the kernel has it, and from BTF alone
#       kernels=one       runs on one kernel, since it tests the loader, output, the language, or code and
#                         variables of programs: nothing that differs between kernels
#       needs='dwarf ...' is skipped unless all of these are available:
#                         dwarf: DWARF of the kernel; kbuild: an installed kernel, not only an unpacked one;
#                         module-btf: BTF of kernel modules (5.11 and later);
#                         failslab: allocations that fail on request (CONFIG_FAILSLAB, as in the debug kernel);
#                         io_uring: asynchronous calls (CONFIG_IO_URING, not in the debug kernel);
#                         usual-code: a kernel without KASAN, which changes the locations of variables;
#                         x86_64: its machine code, registers or watchpoints, or programs of this host;
#                         gcc-multilib: 32-bit programs can be built; any other word: that command exists
#       guest='...'       commands of the guest, default: staprun [-c "$command"] NAME.ko
#                         "await COMMAND" repeats a shell command until it succeeds: no test relies on durations
#       command='...'     the command of -c
#       addresses=random  the guest's processes have random addresses, as on usual systems; otherwise equal ones, which are
#                         faster to emulate
#       check() { ... }   reads $out and $err (files) and $rc; prints what is wrong
#     All of these may use $release, $tree (if the kernel is not installed), $vmlinux (with DWARF, if it exists), $loader
#     (directory of staprun) and $userland (root of the programs, empty: this host's).
#   run/NAME.stp         scripts of the user runtime, with the same expected output
#   language/NAME.tests  rules of the language; all scripts of a table are one module
# STP_DEBUG=1: builds the runtime with self-checks.
# LIVE_KERNELS="SUITE:SERIES:FLAVOUR ...": kernels that kernels/run.sh fetches, instead of the installed 6.1 and 6.12;
# "debug:SERIES:": the kernel with debug checks that kernels/debug.sh builds. A FLAVOUR of arm64 (bookworm:6.1:cloud-arm64):
# modules and programs are built by the cross compiler, and run in an emulated machine.
# LIVE_SERIES: series of the installed kernels, default "6.1 6.12". If both are installed, tests with kernels=one, scripts
# of run/ and tables of language/ run on one of them, alternately; with LIVE_ALL=1, or if they are named: on both.
# LIVE_BATCH: number of tests per guest, default all. If a guest dies, the test that ran fails, and the next ones run in
# another guest.
# LIVE_TIME: seconds for all guests of a kernel; LIVE_PATIENCE: seconds for a test. LIVE_STILL: seconds without a result
# after which the state of a guest is printed and the guest is killed. LIVE_MEMORY (MB), LIVE_CPUS: size of a guest.
# LIVE_ARGUMENTS: additional words of its kernel command line, such as slub_debug=FZPU. LIVE_QEMU: of the emulator's; with
# "-icount shift=0,sleep=off" the guest's clock counts its instructions, so that a busy host does not make the guest late.
set -u
if [ -n "${LIVE_KERNELS-}" ] && [ -z "${UNSHARED-}" ] && unshare -m true 2>/dev/null; then
	UNSHARED=1 exec unshare -m bash "$0" "$@"
fi
. "$TESTS/lib.sh"
. "$TESTS/kernels/arm64_kernel.sh"
. "$TESTS/language/tables.sh"
# A whole line that may be printed for a script with a timer or clock samples if the machine is busy.
missed_ticks='^WARNING: Missed \(timer ticks\|samples, at least\): [0-9]* (.*$'
# A line that may also be printed for a script whose probes hit on several processors at once.
skipped_hits='^WARNING: \(Skipped due to .*\|Number of errors: 0, skipped probes: [0-9]*\)$'
# A line that may also be printed for a script with kprobes in interrupts: a kprobe that is hit before the handler of
# another one has disabled interrupts is missed.
missed_hits='^WARNING: Missed probe hits: [0-9]* (.*$'

newest() { # SERIES: a release with an image and a build tree
	local image
	for image in $(printf '%s\n' /boot/vmlinuz-"$1".* | sort -rV); do
		if [ -d "/lib/modules/${image#/boot/vmlinuz-}/build" ]; then
			echo "${image#/boot/vmlinuz-}"
			return
		fi
	done
}

# In the guest: runs every /t/NAME.sh in turn, and writes the results of each as a tar file, one after the other.
cat >"$SCRATCH/all.sh" <<'E2'
cd /t && mkdir -p /out
# For tests: "await COMMAND" waits until the shell command succeeds, however slow the machine is.
cat >/bin/await <<'E3'
#!/bin/sh
i=0
until sh -c "$*" >/dev/null 2>&1; do
	[ $((i += 1)) -lt 6000 ] || { echo "await: $* failed for five minutes" >&2; exit 1; }
	usleep 50000
done
E3
chmod 755 /bin/await
for f in *.sh; do
	name=${f%.sh}
	[ "$f" = all.sh ] && continue
	echo "<5>test $name" >/dev/kmsg
	rm -f /tmp/* 2>/dev/null     # files of previous tests
	echo 0 >/proc/sys/kernel/randomize_va_space
	setsid sh -c 'echo $$ >/run/test; exec timeout "$1" sh "$0"' "./$f" "$1" >>"/out/$name.out" 2>"/out/$name.err" </dev/null
	status=$?
	echo $status >"/out/$name.rc"
	# Processes that a test left in the background must not disturb later tests.
	[ $status != 143 ] || kill -KILL -"$(cat /run/test)" 2>/dev/null
	if [ -n "$(ls /sys/module | grep -E '^(stap_|t_)')" ]; then
		echo "left loaded: $(ls /sys/module | grep -E '^(stap_|t_)')" >>"/out/$name.left"
		kill -KILL $(pidof staprun stapio) 2>/dev/null
		for m in $(ls /sys/module | grep -E '^(stap_|t_)'); do rmmod "$m"; done
	fi
	(cd /out && tar cf - "$name".* && rm -f "$name".*)
done
E2


module_name() { echo "t_${1//[-.]/_}"; }

# On a busy host an emulated CPU may stop in the middle of handlers, which then seem to take long and to hold locks
# for a long time. Tests of these limits set their own limits.
build_module() { # NAME ARGUMENTS OF STAP...
	local slow=(-DMAXTRYLOCK=10000)
	[[ "$*" = *-DSTP_OVERLOAD_* ]] || slow+=(-DSTP_NO_OVERLOAD)
	[[ "$*" != *-DTRYLOCKDELAY=* ]] || slow=("${slow[@]:1}")
	(cd "$dir" && "$STAP" "${make_words[@]/#/-B}" -p4 -r "${tree:-$release}" -m "$(module_name "$1")" ${STP_DEBUG:+-DSTP_DEBUG} "${slow[@]}" "${@:2}") >"$SCRATCH/build" 2>&1
}

# For tests that require kernel modules in the guest: copies them with their dependencies. In the guest, "sh load
# NAME" loads them, except those that another test has loaded.
add_modules() { # NAME MODULE...
	local file base
	modprobe -a -S "$release" --show-depends "${@:2}" | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
		base=${file##*/} base=${base%.xz}
		[ -e "$dir/$base" ] || case $file in *.xz) xz -dc "$file" >"$dir/$base" ;; *) cp "$file" "$dir/$base" ;; esac
		echo "$base"
	done >"$dir/$1.modules"
	cat >"$dir/load" <<-'E2'
		for m in $(cat "/t/$1.modules"); do
			[ -d "/sys/module/$(basename "$m" .ko | tr - _)" ] || insmod "/t/$m"
		done
	E2
}

# Builds the test and writes NAME.sh for the guest. $2: "" or ".btf".
add_live() {
	local name=$1$2 script='' command='' guest='' addresses='' options=() arguments=()
	local release=$release tree=$tree image=$image userland=$userland loader=$loader vmlinux=$vmlinux  # so that a test cannot change them
	build() {
		build_module "$name" ${options[@]+"${options[@]}"} -e "$script" ${arguments[@]+"${arguments[@]}"}
	}
	# shellcheck disable=SC1090
	. "$TESTS/live/$1.test"
	if ! (
		[ -z "$2" ] || export SYSTEMTAP_DEBUGINFO_PATH=/nonexistent
		build
	); then
		not_ok "live/$name $release" "$(tail -n 20 "$SCRATCH/build")"
		return
	fi
	if [ -z "$guest" ]; then
		guest="staprun ./@MODULE@.ko"
		[ -z "$command" ] || guest="staprun -c '$command' ./@MODULE@.ko"
	fi
	[ "$addresses" != random ] || guest="echo 2 >/proc/sys/kernel/randomize_va_space
$guest"
	printf '%s\n' "${guest//@MODULE@/$(module_name "$name")}" >"$dir/$name.sh"
	live+=("$name")
}

add_script() { # NAME of run/
	local file=$TESTS/run/$1.stp set='' option options=() args=() kept=()
	[ "$(directive "$file" kernel)" != no ] || return
	eval "options=($(directive "$file" options))"
	eval "args=($(directive "$file" args))"
	# -G is an option of the run; the others are options of the build.
	while [ ${#options[@]} -gt 0 ]; do
		option=${options[0]} options=("${options[@]:1}")
		if [ "$option" = -G ]; then
			set="$set '${options[0]}'" options=("${options[@]:1}")
		else
			kept+=("$option")
		fi
	done
	if ! build_module "run-$1" ${kept[@]+"${kept[@]}"} "$file" ${args[@]+"${args[@]}"}; then
		not_ok "live/run/$1 $release" "$(tail -n 20 "$SCRATCH/build")"
		return
	fi
	printf '%s\n' "staprun ./$(module_name "run-$1").ko $set" >"$dir/run-$1.sh"
	scripts+=("$1")
}

add_language() { # TABLE of language/
	local group name stap_args=()
	(language_collect "$1" "$dir.language/$1")
	for group in "$dir.language/$1"/*/; do
		group=${group%/}
		grep -q kernel "$group/runtimes" 2>/dev/null || continue
		name=language-$1-${group##*/}
		language_arguments "$group"
		if ! build_module "$name" "${stap_args[@]}"; then
			not_ok "live/$name $release" "$(tail -n 20 "$SCRATCH/build")"
			continue
		fi
		echo "staprun ./$(module_name "$name").ko" >"$dir/$name.sh"
		row_groups+=("$group")
	done
}

# For check(): the stack size computed for the test's module, "most hit call" (runtime/include/stack.h).
stack_of_module() {
	objcopy -O binary --only-section=.stp_stack "$dir/$(module_name "$(basename "$out" .out)").ko" "$SCRATCH/stack" &&
		od -An -tu4 "$SCRATCH/stack"
}

problem_of() { # NAME: prints problems that are independent of the test: no results, the time limit, a module that was
	       # not unloaded, an expected state that was not reached
	[ -e "$results/$1.rc" ] || { echo "no result: the guest ended $(if [ -e "$results/$1.died" ]; then echo "while it ran"; else echo before; fi)"; return; }
	[ "$(cat "$results/$1.rc")" != 143 ] || echo "ended after ${LIVE_PATIENCE:-480} s"
	grep -s '^await: ' "$results/$1.err"
	[ ! -e "$results/$1.left" ] || cat "$results/$1.left"
}

check_live() { # NAME
	local out=$results/$1.out err=$results/$1.err rc problem
	local release=$release tree=$tree image=$image userland=$userland loader=$loader vmlinux=$vmlinux  # as in add_live()
	problem=$(problem_of "$1")
	if [ -z "$problem" ]; then
		rc=$(cat "$results/$1.rc")
		# shellcheck disable=SC1090
		. "$TESTS/live/${1%.btf}.test"
		problem=$(check 2>"$SCRATCH/check")
		# An error of the shell ends check() early.
		problem=$problem$(grep -F "$TESTS/live/${1%.btf}.test: line " "$SCRATCH/check")
	fi
	if [ -z "$problem" ]; then
		ok "live/$1 $release"
	else
		not_ok "live/$1 $release" "$problem
exit status ${rc-none}; output: $(head -c 600 "$out" 2>&1)
errors: $(head -c 600 "$err" 2>&1)"
	fi
}

check_script() { # NAME
	local file=$TESTS/run/$1.stp out=$results/run-$1.out err=$results/run-$1.err rc problem want text
	problem=$(problem_of "run-$1")
	if [ -z "$problem" ]; then
		rc=$(cat "$results/run-$1.rc")
		want=$(directive "$file" status)
		text=$(directive "$file" error)
		problem=$(
			[ "$rc" -eq "${want:-0}" ] || echo "exit status $rc, not ${want:-0}"
			[ -z "$text" ] || grep -qF -- "$text" "$err" || echo "standard error lacks '$text'"
			diff -u "$TESTS/run/$1.out" "$out"
		)
	fi
	if [ -z "$problem" ]; then
		ok "live/run/$1 $release"
	else
		not_ok "live/run/$1 $release" "$problem
errors: $(head -c 600 "$err" 2>&1)"
	fi
}

check_rows() { # GROUP
	local table=${1%/*} name problem
	table=${table##*/}
	name=language-$table-${1##*/}
	problem=$(problem_of "$name")
	[ -n "$problem" ] || problem=$(language_problem "$1" "$(cat "$results/$name.rc")" "$results/$name.out" "$results/$name.err")
	if [ -z "$problem" ]; then ok "live/$name $release"; else not_ok "live/$name $release" "$problem"; fi
}

on_kernel() { # NAMES...: in guests of LIVE_BATCH tests each, and a line about all of them for the end of the test suite's output
	local log=$SCRATCH/$release.results batch=${LIVE_BATCH:-$#}
	: >"$log"
	while [ $# -gt 0 ]; do
		one_guest "${@:1:batch}" | tee -a "$log"
		shift $((batch < $# ? batch : $#))
	done
	summary+=("# $release: $(awk -v clean='kernel log clean' '/^ok / { ok++ } /^not ok / { failed++ } /^skip / { skipped++ }
		/^not ok live\/kernel log is clean/ { clean = "kernel log NOT clean" }
		END { printf "%d passed%s%s, %s", ok, failed ? ", " failed " failed" : "", skipped ? ", " skipped " skipped" : "", clean }' "$log")")
}

has_dwarf() { readelf -SW "$vmlinux" 2>/dev/null | grep -q ' \.debug_info '; }

missing_for() { # FILE: prints the first requirement of the test that is not available
	local need
	for need in $(sed -n 's/^needs=//p' "$1" 2>/dev/null | tr -d "'"); do
		case $need in
		dwarf) has_dwarf || { echo "the kernel's -dbg package"; return; } ;;
		module-btf) grep -qsx 'CONFIG_DEBUG_INFO_BTF_MODULES=y' "${tree:-/lib/modules/$release/build}/.config" || { echo "a kernel whose modules have BTF"; return; } ;;
		usual-code) ! grep -qsx 'CONFIG_KASAN=y' "$tree/.config" || { echo "a kernel without KASAN"; return; } ;;
		failslab) grep -qsx 'CONFIG_FAILSLAB=y' "${tree:-/lib/modules/$release/build}/.config" || { echo "a kernel in which allocations can fail"; return; } ;;
		io_uring) grep -qsx 'CONFIG_IO_URING=y' "${tree:-/lib/modules/$release/build}/.config" || { echo "a kernel with io_uring"; return; } ;;
		x86_64) [ -z "$userland" ] || { echo "a kernel for x86-64"; return; } ;;
		kbuild) [ -z "$tree" ] || { echo "a build tree that is installed"; return; } ;;
		gcc-multilib) gcc -m32 -o "$SCRATCH/narrow" -x c - <<<'int main(void) { return 0; }' 2>/dev/null || { echo "$need"; return; } ;;
		*) command -v "$need" >/dev/null || { echo "$need"; return; } ;;
		esac
	done
}

# Runs $dir in a guest, and if it dies the remaining tests in another one, at most three times, since an error that
# occurs in each test need not be repeated; all together within LIVE_TIME. A guest without progress prints its
# stacks and is ended. $SCRATCH/$release.err: problems of the guests, empty if there were none.
run_guests() {
	local guests=0 last watcher levels='' patience=${LIVE_PATIENCE:-480} end=$((SECONDS + ${LIVE_TIME:-2700}))
	: >"$SCRATCH/$release.err"
	: >"$SCRATCH/$release.log"
	# With five levels of page tables, KASAN has memory between the halves of the address space of four.
	! grep -qsx 'CONFIG_KASAN=y' "$tree/.config" || levels=no5lvl
	while [ $((guests += 1)) -le 3 ] && [ $SECONDS -lt $end ]; do
		: >"$SCRATCH/guest.log"
		rm -f "$SCRATCH/qmp"
		python3 "$TESTS/soak/stuck.py" "$SCRATCH/qmp" "$SCRATCH/$release.tar" "$SCRATCH/$release.stuck" "${LIVE_STILL:-$((patience + 360))}" &
		watcher=$!
		"$VM" -v -r "${image:-$release}" ${userland:+-u "$userland"} -t $((end - SECONDS)) -m ${LIVE_MEMORY:-1536} -s ${LIVE_CPUS:-2} -d "$dir:/t" \
			-k "softlockup_panic=1 unknown_nmi_panic=1 sysctl.kernel.panic_on_rcu_stall=1 $levels ${LIVE_ARGUMENTS-}" \
			-q "-qmp unix:$SCRATCH/qmp,server=on,wait=off ${LIVE_QEMU-}" -f "$loader/staprun:/bin/" -f "$loader/stapio:/bin/" \
			-f "$userland/bin/cat:/bin/cat.host" -l "$SCRATCH/guest.log" -- sh /t/all.sh "$patience" \
			>"$SCRATCH/$release.tar" 2>"$SCRATCH/guest.err"
		status=$?
		kill $watcher
		tar xif "$SCRATCH/$release.tar" -C "$results" 2>/dev/null
		cat "$SCRATCH/guest.log" >>"$SCRATCH/$release.log"
		[ $status -ne 0 ] || return
		last=$(sed -n 's/^.*\] test //p' "$SCRATCH/guest.log" | tail -n 1)
		{ cat "$SCRATCH/guest.err"; echo "status $status, the last test: ${last:-none}"; } >>"$SCRATCH/$release.err"
		[ -n "$last" ] && [ ! -e "$results/$last.rc" ] || return
		: >"$results/$last.died"
		for last in "$dir"/*.sh; do
			last=$(basename "$last" .sh)
			[ ! -e "$results/$last.rc" ] && [ ! -e "$results/$last.died" ] || rm "$dir/$last.sh"
		done
	done
}

# With --times: prints the processor seconds, of user and system, since the last call, as those of a step.
step_seconds() { # STEP
	local now
	[ -n "${TIMES-}" ] || return 0
	times >"$SCRATCH/times"
	now=$(tr 'ms' '  ' <"$SCRATCH/times" | awk '{ user += $1 * 60 + $2; kernel += $3 * 60 + $4 } END { print user, kernel }')
	echo "$now ${last_seconds-0 0} $1" | awk -v release="$release" '{ printf "# %s: %.0f s user, %.0f s system: %s\n", release, $1 - $3, $2 - $4, $5 }'
	last_seconds=$now
}

one_guest() { # NAMES...
	local name missing debuginfo live=() scripts=() row_groups=() dir=$SCRATCH/$release results=$SCRATCH/$release.out vmlinux=/usr/lib/debug/boot/vmlinux-$release
	[ -e "$vmlinux" ] || vmlinux=$tree/vmlinux
	# Modules of tests are built by the same compiler, too.
	[ ${#make_words[@]} -eq 0 ] || export MAKEFLAGS="${make_words[*]}"
	rm -rf "$dir" "$dir.language" "$results"
	mkdir -p "$dir" "$results"
	cp "$SCRATCH/all.sh" "$dir/all.sh"
	for name in "$@"; do
		missing=$(missing_for "$TESTS/live/$name.test")
		[ -z "$missing" ] || { skip "live/$name $release" "$missing"; continue; }
		case $name in
		run/*) add_script "${name#run/}" ;;
		language/*) add_language "${name#language/}" ;;
		*)
			debuginfo=$(sed -n 's/^debuginfo=//p' "$TESTS/live/$name.test")
			if [ "$debuginfo" != both ] || has_dwarf; then add_live "$name" ''; else skip "live/$name $release" "the kernel's -dbg package"; fi
			[ "$debuginfo" != both ] || add_live "$name" .btf ;;
		esac
	done
	step_seconds modules
	run_guests
	step_seconds guest
	[ -z "${TIMES-}" ] || awk '/\] test / { match($0, /\[ *[0-9.]+\]/); now = substr($0, RSTART + 1, RLENGTH - 2) + 0
		if (name) printf "%7.1f s live/%s\n", now - last, name
		name = $NF; last = now }' "$SCRATCH/$release.log" | sort -rn | head -n 20 | sed "s/^/# $release: /"
	if [ ! -s "$SCRATCH/$release.err" ]; then
		ok "live/kernel log is clean $release"
	else
		not_ok "live/kernel log is clean $release" "$(cat "$SCRATCH/$release.err")"
	fi
	for name in ${live[@]+"${live[@]}"}; do check_live "$name"; done
	for name in ${scripts[@]+"${scripts[@]}"}; do check_script "$name"; done
	for name in ${row_groups[@]+"${row_groups[@]}"}; do check_rows "$name"; done
	step_seconds checks
}

VM=$SOURCE/translator/run/stap-vm
mapfile -t names < <(
	all=$(for file in "$TESTS"/live/*.test; do basename "$file" .test; done
		for file in "$TESTS"/run/*.stp; do echo "run/$(basename "$file" .stp)"; done
		for file in "$TESTS"/language/*.tests; do echo "language/$(basename "$file" .tests)"; done)
	[ $# -gt 0 ] || echo "$all"
	for name; do grep -xF -- "$name" <<<"$all" || grep -- "^${name//./[.]}" <<<"$all"; done)
[ ${#names[@]} -gt 0 ] || exit 0
names_for() { # SERIES NAMES OF THE COMMAND LINE
	if [ $# -gt 1 ] || [ -n "${LIVE_ALL-}" ] || [ -z "$(newest 6.1)" ] || [ -z "$(newest 6.12)" ]; then
		printf '%s\n' "${names[@]}"
	else
		printf '%s\n' "${names[@]}" | awk -v other="$([ "$1" != 6.1 ]; echo $?)" '
			NR == FNR { one[$0]; next } (!/^(run|language)\// && !($0 in one)) || n++ % 2 == other' \
			<(cd "$TESTS/live" && grep -lx kernels=one -- *.test | sed 's/[.]test$//') -
	fi
}

# Programs of tests are built by the tools of these names in PATH.
use_cross_tools() {
	local tool
	mkdir -p "$SCRATCH/tools"
	printf '#!/bin/sh\nexec %s "$@"\n' "$target_cc" >"$SCRATCH/tools/gcc"
	for tool in ar as ld nm objcopy objdump readelf strip; do
		printf '#!/bin/sh\nexec aarch64-linux-gnu-%s "$@"\n' "$tool" >"$SCRATCH/tools/$tool"
	done
	chmod +x "$SCRATCH/tools"/*
	ln -sfn gcc "$SCRATCH/tools/cc"
	PATH=$SCRATCH/tools:$PATH
}

on_arm64() { # SUITE:SERIES:FLAVOUR NAMES...
	local parts target_cc
	IFS=: read -r -a parts <<<"$1"
	arm64_kernel "${parts[@]}" || return
	use_cross_tools
	make_words=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)
	on_kernel "${@:2}"
}

tree='' image='' userland='' loader=$BUILD/staprun summary=() make_words=()
for kernel in ${LIVE_KERNELS-}; do
	case $kernel in
	*arm64) (with_kernel "$kernel" on_arm64 "$kernel" "${names[@]}" && printf '%s\n' "${summary[@]}") ;;
	*) make_words=("CC=$TESTS/kernels/cc") && with_kernel "$kernel" on_kernel "${names[@]}" ;;
	esac || skip "live/* on $kernel" "$(tail -n 1 "$SCRATCH/err")"
done
make_words=()
[ -z "${LIVE_KERNELS-}" ] || LIVE_SERIES=
for series in ${LIVE_SERIES-6.1 6.12}; do
	release=$(newest $series)
	if [ -z "$release" ]; then
		skip "live/* on $series" "no kernel $series with image and headers is installed"
	else
		mapfile -t on_this < <(names_for $series "$@")
		on_kernel "${on_this[@]}"
	fi
done
printf '%s\n' ${summary[@]+"${summary[@]}"}
