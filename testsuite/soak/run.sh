#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Mixed probes under load on four CPUs, modules that are removed while probes are hit, loading and unloading with
# kills at random times, and failing allocations while loading (guest.sh), all with a runtime that checks itself:
# the kernel's log contains no errors, no module remains, and memory is freed.
# SOAK=full: ten minutes and 500 cycles, instead of a short run; SOAK=figures: a short run that prints its figures.
# SOAK_SERIES: the kernels, default "6.1 6.12". SOAK_ROUNDS=N: only N rounds of loading, running and unloading
# (rounds.sh). LIVE_KERNELS, LIVE_TIME, LIVE_MEMORY: other kernels, seconds for a guest, its memory: see live/run.sh.
set -u
if [ -n "${LIVE_KERNELS-}" ] && [ -z "${UNSHARED-}" ] && unshare -m true 2>/dev/null; then
	UNSHARED=1 exec unshare -m bash "$0" "$@"
fi
. "$TESTS/lib.sh"
seconds=4 cycles=5 step=11 limit=2700
if [ "${SOAK-}" = full ]; then seconds=600 cycles=500 step=1 limit=7200; fi
seconds=${SOAK_SECONDS:-$seconds} cycles=${SOAK_CYCLES:-$cycles}

newest() { # SERIES
	local image
	for image in $(printf '%s\n' /boot/vmlinuz-"$1".* | sort -rV); do
		if [ -d "/lib/modules/${image#/boot/vmlinuz-}/build" ]; then echo "${image#/boot/vmlinuz-}"; return; fi
	done
}

mixed='
global n, by, sizes, last, waits, h, calls
probe kernel.function("vfs_read") { n++ by[execname(), cpu()]++ sizes[execname()] <<< $count }
probe kernel.function("vfs_read").return { h <<< $return last[tid()] = gettimeofday_ns() }
probe kernel.function("vfs_open"), kernel.function("try_to_wake_up") {
	by[probefunc(), cpu()]++
	if (n % 50 == 0) printf("%s %d %s\n", execname(), pid(), backtrace())
}
probe kernel.trace("sched_switch") { waits[cpu()]++ }
probe timer.ms(7) { delete last foreach ([e, c] in by- limit 3) s .= e printf("%s\n", s) }
probe timer.profile { waits[cpu() + 100]++ }
probe timer.jiffies(3) { waits[200]++ }
probe syscall.openat, syscall.close.return { by[name, cpu()]++ }
probe process("./work").function("probed") { calls <<< $n if ($n % 10 == 0) println(user_string($text)) }
probe process("./work").function("probed").return { calls <<< $return }
probe process.begin, process.end { by[execname(), cpu()]++ }
probe end { printf("%d %d %d\n", @count(calls), @count(h), @count(sizes["work"])) }
probe end(1) { printf("end %d\n", n > 0) }'
few='
global a, s, t, n
probe begin { a["x"] = 1 }
probe kernel.function("vfs_read") { s[execname()] <<< $count }
probe kernel.function("vfs_read").return { t <<< $return }
probe kernel.trace("sched_switch"), timer.ms(5), timer.profile { a[execname()]++ }
probe syscall.read { a[name]++ }
probe process("./work").function("probed") { a["probed"]++ }
probe process.begin { a["begin"]++ }
probe timer.ms(200) { exit() }
probe timer.ms(10) { foreach (x in s-) n += @count(s[x]) delete s }
probe procfs("all").read { foreach (x in s-) $value .= x }
probe end { foreach (x in a- limit 1) println(1) foreach (x in s) t <<< 1 }'
huge='
global a[8000000], b[8000000], c[8000000]
probe begin { a[1, "x"] = "y" b[1, "x"] = "y" c["x", "y"] = "z" println(a[1, "x"], b[1, "x"], c["x", "y"]) }'

