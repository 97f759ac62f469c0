# SPDX-License-Identifier: GPL-2.0-or-later
# Tables of scripts that are accepted or refused, read by error/run.sh and language/run.sh:
#   bad 'script with a ^ before the location' 'part of the message'   # "\^" is a real "^"; with a warning and -u, too
#   late 'script with a ^' 'part of the message'     # the same, but -p1 prints the tree, which parses to itself
#   note 'part of a note'              # the messages about the preceding bad script include this note
#   shows 'part of a line'             # they include this line, which is not a note
#   lone                               # they include no other error
#   warns 'script with a ^' 'part of the warning'    # accepted, but with this warning
#   good 'script'                      # accepted without a message
#   accepted 'script'                  # accepted, perhaps with warnings
#   refused 'point with a ^' 'part of the message'   # a probe of this point is refused; refused_all tries these, ten at a time
#   on_kernel [dwarf]                  # sets OPTIONS for an installed kernel; if there is none, skips the remaining tests: || return 0
# Without a ^ the message has no location. OPTIONS are additional options of stap, ARGUMENTS those of the script.
# Nothing is run: -p2, unless OPTIONS says -p1 or -p3. $table names the tests.
OPTIONS=() ARGUMENTS=() RUNTIME=(--runtime=user)

# Sets script, and location (LINE:COLUMN or empty) from the first ^ without a backslash before it.
take_location() {
	local text=$1 before lines
	text=${text//\\^/$'\x01'}
	location=""
	# ${text%%^*} and the like take seconds for long texts.
	if IFS= read -r -d '^' before <<<"$text"; then
		mapfile -t lines <<<"$before"
		location=${#lines[@]}:$((${#lines[-1]} + 1))
	fi
	script=${text/^/}
	script=${script//$'\x01'/^}
}

translate() {
	name="$table: ${1//$'\n'/ }"
	take_location "$1"
	status=0
	"$STAP" -p2 "${RUNTIME[@]}" ${OPTIONS[@]+"${OPTIONS[@]}"} -e "$script" ${ARGUMENTS[@]+"${ARGUMENTS[@]}"} >"$SCRATCH/out" 2>"$SCRATCH/err" ||
		status=$?
}

# has_message KIND MESSAGE: the output has a line "KIND: ...MESSAGE...: at <input>:LOCATION", or without a location.
has_message() {
	local line
	while IFS= read -r line; do
		[[ $line =~ ^$1:\  && $line == *"$2"* ]] || continue
		[[ -z $location || $line == *": at <input>:$location" ]] && return
	done <"$SCRATCH/err"
	return 1
}

bad() {
	translate "$1"
	# Unused declarations are removed with a warning; with -u their errors are errors.
	if ! has_message '[a-z]* error' "$2" && has_message WARNING "$2"; then
		OPTIONS+=(-u)
		translate "$1"
		unset 'OPTIONS[-1]'
	fi
	if [ $status -ne 1 ]; then
		not_ok "$name" "exit status $status"
	elif has_message '[a-z]* error' "$2"; then
		ok "$name"
	else
		not_ok "$name" "wanted at $location: $2
$(cat "$SCRATCH/err")"
	fi
}

late() {
	local OPTIONS=() RUNTIME=("${RUNTIME[@]}")
	name="$table: ${1//$'\n'/ }: -p1"
	take_location "$1"
	if ! "$STAP" -p1 -e "$script" ${ARGUMENTS[@]+"${ARGUMENTS[@]}"} >"$SCRATCH/tree.stp" 2>"$SCRATCH/err"; then
		not_ok "$name" "$(cat "$SCRATCH/err")"
	elif ! "$STAP" -p1 - <"$SCRATCH/tree.stp" 2>"$SCRATCH/err" | diff <(sed 2d "$SCRATCH/tree.stp") <(sed 2d) >"$SCRATCH/diff"; then
		not_ok "$name" "$(cat "$SCRATCH/err" "$SCRATCH/diff")"
	else
		ok "$name"
	fi
	bad "$1" "$2"
}

note() {
	if grep -F -- "$1" "$SCRATCH/err" | grep -q '^ *note: '; then ok "$name: note"; else
		not_ok "$name: note" "wanted: $1
$(cat "$SCRATCH/err")"
	fi
}

shows() {
	if grep -qF -- "$1" "$SCRATCH/err"; then ok "$name: shows $1"; else
		not_ok "$name: shows $1" "$(cat "$SCRATCH/err")"
	fi
}

lone() {
	if [ "$(grep -c '^[a-z]* error: ' "$SCRATCH/err")" -eq 1 ]; then ok "$name: one error"; else
		not_ok "$name: one error" "$(cat "$SCRATCH/err")"
	fi
}

warns() {
	translate "$1"
	if [ $status -ne 0 ]; then
		not_ok "$name" "exit status $status
$(cat "$SCRATCH/err")"
	elif has_message WARNING "$2"; then
		ok "$name"
	else
		not_ok "$name" "wanted at $location: $2
$(cat "$SCRATCH/err")"
	fi
}

good() {
	translate "$1"
	if [ $status -eq 0 ] && [ ! -s "$SCRATCH/err" ]; then ok "$name"; else
		not_ok "$name" "exit status $status
$(cat "$SCRATCH/err")"
	fi
}

accepted() {
	translate "$1"
	if [ $status -eq 0 ]; then ok "$name"; else
		not_ok "$name" "exit status $status
$(cat "$SCRATCH/err")"
	fi
}


on_kernel() { # [dwarf]
	local file release=''
	for file in /lib/modules/*/build; do
		file=${file%/build} file=${file##*/}
		[ ! -e "/boot/vmlinuz-$file" ] || { [ $# -gt 0 ] && [ ! -e "/usr/lib/debug/boot/vmlinux-$file" ]; } || release=$file
	done
	[ -n "$release" ] || { skip "$table" "a kernel${1:+, its DWARF}"; return 1; }
	OPTIONS=(--runtime=kernel -r "$release")
}

refused_points=() refused_texts=()
refused() { refused_points+=("$1") refused_texts+=("$2"); }

refused_all() {
	local first i location script rest status
	for ((first = 0; first < ${#refused_points[@]}; first += 10)); do
		script=''
		for i in "${refused_points[@]:first:10}"; do script+="probe ${i/^/} { println(1) }"$'\n'; done
		status=0
		"$STAP" -p2 "${OPTIONS[@]}" -e "$script" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
		for ((i = first; i < first + 10 && i < ${#refused_points[@]}; i++)); do
			rest=${refused_points[i]%%^*}
			location=$((i - first + 1)):$((${#rest} + 7))
			if [ $status -eq 1 ] && has_message '[a-z]* error' "${refused_texts[i]}"; then ok "$table: ${refused_points[i]}"; else
				not_ok "$table: ${refused_points[i]}" "status $status, wanted at $location: ${refused_texts[i]}
$(cat "$SCRATCH/err")"
			fi
		done
	done
	refused_points=() refused_texts=()
}
