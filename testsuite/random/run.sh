#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts that are made at random from the whole grammar and from names that exist, valid and nearly valid (fuzz.py, script.py, names.py):
# scripts   passes 2 to 4 under sanitizers: no crash, no failed assertion, no pass that takes 10 s of CPU, and a
# script that pass 2 accepts compiles modules   what compiles loads in a guest without a message of the kernel
# arrays   operations on arrays, against a model (arrays.py): on the user runtime, and as BPF programs where they can be loaded
# `runtests random` runs `scripts` and `arrays`, $RANDOM_SCRIPTS (20) of a fixed seed; `modules` takes $RANDOM_MODULES (10). In full, with STAP of a build by `configure --disable-gc
# CFLAGS="-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"`:
#     testsuite/random/fuzz.py --stap STAP --release RELEASE --minutes 30 --seed N      what is found stays in /tmp/random/found
#     testsuite/random/load.sh STAP RELEASE 500 SEED                                    500 modules in one guest
set -u
. "$TESTS/lib.sh"
build=${FUZZ_BUILD:-$SCRATCH/fuzz}

newest() { # SERIES
	local image
	for image in $(printf '%s\n' /boot/vmlinuz-"$1".* | sort -rV); do
		[ ! -d "/lib/modules/${image#/boot/vmlinuz-}/build" ] || { echo "${image#/boot/vmlinuz-}"; return; }
	done
}

# If the part `fuzz` ran before in the same lane, uses its objects, which clang built.
build_stap() {
	mkdir -p "$build" && cd "$build" || return
	[ -e Makefile ] || "$SOURCE/configure" --disable-gc CFLAGS='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined' || return
	make -s -j2 stap
}

try() { # NAME COMMAND...
	if "${@:2}" >"$SCRATCH/out" 2>&1; then
		ok "random/$1"
		sed -n 's/^\([0-9]* scripts: .*\)/# random: \1/p' "$SCRATCH/out"
	else
		not_ok "random/$1" "$(tail -n 60 "$SCRATCH/out")"
	fi
}

names=${*:-scripts arrays}
release=$(newest 6.1)

arrays() {
	python3 "$TESTS/random/arrays.py" --stap "$STAP" --seeds 1:9 --directory "$SCRATCH" || return
	"$STAP" --runtime=bpf -e 'global n probe kernel.trace("sched_switch") { n++ exit() } probe end { println(n > 0) }' || return 0
	gcc -g -O1 -pthread -o "$SCRATCH/calls" "$TESTS/bpf/calls.c" || return
	python3 "$TESTS/random/arrays.py" --stap "$STAP" --seeds 1:5 --steps 600 --directory "$SCRATCH" --calls "$SCRATCH/calls"
}
if [[ " $names " == *" arrays "* ]]; then
	try arrays arrays
	names=${names/arrays/}
fi
if [ -z "$release" ]; then
	for name in $names; do skip "random/$name" "a kernel 6.1 with image and headers"; done
	exit 0
fi
for name in $names; do
	case $name in
	scripts)
		(build_stap) >"$SCRATCH/make" 2>&1 || { not_ok random/build "$(tail -n 20 "$SCRATCH/make")"; continue; }
		try scripts python3 "$TESTS/random/fuzz.py" --stap "$build/stap" --names "$STAP" --release "$release" --directory "$SCRATCH/random" \
			--hang 100 --quick --scripts "${RANDOM_SCRIPTS:-20}" ;;
	modules) QUICK=1 try modules "$TESTS/random/load.sh" "$STAP" "$release" "${RANDOM_MODULES:-10}" 1 "$SCRATCH/load" ;;
	esac
done
