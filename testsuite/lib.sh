# SPDX-License-Identifier: GPL-2.0-or-later
# For every part of the test suite: results on standard output, one line per test.
#   ok NAME | not ok NAME | skip NAME # missing requirement
# Uses: $STAP (the program), $TESTS (testsuite/), $SCRATCH (a directory of this run), $UPDATE.

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1"; [ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/    /'; }
skip() { echo "skip $1 # $2"; }

# The names after PART/ on the command line; no name selects all tests of the part.
chosen=("$@")

# wanted NAME: the test is selected, by its name or by the beginning of it.
wanted() {
	local name
	[ ${#chosen[@]} -gt 0 ] || return 0
	for name in "${chosen[@]}"; do [[ $1 != "$name"* ]] || return 0; done
	return 1
}

# wanted_some BEGIN: tests whose names begin with BEGIN may be selected.
wanted_some() {
	local name
	wanted "$1" && return
	for name in "${chosen[@]}"; do [[ $name != "$1"* ]] || return 0; done
	return 1
}

# wanted_files SUFFIX NAME...: prints the names, without the suffix, of the files of this directory that are
# selected: NAME, or those that begin with NAME; all without a NAME.
wanted_files() {
	local suffix=$1 name file
	shift
	[ $# -gt 0 ] || set -- ''
	for name in "${@%"$suffix"}"; do
		if [ -n "$name" ] && [ -e "$name$suffix" ]; then
			echo "$name"
		else
			for file in "$name"*"$suffix"; do [ ! -e "$file" ] || echo "${file%"$suffix"}"; done
		fi
	done
}

# report PART/NAME FINDINGS: succeeds if FINDINGS is empty.
report() {
	wanted "${1#*/}" || return 0
	if [ -z "$2" ]; then ok "$1"; else not_ok "$1" "$2"; fi
}

# golden NAME FILE ACTUAL: the two files are equal; with -u, FILE is rewritten.
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

# directive FILE KEY: prints the value of a "# KEY: value" line at the head of a script.
directive() { sed -n "s/^# $2: //p" "$1" | head -n 1; }

# with_kernel SUITE:SERIES:FLAVOUR COMMAND...: runs the command with release, tree and image of a kernel that
# kernels/fetch.sh fetches. Its modules appear at the path of the machine's kernels if there is a private mount namespace
# (UNSHARED). Its tree remains at its own path, since at a second path the kernel's Makefile would treat it as an
# output directory and write into it. If the kernel cannot be fetched, the function fails, with the reason in
# $SCRATCH/err.
with_kernel() {
	local suite series flavour facts sources
	IFS=: read -r suite series flavour <<<"$1"
	facts=$("$TESTS/kernels/fetch.sh" "${QUICKTAP_KERNELS:-${XDG_CACHE_HOME:-$HOME/.cache}/quicktap/kernels}" "$suite" "$series" "$flavour" 2>"$SCRATCH/err") || return
	eval "$facts"
	if [ -n "${UNSHARED-}" ] && mount --bind "${tree%/usr/src/*}/lib/modules" /lib/modules; then
		[ -e "/lib/modules/$release/modules.dep" ] || depmod "$release"
		ln -sfn "$tree" "/lib/modules/$release/build"
		sources=$(sed -n 's|^include \(/.*\)/Makefile$|\1|p' "$tree/Makefile")
		[ -z "$sources" ] || ln -sfn "$sources" "/lib/modules/$release/source"
	fi
	"${@:2}"
	[ -z "${UNSHARED-}" ] || umount /lib/modules
}

# Kernels may be built without support for 32-bit programs.
runs_32bit() {
	printf '.globl _start\n_start: mov $1, %%eax\nxor %%ebx, %%ebx\nint $0x80\n' >"$SCRATCH/exit.s"
	gcc -m32 -nostdlib -static -o "$SCRATCH/exit" "$SCRATCH/exit.s" 2>/dev/null && "$SCRATCH/exit" 2>/dev/null
}

# Hypervisors may let the kernel set watchpoints, but not deliver their hits.
has_watchpoints() {
	gcc -O1 -o "$SCRATCH/watchpoints" "$TESTS/programs/counts_watchpoint.c" && "$SCRATCH/watchpoints"
}
