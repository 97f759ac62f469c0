#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The result of pass 2 for a script, printed with bodies: NAME.stp, NAME.out. A first line "# options: ..." gives
# options for stap. Nothing is run.
set -u
. "$TESTS/lib.sh"

cd "$TESTS/elab" || exit 1
for name in $(wanted_files .stp "$@"); do
	eval "options=($(directive "$name.stp" options))"
	"$STAP" -p2 --vp 01 --runtime=user ${options[@]+"${options[@]}"} "$name.stp" \
		>"$SCRATCH/out" 2>"$SCRATCH/err" || cat "$SCRATCH/err" >>"$SCRATCH/out"
	golden "elab/$name" "$name.out" "$SCRATCH/out"
done
