#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that an x86-64 processor executes while it comes online, before it can handle exceptions: each is refused by
# pass 2. A guest prints the addresses of its functions; in another boot of it the second processor executes that code
# instruction by instruction (steps.py), so that no function is missing which this emulated processor executes.
# LIVE_KERNELS: other kernels, see live/run.sh.
set -u
if [ -n "${LIVE_KERNELS-}" ] && [ -z "${UNSHARED-}" ] && unshare -m true 2>/dev/null; then
	UNSHARED=1 exec unshare -m bash "$0" "$@"
fi
. "$TESTS/lib.sh"
[ "$(uname -m)" = x86_64 ] || { skip bringup "x86-64"; exit; }

guest() { # ARGUMENTS of stap-vm
	"$SOURCE/translator/run/stap-vm" -r "${image:-$release}" -s 2 -m "${LIVE_MEMORY:-1024}" -k nokaslr -t 600 "$@"
}

executed() { # prints the names of the functions
	local status
	guest -- cat /proc/kallsyms >"$SCRATCH/symbols" || return
	rm -f "$SCRATCH/gdb"
	guest -q "-S -gdb unix:$SCRATCH/gdb,server=on,wait=off" -- true >/dev/null 2>&1 &
	python3 "$TESTS/bringup/steps.py" "$SCRATCH/gdb" "$SCRATCH/symbols"
	status=$?
	wait
	return $status
}

accepted() { # prints each function that pass 2 accepts; inlined copies in other functions do not matter
	local line name
	while read -r line; do
		for name in $line; do
			"$STAP" -r "${tree:-$release}" -p2 -e "probe kernel.function(\"$name\").call { println(1) }" >"$SCRATCH/pass2" 2>&1 && echo "$name is probed"
			grep -q 'cannot be probed\|does not allow a probe\|not found' "$SCRATCH/pass2" || head -n 3 "$SCRATCH/pass2"
		done
	done <"$SCRATCH/functions"
}

on_kernel() {
	wanted "$release" || return 0
	if executed >"$SCRATCH/functions" 2>"$SCRATCH/steps.err" && grep -q start_secondary "$SCRATCH/functions"; then
		report "bringup/$release" "$(accepted)"
	else
		not_ok "bringup/$release" "$(cat "$SCRATCH/steps.err" "$SCRATCH/functions")"
	fi
}

tree='' image=''
for kernel in ${LIVE_KERNELS-}; do
	with_kernel "$kernel" on_kernel || skip "bringup/$kernel" "$(tail -n 1 "$SCRATCH/err")"
done
[ -z "${LIVE_KERNELS-}" ] || exit 0
for series in 6.1 6.12; do
	release=$(printf '%s\n' /boot/vmlinuz-"$series".* | sort -rV | head -n 1)
	release=${release#/boot/vmlinuz-}
	if [ -e "/boot/vmlinuz-$release" ] && [ -d "/lib/modules/$release/build" ]; then on_kernel; else skip "bringup/$series" "a kernel with headers"; fi
done
