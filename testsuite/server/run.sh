#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests the language server: its protocol, and its answers about scripts.
set -u
. "$TESTS/lib.sh"

# run_tests FILE ARGUMENT...: each function of the file that has no argument is a test.
run_tests() {
	local name status
	for name in $(sed -nE 's/^def ([a-z_0-9]+)\(\):.*/\1/p' "$TESTS/server/$1"); do
		wanted "$name" || continue
		rm -rf "$SCRATCH/tmp"
		mkdir -p "$SCRATCH/tmp"
		status=0
		TMPDIR=$SCRATCH/tmp PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 "$TESTS/server/$1" "$STAP" "$name" "${@:2}" >"$SCRATCH/out" 2>&1 || status=$?
		case $status in
		0) ok "server/$name" ;;
		77) skip "server/$name" "a kernel with debuginfo or BTF" ;;
		*) not_ok "server/$name" "$(tail -n 20 "$SCRATCH/out")" ;;
		esac
	done
}

run_tests protocol.py

release=
for image in /boot/vmlinuz-6.1.*; do
	[ ! -e "/lib/modules/${image#/boot/vmlinuz-}/build" ] || release=${image#/boot/vmlinuz-}
done
run_tests features.py $release
. "$TESTS/server/editors.sh"
