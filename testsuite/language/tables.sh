# SPDX-License-Identifier: GPL-2.0-or-later
# The rules of the language, SECTION.tests: each describes a rule, with a script that works and a misuse that is
# rejected.
#   rule NAME 'what holds'
#   prints 'script' 'lines'    # what its begin probes print; all of a table with the same OPTIONS and ARGUMENTS run as one
#                              # program, so names of globals, functions and aliases are given once a table
#   alone 'script' 'lines' [STATUS ['text on standard error']]      # a program of its own, which exits by
#                              # itself; on the user runtime, to be cheap, and in kernels with RUNTIMES=kernel only
#   bad, note, shows, lone, warns, good, accepted: as in refuse.sh, on both runtimes
#   works PART/NAME...         # another test shows that it works
#   refused PART/NAME...       # another test shows that misuse is refused
#   no_misuse 'why there is none'
#   RUNTIMES=user              # of what follows; "kernel" or the default "user kernel"
# Read by run.sh, by live/run.sh (in real kernels) and by lint (each rule has both).

# language_collect TABLE DIRECTORY: makes one directory per program: 0.stp ..., options, arguments, want, status, error,
# runtimes.
language_collect() {
	local table=$1 into=$2 rule='' groups=() OPTIONS=() ARGUMENTS=() RUNTIMES='user kernel' alone_count=0
	rule() { rule=$1; }
	group() { # KEY: sets g, the program's directory
		g=$into/$1
		[ ! -d "$g" ] || return 0
		mkdir -p "$g"
		printf '%s\n' "${OPTIONS[*]@Q}" >"$g/options"
		printf '%s\n' "${ARGUMENTS[*]@Q}" >"$g/arguments"
		echo "$RUNTIMES" >"$g/runtimes"
		echo 0 >"$g/status"
		: >"$g/want"
		: >"$g/error"
	}
	add() { # SCRIPT
		printf '%s\n' "$1" >"$g/$(find "$g" -name '*.stp' | wc -l).stp"
	}
	prints() {
		local key=${OPTIONS[*]-}/${ARGUMENTS[*]-}/$RUNTIMES n
		for n in ${groups[@]+"${!groups[@]}"}; do [ "${groups[n]}" != "$key" ] || break; done
		if [ ${#groups[@]} -eq 0 ] || [ "${groups[n]}" != "$key" ]; then
			n=${#groups[@]}
			groups+=("$key")
		fi
		group "$n"
		add "probe begin { println(\"== $rule\") }
$1"
		printf '== %s\n%s\n' "$rule" "$2" >>"$g/want"
	}
	alone() {
		alone_count=$((alone_count + 1))
		group "$rule-$alone_count"
		add "$1"
		[ "$RUNTIMES" = kernel ] || echo user >"$g/runtimes"
		[ -z "$2" ] || printf '%s\n' "$2" >"$g/want"
		echo "${3-0}" >"$g/status"
		echo "${4-}" >"$g/error"
	}
	local word
	for word in bad note shows lone warns good accepted works refused no_misuse; do
		eval "$word() { :; }"
	done
	# shellcheck source=/dev/null
	. "$TESTS/language/$table.tests"
	for g in ${groups[@]+"${!groups[@]}"}; do
		echo 'probe begin(9223372036854775807) { exit() }' >"$into/$g/last.stp"
	done
}

# language_arguments GROUP: sets stap_args, the arguments of stap for the program in that directory.
language_arguments() {
	local n=1
	eval "stap_args=($(cat "$1/options"))"
	stap_args+=(-e "$(cat "$1/0.stp")")
	while [ -e "$1/$n.stp" ]; do
		stap_args+=(-E "$(cat "$1/$n.stp")")
		n=$((n + 1))
	done
	[ ! -e "$1/last.stp" ] || stap_args+=(-E "$(cat "$1/last.stp")")
	eval "stap_args+=($(cat "$1/arguments"))"
}

# language_problem GROUP STATUS OUTPUT ERRORS: prints the differences
language_problem() {
	[ "$2" -eq "$(cat "$1/status")" ] || echo "exit status $2, not $(cat "$1/status"): $(head -n 5 "$4")"
	grep -qF -- "$(cat "$1/error")" "$4" || [ ! -s "$1/error" ] || [ -z "$(cat "$1/error")" ] ||
		echo "standard error lacks '$(cat "$1/error")': $(head -n 5 "$4")"
	diff -u "$1/want" "$3"
}
