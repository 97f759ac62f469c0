#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds and runs unit tests under the address and undefined-behaviour sanitizers:
#   run.sh [NAME...]      names without .c, all core_*.c without any
# A test prints "ok NAME" and "not ok NAME" lines, the failing ones are shown; -v shows all.
# Objects go to $TMPDIR, never into the tree. The status is 1 when anything failed.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
root=$here/../..
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
flags="-std=gnu11 -g -O1 -fwrapv -fno-strict-aliasing -fsanitize=address,undefined
	-fno-sanitize=signed-integer-overflow -fno-sanitize-recover=all -Wall -Wextra -Werror
	-Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers -Wno-format-truncation"
verbose=
[ "$1" = -v ] && verbose=1 && shift
[ $# -gt 0 ] || set -- $(cd "$here" && ls core_*.c | sed 's/\.c$//')

# The core itself must not lean on -fwrapv: signed overflow stays an error there.
${CC:-gcc} $flags -fsanitize=signed-integer-overflow -fno-wrapv -r -o "$work/core.o" \
	"$root"/runtime/core/*.c || exit 1
status=0
for name; do
	if ! ${CC:-gcc} $flags -pthread -o "$work/$name" "$here/$name.c" "$work/core.o"; then
		echo "not ok $name (does not build)"
		status=1
		continue
	fi
	"$work/$name" > "$work/out" 2> "$work/err"
	code=$?
	if [ $code -ne 0 ] || ! grep -q '^ok ' "$work/out"; then
		status=1
		echo "FAIL $name (status $code)"
		[ $verbose ] || grep -A3 '^not ok' "$work/out"
		head -30 "$work/err"
	else
		echo "PASS $name ($(grep -c '^ok ' "$work/out"))"
	fi
	[ $verbose ] && cat "$work/out"
done
exit $status
