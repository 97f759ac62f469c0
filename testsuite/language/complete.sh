# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the rules of the language that lack a valid script or a rejected one, or that refer to a missing test, one
# per line. Read by lint/run.sh; with LANGUAGE_TABLE set it prints the inventory instead.

language_complete() (
	local rule='' claim works=0 refuses=0 seen=' ' table f
	finish() {
		[ -n "$rule" ] || return 0
		if [ -n "${LANGUAGE_TABLE-}" ]; then
			printf '%s\t%s\t%s\t%d works\t%d refused\n' "$table" "$rule" "$claim" $works $refuses
			return 0
		fi
		[ $works -gt 0 ] || echo "language/$table.tests: no script shows that '$rule' works"
		[ $refuses -gt 0 ] || echo "language/$table.tests: no script shows that misuse of '$rule' is refused, and no_misuse says not why"
	}
	rule() {
		finish
		[[ $seen != *" $1 "* ]] || echo "language/$table.tests: rule '$1' is there twice"
		rule=$1 claim=$2 works=0 refuses=0 seen="$seen$1 "
	}
	named() { # PART/NAME...
		for f in "$@"; do
			[ -e "$TESTS/$f.stp" ] || [ -e "$TESTS/$f.test" ] || [ -e "$TESTS/$f.tests" ] || [ -e "$TESTS/$f.c" ] || [ -e "$TESTS/$f.sh" ] ||
				grep -q "^[[:space:]]*expect ${f#*/} " "$TESTS/${f%%/*}/run.sh" 2>/dev/null ||
				grep -q "^is ${f#*/} " "$TESTS/${f%%/*}/shown.sh" 2>/dev/null ||
				echo "language/$table.tests: '$rule' names $f, which is no test"
		done
	}
	for f in prints good accepted; do eval "$f() { works=\$((works + 1)); }"; done
	for f in bad warns; do eval "$f() { refuses=\$((refuses + 1)); }"; done
	for f in note shows lone; do eval "$f() { :; }"; done
	alone() { if [ "${3-0}" = 0 ]; then works=$((works + 1)); else refuses=$((refuses + 1)); fi; }
	works() { works=$((works + 1)) && named "$@"; }
	refused() { refuses=$((refuses + 1)) && named "$@"; }
	no_misuse() { refuses=$((refuses + 1)); }
	for f in "$TESTS"/language/*.tests; do
		table=${f##*/} table=${table%.tests}
		# shellcheck source=/dev/null
		. "$f"
		finish
		rule='' seen=' '
	done
)
