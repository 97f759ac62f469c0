#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every rule of the language: it works (on the user runtime; live/run.sh runs the same in kernels), and its misuse is
# rejected (by the translation for both runtimes). tables.sh describes the format of the tables SECTION.tests.
set -u
. "$TESTS/lib.sh"
. "$TESTS/language/tables.sh"

run_programs() { # TABLE
	local group status problem stap_args=()
	(language_collect "$1" "$SCRATCH/language/$1")
	for group in "$SCRATCH/language/$1"/*/; do
		group=${group%/}
		grep -q user "$group/runtimes" 2>/dev/null || continue
		language_arguments "$group"
		status=0
		timeout -k 2 300 "$STAP" --runtime=user "${stap_args[@]}" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
		problem=$(language_problem "$group" "$status" "$SCRATCH/out" "$SCRATCH/err")
		if [ -z "$problem" ]; then ok "language/$1/${group##*/}"; else not_ok "language/$1/${group##*/}" "$problem"; fi
	done
}

refuse_on() { # TABLE RUNTIME OPTION...: checks that require only a translation
	local runtime=$2
	table=language/$1 RUNTIMES='user kernel'
	(
		. "$TESTS/refuse.sh"
		RUNTIME=("${@:3}")
		wanted() { [[ $RUNTIMES == *$runtime* ]]; }
		for f in bad warns good accepted; do
			eval "$(declare -f $f | sed "1s/$f/really_$f/")"
			eval "$f() { skipped=; wanted || { skipped=1; return 0; }; really_$f \"\$@\"; }"
		done
		for f in note shows lone; do
			eval "$(declare -f $f | sed "1s/$f/really_$f/")"
			eval "$f() { [ -n \"\$skipped\" ] || really_$f \"\$@\"; }"
		done
		rule() { table="language/${table#language/}" && table="${table%% *} $1 ($runtime)"; }
		for f in prints alone works refused no_misuse; do eval "$f() { :; }"; done
		# shellcheck source=/dev/null
		. "$TESTS/language/$1.tests"
	)
}

release=$(printf '%s\n' /lib/modules/*/build | head -n 1 | cut -d/ -f4)
cd "$TESTS/language" || exit 1
for name in $(wanted_files .tests "$@"); do
	run_programs "$name"
	refuse_on "$name" user --runtime=user
	if [ -d "/lib/modules/$release/build" ]; then
		refuse_on "$name" kernel --runtime=kernel -r "$release"
	else
		skip "language/$name on the kernel runtime" 'a kernel build tree'
	fi
done
