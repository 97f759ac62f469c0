#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# staprun and stapio with a simulated kernel that the test controls (fake_kernel.c). A test is a file
# scenarios/NAME.scenario: "# key: value" lines, the actions of the module, and the expected results:
#   # args: what follows staprun; @M is the module (default: @M)
#   # env: NAME=VALUE ...      # pipe: a command that reads the output
#   # may print: pattern of lines that are printed only on a busy machine
#   --- output    --- errors    --- log (requests to the kernel)    --- status N
# A section that is not there is not compared. Usage: run.sh [-u] [NAME...]
set -u
[ -n "${UNSHARED-}" ] || ! unshare -m true 2>/dev/null || UNSHARED=1 exec unshare -m bash "$0" "$@"
cd "$(dirname "$0")" || exit 1
source=$(cd ../.. && pwd)
scratch=$(mktemp -d /tmp/staprun.XXXXXX) || exit 1      # in a directory that other users may read
trap 'rm -rf "$scratch"' EXIT
update=${UPDATE-}
[ "${1-}" != -u ] || { update=1; shift; }
. ../lib.sh

compile() {
	local cc=(gcc -std=gnu11 -D_GNU_SOURCE -O1 -g -I"${BUILD:-$source}" -I"$source/runtime/include" -pthread)
	local loader=() relay=() wraps=() name
	[ -z "${SANITIZE-}" ] || cc+=("-fsanitize=address,undefined" -fno-sanitize-recover=undefined)
	for name in caps_rights caps_lower caps_raise caps_keep_unloading caps_drop; do
		wraps+=("-Wl,--wrap=$name")
	done
	for name in staprun caps module bundle image kernel_match program leftovers sign kallsyms sibling_path log; do loader+=("$source/staprun/$name.c"); done
	for name in stapio link input ring outfile bulk child session_loop repeated frames losses load_error monitor policy progress remove_after_kill sibling_path log; do relay+=("$source/staprun/$name.c"); done
	relay+=("$source/runtime/user/code_file.c" "$source/runtime/user/mapped_files.c")
	"${cc[@]}" -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
		-c -o "$scratch/fake.o" fake_kernel.c &&
	"${cc[@]}" -w -o "$scratch/staprun" "${loader[@]}" "$scratch/fake.o" "${wraps[@]}" -lcap -lcrypto &&
	"${cc[@]}" -w -o "$scratch/staprun-caps" "${loader[@]}" "$scratch/fake.o" -lcap -lcrypto &&
	"${cc[@]}" -w -o "$scratch/stapio" "${relay[@]}" "$scratch/fake.o" &&
	"${cc[@]}" -Wall -Wextra -o "$scratch/inject" inject.c &&
	"${cc[@]}" -o "$scratch/stap-merge" "$source/staprun/merge.c" &&
	"${cc[@]}" -c "-DRELEASE=\"$(uname -r)\"" -o "$scratch/module.ko" module.c &&
	"${cc[@]}" -c "-DRELEASE=\"$(uname -r)\"" -DTWO_STRUCTS -o "$scratch/two-structs.ko" module.c
}

section() { # FILE HEADING
	awk -v want="--- $2" '/^---/ { on = $0 == want; next } on' "$1"
}

# Prints the results of a run in the format of a test file: the parts of $1 up to the first ---, then the results.
# Messages that are printed once a second are omitted together with their repetitions, since fast runs do not print
# them. A number that follows the text of "# varies:" becomes N.
result() { # FILE
	local part varies may_print
	varies=$(sed -n 's/^# varies: //p' "$1") may_print=$(sed -n 's/^# may print: //p' "$1")
	sed '/^---/,$d' "$1"
	grep -a '^---' "$1" | while read -r _ part _; do
		case $part in
		status) echo "--- status $(cat "$dir/status")"; continue ;;
		*) echo "--- $part" ;;
		esac
		sed -E "/ records lost so far$/d; s/stap_[0-9a-f]+_[0-9]+/stap_PREFIX_PID/g; s#$dir/##g; s/\(pid [0-9]+\)/(pid N)/; s/$(uname -r)/RUNNING/g
			/ runs for [0-9]+ s, /{s/ [0-9]+ s,/ 1 s,/; x; s/^/./; /../{x; d}; x}
			${may_print:+/$may_print/d}
			${varies:+s/($varies )[0-9]+/\1N/}" "$dir/$part"
	done
}

run_one() { # FILE
	local name args env pipe
	name=${1##*/} name=${name%.scenario} dir=$scratch/$name
	if grep -q '^# needs: root' "$1" && [ "$(id -u)" -ne 0 ]; then
		echo "skip staprun/$name # root"
		return
	fi
	args=$(sed -n 's/^# args: //p' "$1") env=$(sed -n 's/^# env: //p' "$1")
	pipe=$(sed -n 's/^# pipe: //p' "$1")
	mkdir -p "$dir" && : >"$dir/log"
	cp kallsyms notes "$dir" && echo 10:63 >"$dir/number" && cp "$scratch/module.ko" "$scratch/two-structs.ko" "$dir"
	args=${args:-@M}
	# shellcheck disable=SC2086
	(
		cd "$dir" || exit 1
		export PATH=$scratch:$PATH FAKE_DIR=$dir FAKE_SCENARIO=$dir/scenario SYSTEMTAP_STAPIO=$scratch/stapio
		export ASAN_OPTIONS=detect_leaks=0
		sed '/^---/,$d' "$OLDPWD/$1" >scenario
		: >output                          # created before the command starts, which may read it at once
		eval "$env timeout -k 5 300 $scratch/staprun ${args//@M/./module.ko}; echo \$? >status" 2>errors |
			eval "${pipe:-cat}" >output
	)
	result "$1" >"$scratch/$name.now"
	if [ -n "$update" ]; then
		cp "$scratch/$name.now" "$1"
	fi
	if diff -u "$1" "$scratch/$name.now" >"$scratch/diff"; then
		echo "ok staprun/$name"
	else
		echo "not ok staprun/$name"
		sed 's/^/    /' "$scratch/diff"
	fi
}

if ! compile >"$scratch/compile" 2>&1; then
	echo "not ok staprun/compile"
	sed 's/^/    /' "$scratch/compile"
	exit 1
fi
. ./faults.sh
for name in $(cd scenarios && wanted_files .scenario "$@"); do run_one "scenarios/$name.scenario"; done
! wanted_some faults || faults
# Runs in virtual machines; without names, live runs these tests.
[ $# -eq 0 ] || ! wanted vm || bash ./vm.sh ${update:+-u}
