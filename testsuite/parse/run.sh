#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of pass 1: run.sh [NAME ...]
#   NAME.stp + NAME.out   what -p1 prints; "# options: ..." and "# arguments: ..." in the script
#                         are given to the program, "# needs: driver" keeps it to unit/parse_main.
#                         Printed and parsed again it must be the same.
#   errors.tests          bad 'script with ^ where the error is' 'part of the message' [arguments]
#   library.sh            the library's index and its cache (only with unit/parse_main)
#   layout.sh             --fmt
#   checks.sh             --lint
#   roundtrip.sh          every available script, printed and parsed again
# $STAP_PARSE is the program; else "$STAP -p1"; else unit/parse_main, built from the objects in $BUILD.
set -u
shopt -s nullglob
TESTS=${TESTS:-$(cd "$(dirname "$0")/.." && pwd)}
if [ -z "${SCRATCH-}" ]; then
	SCRATCH=$(mktemp -d) || exit 2
	trap 'rm -rf "$SCRATCH"' EXIT
fi
. "$TESTS/lib.sh"
cd "$TESTS/parse" || exit 2
driver=$SCRATCH/parse_main
"$TESTS/unit/parse_build" "$driver" || { not_ok parse/driver; driver=; }
parse=${STAP_PARSE-${STAP:+$STAP -p1}}
parse=${parse:-$driver}

golden_script() {
	local name=$1 options arguments parse=$parse
	[ -z "$(directive "$name.stp" needs)" ] || parse=$driver
	eval "options=($(directive "$name.stp" options))"
	eval "arguments=($(directive "$name.stp" arguments))"
	if ! $parse ${options[@]+"${options[@]}"} "$name.stp" ${arguments[@]+"${arguments[@]}"} >"$SCRATCH/out" 2>"$SCRATCH/err"; then
		not_ok "parse/$name" "$(cat "$SCRATCH/err")"
		return
	fi
	golden "parse/$name" "$name.out" "$SCRATCH/out"
	if ! $parse -w ${options[@]+"${options[@]}"} "$SCRATCH/out" ${arguments[@]+"${arguments[@]}"} >"$SCRATCH/again" 2>"$SCRATCH/err"; then
		not_ok "parse/$name: what was printed is refused" "$(cat "$SCRATCH/err")"
	elif ! diff -u <(sed 2d "$SCRATCH/out") <(sed 2d "$SCRATCH/again") >"$SCRATCH/diff"; then
		not_ok "parse/$name: printed, parsed and printed again" "$(cat "$SCRATCH/diff")"
	else
		ok "parse/$name: printed, parsed and printed again"
	fi
}

bad() {
	local text=${1//\\^/$'\x01'} script before lines place first
	before=${text%%^*}
	lines=${before//[!$'\n']/}
	before=${before##*$'\n'}
	place=$((${#lines} + 1)):$((${#before} + 1))
	script=${text/^/}
	script=${script//$'\x01'/^}
	if $parse -e "$script" "${@:3}" >/dev/null 2>"$SCRATCH/err"; then
		not_ok "parse/errors: $1" "accepted"
		return
	fi
	first=$(head -n 1 "$SCRATCH/err")
	case $first in
	"parse error: "*"$2"*": at <input>:$place") ok "parse/errors: $1" ;;
	*) not_ok "parse/errors: $1" "wanted at $place: $2
$(head -n 3 "$SCRATCH/err")" ;;
	esac
}

for name in $(wanted_files .stp "$@"); do golden_script "$name"; done
! wanted errors || . ./errors.tests
[ -z "$driver" ] || ! wanted_some library || . ./library.sh
[ -z "${STAP-}" ] || ! wanted_some roundtrip || . ./roundtrip.sh
[ -z "${STAP-}" ] || ! wanted_some layout || . ./layout.sh
[ -z "${STAP-}" ] || ! wanted_some checks || . ./checks.sh
