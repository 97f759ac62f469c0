#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Modules that compile load without a message of the kernel: load.sh STAP RELEASE [N [SEED [DIRECTORY]]] builds N
# modules (default 500) of scripts that fuzz.py generates and runs them in one guest. It prints modules that are
# rejected, and fails if there are any or if the kernel's log is not clean.
set -u
here=$(cd "$(dirname "$0")" && pwd) source=$(cd "$(dirname "$0")/../.." && pwd)
stap=$(realpath "$1") release=$2 count=${3:-500} seed=${4:-1} directory=${5:-/tmp/random-$2}
build=$(cd "$(dirname "$stap")" && pwd)
rm -rf "$directory/modules" && mkdir -p "$directory/modules" || exit
python3 "$here/fuzz.py" --stap "$stap" --release "$release" --directory "$directory" --seed "$seed" --scripts "$count" \
	--modules "$directory/modules" ${QUICK:+--quick} || exit
cp "$here/guest.sh" "$directory/modules/"
"$source/translator/run/stap-vm" -r "$release" -t $((600 + 15 * count)) -m 1536 -d "$directory/modules:/t" -d "$directory/programs:$directory/programs" \
	-f "$build/staprun/staprun:/bin/" -f "$build/staprun/stapio:/bin/" -l "$directory/log" \
	-- sh /t/guest.sh "$directory/programs" >"$directory/out" 2>"$directory/err"
status=$?
cat "$directory/out"
[ $status -ne 0 ] && { cat "$directory/err"; exit $status; }
[ "$(cat "$directory/out")" = "$(ls "$directory"/modules/*.ko | wc -l) loaded" ]