soak_module() { # NAME SCRIPT OPTIONS...
	"$STAP" ${tree:+-B "CC=$TESTS/kernels/cc"} -p4 -r "${tree:-$release}" -m "$1" -DSTP_DEBUG "${@:3}" -e "$2"
}
build() { # in the kernel's directory
	cp "$TESTS/soak/guest.sh" . && gcc -O2 -g -static -pthread -o work "$TESTS/soak/work.c" &&
		soak_module t_mixed "$mixed" -DMAXSKIPPED=100000000 -DMAXERRORS=1000000 -DSTP_NO_OVERLOAD -DMAXMAPENTRIES=4096 &&
		soak_module t_few "$few" -DMAXSKIPPED=100000000 -DSTP_NO_OVERLOAD &&
		soak_module t_huge "$huge" -DMAXMAPENTRIES=8000000
}

want='mixed 0 1 loaded 0
unload: loaded 0
killed: loaded 0
failing: 1 3
huge: 1 loaded 0
again: 1 1 loaded 0
memory 1 1'
rounds() {
	if TREE=$tree "$TESTS/soak/rounds.sh" "$SOAK_ROUNDS" "${image:-$release}" "$dir" >"$SCRATCH/out" 2>&1 &&
		[ "$(cat "$dir/out")" = "rounds $SOAK_ROUNDS" ]; then
		ok "soak/rounds $release"
	else
		not_ok "soak/rounds $release" "$(cat "$SCRATCH/out")"
	fi
}

worst_hits() {
	if "$TESTS/soak/worst-hits.sh" "$release" "$dir/worst" >"$SCRATCH/out" 2>&1; then
		ok "soak/worst-hits $release"
		[ -z "${SOAK-}" ] || sed 's/^/    /' "$SCRATCH/out"
	else
		not_ok "soak/worst-hits $release" "$(cat "$SCRATCH/out")"
	fi
}

soak() {
	local status
	if ! (cd "$dir" && build) >"$SCRATCH/build" 2>&1 </dev/null; then
		not_ok "soak/$release" "$(tail -n 20 "$SCRATCH/build")"
		return
	fi
	"$SOURCE/translator/run/stap-vm" -r "${image:-$release}" -s 4 -t "${LIVE_TIME:-$limit}" -m "${LIVE_MEMORY:-1024}" -d "$dir:/t" \
		-f "$BUILD/staprun/staprun:/bin/" -f "$BUILD/staprun/stapio:/bin/" \
		-- sh /t/guest.sh "$seconds" "$cycles" $step "$dir" >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
	if [ $status -eq 0 ] && [ "$(cat "$SCRATCH/out")" = "$want" ]; then
		ok "soak/$release"
		echo "# $release: soak passed, kernel log clean"
		[ -z "${SOAK-}" ] || sed 's/^/    /' "$SCRATCH/err"
	else
		not_ok "soak/$release" "status $status
$(cat "$SCRATCH/out" "$SCRATCH/err")"
		echo "# $release: soak FAILED"
	fi
}

on_kernel() { # SERIES, or nothing for one that isn't installed
	local dir=$SCRATCH/$release
	mkdir -p "$dir"
	if [ -n "${SOAK_ROUNDS-}" ]; then
		rounds
		return
	fi
	[ "${1-}" != "${SOAK_WORST:-6.1}" ] || ! wanted worst-hits || worst_hits
	! wanted "$release" || soak
}

tree='' image=''
for kernel in ${LIVE_KERNELS-}; do
	with_kernel "$kernel" on_kernel || skip "soak/$kernel" "$(tail -n 1 "$SCRATCH/err")"
done
[ -z "${LIVE_KERNELS-}" ] || SOAK_SERIES=
for series in ${SOAK_SERIES-6.1 6.12}; do
	release=$(newest "$series")
	if [ -z "$release" ]; then
		skip "soak/$series" "no kernel $series with image and headers"
	else
		on_kernel "$series"
	fi
done
