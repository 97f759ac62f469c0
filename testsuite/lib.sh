# SPDX-License-Identifier: GPL-2.0-or-later
# For every part of the test suite: results on standard output, one line a test.
#   ok NAME | not ok NAME | skip NAME # what is missing
# Uses: $STAP (the program), $TESTS (testsuite/), $SCRATCH (a directory of this run), $UPDATE.

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1"; [ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/    /'; }
skip() { echo "skip $1 # $2"; }

# golden NAME FILE ACTUAL: the two are equal; with -u the file is rewritten.
golden() {
	if [ -n "${UPDATE-}" ]; then
		cp "$3" "$2"
	fi
	if diff -u "$2" "$3" >"$SCRATCH/diff" 2>&1; then
		ok "$1"
	else
		not_ok "$1" "$(cat "$SCRATCH/diff")"
	fi
}

# directive FILE KEY: the value of a "# KEY: value" line at the head of a script.
directive() { sed -n "s/^# $2: //p" "$1" | head -n 1; }
