#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The language server: its protocol, and its answers about scripts.
set -u
. "$TESTS/lib.sh"

# run_tests FILE ARGUMENT...: each function of the file that has no argument is a test.
run_tests() {
	local name
	for name in $(sed -nE 's/^def ([a-z_0-9]+)\(\):.*/\1/p' "$TESTS/server/$1"); do
		wanted "$name" || continue
		rm -rf "$SCRATCH/tmp"
		mkdir -p "$SCRATCH/tmp"
		if TMPDIR=$SCRATCH/tmp PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 "$TESTS/server/$1" "$STAP" "$name" "${@:2}" >"$SCRATCH/out" 2>&1; then
			ok "server/$name"
		else
			not_ok "server/$name" "$(tail -n 20 "$SCRATCH/out")"
		fi
	done
}

run_tests protocol.py
