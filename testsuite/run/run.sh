#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole scripts on the user runtime: NAME.stp, its output NAME.out. In the script's first lines:
#   # options: ...   for stap        # args: ...      for the script
#   # status: N      exit status     # error: TEXT    standard error has this
#   # kernel: no     only here, not in the virtual machine (live/run.sh runs the others there, too)
# The same scripts, unoptimised (-u) and with text that is made from records (-f text), must give the same output.
set -u
. "$TESTS/lib.sh"

one() { # NAME OPTIONS...
	local name=$1 file=$TESTS/run/$1.stp label="run/$*" status=0 want text
	local options=() args=()
	eval "options=($(directive "$file" options))"
	eval "args=($(directive "$file" args))"
	timeout -k 2 100 "$STAP" --runtime=user "${@:2}" ${options[@]+"${options[@]}"} "$file" ${args[@]+"${args[@]}"} \
		>"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
	want=$(directive "$file" status)
	if [ "$status" -ne "${want:-0}" ]; then
		not_ok "$label" "exit status $status, not ${want:-0}
$(head -n 20 "$SCRATCH/err")"
		return
	fi
	text=$(directive "$file" error)
	if [ -n "$text" ] && ! grep -qF -- "$text" "$SCRATCH/err"; then
		not_ok "$label" "standard error lacks '$text':
$(head -n 20 "$SCRATCH/err")"
		return
	fi
	golden "$label" "$TESTS/run/$name.out" "$SCRATCH/out"
}

cd "$TESTS/run" || exit 1
for name in $(wanted_files .stp "$@"); do
	one "$name"
	[ $# -gt 0 ] || UPDATE='' one "$name" -u -f text
done
