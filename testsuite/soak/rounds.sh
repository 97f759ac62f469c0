#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loads, runs and unloads the module with all of syscall.* and syscall.*.return many times (rounds-guest.sh) in a
# kernel that panics when a CPU or a task hangs; to be run by hand, for hours. A guest that hangs as a whole is
# examined from outside: the registers of its CPUs, and its stacks by an NMI (stuck.py).
# Usage: rounds.sh ROUNDS RELEASE-OR-IMAGE [DIRECTORY FOR LOG AND OUTPUT]; TREE: the build tree, where the kernel isn't installed;
# MEMORY: the guest's, in MB (a debug kernel takes 3072); LANES: number of modules that are loaded and unloaded at the same
# time (default 3, since a single one spends half of each round waiting for RCU).
set -u
rounds=$1 image=$2 source=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$source} lanes=${LANES:-3} dir=${3:-$(mktemp -d)}
mkdir -p "$dir/t" || exit 1
script='
global calls, returns
probe syscall.* { calls[name]++ }
probe syscall.*.return { returns[name] <<< 1 }
probe end { n = 0 foreach (x in calls) n++ println(n > 3) }'
cd "$dir/t" || exit 1
cp "$source/testsuite/soak/rounds-guest.sh" . && gcc -O2 -static -pthread -o work "$source/testsuite/soak/work.c" || exit 1
for lane in $(seq "$lanes"); do
	"$build/stap" ${TREE:+-B "CC=$source/testsuite/kernels/cc"} -p4 -r "${TREE:-$image}" -m "lane${lane}_calls" -DMAXSKIPPED=100000000 \
		-DSTP_NO_OVERLOAD -e "$script" || exit 1
done
rm -f "$dir/qmp"
python3 "$source/testsuite/soak/stuck.py" "$dir/qmp" "$dir/progress" "$dir/stuck" &
watcher=$!
"$source/translator/run/stap-vm" -r "$image" -s "${CPUS:-2}" -m "${MEMORY:-1024}" -t "${LIMIT:-0}" -l "$dir/log" -d "$dir/t:/t" \
	-f "$build/staprun/staprun:/bin/" -f "$build/staprun/stapio:/bin/" -q "-qmp unix:$dir/qmp,server=on,wait=off" \
	-k 'softlockup_panic=1 hung_task_panic=1 watchdog_thresh=30 unknown_nmi_panic=1 panic_print=0x1 loglevel=7' \
	-- sh /t/rounds-guest.sh "$rounds" 60 "$lanes" 2>"$dir/progress" | tee "$dir/out"
status=${PIPESTATUS[0]}
kill $watcher 2>/dev/null
echo "status $status"
tail -n 3 "$dir/progress"
exit "$status"
