#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests: run.sh [NAME...], names without .c; without a name, all tests.
#   bpf_*.c, core_*.c, kernel_*.c, staprun_*.c   built here with the runtime's core, under address and undefined-behaviour
#                          sanitizers; objects go to $SCRATCH, never into the tree
#   number_check.c         built here, a header alone
#   build_check.c          built by make from the translator's objects
# Each prints "ok CLAIM" and "not ok CLAIM" lines.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
root=$here/../..
BUILD=${BUILD-$root}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
flags="-std=gnu11 -g -O1 -fwrapv -fno-strict-aliasing -fsanitize=address,undefined
	-fno-sanitize=signed-integer-overflow -fno-sanitize-recover=all -DSTP_DEBUG -Wall -Wextra -Werror
	-Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers -Wno-format-truncation"
names=$(cd "$here" && for file in bpf_*.c core_*.c kernel_*.c staprun_*.c build_check.c number_check.c; do
	[ $# -gt 0 ] || echo "${file%.c}"
	for name; do case $file in "$name"*) echo "${file%.c}"; break ;; esac; done
done)

# The core itself must not depend on -fwrapv: signed overflow is an error there.
# shellcheck disable=SC2086
${CC:-gcc} $flags -fsanitize=signed-integer-overflow -fno-wrapv -r -o "$work/core.o" \
	"$root"/runtime/core/*.c || exit 1

# Headers of the kernel are empty files: kernel_standins.h defines everything from them that the runtime uses.
sed -n 's|^#include <\(linux/.*\)>|\1|p' "$root"/runtime/kernel/pending_calls.c "$root"/runtime/kernel/slices.c "$root"/runtime/kernel/modules.c | while read -r header; do
	mkdir -p "$work/include/${header%/*}" && : >"$work/include/$header"
done

build() { # NAME: builds the program $work/NAME
	case $1 in
	build_check)
		make -s -C "$BUILD" build/testsuite/unit/build_check >"$work/err" 2>&1 &&
			cp "$BUILD/build/testsuite/unit/build_check" "$work" ;;
	number_check)
		# shellcheck disable=SC2086
		${CC:-gcc} $flags -fsanitize=signed-integer-overflow -fno-wrapv -o "$work/$1" "$here/$1.c" 2>"$work/err" ;;
	staprun_*)
		# shellcheck disable=SC2086
		${CC:-gcc} $flags -D_GNU_SOURCE -I"$root" -I"$root/runtime/include" -o "$work/$1" "$here/$1.c" 2>"$work/err" ;;
	*)
		# shellcheck disable=SC2086
		${CC:-gcc} $flags -pthread -I"$work/include" -o "$work/$1" "$here/$1.c" "$work/core.o" 2>"$work/err" ;;
	esac
}

for name in $names; do
	if ! build "$name"; then
		echo "not ok unit/$name (does not build)"
		head -n 20 "$work/err"
		continue
	fi
	"$work/$name" >"$work/out" 2>"$work/err"
	status=$?
	sed "s|^\\(not \\)\\{0,1\\}ok |&unit/$name: |" "$work/out"
	if [ $status -ne 0 ] && ! grep -q '^not ok' "$work/out"; then
		echo "not ok unit/$name (status $status)"
		head -n 30 "$work/err"
	fi
done
